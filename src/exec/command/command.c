/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.c - tools that are programs: their arguments, environment and start.
 *
 * libexec/haft/guard always starts them; it sets their limits and ends all their processes. No
 * shell is involved. docs/spec.md describes what a command receives. Tests:
 * tests/exec/command/command_test.c.
 */
#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "exec/call_facts.h"
#include "exec/command/command.h"
#include "tool/argv.h"

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"
#define DEFAULT_LANG "C.UTF-8"

typedef struct haft__command_job {
    haft__exec_job *job;
    haft__child *child;             /* NULL while it waits */
    struct haft__command_job *next; /* the next command that waits for its start */
    haft_str program;               /* as in the spec, for messages */
    const char **argv, **env;       /* NULL-terminated */
    const char *cwd;
    haft_str input;
} command;

/* ---- C strings ---- */

/* `name` + `separator` + `value`, NUL-terminated; rejects a NUL inside. */
static haft_status join(haft__arena *arena, haft_str name, const char *separator, haft_str value,
                        const char **ret_text, haft_error *err)
{
    if ((name.len > 0 && memchr(name.ptr, '\0', name.len) != NULL)
        || (value.len > 0 && memchr(value.ptr, '\0', value.len) != NULL)) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "an argument of a program cannot contain a NUL");
    }
    size_t middle = strlen(separator);
    char *text = haft__arena_alloc(arena, name.len + middle + value.len + 1);
    if (text == NULL) {
        return haft__arena_fail(arena, err);
    }
    memcpy(text, name.len > 0 ? name.ptr : "", name.len);
    memcpy(text + name.len, separator, middle);
    memcpy(text + name.len + middle, value.len > 0 ? value.ptr : "", value.len);
    text[name.len + middle + value.len] = '\0';
    *ret_text = text;
    return HAFT_OK;
}

/* ---- the environment ---- */

static bool is_variable(const char *entry, haft_str name)
{
    return strncmp(entry, name.ptr, name.len) == 0 && entry[name.len] == '=';
}

/* Replaces the value of an existing variable. */
static haft_status set_variable(command *c, haft_str name, haft_str value, haft_error *err)
{
    if (name.len == 0 || memchr(name.ptr, '=', name.len) != NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "the name of a variable must not be empty or contain '='");
    }
    const char *entry = NULL;
    haft_status status = join(&c->job->arena, name, "=", value, &entry, err);
    if (status != HAFT_OK) {
        return status;
    }
    const char **at = c->env;
    while (*at != NULL && !is_variable(*at, name)) {
        at++;
    }
    *at = entry;
    return HAFT_OK;
}

/* Passes a variable of haft's own environment to the program. If it is not set, passes `fallback`
 * unless `fallback` is NULL. */
static haft_status pass_variable(command *c, const char *name, const char *fallback,
                                 haft_error *err)
{
    const haft__spec_env *env = &c->job->exec->options.env;
    haft_str value = {NULL, 0};
    if (env->get != NULL) {
        value = env->get(env->context, haft__str(name));
    }
    if (value.ptr == NULL && fallback != NULL) {
        value = haft__str(fallback);
    }
    return value.ptr != NULL ? set_variable(c, haft__str(name), value, err) : HAFT_OK;
}

/* Sets the variables of the tool's `env`. A value may be a secret, so no message contains a
 * value. */
static haft_status set_tool_variables(command *c, haft__json own, haft_error *err)
{
    for (uint32_t i = 0; i < own.count; i++) {
        haft_str name = haft__json_text(own.members[i].key), value = {NULL, 0};
        haft_status status =
            haft__spec_expand(&c->job->arena, haft__json_text(own.members[i].value),
                              &c->job->exec->options.env, &value, err);
        if (status == HAFT_OK) {
            status = set_variable(c, name, value, err);
        }
        if (status != HAFT_OK) {
            char where[96];
            (void)snprintf(where, sizeof(where), "/env/%.*s", HAFT__ARG(name));
            haft__error_prepend_location(err, where);
            return status;
        }
    }
    return HAFT_OK;
}

/* Sets haft's variables about the call. They replace variables of the tool with the same names. */
static haft_status set_call_variables(command *c, haft_error *err)
{
    haft__call_fact facts[HAFT__CALL_FACT_COUNT];
    size_t count = 0;
    haft_status status =
        haft__call_facts_list(&c->job->call.facts, &c->job->arena, facts, &count, err);
    for (size_t i = 0; status == HAFT_OK && i < count; i++) {
        status = set_variable(c, haft__str(facts[i].variable), facts[i].value, err);
    }
    return status;
}

