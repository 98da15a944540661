/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_nodes.c - compares the nodes of a graph with the tools, agents and graphs of the spec.
 * Tests: tests/spec/load/graphs_test.c.
 */
#include <string.h>

#include "base/str.h"
#include "base/suggestion.h"
#include "schema/lookup.h"
#include "spec/load/build_int.h"
#include "spec/load/load_int.h"
#include "tool/traits.h"
#include "json/object.h"

/* ---- keys ---- */

/* The word of each kind of node, in the order of haft__graph_node_kind. */
static const char *const kinds[] = {"do", "agent", "tool", "function", "graph", "ask"};

/* Keys that only some kinds of nodes use, with these kinds in the order above. */
static const struct {
    const char *key, *used_by;
} uses[] = {
    {"task", "agent"},         {"args", "tool"},
    {"in", "graph"},           {"out", "agent tool function graph ask"},
    {"limits", "agent graph"}, {"timeout", "agent tool function graph ask do"},
};

static haft_str kind_of(haft__json node)
{
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (haft__object_find(node, kinds[i]) != NULL) {
            return haft__str(kinds[i]);
        }
    }
    return HAFT__LIT("");
}

static void check_idle_keys(haft__loader *l, haft__json node, haft_str pointer)
{
    haft_str kind = kind_of(node);
    for (size_t i = 0; i < COUNT(uses) && kind.len > 0; i++) {
        bool used = false;
        for (haft_str rest = haft__str(uses[i].used_by); rest.len > 0;) {
            used = haft__str_equal(haft__str_split(&rest, ' '), kind) || used;
        }
        if (!used && haft__object_find(node, uses[i].key) != NULL) {
            (void)haft__loader_warning(
                l, haft__loader_pointer_to_key(l, pointer, haft__str(uses[i].key)),
                HAFT__SUBJECT_KEY, "\"%s\" has no effect in a node with %.*s", uses[i].key,
                HAFT__ARG(kind));
        }
    }
}

/* Whether one of the operations asks a person. */
static bool has_question(haft__json ops)
{
    bool found = false;
    for (uint32_t i = 0; i < ops.count && !found; i++) {
        found = haft__object_find(ops.items[i], "ask") != NULL
                || has_question(haft__object_array(ops.items[i], "then"))
                || has_question(haft__object_array(ops.items[i], "else"));
    }
    return found;
}

/* Operations take no time, apart from the wait for an answer. */
static void check_timeout_of_do(haft__loader *l, haft__json node, haft_str pointer)
{
    haft__json ops = haft__object_array(node, "do");
    if (haft__object_find(node, "do") == NULL || haft__object_find(node, "timeout") == NULL
        || has_question(ops)) {
        return;
    }
    haft__spec_problem *problem = haft__loader_error(
        l, haft__loader_pointer_to_key(l, pointer, HAFT__LIT("timeout")), HAFT__SUBJECT_KEY,
        "\"timeout\" in a node with do is the time for an answer, and no operation asks");
    haft__loader_hint(l, problem,
                      "a graph that `call` runs has limits of its own: give it a node "
                      "with graph and timeout");
}

/* Checks a duration: reading it reports a duration that is too long. */
static void check_duration(haft__loader *l, haft__json object, const char *key, haft_str pointer)
{
    (void)haft__loader_read_duration(l, haft__object_get(object, key),
                                     haft__loader_pointer_to_key(l, pointer, haft__str(key)), 0);
}

static void check_time_limit(haft__loader *l, haft__json object, const char *key, haft_str pointer)
{
    (void)haft__loader_read_time_limit(l, haft__object_get(object, key),
                                       haft__loader_pointer_to_key(l, pointer, haft__str(key)));
}

static void check_durations(haft__loader *l, haft__json node, haft_str pointer)
{
    haft__json retry = haft__object_object(node, "retry");
    haft_str at = haft__loader_pointer_to_key(l, pointer, HAFT__LIT("retry"));
    check_time_limit(l, node, "timeout", pointer);
    check_timeout_of_do(l, node, pointer);
    check_duration(l, retry, "backoff", at);
    check_duration(l, retry, "max_backoff", at);
    check_duration(l, haft__object_object(node, "cache"), "ttl",
                   haft__loader_pointer_to_key(l, pointer, HAFT__LIT("cache")));
    check_time_limit(l, haft__object_object(node, "ask"), "deadline",
                     haft__loader_pointer_to_key(l, pointer, HAFT__LIT("ask")));
}

/* ---- conditions ---- */

