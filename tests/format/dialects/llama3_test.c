/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/dialects/llama3.c: Llama 3 with its mark and without. */
#include "format/parse_help.h"
#include "test.h"

static const help_case cases[] = {
    {.name = "a text", .text = "Just {\"text\"}.", .content = "Just {\"text\"}."},
    {.name = "a call", .text = "{\"name\":\"f\",\"parameters\":{\"a\":1}}", .calls = "f {\"a\":1}"},
    {.name = "arguments",
     .text = "{\"name\":\"f\",\"arguments\":{\"a\":1}}",
     .calls = "f {\"a\":1}"},
    {.name = "a mark",
     .text = "<|python_tag|>{\"name\":\"f\",\"arguments\":{\"a\":1}}",
     .calls = "f {\"a\":1}"},
    {.name = "two",
     .text = "{\"name\":\"f\",\"arguments\":{\"a\":1}}; {\"name\":\"g\",\"arguments\""
             ":{}}",
     .calls = "f {\"a\":1}\ng {}"},
    {.name = "two behind the mark",
     .text = "<|python_tag|>{\"name\":\"f\",\"arguments\":{\"a\":1}};{\"name\":\"g\","
             "\"arguments\":{}}",
     .calls = "f {\"a\":1}\ng {}"},
    {.name = "three",
     .text = "{\"name\":\"f\",\"arguments\":{\"a\":1}} ;\n{\"name\":\"g\",\"arguments"
             "\":{}};{\"name\":\"f\",\"arguments\":{\"a\":1}}",
     .calls = "f {\"a\":1}\ng {}\nf {\"a\":1}"},
    {.name = "a semicolon in a string",
     .text = "{\"name\":\"f\",\"parameters\":{\"a\":\"; {}\"}};{\"name\":\"g\",\"argu"
             "ments\":{}}",
     .calls = "f {\"a\":\"; {}\"}\ng {}"},
    {.name = "nested",
     .text = "{\"name\":\"f\",\"parameters\":{\"a\":{\"b\":{\"c\":\"}\"}}}}",
     .calls = "f {\"a\":{\"b\":{\"c\":\"}\"}}}"},
    {.name = "in prose",
     .text = "See {\"name\":\"f\",\"arguments\":{\"a\":1}}",
     .content = "See {\"name\":\"f\",\"arguments\":{\"a\":1}}"},
    {.name = "no name", .text = "{\"parameters\":{}}", .content = "{\"parameters\":{}}"},
    {.name = "no parameters", .text = "{\"name\":\"f\"}", .content = "{\"name\":\"f\"}"},
    {.name = "behind the mark",
     .text = "<|python_tag|>{\"name\":\"f\"}",
     .errors = "malformed: it has no arguments"},
    {.name = "a built-in",
     .text = "<|python_tag|>search.call(query=\"a, (b)\", n=[1])",
     .calls = "search {\"query\":\"a, (b)\",\"n\":[1]}"},
    {.name = "code",
     .text = "<|python_tag|>import os\nprint(\"x\")",
     .calls = "python {\"code\":\"import os\\nprint(\\\"x\\\")\"}"},
    {.name = "one word of code",
     .text = "<|python_tag|>x",
     .errors = "truncated: the text ends inside it"},
    {.name = "a call in code",
     .text = "<|python_tag|>print(f.call(a=1))",
     .calls = "python {\"code\":\"print(f.call(a=1))\"}"},
    {.name = "a built-in that is spoilt",
     .text = "<|python_tag|>f.call(1)",
     .errors = "malformed: an argument of it has no name"},
    {.name = "text before the mark",
     .text = "Look.<|python_tag|>{\"name\":\"f\",\"arguments\":{\"a\":1}}",
     .calls = "f {\"a\":1}",
     .content = "Look."},
    {.name = "cut",
     .text = "{\"name\":\"f\",\"parameters\":{\"a\"",
     .errors = "truncated: the text ends inside it"},
    {.name = "cut in a built-in",
     .text = "<|python_tag|>f.call(a=",
     .errors = "truncated: the text ends inside it"},
    {.name = "cut in the second, behind the mark",
     .text = "<|python_tag|>{\"name\":\"f\",\"parameters\":{}}; {\"name\":\"ev",
     .calls = "f {}",
     .errors = "truncated: the text ends inside it"},
    {.name = "cut behind the mark",
     .text = "<|python_tag|>",
     .errors = "truncated: the text ends inside it"},
    {.name = "spoilt",
     .text = "<|python_tag|>{\"name\":\"f\",\"parameters\":{a}};{\"name\":\"g\",\"arg"
             "uments\":{}}",
     .calls = "g {}",
     .errors = "malformed: expected a key in double quotes or '}', found 'a'"},
    {.name = "an array",
     .text = "[{\"name\":\"f\",\"arguments\":{\"a\":1}}]",
     .content = "[{\"name\":\"f\",\"arguments\":{\"a\":1}}]"},
    {.name = "reasoning",
     .text = "<think>{\"name\":\"g\",\"arguments\":{}}</think>{\"name\":\"f\",\"argum"
             "ents\":{\"a\":1}}",
     .calls = "f {\"a\":1}",
     .reasoning = "{\"name\":\"g\",\"arguments\":{}}"},
};

TEST(texts_of_llama3_are_read_at_every_cut)
{
    help_check_cases("llama3", cases, COUNT(cases));
}
