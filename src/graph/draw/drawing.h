/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph/draw/drawing.h - draws a graph as boxes and lines.
 *
 *     haft__drawing_create(arena, graph, &drawing, err);
 *     haft__drawing_layout(arena, &drawing, &haft__drawing_pixels, err);
 *     haft__drawing_write_svg(&drawing, title, buf);
 *
 * Programs that read Mermaid or DOT make their own layout, so these formats need only
 * haft__drawing_create.
 */
#ifndef HAFT_GRAPH_DRAW_DRAWING_H
#define HAFT_GRAPH_DRAW_DRAWING_H

#include "base/buf.h"
#include "graph/graph.h"

typedef enum haft__drawing_shape {
    HAFT__SHAPE_TERMINAL, /* start or end */
    HAFT__SHAPE_NODE,
    HAFT__SHAPE_JOIN, /* the bar where the starts of a join meet */
} haft__drawing_shape;

typedef struct haft__drawing_point {
    int32_t x, y;
} haft__drawing_point;

typedef struct haft__drawing_box {
    haft__drawing_shape shape;
    haft_str name;   /* "" for a join */
    haft_str detail; /* "agent", "tool publish"; "" for `do` */
    bool pauses;     /* the node waits for a person */
    bool deferred;
    int32_t x, y; /* position of the centre, after the layout */
    int32_t width, height;
} haft__drawing_box;

typedef struct haft__drawing_line {
    uint32_t from, to;            /* indices of boxes */
    haft_str label;               /* the condition, or "" */
    bool dashed;                  /* not always followed */
    haft__drawing_point *points;  /* from `from` to `to`, after the layout */
    size_t point_count;           /* 0: a line from a box to itself */
    haft__drawing_point label_at; /* centre of the label */
} haft__drawing_line;

typedef struct haft__drawing {
    haft__drawing_box *boxes; /* start, the nodes in the order of their names, end, joins */
    size_t box_count;
    haft__drawing_line *lines;
    size_t line_count, line_capacity;
    int32_t width, height;
} haft__drawing;

/* The sizes of a picture, in its units. */
typedef struct haft__drawing_metrics {
    int32_t letter;      /* the width of a letter */
    int32_t text_height; /* height of a line of text, and of a label */
    int32_t padding_x, padding_y;
    int32_t bar_width, bar_height; /* size of the bar of a join */
    int32_t gap_x, gap_y;
    int32_t margin;
} haft__drawing_metrics;

extern const haft__drawing_metrics haft__drawing_pixels; /* for SVG */
extern const haft__drawing_metrics haft__drawing_cells;  /* for a terminal */

HAFT_MUST_USE haft_status haft__drawing_create(haft__arena *arena, const haft__graph *graph,
                                               haft__drawing *ret_drawing, haft_error *err);

/* Computes the positions of boxes and lines. Boxes are in layers, so that most lines lead down.
 * Fails with TOO_BIG if the picture has more than HAFT__LIMIT_GRAPH_DRAWN_POINTS boxes and
 * bends. */
HAFT_MUST_USE haft_status haft__drawing_layout(haft__arena *arena, haft__drawing *drawing,
                                               const haft__drawing_metrics *metrics,
                                               haft_error *err);

void haft__drawing_write_svg(const haft__drawing *drawing, haft_str title, haft__buf *buf);
void haft__drawing_write_mermaid(const haft__drawing *drawing, haft__buf *buf);
void haft__drawing_write_dot(const haft__drawing *drawing, haft_str title, haft__buf *buf);
HAFT_MUST_USE haft_status haft__drawing_write_ascii(haft__arena *arena,
                                                    const haft__drawing *drawing, haft__buf *buf,
                                                    haft_error *err);

#endif
