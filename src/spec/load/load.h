/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec/load/load.h - the text of a spec to a checked spec, with every problem and its place.
 *
 *     text -> value with places -> --set -> haft.schema.json -> translation of the planner shape
 *          -> struct -> what a schema cannot say: names, the choice policy, money, an end
 *
 * Pure: the text, the environment and the overrides are arguments.
 */
#ifndef HAFT_SPEC_LOAD_LOAD_H
#define HAFT_SPEC_LOAD_LOAD_H

#include "spec/load/problem.h"
#include "spec/spec.h"

/* The environment, as far as a spec may look at it. */
typedef struct haft__spec_env {
    /* The value of a variable; .ptr is NULL when there is none. `get` itself may be NULL: then
     * nobody looks, and nothing is missing. The text lives as long as the spec. */
    haft_str (*get)(void *context, haft_str name);
    void *context;
} haft__spec_env;

typedef struct haft__spec_options {
    haft_str path; /* of the file, for spec->path */
    haft__spec_env env;
    const char *const *sets; /* "limits.turns=5": overrides, in order; may be NULL */
    size_t set_count;
    const char *model;                  /* for a spec that names none; may be NULL */
    bool model_always;                  /* ... in the place of what it names */
    const char *model_from;             /* where it comes from: "--model", "haft.config.yaml" */
    const haft__tool *const *functions; /* tools that the program brings along; may be NULL */
    size_t function_count;
    /* What a model costs that has no price in the spec; false when nobody knows. May be NULL. */
    bool (*find_price)(void *context, haft_str provider, haft_str model, haft__price *ret_price);
    void *price_context;
    /* The text of a file that the spec names (mcp.import), relative to the spec at `spec`, in
     * `arena`. May be NULL: then nobody looks, and nothing of it is known. */
    haft_status (*read_file)(void *context, haft__arena *arena, haft_str spec, haft_str path,
                             haft_str *ret_text, haft_error *err);
    void *read_context;
    bool kept; /* of a run that has begun with it: what only is not as it was meant is no error */
    haft__hash_key hash_key;
} haft__spec_options;

typedef struct haft__spec_report {
    const haft__spec_problem *problems; /* by place */
    size_t count;                       /* of those kept */
    size_t errors, warnings;            /* in all */
} haft__spec_report;

/* Loads. The spec and the report live in `arena`; `text` must live as long. *ret_spec is NULL when
 * there are errors; warnings keep nobody from it. Fails only for want of memory. */
HAFT_MUST_USE haft_status haft__spec_load(haft__arena *arena, haft_str text,
                                          const haft__spec_options *options,
                                          const haft__spec **ret_spec,
                                          haft__spec_report *ret_report, haft_error *err);

/* Puts `value` at `path` of *io_value: "limits.turns", "tools.0.name", or a JSON Pointer
 * ("/tools/0/name"). The value is JSON, or else a text. Objects on the way are made; items of a
 * list must be there, and a model that is a text becomes an object on the way. BAD_INPUT when the
 * path leads nowhere; err->where is the path up to the part that does not. What is new lives in
 * `arena`. */
HAFT_MUST_USE haft_status haft__spec_set(haft__arena *arena, haft__json *io_value, haft_str path,
                                         haft_str value, haft_error *err);

/* Replaces ${NAME} by variables of the environment. NOT_FOUND when there is none of that name,
 * unless it says ${NAME:-what then}; BAD_INPUT when a ${ has no name and }. `text` itself where
 * nothing is to be replaced. */
HAFT_MUST_USE haft_status haft__spec_expand(haft__arena *arena, haft_str text,
                                            const haft__spec_env *env, haft_str *ret_text,
                                            haft_error *err);

/* Checks a document that is no spec with a JSON Schema of ours; what is wrong with it is worded and
 * placed as it is for specs. Fails for want of memory only. */
struct haft__spec_document;
HAFT_MUST_USE haft_status haft__spec_check_with(haft__arena *arena, haft_str schema,
                                                const struct haft__spec_document *document,
                                                haft__hash_key hash_key,
                                                haft__spec_problems *problems, haft_error *err);

/* The text of haft.schema.json. */
haft_str haft__spec_schema_text(void);

#endif
