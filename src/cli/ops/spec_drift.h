/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/ops/spec_drift.h - a run whose spec has changed since: refused, or goes on with the one or
 * the other.
 *
 * What runs is the spec that is stored with the run. When the file that it came from says something
 * else by now, whoever goes on with the run says which of the two they mean.
 */
#ifndef HAFT_CLI_OPS_SPEC_DRIFT_H
#define HAFT_CLI_OPS_SPEC_DRIFT_H

#include "cli/session.h"

/* Rows of option tables. */
#define HAFT__OPTIONS_SPEC_DRIFT                                                                   \
    {"accept-spec", 0, HAFT__OPTION_FLAG, NULL, "go on with the spec as its file is now"},         \
    {                                                                                              \
        "stored-spec", 0, HAFT__OPTION_FLAG, NULL, "go on with the spec as it was"                 \
    }

typedef struct haft__spec_drift {
    haft__cli *cli;
    const haft__args *args;
    haft_runtime *runtime;
    haft__arena arena; /* of the spec that is looked at */
} haft__spec_drift;

/* Has runs that `runtime` takes up looked at, until it is destroyed or _finish. `spec_drift` must
 * stay where it is. BAD_INPUT when both options are given. */
HAFT_MUST_USE haft_status haft__spec_drift_watch(haft__spec_drift *spec_drift, haft__cli *cli,
                                                 const haft__args *args, haft_runtime *runtime,
                                                 haft_error *err);

/* Whether a run that is not there yet, as it was folded, would be refused: before it is made. */
HAFT_MUST_USE haft_status haft__spec_drift_check(haft__spec_drift *spec_drift, const haft__run *run,
                                                 haft_error *err);
void haft__spec_drift_finish(haft__spec_drift *spec_drift, haft_runtime *runtime);

/* How the specs of a log that has several are loaded, to look at it: they live in `arena`. */
typedef struct haft__spec_drift_log_loader {
    haft__arena *arena;
    haft_str path;
    haft__hash_key hash_key;
} haft__spec_drift_log_loader;

haft__run_specs haft__spec_drift_log_specs(haft__spec_drift_log_loader *look);

#endif
