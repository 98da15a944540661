/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/dialects/thinking.c: reasoning is separated, and nothing in it is a call. */
#include "base/buf.h"
#include "format/format.h"
#include "format/parse_help.h"
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
    {"a block that is not at the start", "a <think>b</think> c", "a c", "b", false},
    {"... and does not end", "a <think>b", "a <think>b", "", false},
    {"two blocks", "<think>a</think>b\n[THINK]c[/THINK]d", "b\nd", "ac", false},
    {"a second block of Command A's",
     "<|START_THINKING|>a<|END_THINKING|>b<|START_THINKING|>c<|END_THINKING|>d", "bd", "ac", false},
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

typedef struct parsed_text {
    haft__buf content, reasoning;
} parsed_text;

static haft_status take(void *context, const haft__parser_event *found, haft_error *err)
{
    parsed_text *t = context;
    CHECK(found->kind == HAFT__PARSER_EVENT_CONTENT || found->kind == HAFT__PARSER_EVENT_REASONING,
          "reasoning contains an event of a call");
    haft__buf *buf = found->kind == HAFT__PARSER_EVENT_CONTENT ? &t->content : &t->reasoning;
    haft__buf_add_str(buf, found->text);
    return haft__buf_check(buf, err);
}

static void parse(size_t row, size_t first)
{
    parsed_text t;
    haft__buf_init(&t.content, 1000);
    haft__buf_init(&t.reasoning, 1000);
    haft__parser_options options = {
        .start_in_reasoning = cases[row].inside, .take = take, .context = &t};
    haft__parser *parser = NULL;
    haft_str text = haft__str(cases[row].text);
    CHECK_INT(haft__parser_create(&haft__format_thinking, &options, &parser, NULL), HAFT_OK,
              "create the parser");
    CHECK_INT(haft__parser_feed(parser, (haft_str){text.ptr, first}, NULL), HAFT_OK,
              "the first piece");
    CHECK_INT(haft__parser_feed(parser, haft__str_skip(text, first), NULL), HAFT_OK,
              "the second piece");
    CHECK_INT(haft__parser_end(parser, false, NULL), HAFT_OK, "the end of the text");
    CHECK_STR(haft__buf_str(&t.content), haft__str(cases[row].content), "content of %s, cut at %zu",
              cases[row].name, first);
    CHECK_STR(haft__buf_str(&t.reasoning), haft__str(cases[row].reasoning),
              "reasoning of %s, cut at %zu", cases[row].name, first);
    haft__parser_destroy(parser);
    haft__buf_finish(&t.content);
    haft__buf_finish(&t.reasoning);
}

TEST(reasoning_is_separated_at_every_cut)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t first = 0; first <= strlen(cases[i].text); first++) {
            parse(i, first);
        }
    }
}

TEST(thinking_is_not_a_format_of_calls)
{
    CHECK(haft__format_find(HAFT__LIT("thinking")) == NULL, "a spec can choose `thinking`");
}

/* ---- in every format ---- */

/* The marks that begin and end reasoning. If a format has several, each has a row. */
static const struct {
    const char *format, *begin, *end;
} tags[] = {
    {"hermes", "<think>", "</think>"},
    {"mistral", "[THINK]", "[/THINK]"},
    {"mistral", "<think>", "</think>"},
    {"pythonic", "<think>", "</think>"},
    {"purejson", "<think>", "</think>"},
    {"llama3", "<think>", "</think>"},
    {"qwen3coder", "<think>", "</think>"},
    {"glm", "<think>", "</think>"},
    {"kimi_k2", "<think>", "</think>"},
    {"deepseek_v3", "<think>", "</think>"},
    {"deepseek_v31", "<think>", "</think>"},
    {"deepseek_v32", "<think>", "</think>"},
    {"anthropic_xml", "<think>", "</think>"},
    {"anthropic_xml", "<thinking>", "</thinking>"},
    {"granite", "<think>", "</think>"},
    {"command_r", "<|START_THINKING|>", "<|END_THINKING|>"},
};

