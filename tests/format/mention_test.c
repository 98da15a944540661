/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/mention.c: an answer that mentions a mark is an answer. */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "format/parser.h"
#include "parse_help.h"
#include "test.h"

#define CALL "<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>"
#define F    "f {}"

static const help_case hermes[] = {
    {.name = "a mark in a sentence",
     .text = "Write <tool_call> and then JSON. The answer is 42.",
     .content = "Write <tool_call> and then JSON. The answer is 42."},
    {.name = "in quotes",
     .text = "The tag \"<tool_call>\" opens a call. It's 42.",
     .content = "The tag \"<tool_call>\" opens a call. It's 42."},
    {.name = "in back-ticks, and before a line end",
     .text = "Use `<tool_call>`.\nOr <tool_call>\nto call.",
     .content = "Use `<tool_call>`.\nOr <tool_call>\nto call."},
    {.name = "a number after it",
     .text = "Use <tool_call> 2 times.",
     .content = "Use <tool_call> 2 times."},
    {.name = "a call after it",
     .text = "Use <tool_call> so: " CALL " Then <tool_call> again: " CALL,
     .calls = F "\n" F,
     .content = "Use <tool_call> so: Then <tool_call> again:"},
    {.name = "reasoning after it",
     .text = "Use <tool_call> or <think>not " CALL "</think> not.",
     .content = "Use <tool_call> or not.",
     .reasoning = "not " CALL},
    {.name = "its end with it",
     .text = "Write <tool_call> and </tool_call>. The answer is 42.",
     .content = "Write <tool_call> and </tool_call>. The answer is 42."},
    {.name = "its end with it, in back-ticks, and again",
     .text = "Use `<tool_call>` and `</tool_call>`, or <tool_call>...</tool_call>. 42 </tool_call>",
     .content =
         "Use `<tool_call>` and `</tool_call>`, or <tool_call>...</tool_call>. 42 </tool_call>"},
    {.name = "its end with it, in quotes, and a call",
     .text = "Between \"<tool_call>\" and \"</tool_call>\": " CALL,
     .calls = F,
     .content = "Between \"<tool_call>\" and \"</tool_call>\":"},
    {.name = "its end after more words",
     .text = "A call starts with <tool_call> and ends with </tool_call>. The answer is 42.",
     .content = "A call starts with <tool_call> and ends with </tool_call>. The answer is 42."},
    {.name = "its end after a word in quotes or parentheses",
     .text = "<tool_call> (the first) and </tool_call>, <tool_call> means \"go\", </tool_call> no.",
     .content =
         "<tool_call> (the first) and </tool_call>, <tool_call> means \"go\", </tool_call> no."},
    {.name = "its end on the next line",
     .text = "It starts with <tool_call>\nand ends with </tool_call>\nso.",
     .content = "It starts with <tool_call>\nand ends with </tool_call>\nso."},
    {.name = "its end directly after it",
     .text = "Write JSON within <tool_call></tool_call> tags, `<tool_call> </tool_call>`. It's 42.",
     .content =
         "Write JSON within <tool_call></tool_call> tags, `<tool_call> </tool_call>`. It's 42."},
    {.name = "its end directly after it, on a line of its own",
     .text = "So:\n<tool_call></tool_call>",
     .content = "So:",
     .errors = "malformed: expected a value, found '<'"},
    {.name = "words without spaces after it",
     .text = "标签<tool_call>表示开始，</tool_call>表示结束。答案是42。",
     .content = "标签<tool_call>表示开始，</tool_call>表示结束。答案是42。"},
    {.name = "words after its end, and a call",
     .text = "From <tool_call> up to </tool_call>: " CALL " It ends with </tool_call>.",
     .calls = F,
     .content = "From <tool_call> up to </tool_call>: It ends with </tool_call>."},
    {.name = "words right after it, and its end",
     .text = "So: <tool_call>not a call</tool_call>.",
     .content = "So: .",
     .errors = "malformed: expected true, false or null, found 'o'"},
    {.name = "words on lines of their own, and its end",
     .text = "So:\n<tool_call>\nnot a call\n</tool_call>",
     .content = "So:",
     .errors = "malformed: expected true, false or null, found 'o'"},
    {.name = "a member after it, and its end",
     .text = "So: <tool_call> name: f, arguments: none </tool_call>",
     .content = "So:",
     .errors = "malformed: expected true, false or null, found 'a'"},
    {.name = "a name and an object after it, and its end",
     .text = "So: <tool_call> x {\"a\":1}</tool_call>",
     .content = "So:",
     .errors = "malformed: expected a value, found 'x'"},
    {.name = "a tool between it and its end",
     .text = "Write <tool_call> f </tool_call>.",
     .content = "Write .",
     .errors = "malformed: expected true, false or null, found ' '"},
    {.name = "a word right after it, and its end",
     .text = "Write <tool_call>look</tool_call>.",
     .content = "Write .",
     .errors = "malformed: expected a value, found 'l'"},
    {.name = "at the start of the reply",
     .text = "<tool_call> is the tag that begins a call, </tool_call> ends it.",
     .content = "<tool_call> is the tag that begins a call, </tool_call> ends it."},
    {.name = "at the start of the reply, with its end",
     .text = "<tool_call> and </tool_call> are the tags, as in <tool_call>...</tool_call>",
     .content = "<tool_call> and </tool_call> are the tags, as in <tool_call>...</tool_call>"},
    {.name = "one word at the start of the reply",
     .text = "<tool_call> first",
     .errors = "malformed: expected true, false or null, found 'i'"},
    {.name = "words right after it at the start of the reply",
     .text = "<tool_call>not a call</tool_call>",
     .errors = "malformed: expected true, false or null, found 'o'"},
    {.name = "an object after it",
     .text = "Write <tool_call>{oops} now",
     .content = "Write",
     .errors = "malformed: expected a key in double quotes or '}', found 'o'"},
};

