/* SPDX-License-Identifier: Apache-2.0 */
/* middleware.c - see run/middleware/middleware.h. Tests: tests/run/middleware/middleware_test.c. */
#include "run/middleware/middleware.h"

#include "base/str.h"
#include "run/offer/resolve.h"
#include "tool/template.h"

bool haft__passage_has(const haft__passage *passage, haft_str name, haft__hook_point at)
{
    for (const haft__passed *one = passage->passed; one != NULL; one = one->before) {
        if (one->at == at && haft__str_equal(one->name, name)) {
            return true;
        }
    }
    return false;
}

const haft__middleware *haft__middleware_find(const haft__spec *spec, haft_str name)
{
    for (size_t i = 0; i < spec->middleware_count; i++) {
        if (haft__str_equal(spec->middleware[i].name, name)) {
            return &spec->middleware[i];
        }
    }
    return NULL;
}

bool haft__middleware_concerns(const haft__middleware *entry, const haft__run_call *call)
{
    bool control =
        call->tool != NULL && call->tool->role == HAFT__ROLE_CONTROL && call->node == NULL;
    return !(control && entry->tool_count == 0) && haft__middleware_applies(entry, call->name);
}

/* ---- the way back ---- */

static bool acts_on_result(const haft__middleware *entry, bool ok)
{
    return entry->kind == HAFT__MIDDLEWARE_TOOL_ERRORS
               ? !ok
               : haft__middleware_is_hook(entry) && entry->as.hook.at[HAFT__HOOK_AFTER_TOOL];
}

/* The next entry other than `except`. */
static const haft__middleware *find_after(const haft__run *run, const haft__run_call *call, bool ok,
                                          const haft__middleware *except)
{
    const haft__spec *spec = run->spec;
    for (size_t i = spec->middleware_count; i-- > 0;) {
        const haft__middleware *entry = &spec->middleware[i];
        if (entry != except && acts_on_result(entry, ok) && haft__middleware_concerns(entry, call)
            && !haft__passage_has(&call->passage, entry->name, HAFT__HOOK_AFTER_TOOL)) {
            return entry;
        }
    }
    return NULL;
}

const haft__middleware *haft__middleware_next_after(const haft__run *run,
                                                    const haft__run_call *call, bool ok)
{
    return find_after(run, call, ok, NULL);
}

bool haft__middleware_is_last(const haft__run *run, const haft__run_call *call,
                              const haft__middleware *entry, bool ok)
{
    return find_after(run, call, ok, entry) == NULL;
}

const haft__middleware *haft__middleware_next_for_model(const haft__run *run, haft__hook_point at)
{
    const haft__spec *spec = run->spec;
    for (size_t i = 0; i < spec->middleware_count; i++) {
        bool back = at == HAFT__HOOK_AFTER_MODEL;
        const haft__middleware *entry =
            &spec->middleware[back ? spec->middleware_count - 1 - i : i];
        if (haft__middleware_is_hook(entry) && entry->as.hook.at[at]
            && !haft__passage_has(&run->request, entry->name, at)) {
            return entry;
        }
    }
    return NULL;
}

/* ---- limits ---- */

bool haft__call_limit_is_reached(const haft__run *run, const haft__middleware *entry,
                                 const haft__run_call *call)
{
    uint32_t count = 0;
    for (size_t i = entry->as.call_limit.per_turn ? run->batch : 0; i < run->call_count; i++) {
        const haft__run_call *other = &run->calls[i];
        count += other != call && other->started && haft__middleware_concerns(entry, other);
    }
    return count >= entry->as.call_limit.max;
}

/* The time of the `max`-th last start of a call that the entry applies to; 0 if fewer have
 * started. Calls of one reply may start in any order. */
