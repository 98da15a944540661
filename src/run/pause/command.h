/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/pause/command.h - what people and clients say to a run: answers, approvals, cancelling.
 *
 * A command may come from another process, through a store, so it has a text form and nothing in it
 * is trusted: it becomes an event only if it fits what the run waits for.
 */
#ifndef HAFT_RUN_PAUSE_COMMAND_H
#define HAFT_RUN_PAUSE_COMMAND_H

#include "run/redact/redact.h"
#include "run/run.h"

/* `pause` of a command that was said when the call waited for nobody: it answers no pause, and only
 * repeats what may have been said before. No kind of pause has that name. */
#define HAFT__RUN_COMMAND_NO_PAUSE "nothing"

typedef struct haft__run_command {
    haft__run_command_kind kind;
    haft_str call;    /* its id; "" when only one is pending */
    haft__json value; /* of an answer; the new arguments of an approval, or null */
    haft_str by;      /* who says so */
    haft_str why;     /* of a rejection or a cancelling; may be empty */
    haft_str pause;   /* the pause that the sender saw, as haft__pause_name has it, or
                         HAFT__RUN_COMMAND_NO_PAUSE: only that one is answered. "": not known */
    haft_str binding; /* of the approval as whoever speaks has seen it (run/pause/binding.h),
                         likewise; the beginning of it is enough */
    haft_str message; /* its own id, by which who sends it finds it again; "" for none */
    const haft__redactor *redactor; /* what must not be written down; NULL: nothing is known */
} haft__run_command;

/* Appends the text form, without secrets: one JSON object. */
void haft__run_command_write(haft__buf *buf, const haft__run_command *command);

/* Reads it. Texts point into `text`, which must outlive the command. BAD_INPUT when it is none. */
HAFT_MUST_USE haft_status haft__run_command_read(haft__arena *arena, haft_str text,
                                                 haft__hash_key hash_key,
                                                 haft__run_command *ret_command, haft_error *err);

/* Reads a value that somebody gives: strict JSON, in which no object has a key twice, since nobody
 * can have meant both. BAD_INPUT, with *ret_json false when it is no JSON at all: it may be meant
 * as a text. Texts of the value point into `text`. */
HAFT_MUST_USE haft_status haft__run_command_read_value(haft__arena *arena, haft_str text,
                                                       haft__hash_key hash_key,
                                                       haft__json *ret_value, bool *ret_json,
                                                       haft_error *err);

/* Names what the command is for, as whoever speaks can have seen the run: the call when only one
 * waits, what it waits for, or HAFT__RUN_COMMAND_NO_PAUSE, and what is to be approved unless the
 * command says so. Texts are the run's. */
void haft__run_command_set_target(const haft__run *run, haft__run_command *command);

/* Whether just this has been said to the call that it names, and was taken: this command, or the
 * same of somebody else. Of a value that has a secret in it the log has what was redacted. */
HAFT_MUST_USE haft_status haft__run_command_is_duplicate(const haft__run *run,
                                                         const haft__run_command *command,
                                                         bool *ret_duplicate, haft_error *err);

/* Rejects a value with a secret in it (BAD_INPUT). The log keeps the redacted value, and a run that
 * is resumed from the log would pass on that one. `what` names the value: "an answer". */
HAFT_MUST_USE haft_status haft__run_command_check_secrets(const haft__run *run,
                                                          const haft__run_command *command,
                                                          const char *what, haft_error *err);

/* Appends the body of the event that it becomes. Nothing is appended when the same has been said
 * before, to what waits or to what the call waited for before that: who approves a call twice has
 * not said that it is to run again. NOT_FOUND when there is no such call, BAD_STATE when it does
 * not wait for this, or an other answer was given; the message names what is pending. BAD_INPUT
 * when what was said cannot be taken, new arguments that the tool does not take for instance: the
 * call goes on waiting. So are new arguments, and answers to a tool, that have a secret in them:
 * what would be written down is not what was said. */
HAFT_MUST_USE haft_status haft__run_command_apply(const haft__run *run,
                                                  const haft__run_command *command, haft__buf *buf,
                                                  haft_error *err);

#endif
