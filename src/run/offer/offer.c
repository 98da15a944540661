/* SPDX-License-Identifier: Apache-2.0 */
/* offer.c - the tools and the format of a turn. Tests: tests/run/offer/offer_test.c. */
#include "run/offer/offer.h"

#include "base/macros.h"
#include "base/str.h"
#include "format/format.h"
#include "model/model_rules.h"
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

/* Native calling depends on the model. Codemode needs an interpreter, which does not exist here.
 * The other formats are text, which every model can write. */
static bool is_available(const haft__spec *spec, haft_str format)
{
    if (haft__str_equal(format, HAFT__LIT("native"))) {
        return spec->model.native_tools;
    }
    return !haft__str_equal(format, HAFT__LIT("codemode")) && haft__format_find(format) != NULL;
}

haft_str haft__offer_format(const haft__spec *spec, const char **ret_reason)
{
    for (size_t i = 0; i < spec->format_count; i++) {
        if (is_available(spec, spec->formats[i])) {
            bool lacks = i > 0 && haft__str_equal(spec->formats[0], HAFT__LIT("native"));
            *ret_reason = lacks   ? "the first enabled one available: the model has no native calls"
                          : i > 0 ? "the first enabled one available"
                          : spec->model.family.gave_format ? "the format of the model's family"
                                                           : "preferred, and available";
            return spec->formats[i];
        }
    }
    *ret_reason = has_format(spec, HAFT__LIT("codemode"))
                      ? "code cannot be run here, and nothing else is enabled"
                      : "nothing else is enabled";
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

/* Sort key of a tool in the request: tools of the spec first, then revealed tools in the order of
 * their declaration. */
static uint64_t place_of(const haft__run *run, size_t index)
{
    const haft__tool_history *past = &run->past[index];
    return past->found == HAFT__TOOL_REVEAL_NONE ? index
                                                 : (uint64_t)run->tools->count + past->shown_order;
}

/* Inserts the tool into the declared ones. They are already sorted, except for tools that were
 * revealed again. */
static void put(const haft__run *run, haft__offered *offered, size_t index)
{
    size_t at = offered->declared++;
    for (size_t i = offered->count++; i > at; i--) {
        offered->items[i] = offered->items[i - 1];
    }
    for (; at > 0 && place_of(run, offered->items[at - 1]) > place_of(run, index); at--) {
        offered->items[at] = offered->items[at - 1];
    }
    offered->items[at] = index;
}

haft_status haft__offer_tools(const haft__run *run, haft__arena *arena, haft__offered *ret_offered,
                              haft_error *err)
{
    haft__offered offered = {.items = haft__arena_array(arena, run->tools->count, sizeof(size_t))};
    if (offered.items == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < run->tools->count; i++) {
        if (haft__resolve_index(run, i).visibility == HAFT__VISIBILITY_DECLARED) {
            put(run, &offered, i);
        }
    }
    for (size_t i = 0; i < run->tools->count; i++) {
        if (haft__resolve_index(run, i).visibility == HAFT__VISIBILITY_CALLABLE) {
            offered.items[offered.count++] = i;
        }
    }
    *ret_offered = offered;
    return HAFT_OK;
}

static bool was_found(const haft__run *run)
{
    for (size_t i = 0; i < run->tools->count; i++) {
        if (run->past[i].found != HAFT__TOOL_REVEAL_NONE) {
            return true;
        }
    }
    return false;
}

/* Whether a search may still reveal data tools: no search was successful, none of the model's
 * failed, and tool_search, which has this index, is declared and not rejected. */
static bool can_search(const haft__run *run, size_t index)
{
    return index < run->tools->count && !run->search_found_nothing && !was_found(run)
           && (run->past[index].rejected == 0 || run->past[index].finished_count > 0)
           && haft__resolve_index(run, index).visibility == HAFT__VISIBILITY_DECLARED;
}

haft_status haft__offer_facts(const haft__run *run, haft__arena *arena,
                              haft__choice_facts *ret_facts, haft_error *err)
{
    haft__offered offered;
    haft_status status = haft__offer_tools(run, arena, &offered, err);
    haft__choice_tool *tools =
        status == HAFT_OK ? haft__arena_array(arena, offered.count, sizeof(*tools)) : NULL;
    if (tools == NULL) {
        return status != HAFT_OK ? status : haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < offered.count; i++) {
        const haft__tool *tool = run->tools->items[offered.items[i]];
        const haft__tool_history *past = &run->past[offered.items[i]];
        tools[i] = (haft__choice_tool){
            .name = tool->name,
            .role = tool->role,
            .finished = past->finished,
            .rejected = past->rejected > 0 && past->finished_count == 0,
            .hidden = i >= offered.declared,
        };
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
        .tool_count = offered.count,
        .gate_opened = run->gate_opened,
        .fixed_threshold = run->gate_threshold,
        .search = can_search(run, search) ? run->tools->items[search]->name : HAFT__LIT(""),
        .default_satisfied = run->default_satisfied,
        .spent = haft__budget_check(run->spec, &usage),
    };
    return HAFT_OK;
}
