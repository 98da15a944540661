/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern_without_pcre2.c - replaces pattern.c in libhaft-core, which has no PCRE2.
 *
 * Every expression is rejected, so no pattern ever exists. Tests: tests/core/pattern_none_test.c.
 */
#include "schema/regex/pattern.h"

#include <stdlib.h>

#include "base/error.h"

struct haft__pattern_scratch {
    size_t steps; /* always 0 */
};

static haft_status refuse(haft_error *err)
{
    haft_status status =
        haft__fail(err, HAFT_UNSUPPORTED, "", "libhaft-core has no regular expressions");
    return haft__hint(err, status, "link with libhaft, which has them");
}

haft_status haft__pattern_compile(haft__arena *arena, haft_str source,
                                  const haft__pattern **ret_pattern, haft_error *err)
{
    (void)arena;
    (void)source;
    (void)ret_pattern;
    return refuse(err);
}

haft_status haft__pattern_compile_to_find(haft__arena *arena, haft_str source,
                                          const haft__pattern **ret_pattern, haft_error *err)
{
    return haft__pattern_compile(arena, source, ret_pattern, err);
}

haft_status haft__pattern_translate(haft_str source, haft__buf *ret_buf, haft_error *err)
{
    (void)source;
    (void)ret_buf;
    return refuse(err);
}

haft__pattern_scratch *haft__pattern_scratch_create(void)
{
    return calloc(1, sizeof(haft__pattern_scratch));
}

void haft__pattern_scratch_destroy(haft__pattern_scratch *scratch)
{
    free(scratch);
}

/* Never called with a pattern, because none can be compiled. */
haft__pattern_result haft__pattern_match(const haft__pattern *pattern,
                                         haft__pattern_scratch *scratch, haft_str subject)
{
    (void)pattern;
    (void)scratch;
    (void)subject;
    return HAFT__PATTERN_LIMIT;
}

haft__pattern_result haft__pattern_find(const haft__pattern *pattern,
                                        haft__pattern_scratch *scratch, haft_str subject,
                                        size_t from, size_t *ret_start, size_t *ret_end)
{
    (void)from;
    (void)ret_start;
    (void)ret_end;
    return haft__pattern_match(pattern, scratch, subject);
}

size_t haft__pattern_steps(const haft__pattern_scratch *scratch)
{
    return scratch->steps;
}
