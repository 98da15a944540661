/* SPDX-License-Identifier: Apache-2.0 */
/* tool/trait_values.h - the value of one trait: how a row of the table of traits reads, writes and
 * describes it. */
#ifndef HAFT_TOOL_TRAIT_VALUES_H
#define HAFT_TOOL_TRAIT_VALUES_H

#include "tool/traits.h"

/* The names of the values, by their number. */
extern const char *const haft__cost_names[HAFT__COST_HEAVY + 1];
extern const char *const haft__cache_scope_names[HAFT__CACHE_GLOBAL + 1];
extern const char *const haft__unknown_trait_names[HAFT__UNKNOWN_RETRY + 1]; /* from ASK */

/* The flag of a trait that is a flag. */
static inline bool *haft__trait_flag(const haft__trait *trait, haft__traits *traits)
{
    return (bool *)((char *)traits + trait->flag);
}

/* Fails with BAD_INPUT, with the nearest of the `known` keys as a hint. */
haft_status haft__trait_fail_key(const char *where, haft_str key, const char *const *known,
                                 size_t count, haft_error *err);

/* ---- haft__trait.read ---- */

haft_status haft__trait_read_flag(const haft__trait *trait, haft__json value, haft__traits *traits,
                                  haft_error *err);
haft_status haft__trait_read_cost(const haft__trait *trait, haft__json value, haft__traits *traits,
                                  haft_error *err);
haft_status haft__trait_read_timeout(const haft__trait *trait, haft__json value,
                                     haft__traits *traits, haft_error *err);
haft_status haft__trait_read_poll_delay(const haft__trait *trait, haft__json value,
                                        haft__traits *traits, haft_error *err);
haft_status haft__trait_read_retries(const haft__trait *trait, haft__json value,
                                     haft__traits *traits, haft_error *err);
haft_status haft__trait_read_cache(const haft__trait *trait, haft__json value, haft__traits *traits,
                                   haft_error *err);
haft_status haft__trait_read_lane(const haft__trait *trait, haft__json value, haft__traits *traits,
                                  haft_error *err);
haft_status haft__trait_read_on_unknown(const haft__trait *trait, haft__json value,
                                        haft__traits *traits, haft_error *err);

/* ---- haft__trait.write ---- */

void haft__trait_write_flag(haft__json_writer *w, const haft__trait *trait,
                            const haft__traits *traits);
void haft__trait_write_cost(haft__json_writer *w, const haft__trait *trait,
                            const haft__traits *traits);
void haft__trait_write_timeout(haft__json_writer *w, const haft__trait *trait,
                               const haft__traits *traits);
void haft__trait_write_retries(haft__json_writer *w, const haft__trait *trait,
                               const haft__traits *traits);
void haft__trait_write_cache(haft__json_writer *w, const haft__trait *trait,
                             const haft__traits *traits);
void haft__trait_write_lane(haft__json_writer *w, const haft__trait *trait,
                            const haft__traits *traits);
void haft__trait_write_on_unknown(haft__json_writer *w, const haft__trait *trait,
                                  const haft__traits *traits);
void haft__trait_write_poll_delay(haft__json_writer *w, const haft__trait *trait,
                                  const haft__traits *traits);
void haft__trait_write_polls(haft__json_writer *w, const haft__trait *trait,
                             const haft__traits *traits);

/* ---- haft__trait.describe ---- */

haft_str haft__trait_describe_flag(const haft__trait *trait, const haft__traits *traits,
                                   char *text);
haft_str haft__trait_describe_cost(const haft__trait *trait, const haft__traits *traits,
                                   char *text);
haft_str haft__trait_describe_timeout(const haft__trait *trait, const haft__traits *traits,
                                      char *text);
haft_str haft__trait_describe_retries(const haft__trait *trait, const haft__traits *traits,
                                      char *text);
haft_str haft__trait_describe_cache(const haft__trait *trait, const haft__traits *traits,
                                    char *text);
haft_str haft__trait_describe_lane(const haft__trait *trait, const haft__traits *traits,
                                   char *text);

#endif
