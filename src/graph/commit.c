/* SPDX-License-Identifier: Apache-2.0 */
/* commit.c - the event of a step, and how an event changes an execution. Tests:
 * tests/graph/execution_test.c. */
#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "graph/execution_int.h"
#include "json/object.h"

/* Members of an object that is being made. */
typedef struct fields {
    haft__arena *arena;
    haft__json_member *members;
    size_t count;
    bool out_of_memory;
} fields;

static fields begin_fields(haft__arena *arena, size_t room)
{
    fields f = {.arena = arena, .members = haft__arena_array(arena, room, sizeof(*f.members))};
    f.out_of_memory = f.members == NULL;
    return f;
}

static void add_field(fields *f, haft_str key, haft__json value)
{
    if (!f->out_of_memory) {
        f->members[f->count++] = (haft__json_member){.key = haft__json_string(key), .value = value};
    }
}

static void add_number(fields *f, const char *key, uint64_t number)
{
    haft__json value = haft__json_int(f->arena, (int64_t)number);
    f->out_of_memory = f->out_of_memory || value.kind == HAFT__JSON_NULL;
    add_field(f, haft__str(key), value);
}

static haft__json end_fields(const fields *f)
{
    return haft__json_object(f->members, f->count);
}

/* ---- parts of an event ---- */

static haft__json names_of(haft__graph_execution *x, const haft__graph_node_id *nodes, size_t count,
                           bool *io_failed)
{
    haft__json *names = haft__arena_array(&x->scratch, count + 1, sizeof(*names));
    for (size_t i = 0; names != NULL && i < count; i++) {
        names[i] = haft__json_string(haft__graph_node_name(x->graph, nodes[i]));
    }
    *io_failed = *io_failed || names == NULL;
    return haft__json_array(names, names != NULL ? count : 0);
}

static haft__json write_wake(haft__graph_execution *x, haft__graph_node_id node,
                             const haft__graph_node_id *by, size_t by_count,
                             const haft__json *argument, bool *io_failed)
{
    fields f = begin_fields(&x->scratch, 3);
    add_field(&f, HAFT__LIT("node"), haft__json_string(haft__graph_node_name(x->graph, node)));
    add_field(&f, HAFT__LIT("by"), names_of(x, by, by_count, io_failed));
    if (argument != NULL) {
        add_field(&f, HAFT__LIT("arg"), *argument);
    }
    *io_failed = *io_failed || f.out_of_memory;
    return end_fields(&f);
}

/* `next`: the tasks of the next step. */
static haft__json write_wakes(haft__graph_execution *x, const haft__graph_following *following,
                              bool *io_failed)
{
    haft__json *items = haft__arena_array(&x->scratch, following->count + 1, sizeof(*items));
    for (size_t i = 0; items != NULL && i < following->count; i++) {
        const haft__graph_wake *w = &following->wakes[i];
        items[i] = write_wake(x, w->node, w->by, w->by_count, w->has_argument ? &w->argument : NULL,
                              io_failed);
    }
    *io_failed = *io_failed || items == NULL;
    return haft__json_array(items, items != NULL ? following->count : 0);
}

/* `nodes`: the tasks of this step. */
static haft__json write_tasks(haft__graph_execution *x, bool *io_failed)
{
    haft__json *items = haft__arena_array(&x->scratch, x->task_count + 1, sizeof(*items));
    for (size_t i = 0; items != NULL && i < x->task_count; i++) {
        const haft__graph_task *task = &x->tasks[i];
        items[i] = write_wake(x, task->node, task->by, task->by_count, NULL, io_failed);
    }
    *io_failed = *io_failed || items == NULL;
    return haft__json_array(items, items != NULL ? x->task_count : 0);
}

