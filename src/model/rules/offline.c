/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offline.c - the plan: which calls to make, or the answer.
 *
 * The mode says whether a call is required. The plan takes the first possible step of a list. It
 * ends because no call is repeated with the same arguments, a tool that keeps failing is not called
 * again, and the number of calls of each kind is limited. Tests: tests/model/rules/offline_test.c.
 */
#include "model/rules/offline.h"

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "model/rules/offline_int.h"

/* How often store_artifact and complete_workflow are tried. */
#define STORES      2U
#define COMPLETIONS 4U

/* The words of the task in the name and the description of the tool, one bit for each. */
static uint32_t words_of(const haft__offline *o, size_t tool)
{
    const haft__tool *t = o->request->tools[tool];
    return haft__offline_words_in(&o->words, t->name)
           | haft__offline_words_in(&o->words, t->description);
}

/* Whether a tool with words of the task has succeeded. */
static bool has_relevant_result(const haft__offline *o)
{
    for (size_t i = 0; i < o->request->tool_count; i++) {
        if (o->tallies[i].succeeded > 0 && words_of(o, i) != 0) {
            return true;
        }
    }
    return false;
}

/* Whether the tool is not called unless a call is forced: a value would have to be made up, or
 * another tool fits the task better. */
static bool is_left_out(const haft__offline *o, size_t tool)
{
    return o->request->mode == HAFT__MODE_AUTO
           && (o->unknown[tool].len > 0 || (has_relevant_result(o) && words_of(o, tool) == 0));
}

/* The tool with the lowest number is called first. */
static uint64_t order_of(const haft__offline *o, size_t tool)
{
    const haft__tool *t = o->request->tools[tool];
    uint32_t words = words_of(o, tool);
    uint64_t absent_words = HAFT__LIMIT_OFFLINE_WORDS;
    for (; words != 0; words &= words - 1) {
        absent_words--;
    }
    uint64_t risk = (uint64_t)haft__offline_risk_of(o, tool);
    uint64_t unknown = o->unknown[tool].len > 0 ? 1 : 0;
    return risk << 49 | unknown << 48 | absent_words << 40 | (uint64_t)t->traits.cost << 36 | tool;
}

/* The best data tool that is not a file tool, was called `made` times without success, and has at
 * most that risk. */
