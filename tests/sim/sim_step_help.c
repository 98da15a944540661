/* SPDX-License-Identifier: Apache-2.0 */
/* sim_step_help.c - the rules that must always hold for the steps of a graph. Like sim_watch_help.c
 * it reads logs, and does not use fold and decide: it keeps the state of one channel by itself, and
 * knows of a spec only its source. */
#include "run/event_body.h"
#include "sim_help.h"
#include "json/canonical.h"
#include "json/object.h"

static bool is(haft_str text, const char *word)
{
    return haft__str_equal(text, haft__str(word));
}

static bool is_graph(const sim_record *r)
{
    return r->spec.graph_rules != NULL;
}

/* ---- calls ---- */

/* The step, the place in the step and the number of a request: n<step>.<index>[.<number>]. */
typedef struct place {
    uint64_t step, index, number;
} place;

static bool read_place(haft_str id, place *ret_place)
{
    haft_str step = haft__str_skip(haft__str_split(&id, '.'), 1), index = haft__str_split(&id, '.');
    *ret_place = (place){.number = 1};
    return haft__str_to_u64(step, &ret_place->step) && haft__str_to_u64(index, &ret_place->index)
           && (id.len == 0 || haft__str_to_u64(id, &ret_place->number));
}

/* The task with that number; NULL if the step has none. */
static const sim_task *find_task(const sim_record *r, uint64_t number)
{
    for (size_t i = 0; i < r->graph.next_count; i++) {
        if (r->graph.next[i].number == number) {
            return &r->graph.next[i];
        }
    }
    return NULL;
}

/* The call belongs to a node of the step that has begun, and follows the request before it. */
static void check_call(sim *s, const sim_record *r, const sim_call *call, haft_str node)
{
    place at, other;
    haft_str name = haft__str_split(&node, '[');
    if (!read_place(haft__str(call->id), &at)) {
        return; /* the pause after a step */
    }
    if (at.step != r->graph.steps + 1 || !r->graph.begun) {
        sim_fail(s, "%s of %s is made while step %llu is open: before its barrier", call->id, r->id,
                 (unsigned long long)r->graph.steps + 1);
    } else if (find_task(r, at.index) == NULL
               || (!r->graph.limited && !is(name, find_task(r, at.index)->name))) {
        sim_fail(s, "%s of %s belongs to a node that was not to run", call->id, r->id);
    }
    for (size_t i = r->batch; i < r->call_count; i++) {
        const sim_call *before = &r->calls[i];
        if (before == call || !read_place(haft__str(before->id), &other)
            || other.index != at.index) {
            continue;
        }
        if (before->open) {
            sim_fail(s, "%s of %s is made before %s has its result", call->id, r->id, before->id);
        }
        if (before->found[0] != '\0' && strcmp(before->tool, call->tool) == 0) {
            sim_fail(s, "the node of %s runs again although it has its result", call->id);
        }
    }
}

/* A call of a node has no event of its own when it is made: the first one that names it counts. */
sim_call *sim_watch_node_call(sim *s, sim_record *r, const haft__event *event)
{
    haft_str id = haft__object_text(event->object, "call");
    if (!is_graph(r) || r->call_count == SIM_CALLS) {
        sim_fail(s, is_graph(r) ? "more calls than can be watched" : "an event of an unknown call");
        return NULL;
    }
    sim_call *call = &r->calls[r->call_count++];
    *call = (sim_call){.open = true};
    (void)snprintf(call->id, sizeof(call->id), "%.*s", HAFT__ARG(id));
    (void)snprintf(call->tool, sizeof(call->tool), "%.*s",
                   HAFT__ARG(haft__object_text(event->object, "tool")));
    sim_classify(r, call);
    check_call(s, r, call, haft__object_text(event->object, "node"));
    return call;
}

/* ---- updates ---- */

/* The watcher's own value of the channel `log`. */
static void add_items(sim *s, sim_record *r, haft__json items)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 24);
    haft__buf_add_str(&text, r->graph.log);
    for (uint32_t i = 0; items.kind == HAFT__JSON_ARRAY && i < items.count; i++) {
        haft__buf_add_str(&text, text.len > 0 ? HAFT__LIT(",") : HAFT__LIT(""));
        (void)!haft__json_write_canonical(&text, items.items[i], NULL);
    }
    r->graph.log = haft__arena_copy(&s->arena, haft__buf_str(&text));
    haft__buf_finish(&text);
}

/* The result that the node with that number gives; NULL if no tool of it has one. */
static const sim_call *find_result(const sim_record *r, uint64_t number)
{
    const sim_call *found = NULL;
    place at;
    for (size_t i = r->batch; i < r->call_count; i++) {
        const sim_call *call = &r->calls[i];
        if (read_place(haft__str(call->id), &at) && at.index == number && call->found[0] != '\0') {
            found = call;
        }
    }
    return found;
}

