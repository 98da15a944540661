/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decide_calls.c - the calls of one reply: which may run, when, and what the others are told.
 *
 * In call order: known? allowed? within the caps? arguments valid? guard? a repetition? approved?
 * cached? room to run? Control calls come last, when their siblings have their results.
 * Tests: tests/run/decide_test.c.
 */
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "run/approval.h"
#include "run/arguments.h"
#include "run/decide_int.h"
#include "run/force.h"

/* How many names an error lists at most. */
#define NAMES_SHOWN 20

static bool is_over(const haft__run_call *call)
{
    return call->stage == HAFT__CALL_FINISHED || call->stage == HAFT__CALL_REFUSED;
}

static bool is_control(const haft__run_call *call)
{
    return call->tool != NULL && call->tool->role == HAFT__ROLE_CONTROL;
}

/* Runs outside: not a built-in of ours and not a client's. */
static bool is_external(const haft__tool *tool)
{
    return !haft__builtin_is_pure(tool) && tool->source != HAFT__TOOL_HEADLESS;
}

static const haft__run_call *batch_end(const haft__run *run)
{
    return run->calls + run->call_count;
}

/* ---- refusals ---- */

static haft_status refuse(haft__deciding *d, const haft__run_call *call, const char *why)
{
    haft__deciding_begin(d, HAFT__EVENT_CALL_REFUSED);
    haft__field_text(&d->w, "call", call->id);
    haft__field_text(&d->w, "model_call", call->model_call);
    haft__field_text(&d->w, "tool", call->name);
    haft__field_text(&d->w, "why", haft__str(why));
    haft__field_text(&d->w, "text", haft__buf_str(&d->tools->text));
    return haft__deciding_commit(d);
}

/* Appends the tools that may be called in this turn. */
static void list_allowed(haft__deciding *d)
{
    haft__buf *text = &d->tools->text;
    unsigned shown = 0;
    for (size_t i = 0; i < d->run->tools->count && shown <= NAMES_SHOWN; i++) {
        if (d->run->allowed[i]) {
            haft__buf_addf(text, "%s%.*s", shown == 0 ? " Tools you can call now: " : ", ",
                           shown == NAMES_SHOWN ? 3 : (int)d->run->tools->items[i]->name.len,
                           shown == NAMES_SHOWN ? "..." : d->run->tools->items[i]->name.ptr);
            shown++;
        }
    }
    haft__buf_add_str(text, shown > 0 ? HAFT__LIT(".") : HAFT__LIT(""));
}

static haft_status refuse_unknown(haft__deciding *d, const haft__run_call *call)
{
    haft_str near = haft__tools_nearest(d->run->tools, call->name);
    haft__buf_addf(&d->tools->text, "Error: there is no tool named \"%.*s\".",
                   HAFT__ARG(call->name));
    if (near.ptr != NULL) {
        haft__buf_addf(&d->tools->text, " Did you mean \"%.*s\"?", HAFT__ARG(near));
    }
    list_allowed(d);
    return refuse(d, call, "unknown");
}

static haft_status refuse_not_allowed(haft__deciding *d, const haft__run_call *call)
{
    haft__buf_addf(&d->tools->text, "Error: %.*s cannot be called in this turn.",
                   HAFT__ARG(call->name));
    list_allowed(d);
    return refuse(d, call, "not_allowed");
}

static haft_status refuse_over_limit(haft__deciding *d, const haft__run_call *call, bool budget)
{
    if (budget) {
        haft__buf_addf(&d->tools->text, "Not run: the budget of %u calls is used up.",
                       d->spec->limits.calls);
    } else {
        haft__buf_addf(&d->tools->text,
                       "Not run: at most %u calls run in one turn. Call it again if you need it.",
                       d->spec->limits.parallel);
    }
    return refuse(d, call, "over_limit");
}

