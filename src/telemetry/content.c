/* SPDX-License-Identifier: Apache-2.0 */
/* content.c - see telemetry/content.h. Tests: tests/telemetry/observe_test.c. */
#include "telemetry/content.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "json/object.h"

#define CUT "... (truncated)"

void haft__content_init(haft__content *content, const haft__redactor *redactor)
{
    content->redactor = redactor;
    haft__arena_init(&content->arena, 0);
}

void haft__content_finish(haft__content *content)
{
    haft__arena_finish(&content->arena);
}

/* Copies a text without its secrets. It is redacted before it is cut: a cut secret would not be
 * found. */
static haft_str keep(haft__content *content, haft_str text)
{
    haft__buf clean;
    haft__buf_init(&clean, HAFT__LIMIT_RUN_BYTES);
    (void)haft__redact(content->redactor, text, &clean);
    if (clean.len > HAFT__LIMIT_TELEMETRY_CONTENT_BYTES) {
        clean.len = haft__utf8_floor(haft__buf_str(&clean), HAFT__LIMIT_TELEMETRY_CONTENT_BYTES);
        haft__buf_add_str(&clean, HAFT__LIT(CUT));
    }
    haft_str kept = clean.status == HAFT_OK
                        ? haft__arena_copy(&content->arena, haft__buf_str(&clean))
                        : HAFT__LIT("");
    haft__buf_finish(&clean);
    return kept.ptr != NULL ? kept : HAFT__LIT("");
}

haft_str haft__content_text(haft__content *content, haft_str text)
{
    return content->redactor != NULL && text.len > 0 ? keep(content, text) : HAFT__LIT("");
}

haft_str haft__content_json(haft__content *content, haft__json value)
{
    haft__buf text;
    if (content->redactor == NULL || value.kind == HAFT__JSON_NULL) {
        return HAFT__LIT("");
    }
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&text, value);
    haft_str kept = text.status == HAFT_OK ? keep(content, haft__buf_str(&text)) : HAFT__LIT("");
    haft__buf_finish(&text);
    return kept;
}

static void add_calls(haft__json_writer *w, haft__content *content, const haft__event *reply)
{
    haft__json calls = haft__object_array(reply->object, "calls");
    for (uint32_t i = 0; i < calls.count; i++) {
        haft__json call = calls.items[i];
        haft__json_begin_object(w);
        haft__field_string(w, "type", "tool_call");
        haft__field_text(w, "id", haft__object_text(call, "model_call"));
        haft__field_text(w, "name", haft__object_text(call, "name"));
        haft__field_text(w, "arguments",
                         haft__content_text(content, haft__object_string(call, "arguments")));
        haft__json_end_object(w);
    }
}

haft_str haft__content_message(haft__content *content, const char *role, haft_str text,
                               const haft__event *reply)
{
    haft__buf buf;
    haft__json_writer w;
    if (content->redactor == NULL) {
        return HAFT__LIT("");
    }
    haft__buf_init(&buf, HAFT__LIMIT_RUN_BYTES);
    haft__json_writer_init(&w, &buf);
    haft__json_begin_array(&w);
    haft__json_begin_object(&w);
    haft__field_string(&w, "role", role);
    haft__json_key(&w, "parts");
    haft__json_begin_array(&w);
    if (text.len > 0) {
        haft__json_begin_object(&w);
        haft__field_string(&w, "type", "text");
        haft__field_text(&w, "content", haft__content_text(content, text));
        haft__json_end_object(&w);
    }
    if (reply != NULL) {
        add_calls(&w, content, reply);
    }
    haft__json_end_array(&w);
    haft__json_end_object(&w);
    haft__json_end_array(&w);
    haft_str kept = buf.status == HAFT_OK ? haft__arena_copy(&content->arena, haft__buf_str(&buf))
                                          : HAFT__LIT("");
    haft__buf_finish(&buf);
    return kept.ptr != NULL ? kept : HAFT__LIT("");
}
