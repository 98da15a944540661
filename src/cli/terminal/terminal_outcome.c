/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal_outcome.c - asks the person at the terminal about a call whose outcome is unknown.
 *
 * The call is shown once. The prompt is repeated until the person has decided or another process
 * has answered. Tests: tests/cli/terminal_test.py.
 */
#include "base/macros.h"
#include "base/str.h"
#include "cli/terminal/approval_reply.h"
#include "cli/terminal/terminal_int.h"
#include "engine/run.h"
#include "run/pause/pause.h"

static void show_help(haft__terminal *t)
{
    static const char *const rows[] = {
        "y      run it again",
        ("n      do not run it again; the model reads that the outcome is unknown, and the text "
         "after n as the reason"), /* parentheses, because clang warns about joined strings */
        "=TEXT  it has run, and TEXT is its result",
        "?      show this help",
        "Ctrl-D decides nothing; `haft approve`, `answer` and `reject` do so later",
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__terminal_show_help(t, rows[i]);
    }
}

/* Sends the decision of a person. Yes runs the call again; "=RESULT" answers with its result; any
 * other text continues the run without the call, and is the reason for the model. */
static haft_status send_outcome(haft__terminal *t, haft_run *run, haft__run_command *command,
                                haft_str line, bool *ret_answered, haft_error *err)
{
    haft__approval_reply reply = haft__approval_reply_read(line);
    bool result = haft__str_starts_with(line, HAFT__LIT("="));
    bool yes = reply.kind == HAFT__APPROVAL_REPLY_YES;
    command->kind = result ? HAFT__RUN_COMMAND_ANSWER
                    : yes  ? HAFT__RUN_COMMAND_AGAIN
                           : HAFT__RUN_COMMAND_REJECT;
    if (result) {
        line = haft__str_trim(haft__str_skip(line, 1));
        command->value = haft__json_string(line);
    } else if (!yes) {
        command->why = reply.kind == HAFT__APPROVAL_REPLY_NO ? reply.text : line;
    }
    bool object = result && haft__str_starts_with(line, HAFT__LIT("{"));
    return haft__terminal_send_command(t, run, command, object, line, ret_answered, err);
}

haft_status haft__terminal_ask_outcome(haft__terminal *t, haft_run *run, const haft__run_call *call,
                                       bool *ret_answered, haft_error *err)
{
    haft__run_command command = {.call = call->id,
                                 .value = haft__json_null(),
                                 .by = HAFT__LIT("terminal"),
                                 .why = HAFT__LIT(""),
                                 .pause = haft__str(haft__pause_name(call->pause))};
    uint64_t seq = call->paused_seq;
    haft_str line = {NULL, 0};
    haft__typed got = HAFT__TYPED_LINE;
    haft_status status = haft__terminal_show_outcome(t, run, call, err);
    for (bool again = true; again && status == HAFT_OK;) {
        haft__terminal_discard_typed(t);
        (void)fputs("run it again? [y/N/=/?]> ", t->out);
        (void)fflush(t->out);
        status = haft__terminal_wait_for_line(t, run, command.call, seq, &got, &line, err);
        again =
            status == HAFT_OK && got == HAFT__TYPED_LINE && haft__str_equal(line, HAFT__LIT("?"));
        if (again) {
            show_help(t);
        }
    }
    if (status == HAFT_OK && got != HAFT__TYPED_LINE) {
        haft__terminal_end_prompt(t);
        /* Without a line, but not at the end of the input: the question was withdrawn, or the
         * person has interrupted the run. */
        *ret_answered = got == HAFT__TYPED_NOTHING;
        return status;
    }
    return status == HAFT_OK ? send_outcome(t, run, &command, line, ret_answered, err) : status;
}
