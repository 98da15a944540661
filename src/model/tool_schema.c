/* SPDX-License-Identifier: Apache-2.0 */
/* tool_schema.c - see tool_schema.h. Tests: tests/model/tool_schema_test.c. */
#include "model/tool_schema.h"

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "json/object.h"
#include "json/pointer.h"

/* ---- the rules ---- */

static const char *const no_alternatives[] = {"anyOf", "oneOf", "allOf", NULL};
static const char *const object_only[] = {"anyOf", "oneOf", "allOf", "enum", "not", NULL};

static const char *const gemini_keywords[] = {"$id",
                                              "$defs",
                                              "$ref",
                                              "$anchor",
                                              "type",
                                              "format",
                                              "title",
                                              "description",
                                              "enum",
                                              "items",
                                              "prefixItems",
                                              "minItems",
                                              "maxItems",
                                              "minimum",
                                              "maximum",
                                              "anyOf",
                                              "oneOf",
                                              "properties",
                                              "additionalProperties",
                                              "required",
                                              "propertyOrdering",
                                              NULL};

static const char *const ollama_keywords[] = {
    "type", "$defs", "items", "properties", "required", "description", "enum", "anyOf", NULL};

const haft__tool_schema_rules haft__tool_schema_openai = {.not_at_root = object_only,
                                                          .needs_properties = true};
const haft__tool_schema_rules haft__tool_schema_anthropic = {.not_at_root = no_alternatives};
const haft__tool_schema_rules haft__tool_schema_gemini = {.keywords = gemini_keywords};
const haft__tool_schema_rules haft__tool_schema_ollama = {.keywords = ollama_keywords};

/* ---- writing ---- */

/* Keywords whose value has schemas. */
static const struct {
    const char *key;
    enum { ONE, LIST, MEMBERS } holds;
} nested[] = {
    {"$defs", MEMBERS},
    {"definitions", MEMBERS},
    {"properties", MEMBERS},
    {"patternProperties", MEMBERS},
    {"dependentSchemas", MEMBERS},
    {"anyOf", LIST},
    {"oneOf", LIST},
    {"allOf", LIST},
    {"prefixItems", LIST},
    {"items", ONE},
    {"additionalProperties", ONE},
    {"contains", ONE},
    {"propertyNames", ONE},
    {"not", ONE},
    {"if", ONE},
    {"then", ONE},
    {"else", ONE},
    {"unevaluatedItems", ONE},
    {"unevaluatedProperties", ONE},
};

typedef struct writer {
    haft__json_writer *w;
    const haft__tool_schema_rules *rules;
    haft__relax_report *report; /* may be NULL */
    haft__buf path;             /* a JSON Pointer, if there is a report */
} writer;

static void write_schema(writer *to, haft__json schema, bool root);

static bool has_word(const char *const *list, haft_str word)
{
    for (size_t i = 0; list != NULL && list[i] != NULL; i++) {
        if (haft__str_equal(word, haft__str(list[i]))) {
            return true;
        }
    }
    return false;
}

static size_t enter(writer *to, haft_str token)
{
    size_t before = to->path.len;
    if (to->report != NULL) {
        haft__pointer_add_key(&to->path, token);
    }
    return before;
}

static void leave(writer *to, size_t before)
{
    to->path.len = before < to->path.len ? before : to->path.len;
}

static void write_list(writer *to, haft__json list)
{
    haft__json_begin_array(to->w);
    for (uint32_t i = 0; i < list.count; i++) {
        size_t before = to->path.len;
        if (to->report != NULL) {
            haft__pointer_add_index(&to->path, i);
        }
        write_schema(to, list.items[i], false);
        leave(to, before);
    }
    haft__json_end_array(to->w);
}

