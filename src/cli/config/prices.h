/* SPDX-License-Identifier: Apache-2.0 */
/* cli/config/prices.h - reads `prices` of the user's settings. */
#ifndef HAFT_CLI_CONFIG_PRICES_H
#define HAFT_CLI_CONFIG_PRICES_H

#include "model/price.h"
#include "spec/load/document/builder.h"

/* Reads the table from a document that is valid for the schema of settings. Adds a problem for each
 * number with too many digits, and for each key that is not provider:model, that names an unknown
 * provider, or that names a model without cost. The table lives in `arena`. Fails only if out of
 * memory. */
HAFT_MUST_USE haft_status haft__config_prices_read(haft__arena *arena,
                                                   const haft__spec_document *document,
                                                   haft__spec_problems *problems,
                                                   haft__price_table *ret_table, haft_error *err);

/* Adds an error about the value at `pointer`, or about its key. */
void haft__config_add_problem(haft__spec_problems *problems, const haft__spec_document *document,
                              haft_str pointer, bool key, const char *message, const char *hint);

#endif
