/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - the main program of the benchmarks: prints the Markdown tables of docs/benchmarks.md.
 *
 * The tables about JSON are in this file: haft's JSON module compared with the libraries of Debian,
 * and its time on long and on hostile texts. The other tables are in the files *_bench.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "durable_bench.h"
#include "format_bench.h"
#include "inputs.h"
#include "postgres_bench.h"
#include "provider_bench.h"
#include "run_bench.h"
#include "schema_bench.h"
#include "search_bench.h"
#include "sql_bench.h"
#include "tool_search_bench.h"

static const bench_library *const libraries[] = {&bench_haft, &bench_jansson, &bench_jsonc,
                                                 &bench_cjson, &bench_simdjson};
#define LIBRARIES (sizeof(libraries) / sizeof(libraries[0]))

/* One library and the text that it parses or writes. */
typedef struct task {
    const bench_library *library;
    void *state; /* of the library; holds the last parsed value */
    const bench_input *input;
} task;

static bool do_parse(void *context)
{
    const task *t = context;
    return t->library->parse(t->state, t->input->text, t->input->length);
}

static bool do_write(void *context)
{
    const task *t = context;
    return t->library->write(t->state) > 0;
}

static bool do_both(void *context)
{
    return do_parse(context) && do_write(context);
}

static const struct {
    const char *name;
    bench_work *work;
} operations[] = {{"parse", do_parse}, {"write", do_write}, {"round trip", do_both}};

/* Prints one row of the table. Every library parses the text first: "write" needs the value. */
static void print_comparison(const bench_input *input, size_t operation)
{
    task tasks[LIBRARIES];
    bench_contender contenders[LIBRARIES];
    for (size_t i = 0; i < LIBRARIES; i++) {
        tasks[i] = (task){libraries[i], libraries[i]->create(), input};
        contenders[i] =
            (bench_contender){libraries[i]->name, operations[operation].work, &tasks[i], 0};
        if (!do_parse(&tasks[i])) {
            (void)fprintf(stderr, "bench: %s rejects %s\n", libraries[i]->name, input->name);
            exit(1);
        }
    }
    bench_compare(contenders, LIBRARIES, 0.01);
    printf("| %s, %s |", operations[operation].name, input->name);
    for (size_t i = 0; i < LIBRARIES; i++) {
        printf(" %.0f |", (double)input->length / contenders[i].seconds / 1e6);
        libraries[i]->destroy(tasks[i].state);
    }
    for (size_t i = 1; i < LIBRARIES; i++) {
        printf(" %.1f |", contenders[i].seconds / contenders[0].seconds);
    }
    printf("\n");
    (void)fflush(stdout);
}

static void print_libraries(void)
{
    printf("### MB/s of input, and how many times faster haft is\n\n| what |");
    for (size_t i = 0; i < LIBRARIES; i++) {
        printf(" %s |", libraries[i]->name);
    }
    for (size_t i = 1; i < LIBRARIES; i++) {
        printf(" x %s |", libraries[i]->name);
    }
    printf("\n|---|");
    for (size_t i = 0; i < 2 * LIBRARIES - 1; i++) {
        printf("---:|");
    }
    printf("\n");
    for (size_t operation = 0; operation < 3; operation++) {
        for (size_t i = 0; i < bench_typical_count; i++) {
            bench_input input = bench_typical[i]();
            print_comparison(&input, operation);
            free(input.text);
        }
    }
    printf("\n");
}

/* The time per byte must not grow with the length of the text. */
static void print_lengths(void)
{
    bench_input inputs[8];
    task tasks[8];
    bench_contender contenders[8];
    for (size_t i = 0; i < 8; i++) {
        inputs[i] = bench_reply((size_t)1024 << 2 * i); /* 1 KiB, 4 KiB, ... 16 MiB */
        tasks[i] = (task){&bench_haft, bench_haft.create(), &inputs[i]};
        contenders[i] = (bench_contender){inputs[i].name, do_parse, &tasks[i], 0};
    }
    bench_compare(contenders, 8, 0.02);
    printf("### Time per byte against length (haft, parse)\n\n| bytes | ns/byte |\n|---:|---:|\n");
    for (size_t i = 0; i < 8; i++) {
        double cost = contenders[i].seconds / (double)inputs[i].length;
        printf("| %zu | %.2f |\n", inputs[i].length, cost * 1e9);
        bench_haft.destroy(tasks[i].state);
        free(inputs[i].text);
    }
    printf("\n");
}

/* Texts that attack the parser must not cost much more per byte than an ordinary text. */
static void print_hostile(void)
{
    bench_input inputs[BENCH_CONTENDERS] = {bench_reply(100000)}; /* the first is ordinary */
    size_t count = 1 + bench_hostile_count;
    for (size_t i = 1; i < count; i++) {
        inputs[i] = bench_hostile[i - 1]();
    }
    task tasks[BENCH_CONTENDERS];
    bench_contender contenders[BENCH_CONTENDERS];
    for (size_t i = 0; i < count; i++) {
        tasks[i] = (task){&bench_haft, bench_haft.create(), &inputs[i]};
        contenders[i] = (bench_contender){inputs[i].name, do_parse, &tasks[i], 0};
    }
    bench_compare(contenders, count, 0.02);
    printf("### Hostile texts (haft, parse)\n\n| text | ns/byte | x normal |\n|---|---:|---:|\n");
    double normal = contenders[0].seconds / (double)inputs[0].length;
    for (size_t i = 0; i < count; i++) {
        double cost = contenders[i].seconds / (double)inputs[i].length;
        printf("| %s | %.2f | %.1f |\n", inputs[i].name, cost * 1e9, cost / normal);
        bench_haft.destroy(tasks[i].state);
        free(inputs[i].text);
    }
    printf("\n");
}

static const struct {
    const char *name;
    void (*print)(void);
} tables[] = {
    {"libraries", print_libraries},
    {"lengths", print_lengths},
    {"hostile", print_hostile},
    {"tools", bench_schema},
    {"hostile-schemas", bench_schema_hostile},
    {"runs", bench_runs},
    {"context", bench_context},
    {"search", bench_search},
    {"tool-search", bench_tool_search},
    {"databases", bench_sql},
    {"formats", bench_formats},
    {"providers", bench_providers},
    {"appends", bench_appends},
    {"paused", bench_paused},
    {"recovery", bench_recovery},
    {"turns", bench_turns},
    {"copies", bench_copies},
    {"crowd-appends", bench_crowd_appends},
    {"crowd-claims", bench_crowd_claims},
};

static bool is_wanted(const char *name, int count, char *const *words)
{
    bool wanted = count == 0;
    for (int i = 0; i < count; i++) {
        wanted = wanted || strcmp(words[i], name) == 0;
    }
    return wanted;
}

/* Usage: haft-bench [TABLE]... Without arguments, all tables are printed. */
int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        if (is_wanted(tables[i].name, argc - 1, argv + 1)) {
            tables[i].print();
        }
    }
    return 0;
}
