/* SPDX-License-Identifier: Apache-2.0 */
/* The property of reply_stream.h for replies of Anthropic. */
#include "model/providers/anthropic/anthropic.h"
#include "reply_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return check_reply_stream(&haft__anthropic_api, data, size);
}
