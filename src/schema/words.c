/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.c - values and types as they appear in messages.
 *
 * Tests: tests/schema/explain_test.c.
 */
#include "schema/words.h"

#include "base/utf8.h"
#include "json/number.h"
#include "json/write.h"

#define DEEPEST      3U
#define LONGEST_LIST 20U

static haft_str cut(haft_str text)
{
    if (text.len > HAFT__WORDS_CUT) {
        text.len = haft__utf8_floor(text, HAFT__WORDS_CUT);
    }
    return text;
}

void haft__words_text(haft__buf *buf, haft_str text)
{
    haft_str shown = cut(text);
    haft__buf_add_str(buf, shown);
    haft__words_add(buf, shown.len < text.len ? "..." : "");
}

static void add_scalar(haft__buf *buf, const haft__json *value)
{
    haft_str text = haft__json_text(*value);
    haft_str shown = cut(text);
    switch ((haft__json_kind)value->kind) {
    case HAFT__JSON_NULL: haft__words_add(buf, "null"); break;
    case HAFT__JSON_FALSE: haft__words_add(buf, "false"); break;
    case HAFT__JSON_TRUE: haft__words_add(buf, "true"); break;
    case HAFT__JSON_NUMBER: haft__buf_add_str(buf, shown); break;
    case HAFT__JSON_STRING: haft__json_write_string(buf, shown); break;
    case HAFT__JSON_ARRAY:
    case HAFT__JSON_OBJECT: break;
    }
    haft__words_add(buf, shown.len < text.len ? "..." : "");
}

/* Stops once `end` bytes are there: containers are walked no further than they are shown. */
static void add_value(haft__buf *buf, const haft__json *value, size_t end, unsigned depth)
{
    if (value->kind < HAFT__JSON_ARRAY) {
        add_scalar(buf, value);
        return;
    }
    bool array = value->kind == HAFT__JSON_ARRAY;
    haft__words_add(buf, array ? "[" : "{");
    for (uint32_t i = 0; i < value->count; i++) {
        haft__words_add(buf, i > 0 ? "," : "");
        if (buf->len >= end || depth >= DEEPEST || buf->status != HAFT_OK) {
            haft__words_add(buf, "...");
            break;
        }
        if (array) {
            add_value(buf, &value->items[i], end, depth + 1);
        } else {
            add_scalar(buf, &value->members[i].key);
            haft__words_add(buf, ":");
            add_value(buf, &value->members[i].value, end, depth + 1);
        }
    }
    haft__words_add(buf, array ? "]" : "}");
}

void haft__words_value(haft__buf *buf, const haft__json *value)
{
    add_value(buf, value, buf->len + HAFT__WORDS_CUT, 0);
}

void haft__words_found(haft__buf *buf, const haft__json *value)
{
    switch ((haft__json_kind)value->kind) {
    case HAFT__JSON_NULL: haft__words_add(buf, "null"); return;
    case HAFT__JSON_FALSE:
    case HAFT__JSON_TRUE: haft__words_add(buf, "boolean "); break;
    case HAFT__JSON_NUMBER:
        haft__words_add(buf,
                        haft__number_is_integer(haft__json_text(*value)) ? "integer " : "number ");
        break;
    case HAFT__JSON_STRING: haft__words_add(buf, "string "); break;
    case HAFT__JSON_ARRAY: haft__words_add(buf, "array "); break;
    case HAFT__JSON_OBJECT: haft__words_add(buf, "object "); break;
    }
    haft__words_value(buf, value);
}

void haft__words_types(haft__buf *buf, uint8_t types)
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
        haft__words_add(buf, i == 0 ? "" : i + 1 == count ? " or " : ", ");
        haft__words_add(buf, chosen[i]);
    }
}

void haft__words_count(haft__buf *buf, uint64_t count, const char *thing)
{
    haft__buf_addf(buf, "%llu %s%s", (unsigned long long)count, thing, count == 1 ? "" : "s");
}

void haft__words_list(haft__buf *buf, const haft__json *items, uint32_t count)
{
    uint32_t shown = count > LONGEST_LIST ? LONGEST_LIST : count;
    for (uint32_t i = 0; i < shown; i++) {
        haft__words_add(buf, i > 0 ? ", " : "");
        haft__words_value(buf, &items[i]);
    }
    if (shown < count) {
        haft__buf_addf(buf, " ... (%u in all)", count);
    }
}
