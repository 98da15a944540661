/* SPDX-License-Identifier: Apache-2.0 */
/* model/price.h - prices of models: those of the user, and the built-in ones. */
#ifndef HAFT_MODEL_PRICE_H
#define HAFT_MODEL_PRICE_H

#include "base/macros.h"
#include "spec/spec.h"

typedef struct haft__price_row {
    haft_str provider, model;
    haft__price price;
} haft__price_row;

/* Prices of the user. They override the built-in ones. */
typedef struct haft__price_table {
    const haft__price_row *rows;
    size_t count;
} haft__price_table;

/* Finds the price of a model that has none in its spec, for haft__spec_options.find_price.
 * `context` is the haft__price_table of the user, or NULL. The built-in prices are only those of
 * the provider itself, so a model with a base_url has none of them. False if the price is unknown.
 */
bool haft__price_find(const void *context, const haft__model_spec *model, haft__price *ret_price);

/* Sets the prices of writing to the provider's cache to what the provider takes for it, which is a
 * share of the price of input. */
void haft__price_fill_cache_writes(haft__price *price, const haft__model_spec *model);

/* Converts dollars to millionths of a dollar. Works with the decimal digits of the number, so the
 * result is exact. BAD_INPUT if the number has more than six decimals or is too large. */
HAFT_MUST_USE haft_status haft__price_read_dollars(haft_str number, uint64_t *ret_micros,
                                                   haft_error *err);

#endif
