/* SPDX-License-Identifier: Apache-2.0 */
/* base/base64.h - base64 of RFC 4648, with padding. */
#ifndef HAFT_BASE_BASE64_H
#define HAFT_BASE_BASE64_H

#include "base/buf.h"

void haft__base64_add(haft__buf *buf, haft_str bytes);

/* Decodes strict base64: whole groups, padding only at the end, no other characters. `to` has space
 * for 3 bytes for every 4 characters; its content is unspecified if the text is not valid. */
bool haft__base64_decode(haft_str text, char *to, size_t *ret_length);

#endif