/* What would be mended elsewhere is not, in a reply that was cut: who knows what is missing. */
static haft_status refuse_cut(haft__deciding *d, const haft__run_call *call)
{
    haft__buf_add_str(
        &d->tools->text,
        HAFT__LIT("Error: the reply was cut off by the token limit, and the arguments "
                  "of this call are not whole. Call it again with shorter "
                  "arguments."));
    return refuse(d, call, "invalid");
}

/* It was written in a way that cannot be read: the model sees what it wrote, and why not. */
static haft_status refuse_malformed(haft__deciding *d, const haft__run_call *call)
{
    if (d->run->reply.stop == HAFT__STOP_LENGTH && call == batch_end(d->run) - 1) {
        return refuse_cut(d, call);
    }
    haft__buf_addf(&d->tools->text,
                   "Error: this call was not run, because it could not be read: %.*s. Write it "
                   "again, exactly in the format for calls. It was written like this: ",
                   HAFT__ARG(call->malformed));
    haft__buf_add_str(&d->tools->text, call->raw);
    return refuse(d, call, "invalid");
}

/* ---- what a call is about to run with ---- */

static haft_status look(haft__deciding *d, const haft__run_call *call, bool *ret_need_mending)
{
    haft_status status = haft__arguments_look(call->raw, &d->tools->scratch, d->run->hash_key,
                                              ret_need_mending, d->err);
    *ret_need_mending = *ret_need_mending || call->repaired;
    return status;
}

static haft_status write_start(haft__deciding *d, const haft__run_call *call, haft__json arguments,
                               uint32_t attempt, haft_str note)
{
    bool repaired = false;
    haft_status status = look(d, call, &repaired);
    if (status != HAFT_OK) {
        return status;
    }
    haft__deciding_begin(d, HAFT__EVENT_CALL_STARTED);
    haft__field_text(&d->w, "call", call->id);
    haft__field_text(&d->w, "model_call", call->model_call);
    haft__field_text(&d->w, "tool", call->name);
    haft__json_key(&d->w, "arguments");
    haft__json_add(&d->w, arguments);
    haft__field_flag(&d->w, "repaired", repaired);
    haft__field_number(&d->w, "attempt", attempt);
    haft__json_key(&d->w, "idempotency_key");
    haft__buf_add_char(d->w.buf, '"');
    haft__buf_add_str(d->w.buf, d->run->id);
    haft__buf_add_char(d->w.buf, ':');
    haft__buf_add_str(d->w.buf, call->id);
    haft__buf_add_char(d->w.buf, '"');
    d->w.after_key = false;
    haft__field_text_or_null(&d->w, "note", note);
    return haft__deciding_commit(d);
}

static haft_status write_finish(haft__deciding *d, const haft__run_call *call, haft__json arguments,
                                haft_str result, bool cached, haft_str note)
{
    haft__deciding_begin(d, HAFT__EVENT_CALL_FINISHED);
    haft__field_text(&d->w, "call", call->id);
    haft__field_text(&d->w, "tool", call->name);
    haft__field_flag(&d->w, "ok", true);
    haft__field_text(&d->w, "result", result);
    haft__field_null(&d->w, "error");
    haft__field_flag(&d->w, "truncated", haft__result_is_cut(d->run, result));
    haft__field_flag(&d->w, "cached", cached);
    haft__field_number(&d->w, "ms", 0);
    haft__json_key(&d->w, "arguments"); /* null when call_started has them */
    haft__json_add(&d->w, call->started ? haft__json_null() : arguments);
    haft__field_text_or_null(&d->w, "note", note);
    return haft__deciding_commit(d);
}

static void write_deadline(haft__deciding *d, uint64_t after_ms)
{
    if (after_ms > 0) {
        char at[HAFT__TIME_SIZE];
        haft__time_format(d->now_ms + after_ms, at);
        haft__field_text(&d->w, "deadline", haft__str(at));
    } else {
        haft__field_null(&d->w, "deadline");
    }
}

