/* SPDX-License-Identifier: Apache-2.0 */
/*
 * haft.h - the one public header of haft, a tool-calling runtime for language-model agents.
 *
 * Each declaration says, in these words:
 *   Owns:   who gives what back; what is copied, what is only borrowed, and for how long.
 *   Thread: "any" - from any thread at any time; "the runtime's" - a runtime and everything that
 *           was made with it are used by one thread at a time, no matter which; "the call's" - the
 *           thread that the tool's function runs on; "as its owner" - it is plain data.
 *   Fails:  the statuses it returns, and why. HAFT_OK is not named.
 *   Since:  the version that had it first.
 * And always:
 *   - A returned pointer is borrowed from its parent; a pointer handed out through a `ret_`
 *     parameter is the caller's. `ret_` parameters are written on success only.
 *   - `haft_error *err` comes last and may be NULL. Another pointer that must not be NULL and is
 *     gives BAD_INPUT, from a function that returns a status; a `haft_call *` is never NULL.
 *   - Text is UTF-8. A `haft_str` has a length and no terminating NUL; a `const char *` has one.
 *   - Structs that programs fill in begin with struct_size and have an ..._INIT: they grow at their
 *     end, and a program that was built with another version has fewer or more fields. All others
 *     stay as they are for as long as the library is libhaft.so.0.
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

/* Marks of declarations, for the compilers that know them. Since: 0.1. */
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

/* Every way a function can fail: name and meaning. Values are stable; new ones go to the end.
 * Since: 0.1. */
#define HAFT_STATUS_MAP(X)                                                                         \
    X(OK, "success")                                                                               \
    X(NO_MEMORY, "out of memory")                                                                  \
    X(BAD_INPUT, "the input is not valid")                                                         \
    X(BAD_STATE, "this cannot be done now")                                                        \
    X(TOO_BIG, "a limit was reached")                                                              \
    X(NOT_FOUND, "there is no such thing")                                                         \
    X(UNSUPPORTED, "this is valid but not supported")                                              \
    X(IO, "reading or writing failed")

/* HAFT_OK, which is 0, and the others of HAFT_STATUS_MAP. Since: 0.1. */
typedef enum haft_status {
#define X(name, text) HAFT_##name,
    HAFT_STATUS_MAP(X)
#undef X
} haft_status;

/* What went wrong, for people, models and programs. Of fixed size, so that it works when memory
 * does not. Every text is NUL-terminated valid UTF-8; a longer one is cut at a character.
 * Owns: all it has. Thread: as its owner. Since: 0.1. */
typedef struct haft_error {
    haft_status status; /* for programs */
    char where[96];     /* JSON Pointer, line:column or URL; may be empty */
    char message[192];  /* one sentence: what was found and what was wanted */
    char hint[192];     /* what to do about it; may be empty */
} haft_error;

/* A piece of UTF-8 text that belongs to somebody else.
 * Owns: nothing. Thread: as its owner. Since: 0.1. */
typedef struct haft_str {
    const char *ptr; /* may be NULL when `len` is 0 */
    size_t len;      /* bytes */
} haft_str;

/* A haft_str as the two arguments of "%.*s". Evaluates `s` more than once. Since: 0.1. */
#define HAFT_STR(s) ((s).len > 0x7fffffff ? 0x7fffffff : (int)(s).len), ((s).len > 0 ? (s).ptr : "")

/* The version of the library at run time, as in HAFT_VERSION.
 * Owns: nothing; the text is static. Thread: any. Fails: never. Since: 0.1. */
HAFT_API const char *haft_version(void);

/* "OK", "NO_MEMORY" ...; "?" for a number that is no status.
 * Owns: nothing; the text is static. Thread: any. Fails: never. Since: 0.1. */
HAFT_API const char *haft_status_name(haft_status status);

/* The meaning in a few words, as in HAFT_STATUS_MAP.
 * Owns: nothing; the text is static. Thread: any. Fails: never. Since: 0.1. */
HAFT_API const char *haft_status_text(haft_status status);

