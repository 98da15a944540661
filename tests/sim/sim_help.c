/* SPDX-License-Identifier: Apache-2.0 */
/* sim_help.c - plays one seed from its start to its end: draws the next action, then performs it.
 */
#include "sim_help.h"

#include <stdarg.h>

#include "run/decide/call_wait.h"
#include "run/host.h"
#include "spec/load/load.h"
#include "json/canonical.h"

/* ---- random numbers ---- */

static uint64_t draw(sim *s)
{
    uint64_t z = (s->random_state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

uint32_t sim_pick(sim *s, uint32_t count)
{
    return (uint32_t)((draw(s) >> 32) % count);
}

bool sim_chance(sim *s, uint32_t percent)
{
    return sim_pick(s, 100) < percent;
}

bool sim_fault(sim *s, uint32_t percent)
{
    return !s->calm && sim_chance(s, percent);
}

uint64_t sim_hash(sim *s, haft__json value)
{
    haft__buf_clear(&s->text);
    (void)!haft__json_write_canonical(&s->text, value, NULL);
    return haft__run_hash(haft__buf_str(&s->text));
}

/* ---- trace and failures ---- */

void sim_trace(sim *s, const char *format, ...)
{
    if (!s->tracing) {
        return;
    }
    char line[400];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    haft__buf_addf(&s->trace, "%5u %9llu  %s\n", s->steps,
                   (unsigned long long)(s->now_ms - 1000000), line);
}

void sim_fail(sim *s, const char *format, ...)
{
    if (s->failure[0] != '\0') {
        return;
    }
    va_list args;
    va_start(args, format);
    (void)vsnprintf(s->failure, sizeof(s->failure), format, args);
    va_end(args);
    sim_trace(s, "BROKEN: %s", s->failure);
}

static const struct {
    const char *text, *rule;
} breaks[] = {
#define X(name, what, rule) {what, rule},
    SIM_BREAKS(X)
#undef X
};

const char *sim_break_text(sim_break broken)
{
    return breaks[broken].text;
}

const char *sim_break_rule(sim_break broken)
{
    return breaks[broken].rule;
}

/* ---- actions ---- */

typedef enum action {
    ACTION_CLAIM,
    ACTION_WRITE,
    ACTION_WRITTEN,
    ACTION_REPLY,
    ACTION_EFFECT,
    ACTION_RESULT,
    ACTION_READ_MESSAGES,
    ACTION_QUEUE,
    ACTION_WALL,
    ACTION_DEADLINE,
    ACTION_RENEW,
    ACTION_RELEASE,
    ACTION_CRASH,
    ACTION_FREEZE,
    ACTION_THAW,
    ACTION_SKEW,
    ACTION_TICK,
    ACTION_JUMP,
    ACTION_PERSON,
    ACTION_NEW_RUN,
    ACTION_FORK,
    ACTION_ORPHAN,
} action;

typedef struct choice {
    action what;
    unsigned worker, slot, weight;
} choice;

typedef struct choices {
    choice items[SIM_WORKERS * (SIM_SLOTS * 2 + SIM_RECORDS + 16) + SIM_ORPHANS + 8];
    size_t count;
    unsigned weight;
} choices;

static void offer(choices *c, action what, unsigned worker, unsigned slot, unsigned weight)
{
    if (weight > 0) {
        c->items[c->count++] = (choice){what, worker, slot, weight};
        c->weight += weight;
    }
}

/* Mostly runs that need a worker are claimed. */
static unsigned claim_weight(const sim *s, const sim_record *r)
{
    if (!r->exists) {
        return r->refused ? 0 : 3;
    }
    if (r->row.state == HAFT__RUN_STATE_ENDED || (s->broken == SIM_ABANDON && r->parent == NULL)) {
        return 0;
    }
    return sim_store_due(s, r) ? 3 : !s->calm && s->steps % 4 == 0 ? 1 : 0;
}

static void offer_claims(const sim *s, unsigned number, choices *c)
{
    for (unsigned i = 0; !s->workers[number].has_run && i < s->record_count; i++) {
        offer(c, ACTION_CLAIM, number, i, claim_weight(s, &s->records[i]));
    }
}

static void offer_slots(const sim_worker *w, unsigned number, choices *c)
{
    for (unsigned i = 0; i < SIM_SLOTS; i++) {
        const sim_slot *slot = &w->slots[i];
        if (!slot->used || slot->asks) {
            continue;
        }
        offer(c, ACTION_EFFECT, number, i, slot->effect_done ? 0 : 6);
        offer(c, ACTION_RESULT, number, i, slot->effect_done || slot->times_out ? 6 : 0);
    }
}

/* Whether a worker may crash, freeze, release its run or get a wrong clock in this step. */
static bool fault_is_due(const sim *s)
{
    return !s->calm && s->steps % s->fault_interval == 0;
}

/* A run that only waits is released; sometimes one whose tool waits for an answer. */
static unsigned release_weight(const sim_worker *w, bool fault)
{
    bool asks = false;
    for (unsigned i = 0; i < SIM_SLOTS; i++) {
        asks = asks || w->slots[i].used;
    }
    bool rests = w->created && (w->queued || w->effect == HAFT__EFFECT_WAIT);
    return rests && sim_worker_durable(w) && (fault || !asks) ? 1 : 0;
}

/* The time of a run counts while its owner works. */
static bool wall_is_due(const sim *s, const sim_worker *w)
{
    bool works = w->asking || w->effect == HAFT__EFFECT_RUN_CALLS;
    return s->walls && !s->calm && s->steps % 8 == 0 && w->created && works && !w->queued
           && haft__run_takes_answers(&w->run);
}

static void offer_worker(const sim *s, unsigned number, choices *c)
{
    const sim_worker *w = &s->workers[number];
    bool fault = fault_is_due(s);
    offer(c, ACTION_WRITE, number, 0, w->has_run && w->writing && !w->performed ? 8 : 0);
    offer(c, ACTION_THAW, number, 0, w->frozen ? (s->calm ? 20 : 1) : 0);
    offer(c, ACTION_CRASH, number, 0, fault && w->has_run ? 1 : 0);
    if (w->frozen) {
        return;
    }
    offer_claims(s, number, c);
    offer(c, ACTION_SKEW, number, 0, fault && s->steps % 4 == 0 ? 1 : 0);
    if (!w->has_run) {
        return;
    }
    uint64_t deadline = haft__run_deadline(&w->run), now = sim_worker_now(s, w);
    uint64_t delay = haft__call_wait_next_poll(&w->run, 0);
    deadline = delay > 0 && (deadline == 0 || delay < deadline) ? delay : deadline;
    bool rests = w->effect == HAFT__EFFECT_WAIT || w->effect == HAFT__EFFECT_RUN_CALLS;
    offer(c, ACTION_WRITTEN, number, 0, w->writing && w->performed ? 8 : 0);
    offer(c, ACTION_REPLY, number, 0, w->asking ? 6 : 0);
    offer(c, ACTION_READ_MESSAGES, number, 0, w->record->mail_count > 0 ? 4 : 0);
    offer(c, ACTION_QUEUE, number, 0, w->queued && w->created ? 4 : 0);
    offer(c, ACTION_WALL, number, 0, wall_is_due(s, w) ? 1 : 0);
    offer(c, ACTION_DEADLINE, number, 0, rests && deadline > 0 && deadline <= now ? 4 : 0);
    offer(c, ACTION_RENEW, number, 0, 1);
    offer(c, ACTION_RELEASE, number, 0, release_weight(w, fault));
    offer(c, ACTION_FREEZE, number, 0, fault ? 1 : 0);
    offer_slots(w, number, c);
}

/* Another run is started when all others are stored: their order is that of their creation. */
static bool may_start_root(const sim *s)
{
    bool stored = true;
    for (size_t i = 0; i < s->record_count; i++) {
        stored = stored && (s->records[i].exists || s->records[i].refused);
    }
    return stored && s->roots_left > 0 && !s->calm && s->steps % 8 == 0;
}

static choice choose(sim *s)
{
    choices c = {.count = 0};
    for (unsigned i = 0; i < SIM_WORKERS; i++) {
        offer_worker(s, i, &c);
    }
    for (unsigned i = 0; i < SIM_ORPHANS; i++) {
        offer(&c, ACTION_ORPHAN, 0, i, s->orphans[i].used ? 2 : 0);
    }
    offer(&c, ACTION_TICK, 0, 0, 4);
    offer(&c, ACTION_JUMP, 0, 0, !s->calm && s->steps % 8 == 0 ? 1 : 0);
    offer(&c, ACTION_PERSON, 0, 0, 3);
    offer(&c, ACTION_NEW_RUN, 0, 0, may_start_root(s) ? 1 : 0);
    bool forks = !s->calm && s->forks_left > 0 && s->steps % 8 == 0;
    offer(&c, ACTION_FORK, 0, 0, !forks ? 0 : s->root == SIM_GRAPH ? 6 : 1);
    uint32_t at = sim_pick(s, c.weight);
    size_t i = 0;
    while (at >= c.items[i].weight) {
        at -= c.items[i++].weight;
    }
    return c.items[i];
}

/* ---- clocks ---- */

static void tick(sim *s)
{
    static const uint32_t spans[] = {1, 20, 500, 4000, 31000};
    s->now_ms += spans[sim_pick(s, COUNT(spans))];
}

/* The store's clock is corrected by a large amount. */
static void jump(sim *s)
{
    uint64_t by = (uint64_t)sim_pick(s, 3600) * 1000;
    s->now_ms += sim_chance(s, 50) || s->now_ms < 2 * by ? by : (uint64_t)0 - by / 2;
    sim_trace(s, "the store's clock jumps");
}

static void skew(sim *s, sim_worker *w)
{
    static const int64_t spans[] = {0, 0, 1000, -1000, 3600000, -3600000, 86400000};
    /* A node that tries again waits by the clock: not for a day, within the steps of a seed. */
    w->skew_ms = spans[sim_pick(s, COUNT(spans) - (s->root == SIM_GRAPH))];
    sim_trace(s, "%s: its clock is %lld ms off", w->owner, (long long)w->skew_ms);
}

/* ---- one step ---- */

static void freeze(sim *s, sim_worker *w, bool on)
{
    w->frozen = on;
    s->sum.freezes += on;
    sim_trace(s, on ? "%s: stops" : "%s: continues where it was", w->owner);
}

static void release(sim *s, sim_worker *w)
{
    sim_trace(s, "%s: releases the run", w->owner);
    uint64_t epoch = w->epoch, deadline = haft__run_deadline(&w->run);
    bool waits = !w->queued;
    sim_worker_drop(s, w);
    sim_store_release(s, w->record, epoch, waits, deadline);
}

/* A person starts another run in the thread of the first. */
static void start_root(sim *s)
{
    static const haft__multitask multitasks[] = {HAFT__MULTITASK_ENQUEUE, HAFT__MULTITASK_ENQUEUE,
                                                 HAFT__MULTITASK_REJECT, HAFT__MULTITASK_INTERRUPT};
    char id[HAFT__ID_LENGTH + 1];
    (void)snprintf(id, sizeof(id), "%026u", 10 + s->roots_left--);
    sim_record *r = sim_store_add(s, haft__str(id), HAFT__LIT(HELP_THREAD), s->root);
    if (r != NULL) {
        r->multitask = multitasks[sim_pick(s, COUNT(multitasks))];
        sim_trace(s, "people: %s follows in the thread", id);
    }
}

static void step(sim *s)
{
    choice c = choose(s);
    sim_worker *w = &s->workers[c.worker];
    s->steps++;
    switch (c.what) {
    case ACTION_CLAIM: sim_worker_claim_or_create(s, w, &s->records[c.slot]); break;
    case ACTION_WRITE: sim_store_perform(s, w); break;
    case ACTION_WRITTEN: sim_worker_written(s, w); break;
    case ACTION_REPLY: sim_reply(s, w); break;
    case ACTION_EFFECT: sim_slot_effect(s, w, &w->slots[c.slot]); break;
    case ACTION_RESULT: sim_slot_result(s, w, &w->slots[c.slot]); break;
    case ACTION_READ_MESSAGES: sim_worker_read_messages(s, w); break;
    case ACTION_QUEUE: sim_worker_check_queue(s, w); break;
    case ACTION_WALL: sim_worker_use_up_time(s, w); break;
    case ACTION_DEADLINE: sim_worker_continue(s, w); break;
    case ACTION_RENEW: sim_store_renew(s, w); break;
    case ACTION_RELEASE: release(s, w); break;
    case ACTION_CRASH: sim_worker_crash(s, w); break;
    case ACTION_FREEZE: freeze(s, w, true); break;
    case ACTION_THAW: freeze(s, w, false); break;
    case ACTION_SKEW: skew(s, w); break;
    case ACTION_TICK: tick(s); break;
    case ACTION_JUMP: jump(s); break;
    case ACTION_PERSON: sim_person(s); break;
    case ACTION_NEW_RUN: start_root(s); break;
    case ACTION_FORK: sim_fork(s); break;
    case ACTION_ORPHAN: sim_orphan_effect(s, &s->orphans[c.slot]); break;
    }
}

/* ---- a whole simulation ---- */

static uint64_t clock_of(void *context)
{
    return ((const sim *)context)->now_ms;
}

void sim_begin(sim *s, uint64_t seed, sim_break broken)
{
    s->seed = seed;
    s->random_state = seed * 0x2545f4914f6cdd1dU + 0x1234567;
    s->broken = broken;
    s->failure[0] = '\0';
    s->now_ms = 1000000;
    s->steps = 0;
    s->calm = false;
    s->record_count = 0;
    s->last_mail = 0;
    s->head = (haft__store){.now = clock_of, .now_context = s};
    s->last_command = HAFT__LIT("");
    haft__buf_clear(&s->trace);
    haft__arena_reset(&s->arena);
    memset(s->orphans, 0, sizeof(s->orphans));
    s->fault_interval = 1 + sim_pick(s, 8);
    s->cancels = sim_chance(s, 30);
    s->changes = sim_chance(s, 30);
    s->walls = sim_chance(s, 30);
    s->roots_left = sim_chance(s, 30) ? 1 + sim_pick(s, 2) : 0;
    s->root = sim_chance(s, 30) ? SIM_GRAPH : SIM_ROOT;
    s->forks_left = sim_chance(s, s->root == SIM_GRAPH ? 60 : 30) ? 1 + sim_pick(s, 3) : 0;
    sim_make_specs(s);
    sim_trace(s, "seed %llu: %s", (unsigned long long)seed, s->specs[s->root].words);
    (void)sim_store_add(s, HAFT__LIT(HELP_RUN), HAFT__LIT(HELP_THREAD), s->root);
    for (unsigned i = 0; i < SIM_WORKERS; i++) {
        s->workers[i].life = 0;
        s->workers[i].skew_ms = 0;
        sim_worker_start(s, &s->workers[i]);
    }
}

static bool is_sound(const sim *s)
{
    return s->failure[0] == '\0';
}

static bool all_ended(const sim *s)
{
    size_t ended = 0;
    for (size_t i = 0; i < s->record_count; i++) {
        ended += s->records[i].terminals > 0 || s->records[i].refused;
    }
    return ended == s->record_count;
}

/* Faults for a while, then none until all runs have ended; then the remaining workers notice the
 * end. */
static void play_steps(sim *s)
{
    unsigned storm = 20 + sim_pick(s, 600);
    while (is_sound(s) && s->steps < storm && !all_ended(s)) {
        step(s);
    }
    /* If the runs have ended already, faults continue in half of the seeds, so that frozen workers
     * wake up after the end. */
    bool faults_after_end = sim_chance(s, 50);
    s->calm = !faults_after_end || !all_ended(s);
    unsigned max = s->steps + SIM_CALM;
    while (is_sound(s) && s->steps < max + SIM_CALM * s->record_count && !all_ended(s)) {
        step(s);
    }
    if (is_sound(s) && !all_ended(s)) {
        sim_fail(s, "a run is stuck: it does not end without faults");
    }
    s->roots_left = s->forks_left = 0;
    for (unsigned i = 0; is_sound(s) && i < 40; i++) {
        step(s);
    }
}

bool sim_run(sim *s, uint64_t seed, sim_break broken)
{
    sim_begin(s, seed, broken);
    play_steps(s);
    for (size_t i = 0; i < s->record_count && is_sound(s); i++) {
        if (!s->records[i].refused) {
            s->sum.runs++;
            s->sum.graphs += s->records[i].spec.graph_rules != NULL;
            sim_watch_end(s, &s->records[i]);
        }
    }
    if (is_sound(s)) {
        sim_watch_tree(s);
    }
    for (unsigned i = 0; i < SIM_WORKERS; i++) {
        sim_worker_drop(s, &s->workers[i]);
    }
    s->sum.seeds++;
    s->sum.steps += s->steps;
    return is_sound(s);
}

void sim_init(sim *s)
{
    *s = (sim){0};
    haft__arena_init(&s->arena, 0);
    haft__arena_init(&s->scratch, 0);
    haft__arena_init(&s->schemas, 0);
    CHECK_INT(haft__spec_schema_compile(&s->schemas, HELP_KEY, &s->schema, NULL), HAFT_OK, "init");
    haft__buf_init(&s->trace, 1 << 26);
    haft__buf_init(&s->body, 1 << 24);
    haft__buf_init(&s->line, 1 << 24);
    haft__buf_init(&s->text, 1 << 24);
    for (size_t i = 0; i < SIM_RECORDS; i++) {
        haft__buf_init(&s->records[i].log, 1 << 26);
    }
    CHECK_INT(haft__decider_init(&s->decider, NULL), HAFT_OK, "init");
    for (unsigned i = 0; i < SIM_WORKERS; i++) {
        sim_worker *w = &s->workers[i];
        w->number = i;
        haft__arena_init(&w->arena, 0);
        haft__buf_init(&w->gathered, 1 << 26);
        haft__buf_init(&w->written, 1 << 26);
    }
}

void sim_finish(sim *s)
{
    haft__buf *bufs[] = {&s->trace, &s->body, &s->line, &s->text};
    for (size_t i = 0; i < COUNT(bufs); i++) {
        haft__buf_finish(bufs[i]);
    }
    for (size_t i = 0; i < SIM_RECORDS; i++) {
        haft__buf_finish(&s->records[i].log);
    }
    for (unsigned i = 0; i < SIM_WORKERS; i++) {
        haft__arena_finish(&s->workers[i].arena);
        haft__buf_finish(&s->workers[i].gathered);
        haft__buf_finish(&s->workers[i].written);
    }
    haft__decider_finish(&s->decider);
    haft__arena_finish(&s->schemas);
    haft__arena_finish(&s->scratch);
    haft__arena_finish(&s->arena);
}
