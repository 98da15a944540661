/* SPDX-License-Identifier: Apache-2.0 */
/* agent_tree.c - see agent_tree.h. Tests: tests/cli/terminal/agent_tree_test.c. */
#include "cli/terminal/agent_tree.h"

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "cli/terminal/width.h"
#include "run/run.h"

#define NAME_COLUMNS 24U
#define INDENT       2U

/* The appearance of each state: a symbol, its ASCII form, and a colour. */
static const struct {
    const char *symbol, *plain, *colour, *name;
} looks[] = {
    [HAFT__AGENT_WORKS] = {"\xE2\x97\x8F", "*", "\x1b[36m", "at work"},
    [HAFT__AGENT_WAITS] = {"\xE2\x97\x8C", "?", "\x1b[33m", "waiting"},
    [HAFT__AGENT_DONE] = {"\xE2\x9C\x93", "+", "\x1b[32m", "done"},
    [HAFT__AGENT_FAILED] = {"\xE2\x9C\x97", "x", "\x1b[31m", "failed"},
};

/* The order of states in which agents get a line, if there are too many agents. */
static const haft__agent_state line_order[] = {HAFT__AGENT_FAILED, HAFT__AGENT_WAITS,
                                               HAFT__AGENT_WORKS, HAFT__AGENT_DONE};

/* ---- one line ---- */

static void add_mark(haft__buf *out, haft__agent_state state, const haft__terminal_caps *caps)
{
    haft__buf_addf(out, "%s%s%s ", caps->colour ? looks[state].colour : "",
                   caps->symbols ? looks[state].symbol : looks[state].plain,
                   caps->colour ? "\x1b[0m" : "");
}

static void add_amounts(haft__buf *text, const haft__agent_row *row)
{
    if (row->most_turns > 0) {
        haft__buf_addf(text, ", turn %u/%u", row->turns, row->most_turns);
    }
    if (row->tokens > 0) {
        haft__buf_addf(text, ", %llu tokens", (unsigned long long)row->tokens);
    }
    if (row->cost_parts > 0) {
        haft__buf_addf(text, ", $");
        haft__cost_write(text, row->cost_parts);
    }
}

static void add_row(haft__buf *out, const haft__agent_row *row, const haft__terminal_caps *caps)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    size_t indent = (size_t)row->depth * INDENT;
    size_t room = caps->width > indent + 3 ? caps->width - indent - 3 : 1;
    haft_str name = row->name.len > 0 ? row->name : HAFT__LIT("agent");
    haft__buf_addf(&text, "%.*s", HAFT__ARG(name));
    add_amounts(&text, row);
    if (row->note.len > 0) {
        haft__buf_addf(&text, ", %.*s", HAFT__ARG(row->note));
    }
    if (row->task.len > 0) {
        haft__buf_addf(&text, ": %.*s", HAFT__ARG(row->task));
    }
    haft__buf_addf(out, "%*s", (int)indent, "");
    add_mark(out, row->state, caps);
    (void)haft__escape_add_line(out, haft__buf_str(&text), room,
                                caps->symbols ? HAFT__LIT("\xE2\x80\xA6") : HAFT__LIT("..."));
    haft__buf_add_char(out, '\n');
    out->status = text.status != HAFT_OK ? text.status : out->status;
    haft__buf_finish(&text);
}

/* ---- omitted agents ---- */

/* Adds a line such as "... and 20 more: 3 at work, 17 done". */
static void add_rest(haft__buf *out, const size_t *left)
{
    size_t total = 0;
    for (size_t i = 0; i < COUNT(looks); i++) {
        total += left[i];
    }
    haft__buf_addf(out, "  ... and %zu more: ", total);
    const char *separator = "";
    for (size_t i = 0; i < COUNT(line_order); i++) {
        if (left[line_order[i]] > 0) {
            haft__buf_addf(out, "%s%zu %s", separator, left[line_order[i]],
                           looks[line_order[i]].name);
            separator = ", ";
        }
    }
    haft__buf_add_char(out, '\n');
}

/* Computes how many agents of each state get a line. The first agent always gets a line and does
 * not count. */
static void share_lines(const haft__agent_row *rows, size_t count, size_t *ret_shown)
{
    size_t of_state[COUNT(looks)] = {0}, room = HAFT__LIMIT_AGENT_ROWS - 1;
    for (size_t i = 1; i < count; i++) {
        of_state[rows[i].state]++;
    }
    for (size_t i = 0; i < COUNT(line_order); i++) {
        haft__agent_state state = line_order[i];
        ret_shown[state] = of_state[state] < room ? of_state[state] : room;
        room -= ret_shown[state];
    }
}

size_t haft__agent_tree_draw(haft__buf *out, const haft__agent_row *rows, size_t count,
                             const haft__terminal_caps *caps)
{
    size_t shown[COUNT(looks)] = {0}, left[COUNT(looks)] = {0}, lines = 0;
    share_lines(rows, count, shown);
    for (size_t i = 0; i < count; i++) {
        haft__agent_state state = rows[i].state;
        if (i > 0 && shown[state] == 0) {
            left[state]++;
            continue;
        }
        shown[state] -= i > 0 ? 1 : 0;
        add_row(out, &rows[i], caps);
        lines++;
    }
    if (lines < count) {
        add_rest(out, left);
        lines++;
    }
    return lines;
}
