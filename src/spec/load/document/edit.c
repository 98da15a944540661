/* SPDX-License-Identifier: Apache-2.0 */
/* edit.c - copies values and changes one part. Tests: tests/spec/load/document/edit_test.c. */
#include "spec/load/document/edit.h"

#include <string.h>

#include "base/str.h"
#include "json/object.h"

static size_t find(haft__json object, haft_str key)
{
    size_t at = 0;
    while (at < object.count && !haft__str_equal(haft__json_text(object.members[at].key), key)) {
        at++;
    }
    return at;
}

bool haft__edit_put(haft__arena *arena, haft__json *object, haft_str key, haft__json value)
{
    size_t at = find(*object, key), count = at < object->count ? object->count : at + 1;
    haft__json_member *members = haft__arena_array(arena, count, sizeof(*members));
    if (members == NULL) {
        return false;
    }
    if (object->count > 0) {
        memcpy(members, object->members, object->count * sizeof(*members));
    }
    members[at] = (haft__json_member){haft__json_string(key), value};
    *object = haft__json_object(members, count);
    return true;
}

bool haft__edit_put_item(haft__arena *arena, haft__json *array, size_t index, haft__json value)
{
    haft__json *items = haft__arena_array(arena, array->count, sizeof(*items));
    if (items == NULL) {
        return false;
    }
    memcpy(items, array->items, array->count * sizeof(*items));
    items[index] = value;
    *array = haft__json_array(items, array->count);
    return true;
}

bool haft__edit_remove(haft__arena *arena, haft__json *object, haft_str key)
{
    size_t at = find(*object, key), count = object->count;
    if (at == count) {
        return true;
    }
    haft__json_member *members = haft__arena_array(arena, count, sizeof(*members));
    if (members == NULL) {
        return false;
    }
    memcpy(members, object->members, at * sizeof(*members));
    memcpy(members + at, object->members + at + 1, (count - at - 1) * sizeof(*members));
    *object = haft__json_object(members, count - 1);
    return true;
}
