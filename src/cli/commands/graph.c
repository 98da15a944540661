/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph.c - `haft graph SPEC` draws the graph of a spec; `haft graph --cases` plays graph cases,
 * one JSON object a line.
 *
 * docs/schemas/graph-cases.schema.json describes the objects it prints. Tests:
 * tests/cli/graph_test.py.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/input/batch.h"
#include "cli/input/spec_file.h"
#include "cli/terminal/print.h"
#include "engine/ops/graph/graph_picture.h"
#include "graph/cases.h"
#include "io/random.h"
#include "run/event_body.h"
#include "json/object.h"
#include "json/read.h"

/* How many cases had expected results (`want`), and how many of these were right. */
typedef struct tally {
    size_t compared, right;
    haft__hash_key hash_key;
} tally;

/* Plays the case of one line, and writes its results as JSON text into `results`. */
static haft_status play(tally *t, haft__arena *arena, haft_str line, haft__json *ret_case,
                        haft__buf *results, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = t->hash_key;
    options.max_depth = HAFT__LIMIT_JSON_DEPTH_STRICT;
    options.reject_duplicates = true;
    haft_status status = haft__json_read(arena, line, &options, ret_case, NULL, err);
    return status == HAFT_OK ? haft__graph_play_case(*ret_case, results, err) : status;
}

/* Compares the results with `want`, if the case has that member. */
static haft_status judge(haft__arena *arena, haft__json given, haft__json results, bool *ret_right,
                         haft_str *ret_difference, haft_error *err)
{
    const haft__json *want = haft__object_find_kind(given, "want", HAFT__JSON_ARRAY);
    return want != NULL
               ? haft__graph_compare_results(*want, results, arena, ret_right, ret_difference, err)
               : HAFT_OK;
}

static haft_status print_object(FILE *out, haft__json given, haft__json results, bool right,
                                haft_str difference, const haft_error *failure, haft_error *err)
{
    haft__buf text;
    haft__json_writer w;
    haft__buf_init(&text, 4 * (size_t)HAFT__LIMIT_JSON_BYTES);
    haft__json_writer_init(&w, &text);
    haft__json_begin_object(&w);
    haft__field_value(&w, "id", haft__object_get(given, "id"));
    haft__field_value(&w, "results", results);
    if (haft__object_find(given, "want") != NULL) {
        haft__field_flag(&w, "right", right);
        haft__field_text_or_null(&w, "difference", difference);
    }
    haft__field_error(&w, failure);
    haft__json_end_object(&w);
    haft_status status = haft__print_json_line(out, &text, err);
    haft__buf_finish(&text);
    return status;
}

/* Handles one line and prints an object, also if the line is invalid. Only output can fail here. */
static haft_status handle_line(haft__cli *cli, void *context, haft_str line, size_t number,
                               const haft_error *too_long, haft_error *err)
{
    tally *t = context;
    haft__json given = haft__json_null(), results = haft__json_array(NULL, 0);
    haft_error failure = {.status = HAFT_OK};
    haft_str difference = {NULL, 0};
    haft__buf text;
    bool right = false;
    if (too_long != NULL) {
        return print_object(cli->out, given, results, false, difference, too_long, err);
    }
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft_status status = play(t, &cli->arena, line, &given, &text, &failure);
    if (status == HAFT_OK) {
        status = haft__json_read(&cli->arena, haft__buf_str(&text), NULL, &results, NULL, &failure);
    }
    if (status == HAFT_OK) {
        status = judge(&cli->arena, given, results, &right, &difference, &failure);
    }
    if (haft__object_find(given, "want") != NULL) { /* a case that cannot be played is wrong */
        t->compared++;
        t->right += status == HAFT_OK && right;
    }
    if (status != HAFT_OK) {
        haft__batch_prefix_error(&failure, number);
        results = haft__json_array(NULL, 0);
    }
    status = print_object(cli->out, given, results, right, difference,
                          status != HAFT_OK ? &failure : NULL, err);
    haft__buf_finish(&text);
    return status;
}

static haft__exit_status play_cases(haft__cli *cli, const char *path, haft_error *err)
{
    tally t = {.hash_key = haft__random_hash_key()};
    haft__exit_status result = haft__batch_run(cli, path, handle_line, &t, err);
    return result == HAFT__EXIT_DONE && t.right < t.compared ? HAFT__EXIT_FAILED : result;
}

/* ---- pictures ---- */

/* Finds the graph to draw: the graph of the spec, or the named one of `graphs`. */
static haft_status find_graph(const haft__spec_file *file, const char *name, haft__json *ret_source,
                              haft_error *err)
{
    *ret_source = file->spec->graph;
    if (name == NULL) {
        return file->spec->kind == HAFT__SPEC_GRAPH
                   ? HAFT_OK
                   : haft__fail(err, HAFT_BAD_INPUT, "", "%s has no graph: its kind is not graph",
                                file->name);
    }
    const haft__json *found = haft__json_get(file->spec->graphs, haft__str(name));
    if (found == NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "%s has no graph '%s' under graphs", file->name,
                          name);
    }
    *ret_source = *found;
    return HAFT_OK;
}

