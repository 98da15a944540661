/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stdio.c - line I/O with two jobs of a pool: one reads and one writes. Each waits for its
 * descriptor or for the shutdown.
 *
 * A writable descriptor accepts at least PIPE_BUF bytes without blocking. A single write is not
 * longer, so the shutdown never waits for the peer. Tests: tests/io/stdio_test.c.
 */
#include "io/stdio.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "io/pool.h"

#define READ_BYTES 65536U

struct haft__stdio {
    haft__stdio_options options;
    haft__pool *pool;
    int wake[2]; /* the second end is closed to signal the shutdown */
    haft__pool_job read_job, write_job;
    bool reading, writing, ended, broken, over;
    char chunk[READ_BYTES];
    ssize_t got;      /* bytes in `chunk`; 0 at the end, negative on a read error */
    size_t processed; /* bytes of `chunk` that are processed */
    bool stopped;     /* the rest of `chunk` is processed when the queue has space */
    haft__buf line;
    bool skipping; /* discards the rest of a line that is too long */
    haft__buf queued, written;
    bool wrote; /* all of `written` was written */
};

/* Waits until the descriptor is ready; false on shutdown. */
static bool wait_for(const haft__stdio *stdio, int fd, short events)
{
    struct pollfd fds[] = {{fd, events, 0}, {stdio->wake[0], POLLIN, 0}};
    int ready;
    do {
        ready = poll(fds, 2, -1);
    } while (ready < 0 && errno == EINTR);
    return ready > 0 && fds[1].revents == 0;
}

/* ---- reading ---- */

static void do_read(haft__pool_job *job)
{
    haft__stdio *stdio = HAFT__CONTAINER(job, haft__stdio, read_job);
    stdio->got = 0;
    if (wait_for(stdio, stdio->options.in, POLLIN)) {
        do {
            stdio->got = read(stdio->options.in, stdio->chunk, sizeof(stdio->chunk));
        } while (stdio->got < 0 && (errno == EINTR || errno == EAGAIN));
    }
}

static void end(haft__stdio *stdio)
{
    if (!stdio->ended && !stdio->over) {
        stdio->ended = true;
        stdio->options.ended(stdio->options.context);
    }
}

static void finish_line(haft__stdio *stdio)
{
    if (stdio->skipping) {
        stdio->skipping = false;
        stdio->options.too_long(stdio->options.context);
    } else {
        haft_str line = haft__buf_str(&stdio->line);
        if (haft__str_ends_with(line, HAFT__LIT("\r"))) {
            line.len--;
        }
        stdio->options.line(stdio->options.context, line);
    }
    haft__buf_clear(&stdio->line);
}

static bool is_full(const haft__stdio *stdio)
{
    return stdio->queued.len > stdio->options.max_queue / 4;
}

/* Processes the input line by line, as long as responses can be queued. */
static void process_input(haft__stdio *stdio)
{
    while (stdio->processed < (size_t)stdio->got && !stdio->ended && !is_full(stdio)) {
        haft_str bytes = {stdio->chunk + stdio->processed, (size_t)stdio->got - stdio->processed};
        const char *at = memchr(bytes.ptr, '\n', bytes.len);
        size_t length = at != NULL ? (size_t)(at - bytes.ptr) : bytes.len;
        if (!stdio->skipping) {
            haft__buf_add(&stdio->line, bytes.ptr, length);
        }
        if (haft__buf_check(&stdio->line, NULL) != HAFT_OK) {
            stdio->skipping = true;
            haft__buf_finish(&stdio->line);
            haft__buf_init(&stdio->line, stdio->options.max_line);
        }
        stdio->processed += length + (at != NULL ? 1 : 0);
        if (at != NULL) {
            finish_line(stdio);
        }
    }
}

static void read_more(haft__stdio *stdio)
{
    stdio->reading = haft__pool_submit(stdio->pool, &stdio->read_job, NULL) == HAFT_OK;
    if (!stdio->reading) {
        end(stdio);
    }
}

/* Processes the buffered input, then reads more. */
static void resume_reading(haft__stdio *stdio)
{
    process_input(stdio);
    stdio->stopped = !stdio->ended && is_full(stdio);
    if (!stdio->ended && !stdio->stopped) {
        read_more(stdio);
    }
}

static void on_read(haft__pool_job *job)
{
    haft__stdio *stdio = HAFT__CONTAINER(job, haft__stdio, read_job);
    stdio->reading = false;
    if (stdio->over) {
        return;
    }
    stdio->processed = 0;
    if (stdio->got > 0) {
        resume_reading(stdio);
        return;
    }
    if (stdio->line.len > 0 || stdio->skipping) {
        finish_line(stdio); /* the last line without a line end */
    }
    end(stdio);
}