static size_t best_other(const haft__offline *o, uint32_t made, haft__offline_risk max)
{
    size_t best = HAFT__OFFLINE_NONE;
    uint64_t lowest = UINT64_MAX;
    for (size_t i = 0; i < o->request->tool_count; i++) {
        const haft__offline_tally *tally = &o->tallies[i];
        bool again = tally->succeeded > 0 || tally->made != made;
        if (o->request->tools[i]->role != HAFT__ROLE_DATA || !o->request->allowed[i] || again
            || haft__offline_is_file_tool(o, i) || haft__offline_is_database_tool(o, i)
            || haft__offline_risk_of(o, i) > max || is_left_out(o, i)) {
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

/* Calls each tool once; those that failed up to `times` times, with other arguments. */
static bool call_others(haft__offline *o, haft__offline_risk max, uint32_t times)
{
    for (uint32_t made = 0; made < times && count_others(o) < HAFT__LIMIT_OFFLINE_OTHERS; made++) {
        size_t tool = best_other(o, made, max);
        if (tool != HAFT__OFFLINE_NONE
            && haft__offline_call_by_schema(o, tool, HAFT__OFFLINE_OPTIONAL)) {
            return true;
        }
    }
    return false;
}

/* Calls a tool that writes the results, if there are any. */
static bool call_writer(haft__offline *o)
{
    return haft__offline_results_text(o).len > 0 && call_others(o, HAFT__OFFLINE_RISK_WRITES, 1);
}

/* Calls a neutral tool such as tool_search. */
static bool call_neutral(haft__offline *o, haft__offline_need need)
{
    for (size_t i = 0; i < o->request->tool_count; i++) {
        bool neutral = o->request->tools[i]->role == HAFT__ROLE_NEUTRAL && o->request->allowed[i];
        bool wanted =
            need == HAFT__OFFLINE_FORCED || (o->tallies[i].made == 0 && !is_left_out(o, i));
        if (neutral && wanted && haft__offline_call_by_schema(o, i, need)) {
            return true;
        }
    }
    return false;
}

/* Stores the report and completes the workflow; again only after further results. */
static bool finish(haft__offline *o)
{
    size_t keeper = o->builtins[HAFT__OFFLINE_STORE];
    size_t end = o->builtins[HAFT__OFFLINE_COMPLETE];
    bool stored = keeper == HAFT__OFFLINE_NONE || o->tallies[keeper].succeeded > 0;
    if (!stored && o->tallies[keeper].made < STORES) {
        stored = haft__offline_store(o);
    }
    const haft__offline_tally *tally = end != HAFT__OFFLINE_NONE ? &o->tallies[end] : NULL;
    bool wanted = tally != NULL && tally->succeeded == 0 && tally->made < COMPLETIONS
                  && (tally->made == 0 || o->history.since_completion > 0 || o->call_count > 0);
    if (stored && wanted) {
        (void)haft__offline_complete(o);
    }
    return o->call_count > 0;
}

/* Calls the tools that haft says are missing. Names in results of tools are ignored. */
static bool call_missing(haft__offline *o)
{
    for (size_t i = 0; i < o->request->tool_count && !haft__offline_is_full(o); i++) {
        const haft__tool *tool = o->request->tools[i];
        bool data = tool->role == HAFT__ROLE_DATA || tool->role == HAFT__ROLE_NEUTRAL;
        if (data && o->request->allowed[i] && o->tallies[i].made == 0
            && haft__offline_has_name(o->history.missing, tool->name)
            && haft__offline_risk_of(o, i) < HAFT__OFFLINE_RISK_DESTRUCTIVE) {
            (void)haft__offline_call_tool(o, i);
        }
    }
    return o->call_count > 0;
}

/* ---- the modes ---- */

static bool is_complete(const haft__offline *o)
{
    size_t tool = o->builtins[HAFT__OFFLINE_COMPLETE];
    return tool != HAFT__OFFLINE_NONE && o->tallies != NULL && o->tallies[tool].succeeded > 0;
}

/* Mode auto: false if it is time to answer. */
static bool may_call(haft__offline *o)
{
    if (is_complete(o)) {
        return false;
    }
    if (o->words.task.len == 0) {
        return call_missing(o) || finish(o); /* there is nothing to search for */
    }
    if (call_missing(o) || haft__offline_ask_database(o)
        || call_others(o, HAFT__OFFLINE_RISK_REQUESTED, 2)) {
        return true;
    }
    bool found = haft__offline_has_file_tools(o)
                     ? haft__offline_gather(o, false)
                     : call_others(o, HAFT__OFFLINE_RISK_WAITS, 2) || call_writer(o)
                           || (o->history.count == 0 && call_neutral(o, HAFT__OFFLINE_OPTIONAL));
    return found || finish(o);
}

/* Calls a data tool with new arguments, the one with the fewest calls first. */
static bool call_again(haft__offline *o, haft__offline_risk min, haft__offline_risk max)
{
    uint32_t highest = 0;
    for (size_t i = 0; i < o->request->tool_count; i++) {
        highest = o->tallies[i].made > highest ? o->tallies[i].made : highest;
    }
    for (uint32_t made = 0; made <= highest && o->status == HAFT_OK; made++) {
        for (size_t i = 0; i < o->request->tool_count; i++) {
            haft__offline_risk risk = haft__offline_risk_of(o, i);
            if (o->tallies[i].made == made && o->request->tools[i]->role == HAFT__ROLE_DATA
                && o->request->allowed[i] && risk >= min && risk <= max
                && haft__offline_call_tool(o, i)) {
                return true;
            }
        }
    }
    return false;
}

/* Calls any allowed tool, even if the call is a repetition or invalid. */
static bool call_any(haft__offline *o)
{
    for (size_t i = 0; i < o->request->tool_count && o->status == HAFT_OK; i++) {
        if (o->request->allowed[i]
            && haft__offline_call_by_schema(o, i, HAFT__OFFLINE_LAST_RESORT)) {
            return true;
        }
    }
    return false;
}

/* Mode any: tools that have not been called come first, so that a gate opens. */
static bool must_call(haft__offline *o)
{
    return haft__offline_gather(o, true) || call_others(o, HAFT__OFFLINE_RISK_CHANGES, 1)
           || haft__offline_gather(o, false)
           || call_again(o, HAFT__OFFLINE_RISK_REQUESTED, HAFT__OFFLINE_RISK_CHANGES)
           || call_neutral(o, HAFT__OFFLINE_FORCED) || haft__offline_complete(o)
           || haft__offline_store(o)
           || call_again(o, HAFT__OFFLINE_RISK_DESTRUCTIVE, HAFT__OFFLINE_RISK_DESTRUCTIVE)
           || haft__offline_ask_user(o) || call_any(o);
}

/* Mode tool: calls that tool, even one that is not in the request. */
static bool must_call_named(haft__offline *o)
{
    for (size_t i = 0; i < o->request->tool_count; i++) {
        if (haft__str_equal(o->request->tools[i]->name, o->request->tool)
            && o->request->allowed[i]) {
            return haft__offline_call_tool(o, i)
                   || haft__offline_call_by_schema(o, i, HAFT__OFFLINE_LAST_RESORT);
        }
    }
    return o->status == HAFT_OK
           && haft__offline_add_call(o, o->request->tool, haft__json_object(NULL, 0));
}

static bool call_something(haft__offline *o)
{
    switch (o->request->mode) {
    case HAFT__MODE_AUTO: return may_call(o);
    case HAFT__MODE_ANY: return must_call(o);
    case HAFT__MODE_TOOL: return must_call_named(o);
    case HAFT__MODE_NONE: return false;
    }
    HAFT__UNREACHABLE();
}

/* ---- the reply ---- */

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
    haft_str content =
        calls ? haft__str(o->text) : haft__offline_write(o, haft__offline_write_answer);
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

/* Fills in `unknown`. */
static haft_status find_unknown_arguments(haft__offline *o)
{
    size_t count = o->request->tool_count;
    o->unknown = haft__arena_array(o->arena, count, sizeof(*o->unknown));
    if (o->unknown == NULL) {
        return haft__arena_fail(o->arena, o->err);
    }
    for (size_t i = 0; i < count; i++) {
        o->unknown[i] = haft__offline_unknown_argument(o, o->request->tools[i]);
    }
    return o->status;
}

/* Reads everything that the plan depends on from the request. */
static haft_status read_request(haft__offline *o)
{
    haft_status status = haft__offline_history_read(o->request, o->arena, &o->history, o->err);
    if (status == HAFT_OK) {
        status = haft__offline_words_read(o->history.task, o->arena, &o->words, o->err);
    }
    if (status == HAFT_OK) {
        status =
            haft__offline_findings_read(&o->history, &o->words, o->arena, &o->findings, o->err);
    }
    if (status == HAFT_OK) {
        status = haft__offline_tools_read(o);
    }
    return status == HAFT_OK ? find_unknown_arguments(o) : status;
}

haft_status haft__offline_ask(const haft__request *request, haft__arena *arena,
                              haft__reply *ret_reply, haft_error *err)
{
    haft__offline o = {.request = request, .arena = arena, .err = err, .text = ""};
    o.checker = haft__checker_create();
    if (o.checker == NULL) {
        return haft__fail_no_memory(err);
    }
    haft_status status = read_request(&o);
    if (status == HAFT_OK) {
        bool calls = call_something(&o);
        status = write_reply(&o, calls, ret_reply);
    }
    haft__checker_destroy(o.checker);
    return status;
}
