/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/server/head.h - checks the head of a request: its target, and whether libmicrohttpd has
 * dropped bytes of it.
 *
 * The functions are pure: they read only their arguments.
 */
#ifndef HAFT_IO_SERVER_HEAD_H
#define HAFT_IO_SERVER_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "haft.h"

/* A request target (RFC 9112, 3.2). The texts are borrowed from it. */
typedef struct haft__http_target {
    haft_str authority;    /* of an absolute URL, without the default port of its scheme */
    haft_str default_port; /* of that scheme, such as ":80"; "" if the target is not a URL */
    haft_str path, query;  /* "*" is a path */
} haft__http_target;

/* Accepts a path, an absolute http or https URL, or "*". Returns false for anything else, and if
 * the target contains a control character or a space; path and query are then empty. */
bool haft__http_target_read(haft_str target, haft__http_target *ret_target);

/* Whether the target names the same host as the Host header (.ptr is NULL without one). A target
 * that is not a URL names no host, and the result is true. */
bool haft__http_target_is_for(const haft__http_target *target, haft_str host);

/*
 * Where the texts of a head are in libmicrohttpd's buffer. Versions before 1.0 end a text at a NUL
 * and drop the rest of its line, end the head at a line that begins with a NUL, drop headers
 * without a name, and join continued lines. They leave each text at the place in the buffer where
 * it was received. So a gap between two texts means that bytes were dropped. One case is not
 * detected: a NUL followed by a lone line feed is as long as the usual end of a line.
 */
typedef struct haft__http_layout {
    uintptr_t start, end; /* of the texts so far */
    bool gap;             /* a gap exists between two of them */
} haft__http_layout;

/* Begins with the request line. `url` is the place of the target in the buffer. libmicrohttpd has
 * decoded it there, so its original length is a parameter. */
haft__http_layout haft__http_layout_begin(const char *method, const char *url, size_t target_bytes,
                                          const char *version);
void haft__http_layout_add(haft__http_layout *layout, const char *name, size_t name_bytes,
                           const char *value, size_t value_bytes);
/* Whether the texts fill the head, which has `head_bytes` bytes: no bytes were dropped. */
bool haft__http_layout_is_whole(const haft__http_layout *layout, size_t head_bytes);

#endif
