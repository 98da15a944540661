/* SPDX-License-Identifier: Apache-2.0 */
/* sim_worker_help.c - a process that works on the run like the engine: decisions are folded and
 * buffered, one write is pending at a time, and effects wait for it. */
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
    w->has_run = w->created = w->writing = w->performed = w->asking = false;
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
static void lose_line(sim_store *store)
{
    size_t length = store->log.len - 1;
    while (length > 0 && store->log.ptr[length - 1] != '\n') {
        length--;
    }
    store->log.len = length;
    store->row.seq--;
}

void sim_worker_crash(sim *s, sim_worker *w)
{
    sim_trace(s, "%s: crashes", w->owner);
    s->sum.crashes++;
    if (s->broken == SIM_LOST && s->store.row.seq > 2
        && s->store.row.state != HAFT__RUN_STATE_ENDED) {
        lose_line(&s->store);
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
    haft__event_write(&s->line, w->run.seq + 1, now, HAFT__LIT(HELP_RUN), body);
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
    if (s->broken == SIM_CANCEL) {
        w->run.cancel_asked = false;
    }
    for (size_t i = w->run.batch; s->broken == SIM_DECLINED && i < w->run.call_count; i++) {
        const haft__run_call *call = &w->run.calls[i];
        if (call->stage == HAFT__CALL_REFUSED && call->pause == HAFT__PAUSE_APPROVAL
            && haft__str_equal(call->verdict, HAFT__LIT("reject"))
            && haft__str_starts_with(body, HAFT__LIT("\"kind\":\"call_refused\""))) {
            s->orphans[0] = (sim_slot){.used = true, .class = SIM_ONCE, .attempt = 1};
            (void)snprintf(s->orphans[0].id, sizeof(s->orphans[0].id), "%.*s", HAFT__ARG(call->id));
        }
    }
}

bool sim_worker_append(sim *s, sim_worker *w, haft_str body, uint64_t now)
{
    haft_error err = {0};
    gather(s, w, body, now);
    if (haft__run_fold(&w->run, haft__buf_str(&s->line), &err) != HAFT_OK) {
        sim_fail(s, "a worker cannot fold its own event: %s %s: %.*s", err.where, err.message,
                 HAFT__ARG(body));
        return false;
    }
    inject_defect(s, w, body);
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
    if (s->store.row.seq < w->durable_seq) {
        sim_fail(s, "an acknowledged event is not stored");
    }
    w->run.usage.calls += s->broken == SIM_PHANTOM && sim_chance(s, 20);
    if (sim_worker_durable(w) && sim_chance(s, 5)) {
        sim_watch_state(s, w);
    }
    sim_worker_continue(s, w);
}

/* ---- deciding ---- */

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
    if (*ret_more && s->broken == SIM_DECISION
        && haft__str_starts_with(effect.body, HAFT__LIT("\"kind\":\"turn_started\""))) {
        haft__buf_clear(&s->body);
        haft__buf_add(&s->body, effect.body.ptr, effect.body.len - 1);
        haft__buf_add_str(&s->body, HAFT__LIT(",\"more\":1}"));
        effect.body = haft__buf_str(&s->body);
    }
    return !*ret_more || sim_worker_append(s, w, effect.body, now);
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
        break;
    case HAFT__EFFECT_END: sim_slots_abandon(s, w); break;
    case HAFT__EFFECT_CALL_MODEL:
    case HAFT__EFFECT_SEARCH_TOOLS:
    case HAFT__EFFECT_WAIT:
    case HAFT__EFFECT_EVENT: break;
    }
}

