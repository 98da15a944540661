/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standalone.c - functions of haft.h that need no runtime: single tools, and JSON validation.
 *
 * Each function frees its memory before it returns, except for the returned text, which is from
 * malloc.
 *
 * Tests: tests/run/standalone_test.c.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "run/arguments.h"
#include "tool/call.h"
#include "tool/declare.h"
#include "tool/registry.h"
#include "json/read.h"
#include "json/write.h"

/* The address of a local variable is the hash key, because the pure layers have no source of
 * randomness. An attacker cannot easily guess the address. */
static haft__hash_key hash_key(const void *here)
{
    return (haft__hash_key){(uint64_t)(uintptr_t)here, (uint64_t)(uintptr_t)&haft_tool_try};
}

static haft_status copy_out(haft_str text, char **ret_text, haft_error *err)
{
    char *copy = haft__str_duplicate(text);
    if (copy == NULL) {
        return haft__fail_no_memory(err);
    }
    haft__utf8_replace_invalid(copy, text.len); /* the reply of a tool may contain any bytes */
    *ret_text = copy;
    return HAFT_OK;
}

void haft_free(char *text)
{
    free(text);
}

/* ---- tools ---- */

/* Declares, checks and compiles the tool, as an agent does. */
static haft_status prepare(haft__arena *arena, const haft_tool *tool, const haft__tool **ret_tool,
                           haft_error *err)
{
    haft__tools tools;
    haft__tool declared;
    haft__tools_init(&tools, arena, hash_key(arena));
    haft_status status = haft__declare_tool(arena, tool, &declared, err);
    if (status == HAFT_OK) {
        status = haft__tools_add(&tools, &declared, err);
    }
    if (status == HAFT_OK) {
        *ret_tool = tools.items[0];
    }
    return status;
}

static haft_status write_schema(haft__arena *arena, const haft_tool *tool, char **ret_schema,
                                haft_error *err)
{
    const haft__tool *prepared = NULL;
    haft_status status = prepare(arena, tool, &prepared, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_write(&text, prepared->input_schema);
    status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        status = copy_out(haft__buf_str(&text), ret_schema, err);
    }
    haft__buf_finish(&text);
    return status;
}

haft_status haft_tool_schema(const haft_tool *tool, char **ret_schema, haft_error *err)
{
    if (tool == NULL || ret_schema == NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected a tool and ret_schema, found NULL");
    }
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_status status = write_schema(&arena, tool, ret_schema, err);
    haft__arena_finish(&arena);
    return status;
}

/* ---- calls ---- */

/* Fails with the first line of `why`: "/limit: Expected integer, found ...". */
static haft_status fail_arguments(haft_str why, haft_error *err)
{
    haft_str message = haft__str_split(&why, '\n'), where = {NULL, 0};
    for (size_t i = 0; message.ptr[0] == '/' && where.len == 0 && i + 1 < message.len; i++) {
        where.len = message.ptr[i] == ':' && message.ptr[i + 1] == ' ' ? i : 0;
    }
    where.ptr = message.ptr;
    message = haft__str_skip(message, where.len > 0 ? where.len + 2 : 0);
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, "", "%.*s", HAFT__ARG(message));
    if (why.len > 0) {
        status =
            haft__hint(err, status, "there are more errors; haft_check_json lists all of them");
    }
    if (err != NULL) {
        (void)snprintf(err->where, sizeof(err->where), "%.*s", HAFT__ARG(where));
    }
    return status;
}

static haft_status read_arguments(haft__arena *arena, const haft__tool *tool, haft_str raw,
                                  haft__json *ret_value, haft_error *err)
{
    haft__arguments arguments = {.good = false};
    haft__buf why;
    haft__buf_init(&why, HAFT__LIMIT_JSON_BYTES);
    haft__checker *checker = haft__checker_create();
    haft_status status = checker != NULL ? haft__arguments_read(
                             tool, raw, checker, arena, hash_key(arena), &arguments, &why, err)
                                         : haft__fail_no_memory(err);
    if (status == HAFT_OK) {
        status = haft__buf_check(&why, err);
    }
    if (status == HAFT_OK && !arguments.good) {
        status = fail_arguments(haft__buf_str(&why), err);
    }
    if (status == HAFT_OK) {
        *ret_value = arguments.value;
    }
    haft__checker_destroy(checker);
    haft__buf_finish(&why);
    return status;
}

