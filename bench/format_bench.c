/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_bench.c - how fast calls are parsed in a model's text, in every format: the whole text at
 * once and 64 bytes at a time, compared with memchr over the same bytes, which is the upper bound
 * for reading each byte. Also the time per byte against the length, which must not grow.
 */
#include "format_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/str.h"
#include "bench.h"
#include "format/format.h"

#define ARGUMENTS                                                                                  \
    "{\"path\": \"src/main.c\", \"lines\": [1, 20, 300], \"text\": \"All happy families are "      \
    "alike; each unhappy family is unhappy in its own way.\\nSo it goes, and so on.\"}"
#define PYTHON                                                                                     \
    "f(path='src/main.c', lines=[1, 20, 300], text='All happy families are alike; each unhappy "   \
    "family is unhappy in its own way.\\nSo it goes, and so on.')"
#define OBJECT "{\"name\": \"f\", \"arguments\": " ARGUMENTS "}"
#define VALUE                                                                                      \
    "All happy families are alike; each unhappy family is unhappy in its own way.\n"               \
    "So it goes, and so on, for many lines of text that a file would have."

#define PROSE                                                                                      \
    "It was the best of times, it was the worst of times, it was the age of wisdom, it was the "   \
    "age of foolishness, it was the epoch of belief, it was the epoch of incredulity."
/* In purejson there is no text between calls: the prose is in an argument. */
#define STORY                                                                                      \
    "{\"name\": \"f\", \"arguments\": {\"story\": \"" PROSE "\", \"more\": " ARGUMENTS "}}\n"

static const char prose[] = PROSE "\n";
static const char braces[] =
    "A set {a, b}, a list [1, 2], an object {\"key\": [1, {\"b\": 2}]}, `x`, <b> and {so} on.\n";

/* A text alternates prose and calls. */
static const struct {
    const char *name, *format, *call;
    const char *between; /* NULL: prose */
    int turns;           /* repetitions of `between` per call */
} rows[] = {
    {"hermes", "hermes", "<tool_call>\n" OBJECT "\n</tool_call>\n", NULL, 1},
    {"hermes, prose", "hermes", "", NULL, 1},
    {"hermes, calls", "hermes", "<tool_call>\n" OBJECT "\n</tool_call>\n", NULL, 0},
    {"purejson", "purejson", STORY, NULL, 0},
    {"purejson, prose", "purejson", "", NULL, 1},
    {"purejson, prose with braces", "purejson", "", braces, 1},
    {"purejson, calls", "purejson", OBJECT "\n", NULL, 0},
    {"mistral", "mistral", "[TOOL_CALLS]f[ARGS]" ARGUMENTS, NULL, 1},
    {"pythonic", "pythonic", "<|python_start|>[" PYTHON "]<|python_end|>\n", NULL, 1},
    {"llama3", "llama3", "<|python_tag|>" OBJECT ";" OBJECT "\n", NULL, 1},
    {"codemode", "codemode", "```python\n" PYTHON "\n```\n", NULL, 1},
    {"qwen3coder", "qwen3coder",
     "<tool_call>\n<function=f>\n<parameter=text>\n" VALUE "\n</parameter>\n"
     "</function>\n</tool_call>\n",
     NULL, 1},
    {"glm", "glm",
     "<tool_call>f\n<arg_key>text</arg_key>\n<arg_value>" VALUE "</arg_value>\n</tool_call>\n",
     NULL, 1},
    {"kimi_k2", "kimi_k2",
     "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|"
     ">" ARGUMENTS "<|tool_call_end|><|tool_calls_section_end|>",
     NULL, 1},
    {"harmony", "harmony",
     "<|end|><|start|>assistant<|channel|>commentary to=functions.f "
     "<|constrain|>json<|message|>" ARGUMENTS
     "<|call|><|start|>assistant<|channel|>final<|message|>",
     NULL, 1},
    {"deepseek_v31", "deepseek_v31",
     "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>" ARGUMENTS
     "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
     NULL, 1},
};

typedef struct format_task {
    const haft__format *format;
    haft_str text;
    size_t chunk;
    size_t found; /* bytes in the events */
} format_task;

