/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests for src/format/write.c and src/format/grammar/grammar.c together, with random tools and
 * arguments: the grammar accepts a call that was written into a history, and rejects a call that
 * differs a little. A model that is shown one syntax and constrained to another follows
 * neither. Every text that the grammar of one tool accepts is read as one call of that tool.
 */
#include "base/limits.h"
#include "format/grammar_help.h"
#include "format/parse_help.h"
#include "format/random_help.h"
#include "format/render.h"
#include "test.h"
#include "json/read.h"
#include "json/write.h"

#define TOOLS 3

typedef struct setup {
    help_maker maker;
    haft__arena arena;
    haft__format_tool tools[TOOLS];
    gbnf *one, *several; /* grammars for one call, and for any number */
    haft__buf grammar, text;
} setup;

static gbnf *make_grammar(setup *b, bool several)
{
    haft__grammar_options options = {.several = several};
    haft_error err = {0};
    const char *why = NULL;
    haft__buf_clear(&b->grammar);
    haft_status status = haft__grammar_gbnf(&b->grammar, b->maker.format, b->tools, TOOLS, NULL,
                                            HAFT__MODE_ANY, HAFT__LIT(""), &options, NULL, &err);
    CHECK_INT(status, HAFT_OK, "%s: %s", b->maker.format->name, err.message);
    gbnf *made = gbnf_read(haft__buf_str(&b->grammar), &why);
    CHECK(made != NULL, "%s: %s", b->maker.format->name, why);
    return made;
}

static void begin(setup *b)
{
    static const char *const names[TOOLS] = {"f", "get_weather", "docs_-_find-2"};
    haft__arena_init(&b->arena, 0);
    haft__buf_init(&b->grammar, HAFT__LIMIT_GRAMMAR_BYTES);
    haft__buf_init(&b->text, 1 << 20);
    for (size_t i = 0; i < TOOLS; i++) {
        b->tools[i] = (haft__format_tool){.name = haft__str(names[i]),
                                          .parameters = help_make_schema(&b->maker, &b->arena)};
    }
    b->one = make_grammar(b, false);
    b->several = make_grammar(b, true);
}

static void finish(setup *b)
{
    gbnf_free(b->one);
    gbnf_free(b->several);
    haft__buf_finish(&b->grammar);
    haft__buf_finish(&b->text);
    haft__arena_finish(&b->arena);
}

/* A defect of a reply. */
typedef struct flaw {
    const char *name, *prose;
    help_flaw in_arguments;
    bool other_tool;
} flaw;

/* Writes a reply of `count` calls; false if the reply cannot have the flaw. */
static bool write_reply(setup *b, size_t count, const flaw *f)
{
    haft__format_call calls[3];
    bool flawed = true;
    for (size_t i = 0; i < count; i++) {
        const haft__format_tool *tool = &b->tools[help_roll(&b->maker, TOOLS)];
        haft__buf arguments;
        haft__buf_init(&arguments, 1 << 20);
        flawed = help_add_arguments(&b->maker, &arguments, tool, f->in_arguments) && flawed;
        calls[i] =
            (haft__format_call){.id = HAFT__LIT("c1.1"),
                                .name = f->other_tool ? HAFT__LIT("fx") : tool->name,
                                .arguments = haft__arena_copy(&b->arena, haft__buf_str(&arguments)),
                                .number = i};
        haft__buf_finish(&arguments);
    }
    haft__buf_clear(&b->text);
    haft__format_write_calls(&b->text, b->maker.format, haft__str(f->prose), calls, count);
    return flawed;
}

static bool check(const setup *b, const gbnf *grammar, bool wanted, const char *what)
{
    bool taken = gbnf_accepts(grammar, haft__buf_str(&b->text));
    CHECK(taken == wanted, "%s, %s: the grammar %s\n%.*s\n%.*s", b->maker.format->name, what,
          taken ? "accepts" : "rejects", HAFT__ARG(haft__buf_str(&b->text)),
          HAFT__ARG(haft__buf_str(&b->grammar)));
    return taken == wanted;
}

