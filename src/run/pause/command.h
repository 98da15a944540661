/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/pause/command.h - commands of people and clients to a run: answers, approvals, cancellation.
 *
 * Another process may send a command through a store. A command therefore has a text form and is
 * untrusted input: it becomes an event only if it matches a pause of the run.
 */
#ifndef HAFT_RUN_PAUSE_COMMAND_H
#define HAFT_RUN_PAUSE_COMMAND_H

#include "run/redact/redact.h"
#include "run/run.h"

/* Value of `pause` for a command that was issued while the call was not pending. Such a command
 * answers no pause; it can only repeat an earlier command. No kind of pause has that name. */
#define HAFT__RUN_COMMAND_NO_PAUSE "nothing"

/* The verdict of a client that answers a headless call with an error. */
#define HAFT__VERDICT_ERROR "error"

typedef struct haft__run_command {
    haft__run_command_kind kind;
    haft_str call;    /* the id of the call; "" if only one call is pending */
    haft__json value; /* the value of an answer; the new arguments of an approval, or null */
    haft_str by;      /* the person or client that issued the command */
    haft_str why;     /* the reason of a rejection or cancellation ("": none); the error of a call
                       * that failed at its client; the reason why an approval needed no person */
    haft_str pause;   /* the name of the pause that the sender saw, or HAFT__RUN_COMMAND_NO_PAUSE;
                       * the command answers only that pause. "": unknown */
    haft_str binding; /* the binding that the sender saw (run/pause/binding.h), or a prefix of it;
                       * "": unknown */
    bool always;      /* an approval also approves later calls of the tool in this run */
    haft_str message; /* the id of the command, for its sender; "" without one */
    const haft__redactor *redactor; /* secrets that must not be logged; or NULL */
} haft__run_command;

/* Whether the command applies to a call; all other commands apply to the whole run. */
bool haft__run_command_is_for_call(const haft__run_command *command);

/* Appends the text form, without secrets: one JSON object. */
void haft__run_command_write(haft__buf *buf, const haft__run_command *command);

/* Reads the text form. Texts point into `text`, which must outlive the command. BAD_INPUT if it is
 * not a command. */
HAFT_MUST_USE haft_status haft__run_command_read(haft__arena *arena, haft_str text,
                                                 haft__hash_key hash_key,
                                                 haft__run_command *ret_command, haft_error *err);

/* Reads a value from a person: strict JSON without duplicate keys, because a duplicate is
 * ambiguous. Fails with BAD_INPUT for any other text; *ret_json is then false if the text is not
 * JSON at all, so that the caller may use it as a string. Texts of the value point into `text`. */
HAFT_MUST_USE haft_status haft__run_command_read_value(haft__arena *arena, haft_str text,
                                                       haft__hash_key hash_key,
                                                       haft__json *ret_value, bool *ret_json,
                                                       haft_error *err);

/* Fills in the target of the command from the run as the sender sees it: the call if only one call
 * is pending; its pause, or HAFT__RUN_COMMAND_NO_PAUSE; and the binding if the command has none.
 * Texts are borrowed from the run. */
void haft__run_command_set_target(const haft__run *run, haft__run_command *command);

/* Whether the call has already accepted this command, or an equal command of another sender. If the
 * value has a secret, its redacted form is compared with the log. */
HAFT_MUST_USE haft_status haft__run_command_is_duplicate(const haft__run *run,
                                                         const haft__run_command *command,
                                                         bool *ret_duplicate, haft_error *err);

/* Rejects a value that contains a secret (BAD_INPUT). The log contains only the redacted value, so
 * a resumed run would use the redacted value. `what` names the value: "an answer". */
HAFT_MUST_USE haft_status haft__run_command_check_secrets(const haft__run *run,
                                                          const haft__run_command *command,
                                                          const char *what, haft_error *err);

/* Appends the body of the event for the command. Appends nothing if an equal command was already
 * accepted for this pause or an earlier pause of the call; a second approval does not run the call
 * again. NOT_FOUND if the call does not exist. BAD_STATE if the call is not pending for such a
 * command, or has a different answer; the message names the pending calls. BAD_INPUT if the value
 * is rejected, for example new arguments that are invalid for the tool, or a value for the tool
 * that contains a secret. After BAD_INPUT the call stays pending. */
HAFT_MUST_USE haft_status haft__run_command_apply(const haft__run *run,
                                                  const haft__run_command *command, haft__buf *buf,
                                                  haft_error *err);

#endif
