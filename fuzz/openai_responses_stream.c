/* SPDX-License-Identifier: Apache-2.0 */
/* The property of reply_stream.h for replies of the Responses API. */
#include "model/providers/openai_responses/openai_responses.h"
#include "reply_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return check_reply_stream(&haft__openai_responses_api, data, size);
}
