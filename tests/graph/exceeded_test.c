/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of limits that the data of a graph exceeds: the node or the step fails, and the execution
 * can be reopened. No limit is an error of the host. */
#include "base/limits.h"
#include "base/str.h"
#include "graph/execution.h"
#include "test.h"
#include "json/read.h"

typedef struct row {
    const char *what, *source;
    const char *node;    /* that the failure names, or "" */
    const char *message; /* a part of it; NULL: the graph ends as done */
    size_t bytes;        /* of the texts that tools return */
    uint32_t levels;     /* of the lists that tools return; 0: texts */
} row;

#define EDGES(list)     "\"edges\":[" list "]"
#define TOOL(name, out) "\"" name "\":{\"tool\":\"t\",\"out\":{" out "}}"
#define TO(from, to)    "{\"from\":\"" from "\",\"to\":\"" to "\"}"

#define MB ((size_t)1 << 20)

/* Tool `a` writes c; the node b does `op`. */
#define AFTER(op)                                                                                  \
    "{\"channels\":{\"c\":{},\"d\":{}},\"nodes\":{" TOOL(                                          \
        "a", "\"c\":\"\"") ",\"b\":{\"do\":[" op                                                   \
                           "]}}," EDGES(TO("start", "a") "," TO("a", "b")) "}"
#define NESTED                                                                                     \
    "{\"channels\":{\"c\":{}},\"nodes\":{" TOOL("a", "\"c\":\"\"") "}," EDGES(TO("start", "a")) "}"
#define MAPPED                                                                                     \
    "{\"channels\":{\"c\":{},\"l\":{\"default\":[1,2,3,4,5,6,7,8,9]}},\"nodes\":{" TOOL(           \
        "a", "\"c\":\"\"") ",\"w\":{\"do\":[]}}," EDGES(TO("start", "a") ",{\"from\":\"a\","       \
                                                                         "\"map\":{\"over\":\"/"   \
                                                                         "l\",\"to\":\"w\","       \
                                                                         "\"with\":[\"c\"]}}") "}"
#define LOOP                                                                                       \
    "{\"channels\":{\"c\":{\"reducer\":\"append\"}},\"recursion_limit\":9,\"nodes\":{" TOOL(       \
        "a", "\"c\":\"\"") "}," EDGES(TO("start",                                                  \
                                         "a") ",{\"from\":\"a\",\"choose\":[{\"when\":{\"at\":\"/" \
                                              "c/3\",\"op\":\"exists\",\"value\":true},"           \
                                              "\"to\":\"end\"},{\"to\":\"a\"}]}") "}"
/* 2^28 combinations, all of which fail. */
#define OR(a, b)                                                                                   \
    "\"d" a "\":{\"anyOf\":[{\"$ref\":\"#/$defs/d" b "\"},{\"$ref\":\"#/$defs/d" b "\"}]},"
#define OR4(a, b, c, d, e) OR(a, b) OR(b, c) OR(c, d) OR(d, e)
#define SCHEMA                                                                                     \
    "{\"channels\":{\"c\":{\"schema\":{\"$ref\":\"#/$defs/d0\",\"$defs\":{" OR4(                   \
        "0", "1", "2", "3", "4") OR4("4", "5", "6", "7", "8") OR4("8", "9", "a", "b", "c")         \
        OR4("c", "d", "e", "f", "g") OR4("g", "h", "i", "j", "k") OR4("k", "l", "m", "n", "o")     \
            OR4("o", "p", "q", "r", "s") "\"ds\":{\"type\":\"null\"}}}}},\"nodes\":{" TOOL(        \
                "a", "\"c\":\"\"") "}," EDGES(TO("start", "a")) "}"

static const row rows[] = {
    {"a template", AFTER("{\"text\":{\"d\":\"{/c}{/c}\"}}"), "", NULL, 8 * MB, 0},
    {"a long template", AFTER("{\"text\":{\"d\":\"{/c}{/c}!\"}}"), "b", "longer than 16777216",
     8 * MB, 0},
    {"two results",
     "{\"channels\":{},\"nodes\":{" TOOL("a", "") "," TOOL("b", "") "}," EDGES(
         TO("start", "a") "," TO("start", "b")) "}",
     "b", "", 40 * MB, 0},
    {"two changes",
     "{\"channels\":{\"c\":{},\"d\":{}},\"nodes\":{" TOOL("a", "\"c\":\"\",\"d\":\"\"") "}," EDGES(
         TO("start", "a")) "}",
     "a", "changes more than 67108864 bytes", 40 * MB, 0},
    {"sent arguments", MAPPED, "", NULL, 7 * MB, 0},
    {"too much is sent", MAPPED, "a", "the arguments that are sent", 8 * MB, 0},
    {"a list", LOOP, "", NULL, 15 * MB, 0},
    {"a long list", LOOP, "a", "the channel 'c' would have more than 67108864 bytes", 17 * MB, 0},
    {"a nested result", NESTED, "", NULL, 0, HAFT__LIMIT_GRAPH_DEPTH},
    {"a result nested too deeply", NESTED, "a", "more than 240 levels", 0,
     HAFT__LIMIT_GRAPH_DEPTH + 1},
    {"the deepest result that can be read", NESTED, "a", "more than 240 levels", 0,
     HAFT__LIMIT_JSON_DEPTH},
    {"a slow schema", SCHEMA, "a", "Gave up", 64, 0},
};

