/* SPDX-License-Identifier: Apache-2.0 */
/* cli/session.h - creates the runtime of a command, with the store that its options name. */
#ifndef HAFT_CLI_SESSION_H
#define HAFT_CLI_SESSION_H

#include "cli/config/config.h"
#include "engine/runtime.h"
#include "store/store.h"

/* Rows of the option tables of all commands with a store. */
#define HAFT__OPTION_STORE                                                                         \
    {"store", 0, HAFT__OPTION_TEXT, "URL",                                                         \
     "where runs are kept: " HAFT__STORE_URLS "; by default haft.db in "                           \
     "your state directory"},                                                                      \
        HAFT__OPTION_NO_CONFIG

/* A row of the option tables of all commands that start runs. */
#define HAFT__OPTION_USER                                                                          \
    {                                                                                              \
        "user", 0, HAFT__OPTION_TEXT, "NAME",                                                      \
            "the user for whom the run acts; tools get the name ($HAFT_USER)"                      \
    }

/* The user of --user or $HAFT_USER; NULL if neither is set. */
const char *haft__session_user(const haft__args *args);

/* The trace context of $TRACEPARENT; NULL if it is not set. */
const char *haft__session_traceparent(void);

/* Finds the URL of the store: from --store, $HAFT_STORE or a settings file. The default is
 * $XDG_STATE_HOME/haft/haft.db. */
HAFT_MUST_USE haft_status haft__session_store_url(haft__cli *cli, const haft__args *args,
                                                  const char **ret_url, haft_error *err);

/* Opens the store, or creates it. The caller destroys the runtime. Fails with BAD_INPUT or
 * UNSUPPORTED if the URL names no store, and with IO if the store cannot be used. */
HAFT_MUST_USE haft_status haft__session_open(haft__cli *cli, const haft__args *args,
                                             haft_runtime **ret_runtime, haft_error *err);

/* The same for commands that read or continue runs: fails with IO if the store does not exist. */
HAFT_MUST_USE haft_status haft__session_open_existing(haft__cli *cli, const haft__args *args,
                                                      haft_runtime **ret_runtime, haft_error *err);

/* Starts the metrics of a runtime that was opened here, even if no collector is configured. */
HAFT_MUST_USE haft_status haft__session_start_metrics(haft__cli *cli, haft_runtime *runtime,
                                                      haft_error *err);

/* Executes a request to the store. Results live in the arena of the command. */
HAFT_MUST_USE haft_status haft__session_store_execute(haft__cli *cli, haft_runtime *runtime,
                                                      haft__store_request *request,
                                                      haft_error *err);

/* Returns the exit status for an error. */
haft__exit_status haft__session_exit_status(haft_status status);

/* Returns true if the store caused the error, and not the user's input. In this case also converts
 * the error to IO. */
bool haft__session_is_store_error(haft__cli *cli, const haft__args *args, haft_error *err);

/* Returns the exit status if an agent could not be created. An unreadable script counts as a bad
 * spec. */
haft__exit_status haft__session_agent_exit_status(haft_status status);

#endif
