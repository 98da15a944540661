/* SPDX-License-Identifier: Apache-2.0 */
/* cli/follow/follow_agents.h - the live tree of the agents of a run, in place of its timeline. */
#ifndef HAFT_CLI_FOLLOW_FOLLOW_AGENTS_H
#define HAFT_CLI_FOLLOW_FOLLOW_AGENTS_H

#include "cli/terminal/terminal_caps.h"
#include "engine/run.h"

struct haft__followed_agent;

typedef struct haft__follow_agents {
    haft_run *root;
    FILE *out;
    haft__terminal_caps caps;
    struct haft__followed_agent *agents;
    size_t count, capacity;
    size_t lines; /* of the tree on the terminal */
    bool changed;
} haft__follow_agents;

/* Watches the run and the children that this process performs, until it is finished. */
void haft__follow_agents_init(haft__follow_agents *follow, haft_run *root, FILE *out,
                              haft__terminal_caps caps);
void haft__follow_agents_finish(haft__follow_agents *follow);

/* Draws the tree again if something has changed. */
void haft__follow_agents_draw(haft__follow_agents *follow);

/* Other output follows: the tree on the terminal stays as it is. */
void haft__follow_agents_leave(haft__follow_agents *follow);

#endif
