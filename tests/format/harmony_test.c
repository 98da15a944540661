/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/harmony.c: channels, recipients and broken headers. */
#include "parse_help.h"
#include "test.h"

static const help_case cases[] = {
    {.name = "a text", .text = "Just text.", .content = "Just text."},
    {.name = "a final message",
     .text = "<|channel|>final<|message|>Hi.<|return|>",
     .content = "Hi."},
    {.name = "reasoning and a call",
     .text = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>co"
             "mmentary to=functions.f <|constrain|>json<|message|>{\"a\":1}<|call|>",
     .calls = "f {\"a\":1}",
     .reasoning = "Hm."},
    {.name = "the recipient in the role",
     .text = "<|start|>assistant to=functions.f<|channel|>commentary<|message|>{\"a\""
             ":1}<|call|>",
     .calls = "f {\"a\":1}"},
    {.name = "commentary without one",
     .text = "<|channel|>commentary<|message|>So.<|end|><|start|>assistant<|channel|>"
             "final<|message|>Hi.<|end|>",
     .content = "So.\nHi."},
    {.name = "another recipient",
     .text = "<|channel|>commentary to=python<|message|>x=1<|end|>",
     .content = "x=1"},
    {.name = "analysis to a tool",
     .text = "<|channel|>analysis to=functions.f<|message|>{\"a\":1}<|end|>",
     .reasoning = "{\"a\":1}"},
    {.name = "... in the role",
     .text = "<|start|>assistant to=functions.f<|channel|>analysis<|message|>{\"a\":1"
             "}<|call|>",
     .reasoning = "{\"a\":1}"},
    {.name = "two calls",
     .text = "<|channel|>commentary to=functions.f<|message|>{\"a\":1}<|call|><|start"
             "|>assistant<|channel|>commentary to=functions.g<|message|>{}<|call|>",
     .calls = "f {\"a\":1}\ng {}"},
    {.name = "a name that a token ends",
     .text = "<|channel|>commentary to=functions.f<|constrain|>json<|message|>{\"a\":"
             "1}",
     .calls = "f {\"a\":1}"},
    {.name = "marks in a string",
     .text = "<|channel|>commentary to=functions.f<|message|>{\"a\":\"<|call|><|end|>"
             "\"}<|call|>",
     .calls = "f {\"a\":\"<|call|><|end|>\"}"},
    {.name = "spoilt",
     .text = "<|channel|>commentary to=functions.f<|message|>{bad}<|call|><|start|>as"
             "sistant<|channel|>final<|message|>Hi.<|end|>",
     .content = "Hi.",
     .errors = "malformed: expected a key in double quotes or '}', found 'b'"},
    {.name = "no message",
     .text = "<|channel|>commentary to=functions.f<|call|><|start|>assistant<|channel"
             "|>final<|message|>Hi.<|end|>",
     .content = "Hi.",
     .errors = "malformed: it ends before its arguments"},
    {.name = "a broken header",
     .text = "<|channel|>final Hi<|end|><|start|>assistant<|channel|>commentary to=fu"
             "nctions.f<|message|>{\"a\":1}<|end|>",
     .calls = "f {\"a\":1}"},
    {.name = "an unknown channel",
     .text = "<|channel|>other<|message|>Hi.<|end|>",
     .content = "Hi."},
    {.name = "cut",
     .text = "<|channel|>commentary to=functions.f<|message|>{\"a\":",
     .errors = "truncated: the text ends inside it"},
    {.name = "cut in a header",
     .text = "<|channel|>commentary to=functions.f",
     .errors = "truncated: the text ends inside it"},
    {.name = "no end",
     .text = "<|channel|>commentary to=functions.f<|message|>{\"a\":1}",
     .calls = "f {\"a\":1}"},
    {.name = "two thoughts",
     .text = "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>anal"
             "ysis<|message|>b<|end|>",
     .reasoning = "ab"},
};

TEST(texts_of_harmony_are_read_at_every_cut)
{
    help_check_cases("harmony", cases, COUNT(cases));
}
