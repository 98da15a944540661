/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/follow/follow.h - follows a run: shows its progress, asks the person at the terminal, prints
 * the result. Shared by `run`, `resume`, `answer`, `approve`, `reject` and `cancel`.
 */
#ifndef HAFT_CLI_FOLLOW_FOLLOW_H
#define HAFT_CLI_FOLLOW_FOLLOW_H

#include "cli/session.h"

/* Rows of option tables. */
#define HAFT__OPTIONS_OUTPUT                                                                       \
    {"events", 0, HAFT__OPTION_FLAG, NULL, "print each event as a line of JSON"},                  \
        {"json", 0, HAFT__OPTION_FLAG, NULL, "print the result as one JSON object"},               \
        {"plain", 0, HAFT__OPTION_FLAG, NULL,                                                      \
         "plain lines also on a terminal, one for each event"},                                    \
        {"verbose", 'v', HAFT__OPTION_FLAG, NULL,                                                  \
         "show all arguments and the id of each call, the tokens of each reply, and why a tool "   \
         "had to be used"},                                                                        \
    {                                                                                              \
        "quiet", 'q', HAFT__OPTION_FLAG, NULL,                                                     \
            "print only the answer, or the reason why the run has no answer"                       \
    }

/* Fails with BAD_INPUT if options exclude each other, or if artifacts could not be written. */
HAFT_MUST_USE haft_status haft__follow_check_options(haft__cli *cli, const haft__args *args,
                                                     haft_error *err);

/* Executes the run until it ends or waits for an answer from another process. Prints the result. */
haft__exit_status haft__follow_run(haft__cli *cli, const haft__args *args, haft_run *run,
                                   haft_error *err);

/* Replaces the usual printing of the result: with --json prints one object, else the answer.
 * `print` is called once, after the run has ended. */
typedef struct haft__follow_printer {
    haft_status (*print)(void *context, haft__cli *cli, const haft__args *args, const haft_run *run,
                         haft_error *err);
    void *context;
    const char *resume; /* the command that continues such a run: "haft ask --resume" */
} haft__follow_printer;
haft__exit_status haft__follow_run_with(haft__cli *cli, const haft__args *args, haft_run *run,
                                        const haft__follow_printer *printer, haft_error *err);

/* Like haft__follow_run, for a message of a chat. Prints no heading. Without --verbose prints only
 * the text and calls of the model, and a last line with the totals. The chat reports interruptions
 * itself. */
haft__exit_status haft__follow_chat_run(haft__cli *cli, const haft__args *args, haft_run *run,
                                        haft_error *err);

/* Prints the stored events that were not printed yet (--events). */
HAFT_MUST_USE haft_status haft__follow_print_events(haft__cli *cli, haft_run *run, haft_error *err);

/* Prints the result of a run that this process does not own. */
haft__exit_status haft__follow_print_result(haft__cli *cli, const haft__args *args,
                                            const haft_run *run, haft_error *err);

/* Like haft__follow_print_result, after a command was delivered to the run. With --events also
 * prints the events after `seq`. */
haft__exit_status haft__follow_print_since(haft__cli *cli, const haft__args *args,
                                           const haft_run *run, uint64_t seq, haft_error *err);

/* Prints which run of its thread the run waits for, and how to continue that run. */
void haft__follow_report_queue(haft__cli *cli, const haft_run *run);

/* The same for the run `id`. `ahead` is the run ahead of it, in the state `state`; if `abandoned`,
 * no process owns that run. */
void haft__follow_report_run_ahead(haft__cli *cli, const char *id, haft_str ahead,
                                   haft__run_state state, bool abandoned);

#endif
