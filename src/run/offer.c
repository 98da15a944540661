/* SPDX-License-Identifier: Apache-2.0 */
/* offer.c - the decision tree of what is offered. Tests: tests/run/offer_test.c. */
#include "run/offer.h"

#include "base/macros.h"
#include "base/str.h"
#include "format/format.h"

static bool has_format(const haft__spec *spec, haft_str name)
{
    for (size_t i = 0; i < spec->format_count; i++) {
        if (haft__str_equal(spec->formats[i], name)) {
            return true;
        }
    }
    return false;
}

static bool has_members(haft__json object)
{
    return object.kind == HAFT__JSON_OBJECT && object.count > 0;
}

/* Built-ins that need something besides being enabled. */
static const struct {
    const char *tool, *missing;
    enum { NEEDS_CODE, NEEDS_DEFERRED, NEEDS_DATABASE } needs;
} needs[] = {
    {"python_execution", "needs the codemode format, which is not enabled", NEEDS_CODE},
    {"tool_search", "needs deferred tools, and there are no MCP servers", NEEDS_DEFERRED},
    {"execute_sql", "needs a database, and none is configured", NEEDS_DATABASE},
    {"search_schemas", "needs a database, and none is configured", NEEDS_DATABASE},
};

static bool has_what_it_needs(const haft__spec *spec, size_t row)
{
    switch (needs[row].needs) {
    case NEEDS_CODE: return has_format(spec, HAFT__LIT("codemode"));
    case NEEDS_DEFERRED: return has_members(spec->mcp);
    case NEEDS_DATABASE: return has_members(spec->databases);
    }
    HAFT__UNREACHABLE();
}

haft__offer haft__offer_look(const haft__spec *spec, const haft__tool *tool)
{
    if (tool->source == HAFT__TOOL_MCP) {
        return (haft__offer){tool, true, "revealed"};
    }
    if (tool->source != HAFT__TOOL_BUILTIN) {
        return (haft__offer){tool, true, "declared in the spec"};
    }
    for (size_t i = 0; i < COUNT(needs); i++) {
        if (haft__str_equal(tool->name, haft__str(needs[i].tool)) && !has_what_it_needs(spec, i)) {
            return (haft__offer){tool, false, needs[i].missing};
        }
    }
    return (haft__offer){tool, true, "a built-in, enabled"};
}

/* Native calling is the model's; code has to run somewhere, and nothing here runs it; the others
 * are text, which every model writes. */
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
                          : spec->model.family.gave_format ? "what the model's family writes"
                                                           : "preferred, and available";
            return spec->formats[i];
        }
    }
    *ret_reason = has_format(spec, HAFT__LIT("codemode"))
                      ? "code cannot be run here, and nothing else is enabled"
                      : "nothing else is enabled";
    return HAFT__LIT("native");
}

haft_status haft__offer_facts(const haft__run *run, haft__arena *arena,
                              haft__choice_facts *ret_facts, haft_error *err)
{
    const haft__spec *spec = run->spec;
    haft__choice_tool *tools = haft__arena_array(arena, run->tools->count, sizeof(*tools));
    if (tools == NULL) {
        return haft__arena_fail(arena, err);
    }
    size_t count = 0;
    for (size_t i = 0; i < run->tools->count; i++) {
        const haft__tool *tool = run->tools->items[i];
        if (haft__offer_look(spec, tool).offered) {
            const haft__tool_past *past = &run->past[i];
            tools[count++] = (haft__choice_tool){
                .name = tool->name,
                .role = tool->role,
                .finished = past->finished,
                .rejected = past->rejected > 0 && past->kept == 0,
                .hidden = past->hidden,
            };
        }
    }
    haft__usage usage = run->usage;
    usage.wall_ms = run->worked_ms;
    *ret_facts = (haft__choice_facts){
        .turn = run->turn + 1,
        .tools = tools,
        .tool_count = count,
        .gate_opened = run->gate_opened,
        .default_satisfied = run->default_satisfied,
        .spent = haft__budget_look(spec, &usage),
    };
    return HAFT_OK;
}
