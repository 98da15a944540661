/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/ollama/ollama.h - the wire format of Ollama's own API, /api/chat. */
#ifndef HAFT_MODEL_PROVIDERS_OLLAMA_OLLAMA_H
#define HAFT_MODEL_PROVIDERS_OLLAMA_OLLAMA_H

#include "model/provider.h"

extern const haft__provider_api haft__ollama_api;

#endif
