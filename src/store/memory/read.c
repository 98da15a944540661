/* SPDX-License-Identifier: Apache-2.0 */
/* read.c - reads from the memory store. Tests: tests/store/store_test.c. */
#include <stdlib.h>

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "store/memory/memory_int.h"

/* ---- rows ---- */

static const size_t row_texts[] = {
    offsetof(haft__store_run, id),        offsetof(haft__store_run, thread),
    offsetof(haft__store_run, parent),    offsetof(haft__store_run, user),
    offsetof(haft__store_run, name),      offsetof(haft__store_run, task),
    offsetof(haft__store_run, spec_hash), offsetof(haft__store_run, spec),
    offsetof(haft__store_run, spec_path), offsetof(haft__store_run, end),
    offsetof(haft__store_run, answer),    offsetof(haft__store_run, owner),
};

/* Copies the row's texts to the arena. */
static bool copy_texts(haft__arena *arena, haft__store_run *row)
{
    bool copied = true;
    for (size_t i = 0; copied && i < COUNT(row_texts); i++) {
        haft_str *text = (void *)((char *)row + row_texts[i]);
        *text = haft__arena_copy(arena, *text);
        copied = text->ptr != NULL;
    }
    return copied;
}

haft_status haft__memory_return_run(haft__store_request *request, const haft__store_run *row,
                                    haft_error *err)
{
    if (request->arena == NULL) {
        return HAFT_OK;
    }
    haft__store_run *found = haft__arena_alloc(request->arena, sizeof(*found));
    if (found == NULL) {
        return haft__arena_fail(request->arena, err);
    }
    *found = *row;
    if (!copy_texts(request->arena, found)) {
        return haft__arena_fail(request->arena, err);
    }
    request->found = found;
    request->found_count = 1;
    return HAFT_OK;
}

/* ---- events ---- */

haft_status haft__memory_read_events(haft__memory_store *memory, haft__store_request *request,
                                     haft_error *err)
{
    const haft__memory_run *run = haft__memory_find_run(memory, request->run.id);
    if (run == NULL) {
        return haft__store_fail_no_run(request->run.id, err);
    }
    uint64_t after = request->after < run->row.seq ? request->after : run->row.seq;
    uint64_t count = run->row.seq - after;
    count = request->limit > 0 && request->limit < count ? request->limit : count;
    size_t from = after > 0 ? run->ends[after - 1] : 0;
    size_t to = count > 0 ? run->ends[after + count - 1] : from;
    haft_str part = {to > from ? run->log.ptr + from : "", to - from};
    request->text = haft__arena_copy(request->arena, part);
    request->count = count;
    return request->text.ptr != NULL ? HAFT_OK : haft__arena_fail(request->arena, err);
}

/* ---- finding runs ---- */

static const haft__memory_run *find_last(const haft__memory_store *memory)
{
    const haft__memory_run *last = NULL;
    for (size_t i = 0; i < memory->runs.count; i++) {
        const haft__memory_run *run = memory->runs.items[i];
        bool later = last == NULL || run->row.created_ms >= last->row.created_ms;
        last = later && !haft__str_equal(run->row.thread, run->row.id) ? run : last;
    }
    return last;
}

haft_status haft__memory_find(haft__memory_store *memory, haft__store_request *request,
                              haft_error *err)
{
    const haft__sorted_array *runs = &memory->runs;
    if (haft__str_equal(request->name, HAFT__LIT("last"))) {
        const haft__memory_run *last = find_last(memory);
        return last != NULL ? haft__memory_return_run(request, &last->row, err)
                            : haft__store_fail_no_run(request->name, err);
    }
    bool found;
    size_t at = haft__sorted_array_lower_bound(runs, &request->name, &found);
    const haft__memory_run *run = at < runs->count ? runs->items[at] : NULL;
    const haft__memory_run *next = at + 1 < runs->count ? runs->items[at + 1] : NULL;
    if (run == NULL || request->name.len == 0
        || !haft__str_starts_with(run->row.id, request->name)) {
        return haft__store_fail_no_run(request->name, err);
    }
    if (next != NULL && haft__str_starts_with(next->row.id, request->name)) {
        return haft__store_fail_ambiguous_id(request->name, run->row.id, next->row.id, err);
    }
    return haft__memory_return_run(request, &run->row, err);
}

/* The range of indices that LIST may return: from *ret_begin up to, but not including, the returned
 * one. */
