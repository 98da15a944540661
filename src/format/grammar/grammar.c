/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grammar.c - a grammar of the whole reply: which tools it calls, how many, and what may precede
 * the calls.
 *
 * The rules of each tool are first written alone, to measure them. If the whole grammar is too
 * large, the largest tools accept any arguments.
 * Tests: tests/format/grammar/grammar_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "format/grammar/grammar_int.h"

/* The syntax for servers that have their own tool calls (no text format). */
static const haft__call_syntax native_syntax = {.kind = HAFT__CALL_SYNTAX_OBJECT,
                                                .bare = true,
                                                .answer = true,
                                                .open = "[" HAFT__SYNTAX_WS,
                                                .between = "," HAFT__SYNTAX_WS,
                                                .close = HAFT__SYNTAX_WS "]",
                                                .name_key = "name",
                                                .args_key = "arguments",
                                                .reasoning_open = "<think>",
                                                .reasoning_close = "</think>" HAFT__SYNTAX_WS};

/* Limit of subschemas read for all tools together. */
#define ALL_STEPS (16 * HAFT__LIMIT_GRAMMAR_STEPS)

typedef struct grammar_builder {
    const haft__format_tool *tools;
    size_t *picked, count;
    size_t *sizes; /* bytes of the rules of each of `picked` */
    bool *relaxed;
    haft__call_syntax syntax;
    bool one_newline;
    haft__grammar_options options;
    size_t max;
} grammar_builder;

size_t haft__grammar_forms(const haft__format *format)
{
    size_t count = 0;
    while (count < HAFT__FORMAT_SYNTAXES && format->grammar[count].kind != HAFT__CALL_SYNTAX_NONE) {
        count++;
    }
    return count;
}

/* ---- selecting tools ---- */

haft_status haft__grammar_select_tools(haft__arena *arena, const haft__format_tool *tools,
                                       size_t tool_count, const bool *allowed,
                                       haft__choice_mode mode, haft_str tool, bool answer,
                                       size_t **ret_picked, size_t *ret_count, haft_error *err)
{
    if (mode == HAFT__MODE_NONE || (mode == HAFT__MODE_AUTO && !answer)) {
        return haft__fail(err, HAFT_UNSUPPORTED, "",
                          "there is no grammar for a turn without a forced call");
    }
    size_t *picked = haft__arena_array(arena, tool_count, sizeof *picked);
    if (picked == NULL) {
        return haft__arena_fail(arena, err);
    }
    size_t count = 0;
    for (size_t i = 0; i < tool_count; i++) {
        bool is_candidate = mode != HAFT__MODE_TOOL || haft__str_equal(tools[i].name, tool);
        if (is_candidate && (allowed == NULL || allowed[i])) {
            picked[count++] = i;
        }
    }
    if (count == 0) {
        (void)haft__fail(err, HAFT_BAD_INPUT, "", "no tool may be called");
        return haft__hint(err, HAFT_BAD_INPUT,
                          "a grammar needs a tool that is allowed in this turn");
    }
    *ret_picked = picked;
    *ret_count = count;
    return HAFT_OK;
}

static haft_status select_syntax(grammar_builder *m, const haft__format *format, haft_error *err)
{
    size_t forms = format != NULL ? haft__grammar_forms(format) : 1;
    if (m->options.form >= forms) {
        return haft__fail(err, HAFT_UNSUPPORTED, "", "there is no grammar for the format %s%s",
                          format != NULL ? format->name : "native",
                          forms > 0 ? " in this form" : "");
    }
    m->syntax = format != NULL ? format->grammar[m->options.form] : native_syntax;
    m->one_newline = format != NULL && format->one_newline;
    if (m->options.answer && !m->syntax.answer) {
        return haft__fail(err, HAFT_UNSUPPORTED, "", "the format %s has no syntax for an answer",
                          format->name);
    }
    return HAFT_OK;
}

/* ---- measuring ---- */

