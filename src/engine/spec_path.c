/* SPDX-License-Identifier: Apache-2.0 */
/* spec_path.c - reads and finds files that a spec names. Tests: tests/engine/spec_path_test.c. */
#include "engine/spec_path.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "io/file.h"

haft_str haft__spec_path_directory(haft_str spec, haft_str path)
{
    while (spec.len > 0 && spec.ptr[spec.len - 1] != '/') {
        spec.len--;
    }
    return haft__str_starts_with(path, HAFT__LIT("/")) ? HAFT__LIT("") : spec;
}

haft_status haft__spec_path_read(void *context, haft__arena *arena, haft_str spec, haft_str path,
                                 haft_str *ret_text, haft_error *err)
{
    (void)context;
    haft_str file = haft__arena_format(
        arena, "%.*s%.*s", HAFT__ARG(haft__spec_path_directory(spec, path)), HAFT__ARG(path));
    if (file.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    struct stat info;
    if (stat(file.ptr, &info) == 0 && S_ISFIFO(info.st_mode)) { /* opening it could block */
        return haft__fail(err, HAFT_IO, file.ptr, "is a FIFO, expected a file");
    }
    return haft__file_read_arena(arena, file.ptr, HAFT__LIMIT_SPEC_BYTES, ret_text, err);
}

/* ---- programs and directories ---- */

/* Writes "DIRECTORY/name". Returns false if this file does not exist. */
static bool find_file(haft_str directory, haft_str name, char path[PATH_MAX], struct stat *ret_info)
{
    bool relative = directory.len > 0 && directory.ptr[directory.len - 1] != '/';
    int length = snprintf(path, PATH_MAX, "%.*s%s%.*s", HAFT__ARG(directory), relative ? "/" : "",
                          HAFT__ARG(name));
    return length >= 0 && length < PATH_MAX && stat(path, ret_info) == 0;
}

static haft__program_state check_program(haft_str directory, haft_str program)
{
    char path[PATH_MAX];
    struct stat info;
    if (!find_file(directory, program, path, &info)) {
        return HAFT__PROGRAM_MISSING;
    }
    bool executable = S_ISREG(info.st_mode) && access(path, X_OK) == 0;
    return executable ? HAFT__PROGRAM_FOUND : HAFT__PROGRAM_NOT_EXECUTABLE;
}

haft__program_state haft__spec_path_find_program(haft_str spec, haft_str program,
                                                 haft_str search_path)
{
    if (program.len > 0 && memchr(program.ptr, '/', program.len) != NULL) {
        return check_program(haft__spec_path_directory(spec, program), program);
    }
    haft__program_state found = HAFT__PROGRAM_MISSING;
    haft_str rest =
        search_path.ptr != NULL ? search_path : HAFT__LIT("/usr/local/bin:/usr/bin:/bin");
    while (rest.len > 0 && found != HAFT__PROGRAM_FOUND) {
        haft__program_state here = check_program(haft__str_split(&rest, ':'), program);
        found = here != HAFT__PROGRAM_MISSING ? here : found;
    }
    return found;
}

bool haft__spec_path_has_directory(haft_str spec, haft_str path)
{
    char full[PATH_MAX];
    struct stat info;
    return find_file(haft__spec_path_directory(spec, path), path, full, &info)
           && S_ISDIR(info.st_mode);
}
