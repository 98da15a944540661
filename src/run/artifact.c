/* SPDX-License-Identifier: Apache-2.0 */
/* artifact.c - see artifact.h. Tests: tests/run/artifact_test.c. */
#include "run/artifact.h"

#include "base/ascii.h"
#include "base/base64.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/sha256.h"
#include "base/str.h"
#include "run/binary.h"
#include "run/event_body.h"
#include "json/object.h"

haft_str haft__artifact_content(const haft__run *run, const haft__artifact *artifact)
{
    if (artifact->content.ptr != NULL) {
        return artifact->content;
    }
    const haft__run_call *call = haft__run_find_call(run, artifact->call);
    return call != NULL ? haft__object_text(call->arguments, "content") : HAFT__LIT("");
}

bool haft__artifact_any_stored(const haft__run *run)
{
    size_t i = 0;
    while (i < run->artifact_count && run->artifacts[i]->content.ptr != NULL) {
        i++;
    }
    return i < run->artifact_count;
}

static bool is_name_used(const haft__run *run, haft_str name)
{
    for (size_t i = 0; i < run->artifact_count; i++) {
        if (haft__str_equal(run->artifacts[i]->name, name)) {
            return true;
        }
    }
    return false;
}

haft_str haft__artifact_choose_name(const haft__run *run, haft_str tool, haft_str media_type,
                                    haft__arena *arena)
{
    char stem[HAFT__LIMIT_TOOL_NAME_BYTES + 1];
    size_t length = tool.len < sizeof(stem) - 1 ? tool.len : sizeof(stem) - 1;
    for (size_t i = 0; i < length; i++) {
        char c = tool.ptr[i];
        bool plain = haft__ascii_is_alphanumeric(c) || c == '_' || c == '-';
        stem[i] = plain ? c : '-';
    }
    stem[length] = '\0';
    haft_str name = {NULL, 0};
    size_t number = 0;
    do { /* ends: the number of artifacts is limited */
        name = haft__arena_format(arena, "%s-%zu.%s", stem, ++number,
                                  haft__binary_extension(media_type));
    } while (name.ptr != NULL && is_name_used(run, name));
    return name;
}

/* 12345678 as "12,345,678". */
static void add_grouped(haft__buf *buf, size_t number)
{
    char digits[32];
    int length = snprintf(digits, sizeof(digits), "%zu", number);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            haft__buf_add_char(buf, ',');
        }
        haft__buf_add_char(buf, digits[i]);
    }
}

void haft__artifact_describe(haft__buf *buf, haft__artifact_fate fate, size_t bytes,
                             haft_str media_type, haft_str name)
{
    add_grouped(buf, bytes);
    haft__buf_addf(buf, " byte%s of %.*s, ", bytes == 1 ? "" : "s", HAFT__ARG(media_type));
    switch (fate) {
    case HAFT__ARTIFACT_STORED:
        haft__buf_addf(buf, "stored as the artifact %.*s", HAFT__ARG(name));
        return;
    case HAFT__ARTIFACT_TOO_BIG:
        haft__buf_addf(buf, "not stored: the limit for a binary result is ");
        add_grouped(buf, HAFT__LIMIT_ARTIFACT_BINARY_BYTES);
        haft__buf_addf(buf, " bytes");
        return;
    case HAFT__ARTIFACT_SECRET:
        haft__buf_addf(buf, "not stored: %s a secret", bytes == 1 ? "it contains" : "they contain");
        return;
    }
    HAFT__UNREACHABLE();
}

bool haft__artifact_is_result(const haft__event *event)
{
    return haft__event_field(event, "content") != NULL;
}

static void write_content(haft__json_writer *w, haft_str content)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__base64_add(&text, content);
    haft__field_text(w, "encoding", HAFT__LIT("base64"));
    haft__field_text(w, "content", haft__buf_str(&text));
    if (text.status != HAFT_OK) {
        haft__buf_fail(w->buf, text.status, NULL);
    }
    haft__buf_finish(&text);
}

void haft__input_artifact_stored(haft__buf *buf, haft_str call, haft_str name, haft_str media_type,
                                 haft_str content)
{
    char digest[HAFT__SHA256_HEX];
    haft__sha256_hex(content, digest);
    haft__json_writer w;
    haft__event_body_begin(&w, buf, HAFT__EVENT_ARTIFACT_STORED);
    haft__field_text(&w, "call", call);
    haft__field_text(&w, "name", name);
    haft__field_text(&w, "media_type", media_type);
    haft__field_number(&w, "bytes", content.len);
    haft__field_text(&w, "sha256", (haft_str){digest, sizeof(digest)});
    write_content(&w, content);
    haft__event_body_end(&w, buf);
}
