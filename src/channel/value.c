/* SPDX-License-Identifier: Apache-2.0 */
/* value.c - the values of channels: memory, deltas and their application. Tests:
 * tests/channel/value_test.c. */
#include "channel/value.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "channel/value_int.h"
#include "json/object.h"

/* The maximum size of an arena. It is larger than the limit of a value, so that a value within the
 * limit always fits: an arena also has unused ends of chunks, and old values until they are
 * compacted. */
#define MAX_ARENA_BYTES ((size_t)8 * HAFT__LIMIT_GRAPH_CHANNEL_BYTES)

haft_status haft__channel_values_init(haft__channel_values *state, const haft__channel *channels,
                                      size_t count, haft_error *err)
{
    state->channels = channels;
    state->count = count;
    state->values = calloc(count + 1, sizeof(*state->values));
    if (state->values == NULL) {
        return haft__fail_no_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        haft__arena_init(&state->values[i].arena, MAX_ARENA_BYTES);
    }
    for (size_t i = 0; i < count; i++) {
        const haft__channel *channel = &channels[i];
        haft__channel_delta delta = {
            .changed = channel->has_default, .replaced = true, .value = channel->default_value};
        haft_status status = haft__channel_apply(channel, &state->values[i], &delta, err);
        if (status != HAFT_OK) {
            return status;
        }
        state->values[i].written = false;
    }
    return HAFT_OK;
}

void haft__channel_values_finish(haft__channel_values *state)
{
    for (size_t i = 0; state->values != NULL && i < state->count; i++) {
        haft__arena_finish(&state->values[i].arena);
        free(state->values[i].items);
    }
    free(state->values);
    state->values = NULL;
}

/* ---- the memory of a value ---- */

/* Replaces the value by a copy of `next`, which may be a part of the old value. */
static haft_status copy_to_new_arena(haft__channel_value *value, haft__json next, haft_error *err)
{
    haft__arena fresh;
    haft__json copied;
    haft__arena_init(&fresh, MAX_ARENA_BYTES);
    haft_status status = haft__json_copy_deep(&fresh, next, &copied, err);
    if (status != HAFT_OK) {
        haft__arena_finish(&fresh);
        return status;
    }
    haft__arena_finish(&value->arena);
    value->arena = fresh;
    value->value = copied;
    value->live = fresh.total;
    value->size = haft__channel_size(copied);
    return HAFT_OK;
}

/* Bytes of old values that may stay in the arena, so that small changes need no copy. */
#define SLACK_BYTES 65536

/* Frees old parts of the value if they are larger than the value itself. */
static haft_status compact(haft__channel_value *value, haft_error *err)
{
    return value->arena.total > 2 * value->live + SLACK_BYTES
               ? copy_to_new_arena(value, value->value, err)
               : HAFT_OK;
}

/* ---- deltas ---- */

/* Adds items. The array of a list has spare capacity, so that adding an item does not copy the
 * others. */
static haft_status add_items(haft__channel_value *value, haft__json added, haft_error *err)
{
    size_t count = value->present ? value->value.count : 0;
    bool has_array = value->items != NULL && value->value.items == value->items;
    haft__json *items =
        haft__vec_reserve(value->items, &value->capacity, count + added.count + 1, sizeof(*items));
    if (items == NULL) {
        return haft__fail_no_memory(err);
    }
    if (!has_array && count > 0) {
        memcpy(items, value->value.items, count * sizeof(*items));
    }
    value->items = items;
    for (uint32_t i = 0; i < added.count; i++) {
        haft_status status =
            haft__json_copy_deep(&value->arena, added.items[i], &items[count + i], err);
        if (status != HAFT_OK) {
            return status;
        }
    }
    value->value = haft__json_array(items, count + added.count);
    value->size += haft__channel_size(added);
    return HAFT_OK;
}

static haft_status replace_value(haft__channel_value *value, haft__json next, haft_error *err)
{
    haft_status status = copy_to_new_arena(value, next, err);
    free(value->items);
    value->items = NULL;
    value->capacity = 0;
    return status;
}

