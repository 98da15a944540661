/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/schema/regex/pattern.c: matches, their cost, and out of memory. */
#include "schema/regex/pattern.h"

#include <time.h>

#include "base/limits.h"
#include "schema/ecma_help.h"

/* Far more time than any match here needs, and far less than a match without limits. */
#define MAX_SECONDS 4

static const haft__pattern *compile(haft__arena *arena, haft_str source)
{
    const haft__pattern *pattern = NULL;
    haft_error err = {0};
    haft_status status = haft__pattern_compile(arena, source, &pattern, &err);
    CHECK_INT(status, HAFT_OK, "%.*s: %s %s", HAFT__ARG(source), err.where, err.message);
    return pattern;
}

/* Compiles and matches once. */
static haft__pattern_result run(haft_str source, haft_str subject)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__pattern_scratch *scratch = haft__pattern_scratch_create();
    const haft__pattern *pattern = compile(&arena, source);
    haft__pattern_result result =
        pattern != NULL ? haft__pattern_match(pattern, scratch, subject) : HAFT__PATTERN_NO_MEMORY;
    haft__pattern_scratch_destroy(scratch);
    haft__arena_finish(&arena);
    return result;
}

typedef struct match_case {
    const char *source, *subject;
    haft__pattern_result want;
} match_case;

static void check_matches(const match_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        CHECK_INT(run(haft__str(cases[i].source), haft__str(cases[i].subject)), cases[i].want,
                  "%s on %s", cases[i].source, cases[i].subject);
    }
}

#define YES HAFT__PATTERN_YES
#define NO  HAFT__PATTERN_NO

TEST(assertions_match_the_ends_and_ascii_word_boundaries)
{
    static const match_case cases[] = {
        {"^abc$", "abc", YES},
        {"^abc$", "abc\n", NO},
        {"^abc$", "x\nabc", NO},
        {"b$", "ab", YES},
        {"b$", "b\nc", NO},
        {"^", "", YES},
        {"\\bfoo\\b", "a foo", YES},
        {"\\bfoo\\b", "afoo", NO},
        {"\\Boo", "foo", YES},
        {"a\\b", "a\xC3\xA9", YES},
        {"\\B\xC3\xA9", "\xC3\xA9", YES},
        {"a(?=b)", "ab", YES},
        {"a(?=b)", "ac", NO},
        {"a(?!b)", "ab", NO},
        {"a(?!b)", "ac", YES},
        {"(?=b)b?b", "ab", YES},
        {"(?<=a|bc)d", "bcd", YES},
        {"(?<=a|bc)d", "cd", NO},
        {"(?<!a)d", "ad", NO},
        {"(?<!a)d", "d", YES},
        {"(?<=^a)b", "ab", YES},
        {"(?<=^a)b", "aab", NO},
        {"\\s+$", "a  ", YES},
        {"\\s+$", "a  b", NO},
        {"a*^b", "b", YES},
    };
    check_matches(cases, COUNT(cases));
}

TEST(characters_are_code_points_and_case_matters)
{
    static const match_case cases[] = {
        {"^.$", "\xF0\x9F\x90\xB2", YES},
        {"^..$", "\xF0\x9F\x90\xB2", NO},
        {"^.$", "\n", NO},
        {"^.$", "\r", NO},
        {"^.$", "\xE2\x80\xA8", NO},
        {"^.$", "\xE2\x80\xA9", NO},
        {"^.$", "\xC2\x85", YES},
        {"^.$", "\v", YES},
        {"^[^]$", "\n", YES},
        {"^[]", "a", NO},
        {"^[]?$", "", YES},
        {"^\\uD83D\\uDC32$", "\xF0\x9F\x90\xB2", YES},
        {"\\uD83D", "\xF0\x9F\x90\xB2", NO},
        {"^a\\uD83D*b$", "ab", YES},
        {"^[^\\uD83D]$", "\xF0\x9F\x90\xB2", YES},
        {"^[\\u0000-\\uFFFF]$", "\xF0\x9F\x90\xB2", NO},
        {"^[\\u0000-\\uFFFF]$", "\xE2\x82\xAC", YES},
        {"a", "A", NO},
        {"\\u{e9}", "\xC3\xA9", YES},
        {"^\\cJ\\x41\\0$", "\nA", NO},
        {"\\/\\-\\@", "/-@", YES},
        {"^a]{$", "a]{", YES},
    };
    check_matches(cases, COUNT(cases));
    CHECK_INT(run(HAFT__LIT("^a\\0b$"), (haft_str){"a\0b", 3}), YES, "a NUL in the text");
    CHECK_INT(run(HAFT__LIT("^$"), (haft_str){NULL, 0}), YES, "no text at all");
    CHECK_INT(run((haft_str){NULL, 0}, HAFT__LIT("a")), YES, "no expression at all");
}