static void writer_init(haft__gbnf_writer *g, const grammar_builder *m, haft__buf *out,
                        haft__relax_report *report)
{
    haft__gbnf_init(g, out, report);
    g->max_chars = m->options.max_chars;
    g->notation =
        m->syntax.kind == HAFT__CALL_SYNTAX_PYTHON ? HAFT__NOTATION_PYTHON : HAFT__NOTATION_JSON;
}

static haft_status measure_tool(grammar_builder *m, size_t index, uint32_t *io_steps,
                                haft_error *err)
{
    haft__buf out;
    haft__gbnf_writer g;
    haft__buf_init(&out, m->max);
    writer_init(&g, m, &out, NULL);
    haft__call_grammar grammar = {.g = &g, .syntax = &m->syntax, .one_newline = m->one_newline};
    m->relaxed[index] = *io_steps > ALL_STEPS;
    (void)haft__call_grammar_rule(&grammar, &m->tools[m->picked[index]], m->relaxed[index]);
    haft_status status = haft__gbnf_check(&g, err);
    m->sizes[index] = out.len;
    *io_steps += g.steps;
    if (status == HAFT_TOO_BIG) {
        m->relaxed[index] = true;
        status = HAFT_OK;
    }
    haft__gbnf_finish(&g);
    haft__buf_finish(&out);
    return status;
}

/* Relaxes the largest tools until the rules of the others take at most `target` bytes. False if all
 * tools are relaxed. */
static bool shrink(grammar_builder *m, size_t target)
{
    for (;;) {
        size_t sum = 0, largest = m->count;
        for (size_t i = 0; i < m->count; i++) {
            if (!m->relaxed[i]) {
                sum += m->sizes[i];
                largest = largest == m->count || m->sizes[i] > m->sizes[largest] ? i : largest;
            }
        }
        if (sum <= target || largest == m->count) {
            return largest != m->count;
        }
        m->relaxed[largest] = true;
    }
}

/* ---- the reply ---- */

/* Text in which the parser finds no end of the reasoning. */
static haft__gbnf_rule_name reasoning_text_rule(haft__call_grammar *grammar)
{
    haft_str stops[HAFT__CALL_SYNTAX_STOPS];
    size_t count = 0;
    while (count < HAFT__CALL_SYNTAX_STOPS && grammar->syntax->reasoning_stops[count] != NULL) {
        stops[count] = haft__str(grammar->syntax->reasoning_stops[count]);
        count++;
    }
    if (count == 0) {
        stops[0] = haft__str(grammar->syntax->reasoning_close);
        stops[0].len -= haft__str_ends_with(stops[0], HAFT__LIT(HAFT__SYNTAX_WS)) ? 1 : 0;
        count = 1;
    }
    return haft__gbnf_text_without(grammar->g, stops, count);
}

static void add_reasoning(haft__call_grammar *grammar, haft__buf *body,
                          const haft__grammar_options *options)
{
    const haft__call_syntax *syntax = grammar->syntax;
    if (syntax->reasoning_open == NULL || (!options->reasoning && !options->start_in_reasoning)) {
        return;
    }
    bool inside = options->start_in_reasoning;
    haft__gbnf_rule_name text = reasoning_text_rule(grammar);
    haft__buf_add_str(body, inside ? HAFT__LIT("") : HAFT__LIT("( "));
    haft__call_grammar_add_text(grammar, body, inside ? NULL : syntax->reasoning_open);
    haft__gbnf_add_name(body, text);
    haft__call_grammar_add_text(grammar, body, syntax->reasoning_close);
    haft__buf_add_str(body, inside ? HAFT__LIT("") : HAFT__LIT(")? "));
}

static void add_one_call(haft__call_grammar *grammar, haft__buf *body, const grammar_builder *m)
{
    haft__call_grammar_add_text(grammar, body, m->syntax.bare ? NULL : m->syntax.open);
    haft__buf_add_str(body, HAFT__LIT("call "));
    haft__call_grammar_add_text(grammar, body, m->syntax.bare ? NULL : m->syntax.close);
}

