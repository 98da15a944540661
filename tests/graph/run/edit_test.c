/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of edits of the state inside a step: pauses that stay, and calls that are closed. Whole
 * runs are in tests/cli/graph_state_test.py. */
#include "graph/run/play_help.h"

/* Writes the event of an edit, as a fork does, and plays on. */
static haft_status edit(played *p, const char *values, const char *as)
{
    haft__arena arena;
    haft__run run;
    haft__buf body;
    haft_str rest = haft__buf_str(&p->log);
    haft__arena_init(&arena, 0);
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    CHECK_INT(haft__run_init(&run, &arena, p->file.spec, HELP_KEY, &p->err), HAFT_OK, "run");
    while (rest.len > 0) {
        CHECK_INT(haft__run_fold(&run, haft__str_split(&rest, '\n'), &p->err), HAFT_OK, "%s",
                  p->err.message);
    }
    haft_status status = haft__graph_write_edit(&run, help_json(&p->arena, values), haft__str(as),
                                                HAFT__LIT("ana"), &body, &p->err);
    if (status == HAFT_OK) {
        CHECK_INT(play_append(p, haft__buf_str(&body)), HAFT_OK, "%s", p->err.message);
        play_on(p);
    }
    haft__buf_finish(&body);
    haft__arena_finish(&arena);
    return status;
}

/* The ids of pending calls, of refused ones in brackets. */
static haft_str list_calls(played *p)
{
    haft__buf ids;
    haft__buf_init(&ids, 1000);
    for (size_t i = 0; i < p->run.call_count; i++) {
        const haft__run_call *call = &p->run.calls[i];
        bool pending = call->stage == HAFT__CALL_PAUSED;
        if (pending || call->stage == HAFT__CALL_REFUSED) {
            haft__buf_addf(&ids, pending ? "%s%.*s" : "%s[%.*s]", ids.len > 0 ? " " : "",
                           HAFT__ARG(call->id));
        }
    }
    haft_str list = haft__arena_copy(&p->arena, haft__buf_str(&ids));
    haft__buf_finish(&ids);
    return list;
}

#define CHANNELS                                                                                   \
    HEAD "approvals: [{tools: [good]}]\ntools:\n" TOOL("good")                                     \
        TOOL("one") "graph:\n  output: [out, x]\n  input: [x]\n"                                   \
                    "  channels: {x: {}, y: {}, out: {reducer: append}}\n"