static uint64_t find_start(const haft__run *run, const haft__middleware *entry)
{
    uint32_t max = entry->as.rate_limit.max;
    size_t first = run->call_count, found = 0, wanted = max + (run->call_count - run->batch);
    while (first > 0 && found < wanted) {
        const haft__run_call *call = &run->calls[--first];
        found += call->begun_ms > 0 && haft__middleware_concerns(entry, call);
    }
    for (size_t i = first; i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        size_t later = 0, equal = 0;
        if (call->begun_ms == 0 || !haft__middleware_concerns(entry, call)) {
            continue;
        }
        for (size_t k = first; k < run->call_count; k++) {
            const haft__run_call *other = &run->calls[k];
            bool counts = other->begun_ms > 0 && haft__middleware_concerns(entry, other);
            later += counts && other->begun_ms > call->begun_ms;
            equal += counts && other->begun_ms == call->begun_ms;
        }
        if (later < max && later + equal >= max) {
            return call->begun_ms;
        }
    }
    return 0;
}

uint64_t haft__rate_limit_at(const haft__run *run, const haft__run_call *call,
                             const haft__middleware **ret_entry)
{
    uint64_t latest = 0;
    *ret_entry = NULL;
    for (size_t i = 0; i < run->spec->middleware_count; i++) {
        const haft__middleware *entry = &run->spec->middleware[i];
        if (entry->kind != HAFT__MIDDLEWARE_RATE_LIMIT || !haft__middleware_concerns(entry, call)) {
            continue;
        }
        uint64_t start = find_start(run, entry);
        uint64_t at = start > 0 ? start + entry->as.rate_limit.per_ms : 0;
        *ret_entry = at > latest ? entry : *ret_entry;
        latest = at > latest ? at : latest;
    }
    return latest;
}

/* ---- the tools of a turn ---- */

static bool matches(const haft_str *patterns, size_t count, haft_str name)
{
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        found = haft__filter_matches(patterns[i], name);
    }
    return found;
}

/* Whether a call of one of these tools has succeeded. */
static bool any_succeeded(const haft__run *run, const haft_str *patterns, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < run->tools->count && count > 0 && !found; i++) {
        found = run->past[i].succeeded && matches(patterns, count, run->tools->items[i]->name);
    }
    return found;
}

bool haft__selection_is_active(const haft__run *run, const haft__middleware *entry)
{
    const haft__tool_selection *selection = &entry->as.selection;
    uint32_t turn = run->turn + 1;
    return entry->kind == HAFT__MIDDLEWARE_SELECT_TOOLS
           && (selection->first_turn == 0 || turn >= selection->first_turn)
           && (selection->last_turn == 0 || turn <= selection->last_turn)
           && (selection->after_count == 0
               || any_succeeded(run, selection->after, selection->after_count))
           && (selection->until_count == 0
               || !any_succeeded(run, selection->until, selection->until_count));
}

const haft__middleware *haft__selection_find(const haft__run *run, const haft__tool *tool)
{
    for (size_t i = 0; i < run->spec->middleware_count; i++) {
        const haft__middleware *entry = &run->spec->middleware[i];
        if (tool->role == HAFT__ROLE_DATA && haft__selection_is_active(run, entry)
            && (!haft__middleware_applies(entry, tool->name)
                || matches(entry->as.selection.except, entry->as.selection.except_count,
                           tool->name))
            && !haft__resolve_is_named(run->spec, tool->name)) {
            return entry;
        }
    }
    return NULL;
}

/* ---- the wording of errors ---- */

void haft__error_text_write(haft__buf *buf, haft_str text, haft_str tool, haft_str error)
{
    haft__template_piece piece;
    while (haft__template_next(&text, &piece)) {
        if (piece.name.ptr != NULL && haft__str_equal(piece.name, HAFT__LIT("tool"))) {
            haft__buf_add_str(buf, tool);
        } else if (piece.name.ptr != NULL && haft__str_equal(piece.name, HAFT__LIT("error"))) {
            haft__buf_add_str(buf, error);
        } else {
            haft__buf_add_str(buf, piece.text);
        }
    }
}
