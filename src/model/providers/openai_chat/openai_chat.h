/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/openai_chat/openai_chat.h - the wire format of Chat Completions: the functions
 * that model/provider.h declares. */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_CHAT_OPENAI_CHAT_H
#define HAFT_MODEL_PROVIDERS_OPENAI_CHAT_OPENAI_CHAT_H

#include "model/provider.h"

extern const haft__provider_api haft__openai_chat_api;

#endif
