/* SPDX-License-Identifier: Apache-2.0 */
/* call_target.c - names with and without their server. Tests: tests/run/call_target_test.c. */
#include "run/call_target.h"
#include "json/object.h"

#include "base/str.h"
#include "tool/wire_name.h"

/* Whether the tool is callable and `name` is its name without the server. */
static bool matches_local_name(const haft__run *run, size_t index, haft_str name)
{
    const haft__tool *tool = run->tools->items[index];
    const haft__tool_history *past = &run->past[index];
    if (tool->source != HAFT__TOOL_MCP || past->found == HAFT__TOOL_REVEAL_NONE || past->gone) {
        return false;
    }
    haft_str local = haft__object_text(tool->definition, "tool");
    haft__wire_name wire = haft__wire_name_encode(local);
    return haft__str_equal(local, name) || haft__str_equal(haft__wire_name_str(&wire), name);
}

const haft__tool *haft__call_target_find(const haft__run *run, haft_str name, bool *ret_completed)
{
    const haft__tool *tool = haft__tools_find(run->tools, name);
    tool = tool != NULL ? tool : haft__wire_name_find_tool(run->tools, name);
    *ret_completed = false;
    if (tool != NULL) {
        return tool;
    }
    size_t count = 0;
    for (size_t i = 0; i < run->tools->count && count < 2; i++) {
        if (matches_local_name(run, i, name)) {
            tool = run->tools->items[i];
            count++;
        }
    }
    *ret_completed = count == 1;
    return *ret_completed ? tool : NULL;
}

bool haft__call_target_is_ambiguous(const haft__run *run, haft_str name, haft__buf *names)
{
    size_t count = 0;
    for (size_t i = 0; i < run->tools->count; i++) {
        if (matches_local_name(run, i, name)) {
            haft__buf_add_str(names, count > 0 ? HAFT__LIT(", ") : HAFT__LIT(""));
            haft__wire_name_add(names, run->tools->items[i]->name);
            count++;
        }
    }
    return count > 1;
}
