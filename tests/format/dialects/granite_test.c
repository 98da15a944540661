/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/dialects/granite.c: arrays after a mark. */
#include "format/parse_help.h"
#include "test.h"

static const help_case cases[] = {
    {.name = "a text", .text = "Just text.", .content = "Just text."},
    {.name = "a call",
     .text = "<|tool_call|>[{\"name\":\"f\",\"arguments\":{\"a\":1}}]",
     .calls = "f {\"a\":1}"},
    {.name = "the other mark",
     .text = "<tool_call>[{\"name\":\"f\",\"arguments\":{\"a\":1}}, {\"name\":\"g\",\""
             "arguments\":{}}]",
     .calls = "f {\"a\":1}\ng {}"},
    {.name = "one without an array",
     .text = "<|tool_call|>{\"name\":\"f\",\"arguments\":{\"a\":1}}",
     .calls = "f {\"a\":1}"},
    {.name = "an empty array", .text = "<|tool_call|>[]"},
    {.name = "text around",
     .text = "A <|tool_call|>[{\"name\":\"f\",\"arguments\":{\"a\":1}}] B",
     .calls = "f {\"a\":1}",
     .content = "A B"},
    {.name = "malformed",
     .text = "<|tool_call|>[{\"name\":\"f\",\"arguments\":{\"a\":1}},{bad}]",
     .calls = "f {\"a\":1}",
     .errors = "malformed: expected a key in double quotes or '}', found 'b'"},
    {.name = "cut",
     .text = "<|tool_call|>[{\"name\":\"f\",\"arguments\":{\"a\":1}},{\"name\"",
     .calls = "f {\"a\":1}",
     .errors = "truncated: the text ends inside it"},
    {.name = "no array", .text = "<|tool_call|>5", .errors = "truncated: the text ends inside it"},
    {.name = "brackets in a string",
     .text = "<|tool_call|>[{\"name\":\"f\",\"arguments\":{\"a\":\"]\"}}]",
     .calls = "f {\"a\":\"]\"}"},
    {.name = "reasoning",
     .text = "<think>hm</think><|tool_call|>[{\"name\":\"f\",\"arguments\":{\"a\":1}}"
             "]",
     .calls = "f {\"a\":1}",
     .reasoning = "hm"},
};

TEST(texts_of_granite_are_read_at_every_cut)
{
    help_check_cases("granite", cases, COUNT(cases));
}