static bool check_replies(setup *b)
{
    static const flaw none = {.name = "no flaw", .prose = ""};
    static const flaw flaws[] = {
        {.name = "another tool", .prose = "", .other_tool = true},
        {.name = "a required argument is missing", .prose = "", .in_arguments = HELP_FLAW_MISSING},
        {.name = "a value of another type", .prose = "", .in_arguments = HELP_FLAW_TYPE},
        {.name = "prose before", .prose = "Let me look."},
    };
    bool good = write_reply(b, 1, &none) && check(b, b->one, true, "one call, grammar for one")
                && check(b, b->several, true, "one call, grammar for several");
    if (good) {
        (void)write_reply(b, 2 + help_roll(&b->maker, 2), &none);
        good = check(b, b->several, true, "several calls, grammar for several")
               && check(b, b->one, false, "several calls, grammar for one");
    }
    for (size_t i = 0; good && i < COUNT(flaws); i++) {
        if (write_reply(b, 1, &flaws[i])) {
            good = check(b, b->one, false, flaws[i].name);
        }
    }
    return good;
}

TEST(grammar_accepts_rendered_calls)
{
    size_t count;
    const haft__format *const *formats = haft__formats(&count);
    const char *rounds = getenv("HAFT_TEST_ROUNDS");
    long max = rounds != NULL ? strtol(rounds, NULL, 10) : 40;
    for (size_t f = 0; f < count; f++) {
        setup b = {.maker = {.state = 88172645463325252U,
                             .format = formats[f],
                             .tagged = formats[f]->render.param != NULL,
                             .bounded = true}};
        bool good = true;
        bool calls = strcmp(formats[f]->name, "codemode") != 0;
        for (long i = 0; calls && good && i < max; i++) {
            begin(&b);
            good = b.one != NULL && b.several != NULL && check_replies(&b);
            finish(&b);
        }
    }
}

/* ---- only the forced call is accepted ---- */

typedef struct quoting {
    help_maker maker;
    const haft__format_tool *tools;
    gbnf *grammar;
    bool inside; /* replies begin in reasoning */
    haft__buf text, other;
    size_t taken;
} quoting;

/* Adds marks, and calls of another tool. */
static void add_quotes(quoting *q, haft__buf *to)
{
    for (uint64_t i = help_roll(&q->maker, 6); i > 0; i--) {
        const haft__format_state *place =
            &q->maker.format->states[help_roll(&q->maker, HAFT__FORMAT_STATES)];
        const char *mark = place->marks[help_roll(&q->maker, COUNT(place->marks))].text;
        haft_str other = haft__buf_str(&q->other);
        size_t from = help_roll(&q->maker, 3) == 0 ? help_roll(&q->maker, other.len) : 0;
        bool call = help_roll(&q->maker, 4) == 0;
        haft__buf_add_str(to, call           ? haft__str_skip(other, from)
                              : mark != NULL ? haft__str(mark)
                                             : HAFT__LIT(" x "));
    }
}

static void add_frame(haft__buf *to, const char *text)
{
    for (; text != NULL && *text != '\0'; text++) {
        if (*text != HAFT__SYNTAX_WS[0]) {
            haft__buf_add_char(to, *text);
        }
    }
}

static void write_quoting(quoting *q)
{
    const haft__call_syntax *frame = &q->maker.format->grammar[0];
    haft__buf value, arguments;
    haft__buf_init(&value, 1 << 16);
    haft__buf_init(&arguments, 1 << 16);
    haft__buf_clear(&q->text);
    if (frame->reasoning_open != NULL && (q->inside || help_roll(&q->maker, 2) == 0)) {
        add_frame(&q->text, q->inside ? NULL : frame->reasoning_open);
        add_quotes(q, &q->text);
        add_frame(&q->text, frame->reasoning_close);
    }
    add_quotes(q, &value);
    haft__buf_addf(&arguments, "{\"s\":");
    haft__json_write_string(&arguments, haft__buf_str(&value));
    haft__buf_add_char(&arguments, '}');
    haft__format_call call = {HAFT__LIT("c1.1"), HAFT__LIT("save"), haft__buf_str(&arguments),
                              false, 0};
    haft__format_write_calls(&q->text, q->maker.format, HAFT__LIT(""), &call, 1);
    haft__buf_finish(&value);
    haft__buf_finish(&arguments);
}

