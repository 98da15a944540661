/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/agent_tree.h - the agents of a run as a tree of lines, folded if they are many. */
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

/* One agent. The first is the run itself; each other one follows the agent that started it, after
 * those below earlier ones. */
typedef struct haft__agent_row {
    haft_str name;
    haft_str task; /* its start distinguishes the agents of one node */
    haft_str note; /* what it does, or how it ended */
    haft__agent_state state;
    uint32_t depth;
    uint32_t turns, most_turns; /* most_turns 0: a graph, which has none of its own */
    uint64_t tokens;
    uint64_t cost_parts;
} haft__agent_row;

/* Appends a line for each agent, each at most caps->width - 1 columns wide. If there are more than
 * HAFT__LIMIT_AGENT_ROWS, those that fail, work or wait come before those that are done, and a last
 * line counts the others. Returns the number of lines. */
size_t haft__agent_tree_draw(haft__buf *out, const haft__agent_row *rows, size_t count,
                             const haft__terminal_caps *caps);

#endif
