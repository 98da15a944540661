/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/value.h - a JSON value.
 *
 * Sixteen bytes, passed by value. The memory it points to is in an arena or in the text it was read
 * from, and never changes after it was built. Numbers are kept exactly as they were written:
 * nothing here converts to double (see json/number.h). An object's members keep their order and
 * have distinct keys.
 */
#ifndef HAFT_JSON_VALUE_H
#define HAFT_JSON_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "haft.h"

typedef enum haft__json_kind {
    HAFT__JSON_NULL,
    HAFT__JSON_FALSE,
    HAFT__JSON_TRUE,
    HAFT__JSON_NUMBER, /* text: the number as written, valid JSON syntax */
    HAFT__JSON_STRING, /* text: decoded, valid UTF-8, may hold NUL */
    HAFT__JSON_ARRAY,
    HAFT__JSON_OBJECT,
} haft__json_kind;

typedef struct haft__json haft__json;
typedef struct haft__json_member haft__json_member;

struct haft__json {
    uint8_t kind;    /* haft__json_kind */
    uint8_t integer; /* of a number: written without fraction and exponent */
    uint16_t unused;
    uint32_t count; /* bytes of text, items or members */
    union {
        const char *text;
        const haft__json *items;
        const haft__json_member *members;
    };
};

struct haft__json_member {
    haft__json key; /* a string */
    haft__json value;
};

/* "null", "boolean", "number", "string", "array", "object": JSON Schema's names. */
const char *haft__json_kind_name(haft__json value);

/* Fails with BAD_INPUT: "expected WANTED, found KIND". `where` as for haft__fail. */
haft_status haft__json_fail_type(haft__json found, const char *where, const char *wanted,
                                 haft_error *err);

/* The text of a string or number; empty for everything else. */
static inline haft_str haft__json_text(haft__json value)
{
    bool has_text = value.kind == HAFT__JSON_NUMBER || value.kind == HAFT__JSON_STRING;
    return has_text ? (haft_str){value.text, value.count} : (haft_str){NULL, 0};
}

/* The value of `key`, or NULL if there is no such member or `object` is not an object. Linear
 * search: for repeated searches in objects from outside, build a map. */
const haft__json *haft__json_get(haft__json object, haft_str key);

/* Same JSON value: objects without regard to order, numbers by value (1.0 = 1). Costs at most n log
 * n. Fails when out of memory (it allocates only for large objects in different orders), and with
 * TOO_BIG if both nest deeper than HAFT__LIMIT_JSON_DEPTH, which no value from a reader does. */
HAFT_MUST_USE haft_status haft__json_equal(haft__json a, haft__json b, bool *ret_equal,
                                           haft_error *err);

/* Equal values have equal hashes, for any order of members and spelling of numbers. Parts deeper
 * than HAFT__LIMIT_JSON_DEPTH are ignored. */
uint64_t haft__json_hash(haft__hash_key key, haft__json value);

/* Copies the value with its items and members into `arena`; texts are borrowed. Fails when out of
 * memory, and with TOO_BIG as haft__json_equal does. */
HAFT_MUST_USE haft_status haft__json_copy(haft__arena *arena, haft__json value,
                                          haft__json *ret_copy, haft_error *err);

/* Copies the value with its texts: nothing is borrowed. */
HAFT_MUST_USE haft_status haft__json_copy_deep(haft__arena *arena, haft__json value,
                                               haft__json *ret_copy, haft_error *err);

/* Constructors. The text, items and members are borrowed. */
haft__json haft__json_null(void);
haft__json haft__json_bool(bool value);
haft__json haft__json_string(haft_str text);
haft__json haft__json_array(const haft__json *items, size_t count);
haft__json haft__json_object(const haft__json_member *members, size_t count);

/* A number, its text in `arena`; kind HAFT__JSON_NULL when out of memory. */
haft__json haft__json_int(haft__arena *arena, int64_t number);

#endif
