/* SPDX-License-Identifier: Apache-2.0 */
/* format/scan_python.h - the state of calls that are written as Python. For scan_python.c and
 * python_string.c. */
#ifndef HAFT_FORMAT_SCAN_PYTHON_H
#define HAFT_FORMAT_SCAN_PYTHON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/limits.h"

typedef enum haft__py_state {
    HAFT__PY_NAME,     /* of a call */
    HAFT__PY_ARGUMENT, /* an argument, or the closing parenthesis */
    HAFT__PY_KEYWORD,  /* inside its name */
    HAFT__PY_EQUALS,   /* behind its name */
    HAFT__PY_VALUE,    /* a value must come; where `may_close`, the container may end instead */
    HAFT__PY_WORD,     /* True, None ... */
    HAFT__PY_NUMBER,
    HAFT__PY_QUOTE,  /* behind the first quote: is it one of three? */
    HAFT__PY_STRING, /* see python_string.c */
    HAFT__PY_BRACE,  /* behind {: of a dict or a set? */
    HAFT__PY_FIRST,  /* behind a string that was the first thing in braces */
    HAFT__PY_KEY,    /* a key of a dict, or its end */
    HAFT__PY_COLON,  /* behind a key */
    HAFT__PY_AFTER,  /* behind a value */
    HAFT__PY_NEXT,   /* behind a call */
    HAFT__PY_SKIP,   /* inside a call that is spoilt, or behind what is no call */
} haft__py_state;

/* What a value is in. */
typedef enum haft__py_kind {
    HAFT__PY_ARGS,
    HAFT__PY_LIST,
    HAFT__PY_PARENS, /* a tuple, if a comma comes */
    HAFT__PY_TUPLE,
    HAFT__PY_SET,
    HAFT__PY_DICT,
} haft__py_kind;

/* What a string is for. */
typedef enum haft__py_role {
    HAFT__PY_ROLE_VALUE,
    HAFT__PY_ROLE_KEY,
    HAFT__PY_ROLE_FIRST,
} haft__py_role;

/* A string of which nothing but its end counts. */
typedef struct haft__py_text {
    char quote; /* 0: there is none */
    bool triple;
    bool escape;     /* behind a backslash */
    uint32_t quotes; /* in a row */
} haft__py_text;

typedef struct haft__parser_python_scanner {
    bool live;
    uint8_t what; /* haft__scan_kind */
    haft__py_state state;
    uint32_t depth;
    uint8_t stack[HAFT__LIMIT_JSON_DEPTH]; /* haft__py_kind, and ITEMS when there is one */
    bool may_close;

    haft__py_role role; /* of the string at hand */
    char quote;
    bool triple, raw;
    uint32_t quotes;     /* in a row */
    bool escape;         /* behind a backslash */
    uint32_t hex_left;   /* digits of an escape that are missing */
    uint32_t code, high; /* of \u; a high surrogate before it */

    /* what is skipped */
    const char *why;
    haft__py_text text;
    uint32_t skip_depth;                      /* parentheses and brackets that are open */
    char closers[HAFT__LIMIT_JSON_DEPTH + 1]; /* of each of them, what closes it; any, further in */
    bool to_end;                              /* the list ends with it, not a call */
} haft__parser_python_scanner;

#endif
