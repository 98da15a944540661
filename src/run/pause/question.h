/* SPDX-License-Identifier: Apache-2.0 */
/* run/pause/question.h - answers to request_user_input: a choice, its number, the default, or a
 * text. */
#ifndef HAFT_RUN_PAUSE_QUESTION_H
#define HAFT_RUN_PAUSE_QUESTION_H

#include "run/run.h"

/* What the model reads for what was said. A number stands for the choice of that number, from 1,
 * unless it is a choice itself; nothing ("" or null) for the default. BAD_INPUT when there is no
 * such choice or no default. What is returned is borrowed from the call or from `said`. */
HAFT_MUST_USE haft_status haft__question_answer(const haft__run_call *call, haft__json said,
                                                haft__json *ret_answer, haft_error *err);

#endif
