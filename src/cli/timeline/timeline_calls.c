/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_calls.c - records the calls of the current turn. On a live terminal shows the open line
 * of running calls and the line of a finished call.
 *
 * Tests: tests/cli/timeline/timeline_test.c.
 */
#include "base/limits.h"
#include "base/str.h"
#include "cli/terminal/amount.h"
#include "cli/terminal/width.h"
#include "cli/timeline/main_argument.h"
#include "cli/timeline/timeline_int.h"

/* ---- the calls of the turn ---- */

static haft__timeline_call *find_call(const haft__timeline *t, haft_str id)
{
    haft__timeline_call *call = t->calls;
    while (call != NULL && !haft__str_equal(call->id, id)) {
        call = call->next;
    }
    return call;
}

size_t haft__timeline_count_running(const haft__timeline *t)
{
    size_t count = 0;
    for (const haft__timeline_call *call = t->calls; call != NULL; call = call->next) {
        count += call->running ? 1 : 0;
    }
    return count;
}

bool haft__timeline_runs_alone(const haft__timeline *t, haft_str id)
{
    const haft__timeline_call *call = find_call(t, id);
    return call != NULL && call->running && haft__timeline_count_running(t) == 1;
}

haft_str haft__timeline_call_tool(const haft__timeline *t, haft_str id)
{
    const haft__timeline_call *call = find_call(t, id);
    return call != NULL ? call->tool : HAFT__LIT("");
}

void haft__timeline_forget_calls(haft__timeline *t)
{
    t->calls = NULL;
    haft__arena_reset(&t->call_arena);
}

haft_str haft__timeline_arguments(haft__timeline *t, const haft__event *event)
{
    const haft__json *arguments = haft__event_field(event, "arguments");
    haft_str mark = haft__symbol_text(t, HAFT__SYMBOL_ELLIPSIS);
    haft__buf text, cut;
    if (t->verbose || arguments == NULL) {
        haft_str json = haft__timeline_event_json(t, event, "arguments");
        return json.len > 2 ? json : HAFT__LIT(""); /* omit {} */
    }
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&cut, HAFT__LIMIT_RUN_BYTES);
    haft__main_argument_add(&text, *arguments);
    (void)haft__escape_add_line(&cut, haft__buf_str(&text), HAFT__MAIN_ARGUMENT_COLUMNS, mark);
    haft_str kept = haft__arena_copy(&t->arena, haft__buf_str(&cut));
    haft__buf_finish(&text);
    haft__buf_finish(&cut);
    return kept.ptr != NULL ? kept : HAFT__LIT("");
}

/* Appends a call to the list. If out of memory, the call is not recorded. */
static void append_call(haft__timeline *t, const haft__timeline_call *call)
{
    haft__timeline_call **at = &t->calls;
    haft__timeline_call *copy = haft__arena_alloc(&t->call_arena, sizeof(*copy));
    while (*at != NULL) {
        at = &(*at)->next;
    }
    if (copy != NULL) {
        *copy = *call;
        *at = copy;
    }
}

static void append_event(haft__timeline *t, const haft__event *event, bool running)
{
    haft__timeline_call call = {
        .id = haft__arena_copy(&t->call_arena, haft__timeline_event_text(event, "call")),
        .tool = haft__arena_copy(&t->call_arena, haft__timeline_event_text(event, "tool")),
        .arguments = haft__arena_copy(&t->call_arena, haft__timeline_arguments(t, event)),
        .since_ms = event->at_ms,
        .running = running};
    append_call(t, &call);
}

void haft__timeline_note_started(haft__timeline *t, const haft__event *event)
{
    haft__timeline_call *known = find_call(t, haft__timeline_event_text(event, "call"));
    if (haft__timeline_count_running(t) == 0) {
        t->open_since_ms = event->at_ms;
        t->open_seconds = 0;
        haft__buf_clear(&t->progress);
    }
    if (known != NULL) { /* another attempt, or an approved call, maybe with other arguments */
        known->arguments = haft__arena_copy(&t->call_arena, haft__timeline_arguments(t, event));
        known->running = true;
        known->since_ms = event->at_ms;
        return;
    }
    append_event(t, event, true);
}

