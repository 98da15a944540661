/* SPDX-License-Identifier: Apache-2.0 */
/* interpreters.c - see interpreters.h. Tests: tests/exec/sandbox/python_test.c. */
#include "exec/sandbox/interpreters.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"

typedef enum probe_stage {
    PROBING,
    READY,
    REFUSED, /* `error` says why */
} probe_stage;

struct haft__interpreters {
    haft__exec *exec; /* NULL after the release: the probe frees the rest */
    haft__arena arena;
    haft__sandbox_options options;
    haft__sandbox sandbox;
    haft_error error;
    haft__pool_job probing;
    haft_status found; /* written by the thread */
    probe_stage stage;
    haft__interpreter_waiter *first;
    haft__python *spare[HAFT__LIMIT_SANDBOX_PRESTARTED];
};

static void free_all(haft__interpreters *all)
{
    haft__arena_finish(&all->arena);
    free(all);
}

/* ---- the probe ---- */

static void probe(haft__pool_job *job)
{
    haft__interpreters *all = HAFT__CONTAINER(job, haft__interpreters, probing);
    all->found = haft__sandbox_probe(&all->arena, &all->options, &all->sandbox, &all->error);
}

static void on_probed(haft__pool_job *job)
{
    haft__interpreters *all = HAFT__CONTAINER(job, haft__interpreters, probing);
    if (all->exec == NULL) {
        free_all(all);
        return;
    }
    all->stage = all->found == HAFT_OK ? READY : REFUSED;
    while (all->first != NULL) {
        haft__interpreter_waiter *waiter = all->first;
        all->first = waiter->next;
        waiter->probed(waiter);
    }
}

/* Copies a variable of haft's environment: the thread reads it later. */
static haft_str copy_variable(haft__interpreters *all, const haft__exec *exec, const char *name)
{
    const haft__spec_env *env = &exec->options.env;
    haft_str value = env->get != NULL ? env->get(env->context, haft__str(name)) : HAFT__LIT("");
    return haft__arena_copy(&all->arena, value);
}

static haft_status create(haft__exec *exec, haft_error *err)
{
    haft__interpreters *all = calloc(1, sizeof(*all));
    if (all == NULL) {
        return haft__fail_no_memory(err);
    }
    all->exec = exec;
    haft__arena_init(&all->arena, HAFT__LIMIT_ARENA_BYTES);
    haft_str guard = haft__arena_copy(&all->arena, haft__str(exec->guard));
    all->options = (haft__sandbox_options){.guard = guard.ptr,
                                           .path = copy_variable(all, exec, "PATH"),
                                           .uid = copy_variable(all, exec, "HAFT_SANDBOX_UID")};
    all->probing = (haft__pool_job){.work = probe, .done = on_probed};
    bool copied =
        guard.ptr != NULL && all->options.path.ptr != NULL && all->options.uid.ptr != NULL;
    haft_status status = copied ? haft__pool_submit(exec->pool, &all->probing, err)
                                : haft__arena_fail(&all->arena, err);
    if (status != HAFT_OK) {
        free_all(all);
        return status;
    }
    exec->interpreters = all;
    return HAFT_OK;
}

haft_status haft__interpreters_probe(haft__exec *exec, haft__interpreter_waiter *waiter,
                                     bool *ret_done, haft_error *err)
{
    if (exec->guard == NULL) {
        if (err != NULL) {
            *err = exec->guard_error;
        }
        return haft__hint(err, HAFT_NOT_FOUND, "make install installs guard and sandbox");
    }
    haft_status status = exec->interpreters == NULL ? create(exec, err) : HAFT_OK;
    if (status != HAFT_OK) {
        return status;
    }
    haft__interpreters *all = exec->interpreters;
    *ret_done = all->stage != PROBING;
    if (!*ret_done) {
        waiter->next = all->first;
        all->first = waiter;
    }
    return HAFT_OK;
}

void haft__interpreters_forget(haft__exec *exec, const haft__interpreter_waiter *waiter)
{
    for (haft__interpreter_waiter **at = &exec->interpreters->first; *at != NULL;
         at = &(*at)->next) {
        if (*at == waiter) {
            *at = waiter->next;
            return;
        }
    }
}

/* ---- interpreters ---- */

static haft_status start_one(haft__interpreters *all, haft__python **ret_python, haft_error *err)
{
    haft__sandbox_limits limits;
    haft__sandbox_limits_init(&limits);
    return haft__python_start(all->exec->options.loop, &all->exec->children, &all->sandbox, &limits,
                              ret_python, err);
}

/* An interpreter that cannot be started in advance is started when it is needed. */
static void fill(haft__interpreters *all)
{
    for (size_t i = 0; i < COUNT(all->spare); i++) {
        if (all->spare[i] != NULL && !haft__python_is_usable(all->spare[i])) {
            haft__python_kill(all->spare[i]);
            all->spare[i] = NULL;
        }
        if (all->spare[i] == NULL && start_one(all, &all->spare[i], NULL) != HAFT_OK) {
            all->spare[i] = NULL;
        }
    }
}

haft_status haft__interpreters_take(haft__exec *exec, haft__python **ret_python, haft_error *err)
{
    haft__interpreters *all = exec->interpreters;
    haft__python *taken = NULL;
    if (all->stage == REFUSED) {
        haft_status status = haft__fail(err, all->error.status, all->error.where,
                                        "python_execution disabled: %s", all->error.message);
        return haft__hint(err, status, "%s", all->error.hint);
    }
    for (size_t i = 0; i < COUNT(all->spare) && taken == NULL; i++) {
        if (all->spare[i] != NULL && haft__python_is_usable(all->spare[i])) {
            taken = all->spare[i];
            all->spare[i] = NULL;
        }
    }
    haft_status status = taken == NULL ? start_one(all, &taken, err) : HAFT_OK;
    if (status == HAFT_OK) {
        *ret_python = taken;
        fill(all);
    }
    return status;
}

const haft__sandbox *haft__interpreters_sandbox(const haft__exec *exec)
{
    return &exec->interpreters->sandbox;
}

void haft__interpreters_release(haft__interpreters *interpreters)
{
    if (interpreters == NULL) {
        return;
    }
    for (size_t i = 0; i < COUNT(interpreters->spare); i++) {
        haft__python_kill(interpreters->spare[i]);
    }
    haft__exec *exec = interpreters->exec;
    bool probing =
        interpreters->stage == PROBING && !haft__pool_cancel(exec->pool, &interpreters->probing);
    interpreters->exec = NULL;
    if (!probing) {
        free_all(interpreters);
    }
}
