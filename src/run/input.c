/* SPDX-License-Identifier: Apache-2.0 */
/* input.c - bodies of the events that the host brings in. Tests: tests/run/input_test.c. */
#include "base/str.h"
#include "base/utf8.h"
#include "run/decide_int.h"

void haft__input_run_started(haft__buf *buf, const haft__spec *spec, haft_str task, haft_str thread,
                             haft_str parent, haft_str user)
{
    haft__json_writer w;
    haft__body_begin(&w, buf, HAFT__EVENT_RUN_STARTED);
    haft__field_number(&w, "version", HAFT__EVENT_VERSION);
    haft__field_text(&w, "spec", spec->hash);
    haft__field_text(&w, "name", spec->name);
    haft__field_text(&w, "task", task);
    haft__field_text(&w, "thread", thread);
    haft__field_text_or_null(&w, "parent", parent);
    haft__field_text_or_null(&w, "user", user);
    haft__body_end(&w, buf);
}

/* Whether it looks like one of ours: c3.1. */
static bool is_ours(haft_str id)
{
    if (!haft__str_starts(id, HAFT__LIT("c"))) {
        return false;
    }
    uint64_t number;
    id = haft__str_skip(id, 1);
    haft_str turn = haft__str_split(&id, '.');
    return haft__str_to_u64(turn, &number) && haft__str_to_u64(id, &number);
}

/* The model's own id, unless it has none, another call of the reply has it too, or it could be
 * taken for the one we give to another call. */
static bool keeps_id(const haft__reply *reply, size_t index)
{
    haft_str id = reply->calls[index].id;
    if (is_ours(id)) {
        return false;
    }
    for (size_t i = 0; i < index; i++) {
        if (haft__str_equal(reply->calls[i].id, id)) {
            return false;
        }
    }
    return id.len > 0;
}

