/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema/downlevel/downlevel.h - a JSON Schema in the words that a model's server understands.
 *
 *     haft__downlevel_init(&d, target, report);
 *     haft__json made = haft__downlevel_translate(&d, where, schema);     as often as there are
 * schemas haft__json defs = haft__downlevel_defs(&d);               what their `$ref` lead to
 *     status = haft__downlevel_check(&d, err);
 *     haft__downlevel_finish(&d);                               and what was made is gone
 *
 * What the target does not know is left out and reported. The result accepts whatever the schema
 * accepts, but for what the target wants otherwise.
 */
#ifndef HAFT_SCHEMA_DOWNLEVEL_DOWNLEVEL_H
#define HAFT_SCHEMA_DOWNLEVEL_DOWNLEVEL_H

#include "schema/grammar/gbnf.h"
#include "schema/relax_report.h"
#include "json/value.h"

typedef enum haft__schema_target {
    HAFT__TARGET_OPENAI, /* strict mode: every property is required, optional ones may be null; no
                            others; the root is an object */
    HAFT__TARGET_VLLM,   /* xgrammar, guidance, outlines: what all of them take */
    HAFT__TARGET_OLLAMA, /* llama.cpp's own translation */
} haft__schema_target;

/* "openai", "vllm", "ollama"; false when it is none of them. */
bool haft__schema_target_find(haft_str name, haft__schema_target *ret_target);

typedef struct haft__downlevel {
    haft__schema_target target;
    haft__gbnf_writer g; /* for places, merging and memory; no grammar comes of it */
    haft__buf out;       /* of that */
    haft__json_member *defs;
    size_t def_count, def_room;
} haft__downlevel;

void haft__downlevel_init(haft__downlevel *d, haft__schema_target target,
                          haft__relax_report *report);
void haft__downlevel_finish(haft__downlevel *d);

/* The schema for the target. `where` is put in front of the places reported; `schema` must outlive
 * the result. References lead to "#/$defs/dN" of whatever the result becomes a part of. */
haft__json haft__downlevel_translate(haft__downlevel *d, haft_str where, haft__json schema);

/* An object with all definitions so far. */
haft__json haft__downlevel_defs(const haft__downlevel *d);

/* Fails for want of memory, and with TOO_BIG past HAFT__LIMIT_GRAMMAR_MEMORY. */
HAFT_MUST_USE haft_status haft__downlevel_check(const haft__downlevel *d, haft_error *err);

#endif