static const help_case qwen3coder[] = {
    {.name = "a mark in a sentence",
     .text = "Write <tool_call> and then a function. The answer is 42.",
     .content = "Write <tool_call> and then a function. The answer is 42."},
    {.name = "a call after it",
     .text = "Use <tool_call> so: <tool_call><function=f></function></tool_call>",
     .calls = F,
     .content = "Use <tool_call> so:"},
    {.name = "its end with it",
     .text = "Use <tool_call> and </tool_call> tags. The answer is 42.",
     .content = "Use <tool_call> and </tool_call> tags. The answer is 42."},
    {.name = "its end after more words, or directly after it",
     .text =
         "A call starts with <tool_call> and ends with </tool_call>: <tool_call></tool_call>. 42",
     .content =
         "A call starts with <tool_call> and ends with </tool_call>: <tool_call></tool_call>. 42"},
    {.name = "a whole head in a sentence",
     .text = "It is <function=f> or <tool_call><function=f>, and then </function>. 42.",
     .content = "It is <function=f> or <tool_call><function=f>, and then </function>. 42."},
    {.name = "at the start of the reply",
     .text = "<tool_call> begins a call, </tool_call> ends it. 42.",
     .content = "<tool_call> begins a call, </tool_call> ends it. 42."},
    {.name = "tags after it",
     .text = "Use <tool_call><b> so",
     .content = "Use",
     .errors = "malformed: it has text where only tags belong"},
};

static const help_case glm[] = {
    {.name = "a mark in a sentence",
     .text = "Write <tool_call> and then a name.\nThe answer is 42.",
     .content = "Write <tool_call> and then a name.\nThe answer is 42."},
    {.name = "at the end of a sentence",
     .text = "The tag is <tool_call>. The answer is 42.",
     .content = "The tag is <tool_call>. The answer is 42."},
    {.name = "a word that may be a name after it",
     .text = "Write <tool_call> first.\nThe answer is 42.",
     .content = "Write <tool_call> first.\nThe answer is 42."},
    {.name = "a call after it",
     .text = "Use <tool_call> as in <tool_call> here <b>: <tool_call>f</tool_call>",
     .calls = F,
     .content = "Use <tool_call> as in <tool_call> here <b>:"},
    {.name = "its end after words, after a word or directly after it",
     .text = "A call starts with <tool_call> and ends with </tool_call>. Use <tool_call> and "
             "</tool_call>, or <tool_call></tool_call>. 42.",
     .content = "A call starts with <tool_call> and ends with </tool_call>. Use <tool_call> and "
                "</tool_call>, or <tool_call></tool_call>. 42."},
    {.name = "at the start of the reply",
     .text = "<tool_call> begins a call, </tool_call> ends it. 42.",
     .content = "<tool_call> begins a call, </tool_call> ends it. 42."},
    {.name = "a name after it",
     .text = "So: <tool_call>get",
     .content = "So:",
     .errors = "truncated: the text ends inside it"},
    {.name = "a tool after it",
     .text = "So: <tool_call> f\nand",
     .content = "So:",
     .errors = "malformed: it has text where only tags belong"},
};

