/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_copy.c - copies runs that have ended into another thread.
 *
 * A copy can be shown, replayed and forked like any run, and it is part of the history of the next
 * run of its thread. Results that tools cache for a thread are not copied. Tests:
 * tests/engine/ops/thread_copy_test.c, tests/cli/chat_test.py, tests/crash/fork_test.py.
 */
#include "engine/ops/thread_copy.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/ops/event_rewrite.h"
#include "engine/ops/store_access.h"

typedef struct run_copy {
    haft_runtime *runtime;
    haft__arena *arena;
    haft_str thread;
    haft__store_run row;          /* row of the original run */
    char id[HAFT__ID_LENGTH + 1]; /* id of the copy */
    haft_str *lines;
    size_t line_count;
    haft__store_artifact *artifacts;
    size_t artifact_count;
    haft_error *err;
} run_copy;

static haft_status store_execute(run_copy *c, haft__store_request *request)
{
    return haft__store_access_execute(c->runtime, c->arena, request, c->err);
}

/* ---- events ---- */

static haft_status add_line(run_copy *c, const haft__event *event)
{
    haft__buf body, line;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&line, HAFT__LIMIT_RUN_BYTES);
    haft__event_body(&body, event);
    haft__event_write(&line, event->seq, event->at_ms, haft__str(c->id), haft__buf_str(&body));
    haft_status status = haft__buf_check(&body, c->err);
    if (status == HAFT_OK) {
        status = haft__buf_check(&line, c->err);
    }
    if (status == HAFT_OK) {
        haft_str kept = haft__arena_copy(c->arena, haft__buf_str(&line));
        c->lines[c->line_count++] = kept;
        status = kept.ptr != NULL ? HAFT_OK : haft__arena_fail(c->arena, c->err);
    }
    haft__buf_finish(&body);
    haft__buf_finish(&line);
    return status;
}

/* Adds an artifact. If an artifact of the same name exists, replaces it, because the store has only
 * the newest artifact of each name. */
static haft_status add_artifact(run_copy *c, const haft__event *event)
{
    haft__store_request request = {.verb = HAFT__STORE_READ_ARTIFACT, .run.id = c->row.id};
    haft_status status = haft__event_text(event, "name", &request.name, c->err);
    for (size_t i = 0; i < c->artifact_count; i++) {
        if (haft__str_equal(c->artifacts[i].name, request.name)) {
            return status;
        }
    }
    if (status == HAFT_OK) {
        status = store_execute(c, &request);
    }
    if (status == HAFT_OK) {
        c->artifacts[c->artifact_count++] = request.artifact;
    }
    return status;
}

static haft_status copy_line(run_copy *c, haft_str line)
{
    haft__event event;
    haft_status status = haft__event_read(c->arena, line, c->runtime->hash_key, &event, c->err);
    haft__event_rewrite move = {.run = haft__str(c->id), .thread = c->thread};
    if (status == HAFT_OK) {
        status = haft__event_rewrite_for_run(c->arena, &move, &event, c->err);
    }
    if (status == HAFT_OK && event.kind == HAFT__EVENT_ARTIFACT_STORED) {
        status = add_artifact(c, &event);
    }
    return status == HAFT_OK ? add_line(c, &event) : status;
}

static haft_status read_events(run_copy *c)
{
    haft__store_request request = {.verb = HAFT__STORE_READ_EVENTS, .run.id = c->row.id};
    haft_status status = store_execute(c, &request);
    if (status != HAFT_OK) {
        return status;
    }
    c->lines = haft__arena_array(c->arena, request.count, sizeof(*c->lines));
    c->artifacts = haft__arena_array(c->arena, request.count, sizeof(*c->artifacts));
    if (c->lines == NULL || c->artifacts == NULL) {
        return haft__arena_fail(c->arena, c->err);
    }
    for (haft_str rest = request.text; status == HAFT_OK && rest.len > 0;) {
        status = copy_line(c, haft__str_split(&rest, '\n'));
    }
    return status;
}

/* ---- the store ---- */

/* Writes the run in one transaction. If only the start of the run were stored, a worker could
 * continue the run and repeat its effects. */
static haft_status write_run(run_copy *c)
{
    haft__store_request create = {.verb = HAFT__STORE_CREATE,
                                  .run = c->row,
                                  .lines = c->lines,
                                  .line_count = c->line_count,
                                  .artifacts = c->artifacts,
                                  .artifact_count = c->artifact_count};
    create.run.id = haft__str(c->id);
    create.run.thread = c->thread;
    create.run.parent = c->row.id;
    create.run.owner = HAFT__LIT("");
    create.run.epoch = 0;
    return store_execute(c, &create);
}

static haft_status check_ended(const run_copy *c)
{
    return c->row.state == HAFT__RUN_STATE_ENDED
               ? HAFT_OK
               : haft__fail(c->err, HAFT_BAD_STATE, "", "the run %.*s has not ended",
                            HAFT__ARG(c->row.id));
}

haft_status haft__thread_copy_run(haft_runtime *runtime, haft__arena *arena, haft_str id,
                                  haft_str thread, char *ret_id, haft_error *err)
{
    run_copy c = {.runtime = runtime, .arena = arena, .thread = thread, .err = err};
    haft__store_request find = {.verb = HAFT__STORE_FIND, .name = id};
    haft_status status = store_execute(&c, &find);
    if (status == HAFT_OK) {
        c.row = find.found[0];
        status = check_ended(&c);
    }
    if (status == HAFT_OK) {
        status = haft__runtime_make_id(runtime, c.id, err);
    }
    if (status == HAFT_OK) {
        status = read_events(&c);
    }
    if (status == HAFT_OK) {
        status = write_run(&c);
    }
    if (status == HAFT_OK && ret_id != NULL) {
        memcpy(ret_id, c.id, sizeof(c.id));
    }
    return status;
}

/* ---- a thread ---- */

static void remove_thread(haft_runtime *runtime, haft__arena *arena, haft_str thread)
{
    haft__store_request list = {.verb = HAFT__STORE_LIST, .thread = thread};
    if (haft__store_access_execute(runtime, arena, &list, NULL) != HAFT_OK) {
        return;
    }
    for (size_t i = 0; i < list.found_count; i++) {
        haft__store_request removal = {.verb = HAFT__STORE_REMOVE, .run.id = list.found[i].id};
        (void)!haft__store_access_execute(runtime, arena, &removal, NULL);
    }
}

haft_status haft__thread_copy_without_last(haft_runtime *runtime, haft__arena *arena,
                                           const haft__store_run *runs, size_t count,
                                           uint64_t without, char ret_thread[HAFT__ID_LENGTH + 1],
                                           haft_error *err)
{
    char thread[HAFT__ID_LENGTH + 1];
    haft_status status = haft__runtime_make_id(runtime, thread, err);
    if (status != HAFT_OK) {
        return status;
    }
    for (size_t i = count; status == HAFT_OK && i-- > without;) {
        if (runs[i].state == HAFT__RUN_STATE_ENDED) {
            status =
                haft__thread_copy_run(runtime, arena, runs[i].id, haft__str(thread), NULL, err);
        }
    }
    if (status == HAFT_OK) {
        memcpy(ret_thread, thread, sizeof(thread));
    } else {
        remove_thread(runtime, arena, haft__str(thread));
    }
    return status;
}
