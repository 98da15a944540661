/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/buf.h - a growing piece of text with a maximum.
 *
 * Failures are sticky: after the first failed append, the buffer keeps its content and the reason,
 * and ignores further appends. So a writer checks only once, after the last append.
 */
#ifndef HAFT_BASE_BUF_H
#define HAFT_BASE_BUF_H

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/macros.h"
#include "haft.h"

typedef struct haft__buf {
    char *ptr;
    size_t len, cap, max;
    haft_status status; /* HAFT_OK, HAFT_NO_MEMORY or HAFT_TOO_BIG */
    const char *why;    /* a writer's own reason, see haft__buf_fail; else NULL */
} haft__buf;

/* Allocates nothing yet. `max` is the maximum size in bytes and is required. */
void haft__buf_init(haft__buf *buf, size_t max);

/* Safe on a zeroed buffer, and safe to call twice. */
void haft__buf_finish(haft__buf *buf);

/* Empties the buffer, clears its failure, keeps its memory. */
void haft__buf_clear(haft__buf *buf);

/* Reserves space for `more` bytes at the end. Returns a pointer to this space, or NULL after
 * recording the failure. haft__buf_advance adds the written bytes to the content. */
char *haft__buf_reserve(haft__buf *buf, size_t more);

static inline void haft__buf_advance(haft__buf *buf, size_t count)
{
    buf->len += count;
}

static inline void haft__buf_add(haft__buf *buf, const char *bytes, size_t length)
{
    char *to = HAFT__LIKELY(length <= buf->cap - buf->len && buf->status == HAFT_OK && length > 0)
                   ? buf->ptr + buf->len
                   : haft__buf_reserve(buf, length);
    if (to != NULL && length > 0) {
        memcpy(to, bytes, length);
        buf->len += length;
    }
}

static inline void haft__buf_add_str(haft__buf *buf, haft_str s)
{
    haft__buf_add(buf, s.ptr, s.len);
}

static inline void haft__buf_add_char(haft__buf *buf, char c)
{
    haft__buf_add(buf, &c, 1);
}

/* Appends decimal digits, like haft__buf_addf with %lld but many times faster. */
void haft__buf_add_int(haft__buf *buf, int64_t number);

void haft__buf_addf(haft__buf *buf, const char *format, ...) HAFT__PRINTF(2, 3);

/* Records a failure of the writer, unless a failure is already recorded. `why` is the error's
 * message and must outlive the buffer. */
void haft__buf_fail(haft__buf *buf, haft_status status, const char *why);

/* The content; borrowed until the next append. */
static inline haft_str haft__buf_str(const haft__buf *buf)
{
    assert(buf->ptr != NULL || buf->len == 0);
    return (haft_str){buf->ptr, buf->len};
}

/* HAFT_OK, or the first failure with an error that names the maximum or the writer's reason. */
HAFT_MUST_USE haft_status haft__buf_check(const haft__buf *buf, haft_error *err);

#endif
