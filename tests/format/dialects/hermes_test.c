/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/dialects/hermes.c: the calls of Hermes, Qwen and many others. */
#include "format/parse_help.h"
#include "test.h"

static const help_case cases[] = {
    {.name = "the end of the text after it",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call><|endoftext|>",
     .calls = "f {}"},
    {.name = "text only", .text = "Just text.", .content = "Just text."},
    {.name = "white space only", .text = " \n ", .content = " \n "},
    {.name = "a call",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call>",
     .calls = "f {\"a\":1}"},
    {.name = "layout",
     .text = "<tool_call>\r\n{\"name\":\"f\",\"arguments\":{\"a\":1}}\r\n</tool_call>"
             "\r\n",
     .calls = "f {\"a\":1}"},
    {.name = "text, then a call",
     .text = "Look.\n<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call>",
     .calls = "f {\"a\":1}",
     .content = "Look."},
    {.name = "text around it",
     .text = "Look.\n<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call>\n"
             "There.",
     .calls = "f {\"a\":1}",
     .content = "Look.\nThere."},
    {.name = "two",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call><tool_ca"
             "ll>{\"name\":\"g\",\"arguments\":{}}</tool_call>",
     .calls = "f {\"a\":1}\ng {}"},
    {.name = "two on lines",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call>\n<tool_"
             "call>{\"name\":\"g\",\"arguments\":{}}</tool_call>",
     .calls = "f {\"a\":1}\ng {}"},
    {.name = "no closing tag",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}",
     .calls = "f {\"a\":1}"},
    {.name = "half an opening tag", .text = "<tool_c", .content = "<tool_c"},
    {.name = "half a closing tag",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_c",
     .calls = "f {\"a\":1}"},
    {.name = "no closing tag in between",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}\n<tool_call>{\"name"
             "\":\"g\",\"arguments\":{}}</tool_call>",
     .calls = "f {\"a\":1}\ng {}"},
    {.name = "tags in a string",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"</tool_call><tool_cal"
             "l>{}\"}}</tool_call>",
     .calls = "f {\"a\":\"</tool_call><tool_call>{}\"}"},
    {.name = "braces in a string",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"}{\"}}</tool_call>",
     .calls = "f {\"a\":\"}{\"}"},
    {.name = "quotes and backslashes",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"\\\"\\\\\",\"b\":\"\\"
             "\\\\\"\"}}</tool_call>",
     .calls = "f {\"a\":\"\\\"\\\\\",\"b\":\"\\\\\\\"\"}"},
    {.name = "a think tag in a string",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"</think><think>\"}}</"
             "tool_call>",
     .calls = "f {\"a\":\"</think><think>\"}"},
    {.name = "XML is not read",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"&amp;<p>\"}}</tool_ca"
             "ll>",
     .calls = "f {\"a\":\"&amp;<p>\"}"},
    {.name = "arguments first",
     .text = "<tool_call>{\"arguments\":{\"a\":1},\"name\":\"f\"}</tool_call>",
     .calls = "f {\"a\":1}"},
    {.name = "a name in the arguments",
     .text = "<tool_call>{\"arguments\":{\"name\":\"x\",\"arguments\":{}},\"name\":\""
             "f\"}</tool_call>",
     .calls = "f {\"name\":\"x\",\"arguments\":{}}"},
    {.name = "other words for the members",
     .text = "<tool_call>{\"tool\":\"f\",\"args\":{\"a\":1}}</tool_call><tool_call>{\""
             "tool_name\":\"f\",\"input\":{\"a\":1}}</tool_call><tool_call>{\"functio"
             "n\":\"f\",\"parameters\":{\"a\":1}}</tool_call>",
     .calls = "f {\"a\":1}\nf {\"a\":1}\nf {\"a\":1}"},
    {.name = "more members",
     .text = "<tool_call>{\"type\":\"function\",\"id\":\"7\",\"name\":\"f\",\"x\":[{\""
             "name\":\"y\"}],\"arguments\":{\"a\":1}}</tool_call>",
     .calls = "7 f {\"a\":1}"},
    {.name = "an id after the arguments",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1},\"id\":\"7\"}</tool_"
             "call>",
     .calls = "7 f {\"a\":1}"},
    {.name = "large numbers stay",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":9007199254740993,\"b\":"
             "-9223372036854775808,\"c\":123456789012345678901234567890,\"d\":1.10}}<"
             "/tool_call>",
     .calls = "f {\"a\":9007199254740993,\"b\":-9223372036854775808,\"c\":123456789012"
              "345678901234567890,\"d\":1.10}"},
    {.name = "no numbers",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":NaN}}</tool_call><tool_"
             "call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call>",
     .calls = "f {\"a\":1}",
     .errors = "malformed: expected a value, found 'N'"},
    {.name = "infinite numbers",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1e999}}</tool_call><too"
             "l_call>{\"name\":\"f\",\"arguments\":{\"a\":-Infinity}}</tool_call><too"
             "l_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call>",
     .calls = "f {\"a\":1}",
     .errors = "malformed: a number is too large\nmalformed: expected a digit in "
               "the number, found 'I'"},
    {.name = "half a surrogate",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"\\ud83d\",\"b\":\"\\u"
             "d83d\\ude00\",\"c\":\"\\u0000\"}}</tool_call>",
     .calls = "f {\"a\":\"�\",\"b\":\"😀\",\"c\":\"\\u0000\"}"},
    {.name = "a key twice",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1,\"a\":2}}</tool_call>",
     .calls = "f {\"a\":2}"},
    {.name = "a name twice",
     .text = "<tool_call>{\"name\":\"g\",\"name\":\"f\",\"arguments\":{\"a\":1}}</too"
             "l_call>",
     .calls = "f {\"a\":1}"},
    {.name = "a name twice, but reported",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1},\"name\":\"g\"}</too"
             "l_call>",
     .errors = "malformed: it has two names"},
    {.name = "arguments twice, but reported",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1},\"arguments\":{\"a\""
             ":2}}</tool_call>",
     .errors = "malformed: it has arguments twice"},
    {.name = "no name",
     .text = "<tool_call>{\"arguments\":{}}</tool_call><tool_call>{\"name\":\"f\",\"a"
             "rguments\":{\"a\":1}}</tool_call>",
     .calls = "f {\"a\":1}",
     .errors = "malformed: it has no name"},
    {.name = "a name that is invalid",
     .text = "<tool_call>{\"name\":\"a b\",\"arguments\":{}}</tool_call><tool_call>{\""
             "name\":\"\",\"arguments\":{}}</tool_call><tool_call>{\"name\":5,\"argum"
             "ents\":{}}</tool_call><tool_call>{\"name\":{\"a\":1},\"arguments\":{}}<"
             "/tool_call>",
     .errors = "malformed: its name is not a valid tool name\nmalformed: its name is not a"
               " valid tool name\nmalformed: its name is not a string\nmalformed: its name is not "
               "a string"},
    {.name = "no arguments",
     .text = "<tool_call>{\"name\":\"f\"}</tool_call><tool_call>{\"name\":\"f\",\"arg"
             "uments\":null}</tool_call><tool_call>{\"name\":\"f\",\"arguments\":[1]}"
             "</tool_call><tool_call>{\"name\":\"f\",\"arguments\":\"{}\"}</tool_call"
             ">",
     .errors =
         "malformed: it has no arguments\nmalformed: its arguments are not an object\n"
         "malformed: its arguments are not an object\nmalformed: its arguments are not an object"},
    {.name = "no object",
     .text = "<tool_call>[]</tool_call><tool_call>5</tool_call><tool_call>\"x\"</tool"
             "_call><tool_call></tool_call><tool_call> \n</tool_call><tool_call>{\"na"
             "me\":\"f\",\"arguments\":{\"a\":1}}</tool_call>",
     .calls = "f {\"a\":1}",
     .errors = "malformed: it is not an object\nmalformed: it is not an object\nmalformed: it is "
               "not an object\nmalformed: expected a value, found '<'\nmalformed: expecte"
               "d a value, found '<'"},
    {.name = "a comma too many",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1,}}</tool_call><tool_c"
             "all>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call>",
     .calls = "f {\"a\":1}",
     .errors = "malformed: expected a key in double quotes, found '}'"},
    {.name = "a newline in a string",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"x\ny\"}}</tool_call><"
             "tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call>",
     .calls = "f {\"a\":1}",
     .errors = "malformed: expected no raw control character in the string, found byte "
               "0x0A"},
    {.name = "an unknown tool",
     .text = "<tool_call>{\"name\":\"unknown.tool:1/x-y\",\"arguments\":{}}</tool_cal"
             "l>",
     .calls = "unknown.tool:1/x-y {}"},
    {.name = "a tool of the name of a mark",
     .text = "<tool_call>{\"name\":\"tool_call\",\"arguments\":{}}</tool_call>",
     .calls = "tool_call {}"},
    {.name = "nearly marks",
     .text = "<tool_calls> <tool_cal <tool_call",
     .content = "<tool_calls> <tool_cal <tool_call"},
    {.name = "nearly a mark, then one",
     .text = "<tool_<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}",
     .calls = "f {\"a\":1}",
     .content = "<tool_"},
    {.name = "a call after a malformed one",
     .text = "<tool_call>{bad<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}",
     .calls = "f {\"a\":1}",
     .errors = "malformed: expected a key in double quotes or '}', found 'b'"},
    {.name = "something after it",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}}</tool_call> x",
     .calls = "f {\"a\":1}",
     .content = "} x"},
    {.name = "cut",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}",
     .errors = "truncated: the text ends inside it"},
    {.name = "cut in a name",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call><tool_ca"
             "ll>{\"name\":\"g",
     .calls = "f {\"a\":1}",
     .errors = "truncated: the text ends inside it"},
    {.name = "cut after the mark",
     .text = "<tool_call>",
     .errors = "truncated: the text ends inside it"},
    {.name = "reasoning",
     .text = "<think>\nHm.\n</think>\n\nSo.\n<tool_call>{\"name\":\"f\",\"arguments\""
             ":{\"a\":1}}</tool_call>",
     .calls = "f {\"a\":1}",
     .content = "So.",
     .reasoning = "Hm."},
    {.name = "a call in reasoning",
     .text = "<think><tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call></think>"
             "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call>",
     .calls = "f {\"a\":1}",
     .reasoning = "<tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call>"},
    {.name = "reasoning that never ends", .text = "<think>Hm. ", .reasoning = "Hm."},
    {.name = "... with a call",
     .text = "<think>Hm. <tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_ca"
             "ll>",
     .calls = "f {\"a\":1}",
     .reasoning = "Hm."},
    {.name = "... with a malformed one",
     .text = "<think>Hm. <tool_call>{bad}</tool_call><tool_call>{\"name\":\"f\",\"arg"
             "uments\":{\"a\":1}}</tool_call>",
     .calls = "f {\"a\":1}",
     .reasoning = "Hm.",
     .errors = "malformed: expected a key in double quotes or '}', found 'b'"},
    {.name = "a second end of reasoning",
     .text = "<think>a</think>b</think>c",
     .content = "bc",
     .reasoning = "a"},
    {.name = "an end of reasoning alone", .text = "a</think>b", .content = "a</think>b"},
    {.name = "reasoning that is not at the start",
     .text = "a <think>b</think> c",
     .content = "a c",
     .reasoning = "b"},
    {.name = "reasoning that is not at the start and never ends",
     .text = "a <think>b <tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call> <think>c",
     .calls = "f {}",
     .content = "a <think>b <think>c"},
    {.name = "reasoning between a call and its end",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{}}<think>b</think></tool_call>c",
     .calls = "f {}",
     .content = "c",
     .reasoning = "b"},
    {.name = "an empty block", .text = "<think></think>x", .content = "x"},
    {.name = "a stray end after a call",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call> a </tool_call> b",
     .calls = "f {}",
     .content = "a  b"},
    {.name = "an end without a call", .text = "a </tool_call> b", .content = "a </tool_call> b"},
};

TEST(texts_of_hermes_are_read_at_every_cut)
{
    help_check_cases("hermes", cases, COUNT(cases));
}
