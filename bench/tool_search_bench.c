/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool_search_bench.c - tool search: time to build and query an index of 1,000 to 100,000 tools,
 * and its memory, on one core. Word frequencies are like those of real tools: a few words are in
 * many tools, most in few. Times are processor times of the thread; for each query the best of
 * ROUNDS counts, so that other load on the machine does not count.
 */
#include "tool_search_bench.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/macros.h"
#include "base/str.h"
#include "exec/embeddings/word_vectors.h"
#include "tool/index/search.h"

#define VOCABULARY 8000U
#define QUERIES    400U
#define ROUNDS     5U

static const size_t sizes[] = {1000, 10000, 100000};

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return *seed >> 8;
}

/* A word by its number; pronounceable, so that stemming and typo correction have work. */
static size_t put_word(char *to, uint32_t number)
{
    static const char *const parts[] = {"ka",  "lo",  "mi",  "ter", "son", "ba",  "ru",
                                        "den", "fi",  "gra", "pos", "tu",  "vel", "can",
                                        "ne",  "sha", "dor", "wi",  "lan", "que"};
    size_t length = 0;
    for (uint32_t left = number + COUNT(parts); left > 0; left /= COUNT(parts)) {
        const char *part = parts[left % COUNT(parts)];
        memcpy(to + length, part, strlen(part));
        length += strlen(part);
    }
    return length;
}

/* Words separated by spaces; smaller numbers are more frequent. */
static haft_str put_words(char *to, size_t count, uint32_t *seed, char between)
{
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t a = next_random(seed) % VOCABULARY, b = next_random(seed) % VOCABULARY,
                 c = next_random(seed) % VOCABULARY;
        uint32_t number = (uint32_t)((uint64_t)a * b / VOCABULARY * c / VOCABULARY);
        length += put_word(to + length, number);
        to[length++] = between;
    }
    return (haft_str){to, length - 1};
}

static bool add_tool(haft__search_index *search, uint32_t number)
{
    char id[16], name[128], group[64], text[2048], params[4][64];
    uint32_t seed = number * 7919 + 1, group_seed = number / 20;
    haft__json_member members[4], all;
    for (size_t i = 0; i < COUNT(members); i++) {
        members[i].key = haft__json_string(put_words(params[i], 1 + i % 2, &seed, '_'));
        members[i].value = haft__json_null();
    }
    all.key = haft__json_string(HAFT__LIT("properties"));
    all.value = haft__json_object(members, COUNT(members));
    haft__json schema = haft__json_object(&all, 1);
    haft__search_doc doc = {
        .id = {id, (size_t)snprintf(id, sizeof(id), "t%u", number)},
        .name = put_words(name, 2 + number % 2, &seed, '_'),
        .group = put_words(group, 1, &group_seed, '_'),
        .text = put_words(text, 10 + next_random(&seed) % 30, &seed, ' '),
        .schema = &schema,
    };
    return haft__search_add(search, &doc, NULL) == HAFT_OK;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median and 99th percentile, in microseconds. */
static bool ask(const haft__search_index *search, size_t words, double *ret_median,
                double *ret_worst)
{
    static double taken[QUERIES];
    uint32_t seed = 99;
    haft__arena arena;
    haft__arena_init(&arena, 0);
    bool good = true;
    for (size_t n = 0; n < QUERIES * ROUNDS && good; n++) {
        size_t i = n % QUERIES;
        char text[2048];
        haft__search_hit *hits = NULL;
        size_t count = 0;
        seed = i == 0 ? 99 : seed; /* the same queries again */
        haft_str query = put_words(text, words, &seed, ' ');
        haft__arena_reset(&arena);
        double start = now();
        good = haft__search_query(search, query, 10, &arena, &hits, &count, NULL) == HAFT_OK;
        double took = (now() - start) * 1e6;
        taken[i] = n < QUERIES || took < taken[i] ? took : taken[i];
    }
    haft__arena_finish(&arena);
    qsort(taken, QUERIES, sizeof(double), by_size);
    *ret_median = taken[QUERIES / 2];
    *ret_worst = taken[QUERIES * 99 / 100];
    return good;
}

static bool print_row(size_t size, const haft__search_word_vectors *vectors)
{
    haft__search_options options = HAFT__SEARCH_OPTIONS_INIT;
    haft__search_index *search = NULL;
    double median = 0, worst = 0, long_median = 0, long_worst = 0;
    options.vectors = vectors;
    struct mallinfo2 before = mallinfo2();
    double start = now();
    bool good = haft__search_create(&options, &search, NULL) == HAFT_OK;
    for (uint32_t i = 0; i < size && good; i++) {
        good = add_tool(search, i);
    }
    double built = now() - start;
    struct mallinfo2 after = mallinfo2();
    double bytes =
        (double)(after.uordblks + after.hblkhd) - (double)(before.uordblks + before.hblkhd);
    good = good && ask(search, 8, &median, &worst) && ask(search, 40, &long_median, &long_worst);
    printf("| %zu | %s | %.0f | %.0f | %.0f / %.0f | %.0f / %.0f |\n", size,
           vectors != NULL ? "yes" : "no", built * 1e3, bytes / (double)size, median, worst,
           long_median, long_worst);
    (void)fflush(stdout);
    haft__search_destroy(search);
    return good;
}

void bench_tool_search(void)
{
    haft__word_vectors vectors;
    haft_error err = {0};
    bool good = haft__word_vectors_load(NULL, &vectors, &err) == HAFT_OK;
    if (!good) {
        (void)fprintf(stderr, "bench: %s: %s\n", err.where, err.message);
        exit(1);
    }
    printf("### tool search: one core, queries of 8 and of 40 words, median / 99th of 100\n\n"
           "| tools | vectors | build ms | bytes/tool | query of 8 us | query of 40 us |\n"
           "|---:|---|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < COUNT(sizes) && good; i++) {
        good = print_row(sizes[i], NULL) && (!vectors.found || print_row(sizes[i], &vectors.table));
    }
    printf("\n");
    haft__word_vectors_finish(&vectors);
    if (!good) {
        (void)fprintf(stderr, "bench: tool search failed\n");
        exit(1);
    }
}
