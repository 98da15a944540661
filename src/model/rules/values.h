/* SPDX-License-Identifier: Apache-2.0 */
/* model/rules/values.h - what an argument is about, to judge by its name. */
#ifndef HAFT_MODEL_RULES_VALUES_H
#define HAFT_MODEL_RULES_VALUES_H

#include "model/rules/offline_int.h"

/* Whether the name is one for what somebody wants to know: query, question, text, path ... */
bool haft__offline_is_about_task(haft_str name);

/* A text for an argument of that name; another variant gives another one. Lives in the arena, or is
 * borrowed. */
HAFT_MUST_USE haft_status haft__offline_text(haft__offline *o, const haft__tool *tool,
                                             haft_str name, unsigned variant, haft_str *ret_text);

/* Whether the task or a result has something that a text of that name could be: without it a value
 * would be made up. */
bool haft__offline_can_fill(const haft__offline *o, const haft__tool *tool, haft_str name);

/* What stands behind the name of the tool in the task: X of "use TOOL for X"; "" when nothing
 * does. */
haft_str haft__offline_asked_with(const haft__offline *o, const haft__tool *tool, haft_str name);

/* A text of the task that fits the argument by its pattern, its format or its name: an address, a
 * date, the number of an order. Another variant gives another one. */
bool haft__offline_hint_for(haft__offline *o, haft_str name, haft__json schema, unsigned variant,
                            haft_str *ret_text);

/* Appends a text that the pattern takes, if it is a simple one. */
void haft__offline_sample(haft__buf *buf, haft_str pattern);

/* Whether the task has the word, or another form of it: one of several values is meant then. */
bool haft__offline_names_value(const haft__offline *o, haft_str value);

/* The number that stands beside a word of the name in the task. */
bool haft__offline_number_for(const haft__offline *o, haft_str name, int64_t *ret_number);

/* A number for an argument of that name: of the task, or a usual one. */
int64_t haft__offline_amount(const haft__offline *o, haft_str name);

/* The value that earlier results have under that name, if it has a type that the schema takes; the
 * `variant`-th different one. False when there is none. */
bool haft__offline_fact_for(const haft__offline *o, haft_str name, haft__json schema,
                            unsigned variant, haft__json *ret_value);

#endif
