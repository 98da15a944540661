/* SPDX-License-Identifier: Apache-2.0 */
/* call.c - a call of one tool in a grammar, as its format writes it. Tests:
 * tests/format/grammar/call_test.c. */
#include "base/ascii.h"
#include "base/limits.h"
#include "format/grammar/grammar_int.h"
#include "format/parser.h"
#include "json/pointer.h"
#include "json/read.h"

/* ---- texts ---- */

/* Whether the byte is HAFT__SYNTAX_WS or HAFT__SYNTAX_NUMBER. */
static bool is_placeholder(char c)
{
    return c == HAFT__SYNTAX_WS[0] || c == HAFT__SYNTAX_NUMBER[0];
}

void haft__call_grammar_add_text(haft__call_grammar *grammar, haft__buf *body, const char *text)
{
    haft_str rest = text != NULL ? haft__str(text) : (haft_str){"", 0};
    while (rest.len > 0) {
        size_t length = 0;
        while (length < rest.len && !is_placeholder(rest.ptr[length])) {
            length++;
        }
        haft__gbnf_add_literal(body, (haft_str){rest.ptr, length});
        if (length < rest.len && rest.ptr[length] == HAFT__SYNTAX_WS[0]) {
            haft__gbnf_add_name(body, haft__gbnf_space(grammar->g));
        } else if (length < rest.len) {
            haft__buf_add_str(body, HAFT__LIT("[0-9]{1,4} "));
        }
        rest = haft__str_skip(rest, length + 1);
    }
}

static void add_key(haft__call_grammar *grammar, haft__buf *body, const char *key)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_GRAMMAR_BYTES);
    haft__buf_addf(&text, "\"%s\":", key);
    haft__gbnf_add_literal(body, haft__buf_str(&text));
    haft__gbnf_add_name(body, haft__gbnf_space(grammar->g));
    haft__gbnf_release_body(grammar->g, &text);
}

/* ---- arguments ---- */

static bool is_type(haft__json type, const char *name)
{
    if (type.kind == HAFT__JSON_STRING) {
        return haft__str_equal(haft__json_text(type), haft__str(name));
    }
    for (uint32_t i = 0; type.kind == HAFT__JSON_ARRAY && i < type.count; i++) {
        if (type.items[i].kind == HAFT__JSON_STRING && is_type(type.items[i], name)) {
            return true;
        }
    }
    return false;
}

/* The schema of the arguments, which are always an object; `true` for any object. */
static haft__json read_schema(haft__gbnf_writer *g, const haft__format_tool *tool)
{
    haft__json schema = haft__gbnf_flatten_schema(g, tool->parameters);
    const haft__json *type = haft__json_get(schema, HAFT__LIT("type"));
    if (schema.kind == HAFT__JSON_OBJECT && (type == NULL || is_type(*type, "object"))) {
        return schema;
    }
    if (schema.kind != HAFT__JSON_NULL && schema.kind != HAFT__JSON_TRUE) {
        haft__relax_report_add(g->report, haft__buf_str(&g->path),
                               HAFT__LIT("a schema that is not for an object"), "any object");
    }
    return haft__json_bool(true);
}

static haft__json as_object(haft__gbnf_writer *g, haft__json schema)
{
    static const haft__json_member object = {
        {.kind = HAFT__JSON_STRING, .count = 4, .text = "type"},
        {.kind = HAFT__JSON_STRING, .count = 6, .text = "object"}};
    return haft__gbnf_merge_schemas(g, haft__json_object(&object, 1), schema);
}

static haft__gbnf_rule_name json_arguments(haft__call_grammar *grammar,
                                           const haft__format_tool *tool, bool relaxed)
{
    haft__json schema = relaxed ? haft__json_bool(true) : read_schema(grammar->g, tool);
    return schema.kind == HAFT__JSON_TRUE
               ? haft__gbnf_object(grammar->g)
               : haft__gbnf_schema_value(grammar->g, as_object(grammar->g, schema));
}

