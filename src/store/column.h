/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/column.h - checks of database columns that all databases share.
 *
 * The database is not trusted. Failures are sticky: a reader reads all columns and rows without
 * checking each, and reports the first failure at its end. A column that fails reads as "".
 */
#ifndef HAFT_STORE_COLUMN_H
#define HAFT_STORE_COLUMN_H

#include "base/arena.h"

/* Zeroed: no failure so far. */
typedef struct haft__column_checks {
    bool invalid;              /* a column has the wrong type, length or content */
    haft__arena *failed_arena; /* the arena that could not hold a copy: out of memory or full */
} haft__column_checks;

/* Checks that the text is valid UTF-8. */
haft_str haft__column_text(haft__column_checks *checks, haft_str bytes);

haft_str haft__column_copy(haft__column_checks *checks, haft_str text, haft__arena *arena);

/* Checks that the SHA-256 of the content is `sum`. Returns a copy of the content. Also copies `sum`
 * unless `ret_sha256` is NULL. */
haft_str haft__column_content(haft__column_checks *checks, haft_str sum, haft_str content,
                              haft__arena *arena, haft_str *ret_sha256);

#endif
