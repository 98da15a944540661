/* SPDX-License-Identifier: Apache-2.0 */
/*
 * args.c - arguments for a tool that is known by its schema only.
 *
 * What a value may be comes from the schema (const, enum, default, examples, bounds), what it is
 * about from the name of its property: the words of the task for a query, a value that an earlier
 * result has under the same key, and so on. What comes out is checked against the schema; if it is
 * not valid, other ways are tried. Which text goes where is in values.c.
 * Tests: tests/model/rules/args_test.c.
 */
#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "model/rules/values.h"
#include "json/number.h"
#include "json/pointer.h"

/* How much of what is not required is given. */
typedef enum extent {
    EXTENT_USEFUL,
    EXTENT_REQUIRED,
    EXTENT_ALL,
} extent;

#define MOST_ITEMS 16

typedef struct making {
    haft__offline *o;
    const haft__tool *tool;
    unsigned variant;
    unsigned first; /* the variant of the whole; that of an item of a list is higher */
    extent extent;
    size_t style; /* of texts that must have a certain form */
    bool styled;  /* there were some */
} making;

static haft__json make(making *m, haft__json schema, haft_str name, unsigned depth);
static bool has_evidence(making *m, haft__json schema, haft_str name);

static const haft__json *keyword(haft__json schema, const char *name)
{
    return haft__json_get(schema, haft__str(name));
}

static haft_str keyword_text(haft__json schema, const char *name)
{
    const haft__json *value = keyword(schema, name);
    return value != NULL ? haft__json_text(*value) : (haft_str){NULL, 0};
}

static int64_t keyword_int(haft__json schema, const char *name, int64_t otherwise)
{
    int64_t number = otherwise;
    haft_str text = keyword_text(schema, name);
    return text.len > 0 && haft__number_to_int64(text, &number) ? number : otherwise;
}

static void *room(making *m, size_t count, size_t size)
{
    void *memory = haft__arena_array(m->o->arena, count, size);
    if (memory == NULL) {
        (void)haft__offline_ok(m->o, haft__arena_fail(m->o->arena, m->o->err));
    }
    return memory;
}

/* ---- numbers ---- */

static haft__json to_number(making *m, int64_t number)
{
    haft__json value = haft__json_int(m->o->arena, number);
    if (value.kind == HAFT__JSON_NULL) {
        (void)haft__offline_ok(m->o, haft__arena_fail(m->o->arena, m->o->err));
    }
    return value;
}

typedef struct bounds {
    int64_t lowest, highest;
} bounds;

static bounds bounds_of(haft__json schema)
{
    bounds b = {keyword_int(schema, "minimum", INT32_MIN),
                keyword_int(schema, "maximum", INT32_MAX)};
    int64_t above = keyword_int(schema, "exclusiveMinimum", INT32_MIN);
    int64_t below = keyword_int(schema, "exclusiveMaximum", INT32_MAX);
    b.lowest = above >= b.lowest && above < INT64_MAX ? above + 1 : b.lowest;
    b.highest = below <= b.highest && below > INT64_MIN ? below - 1 : b.highest;
    return b;
}

/* Sums of such numbers fit. */
static bool is_moderate(int64_t number)
{
    return number > INT32_MIN && number < INT32_MAX;
}

/* A whole number between the bounds, as near as can be to what the name wants. */
static haft__json make_number(making *m, haft__json schema, haft_str name)
{
    haft_str least = keyword_text(schema, "minimum");
    if (least.len > 0 && !haft__number_is_integer(least)) {
        return *keyword(schema, "minimum"); /* as it is written: 0.5 */
    }
    bounds b = bounds_of(schema);
    int64_t number = haft__offline_amount(m->o, name), more = (int64_t)m->variant;
    number = number > b.highest ? b.highest : number;
    number = number < b.lowest ? b.lowest : number;
    bool forced = m->o->request->mode != HAFT__MODE_AUTO;
    more -= forced ? 0 : (int64_t)m->first; /* nobody said another number */
    number += is_moderate(number) && number + more <= b.highest ? more : 0;
    int64_t step = keyword_int(schema, "multipleOf", 1);
    if (step > 1 && is_moderate(step) && is_moderate(number)) {
        int64_t past = (number % step + step) % step;
        number += past == 0 ? 0 : step - past;
    }
    return to_number(m, number);
}

/* ---- texts ---- */

