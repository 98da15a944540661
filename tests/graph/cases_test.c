/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graph cases: those that come with haft (tests/graph/cases.jsonl), and those that were recorded
 * with another runtime (../shared/data/graphs, skipped when it is not there).
 */
#include "graph/cases.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "test.h"
#include "json/object.h"
#include "json/read.h"

#define OWN    "tests/graph/cases.jsonl"
#define OTHERS "shared/data/graphs/cases.jsonl"

/* Plays one line and compares its results with `want`. */
static void play_line(haft_str line)
{
    haft__arena arena;
    haft__json test, results;
    haft__buf buf;
    bool right = false;
    haft_str difference = {NULL, 0};
    haft__arena_init(&arena, 0);
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    CHECK_INT(haft__json_read(&arena, line, NULL, &test, NULL, NULL), HAFT_OK, "a case is JSON");
    haft_str id = haft__object_string(test, "id");
    CHECK_INT(haft__graph_play_case(test, &buf, NULL), HAFT_OK, "%.*s", HAFT__ARG(id));
    CHECK_INT(haft__json_read(&arena, haft__buf_str(&buf), NULL, &results, NULL, NULL), HAFT_OK,
              "%.*s: results are JSON", HAFT__ARG(id));
    CHECK_INT(haft__graph_compare_results(haft__object_array(test, "want"), results, &arena, &right,
                                          &difference, NULL),
              HAFT_OK, "%.*s", HAFT__ARG(id));
    CHECK(right, "%.*s: %.*s: %.*s", HAFT__ARG(id), HAFT__ARG(difference),
          HAFT__ARG(haft__buf_str(&buf)));
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
}

static void play_file(haft_str text)
{
    while (text.len > 0) {
        haft_str line = haft__str_split(&text, '\n');
        if (line.len > 0) {
            play_line(line);
        }
    }
}

TEST(cases_of_every_rule_have_their_results)
{
    haft_str text = test_read_file(OWN);
    CHECK(text.len > 0, "cannot read " OWN);
    play_file(text);
}

TEST(recorded_cases_have_their_results)
{
    haft_str text = test_read_file(OTHERS);
    if (text.ptr == NULL) {
        test_skip_suite(OTHERS);
        return;
    }
    play_file(text);
}

TEST(a_case_without_a_graph_or_a_script_is_an_error)
{
    static const char *const texts[] = {"{}", "[]", "{\"graph\":{}}", "{\"script\":[]}",
                                        "{\"graph\":[],\"script\":[]}"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        haft__arena arena;
        haft__json test;
        haft__buf buf;
        haft__arena_init(&arena, 0);
        haft__buf_init(&buf, 1000);
        CHECK_INT(haft__json_read(&arena, haft__str(texts[i]), NULL, &test, NULL, NULL), HAFT_OK,
                  "reading %s", texts[i]);
        CHECK_INT(haft__graph_play_case(test, &buf, NULL), HAFT_BAD_INPUT, "playing %s", texts[i]);
        haft__buf_finish(&buf);
        haft__arena_finish(&arena);
    }
}

/* Plays a case, written with ' instead of ". Returns the results, or the message of an error. */
static haft_str play_quoted(haft__arena *arena, const char *quoted)
{
    haft__json test;
    haft__buf buf;
    haft_error err = {0};
    size_t length = strlen(quoted);
    char *text = haft__arena_alloc(arena, length + 1);
    for (size_t i = 0; i < length; i++) {
        text[i] = quoted[i] == '\'' ? '"' : quoted[i];
    }
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    CHECK_INT(haft__json_read(arena, (haft_str){text, length}, NULL, &test, NULL, NULL), HAFT_OK,
              "%s", quoted);
    haft_status status = haft__graph_play_case(test, &buf, &err);
    haft_str result =
        haft__arena_copy(arena, status == HAFT_OK ? haft__buf_str(&buf) : haft__str(err.message));
    haft__buf_finish(&buf);
    return result;
}

#define NODE_A "'nodes':{'a':{'do':[]}}"
#define EDGE_A "'edges':[{'from':'start','to':'a'}]"
#define INVOKE "'script':[{'invoke':{}}]"