static size_t list_range(const haft__memory_store *memory, const haft__store_request *request,
                         size_t *ret_begin)
{
    bool found;
    const haft__sorted_array *threads = &memory->threads;
    if (request->thread.len == 0 || request->blocked_only) {
        *ret_begin = 0;
        return request->name.len > 0
                   ? haft__sorted_array_lower_bound(&memory->runs, &request->name, &found)
                   : memory->runs.count;
    }
    haft__memory_thread_key begin = {request->thread, {NULL, 0}};
    haft__memory_thread_key end = {request->thread, request->name};
    if (end.id.len == 0) {
        end.id = HAFT__LIT("~"); /* sorts after every id */
    }
    *ret_begin = haft__sorted_array_lower_bound(threads, &begin, &found);
    return haft__sorted_array_lower_bound(threads, &end, &found);
}

/* Whether LIST returns the run. */
static bool is_listed(const haft__memory_store *memory, const haft__store_request *request,
                      const haft__memory_run *run)
{
    if (request->blocked_only) {
        return run->row.state == HAFT__RUN_STATE_RUNNING
               && haft__memory_first_open_run(memory, run->row.thread, 0, run->number) != NULL;
    }
    return !request->open_only || run->row.state != HAFT__RUN_STATE_ENDED;
}

/* The columns that describe the owner of a run. */
static haft__store_run ownership_of(const haft__store_run *row)
{
    return (haft__store_run){
        .id = row->id, .state = row->state, .owner = row->owner, .lease_ms = row->lease_ms};
}

haft_status haft__memory_list(haft__memory_store *memory, haft__store_request *request,
                              haft_error *err)
{
    uint64_t max_count = HAFT__LIMIT_STORE_LIST;
    max_count = request->limit > 0 && request->limit < max_count ? request->limit : max_count;
    bool in_thread = request->thread.len > 0 && !request->blocked_only;
    const haft__sorted_array *from = in_thread ? &memory->threads : &memory->runs;
    size_t begin, at = list_range(memory, request, &begin);
    max_count = at - begin < max_count ? at - begin : max_count;
    haft__store_run *rows = haft__arena_array(request->arena, max_count, sizeof(*rows));
    size_t count = 0;
    while (rows != NULL && count < max_count && at > begin) {
        const haft__memory_run *run = from->items[--at];
        if (!is_listed(memory, request, run)) {
            continue;
        }
        rows[count] = request->blocked_only ? ownership_of(&run->row) : run->row;
        rows[count].spec = rows[count].answer = HAFT__LIT("");
        if (!copy_texts(request->arena, &rows[count++])) {
            rows = NULL;
        }
    }
    request->found = rows;
    request->found_count = count;
    return rows != NULL ? HAFT_OK : haft__arena_fail(request->arena, err);
}

/* The index of the thread's first run in `threads`. */
static size_t thread_begin(const haft__memory_store *memory, haft_str thread)
{
    bool found;
    haft__memory_thread_key thread_key = {thread, {NULL, 0}};
    return haft__sorted_array_lower_bound(&memory->threads, &thread_key, &found);
}

static int by_number(const void *a, const void *b)
{
    const haft__memory_run *const *one = a, *const *other = b;
    return ((*one)->number > (*other)->number) - ((*one)->number < (*other)->number);
}

/* The runs of the thread that have ended and were created before run `number`, in the order of
 * their numbers; NULL if out of memory. Ids give no order: they follow the clock, which may be set
 * back. */
static const haft__memory_run **find_history(const haft__memory_store *memory, haft__arena *arena,
                                             haft_str thread, uint64_t number, size_t *ret_count)
{
    size_t begin = thread_begin(memory, thread), end = begin;
    while (end < memory->threads.count
           && haft__str_equal(((const haft__memory_run *)memory->threads.items[end])->row.thread,
                              thread)) {
        end++;
    }
    const haft__memory_run **history = haft__arena_array(arena, end - begin, sizeof(*history));
    *ret_count = 0;
    for (size_t i = begin; history != NULL && i < end; i++) {
        const haft__memory_run *run = memory->threads.items[i];
        if (run->row.state == HAFT__RUN_STATE_ENDED && run->number < number) {
            history[(*ret_count)++] = run;
        }
    }
    if (*ret_count > 1) {
        qsort(history, *ret_count, sizeof(*history), by_number);
    }
    return history;
}

static bool copy_history(haft__arena *arena, const haft__store_run *row, haft__store_run *ret_row)
{
    *ret_row = (haft__store_run){.id = row->id,
                                 .task = row->task,
                                 .end = row->end,
                                 .answer = row->answer,
                                 .state = row->state,
                                 .created_ms = row->created_ms};
    return copy_texts(arena, ret_row);
}

