/* SPDX-License-Identifier: Apache-2.0 */
/* spec_path.c - files that a spec names. Tests: tests/engine/spec_path_test.c. */
#include "engine/spec_path.h"

#include "base/limits.h"
#include "base/str.h"
#include "io/file.h"

haft_status haft__spec_path_read(void *context, haft__arena *arena, haft_str spec, haft_str path,
                                 haft_str *ret_text, haft_error *err)
{
    (void)context;
    while (spec.len > 0 && spec.ptr[spec.len - 1] != '/') {
        spec.len--;
    }
    bool absolute = haft__str_starts_with(path, HAFT__LIT("/"));
    haft_str file = haft__arena_format(arena, "%.*s%.*s",
                                       HAFT__ARG(absolute ? HAFT__LIT("") : spec), HAFT__ARG(path));
    if (file.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    return haft__file_read_arena(arena, file.ptr, HAFT__LIMIT_SPEC_BYTES, ret_text, err);
}
