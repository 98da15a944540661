/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/ollama/stream.h - replies of Ollama's own API: one JSON object, or one for each
 * piece, in lines. model/reply_reader.h reads them. */
#ifndef HAFT_MODEL_PROVIDERS_OLLAMA_STREAM_H
#define HAFT_MODEL_PROVIDERS_OLLAMA_STREAM_H

#include "model/reply_reader.h"

typedef struct haft__ollama_stream {
    haft__reply_reader reader;
    uint32_t *calls; /* the numbers of calls that have not ended */
    size_t call_count, call_capacity;
} haft__ollama_stream;

/* The options are copied; what they point to must outlive the stream. */
void haft__ollama_stream_init(haft__ollama_stream *stream,
                              const haft__provider_stream_options *options);

#endif
