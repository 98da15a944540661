/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/agent_tree.h - draws the agents of a run as a tree of lines; some are omitted if
 * there are many. */
#ifndef HAFT_CLI_TERMINAL_AGENT_TREE_H
#define HAFT_CLI_TERMINAL_AGENT_TREE_H

#include "base/buf.h"
#include "cli/terminal/terminal_caps.h"

typedef enum haft__agent_state {
    HAFT__AGENT_WORKS,
    HAFT__AGENT_WAITS, /* for a person */
    HAFT__AGENT_DONE,
    HAFT__AGENT_FAILED, /* any other end */
} haft__agent_state;

/* One agent. The rows are in depth-first order: the first row is the run itself, and each agent is
 * followed by the agents that it started. */
typedef struct haft__agent_row {
    haft_str name;
    haft_str task; /* distinguishes the agents of one node */
    haft_str note; /* the current activity, or how the agent ended */
    haft__agent_state state;
    uint32_t depth;
    uint32_t turns, most_turns; /* most_turns 0: a graph, which has no turns */
    uint64_t tokens;
    uint64_t cost_parts;
} haft__agent_row;

/* Appends a line for each agent, at most caps->width - 1 columns wide. If there are more than
 * HAFT__LIMIT_AGENT_ROWS agents, omits agents that are done first, and adds a line that counts the
 * omitted agents. Returns the number of lines. */
size_t haft__agent_tree_draw(haft__buf *out, const haft__agent_row *rows, size_t count,
                             const haft__terminal_caps *caps);

#endif
