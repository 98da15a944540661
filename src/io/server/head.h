/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/server/head.h - checks of a request's head: its target, and bytes that libmicrohttpd hides.
 *
 * Neither reads anything but its arguments.
 */
#ifndef HAFT_IO_SERVER_HEAD_H
#define HAFT_IO_SERVER_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "haft.h"

/* A request target (RFC 9112, 3.2). The texts are borrowed from it. */
typedef struct haft__http_target {
    haft_str authority;    /* of the absolute form, without the default port of its scheme */
    haft_str default_port; /* of that scheme, as ":80"; "" for the other forms */
    haft_str path, query;  /* "*" is a path */
} haft__http_target;

/* False if it is neither a path, nor an absolute http or https URL, nor "*", or contains a control
 * character or a space; then path and query are empty. */
bool haft__http_target_read(haft_str target, haft__http_target *ret_target);

/* Whether the target is for the host of the Host header (.ptr is NULL without one). Only an
 * absolute target names a host. */
bool haft__http_target_is_for(const haft__http_target *target, haft_str host);

/*
 * The places of a head's texts in libmicrohttpd's buffer. Versions before 1.0 end a text at a NUL
 * and drop the rest of its line, end the head at a line that begins with a NUL, drop headers
 * without a name, and join continued lines. They leave each text where it arrived, so that a gap
 * between two texts gives dropped bytes away. A NUL next to a lone line feed can remain hidden: the
 * two are as long as the end of a line.
 */
typedef struct haft__http_layout {
    uintptr_t start, end; /* of the texts so far */
    bool gap;
} haft__http_layout;

/* The request line. `url` is where the target begins; it has been decoded since. */
haft__http_layout haft__http_layout_begin(const char *method, const char *url, size_t target_bytes,
                                          const char *version);
void haft__http_layout_add(haft__http_layout *layout, const char *name, size_t name_bytes,
                           const char *value, size_t value_bytes);
/* Whether the texts fill the head, which has `head_bytes`. */
bool haft__http_layout_is_whole(const haft__http_layout *layout, size_t head_bytes);

#endif
