/* SPDX-License-Identifier: Apache-2.0 */
/*
 * haft.h - the one public header of haft, a tool-calling runtime for language-model agents.
 *
 * Each declaration says, in these words:
 *   Owns:   who releases what; what is copied, what is borrowed, and for how long.
 *   Thread: "any" - any thread at any time; "the runtime's" - a runtime and everything made with it
 *           are used by one thread at a time, no matter which; "the call's" - the thread that the
 *           tool's function runs on, or, for a call without a function, any thread, one at a time;
 *           "as its owner" - plain data.
 *   Fails:  the statuses it returns, and why. HAFT_OK is not listed.
 *   Since:  the first version that has it.
 * And always:
 *   - A returned pointer is borrowed from its parent; a pointer returned through a `ret_` parameter
 *     belongs to the caller. `ret_` parameters are written on success only.
 *   - `haft_error *err` comes last and may be NULL. If another pointer is NULL and must not be, a
 *     function that returns a status returns BAD_INPUT. A `haft_call *` is never NULL.
 *   - Text is UTF-8. A `haft_str` has a length and no terminating NUL; a `const char *` has one.
 *   - Structs that programs fill in begin with struct_size and have an ..._INIT. They grow at their
 *     end, so a program built with another version has fewer or more fields. All other structs keep
 *     their layout within libhaft.so.0.
 * docs/api.md is the guide.
 */
