/* SPDX-License-Identifier: Apache-2.0 */
/* declared_tools.c - the tools of requests as text that only grows. Tests:
 * tests/model/declared_tools_test.c. */
#include "model/declared_tools.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"

struct haft__declared_tool {
    const haft__tool *tool;
    bool deferred;
    size_t end; /* of its text */
};

void haft__declared_tools_init(haft__declared_tools *tools)
{
    *tools = (haft__declared_tools){.items = NULL};
    haft__buf_init(&tools->text, (size_t)HAFT__LIMIT_RUN_BYTES);
}

void haft__declared_tools_finish(haft__declared_tools *tools)
{
    haft__buf_finish(&tools->text);
    free(tools->items);
    haft__declared_tools_init(tools);
}

static bool is_deferred(const haft__request *request, size_t index)
{
    return index >= request->tool_count - request->deferred_count;
}

/* Whether the tools of one are the first tools of the other, and in the same form. */
static bool matches(const haft__declared_tools *tools, const haft__request *request,
                    haft__tool_writer *write)
{
    bool same = tools->count == 0 || tools->write == write;
    for (size_t i = 0; same && i < tools->count && i < request->tool_count; i++) {
        same = tools->items[i].tool == request->tools[i]
               && tools->items[i].deferred == is_deferred(request, i);
    }
    return same;
}

bool haft__declared_tools_can_share(const haft__declared_tools *shared,
                                    const haft__request *request, haft__tool_writer *write)
{
    bool can = shared != NULL && matches(shared, request, write);
    for (size_t i = 0; can && i < request->tool_count; i++) {
        can = request->tools[i]->source != HAFT__TOOL_MCP;
    }
    return can;
}

/* A deferred tool has one more member. */
static void end_deferred(haft__buf *text)
{
    if (text->status == HAFT_OK) {
        text->len -= strlen("}");
        haft__buf_add_str(text, HAFT__LIT(",\"" HAFT__DEFER_LOADING "\":true}"));
    }
}

static haft_status add_tool(haft__declared_tools *tools, const haft__tool *tool, bool deferred,
                            haft__tool_writer *write, haft_error *err)
{
    struct haft__declared_tool *items =
        haft__vec_reserve(tools->items, &tools->capacity, tools->count + 1, sizeof(*items));
    if (items == NULL) {
        return haft__fail_no_memory(err);
    }
    tools->items = items;
    haft__buf_add_str(&tools->text, tools->count > 0 ? HAFT__LIT(",") : HAFT__LIT(""));
    write(&tools->text, tool);
    if (deferred) {
        end_deferred(&tools->text);
    }
    tools->items[tools->count++] = (struct haft__declared_tool){tool, deferred, tools->text.len};
    return haft__buf_check(&tools->text, err);
}

haft_status haft__declared_tools_sync(haft__declared_tools *tools, const haft__request *request,
                                      haft__tool_writer *write, haft_error *err)
{
    haft_status status = HAFT_OK;
    if (!matches(tools, request, write)) {
        haft__declared_tools_finish(tools);
    }
    tools->write = write;
    while (status == HAFT_OK && tools->count < request->tool_count) {
        status = add_tool(tools, request->tools[tools->count], is_deferred(request, tools->count),
                          write, err);
    }
    if (status != HAFT_OK) {
        haft__declared_tools_finish(tools);
    }
    return status;
}

haft_str haft__declared_tools_text(const haft__declared_tools *tools, size_t count)
{
    return (haft_str){tools->text.ptr, count > 0 ? tools->items[count - 1].end : 0};
}
