/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curl.c - libcurl on the loop: its timer, its callbacks, its handles.
 *
 * The callbacks only store received data; client.c passes the data to the caller. Tests:
 * tests/io/http/curl_test.c, tests/io/http/client_test.c.
 */
#include <assert.h>

#include "base/limits.h"
#include "base/str.h"
#include "io/http/http_int.h"

#define KEEP_ALIVE_S 30L
/* Each active request has such a buffer, and thousands may be active. Model replies arrive in small
 * pieces. */
#define RECEIVE_BYTES 2048L

/* ---- libcurl's timer ---- */

static void read_messages(haft__http_client *http);

void haft__http_client_socket_action(haft__http_client *http, curl_socket_t socket, int events)
{
    int running = 0;
    http->now_ms = haft__loop_now(http->loop);
    (void)haft__curl.multi_socket_action(http->multi, socket, events, &running);
    read_messages(http);
    haft__http_client_notify(http);
}

static void on_timer(void *context);

/* The timer was set before, so setting it needs no memory. */
static void set_timer(haft__http_client *http, uint64_t ms)
{
    haft_status status = haft__timer_start(http->loop, &http->timer, ms, on_timer, http, NULL);
    assert(status == HAFT_OK);
    (void)status;
}

static void on_timer(void *context)
{
    haft__http_client *http = context;
    set_timer(http, UINT64_MAX);
    haft__http_client_socket_action(http, CURL_SOCKET_TIMEOUT, 0);
}

static int on_timeout(CURLM *multi, long ms, void *context)
{
    (void)multi;
    set_timer(context, ms < 0 ? UINT64_MAX : (uint64_t)ms);
    return 0;
}

/* ---- received data ---- */

/* Called when a connection exists and the request will be sent, possibly again after the first
 * connection was lost. */
/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl's type */
static int on_connected(void *context, char *to, char *from, int to_port, int from_port)
{
    (void)to, (void)from, (void)to_port, (void)from_port;
    haft__http_transfer *t = context;
    if (t->hop_sent && t->request.send_once) {
        haft__http_transfer_finish(t, HAFT__HTTP_CUT, NULL);
        return CURL_PREREQFUNC_ABORT;
    }
    t->hop_sent = t->result.sent = true;
    haft__http_transfer_enter_phase(t, HAFT__HTTP_WAITING);
    return t->ended ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

/* Handles the empty line after the headers. 1xx responses and trailers have such a line, too. */
static void end_headers(haft__http_transfer *t)
{
    long status = 0;
    char *type = NULL;
    (void)haft__curl.easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
    (void)haft__curl.easy_getinfo(t->easy, CURLINFO_CONTENT_TYPE, &type);
    if (status < 200 || t->has_head || t->following) {
        return;
    }
    t->result.status = (uint32_t)status;
    t->result.content_type = type != NULL ? haft__str(type) : HAFT__LIT("");
    t->following = haft__http_transfer_is_redirect(t, (uint32_t)status);
    if (!t->following) {
        t->has_head = true;
        haft__http_transfer_queue_callback(t);
    }
}

/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl's type */
static size_t on_header(char *bytes, size_t size, size_t count, void *context)
{
    haft__http_transfer *t = context;
    size_t length = size * count;
    if (t->phase != HAFT__HTTP_READING) {
        haft__http_transfer_enter_phase(t, HAFT__HTTP_READING);
    }
    t->byte_ms = t->http->now_ms;
    t->header_bytes += length;
    if (t->header_bytes > HAFT__LIMIT_HTTP_HEADER_BYTES) {
        haft__http_transfer_finish(t, HAFT__HTTP_TOO_BIG, "its headers");
    }
    if (length > 0 && (bytes[0] == '\r' || bytes[0] == '\n')) {
        end_headers(t);
    }
    return t->ended ? 0 : length;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    haft__http_transfer *t = context;
    size_t length = size * count;
    t->byte_ms = t->http->now_ms;
    if (length > t->request.max_bytes - t->body_bytes) {
        haft__http_transfer_finish(t, HAFT__HTTP_TOO_BIG, NULL);
    }
    if (t->ended) {
        return 0;
    }
    t->body_bytes += length;
    if (!t->following) {
        haft__buf_add(&t->body, bytes, length);
        haft__http_transfer_queue_callback(t);
    }
    if (haft__buf_check(&t->body, NULL) != HAFT_OK) {
        haft__http_transfer_finish(t, HAFT__HTTP_OTHER, "out of memory");
        return 0;
    }
    return length;
}

static void end_hop(haft__http_transfer *t, CURLcode code)
{
    if (code == CURLE_OK && t->following && !t->ended) {
        haft__http_transfer_withdraw(t);
        if (!haft__http_transfer_follow_redirect(t)
            || (!t->ended && !haft__http_transfer_submit(t))) {
            haft__http_transfer_finish(t, HAFT__HTTP_OTHER, "out of memory");
        }
        return;
    }
    if (code == CURLE_OK
        && !t->has_head) { /* an incomplete head, which libcurl accepts as a response */
        haft__http_transfer_finish(t, HAFT__HTTP_CUT, NULL);
        return;
    }
    haft__http_transfer_finish_curl(t, code);
}

static void read_messages(haft__http_client *http)
{
    int left = 0;
    for (CURLMsg *m; (m = haft__curl.multi_info_read(http->multi, &left)) != NULL;) {
        haft__http_transfer *t = NULL;
        (void)haft__curl.easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &t);
        end_hop(t, m->data.result);
    }
}

