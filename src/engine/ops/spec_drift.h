/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/ops/spec_drift.h - detects that the spec file of a run has changed since the run started.
 *
 * A run continues with its stored spec. If the file of this spec has changed, the caller chooses
 * between the stored spec and the file; without a choice, the run is rejected. A caller may also
 * override parts of the spec, for example the model.
 */
#ifndef HAFT_ENGINE_OPS_SPEC_DRIFT_H
#define HAFT_ENGINE_OPS_SPEC_DRIFT_H

#include "engine/runtime.h"

typedef enum haft__spec_drift_policy {
    HAFT__SPEC_DRIFT_REJECT, /* a run whose spec file has changed does not continue */
    HAFT__SPEC_DRIFT_ACCEPT, /* the run continues with the spec in the current file */
    HAFT__SPEC_DRIFT_KEEP,   /* the run continues with the stored spec; the file is not read */
} haft__spec_drift_policy;

typedef enum haft__spec_drift_finding {
    HAFT__SPEC_DRIFT_CHANGED, /* rejected: the file has changed */
    HAFT__SPEC_DRIFT_INVALID, /* rejected: the file has changed and cannot be used */
    HAFT__SPEC_DRIFT_MISSING, /* rejected: the file to accept does not exist */
    HAFT__SPEC_DRIFT_IGNORED, /* not rejected: the file does not exist, the stored spec is used */
} haft__spec_drift_finding;

typedef struct haft__spec_drift_options {
    haft__spec_drift_policy policy;
    haft_str by; /* the person who accepts the file or overrides parts, for the event; borrowed */
    const char *const *sets; /* further overrides, PATH=VALUE; borrowed */
    size_t set_count;
    /* Reports a finding about the file at `path`; may be NULL. `changes` has a line for each
     * difference (CHANGED only). `err` is the error of a rejected run; the callback may add a
     * hint. */
    void (*report)(void *context, haft__spec_drift_finding finding, const char *path,
                   haft_str changes, haft_error *err);
    void *context;
} haft__spec_drift_options;

typedef struct haft__spec_drift {
    haft__spec_drift_options options;
    haft_runtime *runtime;
    haft__arena arena; /* memory of the candidate spec */
} haft__spec_drift;

/* Checks every run that `runtime` opens, until haft__spec_drift_finish. The struct must not move.
 */
void haft__spec_drift_watch(haft__spec_drift *drift, haft_runtime *runtime,
                            const haft__spec_drift_options *options);

/* Fails if a run with this state would be rejected when it is opened. For a run that is not created
 * yet. Does not report a missing file; haft__spec_drift_watch reports it when the run is opened. */
HAFT_MUST_USE haft_status haft__spec_drift_check(haft__spec_drift *drift, const haft__run *run,
                                                 haft_error *err);
void haft__spec_drift_finish(haft__spec_drift *drift);

#endif
