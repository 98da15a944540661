/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/runtime.h - the runtime (haft_runtime), which its runs share: the loop, the store, the
 * HTTP client, the leases, and messages from other processes. engine/run.h has the runs,
 * engine/agent.h the agents.
 */
#ifndef HAFT_ENGINE_RUNTIME_H
#define HAFT_ENGINE_RUNTIME_H

#include "base/id.h"
#include "engine/child_pool.h"
#include "engine/index_cache.h"
#include "engine/lease.h"
#include "engine/member_memory.h"
#include "engine/model_server.h"
#include "engine/spec_change.h"
#include "exec/mcp/mcp.h"
#include "model/price.h"
#include "run/decide/decide.h"
#include "store/store.h"

/* Functions that list the tools of servers: haft__exec_catalogue, haft__catalogue_cancel and
 * haft__exec_server_listing. Tests replace them. */
typedef struct haft__runtime_servers {
    haft_status (*list_all)(haft__exec *exec, const haft__spec *spec, haft__catalogue_done *done,
                            void *context, haft__catalogue **ret_catalogue, haft_error *err);
    void (*cancel)(haft__catalogue *catalogue);
    haft_status (*list_one)(haft__exec *exec, const haft__spec *spec, haft_str server,
                            haft__arena *arena, haft__mcp_listing *ret_listing, haft_error *err);
} haft__runtime_servers;

/* Reads the events of all runs of a runtime, in their order: durable events after their commit, and
 * progress events between them. The owner adds the observer to haft_runtime.observers and removes
 * it before it frees the observer. */
typedef struct haft__runtime_observer {
    /* `lines` are one or more lines, each with its line feed. Must not change runs. */
    void (*published)(void *context, haft_run *run, haft_str lines);
    void *context;
    struct haft__runtime_observer *next;
} haft__runtime_observer;

struct haft_runtime {
    haft__loop *loop;
    haft__store *store;
    haft__exec *exec;
    struct haft__http_client *http; /* for models; created when first needed */
    haft__member_memory *member_memory;
    haft__model_server *model_servers;
    haft__spec_env env;
    haft__spec_env key_env; /* only the .env file, for keys of servers that it names; .get may be
                             * NULL */
    const struct haft__variable *variables; /* the variables of that file, which may be secrets */
    size_t variable_count;
    const haft__price_table *prices; /* of the user; may be NULL */
    haft__hash_key hash_key;
    haft__id_last last_id;
    uint64_t (*clock)(void);           /* wall clock: milliseconds since 1970 */
    uint64_t (*monotonic_clock)(void); /* monotonic clock in milliseconds: haft__clock_monotonic */
    haft__runtime_servers servers;
    haft__index_cache index_cache;           /* for tool search */
    haft__spec_change_hook spec_change_hook; /* .check may be NULL: runs keep their spec */
    haft__decider decider;
    haft__arena arena; /* memory of added tools */
    haft__arena schema_arena;
    const struct haft__schema *spec_schema; /* compiled for the first spec that is loaded */
    const haft__tool **functions;
    size_t function_count, function_capacity;
    const haft__tool **graph_functions; /* code of nodes, and reducers */
    size_t graph_function_count, graph_function_capacity;
    char owner[128]; /* the name of this process in the store */
    haft_run *runs;
    haft__runtime_observer *observers;
    size_t cache_requests; /* number of pending store requests for cached tool results */
    haft__timer message_timer;
    haft__store_request message_request;
    haft__arena message_arena; /* results of `message_request` */
    haft__leases leases;
    haft__child_pool children; /* child runs that this process performs */
    haft__arena scratch;       /* memory of the event that is being folded */
    bool shared;               /* other processes can open the store */
    bool closing;              /* haft_runtime_destroy is running: no request is retried */
    bool low_space;            /* the store is low on space: no operation is started */
    bool message_poll_pending;
    struct haft__telemetry *telemetry; /* engine/telemetry/telemetry.h; NULL without telemetry */
    haft__buf line, body, clean;       /* scratch for events */
};

/* The sources of variables (an .env file and the environment) and prices. All pointers must outlive
 * the runtime. */
typedef struct haft__runtime_env {
    haft__spec_env env;     /* both sources; the environment of this process takes precedence */
    haft__spec_env key_env; /* only the file */
    const struct haft__variable *variables; /* the variables of the file */
    size_t variable_count;
    const haft__price_table *prices; /* of the user; may be NULL */
    bool read_only_store;            /* haft__store_open_existing */
} haft__runtime_env;

/* Like haft_runtime_create, with the variables and prices of `env`; NULL: the environment of this
 * process. */
HAFT_MUST_USE haft_status haft__runtime_create(const haft_runtime_options *options,
                                               const haft__runtime_env *env,
                                               haft_runtime **ret_runtime, haft_error *err);

/* Adds and removes an observer. */
void haft__runtime_observe(haft_runtime *runtime, haft__runtime_observer *observer);
void haft__runtime_unobserve(haft_runtime *runtime, haft__runtime_observer *observer);

/* Lets several parts of this process, such as a worker and an HTTP server, share the runs of a
 * store that no other process can open. */
void haft__runtime_share(haft_runtime *runtime);

/* The time for an event. */
uint64_t haft__runtime_now(const haft_runtime *runtime);

/* A new id of a run or a thread; it sorts after all ids that this runtime has made. If `runtime` is
 * NULL, the system clock is used. */
HAFT_MUST_USE haft_status haft__runtime_make_id(haft_runtime *runtime, char id[HAFT__ID_LENGTH + 1],
                                                haft_error *err);

/* Starts renewing leases and polling messages. Call it after a run was added. */
void haft__runtime_watch_run(haft_runtime *runtime);

/* Polls messages from other processes now. */
void haft__runtime_poll_messages(haft_runtime *runtime);

/* The HTTP client for models; NULL if out of memory. */
struct haft__http_client *haft__runtime_http_client(haft_runtime *runtime, haft_error *err);

#endif
