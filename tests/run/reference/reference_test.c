/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/reference/: which references an answer has, whether they are right, and what
 * is left of the answer without the wrong ones. */
#include "run/reference/reference.h"

#include "base/limits.h"
#include "test.h"

/* "FILE LINES QUOTE" of each reference, a line each; "?" for a doubtful one. */
static haft_str list(haft__arena *arena, const char *answer, haft__buf *buf)
{
    haft__reference *found = NULL;
    size_t count = 0;
    haft_error err = {0};
    CHECK_INT(haft__references_find(haft__str(answer), arena, &found, &count, &err), HAFT_OK, "%s",
              err.message);
    for (size_t i = 0; i < count; i++) {
        haft__buf_addf(buf, "%s%s%.*s %llu", i > 0 ? "\n" : "", found[i].doubtful ? "?" : "",
                       HAFT__ARG(found[i].file), (unsigned long long)found[i].first);
        if (found[i].last != found[i].first) {
            haft__buf_addf(buf, "-%llu", (unsigned long long)found[i].last);
        }
        haft__buf_addf(buf, "%s%.*s", found[i].quote.len > 0 ? " " : "", HAFT__ARG(found[i].quote));
    }
    return haft__buf_str(buf);
}

static const struct {
    const char *answer, *want;
} answers[] = {
    {"", ""},
    {"It is in src/a.c:12.", "src/a.c 12"},
    {"- `src/a.c:12`: `int a;`", "src/a.c 12 int a;"},
    {"- `src/a.c:12-14`: ``int `a`;``", "src/a.c 12-14 int `a`;"},
    {"**src/a.c:12** says \"int a;\"", "src/a.c 12 int a;"},
    {"`int a;` (src/a.c:12)", "src/a.c 12 int a;"},
    {"`int a;` is in src/a.c:12", "src/a.c 12"},
    {"`int a;`\n(src/a.c:12)", "src/a.c 12"}, /* another line */
    {"(src/a.c:12, src/b.c:3)", "src/a.c 12\nsrc/b.c 3"},
    {"src/a.c:12:5 and src/a.c:12:", "src/a.c 12\nsrc/a.c 12"},
    {"src/a.c#L12-L14", "src/a.c 12-14"},
    {"[a](src/a.c#L12)", "src/a.c 12"},
    {"src/a.c:12:int a;", "src/a.c 12 int a;"}, /* the form of grep */
    {"- src/a.c:12:int a; // x", "src/a.c 12 int a; // x"},
    {"See src/a.c:12:a_b, (src/b.c:3:c).", "src/a.c 12 a_b\nsrc/b.c 3 c"},
    {"`src/a.c:12:int a;`", "src/a.c 12 int a;"},
    {"`src/a.c:12: int a;`", "src/a.c 12 int a;"},
    {"`at src/a.c:12: it fails`", "src/a.c 12"},
    {"src/a.c:12:34:int and src/a.c:12:34: error", "src/a.c 12\nsrc/a.c 12"}, /* a column */
    {"src/a.c:12:3rd", "src/a.c 12 3rd"},
    {"src/a.c:12: prose", "src/a.c 12"},
    {"src/a.c:0, src/a.c:9-3, a.c:0", "src/a.c 0\nsrc/a.c 9-3\n?a.c 0"},
    {"src/a.c:99999999999", "src/a.c 18446744073709551615"}, /* no file has that line */
    {"src/a.c:12\xE2\x80\x93"
     "14",
     "src/a.c 12-14"}, /* an en dash */
    {"src/a.c:12\xE2\x80\xA6 src/a.c:12- src/a.c:12~14", "src/a.c 12\nsrc/a.c 12\nsrc/a.c 12"},
    {"src/a.c:L12", "src/a.c 12"},
    {"src/a.c:1\xE2\x86\x92src/b.c:2", "src/a.c 1\nsrc/b.c 2"}, /* an arrow */
    {"src/a.c:1+src/b.c:2\xE2\x80\x94src/c.c:3", "src/a.c 1\n+src/b.c 2\nsrc/c.c 3"},
    {"src/a.c:12x src/a.c:12.5 a/b:5-star a/b:1/2 src/a.c:x", ""},
    {"`src/a.c`, line 12", "src/a.c 12"},
    {"`src/a.c`:12 and `src/a.c` : 12", "src/a.c 12"},
    {"src/a.c (lines 12-14): `int a;`", "src/a.c 12-14 int a;"},
    {"**src/a.c** at line 12.", "src/a.c 12"},
    {"a.c: line 12", "?a.c 12"},
    {"src/a.c\nline 12, and/or line 3, src/a.c lines", ""},
    {"`src/a.c:12`, `src/b.c:3:int b;`", "src/a.c 12\nsrc/b.c 3 int b;"},
    {"`src/a.c:12`, `src/b.c:3`", "src/a.c 12\nsrc/b.c 3"}, /* a reference is no quote */
    {"`src/a.c:1`: `see src/b.c:9` ok", "src/a.c 1 see src/b.c:9"},
    {"`see src/b.c:9` ok", "see src/b.c 9"}, /* a name may have spaces; the file decides */
    {"`a b/c d.txt:7`", "a b/c d.txt 7"},
    {"Makefile:3 and note:4", "?Makefile 3\n?note 4"},
    {"http://host/a.c:80 https://x.y:1", ""},
    {"127.0.0.1:80, 12:30, v1.2:3", "?v1.2 3"},
    {"\xC3\xA4/\xC3\xB6.c:1", "\xC3\xA4/\xC3\xB6.c 1"},
    {"`src/a.c:12", "src/a.c 12"}, /* not closed */
    {"src/a.c:12\xE2\x80\x94\xE2\x80\x9Cint a;\xE2\x80\x9D", "src/a.c 12 int a;"},
    {"src/a.c:12 contains `int a;`, src/a.c:13 calls `f`", "src/a.c 12 int a;\nsrc/a.c 13"},
    {"src/a.c:12 \xE2\x80\x94 \xE2\x80\x9Cint a;\xE2\x80\x9D", "src/a.c 12 int a;"},
};

