/* SPDX-License-Identifier: Apache-2.0 */
/* The property of reply_stream.h for replies of Chat Completions. */
#include "model/providers/openai_chat/openai_chat.h"
#include "reply_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return check_reply_stream(&haft__openai_chat_api, data, size);
}
