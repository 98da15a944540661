/* SPDX-License-Identifier: Apache-2.0 */
/*
 * characters.c - kinds of characters and their lower case: Latin, Greek and Cyrillic. Other scripts
 * stay unchanged. Tests: tests/tool/index/tokenizer_test.c.
 */
#include "tool/index/characters.h"

#include "base/ascii.h"
#include "base/macros.h"
#include "base/utf8.h"

typedef struct range {
    uint32_t first, last;
} range;

/* Han, kana, Hangul and similar scripts, which do not separate words by spaces. Sorted. */
static const range paired[] = {
    {0x1100, 0x11FF}, {0x3040, 0x30FF}, {0x3130, 0x318F}, {0x31F0, 0x31FF}, {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF}, {0xAC00, 0xD7A3}, {0xF900, 0xFAFF}, {0xFF66, 0xFF9D}, {0x20000, 0x323AF},
};

/* Punctuation, spaces, symbols, pictographs and code points without meaning. Sorted. */
static const range others[] = {
    {0x80, 0xA9},       {0xAB, 0xB4},        {0xB6, 0xB9},     {0xBB, 0xBF},     {0xD7, 0xD7},
    {0xF7, 0xF7},       {0x2B9, 0x2FF},      {0x37E, 0x37E},   {0x387, 0x387},   {0x55A, 0x55F},
    {0x589, 0x58A},     {0x5BE, 0x5C6},      {0x600, 0x61F},   {0x66A, 0x66D},   {0x6D4, 0x6D4},
    {0x700, 0x70D},     {0x964, 0x965},      {0xE3F, 0xE3F},   {0xE4F, 0xE4F},   {0xE5A, 0xE5B},
    {0x1680, 0x1680},   {0x2000, 0x206F},    {0x20A0, 0x20CF}, {0x2100, 0x2BFF}, {0x2E00, 0x2E7F},
    {0x3000, 0x303F},   {0x30FB, 0x30FB},    {0xD800, 0xF8FF}, {0xFE00, 0xFE0F}, {0xFE10, 0xFE6F},
    {0xFEFF, 0xFF0F},   {0xFF1A, 0xFF20},    {0xFF3B, 0xFF40}, {0xFF5B, 0xFF65}, {0xFFE0, 0xFFFF},
    {0x1F000, 0x1FAFF}, {0xE0000, 0x10FFFF},
};

/* U+00C0 to U+017F without accents; ' ' for a letter without a base letter. */
static const char latin[] = "AAAAAA CEEEEIIII NOOOOO OUUUUY  aaaaaa ceeeeiiii nooooo ouuuuy y"
                            "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIi  JjKk LlLlLlLlLl"
                            "NnNnNn   OoOoOo  RrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";

static bool is_among(uint32_t code, const range *ranges, size_t count)
{
    for (size_t i = 0; i < count && ranges[i].first <= code; i++) {
        if (code <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

static haft__search_character ascii(uint32_t code, size_t bytes)
{
    if (haft__ascii_is_lower(code)) {
        return (haft__search_character){HAFT__SEARCH_LOWER, code, bytes};
    }
    if (haft__ascii_is_upper(code)) {
        return (haft__search_character){HAFT__SEARCH_UPPER, code + 32, bytes};
    }
    bool digit = haft__ascii_is_digit(code);
    return (haft__search_character){digit ? HAFT__SEARCH_DIGIT : HAFT__SEARCH_OTHER, code, bytes};
}

/* The distance from a capital letter to its lower case; 0 if the code is not a capital. */
static uint32_t distance_to_small(uint32_t code)
{
    bool latin_one = code >= 0xC0 && code <= 0xDE && code != 0xD7;
    bool greek = code >= 0x391 && code <= 0x3A9;
    bool cyrillic = code >= 0x410 && code <= 0x42F;
    if (latin_one || greek || cyrillic) {
        return 32;
    }
    if (code >= 0x400 && code <= 0x40F) {
        return 80;
    }
    bool pairs = (code >= 0x100 && code <= 0x137) || (code >= 0x14A && code <= 0x177)
                 || (code >= 0x460 && code <= 0x481) || (code >= 0x48A && code <= 0x4BF)
                 || (code >= 0x4D0 && code <= 0x52F) || (code >= 0x1E00 && code <= 0x1EFF);
    return pairs && code % 2 == 0 ? 1 : 0;
}

static haft__search_character beyond_ascii(uint32_t code, size_t bytes)
{
    if (is_among(code, paired, COUNT(paired))) {
        return (haft__search_character){HAFT__SEARCH_BIGRAM, code, bytes};
    }
    if (is_among(code, others, COUNT(others))) {
        return (haft__search_character){HAFT__SEARCH_OTHER, code, bytes};
    }
    if (code >= 0x300 && code <= 0x36F) { /* combining accents */
        return (haft__search_character){HAFT__SEARCH_LOWER, 0, bytes};
    }
    if (code >= 0xFF10 && code <= 0xFF5A) { /* full-width forms */
        return ascii(code - 0xFEE0, bytes);
    }
    if (code >= 0xC0 && code <= 0x17F && latin[code - 0xC0] != ' ') {
        return ascii((unsigned char)latin[code - 0xC0], bytes);
    }
    uint32_t distance = distance_to_small(code);
    return (haft__search_character){distance > 0 ? HAFT__SEARCH_UPPER : HAFT__SEARCH_LOWER,
                                    code + distance, bytes};
}

haft__search_character haft__search_character_read(haft_str text)
{
    uint32_t code = 0;
    if (text.len == 0) {
        return (haft__search_character){HAFT__SEARCH_OTHER, 0, 0};
    }
    if ((unsigned char)*text.ptr < 0x80) {
        return ascii((unsigned char)*text.ptr, 1);
    }
    size_t bytes = haft__utf8_decode(text, &code);
    return bytes > 0 ? beyond_ascii(code, bytes)
                     : (haft__search_character){HAFT__SEARCH_OTHER, 0, 1};
}
