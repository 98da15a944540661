/* SPDX-License-Identifier: Apache-2.0 */
/* steer.c - commands as text, and what they come to. Tests: tests/run/steer_test.c. */
#include "run/steer.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "run/asked.h"
#include "run/decide_int.h"
#include "json/canonical.h"
#include "json/read.h"

static const char *const kinds[] = {
    [HAFT__STEER_ANSWER] = "answer",
    [HAFT__STEER_APPROVE] = "approve",
    [HAFT__STEER_REJECT] = "reject",
    [HAFT__STEER_CANCEL] = "cancel",
};

/* ---- text ---- */

void haft__steer_write(haft__buf *buf, const haft__steer *command)
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
    haft__json_end_object(&w);
}

static haft_str member(haft__json object, const char *key)
{
    const haft__json *value = haft__json_get(object, haft__str(key));
    bool text = value != NULL && value->kind == HAFT__JSON_STRING;
    return text ? haft__json_text(*value) : HAFT__LIT("");
}

haft_status haft__steer_read(haft__arena *arena, haft_str text, haft__hash_key hash_key,
                             haft__steer *ret_command, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = hash_key;
    haft__json object;
    haft_status status = haft__json_read(arena, text, &options, &object, NULL, err);
    if (status != HAFT_OK) {
        return status;
    }
    const haft__json *value = haft__json_get(object, HAFT__LIT("value"));
    haft_str name = member(object, "command");
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (haft__str_equal(name, haft__str(kinds[i]))) {
            *ret_command = (haft__steer){.kind = (haft__steer_kind)i,
                                         .call = member(object, "call"),
                                         .value = value != NULL ? *value : haft__json_null(),
                                         .by = member(object, "by"),
                                         .why = member(object, "why")};
            return HAFT_OK;
        }
    }
    return haft__fail(err, HAFT_BAD_INPUT, "/command",
                      "expected answer, approve, reject or cancel, found \"%.*s\"",
                      HAFT__ARG(name));
}

/* ---- the call that is meant ---- */

static bool is_pending(const haft__run *run, const haft__run_call *call)
{
    return run->stage != HAFT__RUN_ENDED && call->stage == HAFT__CALL_PAUSED;
}

/* Adds a hint that names what waits. */
static haft_status list_pending(const haft__run *run, haft_status status, haft_error *err)
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
    haft_status status = haft__fail(err, count == 0 ? HAFT_BAD_STATE : HAFT_BAD_INPUT, "",
                                    count == 0 ? "the run waits for nobody"
                                               : "the run waits for several calls: name one");
    return list_pending(run, status, err);
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
        return list_pending(run, status, err);
    }
    *ret_call = call;
    return HAFT_OK;
}

/* ---- what it comes to ---- */

/* The verdict that a command is on that kind of pause; NULL when it fits none. */
static const char *verdict_of(const haft__steer *command, haft__pause pause)
{
    switch (command->kind) {
    case HAFT__STEER_ANSWER: return pause == HAFT__PAUSE_APPROVAL ? "respond" : "answer";
    case HAFT__STEER_REJECT: return "reject";
    case HAFT__STEER_APPROVE:
        if (pause == HAFT__PAUSE_UNKNOWN_OUTCOME) {
            return "retry";
        }
        if (pause != HAFT__PAUSE_APPROVAL) {
            return NULL;
        }
        return command->value.kind == HAFT__JSON_NULL ? "approve" : "edit";
    case HAFT__STEER_CANCEL: return NULL;
    }
    HAFT__UNREACHABLE();
}

static haft__json value_of(const haft__steer *command)
{
    return command->kind == HAFT__STEER_REJECT ? haft__json_string(command->why) : command->value;
}

