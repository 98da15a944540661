/* SPDX-License-Identifier: Apache-2.0 */
/* drawing.c - makes the boxes and lines of a graph. Tests: tests/graph/draw/drawing_test.c. */
#include "graph/draw/drawing.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "graph/targets.h"
#include "json/object.h"
#include "json/write.h"

/* Maximum characters of a label; longer labels are truncated. */
#define LABEL_CHARS 36

typedef struct maker {
    haft__arena *arena;
    const haft__graph *graph;
    haft__graph_targets targets;
    haft__drawing *drawing;
    uint32_t *joins; /* for each edge: the box of its bar */
    haft_status status;
} maker;

/* ---- texts ---- */

static haft_str cut(maker *m, haft__buf *buf)
{
    haft_str text = haft__buf_str(buf);
    size_t end = 0, count = 0;
    while (end < text.len && count < LABEL_CHARS) {
        for (end++; end < text.len && ((unsigned char)text.ptr[end] & 0xC0) == 0x80; end++) {
        }
        count++;
    }
    haft_str label = end < text.len ? haft__arena_format(m->arena, "%.*s...", (int)end, text.ptr)
                                    : haft__arena_copy(m->arena, text);
    if (label.ptr == NULL || buf->status == HAFT_NO_MEMORY) {
        m->status = haft__arena_fail(m->arena, NULL);
    }
    haft__buf_finish(buf);
    return label;
}

/* "/score >= 8" */
static haft_str condition_text(maker *m, haft__json when)
{
    static const struct {
        const char *op, *sign;
    } signs[] = {{"eq", "="}, {"ne", "!="}, {"lt", "<"}, {"le", "<="}, {"gt", ">"}, {"ge", ">="}};
    haft_str sign = haft__object_string(when, "op");
    const haft__json *value = haft__object_find(when, "value");
    haft__buf buf;
    for (size_t i = 0; i < COUNT(signs); i++) {
        if (haft__str_equal(haft__object_string(when, "op"), haft__str(signs[i].op))) {
            sign = haft__str(signs[i].sign);
        }
    }
    haft__buf_init(&buf, HAFT__LIMIT_GRAPH_TEXT_BYTES);
    haft__buf_addf(&buf, "%.*s %.*s", HAFT__ARG(haft__object_string(when, "at")), HAFT__ARG(sign));
    if (value != NULL) {
        haft__buf_add_char(&buf, ' ');
        haft__json_write(&buf, *value);
    }
    return cut(m, &buf);
}

static haft_str map_text(maker *m, haft_str over)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_GRAPH_TEXT_BYTES);
    haft__buf_addf(&buf, "each %.*s", HAFT__ARG(over));
    return cut(m, &buf);
}

static haft_str label_of(maker *m, const haft__graph_target *target)
{
    const haft__graph_edge *edge = target->edge;
    if (target->handler) {
        return HAFT__LIT("on error");
    }
    if (edge == NULL) {
        return target->kind == HAFT__TARGET_GOTO ? HAFT__LIT("goto") : HAFT__LIT("send");
    }
    if (edge->kind == HAFT__EDGE_MAP) {
        return map_text(m, edge->map.over);
    }
    haft__json when = edge->branches[target->branch].when;
    bool other = edge->kind == HAFT__EDGE_CHOOSE && edge->branch_count > 1;
    return when.kind == HAFT__JSON_OBJECT ? condition_text(m, when)
           : other                        ? HAFT__LIT("else")
                                          : HAFT__LIT("");
}

static haft_str detail_of(maker *m, const haft__graph_node *node)
{
    static const char *const kinds[] = {
        [HAFT__NODE_DO] = "",         [HAFT__NODE_AGENT] = "agent",
        [HAFT__NODE_TOOL] = "tool",   [HAFT__NODE_FUNCTION] = "function",
        [HAFT__NODE_GRAPH] = "graph", [HAFT__NODE_ASK] = "ask",
    };
    const char *kind = kinds[node->kind];
    haft_str name = haft__object_string(node->source, kind);
    bool shown = name.len > 0 && !haft__str_equal(name, node->name) && node->kind != HAFT__NODE_DO
                 && node->kind != HAFT__NODE_ASK;
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_GRAPH_TEXT_BYTES);
    haft__buf_addf(&buf, "%s", kind);
    if (shown) {
        haft__buf_addf(&buf, " %.*s", HAFT__ARG(name));
    }
    return cut(m, &buf);
}

/* ---- boxes ---- */

static uint32_t box_of(const maker *m, haft__graph_node_id node)
{
    return node == HAFT__GRAPH_START ? 0
           : node == HAFT__GRAPH_END ? (uint32_t)m->graph->node_count + 1
                                     : node + 1;
}

static bool is_join(const haft__graph_edge *edge)
{
    return edge != NULL && edge->kind == HAFT__EDGE_JOIN && edge->from_count > 1;
}

