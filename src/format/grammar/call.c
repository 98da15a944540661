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

void haft__call_grammar_add_text(haft__call_grammar *f, haft__buf *body, const char *text)
{
    haft_str rest = text != NULL ? haft__str(text) : (haft_str){"", 0};
    while (rest.len > 0) {
        size_t length = 0;
        while (length < rest.len && (unsigned char)rest.ptr[length] > 2) {
            length++;
        }
        haft__gbnf_add_literal(body, (haft_str){rest.ptr, length});
        if (length < rest.len && rest.ptr[length] == HAFT__SYNTAX_WS[0]) {
            haft__gbnf_add_name(body, haft__gbnf_space(f->g));
        } else if (length < rest.len) {
            haft__buf_add_str(body, HAFT__LIT("[0-9]{1,4} "));
        }
        rest = haft__str_skip(rest, length + 1);
    }
}

static void add_key(haft__call_grammar *f, haft__buf *body, const char *key)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_GRAMMAR_BYTES);
    haft__buf_addf(&text, "\"%s\":", key);
    haft__gbnf_add_literal(body, haft__buf_str(&text));
    haft__gbnf_add_name(body, haft__gbnf_space(f->g));
    haft__gbnf_release_body(f->g, &text);
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
                               HAFT__LIT("a schema of no object"), "any object");
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

static haft__gbnf_rule_name json_arguments(haft__call_grammar *f, const haft__format_tool *tool,
                                           bool relaxed)
{
    haft__json schema = relaxed ? haft__json_bool(true) : read_schema(f->g, tool);
    return schema.kind == HAFT__JSON_TRUE ? haft__gbnf_object(f->g)
                                          : haft__gbnf_schema_value(f->g, as_object(f->g, schema));
}

/* ---- named members: Python keywords, tags ---- */

