/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp/seal.h - texts that clients keep for us and cannot change: HMAC-SHA256 (RFC 2104) over the
 * content, the expiry time and the binding.
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

void haft__seal_hmac(const haft__seal_key *key, haft_str bytes,
                     uint8_t ret_digest[HAFT__SHA256_BYTES]);

/* Constant-time comparison of texts of the same length. Texts of different lengths are not equal.
 */
bool haft__seal_equal(haft_str a, haft_str b);

/* Appends the sealed `text`: printable ASCII without blanks. It can be opened until `expires_ms`,
 * and only with the same `about`, which is not part of it. */
void haft__seal_write(haft__buf *buf, const haft__seal_key *key, haft_str about, haft_str text,
                      uint64_t expires_ms);

/* Opens a sealed text. BAD_INPUT if it is not ours, was changed, is bound to something else or has
 * expired; the error does not say which. The text lives in `arena`. */
HAFT_MUST_USE haft_status haft__seal_open(haft__arena *arena, const haft__seal_key *key,
                                          haft_str about, haft_str sealed, uint64_t now_ms,
                                          haft_str *ret_text, haft_error *err);

#endif
