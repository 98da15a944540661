/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arguments.c - repairs the JSON of arguments, requires an object, converts values that convert
 * exactly, fills in defaults, validates.
 *
 * Two other forms are accepted: a JSON string that contains the object, and null or an empty text
 * for an object without members.
 *
 * Tests: tests/run/arguments_test.c.
 */
#include "run/arguments.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "schema/downlevel/drop_nulls.h"
#include "json/repair.h"
#include "json/write.h"

typedef struct reading {
    const haft__tool *tool;
    haft__checker *checker;
    haft__arena *arena;
    haft__json_options options;
    haft__buf *why;
    haft_error *err;
    bool repaired;
} reading;

/* Returns false if the text is not JSON; *status says whether that is the only error. */
static bool read_text(reading *r, haft_str text, haft__json *ret_value, haft_status *status)
{
    haft_error err = {0};
    haft__json_notes notes = {0};
    *status = haft__json_read_tolerant(r->arena, text, &r->options, ret_value, &notes, &err);
    if (*status == HAFT_OK) {
        r->repaired = r->repaired || notes.repaired;
        return true;
    }
    if (*status == HAFT_NO_MEMORY) {
        (void)haft__fail_no_memory(r->err);
        return false;
    }
    *status = HAFT_OK;
    haft__buf_addf(r->why, "The arguments are not valid JSON: %s, at %s.", err.message, err.where);
    return false;
}

static bool read_object(reading *r, haft_str raw, haft__json *ret_value, haft_status *status)
{
    if (haft__str_trim(raw).len == 0) {
        *ret_value = haft__json_object(NULL, 0);
        return true;
    }
    if (!read_text(r, raw, ret_value, status)) {
        return false;
    }
    if (ret_value->kind == HAFT__JSON_STRING) {
        r->repaired = true;
        haft_str inner = haft__json_text(*ret_value);
        if (haft__str_trim(inner).len > 0 && !read_text(r, inner, ret_value, status)) {
            return false;
        }
    }
    if (ret_value->kind == HAFT__JSON_NULL) {
        *ret_value = haft__json_object(NULL, 0);
    }
    if (ret_value->kind == HAFT__JSON_OBJECT) {
        return true;
    }
    haft__buf_addf(r->why, "The arguments must be a JSON object, found %s.",
                   haft__json_kind_name(*ret_value));
    return false;
}

/* Adds the defaults of properties that are missing, one level deep. */
static haft_status fill_defaults(reading *r, haft__json *object)
{
    const haft__json *properties = haft__json_get(r->tool->input_schema, HAFT__LIT("properties"));
    if (properties == NULL || properties->kind != HAFT__JSON_OBJECT) {
        return HAFT_OK;
    }
    size_t room = (size_t)object->count + properties->count, count = object->count;
    haft__json_member *members = haft__arena_array(r->arena, room, sizeof(*members));
    if (members == NULL) {
        return haft__arena_fail(r->arena, r->err);
    }
    if (count > 0) {
        memcpy(members, object->members, count * sizeof(*members));
    }
    for (uint32_t i = 0; i < properties->count; i++) {
        haft_str name = haft__json_text(properties->members[i].key);
        const haft__json *fallback =
            haft__json_get(properties->members[i].value, HAFT__LIT("default"));
        if (fallback != NULL && haft__json_get(*object, name) == NULL) {
            members[count++] = (haft__json_member){properties->members[i].key, *fallback};
        }
    }
    *object = haft__json_object(members, count);
    return HAFT_OK;
}

static haft_status check(reading *r, haft__json value, bool *ret_good)
{
    haft__schema_report report;
    haft_status status =
        haft__schema_check(r->tool->schema, r->checker, value, r->arena, &report, r->err);
    if (status == HAFT_OK) {
        haft__schema_report_write(r->why, &report);
        *ret_good = report.valid;
    }
    return status;
}

