/* SPDX-License-Identifier: Apache-2.0 */
/* io/server/listener.h - a listening socket: "127.0.0.1:8080", "[::1]:0", "localhost:0",
 * "unix:/run/haft.sock". */
#ifndef HAFT_IO_SERVER_LISTENER_H
#define HAFT_IO_SERVER_LISTENER_H

#include <stdint.h>

#include "haft.h"

/* A path of a unix socket has at most 107 bytes. */
#define HAFT__ADDRESS_SIZE 128
#define HAFT__UNIX_PREFIX  "unix:"

/* A listening socket and its address. */
typedef struct haft__listener {
    int fd; /* non-blocking, close-on-exec; the caller closes it */
    uint16_t port;
    char address[HAFT__ADDRESS_SIZE]; /* with the actual port: "127.0.0.1:41234" */
} haft__listener;

/* Checks the syntax for haft__listener_open: BAD_INPUT if it is not an address. */
HAFT_MUST_USE haft_status haft__listener_check_address(haft_str address, haft_error *err);

/* Removes the file of a unix socket. */
void haft__listener_remove(const haft__listener *listener);

/* Listens at a numeric address, or at a unix socket that only this user can reach; port 0 selects a
 * free port. "localhost" is the only name that is resolved. BAD_INPUT if it is not an address, IO
 * if it is not available. */
HAFT_MUST_USE haft_status haft__listener_open(haft_str address, haft__listener *ret_listener,
                                              haft_error *err);

#endif
