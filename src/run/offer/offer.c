/* SPDX-License-Identifier: Apache-2.0 */
/* offer.c - the tools and the format of a turn. Tests: tests/run/offer/offer_test.c. */
#include "run/offer/offer.h"

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "format/format.h"
#include "model/model_rules.h"
#include "run/middleware/middleware.h"
#include "run/offer/narrowing.h"
#include "tool/builtin.h"

static bool has_format(const haft__spec *spec, haft_str name)
{
    for (size_t i = 0; i < spec->format_count; i++) {
        if (haft__str_equal(spec->formats[i], name)) {
            return true;
        }
    }
    return false;
}

/* Whether the model can use the format. Only some models support native calling. Codemode needs the
 * tool that runs code. All other formats are text, which every model can write. */
static bool is_available(const haft__spec *spec, haft_str format)
{
    if (haft__str_equal(format, HAFT__LIT("native"))) {
        return spec->model.native_tools;
    }
    if (haft__str_equal(format, HAFT__LIT("codemode"))) {
        const haft__builtin *code = haft__builtin_get(HAFT__BUILTIN_PYTHON_EXECUTION);
        return haft__tools_find(&spec->tools, haft__str(code->name)) != NULL;
    }
    return haft__format_find(format) != NULL;
}

haft_str haft__offer_format(const haft__spec *spec, const char **ret_reason)
{
    for (size_t i = 0; i < spec->format_count; i++) {
        if (is_available(spec, spec->formats[i])) {
            bool lacks = i > 0 && haft__str_equal(spec->formats[0], HAFT__LIT("native"));
            *ret_reason =
                lacks ? "the first enabled format that is available: the model has no native calls"
                : i > 0                          ? "the first enabled format that is available"
                : spec->model.family.gave_format ? "the format of the model's family"
                                                 : "the preferred format";
            return spec->formats[i];
        }
    }
    *ret_reason = has_format(spec, HAFT__LIT("codemode"))
                      ? "python_execution is not enabled, and no other format is"
                      : "no other format is enabled";
    return HAFT__LIT("native");
}

bool haft__offer_is_native(const haft__spec *spec)
{
    const char *why;
    return haft__str_equal(haft__offer_format(spec, &why), HAFT__LIT("native"));
}

bool haft__offer_keeps_prefix(const haft__spec *spec)
{
    return haft__provider_for_model(&spec->model) != NULL && haft__offer_is_native(spec)
           && haft__model_rules_find(spec->model.model)->binds_reasoning;
}

/* Returns NONE for a history of kind transcript: it has no results of calls, which would contain
 * the references or definitions of the tools. Also returns NONE if each request would have to
 * declare too many skills. */
haft__deferral haft__offer_deferral(const haft__spec *spec, const haft__run *run)
{
    const haft__provider *provider = haft__provider_for_model(&spec->model);
    haft__deferral deferral =
        provider != NULL
            ? haft__model_deferral(provider, spec->model.model, run != NULL ? run->refused : 0)
            : HAFT__DEFERRAL_NONE;
    bool can = deferral != HAFT__DEFERRAL_NONE && haft__offer_is_native(spec)
               && spec->history != HAFT__HISTORY_TRANSCRIPT
               && haft__tools_find(&spec->tools, HAFT__LIT(HAFT__TOOL_SEARCH)) != NULL
               && haft__resolve_can_search(spec);
    bool fits = deferral != HAFT__DEFERRAL_DECLARED
                || spec->skill_bytes <= HAFT__LIMIT_SEARCH_DEFERRED_BYTES;
    return can && fits ? deferral : HAFT__DEFERRAL_NONE;
}

/* The parts of a request's tools, in their order. */
typedef enum part {
    PART_LOADED,
    PART_DEFERRED,
    PART_APPENDED,
    PART_LISTED,
    PART_NONE,
} part;

/* The part of the request for a tool that only a search reveals. The tool stays in its part even if
 * its server no longer lists it, because each request begins with the bytes of the previous
 * request. */
static part part_of_searched(haft__deferral deferral, const haft__tool_history *past)
{
    return past->shown_first                         ? PART_LOADED
           : deferral == HAFT__DEFERRAL_DECLARED     ? PART_DEFERRED
           : past->found == HAFT__TOOL_REVEAL_SHOWN  ? PART_APPENDED
           : past->found == HAFT__TOOL_REVEAL_HIDDEN ? PART_APPENDED
           : past->found == HAFT__TOOL_REVEAL_LISTED ? PART_LISTED
                                                     : PART_NONE;
}

static part part_of(const haft__run *run, haft__deferral deferral, size_t index)
{
    const haft__tool *tool = run->tools->items[index];
    if (deferral != HAFT__DEFERRAL_NONE
        && (tool->source == HAFT__TOOL_MCP || haft__resolve_is_deferred(run->spec, tool))) {
        return part_of_searched(deferral, &run->past[index]);
    }
    switch (haft__resolve_index(run, index).visibility) {
    case HAFT__VISIBILITY_DECLARED: return PART_LOADED;
    case HAFT__VISIBILITY_CALLABLE: return PART_LISTED;
    case HAFT__VISIBILITY_NONE: return PART_NONE;
    }
    HAFT__UNREACHABLE();
}

/* Sort key of a tool in its part of the request: tools of the spec first, then revealed tools in
 * the order of their declaration. Deferred tools are declared in the order in which the run got
 * them. */
static uint64_t sort_key(const haft__run *run, part where, size_t index)
{
    const haft__tool_history *past = &run->past[index];
    bool fixed = where == PART_DEFERRED || past->found == HAFT__TOOL_REVEAL_NONE;
    return fixed ? index : (uint64_t)run->tools->count + past->shown_order;
}

