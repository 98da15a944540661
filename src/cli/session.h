/* SPDX-License-Identifier: Apache-2.0 */
/* cli/session.h - a runtime for one command, over the store that its options name. */
#ifndef HAFT_CLI_SESSION_H
#define HAFT_CLI_SESSION_H

#include "cli/config/config.h"
#include "engine/runtime.h"

/* The rows of the option table that every command with a store has. */
#define HAFT__OPTION_STORE                                                                         \
    {"store", 0, HAFT__OPTION_TEXT, "URL",                                                         \
     "where runs are kept: sqlite:PATH, postgres://... or memory:; haft.db of your own by "        \
     "default"},                                                                                   \
        HAFT__OPTION_NO_CONFIG

/* The store that --store names, or $HAFT_STORE, or a file of settings; else
 * $XDG_STATE_HOME/haft/haft.db. */
HAFT_MUST_USE haft_status haft__session_store_url(haft__cli *cli, const haft__args *args,
                                                  const char **ret_url, haft_error *err);

/* Opens it; makes it if it is not there. Destroy the runtime after use. BAD_INPUT or UNSUPPORTED
 * for a URL that names no store, IO for a store that cannot be used, whatever is wrong with it. */
HAFT_MUST_USE haft_status haft__session_open(haft__cli *cli, const haft__args *args,
                                             haft_runtime **ret_runtime, haft_error *err);

/* For commands that look at runs or go on with them: looking makes no store. IO when there is
 * none. */
HAFT_MUST_USE haft_status haft__session_open_existing(haft__cli *cli, const haft__args *args,
                                                      haft_runtime **ret_runtime, haft_error *err);

/* Performs a request of the store. What is read lives in the arena of the command. */
HAFT_MUST_USE haft_status haft__session_store_execute(haft__cli *cli, haft_runtime *runtime,
                                                      haft__store_request *request,
                                                      haft_error *err);

/* Which exit an error is. */
haft__exit_status haft__session_exit_status(haft_status status);

/* Whether it is the file of the store that something is wrong with: a failure, and not of who named
 * it. The error says so from then on. */
bool haft__session_is_store_error(haft__cli *cli, const haft__args *args, haft_error *err);

/* The same for an agent that could not be made: a script that cannot be read is as bad as a spec.
 */
haft__exit_status haft__session_agent_exit_status(haft_status status);

#endif
