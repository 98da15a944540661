/* SPDX-License-Identifier: Apache-2.0 */
/* cli/follow/follow_int.h - the end of a followed run. Private to its folder. */
#ifndef HAFT_CLI_FOLLOW_FOLLOW_INT_H
#define HAFT_CLI_FOLLOW_FOLLOW_INT_H

#include "cli/follow/follow.h"

/* Like haft__follow_print_result, for a run whose answer may already be on the terminal. */
haft__exit_status haft__follow_print_remaining(haft__cli *cli, const haft__args *args,
                                               const haft_run *run, bool answer_shown,
                                               haft_error *err);

/* The exit status for the state of the run. */
haft__exit_status haft__follow_exit_status(const haft_run *run);

/* With --quiet: reports that a run did not succeed, or how to continue a run that waits. */
void haft__follow_report_end(haft__cli *cli, const haft__args *args, const haft_run *run);

/* Prints a line of --events. */
HAFT_MUST_USE haft_status haft__follow_print_event(haft__cli *cli, haft_str json, haft_error *err);

/* The earlier run of the thread that was last reported. */
typedef struct haft__follow_reported_queue {
    char id[HAFT__ID_LENGTH + 1];
} haft__follow_reported_queue;

/* True if the run now waits for another run of its thread than the one last reported. */
bool haft__follow_queue_changed(haft__follow_reported_queue *reported, const haft_run *run);

#endif
