/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handoff.c - calls that hand the run to another agent, and the handoff itself.
 * Tests: tests/run/handoff/handoff_test.c, tests/cli/handoffs_test.py.
 */
#include "run/handoff/handoff.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "run/decide/decide_int.h"

static haft_status reject_transfer(haft__decision *d, const haft__run_call *call, const char *hint)
{
    haft__outcome outcome = {.ok = false,
                             .text = haft__buf_str(&d->tools->text),
                             .where = HAFT__LIT(""),
                             .hint = haft__str(hint)};
    return haft__decide_builtin_result(d, call, &outcome);
}

/* If a reply has several transfers, only the first is accepted. */
haft_status haft__decide_transfer(haft__decision *d, const haft__run_call *call)
{
    const haft__handoff *handoff = haft__spec_find_handoff(d->spec, call->name);
    const haft__spec *spec = handoff != NULL ? haft__handoff_spec(d->run, handoff) : NULL;
    haft__buf *text = &d->tools->text;
    if (spec == NULL) { /* the spec of the run was changed */
        haft__buf_add_str(text, HAFT__LIT("the agent no longer exists"));
        return reject_transfer(d, call, "answer yourself");
    }
    if (haft__handoff_accepted(d->run) != NULL) {
        haft__buf_add_str(text,
                          HAFT__LIT("this reply already hands the conversation to another agent"));
        return reject_transfer(d, call, "only the first transfer of a reply is accepted");
    }
    if (d->run->handoffs >= HAFT__LIMIT_RUN_HANDOFFS) {
        haft__buf_addf(text, "the conversation was handed over %d times, the most that is allowed",
                       HAFT__LIMIT_RUN_HANDOFFS);
        return reject_transfer(d, call, "answer with what you know");
    }
    haft__json_writer w;
    haft__json_writer_init(&w, text);
    haft__json_begin_object(&w);
    haft__field_text(&w, "assistant", spec->name);
    haft__json_end_object(&w);
    haft__outcome outcome = {.ok = true, .text = haft__buf_str(text)};
    return haft__decide_builtin_result(d, call, &outcome);
}

haft_status haft__decide_handoff(haft__decision *d, const haft__run_call *call)
{
    const haft__handoff *handoff = haft__spec_find_handoff(d->spec, call->name);
    const haft__spec *spec = handoff != NULL ? haft__handoff_spec(d->run, handoff) : NULL;
    if (spec == NULL) {
        haft_error error = {0};
        (void)haft__fail(&error, HAFT_BAD_STATE, "", "the agent of %.*s no longer exists",
                         HAFT__ARG(call->name));
        return haft__decide_end(d, HAFT__END_FAILED, HAFT__LIT(""), false, "the handoff failed",
                                &error);
    }
    haft__decision_begin(d, HAFT__EVENT_HANDED_OFF);
    haft__field_text(&d->w, "call", call->id);
    haft__field_text(&d->w, "from", d->spec->name);
    haft__field_text(&d->w, "to", spec->name);
    haft__field_text_or_null(&d->w, "agent", handoff->agent);
    haft__field_text(&d->w, "spec", spec->hash);
    return haft__decision_commit(d);
}
