/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format/frame.h - how calls are written in a format, for grammars: the texts around them.
 *
 * In these texts HAFT__FRAME_WS stands for a bit of white space, or none, and HAFT__FRAME_NUMBER
 * for a number; everything else is written as it is. NULL is nothing.
 */
#ifndef HAFT_FORMAT_FRAME_H
#define HAFT_FORMAT_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#define HAFT__FRAME_WS     "\001"
#define HAFT__FRAME_NUMBER "\002"

typedef enum haft__frame_kind {
    HAFT__FRAME_NONE,   /* no grammar */
    HAFT__FRAME_OBJECT, /* before {name_key: name, args_key: {...}} after */
    HAFT__FRAME_NAMED,  /* before name behind_name {...} after */
    HAFT__FRAME_PYTHON, /* before name(key=value, ...) after */
    HAFT__FRAME_TAGS,   /* before name behind_name { key K text|json value behind_value } after */
    HAFT__FRAME_CODE,   /* a block of Python */
} haft__frame_kind;

#define HAFT__FRAME_STOPS 6

typedef struct haft__frame {
    uint8_t kind;               /* haft__frame_kind */
    bool bare;                  /* open and close only stand around several calls */
    bool answer;                /* {"answer": "..."} may stand there instead of a call */
    const char *lead;           /* may stand in front of everything: the prompt may have it */
    const char *open, *close;   /* around all calls */
    const char *before, *after; /* around each */
    const char *between;
    const char *name_key, *args_key; /* of OBJECT */
    const char *id_key;              /* of OBJECT: a number as a string may stand first, */
    const char *last_id_key;         /* or 9 letters and digits last */
    const char *behind_name;         /* of NAMED and TAGS */
    const char *key;                 /* of TAGS: in front of a key, */
    const char *text, *json;         /* behind it: a string without quotes comes, or JSON, */
    const char *behind_value;        /* and behind its value */
    bool marked; /* of TAGS: `text` and `json` differ, whatever the schema says */
    const char *stops[HAFT__FRAME_STOPS];     /* of TAGS: what such a string cannot hold */
    const char *think, *thought;              /* around reasoning in front of the calls */
    const char *unthought[HAFT__FRAME_STOPS]; /* what that cannot hold; none: `thought` */
} haft__frame;

/* A format may be written in two ways. */
#define HAFT__FRAME_FORMS 2

#endif
