/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/dialects/anthropic_xml.c: invocations with parameters. */
#include "format/parse_help.h"
#include "test.h"

static const help_case cases[] = {
    {.name = "a text", .text = "Just <b>text</b>.", .content = "Just <b>text</b>."},
    {.name = "a call",
     .text = "<function_calls>\n<invoke name=\"f\"><parameter name=\"s\">x</parameter"
             "><parameter name=\"n\">5</parameter></invoke>\n</function_calls>",
     .calls = "f {\"s\":\"x\",\"n\":5}"},
    {.name = "two",
     .text = "A\n<function_calls>\n<invoke name=\"f\"><parameter name=\"s\">x</parame"
             "ter></invoke>\n<invoke name=\"g\"></invoke>\n</function_calls>\nB",
     .calls = "f {\"s\":\"x\"}\ng {}",
     .content = "A\nB"},
    {.name = "MiniMax",
     .text = "<minimax:tool_call><invoke name=\"f\"><parameter name=\"s\">x</paramete"
             "r></invoke></minimax:tool_call>",
     .calls = "f {\"s\":\"x\"}"},
    {.name = "with a prefix",
     .text = "<antml:function_calls>\n<antml:invoke name=\"f\"><antml:parameter name="
             "\"s\">x</antml:parameter><antml:parameter name=\"n\">5</antml:parameter"
             "></antml:invoke>\n</antml:function_calls>",
     .calls = "f {\"s\":\"x\",\"n\":5}"},
    {.name = "values are as they are",
     .text = "<function_calls>\n<invoke name=\"f\"><parameter name=\"s\">\n &amp; <b>"
             " \n</parameter></invoke>\n</function_calls>",
     .calls = "f {\"s\":\"\\n &amp; <b> \\n\"}"},
    {.name = "a closing tag in a value",
     .text = "<function_calls>\n<invoke name=\"f\"><parameter name=\"s\">a</parameter"
             ">b</parameter></invoke>\n</function_calls>",
     .calls = "f {\"s\":\"a</parameter>b\"}"},
    {.name = "a bad name",
     .text = "<function_calls>\n<invoke name=\"a b\"></invoke>\n<invoke name=\"g\"></"
             "invoke>\n</function_calls>",
     .calls = "g {}",
     .errors = "malformed: its name is not a valid tool name"},
    {.name = "a bad key",
     .text = "<function_calls>\n<invoke name=\"f\"><parameter name=\"a b\">x</paramet"
             "er></invoke>\n<invoke name=\"g\"></invoke>\n</function_calls>",
     .calls = "g {}",
     .errors = "malformed: the name of a parameter is not valid"},
    {.name = "text where none belongs",
     .text = "<function_calls>\n<invoke name=\"f\">x</invoke>\n<invoke name=\"g\"></i"
             "nvoke>\n</function_calls>",
     .calls = "g {}",
     .errors = "malformed: it has text where only tags belong"},
    {.name = "cut",
     .text = "<function_calls><invoke name=\"f\"><parameter name=\"s\">x",
     .errors = "truncated: the text ends inside it"},
    {.name = "cut after a value",
     .text = "<function_calls><invoke name=\"f\"><parameter name=\"s\">x</parameter>",
     .errors = "truncated: the text ends inside it"},
    {.name = "no end",
     .text = "<function_calls><invoke name=\"f\"><parameter name=\"s\">x</parameter><"
             "/invoke>",
     .calls = "f {\"s\":\"x\"}"},
    {.name = "an empty section", .text = "<function_calls>\n\n</function_calls>x", .content = "x"},
    {.name = "no section",
     .text = "Hi. <invoke name=\"f\"><parameter name=\"s\">x</parameter></invoke>",
     .calls = "f {\"s\":\"x\"}",
     .content = "Hi."},
    {.name = "no section, and no tool",
     .text = "Write <invoke name=\"h\"> and <invoke name=\"f g\"> and <invoke name=\"f\"x.",
     .content = "Write <invoke name=\"h\"> and <invoke name=\"f g\"> and <invoke name=\"f\"x."},
    {.name = "no section, and reasoning that never ends",
     .text = "<think>a <invoke name=\"h\"> b <invoke name=\"f\"></invoke>",
     .calls = "f {}",
     .reasoning = "a <invoke name=\"h\"> b"},
    {.name = "tags that close themselves",
     .text = "<function_calls><invoke name=\"f\"/><invoke name=\"g\" /></function_calls>x",
     .calls = "f {}\ng {}",
     .content = "x"},
    {.name = "arguments as JSON",
     .text = "<function_calls><invoke name=\"f\">{\"s\": \"</invoke>\"}</invoke>"
             "</function_calls>",
     .calls = "f {\"s\":\"</invoke>\"}"},
    {.name = "stray ends after a call",
     .text = "<invoke name=\"g\"></invoke></function_calls> a </invoke></function_calls> b",
     .calls = "g {}",
     .content = "a  b"},
    {.name = "ends without a call", .text = "a </invoke> b", .content = "a </invoke> b"},
    {.name = "reasoning",
     .text = "<think>hm</think><function_calls>\n<invoke name=\"f\"></invoke>\n</func"
             "tion_calls>",
     .calls = "f {}",
     .reasoning = "hm"},
};

TEST(texts_of_anthropic_xml_are_read_at_every_cut)
{
    help_check_cases("anthropic_xml", cases, COUNT(cases));
}
