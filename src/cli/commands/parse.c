/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.c - `haft parse`: parses the calls in a model's text.
 *
 * Parses one text from a file, or one text from each line of a file (--jsonl).
 * docs/schemas/parse.schema.json describes the objects it prints. Tests: tests/cli/parse_test.py.
 */
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/commands/parse_text.h"
#include "cli/input/batch.h"
#include "cli/input/tools_file.h"
#include "cli/terminal/print.h"
#include "format/formats.h"
#include "io/file.h"
#include "io/random.h"
#include "run/event_body.h"
#include "json/object.h"
#include "json/read.h"

/* ---- output ---- */

static void write_calls(haft__json_writer *w, const haft__parsed *parsed)
{
    haft__json_begin_array(w);
    for (size_t i = 0; i < parsed->call_count; i++) {
        const haft__parsed_call *call = &parsed->calls[i];
        haft__json_begin_object(w);
        haft__json_key(w, "id");
        if (call->id.len > 0) {
            haft__json_add_str(w, call->id);
        } else {
            haft__json_add_null(w);
        }
        haft__field_text(w, "name", call->name);
        haft__field_value(w, "arguments", call->arguments);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}

static void write_errors(haft__json_writer *w, const haft__parsed *parsed)
{
    haft__json_begin_array(w);
    for (size_t i = 0; i < parsed->error_count; i++) {
        const haft__parsed_error *error = &parsed->errors[i];
        haft__json_begin_object(w);
        haft__field_string(w, "error", error->truncated ? "truncated" : "malformed");
        haft__field_number(w, "offset", error->offset);
        haft__field_text(w, "why", error->why);
        haft__field_text(w, "text", error->text);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}

/* Writes the object for one text. `failure` is the reason why the text was not parsed, or NULL. */
static void write_object(haft__json_writer *w, haft__json id, const haft__parsed *parsed,
                         const haft_error *failure)
{
    haft__json_begin_object(w);
    haft__field_value(w, "id", id);
    haft__field_text(w, "content", parsed->content);
    haft__field_text(w, "reasoning", parsed->reasoning);
    haft__field_text(w, "code", parsed->code);
    haft__json_key(w, "calls");
    write_calls(w, parsed);
    if (failure != NULL) {
        haft__field_error(w, failure);
    } else {
        haft__field_string(w, "error", haft__parsed_error_name(parsed));
    }
    haft__json_key(w, "errors");
    write_errors(w, parsed);
    haft__field_flag(w, "repaired", parsed->repaired);
    haft__json_end_object(w);
}

/* Prints the object for one text on a line. With `failure` the text was not parsed, and `parsed` is
 * not read. `err` and `failure` may be the same object. */
static haft_status print_object(FILE *out, haft__json id, const haft__parsed *parsed,
                                const haft_error *failure, haft_error *err)
{
    static const haft__parsed empty;
    haft__buf text;
    haft__buf_init(&text, 8 * (size_t)HAFT__LIMIT_FORMAT_BYTES);
    haft__json_writer w;
    haft__json_writer_init(&w, &text);
    write_object(&w, id, failure != NULL ? &empty : parsed, failure);
    haft_status status = haft__print_json_line(out, &text, err);
    haft__buf_finish(&text);
    return status;
}

/* ---- one text ---- */

static haft__exit_status parse_file(haft__cli *cli, const haft__args *args,
                                    haft__parse_request *request, haft_error *err)
{
    const char *path = args->word_count > 0 ? args->words[0] : "-";
    const char *tools = haft__args_text(args, "tools", NULL);
    haft__parsed parsed;
    haft_status status = HAFT_OK;
    if (tools != NULL) {
        haft__tools_list list;
        status = haft__tools_file_read(&cli->arena, tools, request->hash_key, &list, err);
        request->tools = status == HAFT_OK ? list.tools : NULL;
        request->tool_count = status == HAFT_OK ? list.count : 0;
    }
    if (status == HAFT_OK) {
        status =
            haft__file_read_arena(&cli->arena, path, HAFT__LIMIT_FORMAT_BYTES, &request->text, err);
    }
    if (status == HAFT_OK) {
        status = haft__parse_text(&cli->arena, request, &parsed, err);
    }
    if (status == HAFT_OK) {
        status = print_object(cli->out, haft__json_null(), &parsed, NULL, err);
    }
    if (status != HAFT_OK) {
        return HAFT__EXIT_USAGE;
    }
    return parsed.error_count > 0 ? HAFT__EXIT_FAILED : HAFT__EXIT_DONE;
}

/* ---- many lines ---- */

static haft_status require_kind(const haft__json *value, haft__json_kind kind, const char *where,
                                const char *kind_name, haft_error *err)
{
    if (value == NULL || value->kind == kind || value->kind == HAFT__JSON_NULL) {
        return HAFT_OK;
    }
    return haft__json_fail_type(*value, where, kind_name, err);
}

/* Reads a text member. *io_text stays unchanged if the member is missing or null. */
static haft_status read_text(haft__json object, const char *key, const char *where,
                             haft_str *io_text, haft_error *err)
{
    const haft__json *value = haft__json_get(object, haft__str(key));
    haft_status status = require_kind(value, HAFT__JSON_STRING, where, "a string", err);
    if (status == HAFT_OK && value != NULL && value->kind == HAFT__JSON_STRING) {
        *io_text = haft__json_text(*value);
    }
    return status;
}

static haft_status read_flag(haft__json object, const char *key, const char *where, bool *io_flag,
                             haft_error *err)
{
    const haft__json *value = haft__json_get(object, haft__str(key));
    if (value == NULL || value->kind == HAFT__JSON_NULL) {
        return HAFT_OK;
    }
    if (value->kind != HAFT__JSON_TRUE && value->kind != HAFT__JSON_FALSE) {
        return haft__json_fail_type(*value, where, "true or false", err);
    }
    *io_flag = value->kind == HAFT__JSON_TRUE;
    return HAFT_OK;
}

static haft_status read_options(haft__json object, haft__parse_request *request, haft_error *err)
{
    const haft__json *options = haft__json_get(object, HAFT__LIT("options"));
    haft_status status = require_kind(options, HAFT__JSON_OBJECT, "/options", "an object", err);
    if (status != HAFT_OK || options == NULL) {
        return status;
    }
    status = read_flag(*options, "repair", "/options/repair", &request->repair, err);
    if (status == HAFT_OK) {
        status = read_flag(*options, "start_in_reasoning", "/options/start_in_reasoning",
                           &request->start_in_reasoning, err);
    }
    return status == HAFT_OK ? read_text(*options, "starts_after", "/options/starts_after",
                                         &request->starts_after, err)
                             : status;
}

static haft_status require_text(haft_str text, const char *key, haft_error *err)
{
    if (text.ptr != NULL) {
        return HAFT_OK;
    }
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "", "expected the key \"%s\", found none", key);
    return haft__hint(err, status, "a line is {\"format\": ..., \"text\": ...}");
}

static haft_status read_request(haft__arena *arena, haft__json object, haft__parse_request *request,
                                haft_error *err)
{
    const haft__json *tools = haft__json_get(object, HAFT__LIT("tools"));
    haft__tools_list list = {0};
    haft_status status = read_text(object, "format", "/format", &request->format, err);
    if (status == HAFT_OK) {
        status = require_text(request->format, "format", err);
    }
    if (status == HAFT_OK) {
        status = read_text(object, "text", "/text", &request->text, err);
    }
    if (status == HAFT_OK) {
        status = require_text(request->text, "text", err);
    }
    if (status == HAFT_OK && tools != NULL && tools->kind != HAFT__JSON_NULL) {
        status = haft__tools_file_parse(arena, *tools, &list, err);
        if (status != HAFT_OK) {
            haft__error_prepend_location(err, "/tools");
        }
        request->tools = list.tools;
        request->tool_count = list.count;
    }
    return status == HAFT_OK ? read_options(object, request, err) : status;
}

static haft_status read_line(haft__arena *arena, haft_str line, haft__parse_request *request,
                             haft__json *ret_id, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = request->hash_key;
    haft__json object;
    haft_status status = haft__json_read(arena, line, &options, &object, NULL, err);
    if (status == HAFT_OK && object.kind != HAFT__JSON_OBJECT) {
        status = haft__json_fail_type(object, "", "an object", err);
        status = haft__hint(err, status, "a line is {\"format\": ..., \"text\": ...}");
    }
    if (status != HAFT_OK) {
        return status;
    }
    const haft__json *id = haft__json_get(object, HAFT__LIT("id"));
    *ret_id = id != NULL ? *id : haft__json_null();
    return read_request(arena, object, request, err);
}

/* Handles one line and prints an object, also if the line is invalid. Only output can fail here. */
static haft_status handle_line(haft__cli *cli, void *context, haft_str line, size_t number,
                               const haft_error *too_long, haft_error *err)
{
    const haft__parse_request *given = context;
    if (too_long != NULL) {
        return print_object(cli->out, haft__json_null(), NULL, too_long, err);
    }
    haft__parse_request request = *given;
    haft__parsed parsed = {0};
    haft__json id = haft__json_null();
    haft_error failure = {.status = HAFT_OK};
    haft_status status = read_line(&cli->arena, line, &request, &id, &failure);
    if (status == HAFT_OK) {
        status = haft__parse_text(&cli->arena, &request, &parsed, &failure);
    }
    if (status != HAFT_OK) {
        haft__batch_prefix_error(&failure, number);
    }
    return print_object(cli->out, id, &parsed, status != HAFT_OK ? &failure : NULL, err);
}

/* ---- the command ---- */

static haft_status check_words(const haft__args *args, haft_error *err)
{
    bool jsonl = haft__args_has(args, "jsonl");
    const char *tools = haft__args_text(args, "tools", "");
    bool from_input = args->word_count == 0 || strcmp(args->words[0], "-") == 0;
    if (!jsonl && !haft__args_has(args, "format")) {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, "", "expected --format F, found none");
        return haft__hint(err, status, "'haft help parse' lists the formats");
    }
    if (haft__args_has(args, "chunk") && haft__args_number(args, "chunk", 0) == 0) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, "--chunk", "expected at least 1 byte, found 0");
        return haft__hint(err, status, "without --chunk the parser gets the whole text at once");
    }
    if (jsonl && haft__args_has(args, "tools")) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, "", "--jsonl and --tools cannot be combined");
        return haft__hint(err, status, "each line has its own \"tools\"");
    }
    if (!jsonl && from_input && strcmp(tools, "-") == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "only one of FILE and --tools can be standard input");
    }
    return HAFT_OK;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    if (check_words(args, err) != HAFT_OK) {
        return HAFT__EXIT_USAGE;
    }
    const char *format = haft__args_text(args, "format", NULL);
    haft__parse_request request = {
        .format = format != NULL ? haft__str(format) : (haft_str){NULL, 0},
        .repair = haft__args_has(args, "repair"),
        .start_in_reasoning = haft__args_has(args, "start-in-reasoning"),
        .chunk = (size_t)haft__args_number(args, "chunk", 0),
        .hash_key = haft__random_hash_key(),
    };
    if (haft__args_has(args, "jsonl")) {
        return haft__batch_run(cli, args->word_count > 0 ? args->words[0] : "-", handle_line,
                               &request, err);
    }
    return parse_file(cli, args, &request, err);
}

