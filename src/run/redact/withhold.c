/* SPDX-License-Identifier: Apache-2.0 */
/*
 * withhold.c - see run/redact/withhold.h. Few events contain a secret; only these events are
 * parsed. Tests: tests/run/redact/withhold_test.c.
 */
#include "run/redact/withhold.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "run/decide/decide.h"
#include "run/event_body.h"
#include "run/redact/withhold_int.h"
#include "json/object.h"
#include "json/read.h"

/* ---- bodies as values ---- */

haft_status haft__event_body_open(haft__arena *arena, haft_str body, haft_str *ret_text,
                                  haft_error *err)
{
    char *text = haft__arena_alloc(arena, body.len + 1);
    if (text == NULL) {
        return haft__arena_fail(arena, err);
    }
    text[0] = '{'; /* the brace belongs to the envelope */
    if (body.len > 0) {
        memcpy(text + 1, body.ptr, body.len);
    }
    *ret_text = (haft_str){text, body.len + 1};
    return HAFT_OK;
}

haft_status haft__event_body_read(haft__arena *arena, haft_str text, haft__hash_key hash_key,
                                  haft__json *ret_object, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = hash_key;
    return haft__json_read(arena, text, &options, ret_object, NULL, err);
}

void haft__event_body_write(haft__buf *out, haft__json object)
{
    haft__json_writer w;
    haft__json_writer_init(&w, out);
    w.depth = 1; /* inside an object, as in haft__event_body_begin */
    w.objects = 1;
    for (uint32_t i = 0; i < object.count; i++) {
        haft__json_key_str(&w, haft__json_text(object.members[i].key));
        haft__json_add(&w, object.members[i].value);
    }
    haft__event_body_end(&w, out);
}

haft_status haft__event_body_with(haft__arena *arena, haft__json object, haft_str key,
                                  haft__json value, haft__json *ret_object, haft_error *err)
{
    uint32_t count = 0;
    *ret_object = object;
    if (object.kind != HAFT__JSON_OBJECT) {
        return HAFT_OK; /* the whole value was redacted */
    }
    haft__json_member *members =
        haft__arena_array(arena, (size_t)object.count + 1, sizeof(*members));
    if (members == NULL) {
        return haft__arena_fail(arena, err);
    }
    bool found = false;
    for (; count < object.count; count++) {
        members[count] = object.members[count];
        if (haft__str_equal(haft__json_text(members[count].key), key)) {
            members[count].value = value;
            found = true;
        }
    }
    if (!found) {
        members[count++] = (haft__json_member){haft__json_string(key), value};
    }
    *ret_object = haft__json_object(members, count);
    return HAFT_OK;
}

static bool is_kind(haft_str body, haft__event_kind kind)
{
    haft_str rest = body;
    const char *name = haft__event_kind_name(kind);
    return haft__str_starts_with(rest, HAFT__LIT("\"kind\":\""))
           && haft__str_starts_with(rest = haft__str_skip(rest, 8), haft__str(name))
           && haft__str_starts_with(haft__str_skip(rest, strlen(name)), HAFT__LIT("\""));
}

bool haft__event_body_is_call(haft_str body)
{
    return is_kind(body, HAFT__EVENT_CALL_STARTED) || is_kind(body, HAFT__EVENT_PAUSED);
}

/* ---- haft's own values ---- */

/* Whether the value is a keyword of haft or the name of a tool. Such a value is not redacted even
 * if it equals a secret, because the event would be invalid without it. */
