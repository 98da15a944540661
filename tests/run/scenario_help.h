/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scenario_help.h - the runs of tests/run/scenarios/, one a file:
 *
 *     # What it shows.
 *     spec: agent; tools=look          words of run_help.h
 *     --- script
 *     replies: [...]                   docs/script.md
 *     --- actions                      done one by one, whenever the run waits; may be left out
 *     c1.1 approve null                an answer: call, verdict, value as JSON
 *     at 5000000                       the clock goes on to this many milliseconds
 *     cancel                           somebody wants it to end
 *     --- events
 *     run_started                      what must come of it (help_summarise)
 *
 * With HAFT_RENEW=1 in the environment the tests write what they found into the files instead of
 * comparing: for a change that is meant, to be looked at with git diff.
 */
#ifndef HAFT_TESTS_SCENARIO_HELP_H
#define HAFT_TESTS_SCENARIO_HELP_H

#include "run_help.h"

typedef struct help_scenario {
    const char *path;                                    /* below the root of the project */
    haft_str text, title, spec, script, actions, events; /* text is all of the file */
} help_scenario;

/* All of them, in the order of their names; they live until the test ends. */
const help_scenario *help_scenarios(size_t *ret_count);

/* The one of that file name (without .txt). */
const help_scenario *help_scenario_named(const char *name);

/* Runs it from where `r` stands, be that the beginning or behind a help_run_restore. */
haft_status help_scenario_play(const help_scenario *scenario, help_run *r);

/* Its whole log; lives until the test ends. */
haft_str help_scenario_log(const help_scenario *scenario);

/* Writes `found` over the file when HAFT_RENEW is set; else false. */
bool help_renew(const char *path, haft_str found);

#endif
