/* SPDX-License-Identifier: Apache-2.0 */
/* openapi.c - see openapi.h. Tests: tests/serve/openapi_test.py. */
#include "serve/api/openapi.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "json/object.h"
#include "json/read.h"

extern const char haft__http_schema[];
extern const size_t haft__http_schema_size;

haft_status haft__openapi_definitions(haft__arena *arena, haft__json *ret_definitions,
                                      haft_error *err)
{
    haft__json document;
    haft_str text = {haft__http_schema, haft__http_schema_size};
    haft_status status = haft__json_read(arena, text, NULL, &document, NULL, err);
    if (status == HAFT_OK) {
        *ret_definitions = haft__object_object(document, "$defs");
    }
    return status;
}

/* ---- parameters ---- */

static void write_parameter(haft__json_writer *w, haft_str name, const char *in, const char *type,
                            const char *what)
{
    haft__json_begin_object(w);
    haft__field_text(w, "name", name);
    haft__field_string(w, "in", in);
    haft__field_flag(w, "required", strcmp(in, "path") == 0);
    if (what != NULL) {
        haft__field_string(w, "description", what);
    }
    haft__json_key(w, "schema");
    haft__json_begin_object(w);
    haft__field_string(w, "type", type);
    haft__json_end_object(w);
    haft__json_end_object(w);
}

/* The {names} of the path. OpenAPI has no parameter for several segments: such a name is one. */
static void write_path_parameters(haft__json_writer *w, const char *path)
{
    haft_str rest = haft__str(path);
    while (rest.len > 0) {
        (void)haft__str_split(&rest, '{');
        haft_str name = haft__str_split(&rest, '}');
        if (name.len == 0) {
            break;
        }
        if (haft__str_ends_with(name, HAFT__LIT("..."))) {
            name.len -= 3;
        }
        write_parameter(w, name, "path", "string", NULL);
    }
}

static void write_parameters(haft__json_writer *w, const haft__route *route)
{
    haft__json_key(w, "parameters");
    haft__json_begin_array(w);
    write_path_parameters(w, route->path);
    for (const haft__route_parameter *one = route->query; one != NULL && one->name != NULL; one++) {
        write_parameter(w, haft__str(one->name), "query", one->type, one->what);
    }
    haft__json_end_array(w);
}

/* ---- bodies ---- */

static void write_schema(haft__json_writer *w, const char *media_type, const char *schema)
{
    char target[96];
    haft__json_key(w, "content");
    haft__json_begin_object(w);
    haft__json_key(w, media_type);
    haft__json_begin_object(w);
    haft__json_key(w, "schema");
    haft__json_begin_object(w);
    if (schema != NULL) {
        (void)snprintf(target, sizeof(target), "#/components/schemas/%s", schema);
        haft__field_string(w, "$ref", target);
    }
    haft__json_end_object(w);
    haft__json_end_object(w);
    haft__json_end_object(w);
}

static void write_responses(haft__json_writer *w, const haft__route *route)
{
    char status[16];
    uint32_t number = route->success_status != 0 ? route->success_status : 200;
    (void)snprintf(status, sizeof(status), "%u", number);
    haft__json_key(w, "responses");
    haft__json_begin_object(w);
    haft__json_key(w, status);
    haft__json_begin_object(w);
    haft__field_string(w, "description", "Success");
    if (route->response != NULL) {
        write_schema(w, "application/json", route->response);
    } else if (route->media_type != NULL) {
        write_schema(w, route->media_type, NULL);
    }
    haft__json_end_object(w);
    haft__json_key(w, "default");
    haft__json_begin_object(w);
    haft__field_string(w, "description", "A problem (RFC 9457)");
    write_schema(w, "application/problem+json", "problem");
    haft__json_end_object(w);
    haft__json_end_object(w);
}

static void write_operation(haft__json_writer *w, const haft__route *route)
{
    char method[16];
    size_t length = strlen(route->method);
    for (size_t i = 0; i <= length && i < sizeof(method); i++) {
        method[i] = (char)(route->method[i] | (i < length ? 0x20 : 0));
    }
    haft__json_key_str(w, haft__str(method));
    haft__json_begin_object(w);
    haft__field_string(w, "operationId", route->id);
    haft__field_string(w, "summary", route->summary);
    haft__field_string(w, "x-haft-role", haft__role_name(route->role));
    write_parameters(w, route);
    if (route->body != NULL) {
        haft__json_key(w, "requestBody");
        haft__json_begin_object(w);
        haft__field_flag(w, "required", !route->body_optional);
        write_schema(w, "application/json", route->body);
        haft__json_end_object(w);
    }
    write_responses(w, route);
    if (route->role == HAFT__ROLE_NONE) {
        haft__json_key(w, "security");
        haft__json_begin_array(w);
        haft__json_end_array(w);
    }
    haft__json_end_object(w);
}

/* ---- paths ---- */

static const haft__route *route_at(const haft__route_table *tables, size_t count, size_t at)
{
    for (size_t t = 0; t < count; t++) {
        if (at < tables[t].count) {
            return &tables[t].routes[at];
        }
        at -= tables[t].count;
    }
    return NULL;
}