/* `joins`: the joins that have some of their starts, by the number of the edge. */
static haft__json write_joins(haft__graph_execution *x, const bool *arrived, bool *io_failed)
{
    const haft__graph *graph = x->graph;
    haft__json *items = haft__arena_array(&x->scratch, graph->edge_count + 1, sizeof(*items));
    size_t count = 0;
    for (size_t e = 0; items != NULL && e < graph->edge_count; e++) {
        const haft__graph_edge *edge = &graph->edges[e];
        haft__graph_node_id *from =
            edge->kind == HAFT__EDGE_JOIN
                ? haft__arena_array(&x->scratch, edge->from_count + 1, sizeof(*from))
                : NULL;
        size_t here = 0;
        *io_failed = *io_failed || (edge->kind == HAFT__EDGE_JOIN && from == NULL);
        for (size_t i = 0; from != NULL && i < edge->from_count; i++) {
            if (arrived[edge->place + i]) {
                from[here++] = edge->from[i];
            }
        }
        if (here > 0) {
            fields f = begin_fields(&x->scratch, 2);
            add_number(&f, "edge", e);
            add_field(&f, HAFT__LIT("from"), names_of(x, from, here, io_failed));
            items[count++] = end_fields(&f);
            *io_failed = *io_failed || f.out_of_memory;
        }
    }
    *io_failed = *io_failed || items == NULL;
    return haft__json_array(items, count);
}

static haft__json write_deferred(haft__graph_execution *x, const bool *deferred, bool *io_failed)
{
    haft__graph_node_id *nodes =
        haft__arena_array(&x->scratch, x->graph->node_count + 1, sizeof(*nodes));
    size_t count = 0;
    for (size_t n = 0; nodes != NULL && n < x->graph->node_count; n++) {
        if (deferred[n]) {
            nodes[count++] = (haft__graph_node_id)n;
        }
    }
    *io_failed = *io_failed || nodes == NULL;
    return names_of(x, nodes, nodes != NULL ? count : 0, io_failed);
}

/* What follows, as members of an event. Lists without items are left out, but for `next`. */
static void add_following(haft__graph_execution *x, fields *f,
                          const haft__graph_following *following)
{
    haft__json joins = write_joins(x, following->arrived, &f->out_of_memory);
    haft__json deferred = write_deferred(x, following->deferred, &f->out_of_memory);
    add_field(f, HAFT__LIT("next"), write_wakes(x, following, &f->out_of_memory));
    if (joins.count > 0) {
        add_field(f, HAFT__LIT("joins"), joins);
    }
    if (deferred.count > 0) {
        add_field(f, HAFT__LIT("deferred"), deferred);
    }
}

/* ---- updates ---- */

/* The changes of all channels in one step. */
typedef struct changes {
    haft__json updates;  /* {channel: delta} */
    haft__json replaced; /* channels whose entry of `updates` is their new value */
    haft__json dropped;  /* channels that have no value any more */
} changes;

/* Writes of all tasks, grouped by channel. */
typedef struct grouped {
    haft__graph_write *writes;
    size_t *first; /* of each channel; one more than there are channels */
} grouped;

static haft_status group_writes(haft__graph_execution *x, const haft__graph_output *const *outputs,
                                size_t count, grouped *ret_grouped, haft_error *err)
{
    size_t channels = x->graph->channel_count, total = 0;
    size_t *first = haft__arena_array(&x->scratch, channels + 2, sizeof(*first));
    if (first == NULL) {
        return haft__arena_fail(&x->scratch, err);
    }
    for (size_t o = 0; o < count; o++) {
        for (size_t w = 0; w < outputs[o]->write_count; w++) {
            first[outputs[o]->writes[w].channel + 2]++;
            total++;
        }
    }
    haft__graph_write *writes = haft__arena_array(&x->scratch, total + 1, sizeof(*writes));
    if (writes == NULL) {
        return haft__arena_fail(&x->scratch, err);
    }
    for (size_t c = 2; c < channels + 2; c++) {
        first[c] += first[c - 1];
    }
    for (size_t o = 0; o < count; o++) {
        for (size_t w = 0; w < outputs[o]->write_count; w++) {
            haft__graph_write *to = &writes[first[outputs[o]->writes[w].channel + 1]++];
            *to = outputs[o]->writes[w];
            to->task = (uint32_t)o;
        }
    }
    *ret_grouped = (grouped){.writes = writes, .first = first};
    return HAFT_OK;
}

