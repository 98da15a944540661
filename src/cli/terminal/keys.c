/* SPDX-License-Identifier: Apache-2.0 */
/* keys.c - decodes bytes into keys, by two tables. Tests: tests/cli/terminal/editor_test.c. */
#include "cli/terminal/keys.h"

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"

#define ESCAPE    '\x1b'
#define PASTE_END "\x1b[201~"
#define REPLACED  "\xef\xbf\xbd"

#define CONTROL(letter) ((letter)&0x1f)

static const uint8_t controls[32] = {
    [CONTROL('A')] = HAFT__KEY_HOME,
    [CONTROL('B')] = HAFT__KEY_LEFT,
    [CONTROL('C')] = HAFT__KEY_INTERRUPT,
    [CONTROL('D')] = HAFT__KEY_EOF,
    [CONTROL('E')] = HAFT__KEY_END,
    [CONTROL('F')] = HAFT__KEY_RIGHT,
    [CONTROL('G')] = HAFT__KEY_ESCAPE,
    [CONTROL('H')] = HAFT__KEY_BACKSPACE,
    [CONTROL('I')] = HAFT__KEY_TAB,
    [CONTROL('J')] = HAFT__KEY_ENTER,
    [CONTROL('K')] = HAFT__KEY_KILL_END,
    [CONTROL('L')] = HAFT__KEY_CLEAR,
    [CONTROL('M')] = HAFT__KEY_ENTER,
    [CONTROL('N')] = HAFT__KEY_NEXT,
    [CONTROL('P')] = HAFT__KEY_PREVIOUS,
    [CONTROL('R')] = HAFT__KEY_SEARCH,
    [CONTROL('T')] = HAFT__KEY_TRANSPOSE,
    [CONTROL('U')] = HAFT__KEY_KILL_START,
    [CONTROL('W')] = HAFT__KEY_KILL_BLANK_WORD,
    [CONTROL('Y')] = HAFT__KEY_YANK,
    [CONTROL('Z')] = HAFT__KEY_SUSPEND,
};

/* After an escape. */
static const struct {
    const char *bytes;
    haft__key key;
} sequences[] = {
    {"[A", HAFT__KEY_UP},
    {"[B", HAFT__KEY_DOWN},
    {"[C", HAFT__KEY_RIGHT},
    {"[D", HAFT__KEY_LEFT},
    {"OA", HAFT__KEY_UP},
    {"OB", HAFT__KEY_DOWN},
    {"OC", HAFT__KEY_RIGHT},
    {"OD", HAFT__KEY_LEFT},
    {"[H", HAFT__KEY_HOME},
    {"[F", HAFT__KEY_END},
    {"OH", HAFT__KEY_HOME},
    {"OF", HAFT__KEY_END},
    {"[1~", HAFT__KEY_HOME},
    {"[7~", HAFT__KEY_HOME},
    {"[4~", HAFT__KEY_END},
    {"[8~", HAFT__KEY_END},
    {"[3~", HAFT__KEY_DELETE},
    {"[1;5C", HAFT__KEY_WORD_RIGHT},
    {"[1;5D", HAFT__KEY_WORD_LEFT},
    {"[1;3C", HAFT__KEY_WORD_RIGHT},
    {"[1;3D", HAFT__KEY_WORD_LEFT},
    {"Oc", HAFT__KEY_WORD_RIGHT},
    {"Od", HAFT__KEY_WORD_LEFT},
    {"[3;5~", HAFT__KEY_KILL_WORD_RIGHT},
    {"[3;3~", HAFT__KEY_KILL_WORD_RIGHT},
    {"b", HAFT__KEY_WORD_LEFT},
    {"B", HAFT__KEY_WORD_LEFT},
    {"f", HAFT__KEY_WORD_RIGHT},
    {"F", HAFT__KEY_WORD_RIGHT},
    {"d", HAFT__KEY_KILL_WORD_RIGHT},
    {"D", HAFT__KEY_KILL_WORD_RIGHT},
    {"\x7f", HAFT__KEY_KILL_WORD_LEFT},
    {"\b", HAFT__KEY_KILL_WORD_LEFT},
    {"\r", HAFT__KEY_NEWLINE},
    {"\n", HAFT__KEY_NEWLINE},
};

void haft__keys_init(haft__keys *keys)
{
    *keys = (haft__keys){.state = HAFT__KEYS_PLAIN};
    haft__buf_init(&keys->pasted, HAFT__LIMIT_LINE_BYTES + sizeof(PASTE_END) - 1);
}

void haft__keys_finish(haft__keys *keys)
{
    haft__buf_finish(&keys->pasted);
}

/* ---- text ---- */

static haft__key return_text(haft__keys *keys, haft_str text, haft_str *ret_text)
{
    memcpy(keys->text, text.ptr, text.len);
    *ret_text = (haft_str){keys->text, text.len};
    return HAFT__KEY_TEXT;
}

static haft__key feed_plain(haft__keys *keys, char byte, haft_str *ret_text);

/* Handles a byte of a multibyte character. The byte completes the character, continues it, or makes
 * it invalid; in the last case the byte starts a new character. */
