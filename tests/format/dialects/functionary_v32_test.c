/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/dialects/functionary_v32.c: names on lines of their own. */
#include "format/parse_help.h"
#include "test.h"

static const help_case cases[] = {
    {.name = "the end of the turn after it", .text = "f\n{}<|eot_id|>", .calls = "f {}"},
    {.name = "a text", .text = "all\nJust text.", .content = "Just text."},
    {.name = "a call", .text = "f\n{\"a\":1}", .calls = "f {\"a\":1}"},
    {.name = "a mark before", .text = ">>>f\n{\"a\":1}", .calls = "f {\"a\":1}"},
    {.name = "text and calls",
     .text = "all\nLook.\n>>>f\n{\"a\":1}>>>g\n{}",
     .calls = "f {\"a\":1}\ng {}",
     .content = "Look."},
    {.name = "text after",
     .text = "f\n{\"a\":1}\n>>>all\nDone.",
     .calls = "f {\"a\":1}",
     .content = "Done."},
    {.name = "plain text", .text = "Just text", .content = "Just text"},
    {.name = "plain text.", .text = "Just text.", .content = "Just text."},
    {.name = "an unknown one", .text = "h\n{}", .content = "h\n{}"},
    {.name = "an unknown one after the mark", .text = ">>>h\n{}", .calls = "h {}"},
    {.name = "a prompt of Python",
     .text = "all\nType >>> print(1) there.",
     .content = "Type >>> print(1) there."},
    {.name = "a word that begins like all", .text = "allow me", .content = "allow me"},
    {.name = "an article", .text = "a cat sat", .content = "a cat sat"},
    {.name = "all, and no line after it", .text = "all", .content = "all"},
    {.name = "an unknown one without arguments",
     .text = "all\nType\n>>>x\n2\n>>>f\n{}",
     .calls = "f {}",
     .content = "Type\n>>>x\n2"},
    {.name = "an unknown one and nothing after it", .text = ">>>h\n", .content = ">>>h\n"},
    {.name = "a known one without arguments",
     .text = ">>>f\nx",
     .errors = "malformed: expected a value, found 'x'"},
    {.name = "cut in a name", .text = ">>>f", .errors = "truncated: the text ends inside it"},
    {.name = "a mark and nothing after it", .text = "f\n{}\n>>>", .calls = "f {}"},
    {.name = "malformed",
     .text = "f\n{bad}\n>>>g\n{}",
     .calls = "g {}",
     .errors = "malformed: expected a key in double quotes or '}', found 'b'"},
    {.name = "cut", .text = "f\n{\"a\":", .errors = "truncated: the text ends inside it"},
    {.name = "marks in a string",
     .text = "f\n{\"a\":\">>>g\\n\"}",
     .calls = "f {\"a\":\">>>g\\n\"}"},
};

TEST(texts_of_functionary_v32_are_read_at_every_cut)
{
    help_check_cases("functionary_v32", cases, COUNT(cases));
}