static const haft__option options[] = {
    {"format", 'f', HAFT__OPTION_TEXT, "FORMAT", "the text format of calls"},
    {"tools", 0, HAFT__OPTION_TEXT, "FILE", "the tools, as JSON"},
    {"chunk", 0, HAFT__OPTION_NUMBER, "N", "give the parser N bytes at a time"},
    {"repair", 0, HAFT__OPTION_FLAG, NULL, "repair common JSON mistakes of models"},
    {"start-in-reasoning", 0, HAFT__OPTION_FLAG, NULL, "the prompt ended inside a think block"},
    {"jsonl", 0, HAFT__OPTION_FLAG, NULL, "answer each line {\"format\", \"text\"} of FILE"},
    {0},
};

static const haft__example examples[] = {
    {"haft parse --format hermes reply.txt", "the calls in a reply, as JSON"},
    {"haft parse --format pythonic --tools tools.json - < reply.txt", "only calls of known tools"},
    {0},
};

const haft__command haft__cmd_parse = {
    .name = "parse",
    .usage = "[FILE]",
    .summary = "read the calls in a model's text",
    .help =
        "Prints one JSON object: {\"id\", \"content\", \"reasoning\", \"code\", \"calls\": "
        "[{\"id\",\n"
        "\"name\", \"arguments\"}], \"error\", \"errors\", \"repaired\"}. \"error\" is null, "
        "\"truncated\" or\n"
        "\"malformed\"; if it is not null, \"errors\" has each place and reason, and \"calls\" "
        "has\n"
        "the calls that may still run. The exit status is 0 without an error, 1 with one, 2\n"
        "when the text cannot be read. Numbers keep their spelling.\n\n"
        "    haft parse --jsonl [FILE]\n\n"
        "reads lines {\"format\": ..., \"text\": ...} (also \"id\", \"tools\" and \"options\": "
        "{\"repair\",\n"
        "\"start_in_reasoning\", \"starts_after\"}) and prints such an object for each. When a "
        "line\n"
        "cannot be used, \"error\" is an object with the reason and the line. The exit status is\n"
        "0 when every line was answered, 2 when FILE cannot be read.\n\n"
        "Tools are names or objects with \"name\" and \"parameters\". These are a JSON Schema,\n"
        "which gives values their types if the format does not.\n\n"
        "The formats, in lower or upper case (json is purejson, code is "
        "codemode):\n\n" HAFT__FORMATS(
            HAFT__FORMATS_LINE) "\n"
                                "native_openai, native_anthropic and native_gemini are replies of "
                                "the providers, whole\n"
                                "or as event streams.\n",
    .options = options,
    .examples = examples,
    .max_words = 1,
    .run = run,
};
