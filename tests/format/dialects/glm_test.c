/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/dialects/glm.c: pairs of keys and values. */
#include "format/parse_help.h"
#include "test.h"

static const help_case cases[] = {
    {.name = "a text", .text = "Just text.", .content = "Just text."},
    {.name = "a call",
     .text = "<tool_call>f\n<arg_key>s</arg_key>\n<arg_value>x</arg_value>\n<arg_key>"
             "n</arg_key>\n<arg_value>5</arg_value>\n</tool_call>",
     .calls = "f {\"s\":\"x\",\"n\":5}"},
    {.name = "no layout",
     .text = "<tool_call>f<arg_key>s</arg_key><arg_value> x\n</arg_value></tool_call>",
     .calls = "f {\"s\":\" x\\n\"}"},
    {.name = "no arguments",
     .text = "<tool_call>f</tool_call><tool_call>g\n</tool_call>",
     .calls = "f {}\ng {}"},
    {.name = "text around",
     .text = "A\n<tool_call>f</tool_call>\nB",
     .calls = "f {}",
     .content = "A\nB"},
    {.name = "tags in a value",
     .text = "<tool_call>f<arg_key>s</arg_key><arg_value></tool_call><arg_key></arg_v"
             "alue></tool_call>",
     .calls = "f {\"s\":\"</tool_call><arg_key>\"}"},
    {.name = "JSON in a value",
     .text = "<tool_call>f<arg_key>o</arg_key><arg_value>{\"a\": 1}</arg_value></tool"
             "_call>",
     .calls = "f {\"o\":{\"a\":1}}"},
    {.name = "a bad name",
     .text = "<tool_call>a b\n</tool_call><tool_call>f</tool_call>",
     .calls = "f {}",
     .errors = "malformed: its name is not a valid tool name"},
    {.name = "text where none belongs",
     .text = "<tool_call>f\nx</tool_call><tool_call>f</tool_call>",
     .calls = "f {}",
     .errors = "malformed: it has text where only tags belong"},
    {.name = "a key without a value",
     .text = "<tool_call>f<arg_key>s</arg_key></tool_call><tool_call>f</tool_call>",
     .calls = "f {}",
     .errors = "malformed: it has text where only tags belong"},
    {.name = "cut",
     .text = "<tool_call>f\n<arg_key>s</arg_key>\n<arg_value>x",
     .errors = "truncated: the text ends inside it"},
    {.name = "cut after a value",
     .text = "<tool_call>f\n<arg_key>s</arg_key>\n<arg_value>x</arg_value>",
     .errors = "truncated: the text ends inside it"},
    {.name = "cut in a tag",
     .text = "<tool_call>f\n<arg_k",
     .errors = "truncated: the text ends inside it"},
    {.name = "a line end before the name", .text = "<tool_call>\nf\n</tool_call>", .calls = "f {}"},
    {.name = "cut in the name",
     .text = "<tool_call>f",
     .errors = "truncated: the text ends inside it"},
    {.name = "reasoning",
     .text = "<think>hm</think><tool_call>f</tool_call>",
     .calls = "f {}",
     .reasoning = "hm"},
    {.name = "a stray end after a call",
     .text = "<tool_call>f</tool_call> a </tool_call> b",
     .calls = "f {}",
     .content = "a  b"},
    {.name = "an end without a call", .text = "a </tool_call> b", .content = "a </tool_call> b"},
};

TEST(texts_of_glm_are_read_at_every_cut)
{
    help_check_cases("glm", cases, COUNT(cases));
}
