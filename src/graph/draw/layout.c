/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.c - makes a layered layout: boxes are in rows, and lines lead from row to row.
 *
 * First, lines that would close a cycle are reversed. Then each box is placed in a row below all
 * boxes that lead to it. A line that crosses rows gets a bend in each of these rows. A line with a
 * label crosses at least one row; its bend there is as wide as the label, so that labels do not
 * overlap. Boxes and bends in a row are sorted by the mean position of their neighbours, and placed
 * as near to it as the widths of the other items allow. Tests: tests/graph/draw/layout_test.c.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "graph/draw/drawing.h"

#define SWEEPS 16

const haft__drawing_metrics haft__drawing_pixels = {.letter = 7,
                                                    .text_height = 16,
                                                    .padding_x = 14,
                                                    .padding_y = 8,
                                                    .bar_width = 64,
                                                    .bar_height = 5,
                                                    .gap_x = 28,
                                                    .gap_y = 30,
                                                    .margin = 20};
const haft__drawing_metrics haft__drawing_cells = {.letter = 1,
                                                   .text_height = 1,
                                                   .padding_x = 2,
                                                   .padding_y = 1,
                                                   .bar_width = 9,
                                                   .bar_height = 1,
                                                   .gap_x = 3,
                                                   .gap_y = 3,
                                                   .margin = 0};

/* A box, or a bend of a line. */
typedef struct item {
    uint32_t layer, place; /* row, and index in the row */
    int32_t width;
    int64_t x, ideal;
    int64_t key; /* sort key */
    uint32_t id;
} item;

/* A link from an item to an item in the next row. */
typedef struct link {
    uint32_t above, below;
} link;

/* A line, reversed if necessary so that it leads down. */
typedef struct path {
    uint32_t above, below; /* indices of boxes */
    uint32_t first;        /* item of its first bend; the other bends are the next items */
    uint32_t bends;
    bool turned, loop;
} path;

typedef struct layout {
    haft__arena *arena;
    haft__drawing *drawing;
    const haft__drawing_metrics *metrics;
    path *paths;
    item *items;
    size_t item_count;
    link *links;
    size_t link_count;
    uint32_t *rows; /* items by row and place */
    size_t *row_first;
    size_t row_count;
    uint32_t *up, *down; /* links, sorted by item */
    size_t *up_first, *down_first;
} layout;

/* ---- layers ---- */

/* The lines of each box, and memory for a walk along them. */
typedef struct walk {
    size_t *first;      /* for each box: index of its first line in `by_start` */
    uint32_t *by_start; /* lines, sorted by their start */
    uint32_t *queue;
    uint32_t *seen;  /* for each box: the number of the last walk that reached it */
    uint32_t *order; /* for each box: its position in the walk from start */
    uint32_t number;
} walk;

static bool prepare_walk(layout *l, walk *w)
{
    size_t boxes = l->drawing->box_count, lines = l->drawing->line_count;
    size_t *next = haft__arena_array(l->arena, boxes + 1, sizeof(*next));
    *w = (walk){.first = haft__arena_array(l->arena, boxes + 2, sizeof(size_t)),
                .by_start = haft__arena_array(l->arena, lines + 1, sizeof(uint32_t)),
                .queue = haft__arena_array(l->arena, boxes + 1, sizeof(uint32_t)),
                .seen = haft__arena_array(l->arena, boxes + 1, sizeof(uint32_t)),
                .order = haft__arena_array(l->arena, boxes + 1, sizeof(uint32_t))};
    if (next == NULL || w->first == NULL || w->by_start == NULL || w->queue == NULL
        || w->seen == NULL || w->order == NULL) {
        return false;
    }
    for (size_t i = 0; i < lines; i++) {
        w->first[l->drawing->lines[i].from + 1]++;
    }
    for (size_t b = 0; b < boxes; b++) {
        w->first[b + 1] += w->first[b];
        next[b] = w->first[b];
    }
    for (size_t i = 0; i < lines; i++) {
        w->by_start[next[l->drawing->lines[i].from]++] = (uint32_t)i;
    }
    return true;
}

/* Walks breadth-first from a box until it reaches the box `until`. Returns the number of reached
 * boxes, which are in w->queue. */
