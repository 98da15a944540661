/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format/call_syntax.h - how calls are written in a format, for grammars: the texts around them.
 *
 * In these texts HAFT__SYNTAX_WS stands for a bit of white space, or none, and HAFT__SYNTAX_NUMBER
 * for a number; everything else is written as it is. NULL is nothing.
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
    HAFT__CALL_SYNTAX_NAME_ARGS, /* before name behind_name {...} after */
    HAFT__CALL_SYNTAX_PYTHON,    /* before name(key=value, ...) after */
    HAFT__CALL_SYNTAX_TAGS, /* before name behind_name { key K text|json value behind_value } after
                             */
    HAFT__CALL_SYNTAX_CODE, /* a block of Python */
} haft__call_syntax_kind;

#define HAFT__CALL_SYNTAX_STOPS 6

typedef struct haft__call_syntax {
    uint8_t kind;               /* haft__call_syntax_kind */
    bool bare;                  /* open and close only stand around several calls */
    bool answer;                /* {"answer": "..."} may stand there instead of a call */
    const char *lead;           /* may stand in front of everything: the prompt may have it */
    const char *open, *close;   /* around all calls */
    const char *before, *after; /* around each */
    const char *between;
    const char *name_key, *args_key; /* of OBJECT */
    const char *id_key;              /* of OBJECT: a number as a string may stand first, */
    const char *last_id_key;         /* or 9 letters and digits last */
    const char *after_name;          /* of NAMED and TAGS */
    const char *key;                 /* of TAGS: in front of a key, */
    const char *text, *json;         /* behind it: a string without quotes comes, or JSON, */
    const char *after_value;         /* and behind its value */
    bool marked; /* of TAGS: `text` and `json` differ, whatever the schema says */
    const char *stops[HAFT__CALL_SYNTAX_STOPS];   /* of TAGS: what such a string cannot hold */
    const char *reasoning_open, *reasoning_close; /* around reasoning in front of the calls */
    const char
        *reasoning_stops[HAFT__CALL_SYNTAX_STOPS]; /* what that cannot hold; none: `thought` */
} haft__call_syntax;

/* A format may be written in two ways. */
#define HAFT__FORMAT_SYNTAXES 2

#endif