/* The step fails: names the channel and its writers. */
static haft_status set_conflict(haft__graph_execution *x, const haft__graph_reduction *r,
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

/* The step fails because of the size of a channel or of the event. */
static haft_status set_too_large(haft__graph_execution *x, const haft__graph_reduction *r,
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

/* Of a channel that the thread keeps, an event has the whole value: the run begins with it. */
static haft_status keep_whole(haft__graph_execution *x, const haft__graph_reduction *r,
                              haft__json kept, haft__graph_delta *io_delta, haft_error *err)
{
    bool present;
    haft__json value;
    if (r->channel->lifetime != HAFT__LIFETIME_THREAD
        || haft__json_get(kept, r->channel->name) == NULL) {
        return HAFT_OK;
    }
    haft_status status =
        haft__graph_preview(r->channel, r->current, io_delta, &x->scratch, &present, &value, err);
    *io_delta = (haft__graph_delta){.changed = true, .replaced = true, .value = value};
    return status;
}

/* `kept` has the values of the thread, for the first event; else it is null. */
static haft_status reduce_all(haft__graph_execution *x, const haft__graph_finished *finished,
                              size_t count, haft__json kept, changes *ret_changes,
                              bool *ret_conflict, haft_error *err)
{
    size_t channels = x->graph->channel_count;
    const haft__graph_output **outputs =
        haft__arena_array(&x->scratch, count + 1, sizeof(*outputs));
    haft__json *replaced = haft__arena_array(&x->scratch, channels + 1, sizeof(*replaced));
    haft__json *dropped = haft__arena_array(&x->scratch, channels + 1, sizeof(*dropped));
    fields updates = begin_fields(&x->scratch, channels + 1);
    size_t replaced_count = 0, dropped_count = 0, bytes = 0;
    grouped g;
    *ret_conflict = false;
    if (outputs == NULL || replaced == NULL || dropped == NULL || updates.out_of_memory) {
        return haft__arena_fail(&x->scratch, err);
    }
    for (size_t i = 0; i < count; i++) {
        outputs[i] = finished[i].output;
    }
    haft_status status = group_writes(x, outputs, count, &g, err);
    for (size_t c = 0; c < channels && status == HAFT_OK; c++) {
        const haft__graph_channel *channel = &x->graph->channels[c];
        haft__graph_delta delta;
        haft__graph_reduction r = {.channel = channel,
                                   .current = &x->state.values[c],
                                   .writes = g.writes + g.first[c],
                                   .count = g.first[c + 1] - g.first[c],
                                   .arena = &x->scratch,
                                   .step = x->step + 1};
        bool conflict = false;
        status = haft__graph_reduce(&r, &delta, &conflict, err);
        if (status == HAFT_OK && conflict) {
            *ret_conflict = true;
            return set_conflict(x, &r, finished, err);
        }
        if (status == HAFT_OK) {
            status = keep_whole(x, &r, kept, &delta, err);
        }
        bool fits = true;
        if (status == HAFT_OK) {
            status = haft__graph_fits(channel, r.current, &delta, &x->scratch, &fits, err);
        }
        bytes += status == HAFT_OK && delta.changed ? haft__graph_size(delta.value) : 0;
        if (status == HAFT_OK && (!fits || bytes > HAFT__LIMIT_GRAPH_STEP_BYTES)) {
            *ret_conflict = true;
            return set_too_large(x, &r, finished, !fits, err);
        }
        haft__json name = haft__json_string(channel->name);
        if (status == HAFT_OK && delta.changed) {
            add_field(&updates, channel->name, delta.value);
        }
        if (status == HAFT_OK && delta.changed && delta.replaced
            && channel->reducer != HAFT__REDUCE_REPLACE) {
            replaced[replaced_count++] = name;
        }
        if (status == HAFT_OK && delta.dropped && r.current->present) {
            dropped[dropped_count++] = name;
        }
    }
    *ret_changes = (changes){.updates = end_fields(&updates),
                             .replaced = haft__json_array(replaced, replaced_count),
                             .dropped = haft__json_array(dropped, dropped_count)};
    return status;
}

static void add_changes(fields *f, const changes *c)
{
    add_field(f, HAFT__LIT("updates"), c->updates);
    if (c->replaced.count > 0) {
        add_field(f, HAFT__LIT("replaced"), c->replaced);
    }
    if (c->dropped.count > 0) {
        add_field(f, HAFT__LIT("dropped"), c->dropped);
    }
}

/* ---- the event of a step ---- */

/* A join whose target has run begins anew. */
static void clear_joins(const haft__graph_execution *x, bool *arrived)
{
    for (size_t e = 0; e < x->graph->edge_count; e++) {
        const haft__graph_edge *edge = &x->graph->edges[e];
        bool full = edge->kind == HAFT__EDGE_JOIN, used = false;
        for (size_t i = 0; full && i < edge->from_count; i++) {
            full = arrived[edge->place + i];
        }
        for (size_t t = 0; full && t < x->task_count && !used; t++) {
            for (size_t i = 0; i < edge->branches->to_count && !x->tasks[t].has_argument; i++) {
                used = used || edge->branches->to[i] == x->tasks[t].node;
            }
        }
        for (size_t i = 0; used && i < edge->from_count; i++) {
            arrived[edge->place + i] = false;
        }
    }
}

static bool *copy_arrived(haft__graph_execution *x)
{
    bool *arrived = haft__arena_array(&x->scratch, x->graph->join_places + 1, sizeof(*arrived));
    if (arrived != NULL) {
        memcpy(arrived, x->arrived, x->graph->join_places * sizeof(*arrived));
    }
    return arrived;
}

haft_status haft__graph_commit(haft__graph_execution *x, haft__json *ret_event, bool *ret_committed,
                               haft_error *err)
{
    haft__arena_reset(&x->scratch);
    haft__graph_finished *finished =
        haft__arena_array(&x->scratch, x->task_count + 1, sizeof(*finished));
    bool *arrived = copy_arrived(x), conflict = false;
    haft__graph_following following = {.arrived = arrived, .deferred = x->deferred};
    changes c;
    *ret_committed = false;
    if (finished == NULL || arrived == NULL) {
        return haft__arena_fail(&x->scratch, err);
    }
    for (size_t i = 0; i < x->task_count; i++) {
        finished[i] =
            (haft__graph_finished){.node = x->tasks[i].node, .output = &x->tasks[i].program.output};
    }
    haft_status status =
        reduce_all(x, finished, x->task_count, haft__json_null(), &c, &conflict, err);
    if (status != HAFT_OK || conflict) {
        return status;
    }
    clear_joins(x, arrived);
    haft__graph_failure failure = {.code = HAFT__GRAPH_BAD_SHAPE};
    if (!x->last) {
        status = haft__graph_follow(x, finished, x->task_count, arrived, &following, &failure, err);
    }
    if (status != HAFT_OK || failure.code != HAFT__GRAPH_BAD_SHAPE) {
        x->failure = failure;
        return status;
    }
    fields f = begin_fields(&x->scratch, 12);
    add_number(&f, "step", x->step + 1);
    add_field(&f, HAFT__LIT("nodes"), write_tasks(x, &f.out_of_memory));
    add_changes(&f, &c);
    add_number(&f, "remaining_steps", x->limit > x->step + 1 ? x->limit - x->step - 1 : 0);
    add_following(x, &f, &following);
    if (x->last) {
        add_field(&f, HAFT__LIT("limit"), haft__json_bool(true));
    }
    *ret_event = end_fields(&f);
    *ret_committed = !f.out_of_memory;
    return f.out_of_memory ? haft__arena_fail(&x->scratch, err) : HAFT_OK;
}

/* ---- the first event ---- */

/* The writes of an object {channel: value}. */
static haft_status read_writes(haft__graph_execution *x, haft__json values,
                               haft__graph_output *ret_output, haft__graph_refusal *ret_refusal,
                               haft_error *err)
{
    haft_status status = HAFT_OK;
    *ret_output = (haft__graph_output){0};
    *ret_refusal = (haft__graph_refusal){.refused = false};
    for (uint32_t i = 0; values.kind == HAFT__JSON_OBJECT && i < values.count && status == HAFT_OK;
         i++) {
        haft__graph_write write = {.value = values.members[i].value};
        haft_str name = haft__json_text(values.members[i].key), why;
        bool valid = true;
        if (!haft__graph_find_channel(x->graph, name, &write.channel)) {
            *ret_refusal = (haft__graph_refusal){
                .refused = true, .code = HAFT__GRAPH_UNKNOWN_CHANNEL, .what = name};
            return HAFT_OK;
        }
        status = haft__graph_check_write(&x->graph->channels[write.channel], x->checker,
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

/* The failure that the step would have. */
static haft_status refuse(const haft__graph_failure *failure, haft__graph_refusal *ret_refusal)
{
    *ret_refusal =
        (haft__graph_refusal){.refused = true, .code = failure->code, .what = failure->message};
    return HAFT_OK;
}

/* The input may set only the channels that `input` of the graph names. */
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

/* Values that the thread keeps replace the defaults. */
static haft_status apply_kept(haft__graph_execution *x, haft__json kept, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t c = 0; c < x->graph->channel_count && status == HAFT_OK; c++) {
        const haft__graph_channel *channel = &x->graph->channels[c];
        const haft__json *value = haft__json_get(kept, channel->name);
        if (channel->lifetime == HAFT__LIFETIME_THREAD && value != NULL) {
            haft__graph_delta delta = {.changed = true, .replaced = true, .value = *value};
            status = haft__graph_apply(channel, &x->state.values[c], &delta, err);
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
    changes c;
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
    status = apply_kept(x, kept, err);
    if (status == HAFT_OK) {
        status = reduce_all(x, &start, 1, kept, &c, &conflict, err);
    }
    bool *arrived = copy_arrived(x);
    fields f = begin_fields(&x->scratch, 8);
    if (status == HAFT_OK && (arrived == NULL || f.out_of_memory)) {
        status = haft__arena_fail(&x->scratch, err);
    }
    if (status == HAFT_OK && conflict) {
        return refuse(&x->failure, ret_refusal);
    }
    if (status == HAFT_OK) {
        /* The edges of start see the input, as those of a node see its writes. */
        status = haft__graph_follow(x, &start, 1, arrived, &following, &failure, err);
    }
    if (status == HAFT_OK && failure.code != HAFT__GRAPH_BAD_SHAPE) {
        return refuse(&failure, ret_refusal);
    }
    if (status == HAFT_OK) {
        add_number(&f, "step", 0);
        add_changes(&f, &c);
        add_number(&f, "remaining_steps", x->limit);
        add_following(x, &f, &following);
        *ret_event = end_fields(&f);
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

/* Whether the task was woken only by `as`: then it is decided again. */
static bool only_by(const haft__graph_task *task, haft__graph_node_id as)
{
    return task->by_count == 1 && task->by[0] == as;
}

/* The tasks that follow from `as` once more, without those that are there already. */
static haft_status follow_again(haft__graph_execution *x, haft__graph_finished *finished, fields *f,
                                haft__graph_refusal *ret_refusal, haft_error *err)
{
    haft__graph_following following;
    haft__graph_failure failure = {.code = HAFT__GRAPH_BAD_SHAPE};
    bool *arrived = copy_arrived(x);
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
        add_following(x, f, &following);
    }
    return status;
}

haft_status haft__graph_execution_edit(haft__graph_execution *x, haft__json values, haft_str as,
                                       haft__json *ret_event, haft__graph_refusal *ret_refusal,
                                       haft_error *err)
{
    haft__graph_output writes;
    haft__graph_node_id node = HAFT__GRAPH_START;
    changes c = {0};
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
    fields f = begin_fields(&x->scratch, 10);
    add_number(&f, "step", x->step);
    add_field(&f, HAFT__LIT("edit"), values);
    if (as.len > 0) {
        add_field(&f, HAFT__LIT("as"), haft__json_string(as));
    }
    if (task < x->task_count) {
        add_number(&f, "task", task);
    } else {
        status = reduce_all(x, &finished, 1, haft__json_null(), &c, &conflict, err);
        if (status == HAFT_OK && conflict) {
            return refuse(&x->failure, ret_refusal);
        }
        if (status == HAFT_OK) {
            add_changes(&f, &c);
        }
        if (status == HAFT_OK && as.len > 0) {
            status = follow_again(x, &finished, &f, ret_refusal, err);
        }
    }
    *ret_event = end_fields(&f);
    return status == HAFT_OK && f.out_of_memory ? haft__arena_fail(&x->scratch, err) : status;
}
