/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.c - SipHash-1-3 (Aumasson and Bernstein, 2012): one compression round per word, three at the
 * end. Resists chosen collisions in tables, and is cheap for short keys. Tests:
 * tests/base/hash_test.c.
 */
#include "base/hash.h"

#include <string.h>

typedef struct sip {
    uint64_t v0, v1, v2, v3;
} sip;

static uint64_t rotate(uint64_t x, unsigned by)
{
    return (x << by) | (x >> (64 - by));
}

static void sip_round(sip *s)
{
    s->v0 += s->v1;
    s->v2 += s->v3;
    s->v1 = rotate(s->v1, 13) ^ s->v0;
    s->v3 = rotate(s->v3, 16) ^ s->v2;
    s->v0 = rotate(s->v0, 32) + s->v3;
    s->v2 += s->v1;
    s->v1 = rotate(s->v1, 17) ^ s->v2;
    s->v3 = rotate(s->v3, 21) ^ s->v0;
    s->v2 = rotate(s->v2, 32);
}

/* Little-endian on every machine, so that a hash is the same everywhere. */
static uint64_t load_word(const unsigned char *p, size_t count)
{
    uint64_t word = 0;
    if (count == sizeof(word)) {
        memcpy(&word, p, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        return word;
    }
    for (size_t i = 0; i < count; i++) {
        word |= (uint64_t)p[i] << (8 * i);
    }
    return word;
}

uint64_t haft__hash(haft__hash_key key, haft_str s)
{
    sip state = {
        key.k0 ^ 0x736f6d6570736575U,
        key.k1 ^ 0x646f72616e646f6dU,
        key.k0 ^ 0x6c7967656e657261U,
        key.k1 ^ 0x7465646279746573U,
    };
    const unsigned char *p = (const unsigned char *)s.ptr;
    size_t left = s.len;
    for (; left >= 8; left -= 8, p += 8) {
        uint64_t word = load_word(p, 8);
        state.v3 ^= word;
        sip_round(&state);
        state.v0 ^= word;
    }
    uint64_t last = load_word(p, left) | (uint64_t)(s.len & 0xFF) << 56;
    state.v3 ^= last;
    sip_round(&state);
    state.v0 ^= last;
    state.v2 ^= 0xFF;
    for (int i = 0; i < 3; i++) {
        sip_round(&state);
    }
    return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}
