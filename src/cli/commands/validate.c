/* SPDX-License-Identifier: Apache-2.0 */
/*
 * validate.c - `haft validate`: checks a JSON text against a JSON Schema.
 *
 * Checks one instance from a file, or a schema and an instance from each line (--jsonl).
 * docs/schemas/validate.schema.json describes the objects it prints. Tests:
 * tests/cli/validate_test.py.
 */
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/input/batch.h"
#include "cli/input/remotes.h"
#include "cli/terminal/diagnostic.h"
#include "cli/terminal/print.h"
#include "io/file.h"
#include "io/random.h"
#include "run/event_body.h"
#include "schema/schema.h"
#include "json/builder.h"
#include "json/object.h"
#include "json/read.h"

/* A schema and an instance to check, from the command line or from a line of a file. */
typedef struct request {
    haft__json schema, instance;
    haft__schema_draft draft;
    bool coerce;
} request;

typedef struct verdict {
    haft__schema_report report;
    haft__json instance; /* after the conversion, if one was requested */
    bool changed;
} verdict;

/* A text that is not JSON; the error message shows its line. */
typedef struct unreadable {
    const char *name; /* NULL: none */
    haft_str text;
} unreadable;

typedef struct validator {
    haft__checker *checker;
    unreadable bad;
    haft__remotes remotes;
    haft__hash_key hash_key;
    haft__schema_draft draft;
    bool coerce;
} validator;

static haft_status validate(validator *v, haft__arena *arena, const request *req,
                            verdict *ret_verdict, haft_error *err)
{
    haft__schema_options options = {.draft = req->draft,
                                    .find = haft__remotes_find,
                                    .context = &v->remotes,
                                    .hash_key = v->hash_key};
    const haft__schema *schema = NULL;
    verdict result = {.instance = req->instance};
    v->remotes.problem = (haft_error){.status = HAFT_OK};
    haft_status status = haft__schema_compile(arena, req->schema, &options, &schema, err);
    if (status != HAFT_OK && v->remotes.problem.status != HAFT_OK) {
        /* The reference is unresolved because a document cannot be read. */
        *err = v->remotes.problem;
        return err->status;
    }
    if (status == HAFT_OK && req->coerce) {
        status = haft__schema_coerce(schema, v->checker, req->instance, arena, &result.instance,
                                     &result.changed, err);
    }
    if (status == HAFT_OK) {
        status =
            haft__schema_check(schema, v->checker, result.instance, arena, &result.report, err);
    }
    if (status == HAFT_OK) {
        *ret_verdict = result;
    }
    return status;
}

/* ---- output ---- */

static void write_errors(haft__json_writer *w, const haft__schema_report *report)
{
    haft__json_begin_array(w);
    for (size_t i = 0; i < report->count; i++) {
        haft__json_begin_object(w);
        haft__field_text(w, "where", report->errors[i].where);
        haft__field_text(w, "message", report->errors[i].message);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}

/* Prints the verdict or the error as one line of JSON. `id` may be NULL. `err` and `failure` may be
 * the same object: `failure` is written before `err` can be set. */
static haft_status print_object(FILE *out, const haft__json *id, const verdict *found,
                                const haft_error *failure, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, 4 * (size_t)HAFT__LIMIT_JSON_BYTES);
    haft__json_writer w;
    haft__json_writer_init(&w, &text);
    haft__json_begin_object(&w);
    if (id != NULL) {
        haft__field_value(&w, "id", *id);
    }
    haft__json_key(&w, "valid");
    if (failure != NULL) {
        haft__json_add_null(&w);
    } else {
        haft__json_add_bool(&w, found->report.valid);
    }
    haft__json_key(&w, "errors");
    write_errors(&w, failure != NULL ? &(haft__schema_report){0} : &found->report);
    haft__field_flag(&w, "more", failure == NULL && found->report.more);
    haft__field_value(&w, "coerced",
                      failure == NULL && found->changed ? found->instance : haft__json_null());
    haft__field_error(&w, failure);
    haft__json_end_object(&w);
    haft_status status = haft__print_json_line(out, &text, err);
    haft__buf_finish(&text);
    return status;
}

