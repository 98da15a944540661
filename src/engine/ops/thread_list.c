/* SPDX-License-Identifier: Apache-2.0 */
/* thread_list.c - see thread_list.h. Tests: tests/engine/ops/thread_list_test.c. */
#include "engine/ops/thread_list.h"

#include "base/error.h"
#include "base/str.h"
#include "engine/ops/run_list.h"

/* Lists the newest runs of all threads. */
static haft_status list_runs(haft_runtime *runtime, haft__arena *arena, haft__run_list *ret_list,
                             haft_error *err)
{
    haft__run_list_filter filter = {.thread = HAFT__LIT(""), .before = HAFT__LIT("")};
    return haft__run_list_read(runtime, arena, &filter, ret_list, err);
}

haft_status haft__thread_list_read(haft_runtime *runtime, haft__arena *arena, size_t limit,
                                   haft__thread_list *ret_list, haft_error *err)
{
    haft__run_list runs;
    haft_status status = list_runs(runtime, arena, &runs, err);
    if (status != HAFT_OK) {
        return status;
    }
    limit = limit == 0 || limit > runs.count ? runs.count : limit;
    haft__thread_summary *threads = haft__arena_array(arena, limit + 1, sizeof(*threads));
    if (threads == NULL) {
        return haft__arena_fail(arena, err);
    }
    size_t count = 0;
    for (size_t i = 0; i < runs.count; i++) {
        const haft__store_run *run = &runs.items[i];
        size_t at = 0;
        while (at < count && !haft__str_equal(threads[at].thread, run->thread)) {
            at++;
        }
        if (at == limit) {
            continue;
        }
        if (at == count) {
            threads[count++] =
                (haft__thread_summary){.thread = run->thread, .updated_ms = run->updated_ms};
        }
        threads[at].task = run->task; /* runs are listed newest first, so the last assignment is
                                       * from the oldest run */
        threads[at].name = run->name;
        threads[at].run_count++;
    }
    *ret_list = (haft__thread_list){.items = threads, .count = count};
    return HAFT_OK;
}

/* Finds a thread by its whole id. Also finds a thread that is older than all runs of one page. */
static haft_status find_by_id(haft_runtime *runtime, haft__arena *arena, haft_str id,
                              haft_str *ret_thread, haft_error *err)
{
    haft__run_list runs;
    haft__run_list_filter filter = {.thread = id, .before = HAFT__LIT(""), .limit = 1};
    haft_status status = haft__run_list_read(runtime, arena, &filter, &runs, err);
    if (status == HAFT_OK && runs.count > 0) {
        *ret_thread = runs.items[0].thread;
    }
    return status;
}

static haft_status find_by_beginning(haft_runtime *runtime, haft__arena *arena, haft_str name,
                                     haft_str *ret_thread, haft_error *err)
{
    haft__run_list runs = {.count = 0};
    haft_status status = list_runs(runtime, arena, &runs, err);
    for (size_t i = 0; status == HAFT_OK && i < runs.count && name.len > 0; i++) {
        haft_str thread = runs.items[i].thread;
        if (!haft__str_starts_with(thread, name) || haft__str_equal(thread, *ret_thread)) {
            continue;
        }
        if (ret_thread->ptr != NULL) {
            status = haft__fail(err, HAFT_BAD_INPUT, "", "several threads begin with '%.*s'",
                                HAFT__ARG(name));
            return haft__hint(err, status, "give more of its id");
        }
        *ret_thread = thread;
    }
    return status;
}

haft_status haft__thread_find(haft_runtime *runtime, haft__arena *arena, haft_str name,
                              haft_str *ret_thread, haft_error *err)
{
    *ret_thread = (haft_str){NULL, 0};
    haft_status status = haft__id_valid(name)
                             ? find_by_id(runtime, arena, name, ret_thread, err)
                             : find_by_beginning(runtime, arena, name, ret_thread, err);
    return status == HAFT_OK && ret_thread->ptr == NULL
               ? haft__fail(err, HAFT_NOT_FOUND, "", "there is no thread '%.*s'", HAFT__ARG(name))
               : status;
}

haft_status haft__thread_find_last(haft_runtime *runtime, haft__arena *arena, haft_str agent,
                                   haft_str *ret_thread, haft_error *err)
{
    haft__run_list runs;
    haft_status status = list_runs(runtime, arena, &runs, err);
    for (size_t i = 0; status == HAFT_OK && i < runs.count; i++) {
        if (haft__str_equal(runs.items[i].name, agent)) {
            *ret_thread = runs.items[i].thread;
            return HAFT_OK;
        }
    }
    return status == HAFT_OK
               ? haft__fail(err, HAFT_NOT_FOUND, "", "there is no earlier conversation with '%.*s'",
                            HAFT__ARG(agent))
               : status;
}

haft_status haft__thread_find_open_run(haft_runtime *runtime, haft__arena *arena, haft_str thread,
                                       const haft__store_run **ret_open, haft_error *err)
{
    haft__run_list runs;
    haft__run_list_filter filter = {
        .thread = thread, .before = HAFT__LIT(""), .limit = 1, .open_only = true};
    haft_status status = haft__run_list_read(runtime, arena, &filter, &runs, err);
    if (status == HAFT_OK) {
        *ret_open = runs.count > 0 ? &runs.items[0] : NULL;
    }
    return status;
}