TEST(sets_are_ascii_except_white_space)
{
    static const match_case cases[] = {
        {"^\\d$", "\xDF\x80", NO},
        {"^\\D$", "\xDF\x80", YES},
        {"^\\w$", "\xC3\xA9", NO},
        {"^\\W$", "\xC3\xA9", YES},
        {"^\\w$", "_", YES},
        {"^[\\W]$", "_", NO},
        {"^\\s$", "\xC2\xA0", YES},
        {"^\\s$", "\xEF\xBB\xBF", YES},
        {"^\\s$", "\xE2\x80\xA9", YES},
        {"^\\s$", "\xE3\x80\x80", YES},
        {"^\\s$", "\xE2\x80\x8B", NO},
        {"^\\s$", "\xE1\xA0\x8E", NO},
        {"^\\s$", "\xC2\x85", NO},
        {"^\\s$", "\v", YES},
        {"^\\S$", "\xC2\xA0", NO},
        {"^\\S$", "\xE1\xA0\x8E", YES},
        {"^[\\S]$", "\xE2\x80\x83", NO},
        {"^[\\S]$", "\xF0\x9F\x90\xB2", YES},
        {"^[^\\S]$", "\xE2\x80\x83", YES},
        {"^[^\\S]$", "a", NO},
        {"^[\\D\\s]$", "1", NO},
        {"^[\\D\\s]$", " ", YES},
        {"^[^\\W\\p{L}]$", " ", NO},
        {"^[^\\W\\p{L}]$", "_", YES},
        {"^[^\\D\\p{L}]$", "\xF0\x9D\x92\x9C", NO},
        {"^[\\w-.]$", "-", YES},
        {"^[\\s\\S]$", "\n", YES},
        {"^[^\\s\\S]$", "a", NO},
    };
    check_matches(cases, COUNT(cases));
}

TEST(references_match_the_text_of_their_group)
{
    static const match_case cases[] = {
        {"^(a|b)\\1$", "aa", YES},
        {"^(a|b)\\1$", "ab", NO},
        {"^(?<q>['\"])x\\k<q>$", "'x'", YES},
        {"^(?<q>['\"])x\\k<q>$", "'x\"", NO},
        {"^(?:(a)|b)\\1c$", "bc", YES},
        {"^\\1(a)$", "a", YES},
        {"^(?:\\1(a))*$", "aa", YES},
        {"^(a\\1)+$", "aa", YES},
        {"^(a){0}(b)\\2\\1$", "bb", YES},
        {"^(?:(\\w)\\1)+$", "aabb", YES},
        {"^(?:(\\w)\\1)+$", "aabc", NO},
        {"^(?:(?=(a)))?\\1$", "a", NO},
        {"^(\xC3\xA9+)-\\1$", "\xC3\xA9\xC3\xA9-\xC3\xA9\xC3\xA9", YES},
    };
    check_matches(cases, COUNT(cases));
}

TEST(reduced_repeats_at_the_ends_do_not_change_the_result)
{
    static const match_case cases[] = {
        {".*foo.*", "a foo b", YES},
        {".*foo.*", "a fo", NO},
        {"a+b", "aab", YES},
        {"a+b", "b", NO},
        {"a{2,4}b", "xaaab", YES},
        {"a{2,4}b", "ab", NO},
        {"ab{2,}", "ab", NO},
        {"ab{2,}", "abb", YES},
        {"x*", "", YES},
        {"a+|b+c", "bc", YES},
        {"a+|b+c", "b", NO},
        {"(a|b)+?c", "dbc", YES},
    };
    check_matches(cases, COUNT(cases));
}

