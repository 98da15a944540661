/* SPDX-License-Identifier: Apache-2.0 */
/*
 * no_progress.c - detects a model that repeats itself: first a hint, then a refusal, then the end.
 *
 * haft__no_progress_check() predicts a repetition from the calls, before the result is known.
 * haft__no_progress_note() compares the results. A new result ends every series except the newest,
 * which starts again at 1. The calls of one reply count once, because the model has not read any of
 * their results; so a series grows by at most one for each reply.
 *
 * Tests: tests/choice/no_progress_test.c.
 */
#include "base/str.h"
#include "choice/choice.h"
#include "tool/wire_name.h"

static bool continues(const haft__no_progress_row *row, const haft__no_progress_call *call)
{
    bool same_call = row->last.call == call->call && row->last.failed == call->failed;
    bool same_error = row->last.failed && call->failed && row->last.tool == call->tool;
    return row->count > 0 && row->last.result == call->result && (same_call || same_error);
}

static bool may_continue(const haft__no_progress_row *row, uint64_t tool, uint64_t call)
{
    return row->count > 0
           && (row->last.call == call || (row->last.failed && row->last.tool == tool));
}

static uint32_t count_with_next(const haft__no_progress_row *row, uint32_t turn)
{
    return row->count + (row->turn != turn);
}

haft__no_progress_verdict haft__no_progress_check(const haft__no_progress *progress,
                                                  const haft__repeat_limits *limits, uint64_t tool,
                                                  uint64_t call, uint32_t turn)
{
    uint32_t count = 0;
    for (size_t i = 0; i < HAFT__NO_PROGRESS_ROWS; i++) {
        const haft__no_progress_row *row = &progress->rows[i];
        if (may_continue(row, tool, call) && count_with_next(row, turn) > count) {
            count = count_with_next(row, turn);
        }
    }
    return count >= limits->end      ? HAFT__NO_PROGRESS_STOP
           : count >= limits->refuse ? HAFT__NO_PROGRESS_REFUSE
           : count >= limits->hint   ? HAFT__NO_PROGRESS_HINT
                                     : HAFT__NO_PROGRESS_FINE;
}

bool haft__no_progress_note(haft__no_progress *progress, haft__no_progress_call call, uint32_t turn)
{
    haft__no_progress_row *rows = progress->rows;
    haft__no_progress_row row = {.count = 0};
    size_t found = 0;
    while (found < HAFT__NO_PROGRESS_ROWS && !continues(&rows[found], &call)) {
        found++;
    }
    bool repetition = found < HAFT__NO_PROGRESS_ROWS;
    if (repetition) {
        row = rows[found];
    } else {
        found = HAFT__NO_PROGRESS_ROWS - 1;
        rows[0].count = rows[0].count > 0;
    }
    row.count = row.turn != turn || !repetition ? row.count + 1 : row.count;
    row.turn = turn;
    row.last = call;
    memmove(&rows[1], &rows[0], found * sizeof(rows[0]));
    rows[0] = row;
    return repetition;
}

void haft__no_progress_note_refused(haft__no_progress *progress, uint64_t tool, uint32_t turn)
{
    haft__no_progress_row *longest = NULL;
    for (size_t i = 0; i < HAFT__NO_PROGRESS_ROWS; i++) {
        haft__no_progress_row *row = &progress->rows[i];
        if (row->count > 0 && row->last.tool == tool
            && (longest == NULL || row->count > longest->count)) {
            longest = row;
        }
    }
    if (longest != NULL) {
        longest->count = count_with_next(longest, turn);
        longest->turn = turn;
    }
}

void haft__no_progress_explain(haft__buf *buf, haft__no_progress_verdict verdict, haft_str tool)
{
    haft__wire_name wire = haft__wire_name_encode(tool);
    switch (verdict) {
    case HAFT__NO_PROGRESS_FINE: return;
    case HAFT__NO_PROGRESS_HINT:
        haft__buf_addf(buf,
                       "This is the same result as before. Use what you have, call %s with other "
                       "arguments, or try another tool.",
                       wire.text);
        return;
    case HAFT__NO_PROGRESS_REFUSE:
        haft__buf_addf(buf,
                       "Not run: %s has returned the same result again and again. Use what you "
                       "have, or do something else; more repetitions end the run.",
                       wire.text);
        return;
    case HAFT__NO_PROGRESS_STOP:
        haft__buf_addf(buf, "no progress: %.*s was called again after repetitions were refused",
                       HAFT__ARG(tool));
        return;
    }
    HAFT__UNREACHABLE();
}
