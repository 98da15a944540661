/* SPDX-License-Identifier: Apache-2.0 */
/* serve/api/gateway_int.h - shared by the files of the gateway. */
#ifndef HAFT_SERVE_API_GATEWAY_INT_H
#define HAFT_SERVE_API_GATEWAY_INT_H

#include "schema/schema.h"
#include "serve/api/gateway.h"
#include "serve/api/rate.h"
#include "serve/mcp/access.h"

struct haft__api_gateway {
    haft__api_gateway_options options;
    haft__api_mount mounts[4];
    haft__http_server *server;
    haft__mcp_access_rules rules;
    bool loopback, has_tokens, draining;
    haft__arena arena; /* the schemas of bodies */
    struct body_schema *bodies;
    haft__checker *checker;
    haft__arena token_arena;
    haft__token_set tokens;
    uint64_t token_stamp; /* of the file when it was read */
    haft__rate_set rates;
    haft__api_call *first, *last; /* calls whose step is to be run */
    haft__api_call *all;
    size_t busy; /* calls with a pending store request */
};

/* The verdict on a request. */
typedef struct haft__api_verdict {
    uint32_t status; /* 0: allowed */
    const char *message, *hint;
    const haft__route *route;
    const haft__api_mount *mount;
    haft__principal who;
    char allow[64];
    haft_str origin; /* of a page whose origin is listed; .ptr is NULL for others */
    bool preflight;
} haft__api_verdict;

/* Checks that need only the head of a request. */
void haft__api_guard_check(haft__api_gateway *gateway, const haft__http_server_request *request,
                           haft__api_verdict *ret_verdict);

/* Reads the token file again if it has changed. Keeps the last good tokens. */
void haft__api_guard_reload(haft__api_gateway *gateway);
HAFT_MUST_USE haft_status haft__api_guard_load(haft__api_gateway *gateway, haft_error *err);

/* Whether pages of this origin may use the server. */
bool haft__api_is_listed_origin(const haft__api_gateway *gateway, haft_str origin);

/* The fields that let such a page read a response. Returns their number, at most 3. */
size_t haft__api_cors_fields(const haft__api_gateway *gateway,
                             const haft__http_server_request *request,
                             haft__http_server_field fields[3]);

/* Responds to a request without a call. */
void haft__api_reject_request(haft__api_gateway *gateway, haft__http_server_request *request,
                              const haft__api_verdict *verdict, uint64_t retry_after_s);

/* Compiles the schema of each body. */
HAFT_MUST_USE haft_status haft__api_bodies_compile(haft__api_gateway *gateway, haft_error *err);

/* Reads the body of a call; responds with an error and returns false if it is not valid. */
bool haft__api_body_read(haft__api_call *call);

#endif