static bool is_own_value(const haft__withholding *w, haft_str key, haft__json value)
{
    static const char *const words[] = {"kind",     "call",   "pause",  "verdict",    "mode",
                                        "end",      "stop",   "format", "constraint", "allowed",
                                        "declared", "called", "what"};
    haft_str text = haft__json_text(value), kind = haft__object_text(w->original, "kind");
    bool own = false;
    for (size_t i = 0; !own && i < COUNT(words); i++) {
        own = haft__str_equal(key, haft__str(words[i]));
    }
    bool refused = haft__str_equal(kind, HAFT__LIT("call_refused"));
    bool name = haft__str_equal(key, HAFT__LIT("tool")) || haft__str_equal(key, HAFT__LIT("name"));
    return own || (name && haft__tools_find(w->run->tools, text) != NULL)
           || (refused && haft__str_equal(key, HAFT__LIT("why")))
           || (haft__str_equal(kind, HAFT__LIT("tools_hidden"))
               && haft__str_equal(key, HAFT__LIT("tools")));
}

/* Restores haft's own values and all keys in the redacted object. haft itself chose the keys. */
static haft_status restore_own_values(haft__withholding *w, haft__json original,
                                      haft__json *redacted)
{
    bool fits = redacted->kind == HAFT__JSON_OBJECT && original.kind == HAFT__JSON_OBJECT
                && redacted->count == original.count;
    haft__json_member *members =
        fits ? haft__arena_array(&w->arena, original.count, sizeof(*members)) : NULL;
    if (members == NULL) {
        return fits ? haft__arena_fail(&w->arena, w->err)
                    : haft__fail(w->err, HAFT_BAD_INPUT, "",
                                 "a secret spans several values of an event, so the event cannot "
                                 "be stored without it");
    }
    for (uint32_t i = 0; i < original.count; i++) {
        members[i] = original.members[i];
        if (!is_own_value(w, haft__json_text(members[i].key), members[i].value)) {
            members[i].value = redacted->members[i].value;
        }
    }
    *redacted = haft__json_object(members, original.count);
    return HAFT_OK;
}

/* ---- replies ---- */

static haft_status mark_calls(haft__withholding *w)
{
    const haft__json *original = haft__json_get(w->original, HAFT__LIT("calls"));
    const haft__json *redacted = haft__json_get(w->redacted, HAFT__LIT("calls"));
    bool fit = original != NULL && redacted != NULL && original->kind == HAFT__JSON_ARRAY
               && redacted->kind == HAFT__JSON_ARRAY && original->count == redacted->count;
    if (!fit) {
        return HAFT_OK; /* without valid calls, no call can run */
    }
    haft__json *calls = haft__arena_array(&w->arena, redacted->count, sizeof(*calls));
    haft_status status = calls != NULL ? HAFT_OK : haft__arena_fail(&w->arena, w->err);
    for (uint32_t i = 0; status == HAFT_OK && i < redacted->count; i++) {
        calls[i] = redacted->items[i];
        status = restore_own_values(w, original->items[i], &calls[i]);
        if (status == HAFT_OK
            && !haft__str_equal(haft__object_text(calls[i], "arguments"),
                                haft__object_text(original->items[i], "arguments"))) {
            status = haft__event_body_with(&w->arena, calls[i], HAFT__LIT("redacted"),
                                           haft__json_bool(true), &calls[i], w->err);
        }
    }
    return status == HAFT_OK ? haft__event_body_with(&w->arena, w->redacted, HAFT__LIT("calls"),
                                                     haft__json_array(calls, redacted->count),
                                                     &w->redacted, w->err)
                             : status;
}

/* Removes the items: the reply in the provider's own form. The items repeat the text, possibly with
 * other escapes, and their signatures are not valid for a changed text. */
static haft_status drop_items(haft__withholding *w)
{
    bool has_items = haft__json_get(w->redacted, HAFT__LIT("provider_items")) != NULL;
    return has_items ? haft__event_body_with(&w->arena, w->redacted, HAFT__LIT("provider_items"),
                                             haft__json_null(), &w->redacted, w->err)
                     : HAFT_OK;
}

/* ---- calls ---- */

const haft__run_call *haft__withhold_find_call(const haft__run *run, haft__json body)
{
    const haft__run_call *call = haft__run_find_call(run, haft__object_text(body, "call"));
    return call != NULL && call->tool != NULL ? call : NULL;
}

