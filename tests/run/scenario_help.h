/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scenario_help.h - the runs of tests/run/scenarios/, one per file:
 *
 *     # The property that it shows.
 *     spec: agent; tools=look          words of run_help.h
 *     --- script
 *     replies: [...]                   docs/script.md
 *     --- actions                      performed one by one, whenever the run waits; optional
 *     c1.1 approve null                an answer: call, verdict, value as JSON
 *     at 5000000                       sets the clock to this many milliseconds
 *     cancel                           a person cancels the run
 *     --- events
 *     run_started                      the expected events (help_summarise)
 *
 * With HAFT_RENEW=1 in the environment the tests write the actual events into the files instead of
 * comparing them: for an intended change, to be reviewed with git diff.
 */
#ifndef HAFT_TESTS_SCENARIO_HELP_H
#define HAFT_TESTS_SCENARIO_HELP_H

#include "run_help.h"

typedef struct help_scenario {
    const char *path;                                    /* below the root of the project */
    haft_str text, title, spec, script, actions, events; /* text is all of the file */
} help_scenario;

/* All of them, sorted by name; they live until the test ends. */
const help_scenario *help_scenarios(size_t *ret_count);

/* The scenario with that file name (without .txt). */
const help_scenario *help_scenario_named(const char *name);

/* Plays the scenario from the state of `r`: from the start, or after help_run_restore. */
haft_status help_scenario_play(const help_scenario *scenario, help_run *r);

/* Its whole log; lives until the test ends. */
haft_str help_scenario_log(const help_scenario *scenario);

/* Overwrites the file with `found` if HAFT_RENEW is set; else returns false. */
bool help_renew(const char *path, haft_str found);

#endif
