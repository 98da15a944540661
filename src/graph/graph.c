/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - compiles a graph: channels and nodes, in the order of their names. Tests:
 * tests/graph/graph_test.c. */
#include "graph/graph.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "channel/value.h"
#include "graph/graph_int.h"
#include "json/number.h"
#include "json/object.h"
#include "json/pointer.h"

/* ---- problems ---- */

const char *haft__graph_code_name(haft__graph_code code)
{
    static const char *const names[] = {
        [HAFT__GRAPH_BAD_SHAPE] = "bad_shape",
        [HAFT__GRAPH_NO_ENTRY] = "no_entry",
        [HAFT__GRAPH_UNKNOWN_NODE] = "unknown_node",
        [HAFT__GRAPH_UNKNOWN_CHANNEL] = "unknown_channel",
        [HAFT__GRAPH_UNKNOWN_GRAPH] = "unknown_graph",
        [HAFT__GRAPH_UNREACHABLE] = "unreachable",
        [HAFT__GRAPH_NO_ELSE] = "no_else",
        [HAFT__GRAPH_ENDLESS] = "endless",
        [HAFT__GRAPH_TWO_WRITERS] = "two_writers",
        [HAFT__GRAPH_NODE_FAILED] = "node_failed",
        [HAFT__GRAPH_BAD_UPDATE] = "bad_update",
        [HAFT__GRAPH_JOIN_UNMET] = "join_unmet",
        [HAFT__GRAPH_CHILD_FAILED] = "child_failed",
        [HAFT__GRAPH_CHILD_EXHAUSTED] = "child_exhausted",
        [HAFT__GRAPH_CHILD_INCOMPLETE] = "child_incomplete",
        [HAFT__GRAPH_MAY_MEET] = "may_meet",
        [HAFT__GRAPH_MAY_STARVE] = "may_starve",
        [HAFT__GRAPH_GOTO_BESIDE] = "goto_beside",
        [HAFT__GRAPH_UNWRITTEN] = "unwritten",
    };
    return names[code];
}

static haft_str copy(haft__graph_compiler *c, haft_str text)
{
    haft_str copied = haft__arena_copy(c->arena, text);
    c->problems->out_of_memory = c->problems->out_of_memory || copied.ptr == NULL;
    return copied;
}

void haft__graph_report(haft__graph_compiler *c, haft__graph_code code, haft_str what,
                        haft_str pointer, const char *format, ...)
{
    haft__graph_problems *problems = c->problems;
    char text[HAFT__GRAPH_MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    haft__graph_problem *items =
        haft__vec_reserve_in(problems->arena, problems->items, problems->count, &problems->capacity,
                             problems->count + 1, sizeof(*items));
    if (items == NULL) {
        problems->out_of_memory = true;
        return;
    }
    problems->items = items;
    bool warning = code >= HAFT__GRAPH_MAY_MEET;
    items[problems->count++] = (haft__graph_problem){.code = code,
                                                     .warning = warning,
                                                     .what = what,
                                                     .pointer = copy(c, pointer),
                                                     .message = copy(c, haft__str(text))};
    problems->errors += !warning;
}

void *haft__graph_alloc(haft__graph_compiler *c, size_t count, size_t size)
{
    void *items = haft__arena_array(c->arena, count, size);
    c->problems->out_of_memory = c->problems->out_of_memory || items == NULL;
    return items;
}

haft_str haft__graph_pointer(haft__graph_compiler *c, const char *format, ...)
{
    char text[128];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return copy(c, haft__str(text));
}

haft_str haft__graph_pointer_key(haft__graph_compiler *c, haft_str base, haft_str key)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_KEY_BYTES * 3);
    haft__buf_add_str(&buf, base);
    haft__pointer_add_key(&buf, key);
    haft_str joined = copy(c, haft__buf_str(&buf));
    c->problems->out_of_memory = c->problems->out_of_memory || buf.status == HAFT_NO_MEMORY;
    haft__buf_finish(&buf);
    return joined;
}

