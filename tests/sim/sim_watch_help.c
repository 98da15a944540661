/* SPDX-License-Identifier: Apache-2.0 */
/* sim_watch_help.c - the rules that must always hold for a run. It reads the log line by line as it
 * is committed, and does not use fold and decide. */
#include "run/replay/replay.h"
#include "sim_help.h"
#include "json/object.h"

/* ---- reading ---- */

static haft_str text_in(haft__json object, const char *key)
{
    const haft__json *value = haft__json_get(object, haft__str(key));
    haft_str text = value != NULL ? haft__json_text(*value) : HAFT__LIT("");
    return text.ptr != NULL ? text : HAFT__LIT("");
}

static bool is(haft_str text, const char *word)
{
    return haft__str_equal(text, haft__str(word));
}

static haft__json value_in(haft__json object, const char *key)
{
    const haft__json *value = haft__json_get(object, haft__str(key));
    return value != NULL ? *value : haft__json_null();
}

sim_call *sim_find_call(sim_record *r, haft_str id)
{
    for (size_t i = r->call_count; i > 0; i--) {
        if (is(id, r->calls[i - 1].id)) {
            return &r->calls[i - 1];
        }
    }
    return NULL;
}

/* ---- calls ---- */

/* The class by the name of the tool, not by the state of the run. */
void sim_classify(const sim_record *r, sim_call *call)
{
    static const struct {
        const char *tool;
        sim_class class;
    } known[] = {{"look", SIM_READ_ONLY},      {"give", SIM_READ_ONLY},
                 {"docs:find", SIM_READ_ONLY}, {"tool_search", SIM_READ_ONLY},
                 {"put", SIM_IDEMPOTENT},      {"docs:save", SIM_IDEMPOTENT},
                 {"send", SIM_ONCE},           {"pay", SIM_ONCE},
                 {"wipe", SIM_ONCE},           {"docs:write", SIM_ONCE}};
    call->class = SIM_NO_EFFECT;
    for (size_t i = 0; i < COUNT(known); i++) {
        call->class = strcmp(call->tool, known[i].tool) == 0 ? known[i].class : call->class;
    }
    bool rule = strstr(r->words, "approve=send") != NULL;
    call->policy = strstr(r->words, "on_unknown=retry") != NULL;
    call->approval = strcmp(call->tool, "pay") == 0 || (rule && strcmp(call->tool, "send") == 0);
}

static bool batch_done(const sim_record *r)
{
    for (size_t i = r->batch; i < r->call_count; i++) {
        if (r->calls[i].open) {
            return false;
        }
    }
    return true;
}

static void on_reply(sim *s, sim_record *r, const haft__event *event)
{
    haft__json listed = value_in(event->object, "calls");
    r->batch = r->call_count;
    for (uint32_t i = 0; listed.kind == HAFT__JSON_ARRAY && i < listed.count; i++) {
        if (r->call_count == SIM_CALLS) {
            sim_fail(s, "more calls than can be watched");
            return;
        }
        sim_call *call = &r->calls[r->call_count++];
        *call = (sim_call){.open = true};
        (void)snprintf(call->id, sizeof(call->id), "%.*s",
                       HAFT__ARG(text_in(listed.items[i], "call")));
        (void)snprintf(call->tool, sizeof(call->tool), "%.*s",
                       HAFT__ARG(text_in(listed.items[i], "name")));
        sim_classify(r, call);
    }
}

/* Calls that wait for a person are judged again; what holds for others of the reply depends on the
 * moment of the change. */
static void on_spec_changed(sim *s, sim_record *r)
{
    r->spec_changed = true;
    sim_watch_use_spec(s, r); /* the new spec has the same agents */
    for (size_t i = r->batch; i < r->call_count; i++) {
        sim_call *call = &r->calls[i], now = *call;
        sim_classify(r, &now);
        call->approval = call->approval && now.approval;
        call->policy = call->policy || now.policy;
        call->judged_again = call->open && call->pending;
    }
}