/* Gives back a text that a function handed out through a `ret_` parameter; NULL is fine.
 * Owns: `text` is gone after it. Thread: any. Fails: never. Since: 0.1. */
HAFT_API void haft_free(char *text);

/* ---- inside a tool ---- */

/* One call of a tool.
 * Owns: the library has it; it lives until the tool's function has returned. Thread: the call's,
 * which need not be the one that steps the runtime. Since: 0.1. */
typedef struct haft_call haft_call;

/* What a reply is. Since: 0.1. */
typedef enum haft_reply_kind {
    HAFT_REPLY_TEXT,    /* text, which the model reads as it is */
    HAFT_REPLY_JSON,    /* one JSON value */
    HAFT_REPLY_ERROR,   /* what the model reads instead of a result */
    HAFT_REPLY_COMMAND, /* {"update": {...}, "goto": "node"}: for the graph around the call */
} haft_reply_kind;

/* What a tool answers. Made by the functions below and returned as it is.
 * Owns: nothing; the call has the text. Thread: the call's. Since: 0.1. */
typedef struct haft_reply {
    haft_reply_kind kind; /* what `text` is */
    haft_str text;        /* lives as long as the call */
} haft_reply;

/* What a call is about. Texts are "" where there is nothing to say.
 * Owns: nothing; the call has it all. Thread: the call's. Since: 0.1. */
typedef struct haft_call_facts {
    size_t struct_size;          /* of the library that filled it in: later fields may be missing */
    const char *call;            /* "c3.1": unique in the run */
    const char *run;             /* 26 characters */
    const char *thread;          /* 26 characters */
    const char *user;            /* on whose behalf; "" when nobody said */
    const char *idempotency_key; /* the same for every attempt of this call */
    uint32_t attempt;            /* from 1 */
    uint32_t remaining_turns;    /* after the present one */
    void *context;               /* haft_tool.context */
    uint64_t epoch; /* how often the run was taken up: what keeps the greatest that it has seen can
                       refuse a call of a process that has lost the run and does not know. 0 outside
                       a run */
} haft_call_facts;

/* What a server knows of the request that a run came with. Texts are "" where there is nothing to
 * say. Owns: nothing; the call has it all. Thread: the call's. Since: 0.1. */
typedef struct haft_server_facts {
    size_t struct_size;    /* of the library that filled it in: later fields may be missing */
    const char *listen;    /* where the server listens: "127.0.0.1:8080" */
    const char *principal; /* who the caller has proved to be; "" for anybody */
    const char *remote;    /* where the request came from: "192.0.2.7:51034" */
    const char *request;   /* the id of the request, as it is in the server's log */
} haft_server_facts;

/* Answers with text, as printf has it. Too long a text, or no memory, makes it an error that says
 * so. Owns: the call has the reply. Thread: the call's. Fails: with HAFT_REPLY_ERROR, never
 * otherwise. Since: 0.1. */
HAFT_API haft_reply haft_replyf(haft_call *call, const char *format, ...) HAFT_PRINTF(2, 3);

/* Answers with a JSON value, which is checked. Owns: the call has the reply; `json` is copied.
 * Thread: the call's. Fails: with HAFT_REPLY_ERROR that says where when it is no JSON, is too long
 * or there is no memory. Since: 0.1. */
HAFT_API haft_reply haft_reply_json(haft_call *call, const char *json);

/* Answers with an error for the model to read: say what was found, what was wanted, and what to do
 * about it. Owns: the call has the reply. Thread: the call's. Fails: never; without memory the
 * error is another one. Since: 0.1. */
HAFT_API haft_reply haft_reply_error(haft_call *call, const char *format, ...) HAFT_PRINTF(2, 3);

/* Answers with a command for the graph that the call is part of: a JSON object with "update" (an
 * object: values for channels of the graph's state), "goto" (the name of a node, or an array of
 * them), or both:
 *
 *     return haft_reply_command(call, "{\"update\":{\"status\":\"checked\"},\"goto\":\"report\"}");
 *
 * Outside a graph the model reads an error that says so; this version has no graphs yet. Owns: the
 * call has the reply; `json` is copied. Thread: the call's. Fails: with HAFT_REPLY_ERROR when it is
 * no such object, is too long or there is no memory. Since: 0.1. */
