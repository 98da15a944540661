/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack.c - grows the stack, and finds duplicate keys when an object closes.
 *
 * Small objects compare their keys pair by pair, which costs less than one hash. Larger ones use a
 * table with a keyed hash, so that no choice of keys makes the search quadratic. Tests:
 * tests/json/read_test.c.
 */
#include "json/stack.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"

/* Up to this many members are compared pair by pair. */
#define FEW_MEMBERS 16U
/* The kind of a key whose member is superseded; used only in this file. */
#define DROPPED 0xFF

void haft__json_stack_init(haft__json_stack *stack, const haft__json_options *options)
{
    assert(haft__json_options_valid(options));
    /* Initialise field by field: clearing `local` would cost more than reading a small text. */
    stack->values = stack->top = stack->open = stack->local;
    stack->limit = stack->local + HAFT__JSON_STACK_INLINE;
    stack->depth = 0;
    stack->max_values = options->max_values;
    stack->closed = 0;
    stack->hash_key = options->hash_key;
    stack->reject_duplicates = options->reject_duplicates;
    stack->duplicates = 0;
    stack->duplicate = (haft_str){NULL, 0};
    stack->slots = NULL;
    stack->slot_count = 0;
}

void haft__json_stack_finish(haft__json_stack *stack)
{
    if (stack->values != stack->local) {
        free(stack->values);
    }
    free(stack->slots);
}

bool haft__json_stack_grow(haft__json_stack *stack)
{
    bool local = stack->values == stack->local;
    size_t count = haft__json_stack_count(stack);
    if (haft__json_stack_is_full(stack)) {
        return false;
    }
    size_t open = (size_t)(stack->open - stack->values);
    haft__json *values = realloc(local ? NULL : stack->values, 2 * count * sizeof(haft__json));
    if (values == NULL) {
        return false;
    }
    if (local) {
        memcpy(values, stack->local, count * sizeof(haft__json));
    }
    stack->open = values + open;
    stack->values = values;
    stack->top = values + count;
    stack->limit = values + 2 * count;
    return true;
}

static bool same_key(const haft__json *a, const haft__json *b)
{
    if (HAFT__LIKELY(a->count != b->count)) {
        return false;
    }
    return a->count == 0 || (a->text[0] == b->text[0] && memcmp(a->text, b->text, a->count) == 0);
}

/* One of 64 bits, the same for the same key. */
static inline uint64_t key_bit(const haft__json *key)
{
    uint32_t ends = key->count > 0 ? (unsigned char)key->text[0] * 5U
                                         + (unsigned char)key->text[key->count - 1] * 3U
                                   : 0;
    return (uint64_t)1 << ((ends + key->count * 11U) & 63U);
}

/* Only keys whose bit was set before are compared with the keys before them. */
static uint32_t drop_among_few(haft__json_member *members, uint32_t count)
{
    uint64_t seen = 0;
    uint32_t dropped = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint64_t bit = key_bit(&members[k].key);
        for (uint32_t i = 0; (seen & bit) != 0 && i < k; i++) {
            if (HAFT__UNLIKELY(same_key(&members[i].key, &members[k].key))
                && members[i].key.kind != DROPPED) {
                members[i].key.kind = DROPPED;
                dropped++;
            }
        }
        seen |= bit;
    }
    return dropped;
}

/* A power of two that keeps the table at most half full. */
static uint32_t table_size(uint32_t count)
{
    uint32_t size = 64;
    while (size < 2 * count) {
        size *= 2;
    }
    return size;
}

static bool clear_slots(haft__json_stack *stack, uint32_t wanted)
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
static bool drop_among_many(haft__json_stack *stack, haft__json_member *members, uint32_t count,
                            uint32_t *ret_dropped)
{
    uint32_t size = table_size(count), mask = size - 1, dropped = 0;
    if (!clear_slots(stack, size)) {
        return false;
    }
    for (uint32_t i = count; i-- > 0;) {
        haft__json *key = &members[i].key;
        uint32_t at = (uint32_t)haft__hash(stack->hash_key, haft__json_text(*key)) & mask;
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

/* Moves the remaining members together. Returns a key that was dropped. */
static haft_str close_gaps(haft__json_member *members, uint32_t count)
{
    uint32_t kept = 0;
    haft_str dropped = {NULL, 0};
    for (uint32_t i = 0; i < count; i++) {
        if (members[i].key.kind == DROPPED) {
            dropped = (haft_str){members[i].key.text, members[i].key.count};
        } else {
            members[kept++] = members[i];
        }
    }
    return dropped;
}

haft__json_stack_result haft__json_stack_drop_duplicates(haft__json_stack *stack,
                                                         uint32_t *io_count)
{
    /* A member is a key followed by a value, both in its struct and on the stack. */
    haft__json_member *members = (haft__json_member *)(void *)(stack->open + 1);
    uint32_t pairs = *io_count / 2, dropped = 0;
    if (pairs <= FEW_MEMBERS) {
        dropped = drop_among_few(members, pairs);
    } else if (!drop_among_many(stack, members, pairs, &dropped)) {
        return HAFT__JSON_STACK_NO_MEMORY;
    }
    if (HAFT__UNLIKELY(dropped > 0)) {
        stack->duplicate = close_gaps(members, pairs);
        stack->duplicates += dropped;
        *io_count -= 2 * dropped;
    }
    return dropped > 0 && stack->reject_duplicates ? HAFT__JSON_STACK_DUPLICATE
                                                   : HAFT__JSON_STACK_OK;
}
