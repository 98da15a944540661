/* SPDX-License-Identifier: Apache-2.0 */
/* proxy_help.h - a proxy between a store and PostgreSQL that simulates network faults. It is
 * a thread with its own unix socket. A test sets the fault and the words that trigger it; the
 * fault happens once. */
#ifndef HAFT_TESTS_PG_PROXY_HELP_H
#define HAFT_TESTS_PG_PROXY_HELP_H

#include <pthread.h>
#include <stdatomic.h>

#include "store/postgres/postgres_help.h"

typedef enum help_cut {
    HELP_PASS,
    HELP_CUT_BEFORE, /* the words do not arrive, and the connection is closed */
    HELP_CUT_AFTER,  /* the words arrive, but not the result: the connection is closed */
    HELP_CUT_UNSEEN, /* like BEFORE, but the server notices it later */
    HELP_CUT_LATE,   /* like AFTER, but the words arrive later */
    HELP_SILENCE, /* data of the server is discarded from then on, until the fault is PASS again */
} help_cut;

#define HELP_CONNECTIONS 16
#define HELP_PROXY_MS                                                                              \
    300000 /* timeout for a request of its store, unless a test sets a shorter one */

typedef struct help_proxy {
    char folder[64], url[PATH_MAX], server[108];
    int listener, wake[2];
    pthread_t thread;
    _Atomic bool refuse; /* new and existing connections are closed at once */
    _Atomic int happened, accepted;
    _Atomic int repeat;   /* how often the fault is repeated */
    pthread_mutex_t lock; /* protects the next three: a fault and its words change together */
    help_cut fault;
    char words[64];
    size_t length; /* of the words */
    struct {
        int client, server;
        bool cut, silent;
    } pairs[HELP_CONNECTIONS];
    struct {
        int server;
        char bytes[65536];
        size_t length;
    } late; /* a connection that the client has closed, and data that is still outstanding */
} help_proxy;

/* Without a server with a unix socket: false, and the test is skipped. */
bool help_proxy_start(help_proxy *proxy);
void help_proxy_stop(help_proxy *proxy);

/* Sets the fault for the next time that these words are sent to the server; `last`: only at the
 * end of a statement. */
void help_proxy_expect(help_proxy *proxy, help_cut fault, const char *words);
void help_proxy_expect_last(help_proxy *proxy, help_cut fault, const char *words);

/* Opens a store behind it, in an empty database; it reconnects almost at once. */
void help_proxy_open(help_proxy *proxy, help_store *s);

#endif
