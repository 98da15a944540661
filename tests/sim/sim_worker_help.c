/* SPDX-License-Identifier: Apache-2.0 */
/* sim_worker_help.c - a process that works on a run like the engine: decisions are folded and
 * buffered, one write is pending at a time, and effects wait for it. */
#include "graph/run/graph_run.h"
#include "run/handoff/handoff.h"
#include "run/host.h"
#include "sim_help.h"

uint64_t sim_worker_now(const sim *s, const sim_worker *w)
{
    int64_t now = (int64_t)s->now_ms + w->skew_ms;
    return now > 0 ? (uint64_t)now : 0;
}

bool sim_worker_durable(const sim_worker *w)
{
    return !w->writing && w->gathered.len == 0 && w->durable_seq == w->run.seq;
}

/* ---- start, crash, stop ---- */

void sim_worker_drop(sim *s, sim_worker *w)
{
    if (w->has_run) {
        sim_slots_abandon(s, w);
    }
    w->has_run = w->created = w->writing = w->performed = w->asking = w->queued = false;
    w->cancels_sent = false;
    w->told = HAFT__CHILD_CLOSE_NONE;
    w->born = w->birth_count = w->letter_count = 0;
    w->delivered_count = w->heard_written_count = 0;
    haft__buf_clear(&w->gathered);
    haft__buf_clear(&w->written);
    haft__arena_reset(&w->arena);
}

void sim_worker_start(sim *s, sim_worker *w)
{
    sim_worker_drop(s, w);
    w->frozen = false;
    w->life++;
    (void)snprintf(w->owner, sizeof(w->owner), "w%u.%u", w->number, w->life);
}

/* The last line is lost, as if it had never reached the disk. */
static void lose_line(sim_record *r)
{
    size_t length = r->log.len - 1;
    while (length > 0 && r->log.ptr[length - 1] != '\n') {
        length--;
    }
    r->log.len = length;
    r->row.seq--;
}

void sim_worker_crash(sim *s, sim_worker *w)
{
    sim_trace(s, "%s: crashes", w->owner);
    s->sum.crashes++;
    if (s->broken == SIM_LOST && w->has_run && w->record->row.seq > 2
        && w->record->row.state != HAFT__RUN_STATE_ENDED) {
        lose_line(w->record);
    }
    sim_worker_start(s, w);
}

static void fail(sim *s, sim_worker *w, const char *why)
{
    sim_trace(s, "%s: stops with the run: %s", w->owner, why);
    sim_worker_drop(s, w);
}

/* ---- events ---- */

static void gather(sim *s, sim_worker *w, haft_str body, uint64_t now)
{
    haft__buf_clear(&s->line);
    haft__event_write(&s->line, w->run.seq + 1, now, haft__str(w->record->id), body);
    haft__buf_add_str(&w->gathered, haft__buf_str(&s->line));
    haft__buf_add_char(&w->gathered, '\n');
}

void sim_worker_forge(sim *s, sim_worker *w, haft_str body)
{
    gather(s, w, body, sim_worker_now(s, w));
    w->run.seq++;
}

/* The defect of a broken worker after an event. */
static void inject_defect(sim *s, sim_worker *w, haft_str body)
{
    if (s->broken == SIM_TERMINAL && w->run.stage == HAFT__RUN_ENDED) {
        sim_worker_forge(s, w, HAFT__LIT("\"kind\":\"run_finished\",\"end\":\"done\"}"));
    }
    if (haft__str_starts_with(body, HAFT__LIT("\"kind\":\"handed_off\""))) {
        if (s->broken == SIM_HANDED) {
            sim_worker_forge(s, w, body);
        }
        w->run.handoffs = s->broken == SIM_LOOP ? 0 : w->run.handoffs;
        w->run.messages.count -= s->broken == SIM_FORGET;
    }
    if (s->broken == SIM_CANCEL) {
        w->run.cancel_asked = false;
    }
    if (s->broken == SIM_ORPHAN && w->run.cancel_asked) {
        w->run.open_children = 0;
    }
    for (size_t i = w->run.batch; s->broken == SIM_DECLINED && i < w->run.call_count; i++) {
        const haft__run_call *call = &w->run.calls[i];
        if (call->stage == HAFT__CALL_REFUSED && call->pause == HAFT__PAUSE_APPROVAL
            && haft__str_equal(call->verdict, HAFT__LIT("reject"))
            && haft__str_starts_with(body, HAFT__LIT("\"kind\":\"call_refused\""))) {
            s->orphans[0] =
                (sim_slot){.used = true, .record = w->record, .class = SIM_ONCE, .attempt = 1};
            (void)snprintf(s->orphans[0].id, sizeof(s->orphans[0].id), "%.*s", HAFT__ARG(call->id));
        }
    }
}

