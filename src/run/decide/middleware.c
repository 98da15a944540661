/* SPDX-License-Identifier: Apache-2.0 */
/*
 * middleware.c - decides the interventions of middleware: rules at once, hooks in two steps, so
 * that a hook never runs twice. Tests: tests/cli/middleware_test.py.
 */
#include "run/middleware/middleware.h"

#include <inttypes.h>

#include "base/limits.h"
#include "base/str.h"
#include "run/decide/decide_int.h"
#include "run/pause/approval.h"
#include "run/pause/condition.h"

/* ---- events ---- */

static void begin_intervention(haft__decision *d, haft_str name, const char *where, haft_str call,
                               const char *what, haft_str why)
{
    haft__decision_begin(d, HAFT__EVENT_INTERVENTION);
    haft__intervention_write(&d->w, name, where, call, what, why, true);
}

/* `arguments`: what the hook sees of a call that has not started; else NULL. */
static haft_status decide_hook(haft__decision *d, const haft__middleware *entry,
                               haft__hook_point at, haft_str call, const haft__json *arguments)
{
    haft__decision_begin(d, HAFT__EVENT_HOOK_STARTED);
    haft__field_text(&d->w, "name", entry->name);
    haft__field_string(&d->w, "where", haft__hook_point_name(at));
    haft__field_text_or_null(&d->w, "call", call);
    if (arguments != NULL) {
        haft__field_value(&d->w, "arguments", *arguments);
    }
    return haft__decision_commit(d);
}

/* ---- findings in inputs ---- */

haft_status haft__decide_due(haft__decision *d)
{
    static const char *const places[] = {[HAFT__REDACT_INPUT] = "input",
                                         [HAFT__REDACT_OUTPUT] = "output",
                                         [HAFT__REDACT_RESULTS] = "results"};
    const haft__due_intervention *due = d->run->due;
    haft__decision_begin(d, HAFT__EVENT_INTERVENTION);
    haft__field_text(&d->w, "name", due->name);
    haft__field_string(&d->w, "where", places[due->place]);
    haft__field_text_or_null(&d->w, "call", due->call);
    haft__field_text(&d->w, "what", due->what);
    haft__field_text(&d->w, "why", due->why);
    haft__field_flag(&d->w, "decided", true);
    return haft__decision_commit(d);
}

haft_status haft__decide_denied(haft__decision *d)
{
    haft__buf *text = &d->tools->text;
    haft__buf_add_str(text, d->run->denied_by);
    haft__buf_add_str(text, HAFT__LIT(": "));
    haft__buf_add_str(text, d->run->denied_why);
    haft__buf_add_char(text, '\0');
    haft_status status = haft__buf_check(text, d->err);
    return status == HAFT_OK
               ? haft__decide_end(d, HAFT__END_REFUSED, HAFT__LIT(""), false, text->ptr, NULL)
               : status;
}

/* ---- a call on its way in ---- */

static haft_status decide_limit(haft__decision *d, const haft__middleware *entry,
                                const haft__run_call *call)
{
    const haft__call_limit *limit = &entry->as.call_limit;
    haft__buf *why = &d->tools->text;
    haft__buf_clear(why);
    haft__buf_addf(why, "at most %" PRIu32 " calls of ", limit->max);
    for (size_t i = 0; i < entry->tool_count; i++) {
        haft__buf_add_str(why, i > 0 ? HAFT__LIT(", ") : HAFT__LIT(""));
        haft__buf_add_str(why, entry->tools[i]);
    }
    haft__buf_addf(why, "%s %s are allowed", entry->tool_count == 0 ? "all tools" : "",
                   limit->per_turn ? "in a turn" : "in this run");
    begin_intervention(d, entry->name, haft__hook_point_name(HAFT__HOOK_BEFORE_TOOL), call->id,
                       limit->ends_run ? "ended" : "denied", haft__buf_str(why));
    return haft__decision_commit(d);
}

/* Whether the call needs the approval of this entry. */
static bool needs_approval(haft__decision *d, const haft__middleware *entry,
                           const haft__run_call *call, const haft__json *arguments)
{
    const haft__approval_rule *rule = entry->as.approval;
    return !call->approved && haft__approval_matches(rule, call->tool)
           && haft__condition_needs_approval(&d->tools->scratch, rule->when, arguments);
}

