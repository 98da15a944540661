/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/offline_search.c: rounds of searches and their expressions. */
#include "offline_help.h"
#include "schema/pattern.h"

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
    CHECK_INT(last, round > 4, "round %zu", round);
    return count;
}

TEST(rounds_ask_for_less_and_less)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__offline_words words;
    haft__offline_search s[2];
    read_words("the gate decides", &arena, &words);
    CHECK_INT(round_of(&words, 0, &arena, s), 0, "nothing is exact");
    CHECK_INT(round_of(&words, 1, &arena, s), 0, "nor here");
    CHECK_INT(round_of(&words, 2, &arena, s), 0, "there are no three");
    CHECK_INT(round_of(&words, 3, &arena, s), 2, "documents and programs");
    CHECK_STR(s[0].pattern, HAFT__LIT("^(?:(?=.{0,200}[Gg]ate).{0,200}[Dd]ecid)"), "two");
    CHECK_STR(s[0].glob, HAFT__LIT("*.md"), "documents first");
    CHECK_STR(s[1].glob, HAFT__LIT("*.c"), "then programs");
    CHECK_INT(round_of(&words, 4, &arena, s), 1, "everywhere");
    CHECK_STR(s[0].pattern, HAFT__LIT("[Gg]ate|[Dd]ecid"), "one");
    CHECK_STR(s[0].glob, HAFT__LIT(""), "everywhere");
    CHECK_INT(round_of(&words, 5, &arena, s), 0, "no more");
    read_words("\"a.b*c\" and read_me", &arena, &words);
    CHECK_INT(round_of(&words, 0, &arena, s), 1, "definitions");
    CHECK_STR(s[0].pattern, HAFT__LIT("^[A-Za-z_].{0,80}(?:a\\.b\\*c|read_me)"), "not indented");
    CHECK_INT(round_of(&words, 1, &arena, s), 1, "anywhere");
    CHECK_STR(s[0].pattern, HAFT__LIT("a\\.b\\*c|read_me"), "escaped");
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
    CHECK(haft__pattern_steps(scratch) < 20000, "%zu steps", haft__pattern_steps(scratch));
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
        {2, "the gate decides on the model", true},
        {2, "Models: a gate, decided", true},
        {2, "calls, Decide, model", true},
        {2, "the gate and its calls decide", false}, /* not side by side in the task */
        {2, "gate gate gate", false},
        {3, "decided by the gate", true},
        {3, "the gate of models", true},
        {3, "the gate calls", false},
        {3, "gate, gate", false},
        {4, "a gate", true},
        {4, "nothing", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(
            finds("the gate decides on a model call", cases[i].round, haft__str(cases[i].line)),
            cases[i].found, "round %zu: %s", cases[i].round, cases[i].line);
    }
}

TEST(long_lines_cost_no_more_than_others)
{
    size_t length = 60000;
    char *text = test_alloc(length);
    for (size_t i = 0; i < length; i++) {
        text[i] = "gate model "[i % 11];
    }
    for (size_t round = 2; round <= 3; round++) {
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
    read_words("gate decides opening", &arena, &words);
    CHECK_INT(haft__offline_round(&words, none, none, 2, &arena, s, &count, &last, NULL), HAFT_OK,
              "a round");
    CHECK_INT(count, 1, "one search");
    CHECK_STR(s[0].glob, none, "everywhere");
    CHECK_INT(
        haft__offline_round(&words, none, HAFT__LIT("*.c"), 2, &arena, s, &count, &last, NULL),
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
    for (size_t round = 0; round < 6; round++) {
        haft__offline_search s[2];
        const haft__pattern *pattern = NULL;
        haft_error err = {0};
        if (round_of(&words, round, &arena, s) == 0) {
            continue;
        }
        CHECK(s[0].pattern.len <= HAFT__LIMIT_PATTERN_BYTES, "%zu bytes", s[0].pattern.len);
        CHECK_INT(haft__pattern_compile(&arena, s[0].pattern, &pattern, &err), HAFT_OK, "%.*s: %s",
                  HAFT__ARG(s[0].pattern), err.message);
        if (round == 4 && pattern != NULL) {
            CHECK_INT(haft__pattern_match(pattern, scratch, words.items[0].text), HAFT__PATTERN_YES,
                      "%.*s", HAFT__ARG(s[0].pattern));
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