/* What texts of a certain form often look like. */
static const char *const styles[] = {
    "",
    "1",
    "a",
    "A",
    "2025-01-01",
    "2025-01-01T00:00:00Z",
    "a@example.org",
    "https://example.org/",
    "00000000-0000-0000-0000-000000000000",
    "127.0.0.1",
    "", /* last, what the pattern itself says */
};

/* A text that the pattern takes; NULL when there is no memory. */
static haft_str sample(making *m, haft_str pattern)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_REPLY_BYTES);
    haft__offline_sample(&text, pattern);
    haft_str kept = HAFT__LIT("");
    if (haft__offline_ok(m->o, haft__buf_check(&text, m->o->err))) {
        kept = haft__arena_copy(m->o->arena, haft__buf_str(&text));
        (void)(kept.ptr != NULL
               || haft__offline_ok(m->o, haft__arena_fail(m->o->arena, m->o->err)));
    }
    haft__buf_finish(&text);
    return kept;
}

static haft__json make_text(making *m, haft__json schema, haft_str name)
{
    bool formed = keyword(schema, "pattern") != NULL || keyword(schema, "format") != NULL;
    m->styled = m->styled || formed;
    haft_str text = haft__str(styles[m->style]), pattern = keyword_text(schema, "pattern");
    bool last = m->style + 1 == COUNT(styles);
    if (last && pattern.len > 0) {
        return haft__json_string(sample(m, pattern));
    }
    if (!formed || m->style == 0 || last) {
        haft_status status = haft__offline_text(m->o, m->tool, name, m->variant, &text);
        if (!haft__offline_ok(m->o, status)) {
            return haft__json_null();
        }
    }
    int64_t least = keyword_int(schema, "minLength", 0);
    int64_t most = keyword_int(schema, "maxLength", HAFT__LIMIT_OFFLINE_RESULT_CHARS);
    if (most >= 0 && haft__utf8_length(text) > (size_t)most) {
        text.len = haft__utf8_offset(text, (size_t)most);
    }
    size_t length = haft__utf8_length(text);
    if (least > 0 && length < (size_t)least && least <= HAFT__LIMIT_OFFLINE_RESULT_CHARS) {
        size_t missing = (size_t)least - length;
        char *longer = room(m, text.len + missing, 1);
        if (longer == NULL) {
            return haft__json_null();
        }
        if (text.len > 0) {
            memcpy(longer, text.ptr, text.len);
        }
        memset(longer + text.len, 'x', missing);
        text = (haft_str){longer, text.len + missing};
    }
    return haft__json_string(text);
}

/* ---- lists and objects ---- */

static haft__json make_list(making *m, haft__json schema, haft_str name, unsigned depth)
{
    const haft__json *items = keyword(schema, "items");
    int64_t count = keyword_int(schema, "minItems", 1);
    int64_t most = keyword_int(schema, "maxItems", MOST_ITEMS);
    count = count < 1 ? 1 : count;
    count = count > most ? most : count;
    count = count < 0 ? 0 : count > MOST_ITEMS ? MOST_ITEMS : count;
    haft__json *list = room(m, (size_t)count, sizeof(*list));
    unsigned variant = m->variant;
    for (int64_t i = 0; list != NULL && i < count; i++) {
        m->variant = variant + (unsigned)i; /* so that they differ */
        list[i] = make(m, items != NULL ? *items : haft__json_bool(true), name, depth + 1);
    }
    m->variant = variant;
    return list != NULL ? haft__json_array(list, (size_t)count) : haft__json_null();
}

static bool is_required(haft__json schema, haft_str name)
{
    const haft__json *required = keyword(schema, "required");
    for (uint32_t i = 0;
         required != NULL && required->kind == HAFT__JSON_ARRAY && i < required->count; i++) {
        if (haft__str_equal(haft__json_text(required->items[i]), name)) {
            return true;
        }
    }
    return false;
}

/* Whether something that is not required is given all the same: what an earlier result knows, and,
 * where nothing is required, what the task can be asked with. */
static bool is_useful(making *m, haft__json schema, haft_str name, haft__json property)
{
    const haft__json *required = keyword(schema, "required");
    bool none = required == NULL || required->kind != HAFT__JSON_ARRAY || required->count == 0;
    haft__json fact;
    return haft__offline_fact_for(m->o, name, property, 0, &fact) || has_evidence(m, property, name)
           || (none && haft__offline_is_about_task(name));
}

