/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/context/context_size.h - estimates the size of the next request of a run, and computes its
 * budget.
 *
 * The fold updates the size of the history, so only new messages are measured.
 */
#ifndef HAFT_RUN_CONTEXT_CONTEXT_SIZE_H
#define HAFT_RUN_CONTEXT_CONTEXT_SIZE_H

#include "prompt/estimate.h"
#include "run/run.h"

/* ---- for the fold ---- */

/* Measures the new messages. */
void haft__context_measure_history(haft__run *run);

/* The messages have changed; the next measurement includes all of them. */
void haft__context_restart_history(haft__run *run);

/* Measures the tools that the open request declares. Does nothing if the size of the context is
 * unknown. */
HAFT_MUST_USE haft_status haft__context_measure_declared(haft__run *run, haft_error *err);

/* Computes the factor of the estimate from the usage that the provider has reported for the open
 * request. */
void haft__context_calibrate(haft__run *run, uint64_t input_tokens);

/* Discards the sizes, because the run continues with other messages or another model. */
void haft__context_forget(haft__run *run);

/* ---- for decisions and reports ---- */

/* The factor of the estimate (prompt/estimate.h); a default before the first reply. */
uint32_t haft__context_factor(const haft__run *run);

/* Estimated tokens of the open request. */
uint64_t haft__context_tokens(const haft__run *run);

/* Estimated tokens of the parts of the open request. */
typedef struct haft__context_shares {
    uint64_t system, definitions, task;
    uint64_t history; /* all other messages */
} haft__context_shares;

haft__context_shares haft__context_measure_shares(const haft__run *run);

/* The maximum tokens of a request: the size of the context without the reserve. 0: unknown. */
uint64_t haft__context_budget(const haft__spec *spec);

#endif
