/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/files/glob.h"

#include "base/limits.h"
#include "test.h"

static bool matches(const char *pattern, const char *path)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    const haft__glob *glob_pattern = NULL;
    haft_error err = {0};
    bool found = haft__glob_compile(&arena, haft__str(pattern), &glob_pattern, &err) == HAFT_OK;
    CHECK(found, "%s: %s", pattern, err.message);
    found = found && haft__glob_matches(glob_pattern, haft__str(path));
    haft__arena_finish(&arena);
    return found;
}

TEST(patterns_match_paths)
{
    static const struct {
        const char *pattern, *path;
        bool matches;
    } cases[] = {
        /* A pattern without a slash matches the name, at any depth. */
        {"a.c", "a.c", true},
        {"a.c", "x/y/a.c", true},
        {"a.c", "x/a.cc", false},
        {"a.c", "a.c/b", false},
        {"*.c", "x/y/a.c", true},
        {"*.c", ".c", false},
        {"*", "x/y", true},
        {"**", "x/y", true},
        {"***", "x/y", true},
        {"a*b*c", "aXbYbZc", true},
        {"a*b*c", "aXbYbZ", false},
        {"a**c", "abc", true},
        {"*aab", "aaaab", true},
        {"*aab*", "aaaaaba", true},
        {"?", "x/a", true},
        {"?", "x/ab", false},
        {"a?c", "abc", true},
        {"a?c", "ac", false},
        /* A pattern with a slash matches the path from the start of the search. */
        {"x/a.c", "x/a.c", true},
        {"x/a.c", "y/x/a.c", false},
        {"./a.c", "a.c", true},
        {"./a.c", "x/a.c", false},
        {"x/./a.c", "x/a.c", true},
        {"x//a.c", "x/a.c", true},
        {"x/*.c", "x/a.c", true},
        {"x/*.c", "x/y/a.c", false},
        {"*/a", "x/a", true},
        {"*/a", "a", false},
        {"*/a", "x/y/a", false},
        {"x/**/a", "x/a", true},
        {"x/**/a", "x/y/z/a", true},
        {"x/**/a", "x/y/z/b", false},
        {"x/**", "x", false},
        {"x/**", "x/y/z", true},
        {"x/", "x/y/z", true},
        {"x/", "x", false},
        {"**/x/**/y/**/z", "a/x/b/x/y/c/y/z", true},
        {"**/x/**/y/**/z", "a/x/b/c/z", false},
        {"**/a/b", "a/a/b", true},
        {"**/a/*b/c", "a/b/a/bb/c", true},
        {"**/**/a", "a", true},
        {"a**/b", "aX/b", true},
        {"a**/b", "aX/Y/b", false},
        {"./", "x", true},
        /* classes */
        {"[abc]x", "bx", true},
        {"[abc]x", "dx", false},
        {"[a-cx]", "b", true},
        {"[a-cx]", "x", true},
        {"[a-c]", "d", false},
        {"[!a-c]", "d", true},
        {"[^a-c]", "b", false},
        {"[]a]", "]", true},
        {"[!]a]", "]", false},
        {"[a-]", "-", true},
        {"[-a]", "-", true},
        {"[\\]a]", "]", true},
        {"[a-\\c]", "b", true},
        {"[[:digit:]x]", "7", true},
        {"[[:digit:]x]", "x", true},
        {"[[:digit:]x]", "y", false},
        {"[[:upper:]][[:xdigit:]]", "Gf", true},
        {"[[:punct:]]", "~", true},
        {"[[:nobody:]]", "a", false},
        {"[[:x]", ":", true},
        {"[z-a]", "m", false},
        {"x/[/]y", "x/y", false},
        {"[id].tsx", "[id].tsx", true},
        {"[id].tsx", "d.tsx", true},
        {"[", "[", true},
        {"a[b", "a[b", true},
        {"[!", "[!", true},
        /* escapes */
        {"\\*", "*", true},
        {"\\*", "a", false},
        {"a\\/b", "a/b", true},
        {"**\\/b", "a/c/b", true},
        {"a\\", "a\\", true},
        /* characters, not bytes */
        {"?", "\xc3\xa9", true},
        {"caf?", "caf\xc3\xa9", true},
        {"[\xc3\xa0-\xc3\xbc]", "\xc3\xa9", true},
        {"[!a]", "\xc3\xa9", true},
        {"?", "\xff", true},
        {"??", "\xff\xfe", true},
        {"[\xc3\xbf]", "\xff", false},
        /* hidden names need an explicit dot */
        {"*", ".env", false},
        {"**", "x/.git/y", false},
        {"**/y", ".git/y", false},
        {".*", ".env", true},
        {".env", "x/.env", true},
        {"\\.env*", "x/.env.local", true},
        {"[.]env", ".env", false},
        {"?env", ".env", false},
        {".github/**", ".github/w/a.yml", true},
        {".github/**", ".github/.x/a.yml", false},
        {"**/.x/**/y", "a/.x/b/y", true},
        {"**/.x/**/y", "a/.x/.x/y", false},
        /* alternatives */
        {"*.{c,h}", "x/a.h", true},
        {"*.{c,h}", "x/a.o", false},
        {"{src,tests}/**/*.{c,h}", "tests/x/a.c", true},
        {"{a,b/c}", "x/a", true},
        {"{a,b/c}", "b/c", true},
        {"{a,b/c}", "x/b/c", false},
        {"a{,.bak}", "a", true},
        {"a{,.bak}", "a.bak", true},
        {"{{name}}.txt", "{{name}}.txt", true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(matches(cases[i].pattern, cases[i].path), cases[i].matches, "%s and %s",
                  cases[i].pattern, cases[i].path);
    }
}

TEST(a_directory_in_which_nothing_can_match_is_skipped)
{
    static const struct {
        const char *pattern, *directory;
        bool below;
    } cases[] = {
        {"x/*.c", "", true},       {"x/*.c", "x", true},          {"x/*.c", "y", false},
        {"x/*.c", "x/y", false},   {"*.c", "x/y/z", true},        {"x/**/a", "x/b/c", true},
        {"x/**/a", "y", false},    {"x/**/a/b", "x/a", true},     {"**", ".git", false},
        {"**/.x", ".git", false},  {".git/*", ".git", true},      {"**/b", "b", true},
        {"*/y/*.c", "x/z", false}, {"{x,y}/a", "y", true},        {"{x,y}/a", "z", false},
        {"x/**/a", "x/.h", false}, {"x/**/.h/a", "x/y/.h", true},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const haft__glob *glob_pattern = NULL;
        CHECK_INT(haft__glob_compile(&arena, haft__str(cases[i].pattern), &glob_pattern, NULL),
                  HAFT_OK, "%s", cases[i].pattern);
        CHECK_INT(haft__glob_can_match_below(glob_pattern, haft__str(cases[i].directory)),
                  cases[i].below, "%s in %s", cases[i].pattern, cases[i].directory);
    }
    haft__arena_finish(&arena);
}

TEST(a_pattern_for_everything_skips_hidden_files)
{
    CHECK(haft__glob_matches(&haft__glob_match_all, HAFT__LIT("a/b")), "a/b");
    CHECK(!haft__glob_matches(&haft__glob_match_all, HAFT__LIT("a/.b")), "a/.b");
    CHECK(haft__glob_can_match_below(&haft__glob_match_all, HAFT__LIT("a")), "a");
    CHECK(!haft__glob_can_match_below(&haft__glob_match_all, HAFT__LIT(".a")), ".a");
}

TEST(patterns_of_an_ignore_file_match_as_in_git)
{
    static const struct {
        const char *pattern, *path;
        bool anywhere, matches;
    } cases[] = {
        {"*.o", "a.o", true, true},
        {"*.o", ".o", true, true},
        {"*", ".env", true, true},
        {"**", "a", true, true},
        {"a**b", "aXb", true, true},
        {"{a,b}", "a", true, false},
        {"{a,b}", "{a,b}", true, true},
        {"?", "\xc3\xa9", true, false},
        {"??", "\xc3\xa9", true, true},
        {"[", "[", true, false},
        {"a[b", "a[b", true, false},
        {"[[:bad:]]", "a", true, false},
        {"[[:bad:]]", "[[:bad:]]", true, false},
        {"a\\", "a\\", true, false},
        {"[id]", "[id]", true, false},
        {"\\!a", "!a", true, true},
        {"\\#", "#", true, true},
        {"a/b", "a/b", false, true},
        {"a/*", "a/.b", false, true},
        {"a/*", "a/b/c", false, false},
        {"a/**", "a/b/c", false, true},
        {"a/**", "a", false, false},
        {"**/b", "b", false, true},
        {"**/b", ".a/b", false, true},
        {"a/**/b", "a/.x/y/b", false, true},
        {"a//b", "a/b", false, false},
        {"./b", "b", false, false},
        {"a/[", "a/[", false, false},
        {"[", "a/b", false, false},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const haft__glob *glob_pattern =
            haft__glob_compile_gitignore(&arena, haft__str(cases[i].pattern), cases[i].anywhere);
        CHECK_INT(glob_pattern != NULL
                      && haft__glob_matches(glob_pattern, haft__str(cases[i].path)),
                  cases[i].matches, "%s and %s", cases[i].pattern, cases[i].path);
    }
    haft__arena_finish(&arena);
}

/* ---- compared with a matcher that tries everything ---- */

/* Matches one name. The pattern has only a, b, ? and *. */
static bool plain_name(const char *p, const char *n, const char *end)
{
    if (*p == '\0' || *p == '/') {
        return n == end;
    }
    if (*p == '*') {
        return plain_name(p + 1, n, end) || (n < end && plain_name(p, n + 1, end));
    }
    return n < end && (*p == '?' || *p == *n) && plain_name(p + 1, n + 1, end);
}

static bool plain_path(const char *p, const char *path)
{
    const char *rest = strchr(p, '/'), *end = strchr(path, '/');
    end = end != NULL ? end : path + strlen(path);
    const char *after = *end == '/' ? end + 1 : NULL;
    if (strncmp(p, "**", 2) == 0 && (p[2] == '/' || p[2] == '\0')) {
        return p[2] == '\0' ? true
                            : plain_path(p + 3, path) || (after != NULL && plain_path(p, after));
    }
    if (!plain_name(p, path, end)) {
        return false;
    }
    return rest == NULL || after == NULL ? rest == NULL && after == NULL
                                         : plain_path(rest + 1, after);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return *seed >> 16;
}

static void make_path(uint32_t *seed, const char *letters, bool stars, char *to)
{
    size_t names = 1 + next_random(seed) % 4;
    for (size_t i = 0; i < names; i++) {
        if (stars && next_random(seed) % 4 == 0) {
            *to++ = '*';
            *to++ = '*';
        } else {
            for (size_t k = 1 + next_random(seed) % 4; k > 0; k--) {
                char c = letters[next_random(seed) % strlen(letters)];
                bool twice = c == '*' && to[-1] == '*';
                *to++ = twice ? 'a' : c;
            }
        }
        *to++ = '/';
    }
    to[-1] = '\0';
}

TEST(matching_agrees_with_a_matcher_that_tries_everything)
{
    uint32_t seed = 7;
    unsigned found = 0;
    for (unsigned i = 0; i < 100000; i++) {
        char pattern[64] = "", path[64] = "", anchored[70];
        make_path(&seed, "ab?*", true, pattern + 1);
        make_path(&seed, "ab", false, path + 1);
        (void)snprintf(anchored, sizeof(anchored), "./%s", pattern + 1);
        bool wanted = plain_path(pattern + 1, path + 1);
        found += wanted;
        CHECK_INT(matches(anchored, path + 1), wanted, "%s and %s", anchored, path + 1);
    }
    CHECK(found > 1000, "only %u of the random pairs match", found);
}

/* A matcher that backtracks would not finish here. */
TEST(a_pattern_of_stars_costs_little)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    char pattern[HAFT__LIMIT_FILES_GLOB_BYTES], path[4000];
    for (size_t i = 0; i + 8 <= sizeof(pattern); i += 8) {
        memcpy(pattern + i, "**/*a*b/", 8);
    }
    for (size_t i = 0; i + 4 <= sizeof(path); i += 4) {
        memcpy(path + i, "aab/", 4);
    }
    path[sizeof(path) - 1] = 'c';
    const haft__glob *glob_pattern = NULL;
    haft_str text = {pattern, sizeof(pattern) - 1};
    CHECK_INT(haft__glob_compile(&arena, text, &glob_pattern, NULL), HAFT_OK, "compile");
    CHECK(!haft__glob_matches(glob_pattern, (haft_str){path, sizeof(path)}), "it matches");
    memset(path, 'a', sizeof(path));
    for (size_t i = 0; i + 2 <= sizeof(pattern); i += 2) {
        memcpy(pattern + i, "*a", 2);
    }
    pattern[sizeof(pattern) - 1] = 'b';
    CHECK_INT(haft__glob_compile(&arena, (haft_str){pattern, sizeof(pattern)}, &glob_pattern, NULL),
              HAFT_OK, "compile");
    CHECK(!haft__glob_matches(glob_pattern, (haft_str){path, sizeof(path)}), "it matches");
    haft__arena_finish(&arena);
}
