/* SPDX-License-Identifier: Apache-2.0 */
/* progress.c - see exec/progress.h. Tests: tests/exec/function_test.c, tests/exec/queued_test.c. */
#include "exec/progress.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/macros.h"

typedef struct message {
    haft__task task;
    haft__progress *progress;
    size_t length;
    char text[];
} message;

static void deliver(haft__task *task)
{
    message *sent = HAFT__CONTAINER(task, message, task);
    haft__progress *progress = sent->progress;
    (void)atomic_fetch_sub(&progress->bytes, sizeof(*sent) + sent->length);
    progress->deliver(progress, (haft_str){sent->text, sent->length});
    free(sent);
}

void haft__progress_drop(haft__task *task)
{
    free(HAFT__CONTAINER(task, message, task));
}

haft__task *haft__progress_send(haft__progress *progress, haft_str json)
{
    size_t size = sizeof(message) + json.len;
    if (size > HAFT__LIMIT_EXEC_PROGRESS_BYTES
        || atomic_load(&progress->bytes) > HAFT__LIMIT_EXEC_PROGRESS_BYTES - size) {
        return NULL;
    }
    message *sent = malloc(size);
    if (sent == NULL) {
        return NULL;
    }
    (void)atomic_fetch_add(&progress->bytes, size);
    *sent = (message){.task = {.run = deliver}, .progress = progress, .length = json.len};
    memcpy(sent->text, json.ptr, json.len);
    return &sent->task;
}