static void check_ops(haft__loader *l, haft__json ops, haft_str pointer)
{
    for (uint32_t i = 0; i < ops.count && l->status == HAFT_OK; i++) {
        haft_str at = haft__loader_pointer(l, "%.*s/%u", HAFT__ARG(pointer), i);
        haft__json condition = haft__object_object(ops.items[i], "if");
        if (condition.count > 0) {
            (void)haft__loader_check_condition(l, condition,
                                               haft__loader_pointer(l, "%.*s/if", HAFT__ARG(at)));
        }
        check_ops(l, haft__object_array(ops.items[i], "then"),
                  haft__loader_pointer(l, "%.*s/then", HAFT__ARG(at)));
        check_ops(l, haft__object_array(ops.items[i], "else"),
                  haft__loader_pointer(l, "%.*s/else", HAFT__ARG(at)));
    }
}

/* ---- tools ---- */

static void report_argument(haft__loader *l, const haft__tool *tool, haft_str name,
                            haft_str pointer)
{
    haft__json properties = haft__object_object(tool->input_schema, "properties");
    haft__suggestion near;
    haft__spec_problem *problem = haft__loader_error(l, pointer, HAFT__SUBJECT_KEY,
                                                     "the tool \"%.*s\" has no argument \"%.*s\"",
                                                     HAFT__ARG(tool->name), HAFT__ARG(name));
    haft__suggestion_init(&near, name);
    for (uint32_t i = 0; i < properties.count && near.left > 0; i++) {
        haft__suggestion_offer(&near, haft__json_text(properties.members[i].key));
    }
    if (near.best.ptr != NULL) {
        haft__loader_hint(l, problem, "did you mean %.*s?", HAFT__ARG(near.best));
    }
}

static void check_arguments(haft__loader *l, const haft__tool *tool, haft__json args,
                            haft_str pointer)
{
    haft_str at = haft__loader_pointer_to_key(l, pointer, HAFT__LIT("args"));
    haft__json required = haft__object_array(tool->input_schema, "required");
    for (uint32_t i = 0; i < args.count; i++) {
        haft_str name = haft__json_text(args.members[i].key), until;
        haft__json schema;
        haft_str place = haft__loader_pointer_to_key(l, HAFT__LIT(""), name);
        if (haft__schema_lookup(tool->input_schema, place, &until, &schema)
            == HAFT__LOOKUP_IMPOSSIBLE) {
            report_argument(l, tool, name, haft__loader_pointer_to_key(l, at, name));
        }
    }
    for (uint32_t i = 0; i < required.count; i++) {
        haft_str name = haft__json_text(required.items[i]);
        if (haft__json_get(args, name) == NULL) {
            haft__spec_problem *problem = haft__loader_error(
                l, haft__loader_pointer_to_key(l, pointer, HAFT__LIT("tool")), HAFT__SUBJECT_VALUE,
                "the tool \"%.*s\" needs the argument \"%.*s\"", HAFT__ARG(tool->name),
                HAFT__ARG(name));
            haft__loader_hint(l, problem, "add args: {%.*s: /channel}, or {value: ..}",
                              HAFT__ARG(name));
        }
    }
}

static void check_tool(haft__loader *l, haft__json node, haft_str pointer)
{
    haft_str name = haft__object_string(node, "tool");
    haft_str at = haft__loader_pointer_to_key(l, pointer, HAFT__LIT("tool"));
    const haft__tool *tool = haft__loader_check_tool_name(l, name, at);
    if (tool == NULL) {
        return; /* already reported, or a tool of a server */
    }
    check_arguments(l, tool, haft__object_object(node, "args"), pointer);
}

/* ---- caches ---- */

/* Whether the operations ask a person or run a graph. */
static bool asks(haft__json ops)
{
    bool found = false;
    for (uint32_t i = 0; i < ops.count && !found; i++) {
        found = haft__object_find(ops.items[i], "ask") != NULL
                || haft__object_find(ops.items[i], "call") != NULL
                || asks(haft__object_array(ops.items[i], "then"))
                || asks(haft__object_array(ops.items[i], "else"));
    }
    return found;
}

