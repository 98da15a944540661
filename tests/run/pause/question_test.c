/* SPDX-License-Identifier: Apache-2.0 */
#include "run/pause/question.h"

#include "run/pause/command.h"
#include "run/run_help.h"

TEST(a_choice_may_be_named_numbered_or_left_to_the_default)
{
    static const struct {
        const char *arguments, *given, *wanted; /* NULL: rejected */
    } rows[] = {
        {"{}", "\"text\"", "\"text\""},
        {"{}", "7", "7"},
        {"{}", "{\"a\":1}", "{\"a\":1}"},
        {"{}", "\"\"", NULL},
        {"{}", "null", NULL},
        {"{\"default\":\"d\"}", "\"\"", "\"d\""},
        {"{\"default\":\"d\"}", "null", "\"d\""},
        {"{\"default\":\"d\"}", "\"x\"", "\"x\""},
        {"{\"choices\":[\"a\",\"b\"]}", "1", "\"a\""},
        {"{\"choices\":[\"a\",\"b\"]}", "2.0", "\"b\""},
        {"{\"choices\":[\"a\",\"b\"]}", "3", NULL},
        {"{\"choices\":[\"a\",\"b\"]}", "0", NULL},
        {"{\"choices\":[\"a\",\"b\"]}", "-1", NULL},
        {"{\"choices\":[\"a\",\"b\"]}", "1.5", NULL},
        {"{\"choices\":[\"a\",\"b\"]}", "99999999999999999999", NULL},
        {"{\"choices\":[\"a\",\"b\"]}", "\"3\"", "\"3\""},
        {"{\"choices\":[\"a\",\"b\"]}", "\"free text\"", "\"free text\""},
        {"{\"choices\":[\"20\",\"30\",\"2\"]}", "20", "\"20\""},
        {"{\"choices\":[\"20\",\"30\",\"2\"]}", "2", "\"2\""},
        {"{\"choices\":[\"20\",\"30\",\"2\"]}", "3", "\"2\""},
        {"{\"choices\":[]}", "3", "3"},
        {"{\"choices\":7}", "3", "3"},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__run_call call = {.id = HAFT__LIT("c1.1"),
                               .arguments = help_json(&arena, rows[i].arguments)};
        haft__json answer, given = help_json(&arena, rows[i].given);
        haft_status status = haft__question_answer(&call, given, &answer, NULL);
        CHECK_INT(status, rows[i].wanted != NULL ? HAFT_OK : HAFT_BAD_INPUT, "%s to %s",
                  rows[i].given, rows[i].arguments);
        bool same = false;
        if (rows[i].wanted != NULL) {
            CHECK_INT(haft__json_equal(answer, help_json(&arena, rows[i].wanted), &same, NULL),
                      HAFT_OK, "compare the answers");
            CHECK(same, "%s to %s", rows[i].given, rows[i].arguments);
        }
    }
    haft__arena_finish(&arena);
}

TEST(the_answer_to_a_graph_is_one_of_the_choices)
{
    static const struct {
        const char *choices, *given, *wanted; /* NULL: rejected */
    } rows[] = {
        {"[\"a\",\"b\"]", "\"b\"", "\"b\""},
        {"[\"a\",\"b\"]", "2", "\"b\""},
        {"[\"a\",\"b\"]", "\"c\"", NULL},
        {"[\"a\",\"b\"]", "3", NULL},
        {"[\"a\",\"b\"]", "null", NULL},
        {"[\"a\",\"b\"]", "[\"a\"]", NULL},
        {"[7,8]", "7", "7"},
        {"[7,8]", "2", "8"},
        {"[]", "{\"any\":1}", "{\"any\":1}"},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char arguments[64];
        haft__node_call node = {.path = HAFT__LIT("a")};
        (void)snprintf(arguments, sizeof(arguments), "{\"choices\":%s}", rows[i].choices);
        haft__run_call call = {
            .id = HAFT__LIT("n1.1"), .node = &node, .arguments = help_json(&arena, arguments)};
        haft__json answer, given = help_json(&arena, rows[i].given);
        haft_status status = haft__question_answer(&call, given, &answer, NULL);
        CHECK_INT(status, rows[i].wanted != NULL ? HAFT_OK : HAFT_BAD_INPUT, "%s to %s",
                  rows[i].given, arguments);
        bool same = false;
        if (rows[i].wanted != NULL) {
            CHECK_INT(haft__json_equal(answer, help_json(&arena, rows[i].wanted), &same, NULL),
                      HAFT_OK, "compare the answers");
            CHECK(same, "%s to %s", rows[i].given, arguments);
        }
    }
    haft__arena_finish(&arena);
}

static haft_str send_answer(help_run *r, const char *value)
{
    haft__run_command command = {.kind = HAFT__RUN_COMMAND_ANSWER,
                                 .call = HAFT__LIT("c1.1"),
                                 .value = help_json(&r->arena, value),
                                 .by = HAFT__LIT("ana"),
                                 .why = HAFT__LIT("")};
    haft__buf body;
    haft__buf_init(&body, 4096);
    haft_status status = haft__run_command_apply(&r->drive.run, &command, &body, &r->err);
    if (status == HAFT_OK && body.len > 0) {
        status = haft__drive_append(&r->drive, haft__buf_str(&body), &r->err);
    }
    haft_str recorded =
        help_keep(status == HAFT_OK ? haft__buf_str(&body) : haft__str(haft_status_name(status)));
    haft__buf_finish(&body);
    return recorded;
}

TEST(a_number_and_its_choice_are_the_same_answer)
{
    help_run r;
    help_run_init(
        &r, "agent; tools=request_user_input",
        "{\"replies\":[{\"calls\":[{\"name\":\"request_user_input\",\"arguments\":"
        "{\"question\":\"Which?\",\"choices\":[\"red\",\"blue\"]}}]},{\"text\":\"ok\"}]}");
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    CHECK_STR(send_answer(&r, "3"), HAFT__LIT("BAD_INPUT"), "a number without a choice");
    CHECK_STR(send_answer(&r, "\"\""), HAFT__LIT("BAD_INPUT"), "an empty answer without a default");
    CHECK_STR(send_answer(&r, "2"),
              HAFT__LIT("\"kind\":\"answered\",\"call\":\"c1.1\",\"by\":\"ana\",\"verdict\":"
                        "\"answer\",\"value\":\"blue\"}"),
              "the choice is recorded");
    CHECK_STR(send_answer(&r, "2"), HAFT__LIT(""), "the same number again");
    CHECK_STR(send_answer(&r, "\"blue\""), HAFT__LIT(""), "the choice by its name");
    CHECK_STR(send_answer(&r, "1"), HAFT__LIT("BAD_STATE"), "another choice");
    CHECK_STR(send_answer(&r, "9"), HAFT__LIT("BAD_STATE"),
              "a number without a choice, after the answer");
    CHECK_INT(haft__drive_on(&r.drive, &r.err), HAFT_OK, "%s", r.err.message);
    CHECK_INT(r.drive.run.end, HAFT__END_DONE, "the end of the run");
    help_run_finish(&r);
}
