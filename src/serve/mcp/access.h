/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve/mcp/access.h - who may talk to the MCP endpoint, and how: looked at on every request,
 * before anything of its body is.
 *
 * A web page can make a browser send requests here, by its own name (Origin) or by a name that it
 * lets point here (Host). Neither is let in; a session is no proof of anything either.
 */
#ifndef HAFT_SERVE_MCP_ACCESS_H
#define HAFT_SERVE_MCP_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "haft.h"

typedef struct haft__mcp_access_rules {
    bool loopback;             /* the server listens there, ... */
    haft_str address;          /* ... and here exactly; "" when nobody knows */
    haft_str token;            /* every request must have it; "" for none */
    const char *const *allows; /* names of this host beside its addresses; may be NULL */
    size_t allow_count;
} haft__mcp_access_rules;

/* What a request says; .ptr is NULL where a header is missing. */
typedef struct haft__mcp_access_request {
    haft_str method, host, origin, authorization, accept, content_type;
} haft__mcp_access_request;

/* Whether an address to listen at can only be reached from this machine. */
bool haft__mcp_access_is_loopback(haft_str address);

/* Whether a token is too short to keep somebody out who can try. */
bool haft__mcp_access_is_weak_token(haft_str token);

/* 0 when it may go on; else the HTTP status it is refused with, and why. */
uint32_t haft__mcp_access_check(const haft__mcp_access_rules *guard,
                                const haft__mcp_access_request *visitor, const char **ret_why);

/* What idempotency keys begin with that no client has sent. */
#define HAFT__MCP_GENERATED_KEY_PREFIX "mcp:"

/* Whether a client's key is passed on. It reaches environments and headers: short, visible, and
 * none of those we make ourselves. */
bool haft__mcp_access_accepts_key(haft_str key);

#endif
