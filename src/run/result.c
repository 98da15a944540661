/* SPDX-License-Identifier: Apache-2.0 */
/* result.c - the result of a run. Tests: tests/run/result_test.c. */
#include "run/result.h"

#include "base/str.h"
#include "run/decide/call_wait.h"
#include "run/decide/decide.h"
#include "run/event_body.h"
#include "run/host.h"
#include "run/pause/elicitation.h"

static void write_artifacts(haft__json_writer *w, const haft__run *run)
{
    haft__json_key(w, "artifacts");
    haft__json_begin_array(w);
    for (size_t i = 0; i < run->artifact_count; i++) {
        const haft__artifact *artifact = run->artifacts[i];
        haft__json_begin_object(w);
        haft__field_text(w, "name", artifact->name);
        haft__field_text(w, "media_type", artifact->media_type);
        haft__field_number(w, "bytes", artifact->bytes);
        haft__field_text(w, "sha256", artifact->sha256);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}

/* Whether the pause is a question of the tool itself. */
static bool is_elicitation(const haft__run_call *call)
{
    return call->elicitation.kind == HAFT__JSON_OBJECT;
}

/* Writes the fields of a tool's question: its server, its form or URL, and whether only the process
 * that runs the call can deliver the answer (`pinned`). */
static void write_elicitation(haft__json_writer *w, const haft__run_call *call)
{
    const haft__json *schema = haft__json_get(call->elicitation, HAFT__LIT("schema"));
    haft__json_begin_object(w);
    haft__field_text_or_null(w, "server", haft__elicitation_text(call, "server"));
    haft__field_text(w, "mode",
                     haft__elicitation_is_url(call) ? HAFT__LIT("url") : HAFT__LIT("form"));
    haft__json_key(w, "schema");
    haft__json_add(w, schema != NULL ? *schema : haft__json_null());
    haft__field_text_or_null(w, "url", haft__elicitation_text(call, "url"));
    haft__field_flag(w, "pinned", call->pinned);
    haft__json_end_object(w);
}

/* Writes the id of a call, after the ids of the calls on the path to its run: c3.1/c1.2. */
static void write_call(haft__json_writer *w, const haft__run *run, const haft__run_call *call)
{
    haft__json_key(w, "call");
    haft__buf_add_char(w->buf, '"');
    haft__buf_add_str(w->buf, run->path); /* ids of calls: nothing to escape */
    haft__buf_add_str(w->buf, run->path.len > 0 ? HAFT__LIT("/") : HAFT__LIT(""));
    haft__buf_add_str(w->buf, call->id);
    haft__buf_add_char(w->buf, '"');
    w->after_key = false;
}

void haft__result_write_pending(haft__json_writer *w, const haft__run *run,
                                const haft__run_call *call)
{
    const haft__json *question = haft__json_get(call->arguments, HAFT__LIT("question"));
    bool is_question =
        haft__pause_kind_of(call->pause)->prompt == HAFT__PAUSE_PROMPT_QUESTION && question != NULL;
    haft_str text = is_question ? haft__json_text(*question) : (haft_str){NULL, 0};
    text = is_elicitation(call) ? haft__elicitation_text(call, "message") : text;
    write_call(w, run, call);
    haft__field_text(w, "kind", haft__str(haft__pause_name(call->pause)));
    haft__field_text(w, "tool", call->name);
    haft__json_key(w, "arguments");
    haft__json_add(w, call->arguments);
    haft__field_text_or_null(w, "question", text);
    if (call->deadline_ms > 0) {
        char at[HAFT__TIME_SIZE];
        haft__time_format(call->deadline_ms, at);
        haft__field_text(w, "deadline", haft__str(at));
    } else {
        haft__field_null(w, "deadline");
    }
    haft__field_text_or_null(w, "binding", call->binding);
    if (call->reason.len > 0) {
        haft__field_text(w, "reason", call->reason);
    }
    if (run->parent.len > 0) {
        haft__field_text(w, "run", run->id);
        haft__field_text(w, "agent", run->spec->name);
    }
    if (is_elicitation(call)) {
        haft__json_key(w, "asks");
        write_elicitation(w, call);
    }
}

/* Writes `held`: the accepted calls that wait for a lane, a slot, other calls or a delay. Writes
 * nothing if there are no such calls. */
static void write_waiting_calls(haft__json_writer *w, const haft__run *run)
{
    bool any = false;
    for (size_t i = run->batch; i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        haft__call_wait wait = haft__call_wait_find(run, call);
        if (wait.by == HAFT__CALL_WAIT_NONE) {
            continue;
        }
        if (!any) {
            haft__json_key(w, "held");
            haft__json_begin_array(w);
        }
        any = true;
        haft__json_begin_object(w);
        haft__field_text(w, "call", call->id);
        haft__field_text(w, "tool", call->name);
        haft__field_text(w, "by", haft__str(haft__call_wait_reason_name(wait.by)));
        haft__field_text_or_null(w, "lane", wait.lane);
        haft__field_text_or_null(w, "behind",
                                 wait.holder != NULL ? wait.holder->id : HAFT__LIT(""));
        haft__json_end_object(w);
    }
    if (any) {
        haft__json_end_array(w);
    }
}

/* Whether the run can continue only after an answer or the end of a child: a call is paused or a
 * child is open, and no call is running here. Calls in other stages are ignored, because they wait
 * for the paused call, for example in its lane. */
static bool is_waiting(const haft__run *run)
{
    size_t paused = run->open_children;
    for (size_t i = run->batch; i < run->call_count; i++) {
        haft__call_stage stage = run->calls[i].stage;
        if (stage == HAFT__CALL_PAUSED) {
            paused++;
        } else if ((stage == HAFT__CALL_STARTED && run->calls[i].child == NULL
                    && !haft__call_waits_for_nested(run, &run->calls[i]))
                   || run->calls[i].passage.hook.len > 0) {
            return false;
        }
    }
    return paused > 0;
}

/* Whether the run, and the runs below it that have not ended, wait for answers. */
static bool is_tree_waiting(const haft__run *run, const haft__run *const *below, size_t count)
{
    bool waiting = is_waiting(run) || run->stored_as_waiting;
    for (size_t i = 0; i < count && waiting; i++) {
        const haft__run *one = below[i];
        waiting = one->stage == HAFT__RUN_ENDED || is_waiting(one);
    }
    return waiting && (run->open_children == 0 || count > 0);
}

/* The field `end`: the state of the run. An error of a command to the run does not change it. */
static haft_str end_name(const haft__run *run, const haft__run *const *below, size_t count)
{
    if (run->stage == HAFT__RUN_ENDED) {
        return haft__str(haft__end_name(run->end));
    }
    if (run->seq == 0) { /* the run never started, or only its id is known */
        return HAFT__LIT("failed");
    }
    if (run->seq == 1 && !run->stored_as_waiting) { /* created, and not started yet */
        return HAFT__LIT("queued");
    }
    return is_tree_waiting(run, below, count) ? HAFT__LIT("waiting") : HAFT__LIT("running");
}

static void write_all_pending(haft__json_writer *w, const haft__run *run)
{
    for (size_t i = run->batch; haft__run_takes_answers(run) && i < run->call_count; i++) {
        if (run->calls[i].stage == HAFT__CALL_PAUSED) {
            haft__json_begin_object(w);
            haft__result_write_pending(w, run, &run->calls[i]);
            haft__json_end_object(w);
        }
    }
}

/* Writes the usage of the run and the runs below it; nothing without children. */
static void write_tree(haft__json_writer *w, const haft__run *run)
{
    haft__tree_usage usage = haft__child_tree_usage(run);
    if (run->child_count > 0) {
        haft__json_key(w, "tree");
        haft__json_begin_object(w);
        haft__field_number(w, "runs", usage.runs);
        haft__child_write_usage(w, &usage);
        haft__json_end_object(w);
    }
}

void haft__result_write(haft__buf *buf, const haft__run *run, const haft_error *why)
{
    haft__result_write_tree(buf, run, NULL, 0, why);
}

void haft__result_write_tree(haft__buf *buf, const haft__run *run, const haft__run *const *below,
                             size_t count, const haft_error *why)
{
    bool ended = run->stage == HAFT__RUN_ENDED;
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text_or_null(&w, "run", run->id);
    haft__field_text_or_null(&w, "thread", run->thread);
    haft__field_text(&w, "end", end_name(run, below, count));
    haft__field_text(&w, "answer", ended ? run->answer : HAFT__LIT(""));
    haft__field_text_or_null(&w, "reason", ended ? run->end_reason : HAFT__LIT(""));
    haft__field_flag(&w, "exhausted", ended && run->end == HAFT__END_EXHAUSTED);
    haft__field_flag(&w, "forced_final", run->forced_final);
    haft__field_number(&w, "turns", run->turn);
    haft__field_number(&w, "calls", run->usage.calls);
    haft__field_usage(&w, run);
    write_tree(&w, run);
    write_artifacts(&w, run);
    haft__json_key(&w, "pending");
    haft__json_begin_array(&w);
    write_all_pending(&w, run);
    for (size_t i = 0; !ended && i < count; i++) {
        write_all_pending(&w, below[i]);
    }
    haft__json_end_array(&w);
    write_waiting_calls(&w, run);
    if (why != NULL) {
        haft__field_error(&w, why);
    } else {
        haft__json_key(&w, "error");
        haft__json_add(&w, ended ? run->end_error : haft__json_null());
    }
    haft__json_end_object(&w);
}

void haft__result_write_error(haft__buf *buf, const haft_error *error)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_error(&w, error);
    haft__json_end_object(&w);
}
