/* SPDX-License-Identifier: Apache-2.0 */
/* display.c - escapes names and truncates lines. Tests: tests/exec/files/display_test.c. */
#include "exec/files/display.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/str.h"
#include "base/utf8.h"

#define ESCAPE_BYTES 8
#define DOTS         "..."

/* ---- names ---- */

/* Characters that some programs treat as a line end, or that change the text direction. */
static bool is_mark(uint32_t code)
{
    return code < 0x20 || code == 0x7F || (code >= 0x80 && code < 0xA0) || code == 0x2028
           || code == 0x2029 || (code >= 0x202A && code <= 0x202E)
           || (code >= 0x2066 && code <= 0x2069);
}

/* Writes the escaped form of the character at `at`, NUL-terminated; returns its length in `name`.
 */
static size_t show_one(haft_str name, size_t at, char to[ESCAPE_BYTES])
{
    static const char plain[] = "\n\t\r\\", letters[] = "ntr\\";
    uint32_t code = 0;
    size_t length = haft__utf8_decode(haft__str_skip(name, at), &code);
    const char *found = length == 1 && code != 0 ? strchr(plain, (int)code) : NULL;
    if (length == 0) {
        (void)snprintf(to, ESCAPE_BYTES, "\\x%02x", (unsigned)(unsigned char)name.ptr[at]);
        return 1;
    }
    if (found != NULL) {
        (void)snprintf(to, ESCAPE_BYTES, "\\%c", letters[found - plain]);
    } else if (is_mark(code)) {
        (void)snprintf(to, ESCAPE_BYTES, "\\u%04x", (unsigned)code);
    } else {
        (void)snprintf(to, ESCAPE_BYTES, "%.*s", (int)length, name.ptr + at);
    }
    return length;
}

static bool is_plain(char c)
{
    return c >= ' ' && c < 0x7F && c != '\\';
}

void haft__files_display_name(haft__buf *buf, haft_str name)
{
    for (size_t at = 0; at < name.len;) {
        size_t end = at;
        while (end < name.len && is_plain(name.ptr[end])) {
            end++;
        }
        haft__buf_add(buf, name.ptr + at, end - at);
        at = end;
        if (at < name.len) {
            char piece[ESCAPE_BYTES];
            at += show_one(name, at, piece);
            haft__buf_add_str(buf, haft__str(piece));
        }
    }
}

const char *haft__files_display_short_name(haft_str name, char to[HAFT__FILES_SHORT_NAME_BYTES])
{
    size_t used = 0;
    for (size_t at = 0; at < name.len;) {
        char piece[ESCAPE_BYTES];
        at += show_one(name, at, piece);
        size_t length = strlen(piece);
        if (used + length + sizeof(DOTS) > HAFT__FILES_SHORT_NAME_BYTES) {
            memcpy(to + used, DOTS, sizeof(DOTS));
            return to;
        }
        memcpy(to + used, piece, length);
        used += length;
    }
    to[used] = '\0';
    return to;
}

/* ---- lines ---- */

static void add_masked(haft__buf *buf, haft_str text)
{
    char *to = haft__buf_reserve(buf, text.len);
    if (to == NULL || text.len == 0) {
        return;
    }
    memcpy(to, text.ptr, text.len);
    haft__utf8_replace_invalid(to, text.len);
    for (char *nul = memchr(to, '\0', text.len); nul != NULL;
         nul = memchr(nul, '\0', text.len - (size_t)(nul - to))) {
        *nul = '?';
    }
    haft__buf_advance(buf, text.len);
}

/* The last character boundary at or before `at`; the text need not be valid. */
static size_t floor_of(haft_str text, size_t at)
{
    for (size_t back = 0; back < HAFT__UTF8_MAX_BYTES && back <= at; back++) {
        if (at - back >= text.len || ((unsigned char)text.ptr[at - back] & 0xC0) != 0x80) {
            return at - back;
        }
    }
    return at;
}

void haft__files_display_line(haft__buf *buf, haft_str line, size_t max, size_t at)
{
    line.len -= haft__str_ends_with(line, HAFT__LIT("\r"));
    /* If `at` would be cut off, the visible part has a third of its length before `at`. */
    bool late = line.len > max && at > max - max / 3;
    size_t from = late ? floor_of(line, at - max / 3) : 0;
    size_t to = line.len - from > max ? floor_of(line, from + max) : line.len;
    if (from > 0) {
        haft__buf_add_str(buf, HAFT__LIT(DOTS));
    }
    add_masked(buf, (haft_str){line.ptr + from, to - from});
    if (to < line.len) {
        haft__buf_add_str(buf, HAFT__LIT(DOTS));
    }
}