static void on_started(sim *s, sim_call *call, const haft__event *event)
{
    uint64_t attempt = 0, arguments = sim_hash(s, value_in(event->object, "arguments"));
    haft_str key = text_in(event->object, "idempotency_key");
    (void)haft__str_to_u64(text_in(event->object, "attempt"), &attempt);
    bool first = call->attempt == 0;
    if (!call->open) {
        sim_fail(s, "%s starts again although it has its result: never again", call->id);
    }
    if (call->pending && !call->asks && !call->judged_again) {
        sim_fail(s, "%s starts while it waits for approval or an answer", call->id);
    }
    if (attempt != (uint64_t)call->attempt + 1) {
        sim_fail(s, "%s has attempt %u, then %llu", call->id, call->attempt,
                 (unsigned long long)attempt);
    }
    if (call->approval && !call->approved) {
        sim_fail(s, "%s of %s starts without approval", call->id, call->tool);
    }
    if ((call->approval || !first) && call->arguments != arguments) {
        sim_fail(s, "%s starts with other arguments than were approved or recorded", call->id);
    }
    if (!first && !is(key, call->key)) {
        sim_fail(s, "the attempts of %s do not have one key", call->id);
    }
    if (!first && call->class == SIM_ONCE && !call->may_repeat && !call->policy) {
        sim_fail(s, "%s may not be repeated without a command", call->id);
    }
    bool repeatable = call->class == SIM_READ_ONLY || call->may_repeat;
    if (call->inherited > 0 && call->attempt == call->inherited && !repeatable) {
        sim_fail(s, "%s is a call of the forked run, and runs again without a command", call->id);
    }
    call->repeats += !first;
    call->may_repeat = call->pending = call->asks = call->judged_again = false;
    call->attempt = (uint32_t)attempt;
    call->arguments = arguments;
    call->started_with[attempt < SIM_ATTEMPTS ? attempt : 0] = arguments;
    (void)snprintf(call->key, sizeof(call->key), "%.*s", HAFT__ARG(key));
}

static void on_paused(sim *s, sim_call *call, const haft__event *event)
{
    haft_str pause = text_in(event->object, "pause");
    if (!call->open || (call->pending && !call->asks && !call->judged_again)) {
        sim_fail(s, "%s is paused although it has a result, or is paused already", call->id);
    }
    for (int i = 0; i <= HAFT__PAUSE_UNKNOWN_OUTCOME; i++) {
        call->pause = is(pause, haft__pause_name((haft__pause)i)) ? (haft__pause)i : call->pause;
    }
    call->pending = true;
    call->judged_again = false;
    call->asks = text_in(event->object, "server").len > 0;
    call->answered = false;
    if (call->attempt == 0) {
        call->arguments = sim_hash(s, value_in(event->object, "arguments"));
    }
}

/* Arguments as edited by a person, with the default of the schema. */
static uint64_t edited_hash(sim *s, haft__json value)
{
    haft__json_member members[2] = {
        {haft__json_string(HAFT__LIT("q")), value_in(value, "q")},
        {haft__json_string(HAFT__LIT("n")), {.kind = HAFT__JSON_NUMBER, .count = 1, .text = "7"}}};
    return sim_hash(s, haft__json_object(members, 2));
}

static void on_answered(sim *s, sim_call *call, const haft__event *event)
{
    haft_str verdict = text_in(event->object, "verdict");
    haft__json value = value_in(event->object, "value");
    if (!call->pending || !call->open) {
        sim_fail(s, "%s is answered but not pending: a pause is answered at most once", call->id);
    }
    sim_answer *answer = &call->answers[call->pause];
    call->pending = false;
    call->answered = true;
    answer->value = sim_hash(s, value);
    answer->asked = call->asks;
    (void)snprintf(answer->verdict, sizeof(answer->verdict), "%.*s", HAFT__ARG(verdict));
    bool approval = call->pause == HAFT__PAUSE_APPROVAL;
    call->approved =
        call->approved || (approval && (is(verdict, "approve") || is(verdict, "edit")));
    call->declined_after = call->declined ? call->declined_after : call->attempt;
    call->declined = call->declined || (approval && !call->approved);
    call->may_repeat = call->may_repeat || is(verdict, "retry") || call->asks;
    if (is(verdict, "edit")) {
        call->arguments = edited_hash(s, value);
    }
}

