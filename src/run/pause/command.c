/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - commands as text, and their events. Tests: tests/run/pause/command_test.c. */
#include "run/pause/command.h"

#include "base/error.h"
#include "base/id.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "run/arguments.h"
#include "run/decide/decide.h"
#include "run/event_body.h"
#include "run/host.h"
#include "run/pause/binding.h"
#include "run/pause/elicitation.h"
#include "run/pause/question.h"
#include "run/pause/unknown_outcome.h"
#include "json/object.h"
#include "json/read.h"

static const char *const kinds[] = {
    [HAFT__RUN_COMMAND_ANSWER] = "answer", [HAFT__RUN_COMMAND_APPROVE] = "approve",
    [HAFT__RUN_COMMAND_AGAIN] = "again",   [HAFT__RUN_COMMAND_REJECT] = "reject",
    [HAFT__RUN_COMMAND_FAIL] = "fail",     [HAFT__RUN_COMMAND_CANCEL] = "cancel",
    [HAFT__RUN_COMMAND_CHILD] = "child",   [HAFT__RUN_COMMAND_LIMIT] = "limit",
};

bool haft__run_command_is_for_call(const haft__run_command *command)
{
    return command->kind != HAFT__RUN_COMMAND_CANCEL && command->kind != HAFT__RUN_COMMAND_CHILD
           && command->kind != HAFT__RUN_COMMAND_LIMIT;
}

/* ---- text ---- */

static void write_text(haft__buf *buf, const haft__run_command *command)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "command", haft__str(kinds[command->kind]));
    haft__field_text(&w, "call", command->call);
    haft__json_key(&w, "value");
    haft__json_add(&w, command->value);
    haft__field_text(&w, "by", command->by);
    haft__field_text(&w, "why", command->why);
    haft__field_text(&w, "pause", command->pause);
    haft__field_text(&w, "binding", command->binding);
    if (command->always) {
        haft__field_flag(&w, "always", true);
    }
    if (command->message.len > 0) {
        haft__field_text(&w, "message", command->message);
    }
    haft__json_end_object(&w);
}

/* Secrets are redacted because a store keeps the command until the owner of the run reads it. */
void haft__run_command_write(haft__buf *buf, const haft__run_command *command)
{
    haft__buf text;
    if (command->redactor == NULL) {
        write_text(buf, command);
        return;
    }
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    write_text(&text, command);
    if (text.status == HAFT_OK) {
        (void)haft__redact(command->redactor, haft__buf_str(&text), buf);
    } else {
        haft__buf_fail(buf, text.status, "the command cannot be written");
    }
    haft__buf_finish(&text);
}

haft_status haft__run_command_read(haft__arena *arena, haft_str text, haft__hash_key hash_key,
                                   haft__run_command *ret_command, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = hash_key;
    options.reject_duplicates = true;
    haft__json object;
    haft_status status = haft__json_read(arena, text, &options, &object, NULL, err);
    if (status != HAFT_OK) {
        return status;
    }
    const haft__json *value = haft__json_get(object, HAFT__LIT("value"));
    haft_str name = haft__object_string(object, "command");
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (haft__str_equal(name, haft__str(kinds[i]))) {
            *ret_command = (haft__run_command){.kind = (haft__run_command_kind)i,
                                               .call = haft__object_string(object, "call"),
                                               .value = value != NULL ? *value : haft__json_null(),
                                               .by = haft__object_string(object, "by"),
                                               .why = haft__object_string(object, "why"),
                                               .pause = haft__object_string(object, "pause"),
                                               .binding = haft__object_string(object, "binding"),
                                               .always = haft__object_flag(object, "always", false),
                                               .message = haft__object_string(object, "message")};
            if (!haft__id_valid(ret_command->message)) { /* the id is written into an event */
                ret_command->message = HAFT__LIT("");
            }
            return HAFT_OK;
        }
    }
    return haft__fail(err, HAFT_BAD_INPUT, "/command",
                      "expected answer, approve, again, reject, fail or cancel, found \"%.*s\"",
                      HAFT__ARG(name));
}

