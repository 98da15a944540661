/* SPDX-License-Identifier: Apache-2.0 */
/* input.c - values from outside: the input of a run, and edits of the state by a person. Tests:
 * tests/graph/execution_test.c. */
#include "base/error.h"
#include "base/str.h"
#include "graph/execution_int.h"
#include "json/object.h"

/* ---- the first event ---- */

/* Reads the writes of an object {channel: value}. */
static haft_status read_writes(haft__graph_execution *x, haft__json values,
                               haft__graph_output *ret_output, haft__graph_refusal *ret_refusal,
                               haft_error *err)
{
    haft_status status = HAFT_OK;
    *ret_output = (haft__graph_output){0};
    *ret_refusal = (haft__graph_refusal){.refused = false};
    for (uint32_t i = 0; values.kind == HAFT__JSON_OBJECT && i < values.count && status == HAFT_OK;
         i++) {
        haft__channel_write write = {.value = values.members[i].value};
        haft_str name = haft__json_text(values.members[i].key), why;
        bool valid = true;
        if (!haft__graph_find_channel(x->graph, name, &write.channel)) {
            *ret_refusal = (haft__graph_refusal){
                .refused = true, .code = HAFT__GRAPH_UNKNOWN_CHANNEL, .what = name};
            return HAFT_OK;
        }
        status = haft__channel_check_write(&x->graph->channels[write.channel], x->checker,
                                           write.value, false, &x->scratch, &valid, &why, err);
        if (status == HAFT_OK && !valid) {
            *ret_refusal =
                (haft__graph_refusal){.refused = true, .code = HAFT__GRAPH_BAD_UPDATE, .what = why};
            return HAFT_OK;
        }
        status = status == HAFT_OK ? haft__graph_output_write(ret_output, &x->scratch, write, err)
                                   : status;
    }
    return status;
}

/* Refuses the input or edit, with the failure that the step would have. */
static haft_status refuse(const haft__graph_failure *failure, haft__graph_refusal *ret_refusal)
{
    *ret_refusal =
        (haft__graph_refusal){.refused = true, .code = failure->code, .what = failure->message};
    return HAFT_OK;
}

/* Whether the input sets only channels that `input` of the graph names. */
static bool accepts(const haft__graph *graph, haft__json input, haft_str *ret_other)
{
    for (uint32_t i = 0; input.kind == HAFT__JSON_OBJECT && i < input.count; i++) {
        *ret_other = haft__json_text(input.members[i].key);
        if (graph->input.kind == HAFT__JSON_ARRAY
            && !haft__array_has_text(graph->input, *ret_other)) {
            return false;
        }
    }
    return true;
}

/* Replaces the defaults by the values of the thread. */
static haft_status apply_kept(haft__graph_execution *x, haft__json kept,
                              haft__graph_refusal *ret_refusal, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t c = 0; c < x->graph->channel_count && status == HAFT_OK; c++) {
        const haft__channel *channel = &x->graph->channels[c];
        const haft__json *value = haft__json_get(kept, channel->name);
        bool taken = channel->lifetime == HAFT__LIFETIME_THREAD && value != NULL, valid = true;
        haft_str why;
        if (taken) {
            status = haft__channel_check_value(channel, x->checker, *value, &x->scratch, &valid,
                                               &why, err);
        }
        if (status == HAFT_OK && !valid) {
            *ret_refusal = (haft__graph_refusal){
                .refused = true, .kept = true, .code = HAFT__GRAPH_BAD_UPDATE, .what = why};
            return HAFT_OK;
        }
        if (status == HAFT_OK && taken) {
            haft__channel_delta delta = {.changed = true, .replaced = true, .value = *value};
            status = haft__channel_apply(channel, &x->state.values[c], &delta, err);
        }
    }
    return status;
}

haft_status haft__graph_execution_begin(haft__graph_execution *x, haft__json input, haft__json kept,
                                        haft__json *ret_event, haft__graph_refusal *ret_refusal,
                                        haft_error *err)
{
    haft__graph_output writes;
    haft__graph_finished start = {.node = HAFT__GRAPH_START, .output = &writes};
    haft__graph_following following;
    haft__graph_failure failure = {.code = HAFT__GRAPH_BAD_SHAPE};
    haft_str other = {NULL, 0};
    haft__graph_changes c;
    bool conflict = false;
    haft__arena_reset(&x->scratch);
    *ret_refusal = (haft__graph_refusal){.refused = false};
    if (!accepts(x->graph, input, &other)) {
        *ret_refusal = (haft__graph_refusal){
            .refused = true, .code = HAFT__GRAPH_UNKNOWN_CHANNEL, .what = other};
        return HAFT_OK;
    }
    haft_status status = read_writes(x, input, &writes, ret_refusal, err);
    if (status != HAFT_OK || ret_refusal->refused) {
        return status;
    }
    status = apply_kept(x, kept, ret_refusal, err);
    if (status != HAFT_OK || ret_refusal->refused) {
        return status;
    }
    status = haft__graph_reduce_all(x, &start, 1, kept, &c, &conflict, err);
    bool *arrived = haft__graph_copy_arrived(x);
    haft__graph_fields f = haft__graph_begin_fields(&x->scratch, 8);
    if (status == HAFT_OK && (arrived == NULL || f.out_of_memory)) {
        status = haft__arena_fail(&x->scratch, err);
    }
    if (status == HAFT_OK && conflict) {
        return refuse(&x->failure, ret_refusal);
    }
    if (status == HAFT_OK) {
        /* The edges of start see the input, like the edges of a node see its writes. */
        status = haft__graph_follow(x, &start, 1, arrived, &following, &failure, err);
    }
    if (status == HAFT_OK && failure.code != HAFT__GRAPH_BAD_SHAPE) {
        return refuse(&failure, ret_refusal);
    }
    if (status == HAFT_OK) {
        haft__graph_add_number(&f, "step", 0);
        haft__graph_add_changes(&f, &c);
        haft__graph_add_number(&f, "remaining_steps", x->limit);
        haft__graph_add_following(x, &f, &following);
        *ret_event = haft__graph_end_fields(&f);
        status = f.out_of_memory ? haft__arena_fail(&x->scratch, err) : HAFT_OK;
    }
    return status;
}