/* Another spec may ask for approval of a call that had begun. If a person declines it, an earlier
 * attempt may still have its effect, and the model must know that. */
static void check_declined(sim *s, const sim_call *call, const haft__event *event)
{
    if (event->kind == HAFT__EVENT_CALL_REFUSED && call->declined && call->declined_after > 0
        && !haft__str_contains_ignore_case(text_in(event->object, "text"),
                                           HAFT__LIT("may or may not have had its effect"))) {
        sim_fail(s, "%s was declined after it had begun, and the model does not know", call->id);
    }
}

static void on_over(sim *s, sim_call *call, const haft__event *event)
{
    check_declined(s, call, event);
    if (!call->open) {
        sim_fail(s, "%s gets a second result", call->id);
    }
    bool edited = haft__str_equal(haft__object_text(event->object, "why"), HAFT__LIT("edited"));
    if (edited != call->closed) {
        sim_fail(s, "%s is %s by an edit", call->id, edited ? "not closed" : "closed");
    }
    if (call->pending && !call->asks && !call->judged_again && !call->closed) {
        sim_fail(s, "%s gets a result while it waits for a person", call->id);
    }
    call->open = call->pending = false;
}

static void on_call(sim *s, sim_record *r, const haft__event *event)
{
    sim_call *call = sim_find_call(r, text_in(event->object, "call"));
    call = call != NULL ? call : sim_watch_node_call(s, r, event);
    if (call == NULL) {
        return;
    }
    switch (event->kind) {
    case HAFT__EVENT_CALL_STARTED: on_started(s, call, event); break;
    case HAFT__EVENT_PAUSED: on_paused(s, call, event); break;
    case HAFT__EVENT_ANSWERED: on_answered(s, call, event); break;
    case HAFT__EVENT_CALL_FINISHED:
    case HAFT__EVENT_CALL_REFUSED: on_over(s, call, event); break;
    default: break;
    }
}

/* ---- the run ---- */

static void on_turn(sim *s, const sim_record *r)
{
    if (!batch_done(r)) {
        sim_fail(s, "a turn starts before all calls of the last have their results");
    }
}

static void on_end(sim *s, sim_record *r, const haft__event *event)
{
    haft_str end = text_in(event->object, "end");
    bool final = value_in(event->object, "forced_final").kind == HAFT__JSON_TRUE;
    if (++r->terminals > 1) {
        sim_fail(s, "there are %u terminal events", r->terminals);
    }
    if ((is(end, "done") || is(end, "direct")) && !final && !batch_done(r)) {
        sim_fail(s, "a run is done before all calls have their results");
    }
    for (int i = 0; i <= HAFT__END_EXPIRED; i++) {
        s->sum.ends[i] += is(end, haft__end_name((haft__end)i));
    }
}

static void take(sim *s, sim_record *r, const haft__event *event)
{
    switch (event->kind) {
    case HAFT__EVENT_MODEL_REPLIED:
        on_turn(s, r);
        on_reply(s, r, event);
        break;
    case HAFT__EVENT_VIOLATION: r->call_count = r->batch; break; /* its calls were never made */
    case HAFT__EVENT_TURN_STARTED:
        if (r->limit_seen) {
            sim_fail(s, "%s starts a turn although a budget is used up", r->id);
        }
        on_turn(s, r);
        r->turns++;
        break;
    case HAFT__EVENT_CANCEL_ASKED: r->cancel_seen = true; break;
    case HAFT__EVENT_LIMIT_REACHED: r->limit_seen = true; break;
    case HAFT__EVENT_SPEC_CHANGED: on_spec_changed(s, r); break;
    case HAFT__EVENT_RUN_FINISHED: on_end(s, r, event); break;
    case HAFT__EVENT_CALL_STARTED:
    case HAFT__EVENT_CALL_FINISHED:
    case HAFT__EVENT_CALL_REFUSED:
    case HAFT__EVENT_PAUSED:
    case HAFT__EVENT_ANSWERED: on_call(s, r, event); break;
    default: break;
    }
}

