/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/graph/draw/svg.c: texts are escaped, and every box and line is there. */
#include "base/buf.h"
#include "graph/draw/sample.h"

static size_t count(haft_str text, const char *word)
{
    size_t found = 0, length = strlen(word);
    for (size_t i = 0; i + length <= text.len; i++) {
        found += memcmp(text.ptr + i, word, length) == 0;
    }
    return found;
}

TEST(an_svg_has_all_boxes_and_lines)
{
    haft__arena arena;
    haft__drawing drawing;
    haft__buf buf;
    haft__arena_init(&arena, 0);
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    CHECK_INT(draw_graph(&arena, SAMPLE, &haft__drawing_pixels, &drawing, NULL), HAFT_OK, "drawn");
    haft__drawing_write_svg(&drawing, HAFT__LIT("a & \"b\"\n"), &buf);
    haft_str svg = haft__buf_str(&buf);
    CHECK_INT(count(svg, "<rect class=\""), 1 + drawing.box_count, "the page and the boxes");
    CHECK_INT(count(svg, "<path class=\"line"), drawing.line_count, "lines");
    CHECK_INT(count(svg, "class=\"line dashed\""), 3, "a choice of three");
    CHECK_INT(count(svg, "<title>a &amp; &quot;b&quot; </title>"), 1, "the title");
    CHECK_INT(count(svg, ">tool t&lt;1&gt;</text>"), 1, "a detail");
    CHECK_INT(count(svg, ">/n &lt; &quot;\xC3\xA4&quot;</text>"), 2, "a label for each branch");
    CHECK_INT(count(svg, "class=\"node pauses\""), 1, "a question");
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
}
