/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema/downlevel.h - a JSON Schema in the words that a model's server understands.
 *
 * What is left out is reported. The result accepts whatever the schema accepts, but for what the
 * server wants otherwise: see each target.
 */
#ifndef HAFT_SCHEMA_DOWNLEVEL_H
#define HAFT_SCHEMA_DOWNLEVEL_H

#include "schema/relax.h"
#include "json/value.h"

typedef enum haft__schema_target {
    HAFT__TARGET_OPENAI, /* strict mode: every property is required, optional ones may be null; no
                            others; the root is an object */
    HAFT__TARGET_VLLM,   /* xgrammar, guidance, outlines: what all of them take */
    HAFT__TARGET_OLLAMA, /* llama.cpp's own translation */
} haft__schema_target;

/* "openai", "vllm", "ollama"; false when it is none of them. */
bool haft__schema_target_find(haft_str name, haft__schema_target *ret_target);

/* The schema for the target; new parts live in `arena`, the others are shared with `schema`, which
 * must outlive the result. `where` is put in front of the places reported. References stay inside
 * the result: `$ref` leads to `$defs` of it, with `prefix` in front ("#/$defs/search/"); see
 * haft__grammar_schema. Fails only for want of memory. */
HAFT_MUST_USE haft_status haft__schema_downlevel(haft__arena *arena, haft__json schema,
                                                 haft__schema_target target, haft_str where,
                                                 haft_str prefix, haft__relax_report *report,
                                                 haft__json *ret_schema, haft_error *err);

#endif
