/* SPDX-License-Identifier: Apache-2.0 */
/* run/prices.h - the prices that a run records when it begins: the prices of models whose spec
 * states none. Every process that continues or replays the run uses these prices.
 *
 *     "prices":[{"model":"openai:gpt-5.4-mini","input":0.75,"output":4.5,"cached":0.075}] */
#ifndef HAFT_RUN_PRICES_H
#define HAFT_RUN_PRICES_H

#include "spec/spec.h"
#include "json/write.h"

/* Writes the member `prices` with the known prices of all models of the spec, its fallbacks and its
 * agents, each model once. Writes nothing if no price must be recorded. */
void haft__prices_write(haft__json_writer *w, const haft__spec *spec);

/* Finds the price of the model in a recorded list, which may be null. Returns false if the list has
 * no price for the model. */
bool haft__prices_find(haft__json prices, const haft__model_spec *model, haft__price *ret_price);

/* "spec", "built in", "settings" or "log". */
const char *haft__price_source_name(haft__price_source source);

/* Writes "input":0.75,"output":4.5,"cached":0.075: dollars per million tokens; and "cache_write"
 * and "cache_write_1h" if they differ from "input". */
void haft__price_write(haft__json_writer *w, const haft__price *price);

#endif
