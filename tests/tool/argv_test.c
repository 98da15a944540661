/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/argv.c. */
#include "tool/argv.h"

#include "base/buf.h"
#include "base/limits.h"
#include "test.h"
#include "json/read.h"

#define SCHEMA "{\"properties\":{\"a\":{},\"b\":{},\"c\":{}}}"

#define MISSING(option)                                                                            \
    "the argument \"a\" is missing or empty, so '" option "' may take the next word as its value"
#define IS_OPTION(name)                                                                            \
    "the argument \"" name "\" starts with '-', so the program would read it as an option"

static haft__json read_json(haft__arena *arena, const char *text)
{
    haft__json value = {0};
    CHECK_INT(haft__json_read(arena, haft__str(text), NULL, &value, NULL, NULL), HAFT_OK, "%s",
              text);
    return value;
}

static haft_status make(haft__arena *arena, const char *command, const char *arguments,
                        haft__buf *shown, haft_error *err)
{
    haft_str *words = NULL;
    size_t count = 0;
    haft_status status =
        haft__argv_build(arena, read_json(arena, command), read_json(arena, SCHEMA),
                         read_json(arena, arguments), &words, &count, err);
    haft__buf_clear(shown);
    for (size_t i = 0; status == HAFT_OK && i < count; i++) {
        haft__buf_addf(shown, "[%s]", words[i].ptr);
    }
    return status;
}

TEST(arguments_replace_placeholders_in_the_words)
{
    static const struct {
        const char *command, *arguments, *wanted;
    } rows[] = {
        {"[\"df\",\"-h\",\"{a}\"]", "{\"a\":\"/tmp\"}", "[df][-h][/tmp]"},
        {"[\"x\",\"{a}\"]", "{\"a\":\"two words; rm -rf *\"}", "[x][two words; rm -rf *]"},
        {"[\"x\",\"--name={a}\"]", "{\"a\":\"-v\"}", "[x][--name=-v]"},
        {"[\"x\",\"{a}{b}\"]", "{\"a\":1.50,\"b\":[1,\"é\"]}", "[x][1.50[1,\"é\"]]"},
        {"[\"x\",\"{a}\",\"{b}\"]", "{\"b\":true}", "[x][true]"},
        {"[\"x\",\"{a}{b}\"]", "{}", "[x][]"},
        {"[\"x\",\"n={a}\"]", "{}", "[x][n=]"},
        {"[\"x\",\"{d}\",\"{\",\"{a\"]", "{\"a\":1,\"d\":2}", "[x][{d}][{][{a]"},
        {"[\"x\",\"--\",\"{a}\"]", "{\"a\":\"-rf\"}", "[x][--][-rf]"},
        {"[\"{a}\",\"{a}\"]", "{\"a\":\"sh\"}", "[{a}][sh]"},
        {"[\"x\",\"{a}\"]", "{\"a\":\"\"}", "[x][]"},
        {"[\"x\",\"\",\"-\"]", "{}", "[x][][-]"},
        {"[\"ls\",\"--\",\"-{a}\"]", "{\"a\":\"x\"}", "[ls][--][-x]"},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__buf shown;
    haft__buf_init(&shown, 4096);
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_error err = {0};
        CHECK_INT(make(&arena, rows[i].command, rows[i].arguments, &shown, &err), HAFT_OK, "%s",
                  err.message);
        CHECK_STR(haft__buf_str(&shown), haft__str(rows[i].wanted), "%s", rows[i].command);
    }
    haft__buf_finish(&shown);
    haft__arena_finish(&arena);
}

