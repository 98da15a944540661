/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/pause/command.h - commands of people and clients to a run: answers, approvals, cancellation.
 *
 * A command may come from another process through a store. It therefore has a text form, and it is
 * untrusted input: it becomes an event only if it fits a pause of the run.
 */
#ifndef HAFT_RUN_PAUSE_COMMAND_H
#define HAFT_RUN_PAUSE_COMMAND_H

#include "run/redact/redact.h"
#include "run/run.h"

/* Value of `pause` for a command that was issued while the call was not pending. It answers no
 * pause and can only repeat an earlier command. No kind of pause has that name. */
#define HAFT__RUN_COMMAND_NO_PAUSE "nothing"

/* The verdict of a client that answers a headless call with an error. */
#define HAFT__VERDICT_ERROR "error"

typedef struct haft__run_command {
    haft__run_command_kind kind;
    haft_str call;    /* its id; "" if only one call is pending */
    haft__json value; /* of an answer; the new arguments of an approval, or null */
    haft_str by;      /* the person or client that issued it */
    haft_str why;     /* the reason of a rejection or cancellation, which may be empty; the error of
                         a call that failed at its client; why nobody was asked for an approval */
    haft_str pause;   /* the pause that the sender saw, by name, or HAFT__RUN_COMMAND_NO_PAUSE; only
                         that pause is answered. "": unknown */
    haft_str binding; /* the binding that the sender saw (run/pause/binding.h), in the same way; a
                         prefix is enough */
    bool always;      /* of an approval: also approves later calls of the tool in this run */
    haft_str message; /* the id of the command, for its sender; "" without one */
    const haft__redactor *redactor; /* secrets that must not be logged; or NULL */
} haft__run_command;

/* Whether the command is about a call; all others are about the whole run. */
bool haft__run_command_is_for_call(const haft__run_command *command);

/* Appends the text form, without secrets: one JSON object. */
void haft__run_command_write(haft__buf *buf, const haft__run_command *command);

/* Reads the text form. Texts point into `text`, which must outlive the command. BAD_INPUT if it is
 * not a command. */
HAFT_MUST_USE haft_status haft__run_command_read(haft__arena *arena, haft_str text,
                                                 haft__hash_key hash_key,
                                                 haft__run_command *ret_command, haft_error *err);

/* Reads a value that a person gives: strict JSON without duplicate keys, because a duplicate is
 * ambiguous. BAD_INPUT otherwise; *ret_json is then false if it is not JSON at all, so that the
 * caller may use it as a text. Texts of the value point into `text`. */
HAFT_MUST_USE haft_status haft__run_command_read_value(haft__arena *arena, haft_str text,
                                                       haft__hash_key hash_key,
                                                       haft__json *ret_value, bool *ret_json,
                                                       haft_error *err);

/* Fills in the target of the command from the run as the sender sees it: the call if only one is
 * pending, its pause or HAFT__RUN_COMMAND_NO_PAUSE, and the binding unless the command has one.
 * Texts are borrowed from the run. */
void haft__run_command_set_target(const haft__run *run, haft__run_command *command);

/* Whether the call has already accepted this command, or an equal one of another sender. If the
 * value has a secret, the redacted value in the log is compared. */
HAFT_MUST_USE haft_status haft__run_command_is_duplicate(const haft__run *run,
                                                         const haft__run_command *command,
                                                         bool *ret_duplicate, haft_error *err);

/* Rejects a value that contains a secret (BAD_INPUT). The log keeps only the redacted value, and a
 * run that is resumed from the log would pass that one on. `what` names the value: "an answer". */
HAFT_MUST_USE haft_status haft__run_command_check_secrets(const haft__run *run,
                                                          const haft__run_command *command,
                                                          const char *what, haft_error *err);

/* Appends the body of the event for the command. Appends nothing if an equal command was accepted
 * before, for the current pause or an earlier pause of the call: a second approval does not mean
 * that the call is to run again. NOT_FOUND if the call does not exist. BAD_STATE if the call is not
 * pending in this way or has a different answer; the message names the pending calls. BAD_INPUT if
 * the value is not acceptable, for example new arguments that are invalid for the tool, or new
 * arguments or answers to a tool that contain a secret, because the log would keep a different
 * value. The call then stays pending. */
HAFT_MUST_USE haft_status haft__run_command_apply(const haft__run *run,
                                                  const haft__run_command *command, haft__buf *buf,
                                                  haft_error *err);

#endif
