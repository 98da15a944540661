/* SPDX-License-Identifier: Apache-2.0 */
/* gbnf.c - the rules of a GBNF grammar: names, bodies and shared rules. Tests:
 * tests/schema/grammar/gbnf_test.c. */
#include <stdio.h>

#include "base/error.h"
#include "schema/grammar/gbnf_writer.h"
#include "json/pointer.h"
#include "json/write.h"

/* White space is one space, or a line end with an indent; digits and exponents are bounded, too.
 * Surrogates cannot be escaped, because half of a character would count as a character: a character
 * beyond U+FFFF is written unescaped. */
#define SPACE    "| \" \" | \"\\n\" [ \\t]{0,20}"
#define HEX      "[0-9a-fA-F]"
#define CODE     "[0-9a-cA-CefEF] hex hex hex | [dD] [0-7] hex hex"
#define CHAR     "[^\"\\\\\\x00-\\x1F] | \"\\\\\" ( [\"\\\\/bfnrt] | \"u\" code )"
#define DOUBLE   "[^\"\\\\\\x00-\\x1F] | \"\\\\\" ( [\"'\\\\bfnrt] | \"u\" code )"
#define SINGLE   "[^'\\\\\\x00-\\x1F] | \"\\\\\" ( [\"'\\\\bfnrt] | \"u\" code )"
#define STRING   "\"\\\"\" char* \"\\\"\""
#define PYSTRING "\"\\\"\" dchar* \"\\\"\" | \"'\" schar* \"'\""
#define INTEGER  "\"-\"? ( \"0\" | [1-9] [0-9]{0,19} )"
#define NUMBER   "integer ( \".\" [0-9]{1,20} )? ( [eE] [\\x2B\\x2D]? [0-9]{1,2} )?"
#define MEMBER   "string \":\" ws value"
#define OBJECT   "\"{\" ws ( member ( \",\" ws member )* ws )? \"}\""
#define ARRAY    "\"[\" ws ( value ( \",\" ws value )* ws )? \"]\""
#define VALUE    "object | array | string | number | boolean | null"

#define BIT(rule) (UINT64_C(1) << HAFT__GBNF_##rule)

static const struct {
    const char *name;
    const char *body[2]; /* one for each notation */
    uint64_t uses[2];
} shared_rules[] = {
    [HAFT__GBNF_SPACE] = {"ws", {SPACE, SPACE}, {0}},
    [HAFT__GBNF_HEX] = {"hex", {HEX, HEX}, {0}},
    [HAFT__GBNF_CODE] = {"code", {CODE, CODE}, {BIT(HEX), BIT(HEX)}},
    [HAFT__GBNF_CHAR] = {"char", {CHAR, CHAR}, {BIT(CODE), BIT(CODE)}},
    [HAFT__GBNF_PY_DOUBLE] = {"dchar", {DOUBLE, DOUBLE}, {BIT(CODE), BIT(CODE)}},
    [HAFT__GBNF_PY_SINGLE] = {"schar", {SINGLE, SINGLE}, {BIT(CODE), BIT(CODE)}},
    [HAFT__GBNF_STRING] = {"string",
                           {STRING, PYSTRING},
                           {BIT(CHAR), BIT(PY_DOUBLE) | BIT(PY_SINGLE)}},
    [HAFT__GBNF_INTEGER] = {"integer", {INTEGER, INTEGER}, {0}},
    [HAFT__GBNF_NUMBER] = {"number", {NUMBER, NUMBER}, {BIT(INTEGER), BIT(INTEGER)}},
    [HAFT__GBNF_BOOLEAN] = {"boolean", {"\"true\" | \"false\"", "\"True\" | \"False\""}, {0}},
    [HAFT__GBNF_NULL] = {"null", {"\"null\"", "\"None\""}, {0}},
    [HAFT__GBNF_MEMBER] = {"member",
                           {MEMBER, MEMBER},
                           {BIT(STRING) | BIT(SPACE) | BIT(VALUE),
                            BIT(STRING) | BIT(SPACE) | BIT(VALUE)}},
    [HAFT__GBNF_OBJECT] = {"object",
                           {OBJECT, OBJECT},
                           {BIT(SPACE) | BIT(MEMBER), BIT(SPACE) | BIT(MEMBER)}},
    [HAFT__GBNF_ARRAY] = {"array",
                          {ARRAY, ARRAY},
                          {BIT(SPACE) | BIT(VALUE), BIT(SPACE) | BIT(VALUE)}},
    [HAFT__GBNF_VALUE] = {"value",
                          {VALUE, VALUE},
                          {BIT(OBJECT) | BIT(ARRAY) | BIT(STRING) | BIT(NUMBER) | BIT(BOOLEAN)
                               | BIT(NULL),
                           BIT(OBJECT) | BIT(ARRAY) | BIT(STRING) | BIT(NUMBER) | BIT(BOOLEAN)
                               | BIT(NULL)}},
};

/* ---- beginning and end ---- */

