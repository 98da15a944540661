/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/sse.c: the standard's rules, and the same events at every cut. */
#include "model/sse.h"

#include "base/limits.h"
#include "test.h"

static void add_event(haft__buf *buf, const haft__sse_event *event)
{
    haft__buf_addf(buf, "<%.*s|%.*s>", HAFT__ARG(event->name), HAFT__ARG(event->data));
}

/* Appends the events, `size` bytes at a time, and "+" with the event that the end completes. */
static haft_status parse(haft_str text, size_t size, haft__buf *buf)
{
    haft__sse sse;
    haft__sse_event event;
    haft__sse_init(&sse);
    haft_status status = HAFT_OK;
    for (size_t at = 0; at < text.len && status == HAFT_OK; at += size) {
        size_t left = text.len - at;
        haft_str piece = {text.ptr + at, left < size ? left : size};
        while (haft__sse_next(&sse, &piece, &event)) {
            add_event(buf, &event);
        }
        status = haft__sse_check(&sse, NULL);
        CHECK(status != HAFT_OK || piece.len == 0, "%zu bytes were not used", piece.len);
    }
    if (status == HAFT_OK && haft__sse_end(&sse, &event)) {
        haft__buf_add_char(buf, '+');
        add_event(buf, &event);
    }
    if (status == HAFT_OK) {
        status = haft__sse_check(&sse, NULL);
    }
    haft__sse_finish(&sse);
    return status;
}

static const struct {
    const char *text, *events;
} cases[] = {
    {"", ""},
    {"data: a\n\n", "<|a>"},
    {"data:a\n\n", "<|a>"},
    {"data:  a\n\n", "<| a>"},
    {"data: a\r\n\r\n", "<|a>"},
    {"data: a\r\r", "<|a>"},
    {"data: a\r\n\n", "<|a>"},
    {"data: a\n\r\n", "<|a>"},
    {"data: a\n\ndata: b\n\n", "<|a><|b>"},
    {"data: a\ndata: b\n\n", "<|a\nb>"},
    {"data\n\n", "<|>"},
    {"data:\n\n", "<|>"},
    {"data: \n\n", "<|>"},
    {"data\ndata\n\n", "<|\n>"},
    {"data:\ndata: x\n\n", "<|\nx>"},
    {"event: e\ndata: a\n\n", "<e|a>"},
    {"event: e\nevent: f\ndata: a\n\n", "<f|a>"},
    {"event: e\nevent\ndata: a\n\n", "<|a>"},
    {"event: e\n\ndata: a\n\n", "<|a>"},
    {"event: e\ndata: a\n\ndata: b\n\n", "<e|a><|b>"},
    {": comment\n\n", ""},
    {":\n:x\ndata: a\n: more\n\n", "<|a>"},
    {"id: 7\nretry: 10\ndata: a\n\n", "<|a>"},
    {"dat: a\ndatas: a\nDATA: a\n data: a\n\n", ""},
    {"a_long_field: a\ndata: b\n\n", "<|b>"},
    {"data: a: b\n\n", "<|a: b>"},
    {"\xEF\xBB\xBF"
     "data: a\n\n",
     "<|a>"},
    {"\xEF\xBB\xBF\xEF\xBB\xBF"
     "data: a\n\n",
     ""},
    {"\xEF\xBB"
     "data: a\ndata: b\n\n",
     "<|b>"},
    {"\xEF\n\ndata: b\n\n", "<|b>"},
    {"\n\n\ndata: a\n\n\n\n", "<|a>"},
    {"data: \xC3\xA4\n\n", "<|\xC3\xA4>"},
    /* an event that the end completes */
    {"data: a\n", "+<|a>"},
    {"data: a", "+<|a>"},
    {"data: a\r", "+<|a>"},
    {"data", "+<|>"},
    {"data: a\nevent: e", "+<e|a>"},
    {"data: a\n\nevent: e\n", "<|a>"},
    {"data: a\n\nda", "<|a>"},
    {"data: a\n\n:", "<|a>"},
};

TEST(events_are_read_at_every_cut)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str text = haft__str(cases[i].text);
        for (size_t size = 1; size <= text.len + 1; size++) {
            haft__buf found;
            haft__buf_init(&found, 1 << 16);
            CHECK_INT(parse(text, size, &found), HAFT_OK, "%s", cases[i].text);
            CHECK_STR(haft__buf_str(&found), haft__str(cases[i].events), "%s, %zu bytes at a time",
                      cases[i].text, size);
            haft__buf_finish(&found);
        }
    }
}

/* ---- compared with a reference parser that reads line by line ---- */

