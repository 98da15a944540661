/* SPDX-License-Identifier: Apache-2.0 */
/* cli/follow/follow_agents.h - the live tree of the agents of a run, at the end of the terminal. */
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
    size_t count, capacity; /* the run itself is the first */
    haft__buf drawn;        /* the tree that is at the end of the terminal */
    size_t lines;           /* of it */
} haft__follow_agents;

/* `root` is the run that is followed. */
void haft__follow_agents_init(haft__follow_agents *agents, const haft_run *root, FILE *out,
                              haft__terminal_caps caps);
void haft__follow_agents_finish(haft__follow_agents *agents);

/* The root, or a run below it that this process performs, may have changed. */
void haft__follow_agents_update(haft__follow_agents *agents, const haft_run *run);

/* Draws the tree in the place of the last one, if it differs. The cursor must be at the beginning
 * of a line. */
void haft__follow_agents_draw(haft__follow_agents *agents);

/* Other output follows: removes the tree from the terminal, or leaves it as it is. */
void haft__follow_agents_erase(haft__follow_agents *agents);
void haft__follow_agents_leave(haft__follow_agents *agents);

#endif
