/* SPDX-License-Identifier: Apache-2.0 */
/*
 * definition_schema.c - makes hidden characters in a schema visible.
 *
 * Models and people read the whole schema. Descriptive texts (titles, descriptions, comments,
 * examples, unknown keywords) are made visible at every depth. Compared texts (property names,
 * values of enum, const and default, references, patterns) must not change, so a schema with a
 * hidden character in one of them is rejected. Tests: tests/mcp/definition_schema_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "mcp/definition_parts.h"
#include "mcp/visible.h"

#define SHOWN_BYTES 80 /* maximum bytes of a name or value in an error */

typedef enum mode {
    SCHEMA, /* keywords and their values */
    NAMES,  /* schemas by names: "properties" */
    TEXT,   /* strings are descriptive */
    DATA,   /* strings are compared */
} mode;

typedef struct visible_writer {
    haft__arena *arena;
    const char *where; /* "/inputSchema" */
    haft_error *err;
} visible_writer;

static bool is_clean(haft_str text)
{
    while (text.len > 0) {
        uint32_t code = 0;
        size_t length = haft__utf8_decode(text, &code);
        bool line_end = text.len > 1 && text.ptr[0] == '\r' && text.ptr[1] == '\n';
        if (length == 0 || (!line_end && haft__visible_is_hidden(code))) {
            return false;
        }
        text = haft__str_skip(text, length);
    }
    return true;
}

/* Recursion is bounded by the depth of the message (HAFT__LIMIT_MCP_DEPTH). */
static bool is_all_clean(haft__json value)
{
    bool clean = value.kind != HAFT__JSON_STRING || is_clean(haft__json_text(value));
    for (uint32_t i = 0; clean && value.kind == HAFT__JSON_ARRAY && i < value.count; i++) {
        clean = is_all_clean(value.items[i]);
    }
    for (uint32_t i = 0; clean && value.kind == HAFT__JSON_OBJECT && i < value.count; i++) {
        clean = is_all_clean(value.members[i].key) && is_all_clean(value.members[i].value);
    }
    return clean;
}

static haft_status hidden(visible_writer *s, const char *what, haft_str text)
{
    haft_str shown = text;
    haft_status status = haft__visible_copy(s->arena, text, SHOWN_BYTES, &shown, s->err);
    return status == HAFT_OK
               ? haft__fail(s->err, HAFT_BAD_INPUT, s->where,
                            "the %s '%.*s' contains an invisible character", what, HAFT__ARG(shown))
               : status;
}

/* The mode of an object's member. */
static mode mode_below(mode outer, haft_str key)
{
    static const char *const names[] = {"properties", "patternProperties", "$defs", "definitions",
                                        "dependentSchemas"};
    static const char *const data[] = {
        "enum",
        "const",
        "default",
        "required",
        "pattern",
        "format",
        "type",
        "dependentRequired",
        "$ref",
        "$id",
        "$anchor",
        "$dynamicRef",
        "$dynamicAnchor",
        "$schema",
        "$vocabulary",
        "dependencies",
        "x-mcp-header",
        "contentMediaType",
        "contentEncoding",
    };
    static const char *const texts[] = {"examples", "title", "description", "$comment"};
    if (outer != SCHEMA) {
        return outer == NAMES ? SCHEMA : outer;
    }
    return haft__str_is_one_of(key, names, COUNT(names))   ? NAMES
           : haft__str_is_one_of(key, data, COUNT(data))   ? DATA
           : haft__str_is_one_of(key, texts, COUNT(texts)) ? TEXT
                                                           : SCHEMA;
}

static haft_status show(visible_writer *s, haft__json value, mode mode_of_value,
                        haft__json *ret_value);

static haft_status show_string(visible_writer *s, haft__json value, mode mode_of_value,
                               haft__json *ret_value)
{
    haft_str text = haft__json_text(value);
    if (mode_of_value == DATA && !is_clean(text)) {
        return hidden(s, "value", text);
    }
    haft_status status =
        haft__visible_copy(s->arena, text, HAFT__LIMIT_MCP_MESSAGE_BYTES, &text, s->err);
    *ret_value = haft__json_string(text);
    return status;
}

static haft_status show_array(visible_writer *s, haft__json value, mode mode_of_value,
                              haft__json *ret_value)
{
    haft__json *items = haft__arena_array(s->arena, value.count, sizeof(*items));
    if (items == NULL) {
        return haft__arena_fail(s->arena, s->err);
    }
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; status == HAFT_OK && i < value.count; i++) {
        status = show(s, value.items[i], mode_of_value, &items[i]);
    }
    *ret_value = haft__json_array(items, value.count);
    return status;
}

static haft_status show_object(visible_writer *s, haft__json value, mode mode_of_value,
                               haft__json *ret_value)
{
    haft__json_member *members = haft__arena_array(s->arena, value.count, sizeof(*members));
    if (members == NULL) {
        return haft__arena_fail(s->arena, s->err);
    }
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; status == HAFT_OK && i < value.count; i++) {
        haft_str key = haft__json_text(value.members[i].key);
        if (!is_clean(key)) {
            return hidden(s, "name", key);
        }
        members[i].key = value.members[i].key;
        status = show(s, value.members[i].value, mode_below(mode_of_value, key), &members[i].value);
    }
    *ret_value = haft__json_object(members, value.count);
    return status;
}

static haft_status show(visible_writer *s, haft__json value, mode mode_of_value,
                        haft__json *ret_value)
{
    switch ((haft__json_kind)value.kind) {
    case HAFT__JSON_STRING: return show_string(s, value, mode_of_value, ret_value);
    case HAFT__JSON_ARRAY: return show_array(s, value, mode_of_value, ret_value);
    case HAFT__JSON_OBJECT: return show_object(s, value, mode_of_value, ret_value);
    case HAFT__JSON_NULL:
    case HAFT__JSON_FALSE:
    case HAFT__JSON_TRUE:
    case HAFT__JSON_NUMBER: break;
    }
    *ret_value = value;
    return HAFT_OK;
}

haft_status haft__mcp_schema_make_visible(haft__arena *arena, haft__json schema, const char *where,
                                          haft__json *ret_schema, haft_error *err)
{
    visible_writer s = {.arena = arena, .where = where, .err = err};
    haft__json shown = schema;
    haft_status status = is_all_clean(schema) ? HAFT_OK : show(&s, schema, SCHEMA, &shown);
    if (status == HAFT_OK) {
        *ret_schema = shown;
    }
    return status;
}