static void write_members(writer *to, haft__json members)
{
    haft__json_begin_object(to->w);
    for (uint32_t i = 0; i < members.count; i++) {
        haft_str key = haft__json_text(members.members[i].key);
        size_t before = enter(to, key);
        haft__json_key_str(to->w, key);
        write_schema(to, members.members[i].value, false);
        leave(to, before);
    }
    haft__json_end_object(to->w);
}

/* The value of a keyword. A value of another kind than its keyword wants is written as it is. */
static void write_value(writer *to, haft_str key, haft__json value)
{
    size_t i = 0;
    while (i < COUNT(nested) && !haft__str_equal(key, haft__str(nested[i].key))) {
        i++;
    }
    if (i < COUNT(nested) && nested[i].holds == MEMBERS && value.kind == HAFT__JSON_OBJECT) {
        write_members(to, value);
    } else if (i < COUNT(nested) && nested[i].holds == LIST && value.kind == HAFT__JSON_ARRAY) {
        write_list(to, value);
    } else if (i < COUNT(nested) && nested[i].holds == ONE) {
        write_schema(to, value, false);
    } else {
        haft__json_add(to->w, value);
    }
}

static void report(writer *to, haft_str key, bool root)
{
    if (to->report == NULL) {
        return;
    }
    bool known = to->rules->keywords == NULL || has_word(to->rules->keywords, key);
    haft__relax_report_add(to->report, haft__buf_str(&to->path), key,
                           root && known ? "the server rejects it at the root"
                                         : "the server does not support it");
}

static bool is_allowed(const haft__tool_schema_rules *rules, haft_str key, bool root)
{
    return (rules->keywords == NULL || has_word(rules->keywords, key))
           && !(root && has_word(rules->not_at_root, key));
}

static void write_schema(writer *to, haft__json schema, bool root)
{
    if (schema.kind != HAFT__JSON_OBJECT && !root) {
        haft__json_add(to->w, schema);
        return;
    }
    bool no_object = root /* arguments are always an object */
                     && !haft__str_equal(haft__object_string(schema, "type"), HAFT__LIT("object"));
    haft__json_begin_object(to->w);
    if (no_object) {
        haft__field_text(to->w, "type", HAFT__LIT("object"));
    }
    for (uint32_t i = 0; schema.kind == HAFT__JSON_OBJECT && i < schema.count; i++) {
        haft_str key = haft__json_text(schema.members[i].key);
        if (no_object && haft__str_equal(key, HAFT__LIT("type"))) {
            continue;
        }
        if (!is_allowed(to->rules, key, root)) {
            report(to, key, root);
            continue;
        }
        size_t before = enter(to, key);
        haft__json_key_str(to->w, key);
        write_value(to, key, schema.members[i].value);
        leave(to, before);
    }
    if (root && to->rules->needs_properties && haft__object_find(schema, "properties") == NULL) {
        haft__json_key(to->w, "properties");
        haft__json_begin_object(to->w);
        haft__json_end_object(to->w);
    }
    haft__json_end_object(to->w);
}

void haft__tool_schema_write(haft__json_writer *w, const haft__tool_schema_rules *rules,
                             haft__json schema)
{
    if (rules == NULL) {
        haft__json_add(w, schema);
        return;
    }
    writer to = {.w = w, .rules = rules};
    write_schema(&to, schema, true);
}

haft_status haft__tool_schema_report(const haft__tool_schema_rules *rules, const haft__tool *tool,
                                     haft__relax_report *report_to, haft_error *err)
{
    if (rules == NULL) {
        return HAFT_OK;
    }
    haft__buf text;
    haft__json_writer w;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_writer_init(&w, &text);
    writer to = {.w = &w, .rules = rules, .report = report_to};
    haft__buf_init(&to.path, HAFT__LIMIT_RUN_BYTES);
    (void)enter(&to, tool->name);
    write_schema(&to, tool->input_schema, true);
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        status = haft__buf_check(&to.path, err);
    }
    haft__buf_finish(&to.path);
    haft__buf_finish(&text);
    return status;
}
