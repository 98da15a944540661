/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seal.c - EXPIRES.TEXT.MAC: a decimal number, hexadecimal digits, and the MAC over both and the
 * binding. Tests: tests/mcp/seal_test.c.
 */
#include "mcp/seal.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/hex.h"
#include "base/str.h"

#define BLOCK_BYTES 64

static void pad_key(const haft__seal_key *key, uint8_t with, uint8_t block[BLOCK_BYTES])
{
    memset(block, with, BLOCK_BYTES);
    for (size_t i = 0; i < HAFT__SEAL_KEY_BYTES; i++) {
        block[i] = (uint8_t)(key->bytes[i] ^ with);
    }
}

static haft_str view(const uint8_t *bytes, size_t count)
{
    return (haft_str){(const char *)bytes, count};
}

/* The MAC of several texts; it covers their lengths, so that moving a byte from one text to another
 * changes the MAC. */
static void hmac(const haft__seal_key *key, const haft_str *texts, size_t count,
                 uint8_t ret_digest[HAFT__SHA256_BYTES])
{
    uint8_t block[BLOCK_BYTES];
    haft__sha256 hash;
    haft__sha256_init(&hash);
    pad_key(key, 0x36, block);
    haft__sha256_add(&hash, view(block, sizeof(block)));
    for (size_t i = 0; i < count; i++) {
        char length[24];
        int digits = count > 1 ? snprintf(length, sizeof(length), "%zu:", texts[i].len) : 0;
        haft__sha256_add(&hash, (haft_str){length, (size_t)digits});
        haft__sha256_add(&hash, texts[i]);
    }
    haft__sha256_end(&hash, ret_digest);
    haft__sha256_init(&hash);
    pad_key(key, 0x5c, block);
    haft__sha256_add(&hash, view(block, sizeof(block)));
    haft__sha256_add(&hash, view(ret_digest, HAFT__SHA256_BYTES));
    haft__sha256_end(&hash, ret_digest);
}

void haft__seal_hmac(const haft__seal_key *key, haft_str bytes,
                     uint8_t ret_digest[HAFT__SHA256_BYTES])
{
    hmac(key, &bytes, 1, ret_digest);
}

bool haft__seal_equal(haft_str a, haft_str b)
{
    unsigned differ = a.len != b.len;
    size_t length = a.len < b.len ? a.len : b.len;
    for (size_t i = 0; i < length; i++) {
        differ |= (unsigned char)a.ptr[i] ^ (unsigned char)b.ptr[i];
    }
    return differ == 0;
}

static void add_hex(haft__buf *buf, haft_str bytes)
{
    char *to = haft__buf_reserve(buf, 2 * bytes.len);
    if (to != NULL) {
        haft__hex_write(to, bytes.ptr, bytes.len);
        haft__buf_advance(buf, 2 * bytes.len);
    }
}

void haft__seal_write(haft__buf *buf, const haft__seal_key *key, haft_str binding, haft_str text,
                      uint64_t expires_ms)
{
    char expires[24];
    uint8_t digest[HAFT__SHA256_BYTES];
    int length = snprintf(expires, sizeof(expires), "%" PRIu64, expires_ms);
    haft_str parts[] = {{expires, (size_t)length}, binding, text};
    hmac(key, parts, COUNT(parts), digest);
    haft__buf_add_str(buf, parts[0]);
    haft__buf_add_char(buf, '.');
    add_hex(buf, text);
    haft__buf_add_char(buf, '.');
    add_hex(buf, view(digest, sizeof(digest)));
}

static haft_status refuse(haft_error *err)
{
    return haft__fail(err, HAFT_BAD_INPUT, "",
                      "the state was not issued for this request, or it has expired");
}

haft_status haft__seal_open(haft__arena *arena, const haft__seal_key *key, haft_str binding,
                            haft_str sealed, uint64_t now_ms, haft_str *ret_text, haft_error *err)
{
    haft_str rest = sealed;
    haft_str expires = haft__str_split(&rest, '.'), digits = haft__str_split(&rest, '.');
    uint64_t until = 0;
    char mac[HAFT__SHA256_BYTES];
    uint8_t digest[HAFT__SHA256_BYTES];
    if (!haft__str_to_u64(expires, &until) || rest.len != 2 * sizeof(mac)
        || !haft__hex_read(rest, mac)) {
        return refuse(err);
    }
    char *text = haft__arena_alloc(arena, digits.len / 2 + 1);
    if (text == NULL) {
        return haft__arena_fail(arena, err);
    }
    if (!haft__hex_read(digits, text)) {
        return refuse(err);
    }
    haft_str parts[] = {expires, binding, {text, digits.len / 2}};
    hmac(key, parts, COUNT(parts), digest);
    if (!haft__seal_equal(view(digest, sizeof(digest)), (haft_str){mac, sizeof(mac)})
        || now_ms > until) {
        return refuse(err);
    }
    *ret_text = parts[2];
    return HAFT_OK;
}
