/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/runtime.h - what stands behind haft_runtime, haft_agent and haft_run.
 *
 *     runtime.c   the loop, the store and the clients of many runs; leases, messages from outside
 *     agent.c     a spec with what its runs share: model, script (script_file.c), secrets.c
 *     live.c      a run that goes on here: decide, record, perform
 *     log.c       the way of its events to the store
 *     ask.c       asking the model; ask_http.c over HTTP; tell.c what it says on the way
 *     calls.c     running calls; catalogue.c asking servers for their tools
 *     open.c      taking up a run that is in the store
 *     api.c       the public functions
 *
 * Everything happens on the thread that steps the loop.
 */
#ifndef HAFT_ENGINE_RUNTIME_H
#define HAFT_ENGINE_RUNTIME_H

#include "base/id.h"
#include "exec/mcp.h"
#include "model/chat.h"
#include "model/script.h"
#include "run/decide.h"
#include "run/steer.h"
#include "store/store.h"

/* How long a run is its owner's without being renewed, and how often it is. */
#define HAFT__LEASE_MS 30000U
#define HAFT__RENEW_MS 10000U
/* How often messages from other processes are looked for. */
#define HAFT__LISTEN_MS 200U

/* How the servers of a spec are asked: haft__exec_catalogue and haft__catalogue_cancel. */
typedef struct haft__runtime_servers {
    haft_status (*ask)(haft__exec *exec, const haft__spec *spec, haft__catalogue_done *done,
                       void *context, haft__catalogue **ret_catalogue, haft_error *err);
    void (*cancel)(haft__catalogue *catalogue);
} haft__runtime_servers;

struct haft_runtime {
    haft__loop *loop;
    haft__store *store;
    haft__exec *exec;
    struct haft__http *web; /* to models; made at the first need */
    haft__spec_env env;
    haft__spec_env key_env; /* only that file, for keys to a server which it names; may be NULL */
    const struct haft__variable *variables; /* more of the environment: may be secrets */
    size_t variable_count;
    haft__hash_key hash_key;
    uint64_t (*clock)(void); /* milliseconds since 1970 */
    haft__runtime_servers servers;
    haft__decider decider;
    haft__arena arena; /* tools that were added */
    const haft__tool **functions;
    size_t function_count, function_capacity;
    char owner[128];
    haft_run *runs;
    size_t keeping; /* results on their way into the store */
    bool shared;    /* the store may be other processes' too */
    haft__timer renew_timer, listen_timer;
    haft__store_request renew, listen;
    haft__arena heard;   /* what `listen` read */
    haft__arena scratch; /* of the event that is being taken in */
    bool renewing, listening;
    haft__buf line, body, clean; /* scratch for events */
};

struct haft_agent {
    haft_runtime *runtime;
    haft__arena arena;
    haft__arena spec_arena; /* of a spec that was loaded for it alone */
    const haft__spec *spec;
    haft__script script; /* of script: and replay: */
    bool scripted;
    haft_str spec_text;                    /* the spec as JSON, for the store */
    const struct haft__provider *provider; /* of a model that is asked over HTTP */
    haft_str url, key_header;
    haft__chat_tools tools_text;     /* what its runs declare */
    struct haft__redactor *redactor; /* what must not be written down */
    size_t uses;                     /* runs, and whoever made it */
};

/* A call that runs. */
typedef struct haft__slot {
    haft_run *run; /* NULL once it is no longer wanted */
    haft_runtime *runtime;
    size_t call; /* its place in the state */
    uint32_t attempt;
    haft__exec_job *job;
    haft__store_request request; /* for a result that is remembered */
    haft__arena arena;           /* what was recalled */
    bool asking_store;
    bool asks; /* the call waits for an answer to what it asked */
    struct haft__slot *next;
} haft__slot;

/* Messages that became events, or never will: to be forgotten with the next write. */
typedef struct haft__heard {
    haft__store_message *items;
    size_t count, capacity;
} haft__heard;