TEST(an_argument_does_not_become_an_option)
{
    static const struct {
        const char *command, *arguments, *where, *message;
    } rows[] = {
        {"[\"rm\",\"{a}\"]", "{\"a\":\"-rf\"}", "/command/1",
         "the argument \"a\" starts with '-', so the program would read it as an option"},
        {"[\"rm\",\"{a}\",\"--\"]", "{\"a\":\"-\"}", "/command/1",
         "the argument \"a\" starts with '-', so the program would read it as an option"},
        {"[\"rm\",\"{a}\",\"{b}{c}\"]", "{\"a\":\"x\",\"b\":\"\",\"c\":-1}", "/command/2",
         "the argument \"c\" starts with '-', so the program would read it as an option"},
        {"[\"nice\",\"--\",\"ls\",\"{a}\"]", "{\"a\":\"--help\"}", "/command/3",
         "the argument \"a\" starts with '-', so the program would read it as an option"},
        {"[\"find\",\"--\",\"{a}\"]", "{\"a\":\"-delete\"}", "/command/2",
         "the argument \"a\" starts with '-', so the program would read it as an option"},
        {"[\"tar\",\"-{a}\"]", "{\"a\":\"Iid\"}", "/command/1",
         "the argument \"a\" would be part of the name of an option"},
        {"[\"x\",\"--o{a}\"]", "{\"a\":\"\"}", "/command/1",
         "the argument \"a\" would be part of the name of an option"},
        {"[\"x\",\"-o\",\"{a}\"]", "{\"a\":\"-y\"}", "/command/2",
         "the argument \"a\" starts with '-', so the program would read it as an option"},
        {"[\"x\",\"y\",\"{a}\"]", "{\"a\":\"x\\u0000y\"}", "/command/2",
         "an argument of a program cannot contain a NUL"},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__buf shown;
    haft__buf_init(&shown, 4096);
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_error err = {0};
        CHECK_INT(make(&arena, rows[i].command, rows[i].arguments, &shown, &err), HAFT_BAD_INPUT,
                  "%s", rows[i].command);
        CHECK_STR(haft__str(err.message), haft__str(rows[i].message), "%s", rows[i].command);
        CHECK_STR(haft__str(err.where), haft__str(rows[i].where), "%s", rows[i].command);
    }
    haft__buf_finish(&shown);
    haft__arena_finish(&arena);
}

