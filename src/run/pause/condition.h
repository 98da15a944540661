/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/pause/condition.h - `when` of an approval rule: {at, op, value}, which is about one argument.
 *
 * What cannot be compared is asked about. Which values that are is said once, by
 * haft__condition_fits, for calls and for the loader that looks at a spec.
 */
#ifndef HAFT_RUN_PAUSE_CONDITION_H
#define HAFT_RUN_PAUSE_CONDITION_H

#include "json/value.h"

/* What is known of a condition when only the kind of the argument is. */
typedef enum haft__condition_fit {
    HAFT__CONDITION_COMPARABLE,   /* it depends on the argument's value */
    HAFT__CONDITION_NEVER,        /* it does not hold, whatever the value */
    HAFT__CONDITION_INCOMPARABLE, /* the two cannot be compared: a person is asked, whatever the
                                     value */
} haft__condition_fit;

/* How an argument like `argument`, of which only the kind counts, fits an `op` other than exists
 * and what it is compared with; `value` is NULL when nothing is. */
haft__condition_fit haft__condition_fits(haft_str op, haft__json argument, const haft__json *value);

/* The same for `item`, of which only the kind counts, and the items of a list, none of which can
 * be compared when there are none. */
haft__condition_fit haft__condition_fits_list(haft__json list, haft__json item);

/* Whether it holds of an argument that was left out. */
bool haft__condition_holds_if_missing(haft__json when);

/* Whether a call with these arguments is asked about, because the condition holds or cannot be
 * decided (nothing that can be compared, a broken pattern, no memory). `when` is null for a rule
 * without one, and `arguments` NULL for any call there could be: both are asked about. */
bool haft__condition_needs_approval(haft__arena *scratch, haft__json when,
                                    const haft__json *arguments);

#endif
