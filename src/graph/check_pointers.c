/* SPDX-License-Identifier: Apache-2.0 */
/* check_pointers.c - warns about pointers and templates of nodes that read a name that is neither a
 * channel nor an argument of a worker. Tests: tests/graph/warnings_test.c. */
#include <string.h>

#include "base/str.h"
#include "graph/graph_int.h"
#include "json/object.h"
#include "json/pointer.h"

/* The node whose pointers are checked, and the first name of the current pointer. */
typedef struct reading {
    haft__graph_compiler *c;
    haft__graph_node_id node;
    haft_str name;
    bool found; /* the name is an argument that the node gets */
} reading;

/* ---- arguments of workers ---- */

static bool names_argument(haft__json map, haft_str name)
{
    const haft__json *as = haft__object_find(map, "as");
    return haft__str_equal(as != NULL ? haft__json_text(*as) : HAFT__LIT("item"), name)
           || haft__array_has_text(haft__object_array(map, "with"), name);
}

static bool leads_to(const reading *r, haft__json source)
{
    return haft__str_equal(haft__object_string(source, "to"), r->c->graph->nodes[r->node].name);
}

static void find_in_op(void *context, haft__graph_op_kind kind, haft__json op, haft__json value,
                       bool sure)
{
    reading *r = context;
    (void)op;
    (void)sure;
    if (kind != HAFT__OP_SEND) {
        return;
    }
    if (value.kind == HAFT__JSON_OBJECT && leads_to(r, value)) {
        r->found = r->found || names_argument(value, r->name);
    }
    for (uint32_t i = 0; value.kind == HAFT__JSON_ARRAY && i < value.count; i++) {
        haft__json argument = haft__object_get(value.items[i], "arg");
        r->found = r->found
                   || (leads_to(r, value.items[i])
                       && (argument.kind != HAFT__JSON_OBJECT
                           || haft__json_get(argument, r->name) != NULL));
    }
}

static bool is_argument(reading *r)
{
    const haft__graph *graph = r->c->graph;
    r->found = false;
    if (r->node == HAFT__GRAPH_START) {
        return false;
    }
    for (size_t e = 0; e < graph->edge_count; e++) {
        const haft__graph_map *map = &graph->edges[e].map;
        bool own = graph->edges[e].kind == HAFT__EDGE_MAP && map->to == r->node;
        r->found =
            r->found
            || (own
                && (haft__str_equal(map->as, r->name) || haft__array_has_text(map->with, r->name)));
    }
    for (size_t n = 0; n < graph->node_count && !r->found; n++) {
        haft__graph_visit_ops(graph->nodes[n].program, true, find_in_op, r);
        haft__graph_visit_ops(graph->nodes[n].handler, true, find_in_op, r);
    }
    return r->found;
}

/* ---- pointers ---- */

static void check_pointer(reading *r, haft_str pointer, haft_str at)
{
    haft_str rest = pointer;
    uint32_t channel;
    bool whole = !haft__pointer_next(&rest, &r->name);
    if (whole || haft__str_equal(r->name, HAFT__LIT("$"))
        || memchr(r->name.ptr, '~', r->name.len) != NULL
        || haft__graph_find_channel(r->c->graph, r->name, &channel) || is_argument(r)) {
        return;
    }
    haft__graph_report(r->c, HAFT__GRAPH_UNWRITTEN, r->name, at,
                       "'%.*s' reads '%.*s', but no channel has this name",
                       HAFT__ARG(haft__graph_node_name(r->c->graph, r->node)), HAFT__ARG(r->name));
}

/* Checks each {POINTER} in a text, as haft__graph_template reads it. */
static void check_template(reading *r, haft_str text, haft_str at)
{
    const char *open;
    while (text.len > 0 && (open = memchr(text.ptr, '{', text.len)) != NULL) {
        text = haft__str_skip(text, (size_t)(open - text.ptr) + 1);
        const char *close =
            text.len > 0 && text.ptr[0] == '/' ? memchr(text.ptr, '}', text.len) : NULL;
        if (close != NULL) {
            check_pointer(r, (haft_str){text.ptr, (size_t)(close - text.ptr)}, at);
        }
    }
}

/* Checks an object {name: POINTER}. Values that are not texts are not pointers. */
static void check_members(reading *r, haft__json object, haft_str at)
{
    for (uint32_t i = 0; object.kind == HAFT__JSON_OBJECT && i < object.count; i++) {
        if (object.members[i].value.kind == HAFT__JSON_STRING) {
            check_pointer(
                r, haft__json_text(object.members[i].value),
                haft__graph_pointer_key(r->c, at, haft__json_text(object.members[i].key)));
        }
    }
}

static void check_sums(reading *r, haft__json sums, haft_str at)
{
    for (uint32_t i = 0; sums.kind == HAFT__JSON_OBJECT && i < sums.count; i++) {
        haft__json terms = sums.members[i].value;
        haft_str key = haft__graph_pointer_key(r->c, at, haft__json_text(sums.members[i].key));
        for (uint32_t t = 0; terms.kind == HAFT__JSON_ARRAY && t < terms.count; t++) {
            if (terms.items[t].kind == HAFT__JSON_STRING) {
                check_pointer(r, haft__json_text(terms.items[t]),
                              haft__graph_pointer_index(r->c, key, t));
            }
        }
    }
}

