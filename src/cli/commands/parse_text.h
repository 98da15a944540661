/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/commands/parse_text.h - all that was found in a model's text, in one piece: what `haft parse`
 * prints.
 *
 * Text formats go through format/format.h; native_openai, native_anthropic and native_gemini are
 * the bodies of the providers' answers and go through src/model.
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
    haft_str starts_after; /* how the prompt ended; "" when that does not matter */
    size_t chunk;          /* bytes that the parser gets at a time; 0: all at once */
    haft__hash_key hash_key;
} haft__parse_request;

typedef struct haft__parsed_call {
    haft_str id, name; /* an id that the model did not give is empty */
    haft__json arguments;
} haft__parsed_call;

/* A call that cannot run. */
typedef struct haft__parsed_error {
    bool truncated; /* else malformed */
    size_t offset;
    haft_str why, text;
} haft__parsed_error;

/* Lives in an arena. */
typedef struct haft__parsed {
    haft_str content, reasoning;
    haft_str code; /* blocks, with an empty line between them */
    haft__parsed_call *calls;
    size_t call_count, call_capacity;
    haft__parsed_error *errors;
    size_t error_count, error_capacity;
    bool repaired;
} haft__parsed;

/* BAD_INPUT when there is no such format, TOO_BIG past HAFT__LIMIT_FORMAT_BYTES. */
HAFT_MUST_USE haft_status haft__parse_text(haft__arena *arena, const haft__parse_request *request,
                                           haft__parsed *ret_parsed, haft_error *err);

/* "truncated", "malformed", or NULL when every call can run. */
const char *haft__parsed_error_name(const haft__parsed *parsed);

/* BAD_INPUT: there is no format of that name; names the nearest, or the command whose help has a
 * list of them. */
haft_status haft__parsed_fail_unknown_format(haft_str name, const char *command, haft_error *err);

/* ---- inside: parse_text.c, parse_native.c ---- */

/* Whether it is the name of a provider's own format. */
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