static void write_calls(haft__json_writer *w, const haft__run *run, const haft__reply *reply)
{
    haft__json_key(w, "calls");
    haft__json_begin_array(w);
    for (size_t i = 0; i < reply->call_count; i++) {
        char text[HAFT__CALL_ID_SIZE];
        haft_str id = haft__run_call_id(text, run->turn, (uint64_t)run->numbered + i + 1);
        haft__json_begin_object(w);
        haft__field_text(w, "call", id);
        haft__field_text(w, "model_call", keeps_id(reply, i) ? reply->calls[i].id : id);
        haft__field_text(w, "name", reply->calls[i].name);
        haft__field_text(w, "arguments", reply->calls[i].arguments);
        if (reply->calls[i].repaired) {
            haft__field_flag(w, "repaired", true);
        }
        if (reply->calls[i].malformed.len > 0) {
            haft__field_text(w, "malformed", reply->calls[i].malformed);
        }
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}

void haft__input_model_replied(haft__buf *buf, const haft__run *run, const haft__reply *reply,
                               uint64_t ms)
{
    haft__json_writer w;
    haft__body_begin(&w, buf, HAFT__EVENT_MODEL_REPLIED);
    haft__field_text(&w, "content", reply->content);
    haft__field_text(&w, "reasoning", reply->reasoning);
    write_calls(&w, run, reply);
    haft__json_key(&w, "usage");
    haft__json_begin_object(&w);
    haft__field_number(&w, "input_tokens", reply->usage.input);
    haft__field_number(&w, "output_tokens", reply->usage.output);
    haft__field_number(&w, "cached_tokens", reply->usage.cached);
    haft__json_end_object(&w);
    haft__field_text(&w, "stop", haft__str(haft__stop_name(reply->stop)));
    haft__field_text(&w, "model", reply->model);
    haft__field_number(&w, "ms", ms);
    haft__body_end(&w, buf);
}

void haft__input_model_failed(haft__buf *buf, const haft__model_failure *failure, uint64_t ms)
{
    haft__json_writer w;
    haft__body_begin(&w, buf, HAFT__EVENT_MODEL_FAILED);
    haft__field_number(&w, "status", failure->status);
    haft__field_text(&w, "message", failure->message);
    haft__field_number(&w, "ms", ms);
    haft__body_end(&w, buf);
}

/* Told by status and kind, never by words, of which every server has its own: asked once more than
 * is needed does no harm. Some servers answer 500 to a grammar they cannot read. */
bool haft__constraint_may_be_refused(const haft__request *request,
                                     const haft__model_failure *failure)
{
    bool broke = failure->kind == HAFT__FAILURE_TRANSIENT
                 && (failure->status == 500 || failure->status == 501);
    return request->constraint.kind != HAFT__CONSTRAINT_NONE && failure->status != 0
           && (failure->kind == HAFT__FAILURE_OTHER || broke);
}

void haft__input_constraint_refused(haft__buf *buf, const haft__model_failure *failure, uint64_t ms)
{
    haft__json_writer w;
    haft__body_begin(&w, buf, HAFT__EVENT_CONSTRAINT_REFUSED);
    haft__field_number(&w, "status", failure->status);
    haft__field_text(&w, "message", failure->message);
    haft__field_number(&w, "ms", ms);
    haft__body_end(&w, buf);
}

bool haft__result_is_cut(const haft__run *run, haft_str result)
{
    uint32_t chars = run->spec->limits.observation_chars;
    return result.len > chars && haft__utf8_offset(result, chars) < result.len;
}

void haft__input_call_finished(haft__buf *buf, const haft__run *run, const haft__run_call *call,
                               const haft__outcome *outcome)
{
    bool truncated = outcome->ok && haft__result_is_cut(run, outcome->text);
    haft__json_writer w;
    haft__body_begin(&w, buf, HAFT__EVENT_CALL_FINISHED);
    haft__field_text(&w, "call", call->id);
    haft__field_text(&w, "tool", call->name);
    haft__field_flag(&w, "ok", outcome->ok);
    if (outcome->ok) {
        haft__field_text(&w, "result", outcome->text);
        haft__field_null(&w, "error");
    } else {
        haft__field_null(&w, "result");
        haft__json_key(&w, "error");
        haft__json_begin_object(&w);
        haft__field_text(&w, "where", outcome->where);
        haft__field_text(&w, "message", outcome->text);
        haft__field_text(&w, "hint", outcome->hint);
        haft__json_end_object(&w);
    }
    haft__field_flag(&w, "truncated", truncated);
    haft__field_flag(&w, "cached", outcome->cached);
    haft__field_number(&w, "ms", outcome->ms);
    haft__field_null(&w, "arguments"); /* call_started has them, */
    haft__field_null(&w, "note");      /* and this too */
    haft__body_end(&w, buf);
}

void haft__input_call_asked(haft__buf *buf, haft_str call, const haft__asked *asked)
{
    haft__json_writer w;
    haft__body_begin(&w, buf, HAFT__EVENT_CALL_ASKED);
    haft__field_text(&w, "call", call);
    haft__json_key(&w, "question");
    haft__json_add(&w, asked->question);
    haft__field_flag(&w, "durable", asked->durable);
    haft__json_key(&w, "state");
    haft__json_add(&w, asked->state);
    haft__json_key(&w, "within_ms");
    if (asked->within_ms > 0) {
        haft__json_add_int(&w, (int64_t)asked->within_ms);
    } else {
        haft__json_add_null(&w);
    }
    haft__body_end(&w, buf);
}

void haft__input_answered(haft__buf *buf, haft_str call, haft_str by, haft_str verdict,
                          haft__json value)
{
    haft__json_writer w;
    haft__body_begin(&w, buf, HAFT__EVENT_ANSWERED);
    haft__field_text(&w, "call", call);
    haft__field_text(&w, "by", by);
    haft__field_text(&w, "verdict", verdict);
    haft__json_key(&w, "value");
    haft__json_add(&w, value);
    haft__body_end(&w, buf);
}

void haft__input_cancel_asked(haft__buf *buf, haft_str by, haft_str why)
{
    haft__json_writer w;
    haft__body_begin(&w, buf, HAFT__EVENT_CANCEL_ASKED);
    haft__field_text(&w, "by", by);
    haft__field_text(&w, "why", why);
    haft__body_end(&w, buf);
}
