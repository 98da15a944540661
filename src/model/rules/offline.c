/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offline.c - the plan: which calls to make, or that it is time to answer.
 *
 * The mode says whether there must be a call; within it, the first thing on a list that can be done
 * is done. No call is made twice with the same arguments, a tool that keeps failing is left alone,
 * and each thing is done so often and no more: so it ends. Tests: tests/model/rules/offline_test.c.
 */
#include "model/rules/offline.h"

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "model/rules/offline_int.h"

/* How often what ends a workflow is tried. */
#define STORES      2U
#define COMPLETIONS 4U

/* The words of the task that the tool is described with, a bit for each. */
static uint32_t words_of(const haft__offline *o, size_t tool)
{
    const haft__tool *t = o->request->tools[tool];
    return haft__offline_words_in(&o->words, t->name)
           | haft__offline_words_in(&o->words, t->description);
}

/* Whether one that has something to do with the task has been called with success. */
static bool is_served(const haft__offline *o)
{
    for (size_t i = 0; i < o->request->tool_count; i++) {
        if (o->tallies[i].good > 0 && words_of(o, i) != 0) {
            return true;
        }
    }
    return false;
}

/* Whether it can only be called at random, though nobody says that it must. */
static bool is_beside_the_point(haft__offline *o, size_t tool)
{
    return o->request->mode == HAFT__MODE_AUTO && is_served(o)
           && (words_of(o, tool) == 0 || haft__offline_would_guess(o, o->request->tools[tool]));
}

/* Whether a value would have to be made up for it, though nobody says that it must be called. */
static bool is_left_out(const haft__offline *o, size_t tool)
{
    return o->request->mode == HAFT__MODE_AUTO && o->lacking[tool].len > 0;
}

/* What is best called next, lowest first. */
static uint64_t order_of(haft__offline *o, size_t tool)
{
    const haft__tool *t = o->request->tools[tool];
    uint32_t words = words_of(o, tool);
    uint64_t unlike = HAFT__LIMIT_OFFLINE_WORDS;
    for (; words != 0; words &= words - 1) {
        unlike--;
    }
    uint64_t manner = (uint64_t)haft__offline_manner_of(o, tool);
    uint64_t guess = haft__offline_would_guess(o, t) || o->lacking[tool].len > 0 ? 1 : 0;
    return manner << 49 | guess << 48 | unlike << 40 | (uint64_t)t->traits.cost << 36 | tool;
}

/* The best data tool that is no file tool, was called `made` times, and is of a manner that will
 * do. */
static size_t best_other(haft__offline *o, uint32_t made, haft__offline_manner most)
{
    size_t best = HAFT__OFFLINE_NONE;
    uint64_t lowest = UINT64_MAX;
    for (size_t i = 0; i < o->request->tool_count; i++) {
        const haft__offline_tally *tally = &o->tallies[i];
        bool again = tally->good > 0 || tally->made != made;
        if (o->request->tools[i]->role != HAFT__ROLE_DATA || !o->request->allowed[i] || again
            || haft__offline_is_file_tool(o, i) || haft__offline_manner_of(o, i) > most
            || is_beside_the_point(o, i) || is_left_out(o, i)) {
            continue;
        }
        uint64_t order = order_of(o, i);
        if (order < lowest) {
            lowest = order;
            best = i;
        }
    }
    return best;
}

static size_t count_others(const haft__offline *o)
{
    size_t count = 0;
    for (size_t i = 0; i < o->request->tool_count; i++) {
        bool other =
            o->request->tools[i]->role == HAFT__ROLE_DATA && !haft__offline_is_file_tool(o, i);
        count += other ? o->tallies[i].made : 0;
    }
    return count;
}

