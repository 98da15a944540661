/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/commands/parse_text.h - parses a model's text completely, for `haft parse`.
 *
 * Text formats use format/format.h. native_openai, native_anthropic and native_gemini are the
 * bodies of the providers' responses and use src/model.
 */
#ifndef HAFT_CLI_COMMANDS_PARSE_TEXT_H
#define HAFT_CLI_COMMANDS_PARSE_TEXT_H

#include "base/hash.h"
#include "format/format.h"

typedef struct haft__parse_request {
    haft_str format, text;
    const haft__format_tool *tools;
    size_t tool_count;
    bool repair, start_in_reasoning;
    haft_str starts_after; /* the end of the prompt; "" if it is irrelevant */
    size_t chunk;          /* bytes that the parser gets at a time; 0: all at once */
    haft__hash_key hash_key;
} haft__parse_request;

typedef struct haft__parsed_call {
    haft_str id, name; /* the id is empty if the model gave none */
    haft__json arguments;
} haft__parsed_call;

/* A call that cannot run. */
typedef struct haft__parsed_error {
    bool truncated; /* cut off; otherwise malformed */
    size_t offset;
    haft_str why, text;
} haft__parsed_error;

/* Lives in an arena. */
typedef struct haft__parsed {
    haft_str content, reasoning;
    haft_str code; /* code blocks, separated by an empty line */
    haft__parsed_call *calls;
    size_t call_count, call_capacity;
    haft__parsed_error *errors;
    size_t error_count, error_capacity;
    bool repaired;
} haft__parsed;

/* Parses the text. Fails with BAD_INPUT if the format is unknown, and with TOO_BIG if the text has
 * more than HAFT__LIMIT_FORMAT_BYTES. */
HAFT_MUST_USE haft_status haft__parse_text(haft__arena *arena, const haft__parse_request *request,
                                           haft__parsed *ret_parsed, haft_error *err);

/* Returns "truncated", "malformed", or NULL if every call can run. */
const char *haft__parsed_error_name(const haft__parsed *parsed);

/* Fails with BAD_INPUT for an unknown format. The hint names the nearest format, or the command
 * whose help lists the formats. */
haft_status haft__parsed_fail_unknown_format(haft_str name, const char *command, haft_error *err);

/* ---- private to parse_text.c and parse_native.c ---- */

/* Returns true if `format` is the native format of a provider. */
bool haft__parsed_is_native(haft_str format);
HAFT_MUST_USE haft_status haft__parse_native(haft__arena *arena, const haft__parse_request *request,
                                             haft__parsed *parsed, haft_error *err);

/* Both copy the texts. */
HAFT_MUST_USE haft_status haft__parsed_add_call(haft__arena *arena, haft__parsed *parsed,
                                                haft_str id, haft_str name, haft__json arguments,
                                                haft_error *err);
HAFT_MUST_USE haft_status haft__parsed_add_error(haft__arena *arena, haft__parsed *parsed,
                                                 const haft__parsed_error *error, haft_error *err);

#endif
