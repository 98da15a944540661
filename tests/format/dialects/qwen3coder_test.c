/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/dialects/qwen3coder.c: values without quotes, typed by the schema. */
#include "format/parse_help.h"
#include "test.h"

static const help_case cases[] = {
    {.name = "a text", .text = "Just <b>text</b>.", .content = "Just <b>text</b>."},
    {.name = "a call",
     .text = "<tool_call>\n<function=f>\n<parameter=s>\nx\n</parameter>\n</function>\n"
             "</tool_call>",
     .calls = "f {\"s\":\"x\"}"},
    {.name = "no layout",
     .text = "<tool_call><function=f><parameter=s>x</parameter><parameter=n>5</parame"
             "ter></function></tool_call>",
     .calls = "f {\"s\":\"x\",\"n\":5}"},
    {.name = "no parameters",
     .text = "<tool_call><function=f></function></tool_call>",
     .calls = "f {}"},
    {.name = "two",
     .text = "<tool_call><function=f><parameter=s>x</parameter></function></tool_call"
             ">\n<tool_call><function=g></function></tool_call>",
     .calls = "f {\"s\":\"x\"}\ng {}"},
    {.name = "one newline is layout",
     .text = "<tool_call><function=f><parameter=s>\n\n  x\n\n</parameter></function><"
             "/tool_call>",
     .calls = "f {\"s\":\"\\n  x\\n\"}"},
    {.name = "CRLF",
     .text = "<tool_call><function=f><parameter=s>\r\nx\r\ny\r\n</parameter></functio"
             "n></tool_call>",
     .calls = "f {\"s\":\"x\\r\\ny\"}"},
    {.name = "a newline alone",
     .text = "<tool_call><function=f><parameter=s>\n</parameter></function></tool_cal"
             "l>",
     .calls = "f {\"s\":\"\"}"},
    {.name = "types",
     .text = "<tool_call><function=f><parameter=s>5</parameter><parameter=n>5</parame"
             "ter><parameter=n>-0</parameter><parameter=x>1.50</parameter><parameter="
             "b>TRUE</parameter><parameter=o>{\"k\": [1]}</parameter><parameter=l>[1,"
             " 2]</parameter><parameter=u>null</parameter><parameter=z>[1]</parameter"
             "><parameter=y>plain</parameter></function></tool_call>",
     .calls = "f {\"s\":\"5\",\"n\":-0,\"x\":1.50,\"b\":true,\"o\":{\"k\":[1]},\"l\":["
              "1,2],\"u\":null,\"z\":[1],\"y\":\"plain\"}"},
    {.name = "what does not fit stays a string",
     .text = "<tool_call><function=f><parameter=n>five</parameter><parameter=b>yes</p"
             "arameter><parameter=o>{bad</parameter><parameter=l>\"x\"</parameter><pa"
             "rameter=x>1.</parameter></function></tool_call>",
     .calls = "f {\"n\":\"five\",\"b\":\"yes\",\"o\":\"{bad\",\"l\":\"\\\"x\\\"\",\"x\""
              ":\"1.\"}"},
    {.name = "null in a string",
     .text = "<tool_call><function=f><parameter=s>null</parameter><parameter=u>x</par"
             "ameter></function></tool_call>",
     .calls = "f {\"s\":\"null\",\"u\":\"x\"}"},
    {.name = "large integers",
     .text = "<tool_call><function=f><parameter=n>123456789012345678901</parameter></"
             "function></tool_call>",
     .calls = "f {\"n\":123456789012345678901}"},
    {.name = "raw text",
     .text = "<tool_call><function=f><parameter=s>a & b < c \"d\" \\n </tool_call> <t"
             "ool_call> }</parameter></function></tool_call>",
     .calls = "f {\"s\":\"a & b < c \\\"d\\\" \\\\n </tool_call> <tool_call> }\"}"},
    {.name = "a closing tag in a value",
     .text = "<tool_call><function=f><parameter=s>a </parameter> b</parameter><parame"
             "ter=n>1</parameter></function></tool_call>",
     .calls = "f {\"s\":\"a </parameter> b\",\"n\":1}"},
    {.name = "no closing tag",
     .text = "<tool_call><function=f><parameter=s>x<parameter=n>1</function></tool_ca"
             "ll>",
     .calls = "f {\"s\":\"x\",\"n\":1}"},
    {.name = "no outer tag",
     .text = "<function=f><parameter=s>x</parameter></function>x",
     .calls = "f {\"s\":\"x\"}",
     .content = "x"},
    {.name = "an unknown one without it",
     .text = "<function=h><parameter=s>x</parameter></function>",
     .content = "<function=h><parameter=s>x</parameter></function>"},
    {.name = "an unknown one",
     .text = "<tool_call><function=h><parameter=s>x</parameter></function></tool_call"
             ">",
     .calls = "h {\"s\":\"x\"}"},
    {.name = "a bad name",
     .text = "<tool_call><function=a b></function></tool_call><tool_call><function=f>"
             "<parameter=s>x</parameter></function></tool_call>",
     .calls = "f {\"s\":\"x\"}",
     .errors = "malformed: its name is not a valid tool name"},
    {.name = "a bad key",
     .text = "<tool_call><function=f><parameter=a b>1</parameter></function></tool_ca"
             "ll><tool_call><function=f><parameter=s>x</parameter></function></tool_c"
             "all>",
     .calls = "f {\"s\":\"x\"}",
     .errors = "malformed: the name of a parameter is not valid"},
    {.name = "no end of a name",
     .text = "<tool_call><function=f<parameter=s>x</parameter></tool_call><tool_call>"
             "<function=f><parameter=s>x</parameter></function></tool_call>",
     .errors = "malformed: its name or id contains a tag"},
    {.name = "text where none belongs",
     .text = "<tool_call><function=f>x<parameter=s>x</parameter></function></tool_cal"
             "l><tool_call><function=f><parameter=s>x</parameter></function></tool_ca"
             "ll>",
     .calls = "f {\"s\":\"x\"}",
     .errors = "malformed: it has text where only tags belong"},
    {.name = "JSON",
     .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call><tool_ca"
             "ll><function=f><parameter=s>x</parameter></function></tool_call>",
     .calls = "f {\"s\":\"x\"}",
     .errors = "malformed: it has text where only tags belong"},
    {.name = "cut",
     .text = "<tool_call><function=f><parameter=s>x",
     .errors = "truncated: the text ends inside it"},
    {.name = "cut after a value",
     .text = "<tool_call><function=f><parameter=s>x</parameter>",
     .errors = "truncated: the text ends inside it"},
    {.name = "no outer end",
     .text = "<tool_call><function=f><parameter=s>x</parameter></function>",
     .calls = "f {\"s\":\"x\"}"},
    {.name = "cut in a name",
     .text = "<tool_call><function=f",
     .errors = "truncated: the text ends inside it"},
    {.name = "cut in a bare name", .text = "x <function=f", .content = "x <function=f"},
    {.name = "reasoning",
     .text = "<think><tool_call><function=f></function></tool_call></think><tool_call"
             "><function=f><parameter=s>x</parameter></function></tool_call>",
     .calls = "f {\"s\":\"x\"}",
     .reasoning = "<tool_call><function=f></function></tool_call>"},
    {.name = "cut in a tag",
     .text = "<tool_call><function=f><para",
     .errors = "truncated: the text ends inside it"},
    {.name = "endless numbers are strings",
     .text = "<tool_call><function=f><parameter=x>1e999</parameter><parameter=l>[-1e999]"
             "</parameter></function></tool_call>",
     .calls = "f {\"x\":\"1e999\",\"l\":\"[-1e999]\"}"},
    {.name = "a key twice",
     .text = "<tool_call><function=f><parameter=n>1</parameter><parameter=n>2</parame"
             "ter></function></tool_call>",
     .calls = "f {\"n\":2}"},
    {.name = "a bare call, and reasoning that never ends",
     .text = "<think>hm <function=f><parameter=s>x</parameter></function>",
     .calls = "f {\"s\":\"x\"}",
     .reasoning = "hm"},
    {.name = "a bare call of no tool, and reasoning that never ends",
     .text = "<think>hm <function=h><parameter=s>x</parameter></function> so",
     .reasoning = "hm <function=h><parameter=s>x</parameter></function> so"},
    {.name = "... and a call after it",
     .text = "<think>hm <function=h> or <tool_call><function=f></function></tool_call>",
     .calls = "f {}",
     .reasoning = "hm <function=h> or"},
    {.name = "an object of Python without repair",
     .text = "<tool_call><function=f><parameter=o>{'A': 'b'}</parameter></function></tool_call>",
     .calls = "f {\"o\":\"{'A': 'b'}\"}"},
    {.name = "stray ends after a call",
     .text = "<tool_call><function=f></function></tool_call> a </function></tool_call> b",
     .calls = "f {}",
     .content = "a  b"},
    {.name = "ends without a call",
     .text = "a </function> b </tool_call>",
     .content = "a </function> b </tool_call>"},
    {.name = "an empty block",
     .text = "<tool_call>\n</tool_call>x",
     .content = "x",
     .errors = "malformed: it ends before its arguments"},
};

TEST(texts_of_qwen3coder_are_read_at_every_cut)
{
    help_check_cases("qwen3coder", cases, COUNT(cases));
}
