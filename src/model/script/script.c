/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script.c - plays replies and results from a document and checks the requests.
 *
 * A JSON Schema checks the structure once, so that the code below can rely on it.
 * Tests: tests/model/script/script_test.c.
 */
#include "model/script/script.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "model/server_error.h"
#include "schema/schema.h"
#include "json/number.h"
#include "json/object.h"
#include "json/read.h"
#include "json/write.h"

static const char script_schema[] =
    "{\"type\":\"object\",\"required\":[\"replies\"],\"additionalProperties\":false,\"properties\":"
    "{"
    "\"replies\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/reply\"}},"
    "\"results\":{\"type\":\"object\"}},"
    "\"$defs\":{"
    "\"names\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"count\":{\"type\":\"integer\",\"minimum\":0},"
    "\"reply\":{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
    "\"expect\":{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
    "\"mode\":{\"enum\":[\"auto\",\"any\",\"tool\",\"none\"]},\"tool\":{\"type\":\"string\"},"
    "\"constraint\":{\"enum\":[\"none\",\"gbnf\",\"json_schema\"]},"
    "\"allowed\":{\"$ref\":\"#/$defs/names\"},\"declared\":{\"$ref\":\"#/$defs/names\"},"
    "\"contains\":{\"type\":[\"string\",\"array\"],\"items\":{\"type\":\"string\"}}}},"
    "\"when\":{\"enum\":[\"constrained\",\"free\"]},\"ignores_constraint\":{\"type\":\"boolean\"},"
    "\"text\":{\"type\":\"string\"},\"reasoning\":{\"type\":\"string\"},"
    "\"calls\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"name\"],"
    "\"additionalProperties\":false,\"properties\":{\"name\":{\"type\":\"string\"},"
    "\"id\":{\"type\":\"string\"},\"arguments\":true,\"raw\":{\"type\":\"string\"},"
    "\"malformed\":{\"type\":\"string\"},\"repaired\":{\"type\":\"boolean\"}}}},"
    "\"usage\":{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
    "\"input_tokens\":{\"$ref\":\"#/$defs/count\"},\"output_tokens\":{\"$ref\":\"#/$defs/count\"},"
    "\"cached_tokens\":{\"$ref\":\"#/$defs/count\"}}},"
    "\"stop\":{\"enum\":[\"stop\",\"tool_calls\",\"length\",\"refusal\"]},"
    "\"delay\":{\"type\":\"number\",\"minimum\":0,\"maximum\":86400},"
    "\"error\":{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
    "\"status\":{\"type\":\"integer\",\"minimum\":200,\"maximum\":599},\"body\":true,"
    "\"headers\":{\"type\":\"object\",\"propertyNames\":{\"pattern\":\"^[A-Za-z0-9_-]+$\"},"
    "\"additionalProperties\":{\"type\":[\"string\",\"integer\"],"
    "\"pattern\":\"^[^\\u0000-\\u001f\\u007f]*$\"}}}},"
    "\"cut\":{\"$ref\":\"#/$defs/count\"}}}}}";

static haft_status check_shape(haft__arena *arena, haft__json document, haft_error *err)
{
    haft_str text = {script_schema, sizeof(script_schema) - 1};
    haft__json schema_value;
    const haft__schema *schema = NULL;
    haft__schema_report report = {0};
    haft__checker *checker = haft__checker_create();
    if (checker == NULL) {
        return haft__fail_no_memory(err);
    }
    haft_status status = haft__json_read(arena, text, NULL, &schema_value, NULL, err);
    if (status == HAFT_OK) {
        status = haft__schema_compile(arena, schema_value, NULL, &schema, err);
    }
    if (status == HAFT_OK) {
        status = haft__schema_check(schema, checker, document, arena, &report, err);
    }
    haft__checker_destroy(checker);
    if (status != HAFT_OK || report.valid) {
        return status;
    }
    char where[64];
    (void)snprintf(where, sizeof(where), "%.*s", HAFT__ARG(report.errors[0].where));
    status = haft__fail(err, HAFT_BAD_INPUT, where, "%.*s", HAFT__ARG(report.errors[0].message));
    return haft__hint(err, status, "docs/script.md describes scripts");
}

