/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/gemini/models.h - differences between the models of Gemini, by their names. */
#ifndef HAFT_MODEL_PROVIDERS_GEMINI_MODELS_H
#define HAFT_MODEL_PROVIDERS_GEMINI_MODELS_H

#include <stdbool.h>

#include "haft.h"

/* Whether the model answers 400 to a call in the history without a thought signature: Gemini 3 and
 * later, and names without a version, which mean the newest model. */
bool haft__gemini_needs_signatures(haft_str model);

#endif