/* ---- writing ---- */

static void do_write(haft__pool_job *job)
{
    haft__stdio *stdio = HAFT__CONTAINER(job, haft__stdio, write_job);
    haft_str rest = haft__buf_str(&stdio->written);
    while (rest.len > 0 && wait_for(stdio, stdio->options.out, POLLOUT)) {
        ssize_t count =
            write(stdio->options.out, rest.ptr, rest.len < PIPE_BUF ? rest.len : PIPE_BUF);
        if (count < 0 && errno != EINTR && errno != EAGAIN) {
            break;
        }
        rest = haft__str_skip(rest, count > 0 ? (size_t)count : 0);
    }
    stdio->wrote = rest.len == 0;
}

static void write_more(haft__stdio *stdio)
{
    if (stdio->writing || stdio->queued.len == 0) {
        return;
    }
    haft__buf empty = stdio->written;
    stdio->written = stdio->queued;
    stdio->queued = empty;
    haft__buf_clear(&stdio->queued);
    stdio->writing = haft__pool_submit(stdio->pool, &stdio->write_job, NULL) == HAFT_OK;
    stdio->broken = !stdio->writing;
}

static void on_written(haft__pool_job *job)
{
    haft__stdio *stdio = HAFT__CONTAINER(job, haft__stdio, write_job);
    stdio->writing = false;
    if (stdio->over) {
        return;
    }
    if (!stdio->wrote) {
        stdio->broken = true;
        end(stdio);
        return;
    }
    write_more(stdio);
    if (stdio->broken) {
        end(stdio);
    } else if (stdio->stopped && !is_full(stdio)) {
        resume_reading(stdio);
    }
}

bool haft__stdio_write(haft__stdio *stdio, haft_str line)
{
    haft__buf_add_str(&stdio->queued, line);
    haft__buf_add_char(&stdio->queued, '\n');
    if (stdio->broken || haft__buf_check(&stdio->queued, NULL) != HAFT_OK) {
        stdio->broken = true;
        return false;
    }
    write_more(stdio);
    return !stdio->broken;
}

bool haft__stdio_idle(const haft__stdio *stdio)
{
    return stdio->broken || (!stdio->writing && stdio->queued.len == 0);
}

haft_status haft__stdio_error(const haft__stdio *stdio)
{
    return stdio->queued.status;
}

/* ---- creation and shutdown ---- */

haft_status haft__stdio_create(const haft__stdio_options *options, haft__stdio **ret_stdio,
                               haft_error *err)
{
    haft__stdio *stdio = calloc(1, sizeof(*stdio));
    if (stdio == NULL) {
        return haft__fail_no_memory(err);
    }
    stdio->options = *options;
    stdio->read_job = (haft__pool_job){.work = do_read, .done = on_read};
    stdio->write_job = (haft__pool_job){.work = do_write, .done = on_written};
    haft__buf_init(&stdio->line, options->max_line);
    haft__buf_init(&stdio->queued, options->max_queue);
    haft__buf_init(&stdio->written, options->max_queue);
    if (pipe2(stdio->wake, O_CLOEXEC) != 0) {
        free(stdio);
        return haft__fail(err, HAFT_IO, "", "out of file descriptors");
    }
    haft_status status = haft__pool_create(options->loop, 2, &stdio->pool, err);
    if (status == HAFT_OK) {
        status = haft__pool_submit(stdio->pool, &stdio->read_job, err);
        stdio->reading = status == HAFT_OK;
    }
    if (status != HAFT_OK) {
        haft__stdio_destroy(stdio);
        return status;
    }
    *ret_stdio = stdio;
    return HAFT_OK;
}

void haft__stdio_destroy(haft__stdio *stdio)
{
    if (stdio == NULL) {
        return;
    }
    stdio->over = true;
    (void)close(stdio->wake[1]);
    if (stdio->pool != NULL) {
        haft__pool_destroy(stdio->pool);
    }
    while (stdio->reading || stdio->writing) { /* run the pending `done` callbacks */
        if (haft__loop_step(stdio->options.loop, 0, NULL) != HAFT_OK) {
            break;
        }
    }
    (void)close(stdio->wake[0]);
    haft__buf_finish(&stdio->line);
    haft__buf_finish(&stdio->queued);
    haft__buf_finish(&stdio->written);
    free(stdio);
}
