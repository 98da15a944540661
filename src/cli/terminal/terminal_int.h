/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/terminal_int.h - the texts that a person is shown with a question. Private to
 * cli/terminal/terminal.h's files. */
#ifndef HAFT_CLI_TERMINAL_TERMINAL_INT_H
#define HAFT_CLI_TERMINAL_TERMINAL_INT_H

#include "cli/terminal/terminal.h"

/* The choices of a question; NULL if any answer is allowed. */
const haft__json *haft__terminal_question_choices(const haft__run_call *call);

/* A text argument of the question; "" if it is missing. */
haft_str haft__terminal_question_text(const haft__run_call *call, const char *key);

HAFT_MUST_USE haft_status haft__terminal_show_question(haft__terminal *t,
                                                       const haft__run_call *call, haft_error *err);

/* The same without a prompt, if nobody can be asked. */
HAFT_MUST_USE haft_status haft__terminal_print_question(FILE *to, const haft__run_call *call,
                                                        haft_error *err);

/* A question of a running tool, without a prompt, if nobody can be asked. */
HAFT_MUST_USE haft_status haft__terminal_print_tool_question(FILE *to, const haft__run_call *call,
                                                             haft_error *err);

/* Shows the tool, its exact arguments and what it would do; the caller adds the prompt.
 * *ret_whole is false if not all of it could be shown. */
HAFT_MUST_USE haft_status haft__terminal_show_approval(haft__terminal *t, const haft_run *run,
                                                       const haft__run_call *call, bool *ret_whole,
                                                       haft_error *err);

/* The same in plain lines, if nobody can be asked. */
HAFT_MUST_USE haft_status haft__terminal_print_approval(FILE *to, const haft_run *run,
                                                        const haft__run_call *call,
                                                        haft_error *err);

/* Appends the arguments of the call as a person edits them: JSON over several lines, with secrets
 * redacted and every hidden character escaped. */
HAFT_MUST_USE haft_status haft__terminal_add_editable(const haft_run *run,
                                                      const haft__run_call *call, haft__buf *out,
                                                      haft_error *err);

#endif