/* ---- named members: Python keywords, tags ---- */

/* Whether a key can be written without quotes. */
static bool is_writable(const haft__call_grammar *grammar, haft_str key)
{
    bool python = grammar->syntax->kind == HAFT__CALL_SYNTAX_PYTHON;
    for (size_t i = 0; i < key.len; i++) {
        unsigned char c = (unsigned char)key.ptr[i];
        bool word = c >= 0x80 || c == '_' || haft__ascii_is_letter(c)
                    || (haft__ascii_is_digit(c) && (i > 0 || !python));
        if (python ? !word : c <= ' ' || c == '<' || c == '>' || c == '"') {
            return false;
        }
    }
    return key.len > 0;
}

/* Removes the keys that the format cannot write from `keyword` (properties or required), and
 * reports each. */
static haft__json remove_unwritable_keys(haft__call_grammar *grammar, haft__json schema,
                                         const char *keyword)
{
    const haft__json *list = haft__json_get(schema, haft__str(keyword));
    bool object = list != NULL && list->kind == HAFT__JSON_OBJECT;
    for (uint32_t i = 0; list != NULL && list->kind >= HAFT__JSON_ARRAY && i < list->count; i++) {
        haft__json key = object ? list->members[i].key : list->items[i];
        if (key.kind == HAFT__JSON_STRING && !is_writable(grammar, haft__json_text(key))) {
            size_t before = haft__gbnf_enter(grammar->g, keyword, haft__json_text(key));
            haft__relax_report_add(grammar->g->report, haft__buf_str(&grammar->g->path),
                                   HAFT__LIT("a name that the format cannot write"),
                                   "nothing: the member is left out");
            haft__gbnf_leave(grammar->g, before);
            schema = haft__gbnf_without_keyword(grammar->g, schema, keyword, i);
            return remove_unwritable_keys(grammar, schema, keyword);
        }
    }
    return schema;
}

static void add_members(haft__call_grammar *grammar, haft__buf *body, haft__json schema,
                        const haft__gbnf_members *members)
{
    static const char *const ignored[] = {"anyOf", "oneOf", "not", "if"};
    for (size_t i = 0; i < COUNT(ignored); i++) {
        haft__gbnf_relax(grammar->g, schema, ignored[i], "nothing");
    }
    haft__json clean = remove_unwritable_keys(grammar, schema, "properties");
    clean = remove_unwritable_keys(grammar, clean, "required");
    haft__buf inner;
    haft__gbnf_body_init(&inner);
    bool required = haft__gbnf_add_members(grammar->g, &inner, clean, members);
    if (inner.len > 0) {
        haft__buf_add_str(body, required ? HAFT__LIT("") : HAFT__LIT("( "));
        haft__buf_add_str(body, haft__buf_str(&inner));
        haft__buf_add_str(body, required ? HAFT__LIT("") : HAFT__LIT(")? "));
    }
    haft__gbnf_release_body(grammar->g, &inner);
}

/* The alternatives at the top of a schema, or NULL. */
static const haft__json *find_alternatives(haft__json schema, const char **ret_key)
{
    static const char *const keys[] = {"anyOf", "oneOf"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        const haft__json *list = haft__json_get(schema, haft__str(keys[i]));
        if (list != NULL && list->kind == HAFT__JSON_ARRAY && list->count > 0) {
            *ret_key = keys[i];
            return list;
        }
    }
    return NULL;
}

