/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.c - reads JSON values: names, members, equality, hashes.
 *
 * Recursion is as deep as values nest and stops at HAFT__LIMIT_JSON_DEPTH, which no reader exceeds.
 * Tests: tests/json/value_test.c.
 */
#include "json/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "json/number.h"
#include "json/sort_keys.h"

/* Up to this number, members are searched one by one, without allocation. */
#define FEW_MEMBERS 16

const char *haft__json_kind_name(haft__json value)
{
    switch ((haft__json_kind)value.kind) {
    case HAFT__JSON_NULL: return "null";
    case HAFT__JSON_FALSE:
    case HAFT__JSON_TRUE: return "boolean";
    case HAFT__JSON_NUMBER: return "number";
    case HAFT__JSON_STRING: return "string";
    case HAFT__JSON_ARRAY: return "array";
    case HAFT__JSON_OBJECT: return "object";
    }
    HAFT__UNREACHABLE();
}

haft_status haft__json_fail_type(haft__json found, const char *where, const char *wanted,
                                 haft_error *err)
{
    return haft__fail(err, HAFT_BAD_INPUT, where, "expected %s, found %s", wanted,
                      haft__json_kind_name(found));
}

static bool has_key(const haft__json_member *member, haft_str key)
{
    return haft__str_equal(haft__json_text(member->key), key);
}

const haft__json *haft__json_get(haft__json object, haft_str key)
{
    if (object.kind != HAFT__JSON_OBJECT) {
        return NULL;
    }
    for (uint32_t i = 0; i < object.count; i++) {
        if (has_key(&object.members[i], key)) {
            return &object.members[i].value;
        }
    }
    return NULL;
}

static haft_status fail_deep(haft_error *err)
{
    return haft__fail(err, HAFT_TOO_BIG, "", "the values nest more than %d levels deep",
                      HAFT__LIMIT_JSON_DEPTH);
}

static bool has_text(haft__json value)
{
    return value.kind == HAFT__JSON_STRING || value.kind == HAFT__JSON_NUMBER;
}

static haft_status copy_at(haft__arena *arena, haft__json value, bool texts, uint32_t depth,
                           haft__json *ret_copy, haft_error *err)
{
    size_t count = value.kind == HAFT__JSON_OBJECT  ? 2 * (size_t)value.count
                   : value.kind == HAFT__JSON_ARRAY ? value.count
                                                    : 0;
    *ret_copy = value;
    if (texts && has_text(value)) {
        ret_copy->text = haft__arena_copy(arena, haft__json_text(value)).ptr;
        return ret_copy->text != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    if (count == 0) {
        return HAFT_OK;
    }
    if (depth >= HAFT__LIMIT_JSON_DEPTH) {
        return fail_deep(err);
    }
    haft__json *copies = haft__arena_alloc(arena, count * sizeof(*copies));
    if (copies == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < count && status == HAFT_OK; i++) { /* a member is two values */
        status = copy_at(arena, value.items[i], texts, depth + 1, &copies[i], err);
    }
    ret_copy->items = copies;
    return status;
}

haft_status haft__json_copy(haft__arena *arena, haft__json value, haft__json *ret_copy,
                            haft_error *err)
{
    return copy_at(arena, value, false, 0, ret_copy, err);
}

haft_status haft__json_copy_deep(haft__arena *arena, haft__json value, haft__json *ret_copy,
                                 haft_error *err)
{
    return copy_at(arena, value, true, 0, ret_copy, err);
}

static haft_status equal_at(haft__json a, haft__json b, uint32_t depth, bool *ret_equal,
                            haft_error *err);

static haft_status equal_arrays(haft__json a, haft__json b, uint32_t depth, bool *ret_equal,
                                haft_error *err)
{
    bool equal = true;
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < a.count && equal && status == HAFT_OK; i++) {
        status = equal_at(a.items[i], b.items[i], depth + 1, &equal, err);
    }
    *ret_equal = equal;
    return status;
}

/* Compares few members from `start` on: each is searched in the other object. */
static haft_status equal_few(haft__json a, haft__json b, uint32_t start, uint32_t depth,
                             bool *ret_equal, haft_error *err)
{
    haft__json rest = start > 0 ? haft__json_object(b.members + start, b.count - start) : b;
    bool equal = true;
    haft_status status = HAFT_OK;
    for (uint32_t i = start; i < a.count && equal && status == HAFT_OK; i++) {
        const haft__json *other = haft__json_get(rest, haft__json_text(a.members[i].key));
        equal = other != NULL;
        if (equal) {
            status = equal_at(a.members[i].value, *other, depth + 1, &equal, err);
        }
    }
    *ret_equal = equal;
    return status;
}

/* Compares the members in the orders given. */
static haft_status equal_ordered(const haft__json_member *a, const uint32_t *a_order,
                                 const haft__json_member *b, const uint32_t *b_order,
                                 uint32_t count, uint32_t depth, bool *ret_equal, haft_error *err)
{
    bool equal = true;
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < count && equal && status == HAFT_OK; i++) {
        const haft__json_member *x = &a[a_order[i]], *y = &b[b_order[i]];
        equal = has_key(x, haft__json_text(y->key));
        if (equal) {
            status = equal_at(x->value, y->value, depth + 1, &equal, err);
        }
    }
    *ret_equal = equal;
    return status;
}

