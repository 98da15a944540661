/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pg_proxy_help.h - stands between a store and PostgreSQL, and does what networks do.
 *
 * A thread with a unix socket of its own. What happens to the connections is said beforehand; it
 * happens once, when the words come by.
 */
#ifndef HAFT_TESTS_PG_PROXY_HELP_H
#define HAFT_TESTS_PG_PROXY_HELP_H

#include <pthread.h>
#include <stdatomic.h>

#include "store/pg_help.h"

typedef enum help_cut {
    HELP_PASS,
    HELP_CUT_BEFORE, /* the words do not arrive, and the connection is gone */
    HELP_CUT_AFTER,  /* they do, but the answer does not: the connection is gone */
    HELP_CUT_UNSEEN, /* as BEFORE, but the server sees a while later that it is */
    HELP_CUT_LATE,   /* as AFTER, but they arrive a while later */
    HELP_SILENCE,    /* what the server says from then on is swallowed, until it is PASS again */
} help_cut;

#define HELP_CONNECTIONS 16
#define HELP_PROXY_MS    300000 /* for a request of its store, unless a test sets less */

typedef struct help_proxy {
    char folder[64], url[PATH_MAX], server[108];
    int listener, wake[2];
    pthread_t thread;
    _Atomic bool refuse; /* new connections are closed at once, and those there are */
    _Atomic int happened, accepted;
    _Atomic int repeat;   /* how often it is to happen again */
    pthread_mutex_t lock; /* for the next three: a fault and its words change together */
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
    } late; /* a connection that the client has no more, and what still comes of it */
} help_proxy;

/* False, and the test is skipped, when there is no server with a unix socket. */
bool help_proxy_start(help_proxy *proxy);
void help_proxy_stop(help_proxy *proxy);

/* What is to happen the next time these words are sent to the server; `last`: at the end of a
 * statement. */
void help_proxy_expect(help_proxy *proxy, help_cut fault, const char *words);
void help_proxy_expect_last(help_proxy *proxy, help_cut fault, const char *words);

/* A store behind it, in an empty database; it reconnects almost at once. */
void help_proxy_open(help_proxy *proxy, help_store *s);

#endif
