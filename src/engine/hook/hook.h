/* SPDX-License-Identifier: Apache-2.0 */
/* engine/hook/hook.h - runs the hooks of middleware: programs and web services. */
#ifndef HAFT_ENGINE_HOOK_H
#define HAFT_ENGINE_HOOK_H

#include "exec/exec.h"
#include "run/middleware/hook.h"

/* A hook that runs in this process. */
typedef struct haft__hook_slot {
    haft_run *run;
    haft_str call; /* id of the call; "" for a request to the model */
    haft_str name;
    haft__hook_point at;
    haft__exec_job *job;
    haft__arena arena;
    struct haft__hook_slot *next;
} haft__hook_slot;

/* Starts the open hooks that may start now. */
HAFT_MUST_USE haft_status haft__hooks_start(haft_run *run, haft_error *err);
void haft__hooks_stop(haft_run *run);

/* Records that hooks of an owner that has stopped failed. A hook that may run again stays open. */
HAFT_MUST_USE haft_status haft__hooks_recover(haft_run *run, haft_error *err);

#endif
