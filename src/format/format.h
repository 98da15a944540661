/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format/format.h - how calls are written in a model's text: found there while it arrives.
 *
 *     haft__parser_create(format, &options, &parser, err);
 *     haft__parser_feed(parser, bytes, err);      as often as bytes come, however they are cut
 *     haft__parser_end(parser, cut, err);
 *     haft__parser_destroy(parser);
 *
 * What is found is told piece by piece and never taken back. The result is the same for every cut
 * of the text; work per byte is constant; memory is bounded by the call that is being read.
 */
#ifndef HAFT_FORMAT_FORMAT_H
#define HAFT_FORMAT_FORMAT_H

#include "format/state.h"
#include "json/value.h"

typedef enum haft__parser_event_kind {
    HAFT__PARSER_EVENT_CONTENT,   /* text for the reader */
    HAFT__PARSER_EVENT_REASONING, /* what the model thought; nothing in it is a call */
    HAFT__PARSER_EVENT_CODE,      /* of a block to be run; FOUND_CODE_END says that it is whole */
    HAFT__PARSER_EVENT_CODE_END,
    HAFT__PARSER_EVENT_CALL, /* a call begins: text is its name, id what the model gave, or "" */
    HAFT__PARSER_EVENT_ARGUMENTS, /* the next piece of its arguments, which are JSON text */
    HAFT__PARSER_EVENT_CALL_END,  /* they are whole, and an object: now it may run; id once more, as
                              it  may stand behind them */
    HAFT__PARSER_EVENT_TRUNCATED, /* the text ended inside a call; it is void */
    HAFT__PARSER_EVENT_MALFORMED, /* a call that cannot be used: it is void */
} haft__parser_event_kind;

typedef struct haft__parser_event {
    haft__parser_event_kind kind;
    uint32_t index;    /* of the call, from 0; void ones have one too if they had begun */
    haft_str id, text; /* of a void one: how it was written, from its beginning on */
    haft_str name;     /* of a void one: if it could be read */
    size_t offset;     /* of a void one: where it begins */
    const char *why;   /* of a void one: what is wrong with it */
    bool repaired;     /* of CALL_END: it was mended */
} haft__parser_event;

/* Takes what was found; texts are borrowed until it returns. A failure ends the parsing. */
typedef haft_status haft__parser_event_callback(void *context, const haft__parser_event *found,
                                                haft_error *err);

/* A tool, as far as a format needs to know it. */
typedef struct haft__format_tool {
    haft_str name;
    haft__json parameters; /* JSON Schema, or null: decides the types of values without any */
    haft_str description;  /* for the model to read */
} haft__format_tool;

typedef struct haft__parser_options {
    const haft__format_tool *tools; /* outlive the parser */
    size_t tool_count;
    bool repair;             /* mend what models get wrong in JSON, where nothing is missing */
    bool start_in_reasoning; /* the prompt ended with the tag that begins it */
    haft__parser_event_callback *take;
    void *context;
} haft__parser_options;

typedef struct haft__parser haft__parser;

HAFT_MUST_USE haft_status haft__parser_create(const haft__format *format,
                                              const haft__parser_options *options,
                                              haft__parser **ret_parser, haft_error *err);
void haft__parser_destroy(haft__parser *parser);

/* UTF-8; a character may be cut. TOO_BIG past HAFT__LIMIT_FORMAT_BYTES, and what `take` returns. */
HAFT_MUST_USE haft_status haft__parser_feed(haft__parser *parser, haft_str bytes, haft_error *err);

/* Whether the text so far ends inside reasoning. */
bool haft__parser_is_thinking(const haft__parser *parser);

/* No more comes; `cut`: although the model was not finished. */
HAFT_MUST_USE haft_status haft__parser_end(haft__parser *parser, bool cut, haft_error *err);

/* ---- the formats ---- */

/* Without regard to case, or by an alias (json, code); NULL when there is none of that name. */
const haft__format *haft__format_find(haft_str name);
const haft__format *const *haft__formats(size_t *ret_count);

/* No calls, only a block of reasoning before the text. Not one of the formats: for models whose
 * calls do not stand in their text, but whose thoughts may. */
extern const haft__format haft__format_thinking;

#endif