/* The tool itself asks, while it runs. Who does not answer in time has not answered. */
static haft_status write_question(haft__deciding *d, const haft__run_call *call)
{
    const haft__json *message = haft__json_get(call->asks, HAFT__LIT("message"));
    const haft__json *server = haft__json_get(call->asks, HAFT__LIT("server"));
    haft__deciding_begin(d, HAFT__EVENT_PAUSED);
    haft__field_text(&d->w, "call", call->id);
    haft__field_text(&d->w, "pause", haft__str(haft__pause_name(HAFT__PAUSE_QUESTION)));
    haft__field_text(&d->w, "tool", call->name);
    haft__json_key(&d->w, "arguments");
    haft__json_add(&d->w, call->arguments);
    haft__field_text_or_null(&d->w, "question",
                             message != NULL ? haft__json_text(*message) : (haft_str){NULL, 0});
    write_deadline(d, call->within_ms);
    haft__json_key(&d->w, "on_expire");
    if (call->within_ms > 0) {
        haft__json_begin_object(&d->w);
        haft__json_key(&d->w, "answer");
        haft__json_begin_object(&d->w);
        haft__field_text(&d->w, "action", HAFT__LIT("cancel"));
        haft__json_end_object(&d->w);
        haft__json_end_object(&d->w);
    } else {
        haft__json_add_null(&d->w);
    }
    haft__field_text_or_null(&d->w, "server",
                             server != NULL ? haft__json_text(*server) : (haft_str){NULL, 0});
    haft__field_flag(&d->w, "pinned", call->pinned);
    return haft__deciding_commit(d);
}

static haft_status write_pause(haft__deciding *d, const haft__run_call *call, haft__pause pause,
                               haft__json arguments, const haft__approval_rule *rule)
{
    haft__deciding_begin(d, HAFT__EVENT_PAUSED);
    haft__field_text(&d->w, "call", call->id);
    haft__field_text(&d->w, "pause", haft__str(haft__pause_name(pause)));
    haft__field_text(&d->w, "tool", call->name);
    haft__json_key(&d->w, "arguments");
    haft__json_add(&d->w, arguments);
    const haft__json *question = haft__json_get(arguments, HAFT__LIT("question"));
    haft__field_text_or_null(&d->w, "question",
                             question != NULL && pause == HAFT__PAUSE_QUESTION
                                 ? haft__json_text(*question)
                                 : (haft_str){NULL, 0});
    write_deadline(d, rule != NULL ? rule->deadline_ms : 0);
    haft__json_key(&d->w, "on_expire");
    haft__json_add(&d->w, rule != NULL ? rule->on_expire : haft__json_null());
    return haft__deciding_commit(d);
}

/* ---- judging ---- */

/* Calls before this one that run or have run: what the cap of a truncating spec counts. */
static uint32_t accepted_before(const haft__run *run, const haft__run_call *call)
{
    uint32_t count = 0;
    for (const haft__run_call *c = run->calls + run->batch; c < call; c++) {
        count += c->stage != HAFT__CALL_REFUSED && !is_control(c);
    }
    return count;
}

static haft_str lane_of(const haft__tool *tool)
{
    if (tool->traits.lane.len > 0) {
        return tool->traits.lane;
    }
    return tool->traits.destructive ? HAFT__LIT(" destructive") : HAFT__LIT("");
}

/* Whether every place of the cap is taken. */
static bool is_full(const haft__deciding *d)
{
    const haft__run *run = d->run;
    uint32_t running = 0;
    for (const haft__run_call *c = run->calls + run->batch; c < batch_end(run); c++) {
        running += c->stage == HAFT__CALL_STARTED && is_external(c->tool);
    }
    return running >= d->spec->limits.parallel;
}

/* Whether something before the call is open in its lane. */
static bool lane_is_taken(const haft__run *run, const haft__run_call *call)
{
    haft_str lane = lane_of(call->tool);
    for (const haft__run_call *c = run->calls + run->batch; lane.len > 0 && c < call; c++) {
        if (c->tool != NULL && !is_over(c) && haft__str_equal(lane_of(c->tool), lane)) {
            return true;
        }
    }
    return false;
}

