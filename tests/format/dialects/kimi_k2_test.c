/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/dialects/kimi_k2.c: ids that contain the names. */
#include "format/parse_help.h"
#include "test.h"

static const help_case cases[] = {
    {.name = "a text", .text = "Just text.", .content = "Just text."},
    {.name = "a call",
     .text = "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call"
             "_argument_begin|>{\"a\":1}<|tool_call_end|><|tool_calls_section_end|>",
     .calls = "functions.f:0 f {\"a\":1}"},
    {.name = "two",
     .text = "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call"
             "_argument_begin|>{\"a\":1}<|tool_call_end|><|tool_call_begin|>functions"
             ".g:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section"
             "_end|>",
     .calls = "functions.f:0 f {\"a\":1}\nfunctions.g:1 g {}"},
    {.name = "a dotted name",
     .text = "<|tool_calls_section_begin|><|tool_call_begin|>functions.a.b.f:12<|tool"
             "_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
     .calls = "functions.a.b.f:12 a.b.f {}"},
    {.name = "underlines",
     .text = "<|tool_calls_section_begin|><|tool_call_begin|>functions_get_it_3<|tool"
             "_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
     .calls = "functions_get_it_3 get_it {}"},
    {.name = "no prefix",
     .text = "<|tool_calls_section_begin|><|tool_call_begin|>f:0<|tool_call_argument_"
             "begin|>{}<|tool_call_end|><|tool_call_begin|>f<|tool_call_argument_begi"
             "n|>{}<|tool_call_end|><|tool_calls_section_end|>",
     .calls = "f:0 f {}\nf f {}"},
    {.name = "white space",
     .text = "<|tool_calls_section_begin|>\n<|tool_call_begin|> functions.f:0 \n<|too"
             "l_call_argument_begin|> {\"a\":1} \n<|tool_call_end|>\n<|tool_calls_sec"
             "tion_end|>\nx",
     .calls = "functions.f:0 f {\"a\":1}",
     .content = "x"},
    {.name = "text between is dropped",
     .text = "A <|tool_calls_section_begin|>x<|tool_call_begin|>functions.f:0<|tool_c"
             "all_argument_begin|>{}<|tool_call_end|>y<|tool_calls_section_end|>B",
     .calls = "functions.f:0 f {}",
     .content = "A B"},
    {.name = "marks in a string",
     .text = "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call"
             "_argument_begin|>{\"a\":\"<|tool_call_end|>\"}<|tool_call_end|><|tool_c"
             "alls_section_end|>",
     .calls = "functions.f:0 f {\"a\":\"<|tool_call_end|>\"}"},
    {.name = "malformed",
     .text = "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call"
             "_argument_begin|>{bad}<|tool_call_end|><|tool_call_begin|>functions.g:1"
             "<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end"
             "|>",
     .calls = "functions.g:1 g {}",
     .errors = "malformed: expected a key in double quotes or '}', found 'b'"},
    {.name = "a bad id",
     .text = "<|tool_calls_section_begin|><|tool_call_begin|>functions.a b:0<|tool_ca"
             "ll_argument_begin|>{}<|tool_call_end|><|tool_call_begin|><|tool_call_ar"
             "gument_begin|>{}<|tool_call_end|><|tool_call_begin|>functions.g:1<|tool"
             "_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
     .calls = "functions.g:1 g {}",
     .errors = "malformed: its name is not a valid tool name\nmalformed: its name is not a valid "
               "tool name"},
    {.name = "no section",
     .text = "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{\"a\":1}<|"
             "tool_call_end|>",
     .calls = "functions.f:0 f {\"a\":1}"},
    {.name = "no end",
     .text = "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call"
             "_argument_begin|>{\"a\":1}",
     .calls = "functions.f:0 f {\"a\":1}"},
    {.name = "cut",
     .text = "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call"
             "_argument_begin|>{\"a\":",
     .errors = "truncated: the text ends inside it"},
    {.name = "cut in an id",
     .text = "<|tool_calls_section_begin|><|tool_call_begin|>functions.f",
     .errors = "truncated: the text ends inside it"},
    {.name = "cut in the section",
     .text = "<|tool_calls_section_begin|>",
     .errors = "truncated: the text ends inside it"},
    {.name = "an empty section",
     .text = "<|tool_calls_section_begin|><|tool_calls_section_end|>x",
     .content = "x"},
    {.name = "reasoning that never ends",
     .text = "<think>hm <|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<"
             "|tool_call_argument_begin|>{\"a\":1}<|tool_call_end|><|tool_calls_secti"
             "on_end|>",
     .calls = "functions.f:0 f {\"a\":1}",
     .reasoning = "hm"},
    {.name = "no section, and reasoning that never ends",
     .text = "<think>hm <|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{\"a\":1}"
             "<|tool_call_begin|>functions.g:1<|tool_call_argument_begin|>{}",
     .calls = "functions.f:0 f {\"a\":1}\nfunctions.g:1 g {}",
     .reasoning = "hm"},
    {.name = "no section, in reasoning that ends",
     .text = "<think>hm <|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}</think>x",
     .content = "x",
     .reasoning = "hm <|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}"},
    {.name = "stray ends",
     .text = "a<|tool_calls_section_end|>b<|tool_call_end|>c",
     .content = "abc"},
    {.name = "a call without its beginning",
     .text = "f:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
     .content = "f:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>"},
};

TEST(texts_of_kimi_k2_are_read_at_every_cut)
{
    help_check_cases("kimi_k2", cases, COUNT(cases));
}
