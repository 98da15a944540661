/* SPDX-License-Identifier: Apache-2.0 */
/* exec/files/glob_int.h - what a compiled path pattern is. Shared by wild.c and wild_compile.c. */
#ifndef HAFT_EXEC_FILES_GLOB_INT_H
#define HAFT_EXEC_FILES_GLOB_INT_H

#include "base/limits.h"
#include "exec/files/glob.h"

#define HAFT__WILD_NO_CHARACTER 0x110000U /* stands for a byte that is no UTF-8 */

typedef struct haft__wild_range {
    uint32_t from, to;
} haft__wild_range;

typedef enum haft__wild_kind {
    HAFT__WILD_LITERAL, /* code */
    HAFT__WILD_ONE,     /* ? */
    HAFT__WILD_CLASS,   /* [...]: ranges */
    HAFT__WILD_STAR,    /* * */
} haft__wild_kind;

typedef struct haft__wild_token {
    haft__wild_kind kind;
    bool negated;
    uint32_t code;
    size_t count;
    const haft__wild_range *ranges;
} haft__wild_token;

typedef enum haft__wild_shape {
    HAFT__WILD_EXACT,  /* text */
    HAFT__WILD_ENDING, /* a star, then text */
    HAFT__WILD_TOKENS,
    HAFT__WILD_NEVER, /* malformed */
    HAFT__WILD_ANY,   /* **: any number of names, or none; never the last part */
} haft__wild_shape;

/* What one name of a path has to be. */
typedef struct haft__wild_part {
    haft__wild_shape shape;
    bool dot;      /* begins with a dot as it is written */
    haft_str text; /* of ENDING what follows the star, else as it is written */
    const haft__wild_token *tokens;
    size_t count;
} haft__wild_part;

typedef struct haft__wild_path {
    const haft__wild_part *parts;
    size_t count;
    bool bytes; /* git's dialect */
} haft__wild_path;

struct haft__wild {
    const haft__wild_path *paths; /* one of them has to match */
    size_t count;
};

/* ---- braces: wild_braces.c ---- */

/* The patterns that one with braces stands for; those before `done` have no such braces left. */
typedef struct haft__wild_expansion {
    haft__arena *arena;
    haft_str texts[HAFT__LIMIT_FILES_GLOB_ALTERNATIVES];
    size_t count, done;
} haft__wild_expansion;

/* Braces with a comma are alternatives, others stand for themselves. Texts live in the arena, or
 * are `pattern` itself. */
HAFT_MUST_USE haft_status haft__wild_expand(haft__wild_expansion *expansion, haft_str pattern,
                                            haft_error *err);

#endif