static const help_case granite[] = {
    {.name = "a mark in a sentence",
     .text = "Write <tool_call> and <|tool_call|> and then JSON. The answer is 42.",
     .content = "Write <tool_call> and <|tool_call|> and then JSON. The answer is 42."},
    {.name = "a call after it",
     .text = "Use <|tool_call|> so: <|tool_call|>[{\"name\":\"f\",\"arguments\":{}}]",
     .calls = F,
     .content = "Use <|tool_call|> so:"},
    {.name = "at the start of the reply",
     .text = "<tool_call> and then JSON",
     .errors = "malformed: expected a value, found 'a'"},
};

static const help_case mistral[] = {
    {.name = "a mark in a sentence",
     .text = "The [TOOL_CALLS] token begins a call. The answer is 42.",
     .content = "The [TOOL_CALLS] token begins a call. The answer is 42."},
    {.name = "a call after it",
     .text = "The [TOOL_CALLS] token and {so on}: [TOOL_CALLS]f{}",
     .calls = F,
     .content = "The [TOOL_CALLS] token and {so on}:"},
    {.name = "a call without a name",
     .text = "f[TOOL_CALLS]{\"a\":1}",
     .content = "f",
     .errors = "malformed: its name is not a valid tool name"},
};

static const help_case functionary_v31[] = {
    {.name = "a mark in a sentence",
     .text = "Write <function= and a name. The answer is > 42.",
     .content = "Write <function= and a name. The answer is > 42."},
    {.name = "a whole head in a sentence",
     .text = "The tag <function=f> starts it, <function=x>, too, </function> ends it. Answer 42.",
     .content =
         "The tag <function=f> starts it, <function=x>, too, </function> ends it. Answer 42."},
    {.name = "words right after a whole head",
     .text = "So: <function=f>not an object</function>",
     .content = "So:",
     .errors = "malformed: expected true, false or null, found 'o'"},
    {.name = "a whole head at the start of the reply",
     .text = "<function=f> and then words</function>",
     .errors = "malformed: expected a value, found 'a'"},
};

static const help_case functionary_v32[] = {
    {.name = "a mark in a sentence",
     .text = "Write >>> and then a name. The answer is 42.",
     .content = "Write >>> and then a name. The answer is 42."},
    {.name = "a whole head in a sentence",
     .text = "all\nWrite >>>f\nand then JSON.",
     .content = "Write",
     .errors = "malformed: expected a value, found 'a'"},
};

static const help_case llama3[] = {
    {.name = "a mark in a sentence",
     .text = "Write <|python_tag|> and then JSON. The answer is 42.",
     .content = "Write <|python_tag|> and then JSON. The answer is 42."},
};

static const help_case command_r[] = {
    {.name = "a mark in a sentence",
     .text = "Write <|START_ACTION|> and then a list. The answer is 42.",
     .content = "Write <|START_ACTION|> and then a list. The answer is 42."},
    {.name = "its end after more words",
     .text = "A call starts with <|START_ACTION|> and ends with <|END_ACTION|>. The answer is 42.",
     .content =
         "A call starts with <|START_ACTION|> and ends with <|END_ACTION|>. The answer is 42."},
    {.name = "at the start of the reply",
     .text = "<|START_ACTION|> is the token that begins calls.",
     .content = "<|START_ACTION|> is the token that begins calls."},
};

