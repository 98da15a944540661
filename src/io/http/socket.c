/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket.c - libcurl's sockets: which may be opened, and how the loop watches them.
 *
 * An address is checked for each socket when the socket is about to be opened. So the checked
 * address is the address of the connection, even if the name was resolved to another address
 * before. Tests: tests/io/http/socket_test.c, tests/io/http/client_test.c.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/str.h"
#include "base/vec.h"
#include "io/http/http_int.h"
#include "io/http/public_address.h"

/* A connection without acknowledgements for this long is dropped, so that the next request does not
 * wait on it, too. */
#define UNACKNOWLEDGED_MS 20000
#define MAX_DROPS         64 /* reads of unsolicited bytes */

/* ---- watching sockets ---- */

/* Watches one socket. It is allocated separately because closing a libuv handle takes a round of
 * the loop. libcurl removes its interest in a socket at the end of each request and adds it again
 * with the next. A socket that was opened here is watched until it is closed, which saves the
 * system calls in between. */
struct haft__http_watch {
    uv_poll_t poll;
    haft__http_client *http;
    int interest; /* libcurl's interest: UV_READABLE ...; 0: none */
    int watching; /* the interest that libuv polls for */
};

static void stop_watching(haft__http_watch *w)
{
    (void)uv_poll_stop(&w->poll);
    w->watching = 0;
}

/* Handles an event of an idle connection: the peer has closed it, or unsolicited bytes arrived,
 * such as a last message before the close. libcurl detects the first case, but would read the bytes
 * as the response to the next request. So the bytes are discarded and the connection is shut down.
 * With https and HTTP/2, libcurl handles such bytes itself. */
static void end_idle(const haft__http_watch *w, int fd)
{
    char bytes[512];
    ssize_t count = 1;
    if (!w->http->sockets[fd].plain) {
        return;
    }
    for (int i = 0; i < MAX_DROPS && count > 0; i++) {
        count = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
    }
    (void)shutdown(fd, SHUT_RDWR);
}

/* Whether no bytes can be read. libcurl also reads a socket when a timer of its request fires, so
 * the loop may deliver an older event whose data has already been read. */
static bool is_empty(int fd)
{
    char byte;
    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0
           && (errno == EAGAIN || errno == EWOULDBLOCK);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    haft__http_watch *w = poll->data;
    uv_os_fd_t fd = -1;
    int what = status < 0 ? CURL_CSELECT_ERR : 0;
    what |= events & UV_READABLE ? CURL_CSELECT_IN : 0;
    what |= events & UV_WRITABLE ? CURL_CSELECT_OUT : 0;
    if (uv_fileno((uv_handle_t *)poll, &fd) != 0) {
        return;
    }
    if (w->interest != 0) {
        haft__http_client_socket_action(w->http, fd, what);
    } else if (!is_empty(fd)) {
        stop_watching(w);
        end_idle(w, fd);
    }
}

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static void end_watch(haft__http_watch *w)
{
    if (w != NULL) {
        uv_close((uv_handle_t *)&w->poll, on_closed);
    }
}

static haft__http_watch *start_watch(haft__http_client *http, curl_socket_t socket)
{
    haft__http_watch *w = calloc(1, sizeof(*w));
    if (w == NULL || uv_poll_init_socket(haft__loop_uv(http->loop), &w->poll, socket) != 0) {
        free(w);
        return NULL;
    }
    w->http = http;
    w->poll.data = w;
    return w;
}

/* The watch of a socket that was opened here; NULL for a socket that libcurl opened itself, which
 * it closes without a callback. */
static haft__http_watch **own_watch(haft__http_client *http, curl_socket_t socket)
{
    bool own = (size_t)socket < http->socket_count && http->sockets[socket].own;
    return own ? &http->sockets[socket].watch : NULL;
}

static bool set_interest(haft__http_watch *w, int events)
{
    w->interest = events;
    if (events == w->watching || (events == 0 && w->watching == UV_READABLE)) {
        return true;
    }
    if (events == 0) {
        stop_watching(w); /* a writable socket would cause an event in each round */
        return true;
    }
    w->watching = events;
    return uv_poll_start(&w->poll, events, on_ready) == 0;
}