static haft_status make_env(command *c, haft_error *err)
{
    const haft__json *given = haft__exec_definition(c->job, "env");
    haft__json own = given != NULL && given->kind == HAFT__JSON_OBJECT ? *given : haft__json_null();
    c->env = haft__arena_array(&c->job->arena, (size_t)own.count + 4 + HAFT__CALL_FACT_COUNT,
                               sizeof(*c->env));
    if (c->env == NULL) {
        return haft__arena_fail(&c->job->arena, err);
    }
    haft_status status = pass_variable(c, "PATH", DEFAULT_PATH, err);
    status = status == HAFT_OK ? pass_variable(c, "LANG", DEFAULT_LANG, err) : status;
    status = status == HAFT_OK ? pass_variable(c, "HOME", NULL, err) : status;
    status = status == HAFT_OK ? set_tool_variables(c, own, err) : status;
    return status == HAFT_OK ? set_call_variables(c, err) : status;
}

/* ---- arguments ---- */

/* The limit of CPU seconds. It suffices to keep all processors busy until the timeout. */
static unsigned long long count_seconds(const haft__exec_job *job)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t seconds = job->call.timeout_ms / 1000 + 1;
    uint64_t all = seconds * (uint64_t)(processors > 0 ? processors : 1);
    return all < INT32_MAX ? all : INT32_MAX;
}

/* The options of guard and their values. */
static haft_status add_options(command *c, size_t *count, haft_error *err)
{
    const struct {
        const char *name;
        unsigned long long value;
    } options[] = {{"--parent", (unsigned long long)getpid()},
                   {"--report", 3},
                   {"--memory", (unsigned long long)HAFT__LIMIT_EXEC_MEMORY_MIB << 20},
                   {"--cpu", count_seconds(c->job)},
                   {"--files", HAFT__LIMIT_EXEC_FILES}};
    c->argv[(*count)++] = c->job->exec->guard;
    for (size_t i = 0; i < COUNT(options); i++) {
        haft_str value = haft__arena_format(&c->job->arena, "%llu", options[i].value);
        if (value.ptr == NULL) {
            return haft__arena_fail(&c->job->arena, err);
        }
        c->argv[(*count)++] = options[i].name;
        c->argv[(*count)++] = value.ptr;
    }
    c->argv[(*count)++] = "--";
    return HAFT_OK;
}

static haft_status make_argv(command *c, haft_error *err)
{
    const haft__json *given = haft__exec_definition(c->job, "command");
    size_t count = 0;
    if (given == NULL || given->kind != HAFT__JSON_ARRAY || given->count == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, "/command", "expected a program and its arguments");
    }
    c->program = haft__json_text(given->items[0]);
    c->argv = haft__arena_array(&c->job->arena, (size_t)given->count + 16, sizeof(*c->argv));
    if (c->argv == NULL) {
        return haft__arena_fail(&c->job->arena, err);
    }
    haft_str *words = NULL;
    size_t word_count = 0;
    haft_status status = haft__argv_build(&c->job->arena, *given, c->job->call.tool->input_schema,
                                          c->job->call.arguments, &words, &word_count, err);
    if (status == HAFT_OK) {
        status = add_options(c, &count, err);
    }
    for (size_t i = 0; i < word_count && status == HAFT_OK; i++) {
        c->argv[count++] = words[i].ptr;
    }
    return status;
}

/* ---- the working directory ---- */

/* The directory of the spec; haft's working directory if the spec has no path. */
static haft_status find_cwd(command *c, haft_error *err)
{
    haft_str path = c->job->call.spec != NULL ? c->job->call.spec->path : HAFT__LIT("");
    const char *slash = path.len > 0 ? memrchr(path.ptr, '/', path.len) : NULL;
    if (slash == NULL) {
        return HAFT_OK;
    }
    size_t length = (size_t)(slash - path.ptr);
    haft_status status = join(&c->job->arena, (haft_str){path.ptr, length > 0 ? length : 1}, "",
                              HAFT__LIT(""), &c->cwd, err);
    if (status == HAFT_OK && access(c->cwd, X_OK) != 0) {
        return haft__fail(err, HAFT_NOT_FOUND, c->cwd, "cannot enter the directory of the spec: %s",
                          strerror(errno));
    }
    return status;
}