/* Inserts the tool into the sorted tools of its part. A loop is needed only for tools that were
 * revealed again; all others arrive in order. */
static void insert_tool(const haft__run *run, haft__offered *offered, size_t first, part where,
                        size_t index)
{
    size_t at = offered->count++;
    for (; where != PART_LISTED && at > first
           && sort_key(run, where, offered->items[at - 1]) > sort_key(run, where, index);
         at--) {
        offered->items[at] = offered->items[at - 1];
    }
    offered->items[at] = index;
}

static size_t insert_part(const haft__run *run, const part *parts, haft__offered *offered,
                          part where)
{
    size_t first = offered->count;
    for (size_t i = 0; i < run->tools->count; i++) {
        if (parts[i] == where) {
            insert_tool(run, offered, first, where, i);
        }
    }
    return offered->count - first;
}

static haft_status collect(const haft__run *run, haft__deferral deferral, haft__arena *arena,
                           haft__offered *ret_offered, haft_error *err)
{
    haft__offered offered = {.items = haft__arena_array(arena, run->tools->count, sizeof(size_t))};
    part *parts = haft__arena_array(arena, run->tools->count, sizeof(*parts));
    if (offered.items == NULL || parts == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < run->tools->count; i++) {
        parts[i] = part_of(run, deferral, i);
    }
    size_t loaded = insert_part(run, parts, &offered, PART_LOADED);
    offered.deferred = insert_part(run, parts, &offered, PART_DEFERRED);
    offered.declared = loaded + offered.deferred;
    offered.appended = insert_part(run, parts, &offered, PART_APPENDED);
    (void)insert_part(run, parts, &offered, PART_LISTED);
    *ret_offered = offered;
    return HAFT_OK;
}

haft_status haft__offer_tools(const haft__run *run, haft__arena *arena, haft__offered *ret_offered,
                              haft_error *err)
{
    return collect(run, haft__offer_deferral(run->spec, run), arena, ret_offered, err);
}

haft_status haft__offer_text_tools(const haft__run *run, haft__arena *arena,
                                   haft__offered *ret_offered, haft_error *err)
{
    return collect(run, HAFT__DEFERRAL_NONE, arena, ret_offered, err);
}

static bool any_tool_found(const haft__run *run)
{
    for (size_t i = 0; i < run->tools->count; i++) {
        if (run->past[i].found != HAFT__TOOL_REVEAL_NONE) {
            return true;
        }
    }
    return false;
}

/* Whether a search may still reveal data tools: no search has found tools yet, no search of the
 * model has failed, and tool_search is declared and not rejected. `index` is the index of
 * tool_search. */
static bool can_search(const haft__run *run, size_t index)
{
    return index < run->tools->count && !run->search_found_nothing && !any_tool_found(run)
           && haft__resolve_defers_data(run->spec)
           && (run->past[index].rejected == 0 || run->past[index].finished_count > 0)
           && haft__resolve_index(run, index).visibility == HAFT__VISIBILITY_DECLARED;
}

haft_status haft__offer_facts(const haft__run *run, haft__arena *arena,
                              haft__choice_facts *ret_facts, haft_error *err)
{
    haft__offered offered;
    haft__narrowing narrowing;
    haft_status status = haft__offer_tools(run, arena, &offered, err);
    status = status == HAFT_OK ? haft__narrowing_collect(run, arena, &narrowing, err) : status;
    haft__choice_tool *tools =
        status == HAFT_OK ? haft__arena_array(arena, offered.count, sizeof(*tools)) : NULL;
    if (tools == NULL) {
        return status != HAFT_OK ? status : haft__arena_fail(arena, err);
    }
    size_t count = 0;
    for (size_t i = 0; i < offered.count; i++) {
        const haft__tool *tool = run->tools->items[offered.items[i]];
        const haft__tool_history *past = &run->past[offered.items[i]];
        haft__visibility visibility = haft__resolve_index(run, offered.items[i]).visibility;
        if (visibility != HAFT__VISIBILITY_NONE) {
            bool narrowed = haft__narrowing_find(&narrowing, run->spec, tool) != NULL
                            || haft__selection_find(run, tool) != NULL;
            tools[count++] = (haft__choice_tool){
                .name = tool->name,
                .role = tool->role,
                .finished = past->finished,
                .rejected = past->rejected > 0 && past->finished_count == 0,
                .hidden = visibility == HAFT__VISIBILITY_CALLABLE,
                .narrowed = narrowed,
            };
        }
    }
    size_t search =
        haft__run_tool_index(run, haft__tools_find(run->tools, HAFT__LIT(HAFT__TOOL_SEARCH)));
    haft__usage usage = run->usage;
    const haft__tree_usage *below = &run->child_usage; /* children use the run's budgets */
    usage.wall_ms = run->worked_ms;
    usage.calls += (uint32_t)below->calls;
    usage.input_tokens += below->input_tokens;
    usage.output_tokens += below->output_tokens;
    usage.cost_micros += below->cost_parts / 1000000U;
    *ret_facts = (haft__choice_facts){
        .turn = run->turn + 1,
        .child_turns = (uint32_t)below->turns,
        .tools = tools,
        .tool_count = count,
        .gate_opened = run->gate_opened,
        .fixed_threshold = run->gate_threshold,
        .search = can_search(run, search) ? run->tools->items[search]->name : HAFT__LIT(""),
        .default_satisfied = run->default_satisfied,
        .spent = haft__budget_check(run->spec, &usage),
    };
    haft__gate_widen(run->spec, ret_facts, tools);
    return HAFT_OK;
}
