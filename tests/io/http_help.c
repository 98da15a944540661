/* SPDX-License-Identifier: Apache-2.0 */
/* http_help.c - the web server of http_help.h: one thread, poll, no allocation after the start. */
#include "http_help.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"

#define MAX_ROUTES      64
#define MAX_CONNECTIONS 1200
#define MAX_KEPT        64
#define REQUEST_BYTES   8000

typedef struct route {
    const char *path;
    haft_str script, body; /* the body is sent as it is, without marks */
} route;

typedef struct connection {
    int fd; /* 0: not in use */
    char request[REQUEST_BYTES];
    size_t length, kept; /* bytes of the request: received, and stored in `request` */
    size_t wanted;       /* bytes of the whole request; 0 until its head has arrived */
    const route *route;  /* the script in progress; NULL while a request is read */
    size_t at;
    bool waiting;
} connection;

struct web {
    int listener, wake[2];
    uint16_t port;
    pthread_t thread;
    pthread_mutex_t lock; /* protects everything below */
    bool stop;
    route routes[MAX_ROUTES];
    unsigned route_count, connections, requests, released;
    connection all[MAX_CONNECTIONS];
    char bytes[65536]; /* just received */
    struct {
        char text[REQUEST_BYTES];
        size_t length;
    } kept[MAX_KEPT];
};

