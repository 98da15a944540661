/* SPDX-License-Identifier: Apache-2.0 */
/* cli/session.h - a runtime for one command, on the store that its options name. */
#ifndef HAFT_CLI_SESSION_H
#define HAFT_CLI_SESSION_H

#include "cli/config/config.h"
#include "engine/runtime.h"
#include "store/store.h"

/* The rows of the option table of every command with a store. */
#define HAFT__OPTION_STORE                                                                         \
    {"store", 0, HAFT__OPTION_TEXT, "URL",                                                         \
     "where runs are kept: " HAFT__STORE_URLS "; by default haft.db in "                           \
     "your state directory"},                                                                      \
        HAFT__OPTION_NO_CONFIG

/* The store of --store, $HAFT_STORE or a settings file; default $XDG_STATE_HOME/haft/haft.db. */
HAFT_MUST_USE haft_status haft__session_store_url(haft__cli *cli, const haft__args *args,
                                                  const char **ret_url, haft_error *err);

/* Opens the store, or creates it. Destroy the runtime after use. BAD_INPUT or UNSUPPORTED for a URL
 * that names no store; IO for a store that cannot be used, for any reason. */
HAFT_MUST_USE haft_status haft__session_open(haft__cli *cli, const haft__args *args,
                                             haft_runtime **ret_runtime, haft_error *err);

/* The same, but never creates a store: for commands that read or continue runs. IO if the store
 * does not exist. */
HAFT_MUST_USE haft_status haft__session_open_existing(haft__cli *cli, const haft__args *args,
                                                      haft_runtime **ret_runtime, haft_error *err);

/* Executes a request to the store. Results live in the arena of the command. */
HAFT_MUST_USE haft_status haft__session_store_execute(haft__cli *cli, haft_runtime *runtime,
                                                      haft__store_request *request,
                                                      haft_error *err);

/* Returns the exit status for an error. */
haft__exit_status haft__session_exit_status(haft_status status);

/* True if the error is about the file of the store, not about the user's input. Then it also adds
 * this to the error. */
bool haft__session_is_store_error(haft__cli *cli, const haft__args *args, haft_error *err);

/* The same for an agent that could not be created: an unreadable script counts as a bad spec. */
haft__exit_status haft__session_agent_exit_status(haft_status status);

#endif
