/* SPDX-License-Identifier: Apache-2.0 */
/*
 * body.c - the JSON bodies of requests, checked by the same schemas that /openapi.json shows.
 * Tests: tests/serve/api_test.py.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "serve/api/gateway_int.h"
#include "serve/api/openapi.h"
#include "json/read.h"

typedef struct body_schema {
    const char *name;
    const haft__schema *schema;
    struct body_schema *next;
} body_schema;

static body_schema *find_schema(const haft__api_gateway *gateway, const char *name)
{
    for (body_schema *one = gateway->bodies; one != NULL; one = one->next) {
        if (haft__str_equal(haft__str(one->name), haft__str(name))) {
            return one;
        }
    }
    return NULL;
}

/* {"$ref": "#/$defs/NAME", "$defs": {...}} */
static haft_status compile(haft__api_gateway *gateway, const char *name, haft__json definitions,
                           haft_error *err)
{
    haft__arena *arena = &gateway->arena;
    body_schema *one = haft__arena_array(arena, 1, sizeof(*one));
    haft__json_member *members = haft__arena_array(arena, 2, sizeof(*members));
    haft_str target = haft__arena_format(arena, "#/$defs/%s", name);
    if (one == NULL || members == NULL || target.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    members[0] =
        (haft__json_member){haft__json_string(HAFT__LIT("$ref")), haft__json_string(target)};
    members[1] = (haft__json_member){haft__json_string(HAFT__LIT("$defs")), definitions};
    haft__schema_options options = {.hash_key = gateway->options.runtime->hash_key};
    haft_status status =
        haft__schema_compile(arena, haft__json_object(members, 2), &options, &one->schema, err);
    one->name = name;
    one->next = gateway->bodies;
    gateway->bodies = one;
    return status;
}

haft_status haft__api_bodies_compile(haft__api_gateway *gateway, haft_error *err)
{
    haft__json definitions;
    haft_status status = haft__openapi_definitions(&gateway->arena, &definitions, err);
    for (size_t t = 0; status == HAFT_OK && t < gateway->options.table_count; t++) {
        const haft__route_table *table = &gateway->options.tables[t];
        for (size_t i = 0; status == HAFT_OK && i < table->count; i++) {
            const char *name = table->routes[i].body;
            if (name != NULL && find_schema(gateway, name) == NULL) {
                status = compile(gateway, name, definitions, err);
            }
        }
    }
    return status;
}

static bool reject_schema(haft__api_call *call, const haft__schema_report *report)
{
    haft_error err = {0};
    char where[sizeof(err.where)];
    const haft__schema_error *first = &report->errors[0];
    (void)snprintf(where, sizeof(where), "%.*s", HAFT__ARG(first->where));
    (void)haft__fail(&err, HAFT_BAD_INPUT, where, "%.*s", HAFT__ARG(first->message));
    haft__api_problem(call, 422, &err);
    return false;
}

/* U+0000 in a key or text: programs in C and databases would end the text there. */
static bool has_nul(haft_str text)
{
    haft_str escape = HAFT__LIT("\\u0000");
    for (size_t i = 0; i + escape.len <= text.len; i++) {
        size_t slashes = 0;
        if (!haft__str_equal((haft_str){text.ptr + i, escape.len}, escape)) {
            continue;
        }
        while (slashes < i && text.ptr[i - 1 - slashes] == '\\') {
            slashes++;
        }
        if (slashes % 2 == 0) {
            return true;
        }
    }
    return false;
}

static bool read_json(haft__api_call *call, haft_str text)
{
    haft_error err = {0};
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.max_depth = HAFT__LIMIT_JSON_DEPTH_STRICT;
    options.reject_duplicates = true;
    options.hash_key = call->gateway->options.runtime->hash_key;
    haft_str copy = haft__arena_copy(&call->arena, text);
    haft_status status = copy.ptr != NULL ? HAFT_OK : haft__arena_fail(&call->arena, &err);
    if (status == HAFT_OK && has_nul(copy)) {
        status = haft__fail(&err, HAFT_BAD_INPUT, "", "the body has the character U+0000");
    }
    if (status == HAFT_OK) {
        status = haft__json_read(&call->arena, copy, &options, &call->body, NULL, &err);
    }
    if (status != HAFT_OK) {
        haft__api_fail(call, &err);
    }
    return status == HAFT_OK;
}

bool haft__api_body_read(haft__api_call *call)
{
    const haft__route *route = call->route;
    haft_str text = haft__http_server_body(call->request);
    haft__schema_report report = {.valid = true};
    haft_error err = {0};
    if (route->body == NULL || (route->body_optional && haft__str_trim(text).len == 0)) {
        return true;
    }
    if (!read_json(call, text)) {
        return false;
    }
    haft__http_server_release_body(call->request);
    haft__api_gateway *gateway = call->gateway;
    if (haft__schema_check(find_schema(gateway, route->body)->schema, gateway->checker, call->body,
                           &call->arena, &report, &err)
        != HAFT_OK) {
        haft__api_fail(call, &err);
        return false;
    }
    return report.valid || reject_schema(call, &report);
}