static bool is_given(making *m, haft__json schema, haft_str name, haft__json property)
{
    if (is_required(schema, name) || m->extent == EXTENT_ALL) {
        return true;
    }
    return m->extent == EXTENT_USEFUL && is_useful(m, schema, name, property);
}

/* Names that are required but nowhere described. */
static size_t add_undescribed(making *m, haft__json schema, haft__json properties,
                              haft__json_member *members, size_t count)
{
    const haft__json *required = keyword(schema, "required");
    for (uint32_t i = 0;
         required != NULL && required->kind == HAFT__JSON_ARRAY && i < required->count; i++) {
        haft_str name = haft__json_text(required->items[i]);
        if (name.ptr != NULL && haft__json_get(properties, name) == NULL) {
            members[count].key = required->items[i];
            members[count++].value = make_text(m, haft__json_null(), name);
        }
    }
    return count;
}

static haft__json make_object(making *m, haft__json schema, unsigned depth)
{
    const haft__json *given = keyword(schema, "properties"),
                     *required = keyword(schema, "required");
    bool described = given != NULL && given->kind == HAFT__JSON_OBJECT;
    haft__json properties = described ? *given : haft__json_object(NULL, 0);
    size_t most = properties.count
                  + (required != NULL && required->kind == HAFT__JSON_ARRAY ? required->count : 0U);
    haft__json_member *members = room(m, most, sizeof(*members));
    size_t count = 0;
    for (uint32_t i = 0; members != NULL && i < properties.count; i++) {
        haft_str name = haft__json_text(properties.members[i].key);
        if (is_given(m, schema, name, properties.members[i].value)) {
            members[count].key = properties.members[i].key;
            members[count++].value = make(m, properties.members[i].value, name, depth + 1);
        }
    }
    if (members == NULL) {
        return haft__json_null();
    }
    count = add_undescribed(m, schema, properties, members, count);
    return haft__json_object(members, count);
}

/* ---- any value ---- */

/* The schema that a $ref within the same document leads to. */
static haft__json follow(making *m, haft__json schema)
{
    for (unsigned hops = 0; hops < HAFT__LIMIT_TOOL_OBJECT_DEPTH; hops++) {
        haft_str target = keyword_text(schema, "$ref");
        if (!haft__str_starts_with(target, HAFT__LIT("#"))) {
            break;
        }
        const haft__json *found =
            haft__pointer_get(&m->tool->input_schema, haft__str_skip(target, 1));
        if (found == NULL) {
            break;
        }
        schema = *found;
    }
    return schema;
}

/* Of several types the first that is not null; what the keywords speak of when there is none. */
static haft_str type_of(haft__json schema)
{
    static const struct {
        const char *keyword, *type;
    } hints[] = {
        {"properties", "object"}, {"required", "object"}, {"items", "array"},
        {"minItems", "array"},    {"minimum", "number"},  {"maximum", "number"},
    };
    const haft__json *type = keyword(schema, "type");
    if (type != NULL && type->kind == HAFT__JSON_STRING) {
        return haft__json_text(*type);
    }
    for (uint32_t i = 0; type != NULL && type->kind == HAFT__JSON_ARRAY && i < type->count; i++) {
        if (!haft__str_equal(haft__json_text(type->items[i]), HAFT__LIT("null"))) {
            return haft__json_text(type->items[i]);
        }
    }
    for (size_t i = 0; i < COUNT(hints); i++) {
        if (keyword(schema, hints[i].keyword) != NULL) {
            return haft__str(hints[i].type);
        }
    }
    return HAFT__LIT("");
}

/* One of several schemas, where it is they that say what the value is. */
static const haft__json *branch_of(const making *m, haft__json schema)
{
    static const char *const names[] = {"anyOf", "oneOf", "allOf"};
    for (size_t i = 0; type_of(schema).len == 0 && i < COUNT(names); i++) {
        const haft__json *branches = keyword(schema, names[i]);
        if (branches != NULL && branches->kind == HAFT__JSON_ARRAY && branches->count > 0) {
            return &branches->items[m->style % branches->count];
        }
    }
    return NULL;
}

/* What the schema itself names as a value. */
static const haft__json *named_value(const making *m, haft__json schema)
{
    static const char *const lists[] = {"enum", "examples"};
    const haft__json *value = keyword(schema, "const");
    if (value == NULL && m->variant == 0) {
        value = keyword(schema, "default");
    }
    for (size_t i = 0; value == NULL && i < COUNT(lists); i++) {
        const haft__json *list = keyword(schema, lists[i]);
        if (list != NULL && list->kind == HAFT__JSON_ARRAY && list->count > 0) {
            value = &list->items[m->variant % list->count];
        }
    }
    return value;
}

