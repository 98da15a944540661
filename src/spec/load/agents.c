/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agents.c - loads the agents that tools and nodes of a spec start: `agents: {NAME: SPEC}`, `agent:
 * FILE`, and in a node also `agent: SPEC` and `graph: FILE`.
 *
 * Each agent is loaded as a separate spec, and its source is added to the source of the outer spec
 * under its name or file. So a run stores all specs of its tree, and a process that continues the
 * run needs no spec files. An agent may use the agents of its outer specs. Tests:
 * tests/spec/load/agents_test.c, tests/spec/load/graphs_test.c, tests/cli/children_test.py.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "run/handoff/handoff.h"
#include "spec/load/build_int.h"
#include "spec/load/load_int.h"
#include "json/canonical.h"
#include "json/object.h"
#include "json/pointer.h"

/* An agent that is being loaded. */
typedef struct reference {
    haft_str name;    /* the name in the tool or node */
    haft_str pointer; /* the location for problems */
    haft__json value; /* for an agent in the spec: its source */
    haft_str text;    /* for an agent in a file: the text of the file */
    haft_str path;    /* base of its relative paths */
    bool file;
} reference;

bool haft__loader_is_spec_file(haft_str name)
{
    static const char *const ends[] = {".yaml", ".yml", ".json"};
    for (size_t i = 0; i < COUNT(ends); i++) {
        haft_str end = haft__str(ends[i]);
        if (name.len > end.len
            && haft__str_equal((haft_str){name.ptr + name.len - end.len, end.len}, end)) {
            return true;
        }
    }
    return false;
}

/* A path relative to the directory of the spec at `spec`. */
static haft_str join_path(haft__loader *l, haft_str spec, haft_str path)
{
    while (spec.len > 0 && spec.ptr[spec.len - 1] != '/') {
        spec.len--;
    }
    if (haft__str_starts_with(path, HAFT__LIT("/"))) {
        return path;
    }
    while (haft__str_starts_with(path, HAFT__LIT("./"))) {
        path = haft__str_skip(path, 2);
    }
    haft_str joined = haft__arena_format(l->arena, "%.*s%.*s", HAFT__ARG(spec), HAFT__ARG(path));
    if (joined.ptr == NULL) {
        l->status = haft__arena_fail(l->arena, NULL);
    }
    return joined;
}

/* ---- cycles ---- */

static bool is_cyclic(const haft__loader *l, const reference *r)
{
    const haft__spec_scope *scope = l->options->scope;
    if (r->file && haft__str_equal(r->path, l->options->path)) {
        return true;
    }
    for (; scope != NULL; scope = scope->outer) {
        bool same = r->file
                        ? haft__str_equal(r->path, scope->path)
                              || haft__str_equal(r->path, scope->agent_file)
                        : scope->agent_members != NULL && scope->agent_members == r->value.members;
        if (same) {
            return true;
        }
    }
    return false;
}

static uint32_t depth_of(const haft__loader *l)
{
    uint32_t depth = 0;
    for (const haft__spec_scope *scope = l->options->scope; scope != NULL; scope = scope->outer) {
        depth++;
    }
    return depth;
}

static bool check_nesting(haft__loader *l, const reference *r)
{
    bool cyclic = is_cyclic(l, r);
    if (!cyclic && depth_of(l) < HAFT__LIMIT_CHILD_DEPTH) {
        return true;
    }
    haft__spec_problem *problem =
        cyclic ? haft__loader_error(l, r->pointer, HAFT__SUBJECT_VALUE,
                                    "the agent \"%.*s\" would start itself: it is one of the "
                                    "agents that use it",
                                    HAFT__ARG(r->name))
               : haft__loader_error(l, r->pointer, HAFT__SUBJECT_VALUE,
                                    "agents are nested more than %d deep", HAFT__LIMIT_CHILD_DEPTH);
    haft__loader_hint(l, problem,
                      cyclic ? "let it answer, and start the next agent from above"
                             : "use fewer levels");
    return false;
}

/* Each use of an agent is loaded and stored: agents that use all agents of the next level, on many
 * levels, would be loaded very often. Reported once: after that nothing is loaded. */
