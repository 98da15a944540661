/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/openai_responses/openai_responses.h - the wire format of OpenAI's Responses API:
 * the functions that model/provider.h declares. */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_RESPONSES_OPENAI_RESPONSES_H
#define HAFT_MODEL_PROVIDERS_OPENAI_RESPONSES_OPENAI_RESPONSES_H

#include "model/provider.h"

extern const haft__provider_api haft__openai_responses_api;

#endif