#ifndef HAFT_H
#define HAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <type_traits>
extern "C" {
#endif

/* ---- versions, statuses, text ---- */

/* The version of this header, in numbers and as text. Since: 0.1. */
#define HAFT_VERSION_MAJOR 0
#define HAFT_VERSION_MINOR 1
#define HAFT_VERSION_PATCH 0
#define HAFT_VERSION       "0.1.0"

/* Attributes of declarations, for compilers that have them. Since: 0.1. */
#if defined(__GNUC__)
#define HAFT_API                        __attribute__((visibility("default")))
#define HAFT_MUST_USE                   __attribute__((warn_unused_result))
#define HAFT_MAYBE_UNUSED               __attribute__((unused))
#define HAFT_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#else
#define HAFT_API
#define HAFT_MUST_USE
#define HAFT_MAYBE_UNUSED
#define HAFT_PRINTF(format_at, args_at)
#endif

/* Every status: name and meaning. Values are stable; new ones are added at the end. Since: 0.1. */
#define HAFT_STATUS_MAP(X)                                                                         \
    X(OK, "success")                                                                               \
    X(NO_MEMORY, "out of memory")                                                                  \
    X(BAD_INPUT, "the input is not valid")                                                         \
    X(BAD_STATE, "this cannot be done now")                                                        \
    X(TOO_BIG, "a limit was reached")                                                              \
    X(NOT_FOUND, "there is no such thing")                                                         \
    X(UNSUPPORTED, "this is valid but not supported")                                              \
    X(IO, "reading or writing failed")

/* HAFT_OK (0) and the other statuses of HAFT_STATUS_MAP. Since: 0.1. */
typedef enum haft_status {
#define X(name, text) HAFT_##name,
    HAFT_STATUS_MAP(X)
#undef X
} haft_status;

/* An error, for people, models and programs. It has a fixed size, so that reporting out of memory
 * needs no memory. Every text is NUL-terminated valid UTF-8; a text that is too long is cut at a
 * character boundary. Owns: all its texts. Thread: as its owner. Since: 0.1. */
typedef struct haft_error {
    haft_status status; /* for programs */
    char where[96];     /* JSON Pointer, line:column or URL; may be empty */
    char message[192];  /* one sentence: what was found and what was expected */
    char hint[192];     /* what to do about it; may be empty */
} haft_error;

/* A view of UTF-8 text that something else owns.
 * Owns: nothing. Thread: as its owner. Since: 0.1. */
typedef struct haft_str {
    const char *ptr; /* may be NULL when `len` is 0 */
    size_t len;      /* bytes */
} haft_str;

/* A haft_str as the two arguments of "%.*s". Evaluates `s` more than once. Since: 0.1. */
#define HAFT_STR(s) ((s).len > 0x7fffffff ? 0x7fffffff : (int)(s).len), ((s).len > 0 ? (s).ptr : "")

/* Returns the version of the library at run time, in the form of HAFT_VERSION.
 * Owns: nothing; the text is static. Thread: any. Fails: never. Since: 0.1. */
HAFT_API const char *haft_version(void);

/* Returns the name of a status: "OK", "NO_MEMORY" and so on; "?" for a number that is not a status.
 * Owns: nothing; the text is static. Thread: any. Fails: never. Since: 0.1. */
HAFT_API const char *haft_status_name(haft_status status);

/* Returns the meaning of a status in a few words, as in HAFT_STATUS_MAP.
 * Owns: nothing; the text is static. Thread: any. Fails: never. Since: 0.1. */
HAFT_API const char *haft_status_text(haft_status status);

/* Frees a text that a function returned through a `ret_` parameter; NULL is allowed.
 * Owns: `text` is invalid afterwards. Thread: any. Fails: never. Since: 0.1. */
HAFT_API void haft_free(char *text);

/* ---- inside a tool ---- */

/* One call of a tool.
 * Owns: the library owns it; it is valid until the tool's function returns, or, if it came from
 * haft_runtime_next_call, until haft_call_finish. Thread: the call's, which need not be the thread
 * that steps the runtime. Since: 0.1. */
typedef struct haft_call haft_call;

/* The kind of a reply. Since: 0.1. */
typedef enum haft_reply_kind {
    HAFT_REPLY_TEXT,    /* text that the model reads unchanged */
    HAFT_REPLY_JSON,    /* one JSON value */
    HAFT_REPLY_ERROR,   /* an error that the model reads instead of a result */
    HAFT_REPLY_COMMAND, /* {"update": {...}, "goto": "node"}: for the graph whose node it is */
} haft_reply_kind;

/* The reply of a tool. The functions below make it; the tool returns it unchanged.
 * Owns: nothing; the call owns the text. Thread: the call's. Since: 0.1. */
typedef struct haft_reply {
    haft_reply_kind kind; /* the kind of `text` */
    haft_str text;        /* valid as long as the call */
} haft_reply;

/* Facts about a call. A text that has no value is "".
 * Owns: nothing; the call owns it all. Thread: the call's. Since: 0.1. */
typedef struct haft_call_facts {
    size_t struct_size;          /* set by the library; fields past it are missing */
    const char *call;            /* "c3.1": unique in the run */
    const char *run;             /* 26 characters */
    const char *thread;          /* 26 characters */
    const char *user;            /* the user the run acts for; "" if not set */
    const char *idempotency_key; /* the same for every attempt of this call */
    uint32_t attempt;            /* from 1 */
    uint32_t remaining_turns;    /* after the present one */
    void *context;               /* haft_tool.context */
    uint64_t epoch; /* a fencing token: it grows each time the run gets a new owner. A service that
                       remembers the greatest epoch can refuse calls of a process that no longer
                       owns the run. 0 outside a run */
    const char *traceparent; /* the trace context of this attempt, as W3C defines it; runs of one
                                tree have one trace. "" outside a run */
    const char *tool;        /* its name; "function:NAME" for a function of a graph */
    haft_str arguments;      /* of a call that haft_runtime_next_call returned, as JSON; else empty:
                                a tool's function gets them as a parameter */
} haft_call_facts;

/* Facts about the request that started a run through a server. A text that has no value is "".
 * Owns: nothing; the call owns it all. Thread: the call's. Since: 0.1. */
typedef struct haft_server_facts {
    size_t struct_size;    /* set by the library; fields past it are missing */
    const char *listen;    /* where the server listens: "127.0.0.1:8080" */
    const char *principal; /* the authenticated caller; "" if there is none */
    const char *remote;    /* where the request came from: "192.0.2.7:51034" */
    const char *request;   /* the id of the request in the server's log */
} haft_server_facts;

/* Replies with formatted text, like printf. If the text is too long or memory runs out, the reply
 * is an error that says so. Owns: the call owns the reply. Thread: the call's. Fails: only with
 * HAFT_REPLY_ERROR. Since: 0.1. */
HAFT_API haft_reply haft_replyf(haft_call *call, const char *format, ...) HAFT_PRINTF(2, 3);

/* Replies with a JSON value; its syntax is checked. Owns: the call owns the reply; `json` is
 * copied. Thread: the call's. Fails: with HAFT_REPLY_ERROR, which names the place, if `json` is not
 * JSON or is too long, or when out of memory. Since: 0.1. */
HAFT_API haft_reply haft_reply_json(haft_call *call, const char *json);

/* Replies with an error that the model reads: say what was found, what was expected, and what to do
 * about it. Owns: the call owns the reply. Thread: the call's. Fails: never; when out of memory,
 * the error says that instead. Since: 0.1. */
HAFT_API haft_reply haft_reply_error(haft_call *call, const char *format, ...) HAFT_PRINTF(2, 3);

/* Replies with a command for the graph: a JSON object with one or more of "update" (an object with
 * values for channels of the graph's state), "goto" (the name of a node, or an array of names) and
 * "send" (an array of {"to": node, "arg": the object that this run of the node sees}):
 *
 *     return haft_reply_command(call, "{\"update\":{\"status\":\"checked\"},\"goto\":\"report\"}");
 *
 * A node whose tool or function replies so does all of this in one step: "update" replaces `out` of
 * the node, and "goto" its edges. If a model called the tool, or the call is outside a graph, it
 * fails with an error that says so. Owns: the call owns the reply; `json` is copied. Thread: the
 * call's. Fails: with HAFT_REPLY_ERROR if `json` is not such an object or is too long, or when out
 * of memory. Since: 0.1. */
HAFT_API haft_reply haft_reply_command(haft_call *call, const char *json);

/* Returns the facts about a call. Owns: nothing; never NULL, valid as long as the call.
 * Thread: the call's. Fails: never. Since: 0.1. */
HAFT_API const haft_call_facts *haft_call_info(const haft_call *call);

/* Returns the facts about the request that started the run; NULL if the run was not started through
 * a server. Owns: nothing; valid as long as the call. Thread: the call's. Fails: never.
 * Since: 0.1. */
HAFT_API const haft_server_facts *haft_call_server(const haft_call *call);

/* Whether the call was cancelled or timed out; the tool should then return soon. A tool that runs
 * for long checks this regularly. Owns: nothing. Thread: the call's. Fails: never. Since: 0.1. */
HAFT_API bool haft_cancelled(const haft_call *call);

/* Reports the progress of the tool. Text that is not JSON is sent as a JSON string. Progress is not
 * durable and may be dropped; outside a run this does nothing. Owns: `json` is copied.
 * Thread: the call's. Fails: never. Since: 0.1. */
HAFT_API void haft_emit(haft_call *call, const char *json);

/* ---- what a tool is ---- */

/* The description of a struct; defined below. Owns: nothing. Thread: any. Since: 0.1. */
typedef struct haft_object haft_object;

/* The type of a field, in JSON and in C. Since: 0.1. */
typedef enum haft_field_type {
    HAFT_FIELD_STRING,  /* haft_str */
    HAFT_FIELD_INTEGER, /* long long */
    HAFT_FIELD_NUMBER,  /* double */
    HAFT_FIELD_BOOLEAN, /* bool */
    HAFT_FIELD_ENUM,    /* haft_str: one of `choices` */
    HAFT_FIELD_OBJECT,  /* the struct of `object` */
} haft_field_type;

/* Whether a field may be left out. Since: 0.1. */
typedef enum haft_field_need {
    HAFT_FIELD_REQUIRED, /* must be given */
    HAFT_FIELD_DEFAULT,  /* may be left out; then it has the default */
    HAFT_FIELD_OPTIONAL, /* may be left out; then it is a haft_str whose ptr is NULL, a list whose
                            items are NULL, a NULL pointer to a struct, or a haft_maybe_... whose
                            `given` is false */
} haft_field_need;

/* An argument that is a list of texts.
 * Owns: nothing; the call owns the items. Thread: the call's. Since: 0.1. */
typedef struct haft_strings {
    const haft_str *items; /* NULL: the list was left out */
    size_t count;          /* of items */
} haft_strings;

/* An argument that is a list of integers.
 * Owns: nothing; the call owns the items. Thread: the call's. Since: 0.1. */
typedef struct haft_integers {
    const long long *items; /* NULL: the list was left out */
    size_t count;           /* of items */
} haft_integers;

/* An argument that is a list of numbers.
 * Owns: nothing; the call owns the items. Thread: the call's. Since: 0.1. */
typedef struct haft_numbers {
    const double *items; /* NULL: the list was left out */
    size_t count;        /* of items */
} haft_numbers;

/* An argument that is a list of booleans.
 * Owns: nothing; the call owns the items. Thread: the call's. Since: 0.1. */
typedef struct haft_booleans {
    const bool *items; /* NULL: the list was left out */
    size_t count;      /* of items */
} haft_booleans;

/* An optional argument that is an integer.
 * Owns: nothing. Thread: as its owner. Since: 0.1. */
typedef struct haft_maybe_integer {
    bool given;      /* else `value` is 0 */
    long long value; /* the argument */
} haft_maybe_integer;

/* An optional argument that is a number. Owns: nothing. Thread: as its owner. Since: 0.1. */
typedef struct haft_maybe_number {
    bool given;   /* else `value` is 0 */
    double value; /* the argument */
} haft_maybe_number;

/* An optional argument that is a boolean. Owns: nothing. Thread: as its owner. Since: 0.1. */
typedef struct haft_maybe_boolean {
    bool given; /* else `value` is false */
    bool value; /* the argument */
} haft_maybe_boolean;

/* One argument: its schema, and where its value is stored. The struct grows at its end; see
 * haft_object.field_size. Owns: nothing; its texts must stay valid as long as the tool.
 * Thread: any; it is never changed. Since: 0.1. */
typedef struct haft_field {
    const char *name;           /* of the argument */
    const char *description;    /* for the model */
    size_t offset;              /* in the struct of arguments */
    const char *const *choices; /* of an enum; NULL-terminated */
    const haft_object *object;  /* of HAFT_FIELD_OBJECT */
    haft_field_type type;       /* its type, or the type of its items */
    haft_field_need need;       /* whether it may be left out */
    const char *text;           /* the default of a string or enum */
    long long integer;          /* the default of an integer */
    double number;              /* the default of a number */
    bool boolean;               /* the default of a boolean */
    bool list;                  /* whether the argument is a list of `type` */
} haft_field;

/* The description of a struct and its fields. HAFT_OBJECT and HAFT_TOOL declare it.
 * Owns: nothing; its fields must stay valid as long as the tool. Thread: any; it is never changed.
 * Since: 0.1. */
struct haft_object {
    size_t struct_size;       /* sizeof(haft_object) */
    size_t size;              /* of the struct */
    const haft_field *fields; /* its members, each `field_size` bytes from the next */
    size_t count;             /* at most 16 */
    size_t field_size;        /* sizeof(haft_field) */
};

/* Traits of a tool, for haft_tool.traits and HAFT_TOOL_WITH. At most one HAFT_COST_... and one
 * HAFT_CACHE_...; without a cost the tool is light. Since: 0.1. */
#define HAFT_READ_ONLY      0x001U /* changes nothing */
#define HAFT_IDEMPOTENT     0x002U /* the same call twice has the effect of one call */
#define HAFT_DESTRUCTIVE    0x004U /* its effect cannot be undone */
#define HAFT_RETURN_DIRECT  0x008U /* its reply is the answer of the run */
#define HAFT_NEEDS_APPROVAL 0x010U /* a person must approve each call */
#define HAFT_COST_FREE      0x020U /* returns immediately: it neither waits nor computes for long */
#define HAFT_COST_HEAVY     0x040U /* costs much time or money */
#define HAFT_CACHE_RUN      0x080U /* calls with the same arguments share a reply, in one run */
#define HAFT_CACHE_THREAD   0x100U /* they share it in all runs of a thread */
#define HAFT_CACHE_GLOBAL   0x200U /* they share it in all runs of a store */
#define HAFT_POLLS          0x400U /* the model may repeat the call until something has changed */
#define HAFT_QUEUED         0x800U /* has no function: see haft_runtime_next_call */

/* A tool's function. `args` points to the struct of `arguments`. If the tool has an `input_schema`
 * instead, `args` points to a haft_str with the arguments as JSON text.
 * Owns: nothing; call and arguments are valid until it returns. Thread: any; several calls may run
 * at the same time unless the tool has a lane. With HAFT_COST_FREE it runs on the thread that steps
 * the runtime, and must not call functions of the runtime or its runs. Fails: with
 * haft_reply_error. Since: 0.1. */
typedef haft_reply haft_tool_function(haft_call *call, const void *args);

/* A tool. HAFT_TOOL declares one; a program can also fill in HAFT_TOOL_INIT by hand.
 * Owns: nothing. haft_tool_add copies the texts; `arguments` and `context` must outlive the runtime
 * that the tool is added to. Thread: as its owner. Since: 0.1. */
typedef struct haft_tool {
    size_t struct_size;      /* sizeof(haft_tool) */
    const char *name;        /* letters, digits and _ . / - or server:tool; at most 128 bytes */
    const char *description; /* for the model: what it does and when to use it */
    const haft_object *arguments; /* or NULL */
    const char *input_schema;     /* instead: a JSON Schema with "type": "object"; or NULL */
    const char *output_schema;    /* JSON Schema of the reply; or NULL */
    haft_tool_function *run;      /* NULL: headless, a client of the run answers; see HAFT_QUEUED */
    void *context;                /* for the function: haft_call_info(call)->context */
    uint32_t traits;              /* HAFT_READ_ONLY ... */
    uint32_t timeout_ms;          /* of one attempt; 0: the default, a minute */
    uint32_t retries;             /* only with HAFT_READ_ONLY or HAFT_IDEMPOTENT */
    uint32_t cache_ms;            /* how long a cached reply is used; 0: as long as its scope */
    const char *lane;             /* calls of one lane never overlap; NULL for none */
} haft_tool;

/* An empty tool, to fill in by hand. Since: 0.1. */
#define HAFT_TOOL_INIT                                                                             \
    {                                                                                              \
        sizeof(haft_tool), NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, NULL              \
    }

/* ---- without a runtime ----
 *
 * For unit tests of tools, and for programs without a model. libhaft-core consists of this section
 * and everything above. It has no regular expressions: a schema with `pattern` or
 * `patternProperties` is UNSUPPORTED there.
 */

/* Returns the JSON Schema of a tool's arguments, as the model gets it.
 * Owns: the caller frees *ret_schema with haft_free. Thread: any. Fails: BAD_INPUT if the tool is
 * not valid (err->where names the part), TOO_BIG past a limit, UNSUPPORTED if the schema cannot be
 * compiled, NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_tool_schema(const haft_tool *tool, char **ret_schema,
                                                    haft_error *err);

/* Calls a tool as a run would: reads `arguments` (a JSON object; NULL for none), converts values
 * where nothing is lost, fills in defaults, validates the result, and calls the function on this
 * thread. The facts of the call are empty and haft_emit does nothing. `ret_kind` may be NULL. An
 * error of the tool is a reply, not a failure. "declaring a tool" below shows the tool
 * search_database:
 *
 *     char *text;
 *     haft_reply_kind kind;
 *     haft_status status =
 *         haft_tool_try(&search_database_tool, "{\"query\":\"overdue\"}", &kind, &text, err);
 *     if (status == HAFT_OK) {
 *         puts(text);
 *         haft_free(text);
 *     }
 *
 * Owns: the caller frees *ret_text with haft_free. Thread: any. Fails: BAD_INPUT if the arguments
 * are not valid (err->where is a JSON Pointer into them), or if the tool is not valid or has no
 * function; TOO_BIG, UNSUPPORTED as haft_tool_schema; NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_tool_try(const haft_tool *tool, const char *arguments,
                                                 haft_reply_kind *ret_kind, char **ret_text,
                                                 haft_error *err);

/* Validates a JSON text against a JSON Schema (2020-12, or draft-07 if $schema says so). If the
 * text is valid, *ret_failures is NULL. Otherwise it has one failure per line, "/limit: Expected
 * integer, found string", worded so that a model can repair its call.
 *
 *     char *failures = NULL;
 *     haft_status status = haft_check_json("{\"type\":\"integer\"}", "\"ten\"", &failures, err);
 *     if (status == HAFT_OK && failures != NULL) {
 *         puts(failures);
 *     }
 *     haft_free(failures);
 *
 * Owns: the caller frees *ret_failures with haft_free. Thread: any. Fails: BAD_INPUT if one of the
 * two is not JSON or `schema` is not a schema (err->where begins with "schema" or "json"),
 * UNSUPPORTED if the schema cannot be compiled, TOO_BIG past a limit, NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_check_json(const char *schema, const char *json,
                                                   char **ret_failures, haft_error *err);

/* ---- runs ----
 *
 * A program starts a run and steps the runtime until the run waits or has ended:
 *
 *     haft_run *run = NULL;
 *     haft_event event;
 *     haft_status status = haft_run_start(agent, "Find the overdue orders", NULL, &run, err);
 *     while (status == HAFT_OK && haft_run_state(run) == HAFT_RUNNING) {
 *         status = haft_runtime_step(runtime, -1, err);
 *         while (haft_run_next_event(run, &event)) {
 *             printf("%.*s\n", HAFT_STR(event.json));
 *         }
 *     }
 *     haft_run_release(run);
 *
 * The library installs no signal handlers. (libuv handles SIGCHLD once a child process is started.)
 */

/* The event loop, the store and the connections of many runs.
 * Owns: the caller of haft_runtime_create destroys it. Thread: the runtime's. Since: 0.1. */
typedef struct haft_runtime haft_runtime;

/* A loaded spec.
 * Owns: the caller of haft_agent_load releases it. Thread: the runtime's. Since: 0.1. */
typedef struct haft_agent haft_agent;

/* One run of an agent.
 * Owns: the caller that started or opened it releases it. Thread: the runtime's. Since: 0.1. */
typedef struct haft_run haft_run;

/* Options of a runtime. Start from HAFT_RUNTIME_OPTIONS_INIT.
 * Owns: nothing; texts are copied. Thread: as its owner. Since: 0.1. */
typedef struct haft_runtime_options {
    size_t struct_size; /* sizeof(haft_runtime_options) */
    const char *store;  /* "memory:" (NULL too), "sqlite:PATH", "postgres://..." */
    const char *guard;  /* path of libexec/haft/guard; NULL: the installed one */
    uint32_t threads;   /* for tools that are C functions, and file searches; 0: the default, 4 */
    uint64_t lease_ms;  /* how long the runtime owns a run without renewing its lease. The runtime
                           stops the run before the lease expires; another process can claim it
                           afterwards. 1,000 to 3,600,000; 0: the default, 30 seconds. Step the
                           runtime more than three times in this period */
} haft_runtime_options;

/* The defaults. Since: 0.1. */
#define HAFT_RUNTIME_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(haft_runtime_options), NULL, NULL, 0, 0                                             \
    }