HAFT_API haft_reply haft_reply_command(haft_call *call, const char *json);

/* What the call is about. Owns: nothing; never NULL, lives as long as the call. Thread: the call's.
 * Fails: never. Since: 0.1. */
HAFT_API const haft_call_facts *haft_call_info(const haft_call *call);

/* What the server knows of the request behind the run; NULL when it did not come through a server.
 * Owns: nothing; lives as long as the call. Thread: the call's. Fails: never. Since: 0.1. */
HAFT_API const haft_server_facts *haft_call_server(const haft_call *call);

/* Whether the call is no longer wanted or out of time: return soon. A tool that runs for long asks
 * now and then. Owns: nothing. Thread: the call's. Fails: never. Since: 0.1. */
HAFT_API bool haft_cancelled(const haft_call *call);

/* Tells how far the tool has come. Text that is no JSON is sent as a JSON string. May be lost, and
 * does nothing outside a run. Owns: `json` is copied. Thread: the call's. Fails: never. Since: 0.1.
 */
HAFT_API void haft_emit(haft_call *call, const char *json);

/* ---- what a tool is ---- */

/* A struct whose fields are known, as it is below. Owns: nothing. Thread: any. Since: 0.1. */
typedef struct haft_object haft_object;

/* What a field is, in JSON and in C. Since: 0.1. */
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
    HAFT_FIELD_REQUIRED, /* it may not */
    HAFT_FIELD_DEFAULT,  /* may be left out; then it has the default */
    HAFT_FIELD_OPTIONAL, /* may be left out; then it is a haft_str whose ptr is NULL, a list whose
                            items are NULL, a NULL pointer to a struct, or a haft_maybe_... that was
                            not given */
} haft_field_need;

/* Arguments that are lists: of texts, ...
 * Owns: nothing; the call has the items. Thread: the call's. Since: 0.1. */
typedef struct haft_strings {
    const haft_str *items; /* NULL: the list was left out */
    size_t count;          /* of items */
} haft_strings;

/* ... of integers, ... Owns: nothing. Thread: the call's. Since: 0.1. */
typedef struct haft_integers {
    const long long *items; /* NULL: the list was left out */
    size_t count;           /* of items */
} haft_integers;

/* ... of numbers, ... Owns: nothing. Thread: the call's. Since: 0.1. */
typedef struct haft_numbers {
    const double *items; /* NULL: the list was left out */
    size_t count;        /* of items */
} haft_numbers;

/* ... of booleans. Owns: nothing. Thread: the call's. Since: 0.1. */
typedef struct haft_booleans {
    const bool *items; /* NULL: the list was left out */
    size_t count;      /* of items */
} haft_booleans;

/* Arguments that may not be there: an integer, ...
 * Owns: nothing. Thread: as its owner. Since: 0.1. */
typedef struct haft_maybe_integer {
    bool given;      /* else `value` is 0 */
    long long value; /* what was given */
} haft_maybe_integer;

/* ... a number, ... Owns: nothing. Thread: as its owner. Since: 0.1. */
typedef struct haft_maybe_number {
    bool given;   /* else `value` is 0 */
    double value; /* what was given */
} haft_maybe_number;

/* ... a boolean. Owns: nothing. Thread: as its owner. Since: 0.1. */
typedef struct haft_maybe_boolean {
    bool given; /* else `value` is false */
    bool value; /* what was given */
} haft_maybe_boolean;

/* One argument: what its schema says, and where its value goes. It grows at its end:
 * haft_object.field_size. Owns: nothing; its texts live as long as the tool. Thread: any, for it is
 * never changed. Since: 0.1. */
