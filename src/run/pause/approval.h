/* SPDX-License-Identifier: Apache-2.0 */
/* run/pause/approval.h - whether a person must approve a call. */
#ifndef HAFT_RUN_PAUSE_APPROVAL_H
#define HAFT_RUN_PAUSE_APPROVAL_H

#include "run/pause/command.h"

/* Whether the rule is about calls of the tool, by its name or by a trait of it. */
bool haft__approval_matches(const haft__approval_rule *rule, const haft__tool *tool);

/* Whether a call of `tool` with `arguments` must be approved, by a rule of the spec or by the
 * tool's own trait; *ret_rule is the rule, or NULL. `arguments` may be NULL: then it is whether any
 * call could have to be. What a rule's `when` cannot be decided about (run/pause/condition.h) must
 * be approved. */
bool haft__approval_is_required(const haft__spec *spec, const haft__tool *tool,
                                const haft__json *arguments, haft__arena *scratch,
                                const haft__approval_rule **ret_rule);

/* Rejects an approval whose new arguments the tool does not take, or that have a secret in them:
 * BAD_INPUT. Other commands are accepted. */
HAFT_MUST_USE haft_status haft__approval_check_command(const haft__run *run,
                                                       const haft__run_call *call,
                                                       const haft__run_command *command,
                                                       haft_error *err);

#endif
