/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c - the trace context of a call. Tests: tests/run/trace_test.c. */
#include "run/trace.h"

#include <stdio.h>

#include "base/hash.h"

/* W3C forbids ids that are all zero. */
static uint64_t id_of(uint64_t number, haft_str text)
{
    uint64_t id = haft__hash((haft__hash_key){number, 0}, text);
    return id != 0 ? id : 1;
}

void haft__trace_parent(haft_str root, haft_str key, uint32_t attempt,
                        char text[HAFT__TRACE_PARENT_LENGTH + 1])
{
    enum { HIGH, LOW, SPAN }; /* the attempts follow */
    (void)snprintf(text, HAFT__TRACE_PARENT_LENGTH + 1, "00-%016llx%016llx-%016llx-01",
                   (unsigned long long)id_of(HIGH, root), (unsigned long long)id_of(LOW, root),
                   (unsigned long long)id_of((uint64_t)SPAN + attempt, key));
}
