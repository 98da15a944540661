/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format/format.h - finds the tool calls in a model's text while the text arrives.
 *
 *     haft__parser_create(format, &options, &parser, err);
 *     haft__parser_feed(parser, bytes, err);      for each piece of the text, split anywhere
 *     haft__parser_end(parser, cut, err);
 *     haft__parser_destroy(parser);
 *
 * The parser reports events one by one and never revokes an event. The events do not depend on how
 * the text is split. Work per byte is constant; memory is bounded by the call that is being read.
 */
#ifndef HAFT_FORMAT_FORMAT_H
#define HAFT_FORMAT_FORMAT_H

#include "format/state.h"
#include "json/value.h"

typedef enum haft__parser_event_kind {
    HAFT__PARSER_EVENT_CONTENT,   /* text for the user */
    HAFT__PARSER_EVENT_REASONING, /* the model's reasoning; it contains no calls */
    HAFT__PARSER_EVENT_CODE, /* a piece of a code block to run; the block is complete at CODE_END */
    HAFT__PARSER_EVENT_CODE_END,
    HAFT__PARSER_EVENT_CALL,      /* a call begins: `text` is its name, `id` the model's id or "" */
    HAFT__PARSER_EVENT_ARGUMENTS, /* the next piece of its arguments, which are JSON text */
    HAFT__PARSER_EVENT_CALL_END,  /* the arguments are complete and an object, so the call may run;
                                     `id` is set again: in the text it may follow the arguments */
    HAFT__PARSER_EVENT_TRUNCATED, /* the text ended inside a call; the call is void */
    HAFT__PARSER_EVENT_MALFORMED, /* a call that cannot be read; the call is void */
} haft__parser_event_kind;

typedef struct haft__parser_event {
    haft__parser_event_kind kind;
    uint32_t index; /* of the call, from 0; a void call has an index if HAFT__PARSER_EVENT_CALL was
                       reported */
    haft_str id, text; /* of a void call, `text` is its source text from the start */
    haft_str name;     /* of a void call: its name, if it could be read */
    size_t offset;     /* of a void call: its position in the text */
    const char *why;   /* of a void call: the reason */
    bool repaired;     /* of CALL_END: the arguments were repaired */
} haft__parser_event;

/* Receives an event. Its texts are borrowed until the callback returns. An error status stops the
 * parser. */
typedef haft_status haft__parser_event_callback(void *context, const haft__parser_event *found,
                                                haft_error *err);

/* The parts of a tool that a format needs. */
typedef struct haft__format_tool {
    haft_str name;
    haft__json parameters; /* JSON Schema, or null; gives the types of unquoted values */
    haft_str description;  /* for the model */
} haft__format_tool;

typedef struct haft__parser_options {
    const haft__format_tool *tools; /* must outlive the parser */
    size_t tool_count;
    bool repair;             /* repair common errors in JSON if no data is missing */
    bool start_in_reasoning; /* the prompt ended with the tag that begins reasoning */
    haft__parser_event_callback *take;
    void *context;
} haft__parser_options;

typedef struct haft__parser haft__parser;

HAFT_MUST_USE haft_status haft__parser_create(const haft__format *format,
                                              const haft__parser_options *options,
                                              haft__parser **ret_parser, haft_error *err);
void haft__parser_destroy(haft__parser *parser);

/* `bytes` is UTF-8; a character may be split. Fails with TOO_BIG past HAFT__LIMIT_FORMAT_BYTES, or
 * with the status that `take` returns. */
HAFT_MUST_USE haft_status haft__parser_feed(haft__parser *parser, haft_str bytes, haft_error *err);

/* Whether the text so far ends inside reasoning. */
bool haft__parser_is_thinking(const haft__parser *parser);

/* Reports that the text has ended. `cut`: the model had not finished. */
HAFT_MUST_USE haft_status haft__parser_end(haft__parser *parser, bool cut, haft_error *err);

/* ---- the formats ---- */

/* Ignores case and accepts the aliases json and code. NULL if no format has that name. */
const haft__format *haft__format_find(haft_str name);
const haft__format *const *haft__formats(size_t *ret_count);

/* Finds a block of reasoning before the text, but no calls. The list of formats does not contain
 * it. It is for models whose calls do not arrive as text but whose reasoning may. */
extern const haft__format haft__format_thinking;

#endif
