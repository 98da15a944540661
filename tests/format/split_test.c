/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests for src/format: random texts made of the marks of formats. The result is the same at every
 * cut, and the arguments of a reported call are JSON.
 */
#include "parse_help.h"
#include "test.h"
#include "json/read.h"

/* Pieces of every format, whole and broken. */
static const char *const pieces[] = {
    "<tool_call>",
    "</tool_call>",
    "<think>",
    "</think>",
    "[TOOL_CALLS]",
    "[ARGS]",
    "[CALL_ID]",
    "[THINK]",
    "[/THINK]",
    "<function=",
    "</function>",
    "<parameter=",
    "</parameter>",
    ">",
    "<|im_end|>",
    "<|eom_id|>",
    "</s>",
    "<|python_tag|>",
    "<|python_start|>",
    "<|python_end|>",
    "<|tool_call_start|>",
    "<function_calls>",
    "</function_calls>",
    "```",
    "```json\n",
    "```python\n",
    "```py\n",
    "<code>",
    "</code>",
    "{\"name\": \"f\", \"arguments\": {\"a\": 1}}",
    "{\"tool\":\"g\",\"args\":{}}",
    "{\"answer\": \"yes \\u00e9\"}",
    "{\"name\":",
    "\"f\"",
    "\"arguments\":",
    "{\"b\": [1, -2.5e3]}",
    "[f(a=1)]",
    "[f(a='x', b=[1, (2, 3)], c={'k': None}), g()]",
    "f(",
    "a=",
    "'it''s'",
    "g.call(x=1)",
    "{'a', 'b'}",
    "{'name': 'f', 'arguments': {'a': True,}}",
    "{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}",
    "// x\n",
    "/* } */",
    "{'k':",
    "\"\"\"t\nu\"\"\"",
    "\\",
    "\\u",
    "\\ud83d",
    "\\ude00",
    "f",
    "g",
    "unknown",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    ":",
    "\"",
    "'",
    " ",
    "\n",
    "\r\n",
    "0",
    "1.",
    "-",
    "true",
    "None",
    "\xC3\xA9",
    "\xF0\x9F\x98\x80",
    "\xC3",
    "\xFF",
    "<",
    "|",
    "`",
    ";",
    "a]b",
    "text ",
    "=",
    "_",
};

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* One of the format's own marks. */
static haft_str pick_mark(const haft__format *format, uint64_t *state)
{
    for (;;) {
        const haft__format_state *place = &format->states[next_random(state) % HAFT__FORMAT_STATES];
        const haft__format_mark *mark = &place->marks[next_random(state) % COUNT(place->marks)];
        if (mark->text != NULL) {
            return haft__str(mark->text);
        }
    }
}

static haft_str make_text(const haft__format *format, uint64_t *state, haft__buf *buf)
{
    haft__buf_clear(buf);
    size_t count = 1 + next_random(state) % 14;
    for (size_t i = 0; i < count; i++) {
        haft_str piece = next_random(state) % 2 == 0
                             ? pick_mark(format, state)
                             : haft__str(pieces[next_random(state) % COUNT(pieces)]);
        size_t length =
            next_random(state) % 8 == 0 ? next_random(state) % (piece.len + 1) : piece.len;
        haft__buf_add(buf, piece.ptr, length);
    }
    return haft__buf_str(buf);
}

static void check_calls(const help_parsed *parsed, haft_str text)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json calls;
    haft_error err = {0};
    haft_status status =
        haft__json_read(&arena, haft__buf_str(&parsed->calls), NULL, &calls, NULL, &err);
    CHECK_INT(status, HAFT_OK, "%s in %.*s of %.*s", err.message,
              HAFT__ARG(haft__buf_str(&parsed->calls)), HAFT__ARG(text));
    haft__arena_finish(&arena);
}

static bool check_one(const help_input *input, uint64_t *state)
{
    help_parsed whole;
    help_parsed_init(&whole);
    help_parse(input, 0, 0, &whole);
    check_calls(&whole, input->text);
    bool same = true;
    for (size_t i = 0; i < 3 && same; i++) {
        help_parsed parsed;
        help_parsed_init(&parsed);
        size_t chunk = i == 0 ? 1 : 1 + next_random(state) % 9;
        help_parse(input, i == 2 ? 1 + next_random(state) % 20 : chunk, chunk, &parsed);
        char what[2048];
        (void)snprintf(what, sizeof(what), "%s, pieces of %zu: %.*s", input->format, chunk,
                       HAFT__ARG(input->text));
        same = help_parsed_equal(&parsed, &whole, what);
        help_parsed_finish(&parsed);
    }
    help_parsed_finish(&whole);
    return same;
}

TEST(random_texts_give_the_same_result_at_every_cut)
{
    static const haft__format_tool tools[] = {{.name = {"f", 1}}, {.name = {"g", 1}}};
    size_t count;
    const haft__format *const *formats = haft__formats(&count);
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    uint64_t state = 88172645463325252U;
    const char *rounds = getenv("HAFT_TEST_ROUNDS");
    long max = rounds != NULL ? strtol(rounds, NULL, 10) : 1500;
    for (size_t f = 0; f < count; f++) {
        for (long i = 0; i < max; i++) {
            help_input input = {.format = formats[f]->name,
                                .text = make_text(formats[f], &state, &buf),
                                .tools = tools,
                                .tool_count = COUNT(tools),
                                .start_in_reasoning = i % 5 == 0,
                                .repair = i % 3 == 0};
            if (!check_one(&input, &state)) {
                break;
            }
        }
    }
    haft__buf_finish(&buf);
}
