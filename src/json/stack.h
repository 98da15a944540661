/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/stack.h - values whose container is still open. Private to src/json.
 *
 * Opening a container pushes a marker; its items (or alternating keys and values) follow; closing
 * it moves them into the arena and turns the marker into the finished value. So a whole document is
 * built without recursion, and every array of values is allocated once, at its exact size.
 */
#ifndef HAFT_JSON_STACK_H
#define HAFT_JSON_STACK_H

#include <string.h>

#include "json/read.h"
#include "json/value.h"

#define HAFT__JSON_STACK_INLINE 64

typedef struct haft__json_stack {
    haft__json *top, *limit; /* the next free slot; the end of the slots */
    haft__json *values;      /* `local`, or from malloc */
    haft__json *open;        /* the marker of the innermost open container, or NULL */
    uint32_t depth;          /* open containers */
    uint32_t max_values;     /* of the whole document */
    size_t closed;           /* values already moved into the arena */
    haft__hash_key hash_key;
    bool reject_duplicates;
    uint32_t duplicates; /* members dropped so far because a later one had the same key */
    haft_str duplicate;  /* one such key */
    uint32_t *slots;     /* scratch for finding duplicate keys in large objects */
    uint32_t slot_count;
    haft__json local[HAFT__JSON_STACK_INLINE];
} haft__json_stack;

/* The result of closing a container. */
typedef enum haft__json_stack_result {
    HAFT__JSON_STACK_OK,
    HAFT__JSON_STACK_NO_MEMORY,
    HAFT__JSON_STACK_ARENA_FULL, /* haft__arena_fail says why */
    HAFT__JSON_STACK_DUPLICATE,  /* a duplicate key, which the options reject */
    HAFT__JSON_STACK_TOO_MANY,   /* more than max_values in total */
} haft__json_stack_result;

/* Allocates nothing until the stack holds more than HAFT__JSON_STACK_INLINE values. */
void haft__json_stack_init(haft__json_stack *stack, const haft__json_options *options);
void haft__json_stack_finish(haft__json_stack *stack);

/* Doubles the room. False when out of memory, or when the stack already holds too many values. */
bool haft__json_stack_grow(haft__json_stack *stack);

/* Drops superseded members of the innermost container, an object. *io_count is its number of
 * values, before and after. */
haft__json_stack_result haft__json_stack_drop_duplicates(haft__json_stack *stack,
                                                         uint32_t *io_count);

/* The number of values on the stack, markers included. */
static inline size_t haft__json_stack_count(const haft__json_stack *stack)
{
    return (size_t)(stack->top - stack->values);
}

/* Whether haft__json_stack_reserve has just failed because of max_values (true) or because memory
 * ran out (false). */
static inline bool haft__json_stack_is_full(const haft__json_stack *stack)
{
    return haft__json_stack_count(stack) > stack->max_values;
}

/* The slot for the next value, or NULL. It counts after haft__json_stack_commit. */
static inline haft__json *haft__json_stack_reserve(haft__json_stack *stack)
{
    if (HAFT__UNLIKELY(stack->top == stack->limit) && !haft__json_stack_grow(stack)) {
        return NULL;
    }
    return stack->top;
}

static inline void haft__json_stack_commit(haft__json_stack *stack)
{
    stack->top++;
}

/* Fails like haft__json_stack_reserve. The `count` of a marker is the distance to the marker of the
 * enclosing container. */
static inline bool haft__json_stack_open(haft__json_stack *stack, bool object)
{
    haft__json *marker = haft__json_stack_reserve(stack);
    if (HAFT__UNLIKELY(marker == NULL)) {
        return false;
    }
    *marker = (haft__json){.kind = object ? HAFT__JSON_OBJECT : HAFT__JSON_ARRAY,
                           .count = (uint32_t)(marker - stack->open)};
    stack->open = marker;
    stack->depth++;
    stack->top++;
    return true;
}

static inline bool haft__json_stack_in_object(const haft__json_stack *stack)
{
    return stack->open->kind == HAFT__JSON_OBJECT;
}

/* In deep nesting each value is copied right after it was written. A processor forwards a store to
 * a load only if the load is no larger than the store, and otherwise stalls. So kind and count are
 * written as one word, and values are copied word by word. This makes deep nesting 50 % faster. */
static inline void haft__json_stack_set(haft__json *value, haft__json_kind kind, uint32_t count)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    uint64_t word = (uint64_t)kind << 56 | count;
#else
    uint64_t word = (uint64_t)kind | (uint64_t)count << 32;
#endif
    memcpy(value, &word, sizeof(word));
}

static inline void haft__json_stack_copy(haft__json *to, const haft__json *from, size_t count)
{
    for (size_t i = 0; i < count * sizeof(haft__json); i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, (const char *)from + i, sizeof(word));
        memcpy((char *)to + i, &word, sizeof(word));
    }
}

/* Closes the innermost container. */
static inline haft__json_stack_result haft__json_stack_close(haft__json_stack *stack,
                                                             haft__arena *arena)
{
    haft__json *marker = stack->open;
    uint32_t back = marker->count, count = (uint32_t)(stack->top - marker) - 1;
    bool object = marker->kind == HAFT__JSON_OBJECT;
    stack->closed += count;
    if (HAFT__UNLIKELY(stack->closed >= stack->max_values)) {
        return HAFT__JSON_STACK_TOO_MANY;
    }
    if (object && count > 2) {
        haft__json_stack_result result = haft__json_stack_drop_duplicates(stack, &count);
        if (HAFT__UNLIKELY(result != HAFT__JSON_STACK_OK)) {
            return result;
        }
    }
    haft__json *items = NULL;
    if (count > 0) {
        items = haft__arena_alloc(arena, count * sizeof(*items));
        if (HAFT__UNLIKELY(items == NULL)) {
            return HAFT__JSON_STACK_ARENA_FULL;
        }
        haft__json_stack_copy(items, marker + 1, count);
    }
    /* Two values make a member. */
    haft__json_stack_set(marker, object ? HAFT__JSON_OBJECT : HAFT__JSON_ARRAY, count >> object);
    marker->items = items;
    stack->top = marker + 1;
    stack->open = marker - back;
    stack->depth--;
    return HAFT__JSON_STACK_OK;
}

#endif
