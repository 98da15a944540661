/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/graph/run/, src/run/decide/graph.c and src/run/fold/graph.c: runs of graphs without
 * a host. Whole runs are in tests/cli/graph_run_test.py. */
#include "graph/run/play_help.h"

/* ---- order ---- */

#define WIDE                                                                                       \
    HEAD "limits: {parallel: 8}\ntools:\n" TOOL("one") TOOL("two") TOOL("three")                   \
        TOOL("bad") "graph:\n  output: /out\n  channels: {out: {reducer: append}}\n  nodes:\n"     \
                    "    a: {tool: one, out: {out: \"\"}}\n    b: {tool: two, out: {out: \"\"}}\n" \
                    "    c: {tool: three, out: {out: \"\"}}\n"                                     \
                    "    d: {tool: bad, retry: {attempts: 2}, on_error: {do: [{text: {out: "       \
                    "\"{/$/error}\"}}]}}\n"                                                        \
                    "    e: {do: [{set: {out: e}}]}\n"                                             \
                    "  edges: [{from: start, to: [a, b, c, d]}, {from: [a, b, c, d], to: e}]\n"

TEST(any_order_of_completion_gives_the_same_state)
{
    for (uint32_t order = 0; order < 24; order++) {
        played p;
        play_init(&p, WIDE, "{}");
        p.order = order;
        play_on(&p);
        CHECK_INT(p.run.stage, HAFT__RUN_ENDED, "ended");
        CHECK_STR(p.run.answer, HAFT__LIT("[\"one\",\"two\",\"three\",\"it broke\",\"e\"]"),
                  "order %u", order);
        play_check_replay(&p);
        play_finish(&p);
    }
}

TEST(a_log_that_is_cut_anywhere_continues_the_same)
{
    played whole;
    play_init(&whole, WIDE, "{}");
    play_on(&whole);
    haft_str rest = haft__buf_str(&whole.log);
    size_t count = whole.run.seq;
    for (size_t keep_lines = 1; keep_lines < count; keep_lines++) {
        played p;
        play_init(&p, WIDE, "{}");
        haft_str lines = rest;
        (void)haft__str_split(&lines, '\n'); /* the first is there */
        for (size_t i = 1; i < keep_lines; i++) {
            haft_str line = haft__str_split(&lines, '\n');
            CHECK_INT(haft__run_fold(&p.run, line, &p.err), HAFT_OK, "%s", p.err.message);
        }
        play_on(&p);
        CHECK_STR(p.run.answer, whole.run.answer, "cut after %zu events", keep_lines);
        play_finish(&p);
    }
    play_finish(&whole);
}

/* ---- ends ---- */

static const struct {
    const char *graph, *task;
    haft__end end;
    const char *answer, *reason;
} ends[] = {
    {"graph: {channels: {x: {}}, output: /x, nodes: {a: {do: [{set: {x: hi}}]}}, edges: [{from: "
     "start, to: a}]}\n",
     "{}", HAFT__END_DONE, "hi", "no node is left"},
    {"graph: {channels: {x: {}}, nodes: {a: {do: []}}, edges: [{from: start, to: a}]}\n", "word",
     HAFT__END_DONE, "{}", "no node is left"},
    {"graph: {channels: {x: {reducer: add}}, recursion_limit: 2, nodes: {a: {do: [{set: {x: "
     "1}}]}}, "
     "on_limit: a, edges: [{from: start, to: a}, {from: a, to: a}]}\n",
     "{}", HAFT__END_EXHAUSTED, "{\"x\":3}", "the recursion limit is reached"},
    {"graph: {channels: {x: {}}, nodes: {a: {do: [{fail: no}]}}, edges: [{from: start, to: a}]}\n",
     "{}", HAFT__END_FAILED, "{}", "node_failed: no"},
    {"graph: {channels: {x: {type: integer}}, nodes: {a: {do: [{set: {x: w}}]}}, edges: [{from: "
     "start, to: a}]}\n",
     "{}", HAFT__END_FAILED, "{}", NULL},
};