typedef struct reference {
    haft__buf *out;
    char data[256], name[256];
    size_t data_length, name_length;
    bool has_data;
} reference;

static void take_line(reference *r, haft_str line)
{
    if (line.len == 0) {
        if (r->has_data) {
            haft__sse_event event = {{r->name, r->name_length}, {r->data, r->data_length}};
            add_event(r->out, &event);
        }
        r->data_length = r->name_length = 0;
        r->has_data = false;
        return;
    }
    haft_str value = line, key = haft__str_split(&value, ':');
    value = haft__str_starts_with(value, HAFT__LIT(" ")) ? haft__str_skip(value, 1) : value;
    if (haft__str_equal(key, HAFT__LIT("data"))) {
        if (r->has_data) {
            r->data[r->data_length++] = '\n';
        }
        memcpy(r->data + r->data_length, value.len > 0 ? value.ptr : "", value.len);
        r->data_length += value.len;
        r->has_data = true;
    } else if (haft__str_equal(key, HAFT__LIT("event"))) {
        memcpy(r->name, value.len > 0 ? value.ptr : "", value.len);
        r->name_length = value.len;
    }
}

static void parse_by_lines(haft_str text, haft__buf *out)
{
    reference r = {.out = out};
    size_t start = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '\n' || c == '\r') {
            take_line(&r, (haft_str){text.ptr + start, i - start});
            i += c == '\r' && i + 1 < text.len && text.ptr[i + 1] == '\n' ? 1 : 0;
            start = i + 1;
        }
    }
    if (start < text.len) {
        take_line(&r, (haft_str){text.ptr + start, text.len - start});
    }
    if (r.has_data) {
        haft__sse_event event = {{r.name, r.name_length}, {r.data, r.data_length}};
        haft__buf_add_char(out, '+');
        add_event(out, &event);
    }
}

/* Every sequence of up to six of these pieces. */
TEST(every_short_stream_is_read_as_the_standard_says)
{
    static const char *const pieces[] = {"data", "event", ":", " ", "x", "\n", "\r"};
    unsigned streams = 0;
    for (unsigned count = 0, rows = 1; count <= 6; count++, rows *= COUNT(pieces)) {
        for (unsigned code = 0; code < rows; code++, streams++) {
            char text[64];
            size_t length = 0;
            for (unsigned i = 0, rest = code; i < count; i++, rest /= COUNT(pieces)) {
                const char *piece = pieces[rest % COUNT(pieces)];
                memcpy(text + length, piece, strlen(piece));
                length += strlen(piece);
            }
            haft_str stream = {text, length};
            char kept[3][256]; /* of the reference parser, of whole streams, and byte by byte */
            haft__buf found[3];
            for (size_t i = 0; i < COUNT(found); i++) {
                found[i] = (haft__buf){.ptr = kept[i], .cap = 256, .max = 256};
            }
            parse_by_lines(stream, &found[0]);
            CHECK_INT(parse(stream, 64, &found[1]), HAFT_OK, "%.*s", HAFT__ARG(stream));
            CHECK_INT(parse(stream, 1, &found[2]), HAFT_OK, "%.*s", HAFT__ARG(stream));
            CHECK_STR(haft__buf_str(&found[1]), haft__buf_str(&found[0]), "%.*s",
                      HAFT__ARG(stream));
            CHECK_STR(haft__buf_str(&found[2]), haft__buf_str(&found[0]), "%.*s",
                      HAFT__ARG(stream));
        }
    }
    CHECK_INT(streams, 137257, "number of streams");
}

/* ---- limits ---- */

static haft_status parse_long(const char *field, size_t length, haft_error *err)
{
    char *text = test_alloc(length + 16);
    int head = snprintf(text, 16, "%s:", field);
    memset(text + head, 'x', length);
    haft_str bytes = {text, (size_t)head + length};
    haft__sse sse;
    haft__sse_event event;
    haft__sse_init(&sse);
    CHECK(!haft__sse_next(&sse, &bytes, &event), "the event is not complete");
    haft_status status = haft__sse_check(&sse, err);
    haft_str end = HAFT__LIT("\n\n");
    CHECK_INT(haft__sse_next(&sse, &end, &event), status == HAFT_OK && field[0] == 'd',
              "an event after the empty line");
    CHECK(status == HAFT_OK || !haft__sse_end(&sse, &event), "a failure stays");
    CHECK_INT(haft__sse_check(&sse, NULL), status, "a failure stays");
    haft__sse_finish(&sse);
    return status;
}

