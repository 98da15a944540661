/* SPDX-License-Identifier: Apache-2.0 */
/* model/call_arguments.h - the arguments of calls in a history, as every server accepts them. */
#ifndef HAFT_MODEL_CALL_ARGUMENTS_H
#define HAFT_MODEL_CALL_ARGUMENTS_H

#include <stdbool.h>

#include "base/buf.h"

/* Whether the text is one JSON object. Builds no value. */
HAFT_MUST_USE haft_status haft__call_arguments_check(haft_str text, bool *ret_object,
                                                     haft_error *err);

/* Appends the arguments as a JSON object. Servers answer 400 to a history with arguments that are
 * not an object, and one bad call would end the run: such a text is wrapped, so that the model
 * still sees what it wrote. An empty text is an empty object. */
void haft__call_arguments_write(haft__buf *buf, haft_str text);

#endif
