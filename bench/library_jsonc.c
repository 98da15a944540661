/* SPDX-License-Identifier: Apache-2.0 */
/* library_jsonc.c - Debian's json-c. Its writer stores the text in the value, but a second write of
 * the same value does all the work again. */
#include <json-c/json.h>
#include <stdlib.h>

#include "bench.h"

typedef struct state {
    struct json_tokener *tokener;
    struct json_object *value;
} state;

static void *create(void)
{
    state *s = calloc(1, sizeof(*s));
    if (s != NULL) {
        s->tokener = json_tokener_new_ex(512);
    }
    return s;
}

static void destroy(void *context)
{
    state *s = context;
    (void)json_object_put(s->value);
    json_tokener_free(s->tokener);
    free(s);
}

static bool parse(void *context, const char *text, size_t length)
{
    state *s = context;
    (void)json_object_put(s->value);
    json_tokener_reset(s->tokener);
    s->value = json_tokener_parse_ex(s->tokener, text, (int)length);
    return s->value != NULL;
}

static size_t write_value(void *context)
{
    state *s = context;
    size_t length = 0;
    (void)json_object_to_json_string_length(s->value, JSON_C_TO_STRING_PLAIN, &length);
    return length;
}

const bench_library bench_jsonc = {"json-c", create, destroy, parse, write_value};