/* Whether an earlier route has the same path. */
static bool is_repeated(const haft__route_table *tables, size_t count, size_t at)
{
    const haft__route *route = route_at(tables, count, at), *other;
    for (size_t i = 0; route != NULL && i < at; i++) {
        other = route_at(tables, count, i);
        if (other != NULL && strcmp(other->path, route->path) == 0) {
            return true;
        }
    }
    return false;
}

/* The path of the document: {name...} is {name}. */
static haft_str document_path(const char *path, char to[128])
{
    size_t length = 0;
    for (const char *at = path; *at != '\0' && length + 1 < 128; at++) {
        if (strncmp(at, "...}", 4) == 0) {
            at += 3;
        }
        to[length++] = *at;
    }
    return (haft_str){to, length};
}

static void write_paths(haft__json_writer *w, const haft__route_table *tables, size_t count)
{
    const haft__route *route;
    haft__json_key(w, "paths");
    haft__json_begin_object(w);
    for (size_t i = 0; (route = route_at(tables, count, i)) != NULL; i++) {
        char path[128];
        const haft__route *other;
        if (is_repeated(tables, count, i)) {
            continue;
        }
        haft__json_key_str(w, document_path(route->path, path));
        haft__json_begin_object(w);
        for (size_t k = i; (other = route_at(tables, count, k)) != NULL; k++) {
            if (strcmp(other->path, route->path) == 0) {
                write_operation(w, other);
            }
        }
        haft__json_end_object(w);
    }
    haft__json_end_object(w);
}

/* ---- components ---- */

/* Copies a schema; references to $defs become references to components. */
static void add_schema(haft__json_writer *w, haft__json value)
{
    haft_str prefix = HAFT__LIT("#/$defs/");
    char target[96];
    haft_str text = haft__json_text(value);
    switch ((haft__json_kind)value.kind) {
    case HAFT__JSON_OBJECT:
        haft__json_begin_object(w);
        for (uint32_t i = 0; i < value.count; i++) {
            haft__json_key_str(w, haft__json_text(value.members[i].key));
            add_schema(w, value.members[i].value);
        }
        haft__json_end_object(w);
        return;
    case HAFT__JSON_ARRAY:
        haft__json_begin_array(w);
        for (uint32_t i = 0; i < value.count; i++) {
            add_schema(w, value.items[i]);
        }
        haft__json_end_array(w);
        return;
    case HAFT__JSON_STRING:
        if (haft__str_starts_with(text, prefix)) {
            (void)snprintf(target, sizeof(target), "#/components/schemas/%.*s",
                           HAFT__ARG(haft__str_skip(text, prefix.len)));
            haft__json_add_str(w, haft__str(target));
            return;
        }
        haft__json_add(w, value);
        return;
    case HAFT__JSON_NULL:
    case HAFT__JSON_FALSE:
    case HAFT__JSON_TRUE:
    case HAFT__JSON_NUMBER: haft__json_add(w, value); return;
    }
}

static void write_security(haft__json_writer *w)
{
    haft__json_key(w, "securitySchemes");
    haft__json_begin_object(w);
    haft__json_key(w, "bearer");
    haft__json_begin_object(w);
    haft__field_string(w, "type", "http");
    haft__field_string(w, "scheme", "bearer");
    haft__json_end_object(w);
    haft__json_key(w, "key");
    haft__json_begin_object(w);
    haft__field_string(w, "type", "apiKey");
    haft__field_string(w, "in", "header");
    haft__field_string(w, "name", "X-Api-Key");
    haft__json_end_object(w);
    haft__json_end_object(w);
}

static void write_requirements(haft__json_writer *w)
{
    static const char *const names[] = {"bearer", "key"};
    haft__json_key(w, "security");
    haft__json_begin_array(w);
    for (size_t i = 0; i < COUNT(names); i++) {
        haft__json_begin_object(w);
        haft__json_key(w, names[i]);
        haft__json_begin_array(w);
        haft__json_end_array(w);
        haft__json_end_object(w);
    }
    haft__json_begin_object(w); /* a server without tokens */
    haft__json_end_object(w);
    haft__json_end_array(w);
}

haft_status haft__openapi_write(haft__buf *buf, const haft__route_table *tables, size_t table_count,
                                haft_error *err)
{
    haft__arena arena;
    haft__json definitions;
    haft__json_writer w;
    haft__arena_init(&arena, 0);
    haft_status status = haft__openapi_definitions(&arena, &definitions, err);
    if (status == HAFT_OK) {
        haft__json_writer_init(&w, buf);
        haft__json_begin_object(&w);
        haft__field_string(&w, "openapi", "3.1.0");
        haft__json_key(&w, "info");
        haft__json_begin_object(&w);
        haft__field_string(&w, "title", "haft serve");
        haft__field_string(&w, "version", HAFT_VERSION);
        haft__json_end_object(&w);
        write_requirements(&w);
        write_paths(&w, tables, table_count);
        haft__json_key(&w, "components");
        haft__json_begin_object(&w);
        haft__json_key(&w, "schemas");
        add_schema(&w, definitions);
        write_security(&w);
        haft__json_end_object(&w);
        haft__json_end_object(&w);
        status = haft__buf_check(buf, err);
    }
    haft__arena_finish(&arena);
    return status;
}