haft_status haft__decide_guard(haft__deciding *d, haft_str tool, bool *ret_passes)
{
    const haft__run *run = d->run;
    haft__arena *scratch = &d->tools->scratch;
    haft__choice_facts facts;
    haft_status status = haft__offer_facts(run, scratch, &facts, d->err);
    bool *phases = haft__arena_array(scratch, d->spec->phase_count, sizeof(*phases));
    if (status != HAFT_OK || phases == NULL) {
        return status != HAFT_OK ? status : haft__arena_fail(scratch, d->err);
    }
    for (size_t i = 0; i < d->spec->phase_count; i++) {
        const haft__phase *phase = &d->spec->phases[i];
        for (size_t k = 0; k < phase->tool_count; k++) {
            const haft__tool *one = haft__tools_find(d->run->tools, phase->tools[k]);
            phases[i] =
                phases[i] || (one != NULL && run->past[haft__run_tool_index(run, one)].finished);
        }
    }
    haft__guard_facts guard = haft__guard_look(d->spec, &facts, phases, run->artifact_count > 0);
    haft__buf_add_str(&d->tools->text, HAFT__LIT("Error: "));
    *ret_passes = haft__guard_passes(d->spec, &guard, tool, &d->tools->text);
    if (*ret_passes) {
        haft__buf_clear(&d->tools->text);
    }
    return HAFT_OK;
}

/* What judging a call came to. */
typedef enum judgement {
    JUDGED_EVENT, /* decided: an event */
    JUDGED_WAIT,  /* it may run, but not yet */
} judgement;

/* The call is valid: is it a repetition, approved, known from before, and is there room? */
static haft_status judge_valid(haft__deciding *d, const haft__run_call *call, haft__json arguments,
                               judgement *ret_judgement)
{
    haft__buf *key = &d->tools->body; /* not in use yet */
    haft__buf_clear(key);
    haft_status status = haft__run_call_key(key, call->name, arguments, d->err);
    if (status != HAFT_OK) {
        return status;
    }
    const haft__run_call *known = haft__map_get(&d->run->results, haft__buf_str(key));
    haft__progress_verdict verdict = HAFT__PROGRESS_FINE;
    if (!is_control(call) && !call->approved) {
        verdict = haft__progress_look(&d->run->progress, haft__run_hash(call->name),
                                      haft__run_hash(haft__buf_str(key)));
        haft__progress_tell(&d->tools->text, verdict, call->name);
    }
    if (verdict == HAFT__PROGRESS_STOP) {
        return haft__decide_end(d, HAFT__END_INCOMPLETE, d->run->observation, false,
                                "no progress: the same calls over and over", NULL);
    }
    if (verdict == HAFT__PROGRESS_REFUSE) {
        return refuse(d, call, "repeated");
    }
    const haft__approval_rule *rule = NULL;
    bool approval =
        haft__approval_wanted(d->spec, call->tool, &arguments, &d->tools->scratch, &rule);
    if (approval && !call->approved) {
        return write_pause(d, call, HAFT__PAUSE_APPROVAL, arguments, rule);
    }
    uint64_t ttl = call->tool->traits.cache_ttl_ms;
    if (known != NULL && (ttl == 0 || d->now_ms - known->finished_ms <= ttl)) {
        return write_finish(d, call, arguments, known->result, true,
                            haft__buf_str(&d->tools->text));
    }
    if (lane_is_taken(d->run, call)) {
        *ret_judgement = JUDGED_WAIT;
        return HAFT_OK;
    }
    return write_start(d, call, arguments, 1, haft__buf_str(&d->tools->text));
}

