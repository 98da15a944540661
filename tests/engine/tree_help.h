/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_help.h - a tree of runs in tests: a root with two children, the second of which has a child.
 *
 *     root  c1.1 -> picker            waits for the headless call c1.1
 *           c1.2 -> middle  c1.1 -> picker            waits, too
 */
#ifndef HAFT_TESTS_TREE_HELP_H
#define HAFT_TESTS_TREE_HELP_H

#include "engine_help.h"

/* Members of a spec with a headless tool, an agent that calls it (its script is 1.json), and a call
 * of the tool that starts an agent. */
#define HELP_PICK                                                                                  \
    "\"tools\":[{\"name\":\"pick\",\"description\":\"Pick one.\",\"args\":[],"                     \
    "\"headless\":true}]"
#define HELP_PICKS "{\"replies\":[{\"calls\":[{\"name\":\"pick\"}]},{\"text\":\"picked\"}]}"
#define HELP_PICKER                                                                                \
    "\"picker\":{\"haft\":1,\"name\":\"picker\",\"description\":\"Picks one.\","                   \
    "\"model\":\"script:1.json\"," HELP_PICK "}"
#define HELP_ASK(name) "{\"name\":\"ask_" name "\",\"arguments\":{\"task\":\"ask the " name "\"}}"

/* Starts the tree and steps until it waits. */
haft_run *help_tree_start(help_host *h);

/* The id of the child of a run, by the call that started it; "" without one. */
haft_str help_tree_child(const haft__run *run, const char *call);

#endif
