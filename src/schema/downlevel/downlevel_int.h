/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema/downlevel/downlevel_int.h - shared by the files of downlevel: new values, and the
 * additional requirements of OpenAI.
 */
#ifndef HAFT_SCHEMA_DOWNLEVEL_DOWNLEVEL_INT_H
#define HAFT_SCHEMA_DOWNLEVEL_DOWNLEVEL_INT_H

#include "schema/downlevel/downlevel.h"
#include "schema/grammar/gbnf_writer.h"

/* An object with room for a fixed number of members. */
typedef struct haft__object_builder {
    haft__json_member *members;
    size_t count;
} haft__object_builder;

static inline bool haft__object_builder_init(haft__downlevel *d, haft__object_builder *m,
                                             size_t room)
{
    *m =
        (haft__object_builder){.members = haft__gbnf_alloc(&d->g, room, sizeof(haft__json_member))};
    return m->members != NULL;
}

static inline void haft__object_builder_put(haft__object_builder *m, haft__json key,
                                            haft__json value)
{
    m->members[m->count++] = (haft__json_member){key, value};
}

static inline haft__json haft__object_builder_end(const haft__object_builder *m)
{
    return haft__json_object(m->members, m->count);
}

static inline haft__json haft__object_builder_string(const char *literal)
{
    return haft__json_string(haft__str(literal));
}

/* {key: value} */
haft__json haft__object_builder_single(haft__downlevel *d, const char *key, haft__json value);

/* ---- openai_strict.c ---- */

/* Translates the schema of a property. If the target requires all properties, an optional one
 * becomes nullable. */
haft__json haft__downlevel_property(haft__downlevel *d, haft__json schema, haft_str key,
                                    haft__json value);

/* Adds the requirements of strict mode: every schema has a type, and every object is closed. */
void haft__downlevel_complete_strict(haft__downlevel *d, haft__json schema,
                                     haft__object_builder *m);

/* ---- gemini.c ---- */

/* Whether the target accepts a property with this name. */
bool haft__downlevel_can_name(const haft__downlevel *d, haft_str name);

/* The replacement of `enum` or `const` with a value that the target does not support; NULL: the
 * keyword stays. */
const char *haft__downlevel_find_value_fault(const haft__downlevel *d, haft__json schema,
                                             const char *key);

/* The replacement of `additionalProperties` if it would forbid a property that the target does not
 * accept; NULL: the keyword stays. */
const char *haft__downlevel_find_closed_fault(const haft__downlevel *d, haft__json schema,
                                              const char *key);

/* `required` without properties that the target does not accept. */
haft__json haft__downlevel_required(haft__downlevel *d, haft__json names);

/* `const` for the target: for Gemini a list of one value. */
haft__json haft__downlevel_const(haft__downlevel *d, haft__json value);

#endif
