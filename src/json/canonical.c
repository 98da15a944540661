/* SPDX-License-Identifier: Apache-2.0 */
/*
 * canonical.c - the canonical text of a value.
 *
 * Recursion is as deep as values nest, at most HAFT__LIMIT_JSON_DEPTH. Each object being written
 * holds the sorted order of its members, unless they are already sorted. Tests:
 * tests/json/canonical_test.c.
 */
#include "json/canonical.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "json/number.h"
#include "json/sort_keys.h"
#include "json/write.h"

static haft_status write_at(haft__buf *buf, haft__json value, uint32_t depth, haft_error *err);

static haft_status write_array(haft__buf *buf, haft__json value, uint32_t depth, haft_error *err)
{
    haft_status status = HAFT_OK;
    haft__buf_add_char(buf, '[');
    for (uint32_t i = 0; i < value.count && status == HAFT_OK; i++) {
        if (i > 0) {
            haft__buf_add_char(buf, ',');
        }
        status = write_at(buf, value.items[i], depth + 1, err);
    }
    haft__buf_add_char(buf, ']');
    return status;
}

static haft_status write_object(haft__buf *buf, haft__json value, uint32_t depth, haft_error *err)
{
    uint32_t *order = haft__json_sort_keys(value.members, value.count);
    if (order == NULL) {
        return haft__fail_no_memory(err);
    }
    haft_status status = HAFT_OK;
    haft__buf_add_char(buf, '{');
    for (uint32_t i = 0; i < value.count && status == HAFT_OK; i++) {
        const haft__json_member *member = &value.members[order[i]];
        if (i > 0) {
            haft__buf_add_char(buf, ',');
        }
        haft__json_write_string(buf, haft__json_text(member->key));
        haft__buf_add_char(buf, ':');
        status = write_at(buf, member->value, depth + 1, err);
    }
    haft__buf_add_char(buf, '}');
    free(order);
    return status;
}

static haft_status write_at(haft__buf *buf, haft__json value, uint32_t depth, haft_error *err)
{
    if (depth > HAFT__LIMIT_JSON_DEPTH) {
        return haft__fail(err, HAFT_TOO_BIG, "", "the value nests more than %d levels deep",
                          HAFT__LIMIT_JSON_DEPTH);
    }
    switch ((haft__json_kind)value.kind) {
    case HAFT__JSON_NULL:
    case HAFT__JSON_FALSE:
    case HAFT__JSON_TRUE: haft__json_write(buf, value); break;
    case HAFT__JSON_NUMBER: haft__number_add_normal(buf, haft__json_text(value)); break;
    case HAFT__JSON_STRING: haft__json_write_string(buf, haft__json_text(value)); break;
    case HAFT__JSON_ARRAY: return write_array(buf, value, depth, err);
    case HAFT__JSON_OBJECT: return write_object(buf, value, depth, err);
    }
    return buf->status == HAFT_OK ? HAFT_OK : haft__buf_check(buf, err);
}

haft_status haft__json_write_canonical(haft__buf *buf, haft__json value, haft_error *err)
{
    haft_status status = write_at(buf, value, 0, err);
    return status == HAFT_OK ? haft__buf_check(buf, err) : status;
}