typedef struct haft_field {
    const char *name;           /* of the argument */
    const char *description;    /* for the model */
    size_t offset;              /* in the struct of arguments */
    const char *const *choices; /* of an enum; NULL behind the last */
    const haft_object *object;  /* of HAFT_FIELD_OBJECT */
    haft_field_type type;       /* what it is */
    haft_field_need need;       /* whether it may be left out */
    const char *text;           /* the default of a string or enum ... */
    long long integer;          /* ... of an integer ... */
    double number;              /* ... of a number ... */
    bool boolean;               /* ... and of a boolean */
    bool list;                  /* a list of them */
} haft_field;

/* A struct whose fields are known. HAFT_OBJECT and HAFT_TOOL declare it.
 * Owns: nothing; its fields live as long as the tool. Thread: any, for it is never changed.
 * Since: 0.1. */
struct haft_object {
    size_t struct_size;       /* sizeof(haft_object) */
    size_t size;              /* of the struct */
    const haft_field *fields; /* its members, each `field_size` bytes from the next */
    size_t count;             /* at most 16 */
    size_t field_size;        /* sizeof(haft_field) */
};

/* What holds for a tool, in haft_tool.traits and HAFT_TOOL_WITH. Without a cost it is light. At
 * most one cost and one cache. Since: 0.1. */
#define HAFT_READ_ONLY      0x001U /* changes nothing */
#define HAFT_IDEMPOTENT     0x002U /* the same call twice does what it does once */
#define HAFT_DESTRUCTIVE    0x004U /* what it does cannot be undone */
#define HAFT_RETURN_DIRECT  0x008U /* its reply is the answer of the run */
#define HAFT_NEEDS_APPROVAL 0x010U /* a person must agree to each call */
#define HAFT_COST_FREE      0x020U /* it returns at once: no waiting, no work to speak of */
#define HAFT_COST_HEAVY     0x040U /* it costs much time or money */
#define HAFT_CACHE_RUN      0x080U /* the reply is used again for the same arguments: in the run, */
#define HAFT_CACHE_THREAD   0x100U /* in every run of the thread, */
#define HAFT_CACHE_GLOBAL   0x200U /* in every run of the store */
#define HAFT_POLLS          0x400U /* called again until something has changed */

/* A tool's function. `args` points to the struct of `arguments`; of a tool that has an
 * `input_schema` instead, to a haft_str with the arguments as JSON text.
 * Owns: nothing; call and arguments live until it returns. Thread: any, and several calls of it at
 * the same time, unless it has a lane; with HAFT_COST_FREE the one that steps the runtime, between
 * everything else that happens there, and then it must not call functions of the runtime or its
 * runs. Fails: with haft_reply_error. Since: 0.1. */
typedef haft_reply haft_tool_function(haft_call *call, const void *args);

/* A tool: what HAFT_TOOL declares, or filled in by hand from HAFT_TOOL_INIT.
 * Owns: nothing; texts are copied when it is added to a runtime, `arguments` and `context` must
 * outlive that. Thread: as its owner. Since: 0.1. */
typedef struct haft_tool {
    size_t struct_size;           /* sizeof(haft_tool) */
    const char *name;             /* letters, digits and _ . / - or server:tool; 128 bytes */
    const char *description;      /* for the model: what it does and when to use it */
    const haft_object *arguments; /* or NULL */
    const char *input_schema;     /* instead: a JSON Schema with "type": "object"; or NULL */
    const char *output_schema;    /* JSON Schema of the reply; NULL when there is none */
    haft_tool_function *run;      /* NULL: headless, a client of the run answers */
    void *context;                /* for the function: haft_call_info(call)->context */
    uint32_t traits;              /* HAFT_READ_ONLY ... */
    uint32_t timeout_ms;          /* of one attempt; 0: the default, a minute */
    uint32_t retries;             /* only with HAFT_READ_ONLY or HAFT_IDEMPOTENT */
    uint32_t cache_ms;            /* how long the cache holds; 0: as long as its scope */
    const char *lane;             /* calls of one lane never overlap; NULL for none */
} haft_tool;

/* A tool without anything, for filling in by hand. Since: 0.1. */
#define HAFT_TOOL_INIT                                                                             \
    {                                                                                              \
        sizeof(haft_tool), NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, NULL              \
    }

