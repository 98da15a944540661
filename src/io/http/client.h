/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/http/client.h - the one HTTP client: many transfers at once, on the loop.
 *
 * http and https only; HTTP/2 where TLS offers it; connections are kept; bodies are decompressed.
 * No cookies, no .netrc, no caches of others. Bytes are handed on as they arrive. Redirects are
 * followed here and not by the library, so that every rule holds for every address on the way.
 * docs/decisions/0020-http-client.md has the rules and their reasons.
 */
#ifndef HAFT_IO_HTTP_CLIENT_H
#define HAFT_IO_HTTP_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "io/loop.h"

typedef struct haft__http_client haft__http_client;
typedef struct haft__http_transfer haft__http_transfer;

typedef struct haft__http_client_options {
    /* Only addresses of the public network (io/http/public_address.h). Clients with and without it
     * never share a connection. */
    bool public_only;
    bool proxy;          /* heed http_proxy and its like; never with public_only (asserted) */
    const char *ca_file; /* certificates to trust; NULL: the system's */
    /* For tests, which have no public network: "127.0.0.1:4711" is an address that public_only
     * lets pass. NULL everywhere else. */
    const char *test_allow;
} haft__http_client_options;

/* `options` are copied. */
HAFT_MUST_USE haft_status haft__http_client_create(haft__loop *loop,
                                                   const haft__http_client_options *options,
                                                   haft__http_client **ret_http, haft_error *err);

/* Cancels what is under way. */
void haft__http_client_destroy(haft__http_client *http);

/* How a transfer ended: name, and what is said about it. */
#define HAFT__HTTP_OUTCOMES(X)                                                                     \
    X(OK, "ok", "an answer came") /* whatever its status */                                        \
    X(BAD_URL, "bad_url", "a URL of http or https with a host is wanted")                          \
    X(BAD_HEADER, "bad_header", "a method or header is not one that can be sent")                  \
    X(REFUSED, "refused", "requests to this address are not allowed")                              \
    X(RESOLVE, "resolve", "there is no address for this name")                                     \
    X(CONNECT, "connect", "no connection could be made")                                           \
    X(TLS, "tls", "no secure connection could be made")                                            \
    X(CONNECT_TIMEOUT, "connect_timeout", "no connection was made in time")                        \
    X(FIRST_BYTE_TIMEOUT, "first_byte_timeout", "no answer began in time")                         \
    X(IDLE_TIMEOUT, "idle_timeout", "the answer stopped coming")                                   \
    X(TOTAL_TIMEOUT, "total_timeout", "the answer was not complete in time")                       \
    X(CUT, "cut", "the connection was lost before the answer was complete")                        \
    X(BAD_ANSWER, "bad_answer", "what came is no answer of HTTP")                                  \
    X(TOO_BIG, "too_big", "the answer is too long")                                                \
    X(TOO_MANY_REDIRECTS, "too_many_redirects", "there were too many redirects")                   \
    X(STOPPED, "stopped", "the answer was not wanted any longer")                                  \
    X(OTHER, "other", "the request failed")

typedef enum haft__http_outcome {
#define X(name, text, words) HAFT__HTTP_##name,
    HAFT__HTTP_OUTCOMES(X)
#undef X
} haft__http_outcome;

const char *haft__http_outcome_name(haft__http_outcome end);

typedef struct haft__http_request {
    haft_str method, url;    /* copied */
    const haft_str *headers; /* "Name: value", copied; CR, LF and NUL are refused */
    size_t header_count;
    haft_str body;  /* borrowed until the end; sent when .ptr is not NULL, even if it is empty */
    bool send_once; /* never again on a second connection when the first one breaks */
    /* Milliseconds; 0: none. To have a connection, TLS included; from then to the first byte of the
     * answer; between two pieces of it; for everything. The first two count anew for a redirect. */
    uint64_t connect_ms, first_byte_ms, idle_ms, total_ms;
    size_t max_bytes;       /* of the body, decompressed; must be given (asserted) */
    uint32_t max_redirects; /* 0: none is followed, a redirect is an answer like any other */
} haft__http_request;

typedef struct haft__http_result {
    haft__http_outcome end;
    uint32_t status;       /* of the last answer; 0 when there was none */
    haft_str content_type; /* of the same; "" when it said none */
    bool sent;             /* a request, or a part of one, may have reached somebody */
    bool delivered;        /* bytes of the body reached the caller */
    haft_str url;          /* of the last request; may hold secrets */
    char origin[320];      /* scheme://host[:port] of the same; nothing secret, "" for no URL */
    char message[512];     /* what went wrong, for people, with the origin and no secrets; or "" */
    const haft__http_transfer *transfer; /* for haft__http_result_header */
} haft__http_result;

/* What is told about a transfer, from the loop and never from inside a function of this file. From
 * each of them any transfer may be started or cancelled, this one too. Texts live until it returns.
 */
typedef struct haft__http_handlers {
    /* Status and headers are there; the rest of the result is not yet. May be NULL. Not called for
     * a redirect that is followed. */
    void (*head)(void *context, const haft__http_result *so_far);
    /* The next bytes of the body; false: that is enough, and it ends as STOPPED. */
    bool (*body)(void *context, haft_str bytes);
    /* The end, once; the transfer is gone when it returns. */
    void (*done)(void *context, const haft__http_result *result);
} haft__http_handlers;

/* Fails only for want of memory; whatever else is wrong is an end that is told later. The transfer
 * belongs to the client and is gone after `done` or haft__http_transfer_cancel. */
HAFT_MUST_USE haft_status haft__http_transfer_start(
    haft__http_client *http, const haft__http_request *request, const haft__http_handlers *handlers,
    void *context, haft__http_transfer **ret_transfer, haft_error *err);

/* Ends it at once; nothing more is told. */
void haft__http_transfer_cancel(haft__http_transfer *transfer);

/* Whether haft__http_result.sent would be true now. */
bool haft__http_transfer_is_sent(const haft__http_transfer *transfer);

/* A header of the last answer, by its name in any case; .ptr is NULL when there is none. Of several
 * the first. */
haft_str haft__http_result_header(const haft__http_result *result, const char *name);

#endif