static haft_status read_arguments(const haft__tool *tool, haft_str raw, bool nullable,
                                  haft__checker *checker, haft__arena *arena,
                                  haft__hash_key hash_key, haft__arguments *ret_arguments,
                                  haft__buf *why, haft_error *err)
{
    reading r = {.tool = tool,
                 .checker = checker,
                 .arena = arena,
                 .options = HAFT__JSON_OPTIONS_INIT,
                 .why = why,
                 .err = err};
    r.options.hash_key = hash_key;
    haft__json value;
    haft_status status = HAFT_OK;
    *ret_arguments = (haft__arguments){.good = false};
    if (!read_object(&r, raw, &value, &status)) {
        return status;
    }
    bool changed, good = false;
    if (nullable) {
        status = haft__schema_drop_nulls(tool->input_schema, value, arena, &value, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    status = haft__schema_coerce(tool->schema, checker, value, arena, &value, &changed, err);
    if (status == HAFT_OK) {
        status = fill_defaults(&r, &value);
    }
    if (status == HAFT_OK) {
        status = check(&r, value, &good);
    }
    if (status == HAFT_OK) {
        *ret_arguments = (haft__arguments){good, value, r.repaired};
    }
    return status;
}

haft_status haft__arguments_read(const haft__tool *tool, haft_str raw, haft__checker *checker,
                                 haft__arena *arena, haft__hash_key hash_key,
                                 haft__arguments *ret_arguments, haft__buf *why, haft_error *err)
{
    return read_arguments(tool, raw, false, checker, arena, hash_key, ret_arguments, why, err);
}

haft_status haft__arguments_read_nullable(const haft__tool *tool, haft_str raw,
                                          haft__checker *checker, haft__arena *arena,
                                          haft__hash_key hash_key, haft__arguments *ret_arguments,
                                          haft__buf *why, haft_error *err)
{
    return read_arguments(tool, raw, true, checker, arena, hash_key, ret_arguments, why, err);
}

haft_status haft__arguments_need_repair(haft_str raw, haft__arena *scratch, haft__hash_key hash_key,
                                        bool *ret_needs_repair, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = hash_key;
    haft__json value = haft__json_null();
    haft_status status = HAFT_OK;
    if (haft__str_trim(raw).len > 0) {
        status = haft__json_read(scratch, raw, &options, &value, NULL, NULL);
    }
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(err);
    }
    *ret_needs_repair =
        status != HAFT_OK || (value.kind != HAFT__JSON_OBJECT && value.kind != HAFT__JSON_NULL);
    return HAFT_OK;
}

/* ---- values from people ---- */

static haft_status read_person_value(const haft__tool *tool, haft_str raw, const char *what,
                                     haft__arena *arena, haft__hash_key hash_key,
                                     haft__json *ret_value, haft_error *err)
{
    haft__buf why;
    haft__arguments read = {.good = false};
    haft__checker *checker = haft__checker_create();
    haft__buf_init(&why, HAFT__LIMIT_RUN_BYTES);
    haft_status status = checker != NULL ? haft__arguments_read(tool, raw, checker, arena, hash_key,
                                                                &read, &why, err)
                                         : haft__fail_no_memory(err);
    if (status == HAFT_OK) {
        status = haft__buf_check(&why, err);
    }
    if (status == HAFT_OK && !read.good) {
        status =
            haft__fail(err, HAFT_BAD_INPUT, "", "%s: %.*s", what, HAFT__ARG(haft__buf_str(&why)));
    }
    *ret_value = read.value;
    haft__checker_destroy(checker);
    haft__buf_finish(&why);
    return status;
}

haft_status haft__arguments_read_value(const haft__tool *tool, haft__json given, const char *what,
                                       haft__arena *arena, haft__hash_key hash_key,
                                       haft__json *ret_value, haft_error *err)
{
    haft__buf raw;
    haft__buf_init(&raw, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&raw, given);
    haft_status status = haft__buf_check(&raw, err);
    if (status == HAFT_OK) {
        haft_str copy = haft__arena_copy(arena, haft__buf_str(&raw));
        status = copy.ptr != NULL
                     ? read_person_value(tool, copy, what, arena, hash_key, ret_value, err)
                     : haft__arena_fail(arena, err);
    }
    haft__buf_finish(&raw);
    return status;
}
