/* SPDX-License-Identifier: Apache-2.0 */
/* The property of reply_stream.h for replies of Gemini. */
#include "model/providers/gemini/gemini.h"
#include "reply_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return check_reply_stream(&haft__gemini_api, data, size);
}
