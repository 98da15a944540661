/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_name.c - encodes names of tools so that every provider accepts them, and decodes them.
 *
 * Every escape starts with "_-", and a "_-" in a name is always escaped. So an encoding can be
 * split into escapes and plain bytes in only one way, and two names never have the same encoding,
 * unless their encodings are too long and contain a hash instead. Only an encoding with a hash
 * contains the escape "_-z".
 *
 * Tests: tests/tool/wire_name_test.c.
 */
#include "tool/wire_name.h"

#include <stdio.h>

#include "base/ascii.h"
#include "base/hex.h"
#include "base/str.h"

#define ESCAPE_MAX  5 /* "_-h2e" */
#define HASHED_HEAD 44
#define HASHED_TAIL 19 /* "_-z" and 16 digits */

/* This key never changes, because wire names must be the same on every machine and in every run. */
static const haft__hash_key wire_key = {0x68616674206e616dU, 0x65206f6e20776972U};

static bool is_plain(char c, bool first)
{
    return haft__ascii_is_letter(c) || c == '_'
           || (!first && (haft__ascii_is_digit(c) || c == '-'));
}

/* Encodes the byte or pair at `at` to `to`. Returns the number of bytes consumed. */
static size_t encode_one(haft_str name, size_t at, char to[ESCAPE_MAX + 1], size_t *ret_length)
{
    char c = name.ptr[at];
    if (c == '_' && at + 1 < name.len && name.ptr[at + 1] == '-') {
        memcpy(to, "_-u", 3);
        *ret_length = 3;
        return 2;
    }
    if (is_plain(c, at == 0)) {
        to[0] = c;
        *ret_length = 1;
    } else if (c == ':') {
        memcpy(to, "_-_", 3);
        *ret_length = 3;
    } else {
        *ret_length = (size_t)snprintf(to, ESCAPE_MAX + 1, "_-h%02x", (unsigned char)c);
    }
    return 1;
}

haft__wire_name haft__wire_name_encode(haft_str name)
{
    haft__wire_name wire = {.len = 0};
    char piece[ESCAPE_MAX + 1];
    size_t length = 0, head = 0; /* length of the part that is kept if the name is hashed */
    for (size_t at = 0; at < name.len;) {
        at += encode_one(name, at, piece, &length);
        if (wire.len + length > HAFT__WIRE_NAME_BYTES) {
            uint64_t hash = haft__hash(wire_key, name);
            int tail = snprintf(wire.text + head, HASHED_TAIL + 1, "_-z%08x%08x",
                                (unsigned)(hash >> 32), (unsigned)(hash & UINT32_MAX));
            wire.len = (uint8_t)(head + (size_t)tail);
            return wire;
        }
        memcpy(wire.text + wire.len, piece, length);
        wire.len = (uint8_t)(wire.len + length);
        head = wire.len <= HASHED_HEAD ? wire.len : head;
    }
    wire.text[wire.len] = '\0';
    return wire;
}

/* Decodes the escape at the start of `s`. Returns its length; 0 if it is not an escape. */
static size_t decode_escape(haft_str s, char to[2], size_t *ret_length)
{
    char kind = s.len > 2 ? s.ptr[2] : '\0';
    *ret_length = 1;
    if (kind == '_') {
        to[0] = ':';
        return 3;
    }
    if (kind == 'u') {
        memcpy(to, "_-", 2);
        *ret_length = 2;
        return 3;
    }
    bool escape =
        kind == 'h' && s.len >= ESCAPE_MAX && haft__hex_read((haft_str){s.ptr + 3, 2}, to);
    return escape ? ESCAPE_MAX : 0;
}

void haft__wire_name_add(haft__buf *buf, haft_str name)
{
    haft__wire_name wire = haft__wire_name_encode(name);
    haft__buf_add_str(buf, haft__wire_name_str(&wire));
}

bool haft__wire_name_decode(haft_str wire, char to[HAFT__WIRE_NAME_BYTES], size_t *ret_length)
{
    size_t used = 0;
    if (wire.len == 0 || wire.len > HAFT__WIRE_NAME_BYTES) {
        return false;
    }
    for (haft_str rest = wire; rest.len > 0;) {
        size_t consumed = 1, written = 1;
        to[used] = rest.ptr[0];
        if (haft__str_starts_with(rest, HAFT__LIT("_-"))) {
            consumed = decode_escape(rest, to + used, &written);
        }
        if (consumed == 0) {
            return false;
        }
        used += written;
        rest = haft__str_skip(rest, consumed);
    }
    /* Rejects an escape of a byte that needs no escape, and an unescaped byte that needs an
     * escape. */
    haft__wire_name encoded = haft__wire_name_encode((haft_str){to, used});
    if (!haft__str_equal(haft__wire_name_str(&encoded), wire)) {
        return false;
    }
    *ret_length = used;
    return true;
}

const haft__tool *haft__wire_name_find_tool(const haft__tools *tools, haft_str wire)
{
    return haft__map_get(&tools->by_wire, wire);
}