static size_t walk_from(const layout *l, walk *w, uint32_t from, uint32_t until)
{
    size_t count = 0;
    w->number++;
    w->queue[count++] = from;
    w->seen[from] = w->number;
    for (size_t i = 0; i < count && w->seen[until] != w->number; i++) {
        uint32_t at = w->queue[i];
        for (size_t k = w->first[at]; k < w->first[at + 1]; k++) {
            uint32_t to = l->drawing->lines[w->by_start[k]].to;
            if (w->seen[to] != w->number) {
                w->seen[to] = w->number;
                w->queue[count++] = to;
            }
        }
    }
    return count;
}

/* Reverses lines that lead back: the target is nearer to start, and a path leads from the target to
 * the beginning of the line. The remaining lines form no cycle, because every cycle contains a line
 * that leads back. */
static bool turn_lines(layout *l)
{
    uint32_t boxes = (uint32_t)l->drawing->box_count;
    walk w;
    if (!prepare_walk(l, &w)) {
        return false;
    }
    size_t count = walk_from(l, &w, 0, boxes); /* the whole graph, because no box has this index */
    for (size_t i = 0; i < count; i++) {
        w.order[w.queue[i]] = (uint32_t)i;
    }
    for (size_t i = 0; i < l->drawing->line_count; i++) {
        path *p = &l->paths[i];
        uint32_t from = p->above, to = p->below;
        if (!p->loop && w.order[to] < w.order[from]) {
            (void)walk_from(l, &w, to, from);
            p->turned = w.seen[from] == w.number;
        }
        if (p->turned) {
            p->above = to;
            p->below = from;
        }
    }
    return true;
}

/* Computes the row of each box: below all boxes that lead to it. */
static void find_layers(layout *l)
{
    uint32_t last = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < l->drawing->line_count; i++) {
            const path *p = &l->paths[i];
            uint32_t length = l->drawing->lines[i].label.len > 0 ? 2 : 1;
            uint32_t min = l->items[p->above].layer + length;
            if (!p->loop && l->items[p->below].layer < min) {
                l->items[p->below].layer = min;
                moved = true;
            }
        }
    }
    for (size_t b = 0; b < l->drawing->box_count; b++) {
        last = l->items[b].layer > last ? l->items[b].layer : last;
    }
    l->row_count = last + 1;
}

/* ---- bends ---- */

static int32_t label_width(const layout *l, haft_str label)
{
    return (int32_t)haft__utf8_length(label) * l->metrics->letter;
}

static haft_status make_bends(layout *l, haft_error *err)
{
    size_t count = l->drawing->box_count;
    for (size_t i = 0; i < l->drawing->line_count; i++) {
        path *p = &l->paths[i];
        p->first = (uint32_t)count;
        p->bends = p->loop ? 0 : l->items[p->below].layer - l->items[p->above].layer - 1;
        count += p->bends;
        if (count > HAFT__LIMIT_GRAPH_DRAWN_POINTS) {
            return haft__fail(err, HAFT_TOO_BIG, "",
                              "the graph has more than %d nodes and bends to draw",
                              HAFT__LIMIT_GRAPH_DRAWN_POINTS);
        }
        l->link_count += p->loop ? 0 : p->bends + 1;
    }
    item *items = haft__arena_array(l->arena, count + 1, sizeof(*items));
    l->links = haft__arena_array(l->arena, l->link_count + 1, sizeof(*l->links));
    if (items == NULL || l->links == NULL) {
        return haft__arena_fail(l->arena, err);
    }
    for (size_t b = 0; b < l->drawing->box_count; b++) {
        items[b] = l->items[b];
    }
    l->items = items;
    l->item_count = count;
    l->link_count = 0;
    for (size_t i = 0; i < l->drawing->line_count; i++) {
        const path *p = &l->paths[i];
        uint32_t above = p->above;
        for (uint32_t b = 0; b < p->bends; b++) {
            item *bend = &items[p->first + b];
            bend->layer = items[p->above].layer + b + 1;
            /* the label is at the bend next to the start of the line */
            bool labelled = b == (p->turned ? p->bends - 1 : 0);
            bend->width = labelled ? label_width(l, l->drawing->lines[i].label) : 1;
            l->links[l->link_count++] = (link){above, p->first + b};
            above = p->first + b;
        }
        if (!p->loop) {
            l->links[l->link_count++] = (link){above, p->below};
        }
    }
    return HAFT_OK;
}