void haft__gbnf_init(haft__gbnf_writer *g, haft__buf *out, haft__relax_report *report)
{
    *g = (haft__gbnf_writer){.out = out, .report = report};
    haft__arena_init(&g->arena, HAFT__LIMIT_GRAMMAR_MEMORY);
    haft__map_init(&g->rules, &g->arena, (haft__hash_key){0});
    haft__map_init(&g->refs, &g->arena, (haft__hash_key){0});
    haft__buf_init(&g->path, HAFT__LIMIT_GRAMMAR_MEMORY);
}

void haft__gbnf_finish(haft__gbnf_writer *g)
{
    haft__buf_finish(&g->path);
    haft__arena_finish(&g->arena);
}

void haft__gbnf_begin(haft__gbnf_writer *g, haft_str where, haft__json root)
{
    g->root = root;
    g->at = NULL;
    g->depth = g->steps = 0;
    haft__map_init(&g->refs, &g->arena, (haft__hash_key){0});
    haft__gbnf_release_body(g, &g->path); /* the path of the previous schema */
    haft__buf_add_str(&g->path, where);
}

void haft__gbnf_close(haft__gbnf_writer *g)
{
    for (size_t i = 0; i < COUNT(shared_rules); i++) {
        if ((g->shared >> i & 1) != 0) {
            haft__buf_addf(g->out, "%s ::= %s\n", shared_rules[i].name,
                           shared_rules[i].body[g->notation]);
        }
    }
}

haft_status haft__gbnf_check(const haft__gbnf_writer *g, haft_error *err)
{
    if (g->status != HAFT_OK) {
        return g->status == HAFT_NO_MEMORY
                   ? haft__fail_no_memory(err)
                   : haft__fail(err, g->status, "", "The grammar takes too much memory");
    }
    if (g->report != NULL && g->report->status != HAFT_OK) {
        return haft__arena_fail(g->report->arena, err);
    }
    haft_status status = haft__buf_check(&g->path, err);
    return status == HAFT_OK ? haft__buf_check(g->out, err) : status;
}

void haft__gbnf_fail(haft__gbnf_writer *g, haft_status status)
{
    if (g->status == HAFT_OK) {
        g->status = status;
    }
}

bool haft__gbnf_charge_step(haft__gbnf_writer *g)
{
    g->steps++;
    return g->status == HAFT_OK && g->out->status == HAFT_OK && g->path.status == HAFT_OK;
}

void haft__gbnf_release_body(haft__gbnf_writer *g, haft__buf *text)
{
    if (text->status != HAFT_OK) {
        haft__gbnf_fail(g, text->status);
    }
    haft__buf_finish(text);
}

void *haft__gbnf_alloc(haft__gbnf_writer *g, size_t count, size_t size)
{
    void *piece = haft__arena_array(&g->arena, count, size);
    if (piece == NULL) {
        haft__gbnf_fail(g, haft__arena_fail(&g->arena, NULL));
    }
    return piece;
}

/* ---- rules ---- */

void haft__gbnf_body_init(haft__buf *body)
{
    haft__buf_init(body, HAFT__LIMIT_GRAMMAR_BYTES);
}

haft__gbnf_rule_name haft__gbnf_new_name(haft__gbnf_writer *g)
{
    haft__gbnf_rule_name name;
    (void)snprintf(name.text, sizeof name.text, "r%u", g->count++);
    return name;
}

void haft__gbnf_write_rule(haft__gbnf_writer *g, haft__gbnf_rule_name name, haft__buf *body)
{
    while (body->len > 0 && body->ptr[body->len - 1] == ' ') {
        body->len--;
    }
    haft__buf_addf(g->out, "%s ::= ", name.text);
    haft__buf_add_str(g->out, haft__buf_str(body));
    haft__buf_add_char(g->out, '\n');
    haft__gbnf_release_body(g, body);
}

haft__gbnf_rule_name haft__gbnf_add_rule(haft__gbnf_writer *g, haft__buf *body)
{
    haft__gbnf_rule_name *known = haft__map_get(&g->rules, haft__buf_str(body));
    if (known != NULL) {
        haft__gbnf_release_body(g, body);
        return *known;
    }
    haft__gbnf_rule_name name = haft__gbnf_new_name(g);
    haft__gbnf_rule_name *kept = haft__gbnf_alloc(g, 1, sizeof *kept);
    haft_str key = haft__arena_copy(&g->arena, haft__buf_str(body));
    if (kept == NULL || key.ptr == NULL || haft__map_put(&g->rules, key, kept, NULL) != HAFT_OK) {
        haft__gbnf_fail(g, haft__arena_fail(&g->arena, NULL));
    } else {
        *kept = name;
    }
    haft__gbnf_write_rule(g, name, body);
    return name;
}

static void use(haft__gbnf_writer *g, uint64_t rules)
{
    uint64_t open = rules & ~g->shared;
    g->shared |= rules;
    for (size_t i = 0; i < COUNT(shared_rules); i++) {
        if ((open >> i & 1) != 0) {
            use(g, shared_rules[i].uses[g->notation]);
        }
    }
}

haft__gbnf_rule_name haft__gbnf_shared_rule(haft__gbnf_writer *g, haft__gbnf_shared rule)
{
    use(g, UINT64_C(1) << rule);
    haft__gbnf_rule_name name;
    (void)snprintf(name.text, sizeof name.text, "%s", shared_rules[rule].name);
    return name;
}

