/* SPDX-License-Identifier: Apache-2.0 */
/* middleware.c - names of the kinds of entries of `middleware`, and the tools that they apply to.
 * Tests: tests/run/middleware/middleware_test.c. */
#include "spec/middleware.h"

#include "base/str.h"

const char *haft__middleware_kind_name(haft__middleware_kind kind)
{
    static const char *const names[] = {
#define X(name, text) text,
        HAFT__MIDDLEWARE_KINDS(X)
#undef X
    };
    return names[kind];
}

const char *haft__hook_point_name(haft__hook_point point)
{
    static const char *const names[] = {
#define X(name, text) text,
        HAFT__HOOK_POINTS(X)
#undef X
    };
    return names[point];
}

const char *haft__personal_kind_name(haft__personal_kind kind)
{
    static const char *const names[] = {
#define X(name, text) text,
        HAFT__PERSONAL_KINDS(X)
#undef X
    };
    return names[kind];
}

bool haft__middleware_applies(const haft__middleware *entry, haft_str tool)
{
    bool applies = entry->tool_count == 0;
    for (size_t i = 0; i < entry->tool_count && !applies; i++) {
        applies = haft__filter_matches(entry->tools[i], tool);
    }
    return applies;
}
