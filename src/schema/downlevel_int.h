/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema/downlevel_int.h - shared by the files of downlevel: values that are made, and what OpenAI
 * wants besides.
 */
#ifndef HAFT_SCHEMA_DOWNLEVEL_INT_H
#define HAFT_SCHEMA_DOWNLEVEL_INT_H

#include "schema/downlevel.h"
#include "schema/grammar_int.h"

/* An object with room for so many members as it was begun with. */
typedef struct haft__making {
    haft__json_member *members;
    size_t count;
} haft__making;

static inline bool haft__making_init(haft__downlevel *d, haft__making *m, size_t room)
{
    *m = (haft__making){.members = haft__gbnf_alloc(&d->g, room, sizeof(haft__json_member))};
    return m->members != NULL;
}

static inline void haft__making_put(haft__making *m, haft__json key, haft__json value)
{
    m->members[m->count++] = (haft__json_member){key, value};
}

static inline haft__json haft__making_end(const haft__making *m)
{
    return haft__json_object(m->members, m->count);
}

static inline haft__json haft__making_text(const char *literal)
{
    return haft__json_string(haft__str(literal));
}

/* {key: value} */
haft__json haft__making_one(haft__downlevel *d, const char *key, haft__json value);

/* ---- downlevel_openai.c ---- */

/* A property of the schema: where all are required, one that may be left out may be null. */
haft__json haft__downlevel_property(haft__downlevel *d, haft__json schema, haft_str key,
                                    haft__json value);

/* Adds what strict mode wants of every schema: a type, and of an object that it be closed. */
void haft__downlevel_complete(haft__downlevel *d, haft__json schema, haft__making *m);

#endif