static const struct {
    const char *about, *graph, *values, *as, *calls;
    const char *answers[3]; /* calls, each approved or answered with "yes" */
    const char *end;        /* NULL: it is exhausted */
} rows[] = {
    {"a question stays, with the values that its node saw",
     "  nodes:\n    a: {do: [{ask: \"x is {/x}?\"}, {copy: {out: /x}}]}\n"
     "    b: {do: [{copy: {out: /x}}]}\n    c: {do: [{copy: {out: /x}}]}\n"
     "  edges: [{from: start, to: [a, b]}, {from: [a, b], to: c}]\n",
     "{\"x\": \"new\"}",
     "",
     "n1.1",
     {"n1.1"},
     "{\"out\":[\"old\",\"old\",\"new\"],\"x\":\"new\"}"},
    {"a node that a pause holds sees the new values",
     "  nodes: {a: {do: [{copy: {out: /x}}], pause: before}}\n  edges: [{from: start, to: a}]\n",
     "{\"x\": \"new\", \"out\": [1]}",
     "",
     "n1.1",
     {"n1.1"},
     "{\"out\":[1,\"new\"],\"x\":\"new\"}"},
    {"a node that asks is done with the values; the others wait on",
     "  nodes:\n    a: {ask: Why?, out: {out: \"\"}}\n    b: {ask: How?, out: {out: \"\"}}\n"
     "  edges: [{from: start, to: [a, b]}]\n",
     "{\"out\": [\"given\"]}",
     "a",
     "[n1.1] n1.2",
     {"n1.2"},
     "{\"out\":[\"given\",\"yes\"],\"x\":\"old\"}"},
    {"the last open node of a step is done with the values",
     "  nodes: {a: {ask: Why?}, b: {do: [{copy: {out: /x}}]}}\n"
     "  edges: [{from: start, to: a}, {from: a, to: b}]\n",
     "{\"x\": 7}",
     "a",
     "[n1.1]",
     {NULL},
     "{\"out\":[7],\"x\":7}"},
    {"a tool that waits for its approval does not run",
     "  nodes: {a: {tool: good, out: {out: \"\"}}}\n  edges: [{from: start, to: a}]\n",
     "{\"out\": 1}",
     "a",
     "[n1.1]",
     {NULL},
     "{\"out\":[1],\"x\":\"old\"}"},
    {"what follows a node that has run is decided again",
     "  nodes:\n    a: {do: []}\n    s: {do: []}\n    b: {ask: b?, out: {out: \"\"}}\n"
     "    c: {ask: c?, out: {out: \"\"}}\n    d: {ask: d?, out: {out: \"\"}}\n"
     "  edges:\n    - {from: start, to: [a, s]}\n    - {from: s, to: d}\n"
     "    - {from: a, choose: [{when: {at: /x, op: eq, value: old}, to: b}, {to: c}]}\n",
     "{\"x\": 2}",
     "a",
     "[n2.1] n2.2 n2.3",
     {"n2.2", "n2.3"},
     "{\"out\":[\"yes\",\"yes\"],\"x\":2}"},
    {"a node that follows again asks again",
     "  nodes: {a: {do: []}, b: {ask: \"{/x}?\", out: {out: \"\"}}}\n"
     "  edges: [{from: start, to: a}, {from: a, to: b}]\n",
     "{\"x\": 2}",
     "a",
     "[n2.1] n2.2",
     {"n2.2"},
     "{\"out\":[\"yes\"],\"x\":2}"},
    {"a pause after the last step stays",
     "  nodes: {a: {do: [], pause: after}, b: {do: [{copy: {out: /x}}]}}\n"
     "  edges: [{from: start, to: a}, {from: a, to: b}]\n",
     "{\"x\": 2}",
     "",
     "n1.after",
     {"n1.after"},
     "{\"out\":[2],\"x\":2}"},
    {"a pause after which nothing follows any more is closed",
     "  nodes: {a: {do: [], pause: after}, b: {do: []}}\n"
     "  edges: [{from: start, to: a}, {from: a, choose: [{when: {at: /x, op: eq, value: 2}, to: "
     "end}, {to: b}]}]\n",
     "{\"x\": 2}",
     "a",
     "[n1.after]",
     {NULL},
     "{\"out\":[],\"x\":2}"},
    {"at the limit, no step follows",
     "  recursion_limit: 1\n  nodes: {a: {do: [], pause: after}, b: {do: []}}\n"
     "  edges: [{from: start, to: a}, {from: a, to: b}]\n",
     "{\"out\": 1}",
     "b",
     "n1.after",
     {"n1.after"},
     NULL},
    {"a tool that has run does not run again",
     "  nodes:\n    a: {ask: Why?, out: {out: \"\"}}\n    b: {tool: one, out: {out: \"\"}}\n"
     "  edges: [{from: start, to: [a, b]}]\n",
     "{\"x\": 3}",
     "",
     "n1.1",
     {"n1.1"},
     "{\"out\":[\"yes\",\"one\"],\"x\":3}"},
};

TEST(pauses_stay_or_are_closed_when_the_state_changes)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        played p;
        char spec[1500];
        (void)snprintf(spec, sizeof(spec), "%s%s", CHANNELS, rows[i].graph);
        play_init(&p, spec, "{\"x\": \"old\"}");
        play_on(&p);
        CHECK_INT(edit(&p, rows[i].values, rows[i].as), HAFT_OK, "%s: %s", rows[i].about,
                  p.err.message);
        CHECK_STR(list_calls(&p), haft__str(rows[i].calls), "%s", rows[i].about);
        for (size_t a = 0; a < COUNT(rows[i].answers) && rows[i].answers[a] != NULL; a++) {
            const haft__run_call *call = haft__run_find_call(&p.run, haft__str(rows[i].answers[a]));
            bool approves = call->pause == HAFT__PAUSE_APPROVAL;
            play_answer(&p, rows[i].answers[a], approves ? "approve" : "answer",
                        approves ? "null" : "\"yes\"");
        }
        const char *end = rows[i].end != NULL ? rows[i].end : "{\"out\":[],\"x\":\"old\"}";
        CHECK_INT(p.run.end, rows[i].end != NULL ? HAFT__END_DONE : HAFT__END_EXHAUSTED, "%s",
                  rows[i].about);
        CHECK_STR(p.run.answer, haft__str(end), "%s", rows[i].about);
        play_check_replay(&p);
        play_finish(&p);
    }
}

