/* SPDX-License-Identifier: Apache-2.0 */
/* id.c - 128 bits as 26 characters, the first one of only three bits. Tests: tests/base/id_test.c.
 */
#include "base/id.h"

#include <string.h>

static const char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";

void haft__id_make(uint64_t ms, const uint8_t random[10], char to[HAFT__ID_LENGTH + 1])
{
    uint8_t bits[16];
    for (int i = 0; i < 6; i++) {
        bits[i] = (uint8_t)(ms >> (8 * (5 - i)));
    }
    memcpy(bits + 6, random, 10);
    /* 26 characters hold 130 bits: the number stands behind two zero bits. */
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