/* ---- handles ---- */

#define SET(easy, option, value) (haft__curl.easy_setopt((easy), (option), (value)) == CURLE_OK)

static bool set_callbacks(CURL *easy, haft__http_transfer *t)
{
    return SET(easy, CURLOPT_PRIVATE, t) && SET(easy, CURLOPT_WRITEFUNCTION, on_body)
           && SET(easy, CURLOPT_WRITEDATA, t) && SET(easy, CURLOPT_HEADERFUNCTION, on_header)
           && SET(easy, CURLOPT_HEADERDATA, t) && SET(easy, CURLOPT_PREREQFUNCTION, on_connected)
           && SET(easy, CURLOPT_PREREQDATA, t)
           && SET(easy, CURLOPT_OPENSOCKETFUNCTION, haft__http_on_open)
           && SET(easy, CURLOPT_OPENSOCKETDATA, t)
           && SET(easy, CURLOPT_CLOSESOCKETFUNCTION, haft__http_on_close)
           && SET(easy, CURLOPT_CLOSESOCKETDATA, t->http)
           && SET(easy, CURLOPT_ERRORBUFFER, t->error);
}

static bool set_rules(CURL *easy, const haft__http_client *http)
{
    bool set =
        SET(easy, CURLOPT_PROTOCOLS_STR, "http,https") && SET(easy, CURLOPT_FOLLOWLOCATION, 0L)
        && SET(easy, CURLOPT_NOSIGNAL, 1L) && SET(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED)
        && SET(easy, CURLOPT_ACCEPT_ENCODING, "")
        && SET(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS)
        && SET(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2)
        && SET(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) && SET(easy, CURLOPT_TCP_KEEPALIVE, 1L)
        && SET(easy, CURLOPT_TCP_KEEPIDLE, KEEP_ALIVE_S)
        && SET(easy, CURLOPT_TCP_KEEPINTVL, KEEP_ALIVE_S)
        && SET(easy, CURLOPT_BUFFERSIZE, RECEIVE_BYTES)
        /* Do not wait at the end for a thread that is resolving a name. */
        && SET(easy, CURLOPT_QUICK_EXIT, 1L);
    set = set && (http->options.proxy || SET(easy, CURLOPT_PROXY, ""));
    return set && (http->ca_file == NULL || SET(easy, CURLOPT_CAINFO, http->ca_file));
}

CURL *haft__http_transfer_create_easy(haft__http_transfer *t)
{
    CURL *easy = haft__curl.easy_init();
    if (easy != NULL && (!set_callbacks(easy, t) || !set_rules(easy, t->http))) {
        haft__curl.easy_cleanup(easy);
        return NULL;
    }
    return easy;
}

static bool set_content(CURL *easy, const haft__http_request *request)
{
    return SET(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.len)
           && SET(easy, CURLOPT_POSTFIELDS, request->body.ptr);
}

static bool set_body(CURL *easy, const haft__http_request *request)
{
    bool head = haft__str_equal(request->method, HAFT__LIT("HEAD"));
    if (request->body.ptr != NULL && !head) {
        return SET(easy, CURLOPT_POST, 1L) && set_content(easy, request)
               && SET(easy, CURLOPT_CUSTOMREQUEST, request->method.ptr);
    }
    return SET(easy, CURLOPT_POSTFIELDS, NULL) && SET(easy, CURLOPT_HTTPGET, 1L)
           && SET(easy, CURLOPT_NOBODY, (long)head)
           && SET(easy, CURLOPT_CUSTOMREQUEST, head ? NULL : request->method.ptr);
}

