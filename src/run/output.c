/* SPDX-License-Identifier: Apache-2.0 */
/* output.c - see run/output.h. Tests: tests/run/output_test.c. */
#include "run/output.h"

#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "tool/wire_name.h"
#include "json/read.h"

bool haft__output_is_checked(const haft__tool *tool)
{
    return tool->output != NULL;
}

#define MISMATCH " does not match its output_schema: "

static void add_start(haft__buf *why, const haft__tool *tool)
{
    haft__wire_name wire = haft__wire_name_encode(tool->name);
    haft__buf_addf(why, "%s ran, but its result" MISMATCH, wire.text);
}

static void add_start_provided(haft__buf *why, const haft__tool *tool)
{
    haft__wire_name wire = haft__wire_name_encode(tool->name);
    haft__buf_addf(why, "the result provided for %s" MISMATCH, wire.text);
}

/* The messages of the validator speak of arguments. This function replaces them by members. */
static void add_report(haft__buf *why, const haft__schema_report *report)
{
    static const struct {
        const char *argument, *member;
    } words[] = {
        {"Missing required argument: ", "Missing member: "},
        {"Unknown argument: ", "Unknown member: "},
        {"Argument not allowed: ", "Member not allowed: "},
        {"Bad argument name ", "Bad name "},
    };
    for (size_t i = 0; i < report->count; i++) {
        haft__schema_error error = report->errors[i];
        haft__buf_addf(why, "%s%.*s%s", i > 0 ? "\n" : "", HAFT__ARG(error.where),
                       error.where.len > 0 ? ": " : "");
        for (size_t j = 0; j < COUNT(words); j++) {
            if (haft__str_starts_with(error.message, haft__str(words[j].argument))) {
                haft__buf_addf(why, "%s", words[j].member);
                error.message = haft__str_skip(error.message, strlen(words[j].argument));
                break;
            }
        }
        haft__buf_add_str(why, error.message);
    }
}

haft_status haft__output_check_text(const haft__tool *tool, haft_str text, bool secret,
                                    haft__checker *checker, haft__arena *arena,
                                    haft__hash_key hash_key, haft__buf *why, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    haft__json value;
    haft__schema_report report = {.valid = true};
    options.hash_key = hash_key;
    haft_status status = haft__json_read(arena, text, &options, &value, NULL, NULL);
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(err);
    }
    if (status != HAFT_OK) {
        add_start(why, tool);
        haft__buf_addf(why, "expected JSON, found %s", text.len > 0 ? "other text" : "no text");
        return haft__buf_check(why, err);
    }
    status = haft__schema_check(tool->output, checker, value, arena, &report, err);
    if (status != HAFT_OK || report.valid) {
        return status;
    }
    add_start(why, tool);
    if (secret) { /* the report may quote a part of it */
        haft__buf_add_str(why, HAFT__LIT("it contains a secret, so no part of it is shown"));
    } else {
        add_report(why, &report);
    }
    return haft__buf_check(why, err);
}

haft_status haft__output_check_given(const haft__tool *tool, haft__json value,
                                     haft__checker *checker, haft__arena *arena,
                                     haft__hash_key hash_key, haft__buf *why, haft_error *err)
{
    const haft__schema *schema = tool->output;
    haft__schema_options options = {.hash_key = hash_key};
    haft__schema_report report = {.valid = true};
    haft_error unusable = {0};
    haft_status status = HAFT_OK;
    if (tool->output_schema.kind == HAFT__JSON_NULL) {
        return HAFT_OK;
    }
    if (schema == NULL) { /* a tool of an MCP server */
        status = haft__schema_compile(arena, tool->output_schema, &options, &schema, &unusable);
    }
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(err);
    }
    if (status != HAFT_OK) {
        add_start_provided(why, tool);
        haft__buf_addf(why, "the schema cannot be used: %s", unusable.message);
        return haft__buf_check(why, err);
    }
    status = haft__schema_check(schema, checker, value, arena, &report, err);
    if (status == HAFT_OK && !report.valid) {
        add_start_provided(why, tool);
        add_report(why, &report);
        status = haft__buf_check(why, err);
    }
    return status;
}
