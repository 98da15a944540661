/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/sandbox/frame.c. */
#include "exec/sandbox/frame.h"

#include "base/limits.h"
#include "base/str.h"
#include "test.h"

/* Feeds the bytes in pieces and writes the frames as "kind:payload;", or the error. */
static void read_in_pieces(haft_str bytes, bool lettered, size_t max, size_t piece, haft__buf *ret)
{
    haft__frame_reader reader;
    haft__frame frame;
    haft_error err = {0};
    haft_status status = HAFT_OK;
    haft__frame_reader_init(&reader, lettered, max);
    for (size_t at = 0; at < bytes.len && status == HAFT_OK; at += piece) {
        size_t length = bytes.len - at < piece ? bytes.len - at : piece;
        bool found = true;
        status = haft__frame_reader_feed(&reader, (haft_str){bytes.ptr + at, length}, &err);
        while (status == HAFT_OK && found) {
            status = haft__frame_reader_next(&reader, &frame, &found, &err);
            if (status == HAFT_OK && found) {
                haft__buf_addf(ret, "%c:%.*s;", frame.kind != '\0' ? frame.kind : '-',
                               HAFT__ARG(frame.payload));
            }
        }
    }
    if (status != HAFT_OK) {
        haft__buf_addf(ret, "%s", err.message);
    }
    haft__frame_reader_finish(&reader);
}

#define BYTES(text) ((haft_str){text, sizeof(text) - 1})

static const struct {
    const char *name;
    haft_str bytes;
    bool lettered;
    const char *want;
} cases[] = {
    {"one frame", BYTES("o\0\0\0\2hi"), true, "o:hi;"},
    {"two frames", BYTES("o\0\0\0\1ae\0\0\0\1b"), true, "o:a;e:b;"},
    {"an empty frame", BYTES("r\0\0\0\0x\0\0\0\1y"), true, "r:;x:y;"},
    {"a part of a frame", BYTES("o\0\0\0\5hi"), true, ""},
    {"a message", BYTES("\0\0\0\2{}"), false, "-:{};"},
    {"a message of the limit", BYTES("\0\0\0\10 1234567"), false, "-: 1234567;"},
    {"a message above the limit", BYTES("\0\0\0\11x"), false,
     "a message of 9 bytes; the limit is 8"},
    {"the longest length", BYTES("\377\377\377\377"), false,
     "a message of 4294967295 bytes; the limit is 8"},
};

TEST(frames_do_not_depend_on_how_bytes_arrive)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t piece = 1; piece <= cases[i].bytes.len; piece++) {
            haft__buf found;
            haft__buf_init(&found, 1000);
            read_in_pieces(cases[i].bytes, cases[i].lettered, 8, piece, &found);
            CHECK_STR(haft__buf_str(&found), haft__str(cases[i].want), "%s, %zu at a time",
                      cases[i].name, piece);
            haft__buf_finish(&found);
        }
    }
}

TEST(a_written_frame_is_read_again)
{
    haft__buf text, found;
    haft__buf_init(&text, 1000);
    haft__buf_init(&found, 1000);
    haft__frame_write(&text, 'm', HAFT__LIT("payload"));
    haft__frame_write(&text, 'm', HAFT__LIT(""));
    read_in_pieces(haft__buf_str(&text), true, 100, 3, &found);
    CHECK_STR(haft__buf_str(&found), HAFT__LIT("m:payload;m:;"), "written");
    haft__buf_finish(&text);
    haft__buf_finish(&found);
}

TEST(a_reader_without_memory_reports_it)
{
    for (unsigned n = 0;; n++) {
        haft__frame_reader reader;
        haft__frame_reader_init(&reader, false, HAFT__LIMIT_SANDBOX_MESSAGE_BYTES);
        test_fail_allocation(n);
        haft_status status = haft__frame_reader_feed(&reader, HAFT__LIT("abc"), NULL);
        bool failed = test_allow_allocations();
        haft__frame_reader_finish(&reader);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            break;
        }
    }
}
