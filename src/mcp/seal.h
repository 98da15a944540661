/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp/seal.h - signed tokens: a client stores the text and sends it back, and a change is detected.
 * The signature is HMAC-SHA256 (RFC 2104) over the text, the expiry time and the binding.
 */
#ifndef HAFT_MCP_SEAL_H
#define HAFT_MCP_SEAL_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/sha256.h"

#define HAFT__SEAL_KEY_BYTES 32

typedef struct haft__seal_key {
    uint8_t bytes[HAFT__SEAL_KEY_BYTES];
} haft__seal_key;

/* HMAC-SHA256 of `bytes`. */
void haft__seal_hmac(const haft__seal_key *key, haft_str bytes,
                     uint8_t ret_digest[HAFT__SHA256_BYTES]);

/* Compares two texts of the same length in constant time. Texts of different lengths are not
 * equal. */
bool haft__seal_equal(haft_str a, haft_str b);

/* Appends a token that contains `text`: printable ASCII without blanks. haft__seal_open accepts the
 * token until `expires_ms`, and only with the same `binding`, which the token does not contain. */
void haft__seal_write(haft__buf *buf, const haft__seal_key *key, haft_str binding, haft_str text,
                      uint64_t expires_ms);

/* Verifies a token and returns its text, which lives in `arena`. BAD_INPUT if the token has another
 * key or binding, was changed or has expired; the error does not say which. */
HAFT_MUST_USE haft_status haft__seal_open(haft__arena *arena, const haft__seal_key *key,
                                          haft_str binding, haft_str sealed, uint64_t now_ms,
                                          haft_str *ret_text, haft_error *err);

#endif
