/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child.c - a libuv process with pipes that haft creates itself.
 *
 * libuv would give the program sockets, which the program cannot reopen as /dev/stdin. Writing to a
 * pipe without a reader raises SIGPIPE. This file catches that signal, because a library must not
 * ignore it for the whole process. A terminated child stays in its group until its status is
 * fetched, so that no zombie remains. Tests: tests/io/child_test.c.
 */
#include "io/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "io/clock.h"
#include "io/loop_uv.h"
#include "io/session.h"

/* The pipes, in the order of the program's descriptors. */
enum {
    INPUT,
    OUTPUT,
    ERRORS,
    REPORT,
    PIPES,
};

#define PIECE_BYTES  32768 /* per read, so that other work is not delayed */
#define REPORT_BYTES 256   /* a report is far shorter */

/* This process's end of a pipe. */
typedef struct end {
    uv_poll_t poll;
    haft__child *child;
    int fd; /* -1: closed */
    bool polled;
} end;

struct haft__child {
    uv_process_t process;
    end ends[PIPES];
    haft__loop *loop;
    haft__child *next, **link; /* links in the group */
    char *program;             /* path of guard, if the child writes a report; else NULL */
    haft__timer timer;         /* until the next signal: SIGTERM or SIGKILL */
    uint64_t until_ms;         /* time of the next signal, for waiting without the loop */
    uint64_t grace;
    uint64_t stdin_grace;
    haft_str input;           /* the part that is not written yet */
    haft__buf output;         /* of an interactive child: empty */
    haft__buf unread;         /* bytes queued for its standard input */
    size_t written_of_unread; /* bytes of `unread` that are written already */
    size_t max_output, error_bytes, report_bytes;
    char errors[HAFT__LIMIT_CHILD_ERROR_BYTES], report[REPORT_BYTES];
    haft__child_result result;
    void (*done)(void *context, const haft__child_result *result); /* NULL: no report */
    void (*on_output)(void *context, haft_str bytes);
    void *context;
    unsigned handles;   /* number of open libuv handles */
    bool interactive;   /* its standard input stays open */
    bool stdout_closed; /* an interactive child has closed its output */
    bool leaving;       /* its standard input is closed, and it has time to exit by itself */
    bool ending;        /* SIGTERM or SIGKILL was sent */
};

/* ---- memory and handles ---- */

static void free_child(haft__child *child)
{
    haft__buf_finish(&child->output);
    haft__buf_finish(&child->unread);
    free(child->program);
    free(child);
}

static void on_close(uv_handle_t *handle)
{
    haft__child *child = handle->data;
    if (--child->handles == 0) {
        free_child(child);
    }
}

static void close_handle(haft__child *child, uv_handle_t *handle)
{
    handle->data = child;
    uv_close(handle, on_close);
}

static void close_end(end *pipe_end)
{
    if (pipe_end->fd < 0) {
        return;
    }
    if (pipe_end->polled) {
        close_handle(pipe_end->child, (uv_handle_t *)&pipe_end->poll);
    }
    (void)close(pipe_end->fd);
    pipe_end->fd = -1;
}

static void close_ends(haft__child *child)
{
    for (size_t i = 0; i < PIPES; i++) {
        close_end(&child->ends[i]);
    }
}

static void join_group(haft__child *child, haft__child_group *group)
{
    child->next = group->first;
    child->link = &group->first;
    if (child->next != NULL) {
        child->next->link = &child->next;
    }
    group->first = child;
}

static void leave_group(haft__child *child)
{
    *child->link = child->next;
    if (child->next != NULL) {
        child->next->link = child->link;
    }
}

/* ---- termination ---- */

static uint64_t now_ms(void)
{
    return uv_hrtime() / 1000000;
}

static void on_grace(void *context)
{
    haft__child *child = context;
    child->until_ms = UINT64_MAX;
    (void)uv_process_kill(&child->process, SIGKILL);
}

