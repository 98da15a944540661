/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack.c - closing containers: duplicate keys out, the rest into the arena.
 *
 * Small objects compare their keys pair by pair, which costs less than one hash; larger ones use a
 * table with a keyed hash, so that no choice of keys makes the search quadratic.
 * Tests: tests/json/read_test.c.
 */
#include "json/stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"

/* Up to this many members are compared pair by pair. */
#define FEW_MEMBERS 16U
/* The kind of a key whose member has been superseded; never seen outside this file. */
#define DROPPED 0xFF

void haft__stack_finish(haft__stack *stack)
{
    if (stack->values != stack->local) {
        free(stack->values);
    }
    free(stack->slots);
}

bool haft__stack_grow(haft__stack *stack)
{
    bool local = stack->values == stack->local;
    uint32_t capacity;
    if (__builtin_mul_overflow(stack->capacity, 2U, &capacity)) {
        return false;
    }
    size_t bytes = capacity * sizeof(haft__json);
    haft__json *values = realloc(local ? NULL : stack->values, bytes);
    if (values == NULL) {
        return false;
    }
    if (local) {
        memcpy(values, stack->local, stack->count * sizeof(haft__json));
    }
    stack->values = values;
    stack->capacity = capacity;
    return true;
}

static bool same_key(const haft__json *a, const haft__json *b)
{
    return a->count == b->count && (a->count == 0 || memcmp(a->text, b->text, a->count) == 0);
}

static uint32_t drop_among_few(haft__json_member *members, uint32_t count)
{
    uint32_t dropped = 0;
    for (uint32_t i = 0; i + 1 < count; i++) {
        for (uint32_t k = i + 1; k < count; k++) {
            if (HAFT__UNLIKELY(same_key(&members[i].key, &members[k].key))) {
                members[i].key.kind = DROPPED;
                dropped++;
                break;
            }
        }
    }
    return dropped;
}

/* A power of two, so that the table is at most half full. */
static uint32_t table_size(uint32_t count)
{
    uint32_t size = 64;
    while (size < 2 * count) {
        size *= 2;
    }
    return size;
}

static bool clear_slots(haft__stack *stack, uint32_t wanted)
{
    if (wanted > stack->slot_count) {
        uint32_t *slots = realloc(stack->slots, wanted * sizeof(*slots));
        if (slots == NULL) {
            return false;
        }
        stack->slots = slots;
        stack->slot_count = wanted;
    }
    memset(stack->slots, 0, wanted * sizeof(*stack->slots));
    return true;
}

/* From the last to the first: a key that is already in the table is superseded. */
static bool drop_among_many(haft__stack *stack, haft__json_member *members, uint32_t count,
                            haft__hash_key hash_key, uint32_t *ret_dropped)
{
    uint32_t size = table_size(count), mask = size - 1, dropped = 0;
    if (!clear_slots(stack, size)) {
        return false;
    }
    for (uint32_t i = count; i-- > 0;) {
        haft__json *key = &members[i].key;
        uint32_t at = (uint32_t)haft__hash(hash_key, haft__json_text(*key)) & mask;
        while (stack->slots[at] != 0 && !same_key(key, &members[stack->slots[at] - 1].key)) {
            at = (at + 1) & mask;
        }
        if (stack->slots[at] != 0) {
            key->kind = DROPPED;
            dropped++;
        } else {
            stack->slots[at] = i + 1;
        }
    }
    *ret_dropped = dropped;
    return true;
}

/* Moves the members that are left together. */
static void close_gaps(haft__json_member *members, uint32_t count, haft_str *ret_duplicate)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (members[i].key.kind == DROPPED) {
            *ret_duplicate = (haft_str){members[i].key.text, members[i].key.count};
        } else {
            members[kept++] = members[i];
        }
    }
}

haft_status haft__stack_close(haft__stack *stack, haft__arena *arena, haft__hash_key hash_key,
                              uint32_t *ret_duplicates, haft_str *ret_duplicate, haft_error *err)
{
    haft__json *marker = &stack->values[stack->open];
    uint32_t count = stack->count - stack->open - 1;
    bool object = marker->kind == HAFT__JSON_OBJECT;
    stack->closed += count;
    if (object && count > 2) {
        /* A member is a key and a value, side by side, both here and on the stack. */
        haft__json_member *members = (haft__json_member *)(void *)(marker + 1);
        uint32_t pairs = count / 2, dropped = 0;
        if (pairs <= FEW_MEMBERS) {
            dropped = drop_among_few(members, pairs);
        } else if (!drop_among_many(stack, members, pairs, hash_key, &dropped)) {
            return haft__fail_no_memory(err);
        }
        if (HAFT__UNLIKELY(dropped > 0)) {
            close_gaps(members, pairs, ret_duplicate);
            *ret_duplicates += dropped;
            count -= 2 * dropped;
        }
    }
    haft__json *items = NULL;
    if (count > 0) {
        items = haft__arena_alloc(arena, count * sizeof(*items));
        if (items == NULL) {
            return haft__arena_fail(arena, err);
        }
        memcpy(items, marker + 1, count * sizeof(*items));
    }
    stack->count = stack->open + 1;
    stack->open = marker->count;
    stack->depth--;
    marker->count = object ? count / 2 : count;
    marker->items = items;
    return HAFT_OK;
}