static const route nothing = {
    "", {"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 45}, {NULL, 0}};

/* ---- playing a script ---- */

static void close_connection(connection *c, bool reset)
{
    if (reset) {
        struct linger now = {.l_onoff = 1, .l_linger = 0};
        (void)setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    }
    (void)close(c->fd);
    c->fd = 0;
}

/* Sends as much as possible of a text, from c->at to `end`; false if the socket is full. */
static bool send_until(connection *c, haft_str text, size_t from, size_t end)
{
    while (c->at < end) {
        ssize_t sent = send(c->fd, text.ptr + (c->at - from), end - c->at, MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno != EAGAIN) {
                close_connection(c, false);
            }
            return false;
        }
        c->at += (size_t)sent;
    }
    return true;
}

static bool is_mark(char c)
{
    return c >= 1 && c <= 4;
}

/* Handles a mark; false if the script has to wait. */
static bool handle_mark(web *w, connection *c, char mark)
{
    if (mark == WEB_CLOSE[0] || mark == WEB_RESET[0]) {
        close_connection(c, mark == WEB_RESET[0]);
        return false;
    }
    c->waiting = mark == WEB_HANG[0] || w->released == 0;
    if (!c->waiting) {
        w->released--;
        c->at++;
    }
    return !c->waiting;
}

static void play(web *w, connection *c)
{
    haft_str script = c->route->script, body = c->route->body;
    c->waiting = false;
    while (c->at < script.len) {
        size_t end = c->at;
        while (end < script.len && !is_mark(script.ptr[end])) {
            end++;
        }
        if (!send_until(c, script, 0, end)
            || (end < script.len && !handle_mark(w, c, script.ptr[end]))) {
            return;
        }
    }
    if (send_until(c, body, script.len, script.len + body.len)) {
        c->route = NULL;
        c->length = c->kept = c->wanted = c->at = 0;
    }
}

/* ---- reading a request ---- */

static const route *find_route(const web *w, const connection *c)
{
    const char *path = memchr(c->request, ' ', c->kept);
    for (unsigned i = w->route_count; path != NULL && i > 0; i--) {
        size_t length = strlen(w->routes[i - 1].path);
        size_t left = c->kept - (size_t)(path + 1 - c->request);
        if (left > length && memcmp(path + 1, w->routes[i - 1].path, length) == 0
            && (path[1 + length] == ' ' || path[1 + length] == '?')) {
            return &w->routes[i - 1];
        }
    }
    return &nothing;
}

static size_t content_length(const char *head, size_t length)
{
    static const char name[] = "\r\ncontent-length:";
    for (size_t i = 0; i + sizeof(name) < length; i++) {
        if (strncasecmp(head + i, name, sizeof(name) - 1) == 0) {
            return strtoul(head + i + sizeof(name) - 1, NULL, 10);
        }
    }
    return 0;
}

static void handle_request(web *w, connection *c)
{
    const char *end = c->wanted == 0 ? memmem(c->request, c->kept, "\r\n\r\n", 4) : NULL;
    if (end != NULL) {
        size_t head = (size_t)(end - c->request) + 4;
        c->wanted = head + content_length(c->request, head);
    }
    if (c->wanted == 0 || c->length < c->wanted) {
        return;
    }
    if (w->requests < MAX_KEPT) {
        memcpy(w->kept[w->requests].text, c->request, c->kept);
        w->kept[w->requests].length = c->kept;
    }
    w->requests++;
    c->route = find_route(w, c);
    play(w, c);
}

static void receive(web *w, connection *c)
{
    ssize_t got = recv(c->fd, w->bytes, sizeof(w->bytes), 0);
    if (got <= 0) {
        if (got == 0 || errno != EAGAIN) {
            close_connection(c, false);
        }
        return;
    }
    size_t room = REQUEST_BYTES - c->kept, more = (size_t)got < room ? (size_t)got : room;
    memcpy(c->request + c->kept, w->bytes, more);
    c->kept += more;
    c->length += (size_t)got;
    if (c->route == NULL) {
        handle_request(w, c);
    }
}

/* ---- the thread ---- */

static void accept_connection(web *w)
{
    int fd = accept4(w->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    for (size_t i = 0; fd >= 0 && i < MAX_CONNECTIONS; i++) {
        if (w->all[i].fd == 0) {
            memset(&w->all[i], 0, sizeof(w->all[i]));
            w->all[i].fd = fd;
            w->connections++;
            return;
        }
    }
    if (fd >= 0) {
        (void)close(fd);
    }
}

static void serve(web *w, connection *c, short events)
{
    if (events & (POLLIN | POLLHUP | POLLERR)) {
        receive(w, c);
    }
    if (c->fd != 0 && c->route != NULL && !c->waiting && (events & POLLOUT)) {
        play(w, c);
    }
}

static nfds_t list(web *w, struct pollfd *fds, connection **owners)
{
    nfds_t count = 2;
    fds[0] = (struct pollfd){.fd = w->wake[0], .events = POLLIN};
    fds[1] = (struct pollfd){.fd = w->listener, .events = POLLIN};
    for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
        connection *c = &w->all[i];
        if (c->fd != 0) {
            bool sending = c->route != NULL && !c->waiting;
            owners[count] = c;
            fds[count++] =
                (struct pollfd){.fd = c->fd, .events = (short)(POLLIN | (sending ? POLLOUT : 0))};
        }
    }
    return count;
}

static void *run(void *context)
{
    web *w = context;
    struct pollfd fds[MAX_CONNECTIONS + 2];
    connection *owners[MAX_CONNECTIONS + 2];
    (void)pthread_mutex_lock(&w->lock);
    while (!w->stop) {
        nfds_t count = list(w, fds, owners);
        (void)pthread_mutex_unlock(&w->lock);
        (void)poll(fds, count, -1);
        (void)pthread_mutex_lock(&w->lock);
        char bytes[64];
        if (fds[0].revents != 0) {
            while (read(w->wake[0], bytes, sizeof(bytes)) > 0) {
            }
        }
        for (nfds_t i = 2; i < count; i++) {
            serve(w, owners[i], fds[i].revents);
        }
        for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
            if (w->all[i].fd != 0 && w->all[i].waiting && w->released > 0) {
                play(w, &w->all[i]);
            }
        }
        if (fds[1].revents != 0) {
            accept_connection(w);
        }
    }
    (void)pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* ---- for tests ---- */

static int listen_anywhere(uint16_t *ret_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof(address);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, MAX_CONNECTIONS) != 0
        || getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
        abort();
    }
    *ret_port = ntohs(address.sin_port);
    return fd;
}