static void print_words(FILE *out, haft_str name, const verdict *found)
{
    const haft__schema_report *report = &found->report;
    if (report->valid) {
        haft__print_escaped(out, name);
        (void)fprintf(out, ": valid%s\n", found->changed ? " (after conversion)" : "");
        return;
    }
    for (size_t i = 0; i < report->count; i++) {
        const haft__schema_error *error = &report->errors[i];
        haft__print_escaped(out, name);
        (void)fputs(": ", out);
        haft__print_escaped(out, error->where);
        (void)fputs(error->where.len > 0 ? ": " : "", out);
        haft__print_escaped(out, error->message);
        (void)fputc('\n', out);
    }
    haft__print_escaped(out, name);
    (void)fprintf(out, ": not valid: %zu%s error%s\n", report->count,
                  report->more ? " or more" : "", report->count == 1 ? "" : "s");
}

/* ---- two files ---- */

static const char *name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

static haft_status read_json(validator *v, haft__arena *arena, const char *path,
                             bool reject_duplicates, haft__json *ret_value, haft_error *err)
{
    haft_str kept = {NULL, 0};
    haft_status status = haft__file_read_arena(arena, path, HAFT__LIMIT_JSON_BYTES, &kept, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.reject_duplicates = reject_duplicates;
    options.hash_key = v->hash_key;
    status = haft__json_read(arena, kept, &options, ret_value, NULL, err);
    if (status != HAFT_OK) {
        v->bad = (unreadable){name_of(path), kept};
        haft__error_prepend_location(err, name_of(path));
    }
    return status;
}

static haft__exit_status validate_files(haft__cli *cli, validator *v, const haft__args *args,
                                        haft_error *err)
{
    const char *schema_path = args->words[0], *instance_path = args->words[1];
    request req = {.draft = v->draft, .coerce = v->coerce};
    verdict found = {0};
    haft_status status = read_json(v, &cli->arena, schema_path, true, &req.schema, err);
    if (status == HAFT_OK) {
        status = read_json(v, &cli->arena, instance_path, false, &req.instance, err);
    }
    if (status == HAFT_OK) {
        status = validate(v, &cli->arena, &req, &found, err);
        if (status != HAFT_OK && err->where[0] != '\0' && v->remotes.problem.status == HAFT_OK) {
            haft__error_prepend_location(err, name_of(schema_path));
        }
    }
    if (haft__args_has(args, "json")) {
        haft_error failure = *err;
        *err = (haft_error){.status = HAFT_OK};
        haft_error *shown_error = status != HAFT_OK ? &failure : NULL;
        haft_status printed = print_object(cli->out, NULL, &found, shown_error, &failure);
        if (printed != HAFT_OK) { /* print the error instead */
            status = print_object(cli->out, NULL, NULL, &failure, err);
            return status == HAFT_OK ? HAFT__EXIT_USAGE : HAFT__EXIT_FAILED;
        }
    } else if (status == HAFT_OK) {
        print_words(cli->out, haft__str(name_of(instance_path)), &found);
    } else if (v->bad.name != NULL) {
        haft__diagnostic_print_json_error(cli->errors, v->bad.name, v->bad.text, false, err);
        *err = (haft_error){.status = HAFT_OK}; /* already reported */
    }
    if (status != HAFT_OK) {
        return HAFT__EXIT_USAGE;
    }
    return found.report.valid ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
}

/* ---- many lines ---- */

/* Parses the member "schema" of a line again, and rejects duplicate keys. */
static haft_status refuse_schema_duplicates(const validator *v, haft__arena *arena, haft_str line,
                                            haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.reject_duplicates = true;
    options.hash_key = v->hash_key;
    haft__json_stream stream;
    haft__json_stream_init(&stream, &options);
    haft__json_builder builder;
    haft__json_builder_init(&builder, arena, &options);
    haft__json_event event;
    bool in_schema = false;
    haft_status status;
    do {
        status = haft__json_stream_next(&stream, &line, &event, err);
        if (status == HAFT_OK && event.kind == HAFT__JSON_EVENT_KEY && event.depth == 1) {
            in_schema = haft__str_equal(haft__json_text(event.value), HAFT__LIT("schema"));
            haft__json_builder_finish(&builder);
            haft__json_builder_init(&builder, arena, &options);
        } else if (status == HAFT_OK && in_schema && event.depth > 0) {
            status = haft__json_builder_add(&builder, &event, err);
        }
    } while (status == HAFT_OK && event.kind != HAFT__JSON_EVENT_DONE
             && event.kind != HAFT__JSON_EVENT_MORE);
    haft__json_builder_finish(&builder);
    haft__json_stream_finish(&stream);
    return status;
}

static haft_status require_member(const haft__json *found, const char *key, haft_error *err)
{
    if (found != NULL) {
        return HAFT_OK;
    }
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "", "expected the key \"%s\", found none", key);
    return haft__hint(err, status, "a line is {\"schema\": ..., \"instance\": ...}");
}

