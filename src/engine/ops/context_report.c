/* SPDX-License-Identifier: Apache-2.0 */
/* context_report.c - see context_report.h. Tests: tests/cli/explain_test.py. */
#include "engine/ops/context_report.h"

#include "model/provider.h"
#include "json/object.h"

haft__context_report haft__context_report_read(const haft__run *run)
{
    haft__context_report report = {.tokens = run->spec->model.context_tokens};
    if (report.tokens > 0) {
        report.reserve = run->spec->context.reserve;
        report.used = haft__context_tokens(run);
        report.shares = haft__context_measure_shares(run);
    }
    return report;
}

static void write_rule(haft__json_writer *w, const char *key, bool on, uint32_t at, uint32_t keep)
{
    haft__json_key(w, key);
    if (!on) {
        haft__json_add_null(w);
        return;
    }
    haft__json_begin_object(w);
    haft__field_number(w, "at", at);
    haft__field_number(w, "keep", keep);
    haft__json_end_object(w);
}

void haft__context_report_write(haft__json_writer *w, haft__arena *arena,
                                const haft__context_report *report, const haft__spec *spec)
{
    const haft__context_spec *c = &spec->context;
    haft__json_key(w, "context");
    if (report->tokens == 0) {
        haft__json_add_null(w);
        return;
    }
    haft__json_begin_object(w);
    haft__field_number(w, "tokens", report->tokens);
    haft__field_number(w, "reserve", report->reserve);
    haft__field_number(w, "estimated", report->used);
    haft__field_number(w, "system", report->shares.system);
    haft__field_number(w, "definitions", report->shares.definitions);
    haft__field_number(w, "task", report->shares.task);
    write_rule(w, "clear", c->clear, c->clear_at, c->clear_keep);
    write_rule(w, "summarise", c->summarise, c->summarise_at, c->summarise_keep);
    if (c->summariser != NULL) {
        haft__field_text(w, "summary_model",
                         haft__provider_name_model(arena, &c->summariser->model));
    }
    haft__json_end_object(w);
}
