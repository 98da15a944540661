/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/rules/search.c: rounds of searches and their expressions. */
#include "model/offline_help.h"
#include "schema/regex/pattern.h"

static void read_words(const char *task, haft__arena *arena, haft__offline_words *words)
{
    CHECK_INT(haft__offline_words_read(haft__str(task), arena, words, NULL), HAFT_OK, "words");
}

static size_t round_of(const haft__offline_words *words, size_t round, haft__arena *arena,
                       haft__offline_search searches[2])
{
    size_t count = 0;
    bool last = false;
    CHECK_INT(haft__offline_round(words, HAFT__LIT("*.md"), HAFT__LIT("*.c"), round, arena,
                                  searches, &count, &last, NULL),
              HAFT_OK, "a round");
    CHECK_INT(last, round > 7, "round %zu", round);
    return count;
}

/* The rounds, as the planner counts them. */
enum { EXACT, DEFINED, INSIDE, ALL, NAMED, THREES, TWOS, ONES };

#define GATE "(?:[Gg]ate|GATE)"
#define OPEN "(?:[Oo]pen|OPEN)"

TEST(rounds_ask_for_less_and_less)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__offline_words words;
    haft__offline_search s[2];
    read_words("the gate opens", &arena, &words);
    CHECK_INT(round_of(&words, EXACT, &arena, s), 0, "nothing is exact");
    CHECK_INT(round_of(&words, DEFINED, &arena, s), 0, "nor a name");
    CHECK_INT(round_of(&words, INSIDE, &arena, s), 0, "nor inside of one");
    CHECK_INT(round_of(&words, ALL, &arena, s), 1, "all");
    CHECK_STR(s[0].pattern, HAFT__LIT(GATE ".{0,80}" OPEN "|" OPEN ".{0,80}" GATE), "both");
    CHECK_INT(round_of(&words, NAMED, &arena, s), 1, "files that are called so");
    CHECK_STR(s[0].glob, HAFT__LIT("**/{*gate*,*gate*/**,*open*,*open*/**}"), "their names");
    CHECK_INT(round_of(&words, THREES, &arena, s), 0, "there are no three");
    CHECK_INT(round_of(&words, TWOS, &arena, s), 1, "two");
    CHECK_INT(round_of(&words, ONES, &arena, s), 1, "everywhere");
    CHECK_STR(s[0].pattern, HAFT__LIT(GATE "|" OPEN), "one");
    CHECK_STR(s[0].glob, HAFT__LIT(""), "everywhere");
    CHECK_INT(round_of(&words, ONES + 1, &arena, s), 0, "no more");
    read_words("alpha beta gamma delta", &arena, &words);
    CHECK_INT(round_of(&words, ALL, &arena, s), 0, "a line has not all of four");
    CHECK_INT(round_of(&words, THREES, &arena, s), 2, "documents and programs");
    CHECK_STR(s[0].glob, HAFT__LIT("*.md"), "documents first");
    CHECK_STR(s[1].glob, HAFT__LIT("*.c"), "then programs");
    read_words("\"a.b*c\" and read_me", &arena, &words);
    CHECK_INT(round_of(&words, EXACT, &arena, s), 1, "anywhere");
    CHECK_STR(s[0].pattern, HAFT__LIT("a\\.b\\*c|\\bread_me\\b"), "escaped, and whole");
    CHECK_INT(round_of(&words, INSIDE, &arena, s), 1, "inside of others");
    CHECK_STR(s[0].pattern, HAFT__LIT("read_me|read_me|READ_ME"), "the name only");
    haft__arena_finish(&arena);
}

/* Whether the expression of a round finds the line. */
static bool finds(const char *task, size_t round, haft_str line)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__offline_words words;
    haft__offline_search s[2];
    const haft__pattern *pattern = NULL;
    read_words(task, &arena, &words);
    (void)round_of(&words, round, &arena, s);
    CHECK_INT(haft__pattern_compile(&arena, s[0].pattern, &pattern, NULL), HAFT_OK, "a pattern");
    haft__pattern_scratch *scratch = haft__pattern_scratch_create();
    haft__pattern_result result = haft__pattern_match(pattern, scratch, line);
    CHECK(result == HAFT__PATTERN_YES || result == HAFT__PATTERN_NO, "it gave up");
    haft__pattern_scratch_destroy(scratch);
    haft__arena_finish(&arena);
    return result == HAFT__PATTERN_YES;
}

