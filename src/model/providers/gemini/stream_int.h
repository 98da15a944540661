/* SPDX-License-Identifier: Apache-2.0 */
/* model/providers/gemini/stream_int.h - shared by the files of model/providers/gemini/stream.h.
 * Private to its folder. */
#ifndef HAFT_MODEL_PROVIDERS_GEMINI_STREAM_INT_H
#define HAFT_MODEL_PROVIDERS_GEMINI_STREAM_INT_H

#include "model/providers/gemini/stream.h"

/* ---- stream_parts.c ---- */

/* Reads the next part of the reply. */
HAFT_MUST_USE haft_status haft__gemini_read_part(haft__gemini_stream *stream, haft__json part,
                                                 haft_error *err);

/* Emits the items of the reply, if the neutral form does not express them all. */
HAFT_MUST_USE haft_status haft__gemini_emit_items(haft__gemini_stream *stream, haft_error *err);

#endif
