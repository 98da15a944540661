/* SPDX-License-Identifier: Apache-2.0 */
/* io/http/http_int.h - declarations that the parts of the HTTP client share. */
#ifndef HAFT_IO_HTTP_HTTP_INT_H
#define HAFT_IO_HTTP_HTTP_INT_H

#include "base/arena.h"
#include "base/buf.h"
#include "io/http/client.h"
#include "io/http/libcurl.h"
#include "io/loop_uv.h"

/* The phase of a transfer; each has its own time limit. */
typedef enum haft__http_phase {
    HAFT__HTTP_CONNECTING,
    HAFT__HTTP_WAITING, /* for the first byte */
    HAFT__HTTP_READING,
} haft__http_phase;

struct haft__http_transfer {
    haft__http_client *http;
    haft__http_transfer *previous, *next; /* active list; `next` also links the spares */
    haft__http_transfer *next_pending;    /* list of transfers with callbacks to make */
    CURL *easy;
    haft__http_handlers handlers;
    void *context;
    haft__arena arena;          /* of this transfer: URLs and headers */
    haft__http_request request; /* of the current hop */
    struct curl_slist *headers;
    CURLU *url;
    bool prepared;               /* the members above and `easy` are set up for `original` */
    haft__http_request original; /* the request as the caller passed it */
    haft_str original_url, original_origin; /* its URL as libcurl parsed it, and its origin */
    haft__timer timer; /* always set, so that setting it again needs no memory */
    haft__http_phase phase;
    uint64_t start_ms, phase_ms, byte_ms; /* start of transfer, phase, last byte */
    size_t header_bytes, body_bytes;
    uint32_t redirects;
    haft__buf body; /* received, but not passed to the caller yet */
    haft__http_result result;
    char error[CURL_ERROR_SIZE]; /* libcurl's error text */
    bool in_multi;               /* the transfer is added to libcurl's multi handle */
    bool is_pending;             /* the transfer is in the pending list */
    bool has_head;               /* the headers of a response for the caller are complete */
    bool head_notified;
    bool following; /* the response is a redirect that the client follows */
    bool refused;   /* an address was refused */
    bool hop_sent;  /* the request of this hop was sent */
    bool ended;     /* result.end is set */
};

typedef struct haft__http_watch haft__http_watch; /* socket.c */

/* The state of a descriptor. */
typedef struct haft__http_socket {
    haft__http_watch *watch; /* NULL: libcurl has not requested it yet */
    bool own;                /* opened and closed by this client */
    bool plain;              /* http, not https: received bytes are the response itself */
} haft__http_socket;

struct haft__http_client {
    haft__loop *loop;
    haft__http_client_options options;
    char *ca_file;
    char test_allow[64];
    char accept_encoding[64]; /* the request header */
    CURLM *multi;
    uint64_t now_ms;   /* time of the last call of libcurl */
    haft__timer timer; /* libcurl's timer; always set, so that setting it again needs no memory */
    haft__http_socket *sockets; /* indexed by descriptor */
    size_t socket_count;
    haft__http_transfer *first, *spare, *pending, **pending_end;
    size_t spare_count;
    size_t active, max_idle; /* transfers in libcurl; limit of idle ones */
    haft__http_transfer
        *notifying; /* the transfer whose callback is running; NULL after it is freed */
};

/* ---- client.c ---- */

/* Sets the outcome, unless it is already set; the next notification reports it with `done`.
 * `detail` may be NULL. */
void haft__http_transfer_finish(haft__http_transfer *t, haft__http_outcome end, const char *detail);

/* Adds the transfer to the pending list. */
void haft__http_transfer_queue_callback(haft__http_transfer *t);

/* Makes all pending callbacks. Must not be called from inside libcurl. */
void haft__http_client_notify(haft__http_client *http);

void haft__http_transfer_enter_phase(haft__http_transfer *t, haft__http_phase phase);

/* ---- curl.c ---- */

/* Sets up a multi handle on the loop; false if out of memory. */
bool haft__http_client_multi_init(haft__http_client *http);
void haft__http_client_multi_finish(haft__http_client *http);

/* Creates a handle with all options that are the same for every request; NULL if out of memory. */
CURL *haft__http_transfer_create_easy(haft__http_transfer *t);

/* Adds the current hop to libcurl, or removes it. False if out of memory. */
bool haft__http_transfer_submit(haft__http_transfer *t);
void haft__http_transfer_withdraw(haft__http_transfer *t);

/* Lets libcurl handle events on a socket, then makes the pending callbacks. */
void haft__http_client_socket_action(haft__http_client *http, curl_socket_t socket, int events);

/* ---- socket.c ---- */

/* Callbacks for libcurl. */
int haft__http_on_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *assigned);
curl_socket_t haft__http_on_open(void *context, curlsocktype purpose,
                                 struct curl_sockaddr *address);
int haft__http_on_close(void *context, curl_socket_t fd);

/* Frees the sockets table. Called at the end, after libcurl's cleanup. */
void haft__http_client_free_sockets(haft__http_client *http);

/* ---- request.c ---- */

/* Copies and checks the request; the outcome is BAD_URL or BAD_HEADER if it is not valid. Does
 * nothing if the transfer's last request was the same. False if out of memory. */
bool haft__http_transfer_prepare(haft__http_transfer *t, const haft__http_request *request);

/* Frees the prepared request. */
void haft__http_transfer_reset(haft__http_transfer *t);

/* Builds the header list of the current hop for libcurl. False if out of memory. */
bool haft__http_transfer_list_headers(haft__http_transfer *t);

/* Sets t->url as the URL of the current hop. False if out of memory. */
bool haft__http_transfer_set_url(haft__http_transfer *t);

/* Whether a header "Name: value" has this name, case-insensitive. */
bool haft__http_is_header(haft_str header, haft_str name);

/* ---- redirect.c ---- */

/* Whether a response with this status is a redirect that the client must follow. */
bool haft__http_transfer_is_redirect(const haft__http_transfer *t, uint32_t status);

/* Prepares the next hop from the response; sets the outcome if the redirect is not allowed. False
 * if out of memory. */
bool haft__http_transfer_follow_redirect(haft__http_transfer *t);

/* ---- outcome.c ---- */

/* Sets the outcome for a libcurl code. */
void haft__http_transfer_finish_curl(haft__http_transfer *t, CURLcode code);

/* Sets result.origin from t->url. */
void haft__http_transfer_set_origin(haft__http_transfer *t);

/* Sets the message of the outcome. */
void haft__http_transfer_set_message(haft__http_transfer *t, const char *detail);

#endif