/* The value of an enum that the task has a word for; NULL when there is none. */
static const haft__json *meant_value(const making *m, haft__json schema)
{
    const haft__json *list = keyword(schema, "enum");
    for (uint32_t i = 0;
         m->variant == 0 && list != NULL && list->kind == HAFT__JSON_ARRAY && i < list->count;
         i++) {
        haft_str text = haft__json_text(list->items[i]);
        if (list->items[i].kind == HAFT__JSON_STRING && haft__offline_names_value(m->o, text)) {
            return &list->items[i];
        }
    }
    return NULL;
}

/* A text of the task, where a text is wanted that it fits. */
static bool hinted(making *m, haft__json schema, haft_str name, haft__json *ret_value)
{
    haft_str text;
    bool wants_text = keyword(schema, "enum") == NULL && keyword(schema, "const") == NULL
                      && haft__str_equal(type_of(schema), HAFT__LIT("string"));
    if (!wants_text || m->style > 0 || name.len == 0) {
        return false;
    }
    bool found = haft__offline_hint_for(m->o, name, schema, m->variant, &text);
    if (!found && m->o->request->mode == HAFT__MODE_AUTO) {
        /* There is no other: the same again is not called, and nothing is made up. */
        found = haft__offline_hint_for(m->o, name, schema, m->variant - m->first, &text);
    }
    if (!found || haft__str_equal(text, m->tool->name)) {
        return false;
    }
    int64_t least = keyword_int(schema, "minLength", 0);
    int64_t most = keyword_int(schema, "maxLength", HAFT__LIMIT_OFFLINE_RESULT_CHARS);
    int64_t length = (int64_t)haft__utf8_length(text);
    m->styled =
        m->styled || keyword(schema, "pattern") != NULL || keyword(schema, "format") != NULL;
    *ret_value = haft__json_string(text);
    return length >= least && length <= most;
}

/* Whether the task says what an argument is that is not required. */
static bool has_evidence(making *m, haft__json schema, haft_str name)
{
    haft__json value;
    int64_t number;
    haft_str type = type_of(schema);
    bool counts = haft__str_equal(type, HAFT__LIT("integer"));
    return meant_value(m, schema) != NULL || hinted(m, schema, name, &value)
           || (counts && haft__offline_number_for(m->o, name, &number));
}

static haft__json make(making *m, haft__json schema, haft_str name, unsigned depth)
{
    haft__json fact;
    schema = follow(m, schema);
    if (depth > HAFT__LIMIT_TOOL_OBJECT_DEPTH || m->o->status != HAFT_OK) {
        return haft__json_null();
    }
    bool listed = keyword(schema, "const") != NULL || keyword(schema, "enum") != NULL;
    if (!listed && m->style == 0 && haft__offline_fact_for(m->o, name, schema, m->variant, &fact)) {
        m->styled = true; /* it may not be what is wanted */
        return fact;
    }
    if (meant_value(m, schema) != NULL) {
        return *meant_value(m, schema);
    }
    if (hinted(m, schema, name, &fact)) {
        return fact;
    }
    const haft__json *value = named_value(m, schema), *branch = branch_of(m, schema);
    if (value != NULL) {
        return *value;
    }
    if (branch != NULL) {
        m->styled = true; /* another branch may be the right one */
        return make(m, *branch, name, depth + 1);
    }
    haft_str type = type_of(schema);
    if (haft__str_equal(type, HAFT__LIT("object"))) {
        return make_object(m, schema, depth);
    }
    if (haft__str_equal(type, HAFT__LIT("array"))) {
        return make_list(m, schema, name, depth);
    }
    if (haft__str_equal(type, HAFT__LIT("integer")) || haft__str_equal(type, HAFT__LIT("number"))) {
        return make_number(m, schema, name);
    }
    if (haft__str_equal(type, HAFT__LIT("boolean"))) {
        return haft__json_bool(m->variant % 2 != 0);
    }
    return haft__str_equal(type, HAFT__LIT("null")) ? haft__json_null()
                                                    : make_text(m, schema, name);
}

/* order_id, userId, id: what nobody can guess. */
static bool is_identity(haft_str name)
{
    return haft__str_ends_with(name, HAFT__LIT("_id")) || haft__str_ends_with(name, HAFT__LIT("Id"))
           || haft__str_equal(name, HAFT__LIT("id"))
           || haft__str_ends_with(name, HAFT__LIT("_key"));
}

