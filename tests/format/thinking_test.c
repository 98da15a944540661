/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/thinking.c: reasoning is told apart, and nothing is a call. */
#include "base/buf.h"
#include "format/format.h"
#include "test.h"

static const struct {
    const char *name, *text, *content, *reasoning;
    bool inside;
} cases[] = {
    {"text", "Hello <b>", "Hello <b>", "", false},
    {"nothing", "", "", "", false},
    {"a block", "<think>\nso\n</think>\n\nHello", "Hello", "so", false},
    {"a block of Mistral's", "[THINK]so[/THINK]Hello", "Hello", "so", false},
    {"white space before it", "\n <think>so</think>Hello", "Hello", "so", false},
    {"a block that is not at the start", "a <think>b</think>", "a <think>b</think>", "", false},
    {"a block that does not end", "<think>so", "", "so", false},
    {"a second end", "<think>a</think>b</think>c", "bc", "a", false},
    {"an end alone", "a</think>b", "a</think>b", "", false},
    {"calls are text", "<think>x</think><tool_call>{}</tool_call>", "<tool_call>{}</tool_call>",
     "x", false},
    {"calls in a block are reasoning", "<think><tool_call>{}</tool_call></think>a", "a",
     "<tool_call>{}</tool_call>", false},
    {"the prompt began it", "so</think>Hello", "Hello", "so", true},
    {"... and the model too", "<think>so</think>Hello", "Hello", "so", true},
    {"... and once more", "<think>so <think> on</think>Hello", "Hello", "so <think> on", true},
    {"a block of Command A's",
     "<|START_THINKING|>so<|END_THINKING|><|START_RESPONSE|>Hello<|END_RESPONSE|>", "Hello", "so",
     false},
    {"... without marks around the text", "<|START_THINKING|>so<|END_THINKING|>Hello", "Hello",
     "so", false},
    {"... that the prompt began", "so<|END_THINKING|><|START_TEXT|>Hello<|END_TEXT|>", "Hello",
     "so", true},
    {"channels of gpt-oss",
     "<|channel|>analysis<|message|>so<|end|><|start|>assistant<|channel|>final<|message|>Hello"
     "<|return|>",
     "Hello", "so", false},
    {"... a call in the reasoning is that",
     "<|channel|>analysis<|message|>a<|channel|>commentary to=functions.f<|message|>{}<|end|>"
     "<|start|>assistant<|channel|>final<|message|>Hello",
     "Hello", "a<|channel|>commentary to=functions.f<|message|>{}", false},
    {"half a mark", "<thi", "<thi", "", false},
    {"half an end", "so</thi", "", "so</thi", true},
};

typedef struct told {
    haft__buf content, reasoning;
} told;

static haft_status take(void *context, const haft__found *found, haft_error *err)
{
    told *t = context;
    CHECK(found->kind == HAFT__FOUND_CONTENT || found->kind == HAFT__FOUND_REASONING, "no call");
    haft__buf *buf = found->kind == HAFT__FOUND_CONTENT ? &t->content : &t->reasoning;
    haft__buf_add_str(buf, found->text);
    return haft__buf_check(buf, err);
}

static void parse(size_t row, size_t first)
{
    told t;
    haft__buf_init(&t.content, 1000);
    haft__buf_init(&t.reasoning, 1000);
    haft__parser_options options = {
        .start_in_reasoning = cases[row].inside, .take = take, .context = &t};
    haft__parser *parser = NULL;
    haft_str text = haft__str(cases[row].text);
    CHECK_INT(haft__parser_create(&haft__format_thinking, &options, &parser, NULL), HAFT_OK, "new");
    CHECK_INT(haft__parser_feed(parser, (haft_str){text.ptr, first}, NULL), HAFT_OK, "first");
    CHECK_INT(haft__parser_feed(parser, haft__str_skip(text, first), NULL), HAFT_OK, "second");
    CHECK_INT(haft__parser_end(parser, false, NULL), HAFT_OK, "end");
    CHECK_STR(haft__buf_str(&t.content), haft__str(cases[row].content), "content of %s, cut at %zu",
              cases[row].name, first);
    CHECK_STR(haft__buf_str(&t.reasoning), haft__str(cases[row].reasoning),
              "reasoning of %s, cut at %zu", cases[row].name, first);
    haft__parser_destroy(parser);
    haft__buf_finish(&t.content);
    haft__buf_finish(&t.reasoning);
}

TEST(reasoning_is_told_apart_at_every_cut)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t first = 0; first <= strlen(cases[i].text); first++) {
            parse(i, first);
        }
    }
}

TEST(thinking_is_no_format_of_calls)
{
    CHECK(haft__format_find(HAFT__LIT("thinking")) == NULL, "it cannot be chosen");
}
