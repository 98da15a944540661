/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_copy.c - copies a run that has ended into another thread.
 *
 * The copy is a run like any other: it can be shown, replayed and forked, and a model that goes on
 * in its thread knows it. Results that tools remember for a thread are not copied. Tests:
 * tests/cli/chat_test.py.
 */
#include "cli/thread_copy.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "run/event.h"

typedef struct copying {
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
} copying;

static haft_status ask(copying *c, haft__store_request *request)
{
    return haft__session_ask(c->cli, c->runtime, request, c->err);
}

/* ---- events ---- */

/* The same event, in the other thread where it names one. */
static haft_status move_event(copying *c, haft__event *event)
{
    haft__json object = event->object;
    haft__json_member *members = haft__arena_array(&c->cli->arena, object.count, sizeof(*members));
    if (members == NULL) {
        return haft__arena_fail(&c->cli->arena, c->err);
    }
    for (uint32_t i = 0; i < object.count; i++) {
        members[i] = object.members[i];
        if (haft__str_equal(haft__json_text(members[i].key), HAFT__LIT("thread"))) {
            members[i].value = haft__json_string(c->thread);
        }
    }
    event->object = haft__json_object(members, object.count);
    return HAFT_OK;
}

static haft_status keep_line(copying *c, const haft__event *event)
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
static haft_status keep_artifact(copying *c, const haft__event *event)
{
    haft__store_request request = {.verb = HAFT__STORE_ARTIFACT, .run.id = c->row.id};
    haft_status status = haft__event_text(event, "name", &request.name, c->err);
    for (size_t i = 0; i < c->artifact_count; i++) {
        if (haft__str_equal(c->artifacts[i].name, request.name)) {
            return status;
        }
    }
    if (status == HAFT_OK) {
        status = ask(c, &request);
    }
    if (status == HAFT_OK) {
        c->artifacts[c->artifact_count++] = request.artifact;
    }
    return status;
}

static haft_status take_line(copying *c, haft_str line)
{
    haft__event event;
    haft_status status =
        haft__event_read(&c->cli->arena, line, c->runtime->hash_key, &event, c->err);
    if (status == HAFT_OK && event.kind == HAFT__EVENT_RUN_STARTED) {
        status = move_event(c, &event);
    }
    if (status == HAFT_OK && event.kind == HAFT__EVENT_ARTIFACT_STORED) {
        status = keep_artifact(c, &event);
    }
    return status == HAFT_OK ? keep_line(c, &event) : status;
}

static haft_status read_events(copying *c)
{
    haft__store_request request = {.verb = HAFT__STORE_READ, .run.id = c->row.id};
    haft_status status = ask(c, &request);
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

/* A run is created with its first event, and ends with the rest. */
static haft_status write_run(copying *c, bool *ret_created)
{
    haft__store_request create = {.verb = HAFT__STORE_CREATE,
                                  .run = c->row,
                                  .lines = c->lines,
                                  .line_count = 1,
                                  .lease_ms = HAFT__LEASE_MS};
    create.run.id = haft__str(c->id);
    create.run.thread = c->thread;
    create.run.parent = c->row.id;
    create.run.owner = haft__str(c->runtime->owner);
    create.run.state = HAFT__STATE_RUNNING;
    create.run.end = create.run.answer = HAFT__LIT("");
    haft_status status = ask(c, &create);
    if (status != HAFT_OK) {
        return status;
    }
    *ret_created = true;
    haft__store_request append = {.verb = HAFT__STORE_APPEND,
                                  .run = c->row,
                                  .lines = c->lines + 1,
                                  .line_count = c->line_count - 1,
                                  .artifacts = c->artifacts,
                                  .artifact_count = c->artifact_count};
    append.run.id = haft__str(c->id);
    append.run.seq = append.run.epoch = 1;
    append.run.state = HAFT__STATE_ENDED;
    return ask(c, &append);
}

static void discard(copying *c)
{
    haft_error ignored;
    haft__store_request release = {
        .verb = HAFT__STORE_RELEASE, .run.id = haft__str(c->id), .run.epoch = 1};
    haft__store_request away = {.verb = HAFT__STORE_REMOVE, .run.id = haft__str(c->id)};
    (void)!haft__session_ask(c->cli, c->runtime, &release, &ignored);
    (void)!haft__session_ask(c->cli, c->runtime, &away, &ignored);
}

haft_status haft__thread_copy(haft__cli *cli, haft_runtime *runtime, haft_str id, haft_str thread,
                              haft_error *err)
{
    copying c = {.cli = cli, .runtime = runtime, .thread = thread, .err = err};
    haft__store_request find = {.verb = HAFT__STORE_FIND, .name = id};
    haft_status status = ask(&c, &find);
    if (status == HAFT_OK) {
        c.row = find.found[0];
        status = haft__runtime_make_id(runtime, c.id, err);
    }
    if (status == HAFT_OK) {
        status = read_events(&c);
    }
    bool created = false;
    if (status == HAFT_OK) {
        status = write_run(&c, &created);
    }
    if (status != HAFT_OK && created) {
        discard(&c);
    }
    return status;
}
