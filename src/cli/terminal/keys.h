/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/keys.h - the bytes a terminal sends, as keys.
 *
 * Knows control characters, the escape sequences of the terminals there are (xterm, the Linux
 * console, rxvt, screen), UTF-8, and bracketed paste: what is pasted comes as one key, however
 * many lines it has. What nobody knows is passed over.
 */
#ifndef HAFT_CLI_TERMINAL_KEYS_H
#define HAFT_CLI_TERMINAL_KEYS_H

#include <stdbool.h>

#include "base/buf.h"

typedef enum haft__key {
    HAFT__KEY_NONE, /* yet, or one that means nothing */
    HAFT__KEY_TEXT,
    HAFT__KEY_PASTE,    /* the text is as it was pasted: not clean */
    HAFT__KEY_TOO_LONG, /* a paste past the limit: it is lost */
    HAFT__KEY_ENTER,
    HAFT__KEY_NEWLINE, /* that does not send */
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
    HAFT__KEY_KILL_BLANK, /* back to white space */
    HAFT__KEY_KILL_WORD_LEFT,
    HAFT__KEY_KILL_WORD_RIGHT,
    HAFT__KEY_YANK,
    HAFT__KEY_TRANSPOSE,
    HAFT__KEY_CLEAR,
    HAFT__KEY_SEARCH,
    HAFT__KEY_ESCAPE,    /* Escape or Ctrl-G: out of a search */
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

/* Start from zeroes with haft__keys_init. */
typedef struct haft__keys {
    haft__keys_state state;
    char bytes[24]; /* of what is not complete */
    size_t length;
    char text[8]; /* of the key */
    haft__buf pasted;
    size_t matched;  /* bytes of the end of a paste that have come */
    size_t replaced; /* bytes that were no UTF-8 */
} haft__keys;

void haft__keys_init(haft__keys *keys);
void haft__keys_finish(haft__keys *keys);

/* Takes a byte. The text of TEXT and PASTE is borrowed until the next one. */
haft__key haft__keys_feed(haft__keys *keys, char byte, haft_str *ret_text);

/* Whether more bytes decide what was pressed; when none come for a moment, haft__keys_idle says
 * what it was. */
bool haft__keys_pending(const haft__keys *keys);
haft__key haft__keys_idle(haft__keys *keys);

#endif
