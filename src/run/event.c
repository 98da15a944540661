/* SPDX-License-Identifier: Apache-2.0 */
/* event.c - events as text and as data. Tests: tests/run/event_test.c. */
#include "run/event.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "json/number.h"
#include "json/read.h"
#include "json/write.h"

static const haft_str kinds[] = {
#define X(name, text) {text, sizeof(text) - 1},
    HAFT__EVENT_KINDS(X)
#undef X
};

/* Members of the envelope before the kind. */
#define ENVELOPE 3

const char *haft__event_kind_name(haft__event_kind kind)
{
    return kinds[kind].ptr;
}

static void write_envelope(haft__buf *buf, haft_str number, uint64_t seq, uint64_t at_ms,
                           haft_str run, haft_str body)
{
    char at[HAFT__TIME_SIZE];
    haft__time_format(at_ms, at);
    haft__buf_add_str(buf, number);
    haft__buf_add_int(buf, (int64_t)seq);
    haft__buf_add_str(buf, HAFT__LIT(",\"at\":\""));
    haft__buf_add(buf, at, HAFT__TIME_SIZE - 1);
    haft__buf_add_str(buf, HAFT__LIT("\",\"run\":"));
    haft__json_write_string(buf, run);
    haft__buf_add_char(buf, ',');
    haft__buf_add_str(buf, body);
}

void haft__event_write(haft__buf *buf, uint64_t seq, uint64_t at_ms, haft_str run, haft_str body)
{
    write_envelope(buf, HAFT__LIT("{\"seq\":"), seq, at_ms, run, body);
}

void haft__event_write_progress(haft__buf *buf, uint64_t after, uint64_t at_ms, haft_str run,
                                haft_str body)
{
    write_envelope(buf, HAFT__LIT("{\"after\":"), after, at_ms, run, body);
}

void haft__event_body(haft__buf *buf, const haft__event *event)
{
    for (uint32_t i = ENVELOPE; i < event->object.count; i++) {
        const haft__json_member *member = &event->object.members[i];
        haft__buf_add_str(buf, i > ENVELOPE ? HAFT__LIT(",") : HAFT__LIT(""));
        haft__json_write_string(buf, haft__json_text(member->key));
        haft__buf_add_char(buf, ':');
        haft__json_write(buf, member->value);
    }
    haft__buf_add_char(buf, '}');
}

const haft__json *haft__event_field(const haft__event *event, const char *key)
{
    const haft__json *value = haft__json_get(event->object, haft__str(key));
    return value != NULL && value->kind != HAFT__JSON_NULL ? value : NULL;
}

static haft_status fail_field(const haft__event *event, const char *key, const char *expected,
                              haft_error *err)
{
    char where[64];
    (void)snprintf(where, sizeof(where), "event %llu", (unsigned long long)event->seq);
    return haft__fail(err, HAFT_BAD_INPUT, where, "expected %s in \"%s\" of %s, found none",
                      expected, key, kinds[event->kind].ptr);
}

haft_status haft__event_text(const haft__event *event, const char *key, haft_str *ret_text,
                             haft_error *err)
{
    const haft__json *value = haft__event_field(event, key);
    if (value == NULL || value->kind != HAFT__JSON_STRING) {
        return fail_field(event, key, "a text", err);
    }
    *ret_text = haft__json_text(*value);
    return HAFT_OK;
}

haft_status haft__event_number(const haft__event *event, const char *key, uint64_t *ret_number,
                               haft_error *err)
{
    const haft__json *value = haft__event_field(event, key);
    int64_t number = -1;
    bool good = value != NULL && value->kind == HAFT__JSON_NUMBER
                && haft__number_to_int64(haft__json_text(*value), &number) && number >= 0;
    if (!good) {
        return fail_field(event, key, "a whole number", err);
    }
    *ret_number = (uint64_t)number;
    return HAFT_OK;
}

bool haft__event_flag(const haft__event *event, const char *key)
{
    const haft__json *value = haft__event_field(event, key);
    return value != NULL && value->kind == HAFT__JSON_TRUE;
}

static haft_status read_kind(haft__event *event, haft_error *err)
{
    const haft__json *kind = haft__json_get(event->object, HAFT__LIT("kind"));
    haft_str name = kind != NULL ? haft__json_text(*kind) : (haft_str){NULL, 0};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (haft__str_equal(name, kinds[i])) {
            event->kind = (haft__event_kind)i;
            return HAFT_OK;
        }
    }
    haft_status status = haft__fail(err, HAFT_UNSUPPORTED, "",
                                    "expected a known kind of event, "
                                    "found \"%.*s\"",
                                    HAFT__ARG(name));
    return haft__hint(err, status, "a newer version of haft may have written the log");
}

static haft_status read_envelope(haft__event *event, haft_error *err)
{
    haft_str at = {NULL, 0};
    haft_status status = haft__event_number(event, "seq", &event->seq, err);
    if (status == HAFT_OK) {
        status = haft__event_text(event, "at", &at, err);
    }
    if (status == HAFT_OK) {
        status = haft__event_text(event, "run", &event->run, err);
    }
    if (status == HAFT_OK && !haft__time_parse(at, &event->at_ms)) {
        return haft__fail(err, HAFT_BAD_INPUT, "/at",
                          "expected a time such as "
                          "2026-11-15T03:04:05.678Z, found \"%.*s\"",
                          HAFT__ARG(at));
    }
    return status;
}

haft_status haft__event_read_split(haft__arena *texts, haft__arena *trees, haft_str line,
                                   haft__hash_key hash_key, haft__event *ret_event, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = hash_key;
    options.reject_duplicates = true;
    options.trees = trees;
    haft__event event = {0};
    haft_status status = haft__json_read(texts, line, &options, &event.object, NULL, err);
    if (status == HAFT_OK && event.object.kind != HAFT__JSON_OBJECT) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected an event, a JSON object, found %s",
                          haft__json_kind_name(event.object));
    }
    if (status == HAFT_OK) {
        status = read_kind(&event, err);
    }
    if (status == HAFT_OK) {
        status = read_envelope(&event, err);
    }
    if (status == HAFT_OK) {
        *ret_event = event;
    }
    return status;
}

haft_status haft__event_read(haft__arena *arena, haft_str line, haft__hash_key hash_key,
                             haft__event *ret_event, haft_error *err)
{
    return haft__event_read_split(arena, arena, line, hash_key, ret_event, err);
}