/* Creates a runtime; `options` may be NULL. The runtime does nothing until it is stepped.
 * Owns: the caller destroys *ret_runtime. Thread: any. Fails: BAD_INPUT for options without
 * struct_size, a lease that is too short or too long, or a database that is not a store;
 * UNSUPPORTED for an unknown kind of store or a store of a later version; IO if the store or the
 * loop cannot be opened; NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_runtime_create(const haft_runtime_options *options,
                                                       haft_runtime **ret_runtime, haft_error *err);

/* Waits for pending writes and for tools' functions to return, then frees the runtime.
 * Owns: it releases runs that were not released, and their pointers become invalid; agents may
 * still be released afterwards. NULL is allowed. Thread: the runtime's, not from inside
 * haft_runtime_step. Fails: never. Since: 0.1. */
HAFT_API void haft_runtime_destroy(haft_runtime *runtime);

/* Runs one step of the event loop: handles what is ready, and if nothing is, waits up to
 * `timeout_ms` (negative: without limit). Runs make progress only in here. Owns: nothing.
 * Thread: the runtime's. Fails: BAD_INPUT for NULL, IO if the system cannot wait, NO_MEMORY. A
 * failure of one run is reported by that run, not here. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_runtime_step(haft_runtime *runtime, int timeout_ms,
                                                     haft_error *err);

/* For another event loop: a descriptor that is readable when the runtime needs a step. It never
 * changes. Owns: nothing; do not close it. Thread: the runtime's. Fails: -1 for NULL.
 * Since: 0.1. */
HAFT_API int haft_runtime_fd(const haft_runtime *runtime);

/* For another event loop: the most milliseconds to wait before the next step; -1: no timer is set.
 * Call it again after each step, and after each call that starts or changes a run. Owns: nothing.
 * Thread: the runtime's. Fails: -1 for NULL. Since: 0.1. */
HAFT_API int haft_runtime_timeout(const haft_runtime *runtime);

