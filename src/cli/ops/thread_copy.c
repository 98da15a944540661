/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_copy.c - copies a run that has ended into another thread.
 *
 * The copy is a run like any other: it can be shown, replayed and forked, and a model that goes on
 * in its thread knows it. Results that tools remember for a thread are not copied. Tests:
 * tests/cli/chat_test.py, tests/crash/fork_test.py.
 */
#include "cli/ops/thread_copy.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/ops/event_rewrite.h"

typedef struct run_copy {
    haft__cli *cli;
    haft_runtime *runtime;
    haft_str thread;
    haft__store_run row;          /* of the run */
    char id[HAFT__ID_LENGTH + 1]; /* of the copy */
    haft_str *lines;
    size_t line_count;
    haft__store_artifact *artifacts;
    size_t artifact_count;
    haft_error *err;
} run_copy;

static haft_status store_execute(run_copy *c, haft__store_request *request)
{
    return haft__session_store_execute(c->cli, c->runtime, request, c->err);
}

/* ---- events ---- */

static haft_status keep_line(run_copy *c, const haft__event *event)
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
        haft_str kept = haft__arena_copy(&c->cli->arena, haft__buf_str(&line));
        c->lines[c->line_count++] = kept;
        status = kept.ptr != NULL ? HAFT_OK : haft__arena_fail(&c->cli->arena, c->err);
    }
    haft__buf_finish(&body);
    haft__buf_finish(&line);
    return status;
}

/* The store has the newest of each name; so has the copy. */
static haft_status keep_artifact(run_copy *c, const haft__event *event)
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

static haft_status take_line(run_copy *c, haft_str line)
{
    haft__event event;
    haft_status status =
        haft__event_read(&c->cli->arena, line, c->runtime->hash_key, &event, c->err);
    haft__event_rewrite move = {.run = haft__str(c->id), .thread = c->thread};
    if (status == HAFT_OK) {
        status = haft__event_rewrite_for_run(&c->cli->arena, &move, &event, c->err);
    }
    if (status == HAFT_OK && event.kind == HAFT__EVENT_ARTIFACT_STORED) {
        status = keep_artifact(c, &event);
    }
    return status == HAFT_OK ? keep_line(c, &event) : status;
}

static haft_status read_events(run_copy *c)
{
    haft__store_request request = {.verb = HAFT__STORE_READ_EVENTS, .run.id = c->row.id};
    haft_status status = store_execute(c, &request);
    if (status != HAFT_OK) {
        return status;
    }
    c->lines = haft__arena_array(&c->cli->arena, request.count, sizeof(*c->lines));
    c->artifacts = haft__arena_array(&c->cli->arena, request.count, sizeof(*c->artifacts));
    if (c->lines == NULL || c->artifacts == NULL) {
        return haft__arena_fail(&c->cli->arena, c->err);
    }
    for (haft_str rest = request.text; status == HAFT_OK && rest.len > 0;) {
        status = take_line(c, haft__str_split(&rest, '\n'));
    }
    return status;
}

/* ---- the store ---- */

/* All of it at once: a run that has only begun is one that others go on with, and what it did would
 * be done again. */
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

haft_status haft__thread_copy_run(haft__cli *cli, haft_runtime *runtime, haft_str id,
                                  haft_str thread, char *ret_id, haft_error *err)
{
    run_copy c = {.cli = cli, .runtime = runtime, .thread = thread, .err = err};
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
