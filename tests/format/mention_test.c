/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/mention.c: an answer that mentions a mark is an answer. */
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
    {.name = "its end after it",
     .text = "Write <tool_call> and </tool_call>.",
     .content = "Write .",
     .errors = "malformed: expected a value, found 'a'"},
    {.name = "at the start of the reply",
     .text = "<tool_call> and then JSON",
     .errors = "malformed: expected a value, found 'a'"},
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
     .errors = "malformed: its name cannot be that of a tool"},
};

static const help_case others[] = {
    {.name = "a mark in a sentence",
     .text = "Write <function= and a name. The answer is > 42.",
     .content = "Write <function= and a name. The answer is > 42."},
};

TEST(prose_that_mentions_a_mark_is_text_at_every_cut)
{
    help_check_cases("hermes", hermes, COUNT(hermes));
    help_check_cases("qwen3coder", qwen3coder, COUNT(qwen3coder));
    help_check_cases("glm", glm, COUNT(glm));
    help_check_cases("granite", granite, COUNT(granite));
    help_check_cases("mistral", mistral, COUNT(mistral));
    help_check_cases("functionary_v31", others, COUNT(others));
}

/* The end mark may have been cut off. */
TEST(a_mention_in_a_reply_that_was_cut_is_a_malformed_call)
{
    help_input input = {.format = "hermes", .text = HAFT__LIT("So <tool_call> and"), .cut = true};
    help_parsed parsed;
    help_parsed_init(&parsed);
    help_parse(&input, 0, 0, &parsed);
    CHECK_STR(haft__buf_str(&parsed.content), HAFT__LIT("So"), "the content");
    CHECK(parsed.malformed, "the call is reported");
    help_parsed_finish(&parsed);
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

TEST(many_mentions_are_read_three_times_at_most)
{
    static const char *const formats[] = {"hermes", "qwen3coder", "glm", "granite"};
    static const char *const texts[] = {"Write <tool_call> and JSON. ", "Or \"<tool_call>\" so. ",
                                        "Use <tool_call> x " CALL " so. "};
    for (size_t i = 0; i < COUNT(formats) * COUNT(texts); i++) {
        const char *format = formats[i / COUNT(texts)], *text = texts[i % COUNT(texts)];
        for (size_t n = 1000; n <= 4000; n *= 2) {
            size_t reads = count_reads(format, text, n), bytes = n * strlen(text);
            CHECK(reads <= 3 * bytes + 4096, "%s, %s: %zu bytes are read %zu times", format, text,
                  bytes, reads);
        }
    }
}