TEST(graphs_end_in_each_way)
{
    for (size_t i = 0; i < COUNT(ends); i++) {
        char text[1000];
        played p;
        (void)snprintf(text, sizeof(text), HEAD "%s", ends[i].graph);
        play_init(&p, text, ends[i].task);
        play_on(&p);
        CHECK_INT(p.run.stage, HAFT__RUN_ENDED, "%s", ends[i].graph);
        CHECK_INT(p.run.end, ends[i].end, "%s", ends[i].graph);
        CHECK_STR(p.run.answer, haft__str(ends[i].answer), "%s", ends[i].graph);
        if (ends[i].reason != NULL) {
            CHECK_STR(p.run.end_reason, haft__str(ends[i].reason), "%s", ends[i].graph);
        }
        play_check_replay(&p);
        play_finish(&p);
    }
}

/* The first step gives an output, the second is under way, and another would follow. */
#define THREE_STEPS                                                                                \
    HEAD "tools:\n" TOOL("one")                                                                    \
        TOOL("two") "graph:\n  output: /out\n"                                                     \
                    "  channels: {out: {reducer: append}}\n  nodes: {a: {tool: one, out: {out: "   \
                    "\"\"}}, "                                                                     \
                    "b: {tool: two, out: {out: \"\"}}, c: {tool: one, out: {out: \"\"}}}\n"        \
                    "  edges: [{from: start, to: a}, {from: a, to: b}, {from: b, to: c}]\n"

TEST(a_graph_whose_budget_is_used_up_in_a_step_answers_with_its_output)
{
    for (int parent = 0; parent <= 1; parent++) {
        played p;
        haft__effect effect = {.kind = HAFT__EFFECT_END};
        haft__buf body;
        play_init(&p, THREE_STEPS, "{}");
        while (p.run.call_count < 2 || p.run.calls[1].stage != HAFT__CALL_STARTED) {
            CHECK_INT(haft__decide(&p.decider, &p.run, p.now_ms, &effect, &p.err), HAFT_OK, "%s",
                      p.err.message);
            CHECK_INT(effect.kind == HAFT__EFFECT_EVENT
                          ? play_append(&p, haft__arena_copy(&p.arena, effect.body))
                          : play_finish_one(&p),
                      HAFT_OK, "%s", p.err.message);
        }
        haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
        if (parent == 1) {
            haft__input_parent_limit_reached(&body, &p.run);
        } else {
            haft__input_wall_reached(&body, &p.run, p.file.spec->limits.wall_ms);
        }
        CHECK_INT(play_append(&p, haft__buf_str(&body)), HAFT_OK, "%s", p.err.message);
        haft__buf_finish(&body);
        play_on(&p);
        CHECK_INT(p.run.end, HAFT__END_EXHAUSTED, "parent %d", parent);
        CHECK_STR(p.run.answer,
                  parent == 1 ? HAFT__LIT("[\"one\",\"two\"]") : HAFT__LIT("[\"one\"]"),
                  "parent %d", parent);
        play_check_replay(&p);
        play_finish(&p);
    }
}

/* ---- outputs that are used again ---- */

/* The memory of a run with `steps` different inputs of a node with `cache`. */
static size_t cached_bytes(uint32_t steps)
{
    char spec[1000];
    played p;
    (void)snprintf(spec, sizeof(spec),
                   HEAD
                   "graph:\n  recursion_limit: %u\n  output: /n\n  channels: {n: {default: 0}}\n"
                   "  nodes: {a: {cache: true, do: [{sum: {n: [/n, 1]}}]}}\n"
                   "  edges: [{from: start, to: a}, {from: a, choose: [{when: {at: /n, op: ge, "
                   "value: %u}, to: end}, {to: a}]}]\n",
                   steps + 1, steps);
    play_init(&p, spec, "{}");
    play_on(&p);
    CHECK_INT(p.run.end, HAFT__END_DONE, "%u steps", steps);
    CHECK_INT(p.run.graph->cache.count, steps, "outputs that are kept");
    size_t bytes = p.arena.total;
    play_finish(&p);
    return bytes;
}