static void add_alternatives_or_members(haft__call_grammar *grammar, haft__buf *body,
                                        haft__json schema, const haft__gbnf_members *members)
{
    const char *key = NULL;
    const haft__json *list = find_alternatives(schema, &key);
    if (list == NULL) {
        add_members(grammar, body, schema, members);
        return;
    }
    haft__buf_add_str(body, HAFT__LIT("( "));
    for (uint32_t i = 0; i < list->count && i < HAFT__LIMIT_GRAMMAR_ENUM; i++) {
        haft__json base = haft__gbnf_without_keyword(grammar->g, schema, key, UINT32_MAX);
        haft__json both = haft__gbnf_flatten_schema(
            grammar->g, haft__gbnf_merge_schemas(grammar->g, base, list->items[i]));
        haft__buf one;
        haft__gbnf_body_init(&one);
        add_members(grammar, &one, both, members);
        haft__buf_add_str(body, i > 0 ? HAFT__LIT("| ") : HAFT__LIT(""));
        haft__gbnf_add_name(body, haft__gbnf_add_rule(grammar->g, &one));
    }
    haft__buf_add_str(body, HAFT__LIT(") "));
    if (haft__str_equal(haft__str(key), HAFT__LIT("oneOf"))) {
        haft__gbnf_relax(grammar->g, schema, key, "anyOf: more than one may hold");
    } else if (list->count > HAFT__LIMIT_GRAMMAR_ENUM) {
        haft__gbnf_relax(grammar->g, schema, key, "its first alternatives");
    }
}

/* ---- Python ---- */

static void add_keyword(haft__gbnf_writer *g, const haft__gbnf_members *members, haft__buf *body,
                        haft_str key, haft__json schema)
{
    (void)members;
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_GRAMMAR_BYTES);
    haft__buf_add_str(&text, key);
    haft__buf_add_char(&text, '=');
    haft__gbnf_add_literal(body, haft__buf_str(&text));
    haft__gbnf_release_body(g, &text);
    haft__gbnf_add_name(body, haft__gbnf_schema_value(g, schema));
}

static void add_any_keywords(haft__call_grammar *grammar, haft__buf *body)
{
    haft__buf one;
    haft__gbnf_body_init(&one);
    haft__buf_add_str(&one, HAFT__LIT("[a-zA-Z_] [a-zA-Z0-9_]{0,63} \"=\" "));
    haft__gbnf_add_name(&one, haft__gbnf_schema_value(grammar->g, haft__json_bool(true)));
    haft__gbnf_rule_name keyword = haft__gbnf_add_rule(grammar->g, &one);
    haft__buf_addf(body, "( %s ( \",\" ws %s )* )? ", keyword.text, keyword.text);
}

static void add_python(haft__call_grammar *grammar, haft__buf *body, const haft__format_tool *tool,
                       bool relaxed)
{
    const haft__gbnf_members members = {.separator = "\",\" ws ", .add = add_keyword};
    haft__json schema = relaxed ? haft__json_bool(true) : read_schema(grammar->g, tool);
    (void)haft__gbnf_space(grammar->g);
    haft__gbnf_add_literal(body, tool->name);
    haft__gbnf_add_literal(body, HAFT__LIT("("));
    if (schema.kind == HAFT__JSON_TRUE) {
        add_any_keywords(grammar, body);
    } else {
        add_alternatives_or_members(grammar, body, schema, &members);
    }
    haft__gbnf_add_literal(body, HAFT__LIT(")"));
}

/* ---- tags ---- */

typedef struct tag_context {
    haft__call_grammar *grammar;
    const haft__format_tool *tool;
} tag_context;

static haft__gbnf_rule_name any_text(haft__call_grammar *grammar)
{
    if (grammar->text.text[0] == '\0') {
        haft_str stops[HAFT__CALL_SYNTAX_STOPS];
        size_t count = 0;
        while (count < HAFT__CALL_SYNTAX_STOPS && grammar->syntax->stops[count] != NULL) {
            stops[count] = haft__str(grammar->syntax->stops[count]);
            count++;
        }
        grammar->text = haft__gbnf_text_without(grammar->g, stops, count);
    }
    return grammar->text;
}