void sim_worker_continue(sim *s, sim_worker *w)
{
    bool more = true;
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

/* ---- opening ---- */

static void create(sim *s, sim_worker *w)
{
    haft_str none = {NULL, 0};
    sim_trace(s, "%s: starts the run", w->owner);
    haft__buf_clear(&s->body);
    haft__input_run_started(&s->body, &s->spec.spec, HAFT__LIT("do it"), HAFT__LIT(HELP_THREAD),
                            none, none);
    w->durable_seq = 0;
    if (sim_worker_append(s, w, haft__buf_str(&s->body), sim_worker_now(s, w))) {
        sim_worker_continue(s, w);
    }
}

static bool fold_log(sim *s, sim_worker *w)
{
    haft_error err = {0};
    haft_str rest = haft__buf_str(&s->store.log);
    while (rest.len > 0) {
        if (haft__run_fold(&w->run, haft__str_split(&rest, '\n'), &err) != HAFT_OK) {
            sim_fail(s, "the log cannot be folded: %s %s", err.where, err.message);
            return false;
        }
    }
    w->durable_seq = w->run.seq;
    w->created = true;
    return true;
}

static bool recover(sim *s, sim_worker *w)
{
    size_t at = 0;
    const haft__run_call *call = NULL;
    haft__on_unknown policy = s->spec.spec.on_unknown;
    while ((call = haft__run_next_interrupted_call(&w->run, &at)) != NULL) {
        haft_error err = {0};
        haft__effect effect = {.kind = HAFT__EFFECT_END};
        uint64_t now = sim_worker_now(s, w);
        s->spec.spec.on_unknown = s->broken == SIM_REPEAT ? HAFT__ON_UNKNOWN_RETRY : policy;
        haft_status status = haft__decide_recovery(&s->decider, &w->run, call, now, &effect, &err);
        s->spec.spec.on_unknown = policy;
        s->sum.recoveries++;
        if (status != HAFT_OK || !sim_worker_append(s, w, effect.body, now)) {
            sim_fail(s, "recovery failed: %s", err.message);
            return false;
        }
    }
    return true;
}

void sim_worker_claim_or_create(sim *s, sim_worker *w)
{
    if (s->store.exists && !sim_store_claim(s, w)) {
        return;
    }
    w->has_run = true;
    memset(w->slots, 0, sizeof(w->slots));
    if (haft__run_init(&w->run, &w->arena, &s->spec.spec, HELP_KEY, NULL) != HAFT_OK) {
        sim_fail(s, "no run can be created");
    } else if (!s->store.exists) {
        create(s, w);
    } else if (sim_fault(s, 5)) {
        sim_worker_crash(s, w);
    } else if (fold_log(s, w) && recover(s, w)) {
        sim_worker_continue(s, w);
    }
}

/* ---- messages ---- */

bool sim_worker_command(sim *s, sim_worker *w, const haft__run_command *command, bool direct)
{
    haft_error err = {0};
    uint64_t now = sim_worker_now(s, w);
    for (bool more = true; more;) { /* expired deadlines go first */
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
    sim_trace(s, "%s: gets %s%s%.*s: %s", w->owner, direct ? "directly " : "",
              command->kind == HAFT__RUN_COMMAND_CANCEL ? "a cancel" : "of ",
              HAFT__ARG(command->call),
              status == HAFT_OK ? (recorded ? "taken" : "nothing new") : err.message);
    sim_watch_command(s, w, command, status, recorded);
    if (recorded && !sim_worker_append(s, w, haft__buf_str(&s->body), now)) {
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
    if (!haft__str_equal(s->store.row.owner, haft__str(w->owner))) {
        return;
    }
    haft__arena arena;
    haft__arena_init(&arena, 0);
    sim_message mail[SIM_MAIL];
    size_t count = s->store.mail_count;
    memcpy(mail, s->store.mail, sizeof(mail));
    for (size_t i = 0; i < count && w->has_run && s->failure[0] == '\0'; i++) {
        haft__run_command command;
        if (was_delivered(w, mail[i].id) || w->delivered_count == SIM_MAIL) {
            continue;
        }
        w->delivered[w->delivered_count++] = mail[i].id;
        if (haft__run_command_read(&arena, haft__str(mail[i].body), HELP_KEY, &command, NULL)
            == HAFT_OK) {
            (void)sim_worker_command(s, w, &command, false);
        }
    }
    if (w->has_run) {
        flush(s, w);
    }
    haft__arena_finish(&arena);
}
