/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format/render.h - how tools, calls and results are written in a format: the reverse of parsing.
 *
 * What is written is a function of what is given and nothing else, so that prompts are the same
 * bytes from turn to turn. Failure is the buffer's: append freely, then ask haft__buf_check.
 */
#ifndef HAFT_FORMAT_RENDER_H
#define HAFT_FORMAT_RENDER_H

#include "base/buf.h"
#include "format/format.h"
#include "spec/spec.h"

/* A call as it stands in a history. */
typedef struct haft__format_call {
    haft_str id, name;
    haft_str arguments; /* JSON text */
    bool malformed;     /* it could not be read: `arguments` are how it was written */
    size_t number;      /* of all calls of the conversation, from 0 */
} haft__format_call;

typedef struct haft__format_result {
    haft_str id, name; /* of the call */
    haft_str text;
    size_t number; /* of the call, as above */
} haft__format_result;

/* ---- write_tools.c ---- */

/* Appends the section of a system prompt that says which tools there are, how to call them and how
 * their results come back. Nothing when there are no tools. */
void haft__format_write_tools(haft__buf *buf, const haft__format *format,
                              const haft__format_tool *tools, size_t count);

/* What may be called in a turn. */
typedef struct haft__format_choice {
    haft__choice_mode mode;
    haft_str tool;           /* of HAFT__MODE_TOOL */
    const haft_str *allowed; /* names, if not all tools may be called; else NULL */
    size_t allowed_count;
} haft__format_choice;

/* Appends that in words; nothing when every tool may be called and none must. */
void haft__format_write_choice(haft__buf *buf, const haft__format_choice *choice);

/* ---- write.c ---- */

/* Appends an assistant's turn: its text and its calls. What the parser reads from that are the same
 * calls, as far as the format can express them (docs/formats.md). */
void haft__format_write_calls(haft__buf *buf, const haft__format *format, haft_str text,
                              const haft__format_call *calls, size_t count);

/* Appends the message that answers the calls of a turn, for the role user. */
void haft__format_write_results(haft__buf *buf, const haft__format *format,
                                const haft__format_result *results, size_t count);

/* ---- neutralise.c ---- */

/* Appends `text` with a zero-width space inside every mark of the format, and inside every token
 * that is special to some model: nobody can forge a turn or a call with it. */
void haft__format_neutralise(haft__buf *buf, const haft__format *format, haft_str text);

/* The same of what an assistant has said, which may quote such a token: only those that are special
 * to some model. With a format, of what is written in it: its own marks are left alone. */
void haft__format_neutralise_turn(haft__buf *buf, const haft__format *format, haft_str text);

/* Whether it is a mark of the format, wherever that has it. */
bool haft__format_has_mark(const haft__format *format, const char *text);

/* As of results, of tools as the format shows them: descriptions come from servers that anybody may
 * write. In JSON the first character of a mark becomes an escape, so that names and values stay
 * what they are. */
void haft__format_neutralise_tools(haft__buf *buf, const haft__format *format, haft_str text);

/* ---- write_value.c, for the others ---- */

/* Appends JSON text as Python writes it: True, False, None. */
void haft__format_write_python(haft__buf *buf, haft__json value);

/* Appends an object as arguments of Python: a=1, b="x". */
void haft__format_write_keywords(haft__buf *buf, haft__json object);

/* Appends a signature of Python with its docstring. */
void haft__format_write_signature(haft__buf *buf, const haft__format_tool *tool);

#endif
