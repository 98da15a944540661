/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/runs/runs_request.h - shared by the subcommands of `haft runs`: reads the run that the
 * command names, from the store or from a file of events.
 */
#ifndef HAFT_CLI_RUNS_RUNS_REQUEST_H
#define HAFT_CLI_RUNS_RUNS_REQUEST_H

#include "cli/session.h"
#include "engine/ops/stored_run.h"

typedef struct haft__runs_request {
    haft__cli *cli;
    const haft__args *args;
    haft_runtime *runtime; /* NULL until the store is needed */
    haft__hash_key hash_key;
    const char *name;        /* of the run; may be NULL */
    haft__stored_run stored; /* a run of the store */
    bool is_stored;          /* the run is in the store; otherwise in a file */
    haft_str lines;
    const haft__spec *spec;
    haft_error *err;
} haft__runs_request;

haft__exit_status haft__runs_exit_status(haft_status status);

/* Prints the JSON text of a subcommand, and finishes `text`. */
haft__exit_status haft__runs_print_json(const haft__runs_request *a, haft__buf *text);

/* Rejects --json for output that is not an object. */
HAFT_MUST_USE haft_status haft__runs_reject_json(const haft__runs_request *a, const char *why);

/* Opens the store, unless it is open. */
HAFT_MUST_USE haft_status haft__runs_open_store(haft__runs_request *a);

/* Reads the events, and the spec if `want_spec`. */
HAFT_MUST_USE haft_status haft__runs_read(haft__runs_request *a, bool want_spec);

/* ---- subcommands ---- */

haft__exit_status haft__runs_list(haft__runs_request *a);
haft__exit_status haft__runs_show(haft__runs_request *a);
haft__exit_status haft__runs_events(haft__runs_request *a);
haft__exit_status haft__runs_replay(haft__runs_request *a);
haft__exit_status haft__runs_state(haft__runs_request *a);
haft__exit_status haft__runs_artifact(haft__runs_request *a);
haft__exit_status haft__runs_remove(haft__runs_request *a);
haft__exit_status haft__runs_gc(haft__runs_request *a);

#endif
