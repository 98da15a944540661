/* SPDX-License-Identifier: Apache-2.0 */
/*
 * database/samples.h - a few short values of the text columns of a table, for a model that must
 * know how values are written: 'shipped', 'open'.
 *
 * Columns whose names look secret or personal have none, and neither have values that look like
 * addresses, numbers of cards and telephones, or keys.
 */
#ifndef HAFT_DATABASE_SAMPLES_H
#define HAFT_DATABASE_SAMPLES_H

#include "base/limits.h"
#include "database/catalog_build.h"

/* The values of one table. */
typedef struct haft__samples {
    haft__catalog_builder *builder;
    size_t *columns; /* of the table, for each column of the query */
    haft_str (*values)[HAFT__LIMIT_SQL_SAMPLES];
    size_t count; /* columns of the query; 0: there is nothing to ask */
    bool failed;  /* out of memory */
} haft__samples;

/* Chooses the columns of the table that was added last, and writes the query for their values. */
HAFT_MUST_USE haft_status haft__samples_begin(haft__samples *samples,
                                              haft__catalog_builder *builder, haft_str schema,
                                              haft_str table, haft__buf *query, haft_error *err);

/* Adds a value of a column of the query, unless it is known, empty or must not be shown. */
void haft__samples_add(haft__samples *samples, size_t column, haft_str value);

/* Stores the values in the columns of the table. */
HAFT_MUST_USE haft_status haft__samples_end(haft__samples *samples, haft_error *err);

/* Whether values of a column with this name may be shown. */
bool haft__samples_allow_column(haft_str name);
bool haft__samples_allow_value(haft_str value);

#endif
