/* SPDX-License-Identifier: Apache-2.0 */
/* cli/session.h - a runtime for one command, over the store that its options name. */
#ifndef HAFT_CLI_SESSION_H
#define HAFT_CLI_SESSION_H

#include "cli/config.h"
#include "engine/runtime.h"

/* The rows of the option table that every command with a store has. */
#define HAFT__OPTION_STORE                                                                         \
    {"store", 0, HAFT__OPTION_TEXT, "URL",                                                         \
     "where runs are kept: sqlite:PATH or memory:; haft.db of your own by default"},               \
        HAFT__OPTION_NO_CONFIG

/* The store that --store names, or $HAFT_STORE, or a file of settings; else
 * $XDG_STATE_HOME/haft/haft.db. */
HAFT_MUST_USE haft_status haft__session_store(haft__cli *cli, const haft__args *args,
                                              const char **ret_url, haft_error *err);

/* Opens it. Destroy the runtime after use. */
HAFT_MUST_USE haft_status haft__session_open(haft__cli *cli, const haft__args *args,
                                             haft_runtime **ret_runtime, haft_error *err);

/* Performs a request of the store. What is read lives in the arena of the command. */
HAFT_MUST_USE haft_status haft__session_ask(haft__cli *cli, haft_runtime *runtime,
                                            haft__store_request *request, haft_error *err);

/* Which exit an error is. */
haft__exit haft__session_exit(haft_status status);

#endif
