/* SPDX-License-Identifier: Apache-2.0 */
/* gemini.c - the additional restrictions of Gemini. Tests: tests/schema/downlevel/gemini_test.c. */
#include "base/ascii.h"
#include "schema/downlevel/downlevel_int.h"
#include "json/object.h"

/* The longest name of a property. */
#define MAX_NAME_BYTES 64

bool haft__downlevel_can_name(const haft__downlevel *d, haft_str name)
{
    bool good = name.len > 0 && name.len <= MAX_NAME_BYTES;
    for (size_t i = 0; good && i < name.len; i++) {
        good = haft__ascii_is_alphanumeric(name.ptr[i]) || name.ptr[i] == '_';
    }
    return good || d->target != HAFT__TARGET_GEMINI;
}

static bool is_plain(haft__json value)
{
    return value.kind == HAFT__JSON_STRING || value.kind == HAFT__JSON_NUMBER;
}

const char *haft__downlevel_find_value_fault(const haft__downlevel *d, haft__json schema,
                                             const char *key)
{
    haft__json value = *haft__object_find(schema, key);
    bool list = strcmp(key, "enum") == 0;
    bool good = list ? value.kind == HAFT__JSON_ARRAY : is_plain(value);
    if (d->target != HAFT__TARGET_GEMINI) {
        return NULL;
    }
    for (uint32_t i = 0; list && good && i < value.count; i++) {
        good = is_plain(value.items[i]);
    }
    if (!good) {
        return "any value: the server supports strings and numbers only";
    }
    return !list && haft__object_find(schema, "enum") != NULL
               ? "nothing: the server has no place for it next to enum"
               : NULL;
}

const char *haft__downlevel_find_closed_fault(const haft__downlevel *d, haft__json schema,
                                              const char *key)
{
    haft__json properties = haft__object_object(schema, "properties");
    bool closed = haft__object_find(schema, key)->kind != HAFT__JSON_TRUE;
    for (uint32_t i = 0; closed && i < properties.count; i++) {
        if (!haft__downlevel_can_name(d, haft__json_text(properties.members[i].key))) {
            return "any other: a property is left out because of its name";
        }
    }
    return NULL;
}

haft__json haft__downlevel_required(haft__downlevel *d, haft__json names)
{
    haft__json *items = haft__gbnf_alloc(&d->g, names.count, sizeof *items);
    uint32_t count = 0;
    if (names.kind != HAFT__JSON_ARRAY || items == NULL) {
        return names;
    }
    for (uint32_t i = 0; i < names.count; i++) {
        if (haft__downlevel_can_name(d, haft__json_text(names.items[i]))) {
            items[count++] = names.items[i];
        }
    }
    return haft__json_array(items, count);
}

haft__json haft__downlevel_const(haft__downlevel *d, haft__json value)
{
    haft__json *items =
        d->target == HAFT__TARGET_GEMINI ? haft__gbnf_alloc(&d->g, 1, sizeof *items) : NULL;
    if (items == NULL) {
        return value;
    }
    items[0] = value;
    return haft__json_array(items, 1);
}
