/* SPDX-License-Identifier: Apache-2.0 */
/* spec_help.h - specs as text, values with their places and problems as lines, for the tests. */
#ifndef HAFT_TESTS_SPEC_HELP_H
#define HAFT_TESTS_SPEC_HELP_H

#include "base/buf.h"
#include "spec/text.h"
#include "test.h"
#include "json/write.h"

/* "3:5: error: the message (the hint)\n" for each. */
static inline void list_problems(haft__buf *buf, const haft__spec_problems *problems)
{
    for (size_t i = 0; i < problems->count; i++) {
        const haft__spec_problem *p = &problems->items[i];
        haft__buf_addf(buf, "%s%u:%u: %s%s%.*s", i > 0 ? "\n" : "", p->line, p->column,
                       p->warning ? "warning: " : "", p->from.len > 0 ? "from " : "",
                       HAFT__ARG(p->from));
        haft__buf_addf(buf, "%s%.*s", p->from.len > 0 ? ": " : "", HAFT__ARG(p->message));
        if (p->hint.len > 0) {
            haft__buf_addf(buf, " (%.*s)", HAFT__ARG(p->hint));
        }
    }
}

/* What a text reads as, as JSON; or the problems. Lives until the test ends. */
static inline haft_str read_as(haft_str text)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__spec_problems problems;
    haft__spec_problems_init(&problems, &arena);
    haft__spec_document document;
    haft_error err = {.status = HAFT_OK};
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    haft_status status =
        haft__spec_read(&arena, text, (haft__hash_key){1, 2}, &problems, &document, &err);
    CHECK(status == HAFT_OK, "%s", err.message);
    if (status == HAFT_OK && problems.count == 0) {
        haft__json_write(&buf, document.value);
    }
    list_problems(&buf, &problems);
    char *kept = test_alloc(buf.len + 1);
    memcpy(kept, buf.len > 0 ? buf.ptr : "", buf.len);
    haft_str result = {kept, buf.len};
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
    return result;
}

#endif
