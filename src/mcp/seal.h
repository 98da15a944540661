/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp/seal.h - texts that others keep for us and cannot change: HMAC-SHA256 (RFC 2104) over what
 * they say, until when they hold, and what they belong to.
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

/* Whether two texts of the same length are equal, in a time that only their length decides. Texts
 * of different lengths are not. */
bool haft__seal_equal(haft_str a, haft_str b);

/* Appends `text` sealed: printable ASCII without blanks. It can be opened until `expires_ms`, and
 * only together with `about`, which is not part of it. */
void haft__seal_write(haft__buf *buf, const haft__seal_key *key, haft_str about, haft_str text,
                      uint64_t expires_ms);

/* Opens it. BAD_INPUT when it is none of ours, was changed, belongs to something else or is past
 * its time; which of these it is is not told. The text lives in `arena`. */
HAFT_MUST_USE haft_status haft__seal_open(haft__arena *arena, const haft__seal_key *key,
                                          haft_str about, haft_str sealed, uint64_t now_ms,
                                          haft_str *ret_text, haft_error *err);

#endif
