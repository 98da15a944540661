/* SPDX-License-Identifier: Apache-2.0 */
/*
 * middleware.c - events of middleware: hook_started and intervention, and the findings in other
 * events. Tests: tests/cli/middleware_test.py.
 */
#include "run/middleware/middleware.h"

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "run/fold/fold_int.h"
#include "json/object.h"

static bool read_point(haft_str name, haft__hook_point *ret_at)
{
    for (int i = 0; i < HAFT__HOOK_POINT_COUNT; i++) {
        if (haft__str_equal(name, haft__str(haft__hook_point_name((haft__hook_point)i)))) {
            *ret_at = (haft__hook_point)i;
            return true;
        }
    }
    return false;
}

static bool is_about_model(haft__hook_point at)
{
    return at == HAFT__HOOK_BEFORE_MODEL || at == HAFT__HOOK_AFTER_MODEL;
}

static bool is_what(const haft__event *event, const char *word)
{
    return haft__str_equal(haft__object_text(event->object, "what"), haft__str(word));
}

/* ---- findings in inputs ---- */

haft_status haft__fold_personal(haft__run *run, const haft__event *event, haft__redact_place place,
                                haft_error *err)
{
    const haft__json *list = haft__event_field(event, "personal");
    haft__due_intervention **end = &run->due;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    for (uint32_t i = 0; list != NULL && list->kind == HAFT__JSON_ARRAY && i < list->count; i++) {
        haft__due_intervention *due = haft__arena_alloc(run->arena, sizeof(*due));
        if (due == NULL) {
            return haft__arena_fail(run->arena, err);
        }
        *due = (haft__due_intervention){.name = haft__object_text(list->items[i], "name"),
                                        .what = haft__object_text(list->items[i], "what"),
                                        .why = haft__object_text(list->items[i], "why"),
                                        .place = place,
                                        .call = haft__object_text(event->object, "call")};
        *end = due;
        end = &due->next;
    }
    return HAFT_OK;
}

static void deny_run(haft__run *run, const haft__event *event)
{
    run->denied_by = haft__object_text(event->object, "name");
    run->denied_why = haft__object_text(event->object, "why");
}

static haft_status fold_due(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__due_intervention *due = run->due;
    if (due == NULL || !haft__str_equal(due->name, haft__object_text(event->object, "name"))) {
        return haft__fold_fail(event, "no earlier event has this finding", err);
    }
    run->due = due->next;
    if (is_what(event, "blocked") && due->place != HAFT__REDACT_RESULTS) {
        deny_run(run, event);
    }
    return HAFT_OK;
}

/* ---- the tools of a turn ---- */

static haft_status fold_selection(haft__run *run, const haft__event *event, haft_error *err)
{
    haft_str name = haft__object_text(event->object, "name");
    haft__selection_noted *one = run->selections;
    while (one != NULL && !haft__str_equal(one->name, name)) {
        one = one->next;
    }
    if (one == NULL) {
        one = haft__arena_alloc(run->arena, sizeof(*one));
        if (one == NULL) {
            return haft__arena_fail(run->arena, err);
        }
        *one = (haft__selection_noted){.next = run->selections, .name = name};
        run->selections = one;
    }
    one->why = haft__object_text(event->object, "why");
    return HAFT_OK;
}

/* ---- the way of a call or a request ---- */

void haft__fold_reset_request(haft__run *run)
{
    run->request = (haft__passage){.passed = NULL};
}

static haft_status add_passed(haft__run *run, haft__passage *passage, haft_str name,
                              haft__hook_point at, haft_error *err)
{
    haft__passed *passed = haft__arena_alloc(run->arena, sizeof(*passed));
    if (passed == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    *passed = (haft__passed){.before = passage->passed, .name = name, .at = at};
    passage->passed = passed;
    passage->hook = HAFT__LIT("");
    return HAFT_OK;
}

/* Joins texts with a line end. */
static haft_status join(haft__run *run, haft_str a, haft_str b, haft_str *ret_text, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__buf_add_str(&text, a);
    haft__buf_add_str(&text, a.len > 0 && b.len > 0 ? HAFT__LIT("\n") : HAFT__LIT(""));
    haft__buf_add_str(&text, b);
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        *ret_text = haft__arena_copy(run->arena, haft__buf_str(&text));
        status = ret_text->ptr != NULL ? HAFT_OK : haft__arena_fail(run->arena, err);
    }
    haft__buf_finish(&text);
    return status;
}

/* Finds the call, or the request, that the event is about, and its place. */
static haft_status find_passage(haft__run *run, const haft__event *event, haft__hook_point *ret_at,
                                haft__run_call **ret_call, haft__passage **ret_passage,
                                haft_error *err)
{
    *ret_call = NULL;
    *ret_passage = &run->request;
    if (!read_point(haft__object_text(event->object, "where"), ret_at)) {
        return haft__fold_fail(event, "the value of \"where\" is not known", err);
    }
    if (is_about_model(*ret_at)) {
        bool open =
            run->stage
            == (*ret_at == HAFT__HOOK_BEFORE_MODEL ? HAFT__RUN_AWAITING_REPLY : HAFT__RUN_JUDGING);
        return open ? HAFT_OK : haft__fold_fail(event, "no request or reply is open", err);
    }
    haft_status status = haft__fold_find_call(run, event, ret_call, err);
    if (status != HAFT_OK) {
        return status;
    }
    *ret_passage = &(*ret_call)->passage;
    haft__call_stage stage = (*ret_call)->stage;
    bool open = *ret_at == HAFT__HOOK_AFTER_TOOL
                    ? stage == HAFT__CALL_RETURNED
                    : stage == HAFT__CALL_ARRIVED || stage == HAFT__CALL_ANSWERED;
    return open ? HAFT_OK : haft__fold_fail(event, "the call is in another stage", err);
}

