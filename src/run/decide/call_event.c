/* SPDX-License-Identifier: Apache-2.0 */
/* call_event.c - writes the events of a decided call: refused, started or finished without running.
 * Tests: tests/run/decide/decide_test.c. */
#include "base/str.h"
#include "prompt/observation.h"
#include "run/arguments.h"
#include "run/decide/decide_int.h"
#include "run/host.h"
#include "run/middleware/middleware.h"
#include "run/offer/narrowing.h"
#include "tool/wire_name.h"

/* Maximum number of names in an error. */
#define NAMES_SHOWN 20

/* ---- refusals ---- */

haft_status haft__decide_refuse(haft__decision *d, const haft__run_call *call, const char *why)
{
    haft__decision_begin(d, HAFT__EVENT_CALL_REFUSED);
    haft__field_text(&d->w, "call", call->id);
    haft__field_text(&d->w, "model_call", call->model_call);
    haft__field_text(&d->w, "tool", call->name);
    haft__field_text(&d->w, "why", haft__str(why));
    haft__field_text(&d->w, "text", haft__buf_str(&d->tools->text));
    haft__field_node(&d->w, call);
    return haft__decision_commit(d);
}

haft_status haft__decide_refuse_closed(haft__decision *d, const haft__run_call *call)
{
    haft__buf_add_str(&d->tools->text,
                      HAFT__LIT("A person changed the state of the graph, and its node does not "
                                "wait for this call any more."));
    return haft__decide_refuse(d, call, "edited");
}

/* Appends the tools that may be called in this turn. */
static void list_allowed(haft__decision *d)
{
    haft__buf *text = &d->tools->text;
    unsigned shown = 0;
    for (size_t i = 0; i < d->run->tools->count && shown <= NAMES_SHOWN; i++) {
        if (d->run->allowed[i]) {
            haft__buf_add_str(text, shown == 0 ? HAFT__LIT(" Tools you can call now: ")
                                               : HAFT__LIT(", "));
            if (shown++ == NAMES_SHOWN) {
                haft__buf_add_str(text, HAFT__LIT("..."));
            } else {
                haft__wire_name_add(text, d->run->tools->items[i]->name);
            }
        }
    }
    haft__buf_add_str(text, shown > 0 ? HAFT__LIT(".") : HAFT__LIT(""));
}

haft_status haft__decide_refuse_unknown(haft__decision *d, const haft__run_call *call)
{
    haft_str near = haft__tools_nearest(d->run->tools, call->name);
    haft__buf_addf(&d->tools->text, "Error: there is no tool named \"%.*s\".",
                   HAFT__ARG(call->name));
    if (near.ptr != NULL) {
        haft__wire_name wire = haft__wire_name_encode(near);
        haft__buf_addf(&d->tools->text, " Did you mean \"%s\"?", wire.text);
    }
    list_allowed(d);
    return haft__decide_refuse(d, call, "unknown");
}

/* Says which skill does not allow the tool. */
static haft_status explain_narrowing(haft__decision *d, const haft__run_call *call)
{
    haft__narrowing narrowing;
    haft_status status = haft__narrowing_collect(d->run, &d->tools->scratch, &narrowing, d->err);
    const haft__skill *skill =
        status == HAFT_OK ? haft__narrowing_find(&narrowing, d->spec, call->tool) : NULL;
    if (skill != NULL) {
        haft__buf_addf(&d->tools->text,
                       " The skill %.*s, which you have read, allows only some tools for the rest "
                       "of this run, and not this one.",
                       HAFT__ARG(skill->name));
    }
    const haft__middleware *entry = haft__selection_find(d->run, call->tool);
    if (status == HAFT_OK && entry != NULL) {
        haft__buf_addf(&d->tools->text, " %.*s leaves it out.", HAFT__ARG(entry->name));
    }
    return status;
}

haft_status haft__decide_refuse_not_allowed(haft__decision *d, const haft__run_call *call)
{
    haft__buf_add_str(&d->tools->text, HAFT__LIT("Error: "));
    haft__wire_name_add(&d->tools->text, call->name);
    haft__buf_add_str(&d->tools->text, HAFT__LIT(" cannot be called in this turn."));
    haft_status status = explain_narrowing(d, call);
    list_allowed(d);
    return status == HAFT_OK ? haft__decide_refuse(d, call, "not_allowed") : status;
}

haft_status haft__decide_over_limit(haft__decision *d, const haft__run_call *call, bool budget)
{
    if (budget) {
        haft__buf_addf(&d->tools->text, "Not run: the budget of %u calls is used up.",
                       d->spec->limits.calls);
    } else {
        haft__buf_addf(&d->tools->text,
                       "Not run: at most %u calls run in one turn. Call it again if you need it.",
                       d->spec->limits.parallel);
    }
    return haft__decide_refuse(d, call, "over_limit");
}

/* In a truncated reply nothing is repaired: the missing part is unknown. */
haft_status haft__decide_refuse_truncated(haft__decision *d, const haft__run_call *call)
{
    haft__buf_add_str(
        &d->tools->text,
        HAFT__LIT("Error: the reply was cut off by the token limit, and the arguments "
                  "of this call are not whole. Call it again with shorter "
                  "arguments."));
    return haft__decide_refuse(d, call, "invalid");
}

