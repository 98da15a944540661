/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/graph/draw/layout.c: where boxes and lines are. */
#include "base/buf.h"
#include "graph/draw/sample.h"

static bool boxes_overlap(const haft__drawing_box *a, const haft__drawing_box *b)
{
    return abs(a->x - b->x) * 2 < a->width + b->width
           && abs(a->y - b->y) * 2 < a->height + b->height;
}

/* Nothing overlaps, everything is inside, and lines begin and end at their boxes. */
static void check_layout(const haft__drawing *drawing, const char *name)
{
    for (size_t i = 0; i < drawing->box_count; i++) {
        const haft__drawing_box *box = &drawing->boxes[i];
        CHECK(box->x - box->width / 2 >= 0 && box->x + box->width / 2 <= drawing->width
                  && box->y - box->height / 2 >= 0 && box->y + box->height / 2 <= drawing->height,
              "%s: box %zu is inside", name, i);
        for (size_t k = 0; k < i; k++) {
            CHECK(!boxes_overlap(box, &drawing->boxes[k]), "%s: boxes %zu and %zu", name, i, k);
        }
    }
    for (size_t i = 0; i < drawing->line_count; i++) {
        const haft__drawing_line *line = &drawing->lines[i];
        const haft__drawing_box *from = &drawing->boxes[line->from];
        const haft__drawing_box *to = &drawing->boxes[line->to];
        if (line->point_count == 0) {
            CHECK_INT(line->from, line->to, "%s: line %zu", name, i);
            continue;
        }
        haft__drawing_point first = line->points[0], last = line->points[line->point_count - 1];
        CHECK(abs(first.x - from->x) * 2 <= from->width && abs(last.x - to->x) * 2 <= to->width,
              "%s: line %zu", name, i);
        CHECK(abs(first.y - from->y) <= from->height && abs(last.y - to->y) <= to->height,
              "%s: line %zu", name, i);
        CHECK(line->label.len == 0 || line->point_count > 2, "%s: a label has a bend", name);
    }
}

TEST(boxes_do_not_overlap_and_lines_lead_from_box_to_box)
{
    static const char *const graphs[] = {
        SAMPLE,
        "{'nodes':{'a':{'do':[]}},'edges':[{'from':'start','to':'a'}]}",
        "{'nodes':{'a':{'do':[]}},'edges':[{'from':'start','to':'a'},{'from':'a','choose':[{'when':"
        "{'at':'/$/step','op':'eq','value':1},'to':'a'},{'to':'end'}]}]}",
        "{'nodes':{'a':{'do':[]},'b':{'do':[]},'c':{'do':[]},'d':{'do':[]}},'on_limit':'d','edges':"
        "[{'from':'start','to':['a','b','c']},{'from':'a','to':'b'},{'from':'b','to':'c'},{'from':"
        "'c','to':'a'}]}",
    };
    for (size_t i = 0; i < COUNT(graphs); i++) {
        const haft__drawing_metrics *metrics[] = {&haft__drawing_pixels, &haft__drawing_cells};
        for (size_t m = 0; m < COUNT(metrics); m++) {
            haft__arena arena;
            haft__drawing drawing;
            haft__arena_init(&arena, 0);
            CHECK_INT(draw_graph(&arena, graphs[i], metrics[m], &drawing, NULL), HAFT_OK, "%zu", i);
            check_layout(&drawing, graphs[i]);
            haft__arena_finish(&arena);
        }
    }
}

TEST(boxes_stand_below_those_that_lead_to_them)
{
    haft__arena arena;
    haft__drawing drawing;
    haft__arena_init(&arena, 0);
    CHECK_INT(draw_graph(&arena, SAMPLE, &haft__drawing_pixels, &drawing, NULL), HAFT_OK, "sample");
    const haft__drawing_box *boxes = drawing.boxes; /* start, a, b, c, end, the join */
    CHECK(boxes[0].y < boxes[1].y && boxes[1].y == boxes[2].y, "a and b beside each other");
    CHECK(boxes[1].y < boxes[5].y && boxes[5].y < boxes[3].y && boxes[3].y < boxes[4].y,
          "then the join, c and end");
    haft__arena_finish(&arena);
}

/* `wide` nodes in a row, each with a line to the one node below: no bends. */
static haft_status draw_wide(size_t wide, haft_error *err)
{
    haft__arena arena;
    haft__drawing drawing;
    haft__buf text;
    haft__arena_init(&arena, 0);
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__buf_addf(&text, "{'nodes':{'z':{'do':[]}");
    for (size_t i = 0; i < wide; i++) {
        haft__buf_addf(&text, ",'n%zu':{'do':[]}", i);
    }
    haft__buf_addf(&text, "},'edges':[{'from':'z','to':'end'}");
    for (size_t i = 0; i < wide; i++) {
        haft__buf_addf(&text, ",{'from':'start','to':'n%zu'},{'from':'n%zu','to':'z'}", i, i);
    }
    haft__buf_addf(&text, "]}");
    haft__buf_add_char(&text, '\0');
    haft_status status = draw_graph(&arena, text.ptr, &haft__drawing_cells, &drawing, err);
    haft__buf_finish(&text);
    haft__arena_finish(&arena);
    return status;
}

TEST(only_so_many_points_are_drawn)
{
    haft_error err = {.status = HAFT_OK};
    /* start, z and end are boxes, too */
    CHECK_INT(draw_wide(HAFT__LIMIT_GRAPH_DRAWN_POINTS - 3, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(draw_wide(HAFT__LIMIT_GRAPH_DRAWN_POINTS - 2, &err), HAFT_TOO_BIG, "past");
}
