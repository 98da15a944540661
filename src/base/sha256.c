/* SPDX-License-Identifier: Apache-2.0 */
/* sha256.c - SHA-256, FIPS 180-4 section 6.2. Tests: tests/base/sha256_test.c. */
#include "base/sha256.h"

#include <string.h>

#include "base/hex.h"
#include "base/macros.h"

#define BLOCK 64U

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98U, 0x71374491U, 0xb5c0fbcfU, 0xe9b5dba5U, 0x3956c25bU, 0x59f111f1U, 0x923f82a4U,
    0xab1c5ed5U, 0xd807aa98U, 0x12835b01U, 0x243185beU, 0x550c7dc3U, 0x72be5d74U, 0x80deb1feU,
    0x9bdc06a7U, 0xc19bf174U, 0xe49b69c1U, 0xefbe4786U, 0x0fc19dc6U, 0x240ca1ccU, 0x2de92c6fU,
    0x4a7484aaU, 0x5cb0a9dcU, 0x76f988daU, 0x983e5152U, 0xa831c66dU, 0xb00327c8U, 0xbf597fc7U,
    0xc6e00bf3U, 0xd5a79147U, 0x06ca6351U, 0x14292967U, 0x27b70a85U, 0x2e1b2138U, 0x4d2c6dfcU,
    0x53380d13U, 0x650a7354U, 0x766a0abbU, 0x81c2c92eU, 0x92722c85U, 0xa2bfe8a1U, 0xa81a664bU,
    0xc24b8b70U, 0xc76c51a3U, 0xd192e819U, 0xd6990624U, 0xf40e3585U, 0x106aa070U, 0x19a4c116U,
    0x1e376c08U, 0x2748774cU, 0x34b0bcb5U, 0x391c0cb3U, 0x4ed8aa4aU, 0x5b9cca4fU, 0x682e6ff3U,
    0x748f82eeU, 0x78a5636fU, 0x84c87814U, 0x8cc70208U, 0x90befffaU, 0xa4506cebU, 0xbef9a3f7U,
    0xc67178f2U,
};

static uint32_t rotate(uint32_t x, unsigned by)
{
    return x >> by | x << (32 - by);
}

/* Expands a block to the message schedule of 64 words. */
static void expand_block(const uint8_t *block, uint32_t words[64])
{
    for (size_t i = 0; i < 16; i++) {
        const uint8_t *p = block + 4 * i;
        words[i] =
            (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
    }
    for (size_t i = 16; i < 64; i++) {
        uint32_t a = words[i - 15], b = words[i - 2];
        uint32_t low = rotate(a, 7) ^ rotate(a, 18) ^ a >> 3;
        uint32_t high = rotate(b, 17) ^ rotate(b, 19) ^ b >> 10;
        words[i] = words[i - 16] + low + words[i - 7] + high;
    }
}

/* One round, with the variable names of the standard. It changes only d and h. Instead of moving
 * the eight words, the caller passes them in rotated order to the next round. */
static inline void apply_round(uint32_t a, uint32_t b, uint32_t c, uint32_t *d, uint32_t e,
                               uint32_t f, uint32_t g, uint32_t *h, uint32_t more)
{
    uint32_t choose = g ^ (e & (f ^ g)), majority = (a & b) | (c & (a | b));
    uint32_t one = *h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choose + more;
    *d += one;
    *h = one + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
}

static void add_block(uint32_t state[8], const uint8_t *block)
{
    uint32_t words[64];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    expand_block(block, words);
    for (size_t i = 0; i < 64; i += 8) {
        const uint32_t *k = constants + i, *w = words + i;
        apply_round(a, b, c, &d, e, f, g, &h, k[0] + w[0]);
        apply_round(h, a, b, &c, d, e, f, &g, k[1] + w[1]);
        apply_round(g, h, a, &b, c, d, e, &f, k[2] + w[2]);
        apply_round(f, g, h, &a, b, c, d, &e, k[3] + w[3]);
        apply_round(e, f, g, &h, a, b, c, &d, k[4] + w[4]);
        apply_round(d, e, f, &g, h, a, b, &c, k[5] + w[5]);
        apply_round(c, d, e, &f, g, h, a, &b, k[6] + w[6]);
        apply_round(b, c, d, &e, f, g, h, &a, k[7] + w[7]);
    }
    const uint32_t made[8] = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < 8; i++) {
        state[i] += made[i];
    }
}

void haft__sha256_init(haft__sha256 *hash)
{
    /* The first 32 bits of the fractional parts of the square roots of the first 8 primes. */
    static const uint32_t start[8] = {0x6a09e667U, 0xbb67ae85U, 0x3c6ef372U, 0xa54ff53aU,
                                      0x510e527fU, 0x9b05688cU, 0x1f83d9abU, 0x5be0cd19U};
    *hash = (haft__sha256){.length = 0};
    memcpy(hash->state, start, sizeof(start));
}

void haft__sha256_add(haft__sha256 *hash, haft_str bytes)
{
    const uint8_t *from = (const uint8_t *)bytes.ptr;
    size_t left = bytes.len, held = hash->length % BLOCK;
    hash->length += bytes.len;
    while (left > 0) {
        if (held == 0 && left >= BLOCK) {
            add_block(hash->state, from);
            from += BLOCK;
            left -= BLOCK;
            continue;
        }
        size_t take = BLOCK - held < left ? BLOCK - held : left;
        memcpy(hash->block + held, from, take);
        from += take;
        left -= take;
        held = (held + take) % BLOCK;
        if (held == 0) {
            add_block(hash->state, hash->block);
        }
    }
}

void haft__sha256_end(haft__sha256 *hash, uint8_t ret_digest[HAFT__SHA256_BYTES])
{
    static const char padding[BLOCK] = {(char)0x80};
    uint64_t bits = hash->length * 8;
    size_t held = hash->length % BLOCK;
    haft__sha256_add(hash, (haft_str){padding, held < 56 ? 56 - held : 120 - held});
    char length[8];
    for (size_t i = 0; i < 8; i++) {
        length[i] = (char)(uint8_t)(bits >> (56 - 8 * i));
    }
    haft__sha256_add(hash, (haft_str){length, sizeof(length)});
    for (size_t i = 0; i < HAFT__SHA256_BYTES; i++) {
        ret_digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
    }
}

void haft__sha256_hex(haft_str bytes, char ret_hex[HAFT__SHA256_HEX])
{
    haft__sha256 hash;
    uint8_t digest[HAFT__SHA256_BYTES];
    haft__sha256_init(&hash);
    haft__sha256_add(&hash, bytes);
    haft__sha256_end(&hash, digest);
    haft__hex_write(ret_hex, digest, sizeof(digest));
}
