/* SPDX-License-Identifier: Apache-2.0 */
/* random_help.h - random tools, and arguments that their schemas accept. */
#ifndef HAFT_TESTS_FORMAT_RANDOM_HELP_H
#define HAFT_TESTS_FORMAT_RANDOM_HELP_H

#include "base/buf.h"
#include "format/format.h"

typedef struct help_maker {
    uint64_t state;
    const haft__format *format;
    bool tagged;  /* parameters in tags: no string contains a text that would end a value */
    bool bounded; /* numbers have at most 20 digits before the point, as in a grammar */
} help_maker;

uint64_t help_roll(help_maker *m, uint64_t below);

/* Makes a schema with parameters of every type, some of them required. */
haft__json help_make_schema(help_maker *m, haft__arena *arena);

/* A defect of arguments. */
typedef enum help_flaw {
    HELP_FLAW_NONE,
    HELP_FLAW_MISSING, /* a required argument is left out */
    HELP_FLAW_TYPE,    /* an argument has a value of another type */
} help_flaw;

/* Appends arguments in the order of the schema; false if the arguments of this tool cannot have the
 * flaw. */
bool help_add_arguments(help_maker *m, haft__buf *buf, const haft__format_tool *tool,
                        help_flaw flaw);

#endif