static haft_status write_picture(haft__cli *cli, const haft__args *args, haft__drawing *drawing,
                                 haft_str title, haft__buf *buf, haft_error *err)
{
    bool svg = haft__args_has(args, "svg");
    if (haft__args_has(args, "mermaid")) {
        haft__drawing_write_mermaid(drawing, buf);
        return HAFT_OK;
    }
    if (haft__args_has(args, "dot")) {
        haft__drawing_write_dot(drawing, title, buf);
        return HAFT_OK;
    }
    haft_status status = haft__drawing_layout(
        &cli->arena, drawing, svg ? &haft__drawing_pixels : &haft__drawing_cells, err);
    if (status == HAFT_OK && svg) {
        haft__drawing_write_svg(drawing, title, buf);
    } else if (status == HAFT_OK) {
        status = haft__drawing_write_ascii(&cli->arena, drawing, buf, err);
    }
    return status;
}

static haft_status draw(haft__cli *cli, const haft__args *args, const haft__spec_file *file,
                        haft_error *err)
{
    haft__drawing drawing;
    haft__json source;
    haft__buf buf;
    haft_str title = file->spec->name.len > 0 ? file->spec->name
                                              : haft__str(haft__args_text(args, "graph", "graph"));
    haft_status status = find_graph(file, haft__args_text(args, "graph", NULL), &source, err);
    if (status == HAFT_OK) {
        status = haft__graph_picture_create(&cli->arena, file->spec, source, &drawing, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__buf_init(&buf, HAFT__LIMIT_GRAPH_STEP_BYTES);
    status = write_picture(cli, args, &drawing, title, &buf, err);
    if (status == HAFT_OK) {
        status = haft__buf_check(&buf, err);
    }
    if (status == HAFT_OK) {
        (void)fwrite(buf.ptr, 1, buf.len, cli->out);
    }
    haft__buf_finish(&buf);
    return status;
}

static haft__exit_status draw_spec(haft__cli *cli, const haft__args *args, haft_error *err)
{
    haft__spec_file file;
    haft_status status = haft__spec_file_inspect(cli, args->words[0], args, &file, err);
    if (status == HAFT_OK && !haft__spec_file_usable(&file, cli)) {
        return HAFT__EXIT_USAGE;
    }
    if (status == HAFT_OK) {
        status = draw(cli, args, &file, err);
    }
    return status == HAFT_OK          ? HAFT__EXIT_DONE
           : status == HAFT_NO_MEMORY ? HAFT__EXIT_FAILED
                                      : HAFT__EXIT_USAGE;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    static const char *const forms[] = {"svg", "mermaid", "dot", "ascii"};
    const char *cases = haft__args_text(args, "cases", NULL);
    size_t pictures = 0;
    for (size_t i = 0; i < COUNT(forms); i++) {
        pictures += haft__args_has(args, forms[i]);
    }
    bool drawn = args->word_count == 1 && cases == NULL && pictures <= 1;
    if (!drawn && (cases == NULL || args->word_count > 0 || pictures > 0)) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, "",
                       "expected SPEC with at most one of --svg, --mermaid, --dot and --ascii, or "
                       "--cases FILE");
        (void)haft__hint(err, status, "see 'haft help graph'");
        return HAFT__EXIT_USAGE;
    }
    return drawn ? draw_spec(cli, args, err) : play_cases(cli, cases, err);
}

static const haft__option options[] = {
    {"svg", 0, HAFT__OPTION_FLAG, NULL, "draw an SVG picture"},
    {"mermaid", 0, HAFT__OPTION_FLAG, NULL, "print the graph for Mermaid"},
    {"dot", 0, HAFT__OPTION_FLAG, NULL, "print the graph for Graphviz"},
    {"ascii", 0, HAFT__OPTION_FLAG, NULL, "draw the graph with characters; the default"},
    {"graph", 0, HAFT__OPTION_TEXT, "NAME", "draw the graph NAME of `graphs`"},
    {"set", 0, HAFT__OPTION_TEXT, "PATH=VALUE",
     "override a part of the spec: limits.turns=5; may be repeated"},
    {"cases", 0, HAFT__OPTION_TEXT, "FILE", "play the cases of FILE, one JSON object a line"},
    HAFT__OPTION_NO_CONFIG,
    {0},
};

static const haft__example examples[] = {
    {"haft graph graph.yaml", "draw the graph in the terminal"},
    {"haft graph graph.yaml --svg > graph.svg", "draw it as SVG"},
    {"haft graph --cases cases.jsonl", "print the results of each case"},
    {0},
};

const haft__command haft__cmd_graph = {
    .name = "graph",
    .usage = "[SPEC]",
    .summary = "draw a state graph, or play cases of graphs",
    .help =
        "    haft graph SPEC [--svg | --mermaid | --dot | --ascii]\n\n"
        "draws the graph of a spec of kind graph. Dashed lines have a condition, a bar is a join, "
        "and\n"
        "a node with a star (in SVG: a yellow border) waits for a person.\n\n"
        "    haft graph --cases FILE\n\n"
        "reads lines {\"id\", \"graph\", \"graphs\", \"script\"} and prints for each {\"id\", "
        "\"results\",\n"
        "\"error\"}, where \"results\" has the result of each action of the script. If a line\n"
        "also has \"want\", the results are compared with it, and the object also has \"right\"\n"
        "and \"difference\"; a line that cannot be played is not right. The exit status is 0\n"
        "when every line was answered and none is wrong, 1 when a line is wrong, 2 when FILE\n"
        "cannot be read. docs/graphs.md describes graphs and cases.\n",
    .options = options,
    .examples = examples,
    .max_words = 1,
    .run = run,
};
