/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema/lookup.h - finds the part of a schema that describes one location in its values.
 *
 * Only `type`, `properties`, `items` and `prefixItems` are followed. If a schema has other
 * keywords, the result is HAFT__LOOKUP_UNRESTRICTED.
 */
#ifndef HAFT_SCHEMA_LOOKUP_H
#define HAFT_SCHEMA_LOOKUP_H

#include "json/value.h"

/* No value can exist below a text, at a name in a list, or at an undeclared property, unless
 * `additionalProperties` allows undeclared properties. */
typedef enum haft__schema_lookup_result {
    HAFT__LOOKUP_KNOWN,        /* the schema describes the location */
    HAFT__LOOKUP_UNRESTRICTED, /* the schema does not decide whether a value can exist there */
    HAFT__LOOKUP_IMPOSSIBLE,   /* no value can exist there */
} haft__schema_lookup_result;

/* Looks up the location at the JSON Pointer `at`. `ret_until` is the longest part of the pointer
 * for which a value can exist, and `ret_schema` the schema at its end. */
haft__schema_lookup_result haft__schema_lookup(haft__json schema, haft_str at, haft_str *ret_until,
                                               haft__json *ret_schema);

/* Whether a value of the kind of `kind` has the type, or one of the types, that a schema names. */
bool haft__schema_type_accepts(haft__json type, haft__json kind);

/* Whether a schema has keywords that constrain a value beyond `type`, `properties` and `items`. */
bool haft__schema_has_other_keywords(haft__json schema);

#endif
