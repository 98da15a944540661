/* SPDX-License-Identifier: Apache-2.0 */
/* cli/follow/follow_int.h - reports at the end of a followed run. Private to its folder. */
#ifndef HAFT_CLI_FOLLOW_FOLLOW_INT_H
#define HAFT_CLI_FOLLOW_FOLLOW_INT_H

#include "cli/follow/follow.h"

/* Like haft__follow_print_result, for a run whose answer may already be on the terminal. */
haft__exit_status haft__follow_print_remaining(haft__cli *cli, const haft__args *args,
                                               const haft_run *run, bool answer_shown,
                                               haft_error *err);

/* Returns the exit status for the state of the run. */
haft__exit_status haft__follow_exit_status(const haft_run *run);

/* Prints why a run did not succeed, or how to continue a run that waits (--quiet). */
void haft__follow_report_end(haft__cli *cli, const haft__args *args, const haft_run *run);

/* Prints a line of --events. */
HAFT_MUST_USE haft_status haft__follow_print_event(haft__cli *cli, haft_str json, haft_error *err);

/* The run ahead in the thread that was reported last. */
typedef struct haft__follow_reported_queue {
    char id[HAFT__ID_LENGTH + 1];
} haft__follow_reported_queue;

/* Returns true if the run waits for a run that differs from the one that was reported last. */
bool haft__follow_queue_changed(haft__follow_reported_queue *reported, const haft_run *run);

#endif