static haft_status take(void *context, const haft__parser_event *found, haft_error *err)
{
    (void)err;
    format_task *task = context;
    task->found += found->text.len;
    return HAFT_OK;
}

static bool do_parse(void *context)
{
    static const haft__format_tool tools[] = {{.name = {"f", 1}}};
    format_task *task = context;
    haft__parser_options options = {
        .tools = tools, .tool_count = COUNT(tools), .take = take, .context = task};
    haft__parser *parser = NULL;
    haft_status status = haft__parser_create(task->format, &options, &parser, NULL);
    haft_str rest = task->text;
    while (status == HAFT_OK && rest.len > 0) {
        size_t length = task->chunk == 0 || task->chunk > rest.len ? rest.len : task->chunk;
        status = haft__parser_feed(parser, (haft_str){rest.ptr, length}, NULL);
        rest = haft__str_skip(rest, length);
    }
    if (status == HAFT_OK) {
        status = haft__parser_end(parser, false, NULL);
    }
    haft__parser_destroy(parser);
    return status == HAFT_OK && task->found > 0;
}

/* No byte of the texts is NUL, so memchr reads all of it. */
static bool do_memchr(void *context)
{
    const format_task *task = context;
    return memchr(task->text.ptr, '\0', task->text.len) == NULL;
}

static void make_text(haft__buf *buf, size_t row, size_t length)
{
    const char *between = rows[row].between != NULL ? rows[row].between : prose;
    haft__buf_init(buf, 2 * length + 4096);
    while (buf->len < length) {
        for (int i = 0; i < rows[row].turns; i++) {
            haft__buf_add_str(buf, haft__str(between));
        }
        haft__buf_add_str(buf, haft__str(rows[row].call));
    }
}

static void print_row(size_t row)
{
    haft__buf buf;
    make_text(&buf, row, 1 << 20);
    const haft__format *format = haft__format_find(haft__str(rows[row].format));
    format_task tasks[3] = {{format, haft__buf_str(&buf), 0, 0},
                            {format, haft__buf_str(&buf), 64, 0},
                            {format, haft__buf_str(&buf), 0, 0}};
    bench_contender contenders[] = {{"whole", do_parse, &tasks[0], 0},
                                    {"64 bytes", do_parse, &tasks[1], 0},
                                    {"memchr", do_memchr, &tasks[2], 0}};
    bench_compare(contenders, COUNT(contenders), 0.02);
    printf("| %s |", rows[row].name);
    for (size_t i = 0; i < COUNT(contenders); i++) {
        printf(" %.0f |", (double)buf.len / contenders[i].seconds / 1e6);
    }
    printf(" %.1f |\n", contenders[1].seconds / contenders[0].seconds);
    (void)fflush(stdout);
    haft__buf_finish(&buf);
}

static void print_length(size_t length)
{
    printf("| %zu |", length);
    for (size_t row = 0; row < COUNT(rows); row++) {
        if (strcmp(rows[row].name, "hermes") == 0 || strcmp(rows[row].name, "purejson") == 0
            || strcmp(rows[row].name, "pythonic") == 0) {
            haft__buf buf;
            make_text(&buf, row, length);
            format_task task = {haft__format_find(haft__str(rows[row].format)), haft__buf_str(&buf),
                                64, 0};
            bench_contender contender = {rows[row].name, do_parse, &task, 0};
            bench_compare(&contender, 1, 0.02);
            printf(" %.2f |", contender.seconds / (double)buf.len * 1e9);
            haft__buf_finish(&buf);
        }
    }
    printf("\n");
    (void)fflush(stdout);
}

void bench_formats(void)
{
    printf("### Calls in text, MB/s\n\n| text | whole | in 64 bytes | memchr | whole / 64 |\n"
           "|---|---:|---:|---:|---:|\n");
    for (size_t row = 0; row < COUNT(rows); row++) {
        print_row(row);
    }
    printf("\n### Calls in text: ns per byte against length, 64 bytes at a time\n\n"
           "| bytes | hermes | purejson | pythonic |\n|---:|---:|---:|---:|\n");
    for (size_t length = 64 << 10; length <= 16 << 20; length *= 4) {
        print_length(length);
    }
    printf("\n");
}
