/* SPDX-License-Identifier: Apache-2.0 */
/* follow_agents.c - see cli/follow/follow_agents.h. Tests: tests/cli/ask_terminal_test.py. */
#include "cli/follow/follow_agents.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "cli/terminal/agent_tree.h"
#include "engine/agent.h"
#include "run/host.h"

#define TEXT_BYTES 64

/* An agent. It has copies of the texts, because its run is released when it has ended. */
typedef struct haft__followed_agent {
    char id[HAFT__ID_LENGTH + 1];
    char *path; /* allocated */
    haft__agent_row row;
    char name[TEXT_BYTES], task[TEXT_BYTES], note[TEXT_BYTES];
} haft__followed_agent;

static void copy_text(char *out, haft_str text)
{
    text.len = haft__utf8_floor(text, text.len < TEXT_BYTES ? text.len : TEXT_BYTES - 1);
    (void)snprintf(out, TEXT_BYTES, "%.*s", HAFT__ARG(text));
}

/* Returns the activity of a run: its running call, or how it ended. */
static haft_str activity_of(const haft__run *run)
{
    if (run->stage == HAFT__RUN_ENDED) {
        return haft__str(haft__end_name(run->end));
    }
    if (run->stage == HAFT__RUN_AWAITING_REPLY) {
        return HAFT__LIT("calls its model");
    }
    for (size_t i = run->batch; i < run->call_count && !haft__run_is_graph(run); i++) {
        if (run->calls[i].stage == HAFT__CALL_STARTED) {
            return run->calls[i].name;
        }
    }
    return HAFT__LIT("");
}

/* Whether the run waits for a person, and not only for child runs. */
static bool waits(const haft_run *run)
{
    bool pending = haft__run_local_question_seq(&run->state) > 0;
    for (size_t i = run->state.batch; i < run->state.call_count; i++) {
        pending = pending || run->state.calls[i].stage == HAFT__CALL_PAUSED;
    }
    return pending;
}

static haft__agent_state state_of(const haft_run *run)
{
    if (run->state.stage == HAFT__RUN_ENDED) {
        bool good = run->state.end == HAFT__END_DONE || run->state.end == HAFT__END_DIRECT;
        return good ? HAFT__AGENT_DONE : HAFT__AGENT_FAILED;
    }
    return waits(run) ? HAFT__AGENT_WAITS : HAFT__AGENT_WORKS;
}

/* ---- the agents ---- */

/* Whether the agent started the run with this path, or is a run below that agent. */
static bool is_in_subtree(const haft__followed_agent *agent, haft_str path)
{
    size_t slash = path.len;
    while (slash > 0 && path.ptr[slash - 1] != '/') {
        slash--;
    }
    haft_str parent = {path.ptr, slash > 0 ? slash - 1 : 0}, other = haft__str(agent->path);
    return parent.len == 0 || haft__str_equal(other, parent)
           || haft__str_starts_with(other, (haft_str){path.ptr, slash});
}

/* Returns the position of a new agent: after the agent that started it and after all runs below
 * that agent. */
static size_t position_of(const haft__follow_agents *f, haft_str path)
{
    size_t at = f->count;
    while (at > 1 && !is_in_subtree(&f->agents[at - 1], path)) {
        at--;
    }
    return at;
}

/* Makes room for one more agent. Returns false if out of memory. */
static bool reserve(haft__follow_agents *f)
{
    size_t capacity = f->capacity > 0 ? 2 * f->capacity : 16;
    haft__followed_agent *more =
        f->count < f->capacity ? f->agents : realloc(f->agents, capacity * sizeof(*more));
    if (more == NULL) {
        return false;
    }
    f->capacity = f->count < f->capacity ? f->capacity : capacity;
    f->agents = more;
    return true;
}