bool sim_worker_append(sim *s, sim_worker *w, haft_str body, uint64_t now)
{
    haft_error err = {0};
    bool hands_off = haft__str_starts_with(body, HAFT__LIT("\"kind\":\"handed_off\""));
    haft__messages before = w->run.messages;
    gather(s, w, body, now);
    if (haft__run_fold(&w->run, haft__buf_str(&s->line), &err) != HAFT_OK) {
        sim_fail(s, "a worker cannot fold its own event: %s %s: %.*s", err.where, err.message,
                 HAFT__ARG(body));
        return false;
    }
    inject_defect(s, w, body);
    sim_break_graph(s, w, body);
    if (hands_off) {
        sim_watch_history(s, &before, &w->run);
    }
    return true;
}

static void flush(sim *s, sim_worker *w)
{
    if (w->writing || (w->gathered.len == 0 && w->delivered_count == 0)) {
        return;
    }
    haft__buf empty = w->written;
    w->written = w->gathered;
    w->gathered = empty;
    haft__buf_clear(&w->gathered);
    memcpy(w->acked_writing, w->delivered, sizeof(w->delivered));
    w->heard_written_count = w->delivered_count;
    w->delivered_count = 0;
    w->writing = true;
    w->performed = false;
    w->writing_seq = w->run.seq;
    w->writing_ended = w->run.stage == HAFT__RUN_ENDED;
    sim_family_collect(s, w);
    sim_trace(s, "%s: writes up to event %llu", w->owner, (unsigned long long)w->run.seq);
}

void sim_worker_written(sim *s, sim_worker *w)
{
    if (w->write_status == HAFT_IO && sim_chance(s, 30)) {
        sim_trace(s, "%s: writes the same again", w->owner); /* rejected, if it was stored */
        w->performed = false;
        return;
    }
    if (w->write_status != HAFT_OK) {
        fail(s, w, w->write_status == HAFT_IO ? "what was written may be lost" : "it was refused");
        return;
    }
    w->writing = false;
    w->heard_written_count = 0;
    w->epoch = w->created ? w->epoch : 1;
    w->created = true;
    w->durable_seq = w->writing_seq;
    if (w->record->row.seq < w->durable_seq) {
        sim_fail(s, "an acknowledged event is not stored");
    }
    w->run.usage.calls += s->broken == SIM_PHANTOM && sim_chance(s, 20);
    if (sim_worker_durable(w) && sim_chance(s, 5)) {
        sim_watch_state(s, w);
    }
    sim_worker_continue(s, w);
}

/* ---- deciding ---- */

haft_str sim_replace(sim *s, haft_str body, const char *from, const char *to)
{
    size_t length = strlen(from);
    for (size_t at = 0; at + length <= body.len; at++) {
        if (memcmp(body.ptr + at, from, length) == 0) {
            haft__buf_clear(&s->text);
            haft__buf_add(&s->text, body.ptr, at);
            haft__buf_add_str(&s->text, haft__str(to));
            haft__buf_add(&s->text, body.ptr + at + length, body.len - at - length);
            return haft__arena_copy(&s->arena, haft__buf_str(&s->text));
        }
    }
    return body;
}

