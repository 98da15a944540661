/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - writes the events of commands, and rejects commands that do not fit the run. Tests:
 * tests/run/pause/command_test.c. */
#include "run/pause/command.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "run/decide/decide.h"
#include "run/pause/binding.h"
#include "run/pause/command_int.h"
#include "run/pause/elicitation.h"
#include "run/pause/question.h"
#include "run/pause/unknown_outcome.h"
#include "json/object.h"

bool haft__run_command_is_for_call(const haft__run_command *command)
{
    return command->kind != HAFT__RUN_COMMAND_CANCEL && command->kind != HAFT__RUN_COMMAND_CHILD
           && command->kind != HAFT__RUN_COMMAND_LIMIT;
}

/* ---- rejected commands ---- */

/* The command arrives after the deadline. */
static haft_status refuse_overdue(const haft__run *run, const haft__run_call *call, haft_error *err)
{
    char at[HAFT__TIME_SIZE];
    bool fails = haft__str_equal(call->verdict, HAFT__LIT("expire"));
    haft__time_format(call->deadline_ms, at);
    haft_status status = haft__fail(
        err, HAFT_BAD_STATE, "",
        "too late: the deadline of the call %.*s was %s, and on_expire was applied: %.*s",
        HAFT__ARG(call->id), at, HAFT__ARG(fails ? HAFT__LIT("fail") : call->verdict));
    return haft__command_hint_pending(run, status, err);
}

static haft_status refuse_not_pending(const haft__run *run, const haft__run_call *call,
                                      const haft__run_command *command, haft_error *err)
{
    bool same = false;
    haft_status status = haft__command_is_repeated(run, call, command, &same, err);
    if (status != HAFT_OK || same) {
        return status;
    }
    if (call->overdue && call->verdict.len > 0) {
        return refuse_overdue(run, call, err);
    }
    if (run->stage == HAFT__RUN_ENDED && call->verdict.len == 0) {
        return haft__command_refuse_ended(run, err);
    }
    if (call->stage == HAFT__CALL_PAUSED) {
        return haft__fail(err, HAFT_BAD_STATE, "",
                          "too late: the run ends as soon as its child runs have ended");
    }
    if (call->withdrawn) {
        status = haft__fail(err, HAFT_BAD_STATE, "",
                            "too late: the server has withdrawn the question of the call %.*s",
                            HAFT__ARG(call->id));
        return haft__command_hint_pending(run, status, err);
    }
    status = haft__fail(err, HAFT_BAD_STATE, "",
                        call->verdict.len > 0 ? "the call %.*s already has a different answer: %.*s"
                                              : "the call %.*s is not pending%.*s",
                        HAFT__ARG(call->id), HAFT__ARG(call->verdict));
    return haft__command_hint_pending(run, status, err);
}

/* The command is for a pause that is no longer open. */
static haft_status refuse_stale(const haft__run *run, const haft__run_call *call,
                                const haft__run_command *command, haft_error *err)
{
    if (haft__str_equal(command->pause, haft__str(haft__pause_name(call->pause)))) {
        haft_status status =
            haft__fail(err, HAFT_BAD_STATE, "",
                       "the approval does not apply to the call %.*s as it is now: its "
                       "tool, its arguments or the rules have changed",
                       HAFT__ARG(call->id));
        return haft__hint(err, status, "inspect the pending call and decide again");
    }
    bool same = false;
    haft_status status = haft__command_is_repeated(run, call, command, &same, err);
    if (status != HAFT_OK || same) {
        return status;
    }
    bool unseen = haft__str_equal(command->pause, HAFT__LIT(HAFT__RUN_COMMAND_NO_PAUSE));
    if (call->lost) {
        status =
            haft__fail(err, HAFT_BAD_STATE, "",
                       "the question of the call %.*s ended with the process that asked it: the "
                       "answer cannot be delivered, and the outcome of the call is unknown",
                       HAFT__ARG(call->id));
    } else if (unseen) {
        status = haft__fail(err, HAFT_BAD_STATE, "",
                            "the call %.*s was not pending when the command was issued, so it was "
                            "not recorded; the call is pending now: %s",
                            HAFT__ARG(call->id), haft__pause_name(call->pause));
    } else {
        status = haft__fail(err, HAFT_BAD_STATE, "",
                            "the call %.*s is now pending for another reason: %s, not %.*s",
                            HAFT__ARG(call->id), haft__pause_name(call->pause),
                            HAFT__ARG(command->pause));
    }
    return call->lost || (unseen && haft__pause_kind_of(call->pause)->outcome_unknown)
               ? haft__unknown_outcome_hint(call, status, err)
               : haft__command_hint_pending(run, status, err);
}

static haft_status apply_cancel(const haft__run *run, const haft__run_command *command,
                                haft__buf *buf, haft_error *err)
{
    if (run->stage == HAFT__RUN_ENDED && run->end != HAFT__END_CANCELLED) {
        return haft__command_refuse_ended(run, err);
    }
    if (run->stage != HAFT__RUN_ENDED && !run->cancel_asked) {
        haft__input_cancel_asked(buf, command->by, command->why);
    }
    return haft__buf_check(buf, err);
}

