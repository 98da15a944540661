/* SPDX-License-Identifier: Apache-2.0 */
/* spec/load/build_int.h - reads values of a spec that may be invalid. The functions return a usable
 * value even for an invalid value. They report a problem unless another check has reported it.
 * Private to its folder. */
#ifndef HAFT_SPEC_LOAD_BUILD_INT_H
#define HAFT_SPEC_LOAD_BUILD_INT_H

#include "spec/load/load_int.h"

/* Reads a duration in milliseconds; `fallback` if the value is neither text nor number. */
uint64_t haft__loader_read_duration(haft__loader *l, haft__json value, haft_str pointer,
                                    uint64_t fallback);

/* Reads a time limit. Returns 0 if the value is absent; a value of 0 is an error. */
uint64_t haft__loader_read_time_limit(haft__loader *l, haft__json value, haft_str pointer);

/* ---- build_family.c ---- */

/* Fills in model settings that `source`, an object or a text, omits. */
void haft__loader_fill_family(haft__loader *l, haft__json source);

/* Fills in spec->context, and context.tokens for that of the model. */
void haft__loader_build_context(haft__loader *l);

/* ---- build_provider.c ---- */

/* Reports at most one problem with spec->model: a missing or unknown provider, a provider that this
 * version does not support, or a missing name. `text` is the model if it is written as a text, else
 * "". */
void haft__loader_check_provider(haft__loader *l, haft_str text, haft_str pointer);

/* ---- build.c ---- */

/* Reads dollars, in millionths; `fallback` without the key. */
uint64_t haft__loader_read_micros(haft__loader *l, haft__json object, const char *key,
                                  haft_str pointer, uint64_t fallback);

/* Reads a rule of `approvals`, or the options of an entry `approval` of `middleware`. */
void haft__loader_read_approval(haft__loader *l, haft__json source, haft_str pointer,
                                haft__approval_rule *ret_rule);

/* The texts of an array. */
const haft_str *haft__loader_read_strings(haft__loader *l, haft__json array, size_t *ret_count);

#endif
