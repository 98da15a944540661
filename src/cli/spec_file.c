/* SPDX-License-Identifier: Apache-2.0 */
/* spec_file.c - files to specs and scripts. Tests: tests/cli/run_test.py, tests/cli/check_test.py.
 */
#include "cli/spec_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "cli/file.h"
#include "spec/text.h"

static haft_str get_variable(void *context, haft_str name)
{
    haft__arena *arena = context;
    haft_str copy = haft__arena_copy(arena, name);
    const char *value = copy.ptr != NULL ? getenv(copy.ptr) : NULL;
    return value != NULL ? haft__str(value) : (haft_str){NULL, 0};
}

static haft_status read_file(haft__arena *arena, const char *path, haft_str *ret_text,
                             haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_SPEC_BYTES);
    haft_status status = haft__file_read(path, &text, err);
    if (status == HAFT_OK) {
        *ret_text = haft__arena_copy(arena, haft__buf_str(&text));
        status = ret_text->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    haft__buf_finish(&text);
    return status;
}

/* The line a problem is in, and a caret below its column. */
static void print_line(FILE *errors, haft_str text, const haft__spec_problem *problem)
{
    haft_str line = haft__spec_line(text, problem->line);
    size_t shown = haft__utf8_offset(line, 160);
    if (line.len == 0) {
        return;
    }
    (void)fprintf(errors, "%5u | ", problem->line);
    (void)fwrite(line.ptr, 1, shown, errors);
    (void)fprintf(errors, "\n      | %*s^\n", (int)problem->column - 1, "");
}

void haft__spec_file_print(FILE *errors, const char *path, haft_str text,
                           const haft__spec_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const haft__spec_problem *problem = &report->problems[i];
        if (problem->from.len > 0) {
            (void)fprintf(errors, "%.*s: ", HAFT__ARG(problem->from));
        } else if (problem->line > 0) {
            (void)fprintf(errors, "%s:%u:%u: ", path, problem->line, problem->column);
        } else {
            (void)fprintf(errors, "%s: ", path);
        }
        (void)fprintf(errors, "%s: %.*s\n", problem->warning ? "warning" : "error",
                      HAFT__ARG(problem->message));
        if (problem->line > 0) {
            print_line(errors, text, problem);
        }
        if (problem->hint.len > 0) {
            (void)fprintf(errors, "      = hint: %.*s\n", HAFT__ARG(problem->hint));
        }
    }
    size_t left_out = report->errors + report->warnings - report->count;
    if (left_out > 0) {
        (void)fprintf(errors, "%s: %zu more problems\n", path, left_out);
    }
}

/* --set as it is, and --model as a setting too. */
static haft_status gather_sets(haft__arena *arena, const haft__args *args,
                               haft__spec_options *options, haft_error *err)
{
    const char **sets = haft__arena_array(arena, args->given_count + 1, sizeof(*sets));
    if (sets == NULL) {
        return haft__arena_fail(arena, err);
    }
    size_t at = 0;
    for (const char *set; (set = haft__args_next(args, "set", &at)) != NULL;) {
        sets[options->set_count++] = set;
    }
    const char *model = haft__args_text(args, "model", NULL);
    if (model != NULL) {
        haft_str set = haft__arena_format(arena, "model=%s", model);
        if (set.ptr == NULL) {
            return haft__arena_fail(arena, err);
        }
        sets[options->set_count++] = set.ptr;
    }
    options->sets = sets;
    return HAFT_OK;
}

haft_status haft__spec_file_load(haft__arena *arena, const char *path, const haft__args *args,
                                 haft__hash_key hash_key, FILE *errors, const haft__spec **ret_spec,
                                 haft_error *err)
{
    haft_str text = {NULL, 0};
    haft__spec_report report = {0};
    haft__spec_options options = {
        .path = haft__str(path), .env = {get_variable, arena}, .hash_key = hash_key};
    haft_status status = read_file(arena, path, &text, err);
    if (status == HAFT_OK) {
        status = gather_sets(arena, args, &options, err);
    }
    if (status == HAFT_OK) {
        status = haft__spec_load(arena, text, &options, ret_spec, &report, err);
    }
    if (status == HAFT_OK) {
        haft__spec_file_print(errors, path, text, &report);
    }
    return status;
}

/* The directory of the spec, with its slash; nothing for the one we are in. */
static haft_str directory_of(haft_str path)
{
    while (path.len > 0 && path.ptr[path.len - 1] != '/') {
        path.len--;
    }
    return path;
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
    haft_str text = {NULL, 0};
    haft__spec_problems problems;
    haft__spec_document document;
    haft__spec_problems_init(&problems, arena);
    haft_status status = read_file(arena, path.ptr, &text, err);
    if (status == HAFT_OK) {
        status = haft__spec_read(arena, text, hash_key, &problems, &document, err);
    }
    if (status == HAFT_OK && problems.errors > 0) {
        char where[64];
        (void)snprintf(where, sizeof(where), "%u:%u", problems.items[0].line,
                       problems.items[0].column);
        status =
            haft__fail(err, HAFT_BAD_INPUT, where, "%.*s", HAFT__ARG(problems.items[0].message));
    } else if (status == HAFT_OK) {
        status = haft__script_init(ret_script, arena, document.value, err);
    }
    if (status != HAFT_OK && status != HAFT_IO) {
        haft__error_at(err, path.ptr);
    }
    return status;
}
