/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/dialects/deepseek_v31.c: arguments after a mark. */
#include "format/parse_help.h"
#include "test.h"

static const help_case cases[] = {
    {.name = "a text", .text = "Just text.", .content = "Just text."},
    {.name = "a call",
     .text = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"a\":1}<｜t"
             "ool▁call▁end｜><｜tool▁calls▁end｜>",
     .calls = "f {\"a\":1}"},
    {.name = "two",
     .text = "A<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"a\":1}<｜"
             "tool▁call▁end｜><｜tool▁call▁begin｜>g<｜tool▁sep｜> {} <｜tool▁call▁en"
             "d｜><｜tool▁calls▁end｜>B",
     .calls = "f {\"a\":1}\ng {}",
     .content = "A B"},
    {.name = "marks in a string",
     .text = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"a\":\"<｜t"
             "ool▁call▁end｜><｜tool▁calls▁end｜>\"}<｜tool▁call▁end｜><｜tool▁calls▁"
             "end｜>",
     .calls = "f {\"a\":\"<｜tool▁call▁end｜><｜tool▁calls▁end｜>\"}"},
    {.name = "malformed",
     .text = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>[]<｜tool▁cal"
             "l▁end｜><｜tool▁call▁begin｜>g<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜too"
             "l▁calls▁end｜>",
     .calls = "g {}",
     .errors = "malformed: it is not an object"},
    {.name = "a bad name",
     .text = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜><｜tool▁sep｜>{}<｜tool▁call"
             "▁end｜><｜tool▁call▁begin｜>g<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool"
             "▁calls▁end｜>",
     .calls = "g {}",
     .errors = "malformed: its name is not a valid tool name"},
    {.name = "no section",
     .text = "<｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"a\":1}<｜tool▁call▁end｜>",
     .calls = "f {\"a\":1}"},
    {.name = "cut",
     .text = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"a\":",
     .errors = "truncated: the text ends inside it"},
    {.name = "cut in a name",
     .text = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f",
     .errors = "truncated: the text ends inside it"},
    {.name = "reasoning that never ends",
     .text = "<think>hm <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{\""
             "a\":1}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
     .calls = "f {\"a\":1}",
     .reasoning = "hm"},
    {.name = "no section, and reasoning that never ends",
     .text = "<think>hm <｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"a\":1}<｜tool▁call▁end｜>",
     .calls = "f {\"a\":1}",
     .reasoning = "hm"},
    {.name = "stray ends", .text = "a<｜tool▁call▁end｜>b<｜tool▁calls▁end｜>", .content = "ab"},
};

TEST(texts_of_deepseek_v31_are_read_at_every_cut)
{
    help_check_cases("deepseek_v31", cases, COUNT(cases));
}