/* Adds a tool for agents that are loaded afterwards: one that HAFT_TOOL declares, or one without a
 * function, whose calls clients of the run answer. Owns: texts are copied; `arguments` and
 * `context` must outlive the runtime. Thread: the runtime's. Fails: BAD_INPUT for a name, a table
 * of arguments, a schema or traits that are not valid (err->where names the part), or if a tool of
 * that name was added before; TOO_BIG past a limit; NO_MEMORY. haft_agent_load reports the problems
 * that depend on the spec, such as a tool that has no description here and none in the spec. Since:
 * 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_tool_add(haft_runtime *runtime, const haft_tool *tool,
                                                 haft_error *err);

/* Loads a spec from a YAML or JSON file. Owns: the caller releases *ret_agent. Thread: the
 * runtime's. Fails: IO if the file cannot be read; BAD_INPUT for a problem in the spec or its tools
 * (err->where is the place of the first one, "agent.yaml:3:5"), or if the key of the model is
 * missing; UNSUPPORTED for an unknown model; TOO_BIG past a limit; NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_agent_load(haft_runtime *runtime, const char *path,
                                                   haft_agent **ret_agent, haft_error *err);

/* Releases an agent; its runs continue. Owns: `agent` is invalid afterwards; NULL is allowed.
 * Thread: the runtime's. Fails: never. Since: 0.1. */
HAFT_API void haft_agent_release(haft_agent *agent);

/* Options of a run. Start from HAFT_RUN_OPTIONS_INIT.
 * Owns: nothing; texts are copied. Thread: as its owner. Since: 0.1. */
typedef struct haft_run_options {
    size_t struct_size;   /* sizeof(haft_run_options) */
    const char *thread;   /* the id of a thread, whose earlier runs the model then sees; or NULL. If
                             one of them has not ended, the spec's `multitask` decides: the new run
                             waits for it, stops with BAD_STATE, or cancels it first */
    const char *user;     /* the user the run acts for; or NULL. Tools get it; at most 256 bytes of
                             UTF-8 without control characters */
    bool enqueue;         /* only write it to the store; another process runs it */
    const char *messages; /* the conversation that the run begins with, as JSON; or NULL. A list of
                           *   {"role": "user", "content": TEXT}
                           *   {"role": "assistant", "content": TEXT,
                           *    "calls": [{"id", "name", "arguments": OBJECT}]}
                           *   {"role": "tool", "call": ID, "content": TEXT}
                           * The task follows as the last message; if it is "", the last message of
                           * the user is the task. Not for graphs */
    const char *tools;    /* tools of the client that starts the run, as JSON; or NULL. A list of
                           * {"name", "description", "input_schema"}. They are headless: their calls
                           * wait for haft_run_answer. A name of a tool of the agent is an error */
    const char *traceparent; /* the W3C trace context of the caller, so that the run is a part of
                              * its trace; or NULL. An invalid one is ignored, as W3C requires */
} haft_run_options;

/* The defaults. Since: 0.1. */
#define HAFT_RUN_OPTIONS_INIT                                                                      \
    {                                                                                              \
        sizeof(haft_run_options), NULL, NULL, false, NULL, NULL, NULL                              \
    }

/* Starts a run; haft_runtime_step continues it. `options` may be NULL. Owns: the caller releases
 * *ret_run; `task` is copied. Thread: the runtime's. Fails: BAD_INPUT for a thread that is not an
 * id, a user that is no such name, messages or tools that are not valid (err->where is the place)
 * or options without struct_size, TOO_BIG for a longer name or list, IO if the system has no
 * randomness, NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_run_start(haft_agent *agent, const char *task,
                                                  const haft_run_options *options,
                                                  haft_run **ret_run, haft_error *err);

/* Claims and opens a run of the store, which any process may have started. `run_id` is its id, a
 * prefix of it, or "last". Steps the runtime until the run is open; unless the run is waiting or
 * has ended, later steps continue it. Owns: the caller releases *ret_run. Thread: the runtime's.
 * Fails: NOT_FOUND; BAD_INPUT if several ids have that prefix, or if a function of its graph is
 * missing; BAD_STATE if another process owns the run; IO of the store; NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_run_open(haft_runtime *runtime, const char *run_id,
                                                 haft_run **ret_run, haft_error *err);

/* A durable event (docs/events.md) or a progress event, which is not durable: "model_progress" with
 * the next piece of the reply's "text" or "reasoning", "call_progress", and "model_retry" and
 * "call_retry" before another attempt.
 * Owns: nothing; the run owns the text. Thread: the runtime's. Since: 0.1. */
typedef struct haft_event {
    uint64_t seq;  /* from 1; 0: a progress event */
    haft_str json; /* one object; valid until the next call for the same run, or the next step */
} haft_event;

/* Returns the next event in order; false if there is none at present. Progress events begin with
 * the first call of this function, and are dropped while many events are unread.
 * Owns: nothing. Thread: the runtime's. Fails: false for NULL. Since: 0.1. */
HAFT_API bool haft_run_next_event(haft_run *run, haft_event *ret_event);

/* The state of a run. Since: 0.1. */
typedef enum haft_state {
    HAFT_RUNNING, /* steps of the runtime continue it */
    HAFT_WAITING, /* for an answer, an approval or a client */
    HAFT_ENDED,   /* haft_run_end says how */
    HAFT_STOPPED, /* it cannot continue in this process, because its store failed or another process
                     owns it; see haft_run_error */
} haft_state;

/* Returns the state of a run, as recorded by durable events. Owns: nothing. Thread: the runtime's.
 * Fails: HAFT_STOPPED for NULL. Since: 0.1. */
HAFT_API haft_state haft_run_state(const haft_run *run);

/* Returns the id of a run, 26 characters; "" before it is known. Owns: nothing; valid as long as
 * the run. Thread: the runtime's. Fails: "" for NULL. Since: 0.1. */
HAFT_API const char *haft_run_id(const haft_run *run);

/* Returns how a run ended: "done", "failed" ...; "waiting" before it has ended. Owns: nothing; the
 * text is static. Thread: the runtime's. Fails: "waiting" for NULL. Since: 0.1. */
HAFT_API const char *haft_run_end(const haft_run *run);

/* Returns the answer of a run; empty before it has ended. Owns: nothing; valid as long as the run.
 * Thread: the runtime's. Fails: empty for NULL. Since: 0.1. */
HAFT_API haft_str haft_run_answer_text(const haft_run *run);

/* Returns the result of a run as one JSON object, the output of `haft run --json`: `end`, `answer`,
 * `reason`, `error`, and in `pending` the calls that wait for an answer, also those of runs below
 * it. Before the run has ended, `end` is its state. If child runs have not ended, this reads the
 * store and steps the runtime, so it must not be called from a callback. Owns: the caller frees
 * *ret_json with haft_free. Thread: the runtime's. Fails: BAD_INPUT for NULL; IO of the store;
 * NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_run_result(haft_run *run, char **ret_json, haft_error *err);

/* Returns why a run is HAFT_STOPPED; in other states the status of the error is HAFT_OK.
 * Owns: nothing; never NULL, valid as long as the run. Thread: the runtime's. Fails: for NULL, an
 * error that says so. Since: 0.1. */
HAFT_API const haft_error *haft_run_error(const haft_run *run);

/* Answers a question or a headless call, gives the result of a call that needs approval in place of
 * its tool, or gives the result of a call whose outcome is unknown. `call_id` may be NULL if only
 * one call is pending; the path "c3.1/c1.2" is the call c1.2 of the child run that the call c3.1
 * started. For a child run this reads the store and steps the runtime, so it must not
 * be called from a callback. `json` is the value. Repeating the same answer is allowed. Owns: texts
 * are copied. Thread: the runtime's. Fails: BAD_INPUT if `json` is not JSON, or if several calls
 * are pending and `call_id` is NULL; NOT_FOUND if the run has no such call, or no run has the path;
 * BAD_STATE if the call is not pending, has another answer already, or the run has ended; the
 * status of haft_run_error if the run is HAFT_STOPPED; IO of the store; NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_run_answer(haft_run *run, const char *call_id,
                                                   const char *json, haft_error *err);

/* Approves a call; `args_json` may be NULL, or replace its arguments. If the outcome of the call is
 * unknown, this runs it again, unless it was approved before. Repeating an approval has no effect,
 * even if the call has started and was interrupted. Owns: texts are copied. Thread: the runtime's.
 * Fails: like haft_run_answer; BAD_INPUT for arguments that are not valid for the tool, or that
 * contain a secret. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_run_approve(haft_run *run, const char *call_id,
                                                    const char *args_json, haft_error *err);

/* Repeats a call whose outcome is unknown, with its arguments. If the call was approved before,
 * this is the only way to run it again. Owns: texts are copied. Thread: the runtime's. Fails: like
 * haft_run_answer. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_run_again(haft_run *run, const char *call_id,
                                                  haft_error *err);

/* Rejects a call; the model reads `why`, which may be NULL. Owns: texts are copied.
 * Thread: the runtime's. Fails: like haft_run_answer. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_run_reject(haft_run *run, const char *call_id,
                                                   const char *why, haft_error *err);

/* Cancels the run and everything it has started. Repeating it is allowed. Owns: nothing; the caller
 * still releases the run. Thread: the runtime's. Fails: BAD_STATE if the run has already ended and
 * was not cancelled; the status of haft_run_error if the run is HAFT_STOPPED; NO_MEMORY. Since:
 * 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_run_cancel(haft_run *run, haft_error *err);

/* Releases the run: stops its work in this process. In a durable store, any process can open it
 * again. Owns: `run` and its texts are invalid afterwards; NULL is allowed. Thread: the runtime's.
 * Fails: never. Since: 0.1. */