web *web_start(void)
{
    web *w = calloc(1, sizeof(*w));
    if (w == NULL || pipe2(w->wake, O_CLOEXEC | O_NONBLOCK) != 0) {
        abort();
    }
    w->listener = listen_anywhere(&w->port);
    (void)pthread_mutex_init(&w->lock, NULL);
    if (pthread_create(&w->thread, NULL, run, w) != 0) {
        abort();
    }
    return w;
}

static void wake_thread(web *w)
{
    if (write(w->wake[1], "", 1) < 0 && errno != EAGAIN) {
        abort();
    }
}

void web_stop(web *w)
{
    (void)pthread_mutex_lock(&w->lock);
    w->stop = true;
    wake_thread(w);
    (void)pthread_mutex_unlock(&w->lock);
    (void)pthread_join(w->thread, NULL);
    for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
        if (w->all[i].fd != 0) {
            (void)close(w->all[i].fd);
        }
    }
    (void)close(w->listener);
    (void)close(w->wake[0]);
    (void)close(w->wake[1]);
    (void)pthread_mutex_destroy(&w->lock);
    free(w);
}

uint16_t web_port(const web *w)
{
    return w->port;
}

static char *format(const char *text, const char *a, unsigned long number, const char *b)
{
    size_t size = strlen(text) + strlen(a) + strlen(b) + 32;
    char *to = test_alloc(size);
    (void)snprintf(to, size, "%s%s%lu%s", text, a, number, b);
    return to;
}

const char *web_url(const web *w, const char *path)
{
    return format("http://127.0.0.1:", "", w->port, path);
}

static void add_route(web *w, route r)
{
    (void)pthread_mutex_lock(&w->lock);
    if (w->route_count == MAX_ROUTES) {
        abort();
    }
    w->routes[w->route_count++] = r;
    (void)pthread_mutex_unlock(&w->lock);
}

void web_route(web *w, const char *path, const char *script)
{
    add_route(w, (route){path, haft__str(script), {NULL, 0}});
}

void web_route_bytes(web *w, const char *path, const char *head, haft_str body)
{
    const char *whole = format(head, "Content-Length: ", body.len, "\r\n\r\n");
    add_route(w, (route){path, haft__str(whole), body});
}

void web_route_redirect(web *w, const char *path, const char *status, const char *location)
{
    size_t size = strlen(status) + strlen(location) + 128;
    char *script = test_alloc(size);
    (void)snprintf(script, size, "HTTP/1.1 %s\r\nLocation: %s\r\nContent-Length: 5\r\n\r\nmoved",
                   status, location);
    web_route(w, path, script);
}

void web_release(web *w, unsigned count)
{
    (void)pthread_mutex_lock(&w->lock);
    w->released += count;
    wake_thread(w);
    (void)pthread_mutex_unlock(&w->lock);
}

static unsigned get(web *w, const unsigned *number)
{
    (void)pthread_mutex_lock(&w->lock);
    unsigned value = *number;
    (void)pthread_mutex_unlock(&w->lock);
    return value;
}

unsigned web_connections(web *w)
{
    return get(w, &w->connections);
}

unsigned web_requests(web *w)
{
    return get(w, &w->requests);
}

static unsigned count(web *w, bool only_waiting)
{
    unsigned found = 0;
    (void)pthread_mutex_lock(&w->lock);
    for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
        found += w->all[i].fd != 0 && (!only_waiting || w->all[i].waiting);
    }
    (void)pthread_mutex_unlock(&w->lock);
    return found;
}

unsigned web_open(web *w)
{
    return count(w, false);
}

unsigned web_waiting(web *w)
{
    return count(w, true);
}

