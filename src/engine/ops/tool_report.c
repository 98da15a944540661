/* SPDX-License-Identifier: Apache-2.0 */
/* tool_report.c - see tool_report.h. Tests: tests/engine/ops/tool_report_test.c. */
#include "engine/ops/tool_report.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/ops/tool_reason.h"
#include "json/object.h"

/* {list, pattern}, or null. */
static void write_denial(haft__json_writer *w, const haft__spec *spec, haft__reason reason,
                         haft_str server, haft_str name)
{
    haft__denial denial = haft__resolve_denial(spec, reason, server, name);
    haft__json_key(w, "denied_by");
    if (denial.list == NULL) {
        haft__json_add_null(w);
        return;
    }
    haft__json_begin_object(w);
    haft__field_string(w, "list", denial.list);
    haft__field_text_or_null(w, "pattern", denial.pattern);
    haft__json_end_object(w);
}

/* Writes {rank, score, why} as in tools_revealed, or null. */
static void write_search_rank(haft__json_writer *w, const haft__first_turn_preview *preview,
                              const haft__verdict *verdict)
{
    size_t rank = 0;
    const haft__revealed *revealed =
        verdict->reason == HAFT__REASON_REVEALED
            ? haft__tool_reason_find_revealed(preview, verdict->name, &rank)
            : NULL;
    haft__json_key(w, "search");
    if (revealed == NULL) {
        haft__json_add_null(w);
        return;
    }
    haft__json_begin_object(w);
    haft__field_number(w, "rank", rank);
    haft__json_key(w, "score");
    if (revealed->hit != NULL) {
        haft__buf_addf(w->buf, "%.4f", revealed->hit->score);
        w->after_key = false;
    } else {
        haft__json_add_null(w);
    }
    haft__field_text(w, "why", revealed->hit != NULL ? revealed->hit->why : HAFT__LIT("named"));
    haft__json_end_object(w);
}

void haft__tool_report_write_tools(haft__json_writer *w, const haft__first_turn_preview *preview)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    haft__json_begin_array(w);
    for (size_t i = 0; i < preview->offer.count; i++) {
        const haft__verdict *verdict = &preview->offer.items[i];
        if (verdict->reason == HAFT__REASON_NOT_ENABLED) {
            continue;
        }
        haft__json_begin_object(w);
        haft__field_text(w, "name", verdict->name);
        haft__field_string(w, "source", haft__tool_source_name(verdict->source));
        haft__field_string(w, "role", haft__tool_role_name(verdict->role));
        haft__field_text_or_null(w, "server", verdict->server);
        haft__field_flag(w, "offered", verdict->visibility == HAFT__VISIBILITY_DECLARED);
        haft__field_string(w, "sight", haft__visibility_name(verdict->visibility));
        haft__field_string(w, "code", haft__reason_word(verdict->reason));
        haft__field_text(w, "reason", haft__tool_reason_text(&buf, preview, verdict));
        write_search_rank(w, preview, verdict);
        write_denial(w, preview->run.spec, verdict->reason, verdict->server, verdict->name);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
    haft__buf_finish(&buf);
}

void haft__tool_report_write_not_enabled(haft__json_writer *w,
                                         const haft__first_turn_preview *preview)
{
    haft__json_begin_array(w);
    for (size_t i = 0; i < preview->offer.count; i++) {
        if (preview->offer.items[i].reason == HAFT__REASON_NOT_ENABLED) {
            haft__json_add_str(w, preview->offer.items[i].name);
        }
    }
    haft__json_end_array(w);
}

static void write_warnings(haft__json_writer *w, const haft__mcp_listing *listing)
{
    bool is_list = listing->left_out.kind == HAFT__JSON_ARRAY;
    haft__field_string(w, "means", haft__tool_reason_state_text(listing));
    haft__field_text_or_null(w, "warning", listing->warning);
    if (listing->stderr_lines.len > 0) {
        haft__field_text(w, "stderr", listing->stderr_lines);
    }
    haft__field_value(w, "left_out", is_list ? listing->left_out : haft__json_array(NULL, 0));
    haft__field_number(w, "left_out_all", listing->left_out_all);
}

void haft__tool_report_write_servers(haft__json_writer *w, const haft__first_turn_preview *preview)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    haft__json_begin_array(w);
    for (size_t i = 0; i < preview->listing_count; i++) {
        const haft__mcp_listing *listing = &preview->listings[i];
        haft__tool_reason_exclusion why =
            haft__tool_reason_server_exclusion(preview->run.spec, listing);
        haft__json_begin_object(w);
        haft__field_text(w, "name", listing->server);
        haft__field_text(w, "state", listing->state);
        haft__field_number(w, "tools", listing->tool_count);
        write_warnings(w, listing);
        haft__field_string(w, "code", why.code);
        haft__field_text_or_null(
            w, "reason", haft__tool_reason_exclusion_text(&buf, preview->run.spec, listing, why));
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
    haft__buf_finish(&buf);
}
