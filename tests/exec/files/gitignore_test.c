/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/files/gitignore.h"

#include "base/limits.h"
#include "exec/files_help.h"

static const struct {
    const char *rules, *path;
    bool directory, ignored;
} cases[] = {
    {"a", "a", false, true},
    {"a", "x/a", false, true},
    {"a", "ab", false, false},
    {"*.o", "x/a.o", false, true},
    {"/a", "a", false, true},
    {"/a", "x/a", false, false},
    {"a/b", "a/b", false, true},
    {"a/b", "x/a/b", false, false},
    {"a/", "a", true, true},
    {"a/", "a", false, false},
    {"a/", "x/a", true, true},
    {"a/*", "a/b", true, true},
    {"a/*", "a", true, false},
    {"**/a", "x/y/a", false, true},
    {"a/**", "a/x", false, true},
    {"a/**/b", "a/b", false, true},
    {"a/**/b", "a/x/y/b", false, true},
    {"*.o\n!keep.o", "keep.o", false, false},
    {"!keep.o\n*.o", "keep.o", false, true},
    {"*\n!*.c\n", "a.c", false, false},
    {"# a\n", "# a", false, false},
    {"\\# a\n", "# a", false, true},
    {"\\!a\n", "!a", false, true},
    {"!!a\n", "!a", false, false},
    {"a\\ \n", "a ", false, true},
    {"a  \n", "a", false, true},
    {"a\\  \n", "a ", false, true},
    {" a\n", " a", false, true},
    {"a\t\n", "a\t", false, true},
    {"a\t\n", "a", false, false},
    {"a\r\nb\r\n", "a", false, true},
    {"a\r\nb\r\n", "b", false, true},
    {"a\r", "a", false, true},
    {"\xef\xbb\xbf"
     "a",
     "a", false, true},
    {"\n\n\r\n  \n/\n!\n!/\n//\n", "a", true, false},
    {"[ab]c", "bc", false, true},
    {"[!ab]c", "bc", false, false},
    {"[^ab]c", "dc", false, true},
    {"[a-c]", "b", false, true},
    {"[[:digit:]]", "7", false, true},
    {"[]]", "]", false, true},
    {"[a", "[a", false, false},
    {"a\\", "a\\", false, false},
    {"a\\b", "ab", false, true},
    {"\\*", "*", false, true},
    {"\\*", "a", false, false},
    {"*", ".hidden", false, true},
    {"?", "\xff", false, true},
    {"a//", "a", true, false},
    {"foo\\/", "foo", true, false},
    {"x/../a", "a", false, false},
    {"./a", "a", false, false},
};

/* Checks the parent directories first, as a walk does. */
static bool is_ignored(const haft__gitignore *ignore, const char *path, bool directory)
{
    for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        if (haft__gitignore_matches(ignore, (haft_str){path, (size_t)(slash - path)}, true)) {
            return true;
        }
    }
    return haft__gitignore_matches(ignore, haft__str(path), directory);
}

TEST(rules_ignore_the_same_files_as_git)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__gitignore ignore = {0};
        CHECK(haft__gitignore_parse(&ignore, &arena, haft__str(cases[i].rules)), "no memory");
        CHECK_INT(is_ignored(&ignore, cases[i].path, cases[i].directory), cases[i].ignored,
                  "'%s' and %s", cases[i].rules, cases[i].path);
        haft__arena_finish(&arena);
    }
}

/* Git agrees with the table. */
TEST(git_itself_agrees_with_the_table)
{
    files f = files_make();
    for (size_t i = 0; files_git(&f) && i < COUNT(cases); i++) {
        char path[64];
        (void)snprintf(path, sizeof(path), "%s%s", cases[i].path, cases[i].directory ? "/" : "");
        files_add(&f, path, "");
        files_add(&f, ".gitignore", cases[i].rules);
        files_add(&f, ".git/paths", cases[i].path);
        haft_str printed = files_shell(&f, "git check-ignore -z --stdin --no-index <.git/paths; "
                                           "test $? -lt 128");
        CHECK_INT(printed.len > 0, cases[i].ignored, "'%s' and %s", cases[i].rules, cases[i].path);
        CHECK(files_shell(&f, "rm -rf -- *").ptr != NULL, "the files were not removed");
    }
    files_remove(&f);
}

TEST(deeper_rules_have_precedence)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__gitignore top = {0};
    CHECK(haft__gitignore_parse(&top, &arena, HAFT__LIT("*.log\n/x/y/b\n")), "no memory");
    haft__gitignore below = {.above = &top, .prefix = 2};
    CHECK(haft__gitignore_parse(&below, &arena, HAFT__LIT("!keep.log\n/a\n")), "no memory");
    static const struct {
        const char *path;
        bool ignored;
    } asked[] = {
        {"x/b.log", true}, {"x/keep.log", false}, {"x/a", true},
        {"x/y/a", false},  {"x/y/b", true},       {"x/b", false},
    };
    for (size_t i = 0; i < COUNT(asked); i++) {
        CHECK_INT(haft__gitignore_matches(&below, haft__str(asked[i].path), false),
                  asked[i].ignored, "%s", asked[i].path);
    }
    CHECK(haft__gitignore_matches(&top, HAFT__LIT("keep.log"), false),
          "deeper rules apply to the directory above");
    CHECK(!haft__gitignore_matches(NULL, HAFT__LIT("a"), false), "no rules");
    haft__arena_finish(&arena);
}

TEST(a_second_file_adds_to_the_first)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__gitignore ignore = {0};
    CHECK(haft__gitignore_parse(&ignore, &arena, HAFT__LIT("a\nb")), "no memory");
    CHECK(haft__gitignore_parse(&ignore, &arena, HAFT__LIT("!b")), "no memory");
    CHECK(haft__gitignore_matches(&ignore, HAFT__LIT("a"), false), "a is not ignored");
    CHECK(!haft__gitignore_matches(&ignore, HAFT__LIT("b"), false), "b is still ignored");
    haft__arena_finish(&arena);
}

TEST(a_nul_ends_a_line)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__gitignore ignore = {0};
    CHECK(haft__gitignore_parse(&ignore, &arena, HAFT__LIT("a\0b\nc")), "no memory");
    CHECK(haft__gitignore_matches(&ignore, HAFT__LIT("a"), false), "a is not ignored");
    CHECK(haft__gitignore_matches(&ignore, HAFT__LIT("c"), false), "c is not ignored");
    haft__arena_finish(&arena);
}

TEST(the_length_of_a_rule_is_bounded)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__gitignore ignore = {0};
    char text[HAFT__LIMIT_FILES_PATH_BYTES + 1];
    memset(text, '*', sizeof(text));
    CHECK(haft__gitignore_parse(&ignore, &arena, (haft_str){text, sizeof(text)}), "no memory");
    CHECK(ignore.last == NULL, "a rule that is too long was added");
    CHECK(haft__gitignore_parse(&ignore, &arena, (haft_str){text, sizeof(text) - 1}), "no memory");
    CHECK(haft__gitignore_matches(&ignore, HAFT__LIT("a"), false),
          "a rule at the limit was not added");
    haft__arena_finish(&arena);
}

TEST(parsing_rules_reports_a_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__gitignore ignore = {0};
        test_fail_allocation(n);
        bool read = haft__gitignore_parse(&ignore, &arena, HAFT__LIT("a*b\n/c/[d]\n"));
        bool failed = test_allow_allocations();
        haft__arena_finish(&arena);
        CHECK(read != failed, "allocation %u", n);
        if (!failed) {
            break;
        }
    }
}
