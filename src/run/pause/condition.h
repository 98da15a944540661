/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/pause/condition.h - `when` of an approval rule: {at, op, value}, a condition on one argument.
 *
 * If the values cannot be compared, the call needs approval. Calls and the loader of specs both use
 * haft__condition_fits to decide which values can be compared.
 */
#ifndef HAFT_RUN_PAUSE_CONDITION_H
#define HAFT_RUN_PAUSE_CONDITION_H

#include "json/value.h"

/* The result of a condition if only the type of the argument is known. */
typedef enum haft__condition_fit {
    HAFT__CONDITION_COMPARABLE,   /* the result depends on the argument's value */
    HAFT__CONDITION_NEVER,        /* the condition is false for every value */
    HAFT__CONDITION_INCOMPARABLE, /* argument and value cannot be compared: every call needs
                                     approval */
} haft__condition_fit;

/* Returns how an argument of the type of `argument` fits the operator `op` (not exists) and the
 * value in the condition. `value` is NULL if the condition has none. Only the type of `argument` is
 * used. */
haft__condition_fit haft__condition_fits(haft_str op, haft__json argument, const haft__json *value);

/* Like haft__condition_fits, for `item` and the items of `list`. Only the type of `item` is used.
 * An empty list cannot be compared. */
haft__condition_fit haft__condition_fits_list(haft__json list, haft__json item);

/* Whether the condition holds for a missing argument. */
bool haft__condition_holds_if_missing(haft__json when);

/* Whether a call with these arguments needs approval: the condition holds, or it cannot be decided
 * (values that cannot be compared, an invalid pattern, out of memory). Also true if `when` is null
 * (a rule without a condition) or `arguments` is NULL (any possible call). */
bool haft__condition_needs_approval(haft__arena *scratch, haft__json when,
                                    const haft__json *arguments);

/* Whether the condition holds for `view`, for a branch of a graph. Values that cannot be compared
 * are not equal and have no order. */
bool haft__condition_holds(haft__arena *scratch, haft__json when, haft__json view);

#endif