static haft_status judge_call(haft__deciding *d, const haft__run_call *call,
                              judgement *ret_judgement)
{
    const haft__run *run = d->run;
    const haft__spec_limits *limits = &d->spec->limits;
    *ret_judgement = JUDGED_EVENT;
    if (call->malformed.len > 0) {
        return refuse_malformed(d, call);
    }
    if (call->tool == NULL || !haft__offer_look(d->spec, call->tool).offered) {
        return refuse_unknown(d, call);
    }
    if (!run->allowed[haft__run_tool_index(run, call->tool)]) {
        return refuse_not_allowed(d, call);
    }
    bool over_cap = limits->overflow == HAFT__OVERFLOW_TRUNCATE
                    && accepted_before(run, call) >= limits->parallel;
    bool over_budget = run->usage.calls >= limits->calls;
    if (!is_control(call) && (over_cap || over_budget)) {
        return refuse_over_limit(d, call, over_budget);
    }
    const haft__approval_rule *rule = NULL;
    bool approval = haft__approval_wanted(d->spec, call->tool, NULL, &d->tools->scratch, &rule);
    if (d->full && is_external(call->tool) && !approval) {
        *ret_judgement = JUDGED_WAIT; /* and is read when there is a place, not each time */
        return HAFT_OK;
    }
    bool broken = false, cut = run->reply.stop == HAFT__STOP_LENGTH;
    haft_status status = cut ? look(d, call, &broken) : HAFT_OK;
    if (broken) {
        return refuse_cut(d, call);
    }
    haft__arguments arguments;
    haft__buf_add_str(&d->tools->text, HAFT__LIT("Error: "));
    if (status == HAFT_OK) {
        bool nullable = run->constraint == HAFT__CONSTRAINT_JSON_SCHEMA
                        && haft__force_look(d->spec).target == HAFT__TARGET_OPENAI;
        status = (nullable ? haft__arguments_read_nullable : haft__arguments_read)(
            call->tool, call->raw, d->tools->checker, &d->tools->scratch, run->hash_key, &arguments,
            &d->tools->text, d->err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    if (!arguments.good) {
        return refuse(d, call, "invalid");
    }
    haft__buf_clear(&d->tools->text);
    if (is_control(call)) {
        bool passes = false;
        status = haft__decide_guard(d, call->name, &passes);
        if (status != HAFT_OK || !passes) {
            return status != HAFT_OK ? status : refuse(d, call, "guard");
        }
    }
    return judge_valid(d, call, arguments.value, ret_judgement);
}

/* ---- answers ---- */

/* A value as the text of a result: a text as it is, anything else as JSON. */
static haft_str value_text(haft__deciding *d, haft__json value)
{
    if (value.kind == HAFT__JSON_STRING) {
        return haft__json_text(value);
    }
    haft__json_write(&d->tools->text, value);
    return haft__buf_str(&d->tools->text);
}

/* New arguments from a person are checked like the model's. */
static haft_status start_edited(haft__deciding *d, const haft__run_call *call)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&text, call->value);
    haft__arguments arguments = {0};
    haft_status status = haft__buf_check(&text, d->err);
    if (status == HAFT_OK) {
        haft__buf_add_str(&d->tools->text, HAFT__LIT("Error: a person changed the arguments: "));
        status = haft__arguments_read(call->tool, haft__buf_str(&text), d->tools->checker,
                                      &d->tools->scratch, d->run->hash_key, &arguments,
                                      &d->tools->text, d->err);
    }
    if (status == HAFT_OK) {
        status = arguments.good ? write_start(d, call, arguments.value, 1, HAFT__LIT(""))
                                : refuse(d, call, "invalid");
    }
    haft__buf_finish(&text);
    return status;
}

static haft_status refuse_denied(haft__deciding *d, const haft__run_call *call)
{
    haft_str why = haft__json_text(call->value);
    haft__buf_addf(&d->tools->text, "A person rejected this call%s", why.len > 0 ? ": " : ".");
    haft__buf_add_str(&d->tools->text, why);
    return refuse(d, call, "denied");
}

static bool asks(const haft__run_call *call)
{
    return call->asks.kind == HAFT__JSON_OBJECT;
}

