/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.c - events about the model: its replies, its failures, its constraints. Tests:
 * tests/run/fold/fold_test.c.
 */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "model/provider.h"
#include "run/call_target.h"
#include "run/context/context_size.h"
#include "run/fold/fold_int.h"
#include "json/number.h"
#include "json/object.h"

/* ---- cost ---- */

/* Saturates at the maximum. */
static uint64_t saturating_add(uint64_t a, uint64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static uint64_t saturating_multiply(uint64_t a, uint64_t b)
{
    return b > 0 && a > INT64_MAX / b ? INT64_MAX : a * b;
}

static uint64_t min_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void add_cost(haft__run *run, uint64_t tokens, uint64_t price)
{
    run->cost_parts = saturating_add(run->cost_parts, saturating_multiply(tokens, price));
}

static void count_usage(haft__run *run, const haft__event *event, const haft__price *price)
{
    haft__json usage = haft__object_get(event->object, "usage");
    uint64_t input = haft__object_number(usage, "input_tokens", 0);
    uint64_t output = haft__object_number(usage, "output_tokens", 0);
    uint64_t cached = min_of(haft__object_number(usage, "cached_tokens", 0), input);
    uint64_t written = min_of(haft__object_number(usage, "cache_write_tokens", 0), input - cached);
    uint64_t hour = min_of(haft__object_number(usage, "cache_write_1h_tokens", 0), written);
    run->usage.input_tokens = saturating_add(run->usage.input_tokens, input);
    run->usage.output_tokens = saturating_add(run->usage.output_tokens, output);
    run->usage.cached_tokens = saturating_add(run->usage.cached_tokens, cached);
    add_cost(run, input - cached - written, price->input);
    add_cost(run, cached, price->cached);
    add_cost(run, written - hour, price->cache_write);
    add_cost(run, hour, price->cache_write_1h);
    add_cost(run, output, price->output);
    run->usage.cost_micros = run->cost_parts / 1000000;
}

/* ---- replies ---- */

haft_status haft__fold_grow_calls(haft__run *run, size_t more, haft_error *err)
{
    size_t wanted = run->call_count + more;
    if (wanted <= run->call_capacity) {
        return HAFT_OK;
    }
    size_t capacity = run->call_capacity * 2 > wanted ? run->call_capacity * 2 : wanted;
    haft__run_call *calls = haft__arena_array(run->arena, capacity, sizeof(*calls));
    if (calls == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    if (run->call_count > 0) {
        memcpy(calls, run->calls, run->call_count * sizeof(*calls));
    }
    run->calls = calls;
    run->call_capacity = capacity;
    return HAFT_OK;
}

static haft_status add_calls(haft__run *run, const haft__event *event, haft_error *err)
{
    const haft__json *listed = haft__event_field(event, "calls");
    run->batch = run->call_count;
    if (listed == NULL || listed->kind != HAFT__JSON_ARRAY) {
        return HAFT_OK;
    }
    haft_status status = haft__fold_grow_calls(run, listed->count, err);
    for (uint32_t i = 0; status == HAFT_OK && i < listed->count; i++) {
        haft__json entry = listed->items[i];
        haft__run_call call = {.id = haft__object_text(entry, "call"),
                               .model_call = haft__object_text(entry, "model_call"),
                               .name = haft__object_text(entry, "name"),
                               .raw = haft__object_text(entry, "arguments"),
                               .malformed = haft__object_text(entry, "malformed"),
                               .note = HAFT__LIT(""),
                               .verdict = HAFT__LIT(""),
                               .result = HAFT__LIT(""),
                               .shown = HAFT__LIT("")};
        char id[HAFT__CALL_ID_SIZE];
        uint64_t number = (uint64_t)run->numbered_calls + i + 1;
        if (!haft__str_equal(call.id, haft__run_call_id(id, run->turn, number))) {
            return haft__fold_fail(event, "the id of a call is not valid", err);
        }
        const haft__json *repaired = haft__json_get(entry, HAFT__LIT("repaired"));
        const haft__json *redacted = haft__json_get(entry, HAFT__LIT("redacted"));
        call.repaired = repaired != NULL && repaired->kind == HAFT__JSON_TRUE;
        call.redacted = redacted != NULL && redacted->kind == HAFT__JSON_TRUE;
        call.tool = haft__call_target_find(run, call.name, &call.renamed);
        call.name = call.tool != NULL ? call.tool->name : call.name;
        run->calls[run->call_count++] = call;
    }
    return status;
}

static haft_status expect_reply(const haft__run *run, const haft__event *event, haft_error *err)
{
    if (run->failed) {
        return haft__fold_fail(event, "the model call has failed", err);
    }
    return haft__fold_expect_stage(run, event, HAFT__RUN_AWAITING_REPLY, "no request is open", err);
}

/* The provider interrupted its tools. The next request contains the reply, and the model continues
 * it in the same turn, with the same choice. After too many such replies the next turn begins. In
 * the last turn that a limit allows, the reply is judged as it is. */
static haft_status continue_reply(haft__run *run, haft_error *err)
{
    haft_str correction = run->correction;
    if (run->continuations == HAFT__LIMIT_MODEL_CONTINUATIONS && run->forced_by_limit) {
        return HAFT_OK;
    }
    haft_status status =
        correction.len > 0 ? haft__fold_add_user_message(run, correction, err) : HAFT_OK;
    run->continuations++;
    run->stage = run->continuations <= HAFT__LIMIT_MODEL_CONTINUATIONS ? HAFT__RUN_AWAITING_REPLY
                                                                       : HAFT__RUN_IDLE;
    return status == HAFT_OK ? haft__fold_commit_reply(run, err) : status;
}

haft_status haft__fold_summary_replied(haft__run *run, const haft__event *event, haft_error *err)
{
    haft_str stop = {NULL, 0};
    haft_status status = expect_reply(run, event, err);
    if (status == HAFT_OK && run->context.answered) {
        status = haft__fold_fail(event, "the summary has arrived already", err);
    }
    if (status == HAFT_OK) {
        status = haft__event_text(event, "stop", &stop, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__price price = haft__fold_find_price(run, &run->spec->context.summariser->model);
    count_usage(run, event, &price);
    bool cut = haft__str_equal(stop, haft__str(haft__stop_reason_name(HAFT__STOP_LENGTH)));
    run->context.answered = true;
    run->context.summary = haft__str_trim(haft__object_text(event->object, "content"));
    run->context.failure = cut ? HAFT__LIT("it was cut") : HAFT__LIT("");
    return HAFT_OK;
}

haft_status haft__fold_summary_failed(haft__run *run, const haft__event *event, haft_error *err)
{
    haft_status status = expect_reply(run, event, err);
    if (status == HAFT_OK && run->context.answered) {
        status = haft__fold_fail(event, "the summary has arrived already", err);
    }
    if (status == HAFT_OK) {
        status = haft__event_text(event, "message", &run->context.failure, err);
    }
    run->context.answered = true;
    run->context.summary = HAFT__LIT("");
    return status;
}

haft_status haft__fold_model_replied(haft__run *run, const haft__event *event, haft_error *err)
{
    if (run->context.summarising) {
        return haft__fold_summary_replied(run, event, err);
    }
    haft_status status = expect_reply(run, event, err);
    haft_str stop = {NULL, 0};
    if (status == HAFT_OK) {
        status = haft__event_text(event, "stop", &stop, err);
    }
    run->reply = (haft__reply){.content = haft__object_text(event->object, "content"),
                               .reasoning = haft__object_text(event->object, "reasoning"),
                               .model = haft__object_text(event->object, "model")};
    haft__json items = haft__object_get(event->object, "provider_items");
    run->reply.items = haft__object_text(items, "json");
    run->items_provider = haft__object_text(items, "provider");
    run->items_model = haft__object_text(items, "model");
    run->items_endpoint = haft__object_text(items, "endpoint");
    if (status == HAFT_OK && !haft__stop_reason_parse(stop, &run->reply.stop)) {
        status = haft__fold_fail(event, "the value of \"stop\" is not known", err);
    }
    if (status == HAFT_OK) {
        status = add_calls(run, event, err);
    }
    if (status == HAFT_OK) {
        status = haft__fold_personal(run, event, HAFT__REDACT_OUTPUT, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    count_usage(run, event, &run->spec->model.price);
    haft__context_calibrate(
        run, haft__object_number(haft__object_get(event->object, "usage"), "input_tokens", 0));
    haft_str text = haft__str_trim(run->reply.content);
    run->last_text = text.len > 0 ? text : run->last_text;
    run->numbered_calls += (uint32_t)(run->call_count - run->batch);
    run->reply_committed = false;
    run->sent_again = false;
    run->stage = HAFT__RUN_JUDGING;
    return run->reply.stop == HAFT__STOP_PAUSE && run->call_count == run->batch
               ? continue_reply(run, err)
               : HAFT_OK;
}

haft_status haft__fold_model_failed(haft__run *run, const haft__event *event, haft_error *err)
{
    if (run->context.summarising) {
        return haft__fold_summary_failed(run, event, err);
    }
    haft_status status = expect_reply(run, event, err);
    uint64_t http = 0;
    if (status == HAFT_OK) {
        status = haft__event_number(event, "status", &http, err);
    }
    if (status == HAFT_OK) {
        status = haft__event_text(event, "message", &run->failure.message, err);
    }
    haft_str kind = {NULL, 0};
    if (status == HAFT_OK) {
        status = haft__event_text(event, "failure", &kind, err);
    }
    if (status == HAFT_OK && !haft__failure_parse(kind, &run->failure.kind)) {
        status = haft__fold_fail(event, "the value of \"failure\" is not known", err);
    }
    run->failure.status = (uint32_t)http;
    run->failure.delivered = haft__event_flag(event, "delivered");
    run->failed = true;
    return status;
}

haft_status haft__fold_violation(haft__run *run, const haft__event *event, haft_error *err)
{
    haft_status status =
        haft__fold_expect_stage(run, event, HAFT__RUN_JUDGING, "there is no reply to judge", err);
    if (status == HAFT_OK) {
        status = haft__event_text(event, "text", &run->correction, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    run->violations++;
    haft__fold_reset_request(run);
    run->constraint = HAFT__CONSTRAINT_NONE; /* the next request gets a new decision */
    run->call_count = run->batch;            /* the reply is recorded but has no further effect */
    run->reply_committed = true;
    run->stage = HAFT__RUN_AWAITING_REPLY;
    return haft__fold_keep_correction(run, err);
}

haft_status haft__fold_reminded(haft__run *run, const haft__event *event, haft_error *err)
{
    haft_str text = {NULL, 0};
    haft_status status =
        haft__fold_expect_stage(run, event, HAFT__RUN_JUDGING, "there is no reply to judge", err);
    if (status == HAFT_OK) {
        status = haft__event_text(event, "text", &text, err);
    }
    if (status == HAFT_OK) {
        status = haft__fold_commit_reply(run, err);
    }
    run->reminders++;
    run->stage = HAFT__RUN_IDLE;
    return status == HAFT_OK ? haft__fold_add_user_message(run, text, err) : status;
}

/* ---- constraints ---- */

haft_status haft__fold_constrained(haft__run *run, const haft__event *event, haft_error *err)
{
    haft_status status = expect_reply(run, event, err);
    haft_str kind = {NULL, 0};
    if (status == HAFT_OK && run->constraint != HAFT__CONSTRAINT_NONE) {
        status = haft__fold_fail(event, "the request already has a constraint", err);
    }
    if (status == HAFT_OK) {
        status = haft__event_text(event, "constraint", &kind, err);
    }
    if (status == HAFT_OK) {
        status = haft__event_text(event, "format", &run->constrained_format, err);
    }
    if (status == HAFT_OK
        && (!haft__constraint_parse(kind, &run->constraint)
            || run->constraint == HAFT__CONSTRAINT_NONE)) {
        status = haft__fold_fail(event, "the value of \"constraint\" is not known", err);
    }
    return status;
}

/* ---- optional members of requests ---- */

/* A run records each member once: a request without the member cannot be rejected because of it. */
static haft_status read_member(const haft__run *run, const haft__event *event,
                               haft__member *ret_member, haft_error *err)
{
    haft_str name = {NULL, 0};
    haft_status status = haft__event_text(event, "member", &name, err);
    if (status == HAFT_OK && !haft__provider_find_member(name, ret_member)) {
        status = haft__fold_fail(event, "the value of \"member\" is not known", err);
    }
    if (status == HAFT_OK && (run->refused & HAFT__MEMBER_BIT(*ret_member)) != 0) {
        status = haft__fold_fail(event, "the member was already refused", err);
    }
    return status;
}

haft_status haft__fold_option_refused(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__member member = HAFT__MEMBER_COUNT;
    uint64_t http = 0;
    haft_status status = expect_reply(run, event, err);
    if (status == HAFT_OK) {
        status = haft__event_number(event, "status", &http, err);
    }
    if (status == HAFT_OK) {
        status = read_member(run, event, &member, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    if (member == HAFT__MEMBER_GRAMMAR || member == HAFT__MEMBER_SCHEMA) {
        if (run->constraint == HAFT__CONSTRAINT_NONE) {
            return haft__fold_fail(event, "the request has no constraint", err);
        }
        run->constraint = HAFT__CONSTRAINT_NONE;
    }
    run->refused |= HAFT__MEMBER_BIT(member);
    run->refused_statuses[member] = (uint16_t)http;
    run->sent_again = true;
    return member == HAFT__MEMBER_TOOL_CHOICE ? haft__fold_add_demand(run, err) : HAFT_OK;
}
