/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_help.h - a small web server for tests: plays scripts and records the requests.
 *
 *     web *w = web_start();
 *     web_route(w, "/slow", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab" WEB_WAIT "cd");
 *     ... a request to web_url(w, "/slow") gets "ab" ...
 *     web_release(w, 1);
 *     ... and "cd" ...
 *     web_stop(w);
 *
 * It listens on 127.0.0.1, on a port the system chooses, in a thread of its own that allocates no
 * memory. Connections are kept until the client or a script closes them. Names that end in ".test"
 * are looked up here, too, in the whole test program.
 */
#ifndef HAFT_TESTS_IO_HTTP_HELP_H
#define HAFT_TESTS_IO_HTTP_HELP_H

#include <stdbool.h>
#include <stdint.h>

#include "io/http/client.h"

typedef struct web web;

/* Marks in a script. */
#define WEB_WAIT  "\001" /* waits until web_release */
#define WEB_CLOSE "\002" /* closes the connection */
#define WEB_RESET "\003" /* resets the connection */
#define WEB_HANG  "\004" /* sends nothing more, and keeps the connection open */

#define WEB_OK(length)                                                                             \
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " #length "\r\n\r\n"

web *web_start(void);
void web_stop(web *w);

uint16_t web_port(const web *w);

/* "http://127.0.0.1:PORT" and the path; valid until the test ends. */
const char *web_url(const web *w, const char *path);

/* Sets the response for that path, with any query; the last call wins. Texts are borrowed. A
 * path without a route gets 404. */
void web_route(web *w, const char *path, const char *script);

/* The same with bytes that may contain marks, after a head whose length is filled in: "HTTP/1.1
 * 200 OK\r\nContent-Encoding: gzip\r\n". */
void web_route_bytes(web *w, const char *path, const char *head, haft_str body);

/* Sets a redirect: its status, "302 Found", and its target. */
void web_route_redirect(web *w, const char *path, const char *status, const char *location);

/* Lets `count` more scripts continue that wait at a WEB_WAIT, now or later. */
void web_release(web *w, unsigned count);

/* The number of connections so far, open connections, requests, and scripts that wait at a mark. */
unsigned web_connections(web *w);
unsigned web_open(web *w);
unsigned web_requests(web *w);
unsigned web_waiting(web *w);

/* The request with that number, from 0, as received, up to 8000 bytes; "" if it does not exist or
 * is not one of the first 64. Valid until the test ends. */
haft_str web_request(web *w, unsigned number);

/* `count` zeros, compressed. Valid until the test ends. */
haft_str web_gzip_zeros(size_t count);

/* A port on 127.0.0.1 without a listener. */
uint16_t web_dead_port(void);

/* Names: "inside.test" is 127.0.0.1; "gone.test" and "slow.test" do not exist, and the lookup of
 * the latter lasts until web_finish_slow_lookup. */
void web_finish_slow_lookup(void);

/* The number of open descriptors of the process. */
unsigned web_count_fds(void);

/* ---- a transfer and its record ---- */

typedef struct web_record {
    unsigned heads, bodies, dones;
    haft__http_outcome end;
    uint32_t status;
    bool sent, delivered;
    char type[64], message[512], url[512], location[64];
    char body[4096]; /* the start of the body */
    size_t body_bytes;
    size_t stop_at;                 /* if not 0: stop after this many bytes */
    haft__http_transfer *cancel_at; /* cancelled when the first bytes of the body arrive */
} web_record;

extern const haft__http_handlers web_handlers; /* their context is a web_record */

/* Steps until `*number` has that value, at most a minute; false if it does not. */
bool web_step_until(haft__loop *loop, const unsigned *number, unsigned value);

/* For most tests: a loop, a client and a server. */
typedef struct web_fixture {
    haft__loop *loop;
    haft__http_client *http;
    web *web;
    unsigned fds; /* open descriptors before, and so many are expected after */
} web_fixture;

web_fixture web_set_up(const haft__http_client_options *options);
void web_tear_down(web_fixture *b);

/* A GET without relevant limits. */
haft__http_request web_get(const char *url);

/* Performs a whole request; false if it did not end. */
bool web_fetch(haft__loop *loop, haft__http_client *http, const haft__http_request *request,
               web_record *ret_record);

#endif
