/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/pause/binding.h - the binding of an approval: one tool definition, one set of arguments, one
 * set of rules.
 *
 * The pause and the answer record the binding. The call starts only if the binding is unchanged.
 */
#ifndef HAFT_RUN_PAUSE_BINDING_H
#define HAFT_RUN_PAUSE_BINDING_H

#include "base/sha256.h"
#include "run/run.h"

#define HAFT__BINDING_LENGTH HAFT__SHA256_HEX

/* The number of hex digits that people see and type: enough to distinguish one approval from all
 * others. */
#define HAFT__BINDING_PREFIX_LENGTH 12

/* Makes the binding: a hash of the tool's definition, of its server's configuration if it has a
 * server, of the canonical arguments and of the spec's approval rules. The binding is the same in
 * every process. */
HAFT_MUST_USE haft_status haft__binding_make(const haft__spec *spec, const haft__tool *tool,
                                             haft__json arguments,
                                             char ret_binding[HAFT__SHA256_HEX], haft_error *err);

/* Makes the hash that a standing approval applies to. It covers the tool's definition, whether the
 * tool is destructive, and its server's configuration if it has a server. It does not cover
 * arguments and rules. The hash is the same in every process. */
HAFT_MUST_USE haft_status haft__binding_make_tool(const haft__spec *spec, const haft__tool *tool,
                                                  char ret_hash[HAFT__SHA256_HEX], haft_error *err);

/* Whether a call of the tool starts a program, whose relative path depends on the spec's directory:
 * a command, or a tool of a server that is started. */
HAFT_MUST_USE haft_status haft__binding_depends_on_directory(const haft__spec *spec,
                                                             const haft__tool *tool,
                                                             bool *ret_depends, haft_error *err);

/* Makes the hash that a standing approval of a user applies to, in all runs. It covers the hash of
 * haft__binding_make_tool, and the spec's directory if the tool depends on it. */
HAFT_MUST_USE haft_status haft__binding_make_user(const haft__spec *spec, const haft__tool *tool,
                                                  haft_str directory,
                                                  char ret_hash[HAFT__SHA256_HEX], haft_error *err);

/* Whether the approved binding and arguments match the call that would run now. A call without an
 * approval has no binding (""), which always matches. */
HAFT_MUST_USE haft_status haft__binding_matches(const haft__spec *spec, const haft__tool *tool,
                                                haft_str binding, haft__json arguments,
                                                bool *ret_matches, haft_error *err);

#endif
