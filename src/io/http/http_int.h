/* SPDX-License-Identifier: Apache-2.0 */
/* io/http/http_int.h - what the parts of the HTTP client share. Private to src/io. */
#ifndef HAFT_IO_HTTP_HTTP_INT_H
#define HAFT_IO_HTTP_HTTP_INT_H

#include <curl/curl.h>

#include "base/arena.h"
#include "base/buf.h"
#include "io/http/client.h"
#include "io/loop_uv.h"

/* Where a transfer is; each has a time limit of its own. */
typedef enum haft__http_phase {
    HAFT__HTTP_CONNECTING,
    HAFT__HTTP_WAITING, /* for the first byte */
    HAFT__HTTP_READING,
} haft__http_phase;

struct haft__http_transfer {
    haft__http_client *http;
    haft__http_transfer *previous, *next; /* among those under way; `next` also of the spare ones */
    haft__http_transfer *next_pending;    /* among those with something to tell */
    CURL *easy;
    haft__http_handlers handlers;
    void *context;
    haft__arena arena;          /* of this transfer: URLs and headers */
    haft__http_request request; /* of the present hop */
    struct curl_slist *headers;
    CURLU *url;
    bool kept;                        /* all of this, and `easy`, are as `asked` wants them, ... */
    haft__http_request asked;         /* ... a request as the caller gave it, ... */
    haft_str asked_url, asked_origin; /* ... its URL as libcurl has it, and where that leads */
    haft__timer timer;                /* always set, so that setting it again takes no memory */
    haft__http_phase phase;
    uint64_t start_ms, phase_ms, byte_ms; /* when it began: all, the phase, the last byte */
    size_t header_bytes, body_bytes;
    uint32_t redirects;
    haft__buf body; /* received and not yet handed on */
    haft__http_result result;
    char error[CURL_ERROR_SIZE]; /* libcurl's own words */
    bool in_multi;               /* libcurl has it */
    bool is_pending;             /* it is in the list of those */
    bool has_head;               /* the headers of an answer that is handed on are complete */
    bool head_notified;
    bool following; /* the answer is a redirect that is followed */
    bool refused;   /* an address was */
    bool hop_sent;  /* the request of this hop was */
    bool ended;     /* result.end is set */
};

typedef struct haft__http_watch haft__http_watch; /* socket.c */

/* What is known of a descriptor. */
typedef struct haft__http_socket {
    haft__http_watch *watch; /* NULL: libcurl has not asked for it yet */
    bool own;                /* it was opened here, and will be closed here */
    bool plain;              /* for http, and not for https: what comes is the answer itself */
} haft__http_socket;

struct haft__http_client {
    haft__loop *loop;
    haft__http_client_options options;
    char *ca_file;
    char test_allow[64];
    char accept_encoding[64]; /* the header */
    CURLM *multi;
    uint64_t now_ms;            /* when libcurl was last given something to do */
    haft__timer timer;          /* libcurl's; always set, too */
    haft__http_socket *sockets; /* by their descriptors */
    size_t socket_count;
    haft__http_transfer *first, *spare, *pending, **pending_end;
    size_t spare_count;
    size_t active, most_idle; /* transfers libcurl has; what is kept of connections and spares */
    haft__http_transfer *notifying; /* whose handler is running; NULL once it is gone */
};

/* ---- client.c ---- */

/* Sets the end, unless there is one; it is told when the news are. `detail` may be NULL. */
void haft__http_transfer_finish(haft__http_transfer *t, haft__http_outcome end, const char *detail);

/* Puts it among those with something to tell. */
void haft__http_transfer_queue_callback(haft__http_transfer *t);

/* Tells them all. Not from inside libcurl. */
void haft__http_client_notify(haft__http_client *http);

/* Another phase begins. */
void haft__http_transfer_enter_phase(haft__http_transfer *t, haft__http_phase phase);

/* ---- curl.c ---- */

/* A multi handle on the loop; false for want of memory. */
bool haft__http_client_multi_init(haft__http_client *http);
void haft__http_client_multi_finish(haft__http_client *http);

/* A handle with everything set that is the same for all requests; NULL for want of memory. */
CURL *haft__http_transfer_create_easy(haft__http_transfer *t);

/* Hands the present hop to libcurl, or takes it back. False for want of memory. */
bool haft__http_transfer_submit(haft__http_transfer *t);
void haft__http_transfer_withdraw(haft__http_transfer *t);

/* Lets libcurl do what there is to do with a socket, and tells what came of it. */
void haft__http_client_socket_action(haft__http_client *http, curl_socket_t socket, int events);

/* ---- socket.c ---- */

/* libcurl's callbacks. */
int haft__http_on_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *assigned);
curl_socket_t haft__http_on_open(void *context, curlsocktype purpose,
                                 struct curl_sockaddr *address);
int haft__http_on_close(void *context, curl_socket_t fd);

/* At the end, behind libcurl. */
void haft__http_client_free_sockets(haft__http_client *http);

/* ---- request.c ---- */

/* Copies what has to be copied and checks it; the end is BAD_URL or BAD_HEADER when something is
 * wrong. Nothing is left to do when the transfer's last request was the same. False for want of
 * memory. */
bool haft__http_transfer_prepare(haft__http_transfer *t, const haft__http_request *request);

/* Gives back what was prepared. */
void haft__http_transfer_reset(haft__http_transfer *t);

/* The headers of the present hop for libcurl. False for want of memory. */
bool haft__http_transfer_list_headers(haft__http_transfer *t);

/* t->url as the URL of the present hop. False for want of memory. */
bool haft__http_transfer_set_url(haft__http_transfer *t);

/* Whether a header, "Name: value", is the one of that name, in any case. */
bool haft__http_is_header(haft_str header, haft_str name);

/* ---- redirect.c ---- */

/* Whether an answer with this status leads somewhere and is to be followed. */
bool haft__http_transfer_is_redirect(const haft__http_transfer *t, uint32_t status);

/* Makes the next hop out of the answer; when that is not allowed, the end is set. False for want
 * of memory. */
bool haft__http_transfer_follow_redirect(haft__http_transfer *t);

/* ---- outcome.c ---- */

/* The end that libcurl's code stands for. */
void haft__http_transfer_finish_curl(haft__http_transfer *t, CURLcode code);

/* result.origin from t->url. */
void haft__http_transfer_set_origin(haft__http_transfer *t);

/* The message of an end. */
void haft__http_transfer_set_message(haft__http_transfer *t, const char *detail);

#endif
