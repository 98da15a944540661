/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the recursion limit in every shape of cycle: the graph ends as exhausted after exactly
 * as many steps as it allows, and after one more if it has a node for that. */
#include <string.h>

#include "base/str.h"
#include "graph/execution.h"
#include "graph/quoted.h"
#include "json/object.h"

/* A condition that never holds, and one that always does. */
#define NEVER "{'at':'/n','op':'lt','value':0}"
#define EVER  "{'at':'/n','op':'ge','value':0}"
#define START "{'from':'start','to':'a'}"
/* Back to a node, unless a condition holds that never does. */
#define BACK(from, to)                                                                             \
    "{'from':'" from "','choose':[{'when':" NEVER ",'to':'end'},{'to':'" to "'}]}"
#define COUNTS(name) "'" name "':{'do':[{'set':{'n':1}}]}"

static const struct {
    const char *shape, *nodes, *edges;
} shapes[] = {
    {"a self loop", COUNTS("a"), START "," BACK("a", "a")},
    {"two nodes", COUNTS("a") "," COUNTS("b"), START ",{'from':'a','to':'b'}," BACK("b", "a")},
    {"a cycle inside a cycle", "'a':{'do':[{'set':{'k':0}}]},'b':{'do':[{'sum':{'k':['/k',1]}}]}",
     START ",{'from':'a','to':'b'},{'from':'b','choose':[{'when':" NEVER ",'to':'end'},"
           "{'when':{'at':'/k','op':'lt','value':2},'to':'b'},{'to':'a'}]}"},
    {"every", COUNTS("a"), START ",{'from':'a','every':[{'when':" EVER ",'to':'a'}]}"},
    {"a map", COUNTS("a") "," COUNTS("w"),
     START ",{'from':'a','map':{'over':'/items','to':'w','as':'item'}},{'from':'w','to':'a'}"},
    {"sends", "'a':{'do':[{'send':{'over':'/items','to':'w','as':'item'}}]}," COUNTS("w"),
     START ",{'from':'w','to':'a'}"},
    {"a goto of an operation",
     "'a':{'do':[{'if':" NEVER ",'then':[{'goto':'end'}],'else':[{'goto':'a'}]}]}", START},
    {"a goto of a command", "'a':{'tool':'t','goto':['a','end']}", START},
    {"a goto of an error handler",
     "'a':{'do':[{'fail':'no'}],'on_error':{'do':[{'if':" NEVER
     ",'then':[{'goto':'end'}],'else':[{'goto':'a'}]}]}}",
     START},
    {"a graph inside", "'a':{'graph':'inner'}", START "," BACK("a", "a")},
    {"a graph that an operation calls", "'a':{'do':[{'call':'inner'}]}", START "," BACK("a", "a")},
    {"a deferred node", COUNTS("a") ",'d':{'defer':true,'do':[{'set':{'n':1}}]}",
     START ",{'from':'a','to':'d'}," BACK("d", "a")},
    {"a join", COUNTS("a") "," COUNTS("b") "," COUNTS("c") "," COUNTS("d"),
     START ",{'from':'a','to':['b','c']},{'from':['b','c'],'to':'d'}," BACK("d", "a")},
    {"two cycles of different length", COUNTS("a") "," COUNTS("b") "," COUNTS("c"),
     START ",{'from':'start','to':'b'}," BACK("a", "a") ",{'from':'b','to':'c'}," BACK("c", "b")},
};

#define CHANNELS                                                                                   \
    "'channels':{'n':{'reducer':'add'},'k':{'reducer':'last'},'items':{'default':[1,2]},"          \
    "'left':{'reducer':'append'}}"
#define INNER                                                                                      \
    "{'inner':{'channels':{'n':{}},'nodes':{'i':{'do':[]}},'edges':[{'from':'start','to':'i'}]}}"

