/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph.c - decides the next event of a run of a graph: a step, the end, or an event of a call.
 * Calls of a graph are decided like calls of a model. src/graph/run folds the state of the graph;
 * only its code changes that state. Tests: tests/graph/run/graph_run_test.c.
 */
#include "base/error.h"
#include "base/str.h"
#include "run/decide/decide_int.h"
#include "run/offer/resolve.h"

static haft_status decide_step(haft__decision *d, haft__json step)
{
    haft__decision_begin(d, HAFT__EVENT_GRAPH_STEP);
    for (uint32_t i = 0; i < step.count; i++) {
        haft__json_key_str(&d->w, haft__json_text(step.members[i].key));
        haft__json_add(&d->w, step.members[i].value);
    }
    return haft__decision_commit(d);
}

static haft_status decide_end(haft__decision *d, const haft__graph_next *next)
{
    haft_error error = {0};
    bool failed = next->code.len > 0;
    if (failed) {
        char where[sizeof(error.where)];
        (void)snprintf(where, sizeof(where), "%.*s", HAFT__ARG(next->failed));
        haft_status status =
            haft__fail(&error, HAFT_BAD_STATE, where, "%.*s", HAFT__ARG(next->reason));
        (void)haft__hint(&error, status, "`haft resume` runs the nodes that failed again");
        haft__buf_addf(&d->tools->text, "%.*s: ", HAFT__ARG(next->code));
    }
    haft__buf_add_str(&d->tools->text, next->reason);
    haft__buf_add_char(&d->tools->text, '\0');
    haft_status status = haft__buf_check(&d->tools->text, d->err);
    return status == HAFT_OK
               ? haft__decide_end(d, next->end, next->answer, false, d->tools->text.ptr,
                                  next->end == HAFT__END_FAILED ? &error : NULL)
               : status;
}

haft_str haft__decide_last_text(const haft__run *run)
{
    bool answers = run->graph_next.answer.ptr != NULL;
    return !haft__run_is_graph(run) ? run->observation
           : answers                ? run->graph_next.answer
                                    : HAFT__LIT("");
}

/* A call for which no node waits since a person has changed the state; NULL if there is none. It
 * gets its result before the step and the end of the run. */
static const haft__run_call *find_closed(const haft__run *run)
{
    for (size_t i = run->batch; i < run->call_count; i++) {
        if (run->calls[i].closed && run->calls[i].stage == HAFT__CALL_ANSWERED) {
            return &run->calls[i];
        }
    }
    return NULL;
}

haft_status haft__decide_graph(haft__decision *d)
{
    const haft__graph_next *next = &d->run->graph_next;
    const haft__run_call *closed =
        next->kind != HAFT__GRAPH_NEXT_CALLS ? find_closed(d->run) : NULL;
    if (closed != NULL) {
        haft__buf_clear(&d->tools->text);
        return haft__decide_refuse_closed(d, closed);
    }
    switch (next->kind) {
    case HAFT__GRAPH_NEXT_CALLS: return haft__decide_calls(d);
    case HAFT__GRAPH_NEXT_STEP:
        if (!d->run->initial_search_done && haft__resolve_needs_servers(d->spec)) {
            *d->effect = (haft__effect){.kind = HAFT__EFFECT_SEARCH_TOOLS};
            return HAFT_OK;
        }
        return decide_step(d, next->step);
    case HAFT__GRAPH_NEXT_THREAD:
        *d->effect = (haft__effect){.kind = HAFT__EFFECT_READ_THREAD};
        return HAFT_OK;
    case HAFT__GRAPH_NEXT_END: return decide_end(d, next);
    }
    HAFT__UNREACHABLE();
}
