/* SPDX-License-Identifier: Apache-2.0 */
/* sim_tools_help.c - attempts of calls. An attempt has its effect first, and its result arrives
 * later; its worker may crash before the effect or between the two. */
#include "run/host.h"
#include "sim_help.h"
#include "json/read.h"

static const haft__run_call *call_of(const sim_worker *w, const sim_slot *slot)
{
    return &w->run.calls[slot->call];
}

static sim_slot *find_slot(sim_worker *w, size_t call)
{
    for (size_t i = 0; i < SIM_SLOTS; i++) {
        if (w->slots[i].used && w->slots[i].call == call) {
            return &w->slots[i];
        }
    }
    return NULL;
}

static sim_slot *free_slot(sim_slot *slots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!slots[i].used) {
            return &slots[i];
        }
    }
    return NULL;
}

/* ---- start ---- */

static void set_key(sim *s, const haft__run_call *call, sim_slot *slot)
{
    haft__buf_clear(&s->text);
    haft__run_add_idempotency_key(&s->text, haft__str(slot->record->id), call->id);
    if (s->broken == SIM_KEY) {
        haft__buf_addf(&s->text, "#%u", call->attempt);
    }
    (void)snprintf(slot->key, sizeof(slot->key), "%.*s", HAFT__ARG(haft__buf_str(&s->text)));
}

static void start_slot(sim *s, sim_worker *w, size_t index)
{
    const haft__run_call *call = &w->run.calls[index];
    sim_slot *slot = free_slot(w->slots, SIM_SLOTS);
    if (slot == NULL) {
        sim_fail(s, "too many calls run at once");
        return;
    }
    *slot = (sim_slot){.used = true,
                       .record = w->record,
                       .call = index,
                       .attempt = call->attempt,
                       .class = sim_class_of(call->tool),
                       .times_out = sim_chance(s, 12)};
    (void)snprintf(slot->id, sizeof(slot->id), "%.*s", HAFT__ARG(call->id));
    slot->arguments = sim_hash(s, call->arguments);
    if (s->broken == SIM_EDITED && haft__str_equal(call->verdict, HAFT__LIT("edit"))) {
        slot->arguments = haft__run_hash(call->raw);
    }
    set_key(s, call, slot);
    sim_trace(s, "%s: starts %s attempt %u", w->owner, slot->id, slot->attempt);
}

/* A call that a broken worker repeats. */
static bool must_repeat(const sim *s, const sim_worker *w, const haft__run_call *call)
{
    return s->broken == SIM_AGAIN && call->stage == HAFT__CALL_FINISHED && call->started
           && w->epoch > 1 && haft__call_is_external(call) && !haft__call_is_agent(call);
}

void sim_slots_start(sim *s, sim_worker *w)
{
    bool durable = sim_worker_durable(w) || s->broken == SIM_EARLY;
    for (size_t i = w->run.batch; i < w->run.call_count; i++) {
        const haft__run_call *call = &w->run.calls[i];
        bool skipped = s->broken == SIM_SKIP && i == w->run.call_count - 1 && i > w->run.batch;
        if (skipped || !(haft__call_may_start(call, durable) || must_repeat(s, w, call))) {
            continue;
        }
        sim_slot *slot = find_slot(w, i);
        if (slot == NULL) {
            start_slot(s, w, i);
        } else if (slot->asks && call->answer_due) {
            slot->asks = false;
        }
    }
}

/* The worker has crashed or has cancelled its calls: a request that was sent may still arrive. */
void sim_slots_abandon(sim *s, sim_worker *w)
{
    for (size_t i = 0; i < SIM_SLOTS; i++) {
        sim_slot *slot = &w->slots[i], *orphan = free_slot(s->orphans, SIM_ORPHANS);
        if (slot->used && !slot->effect_done && !slot->asks && orphan != NULL
            && sim_chance(s, 50)) {
            *orphan = *slot;
        }
        slot->used = false;
    }
}

/* ---- effects ---- */

static void perform_effect(sim *s, const sim_slot *slot)
{
    s->sum.effects++;
    sim_trace(s, "world: %s of %s attempt %u has its effect", slot->id, slot->record->id,
              slot->attempt);
    sim_watch_effect(s, slot);
}

void sim_orphan_effect(sim *s, sim_slot *slot)
{
    slot->used = false;
    perform_effect(s, slot);
}