TEST(values_of_a_wrong_type_are_rejected)
{
    static const struct {
        const char *test, *found;
    } rows[] = {
        {"{'graph':{'channels':{'x':5}," NODE_A "," EDGE_A "}," INVOKE "}",
         "\"/graph/channels/x\""},
        {"{'graph':{'nodes':{'a':'text'}," EDGE_A "}," INVOKE "}", "\"/graph/nodes/a\""},
        {"{'graph':{'nodes':[7]," EDGE_A "}," INVOKE "}", "\"/graph/nodes\""},
        {"{'graph':{'nodes':{'a':{'do':[{'set':17}]}}," EDGE_A "}," INVOKE "}",
         "\"/graph/nodes/a/do/0/set\""},
        {"{'graph':{'nodes':{'a':{'do':[],'on_error':{'do':[{'if':1}]}}}," EDGE_A "}," INVOKE "}",
         "\"/graph/nodes/a/on_error/do/0/if\""},
        {"{'graph':{'nodes':{'a':{'do':[],'out':5}}," EDGE_A "}," INVOKE "}",
         "\"/graph/nodes/a/out\""},
        {"{'graph':{" NODE_A ",'edges':[{'from':{'a':1},'to':'a'}]}," INVOKE "}",
         "\"/graph/edges/0/from\""},
        {"{'graph':{" NODE_A "," EDGE_A "},'graphs':{'g':[]}," INVOKE "}", "\"/graphs/g\""},
        {"{'graph':{" NODE_A "," EDGE_A "},'script':[5]}", "/script/0: "},
        {"{'graph':{" NODE_A "," EDGE_A "},'script':[{'invok':{}}]}", "/script/0"},
        {"{'graph':{" NODE_A "," EDGE_A "},'script':[{'invoke':[]}]}", "/script/0/invoke: "},
        {"{'graph':{" NODE_A "," EDGE_A "},'script':[{'continue':true,'limit':-5}]}",
         "/script/0/limit: "},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft_str found = play_quoted(&arena, rows[i].test);
        CHECK(strstr(found.ptr, rows[i].found) != NULL, "%s: %s", rows[i].test, found.ptr);
        CHECK((strstr(found.ptr, "bad_shape") != NULL) == (rows[i].found[0] == '"'), "%s: %s",
              rows[i].test, found.ptr);
        haft__arena_finish(&arena);
    }
}