/* ---- without a runtime ----
 *
 * For unit tests of tools, and wherever no model is near. Together with everything above, this is
 * what libhaft-core has; there a schema with `pattern` or `patternProperties` is UNSUPPORTED.
 */

/* The JSON Schema of a tool's arguments, as the model gets it.
 * Owns: the caller gives *ret_schema to haft_free. Thread: any. Fails: BAD_INPUT when the tool is
 * wrong (err->where says which part), TOO_BIG past a limit, UNSUPPORTED for a schema that cannot be
 * compiled, NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_tool_schema(const haft_tool *tool, char **ret_schema,
                                                    haft_error *err);

/* Calls a tool as a run would: reads `arguments` (a JSON object; NULL for none), converts what can
 * be without loss, fills in defaults, checks all of it, and calls the function, here and now. Its
 * facts are empty and haft_emit does nothing. `ret_kind` may be NULL. An error of the tool is a
 * reply like any other.
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
 * Owns: the caller gives *ret_text to haft_free. Thread: any. Fails: BAD_INPUT when the arguments
 * do not fit (err->where is a JSON Pointer into them), the tool is wrong or has no function;
 * TOO_BIG, UNSUPPORTED as haft_tool_schema; NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_tool_try(const haft_tool *tool, const char *arguments,
                                                 haft_reply_kind *ret_kind, char **ret_text,
                                                 haft_error *err);

/* Holds a JSON text against a JSON Schema (2020-12, or draft-07 where $schema says so). When it is
 * valid *ret_failures is NULL; else it has every failure on a line of its own, "/limit: Expected
 * integer, found string", worded so that a model can repair its call.
 *
 *     char *failures = NULL;
 *     haft_status status = haft_check_json("{\"type\":\"integer\"}", "\"ten\"", &failures, err);
 *     if (status == HAFT_OK && failures != NULL) {
 *         puts(failures);
 *     }
 *     haft_free(failures);
 *
 * Owns: the caller gives *ret_failures to haft_free. Thread: any. Fails: BAD_INPUT when one of the
 * two is no JSON or the schema is none (err->where begins with "schema" or "json"), UNSUPPORTED for
 * a schema that cannot be compiled, TOO_BIG past a limit, NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_check_json(const char *schema, const char *json,
                                                   char **ret_failures, haft_error *err);

/* ---- runs ----
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
 * A runtime installs no signal handlers, except that starting a program makes libuv handle SIGCHLD.
 */

/* The loop, the store and the connections of many runs.
 * Owns: whoever created it destroys it. Thread: the runtime's. Since: 0.1. */
typedef struct haft_runtime haft_runtime;

/* A spec that was loaded.
 * Owns: whoever loaded it releases it. Thread: the runtime's. Since: 0.1. */
typedef struct haft_agent haft_agent;

/* One run of an agent.
 * Owns: whoever started or opened it releases it. Thread: the runtime's. Since: 0.1. */
typedef struct haft_run haft_run;

/* How a runtime is made. Start from HAFT_RUNTIME_OPTIONS_INIT.
 * Owns: nothing; texts are copied. Thread: as its owner. Since: 0.1. */
typedef struct haft_runtime_options {
    size_t struct_size; /* sizeof(haft_runtime_options) */
    const char *store;  /* "memory:" (NULL too), "sqlite:PATH", "postgres://..." */
    const char *guard;  /* path of libexec/haft/guard; NULL: where it is installed */
    uint32_t threads;   /* for tools that are C functions, and file searches; 0: the default, 4 */
    uint64_t lease_ms;  /* how long a run stays this runtime's when nothing is heard of it: another
                           takes it up then, and this one has stopped before. 1,000 to 3,600,000;
                           0: the default, 30 seconds. Step more often than three times in it */
} haft_runtime_options;

/* The defaults. Since: 0.1. */
#define HAFT_RUNTIME_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(haft_runtime_options), NULL, NULL, 0, 0                                             \
    }