/* The assembly bounds the calls of a real model; this bounds those of a script. */
static haft_status check_calls(haft__json replies, haft_error *err)
{
    for (uint32_t i = 0; i < replies.count; i++) {
        const haft__json *calls = haft__json_get(replies.items[i], HAFT__LIT("calls"));
        if (calls != NULL && calls->count > HAFT__LIMIT_REPLY_CALLS) {
            char where[64];
            (void)snprintf(where, sizeof(where), "/replies/%u/calls", i);
            return haft__fail(err, HAFT_TOO_BIG, where,
                              "expected at most %d calls in a reply, found %u",
                              HAFT__LIMIT_REPLY_CALLS, calls->count);
        }
    }
    return HAFT_OK;
}

haft_status haft__script_init(haft__script *script, haft__arena *arena, haft__json document,
                              haft_error *err)
{
    haft_status status = check_shape(arena, document, err);
    if (status != HAFT_OK) {
        return status;
    }
    const haft__json *results = haft__json_get(document, HAFT__LIT("results"));
    *script = (haft__script){.replies = *haft__json_get(document, HAFT__LIT("replies"))};
    if (script->replies.count > HAFT__LIMIT_SCRIPT_REPLIES) {
        return haft__fail(err, HAFT_TOO_BIG, "/replies", "expected at most %d replies, found %u",
                          HAFT__LIMIT_SCRIPT_REPLIES, script->replies.count);
    }
    status = check_calls(script->replies, err);
    if (status != HAFT_OK) {
        return status;
    }
    script->results = results != NULL ? *results : haft__json_null();
    return haft__script_start(script, arena, script, err);
}

haft_status haft__script_start(const haft__script *script, haft__arena *arena,
                               haft__script *ret_script, haft_error *err)
{
    bool results = script->results.kind == HAFT__JSON_OBJECT;
    uint32_t *used = haft__arena_array(arena, results ? script->results.count : 0,
                                       sizeof(*script->results_used));
    if (used == NULL) {
        return haft__arena_fail(arena, err);
    }
    *ret_script = (haft__script){
        .replies = script->replies, .results = script->results, .results_used = used};
    return HAFT_OK;
}

/* ---- expectations ---- */

static const char *const modes[] = {"auto", "any", "tool", "none"};

/* Appends the names of the declared, or only of the allowed, tools. */
static void list_names(haft__buf *buf, const haft__request *request, bool only_allowed)
{
    bool first = true;
    for (size_t i = 0; i < request->tool_count; i++) {
        if (!only_allowed || request->allowed[i]) {
            haft__buf_addf(buf, "%s%.*s", first ? "" : ", ", HAFT__ARG(request->tools[i]->name));
            first = false;
        }
    }
}

static bool wants_name(haft__json wanted, haft_str name)
{
    for (uint32_t i = 0; i < wanted.count; i++) {
        if (haft__str_equal(haft__json_text(wanted.items[i]), name)) {
            return true;
        }
    }
    return false;
}

/* Compares as sets: every name is expected, and the counts are equal. */
static bool same_names(haft__json wanted, const haft__request *request, bool only_allowed)
{
    size_t count = 0;
    for (size_t i = 0; i < request->tool_count; i++) {
        if (!only_allowed || request->allowed[i]) {
            count++;
            if (!wants_name(wanted, request->tools[i]->name)) {
                return false;
            }
        }
    }
    return count == wanted.count;
}

static haft_status fail_expect(const haft__script *script, const char *what, haft_str wanted,
                               haft_str found, haft_error *err)
{
    char where[48];
    (void)snprintf(where, sizeof(where), "/replies/%zu/expect/%s", script->next, what);
    return haft__fail(err, HAFT_BAD_STATE, where, "the script expects %s %.*s, found %.*s", what,
                      HAFT__ARG(wanted), HAFT__ARG(found));
}