haft_str haft__graph_pointer_index(haft__graph_compiler *c, haft_str base, size_t index)
{
    haft_str joined = haft__arena_format(c->arena, "%.*s/%zu", HAFT__ARG(base), index);
    c->problems->out_of_memory = c->problems->out_of_memory || joined.ptr == NULL;
    return joined;
}

/* ---- names ---- */

/* Orders members of an object by the bytes of their keys. */
static int compare_members(const void *a, const void *b)
{
    const haft__json_member *const *left = a, *const *right = b;
    return haft__str_compare(haft__json_text((*left)->key), haft__json_text((*right)->key));
}

static const haft__json_member **sort_members(haft__graph_compiler *c, haft__json object)
{
    const haft__json_member **sorted = haft__graph_alloc(c, object.count + 1, sizeof(*sorted));
    if (sorted != NULL) {
        for (uint32_t i = 0; i < object.count; i++) {
            sorted[i] = &object.members[i];
        }
        qsort(sorted, object.count, sizeof(*sorted), compare_members);
    }
    return sorted;
}

bool haft__graph_find_channel(const haft__graph *graph, haft_str name, uint32_t *ret_channel)
{
    return haft__channel_find(graph->channels, graph->channel_count, name, ret_channel);
}

bool haft__graph_find_node(const haft__graph *graph, haft_str name, haft__graph_node_id *ret_node)
{
    size_t low = 0, high = graph->node_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = haft__str_compare(graph->nodes[middle].name, name);
        if (order == 0) {
            *ret_node = (haft__graph_node_id)middle;
            return true;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return false;
}

haft_str haft__graph_node_name(const haft__graph *graph, haft__graph_node_id node)
{
    return node == HAFT__GRAPH_START ? HAFT__LIT("start")
           : node == HAFT__GRAPH_END ? HAFT__LIT("end")
                                     : graph->nodes[node].name;
}

/* ---- keys ---- */

/* Reports members whose key is not one of `keys`, which ends with NULL. */
static void check_keys(haft__graph_compiler *c, haft__json object, haft_str pointer,
                       const char *const *keys)
{
    for (uint32_t i = 0; i < object.count; i++) {
        haft_str key = haft__json_text(object.members[i].key);
        bool known = false;
        for (size_t k = 0; keys[k] != NULL && !known; k++) {
            known = haft__str_equal(key, haft__str(keys[k]));
        }
        if (!known) {
            haft__graph_report(c, HAFT__GRAPH_BAD_SHAPE, key,
                               haft__graph_pointer_key(c, pointer, key), "unknown key '%.*s'",
                               HAFT__ARG(key));
        }
    }
}

/* ---- channels ---- */

static void report_channel(void *context, haft_str channel, haft_str key, haft_str message)
{
    static const char *const values[] = {"default", "schema", "type"};
    haft__graph_compiler *c = context;
    haft_str pointer = haft__graph_pointer_key(c, HAFT__LIT("/channels"), channel);
    bool value = haft__str_is_one_of(key, values, COUNT(values));
    haft__graph_report(c, HAFT__GRAPH_BAD_SHAPE, value ? channel : key,
                       haft__graph_pointer_key(c, pointer, key), "%.*s", HAFT__ARG(message));
}

static void compile_channels(haft__graph_compiler *c)
{
    haft__json source = haft__object_object(c->source, "channels");
    haft_error err;
    if (haft__channels_compile(c->arena, source, report_channel, c, &c->graph->channels,
                               &c->graph->channel_count, &err)
        != HAFT_OK) {
        c->problems->out_of_memory = true;
    }
    for (size_t i = 0; i < c->graph->channel_count; i++) {
        c->graph->has_custom = c->graph->has_custom || c->graph->channels[i].custom.len > 0;
    }
}

void haft__graph_check_channel_names(haft__graph_compiler *c, haft__json names, haft_str pointer)
{
    for (uint32_t i = 0; names.kind == HAFT__JSON_ARRAY && i < names.count; i++) {
        haft_str name = haft__json_text(names.items[i]);
        uint32_t channel;
        if (!haft__graph_find_channel(c->graph, name, &channel)) {
            haft__graph_report(c, HAFT__GRAPH_UNKNOWN_CHANNEL, name,
                               haft__graph_pointer_index(c, pointer, i),
                               "no channel is named '%.*s'", HAFT__ARG(name));
        }
    }
}

/* ---- nodes ---- */

static const char *const node_kinds[] = {
    [HAFT__NODE_DO] = "do",       [HAFT__NODE_AGENT] = "agent",
    [HAFT__NODE_TOOL] = "tool",   [HAFT__NODE_FUNCTION] = "function",
    [HAFT__NODE_GRAPH] = "graph", [HAFT__NODE_ASK] = "ask",
};

static bool names_node(haft__json names, haft_str name)
{
    return names.kind == HAFT__JSON_STRING ? haft__str_equal(haft__json_text(names), name)
                                           : haft__array_has_text(names, name);
}

static void read_kind(haft__graph_compiler *c, haft__graph_node *node, haft_str pointer)
{
    size_t found = 0;
    for (size_t k = 0; k < COUNT(node_kinds); k++) {
        if (haft__object_find(node->source, node_kinds[k]) != NULL) {
            node->kind = (haft__graph_node_kind)k;
            found++;
        }
    }
    if (found != 1) {
        haft__graph_report(c, HAFT__GRAPH_BAD_SHAPE, node->name, pointer,
                           "the node '%.*s' has %zu of do, agent, tool, function, graph and ask; "
                           "it must have one",
                           HAFT__ARG(node->name), found);
    }
}

static void read_input(haft__graph_compiler *c, haft__graph_node *node, haft_str pointer)
{
    const haft__json *names = haft__object_find_kind(node->source, "input", HAFT__JSON_ARRAY);
    node->sees_all = names == NULL;
    uint32_t *input = haft__graph_alloc(c, names != NULL ? names->count + 1 : 1, sizeof(*input));
    for (uint32_t i = 0; names != NULL && input != NULL && i < names->count; i++) {
        node->input_count += haft__graph_find_channel(c->graph, haft__json_text(names->items[i]),
                                                      &input[node->input_count]);
    }
    haft__graph_check_channel_names(c, haft__object_get(node->source, "input"),
                                    haft__graph_pointer_key(c, pointer, HAFT__LIT("input")));
    node->input = input;
}

static const char *const failure_names[] = {[HAFT__GRAPH_FAILURE_ERROR] = "error",
                                            [HAFT__GRAPH_FAILURE_TIMEOUT] = "timeout",
                                            [HAFT__GRAPH_FAILURE_TRANSIENT] = "transient",
                                            [HAFT__GRAPH_FAILURE_REFUSED] = "refused"};

const char *haft__graph_failure_name(haft__graph_failure_kind kind)
{
    return failure_names[kind];
}

static void read_retry_on(haft__graph_compiler *c, haft__graph_node *node, haft__json on,
                          haft_str pointer)
{
    for (uint32_t i = 0; i < on.count; i++) {
        size_t kind = 0;
        while (kind < COUNT(failure_names)
               && !haft__str_equal(haft__json_text(on.items[i]), haft__str(failure_names[kind]))) {
            kind++;
        }
        if (kind == COUNT(failure_names)) {
            haft__graph_report(c, HAFT__GRAPH_BAD_SHAPE, node->name,
                               haft__graph_pointer_index(c, pointer, i),
                               "`on` has one of error, timeout, transient and refused");
        } else {
            node->retry_on |= 1U << kind;
        }
    }
}

static void read_retry(haft__graph_compiler *c, haft__graph_node *node, haft_str pointer)
{
    haft__json retry = haft__object_object(node->source, "retry");
    uint64_t attempts = haft__object_number(retry, "attempts", 1);
    if (attempts < 1 || attempts > HAFT__LIMIT_GRAPH_ATTEMPTS) {
        haft__graph_report(c, HAFT__GRAPH_BAD_SHAPE, node->name, pointer,
                           "attempts is %llu; it must be from 1 to %d",
                           (unsigned long long)attempts, HAFT__LIMIT_GRAPH_ATTEMPTS);
        attempts = 1;
    }
    node->attempts = (uint32_t)attempts;
    read_retry_on(c, node, haft__object_array(retry, "on"),
                  haft__graph_pointer_key(
                      c, haft__graph_pointer_key(c, pointer, HAFT__LIT("retry")), HAFT__LIT("on")));
}

static void compile_node(haft__graph_compiler *c, haft__graph_node *node, haft_str pointer)
{
    static const char *const keys[] = {
        "agent", "tool",    "function", "graph",    "ask",   "do",    "task",
        "args",  "in",      "out",      "limits",   "input", "defer", "pause",
        "retry", "timeout", "cache",    "on_error", "plan",  "goto",  NULL};
    haft_str pause = haft__object_string(node->source, "pause");
    const haft__json *handler = haft__object_find(node->source, "on_error");
    check_keys(c, node->source, pointer, keys);
    read_kind(c, node, pointer);
    read_input(c, node, pointer);
    read_retry(c, node, pointer);
    node->program = haft__object_array(node->source, "do");
    node->has_handler = handler != NULL;
    node->handler = handler != NULL ? haft__object_array(*handler, "do") : haft__json_null();
    node->defer = haft__object_flag(node->source, "defer", false);
    node->cached = haft__object_find(node->source, "cache") != NULL
                   && haft__object_flag(node->source, "cache", true);
    bool both = haft__str_equal(pause, HAFT__LIT("both"));
    node->pause_before = both || haft__str_equal(pause, HAFT__LIT("before"))
                         || names_node(haft__object_get(c->source, "pause_before"), node->name);
    node->pause_after = both || haft__str_equal(pause, HAFT__LIT("after"))
                        || names_node(haft__object_get(c->source, "pause_after"), node->name);
}

static void compile_nodes(haft__graph_compiler *c)
{
    haft__json source = haft__object_object(c->source, "nodes");
    const haft__json_member **sorted = sort_members(c, source);
    haft__graph_node *nodes = haft__graph_alloc(c, source.count + 1, sizeof(*nodes));
    if (sorted == NULL || nodes == NULL) {
        return;
    }
    for (uint32_t i = 0; i < source.count; i++) {
        nodes[i].name = haft__json_text(sorted[i]->key);
        nodes[i].source = sorted[i]->value;
        haft_str pointer = haft__graph_pointer_key(c, HAFT__LIT("/nodes"), nodes[i].name);
        if (haft__str_equal(nodes[i].name, HAFT__LIT("start"))
            || haft__str_equal(nodes[i].name, HAFT__LIT("end"))) {
            haft__graph_report(c, HAFT__GRAPH_BAD_SHAPE, nodes[i].name, pointer,
                               "a node cannot be named '%.*s'", HAFT__ARG(nodes[i].name));
        }
        compile_node(c, &nodes[i], pointer);
        c->graph->defer_count += nodes[i].defer;
        c->graph->caches = c->graph->caches || nodes[i].cached;
    }
    c->graph->nodes = nodes;
    c->graph->node_count = source.count;
    haft__graph_compile_targets(c, nodes);
}

/* ---- the whole ---- */

/* Checks the pointer in `output`: an answer must be a part of a channel. */
static void check_output_pointer(haft__graph_compiler *c)
{
    haft_str rest = haft__json_text(c->graph->output), name;
    uint32_t channel;
    if (c->graph->output.kind != HAFT__JSON_STRING || rest.len == 0) {
        return;
    }
    rest = haft__str_skip(rest, 1);
    name = haft__str_split(&rest, '/');
    bool escaped = memchr(name.ptr, '~', name.len) != NULL; /* names with ~0 or ~1 are not
                                                             * checked */
    if (!escaped && !haft__graph_find_channel(c->graph, name, &channel)) {
        haft__graph_report(c, HAFT__GRAPH_UNKNOWN_CHANNEL, name, HAFT__LIT("/output"),
                           "no channel is named '%.*s'", HAFT__ARG(name));
    }
}

static void read_settings(haft__graph_compiler *c)
{
    static const char *const keys[] = {"channels",     "nodes",           "edges",    "input",
                                       "output",       "recursion_limit", "on_limit", "concurrency",
                                       "pause_before", "pause_after",     NULL};
    haft__graph *graph = c->graph;
    check_keys(c, c->source, HAFT__LIT(""), keys);
    graph->input = haft__object_get(c->source, "input");
    graph->output = haft__object_get(c->source, "output");
    uint64_t limit =
        haft__object_number(c->source, "recursion_limit", HAFT__LIMIT_GRAPH_STEPS_DEFAULT);
    if (limit < 1 || limit > HAFT__LIMIT_GRAPH_STEPS) {
        haft__graph_report(c, HAFT__GRAPH_BAD_SHAPE, HAFT__LIT("recursion_limit"),
                           HAFT__LIT("/recursion_limit"),
                           "recursion_limit is %llu; it must be from 1 to %d",
                           (unsigned long long)limit, HAFT__LIMIT_GRAPH_STEPS);
        limit = 1;
    }
    graph->recursion_limit = (uint32_t)limit;
    graph->concurrency = (uint32_t)haft__object_number(c->source, "concurrency", 0);
    haft__graph_check_channel_names(c, graph->input, HAFT__LIT("/input"));
    haft__graph_check_channel_names(c, graph->output, HAFT__LIT("/output"));
    check_output_pointer(c);
}

static void check_pause_names(haft__graph_compiler *c, const char *key)
{
    haft__json names = haft__object_array(c->source, key);
    haft_str pointer = haft__graph_pointer(c, "/%s", key);
    for (uint32_t i = 0; i < names.count; i++) {
        haft__graph_node_id node;
        haft_str at = haft__graph_pointer_index(c, pointer, i);
        if (haft__graph_resolve(c, names.items[i], at, &node) && node == HAFT__GRAPH_END) {
            haft__graph_report(c, HAFT__GRAPH_UNKNOWN_NODE, HAFT__LIT("end"), at,
                               "'end' is no node, so no run pauses at it");
        }
    }
}

static void read_limit_node(haft__graph_compiler *c)
{
    const haft__json *name = haft__object_find(c->source, "on_limit");
    c->graph->has_on_limit =
        name != NULL && haft__graph_resolve(c, *name, HAFT__LIT("/on_limit"), &c->graph->on_limit)
        && c->graph->on_limit != HAFT__GRAPH_END;
}

static void check_for_warnings(haft__graph_compiler *c)
{
    haft__graph_targets targets;
    if (haft__graph_targets_list(c->arena, c->graph, &targets, NULL) != HAFT_OK) {
        c->problems->out_of_memory = true;
        return;
    }
    haft__graph_check_conditions(c, &targets);
    haft__graph_check_pointers(c);
    if (targets.count <= HAFT__LIMIT_GRAPH_CHECKED_TARGETS) {
        haft__graph_check_meeting(c, &targets);
        size_t before = c->problems->count;
        haft__graph_check_joins(c, &targets);
        if (c->problems->count == before) {
            haft__graph_check_steps(c, &targets);
        }
    }
}

haft_status haft__graph_compile(haft__arena *arena, haft__json source, haft__json graphs,
                                const haft__graph **ret_graph, haft__graph_problems *ret_problems,
                                haft_error *err)
{
    haft__graph_compiler c = {
        .arena = arena, .source = source, .graphs = graphs, .problems = ret_problems};
    *ret_problems = (haft__graph_problems){.arena = arena};
    *ret_graph = NULL;
    c.graph = haft__graph_alloc(&c, 1, sizeof(*c.graph));
    if (c.graph == NULL) {
        return haft__arena_fail(arena, err);
    }
    compile_channels(&c);
    compile_nodes(&c);
    read_settings(&c);
    haft__graph_compile_edges(&c);
    read_limit_node(&c);
    check_pause_names(&c, "pause_before");
    check_pause_names(&c, "pause_after");
    haft__graph_check_programs(&c);
    if (ret_problems->errors == 0 && !ret_problems->out_of_memory) {
        haft__graph_check_paths(&c);
        haft__graph_check_writers(&c);
    }
    if (ret_problems->errors == 0 && !ret_problems->out_of_memory) {
        check_for_warnings(&c);
    }
    if (ret_problems->out_of_memory) {
        return haft__arena_fail(arena, err);
    }
    *ret_graph = ret_problems->errors == 0 ? c.graph : NULL;
    return HAFT_OK;
}
