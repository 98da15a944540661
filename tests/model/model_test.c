/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/model.c. */
#include "model/model.h"

#include "test.h"

TEST(stop_reasons_are_named_and_parsed)
{
    static const char *const names[] = {"stop", "tool_calls", "length", "refusal"};
    for (size_t i = 0; i < COUNT(names); i++) {
        haft__stop_reason found = HAFT__STOP_END;
        CHECK_STR(haft__str(haft__stop_reason_name((haft__stop_reason)i)), haft__str(names[i]),
                  "case %zu", i);
        CHECK(haft__stop_reason_parse(haft__str(names[i]), &found) && found == (haft__stop_reason)i,
              "%s", names[i]);
    }
    haft__stop_reason stop = HAFT__STOP_LENGTH;
    CHECK(!haft__stop_reason_parse(HAFT__LIT("STOP"), &stop), "upper case is not a stop reason");
    CHECK(!haft__stop_reason_parse(HAFT__LIT(""), &stop) && stop == HAFT__STOP_LENGTH,
          "an empty text is not a stop reason");
}

static const struct {
    const char *text;
    bool found;
} parts[] = {
    {"", true},           {"the task", true},    {"task", true},      {"tasks", false},
    {"aab", true},        {"aaab", false},       {"look_up", true},   {"\"q\":\"x\"", true},
    {"\\\"q\\\"", false}, {"do it again", true}, {"thinking", false}, {"task\nresult", false},
};

TEST(a_request_is_searched_as_text)
{
    static const haft__message_call calls[] = {
        {HAFT__LIT("1"), HAFT__LIT("look_up"), .arguments = HAFT__LIT("{\"q\":\"x\"}")},
    };
    haft__message items[] = {
        {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("the task")},
        {.role = HAFT__MESSAGE_ASSISTANT,
         .reasoning = HAFT__LIT("thinking"),
         .calls = calls,
         .call_count = 1},
        {.role = HAFT__MESSAGE_TOOL, .text = HAFT__LIT("aacaab")},
    };
    haft__messages messages = {.items = items, .count = COUNT(items)};
    haft__request request = {.messages = &messages, .correction = HAFT__LIT("do it again")};
    for (size_t i = 0; i < COUNT(parts); i++) {
        CHECK_INT(haft__request_contains(&request, haft__str(parts[i].text)), parts[i].found, "%s",
                  parts[i].text);
    }
}

/* The history of the planner shape is searched in the form in which it is sent. */
TEST(a_transcript_is_searched_as_it_is_sent)
{
    static const haft__message_call calls[] = {
        {HAFT__LIT("1"), HAFT__LIT("look_up"), .arguments = HAFT__LIT("{}")},
    };
    haft__message items[] = {
        {.role = HAFT__MESSAGE_SYSTEM, .text = HAFT__LIT("Be brief.")},
        {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("the task")},
        {.role = HAFT__MESSAGE_ASSISTANT, .calls = calls, .call_count = 1},
        {.role = HAFT__MESSAGE_TOOL, .text = HAFT__LIT("seen")},
    };
    haft__messages messages = {.items = items, .count = COUNT(items)};
    haft__request request = {.messages = &messages,
                             .correction = HAFT__LIT("again"),
                             .transcript = true,
                             .task = HAFT__LIT("the task")};
    static const struct {
        const char *text;
        bool found;
    } texts[] = {
        {"Be brief.", true},
        {"Calling tool: look_up with args: {}", true},
        {"Tool result: seen", true},
        {"the task", true},
        {"again", true},
        {"seen\nthe task", false},
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        CHECK_INT(haft__request_contains(&request, haft__str(texts[i].text)), texts[i].found, "%s",
                  texts[i].text);
    }
}

TEST(constraints_are_named_and_parsed)
{
    static const char *const names[] = {"none", "gbnf", "json_schema"};
    haft__constraint_kind found = HAFT__CONSTRAINT_NONE;
    for (size_t i = 0; i < COUNT(names); i++) {
        CHECK_STR(haft__str(haft__constraint_name((haft__constraint_kind)i)), haft__str(names[i]),
                  "case %zu", i);
        CHECK(haft__constraint_parse(haft__str(names[i]), &found)
                  && found == (haft__constraint_kind)i,
              "%s", names[i]);
    }
    CHECK(!haft__constraint_parse(HAFT__LIT("lark"), &found), "an unknown constraint");
}

TEST(output_is_text_reasoning_and_calls)
{
    static const struct {
        haft__delta_kind kind;
        bool output;
    } rows[] = {{HAFT__DELTA_TEXT, true},      {HAFT__DELTA_REASONING, true},
                {HAFT__DELTA_CALL, true},      {HAFT__DELTA_ARGUMENTS, false},
                {HAFT__DELTA_CALL_END, false}, {HAFT__DELTA_USAGE, false},
                {HAFT__DELTA_STOP, false},     {HAFT__DELTA_CALL_MALFORMED, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_INT(haft__delta_is_output(&(haft__delta){.kind = rows[i].kind}), rows[i].output,
                  "row %zu", i);
    }
}