/* ---- running ---- */

static void on_done(void *context, const haft__child_result *result)
{
    command *c = context;
    haft__command_report(c->job, c->program, result);
}

static haft_status spawn(command *c, haft_error *err)
{
    haft__exec *exec = c->job->exec;
    haft__child_options options = {.group = &exec->children,
                                   .argv = c->argv,
                                   .env = c->env,
                                   .cwd = c->cwd,
                                   .input = c->input,
                                   .max_output = HAFT__LIMIT_TOOL_RESULT_BYTES,
                                   .report = true,
                                   .grace = HAFT__LIMIT_EXEC_GRACE_MS,
                                   .done = on_done,
                                   .context = c};
    return haft__child_start(exec->options.loop, &options, &c->child, err);
}

static haft_status find_guard(const haft__exec *exec, haft_error *err)
{
    if (exec->guard != NULL) {
        return HAFT_OK;
    }
    haft_status status =
        haft__fail(err, HAFT_NOT_FOUND, exec->guard_error.where,
                   "%s, and commands run only under guard", exec->guard_error.message);
    return haft__hint(err, status, "install haft completely, or set the path of guard");
}

/* ---- the queue of starts ---- */

static void begin_step(haft__task *task);

static haft_status spawn_counted(command *c, haft_error *err)
{
    haft__command_starts *starts = &c->job->exec->starts;
    if (starts->count++ == 0) {
        starts->next_step.run = begin_step;
        /* begin_step runs in the next step of the loop, and resets the count. */
        haft__loop_post_threadsafe(c->job->exec->options.loop, &starts->next_step);
    }
    return spawn(c, err);
}

static void add_waiting(command *c)
{
    haft__command_starts *starts = &c->job->exec->starts;
    haft__exec_hold_time(c->job);
    *(starts->last != NULL ? &starts->last->next : &starts->first) = c;
    starts->last = c;
}

static void remove_waiting(command *c)
{
    haft__command_starts *starts = &c->job->exec->starts;
    command *before = NULL;
    for (command *at = starts->first; at != NULL && at != c; at = at->next) {
        before = at;
    }
    *(before != NULL ? &before->next : &starts->first) = c->next;
    starts->last = starts->last == c ? before : starts->last;
    c->next = NULL;
}

/* Starts the first commands of the queue. */
static void begin_step(haft__task *task)
{
    haft__command_starts *starts = HAFT__CONTAINER(task, haft__command_starts, next_step);
    starts->count = 0;
    while (starts->first != NULL && starts->count < HAFT__LIMIT_EXEC_STARTS) {
        command *c = starts->first;
        haft_error err = {0};
        remove_waiting(c);
        if (haft__exec_begin_time(c->job, &err) != HAFT_OK || spawn_counted(c, &err) != HAFT_OK) {
            c->job->executor = NULL; /* nothing has to be ended */
            haft__exec_report_failure(c->job, &err);
        }
    }
}

static haft_status start(haft__exec_job *job, haft_error *err)
{
    command *c = haft__arena_array(&job->arena, 1, sizeof(*c));
    if (c == NULL) {
        return haft__arena_fail(&job->arena, err);
    }
    c->job = job;
    job->state = c;
    haft_status status = find_guard(job->exec, err);
    status = status == HAFT_OK ? haft__command_confine(job, err) : status;
    status = status == HAFT_OK ? make_argv(c, err) : status;
    status = status == HAFT_OK ? make_env(c, err) : status;
    status = status == HAFT_OK ? find_cwd(c, err) : status;
    status = status == HAFT_OK ? haft__command_input(job, &c->input, err) : status;
    const haft__command_starts *starts = &job->exec->starts;
    if (status == HAFT_OK && (starts->first != NULL || starts->count >= HAFT__LIMIT_EXEC_STARTS)) {
        add_waiting(c);
        return HAFT_OK;
    }
    return status == HAFT_OK ? spawn_counted(c, err) : status;
}

static bool abandon(haft__exec_job *job)
{
    command *c = job->state;
    if (c->child == NULL) {
        remove_waiting(c);
    } else {
        haft__child_kill(c->child);
    }
    return false;
}

const haft__executor haft__executor_command = {.start = start, .abandon = abandon};
