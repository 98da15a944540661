/* SPDX-License-Identifier: Apache-2.0 */
/* sorted_array.c - a sorted array of pointers. Tests: tests/store/memory/sorted_array_test.c. */
#include "store/memory/sorted_array.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"

void haft__sorted_array_init(haft__sorted_array *sorted,
                             int (*compare)(const void *key, const void *item))
{
    *sorted = (haft__sorted_array){.compare = compare};
}

void haft__sorted_array_finish(haft__sorted_array *sorted)
{
    free(sorted->items);
    *sorted = (haft__sorted_array){.compare = sorted->compare};
}

size_t haft__sorted_array_lower_bound(const haft__sorted_array *sorted, const void *key,
                                      bool *ret_found)
{
    size_t low = 0, high = sorted->count;
    *ret_found = false;
    while (low < high) {
        /* Compare with the last item first: most keys belong there. */
        size_t middle = high == sorted->count ? high - 1 : low + (high - low) / 2;
        int order = sorted->compare(key, sorted->items[middle]);
        if (order > 0) {
            low = middle + 1;
        } else {
            high = middle;
            *ret_found = *ret_found || order == 0;
        }
    }
    return low;
}

void *haft__sorted_array_get(const haft__sorted_array *sorted, const void *key)
{
    bool found;
    size_t at = haft__sorted_array_lower_bound(sorted, key, &found);
    return found ? sorted->items[at] : NULL;
}

haft_status haft__sorted_array_reserve(haft__sorted_array *sorted, haft_error *err)
{
    void **items =
        haft__vec_reserve(sorted->items, &sorted->capacity, sorted->count + 1, sizeof(void *));
    if (items == NULL) {
        return haft__fail_no_memory(err);
    }
    sorted->items = items;
    return HAFT_OK;
}

void haft__sorted_array_insert(haft__sorted_array *sorted, size_t at, void *item)
{
    memmove(sorted->items + at + 1, sorted->items + at, (sorted->count - at) * sizeof(void *));
    sorted->items[at] = item;
    sorted->count++;
}

void haft__sorted_array_remove(haft__sorted_array *sorted, size_t at)
{
    sorted->count--;
    memmove(sorted->items + at, sorted->items + at + 1, (sorted->count - at) * sizeof(void *));
}

void haft__sorted_array_filter(haft__sorted_array *sorted, bool (*keep)(void *item, void *context),
                               void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < sorted->count; i++) {
        if (keep(sorted->items[i], context)) {
            sorted->items[kept++] = sorted->items[i];
        }
    }
    sorted->count = kept;
}
