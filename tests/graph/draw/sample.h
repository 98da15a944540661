/* SPDX-License-Identifier: Apache-2.0 */
/* A graph with a join, a choice and a cycle, drawn in tests. */
#ifndef HAFT_TESTS_GRAPH_DRAW_SAMPLE_H
#define HAFT_TESTS_GRAPH_DRAW_SAMPLE_H

#include "base/limits.h"
#include "base/str.h"
#include "graph/draw/drawing.h"
#include "graph/quoted.h"

#define SAMPLE                                                                                     \
    "{'channels':{'n':{'reducer':'add'}},'nodes':{'a':{'do':[]},'b':{'tool':'t<1>'},"              \
    "'c':{'ask':'\\u0022?'}},'edges':[{'from':'start','to':['a','b']},"                            \
    "{'from':['a','b'],'to':'c'},{'from':'c','choose':[{'when':{'at':'/n','op':'lt','value':"      \
    "'\\u00e4'},'to':['a','b']},{'to':'end'}]}]}"

/* Draws a graph; metrics NULL: without a layout. */
static inline haft_status draw_graph(haft__arena *arena, const char *source,
                                     const haft__drawing_metrics *metrics,
                                     haft__drawing *ret_drawing, haft_error *err)
{
    haft__graph_problems problems;
    const haft__graph *graph = compile_quoted(arena, source, &problems);
    haft_status status = haft__drawing_create(arena, graph, ret_drawing, err);
    return status == HAFT_OK && metrics != NULL
               ? haft__drawing_layout(arena, ret_drawing, metrics, err)
               : status;
}

#endif
