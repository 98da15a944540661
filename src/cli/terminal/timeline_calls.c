/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_calls.c - calls on a live terminal: the open line of a running call, and its outcome.
 *
 * Tests: tests/cli/terminal/timeline_test.c.
 */
#include "base/str.h"
#include "cli/terminal/amount.h"
#include "cli/terminal/timeline_int.h"
#include "cli/terminal/width.h"

void haft__timeline_line_add_call(haft__timeline_line *l, haft_str call, haft_str tool,
                                  haft_str arguments, size_t reserved)
{
    haft__timeline_line_add_cut(l, HAFT__STYLE_DIM, call, reserved);
    haft__timeline_line_add_text(l, HAFT__STYLE_PLAIN, " ");
    haft__timeline_line_add_cut(l, HAFT__STYLE_BOLD, tool, reserved);
    if (arguments.len > 2) { /* omit {} */
        haft__timeline_line_add_text(l, HAFT__STYLE_PLAIN, " ");
        haft__timeline_line_add_cut(l, HAFT__STYLE_PLAIN, arguments, reserved);
    }
}

void haft__timeline_redraw_line(haft__timeline *t, uint64_t now_ms)
{
    haft__buf small;
    haft__buf_init(&small, HAFT__TIMELINE_DETAILS_BYTES);
    uint64_t elapsed = now_ms > t->open_since_ms ? now_ms - t->open_since_ms : 0;
    if (elapsed >= 1000) {
        haft__buf_add_str(&small, HAFT__LIT("  "));
        haft__amount_add_duration(&small, elapsed - elapsed % 1000);
    }
    if (t->open == HAFT__OPEN_LINE_CALL) {
        haft__timeline_line l = {t, t->caps.width - 1};
        haft__buf_add_str(&t->out, HAFT__LIT("\r"));
        haft__timeline_line_add_text(&l, HAFT__STYLE_PLAIN, "   ");
        haft__timeline_line_add(&l, HAFT__STYLE_PLAIN, haft__symbol_text(t, HAFT__SYMBOL_RUNNING));
        haft__timeline_line_add_text(&l, HAFT__STYLE_PLAIN, " ");
        haft__timeline_line_add_call(&l, haft__buf_str(&t->open_call), haft__buf_str(&t->open_tool),
                                     haft__buf_str(&t->open_arguments), small.len);
        if (t->progress.len > 0) {
            haft__timeline_line_add_text(&l, HAFT__STYLE_DIM, "  ");
            haft__timeline_line_add_cut(&l, HAFT__STYLE_DIM, haft__buf_str(&t->progress),
                                        small.len);
        }
        haft__timeline_line_add(&l, HAFT__STYLE_DIM, haft__buf_str(&small));
    } else {
        haft__timeline_line l = haft__timeline_line_begin(t);
        haft__timeline_line_add_text(&l, HAFT__STYLE_DIM, "   waits for the model");
        haft__timeline_line_add(&l, HAFT__STYLE_DIM, haft__buf_str(&small));
        t->open = HAFT__OPEN_LINE_MODEL;
    }
    haft__buf_add_str(&t->out, HAFT__LIT("\x1b[K"));
    haft__buf_finish(&small);
}

/* The first running call has the open line; further ones have separate lines. */
void haft__timeline_call_started(haft__timeline *t, const haft__event *event)
{
    haft_str arguments = haft__timeline_event_json(t, event, "arguments");
    haft__timeline_line l =
        haft__timeline_line_begin_item(t, HAFT__SYMBOL_RUNNING, HAFT__STYLE_PLAIN);
    haft__timeline_line_add_call(&l, haft__timeline_event_text(event, "call"),
                                 haft__timeline_event_text(event, "tool"), arguments, 0);
    if (t->running++ > 0) {
        haft__timeline_line_end(&l);
        return;
    }
    t->open = HAFT__OPEN_LINE_CALL;
    t->open_since_ms = event->at_ms;
    t->open_seconds = 0;
    haft__buf_clear(&t->progress);
    haft__buf_clear(&t->open_call);
    haft__buf_clear(&t->open_tool);
    haft__buf_clear(&t->open_arguments);
    haft__buf_add_str(&t->open_call, haft__timeline_event_text(event, "call"));
    haft__buf_add_str(&t->open_tool, haft__timeline_event_text(event, "tool"));
    haft__buf_add_str(&t->open_arguments, arguments);
}

/* "  12 ms · 1.2 KB" */
static void add_outcome(const haft__timeline *t, const haft__event *event, haft__buf *small)
{
    haft__buf_add_str(small, HAFT__LIT("  "));
    haft__amount_add_duration(small, haft__timeline_event_number(event, "ms"));
    if (haft__event_flag(event, "ok")) {
        haft__timeline_add_separator(t, small);
        haft__amount_add_bytes(small, haft__timeline_event_text(event, "result").len);
    }
    if (haft__event_flag(event, "cached")) {
        haft__timeline_add_separator(t, small);
        haft__buf_add_str(small, HAFT__LIT("cached"));
    }
    if (haft__event_flag(event, "truncated")) {
        haft__timeline_add_separator(t, small);
        haft__buf_add_str(small, HAFT__LIT("truncated"));
    }
}

void haft__timeline_call_finished(haft__timeline *t, const haft__event *event)
{
    haft_str call = haft__timeline_event_text(event, "call"), arguments;
    bool ok = haft__event_flag(event, "ok");
    bool own =
        t->open == HAFT__OPEN_LINE_CALL && haft__str_equal(call, haft__buf_str(&t->open_call));
    haft__buf small;
    haft__buf_init(&small, HAFT__TIMELINE_DETAILS_BYTES);
    t->running -= t->running > 0 ? 1 : 0;
    if (own) {
        arguments = haft__arena_copy(&t->arena, haft__buf_str(&t->open_arguments));
        haft__buf_add_str(&t->out, HAFT__LIT("\r"));
        t->open = HAFT__OPEN_LINE_NONE;
    } else {
        arguments = haft__timeline_event_json(t, event, "arguments");
    }
    haft__timeline_line l =
        haft__timeline_line_begin_item(t, ok ? HAFT__SYMBOL_DONE : HAFT__SYMBOL_FAILED,
                                       ok ? HAFT__STYLE_SUCCESS : HAFT__STYLE_ERROR);
    add_outcome(t, event, &small);
    haft__timeline_line_add_call(&l, call, haft__timeline_event_text(event, "tool"), arguments,
                                 haft__width_of_text(haft__buf_str(&small))
                                     + (ok ? 0 : l.left / 2));
    haft__timeline_line_add_details(&l, &small);
    if (!ok) {
        haft__timeline_line_add_text(&l, HAFT__STYLE_ERROR, "  error: ");
        haft__timeline_line_add_cut(&l, HAFT__STYLE_PLAIN, haft__timeline_event_error(event), 0);
    }
    haft__buf_add_str(&t->out, own ? HAFT__LIT("\x1b[K\n") : HAFT__LIT("\n"));
}
