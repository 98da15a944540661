/* SPDX-License-Identifier: Apache-2.0 */
/* listener.c - parses an address and opens a listening socket. Tests:
 * tests/io/server/listener_test.c. */
#include "io/server/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"

typedef union socket_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} socket_address;

static bool is_unix(haft_str address)
{
    return haft__str_starts_with(address, HAFT__LIT(HAFT__UNIX_PREFIX));
}

static haft_status fail_form(haft_str address, haft_error *err)
{
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "", "expected an address as ADDRESS:PORT, found '%.*s'",
                   HAFT__ARG(address));
    return haft__hint(err, status, "for example 127.0.0.1:8080, [::1]:8080 or localhost:0");
}

/* Copies the host without brackets, NUL-terminated, to `to`; false if it does not fit. */
static bool copy_host(haft_str host, bool *ret_v6, char to[HAFT__ADDRESS_SIZE])
{
    bool open = haft__str_starts_with(host, HAFT__LIT("["));
    bool closed = haft__str_ends_with(host, HAFT__LIT("]"));
    if (open != closed || host.len >= HAFT__ADDRESS_SIZE || host.len < (open ? 3 : 1)) {
        return false;
    }
    if (open) {
        host = (haft_str){host.ptr + 1, host.len - 2};
    }
    memcpy(to, host.ptr, host.len);
    to[host.len] = '\0';
    *ret_v6 = open;
    return memchr(host.ptr, '\0', host.len) == NULL;
}

static haft_status parse_address(haft_str address, socket_address *ret_address, haft_error *err)
{
    size_t colon = address.len;
    while (colon > 0 && address.ptr[colon - 1] != ':') {
        colon--;
    }
    char host[HAFT__ADDRESS_SIZE];
    uint64_t port = 0;
    bool v6 = false;
    if (colon == 0 || !haft__str_to_u64(haft__str_skip(address, colon), &port) || port > UINT16_MAX
        || !copy_host((haft_str){address.ptr, colon - 1}, &v6, host)) {
        return fail_form(address, err);
    }
    const char *name = strcmp(host, "localhost") == 0 && !v6 ? "127.0.0.1" : host;
    *ret_address = (socket_address){0};
    if (v6 && inet_pton(AF_INET6, name, &ret_address->v6.sin6_addr) == 1) {
        ret_address->v6.sin6_family = AF_INET6;
        ret_address->v6.sin6_port = htons((uint16_t)port);
        return HAFT_OK;
    }
    if (!v6 && inet_pton(AF_INET, name, &ret_address->v4.sin_addr) == 1) {
        ret_address->v4.sin_family = AF_INET;
        ret_address->v4.sin_port = htons((uint16_t)port);
        return HAFT_OK;
    }
    return fail_form(address, err);
}

static socklen_t size_of(const socket_address *at)
{
    return at->any.sa_family == AF_INET6 ? sizeof(at->v6) : sizeof(at->v4);
}

/* Formats the bound address; the system may have chosen the port. */
static bool describe(int fd, haft__listener *listener)
{
    socket_address at = {0};
    socklen_t size = sizeof(at);
    char host[INET6_ADDRSTRLEN];
    if (getsockname(fd, &at.any, &size) != 0) {
        return false;
    }
    bool v6 = at.any.sa_family == AF_INET6;
    const void *number = v6 ? (const void *)&at.v6.sin6_addr : (const void *)&at.v4.sin_addr;
    if (inet_ntop(at.any.sa_family, number, host, sizeof(host)) == NULL) {
        return false;
    }
    listener->fd = fd;
    listener->port = ntohs(v6 ? at.v6.sin6_port : at.v4.sin_port);
    (void)snprintf(listener->address, sizeof(listener->address), v6 ? "[%s]:%u" : "%s:%u", host,
                   listener->port);
    return true;
}

/* ---- unix sockets ---- */