TEST(the_memory_of_kept_outputs_grows_with_their_number)
{
    size_t one = cached_bytes(200), two = cached_bytes(400), four = cached_bytes(800);
    CHECK(two < 3 * one && four < 3 * two, "%zu, %zu and %zu bytes for 200, 400 and 800 steps", one,
          two, four);
}

/* ---- persons ---- */

TEST(questions_and_pauses_hold_their_node)
{
    played p;
    play_init(&p,
              HEAD "graph:\n  output: /out\n  channels: {out: {reducer: append}}\n  nodes:\n"
                   "    a: {ask: {question: Why?, deadline: 1h}, out: {out: \"\"}}\n"
                   "    b: {do: [{set: {out: b}}], pause: before}\n"
                   "    c: {do: [{set: {out: c}}]}\n"
                   "  edges: [{from: start, to: [a, b, c]}]\n",
              "{}");
    play_on(&p);
    const haft__run_call *asked = haft__run_find_call(&p.run, HAFT__LIT("n1.1"));
    const haft__run_call *held = haft__run_find_call(&p.run, HAFT__LIT("n1.2"));
    CHECK(asked != NULL && asked->stage == HAFT__CALL_PAUSED && asked->deadline_ms > 0, "asked");
    CHECK(held != NULL && held->stage == HAFT__CALL_PAUSED, "held");
    play_answer(&p, "n1.1", "answer", "{\"because\": null}");
    CHECK(p.run.stage != HAFT__RUN_ENDED, "the other still waits");
    play_answer(&p, "n1.2", "approve", "null");
    CHECK_STR(p.run.answer, HAFT__LIT("[{\"because\":null},\"b\",\"c\"]"), "both");
    play_check_replay(&p);
    play_finish(&p);
}

/* ---- bad input ---- */

TEST(a_task_that_is_no_input_is_refused)
{
    static const struct {
        const char *task, *message;
    } rows[] = {
        {"{\"n\": 1}", ""},
        {"words", "the input of this graph must be a JSON object, because it has several channels"},
        {"{\"n\": ", "the input: "},
        {"{\"n\": 1, \"n\": 2}", "the input: "},
        {"{\"o\": 1}", "the input cannot set \"o\""},
        {"{\"n\": \"x\"}", "the input: bad_update"},
    };
    played p;
    play_init(&p,
              HEAD
              "graph: {input: [n, m], channels: {n: {type: integer}, m: {}, o: {}}, nodes: {a: "
              "{do: []}}, edges: [{from: start, to: a}]}\n",
              "{}");
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_error err = {.status = HAFT_OK};
        haft_status status =
            haft__graph_check_task(p.file.spec, haft__str(rows[i].task), HELP_KEY, &err);
        CHECK_INT(status, rows[i].message[0] != '\0' ? HAFT_BAD_INPUT : HAFT_OK, "%s",
                  rows[i].task);
        CHECK(haft__str_starts_with(haft__str(err.message), haft__str(rows[i].message)),
              "%s: found %s", rows[i].task, err.message);
    }
    play_finish(&p);
}

TEST(steps_that_the_graph_does_not_have_are_refused)
{
    static const char *const rows[] = {
        "\"kind\":\"graph_step\",\"step\":1,\"updates\":{},\"next\":[]}",
        "\"kind\":\"graph_step\",\"updates\":{},\"next\":[]}",
        "\"kind\":\"turn_started\",\"turn\":1,\"mode\":\"auto\",\"allowed\":[]}",
        "\"kind\":\"call_finished\",\"call\":\"n1.1\",\"ok\":true,\"result\":\"\"}",
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        played p;
        play_init(&p, WIDE, "{}");
        CHECK(play_append(&p, haft__str(rows[i])) != HAFT_OK, "%s", rows[i]);
        play_finish(&p);
    }
}

