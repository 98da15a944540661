/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skip.c - runs that could not go on here, and until when each is left alone.
 *
 * Each attempt doubles the time. The list is bounded: when it is full, the run that would be tried
 * again first makes room. A run that is given back stands behind all others in the store, so that
 * even more bad runs than the list holds keep nobody from the good ones. Tests:
 * tests/engine/worker/worker_test.c.
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

/* Where a new one goes. */
static haft__skipped_run *make_room(haft__skip_set *skips)
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
    haft__skipped_run *one = find(skips, id);
    if (one == NULL) {
        one = make_room(skips);
        *one = (haft__skipped_run){.wait_ms = 0};
        (void)snprintf(one->id, sizeof(one->id), "%s", id);
    }
    one->wait_ms = one->wait_ms > 0 ? 2 * one->wait_ms : HAFT__LIMIT_WORK_RETRY_MS;
    if (one->wait_ms > HAFT__LIMIT_WORK_RETRY_MOST_MS) {
        one->wait_ms = HAFT__LIMIT_WORK_RETRY_MOST_MS;
    }
    one->until_ms = now_ms + one->wait_ms;
    return one->wait_ms;
}

void haft__skip_set_remove(haft__skip_set *skips, const char *id)
{
    haft__skipped_run *one = find(skips, id);
    if (one != NULL) {
        *one = skips->items[--skips->count];
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
