/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "exec/files/glob_int.h"
#include "test.h"

static haft_status expand(const char *pattern, char *ret_text, size_t size, haft_error *err)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__glob_expansion e = {.arena = &arena};
    haft_status status = haft__glob_expand(&e, haft__str(pattern), err);
    size_t length = 0;
    for (size_t i = 0; status == HAFT_OK && i < e.count && length < size; i++) {
        length += (size_t)snprintf(ret_text + length, size - length, "%s%.*s", i > 0 ? " " : "",
                                   HAFT__ARG(e.texts[i]));
    }
    haft__arena_finish(&arena);
    return status;
}

TEST(braces_are_expanded)
{
    static const struct {
        const char *pattern, *wanted;
    } cases[] = {
        {"a", "a"},
        {"{a,b}", "a b"},
        {"x{a,b,}y", "xay xby xy"},
        {"{a,b}{c,d}", "ac bc ad bd"},
        {"{a,{b,c}}", "a b c"},
        {"{a{b,c},d}e", "abe de ace"},
        {"{a}", "{a}"},
        {"{}", "{}"},
        {"{{a,b}}", "{a} {b}"},
        {"{a{b,c}}", "{ab} {ac}"},
        {"{{name}}", "{{name}}"},
        {"\\{a,b", "\\{a,b"},
        {"{a\\,b,c}", "a\\,b c"},
        {"[{]", "[{]"},
        {"[]{]", "[]{]"},
        {"[!}]{a,b}", "[!}]a [!}]b"},
        {"[a{b,c}", "[ab [ac"},
        {"a,b", "a,b"},
        {"[", "["},
        {"\\", "\\"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[256] = "";
        CHECK_INT(expand(cases[i].pattern, text, sizeof(text), NULL), HAFT_OK, "%s",
                  cases[i].pattern);
        CHECK_STR(haft__str(text), haft__str(cases[i].wanted), "%s", cases[i].pattern);
    }
}

TEST(unbalanced_braces_are_rejected)
{
    static const char *const cases[] = {"{a,b", "a}", "{a,b}}", "{{a,b}", "{a,{b}", "x{", "}{"};
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_error err = {0};
        char text[64];
        CHECK_INT(expand(cases[i], text, sizeof(text), &err), HAFT_BAD_INPUT, "%s", cases[i]);
        CHECK(strstr(err.message, "are unbalanced") != NULL && err.hint[0] != '\0', "%s: %s",
              cases[i], err.message);
    }
}

TEST(the_number_of_alternatives_is_bounded)
{
    char text[4096], pattern[2 * HAFT__LIMIT_FILES_GLOB_ALTERNATIVES + 8] = "{";
    size_t length = 1;
    for (int i = 1; i < HAFT__LIMIT_FILES_GLOB_ALTERNATIVES; i++) {
        memcpy(pattern + length, "a,", 2);
        length += 2;
    }
    memcpy(pattern + length, "a}", 3);
    CHECK_INT(expand(pattern, text, sizeof(text), NULL), HAFT_OK, "at the limit");
    memcpy(pattern + length, "a,}", 4);
    haft_error err = {0};
    CHECK_INT(expand(pattern, text, sizeof(text), &err), HAFT_TOO_BIG, "one past the limit");
    CHECK(strstr(err.message, "more than 256") != NULL, "%s", err.message);
}
