/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skip.c - the set of runs that could not continue in this process, each with the time until which
 * it is skipped.
 *
 * Each failed attempt doubles the time. If the set is full, a new entry replaces the entry that
 * would expire first. The store offers a released run after all others, so that failing runs do not
 * block other runs even if the set is too small. Tests: tests/engine/worker/worker_test.c.
 */
#include "base/limits.h"
#include "base/str.h"
#include "engine/worker/worker_int.h"

static haft__skipped_run *find(haft__skip_set *skips, const char *id)
{
    size_t at = 0;
    while (at < skips->count && strcmp(skips->items[at].id, id) != 0) {
        at++;
    }
    return at < skips->count ? &skips->items[at] : NULL;
}

/* Returns memory for a new entry. */
static haft__skipped_run *allocate_entry(haft__skip_set *skips)
{
    if (skips->count < HAFT__LIMIT_WORK_SKIPPED) {
        return &skips->items[skips->count++];
    }
    haft__skipped_run *first = &skips->items[0];
    for (size_t i = 1; i < skips->count; i++) {
        first = skips->items[i].until_ms < first->until_ms ? &skips->items[i] : first;
    }
    return first;
}

uint64_t haft__skip_set_add(haft__skip_set *skips, const char *id, uint64_t now_ms)
{
    haft__skipped_run *item = find(skips, id);
    if (item == NULL) {
        item = allocate_entry(skips);
        *item = (haft__skipped_run){.wait_ms = 0};
        (void)snprintf(item->id, sizeof(item->id), "%s", id);
    }
    item->wait_ms = item->wait_ms > 0 ? 2 * item->wait_ms : HAFT__LIMIT_WORK_RETRY_MS;
    if (item->wait_ms > HAFT__LIMIT_WORK_RETRY_MAX_MS) {
        item->wait_ms = HAFT__LIMIT_WORK_RETRY_MAX_MS;
    }
    item->until_ms = now_ms + item->wait_ms;
    return item->wait_ms;
}

void haft__skip_set_remove(haft__skip_set *skips, const char *id)
{
    haft__skipped_run *item = find(skips, id);
    if (item != NULL) {
        *item = skips->items[--skips->count];
    }
}

bool haft__skip_list_add(haft__skip_list *list, size_t count, const char *id)
{
    if (count >= HAFT__SKIP_LIST_CAPACITY) {
        return false;
    }
    (void)snprintf(list->ids[count], sizeof(list->ids[count]), "%s", id);
    list->texts[count] = haft__str(list->ids[count]);
    return true;
}

size_t haft__skip_set_list(const haft__skip_set *skips, uint64_t now_ms, haft__skip_list *ret_list)
{
    size_t count = 0;
    for (size_t i = 0; i < skips->count; i++) {
        if (skips->items[i].until_ms > now_ms) {
            count += haft__skip_list_add(ret_list, count, skips->items[i].id);
        }
    }
    return count;
}
