/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arguments.c - makes arguments for a tool that is known by its schema only.
 *
 * The schema limits each value (const, enum, default, bounds, lengths); task_values.c says which
 * text of the task fits. Each result is checked against the schema, and if it is invalid another
 * one is tried. Tests: tests/model/rules/arguments_test.c.
 */
#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "model/rules/offline_int.h"
#include "json/number.h"
#include "json/pointer.h"

#define MAX_ITEMS 16

/* Texts to try if a call is forced and the task has none that the schema accepts. */
static const char *const samples[] = {
    "1",
    "a",
    "A",
    "2025-01-01",
    "2025-01-01T00:00:00Z",
    "a@example.org",
    "https://example.org/",
    "00000000-0000-0000-0000-000000000000",
};
/* Values of the task to try before the samples. */
#define TASK_TRIALS 6U

typedef struct maker {
    haft__offline *o;
    const haft__tool *tool;
    /* A higher number selects the next possible value: */
    unsigned attempt; /* for each call, so that it differs from earlier calls of the tool */
    unsigned trial;   /* until the schema accepts the value */
    unsigned item;    /* for each item of an array */
} maker;

static haft__json make(maker *m, haft__json schema, haft_str name, unsigned depth);

static const haft__json *keyword(haft__json schema, const char *name)
{
    return haft__json_get(schema, haft__str(name));
}

static const haft__json *list_keyword(haft__json schema, const char *name)
{
    const haft__json *list = keyword(schema, name);
    return list != NULL && list->kind == HAFT__JSON_ARRAY && list->count > 0 ? list : NULL;
}

static haft_str keyword_text(haft__json schema, const char *name)
{
    const haft__json *value = keyword(schema, name);
    return value != NULL ? haft__json_text(*value) : (haft_str){NULL, 0};
}

static int64_t keyword_int(haft__json schema, const char *name, int64_t fallback)
{
    int64_t number = fallback;
    haft_str text = keyword_text(schema, name);
    return text.len > 0 && haft__number_to_int64(text, &number) ? number : fallback;
}

static void *allocate(maker *m, size_t count, size_t size)
{
    void *memory = haft__arena_array(m->o->arena, count, size);
    if (memory == NULL) {
        (void)haft__offline_ok(m->o, haft__arena_fail(m->o->arena, m->o->err));
    }
    return memory;
}

/* Follows $ref within the schema of the tool. */
static haft__json resolve(const haft__tool *tool, haft__json schema)
{
    for (unsigned hops = 0; hops < HAFT__LIMIT_TOOL_OBJECT_DEPTH; hops++) {
        haft_str target = keyword_text(schema, "$ref");
        bool local = haft__str_starts_with(target, HAFT__LIT("#"));
        const haft__json *found =
            local ? haft__pointer_get(&tool->input_schema, haft__str_skip(target, 1)) : NULL;
        if (found == NULL) {
            break;
        }
        schema = *found;
    }
    return schema;
}

/* The first type that is not null. If the schema names no type, the type is derived from its other
 * keywords; "" if these do not determine it. */
static haft_str type_of(haft__json schema)
{
    const haft__json *type = keyword(schema, "type"), *types = list_keyword(schema, "type");
    for (uint32_t i = 0; types != NULL && i < types->count; i++) {
        if (!haft__str_equal(haft__json_text(types->items[i]), HAFT__LIT("null"))) {
            return haft__json_text(types->items[i]);
        }
    }
    if (type != NULL && type->kind == HAFT__JSON_STRING) {
        return haft__json_text(*type);
    }
    return keyword(schema, "properties") != NULL ? HAFT__LIT("object")
           : keyword(schema, "items") != NULL    ? HAFT__LIT("array")
           : keyword(schema, "minimum") != NULL  ? HAFT__LIT("number")
                                                 : HAFT__LIT("");
}

/* ---- single values ---- */

static haft__json make_text(maker *m, haft__json schema, haft_str name)
{
    unsigned nth = m->attempt + m->trial + m->item;
    haft_str text = haft__offline_task_value(m->o, m->tool, name, schema, nth);
    if (text.len == 0 && m->trial >= TASK_TRIALS) {
        text = haft__str(samples[m->trial - TASK_TRIALS]);
    } else if (text.len == 0) {
        text = m->o->words.task;
    }
    int64_t min = keyword_int(schema, "minLength", 0);
    int64_t max = keyword_int(schema, "maxLength", HAFT__LIMIT_OFFLINE_RESULT_CHARS);
    if (max >= 0 && haft__utf8_length(text) > (size_t)max) {
        text.len = haft__utf8_offset(text, (size_t)max);
    }
    size_t length = haft__utf8_length(text);
    if (min > (int64_t)length && min <= HAFT__LIMIT_OFFLINE_RESULT_CHARS) {
        size_t missing = (size_t)min - length;
        char *longer = allocate(m, text.len + missing, 1);
        if (longer != NULL) {
            memset(longer, 'x', text.len + missing);
            memcpy(longer, text.len > 0 ? text.ptr : "", text.len);
            text = (haft_str){longer, text.len + missing};
        }
    }
    return haft__json_string(text);
}

