/* SPDX-License-Identifier: Apache-2.0 */
#include "store/postgres/proxy_help.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define LATE_MS 200 /* without data from either side */

static void close_pair(help_proxy *proxy, size_t at)
{
    (void)close(proxy->pairs[at].client);
    if (proxy->pairs[at].server >= 0) {
        (void)close(proxy->pairs[at].server);
    }
    proxy->pairs[at].client = proxy->pairs[at].server = -1;
    proxy->pairs[at].cut = proxy->pairs[at].silent = false;
}

static int connect_to(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    (void)snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

static void accept_one(help_proxy *proxy)
{
    int client = accept4(proxy->listener, NULL, NULL, SOCK_CLOEXEC);
    size_t at = 0;
    while (at < HELP_CONNECTIONS && proxy->pairs[at].client >= 0) {
        at++;
    }
    int server = proxy->refuse || at == HELP_CONNECTIONS ? -1 : connect_to(proxy->server);
    if (server < 0) {
        (void)close(client);
        return;
    }
    proxy->accepted++;
    proxy->pairs[at].client = client;
    proxy->pairs[at].server = server;
}

static bool send_all(int to, const char *bytes, size_t length)
{
    for (ssize_t sent; length > 0; bytes += sent, length -= (size_t)sent) {
        sent = send(to, bytes, length, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
    }
    return true;
}

/* The server's side stays open for a while; with UNSEEN nothing more arrives from it. */
static void keep_server(help_proxy *proxy, size_t at, help_cut fault, const char *bytes,
                        size_t length)
{
    CHECK(proxy->late.server < 0 && length <= sizeof(proxy->late.bytes), "%zu bytes", length);
    proxy->late.server = proxy->pairs[at].server;
    proxy->pairs[at].server = -1;
    proxy->late.length = fault == HELP_CUT_LATE ? length : 0;
    memcpy(proxy->late.bytes, bytes, proxy->late.length);
}

static void close_late(help_proxy *proxy)
{
    char answer[1024];
    (void)send_all(proxy->late.server, proxy->late.bytes, proxy->late.length);
    (void)shutdown(proxy->late.server, SHUT_WR);
    while (recv(proxy->late.server, answer, sizeof(answer), 0) > 0) {
    }
    (void)close(proxy->late.server);
    proxy->late.server = -1;
}

/* The fault that these bytes trigger, or HELP_PASS. */
static help_cut next_fault(help_proxy *proxy, const char *bytes, size_t count)
{
    (void)pthread_mutex_lock(&proxy->lock);
    help_cut fault = proxy->fault;
    if (fault != HELP_PASS && memmem(bytes, count, proxy->words, proxy->length) != NULL) {
        proxy->fault = proxy->repeat > 0 ? fault : HELP_PASS;
        proxy->repeat -= proxy->repeat > 0;
        proxy->happened++;
    } else {
        fault = HELP_PASS;
    }
    (void)pthread_mutex_unlock(&proxy->lock);
    return fault;
}

/* Handles bytes of the client. False if the connection must be closed. */
static bool to_server(help_proxy *proxy, size_t at)
{
    char bytes[65536];
    ssize_t count = recv(proxy->pairs[at].client, bytes, sizeof(bytes), 0);
    if (count <= 0) {
        return false;
    }
    help_cut fault = next_fault(proxy, bytes, (size_t)count);
    if (fault != HELP_PASS) {
        proxy->pairs[at].cut = fault == HELP_CUT_AFTER;
        proxy->pairs[at].silent = fault == HELP_SILENCE;
    }
    if (fault == HELP_CUT_UNSEEN || fault == HELP_CUT_LATE) {
        keep_server(proxy, at, fault, bytes, (size_t)count);
        return false;
    }
    return fault != HELP_CUT_BEFORE && send_all(proxy->pairs[at].server, bytes, (size_t)count);
}

static bool to_client(help_proxy *proxy, size_t at)
{
    char bytes[65536];
    ssize_t count = recv(proxy->pairs[at].server, bytes, sizeof(bytes), 0);
    if (count <= 0 || proxy->pairs[at].cut) {
        return false; /* the server has answered, so it has executed the statement */
    }
    return proxy->pairs[at].silent || send_all(proxy->pairs[at].client, bytes, (size_t)count);
}

static void *work(void *context)
{
    help_proxy *proxy = context;
    for (;;) {
        struct pollfd fds[2 + 2 * HELP_CONNECTIONS];
        fds[0] = (struct pollfd){.fd = proxy->listener, .events = POLLIN};
        fds[1] = (struct pollfd){.fd = proxy->wake[0], .events = POLLIN};
        for (size_t i = 0; i < HELP_CONNECTIONS; i++) {
            fds[2 + 2 * i] = (struct pollfd){.fd = proxy->pairs[i].client, .events = POLLIN};
            fds[3 + 2 * i] = (struct pollfd){.fd = proxy->pairs[i].server, .events = POLLIN};
        }
        if (poll(fds, COUNT(fds), proxy->late.server >= 0 ? LATE_MS : -1) == 0) {
            close_late(proxy);
        }
        char why = 0;
        if (fds[1].revents != 0 && read(proxy->wake[0], &why, 1) == 1 && why == 'q') {
            return NULL;
        }
        for (size_t i = 0; i < HELP_CONNECTIONS; i++) {
            bool there = proxy->pairs[i].client >= 0;
            if (there
                && (proxy->refuse || (fds[2 + 2 * i].revents != 0 && !to_server(proxy, i))
                    || (fds[3 + 2 * i].revents != 0 && !to_client(proxy, i)))) {
                close_pair(proxy, i);
            }
        }
        if (fds[0].revents != 0) {
            accept_one(proxy);
        }
    }
}

/* The path of the server's socket. */
static bool find_server(help_proxy *proxy, const char *url)
{
    const haft__libpq *lib = NULL;
    if (haft__libpq_load(&lib, NULL) != HAFT_OK) {
        return false;
    }
    PQconninfoOption *options = lib->conninfoParse(url, NULL);
    for (const PQconninfoOption *o = options; o != NULL && o->keyword != NULL; o++) {
        if (strcmp(o->keyword, "host") == 0 && o->val != NULL && o->val[0] == '/') {
            (void)snprintf(proxy->server, sizeof(proxy->server), "%s/.s.PGSQL.5432", o->val);
        }
    }
    lib->conninfoFree(options);
    return proxy->server[0] != '\0';
}

static void make_url(help_proxy *proxy, const char *url)
{
    const char *query = strchr(url, '?');
    size_t length = (size_t)snprintf(proxy->url, sizeof(proxy->url),
                                     "%.*s?host=", query != NULL ? (int)(query - url) : 0, url);
    for (const char *c = proxy->folder; *c != '\0'; c++) {
        length += (size_t)snprintf(proxy->url + length, sizeof(proxy->url) - length,
                                   *c == '/' ? "%%2F" : "%c", *c);
    }
}

bool help_proxy_start(help_proxy *proxy)
{
    *proxy = (help_proxy){.folder = "/tmp/haft-proxy-XXXXXX"};
    const char *url = help_pg_url();
    if (url == NULL) {
        return false;
    }
    if (!find_server(proxy, url)) {
        test_skip("the server has no unix socket that a proxy could replace");
        return false;
    }
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    CHECK(mkdtemp(proxy->folder) != NULL, "cannot create a directory");
    (void)snprintf(at.sun_path, sizeof(at.sun_path), "%s/.s.PGSQL.5432", proxy->folder);
    proxy->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_INT(bind(proxy->listener, (struct sockaddr *)&at, sizeof(at)), 0,
              "cannot bind the socket");
    CHECK_INT(listen(proxy->listener, 16), 0, "cannot listen");
    CHECK_INT(pipe(proxy->wake), 0, "cannot create a pipe");
    for (size_t i = 0; i < HELP_CONNECTIONS; i++) {
        proxy->pairs[i].client = proxy->pairs[i].server = -1;
    }
    proxy->late.server = -1;
    make_url(proxy, url);
    CHECK_INT(pthread_mutex_init(&proxy->lock, NULL), 0, "cannot create the lock");
    CHECK_INT(pthread_create(&proxy->thread, NULL, work, proxy), 0, "cannot start the thread");
    return true;
}

void help_proxy_stop(help_proxy *proxy)
{
    char path[128];
    CHECK_INT(write(proxy->wake[1], "q", 1), 1, "cannot wake the thread");
    (void)pthread_join(proxy->thread, NULL);
    (void)pthread_mutex_destroy(&proxy->lock);
    for (size_t i = 0; i < HELP_CONNECTIONS; i++) {
        if (proxy->pairs[i].client >= 0) {
            close_pair(proxy, i);
        }
    }
    if (proxy->late.server >= 0) {
        close_late(proxy);
    }
    (void)close(proxy->listener);
    (void)close(proxy->wake[0]);
    (void)close(proxy->wake[1]);
    (void)snprintf(path, sizeof(path), "%s/.s.PGSQL.5432", proxy->folder);
    (void)unlink(path);
    (void)rmdir(proxy->folder);
}

static void expect(help_proxy *proxy, help_cut fault, const char *words, size_t length)
{
    (void)pthread_mutex_lock(&proxy->lock);
    (void)snprintf(proxy->words, sizeof(proxy->words), "%s", words);
    proxy->length = length;
    proxy->fault = fault;
    (void)pthread_mutex_unlock(&proxy->lock);
    CHECK_INT(write(proxy->wake[1], "w", 1), 1, "cannot wake the thread");
}

void help_proxy_expect(help_proxy *proxy, help_cut fault, const char *words)
{
    expect(proxy, fault, words, strlen(words));
}

void help_proxy_expect_last(help_proxy *proxy, help_cut fault, const char *words)
{
    expect(proxy, fault, words, strlen(words) + 1); /* a statement ends with a NUL */
}

void help_proxy_open(help_proxy *proxy, help_store *s)
{
    help_store_open(s, "postgres");
    help_store_shut(s);
    (void)snprintf(s->url, sizeof(s->url), "%s", proxy->url);
    help_store_reopen(s);
    help_pg(s)->request_ms = HELP_PROXY_MS;
    help_pg(s)->backoff_ms = 1;
}