static haft_status call_tool(haft__arena *arena, const haft_tool *tool, haft_str raw,
                             haft_reply_kind *ret_kind, char **ret_text, haft_error *err)
{
    const haft__tool *prepared = NULL;
    haft__json arguments = haft__json_null();
    haft_status status = prepare(arena, tool, &prepared, err);
    if (status == HAFT_OK && (prepared->function == NULL || prepared->function->run == NULL)) {
        status = haft__fail(err, HAFT_BAD_INPUT, "/run", "the tool has no function to call");
    }
    if (status == HAFT_OK) {
        status = read_arguments(arena, prepared, raw, &arguments, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft_call call;
    haft_reply reply;
    haft__call_init(&call, NULL);
    status = haft__call_run(&call, prepared->function, arguments, &reply, err);
    if (status == HAFT_OK) {
        status = copy_out(reply.text, ret_text, err);
    }
    if (status == HAFT_OK && ret_kind != NULL) {
        *ret_kind = reply.kind;
    }
    haft__call_finish(&call);
    return status;
}

haft_status haft_tool_try(const haft_tool *tool, const char *arguments, haft_reply_kind *ret_kind,
                          char **ret_text, haft_error *err)
{
    if (tool == NULL || ret_text == NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected a tool and ret_text, found NULL");
    }
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_str raw = haft__str(arguments != NULL ? arguments : "");
    haft_status status = call_tool(&arena, tool, raw, ret_kind, ret_text, err);
    haft__arena_finish(&arena);
    return status;
}

/* ---- schemas ---- */

static haft_status add_location(haft_status status, const char *place, haft_error *err)
{
    if (status != HAFT_OK && status != HAFT_NO_MEMORY) {
        haft__error_prepend_location(err, place);
    }
    return status;
}

static haft_status compile_schema(haft__arena *arena, haft_str text,
                                  const haft__schema **ret_schema, haft_error *err)
{
    haft__json value;
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.max_depth = HAFT__LIMIT_JSON_DEPTH_STRICT;
    options.reject_duplicates = true;
    options.hash_key = hash_key(arena);
    haft_status status = haft__json_read(arena, text, &options, &value, NULL, err);
    if (status == HAFT_OK) {
        haft__schema_options compiling = {.hash_key = options.hash_key};
        status = haft__schema_compile(arena, value, &compiling, ret_schema, err);
    }
    return add_location(status, "schema", err);
}

static haft_status list_failures(const haft__schema_report *report, char **ret_failures,
                                 haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__schema_report_write(&text, report);
    if (report->more) {
        haft__buf_add_str(&text, HAFT__LIT("\nand more"));
    }
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        status = copy_out(haft__buf_str(&text), ret_failures, err);
    }
    haft__buf_finish(&text);
    return status;
}

static haft_status check_value(haft__arena *arena, const haft__schema *schema, haft__json value,
                               char **ret_failures, haft_error *err)
{
    haft__schema_report report = {.valid = false};
    haft__checker *checker = haft__checker_create();
    haft_status status = checker != NULL
                             ? haft__schema_check(schema, checker, value, arena, &report, err)
                             : haft__fail_no_memory(err);
    if (status == HAFT_OK && report.valid) {
        *ret_failures = NULL;
    } else if (status == HAFT_OK) {
        status = list_failures(&report, ret_failures, err);
    }
    haft__checker_destroy(checker);
    return status;
}

haft_status haft_check_json(const char *schema, const char *json, char **ret_failures,
                            haft_error *err)
{
    if (schema == NULL || json == NULL || ret_failures == NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "expected a schema, a JSON text and ret_failures, found NULL");
    }
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json value = haft__json_null();
    const haft__schema *compiled = NULL;
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = hash_key(&arena);
    haft_status status = compile_schema(&arena, haft__str(schema), &compiled, err);
    if (status == HAFT_OK) {
        status = add_location(haft__json_read(&arena, haft__str(json), &options, &value, NULL, err),
                              "json", err);
    }
    if (status == HAFT_OK) {
        status = check_value(&arena, compiled, value, ret_failures, err);
    }
    haft__arena_finish(&arena);
    return status;
}