/* ---- edits ---- */

static size_t find_open_task(const haft__graph_execution *x, haft__graph_node_id node)
{
    size_t at = 0;
    while (at < x->task_count
           && (x->tasks[at].node != node || x->tasks[at].state == HAFT__TASK_DONE)) {
        at++;
    }
    return at;
}

/* Whether only `as` woke the task, so that it is decided again. */
static bool only_by(const haft__graph_task *task, haft__graph_node_id as)
{
    return task->by_count == 1 && task->by[0] == as;
}

/* Decides again which tasks follow from `as`, without tasks that already exist. */
static haft_status follow_again(haft__graph_execution *x, haft__graph_finished *finished,
                                haft__graph_fields *f, haft__graph_refusal *ret_refusal,
                                haft_error *err)
{
    haft__graph_following following;
    haft__graph_failure failure = {.code = HAFT__GRAPH_BAD_SHAPE};
    bool *arrived = haft__graph_copy_arrived(x);
    size_t kept = 0;
    haft_status status =
        arrived != NULL ? haft__graph_follow(x, finished, 1, arrived, &following, &failure, err)
                        : haft__arena_fail(&x->scratch, err);
    if (status == HAFT_OK && failure.code != HAFT__GRAPH_BAD_SHAPE) {
        return refuse(&failure, ret_refusal);
    }
    for (size_t w = 0; status == HAFT_OK && w < following.count; w++) {
        bool there = false;
        for (size_t t = 0; t < x->task_count && !following.wakes[w].has_argument; t++) {
            const haft__graph_task *task = &x->tasks[t];
            there = there
                    || (task->node == following.wakes[w].node && !task->has_argument
                        && !only_by(task, finished->node));
        }
        if (!there) {
            following.wakes[kept++] = following.wakes[w];
        }
    }
    if (status == HAFT_OK) {
        following.count = kept;
        haft__graph_add_following(x, f, &following);
    }
    return status;
}

haft_status haft__graph_execution_edit(haft__graph_execution *x, haft__json values, haft_str as,
                                       haft__json *ret_event, haft__graph_refusal *ret_refusal,
                                       haft_error *err)
{
    haft__graph_output writes;
    haft__graph_node_id node = HAFT__GRAPH_START;
    haft__graph_changes c = {0};
    bool conflict = false;
    haft__arena_reset(&x->scratch);
    haft_status status = read_writes(x, values, &writes, ret_refusal, err);
    if (status != HAFT_OK || ret_refusal->refused) {
        return status;
    }
    if (as.len > 0 && !haft__str_equal(as, HAFT__LIT("start"))
        && !haft__graph_find_node(x->graph, as, &node)) {
        *ret_refusal =
            (haft__graph_refusal){.refused = true, .code = HAFT__GRAPH_UNKNOWN_NODE, .what = as};
        return HAFT_OK;
    }
    haft__graph_finished finished = {.node = node, .output = &writes};
    size_t task = as.len > 0 ? find_open_task(x, node) : x->task_count;
    haft__graph_fields f = haft__graph_begin_fields(&x->scratch, 10);
    haft__graph_add_number(&f, "step", x->step);
    haft__graph_add_field(&f, HAFT__LIT("edit"), values);
    if (as.len > 0) {
        haft__graph_add_field(&f, HAFT__LIT("as"), haft__json_string(as));
    }
    if (task < x->task_count) {
        haft__graph_add_number(&f, "task", task);
    } else {
        status = haft__graph_reduce_all(x, &finished, 1, haft__json_null(), &c, &conflict, err);
        if (status == HAFT_OK && conflict) {
            return refuse(&x->failure, ret_refusal);
        }
        if (status == HAFT_OK) {
            haft__graph_add_changes(&f, &c);
        }
        if (status == HAFT_OK && as.len > 0) {
            status = follow_again(x, &finished, &f, ret_refusal, err);
        }
    }
    *ret_event = haft__graph_end_fields(&f);
    return status == HAFT_OK && f.out_of_memory ? haft__arena_fail(&x->scratch, err) : status;
}
