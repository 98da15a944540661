/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/config/dotenv.c. */
#include "cli/config/dotenv.h"

#include "base/limits.h"
#include "test.h"

TEST(lines_are_read_by_the_rules)
{
    static const struct {
        const char *text, *name, *value, *why; /* value NULL: the line is not used */
    } cases[] = {
        {"A=b", "A", "b", NULL},
        {"A=b\n", "A", "b", NULL},
        {"A=b\r\n", "A", "b", NULL},
        {"\xEF\xBB\xBF"
         "A=b",
         "A", "b", NULL},
        {"  A=b  ", "A", "b", NULL},
        {"export A=b", "A", "b", NULL},
        {"export\t A=b", "A", "b", NULL},
        {"exported=b", "exported", "b", NULL},
        {"A=", "A", "", NULL},
        {"A= # nothing", "A", "", NULL},
        {"A=b c d", "A", "b c d", NULL},
        {"A=b # c", "A", "b", NULL},
        {"A=b#c", "A", "b#c", NULL},
        {"A=b\t#c", "A", "b", NULL},
        {"A=#c", "A", "", NULL},
        {"A=b=c", "A", "b=c", NULL},
        {"A=$HOME`x`\\n", "A", "$HOME`x`\\n", NULL},
        {"A='b'", "A", "b", NULL},
        {"A='b # \"c\" \\n $X'", "A", "b # \"c\" \\n $X", NULL},
        {"A='' # c", "A", "", NULL},
        {"A=\"b\"", "A", "b", NULL},
        {"A=\"b # c\" # d", "A", "b # c", NULL},
        {"A=\"\\n\\r\\t\\\\\\\"\\$\"", "A", "\n\r\t\\\"$", NULL},
        {"A=\"\\x \\a\"", "A", "\\x \\a", NULL},
        {"A=it's", "A", "it's", NULL},
        {"A=b\nA=c", "A", "c", NULL},
        {"# A=b\n\n \t\nA=d", "A", "d", NULL},
        {"_a1=x", "_a1", "x", NULL},
        {"A =b", "A", NULL, "unexpected space before the ="},
        {"A= b", "A", NULL, "unexpected space after the ="},
        {"A", "A", NULL, "expected = after the name"},
        {"export", "export", NULL, "expected = after the name"},
        {"1A=b", "1A", NULL, "expected NAME=VALUE"},
        {"=b", "", NULL, "expected NAME=VALUE"},
        {"A-B=c", "A", NULL, "expected = after the name"},
        {"A: b", "A", NULL, "expected = after the name"},
        {"A='b", "A", NULL, "the closing ' is missing"},
        {"A='b\nc'", "A", NULL, "the closing ' is missing"},
        {"A=\"b", "A", NULL, "the closing \" is missing"},
        {"A=\"b\\\"", "A", NULL, "the closing \" is missing"},
        {"A=\"b\\", "A", NULL, "the closing \" is missing"},
        {"A='b'c", "A", NULL, "unexpected text after the closing quote"},
        {"A='b'#c", "A", NULL, "unexpected text after the closing quote"},
        {"A=\"b\" c", "A", NULL, "unexpected text after the closing quote"},
        {"A=\xff", "A", NULL, "it is not UTF-8 text"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__dotenv found = {0};
        CHECK_INT(haft__dotenv_read(&arena, haft__str(cases[i].text), &found, NULL), HAFT_OK,
                  "case %zu: status", i);
        haft_str value = haft__dotenv_get(&found, haft__str(cases[i].name));
        CHECK_INT(value.ptr != NULL, cases[i].value != NULL,
                  "case %zu: whether the name has a value", i);
        CHECK_INT(found.bad > 0, cases[i].why != NULL, "case %zu: whether the line is bad", i);
        if (cases[i].value != NULL) {
            CHECK_STR(value, haft__str(cases[i].value), "case %zu: value", i);
        } else if (found.why != NULL) {
            CHECK_STR(haft__str(found.why), haft__str(cases[i].why), "case %zu: reason", i);
            CHECK_INT(found.bad_line, 1, "case %zu: number of the bad line", i);
        }
        haft__arena_finish(&arena);
    }
}

TEST(a_nul_is_not_text)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__dotenv found = {0};
    CHECK_INT(haft__dotenv_read(&arena, HAFT__LIT("B=1\nA=b\0c\nC=2"), &found, NULL), HAFT_OK,
              "status");
    CHECK_INT(found.count, 2, "variables of the other lines");
    CHECK_INT(found.bad_line, 2, "number of the bad line");
    haft__arena_finish(&arena);
}

/* A file with that many names. */
static haft_status read_many(haft__arena *arena, size_t count, haft_error *err)
{
    haft__buf text;
    haft__dotenv found;
    haft__buf_init(&text, HAFT__LIMIT_CONFIG_BYTES);
    for (size_t i = 0; i < count; i++) {
        haft__buf_addf(&text, "N%zu=x\n", i);
    }
    haft__buf_addf(&text, "N0=again\n"); /* a repeated name does not count again */
    haft_status status = haft__dotenv_read(arena, haft__buf_str(&text), &found, err);
    haft__buf_finish(&text);
    return status;
}

TEST(the_number_of_variables_is_limited)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_error err = {0};
    CHECK_INT(read_many(&arena, HAFT__LIMIT_DOTENV_VARIABLES, &err), HAFT_OK, "at the limit");
    CHECK_INT(read_many(&arena, HAFT__LIMIT_DOTENV_VARIABLES + 1, &err), HAFT_TOO_BIG,
              "one past the limit");
    haft__arena_finish(&arena);
}

TEST(out_of_memory_is_an_error)
{
    bool failed = true;
    for (unsigned n = 0; failed; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__dotenv found;
        haft_error err = {0};
        test_fail_allocation(n);
        haft_status status = haft__dotenv_read(&arena, HAFT__LIT("A='b'\nB=\"c\""), &found, &err);
        failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&arena);
    }
}

TEST(bad_lines_are_listed_up_to_a_limit)
{
    haft__arena arena;
    haft__dotenv found;
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__dotenv_read(&arena, HAFT__LIT("a\nA=1\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n"), &found,
                                NULL),
              HAFT_OK, "status");
    CHECK_INT(found.bad, 11, "number of bad lines");
    CHECK_INT(found.bad_line, 1, "first bad line");
    CHECK_INT(found.more[0], 3, "second bad line");
    CHECK_INT(found.more[HAFT__DOTENV_MAX_REPORTED - 1], 10, "last bad line that is listed");
    haft__arena_finish(&arena);
}
