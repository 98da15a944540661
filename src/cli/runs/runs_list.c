/* SPDX-License-Identifier: Apache-2.0 */
/* runs_list.c - see cli/runs/runs_list.h. Tests: tests/cli/runs/runs_list_test.c,
 * tests/cli/store_test.py. */
#include "cli/runs/runs_list.h"

#include "base/str.h"
#include "cli/terminal/amount.h"
#include "cli/terminal/width.h"
#include "engine/ops/run_list.h"

/* Minimum width of a terminal for the columns of turns and calls. */
#define WIDE_COLUMNS 100
/* Maximum columns of a task if the output is not a terminal. */
#define TASK_COLUMNS  73
#define AGE_COLUMNS   6
#define STATE_COLUMNS 10
#define INDENT        2

/* Returns the end or the state of a run. A run that no process owns is "stopped". */
static haft_str state_of(const haft__store_run *row, bool owned)
{
    bool ended = row->state == HAFT__RUN_STATE_ENDED && !row->damaged;
    haft_str state = ended ? row->end : haft__run_list_state(row);
    bool running = haft__str_equal(state, haft__str(haft__run_state_name(HAFT__RUN_STATE_RUNNING)));
    return running && !owned ? HAFT__LIT("stopped") : state;
}

static void add_age(haft__buf *buf, const haft__store_run *row, uint64_t now_ms)
{
    haft__buf age;
    haft__buf_init(&age, 64);
    haft__amount_add_age(&age, now_ms > row->created_ms ? now_ms - row->created_ms : 0);
    haft__buf_addf(buf, "%*.*s", AGE_COLUMNS, HAFT__ARG(haft__buf_str(&age)));
    haft__buf_finish(&age);
}

void haft__runs_list_add_line(haft__buf *buf, const haft__store_run *row, bool owned,
                              const haft__runs_list_view *view)
{
    size_t before = buf->len;
    haft__buf_add_str(buf, row->id);
    haft__buf_add_str(buf, HAFT__LIT("  "));
    add_age(buf, row, view->now_ms);
    haft__buf_addf(buf, "  %-*.*s  ", STATE_COLUMNS, HAFT__ARG(state_of(row, owned)));
    if (view->width == 0 || view->width >= WIDE_COLUMNS) {
        haft__buf_addf(buf, "%3u %-5s  %3u %-5s  ", row->turns, row->turns == 1 ? "turn" : "turns",
                       row->calls, row->calls == 1 ? "call" : "calls");
    }
    size_t used = buf->len - before; /* ASCII */
    size_t room = view->width == 0         ? TASK_COLUMNS
                  : view->width > used + 1 ? view->width - 1 - used
                                           : 0;
    for (uint32_t i = 0; i < view->depth && room > INDENT; i++) {
        haft__buf_addf(buf, "%*s", INDENT, "");
        room -= INDENT;
    }
    if (view->depth > 0 && row->name.len > 0) {
        room -= haft__escape_add_line(buf, row->name, room / 2, HAFT__LIT("..."));
        size_t colon = room < 2 ? room : 2;
        haft__buf_add_str(buf, (haft_str){": ", colon});
        room -= colon;
    }
    (void)haft__escape_add_line(buf, haft__str_trim(row->task), room, HAFT__LIT("..."));
    haft__buf_add_char(buf, '\n');
}
