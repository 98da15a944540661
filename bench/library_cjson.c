/* SPDX-License-Identifier: Apache-2.0 */
/* library_cjson.c - Debian's cJSON. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct state {
    cJSON *value;
} state;

static void *create(void)
{
    return calloc(1, sizeof(state));
}

static void destroy(void *context)
{
    state *s = context;
    cJSON_Delete(s->value);
    free(s);
}

static bool parse(void *context, const char *text, size_t length)
{
    state *s = context;
    cJSON_Delete(s->value);
    s->value = cJSON_ParseWithLength(text, length);
    return s->value != NULL;
}

static size_t write_value(void *context)
{
    const state *s = context;
    char *text = cJSON_PrintUnformatted(s->value);
    size_t length = text != NULL ? strlen(text) : 0;
    free(text);
    return length;
}

const bench_library bench_cjson = {"cJSON", create, destroy, parse, write_value};
