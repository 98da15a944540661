/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sort_keys.c - merge sort on indices: no input makes it slow, and members are not moved. Tests:
 * tests/json/sort_keys_test.c.
 */
#include "json/sort_keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* Whether the member `a` comes after the member `b`. */
static bool is_after(const haft__json_member *members, uint32_t a, uint32_t b)
{
    haft_str a_key = haft__json_text(members[a].key), b_key = haft__json_text(members[b].key);
    return haft__str_compare(a_key, b_key) > 0;
}

/* Merges from[0..middle) and from[middle..count), each in order, to to[0..count). */
static void merge(const haft__json_member *members, const uint32_t *from, size_t middle,
                  size_t count, uint32_t *to)
{
    if (middle == count || !is_after(members, from[middle - 1], from[middle])) {
        memcpy(to, from, count * sizeof(*to)); /* in order already */
        return;
    }
    size_t left = 0, right = middle;
    for (size_t i = 0; i < count; i++) {
        bool take_right =
            left == middle || (right < count && is_after(members, from[left], from[right]));
        to[i] = from[take_right ? right++ : left++];
    }
}

/* Sorts `order`; `scratch` has room for as many indices. */
static void sort(const haft__json_member *members, uint32_t *order, uint32_t *scratch, size_t count)
{
    uint32_t *from = order, *to = scratch;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t at = 0; at < count; at += 2 * width) {
            size_t rest = count - at;
            size_t length = rest < 2 * width ? rest : 2 * width;
            merge(members, from + at, rest < width ? rest : width, length, to + at);
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != order) {
        memcpy(order, from, count * sizeof(*order));
    }
}

uint32_t *haft__json_sort_keys(const haft__json_member *members, uint32_t count)
{
    /* Two arrays in one allocation: the result, and room to merge into. */
    uint32_t *order = malloc((count > 0 ? count : 1) * 2 * sizeof(*order));
    if (order == NULL) {
        return NULL;
    }
    bool sorted = true;
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
        sorted = sorted && (i == 0 || !is_after(members, i - 1, i));
    }
    if (!sorted) {
        sort(members, order, order + count, count);
    }
    return order;
}
