/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox.c - `haft sandbox`: runs one Python program in the sandbox of python_execution.
 *
 * docs/schemas/sandbox.schema.json describes the object that it prints with --json. Tests:
 * tests/cli/sandbox_test.py, tests/sandbox/attempts_test.py.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/sandbox_probe.h"
#include "cli/terminal/print.h"
#include "exec/exec.h"
#include "exec/sandbox/python.h"
#include "io/environment.h"
#include "io/file.h"
#include "json/object.h"

#define DEFAULT_SECONDS 60

typedef struct sandbox_command {
    haft__cli *cli;
    const haft__args *args;
    haft__sandbox sandbox;
    haft__loop *loop;
    haft__child_group children;
    haft__python *python;
    haft__timer timer;
    bool ended, timed_out;
    haft__exit_status status;
    haft_error error;
} sandbox_command;

/* ---- the end ---- */

/* Writes one file below the directory of --files. Names come from the program: directories are
 * created, links are not followed. */
static bool write_file(const char *directory, const haft__python_file *file)
{
    int at = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    haft_str rest = file->name;
    while (at >= 0 && rest.len > 0) {
        char part[NAME_MAX + 1];
        haft_str name = haft__str_split(&rest, '/');
        bool last = rest.len == 0;
        bool good =
            name.len > 0 && name.len < sizeof(part) && !haft__str_equal(name, HAFT__LIT(".."));
        (void)snprintf(part, sizeof(part), "%.*s", HAFT__ARG(name));
        (void)(good && !last && mkdirat(at, part, 0777));
        int next =
            !good  ? -1
            : last ? openat(at, part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666)
                   : openat(at, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        (void)close(at);
        at = next;
    }
    bool written = at >= 0 && haft__file_write_all(at, file->bytes);
    if (at >= 0) {
        (void)close(at);
    }
    return written;
}

static haft_status write_files(sandbox_command *c, const haft__python_end *end, haft_error *err)
{
    const char *directory = haft__args_text(c->args, "files", NULL);
    if (directory == NULL) {
        return HAFT_OK;
    }
    if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        return haft__fail(err, HAFT_IO, directory, "cannot be created: %s", strerror(errno));
    }
    for (size_t i = 0; i < end->file_count; i++) {
        if (!write_file(directory, &end->files[i])) {
            return haft__fail(err, HAFT_IO, directory, "the file %.*s cannot be written",
                              HAFT__ARG(end->files[i].name));
        }
    }
    return HAFT_OK;
}

/* Copies the text and replaces bytes that are not UTF-8. */
static void field_bytes(sandbox_command *c, haft__json_writer *w, const char *key, haft_str bytes)
{
    char *copy = haft__arena_alloc(&c->cli->arena, bytes.len);
    if (copy != NULL && bytes.len > 0) {
        memcpy(copy, bytes.ptr, bytes.len);
        haft__utf8_replace_invalid(copy, bytes.len);
    }
    haft__field_text(w, key, (haft_str){copy != NULL ? copy : "", copy != NULL ? bytes.len : 0});
}

static void write_json(sandbox_command *c, const haft__python_end *end, haft__buf *text)
{
    haft__json_writer w;
    haft__json_writer_init(&w, text);
    haft__json_begin_object(&w);
    haft__field_string(&w, "profile", haft__sandbox_profile_name(c->sandbox.profile));
    haft__field_number(&w, "landlock", (uint64_t)c->sandbox.landlock);
    haft__field_text_or_null(&w, "no_namespaces", c->sandbox.weaker);
    haft__field_text(&w, "cause", end->cause);
    haft__field_text_or_null(&w, "why", end->why);
    haft__field_number(&w, "status", (uint64_t)end->status);
    haft__field_number(&w, "signal", (uint64_t)end->signal);
    haft__field_number(&w, "cpu_ms", end->cpu_ms);
    haft__field_number(&w, "memory_kib", end->memory_kib);
    field_bytes(c, &w, "stdout", end->output);
    field_bytes(c, &w, "stderr", end->errors);
    haft__field_text_or_null(&w, "result", end->result);
    haft__field_text_or_null(&w, "error", end->error);
    haft__json_key(&w, "files");
    haft__json_begin_array(&w);
    for (size_t i = 0; i < end->file_count; i++) {
        haft__json_begin_object(&w);
        field_bytes(c, &w, "name", end->files[i].name);
        haft__field_number(&w, "bytes", end->files[i].bytes.len);
        haft__json_end_object(&w);
    }
    haft__json_end_array(&w);
    haft__field_number(&w, "left_files", end->left_files);
    haft__json_end_object(&w);
}

