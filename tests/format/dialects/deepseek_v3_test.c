/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/dialects/deepseek_v3.c: arguments in fences. */
#include "format/parse_help.h"
#include "test.h"

static const help_case cases[] = {
    {.name = "a text", .text = "Just text.", .content = "Just text."},
    {.name = "a call",
     .text = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```"
             "json\n{\"a\":1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
     .calls = "f {\"a\":1}"},
    {.name = "two",
     .text = "A<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n``"
             "`json\n{\"a\":1}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function"
             "<｜tool▁sep｜>g\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜"
             ">B",
     .calls = "f {\"a\":1}\ng {}",
     .content = "A\nB"},
    {.name = "no fence",
     .text = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n{\""
             "a\":1}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
     .calls = "f {\"a\":1}"},
    {.name = "no newline",
     .text = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f```js"
             "on\n{\"a\":1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
     .calls = "f {\"a\":1}"},
    {.name = "a fence in a string",
     .text = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```"
             "json\n{\"a\":\"\\n```\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
     .calls = "f {\"a\":\"\\n```\"}"},
    {.name = "malformed",
     .text = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```"
             "json\n{bad}\n```<｜tool▁call▁end｜><｜tool▁call▁begin｜>function<｜tool"
             "▁sep｜>g\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
     .calls = "g {}",
     .errors = "malformed: expected a key in double quotes or '}', found 'b'"},
    {.name = "a bad name",
     .text = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>a b\n`"
             "``json\n{}\n```<｜tool▁call▁end｜><｜tool▁call▁begin｜>function<｜tool▁"
             "sep｜>g\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
     .calls = "g {}",
     .errors = "malformed: its name is not a valid tool name"},
    {.name = "no section",
     .text = "<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{\"a\":1}\n```<｜"
             "tool▁call▁end｜>",
     .calls = "f {\"a\":1}"},
    {.name = "no end",
     .text = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```"
             "json\n{\"a\":1}",
     .calls = "f {\"a\":1}"},
    {.name = "cut",
     .text = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```"
             "json\n{\"a\":",
     .errors = "truncated: the text ends inside it"},
    {.name = "nearly marks", .text = "<｜tool▁ <｜ <", .content = "<｜tool▁ <｜ <"},
    {.name = "reasoning",
     .text = "<think>hm</think><｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜"
             "tool▁sep｜>f\n```json\n{\"a\":1}\n```<｜tool▁call▁end｜><｜tool▁calls▁e"
             "nd｜>",
     .calls = "f {\"a\":1}",
     .reasoning = "hm"},
    {.name = "no section, and reasoning that never ends",
     .text =
         "<think>hm "
         "<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{\"a\":1}\n```<｜tool▁call▁end｜>",
     .calls = "f {\"a\":1}",
     .reasoning = "hm"},
    {.name = "stray ends", .text = "a<｜tool▁call▁end｜>b<｜tool▁calls▁end｜>", .content = "ab"},
};

TEST(texts_of_deepseek_v3_are_read_at_every_cut)
{
    help_check_cases("deepseek_v3", cases, COUNT(cases));
}
