/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sse.c - a state machine over bytes: the start of the stream, a field's name, its value, line
 * ends.
 *
 * CR, LF and CRLF all end a line. A line ends at the CR, and an LF after it is dropped, so that the
 * parser never waits for a byte that might not arrive. Tests: tests/model/sse_test.c.
 * Fuzzer: fuzz/openai_stream.c.
 */
#include "model/sse.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"

void haft__sse_init(haft__sse *sse)
{
    *sse = (haft__sse){.field = HAFT__SSE_OTHER};
    haft__buf_init(&sse->data, HAFT__LIMIT_MODEL_EVENT_BYTES);
    haft__buf_init(&sse->name, HAFT__LIMIT_MODEL_EVENT_BYTES);
}

void haft__sse_finish(haft__sse *sse)
{
    haft__buf_finish(&sse->data);
    haft__buf_finish(&sse->name);
}

static void clear_event(haft__sse *sse)
{
    haft__buf_clear(&sse->data);
    haft__buf_clear(&sse->name);
    sse->has_data = false;
    sse->given = false;
}

/* A colon or the end of the line ends the field's name. */
static void end_key(haft__sse *sse)
{
    haft_str key = {sse->key, sse->key_length};
    sse->field = HAFT__SSE_OTHER;
    if (sse->key_length > sizeof(sse->key)) {
        return;
    }
    if (haft__str_equal(key, HAFT__LIT("data"))) {
        sse->field = HAFT__SSE_DATA;
        haft__buf_add_str(&sse->data, sse->has_data ? HAFT__LIT("\n") : HAFT__LIT(""));
        sse->has_data = true;
    } else if (haft__str_equal(key, HAFT__LIT("event"))) {
        sse->field = HAFT__SSE_NAME;
        sse->name.len = 0; /* the last one counts */
    } else if (haft__str_equal(key, HAFT__LIT("id"))) {
        sse->field = HAFT__SSE_ID;
        sse->next_id_length = 0;
    } else if (haft__str_equal(key, HAFT__LIT("retry"))) {
        sse->field = HAFT__SSE_RETRY;
        sse->next_retry = 0;
        sse->has_digits = false;
    }
}

/* Ends the line of an `id` or `retry`. */
static void end_mark(haft__sse *sse)
{
    bool fits = sse->next_id_length <= sizeof(sse->id);
    if (sse->field == HAFT__SSE_ID && fits) {
        memcpy(sse->id, sse->next_id, sse->next_id_length);
        sse->id_length = sse->next_id_length;
        sse->has_id = sse->id_length > 0;
    } else if (sse->field == HAFT__SSE_RETRY && sse->has_digits && sse->next_retry != UINT64_MAX) {
        sse->retry_ms = sse->next_retry;
        sse->has_retry = true;
    }
}

/* An id with a NUL is ignored; a retry must be digits only. */
static void add_mark(haft__sse *sse, haft_str bytes)
{
    for (size_t i = 0; i < bytes.len && sse->field == HAFT__SSE_ID; i++) {
        bool fits = sse->next_id_length < sizeof(sse->next_id) && bytes.ptr[i] != '\0';
        if (fits) {
            sse->next_id[sse->next_id_length++] = bytes.ptr[i];
        } else {
            sse->next_id_length = sizeof(sse->next_id) + 1;
        }
    }
    for (size_t i = 0; i < bytes.len && sse->field == HAFT__SSE_RETRY; i++) {
        unsigned digit = (unsigned)(unsigned char)bytes.ptr[i] - '0';
        bool fits = digit < 10 && sse->next_retry < UINT32_MAX;
        sse->next_retry = fits ? sse->next_retry * 10 + digit : UINT64_MAX;
        sse->has_digits = true;
    }
}

/* True if the line was empty and an event is complete. */
static bool end_line(haft__sse *sse)
{
    bool empty = !sse->in_value && sse->key_length == 0;
    if (!sse->in_value && !empty) {
        end_key(sse); /* a field without a colon has an empty value */
    }
    end_mark(sse);
    sse->in_value = sse->at_space = false;
    sse->key_length = 0;
    sse->field = HAFT__SSE_OTHER;
    if (empty && !sse->has_data) {
        clear_event(sse);
    }
    return empty && sse->has_data;
}