/* A token ends a message wherever it is. */
static const help_case harmony[] = {
    {.name = "the token of a channel in a sentence",
     .text = "<|channel|>final<|message|>Write <|channel|> and then a word. The answer is 42.",
     .content = "Write  then a word. The answer is 42."},
    {.name = "the token of a message in a sentence",
     .text = "<|channel|>final<|message|>Write <|start|> and then a role. The answer is 42.",
     .content = "Write and then a role. The answer is 42."},
    {.name = "a token that ends a message in a sentence",
     .text = "<|channel|>final<|message|>Write <|call|> and stop. The answer is 42.",
     .content = "Write \n and stop. The answer is 42."},
};

static const help_case codemode[] = {
    {.name = "a mark in a sentence",
     .text = "Write <code> and then code.",
     .content = "Write",
     .errors = "truncated: the text ends inside it"},
};

/* A section begins with a mark of its own. */
static const help_case anthropic_xml[] = {
    {.name = "a mark in a sentence",
     .text = "Write <function_calls> and then a call. The answer is 42.",
     .content = "Write <function_calls> and then a call. The answer is 42."},
    {.name = "in back-ticks, and before a line end",
     .text = "Use `<function_calls>`.\nOr <minimax:tool_call>\nto call.",
     .content = "Use `<function_calls>`.\nOr <minimax:tool_call>\nto call."},
    {.name = "before a parenthesis",
     .text = "Write <function_calls> (a tag).",
     .content = "Write <function_calls> (a tag)."},
    {.name = "two marks",
     .text = "Write <function_calls>, then <invoke and a name.",
     .content = "Write <function_calls>, then <invoke and a name."},
    {.name = "its end after it",
     .text = "Write <function_calls> and </function_calls>.",
     .content = "Write <function_calls> and </function_calls>."},
    {.name = "a section after it",
     .text = "Use <function_calls> so: <function_calls><invoke name=\"f\"></invoke>"
             "</function_calls> Done.",
     .calls = F,
     .content = "Use <function_calls> so: Done."},
    {.name = "a call after it",
     .text = "Hi <function_calls>I call: <invoke name=\"x\"></invoke></function_calls>",
     .calls = "x {}",
     .content = "Hi I call:"},
    {.name = "a call that is cut off after it",
     .text = "Hi <function_calls>I call: <invoke name=\"x",
     .content = "Hi I call:",
     .errors = "truncated: the text ends inside it"},
    {.name = "reasoning after it",
     .text = "Use <function_calls> or <think>not <invoke name=\"f\"></invoke></think> not.",
     .content = "Use <function_calls> or not.",
     .reasoning = "not <invoke name=\"f\"></invoke>"},
    {.name = "reasoning that never ends after it",
     .text = "Use <function_calls> or <think> so.",
     .content = "Use <function_calls> or <think> so."},
    {.name = "nothing after it",
     .text = "So: <function_calls>\n",
     .content = "So:",
     .errors = "truncated: the text ends inside it"},
    {.name = "JSON after it",
     .text = "So: <function_calls>{\"name\":\"f\"}",
     .content = "So: {\"name\":\"f\"}",
     .errors = "truncated: the text ends inside it"},
    {.name = "at the start of the reply",
     .text = "<function_calls> and so on, up to </function_calls>. The answer is 42.",
     .content = "<function_calls> and so on, up to </function_calls>. The answer is 42."},
    {.name = "at the start of the reply, before a line end",
     .text = "<function_calls>\nand so on",
     .content = "and so on",
     .errors = "truncated: the text ends inside it"},
    {.name = "a whole head in a sentence",
     .text = "It is <invoke name=\"f\"> and then </invoke>, or <function_calls><invoke "
             "name=\"f\">, with </invoke></function_calls>. The answer is 42.",
     .content = "It is <invoke name=\"f\"> and then </invoke>, or <function_calls><invoke "
                "name=\"f\">, with </invoke></function_calls>. The answer is 42."},
    {.name = "words in a call of a section",
     .text = "So: <function_calls><invoke name=\"g\"></invoke><invoke name=\"f\"> is it"
             "</invoke></function_calls>",
     .calls = "g {}",
     .content = "So:",
     .errors = "malformed: it has text where only tags belong"},
};

