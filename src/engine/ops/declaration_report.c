/* SPDX-License-Identifier: Apache-2.0 */
/* declaration_report.c - see declaration_report.h. Tests: tests/cli/declaration_test.py. */
#include "engine/ops/declaration_report.h"

#include "base/str.h"
#include "format/format.h"
#include "run/offer/offer.h"
#include "json/object.h"

haft_status haft__declaration_report_read(const haft__spec *spec, const haft__request *request,
                                          haft__arena *arena, haft__declaration_report *ret_report,
                                          haft_error *err)
{
    const char *why;
    const haft__provider *provider = haft__provider_for_model(&spec->model);
    bool native = haft__format_find(haft__offer_format(spec, &why)) == NULL;
    haft_status status = HAFT_OK;
    *ret_report = (haft__declaration_report){.provider = native ? provider : NULL};
    haft__relax_report_init(&ret_report->left_out, arena);
    if (ret_report->provider == NULL) {
        return HAFT_OK;
    }
    ret_report->tools = request->tool_count;
    ret_report->max_tools = provider->capabilities.max_tools;
    for (size_t i = 0; i < request->tool_count && status == HAFT_OK; i++) {
        status = haft__tool_schema_report(provider->capabilities.tool_schema, request->tools[i],
                                          &ret_report->left_out, err);
    }
    bool full = ret_report->left_out.status != HAFT_OK;
    return status == HAFT_OK && full ? haft__arena_fail(arena, err) : status;
}

void haft__declaration_report_write(haft__json_writer *w, const haft__declaration_report *report)
{
    haft__json_key(w, "declared");
    haft__json_begin_object(w);
    haft__field_number(w, "tools", report->tools);
    haft__field_number(w, "max_tools", report->max_tools);
    haft__json_key(w, "left_out");
    haft__json_begin_array(w);
    for (size_t i = 0; i < report->left_out.count; i++) {
        const haft__relaxation *item = &report->left_out.items[i];
        haft__json_begin_object(w);
        haft__field_text(w, "where", item->where);
        haft__field_text(w, "keyword", item->what);
        haft__field_text(w, "reason", item->became);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
    haft__field_number(w, "left_out_all", haft__relax_report_count(&report->left_out));
    haft__json_end_object(w);
}