TEST(steps_with_unknown_names_or_wrong_types_are_refused)
{
    /* The first step of LISTS, and parts of it that were changed in the log. */
#define LISTS                                                                                      \
    "kind: graph\nname: lists\ngraph:\n  channels: {l: {reducer: append}, m: {reducer: merge}, "   \
    "g: {reducer: messages}, u: {reducer: union}, n: {reducer: add}}\n"                            \
    "  nodes: {a: {ask: q, out: {l: ''}}, b: {ask: q, out: {l: ''}}}\n"                            \
    "  edges: [{from: start, to: [a, b]}]\n"
#define STEP(updates, next)                                                                        \
    "\"kind\":\"graph_step\",\"step\":0,\"updates\":{" updates "},\"next\":[" next "]}"
#define NODE(name) "{\"node\":" name ",\"by\":[\"start\"]}"
    static const struct {
        const char *event, *why; /* NULL: it is accepted */
    } rows[] = {
        {STEP("", NODE("\"a\"") "," NODE("\"b\"")), NULL},
        {STEP("", NODE("\"zz\"")), "unknown node 'zz'"},
        {STEP("", NODE("\"start\"")), "unknown node 'start'"},
        {STEP("", "5"), "unknown node ''"},
        {STEP("", "{\"node\":\"a\",\"by\":[],\"arg\":5}"), "invalid argument for 'a'"},
        {STEP("\"zz\":1", ""), "unknown channel 'zz'"},
        {STEP("\"l\":5", ""), "wrong type for the channel 'l'"},
        {STEP("\"u\":{}", ""), "wrong type for the channel 'u'"},
        {STEP("\"m\":[]", ""), "wrong type for the channel 'm'"},
        {STEP("\"g\":[1]", ""), "wrong type for the channel 'g'"},
    };
    static const char *const edits[] = {
        "\"edit\":{\"zz\":1},\"as\":\"a\",\"task\":0,\"updates\":{}",
        "\"edit\":{\"n\":\"x\"},\"as\":\"a\",\"task\":0,\"updates\":{}",
        "\"edit\":{\"l\":5},\"updates\":{\"l\":5}",
        "\"edit\":{},\"as\":\"start\",\"updates\":{},\"next\":[7]",
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        played p;
        play_init(&p, LISTS, "{}");
        haft_status status = play_append(&p, haft__str(rows[i].event));
        CHECK_INT(status, rows[i].why == NULL ? HAFT_OK : HAFT_BAD_INPUT, "%s", rows[i].event);
        CHECK(rows[i].why == NULL || strstr(p.err.message, rows[i].why) != NULL, "%s: %s",
              rows[i].event, p.err.message);
        play_finish(&p);
    }
    for (size_t i = 0; i < COUNT(edits); i++) {
        played p;
        char event[300];
        (void)snprintf(event, sizeof(event), "\"kind\":\"graph_step\",\"step\":0,%s,\"by\":\"x\"}",
                       edits[i]);
        play_init(&p, LISTS, "{}");
        CHECK_INT(play_append(&p, haft__str(rows[0].event)), HAFT_OK, "the first step");
        CHECK_INT(play_append(&p, haft__str(event)), HAFT_BAD_INPUT, "%s", event);
        play_finish(&p);
    }
#undef LISTS
#undef STEP
#undef NODE
}

/* ---- limits ---- */

TEST(budgets_of_a_graph_have_their_own_defaults)
{
    played p;
    play_init(&p, WIDE, "{}");
    CHECK_INT(p.file.spec->limits.turns, HAFT__LIMIT_GRAPH_TURNS, "turns");
    CHECK_INT(p.file.spec->limits.calls, HAFT__LIMIT_GRAPH_CALLS, "calls");
    play_finish(&p);
}

#define TAKES_X(name)                                                                              \
    "  - {name: " name ", description: Counts the words of a letter., args: [x], command: [x, "    \
    "\"{x}\"]}\n"