HAFT_API void haft_run_release(haft_run *run);

/* ---- calls without callbacks ----
 *
 * For programs whose language or loop makes callbacks difficult. A tool with HAFT_QUEUED has no
 * function: its calls wait in a queue of the runtime. The program takes them after each step,
 * performs them, now or later, in any order, on any thread, and ends each with its reply:
 *
 *     haft_call *next = NULL;
 *     while ((next = haft_runtime_next_call(runtime)) != NULL) {
 *         const haft_call_facts *facts = haft_call_info(next);
 *         printf("%s %.*s\n", facts->tool, HAFT_STR(facts->arguments));
 *         if (haft_call_finish(next, HAFT_REPLY_JSON, "{\"found\":3}", err) != HAFT_OK) {
 *             break;
 *         }
 *     }
 *
 * Limits, timeouts, retries, approvals and records are those of any other tool.
 */

/* Takes the next call of a tool with HAFT_QUEUED from the queue; NULL if there is none at present.
 * The program performs it and calls haft_call_finish, also if haft_cancelled has become true: the
 * call was cancelled, it timed out, or its run or runtime was released. At most
 * `exec.unfinished` cancelled calls can be open; until one is finished, no call starts. Owns: the
 * caller finishes the call, which stays valid until then. Thread: the runtime's. Fails: NULL for
 * NULL. Since: 0.1. */
HAFT_API haft_call *haft_runtime_next_call(haft_runtime *runtime);

/* Ends a call that haft_runtime_next_call returned. This wakes haft_runtime_step in another thread.
 * The reply of a cancelled call is dropped. Owns: `text` is copied; `call` is invalid afterwards,
 * unless this fails: then it can be finished with another reply. Thread: the call's. Fails:
 * BAD_INPUT for NULL, an unknown kind, or a text that is not what the kind says (err->where is the
 * place in it); TOO_BIG for a text that is too long; BAD_STATE for a call of a function;
 * NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_call_finish(haft_call *call, haft_reply_kind kind,
                                                    const char *text, haft_error *err);

/* ---- graphs ----
 *
 * Functions of a program as nodes of a graph (`function: NAME`) and as reducers of its channels
 * (`reducer: custom:NAME`). docs/graphs.md describes graphs.
 */

/* The input of a node's function. A worker of a map or a send sees what it was sent, any other
 * node the channels of the graph, or those that its `input` names. Owns: nothing; the call owns it
 * all. Thread: the call's. Since: 0.1. */
typedef struct haft_graph_view {
    size_t struct_size;       /* set by the library; fields past it are missing */
    haft_str json;            /* an object: the channels, and under "$" the facts that follow */
    const char *node;         /* its name */
    uint32_t step;            /* from 1 */
    uint32_t remaining_steps; /* after this one; 0: the last that can end well */
    uint32_t attempt;         /* of the node in this step, from 1; see `retry` */
} haft_graph_view;

/* The function of a node. It replies with haft_reply_command to write channels and to choose what
 * follows; with haft_reply_json or haft_replyf if the node has `out`; with haft_reply_error if the
 * node has failed. haft_call_info and haft_cancelled describe the call, as in a tool. Owns:
 * nothing; call and view are valid until it returns. Thread: any; several may run at the same time.
 * With HAFT_COST_FREE it runs on the thread that steps the runtime, and must not call functions of
 * the runtime or its runs. Fails: with haft_reply_error. Since: 0.1. */
typedef haft_reply haft_graph_function(haft_call *call, const haft_graph_view *view);

/* Adds a function for nodes with `function: name`, in agents that are loaded afterwards. `traits`
 * are HAFT_READ_ONLY, HAFT_IDEMPOTENT, HAFT_DESTRUCTIVE, HAFT_NEEDS_APPROVAL and one cost: if it
 * can be repeated, an interrupted call runs again; else its outcome is unknown. `context` is
 * haft_call_info(call)->context. With HAFT_QUEUED, `run` is NULL: haft_runtime_next_call returns
 * the calls, and their arguments are haft_graph_view.json. Owns: `name` is copied; `context` must
 * outlive the runtime. Thread: the runtime's. Fails: BAD_INPUT for NULL, for a name or traits that
 * are not valid (err->where names the part), or if a function of that name was added before;
 * NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_graph_function_add(haft_runtime *runtime, const char *name,
                                                           haft_graph_function *run, void *context,
                                                           uint32_t traits, haft_error *err);

/* The reducer of a channel: the value after an update, from the value before it. Both are JSON;
 * value.ptr is NULL if the channel has no value yet. It replies with haft_reply_json, or with
 * haft_replyf for a string. It must depend on nothing else: haft records what it returns, and calls
 * it again only if that was not recorded. Its error fails the node that wrote the update. The input
 * of a run sets the channel without it. Owns: nothing; the texts are valid until it returns.
 * Thread: any; several may run at the same time. Fails: with haft_reply_error. Since: 0.1. */
typedef haft_reply haft_graph_reducer(haft_call *call, haft_str value, haft_str update);

/* Adds a reducer for channels with `reducer: custom:name`, in agents that are loaded afterwards.
 * `context` is haft_call_info(call)->context. Owns: `name` is copied; `context` must outlive the
 * runtime. Thread: the runtime's. Fails: BAD_INPUT for NULL, for a name that is not valid, or if a
 * reducer of that name was added before; NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_graph_reducer_add(haft_runtime *runtime, const char *name,
                                                          haft_graph_reducer *reduce, void *context,
                                                          haft_error *err);

/* A graph that a program builds:
 *
 *     haft_graph *graph = NULL;
 *     haft_agent *built = NULL;
 *     haft_status done = haft_graph_create("greeting", &graph, err);
 *     haft_graph_channel(graph, "who", NULL);
 *     haft_graph_channel(graph, "text", NULL);
 *     haft_graph_node(graph, "greet", "{\"do\":[{\"text\":{\"text\":\"Hello {/who}!\"}}]}");
 *     haft_graph_edge(graph, "start", "greet");
 *     haft_graph_set(graph, "/graph/input", "[\"who\"]");
 *     haft_graph_set(graph, "/graph/output", "\"/text\"");
 *     if (done == HAFT_OK) {
 *         done = haft_graph_agent(runtime, graph, &built, err);
 *     }
 *     haft_graph_destroy(graph);
 *     haft_agent_release(built);
 *
 * The functions that add a part return nothing: the first problem is kept, and haft_graph_agent
 * reports it. They do nothing if the graph is NULL.
 * Owns: the caller of haft_graph_create destroys it. Thread: one at a time. Since: 0.1. */
typedef struct haft_graph haft_graph;

/* Creates an empty graph. Owns: the caller destroys *ret_graph; `name` is copied. Thread: any.
 * Fails: BAD_INPUT for NULL, NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_graph_create(const char *name, haft_graph **ret_graph,
                                                     haft_error *err);

/* Adds a channel. `json` is its description, such as "{\"reducer\":\"append\"}"; NULL: {}.
 * Owns: texts are copied. Thread: that of the graph. Fails: never; see haft_graph. Since: 0.1. */
HAFT_API void haft_graph_channel(haft_graph *graph, const char *name, const char *json);

/* Adds a node of any kind. `json` is its description, such as "{\"ask\":\"Send it?\"}".
 * Owns: texts are copied. Thread: that of the graph. Fails: never; see haft_graph. Since: 0.1. */
HAFT_API void haft_graph_node(haft_graph *graph, const char *name, const char *json);

