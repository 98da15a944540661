/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.c - events about calls: judged, started, paused, answered, finished.
 *
 * Tests: tests/run/fold/fold_test.c.
 */
#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/sha256.h"
#include "base/str.h"
#include "base/vec.h"
#include "prompt/observation.h"
#include "run/artifact.h"
#include "run/fold/fold_int.h"
#include "run/host.h"
#include "run/offer/resolve.h"
#include "tool/builtin.h"
#include "json/object.h"

/* After the last result of a batch, appends all results to the conversation, in call order. */
static haft_status end_batch(haft__run *run, haft_error *err)
{
    if (!haft__run_batch_done(run) || haft__run_is_graph(run)) {
        return HAFT_OK;
    }
    bool all_invalid = run->call_count > run->batch;
    for (size_t i = run->batch; i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        if (call->parent.len > 0) {
            continue; /* its result went to the code */
        }
        haft__message message = {.role = HAFT__MESSAGE_TOOL,
                                 .text = call->shown,
                                 .call_id = call->model_call,
                                 .call_name = call->name,
                                 .is_error = call->stage == HAFT__CALL_REFUSED || !call->ok,
                                 .call = call->id,
                                 .call_index = i,
                                 .revealed = call->revealed,
                                 .revealed_count = call->revealed_count};
        haft_status status = haft__messages_add(&run->messages, message, err);
        if (status != HAFT_OK) {
            return status;
        }
        all_invalid = all_invalid && call->counts_invalid;
    }
    run->invalid_replies = all_invalid ? run->invalid_replies + 1 : 0;
    run->stage = HAFT__RUN_IDLE;
    return HAFT_OK;
}

haft_status haft__fold_find_call(haft__run *run, const haft__event *event,
                                 haft__run_call **ret_call, haft_error *err)
{
    haft_str id = {NULL, 0};
    haft_status status = haft__event_text(event, "call", &id, err);
    if (status != HAFT_OK) {
        return status;
    }
    if (run->stage != HAFT__RUN_JUDGING && run->stage != HAFT__RUN_CALLING) {
        return haft__fold_fail(event, "the run has no open calls", err);
    }
    for (size_t i = run->batch; i < run->call_count; i++) {
        if (haft__str_equal(run->calls[i].id, id)) {
            *ret_call = &run->calls[i];
            run->stage = HAFT__RUN_CALLING;
            return haft__fold_commit_reply(run, err);
        }
    }
    return haft__fold_fail(event, "the last reply has no such call", err);
}

/* Sets the hash and the cache key: tool and canonical arguments. */
static haft_status set_signature(haft__run *run, haft__run_call *call, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__run_call_key(&text, call->name, call->arguments, err);
    if (status == HAFT_OK) {
        call->cache_key = haft__arena_copy(run->arena, haft__buf_str(&text));
        call->signature = haft__run_hash(haft__buf_str(&text));
        status = call->cache_key.ptr != NULL ? HAFT_OK : haft__arena_fail(run->arena, err);
    }
    haft__buf_finish(&text);
    return status;
}

/* Whether the event has null in place of the arguments, so that the call keeps its current
 * arguments. Events do not repeat arguments that contain a secret (run/redact/withhold.h). */
static bool keeps_arguments(const haft__event *event, const haft__run_call *call)
{
    const haft__json *arguments = haft__json_get(event->object, HAFT__LIT("arguments"));
    return event->kind != HAFT__EVENT_CALL_FINISHED && arguments != NULL
           && arguments->kind == HAFT__JSON_NULL && call->arguments.kind == HAFT__JSON_OBJECT;
}

static haft_status read_arguments(haft__run *run, const haft__event *event, haft__run_call *call,
                                  haft_error *err)
{
    const haft__json *arguments = haft__event_field(event, "arguments");
    bool object = arguments != NULL && arguments->kind == HAFT__JSON_OBJECT;
    if (keeps_arguments(event, call)) {
        return HAFT_OK;
    }
    if (!object || call->tool == NULL) {
        return haft__fold_fail(event, "the event has no arguments, or the run has no such tool",
                               err);
    }
    haft_status status = haft__fold_copy_json(run, arguments, &call->arguments, err);
    return status == HAFT_OK ? set_signature(run, call, err) : status;
}