static void add_several_calls(haft__call_grammar *grammar, haft__buf *body,
                              const grammar_builder *m)
{
    haft__call_grammar_add_text(grammar, body, m->syntax.open);
    haft__buf_add_str(body, HAFT__LIT("call ( "));
    haft__call_grammar_add_text(grammar, body, m->syntax.between);
    haft__buf_add_str(body, HAFT__LIT("call )* "));
    haft__call_grammar_add_text(grammar, body, m->syntax.close);
}

static void add_reply(haft__call_grammar *grammar, haft__buf *body, const grammar_builder *m)
{
    if (m->syntax.lead != NULL) {
        haft__buf_add_str(body, HAFT__LIT("( "));
        haft__call_grammar_add_text(grammar, body, m->syntax.lead);
        haft__buf_add_str(body, HAFT__LIT(")? "));
    }
    haft__buf_add_str(body, HAFT__LIT("( "));
    if (!m->options.several || m->syntax.bare) {
        add_one_call(grammar, body, m);
    }
    if (m->options.several) {
        haft__buf_add_str(body, m->syntax.bare ? HAFT__LIT("| ") : HAFT__LIT(""));
        add_several_calls(grammar, body, m);
    }
    if (m->options.answer) {
        haft__buf_add_str(body, HAFT__LIT("| \"{\" ws \"\\\"answer\\\":\" ws string ws \"}\" "));
        (void)haft__gbnf_string(grammar->g);
    }
    haft__buf_add_str(body, HAFT__LIT(") "));
    (void)haft__gbnf_space(grammar->g);
}

/* Lines of Python, none of which begins with a backtick: a fence would end the block. The first
 * line is not blank, so that the block is not empty. */
static void add_code(haft__call_grammar *grammar, haft__buf *body, const grammar_builder *m,
                     haft__choice_mode mode)
{
    haft__call_grammar_add_text(grammar, body, m->syntax.open);
    haft__buf_add_str(body, HAFT__LIT("[^` \\t\\r\\n] [^\\n]* \"\\n\" "
                                      "( ( [^`\\n] [^\\n]* )? \"\\n\" )* "));
    haft__call_grammar_add_text(grammar, body, m->syntax.close);
    for (size_t i = 0; mode == HAFT__MODE_TOOL && i < m->count; i++) {
        haft__buf where;
        haft__buf_init(&where, HAFT__LIMIT_JSON_KEY_BYTES);
        haft__buf_addf(&where, "/%.*s", HAFT__ARG(m->tools[m->picked[i]].name));
        haft__relax_report_add(grammar->g->report, haft__buf_str(&where),
                               HAFT__LIT("a call of this tool"), "any code");
        haft__gbnf_release_body(grammar->g, &where);
    }
    haft__relax_report_add(grammar->g->report, (haft_str){"", 0}, HAFT__LIT("a call of a tool"),
                           "code that may call it");
}

/* Each element of a body ends with a space, but the line of the rule must not. */
static void add_rule(haft__buf *out, const char *name, const haft__buf *body)
{
    haft_str text = haft__buf_str(body);
    text.len -= haft__str_ends_with(text, HAFT__LIT(" ")) ? 1 : 0;
    haft__buf_addf(out, "%s ::= ", name);
    haft__buf_add_str(out, text);
    haft__buf_add_char(out, '\n');
}

static void write_call_rule(haft__call_grammar *grammar, const grammar_builder *m)
{
    haft__buf body;
    haft__gbnf_body_init(&body);
    for (size_t i = 0; i < m->count; i++) {
        const haft__format_tool *tool = &m->tools[m->picked[i]];
        haft__gbnf_rule_name name = haft__call_grammar_rule(grammar, tool, m->relaxed[i]);
        if (m->relaxed[i]) {
            haft__relax_report_add(grammar->g->report, haft__buf_str(&grammar->g->path),
                                   HAFT__LIT("its schema, which is too large"), "any arguments");
        }
        haft__buf_add_str(&body, i > 0 ? HAFT__LIT("| ") : HAFT__LIT(""));
        haft__gbnf_add_name(&body, name);
    }
    add_rule(grammar->g->out, "call", &body);
    if (body.status != HAFT_OK) {
        haft__buf_fail(grammar->g->out, body.status, NULL);
    }
    haft__buf_finish(&body);
}