/* The first number of the task, or one that is usual for the argument; false if there is none. */
static bool find_number(const maker *m, haft__json schema, haft_str name, int64_t *ret_number)
{
    haft_str text = haft__offline_task_value(m->o, m->tool, name, schema, 0);
    return haft__offline_task_number(m->o->words.task, ret_number)
           || (text.len > 0 && haft__number_to_int64(text, ret_number));
}

/* A known number, or 1; within the bounds. */
static haft__json make_number(maker *m, haft__json schema, haft_str name)
{
    haft_str minimum = keyword_text(schema, "minimum");
    if (minimum.len > 0 && !haft__number_is_integer(minimum)) {
        return *keyword(schema, "minimum");
    }
    int64_t lowest = keyword_int(schema, "minimum", INT32_MIN);
    int64_t highest = keyword_int(schema, "maximum", INT32_MAX);
    int64_t above = keyword_int(schema, "exclusiveMinimum", INT32_MIN);
    int64_t below = keyword_int(schema, "exclusiveMaximum", INT32_MAX), number = 1;
    lowest = above >= lowest && above < INT64_MAX ? above + 1 : lowest;
    highest = below <= highest && below > INT64_MIN ? below - 1 : highest;
    bool stated = find_number(m, schema, name, &number);
    number += stated && m->o->request->mode == HAFT__MODE_AUTO ? 0 : (int64_t)m->attempt;
    number += m->item;
    number = number > highest ? highest : number;
    return haft__offline_number(m->o, number < lowest ? lowest : number);
}

/* The value of an enum that the task names; NULL if there is none. */
static const haft__json *stated_choice(const maker *m, haft__json schema)
{
    const haft__json *list = list_keyword(schema, "enum");
    for (uint32_t i = 0; m->attempt == 0 && list != NULL && i < list->count; i++) {
        char room[64];
        haft_str text = haft__json_text(list->items[i]);
        if (list->items[i].kind == HAFT__JSON_STRING && text.len > 1 && text.len <= sizeof(room)) {
            haft__offline_word word = {.text = haft__offline_stem(text, room)};
            if (haft__offline_word_in(&word, m->o->words.task)) {
                return &list->items[i];
            }
        }
    }
    return NULL;
}

/* Whether the task states a value for the argument. */
static bool is_stated(const maker *m, haft__json schema, haft_str name)
{
    int64_t number;
    haft_str type = type_of(schema);
    if (list_keyword(schema, "enum") != NULL) {
        return stated_choice(m, schema) != NULL;
    }
    if (haft__offline_in_list(type, "integer number")) {
        return find_number(m, schema, name, &number);
    }
    return haft__str_equal(type, HAFT__LIT("string"))
           && haft__offline_task_value(m->o, m->tool, name, schema, 0).len > 0;
}

/* The value from the schema: `const`, the value of the enum that the task names, `default` if the
 * task states no value, any value of the enum; NULL if there is none. */
static const haft__json *named_value(const maker *m, haft__json schema, haft_str name)
{
    const haft__json *list = list_keyword(schema, "enum"), *value = keyword(schema, "const");
    if (value == NULL) {
        value = stated_choice(m, schema);
    }
    if (value == NULL && m->attempt == 0 && !is_stated(m, schema, name)) {
        value = keyword(schema, "default");
    }
    return value == NULL && list != NULL ? &list->items[m->attempt % list->count] : value;
}

/* ---- arrays and objects ---- */

static haft__json make_array(maker *m, haft__json schema, haft_str name, unsigned depth)
{
    const haft__json *items = keyword(schema, "items");
    int64_t count = keyword_int(schema, "minItems", 1);
    count = count < 1 ? 1 : count > MAX_ITEMS ? MAX_ITEMS : count;
    haft__json *list = allocate(m, (size_t)count, sizeof(*list));
    for (int64_t i = 0; list != NULL && i < count; i++) {
        m->item = (unsigned)i;
        list[i] = make(m, items != NULL ? *items : haft__json_bool(true), name, depth + 1);
    }
    m->item = 0;
    return list != NULL ? haft__json_array(list, (size_t)count) : haft__json_null();
}

static bool is_required(haft__json schema, haft_str name)
{
    const haft__json *required = list_keyword(schema, "required");
    for (uint32_t i = 0; required != NULL && i < required->count; i++) {
        if (haft__str_equal(haft__json_text(required->items[i]), name)) {
            return true;
        }
    }
    return false;
}

/* The properties of an object; an empty object if there are none. */
static haft__json properties_of(haft__json schema)
{
    const haft__json *properties = keyword(schema, "properties");
    bool any = properties != NULL && properties->kind == HAFT__JSON_OBJECT;
    return any ? *properties : haft__json_object(NULL, 0);
}