haft_str web_request(web *w, unsigned number)
{
    haft_str found = HAFT__LIT("");
    (void)pthread_mutex_lock(&w->lock);
    if (number < w->requests && number < MAX_KEPT) {
        char *copy = test_alloc(w->kept[number].length + 1);
        memcpy(copy, w->kept[number].text, w->kept[number].length);
        found = (haft_str){copy, w->kept[number].length};
    }
    (void)pthread_mutex_unlock(&w->lock);
    return found;
}

/* ---- compressed zeros: deflate (RFC 1951) with its fixed codes, in gzip (RFC 1952) ---- */

typedef struct bits {
    uint8_t *to;
    size_t count;
} bits;

/* Huffman codes have their highest bit first. */
static void put_code(bits *b, unsigned code, unsigned length)
{
    for (unsigned i = length; i-- > 0; b->count++) {
        if (code >> i & 1U) {
            b->to[b->count / 8] |= (uint8_t)(1U << b->count % 8);
        }
    }
}

static uint32_t crc_of_zeros(size_t count)
{
    uint32_t crc = 0xFFFFFFFFU;
    for (size_t i = 0; i < 8 * count; i++) {
        crc = crc >> 1 ^ (crc & 1U ? 0xEDB88320U : 0);
    }
    return ~crc;
}

haft_str web_gzip_zeros(size_t count)
{
    static const uint8_t head[] = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255};
    size_t size = sizeof(head) + count / 128 + 600;
    uint8_t *to = test_alloc(size);
    memset(to, 0, size);
    memcpy(to, head, sizeof(head));
    bits b = {to + sizeof(head), 0};
    put_code(&b, 6, 3); /* the last block, fixed codes: bits 1, 1, 0 */
    size_t left = count;
    if (left > 0) {
        put_code(&b, 0x30, 8); /* a zero */
        left--;
    }
    for (; left >= 258; left -= 258) {
        put_code(&b, 0xC5, 8); /* a length of 258 bytes */
        put_code(&b, 0, 5);    /* a distance of 1: repeats the byte before */
    }
    for (; left > 0; left--) {
        put_code(&b, 0x30, 8);
    }
    put_code(&b, 0, 7);
    size_t end = sizeof(head) + (b.count + 7) / 8;
    uint32_t tail[2] = {crc_of_zeros(count), (uint32_t)count};
    memcpy(to + end, tail, sizeof(tail));
    return (haft_str){(const char *)to, end + sizeof(tail)};
}

/* ---- the system ---- */

uint16_t web_dead_port(void)
{
    uint16_t port = 0;
    (void)close(listen_anywhere(&port));
    return port;
}

unsigned web_count_fds(void)
{
    DIR *dir = opendir("/proc/self/fd");
    unsigned found = 0;
    while (dir != NULL && readdir(dir) != NULL) {
        found++;
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
    return found;
}

/* ---- names ---- */

static sem_t slow_found;

__attribute__((constructor)) static void init_names(void)
{
    (void)sem_init(&slow_found, 0, 0);
}

void web_finish_slow_lookup(void)
{
    (void)sem_post(&slow_found);
}

typedef int resolver(const char *, const char *, const struct addrinfo *, struct addrinfo **);

/* Replaces the function of the C library, also for libcurl. */
/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): its names are reserved */
__attribute__((visibility("default"))) int getaddrinfo(const char *name, const char *service,
                                                       const struct addrinfo *hints,
                                                       struct addrinfo **ret_list)
{
    resolver *real = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    if (name != NULL && strcmp(name, "slow.test") == 0) {
        while (sem_wait(&slow_found) != 0) {
        }
        return EAI_NONAME;
    }
    if (name != NULL && strcmp(name, "gone.test") == 0) {
        return EAI_NONAME;
    }
    bool inside = name != NULL && strcmp(name, "inside.test") == 0;
    return real(inside ? "127.0.0.1" : name, service, hints, ret_list);
}

/* ---- transfers ---- */

static void keep(char *to, size_t size, haft_str text)
{
    (void)snprintf(to, size, "%.*s", HAFT__ARG(text));
}