/* ---- rows ---- */

/* Lists for each item the items at the other ends of its links, above it (`up`) or below it. */
static bool index_links(layout *l, bool up)
{
    size_t *first = haft__arena_array(l->arena, l->item_count + 2, sizeof(*first));
    size_t *next = haft__arena_array(l->arena, l->item_count + 1, sizeof(*next));
    uint32_t *list = haft__arena_array(l->arena, l->link_count + 1, sizeof(*list));
    if (first == NULL || next == NULL || list == NULL) {
        return false;
    }
    for (size_t i = 0; i < l->link_count; i++) {
        first[(up ? l->links[i].below : l->links[i].above) + 1]++;
    }
    for (size_t i = 0; i < l->item_count; i++) {
        first[i + 1] += first[i];
        next[i] = first[i];
    }
    for (size_t i = 0; i < l->link_count; i++) {
        uint32_t own = up ? l->links[i].below : l->links[i].above;
        list[next[own]++] = up ? l->links[i].above : l->links[i].below;
    }
    *(up ? &l->up : &l->down) = list;
    *(up ? &l->up_first : &l->down_first) = first;
    return true;
}

static bool make_rows(layout *l)
{
    size_t *next = haft__arena_array(l->arena, l->row_count + 1, sizeof(*next));
    l->rows = haft__arena_array(l->arena, l->item_count + 1, sizeof(*l->rows));
    l->row_first = haft__arena_array(l->arena, l->row_count + 2, sizeof(*l->row_first));
    if (next == NULL || l->rows == NULL || l->row_first == NULL) {
        return false;
    }
    for (size_t i = 0; i < l->item_count; i++) {
        l->row_first[l->items[i].layer + 1]++;
    }
    for (size_t r = 0; r < l->row_count; r++) {
        l->row_first[r + 1] += l->row_first[r];
        next[r] = l->row_first[r];
    }
    for (size_t i = 0; i < l->item_count; i++) {
        item *current = &l->items[i];
        current->id = (uint32_t)i;
        current->place = (uint32_t)(next[current->layer] - l->row_first[current->layer]);
        l->rows[next[current->layer]++] = (uint32_t)i;
    }
    return true;
}

/* The mean position of the neighbours (their index or x), times 1024; `fallback` without
 * neighbours. */
static int64_t mean(const layout *l, uint32_t id, bool up, bool place, int64_t fallback)
{
    const uint32_t *list = up ? l->up : l->down;
    const size_t *first = up ? l->up_first : l->down_first;
    int64_t sum = 0, count = (int64_t)(first[id + 1] - first[id]);
    for (size_t i = first[id]; i < first[id + 1]; i++) {
        sum += place ? (int64_t)l->items[list[i]].place : l->items[list[i]].x;
    }
    return count > 0 ? sum * 1024 / count : fallback * 1024;
}

static int compare_items(const void *a, const void *b)
{
    const item *x = a, *y = b;
    return x->key != y->key       ? (x->key < y->key ? -1 : 1)
           : x->place != y->place ? (x->place < y->place ? -1 : 1)
                                  : 0;
}

static void sort_row(layout *l, size_t row, bool up, item *scratch)
{
    size_t first = l->row_first[row], count = l->row_first[row + 1] - first;
    for (size_t i = 0; i < count; i++) {
        item *current = &l->items[l->rows[first + i]];
        current->key = mean(l, current->id, up, true, current->place);
        scratch[i] = *current;
    }
    qsort(scratch, count, sizeof(*scratch), compare_items);
    for (size_t i = 0; i < count; i++) {
        l->rows[first + i] = scratch[i].id;
        l->items[scratch[i].id].place = (uint32_t)i;
    }
}

/* Visits the rows alternately from top to bottom and from bottom to top. */
static void sweep(layout *l, void (*visit)(layout *, size_t, bool, item *), item *scratch)
{
    for (int s = 0; s < SWEEPS; s++) {
        bool down = s % 2 == 0;
        for (size_t r = 0; r < l->row_count; r++) {
            visit(l, down ? r : l->row_count - 1 - r, down, scratch);
        }
    }
}