/* Adds a node that runs a function, which haft_graph_function_add has added. Owns: texts are
 * copied. Thread: that of the graph. Fails: never; see haft_graph. Since: 0.1. */
HAFT_API void haft_graph_node_function(haft_graph *graph, const char *name, const char *function);

/* Adds a node that calls a tool. `args` are its arguments, each a JSON Pointer into the state or
 * {"value": JSON}; `out` says which channels get the result. Both may be NULL. Owns: texts are
 * copied. Thread: that of the graph. Fails: never; see haft_graph. Since: 0.1. */
HAFT_API void haft_graph_node_tool(haft_graph *graph, const char *name, const char *tool,
                                   const char *args, const char *out);

/* Adds an edge: `to` follows `from`. "start" and "end" are no nodes. Owns: texts are copied.
 * Thread: that of the graph. Fails: never; see haft_graph. Since: 0.1. */
HAFT_API void haft_graph_edge(haft_graph *graph, const char *from, const char *to);

/* Adds an edge with a condition: `to` follows `from` if the value at the JSON Pointer `at` compares
 * with `value`, which is JSON; else `otherwise` follows. `op` is an operator of conditions: "eq",
 * "lt" ... Owns: texts are copied. Thread: that of the graph. Fails: never; see haft_graph.
 * Since: 0.1. */
HAFT_API void haft_graph_edge_if(haft_graph *graph, const char *from, const char *at,
                                 const char *op, const char *value, const char *to,
                                 const char *otherwise);

/* Adds an edge of any kind, such as "{\"from\":[\"a\",\"b\"],\"to\":\"c\"}". Owns: texts are
 * copied. Thread: that of the graph. Fails: never; see haft_graph. Since: 0.1. */
HAFT_API void haft_graph_edge_json(haft_graph *graph, const char *json);

/* Sets any other part of the spec by its JSON Pointer: "/graph/output", "/graph/recursion_limit",
 * "/model", "/limits". Owns: texts are copied. Thread: that of the graph. Fails: never; see
 * haft_graph. Since: 0.1. */
HAFT_API void haft_graph_set(haft_graph *graph, const char *pointer, const char *json);

/* Checks the graph as haft_agent_load checks one of a file, and makes an agent of it; the graph can
 * still be used. Functions and tools must have been added to the runtime. Owns: the caller releases
 * *ret_agent. Thread: the runtime's. Fails: with the first problem of the functions above; like
 * haft_agent_load, but err->where is a JSON Pointer into the spec, "/graph/nodes/greet"; BAD_INPUT
 * for NULL, NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_graph_agent(haft_runtime *runtime, haft_graph *graph,
                                                    haft_agent **ret_agent, haft_error *err);

/* Destroys a graph; its agents stay. Owns: `graph` is invalid afterwards; NULL is allowed.
 * Thread: that of the graph. Fails: never. Since: 0.1. */
HAFT_API void haft_graph_destroy(haft_graph *graph);

#ifdef __cplusplus
}
#endif

/* ---- declaring a tool ----
 *
 * HAFT_TOOL declares a tool and begins its function:
 *
 *     HAFT_TOOL(search_database, "Search the customer database for records matching the query.",
 *               HAFT_STRING(query, "Search terms to look for"),
 *               HAFT_INTEGER_OR(limit, 10, "Maximum number of results"))
 *     {
 *         return haft_replyf(call, "Found %lld results for '%.*s'", args->limit,
 *                            HAFT_STR(args->query));
 *     }
 *
 * It must be at file scope. The objects that it declares are static and const; any thread may use
 * them.
 */

/* HAFT_TOOL(name, description, fields...) declares the struct `name_args`, the tool `name_tool` (a
 * static const haft_tool) and the head of the tool's function. In the function, `call` is the
 * haft_call * and `args` points to the arguments. They are validated against the schema of the
 * fields, have their defaults filled in, and are valid as long as the call. A tool has 0 to 16
 * fields; put further ones into an object. Since: 0.1. */
#define HAFT_TOOL(...) HAFT_DECLARE_TOOL(0, __VA_ARGS__)

/* Like HAFT_TOOL, with traits: HAFT_TOOL_WITH(HAFT_READ_ONLY | HAFT_COST_FREE, name, ...).
 * Since: 0.1. */
#define HAFT_TOOL_WITH(traits, ...) HAFT_DECLARE_TOOL(traits, __VA_ARGS__)

/* Declares a struct for HAFT_NESTED. It must be at file scope and ends with a semicolon:
 *
 *     HAFT_OBJECT(address, HAFT_STRING(street, "With the number"), HAFT_STRING(city, "Its name"));
 *
 * This declares the type `address` and the static const haft_object `address_object`. Since: 0.1.
 */
#define HAFT_OBJECT(...)                                                                           \
    HAFT_DECLARE_PICK(HAFT_DECLARE_OBJECT_, HAFT_DECLARE_COUNT(~, __VA_ARGS__), __VA_ARGS__, ~)

/* Required fields. The model reads the description: say what the value means, and give an example
 * if that helps. Since: 0.1. */
#define HAFT_STRING(name, description)                                                             \
    HAFT_DECLARE_PLAIN(haft_str, name, description, STRING, REQUIRED, false)
#define HAFT_INTEGER(name, description)                                                            \
    HAFT_DECLARE_PLAIN(long long, name, description, INTEGER, REQUIRED, false)
#define HAFT_NUMBER(name, description)                                                             \
    HAFT_DECLARE_PLAIN(double, name, description, NUMBER, REQUIRED, false)
#define HAFT_BOOLEAN(name, description)                                                            \
    HAFT_DECLARE_PLAIN(bool, name, description, BOOLEAN, REQUIRED, false)
#define HAFT_ENUM(name, description, ...)                                                          \
    HAFT_DECLARE_ENUM(haft_str, name, description, REQUIRED, false, __VA_ARGS__)
#define HAFT_NESTED(name, object_type, description)                                                \
    HAFT_DECLARE_NESTED(object_type, name, description, REQUIRED, false, object_type)

/* Required fields that are lists. Their types are haft_strings, haft_integers and so on; a list of
 * objects has the type struct {const object_type *items; size_t count;}. Since: 0.1. */
#define HAFT_STRINGS(name, description)                                                            \
    HAFT_DECLARE_PLAIN(haft_strings, name, description, STRING, REQUIRED, true)
#define HAFT_INTEGERS(name, description)                                                           \
    HAFT_DECLARE_PLAIN(haft_integers, name, description, INTEGER, REQUIRED, true)
#define HAFT_NUMBERS(name, description)                                                            \
    HAFT_DECLARE_PLAIN(haft_numbers, name, description, NUMBER, REQUIRED, true)
#define HAFT_BOOLEANS(name, description)                                                           \
    HAFT_DECLARE_PLAIN(haft_booleans, name, description, BOOLEAN, REQUIRED, true)
#define HAFT_ENUMS(name, description, ...)                                                         \
    HAFT_DECLARE_ENUM(haft_strings, name, description, REQUIRED, true, __VA_ARGS__)
#define HAFT_NESTED_LIST(name, object_type, description)                                           \
    HAFT_DECLARE_NESTED(HAFT_DECLARE_LIST(object_type), name, description, REQUIRED, true,         \
                        object_type)

