/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/graph/targets.c: what may follow a node, and how. */
#include "graph/targets.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "graph/quoted.h"

static void write_targets(haft__buf *buf, const haft__graph *graph,
                          const haft__graph_targets *targets)
{
    static const char *const kinds[] = {"edge", "goto", "send"};
    for (size_t i = 0; i < targets->count; i++) {
        const haft__graph_target *t = &targets->items[i];
        haft__buf_addf(buf, "%.*s-%s-%.*s%s%s ", HAFT__ARG(haft__graph_node_name(graph, t->from)),
                       kinds[t->kind], HAFT__ARG(haft__graph_node_name(graph, t->to)),
                       t->sure ? "!" : "", t->handler ? "?" : "");
    }
}

TEST(edges_gotos_and_sends_are_targets)
{
    static const struct {
        const char *nodes, *edges, *targets;
    } rows[] = {
        {"'a':{'do':[]}", "", "start-edge-a! "},
        {"'a':{'do':[]}", ",{'from':'a','to':['end']}", "a-edge-end! start-edge-a! "},
        {"'a':{'do':[]}",
         ",{'from':'a','choose':[{'when':{'at':'','op':'exists'},'to':'a'},{'to':'end'}]}",
         "a-edge-a a-edge-end start-edge-a! "},
        {"'a':{'do':[]}",
         ",{'from':'a','every':[{'when':{'at':'','op':'exists'},'to':'a'},{'to':'end'}]}",
         "a-edge-a a-edge-end! start-edge-a! "},
        {"'a':{'do':[]},'w':{'do':[]}", ",{'from':'a','map':{'over':'/x','to':'w'}}",
         "a-send-w start-edge-a! "},
        {"'a':{'do':[{'goto':'w'}]},'w':{'do':[]}", ",{'from':'a','to':'end'}",
         "a-edge-end a-goto-w! start-edge-a! "},
        {"'a':{'do':[{'if':{},'then':[{'goto':['w','end']}]}]},'w':{'do':[]}", "",
         "a-goto-w a-goto-end start-edge-a! "},
        {"'a':{'do':[{'send':[{'to':'w'}]}]},'w':{'do':[{'send':{'over':'/x','to':'w'}}]}", "",
         "a-send-w! w-send-w start-edge-a! "},
        {"'a':{'do':[],'on_error':{'do':[{'goto':'end'}]}}", ",{'from':'a','to':'end'}",
         "a-edge-end! a-goto-end? start-edge-a! "},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__graph_problems problems;
        haft__graph_targets targets;
        haft__buf buf;
        haft__arena_init(&arena, 0);
        haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
        haft_str text = haft__arena_format(
            &arena, "{'channels':{},'nodes':{%s},'edges':[{'from':'start','to':'a'}%s]}",
            rows[i].nodes, rows[i].edges);
        const haft__graph *graph = compile_quoted(&arena, text.ptr, &problems);
        CHECK(graph != NULL, "row %zu", i);
        CHECK_INT(haft__graph_targets_list(&arena, graph, &targets, NULL), HAFT_OK, "row %zu", i);
        write_targets(&buf, graph, &targets);
        CHECK_STR(haft__buf_str(&buf), haft__str(rows[i].targets), "row %zu", i);
        CHECK_INT(targets.first[graph->node_count + 1], targets.count, "row %zu", i);
        haft__buf_finish(&buf);
        haft__arena_finish(&arena);
    }
}