static haft__key feed_utf8(haft__keys *keys, char byte, haft_str *ret_text)
{
    uint32_t code;
    keys->bytes[keys->length++] = byte;
    haft_str so_far = {keys->bytes, keys->length};
    if (haft__utf8_decode(so_far, &code) == keys->length) {
        keys->state = HAFT__KEYS_PLAIN;
        return return_text(keys, so_far, ret_text);
    }
    if (haft__utf8_incomplete(so_far)) {
        keys->state = HAFT__KEYS_UTF8;
        return HAFT__KEY_NONE;
    }
    bool first = keys->length == 1;
    keys->state = HAFT__KEYS_PLAIN;
    keys->replaced++;
    haft_str next = {NULL, 0};
    haft__key key = first ? HAFT__KEY_NONE : feed_plain(keys, byte, &next);
    if (key != HAFT__KEY_NONE && key != HAFT__KEY_TEXT) {
        return key; /* drop the invalid character, because a call returns one key */
    }
    char replaced[8] = REPLACED;
    size_t length = sizeof(REPLACED) - 1;
    if (next.len > 0) {
        memcpy(replaced + length, next.ptr, next.len);
    }
    return return_text(keys, (haft_str){replaced, length + next.len}, ret_text);
}

static haft__key feed_plain(haft__keys *keys, char byte, haft_str *ret_text)
{
    unsigned char c = (unsigned char)byte;
    keys->length = 0;
    if (byte == ESCAPE) {
        keys->state = HAFT__KEYS_ESCAPE;
        return HAFT__KEY_NONE;
    }
    if (c < COUNT(controls)) {
        return (haft__key)controls[c];
    }
    if (c == 0x7f) {
        return HAFT__KEY_BACKSPACE;
    }
    return c < 0x80 ? return_text(keys, (haft_str){&byte, 1}, ret_text)
                    : feed_utf8(keys, byte, ret_text);
}

/* ---- escape sequences ---- */

static haft__key find_sequence(haft_str bytes)
{
    for (size_t i = 0; i < COUNT(sequences); i++) {
        if (haft__str_equal(haft__str(sequences[i].bytes), bytes)) {
            return sequences[i].key;
        }
    }
    return HAFT__KEY_NONE;
}

/* Whether the bytes after the escape are a complete sequence: CSI ... letter, SS3 letter, or any
 * other single byte. */
static bool is_complete(const haft__keys *keys)
{
    unsigned char last = (unsigned char)keys->bytes[keys->length - 1];
    switch (keys->bytes[0]) {
    case '[': return keys->length > 1 && last >= 0x40 && last <= 0x7e;
    case 'O': return keys->length > 1;
    default: return true;
    }
}

static haft__key feed_sequence(haft__keys *keys, char byte, haft_str *ret_text)
{
    bool fits = keys->length < sizeof(keys->bytes);
    if (byte == ESCAPE) { /* the previous escape was a separate key */
        keys->length = 0;
        keys->state = HAFT__KEYS_ESCAPE;
        return HAFT__KEY_NONE;
    }
    if (keys->state == HAFT__KEYS_ESCAPE && (unsigned char)byte >= 0x80) {
        return feed_plain(keys, byte, ret_text); /* a letter with Alt counts as the letter */
    }
    keys->state = HAFT__KEYS_SEQUENCE;
    keys->bytes[fits ? keys->length : keys->length - 1] =
        byte; /* if too long, overwrite the last byte */
    keys->length += fits;
    if (!is_complete(keys)) {
        return HAFT__KEY_NONE;
    }
    haft_str bytes = {keys->bytes, keys->length};
    keys->state = HAFT__KEYS_PLAIN;
    if (haft__str_equal(bytes, HAFT__LIT("[200~"))) {
        keys->state = HAFT__KEYS_PASTE;
        keys->matched = 0;
        haft__buf_clear(&keys->pasted);
        return HAFT__KEY_NONE;
    }
    return find_sequence(bytes);
}

/* ---- paste ---- */

static haft__key feed_paste(haft__keys *keys, char byte, haft_str *ret_text)
{
    size_t end = sizeof(PASTE_END) - 1;
    haft__buf_add_char(&keys->pasted, byte);
    bool matches = byte == PASTE_END[keys->matched];
    keys->matched = matches ? keys->matched + 1 : (byte == ESCAPE);
    if (keys->matched < end) {
        return HAFT__KEY_NONE;
    }
    keys->state = HAFT__KEYS_PLAIN;
    if (keys->pasted.status != HAFT_OK) {
        return HAFT__KEY_TOO_LONG;
    }
    *ret_text = (haft_str){keys->pasted.ptr, keys->pasted.len - end};
    return HAFT__KEY_PASTE;
}

/* ---- all keys ---- */

haft__key haft__keys_feed(haft__keys *keys, char byte, haft_str *ret_text)
{
    *ret_text = (haft_str){NULL, 0};
    switch (keys->state) {
    case HAFT__KEYS_PLAIN: return feed_plain(keys, byte, ret_text);
    case HAFT__KEYS_UTF8: return feed_utf8(keys, byte, ret_text);
    case HAFT__KEYS_ESCAPE:
    case HAFT__KEYS_SEQUENCE: return feed_sequence(keys, byte, ret_text);
    case HAFT__KEYS_PASTE: return feed_paste(keys, byte, ret_text);
    }
    HAFT__UNREACHABLE();
}

bool haft__keys_pending(const haft__keys *keys)
{
    return keys->state == HAFT__KEYS_ESCAPE || keys->state == HAFT__KEYS_SEQUENCE;
}

haft__key haft__keys_idle(haft__keys *keys)
{
    bool alone = keys->state == HAFT__KEYS_ESCAPE;
    if (haft__keys_pending(keys)) {
        keys->state = HAFT__KEYS_PLAIN;
    }
    return alone ? HAFT__KEY_ESCAPE : HAFT__KEY_NONE;
}