static haft_status parse_path(haft_str address, struct sockaddr_un *ret_address, haft_error *err)
{
    haft_str path = haft__str_skip(address, sizeof(HAFT__UNIX_PREFIX) - 1);
    *ret_address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (path.len == 0 || path.len >= sizeof(ret_address->sun_path)
        || memchr(path.ptr, '\0', path.len) != NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "expected unix: and a path of 1 to %zu bytes, found '%.*s'",
                          sizeof(ret_address->sun_path) - 1, HAFT__ARG(address));
    }
    memcpy(ret_address->sun_path, path.ptr, path.len);
    return HAFT_OK;
}

/* Removes the socket of a process that has ended. Another file, or a socket at which somebody
 * listens, stays, and bind fails. */
static void remove_stale(const struct sockaddr_un *at)
{
    struct stat info;
    if (lstat(at->sun_path, &info) != 0 || !S_ISSOCK(info.st_mode)) {
        return;
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0) {
        if (connect(fd, (const struct sockaddr *)at, sizeof(*at)) != 0 && errno == ECONNREFUSED) {
            (void)unlink(at->sun_path);
        }
        (void)close(fd);
    }
}

/* The mode is set before anybody can connect: umask applies to bind. */
static bool bind_path(int fd, const struct sockaddr_un *at)
{
    mode_t before = umask(0177);
    bool bound = bind(fd, (const struct sockaddr *)at, sizeof(*at)) == 0;
    int reason = errno;
    (void)umask(before);
    errno = reason;
    return bound && listen(fd, SOMAXCONN) == 0;
}

static haft_status open_path(haft_str address, haft__listener *ret_listener, haft_error *err)
{
    struct sockaddr_un at;
    haft_status status = parse_path(address, &at, err);
    if (status != HAFT_OK) {
        return status;
    }
    remove_stale(&at);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || !bind_path(fd, &at)) {
        status = haft__fail(err, HAFT_IO, at.sun_path, "cannot listen: %s", strerror(errno));
        if (fd >= 0) {
            (void)close(fd);
        }
        return status;
    }
    *ret_listener = (haft__listener){.fd = fd};
    (void)snprintf(ret_listener->address, sizeof(ret_listener->address), "%.*s",
                   HAFT__ARG(address));
    return HAFT_OK;
}

void haft__listener_remove(const haft__listener *listener)
{
    if (is_unix(haft__str(listener->address))) {
        (void)unlink(listener->address + sizeof(HAFT__UNIX_PREFIX) - 1);
    }
}

/* ---- addresses ---- */

/* Allows the reuse of a recently used port. An IPv6 socket accepts no IPv4 connections. */
static bool bind_to(int fd, const socket_address *at)
{
    int yes = 1;
    bool only = at->any.sa_family != AF_INET6
                || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes)) == 0;
    return only && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0
           && bind(fd, &at->any, size_of(at)) == 0 && listen(fd, SOMAXCONN) == 0;
}

haft_status haft__listener_check_address(haft_str address, haft_error *err)
{
    socket_address at = {0};
    struct sockaddr_un path;
    return is_unix(address) ? parse_path(address, &path, err) : parse_address(address, &at, err);
}

haft_status haft__listener_open(haft_str address, haft__listener *ret_listener, haft_error *err)
{
    socket_address at = {0};
    if (is_unix(address)) {
        return open_path(address, ret_listener, err);
    }
    haft_status status = parse_address(address, &at, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__listener listener;
    int fd = socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || !bind_to(fd, &at) || !describe(fd, &listener)) {
        char text[HAFT__ADDRESS_SIZE];
        (void)snprintf(text, sizeof(text), "%.*s", HAFT__ARG(address));
        status = haft__fail(err, HAFT_IO, text, "cannot listen: %s", strerror(errno));
        if (fd >= 0) {
            (void)close(fd);
        }
        return haft__hint(err, status, "port 0 selects a free port");
    }
    *ret_listener = listener;
    return HAFT_OK;
}
