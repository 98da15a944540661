/* SPDX-License-Identifier: Apache-2.0 */
/* run_list.c - see run_list.h. Tests: tests/engine/ops/runs_test.c. */
#include "engine/ops/run_list.h"

#include "base/str.h"
#include "base/time.h"
#include "engine/ops/store_access.h"
#include "json/object.h"

haft_status haft__run_list_read(haft_runtime *runtime, haft__arena *arena,
                                const haft__run_list_filter *filter, haft__run_list *ret_list,
                                haft_error *err)
{
    haft__store_request list = {.verb = HAFT__STORE_LIST,
                                .thread = filter->thread,
                                .name = filter->before,
                                .limit = filter->limit,
                                .open_only = filter->open_only};
    haft_status status = haft__store_access_execute(runtime, arena, &list, err);
    if (status == HAFT_OK) {
        *ret_list = (haft__run_list){.items = list.found, .count = list.found_count};
    }
    return status;
}

/* A run with one event has not begun, because an earlier run of its thread is open, or because no
 * worker has claimed the run. */
haft_str haft__run_list_state(const haft__store_run *row)
{
    bool queued = row->state == HAFT__RUN_STATE_RUNNING && row->seq == 1;
    return row->damaged ? HAFT__LIT("damaged")
           : queued     ? HAFT__LIT("queued")
                        : haft__str(haft__run_state_name(row->state));
}

static void write_time(haft__json_writer *w, const char *key, uint64_t ms)
{
    char at[HAFT__TIME_SIZE];
    haft__time_format(ms, at);
    haft__field_text(w, key, haft__str(at));
}

void haft__run_list_write_fields(haft__json_writer *w, const haft__store_run *row)
{
    haft__field_text(w, "run", row->id);
    haft__field_text(w, "thread", row->thread);
    haft__field_text_or_null(w, "parent",
                             haft__store_run_is_child(row) ? row->parent : HAFT__LIT(""));
    haft__field_text(w, "name", row->name);
    haft__field_text(w, "task", row->task);
    haft__field_text(w, "state", haft__run_list_state(row));
    haft__field_text_or_null(w, "end", row->end);
    write_time(w, "created", row->created_ms);
    write_time(w, "updated", row->updated_ms);
    haft__field_number(w, "turns", row->turns);
    haft__field_number(w, "calls", row->calls);
    haft__field_number(w, "seq", row->seq);
    haft__field_number(w, "epoch", row->epoch);
}

void haft__run_list_write(haft__json_writer *w, const haft__run_list *list)
{
    haft__json_begin_object(w);
    haft__json_key(w, "runs");
    haft__json_begin_array(w);
    for (size_t i = 0; i < list->count; i++) {
        haft__json_begin_object(w);
        haft__run_list_write_fields(w, &list->items[i]);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
    haft__json_end_object(w);
}
