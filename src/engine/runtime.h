/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/runtime.h - what stands behind haft_runtime, haft_agent and haft_run.
 *
 *     runtime.c   the loop, the store and the clients of many runs; leases, messages from outside
 *     agent.c     a spec with what its runs share: model, script (script_file.c), secrets.c
 *     lease.c     how long runs are this process's
 *     run.c      a run that goes on here: decide, record, perform
 *     log.c       the way of its events to the store
 *     model_call.c       asking the model; model_call_http.c over HTTP; model_progress.c what it
 * says on the way endpoint.c       where a server is, and which key it gets tool_calls.c running
 * calls; tool_search.c searching for tools; index_cache.c by what open.c      taking up a run that
 * is in the store; spec_change.c with another spec than before thread_queue.c     runs of one
 * thread, one after the other worker.c      taking runs that nobody goes on with; skip.c those that
 * cannot go on here api.c       the public functions
 *
 * Everything happens on the thread that steps the loop.
 */
#ifndef HAFT_ENGINE_RUNTIME_H
#define HAFT_ENGINE_RUNTIME_H

#include "base/id.h"
#include "base/sha256.h"
#include "engine/index_cache.h"
#include "exec/mcp/mcp.h"
#include "model/provider.h"
#include "model/script/script.h"
#include "run/decide/decide.h"
#include "run/pause/command.h"
#include "store/store.h"

/* How the servers of a spec are asked: haft__exec_catalogue, haft__catalogue_cancel and
 * haft__exec_server_listing. */
typedef struct haft__runtime_servers {
    haft_status (*list_all)(haft__exec *exec, const haft__spec *spec, haft__catalogue_done *done,
                            void *context, haft__catalogue **ret_catalogue, haft_error *err);
    void (*cancel)(haft__catalogue *catalogue);
    haft_status (*list_one)(haft__exec *exec, const haft__spec *spec, haft_str server,
                            haft__arena *arena, haft__mcp_listing *ret_listing, haft_error *err);
} haft__runtime_servers;

/* The list of a server that a run was told of last. */
typedef struct haft__known_list {
    haft_str server;
    uint64_t number; /* haft__mcp_listing.number */
    struct haft__known_list *next;
} haft__known_list;

/* A spec that takes the place of a run's. */
typedef struct haft__spec_replacement {
    haft_str text;    /* as JSON; .ptr is NULL: the run goes on with its own */
    haft_str file;    /* SHA-256 of the file it comes from */
    haft_str by;      /* who accepts it */
    haft_str changes; /* lines */
} haft__spec_replacement;

/* Looks at a run that was taken up, in front of everything it does: whether it goes on, and with
 * which spec. What it gives back lives until it is called again. */
typedef struct haft__spec_change_hook {
    haft_status (*check)(void *context, const haft_run *run,
                         haft__spec_replacement *ret_replacement, haft_error *err);
    void *context;
} haft__spec_change_hook;

/* What is known of the leases of this process. */
typedef struct haft__leases {
    uint64_t ms;                 /* how long one is */
    haft__timer renew, watch;    /* the next renewal; the end of the first lease ... */
    uint64_t watch_until_ms;     /* ... on the steady clock, or earlier */
    haft__store_request request; /* to renew all of them; to look at one */
    uint64_t requested_ms;       /* the steady clock before it was */
    uint64_t expected;           /* how many runs it is about, at least */
    uint32_t failures;           /* in a row */
    uint64_t until_ms;   /* the store's time that the last one has set; 0: it does not say */
    bool skipped_locked; /* a run was passed over, since somebody has it locked */
    bool request_pending;
    int64_t offset_ms; /* of the clock on the wall from that of timers, when it was looked at */
    haft__arena arena; /* what was read of one */
} haft__leases;