/* Checks that the result of the node can be reused: another call must return the same result. */
static void check_cache(haft__loader *l, haft__json node, haft_str kind, haft_str pointer)
{
    haft_str at = haft__loader_pointer_to_key(l, pointer, HAFT__LIT("cache"));
    haft_str name = haft__object_string(node, "tool");
    haft_str scope = haft__object_string(haft__object_object(node, "cache"), "scope");
    const haft__tool *tool = name.len > 0 ? haft__tools_find(&l->spec->tools, name) : NULL;
    haft__spec_problem *problem = NULL;
    if (haft__object_find(node, "cache") == NULL || !haft__object_flag(node, "cache", true)) {
        return;
    }
    if (name.len == 0 && !haft__str_equal(kind, HAFT__LIT("do"))) {
        problem =
            haft__loader_error(l, at, HAFT__SUBJECT_KEY,
                               "the output of a node with %.*s cannot be reused", HAFT__ARG(kind));
        haft__loader_hint(l, problem, "leave out cache: nodes with do or tool can have one");
    } else if (tool != NULL && !tool->traits.read_only && !tool->traits.idempotent) {
        problem =
            haft__loader_error(l, at, HAFT__SUBJECT_KEY,
                               "the tool \"%.*s\" is neither read_only nor idempotent, so its "
                               "result cannot be reused",
                               HAFT__ARG(name));
        haft__loader_hint(l, problem, "leave out cache, or give the tool one of these traits");
    } else if (name.len > 0 && tool == NULL && memchr(name.ptr, ':', name.len) != NULL) {
        problem = haft__loader_error(l, at, HAFT__SUBJECT_KEY,
                                     "it is not known whether the tool \"%.*s\" of a server is "
                                     "read_only or idempotent, so its result cannot be reused",
                                     HAFT__ARG(name));
        haft__loader_hint(l, problem, "leave out cache");
    } else if (name.len == 0 && scope.len > 0 && !haft__str_equal(scope, HAFT__LIT("run"))
               && asks(haft__object_array(node, "do"))) {
        problem = haft__loader_error(l, at, HAFT__SUBJECT_KEY,
                                     "answers and graphs of a node are reused only within its run");
        haft__loader_hint(l, problem, "write cache: {scope: run}");
    }
}

/* ---- agents and graphs ---- */

static void check_agent(haft__loader *l, haft__json node, haft_str pointer)
{
    const haft__spec *agent = haft__loader_node_agent(l, node, pointer);
    haft__json limits = haft__object_object(node, "limits");
    if (haft__object_string(node, "task").len == 0) {
        haft__spec_problem *problem =
            haft__loader_error(l, haft__loader_pointer_to_key(l, pointer, HAFT__LIT("agent")),
                               HAFT__SUBJECT_KEY, "the agent has no task");
        haft__loader_hint(l, problem, "write task: with a template, such as \"{/question}\"");
    }
    if (agent != NULL) {
        haft__loader_check_agent_money(l, agent,
                                       haft__object_get(limits, "usd").kind == HAFT__JSON_NUMBER,
                                       haft__loader_pointer(l, "%.*s/agent", HAFT__ARG(pointer)));
    }
}

static void check_graph_file(haft__loader *l, haft__json node, haft_str pointer)
{
    const haft__spec *spec = haft__loader_is_spec_file(haft__object_string(node, "graph"))
                                 ? haft__loader_node_agent(l, node, pointer)
                                 : NULL;
    if (spec != NULL && spec->kind != HAFT__SPEC_GRAPH) {
        haft__spec_problem *problem = haft__loader_error(
            l, haft__loader_pointer_to_key(l, pointer, HAFT__LIT("graph")), HAFT__SUBJECT_VALUE,
            "%.*s is not a graph", HAFT__ARG(haft__object_string(node, "graph")));
        haft__loader_hint(l, problem, "its kind must be graph; of an agent, write agent: FILE");
    } else if (spec != NULL) {
        haft__json limits = haft__object_object(node, "limits");
        haft__loader_check_agent_money(l, spec,
                                       haft__object_get(limits, "usd").kind == HAFT__JSON_NUMBER,
                                       haft__loader_pointer(l, "%.*s/graph", HAFT__ARG(pointer)));
    }
}

/* ---- nodes ---- */

void haft__loader_check_node(void *context, haft__json node, haft_str name, haft_str pointer)
{
    haft__loader *l = context;
    haft_str kind = kind_of(node);
    (void)name;
    check_idle_keys(l, node, pointer);
    check_durations(l, node, pointer);
    check_cache(l, node, kind, pointer);
    check_ops(l, haft__object_array(node, "do"),
              haft__loader_pointer(l, "%.*s/do", HAFT__ARG(pointer)));
    check_ops(l, haft__object_array(haft__object_object(node, "on_error"), "do"),
              haft__loader_pointer(l, "%.*s/on_error/do", HAFT__ARG(pointer)));
    if (haft__str_equal(kind, HAFT__LIT("tool"))) {
        check_tool(l, node, pointer);
    } else if (haft__str_equal(kind, HAFT__LIT("agent"))) {
        check_agent(l, node, pointer);
    } else if (haft__str_equal(kind, HAFT__LIT("graph"))) {
        check_graph_file(l, node, pointer);
    } else if (haft__str_equal(kind, HAFT__LIT("function"))) {
        haft__loader_check_function(l, node, pointer);
    }
}