static bool check_count(haft__loader *l, const reference *r, size_t *count)
{
    haft__spec_problem *problem;
    if (++*count <= HAFT__LIMIT_SPEC_AGENTS) {
        return true;
    }
    if (*count == HAFT__LIMIT_SPEC_AGENTS + 1) {
        problem = haft__loader_error(l, r->pointer, HAFT__SUBJECT_VALUE,
                                     "the spec has more than %d agents, counting an agent once for "
                                     "each agent that uses it",
                                     HAFT__LIMIT_SPEC_AGENTS);
        haft__loader_hint(l, problem, "let fewer agents use the same ones, or use fewer levels");
    }
    l->broken = true;
    return false;
}

/* ---- loading one agent ---- */

/* Reports a problem of an agent. If the agent is in the spec, the location is in the spec; if it is
 * in a file, the message contains its line and column. */
static haft__spec_problem *report_problem(haft__loader *l, const reference *r,
                                          const haft__spec_problem *p)
{
    char place[64] = ": ";
    haft_str at =
        r->file ? r->pointer
                : haft__loader_pointer(l, "%.*s%.*s", HAFT__ARG(r->pointer), HAFT__ARG(p->pointer));
    if (r->file && p->line > 0) {
        (void)snprintf(place, sizeof(place), ":%u:%u: ", p->line, p->column);
    }
    return (p->warning ? haft__loader_warning : haft__loader_error)(
        l, at, HAFT__SUBJECT_VALUE, "%s%.*s%s%.*s", r->file ? "" : "agent ", HAFT__ARG(r->name),
        place, HAFT__ARG(p->message));
}

static void report_problems(haft__loader *l, const reference *r, const haft__spec_report *report)
{
    for (size_t i = 0; i < report->count && l->status == HAFT_OK; i++) {
        const haft__spec_problem *p = &report->problems[i];
        haft__spec_problem *problem = report_problem(l, r, p);
        if (p->secret) {
            haft__loader_hide_value(problem);
        }
        if (p->hint.len > 0) {
            haft__loader_hint(l, problem, "%.*s", HAFT__ARG(p->hint));
        }
    }
}

/* Whether `list` begins with the items of `start`. */
static bool begins_with(haft__loader *l, haft__json list, haft__json start)
{
    haft__buf a, b;
    haft__buf_init(&a, HAFT__LIMIT_SPEC_BYTES);
    haft__buf_init(&b, HAFT__LIMIT_SPEC_BYTES);
    bool same = start.count <= list.count;
    for (uint32_t i = 0; same && i < start.count && l->status == HAFT_OK; i++) {
        haft__buf_clear(&a);
        haft__buf_clear(&b);
        bool written = haft__json_write_canonical(&a, list.items[i], NULL) == HAFT_OK
                       && haft__json_write_canonical(&b, start.items[i], NULL) == HAFT_OK;
        same = written && haft__str_equal(haft__buf_str(&a), haft__buf_str(&b));
    }
    haft__buf_finish(&a);
    haft__buf_finish(&b);
    return same;
}

/* The middleware of the outer spec is around that of the agent, so that an agent cannot leave it
 * out. A stored agent already has it. */
static void add_middleware(haft__loader *l, haft__json *io_value)
{
    haft__json outer = haft__object_array(l->source, "middleware");
    haft__json own = haft__object_array(*io_value, "middleware");
    if (begins_with(l, own, outer)) {
        return;
    }
    haft__json *all = haft__loader_alloc(l, (size_t)outer.count + own.count, sizeof(*all));
    for (uint32_t i = 0; all != NULL && i < outer.count + own.count; i++) {
        all[i] = i < outer.count ? outer.items[i] : own.items[i - outer.count];
    }
    if (all != NULL
        && !haft__edit_put(l->arena, io_value, HAFT__LIT("middleware"),
                           haft__json_array(all, outer.count + own.count))) {
        l->status = haft__arena_fail(l->arena, NULL);
    }
}

/* The text of an agent in the spec. The agent uses the models and the files of the outer spec
 * unless it names others. */
