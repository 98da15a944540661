/* SPDX-License-Identifier: Apache-2.0 */
/*
 * withhold_match.c - compares decisions with events of a process that redacted secrets. Tests:
 * tests/run/redact/withhold_test.c.
 */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "run/redact/withhold.h"
#include "run/redact/withhold_int.h"
#include "json/object.h"

/* The offset of the part in the text, starting at `from`; past the end if it is not found. */
static size_t find_part(haft_str text, haft_str part, size_t from)
{
    while (part.len > 0 && from + part.len <= text.len
           && memcmp(text.ptr + from, part.ptr, part.len) != 0) {
        const char *next = memchr(text.ptr + from + 1, part.ptr[0], text.len - from - 1);
        from = next != NULL ? (size_t)(next - text.ptr) : text.len;
    }
    return from + part.len <= text.len ? from : text.len + 1;
}

/* Whether `recorded` is the text with redacted parts. If the redacted value was not a string, the
 * mark and the quotes around it replace the value. */
static bool matches_masked(haft_str recorded, haft_str text)
{
    static const haft_str mark = HAFT__LIT(HAFT__REDACTED);
    bool quoted = false;
    for (size_t marks = 0;; marks++) {
        size_t length = find_part(recorded, mark, 0);
        bool last = length > recorded.len;
        haft_str part = {recorded.ptr, last ? recorded.len : length};
        recorded = haft__str_skip(recorded, last ? recorded.len : length + mark.len);
        part = haft__str_skip(part, quoted ? 1 : 0);
        quoted = !last && haft__str_ends_with(part, HAFT__LIT("\""))
                 && haft__str_starts_with(recorded, HAFT__LIT("\""));
        part.len -= quoted ? 1 : 0;
        if (last) {
            return marks > 0 && text.len > part.len && haft__str_ends_with(text, part);
        }
        size_t at = marks > 0                           ? find_part(text, part, 1)
                    : haft__str_starts_with(text, part) ? 0
                                                        : text.len + 1;
        if (at > text.len) {
            return false;
        }
        text = haft__str_skip(text, at + part.len);
    }
}

/* Whether the call ended because of a secret instead of a start or a pause. */
static bool is_end(const haft__event *event, haft__json decided)
{
    const haft__json *error = haft__event_field(event, "error");
    haft_str reason = event->kind == HAFT__EVENT_CALL_REFUSED
                          ? haft__object_text(event->object, "why")
                      : event->kind == HAFT__EVENT_CALL_FINISHED && error != NULL
                          ? haft__object_text(*error, "where")
                          : HAFT__LIT("");
    return haft__str_equal(reason, HAFT__LIT(HAFT__WITHHOLD_REASON))
           && haft__str_equal(haft__object_text(event->object, "call"),
                              haft__object_text(decided, "call"));
}

/* Whether the event and the decision have the same call and the same arguments. The event may omit
 * arguments that the log already has. */
static haft_status is_same_call(haft__withholding *w, const haft__event *event, haft_str recorded,
                                bool *ret_same)
{
    const haft__run_call *call = haft__withhold_find_call(w->run, w->original);
    const haft__json *decided = haft__json_get(w->original, HAFT__LIT("arguments"));
    const haft__json *kept = haft__event_field(event, "arguments");
    bool fits = call != NULL && decided != NULL;
    haft_status status = HAFT_OK;
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    if (fits && kept == NULL) {
        status = haft__withhold_is_logged(call, decided, &fits, w->err);
        if (status == HAFT_OK) {
            status = haft__event_body_with(&w->arena, w->original, HAFT__LIT("arguments"),
                                           haft__json_null(), &w->original, w->err);
        }
    } else if (fits && haft__withhold_needs_exact(call)) {
        status = haft__json_equal(*kept, *decided, &fits, w->err);
    }
    if (status == HAFT_OK) {
        haft__event_body_write(&text, w->original);
        status = haft__buf_check(&text, w->err);
    }
    haft_str without = haft__buf_str(&text);
    *ret_same = fits && (haft__str_equal(recorded, without) || matches_masked(recorded, without));
    haft__buf_finish(&text);
    return status;
}

haft_status haft__withhold_matches(const haft__run *run, const haft__event *event,
                                   haft_str recorded, haft_str decided, bool *ret_matches,
                                   haft_error *err)
{
    haft__withholding w = {.run = run, .err = err};
    haft_str text = {NULL, 0};
    *ret_matches = false;
    if (!haft__event_body_is_call(decided)) {
        *ret_matches = matches_masked(recorded, decided);
        return HAFT_OK;
    }
    haft__arena_init(&w.arena, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__event_body_open(&w.arena, decided, &text, err);
    if (status == HAFT_OK) {
        status = haft__event_body_read(&w.arena, text, run->hash_key, &w.original, err);
    }
    if (status == HAFT_OK && haft__event_body_is_call(recorded)) {
        status = is_same_call(&w, event, recorded, ret_matches);
    } else if (status == HAFT_OK) {
        *ret_matches = is_end(event, w.original);
    }
    haft__arena_finish(&w.arena);
    return status;
}