/* Makes a runtime; `options` may be NULL. Does no work of its own before it is stepped.
 * Owns: the caller destroys *ret_runtime. Thread: any. Fails: BAD_INPUT for options without
 * struct_size, for a lease that is too short or too long and for a store that is none, UNSUPPORTED
 * for a kind of store that is not known or one of a later version, IO when the store or the loop
 * cannot be opened, NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_runtime_create(const haft_runtime_options *options,
                                                       haft_runtime **ret_runtime, haft_error *err);

/* Waits for what is being written, and for tools' functions that have not returned; then all is
 * gone. Owns: runs that were not released are, and their pointers are no good any more; agents may
 * still be released afterwards. NULL is fine. Thread: the runtime's, not from inside
 * haft_runtime_step. Fails: never. Since: 0.1. */
HAFT_API void haft_runtime_destroy(haft_runtime *runtime);

/* Does what is ready; when nothing is, waits for it at most `timeout_ms`, without end when that is
 * negative. Everything that happens to runs happens in here. Owns: nothing. Thread: the runtime's.
 * Fails: BAD_INPUT for NULL, IO when the system cannot wait, NO_MEMORY; what goes wrong with a run
 * is told by that run. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_runtime_step(haft_runtime *runtime, int timeout_ms,
                                                     haft_error *err);

/* For another loop: a descriptor that is readable when there is something to step for. It stays the
 * same. Owns: nothing; do not close it. Thread: the runtime's. Fails: -1 for NULL. Since: 0.1. */
HAFT_API int haft_runtime_fd(const haft_runtime *runtime);

/* For another loop: the most milliseconds to wait before the next step; -1: no timer is set. Ask
 * again after each step, and after each call that starts or changes a run. Owns: nothing.
 * Thread: the runtime's. Fails: -1 for NULL. Since: 0.1. */
HAFT_API int haft_runtime_timeout(const haft_runtime *runtime);

/* Adds a tool for the agents that are loaded from then on: one that HAFT_TOOL declares, or one
 * without a function, which clients of the run answer. Owns: texts are copied, `arguments` and
 * `context` must outlive the runtime. Thread: the runtime's. Fails: BAD_INPUT for a name, a table
 * of arguments, a schema or traits that are wrong (err->where says which), or when there is one of
 * that name; TOO_BIG past a limit; NO_MEMORY. What only shows together with the spec, such as a
 * description that neither has, fails haft_agent_load. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_tool_add(haft_runtime *runtime, const haft_tool *tool,
                                                 haft_error *err);

/* Loads a spec from a file, YAML or JSON. Owns: the caller releases *ret_agent. Thread: the
 * runtime's. Fails: IO when the file cannot be read, BAD_INPUT with the place of the first problem
 * ("agent.yaml:3:5"), a tool's included, and for a model whose key is not there; UNSUPPORTED for a
 * model that is not known, TOO_BIG past a limit, NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_agent_load(haft_runtime *runtime, const char *path,
                                                   haft_agent **ret_agent, haft_error *err);

/* Lets go of an agent; runs of it go on. Owns: `agent` is the caller's no more; NULL is fine.
 * Thread: the runtime's. Fails: never. Since: 0.1. */
HAFT_API void haft_agent_release(haft_agent *agent);

/* How a run is started. Start from HAFT_RUN_OPTIONS_INIT.
 * Owns: nothing; texts are copied. Thread: as its owner. Since: 0.1. */
typedef struct haft_run_options {
    size_t struct_size; /* sizeof(haft_run_options) */
    const char *thread; /* the id of a thread whose earlier runs the model is to know; or NULL.
                           While one of them has not ended, the spec's `multitask` decides: this
                           one waits for it, is stopped with BAD_STATE, or cancels it first */
    const char *user;   /* on whose behalf; or NULL */
    bool enqueue;       /* only put it into the store: another process goes on with it */
} haft_run_options;

/* The defaults. Since: 0.1. */
#define HAFT_RUN_OPTIONS_INIT                                                                      \
    {                                                                                              \
        sizeof(haft_run_options), NULL, NULL, false                                                \
    }

