/* SPDX-License-Identifier: Apache-2.0 */
/* load.c - reads a run from the store without claiming it, and writes it. Tests:
 * tests/serve/api_test.py. */
#include <string.h>

#include "base/error.h"
#include "base/hex.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/time.h"
#include "engine/ops/event_log.h"
#include "engine/ops/run_list.h"
#include "engine/ops/run_tree.h"
#include "engine/ops/store_access.h"
#include "engine/ops/stored_run.h"
#include "run/result.h"
#include "serve/runs/runs_int.h"

/* ---- specs ---- */

static void make_key(const haft__store_run *row, char key[HAFT__SHA256_HEX])
{
    uint8_t digest[HAFT__SHA256_BYTES];
    haft__sha256 hash;
    haft__sha256_init(&hash);
    haft__sha256_add(&hash, row->spec_path);
    haft__sha256_add(&hash, HAFT__LIT("\n"));
    haft__sha256_add(&hash, row->spec);
    haft__sha256_end(&hash, digest);
    haft__hex_write(key, digest, sizeof(digest));
}

haft_status haft__runs_load_spec(haft__runs *runs, const haft__store_run *row,
                                 haft_agent **ret_agent, haft_error *err)
{
    char key[HAFT__SHA256_HEX];
    haft__cached_spec *place = &runs->specs[0];
    haft_agent *agent = NULL;
    make_key(row, key);
    for (size_t i = 0; i < COUNT(runs->specs); i++) {
        haft__cached_spec *one = &runs->specs[i];
        if (one->agent != NULL && memcmp(one->key, key, sizeof(key)) == 0) {
            one->used = ++runs->spec_uses;
            haft__agent_retain(one->agent);
            *ret_agent = one->agent;
            return HAFT_OK;
        }
        place = one->used < place->used ? one : place;
    }
    haft_status status = haft__agent_load_text(runs->runtime, row->spec, row->spec_path,
                                               HAFT__SPEC_READ_ONLY, &agent, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft_agent_release(place->agent);
    place->agent = agent;
    memcpy(place->key, key, sizeof(key));
    place->used = ++runs->spec_uses;
    haft__agent_retain(agent);
    *ret_agent = agent;
    return HAFT_OK;
}

/* ---- reading ---- */

typedef struct load_job {
    haft__loaded_run run;
    haft__load_depth depth;
    haft__api_step *next;
} load_job;

const haft__loaded_run *haft__runs_loaded(const haft__api_call *call)
{
    const load_job *job = call->loaded;
    return &job->run;
}

static void release_agent(void *agent)
{
    haft_agent_release(agent);
}

static haft_status fold(haft__api_call *call, load_job *job, haft_error *err)
{
    haft__runs *runs = haft__runs_of(call);
    haft__loaded_run *run = &job->run;
    haft_status status = haft__runs_load_spec(runs, &run->row, &run->agent, err);
    if (status == HAFT_OK) {
        status = haft__arena_on_release(&call->arena, release_agent, run->agent, err);
        if (status != HAFT_OK) {
            haft_agent_release(run->agent);
        }
    }
    if (status == HAFT_OK) {
        status = haft__event_log_fold(&call->arena, run->agent->spec, "events", run->lines,
                                      UINT64_MAX, runs->runtime->hash_key, &run->state, err);
    }
    if (status == HAFT_OK) {
        haft__stored_run_apply_row(&run->row, &run->state);
    }
    return haft__store_access_as_io_error(status, err);
}

static void on_events(haft__api_call *call)
{
    load_job *job = call->loaded;
    haft_error err = call->store.error;
    haft_status status = call->store.status;
    job->run.lines = call->store.text;
    if (status == HAFT_OK && job->depth == HAFT__LOAD_STATE) {
        status = fold(call, job, &err);
    }
    if (status != HAFT_OK) {
        (void)haft__store_access_as_io_error(status, &err);
        haft__api_fail(call, &err);
    } else {
        job->next(call);
    }
}

/* A run of another user is answered like a run that does not exist. */
static void fail_unknown(haft__api_call *call, haft_str id)
{
    haft_error err = {0};
    (void)haft__fail(&err, HAFT_NOT_FOUND, "", "no run '%.*s'", HAFT__ARG(id));
    haft__api_fail(call, &err);
}

static void on_row(haft__api_call *call)
{
    load_job *job = call->loaded;
    haft_error err = call->store.error;
    if (call->store.status != HAFT_OK) {
        if (call->store.status == HAFT_NOT_FOUND) {
            fail_unknown(call, call->store.name);
        } else {
            (void)haft__store_access_as_io_error(call->store.status, &err);
            haft__api_fail(call, &err);
        }
        return;
    }
    job->run.row = call->store.found[0];
    if (!haft__principal_owns(&call->who, job->run.row.user)) {
        fail_unknown(call, job->run.row.id);
    } else if (job->depth == HAFT__LOAD_ROW) {
        job->next(call);
    } else {
        call->store =
            (haft__store_request){.verb = HAFT__STORE_READ_EVENTS, .run.id = job->run.row.id};
        haft__api_submit(call, on_events);
    }
}

bool haft__runs_check_id(haft__api_call *call, haft_str id)
{
    if (haft__id_valid(id)) {
        return true;
    }
    fail_unknown(call, id);
    return false;
}

void haft__runs_load(haft__api_call *call, haft_str id, haft__load_depth depth,
                     haft__api_step *next)
{
    if (!haft__runs_check_id(call, id)) {
        return;
    }
    load_job *job = haft__arena_array(&call->arena, 1, sizeof(*job));
    haft_error err = {0};
    if (job == NULL) {
        (void)haft__arena_fail(&call->arena, &err);
        haft__api_fail(call, &err);
        return;
    }
    job->depth = depth;
    job->next = next;
    call->loaded = job;
    call->store = (haft__store_request){.verb = HAFT__STORE_FIND, .name = id};
    haft__api_submit(call, on_row);
}

void haft__runs_load_path(haft__api_call *call, haft__load_depth depth, haft__api_step *next)
{
    haft__runs_load(call, call->params.values[0], depth, next);
}

/* ---- writing ---- */

static void write_time(haft__json_writer *w, const char *key, uint64_t ms)
{
    char at[HAFT__TIME_SIZE];
    haft__time_format(ms, at);
    haft__field_text(w, key, haft__str(at));
}

/* The members that are not in the object of `haft run --json`. */
static void write_about(haft__json_writer *w, const haft__store_run *row)
{
    haft__field_text(w, "agent", row->name);
    haft__field_text(w, "task", row->task);
    haft__field_text_or_null(w, "user", row->user);
    haft__field_text_or_null(w, "parent",
                             haft__store_run_is_child(row) ? row->parent : HAFT__LIT(""));
    haft__field_text(w, "state", haft__run_list_state(row));
    haft__field_number(w, "seq", row->seq);
    write_time(w, "created", row->created_ms);
    write_time(w, "updated", row->updated_ms);
}

/* Adds members to the object at the end of `buf`. */
static void add_about(haft__buf *buf, const haft__store_run *row)
{
    haft__buf more;
    haft__json_writer w;
    haft__buf_init(&more, HAFT__LIMIT_RUN_BYTES);
    haft__json_writer_init(&w, &more);
    haft__json_begin_object(&w);
    write_about(&w, row);
    haft__json_end_object(&w);
    if (haft__buf_check(&more, NULL) == HAFT_OK && haft__buf_check(buf, NULL) == HAFT_OK
        && buf->len > 0) {
        buf->ptr[buf->len - 1] = ',';
        haft__buf_add(buf, more.ptr + 1, more.len - 1);
    } else {
        haft__buf_fail(buf, HAFT_NO_MEMORY, "out of memory");
    }
    haft__buf_finish(&more);
}

void haft__runs_write(haft__runs *runs, haft__buf *buf, const haft__loaded_run *run,
                      const haft_error *why)
{
    haft__run_tree tree = {.runs = NULL};
    haft_error unread = {0};
    haft__arena scratch;
    const haft__run *state = &run->state;
    bool open = state->stage != HAFT__RUN_ENDED && state->open_children > 0;
    haft__arena_init(&scratch, 0);
    if (open && haft__run_tree_read(runs->runtime, state, true, &tree, &unread) != HAFT_OK) {
        why = why == NULL ? &unread : why;
    }
    const haft__run **below = haft__arena_array(&scratch, tree.count + 1, sizeof(*below));
    for (size_t i = 0; below != NULL && i < tree.count; i++) {
        below[i] = &tree.runs[i]->state;
    }
    haft__result_write_tree(buf, state, below, below != NULL ? tree.count : 0, why);
    haft__run_tree_finish(&tree);
    haft__arena_finish(&scratch);
    add_about(buf, &run->row);
}

void haft__runs_write_new(haft__buf *buf, const haft_run *run)
{
    const haft__run *state = &run->state;
    haft__store_run row = {.id = haft__str(run->id),
                           .name = run->agent->spec->name,
                           .task = state->task,
                           .user = run->user,
                           .parent = HAFT__LIT(""),
                           .seq = run->log.durable_seq,
                           .created_ms = state->started_ms,
                           .updated_ms = state->last_ms};
    haft__result_write(buf, state, NULL);
    add_about(buf, &row);
}

void haft__runs_reply(haft__api_call *call, uint32_t status, const haft_error *why)
{
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft__runs_write(haft__runs_of(call), &body, haft__runs_loaded(call), why);
    haft__api_reply_json(call, status, &body);
    haft__buf_finish(&body);
}

void haft__runs_write_row(haft__json_writer *w, const haft__store_run *row)
{
    haft__json_begin_object(w);
    haft__run_list_write_fields(w, row);
    haft__field_text(w, "agent", row->name);
    haft__field_text_or_null(w, "user", row->user);
    haft__json_end_object(w);
}
