/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/dialects/deepseek_v32.c: values that say whether they are strings. */
#include "format/parse_help.h"
#include "test.h"

static const help_case cases[] = {
    {.name = "a text", .text = "Just text.", .content = "Just text."},
    {.name = "a call",
     .text = "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\"><｜DSML｜parameter"
             " name=\"s\" string=\"true\">x</｜DSML｜parameter><｜DSML｜parameter nam"
             "e=\"n\" string=\"false\">5</｜DSML｜parameter></｜DSML｜invoke>\n</｜DS"
             "ML｜function_calls>",
     .calls = "f {\"s\":\"x\",\"n\":5}"},
    {.name = "two",
     .text = "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\"><｜DSML｜parameter"
             " name=\"s\" string=\"true\">x</｜DSML｜parameter></｜DSML｜invoke>\n<｜"
             "DSML｜invoke name=\"g\"></｜DSML｜invoke>\n</｜DSML｜function_calls>B",
     .calls = "f {\"s\":\"x\"}\ng {}",
     .content = "B"},
    {.name = "the newer word",
     .text = "<｜DSML｜tool_calls><｜DSML｜invoke name=\"f\"></｜DSML｜invoke></｜DSM"
             "L｜tool_calls>",
     .calls = "f {}"},
    {.name = "strings are not read",
     .text = "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\"><｜DSML｜parameter"
             " name=\"n\" string=\"true\">5</｜DSML｜parameter><｜DSML｜parameter nam"
             "e=\"o\" string=\"true\">{\"a\":1}</｜DSML｜parameter></｜DSML｜invoke>\n"
             "</｜DSML｜function_calls>",
     .calls = "f {\"n\":\"5\",\"o\":\"{\\\"a\\\":1}\"}"},
    {.name = "JSON is",
     .text = "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\"><｜DSML｜parameter"
             " name=\"a\" string=\"false\">{\"b\": [1.50, null]}</｜DSML｜parameter><"
             "｜DSML｜parameter name=\"c\" string=\"false\">true</｜DSML｜parameter><"
             "/｜DSML｜invoke>\n</｜DSML｜function_calls>",
     .calls = "f {\"a\":{\"b\":[1.50,null]},\"c\":true}"},
    {.name = "JSON that is invalid",
     .text = "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\"><｜DSML｜parameter"
             " name=\"a\" string=\"false\">{bad</｜DSML｜parameter></｜DSML｜invoke>\n"
             "</｜DSML｜function_calls>",
     .calls = "f {\"a\":\"{bad\"}"},
    {.name = "a closing tag in a value",
     .text = "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\"><｜DSML｜parameter"
             " name=\"s\" string=\"true\">a</｜DSML｜parameter>b</｜DSML｜parameter><"
             "/｜DSML｜invoke>\n</｜DSML｜function_calls>",
     .calls = "f {\"s\":\"a</｜DSML｜parameter>b\"}"},
    {.name = "a bad name",
     .text = "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"a b\"></｜DSML｜invoke"
             ">\n<｜DSML｜invoke name=\"g\"></｜DSML｜invoke>\n</｜DSML｜function_cal"
             "ls>",
     .calls = "g {}",
     .errors = "malformed: its name is not a valid tool name"},
    {.name = "a bad key",
     .text = "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\"><｜DSML｜parameter"
             " name=\"a b\" string=\"true\">x</｜DSML｜parameter></｜DSML｜invoke>\n<"
             "｜DSML｜invoke name=\"g\"></｜DSML｜invoke>\n</｜DSML｜function_calls>",
     .calls = "g {}",
     .errors = "malformed: the name of a parameter is not valid"},
    {.name = "a parameter that does not say what it is",
     .text = "<｜DSML｜function_calls><｜DSML｜invoke name=\"f\"><｜DSML｜parameter name=\"a\">x"
             "</｜DSML｜parameter></｜DSML｜invoke><｜DSML｜invoke name=\"g\"></｜DSML｜invoke>"
             "</｜DSML｜function_calls>",
     .calls = "g {}",
     .errors = "malformed: a parameter has neither string=\"true\" nor string=\"false\""},
    {.name = "... or says something else",
     .text = "<｜DSML｜function_calls><｜DSML｜invoke name=\"f\"><｜DSML｜parameter name=\"a\" "
             "string=\"maybe\">x</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>",
     .errors = "malformed: a parameter has neither string=\"true\" nor string=\"false\""},
    {.name = "cut",
     .text = "<｜DSML｜function_calls><｜DSML｜invoke name=\"f\"><｜DSML｜parameter n"
             "ame=\"s\" string=\"true\">x",
     .errors = "truncated: the text ends inside it"},
    {.name = "cut after a value",
     .text = "<｜DSML｜function_calls><｜DSML｜invoke name=\"f\"><｜DSML｜parameter n"
             "ame=\"s\" string=\"true\">x</｜DSML｜parameter>",
     .errors = "truncated: the text ends inside it"},
    {.name = "no end",
     .text = "<｜DSML｜function_calls><｜DSML｜invoke name=\"f\"><｜DSML｜parameter n"
             "ame=\"s\" string=\"true\">x</｜DSML｜parameter></｜DSML｜invoke>",
     .calls = "f {\"s\":\"x\"}"},
    {.name = "no section",
     .text = "Hi.\n<｜DSML｜invoke name=\"f\"><｜DSML｜parameter name=\"s\" string=\"true\">x"
             "</｜DSML｜parameter></｜DSML｜invoke>",
     .calls = "f {\"s\":\"x\"}",
     .content = "Hi."},
    {.name = "no section, and reasoning that never ends",
     .text = "<think>hm <｜DSML｜invoke name=\"f\"></｜DSML｜invoke>",
     .calls = "f {}",
     .reasoning = "hm"},
    {.name = "tags that close themselves",
     .text = "<｜DSML｜tool_calls><｜DSML｜invoke name=\"f\"/><｜DSML｜invoke name=\"g\" />"
             "</｜DSML｜tool_calls>x",
     .calls = "f {}\ng {}",
     .content = "x"},
    {.name = "arguments as JSON",
     .text = "<｜DSML｜tool_calls><｜DSML｜invoke name=\"f\">\n{\"s\": \"</｜DSML｜invoke>\"}\n"
             "</｜DSML｜invoke><｜DSML｜invoke name=\"g\">{bad}</｜DSML｜invoke>"
             "<｜DSML｜invoke name=\"g\">{}</｜DSML｜invoke></｜DSML｜tool_calls>",
     .calls = "f {\"s\":\"</｜DSML｜invoke>\"}\ng {}",
     .errors = "malformed: expected a key in double quotes or '}', found 'b'"},
    {.name = "stray ends", .text = "a</｜DSML｜invoke>b</｜DSML｜function_calls>", .content = "ab"},
};

TEST(texts_of_deepseek_v32_are_read_at_every_cut)
{
    help_check_cases("deepseek_v32", cases, COUNT(cases));
}
