/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema/lookup.h - what a schema says of one place in the values it is about.
 *
 * Only plain words are followed: `type`, `properties`, `items`, `prefixItems`. Where a schema says
 * more, nothing is claimed.
 */
#ifndef HAFT_SCHEMA_LOOKUP_H
#define HAFT_SCHEMA_LOOKUP_H

#include "json/value.h"

/* Nothing can stand below a text, at a list by a name, or at a property that is not among those
 * that are named, unless `additionalProperties` has something to say about others. */
typedef enum haft__schema_lookup_result {
    HAFT__LOOKUP_KNOWN,        /* it says what can stand there */
    HAFT__LOOKUP_UNRESTRICTED, /* it does not say whether something can */
    HAFT__LOOKUP_IMPOSSIBLE,   /* nothing can */
} haft__schema_lookup_result;

/* What the schema says of the place that the JSON Pointer `at` leads to. `ret_until` is the part of
 * the pointer that leads somewhere, and `ret_schema` what is said there. */
haft__schema_lookup_result haft__schema_lookup(haft__json schema, haft_str at, haft_str *ret_until,
                                               haft__json *ret_schema);

/* Whether a value like `kind`, of which only that counts, is of the type, or of one of the types,
 * that a schema names. */
bool haft__schema_type_accepts(haft__json type, haft__json kind);

/* Whether a schema says more of a value than its own `type`, `properties` and `items` do. */
bool haft__schema_has_other_keywords(haft__json schema);

#endif
