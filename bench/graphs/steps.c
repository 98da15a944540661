/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps.c - the cost of a graph without I/O: haft-bench-graphs SPEC INPUT RUNS
 *
 * The spec has only nodes with operations. Prints one JSON object with medians of CPU time: of
 * loading and checking the spec, of a run of the graph by the engine of graphs alone, and of a run
 * with its events (written, folded and decided as in a process, but not stored), and the bytes of
 * these events. bench/graphs.py makes the specs and the tables.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "base/str.h"
#include "graph/run/graph_run.h"
#include "run/decide/decide.h"
#include "spec/load/load.h"
#include "json/read.h"

static const haft__hash_key key = {3, 4};

typedef struct bench {
    haft_str text, input;
    haft__arena schemas, arena;
    const haft__schema *schema;
    const haft__spec *spec;
    haft__decider decider;
    uint64_t steps, nodes, bytes;
} bench;

static void stop(const char *what, const haft_error *err)
{
    (void)fprintf(stderr, "haft-bench-graphs: %s: %s\n", what, err->message);
    exit(1);
}

static double cpu_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static haft_str read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = malloc((size_t)64 << 20);
    haft_error none = {.message = "cannot be read"};
    if (file == NULL || text == NULL) {
        stop(path, &none);
    }
    size_t length = fread(text, 1, (size_t)64 << 20, file);
    (void)fclose(file);
    return (haft_str){text, length};
}

/* ---- what is measured ---- */

static void load(bench *b)
{
    haft_error err = {.message = "it is not valid"};
    haft__spec_report report;
    const haft__spec_options options = {.hash_key = key, .schema = b->schema};
    haft__arena_reset(&b->arena);
    if (haft__spec_load(&b->arena, b->text, &options, &b->spec, &report, &err) != HAFT_OK
        || b->spec == NULL) {
        stop("the spec", &err);
    }
}

/* The engine of graphs alone: supersteps over a state in memory. Milliseconds. */
static double run_engine(bench *b)
{
    haft_error err = {.message = "it does not end as it should"};
    haft__arena arena;
    const haft__graph *graph = NULL;
    haft__graph_problems problems;
    haft__graph_execution *x = NULL;
    haft__graph_execution_options options = {0};
    haft__graph_refusal refusal = {.refused = false};
    haft__graph_action action = {.kind = HAFT__ACTION_STEP};
    haft__json input;
    haft__arena_init(&arena, 0);
    haft_status status =
        haft__graph_compile(&arena, b->spec->graph, b->spec->graphs, &graph, &problems, &err);
    status =
        status == HAFT_OK ? haft__json_read(&arena, b->input, NULL, &input, NULL, &err) : status;
    status = status == HAFT_OK ? haft__graph_execution_create(graph, &options, &x, &err) : status;
    double began = cpu_ms();
    status = status == HAFT_OK ? haft__graph_execution_begin(x, input, haft__json_null(),
                                                             &action.event, &refusal, &err)
                               : status;
    b->steps = b->nodes = 0;
    while (status == HAFT_OK && action.kind == HAFT__ACTION_STEP) {
        status = haft__graph_execution_fold(x, action.event, &err);
        b->nodes += x->task_count;
        b->steps += x->task_count > 0;
        status = status == HAFT_OK ? haft__graph_execution_next(x, &action, &err) : status;
    }
    double ended = cpu_ms();
    if (status != HAFT_OK || x->end != HAFT__GRAPH_DONE) {
        stop("the graph", &err);
    }
    haft__graph_execution_destroy(x);
    haft__arena_finish(&arena);
    return ended - began;
}

static haft_status append(bench *b, haft__run *run, haft__buf *line, haft_str body, haft_error *err)
{
    static const char id[] = "01jcq9v7k2m4n6p8r0s2t4v6w8";
    haft__buf_clear(line);
    haft__event_write(line, run->seq + 1, 1000 + run->seq, (haft_str){id, 26}, body);
    b->bytes += line->len;
    return haft__run_fold(run, haft__buf_str(line), err);
}

/* The same as a run with events. */
static void run_events(bench *b)
{
    haft_error err = {.message = "it does not end as it should"};
    haft__arena arena;
    haft__run run;
    haft__buf line, body;
    haft_str none = {NULL, 0};
    haft__effect effect = {.kind = HAFT__EFFECT_EVENT};
    haft__arena_init(&arena, 0);
    haft__buf_init(&line, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    b->bytes = 0;
    haft_status status = haft__run_init(&run, &arena, b->spec, key, &err);
    haft__input_run_started(&body, b->spec, b->input, HAFT__LIT("01jcq9v7k2m4n6p8r0s2t4v6w9"), none,
                            none);
    status = status == HAFT_OK ? append(b, &run, &line, haft__buf_str(&body), &err) : status;
    while (status == HAFT_OK && effect.kind == HAFT__EFFECT_EVENT) {
        status = haft__decide(&b->decider, &run, 2000, &effect, &err);
        if (status == HAFT_OK && effect.kind == HAFT__EFFECT_EVENT) {
            status = append(b, &run, &line, effect.body, &err);
        }
    }
    if (status != HAFT_OK || run.end != HAFT__END_DONE) {
        stop("the run", &err);
    }
    haft__buf_finish(&line);
    haft__buf_finish(&body);
    haft__arena_finish(&arena);
}

/* ---- medians ---- */

enum { MAX_RUNS = 1000 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), compare);
    return values[(count - 1) / 2];
}

int main(int argc, char **argv)
{
    bench b = {.steps = 0};
    haft_error err = {.message = ""};
    size_t runs = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
    static double loads[MAX_RUNS], engines[MAX_RUNS], events[MAX_RUNS];
    if (runs == 0 || runs > MAX_RUNS) {
        (void)fprintf(stderr, "usage: haft-bench-graphs SPEC INPUT RUNS (at most %d)\n", MAX_RUNS);
        return 2;
    }
    b.text = read_file(argv[1]);
    b.input = read_file(argv[2]);
    haft__arena_init(&b.schemas, 0);
    haft__arena_init(&b.arena, 0);
    if (haft__spec_schema_compile(&b.schemas, key, &b.schema, &err) != HAFT_OK
        || haft__decider_init(&b.decider, &err) != HAFT_OK) {
        stop("beginning", &err);
    }
    for (size_t i = 0; i < runs; i++) {
        double at = cpu_ms();
        load(&b);
        loads[i] = cpu_ms() - at;
        engines[i] = run_engine(&b);
        at = cpu_ms();
        run_events(&b);
        events[i] = cpu_ms() - at;
    }
    printf("{\"steps\":%llu,\"nodes\":%llu,\"load_ms\":%.4f,\"engine_ms\":%.4f,\"events_ms\":%.4f,"
           "\"bytes\":%llu}\n",
           (unsigned long long)b.steps, (unsigned long long)b.nodes, median(loads, runs),
           median(engines, runs), median(events, runs), (unsigned long long)b.bytes);
    return 0;
}
