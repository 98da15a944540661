/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - the life of a run in memory: created, appended to, claimed, released, removed.
 * Tests: tests/store/store_test.c.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/vec.h"
#include "store/memory/memory_int.h"

/* ---- owners ---- */

/* Takes ownership of the string `owner`, which is NULL for no owner. */
static void set_owner(haft__memory_store *memory, haft__memory_run *run, char *owner, size_t length)
{
    if (run->owner != NULL) {
        *run->owned_at = run->next_owned;
        if (run->next_owned != NULL) {
            run->next_owned->owned_at = run->owned_at;
        }
        free(run->owner);
    }
    run->owner = owner;
    run->row.owner = (haft_str){owner != NULL ? owner : "", length};
    if (owner != NULL) {
        run->next_owned = memory->owned;
        run->owned_at = &memory->owned;
        if (memory->owned != NULL) {
            memory->owned->owned_at = &run->next_owned;
        }
        memory->owned = run;
    }
}

static void release_owner(haft__memory_store *memory, haft__memory_run *run)
{
    set_owner(memory, run, NULL, 0);
    run->row.lease_ms = 0;
}

/* A copy of an owner's name; NULL if out of memory. */
static char *copy_owner(haft_str owner)
{
    char *copy = malloc(owner.len), *end = copy;
    if (copy != NULL) {
        (void)haft__memory_copy_text(&end, owner);
    }
    return copy;
}

/* ---- artifacts ---- */

static haft__memory_artifact *make_artifact(haft__memory_store *memory,
                                            const haft__store_artifact *from)
{
    haft__memory_artifact *artifact =
        malloc(sizeof(*artifact) + from->name.len + from->media_type.len + from->sha256.len);
    if (artifact == NULL) {
        return NULL;
    }
    artifact->content = haft__memory_text_acquire(memory, from->content);
    if (artifact->content == NULL) {
        free(artifact);
        return NULL;
    }
    char *end = artifact->bytes;
    artifact->name = haft__memory_copy_text(&end, from->name);
    artifact->media_type = haft__memory_copy_text(&end, from->media_type);
    artifact->sha256 = haft__memory_copy_text(&end, from->sha256);
    return artifact;
}

/* Frees the list up to, but not including, `before`. */
static void free_artifacts(haft__memory_store *memory, haft__memory_artifact *list,
                           const haft__memory_artifact *before)
{
    while (list != before) {
        haft__memory_artifact *artifact = list;
        list = artifact->older;
        haft__memory_text_release(memory, artifact->content);
        free(artifact);
    }
}

/* Creates the request's artifacts in front of the run's own. */
static bool make_artifacts(haft__memory_store *memory, const haft__store_request *request,
                           haft__memory_artifact *own, haft__memory_artifact **ret_list)
{
    haft__memory_artifact *list = own;
    for (size_t i = 0; i < request->artifact_count; i++) {
        haft__memory_artifact *artifact = make_artifact(memory, &request->artifacts[i]);
        if (artifact == NULL) {
            free_artifacts(memory, list, own);
            return false;
        }
        artifact->older = list;
        list = artifact;
    }
    *ret_list = list;
    return true;
}

/* ---- events ---- */

static bool reserve_ends(haft__memory_run *run, size_t more)
{
    size_t count = run->row.seq + more;
    size_t *ends =
        count > 0 ? haft__vec_reserve(run->ends, &run->end_capacity, count, sizeof(*ends)) : NULL;
    run->ends = ends != NULL ? ends : run->ends;
    return count == 0 || ends != NULL;
}

/* Allocates memory for the appended lines, so that append_lines cannot fail. */
static bool reserve_lines(haft__memory_run *run, const haft__store_request *request)
{
    bool room = haft__buf_reserve(&run->log, haft__store_line_bytes(request)) != NULL;
    run->log.status = HAFT_OK; /* the content is intact, and the next append may be shorter */
    return room && reserve_ends(run, request->line_count);
}

