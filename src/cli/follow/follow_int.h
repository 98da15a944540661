/* SPDX-License-Identifier: Apache-2.0 */
/* cli/follow/follow_int.h - the end of a run that was gone along with. Private to
 * cli/follow/follow.h's files. */
#ifndef HAFT_CLI_FOLLOW_FOLLOW_INT_H
#define HAFT_CLI_FOLLOW_FOLLOW_INT_H

#include "cli/follow/follow.h"

/* haft__follow_print_result, for a run whose answer may stand on the terminal already. */
haft__exit_status haft__follow_print_remaining(haft__cli *cli, const haft__args *args,
                                               const haft_run *run, bool answer_shown,
                                               haft_error *err);

/* With --quiet: how a run ended that did not end well, and how to go on with one that waits. */
void haft__follow_report_end(haft__cli *cli, const haft__args *args, const haft_run *run);

/* A line of --events. */
HAFT_MUST_USE haft_status haft__follow_print_event(haft__cli *cli, haft_str json, haft_error *err);

/* The run of the thread that was last said to be ahead. */
typedef struct haft__follow_reported_queue {
    char id[HAFT__ID_LENGTH + 1];
} haft__follow_reported_queue;

/* Whether it waits for another run of its thread than was said. */
bool haft__follow_queue_changed(haft__follow_reported_queue *told, const haft_run *run);

#endif