/* ---- questions of a tool ---- */

/* Whether the tool has an open question whose answer only the process of the call can deliver. Any
 * other event of the call ends the question. */
static bool is_pinned(const haft__run_call *call)
{
    return call->stage == HAFT__CALL_PAUSED && call->elicitation.kind == HAFT__JSON_OBJECT
           && call->pinned;
}

static void forget_question(haft__run_call *call)
{
    call->elicitation = call->state = haft__json_null();
    call->pinned = call->answer_due = false;
    call->within_ms = 0;
}

void haft__run_drop_lost_questions(haft__run *run)
{
    for (size_t i = run->batch; i < run->call_count; i++) {
        haft__run_call *call = &run->calls[i];
        if (is_pinned(call)) {
            forget_question(call);
            call->pause = haft__pause_of_lost_process();
            call->deadline_ms = 0;
            call->lost = true;
        }
    }
}

/* Prepares the next call of the tool, with the answer to its question. */
static haft_status read_resume(haft__run *run, haft__run_call *call, haft_error *err)
{
    haft__json_member *members = haft__arena_array(run->arena, 2, sizeof(*members));
    if (members == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    members[0] = (haft__json_member){haft__json_string(HAFT__LIT("state")), call->state};
    members[1] = (haft__json_member){haft__json_string(HAFT__LIT("answers")),
                                     haft__call_elicitation_answer(call)};
    call->resume = haft__json_object(members, 2);
    return HAFT_OK;
}

haft_status haft__fold_call_asked(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__run_call *call = NULL;
    const haft__json *question = haft__event_field(event, "question");
    const haft__json *within = haft__event_field(event, "within_ms");
    haft_status status = haft__fold_find_call(run, event, &call, err);
    if (status != HAFT_OK) {
        return status;
    }
    if (call->stage != HAFT__CALL_STARTED || call->tool->source != HAFT__TOOL_MCP
        || (call->elicitation.kind == HAFT__JSON_OBJECT && !call->answer_due)) {
        return haft__fold_fail(event, "the call is not running, or already has a question", err);
    }
    if (question == NULL || question->kind != HAFT__JSON_OBJECT) {
        return haft__fold_fail(event, "the event has no question", err);
    }
    forget_question(call);
    if (within != NULL) {
        status = haft__event_number(event, "within_ms", &call->within_ms, err);
    }
    if (status == HAFT_OK) {
        status = haft__fold_copy_json(run, question, &call->elicitation, err);
    }
    call->pinned = !haft__event_flag(event, "durable");
    return status == HAFT_OK
               ? haft__fold_copy_json(run, haft__event_field(event, "state"), &call->state, err)
               : status;
}

/* Records the approval with which an attempt of the call starts. Runs before the edited arguments
 * replace the approved arguments. */
static void record_approval(haft__run_call *call)
{
    if (call->stage == HAFT__CALL_ANSWERED && call->approved) {
        call->consented = true;
        call->bound = call->binding;
        call->bound_arguments = call->arguments;
    }
    call->spec_changed = false;
    call->repeats = call->stage == HAFT__CALL_STARTED || is_pinned(call) ? call->repeats + 1 : 0;
}

haft_status haft__fold_call_started(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__run_call *call = NULL;
    uint64_t attempt = 0;
    haft_status status = haft__fold_find_call(run, event, &call, err);
    if (status == HAFT_OK) {
        status = haft__event_number(event, "attempt", &attempt, err);
    }
    bool may_begin = status != HAFT_OK || call->stage == HAFT__CALL_ARRIVED
                     || call->stage == HAFT__CALL_ANSWERED || is_pinned(call)
                     || (call->stage == HAFT__CALL_STARTED && attempt > call->attempt);
    if (!may_begin) {
        status = haft__fold_fail(event, "the call is in a later stage", err);
    }
    if (status == HAFT_OK && attempt != (uint64_t)call->attempt + 1) {
        status = haft__fold_fail(event, "its attempt number is not the next number", err);
    }
    if (status == HAFT_OK
        && !haft__str_equal(haft__object_text(event->object, "tool"), call->name)) {
        status = haft__fold_fail(event, "the call has another tool", err);
    }
    if (status == HAFT_OK) {
        record_approval(call);
        status = read_arguments(run, event, call, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    const haft__json *note = haft__event_field(event, "note");
    call->note = note != NULL ? haft__json_text(*note) : HAFT__LIT("");
    if (call->stage == HAFT__CALL_ANSWERED && call->elicitation.kind == HAFT__JSON_OBJECT) {
        status = read_resume(run, call, err);
    }
    forget_question(call);
    run->past[haft__run_tool_index(run, call->tool)].called_seq = event->seq;
    bool counts = !call->started && !haft__call_is_reducer(call);
    run->usage.calls += counts;
    run->usage.cost_units += counts ? haft__evidence_cost(call->tool->traits.cost) : 0;
    call->begun_ms = call->started ? call->begun_ms : event->at_ms;
    call->change_due = false;
    call->started = true;
    call->attempt = (uint32_t)attempt;
    call->stage = HAFT__CALL_STARTED;
    return status;
}

/* The text of {where, message, hint}, for the model. */
static haft_status error_text(haft__run *run, haft__json error, haft_str *ret_text, haft_error *err)
{
    haft_str where = haft__object_text(error, "where"), hint = haft__object_text(error, "hint");
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__buf_add_str(&text, HAFT__LIT("Error: "));
    haft__buf_add_str(&text, haft__object_text(error, "message"));
    if (where.len > 0) {
        haft__buf_add_str(&text, HAFT__LIT(" (at "));
        haft__buf_add_str(&text, where);
        haft__buf_add_char(&text, ')');
    }
    if (hint.len > 0) {
        haft__buf_add_str(&text, HAFT__LIT("\nHint: "));
        haft__buf_add_str(&text, hint);
    }
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        *ret_text = haft__arena_copy(run->arena, haft__buf_str(&text));
        status = ret_text->ptr != NULL ? HAFT_OK : haft__arena_fail(run->arena, err);
    }
    haft__buf_finish(&text);
    return status;
}

/* Sets the text for the model: the truncated result, followed by the note if the result is not
 * new. */
static haft_status set_shown_text(haft__run *run, haft__run_call *call, bool nothing_new,
                                  haft_error *err)
{
    bool pages = haft__tools_find(&run->spec->tools, HAFT__LIT(HAFT__READ_RESULT)) != NULL;
    uint32_t chars = haft__run_observation_chars(run, call);
    call->shown = haft__observation_cut(run->arena, call->result, chars, call->id, pages);
    call->cut_off = run->wall_reached;
    if (!run->wall_reached) { /* else the text only says that the call was cancelled */
        run->observation = call->shown;
    }
    if (call->shown.ptr != NULL && !run->wall_reached
        && (haft__observation_is_cut(call->result, chars)
            || chars > run->spec->limits.observation_chars)) {
        /* The observation may become the answer of the run, so it has no text for the model. */
        bool cut;
        haft_str start = haft__observation_unmark(call->shown, &cut);
        run->observation.len = start.len + (cut ? strlen(HAFT__OBSERVATION_MARK) : 0);
    }
    if (call->shown.ptr != NULL && nothing_new && call->note.len > 0) {
        haft_str gap = HAFT__LIT("\n\n"), shown = call->shown;
        char *text = haft__arena_alloc(run->arena, shown.len + gap.len + call->note.len);
        call->shown = (haft_str){text, shown.len + gap.len + call->note.len};
        if (text != NULL) {
            memcpy(text, shown.ptr, shown.len); /* the text may contain NULs */
            memcpy(text + shown.len, gap.ptr, gap.len);
            memcpy(text + shown.len + gap.len, call->note.ptr, call->note.len);
        }
    }
    return call->shown.ptr != NULL ? HAFT_OK : haft__arena_fail(run->arena, err);
}

static bool satisfies_default(const haft__run *run, const haft__run_call *call)
{
    const haft__tool_choice *choice = &run->spec->choice.default_choice;
    bool searches = haft__resolve_is_search_tool(call->tool); /* a search does not satisfy the
                                                               * default */
    return (choice->mode == HAFT__MODE_ANY && !searches)
           || (choice->mode == HAFT__MODE_TOOL && haft__str_equal(choice->tool, call->name));
}

/* Notes that the current agent has read a skill. */
static haft_status note_skill(haft__run *run, const haft__run_call *call, haft_error *err)
{
    haft__skill_read *read = haft__arena_alloc(run->arena, sizeof(*read));
    if (read == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    *read = (haft__skill_read){run->skills_read, run->agent, call->tool->name};
    run->skills_read = read;
    return HAFT_OK;
}

/* Updates the rest of the state after a finished call. */
static haft_status count_finished(haft__run *run, haft__run_call *call, haft_error *err)
{
    haft__tool_history *past = &run->past[haft__run_tool_index(run, call->tool)];
    past->finished = true;
    past->finished_ms = call->finished_ms;
    past->finished_count++;
    bool first = call->ok && !past->succeeded;
    past->succeeded = past->succeeded || call->ok;
    run->default_satisfied = run->default_satisfied || satisfies_default(run, call);
    const haft__builtin *builtin = haft__builtin_of(call->tool);
    bool no_hits = haft__resolve_is_search_tool(call->tool) && !call->ok;
    run->search_found_nothing = run->search_found_nothing || no_hits;
    run->completed = run->completed || (builtin != NULL && builtin->completes && call->ok);
    const haft__traits *traits = &call->tool->traits;
    haft_status status =
        first && call->tool->source == HAFT__TOOL_SKILL ? note_skill(run, call, err) : HAFT_OK;
    bool keep = call->ok && !call->command && !traits->polls
                && (traits->cache != HAFT__CACHE_NONE || traits->idempotent)
                && call->cache_key.len > 0 && !call->searched; /* hits may be evicted */
    return status == HAFT_OK && keep ? haft__map_put(&run->results, call->cache_key, call, err)
                                     : status;
}

/* Whether the result of the call is not new. */
static bool note_progress(haft__run *run, const haft__run_call *call)
{
    haft__no_progress_call past = {.tool = haft__run_hash(call->name),
                                   .call = call->signature,
                                   .result = haft__run_hash(call->result) | 1,
                                   .failed = !call->ok};
    return !call->tool->traits.polls && haft__no_progress_note(&run->progress, past, run->turn);
}

/* Appends what the hooks tell the model. */
static haft_status add_hook_note(haft__run *run, haft__run_call *call, haft_error *err)
{
    haft_str note = call->passage.note;
    if (note.len == 0) {
        return HAFT_OK;
    }
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__buf_add_str(&text, call->shown);
    haft__buf_add_str(&text, HAFT__LIT("\n\nNote: "));
    haft__buf_add_str(&text, note);
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        call->shown = haft__arena_copy(run->arena, haft__buf_str(&text));
        status = call->shown.ptr != NULL ? HAFT_OK : haft__arena_fail(run->arena, err);
    }
    haft__buf_finish(&text);
    return status;
}

haft_status haft__fold_finish_call(haft__run *run, haft__run_call *call, haft_error *err)
{
    call->stage = HAFT__CALL_FINISHED;
    haft_status status = set_shown_text(run, call, note_progress(run, call), err);
    if (status == HAFT_OK) {
        status = add_hook_note(run, call, err);
    }
    if (status == HAFT_OK) {
        status = count_finished(run, call, err);
    }
    return status == HAFT_OK ? end_batch(run, err) : status;
}

haft_status haft__fold_call_finished(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__run_call *call = NULL;
    haft_status status = haft__fold_find_call(run, event, &call, err);
    if (status != HAFT_OK) {
        return status;
    }
    if (call->tool == NULL || call->stage == HAFT__CALL_RETURNED
        || call->stage == HAFT__CALL_FINISHED || call->stage == HAFT__CALL_REFUSED) {
        return haft__fold_fail(event, "the call already has a result, or cannot have one", err);
    }
    if (call->stage == HAFT__CALL_PAUSED && !is_pinned(call)) {
        return haft__fold_fail(event, "the call is pending", err);
    }
    forget_question(call);
    if (!call->started) { /* the result is from the cache or from a person */
        status = read_arguments(run, event, call, err);
    }
    const haft__json *error = haft__event_field(event, "error");
    const haft__json *note = haft__event_field(event, "note");
    call->note = note != NULL ? haft__json_text(*note) : call->note;
    call->ok = haft__event_flag(event, "ok");
    call->command = haft__event_flag(event, "command");
    if (status == HAFT_OK && call->ok) {
        status = haft__event_text(event, "result", &call->result, err);
    } else if (status == HAFT_OK && error != NULL) {
        status = error_text(run, *error, &call->result, err);
        call->failure = haft__object_text(*error, "failure");
    } else if (status == HAFT_OK) {
        status = haft__fold_fail(event, "the call failed, but the event has no error", err);
    }
    if (status == HAFT_OK) {
        status = haft__fold_personal(run, event, HAFT__REDACT_RESULTS, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    call->finished_ms = event->at_ms;
    if (haft__event_flag(event, "returns")) { /* the middleware sees the result first */
        call->stage = HAFT__CALL_RETURNED;
        return HAFT_OK;
    }
    return haft__fold_finish_call(run, call, err);
}

haft_status haft__fold_call_refused(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__run_call *call = NULL;
    haft_str why = {NULL, 0};
    haft_status status = haft__fold_find_call(run, event, &call, err);
    if (status == HAFT_OK) {
        status = haft__event_text(event, "why", &why, err);
    }
    if (status == HAFT_OK) {
        status = haft__event_text(event, "text", &call->shown, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    if (call->stage == HAFT__CALL_PAUSED) {
        return haft__fold_fail(event, "the call is pending", err);
    }
    bool open = call->stage == HAFT__CALL_ARRIVED || call->stage == HAFT__CALL_ANSWERED;
    if (!open) {
        return haft__fold_fail(event, "the call is in a later stage", err);
    }
    call->stage = HAFT__CALL_REFUSED;
    call->counts_invalid =
        haft__str_equal(why, HAFT__LIT("unknown")) || haft__str_equal(why, HAFT__LIT("invalid"));
    if (call->tool != NULL) {
        haft__tool_history *past = &run->past[haft__run_tool_index(run, call->tool)];
        past->rejected += haft__str_equal(why, HAFT__LIT("denied"))
                          || haft__str_equal(why, HAFT__LIT("middleware"));
    }
    if (haft__str_equal(why, HAFT__LIT("repeated"))) {
        haft__no_progress_note_refused(&run->progress, haft__run_hash(call->name), run->turn);
    }
    return end_batch(run, err);
}

/* Whether the approval no longer matches the call, so that the call needs a new approval. */
static bool approval_is_stale(const haft__run_call *call, const haft__event *event)
{
    haft_str binding = haft__object_text(event->object, "binding");
    bool answered = call->stage == HAFT__CALL_ANSWERED;
    bool started =
        call->started && (answered || call->stage == HAFT__CALL_STARTED || is_pinned(call));
    haft_str before = answered && call->approved ? call->binding : call->bound;
    return (started || (answered && call->approved)) && binding.len > 0
           && !haft__str_equal(binding, before);
}

haft_status haft__fold_paused(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__run_call *call = NULL;
    haft_str name = {NULL, 0};
    haft__pause pause;
    haft_status status = haft__fold_find_call(run, event, &call, err);
    if (status == HAFT_OK) {
        status = haft__event_text(event, "pause", &name, err);
    }
    bool again = status == HAFT_OK && approval_is_stale(call, event);
    if (status == HAFT_OK && (!call->started || again)) {
        status = read_arguments(run, event, call, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    bool known = haft__pause_find(name, &pause);
    const haft__pause_kind *kind = known ? haft__pause_kind_of(pause) : NULL;
    bool lost = known && is_pinned(call) && kind->outcome_unknown;
    if (call->stage != HAFT__CALL_ARRIVED && call->stage != HAFT__CALL_STARTED && !lost && !again) {
        return haft__fold_fail(event, "the call is in a later stage", err);
    }
    if (!known) {
        return haft__fold_fail(event, "its kind of pause is unknown", err);
    }
    bool before = call->stage == HAFT__CALL_ARRIVED || again;
    if (kind->before_start != before) {
        return haft__fold_fail(
            event, "an approval comes before a call starts, every other pause after", err);
    }
    call->pause = pause;
    call->change_due = false;
    call->lost = lost;
    if (!kind->carries_elicitation) {
        forget_question(call);
    }
    call->approved = false;
    call->binding = haft__object_text(event->object, "binding");
    call->reason = haft__object_text(event->object, "reason");
    call->deadline_ms = 0;
    const haft__json *deadline = haft__event_field(event, "deadline");
    const haft__json *on_expire = haft__event_field(event, "on_expire");
    if (deadline != NULL && !haft__time_parse(haft__json_text(*deadline), &call->deadline_ms)) {
        return haft__fold_fail(event, "its deadline is not a time", err);
    }
    call->stage = HAFT__CALL_PAUSED;
    call->paused_seq = event->seq;
    return haft__fold_copy_json(run, on_expire, &call->on_expire, err);
}

const haft__standing_approval *haft__run_find_standing(const haft__run *run, haft_str tool)
{
    for (size_t i = 0; i < run->standing_count; i++) {
        if (haft__str_equal(run->standing[i].tool, tool)) {
            return &run->standing[i];
        }
    }
    return NULL;
}

/* Records the standing approval of an answer, if the answer has one. */
static haft_status keep_standing(haft__run *run, const haft__run_call *call,
                                 const haft__event *event, haft_error *err)
{
    haft_str tool = haft__object_string(event->object, "always");
    bool gives = tool.len > 0 && call->approved && haft__pause_kind_of(call->pause)->binds;
    if (!gives || haft__run_find_standing(run, tool) != NULL) {
        return HAFT_OK;
    }
    haft__standing_approval *all =
        haft__vec_reserve_in(run->arena, run->standing, run->standing_count,
                             &run->standing_capacity, run->standing_count + 1, sizeof(*all));
    if (all == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    run->standing = all;
    run->standing[run->standing_count++] = (haft__standing_approval){tool, call->id};
    return HAFT_OK;
}

haft_status haft__fold_answered(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__run_call *call = NULL;
    haft_status status = haft__fold_find_call(run, event, &call, err);
    if (status == HAFT_OK) {
        status = haft__event_text(event, "verdict", &call->verdict, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    if (call->stage != HAFT__CALL_PAUSED) {
        return haft__fold_fail(event, "the call is not paused", err);
    }
    if (!haft__pause_accepts_verdict(call->pause, call->verdict)) {
        return haft__fold_fail(event, "its verdict does not fit the pause", err);
    }
    const haft__json *value = haft__event_field(event, "value");
    call->approved = haft__str_equal(call->verdict, HAFT__LIT("approve"))
                     || haft__str_equal(call->verdict, HAFT__LIT("edit"));
    call->needs_new_approval = false;
    call->overdue = haft__str_equal(haft__object_text(event->object, "by"), HAFT__LIT("deadline"));
    call->withdrawn =
        call->pinned && haft__str_equal(haft__object_text(event->object, "by"), HAFT__BY_SERVER);
    call->binding = haft__object_text(event->object, "binding");
    run->expired = run->expired || haft__str_equal(call->verdict, HAFT__LIT("expire"));
    call->stage = HAFT__CALL_ANSWERED;
    status = haft__fold_copy_json(run, value, &call->value, err);
    call->answers[call->pause] = (haft__pause_answer){
        .verdict = call->verdict,
        .value = call->value,
        .elicitation = call->elicitation,
        .message = haft__object_text(event->object, "message"),
    };
    if (status == HAFT_OK) {
        status = keep_standing(run, call, event, err);
    }
    if (call->pinned) { /* the call keeps running */
        call->stage = HAFT__CALL_STARTED;
        call->answer_due = true;
    }
    return status;
}

/* Reads the content of a binary result. */
static haft_status read_content(haft__run *run, const haft__event *event, haft__artifact *artifact,
                                haft_error *err)
{
    haft_str encoding = haft__object_text(event->object, "encoding"), text = {NULL, 0};
    char digest[HAFT__SHA256_HEX];
    size_t length = 0;
    haft_status status = haft__event_text(event, "content", &text, err);
    char *bytes = status == HAFT_OK ? haft__arena_alloc(run->arena, text.len / 4 * 3 + 1) : NULL;
    if (status != HAFT_OK) {
        return status;
    }
    if (bytes == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    if (!haft__str_equal(encoding, HAFT__LIT("base64"))
        || !haft__base64_decode(text, bytes, &length)) {
        return haft__fold_fail(event, "its content is not base64", err);
    }
    artifact->content = (haft_str){bytes, length};
    haft__sha256_hex(artifact->content, digest);
    return length == artifact->bytes
                   && haft__str_equal(artifact->sha256, (haft_str){digest, sizeof(digest)})
               ? HAFT_OK
               : haft__fold_fail(event, "its content has another size or hash", err);
}

/* Whether the call may store another artifact. store_artifact stores one, with the content in its
 * arguments; tools of the host store any number of files and binary results. */
static bool may_store(const haft__run_call *call, bool result)
{
    return call->stage == HAFT__CALL_STARTED
           && (result ? haft__builtin_of(call->tool) == NULL || haft__tool_runs_code(call->tool)
                      : !call->stored);
}

haft_status haft__fold_artifact_stored(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__run_call *call = NULL;
    haft__artifact *artifact = haft__arena_alloc(run->arena, sizeof(*artifact));
    haft_status status = artifact != NULL ? haft__fold_find_call(run, event, &call, err)
                                          : haft__arena_fail(run->arena, err);
    if (status != HAFT_OK || call == NULL) {
        return status;
    }
    bool result = haft__artifact_is_result(event);
    *artifact = (haft__artifact){.call = call->id};
    if (!may_store(call, result)) {
        status = haft__fold_fail(
            event, "the call is not running, or has already stored its artifact", err);
    }
    if (status == HAFT_OK) {
        status = haft__event_text(event, "name", &artifact->name, err);
    }
    if (status == HAFT_OK) {
        status = haft__event_text(event, "media_type", &artifact->media_type, err);
    }
    if (status == HAFT_OK) {
        status = haft__event_text(event, "sha256", &artifact->sha256, err);
    }
    if (status == HAFT_OK) {
        status = haft__event_number(event, "bytes", &artifact->bytes, err);
    }
    if (status == HAFT_OK && result) {
        status = read_content(run, event, artifact, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    const haft__artifact **all =
        haft__vec_reserve_in(run->arena, run->artifacts, run->artifact_count,
                             &run->artifact_capacity, run->artifact_count + 1, sizeof(artifact));
    if (all == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    run->artifacts = all;
    run->artifacts[run->artifact_count++] = artifact;
    call->stored = call->stored || !result;
    return HAFT_OK;
}