TEST(several_edits_in_one_step_name_each_call_once)
{
    played p;
    play_init(&p,
              CHANNELS "  nodes: {a: {do: []}, b: {ask: \"{/x}?\", out: {out: \"\"}}}\n"
                       "  edges: [{from: start, to: a}, {from: a, to: b}]\n",
              "{\"x\": 0}");
    play_on(&p);
    CHECK_INT(edit(&p, "{\"x\": 1}", "a"), HAFT_OK, "%s", p.err.message);
    CHECK_INT(edit(&p, "{\"x\": 2}", ""), HAFT_OK, "%s", p.err.message);
    CHECK_INT(edit(&p, "{\"x\": 3}", "a"), HAFT_OK, "%s", p.err.message);
    CHECK_STR(list_calls(&p), HAFT__LIT("[n2.1] [n2.2] n2.3"), "calls");
    play_answer(&p, "n2.3", "answer", "\"yes\"");
    CHECK_STR(p.run.answer, HAFT__LIT("{\"out\":[\"yes\"],\"x\":3}"), "the end");
    play_check_replay(&p);
    play_finish(&p);
}

TEST(an_edit_that_the_graph_does_not_accept_is_refused)
{
    static const struct {
        const char *values, *as, *why;
    } refused[] = {
        {"{\"z\": 1}", "", "unknown_channel"},
        {"{\"x\": 1}", "z", "unknown_node"},
    };
    played p;
    play_init(&p, CHANNELS "  nodes: {a: {ask: a?}}\n  edges: [{from: start, to: a}]\n", "{}");
    play_on(&p);
    for (size_t i = 0; i < COUNT(refused); i++) {
        CHECK_INT(edit(&p, refused[i].values, refused[i].as), HAFT_BAD_INPUT, "row %zu", i);
        CHECK(strstr(p.err.message, refused[i].why) != NULL, "%s", p.err.message);
    }
    play_finish(&p);
}

TEST(an_edit_before_the_run_begins_is_refused)
{
    played p;
    play_init(&p, CHANNELS "  nodes: {a: {ask: a?}}\n  edges: [{from: start, to: a}]\n", "{}");
    CHECK_INT(edit(&p, "{\"x\": 1}", ""), HAFT_BAD_STATE, "only run_started is in the log");
    CHECK(strstr(p.err.message, "has not begun") != NULL, "%s", p.err.message);
    CHECK(play_append(&p, HAFT__LIT("\"kind\":\"graph_step\",\"step\":0,\"edit\":{\"x\":1},"
                                    "\"updates\":{\"x\":1},\"by\":\"ana\"}"))
              != HAFT_OK,
          "nor does the log accept it");
    play_finish(&p);
}

TEST(an_edit_while_a_call_runs_is_refused)
{
    played p;
    haft__effect effect = {.kind = HAFT__EFFECT_END};
    play_init(&p,
              CHANNELS "  nodes: {a: {tool: one, out: {out: \"\"}}}\n"
                       "  edges: [{from: start, to: a}]\n",
              "{}");
    while (effect.kind != HAFT__EFFECT_RUN_CALLS) {
        CHECK_INT(haft__decide(&p.decider, &p.run, ++p.now_ms, &effect, &p.err), HAFT_OK, "%s",
                  p.err.message);
        if (effect.kind == HAFT__EFFECT_EVENT) {
            CHECK_INT(play_append(&p, haft__arena_copy(&p.arena, effect.body)), HAFT_OK, "%s",
                      p.err.message);
        }
    }
    CHECK_INT(edit(&p, "{\"x\": 1}", ""), HAFT_BAD_STATE, "a call runs");
    CHECK(strstr(p.err.message, "n1.1") != NULL, "%s", p.err.message);
    CHECK(play_append(&p, HAFT__LIT("\"kind\":\"graph_step\",\"step\":0,\"edit\":{\"x\":1},"
                                    "\"updates\":{\"x\":1},\"by\":\"ana\"}"))
              != HAFT_OK,
          "nor does the log accept it");
    play_finish(&p);
}