static const help_sample *find_sample(const char *format)
{
    size_t i = 0;
    while (strcmp(help_samples[i].format, format) != 0) {
        i++;
    }
    return &help_samples[i];
}

static bool has_inner(const haft__buf *buf)
{
    return buf->len > 0 && memmem(buf->ptr, buf->len, "inner", 5) != NULL;
}

static void check_inside(size_t row, const char *before, size_t calls)
{
    const help_sample *sample = find_sample(tags[row].format);
    char text[4096];
    (void)snprintf(text, sizeof(text), "%s%s so %s%s%s no %s end.", before, tags[row].begin,
                   sample->head, "inner", sample->tail, tags[row].end);
    for (size_t i = 0; i < 4; i++) {
        help_input input = {.format = tags[row].format,
                            .text = haft__str(text),
                            .tools = help_tools,
                            .tool_count = help_tool_count,
                            .repair = i % 2 == 1,
                            .cut = i / 2 == 1};
        help_parsed parsed;
        help_parsed_init(&parsed);
        help_parse(&input, 0, i, &parsed);
        CHECK_INT(parsed.count, calls, "%s: calls of %s", tags[row].format, text);
        CHECK(!has_inner(&parsed.calls) && has_inner(&parsed.reasoning),
              "%s: reasoning was read as a call: %s", tags[row].format, text);
        help_parsed_finish(&parsed);
    }
}

TEST(nothing_in_reasoning_is_a_call_at_any_position)
{
    for (size_t i = 0; i < COUNT(tags); i++) {
        const help_sample *sample = find_sample(tags[i].format);
        char call[1024], both[256], twice[2048];
        (void)snprintf(call, sizeof(call), "%s%s%s", sample->head, "outer", sample->tail);
        (void)snprintf(both, sizeof(both), "%sa%sLet me see.\n", tags[i].begin, tags[i].end);
        (void)snprintf(twice, sizeof(twice), "%s%s", call, both);
        check_inside(i, "", 0);
        check_inside(i, "Sure. ", 0);
        check_inside(i, both, 0);
        check_inside(i, call, 1);
        check_inside(i, twice, 1);
    }
}

/* The reasoning is between the calls of a section. */
TEST(nothing_in_reasoning_inside_a_section_is_a_call)
{
    static const struct {
        const char *format, *section;
    } rows[] = {{"kimi_k2", "<|tool_calls_section_begin|>"},
                {"deepseek_v3", "<｜tool▁calls▁begin｜>"},
                {"deepseek_v31", "<｜tool▁calls▁begin｜>"},
                {"deepseek_v32", "<｜DSML｜function_calls>"},
                {"anthropic_xml", "<function_calls>"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t row = 0;
        while (strcmp(tags[row].format, rows[i].format) != 0) {
            row++;
        }
        check_inside(row, rows[i].section, 0);
    }
}

TEST(nothing_in_reasoning_inside_a_bad_call_is_a_call)
{
    static const struct {
        const char *format, *text;
    } rows[] = {
        {"hermes",
         "<tool_call>{bad <think>or <tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>"
         "?</think> no"},
        {"hermes",
         "<tool_call>bad <think>or <tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>"
         "?</think> no"},
        {"granite",
         "<|tool_call|>[bad <think><|tool_call|>[{\"name\":\"f\",\"arguments\":{}}]</think>"},
        {"mistral", "[TOOL_CALLS]g[ARGS]{bad <think>[TOOL_CALLS]f[ARGS]{}</think>"},
        {"glm", "<tool_call>g\nbad <think><tool_call>f\n</tool_call></think> no"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_input input = {.format = rows[i].format, .text = haft__str(rows[i].text)};
        help_parsed parsed;
        help_parsed_init(&parsed);
        help_parse(&input, 0, 0, &parsed);
        CHECK_INT(parsed.count, 0, "calls in %s", rows[i].text);
        CHECK(parsed.malformed || parsed.truncated, "no error in %s", rows[i].text);
        help_parsed_finish(&parsed);
    }
}