static haft__json read_quoted(haft__arena *arena, const char *quoted)
{
    haft__json value = haft__json_null();
    haft_str text = haft__arena_copy(arena, haft__str(quoted));
    for (char *at = (char *)(uintptr_t)text.ptr; *at != '\0'; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    CHECK_INT(haft__json_read(arena, text, NULL, &value, NULL, NULL), HAFT_OK, "%s", quoted);
    return value;
}

/* Tools reply with a command, graphs inside with nothing. */
static haft_status serve(haft__arena *arena, haft__graph_execution *x,
                         const haft__graph_action *action)
{
    return action->request.kind == HAFT__REQUEST_TOOL
               ? haft__graph_execution_reply_command(x, action->task,
                                                     read_quoted(arena, "{'goto':'a'}"), NULL)
               : haft__graph_execution_reply(x, action->task,
                                             read_quoted(arena, "{'state':{},'wrote':[]}"), NULL);
}

/* How many steps ran until the end; `ret_left` is the sum of /$/remaining_steps that their events
 * name. */
static uint32_t count_steps(haft__arena *arena, haft__graph_execution *x, uint64_t *ret_left)
{
    haft__graph_action action = {.kind = HAFT__ACTION_WAITING};
    haft__graph_refusal refusal;
    haft__json event;
    uint32_t steps = 0;
    *ret_left = 0;
    CHECK_INT(haft__graph_execution_begin(x, haft__json_object(NULL, 0), haft__json_null(), &event,
                                          &refusal, NULL),
              HAFT_OK, "begin");
    CHECK_INT(haft__graph_execution_fold(x, event, NULL), HAFT_OK, "fold");
    while (action.kind != HAFT__ACTION_ENDED && steps < 100) {
        haft_status status = haft__graph_execution_next(x, &action, NULL);
        if (status == HAFT_OK && action.kind == HAFT__ACTION_REQUEST) {
            status = serve(arena, x, &action);
        } else if (status == HAFT_OK && action.kind == HAFT__ACTION_STEP) {
            *ret_left += haft__object_number(action.event, "remaining_steps", 0);
            status = haft__graph_execution_fold(x, action.event, NULL);
            steps++;
        }
        CHECK_INT(status, HAFT_OK, "step %u", steps);
    }
    return steps;
}

TEST(every_cycle_ends_as_exhausted_at_its_limit)
{
    static const uint32_t limits[] = {1, 2, 3, 4, 7, 25};
    for (size_t i = 0; i < COUNT(shapes) * COUNT(limits) * 2; i++) {
        size_t shape = i / COUNT(limits) / 2;
        uint32_t limit = limits[i / 2 % COUNT(limits)];
        bool fallback = i % 2 == 1;
        const char *what = shapes[shape].shape;
        haft__graph_problems problems;
        const haft__graph *graph = NULL;
        haft__graph_execution_options options = {0};
        haft__graph_execution *x = NULL;
        haft__arena arena;
        uint64_t left = 0;
        haft__arena_init(&arena, 0);
        haft_str text = haft__arena_format(
            &arena, "{" CHANNELS ",'recursion_limit':%u%s,'nodes':{%s%s},'edges':[%s]}", limit,
            fallback ? ",'on_limit':'last'" : "", shapes[shape].nodes,
            fallback ? ",'last':{'do':[{'copy':{'left':'/$/remaining_steps'}}]}" : "",
            shapes[shape].edges);
        CHECK_INT(haft__graph_compile(&arena, read_quoted(&arena, text.ptr),
                                      read_quoted(&arena, INNER), &graph, &problems, NULL),
                  HAFT_OK, "%s", what);
        CHECK(graph != NULL, "%s: %.*s", what,
              HAFT__ARG(problems.count > 0 ? problems.items[0].message : HAFT__LIT("")));
        CHECK_INT(haft__graph_execution_create(graph, &options, &x, NULL), HAFT_OK, "%s", what);
        uint32_t steps = count_steps(&arena, x, &left);
        CHECK_INT(x->end, HAFT__GRAPH_EXHAUSTED, "%s: the end, limit %u", what, limit);
        CHECK_INT(steps, limit + fallback, "%s: steps, limit %u", what, limit);
        CHECK_INT(left, (uint64_t)limit * (limit - 1) / 2, "%s: what is left after each", what);
        uint32_t channel = 0;
        CHECK(haft__graph_find_channel(graph, HAFT__LIT("left"), &channel), "the channel");
        CHECK_INT(x->state.values[channel].value.count, fallback, "%s: the node for the limit ran",
                  what);
        haft__graph_execution_destroy(x);
        haft__arena_finish(&arena);
    }
}