static bool has_stop(const haft__call_grammar *grammar, haft_str text)
{
    for (size_t i = 0; i < HAFT__CALL_SYNTAX_STOPS && grammar->syntax->stops[i] != NULL; i++) {
        haft_str stop = haft__str(grammar->syntax->stops[i]);
        for (size_t at = 0; at + stop.len <= text.len; at++) {
            if (memcmp(text.ptr + at, stop.ptr, stop.len) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Adds the strings of a const or an enum. If the format allows one newline around a value, the
 * grammar does too. Returns false if a string cannot be written, or if no value is a string: the
 * caller then discards `body`. */
static bool add_enum_values(haft__call_grammar *grammar, haft__buf *body, const haft__json *values,
                            size_t count)
{
    const char *optional_newline = grammar->one_newline ? "\"\\n\"? " : "";
    haft__buf_addf(body, "%s( ", optional_newline);
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        haft_str text = haft__json_text(values[i]);
        bool newline_at_edge =
            text.len > 0 && (text.ptr[0] == '\n' || text.ptr[text.len - 1] == '\n');
        if (values[i].kind == HAFT__JSON_STRING && (has_stop(grammar, text) || newline_at_edge)) {
            return false;
        }
        if (values[i].kind == HAFT__JSON_STRING) {
            haft__buf_add_str(body, used++ > 0 ? HAFT__LIT("| ") : HAFT__LIT(""));
            haft__buf_add_str(body, text.len > 0 ? HAFT__LIT("") : HAFT__LIT("\"\" "));
            haft__gbnf_add_literal(body, text);
        }
    }
    haft__buf_addf(body, ") %s", optional_newline);
    return used > 0;
}

/* Adds a string without quotes, limited by const, enum or pattern. Returns false if the schema has
 * none of them, or if it cannot be expressed: the caller then discards `body`. */
static bool add_constrained(haft__call_grammar *grammar, haft__buf *body, haft__json schema)
{
    const haft__json *values = haft__json_get(schema, HAFT__LIT("const"));
    size_t count = 1;
    if (values == NULL) {
        values = haft__json_get(schema, HAFT__LIT("enum"));
        count = values != NULL && values->kind == HAFT__JSON_ARRAY ? values->count : 0;
        values = count > 0 ? values->items : NULL;
    }
    if (values != NULL && count <= HAFT__LIMIT_GRAMMAR_ENUM) {
        return add_enum_values(grammar, body, values, count);
    }
    const haft__json *pattern = haft__json_get(schema, HAFT__LIT("pattern"));
    const char *optional_newline = grammar->one_newline ? "\"\\n\"? " : "";
    haft__buf_addf(body, "%s", optional_newline);
    bool good =
        values == NULL && pattern != NULL && pattern->kind == HAFT__JSON_STRING
        && haft__gbnf_add_pattern(grammar->g, body, haft__json_text(*pattern), '\0', "<\n\r");
    haft__buf_addf(body, "%s", optional_newline);
    return good;
}

static void relax_text(haft__gbnf_writer *g, haft__json schema, bool constrained)
{
    static const char *const keys[] = {"minLength", "maxLength", "format", "anyOf", "oneOf", "not"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        haft__gbnf_relax(g, schema, keys[i], "any text");
    }
    if (!constrained) {
        haft__gbnf_relax(g, schema, "pattern", "any text");
        haft__gbnf_relax(g, schema, "enum", "any text");
        haft__gbnf_relax(g, schema, "const", "any text");
    }
}

static void add_text(haft__call_grammar *grammar, haft__buf *body, haft__json schema,
                     bool only_string)
{
    haft__json flat = haft__gbnf_flatten_schema(grammar->g, schema);
    haft__buf inner;
    haft__gbnf_body_init(&inner);
    bool constrained = only_string && add_constrained(grammar, &inner, flat);
    relax_text(grammar->g, flat, constrained);
    if (constrained) {
        haft__buf_add_str(body, haft__buf_str(&inner));
    } else {
        haft__gbnf_add_name(body, any_text(grammar));
    }
    haft__gbnf_release_body(grammar->g, &inner);
}

/* How a value is written: a string without quotes (TEXT), any other value as JSON. */
typedef enum value_syntax { VALUE_JSON, VALUE_TEXT, VALUE_EITHER } value_syntax;

enum {
    MAY_BE_STRING = 1,
    MAY_BE_OTHER = 2,
    MAY_BE_BOTH = MAY_BE_STRING | MAY_BE_OTHER,
};

/* Maximum depth of nested alternatives. */
#define MAX_ALTERNATIVES_DEPTH 8

static unsigned kinds_of_values(const haft__json *values, size_t count)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < count; i++) {
        kinds |= values[i].kind == HAFT__JSON_STRING ? MAY_BE_STRING : MAY_BE_OTHER;
    }
    return kinds;
}

static unsigned kinds_of_type(haft__json type)
{
    unsigned kinds = is_type(type, "string") ? MAY_BE_STRING : 0U;
    for (uint32_t i = 0; type.kind == HAFT__JSON_ARRAY && i < type.count; i++) {
        kinds |= is_type(type.items[i], "string") ? 0U : MAY_BE_OTHER;
    }
    return kinds != 0 ? kinds : MAY_BE_OTHER;
}

static unsigned kinds_of(haft__gbnf_writer *g, haft__json schema, unsigned depth)
{
    haft__json flat = haft__gbnf_flatten_schema(g, schema);
    const char *key = NULL;
    const haft__json *type = haft__json_get(flat, HAFT__LIT("type"));
    const haft__json *values = haft__json_get(flat, HAFT__LIT("const"));
    const haft__json *list = find_alternatives(flat, &key);
    unsigned kinds = type != NULL ? kinds_of_type(*type) : MAY_BE_BOTH;
    if (values != NULL) {
        return kinds & kinds_of_values(values, 1);
    }
    values = haft__json_get(flat, HAFT__LIT("enum"));
    if (values != NULL && values->kind == HAFT__JSON_ARRAY && values->count > 0) {
        return kinds & kinds_of_values(values->items, values->count);
    }
    unsigned any = list == NULL ? kinds : 0;
    for (uint32_t i = 0; list != NULL && any != MAY_BE_BOTH && i < list->count; i++) {
        bool more = depth < MAX_ALTERNATIVES_DEPTH && ++g->steps <= HAFT__LIMIT_GRAMMAR_STEPS;
        any |= more ? kinds_of(g, list->items[i], depth + 1) : MAY_BE_BOTH;
    }
    return kinds & any;
}

static value_syntax choose_value_syntax(const tag_context *t, haft_str key, haft__json schema)
{
    unsigned kinds = kinds_of(t->grammar->g, schema, 0);
    if ((kinds & MAY_BE_STRING) == 0) {
        return VALUE_JSON;
    }
    bool text =
        kinds == MAY_BE_STRING && (t->grammar->syntax->marked || haft__value_is_text(t->tool, key));
    return text ? VALUE_TEXT : VALUE_EITHER;
}

static void add_json(haft__call_grammar *grammar, haft__buf *body, haft__json schema)
{
    haft__gbnf_rule_name value = haft__gbnf_schema_value(grammar->g, schema);
    haft__gbnf_add_name(body, haft__gbnf_space(grammar->g));
    haft__gbnf_add_name(body, value);
    haft__gbnf_add_name(body, haft__gbnf_space(grammar->g));
}

/* Whether the text, without quotes, would be read as JSON (such as 12 or true). Such a string needs
 * quotes. */
static bool reads_as_json(haft__gbnf_writer *g, haft_str text)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json value;
    haft_status status = haft__json_read(&arena, haft__str_trim(text), NULL, &value, NULL, NULL);
    haft__arena_finish(&arena);
    if (status == HAFT_NO_MEMORY && g->status == HAFT_OK) {
        g->status = status;
    }
    return status == HAFT_OK;
}