static haft_status enter(haft__decision *d, const haft__middleware *entry,
                         const haft__run_call *call, haft__json arguments, bool *ret_decided)
{
    *ret_decided = true;
    switch (entry->kind) {
    case HAFT__MIDDLEWARE_APPROVAL:
        if (needs_approval(d, entry, call, &arguments)) {
            return haft__decide_approval(d, call, arguments, entry->as.approval);
        }
        break;
    case HAFT__MIDDLEWARE_CALL_LIMIT:
        if (haft__middleware_concerns(entry, call)
            && haft__call_limit_is_reached(d->run, entry, call)) {
            return decide_limit(d, entry, call);
        }
        break;
    case HAFT__MIDDLEWARE_COMMAND:
    case HAFT__MIDDLEWARE_HTTP:
        if (entry->as.hook.at[HAFT__HOOK_BEFORE_TOOL] && haft__middleware_concerns(entry, call)
            && !haft__passage_has(&call->passage, entry->name, HAFT__HOOK_BEFORE_TOOL)) {
            return decide_hook(d, entry, HAFT__HOOK_BEFORE_TOOL, call->id, &arguments);
        }
        break;
    case HAFT__MIDDLEWARE_CACHE:
    case HAFT__MIDDLEWARE_FALLBACK:
    case HAFT__MIDDLEWARE_RATE_LIMIT:
    case HAFT__MIDDLEWARE_REDACT:
    case HAFT__MIDDLEWARE_RETRY:
    case HAFT__MIDDLEWARE_SELECT_TOOLS:
    case HAFT__MIDDLEWARE_TODO_LIST:
    case HAFT__MIDDLEWARE_TOOL_ERRORS:
    case HAFT__MIDDLEWARE_KIND_COUNT: break;
    }
    *ret_decided = false;
    return HAFT_OK;
}

static haft_status refuse_denied(haft__decision *d, const haft__run_call *call)
{
    haft__buf *text = &d->tools->text;
    haft__buf_clear(text);
    haft__buf_addf(text, "Not run: %.*s", HAFT__ARG(call->passage.denied_by));
    haft__buf_add_str(text, HAFT__LIT(" did not allow this call: "));
    haft__buf_add_str(text, call->passage.denied_why);
    return haft__decide_refuse(d, call, HAFT__REFUSED_BY_MIDDLEWARE);
}

haft_status haft__decide_entering(haft__decision *d, const haft__run_call *call,
                                  haft__json arguments, haft__entering *ret_entering)
{
    const haft__passage *passage = &call->passage;
    *ret_entering = HAFT__ENTERING_DECIDED;
    if (passage->hook.len > 0) {
        *ret_entering = HAFT__ENTERING_WAITS;
        return HAFT_OK;
    }
    if (passage->denied_by.len > 0) {
        return refuse_denied(d, call);
    }
    if (passage->result.ptr != NULL) {
        return haft__decide_finish(d, call, arguments, passage->result, false, HAFT__LIT(""));
    }
    for (size_t i = 0; i < d->spec->middleware_count && !haft__call_is_reducer(call); i++) {
        bool decided = false;
        haft_status status = enter(d, &d->spec->middleware[i], call, arguments, &decided);
        if (status != HAFT_OK || decided) {
            return status;
        }
    }
    *ret_entering = HAFT__ENTERING_PASSES;
    return HAFT_OK;
}

haft_status haft__decide_delayed(haft__decision *d, const haft__run_call *call, bool *ret_decided)
{
    const haft__middleware *entry = NULL;
    uint64_t at = haft__rate_limit_at(d->run, call, &entry);
    *ret_decided = entry != NULL && at > d->now_ms
                   && !haft__passage_has(&call->passage, entry->name, HAFT__HOOK_BEFORE_TOOL);
    if (!*ret_decided) {
        return HAFT_OK;
    }
    haft_str text = haft__arena_format(&d->tools->scratch, "%" PRIu32 " calls in %" PRIu64 " ms",
                                       entry->as.rate_limit.max, entry->as.rate_limit.per_ms);
    if (text.ptr == NULL) {
        return haft__arena_fail(&d->tools->scratch, d->err);
    }
    begin_intervention(d, entry->name, haft__hook_point_name(HAFT__HOOK_BEFORE_TOOL), call->id,
                       "delayed", text);
    return haft__decision_commit(d);
}

/* ---- a result on its way back ---- */

