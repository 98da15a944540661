/* SPDX-License-Identifier: Apache-2.0 */
/* library_jansson.c - Debian's jansson. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct state {
    json_t *value;
} state;

static void *create(void)
{
    return calloc(1, sizeof(state));
}

static void destroy(void *context)
{
    state *s = context;
    json_decref(s->value);
    free(s);
}

static bool parse(void *context, const char *text, size_t length)
{
    state *s = context;
    json_decref(s->value);
    s->value = json_loadb(text, length, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    return s->value != NULL;
}

static size_t write_value(void *context)
{
    const state *s = context;
    char *text = json_dumps(s->value, JSON_COMPACT | JSON_ENCODE_ANY);
    size_t length = text != NULL ? strlen(text) : 0;
    free(text);
    return length;
}

const bench_library bench_jansson = {"jansson", create, destroy, parse, write_value};
