/* SPDX-License-Identifier: Apache-2.0 */
/* updates.c - applies the reducers to the writes of a step. Tests: tests/graph/execution_test.c,
 * tests/graph/execution_test.c. */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "graph/execution_int.h"
#include "json/object.h"

/* Writes of all tasks, grouped by channel. */
typedef struct grouped {
    haft__channel_write *writes;
    size_t *first; /* for each channel: index of its first write; the last element is the number of
                      writes */
} grouped;

static haft_status group_writes(haft__graph_execution *x, const haft__graph_finished *finished,
                                size_t count, grouped *ret_grouped, haft_error *err)
{
    size_t channels = x->graph->channel_count, total = 0;
    size_t *first = haft__arena_array(&x->scratch, channels + 2, sizeof(*first));
    if (first == NULL) {
        return haft__arena_fail(&x->scratch, err);
    }
    for (size_t o = 0; o < count; o++) {
        for (size_t w = 0; w < finished[o].output->write_count; w++) {
            first[finished[o].output->writes[w].channel + 2]++;
            total++;
        }
    }
    haft__channel_write *writes = haft__arena_array(&x->scratch, total + 1, sizeof(*writes));
    if (writes == NULL) {
        return haft__arena_fail(&x->scratch, err);
    }
    for (size_t c = 2; c < channels + 2; c++) {
        first[c] += first[c - 1];
    }
    for (size_t o = 0; o < count; o++) {
        for (size_t w = 0; w < finished[o].output->write_count; w++) {
            haft__channel_write *to = &writes[first[finished[o].output->writes[w].channel + 1]++];
            *to = finished[o].output->writes[w];
            to->task = (uint32_t)o;
        }
    }
    *ret_grouped = (grouped){.writes = writes, .first = first};
    return HAFT_OK;
}

/* Fails the step, with the names of the channel and its writers. */
static haft_status set_conflict(haft__graph_execution *x, const haft__channel_reduction *r,
                                const haft__graph_finished *finished, haft_error *err)
{
    haft_str *nodes = haft__arena_array(&x->scratch, r->count + 1, sizeof(*nodes));
    x->failed_channel = r->channel->name;
    x->failed_nodes = nodes;
    x->failed_node_count = 0;
    for (size_t w = 0; nodes != NULL && w < r->count; w++) {
        if (w == 0 || r->writes[w].task != r->writes[w - 1].task) {
            nodes[x->failed_node_count++] =
                haft__graph_node_name(x->graph, finished[r->writes[w].task].node);
        }
    }
    x->failure = (haft__graph_failure){
        .code = HAFT__GRAPH_TWO_WRITERS,
        .message = haft__arena_format(&x->scratch, "two nodes wrote the channel '%.*s' in one step",
                                      HAFT__ARG(r->channel->name))};
    return nodes != NULL && x->failure.message.ptr != NULL ? HAFT_OK
                                                           : haft__arena_fail(&x->scratch, err);
}

/* Fails the step because of the size of a channel or of the event. */
static haft_status set_too_large(haft__graph_execution *x, const haft__channel_reduction *r,
                                 const haft__graph_finished *finished, bool channel,
                                 haft_error *err)
{
    haft_status status = set_conflict(x, r, finished, err);
    x->failure.code = HAFT__GRAPH_BAD_UPDATE;
    x->failure.message =
        channel
            ? haft__arena_format(&x->scratch, "the channel '%.*s' would have more than %d bytes",
                                 HAFT__ARG(r->channel->name), HAFT__LIMIT_GRAPH_CHANNEL_BYTES)
            : haft__arena_format(&x->scratch, "the step changes more than %d bytes of the state",
                                 HAFT__LIMIT_GRAPH_STEP_BYTES);
    return status == HAFT_OK && x->failure.message.ptr == NULL ? haft__arena_fail(&x->scratch, err)
                                                               : status;
}

/* Makes the delta of step 0 for a channel of the thread: the whole value, because the run begins
 * with it. */