static void trace_event(sim *s, const sim_record *r, haft_str line)
{
    if (s->tracing) {
        haft__buf_clear(&s->text);
        help_summarise(&s->text, line);
        sim_trace(s, "log %s %llu: %.*s", r->id, (unsigned long long)r->seen_seq + 1,
                  (int)s->text.len - 1, s->text.ptr);
    }
}

/* Another worker may own the run now; an earlier owner must not write any more. */
void sim_watch_claim(sim *s, sim_record *r, uint64_t epoch)
{
    if (epoch != r->seen_epoch + 1) {
        sim_fail(s, "epoch %llu does not follow epoch %llu", (unsigned long long)epoch,
                 (unsigned long long)r->seen_epoch);
    }
    r->seen_epoch = epoch;
}

void sim_watch_event(sim *s, sim_record *r, haft_str line, uint64_t epoch)
{
    haft_error err = {0};
    haft__event event;
    s->sum.events++;
    trace_event(s, r, line);
    haft__arena_reset(&s->scratch);
    if (haft__event_read(&s->scratch, line, HELP_KEY, &event, &err) != HAFT_OK) {
        sim_fail(s, "a line is not an event: %s", err.message);
        return;
    }
    if (r->log.len != r->seen_bytes) {
        sim_fail(s, "an event is no longer stored");
    }
    if (epoch != r->seen_epoch) {
        sim_fail(s, "an event of epoch %llu is stored while the run is at epoch %llu",
                 (unsigned long long)epoch, (unsigned long long)r->seen_epoch);
    }
    if (event.seq != r->seen_seq + 1) {
        sim_fail(s, "the sequence is not dense: %llu after %llu", (unsigned long long)event.seq,
                 (unsigned long long)r->seen_seq);
    }
    if (r->terminals > 0) {
        sim_fail(s, "%s comes after the terminal event", haft__event_kind_name(event.kind));
    }
    if (r->cancel_seen && event.kind != HAFT__EVENT_RUN_FINISHED
        && event.kind != HAFT__EVENT_CHILD_FINISHED) {
        sim_fail(s, "%s comes after a cancel", haft__event_kind_name(event.kind));
    }
    r->seen_seq = event.seq;
    r->seen_bytes += line.len + 1;
    sim_watch_family(s, r, &event);
    sim_watch_handoff(s, r, &event);
    sim_watch_step(s, r, &event);
    take(s, r, &event);
}

/* ---- effects ---- */

void sim_watch_effect(sim *s, const sim_slot *slot)
{
    sim_call *call = sim_find_call(slot->record, haft__str(slot->id));
    if (slot->class == SIM_READ_ONLY || slot->class == SIM_NO_EFFECT) {
        return;
    }
    if (call != NULL && call->declined && slot->attempt > call->declined_after) {
        sim_fail(s, "%s was declined, and has an effect", slot->id);
    }
    if (call == NULL || call->attempt < slot->attempt) {
        sim_fail(s, "%s attempt %u has an effect whose start is not in the log", slot->id,
                 slot->attempt);
        return;
    }
    if (strcmp(call->key, slot->key) != 0) {
        sim_fail(s, "%s has an effect under %s, not one key: %s", slot->id, slot->key, call->key);
    }
    if (slot->attempt < SIM_ATTEMPTS && call->started_with[slot->attempt] != slot->arguments) {
        sim_fail(s, "%s does not have the effect that was approved, as recorded", slot->id);
    }
    if (slot->attempt < 64 && (call->made >> slot->attempt & 1) != 0) {
        sim_fail(s, "%s attempt %u has its effect once more: never again", slot->id, slot->attempt);
    }
    call->made |= slot->attempt < 64 ? (uint64_t)1 << slot->attempt : 0;
    call->effects++;
    if (slot->attempt <= call->inherited) {
        sim_fail(s, "%s has the effect of the forked run", slot->id);
    }
    if (call->class == SIM_ONCE && call->effects > 1 + call->repeats) {
        sim_fail(s, "%s has its effect more than once", slot->id);
    }
}

