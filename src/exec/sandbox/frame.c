/* SPDX-License-Identifier: Apache-2.0 */
/* frame.c - see frame.h. Tests: tests/exec/sandbox/frame_test.c. */
#include "exec/sandbox/frame.h"

#include "base/error.h"
#include "base/str.h"

#define LENGTH_BYTES 4

static size_t head_bytes(const haft__frame_reader *reader)
{
    return LENGTH_BYTES + reader->lettered;
}

void haft__frame_reader_init(haft__frame_reader *reader, bool lettered, size_t max_payload)
{
    *reader = (haft__frame_reader){.lettered = lettered};
    haft__buf_init(&reader->bytes, max_payload + LENGTH_BYTES + lettered);
}

void haft__frame_reader_finish(haft__frame_reader *reader)
{
    haft__buf_finish(&reader->bytes);
}

static void remove_read_bytes(haft__frame_reader *reader)
{
    haft__buf *bytes = &reader->bytes;
    if (reader->start > 0) {
        bytes->len -= reader->start;
        memmove(bytes->ptr, bytes->ptr + reader->start, bytes->len);
        reader->start = 0;
    }
}

/* A stream may have several small frames that together are longer than one may be, so the limit of
 * the buffer is raised by what arrives; haft__frame_reader_next checks each length. */
haft_status haft__frame_reader_feed(haft__frame_reader *reader, haft_str bytes, haft_error *err)
{
    remove_read_bytes(reader);
    size_t max = reader->bytes.max;
    reader->bytes.max = max + bytes.len;
    haft__buf_add_str(&reader->bytes, bytes);
    reader->bytes.max = max;
    return haft__buf_check(&reader->bytes, err);
}

static size_t read_length(const char *bytes)
{
    size_t length = 0;
    for (size_t i = 0; i < LENGTH_BYTES; i++) {
        length = length << 8 | (unsigned char)bytes[i];
    }
    return length;
}

haft_status haft__frame_reader_next(haft__frame_reader *reader, haft__frame *ret_frame,
                                    bool *ret_found, haft_error *err)
{
    haft_str left = haft__str_skip(haft__buf_str(&reader->bytes), reader->start);
    size_t head = head_bytes(reader);
    *ret_found = false;
    if (left.len < head) {
        return HAFT_OK;
    }
    size_t length = read_length(left.ptr + reader->lettered), max = reader->bytes.max - head;
    if (length > max) {
        return haft__fail(err, HAFT_TOO_BIG, "", "a message of %zu bytes; the limit is %zu", length,
                          max);
    }
    if (left.len - head < length) {
        return HAFT_OK;
    }
    *ret_frame = (haft__frame){reader->lettered ? left.ptr[0] : '\0', {left.ptr + head, length}};
    *ret_found = true;
    reader->start += head + length;
    return HAFT_OK;
}

void haft__frame_write(haft__buf *buf, char kind, haft_str payload)
{
    if (kind != '\0') {
        haft__buf_add_char(buf, kind);
    }
    for (unsigned shift = 32; shift > 0; shift -= 8) {
        haft__buf_add_char(buf, (char)(payload.len >> (shift - 8)));
    }
    haft__buf_add_str(buf, payload);
}
