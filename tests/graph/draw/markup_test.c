/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/graph/draw/markup.c: graphs for Mermaid and Graphviz. */
#include "base/buf.h"
#include "graph/draw/sample.h"

static const char mermaid[] = "flowchart TD\n"
                              "    n0([\"start\"])\n"
                              "    n1[\"a\"]\n"
                              "    n2[\"b<br>tool t<1>\"]\n"
                              "    n3[\"c<br>ask\"]:::pauses\n"
                              "    n4([\"end\"])\n"
                              "    n5[\"all\"]:::join\n"
                              "    n0 --> n1\n"
                              "    n0 --> n2\n"
                              "    n1 --> n5\n"
                              "    n2 --> n5\n"
                              "    n3 -.->|\"/n < #quot;\xC3\xA4#quot;\"| n1\n"
                              "    n3 -.->|\"/n < #quot;\xC3\xA4#quot;\"| n2\n"
                              "    n3 -.->|\"else\"| n4\n"
                              "    n5 --> n3\n"
                              "    classDef pauses stroke:#9a6700,stroke-width:2px\n"
                              "    classDef deferred stroke-dasharray:5 3\n"
                              "    classDef join fill:#8c959f,color:#fff\n";

static const char dot[] =
    "digraph \"a \\\"b\\\" \\\\\" {\n"
    "    node [shape=box, style=rounded];\n"
    "    n0 [label=\"start\", shape=oval];\n"
    "    n1 [label=\"a\"];\n"
    "    n2 [label=\"b\\ntool t<1>\"];\n"
    "    n3 [label=\"c\\nask\", color=\"#9a6700\", penwidth=2];\n"
    "    n4 [label=\"end\", shape=oval];\n"
    "    n5 [label=\"\", shape=box, style=filled, fillcolor=gray40, width=0.9, height=0.07];\n"
    "    n0 -> n1 [label=\"\"];\n"
    "    n0 -> n2 [label=\"\"];\n"
    "    n1 -> n5 [label=\"\"];\n"
    "    n2 -> n5 [label=\"\"];\n"
    "    n3 -> n1 [label=\"/n < \\\"\xC3\xA4\\\"\", style=dashed];\n"
    "    n3 -> n2 [label=\"/n < \\\"\xC3\xA4\\\"\", style=dashed];\n"
    "    n3 -> n4 [label=\"else\", style=dashed];\n"
    "    n5 -> n3 [label=\"\"];\n"
    "}\n";

TEST(mermaid_and_dot_have_all_boxes_and_lines)
{
    haft__arena arena;
    haft__drawing drawing;
    haft__buf buf;
    haft__arena_init(&arena, 0);
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    CHECK_INT(draw_graph(&arena, SAMPLE, NULL, &drawing, NULL), HAFT_OK, "drawn");
    haft__drawing_write_mermaid(&drawing, &buf);
    CHECK_STR(haft__buf_str(&buf), haft__str(mermaid), "Mermaid");
    haft__buf_clear(&buf);
    haft__drawing_write_dot(&drawing, HAFT__LIT("a \"b\" \\"), &buf);
    CHECK_STR(haft__buf_str(&buf), haft__str(dot), "DOT");
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
}