/* Starts a run; haft_runtime_step goes on with it. `options` may be NULL. Owns: the caller releases
 * *ret_run; `task` is copied. Thread: the runtime's. Fails: BAD_INPUT for a thread that is no id or
 * options without struct_size, IO when the system has no randomness, NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_run_start(haft_agent *agent, const char *task,
                                                  const haft_run_options *options,
                                                  haft_run **ret_run, haft_error *err);

/* Takes up a run of the store, from this process or another: `run_id` is its id, the beginning of
 * it, or "last". Steps the runtime until it is there; it then goes on by itself unless it waits or
 * has ended. Owns: the caller releases *ret_run. Thread: the runtime's. Fails: NOT_FOUND, BAD_INPUT
 * when several ids begin so, BAD_STATE while another process has it, IO of the store, NO_MEMORY.
 * Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_run_open(haft_runtime *runtime, const char *run_id,
                                                 haft_run **ret_run, haft_error *err);

/* An event, as docs/events.md has it; or something that is only told, while it happens:
 * "model_progress" with the next piece of the reply's "text" or "reasoning", "call_progress".
 * Owns: nothing; the run has the text. Thread: the runtime's. Since: 0.1. */
typedef struct haft_event {
    uint64_t seq;  /* from 1; 0: it is not durable, only told */
    haft_str json; /* one object; lives until the next call for the same run, or step */
} haft_event;

/* The next event that has become durable, or is told, in order; false when there is none at
 * present. Nothing is told before the first call, nor while much waits to be read.
 * Owns: nothing. Thread: the runtime's. Fails: false for NULL. Since: 0.1. */
HAFT_API bool haft_run_next_event(haft_run *run, haft_event *ret_event);

/* Where a run stands. Since: 0.1. */
typedef enum haft_state {
    HAFT_RUNNING, /* it goes on when the runtime is stepped */
    HAFT_WAITING, /* for an answer, an approval, a client */
    HAFT_ENDED,   /* haft_run_end says how */
    HAFT_STOPPED, /* it cannot go on here: the store or its owner was lost; see haft_run_error */
} haft_state;

/* Where it stands, as far as that is durable. Owns: nothing. Thread: the runtime's.
 * Fails: HAFT_STOPPED for NULL. Since: 0.1. */
HAFT_API haft_state haft_run_state(const haft_run *run);

/* Its id, 26 characters; "" before it is known. Owns: nothing; lives as long as the run.
 * Thread: the runtime's. Fails: "" for NULL. Since: 0.1. */
HAFT_API const char *haft_run_id(const haft_run *run);

/* How it ended: "done", "failed" ...; "waiting" before. Owns: nothing; the text is static.
 * Thread: the runtime's. Fails: "waiting" for NULL. Since: 0.1. */
HAFT_API const char *haft_run_end(const haft_run *run);

/* Its answer; empty before it has ended. Owns: nothing; lives as long as the run. Thread: the
 * runtime's. Fails: empty for NULL. Since: 0.1. */
HAFT_API haft_str haft_run_answer_text(const haft_run *run);

/* Why it stopped, of HAFT_STOPPED; else its status is HAFT_OK. Owns: nothing; never NULL, lives as
 * long as the run. Thread: the runtime's. Fails: for NULL, an error that says so. Since: 0.1. */
HAFT_API const haft_error *haft_run_error(const haft_run *run);

