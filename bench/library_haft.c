/* SPDX-License-Identifier: Apache-2.0 */
/* library_haft.c - haft's reader and writer, with a reused arena and buffer. */
#include <stdlib.h>

#include "base/buf.h"
#include "bench.h"
#include "json/read.h"
#include "json/write.h"

typedef struct state {
    haft__arena arena;
    haft__buf buf;
    haft__json value;
} state;

static void *create(void)
{
    state *s = calloc(1, sizeof(*s));
    if (s != NULL) {
        haft__arena_init(&s->arena, 0);
        haft__buf_init(&s->buf, HAFT__LIMIT_JSON_BYTES);
    }
    return s;
}

static void destroy(void *context)
{
    state *s = context;
    haft__arena_finish(&s->arena);
    haft__buf_finish(&s->buf);
    free(s);
}

static bool parse(void *context, const char *text, size_t length)
{
    state *s = context;
    haft__arena_reset(&s->arena);
    haft_str str = {text, length};
    return haft__json_read(&s->arena, str, NULL, &s->value, NULL, NULL) == HAFT_OK;
}

static size_t write_value(void *context)
{
    state *s = context;
    haft__buf_clear(&s->buf);
    haft__json_write(&s->buf, s->value);
    return s->buf.len;
}

const bench_library bench_haft = {"haft", create, destroy, parse, write_value};
