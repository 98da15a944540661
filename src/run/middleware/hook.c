/* SPDX-License-Identifier: Apache-2.0 */
/* hook.c - see run/middleware/hook.h. Tests: tests/run/middleware/hook_test.c. */
#include "run/middleware/hook.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "run/event_body.h"
#include "json/object.h"
#include "json/read.h"
#include "json/write.h"

bool haft__hook_next_open(const haft__run *run, size_t *at, haft__hook_call *ret_hook)
{
    size_t count = run->call_count - run->batch;
    while (*at <= count && run->stage != HAFT__RUN_ENDED) {
        size_t index = (*at)++;
        const haft__run_call *call = index > 0 ? &run->calls[run->batch + index - 1] : NULL;
        const haft__passage *passage = call != NULL ? &call->passage : &run->request;
        if (passage->hook.len > 0) {
            *ret_hook = (haft__hook_call){.call = call, .at = passage->at, .name = passage->hook};
            return true;
        }
    }
    return false;
}

/* ---- the request ---- */

static void write_messages(haft__json_writer *w, const haft__messages *messages)
{
    static const char *const roles[] = {[HAFT__MESSAGE_SYSTEM] = "system",
                                        [HAFT__MESSAGE_USER] = "user",
                                        [HAFT__MESSAGE_ASSISTANT] = "assistant",
                                        [HAFT__MESSAGE_TOOL] = "tool"};
    haft__json_key(w, "messages");
    haft__json_begin_array(w);
    for (size_t i = 0; messages != NULL && i < messages->count; i++) {
        haft__json_begin_object(w);
        haft__field_string(w, "role", roles[messages->items[i].role]);
        haft__field_text(w, "text", messages->items[i].text);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}

/* The names and arguments of the calls of a reply. */
static void write_calls(haft__json_writer *w, const haft__run *run)
{
    haft__json_key(w, "calls");
    haft__json_begin_array(w);
    for (size_t i = run->batch; i < run->call_count; i++) {
        haft__json_begin_object(w);
        haft__field_text(w, "call", run->calls[i].id);
        haft__field_text(w, "tool", run->calls[i].name);
        haft__field_text(w, "arguments", run->calls[i].raw);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}

static void write_model_part(haft__json_writer *w, const haft__run *run, haft__hook_point at,
                             const haft__messages *messages)
{
    haft__field_text(w, "model", run->spec->model.model);
    if (at == HAFT__HOOK_BEFORE_MODEL) {
        haft__json_key(w, "request");
        haft__json_begin_object(w);
        write_messages(w, messages);
        haft__json_end_object(w);
    } else {
        haft__field_text(w, "result", run->reply.content);
        write_calls(w, run);
    }
}

static void write_tool_part(haft__json_writer *w, const haft__run_call *call, haft__hook_point at)
{
    haft__field_text(w, "call", call->id);
    haft__field_text(w, "tool", call->name);
    haft__json_key(w, "arguments");
    haft__json_add(w, at == HAFT__HOOK_BEFORE_TOOL ? call->passage.arguments : call->arguments);
    if (at == HAFT__HOOK_AFTER_TOOL) {
        haft__field_text(w, "result", call->result);
        haft__field_flag(w, "ok", call->ok);
    }
}

void haft__hook_write_request(haft__buf *buf, const haft__run *run, haft_str user,
                              const haft__hook_call *hook, const haft__messages *messages)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_string(&w, "event", haft__hook_point_name(hook->at));
    haft__field_text(&w, "name", hook->name);
    haft__field_text(&w, "run", run->id);
    haft__field_text(&w, "thread", run->thread);
    haft__field_text_or_null(&w, "user", user);
    haft__field_number(&w, "turn", run->turn);
    if (hook->call != NULL) {
        write_tool_part(&w, hook->call, hook->at);
    } else {
        write_model_part(&w, run, hook->at, messages);
    }
    haft__json_end_object(&w);
}

/* ---- the reply ---- */

static haft_status fail_reply(haft__arena *arena, haft__hook_outcome *ret_outcome, haft_error *err,
                              const char *what, const char *detail)
{
    haft_str why = haft__arena_format(arena, "its reply %s%s", what, detail);
    *ret_outcome = (haft__hook_outcome){.what = HAFT__HOOK_FAILED, .why = why};
    return why.ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}

/* The first member that a reply must not have, or must not have at this place; NULL if none. */
static const char *find_wrong(haft__json reply, haft__hook_point at)
{
    static const char *const known[] = {"allow", "deny", "why", "arguments", "result", "note"};
    for (uint32_t i = 0; i < reply.count; i++) {
        if (!haft__str_is_one_of(haft__json_text(reply.members[i].key), known, COUNT(known))) {
            return "a member other than allow, deny, why, arguments, result and note";
        }
    }
    haft__json allow = haft__object_get(reply, "allow"), deny = haft__object_get(reply, "deny");
    haft__json arguments = haft__object_get(reply, "arguments");
    bool allows = allow.kind == HAFT__JSON_TRUE || allow.kind == HAFT__JSON_FALSE;
    bool denies = deny.kind == HAFT__JSON_TRUE || deny.kind == HAFT__JSON_FALSE
                  || deny.kind == HAFT__JSON_STRING;
    if ((allow.kind != HAFT__JSON_NULL && !allows) || (deny.kind != HAFT__JSON_NULL && !denies)) {
        return "a value of allow or deny that is neither true nor false";
    }
    if (allow.kind == HAFT__JSON_TRUE && denies && deny.kind != HAFT__JSON_FALSE) {
        return "both allow and deny";
    }
    if (arguments.kind != HAFT__JSON_NULL && arguments.kind != HAFT__JSON_OBJECT) {
        return "arguments that are not an object";
    }
    if (arguments.kind == HAFT__JSON_OBJECT && at != HAFT__HOOK_BEFORE_TOOL) {
        return "arguments, which only before_tool can change";
    }
    const char *const texts[] = {"why", "note"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        haft__json text = haft__object_get(reply, texts[i]);
        if (text.kind != HAFT__JSON_NULL && text.kind != HAFT__JSON_STRING) {
            return "a why or note that is not a text";
        }
    }
    return NULL;
}

/* The text of a result: a string as it is, any other value as JSON. */
static haft_status read_result(haft__arena *arena, haft__json result, haft_str *ret_text,
                               haft_error *err)
{
    haft__buf text;
    if (result.kind == HAFT__JSON_STRING) {
        *ret_text = haft__json_text(result);
        return HAFT_OK;
    }
    haft__buf_init(&text, HAFT__LIMIT_MIDDLEWARE_REPLY_BYTES);
    haft__json_write(&text, result);
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        *ret_text = haft__arena_copy(arena, haft__buf_str(&text));
        status = ret_text->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    haft__buf_finish(&text);
    return status;
}

static haft_status read_object(haft__arena *arena, haft__json reply,
                               haft__hook_outcome *ret_outcome, haft_error *err)
{
    haft__json deny = haft__object_get(reply, "deny"), result = haft__object_get(reply, "result");
    haft__hook_outcome outcome = {.arguments = haft__object_get(reply, "arguments"),
                                  .note = haft__object_string(reply, "note"),
                                  .why = haft__object_string(reply, "why")};
    bool denied = deny.kind == HAFT__JSON_TRUE || deny.kind == HAFT__JSON_STRING
                  || !haft__object_flag(reply, "allow", true);
    outcome.why = deny.kind == HAFT__JSON_STRING ? haft__json_text(deny) : outcome.why;
    haft_status status = HAFT_OK;
    if (denied) {
        outcome.what = HAFT__HOOK_DENIED;
        outcome.why = outcome.why.len > 0 ? outcome.why : HAFT__LIT("no reason was given");
    } else if (result.kind != HAFT__JSON_NULL) {
        outcome.what = HAFT__HOOK_REPLACED;
        status = read_result(arena, result, &outcome.result, err);
    } else if (outcome.arguments.kind == HAFT__JSON_OBJECT) {
        outcome.what = HAFT__HOOK_CHANGED;
    } else {
        outcome.what = outcome.note.len > 0 ? HAFT__HOOK_NOTED : HAFT__HOOK_ALLOWED;
    }
    *ret_outcome = outcome;
    return status;
}

haft_status haft__hook_read_reply(haft__arena *arena, haft_str text, haft__hook_point at,
                                  haft__hook_outcome *ret_outcome, haft_error *err)
{
    haft__json reply = haft__json_null();
    haft_error why = {0};
    if (text.len > HAFT__LIMIT_MIDDLEWARE_REPLY_BYTES) {
        char most[32];
        (void)snprintf(most, sizeof(most), "%d bytes", HAFT__LIMIT_MIDDLEWARE_REPLY_BYTES);
        return fail_reply(arena, ret_outcome, err, "has more than ", most);
    }
    if (haft__str_trim(text).len == 0) { /* a program that has nothing to say allows */
        *ret_outcome = (haft__hook_outcome){.what = HAFT__HOOK_ALLOWED};
        return HAFT_OK;
    }
    haft_status status = haft__json_read(arena, text, NULL, &reply, NULL, &why);
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(err);
    }
    if (status != HAFT_OK) {
        return fail_reply(arena, ret_outcome, err, "is not JSON: ", why.message);
    }
    if (reply.kind != HAFT__JSON_OBJECT) {
        return fail_reply(arena, ret_outcome, err, "is not ", "a JSON object");
    }
    const char *wrong = find_wrong(reply, at);
    return wrong != NULL ? fail_reply(arena, ret_outcome, err, "has ", wrong)
                         : read_object(arena, reply, ret_outcome, err);
}

