/* SPDX-License-Identifier: Apache-2.0 */
/* inputs.c - the texts for the JSON benchmarks: replies as providers send them, one large array,
 * and hostile texts. */
#include "inputs.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"

#define MAX_BYTES ((size_t)1 << 28)

/* A small random generator, so that every machine measures the same bytes. */
static unsigned random_below(unsigned *seed, unsigned limit)
{
    *seed = *seed * 1664525U + 1013904223U;
    return (*seed >> 8) % limit;
}

static bench_input finish(const char *name, haft__buf *buf)
{
    if (haft__buf_check(buf, NULL) != HAFT_OK) {
        (void)fprintf(stderr, "bench: out of memory for %s\n", name);
        exit(1);
    }
    return (bench_input){name, buf->ptr, buf->len};
}

static void add_call(haft__buf *buf, unsigned *seed)
{
    static const char *const words[] = {"customers", "in",     "Berlin", "with",   "open",
                                        "invoices",  "since",  "March",  "and",    "their",
                                        "contracts", "sorted", "by",     "amount", "\\\\n"};
    haft__buf_addf(buf,
                   "{\"id\":\"call_%08x\",\"type\":\"function\",\"function\":{\"name\":"
                   "\"search_database\",\"arguments\":\"{\\\"query\\\":\\\"",
                   random_below(seed, 1U << 23));
    unsigned count = 4 + random_below(seed, 12);
    for (unsigned i = 0; i < count; i++) {
        haft__buf_addf(buf, "%s ", words[random_below(seed, 15)]);
    }
    haft__buf_addf(buf, "\\\",\\\"limit\\\":%u}\"}}", random_below(seed, 100));
}

bench_input bench_reply(size_t size)
{
    unsigned seed = 1;
    haft__buf buf;
    haft__buf_init(&buf, MAX_BYTES);
    haft__buf_addf(&buf, "{\"id\":\"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT\",\"object\":"
                         "\"chat.completion\",\"created\":1741569952,\"model\":\"a-model\","
                         "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
                         "\"content\":\"I will look that up.\\nOne moment \\u2014 it takes a few "
                         "searches.\",\"refusal\":null,\"tool_calls\":[");
    for (bool first = true; first || buf.len + 200 < size; first = false) {
        haft__buf_addf(&buf, "%s", first ? "" : ",");
        add_call(&buf, &seed);
    }
    haft__buf_addf(&buf, "]},\"logprobs\":null,\"finish_reason\":\"tool_calls\"}],\"usage\":"
                         "{\"prompt_tokens\":1117,\"completion_tokens\":46,\"total_tokens\":1163,"
                         "\"prompt_tokens_details\":{\"cached_tokens\":1024}}}");
    return finish("reply", &buf);
}

static bench_input named(bench_input input, const char *name)
{
    input.name = name;
    return input;
}

static bench_input reply_1k(void)
{
    return named(bench_reply(1000), "reply of 1 KB");
}

static bench_input reply_10k(void)
{
    return named(bench_reply(10000), "reply of 10 KB");
}

static bench_input reply_100k(void)
{
    return named(bench_reply(100000), "reply of 100 KB");
}

static bench_input array_10m(void)
{
    unsigned seed = 1;
    haft__buf buf;
    haft__buf_init(&buf, MAX_BYTES);
    for (unsigned i = 0; buf.len < 10000000; i++) {
        haft__buf_addf(&buf,
                       "%s{\"id\":%u,\"name\":\"user %u\",\"score\":%u.%06u,\"tags\":[\"a\",\"bb\","
                       "\"ccc\"],\"active\":%s,\"place\":{\"lat\":-%u.%u,\"lon\":%u.%u,\"zone\":"
                       "null}}",
                       i == 0 ? "[" : ",", i, random_below(&seed, 100000), random_below(&seed, 100),
                       random_below(&seed, 1000000), i % 3 == 0 ? "true" : "false",
                       random_below(&seed, 90), random_below(&seed, 100000),
                       random_below(&seed, 180), random_below(&seed, 100000));
    }
    haft__buf_add_char(&buf, ']');
    return finish("array of 10 MB", &buf);
}

bench_make *const bench_typical[] = {reply_1k, reply_10k, reply_100k, array_10m};
const size_t bench_typical_count = sizeof(bench_typical) / sizeof(bench_typical[0]);

/* A text of a megabyte: `piece` repeated between `open` and `close`. */
static bench_input repeat(const char *name, const char *open, const char *piece, const char *close,
                          const char *separator)
{
    haft__buf buf;
    haft__buf_init(&buf, MAX_BYTES);
    haft__buf_addf(&buf, "%s", open);
    for (bool first = true; buf.len < 1000000; first = false) {
        haft__buf_addf(&buf, "%s%s", first ? "" : separator, piece);
    }
    haft__buf_addf(&buf, "%s", close);
    return finish(name, &buf);
}

static bench_input deep(void)
{
    haft__buf level;
    haft__buf_init(&level, 10000);
    for (int i = 0; i < 255; i++) {
        haft__buf_add_char(&level, '[');
    }
    for (int i = 0; i < 255; i++) {
        haft__buf_add_char(&level, ']');
    }
    haft__buf_add_char(&level, '\0');
    bench_input input = repeat("nesting 256 deep", "[", level.ptr, "]", ",");
    haft__buf_finish(&level);
    return input;
}

static bench_input long_numbers(void)
{
    haft__buf number;
    haft__buf_init(&number, 10000);
    for (int i = 0; i < 4000; i++) {
        haft__buf_add_char(&number, '7');
    }
    haft__buf_add_char(&number, '\0');
    bench_input input = repeat("numbers of 4,000 digits", "[", number.ptr, "]", ",");
    haft__buf_finish(&number);
    return input;
}

static bench_input small_values(void)
{
    return repeat("values of one byte", "[", "1", "]", ",");
}

static bench_input empty_arrays(void)
{
    return repeat("empty arrays", "[", "[]", "]", ",");
}

static bench_input escapes(void)
{
    return repeat("one string of \\u escapes", "\"", "\\u20ac", "\"", "");
}

static bench_input simple_escapes(void)
{
    return repeat("one string of \\n escapes", "\"", "\\n", "\"", "");
}

static bench_input not_ascii(void)
{
    return repeat("one string of two-byte characters", "\"", "\xC3\xA9", "\"", "");
}

static bench_input white_space(void)
{
    return repeat("white space", "", " \n", "1", "");
}

static bench_input keys(const char *name, unsigned repeat_after)
{
    haft__buf buf;
    haft__buf_init(&buf, MAX_BYTES);
    for (unsigned i = 0; buf.len < 1000000; i++) {
        haft__buf_addf(&buf, "%c\"the same long prefix of all the keys in here %08u\":1",
                       i == 0 ? '{' : ',', i % repeat_after);
    }
    haft__buf_add_char(&buf, '}');
    return finish(name, &buf);
}

static bench_input many_keys(void)
{
    return keys("one object, keys with one prefix", 1U << 30);
}

static bench_input same_keys(void)
{
    return keys("one object, 100 keys over and over", 100);
}

bench_make *const bench_hostile[] = {deep,      long_numbers,   small_values, empty_arrays,
                                     escapes,   simple_escapes, not_ascii,    white_space,
                                     many_keys, same_keys};
const size_t bench_hostile_count = sizeof(bench_hostile) / sizeof(bench_hostile[0]);