#define KIMI_SECTION "<|tool_calls_section_begin|>"
#define KIMI_ID      "<|tool_call_begin|>functions.f:0"
#define KIMI_CALL    KIMI_ID "<|tool_call_argument_begin|>{}<|tool_call_end|>"
#define KIMI_F       "functions.f:0 f {}"

static const help_case kimi_k2[] = {
    {.name = "the mark of a section in a sentence",
     .text = "Write " KIMI_SECTION " and then a call. The answer is 42.",
     .content = "Write " KIMI_SECTION " and then a call. The answer is 42."},
    {.name = "the mark of a call in a sentence",
     .text = "Write <|tool_call_begin|> and then an id. The answer is 42.",
     .content = "Write <|tool_call_begin|> and then an id. The answer is 42."},
    {.name = "all marks but the ends",
     .text = "Write " KIMI_SECTION ", <|tool_call_begin|> and <|tool_call_argument_begin|> first.",
     .content =
         "Write " KIMI_SECTION ", <|tool_call_begin|> and <|tool_call_argument_begin|> first."},
    {.name = "a bracket after it",
     .text = "Write <|tool_call_begin|> first [1].",
     .content = "Write <|tool_call_begin|> first [1]."},
    {.name = "the end of the section after it",
     .text = "Write " KIMI_SECTION " and <|tool_calls_section_end|>.",
     .content = "Write " KIMI_SECTION " and <|tool_calls_section_end|>."},
    {.name = "a section after it",
     .text = "Use " KIMI_SECTION " so: " KIMI_SECTION KIMI_CALL "<|tool_calls_section_end|> Done.",
     .calls = KIMI_F,
     .content = "Use " KIMI_SECTION " so: Done."},
    {.name = "a section after the mark of a call",
     .text =
         "Use <|tool_call_begin|> so: " KIMI_SECTION KIMI_CALL "<|tool_calls_section_end|> Done.",
     .calls = KIMI_F,
     .content = "Use <|tool_call_begin|> so: Done."},
    {.name = "a call after it",
     .text = "Hi " KIMI_SECTION "I call: " KIMI_CALL,
     .calls = KIMI_F,
     .content = "Hi"},
    {.name = "the end of the call with it",
     .text = "Write <|tool_call_begin|> and <|tool_call_end|>. The answer is 42.",
     .content = "Write <|tool_call_begin|> and <|tool_call_end|>. The answer is 42."},
    {.name = "the end of the call after more words",
     .text = "Write <|tool_call_begin|> and then <|tool_call_end|>",
     .content = "Write <|tool_call_begin|> and then <|tool_call_end|>"},
    {.name = "all marks",
     .text = "It starts with " KIMI_SECTION "<|tool_call_begin|>, then an id, "
             "<|tool_call_argument_begin|>, JSON, <|tool_call_end|> and "
             "<|tool_calls_section_end|>. 42.",
     .content = "It starts with " KIMI_SECTION "<|tool_call_begin|>, then an id, "
                "<|tool_call_argument_begin|>, JSON, <|tool_call_end|> and "
                "<|tool_calls_section_end|>. 42."},
    {.name = "all marks in a sentence",
     .text = "It starts with " KIMI_SECTION " and then <|tool_call_begin|> and ends with "
             "<|tool_call_end|> and <|tool_calls_section_end|>. 42.",
     .content = "It starts with " KIMI_SECTION " and then <|tool_call_begin|> and ends with "
                "<|tool_call_end|> and <|tool_calls_section_end|>. 42."},
    {.name = "an id after it",
     .text = "So: <|tool_call_begin|>functions.f",
     .content = "So:",
     .errors = "truncated: the text ends inside it"},
    {.name = "at the start of the reply",
     .text = KIMI_SECTION " and so on",
     .content = KIMI_SECTION " and so on"},
    {.name = "at the start of the reply, before a line end",
     .text = KIMI_SECTION "\nand so on",
     .errors = "truncated: the text ends inside it"},
};

