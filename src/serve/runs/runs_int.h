/* SPDX-License-Identifier: Apache-2.0 */
/* serve/runs/runs_int.h - shared by the files of the runs API. */
#ifndef HAFT_SERVE_RUNS_RUNS_INT_H
#define HAFT_SERVE_RUNS_RUNS_INT_H

#include "engine/agent.h"
#include "engine/run.h"
#include "run/pause/command.h"
#include "serve/runs/agents.h"
#include "serve/runs/feed.h"
#include "serve/runs/runs.h"

/* Specs of stored runs that were loaded recently. */
#define HAFT__RUNS_SPEC_CACHE 32

typedef struct haft__cached_spec {
    haft_agent *agent;
    char key[HAFT__SHA256_HEX]; /* of the spec and its path */
    uint64_t used;
} haft__cached_spec;

typedef struct haft__run_creation haft__run_creation;

struct haft__runs {
    haft__runs_options options;
    haft_runtime *runtime;
    haft__worker *worker;
    haft__api_gateway *gateway;
    haft__served_agents agents;
    haft__feed feed;
    haft__runtime_observer observer;
    haft__run_creation *creations;
    haft__cached_spec specs[HAFT__RUNS_SPEC_CACHE];
    uint64_t spec_uses;
    uint64_t started_ms;
    bool draining;
};

static inline haft__runs *haft__runs_of(const haft__api_call *call)
{
    return call->context;
}

/* ---- load.c ---- */

/* A run as the store has it. It lives as long as the call. */
typedef struct haft__loaded_run {
    haft__store_run row;
    haft_str lines;    /* its events; "" unless they were requested */
    haft_agent *agent; /* NULL unless the state was requested */
    haft__run state;
} haft__loaded_run;

typedef enum haft__load_depth {
    HAFT__LOAD_ROW,
    HAFT__LOAD_EVENTS,
    HAFT__LOAD_STATE,
} haft__load_depth;

/* Reads the run `id` and checks that it belongs to the principal. Then runs `next`, with
 * haft__runs_loaded; on failure responds with the error instead. */
void haft__runs_load(haft__api_call *call, haft_str id, haft__load_depth depth,
                     haft__api_step *next);
const haft__loaded_run *haft__runs_loaded(const haft__api_call *call);

/* Like haft__runs_load with the run of the path, and the state. */
void haft__runs_load_path(haft__api_call *call, haft__load_depth depth, haft__api_step *next);

/* The agent of a stored spec, without key and script. Release it. */
HAFT_MUST_USE haft_status haft__runs_load_spec(haft__runs *runs, const haft__store_run *row,
                                               haft_agent **ret_agent, haft_error *err);

/* Appends the run object: the object of `haft run --json` with further members. `why` may be
 * NULL. Steps the loop if the run has open children. */
void haft__runs_write(haft__runs *runs, haft__buf *buf, const haft__loaded_run *run,
                      const haft_error *why);
/* The same for a run of this process that was just created. */
void haft__runs_write_new(haft__buf *buf, const haft_run *run);

/* Responds with the run object of the loaded run. */
void haft__runs_reply(haft__api_call *call, uint32_t status, const haft_error *why);

/* A valid id of a run, or a response with 404 and false. */
bool haft__runs_check_id(haft__api_call *call, haft_str id);

/* Leaves a message that is no command, so that a worker claims a run that waits without one. */
void haft__runs_wake(haft__api_call *call, haft_str run, haft__api_step *next);

/* Appends a row of a list. */
void haft__runs_write_row(haft__json_writer *w, const haft__store_run *row);

/* ---- start.c ---- */

/* The first event of a run of this process is durable. */
void haft__runs_creation_committed(haft__runs *runs, haft_run *run);
/* A run of the worker could not be created. */
void haft__runs_creation_failed(haft__runs *runs, const char *run, const haft_error *error,
                                bool rejected);
void haft__runs_creations_update(haft__runs *runs);
void haft__runs_creations_destroy(haft__runs *runs);

/* ---- handlers ---- */

#define HAFT__RUNS_HANDLERS(X)                                                                     \
    X(agents_list)                                                                                 \
    X(agent_get)                                                                                   \
    X(run_create)                                                                                  \
    X(runs_list)                                                                                   \
    X(run_get)                                                                                     \
    X(run_delete)                                                                                  \
    X(run_events)                                                                                  \
    X(run_wait)                                                                                    \
    X(run_command)                                                                                 \
    X(run_cancel)                                                                                  \
    X(commands)                                                                                    \
    X(run_fork)                                                                                    \
    X(run_edit)                                                                                    \
    X(run_state)                                                                                   \
    X(run_picture)                                                                                 \
    X(run_export)                                                                                  \
    X(turn_request)                                                                                \
    X(turn_reply)                                                                                  \
    X(agent_check)                                                                                 \
    X(agent_explain)                                                                               \
    X(agent_tools)                                                                                 \
    X(models)                                                                                      \
    X(system)                                                                                      \
    X(run_artifacts)                                                                               \
    X(run_artifact)                                                                                \
    X(pending_list)                                                                                \
    X(threads_list)                                                                                \
    X(thread_get)                                                                                  \
    X(ok)                                                                                          \
    X(ready)                                                                                       \
    X(version)                                                                                     \
    X(openapi)

#define X(name) void haft__runs_handle_##name(haft__api_call *call);
HAFT__RUNS_HANDLERS(X)
#undef X

#endif
