/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph.c - `haft graph --cases`: plays graph cases, one JSON object a line.
 *
 * docs/schemas/graph-cases.schema.json describes the objects it prints. Tests:
 * tests/cli/graph_test.py.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/input/batch.h"
#include "cli/terminal/print.h"
#include "graph/cases.h"
#include "io/random.h"
#include "run/event_body.h"
#include "json/object.h"
#include "json/read.h"

/* How many cases with `want` there were, and how many were right. */
typedef struct tally {
    size_t wanted, right;
    haft__hash_key hash_key;
} tally;

/* Plays the case of one line. `results` has them as text. */
static haft_status play(tally *t, haft__arena *arena, haft_str line, haft__json *ret_case,
                        haft__buf *results, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = t->hash_key;
    options.max_depth = HAFT__LIMIT_JSON_DEPTH_STRICT;
    haft_status status = haft__json_read(arena, line, &options, ret_case, NULL, err);
    return status == HAFT_OK ? haft__graph_play_case(*ret_case, results, err) : status;
}

/* Compares with `want`, if the case has it. */
static haft_status judge(tally *t, haft__arena *arena, haft__json given, haft__json results,
                         bool *ret_right, haft_str *ret_difference, haft_error *err)
{
    const haft__json *want = haft__object_find_kind(given, "want", HAFT__JSON_ARRAY);
    if (want == NULL) {
        return HAFT_OK;
    }
    haft_status status =
        haft__graph_compare_results(*want, results, arena, ret_right, ret_difference, err);
    t->wanted++;
    t->right += status == HAFT_OK && *ret_right;
    return status;
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
        status = judge(t, &cli->arena, given, results, &right, &difference, &failure);
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

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    const char *path = haft__args_text(args, "cases", NULL);
    tally t = {.hash_key = haft__random_hash_key()};
    if (path == NULL) {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, "", "expected --cases FILE");
        (void)haft__hint(err, status, "see 'haft help graph'");
        return HAFT__EXIT_USAGE;
    }
    haft__exit_status result = haft__batch_run(cli, path, handle_line, &t, err);
    return result == HAFT__EXIT_DONE && t.right < t.wanted ? HAFT__EXIT_FAILED : result;
}

static const haft__option options[] = {
    {"cases", 0, HAFT__OPTION_TEXT, "FILE", "play the cases of FILE, one JSON object a line"},
    {0},
};

static const haft__example examples[] = {
    {"haft graph --cases cases.jsonl", "print the results of each case"},
    {0},
};

const haft__command haft__cmd_graph = {
    .name = "graph",
    .usage = "",
    .summary = "play cases of state graphs",
    .help =
        "    haft graph --cases FILE\n\n"
        "reads lines {\"id\", \"graph\", \"graphs\", \"script\"} and prints for each {\"id\", "
        "\"results\",\n"
        "\"error\"}: what comes of each action of the script. If a line has \"want\", the object\n"
        "has \"right\" and \"difference\", too. The exit status is 0 when every line was answered "
        "and\n"
        "none is wrong, 1 when one is, 2 when FILE cannot be read. docs/graphs.md describes "
        "graphs\n"
        "and cases.\n",
    .options = options,
    .examples = examples,
    .run = run,
};
