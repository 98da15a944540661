/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema/place.h - what a schema says of one place in the values it is about.
 *
 * Only plain words are followed: `type`, `properties`, `items`, `prefixItems`. Where a schema says
 * more, nothing is claimed.
 */
#ifndef HAFT_SCHEMA_PLACE_H
#define HAFT_SCHEMA_PLACE_H

#include "json/value.h"

/* Nothing can stand below a text, at a list by a name, or at a property that is not among those
 * that are named, unless `additionalProperties` has something to say about others. */
typedef enum haft__place {
    HAFT__PLACE_KNOWN, /* it says what can stand there */
    HAFT__PLACE_OPEN,  /* it does not say whether something can */
    HAFT__PLACE_NONE,  /* nothing can */
} haft__place;

/* What the schema says of the place that the JSON Pointer `at` leads to. `ret_until` is the part of
 * the pointer that leads somewhere, and `ret_schema` what is said there. */
haft__place haft__place_find(haft__json schema, haft_str at, haft_str *ret_until,
                             haft__json *ret_schema);

/* Whether a value like `kind`, of which only that counts, is of the type, or of one of the types,
 * that a schema names. */
bool haft__place_type_takes(haft__json type, haft__json kind);

/* Whether a schema says more of a value than its own `type`, `properties` and `items` do. */
bool haft__place_says_elsewhere(haft__json schema);

#endif