static void append_lines(haft__memory_run *run, const haft__store_request *request)
{
    for (size_t i = 0; i < request->line_count; i++) {
        haft__buf_add_str(&run->log, request->lines[i]);
        haft__buf_add_char(&run->log, '\n');
        run->ends[run->row.seq++] = run->log.len;
    }
}

/* A copy of the texts of a run that ends; NULL if out of memory. */
static char *copy_ending(const haft__store_request *request)
{
    char *copy = malloc(request->run.end.len + request->run.answer.len + 1), *end = copy;
    if (copy != NULL) {
        (void)haft__memory_copy_text(&end, request->run.end);
        (void)haft__memory_copy_text(&end, request->run.answer);
    }
    return copy;
}

/* Takes ownership of `ending`. */
static void end_run(haft__memory_store *memory, haft__memory_run *run,
                    const haft__store_request *request, char *ending)
{
    run->ending = ending;
    run->row.end = (haft_str){ending, request->run.end.len};
    run->row.answer = (haft_str){ending + request->run.end.len, request->run.answer.len};
    release_owner(memory, run);
    haft__memory_drop_messages(memory, run);
}

static void set_state(haft__memory_store *memory, haft__memory_run *run,
                      const haft__store_request *request)
{
    run->row.state = request->run.state;
    run->row.turns = request->run.turns;
    run->row.calls = request->run.calls;
    run->row.wake_ms = request->run.wake_ms;
    run->row.updated_ms = haft__store_now(&memory->store);
    if (request->lease_ms > 0) {
        run->row.lease_ms = haft__store_lease_end(&memory->store, request->lease_ms);
    }
}

/* ---- creation ---- */

/* Copies the texts of a run that never change, except the spec. */
static void put_texts(haft__memory_run *run, const haft__store_run *from)
{
    haft__store_run *row = &run->row;
    char *end = run->texts;
    row->id = haft__memory_copy_text(&end, from->id);
    row->thread = haft__memory_copy_text(&end, from->thread);
    row->parent = haft__memory_copy_text(&end, from->parent);
    row->user = haft__memory_copy_text(&end, from->user);
    row->name = haft__memory_copy_text(&end, from->name);
    row->task = haft__memory_copy_text(&end, from->task);
    row->spec_hash = haft__memory_copy_text(&end, from->spec_hash);
    row->spec_path = haft__memory_copy_text(&end, from->spec_path);
}

static haft__memory_run *make_run(haft__memory_store *memory, const haft__store_request *request)
{
    const haft__store_run *from = &request->run;
    haft__memory_run *run = calloc(
        1, sizeof(*run) + from->id.len + from->thread.len + from->parent.len + from->user.len
               + from->name.len + from->task.len + from->spec_hash.len + from->spec_path.len);
    if (run == NULL) {
        return NULL;
    }
    haft__buf_init(&run->log, memory->store.run_bytes);
    put_texts(run, from);
    run->row.end = run->row.answer = run->row.owner = HAFT__LIT("");
    run->spec = haft__memory_text_acquire(memory, from->spec);
    if (run->spec == NULL || !reserve_lines(run, request)) {
        haft__memory_free_run(memory, run);
        return NULL;
    }
    run->row.spec = run->spec->text;
    append_lines(run, request);
    return run;
}

