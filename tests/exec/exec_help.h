/* SPDX-License-Identifier: Apache-2.0 */
/* exec_help.h - shared by the tests of executors: an executor, its calls and their results. */
#ifndef HAFT_TESTS_EXEC_HELP_H
#define HAFT_TESTS_EXEC_HELP_H

#include "exec/executor.h"
#include "io/process_help.h"
#include "json/json_help.h"

typedef struct help_exec {
    haft__loop *loop;
    haft__exec *exec;
    haft__spec spec;
    haft__arena arena;
    int fds; /* open descriptors before the executor was created */
} help_exec;

#define LATE_PROGRESS 1000000

/* A call and its result. Texts are valid until the test ends. */
typedef struct help_call {
    haft__tool tool;
    haft__exec_job *job;
    haft__exec_call call;
    int result_count; /* how often a result was reported; must become 1 */
    haft__exec_result result;
    int progress_count; /* progress reports; LATE_PROGRESS is added for each one after the result */
    haft_str last_progress;
    haft_str blob, blob_type; /* the first binary part */
} help_call;

/* The environment of the tests; other variables are not set. */
static inline haft_str help_variable(void *context, haft_str name)
{
    (void)context;
    static const struct {
        const char *name, *value;
    } variables[] = {{"PATH", "/usr/bin:/bin"},
                     {"HOME", "/nowhere"},
                     {"TOKEN", "s3cr3t"},
                     {"OTHER_SECRET", "not for tools"}};
    for (size_t i = 0; i < COUNT(variables); i++) {
        if (haft__str_equal(name, haft__str(variables[i].name))) {
            return haft__str(variables[i].value);
        }
    }
    return (haft_str){NULL, 0};
}

static inline void help_begin_with(help_exec *f, const char *guard, uint32_t threads)
{
    *f = (help_exec){.loop = NULL};
    haft_error err = {0};
    haft__arena_init(&f->arena, 0);
    /* The first loop makes libuv open descriptors that it never closes: count after it. */
    CHECK_INT(haft__loop_create(&f->loop, &err), HAFT_OK, "%s", err.message);
    haft__loop_destroy(f->loop);
    f->fds = help_count_fds();
    CHECK_INT(haft__loop_create(&f->loop, &err), HAFT_OK, "%s", err.message);
    haft__exec_options options = {
        .loop = f->loop, .guard = guard, .env = {.get = help_variable}, .threads = threads};
    CHECK_INT(haft__exec_create(&options, &f->exec, &err), HAFT_OK, "%s", err.message);
}

static inline void help_begin(help_exec *f)
{
    help_begin_with(f, NULL, 0);
}

/* Checks that no process and no descriptor is left. */
static inline void help_end(help_exec *f)
{
    haft__exec_destroy(f->exec);
    CHECK(!help_has_children(), "a child process is left");
    haft__loop_destroy(f->loop);
    haft__arena_finish(&f->arena);
    CHECK_INT(help_count_fds(), f->fds, "open descriptors");
}

static inline void help_keep_result(void *context, const haft__exec_result *result)
{
    help_call *c = context;
    c->result_count++;
    c->result = *result;
    c->result.text = help_keep(result->text);
    c->result.where = help_keep(result->where);
    c->result.hint = help_keep(result->hint);
    c->result.diff = help_keep(result->diff);
    c->result.blobs = NULL;
    if (result->blob_count > 0) {
        c->blob = help_keep(result->blobs[0].bytes);
        c->blob_type = help_keep(result->blobs[0].media_type);
    }
}

static inline void help_keep_progress(void *context, haft_str json)
{
    help_call *c = context;
    c->progress_count += c->result_count == 0 ? 1 : LATE_PROGRESS;
    c->last_progress = help_keep(json);
}

static inline haft__json help_read_copy(help_exec *f, const char *text)
{
    return help_read(&f->arena, haft__arena_copy(&f->arena, haft__str(text)).ptr);
}

/* Prepares a call. `definition` is the tool in JSON, as in a spec; `arguments` may be "". */
static inline void help_init_call(help_exec *f, help_call *c, haft__tool_source source,
                                  const char *definition, const char *arguments)
{
    *c = (help_call){.result_count = 0};
    c->tool = (haft__tool){.name = HAFT__LIT("tool"), .source = source};
    c->tool.definition = help_read_copy(f, definition);
    const haft__json *schema = haft__json_get(c->tool.definition, HAFT__LIT("input_schema"));
    c->tool.input_schema = schema != NULL ? *schema : haft__json_null();
    c->call = (haft__exec_call){.spec = &f->spec,
                                .tool = &c->tool,
                                .arguments =
                                    help_read(&f->arena, arguments[0] != '\0' ? arguments : "{}"),
                                .facts = {.call = "c1.1",
                                          .run = "run",
                                          .thread = "thread",
                                          .user = "",
                                          .idempotency_key = "key-1",
                                          .attempt = 1,
                                          .epoch = 3},
                                .timeout_ms = HELP_PATIENCE_MS,
                                .progress = help_keep_progress};
}

static inline void help_start(help_exec *f, help_call *c)
{
    haft_error err = {0};
    CHECK_INT(haft__exec_start(f->exec, &c->call, help_keep_result, c, &c->job, &err), HAFT_OK,
              "%s", err.message);
    CHECK_INT(c->result_count, 0, "a result was reported before haft__exec_start returned");
}

static inline void help_step(help_exec *f, int ms)
{
    CHECK_INT(haft__loop_step(f->loop, ms, NULL), HAFT_OK, "loop step");
}

static inline void help_wait(help_exec *f, help_call *c)
{
    uint64_t start = haft__loop_now(f->loop);
    while (c->result_count == 0 && haft__loop_now(f->loop) - start < 2 * HELP_PATIENCE_MS) {
        help_step(f, 1000);
    }
    CHECK_INT(c->result_count, 1, "results");
}

/* Waits until no command has a child process. */
static inline void help_settle(help_exec *f)
{
    uint64_t start = haft__loop_now(f->loop);
    while (f->exec->children.first != NULL && haft__loop_now(f->loop) - start < HELP_PATIENCE_MS) {
        help_step(f, 1000);
    }
    CHECK(f->exec->children.first == NULL, "commands are still running");
}

#endif
