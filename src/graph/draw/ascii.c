/* SPDX-License-Identifier: Apache-2.0 */
/* ascii.c - writes a drawing as text, for terminals. Tests: tests/graph/draw/ascii_test.c. */
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "graph/draw/drawing.h"

typedef struct canvas {
    char *cells;
    int32_t width, height;
} canvas;

/* Draws a part of a line. If the cell already has another part of a line, draws a plus. */
static void put_line(canvas *c, int32_t x, int32_t y, char sign)
{
    if (x < 0 || y < 0 || x >= c->width || y >= c->height) {
        return;
    }
    char *cell = &c->cells[(size_t)y * (size_t)c->width + (size_t)x];
    *cell = *cell == ' ' || *cell == sign ? sign : '+';
}

static void put(canvas *c, int32_t x, int32_t y, char sign)
{
    if (x >= 0 && y >= 0 && x < c->width && y < c->height) {
        c->cells[(size_t)y * (size_t)c->width + (size_t)x] = sign;
    }
}

/* Writes a text, centred at x. Characters that are not ASCII become a question mark. */
static void put_text(canvas *c, int32_t x, int32_t y, haft_str text)
{
    int32_t at = x - (int32_t)haft__utf8_length(text) / 2;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char letter = (unsigned char)text.ptr[i];
        if ((letter & 0xC0) != 0x80) {
            put(c, at++, y, letter < ' ' || letter > '~' ? '?' : (char)letter);
        }
    }
}

/* The sign of a box at the border or inside it. `side`: -1 at the left border, 1 at the right one,
 * else 0. */
static char box_sign(const haft__drawing_box *box, int side, bool flat)
{
    if (box->shape == HAFT__SHAPE_JOIN) {
        return '=';
    }
    if (box->shape == HAFT__SHAPE_TERMINAL) {
        return side == 0 || flat ? ' ' : side < 0 ? '(' : ')';
    }
    if (side != 0) {
        return flat ? '+' : '|';
    }
    return !flat ? ' ' : box->deferred ? '.' : '-';
}

static void draw_box(canvas *c, const haft__drawing_box *box)
{
    int32_t left = box->x - box->width / 2, right = left + box->width - 1;
    int32_t top = box->y - box->height / 2, bottom = top + box->height - 1;
    for (int32_t y = top; y <= bottom; y++) {
        for (int32_t x = left; x <= right; x++) {
            int side = x == left ? -1 : x == right ? 1 : 0;
            put(c, x, y, box_sign(box, side, y == top || y == bottom));
        }
    }
    put_text(c, box->x, top + (box->shape == HAFT__SHAPE_JOIN ? 0 : 1), box->name);
    put_text(c, box->x, top + 2, box->detail);
    if (box->pauses) {
        put(c, left, top, '*');
    }
}

/* Draws a line from the upper to the lower point: down, across, down. `first`, `last`: the upper or
 * lower point is at a box. */
static void draw_segment(canvas *c, haft__drawing_point up, haft__drawing_point down, bool first,
                         bool last)
{
    int32_t end = last ? down.y - 1 : down.y;
    int32_t track = first ? up.y + 1 : last ? down.y - 2 : (up.y + down.y) / 2;
    for (int32_t y = up.y; y <= end; y++) {
        if (up.x == down.x || y != track) {
            put_line(c, y <= track ? up.x : down.x, y, '|');
        }
    }
    if (up.x != down.x) {
        int32_t step = up.x < down.x ? 1 : -1;
        for (int32_t x = up.x; x != down.x + step; x += step) {
            put_line(c, x, track, '-');
        }
        put(c, up.x, track, '+');
        put(c, down.x, track, '+');
    }
}

static void draw_line(canvas *c, const haft__drawing *drawing, const haft__drawing_line *line)
{
    size_t count = line->point_count;
    for (size_t i = 0; i + 1 < count; i++) {
        haft__drawing_point a = line->points[i], b = line->points[i + 1];
        bool first = i == 0, last = i + 2 == count;
        if (a.y <= b.y) {
            draw_segment(c, a, b, first, last);
        } else {
            draw_segment(c, b, a, last, first);
        }
    }
    if (count == 0) {
        const haft__drawing_box *box = &drawing->boxes[line->from];
        put_text(c, box->x - box->width / 2 + box->width + 1, box->y, (haft_str){"<-+", 3});
    }
}

/* Draws an arrow. Arrows are drawn last, over lines. */
static void draw_arrow(canvas *c, const haft__drawing_line *line)
{
    if (line->point_count > 1) {
        haft__drawing_point end = line->points[line->point_count - 1];
        bool down = line->points[0].y <= end.y;
        put(c, end.x, down ? end.y - 1 : end.y, down ? 'v' : '^');
    }
}

static void write_rows(const canvas *c, haft__buf *buf)
{
    for (int32_t y = 0; y < c->height; y++) {
        const char *row = c->cells + (size_t)y * (size_t)c->width;
        size_t length = (size_t)c->width;
        while (length > 0 && row[length - 1] == ' ') {
            length--;
        }
        haft__buf_add(buf, row, length);
        haft__buf_add_char(buf, '\n');
    }
}

haft_status haft__drawing_write_ascii(haft__arena *arena, const haft__drawing *drawing,
                                      haft__buf *buf, haft_error *err)
{
    canvas c = {.width = drawing->width + 1, .height = drawing->height};
    size_t size = (size_t)c.width * (size_t)c.height;
    if (size > HAFT__LIMIT_GRAPH_TEXT_BYTES) {
        return haft__fail(err, HAFT_TOO_BIG, "", "the picture has %zu cells; at most %d are drawn",
                          size, HAFT__LIMIT_GRAPH_TEXT_BYTES);
    }
    c.cells = haft__arena_array(arena, size + 1, 1);
    if (c.cells == NULL) {
        return haft__arena_fail(arena, err);
    }
    memset(c.cells, ' ', size);
    for (size_t i = 0; i < drawing->line_count; i++) {
        draw_line(&c, drawing, &drawing->lines[i]);
    }
    for (size_t i = 0; i < drawing->box_count; i++) {
        draw_box(&c, &drawing->boxes[i]);
    }
    for (size_t i = 0; i < drawing->line_count; i++) {
        draw_arrow(&c, &drawing->lines[i]);
        put_text(&c, drawing->lines[i].label_at.x, drawing->lines[i].label_at.y,
                 drawing->lines[i].label);
    }
    write_rows(&c, buf);
    return HAFT_OK;
}
