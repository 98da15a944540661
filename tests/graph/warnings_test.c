/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for check_meeting.c, check_joins.c, check_conditions.c, check_pointers.c and writers.c:
 * graphs that can be used, but may go wrong. */
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "graph/quoted.h"

#define DO(name)        "'" name "':{'do':[]}"
#define W(name)         "'" name "':{'do':[{'set':{'x':1}}]}"
#define START(to)       "{'from':'start','to':" to "}"
#define EDGE(from, to)  "{'from':'" from "','to':'" to "'}"
#define IF              "'when':{'at':'/x','op':'exists'}"
#define CHOOSE(f, a, b) "{'from':'" f "','choose':[{" IF ",'to':'" a "'},{'to':'" b "'}]}"
#define GRAPH(nodes, edges)                                                                        \
    "{'channels':{'x':{},'list':{'reducer':'append'}},'nodes':{" nodes "},'edges':[" edges "]}"

typedef struct row {
    const char *source;
    const char *code; /* of the only warning; NULL: none */
    const char *what;
    const char *pointer;
    const char *words;
} row;

static const row rows[] = {
    /* writers that may meet */
    {GRAPH(W("a") "," W("b"), START("'a'") "," EDGE("a", "b")), NULL, NULL, NULL, NULL},
    {GRAPH(DO("s") "," W("a") "," W("b"), START("'s'") "," CHOOSE("s", "a", "b")), NULL, NULL, NULL,
     NULL},
    {GRAPH(DO("s") "," W("a") "," W("b"),
           START("'s'") ",{'from':'s','every':[{" IF ",'to':'a'},{" IF ",'to':'b'}]}"),
     "may_meet", "x", "/channels/x", "'a' and 'b' may write the channel 'x'"},
    {GRAPH(DO("p") "," DO("q") "," W("a") "," W("b"),
           START("['p','q']") "," EDGE("p", "a") "," EDGE("q", "b")),
     "may_meet", "x", "/channels/x", "'a' and 'b'"},
    {GRAPH(DO("p") "," DO("q") "," DO("r") "," W("a") "," W("b"),
           START("['p','q']") "," EDGE("p", "a") "," EDGE("q", "r") "," EDGE("r", "b")),
     NULL, NULL, NULL, NULL}, /* in different steps */
    {GRAPH(DO("p") "," DO("q") "," W("a") "," W("c"),
           START("['p','q']") "," EDGE("q", "a") ",{'from':['p','a'],'to':'c'}"),
     NULL, NULL, NULL, NULL}, /* the join waits for a */
    {GRAPH("'s':{'do':[{'if':{'at':'/x','op':'exists'},'then':[{'goto':'a'}],'else':[{'goto':"
           "'b'}]}]}," W("a") "," W("b"),
           START("'s'")),
     NULL, NULL, NULL, NULL},
    {GRAPH(DO("s") ",'w':{'do':[{'if':{'at':'/item','op':'exists'},'then':[{'set':{'x':1}}]}]}",
           START("'s'") ",{'from':'s','map':{'over':'/list','to':'w'}}"),
     "may_meet", "x", "/channels/x", "several runs of the node 'w'"},
    {GRAPH(DO("s") "," DO("w") "," W("a") "," W("b"),
           START("'s'") ",{'from':'s','map':{'over':'/list','to':'w'}}," CHOOSE("w", "a", "b")),
     "may_meet", "x", "/channels/x", "'a' and 'b'"}, /* two workers may choose differently */
    {GRAPH(W("a") ",'z':{'do':[{'set':{'x':2}}],'defer':true}", START("['a','z']")), NULL, NULL,
     NULL, NULL},
    {GRAPH(DO("s") ",'y':{'do':[{'set':{'x':1}}],'defer':true},'z':{'do':[{'set':{'x':2}}],"
                   "'defer':true}",
           START("'s'") "," CHOOSE("s", "y", "z")),
     "may_meet", "x", "/channels/x", "'y' and 'z'"},
    /* joins */
    {GRAPH(DO("a") "," DO("b") "," DO("c"), START("['a','b']") ",{'from':['a','b'],'to':'c'}"),
     NULL, NULL, NULL, NULL},
    {GRAPH(DO("s") "," DO("a") "," DO("b") "," DO("c"),
           START("'s'") "," CHOOSE("s", "a", "b") ",{'from':['a','b'],'to':'c'}"),
     "may_starve", "b", "/edges/2/from", "before 'c' waits for 'b'"},
    {GRAPH(DO("s") "," DO("t") "," DO("a") "," DO("b") "," DO("c"),
           START("'s'") "," CHOOSE("s", "t", "end") ",{'from':'t','to':['a','b']},"
                                                    "{'from':['a','b'],'to':'c'}"),
     NULL, NULL, NULL, NULL}, /* both or none */
    {GRAPH(DO("s") "," DO("p") "," DO("q") "," DO("a") "," DO("b") "," DO("c"),
           START("['s','b']") "," CHOOSE("s", "p", "q") "," EDGE("p", "a") "," EDGE(
               "q", "a") ",{'from':['a','b'],'to':'c'}"),
     NULL, NULL, NULL, NULL}, /* both branches lead to a */
    {GRAPH(DO("a") "," DO("b") "," DO("c"),
           START("['a','b']") ",{'from':['a','b'],'to':'c'}," CHOOSE("c", "a", "end")),
     "may_starve", "b", "/edges/1/from", "waits for 'b'"}, /* again without b */
    {GRAPH(DO("a") "," DO("b") "," DO("c"),
           START("['a','b']") ",{'from':['a','b'],'to':'c'},{'from':'c','choose':[{" IF
                              ",'to':['a','b']},{'to':'end'}]}"),
     NULL, NULL, NULL, NULL},
    {GRAPH(
         DO("a") "," DO("w") "," DO("c"),
         START("'a'") ",{'from':'a','map':{'over':'/list','to':'w'}},{'from':['a','w'],'to':'c'}"),
     "may_starve", "w", "/edges/2/from", "waits for 'w'"}, /* an empty list */
    {GRAPH(DO("a") "," DO("b") "," DO("c") "," DO("d") "," DO("e"),
           START("['a','b','c']") ",{'from':['a','b'],'to':'d'},{'from':['d','c'],'to':'e'}"),
     NULL, NULL, NULL, NULL}, /* a join after a join */
    /* a goto beside edges */
    {GRAPH("'a':{'do':[{'goto':'b'}]}," DO("b"), START("'a'") "," EDGE("a", "b")), "goto_beside",
     "a", "/nodes/a/do/0/goto", "never followed"},
    {GRAPH("'a':{'do':[{'if':{'at':'/x','op':'exists'},'then':[{'goto':'end'}]}]}," DO("b"),
           START("'a'") "," EDGE("a", "b")),
     "goto_beside", "a", "/nodes/a/do/0/then/0/goto", "when this goto runs"},
    {GRAPH("'a':{'do':[],'on_error':{'do':[{'goto':'end'}]}}," DO("b"),
           START("'a'") "," EDGE("a", "b")),
     NULL, NULL, NULL, NULL},
    /* conditions */
    {"{'channels':{'x':{},'y':{}},'input':['y'],'nodes':{" DO("a") "},'edges':[" START(
         "'a'") "," CHOOSE("a", "end", "end") "]}",
     "unwritten", "x", "/edges/1/choose/0/when/at", "channel 'x', which nothing writes"},
    {"{'channels':{'y':{}},'nodes':{" DO("a") "},'edges':[" START("'a'") "," CHOOSE("a", "end",
                                                                                    "end") "]}",
     "unwritten", "x", "/edges/1/choose/0/when/at", "no channel has this name"},
    {"{'channels':{'x':{},'y':{}},'input':['y'],'nodes':{'a':{'tool':'t','out':{'x':''}}},"
     "'edges':[" START("'a'") "," CHOOSE("a", "end", "end") "]}",
     NULL, NULL, NULL, NULL},
    {"{'channels':{'x':{},'y':{}},'input':['y'],'nodes':{'a':{'tool':'t'}},'edges':[" START(
         "'a'") "," CHOOSE("a", "end", "end") "]}",
     NULL, NULL, NULL, NULL}, /* by a command of the tool */
    {"{'channels':{'x':{'default':1},'y':{}},'input':['y'],'nodes':{" DO("a") "},'edges':[" START(
         "'a'") "," CHOOSE("a", "end", "end") "]}",
     NULL, NULL, NULL, NULL},
    /* pointers */
    {GRAPH("'a':{'do':[{'text':{'x':'{/list} {/lst/0}'}}]}", START("'a'")), "unwritten", "lst",
     "/nodes/a/do/0/text/x", "'a' reads 'lst', but no channel has this name"},
    {GRAPH("'a':{'do':[{'text':{'x':'{/list} {/$/step} {} {x'}},{'copy':{'x':''}}]}", START("'a'")),
     NULL, NULL, NULL, NULL},
    {GRAPH("'a':{'do':[{'copy':{'x':'/z'}}]}", START("'a'")), "unwritten", "z",
     "/nodes/a/do/0/copy/x", "'z'"},
    {GRAPH("'a':{'do':[{'sum':{'x':[1,'/z']}}]}", START("'a'")), "unwritten", "z",
     "/nodes/a/do/0/sum/x/1", "'z'"},
    /* starts of a join that run a different number of times */
    {GRAPH(DO("a") "," DO("b") "," DO("c"),
           START("['a','b']") "," EDGE("a", "b") ",{'from':['a','b'],'to':'c'}"),
     "may_starve", "a", "/edges/2/from", "'b' runs again after the join before 'c'"},
    {GRAPH(DO("a") "," DO("b") "," DO("c"),
           START("['a','b']") "," EDGE("a", "b") ",{'from':['a','b'],'to':'c'}," CHOOSE("c", "a",
                                                                                        "end")),
     NULL, NULL, NULL, NULL}, /* not known: a condition decides */
    {GRAPH(DO("a") "," DO("b") "," DO("c"),
           START("'a'") "," EDGE("a", "b") ",{'from':['a','b'],'to':'c'}"),
     NULL, NULL, NULL, NULL},
    {"{'on_limit':'c','nodes':{" DO("a") "," DO("b") "," DO("c") "},'edges':[" START(
         "['a','b']") "," EDGE("a", "b") "," EDGE("b", "a") ",{'from':['a','b'],'to':'c'}]}",
     NULL, NULL, NULL, NULL}, /* a cycle reaches the limit */
    {GRAPH("'a':{'do':[{'if':{'at':'/z','op':'exists'},'then':[]}]}", START("'a'")), "unwritten",
     "z", "/nodes/a/do/0/if/at", "'z'"},
    {GRAPH("'a':{'do':[{'if':{'at':'/x','op':'exists'},'then':[{'fail':'{/z}'}]}]}", START("'a'")),
     "unwritten", "z", "/nodes/a/do/0/then/0/fail", "'z'"},
    {GRAPH("'a':{'do':[],'on_error':{'do':[{'ask':'{/z}'}]}}", START("'a'")), "unwritten", "z",
     "/nodes/a/on_error/do/0/ask", "'z'"},
    {GRAPH("'a':{'ask':{'question':'{/z}'},'out':{'x':''}}", START("'a'")), "unwritten", "z",
     "/nodes/a/ask/question", "'z'"},
    {GRAPH("'a':{'tool':'t','args':{'n':'/z','m':{'value':'/z'}}}", START("'a'")), "unwritten", "z",
     "/nodes/a/args/n", "'z'"},
    {GRAPH("'a':{'agent':'t','task':'{/z}'}", START("'a'")), "unwritten", "z", "/nodes/a/task",
     "'z'"},
    {GRAPH(DO("a") "," DO("w"), START("'a'") ",{'from':'a','map':{'over':'/z','to':'w'}}"),
     "unwritten", "z", "/edges/1/map/over", "'z'"},
    {GRAPH(DO("w"), "{'from':'start','map':{'over':'/z','to':'w'}}"), "unwritten", "z",
     "/edges/0/map/over", "'z'"},
    {GRAPH(DO("w"), "{'from':'start','map':{'over':'/list','to':'w','first':'/z'}}"), "unwritten",
     "z", "/edges/0/map/first", "'z'"},
    {GRAPH(DO("w") ",'a':{'do':[{'send':{'over':'/list','to':'w','first':'/z'}}]}", START("'a'")),
     "unwritten", "z", "/nodes/a/do/0/send/first", "'z'"},
    {GRAPH("'w':{'do':[{'copy':{'list':'/part'}},{'copy':{'list':'/x'}}]}",
           "{'from':'start','map':{'over':'/list','to':'w','as':'part','with':['x']}}"),
     NULL, NULL, NULL, NULL},
    {GRAPH("'w':{'do':[{'copy':{'list':'/itm'}}]}",
           "{'from':'start','map':{'over':'/list','to':'w'}}"),
     "unwritten", "itm", "/nodes/w/do/0/copy/list", "'itm'"},
    {GRAPH("'a':{'do':[{'send':[{'to':'w','arg':{'one':1}}]}]},"
           "'w':{'do':[{'copy':{'list':'/one'}}]}",
           START("'a'")),
     NULL, NULL, NULL, NULL},
    {GRAPH("'a':{'do':[{'send':{'over':'/list','to':'w'}}]},'w':{'do':[{'copy':{'list':'/item'}}]}",
           START("'a'")),
     NULL, NULL, NULL, NULL},
};

