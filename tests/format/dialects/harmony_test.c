/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/dialects/harmony.c: channels, recipients and broken headers. */
#include "base/str.h"
#include "format/parse_help.h"
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
    {.name = "the recipient first",
     .text = " to=functions.f<|channel|>commentary <|constrain|>json<|message|>{\"a\":1}<|call|>",
     .calls = "f {\"a\":1}"},
    {.name = "the recipient first, and no channel",
     .text = "to=functions.f<|message|>Hi.<|end|>",
     .errors = "malformed: expected a value, found 'H'"},
    {.name = "commentary without one",
     .text = "<|channel|>commentary<|message|>So.<|end|><|start|>assistant<|channel|>"
             "final<|message|>Hi.<|end|>",
     .content = "So.\nHi."},
    {.name = "another recipient",
     .text = "<|channel|>commentary to=python<|message|>x=1<|end|>",
     .errors = "malformed: its recipient is not functions.NAME"},
    {.name = "a tool's name alone",
     .text = "<|channel|>commentary to=f<|message|>{\"a\":1}<|call|>",
     .errors = "malformed: its recipient is not functions.NAME"},
    {.name = "two recipients",
     .text = "<|channel|>commentary to=functions.f to=functions.g<|message|>{}<|call|>",
     .errors = "malformed: its recipient is not functions.NAME"},
    {.name = "another recipient that ends in its header",
     .text = "<|channel|>commentary to=python<|end|><|start|>assistant<|channel|>final<|message|>"
             "Hi.<|end|>",
     .content = "Hi.",
     .errors = "malformed: it ends before its arguments"},
    {.name = "analysis to a tool",
     .text = "<|channel|>analysis to=functions.f<|message|>{\"a\":1}<|end|>",
     .calls = "f {\"a\":1}"},
    {.name = "... in the role",
     .text = "<|start|>assistant to=functions.f<|channel|>analysis<|message|>{\"a\":1"
             "}<|call|>",
     .calls = "f {\"a\":1}"},
    {.name = "... first",
     .text = " to=functions.f<|channel|>analysis <|constrain|>json<|message|>{\"a\":1}",
     .calls = "f {\"a\":1}"},
    {.name = "analysis to a recipient that is no tool",
     .text = "<|channel|>analysis to=browser.search<|message|>{\"a\":1}<|call|>",
     .errors = "malformed: its recipient is not functions.NAME"},
    {.name = "a thought in a message to a tool",
     .text = "<|channel|>analysis to=functions.f<|message|>Hm.<|end|>",
     .errors = "malformed: expected a value, found 'H'"},
    {.name = "a name alone, first",
     .text = " to=f<|channel|>commentary<|message|>{\"a\":1}<|call|>",
     .errors = "malformed: its recipient is not functions.NAME"},
    {.name = "a name alone, first, with white space",
     .text = "to=functions.f <|channel|>commentary<|message|>{\"a\":1}<|call|>",
     .calls = "f {\"a\":1}"},
    {.name = "a text that begins as a recipient",
     .text = "to=functions.f is how a call begins",
     .content = "to=functions.f is how a call begins"},
    {.name = "a short text that begins as one", .text = "to=5", .content = "to=5"},
    {.name = "a recipient first, and no more",
     .text = "to=functions.f",
     .errors = "truncated: the text ends inside it"},
    {.name = "an invented result",
     .text = " to=assistant<|channel|>commentary<|message|>21 C<|call|><|start|>assistant"
             "<|channel|>final<|message|>Hi.<|return|>",
     .content = "Hi."},
    {.name = "an invented result of a tool",
     .text = "<|start|>functions.f to=assistant<|channel|>commentary<|message|>21 C<|end|>"
             "<|start|>assistant<|channel|>final<|message|>Hi.<|return|>",
     .content = "Hi."},
    {.name = "other messages to the assistant",
     .text = "<|channel|>commentary to=assistant<|channel|>analysis<|message|>Hm.<|end|>"
             "<|start|>assistant to=assistant<|channel|>final<|message|>Hi.<|return|>",
     .content = "Hi.",
     .reasoning = "Hm."},
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
    {.name = "malformed",
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
     .calls = "f {\"a\":1}",
     .content = "Hi"},
    {.name = "a final message without its mark",
     .text = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final "
             "{\"answer\": \"hi\"}<|return|>",
     .content = "{\"answer\": \"hi\"}",
     .reasoning = "Hm."},
    {.name = "... that nothing ends",
     .text = "<|channel|>final The answer is 4.",
     .content = "The answer is 4."},
    {.name = "... right after its channel",
     .text = "<|channel|>analysisHm.<|end|><|start|>assistant<|channel|>final42<|return|>",
     .content = "42",
     .reasoning = "Hm."},
    {.name = "... right after its channel, that nothing ends",
     .text = "<|channel|>finalThe answer is 4.",
     .content = "The answer is 4."},
    {.name = "... in the role", .text = "<|start|>assistant Hi.<|end|>", .content = "Hi."},
    {.name = "... in commentary", .text = "<|channel|>commentary So.<|end|>", .content = "So."},
    {.name = "... in another channel", .text = "<|channel|>other Hi.<|end|>", .content = "Hi."},
    {.name = "... in analysis",
     .text = "<|channel|>analysis Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hi.",
     .content = "Hi.",
     .reasoning = "Hm."},
    {.name = "a header with more words",
     .text = "<|channel|>final to=user json<|message|>Hi.<|end|>",
     .content = "Hi."},
    {.name = "a header that is cut", .text = "<|channel|>final <|constr"},
    {.name = "a role that is cut", .text = "<|start|>assista"},
    {.name = "a channel twice",
     .text = "<|channel|>commentary to=functions.f<|message|>{}<|call|>commentary<|channel|>"
             "commentary to=functions.g<|message|>{}<|call|>commentary<|start|>assistant"
             "<|channel|>final<|message|>Hi.",
     .calls = "f {}\ng {}",
     .content = "Hi."},
    {.name = "a word that begins so", .text = "commentary on it", .content = "commentary on it"},
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

