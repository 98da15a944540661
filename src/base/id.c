/* SPDX-License-Identifier: Apache-2.0 */
/* id.c - ids of 128 bits as 26 characters; the first character has only three bits. Tests:
 * tests/base/id_test.c. */
#include "base/id.h"

#include <string.h>

#include "base/ascii.h"
#include "base/hash.h"

static const char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";

void haft__id_make(uint64_t ms, const uint8_t random[10], char to[HAFT__ID_LENGTH + 1])
{
    uint8_t bits[16];
    for (int i = 0; i < 6; i++) {
        bits[i] = (uint8_t)(ms >> (8 * (5 - i)));
    }
    memcpy(bits + 6, random, 10);
    /* 26 characters have 130 bits: two zero bits, then the number. */
    for (int i = 0; i < HAFT__ID_LENGTH; i++) {
        unsigned value = 0;
        for (int k = 0; k < 5; k++) {
            int bit = 5 * i + k - 2;
            unsigned set = bit < 0 ? 0 : (bits[bit / 8] >> (7 - bit % 8)) & 1U;
            value = value << 1 | set;
        }
        to[i] = alphabet[value];
    }
    to[HAFT__ID_LENGTH] = '\0';
}

/* Increases the id by an unpredictable amount. */
static void step(haft__id_last *last, const uint8_t random[10])
{
    unsigned carry = 1;
    for (int i = 9; i >= 0; i--) {
        unsigned sum = last->random[i] + (i >= 6 ? random[i] : 0U) + carry;
        last->random[i] = (uint8_t)sum;
        carry = sum >> 8;
    }
    last->ms += carry;
}

void haft__id_next(haft__id_last *io_last, uint64_t ms, const uint8_t random[10],
                   char to[HAFT__ID_LENGTH + 1])
{
    if (ms > io_last->ms) {
        io_last->ms = ms;
        memcpy(io_last->random, random, sizeof(io_last->random));
    } else {
        step(io_last, random);
    }
    haft__id_make(io_last->ms, io_last->random, to);
}

bool haft__id_valid(haft_str text)
{
    if (text.len != HAFT__ID_LENGTH || text.ptr[0] > '7') {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (memchr(alphabet, text.ptr[i], sizeof(alphabet) - 1) == NULL) {
            return false;
        }
    }
    return true;
}

/* ---- short ids ---- */

/* A constant, because short ids must be the same on every machine and in every run. */
static const haft__hash_key short_key = {0x63616c6c20696473U, 0x6f66206e696e6520U};

void haft__id_short(haft_str id, char to[HAFT__ID_SHORT_LENGTH])
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    bool plain = id.len == HAFT__ID_SHORT_LENGTH;
    for (size_t i = 0; plain && i < id.len; i++) {
        plain = haft__ascii_is_alphanumeric(id.ptr[i]);
    }
    if (plain) {
        memcpy(to, id.ptr, HAFT__ID_SHORT_LENGTH);
        return;
    }
    uint64_t hash = haft__hash(short_key, id);
    for (size_t i = 0; i < HAFT__ID_SHORT_LENGTH; i++, hash /= sizeof(digits) - 1) {
        to[i] = digits[hash % (sizeof(digits) - 1)];
    }
}