static haft_str text_of(haft__loader *l, haft__json value)
{
    static const char *const keys[] = {"model", "models"}, *const files[] = {"root", "within"};
    bool own = haft__json_get(value, HAFT__LIT("model")) != NULL
               || haft__json_get(value, HAFT__LIT("models")) != NULL
               || haft__json_get(value, HAFT__LIT("spec")) != NULL;
    for (size_t i = 0; i < COUNT(keys) && !own; i++) {
        const haft__json *model = haft__json_get(l->source, haft__str(keys[i]));
        if (model != NULL && !haft__edit_put(l->arena, &value, haft__str(keys[i]), *model)) {
            l->status = haft__arena_fail(l->arena, NULL);
        }
    }
    bool own_root = haft__json_get(value, HAFT__LIT("root")) != NULL;
    for (size_t i = 0; i < COUNT(files) && !own_root; i++) {
        const haft__json *member = haft__json_get(l->source, haft__str(files[i]));
        if (member != NULL && !haft__edit_put(l->arena, &value, haft__str(files[i]), *member)) {
            l->status = haft__arena_fail(l->arena, NULL);
        }
    }
    add_middleware(l, &value);
    return haft__loader_write_text(l, value);
}

static const haft__spec *load_agent(haft__loader *l, const reference *r)
{
    haft__spec_scope scope = {
        .agents = haft__object_object(l->source, "agents"),
        .name = haft__object_string(l->source, "name"),
        .handoffs = haft__object_array(l->source, "handoffs"),
        .path = l->options->path,
        .agent_members = r->file ? NULL : r->value.members,
        .agent_file = r->file ? r->path : HAFT__LIT(""),
        .agent_count = l->options->scope != NULL ? l->options->scope->agent_count : &l->agent_count,
        .outer = l->options->scope};
    if (!check_count(l, r, scope.agent_count)) {
        return NULL;
    }
    haft__spec_options options = *l->options;
    options.path = r->path;
    options.scope = &scope;
    options.sets = NULL;
    options.set_count = 0;
    options.model_always = false;
    const haft__spec *spec = NULL;
    haft__spec_report report;
    haft_str text = r->text.ptr != NULL ? r->text : text_of(l, r->value);
    if (l->status == HAFT_OK) {
        l->status = haft__spec_load(l->arena, text, &options, &spec, &report, NULL);
    }
    if (l->status != HAFT_OK) {
        return NULL;
    }
    report_problems(l, r, &report);
    return spec;
}

/* ---- finding an agent ---- */

/* Finds the agent in this spec or in an outer spec. */
static bool find_inline(haft__loader *l, reference *r)
{
    const haft__json *found = haft__json_get(haft__object_object(l->source, "agents"), r->name);
    r->path = l->options->path;
    for (const haft__spec_scope *scope = l->options->scope; found == NULL && scope != NULL;
         scope = scope->outer) {
        found = haft__json_get(scope->agents, r->name);
        r->path = scope->path;
    }
    if (found == NULL || found->kind != HAFT__JSON_OBJECT) {
        return false;
    }
    r->value = *found;
    if (haft__loader_is_spec_file(r->name)) { /* a stored spec contains the text of the file */
        r->path = join_path(l, r->path, r->name);
    }
    return true;
}

static bool find_file(haft__loader *l, reference *r)
{
    const haft__spec_options *options = l->options;
    haft_error err = {.status = HAFT_OK};
    haft__spec_problem *problem;
    r->file = true;
    r->path = join_path(l, options->path, r->name);
    if (!haft__loader_is_spec_file(r->name)) {
        problem = haft__loader_error(l, r->pointer, HAFT__SUBJECT_VALUE,
                                     "there is no agent \"%.*s\"", HAFT__ARG(r->name));
        haft__loader_hint(l, problem,
                          "add it to `agents`, or name a file: NAME.yaml, relative to the spec");
        return false;
    }
    if (options->read_file == NULL || l->status != HAFT_OK) {
        return false;
    }
    haft_status status =
        options->read_file(options->read_context, l->arena, options->path, r->name, &r->text, &err);
    if (status != HAFT_OK && !haft__loader_failed(l, status)) {
        problem = haft__loader_error(l, r->pointer, HAFT__SUBJECT_VALUE, "%s", err.message);
        haft__loader_hint(l, problem, "%s",
                          err.hint[0] != '\0' ? err.hint
                                              : "the path is relative to the "
                                                "spec");
    }
    return status == HAFT_OK;
}

