/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/openai_chat/openai_chat.h - Chat Completions as a row of model/provider.h. */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_CHAT_OPENAI_CHAT_H
#define HAFT_MODEL_PROVIDERS_OPENAI_CHAT_OPENAI_CHAT_H

#include "model/provider.h"

extern const haft__provider_api haft__openai_chat_api;

#endif
