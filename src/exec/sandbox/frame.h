/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/sandbox/frame.h - finds the frames of libexec/haft/sandbox and the messages of the program
 * in a stream of bytes. No I/O.
 *
 * A frame is a letter, the length of its payload as 4 bytes (the highest first), and the payload. A
 * message of the program is the same without the letter. The helper is trusted, the program is not:
 * a message above its limit is an error as soon as its length is known.
 */
#ifndef HAFT_EXEC_SANDBOX_FRAME_H
#define HAFT_EXEC_SANDBOX_FRAME_H

#include "base/buf.h"

typedef struct haft__frame {
    char kind; /* of a frame; 0 for a message */
    haft_str payload;
} haft__frame;

typedef struct haft__frame_reader {
    haft__buf bytes; /* `bytes.max` limits a frame */
    size_t start;    /* the first byte that is not read yet */
    bool lettered;   /* frames, not messages */
} haft__frame_reader;

void haft__frame_reader_init(haft__frame_reader *reader, bool lettered, size_t max_payload);
void haft__frame_reader_finish(haft__frame_reader *reader);

/* Appends bytes of the stream. NO_MEMORY, or TOO_BIG if a frame is longer than its limit. */
HAFT_MUST_USE haft_status haft__frame_reader_feed(haft__frame_reader *reader, haft_str bytes,
                                                  haft_error *err);

/* Whether a whole frame is there. Its payload is borrowed until the next feed. TOO_BIG as soon as a
 * length above the limit has arrived. */
HAFT_MUST_USE haft_status haft__frame_reader_next(haft__frame_reader *reader,
                                                  haft__frame *ret_frame, bool *ret_found,
                                                  haft_error *err);

/* Appends a frame; `kind` 0 appends a message. */
void haft__frame_write(haft__buf *buf, char kind, haft_str payload);

#endif