/* Allocates the other memory of a new run: its owner, its end, its slots in the arrays. */
static haft_status reserve_run(haft__memory_store *memory, haft__memory_run *run,
                               haft__store_request *request, haft_error *err)
{
    bool ends = request->run.state == HAFT__RUN_STATE_ENDED,
         owned = request->run.owner.len > 0 && !ends;
    char *owner = owned ? copy_owner(request->run.owner) : NULL;
    char *ending = ends ? copy_ending(request) : NULL;
    if ((owned && owner == NULL) || (ends && ending == NULL)
        || haft__sorted_array_reserve(&memory->runs, NULL) != HAFT_OK
        || haft__sorted_array_reserve(&memory->threads, NULL) != HAFT_OK) {
        free(owner);
        free(ending);
        return haft__fail_no_memory(err);
    }
    set_state(memory, run, request);
    run->row.created_ms =
        request->run.created_ms > 0 ? request->run.created_ms : run->row.updated_ms;
    run->row.epoch = haft__store_first_epoch(request);
    if (ends) {
        end_run(memory, run, request, ending);
    } else {
        set_owner(memory, run, owner, request->run.owner.len);
    }
    return haft__memory_return_run(request, &run->row, err);
}

static void add_run(haft__memory_store *memory, haft__memory_run *run)
{
    bool found;
    haft__memory_thread_key thread_key = {run->row.thread, run->row.id};
    haft__sorted_array_insert(
        &memory->runs, haft__sorted_array_lower_bound(&memory->runs, &run->row.id, &found), run);
    haft__sorted_array_insert(&memory->threads,
                              haft__sorted_array_lower_bound(&memory->threads, &thread_key, &found),
                              run);
    run->number = ++memory->last_run;
}

