/* SPDX-License-Identifier: Apache-2.0 */
/* redact_help.h - shared by the tests of redaction. */
#ifndef HAFT_TESTS_REDACT_HELP_H
#define HAFT_TESTS_REDACT_HELP_H

#include "run/redact/redact.h"
#include "test.h"

/* Redacts `text` with these secrets and appends the result. */
static inline haft_status help_redact(const haft_str *secrets, size_t count, haft_str text,
                                      bool *ret_any, haft__buf *out)
{
    haft__arena arena;
    haft__redactor redactor;
    haft__arena_init(&arena, 0);
    haft__redactor_init(&redactor, &arena);
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < count && status == HAFT_OK; i++) {
        bool added = false;
        status = haft__redactor_add(&redactor, secrets[i], &added, NULL);
    }
    if (status == HAFT_OK) {
        status = haft__redactor_seal(&redactor, NULL);
    }
    if (status == HAFT_OK) {
        *ret_any = haft__redact(&redactor, text, out);
        status = out->status;
    }
    haft__arena_finish(&arena);
    return status;
}

/* With one secret, or several separated by '|'; the text must become `wanted`. */
static inline void help_check_redacted(const char *secrets, haft_str text, haft_str wanted)
{
    haft_str all[8], rest = haft__str(secrets);
    size_t count = 0;
    while (rest.len > 0) {
        all[count++] = haft__str_split(&rest, '|');
    }
    haft__buf found;
    bool any = false;
    haft__buf_init(&found, 1 << 20);
    CHECK_INT(help_redact(all, count, text, &any, &found), HAFT_OK, "%.*s", HAFT__ARG(text));
    CHECK_STR(haft__buf_str(&found), wanted, "%s in %.*s", secrets, HAFT__ARG(text));
    CHECK_INT(any, !haft__str_equal(text, wanted), "%s in %.*s", secrets, HAFT__ARG(text));
    haft__buf_finish(&found);
}

#endif
