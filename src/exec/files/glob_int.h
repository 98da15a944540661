/* SPDX-License-Identifier: Apache-2.0 */
/* exec/files/glob_int.h - the compiled form of a path pattern. Shared by glob.c and glob_compile.c.
 */
#ifndef HAFT_EXEC_FILES_GLOB_INT_H
#define HAFT_EXEC_FILES_GLOB_INT_H

#include "base/limits.h"
#include "exec/files/glob.h"

#define HAFT__GLOB_NO_CHARACTER 0x110000U /* a byte that is not UTF-8 */

typedef struct haft__glob_range {
    uint32_t from, to;
} haft__glob_range;

typedef enum haft__glob_token_kind {
    HAFT__GLOB_LITERAL,       /* the character `code` */
    HAFT__GLOB_ANY_CHARACTER, /* ? */
    HAFT__GLOB_CLASS,         /* [...]: `ranges` */
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
    HAFT__GLOB_EXACT,  /* `text` */
    HAFT__GLOB_SUFFIX, /* a star, then `text` */
    HAFT__GLOB_TOKENS,
    HAFT__GLOB_NO_MATCH,  /* malformed */
    HAFT__GLOB_ANY_DEPTH, /* **: zero or more names; never the last part */
} haft__glob_segment_kind;

/* The pattern for one name of a path. */
typedef struct haft__glob_segment {
    haft__glob_segment_kind kind;
    bool dot;      /* the pattern begins with a literal dot */
    haft_str text; /* SUFFIX: the text after the star; else the pattern itself */
    const haft__glob_token *tokens;
    size_t count;
} haft__glob_segment;

typedef struct haft__glob_path {
    const haft__glob_segment *parts;
    size_t count;
    bool bytes; /* matches bytes instead of characters, and names with a dot, like git */
} haft__glob_path;

struct haft__glob {
    const haft__glob_path *paths; /* a path matches if one of them matches */
    size_t count;
};

/* ---- braces: glob_braces.c ---- */

/* The patterns that a pattern with braces expands to; those before `done` are fully expanded. */
typedef struct haft__glob_expansion {
    haft__arena *arena;
    haft_str texts[HAFT__LIMIT_FILES_GLOB_ALTERNATIVES];
    size_t count, done;
} haft__glob_expansion;

/* Expands braces that contain a comma; other braces are literal. Texts live in the arena, or are
 * `pattern` itself. */
HAFT_MUST_USE haft_status haft__glob_expand(haft__glob_expansion *expansion, haft_str pattern,
                                            haft_error *err);

#endif