/* ---- answers ---- */

bool sim_was_answered(const sim_call *call)
{
    bool any = false;
    for (size_t i = 0; i < HAFT__PAUSE_KINDS; i++) {
        any = any || call->answers[i].verdict[0] != '\0';
    }
    return any;
}

/* The verdict of a command for that kind of pause; "" if it has none. */
static const char *verdict_of(const haft__run_command *command, haft__pause pause)
{
    bool approval = pause == HAFT__PAUSE_APPROVAL, unknown = pause == HAFT__PAUSE_UNKNOWN_OUTCOME;
    switch (command->kind) {
    case HAFT__RUN_COMMAND_ANSWER: return approval ? "respond" : "answer";
    case HAFT__RUN_COMMAND_AGAIN: return unknown ? "retry" : "";
    case HAFT__RUN_COMMAND_APPROVE:
        return unknown                                  ? "retry"
               : !approval                              ? ""
               : command->value.kind == HAFT__JSON_NULL ? "approve"
                                                        : "edit";
    case HAFT__RUN_COMMAND_REJECT: return "reject";
    case HAFT__RUN_COMMAND_FAIL: return pause == HAFT__PAUSE_HEADLESS ? "error" : "";
    case HAFT__RUN_COMMAND_CANCEL:
    case HAFT__RUN_COMMAND_LIMIT:
    case HAFT__RUN_COMMAND_CHILD: break;
    }
    return "";
}

/* Whether the command equals the recorded answer to that kind of pause. */
static bool is_same(sim *s, const haft__run_command *command, const sim_call *call,
                    haft__pause pause)
{
    const sim_answer *answer = &call->answers[pause];
    bool reject = command->kind == HAFT__RUN_COMMAND_REJECT;
    const char *verdict = verdict_of(command, pause);
    uint64_t value = sim_hash(s, reject ? haft__json_string(command->why) : command->value);
    if (answer->asked && !reject && command->kind == HAFT__RUN_COMMAND_ANSWER) {
        haft__json_member members[2] = {
            {haft__json_string(HAFT__LIT("action")), haft__json_string(HAFT__LIT("accept"))},
            {haft__json_string(HAFT__LIT("content")), command->value}};
        value = sim_hash(s, haft__json_object(members, 2));
    }
    return verdict[0] != '\0' && strcmp(verdict, answer->verdict) == 0 && value == answer->value;
}

/* Whether a person has approved the call. */
static bool was_approved(const sim_call *call)
{
    const char *yes = call->answers[HAFT__PAUSE_APPROVAL].verdict;
    return strcmp(yes, "approve") == 0 || strcmp(yes, "edit") == 0
           || strcmp(call->answers[HAFT__PAUSE_UNKNOWN_OUTCOME].verdict, "retry") == 0;
}

/* A command is accepted only for the pause that its sender has seen, and only an explicit command
 * runs a call again. A worker that has lost the run may not know that command: nothing that it
 * accepts is stored. */
static void check_accepted(sim *s, const sim_worker *w, const haft__run_command *command,
                           const haft__run_call *taken, const sim_call *call)
{
    if (!is(command->by, haft__pause_name(taken->pause))) {
        sim_fail(s, "%.*s is paused for %s, but an answer was accepted whose sender saw %.*s",
                 HAFT__ARG(command->call), haft__pause_name(taken->pause), HAFT__ARG(command->by));
    }
    bool retry =
        taken->pause == HAFT__PAUSE_UNKNOWN_OUTCOME && command->kind == HAFT__RUN_COMMAND_APPROVE;
    if (retry && was_approved(call) && w->epoch == w->record->seen_epoch) {
        sim_fail(s, "%s runs again because of an old approval", call->id);
    }
}

