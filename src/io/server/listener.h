/* SPDX-License-Identifier: Apache-2.0 */
/* io/server/listener.h - where a server listens: "127.0.0.1:8080", "[::1]:0", "localhost:0". */
#ifndef HAFT_IO_SERVER_LISTENER_H
#define HAFT_IO_SERVER_LISTENER_H

#include <stdint.h>

#include "haft.h"

#define HAFT__ADDRESS_SIZE sizeof("[0000:0000:0000:0000:0000:0000:255.255.255.255]:65535")

/* A socket that listens, and where. */
typedef struct haft__listener {
    int fd; /* does not block, close-on-exec; the caller closes it */
    uint16_t port;
    char address[HAFT__ADDRESS_SIZE]; /* with the port that was taken: "127.0.0.1:41234" */
} haft__listener;

/* Whether haft__listener_open can read it: BAD_INPUT when it is no address. */
HAFT_MUST_USE haft_status haft__listener_check_address(haft_str address, haft_error *err);

/* Listens at a numeric address; port 0 takes one that is free. No name but "localhost" is looked
 * up. BAD_INPUT when it is no address, IO when it cannot be had. */
HAFT_MUST_USE haft_status haft__listener_open(haft_str address, haft__listener *ret_listener,
                                              haft_error *err);

#endif
