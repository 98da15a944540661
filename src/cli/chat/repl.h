/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/chat/repl.h - a conversation: one thread, an agent, and whoever types.
 *
 *     chat.c       opens it, reads lines, sorts texts from commands, leaves
 *     repl.c           a text as a run of the thread; runs that are open
 *     slash_commands.c  the table of slash commands, and the small ones
 *     threads.c    commands about threads: history, undo, threads ...
 *     artifacts.c what its runs have stored
 *     complete.c  the Tab key
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
    haft__spec_origin origin; /* where the one that was read last comes from */
    char thread[HAFT__ID_LENGTH + 1];
    bool quiet;
    haft__buf inputs; /* files that go with the next text */
    size_t input_count;
    haft__buf sent; /* the last text, as it was typed */
    char sent_run[HAFT__ID_LENGTH + 1];
    haft__line_history history;
    bool interactive; /* `tty` is there, else `lines` */
    haft__editor_tty tty;
    haft__line_reader lines;
    haft__interrupts interrupts;
    bool quitting;
    haft__exit_status result;
} haft__repl;

/* ---- chat.c ---- */

/* Says something that is no result, on standard error, unless only answers are wanted. */
void haft__repl_print_note(haft__repl *repl, const char *format, ...) HAFT__PRINTF(2, 3);

/* Says what went wrong; the chat goes on. */
void haft__repl_print_error(haft__repl *repl, const haft_error *err);

/* Performs a request of the store. */
HAFT_MUST_USE haft_status haft__repl_store_execute(haft__repl *repl, haft__store_request *request,
                                                   haft_error *err);

/* Sends a text: a run of the thread. Says why when that cannot be. */
void haft__repl_send(haft__repl *repl, haft_str text);

/* The newest run of the thread that has not ended; *ret_open is NULL when there is none. */
HAFT_MUST_USE haft_status haft__repl_find_open_run(haft__repl *repl,
                                                   const haft__store_run **ret_open,
                                                   haft_error *err);

/* Says that such a run is there, and how to go on. */
void haft__repl_print_open_run(haft__repl *repl, const haft__store_run *open);

/* Goes on with it, or ends it. */
void haft__repl_cmd_resume(haft__repl *repl, haft_str argument);
void haft__repl_cmd_cancel(haft__repl *repl, haft_str argument);

/* Reads the spec, with another model, or as the command line has it when that is NULL. What is
 * wrong with the spec is printed. */
HAFT_MUST_USE haft_status haft__repl_read_spec(haft__repl *repl, const char *model,
                                               const haft__spec **ret_spec, haft_error *err);

/* An agent of that spec from now on; the one there was stays when that fails. */
HAFT_MUST_USE haft_status haft__repl_set_spec(haft__repl *repl, const haft__spec *spec,
                                              haft_error *err);

/* ---- slash_commands.c ---- */

typedef struct haft__repl_command {
    const char *name;  /* with its slash */
    const char *usage; /* "" for no argument; [X] for one that may be left out */
    const char *help;
    void (*run)(haft__repl *repl, haft_str argument);
    /* Appends what the argument may be, a line each; NULL: nobody knows. `start` is what there is
     * of it; returns how much of that stays. */
    size_t (*complete)(haft__repl *repl, haft_str start, haft__buf *lines);
} haft__repl_command;

const haft__repl_command *haft__repl_command_table(size_t *ret_count);

/* Obeys a line that starts with a slash. */
void haft__repl_run_command(haft__repl *repl, haft_str line);

/* ---- threads.c ---- */

/* Goes on in the thread that `name` names: an id, the beginning of one, or "last". */
HAFT_MUST_USE haft_status haft__repl_switch_thread(haft__repl *repl, haft_str name,
                                                   haft_error *err);

/* Another thread, in which nothing has been said yet. */
HAFT_MUST_USE haft_status haft__repl_start_thread(haft__repl *repl, haft_error *err);

void haft__repl_cmd_history(haft__repl *repl, haft_str argument);
void haft__repl_cmd_threads(haft__repl *repl, haft_str argument);
void haft__repl_cmd_thread(haft__repl *repl, haft_str argument);
void haft__repl_cmd_new(haft__repl *repl, haft_str argument);
void haft__repl_cmd_undo(haft__repl *repl, haft_str argument);
void haft__repl_cmd_retry(haft__repl *repl, haft_str argument);

/* The runs of the thread, the newest first: HAFT__LIMIT_STORE_LIST of them at most. */
HAFT_MUST_USE haft_status haft__repl_list_runs(haft__repl *repl, haft__store_request *ret_list,
                                               haft_error *err);

/* ---- artifacts.c ---- */

void haft__repl_cmd_artifacts(haft__repl *repl, haft_str argument);

/* ---- complete.c ---- */

haft__editor_completer haft__repl_complete; /* its context is the chat */

size_t haft__repl_complete_command(haft__repl *repl, haft_str start, haft__buf *lines);
size_t haft__repl_complete_tool(haft__repl *repl, haft_str start, haft__buf *lines);
size_t haft__repl_complete_model(haft__repl *repl, haft_str start, haft__buf *lines);
size_t haft__repl_complete_thread(haft__repl *repl, haft_str start, haft__buf *lines);
size_t haft__repl_complete_file(haft__repl *repl, haft_str start, haft__buf *lines);

#endif