TEST(a_graph_that_runs_itself_or_nests_too_deeply_cannot_be_loaded)
{
#define INSIDE(name, program) "'" name "':{'nodes':{'a':" program "}," EDGE_A "}"
    static const struct {
        const char *graphs;
        bool loads;
    } rows[] = {
        {INSIDE("g", "{'graph':'g'}"), false},
        {INSIDE("g", "{'do':[{'if':{'at':'/x','op':'exists'},'else':[{'call':'g'}]}]}"), false},
        {INSIDE("g", "{'do':[],'on_error':{'do':[{'call':'h'}]}}") "," INSIDE("h", "{'graph':'g'}"),
         false},
        {INSIDE("i", "{'do':[]}") "," INSIDE("h", "{'graph':'i'}") "," INSIDE(
             "f", "{'graph':'h'}") "," INSIDE("g", "{'graph':'f'}"),
         true},
        {INSIDE("j", "{'do':[]}") "," INSIDE("i", "{'graph':'j'}") "," INSIDE(
             "h", "{'graph':'i'}") "," INSIDE("f", "{'graph':'h'}") "," INSIDE("g",
                                                                               "{'graph':'f'}"),
         false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft_str test = haft__arena_format(
            &arena, "{'graph':{'nodes':{'a':{'graph':'g'}}," EDGE_A "},'graphs':{%s}," INVOKE "}",
            rows[i].graphs);
        haft_str found = play_quoted(&arena, test.ptr);
        CHECK((strstr(found.ptr, "\"done\"") != NULL) == rows[i].loads, "%s: %s", test.ptr,
              found.ptr);
        CHECK((strstr(found.ptr, "more than 4 deep") != NULL) != rows[i].loads, "%s: %s", test.ptr,
              found.ptr);
        haft__arena_finish(&arena);
    }
#undef INSIDE
}

TEST(results_that_differ_are_wrong)
{
    static const struct {
        const char *want, *results, *difference;
    } rows[] = {
        {"[{\"end\":\"done\"}]", "[{\"end\":\"done\",\"state\":{},\"steps\":[]}]", NULL},
        {"[{\"end\":\"done\"}]", "[{\"end\":\"failed\"}]", "action 1: end"},
        {"[{\"end\":\"done\"}]", "[]", "action 1: end"},
        {"[]", "[{\"end\":\"done\"}]", "action 1: end"},
        {"[{\"state\":{\"x\":1}}]", "[{\"state\":{\"x\":1.0}}]", NULL},
        {"[{\"state\":{\"x\":1}}]", "[{\"state\":{\"x\":2}}]", "action 1: state"},
        {"[{},{\"steps\":[[\"a\"]]}]", "[{},{\"steps\":[]}]", "action 2: steps"},
        {"[{\"error\":{\"code\":\"a\",\"message\":\"x\"}}]", "[{\"error\":{\"code\":\"a\"}}]",
         NULL},
        {"[{\"error\":{\"code\":\"a\"}}]", "[{\"error\":{\"code\":\"b\"}}]",
         "action 1: error.code"},
        {"[{\"effects\":[\"a\"]}]", "[{\"effects\":[\"a\",\"a\"]}]", "action 1: effects"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__json want, results;
        bool right = false;
        haft_str difference = {"", 0};
        haft__arena_init(&arena, 0);
        CHECK_INT(haft__json_read(&arena, haft__str(rows[i].want), NULL, &want, NULL, NULL),
                  HAFT_OK, "row %zu", i);
        CHECK_INT(haft__json_read(&arena, haft__str(rows[i].results), NULL, &results, NULL, NULL),
                  HAFT_OK, "row %zu", i);
        CHECK_INT(haft__graph_compare_results(want, results, &arena, &right, &difference, NULL),
                  HAFT_OK, "row %zu", i);
        CHECK(right == (rows[i].difference == NULL), "row %zu: whether they are equal", i);
        CHECK_STR(difference, haft__str(rows[i].difference != NULL ? rows[i].difference : ""),
                  "row %zu: the difference", i);
        haft__arena_finish(&arena);
    }
}

TEST(every_allocation_may_fail)
{
    static const char text[] =
        "{\"graph\":{\"channels\":{\"log\":{\"reducer\":\"append\"},\"m\":{\"reducer\":\"merge\"},"
        "\"g\":{\"reducer\":\"messages\"}},\"nodes\":{\"a\":{\"retry\":{\"attempts\":2},\"do\":[{"
        "\"text\":{\"log\":\"{/"
        "m}\"}},{\"fail\":\"x\",\"times\":1}]},\"b\":{\"graph\":\"in\"},\"c\":"
        "{\"do\":[{\"set\":{\"m\":{\"k\":1},\"g\":{\"text\":\"t\"}}}]}},\"edges\":[{\"from\":"
        "\"start\",\"to\":[\"a\",\"b\"]},{\"from\":[\"a\",\"b\"],\"to\":\"c\"},{\"from\":\"c\","
        "\"map\":{\"over\":\"/log\",\"to\":\"c\",\"max\":9}}],\"recursion_limit\":4},\"graphs\":{"
        "\"in\":{\"channels\":{\"log\":{\"reducer\":\"append\"}},\"nodes\":{\"p\":{\"do\":[{"
        "\"ask\":"
        "\"q\"},{\"text\":{\"log\":\"{/$/answer}\"}}]}},\"edges\":[{\"from\":\"start\",\"to\":\"p\""
        "}]}},\"script\":[{\"invoke\":{\"m\":{\"z\":1}}},{\"answer\":{\"q\":[1]}}]}";
    haft__arena arena;
    haft__json test;
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__json_read(&arena, haft__str(text), NULL, &test, NULL, NULL), HAFT_OK,
              "reading the case");
    for (unsigned n = 0;; n++) {
        haft__buf buf;
        haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
        test_fail_allocation(n);
        haft_status status = haft__graph_play_case(test, &buf, NULL);
        bool failed = test_allow_allocations();
        haft__buf_finish(&buf);
        if (!failed) {
            CHECK_INT(status, HAFT_OK, "status if no allocation fails");
            break;
        }
        CHECK_INT(status, HAFT_NO_MEMORY, "allocation %u", n);
    }
    haft__arena_finish(&arena);
}