#define DS_SECTION "<｜tool▁calls▁begin｜>"
#define DS_CALL    "<｜tool▁call▁begin｜>"
#define DS_SEP     "<｜tool▁sep｜>"
#define DS_END     "<｜tool▁calls▁end｜>"
#define DS_ENDS    "<｜tool▁call▁end｜>" DS_END
#define DS_V3      DS_SECTION DS_CALL "function" DS_SEP "f\n```json\n{}\n```" DS_ENDS
#define DS_V31     DS_SECTION DS_CALL "f" DS_SEP "{}" DS_ENDS

#define DEEPSEEK(call)                                                                             \
    {.name = "the mark of a section in a sentence",                                                \
     .text = "Write " DS_SECTION " and then a call. The answer is 42.",                            \
     .content = "Write " DS_SECTION " and then a call. The answer is 42."},                        \
        {.name = "the mark of a call in a sentence",                                               \
         .text = "Write " DS_CALL " and then a name. The answer is 42.",                           \
         .content = "Write " DS_CALL " and then a name. The answer is 42."},                       \
        {.name = "all marks but the ends",                                                         \
         .text = "Write " DS_SECTION ", " DS_CALL " and " DS_SEP " first.",                        \
         .content = "Write " DS_SECTION ", " DS_CALL " and " DS_SEP " first."},                    \
        {.name = "a section after it",                                                             \
         .text = "Use " DS_SECTION " so: " call " Done.",                                          \
         .calls = F,                                                                               \
         .content = "Use " DS_SECTION " so: Done."},                                               \
        {.name = "a section after the mark of a call",                                             \
         .text = "Use " DS_CALL " and " DS_CALL " so: " call " Done.",                             \
         .calls = F,                                                                               \
         .content = "Use " DS_CALL " and " DS_CALL " so: Done."},                                  \
        {.name = "the end of the section after it",                                                \
         .text = "Write " DS_SECTION " and " DS_END ".",                                           \
         .content = "Write " DS_SECTION " and " DS_END "."},                                       \
        {.name = "a name after it",                                                                \
         .text = "So: " DS_CALL "func",                                                            \
         .content = "So:",                                                                         \
         .errors = "truncated: the text ends inside it"},                                          \
    {                                                                                              \
        .name = "nothing after it", .text = "So: " DS_SECTION,                                     \
        .content = "So:", .errors = "truncated: the text ends inside it"                           \
    }

static const help_case deepseek_v3[] = {DEEPSEEK(DS_V3)};
static const help_case deepseek_v31[] = {DEEPSEEK(DS_V31)};

static const help_case deepseek_v32[] = {
    {.name = "a mark in a sentence",
     .text = "Write <｜DSML｜function_calls> and then <｜DSML｜invoke. The answer is 42.",
     .content = "Write <｜DSML｜function_calls> and then <｜DSML｜invoke. The answer is 42."},
    {.name = "a section after it",
     .text = "Use <｜DSML｜tool_calls> so: <｜DSML｜function_calls><｜DSML｜invoke name=\"f\">"
             "</｜DSML｜invoke></｜DSML｜function_calls> Done.",
     .calls = F,
     .content = "Use <｜DSML｜tool_calls> so: Done."},
    {.name = "a whole head in a sentence",
     .text = "Write <｜DSML｜invoke name=\"f\"> and then a value.",
     .content = "Write <｜DSML｜invoke name=\"f\"> and then a value."},
    {.name = "nothing after it",
     .text = "So: <｜DSML｜function_calls>",
     .content = "So:",
     .errors = "truncated: the text ends inside it"},
};

