/* SPDX-License-Identifier: Apache-2.0 */
/*
 * no_progress.c - detects a model that repeats itself: first a hint, then a refusal, then the end.
 *
 * Only the result shows whether a call repeats itself, so there are two functions:
 * haft__no_progress_check() predicts from the calls, haft__no_progress_note() compares the results.
 * A polling call with a new result is no repetition. A call with new arguments is refused for the
 * errors of other calls only after three equal errors in a row: before that, it may be the one that
 * corrects them. Refused calls are only counted; `last` keeps the cycle.
 *
 * Tests: tests/choice/no_progress_test.c.
 */
#include "base/str.h"
#include "choice/choice.h"
#include "tool/wire_name.h"

static bool same_call(const haft__no_progress_call *a, const haft__no_progress_call *b)
{
    return a->call == b->call && a->result == b->result;
}

static bool same_error(const haft__no_progress_call *a, const haft__no_progress_call *b)
{
    return a->failed && b->failed && a->tool == b->tool && a->result == b->result;
}

/* Whether the last calls were B-A-B, so that A would continue the cycle. */
static bool alternates(const haft__no_progress *progress, uint64_t call)
{
    const haft__no_progress_call *last = progress->last;
    return progress->count == HAFT__NO_PROGRESS_WINDOW && same_call(&last[0], &last[2])
           && last[1].call == call;
}

static bool keeps_failing(const haft__no_progress *progress, uint64_t tool)
{
    const haft__no_progress_call *last = progress->last;
    return progress->count == HAFT__NO_PROGRESS_WINDOW && last[2].tool == tool
           && same_error(&last[0], &last[1]) && same_error(&last[1], &last[2]);
}

haft__no_progress_verdict haft__no_progress_check(const haft__no_progress *progress, uint64_t tool,
                                                  uint64_t call)
{
    bool again = progress->count > 0 && progress->last[progress->count - 1].call == call;
    if (!again && !alternates(progress, call) && !keeps_failing(progress, tool)) {
        return HAFT__NO_PROGRESS_FINE;
    }
    if (progress->refused > 0) {
        return HAFT__NO_PROGRESS_STOP;
    }
    return progress->repeated > 0 ? HAFT__NO_PROGRESS_REFUSE : HAFT__NO_PROGRESS_HINT;
}

static bool is_repetition(const haft__no_progress *progress, const haft__no_progress_call *call)
{
    if (progress->count == 0) {
        return false;
    }
    const haft__no_progress_call *last = &progress->last[progress->count - 1];
    return same_call(last, call) || same_error(last, call)
           || (alternates(progress, call->call) && same_call(&progress->last[1], call));
}

bool haft__no_progress_note(haft__no_progress *progress, haft__no_progress_call call)
{
    bool repetition = is_repetition(progress, &call);
    progress->repeated = repetition ? progress->repeated + 1 : 0;
    progress->refused = repetition ? progress->refused : 0;
    if (progress->count == HAFT__NO_PROGRESS_WINDOW) {
        progress->count--;
        memmove(&progress->last[0], &progress->last[1],
                progress->count * sizeof(progress->last[0]));
    }
    progress->last[progress->count++] = call;
    return repetition;
}

void haft__no_progress_note_refused(haft__no_progress *progress)
{
    progress->repeated++;
    progress->refused++;
}

void haft__no_progress_explain(haft__buf *buf, haft__no_progress_verdict verdict, haft_str tool)
{
    haft__wire_name wire = haft__wire_name_encode(tool);
    switch (verdict) {
    case HAFT__NO_PROGRESS_FINE: return;
    case HAFT__NO_PROGRESS_HINT:
        haft__buf_addf(buf,
                       "This brought nothing new: it is what came back before. Use what you have, "
                       "call %s with other arguments, or try another tool.",
                       wire.text);
        return;
    case HAFT__NO_PROGRESS_REFUSE:
        haft__buf_addf(buf,
                       "Not run: calling %s in this way has brought nothing new. Use what you "
                       "have, or do something else; the next repetition ends the run.",
                       wire.text);
        return;
    case HAFT__NO_PROGRESS_STOP:
        haft__buf_addf(buf, "no progress: %.*s was called again after a repetition was refused",
                       HAFT__ARG(tool));
        return;
    }
    HAFT__UNREACHABLE();
}