static haft_status expect_names(const haft__script *script, const haft__request *request,
                                haft__json expect, const char *key, haft_error *err)
{
    bool only_allowed = strcmp(key, "allowed") == 0;
    const haft__json *wanted = haft__json_get(expect, haft__str(key));
    if (wanted == NULL || same_names(*wanted, request, only_allowed)) {
        return HAFT_OK;
    }
    haft__buf found, listed;
    haft__buf_init(&found, 4096);
    haft__buf_init(&listed, 4096);
    list_names(&found, request, only_allowed);
    haft__json_write(&listed, *wanted);
    haft_status status =
        fail_expect(script, key, haft__buf_str(&listed), haft__buf_str(&found), err);
    haft__buf_finish(&found);
    haft__buf_finish(&listed);
    return status;
}

static haft_status expect_text(const haft__script *script, const haft__request *request,
                               haft__json wanted, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; wanted.kind == HAFT__JSON_ARRAY && i < wanted.count; i++) {
        status = status == HAFT_OK ? expect_text(script, request, wanted.items[i], err) : status;
    }
    if (wanted.kind == HAFT__JSON_STRING
        && !haft__request_contains(request, haft__json_text(wanted))) {
        status = fail_expect(script, "contains", haft__json_text(wanted),
                             HAFT__LIT("nothing like it in the request"), err);
    }
    return status;
}

static haft_status check_expect(const haft__script *script, const haft__request *request,
                                haft__json expect, haft_error *err)
{
    const haft__json *mode = haft__json_get(expect, HAFT__LIT("mode"));
    const haft__json *tool = haft__json_get(expect, HAFT__LIT("tool"));
    const haft__json *contains = haft__json_get(expect, HAFT__LIT("contains"));
    const haft__json *constraint = haft__json_get(expect, HAFT__LIT("constraint"));
    haft_str found_mode = haft__str(modes[request->mode]);
    haft_str found_constraint = haft__str(haft__constraint_name(request->constraint.kind));
    if (mode != NULL && !haft__str_equal(haft__json_text(*mode), found_mode)) {
        return fail_expect(script, "mode", haft__json_text(*mode), found_mode, err);
    }
    if (tool != NULL && !haft__str_equal(haft__json_text(*tool), request->tool)) {
        return fail_expect(script, "tool", haft__json_text(*tool), request->tool, err);
    }
    if (constraint != NULL && !haft__str_equal(haft__json_text(*constraint), found_constraint)) {
        return fail_expect(script, "constraint", haft__json_text(*constraint), found_constraint,
                           err);
    }
    haft_status status = expect_names(script, request, expect, "allowed", err);
    if (status == HAFT_OK) {
        status = expect_names(script, request, expect, "declared", err);
    }
    if (status == HAFT_OK && contains != NULL) {
        status = expect_text(script, request, *contains, err);
    }
    return status;
}

/* ---- replies ---- */

static uint64_t whole_number(const haft__json *value)
{
    int64_t number = 0;
    bool fits = value != NULL && haft__number_to_int64(haft__json_text(*value), &number);
    return fits && number > 0 ? (uint64_t)number : 0;
}

/* A value as compact JSON text in the arena; .ptr is NULL if out of memory. */
static haft_str to_text(haft__arena *arena, haft__json value)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_REPLY_BYTES);
    haft__json_write(&buf, value);
    haft_str text = {NULL, 0};
    if (buf.status == HAFT_OK) {
        text = haft__arena_copy(arena, haft__buf_str(&buf));
    }
    haft__buf_finish(&buf);
    return text;
}

