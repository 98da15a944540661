/* SPDX-License-Identifier: Apache-2.0 */
/* vec.c - growing arrays. Tests: tests/base/vec_test.c. */
#include "base/vec.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 4U

/* Twice the capacity, or `required` if it is more. */
static size_t next_capacity(size_t capacity, size_t required)
{
    size_t doubled = capacity > SIZE_MAX / 2 ? required : 2 * capacity;
    doubled = doubled > FIRST_CAPACITY ? doubled : FIRST_CAPACITY;
    return doubled > required ? doubled : required;
}

void *haft__vec_grow(void *items, size_t *io_capacity, size_t required, size_t item_size)
{
    size_t bytes;
    assert(required > *io_capacity);
    size_t capacity = next_capacity(*io_capacity, required);
    if (__builtin_mul_overflow(capacity, item_size, &bytes)) {
        return NULL;
    }
    void *grown = realloc(items, bytes);
    if (grown != NULL) {
        *io_capacity = capacity;
    }
    return grown;
}

void *haft__vec_reserve_in(haft__arena *arena, void *items, size_t count, size_t *io_capacity,
                           size_t required, size_t item_size)
{
    assert(count <= *io_capacity);
    if (required <= *io_capacity) {
        return items;
    }
    size_t capacity = next_capacity(*io_capacity, required);
    void *grown = haft__arena_array(arena, capacity, item_size);
    if (grown != NULL) {
        if (count > 0) {
            memcpy(grown, items, count * item_size);
        }
        *io_capacity = capacity;
    }
    return grown;
}
