/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/template.h - texts of a tool's definition that contain {arg}.
 *
 * {name} stands for an argument if name is a valid argument name (tool/args.h). ${NAME} is an
 * environment variable, which spec/load/load.h expands. Every other brace is literal.
 */
#ifndef HAFT_TOOL_TEMPLATE_H
#define HAFT_TOOL_TEMPLATE_H

#include "base/buf.h"
#include "json/value.h"

typedef struct haft__template_piece {
    haft_str text; /* as in the template, with braces */
    haft_str name; /* of the argument; .ptr is NULL for plain text */
} haft__template_piece;

/* Removes the next piece from *rest; false at the end. */
bool haft__template_next(haft_str *rest, haft__template_piece *ret_piece);

/* Whether a tool with that schema accepts an argument of that name. */
bool haft__template_has_argument(haft__json input_schema, haft_str name);

/* Appends the text of an argument: a string as it is, any other value as JSON, nothing for NULL (a
 * missing argument). */
void haft__template_add(haft__buf *buf, const haft__json *value);

#endif