TEST(long_texts_are_matched_in_linear_time)
{
    static const struct {
        const char *source, *part;
        size_t count;
        haft__pattern_result want;
    } cases[] = {
        {"^[a-z]+$", "a", 1 << 20, YES},
        {"^[a-z]+$", "a-", 1 << 19, NO},
        {"^.*$", "lorem ipsum ", 1 << 16, YES},
        {"^[\\s\\S]*$", "a\n", 1 << 19, YES},
        {"^.*foo$", "a", 1 << 20, NO},
        {".*foo.*", "a", 1 << 20, NO},
        {"\\s+$", " ", 1 << 20, YES},
        {"\\s+x", " ", 1 << 20, NO},
        {"\\d+[a-z]", "1", 1 << 20, NO},
        {"foo", "fo", 1 << 19, NO},
        {"^(?:\\w+\\s?)*$", "lorem ipsum ", 100000 / 12, YES},
        {"^\\S+(?: \\S+)*$", "loremipsum", 10000, YES},
        {"^(?:[0-9a-f]{2}:?)+$", "0f:", 10000, YES},
        {"^(.|\\n)*$", "lorem ipsum\n", 1000, YES},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        clock_t start = clock();
        haft__pattern_result result =
            run(haft__str(cases[i].source), help_repeat(cases[i].part, cases[i].count));
        CHECK_INT(result, cases[i].want, "%s", cases[i].source);
        CHECK(clock() - start < MAX_SECONDS * CLOCKS_PER_SEC, "%s is slow", cases[i].source);
    }
}

/* Each of these would take PCRE2 minutes or longer, most of them within its own limits. */
TEST(slow_matches_stop_at_the_step_limit)
{
    static const struct {
        const char *source, *part;
        size_t count;
        const char *tail;
    } cases[] = {
        {"^((((a*)*)*)*)*b", "a", 5000, "cb"},
        {"^(a|aa)+$", "a", 3000, "b"},
        {"^(x+x+)+y", "x", 200, "z y"},
        {"^(?:a?){60}a{60}$", "a", 60, "b"},
        /* Each place where a match may begin costs little, but there are many. */
        {"(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)[bd]c", "a", 1 << 20, "c"},
        {"(?:a?a?){20}[bd]c", "a", 1 << 20, "c"},
        /* A repeat over the text costs PCRE2 one step, however long the text. */
        {"(?:x|\\d+)[a-z]y", "1", 1 << 20, "y"},
        {"^[^]*?\\d+[a-z]y", "1", 1 << 20, "y"},
        {"(?:\\d{60000}x|y)", "1", 1 << 20, ""},
        {"(?=\\d*a)b|(?=\\d*b)c", "1", 1 << 20, "c"},
        {"(?!\\d*a)b|(?:[a-z]|\\d+)c", "1", 1 << 20, "b"},
        {"(?:a{50}){50}[bc]d", "a", 1 << 20, "d"},
        {"(a*)[^]*?\\1[^]*?\\1b", "a", 1 << 17, "cb"},
        {"(?:[ac][ac][ac][ac][ac][ac][ac][ac]){200}[bd]e", "a", 1 << 20, "e"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str subject =
            help_join(help_repeat(cases[i].part, cases[i].count), haft__str(cases[i].tail));
        clock_t start = clock();
        CHECK_INT(run(haft__str(cases[i].source), subject), HAFT__PATTERN_LIMIT, "%s",
                  cases[i].source);
        CHECK(clock() - start < MAX_SECONDS * CLOCKS_PER_SEC, "%s is slow", cases[i].source);
    }
    /* A long literal counts as steps, too, although each character costs little. */
    haft_str literal = help_join(help_repeat("a", 4000), HAFT__LIT("[bc]d"));
    haft_str text = help_join(help_repeat("a", 1 << 20), HAFT__LIT("d"));
    CHECK_INT(run(literal, text), HAFT__PATTERN_LIMIT, "a long literal");
}

TEST(memory_of_a_match_is_bounded)
{
    /* Each iteration of the group takes a frame of PCRE2, which has more than 100 bytes. */
    size_t rounds = (size_t)HAFT__LIMIT_PATTERN_HEAP_KIB * 1024 / 100;
    CHECK_INT(run(HAFT__LIT("^(?:a|b)*$"), help_repeat("b", rounds)), HAFT__PATTERN_LIMIT,
              "past the memory limit");
    CHECK_INT(run(HAFT__LIT("^(?:a|b)*$"), help_repeat("b", rounds / 4)), YES,
              "within the memory limit");
}

TEST(the_step_limit_holds_at_its_value_and_not_past_it)
{
    /* At each start position, this passes three callouts and one character, at 16 to a step:
     * 49/16 steps a character; the length of the text adds 32/16 to the budget. */
    haft_str source = HAFT__LIT("(?:a|a)[bc]");
    size_t length = (size_t)HAFT__LIMIT_PATTERN_MATCH * 16 / (49 - 32);
    CHECK_INT(run(source, help_repeat("a", length - 10)), NO, "within the step limit");
    CHECK_INT(run(source, help_repeat("a", length + 10)), HAFT__PATTERN_LIMIT,
              "past the step limit");
}

TEST(hostile_expressions_are_refused_or_cheap_to_compile)
{
    static const struct {
        const char *source;
        haft_status want;
    } cases[] = {
        {"(x{1000}){1000}", HAFT_OK},
        {"^((x{1000}){1000}){1000}$", HAFT_TOO_BIG},
        {"^(((((x{0,10}){0,10}){0,10}){0,10}){0,10}){0,10}$", HAFT_TOO_BIG},
        {"^(?:ab){0,65535}$", HAFT_TOO_BIG},
        {"^(?:a?){3000}[^a]$", HAFT_OK},
        {"^a{65535}b{0,65535}c{65535,}$", HAFT_OK},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        const haft__pattern *pattern = NULL;
        haft_error err = {0};
        clock_t start = clock();
        CHECK_INT(haft__pattern_compile(&arena, haft__str(cases[i].source), &pattern, &err),
                  cases[i].want, "%s: %s", cases[i].source, err.message);
        CHECK(clock() - start < CLOCKS_PER_SEC, "%s is slow", cases[i].source);
        CHECK(arena.total < 256 * 1024, "%s takes %zu bytes", cases[i].source, arena.total);
        haft__arena_finish(&arena);
    }
}

TEST(errors_of_pcre2_are_reported)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    const haft__pattern *pattern = NULL;
    haft_error err = {0};
    CHECK_INT(haft__pattern_compile(&arena, HAFT__LIT("^(?:ab){0,65535}$"), &pattern, &err),
              HAFT_TOO_BIG, "compile an expression that grows too large");
    CHECK_STR(haft__str(err.message),
              HAFT__LIT("the expression grows too large when it is compiled"), "error message");
    CHECK_STR(haft__str(err.hint), HAFT__LIT("use smaller counts in {...} after groups"),
              "hint of the error");
    haft_status status = haft__pattern_compile(&arena, HAFT__LIT("a\\P{Sidetic}"), &pattern, &err);
    CHECK_INT(status, HAFT_BAD_INPUT, "a script without its key");
    status = haft__pattern_compile(&arena, HAFT__LIT("a[\\P{sc=Sidetic}]b"), &pattern, &err);
    CHECK(status == HAFT_OK || status == HAFT_UNSUPPORTED, "status %d", (int)status);
    if (status == HAFT_UNSUPPORTED) {
        CHECK_STR(
            haft__str(err.message),
            HAFT__LIT("the Unicode property `sc:Sidt` is not supported by the installed PCRE2"),
            "a script newer than PCRE2");
    }
    CHECK(pattern == NULL, "a failure returns no pattern");
    haft__arena_finish(&arena);
}

