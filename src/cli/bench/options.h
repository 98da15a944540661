/* SPDX-License-Identifier: Apache-2.0 */
/* cli/bench/options.h - the scenario and key=value arguments of `haft bench`. */
#ifndef HAFT_CLI_BENCH_OPTIONS_H
#define HAFT_CLI_BENCH_OPTIONS_H

#include "cli/args.h"

typedef enum haft__bench_scenario {
    HAFT__BENCH_ONCE,    /* one run, nothing printed */
    HAFT__BENCH_LOAD,    /* many runs */
    HAFT__BENCH_SUSPEND, /* many runs that stay pending for an approval */
} haft__bench_scenario;

typedef enum haft__bench_store {
    HAFT__BENCH_NONE,   /* a finished run is removed */
    HAFT__BENCH_MEMORY, /* runs are kept in memory */
    HAFT__BENCH_SQLITE, /* runs are kept in a file */
} haft__bench_store;

/* Texts are borrowed from the arguments. */
typedef struct haft__bench_options {
    haft__bench_scenario scenario;
    haft__bench_store store;
    haft_str url, model, db;
    uint64_t runs, conc, warm;
    bool stream;
    bool pool;      /* tools run on the thread pool, like slow functions */
    uint64_t calls; /* calls that each run must make, read from the model's name; 0: unknown */
} haft__bench_options;

const char *haft__bench_scenario_name(haft__bench_scenario scenario);
const char *haft__bench_store_name(haft__bench_store store);

/* Parses the words; the first is the scenario. If a key is given twice, the last value counts. An
 * error (BAD_INPUT) names the wrong word. */
HAFT_MUST_USE haft_status haft__bench_options_parse(const haft__args *args,
                                                    haft__bench_options *ret_options,
                                                    haft_error *err);

#endif