haft__gbnf_rule_name haft__gbnf_space(haft__gbnf_writer *g)
{
    return haft__gbnf_shared_rule(g, HAFT__GBNF_SPACE);
}

haft__gbnf_rule_name haft__gbnf_string(haft__gbnf_writer *g)
{
    return haft__gbnf_shared_rule(g, HAFT__GBNF_STRING);
}

haft__gbnf_rule_name haft__gbnf_object(haft__gbnf_writer *g)
{
    return haft__gbnf_shared_rule(g, HAFT__GBNF_OBJECT);
}

/* ---- parts of bodies ---- */

void haft__gbnf_add_literal(haft__buf *body, haft_str text)
{
    if (text.len == 0) {
        return;
    }
    haft__buf_add_char(body, '"');
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '"' || c == '\\') {
            haft__buf_add_char(body, '\\');
            haft__buf_add_char(body, c);
        } else if (c == '\n') {
            haft__buf_add_str(body, HAFT__LIT("\\n"));
        } else if ((unsigned char)c < 0x20 || c == 0x7F) {
            haft__buf_addf(body, "\\x%02X", (unsigned char)c);
        } else {
            haft__buf_add_char(body, c);
        }
    }
    haft__buf_add_str(body, HAFT__LIT("\" "));
}

void haft__gbnf_add_name(haft__buf *body, haft__gbnf_rule_name name)
{
    haft__buf_add_str(body, haft__str(name.text));
    haft__buf_add_char(body, ' ');
}

void haft__gbnf_add_or(haft__buf *body)
{
    if (body->len > 0) {
        haft__buf_add_str(body, HAFT__LIT("| "));
    }
}

/* Counts repetitions as llama.cpp expands them. Returns whether the limit allows `count` more. */
static bool charge_repeats(haft__gbnf_writer *g, uint64_t count)
{
    if (count > HAFT__LIMIT_GRAMMAR_REPEAT || g->repeats + count > HAFT__LIMIT_GRAMMAR_REPEATS) {
        return false;
    }
    g->repeats += (uint32_t)count;
    return true;
}

static void report_count(haft__gbnf_writer *g, const char *what, uint64_t count, const char *became)
{
    haft__buf text;
    haft__buf_init(&text, 64);
    haft__buf_addf(&text, "%s %llu", what, (unsigned long long)count);
    haft__relax_report_add(g->report, haft__buf_str(&g->path), haft__buf_str(&text), became);
    haft__gbnf_release_body(g, &text);
}

void haft__gbnf_add_repeat(haft__gbnf_writer *g, haft__buf *body, haft__gbnf_rule_name what,
                           uint64_t min, uint64_t max)
{
    if (max == 0) {
        return;
    }
    if (max != HAFT__GBNF_NO_MAX && !charge_repeats(g, max)) {
        report_count(g, "at most", max, "any number");
        max = HAFT__GBNF_NO_MAX;
    }
    if (max == HAFT__GBNF_NO_MAX && !charge_repeats(g, min)) {
        report_count(g, "at least", min, "any number");
        min = 0;
    }
    haft__buf_add_str(body, haft__str(what.text));
    if (max != HAFT__GBNF_NO_MAX) {
        haft__buf_addf(body, "{%llu,%llu} ", (unsigned long long)min, (unsigned long long)max);
    } else if (min > 1) {
        haft__buf_addf(body, "{%llu,} ", (unsigned long long)min);
    } else {
        haft__buf_add_str(body, min == 1 ? HAFT__LIT("+ ") : HAFT__LIT("* "));
    }
}

/* ---- places and reports ---- */

size_t haft__gbnf_enter(haft__gbnf_writer *g, const char *keyword, haft_str key)
{
    size_t before = g->path.len;
    haft__buf_addf(&g->path, "/%s", keyword);
    if (key.ptr != NULL) {
        haft__pointer_add_key(&g->path, key);
    }
    return before;
}

void haft__gbnf_leave(haft__gbnf_writer *g, size_t before)
{
    if (g->path.len > before) {
        g->path.len = before;
    }
}

void haft__gbnf_report_relaxed(haft__gbnf_writer *g, const char *what, const char *became)
{
    haft__relax_report_add(g->report, haft__buf_str(&g->path), haft__str(what), became);
}

/* The number of bytes of a value that a report shows. */
#define SHOWN 80

void haft__gbnf_relax(haft__gbnf_writer *g, haft__json schema, const char *key, const char *became)
{
    const haft__json *value = haft__json_get(schema, haft__str(key));
    if (value == NULL || g->report == NULL) {
        return;
    }
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_GRAMMAR_MEMORY);
    haft__buf_addf(&text, "%s", key);
    if (value->kind < HAFT__JSON_ARRAY && value->count <= SHOWN) {
        haft__buf_add_char(&text, ' ');
        haft__json_write(&text, *value);
    }
    haft__relax_report_add(g->report, haft__buf_str(&g->path), haft__buf_str(&text), became);
    haft__gbnf_release_body(g, &text);
}
