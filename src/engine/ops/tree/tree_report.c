/* SPDX-License-Identifier: Apache-2.0 */
/* tree_report.c - see tree_report.h. Tests: tests/engine/ops/tree/tree_report_test.c,
 * tests/cli/trees_test.py. */
#include "engine/ops/tree/tree_report.h"

#include "base/str.h"
#include "run/child/child.h"
#include "json/object.h"

haft__tree_usage haft__tree_report_total(const haft__tree_entry *entries, size_t count)
{
    haft__tree_usage total = {.runs = 0};
    for (size_t i = 0; i < count; i++) {
        haft__tree_usage own = haft__child_own_usage(entries[i].run);
        haft__tree_usage_add(&total, &own);
    }
    return total;
}

static void write_entry(haft__json_writer *w, const haft__tree_entry *entry)
{
    const haft__run *run = entry->run;
    haft__tree_usage own = haft__child_own_usage(run);
    bool ended = run->stage == HAFT__RUN_ENDED;
    haft__json_begin_object(w);
    haft__field_text(w, "run", run->id);
    haft__field_text_or_null(w, "parent", run->parent);
    haft__field_text_or_null(w, "call", run->path);
    haft__field_text(w, "agent", run->spec->name);
    haft__field_text(w, "task", run->task);
    haft__field_text(w, "state", entry->state);
    haft__field_text_or_null(w, "end", ended ? haft__str(haft__end_name(run->end)) : HAFT__LIT(""));
    haft__child_write_usage(w, &own);
    haft__json_end_object(w);
}

void haft__tree_report_write(haft__buf *buf, const haft__tree_entry *entries, size_t count)
{
    haft__tree_usage total = haft__tree_report_total(entries, count);
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text_or_null(&w, "run", count > 0 ? entries[0].run->id : HAFT__LIT(""));
    haft__json_key(&w, "runs");
    haft__json_begin_array(&w);
    for (size_t i = 0; i < count; i++) {
        write_entry(&w, &entries[i]);
    }
    haft__json_end_array(&w);
    haft__json_key(&w, "tree");
    haft__json_begin_object(&w);
    haft__field_number(&w, "runs", total.runs);
    haft__child_write_usage(&w, &total);
    haft__json_end_object(&w);
    haft__json_end_object(&w);
}
