/* SPDX-License-Identifier: Apache-2.0 */
/* cli/ops/fork.h - a run that begins with the events of another, in a thread of its own. */
#ifndef HAFT_CLI_OPS_FORK_H
#define HAFT_CLI_OPS_FORK_H

#include "cli/session.h"

/* The run that is forked, as it was read. */
typedef struct haft__fork_source {
    const char *name; /* for errors */
    haft_str lines;
    const haft__spec *spec;
    haft__hash_key hash_key;
    haft__store_run row;   /* of a run of the store */
    haft_runtime *runtime; /* NULL for a file of events: then the fork's events are printed */
} haft__fork_source;

/* Makes the fork that --at, --turn, --call, --task and --answer ask for, and prints its id (its
 * result with --json), or goes on with it. */
haft__exit_status haft__fork_run(haft__cli *cli, const haft__args *args,
                                 const haft__fork_source *from, haft_error *err);

#endif
