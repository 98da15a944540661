/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal_approval.c - asks the person at the terminal whether a call may run.
 *
 * The call is shown once. The prompt is repeated until the person has decided or another process
 * has answered. Tests: tests/cli/terminal_test.py, tests/cli/approvals_test.py.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/terminal/approval_reply.h"
#include "cli/terminal/external_editor.h"
#include "cli/terminal/print.h"
#include "cli/terminal/terminal_int.h"
#include "engine/run.h"

/* The approval that the prompt asks for. Texts are borrowed from the run. */
typedef struct approval {
    haft__terminal *terminal;
    haft_run *run;
    haft__run_command command; /* with the shown call, its pause and its binding */
    uint64_t seq;              /* number of the event that began the pause */
    bool decided;              /* a command was sent and accepted */
    haft_error *err;
} approval;

static haft_status read_reply(approval *a, const char *prompt, haft__typed *ret_typed,
                              haft_str *ret_line)
{
    haft__terminal *t = a->terminal;
    haft__terminal_discard_typed(t);
    (void)fputs(prompt, t->out);
    (void)fflush(t->out);
    haft_status status = haft__terminal_wait_for_line(t, a->run, a->command.call, a->seq, ret_typed,
                                                      ret_line, a->err);
    if (status == HAFT_OK && *ret_typed != HAFT__TYPED_LINE) {
        haft__terminal_end_prompt(t);
    }
    return status;
}

/* Prints a problem of the reply; then the prompt is repeated. */
static void report_problem(approval *a, const haft_error *problem)
{
    haft__print_escaped(a->terminal->out, haft__str(problem->message));
    (void)fputc('\n', a->terminal->out);
}

/* Sends the command. If the run rejects its value, prints why. */
static haft_status send_verdict(approval *a, haft__run_command_kind kind)
{
    haft_error why = {0};
    a->command.kind = kind;
    haft_status status = haft__run_perform_command(a->run, &a->command, &why);
    a->decided = status == HAFT_OK;
    if (status == HAFT_BAD_INPUT) {
        report_problem(a, &why);
        return HAFT_OK;
    }
    if (status != HAFT_OK && a->err != NULL) {
        *a->err = why;
    }
    return status;
}

/* Approves the call with other arguments. `text` is JSON. */
static haft_status send_arguments(approval *a, haft_str text, haft__arena *arena)
{
    haft_error why = {0};
    bool is_json = true;
    haft_status status = haft__run_command_read_value(arena, text, a->run->runtime->hash_key,
                                                      &a->command.value, &is_json, &why);
    if (status == HAFT_OK && a->command.value.kind != HAFT__JSON_OBJECT) {
        status = haft__fail(&why, HAFT_BAD_INPUT, "", "expected an object with the arguments");
    }
    if (status == HAFT_OK) {
        status = send_verdict(a, HAFT__RUN_COMMAND_APPROVE);
    } else {
        report_problem(a, &why);
        status = status == HAFT_NO_MEMORY ? status : HAFT_OK;
    }
    a->command.value = haft__json_null(); /* the value lives in the arena */
    return status;
}

/* Opens an editor for the arguments. If the person leaves the text unchanged, the call is not
 * approved and the prompt is repeated. */
