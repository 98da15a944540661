/* SPDX-License-Identifier: Apache-2.0 */
/* cli/bench/options.h - what `haft bench` is asked for: a scenario and key=value words. */
#ifndef HAFT_CLI_BENCH_OPTIONS_H
#define HAFT_CLI_BENCH_OPTIONS_H

#include "cli/args.h"

typedef enum haft__bench_scenario {
    HAFT__BENCH_ONCE,    /* one run, nothing printed */
    HAFT__BENCH_LOAD,    /* many runs */
    HAFT__BENCH_SUSPEND, /* many runs that are left waiting for an approval */
} haft__bench_scenario;

typedef enum haft__bench_store {
    HAFT__BENCH_NONE,   /* a run that has ended is forgotten */
    HAFT__BENCH_MEMORY, /* it is kept, in this process */
    HAFT__BENCH_SQLITE, /* in a file */
} haft__bench_store;

/* Texts are those of the words. */
typedef struct haft__bench_options {
    haft__bench_scenario scenario;
    haft__bench_store store;
    haft_str url, model, db;
    uint64_t runs, conc, warm;
    bool stream;
    bool pool;      /* tools run on threads, as functions do that take time */
    uint64_t calls; /* that a run has to make, which the model's name says; 0: it does not */
} haft__bench_options;

const char *haft__bench_scenario_name(haft__bench_scenario scenario);
const char *haft__bench_store_name(haft__bench_store store);

/* The first word is the scenario; of a key that is given twice the last one counts. BAD_INPUT with
 * the word that is wrong. */
HAFT_MUST_USE haft_status haft__bench_options_parse(const haft__args *args,
                                                    haft__bench_options *ret_words,
                                                    haft_error *err);

#endif
