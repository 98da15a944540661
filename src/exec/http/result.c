/* SPDX-License-Identifier: Apache-2.0 */
/*
 * result.c - converts a response to a result: the body, or an error in words that a model can use.
 * Messages name only the origin of the URL. Tests: tests/exec/http/http_test.c.
 */
#include <strings.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "exec/http/http.h"

/* ---- connection errors ---- */

static const struct {
    haft__http_outcome end;
    bool transient;
    const char *hint;
} ends[] = {
    {HAFT__HTTP_REFUSED, false,
     "set allow_private: true in the definition of the tool to reach private addresses"},
    {HAFT__HTTP_RESOLVE, true, ""},
    {HAFT__HTTP_CONNECT, true, ""},
    {HAFT__HTTP_CONNECT_TIMEOUT, true, ""},
    {HAFT__HTTP_CUT, true, ""},
    {HAFT__HTTP_TOO_BIG, false, "ask for less at once"},
};

static void report_outcome(const haft__http_result *answer, haft__exec_result *result)
{
    result->text = haft__str(answer->message);
    for (size_t i = 0; i < COUNT(ends); i++) {
        if (ends[i].end == answer->end) {
            result->transient = ends[i].transient;
            result->hint = haft__str(ends[i].hint);
        }
    }
}

/* ---- content types ---- */

/* Whether `text` contains `part`, ignoring case. */
static bool has_part(haft_str text, const char *part)
{
    size_t length = strlen(part);
    for (; text.len >= length; text = haft__str_skip(text, 1)) {
        if (strncasecmp(text.ptr, part, length) == 0) {
            return true;
        }
    }
    return false;
}

/* A body labelled as text may contain invalid UTF-8; a body without such a label must be valid. */
static bool is_text(haft_str type, haft_str body)
{
    bool is_text_type = has_part((haft_str){type.ptr, type.len < 5 ? type.len : 5}, "text/")
                        || has_part(type, "json") || has_part(type, "xml")
                        || has_part(type, "javascript");
    bool clean = body.len == 0 || memchr(body.ptr, '\0', body.len) == NULL;
    return clean && (is_text_type || haft__utf8_valid(body));
}

static haft_str describe(haft__exec_job *job, haft_str type, haft_str body)
{
    return haft__arena_format(&job->arena, "%zu bytes of %.*s, which is not text", body.len,
                              HAFT__ARG(type.len > 0 ? type : HAFT__LIT("an unnamed type")));
}

/* ---- status 400 and more ---- */

static bool is_transient(uint32_t status)
{
    return status == 408 || status == 425 || status == 429 || status >= 500;
}

static void report_status(haft__exec_job *job, const haft__http_result *answer, haft_str body,
                          haft__exec_result *result)
{
    bool text = is_text(answer->content_type, body);
    result->text =
        haft__arena_format(&job->arena, "HTTP %u from %s", answer->status, answer->origin);
    result->detail = (haft__excerpt){.text = text ? haft__str_trim(body)
                                                  : describe(job, answer->content_type, body),
                                     .max_bytes = HAFT__LIMIT_HTTP_ERROR_BYTES};
    result->transient = is_transient(answer->status);
    uint64_t seconds = 0;
    haft_str wait = haft__http_result_header(answer, "retry-after");
    if (wait.ptr != NULL && haft__str_to_u64(haft__str_trim(wait), &seconds)) {
        result->hint = haft__arena_format(&job->arena, "the server asks to wait %llu seconds",
                                          (unsigned long long)seconds);
    }
}

/* ---- responses ---- */

/* HEAD has no body: reports the status and some headers. */
static void report_head(haft__exec_job *job, const haft__http_result *answer,
                        haft__exec_result *result)
{
    static const char *const shown[] = {"content-type", "content-length", "last-modified", "etag",
                                        "location"};
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_HTTP_HEADER_BYTES);
    haft__buf_addf(&buf, "HTTP %u", answer->status);
    for (size_t i = 0; i < COUNT(shown); i++) {
        haft_str value = haft__http_result_header(answer, shown[i]);
        if (value.ptr != NULL) {
            haft__buf_addf(&buf, "\n%s: ", shown[i]);
            haft__buf_add_str(&buf, value);
        }
    }
    result->text = haft__arena_copy(&job->arena, haft__buf_str(&buf));
    haft__buf_finish(&buf);
}

static void report_body(haft__exec_job *job, const haft__http_result *answer, haft_str body,
                        haft__exec_result *result)
{
    haft__exec_blob *blob = NULL;
    if (is_text(answer->content_type, body)) {
        result->ok = true;
        result->text = body;
        return;
    }
    blob = haft__arena_alloc(&job->arena, sizeof(*blob));
    if (blob != NULL) { /* else it is out of memory */
        *blob = (haft__exec_blob){.bytes = body, .media_type = answer->content_type};
        result->ok = true;
        result->blobs = blob;
        result->blob_count = 1;
    }
}

void haft__http_tool_result(haft__exec_job *job, const haft__http_result *answer, haft_str body,
                            haft__exec_result *ret_result)
{
    const haft__json *method = haft__http_tool_definition(job, "method");
    haft__exec_result result = {.started = answer->sent};
    if (answer->end != HAFT__HTTP_OK) {
        report_outcome(answer, &result);
    } else if (answer->status >= 400) {
        report_status(job, answer, body, &result);
    } else if (method != NULL && haft__str_equal(haft__json_text(*method), HAFT__LIT("HEAD"))) {
        result.ok = true;
        report_head(job, answer, &result);
    } else {
        report_body(job, answer, body, &result);
    }
    if (result.text.ptr == NULL && result.text.len == 0 && !result.ok) {
        result.text = HAFT__LIT("out of memory");
    }
    *ret_result = result;
}
