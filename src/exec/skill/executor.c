/* SPDX-License-Identifier: Apache-2.0 */
/*
 * executor.c - the executor of skills: reads files on a thread of the pool. The job's memory, which
 * contains the arguments, stays allocated until the thread is done. Tests:
 * tests/cli/skills_test.py.
 */
#include <stdatomic.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "exec/executor.h"
#include "exec/skill/skill.h"
#include "json/object.h"

typedef struct skill_call {
    haft__pool_job pooled;
    haft__exec_job *job;
    haft__skill_request request;
    atomic_bool abandoned;
    /* Written by the thread, read after the thread is done. */
    haft__buf result;
    haft_status status;
    haft_error err;
} skill_call;

static void work(haft__pool_job *pooled)
{
    skill_call *call = HAFT__CONTAINER(pooled, skill_call, pooled);
    call->status = haft__skill_run(&call->request, &call->result, &call->err);
}

static void report(skill_call *call)
{
    haft__exec_result result = {.ok = true, .text = haft__buf_str(&call->result), .started = true};
    if (call->status != HAFT_OK) {
        haft__exec_report_failure(call->job, &call->err);
    } else {
        haft__exec_report(call->job, &result);
    }
}

static void done(haft__pool_job *pooled)
{
    skill_call *call = HAFT__CONTAINER(pooled, skill_call, pooled);
    haft__exec_job *job = call->job;
    bool abandoned = atomic_load(&call->abandoned);
    if (!abandoned) {
        report(call);
    }
    haft__buf_finish(&call->result);
    if (abandoned) {
        haft__exec_job_release(job);
    }
}

/* "read, grep" */
static haft_str join_names(haft__arena *arena, haft__json names)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_SKILL_TOOLS * (HAFT__LIMIT_TOOL_NAME_BYTES + 2));
    for (uint32_t i = 0; names.kind == HAFT__JSON_ARRAY && i < names.count; i++) {
        haft__buf_add_str(&buf, i > 0 ? HAFT__LIT(", ") : HAFT__LIT(""));
        haft__buf_add_str(&buf, haft__json_text(names.items[i]));
    }
    haft_str joined = haft__arena_copy(arena, haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return joined;
}

static haft_status start(haft__exec_job *job, haft_error *err)
{
    haft__json skill = job->call.tool->definition;
    haft__json allowed = haft__object_get(skill, "allowed_tools");
    skill_call *call = haft__arena_array(&job->arena, 1, sizeof(*call));
    if (call == NULL) {
        return haft__arena_fail(&job->arena, err);
    }
    call->pooled = (haft__pool_job){.work = work, .done = done};
    call->job = job;
    call->request = (haft__skill_request){
        .spec_path = haft__arena_copy(&job->arena, job->call.spec->path),
        .folder = haft__arena_copy(&job->arena, haft__object_string(skill, "folder")),
        .name = haft__arena_copy(&job->arena, haft__object_string(skill, "name")),
        .sha256 = haft__arena_copy(&job->arena, haft__object_string(skill, "sha256")),
        .allowed = join_names(&job->arena, allowed),
        .narrows = allowed.kind == HAFT__JSON_ARRAY,
        .file = haft__arena_copy(&job->arena, haft__object_string(job->call.arguments, "file"))};
    const haft__skill_request *r = &call->request;
    if (r->spec_path.ptr == NULL || r->folder.ptr == NULL || r->name.ptr == NULL
        || r->sha256.ptr == NULL || r->allowed.ptr == NULL || r->file.ptr == NULL) {
        return haft__arena_fail(&job->arena, err);
    }
    haft__buf_init(&call->result, HAFT__SKILL_RESULT_BYTES);
    job->state = call;
    return haft__pool_submit(job->exec->pool, &call->pooled, err);
}

static bool abandon(haft__exec_job *job)
{
    skill_call *call = job->state;
    atomic_store(&call->abandoned, true);
    if (haft__pool_cancel(job->exec->pool, &call->pooled)) {
        job->waiting = true;
        return false;
    }
    /* The thread may hang in a file system that does not respond. */
    (void)haft__pool_abandon(job->exec->pool, &call->pooled);
    return true;
}

const haft__executor haft__executor_skill = {.start = start, .abandon = abandon};
