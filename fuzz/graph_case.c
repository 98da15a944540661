/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties of playing graph cases. The input is the text of one case.
 *   - playing terminates, and gives results or an error;
 *   - the results are JSON, equal to themselves as `want`, and the same bytes when played again;
 *   - a graph that can be played can be drawn, or is too large to draw.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "fuzz.h"
#include "graph/cases.h"
#include "graph/draw/drawing.h"
#include "json/object.h"
#include "json/read.h"

static void draw(haft__arena *arena, const haft__graph *graph, bool cells)
{
    haft__drawing drawing;
    haft__buf buf;
    haft_status status = haft__drawing_create(arena, graph, &drawing, NULL);
    haft__buf_init(&buf, HAFT__LIMIT_GRAPH_STEP_BYTES);
    REQUIREF(status == HAFT_OK, "the graph has no boxes: %d", status);
    status = haft__drawing_layout(arena, &drawing,
                                  cells ? &haft__drawing_cells : &haft__drawing_pixels, NULL);
    if (status == HAFT_OK && cells) {
        status = haft__drawing_write_ascii(arena, &drawing, &buf, NULL);
    } else if (status == HAFT_OK) {
        haft__drawing_write_svg(&drawing, HAFT__LIT("case"), &buf);
    }
    REQUIREF(status == HAFT_OK || status == HAFT_TOO_BIG, "the graph is not drawn: %d", status);
    haft__buf_finish(&buf);
}

static void draw_graph(haft__arena *arena, haft__json test)
{
    const haft__graph *graph = NULL;
    haft__graph_problems problems;
    haft_status status =
        haft__graph_compile(arena, haft__object_object(test, "graph"),
                            haft__object_object(test, "graphs"), &graph, &problems, NULL);
    REQUIREF(status == HAFT_OK && graph != NULL, "the graph was played, and now: %d", status);
    draw(arena, graph, true);
    draw(arena, graph, false);
}

static void check_results(haft__arena *arena, haft__json test, haft_str text)
{
    haft__json results;
    haft_str difference;
    bool right = false;
    REQUIRE(haft__json_read(arena, text, NULL, &results, NULL, NULL) == HAFT_OK);
    haft_status status =
        haft__graph_compare_results(results, results, arena, &right, &difference, NULL);
    REQUIRE(status == HAFT_OK && right);
    bool loaded =
        results.count == 0
        || !haft__str_equal(haft__object_string(results.items[0], "end"), HAFT__LIT("load_error"));
    if (loaded) {
        draw_graph(arena, test);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft__arena arena;
    haft__json test;
    haft__buf first, second;
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.max_depth = HAFT__LIMIT_JSON_DEPTH_STRICT;
    options.reject_duplicates = true;
    haft__arena_init(&arena, 0);
    haft__buf_init(&first, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&second, HAFT__LIMIT_JSON_BYTES);
    haft_str text = {(const char *)data, size};
    if (haft__json_read(&arena, text, &options, &test, NULL, NULL) == HAFT_OK) {
        haft_status status = haft__graph_play_case(test, &first, NULL);
        haft_status again = haft__graph_play_case(test, &second, NULL);
        REQUIREF(status == again, "%d, then %d", status, again);
        if (status == HAFT_OK) {
            REQUIRE(haft__str_equal(haft__buf_str(&first), haft__buf_str(&second)));
            check_results(&arena, test, haft__buf_str(&first));
        }
    }
    haft__buf_finish(&first);
    haft__buf_finish(&second);
    haft__arena_finish(&arena);
    return 0;
}