static haft_str raise_budget(sim *s, haft_str body)
{
    bool child = haft__str_starts_with(body, HAFT__LIT("\"kind\":\"child_started\""));
    return child ? sim_replace(s, body, "\"turns\":", "\"turns\":9") : body;
}

/* A broken worker forgets that a call hands its run over. */
static bool skip_handoff(const sim *s, sim_worker *w, haft_str body)
{
    bool skips =
        s->broken == SIM_STAY && haft__str_starts_with(body, HAFT__LIT("\"kind\":\"handed_off\""));
    if (skips) {
        w->run.handoff_call = haft__handoff_due(&w->run)->id;
    }
    return skips;
}

static bool decide(sim *s, sim_worker *w, bool *ret_more)
{
    haft_error err = {0};
    haft__effect effect = {.kind = HAFT__EFFECT_END};
    uint64_t now = sim_worker_now(s, w);
    if (haft__decide(&s->decider, &w->run, now, &effect, &err) != HAFT_OK) {
        sim_fail(s, "decide failed: %s", err.message);
        return false;
    }
    w->effect = effect.kind;
    *ret_more = effect.kind == HAFT__EFFECT_EVENT;
    if (*ret_more && skip_handoff(s, w, effect.body)) {
        return true;
    }
    if (*ret_more && s->broken == SIM_DECISION
        && haft__str_starts_with(effect.body, HAFT__LIT("\"kind\":\"turn_started\""))) {
        haft__buf_clear(&s->body);
        haft__buf_add(&s->body, effect.body.ptr, effect.body.len - 1);
        haft__buf_add_str(&s->body, HAFT__LIT(",\"more\":1}"));
        effect.body = haft__buf_str(&s->body);
    }
    if (*ret_more) {
        effect.body = sim_break_step(s, effect.body);
    }
    if (*ret_more && s->broken == SIM_GREEDY) {
        effect.body = raise_budget(s, effect.body);
    }
    return !*ret_more || sim_worker_append(s, w, effect.body, now);
}

/* A run that is not the first of its thread does nothing, except that it can be cancelled. A graph
 * is created before anything is decided, because the write that creates a run creates no children.
 */
static bool is_waiting(const sim_worker *w)
{
    bool graph = w->run.spec->graph_rules != NULL && !w->created;
    return (w->queued || graph) && !w->run.cancel_asked;
}

static void perform(sim *s, sim_worker *w)
{
    w->asking = w->effect == HAFT__EFFECT_CALL_MODEL || w->effect == HAFT__EFFECT_SEARCH_TOOLS;
    switch (w->effect) {
    case HAFT__EFFECT_RUN_CALLS:
        sim_slots_start(s, w);
        if (s->broken == SIM_TURN && sim_chance(s, 10)) {
            sim_worker_forge(s, w, HAFT__LIT("\"kind\":\"turn_started\",\"turn\":9}"));
        }
        if (s->broken == SIM_BARRIER && w->run.graph != NULL && sim_chance(s, 10)) {
            haft__buf_clear(&s->body);
            haft__buf_addf(&s->body, "\"kind\":\"graph_step\",\"step\":%u,\"next\":[]}",
                           w->run.graph->x->step + 1);
            sim_worker_forge(s, w, haft__buf_str(&s->body));
        }
        break;
    case HAFT__EFFECT_WAIT:
        if (haft__child_is_closing(&w->run)) {
            sim_slots_abandon(s, w);
        }
        break;
    case HAFT__EFFECT_END: sim_slots_abandon(s, w); break;
    case HAFT__EFFECT_CALL_MODEL:
    case HAFT__EFFECT_SEARCH_TOOLS:
    case HAFT__EFFECT_READ_THREAD:
    case HAFT__EFFECT_EVENT: break;
    }
}

