/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.c - searches text 16 bytes at a time with portable vector code.
 *
 * A literal is found by its two rarest bytes: if both match, the rest is compared. Tests:
 * tests/exec/files/scan_test.c.
 */
#include "exec/files/scan.h"

#include <string.h>

#define LANES 16
#define STEP  ((size_t)2 * LANES) /* fewer checks for a match */

/* Sixteen bytes processed together; the compiler emits scalar code where necessary. */
typedef unsigned char lanes __attribute__((vector_size(LANES)));

static lanes load(const char *text)
{
    lanes result;
    memcpy(&result, text, LANES);
    return result;
}

static bool has_any(lanes flags)
{
    uint64_t halves[2];
    memcpy(halves, &flags, LANES);
    return (halves[0] | halves[1]) != 0;
}

/* ---- line feeds ---- */

static size_t sum(lanes counts)
{
    size_t total = 0;
    for (size_t i = 0; i < LANES; i++) {
        total += counts[i];
    }
    return total;
}

size_t haft__scan_line_feeds(haft_str text)
{
    size_t count = 0, at = 0;
    while (text.len - at >= STEP) {
        lanes even = {0}, odd = {0};
        for (size_t i = 0; i < UINT8_MAX && text.len - at >= STEP; i++) {
            even -= (lanes)(load(text.ptr + at) == '\n'); /* -1 for each line feed */
            odd -= (lanes)(load(text.ptr + at + LANES) == '\n');
            at += STEP;
        }
        count += sum(even) + sum(odd);
    }
    for (; at < text.len; at++) {
        count += text.ptr[at] == '\n';
    }
    return count;
}

/* ---- literals ---- */

static bool matches_at(const haft__literal *literal, haft_str text, size_t at)
{
    if (text.len - at < literal->length) {
        return false;
    }
    for (size_t i = 0; i < literal->length; i++) {
        if (((unsigned char)text.ptr[at + i] | literal->ignored[i]) != literal->text[i]) {
            return false;
        }
    }
    return true;
}

/* Checks each position; `end` if no literal begins before it. */
static size_t find_scalar(const haft__literals *literals, haft_str text, size_t from, size_t end)
{
    for (size_t at = from; at < end; at++) {
        for (size_t i = 0; i < literals->count; i++) {
            if (matches_at(&literals->items[i], text, at)) {
                return at;
            }
        }
    }
    return end;
}

/* A byte to search for, and its ignored bits. */
typedef struct mark {
    size_t offset;
    lanes byte, ignored;
} mark;

static mark make_mark(const haft__literal *literal, size_t which)
{
    size_t offset = literal->rare[which];
    return (mark){.offset = offset,
                  .byte = (lanes){0} + literal->text[offset],
                  .ignored = (lanes){0} + literal->ignored[offset]};
}

static lanes compare(const mark *m, const char *text)
{
    return (lanes)((load(text + m->offset) | m->ignored) == m->byte);
}

/* Finds both marks of a literal in the next STEP bytes: all flags are zero if there is no match. */
static lanes compare_twice(const mark marks[2], const char *text)
{
    return (compare(&marks[0], text) & compare(&marks[1], text))
           | (compare(&marks[0], text + LANES) & compare(&marks[1], text + LANES));
}

size_t haft__scan_literals(const haft__literals *literals, haft_str text, size_t from)
{
    mark marks[HAFT__LITERALS_MAX][2] = {0};
    size_t at = from, count = literals->count;
    for (size_t i = 0; i < count; i++) {
        marks[i][0] = make_mark(&literals->items[i], 0);
        marks[i][1] = make_mark(&literals->items[i], 1);
    }
    for (; text.len - at >= STEP + HAFT__LITERAL_BYTES; at += STEP) {
        lanes found = compare_twice(marks[0], text.ptr + at);
        for (size_t i = 1; i < count; i++) {
            found |= compare_twice(marks[i], text.ptr + at);
        }
        if (has_any(found)) {
            size_t place = find_scalar(literals, text, at, at + STEP);
            if (place < at + STEP) {
                return place;
            }
        }
    }
    return find_scalar(literals, text, at, text.len);
}
