/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve/mcp/access.h - access control of the MCP endpoint: checked on every request, before its
 * body is read.
 *
 * A web page can make a browser send requests here, from its own origin (Origin) or through a DNS
 * name that points here (Host). Both are rejected. A session id does not authenticate anybody
 * either.
 */
#ifndef HAFT_SERVE_MCP_ACCESS_H
#define HAFT_SERVE_MCP_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "haft.h"

typedef struct haft__mcp_access_rules {
    bool loopback;                    /* the server listens on loopback, ... */
    haft_str address;                 /* ... and on this address; "" if unknown */
    haft_str token;                   /* required in every request; "" for none */
    const char *const *allowed_hosts; /* host names in addition to the addresses; may be NULL */
    size_t allowed_host_count;
} haft__mcp_access_rules;

/* Headers of a request; .ptr is NULL for a missing header. */
typedef struct haft__mcp_access_request {
    haft_str method, host, origin, authorization, accept, content_type;
} haft__mcp_access_request;

/* Whether a listen address can only be reached from this machine. */
bool haft__mcp_access_is_loopback(haft_str address);

/* Whether a token is short enough to be guessed. */
bool haft__mcp_access_is_weak_token(haft_str token);

/* 0 if the request is allowed; else the HTTP status of the rejection, and the reason. */
uint32_t haft__mcp_access_check(const haft__mcp_access_rules *rules,
                                const haft__mcp_access_request *request, const char **ret_why);

/* The part of haft__mcp_access_check that is about the kinds of content, for a server whose guard
 * has checked all else. */
uint32_t haft__mcp_access_check_kinds(const haft__mcp_access_request *request,
                                      const char **ret_why);

/* Prefix of the idempotency keys that haft generates. */
#define HAFT__MCP_GENERATED_KEY_PREFIX "mcp:"

/* Whether a client's key is accepted. It is passed in environments and headers: it must be short
 * and printable, and must not have our prefix. */
bool haft__mcp_access_accepts_key(haft_str key);

#endif
