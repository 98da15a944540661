/* SPDX-License-Identifier: Apache-2.0 */
/* memory_read.c - what is read from the store in memory. Tests: tests/store/store_test.c. */
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "store/memory_int.h"

/* ---- rows ---- */

static const size_t row_texts[] = {
    offsetof(haft__store_run, id),        offsetof(haft__store_run, thread),
    offsetof(haft__store_run, parent),    offsetof(haft__store_run, user),
    offsetof(haft__store_run, name),      offsetof(haft__store_run, task),
    offsetof(haft__store_run, spec_hash), offsetof(haft__store_run, spec),
    offsetof(haft__store_run, spec_path), offsetof(haft__store_run, end),
    offsetof(haft__store_run, answer),    offsetof(haft__store_run, owner),
};

/* Puts the row's texts into the arena. */
static bool own_texts(haft__arena *arena, haft__store_run *row)
{
    bool made = true;
    for (size_t i = 0; made && i < COUNT(row_texts); i++) {
        haft_str *text = (void *)((char *)row + row_texts[i]);
        *text = haft__arena_copy(arena, *text);
        made = text->ptr != NULL;
    }
    return made;
}

haft_status haft__memory_show(haft__store_request *request, const haft__store_run *row,
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
    if (!own_texts(request->arena, found)) {
        return haft__arena_fail(request->arena, err);
    }
    request->found = found;
    request->found_count = 1;
    return HAFT_OK;
}

/* ---- events ---- */

haft_status haft__memory_read(haft__memory *memory, haft__store_request *request, haft_error *err)
{
    const haft__memory_run *run = haft__memory_get(memory, request->run.id);
    if (run == NULL) {
        return haft__store_fail_run(request->run.id, err);
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

/* ---- which runs ---- */

static const haft__memory_run *find_last(const haft__memory *memory)
{
    const haft__memory_run *last = NULL;
    for (size_t i = 0; i < memory->runs.count; i++) {
        const haft__memory_run *run = memory->runs.items[i];
        last = last == NULL || run->row.created_ms >= last->row.created_ms ? run : last;
    }
    return last;
}

haft_status haft__memory_find(haft__memory *memory, haft__store_request *request, haft_error *err)
{
    const haft__sorted *runs = &memory->runs;
    if (haft__str_equal(request->name, HAFT__LIT("last"))) {
        const haft__memory_run *last = find_last(memory);
        return last != NULL ? haft__memory_show(request, &last->row, err)
                            : haft__store_fail_run(request->name, err);
    }
    bool found;
    size_t at = haft__sorted_seek(runs, &request->name, &found);
    const haft__memory_run *run = at < runs->count ? runs->items[at] : NULL;
    const haft__memory_run *next = at + 1 < runs->count ? runs->items[at + 1] : NULL;
    if (run == NULL || request->name.len == 0 || !haft__str_starts(run->row.id, request->name)) {
        return haft__store_fail_run(request->name, err);
    }
    if (next != NULL && haft__str_starts(next->row.id, request->name)) {
        return haft__store_fail_several(request->name, run->row.id, next->row.id, err);
    }
    return haft__memory_show(request, &run->row, err);
}

/* Where those stand that LIST may give: from `end` backwards to `*ret_begin`. */
static size_t list_range(const haft__memory *memory, const haft__store_request *request,
                         size_t *ret_begin)
{
    bool found;
    const haft__sorted *threads = &memory->threads;
    if (request->thread.len == 0) {
        *ret_begin = 0;
        return request->name.len > 0 ? haft__sorted_seek(&memory->runs, &request->name, &found)
                                     : memory->runs.count;
    }
    haft__memory_place begin = {request->thread, {NULL, 0}};
    haft__memory_place end = {request->thread, request->name};
    if (end.id.len == 0) {
        end.id = HAFT__LIT("~"); /* behind every id */
    }
    *ret_begin = haft__sorted_seek(threads, &begin, &found);
    return haft__sorted_seek(threads, &end, &found);
}

haft_status haft__memory_list(haft__memory *memory, haft__store_request *request, haft_error *err)
{
    uint64_t most = HAFT__LIMIT_STORE_LIST;
    most = request->limit > 0 && request->limit < most ? request->limit : most;
    const haft__sorted *from = request->thread.len > 0 ? &memory->threads : &memory->runs;
    size_t begin, at = list_range(memory, request, &begin);
    most = at - begin < most ? at - begin : most;
    haft__store_run *rows = haft__arena_array(request->arena, most, sizeof(*rows));
    size_t count = 0;
    while (rows != NULL && count < most && at > begin) {
        const haft__memory_run *run = from->items[--at];
        if (request->open_only && run->row.state == HAFT__STATE_ENDED) {
            continue;
        }
        rows[count] = run->row;
        rows[count].spec = rows[count].answer = HAFT__LIT("");
        if (!own_texts(request->arena, &rows[count++])) {
            rows = NULL;
        }
    }
    request->found = rows;
    request->found_count = count;
    return rows != NULL ? HAFT_OK : haft__arena_fail(request->arena, err);
}

/* The next older run before *at that belongs to the past of run `number`; NULL at the end. */
static const haft__memory_run *next_past(const haft__memory *memory, haft_str thread,
                                         uint64_t number, size_t *at)
{
    while (*at > 0) {
        const haft__memory_run *run = memory->threads.items[--*at];
        if (!haft__str_equal(run->row.thread, thread)) {
            return NULL;
        }
        if (run->row.state == HAFT__STATE_ENDED && run->ended < number) {
            return run;
        }
    }
    return NULL;
}

static bool show_past(haft__arena *arena, const haft__store_run *row, haft__store_run *ret_row)
{
    *ret_row = (haft__store_run){.id = row->id,
                                 .task = row->task,
                                 .end = row->end,
                                 .answer = row->answer,
                                 .state = row->state,
                                 .created_ms = row->created_ms};
    return own_texts(arena, ret_row);
}

haft_status haft__memory_thread(haft__memory *memory, haft__store_request *request, haft_error *err)
{
    const haft__memory_run *named = haft__memory_get(memory, request->name);
    if (named == NULL && request->name.len > 0) {
        return haft__store_fail_run(request->name, err);
    }
    uint64_t number = named != NULL ? named->number : UINT64_MAX;
    bool found;
    haft__memory_place place = {request->thread, HAFT__LIT("~")};
    size_t end = haft__sorted_seek(&memory->threads, &place, &found), at = end, count = 0;
    while (count < HAFT__LIMIT_STORE_LIST
           && next_past(memory, request->thread, number, &at) != NULL) {
        count++;
    }
    haft__store_run *rows = haft__arena_array(request->arena, count, sizeof(*rows));
    for (size_t i = count; rows != NULL && i > 0; i--) {
        const haft__memory_run *run = next_past(memory, request->thread, number, &end);
        rows = show_past(request->arena, &run->row, &rows[i - 1]) ? rows : NULL;
    }
    request->found = rows;
    request->found_count = count;
    return rows != NULL ? HAFT_OK : haft__arena_fail(request->arena, err);
}

/* ---- artifacts ---- */

haft_status haft__memory_artifact_of(haft__memory *memory, haft__store_request *request,
                                     haft_error *err)
{
    const haft__memory_run *run = haft__memory_get(memory, request->run.id);
    if (run == NULL) {
        return haft__store_fail_run(request->run.id, err);
    }
    const haft__memory_artifact *at = run->artifacts;
    while (at != NULL && !haft__str_equal(at->name, request->name)) {
        at = at->older;
    }
    if (at == NULL) {
        return haft__store_fail_artifact(request->name, request->run.id, err);
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