haft_status haft__run_command_read_value(haft__arena *arena, haft_str text, haft__hash_key hash_key,
                                         haft__json *ret_value, bool *ret_json, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    haft__json_notes notes = {0};
    options.hash_key = hash_key;
    haft_status status = haft__json_read(arena, text, &options, ret_value, &notes, err);
    *ret_json = status != HAFT_BAD_INPUT;
    if (status == HAFT_OK && notes.duplicate_keys > 0) {
        options.reject_duplicates = true;
        status = haft__json_read(arena, text, &options, ret_value, NULL, err);
    }
    return status == HAFT_BAD_INPUT && *ret_json
               ? haft__hint(err, status, "the command was not recorded; give each key once")
               : status;
}

/* ---- the target ---- */

static bool is_pending(const haft__run *run, const haft__run_call *call)
{
    return haft__run_takes_answers(run) && call->stage == HAFT__CALL_PAUSED;
}

/* Adds a hint that names the pending calls. */
static haft_status hint_pending(const haft__run *run, haft_status status, haft_error *err)
{
    char text[160] = "";
    size_t length = 0;
    for (size_t i = run->batch; i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        if (is_pending(run, call) && length < sizeof(text)) {
            int added = snprintf(text + length, sizeof(text) - length, "%s%.*s (%s of %.*s)",
                                 length > 0 ? ", " : "", HAFT__ARG(call->id),
                                 haft__pause_name(call->pause), HAFT__ARG(call->name));
            length += added > 0 ? (size_t)added : 0;
        }
    }
    return haft__hint(err, status, length > 0 ? "pending: %s" : "nothing is pending%s", text);
}

static haft_status refuse_ended(const haft__run *run, haft_error *err)
{
    return haft__fail(err, HAFT_BAD_STATE, "", "the run has ended: %s", haft__end_name(run->end));
}

static haft_status find_only(const haft__run *run, const haft__run_call **ret_call, haft_error *err)
{
    size_t count = 0;
    for (size_t i = run->batch; i < run->call_count; i++) {
        if (is_pending(run, &run->calls[i])) {
            *ret_call = &run->calls[i];
            count++;
        }
    }
    if (count == 1) {
        return HAFT_OK;
    }
    if (run->stage == HAFT__RUN_ENDED) {
        return refuse_ended(run, err);
    }
    haft_status status = haft__fail(err, count == 0 ? HAFT_BAD_STATE : HAFT_BAD_INPUT, "",
                                    count == 0 ? "the run has no pending call"
                                               : "the run has several pending calls: name one");
    return hint_pending(run, status, err);
}

static haft_status find_call(const haft__run *run, haft_str id, const haft__run_call **ret_call,
                             haft_error *err)
{
    if (id.len == 0) {
        return find_only(run, ret_call, err);
    }
    const haft__run_call *call = haft__run_find_call(run, id);
    if (call == NULL) {
        haft_status status =
            haft__fail(err, HAFT_NOT_FOUND, "", "the run has no call \"%.*s\"", HAFT__ARG(id));
        return hint_pending(run, status, err);
    }
    *ret_call = call;
    return HAFT_OK;
}

/* A command applies only to the pause that was open when it was issued. The call may reach another
 * pause before the command arrives, for example because the run is resumed after a crash or its
 * spec has changed. */
void haft__run_command_set_target(const haft__run *run, haft__run_command *command)
{
    const haft__run_call *call = NULL;
    if (!haft__run_command_is_for_call(command)) {
        return;
    }
    haft_status status = find_call(run, command->call, &call, NULL);
    command->pause = HAFT__LIT(HAFT__RUN_COMMAND_NO_PAUSE);
    if (status != HAFT_OK || call == NULL || !is_pending(run, call)) {
        return;
    }
    command->call = call->id;
    command->pause = haft__str(haft__pause_name(call->pause));
    if (command->kind == HAFT__RUN_COMMAND_APPROVE && command->binding.len == 0) {
        command->binding = call->binding;
    }
}

/* ---- repetitions ---- */