void haft__timeline_note_paused(haft__timeline *t, const haft__event *event)
{
    haft__timeline_call *known = find_call(t, haft__timeline_event_text(event, "call"));
    if (known != NULL) {
        known->running = false;
        return;
    }
    append_event(t, event, false);
}

haft__timeline_call haft__timeline_note_stopped(haft__timeline *t, const haft__event *event)
{
    haft_str id = haft__timeline_event_text(event, "call");
    haft__timeline_call *known = find_call(t, id);
    if (known == NULL) {
        return (haft__timeline_call){.id = id,
                                     .tool = haft__timeline_event_text(event, "tool"),
                                     .arguments = haft__timeline_arguments(t, event)};
    }
    known->running = false;
    return *known;
}

/* ---- lines ---- */

void haft__timeline_line_add_call(haft__timeline_line *l, const haft__timeline_call *call,
                                  size_t reserved)
{
    if (l->t->verbose) {
        haft__timeline_line_add_cut(l, HAFT__STYLE_DIM, call->id, reserved);
        haft__timeline_line_add_text(l, HAFT__STYLE_PLAIN, " ");
    }
    haft__timeline_line_add_cut(l, HAFT__STYLE_BOLD, call->tool, reserved);
    if (call->arguments.len > 0) {
        haft__timeline_line_add_text(l, HAFT__STYLE_PLAIN, " ");
        haft__timeline_line_add_cut(l, HAFT__STYLE_PLAIN, call->arguments, reserved);
    }
}

/* Adds a text such as "2 calls run: find, read". */
static void add_running(haft__timeline_line *l, size_t count, size_t reserved)
{
    bool first = true;
    haft__buf details;
    haft__buf_init(&details, HAFT__TIMELINE_DETAILS_BYTES);
    haft__buf_addf(&details, "%zu calls run: ", count);
    haft__timeline_line_add(l, HAFT__STYLE_PLAIN, haft__buf_str(&details));
    haft__buf_finish(&details);
    for (const haft__timeline_call *call = l->t->calls; call != NULL; call = call->next) {
        if (call->running) {
            haft__timeline_line_add_cut(l, HAFT__STYLE_PLAIN,
                                        first ? HAFT__LIT("") : HAFT__LIT(","), reserved);
            haft__timeline_line_add_text(l, HAFT__STYLE_PLAIN, first ? "" : " ");
            haft__timeline_line_add_cut(l, HAFT__STYLE_BOLD, call->tool, reserved);
            first = false;
        }
    }
}

static void draw_calls(haft__timeline *t, const haft__buf *time)
{
    haft__timeline_line l =
        haft__timeline_line_begin_item(t, HAFT__SYMBOL_RUNNING, HAFT__STYLE_PLAIN);
    size_t count = haft__timeline_count_running(t);
    const haft__timeline_call *call = t->calls;
    while (call != NULL && !call->running) {
        call = call->next;
    }
    if (count > 1) {
        add_running(&l, count, time->len);
    } else if (call != NULL) {
        haft__timeline_line_add_call(&l, call, time->len);
    }
    if (count == 1 && t->progress.len > 0) {
        haft__timeline_line_add_text(&l, HAFT__STYLE_DIM, "  ");
        haft__timeline_line_add_cut(&l, HAFT__STYLE_DIM, haft__buf_str(&t->progress), time->len);
    }
    haft__timeline_line_add(&l, HAFT__STYLE_DIM, haft__buf_str(time));
    t->open = HAFT__OPEN_LINE_CALLS;
}