static void on_head(void *context, const haft__http_result *so_far)
{
    web_record *record = context;
    record->heads++;
    record->status = so_far->status;
    keep(record->type, sizeof(record->type), so_far->content_type);
    CHECK_INT(record->bodies + record->dones, 0, "the head came after the body");
}

static bool on_body(void *context, haft_str bytes)
{
    web_record *record = context;
    record->bodies++;
    CHECK_INT(record->heads, 1, "a body before its head");
    CHECK_INT(record->dones, 0, "a body after the end");
    for (size_t i = 0; i < bytes.len && record->body_bytes + i < sizeof(record->body) - 1; i++) {
        record->body[record->body_bytes + i] = bytes.ptr[i];
    }
    record->body_bytes += bytes.len;
    if (record->cancel_at != NULL) {
        haft__http_transfer_cancel(record->cancel_at);
        record->cancel_at = NULL;
    }
    return record->stop_at == 0 || record->body_bytes < record->stop_at;
}

static void on_done(void *context, const haft__http_result *result)
{
    web_record *record = context;
    record->dones++;
    record->end = result->end;
    record->status = result->status;
    record->sent = result->sent;
    record->delivered = result->delivered;
    keep(record->message, sizeof(record->message), haft__str(result->message));
    keep(record->url, sizeof(record->url), result->url);
    keep(record->location, sizeof(record->location), haft__http_result_header(result, "LOCATION"));
    CHECK_INT(haft__http_transfer_is_sent(result->transfer), result->sent,
              "haft__http_transfer_is_sent differs from the result");
}

const haft__http_handlers web_handlers = {on_head, on_body, on_done};

bool web_step_until(haft__loop *loop, const unsigned *number, unsigned value)
{
    uint64_t start = haft__loop_now(loop);
    while (*number != value && haft__loop_now(loop) - start < 300000) {
        CHECK_INT(haft__loop_step(loop, 1000, NULL), HAFT_OK, "the loop step failed");
    }
    return *number == value;
}

bool web_fetch(haft__loop *loop, haft__http_client *http, const haft__http_request *request,
               web_record *ret_record)
{
    haft__http_transfer *transfer = NULL;
    memset(ret_record, 0, sizeof(*ret_record));
    haft_status status =
        haft__http_transfer_start(http, request, &web_handlers, ret_record, &transfer, NULL);
    CHECK_INT(status, HAFT_OK, "the transfer did not start");
    CHECK_INT(ret_record->dones, 0,
              "the end was reported before haft__http_transfer_start returned");
    bool ended = status == HAFT_OK && web_step_until(loop, &ret_record->dones, 1);
    CHECK(status != HAFT_OK || ended, "the transfer did not end");
    return ended;
}

web_fixture web_set_up(const haft__http_client_options *options)
{
    web_fixture b = {.loop = NULL};
    CHECK_INT(haft__loop_create(&b.loop, NULL), HAFT_OK, "cannot create the loop");
    haft__loop_destroy(b.loop); /* the first one initializes shared state */
    b.fds = web_count_fds();
    b.web = web_start();
    CHECK_INT(haft__loop_create(&b.loop, NULL), HAFT_OK, "cannot create the loop");
    CHECK_INT(haft__http_client_create(b.loop, options, &b.http, NULL), HAFT_OK, "no client");
    return b;
}

void web_tear_down(web_fixture *b)
{
    haft__http_client_destroy(b->http);
    haft__loop_destroy(b->loop);
    web_stop(b->web);
    CHECK(web_count_fds() <= b->fds, "%zu descriptors, %zu before", (size_t)web_count_fds(),
          (size_t)b->fds); /* fewer if a resolver of an earlier test was still running */
}

haft__http_request web_get(const char *url)
{
    return (haft__http_request){
        .method = HAFT__LIT("GET"), .url = haft__str(url), .max_bytes = 1 << 20};
}
