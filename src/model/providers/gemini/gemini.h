/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/gemini/gemini.h - the wire format of Gemini's generateContent, for the table of
 * providers (model/provider.h). */
#ifndef HAFT_MODEL_PROVIDERS_GEMINI_GEMINI_H
#define HAFT_MODEL_PROVIDERS_GEMINI_GEMINI_H

#include "model/provider.h"

extern const haft__provider_api haft__gemini_api;

#endif