static const help_case pythonic[] = {
    {.name = "a mark in a sentence",
     .text = "Write <|python_start|> and then a list. The answer is 42.",
     .content = "Write <|python_start|> and then a list. The answer is 42."},
    {.name = "in quotes and back-ticks",
     .text = "The \"<|python_start|>\" or `<|tool_call_start|>` or '<function_calls>' (so). 42.",
     .content =
         "The \"<|python_start|>\" or `<|tool_call_start|>` or '<function_calls>' (so). 42."},
    {.name = "one word after it",
     .text = "Write <|tool_call_start|> first.",
     .content = "Write <|tool_call_start|> first."},
    {.name = "a line after it",
     .text = "Write <function_calls>\nto call (if you can). 42.",
     .content = "Write <function_calls>\nto call (if you can). 42."},
    {.name = "calls after it",
     .text = "Use <|python_start|> so: <|python_start|>[f()]<|python_end|> Or <function_calls>, "
             "so: <function_calls>\nf()\n</function_calls>",
     .calls = F "\n" F,
     .content = "Use <|python_start|> so: Or <function_calls>, so:"},
    {.name = "its end with it",
     .text = "Write <|python_start|> and <|python_end|>. The answer is 42.",
     .content = "Write <|python_start|> and <|python_end|>. The answer is 42."},
    {.name = "its end after more words",
     .text = "Write <|python_start|> and then <|python_end|>",
     .content = "Write <|python_start|> and then <|python_end|>"},
    {.name = "a name after it",
     .text = "So: <|python_start|>get",
     .content = "So:",
     .errors = "truncated: the text ends inside it"},
    {.name = "a tool after it",
     .text = "So: <|python_start|> f",
     .content = "So:",
     .errors = "truncated: the text ends inside it"},
    {.name = "at the start of the reply",
     .text = "<|python_start|> and so on",
     .content = "<|python_start|> and so on"},
};

TEST(prose_that_mentions_a_mark_is_text_at_every_cut)
{
    help_check_cases("hermes", hermes, COUNT(hermes));
    help_check_cases("qwen3coder", qwen3coder, COUNT(qwen3coder));
    help_check_cases("glm", glm, COUNT(glm));
    help_check_cases("granite", granite, COUNT(granite));
    help_check_cases("mistral", mistral, COUNT(mistral));
    help_check_cases("functionary_v31", functionary_v31, COUNT(functionary_v31));
    help_check_cases("functionary_v32", functionary_v32, COUNT(functionary_v32));
    help_check_cases("llama3", llama3, COUNT(llama3));
    help_check_cases("command_r", command_r, COUNT(command_r));
    help_check_cases("pythonic", pythonic, COUNT(pythonic));
}

TEST(prose_that_mentions_a_section_is_text_at_every_cut)
{
    help_check_cases("anthropic_xml", anthropic_xml, COUNT(anthropic_xml));
    help_check_cases("kimi_k2", kimi_k2, COUNT(kimi_k2));
    help_check_cases("deepseek_v3", deepseek_v3, COUNT(deepseek_v3));
    help_check_cases("deepseek_v31", deepseek_v31, COUNT(deepseek_v31));
    help_check_cases("deepseek_v32", deepseek_v32, COUNT(deepseek_v32));
}

TEST(tokens_of_harmony_and_codemode_are_never_text)
{
    help_check_cases("harmony", harmony, COUNT(harmony));
    help_check_cases("codemode", codemode, COUNT(codemode));
}

static const struct {
    const char *format, *mark;
    bool section; /* the mark begins a section */
} openers[] = {
    {"hermes", "<tool_call>", false},
    {"qwen3coder", "<tool_call>", false},
    {"glm", "<tool_call>", false},
    {"granite", "<|tool_call|>", false},
    {"mistral", "[TOOL_CALLS]", false},
    {"functionary_v31", "<function=", false},
    {"anthropic_xml", "<function_calls>", true},
    {"kimi_k2", KIMI_SECTION, true},
    {"kimi_k2", "<|tool_call_begin|>", false},
    {"deepseek_v3", DS_SECTION, true},
    {"deepseek_v3", DS_CALL, false},
    {"deepseek_v31", DS_SECTION, true},
    {"deepseek_v31", DS_CALL, false},
    {"deepseek_v32", "<｜DSML｜function_calls>", true},
    {"deepseek_v32", "<｜DSML｜invoke", false},
    {"pythonic", "<|python_start|>", false},
    {"pythonic", "<function_calls>", false},
};