TEST(an_event_is_bounded)
{
    haft_error err = {0};
    CHECK_INT(parse_long("data", HAFT__LIMIT_MODEL_EVENT_BYTES, &err), HAFT_OK, "at the limit");
    CHECK_INT(parse_long("data", HAFT__LIMIT_MODEL_EVENT_BYTES + 1, &err), HAFT_TOO_BIG,
              "past the limit");
    CHECK_STR(haft__str(err.message),
              HAFT__LIT("expected at most 8388608 bytes in an event, found more"), "error message");
    CHECK_INT(parse_long("event", HAFT__LIMIT_MODEL_EVENT_BYTES, &err), HAFT_OK,
              "a name at the limit");
    CHECK_INT(parse_long("event", HAFT__LIMIT_MODEL_EVENT_BYTES + 1, &err), HAFT_TOO_BIG,
              "a name past the limit");
    CHECK_INT(parse_long("", HAFT__LIMIT_MODEL_EVENT_BYTES + 1, &err), HAFT_OK,
              "a comment has no limit");
}

TEST(a_dropped_field_takes_no_memory)
{
    size_t before = test_allocation_count();
    haft__sse sse;
    haft__sse_event event;
    haft__sse_init(&sse);
    for (int i = 0; i < 1000; i++) {
        haft_str bytes = HAFT__LIT(": keep-alive\n\nid: 1\nretry: 5\nfoo\n\n");
        CHECK(!haft__sse_next(&sse, &bytes, &event), "no event");
    }
    haft__sse_finish(&sse);
    CHECK_INT(test_allocation_count(), before, "allocations");
}

TEST(reading_survives_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (unsigned n = 0;; n++) {
            char kept[256]; /* a fixed buffer, so that only the code under test allocates */
            haft__buf found = {.ptr = kept, .cap = sizeof(kept), .max = sizeof(kept)};
            test_fail_allocation(n);
            haft_status status = parse(haft__str(cases[i].text), 3, &found);
            bool failed = test_allow_allocations();
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "%s, allocation %u", cases[i].text,
                      n);
            if (!failed) {
                break;
            }
        }
    }
}

TEST(ids_and_the_time_to_wait_are_kept)
{
    static const struct {
        const char *text, *id;
        bool has_id, has_retry;
        uint64_t retry;
    } marks[] = {
        {"id: 7\ndata:\n\n", "7", true, false, 0},
        {"id: 7\nretry: 500\n\n", "7", true, true, 500},
        {"retry: 5x\nretry\nretry:\nretry: 99999999999999999999\n", "", false, false, 0},
        {"retry: 5\nretry: 5x\n", "", false, true, 5},
        {"id: a\nid: b\r\n", "b", true, false, 0},
        {"id: a\nid\n", "", false, false, 0},
        {"id: a\nid: half", "a", true, false, 0},
    };
    for (size_t i = 0; i < COUNT(marks); i++) {
        for (size_t step = 1; step < 9; step++) {
            haft__sse sse;
            haft__sse_event event;
            haft__sse_init(&sse);
            for (haft_str rest = haft__str(marks[i].text); rest.len > 0;
                 rest = haft__str_skip(rest, step)) {
                haft_str piece = {rest.ptr, rest.len < step ? rest.len : step};
                while (haft__sse_next(&sse, &piece, &event)) {
                }
            }
            CHECK_STR(((haft_str){sse.id, sse.id_length}), haft__str(marks[i].id), "case %zu", i);
            CHECK_INT(sse.has_id, marks[i].has_id, "case %zu", i);
            CHECK_INT(sse.has_retry, marks[i].has_retry, "case %zu", i);
            CHECK_INT(sse.retry_ms, marks[i].retry, "case %zu", i);
            haft__sse_finish(&sse);
        }
    }
}

TEST(an_id_that_is_too_long_is_ignored)
{
    char text[2 * HAFT__SSE_ID_BYTES];
    for (size_t length = HAFT__SSE_ID_BYTES; length <= HAFT__SSE_ID_BYTES + 1; length++) {
        haft__sse sse;
        haft__sse_event event;
        haft__sse_init(&sse);
        int count = snprintf(text, sizeof(text), "id:%0*d\n", (int)length, 1);
        haft_str bytes = {text, (size_t)count};
        CHECK(!haft__sse_next(&sse, &bytes, &event), "a line with an id is no event");
        CHECK_INT(sse.has_id, length == HAFT__SSE_ID_BYTES, "%zu", length);
        bytes = (haft_str){"id:a\0b\n", 7};
        CHECK(!haft__sse_next(&sse, &bytes, &event), "a line with an id is no event");
        CHECK_INT(sse.has_id, length == HAFT__SSE_ID_BYTES,
                  "an id with a NUL byte changes nothing");
        haft__sse_finish(&sse);
    }
}
