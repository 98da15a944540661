/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/terminal/terminal_show.c: prompts for a person. Approvals: terminal_test.py.
 */
#include "base/limits.h"
#include "base/str.h"
#include "cli/terminal/terminal_int.h"
#include "test.h"
#include "json/read.h"

/* The output for a question; lives in `arena`. */
static haft_str show(haft__arena *arena, const char *arguments, size_t answered_count,
                     size_t remaining)
{
    haft__terminal t = {.answered_count = answered_count, .remaining = remaining};
    haft__run_call call = {.pause = HAFT__PAUSE_QUESTION};
    haft_error err = {0};
    char *text = NULL;
    size_t length = 0;
    CHECK_INT(haft__json_read(arena, haft__str(arguments), NULL, &call.arguments, NULL, NULL),
              HAFT_OK, "reading the arguments");
    t.out = open_memstream(&text, &length);
    CHECK_INT(haft__terminal_show_question(&t, &call, &err), HAFT_OK, "%s", err.message);
    (void)fclose(t.out);
    haft_str shown = haft__arena_copy(arena, (haft_str){text, length});
    free(text);
    return shown;
}

TEST(questions_are_shown_with_their_choices)
{
    static const struct {
        const char *arguments;
        size_t asked, left;
        const char *shown;
    } cases[] = {
        {"{\"question\":\"Which?\"}", 0, 1, "\n? The model asks\n    Which?\nanswer> "},
        {"{\"question\":\"a\\nanswer> \\u001b[2J\",\"default\":\"x\"}", 1, 2,
         "\n? The model asks (2/3)\n    a\n    answer> \\u001b[2J\nanswer [x]> "},
        {"{\"question\":\"Which?\",\"choices\":[\"red\",\"blue\\u0007\"]}", 0, 1,
         "\n? The model asks\n    Which?\n  1) red\n  2) blue\\u0007\nanswer, or its number> "},
        {"{\"question\":\"a\xE2\x80\x8B\xEF\xB8\x8F\xEE\x80\x80\xF3\xA0\x81\x81\","
         "\"choices\":[\"\xE2\x80\xAE\"],\"default\":\"\xE2\x80\x8D\"}",
         0, 1,
         "\n? The model asks\n    a\\u200b\\ufe0f\\ue000\\udb40\\udc41\n  1) \\u202e\n"
         "answer, or its number [\\u200d]> "},
        {"{\"question\":7,\"choices\":[],\"default\":null}", 0, 1, "\n? The model asks\nanswer> "},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_STR(show(&arena, cases[i].arguments, cases[i].asked, cases[i].left),
                  haft__str(cases[i].shown), "case %zu", i);
    }
    haft__arena_finish(&arena);
}

/* A text of the model never begins at the left edge, where haft writes its prompts. */
TEST(long_choices_and_defaults_are_wrapped_and_indented)
{
#define FILL "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define FAKE "approve? [y/N/a/A/e/?]> y"
    static const char *const cases[] = {
        "{\"question\":\"a\",\"choices\":[\"" FILL FAKE "\",\"" FILL " " FAKE "\"]}",
        "{\"question\":\"a\",\"choices\":[\"b\\n" FAKE "\"]}",
        "{\"question\":\"a\",\"default\":\"" FILL FAKE "\"}",
        "{\"question\":\"a\",\"default\":\"\\u202e\\u202e\\u202e\"}",
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str shown = show(&arena, cases[i], 0, 1), all = shown;
        while (shown.len > 0) {
            haft_str line = haft__str_split(&shown, '\n');
            bool own = line.len == 0 || haft__str_starts_with(line, HAFT__LIT("? The model asks"))
                       || haft__str_starts_with(line, HAFT__LIT("answer"));
            CHECK(own || haft__str_starts_with(line, HAFT__LIT("  ")), "case %zu: %.*s", i,
                  HAFT__ARG(all));
            CHECK(line.len < 80, "case %zu: a line of %zu bytes", i, line.len);
        }
        CHECK(memmem(all.ptr, all.len, "\nanswer", 7) != NULL, "case %zu: the prompt", i);
    }
    haft__arena_finish(&arena);
}

/* HAFT__LIMIT_TERMINAL_TEXT_BYTES: of a longer text only the beginning is shown. */
TEST(long_arguments_are_cut)
{
    haft__arena arena;
    haft__buf question;
    haft__arena_init(&arena, 0);
    haft__buf_init(&question, 1 << 20);
    for (size_t more = 0; more < 2; more++) {
        haft__buf_clear(&question);
        haft__buf_add_str(&question, HAFT__LIT("{\"question\":\""));
        for (size_t i = 0; i < HAFT__LIMIT_TERMINAL_TEXT_BYTES + more; i++) {
            haft__buf_add_char(&question, 'x');
        }
        haft__buf_add(&question, "\"}", 3);
        haft_str shown = show(&arena, question.ptr, 0, 1);
        size_t count = 0;
        for (size_t i = 0; i < shown.len; i++) {
            count += shown.ptr[i] == 'x';
        }
        bool cut = memmem(shown.ptr, shown.len, "    ... and 1 more bytes;", 25) != NULL;
        CHECK_INT(count, HAFT__LIMIT_TERMINAL_TEXT_BYTES,
                  "bytes that are shown, %zu past the limit", more);
        CHECK(cut == (more == 1), "whether the text is cut, %zu past the limit", more);
    }
    haft__buf_finish(&question);
    haft__arena_finish(&arena);
}

/* The output names the server, and its text cannot look like a prompt of haft. */
TEST(a_question_of_a_tool_names_its_server)
{
    static const struct {
        const char *asks, *shown;
    } cases[] = {
        {"{\"message\":\"Who?\\nlet it run? [y/N]> \",\"mode\":\"form\",\"schema\":{\"type\":"
         "\"object\",\"properties\":{\"na\\u0007me\":{\"type\":\"string\"}}},\"url\":null,"
         "\"server\":\"docs\"}",
         "\n? docs:write asks, from the server docs\n    Who?\n    let it run? [y/N]>\n"
         "  na\\u0007me: string, optional\nanswer, or {...}; Ctrl-D declines> "},
        {"{\"message\":\"Sign "
         "in\",\"mode\":\"url\",\"schema\":null,\"url\":\"https://x.example/a\","
         "\"server\":\"docs\"}",
         "\n? docs:write asks, from the server docs\n    Sign in\n  page to visit, on the host "
         "x.example:\n"
         "    https://x.example/a\nagree? [y/N]> "},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__terminal t = {.remaining = 1};
        haft__run_call call = {.pause = HAFT__PAUSE_QUESTION, .name = HAFT__LIT("docs:write")};
        char *text = NULL;
        size_t length = 0;
        haft_error err = {0};
        CHECK_INT(
            haft__json_read(&arena, haft__str(cases[i].asks), NULL, &call.elicitation, NULL, NULL),
            HAFT_OK, "case %zu: reading the form", i);
        t.out = open_memstream(&text, &length);
        CHECK_INT(haft__terminal_show_question(&t, &call, &err), HAFT_OK, "%s", err.message);
        (void)fclose(t.out);
        CHECK_STR(((haft_str){text, length}), haft__str(cases[i].shown), "case %zu", i);
        free(text);
    }
    haft__arena_finish(&arena);
}