/* Reads "draft" and "coerce" of a line, if the line has them. */
static haft_status read_choices(haft__json object, request *req, haft_error *err)
{
    const haft__json *draft = haft__json_get(object, HAFT__LIT("draft"));
    const haft__json *coerce = haft__json_get(object, HAFT__LIT("coerce"));
    if (coerce != NULL && coerce->kind != HAFT__JSON_TRUE && coerce->kind != HAFT__JSON_FALSE) {
        return haft__json_fail_type(*coerce, "/coerce", "true or false", err);
    }
    if (coerce != NULL) {
        req->coerce = coerce->kind == HAFT__JSON_TRUE;
    }
    if (draft == NULL || draft->kind == HAFT__JSON_NULL) {
        return HAFT_OK;
    }
    haft_str name = haft__json_text(*draft);
    if (haft__str_equal(name, HAFT__LIT("7"))) {
        req->draft = HAFT__SCHEMA_07;
        return HAFT_OK;
    }
    if (haft__str_equal(name, HAFT__LIT("2020-12"))) {
        req->draft = HAFT__SCHEMA_2020_12;
        return HAFT_OK;
    }
    return haft__fail(err, HAFT_BAD_INPUT, "/draft",
                      "expected \"7\" or \"2020-12\", found \"%.*s\"", HAFT__ARG(name));
}

static haft_status read_line(const validator *v, haft__arena *arena, haft_str line, request *req,
                             const haft__json **ret_id, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = v->hash_key;
    haft__json *object = haft__arena_alloc(arena, sizeof(*object));
    if (object == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft__json_notes notes;
    haft_status status = haft__json_read(arena, line, &options, object, &notes, err);
    if (status == HAFT_OK && notes.duplicate_keys > 0) {
        status = refuse_schema_duplicates(v, arena, line, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    *ret_id = haft__json_get(*object, HAFT__LIT("id"));
    const haft__json *schema = haft__json_get(*object, HAFT__LIT("schema"));
    const haft__json *instance = haft__json_get(*object, HAFT__LIT("instance"));
    status = require_member(schema, "schema", err);
    if (status == HAFT_OK) {
        status = require_member(instance, "instance", err);
    }
    if (status == HAFT_OK) {
        req->schema = *schema;
        req->instance = *instance;
        status = read_choices(*object, req, err);
    }
    return status;
}

/* Handles one line and prints an object, also if the line is invalid. Only output can fail here. */
static haft_status handle_line(haft__cli *cli, void *context, haft_str line, size_t number,
                               const haft_error *too_long, haft_error *err)
{
    validator *v = context;
    if (too_long != NULL) {
        return print_object(cli->out, NULL, NULL, too_long, err);
    }
    request req = {.draft = v->draft, .coerce = v->coerce};
    verdict found = {0};
    const haft__json *id = NULL;
    haft_error failure = {.status = HAFT_OK};
    haft_status status = read_line(v, &cli->arena, line, &req, &id, &failure);
    if (status == HAFT_OK) {
        status = validate(v, &cli->arena, &req, &found, &failure);
    }
    if (status != HAFT_OK) {
        haft__batch_prefix_error(&failure, number);
    }
    status = print_object(cli->out, id, &found, status != HAFT_OK ? &failure : NULL, &failure);
    if (status != HAFT_OK) { /* print the error instead of the verdict */
        haft__batch_prefix_error(&failure, number);
        status = print_object(cli->out, id, NULL, &failure, err);
    }
    return status;
}

static haft__exit_status check_words(const haft__args *args, haft_error *err)
{
    bool jsonl = haft__args_has(args, "jsonl");
    if (jsonl && haft__args_has(args, "json")) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, "", "--json and --jsonl cannot be combined");
        (void)haft__hint(err, status, "--jsonl prints a JSON object for each line anyway");
        return HAFT__EXIT_USAGE;
    }
    if (jsonl && args->word_count > 1) {
        (void)haft__fail(err, HAFT_BAD_INPUT, "", "--jsonl expects at most one FILE, found %zu",
                         args->word_count);
        return HAFT__EXIT_USAGE;
    }
    if (!jsonl && args->word_count != 2) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, "", "expected SCHEMA INSTANCE, found %zu argument%s",
                       args->word_count, args->word_count == 1 ? "" : "s");
        (void)haft__hint(err, status, "see 'haft help validate'");
        return HAFT__EXIT_USAGE;
    }
    if (!jsonl && strcmp(args->words[0], "-") == 0 && strcmp(args->words[1], "-") == 0) {
        (void)haft__fail(err, HAFT_BAD_INPUT, "",
                         "only one of SCHEMA and INSTANCE can be standard input");
        return HAFT__EXIT_USAGE;
    }
    return HAFT__EXIT_DONE;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    const char *directory = haft__args_text(args, "remotes", NULL);
    haft__exit_status result = check_words(args, err);
    if (result != HAFT__EXIT_DONE) {
        return result;
    }
    if (haft__remotes_check(directory, err) != HAFT_OK) {
        return HAFT__EXIT_USAGE;
    }
    validator v = {.checker = haft__checker_create(), .hash_key = haft__random_hash_key()};
    if (v.checker == NULL) {
        (void)haft__fail_no_memory(err);
        return HAFT__EXIT_FAILED;
    }
    bool seven = strcmp(haft__args_text(args, "draft", "2020-12"), "7") == 0;
    v.draft = seven ? HAFT__SCHEMA_07 : HAFT__SCHEMA_2020_12;
    v.coerce = haft__args_has(args, "coerce");
    haft__remotes_init(&v.remotes, directory, v.hash_key);
    if (haft__args_has(args, "jsonl")) {
        result =
            haft__batch_run(cli, args->word_count > 0 ? args->words[0] : "-", handle_line, &v, err);
    } else {
        result = validate_files(cli, &v, args, err);
    }
    haft__remotes_finish(&v.remotes);
    haft__checker_destroy(v.checker);
    return result;
}