/* Each once; those that failed once more, in another way. */
static bool call_others(haft__offline *o, haft__offline_manner most, uint32_t times)
{
    for (uint32_t made = 0; made < times && count_others(o) < HAFT__LIMIT_OFFLINE_OTHERS; made++) {
        size_t tool = best_other(o, made, most);
        if (tool != HAFT__OFFLINE_NONE
            && haft__offline_call_by_schema(o, tool, HAFT__OFFLINE_WILLING)) {
            return true;
        }
    }
    return false;
}

/* tool_search and the like. */
static bool call_neutral(haft__offline *o, haft__offline_zeal zeal)
{
    for (size_t i = 0; i < o->request->tool_count; i++) {
        bool neutral = o->request->tools[i]->role == HAFT__ROLE_NEUTRAL && o->request->allowed[i];
        bool wanted =
            zeal == HAFT__OFFLINE_FORCED || (o->tallies[i].made == 0 && !is_left_out(o, i));
        if (neutral && wanted && haft__offline_call_by_schema(o, i, zeal)) {
            return true;
        }
    }
    return false;
}

/* Stores the report and says that the work is done; again only when something has happened since.
 */
static bool finish(haft__offline *o)
{
    size_t keeper = o->known[HAFT__OFFLINE_STORE];
    size_t end = o->known[HAFT__OFFLINE_COMPLETE];
    bool stored = keeper == HAFT__OFFLINE_NONE || o->tallies[keeper].good > 0;
    if (!stored && o->tallies[keeper].made < STORES) {
        stored = haft__offline_store(o, HAFT__OFFLINE_FORCED);
    }
    const haft__offline_tally *tally = end != HAFT__OFFLINE_NONE ? &o->tallies[end] : NULL;
    bool wanted = tally != NULL && tally->good == 0 && tally->made < COMPLETIONS
                  && (tally->made == 0 || o->past.since > 0 || o->call_count > 0);
    if (stored && wanted) {
        (void)haft__offline_complete(o, HAFT__OFFLINE_FORCED);
    }
    return o->call_count > 0;
}

/* What haft says is missing: only haft's words count here, never a tool's. */
static bool call_missing(haft__offline *o)
{
    for (size_t i = 0; i < o->request->tool_count && !haft__offline_is_full(o); i++) {
        const haft__tool *tool = o->request->tools[i];
        bool data = tool->role == HAFT__ROLE_DATA || tool->role == HAFT__ROLE_NEUTRAL;
        if (data && o->request->allowed[i] && o->tallies[i].made == 0
            && haft__offline_names(o->past.missing, tool->name)
            && haft__offline_manner_of(o, i) < HAFT__OFFLINE_DESTRUCTIVE) {
            (void)haft__offline_call_tool(o, i, HAFT__OFFLINE_FORCED);
        }
    }
    return o->call_count > 0;
}

/* ---- what the modes ask for ---- */

static bool is_complete(const haft__offline *o)
{
    size_t tool = o->known[HAFT__OFFLINE_COMPLETE];
    return tool != HAFT__OFFLINE_NONE && o->tallies[tool].good > 0;
}

/* May call: false when it is time to answer. */
static bool go_on(haft__offline *o)
{
    if (is_complete(o)) {
        return false;
    }
    if (o->words.task.len == 0) {
        return call_missing(o) || finish(o); /* there is nothing to look for */
    }
    if (call_missing(o) || call_others(o, HAFT__OFFLINE_ASKED_FOR, 2)) {
        return true;
    }
    bool found = haft__offline_has_file_tools(o)
                     ? haft__offline_gather(o, false)
                     : call_others(o, HAFT__OFFLINE_WAITS, 2)
                           || (o->past.count == 0 && call_neutral(o, HAFT__OFFLINE_WILLING));
    return found || finish(o);
}