/* The tool asks a person before it does anything. */
static void ask(sim *s, sim_worker *w, sim_slot *slot)
{
    static const char question[] =
        "{\"message\":\"How many?\",\"mode\":\"form\",\"schema\":{\"type\":\"object\","
        "\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"]},\"url\":null,"
        "\"server\":\"docs\"}";
    bool durable = s->specs[SIM_ROOT].help.servers.durable;
    haft__elicitation asked = {.durable = durable,
                               .state = haft__json_string(HAFT__LIT("back")),
                               .within_ms = durable ? 0 : 5000};
    haft__arena_reset(&s->scratch);
    haft__buf_clear(&s->body);
    if (haft__json_read(&s->scratch, haft__str(question), NULL, &asked.question, NULL, NULL)
        != HAFT_OK) {
        sim_fail(s, "the question is not JSON");
        return;
    }
    sim_trace(s, "%s: %s asks", w->owner, slot->id);
    haft__input_call_asked(&s->body, call_of(w, slot)->id, &asked);
    slot->asks = slot->asked = true;
    slot->used = !durable;
    if (sim_worker_append(s, w, haft__buf_str(&s->body), sim_worker_now(s, w))) {
        sim_worker_continue(s, w);
    }
}

void sim_slot_effect(sim *s, sim_worker *w, sim_slot *slot)
{
    const haft__run_call *call = call_of(w, slot);
    if (haft__str_equal(call->name, s->specs[SIM_ROOT].help.servers.asks) && !slot->asked
        && call->resume.kind != HAFT__JSON_OBJECT) {
        ask(s, w, slot);
        return;
    }
    slot->effect_done = true;
    if (slot->times_out || !sim_chance(s, 10)) { /* otherwise it fails before it has an effect */
        perform_effect(s, slot);
    }
}

/* ---- results ---- */

static haft__outcome make_outcome(sim *s, const sim_slot *slot)
{
    haft__outcome outcome = {
        .ok = true, .text = HAFT__LIT("found"), .where = HAFT__LIT(""), .hint = HAFT__LIT("")};
    outcome.ms = sim_pick(s, 50);
    if (slot->record->spec.graph_rules != NULL) { /* each result is another text */
        outcome.text = haft__arena_format(&s->scratch, "found %s", slot->id);
    }
    if (slot->times_out) {
        outcome.ok = false;
        outcome.unknown = outcome.transient = true;
        outcome.text = HAFT__LIT("it took too long");
    } else if (sim_chance(s, 15)) {
        outcome.ok = false;
        outcome.transient = sim_chance(s, 50);
        outcome.text = HAFT__LIT("it did not work");
    }
    return outcome;
}

void sim_slot_result(sim *s, sim_worker *w, sim_slot *slot)
{
    haft_error err = {0};
    const haft__run_call *call = call_of(w, slot);
    haft__arena_reset(&s->scratch);
    haft__outcome outcome = make_outcome(s, slot);
    haft__effect effect = {.kind = HAFT__EFFECT_END};
    uint64_t now = sim_worker_now(s, w);
    sim_slot *orphan = free_slot(s->orphans, SIM_ORPHANS);
    if (!slot->effect_done && orphan != NULL && sim_chance(s, 50)) {
        *orphan = *slot; /* the attempt timed out, and finishes later */
    }
    slot->used = false;
    sim_trace(s, "%s: %s %s", w->owner, slot->id,
              outcome.ok        ? "succeeds"
              : outcome.unknown ? "times out"
                                : "fails");
    haft_status status = HAFT_OK;
    haft__buf_clear(&s->body);
    if (haft__resolve_is_search_tool(
            call->tool)) { /* its hits are an input; everything else is a decision */
        haft__arena_reset(&s->scratch);
        const help_servers *servers = &s->specs[SIM_ROOT].help.servers;
        status = help_search(&w->run, call, servers->listings, servers->count, &s->scratch,
                             HELP_KEY, &s->body, &err);
        effect.body = haft__buf_str(&s->body);
    } else if (outcome.ok) {
        haft__input_call_finished(&s->body, &w->run, call, &outcome);
        effect.body = haft__buf_str(&s->body);
    } else {
        status = haft__decide_failed(&s->decider, &w->run, call, &outcome, now, &effect, &err);
    }
    if (status != HAFT_OK) {
        sim_fail(s, "a failed attempt cannot be decided: %s", err.message);
    } else if (sim_worker_append(s, w, effect.body, now)) {
        sim_worker_continue(s, w);
    }
}