typedef enum haft__live_stage {
    HAFT__LIVE_OPENING, /* on its way from the store */
    HAFT__LIVE_ON,
    HAFT__LIVE_SEEN,   /* read, and left alone: it has ended, or is another's */
    HAFT__LIVE_FAILED, /* it cannot go on here; see `error` */
} haft__live_stage;

struct haft_run {
    haft_runtime *runtime;
    haft_agent *agent;
    haft_run *next, **link;
    haft__arena arena;
    char id[HAFT__ID_LENGTH + 1]; /* "" before it is known */
    haft_str asked, thread, user; /* what it was started with */
    haft__task begin;
    haft__run state;
    haft__messages earlier; /* of the thread */
    haft__script script;
    haft__live_stage stage;
    haft_error error;
    haft__effect_kind effect; /* what was decided last */
    bool released;            /* nobody holds it any more; it goes once the store is through */
    bool cancel_early;        /* it was cancelled before it was there */
    bool held;                /* it is only put into the store; others go on with it */

    /* events: gathered, on their way, and committed but not read */
    haft__buf gathered, written, committed;
    size_t committed_at; /* what has been read of it */
    haft__buf told;      /* lines that wait for the events they come after */
    bool read;           /* somebody has asked for events: it is worth telling what happens */
    haft_str *lines;     /* of `written` */
    size_t line_capacity;
    haft__store_artifact *artifacts;
    size_t artifact_capacity;
    haft__heard heard, heard_written;
    size_t artifacts_written; /* of the state's artifacts, how many the store has been given */
    haft__store_request append;
    haft__arena write_arena;
    bool appending, created;
    uint64_t epoch, writing_seq, durable_seq;

    /* the model */
    struct haft__ask *ask; /* NULL: it is not being asked */
    haft__chat chat;

    haft__catalogue *catalogue; /* NULL: servers are not being asked */
    haft__slot *slots;
    haft__timer alarm; /* the first deadline of a pause */

    /* taking it up */
    haft__store_request load;
    haft__arena loaded; /* what was read */
    bool loading;       /* `load` is under way */
    bool look_only;     /* read it, and leave it to whoever has it */
    haft__store_run row;
    haft_str events;
    void (*after_thread)(haft_run *run);
};

/* ---- runtime.c ---- */

/* Where variables come from: a file beside the environment. All of it must outlive the runtime. */
typedef struct haft__runtime_env {
    haft__spec_env env;     /* both: the environment of this process goes first */
    haft__spec_env key_env; /* the file alone */
    const struct haft__variable
        *variables; /* what `env` has beside the environment of this process */
    size_t variable_count;
} haft__runtime_env;

/* haft_runtime_create with variables from elsewhere; NULL: the environment of this process. */
HAFT_MUST_USE haft_status haft__runtime_create(const haft_runtime_options *options,
                                               const haft__runtime_env *env,
                                               haft_runtime **ret_runtime, haft_error *err);

/* The time for an event. */
uint64_t haft__runtime_now(const haft_runtime *runtime);

/* A new id for a run or a thread; without a runtime, by the system's clock. */
HAFT_MUST_USE haft_status haft__runtime_make_id(const haft_runtime *runtime,
                                                char id[HAFT__ID_LENGTH + 1], haft_error *err);

/* There is a run to look after: its lease, and messages for it. */
void haft__runtime_watch(haft_runtime *runtime);

/* ---- agent.c ---- */

/* How a spec at `path` is loaded here. */
haft__spec_options haft__agent_spec_options(const haft_runtime *runtime, haft_str path);

/* An agent of a spec, which must outlive it. */
HAFT_MUST_USE haft_status haft__agent_create(haft_runtime *runtime, const haft__spec *spec,
                                             haft_agent **ret_agent, haft_error *err);

/* Loads a spec from text. BAD_INPUT with the first problem. To look at runs that others make,
 * neither a key nor a script is needed: then nothing can be run with it. */
HAFT_MUST_USE haft_status haft__agent_load_text(haft_runtime *runtime, haft_str text, haft_str path,
                                                bool look_only, haft_agent **ret_agent,
                                                haft_error *err);
void haft__agent_hold(haft_agent *agent);

/* ---- live.c ---- */