struct haft_runtime {
    haft__loop *loop;
    haft__store *store;
    haft__exec *exec;
    struct haft__http_client *http; /* to models; made at the first need */
    haft__spec_env env;
    haft__spec_env key_env; /* only that file, for keys to a server which it names; may be NULL */
    const struct haft__variable *variables; /* more of the environment: may be secrets */
    size_t variable_count;
    haft__hash_key hash_key;
    haft__id_last last_id;
    uint64_t (*clock)(void);  /* milliseconds since 1970 */
    uint64_t (*steady)(void); /* milliseconds of a clock that only goes on: haft__clock_monotonic */
    haft__runtime_servers servers;
    haft__index_cache index_cache; /* what tools are found by */
    haft__spec_change_hook
        spec_change_hook; /* `look` may be NULL: runs go on with the spec they have */
    haft__decider decider;
    haft__arena arena; /* tools that were added */
    const haft__tool **functions;
    size_t function_count, function_capacity;
    char owner[128];
    haft_run *runs;
    size_t cache_requests; /* results on their way into the store */
    bool shared;           /* the store may be other processes' too */
    haft__timer message_timer;
    haft__store_request message_request;
    haft__leases leases;
    haft__arena message_arena; /* what `listen` read */
    haft__arena scratch;       /* of the event that is being taken in */
    bool message_poll_pending;
    bool closing;                /* nothing is tried again */
    bool low;                    /* the store has hardly room: nothing new is begun */
    haft__buf line, body, clean; /* scratch for events */
};

struct haft_agent {
    haft_runtime *runtime;
    haft__arena arena;
    haft__arena spec_arena; /* of a spec that was loaded for it alone */
    const haft__spec *spec;
    haft__script script; /* of script: and replay: */
    bool scripted;
    haft_str spec_text;             /* the spec as JSON, for the store */
    const haft__provider *provider; /* of a model server; NULL: the model is part of this program */
    haft_str url;                   /* of that server */
    haft__provider_headers headers;
    haft_str embed_url, embed_key;       /* of tool_search.embeddings */
    haft__embedder *embedder;            /* created at the first search */
    haft__declared_tools declared_tools; /* shared by its runs */
    struct haft__redactor *redactor;     /* what must not be written down */
    size_t uses;                         /* runs, and whoever made it */
    haft__spec_origin origin;            /* where the spec came from, for its runs */
    char file[HAFT__SHA256_HEX];         /* of the origin, when it was loaded here */
    haft_agent *previous;                /* whose place it has taken in its run */
};

/* A call that runs. */
typedef struct haft__call_slot {
    haft_run *run; /* NULL once it is no longer wanted */
    haft_runtime *runtime;
    size_t call; /* its place in the state */
    uint32_t attempt;
    haft__exec_job *job;
    haft__store_request request; /* for a result that is remembered */
    haft__arena arena;           /* what was recalled */
    bool store_pending;
    bool awaiting_answer; /* the call waits for an answer to what it asked */
    struct haft__call_slot *next;
} haft__call_slot;

/* Messages that became events, or never will: to be forgotten with the next write. */
typedef struct haft__acked_messages {
    haft__store_message *items;
    size_t count, capacity;
} haft__acked_messages;

typedef enum haft__handle_stage {
    HAFT__HANDLE_OPENING, /* on its way from the store */
    HAFT__HANDLE_ACTIVE,
    HAFT__HANDLE_READ_ONLY, /* read, and left alone: it has ended, or is another's */
    HAFT__HANDLE_FAILED,    /* it cannot go on here; see `error` */
} haft__handle_stage;

struct haft_run {
    haft_runtime *runtime;
    haft_agent *agent;
    haft_run *next, **link;
    haft__arena arena;
    char id[HAFT__ID_LENGTH + 1]; /* "" before it is known */
    haft_str task, thread, user;  /* what it was started with */
    haft__task begin;
    haft__run state;
    haft__known_list *known_lists; /* in `arena` */
    haft__messages earlier;        /* of the thread */
    haft__script script;
    haft__handle_stage stage;
    haft_error error;
    haft__effect_kind effect; /* what was decided last */
    bool released;            /* nobody holds it any more; it goes once the store is through */
    void (*on_released)(haft_run *run,
                        bool others); /* once: whether others can have it now; or NULL */
    void *released_context;
    bool cancel_early; /* it was cancelled before it was there */
    bool suspended;    /* it is only put into the store; others go on with it */

