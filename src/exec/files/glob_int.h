/* SPDX-License-Identifier: Apache-2.0 */
/* exec/files/glob_int.h - what a compiled path pattern is. Shared by glob.c and glob_compile.c. */
#ifndef HAFT_EXEC_FILES_GLOB_INT_H
#define HAFT_EXEC_FILES_GLOB_INT_H

#include "base/limits.h"
#include "exec/files/glob.h"

#define HAFT__GLOB_NO_CHARACTER 0x110000U /* stands for a byte that is no UTF-8 */

typedef struct haft__glob_range {
    uint32_t from, to;
} haft__glob_range;

typedef enum haft__glob_token_kind {
    HAFT__GLOB_LITERAL,       /* code */
    HAFT__GLOB_ANY_CHARACTER, /* ? */
    HAFT__GLOB_CLASS,         /* [...]: ranges */
    HAFT__GLOB_STAR,          /* * */
} haft__glob_token_kind;

typedef struct haft__glob_token {
    haft__glob_token_kind kind;
    bool negated;
    uint32_t code;
    size_t count;
    const haft__glob_range *ranges;
} haft__glob_token;

typedef enum haft__glob_segment_kind {
    HAFT__GLOB_EXACT,  /* text */
    HAFT__GLOB_SUFFIX, /* a star, then text */
    HAFT__GLOB_TOKENS,
    HAFT__GLOB_NO_MATCH,  /* malformed */
    HAFT__GLOB_ANY_DEPTH, /* **: any number of names, or none; never the last part */
} haft__glob_segment_kind;

/* What one name of a path has to be. */
typedef struct haft__glob_segment {
    haft__glob_segment_kind shape;
    bool dot;      /* begins with a dot as it is written */
    haft_str text; /* of ENDING what follows the star, else as it is written */
    const haft__glob_token *tokens;
    size_t count;
} haft__glob_segment;

typedef struct haft__glob_path {
    const haft__glob_segment *parts;
    size_t count;
    bool bytes; /* git's dialect */
} haft__glob_path;

struct haft__glob {
    const haft__glob_path *paths; /* one of them has to match */
    size_t count;
};

/* ---- braces: glob_braces.c ---- */

/* The patterns that one with braces stands for; those before `done` have no such braces left. */
typedef struct haft__glob_expansion {
    haft__arena *arena;
    haft_str texts[HAFT__LIMIT_FILES_GLOB_ALTERNATIVES];
    size_t count, done;
} haft__glob_expansion;

/* Braces with a comma are alternatives, others stand for themselves. Texts live in the arena, or
 * are `pattern` itself. */
HAFT_MUST_USE haft_status haft__glob_expand(haft__glob_expansion *expansion, haft_str pattern,
                                            haft_error *err);

#endif
