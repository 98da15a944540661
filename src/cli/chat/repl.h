/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/chat/repl.h - the state and the functions of `haft chat`.
 *
 *     chat.c            opens the chat, reads lines, distinguishes messages from commands
 *     repl.c            sends a message as a run of the thread; handles open runs
 *     slash_commands.c  the table of slash commands, and the functions of the short ones
 *     threads.c         commands about threads: history, undo, threads ...
 *     artifacts.c       commands about artifacts of the thread
 *     complete.c        completion with Tab
 */
#ifndef HAFT_CLI_CHAT_REPL_H
#define HAFT_CLI_CHAT_REPL_H

#include "cli/input/line_reader.h"
#include "cli/input/spec_file.h"
#include "cli/interrupts.h"
#include "cli/session.h"
#include "cli/terminal/editor_tty.h"

typedef struct haft__repl {
    haft__cli *cli;
    const haft__args *args;
    haft_runtime *runtime;
    haft_agent *agent;
    const haft__spec *spec;   /* of the agent */
    haft__spec_origin origin; /* of the spec that was read last */
    char thread[HAFT__ID_LENGTH + 1];
    bool quiet;
    haft__buf inputs; /* files that are sent with the next message */
    size_t input_count;
    haft__buf sent; /* the last message, as it was typed */
    char sent_run[HAFT__ID_LENGTH + 1];
    char interrupted_run[HAFT__ID_LENGTH + 1]; /* the open run that Ctrl-C interrupted, or "" */
    haft__line_history history;
    bool interactive; /* reads from `tty`; otherwise from `lines` */
    haft__editor_tty tty;
    haft__line_reader lines;
    haft__interrupts interrupts;
    bool quitting;
    haft__exit_status result;
} haft__repl;

/* ---- chat.c ---- */

/* Prints a note on standard error, unless --quiet is set. */
void haft__repl_print_note(haft__repl *repl, const char *format, ...) HAFT__PRINTF(2, 3);

/* Prints an error; the chat continues. */
void haft__repl_print_error(haft__repl *repl, const haft_error *err);

/* Executes a request to the store. */
HAFT_MUST_USE haft_status haft__repl_store_execute(haft__repl *repl, haft__store_request *request,
                                                   haft_error *err);

/* Sends a text as a run of the thread. Prints the error if that fails. */
void haft__repl_send(haft__repl *repl, haft_str text);

/* Finds the newest unfinished run of the thread; *ret_open is NULL if there is none. */
HAFT_MUST_USE haft_status haft__repl_find_open_run(haft__repl *repl,
                                                   const haft__store_run **ret_open,
                                                   haft_error *err);

/* Prints that a run is open, and how to continue it. */
void haft__repl_print_open_run(haft__repl *repl, const haft__store_run *open);

/* Continues the open run, or cancels it. */
void haft__repl_cmd_resume(haft__repl *repl, haft_str argument);
void haft__repl_cmd_cancel(haft__repl *repl, haft_str argument);

/* Reads the spec with another model; `model` NULL: the model of the command line. Prints the
 * problems of the spec. */
HAFT_MUST_USE haft_status haft__repl_read_spec(haft__repl *repl, const char *model,
                                               const haft__spec **ret_spec, haft_error *err);

/* Creates an agent of the spec and uses it from now on. On failure the present agent stays. */
HAFT_MUST_USE haft_status haft__repl_set_spec(haft__repl *repl, const haft__spec *spec,
                                              haft_error *err);

/* ---- slash_commands.c ---- */

typedef struct haft__repl_command {
    const char *name;  /* with its slash */
    const char *usage; /* "" for no argument; [X] for an optional one */
    const char *help;
    void (*run)(haft__repl *repl, haft_str argument);
    /* Appends the possible values of the argument, one per line. `start` is the part that was
     * typed. Returns how many bytes of `start` are kept. NULL: no completion. */
    size_t (*complete)(haft__repl *repl, haft_str start, haft__buf *lines);
} haft__repl_command;

const haft__repl_command *haft__repl_command_table(size_t *ret_count);

/* Runs a line that starts with a slash. */
void haft__repl_run_command(haft__repl *repl, haft_str line);

/* ---- threads.c ---- */

/* Switches to the thread `name`: an id, a prefix of an id, or "last". */
HAFT_MUST_USE haft_status haft__repl_switch_thread(haft__repl *repl, haft_str name,
                                                   haft_error *err);

/* Starts a new, empty thread. */
HAFT_MUST_USE haft_status haft__repl_start_thread(haft__repl *repl, haft_error *err);

void haft__repl_cmd_history(haft__repl *repl, haft_str argument);
void haft__repl_cmd_threads(haft__repl *repl, haft_str argument);
void haft__repl_cmd_thread(haft__repl *repl, haft_str argument);
void haft__repl_cmd_new(haft__repl *repl, haft_str argument);
void haft__repl_cmd_undo(haft__repl *repl, haft_str argument);
void haft__repl_cmd_retry(haft__repl *repl, haft_str argument);

/* Lists the runs of the thread, newest first, at most HAFT__LIMIT_STORE_LIST. */
HAFT_MUST_USE haft_status haft__repl_list_runs(haft__repl *repl, haft__store_request *ret_list,
                                               haft_error *err);

/* ---- artifacts.c ---- */

void haft__repl_cmd_artifacts(haft__repl *repl, haft_str argument);

/* ---- complete.c ---- */

haft__editor_completer haft__repl_complete; /* its context is the haft__repl */

size_t haft__repl_complete_command(haft__repl *repl, haft_str start, haft__buf *lines);
size_t haft__repl_complete_tool(haft__repl *repl, haft_str start, haft__buf *lines);
size_t haft__repl_complete_model(haft__repl *repl, haft_str start, haft__buf *lines);
size_t haft__repl_complete_thread(haft__repl *repl, haft_str start, haft__buf *lines);
size_t haft__repl_complete_file(haft__repl *repl, haft_str start, haft__buf *lines);

#endif
