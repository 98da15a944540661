/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/redact/redact.h - removes secrets from events, errors and logs.
 *
 * A secret is found by its value anywhere in a text, also in its JSON, URL, base64 and hex
 * encodings, and is replaced by "[redacted]". One pattern is found without a known value: the token
 * after "Bearer ", if it has at least 16 characters and a digit. No other patterns are guessed. One
 * pass over the text, independent of the number of secrets. JSON stays JSON, and UTF-8 stays UTF-8.
 */
#ifndef HAFT_RUN_REDACT_REDACT_H
#define HAFT_RUN_REDACT_REDACT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/excerpt.h"

#define HAFT__REDACTED "[redacted]"

typedef struct haft__redactor {
    haft__arena *arena;
    struct haft__redact_node *nodes; /* a trie of all encodings; the first node is the root */
    size_t node_count, node_capacity;
    uint32_t *slots; /* hash table: (node, byte) to the next node; 0: free */
    size_t slot_count;
    uint64_t *prefix_filter; /* a bit for each hash of the first bytes of an encoding */
    size_t secret_count;
    size_t max_length; /* of the longest encoding, in bytes */
    bool sealed;
} haft__redactor;

/* Allocates nothing. */
void haft__redactor_init(haft__redactor *redactor, haft__arena *arena);

/* Adds a copy of `secret`, without white space at its ends. *ret_added is false, and nothing is
 * added, if it is shorter than HAFT__LIMIT_REDACT_MIN_BYTES: it would match everywhere. TOO_BIG
 * past HAFT__LIMIT_REDACT_SECRETS, HAFT__LIMIT_REDACT_SECRET_BYTES or HAFT__LIMIT_REDACT_BYTES. The
 * error does not reveal the secret. */
HAFT_MUST_USE haft_status haft__redactor_add(haft__redactor *redactor, haft_str secret,
                                             bool *ret_added, haft_error *err);

/* Must be called after the last haft__redactor_add and before haft__redact. More secrets may be
 * added later, followed by another seal. Many threads can use a sealed redactor. */
HAFT_MUST_USE haft_status haft__redactor_seal(haft__redactor *redactor, haft_error *err);

/* Appends the text without its secrets. Returns whether the text had secrets. If the
 * buffer fails, its content must not be used. */
bool haft__redact(const haft__redactor *redactor, haft_str text, haft__buf *out);

/* The same for a text of which bytes were dropped before it could be redacted: if they are lost at
 * its beginning, the rest of a secret there is replaced too, and the rest of a word that may be a
 * token; if they are lost at its end, the beginning of a secret there. */
bool haft__redact_cut(const haft__redactor *redactor, haft_str text, haft__lost lost,
                      haft__buf *out);

/* The cleaner of a redactor, which must outlive it. NULL: nothing is redacted. */
haft__cleaner haft__redactor_cleaner(const haft__redactor *redactor);

/* For a text whose end has not arrived: the length of the prefix that contains no beginning of a
 * secret that may continue after the text. This prefix can be redacted and shown immediately. Never
 * splits a character. */
size_t haft__redact_safe_length(const haft__redactor *redactor, haft_str text);

#endif