static bool set_request(haft__http_transfer *t)
{
    const haft__http_request *request = &t->request;
    bool secure = haft__str_starts_with(request->url, HAFT__LIT("https:"));
    bool brief = request->connect_ms > 0 && request->connect_ms < INT32_MAX;
    uint64_t connect = brief ? request->connect_ms : INT32_MAX; /* 0 would mean 5 minutes */
    if (!SET(t->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)connect)) {
        return false;
    }
    if (t->prepared) { /* all other options are unchanged */
        return request->body.ptr == NULL || set_content(t->easy, request);
    }
    /* With https, requests to one host wait for its first connection, which may multiplex all of
     * them. */
    bool set = haft__http_transfer_list_headers(t) && SET(t->easy, CURLOPT_CURLU, t->url)
               && SET(t->easy, CURLOPT_HTTPHEADER, t->headers) && set_body(t->easy, request)
               && SET(t->easy, CURLOPT_PIPEWAIT, (long)secure);
    t->prepared = set && t->redirects == 0;
    return set;
}

/* Sets the limit of idle connections to the number that were in use at the same time, because a
 * caller that has got a response soon sends the next request. When no requests are active, a few
 * connections are enough, and each request that ends closes one surplus connection. */
static void set_max_idle(haft__http_client *http, size_t max)
{
    if (max != http->max_idle) {
        http->max_idle = max;
        (void)haft__curl.multi_setopt(http->multi, CURLMOPT_MAXCONNECTS, (long)max);
    }
}

bool haft__http_transfer_submit(haft__http_transfer *t)
{
    haft__http_client *http = t->http;
    const haft__http_request *request = &t->request;
    t->header_bytes = t->body_bytes = 0;
    t->hop_sent = t->refused = t->following = false;
    t->error[0] = '\0';
    t->result.url = request->url;
    t->result.status = 0;
    t->result.content_type = HAFT__LIT("");
    t->in_multi = set_request(t) && haft__curl.multi_add_handle(http->multi, t->easy) == CURLM_OK;
    http->active += t->in_multi;
    if (http->active > http->max_idle) {
        set_max_idle(http, 2 * http->max_idle);
    }
    return t->in_multi;
}

void haft__http_transfer_withdraw(haft__http_transfer *t)
{
    if (t->in_multi) {
        (void)haft__curl.multi_remove_handle(t->http->multi, t->easy);
        t->in_multi = false;
        if (--t->http->active == 0) {
            set_max_idle(t->http, HAFT__LIMIT_HTTP_IDLE);
        }
    }
}

/* ---- the multi handle ---- */

/* Stores the encodings that this libcurl can decompress. */
static void store_encodings(haft__http_client *http)
{
    int features = haft__curl.version_info(CURLVERSION_NOW)->features;
    (void)snprintf(http->accept_encoding, sizeof(http->accept_encoding), "Accept-Encoding:%s%s%s",
                   features & CURL_VERSION_LIBZ ? " gzip, deflate" : " identity",
                   features & CURL_VERSION_BROTLI ? ", br" : "",
                   features & CURL_VERSION_ZSTD ? ", zstd" : "");
}

bool haft__http_client_multi_init(haft__http_client *http)
{
    if (haft__timer_start(http->loop, &http->timer, UINT64_MAX, on_timer, http, NULL) != HAFT_OK
        || haft__curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        return false;
    }
    http->multi = haft__curl.multi_init();
    if (http->multi == NULL) {
        haft__curl.global_cleanup();
        return false;
    }
    (void)haft__curl.multi_setopt(http->multi, CURLMOPT_SOCKETFUNCTION, haft__http_on_socket);
    (void)haft__curl.multi_setopt(http->multi, CURLMOPT_SOCKETDATA, http);
    (void)haft__curl.multi_setopt(http->multi, CURLMOPT_TIMERFUNCTION, on_timeout);
    (void)haft__curl.multi_setopt(http->multi, CURLMOPT_TIMERDATA, http);
    set_max_idle(http, HAFT__LIMIT_HTTP_IDLE);
    store_encodings(http);
    return true;
}

void haft__http_client_multi_finish(haft__http_client *http)
{
    if (http->multi != NULL) {
        (void)haft__curl.multi_cleanup(http->multi);
        haft__curl.global_cleanup();
    }
    haft__timer_stop(http->loop, &http->timer);
    haft__http_client_free_sockets(http);
}