/* A stopped process must be continued to receive SIGTERM. If the timer cannot be set (out of
 * memory), SIGKILL never follows. */
static void terminate(haft__child *child)
{
    if (child->ending) {
        return;
    }
    child->ending = true;
    child->until_ms = child->grace > 0 ? now_ms() + child->grace : UINT64_MAX;
    haft__timer_stop(child->loop, &child->timer);
    (void)uv_process_kill(&child->process, child->grace > 0 ? SIGTERM : SIGKILL);
    (void)uv_process_kill(&child->process, SIGCONT);
    if (child->grace > 0) {
        haft_status status =
            haft__timer_start(child->loop, &child->timer, child->grace, on_grace, child, NULL);
        (void)status;
    }
}

/* The status has been fetched: the process id is no longer valid, except as the id of a session
 * that still has processes. */
static void reap(haft__child *child)
{
    if (child->program != NULL && child->report_bytes == 0) {
        (void)haft__session_kill(child->process.pid, child->program);
    }
    haft__timer_stop(child->loop, &child->timer);
    leave_group(child);
    close_ends(child);
    close_handle(child, (uv_handle_t *)&child->process);
}

/* Terminates the child, because it did not exit after its input was closed. */
static void on_stdin_grace(void *context)
{
    haft__child *child = context;
    child->result.stdout_closed = child->stdout_closed;
    child->result.stdin_closed = !child->stdout_closed;
    terminate(child);
}

/* Closes its input and waits. Its output is still read, because a full pipe would block it. If the
 * timer cannot be set (out of memory), the child is terminated immediately. */
static void close_stdin_first(haft__child *child)
{
    if (child->leaving || child->ending) {
        return;
    }
    close_end(&child->ends[INPUT]);
    child->leaving = child->stdin_grace > 0
                     && haft__timer_start(child->loop, &child->timer, child->stdin_grace,
                                          on_stdin_grace, child, NULL)
                            == HAFT_OK;
    child->until_ms = now_ms() + child->stdin_grace;
    if (!child->leaving) {
        on_stdin_grace(child);
    }
}

void haft__child_kill(haft__child *child)
{
    child->done = NULL;
    child->on_output = NULL;
    if (child->interactive) {
        close_stdin_first(child);
        return;
    }
    for (size_t i = 0; i < REPORT; i++) {
        close_end(&child->ends[i]);
    }
    terminate(child);
}

void haft__child_stop(haft__child *child)
{
    close_stdin_first(child);
}

static void drain(end *pipe_end);

/* Whether the child has exited. If not, and its time is over, sends the next signal. */
static bool is_gone(haft__child *child)
{
    for (size_t i = OUTPUT; i < PIPES; i++) {
        drain(&child->ends[i]);
    }
    pid_t found = waitpid(child->process.pid, NULL, WNOHANG);
    if (found != 0 && !(found < 0 && errno == EINTR)) {
        return true;
    }
    if (now_ms() >= child->until_ms) {
        if (child->ending) {
            on_grace(child);
        } else {
            terminate(child);
        }
    }
    return false;
}

/* Terminates all children first, then waits for them. */
void haft__child_group_finish(haft__child_group *group)
{
    for (haft__child *child = group->first; child != NULL; child = child->next) {
        haft__child_kill(child);
    }
    while (group->first != NULL) {
        for (haft__child *child = group->first, *next; child != NULL; child = next) {
            next = child->next;
            if (is_gone(child)) {
                reap(child);
            }
        }
        if (group->first != NULL) {
            haft__clock_sleep(1);
        }
    }
}

/* ---- standard input ---- */

/* Writes without SIGPIPE: a SIGPIPE that the write raises is consumed, unless one was already
 * pending. */
