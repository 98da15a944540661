/* SPDX-License-Identifier: Apache-2.0 */
/* run/pause/question.h - answers to request_user_input: a choice, its number, the default, or a
 * text. */
#ifndef HAFT_RUN_PAUSE_QUESTION_H
#define HAFT_RUN_PAUSE_QUESTION_H

#include "run/run.h"

/* Returns the answer that the model reads. A number selects the choice with that number, from 1,
 * unless the number itself is a choice. "" or null selects the default. BAD_INPUT if the choice or
 * the default does not exist. The result is borrowed from the call or from `value`. */
HAFT_MUST_USE haft_status haft__question_answer(const haft__run_call *call, haft__json value,
                                                haft__json *ret_answer, haft_error *err);

#endif
