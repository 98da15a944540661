/* SPDX-License-Identifier: Apache-2.0 */
/* ecma_help.h - helpers for tests of regular expressions. */
#ifndef HAFT_TESTS_ECMA_HELP_H
#define HAFT_TESTS_ECMA_HELP_H

#include "base/error.h"
#include "schema/regex/ecma.h"
#include "test.h"

#define HELP_BYTES ((size_t)1 << 20)

/* The translation of `source`, or "STATUS at character N: message", with " | hint" if there is a
 * hint. Lives until the test ends. */
static inline haft_str help_translate(haft_str source)
{
    char *text = test_alloc(sizeof(haft_error) + 64);
    haft_error err = {0};
    haft__buf buf;
    haft__buf_init(&buf, HELP_BYTES);
    haft_status status = haft__ecma_translate(source, &buf, &err);
    int length = 0;
    if (status != HAFT_OK) {
        CHECK_INT(err.status, status, "the error's status");
        CHECK_INT(buf.len, 0, "a failure leaves bytes behind");
        length = snprintf(text, sizeof(err) + 64, "%s at %s: %s%s%s", haft_status_name(status),
                          err.where, err.message, err.hint[0] != '\0' ? " | " : "", err.hint);
    } else {
        text = test_alloc(buf.len + 1);
        memcpy(text, buf.ptr, buf.len);
        length = (int)buf.len;
    }
    haft__buf_finish(&buf);
    return (haft_str){text, (size_t)length};
}

typedef struct help_case {
    const char *source, *want;
} help_case;

static inline void help_check(const help_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        CHECK_STR(help_translate(haft__str(cases[i].source)), haft__str(cases[i].want), "%s",
                  cases[i].source);
    }
}

/* `part` written `count` times. */
static inline haft_str help_repeat(const char *part, size_t count)
{
    size_t length = strlen(part);
    char *text = test_alloc(length * count + 1);
    for (size_t i = 0; i < count; i++) {
        memcpy(text + i * length, part, length);
    }
    return (haft_str){text, length * count};
}

/* All arguments, joined. */
static inline haft_str help_join(haft_str a, haft_str b)
{
    char *text = test_alloc(a.len + b.len + 1);
    memcpy(text, a.ptr, a.len);
    memcpy(text + a.len, b.ptr, b.len);
    return (haft_str){text, a.len + b.len};
}

#endif
