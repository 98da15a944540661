/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format/call_syntax.h - how a format writes calls, for grammars: the texts around names and
 * arguments.
 *
 * In these texts HAFT__SYNTAX_WS stands for optional white space and HAFT__SYNTAX_NUMBER for a
 * number; everything else is literal. NULL is the empty text.
 */
#ifndef HAFT_FORMAT_CALL_SYNTAX_H
#define HAFT_FORMAT_CALL_SYNTAX_H

#include <stdbool.h>
#include <stdint.h>

#define HAFT__SYNTAX_WS     "\001"
#define HAFT__SYNTAX_NUMBER "\002"

typedef enum haft__call_syntax_kind {
    HAFT__CALL_SYNTAX_NONE,      /* no grammar */
    HAFT__CALL_SYNTAX_OBJECT,    /* before {name_key: name, args_key: {...}} after */
    HAFT__CALL_SYNTAX_NAME_ARGS, /* before name after_name {...} after */
    HAFT__CALL_SYNTAX_PYTHON,    /* before name(key=value, ...) after */
    HAFT__CALL_SYNTAX_TAGS, /* before name after_name { key K text|json value after_value } after */
    HAFT__CALL_SYNTAX_CODE, /* a block of Python */
} haft__call_syntax_kind;

#define HAFT__CALL_SYNTAX_STOPS 6

typedef struct haft__call_syntax {
    uint8_t kind;     /* haft__call_syntax_kind */
    bool bare;        /* open and close are written only around several calls */
    bool answer;      /* {"answer": "..."} may replace the call */
    const char *lead; /* optional text before everything; the prompt may already contain it */
    const char *open, *close;   /* around all calls */
    const char *before, *after; /* around each call */
    const char *between;
    const char *name_key, *args_key; /* of OBJECT */
    const char *id_key;              /* of OBJECT: first member, optional: a number as a string */
    const char *last_id_key;         /* of OBJECT: last member: 9 letters and digits */
    const char *after_name;          /* of NAME_ARGS and TAGS */
    const char *key;                 /* of TAGS: before a key */
    const char *text, *json; /* of TAGS: after a key, before an unquoted string or before JSON */
    const char *after_value; /* of TAGS: after a value */
    bool marked; /* of TAGS: `text` and `json` differ even if the schema gives the type */
    const char
        *stops[HAFT__CALL_SYNTAX_STOPS]; /* of TAGS: marks that an unquoted string cannot contain */
    const char *reasoning_open, *reasoning_close;         /* around reasoning before the calls */
    const char *reasoning_stops[HAFT__CALL_SYNTAX_STOPS]; /* marks that reasoning cannot contain;
                                                             empty: `reasoning_close` */
} haft__call_syntax;

/* A format may have two syntaxes. */
#define HAFT__FORMAT_SYNTAXES 2

#endif