/* Adds the strings among `values` that can be written without quotes, each after a "|". */
static void add_unquoted_values(haft__call_grammar *grammar, haft__buf *body,
                                const haft__json *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        haft_str text = haft__json_text(values[i]);
        bool newline_at_edge =
            text.len > 0 && (text.ptr[0] == '\n' || text.ptr[text.len - 1] == '\n');
        if (values[i].kind == HAFT__JSON_STRING && text.len > 0 && !newline_at_edge
            && !has_stop(grammar, text) && !reads_as_json(grammar->g, text)) {
            haft__buf_addf(body, "| %s", grammar->one_newline ? "\"\\n\"? " : "");
            haft__gbnf_add_literal(body, text);
            haft__buf_addf(body, "%s", grammar->one_newline ? "\"\\n\"? " : "");
        }
    }
}

/* Adds a value that may be text or JSON, in a format that does not mark which. Any text is allowed,
 * unless const or enum lists the values. */
static void add_either(haft__call_grammar *grammar, haft__buf *body, haft__json schema)
{
    haft__json flat = haft__gbnf_flatten_schema(grammar->g, schema);
    const haft__json *constant = haft__json_get(flat, HAFT__LIT("const"));
    const haft__json *list = haft__json_get(flat, HAFT__LIT("enum"));
    bool has_enum = constant == NULL && list != NULL && list->kind == HAFT__JSON_ARRAY
                    && list->count > 0 && list->count <= HAFT__LIMIT_GRAMMAR_ENUM;
    if (constant == NULL && !has_enum) {
        add_text(grammar, body, schema, false);
        return;
    }
    haft__buf_add_str(body, HAFT__LIT("( "));
    add_json(grammar, body, schema);
    add_unquoted_values(grammar, body, has_enum ? list->items : constant,
                        has_enum ? list->count : 1);
    haft__buf_add_str(body, HAFT__LIT(") "));
}