/* ---- places ---- */

/* The distance between the centres of two neighbours in a row. */
static int64_t distance(const layout *l, const item *left, const item *right)
{
    return (left->width + right->width + 1) / 2 + l->metrics->gap_x;
}

/* Moves the items of a row as near to the mean of their neighbours as their widths allow: minimizes
 * the sum of squares by joining items that would overlap into blocks (pool adjacent violators). */
static void place_row(layout *l, size_t row, bool up, item *scratch)
{
    size_t first = l->row_first[row], count = l->row_first[row + 1] - first, blocks = 0;
    int64_t offset = 0;
    /* fields of a block in scratch: x is the sum, key the count, ideal the mean */
    for (size_t i = 0; i < count; i++) {
        item *current = &l->items[l->rows[first + i]];
        if (i > 0) {
            offset += distance(l, &l->items[l->rows[first + i - 1]], current);
        }
        current->ideal = mean(l, current->id, up, false, current->x) / 1024 - offset;
        scratch[blocks++] = (item){.x = current->ideal, .key = 1, .ideal = current->ideal};
        while (blocks > 1 && scratch[blocks - 2].ideal > scratch[blocks - 1].ideal) {
            item *into = &scratch[blocks - 2], *from = &scratch[--blocks];
            into->x += from->x;
            into->key += from->key;
            into->ideal = into->x / into->key;
        }
    }
    offset = 0;
    for (size_t b = 0, i = 0; b < blocks; b++) {
        for (int64_t n = 0; n < scratch[b].key; n++, i++) {
            item *current = &l->items[l->rows[first + i]];
            if (i > 0) {
                offset += distance(l, &l->items[l->rows[first + i - 1]], current);
            }
            current->x = scratch[b].ideal + offset;
        }
    }
}

static void place_items(layout *l, item *scratch)
{
    int64_t min = 0, max = 0;
    for (size_t r = 0; r < l->row_count; r++) {
        int64_t x = 0;
        for (size_t i = l->row_first[r]; i < l->row_first[r + 1]; i++) {
            item *current = &l->items[l->rows[i]];
            x += i > l->row_first[r] ? distance(l, &l->items[l->rows[i - 1]], current) : 0;
            current->x = x;
        }
    }
    sweep(l, place_row, scratch);
    for (size_t i = 0; i < l->item_count; i++) {
        const item *current = &l->items[i];
        int64_t left = current->x - current->width / 2,
                right = current->x + (current->width + 1) / 2;
        min = i == 0 || left < min ? left : min;
        max = i == 0 || right > max ? right : max;
    }
    for (size_t i = 0; i < l->item_count; i++) {
        l->items[i].x += l->metrics->margin - min;
    }
    l->drawing->width = (int32_t)(max - min) + 2 * l->metrics->margin;
}

/* ---- the result ---- */

static void size_boxes(layout *l)
{
    const haft__drawing_metrics *m = l->metrics;
    for (size_t b = 0; b < l->drawing->box_count; b++) {
        haft__drawing_box *box = &l->drawing->boxes[b];
        size_t name = haft__utf8_length(box->name), detail = haft__utf8_length(box->detail);
        int32_t lines = box->detail.len > 0 ? 2 : 1;
        bool bar = box->shape == HAFT__SHAPE_JOIN;
        box->width = bar ? m->bar_width
                         : (int32_t)(name > detail ? name : detail) * m->letter + 2 * m->padding_x;
        box->height = bar ? m->bar_height : lines * m->text_height + 2 * m->padding_y;
        l->items[b].width = box->width;
    }
    for (size_t i = 0; i < l->drawing->line_count; i++) {
        if (l->paths[i].loop) { /* space for the loop and its label on the right side */
            l->items[l->paths[i].above].width +=
                2 * (2 * m->padding_x + label_width(l, l->drawing->lines[i].label));
        }
    }
}