static void print_end(sandbox_command *c, const haft__python_end *end)
{
    FILE *to = c->cli->errors;
    if (end->result.len > 0) {
        haft__print_escaped(c->cli->out, end->result);
        (void)fputc('\n', c->cli->out);
    }
    (void)fflush(c->cli->out);
    (void)fprintf(to, "sandbox: %s, Landlock %d: %.*s",
                  haft__sandbox_profile_name(c->sandbox.profile), c->sandbox.landlock,
                  HAFT__ARG(end->cause));
    if (end->signal != 0) {
        (void)fprintf(to, " (signal %d)", end->signal);
    }
    if (end->why.len > 0) {
        (void)fprintf(to, " (%.*s)", HAFT__ARG(end->why));
    }
    (void)fprintf(to, ", %llu ms CPU, %llu KiB\n", (unsigned long long)end->cpu_ms,
                  (unsigned long long)end->memory_kib);
    for (size_t i = 0; i < end->file_count; i++) {
        (void)fprintf(to, "sandbox: file ");
        haft__print_escaped(to, end->files[i].name);
        (void)fprintf(to, ", %zu bytes\n", end->files[i].bytes.len);
    }
}

static void on_end(void *context, const haft__python_end *end)
{
    sandbox_command *c = context;
    haft__python_end shown = *end;
    haft__timer_stop(c->loop, &c->timer);
    if (c->timed_out) {
        shown.cause = HAFT__LIT("wall");
    }
    bool done = haft__str_equal(shown.cause, HAFT__LIT("exit")) && end->status == 0;
    haft_status status = write_files(c, end, &c->error);
    if (haft__args_has(c->args, "json")) {
        haft__buf text;
        haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
        write_json(c, &shown, &text);
        status = status == HAFT_OK ? haft__print_json_line(c->cli->out, &text, &c->error) : status;
        haft__buf_finish(&text);
    } else {
        print_end(c, &shown);
    }
    c->status = done && status == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
    c->python = NULL;
    c->ended = true;
}

/* Without a model nobody answers tool calls. */
static void on_called(void *context, haft__json calls)
{
    sandbox_command *c = context;
    haft__buf answer;
    haft__buf_init(&answer, HAFT__LIMIT_JSON_BYTES);
    haft__buf_add_str(&answer, HAFT__LIT("{\"results\":["));
    for (uint32_t i = 0; i < calls.count; i++) {
        haft__buf_add_str(&answer, i > 0 ? HAFT__LIT(",") : HAFT__LIT(""));
        haft__buf_add_str(&answer,
                          HAFT__LIT("{\"ok\":false,\"text\":\"haft sandbox has no tools\"}"));
    }
    haft__buf_add_str(&answer, HAFT__LIT("]}"));
    if (haft__buf_check(&answer, &c->error) != HAFT_OK
        || haft__python_reply(c->python, haft__buf_str(&answer), &c->error) != HAFT_OK) {
        c->ended = true;
    }
    haft__buf_finish(&answer);
}

static void on_printed(void *context, bool errors, haft_str bytes)
{
    sandbox_command *c = context;
    FILE *to = errors ? c->cli->errors : c->cli->out;
    if (!haft__args_has(c->args, "json")) {
        (void)fwrite(bytes.ptr, 1, bytes.len, to);
        (void)fflush(to);
    }
}

/* The program is killed by the end of its supervisor's input; its end is reported as usual. */
static void on_timeout(void *context)
{
    sandbox_command *c = context;
    c->timed_out = true;
    haft__python_stop(c->python);
}

/* ---- the run ---- */

static haft_status read_limits(sandbox_command *c, haft__sandbox_limits *ret_limits,
                               haft_error *err)
{
    size_t at = 0, count = 0;
    haft__sandbox_limits_init(ret_limits);
    while (haft__args_next(c->args, "read", &at) != NULL) {
        count++;
    }
    const char **reads = haft__arena_array(&c->cli->arena, count, sizeof(*reads));
    if (reads == NULL) {
        return haft__arena_fail(&c->cli->arena, err);
    }
    at = 0;
    for (size_t i = 0; i < count; i++) {
        const char *path = haft__args_next(c->args, "read", &at);
        char real[PATH_MAX];
        if (realpath(path, real) == NULL) {
            return haft__fail(err, HAFT_NOT_FOUND, path, "cannot be read: %s", strerror(errno));
        }
        haft_str kept = haft__arena_copy(&c->cli->arena, haft__str(real));
        if (kept.ptr == NULL) {
            return haft__arena_fail(&c->cli->arena, err);
        }
        reads[i] = kept.ptr;
    }
    uint64_t memory = haft__args_number(c->args, "memory", ret_limits->memory_mib);
    uint64_t cpu = haft__args_number(c->args, "cpu", ret_limits->cpu_seconds);
    if (memory == 0 || memory > UINT32_MAX || cpu == 0 || cpu > UINT32_MAX) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "--memory and --cpu want a number from 1 on");
    }
    ret_limits->memory_mib = (uint32_t)memory;
    ret_limits->cpu_seconds = (uint32_t)cpu;
    ret_limits->reads = reads;
    ret_limits->read_count = count;
    return HAFT_OK;
}

