/* SPDX-License-Identifier: Apache-2.0 */
/* follow_agents.c - see cli/follow/follow_agents.h. Tests: tests/cli/ask_terminal_test.py. */
#include "cli/follow/follow_agents.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/str.h"
#include "cli/terminal/agent_tree.h"
#include "engine/agent.h"
#include "engine/child_pool.h"
#include "engine/runtime.h"
#include "run/host.h"

#define TEXT_BYTES 64

/* An agent, with texts of its own: its run is released when it has ended. */
typedef struct haft__followed_agent {
    char id[HAFT__ID_LENGTH + 1];
    haft__agent_row row;
    char name[TEXT_BYTES], task[TEXT_BYTES], note[TEXT_BYTES];
} haft__followed_agent;

static void keep(char *to, haft_str text)
{
    (void)snprintf(to, TEXT_BYTES, "%.*s", (int)(text.len < TEXT_BYTES ? text.len : TEXT_BYTES - 1),
                   text.len > 0 ? text.ptr : "");
}

/* The activity of a run: its running call, or its end. */
static haft_str activity_of(const haft__run *run)
{
    if (run->stage == HAFT__RUN_ENDED) {
        return haft__str(haft__end_name(run->end));
    }
    if (run->stage == HAFT__RUN_AWAITING_REPLY) {
        return HAFT__LIT("asks its model");
    }
    for (size_t i = run->batch; i < run->call_count && !haft__run_is_graph(run); i++) {
        if (run->calls[i].stage == HAFT__CALL_STARTED) {
            return run->calls[i].name;
        }
    }
    return HAFT__LIT("");
}

static haft__agent_state state_of(const haft_run *run)
{
    if (run->state.stage == HAFT__RUN_ENDED) {
        bool good = run->state.end == HAFT__END_DONE || run->state.end == HAFT__END_DIRECT;
        return good ? HAFT__AGENT_DONE : HAFT__AGENT_FAILED;
    }
    return haft__run_local_question_seq(&run->state) > 0 ? HAFT__AGENT_WAITS : HAFT__AGENT_WORKS;
}

/* NULL if out of memory: then the agent is not shown. */
static haft__followed_agent *find_or_add(haft__follow_agents *f, const haft_run *run)
{
    for (size_t i = 0; i < f->count; i++) {
        if (strcmp(f->agents[i].id, run->id) == 0) {
            return &f->agents[i];
        }
    }
    if (f->count == f->capacity) {
        size_t capacity = f->capacity > 0 ? 2 * f->capacity : 16;
        haft__followed_agent *more = realloc(f->agents, capacity * sizeof(*more));
        if (more == NULL) {
            return NULL;
        }
        f->agents = more;
        f->capacity = capacity;
    }
    haft__followed_agent *agent = &f->agents[f->count++];
    *agent = (haft__followed_agent){.row = {.state = HAFT__AGENT_WORKS}};
    (void)snprintf(agent->id, sizeof(agent->id), "%s", run->id);
    return agent;
}

static void update(haft__follow_agents *f, const haft_run *run)
{
    haft__followed_agent *agent = run->agent != NULL ? find_or_add(f, run) : NULL;
    if (agent == NULL) {
        return;
    }
    const haft__run *state = &run->state;
    bool graph = haft__run_is_graph(state);
    haft__tree_usage own = graph ? haft__child_tree_usage(state) : haft__child_own_usage(state);
    keep(agent->name, state->spec->name);
    keep(agent->task, graph ? HAFT__LIT("") : haft__str_trim(state->task));
    keep(agent->note, activity_of(state));
    agent->row = (haft__agent_row){.state = state_of(run),
                                   .depth = haft__child_depth(state->path),
                                   .turns = state->turn,
                                   .most_turns = graph ? 0 : state->spec->limits.turns,
                                   .tokens = own.input_tokens + own.output_tokens,
                                   .cost_parts = own.cost_parts};
    f->changed = true;
}

static void on_child(void *context, haft_run *child)
{
    haft_event event;
    while (child->agent != NULL && haft_run_next_event(child, &event)) {
    }
    child->log.reader.attached = false;
    update(context, child);
}

void haft__follow_agents_init(haft__follow_agents *follow, haft_run *root, FILE *out,
                              haft__terminal_caps caps)
{
    *follow = (haft__follow_agents){.root = root, .out = out, .caps = caps};
    root->runtime->children.observer = (haft__child_observer){on_child, follow};
    update(follow, root); /* it comes first */
}

void haft__follow_agents_finish(haft__follow_agents *follow)
{
    if (follow->root != NULL) {
        follow->root->runtime->children.observer = (haft__child_observer){.observe = NULL};
    }
    free(follow->agents);
    *follow = (haft__follow_agents){.root = NULL};
}

void haft__follow_agents_draw(haft__follow_agents *follow)
{
    update(follow, follow->root);
    haft__agent_row *rows = follow->count > 0 ? calloc(follow->count, sizeof(*rows)) : NULL;
    if (rows == NULL || !follow->changed) {
        free(rows);
        return;
    }
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    for (size_t i = 0; i < follow->count; i++) {
        rows[i] = follow->agents[i].row;
        rows[i].name = haft__str(follow->agents[i].name);
        rows[i].task = haft__str(follow->agents[i].task);
        rows[i].note = haft__str(follow->agents[i].note);
    }
    if (follow->lines > 0) {
        haft__buf_addf(&text, "\x1b[%zuA\r\x1b[J", follow->lines);
    }
    follow->caps.width = haft__terminal_caps_width(follow->out);
    follow->lines = haft__agent_tree_draw(&text, rows, follow->count, &follow->caps);
    follow->changed = false;
    if (haft__buf_check(&text, NULL) == HAFT_OK) {
        (void)fwrite(text.ptr, 1, text.len, follow->out);
        (void)fflush(follow->out);
    }
    haft__buf_finish(&text);
    free(rows);
}

void haft__follow_agents_leave(haft__follow_agents *follow)
{
    follow->lines = 0;
}