/* Adds the loaded agent to the spec and to its source. */
static void store_agent(haft__loader *l, haft__agent_spec *agents, haft_str name,
                        const haft__spec *spec)
{
    haft__json all = haft__object_object(l->source, "agents");
    agents[l->spec->agent_count++] = (haft__agent_spec){.name = name, .spec = spec};
    if (!haft__edit_put(l->arena, &all, name, spec->source)
        || !haft__edit_put(l->arena, &l->source, HAFT__LIT("agents"), all)) {
        l->status = haft__arena_fail(l->arena, NULL);
    }
    l->spec->source = l->source;
}

static void add_agent(haft__loader *l, haft__agent_spec *agents, haft_str name, haft_str pointer)
{
    reference r = {.name = name, .pointer = pointer};
    size_t before = l->problems.errors;
    bool reported = haft__json_get(haft__object_object(l->source, "agents"), name) != NULL
                    && !haft__str_starts_with(pointer, HAFT__LIT("/agents/"));
    if (haft__spec_find_agent(l->spec, name) != NULL || l->status != HAFT_OK || reported) {
        return; /* already loaded: the agents of the spec are loaded first */
    }
    bool found = (find_inline(l, &r) || find_file(l, &r)) && check_nesting(l, &r);
    const haft__spec *spec = found ? load_agent(l, &r) : NULL;
    if (spec != NULL) {
        store_agent(l, agents, name, spec);
    }
    l->broken |= l->problems.errors > before;
}

/* ---- nodes of graphs ---- */

/* Replaces the source of an agent in a node by the loaded source. `pointer` is the location of the
 * node: /graph/nodes/NODE, or /graphs/NAME/nodes/NODE. */
static void replace_inline_source(haft__loader *l, haft__json *value, haft_str pointer,
                                  haft__json agent)
{
    haft_str key = HAFT__LIT("agent");
    haft__json member = agent;
    if (haft__pointer_next(&pointer, &key)) { /* names of graphs and nodes need no escapes */
        member = haft__json_get(*value, key) != NULL ? *haft__json_get(*value, key)
                                                     : haft__json_object(NULL, 0);
        replace_inline_source(l, &member, pointer, agent);
    }
    if (!haft__edit_put(l->arena, value, key, member)) {
        l->status = haft__arena_fail(l->arena, NULL);
    }
}

static void add_inline(haft__loader *l, haft__agent_spec *agents, haft_str node_at,
                       haft_str node_name, haft__json value)
{
    reference r = {.name = node_name,
                   .pointer = haft__loader_pointer(l, "%.*s/agent", HAFT__ARG(node_at)),
                   .path = l->options->path,
                   .value = value};
    size_t before = l->problems.errors;
    const haft__spec *spec = check_nesting(l, &r) ? load_agent(l, &r) : NULL;
    l->broken |= l->problems.errors > before;
    if (spec != NULL) {
        agents[l->spec->agent_count++] = (haft__agent_spec){.name = r.pointer, .spec = spec};
        replace_inline_source(l, &l->source, node_at, spec->source);
        l->spec->source = l->source;
        l->spec->graph = haft__object_get(l->source, "graph");
        l->spec->graphs = haft__object_get(l->source, "graphs");
    }
}

/* Adds the agent of a node, or the file of its graph. */
static void add_node(void *context, haft__json node, haft_str name, haft_str pointer)
{
    haft__loader *l = context;
    haft__json agent = haft__object_get(node, "agent");
    haft_str graph = haft__object_string(node, "graph");
    if (agent.kind == HAFT__JSON_STRING) {
        add_agent(l, l->agents, haft__json_text(agent),
                  haft__loader_pointer(l, "%.*s/agent", HAFT__ARG(pointer)));
    } else if (agent.kind == HAFT__JSON_OBJECT) {
        add_inline(l, l->agents, pointer, name, agent);
    } else if (haft__loader_is_spec_file(graph)) {
        add_agent(l, l->agents, graph, haft__loader_pointer(l, "%.*s/graph", HAFT__ARG(pointer)));
    }
}

static void count_node(void *context, haft__json node, haft_str name, haft_str pointer)
{
    size_t *count = context;
    (void)node;
    (void)name;
    (void)pointer;
    (*count)++;
}

