/* SPDX-License-Identifier: Apache-2.0 */
/* files.c - shared parts of glob, grep and read: result limit and notes. Tests:
 * tests/exec/files/files_test.c. */
#include "exec/files/files.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/files/display.h"

#define NOTE_BYTES   512
#define BINARY_BYTES 8192

haft_status haft__files_fail_cancelled(haft_error *err)
{
    return haft__fail(err, HAFT_BAD_STATE, "", "the search was stopped");
}

haft_status haft__files_compile_glob(haft__arena *arena, haft_str pattern, const char *where,
                                     const haft__glob **ret_glob, haft_error *err)
{
    haft_status status = haft__glob_compile(arena, pattern, ret_glob, err);
    if (status != HAFT_OK && status != HAFT_NO_MEMORY) {
        haft__error_prepend_location(err, where);
    }
    return status;
}

bool haft__files_is_binary(haft_str beginning)
{
    size_t checked_bytes = beginning.len < BINARY_BYTES ? beginning.len : BINARY_BYTES;
    return checked_bytes > 0 && memchr(beginning.ptr, '\0', checked_bytes) != NULL;
}

haft_status haft__files_fail_read(haft_str path, haft_error *err)
{
    char shown[HAFT__FILES_SHORT_NAME_BYTES];
    int error = errno;
    return haft__fail(err, HAFT_IO, "/path", "'%s' cannot be read: %s",
                      haft__files_display_short_name(path, shown), strerror(error));
}

bool haft__files_keep_line(haft__buf *result, size_t start)
{
    bool fits = result->len <= HAFT__LIMIT_FILES_RESULT_BYTES;
    result->len = fits ? result->len : start;
    return fits;
}

void haft__files_notes_add(haft__files_notes *notes, const char *format, ...)
{
    char text[NOTE_BYTES];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    haft__buf_add_str(notes->result, notes->begun             ? HAFT__LIT("; ")
                                     : notes->result->len > 0 ? HAFT__LIT("\n(")
                                                              : HAFT__LIT("("));
    haft__buf_add_str(notes->result, haft__str(text));
    notes->begun = true;
}

void haft__files_notes_add_count(haft__files_notes *notes, size_t count, const char *one,
                                 const char *many, const char *what)
{
    if (count > 0) {
        haft__files_notes_add(notes, "%zu %s %s", count, count == 1 ? one : many, what);
    }
}

void haft__files_notes_add_walk(haft__files_notes *notes, const haft__walk *walk)
{
    if (walk->cut) {
        haft__files_notes_add(
            notes, "only the first %d files and directories were searched: give a `path`",
            HAFT__LIMIT_FILES_ENTRIES);
    }
    haft__files_notes_add_count(notes, walk->unreadable, "directory", "directories",
                                "could not be read");
    haft__files_notes_add_count(notes, walk->too_deep, "path is", "paths are",
                                "nested too deep to be searched");
}

void haft__files_notes_end(haft__files_notes *notes)
{
    if (notes->begun) {
        haft__buf_add_char(notes->result, ')');
    }
}
