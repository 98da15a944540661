/* SPDX-License-Identifier: Apache-2.0 */
/*
 * custom.c - reducers of C programs. The execution does not call them: when all tasks of a step are
 * done, it requests the values of such channels one after the other, and then commits the step. So
 * the log contains the values, and folding the log does not call reducers.
 *
 * A request is for the value after all writes. For nodes with conditions, it is also for the value
 * after the writes of that node alone, because the conditions see this value. Tests:
 * tests/graph/custom_test.c.
 */
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "graph/execution_int.h"
#include "json/object.h"

/* ---- the writes of a channel ---- */

static bool writes(const haft__graph_task *task, uint32_t channel, bool overwrite)
{
    const haft__graph_output *output = &task->program.output;
    for (size_t w = 0; w < output->write_count; w++) {
        if (output->writes[w].channel == channel && output->writes[w].overwrite == overwrite) {
            return true;
        }
    }
    return false;
}

static size_t count_writers(const haft__graph_execution *x, uint32_t channel, bool overwrite)
{
    size_t count = 0;
    for (size_t i = 0; i < x->task_count; i++) {
        count += writes(&x->tasks[i], channel, overwrite);
    }
    return count;
}

/* Whether the edges of the task have conditions or a map, so that the next tasks depend on
 * values. */
static bool has_conditions(const haft__graph_execution *x, const haft__graph_task *task)
{
    const haft__graph_node *node = &x->graph->nodes[task->node];
    bool found = false;
    for (size_t e = 0; task->program.output.goto_count == 0 && e < node->edge_count; e++) {
        haft__graph_edge_kind kind = x->graph->edges[node->edges[e]].kind;
        found = found || (kind != HAFT__EDGE_PLAIN && kind != HAFT__EDGE_JOIN);
    }
    return found;
}

/* Whether the value after the writes of this task alone is needed. If the task is the only writer,
 * the value of the step is used. */
static bool needs_own(const haft__graph_execution *x, size_t task, uint32_t channel)
{
    return writes(&x->tasks[task], channel, false) && !writes(&x->tasks[task], channel, true)
           && has_conditions(x, &x->tasks[task])
           && count_writers(x, channel, false) + count_writers(x, channel, true) > 1;
}

static bool needs_reducer(const haft__graph_execution *x, uint32_t channel)
{
    size_t overwriters = count_writers(x, channel, true);
    bool needed = overwriters == 0 && count_writers(x, channel, false) > 0;
    for (size_t i = 0; i < x->task_count && !needed; i++) {
        needed = needs_own(x, i, channel);
    }
    return needed;
}

/* ---- requests ---- */

void haft__graph_reset_reductions(haft__graph_execution *x)
{
    if (x->custom != NULL) {
        memset(x->custom, 0, x->graph->channel_count * sizeof(*x->custom));
    }
}

void haft__graph_discard_reductions(haft__graph_execution *x)
{
    for (size_t c = 0; x->custom != NULL && c < x->graph->channel_count; c++) {
        x->custom[c].state = HAFT__CUSTOM_OPEN;
    }
}

bool haft__graph_request_reduction(haft__graph_execution *x, haft__graph_action *ret_action)
{
    for (size_t c = 0; x->custom != NULL && c < x->graph->channel_count; c++) {
        haft__graph_custom *custom = &x->custom[c];
        const haft__channel *channel = &x->graph->channels[c];
        if (custom->state == HAFT__CUSTOM_BUSY) {
            *ret_action = (haft__graph_action){.kind = HAFT__ACTION_WAITING};
            return true;
        }
        if (channel->reducer != HAFT__REDUCE_CUSTOM || custom->state == HAFT__CUSTOM_DONE
            || !needs_reducer(x, (uint32_t)c)) {
            continue;
        }
        custom->state = HAFT__CUSTOM_BUSY;
        *ret_action = (haft__graph_action){.kind = HAFT__ACTION_REQUEST,
                                           .task = SIZE_MAX,
                                           .request = {.kind = HAFT__REQUEST_REDUCE,
                                                       .name = channel->custom,
                                                       .channel = (uint32_t)c}};
        return true;
    }
    return false;
}

/* ---- input of the reducer ---- */

static haft__json_member member(const char *key, haft__json value)
{
    return (haft__json_member){.key = haft__json_string(haft__str(key)), .value = value};
}

/* {task, value} */
static haft__json write_entry(haft__arena *arena, size_t task, haft__json value, bool *io_failed)
{
    haft__json_member *members = haft__arena_array(arena, 2, sizeof(*members));
    haft__json number = haft__json_int(arena, (int64_t)task);
    *io_failed = *io_failed || members == NULL || number.kind != HAFT__JSON_NUMBER;
    if (*io_failed) {
        return haft__json_null();
    }
    members[0] = member("task", number);
    members[1] = member("value", value);
    return haft__json_object(members, 2);
}

/* Makes {value, writes: [{task, value}], own: [task]}. Without `value` if the channel has no
 * value. */