/* Tools return `bytes` bytes, in a run that has `room` bytes of memory left; 0: the usual. */
static void play_long(played *p, const char *graph, size_t bytes, size_t room)
{
    char spec[2000];
    (void)snprintf(spec, sizeof(spec), HEAD "tools:\n" TOOL("one") TAKES_X("two") "%s", graph);
    play_init(p, spec, "{}");
    char *text = haft__arena_alloc(&p->arena, bytes);
    memset(text, 'x', bytes);
    p->result = (haft_str){text, bytes};
    p->arena.max = room > 0 ? p->arena.total + room : p->arena.max;
    play_on(p);
}

TEST(data_past_a_limit_ends_the_run_and_loses_nothing)
{
    static const struct {
        const char *what, *graph;
        size_t bytes, room;
        const char *reason; /* its beginning; NULL: the run is done */
        size_t calls;
    } rows[] = {
        {"an answer",
         "graph: {output: [c], channels: {c: {}}, nodes: {a: {tool: one, out: {c: "
         "\"\"}}}, edges: [{from: start, to: a}]}\n",
         HAFT__LIMIT_GRAPH_TEXT_BYTES - 64, 0, NULL, 1},
        {"a long answer",
         "graph: {output: [c], channels: {c: {}}, nodes: {a: {tool: one, out: {c: "
         "\"\"}}}, edges: [{from: start, to: a}]}\n",
         HAFT__LIMIT_GRAPH_TEXT_BYTES, 0, "bad_update: the answer is longer than", 1},
        {"long arguments",
         "graph: {output: /d, channels: {c: {}, d: {}}, nodes: {a: {tool: one, "
         "out: {c: \"\"}}, b: {tool: two, args: {x: /c}, out: {d: \"\"}}}, "
         "edges: [{from: start, to: a}, {from: a, to: b}]}\n",
         HAFT__LIMIT_GRAPH_TEXT_BYTES, 0, "bad_update: the text is longer than", 1},
        {"a long run",
         "graph: {output: /d, recursion_limit: 50, channels: {c: {}, d: {}}, nodes: "
         "{a: {tool: one, out: {c: \"\"}}}, edges: [{from: start, to: a}, {from: a, "
         "choose: [{when: {at: /d, op: eq, value: 1}, to: end}, {to: a}]}]}\n",
         1 << 20, 40 << 20, "bad_update: the events of the run are longer than run.bytes", 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        played p;
        play_long(&p, rows[i].graph, rows[i].bytes, rows[i].room);
        CHECK_INT(p.run.stage, HAFT__RUN_ENDED, "%s: the run ends", rows[i].what);
        CHECK_INT(p.run.end, rows[i].reason == NULL ? HAFT__END_DONE : HAFT__END_FAILED, "%s",
                  rows[i].what);
        CHECK(haft__str_starts_with(p.run.end_reason,
                                    haft__str(rows[i].reason != NULL ? rows[i].reason : "")),
              "%s: %.*s", rows[i].what, HAFT__ARG(p.run.end_reason));
        for (size_t c = 0; c < p.run.call_count; c++) {
            CHECK_INT(p.run.calls[c].stage, HAFT__CALL_FINISHED, "%s: call %zu", rows[i].what, c);
        }
        CHECK(rows[i].calls == 0 || p.run.call_count == rows[i].calls, "%s: %zu calls",
              rows[i].what, p.run.call_count);
        if (rows[i].room == 0) { /* a replay has another maximum */
            play_check_replay(&p);
        }
        play_finish(&p);
    }
}

TEST(the_time_between_attempts_doubles_up_to_a_limit)
{
    played p;
    size_t reduced = 0;
    play_init(&p,
              HEAD "tools:\n" TOOL("bad") "graph:\n  channels: {out: {}}\n  nodes: {a: {tool: bad, "
                                          "retry: {attempts: 9, backoff: 1s}}}\n"
                                          "  edges: [{from: start, to: a}]\n",
              "{}");
    play_on(&p);
    CHECK_INT(p.run.end, HAFT__END_FAILED, "all attempts have failed");
    CHECK_INT(p.run.call_count, 9, "attempts");
    for (size_t i = 1; i < p.run.call_count; i++) {
        uint64_t wait = p.run.calls[i].node->not_before_ms - p.run.calls[i - 1].finished_ms;
        uint64_t doubled = (uint64_t)1000 << (i - 1);
        uint64_t max =
            doubled < HAFT__LIMIT_GRAPH_BACKOFF_MS ? doubled : HAFT__LIMIT_GRAPH_BACKOFF_MS;
        CHECK(wait <= max && wait >= max - max / 4, "attempt %zu after %llu ms", i + 1,
              (unsigned long long)wait);
        reduced += wait < max;
    }
    CHECK(reduced > 0, "no wait is reduced");
    play_check_replay(&p);
    play_finish(&p);
}

/* ---- kinds of failures ---- */

static const struct {
    const char *on;
    bool timed_out, transient;
    size_t calls;
} kinds[] = {
    {"[error]", false, false, 3},   {"[error]", true, true, 1},
    {"[error]", false, true, 1},    {"[timeout]", true, true, 3},
    {"[timeout]", false, true, 1},  {"[transient]", false, true, 3},
    {"[transient]", true, true, 1}, {"[transient, timeout]", true, false, 3},
    {"[refused]", false, false, 1},
};

TEST(only_listed_kinds_of_failures_are_retried)
{
    for (size_t i = 0; i < COUNT(kinds); i++) {
        char spec[1024];
        played p;
        (void)snprintf(spec, sizeof(spec), "%s%s", HEAD "tools:\n" TOOL("bad"), "");
        size_t used = strlen(spec);
        (void)snprintf(spec + used, sizeof(spec) - used,
                       "graph:\n  channels: {out: {}}\n  nodes: {a: {tool: bad, retry: {attempts: "
                       "3, on: %s}}}\n  edges: [{from: start, to: a}]\n",
                       kinds[i].on);
        play_init(&p, spec, "{}");
        p.failure =
            (haft__outcome){.timed_out = kinds[i].timed_out, .transient = kinds[i].transient};
        play_on(&p);
        CHECK_INT(p.run.end, HAFT__END_FAILED, "row %zu", i);
        CHECK_INT(p.run.call_count, kinds[i].calls, "row %zu: attempts", i);
        play_check_replay(&p);
        play_finish(&p);
    }
}

/* A person's decision is no failure that passes: the node is not asked for again. */
TEST(a_rejection_is_never_retried)
{
    static const struct {
        const char *node, *verdict;
        bool asked_again;
    } rows[] = {
        {"tool: good, retry: {attempts: 3}", "reject", false},
        {"tool: good, retry: {attempts: 3, on: [refused]}", "reject", false},
        {"do: [], pause: before, retry: {attempts: 3}", "reject", false},
        {"ask: {question: Why?, deadline: 1s}, retry: {attempts: 3}", NULL, true},
        {"do: [{ask: Why?}], timeout: 1s, retry: {attempts: 3}", NULL, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char spec[1024];
        played p;
        (void)snprintf(spec, sizeof(spec),
                       "%sgraph:\n  output: /out\n  channels: {out: {}}\n  nodes: {a: {%s, "
                       "on_error: {do: [{text: {out: \"{/$/error}\"}}]}}}\n"
                       "  edges: [{from: start, to: a}]\napprovals: [{tools: [good]}]\n",
                       HEAD "tools:\n" TOOL("good"), rows[i].node);
        play_init(&p, spec, "{}");
        play_on(&p);
        CHECK(p.run.stage != HAFT__RUN_ENDED, "row %zu: a person is asked", i);
        if (rows[i].verdict != NULL) {
            play_answer(&p, "n1.1", rows[i].verdict, "\"too dear\"");
        } else { /* nobody answers */
            p.now_ms += 1000;
            play_on(&p);
        }
        CHECK_INT(p.run.call_count > 1, rows[i].asked_again, "row %zu: further attempts", i);
        CHECK_INT(p.run.stage == HAFT__RUN_ENDED, !rows[i].asked_again, "row %zu: the end", i);
        bool told = rows[i].asked_again
                    || haft__str_contains_ignore_case(
                        p.run.answer, HAFT__LIT("a person rejected this call: too dear"));
        CHECK(told, "row %zu: the handler reads why: %.*s", i, HAFT__ARG(p.run.answer));
        play_check_replay(&p);
        play_finish(&p);
    }
}

/* ---- what a thread keeps ---- */

#define KEEPS                                                                                      \
    HEAD "graph:\n  input: [text]\n  output: /n\n  channels:\n    text: {lifetime: thread}\n"      \
         "    n: {reducer: add, lifetime: thread}\n    own: {reducer: add}\n"                      \
         "  nodes: {a: {do: [{set: {n: 1, own: 1}}]}}\n  edges: [{from: start, to: a}]\n"

static haft__json kept_of(played *p)
{
    haft_str log = haft__buf_str(&p->log), line = HAFT__LIT("");
    haft__event event;
    while (log.len > 0) {
        line = haft__str_split(&log, '\n');
    }
    CHECK_INT(haft__event_read(&p->arena, line, HELP_KEY, &event, &p->err), HAFT_OK, "%s",
              p->err.message);
    const haft__json *kept = haft__event_field(&event, "kept");
    return kept != NULL ? *kept : haft__json_null();
}

TEST(a_run_begins_with_what_its_thread_keeps)
{
    static const struct {
        const char *kept, *answer, *left, *reason;
    } rows[] = {
        {"{}", "1", "{\"n\":1,\"text\":\"hi\"}", ""},
        {"{\"n\":4}", "5", "{\"n\":5,\"text\":\"hi\"}", ""},
        {"{\"n\":4,\"text\":\"before\",\"gone\":1,\"own\":7}", "5", "{\"n\":5,\"text\":\"hi\"}",
         ""},
        {"{\"n\":\"four\"}", "0", "", "channel 'n': expected a number"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        played p;
        play_init(&p, KEEPS, "hi");
        p.kept = help_json(&p.arena, rows[i].kept);
        play_on(&p);
        haft__json left = kept_of(&p);
        bool same = false;
        CHECK_STR(p.run.answer, haft__str(rows[i].answer), "row %zu", i);
        CHECK(haft__str_contains_ignore_case(p.run.end_reason, haft__str(rows[i].reason)),
              "row %zu: %.*s", i, HAFT__ARG(p.run.end_reason));
        if (rows[i].left[0] != '\0') {
            CHECK_INT(haft__json_equal(left, help_json(&p.arena, rows[i].left), &same, &p.err),
                      HAFT_OK, "equal");
        }
        CHECK(same == (rows[i].left[0] != '\0'), "row %zu: what is kept", i);
        play_check_replay(&p);
        play_finish(&p);
    }
}

TEST(a_thread_keeps_values_up_to_a_limit)
{
    for (size_t more = 0; more < 2; more++) {
        played p;
        haft__json kept;
        play_init(&p, KEEPS, "hi");
        /* The object has two members, and the number one digit. */
        size_t rest = haft__channel_size(help_json(&p.arena, "{\"text\":\"\",\"n\":1}"));
        size_t length = (size_t)HAFT__LIMIT_GRAPH_THREAD_BYTES - rest + more;
        char *text = test_alloc(length + 1);
        memset(text, 'x', length);
        text[length] = '\0';
        play_finish(&p);
        play_init(&p, KEEPS, text);
        play_on(&p);
        kept = kept_of(&p);
        CHECK_INT(p.run.end, more == 0 ? HAFT__END_DONE : HAFT__END_FAILED, "%zu past the limit",
                  more);
        CHECK(kept.kind == (more == 0 ? HAFT__JSON_OBJECT : HAFT__JSON_NULL), "what is kept");
        CHECK(
            more == 0
                || haft__str_contains_ignore_case(p.run.end_reason, HAFT__LIT("the thread keeps")),
            "%.*s", HAFT__ARG(p.run.end_reason));
        play_check_replay(&p);
        play_finish(&p);
    }
}