static haft__json value_of(const haft__run_command *command)
{
    bool text =
        command->kind == HAFT__RUN_COMMAND_REJECT || command->kind == HAFT__RUN_COMMAND_FAIL;
    return text ? haft__json_string(command->why) : command->value;
}

/* Redacts the value as an event would; *ret_redacted says whether it had a secret. */
static haft_status redact_value(const haft__redactor *redactor, haft__json value,
                                haft__hash_key hash_key, haft__arena *arena, haft__json *ret_clean,
                                bool *ret_redacted, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    haft__buf text, clean;
    *ret_clean = value;
    *ret_redacted = false;
    if (redactor == NULL) {
        return HAFT_OK;
    }
    options.hash_key = hash_key;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&clean, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&text, value);
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        *ret_redacted = haft__redact(redactor, haft__buf_str(&text), &clean);
        status = haft__buf_check(&clean, err);
    }
    if (status == HAFT_OK && *ret_redacted) {
        haft_str kept = haft__arena_copy(arena, haft__buf_str(&clean));
        status = kept.ptr != NULL ? haft__json_read(arena, kept, &options, ret_clean, NULL, err)
                                  : haft__arena_fail(arena, err);
    }
    haft__buf_finish(&text);
    haft__buf_finish(&clean);
    return status;
}

/* Whether the answer was given before; a repetition changes nothing. The process that recorded it
 * may or may not have known the secrets in it. */
