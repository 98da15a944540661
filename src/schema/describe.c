/* SPDX-License-Identifier: Apache-2.0 */
/*
 * describe.c - values and types in messages, without control characters.
 *
 * Tests: tests/schema/explain_test.c.
 */
#include "schema/describe.h"

#include "base/str.h"
#include "base/utf8.h"
#include "json/number.h"

#define MAX_DEPTH      3U
#define MAX_LIST_ITEMS 20U

static haft_str cut(haft_str text)
{
    if (text.len > HAFT__DESCRIBE_VALUE_BYTES) {
        text.len = haft__utf8_floor(text, HAFT__DESCRIBE_VALUE_BYTES);
    }
    return text;
}

/* C0, DEL and C1: characters that could control a terminal or break a line. */
static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code <= 0x9F);
}

/* Escapes control characters as JSON does; inside quotes, also quotes and backslashes. */
static void add_escaped(haft__buf *buf, haft_str text, bool quoted)
{
    while (text.len > 0) {
        uint32_t code;
        size_t length = haft__utf8_decode(text, &code);
        if (length == 0 || is_control(code)) {
            haft__buf_addf(buf, "\\u%04x", length == 0 ? 0xFFFDU : (unsigned)code);
        } else {
            haft__describe_add(buf, quoted && (code == '"' || code == '\\') ? "\\" : "");
            haft__buf_add(buf, text.ptr, length);
        }
        text = haft__str_skip(text, length > 0 ? length : 1);
    }
}

void haft__describe_text(haft__buf *buf, haft_str text)
{
    haft_str shown = cut(text);
    add_escaped(buf, shown, false);
    haft__describe_add(buf, shown.len < text.len ? "..." : "");
}

static void add_quoted(haft__buf *buf, haft_str text)
{
    haft__describe_add(buf, "\"");
    add_escaped(buf, text, true);
    haft__describe_add(buf, "\"");
}

static void add_scalar(haft__buf *buf, const haft__json *value)
{
    haft_str text = haft__json_text(*value);
    haft_str shown = cut(text);
    switch ((haft__json_kind)value->kind) {
    case HAFT__JSON_NULL: haft__describe_add(buf, "null"); break;
    case HAFT__JSON_FALSE: haft__describe_add(buf, "false"); break;
    case HAFT__JSON_TRUE: haft__describe_add(buf, "true"); break;
    case HAFT__JSON_NUMBER: haft__buf_add_str(buf, shown); break;
    case HAFT__JSON_STRING: add_quoted(buf, shown); break;
    case HAFT__JSON_ARRAY:
    case HAFT__JSON_OBJECT: break;
    }
    haft__describe_add(buf, shown.len < text.len ? "..." : "");
}

/* Stops when the buffer has `end` bytes, so that only the visible part of a container is walked. */
static void add_value(haft__buf *buf, const haft__json *value, size_t end, unsigned depth)
{
    if (value->kind < HAFT__JSON_ARRAY) {
        add_scalar(buf, value);
        return;
    }
    bool array = value->kind == HAFT__JSON_ARRAY;
    haft__describe_add(buf, array ? "[" : "{");
    for (uint32_t i = 0; i < value->count; i++) {
        haft__describe_add(buf, i > 0 ? "," : "");
        if (buf->len >= end || depth >= MAX_DEPTH || buf->status != HAFT_OK) {
            haft__describe_add(buf, "...");
            break;
        }
        if (array) {
            add_value(buf, &value->items[i], end, depth + 1);
        } else {
            add_scalar(buf, &value->members[i].key);
            haft__describe_add(buf, ":");
            add_value(buf, &value->members[i].value, end, depth + 1);
        }
    }
    haft__describe_add(buf, array ? "]" : "}");
}

void haft__describe_value(haft__buf *buf, const haft__json *value)
{
    add_value(buf, value, buf->len + HAFT__DESCRIBE_VALUE_BYTES, 0);
}

void haft__describe_typed_value(haft__buf *buf, const haft__json *value)
{
    switch ((haft__json_kind)value->kind) {
    case HAFT__JSON_NULL: haft__describe_add(buf, "null"); return;
    case HAFT__JSON_FALSE:
    case HAFT__JSON_TRUE: haft__describe_add(buf, "boolean "); break;
    case HAFT__JSON_NUMBER:
        haft__describe_add(buf, haft__number_is_integer(haft__json_text(*value)) ? "integer "
                                                                                 : "number ");
        break;
    case HAFT__JSON_STRING: haft__describe_add(buf, "string "); break;
    case HAFT__JSON_ARRAY: haft__describe_add(buf, "array "); break;
    case HAFT__JSON_OBJECT: haft__describe_add(buf, "object "); break;
    }
    haft__describe_value(buf, value);
}

void haft__describe_types(haft__buf *buf, uint8_t types)
{
    static const struct {
        uint8_t types;
        const char *name;
    } names[] = {
        {HAFT__TYPE(HAFT__JSON_STRING), "string"}, {HAFT__TYPE(HAFT__JSON_NUMBER), "number"},
        {HAFT__TYPE_INTEGER, "integer"},           {HAFT__TYPE_BOOLEAN, "boolean"},
        {HAFT__TYPE(HAFT__JSON_ARRAY), "array"},   {HAFT__TYPE(HAFT__JSON_OBJECT), "object"},
        {HAFT__TYPE(HAFT__JSON_NULL), "null"},
    };
    const char *chosen[COUNT(names)];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(names); i++) {
        if ((types & names[i].types) != 0) {
            chosen[count++] = names[i].name;
        }
    }
    for (size_t i = 0; i < count; i++) {
        haft__describe_add(buf, i == 0 ? "" : i + 1 == count ? " or " : ", ");
        haft__describe_add(buf, chosen[i]);
    }
}

void haft__describe_count(haft__buf *buf, uint64_t count, const char *noun)
{
    haft__buf_addf(buf, "%llu %s%s", (unsigned long long)count, noun, count == 1 ? "" : "s");
}

void haft__describe_list(haft__buf *buf, const haft__json *items, uint32_t count)
{
    uint32_t shown = count > MAX_LIST_ITEMS ? MAX_LIST_ITEMS : count;
    for (uint32_t i = 0; i < shown; i++) {
        haft__describe_add(buf, i > 0 ? ", " : "");
        haft__describe_value(buf, &items[i]);
    }
    if (shown < count) {
        haft__buf_addf(buf, " ... (%u in all)", count);
    }
}