TEST(translations_are_appended_to_the_buffer)
{
    haft__buf buf;
    haft__buf_init(&buf, HELP_BYTES);
    haft__buf_add_str(&buf, HAFT__LIT("> "));
    CHECK_INT(haft__pattern_translate(HAFT__LIT("^a$"), &buf, NULL), HAFT_OK,
              "translate a valid expression");
    CHECK_INT(haft__pattern_translate(HAFT__LIT("^a("), &buf, NULL), HAFT_BAD_INPUT,
              "translate an invalid expression");
    CHECK_STR(haft__buf_str(&buf), HAFT__LIT("> (?C)^a$"), "only the valid one is appended");
    haft__buf_finish(&buf);
}

TEST(a_scratch_serves_many_patterns_without_new_memory)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    const haft__pattern *words = compile(&arena, HAFT__LIT("^(?:[a-z]+ ?)+$"));
    const haft__pattern *refs = compile(&arena, HAFT__LIT("^(a+)(b+)\\2\\1$"));
    haft_str text = help_repeat("lorem ipsum ", 1000);
    haft__pattern_scratch *scratch = haft__pattern_scratch_create();
    CHECK_INT(haft__pattern_match(words, scratch, text), YES, "the first match");
    size_t before = test_allocation_count();
    CHECK_INT(haft__pattern_match(words, scratch, text), YES, "the second match");
    CHECK_INT(haft__pattern_match(refs, scratch, HAFT__LIT("abba")), YES,
              "another pattern, a match");
    CHECK_INT(haft__pattern_match(refs, scratch, HAFT__LIT("abbba")), NO,
              "another pattern, no match");
    CHECK_INT(test_allocation_count(), before, "number of allocations");
    haft__pattern_scratch_destroy(scratch);
    haft__pattern_scratch_destroy(NULL);
    haft__arena_finish(&arena);
}