    /* events: gathered, on their way, and committed but not read */
    haft__buf buffered, written, committed;
    size_t committed_at; /* what has been read of it */
    haft__buf progress;  /* lines that wait for the events they come after */
    bool has_reader;     /* somebody has asked for events: it is worth telling what happens */
    haft_str *lines;     /* of `written` */
    size_t line_capacity;
    haft__store_artifact *artifacts;
    size_t artifact_capacity;
    haft__acked_messages acked, acked_writing;
    haft__acked_messages acked_earlier; /* forgotten since messages were last asked for */
    size_t artifacts_written; /* of the state's artifacts, how many the store has been given */
    haft__store_request append;
    haft__arena write_arena;
    bool appending, created;
    uint64_t epoch, writing_seq, durable_seq;

    /* its lease, on the steady clock: whoever set it was asked to at this time */
    uint64_t leased_ms, appending_ms, claiming_ms;
    bool owner_unknown; /* it may be another's by now */

    /* how often whoever had it was lost at the event it was taken up with; 0: nobody counts */
    uint32_t crash_count;

    /* its store, when that fails: what was to be written is kept and tried again */
    haft_error store_error;     /* why it does not take it; OK: it does */
    haft__store_request reread; /* whether it has taken it all the same */
    haft__timer retry;
    uint32_t attempts;
    bool repeated; /* what is being written was tried before */
    bool stalled;  /* nothing is begun because there is no room */

    /* the model */
    struct haft__model_call *model_call;       /* NULL: it is not being asked */
    haft__provider_conversation *conversation; /* NULL: nothing was sent yet, or memory was freed */

    haft__catalogue *catalogue;                /* NULL: servers are not being asked */
    struct haft__vector_search *vector_search; /* NULL: no vectors are being asked for */
    size_t search_call; /* the call they are asked for, or HAFT__SEARCH_BEFORE_FIRST_TURN */
    haft__call_slot *slots;
    haft__timer deadline_timer; /* the first deadline of a pause */

    /* its turn among the runs of its thread */
    bool queued;                     /* others are ahead of it, or that is not known yet */
    bool exclusive;                  /* it is only made when its thread has no other that is open */
    bool queue_known;                /* it is known */
    bool thread_busy;                /* others were in the way, and it was not to wait */
    char ahead[HAFT__ID_LENGTH + 1]; /* the first of them; "" when there is none */
    haft__run_state ahead_state;
    bool ahead_abandoned;                   /* and whoever had that one is gone */
    struct haft__cancel_sent *cancels_sent; /* those that were asked to end */
    haft_run *interrupted;                  /* one that nobody had, while it is cancelled */
    char interrupter[HAFT__ID_LENGTH + 1];  /* it is taken up to be cancelled for this one */
    haft__timer queue_timer;
    haft__arena queue_arena;

    /* taking it up */
    haft__store_request load;
    haft__arena loaded; /* what was read */
    bool loading;       /* `load` is under way */
    bool read_only;     /* read it, and leave it to whoever has it */
    haft__store_run row;
    haft_str events;
    uint64_t last_spec_change_seq;      /* the last event that has another spec; 0: none */
    const haft__store_message *pending; /* what was sent to it before */
    size_t pending_count;
    const haft__run_command *initial; /* what whoever takes it up has to say; may be NULL */
    haft_error initial_error;         /* what became of that: OK when it was taken */
    bool initial_rejected;            /* it fits nothing: the run was left as it is */
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
    bool read_only_store; /* the store is only looked at: haft__store_open_existing */
} haft__runtime_env;

/* haft_runtime_create with variables from elsewhere; NULL: the environment of this process. */
HAFT_MUST_USE haft_status haft__runtime_create(const haft_runtime_options *options,
                                               const haft__runtime_env *env,
                                               haft_runtime **ret_runtime, haft_error *err);

/* The time for an event. */
uint64_t haft__runtime_now(const haft_runtime *runtime);

/* A new id for a run or a thread, behind all that were made here before; without a runtime, by the
 * system's clock. */
HAFT_MUST_USE haft_status haft__runtime_make_id(haft_runtime *runtime, char id[HAFT__ID_LENGTH + 1],
                                                haft_error *err);

/* There is a run to look after: its lease, and messages for it. */
void haft__runtime_watch_run(haft_runtime *runtime);

/* Looks now for messages from other processes. */
void haft__runtime_poll_messages(haft_runtime *runtime);

/* ---- lease.c ---- */

/* Leases of `ms`, 0 for the default. BAD_INPUT when that is too short or too long. */
HAFT_MUST_USE haft_status haft__lease_init(haft_runtime *runtime, uint64_t ms, haft_error *err);
void haft__lease_finish(haft_runtime *runtime);