void sim_worker_continue(sim *s, sim_worker *w)
{
    bool more = true;
    if (is_waiting(w)) {
        flush(s, w);
        return;
    }
    while (more) {
        if (!decide(s, w, &more)) {
            return;
        }
    }
    if (w->created) {
        perform(s, w);
    }
    flush(s, w);
    if (w->effect == HAFT__EFFECT_END && sim_worker_durable(w)) {
        sim_watch_state(s, w);
        sim_worker_drop(s, w);
    }
}

/* ---- threads ---- */

static void interrupt_predecessors(sim *s, sim_worker *w)
{
    const haft__run_command cancel = {.kind = HAFT__RUN_COMMAND_CANCEL,
                                      .call = HAFT__LIT(""),
                                      .value = haft__json_null(),
                                      .by = w->run.id,
                                      .why = HAFT__LIT("a new run of its thread interrupts it")};
    for (sim_record *r = s->records; r < w->record; r++) {
        bool open = r->exists && r->row.state != HAFT__RUN_STATE_ENDED;
        bool owned = r->row.owner.len > 0 && r->row.lease_ms > s->now_ms;
        haft__queue_ahead ahead = {.owned = owned, .cancel_requested = w->cancels_sent};
        if (open && strcmp(r->thread, w->record->thread) == 0
            && haft__queue_decide(w->record->multitask, ahead) != HAFT__QUEUE_WAIT) {
            haft__buf_clear(&s->text);
            haft__run_command_write(&s->text, &cancel);
            (void)sim_store_send(s, r, haft__buf_str(&s->text));
        }
    }
    w->cancels_sent = true;
}

/* Commands that were sent while it waited come first. */
void sim_worker_check_queue(sim *s, sim_worker *w)
{
    haft_error err = {0};
    if (sim_store_has_predecessor(s, w->record)) {
        interrupt_predecessors(s, w);
        return;
    }
    if (w->record->mail_count > 0) {
        sim_worker_read_messages(s, w);
        return;
    }
    if (w->run.cancel_asked) {
        w->queued = false;
        return;
    }
    haft__run_set_earlier(&w->run, &w->earlier);
    if (!sim_earlier(s, w->record, &w->arena, &w->earlier)
        || haft__run_insert_earlier(&w->run, &err) != HAFT_OK) {
        sim_fail(s, "the messages of the thread cannot be read: %s", err.message);
        return;
    }
    sim_trace(s, "%s: its run is the first of its thread", w->owner);
    w->queued = false;
    sim_worker_continue(s, w);
}

/* The owner has counted limits.wall, and cancels its operations. */
void sim_worker_use_up_time(sim *s, sim_worker *w)
{
    sim_trace(s, "%s: the time of its run is used up", w->owner);
    s->sum.walls++;
    haft__buf_clear(&s->body);
    haft__input_wall_reached(&s->body, &w->run, w->run.spec->limits.wall_ms);
    sim_slots_abandon(s, w);
    w->asking = false;
    if (sim_worker_append(s, w, haft__buf_str(&s->body), sim_worker_now(s, w))) {
        sim_worker_continue(s, w);
    }
}

/* ---- opening ---- */

static void create(sim *s, sim_worker *w)
{
    haft_str none = {NULL, 0};
    sim_trace(s, "%s: starts the run %s", w->owner, w->record->id);
    haft__buf_clear(&s->body);
    haft__input_run_started(&s->body, &w->record->spec, HAFT__LIT("do it"),
                            haft__str(w->record->thread), none, none);
    w->durable_seq = 0;
    if (sim_worker_append(s, w, haft__buf_str(&s->body), sim_worker_now(s, w))) {
        sim_worker_continue(s, w);
    }
}

