/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strict_help.h - a mock of Gemini's checks of a request, written from its documentation and not
 * from the code that writes requests.
 */
#ifndef HAFT_TESTS_MODEL_PROVIDERS_GEMINI_STRICT_HELP_H
#define HAFT_TESTS_MODEL_PROVIDERS_GEMINI_STRICT_HELP_H

#include "json/value.h"

/* Why the server would answer 400 to this body; NULL if it accepts it. `signs`: the model requires
 * thought signatures, as Gemini 3 does. */
const char *gemini_find_fault(haft__json body, bool signs);

#endif
