/* SPDX-License-Identifier: Apache-2.0 */
/* run/pause/elicitation.h - converts a person's answer to a tool's question into the form that the
 * tool receives. */
#ifndef HAFT_RUN_PAUSE_ELICITATION_H
#define HAFT_RUN_PAUSE_ELICITATION_H

#include "run/run.h"

/* Makes {action, content} from the answer to a question (haft__run_call.elicitation). An answer of
 * the form {action: accept|decline|cancel, content} is used unchanged. For a form, an object is the
 * content of the form, and any other value is the value of its only field. For a page to visit,
 * every value except false and "no" is consent. After defaults and exact conversions, the content
 * must match the tool's schema; else fails with BAD_INPUT and the reason. The result lives in
 * `arena` or is borrowed. */
HAFT_MUST_USE haft_status haft__elicitation_answer(haft__json elicitation, haft__json value,
                                                   haft__arena *arena, haft__hash_key hash_key,
                                                   haft__json *ret_answer, haft_error *err);

/* A text of the question: "message", "server", "mode", "url"; "" if missing. */
haft_str haft__elicitation_text(const haft__run_call *call, const char *key);

/* Whether the question is a page to visit, not a form. */
bool haft__elicitation_is_url(const haft__run_call *call);

/* The fields of the form: an object of schemas; null if it has no fields. */
haft__json haft__elicitation_fields(const haft__run_call *call);

/* Whether the form requires that field. */
bool haft__elicitation_requires(const haft__run_call *call, haft_str field);

#endif