static haft_status follow_answer(haft__deciding *d, const haft__run_call *call)
{
    haft_str verdict = call->verdict;
    if (asks(call)) { /* whatever the answer is, the tool is told */
        return write_start(d, call, call->arguments, call->attempt + 1, HAFT__LIT(""));
    }
    if (haft__str_equal(verdict, HAFT__LIT("reject"))) {
        return refuse_denied(d, call);
    }
    if (haft__str_equal(verdict, HAFT__LIT("edit"))) {
        return start_edited(d, call);
    }
    if (haft__str_equal(verdict, HAFT__LIT("approve"))) {
        return write_start(d, call, call->arguments, 1, HAFT__LIT(""));
    }
    if (haft__str_equal(verdict, HAFT__LIT("retry"))) {
        return write_start(d, call, call->arguments, call->attempt + 1, HAFT__LIT(""));
    }
    return write_finish(d, call, call->arguments, value_text(d, call->value), false, HAFT__LIT(""));
}

/* Nobody answered in time: what the rule says happens then. */
static haft_status decide_expiry(haft__deciding *d, const haft__run_call *call)
{
    const haft__json *answer = haft__json_get(call->on_expire, HAFT__LIT("answer"));
    bool reject = haft__str_equal(haft__json_text(call->on_expire), HAFT__LIT("reject"));
    const char *verdict = answer != NULL ? "answer" : reject ? "reject" : "expire";
    haft__deciding_begin(d, HAFT__EVENT_ANSWERED);
    haft__field_text(&d->w, "call", call->id);
    haft__field_text(&d->w, "by", HAFT__LIT("deadline"));
    haft__field_text(&d->w, "verdict", haft__str(verdict));
    haft__json_key(&d->w, "value");
    haft__json_add(&d->w, answer != NULL ? *answer : haft__json_null());
    return haft__deciding_commit(d);
}

/* Whether a call that a person let go on has to wait all the same. */
static bool must_wait(const haft__deciding *d, const haft__run_call *call)
{
    bool starts =
        asks(call) || call->approved || haft__str_equal(call->verdict, HAFT__LIT("retry"));
    return starts && ((d->full && is_external(call->tool)) || lane_is_taken(d->run, call));
}

/* ---- one call, and all of them ---- */

/* Decides about one call if there is something to decide; else says what it waits for. */
static haft_status decide_call(haft__deciding *d, const haft__run_call *call, bool *ret_decided)
{
    judgement judged = JUDGED_EVENT;
    haft_status status = HAFT_OK;
    *ret_decided = true;
    switch (call->stage) {
    case HAFT__CALL_ARRIVED:
        status = judge_call(d, call, &judged);
        *ret_decided = status != HAFT_OK || judged == JUDGED_EVENT;
        return status;
    case HAFT__CALL_ANSWERED:
        if (!must_wait(d, call)) {
            return follow_answer(d, call);
        }
        break;
    case HAFT__CALL_STARTED:
        if (haft__builtin_is_pure(call->tool)) {
            return haft__decide_builtin(d, call);
        }
        if (call->tool->source == HAFT__TOOL_HEADLESS) {
            return write_pause(d, call, HAFT__PAUSE_HEADLESS, call->arguments, NULL);
        }
        if (asks(call) && !call->answer_due) {
            return write_question(d, call);
        }
        break;
    case HAFT__CALL_PAUSED:
        if (call->deadline_ms > 0 && d->now_ms >= call->deadline_ms) {
            return decide_expiry(d, call);
        }
        break;
    case HAFT__CALL_FINISHED:
    case HAFT__CALL_REFUSED: break;
    }
    *ret_decided = false;
    return HAFT_OK;
}

