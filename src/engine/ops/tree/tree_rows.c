/* SPDX-License-Identifier: Apache-2.0 */
/* tree_rows.c - see tree_rows.h. Tests: tests/engine/ops/tree/tree_rows_test.c. */
#include "engine/ops/tree/tree_rows.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"

#define NO_RUN SIZE_MAX

/* The links of a run to other runs of the list, as indices. */
typedef struct links {
    size_t parent, first_child, next;
} links;

/* Compares ids by their bytes; all ids have the same length. */
static int compare_ids(haft_str a, haft_str b)
{
    size_t shorter = a.len < b.len ? a.len : b.len;
    int order = shorter > 0 ? memcmp(a.ptr, b.ptr, shorter) : 0;
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/* Finds a run by its id. The list is in descending order of ids. */
static size_t find_run(const haft__run_list *runs, haft_str id)
{
    size_t low = 0, high = runs->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_ids(runs->items[middle].id, id);
        if (order == 0) {
            return middle;
        }
        if (order > 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NO_RUN;
}

/* Links each run to its parent. Children are added from the newest to the oldest, each before the
 * children that are already linked. */
static void link_runs(const haft__run_list *runs, links *all)
{
    for (size_t i = 0; i < runs->count; i++) {
        all[i] = (links){.parent = NO_RUN, .first_child = NO_RUN, .next = NO_RUN};
    }
    for (size_t i = 0; i < runs->count; i++) {
        const haft__store_run *run = &runs->items[i];
        size_t parent = haft__store_run_is_child(run) ? find_run(runs, run->parent) : NO_RUN;
        if (parent != NO_RUN && parent > i) { /* prevents cycles: a run is older than its
                                               * children */
            all[i].parent = parent;
            all[i].next = all[parent].first_child;
            all[parent].first_child = i;
        }
    }
}

/* The next run of the tree: the first child; else the next sibling of the run, or of the nearest
 * run above that has one. */
static size_t next_in_tree(const links *all, size_t at, uint32_t *depth)
{
    if (all[at].first_child != NO_RUN) {
        ++*depth;
        return all[at].first_child;
    }
    while (at != NO_RUN && all[at].next == NO_RUN) {
        at = all[at].parent;
        *depth -= *depth > 0;
    }
    return at != NO_RUN ? all[at].next : NO_RUN;
}

haft_status haft__tree_rows_arrange(haft__arena *arena, const haft__run_list *runs, uint64_t roots,
                                    haft__run_list *ret_runs, const uint32_t **ret_depths,
                                    haft_error *err)
{
    links *all = haft__arena_array(arena, runs->count, sizeof(*all));
    haft__store_run *rows = haft__arena_array(arena, runs->count, sizeof(*rows));
    uint32_t *depths = haft__arena_array(arena, runs->count, sizeof(*depths));
    size_t count = 0;
    if (all == NULL || rows == NULL || depths == NULL) {
        return haft__arena_fail(arena, err);
    }
    link_runs(runs, all);
    for (size_t root = 0; root < runs->count && roots > 0; root++) {
        uint32_t depth = 0;
        if (all[root].parent != NO_RUN) {
            continue;
        }
        roots--;
        for (size_t at = root; at != NO_RUN; at = next_in_tree(all, at, &depth)) {
            depths[count] = depth;
            rows[count++] = runs->items[at];
        }
    }
    *ret_runs = (haft__run_list){.items = rows, .count = count};
    *ret_depths = depths;
    return HAFT_OK;
}

/* ---- from a store ---- */

static uint64_t count_roots(const haft__run_list *runs)
{
    uint64_t roots = 0;
    for (size_t i = 0; i < runs->count; i++) {
        roots += !haft__store_run_is_child(&runs->items[i]);
    }
    return roots;
}

/* Appends the next page. *ret_last is true if no run follows. */
static haft_status read_page(haft_runtime *runtime, haft__arena *arena, bool open_only,
                             haft__store_run **runs, size_t *count, size_t *capacity,
                             bool *ret_last, haft_error *err)
{
    haft__run_list_filter filter = {.thread = HAFT__LIT(""), .open_only = open_only};
    haft__run_list page;
    filter.before = *count > 0 ? (*runs)[*count - 1].id : HAFT__LIT("");
    haft_status status = haft__run_list_read(runtime, arena, &filter, &page, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__store_run *all =
        haft__vec_reserve_in(arena, *runs, *count, capacity, *count + page.count, sizeof(*all));
    if (all == NULL && page.count > 0) {
        return haft__arena_fail(arena, err);
    }
    *runs = all != NULL ? all : *runs;
    for (size_t i = 0; i < page.count; i++) {
        (*runs)[(*count)++] = page.items[i];
    }
    *ret_last = page.count < HAFT__LIMIT_STORE_LIST;
    return HAFT_OK;
}

/* Reads pages until there are enough roots. All runs below these roots are then also read, because
 * a run is older than its children. */
haft_status haft__tree_rows_read(haft_runtime *runtime, haft__arena *arena, uint64_t limit,
                                 bool open_only, haft__run_list *ret_runs,
                                 const uint32_t **ret_depths, haft_error *err)
{
    haft__store_run *runs = NULL;
    size_t count = 0, capacity = 0;
    bool last = false;
    haft_status status = HAFT_OK;
    uint64_t roots = 0;
    limit = limit == 0 || limit > HAFT__LIMIT_STORE_LIST ? HAFT__LIMIT_STORE_LIST : limit;
    while (status == HAFT_OK && !last && roots < limit) {
        size_t before = count;
        status = read_page(runtime, arena, open_only, &runs, &count, &capacity, &last, err);
        const haft__run_list page = {.items = runs + before, .count = count - before};
        roots += count > before ? count_roots(&page) : 0;
    }
    const haft__run_list all = {.items = runs, .count = count};
    return status == HAFT_OK
               ? haft__tree_rows_arrange(arena, &all, limit, ret_runs, ret_depths, err)
               : status;
}