haft_status haft__fold_hook_started(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__hook_point at = HAFT__HOOK_BEFORE_TOOL;
    haft__run_call *call = NULL;
    haft__passage *passage = NULL;
    haft_status status = find_passage(run, event, &at, &call, &passage, err);
    haft_str name = haft__object_text(event->object, "name");
    if (status == HAFT_OK && (passage->hook.len > 0 || haft__passage_has(passage, name, at))) {
        status = haft__fold_fail(event, "a hook runs, or this one has already run", err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    passage->hook = name;
    passage->at = at;
    return haft__fold_copy_json(run, haft__event_field(event, "arguments"), &passage->arguments,
                                err);
}

/* A text that a hook gives in place of a reply of the model. */
static haft_status give_reply(haft__run *run, haft_str text)
{
    run->reply = (haft__reply){.content = text, .stop = HAFT__STOP_END};
    run->items_provider = run->items_model = run->items_endpoint = HAFT__LIT("");
    run->batch = run->call_count;
    run->reply_committed = false;
    run->request.result = text;
    run->last_text = text.len > 0 ? text : run->last_text;
    run->stage = HAFT__RUN_JUDGING;
    return HAFT_OK;
}

static haft_status fold_for_model(haft__run *run, const haft__event *event, haft__hook_point at,
                                  haft_error *err)
{
    haft_str note = haft__object_text(event->object, "note");
    haft_str result = haft__object_text(event->object, "result");
    if (is_what(event, "denied") || haft__event_flag(event, "closed")) {
        deny_run(run, event);
    } else if (is_what(event, "replaced") && at == HAFT__HOOK_BEFORE_MODEL) {
        return give_reply(run, result);
    } else if (is_what(event, "replaced")) {
        run->reply.content = result;
        run->last_text = result.len > 0 ? result : run->last_text;
    } else if (note.len > 0 && at == HAFT__HOOK_BEFORE_MODEL) {
        return haft__fold_add_user_message(run, note, err);
    }
    return HAFT_OK;
}

static haft_status fold_before_tool(haft__run *run, const haft__event *event, haft__run_call *call,
                                    haft_error *err)
{
    const haft__json *arguments = haft__event_field(event, "arguments");
    haft__passage *passage = &call->passage;
    if (is_what(event, "ended")) {
        deny_run(run, event);
    } else if (is_what(event, "denied") || haft__event_flag(event, "closed")) {
        passage->denied_by = haft__object_text(event->object, "name");
        passage->denied_why = haft__object_text(event->object, "why");
    } else if (is_what(event, "replaced")) {
        return haft__event_text(event, "result", &passage->result, err);
    } else if (is_what(event, "changed")) {
        if (arguments == NULL || arguments->kind != HAFT__JSON_OBJECT) {
            return haft__fold_fail(event, "it has no arguments", err);
        }
        call->change_due = true;
        return haft__fold_copy_json(run, arguments, &call->changed, err);
    }
    return HAFT_OK;
}

static haft_status deny_result(haft__run *run, const haft__event *event, haft__run_call *call,
                               haft_error *err)
{
    haft_str text = haft__arena_format(run->arena, "Error: %.*s did not allow this result: %.*s",
                                       HAFT__ARG(haft__object_text(event->object, "name")),
                                       HAFT__ARG(haft__object_text(event->object, "why")));
    call->ok = false;
    call->result = text;
    return text.ptr != NULL ? HAFT_OK : haft__arena_fail(run->arena, err);
}

static haft_status fold_after_tool(haft__run *run, const haft__event *event, haft__run_call *call,
                                   haft_error *err)
{
    haft_status status = HAFT_OK;
    if (is_what(event, "denied") || haft__event_flag(event, "closed")) {
        status = deny_result(run, event, call, err);
    } else if (is_what(event, "replaced")) {
        call->ok = haft__event_flag(event, "ok");
        status = haft__event_text(event, "result", &call->result, err);
    }
    bool last = haft__event_flag(event, "last") || is_what(event, "passed");
    return status == HAFT_OK && last ? haft__fold_finish_call(run, call, err) : status;
}

haft_status haft__fold_intervention(haft__run *run, const haft__event *event, haft_error *err)
{
    static const char *const due[] = {"input", "output", "results"};
    haft_str where = haft__object_text(event->object, "where");
    haft_str name = haft__object_text(event->object, "name");
    haft__hook_point at = HAFT__HOOK_BEFORE_TOOL;
    haft__run_call *call = NULL;
    haft__passage *passage = NULL;
    if (haft__str_is_one_of(where, due, COUNT(due))) {
        return fold_due(run, event, err);
    }
    if (haft__str_equal(where, HAFT__LIT("turn"))) {
        return fold_selection(run, event, err);
    }
    haft_status status = find_passage(run, event, &at, &call, &passage, err);
    bool hook = !haft__event_flag(event, "decided");
    if (status == HAFT_OK && hook && (passage->at != at || !haft__str_equal(passage->hook, name))) {
        status = haft__fold_fail(event, "this hook does not run", err);
    }
    if (status == HAFT_OK) {
        status = add_passed(run, passage, name, at, err);
    }
    haft_str note = haft__object_text(event->object, "note");
    if (status == HAFT_OK && note.len > 0) {
        status = join(run, passage->note, note, &passage->note, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    return call == NULL                   ? fold_for_model(run, event, at, err)
           : at == HAFT__HOOK_BEFORE_TOOL ? fold_before_tool(run, event, call, err)
                                          : fold_after_tool(run, event, call, err);
}
