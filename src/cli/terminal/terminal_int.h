/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/terminal_int.h - what a person is shown when asked. Private to
 * cli/terminal/terminal.h's files. */
#ifndef HAFT_CLI_TERMINAL_TERMINAL_INT_H
#define HAFT_CLI_TERMINAL_TERMINAL_INT_H

#include "cli/terminal/terminal.h"

/* What can be chosen from; NULL when anything can be answered. */
const haft__json *haft__terminal_question_choices(const haft__run_call *call);

/* An argument of the question that is a text; "" when there is none. */
haft_str haft__terminal_question_text(const haft__run_call *call, const char *key);

HAFT_MUST_USE haft_status haft__terminal_show_question(haft__terminal *t,
                                                       const haft__run_call *call, haft_error *err);

/* The same without a prompt, where nobody can be asked. */
HAFT_MUST_USE haft_status haft__terminal_print_question(FILE *to, const haft__run_call *call,
                                                        haft_error *err);

/* What a tool asks while it runs, without a prompt, where nobody can be asked. */
HAFT_MUST_USE haft_status haft__terminal_print_tool_question(FILE *to, const haft__run_call *call,
                                                             haft_error *err);

/* The tool, its arguments and what would be done with them, as exactly as people can read it, and a
 * prompt; which is not there when not all of it could be shown. */
HAFT_MUST_USE haft_status haft__terminal_show_approval(haft__terminal *t, const haft_run *run,
                                                       const haft__run_call *call, bool *ret_whole,
                                                       haft_error *err);

/* The same in plain lines and without a prompt, where nobody can be asked. */
HAFT_MUST_USE haft_status haft__terminal_print_approval(FILE *to, const haft_run *run,
                                                        const haft__run_call *call,
                                                        haft_error *err);

#endif