static haft_status run_loop(sandbox_command *c, haft_str code, haft_error *err)
{
    const haft__python_user user = {
        .called = on_called, .printed = on_printed, .ended = on_end, .context = c};
    uint64_t seconds = haft__args_number(c->args, "seconds", DEFAULT_SECONDS);
    haft__sandbox_limits limits;
    haft_status status = read_limits(c, &limits, err);
    if (status == HAFT_OK) {
        status = haft__python_start(c->loop, &c->children, &c->sandbox, &limits, &c->python, err);
    }
    if (status == HAFT_OK) {
        status = haft__python_run(c->python, code, HAFT__LIT("[]"), &user, err);
    }
    if (status == HAFT_OK) {
        status = haft__timer_start(c->loop, &c->timer, seconds * 1000, on_timeout, c, err);
    }
    while (status == HAFT_OK && !c->ended) {
        status = haft__loop_step(c->loop, -1, err);
    }
    haft__timer_stop(c->loop, &c->timer);
    haft__python_kill(c->python);
    haft__child_group_finish(&c->children);
    if (status == HAFT_OK && c->error.status != HAFT_OK) {
        status = c->error.status;
        *err = c->error;
    }
    return status;
}

haft_status haft__sandbox_probe_here(haft__arena *arena, bool no_namespaces,
                                     haft__sandbox *ret_sandbox, haft_error *err)
{
    char *guard = NULL;
    haft_status status = haft__guard_find(NULL, &guard, err);
    if (status == HAFT_OK) {
        haft__sandbox_options options = {
            .guard = guard,
            .path = haft__environment_get(NULL, HAFT__LIT("PATH")),
            .uid = haft__environment_get(NULL, HAFT__LIT("HAFT_SANDBOX_UID")),
            .no_namespaces = no_namespaces};
        status = haft__sandbox_probe(arena, &options, ret_sandbox, err);
    }
    free(guard);
    return status;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    sandbox_command c = {.cli = cli, .args = args, .status = HAFT__EXIT_FAILED};
    haft_str code;
    haft_status status = haft__file_read_arena(&cli->arena, args->words[0],
                                               HAFT__LIMIT_SANDBOX_MESSAGE_BYTES, &code, err);
    if (status != HAFT_OK) {
        return HAFT__EXIT_USAGE;
    }
    status = haft__sandbox_probe_here(&cli->arena, haft__args_has(args, "no-namespaces"),
                                      &c.sandbox, err);
    if (status != HAFT_OK) {
        return status == HAFT_BAD_INPUT ? HAFT__EXIT_USAGE : HAFT__EXIT_REFUSED;
    }
    status = haft__loop_create(&c.loop, err);
    if (status == HAFT_OK) {
        status = run_loop(&c, code, err);
        haft__loop_destroy(c.loop);
    }
    return status == HAFT_OK          ? c.status
           : status == HAFT_BAD_INPUT ? HAFT__EXIT_USAGE
                                      : HAFT__EXIT_FAILED;
}

static const haft__option options[] = {
    {"read", 0, HAFT__OPTION_TEXT, "DIR|FILE",
     "a file or directory that the program may read; may be repeated"},
    {"files", 0, HAFT__OPTION_TEXT, "DIR", "write the files of its scratch directory to DIR"},
    {"memory", 0, HAFT__OPTION_NUMBER, "N", "its memory in MiB; 256 by default"},
    {"cpu", 0, HAFT__OPTION_NUMBER, "N", "its CPU time in seconds; 20 by default"},
    {"seconds", 0, HAFT__OPTION_NUMBER, "N", "its time on the clock in seconds; 60 by default"},
    {"no-namespaces", 0, HAFT__OPTION_FLAG, NULL, "use the profile without namespaces"},
    {"json", 0, HAFT__OPTION_FLAG, NULL, "print one JSON object"},
    {0},
};

static const haft__example examples[] = {
    {"haft sandbox program.py", "run a Python program"},
    {"echo 'print(6 * 7)' | haft sandbox -", "run a program from standard input"},
    {"haft sandbox count.py --files out", "keep the files that it writes"},
    {0},
};

const haft__command haft__cmd_sandbox = {
    .name = "sandbox",
    .usage = "FILE",
    .summary = "run a Python program in the sandbox of python_execution",
    .help =
        "The program has no network, no secrets, no other files than the library of Python and\n"
        "those of --read, and a scratch directory that is its working directory. Its output is\n"
        "printed, then the value of its last line if that is an expression; the last line on\n"
        "standard error says which profile was used and how the program ended. The exit status is\n"
        "0 if the program ends with 0, 1 if not, and 6 if this machine has no sandbox, with the\n"
        "reason. docs/sandbox.md says what is guaranteed.\n",
    .options = options,
    .examples = examples,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
