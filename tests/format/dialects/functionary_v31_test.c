/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/dialects/functionary_v31.c: arguments between tags. */
#include "format/parse_help.h"
#include "test.h"

static const help_case cases[] = {
    {.name = "a text", .text = "Just text.", .content = "Just text."},
    {.name = "a call", .text = "<function=f>{\"a\":1}</function>", .calls = "f {\"a\":1}"},
    {.name = "two",
     .text = "A<function=f>{\"a\":1}</function>\n<function=g>{}</function>B",
     .calls = "f {\"a\":1}\ng {}",
     .content = "A\nB"},
    {.name = "marks in a string",
     .text = "<function=f>{\"a\":\"</function>\"}</function>",
     .calls = "f {\"a\":\"</function>\"}"},
    {.name = "malformed",
     .text = "<function=f>{bad}</function><function=g>{}</function>",
     .calls = "g {}",
     .errors = "malformed: expected a key in double quotes or '}', found 'b'"},
    {.name = "a bad name",
     .text = "<function=a b>{}</function><function=g>{}</function>",
     .calls = "g {}",
     .errors = "malformed: its name is not a valid tool name"},
    {.name = "no end", .text = "<function=f>{\"a\":1}", .calls = "f {\"a\":1}"},
    {.name = "cut", .text = "<function=f>{\"a\":", .errors = "truncated: the text ends inside it"},
    {.name = "cut in a name",
     .text = "<function=f",
     .errors = "truncated: the text ends inside it"},
    {.name = "no object",
     .text = "<function=f></function>x",
     .content = "x",
     .errors = "malformed: expected a value, found '<'"},
};

TEST(texts_of_functionary_v31_are_read_at_every_cut)
{
    help_check_cases("functionary_v31", cases, COUNT(cases));
}
