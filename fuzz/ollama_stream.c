/* SPDX-License-Identifier: Apache-2.0 */
/* The property of reply_stream.h for replies of Ollama's own API. */
#include "model/providers/ollama/ollama.h"
#include "reply_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return check_reply_stream(&haft__ollama_api, data, size);
}