bool haft__offline_would_guess(haft__offline *o, const haft__tool *tool)
{
    making m = {.o = o, .tool = tool};
    const haft__json *properties = keyword(tool->input_schema, "properties");
    bool described = properties != NULL && properties->kind == HAFT__JSON_OBJECT;
    for (uint32_t i = 0; described && i < properties->count; i++) {
        haft_str name = haft__json_text(properties->members[i].key);
        haft__json schema = follow(&m, properties->members[i].value), fact;
        if (is_identity(name) && is_required(tool->input_schema, name)
            && keyword(schema, "enum") == NULL && keyword(schema, "const") == NULL
            && o->words.number_count == 0 && !has_evidence(&m, schema, name)
            && !haft__offline_fact_for(o, name, schema, 0, &fact)) {
            return true;
        }
    }
    return false;
}

/* Whether nothing says what a required argument is: neither the task, nor a result, nor the schema.
 */
static bool is_unknown(making *m, haft__json schema, haft_str name, unsigned depth)
{
    haft__json fact;
    schema = follow(m, schema);
    const haft__json *list = keyword(schema, "enum"), *items = keyword(schema, "items");
    if (keyword(schema, "const") != NULL || keyword(schema, "default") != NULL
        || has_evidence(m, schema, name) || haft__offline_fact_for(m->o, name, schema, 0, &fact)) {
        return false;
    }
    if (list != NULL) {
        return list->count > 1;
    }
    haft_str type = type_of(schema);
    if (haft__str_equal(type, HAFT__LIT("array"))) {
        return items != NULL && depth < HAFT__LIMIT_TOOL_OBJECT_DEPTH
               && is_unknown(m, *items, name, depth + 1);
    }
    if (haft__str_equal(type, HAFT__LIT("integer")) || haft__str_equal(type, HAFT__LIT("number"))) {
        return m->o->words.number_count == 0 && !haft__offline_can_fill(m->o, m->tool, name);
    }
    return haft__str_equal(type, HAFT__LIT("string"))
           && !haft__offline_can_fill(m->o, m->tool, name);
}

haft_str haft__offline_lacking(haft__offline *o, const haft__tool *tool)
{
    making m = {.o = o, .tool = tool};
    const haft__json *properties = keyword(tool->input_schema, "properties");
    bool described = properties != NULL && properties->kind == HAFT__JSON_OBJECT;
    for (uint32_t i = 0; described && i < properties->count; i++) {
        haft_str name = haft__json_text(properties->members[i].key);
        if (is_required(tool->input_schema, name)
            && is_unknown(&m, properties->members[i].value, name, 0)) {
            return name;
        }
    }
    return HAFT__LIT("");
}

/* ---- checking ---- */

haft_status haft__offline_valid(haft__offline *o, const haft__tool *tool, haft__json arguments,
                                bool *ret_valid)
{
    haft__schema_report report = {.valid = true};
    haft_status status = HAFT_OK;
    if (tool->schema != NULL) {
        status = haft__schema_check(tool->schema, o->checker, arguments, o->arena, &report, o->err);
    }
    *ret_valid = report.valid;
    return status;
}

haft_status haft__offline_arguments(haft__offline *o, const haft__tool *tool, unsigned variant,
                                    haft__json *ret_arguments, bool *ret_valid)
{
    making m = {.o = o, .tool = tool, .variant = variant, .first = variant};
    haft__json first = haft__json_object(NULL, 0);
    for (size_t i = 0; i < COUNT(styles) * (EXTENT_ALL + 1); i++) {
        m.extent = (extent)(i % (EXTENT_ALL + 1));
        m.style = i / (EXTENT_ALL + 1);
        if (m.style > 0 && !m.styled) {
            break;
        }
        haft__json made = make(&m, tool->input_schema, HAFT__LIT(""), 0);
        made = made.kind == HAFT__JSON_OBJECT ? made : haft__json_object(NULL, 0);
        haft_status status = o->status;
        if (status == HAFT_OK) {
            status = haft__offline_valid(o, tool, made, ret_valid);
        }
        if (status != HAFT_OK) {
            return status;
        }
        first = i == 0 ? made : first;
        if (*ret_valid) {
            *ret_arguments = made;
            return HAFT_OK;
        }
    }
    *ret_arguments = first;
    return HAFT_OK;
}
