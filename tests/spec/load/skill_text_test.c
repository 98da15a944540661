/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/skill/skill_text.c: SKILL.md, its front matter and its problems. */
#include "spec/load/skill/skill_text.h"

#include "base/limits.h"
#include "spec/spec_help.h"

#define D50 "12345678901234567890123456789012345678901234567890"
#define N60 "a23456789-a23456789-a23456789-a23456789-a23456789-a23456789x"

/* "NAME|DESCRIPTION|ALLOWED" or the problems. `directory` NULL: the folder has the name. */
static haft_str read_text(const char *directory, haft_str text)
{
    haft__arena arena;
    haft__spec_problems problems;
    haft__skill_text found;
    haft__buf buf;
    haft__arena_init(&arena, 0);
    haft__buf_init(&buf, 1 << 20);
    haft__spec_problems_init(&problems, &arena);
    CHECK_INT(haft__skill_text_read(&arena, text, haft__str(directory), (haft__hash_key){1, 2},
                                    &problems, &found, NULL),
              HAFT_OK, "%s", text.ptr);
    if (problems.errors == 0) {
        haft__buf_addf(&buf, "%.*s|%.*s|", HAFT__ARG(found.name), HAFT__ARG(found.description));
        haft__json_write(&buf, found.allowed);
        haft__buf_add_str(&buf, problems.count > 0 ? HAFT__LIT("\n") : HAFT__LIT(""));
    }
    list_problems(&buf, problems.items, problems.count);
    haft_str line = keep(&buf);
    haft__arena_finish(&arena);
    return line;
}

static const struct {
    const char *directory, *front, *wanted;
} cases[] = {
    {"pdf", "name: pdf\ndescription: Reads PDFs.\n", "pdf|Reads PDFs.|null"},
    {"pdf", "description: >\n  Reads\n  PDFs.\nname: pdf\nlicense: MIT\n", "pdf|Reads PDFs.|null"},
    {"a", "name: a\ndescription: d\nmetadata: {version: 1, by: {x: y}}\ncompatibility: all\n",
     "a|d|null"},
    /* allowed-tools */
    {"a", "name: a\ndescription: d\nallowed-tools: Read grep docs:*\n",
     "a|d|[\"read\",\"grep\",\"docs:*\"]"},
    {"a", "name: a\ndescription: d\nallowed-tools: [Read, grep]\n", "a|d|[\"read\",\"grep\"]"},
    {"a", "name: a\ndescription: d\nallowed-tools: \"Bash(git add:*), Read,grep\"\n",
     "a|d|[\"bash(git add:*)\",\"read\",\"grep\"]"},
    {"a", "name: a\ndescription: d\nallowed-tools: \"((( a b\"\n", "a|d|[\"((( a b\"]"},
    {"a", "name: a\ndescription: d\nallowed-tools: \"\"\n", "a|d|[]"},
    {"a", "name: a\ndescription: d\nallowed-tools:\n", "a|d|null"},
    {"a", "name: a\ndescription: d\nallowed-tools: 5\n",
     "4:16: allowed-tools is of type number, expected a text with names, or a list"},
    {"a", "name: a\ndescription: d\nallowed-tools: [a, [b]]\n",
     "4:16: an item of allowed-tools is not a name"},
    {"a", "name: a\ndescription: d\nallowed-tools: [a, \" \"]\n",
     "4:16: an item of allowed-tools is not a name"},
    /* names */
    {N60 "bcde", "name: " N60 "bcde\ndescription: d\n", N60 "bcde|d|null"},
    {N60 "bcdef", "name: " N60 "bcdef\ndescription: d\n",
     "2:7: name has 65 characters, and at most 64 are allowed"},
    {"b", "name: a\ndescription: d\n", "2:7: the name \"a\" is not the name of its folder, \"b\""},
    {"A", "name: A\ndescription: d\n",
     "2:7: the name \"A\" is not of the form of a skill's name: a-z, 0-9 and single hyphens "
     "between them"},
    {"-rf", "name: -rf\ndescription: d\n",
     "2:7: the name \"-rf\" is not of the form of a skill's name: a-z, 0-9 and single hyphens "
     "between them"},
    {"a--b", "name: a--b\ndescription: d\n",
     "2:7: the name \"a--b\" is not of the form of a skill's name: a-z, 0-9 and single hyphens "
     "between them"},
    {"a-", "name: a-\ndescription: d\n",
     "2:7: the name \"a-\" is not of the form of a skill's name: a-z, 0-9 and single hyphens "
     "between them"},
    {"..", "name: ../../etc/passwd\ndescription: d\n",
     "2:7: the name \"../../etc/passwd\" is not of the form of a skill's name: a-z, 0-9 and single "
     "hyphens between them"},
    {"", "name: \"\"\ndescription: d\n",
     "2:7: the name \"\" is not of the form of a skill's name: a-z, 0-9 and single hyphens between "
     "them"},
    {"5", "name: 5\ndescription: d\n", "2:7: name is of type number, expected a text"},
    /* other members */
    {"a", "name: a\n", "2:1: the front matter has no description"},
    {"a", "description: d\n", "2:1: the front matter has no name"},
    {"a", "name: a\ndescription: \" \"\n",
     "3:14: the description is empty: it is how the skill is found"},
    {"a", "name: a\ndescription: [x]\n", "3:14: description is of type array, expected a text"},
    {"a", "name: a\ndescription: d\nmetadata: x\n",
     "4:11: metadata is of type string, expected a map"},
    {"a", "name: a\ndescription: d\nmodel: opus\n",
     "a|d|null\n4:1: warning: the key \"model\" has no meaning in haft"},
    {"a", "- name\n",
     "2:1: the front matter is of type array, expected a map with name and "
     "description"},
};