static void make_boxes(maker *m)
{
    const haft__graph *graph = m->graph;
    haft__drawing_box *boxes = m->drawing->boxes;
    size_t count = 0;
    boxes[count++] = (haft__drawing_box){.name = HAFT__LIT("start"), .detail = HAFT__LIT("")};
    for (size_t n = 0; n < graph->node_count; n++) {
        const haft__graph_node *node = &graph->nodes[n];
        boxes[count++] = (haft__drawing_box){.shape = HAFT__SHAPE_NODE,
                                             .name = node->name,
                                             .detail = detail_of(m, node),
                                             .pauses = node->pause_before || node->pause_after
                                                       || node->kind == HAFT__NODE_ASK,
                                             .deferred = node->defer};
    }
    boxes[count++] = (haft__drawing_box){.name = HAFT__LIT("end"), .detail = HAFT__LIT("")};
    for (size_t e = 0; e < graph->edge_count; e++) {
        if (is_join(&graph->edges[e])) {
            m->joins[e] = (uint32_t)count;
            boxes[count++] = (haft__drawing_box){
                .shape = HAFT__SHAPE_JOIN, .name = HAFT__LIT(""), .detail = HAFT__LIT("")};
        }
    }
    m->drawing->box_count = count;
}

/* ---- lines ---- */

static void add_line(maker *m, uint32_t from, uint32_t to, haft_str label, bool dashed)
{
    haft__drawing *drawing = m->drawing;
    for (size_t i = drawing->line_count; i-- > 0 && drawing->lines[i].from == from;) {
        if (drawing->lines[i].to == to && haft__str_equal(drawing->lines[i].label, label)) {
            return;
        }
    }
    haft__drawing_line *lines =
        haft__vec_reserve_in(m->arena, drawing->lines, drawing->line_count, &drawing->line_capacity,
                             drawing->line_count + 1, sizeof(*lines));
    if (lines == NULL) {
        m->status = haft__arena_fail(m->arena, NULL);
        return;
    }
    drawing->lines = lines;
    lines[drawing->line_count++] =
        (haft__drawing_line){.from = from, .to = to, .label = label, .dashed = dashed};
}

static void add_target(maker *m, const haft__graph_target *target)
{
    if (!is_join(target->edge)) {
        add_line(m, box_of(m, target->from), box_of(m, target->to), label_of(m, target),
                 !target->sure);
        return;
    }
    add_line(m, box_of(m, target->from), m->joins[target->edge - m->graph->edges], HAFT__LIT(""),
             false);
}

static void make_lines(maker *m)
{
    const haft__graph *graph = m->graph;
    for (size_t t = m->targets.first[graph->node_count]; t < m->targets.count; t++) {
        add_target(m, &m->targets.items[t]); /* targets of start are first */
    }
    if (graph->has_on_limit) {
        add_line(m, 0, box_of(m, graph->on_limit), HAFT__LIT("at the limit"), true);
    }
    for (size_t n = 0; n < graph->node_count && m->status == HAFT_OK; n++) {
        bool ends = true;
        for (size_t t = m->targets.first[n]; t < m->targets.first[n + 1]; t++) {
            add_target(m, &m->targets.items[t]);
            ends = ends && m->targets.items[t].handler;
        }
        if (ends) { /* a node without an edge ends its path */
            add_line(m, (uint32_t)n + 1, box_of(m, HAFT__GRAPH_END), HAFT__LIT(""), false);
        }
    }
    for (size_t e = 0; e < graph->edge_count; e++) {
        const haft__graph_edge *edge = &graph->edges[e];
        for (size_t t = 0; is_join(edge) && t < edge->branches->to_count; t++) {
            add_line(m, m->joins[e], box_of(m, edge->branches->to[t]), HAFT__LIT(""), false);
        }
    }
}

haft_status haft__drawing_create(haft__arena *arena, const haft__graph *graph,
                                 haft__drawing *ret_drawing, haft_error *err)
{
    size_t boxes = graph->node_count + graph->edge_count + 2;
    maker m = {.arena = arena, .graph = graph, .drawing = ret_drawing, .status = HAFT_OK};
    *ret_drawing =
        (haft__drawing){.boxes = haft__arena_array(arena, boxes, sizeof(*ret_drawing->boxes))};
    m.joins = haft__arena_array(arena, graph->edge_count + 1, sizeof(*m.joins));
    if (ret_drawing->boxes == NULL || m.joins == NULL
        || haft__graph_targets_list(arena, graph, &m.targets, NULL) != HAFT_OK) {
        return haft__arena_fail(arena, err);
    }
    make_boxes(&m);
    make_lines(&m);
    return m.status == HAFT_OK ? HAFT_OK : haft__arena_fail(arena, err);
}
