/* SPDX-License-Identifier: Apache-2.0 */
/* child.c - events about child runs. Tests: tests/run/fold/fold_test.c. */
#include "base/error.h"
#include "base/id.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "run/fold/fold_int.h"
#include "json/object.h"

/* A fork also has a parent, but no root, so it is not a child. */
haft_status haft__fold_child_of(haft__run *run, const haft__event *event, haft_error *err)
{
    run->root = haft__object_text(event->object, "root");
    run->parent = run->parent_call = run->path = HAFT__LIT("");
    if (run->root.len == 0) {
        run->root = HAFT__LIT("");
        return HAFT_OK;
    }
    run->parent = haft__object_text(event->object, "parent");
    run->parent_call = haft__object_text(event->object, "call");
    run->path = haft__object_text(event->object, "path");
    return haft__id_valid(run->parent) && haft__id_valid(run->root) && run->path.len > 0
               ? HAFT_OK
               : haft__fold_fail(event, "the parent or the root is not a run", err);
}

/* A call of an agent that has started and has no child yet. */
static haft__run_call *find_open_call(haft__run *run, haft_str id)
{
    for (size_t i = run->batch; i < run->call_count; i++) {
        haft__run_call *call = &run->calls[i];
        if (haft__str_equal(call->id, id) && call->stage == HAFT__CALL_STARTED
            && call->tool->source == HAFT__TOOL_AGENT) {
            return call;
        }
    }
    return NULL;
}

static haft_status add_child(haft__run *run, haft__child *child, haft_error *err)
{
    haft__child **children =
        haft__vec_reserve_in(run->arena, run->children, run->child_count, &run->child_capacity,
                             run->child_count + 1, sizeof(*children));
    if (children == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    run->children = children;
    run->children[run->child_count++] = child;
    run->open_children++;
    return HAFT_OK;
}

haft_status haft__fold_child_started(haft__run *run, const haft__event *event, haft_error *err)
{
    haft_str key = {NULL, 0}, id = {NULL, 0}, agent = {NULL, 0};
    haft_status status = haft__event_text(event, "call", &key, err);
    if (status == HAFT_OK) {
        status = haft__event_text(event, "child", &id, err);
    }
    if (status == HAFT_OK) {
        status = haft__event_text(event, "agent", &agent, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__run_call *call = find_open_call(run, key);
    if (call == NULL || call->child != NULL || !haft__id_valid(id)) {
        return haft__fold_fail(event, "no call waits for this child", err);
    }
    haft__child *child = haft__arena_alloc(run->arena, sizeof(*child));
    if (child == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    *child = (haft__child){
        .key = call->id,
        .run = id,
        .agent = agent,
        .limits = haft__child_read_limits(haft__object_get(event->object, "limits")),
    };
    call->child = child;
    return add_child(run, child, err);
}

haft_status haft__fold_child_finished(haft__run *run, const haft__event *event, haft_error *err)
{
    haft_str key = {NULL, 0}, end = {NULL, 0};
    haft_status status = haft__event_text(event, "call", &key, err);
    if (status == HAFT_OK) {
        status = haft__event_text(event, "end", &end, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__child *child = haft__child_find(run, key);
    if (child == NULL || child->finished
        || !haft__str_equal(child->run, haft__object_text(event->object, "child"))) {
        return haft__fold_fail(event, "the run waits for no such child", err);
    }
    child->finished = true;
    child->end = end;
    child->answer = haft__object_text(event->object, "answer");
    child->reason = haft__object_text(event->object, "reason");
    child->usage = haft__child_read_usage(event->object);
    status = haft__fold_copy_json(run, haft__event_field(event, "result"), &child->result, err);
    haft__tree_usage_add(&run->child_usage, &child->usage);
    run->open_children--;
    return status;
}
