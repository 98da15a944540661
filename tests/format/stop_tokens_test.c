/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/stop_tokens.c: a token that ends a turn is not a part of the text before
 * it, in any format. */
#include "base/macros.h"
#include "format/parser.h"
#include "format/render.h"
#include "format/special_tokens.h"
#include "parse_help.h"
#include "test.h"

#define X(token) token,
static const char *const tokens[] = {HAFT__STOP_TOKENS(X)};
#undef X

static void parse(const char *format, const char *text, help_parsed *ret_parsed)
{
    help_input input = {.format = format,
                        .text = haft__str(text),
                        .tools = help_tools,
                        .tool_count = help_tool_count,
                        .repair = true};
    help_parsed_init(ret_parsed);
    help_parse(&input, 0, 0, ret_parsed);
}

/* ---- every token, after every sample of every format ---- */

static void check_token(const char *format, const char *text, const char *token)
{
    static const char *const after[] = {"", "\n", " \r\n\t"};
    help_parsed wanted;
    parse(format, text, &wanted);
    for (size_t i = 0; i < 2 * COUNT(after); i++) {
        char longer[1024];
        (void)snprintf(longer, sizeof(longer), "%s%s%s%s", text, token, after[i / 2],
                       i % 2 == 1 ? token : "");
        help_parsed found;
        parse(format, longer, &found);
        (void)help_parsed_equal(&found, &wanted, longer);
        help_parsed_finish(&found);
    }
    help_parsed_finish(&wanted);
}

TEST(no_token_that_ends_a_turn_contains_another)
{
    for (size_t i = 0; i < COUNT(tokens); i++) {
        CHECK(strrchr(tokens[i], '<') == tokens[i], "%s has a second '<'", tokens[i]);
        for (size_t k = 0; k < COUNT(tokens); k++) {
            CHECK(i == k || strstr(tokens[i], tokens[k]) == NULL, "%s contains another token",
                  tokens[i]);
        }
    }
}

TEST(a_token_at_the_end_is_not_part_of_the_text)
{
    size_t checked = 0;
    for (size_t i = 0; i < help_sample_count; i++) {
        const help_sample *sample = &help_samples[i];
        char call[512];
        (void)snprintf(call, sizeof(call), "%s%s", sample->head, sample->tail);
        for (size_t k = 0; k < COUNT(tokens); k++) {
            bool own =
                haft__format_has_mark(haft__format_find(haft__str(sample->format)), tokens[k]);
            if (!own) {
                check_token(sample->format, call, tokens[k]);
                check_token(sample->format, "The answer is 42.", tokens[k]);
                checked++;
            }
        }
    }
    CHECK(checked > 200, "only %zu were checked", checked);
}

/* ---- the effect of a token at each position ---- */

static const struct {
    const char *format;
    help_case one;
} rows[] = {
    {"purejson",
     {.name = "after an answer", .text = "{\"answer\":\"42\"}<|im_end|>", .content = "42"}},
    {"hermes",
     {.name = "in the middle", .text = "Say <|im_end|> now.", .content = "Say <|im_end|> now."}},
    {"hermes",
     {.name = "in the middle and at the end",
      .text = "Say <|im_end|> now.<|im_end|>",
      .content = "Say <|im_end|> now."}},
    {"hermes", {.name = "a beginning", .text = "Say <|im_en", .content = "Say <|im_en"}},
    {"hermes",
     {.name = "a beginning after one",
      .text = "So<|im_end|>\n<|im_",
      .content = "So<|im_end|>\n<|im_"}},
    {"hermes", {.name = "nothing else", .text = "<|im_end|>"}},
    {"hermes", {.name = "in reasoning", .text = "<think>so<|im_end|>", .reasoning = "so"}},
    {"hermes",
     {.name = "in a string",
      .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"<|im_end|>\"}}</tool_call>",
      .calls = "f {\"a\":\"<|im_end|>\"}"}},
    {"hermes",
     {.name = "in a call",
      .text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"<|im_end|>",
      .errors = "truncated: the text ends inside it"}},
    {"llama3",
     {.name = "after code",
      .text = "<|python_tag|>print(1)<|eom_id|>",
      .calls = "python {\"code\":\"print(1)\"}"}},
    {"llama3",
     {.name = "in code",
      .text = "<|python_tag|>print('<|eom_id|>')<|eot_id|>",
      .calls = "python {\"code\":\"print('<|eom_id|>')\"}"}},
    {"qwen3coder",
     {.name = "after the end of a value",
      .text = "<tool_call><function=f>\n<parameter=a>\n1\n</function>\n<|im_end|>",
      .calls = "f {\"a\":1}"}},
    {"glm",
     {.name = "instead of the end of a call",
      .text = "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n<|observation|>",
      .errors = "truncated: the text ends inside it"}},
    {"codemode", {.name = "after code", .text = "```python\nf()\n```<|im_end|>", .code = "f()"}},
    {"harmony",
     {.name = "its own end of reasoning",
      .text = "<|channel|>analysis<|message|>a<|channel|>commentary "
              "to=functions.f<|message|>{}<|end|>",
      .reasoning = "a<|channel|>commentary to=functions.f<|message|>{}"}},
};