/* The call could not be parsed. The model sees its text and the error. */
haft_status haft__decide_refuse_malformed(haft__decision *d, const haft__run_call *call)
{
    if (d->run->reply.stop == HAFT__STOP_LENGTH && call == d->run->calls + d->run->call_count - 1) {
        return haft__decide_refuse_truncated(d, call);
    }
    haft__buf_addf(&d->tools->text,
                   "Error: this call was not run, because it could not be read: %.*s. Write it "
                   "again, exactly in the format for calls. It was written like this: ",
                   HAFT__ARG(call->malformed));
    haft__buf_add_str(&d->tools->text, call->raw);
    return haft__decide_refuse(d, call, "invalid");
}

/* ---- the start and the end of a call ---- */

haft_status haft__decide_check_repair(haft__decision *d, const haft__run_call *call,
                                      bool *ret_repaired)
{
    haft_status status = haft__arguments_need_repair(call->raw, &d->tools->scratch,
                                                     d->run->hash_key, ret_repaired, d->err);
    *ret_repaired = *ret_repaired || call->repaired;
    return status;
}

haft_status haft__decide_start(haft__decision *d, const haft__run_call *call, haft__json arguments,
                               haft_str note)
{
    bool repaired = false;
    haft_status status = haft__decide_check_repair(d, call, &repaired);
    if (status != HAFT_OK) {
        return status;
    }
    haft__decision_begin(d, HAFT__EVENT_CALL_STARTED);
    haft__field_text(&d->w, "call", call->id);
    haft__field_text(&d->w, "model_call", call->model_call);
    haft__field_text(&d->w, "tool", call->name);
    haft__json_key(&d->w, "arguments");
    haft__json_add(&d->w, arguments);
    haft__field_flag(&d->w, "repaired", repaired || call->renamed);
    haft__field_number(&d->w, "attempt", (uint64_t)call->attempt + 1);
    haft__json_key(&d->w, "idempotency_key");
    haft__buf_add_char(d->w.buf, '"');
    haft__run_add_idempotency_key(d->w.buf, d->run->id, call->id);
    haft__buf_add_char(d->w.buf, '"');
    d->w.after_key = false;
    haft__field_text_or_null(&d->w, "note", note);
    haft__field_node(&d->w, call);
    return haft__decision_commit(d);
}

/* Writes the members that end every call_finished. */
static haft_status commit_finished(haft__decision *d, const haft__run_call *call, bool ok,
                                   bool cached, haft__json arguments, haft_str note)
{
    haft__field_flag(&d->w, "cached", cached);
    haft__field_number(&d->w, "ms", 0);
    haft__json_key(&d->w, "arguments"); /* null if call_started has them */
    haft__json_add(&d->w, call->started ? haft__json_null() : arguments);
    haft__field_text_or_null(&d->w, "note", note);
    if (!cached) { /* the result of an earlier call is what the middleware made of it */
        haft__field_returns(&d->w, d->run, call, ok);
    }
    haft__field_node(&d->w, call);
    return haft__decision_commit(d);
}

haft_status haft__decide_finish(haft__decision *d, const haft__run_call *call, haft__json arguments,
                                haft_str result, bool cached, haft_str note)
{
    haft__decision_begin(d, HAFT__EVENT_CALL_FINISHED);
    haft__field_text(&d->w, "call", call->id);
    haft__field_text(&d->w, "tool", call->name);
    haft__field_flag(&d->w, "ok", true);
    haft__field_text(&d->w, "result", result);
    haft__field_null(&d->w, "error");
    haft__field_flag(&d->w, "truncated",
                     haft__observation_is_cut(result, haft__run_observation_chars(d->run, call)));
    return commit_finished(d, call, true, cached, arguments, note);
}

haft_status haft__decide_error(haft__decision *d, const haft__run_call *call, haft__json arguments,
                               const haft__outcome *error, haft_str note)
{
    haft__decision_begin(d, HAFT__EVENT_CALL_FINISHED);
    haft__field_text(&d->w, "call", call->id);
    haft__field_text(&d->w, "tool", call->name);
    haft__field_flag(&d->w, "ok", false);
    haft__field_null(&d->w, "result");
    haft__json_key(&d->w, "error");
    haft__json_begin_object(&d->w);
    haft__field_text(&d->w, "where", error->where);
    haft__field_text(&d->w, "message", error->text);
    haft__field_text(&d->w, "hint", error->hint);
    haft__json_end_object(&d->w);
    haft__field_flag(&d->w, "truncated", false);
    return commit_finished(d, call, false, error->cached, arguments, note);
}

haft_status haft__decide_error_of(haft__decision *d, const haft__run_call *call,
                                  haft__json arguments, const haft__run_call *failed)
{
    haft_str message = failed->result, prefix = HAFT__LIT("Error: ");
    size_t skipped = haft__str_starts_with(message, prefix) ? prefix.len : 0;
    haft__outcome error = {.text = haft__str_skip(message, skipped),
                           .where = HAFT__LIT(""),
                           .hint = HAFT__LIT(""),
                           .cached = true};
    return haft__decide_error(d, call, arguments, &error, haft__buf_str(&d->tools->text));
}
