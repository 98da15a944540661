/* SPDX-License-Identifier: Apache-2.0 */
/* schema/uri.h - parses and resolves URI references (RFC 3986). Pure. */
#ifndef HAFT_SCHEMA_URI_H
#define HAFT_SCHEMA_URI_H

#include <stdbool.h>

#include "base/arena.h"

/* The parts of a reference, without their separators. If the ptr of a part is NULL, the part is
 * absent, which differs from empty. The path is never absent. */
typedef struct haft__uri {
    haft_str scheme, authority, path, query, fragment;
} haft__uri;

haft__uri haft__uri_split(haft_str text);

/* `text` up to its first "#", and the text after it (empty without one). */
haft_str haft__uri_without_fragment(haft_str text);
haft_str haft__uri_fragment(haft_str text);

/* Resolves `reference` in a document at `base` (section 5.2). With an empty base the reference is
 * unchanged. .ptr is NULL when out of memory. */
haft_str haft__uri_resolve(haft__arena *arena, haft_str base, haft_str reference);

/* Decodes %XX in `text`; an incomplete escape is unchanged. .ptr is NULL when out of memory. */
haft_str haft__uri_decode(haft__arena *arena, haft_str text);

#endif