/* Results of nodes that are tools are in the update, in the order of the nodes. */
static void check_order(sim *s, const sim_record *r, haft__json items)
{
    uint32_t at = 0;
    for (size_t i = 0; i < r->graph.next_count; i++) {
        const sim_call *call = find_result(r, r->graph.next[i].number);
        while (call != NULL && at < items.count
               && !is(haft__json_text(items.items[at]), call->found)) {
            at++;
        }
        if (call != NULL && at == items.count) {
            sim_fail(s, "step %llu of %s does not have the result of %s in the order of the nodes",
                     (unsigned long long)r->graph.steps + 1, r->id, call->id);
            return;
        }
        at += call != NULL;
    }
}

/* ---- steps ---- */

static void copy_name(char to[8], haft_str name)
{
    (void)snprintf(to, 8, "%.*s", HAFT__ARG(name));
}

/* Whether a task comes before another: nodes in the order of their names, then workers. */
static bool is_before(const sim_task *a, const sim_task *b)
{
    return a->worker != b->worker ? b->worker : !a->worker && strcmp(a->name, b->name) < 0;
}

static void add_task(sim *s, sim_record *r, haft__json source)
{
    haft__json by = haft__object_array(source, "by");
    if (r->graph.next_count == SIM_TASKS) {
        sim_fail(s, "a step of %s has more nodes than can be watched", r->id);
        return;
    }
    sim_task *task = &r->graph.next[r->graph.next_count++];
    *task = (sim_task){.worker = haft__json_get(source, HAFT__LIT("arg")) != NULL};
    copy_name(task->name, haft__object_text(source, "node"));
    for (uint32_t i = 0; i < by.count && i < COUNT(task->by); i++) {
        copy_name(task->by[task->by_count++], haft__json_text(by.items[i]));
    }
}

static void check_task_order(sim *s, const sim_record *r)
{
    for (size_t i = 1; i < r->graph.next_count; i++) {
        const sim_task *before = &r->graph.next[i - 1], *task = &r->graph.next[i];
        if (!is_before(before, task) && !(before->worker && task->worker)) {
            sim_fail(s, "the nodes that follow in %s are not in the order of their names", r->id);
        }
    }
}

static void read_next(sim *s, sim_record *r, haft__json next)
{
    for (uint32_t i = 0; next.kind == HAFT__JSON_ARRAY && i < next.count; i++) {
        add_task(s, r, next.items[i]);
    }
}

/* Nodes that a person adds to a step get numbers that no other node of it has had. */
static void number_tasks(sim_record *r)
{
    for (size_t i = 0; i < r->graph.next_count; i++) {
        sim_task *task = &r->graph.next[i];
        task->number = task->number > 0 ? task->number : ++r->graph.last_number;
    }
}

/* A person decides again what follows from a node: tasks that only this node woke are gone. */
static void forget_tasks(sim_record *r, haft_str as)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->graph.next_count; i++) {
        sim_task task = r->graph.next[i];
        size_t left = 0;
        for (size_t k = 0; k < task.by_count; k++) {
            if (!is(as, task.by[k])) {
                memmove(task.by[left++], task.by[k], sizeof(task.by[k]));
            }
        }
        if (left > 0 || task.by_count == 0) {
            task.by_count = left;
            r->graph.next[kept++] = task;
        }
    }
    r->graph.next_count = kept;
}

static void sort_tasks(sim_record *r)
{
    for (size_t i = 1; i < r->graph.next_count; i++) {
        sim_task moved = r->graph.next[i];
        size_t at = i;
        for (; at > 0 && is_before(&moved, &r->graph.next[at - 1]); at--) {
            r->graph.next[at] = r->graph.next[at - 1];
        }
        r->graph.next[at] = moved;
    }
}

/* The nodes of a step are those that the step before it has woken. */
static void check_nodes(sim *s, const sim_record *r, haft__json nodes)
{
    bool same = nodes.count == r->graph.next_count;
    for (uint32_t i = 0; same && i < nodes.count; i++) {
        same = is(haft__object_text(nodes.items[i], "node"), r->graph.next[i].name);
    }
    if (!same) {
        sim_fail(s, "step %llu of %s has a node that was not to run",
                 (unsigned long long)r->graph.steps + 1, r->id);
    }
}

