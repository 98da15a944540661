/* SPDX-License-Identifier: Apache-2.0 */
/* poll.c - watches a foreign socket on libuv's loop. Tests: tests/io/poll_test.c. */
#include "io/poll.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "io/loop_uv.h"

/* Allocated separately, because closing a libuv handle takes a round of the loop. */
struct haft__poll {
    uv_poll_t uv;
    int fd;       /* the duplicate */
    int interest; /* UV_READABLE ... */
    void (*ready)(void *context);
    void *context;
};

static haft_status fail(haft_error *err, int code)
{
    return haft__fail(err, code == UV_ENOMEM ? HAFT_NO_MEMORY : HAFT_IO, "",
                      "cannot poll a socket: %s", uv_strerror(code));
}

haft_status haft__poll_create(haft__loop *loop, int fd, void (*ready)(void *context), void *context,
                              haft__poll **ret_poll, haft_error *err)
{
    haft__poll *poll = calloc(1, sizeof(*poll));
    if (poll == NULL) {
        return haft__fail_no_memory(err);
    }
    poll->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (poll->fd < 0) {
        int code = uv_translate_sys_error(errno);
        free(poll);
        return fail(err, code);
    }
    int code = uv_poll_init_socket(haft__loop_uv(loop), &poll->uv, poll->fd);
    if (code != 0) {
        (void)close(poll->fd);
        free(poll);
        return fail(err, code);
    }
    poll->uv.data = poll;
    poll->ready = ready;
    poll->context = context;
    *ret_poll = poll;
    return HAFT_OK;
}

static void on_ready(uv_poll_t *uv, int status, int events)
{
    (void)status; /* the library's next read or write reports the error */
    (void)events;
    haft__poll *poll = uv->data;
    poll->ready(poll->context);
}

haft_status haft__poll_set_interest(haft__poll *poll, bool readable, bool writable, haft_error *err)
{
    int events = (readable ? UV_READABLE : 0) | (writable ? UV_WRITABLE : 0);
    if (events == poll->interest) {
        return HAFT_OK;
    }
    int code = events == 0 ? uv_poll_stop(&poll->uv) : uv_poll_start(&poll->uv, events, on_ready);
    if (code != 0) {
        return fail(err, code);
    }
    poll->interest = events;
    return HAFT_OK;
}

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void haft__poll_destroy(haft__poll *poll)
{
    if (poll != NULL) {
        (void)uv_poll_stop(&poll->uv);
        uv_close((uv_handle_t *)&poll->uv, on_closed);
        (void)close(poll->fd);
    }
}

void haft__poll_wait(int fd, bool readable, bool writable, int timeout_ms)
{
    struct pollfd one = {.fd = fd,
                         .events = (short)((readable ? POLLIN : 0) | (writable ? POLLOUT : 0))};
    (void)poll(&one, 1, timeout_ms);
}