/* For a pause that has been answered, an equal command is accepted and changes nothing, every other
 * one is rejected. Checked only if the log and the worker agree. */
void sim_watch_command(sim *s, const sim_worker *w, const haft__run_command *command,
                       haft_status status, bool recorded)
{
    const sim_record *r = w->record;
    const sim_call *call = sim_find_call(w->record, command->call);
    const haft__run_call *taken = haft__run_find_call(&w->run, command->call);
    if (!haft__run_command_is_for_call(command) || call == NULL) {
        return;
    }
    if (recorded && taken != NULL) {
        check_accepted(s, w, command, taken, call);
    }
    if (!call->answered || w->run.seq != r->seen_seq || w->epoch != r->seen_epoch) {
        return;
    }
    haft__pause seen;
    bool named = haft__pause_find(command->pause, &seen) && verdict_of(command, seen)[0] != '\0';
    bool same = false;
    for (int i = 0; i < HAFT__PAUSE_KINDS;
         i++) { /* any kind of pause, if the sender has seen none that fits */
        same = same
               || ((!named || seen == (haft__pause)i) && is_same(s, command, call, (haft__pause)i));
    }
    if (recorded || same != (status == HAFT_OK)) {
        sim_fail(s, "a second answer to %s, %s as the first, is %s", call->id,
                 same ? "the same" : "not the same", status == HAFT_OK ? "accepted" : "rejected");
    }
}

/* ---- the state ---- */

void sim_watch_state(sim *s, const sim_worker *w)
{
    /* The log of a run that was cancelled before its first turn does not say whether it had read
     * the messages of its thread. Nothing depends on it: the run asks no model, and later runs of
     * the thread read only its task and its end. */
    bool unread = w->queued || (!w->record->begun && w->record->cancel_seen);
    if (w->durable_seq != w->record->seen_seq || unread) {
        return; /* or another worker has continued */
    }
    haft__arena arena;
    haft__buf found, wanted;
    haft__messages earlier;
    haft__run run;
    haft__arena_init(&arena, 0);
    haft__buf_init(&found, 1 << 24);
    haft__buf_init(&wanted, 1 << 24);
    bool folded = sim_fold(s, w->record, UINT64_MAX, &arena, &earlier, &run, NULL);
    if (folded) {
        help_state(&wanted, &run);
        help_state(&found, &w->run);
    }
    if (!folded || !haft__str_equal(haft__buf_str(&found), haft__buf_str(&wanted))) {
        sim_fail(s, "folding the log does not give the state of a worker");
    }
    haft__buf_finish(&found);
    haft__buf_finish(&wanted);
    haft__arena_finish(&arena);
}

void sim_watch_end(sim *s, sim_record *r)
{
    haft_error err = {0};
    haft__replay replay = {0};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_str log = haft__buf_str(&r->log);
    if (log.len != r->seen_bytes) {
        sim_fail(s, "an event is not stored at the end");
    }
    if (r->terminals != 1) {
        sim_fail(s, "there are %u terminal events", r->terminals);
    }
    haft_status status =
        haft__replay_specs(&arena, &r->spec, sim_specs(s), log, HELP_KEY, &replay, &err);
    if (status != HAFT_OK) {
        sim_fail(s, "a log cannot be replayed: %s", err.message);
    } else if (!replay.identical) {
        sim_fail(s, "the replay differs at event %llu of %s: recorded %.*s, decided %.*s",
                 (unsigned long long)replay.differs_at, r->id,
                 (int)(replay.recorded.len < 200 ? replay.recorded.len : 200), replay.recorded.ptr,
                 (int)(replay.decided.len < 200 ? replay.decided.len : 200), replay.decided.ptr);
    }
    haft__arena_finish(&arena);
}
