/* SPDX-License-Identifier: Apache-2.0 */
/* run/pause/approval.h - whether a person must approve a call. */
#ifndef HAFT_RUN_PAUSE_APPROVAL_H
#define HAFT_RUN_PAUSE_APPROVAL_H

#include "run/pause/command.h"

/* Whether the rule applies to calls of the tool, by its name or by one of its traits. No rule
 * applies to a reducer of a graph. */
bool haft__approval_matches(const haft__approval_rule *rule, const haft__tool *tool);

/* Whether every call of the tool must be approved, regardless of the rules: its trait is set, or
 * its MCP server marks it as destructive and the spec has not turned off this check. */
bool haft__approval_by_tool(const haft__spec *spec, const haft__tool *tool);

/* Whether a call of `tool` with `arguments` must be approved, by a rule of the spec or by the
 * tool itself; *ret_rule is the rule, or NULL. If `arguments` is NULL: whether any call could
 * need an approval. If the `when` of a rule cannot be decided (run/pause/condition.h), the call
 * must be approved. */
bool haft__approval_is_required(const haft__spec *spec, const haft__tool *tool,
                                const haft__json *arguments, haft__arena *scratch,
                                const haft__approval_rule **ret_rule);

/* Rejects an approval whose new arguments are invalid for the tool or contain a secret: BAD_INPUT.
 * Accepts other commands. */
HAFT_MUST_USE haft_status haft__approval_check_command(const haft__run *run,
                                                       const haft__run_call *call,
                                                       const haft__run_command *command,
                                                       haft_error *err);

#endif
