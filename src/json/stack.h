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

#include "json/read.h"
#include "json/value.h"

#define HAFT__STACK_INLINE 64
#define HAFT__STACK_NONE   UINT32_MAX

typedef struct haft__stack {
    haft__json *values; /* `local`, or from malloc */
    uint32_t count, capacity;
    uint32_t open;   /* index of the innermost open container's marker, or HAFT__STACK_NONE */
    uint32_t depth;  /* open containers */
    size_t closed;   /* values already moved into the arena */
    uint32_t *slots; /* scratch for finding duplicate keys in large objects */
    uint32_t slot_count;
    haft__json local[HAFT__STACK_INLINE];
} haft__stack;

/* Takes no memory until more than HAFT__STACK_INLINE values wait at once. */
static inline void haft__stack_init(haft__stack *stack)
{
    stack->values = stack->local;
    stack->count = 0;
    stack->capacity = HAFT__STACK_INLINE;
    stack->open = HAFT__STACK_NONE;
    stack->depth = 0;
    stack->closed = 0;
    stack->slots = NULL;
    stack->slot_count = 0;
}

void haft__stack_finish(haft__stack *stack);

/* Doubles the room. False when out of memory. */
bool haft__stack_grow(haft__stack *stack);

/* False when out of memory. */
static inline bool haft__stack_push(haft__stack *stack, haft__json value)
{
    if (HAFT__UNLIKELY(stack->count == stack->capacity) && !haft__stack_grow(stack)) {
        return false;
    }
    stack->values[stack->count++] = value;
    return true;
}

static inline bool haft__stack_open(haft__stack *stack, haft__json_kind kind)
{
    haft__json marker = {.kind = (uint8_t)kind, .count = stack->open};
    if (!haft__stack_push(stack, marker)) {
        return false;
    }
    stack->open = stack->count - 1;
    stack->depth++;
    return true;
}

static inline bool haft__stack_in_object(const haft__stack *stack)
{
    return stack->values[stack->open].kind == HAFT__JSON_OBJECT;
}

/* Closes the innermost container. In an object with a key twice the earlier member is dropped and
 * counted in *ret_duplicates; *ret_duplicate is then one such key. */
HAFT_MUST_USE haft_status haft__stack_close(haft__stack *stack, haft__arena *arena,
                                            haft__hash_key hash_key, uint32_t *ret_duplicates,
                                            haft_str *ret_duplicate, haft_error *err);

#endif