const haft__spec *haft__loader_node_agent(const haft__loader *l, haft__json node, haft_str pointer)
{
    haft__json agent = haft__object_get(node, "agent");
    haft_str graph = haft__object_string(node, "graph");
    for (size_t i = 0; i < l->spec->agent_count && agent.kind == HAFT__JSON_OBJECT; i++) {
        haft_str name = l->spec->agents[i].name;
        if (haft__str_starts_with(name, pointer)
            && haft__str_equal(haft__str_skip(name, pointer.len), HAFT__LIT("/agent"))) {
            return l->spec->agents[i].spec;
        }
    }
    return agent.kind == HAFT__JSON_STRING ? haft__spec_find_agent(l->spec, haft__json_text(agent))
           : graph.len > 0                 ? haft__spec_find_agent(l->spec, graph)
                                           : NULL;
}

void haft__loader_build_agents(haft__loader *l)
{
    haft__json own = haft__object_object(l->source, "agents");
    haft__json tools = haft__object_array(l->source, "tools");
    haft__json handoffs = haft__object_array(l->source, "handoffs");
    size_t nodes = 0;
    haft__loader_visit_nodes(l, count_node, &nodes);
    haft__agent_spec *agents = haft__loader_alloc(
        l, (size_t)own.count + tools.count + handoffs.count + nodes, sizeof(*agents));
    if (agents == NULL || !haft__loader_keys_are_valid(l, "agents tools handoffs graph graphs")) {
        return;
    }
    l->agents = agents;
    l->spec->agents = agents;
    for (uint32_t i = 0; i < own.count && l->status == HAFT_OK; i++) {
        haft_str name = haft__json_text(own.members[i].key);
        add_agent(l, agents, name, haft__loader_pointer_to_key(l, HAFT__LIT("/agents"), name));
    }
    for (uint32_t i = 0; i < tools.count && l->status == HAFT_OK; i++) {
        haft_str name = haft__object_string(tools.items[i], "agent");
        if (name.len > 0) {
            add_agent(l, agents, name, haft__loader_pointer(l, "/tools/%u/agent", i));
        }
    }
    for (uint32_t i = 0; i < handoffs.count && l->status == HAFT_OK; i++) {
        haft_str name = haft__json_text(handoffs.items[i]);
        if (!haft__loader_is_outer_agent(l, name)) {
            add_agent(l, agents, name, haft__loader_pointer(l, "/handoffs/%u", i));
        }
    }
    haft__loader_visit_nodes(l, add_node, l);
}

/* ---- tools ---- */

const haft__spec *haft__loader_agent_of(const haft__loader *l, haft__json entry)
{
    haft_str name = haft__object_string(entry, "agent");
    return name.len > 0 ? haft__spec_find_agent(l->spec, name) : NULL;
}

/* Whether a run of the spec can start this agent or be handed to it. A graph can start all its
 * agents. */
static bool can_use(const haft__spec *spec, const haft__agent_spec *agent)
{
    bool used = spec->kind == HAFT__SPEC_GRAPH
                || (spec->handoff_count > 0 && haft__spec_is_handoff_target(spec, agent->name));
    for (size_t i = 0; i < spec->agent_tool_count; i++) {
        used = used || haft__str_equal(spec->agent_tools[i].agent, agent->name);
    }
    return used;
}

/* A dollar limit covers the models of a spec and of all agents that it uses, on all levels. The
 * recursion ends because agents are nested at most HAFT__LIMIT_CHILD_DEPTH deep. */
const haft__model_spec *haft__loader_find_unpriced(const haft__spec *spec)
{
    const haft__spec *summariser = spec->context.summariser;
    for (const haft__spec *at = spec; at != NULL; at = at->fallback) {
        if (!at->model.price.known) {
            return &at->model;
        }
    }
    const haft__model_spec *found =
        summariser != NULL && !summariser->model.price.known ? &summariser->model : NULL;
    for (size_t i = 0; found == NULL && i < spec->agent_count; i++) {
        if (spec->agents[i].spec != NULL && can_use(spec, &spec->agents[i])) {
            found = haft__loader_find_unpriced(spec->agents[i].spec);
        }
    }
    return found;
}

