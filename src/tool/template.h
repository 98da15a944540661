/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/template.h - texts of a tool's definition with {arg} in them.
 *
 * {name} stands for an argument when name could be one (tool/args.h); ${NAME} is a variable of the
 * environment and left to others (spec/load/load.h); every other brace is a brace.
 */
#ifndef HAFT_TOOL_TEMPLATE_H
#define HAFT_TOOL_TEMPLATE_H

#include "base/buf.h"
#include "json/value.h"

typedef struct haft__template_piece {
    haft_str text; /* as it stands in the template, braces included */
    haft_str name; /* of the argument; .ptr is NULL when it is plain text */
} haft__template_piece;

/* Cuts the next piece off *rest; false when there is none. */
bool haft__template_next(haft_str *rest, haft__template_piece *ret_piece);

/* Whether a call of a tool with that schema can have an argument of that name. */
bool haft__template_has_argument(haft__json input_schema, haft_str name);

/* Appends the text of an argument: of a string itself, of all else its JSON, of NULL, which was not
 * given, nothing. */
void haft__template_add(haft__buf *buf, const haft__json *value);

#endif
