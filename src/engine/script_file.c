/* SPDX-License-Identifier: Apache-2.0 */
/* script_file.c - scripts from files. Tests: tests/cli/run_test.py. */
#include "engine/script_file.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "io/file.h"
#include "run/rescript.h"
#include "spec/text.h"

/* The directory of the spec, with its slash; nothing for the one we are in. */
static haft_str directory_of(haft_str path)
{
    while (path.len > 0 && path.ptr[path.len - 1] != '/') {
        path.len--;
    }
    return path;
}

/* A script, or a log that is played again. */
static haft_status read_document(haft__arena *arena, haft_str text, bool log,
                                 haft__hash_key hash_key, haft__json *ret_document, haft_error *err)
{
    if (log) {
        return haft__rescript(arena, text, hash_key, ret_document, err);
    }
    haft__spec_problems problems;
    haft__spec_document document;
    haft__spec_problems_init(&problems, arena);
    haft_status status = haft__spec_read(arena, text, hash_key, &problems, &document, err);
    if (status == HAFT_OK && problems.errors > 0) {
        char where[64];
        (void)snprintf(where, sizeof(where), "%u:%u", problems.items[0].line,
                       problems.items[0].column);
        return haft__fail(err, HAFT_BAD_INPUT, where, "%.*s", HAFT__ARG(problems.items[0].message));
    }
    *ret_document = document.value;
    return status;
}

haft_status haft__script_file_read(haft__arena *arena, haft_str path, bool log,
                                   haft__hash_key hash_key, haft__script *ret_script,
                                   haft_error *err)
{
    haft_str text = {NULL, 0};
    haft__json document = haft__json_null();
    size_t max = log ? HAFT__LIMIT_RUN_BYTES : HAFT__LIMIT_SPEC_BYTES;
    haft_status status = haft__file_keep(arena, path.ptr, max, &text, err);
    if (status != HAFT_OK) {
        return status; /* which names the file already */
    }
    status = read_document(arena, text, log, hash_key, &document, err);
    if (status == HAFT_OK) {
        status = haft__script_init(ret_script, arena, document, err);
    }
    if (status != HAFT_OK) {
        haft__error_at(err, path.ptr);
    }
    return status;
}

haft_status haft__script_file_load(haft__arena *arena, const haft__spec *spec,
                                   haft__hash_key hash_key, haft__script *ret_script,
                                   haft_error *err)
{
    haft_str name = spec->model.model;
    bool absolute = name.len > 0 && name.ptr[0] == '/';
    haft_str directory = absolute ? (haft_str){"", 0} : directory_of(spec->path);
    haft_str path = haft__arena_format(arena, "%.*s%.*s", (int)directory.len, directory.ptr,
                                       (int)name.len, name.ptr);
    if (path.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    bool log = haft__str_equal(spec->model.provider, HAFT__LIT("replay"));
    return haft__script_file_read(arena, path, log, hash_key, ret_script, err);
}
