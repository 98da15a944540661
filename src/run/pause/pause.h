/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/pause/pause.h - the kinds of pauses: one row each.
 *
 * A row defines when a call has this kind of pause, who answers it, which commands it accepts and
 * which prompt a person sees. Code that handles pauses reads the row instead of comparing kinds. To
 * add a kind: docs/extending.md.
 */
#ifndef HAFT_RUN_PAUSE_PAUSE_H
#define HAFT_RUN_PAUSE_PAUSE_H

#include "spec/spec.h"
#include "json/value.h"

struct haft__run;
struct haft__run_call;
struct haft__run_command;

/* A command to a run. The row of the pause's kind defines its meaning. */
typedef enum haft__run_command_kind {
    HAFT__RUN_COMMAND_ANSWER,  /* contains the answer, or a result in place of the tool's result */
    HAFT__RUN_COMMAND_APPROVE, /* lets the call run, with new arguments if it has a value */
    HAFT__RUN_COMMAND_AGAIN,   /* lets a call of unknown outcome run again, approved or not */
    HAFT__RUN_COMMAND_REJECT,
    HAFT__RUN_COMMAND_FAIL,   /* a client reports that the call failed; `why` is the error */
    HAFT__RUN_COMMAND_CANCEL, /* cancels the whole run */
    HAFT__RUN_COMMAND_CHILD,  /* a child run reports its end in `value` */
    HAFT__RUN_COMMAND_LIMIT,  /* a budget of the parent is used up */
} haft__run_command_kind;

#define HAFT__RUN_COMMAND_KINDS (HAFT__RUN_COMMAND_LIMIT + 1)

/* The prompt that a terminal or an MCP client shows to a person. */
typedef enum haft__pause_prompt {
    HAFT__PAUSE_PROMPT_NONE,     /* no prompt: only a command answers the pause */
    HAFT__PAUSE_PROMPT_QUESTION, /* the argument `question`; the answer is a text */
    HAFT__PAUSE_PROMPT_CALL,     /* the tool and its arguments; the answer is yes or no */
    HAFT__PAUSE_PROMPT_OUTCOME,  /* whether to repeat a call; only a terminal has this prompt */
} haft__pause_prompt;

/* A command line that answers a pause: `haft COMMAND RUN CALL VALUE NOTE`. */
typedef struct haft__pause_reply {
    const char *command; /* NULL in the row after the last reply */
    const char *value, *note;
} haft__pause_reply;

#define HAFT__PAUSE_REPLIES 4

typedef struct haft__pause_kind {
    const char *name;  /* in events, in results and under `pauses` of a spec */
    bool before_start; /* pauses a call before it starts; all other kinds pause a started call */
    bool at_client; /* a client runs the call: the call occupies its lane, and its answer is JSON */
    bool binds;     /* an approval is valid only for its binding (run/pause/binding.h) */
    bool outcome_unknown;     /* the call was interrupted and may have had its effect */
    bool carries_elicitation; /* also pauses for a question of the tool itself */
    haft__pause_prompt prompt;

    /* The verdict of each command in the `answered` event; NULL: the kind does not accept it. */
    const char *verdicts[HAFT__RUN_COMMAND_KINDS];
    const char *edited; /* the verdict of an approval with new arguments; NULL: the verdict of any
                         * approval */

    /* Converts the value of an answer into the recorded value; NULL: it is recorded unchanged. It
     * returns BAD_INPUT if the question does not accept the answer. */
    haft_status (*read_answer)(const struct haft__run_call *call, haft__json value,
                               haft__json *ret_answer, haft_error *err);

    /* Checks a command that has a verdict; the error contains the reason of a rejection. NULL:
     * every such command is accepted. */
    haft_status (*check)(const struct haft__run *run, const struct haft__run_call *call,
                         const struct haft__run_command *command, haft_error *err);

    haft__pause_reply replies[HAFT__PAUSE_REPLIES]; /* the usual reply first */
} haft__pause_kind;

const haft__pause_kind *haft__pause_kind_of(haft__pause pause);

/* "question", "headless", ... */
const char *haft__pause_name(haft__pause pause);

/* Finds a kind by its name; false if it does not exist. */
bool haft__pause_find(haft_str name, haft__pause *ret_pause);

/* The kind of pause for a question that a tool asks. */
haft__pause haft__pause_of_elicitation(void);

/* The kind that replaces a pause after its process has ended. */
haft__pause haft__pause_of_lost_process(void);

/* The verdict of a command for a pause of that kind; NULL if the kind does not accept it. */
const char *haft__pause_verdict(haft__pause pause, const struct haft__run_command *command);

/* Whether an `answered` event with that verdict can follow a pause of that kind. */
bool haft__pause_accepts_verdict(haft__pause pause, haft_str verdict);

#endif