haft_status haft__graph_execution_reduction(haft__graph_execution *x, uint32_t channel,
                                            haft__arena *arena, haft__json *ret_input,
                                            haft_error *err)
{
    size_t max = 0, count = 0, own_count = 0;
    for (size_t i = 0; i < x->task_count; i++) {
        max += x->tasks[i].program.output.write_count;
    }
    haft__json *given = haft__arena_array(arena, max + 1, sizeof(*given));
    haft__json *own = haft__arena_array(arena, x->task_count + 1, sizeof(*own));
    haft__json_member *members = haft__arena_array(arena, 3, sizeof(*members));
    bool failed = given == NULL || own == NULL || members == NULL;
    for (size_t i = 0; i < x->task_count && !failed; i++) {
        const haft__graph_output *output = &x->tasks[i].program.output;
        for (size_t w = 0; w < output->write_count && !failed; w++) {
            if (output->writes[w].channel == channel && !output->writes[w].overwrite) {
                given[count++] = write_entry(arena, i, output->writes[w].value, &failed);
            }
        }
        if (!failed && needs_own(x, i, channel)) {
            own[own_count] = haft__json_int(arena, (int64_t)i);
            failed = own[own_count++].kind != HAFT__JSON_NUMBER;
        }
    }
    if (failed) {
        return haft__arena_fail(arena, err);
    }
    const haft__channel_value *current = &x->state.values[channel];
    bool kept = x->graph->channels[channel].lifetime != HAFT__LIFETIME_STEP;
    members[0] = member("writes", haft__json_array(given, count));
    members[1] = member("own", haft__json_array(own, own_count));
    members[2] = member("value", current->value);
    *ret_input = haft__json_object(members, current->present && kept ? 3 : 2);
    return HAFT_OK;
}

/* ---- replies ---- */

/* The last task that wrote the channel. */
static size_t find_writer(const haft__graph_execution *x, uint32_t channel)
{
    size_t found = 0;
    for (size_t i = 0; i < x->task_count; i++) {
        found = writes(&x->tasks[i], channel, false) ? i : found;
    }
    return found;
}

haft_status haft__graph_execution_reduce_error(haft__graph_execution *x, uint32_t channel,
                                               size_t task, haft_str message, haft_error *err)
{
    bool known = task < x->task_count && writes(&x->tasks[task], channel, false);
    haft_str text =
        haft__arena_format(haft__graph_task_arena(x), "channel '%.*s': %.*s",
                           HAFT__ARG(x->graph->channels[channel].name), HAFT__ARG(message));
    haft__graph_discard_reductions(x); /* the node may write other values in its next attempt */
    return haft__graph_fail_task(
        x, &x->tasks[known ? task : find_writer(x, channel)],
        (haft__graph_failure){.code = HAFT__GRAPH_BAD_UPDATE,
                              .message = text.ptr != NULL ? text : message},
        err);
}

/* Checks that the value matches the schema of the channel and is not nested too deeply. */
static haft_status check_value(haft__graph_execution *x, uint32_t channel, haft__json value,
                               haft_str *ret_why, haft_error *err)
{
    bool valid = true;
    haft_error why = {0};
    haft__arena *arena = haft__graph_task_arena(x);
    haft_status status = haft__channel_check_write(&x->graph->channels[channel], x->checker, value,
                                                   true, arena, &valid, ret_why, &why);
    if (status == HAFT_TOO_BIG) {
        *ret_why = haft__arena_copy(arena, haft__str(why.message));
        return ret_why->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    return status == HAFT_OK ? HAFT_OK : haft__fail(err, status, why.where, "%s", why.message);
}

haft_status haft__graph_execution_reduced(haft__graph_execution *x, uint32_t channel,
                                          haft__json result, haft_error *err)
{
    haft__graph_custom *custom = &x->custom[channel];
    haft__json value = haft__object_get(result, "value");
    haft_str why = {NULL, 0};
    haft_error problem = {0};
    haft_status status = check_value(x, channel, value, &why, err);
    if (status == HAFT_OK && why.ptr == NULL) {
        status = haft__json_copy_deep(haft__graph_task_arena(x), result, &custom->result, &problem);
    }
    if (status == HAFT_TOO_BIG) {
        why = haft__str(problem.message);
    } else if (status != HAFT_OK) {
        return haft__fail(err, status, problem.where, "%s", problem.message);
    }
    if (why.ptr != NULL) {
        haft__graph_discard_reductions(x);
        return haft__graph_fail_task(
            x, &x->tasks[find_writer(x, channel)],
            (haft__graph_failure){.code = HAFT__GRAPH_BAD_UPDATE, .message = why}, err);
    }
    custom->state = HAFT__CUSTOM_DONE;
    return HAFT_OK;
}

/* ---- values for the commit ---- */

const haft__json *haft__graph_reduced_value(const haft__graph_execution *x, uint32_t channel)
{
    bool done = x->custom != NULL && x->custom[channel].state == HAFT__CUSTOM_DONE;
    return done ? haft__object_find(x->custom[channel].result, "value") : NULL;
}

const haft__json *haft__graph_reduced_alone(const haft__graph_execution *x, uint32_t channel,
                                            const haft__graph_output *output)
{
    haft__json own = x->custom != NULL && x->custom[channel].state == HAFT__CUSTOM_DONE
                         ? haft__object_array(x->custom[channel].result, "own")
                         : haft__json_null();
    for (uint32_t i = 0; i < own.count; i++) {
        uint64_t task = haft__object_number(own.items[i], "task", x->task_count);
        if (task < x->task_count && &x->tasks[task].program.output == output) {
            return haft__object_find(own.items[i], "value");
        }
    }
    return haft__graph_reduced_value(x, channel);
}