/* The memory of a value that is no longer the channel's. */
typedef struct retired {
    haft__arena arena;
    haft__json *items;
} retired;

static void free_retired(void *context)
{
    retired *old = context;
    haft__arena_finish(&old->arena);
    free(old->items);
    free(old);
}

haft_status haft__channel_retire(haft__channel_value *value, haft__arena *until, haft_error *err)
{
    haft__arena fresh;
    haft__json copied;
    if (!value->present) {
        return HAFT_OK;
    }
    retired *old = malloc(sizeof(*old));
    if (old == NULL) {
        return haft__fail_no_memory(err);
    }
    haft__arena_init(&fresh, MAX_ARENA_BYTES);
    haft_status status = haft__json_copy_deep(&fresh, value->value, &copied, err);
    if (status == HAFT_OK) {
        *old = (retired){.arena = value->arena, .items = value->items};
        status = haft__arena_on_release(until, free_retired, old, err);
    }
    if (status != HAFT_OK) {
        haft__arena_finish(&fresh);
        free(old);
        return status;
    }
    value->arena = fresh;
    value->value = copied;
    value->live = fresh.total;
    value->items = NULL;
    value->capacity = 0;
    return HAFT_OK;
}

static haft_status apply_change(const haft__channel *channel, haft__channel_value *value,
                                const haft__channel_delta *delta, haft_error *err)
{
    haft__json next;
    bool list = channel->reducer == HAFT__REDUCE_APPEND || channel->reducer == HAFT__REDUCE_UNION;
    if (delta->replaced || !value->present) {
        return replace_value(value, delta->value, err);
    }
    if (list && value->value.kind == HAFT__JSON_ARRAY) {
        return add_items(value, delta->value, err);
    }
    haft__json copied;
    haft_status status = haft__json_copy_deep(&value->arena, delta->value, &copied, err);
    if (status == HAFT_OK) {
        status = haft__channel_combine(channel, value->value, copied, &value->arena, &next, err);
    }
    if (status == HAFT_OK) {
        value->value = next;
        value->size += haft__channel_size(copied);
        status = compact(value, err);
    }
    return status;
}

haft_status haft__channel_apply(const haft__channel *channel, haft__channel_value *value,
                                const haft__channel_delta *delta, haft_error *err)
{
    if (delta->dropped) {
        value->present = false;
        return HAFT_OK;
    }
    if (!delta->changed) {
        return HAFT_OK;
    }
    haft_status status = apply_change(channel, value, delta, err);
    value->present = value->present || status == HAFT_OK;
    value->written = value->written || status == HAFT_OK;
    return status;
}

haft_status haft__channel_preview(const haft__channel *channel, const haft__channel_value *value,
                                  const haft__channel_delta *delta, haft__arena *arena,
                                  bool *ret_present, haft__json *ret_value, haft_error *err)
{
    *ret_present = !delta->dropped && (value->present || delta->changed);
    *ret_value = value->value;
    if (!*ret_present || !delta->changed) {
        return HAFT_OK;
    }
    *ret_value = delta->value;
    return delta->replaced || !value->present
               ? HAFT_OK
               : haft__channel_combine(channel, value->value, delta->value, arena, ret_value, err);
}

haft_status haft__channel_fits(const haft__channel *channel, const haft__channel_value *value,
                               const haft__channel_delta *delta, haft__arena *arena, bool *ret_fits,
                               haft_error *err)
{
    bool whole = delta->replaced || !value->present, present = false;
    size_t max = HAFT__LIMIT_GRAPH_CHANNEL_BYTES, added = 0;
    haft__json next;
    *ret_fits = true;
    if (!delta->changed) {
        return HAFT_OK;
    }
    added = haft__channel_size(delta->value);
    *ret_fits = added + (whole ? 0 : value->size) <= max;
    if (*ret_fits || whole) {
        return HAFT_OK;
    }
    /* The sum of sizes may be too high, because a merge may replace members. */
    haft_status status = haft__channel_preview(channel, value, delta, arena, &present, &next, err);
    *ret_fits = status == HAFT_OK && haft__channel_size(next) <= max;
    return status;
}