TEST(an_option_does_not_take_the_next_word_when_its_value_is_missing)
{
    static const struct {
        const char *command, *arguments;
        const char *wanted; /* words, or an error */
    } rows[] = {
        /* the option is left out with its value */
        {"[\"rg\",\"-e\",\"{a}\",\"--\",\"{b}\",\"{c}\"]", "{\"b\":\"--pre=evil.sh\",\"c\":\".\"}",
         "[rg][--][--pre=evil.sh][.]"},
        {"[\"rg\",\"-e\",\"{a}\",\"--\",\"{b}\"]", "{\"a\":\"x\",\"b\":\"-y\"}",
         "[rg][-e][x][--][-y]"},
        {"[\"sort\",\"-t\",\"{a}\",\"{b}\"]", "{\"b\":\"f\"}", "[sort][f]"},
        {"[\"sort\",\"-t\",\"{a}\",\"{b}\"]", "{\"a\":\"\",\"b\":\"f\"}", "[sort][-t][][f]"},
        {"[\"sort\",\"-t{a}\",\"{b}\"]", "{\"b\":\"f\"}", "[sort][f]"},
        {"[\"sort\",\"-t\",\"{a}\",\"{b}\"]", "{\"b\":\"-f\"}", IS_OPTION("b")},
        {"[\"nice\",\"tail\",\"-n\",\"{a}\",\"{b}\"]", "{\"b\":\"f\"}", "[nice][tail][f]"},
        {"[\"git\",\"-C\",\"{a}\",\"log\",\"--\",\"{b}\"]", "{\"b\":\"-f\"}", "[git][log][--][-f]"},
        {"[\"awk\",\"-F\",\"{a}\",\"{print}\",\"{b}\"]", "{\"b\":\"f\"}", "[awk][{print}][f]"},
        /* the option has no value, or has it in its word */
        {"[\"rg\",\"-i\",\"{a}\",\"{b}\"]", "{\"b\":\"f\"}", "[rg][-i][f]"},
        {"[\"rg\",\"--regexp={a}\",\"--\",\"{b}\"]", "{\"b\":\"-f\"}", "[rg][--regexp=][--][-f]"},
        {"[\"rg\",\"--\",\"-e\",\"{a}\",\"{b}\"]", "{\"b\":\"-f\"}", "[rg][--][-e][-f]"},
        {"[\"ls\",\"-l\",\"{a}\",\"{b}\"]", "{\"b\":\"f\"}", "[ls][-l][f]"},
        /* it is not known whether it has one: no word may follow */
        {"[\"./x\",\"-o\",\"{a}\"]", "{}", "[./x][-o]"},
        {"[\"./x\",\"-o\",\"{a}\",\"{b}\"]", "{}", "[./x][-o]"},
        {"[\"./x\",\"-o\",\"{a}\",\"{b}\"]", "{\"b\":\"f\"}", MISSING("-o")},
        {"[\"./x\",\"-o\",\"{a}\",\"--\",\"{b}\"]", "{\"b\":\"-y\"}", MISSING("-o")},
        {"[\"./x\",\"-o{a}\",\"--\",\"{b}\"]", "{\"b\":\"-y\"}", MISSING("-o")},
        {"[\"./x\",\"-o{a}\",\"--\",\"{b}\"]", "{\"a\":\"1\",\"b\":\"-y\"}", "[./x][-o1][--][-y]"},
        {"[\"rg\",\"-e{a}\",\"--\",\"{b}\"]", "{\"a\":\"\",\"b\":\"-y\"}", MISSING("-e")},
        {"[\"ls\",\"-I\",\"{a}\",\"--\",\"{b}\"]", "{\"b\":\"-y\"}", MISSING("-I")},
        {"[\"tar\",\"-xf\",\"{a}\",\"--\",\"{b}\"]", "{\"b\":\"-y\"}", MISSING("-xf")},
        {"[\"tar\",\"xf\",\"{a}\",\"--\",\"{b}\"]", "{\"b\":\"-y\"}", MISSING("xf")},
        /* "--" as the value of an option protects nothing */
        {"[\"rg\",\"-e\",\"--\",\"{a}\"]", "{\"a\":\"--pre=evil.sh\"}", IS_OPTION("a")},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__buf shown;
    haft__buf_init(&shown, 4096);
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_error err = {0};
        if (make(&arena, rows[i].command, rows[i].arguments, &shown, &err) != HAFT_OK) {
            haft__buf_addf(&shown, "%s", err.message);
        }
        CHECK_STR(haft__buf_str(&shown), haft__str(rows[i].wanted), "%s", rows[i].command);
    }
    haft__buf_finish(&shown);
    haft__arena_finish(&arena);
}

TEST(the_length_of_a_word_is_limited)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    char *text = test_alloc(HAFT__LIMIT_EXEC_WORD_BYTES + 1);
    memset(text, 'x', HAFT__LIMIT_EXEC_WORD_BYTES + 1);
    haft__json command = read_json(&arena, "[\"x\",\"{a}\"]");
    for (size_t more = 0; more < 2; more++) {
        haft__json_member member = {
            haft__json_string(HAFT__LIT("a")),
            haft__json_string((haft_str){text, HAFT__LIMIT_EXEC_WORD_BYTES + more})};
        haft_str *words = NULL;
        size_t count = 0;
        haft_status status = haft__argv_build(&arena, command, read_json(&arena, SCHEMA),
                                              haft__json_object(&member, 1), &words, &count, NULL);
        CHECK_INT(status, more == 0 ? HAFT_OK : HAFT_TOO_BIG, "%zu more than the limit", more);
    }
    haft__arena_finish(&arena);
}

TEST(words_survive_every_failed_allocation)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json command = read_json(&arena, "[\"x\",\"{a}\"]"), schema = read_json(&arena, SCHEMA),
               arguments = read_json(&arena, "{\"a\":\"y\"}");
    for (unsigned n = 0;; n++) {
        haft__arena own;
        haft__arena_init(&own, 0);
        haft_str *words = NULL;
        size_t count = 0;
        test_fail_allocations_from(n);
        haft_status status =
            haft__argv_build(&own, command, schema, arguments, &words, &count, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&own);
        if (!failed) {
            break;
        }
    }
    haft__arena_finish(&arena);
}