haft_status haft__run_command_check_secrets(const haft__run *run, const haft__run_command *command,
                                            const char *what, haft_error *err)
{
    haft__arena arena;
    haft__json clean;
    bool redacted = false;
    haft__arena_init(&arena, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__command_redact_value(command->redactor, command->value,
                                                    run->hash_key, &arena, &clean, &redacted, err);
    haft__arena_finish(&arena);
    return status == HAFT_OK && redacted
               ? haft__fail(err, HAFT_BAD_INPUT, "",
                            "expected %s without a secret, found one: a key, a token or a password "
                            "is not stored, so the tool would not get it",
                            what)
               : status;
}

/* Answers a question of the tool, in the form that the tool expects. An approval accepts the
 * defaults of the form. */
static haft_status apply_elicitation_answer(const haft__run *run, const haft__run_call *call,
                                            const haft__run_command *command, haft__buf *buf,
                                            haft_error *err)
{
    haft__arena arena;
    haft__json answer = haft__json_string(command->why);
    haft_str verdict = HAFT__LIT("reject");
    haft_status status = HAFT_OK;
    haft__arena_init(&arena, HAFT__LIMIT_RUN_BYTES);
    if (command->kind != HAFT__RUN_COMMAND_REJECT) {
        verdict = HAFT__LIT("answer");
        status = haft__run_command_check_secrets(run, command, "an answer", err);
        if (status == HAFT_BAD_INPUT) {
            (void)haft__hint(err, status, "the answer was not recorded; the tool is still waiting");
        }
        if (status == HAFT_OK) {
            status = haft__elicitation_answer(call->elicitation, command->value, &arena,
                                              run->hash_key, &answer, err);
        }
    }
    if (status == HAFT_OK) {
        haft__input_answered(buf, call->id, command->by, verdict, answer);
        status = haft__buf_check(buf, err);
    }
    haft__arena_finish(&arena);
    return status;
}

/* Whether the open pause differs from the one that the sender saw. */
static bool is_stale(const haft__run_call *call, const haft__run_command *command)
{
    bool pause = command->pause.len == 0
                 || haft__str_equal(command->pause, haft__str(haft__pause_name(call->pause)));
    bool binding = haft__str_starts_with(call->binding, command->binding);
    return !pause || !binding;
}

/* The command names no call, and no call is pending. The command may repeat the last answer. */
static haft_status refuse_unnamed(const haft__run *run, const haft__run_command *command,
                                  haft_error *err)
{
    const haft__run_call *last = NULL;
    haft_error refused = *err;
    bool same = false;
    for (size_t i = 0; i < run->call_count; i++) {
        last = run->calls[i].verdict.len > 0 ? &run->calls[i] : last;
    }
    haft_status status =
        last != NULL ? haft__command_is_repeated(run, last, command, &same, err) : HAFT_OK;
    if (status == HAFT_OK && !same && last != NULL && last->overdue) {
        status = refuse_overdue(run, last, err);
    } else if (status == HAFT_OK && !same) {
        *err = refused;
        status = refused.status;
    } else if (status == HAFT_OK) {
        *err = (haft_error){0};
    }
    return status;
}

/* The open pause does not accept the command. */
static haft_status refuse_wrong_kind(const haft__run *run, const haft__run_call *call,
                                     const haft__run_command *command, haft_error *err)
{
    const char *why = command->kind == HAFT__RUN_COMMAND_AGAIN
                          ? "was not interrupted, so it cannot be run again"
                      : command->kind == HAFT__RUN_COMMAND_FAIL
                          ? "is not headless: only a client can report that a call has failed"
                          : "does not wait for approval";
    haft_status status =
        haft__fail(err, HAFT_BAD_STATE, "", "the call %.*s %s", HAFT__ARG(call->id), why);
    return haft__command_hint_pending(run, status, err);
}

/* Adds a member to the body of the event that was written last. */
static void add_member(haft__buf *buf, const char *key, haft_str text)
{
    if (buf->status == HAFT_OK && text.len > 0) {
        buf->len--; /* removes the closing brace */
        haft__buf_addf(buf, ",\"%s\":", key);
        haft__json_write_string(buf, text);
        haft__buf_add_char(buf, '}');
    }
}

/* Adds the other members of an approval: `always` and `why`. */
static haft_status add_approval_members(const haft__run *run, const haft__run_call *call,
                                        const haft__run_command *command, haft__buf *buf,
                                        haft_error *err)
{
    char tool[HAFT__SHA256_HEX];
    if (command->always) {
        haft_status status = haft__binding_make_tool(run->spec, call->tool, tool, err);
        if (status != HAFT_OK) {
            return status;
        }
        add_member(buf, "always", (haft_str){tool, sizeof(tool)});
    }
    add_member(buf, "why", command->why);
    return HAFT_OK;
}

/* Answers the pause of the call. */
static haft_status apply_answer(const haft__run *run, const haft__run_call *call,
                                const haft__run_command *command, haft__buf *buf, haft_error *err)
{
    const haft__pause_kind *kind = haft__pause_kind_of(call->pause);
    const char *verdict = haft__pause_verdict(call->pause, command);
    bool approves = kind->binds && command->kind == HAFT__RUN_COMMAND_APPROVE;
    haft__json value = haft__command_value(command);
    haft_status status = HAFT_OK;
    bool form = call->elicitation.kind == HAFT__JSON_OBJECT
                && command->kind != HAFT__RUN_COMMAND_AGAIN
                && command->kind != HAFT__RUN_COMMAND_FAIL;
    if (form) {
        return apply_elicitation_answer(run, call, command, buf, err);
    }
    if (verdict == NULL) {
        return refuse_wrong_kind(run, call, command, err);
    }
    if (kind->check != NULL) {
        status = kind->check(run, call, command, err);
    }
    if (status == HAFT_OK && kind->read_answer != NULL
        && command->kind == HAFT__RUN_COMMAND_ANSWER) {
        status = kind->read_answer(call, value, &value, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__input_approved(buf, call->id, command->by, haft__str(verdict), value,
                         approves ? call->binding : HAFT__LIT(""));
    if (approves) {
        status = add_approval_members(run, call, command, buf, err);
    }
    return status == HAFT_OK ? haft__buf_check(buf, err) : status;
}

/* Applies the end of a child. A child reports its end once; a second report has no effect. A report
 * of a run that is not a child is rejected. */
static haft_status apply_child(const haft__run *run, const haft__run_command *command,
                               haft__buf *buf, haft_error *err)
{
    const haft__child *child = haft__child_find(run, command->call);
    haft_str id = haft__object_text(command->value, "child");
    haft_str end = haft__object_text(command->value, "end");
    if (run->stage == HAFT__RUN_ENDED) {
        return haft__command_refuse_ended(run, err);
    }
    if (child == NULL || child->finished || end.len == 0 || !haft__str_equal(child->run, id)) {
        return haft__fail(err, HAFT_BAD_STATE, "", "the run does not wait for the child %.*s",
                          HAFT__ARG(id));
    }
    haft__input_child_finished(buf, command->call, command->value);
    return haft__buf_check(buf, err);
}

/* Records that a budget of the parent is used up. A second report, or a report to a run that is
 * about to end, has no effect. */
static haft_status apply_limit(const haft__run *run, haft__buf *buf, haft_error *err)
{
    if (run->stage == HAFT__RUN_ENDED) {
        return haft__command_refuse_ended(run, err);
    }
    if (run->parent.len == 0) {
        return haft__fail(err, HAFT_BAD_STATE, "", "the run is not a child run");
    }
    if (haft__child_find_close(run) == HAFT__CHILD_CLOSE_NONE) {
        haft__input_parent_limit_reached(buf, run);
    }
    return haft__buf_check(buf, err);
}

static haft_status apply_command(const haft__run *run, const haft__run_command *command,
                                 haft__buf *buf, haft_error *err)
{
    if (command->kind == HAFT__RUN_COMMAND_CANCEL) {
        return apply_cancel(run, command, buf, err);
    }
    if (command->kind == HAFT__RUN_COMMAND_CHILD) {
        return apply_child(run, command, buf, err);
    }
    if (command->kind == HAFT__RUN_COMMAND_LIMIT) {
        return apply_limit(run, buf, err);
    }
    const haft__run_call *call = NULL;
    haft_error own = {0};
    haft_status status = haft__command_find_call(run, command->call, &call, &own);
    if (status == HAFT_BAD_STATE && command->call.len == 0) {
        status = refuse_unnamed(run, command, &own);
    }
    if (status != HAFT_OK && err != NULL) {
        *err = own;
    }
    if (status != HAFT_OK || call == NULL) {
        return status;
    }
    if (!haft__command_is_pending(run, call)) {
        return refuse_not_pending(run, call, command, err);
    }
    bool old = false;
    status = haft__command_repeats_approval(run, call, command, &old, err);
    if (status != HAFT_OK || old) {
        return status;
    }
    return is_stale(call, command) ? refuse_stale(run, call, command, err)
                                   : apply_answer(run, call, command, buf, err);
}

haft_status haft__run_command_apply(const haft__run *run, const haft__run_command *command,
                                    haft__buf *buf, haft_error *err)
{
    size_t before = buf->len;
    haft_status status = apply_command(run, command, buf, err);
    bool answers = haft__run_command_is_for_call(command) && buf->len > before;
    if (status == HAFT_OK && answers && command->message.len > 0) {
        add_member(buf, "message", command->message);
        status = haft__buf_check(buf, err);
    }
    return status;
}