/* Whether the call must run with exactly the recorded arguments, because it has effects outside the
 * log, or because a person approved these arguments. */
bool haft__withhold_needs_exact(const haft__run_call *call)
{
    return !haft__builtin_is_pure(call->tool) || call->approved;
}

haft_status haft__withhold_is_logged(const haft__run_call *call, const haft__json *arguments,
                                     bool *ret_logged, haft_error *err)
{
    *ret_logged = false;
    return arguments != NULL && arguments->kind == HAFT__JSON_OBJECT
                   && call->arguments.kind == HAFT__JSON_OBJECT
               ? haft__json_equal(call->arguments, *arguments, ret_logged, err)
               : HAFT_OK;
}

/* Writes the end of the call in place of the event. */
static haft_status finish_call(haft__withholding *w, const haft__run_call *call, haft_str text,
                               haft_str hint, haft__buf *out)
{
    haft__outcome outcome = {.text = text, .where = HAFT__LIT(HAFT__WITHHOLD_REASON), .hint = hint};
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft__input_call_finished(&body, w->run, call, &outcome);
    haft_status status = haft__buf_check(&body, w->err);
    if (status == HAFT_OK) {
        status = haft__withhold_event(w->run, w->redactor, haft__buf_str(&body), out, w->err);
    }
    haft__buf_finish(&body);
    return status;
}

static haft_status refuse_call(haft__withholding *w, const haft__run_call *call, haft__buf *out)
{
    haft__json_writer writer;
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft__event_body_begin(&writer, &body, HAFT__EVENT_CALL_REFUSED);
    haft__field_text(&writer, "call", call->id);
    haft__field_text(&writer, "model_call", call->model_call);
    haft__field_text(&writer, "tool", call->name);
    haft__field_text(&writer, "why", HAFT__LIT(HAFT__WITHHOLD_REASON));
    haft__field_text(&writer, "text", HAFT__LIT(HAFT__WITHHOLD_TEXT));
    haft__event_body_end(&writer, &body);
    haft_status status = haft__buf_check(&body, w->err);
    if (status == HAFT_OK) { /* an id that the model chose may contain a secret */
        status = haft__withhold_event(w->run, w->redactor, haft__buf_str(&body), out, w->err);
    }
    haft__buf_finish(&body);
    return status;
}

static haft_status end_call(haft__withholding *w, const haft__run_call *call, haft__buf *out)
{
    return call->started ? finish_call(
               w, call,
               HAFT__LIT("the call was interrupted, and it may or may not have had its effect; it "
                         "was not repeated, because its arguments now contain a secret"),
               HAFT__LIT("find out before you call it again, without the secret"), out)
                         : refuse_call(w, call, out);
}

/* Handles a question of a tool. If the question is durable, the tool is called again with the
 * answer and its state, so the state must not be redacted. A tool that keeps running needs no
 * state. */
static haft_status withhold_question(haft__withholding *w, haft__buf *out)
{
    const haft__json *original = haft__json_get(w->original, HAFT__LIT("state"));
    const haft__json *redacted = haft__json_get(w->redacted, HAFT__LIT("state"));
    const haft__json *durable = haft__json_get(w->original, HAFT__LIT("durable"));
    const haft__run_call *call = haft__withhold_find_call(w->run, w->original);
    bool needs_state = durable != NULL && durable->kind == HAFT__JSON_TRUE && call != NULL;
    bool same = original == NULL || redacted == NULL;
    haft_status status = same ? HAFT_OK : haft__json_equal(*original, *redacted, &same, w->err);
    if (status == HAFT_OK && needs_state && !same) {
        return finish_call(w, call,
                           HAFT__LIT("the tool asked a question whose state contains a secret, and "
                                     "secrets are not stored"),
                           HAFT__LIT("this tool cannot be used here; do without it"), out);
    }
    if (status == HAFT_OK) {
        haft__event_body_write(out, w->redacted);
    }
    return status;
}

