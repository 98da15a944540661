/* SPDX-License-Identifier: Apache-2.0 */
/* spec_file.c - reads specs, and prints their problems. Tests: tests/cli/check_test.py. */
#include "cli/input/spec_file.h"

#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/terminal/diagnostic.h"
#include "cli/terminal/print.h"
#include "engine/endpoint.h"
#include "engine/memory_file.h"
#include "engine/script_file.h"
#include "engine/spec_path.h"
#include "exec/skill/visit.h"
#include "io/file.h"
#include "io/random.h"
#include "model/price.h"
#include "model/provider.h"

haft_status haft__spec_file_overrides(haft__cli *cli, const haft__args *args,
                                      const char *const **ret_sets, size_t *ret_count,
                                      haft_error *err)
{
    size_t at = 0, count = 0;
    const char *model = haft__args_text(args, "model", NULL);
    const char **sets = haft__arena_array(&cli->arena, args->given_count + 1, sizeof(*sets));
    if (sets == NULL) {
        return haft__arena_fail(&cli->arena, err);
    }
    for (const char *set; (set = haft__args_next(args, "set", &at)) != NULL;) {
        sets[count++] = set;
    }
    if (model != NULL) {
        haft_str set = haft__arena_format(&cli->arena, "model=%s", model);
        if (set.ptr == NULL) {
            return haft__arena_fail(&cli->arena, err);
        }
        sets[count++] = set.ptr;
    }
    *ret_sets = sets;
    *ret_count = count;
    return HAFT_OK;
}

/* Collects the overrides for loading the spec and for storing the run. A run stores --model as the
 * last override; for loading, --model is a separate option with its origin. */
static haft_status collect_sets(haft__cli *cli, const haft__args *args, haft__spec_options *options,
                                haft__spec_origin *ret_origin, haft_error *err)
{
    size_t count = 0;
    haft__setting model = haft__config_get(cli, args, HAFT__SETTING_model);
    haft_status status = haft__spec_file_overrides(cli, args, &options->sets, &count, err);
    options->model = model.value;
    options->model_from = model.from;
    options->model_always = haft__args_has(args, "model");
    options->set_count = options->model_always ? count - 1 : count;
    *ret_origin = (haft__spec_origin){.sets = options->sets, .set_count = count};
    return status;
}

/* Adds a hint if SPEC and TASK may be swapped: if the second word is a file. */
static haft_status fail_unreadable(const haft__args *args, haft_status status, haft_error *err)
{
    struct stat about;
    bool swapped = status == HAFT_IO && args->word_count > 1 && stat(args->words[1], &about) == 0
                   && S_ISREG(about.st_mode);
    return swapped ? haft__hint(err, status, "the spec comes first, then the task: %s 'TASK'",
                                args->words[1])
                   : status;
}

/* Checks that a run could call the model: that its script can be read, or its endpoint resolved.
 * Has the type of haft__spec_options.check_model. */
static haft_status check_model(void *context, haft__arena *arena, const haft__spec *spec,
                               bool embeddings, haft_error *err)
{
    haft__script script;
    haft__redactor redactor;
    const haft__model_spec *model = &spec->model;
    haft__runtime_env env = haft__config_env(context);
    haft__endpoint endpoint = {.env = env.env,
                               .key_env = env.key_env,
                               .arena = arena,
                               .redactor = &redactor,
                               .model = model,
                               .provider = haft__provider_for_model(model)};
    haft__redactor_init(&redactor, arena);
    if (embeddings) {
        return haft__endpoint_resolve_embeddings(&endpoint, &spec->embeddings, err);
    }
    bool local = haft__provider_is_local(model);
    if (model->provider.len == 0 || haft__provider_is_offline(model)
        || (!local && endpoint.provider == NULL)) {
        return HAFT_OK; /* offline, or an error of the spec */
    }
    return local ? haft__script_file_load(arena, spec, haft__random_hash_key(), &script, err)
                 : haft__endpoint_resolve(&endpoint, err);
}

typedef enum spec_use {
    SPEC_FOR_RUN,
    SPEC_FOR_CHECK,   /* also checks the model of the spec */
    SPEC_FOR_INSPECT, /* for a command that starts no run */
    SPEC_FOR_LOG,     /* for reading the log of a run */
} spec_use;

/* Name of a spec that is part of the program. It is also the file name for relative paths. */
#define BUILT_IN "built-in.yaml"

