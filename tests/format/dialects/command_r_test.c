/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/dialects/command_r.c: actions, thinking and responses. */
#include "format/parse_help.h"
#include "test.h"

static const help_case cases[] = {
    {.name = "a text", .text = "Just text.", .content = "Just text."},
    {.name = "a call",
     .text = "<|START_ACTION|>[{\"tool_call_id\":\"0\",\"tool_name\":\"f\",\"paramete"
             "rs\":{\"a\":1}}]<|END_ACTION|>",
     .calls = "0 f {\"a\":1}"},
    {.name = "reasoning and a call",
     .text = "<|START_THINKING|>Hm.<|END_THINKING|><|START_ACTION|>[{\"tool_call_id\""
             ":\"0\",\"tool_name\":\"f\",\"parameters\":{\"a\":1}}]<|END_ACTION|>",
     .calls = "0 f {\"a\":1}",
     .reasoning = "Hm."},
    {.name = "reasoning and a response",
     .text = "<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Hi.<|END_RESPONS"
             "E|>",
     .content = "Hi.",
     .reasoning = "Hm."},
    {.name = "a text with marks", .text = "<|START_TEXT|>Hi.<|END_TEXT|>", .content = "Hi."},
    {.name = "two",
     .text = "<|START_ACTION|>[{\"tool_call_id\":\"0\",\"tool_name\":\"f\",\"paramete"
             "rs\":{\"a\":1}},{\"tool_name\":\"g\",\"parameters\":{},\"tool_call_id\""
             ":\"1\"}]<|END_ACTION|>",
     .calls = "0 f {\"a\":1}\n1 g {}"},
    {.name = "a call in reasoning",
     .text = "<|START_THINKING|><|START_ACTION|>[{\"tool_call_id\":\"0\",\"tool_name\""
             ":\"f\",\"parameters\":{\"a\":1}}]<|END_ACTION|><|END_THINKING|><|START_"
             "RESPONSE|>Hi.",
     .content = "Hi.",
     .reasoning = "<|START_ACTION|>[{\"tool_call_id\":\"0\",\"tool_name\":\"f\",\"paramete"
                  "rs\":{\"a\":1}}]<|END_ACTION|>"},
    {.name = "reasoning that never ends",
     .text = "<|START_THINKING|>Hm. <|START_ACTION|>[{\"tool_call_id\":\"0\",\"tool_n"
             "ame\":\"f\",\"parameters\":{\"a\":1}}]<|END_ACTION|>",
     .calls = "0 f {\"a\":1}",
     .reasoning = "Hm."},
    {.name = "malformed",
     .text = "<|START_ACTION|>[{bad}]<|END_ACTION|><|START_ACTION|>[{\"tool_call_id\""
             ":\"0\",\"tool_name\":\"f\",\"parameters\":{\"a\":1}}]<|END_ACTION|>",
     .calls = "0 f {\"a\":1}",
     .errors = "malformed: expected a key in double quotes or '}', found 'b'"},
    {.name = "no end",
     .text = "<|START_ACTION|>[{\"tool_call_id\":\"0\",\"tool_name\":\"f\",\"paramete"
             "rs\":{\"a\":1}}]",
     .calls = "0 f {\"a\":1}"},
    {.name = "cut",
     .text = "<|START_ACTION|>[{\"tool_call_id\":\"0\",\"tool_name\":\"f\",\"paramete"
             "rs\":{\"a\"",
     .errors = "truncated: the text ends inside it"},
    {.name = "an empty array",
     .text = "<|START_ACTION|>[]<|END_ACTION|><|START_RESPONSE|>Hi.",
     .content = "Hi."},
    {.name = "a stray end", .text = "a <|END_ACTION|>b", .content = "a b"},
};

TEST(texts_of_command_r_are_read_at_every_cut)
{
    help_check_cases("command_r", cases, COUNT(cases));
}
