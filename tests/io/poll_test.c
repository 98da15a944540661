/* SPDX-License-Identifier: Apache-2.0 */
#include "io/poll.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"

typedef struct watched {
    haft__loop *loop;
    haft__poll *poll;
    int sockets[2], calls;
    bool destroy; /* from inside */
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
    CHECK_INT(step(&w), 0, "nothing is wanted");
    CHECK_INT(haft__poll_set_interest(w.poll, false, true, NULL), HAFT_OK, "want");
    CHECK_INT(step(&w), 1, "it can be written");
    CHECK_INT(haft__poll_set_interest(w.poll, true, false, NULL), HAFT_OK, "want");
    CHECK_INT(haft__poll_set_interest(w.poll, true, false, NULL), HAFT_OK, "want the same");
    CHECK_INT(step(&w), 0, "there is nothing to read");
    CHECK_INT(write(w.sockets[1], "x", 1), 1, "no write");
    CHECK_INT(step(&w), 1, "there is");
    CHECK_INT(step(&w), 1, "still");
    CHECK_INT(haft__poll_set_interest(w.poll, false, false, NULL), HAFT_OK, "want");
    CHECK_INT(step(&w), 0, "no interest is set");
    end(&w);
}

TEST(a_closed_socket_is_reported)
{
    watched w;
    begin(&w);
    CHECK_INT(haft__poll_set_interest(w.poll, true, false, NULL), HAFT_OK, "want");
    (void)close(w.sockets[1]);
    CHECK_INT(step(&w), 1, "it can be read: the end");
    w.destroy = true;
    CHECK_INT(step(&w), 1, "the last time");
    CHECK_INT(step(&w), 0, "it is gone");
    end(&w);
    haft__poll_destroy(NULL);
}

/* A library may close its socket first: the number belongs to another file, which can be
 * watched. */
TEST(a_socket_may_be_closed_while_it_is_watched)
{
    watched w;
    int others[2], old;
    haft__poll *poll = NULL;
    begin(&w);
    old = w.sockets[0];
    CHECK_INT(haft__poll_set_interest(w.poll, true, false, NULL), HAFT_OK, "want");
    (void)close(old);
    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, others), 0, "no sockets");
    CHECK_INT(others[0], old, "the number is used again");
    CHECK_INT(haft__poll_create(w.loop, others[0], ready, &w, &poll, NULL), HAFT_OK, "no poll");
    CHECK_INT(haft__poll_set_interest(poll, true, false, NULL), HAFT_OK, "want");
    haft__poll_destroy(w.poll);
    w.poll = poll;
    CHECK_INT(write(others[1], "x", 1), 1, "no write");
    CHECK_INT(step(&w), 1, "the new one is still watched");
    (void)close(others[1]);
    end(&w);
}

TEST(a_descriptor_that_cannot_be_polled_is_reported)
{
    watched w;
    haft_error err = {0};
    haft__poll *poll = NULL;
    begin(&w);
    CHECK_INT(haft__poll_create(w.loop, -1, ready, &w, &poll, &err), HAFT_IO, "no socket");
    CHECK(strstr(err.message, "cannot poll a socket: ") == err.message, "%s", err.message);
    int folder = open("/", O_RDONLY | O_CLOEXEC);
    CHECK_INT(haft__poll_create(w.loop, folder, ready, &w, &poll, &err), HAFT_IO, "a folder");
    (void)close(folder);
    test_fail_allocation(0);
    CHECK_INT(haft__poll_create(w.loop, w.sockets[1], ready, &w, &poll, &err), HAFT_NO_MEMORY,
              "no memory");
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
