/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/redact/redact.h - removes secrets from events, errors and logs.
 *
 * haft finds the values of known secrets anywhere in a text, also in their JSON, URL, base64 and
 * hex encodings, and replaces them by "[redacted]". Only one pattern is redacted without a known
 * value: the token after "Bearer ", if it has at least 16 characters and a digit. The search makes
 * one pass over the text, no matter how many secrets exist. JSON stays JSON, and UTF-8 stays UTF-8.
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
    size_t max_length; /* length of the longest encoding, in bytes */
    bool sealed;
} haft__redactor;

/* Allocates nothing. */
void haft__redactor_init(haft__redactor *redactor, haft__arena *arena);

/* Adds a copy of `secret`, without white space at its ends. If the secret is shorter than
 * HAFT__LIMIT_REDACT_MIN_BYTES, adds nothing and sets *ret_added to false, because it would match
 * everywhere. TOO_BIG past HAFT__LIMIT_REDACT_SECRETS, HAFT__LIMIT_REDACT_SECRET_BYTES or
 * HAFT__LIMIT_REDACT_BYTES. The error does not reveal the secret. */
HAFT_MUST_USE haft_status haft__redactor_add(haft__redactor *redactor, haft_str secret,
                                             bool *ret_added, haft_error *err);

/* Prepares the redactor for haft__redact. Must be called after the last haft__redactor_add. More
 * secrets may be added later, followed by another seal. Several threads can use a sealed
 * redactor. */
HAFT_MUST_USE haft_status haft__redactor_seal(haft__redactor *redactor, haft_error *err);

/* Appends the text without its secrets. Returns whether the text had secrets. If the
 * buffer fails, its content must not be used. */
bool haft__redact(const haft__redactor *redactor, haft_str text, haft__buf *out);

/* Like haft__redact, for a text that was truncated before it was redacted. If its beginning is
 * lost, also replaces the rest of a secret, or of a word that may be a token, at the start of the
 * text. If its end is lost, also replaces the beginning of a secret at the end of the text. */
bool haft__redact_cut(const haft__redactor *redactor, haft_str text, haft__lost lost,
                      haft__buf *out);

/* The cleaner of a redactor. The redactor must outlive the cleaner. If it is NULL, the cleaner
 * redacts nothing. */
haft__cleaner haft__redactor_cleaner(const haft__redactor *redactor);

/* For a text whose end has not arrived: returns the length of the prefix that can be redacted and
 * shown immediately. The rest may be the beginning of a secret that continues after the text. Never
 * splits a character. */
size_t haft__redact_safe_length(const haft__redactor *redactor, haft_str text);

#endif
