/* SPDX-License-Identifier: Apache-2.0 */
/* format/scan_python.h - the state of the scanner for calls in Python. Private to scan_python.c and
 * python_string.c. */
#ifndef HAFT_FORMAT_SCAN_PYTHON_H
#define HAFT_FORMAT_SCAN_PYTHON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/limits.h"

typedef enum haft__py_state {
    HAFT__PY_NAME,     /* name of a call */
    HAFT__PY_ARGUMENT, /* an argument, or the closing parenthesis */
    HAFT__PY_KEYWORD,  /* inside an argument's name */
    HAFT__PY_EQUALS,   /* after an argument's name */
    HAFT__PY_VALUE,    /* a value must follow; if `may_close`, the container may end instead */
    HAFT__PY_WORD,     /* True, None ... */
    HAFT__PY_NUMBER,
    HAFT__PY_QUOTE,  /* after the first quote: one of three? */
    HAFT__PY_STRING, /* see python_string.c */
    HAFT__PY_BRACE,  /* after {: a dict or a set? */
    HAFT__PY_FIRST,  /* after a string that is the first item in braces */
    HAFT__PY_KEY,    /* a key of a dict, or the end of the dict */
    HAFT__PY_COLON,  /* after a key */
    HAFT__PY_AFTER,  /* after a value */
    HAFT__PY_NEXT,   /* after a call */
    HAFT__PY_SKIP,   /* inside a malformed call, or after text that is not a call */
} haft__py_state;

/* The container of a value. */
typedef enum haft__py_kind {
    HAFT__PY_ARGS,
    HAFT__PY_LIST,
    HAFT__PY_PARENS, /* a tuple if a comma follows */
    HAFT__PY_TUPLE,
    HAFT__PY_SET,
    HAFT__PY_DICT,
} haft__py_kind;

/* The role of a string. */
typedef enum haft__py_role {
    HAFT__PY_ROLE_VALUE,
    HAFT__PY_ROLE_KEY,
    HAFT__PY_ROLE_FIRST,
} haft__py_role;

/* A string that is only scanned for its end. */
typedef struct haft__py_text {
    char quote; /* 0: not in a string */
    bool triple;
    bool escape;     /* after a backslash */
    uint32_t quotes; /* consecutive quotes */
} haft__py_text;

typedef struct haft__parser_python_scanner {
    bool live;
    uint8_t scan_kind; /* haft__scan_kind */
    haft__py_state state;
    uint32_t depth;
    uint8_t stack[HAFT__LIMIT_JSON_DEPTH]; /* haft__py_kind; ITEMS: it has an item */
    bool may_close;

    haft__py_role role; /* of the current string */
    char quote;
    bool triple, raw;
    uint32_t quotes;     /* consecutive quotes */
    bool escape;         /* after a backslash */
    uint32_t hex_left;   /* missing digits of an escape */
    uint32_t code, high; /* of \u; the high surrogate before it */

    /* skipped text */
    const char *why;
    haft__py_text text;
    uint32_t skip_depth; /* open parentheses and brackets */
    char closers[HAFT__LIMIT_JSON_DEPTH
                 + 1]; /* the closer of each open bracket; past the limit any closer counts */
    bool to_end;       /* skips to the end of the list, not of a call */
} haft__parser_python_scanner;

#endif
