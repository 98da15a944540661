/* SPDX-License-Identifier: Apache-2.0 */
/* end.c - the end of a run of a graph: its answer, and its result for a parent graph. Tests:
 * tests/graph/run/graph_run_test.c. */
#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "graph/run/graph_run_int.h"
#include "json/canonical.h"
#include "json/object.h"
#include "json/pointer.h"

/* Collects the channels of the answer: the channels of `output`, or all written channels. */
static haft_status collect_output(const haft__graph_run *graph, haft__json state,
                                  haft__json *ret_output, haft_error *err)
{
    haft__json names = graph->graph->output, output = haft__json_object(NULL, 0);
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < state.count && status == HAFT_OK; i++) {
        haft_str name = haft__json_text(state.members[i].key);
        uint32_t channel = 0;
        bool known = haft__graph_find_channel(graph->graph, name, &channel);
        bool wanted = names.kind == HAFT__JSON_ARRAY
                          ? haft__array_has_text(names, name)
                          : known && graph->x->state.values[channel].written;
        if (wanted) {
            status = haft__graph_set_member(graph->arena, output, name, state.members[i].value,
                                            &output, err);
        }
    }
    *ret_output = output;
    return status;
}

/* Writes a text unchanged, and any other value as canonical JSON. */
static haft_status write_answer(haft__graph_run *graph, haft__json state, haft_str *ret_answer,
                                haft_error *err)
{
    haft__json output = haft__json_null();
    haft__buf text;
    haft_status status = HAFT_OK;
    if (graph->graph->output.kind == HAFT__JSON_STRING) {
        const haft__json *found = haft__pointer_get(&state, haft__json_text(graph->graph->output));
        output = found != NULL ? *found : output;
    } else {
        status = collect_output(graph, state, &output, err);
    }
    haft__buf_init(&text, HAFT__LIMIT_GRAPH_TEXT_BYTES);
    if (status == HAFT_OK && output.kind == HAFT__JSON_STRING) {
        haft__buf_add_str(&text, haft__json_text(output));
    } else if (status == HAFT_OK && output.kind != HAFT__JSON_NULL) {
        status = haft__json_write_canonical(&text, output, err);
    }
    if (status == HAFT_OK) {
        status = haft__buf_check(&text, err);
    }
    if (status == HAFT_OK) {
        *ret_answer = haft__arena_copy(graph->arena, haft__buf_str(&text));
        status = ret_answer->ptr != NULL ? HAFT_OK : haft__arena_fail(graph->arena, err);
    }
    if (text.status == HAFT_TOO_BIG) {
        status = haft__fail(err, HAFT_TOO_BIG, "", "the answer is longer than %zu bytes", text.max);
    }
    haft__buf_finish(&text);
    return status;
}

/* ---- values of the thread ---- */

bool haft__graph_keeps_channels(const haft__graph *graph)
{
    bool keeps = false;
    for (size_t c = 0; c < graph->channel_count && !keeps; c++) {
        keeps = graph->channels[c].lifetime == HAFT__LIFETIME_THREAD;
    }
    return keeps;
}

static haft_status collect_kept(const haft__graph_execution *x, haft__arena *arena,
                                haft__json *ret_kept, haft_error *err)
{
    haft__json_member *members =
        haft__arena_array(arena, x->graph->channel_count + 1, sizeof(*members));
    size_t count = 0;
    if (members == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t c = 0; c < x->graph->channel_count; c++) {
        const haft__channel *channel = &x->graph->channels[c];
        if (channel->lifetime == HAFT__LIFETIME_THREAD && x->state.values[c].present) {
            members[count++] = (haft__json_member){.key = haft__json_string(channel->name),
                                                   .value = x->state.values[c].value};
        }
    }
    *ret_kept = haft__json_object(members, count);
    return HAFT_OK;
}

haft_status haft__graph_keep(const haft__run *run, haft__arena *arena, haft__json *ret_kept,
                             haft_error *err)
{
    const haft__graph_run *graph = run->graph;
    bool begun = graph != NULL && graph->begun && run->path.len == 0;
    haft_status status = HAFT_OK;
    *ret_kept = haft__json_null();
    if (begun && haft__graph_keeps_channels(graph->graph)) {
        status = collect_kept(graph->x, arena, ret_kept, err);
    }
    if (status == HAFT_OK && haft__channel_size(*ret_kept) > HAFT__LIMIT_GRAPH_THREAD_BYTES) {
        *ret_kept = haft__json_null();
    }
    return status;
}

/* ---- the end ---- */

/* Fails if the values for the thread are too large, because otherwise the next run would silently
 * begin with older values. */
static haft_status check_kept(const haft__graph_run *graph, haft_error *err)
{
    haft__json kept = haft__json_null();
    haft_status status = haft__graph_keeps_channels(graph->graph)
                             ? collect_kept(graph->x, graph->arena, &kept, err)
                             : HAFT_OK;
    bool large = status == HAFT_OK && haft__channel_size(kept) > HAFT__LIMIT_GRAPH_THREAD_BYTES;
    return large ? haft__fail(err, HAFT_TOO_BIG, "",
                              "the channels that the thread keeps have more than %d bytes",
                              HAFT__LIMIT_GRAPH_THREAD_BYTES)
                 : status;
}