TEST(what_expressions_find)
{
    static const struct {
        size_t round;
        const char *line;
        bool found;
    } cases[] = {
        {THREES, "the gate decides on the model", true},
        {THREES, "Models: a gate, decided", true},
        {THREES, "calls, Decide, model", true},
        {THREES, "the gate and its calls decide", false}, /* not side by side in the task */
        {THREES, "gate gate gate", false},
        {TWOS, "decided by the gate", true},
        {TWOS, "the gate of models", true},
        {TWOS, "the gate calls", false},
        {TWOS, "gate, gate", false},
        {ONES, "a gate", true},
        {ONES, "MODEL_GATE", true},
        {ONES, "nothing", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(
            finds("the gate decides on a model call", cases[i].round, haft__str(cases[i].line)),
            cases[i].found, "round %zu: %s", cases[i].round, cases[i].line);
    }
}

TEST(where_names_are_defined)
{
    static const char *const lines[] = {
        "#define gate_x 1",
        "# define gate_x(a) a",
        "int gate_x(void)",
        "gate_x(int a)",
        "struct gate_x {",
        "typedef int gate_x;",
        "} gate_x;",
        "    gate_x = 3,",
        "    X(gate_x, 1)",
        "gate_x: 3",
        "  \"gate_x\": 3,",
        "# The gate_x tool",
        "def gate_x(self):",
        "  async def gate_x():",
        "static int gate_x;",
        "enum gate_x",
        "local int gate_x OF((int));",
    };
    for (size_t i = 0; i < COUNT(lines); i++) {
        CHECK(finds("where is gate_x defined", DEFINED, haft__str(lines[i])), "%s", lines[i]);
    }
    CHECK(!finds("where is gate_x defined", DEFINED, HAFT__LIT("    return gate_x(1);")), "a call");
    CHECK(!finds("where is gate_x defined", DEFINED, HAFT__LIT("int gate_xy(void)")), "another");
}

TEST(lines_full_of_words_are_not_given_up)
{
    size_t length = 300;
    char *text = test_alloc(length);
    for (size_t i = 0; i < length; i++) {
        text[i] = "gate model "[i % 11];
    }
    for (size_t round = THREES; round <= ONES; round++) {
        (void)finds("alpha gate beta model gamma delta epsilon zeta", round,
                    (haft_str){text, length});
    }
}

TEST(without_known_kinds_everything_is_searched)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__offline_words words;
    haft__offline_search s[2];
    size_t count = 0;
    bool last = false;
    haft_str none = HAFT__LIT("");
    read_words("gate decides opening call", &arena, &words);
    CHECK_INT(haft__offline_round(&words, none, none, THREES, &arena, s, &count, &last, NULL),
              HAFT_OK, "a round");
    CHECK_INT(count, 1, "one search");
    CHECK_STR(s[0].glob, none, "everywhere");
    CHECK_INT(
        haft__offline_round(&words, none, HAFT__LIT("*.c"), THREES, &arena, s, &count, &last, NULL),
        HAFT_OK, "a round");
    CHECK_STR(s[0].glob, HAFT__LIT("*.c"), "programs only");
    haft__arena_finish(&arena);
}

/* Whatever the task: every expression is one, is not too long, and finds the words themselves. */
static void check_task(haft_str task)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__offline_words words;
    CHECK_INT(haft__offline_words_read(task, &arena, &words, NULL), HAFT_OK, "words");
    haft__pattern_scratch *scratch = haft__pattern_scratch_create();
    for (size_t round = 0; round <= ONES + 1; round++) {
        haft__offline_search s[2];
        const haft__pattern *pattern = NULL;
        haft_error err = {0};
        if (round_of(&words, round, &arena, s) == 0) {
            continue;
        }
        CHECK(s[0].pattern.len <= HAFT__LIMIT_PATTERN_BYTES, "%zu bytes", s[0].pattern.len);
        CHECK_INT(haft__pattern_compile(&arena, s[0].pattern, &pattern, &err), HAFT_OK, "%.*s: %s",
                  HAFT__ARG(s[0].pattern), err.message);
        if (round == ONES && pattern != NULL) {
            CHECK_INT(haft__pattern_match(pattern, scratch, words.task), HAFT__PATTERN_YES, "%.*s",
                      HAFT__ARG(s[0].pattern));
        }
        haft__buf named;
        haft__buf_init(&named, 4096);
        CHECK(haft__offline_add_round(&named, &words, s[0].pattern), "it knows its own");
        CHECK(named.len > 5, "and names it");
        haft__buf_finish(&named);
    }
    haft__pattern_scratch_destroy(scratch);
    haft__arena_finish(&arena);
}

TEST(every_expression_can_be_compiled)
{
    static const char letters[] = "ab^$\\.*+?()[]{}|-/_ \"'`#\xC3\xA4 7Zz";
    check_task(HAFT__LIT("How does haft decide whether a model must call a tool?"));
    check_task(HAFT__LIT("\"^$\\.*+?()[]{}|\" (a{2})+ [z-a] \\u{110000}"));
    uint64_t seed = 1;
    for (unsigned i = 0; i < 2000; i++) {
        char task[60];
        for (size_t k = 0; k < sizeof(task); k++) {
            seed = seed * 6364136223846793005U + 1442695040888963407U;
            task[k] = letters[(seed >> 33) % (sizeof(letters) - 1)];
        }
        for (size_t k = 0; k < sizeof(task); k++) { /* keep it valid UTF-8 */
            bool pair = k + 1 < sizeof(task) && task[k] == '\xC3' && task[k + 1] == '\xA4';
            task[k] = (unsigned char)task[k] >= 0x80 && !pair ? 'q' : task[k];
            k += pair ? 1 : 0;
        }
        check_task((haft_str){task, sizeof(task)});
    }
}

TEST(an_expression_is_never_too_long)
{
    haft__buf task;
    haft__buf_init(&task, 1 << 16);
    for (int i = 0; i < HAFT__LIMIT_OFFLINE_WORDS; i++) {
        haft__buf_addf(&task,
                       "\"%c................................................................"
                       "...........\" ",
                       'a' + i);
    }
    check_task(haft__buf_str(&task));
    haft__buf_finish(&task);
}

TEST(other_expressions_have_no_name)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__offline_words words;
    read_words("the gate", &arena, &words);
    haft__buf buf;
    haft__buf_init(&buf, 100);
    CHECK(!haft__offline_add_round(&buf, &words, HAFT__LIT("x")), "not its own");
    CHECK(!haft__offline_add_round(&buf, &words, HAFT__LIT("")), "none");
    CHECK_INT(buf.len, 0, "nothing was written");
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
}