void haft__timeline_redraw_line(haft__timeline *t, uint64_t now_ms)
{
    haft__buf time;
    haft__buf_init(&time, HAFT__TIMELINE_DETAILS_BYTES);
    uint64_t elapsed = now_ms > t->open_since_ms ? now_ms - t->open_since_ms : 0;
    if (elapsed >= 1000) {
        haft__buf_add_str(&time, HAFT__LIT("  "));
        haft__amount_add_duration(&time, elapsed - elapsed % 1000);
    }
    if (haft__timeline_count_running(t) > 0) {
        draw_calls(t, &time);
    } else {
        haft__timeline_line l = haft__timeline_line_begin(t);
        haft__timeline_line_add_text(&l, HAFT__STYLE_DIM, "   waits for the model");
        haft__timeline_line_add(&l, HAFT__STYLE_DIM, haft__buf_str(&time));
        t->open = HAFT__OPEN_LINE_MODEL;
    }
    haft__buf_finish(&time);
}

void haft__timeline_add_running(haft__timeline *timeline)
{
    haft__timeline_line_close(timeline);
    for (const haft__timeline_call *call = timeline->calls; timeline->caps.live && call != NULL;
         call = call->next) {
        if (call->running) {
            haft__timeline_line l =
                haft__timeline_line_begin_item(timeline, HAFT__SYMBOL_RUNNING, HAFT__STYLE_PLAIN);
            haft__timeline_line_add_call(&l, call, 0);
            haft__timeline_line_end(&l);
        }
    }
}

/* Adds the duration and the size of a result: "  12 ms · 1.2 KB". */
static void add_outcome(const haft__timeline *t, const haft__event *event, haft__buf *details)
{
    haft__buf_add_str(details, HAFT__LIT("  "));
    haft__amount_add_duration(details, haft__timeline_event_number(event, "ms"));
    if (haft__event_flag(event, "ok")) {
        haft__timeline_add_separator(t, details);
        haft__amount_add_bytes(details, haft__timeline_event_text(event, "result").len);
    }
    if (haft__event_flag(event, "cached")) {
        haft__timeline_add_separator(t, details);
        haft__buf_add_str(details, HAFT__LIT("cached"));
    }
    if (haft__event_flag(event, "truncated")) {
        haft__timeline_add_separator(t, details);
        haft__buf_add_str(details, HAFT__LIT("truncated"));
    }
}

/* Returns the width of a call and its details on one line, without an error. */
static size_t columns_of(const haft__timeline_call *call, const haft__buf *details)
{
    return haft__width_of_text(call->id) + haft__width_of_text(call->tool)
           + haft__width_of_text(call->arguments) + 2 + haft__width_of_text(haft__buf_str(details));
}

static void add_wrapped_arguments(haft__timeline *t, haft_str arguments)
{
    haft__timeline_line l = haft__timeline_line_begin(t);
    haft__timeline_line_add_text(&l, HAFT__STYLE_PLAIN, "     ");
    haft__timeline_line_end_wrapped(&l, HAFT__STYLE_DIM, arguments);
}

void haft__timeline_call_finished(haft__timeline *t, const haft__event *event)
{
    haft__timeline_call call = haft__timeline_note_stopped(t, event);
    bool ok = haft__event_flag(event, "ok");
    haft_str below = {NULL, 0}; /* arguments that get their own line (verbose) */
    haft__buf details;
    haft__buf_init(&details, HAFT__TIMELINE_DETAILS_BYTES);
    haft__timeline_line l =
        haft__timeline_line_begin_item(t, ok ? HAFT__SYMBOL_DONE : HAFT__SYMBOL_FAILED,
                                       ok ? HAFT__STYLE_SUCCESS : HAFT__STYLE_ERROR);
    add_outcome(t, event, &details);
    if (t->verbose && columns_of(&call, &details) > l.left) {
        below = call.arguments;
        call.arguments = HAFT__LIT("");
    }
    haft__timeline_line_add_call(&l, &call, haft__width_of_text(haft__buf_str(&details)));
    haft__timeline_line_add_details(&l, &details);
    if (ok) {
        haft__timeline_line_end(&l);
    } else {
        haft__timeline_line_add_text(&l, HAFT__STYLE_ERROR, "  error: ");
        haft__timeline_line_end_wrapped(&l, HAFT__STYLE_PLAIN, haft__timeline_event_error(event));
    }
    if (below.len > 0) {
        add_wrapped_arguments(t, below);
    }
}
