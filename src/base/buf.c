/* SPDX-License-Identifier: Apache-2.0 */
/* buf.c - a growing buffer that doubles up to its maximum. Tests: tests/base/buf_test.c. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

#define FIRST_CAPACITY ((size_t)255)

void haft__buf_init(haft__buf *buf, size_t max)
{
    *buf = (haft__buf){.max = max};
}

void haft__buf_finish(haft__buf *buf)
{
    free(buf->ptr);
    *buf = (haft__buf){.max = buf->max};
}

void haft__buf_clear(haft__buf *buf)
{
    buf->len = 0;
    buf->status = HAFT_OK;
    buf->why = NULL;
}

char *haft__buf_reserve(haft__buf *buf, size_t more)
{
    if (buf->status != HAFT_OK) {
        return NULL;
    }
    if (more > buf->max - buf->len) {
        buf->status = HAFT_TOO_BIG;
        return NULL;
    }
    if (more <= buf->cap - buf->len && buf->ptr != NULL) {
        return buf->ptr + buf->len;
    }
    size_t wanted = buf->len + more;
    size_t capacity = buf->cap > 0 ? buf->cap * 2 : FIRST_CAPACITY;
    capacity = capacity > buf->max ? buf->max : capacity;
    capacity = capacity > wanted ? capacity : wanted;
    /* One byte more than the capacity: vsnprintf in haft__buf_addf writes a NUL. */
    char *grown = capacity < SIZE_MAX ? realloc(buf->ptr, capacity + 1) : NULL;
    if (grown == NULL) {
        buf->status = HAFT_NO_MEMORY;
        return NULL;
    }
    buf->ptr = grown;
    buf->cap = capacity;
    return grown + buf->len;
}

void haft__buf_add_int(haft__buf *buf, int64_t number)
{
    char digits[20];
    size_t at = sizeof(digits);
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0) {
        digits[--at] = '-';
    }
    haft__buf_add(buf, digits + at, sizeof(digits) - at);
}

void haft__buf_addf(haft__buf *buf, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0) {
        haft__buf_fail(buf, HAFT_TOO_BIG, "a piece of the text cannot be formatted");
    }
    char *to = length < 0 ? NULL : haft__buf_reserve(buf, (size_t)length);
    if (to != NULL) {
        (void)vsnprintf(to, (size_t)length + 1, format, again);
        haft__buf_advance(buf, (size_t)length);
    }
    va_end(again);
}

void haft__buf_fail(haft__buf *buf, haft_status status, const char *why)
{
    if (buf->status == HAFT_OK) {
        buf->status = status;
        buf->why = why;
    }
}

haft_status haft__buf_check(const haft__buf *buf, haft_error *err)
{
    if (buf->why != NULL) {
        return haft__fail(err, buf->status, "", "%s", buf->why);
    }
    if (buf->status == HAFT_TOO_BIG) {
        return haft__fail(err, HAFT_TOO_BIG, "", "the text is longer than %zu bytes", buf->max);
    }
    return buf->status == HAFT_OK ? HAFT_OK : haft__fail_no_memory(err);
}
