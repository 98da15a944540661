/* SPDX-License-Identifier: Apache-2.0 */
/* cli/follow/follow_agents.h - draws a live tree of the agents of a run at the end of the terminal.
 */
#ifndef HAFT_CLI_FOLLOW_FOLLOW_AGENTS_H
#define HAFT_CLI_FOLLOW_FOLLOW_AGENTS_H

#include "base/buf.h"
#include "cli/terminal/terminal_caps.h"
#include "engine/run.h"

struct haft__followed_agent;

typedef struct haft__follow_agents {
    FILE *out;
    haft__terminal_caps caps;
    struct haft__followed_agent *agents;
    size_t count, capacity; /* the first agent is the run itself */
    haft__buf drawn;        /* the tree at the end of the terminal */
    size_t lines;           /* height of that tree; 0: no tree is drawn */
} haft__follow_agents;

/* Starts with one agent: `root`, the followed run. */
void haft__follow_agents_init(haft__follow_agents *agents, const haft_run *root, FILE *out,
                              haft__terminal_caps caps);
void haft__follow_agents_finish(haft__follow_agents *agents);

/* Call if the root, or a run below it that this process executes, may have changed. */
void haft__follow_agents_update(haft__follow_agents *agents, const haft_run *run);

/* Replaces the drawn tree if the tree has changed. The cursor must be at the beginning of a line.
 */
void haft__follow_agents_draw(haft__follow_agents *agents);

/* Call one of these before other output: the first removes the tree from the terminal; the second
 * leaves it, and the next tree is drawn below. */
void haft__follow_agents_erase(haft__follow_agents *agents);
void haft__follow_agents_leave(haft__follow_agents *agents);

#endif