/* The result of a tool of the row. */
static haft__json make_result(haft__arena *arena, const row *r)
{
    size_t length = r->levels > 0 ? 2 * (size_t)r->levels : r->bytes;
    char *text = haft__arena_alloc(arena, length + 1);
    haft__json result;
    memset(text, 'x', length);
    if (r->levels == 0) {
        return haft__json_string((haft_str){text, length});
    }
    memset(text, '[', r->levels);
    memset(text + r->levels, ']', r->levels);
    CHECK_INT(haft__json_read(arena, (haft_str){text, length}, NULL, &result, NULL, NULL), HAFT_OK,
              "reading the result");
    return result;
}

/* Until the execution has ended. */
static void play(haft__graph_execution *x, haft__json result)
{
    haft__graph_action action = {.kind = HAFT__ACTION_WAITING};
    for (size_t i = 0; i < 200 && action.kind != HAFT__ACTION_ENDED; i++) {
        haft_error err = {0};
        CHECK_INT(haft__graph_execution_next(x, &action, &err), HAFT_OK, "%s", err.message);
        if (action.kind == HAFT__ACTION_REQUEST) {
            CHECK_INT(haft__graph_execution_reply(x, action.task, result, &err), HAFT_OK, "%s",
                      err.message);
        } else if (action.kind == HAFT__ACTION_STEP) {
            CHECK_INT(haft__graph_execution_fold(x, action.event, &err), HAFT_OK, "%s",
                      err.message);
        }
    }
    CHECK_INT(action.kind, HAFT__ACTION_ENDED, "the execution ends");
}

static void check_row(const row *r)
{
    haft__arena arena;
    haft__json source, event;
    const haft__graph *graph = NULL;
    haft__graph_problems problems;
    haft__graph_refusal refusal;
    haft__graph_execution *x = NULL;
    haft__graph_execution_options options = {0};
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__json_read(&arena, haft__str(r->source), NULL, &source, NULL, NULL), HAFT_OK,
              "%s: reading the graph", r->what);
    CHECK_INT(haft__graph_compile(&arena, source, haft__json_null(), &graph, &problems, NULL),
              HAFT_OK, "%s: compiling the graph", r->what);
    CHECK(graph != NULL, "%s: %.*s", r->what, HAFT__ARG(problems.items[0].message));
    CHECK_INT(haft__graph_execution_create(graph, &options, &x, NULL), HAFT_OK, "%s", r->what);
    CHECK_INT(haft__graph_execution_begin(x, haft__json_object(NULL, 0), haft__json_null(), &event,
                                          &refusal, NULL),
              HAFT_OK, "%s", r->what);
    CHECK_INT(haft__graph_execution_fold(x, event, NULL), HAFT_OK, "%s", r->what);
    haft__json result = make_result(&arena, r);
    for (size_t again = 0; again < 2; again++) {
        play(x, result);
        CHECK_INT(x->end, r->message == NULL ? HAFT__GRAPH_DONE : HAFT__GRAPH_FAILED, "%s: %.*s",
                  r->what, HAFT__ARG(x->failure.message));
        if (r->message != NULL) {
            CHECK_INT(x->failure.code, HAFT__GRAPH_BAD_UPDATE, "%s", r->what);
            CHECK(haft__str_contains_ignore_case(x->failure.message, haft__str(r->message)),
                  "%s: %.*s", r->what, HAFT__ARG(x->failure.message));
            CHECK_INT(x->failed_node_count, 1, "%s: nodes that are named", r->what);
            CHECK_STR(x->failed_nodes[0], haft__str(r->node), "%s", r->what);
        }
        haft__graph_execution_reopen(x, 0); /* fails in the same way, or stays done */
    }
    haft__graph_execution_destroy(x);
    haft__arena_finish(&arena);
}

TEST(data_past_a_limit_fails_its_node)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        check_row(&rows[i]);
    }
}
