/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.c - haft_replyf, haft_emit and the other functions of haft.h that a tool calls while it
 * runs.
 *
 * Every reply has its own memory in the arena of the call, so that a tool may format one reply with
 * the text of another.
 *
 * Tests: tests/tool/call_test.c.
 */
#include "tool/call.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "tool/decode.h"
#include "json/read.h"
#include "json/write.h"

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

void haft__call_init(haft_call *call, const haft_call_facts *facts)
{
    *call = (haft_call){.max_reply = HAFT__LIMIT_TOOL_RESULT_BYTES};
    haft__arena_init(&call->arena, 0);
    call->facts = facts != NULL ? *facts : (haft_call_facts){.attempt = 1};
    call->facts.struct_size = sizeof(call->facts);
    call->facts.call = or_empty(call->facts.call);
    call->facts.run = or_empty(call->facts.run);
    call->facts.thread = or_empty(call->facts.thread);
    call->facts.user = or_empty(call->facts.user);
    call->facts.idempotency_key = or_empty(call->facts.idempotency_key);
    call->facts.traceparent = or_empty(call->facts.traceparent);
    call->facts.tool = or_empty(call->facts.tool);
}

haft_status haft__call_facts_copy(haft__arena *arena, haft_call_facts *facts, haft_error *err)
{
    const char **const texts[] = {
        &facts->call,        &facts->run, &facts->thread, &facts->user, &facts->idempotency_key,
        &facts->traceparent, &facts->tool};
    for (size_t i = 0; i < COUNT(texts); i++) {
        *texts[i] = haft__arena_copy(arena, haft__str(or_empty(*texts[i]))).ptr;
        if (*texts[i] == NULL) {
            return haft__arena_fail(arena, err);
        }
    }
    return HAFT_OK;
}

void haft__call_finish(haft_call *call)
{
    haft__arena_finish(&call->arena);
}

/* ---- replies ---- */

static haft_reply error_reply(haft_str text)
{
    return (haft_reply){HAFT_REPLY_ERROR, text};
}

static haft_reply out_of_memory_reply(void)
{
    return error_reply(HAFT__LIT("The tool ran out of memory while it replied."));
}

static haft_reply HAFT__PRINTF(3, 0)
    reply(haft_call *call, haft_reply_kind kind, const char *format, va_list args)
{
    va_list args_copy;
    va_copy(args_copy, args);
    int length = vsnprintf(NULL, 0, format, args_copy);
    va_end(args_copy);
    if (length < 0) {
        return error_reply(HAFT__LIT("The tool's reply cannot be formatted."));
    }
    if ((size_t)length > call->max_reply) {
        haft_str why = haft__arena_format(
            &call->arena, "The tool's reply has %d bytes, more than the limit of %zu.", length,
            call->max_reply);
        return why.ptr != NULL ? error_reply(why) : out_of_memory_reply();
    }
    char *text = haft__arena_alloc(&call->arena, (size_t)length + 1);
    if (text == NULL) {
        return out_of_memory_reply();
    }
    (void)vsnprintf(text, (size_t)length + 1, format, args);
    return (haft_reply){kind, {text, (size_t)length}};
}

haft_reply haft_replyf(haft_call *call, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    haft_reply result = reply(call, HAFT_REPLY_TEXT, format, args);
    va_end(args);
    return result;
}

haft_reply haft_reply_error(haft_call *call, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    haft_reply result = reply(call, HAFT_REPLY_ERROR, format, args);
    va_end(args);
    return result;
}

/* ---- JSON replies ---- */

typedef haft_status value_checker(haft__json value, haft_error *err);

/* Checks that `json` is JSON and that `check` accepts it. Releases the memory of the parser. */
static haft_status check_json(haft_call *call, haft_str json, value_checker *check, haft_error *err)
{
    haft__arena_mark mark = haft__arena_save(&call->arena);
    haft__json value;
    haft_status status = haft__json_read(&call->arena, json, NULL, &value, NULL, err);
    if (status == HAFT_OK && check != NULL) {
        status = check(value, err);
    }
    haft__arena_restore(&call->arena, mark);
    return status;
}

static haft_reply reply_checked(haft_call *call, haft_reply_kind kind, const char *json,
                                value_checker *check)
{
    haft_error err = {0};
    const char *what = kind == HAFT_REPLY_JSON ? "JSON" : "command";
    haft_status status = json != NULL ? check_json(call, haft__str(json), check, &err)
                                      : haft__fail(&err, HAFT_BAD_INPUT, "", "the text is NULL");
    if (status == HAFT_NO_MEMORY) {
        return out_of_memory_reply();
    }
    if (status != HAFT_OK) {
        return haft_reply_error(call, "The tool's reply is not a valid %s%s%s: %s", what,
                                err.where[0] != '\0' ? " at " : "", err.where, err.message);
    }
    haft_reply result = haft_replyf(call, "%s", json);
    result.kind = result.kind == HAFT_REPLY_TEXT ? kind : result.kind;
    return result;
}

haft_reply haft_reply_json(haft_call *call, const char *json)
{
    return reply_checked(call, HAFT_REPLY_JSON, json, NULL);
}

static bool is_name(haft__json value)
{
    return value.kind == HAFT__JSON_STRING && haft__json_text(value).len > 0;
}

static haft_status check_goto(haft__json to, haft_error *err)
{
    bool all_are_names = is_name(to) || (to.kind == HAFT__JSON_ARRAY && to.count > 0);
    for (uint32_t i = 0; to.kind == HAFT__JSON_ARRAY && all_are_names && i < to.count; i++) {
        all_are_names = is_name(to.items[i]);
    }
    return all_are_names ? HAFT_OK
                         : haft__fail(err, HAFT_BAD_INPUT, "/goto",
                                      "expected the name of a node, or an array of names");
}