/* ---- more steps ---- */

#define LOOP                                                                                       \
    "graph:\n  recursion_limit: 2\n  output: /n\n  channels: {n: {reducer: add}}\n"                \
    "  nodes: {a: {do: [{set: {n: 1}}]}}\n"                                                        \
    "  edges: [{from: start, to: a}, {from: a, choose: [{when: {at: /n, op: ge, value: 5}, to: "   \
    "end}, {to: a}]}]\n"

TEST(a_graph_at_its_limit_gets_more_steps)
{
    static const struct {
        uint32_t more;
        haft__end end;
        const char *answer;
    } given[] = {
        {1, HAFT__END_EXHAUSTED, "3"},
        {2, HAFT__END_EXHAUSTED, "4"},
        {3, HAFT__END_DONE, "5"},
        {10000, HAFT__END_DONE, "5"},
    };
    for (size_t i = 0; i < COUNT(given); i++) {
        played p;
        haft__buf body;
        haft_str rest;
        haft__arena arena;
        haft__run run;
        play_init(&p, HEAD LOOP, "{}");
        play_on(&p);
        CHECK_INT(p.run.end, HAFT__END_EXHAUSTED, "at the limit");
        haft__arena_init(&arena, 0);
        haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
        CHECK_INT(haft__run_init(&run, &arena, p.file.spec, HELP_KEY, &p.err), HAFT_OK, "run");
        rest = haft__buf_str(&p.log);
        for (uint64_t seq = 1; seq < p.run.seq; seq++) { /* without its end */
            CHECK_INT(haft__run_fold(&run, haft__str_split(&rest, '\n'), &p.err), HAFT_OK, "%s",
                      p.err.message);
        }
        CHECK_INT(
            haft__graph_write_more_steps(&run, given[i].more, HAFT__LIT("ana"), &body, &p.err),
            HAFT_OK, "%s", p.err.message);
        played fork;
        play_init(&fork, HEAD LOOP, "{}");
        haft_str lines = haft__buf_str(&p.log);
        (void)haft__str_split(&lines, '\n');
        while (fork.run.seq < p.run.seq - 1) {
            haft_str line = haft__str_split(&lines, '\n');
            CHECK_INT(haft__run_fold(&fork.run, line, &p.err), HAFT_OK, "%s", p.err.message);
            haft__buf_add_str(&fork.log, line);
            haft__buf_add_char(&fork.log, '\n');
        }
        fork.now_ms = p.now_ms;
        CHECK_INT(play_append(&fork, haft__buf_str(&body)), HAFT_OK, "%s", fork.err.message);
        play_on(&fork);
        CHECK_INT(fork.run.end, given[i].end, "%u more", given[i].more);
        CHECK_STR(fork.run.answer, haft__str(given[i].answer), "%u more", given[i].more);
        play_check_replay(&fork);
        play_finish(&fork);
        play_finish(&p);
        haft__buf_finish(&body);
        haft__arena_finish(&arena);
    }
}

TEST(only_a_graph_at_its_limit_gets_more_steps)
{
    static const char *const graphs[] = {
        "graph: {channels: {x: {}}, nodes: {a: {ask: Why?}}, edges: [{from: start, to: a}]}\n",
        "graph: {channels: {x: {}}, nodes: {a: {do: [{fail: no}]}}, edges: [{from: start, to: "
        "a}]}\n",
        "graph: {channels: {x: {}}, recursion_limit: 2, nodes: {a: {do: []}}, on_limit: a, edges: "
        "[{from: start, to: a}, {from: a, to: a}]}\n",
    };
    for (size_t i = 0; i < COUNT(graphs); i++) {
        char spec[400];
        played p;
        haft__buf body;
        (void)snprintf(spec, sizeof(spec), HEAD "%s", graphs[i]);
        play_init(&p, spec, "{}");
        play_on(&p);
        haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
        CHECK_INT(haft__graph_write_more_steps(&p.run, 1, HAFT__LIT("ana"), &body, &p.err),
                  HAFT_BAD_STATE, "row %zu", i);
        haft__buf_finish(&body);
        play_finish(&p);
    }
}