static ssize_t write_no_sigpipe(int fd, haft_str text)
{
    static const struct timespec no_time = {0};
    sigset_t pipe_signal, before, pending;
    (void)sigemptyset(&pipe_signal);
    (void)sigaddset(&pipe_signal, SIGPIPE);
    (void)sigpending(&pending);
    (void)pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    ssize_t count = write(fd, text.ptr, text.len);
    int code = errno;
    if (count < 0 && code == EPIPE && sigismember(&pending, SIGPIPE) == 0) {
        (void)sigtimedwait(&pipe_signal, NULL, &no_time);
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return count;
}

/* Writes the queued bytes. If the write fails, the child is useless and is terminated. Most often
 * it has just exited, and its exit status is the better error. */
static void write_unread(end *pipe_end)
{
    haft__child *child = pipe_end->child;
    haft_str left = haft__str_skip(haft__buf_str(&child->unread), child->written_of_unread);
    ssize_t count = write_no_sigpipe(pipe_end->fd, left);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (count < 0) {
        close_stdin_first(child);
        return;
    }
    child->written_of_unread += (size_t)count;
    if (child->written_of_unread == child->unread.len) {
        haft__buf_clear(&child->unread);
        child->written_of_unread = 0;
        (void)uv_poll_stop(&pipe_end->poll);
    }
}

/* Writes the next bytes of the input. If the program does not read its input, the write fails,
 * which is not an error. */
static void on_writable(uv_poll_t *poll, int status, int events)
{
    end *pipe_end = poll->data;
    haft__child *child = pipe_end->child;
    (void)status;
    (void)events;
    if (child->interactive) {
        write_unread(pipe_end);
        return;
    }
    ssize_t count = write_no_sigpipe(pipe_end->fd, child->input);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    child->input = haft__str_skip(child->input, count > 0 ? (size_t)count : child->input.len);
    if (child->input.len == 0) {
        close_end(pipe_end);
    }
}

/* Queues bytes. Removes the written part of the queue first. */
haft_status haft__child_write(haft__child *child, haft_str bytes, haft_error *err)
{
    end *pipe_end = &child->ends[INPUT];
    haft__buf *unread = &child->unread;
    if (pipe_end->fd < 0) {
        return haft__fail(err, HAFT_IO, "", "the child process has closed its standard input");
    }
    if (child->written_of_unread > 0) {
        unread->len -= child->written_of_unread;
        memmove(unread->ptr, unread->ptr + child->written_of_unread, unread->len);
        child->written_of_unread = 0;
    }
    size_t before = unread->len;
    haft__buf_add_str(unread, bytes);
    haft_status status = haft__buf_check(unread, err);
    unread->len = status == HAFT_OK ? unread->len : before;
    unread->status = HAFT_OK;
    if (unread->len > 0) {
        (void)uv_poll_start(&pipe_end->poll, UV_WRITABLE, on_writable);
    }
    return status;
}

/* ---- output ---- */

static void keep_output(haft__child *child, haft_str piece)
{
    if (child->interactive) {
        if (child->on_output != NULL) {
            child->on_output(child->context, piece);
        }
        return;
    }
    size_t room = child->max_output - child->output.len;
    child->result.output_cut = piece.len > room;
    haft__buf_add(&child->output, piece.ptr, piece.len < room ? piece.len : room);
    child->result.no_memory = child->output.status != HAFT_OK;
}

haft_str haft__child_stderr(const haft__child *child)
{
    return (haft_str){child->errors, child->error_bytes};
}

/* Appends to the stored end of the standard error. */
static void keep_errors(haft__child *child, haft_str piece)
{
    size_t size = sizeof(child->errors);
    piece = haft__str_skip(piece, piece.len > size ? piece.len - size : 0);
    size_t kept_bytes = child->error_bytes;
    kept_bytes = kept_bytes + piece.len > size ? size - piece.len : kept_bytes;
    memmove(child->errors, child->errors + (child->error_bytes - kept_bytes), kept_bytes);
    memcpy(child->errors + kept_bytes, piece.ptr, piece.len);
    child->error_bytes = kept_bytes + piece.len;
}

static void keep_report(haft__child *child, haft_str piece)
{
    size_t room = sizeof(child->report) - child->report_bytes;
    size_t length = piece.len < room ? piece.len : room;
    memcpy(child->report + child->report_bytes, piece.ptr, length);
    child->report_bytes += length;
}

static bool stays_open(const haft__child *child, size_t which)
{
    return which != OUTPUT || !(child->result.output_cut || child->result.no_memory);
}

/* Reads a piece. Returns its size; 0 at the end of the output and if no more is available. */
static size_t read_piece(end *pipe_end, size_t max_bytes)
{
    char bytes[PIECE_BYTES];
    haft__child *child = pipe_end->child;
    size_t which = (size_t)(pipe_end - child->ends);
    ssize_t count =
        read(pipe_end->fd, bytes, max_bytes < sizeof(bytes) ? max_bytes : sizeof(bytes));
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return 0;
    }
    if (count <= 0) {
        close_end(pipe_end);
        if (which == OUTPUT && child->interactive) {
            child->stdout_closed = true;
            /* Its output can no longer be read. Most often the child has just exited. */
            close_stdin_first(child);
        }
        return 0;
    }
    haft_str piece = {bytes, (size_t)count};
    if (which == OUTPUT) {
        keep_output(child, piece);
    } else if (which == ERRORS) {
        keep_errors(child, piece);
    } else {
        keep_report(child, piece);
    }
    if (!stays_open(child, which)) {
        close_end(pipe_end);
    }
    return piece.len;
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    end *pipe_end = poll->data;
    haft__child *child = pipe_end->child;
    (void)status; /* the read reports the error */
    (void)events;
    (void)read_piece(pipe_end, PIECE_BYTES);
    if (!stays_open(child, OUTPUT)) {
        terminate(child);
    }
}