/* Whether the same was said before: then saying it again changes nothing. */
static haft_status was_said(const haft__run_call *call, const char *verdict, haft__json value,
                            bool *ret_same, haft_error *err)
{
    haft__buf before, now;
    haft__buf_init(&before, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&now, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__json_write_canonical(&before, call->value, err);
    if (status == HAFT_OK) {
        status = haft__json_write_canonical(&now, value, err);
    }
    *ret_same = haft__str_equal(call->verdict, haft__str(verdict))
                && haft__str_equal(haft__buf_str(&before), haft__buf_str(&now));
    haft__buf_finish(&before);
    haft__buf_finish(&now);
    return status;
}

static haft_status refuse_late(const haft__run *run, const haft__run_call *call,
                               const haft__steer *command, haft_error *err)
{
    const char *verdict = call->verdict.len > 0 ? verdict_of(command, call->pause) : NULL;
    bool same = false;
    haft_status status = HAFT_OK;
    haft__json value = value_of(command);
    haft__arena arena;
    haft__arena_init(&arena, HAFT__LIMIT_RUN_BYTES);
    if (verdict != NULL && call->asks.kind == HAFT__JSON_OBJECT
        && command->kind == HAFT__STEER_ANSWER) {
        status = haft__asked_answer(call, value, &arena, run->hash_key, &value, err);
    }
    if (status == HAFT_OK && verdict != NULL) {
        status = was_said(call, verdict, value, &same, err);
    }
    haft__arena_finish(&arena);
    if (status != HAFT_OK || same) {
        return status;
    }
    status = haft__fail(err, HAFT_BAD_STATE, "",
                        call->verdict.len > 0 ? "the call %.*s has been answered otherwise: %.*s"
                                              : "the call %.*s waits for nobody%.*s",
                        HAFT__ARG(call->id), HAFT__ARG(call->verdict));
    return list_pending(run, status, err);
}

static haft_status apply_cancel(const haft__run *run, const haft__steer *command, haft__buf *buf,
                                haft_error *err)
{
    if (run->stage == HAFT__RUN_ENDED && run->end != HAFT__END_CANCELLED) {
        return haft__fail(err, HAFT_BAD_STATE, "", "the run has ended: %s",
                          haft__end_name(run->end));
    }
    if (run->stage != HAFT__RUN_ENDED && !run->cancel_asked) {
        haft__input_cancel_asked(buf, command->by, command->why);
    }
    return haft__buf_check(buf, err);
}

/* The tool itself asks: it is told what was said in the form it knows. To approve is to agree with
 * what it would take by default. */
static haft_status answer_tool(const haft__run *run, const haft__run_call *call,
                               const haft__steer *command, haft__buf *buf, haft_error *err)
{
    haft__arena arena;
    haft__json answer = haft__json_string(command->why);
    haft_str verdict = HAFT__LIT("reject");
    haft_status status = HAFT_OK;
    haft__arena_init(&arena, HAFT__LIMIT_RUN_BYTES);
    if (command->kind != HAFT__STEER_REJECT) {
        verdict = HAFT__LIT("answer");
        status = haft__asked_answer(call, command->value, &arena, run->hash_key, &answer, err);
    }
    if (status == HAFT_OK) {
        haft__input_answered(buf, call->id, command->by, verdict, answer);
        status = haft__buf_check(buf, err);
    }
    haft__arena_finish(&arena);
    return status;
}

haft_status haft__steer_apply(const haft__run *run, const haft__steer *command, haft__buf *buf,
                              haft_error *err)
{
    if (command->kind == HAFT__STEER_CANCEL) {
        return apply_cancel(run, command, buf, err);
    }
    const haft__run_call *call = NULL;
    haft_status status = find_call(run, command->call, &call, err);
    if (status != HAFT_OK) {
        return status;
    }
    if (!is_pending(run, call)) {
        return refuse_late(run, call, command, err);
    }
    if (call->asks.kind == HAFT__JSON_OBJECT) {
        return answer_tool(run, call, command, buf, err);
    }
    const char *verdict = verdict_of(command, call->pause);
    if (verdict == NULL) {
        status = haft__fail(err, HAFT_BAD_STATE, "", "the call %.*s does not wait for approval",
                            HAFT__ARG(call->id));
        return list_pending(run, status, err);
    }
    haft__input_answered(buf, call->id, command->by, haft__str(verdict), value_of(command));
    return haft__buf_check(buf, err);
}