static haft_status check_send(haft__json sends, haft_error *err)
{
    bool valid = sends.kind == HAFT__JSON_ARRAY;
    for (uint32_t i = 0; valid && i < sends.count; i++) {
        const haft__json *send = &sends.items[i];
        const haft__json *to = haft__json_get(*send, HAFT__LIT("to"));
        const haft__json *argument = haft__json_get(*send, HAFT__LIT("arg"));
        valid = send->kind == HAFT__JSON_OBJECT && send->count == 2 && to != NULL && is_name(*to)
                && argument != NULL && argument->kind == HAFT__JSON_OBJECT;
    }
    return valid ? HAFT_OK
                 : haft__fail(err, HAFT_BAD_INPUT, "/send",
                              "expected an array of {\"to\": the name of a node, \"arg\": "
                              "an object that the node sees}");
}

haft_status haft__call_check_command(haft__json value, haft_error *err)
{
    if (value.kind != HAFT__JSON_OBJECT || value.count == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "expected an object with \"update\", \"goto\" or \"send\"");
    }
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < value.count && status == HAFT_OK; i++) {
        haft_str key = haft__json_text(value.members[i].key);
        haft__json part = value.members[i].value;
        if (haft__str_equal(key, HAFT__LIT("goto"))) {
            status = check_goto(part, err);
        } else if (haft__str_equal(key, HAFT__LIT("send"))) {
            status = check_send(part, err);
        } else if (!haft__str_equal(key, HAFT__LIT("update"))) {
            status =
                haft__fail(err, HAFT_BAD_INPUT, "",
                           "unknown key \"%.*s\"; allowed are \"update\", \"goto\" and \"send\"",
                           HAFT__ARG(key));
        } else if (part.kind != HAFT__JSON_OBJECT) {
            status = haft__json_fail_type(part, "/update", "an object", err);
        }
    }
    return status;
}

haft_reply haft_reply_command(haft_call *call, const char *json)
{
    return reply_checked(call, HAFT_REPLY_COMMAND, json, haft__call_check_command);
}

/* ---- replies of other origin ---- */

static haft_status check_kind(haft_call *call, haft_reply_kind kind, haft_str text, haft_error *err)
{
    switch (kind) {
    case HAFT_REPLY_TEXT:
    case HAFT_REPLY_ERROR: return HAFT_OK;
    case HAFT_REPLY_JSON: return check_json(call, text, NULL, err);
    case HAFT_REPLY_COMMAND: return check_json(call, text, haft__call_check_command, err);
    }
    return haft__fail(err, HAFT_BAD_INPUT, "", "expected a kind of reply, found %d", (int)kind);
}

haft_status haft__call_make_reply(haft_call *call, haft_reply_kind kind, haft_str text,
                                  haft_reply *ret_reply, haft_error *err)
{
    if (text.len > call->max_reply) {
        return haft__fail(err, HAFT_TOO_BIG, "", "expected a reply of at most %zu bytes, found %zu",
                          call->max_reply, text.len);
    }
    haft_status status = check_kind(call, kind, text, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft_str copy = haft__arena_copy(&call->arena, text);
    if (copy.ptr == NULL) {
        return haft__arena_fail(&call->arena, err);
    }
    *ret_reply = (haft_reply){kind, copy};
    return HAFT_OK;
}

/* ---- the host ---- */

const haft_call_facts *haft_call_info(const haft_call *call)
{
    return &call->facts;
}

const haft_server_facts *haft_call_server(const haft_call *call)
{
    return call->server;
}

bool haft_cancelled(const haft_call *call)
{
    return call->cancelled != NULL && call->cancelled(call->host);
}

void haft_emit(haft_call *call, const char *json)
{
    if (call->emit == NULL || json == NULL) {
        return;
    }
    haft_str text = haft__str(json);
    haft_status status = check_json(call, text, NULL, NULL);
    if (status == HAFT_OK) {
        call->emit(call->host, text);
    } else if (status == HAFT_BAD_INPUT) {
        haft__buf buf;
        haft__buf_init(&buf, HAFT__LIMIT_TOOL_RESULT_BYTES);
        haft__json_write_string(&buf, text);
        if (haft__buf_check(&buf, NULL) == HAFT_OK) {
            call->emit(call->host, haft__buf_str(&buf));
        }
        haft__buf_finish(&buf);
    } /* if the text is too big or memory is used up, the progress event is dropped */
}

/* ---- running ---- */

haft_status haft__call_write_arguments(haft_call *call, haft__json arguments, haft_str *ret_text,
                                       haft_error *err)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    haft__json_write(&buf, arguments);
    haft_status status = haft__buf_check(&buf, err);
    if (status == HAFT_OK) {
        haft_str copy = haft__arena_copy(&call->arena, haft__buf_str(&buf));
        status = copy.ptr != NULL ? HAFT_OK : haft__arena_fail(&call->arena, err);
        *ret_text = copy;
    }
    haft__buf_finish(&buf);
    return status;
}

haft_status haft__call_run(haft_call *call, const haft_tool *tool, haft__json arguments,
                           haft_reply *ret_reply, haft_error *err)
{
    assert(tool->run != NULL);
    haft_str text = {NULL, 0};
    void *args = &text;
    haft_status status =
        tool->arguments != NULL
            ? haft__arguments_decode(&call->arena, tool->arguments, arguments, &args, err)
            : haft__call_write_arguments(call, arguments, &text, err);
    if (status == HAFT_OK) {
        call->facts.context = tool->context;
        call->facts.tool = or_empty(tool->name);
        call->arguments = arguments;
        *ret_reply = tool->run(call, args);
    }
    return status;
}