/* The object has all required members, and those optional texts and choices (no numbers) that the
 * task states. */
static haft__json make_object(maker *m, haft__json schema, unsigned depth)
{
    haft__json properties = properties_of(schema);
    haft__json_member *members = allocate(m, properties.count, sizeof(*members));
    size_t count = 0;
    for (uint32_t i = 0; members != NULL && i < properties.count; i++) {
        haft__json_member property = properties.members[i];
        haft_str name = haft__json_text(property.key);
        bool number = haft__offline_in_list(type_of(property.value), "integer number");
        if (is_required(schema, name) || (!number && is_stated(m, property.value, name))) {
            members[count].key = property.key;
            members[count++].value = make(m, property.value, name, depth + 1);
        }
    }
    return members != NULL ? haft__json_object(members, count) : haft__json_null();
}

/* ---- any value ---- */

/* One of the alternatives of a schema without a type of its own. */
static const haft__json *branch_of(const maker *m, haft__json schema)
{
    const haft__json *branches = list_keyword(schema, "anyOf");
    branches = branches != NULL ? branches : list_keyword(schema, "oneOf");
    bool any = branches != NULL && type_of(schema).len == 0;
    return any ? &branches->items[m->trial % branches->count] : NULL;
}

static haft__json make(maker *m, haft__json schema, haft_str name, unsigned depth)
{
    schema = resolve(m->tool, schema);
    if (depth > HAFT__LIMIT_TOOL_OBJECT_DEPTH || m->o->status != HAFT_OK) {
        return haft__json_null();
    }
    const haft__json *value = named_value(m, schema, name), *branch = branch_of(m, schema);
    haft_str type = type_of(schema);
    if (value != NULL) {
        return *value;
    }
    if (branch != NULL) {
        return make(m, *branch, name, depth + 1);
    }
    if (haft__str_equal(type, HAFT__LIT("object"))) {
        return make_object(m, schema, depth);
    }
    if (haft__str_equal(type, HAFT__LIT("array"))) {
        return make_array(m, schema, name, depth);
    }
    if (haft__offline_in_list(type, "integer number")) {
        return make_number(m, schema, name);
    }
    if (haft__str_equal(type, HAFT__LIT("boolean"))) {
        return haft__json_bool(m->attempt % 2 != 0);
    }
    return haft__str_equal(type, HAFT__LIT("null")) ? haft__json_null()
                                                    : make_text(m, schema, name);
}

/* ---- the arguments of a tool ---- */

haft_str haft__offline_unknown_argument(haft__offline *o, const haft__tool *tool)
{
    maker m = {.o = o, .tool = tool};
    haft__json properties = properties_of(tool->input_schema);
    for (uint32_t i = 0; i < properties.count; i++) {
        haft_str name = haft__json_text(properties.members[i].key);
        haft__json schema = resolve(tool, properties.members[i].value);
        const haft__json *choices = list_keyword(schema, "enum");
        bool guessed = choices != NULL
                           ? choices->count > 1
                           : haft__offline_in_list(type_of(schema), "string integer number");
        if (is_required(tool->input_schema, name) && keyword(schema, "const") == NULL
            && keyword(schema, "default") == NULL && guessed && !is_stated(&m, schema, name)) {
            return name;
        }
    }
    return HAFT__LIT("");
}

haft_status haft__offline_check_arguments(haft__offline *o, const haft__tool *tool,
                                          haft__json arguments, bool *ret_valid)
{
    haft__schema_report report = {.valid = true};
    haft_status status = HAFT_OK;
    if (tool->schema != NULL) {
        status = haft__schema_check(tool->schema, o->checker, arguments, o->arena, &report, o->err);
    }
    *ret_valid = report.valid;
    return status;
}

haft_status haft__offline_arguments(haft__offline *o, const haft__tool *tool, unsigned attempt,
                                    haft__json *ret_arguments, bool *ret_valid)
{
    maker m = {.o = o, .tool = tool, .attempt = attempt};
    /* Nothing is made up unless a call is forced. */
    bool forced = o->request->mode != HAFT__MODE_AUTO;
    unsigned trials = TASK_TRIALS + (forced ? (unsigned)COUNT(samples) : 0);
    haft_status status = HAFT_OK;
    *ret_valid = false;
    for (; m.trial < trials && status == HAFT_OK && !*ret_valid; m.trial++) {
        haft__json made = make(&m, tool->input_schema, HAFT__LIT(""), 0);
        *ret_arguments = made.kind == HAFT__JSON_OBJECT ? made : haft__json_object(NULL, 0);
        status = o->status == HAFT_OK
                     ? haft__offline_check_arguments(o, tool, *ret_arguments, ret_valid)
                     : o->status;
    }
    return status;
}