/* There is a run here: its lease is renewed from now on. */
void haft__lease_watch(haft_runtime *runtime);

/* Whether a lease that was asked for at `requested_ms` of the steady clock has not ended before the
 * answer came. */
HAFT_MUST_USE haft_status haft__lease_check_delay(const haft_runtime *runtime,
                                                  uint64_t requested_ms, haft_error *err);

/* The store has set its lease, and was asked to at `requested_ms` of the steady clock. */
void haft__lease_set(haft_run *run, uint64_t requested_ms);

/* BAD_STATE when another may have the run by now: nothing may be begun for it, and what came of
 * what was begun is not to be taken. IO when that is the store's fault. */
HAFT_MUST_USE haft_status haft__lease_check(const haft_run *run, haft_error *err);

/* The same, and stops it then. False: it is not ON any more. */
bool haft__lease_holds(haft_run *run);

/* Makes a run that stopped here nobody's, so that another can take it up at once; it is FAILED
 * then. If it was released it is gone when that is done, else it is tried again. False when it is
 * not this process's, or the store is busy with it. */
bool haft__lease_release(haft_run *run);

/* Renews at once when the clock on the wall was set forward: others go by that. */
void haft__lease_check_clock(haft_runtime *runtime);

/* ---- agent.c ---- */

/* How a spec at `path` is loaded here. */
haft__spec_options haft__agent_spec_options(const haft_runtime *runtime, haft_str path);

/* To find the way to a server that a spec names. */
struct haft__endpoint haft__agent_endpoint(haft_agent *agent, const haft__model_spec *model);

/* An agent of a spec, which must outlive it. */
HAFT_MUST_USE haft_status haft__agent_create(haft_runtime *runtime, const haft__spec *spec,
                                             haft_agent **ret_agent, haft_error *err);

typedef enum haft__spec_use {
    HAFT__SPEC_NEW,       /* a run begins with it */
    HAFT__SPEC_STORED,    /* of a run that has begun, maybe with a haft that minded less */
    HAFT__SPEC_READ_ONLY, /* of a run that is only looked at: needs neither a key nor a script */
} haft__spec_use;

/* Loads a spec from text. BAD_INPUT with the first problem. */
HAFT_MUST_USE haft_status haft__agent_load_text(haft_runtime *runtime, haft_str text, haft_str path,
                                                haft__spec_use use, haft_agent **ret_agent,
                                                haft_error *err);
void haft__agent_retain(haft_agent *agent);

/* To hear and to send what is said to a run, one that only looks has to know secrets, too: those of
 * the spec and the environment. */
HAFT_MUST_USE haft_status haft__agent_load_secrets(haft_agent *agent, haft_error *err);

/* ---- run.c ---- */

/* A run without events yet. */
HAFT_MUST_USE haft_status haft__run_create(haft_runtime *runtime, haft_run **ret_run,
                                           haft_error *err);

/* Gives it its agent. */
HAFT_MUST_USE haft_status haft__run_attach_agent(haft_run *run, haft_agent *agent, haft_error *err);

/* Decides until something outside has to happen, and makes it happen. */
void haft__run_advance(haft_run *run);

/* Records an input whose body is in `body`, and goes on. */
void haft__run_record_input(haft_run *run, haft_str body);

/* It cannot go on here. What runs is ended; what is in the store stays for another. */
void haft__run_fail(haft_run *run, const haft_error *error);

/* Performs a command, from here or from outside. */
HAFT_MUST_USE haft_status haft__run_perform_command(haft_run *run, const haft__run_command *command,
                                                    haft_error *err);

/* The same for one that is ON, without going on with it. */
HAFT_MUST_USE haft_status haft__run_record_command(haft_run *run, const haft__run_command *command,
                                                   haft_error *err);

/* The same for what was said about a call that waits, before anything else is decided; only
 * deadlines that are due go first. */
HAFT_MUST_USE haft_status haft__run_record_pause_command(haft_run *run,
                                                         const haft__run_command *command,
                                                         haft_error *err);

/* Records all that can be decided, and makes nothing of it happen. */
HAFT_MUST_USE haft_status haft__run_record_decisions(haft_run *run, uint64_t now, haft_error *err);