static haft_status decide_error_text(haft__decision *d, const haft__middleware *entry,
                                     const haft__run_call *call)
{
    haft__buf *text = &d->tools->text;
    haft_str error = call->result, prefix = HAFT__LIT("Error: ");
    error = haft__str_skip(error, haft__str_starts_with(error, prefix) ? prefix.len : 0);
    haft__buf_clear(text);
    haft__error_text_write(text, entry->as.error_text, call->name, error);
    begin_intervention(d, entry->name, haft__hook_point_name(HAFT__HOOK_AFTER_TOOL), call->id,
                       "replaced", HAFT__LIT("the wording of an error"));
    haft__field_text(&d->w, "result", haft__buf_str(text));
    haft__field_flag(&d->w, "ok", false);
    haft__field_flag(&d->w, "last", haft__middleware_is_last(d->run, call, entry, false));
    return haft__decision_commit(d);
}

/* The call has passed all entries of its spec. */
static haft_status decide_passed(haft__decision *d, const haft__run_call *call)
{
    begin_intervention(d, HAFT__LIT("middleware"), haft__hook_point_name(HAFT__HOOK_AFTER_TOOL),
                       call->id, "passed", HAFT__LIT("no entry is left"));
    return haft__decision_commit(d);
}

haft_status haft__decide_returning(haft__decision *d, const haft__run_call *call, bool *ret_waits)
{
    *ret_waits = call->passage.hook.len > 0;
    if (*ret_waits) {
        return HAFT_OK;
    }
    const haft__middleware *entry = haft__middleware_next_after(d->run, call, call->ok);
    if (entry == NULL) {
        return decide_passed(d, call);
    }
    return entry->kind == HAFT__MIDDLEWARE_TOOL_ERRORS
               ? decide_error_text(d, entry, call)
               : decide_hook(d, entry, HAFT__HOOK_AFTER_TOOL, call->id, NULL);
}

/* ---- requests to the model ---- */

haft_status haft__decide_for_model(haft__decision *d, haft__hook_point at, bool *ret_decided)
{
    *ret_decided = true;
    if (d->run->request.hook.len > 0) {
        *d->effect = (haft__effect){.kind = HAFT__EFFECT_RUN_CALLS};
        return HAFT_OK;
    }
    const haft__middleware *entry = haft__middleware_next_for_model(d->run, at);
    *ret_decided = entry != NULL;
    return entry != NULL ? decide_hook(d, entry, at, HAFT__LIT(""), NULL) : HAFT_OK;
}

/* ---- the tools of a turn ---- */

/* Appends the names of the tools that the entry leaves out of the next turn. */
static void list_left_out(const haft__decision *d, const haft__middleware *entry, haft__buf *text)
{
    uint32_t count = 0;
    for (size_t i = 0; i < d->run->tools->count; i++) {
        const haft__tool *tool = d->run->tools->items[i];
        if (haft__selection_find(d->run, tool) == entry) {
            if (count < HAFT__LIMIT_CHOICE_NAMES) {
                haft__buf_addf(text, "%s%.*s",
                               count > 0 ? ", " : "left out: ", HAFT__ARG(tool->name));
            }
            count++;
        }
    }
    if (count > HAFT__LIMIT_CHOICE_NAMES) {
        haft__buf_addf(text, " and %" PRIu32 " more", count - HAFT__LIMIT_CHOICE_NAMES);
    }
    haft__buf_add_str(text, count == 0 ? HAFT__LIT("all tools") : HAFT__LIT(""));
}

/* Whether the event would repeat the last one of the entry. A first one that leaves nothing out is
 * not recorded. */
static bool is_noted(const haft__run *run, haft_str name, haft_str why)
{
    const haft__selection_noted *one = run->selections;
    while (one != NULL && !haft__str_equal(one->name, name)) {
        one = one->next;
    }
    return haft__str_equal(one != NULL ? one->why : HAFT__LIT("all tools"), why);
}

haft_status haft__decide_selection(haft__decision *d, bool *ret_decided)
{
    haft__buf *why = &d->tools->text;
    *ret_decided = false;
    for (size_t i = 0; i < d->spec->middleware_count; i++) {
        const haft__middleware *entry = &d->spec->middleware[i];
        if (entry->kind != HAFT__MIDDLEWARE_SELECT_TOOLS) {
            continue;
        }
        haft__buf_clear(why);
        list_left_out(d, entry, why);
        if (!is_noted(d->run, entry->name, haft__buf_str(why))) {
            *ret_decided = true;
            begin_intervention(d, entry->name, "turn", HAFT__LIT(""), "selected",
                               haft__buf_str(why));
            return haft__decision_commit(d);
        }
    }
    haft__buf_clear(why);
    return HAFT_OK;
}