haft_status haft__memory_thread_history(haft__memory_store *memory, haft__store_request *request,
                                        haft_error *err)
{
    const haft__memory_run *named = haft__memory_find_run(memory, request->name);
    if (named == NULL && request->name.len > 0) {
        return haft__store_fail_no_run(request->name, err);
    }
    uint64_t number = named != NULL ? named->number : UINT64_MAX;
    size_t count = 0;
    const haft__memory_run **history =
        find_history(memory, request->arena, request->thread, number, &count);
    size_t skipped = count > HAFT__LIMIT_STORE_LIST ? count - HAFT__LIMIT_STORE_LIST : 0;
    count -= skipped;
    haft__store_run *rows =
        history != NULL ? haft__arena_array(request->arena, count, sizeof(*rows)) : NULL;
    for (size_t i = 0; rows != NULL && i < count; i++) {
        rows = copy_history(request->arena, &history[skipped + i]->row, &rows[i]) ? rows : NULL;
    }
    request->found = rows;
    request->found_count = count;
    return rows != NULL ? HAFT_OK : haft__arena_fail(request->arena, err);
}

const haft__memory_run *haft__memory_first_open_run(const haft__memory_store *memory,
                                                    haft_str thread, uint64_t after,
                                                    uint64_t number)
{
    const haft__memory_run *first = NULL;
    for (size_t i = thread_begin(memory, thread); i < memory->threads.count; i++) {
        const haft__memory_run *run = memory->threads.items[i];
        if (!haft__str_equal(run->row.thread, thread)) {
            break;
        }
        bool open =
            run->row.state != HAFT__RUN_STATE_ENDED && run->number > after && run->number < number;
        if (open && (first == NULL || run->number < first->number)) {
            first = run;
        }
    }
    return first;
}

haft_status haft__memory_predecessors(haft__memory_store *memory, haft__store_request *request,
                                      haft_error *err)
{
    const haft__memory_run *own = haft__memory_find_run(memory, request->run.id), *run = NULL;
    if (own == NULL) {
        return haft__store_fail_no_run(request->run.id, err);
    }
    uint64_t max_count = HAFT__LIMIT_STORE_LIST, after = 0;
    max_count = request->limit > 0 && request->limit < max_count ? request->limit : max_count;
    haft__store_run *rows = haft__arena_array(request->arena, max_count, sizeof(*rows));
    size_t count = 0;
    while (rows != NULL && count < max_count
           && (run = haft__memory_first_open_run(memory, own->row.thread, after, own->number))
                  != NULL) {
        after = run->number;
        rows[count] = ownership_of(&run->row);
        if (!copy_texts(request->arena, &rows[count++])) {
            rows = NULL;
        }
    }
    request->found = rows;
    request->found_count = count;
    return rows != NULL ? HAFT_OK : haft__arena_fail(request->arena, err);
}

/* ---- artifacts ---- */

haft_status haft__memory_read_artifact(haft__memory_store *memory, haft__store_request *request,
                                       haft_error *err)
{
    const haft__memory_run *run = haft__memory_find_run(memory, request->run.id);
    if (run == NULL) {
        return haft__store_fail_no_run(request->run.id, err);
    }
    const haft__memory_artifact *at = run->artifacts;
    while (at != NULL && !haft__str_equal(at->name, request->name)) {
        at = at->older;
    }
    if (at == NULL) {
        return haft__store_fail_no_artifact(request->name, request->run.id, err);
    }
    haft__arena *arena = request->arena;
    request->artifact = (haft__store_artifact){
        haft__arena_copy(arena, at->name),
        haft__arena_copy(arena, at->media_type),
        haft__arena_copy(arena, at->sha256),
        haft__arena_copy(arena, at->content->text),
    };
    return request->artifact.name.ptr != NULL && request->artifact.media_type.ptr != NULL
                   && request->artifact.sha256.ptr != NULL && request->artifact.content.ptr != NULL
               ? HAFT_OK
               : haft__arena_fail(arena, err);
}

/* ---- doctor ---- */

haft_status haft__memory_doctor(haft__memory_store *memory, haft__store_request *request,
                                haft_error *err)
{
    (void)memory;
    haft__store_finding *finding = haft__arena_alloc(request->arena, sizeof(*finding));
    if (finding == NULL) {
        return haft__arena_fail(request->arena, err);
    }
    *finding = (haft__store_finding){"kept", HAFT__LIT("until this process ends"), true, ""};
    request->findings = finding;
    request->finding_count = 1;
    return HAFT_OK;
}

haft_status haft__memory_try_write(haft__memory_store *memory, haft__store_request *request,
                                   haft_error *err)
{
    (void)memory;
    (void)request;
    (void)err;
    return HAFT_OK; /* memory can always be written */
}
