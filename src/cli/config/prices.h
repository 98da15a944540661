/* SPDX-License-Identifier: Apache-2.0 */
/* cli/config/prices.h - `prices` of the user's settings. */
#ifndef HAFT_CLI_CONFIG_PRICES_H
#define HAFT_CLI_CONFIG_PRICES_H

#include "model/price.h"
#include "spec/load/document/builder.h"

/* Reads the table from a document that the schema of settings has accepted. Adds a problem for each
 * key that is not provider:model, names a provider that does not exist or a model that costs
 * nothing, and for each number with too many digits. The table lives in `arena`. Fails only when
 * out of memory. */
HAFT_MUST_USE haft_status haft__config_prices_read(haft__arena *arena,
                                                   const haft__spec_document *document,
                                                   haft__spec_problems *problems,
                                                   haft__price_table *ret_table, haft_error *err);

/* Adds an error about the value at `pointer`, or about its key. */
void haft__config_add_problem(haft__spec_problems *problems, const haft__spec_document *document,
                              haft_str pointer, bool key, const char *message, const char *hint);

#endif
