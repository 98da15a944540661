/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format/render.h - writes tools, calls and results in a format: the reverse of parsing.
 *
 * The output depends only on the input, so prompts have the same bytes from turn to turn. Errors
 * stay in the buffer: append freely, then call haft__buf_check.
 */
#ifndef HAFT_FORMAT_RENDER_H
#define HAFT_FORMAT_RENDER_H

#include "base/buf.h"
#include "format/format.h"
#include "spec/spec.h"

/* A call in a history. */
typedef struct haft__format_call {
    haft_str id, name;
    haft_str arguments; /* JSON text */
    bool malformed;     /* the call could not be read: `arguments` is its source text */
    size_t number;      /* of all calls of the conversation, from 0 */
} haft__format_call;

typedef struct haft__format_result {
    haft_str id, name; /* of the call */
    haft_str text;
    size_t number; /* of the call, as above */
} haft__format_result;

/* ---- write_tools.c ---- */

/* Appends the section of a system prompt that describes how to call tools and how `history` shows
 * calls and results, and then lists the tools. Appends .null_answer if there are no tools. */
void haft__format_write_tools(haft__buf *buf, const haft__format *format, haft__history history,
                              const haft__format_tool *tools, size_t count);

/* The calls that are allowed in a turn. */
typedef struct haft__format_choice {
    haft__choice_mode mode;
    haft_str tool;           /* of HAFT__MODE_TOOL */
    const haft_str *allowed; /* names, if only some tools may be called; else NULL */
    size_t allowed_count;
} haft__format_choice;

/* Appends the choice in words; .null_answer if every tool may be called and none is required. */
void haft__format_write_choice(haft__buf *buf, const haft__format_choice *choice);

/* ---- write.c ---- */

/* Appends an assistant's turn: its text and its calls. The parser reads the same calls from it, as
 * far as the format can express them (docs/formats.md). */
void haft__format_write_calls(haft__buf *buf, const haft__format *format, haft_str text,
                              const haft__format_call *calls, size_t count);

/* Appends the message that answers the calls of a turn, for the role user. */
void haft__format_write_results(haft__buf *buf, const haft__format *format,
                                const haft__format_result *results, size_t count);

/* ---- neutralise.c ---- */

/* Appends `text` with a zero-width space inside every mark of the format and every special token of
 * known models, so that the text cannot forge a turn or a call. */
void haft__format_neutralise(haft__buf *buf, const haft__format *format, haft_str text);

/* Neutralises text of an assistant: only special tokens, because the text may quote a mark. With a
 * format, `text` is written in that format, and its marks stay unchanged. */
void haft__format_neutralise_turn(haft__buf *buf, const haft__format *format, haft_str text);

/* Whether `text` is a mark of any state of the format. */
bool haft__format_has_mark(const haft__format *format, const char *text);

/* Neutralises rendered tools, whose descriptions come from untrusted servers. In JSON the first
 * character of a mark becomes an escape, so that names and values do not change. */
void haft__format_neutralise_tools(haft__buf *buf, const haft__format *format, haft_str text);

/* ---- write_value.c: shared by the files above ---- */

/* Appends a JSON value as Python: True, False, None. */
void haft__format_write_python(haft__buf *buf, haft__json value);

/* Appends an object as Python keyword arguments: a=1, b="x". */
void haft__format_write_keywords(haft__buf *buf, haft__json object);

/* Appends a Python signature with its docstring. */
void haft__format_write_signature(haft__buf *buf, const haft__format_tool *tool);

#endif