static haft_status answer_matches(const haft__run *run, const haft__pause_answer *recorded,
                                  const haft__run_command *command, const char *verdict,
                                  haft__json value, bool *ret_same, haft_error *err)
{
    haft__arena arena;
    haft__json clean;
    bool redacted = false;
    if (!haft__str_equal(recorded->verdict, haft__str(verdict))) {
        *ret_same = false;
        return HAFT_OK;
    }
    haft__arena_init(&arena, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__json_equal(recorded->value, value, ret_same, err);
    if (status == HAFT_OK && !*ret_same) {
        status =
            redact_value(command->redactor, value, run->hash_key, &arena, &clean, &redacted, err);
    }
    if (status == HAFT_OK && redacted) {
        status = haft__json_equal(recorded->value, clean, ret_same, err);
    }
    haft__arena_finish(&arena);
    return status;
}

/* Whether the answer equals the last one that the tool received. The question is kept for this
 * comparison. */
static haft_status elicitation_answer_matches(const haft__run *run,
                                              const haft__pause_answer *recorded,
                                              const haft__run_command *command, bool *ret_same,
                                              haft_error *err)
{
    haft__arena arena;
    haft__json value;
    haft_error misfit = {0};
    if (command->kind == HAFT__RUN_COMMAND_REJECT) {
        return answer_matches(run, recorded, command, "reject", value_of(command), ret_same, err);
    }
    haft__arena_init(&arena, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__elicitation_answer(recorded->elicitation, command->value, &arena,
                                                  run->hash_key, &value, &misfit);
    if (status == HAFT_OK) {
        status = answer_matches(run, recorded, command, "answer", value, ret_same, err);
    } else if (status == HAFT_BAD_INPUT) { /* it cannot have been accepted */
        status = HAFT_OK;
    } else if (err != NULL) {
        *err = misfit;
    }
    haft__arena_finish(&arena);
    return status;
}

/* Whether the command equals the last answer to that kind of pause. */
static haft_status matches_answer_to(const haft__run *run, const haft__run_call *call,
                                     haft__pause pause, const haft__run_command *command,
                                     bool *ret_same, haft_error *err)
{
    const haft__pause_answer *recorded = &call->answers[pause];
    const haft__pause_kind *kind = haft__pause_kind_of(pause);
    const char *verdict = haft__pause_verdict(pause, command);
    haft__json value = value_of(command);
    *ret_same = false;
    if (recorded->verdict.len == 0 || command->kind == HAFT__RUN_COMMAND_CANCEL) {
        return HAFT_OK;
    }
    if (recorded->elicitation.kind == HAFT__JSON_OBJECT
        && command->kind != HAFT__RUN_COMMAND_AGAIN) {
        return elicitation_answer_matches(run, recorded, command, ret_same, err);
    }
    bool reads = kind->read_answer != NULL && command->kind == HAFT__RUN_COMMAND_ANSWER;
    if (verdict == NULL || (reads && kind->read_answer(call, value, &value, NULL) != HAFT_OK)) {
        return HAFT_OK;
    }
    return answer_matches(run, recorded, command, verdict, value, ret_same, err);
}

/* Whether the command may repeat the answer to that kind of pause. If the sender saw no pause that
 * accepts the command, it may repeat any. */
static bool may_repeat_answer(const haft__run_command *command, haft__pause pause)
{
    haft__pause seen;
    bool named = haft__pause_find(command->pause, &seen);
    return !named || seen == pause || haft__pause_verdict(seen, command) == NULL;
}

/* Whether the command repeats an earlier one. */
static haft_status is_repeated(const haft__run *run, const haft__run_call *call,
                               const haft__run_command *command, bool *ret_same, haft_error *err)
{
    haft_status status = HAFT_OK;
    *ret_same = false;
    for (int i = 0; i < HAFT__PAUSE_KINDS && status == HAFT_OK && !*ret_same; i++) {
        if (may_repeat_answer(command, (haft__pause)i)) {
            status = matches_answer_to(run, call, (haft__pause)i, command, ret_same, err);
        }
    }
    return status;
}

/* Whether the command repeats an earlier approval. Such a command is about the call as it was
 * approved, and not about a later pause: a question of its tool, or an unknown outcome. */
static haft_status repeats_old_approval(const haft__run *run, const haft__run_call *call,
                                        const haft__run_command *command, bool *ret_same,
                                        haft_error *err)
{
    bool after =
        command->kind == HAFT__RUN_COMMAND_APPROVE && !haft__pause_kind_of(call->pause)->binds;
    haft_status status = HAFT_OK;
    *ret_same = false;
    for (int i = 0; after && i < HAFT__PAUSE_KINDS && status == HAFT_OK && !*ret_same; i++) {
        if (haft__pause_verdict((haft__pause)i, command) != NULL) {
            status = matches_answer_to(run, call, (haft__pause)i, command, ret_same, err);
        }
    }
    return status;
}

haft_status haft__run_command_is_duplicate(const haft__run *run, const haft__run_command *command,
                                           bool *ret_duplicate, haft_error *err)
{
    const haft__run_call *call = haft__run_find_call(run, command->call);
    *ret_duplicate = false;
    for (int i = 0; i < HAFT__PAUSE_KINDS && call != NULL && command->message.len > 0; i++) {
        *ret_duplicate =
            *ret_duplicate || haft__str_equal(call->answers[i].message, command->message);
    }
    return call != NULL && !*ret_duplicate ? is_repeated(run, call, command, ret_duplicate, err)
                                           : HAFT_OK;
}

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
    return hint_pending(run, status, err);
}

static haft_status refuse_not_pending(const haft__run *run, const haft__run_call *call,
                                      const haft__run_command *command, haft_error *err)
{
    bool same = false;
    haft_status status = is_repeated(run, call, command, &same, err);
    if (status != HAFT_OK || same) {
        return status;
    }
    if (call->overdue && call->verdict.len > 0) {
        return refuse_overdue(run, call, err);
    }
    if (run->stage == HAFT__RUN_ENDED && call->verdict.len == 0) {
        return refuse_ended(run, err);
    }
    if (call->stage == HAFT__CALL_PAUSED) {
        return haft__fail(err, HAFT_BAD_STATE, "",
                          "too late: the run ends as soon as its child runs have ended");
    }
    if (call->withdrawn) {
        status = haft__fail(err, HAFT_BAD_STATE, "",
                            "too late: the server has withdrawn the question of the call %.*s",
                            HAFT__ARG(call->id));
        return hint_pending(run, status, err);
    }
    status = haft__fail(err, HAFT_BAD_STATE, "",
                        call->verdict.len > 0 ? "the call %.*s already has a different answer: %.*s"
                                              : "the call %.*s is not pending%.*s",
                        HAFT__ARG(call->id), HAFT__ARG(call->verdict));
    return hint_pending(run, status, err);
}

/* The command is for a pause that is no longer open. */
static haft_status refuse_stale(const haft__run *run, const haft__run_call *call,
                                const haft__run_command *command, haft_error *err)
{
    if (haft__str_equal(command->pause, haft__str(haft__pause_name(call->pause)))) {
        haft_status status = haft__fail(err, HAFT_BAD_STATE, "",
                                        "the approval is not for the call %.*s as it is now: its "
                                        "tool, its arguments or the rules have changed",
                                        HAFT__ARG(call->id));
        return haft__hint(err, status, "inspect the pending call and decide again");
    }
    bool same = false;
    haft_status status = is_repeated(run, call, command, &same, err);
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
               : hint_pending(run, status, err);
}

static haft_status apply_cancel(const haft__run *run, const haft__run_command *command,
                                haft__buf *buf, haft_error *err)
{
    if (run->stage == HAFT__RUN_ENDED && run->end != HAFT__END_CANCELLED) {
        return refuse_ended(run, err);
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
    haft_status status = redact_value(command->redactor, command->value, run->hash_key, &arena,
                                      &clean, &redacted, err);
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

/* No call is pending. The command may repeat the last answer. */
static haft_status refuse_unnamed(const haft__run *run, const haft__run_command *command,
                                  haft_error *err)
{
    const haft__run_call *last = NULL;
    haft_error refused = *err;
    bool same = false;
    for (size_t i = 0; i < run->call_count; i++) {
        last = run->calls[i].verdict.len > 0 ? &run->calls[i] : last;
    }
    haft_status status = last != NULL ? is_repeated(run, last, command, &same, err) : HAFT_OK;
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
                          ? "is not headless: only a call that a client runs can fail there"
                          : "does not wait for approval";
    haft_status status =
        haft__fail(err, HAFT_BAD_STATE, "", "the call %.*s %s", HAFT__ARG(call->id), why);
    return hint_pending(run, status, err);
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

/* Adds what an approval has besides its binding. */
static haft_status add_standing(const haft__run *run, const haft__run_call *call,
                                const haft__run_command *command, haft__buf *buf, haft_error *err)
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
    haft__json value = value_of(command);
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
        status = add_standing(run, call, command, buf, err);
    }
    return status == HAFT_OK ? haft__buf_check(buf, err) : status;
}

/* A child reports its end once. Another report, or one of a run that is no child, has no effect. */
static haft_status apply_child(const haft__run *run, const haft__run_command *command,
                               haft__buf *buf, haft_error *err)
{
    const haft__child *child = haft__child_find(run, command->call);
    haft_str id = haft__object_text(command->value, "child");
    haft_str end = haft__object_text(command->value, "end");
    if (run->stage == HAFT__RUN_ENDED) {
        return refuse_ended(run, err);
    }
    if (child == NULL || child->finished || end.len == 0 || !haft__str_equal(child->run, id)) {
        return haft__fail(err, HAFT_BAD_STATE, "", "the run does not wait for the child %.*s",
                          HAFT__ARG(id));
    }
    haft__input_child_finished(buf, command->call, command->value);
    return haft__buf_check(buf, err);
}

/* A second report, or one to a run that is about to end, has no effect. */
static haft_status apply_limit(const haft__run *run, haft__buf *buf, haft_error *err)
{
    if (run->stage == HAFT__RUN_ENDED) {
        return refuse_ended(run, err);
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
    haft_status status = find_call(run, command->call, &call, &own);
    if (status == HAFT_BAD_STATE && command->call.len == 0) {
        status = refuse_unnamed(run, command, &own);
    }
    if (status != HAFT_OK && err != NULL) {
        *err = own;
    }
    if (status != HAFT_OK || call == NULL) {
        return status;
    }
    if (!is_pending(run, call)) {
        return refuse_not_pending(run, call, command, err);
    }
    bool old = false;
    status = repeats_old_approval(run, call, command, &old, err);
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
