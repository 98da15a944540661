/* SPDX-License-Identifier: Apache-2.0 */
/* run/binary.h - which results of tools are not text, and their media types. */
#ifndef HAFT_RUN_BINARY_H
#define HAFT_RUN_BINARY_H

#include <stdbool.h>

#include "haft.h"

/* Whether the bytes are not text: they have a NUL byte; or they are not valid UTF-8, and either
 * have another control character or more than a quarter of them is not valid. All other bytes are
 * text. Examples are UTF-8 with a few invalid bytes, and 8-bit encodings of languages with Latin
 * letters.
 */
bool haft__binary_is(haft_str bytes);

/* Returns the media type of a result: the type that its first bytes show; else the declared type
 * without its parameters, if that is well-formed and does not claim that binary bytes are text;
 * else application/octet-stream. The returned text is static or a part of `declared`. */
haft_str haft__binary_media_type(haft_str bytes, haft_str declared);

/* The usual extension of a media type, without a dot; "bin" for others. */
const char *haft__binary_extension(haft_str media_type);

#endif