TEST(graphs_that_may_go_wrong_have_a_warning)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__graph_problems problems;
        haft__arena_init(&arena, 0);
        CHECK(compile_quoted(&arena, rows[i].source, &problems) != NULL, "row %zu", i);
        CHECK_INT(problems.count, rows[i].code != NULL, "row %zu: %s: %.*s", i, rows[i].source,
                  HAFT__ARG(problems.count > 0 ? problems.items[0].message : HAFT__LIT("")));
        if (rows[i].code != NULL && problems.count > 0) {
            const haft__graph_problem *found = &problems.items[0];
            CHECK(found->warning, "row %zu", i);
            CHECK_STR(haft__str(haft__graph_code_name(found->code)), haft__str(rows[i].code),
                      "row %zu", i);
            CHECK_STR(found->what, haft__str(rows[i].what), "row %zu", i);
            CHECK_STR(found->pointer, haft__str(rows[i].pointer), "row %zu", i);
            CHECK(haft__str_contains_ignore_case(found->message, haft__str(rows[i].words)),
                  "row %zu: %.*s", i, HAFT__ARG(found->message));
        }
        haft__arena_finish(&arena);
    }
}

/* Two chains that write in one step, and as many further targets as there is room for. */
TEST(only_so_many_targets_are_checked)
{
    for (size_t past = 0; past < 2; past++) {
        haft__arena arena;
        haft__graph_problems problems;
        haft__buf text;
        haft__arena_init(&arena, 0);
        haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
        haft__buf_addf(&text, "{'channels':{'x':{}},'nodes':{%s,%s,%s,%s},'edges':[%s,%s,%s",
                       W("a"), W("b"), DO("p"), DO("q"), START("['p','q']"), EDGE("p", "a"),
                       EDGE("q", "b"));
        for (size_t i = 4; i < HAFT__LIMIT_GRAPH_CHECKED_TARGETS + past; i++) {
            haft__buf_addf(&text, ",%s", EDGE("a", "end"));
        }
        haft__buf_addf(&text, "]}");
        haft__buf_add_char(&text, '\0');
        CHECK(compile_quoted(&arena, haft__buf_str(&text).ptr, &problems) != NULL, "past %zu",
              past);
        CHECK_INT(problems.count, past == 0, "past %zu", past);
        haft__buf_finish(&text);
        haft__arena_finish(&arena);
    }
}
