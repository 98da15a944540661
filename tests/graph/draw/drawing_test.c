/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/graph/draw/drawing.c: which boxes and lines a graph has. */
#include "graph/draw/drawing.h"

#include "base/limits.h"
#include "base/str.h"
#include "graph/quoted.h"

#define WHEN "'when':{'at':'/n','op':'ge','value':3}"

/* "name[detail]" of each box, then "from>to" of each line, dashed with ~, with its label. */
static void describe(const haft__drawing *drawing, haft__buf *buf)
{
    for (size_t i = 0; i < drawing->box_count; i++) {
        const haft__drawing_box *box = &drawing->boxes[i];
        haft__buf_addf(buf, "%.*s", HAFT__ARG(box->name));
        haft__buf_addf(buf, "%s%s", box->shape == HAFT__SHAPE_JOIN ? "=" : "",
                       box->pauses ? "*" : "");
        if (box->detail.len > 0) {
            haft__buf_addf(buf, "[%.*s]", HAFT__ARG(box->detail));
        }
        haft__buf_addf(buf, " ");
    }
    for (size_t i = 0; i < drawing->line_count; i++) {
        const haft__drawing_line *line = &drawing->lines[i];
        haft__buf_addf(buf, "|%u%s%u %.*s", line->from, line->dashed ? "~" : ">", line->to,
                       HAFT__ARG(line->label));
    }
}

TEST(a_drawing_has_a_box_for_each_node_and_join)
{
    static const struct {
        const char *nodes, *edges, *drawing;
    } rows[] = {
        {"'a':{'do':[]}", "", "start a end |0>1 |1>2 "},
        {"'a':{'tool':'t'},'b':{'tool':'b'},'c':{'ask':'q'},'d':{'agent':{}}",
         ",{'from':'a','to':['b','c']},{'from':'c','to':'d'}",
         "start a[tool t] b[tool] c*[ask] d[agent] end |0>1 |1>2 |1>3 |2>5 |3>4 |4>5 "},
        {"'a':{'do':[]},'b':{'do':[]},'c':{'do':[]}",
         ",{'from':'start','to':'b'},{'from':['a','b'],'to':'c'}",
         "start a b c end = |0>1 |0>2 |1>5 |2>5 |3>4 |5>3 "},
        {"'a':{'do':[]}", ",{'from':'a','choose':[{" WHEN ",'to':'end'},{'to':'a'}]}",
         "start a end |0>1 |1~2 /n >= 3|1~1 else"},
        {"'a':{'do':[],'pause':'before'},'w':{'do':[]}",
         ",{'from':'a','map':{'over':'/list','to':'w'}}",
         "start a* w end |0>1 |1~2 each /list|2>3 "},
        {"'a':{'do':[{'goto':'b'}],'on_error':{'do':[{'goto':'end'}]}},'b':{'do':[{'send':[{'to':"
         "'c'}]}]},'c':{'do':[]}",
         "", "start a b c end |0>1 |1>2 goto|1~4 on error|2>3 send|3>4 "},
        {"'a':{'do':[]}",
         ",{'from':'a','every':[{'when':{'at':'/n','op':'in','value':[1111111111,22222222222,"
         "3333333333]},'to':'end'}]}",
         "start a end |0>1 |1~2 /n in [1111111111,22222222222,333333..."},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__graph_problems problems;
        haft__drawing drawing;
        haft__buf buf;
        haft__arena_init(&arena, 0);
        haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
        haft_str text = haft__arena_format(
            &arena, "{'channels':{'n':{}},'nodes':{%s},'edges':[{'from':'start','to':'a'}%s]}",
            rows[i].nodes, rows[i].edges);
        const haft__graph *graph = compile_quoted(&arena, text.ptr, &problems);
        CHECK_INT(haft__drawing_create(&arena, graph, &drawing, NULL), HAFT_OK, "row %zu", i);
        describe(&drawing, &buf);
        CHECK_STR(haft__buf_str(&buf), haft__str(rows[i].drawing), "row %zu", i);
        haft__buf_finish(&buf);
        haft__arena_finish(&arena);
    }
}