/* Records what nobody answered before its deadline, and nothing else. */
HAFT_MUST_USE haft_status haft__run_record_expiries(haft_run *run, uint64_t now, haft_error *err);

/* haft__run_command_apply and haft__run_command_is_duplicate with the secrets that the run's agent
 * knows. */
HAFT_MUST_USE haft_status haft__run_apply_command(haft_run *run, const haft__run_command *command,
                                                  haft__buf *buf, haft_error *err);
HAFT_MUST_USE haft_status haft__run_check_duplicate_command(haft_run *run,
                                                            const haft__run_command *command,
                                                            bool *ret_duplicate, haft_error *err);

/* Gives its memory back; nothing of it may be under way any more. */
void haft__run_destroy(haft_run *run);

/* The store is through with one that was released, or does not answer: tells who wanted to know. */
void haft__run_notify_released(haft_run *run);

/* Nobody holds it any more: gives the lease back, then the memory. */
void haft__run_dispose(haft_run *run);

/* Decides nothing more and ends what can be begun again: the asking, and calls that may be
 * repeated. Calls with effects go on to their ends; haft__run_is_drained says when they have come.
 * Releasing the run then leaves it in the store for whoever takes it up. */
void haft__run_drain(haft_run *run);
bool haft__run_is_drained(const haft_run *run);

/* Ends what is under way: the asking, and the calls. */
void haft__run_stop_operations(haft_run *run);

/* The clock on the wall was set: deadlines are nearer, or farther away. */
void haft__runtime_reset_deadlines(haft_runtime *runtime);

/* The store says whether there is room for more. */
void haft__runtime_set_low_space(haft_runtime *runtime, bool low);

/* Milliseconds before something is tried again that failed so many times in a row. */
uint64_t haft__run_backoff_ms(uint32_t failures);

/* Whether it waits or has ended, and that is durable. */
bool haft__run_is_settled(const haft_run *run);

/* Whether a question that goes with this process is open, and that is durable, whatever else of the
 * run is under way: its time may be over before the run waits. */
bool haft__run_has_open_question(const haft_run *run);

/* ---- log.c ---- */

/* Appends an event: redacted, folded, gathered for the store. The one way to append. */
HAFT_MUST_USE haft_status haft__log_append(haft_run *run, uint64_t at_ms, haft_str body,
                                           haft_error *err);

/* A message has been dealt with: the next write forgets it. */
HAFT_MUST_USE haft_status haft__log_ack_message(haft_run *run, uint64_t message, haft_error *err);

/* Whether the store fails, so that nothing new is begun until it does not any more. */
bool haft__log_is_failing(const haft_run *run);

/* Sends what was gathered to the store, unless a write is under way: then behind it. */
void haft__log_flush(haft_run *run);

bool haft__log_is_durable(const haft_run *run);

/* Tells readers something that is not durable: `body` as of an event. It is lost when nobody reads
 * and HAFT__LIMIT_RUN_UNREAD_BYTES wait already. */
void haft__log_notify(haft_run *run, haft_str body);

/* ---- model_call.c ---- */

HAFT_MUST_USE haft_status haft__model_call_start(haft_run *run, haft_error *err);
void haft__model_call_stop(haft_run *run);

/* What the model is reached by; BAD_INPUT when the spec's model cannot be asked. */
HAFT_MUST_USE haft_status haft__agent_prepare_model(haft_agent *agent, haft_error *err);

/* The client for models; NULL for want of memory. */
struct haft__http_client *haft__runtime_http_client(haft_runtime *runtime, haft_error *err);

/* ---- tool_calls.c ---- */

/* Answers a call that has started from the script, if it can be. */
HAFT_MUST_USE haft_status haft__tool_calls_use_script(haft_run *run, bool *ret_did,
                                                      haft_error *err);

/* Starts the calls that may start now. */
HAFT_MUST_USE haft_status haft__tool_calls_start(haft_run *run, haft_error *err);
void haft__tool_calls_stop(haft_run *run);

/* Ends those that may be repeated. */
void haft__tool_calls_stop_repeatable(haft_run *run);

/* ---- tool_search.c ---- */

/* Searches for tools, with the task (HAFT__SEARCH_BEFORE_FIRST_TURN) or for the call that has this
 * index; what is found is recorded when the servers have said what they have. */
