/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/follow/follow.h - goes along with a run: shows what happens, asks who sits at the terminal,
 * prints what came of it. What `run`, `resume`, `answer`, `approve`, `reject` and `cancel` have in
 * common.
 */
#ifndef HAFT_CLI_FOLLOW_FOLLOW_H
#define HAFT_CLI_FOLLOW_FOLLOW_H

#include "cli/session.h"

/* Rows of option tables. */
#define HAFT__OPTIONS_OUTPUT                                                                       \
    {"events", 0, HAFT__OPTION_FLAG, NULL, "print each event, one JSON object a line"},            \
        {"json", 0, HAFT__OPTION_FLAG, NULL, "print the result as one JSON object"},               \
        {"plain", 0, HAFT__OPTION_FLAG, NULL, "plain lines also on a terminal, one an event"},     \
    {                                                                                              \
        "quiet", 'q', HAFT__OPTION_FLAG, NULL, "print the answer only, and why there is none"      \
    }

/* BAD_INPUT for options that exclude each other. */
HAFT_MUST_USE haft_status haft__follow_check_options(const haft__args *args, haft_error *err);

/* Goes on until the run has ended or waits for somebody who is not here, and prints. */
haft__exit_status haft__follow_run(haft__cli *cli, const haft__args *args, haft_run *run,
                                   haft_error *err);

/* With --events: prints those that are in the store and that nobody has read yet. */
HAFT_MUST_USE haft_status haft__follow_print_events(haft__cli *cli, haft_run *run, haft_error *err);

/* Prints what came of a run that is only looked at. */
haft__exit_status haft__follow_print_result(haft__cli *cli, const haft__args *args,
                                            const haft_run *run, haft_error *err);

/* The same of one that another process has, behind what was said to it; with --events, what has
 * happened since: the events behind `seq`. */
haft__exit_status haft__follow_print_since(haft__cli *cli, const haft__args *args,
                                           const haft_run *run, uint64_t seq, haft_error *err);

/* --yes: approves a call that waits for it and is not destructive, --yes=all any. */
HAFT_MUST_USE haft_status haft__follow_auto_approve(const haft__args *args, haft_run *run,
                                                    bool *ret_did, haft_error *err);

/* Says for which run of its thread one waits, and what can be done about it. */
void haft__follow_report_queue(haft__cli *cli, const haft_run *run);

/* The same by what is known of both. */
void haft__follow_report_run_ahead(haft__cli *cli, const char *id, haft_str ahead,
                                   haft__run_state state, bool lost);

#endif
