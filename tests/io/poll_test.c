/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/io/poll.c: callbacks for sockets that can be read or written. */
#include "io/poll.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"

typedef struct watched {
    haft__loop *loop;
    haft__poll *poll;
    int sockets[2], calls;
    bool destroy; /* the callback destroys the poll */
} watched;

static void ready(void *context)
{
    watched *w = context;
    w->calls++;
    if (w->destroy) {
        haft__poll_destroy(w->poll);
        w->poll = NULL;
    }
}

static void begin(watched *w)
{
    *w = (watched){.destroy = false};
    CHECK_INT(haft__loop_create(&w->loop, NULL), HAFT_OK, "cannot create the loop");
    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, w->sockets), 0, "no sockets");
    CHECK_INT(haft__poll_create(w->loop, w->sockets[0], ready, w, &w->poll, NULL), HAFT_OK,
              "no poll");
}

static void end(watched *w)
{
    haft__poll_destroy(w->poll);
    (void)close(w->sockets[0]);
    (void)close(w->sockets[1]);
    haft__loop_destroy(w->loop);
}

static int step(watched *w)
{
    int before = w->calls;
    CHECK_INT(haft__loop_step(w->loop, 0, NULL), HAFT_OK, "the loop step failed");
    return w->calls - before;
}

TEST(a_usable_socket_is_reported)
{
    watched w;
    begin(&w);
    CHECK_INT(step(&w), 0, "calls without an interest");
    CHECK_INT(haft__poll_set_interest(w.poll, false, true, NULL), HAFT_OK,
              "set the interest: write");
    CHECK_INT(step(&w), 1, "calls if the socket can be written");
    CHECK_INT(haft__poll_set_interest(w.poll, true, false, NULL), HAFT_OK,
              "set the interest: read");
    CHECK_INT(haft__poll_set_interest(w.poll, true, false, NULL), HAFT_OK, "set the same interest");
    CHECK_INT(step(&w), 0, "calls if there is nothing to read");
    CHECK_INT(write(w.sockets[1], "x", 1), 1, "no write");
    CHECK_INT(step(&w), 1, "calls if there is something to read");
    CHECK_INT(step(&w), 1, "calls if the byte is still unread");
    CHECK_INT(haft__poll_set_interest(w.poll, false, false, NULL), HAFT_OK,
              "set the interest: none");
    CHECK_INT(step(&w), 0, "calls without an interest");
    end(&w);
}

TEST(a_closed_socket_is_reported)
{
    watched w;
    begin(&w);
    CHECK_INT(haft__poll_set_interest(w.poll, true, false, NULL), HAFT_OK,
              "set the interest: read");
    (void)close(w.sockets[1]);
    CHECK_INT(step(&w), 1, "calls if the other end is closed");
    w.destroy = true;
    CHECK_INT(step(&w), 1, "calls of a callback that destroys the poll");
    CHECK_INT(step(&w), 0, "calls after the poll was destroyed");
    end(&w);
    haft__poll_destroy(NULL);
}

/* A library may close its socket first. Then the number belongs to another file, which can be
 * watched. */
TEST(a_socket_may_be_closed_while_it_is_watched)
{
    watched w;
    int others[2], old;
    haft__poll *poll = NULL;
    begin(&w);
    old = w.sockets[0];
    CHECK_INT(haft__poll_set_interest(w.poll, true, false, NULL), HAFT_OK,
              "set the interest: read");
    (void)close(old);
    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, others), 0, "no sockets");
    CHECK_INT(others[0], old, "the number of the new socket");
    CHECK_INT(haft__poll_create(w.loop, others[0], ready, &w, &poll, NULL), HAFT_OK, "no poll");
    CHECK_INT(haft__poll_set_interest(poll, true, false, NULL), HAFT_OK, "set the interest: read");
    haft__poll_destroy(w.poll);
    w.poll = poll;
    CHECK_INT(write(others[1], "x", 1), 1, "no write");
    CHECK_INT(step(&w), 1, "calls for the new socket");
    (void)close(others[1]);
    end(&w);
}

TEST(a_descriptor_that_cannot_be_polled_is_reported)
{
    watched w;
    haft_error err = {0};
    haft__poll *poll = NULL;
    begin(&w);
    CHECK_INT(haft__poll_create(w.loop, -1, ready, &w, &poll, &err), HAFT_IO,
              "an invalid descriptor");
    CHECK(strstr(err.message, "cannot poll a socket: ") == err.message, "%s", err.message);
    int folder = open("/", O_RDONLY | O_CLOEXEC);
    CHECK_INT(haft__poll_create(w.loop, folder, ready, &w, &poll, &err), HAFT_IO, "a directory");
    (void)close(folder);
    test_fail_allocation(0);
    CHECK_INT(haft__poll_create(w.loop, w.sockets[1], ready, &w, &poll, &err), HAFT_NO_MEMORY,
              "a failed allocation");
    (void)test_allow_allocations();
    end(&w);
}

TEST(waiting_without_a_loop_ends_on_an_event)
{
    watched w;
    begin(&w);
    haft__poll_wait(w.sockets[0], false, true, -1);
    CHECK_INT(write(w.sockets[1], "x", 1), 1, "no write");
    haft__poll_wait(w.sockets[0], true, false, -1);
    (void)close(w.sockets[1]);
    haft__poll_wait(w.sockets[0], true, false, -1);
    haft__poll_wait(w.sockets[1], false, false, 1);
    end(&w);
}
