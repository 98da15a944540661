/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.c - the request of a call: method, URL, body and headers.
 * Tests: tests/exec/http/request_test.c.
 */
#include <strings.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "exec/call_facts.h"
#include "exec/http/http.h"
#include "tool/traits.h"

const haft__json *haft__http_tool_definition(const haft__exec_job *job, const char *key)
{
    const haft__json *http = haft__exec_definition(job, "http");
    return http != NULL ? haft__json_get(*http, haft__str(key)) : NULL;
}

static haft_status make_body(haft__exec_job *job, haft_str method, haft_str *ret_body,
                             haft_error *err)
{
    static const char *const with_body[] = {"POST", "PUT", "PATCH"};
    const haft__json *template = haft__http_tool_definition(job, "body");
    *ret_body = (haft_str){NULL, 0};
    if (template != NULL) {
        return haft__http_tool_body(job, *template, ret_body, err);
    }
    return haft__str_is_one_of(method, with_body, COUNT(with_body))
               ? haft__http_tool_write_json(job, job->call.arguments, ret_body, err)
               : HAFT_OK;
}

/* ---- the headers ---- */

static bool has_header(haft__json headers, const char *name)
{
    for (uint32_t i = 0; i < headers.count; i++) {
        haft_str key = haft__json_text(headers.members[i].key);
        if (key.len == strlen(name) && strncasecmp(key.ptr, name, key.len) == 0) {
            return true;
        }
    }
    return false;
}

static haft_status make_header(haft__exec_job *job, haft__json_member member, haft_str *ret_header,
                               haft_error *err)
{
    haft_str name = haft__json_text(member.key), value;
    haft_status status = haft__spec_expand(&job->arena, haft__json_text(member.value),
                                           &job->exec->options.env, &value, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_SPEC_BYTES);
    haft__buf_add_str(&buf, name);
    haft__buf_add_str(&buf, HAFT__LIT(": "));
    haft__buf_add_str(&buf, value);
    status = haft__buf_check(&buf, err);
    bool broken =
        value.len > 0
        && (memchr(value.ptr, '\r', value.len) != NULL || memchr(value.ptr, '\n', value.len) != NULL
            || memchr(value.ptr, '\0', value.len) != NULL);
    if (status == HAFT_OK && broken) {
        status =
            haft__fail(err, HAFT_BAD_INPUT, "http.headers",
                       "the header '%.*s' has a line end or a NUL in its value", HAFT__ARG(name));
        status = haft__hint(err, status, "check the variables in its value");
    }
    if (status == HAFT_OK) {
        *ret_header = haft__arena_copy(&job->arena, haft__buf_str(&buf));
        status = ret_header->ptr != NULL ? HAFT_OK : haft__arena_fail(&job->arena, err);
    }
    haft__buf_finish(&buf);
    return status;
}

/* The value of a header has only visible ASCII; other bytes are percent-encoded. */
static haft_status make_fact_header(haft__exec_job *job, const haft__call_fact *fact,
                                    haft_str *ret_header, haft_error *err)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_SPEC_BYTES);
    haft__buf_addf(&buf, "%s: ", fact->header);
    for (size_t i = 0; i < fact->value.len; i++) {
        char c = fact->value.ptr[i];
        if (c > ' ' && c < 0x7F && c != '%') {
            haft__buf_add_char(&buf, c);
        } else {
            haft__buf_addf(&buf, "%%%02X", (unsigned char)c);
        }
    }
    haft_status status = haft__buf_check(&buf, err);
    if (status == HAFT_OK) {
        *ret_header = haft__arena_copy(&job->arena, haft__buf_str(&buf));
        status = ret_header->ptr != NULL ? HAFT_OK : haft__arena_fail(&job->arena, err);
    }
    haft__buf_finish(&buf);
    return status;
}

/* The headers about the call. Without `facts: true` these are only the idempotency key and the
 * epoch, and only for requests with effects. */
static haft_status add_fact_headers(haft__exec_job *job, haft__json own, bool effects,
                                    haft_str *list, size_t *io_count, haft_error *err)
{
    const haft__json *given = haft__http_tool_definition(job, "facts");
    bool all = given != NULL && given->kind == HAFT__JSON_TRUE;
    haft__call_fact facts[HAFT__CALL_FACT_COUNT];
    size_t count = 0;
    haft_status status = haft__call_facts_list(&job->call.facts, &job->arena, facts, &count, err);
    for (size_t i = 0; status == HAFT_OK && i < count; i++) {
        bool send = facts[i].fences ? effects : all;
        if (send && !has_header(own, facts[i].header)) {
            status = make_fact_header(job, &facts[i], &list[(*io_count)++], err);
        }
    }
    return status;
}

static haft_status make_headers(haft__exec_job *job, haft__http_request *request, bool effects,
                                haft_error *err)
{
    const haft__json *given = haft__http_tool_definition(job, "headers");
    haft__json headers = given != NULL ? *given : haft__json_object(NULL, 0);
    haft_str *list = haft__arena_array(
        &job->arena, (size_t)headers.count + 1 + HAFT__CALL_FACT_COUNT, sizeof(haft_str));
    if (list == NULL) {
        return haft__arena_fail(&job->arena, err);
    }
    haft_status status = HAFT_OK;
    size_t count = 0;
    for (uint32_t i = 0; i < headers.count && status == HAFT_OK; i++) {
        status = make_header(job, headers.members[i], &list[count++], err);
    }
    if (status == HAFT_OK && request->body.ptr != NULL && !has_header(headers, "Content-Type")) {
        list[count++] = HAFT__LIT("Content-Type: application/json");
    }
    if (status == HAFT_OK) {
        status = add_fact_headers(job, headers, effects, list, &count, err);
    }
    request->headers = list;
    request->header_count = count;
    return status;
}

/* ---- the request ---- */

haft_status haft__http_tool_request(haft__exec_job *job, haft__http_request *ret_request,
                                    haft_error *err)
{
    static const char *const without_effects[] = {"GET", "HEAD"};
    const haft__traits *traits = &job->call.tool->traits;
    const haft__json *given = haft__http_tool_definition(job, "method");
    haft_str method = given != NULL ? haft__json_text(*given) : HAFT__LIT("GET");
    bool effects = !haft__str_is_one_of(method, without_effects, COUNT(without_effects));
    haft__http_request request = {
        .method = method,
        .send_once = effects && !haft__traits_are_repeatable(traits),
        .max_bytes = HAFT__LIMIT_TOOL_RESULT_BYTES,
        .max_redirects = HAFT__LIMIT_HTTP_REDIRECTS, /* the job's deadline is the only timeout */
    };
    haft_status status = haft__http_tool_url(job, &request.url, err);
    if (status == HAFT_OK) {
        status = make_body(job, method, &request.body, err);
    }
    if (status == HAFT_OK) {
        status = make_headers(job, &request, effects, err);
    }
    *ret_request = request;
    return status;
}