/* The report of a malformed call has the text as the model wrote it, with its header. */
TEST(a_malformed_call_is_reported_with_its_header)
{
    static const struct {
        const char *text, *errors;
    } rows[] = {
        {"<|channel|>commentary to=functions.f<|message|>{oops}<|call|>",
         "malformed at 0: expected a key in double quotes or '}', found 'o': "
         "<|channel|>commentary to=functions.f<|message|>{oops}<|call|>\n"},
        {"Hi.<|end|><|start|>assistant to=functions.f<|channel|>commentary<|message|>[]<|call|>x",
         "malformed at 10: it is not an object: "
         "<|start|>assistant to=functions.f<|channel|>commentary<|message|>[]\n"},
        {"<|start|>assistant<|channel|>commentary "
         "to=python<|message|>1<|start|>assistant<|channel|>"
         "commentary to=functions.f <|constrain|>json<|message|>{\"a\":",
         "malformed at 0: its recipient is not functions.NAME: "
         "<|start|>assistant<|channel|>commentary to=python<|message|>1\n"
         "truncated at 61: the text ends inside it: <|start|>assistant<|channel|>commentary "
         "to=functions.f <|constrain|>json<|message|>{\"a\":\n"},
        {"<|channel|>commentary to=functions.f<|start|>assistant<|channel|>commentary "
         "to=functions.g<|call|>",
         "malformed at 0: it ends before its arguments: <|channel|>commentary to=functions.f\n"
         "malformed at 36: it ends before its arguments: <|start|>assistant<|channel|>commentary "
         "to=functions.g<|call|>\n"},
        {"<|channel|>commentary to=functions.f<|message|>{} {\"a\":1}<|call|>",
         "malformed at 50: it is a second value in one call: {\"a\":1}<|call|>\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t chunk = 0; chunk < 3; chunk++) {
            help_input input = {.format = "harmony", .text = haft__str(rows[i].text)};
            help_parsed parsed;
            help_parsed_init(&parsed);
            help_parse(&input, chunk, chunk, &parsed);
            CHECK_STR(haft__buf_str(&parsed.errors), haft__str(rows[i].errors), "row %zu", i);
            help_parsed_finish(&parsed);
        }
    }
}

TEST(texts_of_harmony_are_read_at_every_cut)
{
    help_check_cases("harmony", cases, COUNT(cases));
}
