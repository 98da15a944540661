/* SPDX-License-Identifier: Apache-2.0 */
/* tool_report.c - see tool_report.h. Tests: tests/engine/ops/tool_report_test.c. */
#include "engine/ops/tool_report.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/ops/tool_reason.h"

static void add_text(haft__json_writer *w, const char *key, haft_str text)
{
    haft__json_key(w, key);
    if (text.ptr != NULL) {
        haft__json_add_str(w, text);
    } else {
        haft__json_add_null(w);
    }
}

static void add_word(haft__json_writer *w, const char *key, const char *word)
{
    add_text(w, key, word != NULL ? haft__str(word) : (haft_str){NULL, 0});
}

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
    add_word(w, "list", denial.list);
    add_text(w, "pattern", denial.pattern);
    haft__json_end_object(w);
}

/* {rank, score, why} as tools_revealed has them, or null. */
static void write_search_rank(haft__json_writer *w, const haft__first_turn_preview *first,
                              const haft__verdict *verdict)
{
    size_t rank = 0;
    const haft__revealed *revealed =
        verdict->reason == HAFT__REASON_REVEALED
            ? haft__tool_reason_find_revealed(first, verdict->name, &rank)
            : NULL;
    haft__json_key(w, "search");
    if (revealed == NULL) {
        haft__json_add_null(w);
        return;
    }
    haft__json_begin_object(w);
    haft__json_key(w, "rank");
    haft__json_add_int(w, (int64_t)rank);
    haft__json_key(w, "score");
    if (revealed->hit != NULL) {
        haft__buf_addf(w->buf, "%.4f", revealed->hit->score);
        w->after_key = false;
    } else {
        haft__json_add_null(w);
    }
    add_text(w, "why", revealed->hit != NULL ? revealed->hit->why : HAFT__LIT("room"));
    haft__json_end_object(w);
}

void haft__tool_report_write_tools(haft__json_writer *w, const haft__first_turn_preview *first)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    haft__json_begin_array(w);
    for (size_t i = 0; i < first->offer.count; i++) {
        const haft__verdict *verdict = &first->offer.items[i];
        if (verdict->reason == HAFT__REASON_NOT_ENABLED) {
            continue;
        }
        haft__json_begin_object(w);
        add_text(w, "name", verdict->name);
        add_word(w, "source", haft__tool_source_name(verdict->source));
        add_word(w, "role", haft__tool_role_name(verdict->role));
        add_text(w, "server", verdict->server.len > 0 ? verdict->server : (haft_str){NULL, 0});
        haft__json_key(w, "offered");
        haft__json_add_bool(w, verdict->visibility == HAFT__VISIBILITY_DECLARED);
        add_word(w, "sight", haft__visibility_name(verdict->visibility));
        add_word(w, "code", haft__reason_word(verdict->reason));
        add_text(w, "reason", haft__tool_reason_text(&buf, first, verdict));
        write_search_rank(w, first, verdict);
        write_denial(w, first->run.spec, verdict->reason, verdict->server, verdict->name);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
    haft__buf_finish(&buf);
}

void haft__tool_report_write_not_enabled(haft__json_writer *w,
                                         const haft__first_turn_preview *first)
{
    haft__json_begin_array(w);
    for (size_t i = 0; i < first->offer.count; i++) {
        if (first->offer.items[i].reason == HAFT__REASON_NOT_ENABLED) {
            haft__json_add_str(w, first->offer.items[i].name);
        }
    }
    haft__json_end_array(w);
}

static void write_warnings(haft__json_writer *w, const haft__mcp_listing *listing)
{
    bool has = listing->left_out.kind == HAFT__JSON_ARRAY;
    haft__json_key(w, "means");
    haft__json_add_str(w, haft__str(haft__tool_reason_state_text(listing)));
    haft__json_key(w, "warning");
    haft__json_add(w, listing->warning.len > 0 ? haft__json_string(listing->warning)
                                               : haft__json_null());
    haft__json_key(w, "left_out");
    haft__json_add(w, has ? listing->left_out : haft__json_array(NULL, 0));
    haft__json_key(w, "left_out_all");
    haft__json_add_int(w, (int64_t)listing->left_out_all);
}

void haft__tool_report_write_servers(haft__json_writer *w, const haft__first_turn_preview *first)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    haft__json_begin_array(w);
    for (size_t i = 0; i < first->listing_count; i++) {
        const haft__mcp_listing *listing = &first->listings[i];
        haft__tool_reason_exclusion why =
            haft__tool_reason_server_exclusion(first->run.spec, listing);
        haft__json_begin_object(w);
        add_text(w, "name", listing->server);
        add_text(w, "state", listing->state);
        haft__json_key(w, "tools");
        haft__json_add_int(w, (int64_t)listing->tool_count);
        write_warnings(w, listing);
        add_word(w, "code", why.code);
        add_text(w, "reason",
                 haft__tool_reason_exclusion_text(&buf, first->run.spec, listing, why));
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
    haft__buf_finish(&buf);
}
