/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/rules/search.c: rounds of searches and their expressions. */
#include "model/rules/offline_help.h"
#include "schema/regex/pattern.h"

static void read_words(const char *task, haft__arena *arena, haft__offline_words *words)
{
    CHECK_INT(haft__offline_words_read(haft__str(task), arena, words, NULL), HAFT_OK,
              "read the words of the task");
}

/* The rounds, as the planner counts them. */
enum { EXACT, INSIDE, ALL, NAMED, TWOS, ONES };

static haft__offline_search round_of(const haft__offline_words *words, size_t round,
                                     haft__arena *arena)
{
    haft__offline_search search = {HAFT__LIT(""), HAFT__LIT("")};
    bool last = false;
    CHECK_INT(haft__offline_round(words, round, arena, &search, &last, NULL), HAFT_OK,
              "make the round");
    CHECK_INT(last, round == ONES, "round %zu: whether it is the last", round);
    return search;
}

#define GATE "(?:[Gg]ate|GATE)"
#define OPEN "(?:[Oo]pen|OPEN)"

TEST(each_round_is_wider)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__offline_words words;
    read_words("the gate opens", &arena, &words);
    CHECK_STR(round_of(&words, EXACT, &arena).pattern, HAFT__LIT(""), "no exact word");
    CHECK_STR(round_of(&words, INSIDE, &arena).pattern, HAFT__LIT(""), "no name");
    CHECK_STR(round_of(&words, ALL, &arena).pattern,
              HAFT__LIT(GATE ".{0,80}" OPEN "|" OPEN ".{0,80}" GATE), "all words");
    CHECK_STR(round_of(&words, NAMED, &arena).glob,
              HAFT__LIT("**/{*gate*,*gate*/**,*open*,*open*/**}"), "files named after a word");
    CHECK_STR(round_of(&words, ONES, &arena).pattern, HAFT__LIT(GATE "|" OPEN), "any word");
    CHECK_STR(round_of(&words, ONES, &arena).glob, HAFT__LIT(""), "in all files");
    read_words("alpha beta gamma delta", &arena, &words);
    CHECK_STR(round_of(&words, ALL, &arena).pattern, HAFT__LIT(""), "four words are too many");
    CHECK(round_of(&words, TWOS, &arena).pattern.len > 0, "pairs of words");
    read_words("\"a.b*c\" and read_me", &arena, &words);
    CHECK_STR(round_of(&words, EXACT, &arena).pattern, HAFT__LIT("a\\.b\\*c|\\bread_me\\b"),
              "exact words are escaped and matched whole");
    CHECK_STR(round_of(&words, INSIDE, &arena).pattern, HAFT__LIT("read_me|READ_ME"),
              "an identifier inside other names");
    haft__arena_finish(&arena);
}

/* Whether the expression of a round finds the line. */
static bool finds(const char *task, size_t round, haft_str line)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__offline_words words;
    const haft__pattern *pattern = NULL;
    read_words(task, &arena, &words);
    haft_str source = round_of(&words, round, &arena).pattern;
    CHECK_INT(haft__pattern_compile(&arena, source, &pattern, NULL), HAFT_OK,
              "compile the pattern");
    haft__pattern_scratch *scratch = haft__pattern_scratch_create();
    haft__pattern_result result = haft__pattern_match(pattern, scratch, line);
    CHECK(result == HAFT__PATTERN_YES || result == HAFT__PATTERN_NO, "the search gave up");
    haft__pattern_scratch_destroy(scratch);
    haft__arena_finish(&arena);
    return result == HAFT__PATTERN_YES;
}

TEST(expressions_find_matches)
{
    static const struct {
        size_t round;
        const char *line;
        bool found;
    } cases[] = {
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

TEST(searches_do_not_give_up_on_lines_full_of_words)
{
    size_t length = 300;
    char *text = test_alloc(length);
    for (size_t i = 0; i < length; i++) {
        text[i] = "gate model "[i % 11];
    }
    for (size_t round = TWOS; round <= ONES; round++) {
        (void)finds("alpha gate beta model gamma delta epsilon zeta", round,
                    (haft_str){text, length});
    }
}

/* For any task, every expression is valid, is not too long, and finds the words of the task. */
static void check_task(haft_str task)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__offline_words words;
    CHECK_INT(haft__offline_words_read(task, &arena, &words, NULL), HAFT_OK,
              "read the words of the task");
    haft__pattern_scratch *scratch = haft__pattern_scratch_create();
    for (size_t round = 0; round <= ONES; round++) {
        const haft__pattern *pattern = NULL;
        haft_error err = {0};
        haft_str source = round_of(&words, round, &arena).pattern;
        if (source.len == 0) {
            continue;
        }
        CHECK(source.len <= HAFT__LIMIT_PATTERN_BYTES, "%zu bytes", source.len);
        CHECK_INT(haft__pattern_compile(&arena, source, &pattern, &err), HAFT_OK, "%.*s: %s",
                  HAFT__ARG(source), err.message);
        if (round == ONES && pattern != NULL) {
            CHECK_INT(haft__pattern_match(pattern, scratch, words.task), HAFT__PATTERN_YES, "%.*s",
                      HAFT__ARG(source));
        }
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