static haft_status edit(approval *a, haft__arena *arena)
{
    const haft__run_call *call = haft__run_find_call(&a->run->state, a->command.call);
    haft__buf before;
    haft_str after = {NULL, 0};
    haft_error why = {0};
    haft__buf_init(&before, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__terminal_add_editable(a->run, call, &before, &why);
    if (status == HAFT_OK) {
        status = haft__external_editor_run(a->run->runtime, a->terminal->fd, haft__buf_str(&before),
                                           arena, &after, &why);
    }
    bool same = status == HAFT_OK && haft__str_equal(after, haft__buf_str(&before));
    haft__buf_finish(&before);
    if (status == HAFT_OK && same) {
        status = haft__fail(&why, HAFT_BAD_INPUT, "", "the arguments are unchanged");
    }
    if (status != HAFT_OK) {
        report_problem(a, &why);
        return status == HAFT_NO_MEMORY ? status : HAFT_OK;
    }
    return haft__terminal_is_open(a->run, a->command.call, a->seq) ? send_arguments(a, after, arena)
                                                                   : HAFT_OK;
}

/* Rejects the call with the text as a message to the model, if the person confirms that. */
static haft_status send_message(approval *a, haft_str text, haft__arena *arena)
{
    haft__typed got = HAFT__TYPED_NOTHING;
    haft_str line = {NULL, 0};
    haft_str message = haft__arena_copy(arena, text); /* the next typed line overwrites the text */
    if (message.ptr == NULL) {
        return haft__arena_fail(arena, a->err);
    }
    haft_status status =
        read_reply(a, "do not run it, and send this text to the model? [y/N]> ", &got, &line);
    if (status != HAFT_OK || got != HAFT__TYPED_LINE || !haft__approval_reply_is_yes(line)) {
        return status;
    }
    a->command.why = message;
    status = send_verdict(a, HAFT__RUN_COMMAND_REJECT);
    a->command.why = HAFT__LIT("");
    return status;
}

/* Stores a standing approval of the user, then approves this call. */
static haft_status approve_always(approval *a)
{
    const haft__run_call *call = haft__run_find_call(&a->run->state, a->command.call);
    haft_error why = {0};
    haft_status status =
        a->terminal->keep_approval != NULL
            ? a->terminal->keep_approval(a->terminal->keep_context, a->run, call, &why)
            : haft__fail(&why, HAFT_BAD_STATE, "", "no approval can be stored here");
    if (status == HAFT_OK) {
        return send_verdict(a, HAFT__RUN_COMMAND_APPROVE);
    }
    report_problem(a, &why);
    return status == HAFT_NO_MEMORY ? status : HAFT_OK;
}

static void show_help(const approval *a)
{
    const char *text;
    for (size_t i = 0; (text = haft__approval_reply_help(i)) != NULL; i++) {
        haft__terminal_show_help(a->terminal, text);
    }
}

static haft_status apply_reply(approval *a, haft__approval_reply reply, haft__arena *arena)
{
    switch (reply.kind) {
    case HAFT__APPROVAL_REPLY_YES: return send_verdict(a, HAFT__RUN_COMMAND_APPROVE);
    case HAFT__APPROVAL_REPLY_NO:
        a->command.why = reply.text;
        return send_verdict(a, HAFT__RUN_COMMAND_REJECT);
    case HAFT__APPROVAL_REPLY_ALWAYS_IN_RUN:
        a->command.always = true;
        return send_verdict(a, HAFT__RUN_COMMAND_APPROVE);
    case HAFT__APPROVAL_REPLY_ALWAYS: return approve_always(a);
    case HAFT__APPROVAL_REPLY_EDIT: return edit(a, arena);
    case HAFT__APPROVAL_REPLY_ARGUMENTS: return send_arguments(a, reply.text, arena);
    case HAFT__APPROVAL_REPLY_HELP: show_help(a); return HAFT_OK;
    case HAFT__APPROVAL_REPLY_MESSAGE: return send_message(a, reply.text, arena);
    }
    HAFT__UNREACHABLE();
}

/* Asks until the person has decided or the question is withdrawn. The end of input means no. */
static haft_status decide_approval(approval *a, bool *ret_answered)
{
    haft_status status = HAFT_OK;
    *ret_answered = true;
    while (status == HAFT_OK && !a->decided) {
        haft__typed got = HAFT__TYPED_NOTHING;
        haft_str line = {NULL, 0};
        haft__arena arena;
        status = read_reply(a, "approve? [y/N/a/A/e/?]> ", &got, &line);
        if (status != HAFT_OK || got == HAFT__TYPED_NOTHING || got == HAFT__TYPED_HANGUP) {
            /* NOTHING: the question was withdrawn, or the person has pressed Ctrl-C */
            *ret_answered = got == HAFT__TYPED_NOTHING;
            return status;
        }
        haft__arena_init(&arena, HAFT__LIMIT_RUN_BYTES);
        haft__approval_reply reply =
            haft__approval_reply_read(got == HAFT__TYPED_EOF ? HAFT__LIT("") : line);
        status = apply_reply(a, reply, &arena);
        haft__arena_finish(&arena);
    }
    return status;
}

haft_status haft__terminal_ask_approval(haft__terminal *t, haft_run *run,
                                        const haft__run_call *call, bool *ret_answered,
                                        haft_error *err)
{
    approval a = {.terminal = t,
                  .run = run,
                  .command = {.call = call->id,
                              .value = haft__json_null(),
                              .by = HAFT__LIT("terminal"),
                              .why = HAFT__LIT(""),
                              .pause = haft__str(haft__pause_name(call->pause)),
                              .binding = call->binding},
                  .seq = call->paused_seq,
                  .err = err};
    bool whole = true;
    haft_status status = haft__terminal_show_approval(t, run, call, &whole, err);
    if (status == HAFT_OK && whole) {
        return decide_approval(&a, ret_answered);
    }
    haft__terminal_end_prompt(t);
    return status;
}