/* Makes {state, wrote, command}, the result for the node of the parent graph. */
static haft_status make_result(const haft__graph_run *graph, haft__json state,
                               haft__json *ret_result, haft_error *err)
{
    haft__arena *arena = graph->arena;
    const haft__graph_execution *x = graph->x;
    haft__json *wrote = haft__arena_array(arena, x->graph->channel_count + 1, sizeof(*wrote));
    haft__json_member *members = haft__arena_array(arena, 3, sizeof(*members));
    size_t count = 0;
    if (wrote == NULL || members == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t c = 0; c < x->graph->channel_count; c++) {
        if (x->state.values[c].written) {
            wrote[count++] = haft__json_string(x->graph->channels[c].name);
        }
    }
    members[0] = (haft__json_member){.key = haft__json_string(HAFT__LIT("state")), .value = state};
    members[1] = (haft__json_member){.key = haft__json_string(HAFT__LIT("wrote")),
                                     .value = haft__json_array(wrote, count)};
    members[2] =
        (haft__json_member){.key = haft__json_string(HAFT__LIT("command")), .value = x->command};
    *ret_result = haft__json_object(members, x->has_command ? 3 : 2);
    return HAFT_OK;
}

/* Writes the names in a failure: the nodes, or the channel and its nodes. */
static haft_status name_failed(const haft__graph_run *graph, haft_str *ret_names, haft_error *err)
{
    const haft__graph_execution *x = graph->x;
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_GRAPH_TEXT_BYTES);
    haft__buf_add_str(&text, x->failed_channel);
    for (size_t i = 0; i < x->failed_node_count; i++) {
        haft__buf_add_str(&text, i > 0          ? HAFT__LIT(", ")
                                 : text.len > 0 ? HAFT__LIT(": ")
                                                : HAFT__LIT(""));
        haft__buf_add_str(&text, x->failed_nodes[i]);
    }
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        *ret_names = haft__arena_copy(graph->arena, haft__buf_str(&text));
        status = ret_names->ptr != NULL ? HAFT_OK : haft__arena_fail(graph->arena, err);
    }
    haft__buf_finish(&text);
    return status;
}

/* Fills in the members of the end, except its kind. */
static haft_status fill_end(haft__run *run, bool failed, haft__graph_next *next, haft_error *err)
{
    haft__graph_run *graph = run->graph;
    const haft__graph_execution *x = graph->x;
    haft__json state;
    haft_status status = haft__graph_execution_state(x, false, graph->arena, &state, err);
    if (status == HAFT_OK) {
        status = write_answer(graph, state, &next->answer, err);
    }
    if (status == HAFT_OK) {
        status = make_result(graph, state, &next->result, err);
    }
    if (status == HAFT_OK) {
        status = check_kept(graph, err);
    }
    if (status == HAFT_OK && failed) {
        next->code = haft__str(haft__graph_code_name(x->failure.code));
        next->reason = haft__arena_copy(graph->arena, x->failure.message);
        status = next->reason.ptr != NULL ? name_failed(graph, &next->failed, err)
                                          : haft__arena_fail(graph->arena, err);
    }
    return status;
}

/* Fails the run without an answer, because the end is too large. Needs no memory of the run. */
static void set_too_large(haft__graph_run *graph, const haft_error *why, haft__graph_next *next)
{
    if (graph->x->end != HAFT__GRAPH_FAILED) {
        haft__graph_execution_fail(graph->x, why);
    }
    next->end = HAFT__END_FAILED;
    next->code = haft__str(haft__graph_code_name(graph->x->failure.code));
    next->reason = graph->x->failure.message;
    next->answer = next->failed = HAFT__LIT("");
    next->result = haft__json_object(NULL, 0);
}

haft_status haft__graph_set_end(haft__run *run, haft_error *err)
{
    haft__graph_run *graph = run->graph;
    const haft__graph_execution *x = graph->x;
    haft__graph_next next = {.kind = HAFT__GRAPH_NEXT_END,
                             .reason = HAFT__LIT(""),
                             .failed = HAFT__LIT(""),
                             .code = HAFT__LIT("")};
    haft_error why = {0};
    bool failed = x->end == HAFT__GRAPH_FAILED || x->end == HAFT__GRAPH_INCOMPLETE;
    switch (x->end) {
    case HAFT__GRAPH_OPEN: HAFT__UNREACHABLE();
    case HAFT__GRAPH_DONE:
        next.end = HAFT__END_DONE;
        next.reason = HAFT__LIT("no node is left");
        break;
    case HAFT__GRAPH_EXHAUSTED:
        next.end = HAFT__END_EXHAUSTED;
        next.reason = HAFT__LIT("the recursion limit is reached");
        break;
    case HAFT__GRAPH_INCOMPLETE: next.end = HAFT__END_INCOMPLETE; break;
    case HAFT__GRAPH_FAILED: next.end = HAFT__END_FAILED; break;
    }
    haft_status status = fill_end(run, failed, &next, &why);
    if (status == HAFT_TOO_BIG) {
        set_too_large(graph, &why, &next);
        status = HAFT_OK;
    }
    run->graph_next = next;
    return status == HAFT_OK ? HAFT_OK : haft__fail(err, status, why.where, "%s", why.message);
}

haft_status haft__graph_set_last_answer(haft__run *run, haft_error *err)
{
    haft__graph_run *graph = run->graph;
    haft__json state;
    haft_error why = {0};
    if (run->graph_next.kind == HAFT__GRAPH_NEXT_END || run->graph_next.answer.ptr != NULL) {
        return HAFT_OK;
    }
    haft_status status = haft__graph_execution_state(graph->x, false, graph->arena, &state, &why);
    if (status == HAFT_OK) {
        status = write_answer(graph, state, &run->graph_next.answer, &why);
    }
    if (status == HAFT_TOO_BIG) { /* the run has no answer */
        return HAFT_OK;
    }
    return status == HAFT_OK ? HAFT_OK : haft__fail(err, status, why.where, "%s", why.message);
}