/* ---- exit ---- */

/* Reads the bytes that are already in the pipe. Output that other processes write later does not
 * belong to the child. */
static void drain(end *pipe_end)
{
    int left = 0;
    if (pipe_end->fd < 0 || ioctl(pipe_end->fd, FIONREAD, &left) != 0) {
        return;
    }
    for (size_t count = 1; left > 0 && count > 0 && pipe_end->fd >= 0; left -= (int)count) {
        count = read_piece(pipe_end, (size_t)left);
    }
}

/* The lines of guard; see libexec/haft/guard.c. */
static void read_report(haft__child *child)
{
    haft_str line = haft__str_trim((haft_str){child->report, child->report_bytes});
    bool ended = haft__str_equal(line, HAFT__LIT("ended"));
    bool killed = line.len == 0 || haft__str_equal(line, HAFT__LIT("killed"));
    child->result.killed = child->program != NULL && killed;
    child->result.report = ended || killed ? HAFT__LIT("") : line;
}

static void on_end(uv_process_t *process, int64_t status, int number)
{
    haft__child *child = process->data;
    haft__child_result *result = &child->result;
    child->ending = true; /* no process is left to signal */
    for (size_t i = OUTPUT; i < PIPES; i++) {
        drain(&child->ends[i]);
    }
    reap(child);
    if (child->done == NULL) {
        return;
    }
    result->status = (int)status;
    result->signal = number;
    result->output = haft__buf_str(&child->output);
    result->errors = (haft_str){child->errors, child->error_bytes};
    read_report(child);
    child->done(child->context, result);
}

/* ---- start ---- */

static haft_status fail(haft_error *err, const haft__child_options *options, int code)
{
    haft_status status = code == UV_ENOMEM ? HAFT_NO_MEMORY : HAFT_IO;
    status = code == UV_ENOENT ? HAFT_NOT_FOUND : status;
    const char *in = options->cwd != NULL ? " in " : "";
    return haft__fail(err, status, "", "%s cannot be started%s%s: %s", options->argv[0], in,
                      options->cwd != NULL ? options->cwd : "", uv_strerror(code));
}