TEST(references_are_found_with_their_lines_and_quotes)
{
    for (size_t i = 0; i < COUNT(answers); i++) {
        haft__arena arena;
        haft__buf buf;
        haft__arena_init(&arena, 0);
        haft__buf_init(&buf, 1 << 16);
        CHECK_STR(list(&arena, answers[i].answer, &buf), haft__str(answers[i].want), "%s",
                  answers[i].answer);
        haft__buf_finish(&buf);
        haft__arena_finish(&arena);
    }
}

#define FILE_TEXT "int a;\n\tint  b;\r\nint \xC3\xA4 = 'x';\n\xFF\n\nlast"

static const struct {
    uint64_t first, last;
    const char *quote;
    haft__reference_verdict want;
} checks[] = {
    {1, 1, "", HAFT__REFERENCE_GOOD},
    {1, 1, "int a;", HAFT__REFERENCE_GOOD},
    {1, 1, "int a", HAFT__REFERENCE_GOOD},
    {1, 1, "int b;", HAFT__REFERENCE_OTHER_TEXT},
    {2, 2, "int b;", HAFT__REFERENCE_GOOD}, /* white space and the CR do not matter */
    {1, 2, "int a; int b;", HAFT__REFERENCE_GOOD},
    {1, 1, "int a; int b;", HAFT__REFERENCE_OTHER_TEXT},
    {3, 3, "int \xC3\xA4 \xE2\x80\xA6", HAFT__REFERENCE_GOOD},
    {3, 3, "... = 'x'...", HAFT__REFERENCE_GOOD},
    {3, 3, "int a ...", HAFT__REFERENCE_OTHER_TEXT},
    {4, 4, "?", HAFT__REFERENCE_GOOD},
    {5, 5, "", HAFT__REFERENCE_GOOD}, /* an empty line */
    {5, 5, "x", HAFT__REFERENCE_OTHER_TEXT},
    {6, 6, "last", HAFT__REFERENCE_GOOD},
    {7, 7, "", HAFT__REFERENCE_NO_LINE},
    {6, 7, "last", HAFT__REFERENCE_NO_LINE},
    {999999999, 999999999, "", HAFT__REFERENCE_NO_LINE},
    {0, 0, "", HAFT__REFERENCE_NO_LINE},
    {UINT64_MAX, UINT64_MAX, "", HAFT__REFERENCE_NO_LINE},
    {1, UINT64_MAX, "", HAFT__REFERENCE_NO_LINE},
    {2, 1, "", HAFT__REFERENCE_NO_LINE},
};

/* Checks the reference against a file with this text. */
static haft__reference_verdict check(haft__reference *reference, haft_str text)
{
    haft__arena arena;
    haft__reference_file file;
    haft_error err = {0};
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__reference_file_init(&file, text, &arena, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(haft__reference_check(reference, &file, &err), HAFT_OK, "%s", err.message);
    haft__arena_finish(&arena);
    return reference->verdict;
}

TEST(a_reference_is_good_if_its_lines_contain_the_quote)
{
    for (size_t i = 0; i < COUNT(checks); i++) {
        haft__reference reference = {.file = HAFT__LIT("a.c"),
                                     .first = checks[i].first,
                                     .last = checks[i].last,
                                     .quote = haft__str(checks[i].quote)};
        CHECK_INT(check(&reference, HAFT__LIT(FILE_TEXT)), checks[i].want,
                  "lines %llu-%llu, \"%s\"", (unsigned long long)checks[i].first,
                  (unsigned long long)checks[i].last, checks[i].quote);
    }
    haft__reference empty = {.first = 1, .last = 1};
    CHECK_INT(check(&empty, HAFT__LIT("")), HAFT__REFERENCE_NO_LINE, "an empty file");
}

TEST(each_line_of_a_long_file_is_found)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 20);
    for (unsigned i = 1; i <= 5000; i++) {
        haft__buf_addf(&text, "line %u;\n", i);
    }
    for (uint64_t line = 1; line <= 5001; line++) {
        char quote[32];
        (void)snprintf(quote, sizeof(quote), "line %u;", (unsigned)line);
        haft__reference reference = {.first = line, .last = line, .quote = haft__str(quote)};
        CHECK_INT(check(&reference, haft__buf_str(&text)),
                  line <= 5000 ? HAFT__REFERENCE_GOOD : HAFT__REFERENCE_NO_LINE, "%s", quote);
    }
    haft__buf_finish(&text);
}