/* The answer is longer than the kept text of a malformed call, and has no other mark. */
TEST(a_long_answer_after_a_mention_is_text)
{
    for (size_t i = 0; i < COUNT(openers); i++) {
        haft__buf text;
        help_parsed whole, cut;
        haft__buf_init(&text, 1 << 20);
        haft__buf_addf(&text, "Write %s and", openers[i].mark);
        while (text.len < 3 * HAFT__LIMIT_FORMAT_RAW_BYTES) {
            haft__buf_add_str(&text, HAFT__LIT(" a long answer,"));
        }
        help_input input = {.format = openers[i].format, .text = haft__buf_str(&text)};
        help_parsed_init(&whole);
        help_parsed_init(&cut);
        help_parse(&input, 0, 0, &whole);
        help_parse(&input, 7, 7, &cut);
        CHECK_STR(haft__buf_str(&whole.content), haft__buf_str(&text), "%s: %s", openers[i].format,
                  openers[i].mark);
        (void)help_parsed_equal(&cut, &whole, openers[i].mark);
        help_parsed_finish(&whole);
        help_parsed_finish(&cut);
        haft__buf_finish(&text);
    }
}

static bool fails_when_cut(const char *format, const char *mark, const char *words)
{
    haft__buf text;
    help_parsed parsed;
    haft__buf_init(&text, 1 << 10);
    haft__buf_addf(&text, "So %s%s", mark, words);
    help_input input = {.format = format, .text = haft__buf_str(&text), .cut = true};
    help_parsed_init(&parsed);
    help_parse(&input, 0, 0, &parsed);
    bool failed = parsed.malformed || parsed.truncated;
    help_parsed_finish(&parsed);
    haft__buf_finish(&text);
    return failed;
}

/* Text that may still become a call is a failed call: its end mark, or the first call of a section,
 * may have been cut off. */
TEST(a_mention_in_a_truncated_reply_is_a_failed_call_unless_it_is_prose)
{
    for (size_t i = 0; i < COUNT(openers); i++) {
        const char *format = openers[i].format, *mark = openers[i].mark;
        CHECK(haft__format_find(haft__str(format))->open_ended
                  || fails_when_cut(format, mark, " then"),
              "%s: %s was not reported as a failed call", format, mark);
        CHECK(fails_when_cut(format, mark, " and then") == openers[i].section,
              "%s: %s with prose after it", format, mark);
    }
}

static haft_status ignore(void *context, const haft__parser_event *found, haft_error *err)
{
    (void)context, (void)found, (void)err;
    return HAFT_OK;
}

static size_t count_reads(const char *format, const char *text, size_t times)
{
    haft__parser_options options = {.take = ignore};
    haft__parser *parser = NULL;
    haft_status status =
        haft__parser_create(haft__format_find(haft__str(format)), &options, &parser, NULL);
    for (size_t i = 0; status == HAFT_OK && i < times; i++) {
        status = haft__parser_feed(parser, haft__str(text), NULL);
    }
    CHECK_INT(status, HAFT_OK, "%s", format);
    CHECK_INT(haft__parser_end(parser, false, NULL), HAFT_OK, "%s", format);
    size_t reads = parser->reads;
    haft__parser_destroy(parser);
    return reads;
}

TEST(text_with_many_mentions_is_read_at_most_three_times)
{
    static const struct {
        const char *before, *after;
    } texts[] = {{"Write ", " and JSON. "},
                 {"Or \"", "\" so. "},
                 {"Use ", " x " CALL " so. "},
                 {"Use ", " x " KIMI_CALL " so. "},
                 {"Use ", " x " DS_V31 " so. "}};
    for (size_t i = 0; i < COUNT(openers) * COUNT(texts); i++) {
        const char *format = openers[i / COUNT(texts)].format;
        size_t k = i % COUNT(texts);
        char text[256];
        (void)snprintf(text, sizeof(text), "%s%s%s", texts[k].before,
                       openers[i / COUNT(texts)].mark, texts[k].after);
        for (size_t n = 1000; n <= 4000; n *= 2) {
            size_t reads = count_reads(format, text, n), bytes = n * strlen(text);
            CHECK(reads <= 3 * bytes + 4096, "%s, %s: %zu bytes, %zu reads of a byte", format, text,
                  bytes, reads);
        }
    }
}
