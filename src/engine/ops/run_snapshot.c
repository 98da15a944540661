/* SPDX-License-Identifier: Apache-2.0 */
/* run_snapshot.c - see run_snapshot.h. Tests: tests/engine/ops/migrate_test.c. */
#include "engine/ops/run_snapshot.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "io/clock.h"
#include "run/event.h"

haft_status haft__run_snapshot_execute(haft__store *store, haft__arena *arena,
                                       haft__store_request *request, haft_error *err)
{
    request->arena = arena;
    request->now_ms = haft__clock_now();
    return haft__store_submit_and_wait(store, request, err);
}

/* ---- reading ---- */

typedef struct reader {
    haft__store *store;
    haft__arena *arena;
    haft__hash_key hash_key;
    haft__run_snapshot *run;
    haft_error *err;
} reader;

static haft_status execute(const reader *r, haft__store_request *request)
{
    return haft__run_snapshot_execute(r->store, r->arena, request, r->err);
}

static haft_status add_artifact(reader *r, haft_str name)
{
    haft__run_snapshot *run = r->run;
    for (size_t i = 0; i < run->artifact_count; i++) {
        if (haft__str_equal(run->artifacts[i].name, name)) {
            return HAFT_OK;
        }
    }
    haft__store_request get = {
        .verb = HAFT__STORE_READ_ARTIFACT, .run.id = run->row.id, .name = name};
    haft_status status = execute(r, &get);
    if (status == HAFT_OK) {
        run->artifacts[run->artifact_count++] = get.artifact;
    }
    return status;
}

/* Reads the artifacts that the events name. */
static haft_status read_artifacts(reader *r)
{
    haft__run_snapshot *run = r->run;
    haft_status status = HAFT_OK;
    run->artifacts = haft__arena_array(r->arena, run->event_count, sizeof(*run->artifacts));
    if (run->artifacts == NULL) {
        return haft__arena_fail(r->arena, r->err);
    }
    for (haft_str rest = run->events; status == HAFT_OK && rest.len > 0;) {
        haft_str line = haft__str_split(&rest, '\n'), name;
        haft__event event;
        status = haft__event_read(r->arena, line, r->hash_key, &event, r->err);
        if (status == HAFT_OK && event.kind == HAFT__EVENT_ARTIFACT_STORED) {
            status = haft__event_text(&event, "name", &name, r->err);
            status = status == HAFT_OK ? add_artifact(r, name) : status;
        }
    }
    return status;
}

static haft_status read_messages(reader *r)
{
    haft__store_request get = {.verb = HAFT__STORE_RECEIVE, .run.id = r->run->row.id};
    haft_status status = execute(r, &get);
    uint64_t bytes = 0;
    for (size_t i = 0; status == HAFT_OK && i < get.message_count; i++) {
        bytes += get.messages[i].body.len;
    }
    if (status == HAFT_OK && bytes >= HAFT__LIMIT_STORE_TEXT_BYTES) {
        r->run->messages_too_big = true;
        return haft__fail(r->err, HAFT_TOO_BIG, "",
                          "the pending messages have %llu bytes, too many to copy",
                          (unsigned long long)bytes);
    }
    r->run->messages = get.messages;
    r->run->message_count = get.message_count;
    return status;
}

haft_status haft__run_snapshot_read(haft__store *store, haft__arena *arena, haft__hash_key hash_key,
                                    haft_str id, haft__run_snapshot *ret_snapshot, haft_error *err)
{
    reader r = {
        .store = store, .arena = arena, .hash_key = hash_key, .run = ret_snapshot, .err = err};
    haft__store_request find = {.verb = HAFT__STORE_FIND, .name = id};
    haft__store_request read = {.verb = HAFT__STORE_READ_EVENTS, .run.id = id};
    *ret_snapshot = (haft__run_snapshot){.event_count = 0};
    haft_status status = execute(&r, &find);
    if (status == HAFT_OK) {
        ret_snapshot->row = find.found[0];
        status = execute(&r, &read);
    }
    if (status == HAFT_OK) {
        ret_snapshot->events = read.text;
        ret_snapshot->event_count = read.count;
        status = read_artifacts(&r);
    }
    return status == HAFT_OK ? read_messages(&r) : status;
}

/* ---- comparing ---- */

static const char *first_difference(const haft__run_snapshot *a, const haft__run_snapshot *b)
{
    const haft__store_run *one = &a->row, *other = &b->row;
    const struct {
        const char *name;
        haft_str one, other;
    } texts[] = {
        {"the events", a->events, b->events},
        {"the thread", one->thread, other->thread},
        {"the parent", one->parent, other->parent},
        {"the user", one->user, other->user},
        {"the name", one->name, other->name},
        {"the task", one->task, other->task},
        {"the spec", one->spec, other->spec},
        {"the spec's hash", one->spec_hash, other->spec_hash},
        {"the spec's path", one->spec_path, other->spec_path},
        {"the end", one->end, other->end},
        {"the answer", one->answer, other->answer},
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (!haft__str_equal(texts[i].one, texts[i].other)) {
            return texts[i].name;
        }
    }
    bool same = one->state == other->state && one->seq == other->seq
                && one->created_ms == other->created_ms && one->wake_ms == other->wake_ms
                && one->turns == other->turns && one->calls == other->calls;
    return same ? NULL : "the state";
}

static bool same_artifacts(const haft__run_snapshot *a, const haft__run_snapshot *b)
{
    bool same = a->artifact_count == b->artifact_count;
    for (size_t i = 0; same && i < a->artifact_count; i++) {
        const haft__store_artifact *one = &a->artifacts[i], *other = &b->artifacts[i];
        same = haft__str_equal(one->name, other->name)
               && haft__str_equal(one->media_type, other->media_type)
               && haft__str_equal(one->sha256, other->sha256)
               && haft__str_equal(one->content, other->content);
    }
    return same;
}

/* Compares the messages. Unless `all`, `there` may lack the last messages. */
static bool same_messages(const haft__run_snapshot *a, const haft__run_snapshot *there, bool all)
{
    bool same =
        all ? a->message_count == there->message_count : a->message_count >= there->message_count;
    for (size_t i = 0; same && i < there->message_count; i++) {
        same = haft__str_equal(a->messages[i].body, there->messages[i].body);
    }
    return same;
}

haft_status haft__run_snapshot_compare(const haft__run_snapshot *original,
                                       const haft__run_snapshot *copy, bool all_messages,
                                       haft_error *err)
{
    const char *what = first_difference(original, copy);
    what = what == NULL && !same_artifacts(original, copy) ? "an artifact" : what;
    what = what == NULL && !same_messages(original, copy, all_messages) ? "a message" : what;
    if (what == NULL) {
        return HAFT_OK;
    }
    return haft__fail(err, HAFT_BAD_STATE, "",
                      "the run in the new store is not the same: %s differ%s", what,
                      strcmp(what, "the events") == 0 ? "" : "s");
}