static void fail_socket(CURL *easy)
{
    haft__http_transfer *t = NULL;
    (void)haft__curl.easy_getinfo(easy, CURLINFO_PRIVATE, &t);
    haft__http_transfer_finish(
        t, HAFT__HTTP_OTHER,
        "out of memory"); /* without a watch, the transfer would wait forever */
}

int haft__http_on_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *assigned)
{
    haft__http_client *http = context;
    haft__http_watch **own = own_watch(http, socket);
    haft__http_watch *w = own != NULL ? *own : assigned;
    if (what == CURL_POLL_REMOVE) {
        if (own == NULL && w != NULL) {
            (void)haft__curl.multi_assign(http->multi, socket, NULL);
            end_watch(w);
        } else if (w != NULL) {
            (void)set_interest(w, 0);
        }
        return 0;
    }
    if (w == NULL) {
        w = start_watch(http, socket);
        if (own != NULL) {
            *own = w;
        } else {
            (void)haft__curl.multi_assign(http->multi, socket, w);
        }
    }
    int events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
    if (w == NULL || !set_interest(w, events)) {
        fail_socket(easy);
    }
    return 0;
}

/* ---- addresses ---- */

static bool is_test_address(const haft__http_client *http, const struct sockaddr *address)
{
    char host[INET_ADDRSTRLEN] = "", text[sizeof(http->test_allow)];
    if (address->sa_family != AF_INET || http->test_allow[0] == '\0') {
        return false;
    }
    struct sockaddr_in in;
    memcpy(&in, address, sizeof(in));
    (void)inet_ntop(AF_INET, &in.sin_addr, host, sizeof(host));
    (void)snprintf(text, sizeof(text), "%s:%u", host, ntohs(in.sin_port));
    return strcmp(text, http->test_allow) == 0;
}

static bool is_allowed(const haft__http_client *http, const struct sockaddr *address)
{
    uint8_t bytes[sizeof(struct in6_addr)] = {0};
    if (!http->options.public_only || is_test_address(http, address)) {
        return true;
    }
    if (address->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, address, sizeof(in));
        memcpy(bytes, &in.sin_addr, sizeof(in.sin_addr));
    } else if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 in6;
        memcpy(&in6, address, sizeof(in6));
        memcpy(bytes, &in6.sin6_addr, sizeof(in6.sin6_addr));
    }
    return haft__address_is_public(address->sa_family, bytes);
}

/* ---- opening and closing ---- */

/* Allocates the entry of the socket. If the number is already in use, libcurl has closed the
 * earlier socket without a callback, for example because its connection attempt was abandoned. */
static bool store_socket(haft__http_client *http, int fd, bool plain)
{
    size_t before = http->socket_count;
    haft__http_socket *sockets =
        haft__vec_reserve(http->sockets, &http->socket_count, (size_t)fd + 1, sizeof(*sockets));
    if (sockets == NULL) {
        return false;
    }
    http->sockets = sockets;
    memset(sockets + before, 0, (http->socket_count - before) * sizeof(*sockets));
    end_watch(http->sockets[fd].watch);
    http->sockets[fd] = (haft__http_socket){.own = true, .plain = plain};
    return true;
}

curl_socket_t haft__http_on_open(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    haft__http_transfer *t = context;
    if (purpose != CURLSOCKTYPE_IPCXN || !is_allowed(t->http, &address->addr)) {
        t->refused = true;
        return CURL_SOCKET_BAD;
    }
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    int ms = UNACKNOWLEDGED_MS;
    bool plain = haft__str_starts_with(t->request.url, HAFT__LIT("http:"));
    if (fd >= 0 && !store_socket(t->http, fd, plain)) {
        (void)close(fd);
        haft__http_transfer_finish(t, HAFT__HTTP_OTHER, "out of memory");
        return CURL_SOCKET_BAD;
    }
    if (fd >= 0) {
        (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
    }
    return fd;
}

int haft__http_on_close(void *context, curl_socket_t fd)
{
    haft__http_client *http = context;
    haft__http_watch **own = own_watch(http, fd);
    if (own != NULL) {
        end_watch(*own);
        http->sockets[fd] = (haft__http_socket){.own = false};
    }
    return close(fd);
}

void haft__http_client_free_sockets(haft__http_client *http)
{
    for (size_t fd = 0; fd < http->socket_count; fd++) {
        end_watch(http->sockets[fd].watch);
    }
    free(http->sockets);
}
