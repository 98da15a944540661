/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/http/client.h - the HTTP client: many concurrent transfers on the loop.
 *
 * http and https only; HTTP/2 if TLS negotiates it; connections are reused; bodies are
 * decompressed. No cookies, no .netrc, no shared caches. Bytes are passed to the caller as they
 * arrive. haft follows redirects itself instead of libcurl, so that every rule applies to every
 * hop. docs/decisions/0020-http-client.md has the rules and their reasons.
 */
#ifndef HAFT_IO_HTTP_CLIENT_H
#define HAFT_IO_HTTP_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "io/loop.h"

typedef struct haft__http_client haft__http_client;
typedef struct haft__http_transfer haft__http_transfer;

typedef struct haft__http_client_options {
    /* Connect only to public addresses (io/http/public_address.h). Clients with and without this
     * option never share a connection. */
    bool public_only;
    bool proxy;          /* use http_proxy etc.; never with public_only (asserted) */
    const char *ca_file; /* trusted certificates; NULL: those of the system */
    /* For tests, which have no public network: an address such as "127.0.0.1:4711" that public_only
     * accepts. NULL outside of tests. */
    const char *test_allow;
} haft__http_client_options;

/* `options` are copied. UNSUPPORTED without libcurl. */
HAFT_MUST_USE haft_status haft__http_client_create(haft__loop *loop,
                                                   const haft__http_client_options *options,
                                                   haft__http_client **ret_http, haft_error *err);

/* Cancels all transfers. */
void haft__http_client_destroy(haft__http_client *http);

/* The outcomes of a transfer: name, text for messages. */
#define HAFT__HTTP_OUTCOMES(X)                                                                     \
    X(OK, "ok", "received a response") /* with any status */                                       \
    X(BAD_URL, "bad_url", "expected an http or https URL with a host")                             \
    X(BAD_HEADER, "bad_header", "the method or a header is not valid")                             \
    X(REFUSED, "refused", "requests to this address are not allowed")                              \
    X(RESOLVE, "resolve", "cannot resolve the host name")                                          \
    X(CONNECT, "connect", "cannot connect")                                                        \
    X(TLS, "tls", "cannot make a secure connection")                                               \
    X(CONNECT_TIMEOUT, "connect_timeout", "cannot connect in time")                                \
    X(FIRST_BYTE_TIMEOUT, "first_byte_timeout", "no response began in time")                       \
    X(IDLE_TIMEOUT, "idle_timeout", "the response stalled")                                        \
    X(TOTAL_TIMEOUT, "total_timeout", "the response was not complete in time")                     \
    X(CUT, "cut", "the connection was lost before the response was complete")                      \
    X(BAD_ANSWER, "bad_answer", "the response is not valid HTTP")                                  \
    X(TOO_BIG, "too_big", "the response is too long")                                              \
    X(TOO_MANY_REDIRECTS, "too_many_redirects", "too many redirects")                              \
    X(STOPPED, "stopped", "the request was stopped")                                               \
    X(OTHER, "other", "the request failed")

typedef enum haft__http_outcome {
#define X(name, text, words) HAFT__HTTP_##name,
    HAFT__HTTP_OUTCOMES(X)
#undef X
} haft__http_outcome;

const char *haft__http_outcome_name(haft__http_outcome end);

typedef struct haft__http_request {
    haft_str method, url;    /* copied */
    const haft_str *headers; /* "Name: value", copied; CR, LF and NUL are rejected */
    size_t header_count;
    haft_str body;  /* borrowed until the end; sent if .ptr is not NULL, even if empty */
    bool send_once; /* never retry on a second connection if the first one breaks */
    /* Timeouts in milliseconds; 0: none. connect_ms: to connect, including TLS; first_byte_ms: from
     * then to the first byte of the response; idle_ms: between two pieces of the response;
     * total_ms: for the whole transfer. The first two restart with each redirect. */
    uint64_t connect_ms, first_byte_ms, idle_ms, total_ms;
    size_t max_bytes;       /* of the decompressed body; required (asserted) */
    uint32_t max_redirects; /* 0: redirects are not followed but returned */
} haft__http_request;

typedef struct haft__http_result {
    haft__http_outcome end;
    uint32_t status;       /* of the last response; 0 without one */
    haft_str content_type; /* of the last response; "" if it has none */
    bool sent;             /* a request, or a part of it, may have reached a server */
    bool delivered;        /* bytes of the body reached the caller */
    haft_str url;          /* of the last request; may contain secrets */
    char origin[320];      /* scheme://host[:port] of `url`, without secrets; "" without a URL */
    char message[512];     /* the error for people, with the origin and without secrets; or "" */
    const haft__http_transfer *transfer; /* for haft__http_result_header */
} haft__http_result;

/* Callbacks of a transfer, called from the loop and never from inside a function of this file.
 * Each may start or cancel any transfer, including this one. Texts are valid until the callback
 * returns. */
typedef struct haft__http_handlers {
    /* Status and headers have arrived; the rest of the result is not set yet. May be NULL. Not
     * called for a redirect that is followed. */
    void (*head)(void *context, const haft__http_result *so_far);
    /* The next bytes of the body. If it returns false, the transfer ends as STOPPED. */
    bool (*body)(void *context, haft_str bytes);
    /* Called once, at the end; the transfer is freed when it returns. */
    void (*done)(void *context, const haft__http_result *result);
} haft__http_handlers;

/* Fails only if out of memory; every other error is reported by `done`. The client owns the
 * transfer, which is freed after `done` or haft__http_transfer_cancel. */
HAFT_MUST_USE haft_status haft__http_transfer_start(
    haft__http_client *http, const haft__http_request *request, const haft__http_handlers *handlers,
    void *context, haft__http_transfer **ret_transfer, haft_error *err);

/* Ends the transfer immediately; no more callbacks. */
void haft__http_transfer_cancel(haft__http_transfer *transfer);

/* The current value of haft__http_result.sent. */
bool haft__http_transfer_is_sent(const haft__http_transfer *transfer);

/* The first header of the last response with this name, case-insensitive; .ptr is NULL if it is
 * missing. */
haft_str haft__http_result_header(const haft__http_result *result, const char *name);

#endif
