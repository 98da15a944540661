/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/access/token.h - the tokens of a server, from a file.
 *
 * `haft token create` writes a line of JSON for each token: its name, its user, its roles and its
 * SHA-256, never the token itself. A file whose first line is not JSON is one plain token with all
 * roles, as for `haft mcp`.
 */
#ifndef HAFT_ENGINE_ACCESS_TOKEN_H
#define HAFT_ENGINE_ACCESS_TOKEN_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/sha256.h"

/* The rights of a token. Every role except metrics includes read; admin includes all. */
typedef enum haft__role {
    HAFT__ROLE_NONE = 0, /* of a route: no token is needed */
    HAFT__ROLE_READ = 1,
    HAFT__ROLE_RUN = 2,
    HAFT__ROLE_ANSWER = 4,
    HAFT__ROLE_ADMIN = 8,
    HAFT__ROLE_METRICS = 16,
} haft__role;

/* "read", "run", ...; "none". */
const char *haft__role_name(haft__role role);

/* The role with that name; NONE if it does not exist. */
haft__role haft__role_find(haft_str name);

/* Who makes a request. */
typedef struct haft__principal {
    haft_str name;  /* of the token; the author of commands. "" without tokens */
    haft_str user;  /* the owner of its runs; "" for none */
    unsigned roles; /* haft__role */
    bool all_users; /* reads and changes the runs of all users */
} haft__principal;

typedef struct haft__token {
    haft__principal principal;
    char sha256[HAFT__SHA256_HEX];
    uint64_t expires_ms; /* 0: never */
    haft_str created;    /* as written, for `haft token list` */
} haft__token;

typedef struct haft__token_set {
    const haft__token *items;
    size_t count;
} haft__token_set;

/* Reads the text of a token file; everything lives in `arena`. BAD_INPUT for a line that is not a
 * token, with its number. */
HAFT_MUST_USE haft_status haft__token_read(haft__arena *arena, haft_str text,
                                           haft__hash_key hash_key, haft__token_set *ret_set,
                                           haft_error *err);

/* Appends the line of a token, with its line feed. */
void haft__token_write(haft__buf *buf, const haft__token *token);

/* The token that a client presents. All are compared, in constant time. NULL if none is equal or it
 * has expired. */
const haft__token *haft__token_find(const haft__token_set *set, haft_str presented,
                                    uint64_t now_ms);

/* Whether the principal may use a route with this role. */
bool haft__principal_may(const haft__principal *who, haft__role role);

/* Whether the principal may see what belongs to `user`. */
bool haft__principal_owns(const haft__principal *who, haft_str user);

#endif