/* Adds overrides before those of the command line. */
static haft_status add_sets(haft__cli *cli, haft__spec_options *options, haft__spec_origin *origin,
                            const char *const *sets, size_t count, haft_error *err)
{
    const char **combined =
        haft__arena_array(&cli->arena, count + origin->set_count + 1, sizeof(*combined));
    if (combined == NULL) {
        return haft__arena_fail(&cli->arena, err);
    }
    for (size_t i = 0; i < count; i++) {
        combined[i] = sets[i];
    }
    for (size_t i = 0; i < origin->set_count; i++) {
        combined[count + i] = origin->sets[i];
    }
    options->sets = origin->sets = combined;
    options->set_count += count;
    origin->set_count += count;
    return HAFT_OK;
}

/* A spec and how it is read. */
typedef struct spec_request {
    const char *path; /* NULL: the spec is `text` */
    haft_str text;
    spec_use use;
    const char *const *sets; /* further overrides */
    size_t set_count;
} spec_request;

static haft_status read_spec(haft__cli *cli, const spec_request *request, const haft__args *args,
                             haft__spec_file *ret_file, haft_error *err)
{
    const char *path = request->path != NULL ? request->path : BUILT_IN;
    spec_use use = request->use;
    bool is_stdin = strcmp(path, "-") == 0;
    haft__spec_file file = {.name = is_stdin ? "standard input" : path, .text = request->text};
    haft_str absolute =
        haft__file_absolute(&cli->arena, path); /* the working directory may change */
    haft__runtime_env env = haft__config_env(cli);
    haft__spec_options options = {.path = absolute,
                                  .env = env.env,
                                  .find_price = haft__price_find,
                                  .price_context = env.prices,
                                  .read_file = haft__spec_path_read,
                                  .read_memory = haft__memory_file_read,
                                  .read_agents_md = haft__memory_file_read_agents_md,
                                  .visit_skills = haft__skill_visit_all,
                                  .find_program = haft__spec_path_find_program,
                                  .has_directory = haft__spec_path_has_directory,
                                  .check_model = use == SPEC_FOR_CHECK ? check_model : NULL,
                                  .check_only = use == SPEC_FOR_INSPECT,
                                  .kept = use == SPEC_FOR_LOG,
                                  .model_context = cli,
                                  .hash_key = haft__random_hash_key()};
    if (absolute.ptr == NULL) {
        return haft__arena_fail(&cli->arena, err);
    }
    haft_status status =
        request->path == NULL
            ? HAFT_OK
            : haft__file_read_arena(&cli->arena, path, HAFT__LIMIT_SPEC_BYTES, &file.text, err);
    if (status != HAFT_OK) {
        return fail_unreadable(args, status, err);
    }
    status = collect_sets(cli, args, &options, &file.origin, err);
    if (status == HAFT_OK && request->set_count > 0) {
        status = add_sets(cli, &options, &file.origin, request->sets, request->set_count, err);
    }
    if (status == HAFT_OK) {
        status = haft__spec_load(&cli->arena, file.text, &options, &file.spec, &file.report, err);
    }
    if (status == HAFT_OK) {
        *ret_file = file;
        if (!is_stdin && request->path != NULL) {
            haft__sha256_hex(file.text, ret_file->file);
            ret_file->origin.file = (haft_str){ret_file->file, sizeof(ret_file->file)};
        }
    }
    return status;
}

haft_status haft__spec_file_read(haft__cli *cli, const char *path, const haft__args *args,
                                 haft__spec_file *ret_file, haft_error *err)
{
    spec_request request = {.path = path, .use = SPEC_FOR_RUN};
    return read_spec(cli, &request, args, ret_file, err);
}

haft_status haft__spec_file_check(haft__cli *cli, const char *path, const haft__args *args,
                                  haft__spec_file *ret_file, haft_error *err)
{
    spec_request request = {.path = path, .use = SPEC_FOR_CHECK};
    return read_spec(cli, &request, args, ret_file, err);
}

haft_status haft__spec_file_inspect(haft__cli *cli, const char *path, const haft__args *args,
                                    haft__spec_file *ret_file, haft_error *err)
{
    spec_request request = {.path = path, .use = SPEC_FOR_INSPECT};
    return read_spec(cli, &request, args, ret_file, err);
}

haft_status haft__spec_file_read_for_log(haft__cli *cli, const char *path, const haft__args *args,
                                         haft__spec_file *ret_file, haft_error *err)
{
    spec_request request = {.path = path, .use = SPEC_FOR_LOG};
    return read_spec(cli, &request, args, ret_file, err);
}

haft_status haft__spec_file_read_with(haft__cli *cli, const char *path, haft_str text,
                                      const haft__args *args, const char *const *sets,
                                      size_t set_count, haft__spec_file *ret_file, haft_error *err)
{
    spec_request request = {
        .path = path, .text = text, .use = SPEC_FOR_RUN, .sets = sets, .set_count = set_count};
    return read_spec(cli, &request, args, ret_file, err);
}

/* ---- output ---- */