haft_status haft__memory_create(haft__memory_store *memory, haft__store_request *request,
                                haft_error *err)
{
    if (haft__memory_find_run(memory, request->run.id) != NULL) {
        return haft__store_fail_run_exists(request->run.id, err);
    }
    haft_status status = haft__store_check_room(&memory->store, request, 0, 0, err);
    if (status == HAFT_OK) {
        const haft__memory_run *open =
            haft__memory_first_open_run(memory, request->run.thread, 0, UINT64_MAX);
        status = haft__store_check_thread(request, open != NULL ? &open->row : NULL, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__memory_run *run = make_run(memory, request);
    if (run == NULL) {
        return haft__fail_no_memory(err);
    }
    status = reserve_run(memory, run, request, err);
    if (status != HAFT_OK) {
        haft__memory_free_run(memory, run);
        return status;
    }
    add_run(memory, run);
    return HAFT_OK;
}

/* ---- appending ---- */

static void remove_run(haft__memory_store *memory, haft__memory_run *run)
{
    bool found;
    haft__memory_thread_key thread_key = {run->row.thread, run->row.id};
    haft__sorted_array_remove(
        &memory->threads, haft__sorted_array_lower_bound(&memory->threads, &thread_key, &found));
    haft__sorted_array_remove(&memory->runs,
                              haft__sorted_array_lower_bound(&memory->runs, &run->row.id, &found));
    haft__memory_drop_messages(memory, run);
    haft__memory_free_run(memory, run);
}

/* Removes the first `count` children of the request, which this request has created. */
static void remove_children(haft__memory_store *memory, const haft__store_request *request,
                            size_t count)
{
    for (size_t i = 0; i < count; i++) {
        remove_run(memory, haft__memory_find_run(memory, request->children[i].run.id));
    }
}

static haft_status create_children(haft__memory_store *memory, const haft__store_request *request,
                                   haft_error *err)
{
    for (size_t i = 0; i < request->child_count; i++) {
        haft__store_request child = haft__store_child_request(&request->children[i]);
        haft_status status = haft__memory_create(memory, &child, err);
        if (status != HAFT_OK) {
            remove_children(memory, request, i);
            return status;
        }
    }
    return HAFT_OK;
}

haft_status haft__memory_append(haft__memory_store *memory, haft__store_request *request,
                                haft_error *err)
{
    haft__memory_run *run = haft__memory_find_run(memory, request->run.id);
    if (run == NULL) {
        return haft__store_fail_no_run(request->run.id, err);
    }
    haft_status status = haft__store_check_append(request, &run->row, err);
    if (status == HAFT_OK) {
        status = haft__store_check_room(&memory->store, request, run->row.seq, run->log.len, err);
    }
    if (status == HAFT_OK) {
        status = haft__memory_check_messages(memory, run, request, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    bool ends = request->run.state == HAFT__RUN_STATE_ENDED;
    char *ending = ends ? copy_ending(request) : NULL;
    haft__memory_artifact *artifacts = NULL;
    if ((ends && ending == NULL) || !reserve_lines(run, request)
        || !make_artifacts(memory, request, run->artifacts, &artifacts)) {
        free(ending);
        return haft__fail_no_memory(err);
    }
    status = create_children(memory, request, err);
    if (status == HAFT_OK) {
        status = haft__memory_send_outgoing(memory, request, err);
        if (status != HAFT_OK) {
            remove_children(memory, request, request->child_count);
        }
    }
    if (status != HAFT_OK) {
        free_artifacts(memory, artifacts, run->artifacts);
        free(ending);
        return status;
    }
    run->artifacts = artifacts;
    append_lines(run, request);
    haft__memory_consume_messages(memory, request);
    set_state(memory, run, request);
    if (ends) {
        end_run(memory, run, request, ending);
    }
    return HAFT_OK;
}

/* ---- leases ---- */

haft_status haft__memory_claim(haft__memory_store *memory, haft__store_request *request,
                               haft_error *err)
{
    haft__memory_run *run = haft__memory_find_run(memory, request->run.id);
    if (run == NULL) {
        return haft__store_fail_no_run(request->run.id, err);
    }
    haft_status status = haft__store_check_claim(&memory->store, request, &run->row, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__store_run claimed = run->row;
    claimed.epoch++;
    claimed.owner = request->run.owner;
    claimed.lease_ms = haft__store_lease_end(&memory->store, request->lease_ms);
    char *owner = copy_owner(request->run.owner);
    status =
        owner != NULL ? haft__memory_return_run(request, &claimed, err) : haft__fail_no_memory(err);
    if (status != HAFT_OK) {
        free(owner);
        return status;
    }
    run->row.epoch = claimed.epoch;
    run->row.lease_ms = claimed.lease_ms;
    set_owner(memory, run, owner, request->run.owner.len);
    return HAFT_OK;
}

haft_status haft__memory_renew(haft__memory_store *memory, haft__store_request *request,
                               haft_error *err)
{
    (void)err;
    uint64_t until = haft__store_lease_end(&memory->store, request->lease_ms);
    for (haft__memory_run *run = memory->owned; run != NULL; run = run->next_owned) {
        if (haft__str_equal(run->row.owner, request->run.owner)) {
            run->row.lease_ms = until;
            request->count++;
        }
    }
    return HAFT_OK;
}

haft_status haft__memory_release(haft__memory_store *memory, haft__store_request *request,
                                 haft_error *err)
{
    (void)err;
    haft__memory_run *run = haft__memory_find_run(memory, request->run.id);
    if (run != NULL && run->owner != NULL && run->row.epoch == request->run.epoch) {
        release_owner(memory, run);
        run->row.updated_ms = haft__store_now(&memory->store);
        request->count = 1;
    }
    return HAFT_OK;
}

/* ---- removal ---- */

void haft__memory_free_run(haft__memory_store *memory, haft__memory_run *run)
{
    set_owner(memory, run, NULL, 0);
    free_artifacts(memory, run->artifacts, NULL);
    haft__memory_text_release(memory, run->spec);
    haft__buf_finish(&run->log);
    free(run->ends);
    free(run->ending);
    free(run);
}

haft_status haft__memory_remove(haft__memory_store *memory, haft__store_request *request,
                                haft_error *err)
{
    haft__memory_run *run = haft__memory_find_run(memory, request->run.id);
    if (run == NULL) {
        return haft__store_fail_no_run(request->run.id, err);
    }
    haft_status status = haft__store_check_remove(&memory->store, request, &run->row, err);
    if (status == HAFT_OK) {
        remove_run(memory, run);
    }
    return status;
}