TEST(compiling_survives_every_failed_allocation)
{
    haft_str source = HAFT__LIT("^(?<a>[^\\s]|\\d)\\1(?=[a-z]+)$");
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        const haft__pattern *pattern = NULL;
        test_fail_allocation(n);
        haft_status status = haft__pattern_compile(&arena, source, &pattern, NULL);
        bool failed = test_allow_allocations();
        haft__arena_finish(&arena);
        CHECK((status == HAFT_OK) == (pattern != NULL), "allocation %u", n);
        if (!failed) {
            CHECK_INT(status, HAFT_OK, "status without a failed allocation");
            CHECK(n >= 5, "only %u allocations", n);
            break;
        }
        CHECK_INT(status, HAFT_NO_MEMORY, "allocation %u", n);
    }
}

TEST(a_full_arena_is_too_big)
{
    for (size_t max = 8; max <= 128; max *= 4) {
        haft__arena arena;
        haft__arena_init(&arena, max);
        const haft__pattern *pattern = NULL;
        CHECK_INT(haft__pattern_compile(&arena, HAFT__LIT("^a+$"), &pattern, NULL), HAFT_TOO_BIG,
                  "%zu bytes", max);
        haft__arena_finish(&arena);
    }
}

TEST(a_scratch_survives_every_failed_allocation)
{
    haft__pattern_scratch *scratch = NULL;
    unsigned n = 0;
    for (; scratch == NULL; n++) {
        test_fail_allocation(n);
        scratch = haft__pattern_scratch_create();
        CHECK(test_allow_allocations() == (scratch == NULL), "allocation %u", n);
    }
    CHECK_INT(n, 5, "number of allocations");
    haft__arena arena;
    haft__arena_init(&arena, 0);
    const haft__pattern *pattern = compile(&arena, HAFT__LIT("^(?:[a-z]+ ?)+$"));
    haft_str text = help_repeat("lorem ipsum ", 1000);
    for (n = 0;; n++) {
        test_fail_allocation(n);
        haft__pattern_result result = haft__pattern_match(pattern, scratch, text);
        if (!test_allow_allocations()) {
            CHECK_INT(result, YES, "result without a failed allocation");
            break;
        }
        CHECK_INT(result, HAFT__PATTERN_NO_MEMORY, "allocation %u", n);
        haft__pattern_scratch_destroy(scratch);
        scratch = haft__pattern_scratch_create();
    }
    CHECK(n >= 2, "the memory of a match never grew");
    haft__pattern_scratch_destroy(scratch);
    haft__arena_finish(&arena);
}

TEST(text_compared_by_a_back_reference_costs_steps)
{
    /* The same text with and without a reference to a group of 1600 letters. */
    static const char *const sources[] = {"^(a*)b\\1$", "^(a*)ba*$"};
    size_t steps[COUNT(sources)];
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__pattern_scratch *scratch = haft__pattern_scratch_create();
    haft__buf text;
    haft__buf_init(&text, 1 << 16);
    haft__buf_add_str(&text, help_repeat("a", 1600));
    haft__buf_add_char(&text, 'b');
    haft__buf_add_str(&text, help_repeat("a", 1600));
    for (size_t i = 0; i < COUNT(sources); i++) {
        const haft__pattern *pattern = compile(&arena, haft__str(sources[i]));
        CHECK_INT(haft__pattern_match(pattern, scratch, haft__buf_str(&text)), YES, "%s",
                  sources[i]);
        steps[i] = haft__pattern_steps(scratch);
    }
    CHECK(steps[0] >= steps[1] + 1600 / 16, "%zu and %zu steps", steps[0], steps[1]);
    haft__buf_finish(&text);
    haft__pattern_scratch_destroy(scratch);
    haft__arena_finish(&arena);
}
