/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests for src/format/write.c against src/format/grammar.c: what is written into a history is what
 * the grammar lets a model write, for tools and arguments made at random; and what is but a little
 * different is refused. A model that is shown one thing and held to another does neither well.
 */
#include "base/limits.h"
#include "format/render.h"
#include "grammar_help.h"
#include "random_help.h"
#include "test.h"

#define TOOLS 3

typedef struct bench {
    help_maker maker;
    haft__arena arena;
    haft__format_tool tools[TOOLS];
    gbnf *one, *several; /* grammars for one call, and for any number */
    haft__buf grammar, text;
} bench;

static gbnf *make_grammar(bench *b, bool several)
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

static void begin(bench *b)
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

static void finish(bench *b)
{
    gbnf_free(b->one);
    gbnf_free(b->several);
    haft__buf_finish(&b->grammar);
    haft__buf_finish(&b->text);
    haft__arena_finish(&b->arena);
}

/* What may be wrong with a reply. */
typedef struct flaw {
    const char *name, *prose;
    help_flaw in_arguments;
    bool other_tool;
} flaw;

/* Writes a reply of `count` calls; false when the flaw cannot be put into it. */
static bool write_reply(bench *b, size_t count, const flaw *f)
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

static bool check(const bench *b, const gbnf *grammar, bool wanted, const char *what)
{
    bool taken = gbnf_accepts(grammar, haft__buf_str(&b->text));
    CHECK(taken == wanted, "%s, %s: %s\n%.*s\n%.*s", b->maker.format->name, what,
          taken ? "taken" : "refused", HAFT__ARG(haft__buf_str(&b->text)),
          HAFT__ARG(haft__buf_str(&b->grammar)));
    return taken == wanted;
}

static bool go(bench *b)
{
    static const flaw none = {.name = "as it should be", .prose = ""};
    static const flaw flaws[] = {
        {.name = "another tool", .prose = "", .other_tool = true},
        {.name = "one that is required is missing", .prose = "", .in_arguments = HELP_FLAW_MISSING},
        {.name = "a value of another type", .prose = "", .in_arguments = HELP_FLAW_TYPE},
        {.name = "prose before", .prose = "Let me look."},
    };
    bool good = write_reply(b, 1, &none) && check(b, b->one, true, "one of one")
                && check(b, b->several, true, "one of several");
    if (good) {
        (void)write_reply(b, 2 + help_roll(&b->maker, 2), &none);
        good = check(b, b->several, true, "several of several")
               && check(b, b->one, false, "several of one");
    }
    for (size_t i = 0; good && i < COUNT(flaws); i++) {
        if (write_reply(b, 1, &flaws[i])) {
            good = check(b, b->one, false, flaws[i].name);
        }
    }
    return good;
}

TEST(what_is_written_is_what_the_grammar_takes)
{
    size_t count;
    const haft__format *const *formats = haft__formats(&count);
    const char *rounds = getenv("HAFT_TEST_ROUNDS");
    long most = rounds != NULL ? strtol(rounds, NULL, 10) : 40;
    for (size_t f = 0; f < count; f++) {
        bench b = {.maker = {.state = 88172645463325252U,
                             .format = formats[f],
                             .tagged = formats[f]->render.param != NULL,
                             .bounded = true}};
        bool good = true;
        bool calls = strcmp(formats[f]->name, "codemode") != 0;
        for (long i = 0; calls && good && i < most; i++) {
            begin(&b);
            good = b.one != NULL && b.several != NULL && go(&b);
            finish(&b);
        }
    }
}