static void add_key(haft__sse *sse, char c)
{
    if (c == ':') {
        end_key(sse);
        sse->in_value = sse->at_space = true;
    } else if (sse->key_length < sizeof(sse->key)) {
        sse->key[sse->key_length++] = c;
    } else {
        sse->key_length = sizeof(sse->key) + 1;
    }
}

/* Reads bytes of a value up to the end of the line or of the piece; returns how many. */
static size_t take_value(haft__sse *sse, haft_str bytes)
{
    size_t length = 0;
    while (length < bytes.len && bytes.ptr[length] != '\n' && bytes.ptr[length] != '\r') {
        length++;
    }
    size_t skipped = sse->at_space && length > 0 && bytes.ptr[0] == ' ' ? 1 : 0;
    sse->at_space = false;
    haft__buf *to = sse->field == HAFT__SSE_DATA ? &sse->data : &sse->name;
    if ((sse->field == HAFT__SSE_DATA || sse->field == HAFT__SSE_NAME) && length > skipped) {
        haft__buf_add(to, bytes.ptr + skipped, length - skipped);
    } else {
        add_mark(sse, (haft_str){bytes.ptr + skipped, length - skipped});
    }
    return length;
}

/* Drops a byte order mark. A partial mark becomes part of an unknown field name. */
static bool take_mark(haft__sse *sse, char c)
{
    static const char mark[] = {'\xEF', '\xBB', '\xBF'};
    if (c == mark[sse->bom]) {
        sse->bom++;
        sse->started = sse->bom == sizeof(mark);
        return true;
    }
    sse->started = true;
    sse->key_length = sse->bom > 0 ? sizeof(sse->key) + 1 : 0;
    return false;
}

/* Consumes at least one byte; true if an event is complete. */
static bool step(haft__sse *sse, haft_str *io_bytes)
{
    char c = io_bytes->ptr[0];
    size_t used = 1;
    bool complete = false;
    bool second = sse->after_cr && c == '\n';
    sse->after_cr = false;
    if (second || (!sse->started && take_mark(sse, c))) {
        /* the value is ignored */
    } else if (c == '\n' || c == '\r') {
        complete = end_line(sse);
        sse->after_cr = c == '\r';
    } else if (sse->in_value) {
        used = take_value(sse, *io_bytes);
    } else {
        add_key(sse, c);
    }
    *io_bytes = haft__str_skip(*io_bytes, used);
    return complete;
}

static bool is_failed(const haft__sse *sse)
{
    return sse->data.status != HAFT_OK || sse->name.status != HAFT_OK;
}

static void give(haft__sse *sse, haft__sse_event *ret_event)
{
    sse->given = true;
    *ret_event = (haft__sse_event){haft__buf_str(&sse->name), haft__buf_str(&sse->data)};
}

bool haft__sse_next(haft__sse *sse, haft_str *io_bytes, haft__sse_event *ret_event)
{
    if (sse->given) {
        clear_event(sse);
    }
    while (io_bytes->len > 0 && !is_failed(sse)) {
        if (step(sse, io_bytes) && !is_failed(sse)) {
            give(sse, ret_event);
            return true;
        }
    }
    return false;
}

haft_status haft__sse_check(const haft__sse *sse, haft_error *err)
{
    haft_status status = sse->data.status != HAFT_OK ? sse->data.status : sse->name.status;
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(err);
    }
    if (status == HAFT_TOO_BIG) {
        return haft__fail(err, status, "", "expected at most %d bytes in an event, found more",
                          HAFT__LIMIT_MODEL_EVENT_BYTES);
    }
    return HAFT_OK;
}

bool haft__sse_end(haft__sse *sse, haft__sse_event *ret_event)
{
    if (sse->given) {
        clear_event(sse);
    }
    if (is_failed(sse)) {
        return false;
    }
    (void)end_line(sse);
    if (!sse->has_data || is_failed(sse)) {
        return false;
    }
    give(sse, ret_event);
    return true;
}