/* Whether a key can be written without quotes. */
static bool is_writable(const haft__call_grammar *f, haft_str key)
{
    bool python = f->frame->kind == HAFT__CALL_SYNTAX_PYTHON;
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

static haft__json without_unwritable(haft__call_grammar *f, haft__json schema, const char *keyword)
{
    const haft__json *list = haft__json_get(schema, haft__str(keyword));
    bool object = list != NULL && list->kind == HAFT__JSON_OBJECT;
    for (uint32_t i = 0; list != NULL && list->kind >= HAFT__JSON_ARRAY && i < list->count; i++) {
        haft__json key = object ? list->members[i].key : list->items[i];
        if (key.kind == HAFT__JSON_STRING && !is_writable(f, haft__json_text(key))) {
            size_t before = haft__gbnf_enter(f->g, keyword, haft__json_text(key));
            haft__relax_report_add(f->g->report, haft__buf_str(&f->g->path),
                                   HAFT__LIT("a name that the format cannot write"), "left out");
            haft__gbnf_leave(f->g, before);
            schema = haft__gbnf_without_keyword(f->g, schema, keyword, i);
            return without_unwritable(f, schema, keyword);
        }
    }
    return schema;
}

static void add_members(haft__call_grammar *f, haft__buf *body, haft__json schema,
                        const haft__gbnf_members *members)
{
    static const char *const ignored[] = {"anyOf", "oneOf", "not", "if"};
    for (size_t i = 0; i < COUNT(ignored); i++) {
        haft__gbnf_relax(f->g, schema, ignored[i], "nothing");
    }
    haft__json clean = without_unwritable(f, schema, "properties");
    clean = without_unwritable(f, clean, "required");
    haft__buf inner;
    haft__gbnf_body_init(&inner);
    bool some = haft__gbnf_add_members(f->g, &inner, clean, members);
    if (inner.len > 0) {
        haft__buf_add_str(body, some ? HAFT__LIT("") : HAFT__LIT("( "));
        haft__buf_add_str(body, haft__buf_str(&inner));
        haft__buf_add_str(body, some ? HAFT__LIT("") : HAFT__LIT(")? "));
    }
    haft__gbnf_release_body(f->g, &inner);
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

static void add_named(haft__call_grammar *f, haft__buf *body, haft__json schema,
                      const haft__gbnf_members *members)
{
    const char *key = NULL;
    const haft__json *list = find_alternatives(schema, &key);
    if (list == NULL) {
        add_members(f, body, schema, members);
        return;
    }
    haft__buf_add_str(body, HAFT__LIT("( "));
    for (uint32_t i = 0; i < list->count && i < HAFT__LIMIT_GRAMMAR_ENUM; i++) {
        haft__json base = haft__gbnf_without_keyword(f->g, schema, key, UINT32_MAX);
        haft__json both =
            haft__gbnf_flatten_schema(f->g, haft__gbnf_merge_schemas(f->g, base, list->items[i]));
        haft__buf one;
        haft__gbnf_body_init(&one);
        add_members(f, &one, both, members);
        haft__buf_add_str(body, i > 0 ? HAFT__LIT("| ") : HAFT__LIT(""));
        haft__gbnf_add_name(body, haft__gbnf_add_rule(f->g, &one));
    }
    haft__buf_add_str(body, HAFT__LIT(") "));
    if (key[0] == 'o') {
        haft__gbnf_relax(f->g, schema, key, "anyOf: more than one may hold");
    } else if (list->count > HAFT__LIMIT_GRAMMAR_ENUM) {
        haft__gbnf_relax(f->g, schema, key, "its first alternatives");
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

static void add_any_keywords(haft__call_grammar *f, haft__buf *body)
{
    haft__buf one;
    haft__gbnf_body_init(&one);
    haft__buf_add_str(&one, HAFT__LIT("[a-zA-Z_] [a-zA-Z0-9_]{0,63} \"=\" "));
    haft__gbnf_add_name(&one, haft__gbnf_schema_value(f->g, haft__json_bool(true)));
    haft__gbnf_rule_name keyword = haft__gbnf_add_rule(f->g, &one);
    haft__buf_addf(body, "( %s ( \",\" ws %s )* )? ", keyword.text, keyword.text);
}

static void add_python(haft__call_grammar *f, haft__buf *body, const haft__format_tool *tool,
                       bool relaxed)
{
    const haft__gbnf_members members = {.separator = "\",\" ws ", .add = add_keyword};
    haft__json schema = relaxed ? haft__json_bool(true) : read_schema(f->g, tool);
    (void)haft__gbnf_space(f->g);
    haft__gbnf_add_literal(body, tool->name);
    haft__gbnf_add_literal(body, HAFT__LIT("("));
    if (schema.kind == HAFT__JSON_TRUE) {
        add_any_keywords(f, body);
    } else {
        add_named(f, body, schema, &members);
    }
    haft__gbnf_add_literal(body, HAFT__LIT(")"));
}

/* ---- tags ---- */

typedef struct tagging {
    haft__call_grammar *f;
    const haft__format_tool *tool;
} tagging;

static haft__gbnf_rule_name any_text(haft__call_grammar *f)
{
    if (f->text.text[0] == '\0') {
        haft_str stops[HAFT__CALL_SYNTAX_STOPS];
        size_t count = 0;
        while (count < HAFT__CALL_SYNTAX_STOPS && f->frame->stops[count] != NULL) {
            stops[count] = haft__str(f->frame->stops[count]);
            count++;
        }
        f->text = haft__gbnf_text_without(f->g, stops, count);
    }
    return f->text;
}

static bool has_stop(const haft__call_grammar *f, haft_str text)
{
    for (size_t i = 0; i < HAFT__CALL_SYNTAX_STOPS && f->frame->stops[i] != NULL; i++) {
        haft_str stop = haft__str(f->frame->stops[i]);
        for (size_t at = 0; at + stop.len <= text.len; at++) {
            if (memcmp(text.ptr + at, stop.ptr, stop.len) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Adds given texts; a newline at either end is layout if the format says so. */
static bool add_given(haft__call_grammar *f, haft__buf *body, const haft__json *values,
                      size_t count)
{
    const char *edge = f->one_newline ? "\"\\n\"? " : "";
    haft__buf_addf(body, "%s( ", edge);
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        haft_str text = haft__json_text(values[i]);
        bool edged = text.len > 0 && (text.ptr[0] == '\n' || text.ptr[text.len - 1] == '\n');
        if (values[i].kind == HAFT__JSON_STRING && (has_stop(f, text) || edged)) {
            return false;
        }
        if (values[i].kind == HAFT__JSON_STRING) {
            haft__buf_add_str(body, used++ > 0 ? HAFT__LIT("| ") : HAFT__LIT(""));
            haft__buf_add_str(body, text.len > 0 ? HAFT__LIT("") : HAFT__LIT("\"\" "));
            haft__gbnf_add_literal(body, text);
        }
    }
    haft__buf_addf(body, ") %s", edge);
    return used > 0;
}

/* A string without quotes. */
static bool add_constrained(haft__call_grammar *f, haft__buf *body, haft__json schema)
{
    const haft__json *given = haft__json_get(schema, HAFT__LIT("const"));
    size_t count = 1;
    if (given == NULL) {
        given = haft__json_get(schema, HAFT__LIT("enum"));
        count = given != NULL && given->kind == HAFT__JSON_ARRAY ? given->count : 0;
        given = count > 0 ? given->items : NULL;
    }
    if (given != NULL && count <= HAFT__LIMIT_GRAMMAR_ENUM) {
        return add_given(f, body, given, count);
    }
    const haft__json *pattern = haft__json_get(schema, HAFT__LIT("pattern"));
    const char *edge = f->one_newline ? "\"\\n\"? " : "";
    haft__buf_addf(body, "%s", edge);
    bool good = given == NULL && pattern != NULL && pattern->kind == HAFT__JSON_STRING
                && haft__gbnf_add_pattern(f->g, body, haft__json_text(*pattern), '\0', "<\n\r");
    haft__buf_addf(body, "%s", edge);
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

static void add_text(haft__call_grammar *f, haft__buf *body, haft__json schema, bool typed)
{
    haft__json flat = haft__gbnf_flatten_schema(f->g, schema);
    haft__buf inner;
    haft__gbnf_body_init(&inner);
    bool constrained = typed && add_constrained(f, &inner, flat);
    relax_text(f->g, flat, constrained);
    if (constrained) {
        haft__buf_add_str(body, haft__buf_str(&inner));
    } else {
        haft__gbnf_add_name(body, any_text(f));
    }
    haft__gbnf_release_body(f->g, &inner);
}

/* How a value is read: strings are written without quotes, anything else as JSON. */
typedef enum reading { READ_JSON, READ_TEXT, READ_EITHER } reading;

enum {
    MAY_BE_STRING = 1,
    MAY_BE_OTHER = 2,
    MAY_BE_BOTH = MAY_BE_STRING | MAY_BE_OTHER,
};

/* Maximum depth of nested alternatives. */
#define ALTERNATIVES 8

static unsigned kinds_given(const haft__json *values, size_t count)
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
    const haft__json *given = haft__json_get(flat, HAFT__LIT("const"));
    const haft__json *list = find_alternatives(flat, &key);
    unsigned kinds = type != NULL ? kinds_of_type(*type) : MAY_BE_BOTH;
    if (given != NULL) {
        return kinds & kinds_given(given, 1);
    }
    given = haft__json_get(flat, HAFT__LIT("enum"));
    if (given != NULL && given->kind == HAFT__JSON_ARRAY && given->count > 0) {
        return kinds & kinds_given(given->items, given->count);
    }
    unsigned any = list == NULL ? kinds : 0;
    for (uint32_t i = 0; list != NULL && any != MAY_BE_BOTH && i < list->count; i++) {
        bool more = depth < ALTERNATIVES && ++g->steps <= HAFT__LIMIT_GRAMMAR_STEPS;
        any |= more ? kinds_of(g, list->items[i], depth + 1) : MAY_BE_BOTH;
    }
    return kinds & any;
}

static reading read_as(const tagging *t, haft_str key, haft__json schema)
{
    unsigned kinds = kinds_of(t->f->g, schema, 0);
    if ((kinds & MAY_BE_STRING) == 0) {
        return READ_JSON;
    }
    bool text =
        kinds == MAY_BE_STRING && (t->f->frame->marked || haft__value_is_text(t->tool, key));
    return text ? READ_TEXT : READ_EITHER;
}

static void add_json(haft__call_grammar *f, haft__buf *body, haft__json schema)
{
    haft__gbnf_rule_name value = haft__gbnf_schema_value(f->g, schema);
    haft__gbnf_add_name(body, haft__gbnf_space(f->g));
    haft__gbnf_add_name(body, value);
    haft__gbnf_add_name(body, haft__gbnf_space(f->g));
}

/* A string that would be read as another type needs quotes. */
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

/* The strings of an enum, without quotes. */
static void add_bare(haft__call_grammar *f, haft__buf *body, const haft__json *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        haft_str text = haft__json_text(values[i]);
        bool edged = text.len > 0 && (text.ptr[0] == '\n' || text.ptr[text.len - 1] == '\n');
        if (values[i].kind == HAFT__JSON_STRING && text.len > 0 && !edged && !has_stop(f, text)
            && !reads_as_json(f->g, text)) {
            haft__buf_addf(body, "| %s", f->one_newline ? "\"\\n\"? " : "");
            haft__gbnf_add_literal(body, text);
            haft__buf_addf(body, "%s", f->one_newline ? "\"\\n\"? " : "");
        }
    }
}

/* Text or JSON, and the type is not marked: any text, unless all values are known. */
static void add_either(haft__call_grammar *f, haft__buf *body, haft__json schema)
{
    haft__json flat = haft__gbnf_flatten_schema(f->g, schema);
    const haft__json *given = haft__json_get(flat, HAFT__LIT("const"));
    const haft__json *list = haft__json_get(flat, HAFT__LIT("enum"));
    bool listed = given == NULL && list != NULL && list->kind == HAFT__JSON_ARRAY && list->count > 0
                  && list->count <= HAFT__LIMIT_GRAMMAR_ENUM;
    if (given == NULL && !listed) {
        add_text(f, body, schema, false);
        return;
    }
    haft__buf_add_str(body, HAFT__LIT("( "));
    add_json(f, body, schema);
    add_bare(f, body, listed ? list->items : given, listed ? list->count : 1);
    haft__buf_add_str(body, HAFT__LIT(") "));
}

static void add_tag(haft__gbnf_writer *g, const haft__gbnf_members *members, haft__buf *body,
                    haft_str key, haft__json schema)
{
    const tagging *t = members->context;
    const haft__call_syntax *frame = t->f->frame;
    reading how = read_as(t, key, schema);
    bool marked = how == READ_EITHER && frame->marked;
    (void)g;
    haft__call_grammar_add_text(t->f, body, frame->key);
    haft__gbnf_add_literal(body, key);
    haft__buf_add_str(body, marked ? HAFT__LIT("( ") : HAFT__LIT(""));
    if (how != READ_JSON) {
        haft__call_grammar_add_text(t->f, body, frame->text);
    }
    if (how == READ_TEXT || marked) {
        add_text(t->f, body, schema, how == READ_TEXT);
    } else if (how == READ_EITHER) {
        add_either(t->f, body, schema);
    }
    haft__buf_add_str(body, marked ? HAFT__LIT("| ") : HAFT__LIT(""));
    if (how == READ_JSON || marked) {
        haft__call_grammar_add_text(t->f, body, frame->json);
        add_json(t->f, body, schema);
    }
    haft__buf_add_str(body, marked ? HAFT__LIT(") ") : HAFT__LIT(""));
    haft__call_grammar_add_text(t->f, body, frame->after_value);
}

static void add_any_tags(haft__call_grammar *f, haft__buf *body)
{
    haft__buf_add_str(body, HAFT__LIT("( "));
    haft__call_grammar_add_text(f, body, f->frame->key);
    haft__buf_add_str(body, HAFT__LIT("[a-zA-Z0-9_.\\x2D]{1,64} "));
    haft__call_grammar_add_text(f, body, f->frame->text);
    haft__gbnf_add_name(body, any_text(f));
    haft__call_grammar_add_text(f, body, f->frame->after_value);
    haft__buf_add_str(body, HAFT__LIT(")* "));
}

static void add_tags(haft__call_grammar *f, haft__buf *body, const haft__format_tool *tool,
                     bool relaxed)
{
    const tagging t = {f, tool};
    const haft__gbnf_members members = {.separator = "", .add = add_tag, .context = &t};
    haft__json schema = relaxed ? haft__json_bool(true) : read_schema(f->g, tool);
    haft__gbnf_add_literal(body, tool->name);
    haft__call_grammar_add_text(f, body, f->frame->after_name);
    if (schema.kind == HAFT__JSON_TRUE) {
        add_any_tags(f, body);
    } else {
        add_named(f, body, schema, &members);
    }
}

/* ---- a call ---- */

static void add_object(haft__call_grammar *f, haft__buf *body, const haft__format_tool *tool,
                       bool relaxed)
{
    const haft__call_syntax *frame = f->frame;
    haft__gbnf_rule_name args = json_arguments(f, tool, relaxed);
    haft__buf name;
    haft__buf_init(&name, HAFT__LIMIT_GRAMMAR_BYTES);
    haft__buf_addf(&name, "\"%.*s\",", HAFT__ARG(tool->name));
    haft__buf_add_str(body, HAFT__LIT("\"{\" ws "));
    if (frame->id_key != NULL) {
        haft__buf_add_str(body, HAFT__LIT("( "));
        add_key(f, body, frame->id_key);
        haft__buf_add_str(body, HAFT__LIT("\"\\\"\" [0-9]{1,4} \"\\\",\" ws )? "));
    }
    add_key(f, body, frame->name_key);
    haft__gbnf_add_literal(body, haft__buf_str(&name));
    haft__gbnf_add_name(body, haft__gbnf_space(f->g));
    add_key(f, body, frame->args_key);
    haft__gbnf_add_name(body, args);
    if (frame->last_id_key != NULL) {
        haft__buf_add_str(body, HAFT__LIT("( \",\" ws "));
        add_key(f, body, frame->last_id_key);
        haft__buf_add_str(body, HAFT__LIT("\"\\\"\" [a-zA-Z0-9]{9} \"\\\"\" )? "));
    }
    haft__buf_add_str(body, HAFT__LIT("ws \"}\" "));
    haft__gbnf_release_body(f->g, &name);
}

haft__gbnf_rule_name haft__call_grammar_rule(haft__call_grammar *f, const haft__format_tool *tool,
                                             bool relaxed)
{
    haft__buf where, body;
    haft__buf_init(&where, HAFT__LIMIT_JSON_KEY_BYTES);
    haft__pointer_add_key(&where, tool->name);
    haft__gbnf_begin(f->g, haft__buf_str(&where), tool->parameters);
    haft__gbnf_release_body(f->g, &where);
    haft__gbnf_body_init(&body);
    haft__call_grammar_add_text(f, &body, f->frame->before);
    switch ((haft__call_syntax_kind)f->frame->kind) {
    case HAFT__CALL_SYNTAX_OBJECT: add_object(f, &body, tool, relaxed); break;
    case HAFT__CALL_SYNTAX_NAME_ARGS: {
        haft__gbnf_add_literal(&body, tool->name);
        haft__call_grammar_add_text(f, &body, f->frame->after_name);
        haft__gbnf_add_name(&body, json_arguments(f, tool, relaxed));
        break;
    }
    case HAFT__CALL_SYNTAX_PYTHON: add_python(f, &body, tool, relaxed); break;
    case HAFT__CALL_SYNTAX_TAGS: add_tags(f, &body, tool, relaxed); break;
    case HAFT__CALL_SYNTAX_NONE:
    case HAFT__CALL_SYNTAX_CODE: break; /* no calls */
    }
    haft__call_grammar_add_text(f, &body, f->frame->after);
    return haft__gbnf_add_rule(f->g, &body);
}