/* A data tool with arguments that are new: of those that fail least, the one called least. */
static bool call_again(haft__offline *o, haft__offline_manner least, haft__offline_manner most)
{
    uint64_t tried = 0; /* tools are tried in the order of these numbers */
    for (size_t n = 0; n < HAFT__OFFLINE_VARIANTS && o->status == HAFT_OK; n++) {
        uint64_t lowest = UINT64_MAX;
        for (size_t i = 0; i < o->request->tool_count; i++) {
            const haft__offline_tally *tally = &o->tallies[i];
            haft__offline_manner manner = haft__offline_manner_of(o, i);
            bool fits = o->request->tools[i]->role == HAFT__ROLE_DATA && o->request->allowed[i]
                        && manner >= least && manner <= most;
            uint64_t order = (uint64_t)(tally->row < 255 ? tally->row : 255) << 48
                             | (uint64_t)(tally->made < 65535 ? tally->made : 65535) << 32
                             | (uint64_t)(i + 1);
            lowest = fits && order > tried && order < lowest ? order : lowest;
        }
        if (lowest == UINT64_MAX) {
            return false;
        }
        tried = lowest;
        if (haft__offline_call_tool(o, (size_t)(lowest & UINT32_MAX) - 1, HAFT__OFFLINE_FORCED)) {
            return true;
        }
    }
    return false;
}

/* Something that is allowed, whatever it is. */
static bool call_anyhow(haft__offline *o)
{
    for (size_t i = 0; i < o->request->tool_count && o->status == HAFT_OK; i++) {
        if (o->request->allowed[i] && haft__offline_call_by_schema(o, i, HAFT__OFFLINE_ANYHOW)) {
            return true;
        }
    }
    return false;
}

/* Must call: tools that have not been called first, so that a gate opens. */
static bool must_call(haft__offline *o)
{
    return haft__offline_gather(o, true) || call_others(o, HAFT__OFFLINE_CHANGES, 1)
           || haft__offline_gather(o, false)
           || call_again(o, HAFT__OFFLINE_ASKED_FOR, HAFT__OFFLINE_CHANGES)
           || call_neutral(o, HAFT__OFFLINE_FORCED)
           || haft__offline_complete(o, HAFT__OFFLINE_FORCED)
           || haft__offline_store(o, HAFT__OFFLINE_FORCED)
           || call_again(o, HAFT__OFFLINE_DESTRUCTIVE, HAFT__OFFLINE_DESTRUCTIVE)
           || haft__offline_question(o, HAFT__OFFLINE_FORCED) || call_anyhow(o);
}

/* Must call this one; a name that nobody declared is called all the same. */
static bool must_call_named(haft__offline *o)
{
    for (size_t i = 0; i < o->request->tool_count; i++) {
        if (haft__str_equal(o->request->tools[i]->name, o->request->tool)
            && o->request->allowed[i]) {
            return haft__offline_call_tool(o, i, HAFT__OFFLINE_FORCED)
                   || haft__offline_call_by_schema(o, i, HAFT__OFFLINE_ANYHOW);
        }
    }
    return o->status == HAFT_OK
           && haft__offline_add_call(o, o->request->tool, haft__json_object(NULL, 0));
}

static bool call_something(haft__offline *o)
{
    switch (o->request->mode) {
    case HAFT__MODE_AUTO: return go_on(o);
    case HAFT__MODE_ANY: return must_call(o);
    case HAFT__MODE_TOOL: return must_call_named(o);
    case HAFT__MODE_NONE: return false;
    }
    HAFT__UNREACHABLE();
}

/* ---- the reply ---- */

/* The name of the report that was stored; "" when there is none. */
static haft_str stored_name(const haft__offline *o)
{
    for (size_t i = o->past.count; i > 0; i--) {
        const haft__offline_call *call = &o->past.calls[i - 1];
        if (haft__str_equal(call->name, HAFT__LIT("store_artifact")) && call->answered
            && !call->failed) {
            return haft__offline_argument(call, "name");
        }
    }
    return HAFT__LIT("");
}

static void write_answer(haft__buf *buf, const haft__offline *o)
{
    haft__offline_write_answer(buf, o, stored_name(o));
}

