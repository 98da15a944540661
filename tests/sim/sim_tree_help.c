/* SPDX-License-Identifier: Apache-2.0 */
/* sim_tree_help.c - the rules that must always hold between runs: those of a tree, of a thread, and
 * of a fork. Like sim_watch_help.c it reads logs, and does not use fold and decide. */
#include "sim_help.h"
#include "json/object.h"

static bool is(haft_str text, const char *word)
{
    return haft__str_equal(text, haft__str(word));
}

static sim_link *find_link(sim_record *r, haft_str call)
{
    for (size_t i = 0; i < r->link_count; i++) {
        if (is(call, r->links[i].call)) {
            return &r->links[i];
        }
    }
    return NULL;
}

/* ---- the start and the end of a child ---- */

static uint64_t turn_limit(const sim *s, const sim_record *r)
{
    return r->spec_changed ? s->specs[SIM_NEXT].help.spec.limits.turns : r->spec.limits.turns;
}

/* The turns of the run, of its finished children, and those that open ones may still have. */
static uint64_t used_turns(const sim_record *r)
{
    uint64_t turns = r->turns;
    for (size_t i = 0; i < r->link_count; i++) {
        turns += r->links[i].turns;
    }
    return turns;
}

static void on_child_started(sim *s, sim_record *r, const haft__event *event)
{
    haft_str call = haft__object_text(event->object, "call");
    haft_str child = haft__object_text(event->object, "child");
    if (find_link(r, call) != NULL) {
        sim_fail(s, "%.*s of %s starts a second child", HAFT__ARG(call), r->id);
    }
    const sim_call *started = sim_find_call(r, call);
    if (started != NULL && started->inherited > 0 && started->attempt == started->inherited) {
        sim_fail(s, "%s is a call of the forked run, and starts another child", started->id);
    }
    if (r->link_count == SIM_LINKS) {
        sim_fail(s, "more children than can be watched");
        return;
    }
    sim_link *link = &r->links[r->link_count++];
    *link = (sim_link){
        .turns = haft__object_number(haft__object_get(event->object, "limits"), "turns", 0)};
    (void)snprintf(link->call, sizeof(link->call), "%.*s", HAFT__ARG(call));
    (void)snprintf(link->child, sizeof(link->child), "%.*s", HAFT__ARG(child));
    bool graph = r->spec.graph_rules != NULL; /* an agent keeps one turn for its answer */
    if (used_turns(r) + !graph > turn_limit(s, r)) {
        sim_fail(s, "the child of %s gets more turns than is left", link->call);
    }
}

static void on_child_finished(sim *s, sim_record *r, const haft__event *event)
{
    sim_link *link = find_link(r, haft__object_text(event->object, "call"));
    haft_str child = haft__object_text(event->object, "child");
    if (link == NULL || link->finished || !is(child, link->child)) {
        sim_fail(s, "%s records the end of a child that it does not wait for", r->id);
        return;
    }
    const sim_record *run = sim_store_find(s, child);
    if (run == NULL || run->terminals != 1) {
        sim_fail(s, "%s records the end of a child that has not ended", r->id);
    } else if (!haft__str_equal(run->end, haft__object_text(event->object, "end"))
               || !haft__str_equal(run->answer, haft__object_text(event->object, "answer"))) {
        sim_fail(s, "the end that %s records is not the end of its run", r->id);
    }
    link->finished = true;
    link->turns = haft__object_number(event->object, "turns", 0);
}

static void on_run_started(sim *s, sim_record *r, const haft__event *event)
{
    haft_str call = haft__object_text(event->object, "call");
    sim_link *link = r->parent != NULL ? find_link(r->parent, call) : NULL;
    if (r->parent != NULL && (link == NULL || strcmp(link->child, r->id) != 0)) {
        sim_fail(s, "the child %s exists, but its parent has not started it", r->id);
    }
}

static void on_run_finished(sim *s, sim_record *r)
{
    for (size_t i = 0; i < r->link_count; i++) {
        if (!r->links[i].finished) {
            sim_fail(s, "%s ends before its children", r->id);
        }
    }
}

/* ---- threads ---- */

static void check_thread(sim *s, const sim_record *r)
{
    for (const sim_record *before = s->records; before < r; before++) {
        if (before->exists && strcmp(before->thread, r->thread) == 0 && before->terminals == 0) {
            sim_fail(s, "%s begins before an earlier run of its thread has ended", r->id);
        }
    }
}

void sim_watch_family(sim *s, sim_record *r, const haft__event *event)
{
    switch (event->kind) {
    case HAFT__EVENT_RUN_STARTED: on_run_started(s, r, event); return;
    case HAFT__EVENT_CHILD_STARTED: on_child_started(s, r, event); break;
    case HAFT__EVENT_CHILD_FINISHED: on_child_finished(s, r, event); break;
    case HAFT__EVENT_RUN_FINISHED: on_run_finished(s, r); return;
    case HAFT__EVENT_SPEC_CHANGED:
    case HAFT__EVENT_CANCEL_ASKED: return;
    default: break;
    }
    if (!r->begun) {
        check_thread(s, r);
    }
    r->begun = true;
}

/* ---- after a write ---- */

/* Whether the run knows that it must end, or will when it reads its messages. */
static bool was_told(const sim_record *r, haft_str command)
{
    for (size_t i = 0; i < r->mail_count; i++) {
        if (haft__str_contains_ignore_case(r->mail[i].body, command)) {
            return true;
        }
    }
    return r->cancel_seen || r->terminals > 0;
}

void sim_watch_write(sim *s, sim_record *r)
{
    for (size_t i = 0; i < r->link_count; i++) {
        const sim_link *link = &r->links[i];
        const sim_record *child = sim_store_find(s, haft__str(link->child));
        if (child == NULL) {
            sim_fail(s, "the child of %s, %s, has no run", link->call, link->child);
        } else if (r->cancel_seen && !link->finished && !was_told(child, HAFT__LIT("\"cancel\""))) {
            sim_fail(s, "the cancel of %s does not go down to %s", r->id, child->id);
        } else if (r->limit_seen && !link->finished && !child->limit_seen
                   && !was_told(child, HAFT__LIT("\"limit\""))
                   && !was_told(child, HAFT__LIT("\"cancel\""))) {
            sim_fail(s, "the limit of %s does not go down to %s", r->id, child->id);
        }
    }
}

/* ---- forks ---- */

/* The effects of the other run are not repeated, and its children have finished. */
void sim_watch_fork(sim *s, sim_record *r)
{
    r->inherited_links = r->link_count;
    for (size_t i = 0; i < r->call_count; i++) {
        r->calls[i].inherited = r->calls[i].attempt;
    }
    for (size_t i = 0; i < r->link_count; i++) {
        if (!r->links[i].finished) {
            sim_fail(s, "%s waits for a child of the forked run", r->id);
        }
    }
}

/* ---- the end ---- */

/* Every child_started has exactly one run, and every run below another was started by it. */
void sim_watch_tree(sim *s)
{
    for (size_t i = 0; i < s->record_count; i++) {
        const sim_record *r = &s->records[i];
        size_t starts = 0, runs = 0;
        for (size_t k = 0; k < s->record_count; k++) {
            sim_record *other = &s->records[k];
            runs += other->exists && strcmp(other->id, r->id) == 0;
            for (size_t l = other->inherited_links; l < other->link_count; l++) {
                starts += strcmp(other->links[l].child, r->id) == 0;
            }
        }
        if (r->exists && (runs != 1 || starts != (r->parent != NULL))) {
            sim_fail(s, "%s exists %zu times and was started %zu times", r->id, runs, starts);
        }
    }
}
