/* SPDX-License-Identifier: Apache-2.0 */
/* narrowing.c - see narrowing.h. Tests: tests/run/offer/narrowing_test.c. */
#include "run/offer/narrowing.h"

#include "base/ascii.h"
#include "base/error.h"
#include "run/offer/resolve.h"

static bool narrows(const haft__run *run, const haft__skill *skill)
{
    return skill->allowed.kind == HAFT__JSON_ARRAY && skill->tool < run->tools->count
           && run->past[skill->tool].succeeded;
}

haft_status haft__narrowing_collect(const haft__run *run, haft__arena *arena,
                                    haft__narrowing *ret_narrowing, haft_error *err)
{
    const haft__spec *spec = run->spec;
    haft__narrowing narrowing = {.skills = NULL};
    for (size_t i = 0; i < spec->skill_count; i++) {
        narrowing.count += narrows(run, &spec->skills[i]);
    }
    size_t count = 0;
    if (narrowing.count > 0) {
        narrowing.skills = haft__arena_array(arena, narrowing.count, sizeof(*narrowing.skills));
        if (narrowing.skills == NULL) {
            return haft__arena_fail(arena, err);
        }
    }
    for (size_t i = 0; count < narrowing.count; i++) {
        if (narrows(run, &spec->skills[i])) {
            narrowing.skills[count++] = &spec->skills[i];
        }
    }
    *ret_narrowing = narrowing;
    return HAFT_OK;
}

bool haft__skill_allows(const haft__skill *skill, haft_str name)
{
    char lower[HAFT__LIMIT_TOOL_NAME_BYTES];
    bool allows = false;
    if (name.len > sizeof(lower)) {
        return false;
    }
    for (size_t i = 0; i < name.len; i++) {
        lower[i] = haft__ascii_lower(name.ptr[i]);
    }
    for (uint32_t i = 0; !allows && i < skill->allowed.count; i++) {
        allows = haft__filter_matches(haft__json_text(skill->allowed.items[i]),
                                      (haft_str){lower, name.len});
    }
    return allows;
}

const haft__skill *haft__narrowing_find(const haft__narrowing *narrowing, const haft__spec *spec,
                                        const haft__tool *tool)
{
    const haft__skill *found = NULL;
    for (size_t i = 0; tool->role == HAFT__ROLE_DATA && found == NULL && i < narrowing->count;
         i++) {
        found = haft__skill_allows(narrowing->skills[i], tool->name) ? NULL : narrowing->skills[i];
    }
    return found != NULL && haft__resolve_is_named(spec, tool->name) ? NULL : found;
}
