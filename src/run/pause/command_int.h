/* SPDX-License-Identifier: Apache-2.0 */
/* run/pause/command_int.h - shared by command.c, command_target.c and command_repeat.c. */
#ifndef HAFT_RUN_PAUSE_COMMAND_INT_H
#define HAFT_RUN_PAUSE_COMMAND_INT_H

#include "run/pause/command.h"

/* ---- command_target.c ---- */

bool haft__command_is_pending(const haft__run *run, const haft__run_call *call);

/* Adds a hint that names the pending calls. */
HAFT_MUST_USE haft_status haft__command_hint_pending(const haft__run *run, haft_status status,
                                                     haft_error *err);

HAFT_MUST_USE haft_status haft__command_refuse_ended(const haft__run *run, haft_error *err);

/* Finds the call that the command names, or the only pending call. Fails with NOT_FOUND, BAD_STATE
 * or BAD_INPUT. */
HAFT_MUST_USE haft_status haft__command_find_call(const haft__run *run, haft_str id,
                                                  const haft__run_call **ret_call, haft_error *err);

/* ---- command_repeat.c ---- */

/* The value of the answer in the command. */
haft__json haft__command_value(const haft__run_command *command);

/* Redacts the value in the same way as an event. *ret_redacted: whether the value had a secret. */
HAFT_MUST_USE haft_status haft__command_redact_value(const haft__redactor *redactor,
                                                     haft__json value, haft__hash_key hash_key,
                                                     haft__arena *arena, haft__json *ret_clean,
                                                     bool *ret_redacted, haft_error *err);

/* Whether the command repeats an earlier command. */
HAFT_MUST_USE haft_status haft__command_is_repeated(const haft__run *run,
                                                    const haft__run_call *call,
                                                    const haft__run_command *command,
                                                    bool *ret_same, haft_error *err);

/* Whether the command repeats an earlier approval. Such a command does not answer a later pause of
 * the call, such as a question of its tool or an unknown outcome. */
HAFT_MUST_USE haft_status haft__command_repeats_approval(const haft__run *run,
                                                         const haft__run_call *call,
                                                         const haft__run_command *command,
                                                         bool *ret_same, haft_error *err);

#endif
