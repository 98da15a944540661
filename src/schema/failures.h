/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema/failures.h - what the explaining pass has found so far, and where it is.
 *
 * A failure is worded into a buffer (haft__explain_message) and then added to the list in use. The
 * alternatives of anyOf and oneOf are each explained into a list of their own; the best one is
 * appended. Failures live in the checker's arena; each costs steps, which bounds them all.
 */
#ifndef HAFT_SCHEMA_FAILURES_H
#define HAFT_SCHEMA_FAILURES_H

#include "schema/schema_int.h"

/* How much a failure says against an alternative. A wrong type rules it out, a wrong constant in
 * one of its members (a discriminator) nearly so; any other failure is just one more. */
#define HAFT__WEIGHT_TYPE          100000U
#define HAFT__WEIGHT_DISCRIMINATOR 1000U
#define HAFT__WEIGHT_OTHER         1U

/* Where in the instance we are, from the inside out. */
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
    bool exceeded_reported; /* where the budget was used up is known and has been said */
} haft__explainer;

/* An empty list for a value at that depth. */
void haft__schema_failures_init(haft__schema_failures *list, uint32_t depth);

/* Enough failures, or no budget or memory left: nothing more needs to be looked at. */
bool haft__explain_is_done(const haft__explainer *ex);

/* Starts a message; the next add_failure takes it. */
haft__buf *haft__explain_message(haft__explainer *ex);
void haft__explain_add(haft__explainer *ex, const haft__instance_path *at, uint64_t weight);

/* Adds to `list` from now on. Returns the list that was in use. */
haft__schema_failures *haft__explain_redirect(haft__explainer *ex, haft__schema_failures *list);

/* Takes the failures of another list over, as they are. */
void haft__explain_add_all(haft__explainer *ex, const haft__schema_failures *list);

/* Adds the reason why the checker gave up. */
void haft__explain_add_exceeded(haft__explainer *ex, haft__exceeded stop,
                                const haft__instance_path *at);

/* After a check that said no: because a budget is used up? Then that is the failure. */
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
