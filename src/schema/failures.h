/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema/failures.h - the failures that the explaining pass has found, and its position.
 *
 * The message of a failure is written into a buffer (haft__explain_message), and then the failure
 * is added to the current list. Each alternative of anyOf and oneOf is explained into its own list;
 * the best list is appended. Failures live in the checker's arena; each costs steps, which bounds
 * them all.
 */
#ifndef HAFT_SCHEMA_FAILURES_H
#define HAFT_SCHEMA_FAILURES_H

#include "schema/schema_int.h"

/* The weight of a failure against an alternative. A wrong type has the greatest weight, a wrong
 * constant in a member (a discriminator) the second greatest. Any other failure has the weight
 * 1. */
#define HAFT__WEIGHT_TYPE          100000U
#define HAFT__WEIGHT_DISCRIMINATOR 1000U
#define HAFT__WEIGHT_OTHER         1U

/* The position in the instance, from the inside out. */
typedef struct haft__instance_path {
    const struct haft__instance_path *outer; /* NULL at the root */
    const haft__json *key;                   /* NULL in an array */
    uint32_t index;
    uint32_t depth;
} haft__instance_path;

typedef struct haft__schema_failure {
    struct haft__schema_failure *next;
    haft_str where, message;
} haft__schema_failure;

typedef struct haft__schema_failures {
    haft__schema_failure *first, **last;
    uint32_t count;
    uint64_t weight;
    uint32_t depth; /* of the value that the alternatives are for */
    bool more;
} haft__schema_failures;

typedef struct haft__explainer {
    haft__checker *checker;
    haft__arena *arena;
    haft__schema_failures *into;
    haft__buf text, where;
    haft_status status;
    bool exceeded_reported; /* the exhausted budget has been reported */
} haft__explainer;

/* An empty list for a value at that depth. */
void haft__schema_failures_init(haft__schema_failures *list, uint32_t depth);

/* Whether the pass can stop: the list has enough failures, or the budget or the memory is used
 * up. */
bool haft__explain_is_done(const haft__explainer *ex);

/* Returns the empty buffer for the message of the next failure. */
haft__buf *haft__explain_message(haft__explainer *ex);
void haft__explain_add(haft__explainer *ex, const haft__instance_path *at, uint64_t weight);

/* Makes `list` the current list. Returns the previous one. */
haft__schema_failures *haft__explain_redirect(haft__explainer *ex, haft__schema_failures *list);

/* Appends the failures of another list, unchanged. */
void haft__explain_add_all(haft__explainer *ex, const haft__schema_failures *list);

/* Adds the reason why the checker stopped. */
void haft__explain_add_exceeded(haft__explainer *ex, haft__exceeded stop,
                                const haft__instance_path *at);

/* To be called after a check that failed. If a budget is used up, adds that as a failure and
 * returns true. */
bool haft__explain_check_exceeded(haft__explainer *ex, const haft__instance_path *at);

/* Copies the list for the caller. */
HAFT_MUST_USE haft_status haft__schema_failures_report(const haft__schema_failures *list,
                                                       haft__arena *arena,
                                                       haft__schema_report *ret_report,
                                                       haft_error *err);

static inline haft__instance_path haft__instance_path_key(const haft__instance_path *at,
                                                          const haft__json *key)
{
    return (haft__instance_path){at, key, 0, at->depth + 1};
}

static inline haft__instance_path haft__instance_path_index(const haft__instance_path *at,
                                                            uint32_t index)
{
    return (haft__instance_path){at, NULL, index, at->depth + 1};
}

#endif
