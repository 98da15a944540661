/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wall.c - the end of a run that reached limits.wall inside a model call or tool call. Tests:
 * tests/run/decide/wall_test.c.
 */
#include <inttypes.h>

#include "base/limits.h"
#include "base/str.h"
#include "run/decide/decide_int.h"
#include "run/host.h"

/* Finishes a cancelled call. If the call may have had its effect, its result says that the outcome
 * is unknown. */
static haft_status finish_cancelled(haft__decision *d, const haft__run_call *call)
{
    bool repeatable = haft__call_is_repeatable(call);
    haft__outcome outcome = {
        .ok = false,
        .text = repeatable
                    ? HAFT__LIT("the call was cancelled: the time budget is used up")
                    : HAFT__LIT(
                        "the outcome is unknown: the call was cancelled because the time budget "
                        "is used up, and it may or may not have had its "
                        "effect"),
        .where = HAFT__LIT("limits.wall"),
        .hint = repeatable ? HAFT__LIT("raise limits.wall")
                           : HAFT__LIT("find out before you call it again"),
    };
    haft__buf_clear(&d->tools->body);
    haft__input_call_finished(&d->tools->body, d->run, call, &outcome);
    *d->effect = (haft__effect){.kind = HAFT__EFFECT_EVENT, .body = haft__buf_str(&d->tools->body)};
    return haft__buf_check(&d->tools->body, d->err);
}

/* "time budget used up (2.5 s of 2 s); the outcome is unknown: c1.2, c1.3" */
static void write_reason(haft__decision *d)
{
    const haft__run *run = d->run;
    haft__buf *text = &d->tools->text;
    uint64_t limit = d->spec->limits.wall_ms;
    haft__buf_addf(
        text, "time budget used up (%" PRIu64 ".%03" PRIu64 " s of %" PRIu64 ".%03" PRIu64 " s)",
        run->worked_ms / 1000, run->worked_ms % 1000, limit / 1000, limit % 1000);
    bool first = true;
    for (size_t i = run->batch; i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        if (call->cut_off && !haft__call_is_repeatable(call)) {
            haft__buf_addf(text, "%s%.*s", first ? "; the outcome is unknown: " : ", ",
                           HAFT__ARG(call->id));
            first = false;
        }
    }
    haft__buf_add_char(text, '\0');
}

/* A final turn that a budget forced has additional time, because the used-up budget may be
 * limits.wall. */
uint64_t haft__run_wall_limit(const haft__run *run)
{
    uint64_t limit = run->spec->limits.wall_ms;
    bool extended = run->forced_by_limit && run->worked_ms >= limit;
    return extended ? run->worked_ms + HAFT__LIMIT_RUN_FINAL_MS : limit;
}

haft_status haft__decide_wall(haft__decision *d)
{
    const haft__run *run = d->run;
    for (size_t i = run->batch; i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        if (call->stage == HAFT__CALL_STARTED && haft__call_needs_host(call)) {
            return finish_cancelled(d, call);
        }
    }
    if (haft__child_any_open(run)) {
        return haft__decide_wait_for_children(d);
    }
    write_reason(d);
    haft_status status = haft__buf_check(&d->tools->text, d->err);
    return status == HAFT_OK ? haft__decide_end(d, HAFT__END_EXHAUSTED, haft__decide_last_text(run),
                                                false, d->tools->text.ptr, NULL)
                             : status;
}