static const haft__option options[] = {
    {"draft", 0, HAFT__OPTION_CHOICE, "7|2020-12",
     "draft of a schema without $schema; by default 2020-12"},
    {"remotes", 0, HAFT__OPTION_TEXT, "DIR", "directory that is served as " HAFT__REMOTES_URL},
    {"coerce", 0, HAFT__OPTION_FLAG, NULL, "first convert values without loss (\"10\" to 10)"},
    {"json", 0, HAFT__OPTION_FLAG, NULL, "print one JSON object"},
    {"jsonl", 0, HAFT__OPTION_FLAG, NULL, "answer each line {\"schema\", \"instance\"} of FILE"},
    {0},
};

static const haft__example examples[] = {
    {"haft validate schema.json instance.json", "print why the instance is not valid"},
    {"haft validate --json schema.json - < instance.json",
     "read standard input; print the verdict as JSON"},
    {0},
};

const haft__command haft__cmd_validate = {
    .name = "validate",
    .usage = "SCHEMA INSTANCE",
    .summary = "check JSON against a JSON Schema (2020-12, draft-07)",
    .help =
        "Prints every reason why INSTANCE is not valid. The exit status is 0 when it is valid,\n"
        "1 when it is not, 2 when the schema or the instance cannot be used. `format` is an\n"
        "annotation and checks nothing. No document is ever fetched from a network.\n\n"
        "    haft validate --jsonl [FILE]\n\n"
        "reads lines {\"schema\": ..., \"instance\": ...} (also \"draft\", \"coerce\", \"id\") and "
        "prints\n"
        "for each {\"valid\", \"errors\": [{\"where\", \"message\"}], \"more\", \"error\"}. When a "
        "line\n"
        "cannot be used, \"valid\" is null and \"error\" has the reason and the line. The exit\n"
        "status is 0 when every line was answered, 2 when FILE cannot be read.\n",
    .options = options,
    .examples = examples,
    .max_words = 2,
    .run = run,
};
