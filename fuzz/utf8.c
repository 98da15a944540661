/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes src/base/utf8.c: the functions agree with each other on every input. */
#include "base/utf8.h"

#include <string.h>

#include "base/str.h"
#include "fuzz.h"

/* The length of the valid prefix, by decoding one code point after the other. */
static size_t decode_all(haft_str s)
{
    size_t at = 0;
    while (at < s.len) {
        uint32_t code;
        char again[HAFT__UTF8_MAX_BYTES];
        size_t length = haft__utf8_decode(haft__str_skip(s, at), &code);
        if (length == 0) {
            break;
        }
        REQUIRE(haft__utf8_encode(code, again) == length);
        REQUIRE(memcmp(again, s.ptr + at, length) == 0);
        at += length;
    }
    return at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_str s = {(const char *)data, size};
    size_t valid = haft__utf8_valid_prefix(s);
    REQUIRE(valid == decode_all(s));
    size_t length = haft__utf8_length(s);
    REQUIRE(haft__utf8_offset(s, length) == size);
    REQUIRE(length == 0 || haft__utf8_offset(s, length - 1) < size);
    if (valid < size && haft__utf8_incomplete(haft__str_skip(s, valid))) {
        REQUIRE(size - valid < HAFT__UTF8_MAX_BYTES);
    }
    char *text = malloc(size > 0 ? size : 1);
    REQUIRE(text != NULL);
    memcpy(text, data, size);
    haft__utf8_replace_invalid(text, size);
    REQUIRE(haft__utf8_valid((haft_str){text, size}));
    REQUIRE(memcmp(text, data, valid) == 0);
    free(text);
    return 0;
}
