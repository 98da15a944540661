/* SPDX-License-Identifier: Apache-2.0 */
/* within.c - see exec/files/within.h. Tests: tests/exec/files/within_test.c. */
#include "exec/files/within.h"

#include "base/error.h"
#include "base/str.h"
#include "exec/files/display.h"

/* Removes "./" at the beginning and a slash at the end. */
static haft_str plain(haft_str path)
{
    while (haft__str_starts_with(path, HAFT__LIT("./"))) {
        path = haft__str_skip(path, 2);
    }
    while (haft__str_ends_with(path, HAFT__LIT("/"))) {
        path.len--;
    }
    return haft__str_equal(path, HAFT__LIT(".")) ? HAFT__LIT("") : path;
}

/* Whether `path` is `directory` or below it. "" is the root. */
static bool is_below(haft_str path, haft_str directory)
{
    return directory.len == 0
           || (haft__str_starts_with(path, directory)
               && (path.len == directory.len || path.ptr[directory.len] == '/'));
}

haft__within_place haft__files_within_place(const haft__files_within *within, haft_str path)
{
    haft__within_place place = within->count == 0 ? HAFT__WITHIN_INSIDE : HAFT__WITHIN_OUTSIDE;
    path = plain(path);
    for (size_t i = 0; i < within->count && place != HAFT__WITHIN_INSIDE; i++) {
        haft_str part = plain(within->paths[i]);
        place = is_below(path, part)   ? HAFT__WITHIN_INSIDE
                : is_below(part, path) ? HAFT__WITHIN_ABOVE
                                       : place;
    }
    return place;
}

bool haft__files_within_names(const haft__files_within *within, haft_str path)
{
    bool named = false;
    for (size_t i = 0; i < within->count && !named; i++) {
        named = haft__str_equal(plain(within->paths[i]), plain(path));
    }
    return named;
}

haft_status haft__files_within_check(const haft__files_within *within, haft_str path, bool inside,
                                     haft_error *err)
{
    haft__within_place place = haft__files_within_place(within, path);
    if (place == HAFT__WITHIN_INSIDE || (place == HAFT__WITHIN_ABOVE && !inside)) {
        return HAFT_OK;
    }
    char shown[HAFT__FILES_SHORT_NAME_BYTES], first[HAFT__FILES_SHORT_NAME_BYTES];
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "/path", "'%s' is outside of the files that may be read",
                   haft__files_display_short_name(path, shown));
    return haft__hint(err, status, "these are '%s'%s",
                      haft__files_display_short_name(within->paths[0], first),
                      within->count > 1 ? " and others: list them with glob" : "");
}
