/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/keys.h - decodes the bytes of a terminal into keys.
 *
 * Decodes control characters, the escape sequences of common terminals (xterm, the Linux console,
 * rxvt, screen), UTF-8, and bracketed paste: a paste is one key, no matter how many lines it has.
 * Skips unknown sequences.
 */
#ifndef HAFT_CLI_TERMINAL_KEYS_H
#define HAFT_CLI_TERMINAL_KEYS_H

#include <stdbool.h>

#include "base/buf.h"

typedef enum haft__key {
    HAFT__KEY_NONE, /* the bytes are incomplete, or no known key */
    HAFT__KEY_TEXT,
    HAFT__KEY_PASTE,    /* the pasted text, not sanitized */
    HAFT__KEY_TOO_LONG, /* a paste above the limit, which is dropped */
    HAFT__KEY_ENTER,
    HAFT__KEY_NEWLINE, /* inserts a line feed and does not send the message */
    HAFT__KEY_TAB,
    HAFT__KEY_LEFT,
    HAFT__KEY_RIGHT,
    HAFT__KEY_UP,
    HAFT__KEY_DOWN,
    HAFT__KEY_PREVIOUS,
    HAFT__KEY_NEXT,
    HAFT__KEY_HOME,
    HAFT__KEY_END,
    HAFT__KEY_WORD_LEFT,
    HAFT__KEY_WORD_RIGHT,
    HAFT__KEY_BACKSPACE,
    HAFT__KEY_DELETE,
    HAFT__KEY_KILL_END,
    HAFT__KEY_KILL_START,
    HAFT__KEY_KILL_BLANK_WORD, /* back to white space */
    HAFT__KEY_KILL_WORD_LEFT,
    HAFT__KEY_KILL_WORD_RIGHT,
    HAFT__KEY_YANK,
    HAFT__KEY_TRANSPOSE,
    HAFT__KEY_CLEAR,
    HAFT__KEY_SEARCH,
    HAFT__KEY_ESCAPE,    /* Escape or Ctrl-G: leaves a search */
    HAFT__KEY_INTERRUPT, /* Ctrl-C */
    HAFT__KEY_EOF,       /* Ctrl-D */
    HAFT__KEY_SUSPEND,   /* Ctrl-Z */
    HAFT__KEY_COUNT,
} haft__key;

typedef enum haft__keys_state {
    HAFT__KEYS_PLAIN,
    HAFT__KEYS_UTF8,
    HAFT__KEYS_ESCAPE,
    HAFT__KEYS_SEQUENCE,
    HAFT__KEYS_PASTE,
} haft__keys_state;

/* Initialize with haft__keys_init. */
typedef struct haft__keys {
    haft__keys_state state;
    char bytes[24]; /* of an incomplete sequence */
    size_t length;
    char text[8]; /* of the key */
    haft__buf pasted;
    size_t matched;  /* bytes of the end-of-paste sequence that have arrived */
    size_t replaced; /* bytes that were not UTF-8 */
} haft__keys;

void haft__keys_init(haft__keys *keys);
void haft__keys_finish(haft__keys *keys);

/* Handles a byte. The text of TEXT and PASTE is valid until the next call. */
haft__key haft__keys_feed(haft__keys *keys, char byte, haft_str *ret_text);

/* Returns true if the key depends on further bytes. If no byte arrives for a short time, call
 * haft__keys_idle. */
bool haft__keys_pending(const haft__keys *keys);
haft__key haft__keys_idle(haft__keys *keys);

#endif
