/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/arena.h - memory by lifetime: many small pieces, all released at once.
 *
 * An arena is passed explicitly and never shared between threads. In a build with AddressSanitizer
 * each piece is its own malloc, so that ASan detects an overrun or a use after restore.
 */
#ifndef HAFT_BASE_ARENA_H
#define HAFT_BASE_ARENA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"
#include "haft.h"

typedef struct haft__arena_chunk haft__arena_chunk;
typedef struct haft__arena_cleanup haft__arena_cleanup;

typedef struct haft__arena {
    char *next, *end;         /* free bytes of the newest chunk */
    haft__arena_chunk *chunk; /* the newest chunk; each links to the previous chunk */
    size_t total;             /* bytes held in all chunks */
    size_t max;
    bool full;                     /* the last failure was due to `max`, not to a failed malloc */
    haft__arena_cleanup *cleanups; /* see haft__arena_on_release; the newest first */
} haft__arena;

/* A point to restore the arena to. Valid until the arena is restored to an earlier mark. */
typedef struct haft__arena_mark {
    haft__arena_chunk *chunk;
    char *next;
} haft__arena_mark;

#define HAFT__ARENA_ALIGN 8U

/* Allocates nothing yet. `max` limits the total bytes of the arena; 0 means the default limit. */
void haft__arena_init(haft__arena *arena, size_t max);

/* Releases all memory. Safe on a zeroed arena, and safe to call twice. */
void haft__arena_finish(haft__arena *arena);

haft__arena_mark haft__arena_save(const haft__arena *arena);
void haft__arena_restore(haft__arena *arena, haft__arena_mark mark);

/* Empties the arena but keeps its largest chunk for the next use. */
void haft__arena_reset(haft__arena *arena);

/* Calls `release` once, when the arena is finished or reset. For objects that live as long as the
 * arena but have memory outside of it. A restore does not call `release`. */
HAFT_MUST_USE haft_status haft__arena_on_release(haft__arena *arena, void (*release)(void *context),
                                                 void *context, haft_error *err);

/* The slow path of haft__arena_alloc. */
void *haft__arena_alloc_more(haft__arena *arena, size_t size);

/* Returns uninitialised memory, aligned to 8 bytes; NULL on failure (see haft__arena_fail). A size
 * of 0 is valid and returns a pointer that is not NULL. */
static inline void *haft__arena_alloc(haft__arena *arena, size_t size)
{
#if !HAFT__ASAN
    /* `rounded` is 0 if the size is 0 or overflows; both take the slow path. */
    size_t rounded = (size + HAFT__ARENA_ALIGN - 1) & ~(size_t)(HAFT__ARENA_ALIGN - 1);
    if (HAFT__LIKELY(rounded - 1 < (size_t)(arena->end - arena->next))) {
        void *piece = arena->next;
        arena->next += rounded;
        return piece;
    }
#endif
    return haft__arena_alloc_more(arena, size);
}

/* Returns count * size zeroed bytes; NULL also if the product overflows. */
void *haft__arena_array(haft__arena *arena, size_t count, size_t size);

/* Returns a copy of `s`, followed by a NUL that is not counted in the length. .ptr is NULL on
 * failure. */
haft_str haft__arena_copy(haft__arena *arena, haft_str s);

/* A formatted text, NUL-terminated. .ptr is NULL on failure. */
haft_str haft__arena_format(haft__arena *arena, const char *format, ...) HAFT__PRINTF(2, 3);

/* The out-of-line part of haft__arena_fail. */
haft_status haft__arena_failure(const haft__arena *arena, haft_error *err);

/* The error for an allocation that has just failed: NO_MEMORY, or TOO_BIG when `max` was the
 * reason. Inline, so that compilers and analysers see at the call site that it never returns
 * HAFT_OK. */
static inline haft_status haft__arena_fail(const haft__arena *arena, haft_error *err)
{
    haft_status status = haft__arena_failure(arena, err);
    if (status == HAFT_OK) {
        HAFT__UNREACHABLE();
    }
    return status;
}

#endif