static void add_tag(haft__gbnf_writer *g, const haft__gbnf_members *members, haft__buf *body,
                    haft_str key, haft__json schema)
{
    const tag_context *t = members->context;
    const haft__call_syntax *syntax = t->grammar->syntax;
    value_syntax how = choose_value_syntax(t, key, schema);
    bool marked = how == VALUE_EITHER && syntax->marked;
    (void)g;
    haft__call_grammar_add_text(t->grammar, body, syntax->key);
    haft__gbnf_add_literal(body, key);
    haft__buf_add_str(body, marked ? HAFT__LIT("( ") : HAFT__LIT(""));
    if (how != VALUE_JSON) {
        haft__call_grammar_add_text(t->grammar, body, syntax->text);
    }
    if (how == VALUE_TEXT || marked) {
        add_text(t->grammar, body, schema, how == VALUE_TEXT);
    } else if (how == VALUE_EITHER) {
        add_either(t->grammar, body, schema);
    }
    haft__buf_add_str(body, marked ? HAFT__LIT("| ") : HAFT__LIT(""));
    if (how == VALUE_JSON || marked) {
        haft__call_grammar_add_text(t->grammar, body, syntax->json);
        add_json(t->grammar, body, schema);
    }
    haft__buf_add_str(body, marked ? HAFT__LIT(") ") : HAFT__LIT(""));
    haft__call_grammar_add_text(t->grammar, body, syntax->after_value);
}

static void add_any_tags(haft__call_grammar *grammar, haft__buf *body)
{
    haft__buf_add_str(body, HAFT__LIT("( "));
    haft__call_grammar_add_text(grammar, body, grammar->syntax->key);
    haft__buf_add_str(body, HAFT__LIT("[a-zA-Z0-9_.\\x2D]{1,64} "));
    haft__call_grammar_add_text(grammar, body, grammar->syntax->text);
    haft__gbnf_add_name(body, any_text(grammar));
    haft__call_grammar_add_text(grammar, body, grammar->syntax->after_value);
    haft__buf_add_str(body, HAFT__LIT(")* "));
}