/* Creates a pipe: haft's end is polled, *ret_fd is the program's end. Returns 0 or a libuv
 * error. */
static int open_end(haft__child *child, size_t which, int *ret_fd)
{
    end *pipe_end = &child->ends[which];
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0) {
        return uv_translate_sys_error(errno);
    }
    pipe_end->fd = fds[which == INPUT];
    *ret_fd = fds[which != INPUT];
    int code = uv_poll_init(haft__loop_uv(child->loop), &pipe_end->poll, pipe_end->fd);
    pipe_end->poll.data = pipe_end;
    pipe_end->polled = code == 0;
    child->handles += code == 0;
    return code;
}

static int spawn(haft__child *child, const haft__child_options *options)
{
    size_t count = options->report ? PIPES : REPORT;
    uv_stdio_container_t child_ends[PIPES];
    int code = 0;
    for (size_t i = 0; i < PIPES; i++) {
        child_ends[i] = (uv_stdio_container_t){.flags = UV_INHERIT_FD, .data.fd = -1};
        code = code == 0 && i < count ? open_end(child, i, &child_ends[i].data.fd) : code;
    }
    if (code == 0) {
        uv_process_options_t spawned = {.exit_cb = on_end,
                                        .file = options->argv[0],
                                        .cwd = options->cwd,
                                        .stdio = child_ends,
                                        .stdio_count = (int)count};
        /* libuv does not modify them; its types only lack const. */
        memcpy(&spawned.args, &options->argv, sizeof(spawned.args));
        memcpy(&spawned.env, &options->env, sizeof(spawned.env));
        code = uv_spawn(haft__loop_uv(child->loop), &child->process, &spawned);
        child->process.data = child;
        child->handles++;
        if (code != 0) {
            close_handle(child, (uv_handle_t *)&child->process);
        }
    }
    for (size_t i = 0; i < PIPES; i++) {
        if (child_ends[i].data.fd >= 0) {
            (void)close(child_ends[i].data.fd);
        }
    }
    return code;
}

static void watch(haft__child *child)
{
    for (size_t i = OUTPUT; i < PIPES; i++) {
        if (child->ends[i].fd >= 0) {
            (void)uv_poll_start(&child->ends[i].poll, UV_READABLE, on_readable);
        }
    }
    if (child->interactive) {
        return; /* polled only when data is queued */
    }
    if (child->input.len > 0) {
        (void)uv_poll_start(&child->ends[INPUT].poll, UV_WRITABLE, on_writable);
    } else {
        close_end(&child->ends[INPUT]);
    }
}

haft_status haft__child_start(haft__loop *loop, const haft__child_options *options,
                              haft__child **ret_child, haft_error *err)
{
    haft__child *child = calloc(1, sizeof(*child));
    if (child == NULL) {
        return haft__fail_no_memory(err);
    }
    child->loop = loop;
    child->grace = options->grace;
    child->input = options->input;
    child->max_output = options->max_output;
    child->done = options->done;
    child->on_output = options->on_output;
    child->interactive = options->on_output != NULL;
    child->stdin_grace = options->stdin_grace;
    child->context = options->context;
    haft__buf_init(&child->output, options->max_output);
    haft__buf_init(&child->unread, options->max_unread);
    for (size_t i = 0; i < PIPES; i++) {
        child->ends[i].child = child;
        child->ends[i].fd = -1;
    }
    child->program = options->report ? strdup(options->argv[0]) : NULL;
    int code = options->report && child->program == NULL ? UV_ENOMEM : spawn(child, options);
    if (code != 0) {
        close_ends(child);
        if (child->handles == 0) { /* otherwise the close callbacks free the child */
            free_child(child);
        }
        return fail(err, options, code);
    }
    join_group(child, options->group);
    watch(child);
    *ret_child = child;
    return HAFT_OK;
}
