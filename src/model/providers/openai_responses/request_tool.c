/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_tool.c - the declaration of a tool.
 *
 * A tool is strict if strict mode can express its whole schema. An optional argument is then
 * required and may be null; haft drops the null when the call arrives
 * (haft__provider_capabilities.strict_tools). Any other tool is sent with its own schema, and only
 * haft validates its arguments. `strict` is always written: without it the server decides.
 * Tests: tests/model/providers/openai_responses/request_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/providers/openai_responses/request.h"
#include "schema/downlevel/downlevel.h"
#include "json/object.h"

/* Limits of OpenAI for strict schemas. */
#define MAX_LEVELS     10
#define MAX_PROPERTIES 5000
#define MAX_VALUES     1000   /* in all enums */
#define MAX_CHARACTERS 120000 /* in all names and enums */

typedef struct schema_size {
    size_t properties, values, characters;
    bool unfit; /* too deep, or with a pattern that strict mode does not know */
} schema_size;

static void measure(haft__json schema, size_t level, schema_size *size);

/* Groups such as lookahead: strict mode knows none of them. */
static bool has_special_group(haft_str pattern)
{
    bool found = false;
    for (; pattern.len > 0 && !found; pattern = haft__str_skip(pattern, 1)) {
        found = haft__str_starts_with(pattern, HAFT__LIT("(?"));
    }
    return found;
}

static void measure_each(haft__json list, size_t level, schema_size *size)
{
    for (uint32_t i = 0; list.kind == HAFT__JSON_ARRAY && i < list.count; i++) {
        measure(list.items[i], level, size);
    }
}

static void measure_members(haft__json members, size_t level, schema_size *size)
{
    for (uint32_t i = 0; members.kind == HAFT__JSON_OBJECT && i < members.count; i++) {
        size->properties++;
        size->characters += haft__json_text(members.members[i].key).len;
        measure(members.members[i].value, level, size);
    }
}

static void measure(haft__json schema, size_t level, schema_size *size)
{
    haft__json values = haft__object_get(schema, "enum");
    size->unfit = size->unfit || level > MAX_LEVELS
                  || has_special_group(haft__object_string(schema, "pattern"));
    if (size->unfit || schema.kind != HAFT__JSON_OBJECT) {
        return;
    }
    for (uint32_t i = 0; values.kind == HAFT__JSON_ARRAY && i < values.count; i++) {
        size->values++;
        size->characters += haft__json_text(values.items[i]).len;
    }
    measure_members(haft__object_get(schema, "properties"), level + 1, size);
    measure(haft__object_get(schema, "items"), level, size);
    measure_each(haft__object_get(schema, "anyOf"), level, size);
}

static bool fits_strict_mode(haft__json schema, haft__json defs)
{
    schema_size size = {.properties = 0};
    measure(schema, 1, &size);
    measure_members(defs, 1, &size);
    return !size.unfit && size.properties <= MAX_PROPERTIES && size.values <= MAX_VALUES
           && size.characters <= MAX_CHARACTERS;
}

/* Writes the members of an object schema. */
static void add_members(haft__json_writer *w, haft__json schema)
{
    for (uint32_t i = 0; schema.kind == HAFT__JSON_OBJECT && i < schema.count; i++) {
        haft__json_key_str(w, haft__json_text(schema.members[i].key));
        haft__json_add(w, schema.members[i].value);
    }
}

static void add_strict_schema(haft__json_writer *w, haft__json schema, haft__json defs)
{
    haft__json_begin_object(w);
    add_members(w, schema);
    if (defs.count > 0) {
        haft__field_value(w, "$defs", defs);
    }
    haft__json_end_object(w);
}

/* Writes the schema in its strict form, and returns true; or false if it does not have one. */
static bool add_strict(haft__json_writer *w, haft__json schema)
{
    haft__arena arena;
    haft__relax_report report;
    haft__downlevel d;
    haft__arena_init(&arena, 0);
    haft__relax_report_init(&report, &arena);
    haft__downlevel_init(&d, HAFT__TARGET_OPENAI, &report);
    haft__json made = haft__downlevel_translate(&d, HAFT__LIT(""), schema);
    haft__json defs = haft__downlevel_defs(&d);
    haft_status status = haft__downlevel_check(&d, NULL);
    bool whole = d.narrowed == NULL && haft__relax_report_count(&report) == d.nullable_count;
    bool strict = status == HAFT_OK && report.status == HAFT_OK && whole
                  && made.kind == HAFT__JSON_OBJECT && fits_strict_mode(made, defs);
    if (strict) {
        add_strict_schema(w, made, defs);
    } else if (status == HAFT_NO_MEMORY || report.status == HAFT_NO_MEMORY) {
        haft__buf_fail(w->buf, HAFT_NO_MEMORY, "out of memory");
    }
    haft__downlevel_finish(&d);
    haft__arena_finish(&arena);
    return strict;
}

static void begin_tool(haft__json_writer *w, haft__buf *buf, const haft__tool *tool)
{
    haft__json_writer_init(w, buf);
    haft__json_begin_object(w);
    haft__field_text(w, "type", HAFT__LIT("function"));
    haft__json_key(w, "name");
    haft__conversation_add_name(w, tool->name);
    haft__field_text(w, "description", tool->description);
    haft__json_key(w, "parameters");
}

void haft__responses_write_tool(haft__buf *buf, const haft__tool *tool)
{
    haft__json_writer w;
    begin_tool(&w, buf, tool);
    bool strict = add_strict(&w, tool->input_schema);
    if (!strict) {
        haft__tool_schema_write(&w, &haft__tool_schema_openai, tool->input_schema);
    }
    haft__field_flag(&w, "strict", strict);
    haft__json_end_object(&w);
}

void haft__responses_write_lenient_tool(haft__buf *buf, const haft__tool *tool)
{
    haft__json_writer w;
    begin_tool(&w, buf, tool);
    haft__tool_schema_write(&w, &haft__tool_schema_openai, tool->input_schema);
    haft__json_end_object(&w);
}