#define HAFT__SEARCH_BEFORE_FIRST_TURN SIZE_MAX
/* A call has come to its server, whose list has this number now: records what it lists, if that is
 * not what the run was told. */
HAFT_MUST_USE haft_status haft__tool_search_refresh_list(haft_run *run, haft_str server,
                                                         uint64_t number, haft_error *err);

HAFT_MUST_USE haft_status haft__tool_search_start(haft_run *run, size_t call, haft_error *err);
void haft__tool_search_stop(haft_run *run);

/* ---- spec_change.c ---- */

/* Loads specs that the events of `run` have: haft__run.specs. */
haft__run_specs haft__spec_change_loader(haft_run *run);

/* The last event of a log that has another spec; 0: none. */
HAFT_MUST_USE haft_status haft__spec_change_find_last(const haft_runtime *runtime, haft_str lines,
                                                      uint64_t *ret_seq, haft_error *err);

/* Asks the runtime's spec_check about a run that was just taken up, and does what it says. */
HAFT_MUST_USE haft_status haft__spec_change_check(haft_run *run, haft_error *err);

/* ---- open.c ---- */

/* Keeps the script's place: one reply for each that was recorded, one result for each call. */
void haft__run_advance_script(haft_run *run, const haft__event *event);

/* Takes up a run of the store: `name` is its id, the beginning of it, or "last". It is OPENING
 * until it is there. */
HAFT_MUST_USE haft_status haft__run_open_by_name(haft_runtime *runtime, haft_str name,
                                                 bool read_only, haft_run **ret_run,
                                                 haft_error *err);

/* The same for one that was claimed already, as the store was asked to at `requested_ms` of the
 * steady clock, and that it has said this about. */
HAFT_MUST_USE haft_status haft__run_open_claimed(haft_runtime *runtime, const haft__store_run *row,
                                                 uint64_t requested_ms, haft_run **ret_run,
                                                 haft_error *err);

/* Asks the store something for a run; what is read lives in `arena`. `done` begins with
 * haft__run_query_done. */
void haft__run_query_start(haft_run *run, haft__store_request request, haft__arena *arena,
                           void (*done)(haft__store_request *request));

/* The store has answered. False when nobody holds the run any more: it is gone. */
bool haft__run_query_done(haft_run *run);

/* Puts what earlier runs of the thread said into `earlier`; `next` comes when it is there. */
void haft__run_load_thread(haft_run *run, haft_str thread, void (*next)(haft_run *run));

/* ---- crash_guard.c ---- */

/* Whether nothing is begun for the run yet: one that was lost begins nothing before it is durable
 * that it does, so that whoever has it next knows how far it got. */
bool haft__crash_guard_must_wait(const haft_run *run);

/* Whether it was lost too often to go on from where it is. */
bool haft__crash_guard_limit_reached(const haft_run *run);

/* Records that: as a model call that failed, or where no model is asked, as a wish that it end. */
HAFT_MUST_USE haft_status haft__crash_guard_end_run(haft_run *run, haft_error *err);

/* ---- catch_up.c ---- */

/* Does what is due to a run that has just been taken up: what was said to it meanwhile, the spec as
 * it is now, the calls that were under way, and `first`. */
HAFT_MUST_USE haft_status haft__run_catch_up(haft_run *run, haft_error *err);

/* ---- thread_queue.c ---- */

/* The run is in the store and has not begun: it begins once no run is ahead of it in its thread.
 * Until then it is `queued`: nothing is decided, unless it is to be cancelled. */
void haft__queue_enter(haft_run *run);

/* The store could not say something about a run that waits: it is asked again. False when that is
 * no use. */
bool haft__queue_retry(haft_run *run, haft_status status);

/* Cancels a run for the sake of another of its thread. */
void haft__queue_cancel(haft_run *run, const char *interrupter);

/* It does not wait any longer, here. */
void haft__queue_leave(haft_run *run);

/* A run of this thread has ended here: whoever waited for it looks at once. */
void haft__queue_wake(haft_runtime *runtime, haft_str thread);

/* Whether it is known that others are ahead of it, and all that can be done about them here has
 * been. */
bool haft__queue_is_waiting(const haft_run *run);

#endif