/* Fields that may be left out, with a default. Since: 0.1. */
#define HAFT_STRING_OR(name, value, description)                                                   \
    (haft_str, name, #name, description, HAFT_FIELD_STRING, HAFT_FIELD_DEFAULT, false,             \
     (value, 0, 0, false),                                                                         \
     (HAFT_DECLARE_IS_TEXT(value), "HAFT_STRING_OR(" #name "): the default must be a string"),     \
     (NULL), NULL)
#define HAFT_INTEGER_OR(name, value, description)                                                  \
    (long long, name, #name, description, HAFT_FIELD_INTEGER, HAFT_FIELD_DEFAULT, false,           \
     (NULL, value, 0, false),                                                                      \
     (HAFT_DECLARE_IS_INTEGER(value),                                                              \
      "HAFT_INTEGER_OR(" #name "): the default must be an integer"),                               \
     (NULL), NULL)
#define HAFT_NUMBER_OR(name, value, description)                                                   \
    (double, name, #name, description, HAFT_FIELD_NUMBER, HAFT_FIELD_DEFAULT, false,               \
     (NULL, 0, value, false),                                                                      \
     (HAFT_DECLARE_IS_NUMBER(value), "HAFT_NUMBER_OR(" #name "): the default must be a number"),   \
     (NULL), NULL)
#define HAFT_BOOLEAN_OR(name, value, description)                                                  \
    (bool, name, #name, description, HAFT_FIELD_BOOLEAN, HAFT_FIELD_DEFAULT, false,                \
     (NULL, 0, 0, value),                                                                          \
     (HAFT_DECLARE_IS_BOOLEAN(value),                                                              \
      "HAFT_BOOLEAN_OR(" #name "): the default must be true or false"),                            \
     (NULL), NULL)
#define HAFT_ENUM_OR(name, value, description, ...)                                                \
    (haft_str, name, #name, description, HAFT_FIELD_ENUM, HAFT_FIELD_DEFAULT, false,               \
     (value, 0, 0, false),                                                                         \
     (HAFT_DECLARE_IS_TEXT(value),                                                                 \
      "HAFT_ENUM_OR(" #name "): the default must be one of its strings"),                          \
     (__VA_ARGS__, NULL), NULL)

/* Fields that may be left out, without a default; see haft_field_need. Since: 0.1. */
#define HAFT_OPTIONAL_STRING(name, description)                                                    \
    HAFT_DECLARE_PLAIN(haft_str, name, description, STRING, OPTIONAL, false)
#define HAFT_OPTIONAL_INTEGER(name, description)                                                   \
    HAFT_DECLARE_PLAIN(haft_maybe_integer, name, description, INTEGER, OPTIONAL, false)
#define HAFT_OPTIONAL_NUMBER(name, description)                                                    \
    HAFT_DECLARE_PLAIN(haft_maybe_number, name, description, NUMBER, OPTIONAL, false)
#define HAFT_OPTIONAL_BOOLEAN(name, description)                                                   \
    HAFT_DECLARE_PLAIN(haft_maybe_boolean, name, description, BOOLEAN, OPTIONAL, false)
#define HAFT_OPTIONAL_ENUM(name, description, ...)                                                 \
    HAFT_DECLARE_ENUM(haft_str, name, description, OPTIONAL, false, __VA_ARGS__)
#define HAFT_OPTIONAL_NESTED(name, object_type, description)                                       \
    HAFT_DECLARE_NESTED(const object_type *, name, description, OPTIONAL, false, object_type)
#define HAFT_OPTIONAL_STRINGS(name, description)                                                   \
    HAFT_DECLARE_PLAIN(haft_strings, name, description, STRING, OPTIONAL, true)
#define HAFT_OPTIONAL_INTEGERS(name, description)                                                  \
    HAFT_DECLARE_PLAIN(haft_integers, name, description, INTEGER, OPTIONAL, true)
#define HAFT_OPTIONAL_NUMBERS(name, description)                                                   \
    HAFT_DECLARE_PLAIN(haft_numbers, name, description, NUMBER, OPTIONAL, true)
#define HAFT_OPTIONAL_BOOLEANS(name, description)                                                  \
    HAFT_DECLARE_PLAIN(haft_booleans, name, description, BOOLEAN, OPTIONAL, true)
#define HAFT_OPTIONAL_ENUMS(name, description, ...)                                                \
    HAFT_DECLARE_ENUM(haft_strings, name, description, OPTIONAL, true, __VA_ARGS__)
#define HAFT_OPTIONAL_NESTED_LIST(name, object_type, description)                                  \
    HAFT_DECLARE_NESTED(HAFT_DECLARE_LIST(object_type), name, description, OPTIONAL, true,         \
                        object_type)

/* ---- how the declarations are made; nothing below is for use by itself ----
 *
 * A field is a group: (type of the member, its name, the same as text, description, type, need,
 * list, (defaults), (assertion), (choices, NULL), object). HAFT_DECLARE_EACH_n hands the groups one
 * by one to a macro: members of the struct, lists of choices, rows of the table. */

#define HAFT_DECLARE_PLAIN(c_type, name, description, type, need, list)                            \
    (c_type, name, #name, description, HAFT_FIELD_##type, HAFT_FIELD_##need, list,                 \
     (NULL, 0, 0, false), (1, ""), (NULL), NULL)
#define HAFT_DECLARE_ENUM(c_type, name, description, need, list, ...)                              \
    (c_type, name, #name, description, HAFT_FIELD_ENUM, HAFT_FIELD_##need, list,                   \
     (NULL, 0, 0, false), (1, ""), (__VA_ARGS__, NULL), NULL)
#define HAFT_DECLARE_NESTED(c_type, name, description, need, list, object_type)                    \
    (c_type, name, #name, description, HAFT_FIELD_OBJECT, HAFT_FIELD_##need, list,                 \
     (NULL, 0, 0, false), (1, ""), (NULL), &object_type##_object)
#define HAFT_DECLARE_LIST(object_type)                                                             \
    struct {                                                                                       \
        const object_type *items;                                                                  \
        size_t count;                                                                              \
    }

#ifdef __cplusplus
#define HAFT_DECLARE_ASSERT         static_assert
#define HAFT_DECLARE_IS_TEXT(it)    (std::is_convertible<decltype(it), const char *>::value)
#define HAFT_DECLARE_IS_INTEGER(it) (std::is_integral<decltype(it)>::value)
#define HAFT_DECLARE_IS_NUMBER(it)  (std::is_arithmetic<decltype(it)>::value)
#define HAFT_DECLARE_IS_BOOLEAN(it) (std::is_same<decltype(it), bool>::value)
#else
#define HAFT_DECLARE_ASSERT      _Static_assert
#define HAFT_DECLARE_IS_TEXT(it) _Generic((it), char * : 1, const char * : 1, default : 0)
#define HAFT_DECLARE_IS_INTEGER(it)                                                                \
    _Generic((it), char : 1, signed char : 1, unsigned char : 1, short : 1, unsigned short : 1,    \
             int : 1, unsigned : 1, long : 1, unsigned long : 1, long long : 1,                    \
             unsigned long long : 1, default : 0)
#define HAFT_DECLARE_IS_NUMBER(it)                                                                 \
    _Generic((it), float : 1, double : 1, default : HAFT_DECLARE_IS_INTEGER(it))
#define HAFT_DECLARE_IS_BOOLEAN(it) _Generic((it), bool : 1, int : 1, default : 0)
#endif

/* Member, choices and row of one field. */
#define HAFT_DECLARE_MEMBER(owner, c_type, name, text, description, type, need, list, defaults,    \
                            assertion, choices, object)                                            \
    c_type name;                                                                                   \
    HAFT_DECLARE_ASSERT assertion;
#define HAFT_DECLARE_CHOICES(owner, c_type, name, text, description, type, need, list, defaults,   \
                             assertion, choices, object)                                           \
    static const char *const owner##_##name##_choices[] = {HAFT_DECLARE_UNPACK choices};
#define HAFT_DECLARE_ROW(owner, c_type, name, text, description, type, need, list, defaults,       \
                         assertion, choices, object)                                               \
    {text,                                                                                         \
     description,                                                                                  \
     offsetof(owner, name),                                                                        \
     owner##_##name##_choices,                                                                     \
     object,                                                                                       \
     type,                                                                                         \
     need,                                                                                         \
     HAFT_DECLARE_UNPACK defaults,                                                                 \
     list},

/* The same without fields: a struct needs a member; the row is not counted. */
#define HAFT_DECLARE_MEMBER_NONE char haft_none;
#define HAFT_DECLARE_CHOICES_NONE
#define HAFT_DECLARE_ROW_NONE                                                                      \
    {NULL, NULL, 0, NULL, NULL, HAFT_FIELD_STRING, HAFT_FIELD_OPTIONAL, NULL, 0, 0, false, false},

/* The struct `type`, the table of its fields and `type`_object. */
#define HAFT_DECLARE_STRUCT(fields, type, ...)                                                     \
    typedef struct type {                                                                          \
        HAFT_DECLARE_EACH_##fields(HAFT_DECLARE_MEMBER, type, __VA_ARGS__)                         \
    } type;                                                                                        \
    HAFT_DECLARE_EACH_##fields(HAFT_DECLARE_CHOICES, type, __VA_ARGS__)                            \
        HAFT_DECLARE_TABLE(type, HAFT_DECLARE_EACH_##fields(HAFT_DECLARE_ROW, type, __VA_ARGS__)); \
    static const haft_object type##_object = {sizeof(haft_object), sizeof(type), type##_fields,    \
                                              fields, sizeof(haft_field)}
#define HAFT_DECLARE_TABLE(type, ...) static const haft_field type##_fields[] = {__VA_ARGS__}

#define HAFT_DECLARE_OBJECT_OK(fields, type, ...) HAFT_DECLARE_STRUCT(fields, type, __VA_ARGS__)
#define HAFT_DECLARE_OBJECT_MANY(fields, type, ...)                                                \
    HAFT_DECLARE_ASSERT(0, "HAFT_OBJECT(" #type "): an object has at most 16 fields; put some of " \
                           "them into an object of their own and use HAFT_NESTED")

#define HAFT_DECLARE_TOOL(traits, ...)                                                             \
    HAFT_DECLARE_PICK(HAFT_DECLARE_TOOL_, HAFT_DECLARE_COUNT(__VA_ARGS__), traits, __VA_ARGS__, ~)
#define HAFT_DECLARE_TOOL_OK(fields, flags, tool, about, ...)                                      \
    HAFT_DECLARE_STRUCT(fields, tool##_args, __VA_ARGS__);                                         \
    static haft_reply tool##_body(haft_call *call, const tool##_args *args);                       \
    static haft_reply tool##_run(haft_call *call, const void *args)                                \
    {                                                                                              \
        return tool##_body(call, (const tool##_args *)args);                                       \
    }                                                                                              \
    static const haft_tool tool##_tool = {sizeof(haft_tool),                                       \
                                          #tool,                                                   \
                                          about,                                                   \
                                          &tool##_args_object,                                     \
                                          NULL,                                                    \
                                          NULL,                                                    \
                                          tool##_run,                                              \
                                          NULL,                                                    \
                                          flags,                                                   \
                                          0,                                                       \
                                          0,                                                       \
                                          0,                                                       \
                                          NULL};                                                   \
    HAFT_DECLARE_HEAD(tool)
#define HAFT_DECLARE_TOOL_FEW(fields, flags, tool, ...)                                            \
    HAFT_DECLARE_ASSERT(0, "HAFT_TOOL(" #tool "): a tool needs a description");                    \
    typedef struct haft_call tool##_args;                                                          \
    HAFT_DECLARE_HEAD(tool)
#define HAFT_DECLARE_TOOL_MANY(fields, flags, tool, ...)                                           \
    HAFT_DECLARE_ASSERT(0, "HAFT_TOOL(" #tool "): a tool has at most 16 fields; put some of them " \
                           "into a HAFT_OBJECT and use HAFT_NESTED");                              \
    typedef struct haft_call tool##_args;                                                          \
    HAFT_DECLARE_HEAD(tool)
#define HAFT_DECLARE_HEAD(tool)                                                                    \
    static haft_reply tool##_body(HAFT_MAYBE_UNUSED haft_call *call,                               \
                                  HAFT_MAYBE_UNUSED const tool##_args *args)

/* PICK(prefix, (verdict, count), ...) is prefix##verdict(count, ...). */
#define HAFT_DECLARE_PICK(prefix, counted, ...)                                                    \
    HAFT_DECLARE_PICK_1(prefix, HAFT_DECLARE_UNPACK counted, __VA_ARGS__)
#define HAFT_DECLARE_PICK_1(prefix, ...)                 HAFT_DECLARE_PICK_2(prefix, __VA_ARGS__)
#define HAFT_DECLARE_PICK_2(prefix, verdict, count, ...) prefix##verdict(count, __VA_ARGS__)
#define HAFT_DECLARE_UNPACK(...)                         __VA_ARGS__
#define HAFT_DECLARE_CALL(macro, arguments)              macro arguments
#define HAFT_DECLARE_ONE(macro, owner, field)                                                      \
    HAFT_DECLARE_CALL(macro, (owner, HAFT_DECLARE_UNPACK field))

/* The number of fields after two other arguments: (OK, n), (FEW, 0) or (MANY, 0). */
#define HAFT_DECLARE_COUNT(...)                                                                    \
    HAFT_DECLARE_LAST_OF_41(                                                                       \
        __VA_ARGS__, (MANY, 0), (MANY, 0), (MANY, 0), (MANY, 0), (MANY, 0), (MANY, 0), (MANY, 0),  \
        (MANY, 0), (MANY, 0), (MANY, 0), (MANY, 0), (MANY, 0), (MANY, 0), (MANY, 0), (MANY, 0),    \
        (MANY, 0), (MANY, 0), (MANY, 0), (MANY, 0), (MANY, 0), (MANY, 0), (MANY, 0), (OK, 16),     \
        (OK, 15), (OK, 14), (OK, 13), (OK, 12), (OK, 11), (OK, 10), (OK, 9), (OK, 8), (OK, 7),     \
        (OK, 6), (OK, 5), (OK, 4), (OK, 3), (OK, 2), (OK, 1), (OK, 0), (FEW, 0), ~)
#define HAFT_DECLARE_LAST_OF_41(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15,  \
                                a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28,   \
                                a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, last,  \
                                ...)                                                               \
    last

#define HAFT_DECLARE_EACH_0(macro, owner, ...)        macro##_NONE
#define HAFT_DECLARE_EACH_1(macro, owner, field, ...) HAFT_DECLARE_ONE(macro, owner, field)
#define HAFT_DECLARE_EACH_2(macro, owner, field, ...)                                              \
    HAFT_DECLARE_ONE(macro, owner, field) HAFT_DECLARE_EACH_1(macro, owner, __VA_ARGS__)
#define HAFT_DECLARE_EACH_3(macro, owner, field, ...)                                              \
    HAFT_DECLARE_ONE(macro, owner, field) HAFT_DECLARE_EACH_2(macro, owner, __VA_ARGS__)
#define HAFT_DECLARE_EACH_4(macro, owner, field, ...)                                              \
    HAFT_DECLARE_ONE(macro, owner, field) HAFT_DECLARE_EACH_3(macro, owner, __VA_ARGS__)
#define HAFT_DECLARE_EACH_5(macro, owner, field, ...)                                              \
    HAFT_DECLARE_ONE(macro, owner, field) HAFT_DECLARE_EACH_4(macro, owner, __VA_ARGS__)
#define HAFT_DECLARE_EACH_6(macro, owner, field, ...)                                              \
    HAFT_DECLARE_ONE(macro, owner, field) HAFT_DECLARE_EACH_5(macro, owner, __VA_ARGS__)
#define HAFT_DECLARE_EACH_7(macro, owner, field, ...)                                              \
    HAFT_DECLARE_ONE(macro, owner, field) HAFT_DECLARE_EACH_6(macro, owner, __VA_ARGS__)
#define HAFT_DECLARE_EACH_8(macro, owner, field, ...)                                              \
    HAFT_DECLARE_ONE(macro, owner, field) HAFT_DECLARE_EACH_7(macro, owner, __VA_ARGS__)
#define HAFT_DECLARE_EACH_9(macro, owner, field, ...)                                              \
    HAFT_DECLARE_ONE(macro, owner, field) HAFT_DECLARE_EACH_8(macro, owner, __VA_ARGS__)
#define HAFT_DECLARE_EACH_10(macro, owner, field, ...)                                             \
    HAFT_DECLARE_ONE(macro, owner, field) HAFT_DECLARE_EACH_9(macro, owner, __VA_ARGS__)
#define HAFT_DECLARE_EACH_11(macro, owner, field, ...)                                             \
    HAFT_DECLARE_ONE(macro, owner, field) HAFT_DECLARE_EACH_10(macro, owner, __VA_ARGS__)
#define HAFT_DECLARE_EACH_12(macro, owner, field, ...)                                             \
    HAFT_DECLARE_ONE(macro, owner, field) HAFT_DECLARE_EACH_11(macro, owner, __VA_ARGS__)
#define HAFT_DECLARE_EACH_13(macro, owner, field, ...)                                             \
    HAFT_DECLARE_ONE(macro, owner, field) HAFT_DECLARE_EACH_12(macro, owner, __VA_ARGS__)
#define HAFT_DECLARE_EACH_14(macro, owner, field, ...)                                             \
    HAFT_DECLARE_ONE(macro, owner, field) HAFT_DECLARE_EACH_13(macro, owner, __VA_ARGS__)
#define HAFT_DECLARE_EACH_15(macro, owner, field, ...)                                             \
    HAFT_DECLARE_ONE(macro, owner, field) HAFT_DECLARE_EACH_14(macro, owner, __VA_ARGS__)
#define HAFT_DECLARE_EACH_16(macro, owner, field, ...)                                             \
    HAFT_DECLARE_ONE(macro, owner, field) HAFT_DECLARE_EACH_15(macro, owner, __VA_ARGS__)

#endif
