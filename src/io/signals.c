/* SPDX-License-Identifier: Apache-2.0 */
/* signals.c - libuv's signal handles. Tests: tests/io/signals_test.c. */
#include "io/signals.h"

#include <signal.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/macros.h"
#include "io/loop_uv.h"

static const int caught_signals[] = {SIGINT, SIGTERM, SIGHUP};

struct haft__signals {
    uv_signal_t handles[COUNT(caught_signals)];
    size_t handle_count, closed;
    void (*caught)(void *context, int signal);
    void *context;
};

static void on_signal(uv_signal_t *handle, int signal)
{
    haft__signals *signals = handle->data;
    signals->caught(signals->context, signal);
}

haft_status haft__signals_create(haft__loop *loop, void (*caught)(void *context, int signal),
                                 void *context, haft__signals **ret_signals, haft_error *err)
{
    haft__signals *signals = calloc(1, sizeof(*signals));
    if (signals == NULL) {
        return haft__fail_no_memory(err);
    }
    signals->caught = caught;
    signals->context = context;
    int code = 0;
    for (size_t i = 0; i < COUNT(caught_signals) && code == 0; i++) {
        uv_signal_t *handle = &signals->handles[i];
        code = uv_signal_init(haft__loop_uv(loop), handle);
        if (code == 0) {
            signals->handle_count++;
            handle->data = signals;
            code = uv_signal_start(handle, on_signal, caught_signals[i]);
        }
    }
    if (code != 0) {
        haft__signals_destroy(signals);
        return haft__fail(err, HAFT_IO, "", "cannot install signal handlers: %s",
                          uv_strerror(code));
    }
    *ret_signals = signals;
    return HAFT_OK;
}

static void on_closed(uv_handle_t *handle)
{
    haft__signals *signals = handle->data;
    if (++signals->closed == signals->handle_count) {
        free(signals);
    }
}

void haft__signals_destroy(haft__signals *signals)
{
    if (signals == NULL) {
        return;
    }
    if (signals->handle_count == 0) {
        free(signals);
        return;
    }
    for (size_t i = 0, handle_count = signals->handle_count; i < handle_count; i++) {
        uv_close((uv_handle_t *)&signals->handles[i], on_closed);
    }
}
