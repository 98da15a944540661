/* SPDX-License-Identifier: Apache-2.0 */
/* tool_list_json.c - writes the tools of a spec as JSON: with all known facts, or in a provider's
 * wire format. Tests: tests/cli/tools_test.py. */
#include "base/str.h"
#include "engine/ops/mcp_changes.h"
#include "engine/ops/tool_list.h"
#include "engine/ops/tool_report.h"
#include "tool/traits.h"
#include "tool/wire_name.h"
#include "json/object.h"

/* ---- all facts ---- */

/* `verdict` is NULL for a tool of the spec itself. */
static void write_tool(haft__json_writer *w, const haft__tool *tool, const haft__verdict *verdict)
{
    haft__wire_name wire = haft__wire_name_encode(tool->name);
    haft__json_begin_object(w);
    haft__field_text(w, "name", tool->name);
    haft__field_text(w, "wire_name", haft__wire_name_str(&wire));
    haft__field_text(w, "description", tool->description);
    haft__field_text(w, "source", haft__str(haft__tool_source_name(tool->source)));
    haft__field_text(w, "role", haft__str(haft__tool_role_name(tool->role)));
    haft__field_flag(w, "typed", tool->typed);
    haft__json_key(w, "traits");
    haft__traits_write(w, &tool->traits);
    haft__field_value(w, "input_schema", tool->input_schema);
    haft__field_value(w, "output_schema", tool->output_schema);
    if (verdict != NULL) {
        haft__field_flag(w, "offered", verdict->visibility == HAFT__VISIBILITY_DECLARED);
        haft__field_text(w, "code", haft__str(haft__reason_word(verdict->reason)));
        haft__field_text(w, "reason", haft__str(haft__reason_text(verdict->reason)));
    }
    haft__json_end_object(w);
}

/* ---- for providers ---- */

static haft_status write_definition(haft__json_writer *w,
                                    const haft__tool_definition_format *format,
                                    const haft__tool *tool, haft__relax_report *report,
                                    haft_error *err)
{
    haft__tool_definition_write(w, format, tool);
    return haft__tool_schema_report(format->rules, tool, report, err);
}

haft_status haft__tool_list_write_wire(haft__json_writer *w, const haft__tool_list *l,
                                       const haft__tool_definition_format *format,
                                       haft__relax_report *report, haft_error *err)
{
    const haft__tools *tools = &l->spec->tools;
    const haft__verdict *verdict;
    haft_status status = HAFT_OK;
    haft__tool_definition_begin(w, format);
    for (size_t i = 0; i < tools->count && status == HAFT_OK; i++) {
        status = write_definition(w, format, tools->items[i], report, err);
    }
    for (size_t at = 0, i = 0;
         status == HAFT_OK && (verdict = haft__tool_list_next_server_tool(l, &at)) != NULL; i++) {
        if (verdict->visibility == HAFT__VISIBILITY_DECLARED) {
            status = write_definition(w, format, &l->server_tools[i], report, err);
        }
    }
    haft__tool_definition_end(w, format);
    return status;
}

/* ---- as an object ---- */

haft_status haft__tool_list_write(haft__json_writer *w, haft__arena *arena,
                                  const haft__tool_list *list, haft_error *err)
{
    const haft__tools *tools = &list->spec->tools;
    const haft__verdict *verdict;
    haft_status status = HAFT_OK;
    haft__json_begin_object(w);
    haft__json_key(w, "tools");
    haft__json_begin_array(w);
    for (size_t i = 0; i < tools->count; i++) {
        write_tool(w, tools->items[i], NULL);
    }
    for (size_t at = 0, i = 0; (verdict = haft__tool_list_next_server_tool(list, &at)) != NULL;
         i++) {
        write_tool(w, &list->server_tools[i], verdict);
    }
    haft__json_end_array(w);
    if (list->preview.listing_count > 0) {
        haft__json_key(w, "servers");
        haft__tool_report_write_servers(w, &list->preview);
        haft__json_key(w, "changed");
        status = haft__mcp_changes_write(arena, list->spec, w, err);
    }
    haft__json_end_object(w);
    return status;
}
