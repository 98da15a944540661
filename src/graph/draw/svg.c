/* SPDX-License-Identifier: Apache-2.0 */
/* svg.c - writes a drawing as SVG, for light and dark pages. Tests: tests/graph/draw/svg_test.c. */
#include "base/str.h"
#include "graph/draw/drawing.h"

static void add_escaped(haft__buf *buf, haft_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        switch (c) {
        case '&': haft__buf_add_str(buf, HAFT__LIT("&amp;")); break;
        case '<': haft__buf_add_str(buf, HAFT__LIT("&lt;")); break;
        case '>': haft__buf_add_str(buf, HAFT__LIT("&gt;")); break;
        case '"': haft__buf_add_str(buf, HAFT__LIT("&quot;")); break;
        default: haft__buf_add_char(buf, c < ' ' || c == 0x7F ? ' ' : (char)c); break;
        }
    }
}

static void add_text(haft__buf *buf, const char *class, int32_t x, int32_t y, haft_str text)
{
    haft__buf_addf(buf, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, y);
    add_escaped(buf, text);
    haft__buf_add_str(buf, HAFT__LIT("</text>\n"));
}

static void add_box(haft__buf *buf, const haft__drawing_box *box)
{
    static const char *const classes[] = {"terminal", "node", "join"};
    int32_t round = box->shape == HAFT__SHAPE_TERMINAL ? box->height / 2
                    : box->shape == HAFT__SHAPE_NODE   ? 6
                                                       : 2;
    haft__buf_addf(buf,
                   "<rect class=\"%s%s%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
                   "rx=\"%d\"/>\n",
                   classes[box->shape], box->pauses ? " pauses" : "",
                   box->deferred ? " deferred" : "", box->x - box->width / 2,
                   box->y - box->height / 2, box->width, box->height, round);
    if (box->name.len > 0) {
        add_text(buf, "name", box->x, box->y + (box->detail.len > 0 ? -3 : 5), box->name);
    }
    if (box->detail.len > 0) {
        add_text(buf, "detail", box->x, box->y + 14, box->detail);
    }
}

/* Appends a curve that leaves and enters every row vertically. */
static void add_line(haft__buf *buf, const haft__drawing *drawing, const haft__drawing_line *line)
{
    haft__buf_addf(buf, "<path class=\"line%s\" d=\"", line->dashed ? " dashed" : "");
    if (line->point_count == 0) {
        const haft__drawing_box *box = &drawing->boxes[line->from];
        int32_t right = box->x + box->width / 2;
        haft__buf_addf(buf, "M%d %dC%d %d %d %d %d %d", right, box->y - 6, right + 32, box->y - 18,
                       right + 32, box->y + 18, right + 2, box->y + 7);
    }
    for (size_t i = 0; i < line->point_count; i++) {
        haft__drawing_point at = line->points[i];
        if (i == 0) {
            haft__buf_addf(buf, "M%d %d", at.x, at.y);
        } else {
            haft__drawing_point before = line->points[i - 1];
            int32_t middle = (before.y + at.y) / 2;
            haft__buf_addf(buf, "C%d %d %d %d %d %d", before.x, middle, at.x, middle, at.x, at.y);
        }
    }
    haft__buf_add_str(buf, HAFT__LIT("\" marker-end=\"url(#arrow)\"/>\n"));
}

void haft__drawing_write_svg(const haft__drawing *drawing, haft_str title, haft__buf *buf)
{
    static const char style[] =
        "<style>\n"
        "text{font-family:ui-sans-serif,system-ui,sans-serif;text-anchor:middle;fill:#1f2328}\n"
        ".page{fill:#fff}\n"
        ".node,.terminal{fill:#f6f8fa;stroke:#8c959f}\n"
        ".pauses{stroke:#9a6700;stroke-width:2}\n"
        ".deferred{stroke-dasharray:5 3}\n"
        ".join,.head{fill:#8c959f}\n"
        ".line{fill:none;stroke:#8c959f;stroke-width:1.4}\n"
        ".dashed{stroke-dasharray:5 4}\n"
        ".name{font-size:13px;font-weight:600}\n"
        ".detail{font-size:11px;fill:#656d76}\n"
        ".label{font-size:11px;paint-order:stroke;stroke:#fff;stroke-width:5px}\n"
        "@media(prefers-color-scheme:dark){\n"
        "text{fill:#e6edf3}.page{fill:#0d1117}.node,.terminal{fill:#161b22;stroke:#6e7681}\n"
        ".pauses{stroke:#d29922}.join,.head{fill:#6e7681}.line{stroke:#6e7681}\n"
        ".detail{fill:#8d96a0}.label{stroke:#0d1117}}\n"
        "</style>\n"
        "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
        "markerHeight=\"7\" orient=\"auto\"><path class=\"head\" d=\"M0 0L8 4L0 8z\"/></marker>"
        "</defs>\n";
    haft__buf_addf(buf,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                   "viewBox=\"0 0 %d %d\" role=\"img\">\n<title>",
                   drawing->width, drawing->height, drawing->width, drawing->height);
    add_escaped(buf, title);
    haft__buf_addf(buf, "</title>\n%s<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", style,
                   drawing->width, drawing->height);
    for (size_t i = 0; i < drawing->line_count; i++) {
        add_line(buf, drawing, &drawing->lines[i]);
    }
    for (size_t i = 0; i < drawing->box_count; i++) {
        add_box(buf, &drawing->boxes[i]);
    }
    for (size_t i = 0; i < drawing->line_count; i++) {
        const haft__drawing_line *line = &drawing->lines[i];
        if (line->label.len > 0) {
            add_text(buf, "label", line->label_at.x, line->label_at.y + 4, line->label);
        }
    }
    haft__buf_add_str(buf, HAFT__LIT("</svg>\n"));
}
