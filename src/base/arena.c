/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.c - bump allocation in chunks that double.
 *
 * Invariants:
 *   1. Chunks form a list from the newest to the oldest; only the newest has free bytes.
 *   2. `total` is the sum of the chunks' sizes and never passes `max`.
 * Under AddressSanitizer a chunk contains exactly one piece. Because of invariant 1, save and
 * restore work in the same way. Tests: tests/base/arena_test.c.
 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"

/* The first chunk and its header fit into 1 KB, which malloc allocates quickly. Most arenas of a
 * call or a request are short-lived and need no second chunk. */
#define FIRST_CHUNK   ((size_t)1024 - sizeof(haft__arena_chunk))
#define LARGEST_CHUNK ((size_t)32 << 20)

struct haft__arena_chunk {
    haft__arena_chunk *older;
    size_t size; /* size of data[] */
    _Alignas(HAFT__ARENA_ALIGN) char data[];
};

void haft__arena_init(haft__arena *arena, size_t max)
{
    *arena = (haft__arena){.max = max > 0 ? max : HAFT__LIMIT_ARENA_BYTES};
}

static void free_chunk(haft__arena *arena, haft__arena_chunk *chunk)
{
    arena->total -= chunk->size;
    free(chunk);
}

static void drop_newest(haft__arena *arena)
{
    haft__arena_chunk *chunk = arena->chunk;
    arena->chunk = chunk->older;
    free_chunk(arena, chunk);
}

static void use_chunk(haft__arena *arena, char *next)
{
    arena->next = next;
    arena->end = arena->chunk != NULL ? arena->chunk->data + arena->chunk->size : NULL;
}

struct haft__arena_cleanup {
    haft__arena_cleanup *older;
    void (*release)(void *context);
    void *context;
};

haft_status haft__arena_on_release(haft__arena *arena, void (*release)(void *context),
                                   void *context, haft_error *err)
{
    haft__arena_cleanup *cleanup = malloc(sizeof(*cleanup));
    if (cleanup == NULL) {
        return haft__fail_no_memory(err);
    }
    *cleanup = (haft__arena_cleanup){arena->cleanups, release, context};
    arena->cleanups = cleanup;
    return HAFT_OK;
}

static void run_cleanups(haft__arena *arena)
{
    while (arena->cleanups != NULL) {
        haft__arena_cleanup *cleanup = arena->cleanups;
        arena->cleanups = cleanup->older;
        cleanup->release(cleanup->context);
        free(cleanup);
    }
}

void haft__arena_finish(haft__arena *arena)
{
    run_cleanups(arena);
    while (arena->chunk != NULL) {
        drop_newest(arena);
    }
    use_chunk(arena, NULL);
    arena->full = false;
}

haft__arena_mark haft__arena_save(const haft__arena *arena)
{
    return (haft__arena_mark){arena->chunk, arena->next};
}

void haft__arena_restore(haft__arena *arena, haft__arena_mark mark)
{
    while (arena->chunk != mark.chunk) {
        drop_newest(arena);
    }
    use_chunk(arena, mark.next);
    arena->full = false;
}

void haft__arena_reset(haft__arena *arena)
{
    run_cleanups(arena);
    /* Keep the largest chunk, which is not always the newest: after a chunk for one large piece,
     * the next chunk has the usual size. Under ASan no chunk is kept, so that ASan detects a use
     * after reset. */
    haft__arena_chunk *kept = NULL;
    for (haft__arena_chunk *chunk = arena->chunk; chunk != NULL && !HAFT__ASAN;
         chunk = chunk->older) {
        kept = kept == NULL || chunk->size > kept->size ? chunk : kept;
    }
    while (arena->chunk != NULL) {
        haft__arena_chunk *chunk = arena->chunk;
        arena->chunk = chunk->older;
        if (chunk != kept) {
            free_chunk(arena, chunk);
        }
    }
    arena->chunk = kept;
    if (kept != NULL) {
        kept->older = NULL;
    }
    use_chunk(arena, kept != NULL ? kept->data : NULL);
    arena->full = false;
}

static size_t chunk_size(const haft__arena *arena, size_t wanted)
{
    if (HAFT__ASAN) {
        return wanted;
    }
    /* Grow by half, not double: a process may hold thousands of arenas that each store little. */
    size_t half = arena->total / 2 / HAFT__ARENA_ALIGN * HAFT__ARENA_ALIGN;
    size_t size = half > FIRST_CHUNK ? half : FIRST_CHUNK;
    size = size > LARGEST_CHUNK ? LARGEST_CHUNK : size;
    size = size > wanted ? size : wanted;
    /* Near the maximum, use the remaining bytes if the piece still fits. */
    size_t left = arena->max - arena->total;
    return size > left && wanted <= left ? left : size;
}

void *haft__arena_alloc_more(haft__arena *arena, size_t size)
{
    if (size == 0) {
        return haft__arena_alloc(arena, 1);
    }
    size_t rounded = (size + HAFT__ARENA_ALIGN - 1) & ~(size_t)(HAFT__ARENA_ALIGN - 1);
    size_t chunk_bytes = chunk_size(arena, HAFT__ASAN ? size : rounded);
    size_t bytes;
    if (rounded < size || chunk_bytes > arena->max - arena->total
        || __builtin_add_overflow(sizeof(haft__arena_chunk), chunk_bytes, &bytes)) {
        arena->full = true;
        return NULL;
    }
    haft__arena_chunk *chunk = malloc(bytes);
    if (chunk == NULL) {
        arena->full = false;
        return NULL;
    }
    chunk->older = arena->chunk;
    chunk->size = chunk_bytes;
    arena->chunk = chunk;
    arena->total += chunk_bytes;
    use_chunk(arena, chunk->data + (HAFT__ASAN ? chunk_bytes : rounded));
    return chunk->data;
}

void *haft__arena_array(haft__arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        arena->full = true;
        return NULL;
    }
    void *array = haft__arena_alloc(arena, bytes);
    if (array != NULL) {
        memset(array, 0, bytes);
    }
    return array;
}

haft_str haft__arena_copy(haft__arena *arena, haft_str s)
{
    char *copy = haft__arena_alloc(arena, s.len + 1);
    if (copy == NULL) {
        return (haft_str){NULL, 0};
    }
    if (s.len > 0) {
        memcpy(copy, s.ptr, s.len);
    }
    copy[s.len] = '\0';
    return (haft_str){copy, s.len};
}

haft_str haft__arena_format(haft__arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = length < 0 ? NULL : haft__arena_alloc(arena, (size_t)length + 1);
    if (text != NULL) {
        (void)vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    return (haft_str){text, text != NULL ? (size_t)length : 0};
}

haft_status haft__arena_failure(const haft__arena *arena, haft_error *err)
{
    if (!arena->full) {
        return haft__fail_no_memory(err);
    }
    return haft__fail(err, HAFT_TOO_BIG, "", "needs more than the limit of %zu bytes", arena->max);
}