/* A run without events yet. */
HAFT_MUST_USE haft_status haft__live_create(haft_runtime *runtime, haft_run **ret_run,
                                            haft_error *err);

/* Gives it its agent. */
HAFT_MUST_USE haft_status haft__live_join(haft_run *run, haft_agent *agent, haft_error *err);

/* Decides until something outside has to happen, and makes it happen. */
void haft__live_go_on(haft_run *run);

/* Records an input whose body is in `body`, and goes on. */
void haft__live_take(haft_run *run, haft_str body);

/* It cannot go on here. What runs is ended; what is in the store stays for another. */
void haft__live_fail(haft_run *run, const haft_error *error);

/* Performs a command, from here or from outside. */
HAFT_MUST_USE haft_status haft__live_command(haft_run *run, const haft__steer *command,
                                             haft_error *err);

/* Gives its memory back; nothing of it may be under way any more. */
void haft__live_destroy(haft_run *run);

/* Nobody holds it any more: gives the lease back, then the memory. */
void haft__live_leave(haft_run *run);

/* The first deadline among its pauses; 0: none. */
uint64_t haft__live_deadline(const haft_run *run);

/* Decides nothing more and ends what can be begun again: the asking, and calls that may be
 * repeated. Calls with effects go on to their ends; haft__live_paused says when they have come.
 * Releasing the run then leaves it in the store for whoever takes it up. */
void haft__live_pause(haft_run *run);
bool haft__live_paused(const haft_run *run);

/* Ends what is under way: the asking, and the calls. */
void haft__live_stop_work(haft_run *run);

/* Whether it waits or has ended, and that is durable. */
bool haft__live_settled(const haft_run *run);

/* ---- log.c ---- */

/* Appends an event: redacted, folded, gathered for the store. The one way to append. */
HAFT_MUST_USE haft_status haft__log_append(haft_run *run, uint64_t at_ms, haft_str body,
                                           haft_error *err);

/* A message has been dealt with: the next write forgets it. */
HAFT_MUST_USE haft_status haft__log_heard(haft_run *run, uint64_t message, haft_error *err);

/* Sends what was gathered to the store, unless a write is under way: then behind it. */
void haft__log_flush(haft_run *run);

bool haft__log_durable(const haft_run *run);

/* Tells readers something that is not durable: `body` as of an event. It is lost when nobody reads
 * and HAFT__LIMIT_RUN_UNREAD_BYTES wait already. */
void haft__log_tell(haft_run *run, haft_str body);

/* ---- ask.c ---- */

HAFT_MUST_USE haft_status haft__ask_start(haft_run *run, haft_error *err);
void haft__ask_stop(haft_run *run);

/* What the model is reached by; BAD_INPUT when the spec's model cannot be asked. */
HAFT_MUST_USE haft_status haft__ask_prepare(haft_agent *agent, haft_error *err);

/* ---- calls.c ---- */

/* Answers a call that has started from the script, if it can be. */
HAFT_MUST_USE haft_status haft__calls_stand_in(haft_run *run, bool *ret_did, haft_error *err);

/* Starts the calls that may start now. */
HAFT_MUST_USE haft_status haft__calls_start(haft_run *run, haft_error *err);
void haft__calls_stop(haft_run *run);

/* Ends those that may be repeated. */
void haft__calls_stop_repeatable(haft_run *run);

/* ---- catalogue.c ---- */

/* Asks the servers for their tools; what they say is recorded when it comes. */
HAFT_MUST_USE haft_status haft__catalogue_start(haft_run *run, haft_error *err);
void haft__catalogue_stop(haft_run *run);

/* ---- open.c ---- */

/* Takes up a run of the store: `name` is its id, the beginning of it, or "last". It is OPENING
 * until it is there. */
HAFT_MUST_USE haft_status haft__open_start(haft_runtime *runtime, haft_str name, bool look_only,
                                           haft_run **ret_run, haft_error *err);

/* Puts what earlier runs of the thread said into `earlier`; `next` comes when it is there. */
void haft__open_thread(haft_run *run, haft_str thread, void (*next)(haft_run *run));

#endif
