/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_help.h - runtimes in tests: a spec and a script from texts, a run, and its events.
 *
 *     help_host h;
 *     help_host_init(&h, "memory:");
 *     haft_run *run = help_host_start(&h, SPEC, SCRIPT, "go");
 *     help_host_settle(&h, run);
 *     CHECK_STR(help_host_kinds(&h, run), ...);
 */
#ifndef HAFT_TESTS_ENGINE_HELP_H
#define HAFT_TESTS_ENGINE_HELP_H

#include "engine/agent.h"
#include "engine/run.h"
#include "engine/runtime.h"
#include "test.h"

typedef struct help_host {
    haft_runtime *runtime;
    char directory[64]; /* for scripts */
    unsigned agents;
    haft__buf text;
    haft_error err;
} help_host;

void help_host_init(help_host *h, const char *store);
void help_host_finish(help_host *h);

/* Members of a spec, without the braces: "\"tools\":[...]". Its model is the script, unless that is
 * NULL. The caller owns the agent. */
haft_agent *help_host_agent(help_host *h, const char *members, const char *script);

/* The same, and a run of it that has been started. */
haft_run *help_host_start(help_host *h, const char *members, const char *script, const char *task);

/* Steps until the run has ended, is paused or has stopped. */
void help_host_settle(help_host *h, haft_run *run);

/* The kinds of the events since the last call, separated by spaces. */
haft_str help_host_kinds(help_host *h, haft_run *run);

/* The events themselves, a line each. */
haft_str help_host_events(help_host *h, haft_run *run);

#endif
