/* SPDX-License-Identifier: Apache-2.0 */
/* markup.c - writes a drawing in the languages of Mermaid and Graphviz, whose programs make the
 * layout. Tests: tests/graph/draw/markup_test.c. */
#include "base/str.h"
#include "graph/draw/drawing.h"

/* Appends a text in quotes; `quote` replaces a quote inside the text. */
static void add_quoted(haft__buf *buf, haft_str text, const char *quote)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c == '"') {
            haft__buf_addf(buf, "%s", quote);
        } else if (c == '\\' && quote[0] == '\\') {
            haft__buf_add_str(buf, HAFT__LIT("\\\\"));
        } else {
            haft__buf_add_char(buf, c < ' ' ? ' ' : (char)c);
        }
    }
}

static void add_box_text(haft__buf *buf, const haft__drawing_box *box, const char *quote,
                         const char *newline)
{
    haft__buf_add_char(buf, '"');
    add_quoted(buf, box->name, quote);
    if (box->detail.len > 0) {
        haft__buf_addf(buf, "%s", newline);
        add_quoted(buf, box->detail, quote);
    }
    haft__buf_add_char(buf, '"');
}

void haft__drawing_write_mermaid(const haft__drawing *drawing, haft__buf *buf)
{
    haft__buf_add_str(buf, HAFT__LIT("flowchart TD\n"));
    for (size_t i = 0; i < drawing->box_count; i++) {
        const haft__drawing_box *box = &drawing->boxes[i];
        if (box->shape == HAFT__SHAPE_JOIN) {
            haft__buf_addf(buf, "    n%zu[\"all\"]:::join\n", i);
            continue;
        }
        bool pill = box->shape == HAFT__SHAPE_TERMINAL;
        haft__buf_addf(buf, "    n%zu%s", i, pill ? "([" : "[");
        add_box_text(buf, box, "#quot;", "<br>");
        haft__buf_addf(buf, "%s%s\n", pill ? "])" : "]",
                       box->pauses     ? ":::pauses"
                       : box->deferred ? ":::deferred"
                                       : "");
    }
    for (size_t i = 0; i < drawing->line_count; i++) {
        const haft__drawing_line *line = &drawing->lines[i];
        haft__buf_addf(buf, "    n%u %s", line->from, line->dashed ? "-.->" : "-->");
        if (line->label.len > 0) {
            haft__buf_add_str(buf, HAFT__LIT("|\""));
            add_quoted(buf, line->label, "#quot;");
            haft__buf_add_str(buf, HAFT__LIT("\"|"));
        }
        haft__buf_addf(buf, " n%u\n", line->to);
    }
    haft__buf_add_str(buf, HAFT__LIT("    classDef pauses stroke:#9a6700,stroke-width:2px\n"
                                     "    classDef deferred stroke-dasharray:5 3\n"
                                     "    classDef join fill:#8c959f,color:#fff\n"));
}

void haft__drawing_write_dot(const haft__drawing *drawing, haft_str title, haft__buf *buf)
{
    haft__buf_add_str(buf, HAFT__LIT("digraph \""));
    add_quoted(buf, title, "\\\"");
    haft__buf_add_str(buf, HAFT__LIT("\" {\n    node [shape=box, style=rounded];\n"));
    for (size_t i = 0; i < drawing->box_count; i++) {
        const haft__drawing_box *box = &drawing->boxes[i];
        haft__buf_addf(buf, "    n%zu [label=", i);
        add_box_text(buf, box, "\\\"", "\\n");
        haft__buf_addf(buf, "%s];\n",
                       box->shape == HAFT__SHAPE_TERMINAL ? ", shape=oval"
                       : box->shape == HAFT__SHAPE_JOIN
                           ? ", shape=box, style=filled, fillcolor=gray40, width=0.9, height=0.07"
                       : box->pauses   ? ", color=\"#9a6700\", penwidth=2"
                       : box->deferred ? ", style=\"rounded,dashed\""
                                       : "");
    }
    for (size_t i = 0; i < drawing->line_count; i++) {
        const haft__drawing_line *line = &drawing->lines[i];
        haft__buf_addf(buf, "    n%u -> n%u [label=\"", line->from, line->to);
        add_quoted(buf, line->label, "\\\"");
        haft__buf_addf(buf, "\"%s];\n", line->dashed ? ", style=dashed" : "");
    }
    haft__buf_add_str(buf, HAFT__LIT("}\n"));
}