/* Answers a question or a headless call, stands in for a tool that wants approval, or says what
 * came of a call whose outcome is unknown. `call_id` may be NULL when only one is pending; `json`
 * is the value. The same answer twice is fine. Owns: texts are copied. Thread: the runtime's.
 * Fails: BAD_INPUT when `json` is none, or several are pending and none is named; NOT_FOUND when
 * the run has no such call; BAD_STATE when it does not wait for that, was answered otherwise, or
 * the run has ended; why it stopped, of HAFT_STOPPED; NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_run_answer(haft_run *run, const char *call_id,
                                                   const char *json, haft_error *err);

/* Lets a call run; `args_json` may be NULL, or have other arguments for it. Of a call whose outcome
 * is unknown: runs it again, unless it was approved before. The same approval twice is one, also
 * when the call has begun and was interrupted. Owns: texts are copied. Thread: the runtime's.
 * Fails: like haft_run_answer; BAD_INPUT for arguments that the tool does not take, or with a
 * secret in them. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_run_approve(haft_run *run, const char *call_id,
                                                    const char *args_json, haft_error *err);

/* Runs a call once more whose outcome is unknown, with the arguments it had: nothing else does so
 * when it was approved before. Owns: texts are copied. Thread: the runtime's. Fails: like
 * haft_run_answer. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_run_again(haft_run *run, const char *call_id,
                                                  haft_error *err);

/* Keeps a call from running; the model reads `why`, which may be NULL. Owns: texts are copied.
 * Thread: the runtime's. Fails: like haft_run_answer. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_run_reject(haft_run *run, const char *call_id,
                                                   const char *why, haft_error *err);

/* Ends the run as cancelled, and what it started with it. Twice is fine. Owns: nothing; the run is
 * still to be released. Thread: the runtime's. Fails: BAD_STATE when it has ended otherwise; why it
 * stopped, of HAFT_STOPPED; NO_MEMORY. Since: 0.1. */
HAFT_API HAFT_MUST_USE haft_status haft_run_cancel(haft_run *run, haft_error *err);

/* Lets go of the run. What it was doing is ended; in a store that lasts it can be taken up again.
 * Owns: `run` and every text of it are gone; NULL is fine. Thread: the runtime's. Fails: never.
 * Since: 0.1. */
HAFT_API void haft_run_release(haft_run *run);

#ifdef __cplusplus
}
#endif

/* ---- declaring a tool ----
 *
 *     HAFT_TOOL(search_database, "Search the customer database for records matching the query.",
 *               HAFT_STRING(query, "Search terms to look for"),
 *               HAFT_INTEGER_OR(limit, 10, "Maximum number of results"))
 *     {
 *         return haft_replyf(call, "Found %lld results for '%.*s'", args->limit,
 *                            HAFT_STR(args->query));
 *     }
 *
 * At file scope. What is declared is static and const, and may be used from any thread.
 */

/* HAFT_TOOL(name, description, fields...) makes the struct `name_args`, the tool `name_tool` (a
 * static const haft_tool), and the head of its function, where `call` is the haft_call * and `args`
 * points to the arguments: checked against the schema that is made from the same fields, with
 * defaults filled in, alive as long as the call. 0 to 16 fields; for more, put some into an object.
 * Since: 0.1. */
#define HAFT_TOOL(...) HAFT_DECLARE_TOOL(0, __VA_ARGS__)

/* The same with traits: HAFT_TOOL_WITH(HAFT_READ_ONLY | HAFT_COST_FREE, name, description, ...).
 * Since: 0.1. */
#define HAFT_TOOL_WITH(traits, ...) HAFT_DECLARE_TOOL(traits, __VA_ARGS__)

/* A struct for HAFT_NESTED, at file scope and with a semicolon:
 *
 *     HAFT_OBJECT(address, HAFT_STRING(street, "With the number"), HAFT_STRING(city, "Its name"));
 *
 * Makes the type `address` and the static const haft_object `address_object`. Since: 0.1. */
#define HAFT_OBJECT(...)                                                                           \
    HAFT_DECLARE_PICK(HAFT_DECLARE_OBJECT_, HAFT_DECLARE_COUNT(~, __VA_ARGS__), __VA_ARGS__, ~)

/* Fields. A description is for the model: what the value means, with an example if it helps.
 * Since: 0.1. */
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

/* Lists: haft_strings and the like; of objects, {const object_type *items; size_t count;}.
 * Since: 0.1. */
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

/* Fields that may be left out, without one; see haft_field_need. Since: 0.1. */
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

/* The same for no fields: a struct needs a member, and the row does not count. */
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

/* How many fields stand behind two other arguments: (OK, n), (FEW, 0) or (MANY, 0). */
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
