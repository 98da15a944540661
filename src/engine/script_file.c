/* SPDX-License-Identifier: Apache-2.0 */
/* script_file.c - reads scripts from files. Tests: tests/cli/run_test.py. */
#include "engine/script_file.h"

#include <stdio.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "io/file.h"
#include "run/replay/script.h"
#include "spec/load/document/parse.h"

/* The directory of the spec, with its slash; "" for the working directory. */
static haft_str directory_of(haft_str path)
{
    while (path.len > 0 && path.ptr[path.len - 1] != '/') {
        path.len--;
    }
    return path;
}

/* Replaces the location of an error by line and column. */
static haft_status fail_at(haft_error *err, haft_status status, uint32_t line, uint32_t column)
{
    if (err != NULL && line > 0) {
        (void)snprintf(err->where, sizeof(err->where), "%u:%u", line, column);
    }
    return status;
}

static haft_status fail_problem(const haft__spec_problem *problem, haft_error *err)
{
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, "", "%.*s", HAFT__ARG(problem->message));
    if (problem->hint.len > 0) {
        (void)haft__hint(err, status, "%.*s", HAFT__ARG(problem->hint));
    }
    return fail_at(err, status, problem->line, problem->column);
}

/* Replaces a JSON Pointer into the document by its line and column in the text. */
static haft_status locate(const haft__spec_document *document, haft_status status, haft_error *err)
{
    uint32_t line = 0, column = 0;
    if (err != NULL && (err->where[0] == '/' || err->where[0] == '\0')) {
        /* For an unknown argument the location is its key, not its value. */
        bool key = haft__str_starts_with(haft__str(err->message), HAFT__LIT("Unknown argument"));
        size_t at = haft__spec_offset(document, haft__str(err->where), key);
        haft__spec_locate(document->text, at, &line, &column);
    }
    return fail_at(err, status, line, column);
}

static haft_status read_script(haft__arena *arena, haft_str text, haft__hash_key hash_key,
                               haft__script *ret_script, haft_error *err)
{
    haft__spec_problems problems;
    haft__spec_document document;
    haft__spec_problems_init(&problems, arena);
    haft_status status = haft__spec_parse(arena, text, hash_key, &problems, &document, err);
    if (status != HAFT_OK) {
        return status;
    }
    if (problems.errors > 0) {
        return fail_problem(&problems.items[0], err);
    }
    status = haft__script_init(ret_script, arena, document.value, err);
    return status == HAFT_BAD_INPUT || status == HAFT_TOO_BIG ? locate(&document, status, err)
                                                              : status;
}

/* Reads a log of events to be replayed. */
static haft_status read_log(haft__arena *arena, haft_str text, haft__hash_key hash_key,
                            haft__script *ret_script, haft_error *err)
{
    haft__json document = haft__json_null();
    haft_status status = haft__replay_make_script(arena, text, hash_key, &document, err);
    return status == HAFT_OK ? haft__script_init(ret_script, arena, document, err) : status;
}

haft_status haft__script_file_read(haft__arena *arena, haft_str path, bool log,
                                   haft__hash_key hash_key, haft__script *ret_script,
                                   haft_error *err)
{
    haft_str text = {NULL, 0};
    size_t max = log ? HAFT__LIMIT_RUN_BYTES : HAFT__LIMIT_SPEC_BYTES;
    haft_status status = haft__file_read_arena(arena, path.ptr, max, &text, err);
    if (status != HAFT_OK) {
        return status; /* the error already names the file */
    }
    status = log ? read_log(arena, text, hash_key, ret_script, err)
                 : read_script(arena, text, hash_key, ret_script, err);
    if (status != HAFT_OK) {
        haft__error_prepend_location(err, path.ptr);
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