static bool fold_log(sim *s, sim_worker *w)
{
    haft_error err = {0};
    if (!sim_fold(s, w->record, UINT64_MAX, &w->arena, &w->earlier, &w->run, &err)) {
        sim_fail(s, "the log cannot be folded: %s %s", err.where, err.message);
        return false;
    }
    w->durable_seq = w->run.seq;
    w->created = true;
    w->born = w->run.child_count;
    w->told = haft__child_find_close(&w->run);
    /* The history of tools belongs to the spec: the old one must have as many. */
    bool relapses = s->broken == SIM_RELAPSE && w->run.spec != NULL
                    && w->run.spec->tools.count == w->record->spec.tools.count;
    w->run.spec = relapses ? &w->record->spec : w->run.spec;
    for (size_t i = w->run.batch; s->broken == SIM_SECOND && i < w->run.call_count; i++) {
        w->run.calls[i].child = NULL;
    }
    return true;
}

/* Somebody resumes the run with another spec. A spec without the tool of a running call is
 * rejected. */
static bool change_spec(sim *s, sim_worker *w)
{
    haft_error err = {0};
    const haft__spec *next = &s->specs[SIM_NEXT].help.spec;
    const haft__spec_origin origin = {.file = HAFT__LIT("")};
    bool possible = s->changes && w->record->parent == NULL && w->run.first_spec != next
                    && w->record->mail_count == 0 && w->run.stage != HAFT__RUN_ENDED
                    && !haft__child_is_closing(&w->run);
    if (!possible || !sim_chance(s, 30)) {
        return true;
    }
    haft__buf_clear(&s->body);
    haft_status status = haft__input_spec_changed(&s->body, &w->run, next, &origin,
                                                  HAFT__LIT("ada"), HAFT__LIT("changed\n"), &err);
    if (status != HAFT_OK) {
        sim_trace(s, "%s: the new spec is rejected: %s", w->owner, err.message);
        return true;
    }
    s->sum.changed++;
    return sim_worker_append(s, w, haft__buf_str(&s->body), sim_worker_now(s, w));
}

/* The spec of the run, for a defect that changes it for a moment. */
static haft__spec *spec_of(sim *s, const sim_worker *w)
{
    haft__spec *next = &s->specs[SIM_NEXT].help.spec;
    return w->run.first_spec == next ? next : &w->record->spec;
}

static bool recover(sim *s, sim_worker *w)
{
    size_t at = 0;
    const haft__run_call *call = NULL;
    haft__spec *spec = spec_of(s, w);
    haft__on_unknown policy = spec->on_unknown;
    while ((call = haft__run_next_interrupted_call(&w->run, &at)) != NULL) {
        haft_error err = {0};
        haft__effect effect = {.kind = HAFT__EFFECT_END};
        uint64_t now = sim_worker_now(s, w);
        spec->on_unknown = s->broken == SIM_REPEAT ? HAFT__ON_UNKNOWN_RETRY : policy;
        haft_status status = haft__decide_recovery(&s->decider, &w->run, call, now, &effect, &err);
        spec->on_unknown = policy;
        s->sum.recoveries++;
        if (status != HAFT_OK || !sim_worker_append(s, w, effect.body, now)) {
            sim_fail(s, "recovery failed: %s", err.message);
            return false;
        }
    }
    return true;
}

void sim_worker_claim_or_create(sim *s, sim_worker *w, sim_record *r)
{
    if (r->exists && !sim_store_claim(s, w, r)) {
        return;
    }
    w->has_run = true;
    w->record = r;
    w->queued = !r->begun && r->parent == NULL && s->broken != SIM_HURRY;
    s->sum.queued += w->queued && sim_store_has_predecessor(s, r);
    memset(w->slots, 0, sizeof(w->slots));
    if (haft__run_init(&w->run, &w->arena, &r->spec, HELP_KEY, NULL) != HAFT_OK) {
        sim_fail(s, "no run can be created");
        return;
    }
    w->run.specs = sim_specs(s);
    if (!r->exists) {
        create(s, w);
    } else if (sim_fault(s, 5)) {
        sim_worker_crash(s, w);
    } else if (fold_log(s, w) && change_spec(s, w) && recover(s, w)) {
        sim_worker_continue(s, w);
    }
}

/* ---- messages ---- */