static void check_texts(reading *r, haft__json texts, haft_str at)
{
    for (uint32_t i = 0; texts.kind == HAFT__JSON_OBJECT && i < texts.count; i++) {
        check_template(r, haft__json_text(texts.members[i].value),
                       haft__graph_pointer_key(r->c, at, haft__json_text(texts.members[i].key)));
    }
}

static void check_question(reading *r, haft__json ask, haft_str at)
{
    if (ask.kind == HAFT__JSON_STRING) {
        check_template(r, haft__json_text(ask), at);
    } else {
        check_template(r, haft__object_string(ask, "question"),
                       haft__graph_pointer_key(r->c, at, HAFT__LIT("question")));
    }
}

static void check_ops(reading *r, haft__json ops, haft_str pointer);

static void check_op(reading *r, haft__graph_op_kind kind, haft__json op, haft__json value,
                     haft_str pointer, haft_str at)
{
    haft__graph_compiler *c = r->c;
    switch (kind) {
    case HAFT__OP_COPY: check_members(r, value, at); break;
    case HAFT__OP_SUM: check_sums(r, value, at); break;
    case HAFT__OP_TEXT: check_texts(r, value, at); break;
    case HAFT__OP_FAIL: check_template(r, haft__json_text(value), at); break;
    case HAFT__OP_ASK: check_question(r, value, at); break;
    case HAFT__OP_SEND:
        check_pointer(r, haft__object_string(value, "over"),
                      haft__graph_pointer_key(c, at, HAFT__LIT("over")));
        check_pointer(r, haft__object_string(value, "first"),
                      haft__graph_pointer_key(c, at, HAFT__LIT("first")));
        break;
    case HAFT__OP_CALL:
        check_members(r, haft__object_object(op, "in"),
                      haft__graph_pointer_key(c, pointer, HAFT__LIT("in")));
        break;
    case HAFT__OP_IF:
        check_pointer(r, haft__object_string(value, "at"),
                      haft__graph_pointer_key(c, at, HAFT__LIT("at")));
        check_ops(r, haft__object_array(op, "then"),
                  haft__graph_pointer_key(c, pointer, HAFT__LIT("then")));
        check_ops(r, haft__object_array(op, "else"),
                  haft__graph_pointer_key(c, pointer, HAFT__LIT("else")));
        break;
    case HAFT__OP_SET:
    case HAFT__OP_OVERWRITE:
    case HAFT__OP_GOTO:
    case HAFT__OP_PARENT:
    case HAFT__OP_EFFECT:
    case HAFT__OP_DELAY:
    case HAFT__OP_RETURN: break;
    }
}

static void check_ops(reading *r, haft__json ops, haft_str pointer)
{
    for (uint32_t i = 0; ops.kind == HAFT__JSON_ARRAY && i < ops.count; i++) {
        haft_str own = haft__graph_pointer_index(r->c, pointer, i), key;
        haft__graph_op_kind kind = HAFT__OP_SET;
        haft__json value;
        if (haft__graph_op_find(ops.items[i], &kind, &key, &value) > 0) {
            check_op(r, kind, ops.items[i], value, own, haft__graph_pointer_key(r->c, own, key));
        }
    }
}

static void check_node(reading *r, const haft__graph_node *node)
{
    haft__graph_compiler *c = r->c;
    haft_str pointer = haft__graph_pointer_key(c, HAFT__LIT("/nodes"), node->name);
    haft_str handler = haft__graph_pointer_key(c, pointer, HAFT__LIT("on_error"));
    check_ops(r, node->program, haft__graph_pointer_key(c, pointer, HAFT__LIT("do")));
    check_ops(r, node->handler, haft__graph_pointer_key(c, handler, HAFT__LIT("do")));
    check_members(r, haft__object_object(node->source, "args"),
                  haft__graph_pointer_key(c, pointer, HAFT__LIT("args")));
    check_members(r, haft__object_object(node->source, "in"),
                  haft__graph_pointer_key(c, pointer, HAFT__LIT("in")));
    check_template(r, haft__object_string(node->source, "task"),
                   haft__graph_pointer_key(c, pointer, HAFT__LIT("task")));
    check_pointer(r, haft__object_string(node->source, "plan"),
                  haft__graph_pointer_key(c, pointer, HAFT__LIT("plan")));
    check_question(r, haft__object_get(node->source, "ask"),
                   haft__graph_pointer_key(c, pointer, HAFT__LIT("ask")));
}

void haft__graph_check_pointers(haft__graph_compiler *c)
{
    const haft__graph *graph = c->graph;
    reading r = {.c = c};
    for (size_t n = 0; n < graph->node_count; n++) {
        r.node = (haft__graph_node_id)n;
        check_node(&r, &graph->nodes[n]);
    }
    for (size_t e = 0; e < graph->edge_count; e++) {
        const haft__graph_edge *edge = &graph->edges[e];
        if (edge->kind == HAFT__EDGE_MAP && edge->from_count > 0) {
            r.node = edge->from[0];
            check_pointer(&r, edge->map.over, haft__graph_pointer(c, "/edges/%zu/map/over", e));
            check_pointer(&r, edge->map.first, haft__graph_pointer(c, "/edges/%zu/map/first", e));
        }
    }
}