TEST(a_quote_is_found_after_a_part_of_itself)
{
    haft__reference good = {.first = 1, .last = 1, .quote = HAFT__LIT("aabaac")};
    haft__reference other = {.first = 1, .last = 1, .quote = HAFT__LIT("aabaad")};
    CHECK_INT(check(&good, HAFT__LIT("aabaabaac")), HAFT__REFERENCE_GOOD, "good");
    CHECK_INT(check(&other, HAFT__LIT("aabaabaac")), HAFT__REFERENCE_OTHER_TEXT, "other");
}

/* A reference to line 1 is good, to line 2 has another text, to line 9 does not exist; there is no
 * file "gone". */
static const struct {
    const char *answer, *want;
    size_t dropped;
} rewritten[] = {
    {"Nothing.", "Nothing.", 0},
    {"In a.c:1.\n", "In `a.c:1`.\n", 0},
    {"In `a.c:1`, a.c:9.", "In `a.c:1`, [wrong reference removed].", 1},
    {"- `a.c:1`: `int a;`\n- `a.c:2`: `int x;`\nEnd.", "- `a.c:1`: `int a;`\nEnd.", 1},
    {"- `a.c:1` and `a.c:9`\n", "- `a.c:1` and [wrong reference removed]\n", 1},
    {"12. gone.c:1\n\nEnd.", "\nEnd.", 1},
    {"gone.c:1", "[wrong reference removed]", 1},
    {"gone:1 is a word", "gone:1 is a word", 0},
    {"See a.c:2: `int x; gone.c:1`, a.c:1.", "See [wrong reference removed], `a.c:1`.", 1},
    {"a.c:1:int a;\na.c:2:int x;\n", "`a.c:1`:int a;\n[wrong reference removed]\n", 1},
    {"`a.c:1:int a;` `a.c:1:int x;`", "`a.c:1:int a;` [wrong reference removed]", 1},
    {"a.c:1 `x a.c:1", "`a.c:1` `x a.c:1", 0}, /* the code span is not closed */
    {"[a](a.c:1) a.c, line 1", "[a](a.c:1) a.c, line 1", 0},
    {"```\na.c:1\n- a.c:9\n```\na.c:1", "```\na.c:1\n```\n`a.c:1`", 1},
};

TEST(wrong_references_are_removed_and_counted)
{
    for (size_t i = 0; i < COUNT(rewritten); i++) {
        haft__arena arena;
        haft__buf buf;
        haft__reference *found = NULL;
        size_t count = 0;
        haft__arena_init(&arena, 0);
        haft__buf_init(&buf, 1 << 16);
        haft_str answer = haft__str(rewritten[i].answer);
        CHECK_INT(haft__references_find(answer, &arena, &found, &count, NULL), HAFT_OK, "%s",
                  rewritten[i].answer);
        for (size_t k = 0; k < count; k++) {
            if (haft__str_starts_with(found[k].file, HAFT__LIT("gone"))) {
                found[k].verdict = HAFT__REFERENCE_NO_FILE;
            } else {
                (void)check(&found[k], HAFT__LIT("int a;\nint b;\n"));
            }
        }
        haft__references_write(&buf, answer, found, count);
        CHECK_STR(haft__buf_str(&buf), haft__str(rewritten[i].want), "%s", rewritten[i].answer);
        CHECK_INT(haft__references_dropped(found, count), rewritten[i].dropped, "%s",
                  rewritten[i].answer);
        haft__buf_finish(&buf);
        haft__arena_finish(&arena);
    }
}

TEST(references_past_the_limit_are_not_shown)
{
    haft__arena arena;
    haft__buf answer;
    haft__reference *found = NULL;
    size_t count = 0;
    haft__arena_init(&arena, 0);
    haft__buf_init(&answer, 1 << 20);
    for (size_t i = 0; i < HAFT__LIMIT_REFERENCES + 1; i++) {
        haft__buf_addf(&answer, "a.c:%zu ", i + 1);
    }
    CHECK_INT(haft__references_find(haft__buf_str(&answer), &arena, &found, &count, NULL), HAFT_OK,
              "find");
    CHECK_INT(count, HAFT__LIMIT_REFERENCES + 1, "all of them");
    CHECK_INT(found[count - 2].verdict, HAFT__REFERENCE_UNCHECKED, "the last one in the limit");
    CHECK_INT(found[count - 1].verdict, HAFT__REFERENCE_TOO_MANY, "the first one past it");
    CHECK(!haft__reference_is_shown(&found[count - 1]), "it is not shown");
    haft__buf_finish(&answer);
    haft__arena_finish(&arena);
}
