/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/pause/binding.h - what an approval is for: one tool as it is defined, one set of arguments,
 * one set of rules.
 *
 * The pause has it, the answer has it, and the call starts only when it still is the same.
 */
#ifndef HAFT_RUN_PAUSE_BINDING_H
#define HAFT_RUN_PAUSE_BINDING_H

#include "base/sha256.h"
#include "run/run.h"

#define HAFT__BINDING_LENGTH HAFT__SHA256_HEX

/* How much of it people are shown and have to type: enough to tell what waits now from anything
 * that could wait instead. */
#define HAFT__BINDING_PREFIX_LENGTH 12

/* The hash of the tool's definition, of how its server is configured when it has one, of the
 * canonical arguments and of the spec's rules of approval; the same in every process. */
HAFT_MUST_USE haft_status haft__binding_make(const haft__spec *spec, const haft__tool *tool,
                                             haft__json arguments,
                                             char ret_binding[HAFT__SHA256_HEX], haft_error *err);

/* Whether the call that was approved, by its binding and its arguments, is what would run now. A
 * call that nobody was asked about has no binding (""): then it always holds. */
HAFT_MUST_USE haft_status haft__binding_holds(const haft__spec *spec, const haft__tool *tool,
                                              haft_str binding, haft__json arguments,
                                              bool *ret_holds, haft_error *err);

#endif
