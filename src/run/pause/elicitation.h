/* SPDX-License-Identifier: Apache-2.0 */
/* run/pause/elicitation.h - what a person says to a question of a tool, as the tool is told. */
#ifndef HAFT_RUN_PAUSE_ELICITATION_H
#define HAFT_RUN_PAUSE_ELICITATION_H

#include "run/run.h"

/* Makes {action, content} of what was said to a question (haft__run_call.elicitation): {action:
 * accept|decline|cancel, content} as it is, an object as the content of a form, any other value as
 * the one field that a form has, and anything as consent to visit a page, but for false and "no".
 * The content must be what the tool's schema wants, with defaults filled in and converted where
 * exact; else BAD_INPUT, which says what is wrong. Lives in `arena`, or is borrowed. */
HAFT_MUST_USE haft_status haft__elicitation_answer(haft__json elicitation, haft__json given,
                                                   haft__arena *arena, haft__hash_key hash_key,
                                                   haft__json *ret_answer, haft_error *err);

/* A text of the question: "message", "server", "mode", "url"; "" when it is not there. */
haft_str haft__elicitation_text(const haft__run_call *call, const char *key);

/* Whether it is a page to visit, not a form. */
bool haft__elicitation_is_url(const haft__run_call *call);

/* The fields of the form: an object of schemas; null when there are none. */
haft__json haft__elicitation_fields(const haft__run_call *call);

/* Whether the form wants that field. */
bool haft__elicitation_requires(const haft__run_call *call, haft_str field);

#endif