/* If the grammar accepts the text, the text must be one call of the tool, and nothing else. */
static bool check_quoting(quoting *q)
{
    haft_str text = haft__buf_str(&q->text);
    if (!gbnf_accepts(q->grammar, text)) {
        return true;
    }
    help_input input = {.format = q->maker.format->name,
                        .text = text,
                        .tools = q->tools,
                        .tool_count = 2,
                        .start_in_reasoning = q->inside};
    help_parsed parsed;
    help_parsed_init(&parsed);
    help_parse(&input, 0, 0, &parsed);
    haft_str calls = haft__buf_str(&parsed.calls);
    bool good = parsed.count == 1 && parsed.errors.len == 0 && calls.ptr != NULL
                && strstr(calls.ptr, "\"name\":\"save\"") != NULL;
    CHECK(good, "%s: %.*s was read as the calls %.*s, errors %.*s", q->maker.format->name,
          HAFT__ARG(text), HAFT__ARG(calls), HAFT__ARG(haft__buf_str(&parsed.errors)));
    q->taken++;
    help_parsed_finish(&parsed);
    return good;
}

static bool check_quotes(const haft__format *format, const haft__format_tool *tools, bool inside,
                         long max)
{
    quoting q = {
        .maker = {.state = 88172645463325252U, .format = format}, .tools = tools, .inside = inside};
    haft__grammar_options options = {.reasoning = true, .start_in_reasoning = inside};
    haft__buf grammar;
    const char *why = NULL;
    haft__buf_init(&grammar, HAFT__LIMIT_GRAMMAR_BYTES);
    haft__buf_init(&q.text, 1 << 20);
    haft__buf_init(&q.other, 1 << 16);
    haft_status status = haft__grammar_gbnf(&grammar, format, tools, 2, NULL, HAFT__MODE_TOOL,
                                            HAFT__LIT("save"), &options, NULL, NULL);
    q.grammar = status == HAFT_OK ? gbnf_read(haft__buf_str(&grammar), &why) : NULL;
    CHECK(q.grammar != NULL, "%s: %s", format->name, why != NULL ? why : "no grammar");
    haft__format_call other = {HAFT__LIT("c1.2"), HAFT__LIT("rm"), HAFT__LIT("{\"s\":\"/\"}"),
                               false, 1};
    haft__format_write_calls(&q.other, format, HAFT__LIT(""), &other, 1);
    bool good = q.grammar != NULL;
    for (long i = 0; good && i < max; i++) {
        write_quoting(&q);
        good = check_quoting(&q);
    }
    CHECK(q.taken > 0, "%s: no text was accepted", format->name);
    gbnf_free(q.grammar);
    haft__buf_finish(&grammar);
    haft__buf_finish(&q.text);
    haft__buf_finish(&q.other);
    return good;
}

TEST(grammar_of_one_tool_accepts_one_call_of_it)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json schema = haft__json_null();
    haft_str source =
        HAFT__LIT("{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\"}}}");
    CHECK_INT(haft__json_read(&arena, source, NULL, &schema, NULL, NULL), HAFT_OK, "the schema");
    const haft__format_tool tools[] = {{.name = HAFT__LIT("save"), .parameters = schema},
                                       {.name = HAFT__LIT("rm"), .parameters = schema}};
    size_t count;
    const haft__format *const *formats = haft__formats(&count);
    const char *rounds = getenv("HAFT_TEST_ROUNDS");
    long max = rounds != NULL ? strtol(rounds, NULL, 10) : 150;
    for (size_t f = 0; f < count; f++) {
        bool calls = strcmp(formats[f]->name, "codemode") != 0;
        if (calls && check_quotes(formats[f], tools, false, max) && formats[f]->reasoning != 0) {
            (void)check_quotes(formats[f], tools, true, max);
        }
    }
    haft__arena_finish(&arena);
}