void haft__loader_check_agent_money(haft__loader *l, const haft__spec *agent, bool limited,
                                    haft_str pointer)
{
    const haft__model_spec *model = !l->options->kept && (l->spec->limits.has_usd || limited)
                                        ? haft__loader_find_unpriced(agent)
                                        : NULL;
    if (model == NULL) {
        return;
    }
    haft__spec_problem *problem =
        model == &agent->model
            ? haft__loader_error(
                l, pointer, HAFT__SUBJECT_VALUE,
                "there is a limit in dollars, but the price of the agent's model is not known")
            : haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE,
                                 "there is a limit in dollars, but the agent can ask %.*s:%.*s, "
                                 "whose price is not known",
                                 HAFT__ARG(model->provider), HAFT__ARG(model->model));
    haft__loader_hint(l, problem, "write its price into %s: price: {input: .., output: ..}",
                      model == &agent->model ? "the model of the agent" : "that model");
}

static void check_traits(haft__loader *l, haft__json entry, const haft__tool *tool,
                         haft_str pointer)
{
    haft__json traits = haft__object_get(entry, "traits");
    bool shared =
        tool->traits.cache == HAFT__CACHE_THREAD || tool->traits.cache == HAFT__CACHE_GLOBAL;
    const char *key = shared                                                 ? "cache"
                      : haft__json_get(traits, HAFT__LIT("timeout")) != NULL ? "timeout"
                      : haft__json_get(traits, HAFT__LIT("retries")) != NULL ? "retries"
                                                                             : NULL;
    if (key != NULL) {
        haft__spec_problem *problem = haft__loader_error(
            l, haft__loader_pointer(l, "%.*s/traits/%s", HAFT__ARG(pointer), key),
            HAFT__SUBJECT_KEY, "the tool of an agent has no \"%s\"%s", key,
            shared ? " beyond the run" : "");
        haft__loader_hint(l, problem, "limits: {wall: .., turns: ..} of the tool limit the agent");
    }
}

haft__agent_limits haft__loader_read_agent_limits(haft__loader *l, haft__json owner,
                                                  haft_str pointer)
{
    haft__json limits = haft__object_object(owner, "limits");
    haft_str at = haft__loader_pointer(l, "%.*s/limits", HAFT__ARG(pointer));
    uint64_t wall = haft__loader_read_time_limit(
        l, haft__object_get(limits, "wall"), haft__loader_pointer(l, "%.*s/wall", HAFT__ARG(at)));
    uint64_t timeout =
        haft__loader_read_duration(/* for a node */
                                   l, haft__object_get(owner, "timeout"),
                                   haft__loader_pointer(l, "%.*s/timeout", HAFT__ARG(pointer)), 0);
    return (haft__agent_limits){
        .turns = (uint32_t)haft__object_number(limits, "turns", 0),
        .calls = (uint32_t)haft__object_number(limits, "calls", 0),
        .tokens = haft__object_number(limits, "tokens", 0),
        .has_usd = haft__object_get(limits, "usd").kind == HAFT__JSON_NUMBER,
        .usd_micros = haft__loader_read_micros(
            l, limits, "usd", haft__loader_pointer(l, "%.*s/usd", HAFT__ARG(at)), 0),
        .wall_ms = wall == 0 || (timeout > 0 && timeout < wall) ? timeout : wall};
}

void haft__loader_add_agent_tool(haft__loader *l, haft__json entry, const haft__tool *tool,
                                 haft_str pointer)
{
    const haft__spec *spec = haft__loader_agent_of(l, entry);
    if (spec == NULL || l->status != HAFT_OK) {
        return; /* the problem is already reported */
    }
    haft__agent_tool *added = &l->agent_tools[l->spec->agent_tool_count];
    *added = (haft__agent_tool){.tool = tool->name,
                                .agent = haft__object_string(entry, "agent"),
                                .spec = spec,
                                .limits = haft__loader_read_agent_limits(l, entry, pointer)};
    l->spec->agent_tool_count++;
    haft__loader_check_agent_money(l, spec, added->limits.has_usd,
                                   haft__loader_pointer(l, "%.*s/agent", HAFT__ARG(pointer)));
    haft__loader_check_child_handoffs(l, spec, pointer);
    check_traits(l, entry, tool, pointer);
}
