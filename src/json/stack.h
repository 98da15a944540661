/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/stack.h - values that wait for their container to close. Private to src/json.
 *
 * Opening a container pushes a marker; its items (or keys and values in turn) follow; closing it
 * moves them into the arena and turns the marker into the finished value. So a whole document is
 * built without recursion and every array of values is allocated once, at its exact size.
 */
#ifndef HAFT_JSON_STACK_H
#define HAFT_JSON_STACK_H

#include "base/error.h"
#include "json/read.h"
#include "json/value.h"

#define HAFT__STACK_INLINE 64
#define HAFT__STACK_NONE   UINT32_MAX

typedef struct haft__stack {
    haft__json *top, *limit; /* where the next value goes; the end of the room */
    haft__json *values;      /* `local`, or from malloc */
    uint32_t open;           /* index of the innermost open container's marker, or none */
    uint32_t depth;          /* open containers */
    bool in_object;          /* the innermost one is an object */
    uint32_t max_values;     /* no more than this many may wait */
    size_t closed;           /* values already moved into the arena */
    haft__hash_key hash_key;
    uint32_t duplicates; /* members dropped so far because a later one had the same key */
    haft_str duplicate;  /* one such key */
    uint32_t *slots;     /* scratch for finding duplicate keys in large objects */
    uint32_t slot_count;
    haft__json local[HAFT__STACK_INLINE];
} haft__stack;

/* Takes no memory until more than HAFT__STACK_INLINE values wait at once. */
static inline void haft__stack_init(haft__stack *stack, uint32_t max_values,
                                    haft__hash_key hash_key)
{
    stack->values = stack->top = stack->local;
    stack->limit = stack->local + HAFT__STACK_INLINE;
    stack->open = HAFT__STACK_NONE;
    stack->depth = 0;
    stack->in_object = false;
    stack->max_values = max_values;
    stack->closed = 0;
    stack->hash_key = hash_key;
    stack->duplicates = 0;
    stack->slots = NULL;
    stack->slot_count = 0;
}

void haft__stack_finish(haft__stack *stack);

/* Doubles the room. False when out of memory, or when too many values wait already. */
bool haft__stack_grow(haft__stack *stack);

/* How many values wait, markers included. */
static inline size_t haft__stack_count(const haft__stack *stack)
{
    return (size_t)(stack->top - stack->values);
}

/* Why haft__stack_reserve has just failed: for want of memory, or because of max_values? */
static inline bool haft__stack_is_full(const haft__stack *stack)
{
    return haft__stack_count(stack) > stack->max_values;
}

/* Where to write the next value, or NULL. It counts once haft__stack_keep is called. */
static inline haft__json *haft__stack_reserve(haft__stack *stack)
{
    if (HAFT__UNLIKELY(stack->top == stack->limit) && !haft__stack_grow(stack)) {
        return NULL;
    }
    return stack->top;
}

static inline void haft__stack_keep(haft__stack *stack)
{
    stack->top++;
}

/* False as with haft__stack_reserve. */
static inline bool haft__stack_open(haft__stack *stack, bool object)
{
    haft__json *marker = haft__stack_reserve(stack);
    if (marker == NULL) {
        return false;
    }
    *marker =
        (haft__json){.kind = object ? HAFT__JSON_OBJECT : HAFT__JSON_ARRAY, .count = stack->open};
    stack->open = (uint32_t)haft__stack_count(stack);
    stack->in_object = object;
    stack->depth++;
    stack->top++;
    return true;
}

/* In an object with a key twice, drops the earlier member. Returns how many values are left behind
 * `marker`, or UINT32_MAX when out of memory. */
uint32_t haft__stack_drop_duplicates(haft__stack *stack, haft__json *marker, uint32_t count);

/* Closes the innermost container. */
HAFT_MUST_USE static inline haft_status haft__stack_close(haft__stack *stack, haft__arena *arena,
                                                          haft_error *err)
{
    haft__json *marker = &stack->values[stack->open], *items = NULL;
    uint32_t count = (uint32_t)(stack->top - marker) - 1;
    stack->closed += count;
    if (stack->in_object && count > 2) {
        count = haft__stack_drop_duplicates(stack, marker, count);
        if (HAFT__UNLIKELY(count == UINT32_MAX)) {
            return haft__fail_no_memory(err);
        }
    }
    if (count > 0) {
        items = haft__arena_alloc(arena, count * sizeof(*items));
        if (HAFT__UNLIKELY(items == NULL)) {
            return haft__arena_fail(arena, err);
        }
        for (uint32_t i = 0; i < count; i++) {
            items[i] = marker[i + 1];
        }
    }
    stack->top = marker + 1;
    stack->open = marker->count;
    stack->depth--;
    marker->count = count >> stack->in_object; /* two values make a member */
    marker->items = items;
    stack->in_object = stack->depth > 0 && stack->values[stack->open].kind == HAFT__JSON_OBJECT;
    return HAFT_OK;
}

#endif