/* Returns NULL if out of memory; then the agent is not shown. */
static haft__followed_agent *find_or_add(haft__follow_agents *f, const haft_run *run)
{
    haft_str path = run->state.path;
    for (size_t i = f->count; i > 0;
         i--) { /* backwards, because working agents were often added last */
        if (strcmp(f->agents[i - 1].id, run->id) == 0) {
            return &f->agents[i - 1];
        }
    }
    char *copy = malloc(path.len + 1);
    if (copy == NULL || !reserve(f)) {
        free(copy);
        return NULL;
    }
    (void)snprintf(copy, path.len + 1, "%.*s", HAFT__ARG(path));
    size_t at = f->count > 0 ? position_of(f, path) : 0;
    haft__followed_agent *agent = &f->agents[at];
    memmove(agent + 1, agent, (f->count++ - at) * sizeof(*agent));
    *agent = (haft__followed_agent){.path = copy, .row = {.state = HAFT__AGENT_WORKS}};
    (void)snprintf(agent->id, sizeof(agent->id), "%s", run->id);
    return agent;
}

void haft__follow_agents_update(haft__follow_agents *agents, const haft_run *run)
{
    bool root = agents->count == 0 || strcmp(agents->agents[0].id, run->id) == 0;
    bool begun = root || run->state.path.len > 0; /* else its place is not known yet */
    haft__followed_agent *agent = run->agent != NULL && begun ? find_or_add(agents, run) : NULL;
    if (agent == NULL) {
        return;
    }
    const haft__run *state = &run->state;
    bool graph = haft__run_is_graph(state);
    haft__tree_usage own = graph ? haft__child_tree_usage(state) : haft__child_own_usage(state);
    copy_text(agent->name, state->spec->name);
    copy_text(agent->task, graph ? HAFT__LIT("") : haft__str_trim(state->task));
    copy_text(agent->note, activity_of(state));
    agent->row = (haft__agent_row){.state = state_of(run),
                                   .depth = haft__child_depth(state->path),
                                   .turns = state->turn,
                                   .most_turns = graph ? 0 : state->spec->limits.turns,
                                   .tokens = own.input_tokens + own.output_tokens,
                                   .cost_parts = own.cost_parts};
}

void haft__follow_agents_init(haft__follow_agents *agents, const haft_run *root, FILE *out,
                              haft__terminal_caps caps)
{
    *agents = (haft__follow_agents){.out = out, .caps = caps};
    haft__buf_init(&agents->drawn, HAFT__LIMIT_RUN_BYTES);
    haft__follow_agents_update(agents, root); /* the root is the first row */
}

void haft__follow_agents_finish(haft__follow_agents *agents)
{
    for (size_t i = 0; i < agents->count; i++) {
        free(agents->agents[i].path);
    }
    free(agents->agents);
    haft__buf_finish(&agents->drawn);
}

/* ---- the terminal ---- */

/* Writes the tree and returns its height. Returns 0 if out of memory. */
static size_t write_tree(haft__follow_agents *f, haft__buf *text)
{
    haft__agent_row *rows = calloc(f->count + 1, sizeof(*rows));
    if (rows == NULL) {
        return 0;
    }
    for (size_t i = 0; i < f->count; i++) {
        rows[i] = f->agents[i].row;
        rows[i].name = haft__str(f->agents[i].name);
        rows[i].task = haft__str(f->agents[i].task);
        rows[i].note = haft__str(f->agents[i].note);
    }
    f->caps.width = haft__terminal_caps_width(f->out);
    size_t lines = haft__agent_tree_draw(text, rows, f->count, &f->caps);
    free(rows);
    return haft__buf_check(text, NULL) == HAFT_OK ? lines : 0;
}

void haft__follow_agents_draw(haft__follow_agents *agents)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    size_t lines = write_tree(agents, &text);
    bool same = agents->lines == lines
                && haft__str_equal(haft__buf_str(&agents->drawn), haft__buf_str(&text));
    if (lines == 0 || same) {
        haft__buf_finish(&text);
        return;
    }
    haft__follow_agents_erase(agents);
    (void)fwrite(text.ptr, 1, text.len, agents->out);
    (void)fflush(agents->out);
    haft__buf_finish(&agents->drawn);
    agents->drawn = text;
    agents->lines = lines;
}

void haft__follow_agents_erase(haft__follow_agents *agents)
{
    if (agents->lines > 0) {
        (void)fprintf(agents->out, "\x1b[%zuA\r\x1b[J", agents->lines);
    }
    agents->lines = 0;
}

void haft__follow_agents_leave(haft__follow_agents *agents)
{
    agents->lines = 0;
}
