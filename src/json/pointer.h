/* SPDX-License-Identifier: Apache-2.0 */
/* json/pointer.h - JSON Pointer (RFC 6901). */
#ifndef HAFT_JSON_POINTER_H
#define HAFT_JSON_POINTER_H

#include "base/buf.h"
#include "json/value.h"

/* The value at `pointer` ("" or "/a/0/b~1c"); NULL if it does not exist or the pointer is
 * malformed. Array indices have no leading zero; "-" never exists. */
const haft__json *haft__pointer_get(const haft__json *root, haft_str pointer);

/* Removes the first token, still escaped, from a pointer. False at the end of the pointer and if it
 * is malformed. */
bool haft__pointer_next(haft_str *pointer, haft_str *ret_token);

/* The member of `object` that one token of a pointer names, or NULL. */
const haft__json *haft__pointer_member(haft__json object, haft_str token);

/* The item of `array` that one token of a pointer names, or NULL. */
const haft__json *haft__pointer_item(haft__json array, haft_str token);

/* Appends "/" and the token with "~" and "/" escaped. */
void haft__pointer_add_key(haft__buf *buf, haft_str key);
void haft__pointer_add_index(haft__buf *buf, size_t index);

#endif