/* ---- the event ---- */

void haft__input_hook_decided(haft__buf *buf, const haft__run *run, const haft__hook_call *hook,
                              const haft__hook_outcome *outcome)
{
    static const char *const words[] = {
        [HAFT__HOOK_ALLOWED] = "allowed", [HAFT__HOOK_NOTED] = "noted",
        [HAFT__HOOK_CHANGED] = "changed", [HAFT__HOOK_REPLACED] = "replaced",
        [HAFT__HOOK_DENIED] = "denied",   [HAFT__HOOK_FAILED] = "failed"};
    const haft__middleware *entry = haft__middleware_find(run->spec, hook->name);
    bool known = entry != NULL && haft__middleware_is_hook(entry);
    bool closed = outcome->what == HAFT__HOOK_FAILED && known && !entry->as.hook.fail_open;
    bool ok = outcome->what == HAFT__HOOK_REPLACED;
    haft__json_writer w;
    haft__event_body_begin(&w, buf, HAFT__EVENT_INTERVENTION);
    haft__intervention_write(&w, hook->name, haft__hook_point_name(hook->at),
                             hook->call != NULL ? hook->call->id : HAFT__LIT(""),
                             words[outcome->what], outcome->why, false);
    haft__field_flag(&w, "closed", closed);
    if (outcome->what == HAFT__HOOK_CHANGED) {
        haft__field_value(&w, "arguments", outcome->arguments);
    }
    if (ok) {
        haft__field_text(&w, "result", outcome->result);
    }
    if (outcome->note.len > 0) {
        haft__field_text(&w, "note", outcome->note);
    }
    if (hook->at == HAFT__HOOK_AFTER_TOOL) {
        bool still = (outcome->what == HAFT__HOOK_ALLOWED || outcome->what == HAFT__HOOK_NOTED
                      || outcome->what == HAFT__HOOK_FAILED)
                     && hook->call->ok;
        ok = !closed && (ok || still);
        haft__field_flag(&w, "ok", ok);
        haft__field_flag(&w, "last",
                         haft__middleware_is_last(run, hook->call, known ? entry : NULL, ok));
    }
    haft__field_number(&w, "ms", outcome->ms);
    haft__event_body_end(&w, buf);
}