static void add_tags(haft__call_grammar *grammar, haft__buf *body, const haft__format_tool *tool,
                     bool relaxed)
{
    const tag_context t = {grammar, tool};
    const haft__gbnf_members members = {.separator = "", .add = add_tag, .context = &t};
    haft__json schema = relaxed ? haft__json_bool(true) : read_schema(grammar->g, tool);
    haft__gbnf_add_literal(body, tool->name);
    haft__call_grammar_add_text(grammar, body, grammar->syntax->after_name);
    if (schema.kind == HAFT__JSON_TRUE) {
        add_any_tags(grammar, body);
    } else {
        add_alternatives_or_members(grammar, body, schema, &members);
    }
}

/* ---- a call ---- */

static void add_object(haft__call_grammar *grammar, haft__buf *body, const haft__format_tool *tool,
                       bool relaxed)
{
    const haft__call_syntax *syntax = grammar->syntax;
    haft__gbnf_rule_name args = json_arguments(grammar, tool, relaxed);
    haft__buf name;
    haft__buf_init(&name, HAFT__LIMIT_GRAMMAR_BYTES);
    haft__buf_addf(&name, "\"%.*s\",", HAFT__ARG(tool->name));
    haft__buf_add_str(body, HAFT__LIT("\"{\" ws "));
    if (syntax->id_key != NULL) {
        haft__buf_add_str(body, HAFT__LIT("( "));
        add_key(grammar, body, syntax->id_key);
        haft__buf_add_str(body, HAFT__LIT("\"\\\"\" [0-9]{1,4} \"\\\",\" ws )? "));
    }
    add_key(grammar, body, syntax->name_key);
    haft__gbnf_add_literal(body, haft__buf_str(&name));
    haft__gbnf_add_name(body, haft__gbnf_space(grammar->g));
    add_key(grammar, body, syntax->args_key);
    haft__gbnf_add_name(body, args);
    if (syntax->last_id_key != NULL) {
        haft__buf_add_str(body, HAFT__LIT("( \",\" ws "));
        add_key(grammar, body, syntax->last_id_key);
        haft__buf_add_str(body, HAFT__LIT("\"\\\"\" [a-zA-Z0-9]{9} \"\\\"\" )? "));
    }
    haft__buf_add_str(body, HAFT__LIT("ws \"}\" "));
    haft__gbnf_release_body(grammar->g, &name);
}

haft__gbnf_rule_name haft__call_grammar_rule(haft__call_grammar *grammar,
                                             const haft__format_tool *tool, bool relaxed)
{
    haft__buf where, body;
    haft__buf_init(&where, HAFT__LIMIT_JSON_KEY_BYTES);
    haft__pointer_add_key(&where, tool->name);
    haft__gbnf_begin(grammar->g, haft__buf_str(&where), tool->parameters);
    haft__gbnf_release_body(grammar->g, &where);
    haft__gbnf_body_init(&body);
    haft__call_grammar_add_text(grammar, &body, grammar->syntax->before);
    switch ((haft__call_syntax_kind)grammar->syntax->kind) {
    case HAFT__CALL_SYNTAX_OBJECT: add_object(grammar, &body, tool, relaxed); break;
    case HAFT__CALL_SYNTAX_NAME_ARGS: {
        haft__gbnf_add_literal(&body, tool->name);
        haft__call_grammar_add_text(grammar, &body, grammar->syntax->after_name);
        haft__gbnf_add_name(&body, json_arguments(grammar, tool, relaxed));
        break;
    }
    case HAFT__CALL_SYNTAX_PYTHON: add_python(grammar, &body, tool, relaxed); break;
    case HAFT__CALL_SYNTAX_TAGS: add_tags(grammar, &body, tool, relaxed); break;
    case HAFT__CALL_SYNTAX_NONE:
    case HAFT__CALL_SYNTAX_CODE: break; /* no calls */
    }
    haft__call_grammar_add_text(grammar, &body, grammar->syntax->after);
    return haft__gbnf_add_rule(grammar->g, &body);
}