/* Computes the y coordinate of the middle of each row. */
static bool find_heights(layout *l, int32_t **ret_middles)
{
    int32_t *middles = haft__arena_array(l->arena, l->row_count + 1, sizeof(*middles));
    int32_t y = l->metrics->margin;
    for (size_t r = 0; middles != NULL && r < l->row_count; r++) {
        int32_t height = l->metrics->text_height;
        for (size_t i = l->row_first[r]; i < l->row_first[r + 1]; i++) {
            uint32_t id = l->rows[i];
            int32_t own = id < l->drawing->box_count ? l->drawing->boxes[id].height : 0;
            height = own > height ? own : height;
        }
        middles[r] = y + height / 2;
        y += height + l->metrics->gap_y;
        l->drawing->height = y - l->metrics->gap_y + l->metrics->margin;
    }
    *ret_middles = middles;
    return middles != NULL;
}

static haft__drawing_point point_of(const layout *l, uint32_t id, const int32_t *middles, int side)
{
    const item *current = &l->items[id];
    int32_t half = id < l->drawing->box_count ? l->drawing->boxes[id].height : 0;
    int32_t y = middles[current->layer];
    return (haft__drawing_point){(int32_t)current->x, side < 0   ? y - half / 2
                                                      : side > 0 ? y - half / 2 + half
                                                                 : y};
}

static bool draw_line(layout *l, size_t index, const int32_t *middles)
{
    haft__drawing_line *line = &l->drawing->lines[index];
    const path *p = &l->paths[index];
    size_t count = p->loop ? 0 : (size_t)p->bends + 2;
    haft__drawing_point *points = haft__arena_array(l->arena, count + 1, sizeof(*points));
    if (points == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        size_t at = p->turned ? count - 1 - i : i;
        uint32_t id = i == 0 ? p->above : i == count - 1 ? p->below : p->first + (uint32_t)i - 1;
        points[at] = point_of(l, id, middles, i == 0 ? 1 : i == count - 1 ? -1 : 0);
        /* A line that leads up begins and ends beside the lines that lead down. */
        if (p->turned && id < l->drawing->box_count) {
            points[at].x += l->drawing->boxes[id].width / 4;
        }
    }
    line->points = points;
    line->point_count = count;
    const haft__drawing_box *box = &l->drawing->boxes[line->from];
    int32_t beside = box->x + box->width / 2 + 2 * l->metrics->padding_x;
    line->label_at = p->loop
                         ? (haft__drawing_point){beside + label_width(l, line->label) / 2, box->y}
                         : points[count > 2 ? 1 : 0];
    return true;
}

static haft_status draw(layout *l, haft_error *err)
{
    int32_t *middles;
    if (!find_heights(l, &middles)) {
        return haft__arena_fail(l->arena, err);
    }
    for (uint32_t b = 0; b < l->drawing->box_count; b++) {
        haft__drawing_point at = point_of(l, b, middles, 0);
        l->drawing->boxes[b].x = at.x;
        l->drawing->boxes[b].y = at.y;
    }
    for (size_t i = 0; i < l->drawing->line_count; i++) {
        if (!draw_line(l, i, middles)) {
            return haft__arena_fail(l->arena, err);
        }
    }
    return HAFT_OK;
}

haft_status haft__drawing_layout(haft__arena *arena, haft__drawing *drawing,
                                 const haft__drawing_metrics *metrics, haft_error *err)
{
    layout l = {.arena = arena, .drawing = drawing, .metrics = metrics};
    l.paths = haft__arena_array(arena, drawing->line_count + 1, sizeof(*l.paths));
    l.items = haft__arena_array(arena, drawing->box_count + 1, sizeof(*l.items));
    if (l.paths == NULL || l.items == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < drawing->line_count; i++) {
        const haft__drawing_line *line = &drawing->lines[i];
        l.paths[i] = (path){.above = line->from, .below = line->to, .loop = line->from == line->to};
    }
    if (!turn_lines(&l)) {
        return haft__arena_fail(arena, err);
    }
    find_layers(&l);
    size_boxes(&l);
    haft_status status = make_bends(&l, err);
    if (status != HAFT_OK) {
        return status;
    }
    item *scratch = haft__arena_array(arena, l.item_count + 1, sizeof(*scratch));
    if (!index_links(&l, true) || !index_links(&l, false) || !make_rows(&l) || scratch == NULL) {
        return haft__arena_fail(arena, err);
    }
    sweep(&l, sort_row, scratch);
    place_items(&l, scratch);
    return draw(&l, err);
}
