/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/command/input.c. */
#include "base/limits.h"
#include "exec/command/command.h"
#include "tool/tool_help.h"

#define SCHEMA    "\"input_schema\":{\"properties\":{\"a\":{},\"b\":{},\"left_out\":{},\"a b\":{}}}"
#define ARGUMENTS "{\"a\":\"x{b}\",\"b\":[1.50,{\"c\":null}],\"a b\":true,\"\":\"empty\"}"

static haft_status make(haft__exec_job *job, const char *definition, const char *arguments,
                        haft_str *ret_input, haft_error *err)
{
    haft__tool tool = {.definition = help_json(&job->arena, definition)};
    const haft__json *schema = haft__json_get(tool.definition, HAFT__LIT("input_schema"));
    tool.input_schema = schema != NULL ? *schema : haft__json_null();
    job->call.tool = &tool;
    job->call.arguments = help_json(&job->arena, arguments);
    return haft__command_input(job, ret_input, err);
}

TEST(the_input_of_a_command_follows_its_template)
{
    static const struct {
        const char *text, *input;
    } cases[] = {
        {"", ""},
        {"plain", "plain"},
        {"{a}", "x{b}"},
        {"<{a}|{b}>", "<x{b}|[1.50,{\"c\":null}]>"},
        {"{a b}", "{a b}"},
        {"{}", "{}"},
        {"{left_out}.", "."},
        {"{unknown} {A}", "{unknown} {A}"},
        {"{{a}}", "{x{b}}"},
        {"{{{a", "{{{a"},
        {"{a{b}", "{a[1.50,{\"c\":null}]"},
        {"}{", "}{"},
        {"{\\n\\\"k\\\": \\\"{a}\\\"\\n}", "{\n\"k\": \"x{b}\"\n}"},
        {"{a}{a}{a}", "x{b}x{b}x{b}"},
        {"$HOME ${HOME} `x` {a", "$HOME ${HOME} `x` {a"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__exec_job job = {.exec = NULL};
        haft__arena_init(&job.arena, 0);
        char definition[256];
        (void)snprintf(definition, sizeof(definition), "{" SCHEMA ",\"stdin\":\"%s\"}",
                       cases[i].text);
        haft_str input = {NULL, 0};
        haft_error err = {0};
        CHECK_INT(make(&job, definition, ARGUMENTS, &input, &err), HAFT_OK, "%s", err.message);
        CHECK_STR(input, haft__str(cases[i].input), "%s", cases[i].text);
        haft__arena_finish(&job.arena);
    }
}

TEST(without_a_template_the_input_is_the_arguments)
{
    haft__exec_job job = {.exec = NULL};
    haft__arena_init(&job.arena, 0);
    haft_str input = {NULL, 0};
    CHECK_INT(make(&job, "{}", "{ \"a\" : 1e2,\n\"b\":\"\\n\" }", &input, NULL), HAFT_OK, "status");
    CHECK_STR(input, HAFT__LIT("{\"a\":1e2,\"b\":\"\\n\"}\n"), "input");
    haft__arena_finish(&job.arena);
}

TEST(the_length_of_the_input_is_bounded)
{
    size_t size = HAFT__LIMIT_JSON_BYTES / 16;
    char *text = test_alloc(size + 8);
    text[0] = '"';
    memset(text + 1, 'x', size);
    memcpy(text + 1 + size, "\"", 2);
    for (unsigned times = 16; times <= 17; times++) {
        haft__exec_job job = {.exec = NULL};
        haft__arena_init(&job.arena, 0);
        haft__json_member member = {haft__json_string(HAFT__LIT("a")),
                                    haft__json_string((haft_str){text + 1, size})};
        char template[128];
        for (unsigned i = 0; i < times; i++) {
            memcpy(template + (size_t)i * 3, "{a}", 3);
        }
        haft__json_member stdin_member = {
            haft__json_string(HAFT__LIT("stdin")),
            haft__json_string((haft_str){template, (size_t)times * 3})};
        haft__tool tool = {.definition = haft__json_object(&stdin_member, 1)};
        job.call.tool = &tool;
        job.call.arguments = haft__json_object(&member, 1);
        haft_str input = {NULL, 0};
        haft_status status = haft__command_input(&job, &input, NULL);
        CHECK_INT(status, times == 16 ? HAFT_OK : HAFT_TOO_BIG, "%u times", times);
        haft__arena_finish(&job.arena);
    }
}

TEST(making_the_input_reports_a_failed_allocation)
{
    haft__exec_job job = {.exec = NULL};
    haft__arena_init(&job.arena, 0);
    haft__tool tool = {.definition = help_json(&job.arena, "{\"stdin\":\"{a}\"}")};
    job.call.tool = &tool;
    job.call.arguments = help_json(&job.arena, "{\"a\":1}");
    for (unsigned n = 0;; n++) {
        haft_str input = {NULL, 0};
        haft__arena_mark mark = haft__arena_save(&job.arena);
        help_leave(&job.arena, 0);
        test_fail_allocations_from(n);
        haft_status status = haft__command_input(&job, &input, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_restore(&job.arena, mark);
        if (!failed) {
            break;
        }
    }
    haft__arena_finish(&job.arena);
}
