/* SPDX-License-Identifier: Apache-2.0 */
/*
 * word_vectors.c - reads a table of word vectors in place, without a copy. Every offset is checked
 * once, when the table is opened. Tests: tests/tool/index/word_vectors_test.c.
 */
#include "tool/index/word_vectors.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"

#define HEAD_BYTES 32U
#define FNV_START  0xcbf29ce484222325U
#define FNV_PRIME  0x100000001b3U

static const char magic[8] = {'h', 'a', 'f', 't', 'v', 'e', 'c', '1'};

static uint32_t read_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint64_t read_u64(const uint8_t *at)
{
    return (uint64_t)read_u32(at) | (uint64_t)read_u32(at + 4) << 32;
}

static uint64_t checksum(const uint8_t *bytes, size_t length)
{
    uint64_t sum = FNV_START;
    for (size_t i = 0; i + 8 <= length; i += 8) {
        sum = (sum ^ read_u64(bytes + i)) * FNV_PRIME;
    }
    return sum;
}

static uint64_t round_up(uint64_t size)
{
    return (size + 7) & ~(uint64_t)7;
}

static haft_status fail_table(haft_error *err, const char *what)
{
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "", "not a valid table of vectors: %s", what);
    return haft__hint(err, status, "create one with scripts/make-vectors");
}

static haft_status check_offsets(const haft__search_word_vectors *vectors, haft_error *err)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i <= vectors->count; i++) {
        uint32_t at = read_u32(vectors->offsets + (size_t)i * 4);
        if (at < before || at > vectors->text.len || (i == 0 && at != 0)) {
            return fail_table(err, "a word lies outside the text");
        }
        before = at;
    }
    return HAFT_OK;
}

haft_status haft__search_word_vectors_open(haft_str bytes, haft__search_word_vectors *ret_vectors,
                                           haft_error *err)
{
    const uint8_t *head = (const uint8_t *)bytes.ptr;
    if (bytes.len < HEAD_BYTES || memcmp(head, magic, sizeof(magic)) != 0) {
        return fail_table(err, "it does not start with \"haftvec1\"");
    }
    uint64_t count = read_u32(head + 8), dimensions = read_u32(head + 12);
    uint64_t text = read_u32(head + 16);
    if (count == 0 || count > HAFT__LIMIT_SEARCH_VECTORS || dimensions == 0
        || dimensions > HAFT__SEARCH_DIMENSIONS) {
        return fail_table(err, "its counts are not valid");
    }
    uint64_t vectors_at = HEAD_BYTES + round_up((count + 1) * 4 + text);
    if (vectors_at + round_up(count * dimensions) != bytes.len) {
        return fail_table(err, "its length does not match its header");
    }
    if (checksum(head + HEAD_BYTES, bytes.len - HEAD_BYTES) != read_u64(head + 24)) {
        return fail_table(err, "its checksum does not match");
    }
    haft__search_word_vectors made = {
        .count = (uint32_t)count,
        .dimensions = (uint32_t)dimensions,
        .offsets = head + HEAD_BYTES,
        .text = {bytes.ptr + HEAD_BYTES + (count + 1) * 4, text},
        .vectors = (const int8_t *)head + vectors_at,
    };
    haft_status status = check_offsets(&made, err);
    if (status == HAFT_OK) {
        *ret_vectors = made;
    }
    return status;
}

const int8_t *haft__search_word_vectors_find(const haft__search_word_vectors *vectors,
                                             haft_str stem)
{
    uint32_t low = 0, high = vectors->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const uint8_t *at = vectors->offsets + (size_t)middle * 4;
        uint32_t start = read_u32(at), end = read_u32(at + 4);
        int order = haft__str_compare((haft_str){vectors->text.ptr + start, end - start}, stem);
        if (order == 0) {
            return vectors->vectors + (size_t)middle * vectors->dimensions;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}
