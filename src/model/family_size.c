/* SPDX-License-Identifier: Apache-2.0 */
/* family_size.c - the size of a model, from its name. Tests: tests/model/family_size_test.c. */
#include "model/families.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"

#define THOUSAND UINT64_C(1000)
#define MOST     UINT64_C(1000000000) /* millions: a larger number is not a size */

static bool is_digit(haft_str s, size_t at)
{
    return at < s.len && haft__ascii_is_digit(s.ptr[at]);
}

static char letter(haft_str s, size_t at)
{
    char c = at < s.len ? s.ptr[at] : '\0';
    return haft__ascii_lower(c);
}

static bool is_letter(haft_str s, size_t at)
{
    return haft__ascii_is_lower(letter(s, at));
}

/* Reads digits and up to three decimals, in thousandths; further decimals are skipped. */
static uint64_t read_number(haft_str s, size_t *io_at)
{
    size_t at = *io_at;
    uint64_t number = 0, unit = THOUSAND;
    for (; is_digit(s, at); at++) {
        number = number < MOST ? number * 10 + (uint64_t)(s.ptr[at] - '0') : MOST;
    }
    number *= THOUSAND;
    if (letter(s, at) == '.' && is_digit(s, at + 1)) {
        for (at++; is_digit(s, at); at++) {
            unit /= 10;
            number += unit * (uint64_t)(s.ptr[at] - '0');
        }
    }
    *io_at = at;
    return number;
}

/* 17B-16E: 16 experts of a model that is larger than its name says. */
static bool has_experts(haft_str s, size_t at)
{
    if (letter(s, at) != '-' || !is_digit(s, at + 1)) {
        return false;
    }
    for (at++; is_digit(s, at); at++) {
    }
    return letter(s, at) == 'e' && !is_letter(s, at + 1);
}

/* A size that begins here, or 0. */
static uint64_t read_size(haft_str s, size_t at)
{
    uint64_t number = read_number(s, &at);
    if (letter(s, at) == 'x' && is_digit(s, at + 1)) {
        at++;
        uint64_t each = read_number(s, &at);
        number = number < MOST && each < MOST ? number * each / THOUSAND : MOST;
    }
    char unit = letter(s, at);
    bool over = !is_letter(s, at + 1) && !is_digit(s, at + 1) && !has_experts(s, at + 1);
    if (!over || number >= MOST) {
        return 0;
    }
    switch (unit) {
    case 'm': return number / THOUSAND;
    case 'b': return number;
    case 't': return number * THOUSAND < MOST ? number * THOUSAND : 0;
    default: return 0;
    }
}

/* Whether a number starts here. No letter may precede it, except the E of E4B. */
static bool begins_here(haft_str s, size_t at)
{
    if (!is_digit(s, at)) {
        return false;
    }
    if (at == 0) {
        return true;
    }
    if (letter(s, at - 1) == 'e') {
        return at == 1 || (!is_letter(s, at - 2) && !is_digit(s, at - 2));
    }
    bool fraction = s.ptr[at - 1] == '.' && at > 1 && is_digit(s, at - 2);
    return !fraction && !is_letter(s, at - 1) && !is_digit(s, at - 1);
}

/* Reads the last part of a path that has a size. */
uint64_t haft__family_size_of_name(haft_str name)
{
    uint64_t found = 0;
    if (name.len > HAFT__LIMIT_MODEL_NAME_BYTES) {
        return 0;
    }
    bool in_part = false; /* `found` is from this part */
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == '/' || name.ptr[i] == '\\') {
            in_part = false;
        } else if (!in_part && begins_here(name, i)) {
            uint64_t size = read_size(name, i);
            in_part = size > 0;
            found = in_part ? size : found;
        }
    }
    return found;
}

void haft__family_add_size(haft__buf *buf, uint64_t millions)
{
    uint64_t fraction = millions % THOUSAND;
    haft__buf_addf(buf, "%llu", (unsigned long long)(millions / THOUSAND));
    if (fraction > 0) {
        char digits[8];
        int length = snprintf(digits, sizeof(digits), "%03u", (unsigned)fraction);
        while (length > 0 && digits[length - 1] == '0') {
            length--;
        }
        haft__buf_addf(buf, ".%.*s", length, digits);
    }
}