TEST(tokens_that_end_a_turn_are_read_at_every_cut)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_check_cases(rows[i].format, &rows[i].one, 1);
    }
}

TEST(many_tokens_and_spaces_cost_as_much_as_text)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 21);
    while (text.len < 1 << 20) {
        haft__buf_add_str(&text, HAFT__LIT("<|im_end|> \n<|im_<|im_end|>"));
    }
    help_input input = {.format = "hermes", .text = haft__buf_str(&text)};
    help_parsed whole, pieces;
    help_parsed_init(&whole);
    help_parsed_init(&pieces);
    help_parse(&input, 0, 0, &whole);
    help_parse(&input, 1, 1, &pieces);
    (void)help_parsed_equal(&pieces, &whole, "many tokens");
    help_parsed_finish(&whole);
    help_parsed_finish(&pieces);
    haft__buf_finish(&text);
}

/* ---- tokens that are marks of the format ---- */

static haft_status ignore(void *context, const haft__parser_event *event, haft_error *err)
{
    (void)context;
    (void)event;
    (void)err;
    return HAFT_OK;
}

/* A complete token that is still matched would be compared past its end with what follows. */
TEST(mark_of_the_format_is_withheld_no_longer_than_its_last_byte)
{
    static const char *const marks[] = {"<|end|>", "<|call|>", "<|return|>"};
    for (size_t i = 0; i < COUNT(marks); i++) {
        haft__parser_options options = {.take = ignore};
        haft__parser *parser = NULL;
        const haft__format *harmony = haft__format_find(HAFT__LIT("harmony"));
        CHECK_INT(haft__parser_create(harmony, &options, &parser, NULL), HAFT_OK, "create");
        CHECK_INT(haft__parser_feed(parser, haft__str(marks[i]), NULL), HAFT_OK, "feed");
        CHECK_INT(parser->stop_tokens.text.len, 0, "%s: withheld bytes", marks[i]);
        CHECK_INT(haft__parser_feed(parser, (haft_str){"\0\0", 2}, NULL), HAFT_OK, "feed");
        CHECK_INT(parser->stop_tokens.matched, 0, "%s and NUL: matched bytes", marks[i]);
        CHECK_INT(haft__parser_end(parser, false, NULL), HAFT_OK, "end");
        haft__parser_destroy(parser);
    }
}

/* Checks that events do not depend on the cut in "a", the token, bytes of no token, and "b". */
static void check_bytes_after(const char *format, const char *token, char byte)
{
    char text[96] = "a";
    size_t length = 1 + (size_t)snprintf(text + 1, sizeof(text) - 1, "%s", token);
    memset(text + length, byte, 40);
    length += 40;
    text[length++] = 'b';
    help_input input = {.format = format, .text = {text, length}};
    help_parsed whole, pieces;
    help_parsed_init(&whole);
    help_parsed_init(&pieces);
    help_parse(&input, 0, 0, &whole);
    help_parse(&input, 1, 1, &pieces);
    (void)help_parsed_equal(&pieces, &whole, format);
    CHECK(whole.content.len + whole.reasoning.len >= 41 || whole.errors.len > 0,
          "%s, %s and bytes %d: bytes were lost", format, token, byte);
    help_parsed_finish(&whole);
    help_parsed_finish(&pieces);
}

TEST(nul_and_high_bytes_after_a_token_belong_to_the_text)
{
    static const char bytes[] = {'\0', '\x01', '\x7f', '\x80', '\xc3', '\xff'};
    size_t count;
    const haft__format *const *formats = haft__formats(&count);
    for (size_t i = 0; i < count * COUNT(tokens); i++) {
        for (size_t k = 0; k < COUNT(bytes); k++) {
            check_bytes_after(formats[i / COUNT(tokens)]->name, tokens[i % COUNT(tokens)],
                              bytes[k]);
        }
    }
}