haft_status haft__decide_calls(haft__deciding *d)
{
    const haft__run *run = d->run;
    bool siblings_over = true, running = false;
    d->full = is_full(d);
    for (int control = 0; control <= 1 && (control == 0 || siblings_over); control++) {
        for (const haft__run_call *c = run->calls + run->batch; c < batch_end(run); c++) {
            if (is_control(c) != (control == 1)) {
                continue;
            }
            bool decided = false;
            haft__buf_clear(&d->tools->text);
            haft_status status = decide_call(d, c, &decided);
            if (status != HAFT_OK || decided) {
                return status;
            }
            siblings_over = siblings_over && is_over(c);
            running = running || c->stage == HAFT__CALL_STARTED;
        }
    }
    *d->effect = (haft__effect){.kind = running ? HAFT__EFFECT_RUN : HAFT__EFFECT_WAIT};
    return HAFT_OK;
}

bool haft__call_is_external(const haft__run_call *call)
{
    return call->tool != NULL && is_external(call->tool);
}

bool haft__call_needs_host(const haft__run_call *call)
{
    bool durable = asks(call) && !call->pinned;
    return haft__call_is_external(call)
           && ((call->stage == HAFT__CALL_STARTED && !durable)
               || (call->stage == HAFT__CALL_PAUSED && asks(call) && call->pinned));
}

haft_status haft__decide_recovery(haft__decider *decider, const haft__run *run,
                                  const haft__run_call *call, uint64_t now_ms,
                                  haft__effect *ret_effect, haft_error *err)
{
    haft__arena_reset(&decider->scratch);
    haft__buf_clear(&decider->text);
    haft__deciding d = {.tools = decider,
                        .run = run,
                        .spec = run->spec,
                        .now_ms = now_ms,
                        .effect = ret_effect,
                        .err = err};
    bool safe = call->tool->traits.read_only || call->tool->traits.idempotent;
    if (safe || run->spec->on_unknown == HAFT__ON_UNKNOWN_RETRY) {
        return write_start(&d, call, call->arguments, call->attempt + 1, call->note);
    }
    if (run->spec->on_unknown == HAFT__ON_UNKNOWN_ASK) {
        return write_pause(&d, call, HAFT__PAUSE_UNKNOWN_OUTCOME, call->arguments, NULL);
    }
    haft__outcome unknown = {
        .ok = false,
        .text = HAFT__LIT("the outcome is unknown: the call was interrupted, and it may or may not "
                          "have had its effect"),
        .where = HAFT__LIT(""),
        .hint = HAFT__LIT("find out before you call it again"),
    };
    haft__buf_clear(&decider->body);
    haft__input_call_finished(&decider->body, run, call, &unknown);
    *ret_effect = (haft__effect){HAFT__EFFECT_EVENT, haft__buf_str(&decider->body)};
    return haft__buf_check(&decider->body, err);
}

haft_status haft__decide_failed(haft__decider *decider, const haft__run *run,
                                const haft__run_call *call, const haft__outcome *outcome,
                                uint64_t now_ms, haft__effect *ret_effect, haft_error *err)
{
    const haft__traits *traits = &call->tool->traits;
    bool safe = traits->read_only || traits->idempotent;
    bool ask = run->spec->on_unknown == HAFT__ON_UNKNOWN_ASK;
    bool attempts_left = call->attempt <= traits->retries
                         || (run->spec->on_unknown == HAFT__ON_UNKNOWN_RETRY && !safe
                             && outcome->unknown && call->attempt <= HAFT__LIMIT_TOOL_RETRIES);
    bool again = attempts_left && (safe ? outcome->transient : outcome->unknown);
    if (again || (outcome->unknown && !safe && ask)) {
        return haft__decide_recovery(decider, run, call, now_ms, ret_effect, err);
    }
    haft__outcome told = *outcome;
    if (outcome->unknown && !safe) {
        told.hint = HAFT__LIT("it may or may not have had its effect: find out before you call it "
                              "again");
    }
    haft__buf_clear(&decider->body);
    haft__input_call_finished(&decider->body, run, call, &told);
    *ret_effect = (haft__effect){HAFT__EFFECT_EVENT, haft__buf_str(&decider->body)};
    return haft__buf_check(&decider->body, err);
}