/* Handles an event that starts a call, or pauses it for a person. */
static haft_status withhold_call(haft__withholding *w, haft__buf *out)
{
    const haft__json *original = haft__json_get(w->original, HAFT__LIT("arguments"));
    const haft__json *redacted = haft__json_get(w->redacted, HAFT__LIT("arguments"));
    const haft__run_call *call = haft__withhold_find_call(w->run, w->original);
    bool same = original == NULL || redacted == NULL, is_logged = false;
    haft_status status = same ? HAFT_OK : haft__json_equal(*original, *redacted, &same, w->err);
    if (status == HAFT_OK && !same && call != NULL && haft__withhold_needs_exact(call)) {
        status = haft__withhold_is_logged(call, original, &is_logged, w->err);
        if (status == HAFT_OK && !is_logged) {
            return end_call(w, call, out);
        }
        if (status == HAFT_OK) {
            status = haft__event_body_with(&w->arena, w->redacted, HAFT__LIT("arguments"),
                                           haft__json_null(), &w->redacted, w->err);
        }
    }
    if (status == HAFT_OK) {
        haft__event_body_write(out, w->redacted);
    }
    return status;
}

/* ---- whole events ---- */

/* Redacts the body as a JSON object, so that the result is still a JSON object. */
static haft_status redact_object(haft__withholding *w, haft_str body, haft__buf *redacted)
{
    haft_str original = {NULL, 0}, copy = {NULL, 0};
    haft_status status = haft__event_body_open(&w->arena, body, &original, w->err);
    if (status == HAFT_OK) {
        status = haft__event_body_read(&w->arena, original, w->run->hash_key, &w->original, w->err);
    }
    if (status == HAFT_OK) {
        (void)haft__redact(w->redactor, original, redacted);
        status = haft__buf_check(redacted, w->err);
    }
    if (status == HAFT_OK) {
        copy = haft__arena_copy(&w->arena, haft__buf_str(redacted));
        status = copy.ptr != NULL ? haft__event_body_read(&w->arena, copy, w->run->hash_key,
                                                          &w->redacted, w->err)
                                  : haft__arena_fail(&w->arena, w->err);
    }
    return status == HAFT_OK ? restore_own_values(w, w->original, &w->redacted) : status;
}

static haft_status withhold(haft__withholding *w, haft_str body, haft__buf *out)
{
    haft__buf redacted;
    haft__buf_init(&redacted, HAFT__LIMIT_RUN_BYTES);
    haft_status status = redact_object(w, body, &redacted);
    haft__buf_finish(&redacted);
    if (status == HAFT_OK && haft__event_body_is_call(body)) {
        return withhold_call(w, out);
    }
    if (status == HAFT_OK && is_kind(body, HAFT__EVENT_CALL_ASKED)) {
        return withhold_question(w, out);
    }
    if (status == HAFT_OK && is_kind(body, HAFT__EVENT_MODEL_REPLIED)) {
        status = mark_calls(w);
    }
    if (status == HAFT_OK && is_kind(body, HAFT__EVENT_MODEL_REPLIED)) {
        status = drop_items(w);
    }
    if (status == HAFT_OK) {
        haft__event_body_write(out, w->redacted);
    }
    return status;
}

haft_status haft__withhold_event(const haft__run *run, const haft__redactor *redactor,
                                 haft_str body, haft__buf *out, haft_error *err)
{
    size_t before = out->len;
    if (!haft__redact(redactor, body, out)) {
        return haft__buf_check(out, err);
    }
    haft_status status = haft__buf_check(out, err);
    if (status != HAFT_OK) {
        return status;
    }
    out->len = before;
    haft__withholding w = {.run = run, .redactor = redactor, .err = err};
    haft__arena_init(&w.arena, HAFT__LIMIT_RUN_BYTES);
    status = withhold(&w, body, out);
    haft__arena_finish(&w.arena);
    return status == HAFT_OK ? haft__buf_check(out, err) : status;
}
