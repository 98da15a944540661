/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_calls.c - calls on a terminal: the open line of the one that runs, and what came of it.
 *
 * Tests: tests/cli/terminal/timeline_test.c.
 */
#include "base/str.h"
#include "cli/terminal/amount.h"
#include "cli/terminal/timeline_int.h"
#include "cli/terminal/width.h"

void haft__line_call(haft__line *l, haft_str call, haft_str tool, haft_str arguments,
                     size_t reserved)
{
    haft__line_cut(l, HAFT__DIM, call, reserved);
    haft__line_say(l, HAFT__PLAIN, " ");
    haft__line_cut(l, HAFT__BOLD, tool, reserved);
    if (arguments.len > 2) { /* {} says nothing */
        haft__line_say(l, HAFT__PLAIN, " ");
        haft__line_cut(l, HAFT__PLAIN, arguments, reserved);
    }
}

void haft__timeline_redraw(haft__timeline *t, uint64_t now_ms)
{
    haft__buf small;
    haft__buf_init(&small, HAFT__SMALL_BYTES);
    uint64_t taken = now_ms > t->open_since_ms ? now_ms - t->open_since_ms : 0;
    if (taken >= 1000) {
        haft__buf_add_str(&small, HAFT__LIT("  "));
        haft__add_time(&small, taken - taken % 1000);
    }
    if (t->open == HAFT__OPEN_CALL) {
        haft__line l = {t, t->look.width - 1};
        haft__buf_add_str(&t->out, HAFT__LIT("\r"));
        haft__line_say(&l, HAFT__PLAIN, "   ");
        haft__line_put(&l, HAFT__PLAIN, haft__mark_of(t, HAFT__MARK_RUNS));
        haft__line_say(&l, HAFT__PLAIN, " ");
        haft__line_call(&l, haft__buf_str(&t->open_call), haft__buf_str(&t->open_tool),
                        haft__buf_str(&t->open_arguments), small.len);
        if (t->progress.len > 0) {
            haft__line_say(&l, HAFT__DIM, "  ");
            haft__line_cut(&l, HAFT__DIM, haft__buf_str(&t->progress), small.len);
        }
        haft__line_put(&l, HAFT__DIM, haft__buf_str(&small));
    } else {
        haft__line l = haft__line_start(t);
        haft__line_say(&l, HAFT__DIM, "   waits for the model");
        haft__line_put(&l, HAFT__DIM, haft__buf_str(&small));
        t->open = HAFT__OPEN_WAIT;
    }
    haft__buf_add_str(&t->out, HAFT__LIT("\x1b[K"));
    haft__buf_finish(&small);
}

/* The first that runs has the open line; those beside it have lines of their own. */
void haft__timeline_call_started(haft__timeline *t, const haft__event *event)
{
    haft_str arguments = haft__told_json(t, event, "arguments");
    haft__line l = haft__line_item(t, HAFT__MARK_RUNS, HAFT__PLAIN);
    haft__line_call(&l, haft__told_text(event, "call"), haft__told_text(event, "tool"), arguments,
                    0);
    if (t->running++ > 0) {
        haft__line_end(&l);
        return;
    }
    t->open = HAFT__OPEN_CALL;
    t->open_since_ms = event->at_ms;
    t->open_seconds = 0;
    haft__buf_clear(&t->progress);
    haft__buf_clear(&t->open_call);
    haft__buf_clear(&t->open_tool);
    haft__buf_clear(&t->open_arguments);
    haft__buf_add_str(&t->open_call, haft__told_text(event, "call"));
    haft__buf_add_str(&t->open_tool, haft__told_text(event, "tool"));
    haft__buf_add_str(&t->open_arguments, arguments);
}

/* "  12 ms · 1.2 KB" */
static void add_outcome(const haft__timeline *t, const haft__event *event, haft__buf *small)
{
    haft__buf_add_str(small, HAFT__LIT("  "));
    haft__add_time(small, haft__told_number(event, "ms"));
    if (haft__event_flag(event, "ok")) {
        haft__add_dot(t, small);
        haft__add_size(small, haft__told_text(event, "result").len);
    }
    if (haft__event_flag(event, "cached")) {
        haft__add_dot(t, small);
        haft__buf_add_str(small, HAFT__LIT("cached"));
    }
    if (haft__event_flag(event, "truncated")) {
        haft__add_dot(t, small);
        haft__buf_add_str(small, HAFT__LIT("cut for the model"));
    }
}

void haft__timeline_call_finished(haft__timeline *t, const haft__event *event)
{
    haft_str call = haft__told_text(event, "call"), arguments;
    bool ok = haft__event_flag(event, "ok");
    bool own = t->open == HAFT__OPEN_CALL && haft__str_equal(call, haft__buf_str(&t->open_call));
    haft__buf small;
    haft__buf_init(&small, HAFT__SMALL_BYTES);
    t->running -= t->running > 0 ? 1 : 0;
    if (own) {
        arguments = haft__arena_copy(&t->arena, haft__buf_str(&t->open_arguments));
        haft__buf_add_str(&t->out, HAFT__LIT("\r"));
        t->open = HAFT__OPEN_NONE;
    } else {
        arguments = haft__told_json(t, event, "arguments");
    }
    haft__line l =
        haft__line_item(t, ok ? HAFT__MARK_DONE : HAFT__MARK_FAILED, ok ? HAFT__GOOD : HAFT__BAD);
    add_outcome(t, event, &small);
    haft__line_call(&l, call, haft__told_text(event, "tool"), arguments,
                    haft__width(haft__buf_str(&small)) + (ok ? 0 : l.left / 2));
    haft__line_put_small(&l, &small);
    if (!ok) {
        haft__line_say(&l, HAFT__BAD, "  error: ");
        haft__line_cut(&l, HAFT__PLAIN, haft__told_error(event), 0);
    }
    haft__buf_add_str(&t->out, own ? HAFT__LIT("\x1b[K\n") : HAFT__LIT("\n"));
}