static haft_status keep_whole(haft__graph_execution *x, const haft__channel_reduction *r,
                              haft__json kept, haft__channel_delta *io_delta, haft_error *err)
{
    bool present;
    haft__json value;
    if (r->channel->lifetime != HAFT__LIFETIME_THREAD
        || haft__json_get(kept, r->channel->name) == NULL) {
        return HAFT_OK;
    }
    haft_status status =
        haft__channel_preview(r->channel, r->current, io_delta, &x->scratch, &present, &value, err);
    *io_delta = (haft__channel_delta){.changed = true, .replaced = true, .value = value};
    return status;
}

/* The data of one step: the writes, and the changes of the channels that are already reduced. */
typedef struct reducing {
    haft__graph_execution *x;
    const haft__graph_finished *finished;
    haft__json kept;
    grouped writes;
    haft__graph_fields updates;
    haft__json *replaced, *dropped;
    size_t replaced_count, dropped_count, bytes;
} reducing;

/* Reduces the writes of one channel. *ret_failed: the step cannot be committed. */
static haft_status reduce_channel(reducing *g, size_t c, bool *ret_failed, haft_error *err)
{
    haft__graph_execution *x = g->x;
    const haft__channel *channel = &x->graph->channels[c];
    haft__channel_delta delta;
    haft__channel_reduction r = {.channel = channel,
                                 .current = &x->state.values[c],
                                 .writes = g->writes.writes + g->writes.first[c],
                                 .count = g->writes.first[c + 1] - g->writes.first[c],
                                 .arena = &x->scratch,
                                 .step = x->step + 1,
                                 .custom = haft__graph_reduced_value(x, (uint32_t)c)};
    bool fits = true;
    haft_status status = haft__channel_reduce(&r, &delta, ret_failed, err);
    if (status == HAFT_OK && *ret_failed) {
        return set_conflict(x, &r, g->finished, err);
    }
    if (status == HAFT_OK) {
        status = keep_whole(x, &r, g->kept, &delta, err);
    }
    if (status == HAFT_OK) {
        status = haft__channel_fits(channel, r.current, &delta, &x->scratch, &fits, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    g->bytes += delta.changed ? haft__channel_size(delta.value) : 0;
    if (!fits || g->bytes > HAFT__LIMIT_GRAPH_STEP_BYTES) {
        *ret_failed = true;
        return set_too_large(x, &r, g->finished, !fits, err);
    }
    if (delta.changed) {
        haft__graph_add_field(&g->updates, channel->name, delta.value);
    }
    if (delta.changed && delta.replaced && channel->reducer != HAFT__REDUCE_REPLACE) {
        g->replaced[g->replaced_count++] = haft__json_string(channel->name);
    }
    if (delta.dropped && r.current->present) {
        g->dropped[g->dropped_count++] = haft__json_string(channel->name);
    }
    return HAFT_OK;
}

haft_status haft__graph_reduce_all(haft__graph_execution *x, const haft__graph_finished *finished,
                                   size_t count, haft__json kept, haft__graph_changes *ret_changes,
                                   bool *ret_failed, haft_error *err)
{
    size_t channels = x->graph->channel_count;
    reducing g = {.x = x,
                  .finished = finished,
                  .kept = kept,
                  .updates = haft__graph_begin_fields(&x->scratch, channels + 1),
                  .replaced = haft__arena_array(&x->scratch, channels + 1, sizeof(*g.replaced)),
                  .dropped = haft__arena_array(&x->scratch, channels + 1, sizeof(*g.dropped))};
    *ret_failed = false;
    if (g.replaced == NULL || g.dropped == NULL || g.updates.out_of_memory) {
        return haft__arena_fail(&x->scratch, err);
    }
    haft_status status = group_writes(x, finished, count, &g.writes, err);
    for (size_t c = 0; c < channels && status == HAFT_OK && !*ret_failed; c++) {
        status = reduce_channel(&g, c, ret_failed, err);
    }
    *ret_changes = (haft__graph_changes){.updates = haft__graph_end_fields(&g.updates),
                                         .replaced = haft__json_array(g.replaced, g.replaced_count),
                                         .dropped = haft__json_array(g.dropped, g.dropped_count)};
    return status;
}
