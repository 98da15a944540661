/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/redact/redact.h - takes secrets out of whatever is kept or shown: events, errors, logs.
 *
 * A secret is found by its value, wherever it stands, also as JSON, URLs, base64 and hex spell it,
 * and is replaced by "[redacted]". One shape is found without knowing the value: what follows
 * "Bearer ", if it has 16 characters or more and a digit among them. Other shapes are not guessed.
 *
 * One pass over the text however many secrets there are. A text that is JSON stays JSON; one that
 * is UTF-8 stays UTF-8.
 */
#ifndef HAFT_RUN_REDACT_REDACT_H
#define HAFT_RUN_REDACT_REDACT_H

#include "base/arena.h"
#include "base/buf.h"

#define HAFT__REDACTED "[redacted]"

typedef struct haft__redactor {
    haft__arena *arena;
    struct haft__redact_node *nodes; /* a tree of all spellings; the first is its root */
    size_t node_count, node_capacity;
    uint32_t *slots; /* from a node and a byte to the next node; 0 when free */
    size_t slot_count;
    uint64_t *starts; /* a bit for each hash of the first bytes of a spelling */
    size_t secret_count;
    size_t longest; /* bytes of a spelling */
    bool sealed;
} haft__redactor;

/* Takes no memory yet. */
void haft__redactor_init(haft__redactor *redactor, haft__arena *arena);

/* Looks for `secret`, without white space at its ends, from now on; it is copied. *ret_added is
 * false, and nothing happens, when it has less than HAFT__LIMIT_REDACT_MIN_BYTES: it would be found
 * everywhere. TOO_BIG past HAFT__LIMIT_REDACT_SECRETS, HAFT__LIMIT_REDACT_SECRET_BYTES or
 * HAFT__LIMIT_REDACT_BYTES. The error says nothing about the secret. */
HAFT_MUST_USE haft_status haft__redactor_add(haft__redactor *redactor, haft_str secret,
                                             bool *ret_added, haft_error *err);

/* To be called behind the last haft__redactor_add, before haft__redact. More may be added later,
 * with another seal behind. A sealed redactor can be used by many threads. */
HAFT_MUST_USE haft_status haft__redactor_seal(haft__redactor *redactor, haft_error *err);

/* Appends the text without its secrets; whether there were any. Failure is the buffer's: then what
 * it holds is not to be used. */
bool haft__redact(const haft__redactor *redactor, haft_str text, haft__buf *out);

/* How much of the text, from its start, can be redacted and shown before what follows it is known:
 * behind that, a secret has begun that may go on. Never in the middle of a character. */
size_t haft__redact_settled(const haft__redactor *redactor, haft_str text);

#endif