/* Compares many members from `start` on: both sides are sorted. */
static haft_status equal_many(haft__json a, haft__json b, uint32_t start, uint32_t depth,
                              bool *ret_equal, haft_error *err)
{
    const haft__json_member *a_rest = a.members + start, *b_rest = b.members + start;
    uint32_t count = a.count - start;
    uint32_t *a_order = haft__json_sort_keys(a_rest, count);
    uint32_t *b_order = a_order != NULL ? haft__json_sort_keys(b_rest, count) : NULL;
    haft_status status = b_order != NULL ? equal_ordered(a_rest, a_order, b_rest, b_order, count,
                                                         depth, ret_equal, err)
                                         : haft__fail_no_memory(err);
    free(a_order);
    free(b_order);
    return status;
}

/* Members usually have the same order, so that is tried first. Keys are distinct, so the remaining
 * members must be the same on both sides. */
static haft_status equal_objects(haft__json a, haft__json b, uint32_t depth, bool *ret_equal,
                                 haft_error *err)
{
    bool equal = true;
    haft_status status = HAFT_OK;
    uint32_t i = 0;
    for (; i < a.count && has_key(&b.members[i], haft__json_text(a.members[i].key)); i++) {
        status = equal_at(a.members[i].value, b.members[i].value, depth + 1, &equal, err);
        if (status != HAFT_OK || !equal) {
            *ret_equal = false;
            return status;
        }
    }
    bool few = a.count - i <= FEW_MEMBERS;
    return few ? equal_few(a, b, i, depth, ret_equal, err)
               : equal_many(a, b, i, depth, ret_equal, err);
}

static haft_status equal_at(haft__json a, haft__json b, uint32_t depth, bool *ret_equal,
                            haft_error *err)
{
    if (depth > HAFT__LIMIT_JSON_DEPTH) {
        return fail_deep(err);
    }
    bool container = a.kind == HAFT__JSON_ARRAY || a.kind == HAFT__JSON_OBJECT;
    *ret_equal = a.kind == b.kind && (!container || a.count == b.count);
    if (!*ret_equal) {
        return HAFT_OK;
    }
    switch ((haft__json_kind)a.kind) {
    case HAFT__JSON_NULL:
    case HAFT__JSON_FALSE:
    case HAFT__JSON_TRUE: return HAFT_OK;
    case HAFT__JSON_NUMBER:
        *ret_equal = haft__number_compare(haft__json_text(a), haft__json_text(b)) == 0;
        return HAFT_OK;
    case HAFT__JSON_STRING:
        *ret_equal = haft__str_equal(haft__json_text(a), haft__json_text(b));
        return HAFT_OK;
    case HAFT__JSON_ARRAY: return equal_arrays(a, b, depth, ret_equal, err);
    case HAFT__JSON_OBJECT: return equal_objects(a, b, depth, ret_equal, err);
    }
    HAFT__UNREACHABLE();
}

haft_status haft__json_equal(haft__json a, haft__json b, bool *ret_equal, haft_error *err)
{
    bool equal = false;
    haft_status status = equal_at(a, b, 0, &equal, err);
    if (status == HAFT_OK) {
        *ret_equal = equal;
    }
    return status;
}

static uint64_t mix(haft__hash_key key, uint64_t a, uint64_t b)
{
    uint64_t words[] = {a, b};
    return haft__hash(key, (haft_str){(const char *)words, sizeof(words)});
}

static uint64_t hash_at(haft__hash_key key, haft__json value, uint32_t depth)
{
    uint64_t hash = 0;
    switch ((haft__json_kind)value.kind) {
    case HAFT__JSON_NULL:
    case HAFT__JSON_FALSE:
    case HAFT__JSON_TRUE: break;
    case HAFT__JSON_NUMBER: hash = haft__number_hash(key, haft__json_text(value)); break;
    case HAFT__JSON_STRING: hash = haft__hash(key, haft__json_text(value)); break;
    case HAFT__JSON_ARRAY:
        hash = value.count;
        for (uint32_t i = 0; i < value.count && depth < HAFT__LIMIT_JSON_DEPTH; i++) {
            hash = mix(key, hash, hash_at(key, value.items[i], depth + 1));
        }
        break;
    case HAFT__JSON_OBJECT:
        hash = value.count; /* a sum does not depend on the order */
        for (uint32_t i = 0; i < value.count && depth < HAFT__LIMIT_JSON_DEPTH; i++) {
            uint64_t name = haft__hash(key, haft__json_text(value.members[i].key));
            hash += mix(key, name, hash_at(key, value.members[i].value, depth + 1));
        }
        break;
    }
    return mix(key, value.kind, hash);
}

uint64_t haft__json_hash(haft__hash_key key, haft__json value)
{
    return hash_at(key, value, 0);
}

haft__json haft__json_null(void)
{
    return (haft__json){.kind = HAFT__JSON_NULL};
}

haft__json haft__json_bool(bool value)
{
    return (haft__json){.kind = value ? HAFT__JSON_TRUE : HAFT__JSON_FALSE};
}

haft__json haft__json_string(haft_str text)
{
    return (haft__json){.kind = HAFT__JSON_STRING, .count = (uint32_t)text.len, .text = text.ptr};
}

haft__json haft__json_array(const haft__json *items, size_t count)
{
    return (haft__json){.kind = HAFT__JSON_ARRAY, .count = (uint32_t)count, .items = items};
}

haft__json haft__json_object(const haft__json_member *members, size_t count)
{
    return (haft__json){.kind = HAFT__JSON_OBJECT, .count = (uint32_t)count, .members = members};
}

haft__json haft__json_int(haft__arena *arena, int64_t number)
{
    haft_str text = haft__arena_format(arena, "%" PRId64, number);
    if (text.ptr == NULL) {
        return haft__json_null();
    }
    return (haft__json){
        .kind = HAFT__JSON_NUMBER, .integer = true, .count = (uint32_t)text.len, .text = text.ptr};
}