bool sim_worker_command(sim *s, sim_worker *w, const haft__run_command *command, bool direct)
{
    haft_error err = {0};
    uint64_t now = sim_worker_now(s, w);
    for (bool more = !is_waiting(w); more;) { /* expired deadlines go first */
        if (!decide(s, w, &more)) {
            return false;
        }
    }
    haft__buf_clear(&s->body);
    haft__run_command meant = *command;
    bool nothing = haft__str_equal(command->pause, HAFT__LIT(HAFT__RUN_COMMAND_NO_PAUSE));
    if (s->broken == SIM_MEANT || (s->broken == SIM_UNSEEN && nothing)) {
        meant.pause = HAFT__LIT("");
    }
    if (s->broken == SIM_YES && command->kind == HAFT__RUN_COMMAND_APPROVE) {
        const haft__run_call *waits = haft__run_find_call(&w->run, command->call);
        bool unknown = waits != NULL && waits->pause == HAFT__PAUSE_UNKNOWN_OUTCOME;
        meant.kind = unknown ? HAFT__RUN_COMMAND_AGAIN : meant.kind;
    }
    haft_status status = haft__run_command_apply(&w->run, &meant, &s->body, &err);
    const haft__run_call *call = haft__run_find_call(&w->run, command->call);
    bool late = status == HAFT_BAD_STATE && call != NULL && call->verdict.len > 0;
    if (late && s->broken == SIM_OTHER) {
        status = HAFT_OK;
    }
    if (late && s->broken == SIM_TWICE && w->run.stage != HAFT__RUN_ENDED) {
        haft__input_answered(&s->body, call->id, command->by, HAFT__LIT("answer"), command->value);
        sim_worker_forge(s, w, haft__buf_str(&s->body));
        flush(s, w);
        return true;
    }
    bool recorded = status == HAFT_OK && s->body.len > 0;
    haft_str body = haft__buf_str(&s->body);
    if (recorded && command->kind == HAFT__RUN_COMMAND_CHILD && s->broken == SIM_FORGED) {
        body = sim_replace(s, body, "\"end\":\"done\"", "\"end\":\"failed\"");
    }
    sim_trace(s, "%s: gets %s%s%.*s: %s", w->owner, direct ? "directly " : "",
              command->kind == HAFT__RUN_COMMAND_CANCEL ? "a cancel" : "of ",
              HAFT__ARG(command->call),
              status == HAFT_OK ? (recorded ? "taken" : "nothing new") : err.message);
    sim_watch_command(s, w, command, status, recorded);
    if (recorded && !sim_worker_append(s, w, body, now)) {
        return false;
    }
    sim_worker_continue(s, w);
    return status == HAFT_OK;
}

static bool was_delivered(const sim_worker *w, uint64_t id)
{
    for (size_t i = 0; i < w->delivered_count; i++) {
        if (w->delivered[i] == id) {
            return true;
        }
    }
    for (size_t i = 0; i < w->heard_written_count; i++) {
        if (w->acked_writing[i] == id) {
            return true;
        }
    }
    return false;
}

void sim_worker_read_messages(sim *s, sim_worker *w)
{
    const sim_record *r = w->record;
    if (!haft__str_equal(r->row.owner, haft__str(w->owner))) {
        return;
    }
    haft__arena arena;
    haft__arena_init(&arena, 0);
    sim_message mail[SIM_MAIL];
    size_t count = r->mail_count;
    memcpy(mail, r->mail, sizeof(mail));
    for (size_t i = 0; i < count && w->has_run && s->failure[0] == '\0'; i++) {
        haft__run_command command;
        if (was_delivered(w, mail[i].id) || w->delivered_count == SIM_MAIL) {
            continue;
        }
        w->delivered[w->delivered_count++] = mail[i].id;
        if (haft__run_command_read(&arena, mail[i].body, HELP_KEY, &command, NULL) == HAFT_OK) {
            (void)sim_worker_command(s, w, &command, false);
        }
    }
    if (w->has_run) {
        flush(s, w);
    }
    haft__arena_finish(&arena);
}
