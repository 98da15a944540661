/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema/downlevel/downlevel.h - translates a JSON Schema to the subset that a model's server
 * supports.
 *
 *     haft__downlevel_init(&d, target, report);
 *     haft__json made = haft__downlevel_translate(&d, where, schema);   once for each schema
 *     haft__json defs = haft__downlevel_defs(&d);                       the targets of `$ref`
 *     status = haft__downlevel_check(&d, err);
 *     haft__downlevel_finish(&d);                                       frees the results
 *
 * Keywords that the target does not support are left out and reported. The result accepts every
 * value that the schema accepts, except where the target has its own requirements (`narrowed`).
 */
#ifndef HAFT_SCHEMA_DOWNLEVEL_DOWNLEVEL_H
#define HAFT_SCHEMA_DOWNLEVEL_DOWNLEVEL_H

#include "schema/grammar/gbnf.h"
#include "schema/relax_report.h"
#include "json/value.h"

typedef enum haft__schema_target {
    HAFT__TARGET_OPENAI, /* strict mode: every property is required, optional ones may be null, and
                            no other members are allowed; the root is an object */
    HAFT__TARGET_VLLM,   /* the common subset of xgrammar, guidance and outlines */
    HAFT__TARGET_OLLAMA, /* llama.cpp's own translation */
    HAFT__TARGET_OPENAI_OPEN, /* without strict mode: only the root must be an object */
    HAFT__TARGET_ANTHROPIC,   /* objects have no other members than their properties; no bounds */
    HAFT__TARGET_GEMINI,      /* no recursion, and no properties with other characters than letters,
                                 digits and '_' */
} haft__schema_target;

/* "openai", "vllm", "ollama", "anthropic", "gemini"; false for any other name. */
bool haft__schema_target_find(haft_str name, haft__schema_target *ret_target);

/* Whether objects of the target have only the listed properties. */
bool haft__schema_target_closes_objects(haft__schema_target target);

/* Whether the target requires every property, so that a model writes null for an absent one. */
bool haft__schema_target_is_strict(haft__schema_target target);

/* The target of the same server without strict mode; `target` if it has none. */
haft__schema_target haft__schema_target_relaxed(haft__schema_target target);

typedef struct haft__downlevel {
    haft__schema_target target;
    haft__gbnf_writer g; /* used for locations, merging and memory, not to make a grammar */
    haft__buf out;       /* the output of `g` */
    haft__json_member *defs;
    size_t def_count, def_room;
    size_t nullable_count; /* optional properties that may be null instead; each is reported */
    /* The first place where the result accepts less than the schema, and the part of the schema
     * that the target cannot express; NULL: none. An optional property that may be null does not
     * count. */
    haft_str narrowed_at;
    const char *narrowed;
} haft__downlevel;

void haft__downlevel_init(haft__downlevel *d, haft__schema_target target,
                          haft__relax_report *report);
void haft__downlevel_finish(haft__downlevel *d);

/* The schema for the target. Reported locations start with `where`; `schema` must outlive the
 * result. References point to "#/$defs/dN" of the document that will contain the result. */
haft__json haft__downlevel_translate(haft__downlevel *d, haft_str where, haft__json schema);

/* An object with all definitions so far. */
haft__json haft__downlevel_defs(const haft__downlevel *d);

/* Fails when out of memory, and with TOO_BIG past HAFT__LIMIT_GRAMMAR_MEMORY. */
HAFT_MUST_USE haft_status haft__downlevel_check(const haft__downlevel *d, haft_error *err);

#endif