/* Whether a problem marks the character in this column as secret. */
static bool is_secret(const haft__spec_report *report, uint32_t line, uint32_t column)
{
    for (size_t i = 0; i < report->count; i++) {
        const haft__spec_problem *p = &report->problems[i];
        if (p->secret && p->from.len == 0 && p->line == line && column >= p->column
            && (p->extent == 0 || column < p->column + p->extent)) {
            return true;
        }
    }
    return false;
}

/* Replaces each character of a secret by a star, so that the caret below the line stays correct. */
static void hide_secrets(const haft__spec_file *file, uint32_t line, haft__buf *shown)
{
    haft_str text = haft__spec_line_text(file->text, line);
    uint32_t column = 0;
    for (size_t i = 0; i < text.len; i++) {
        bool first = ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
        column += first;
        if (!is_secret(&file->report, line, column)) {
            haft__buf_add_char(shown, text.ptr[i]);
        } else if (first) {
            haft__buf_add_char(shown, '*');
        }
    }
}

static void print_problem(const haft__spec_file *file, const haft__spec_problem *problem, FILE *out)
{
    haft__buf shown;
    haft__buf_init(&shown, HAFT__LIMIT_SPEC_BYTES);
    haft__diagnostic c = {.file_or_option = haft__str(file->name),
                          .line = problem->line,
                          .column = problem->column,
                          .extent = problem->extent,
                          .warning = problem->warning,
                          .message = problem->message,
                          .hint = problem->hint};
    if (problem->from.len > 0) {
        haft_str rest = problem->from;
        bool option = problem->from_column > 0;
        c.file_or_option = option ? haft__str_split(&rest, ' ') : problem->from;
        c.source_line = option ? rest : (haft_str){NULL, 0};
        c.option = true;
        c.column = problem->from_column;
    } else if (problem->line > 0) {
        hide_secrets(file, problem->line, &shown);
        c.source_line =
            haft__buf_check(&shown, NULL) == HAFT_OK ? haft__buf_str(&shown) : c.source_line;
    }
    haft__diagnostic_print(out, &c);
    haft__buf_finish(&shown);
}

/* Whether all problems are in options of the command line. */
static bool is_options_only(const haft__spec_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        if (report->problems[i].from.len == 0) {
            return false;
        }
    }
    return report->count == report->errors + report->warnings;
}

void haft__spec_file_print(const haft__spec_file *file, FILE *out)
{
    const haft__spec_report *report = &file->report;
    for (size_t i = 0; i < report->count; i++) {
        print_problem(file, &report->problems[i], out);
    }
    if (report->errors + report->warnings == 0) {
        haft__print_escaped(out, haft__str(file->name));
        (void)fputs(": good\n", out);
        return;
    }
    if (!is_options_only(report)) {
        haft__diagnostic_print_summary(out, haft__str(file->name), report->errors, report->warnings,
                                       report->count);
    }
}

/* Stores the first error, for --json. */
static void note_problem(const haft__spec_file *file, haft__cli *cli)
{
    for (size_t i = 0; i < file->report.count; i++) {
        const haft__spec_problem *problem = &file->report.problems[i];
        char where[64] = "";
        if (problem->warning) {
            continue;
        }
        if (problem->line > 0) {
            (void)snprintf(where, sizeof(where), "%u:%u", problem->line, problem->column);
        } else {
            (void)snprintf(where, sizeof(where), "%.*s", HAFT__ARG(problem->from));
        }
        (void)haft__fail(&cli->problem, HAFT_BAD_INPUT, where, "%.*s", HAFT__ARG(problem->message));
        (void)haft__hint(&cli->problem, HAFT_BAD_INPUT, "%.*s", HAFT__ARG(problem->hint));
        haft__error_prepend_location(&cli->problem, file->name);
        return;
    }
}

/* Warns about omitted servers of an imported file. Every command that uses the spec prints this
 * warning, because another program writes that file and users do not run `haft check` after that.
 */
static void report_left_out(const haft__spec_file *file, haft__cli *cli)
{
    for (size_t i = 0; i < file->report.count; i++) {
        const haft__spec_problem *problem = &file->report.problems[i];
        if (problem->warning && haft__str_equal(problem->pointer, HAFT__LIT("/mcp/import"))) {
            (void)fputs("haft: warning: ", cli->errors);
            haft__print_escaped(cli->errors, problem->message);
            (void)fputc('\n', cli->errors);
        }
    }
}

bool haft__spec_file_usable(const haft__spec_file *file, haft__cli *cli)
{
    if (file->spec == NULL) {
        haft__spec_file_print(file, cli->errors);
        note_problem(file, cli);
    } else {
        report_left_out(file, cli);
    }
    return file->spec != NULL;
}