static void on_step(sim *s, sim_record *r, const haft__event *event)
{
    haft__json nodes = haft__object_array(event->object, "nodes");
    haft__json updates = haft__object_object(event->object, "updates");
    bool limit = haft__event_flag(event, "limit");
    uint64_t step = haft__object_number(event->object, "step", UINT64_MAX);
    uint64_t left = haft__object_number(event->object, "remaining_steps", UINT64_MAX);
    uint64_t max = haft__object_number(r->spec.graph, "recursion_limit", 0);
    haft__json log = haft__object_array(updates, "log");
    for (size_t i = r->batch; i < r->call_count; i++) {
        if (r->calls[i].open) {
            sim_fail(s, "step %llu of %s is recorded before its barrier: %s has no result",
                     (unsigned long long)step, r->id, r->calls[i].id);
        }
    }
    if (step != (r->graph.begun ? r->graph.steps + 1 : 0)) {
        sim_fail(s, "step %llu of %s does not follow its last step", (unsigned long long)step,
                 r->id);
    }
    if (step > max + limit || left != (max > step ? max - step : 0)) {
        sim_fail(s, "%s has %llu steps left after step %llu, and its limit is %llu", r->id,
                 (unsigned long long)left, (unsigned long long)step, (unsigned long long)max);
    }
    if (r->graph.begun && !limit) {
        check_nodes(s, r, nodes);
    }
    check_order(s, r, log);
    add_items(s, r, log);
    r->graph.next_count = 0;
    r->graph.last_number = 0;
    read_next(s, r, haft__object_array(event->object, "next"));
    number_tasks(r);
    check_task_order(s, r);
    r->batch = r->call_count;
    r->graph.begun = true;
    r->graph.limited = step >= max;
    r->graph.steps = step;
    s->sum.graph_steps++;
}

/* No node waits for a pending call whose node is done or dropped. */
static void close_calls(sim_record *r, const sim_task *done)
{
    place at;
    for (size_t i = r->batch; i < r->call_count; i++) {
        sim_call *call = &r->calls[i];
        bool after = !read_place(haft__str(call->id), &at);
        const sim_task *task = after ? NULL : find_task(r, at.index);
        call->closed = call->open && (after ? r->graph.next_count == 0 : !task || task == done);
    }
}

/* A person changes the state, or lets nodes that failed run again. */
static void on_change(sim *s, sim_record *r, const haft__event *event)
{
    const haft__json *next = haft__event_field(event, "next");
    uint64_t done = haft__object_number(event->object, "task", UINT64_MAX);
    place at;
    if (!haft__event_flag(event, "inside") && !haft__event_flag(event, "retry")) {
        r->graph.last_number = 0; /* no call has been made */
        for (size_t i = 0; i < r->graph.next_count; i++) {
            r->graph.next[i].number = 0;
        }
    }
    for (size_t i = r->batch; done < r->graph.next_count && i < r->call_count; i++) {
        if (read_place(haft__str(r->calls[i].id), &at) && at.index == r->graph.next[done].number) {
            r->calls[i].found[0] = '\0'; /* the person's values are the output of the node */
        }
    }
    add_items(s, r, haft__object_array(haft__object_object(event->object, "updates"), "log"));
    if (next != NULL) {
        forget_tasks(r, haft__object_text(event->object, "as"));
        read_next(s, r, *next);
        sort_tasks(r);
    }
    number_tasks(r);
    close_calls(r, done < r->graph.next_count ? &r->graph.next[done] : NULL);
    s->sum.graph_changes++;
    s->sum.graph_edits_inside += haft__event_flag(event, "inside");
}

static void on_end(sim *s, const sim_record *r, const haft__event *event)
{
    haft_str answer = haft__object_text(event->object, "answer");
    haft_str end = haft__object_text(event->object, "end");
    haft_str inner = answer.len >= 2 ? (haft_str){answer.ptr + 1, answer.len - 2} : answer;
    if (!r->graph.begun || is(end, "cancelled")) {
        return;
    }
    if (is(end, "done") && r->graph.next_count > 0 && r->parent == NULL) {
        sim_fail(s, "%s is done, and %s is to run", r->id, r->graph.next[0].name);
    }
    if (!haft__str_equal(inner, r->graph.log)) {
        sim_fail(s, "the answer of %s is not the state that its steps give: %.*s, and [%.*s]",
                 r->id, (int)(answer.len < 150 ? answer.len : 150), answer.ptr,
                 (int)(r->graph.log.len < 150 ? r->graph.log.len : 150), r->graph.log.ptr);
    }
}

static void on_result(sim_record *r, const haft__event *event)
{
    sim_call *call = sim_find_call(r, haft__object_text(event->object, "call"));
    haft_str result = haft__object_text(event->object, "result");
    if (call != NULL && haft__event_flag(event, "ok")
        && haft__str_starts_with(result, HAFT__LIT("found "))) {
        (void)snprintf(call->found, sizeof(call->found), "%.*s", HAFT__ARG(result));
    }
}

void sim_watch_step(sim *s, sim_record *r, const haft__event *event)
{
    if (!is_graph(r)) {
        return;
    }
    switch (event->kind) {
    case HAFT__EVENT_GRAPH_STEP:
        if (haft__event_is_graph_change(event)) {
            on_change(s, r, event);
        } else {
            on_step(s, r, event);
        }
        break;
    case HAFT__EVENT_CALL_FINISHED: on_result(r, event); break;
    case HAFT__EVENT_RUN_FINISHED: on_end(s, r, event); break;
    default: break;
    }
}
