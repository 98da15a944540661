/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/column.h - checks of the columns of a row that are the same in every database.
 *
 * A database is not trusted. Failures are sticky: a reader takes all columns and rows without
 * asking, and reports at its end what failed first. A column that fails is "".
 */
#ifndef HAFT_STORE_COLUMN_H
#define HAFT_STORE_COLUMN_H

#include "base/arena.h"

/* Zeroed: nothing has failed. */
typedef struct haft__column_checks {
    bool wrong;        /* a column does not have the kind, length or content it must have */
    haft__arena *full; /* the arena that had no room for a copy */
} haft__column_checks;

/* Text must be UTF-8. */
haft_str haft__column_text(haft__column_checks *checks, haft_str bytes);

haft_str haft__column_copy(haft__column_checks *checks, haft_str text, haft__arena *arena);

/* Content must have the SHA-256 `sum`. Returns a copy of it; also one of `sum` unless `ret_sha256`
 * is NULL. */
haft_str haft__column_content(haft__column_checks *checks, haft_str sum, haft_str content,
                              haft__arena *arena, haft_str *ret_sha256);

#endif