TEST(front_matter_is_checked)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf buf;
        haft__buf_init(&buf, 1 << 20);
        haft__buf_addf(&buf, "---\n%s---\nDo it.\n", cases[i].front);
        haft_str text = keep(&buf);
        CHECK_STR(read_text(cases[i].directory, text), haft__str(cases[i].wanted), "%s",
                  cases[i].front);
    }
}

TEST(broken_files_are_reported_with_their_place)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"\xef\xbb\xbf---\r\nname: a\r\ndescription: d\r\n---\r\nDo it.", "a|d|null"},
        {"--- \nname: a\ndescription: d\n---\t\nDo it.", "a|d|null"},
        {"",
         "1:1: expected a front matter: a line ---, then name and description, then a line ---"},
        {"# Do it\n",
         "1:1: expected a front matter: a line ---, then name and description, then a line ---"},
        {"---\nname: a\ndescription: d\n",
         "1:1: expected a front matter: a line ---, then name and description, then a line ---"},
        {"---\nname: a\ndescription: d\n---\n \n",
         "a|d|null\n1:1: warning: the skill has no instructions"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_STR(read_text("a", haft__str(rows[i].text)), haft__str(rows[i].wanted), "%s",
                  rows[i].text);
    }
    haft_str twice = read_text("a", HAFT__LIT("---\nname: a\nname: a\ndescription: d\n---\nx"));
    CHECK(haft__str_starts_with(twice, HAFT__LIT("3:1: ")), "%s", twice.ptr);
    haft_str bad = read_text("a", HAFT__LIT("---\nname: [\n---\nx"));
    CHECK(bad.len > 0 && memchr(bad.ptr, '|', bad.len) == NULL, "%s", bad.ptr);
}

/* A SKILL.md with `count` repetitions of `unit` between `before` and `after`. */
static haft_str repeat(const char *before, const char *unit, size_t count, const char *after)
{
    haft__buf buf;
    haft__buf_init(&buf, 4 << 20);
    haft__buf_add_str(&buf, haft__str(before));
    for (size_t i = 0; i < count; i++) {
        haft__buf_add_str(&buf, haft__str(unit));
    }
    haft__buf_add_str(&buf, haft__str(after));
    return keep(&buf);
}

TEST(limits_of_the_members)
{
    CHECK_INT(HAFT__LIMIT_SKILL_NAME_CHARS, 64, "the limit of the names above");
    static const struct {
        const char *before, *unit;
        size_t limit;
        const char *after, *past;
    } rows[] = {
        {"---\nname: a\ndescription: ", "\xc3\xa4", HAFT__LIMIT_SKILL_DESCRIPTION_CHARS, "\n---\nx",
         "3:14: description has 1025 characters, and at most 1024 are allowed"},
        {"---\nname: a\ndescription: d\ncompatibility: ", "c",
         HAFT__LIMIT_SKILL_COMPATIBILITY_CHARS, "\n---\nx",
         "4:16: compatibility has 501 characters, and at most 500 are allowed"},
        {"---\nname: a\ndescription: d\nallowed-tools: ", "t ", HAFT__LIMIT_SKILL_TOOLS, "\n---\nx",
         "4:16: allowed-tools has more than 100 names"},
        {"---\nname: a\ndescription: d\nallowed-tools: ", "t", HAFT__LIMIT_TOOL_NAME_BYTES,
         "\n---\nx", "4:16: a name in allowed-tools has more than 128 bytes"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_str good =
            read_text("a", repeat(rows[i].before, rows[i].unit, rows[i].limit, rows[i].after));
        CHECK(haft__str_starts_with(good, HAFT__LIT("a|")), "%s", good.ptr);
        CHECK_STR(
            read_text("a", repeat(rows[i].before, rows[i].unit, rows[i].limit + 1, rows[i].after)),
            haft__str(rows[i].past), "row %zu", i);
    }
    /* One word is one token. */
    haft_str full =
        repeat("---\nname: a\ndescription: d\n---\n", "do ", HAFT__LIMIT_SKILL_TOKENS, "");
    CHECK_STR(read_text("a", full), HAFT__LIT("a|d|null"), "as many tokens as recommended");
    CHECK_STR(read_text("a", repeat(full.ptr, "do ", 1, "")),
              HAFT__LIT("a|d|null\n1:1: warning: the instructions have about 5001 tokens; move "
                        "details into references/, so that they are below 5000"),
              "one more");
}

TEST(out_of_memory_is_reported)
{
    haft_str text =
        HAFT__LIT("---\nname: a\ndescription: d\nallowed-tools: read grep\nx: y\n---\nDo.");
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__spec_problems problems;
        haft__skill_text found;
        haft__arena_init(&arena, 0);
        haft__spec_problems_init(&problems, &arena);
        test_fail_allocation(n);
        haft_status status = haft__skill_text_read(&arena, text, HAFT__LIT("a"),
                                                   (haft__hash_key){1, 2}, &problems, &found, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&arena);
        if (!failed) {
            break;
        }
    }
}