static haft_status write_all(grammar_builder *m, haft__choice_mode mode, haft__buf *out,
                             haft__relax_report *report, haft_error *err)
{
    haft__gbnf_writer g;
    writer_init(&g, m, out, report);
    haft__call_grammar grammar = {.g = &g, .syntax = &m->syntax, .one_newline = m->one_newline};
    haft__buf body;
    haft__gbnf_body_init(&body);
    add_reasoning(&grammar, &body, &m->options);
    if (m->syntax.kind == HAFT__CALL_SYNTAX_CODE) {
        add_code(&grammar, &body, m, mode);
    } else {
        write_call_rule(&grammar, m);
        add_reply(&grammar, &body, m);
    }
    add_rule(out, "root", &body);
    haft__gbnf_release_body(&g, &body);
    haft__gbnf_close(&g);
    haft_status status = haft__gbnf_check(&g, err);
    haft__gbnf_finish(&g);
    return status;
}

/* Retries until the grammar fits; the report of a failed attempt is removed. */
static haft_status write_until_it_fits(grammar_builder *m, haft__choice_mode mode, haft__buf *out,
                                       haft__relax_report *report, haft_error *err)
{
    size_t reported = haft__relax_report_count(report);
    bool more = true; /* first try all tools: rules that they share were counted for each */
    for (size_t target = m->max; more; target -= target / 8 + 1) {
        haft__buf_clear(out);
        haft_status status = write_all(m, mode, out, report, err);
        if (status != HAFT_TOO_BIG) {
            return status;
        }
        haft__relax_report_truncate(report, reported);
        more = shrink(m, target) && target > 0;
    }
    haft__buf_clear(out);
    return write_all(m, mode, out, report, err);
}

static haft_status build(grammar_builder *m, haft__arena *arena, haft__choice_mode mode,
                         haft__buf *out, haft__relax_report *report, haft_error *err)
{
    uint32_t steps = 0;
    m->sizes = haft__arena_array(arena, m->count, sizeof *m->sizes);
    m->relaxed = haft__arena_array(arena, m->count, sizeof *m->relaxed);
    if (m->sizes == NULL || m->relaxed == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < m->count; i++) {
        status = measure_tool(m, i, &steps, err);
    }
    status = status == HAFT_OK ? write_until_it_fits(m, mode, out, report, err) : status;
    if (status == HAFT_TOO_BIG) {
        (void)haft__fail(err, status, "", "a grammar for %zu tools takes more than %zu bytes",
                         m->count, m->max);
        return haft__hint(err, status, "allow fewer tools in this turn");
    }
    return status;
}

haft_status haft__grammar_gbnf(haft__buf *buf, const haft__format *format,
                               const haft__format_tool *tools, size_t tool_count,
                               const bool *allowed, haft__choice_mode mode, haft_str tool,
                               const haft__grammar_options *options, haft__relax_report *report,
                               haft_error *err)
{
    grammar_builder m = {.tools = tools, .max = HAFT__LIMIT_GRAMMAR_BYTES};
    m.options = options != NULL ? *options : (haft__grammar_options){0};
    if (m.options.max_bytes > 0 && m.options.max_bytes < m.max) {
        m.max = m.options.max_bytes;
    }
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__buf out;
    haft__buf_init(&out, m.max);
    haft_error found = {.status = HAFT_OK}; /* failed attempts write it too */
    haft_status status = select_syntax(&m, format, &found);
    if (status == HAFT_OK) {
        status = haft__grammar_select_tools(&arena, tools, tool_count, allowed, mode, tool,
                                            m.options.answer, &m.picked, &m.count, &found);
    }
    if (status == HAFT_OK) {
        status = build(&m, &arena, mode, &out, report, &found);
    }
    if (status == HAFT_OK) {
        haft__buf_add_str(buf, haft__buf_str(&out));
        status = haft__buf_check(buf, &found);
    }
    if (status != HAFT_OK && err != NULL) {
        *err = found;
    }
    haft__buf_finish(&out);
    haft__arena_finish(&arena);
    return status;
}
