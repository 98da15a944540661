/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/terminal_int.h - shows prompts and reads typed lines. Private to its folder. */
#ifndef HAFT_CLI_TERMINAL_TERMINAL_INT_H
#define HAFT_CLI_TERMINAL_TERMINAL_INT_H

#include "cli/terminal/terminal.h"
#include "run/pause/command.h"

/* The result of reading from the terminal. */
typedef enum haft__typed {
    HAFT__TYPED_LINE,
    HAFT__TYPED_NOTHING, /* no line yet */
    HAFT__TYPED_EOF,     /* Ctrl-D */
    HAFT__TYPED_HANGUP,  /* the terminal is closed */
} haft__typed;

/* Discards input that was typed before a prompt. */
void haft__terminal_discard_typed(haft__terminal *t);

/* Whether the shown pause is still open. `seq` is the number of the event that began the pause. A
 * question of a tool in this process stays open while other calls run. Other questions are
 * withdrawn when the run continues. */
bool haft__terminal_is_open(const haft_run *run, haft_str id, uint64_t seq);

/* Steps the run until a line was typed, the pause is no longer open, or a signal arrives. *ret_line
 * is valid until the next line. */
HAFT_MUST_USE haft_status haft__terminal_wait_for_line(haft__terminal *t, haft_run *run,
                                                       haft_str id, uint64_t seq,
                                                       haft__typed *ret_typed, haft_str *ret_line,
                                                       haft_error *err);

/* Prints a line feed after a prompt without a typed line. */
void haft__terminal_end_prompt(haft__terminal *t);

/* Asks whether the call may run. *ret_answered has the same meaning as for haft__terminal_ask. */
HAFT_MUST_USE haft_status haft__terminal_ask_approval(haft__terminal *t, haft_run *run,
                                                      const haft__run_call *call,
                                                      bool *ret_answered, haft_error *err);

/* The same for a call whose outcome is unknown. */
HAFT_MUST_USE haft_status haft__terminal_ask_outcome(haft__terminal *t, haft_run *run,
                                                     const haft__run_call *call, bool *ret_answered,
                                                     haft_error *err);

/* Sends the command. If `object`, its value is the JSON object in `line`. If the run rejects the
 * command, prints the reason; the person is asked again. */
HAFT_MUST_USE haft_status haft__terminal_send_command(haft__terminal *t, haft_run *run,
                                                      haft__run_command *command, bool object,
                                                      haft_str line, bool *ret_answered,
                                                      haft_error *err);

/* Returns the choices of a question; NULL if any answer is allowed. */
const haft__json *haft__terminal_question_choices(const haft__run_call *call);

/* Returns a text argument of the question; "" if it is missing. */
haft_str haft__terminal_question_text(const haft__run_call *call, const char *key);

HAFT_MUST_USE haft_status haft__terminal_show_question(haft__terminal *t,
                                                       const haft__run_call *call, haft_error *err);

/* Prints the question without a prompt, for an output that is not a terminal. */
HAFT_MUST_USE haft_status haft__terminal_print_question(FILE *to, const haft__run_call *call,
                                                        haft_error *err);

/* Prints the question of a running tool without a prompt. */
HAFT_MUST_USE haft_status haft__terminal_print_tool_question(FILE *to, const haft__run_call *call,
                                                             haft_error *err);

/* Shows the tool, its exact arguments and its preview; the caller adds the prompt. *ret_whole is
 * false if a text was too long to be shown completely. */
HAFT_MUST_USE haft_status haft__terminal_show_approval(haft__terminal *t, const haft_run *run,
                                                       const haft__run_call *call, bool *ret_whole,
                                                       haft_error *err);

/* The same in plain lines, for an output that is not a terminal. */
HAFT_MUST_USE haft_status haft__terminal_print_approval(FILE *to, const haft_run *run,
                                                        const haft__run_call *call,
                                                        haft_error *err);

/* Appends the arguments of the call for an editor: JSON on several lines, with secrets redacted and
 * hidden characters escaped. */
HAFT_MUST_USE haft_status haft__terminal_add_editable(const haft_run *run,
                                                      const haft__run_call *call, haft__buf *out,
                                                      haft_error *err);

/* Shows one line of help: a reply and its meaning, which begins at HAFT__REPLY_HELP_COLUMN. */
void haft__terminal_show_help(haft__terminal *t, const char *text);

/* Shows a call and the reason why its outcome is unknown; the caller adds the prompt. */
HAFT_MUST_USE haft_status haft__terminal_show_outcome(haft__terminal *t, const haft_run *run,
                                                      const haft__run_call *call, haft_error *err);

#endif
