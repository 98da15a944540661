/* SPDX-License-Identifier: Apache-2.0 */
/* spec_file.c - reading specs, and showing what is wrong with them. Tests:
 * tests/cli/check_test.py. */
#include "cli/spec_file.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "io/environment.h"
#include "io/file.h"
#include "io/random.h"
#include "model/provider.h"

/* Characters of a line that are shown before and behind the place. */
#define SHOWN_BEFORE 80U
#define SHOWN        120U

/* The values of --set, in their order, and behind them --model, which is one more. */
static haft_status collect_sets(haft__cli *cli, const haft__args *args, haft__spec_options *options,
                                haft_error *err)
{
    const char **sets = haft__arena_array(&cli->arena, args->given_count + 1, sizeof(*sets));
    if (sets == NULL) {
        return haft__arena_fail(&cli->arena, err);
    }
    size_t at = 0;
    for (const char *set; (set = haft__args_next(args, "set", &at)) != NULL;) {
        sets[options->set_count++] = set;
    }
    const char *model = haft__args_text(args, "model", NULL);
    if (model != NULL) {
        haft_str set = haft__arena_format(&cli->arena, "model=%s", model);
        if (set.ptr == NULL) {
            return haft__arena_fail(&cli->arena, err);
        }
        sets[options->set_count++] = set.ptr;
    }
    options->sets = sets;
    return HAFT_OK;
}

haft_status haft__spec_file_read(haft__cli *cli, const char *path, const haft__args *args,
                                 haft__spec_file *ret_file, haft_error *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    haft__spec_file file = {.name = is_stdin ? "standard input" : path};
    haft_str place = haft__file_absolute(&cli->arena, path); /* others go on elsewhere */
    haft__spec_options options = {.path = place,
                                  .env = {haft__environment_get, NULL},
                                  .find_price = haft__provider_price,
                                  .hash_key = haft__random_hash_key()};
    if (place.ptr == NULL) {
        return haft__arena_fail(&cli->arena, err);
    }
    haft_status status =
        haft__file_keep(&cli->arena, path, HAFT__LIMIT_SPEC_BYTES, &file.text, err);
    if (status == HAFT_OK) {
        status = collect_sets(cli, args, &options, err);
    }
    if (status == HAFT_OK) {
        status = haft__spec_load(&cli->arena, file.text, &options, &file.spec, &file.report, err);
    }
    if (status == HAFT_OK) {
        *ret_file = file;
    }
    return status;
}

/* ---- showing ---- */

/* The line around the column, and a caret below it. A tab stays a tab in both, so that the caret
 * stands where it should. */
static void print_line(FILE *out, haft_str line, uint32_t column)
{
    size_t first = column > SHOWN_BEFORE ? column - SHOWN_BEFORE : 0;
    haft_str shown = haft__str_skip(line, haft__utf8_offset(line, first));
    shown.len = haft__utf8_offset(shown, SHOWN);
    size_t before = haft__utf8_offset(shown, column - 1 - first);
    (void)fprintf(out, "    %.*s\n    ", (int)shown.len, shown.ptr);
    for (size_t at = 0; at < before;) {
        uint32_t code;
        size_t length = haft__utf8_decode(haft__str_skip(shown, at), &code);
        (void)fputc(shown.ptr[at] == '\t' ? '\t' : ' ', out);
        at += length > 0 ? length : 1;
    }
    (void)fputs("^\n", out);
}

static void print_problem(const haft__spec_file *file, const haft__spec_problem *problem, FILE *out)
{
    const char *kind = problem->warning ? "warning" : "error";
    if (problem->from.len > 0) {
        (void)fprintf(out, "%.*s: %s: %.*s\n", HAFT__ARG(problem->from), kind,
                      HAFT__ARG(problem->message));
    } else if (problem->line == 0) {
        (void)fprintf(out, "%s: %s: %.*s\n", file->name, kind, HAFT__ARG(problem->message));
    } else {
        (void)fprintf(out, "%s:%u:%u: %s: %.*s\n", file->name, problem->line, problem->column, kind,
                      HAFT__ARG(problem->message));
        haft_str line = haft__spec_line(file->text, problem->line);
        if (haft__utf8_valid(line) && line.len > 0) {
            print_line(out, line, problem->column);
        }
    }
    if (problem->hint.len > 0) {
        (void)fprintf(out, "    hint: %.*s\n", HAFT__ARG(problem->hint));
    }
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

void haft__spec_file_print(const haft__spec_file *file, FILE *out)
{
    const haft__spec_report *report = &file->report;
    for (size_t i = 0; i < report->count; i++) {
        print_problem(file, &report->problems[i], out);
    }
    if (report->errors + report->warnings == 0) {
        (void)fprintf(out, "%s: good\n", file->name);
        return;
    }
    (void)fprintf(out, "%s: %zu error%s, %zu warning%s", file->name, report->errors,
                  plural(report->errors), report->warnings, plural(report->warnings));
    if (report->count < report->errors + report->warnings) {
        (void)fprintf(out, "; the first %zu are shown", report->count);
    }
    (void)fputc('\n', out);
}

bool haft__spec_file_usable(const haft__spec_file *file, haft__cli *cli)
{
    if (file->spec == NULL) {
        haft__spec_file_print(file, cli->errors);
    }
    return file->spec != NULL;
}