static haft_status read_calls(haft__json listed, haft__arena *arena, haft__reply *reply,
                              haft_error *err)
{
    haft__message_call *calls = haft__arena_array(arena, listed.count, sizeof(*calls));
    if (calls == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (uint32_t i = 0; i < listed.count; i++) {
        const haft__json *arguments = haft__json_get(listed.items[i], HAFT__LIT("arguments"));
        const haft__json *raw = haft__json_get(listed.items[i], HAFT__LIT("raw"));
        calls[i].id = haft__object_text(listed.items[i], "id");
        calls[i].name = haft__object_text(listed.items[i], "name");
        calls[i].malformed = haft__object_text(listed.items[i], "malformed");
        calls[i].repaired = haft__object_flag(listed.items[i], "repaired", false);
        calls[i].arguments = raw != NULL         ? haft__json_text(*raw)
                             : arguments != NULL ? to_text(arena, *arguments)
                                                 : HAFT__LIT("{}");
        if (calls[i].arguments.ptr == NULL) {
            return haft__arena_fail(arena, err);
        }
    }
    reply->calls = calls;
    reply->call_count = listed.count;
    return HAFT_OK;
}

/* Whether the cut is inside the reply: its text, then the arguments of its calls. */
static bool is_cut(const haft__script_answer *answer)
{
    const haft__reply *reply = &answer->reply;
    size_t length = reply->content.len;
    for (size_t i = 0; i < reply->call_count; i++) {
        length += reply->calls[i].arguments.len;
    }
    return answer->has_cut && answer->cut < length;
}

static void read_cut(haft__json entry, haft__script_answer *answer)
{
    const haft__json *cut = haft__json_get(entry, HAFT__LIT("cut"));
    int64_t number = 0;
    bool fits = cut != NULL && haft__number_to_int64(haft__json_text(*cut), &number);
    answer->has_cut = cut != NULL;
    answer->cut = fits ? (uint64_t)number : UINT64_MAX;
}

static haft_status read_failure(haft__json error, haft__arena *arena, haft__script_answer *answer,
                                haft_error *err)
{
    const haft__json *body = haft__json_get(error, HAFT__LIT("body"));
    const haft__json *headers = haft__json_get(error, HAFT__LIT("headers"));
    answer->failed = true;
    answer->headers = headers != NULL ? *headers : haft__json_null();
    answer->failure.status = (uint32_t)whole_number(haft__json_get(error, HAFT__LIT("status")));
    answer->failure.message = HAFT__LIT("");
    if (body != NULL) {
        answer->failure.message =
            body->kind == HAFT__JSON_STRING ? haft__json_text(*body) : to_text(arena, *body);
    }
    haft__server_error details = {0};
    if (body != NULL) {
        (void)haft__server_error_find_wrapped(*body, &details);
    }
    answer->failure.kind = haft__server_error_kind(answer->failure.status, &details);
    return answer->failure.message.ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}

static haft_status read_reply(haft__json entry, haft__arena *arena, haft__script_answer *answer,
                              haft_error *err)
{
    const haft__json *calls = haft__json_get(entry, HAFT__LIT("calls"));
    const haft__json *usage = haft__json_get(entry, HAFT__LIT("usage"));
    haft__reply *reply = &answer->reply;
    reply->content = haft__object_text(entry, "text");
    reply->reasoning = haft__object_text(entry, "reasoning");
    reply->model = HAFT__LIT("script");
    haft_status status = calls != NULL ? read_calls(*calls, arena, reply, err) : HAFT_OK;
    if (usage != NULL) {
        reply->usage.input = whole_number(haft__json_get(*usage, HAFT__LIT("input_tokens")));
        reply->usage.output = whole_number(haft__json_get(*usage, HAFT__LIT("output_tokens")));
        reply->usage.cached = whole_number(haft__json_get(*usage, HAFT__LIT("cached_tokens")));
    }
    reply->stop = reply->call_count > 0 ? HAFT__STOP_CALLS : HAFT__STOP_END;
    (void)haft__stop_reason_parse(haft__object_text(entry, "stop"), &reply->stop);
    read_cut(entry, answer);
    if (status == HAFT_OK && is_cut(answer)) {
        answer->failed = true;
        answer->failure.kind = HAFT__FAILURE_CUT;
        answer->failure.message = HAFT__LIT("the reply was cut off before its end");
    }
    return status;
}

/* Skips replies for requests of the other kind. */
static size_t find_reply(const haft__script *script, const haft__request *request)
{
    size_t next = script->next;
    haft_str other = request->constraint.kind == HAFT__CONSTRAINT_NONE ? HAFT__LIT("constrained")
                                                                       : HAFT__LIT("free");
    while (next < script->replies.count
           && haft__str_equal(haft__object_text(script->replies.items[next], "when"), other)) {
        next++;
    }
    return next;
}

void haft__script_skip_reply(haft__script *script)
{
    static const haft__request plain = {.mode = HAFT__MODE_AUTO};
    script->next = find_reply(script, &plain);
    script->next += script->next < script->replies.count;
}

haft_status haft__script_ask(haft__script *script, const haft__request *request, haft__arena *arena,
                             haft__script_answer *ret_answer, haft_error *err)
{
    script->next = find_reply(script, request);
    if (script->next == script->replies.count) {
        return haft__fail(err, HAFT_BAD_STATE, "/replies",
                          "the script has %u replies, found a request for one more",
                          script->replies.count);
    }
    haft__json entry = script->replies.items[script->next];
    const haft__json *expect = haft__json_get(entry, HAFT__LIT("expect"));
    const haft__json *error = haft__json_get(entry, HAFT__LIT("error"));
    const haft__json *delay = haft__json_get(entry, HAFT__LIT("delay"));
    haft__script_answer answer = {.ignores_constraint =
                                      haft__object_flag(entry, "ignores_constraint", false)};
    haft_status status = expect != NULL ? check_expect(script, request, *expect, err) : HAFT_OK;
    if (status == HAFT_OK) {
        status = error != NULL ? read_failure(*error, arena, &answer, err)
                               : read_reply(entry, arena, &answer, err);
    }
    if (status == HAFT_OK) {
        if (delay != NULL) {
            answer.delay_ms = (uint64_t)(haft__number_to_double(haft__json_text(*delay)) * 1000);
        }
        script->next++;
        *ret_answer = answer;
    }
    return status;
}

/* ---- results ---- */

static const haft__json *results_of(const haft__script *script, haft_str tool, uint32_t *ret_index)
{
    for (uint32_t i = 0; script->results.kind == HAFT__JSON_OBJECT && i < script->results.count;
         i++) {
        if (haft__str_equal(haft__json_text(script->results.members[i].key), tool)) {
            *ret_index = i;
            return &script->results.members[i].value;
        }
    }
    return NULL;
}

bool haft__script_has_results(const haft__script *script, haft_str tool)
{
    uint32_t index;
    return results_of(script, tool, &index) != NULL;
}

/* A text as it is, {error: MESSAGE | {message, hint}}, or any other value as JSON. */
static haft_status read_result(haft__json value, haft__arena *arena,
                               haft__script_result *ret_result, haft_error *err)
{
    const haft__json *error = haft__json_get(value, HAFT__LIT("error"));
    haft__script_result result = {.ok = error == NULL, .hint = HAFT__LIT("")};
    if (error != NULL && error->kind == HAFT__JSON_OBJECT) {
        result.text = haft__object_text(*error, "message");
        result.hint = haft__object_text(*error, "hint");
    } else {
        haft__json shown = error != NULL ? *error : value;
        result.text =
            shown.kind == HAFT__JSON_STRING ? haft__json_text(shown) : to_text(arena, shown);
    }
    if (result.text.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    *ret_result = result;
    return HAFT_OK;
}

haft_status haft__script_result_of(haft__script *script, haft_str tool, haft__arena *arena,
                                   haft__script_result *ret_result, haft_error *err)
{
    uint32_t index = 0;
    const haft__json *listed = results_of(script, tool, &index);
    if (listed == NULL) {
        return haft__fail(err, HAFT_NOT_FOUND, "/results", "the script has no results for %.*s",
                          HAFT__ARG(tool));
    }
    if (listed->kind != HAFT__JSON_ARRAY) {
        return read_result(*listed, arena, ret_result, err);
    }
    if (script->results_used[index] == listed->count) {
        *ret_result =
            (haft__script_result){.ok = false,
                                  .text = HAFT__LIT("the script has no more results for this tool"),
                                  .hint = HAFT__LIT("")};
        return HAFT_OK;
    }
    return read_result(listed->items[script->results_used[index]++], arena, ret_result, err);
}

void haft__script_skip_result(haft__script *script, haft_str tool)
{
    uint32_t index = 0;
    const haft__json *listed = results_of(script, tool, &index);
    if (listed != NULL && listed->kind == HAFT__JSON_ARRAY
        && script->results_used[index] < listed->count) {
        script->results_used[index]++;
    }
}
