# SPDX-License-Identifier: Apache-2.0
"""Describes the extension module haft._native for cffi: the part of haft.h that the package uses,
and changes.h. The compiler checks the declarations against the headers."""
import os

from cffi import FFI

ffibuilder = FFI()
ffibuilder.cdef("""
typedef enum { HAFT_OK, ... } haft_status;
typedef struct {
    haft_status status; char where[...]; char message[...]; char hint[...]; ...;
} haft_error;
typedef struct { const char *ptr; size_t len; } haft_str;
const char *haft_version(void);
const char *haft_status_name(haft_status status);

typedef struct haft_call haft_call;
typedef enum { HAFT_REPLY_TEXT, HAFT_REPLY_JSON, HAFT_REPLY_ERROR, HAFT_REPLY_COMMAND, ... }
    haft_reply_kind;
typedef struct {
    const char *call, *run, *thread, *user, *idempotency_key, *tool;
    uint32_t attempt, remaining_turns;
    uint64_t epoch;
    haft_str arguments;
    ...;
} haft_call_facts;
const haft_call_facts *haft_call_info(const haft_call *call);
bool haft_cancelled(const haft_call *call);
void haft_emit(haft_call *call, const char *json);

#define HAFT_READ_ONLY ...
#define HAFT_IDEMPOTENT ...
#define HAFT_DESTRUCTIVE ...
#define HAFT_RETURN_DIRECT ...
#define HAFT_NEEDS_APPROVAL ...
#define HAFT_COST_HEAVY ...
#define HAFT_CACHE_RUN ...
#define HAFT_CACHE_THREAD ...
#define HAFT_CACHE_GLOBAL ...
#define HAFT_POLLS ...
#define HAFT_QUEUED ...
typedef struct {
    size_t struct_size;
    const char *name, *description, *input_schema, *output_schema;
    uint32_t traits, timeout_ms, retries, cache_ms;
    const char *lane;
    ...;
} haft_tool;

typedef struct haft_runtime haft_runtime;
typedef struct haft_agent haft_agent;
typedef struct haft_run haft_run;
typedef struct {
    size_t struct_size; const char *store, *guard; uint32_t threads; uint64_t lease_ms; ...;
} haft_runtime_options;
haft_status haft_runtime_create(const haft_runtime_options *options, haft_runtime **ret_runtime,
                                haft_error *err);
void haft_runtime_destroy(haft_runtime *runtime);
haft_status haft_runtime_step(haft_runtime *runtime, int timeout_ms, haft_error *err);
int haft_runtime_fd(const haft_runtime *runtime);
int haft_runtime_timeout(const haft_runtime *runtime);
haft_status haft_tool_add(haft_runtime *runtime, const haft_tool *tool, haft_error *err);
haft_status haft_agent_load(haft_runtime *runtime, const char *path, haft_agent **ret_agent,
                            haft_error *err);
void haft_agent_release(haft_agent *agent);
haft_call *haft_runtime_next_call(haft_runtime *runtime);
haft_status haft_call_finish(haft_call *call, haft_reply_kind kind, const char *text,
                             haft_error *err);

typedef struct {
    size_t struct_size; const char *thread, *user; bool enqueue; ...;
} haft_run_options;
haft_status haft_run_start(haft_agent *agent, const char *task, const haft_run_options *options,
                           haft_run **ret_run, haft_error *err);
haft_status haft_run_open(haft_runtime *runtime, const char *run_id, haft_run **ret_run,
                          haft_error *err);
typedef struct { uint64_t seq; haft_str json; } haft_event;
bool haft_run_next_event(haft_run *run, haft_event *ret_event);
typedef enum { HAFT_RUNNING, HAFT_WAITING, HAFT_ENDED, HAFT_STOPPED, ... } haft_state;
haft_state haft_run_state(const haft_run *run);
const char *haft_run_id(const haft_run *run);
const char *haft_run_end(const haft_run *run);
haft_str haft_run_answer_text(const haft_run *run);
const haft_error *haft_run_error(const haft_run *run);
haft_status haft_run_result(haft_run *run, char **ret_json, haft_error *err);
void haft_free(char *text);
haft_status haft_run_answer(haft_run *run, const char *call_id, const char *json, haft_error *err);
haft_status haft_run_approve(haft_run *run, const char *call_id, const char *args_json,
                             haft_error *err);
haft_status haft_run_again(haft_run *run, const char *call_id, haft_error *err);
haft_status haft_run_reject(haft_run *run, const char *call_id, const char *why, haft_error *err);
haft_status haft_run_cancel(haft_run *run, haft_error *err);
void haft_run_release(haft_run *run);

typedef struct haft_changes haft_changes;
typedef struct { size_t slot; haft_state state; bool is_event; haft_event event; } haft_change;
haft_changes *haft_changes_create(void);
void haft_changes_destroy(haft_changes *changes);
size_t haft_changes_add(haft_changes *changes, haft_run *run);
void haft_changes_remove(haft_changes *changes, size_t slot);
void haft_changes_want_events(haft_changes *changes, size_t slot, bool wanted);
void haft_changes_expect(haft_changes *changes, size_t slot);
bool haft_changes_next(haft_changes *changes, haft_change *ret_change);
""")

# The libraries of libhaft.a are next to the module, or those that the process has loaded already.
ffibuilder.set_source(
    "haft._native", '#include <haft.h>\n#include "changes.h"\n', sources=["changes.c"],
    include_dirs=["include", "."], extra_objects=[os.environ.get("HAFT_ARCHIVE", "libhaft.a")],
    libraries=["uv", "sqlite3", "pcre2-8", "fyaml", "pthread", "dl"],
    extra_compile_args=["-O2", "-g0"],
    extra_link_args=["-Wl,-rpath,$ORIGIN/lib", "-Wl,--exclude-libs,ALL", "-Wl,--as-needed", "-s"])