static uint64_t count_input(const haft__request *request)
{
    uint64_t chars = haft__utf8_length(request->correction);
    for (size_t i = 0; i < request->messages->count; i++) {
        const haft__message *message = &request->messages->items[i];
        chars += haft__utf8_length(message->text);
        for (size_t k = 0; k < message->call_count; k++) {
            chars += message->calls[k].name.len + haft__utf8_length(message->calls[k].arguments);
        }
    }
    for (size_t i = 0; i < request->tool_count; i++) {
        chars += request->tools[i]->name.len + haft__utf8_length(request->tools[i]->description);
    }
    return chars;
}

static haft_status write_reply(haft__offline *o, bool calls, haft__reply *ret_reply)
{
    haft_str content = calls ? haft__str(o->says) : haft__offline_made_text(o, write_answer);
    haft__message_call *made = haft__arena_array(o->arena, o->call_count, sizeof(*made));
    if (made == NULL) {
        (void)haft__offline_ok(o, haft__arena_fail(o->arena, o->err));
    }
    uint64_t output = haft__utf8_length(content);
    for (size_t i = 0; made != NULL && i < o->call_count; i++) {
        made[i] = o->calls[i];
        output += made[i].name.len + haft__utf8_length(made[i].arguments);
    }
    if (o->status == HAFT_OK) {
        *ret_reply = (haft__reply){
            .content = content,
            .reasoning = HAFT__LIT(""),
            .calls = made,
            .call_count = o->call_count,
            .usage = {.input = (count_input(o->request) + 3) / 4, .output = (output + 3) / 4},
            .stop = calls ? HAFT__STOP_CALLS : HAFT__STOP_END,
            .model = HAFT__LIT("offline"),
        };
    }
    return o->status;
}

/* What could not be given to each tool. */
static haft_status look_for_values(haft__offline *o)
{
    size_t count = o->request->tool_count;
    o->lacking = haft__arena_array(o->arena, count, sizeof(*o->lacking));
    if (o->lacking == NULL) {
        return haft__arena_fail(o->arena, o->err);
    }
    for (size_t i = 0; i < count; i++) {
        o->lacking[i] = haft__offline_lacking(o, o->request->tools[i]);
    }
    return o->status;
}

/* Everything the plan looks at, from the request alone. */
static haft_status look(haft__offline *o)
{
    haft_status status = haft__offline_past_read(o->request, o->arena, &o->past, o->err);
    if (status == HAFT_OK) {
        status = haft__offline_words_read(o->past.task, o->arena, &o->words, o->err);
    }
    if (status == HAFT_OK) {
        status = haft__offline_scope_settle(&o->past, &o->words, o->arena, o->err);
    }
    if (status == HAFT_OK) {
        status = haft__offline_found_read(&o->past, &o->words, o->arena, &o->found, o->err);
    }
    if (status == HAFT_OK) {
        status = haft__offline_facts_read(&o->past, o->arena, o->facts, o->err);
    }
    if (status == HAFT_OK) {
        status = haft__offline_tools_read(o);
    }
    return status == HAFT_OK ? look_for_values(o) : status;
}

haft_status haft__offline_ask(const haft__request *request, haft__arena *arena,
                              haft__reply *ret_reply, haft_error *err)
{
    haft__offline o = {.request = request, .arena = arena, .err = err, .says = ""};
    o.checker = haft__checker_create();
    o.facts = haft__arena_alloc(arena, sizeof(*o.facts));
    haft_status status = HAFT_OK;
    if (o.checker == NULL) {
        status = haft__fail_no_memory(err);
    } else if (o.facts == NULL) {
        status = haft__arena_fail(arena, err);
    }
    if (status == HAFT_OK) {
        status = look(&o);
    }
    if (status == HAFT_OK) {
        bool calls = call_something(&o);
        status = write_reply(&o, calls, ret_reply);
    }
    haft__checker_destroy(o.checker);
    return status;
}
