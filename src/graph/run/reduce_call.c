/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_call.c - makes calls of the run for reducers of the program. Tests:
 * tests/engine/graph_builder_test.c. */
#include "base/limits.h"
#include "base/str.h"
#include "graph/run/function.h"
#include "graph/run/graph_run_int.h"
#include "json/object.h"
#include "json/read.h"

/* Makes the id of a call: n3.r2 for step 3 and the second channel; n3.r2.2 for its second call. */
static haft_str make_id(haft__run *run, uint32_t channel)
{
    haft__graph_execution *x = run->graph->x;
    uint32_t number = ++x->custom[channel].requests;
    return number == 1
               ? haft__arena_format(run->arena, "n%u.r%u", x->step + 1, channel + 1)
               : haft__arena_format(run->arena, "n%u.r%u.%u", x->step + 1, channel + 1, number);
}

haft_status haft__graph_add_reduction(haft__run *run, const haft__graph_request *request,
                                      haft_error *err)
{
    const haft__channel *channel = &run->graph->graph->channels[request->channel];
    haft__node_call *node = haft__arena_array(run->arena, 1, sizeof(*node));
    haft_str id = make_id(run, request->channel);
    haft_str path = haft__arena_format(run->arena, "channel:%.*s", HAFT__ARG(channel->name));
    haft_str tool =
        haft__arena_format(run->arena, HAFT__GRAPH_REDUCER_TOOL "%.*s", HAFT__ARG(request->name));
    if (node == NULL || id.ptr == NULL || path.ptr == NULL || tool.ptr == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    *node = (haft__node_call){.path = path, .reads_state = true, .reduces = request->channel + 1};
    return haft__run_add_node_call(run, id, tool, HAFT__LIT("{}"), node, err);
}

/* Passes the result: {value, own}, or {failed, message} if the write of a task was refused. */
static haft_status pass_result(haft__run *run, const haft__run_call *call, haft__arena *scratch,
                               haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    haft__json result = haft__json_null();
    haft__graph_execution *x = run->graph->x;
    uint32_t channel = call->node->reduces - 1;
    options.hash_key = run->hash_key;
    haft_status status = haft__json_read(scratch, call->result, &options, &result, NULL, NULL);
    if (status == HAFT_NO_MEMORY) {
        return haft__arena_fail(scratch, err);
    }
    if (haft__object_find(result, "failed") != NULL) {
        return haft__graph_execution_reduce_error(x, channel,
                                                  haft__object_number(result, "failed", SIZE_MAX),
                                                  haft__object_string(result, "message"), err);
    }
    return haft__object_find(result, "value") != NULL
               ? haft__graph_execution_reduced(x, channel, result, err)
               : haft__graph_execution_reduce_error(
                   x, channel, SIZE_MAX, HAFT__LIT("the result of the reducer is invalid"), err);
}

haft_status haft__graph_take_reduction(haft__run *run, const haft__run_call *call, haft_error *err)
{
    haft__arena scratch;
    haft_str prefix = HAFT__LIT("Error: ");
    if (call->stage == HAFT__CALL_REFUSED || !call->ok) {
        haft_str text = call->stage == HAFT__CALL_REFUSED ? call->shown : call->result;
        return haft__graph_execution_reduce_error(
            run->graph->x, call->node->reduces - 1, SIZE_MAX,
            haft__str_skip(text, haft__str_starts_with(text, prefix) ? prefix.len : 0), err);
    }
    haft__arena_init(&scratch, HAFT__LIMIT_RUN_BYTES);
    haft_status status = pass_result(run, call, &scratch, err);
    haft__arena_finish(&scratch);
    return status;
}
