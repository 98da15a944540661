/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/timeline/timeline*.c: events in, lines out. */
#include "cli/timeline/timeline.h"

#include "base/utf8.h"
#include "cli/terminal/width.h"
#include "test.h"

#define AT       "\"at\":\"1970-01-01T00:16:40.000Z\",\"run\":\"01m7f695e3nrwbnz5x52brkr9g\","
#define EV(body) "{\"seq\":1," AT body "}"
#define LOGGED(level)                                                                              \
    PROGRESS("\"kind\":\"call_progress\",\"call\":\"c1.1\",\"data\":{\"server\":\"a\",\"level\":"  \
             "\"" level "\",\"logger\":\"db\",\"message\":\"low\"}")
#define PROGRESS(body) "{\"after\":1," AT body "}"
#define REPLY(content, calls)                                                                      \
    EV("\"kind\":\"model_replied\",\"content\":\"" content                                         \
       "\",\"reasoning\":\"\",\"calls\":" calls                                                    \
       ",\"usage\":{\"input_tokens\":0,\"output_tokens\":0,\"cached_tokens\":0},\"stop\":"         \
       "\"stop\","                                                                                 \
       "\"model\":\"m\",\"ms\":10")
#define TURN(n)                                                                                    \
    EV("\"kind\":\"turn_started\",\"turn\":" #n ",\"mode\":\"auto\",\"tool\":null,\"allowed\":[]," \
       "\"declared\":[],\"format\":\"native\",\"reason\":\"default auto\",\"gate\":null,"          \
       "\"final\":false")
#define STARTED(id, tool, arguments)                                                               \
    EV("\"kind\":\"call_started\",\"call\":\"" id "\",\"tool\":\"" tool                            \
       "\",\"arguments\":" arguments)
#define FINISHED(id, tool, result)                                                                 \
    EV("\"kind\":\"call_finished\",\"call\":\"" id "\",\"tool\":\"" tool                           \
       "\",\"ok\":true,\"result\":\"" result "\",\"error\":null,\"ms\":12")
#define END(answer)                                                                                \
    EV("\"kind\":\"run_finished\",\"end\":\"done\",\"answer\":\"" answer "\",\"turns\":1,"         \
       "\"calls\":0,\"usage\":{\"input_tokens\":0,\"output_tokens\":0,\"cached_tokens\":0,"        \
       "\"cost_usd\":0},\"reason\":\"the model answered\",\"error\":null")

static const haft__spec spec = {
    .name = {"test", 4},
    .model = {.provider = {"openai", 6},
              .model = {"m", 1},
              .price = {.known = true, .input = 1000000, .output = 2000000, .cached = 500000}},
    .limits = {.turns = 12},
};

static const haft__terminal_caps plain = {.width = 80};
static const haft__terminal_caps live = {.live = true, .symbols = true, .width = 60};

static void add_events(haft__timeline *t, const char *const *events, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        haft__timeline_add_event(t, haft__str(events[i]));
    }
}

/* ---- one event at a time ---- */

TEST(each_event_has_its_line)
{
    static const struct {
        const char *event, *plain, *live;
    } cases[] = {
        {EV("\"kind\":\"run_started\",\"name\":\"test\",\"task\":\"do\\nit\""), "",
         "test  do it\n01m7f695e3nrwbnz5x52brkr9g \u00B7 openai:m\n"},
        {EV("\"kind\":\"tools_revealed\",\"tools\":[],\"query\":null,\"call\":null,\"servers\":["
            "{\"name\":\"docs\",\"state\":\"started\",\"tools\":3,\"error\":null},{\"name\":"
            "\"mail\",\"state\":\"configured\",\"tools\":0,\"error\":\"it is\\u001b gone\"}]"),
         "  server docs: 3 tools\n  server mail: it is\\u001b gone\n",
         "   ! server mail: it is\\u001b gone\n"},
        {EV("\"kind\":\"tools_revealed\",\"tools\":[],\"query\":null,\"call\":null,\"servers\":["
            "{\"name\":\"mail\",\"state\":\"configured\",\"tools\":0,\"error\":\"it is gone\","
            "\"stderr\":\"one\\u001b\\n\\n    "
            "in a line of more words than one line of this terminal can hold at once\"}]"),
         "  server mail: it is gone\n    | one\\u001b\n    | \n    |     "
         "in a line of more words than one line of this terminal can hold at once\n",
         "   ! server mail: it is gone\n     | one\\u001b\n     | \n"
         "     |     in a line of more words than one line of this\n"
         "     terminal can hold at once\n"},
        {EV("\"kind\":\"tools_revealed\",\"tools\":[],\"query\":null,\"call\":null,\"servers\":7"),
         "", ""},
        {EV("\"kind\":\"tools_revealed\",\"tools\":[{\"name\":\"docs:a\"},{\"name\":\"docs:b\"}],"
            "\"call\":null,\"servers\":[{\"name\":\"docs\",\"state\":\"known\",\"tools\":9,"
            "\"error\":null}],\"automatic\":true,\"listed\":[],\"cap\":2,\"deferred\":9"),
         "  server docs: 9 tools\n  9 tools, 2 shown to the model (at most 2): docs:a, docs:b\n",
         "   \u2713 9 tools, 2 shown to the model (at most 2)\n"},
        {EV("\"kind\":\"tools_revealed\",\"tools\":[{\"name\":\"docs:a\"}],\"call\":null,"
            "\"servers\":[{\"name\":\"docs\",\"state\":\"known\",\"tools\":1,\"error\":null}],"
            "\"automatic\":true,\"listed\":[],\"cap\":5,\"deferred\":1"),
         "  server docs: 1 tool\n  1 tool, 1 shown to the model (at most 5): docs:a\n",
         "   \u2713 1 tool, 1 shown to the model (at most 5)\n"},
        {EV("\"kind\":\"tools_revealed\",\"tools\":[{\"name\":\"docs:c\"}],\"call\":\"c1.1\","
            "\"servers\":[],\"automatic\":false,\"listed\":[{\"name\":\"docs:d\"}],\"cap\":2,"
            "\"deferred\":9"),
         "  2 found, 1 shown: docs:c\n", ""},
        {EV("\"kind\":\"tools_hidden\",\"tools\":[\"docs:a\",\"docs:b\"],\"cap\":2,"
            "\"cache_tokens\":310"),
         "  hidden (at most 2 are shown): docs:a, docs:b; about 310 tokens of the prompt are "
         "no longer cached\n",
         ""},
        {EV("\"kind\":\"call_asked\",\"call\":\"c1.1\",\"question\":{},\"durable\":true,"
            "\"state\":null,\"within_ms\":null"),
         "", ""},
        {EV("\"kind\":\"paused\",\"call\":\"c1.1\",\"pause\":\"question\",\"tool\":\"docs:a\","
            "\"arguments\":{},\"question\":\"Who?\",\"deadline\":null,\"on_expire\":null,"
            "\"server\":\"docs\",\"pinned\":true"),
         "  c1.1 waits for question of docs: Who?\n",
         "   ? c1.1 waits for question of docs: Who?\n"},
        {EV("\"kind\":\"turn_started\",\"turn\":3,\"mode\":\"tool\",\"tool\":\"find\",\"reason\":"
            "\"schedule, turn "
            "3\",\"gate\":{\"called\":[\"a\",\"b\"],\"threshold\":5,\"open\":false}"),
         "[test] turn 3/12: must use find: 2 of 5 done\n",
         "\u2500\u2500 turn 3/12 \u00B7 must use find: 2 of 5 done\n"},
        {TURN(1), "[test] turn 1/12: free to answer\n",
         "\u2500\u2500 turn 1/12 \u00B7 free to answer\n"},
        {EV("\"kind\":\"gate_opened\",\"called\":[\"a\",\"b\"],\"threshold\":2"),
         "  enough tools used (2 of 2): a, b\n", "   \u2713 enough tools used (2 of 2): a, b\n"},
        {EV("\"kind\":\"model_replied\",\"content\":\"\",\"reasoning\":\"\",\"calls\":[],\"usage\":"
            "{\"input_tokens\":1500,\"output_tokens\":20,\"cached_tokens\":500},\"ms\":1200"),
         "", ""},
        {REPLY("let me see", "[{}]"), "  model: let me see\n", "  let me see\n"},
        {REPLY("the answer", "[]"), "", "  the answer\n\n"},
        {REPLY("", "[]"), "", ""},
        {EV("\"kind\":\"model_failed\",\"status\":500,\"message\":\"HTTP 500\",\"ms\":1"),
         "  the model failed: HTTP 500\n", "   \u2717 the model failed: HTTP 500\n"},
        {EV("\"kind\":\"constrained\",\"turn\":1,\"constraint\":\"gbnf\""), "", ""},
        {EV("\"kind\":\"option_refused\",\"member\":\"stream_options\",\"status\":400,"
            "\"remembered\":false,\"message\":\"HTTP 400\",\"ms\":1"),
         "  the server refuses stream_options: HTTP 400\n",
         "   ! the server refuses stream_options: HTTP 400\n"},
        {EV("\"kind\":\"violation\",\"came\":\"empty_reply\",\"text\":\"Call a tool.\""),
         "  reply dropped, asked again: it was empty\n",
         "   ! reply dropped, asked again: it was empty\n"},
        {EV("\"kind\":\"reminded\",\"turn\":1,\"try\":1,\"text\":\"Go on.\""),
         "  reminded: Go on.\n", "   ! reminded: Go on.\n"},
        {STARTED("c1.1", "find", "{\"q\":1}"), "", "   \u25B8 find 1"},
        {STARTED("c1.1", "find", "{}"), "", "   \u25B8 find"},
        {FINISHED("c1.1", "find", "found"), "  find: ok, 5 bytes, 12 ms\n",
         "   \u2713 find  12 ms \u00B7 5 B\n"},
        {EV("\"kind\":\"call_finished\",\"call\":\"c1.1\",\"tool\":\"find\",\"ok\":true,\"result\":"
            "\"x\",\"cached\":true,\"truncated\":true,\"ms\":0,\"arguments\":{\"q\":1}"),
         "  find 1: ok, 1 byte, 0 ms, cached, truncated for the model\n",
         "   \u2713 find 1  0 ms \u00B7 1 B \u00B7 cached \u00B7 truncated\n"},
        {EV("\"kind\":\"call_finished\",\"call\":\"c1.1\",\"tool\":\"find\",\"ok\":false,"
            "\"result\":"
            "null,\"error\":{\"message\":\"not there\"},\"ms\":3"),
         "  find: error: not there\n", "   \u2717 find  3 ms  error: not there\n"},
        {EV("\"kind\":\"call_refused\",\"call\":\"c1.1\",\"tool\":\"find\",\"why\":\"denied\","
            "\"text\":\"Error: find is refused: A person rejected this call: not him\""),
         "  find rejected: not him\n", "   \u00D7 find rejected: not him\n"},
        {EV("\"kind\":\"call_refused\",\"call\":\"c1.1\",\"tool\":\"find\",\"why\":\"denied\","
            "\"text\":\"A person rejected this call.\""),
         "  find rejected\n", "   \u00D7 find rejected\n"},
        {EV("\"kind\":\"call_refused\",\"call\":\"c1.1\",\"tool\":\"find\",\"why\":\"guard\","
            "\"text\":\"Error: find is refused: not yet.\""),
         "  find refused (guard): not yet.\n", "   \u00D7 find refused (guard): not yet.\n"},
        {EV("\"kind\":\"call_refused\",\"call\":\"c1.1\",\"tool\":\"\\u001b[2J\",\"why\":"
            "\"unknown\","
            "\"text\":\"There is no such tool.\""),
         "  \\u001b[2J refused (unknown): There is no such tool.\n",
         "   \u00D7 \\u001b[2J refused (unknown): There is no such tool.\n"},
        {EV("\"kind\":\"paused\",\"call\":\"c1.1\",\"pause\":\"approval\",\"tool\":\"send\","
            "\"arguments\":{\"q\":1},\"question\":null"),
         "  c1.1 waits for approval: send 1\n", "   ? c1.1 waits for approval: send 1\n"},
        {EV("\"kind\":\"paused\",\"call\":\"c1.1\",\"pause\":\"question\",\"tool\":\"ask\","
            "\"arguments\":{},\"question\":\"Which?\""),
         "  c1.1 waits for question: Which?\n", "   ? c1.1 waits for question: Which?\n"},
        {EV("\"kind\":\"paused\",\"call\":\"c1.1\",\"pause\":\"unknown_outcome\",\"tool\":\"send\","
            "\"arguments\":{\"q\":1},\"question\":null,\"reason\":\"it timed out\""),
         "  c1.1 waits for a decision, its outcome is unknown: send 1: it timed out\n",
         "   ? c1.1 waits for a decision, its outcome is unknown: \n     send 1: it timed out\n"},
        {EV("\"kind\":\"answered\",\"call\":\"c1.1\",\"by\":\"me\",\"verdict\":\"approve\""),
         "  c1.1: approved by me\n", "   \u2713 c1.1 approved by me\n"},
        {EV("\"kind\":\"answered\",\"call\":\"c1.1\",\"by\":\"me\",\"verdict\":\"reject\""),
         "  c1.1: rejected by me\n", "   \u00D7 c1.1 rejected by me\n"},
        {EV("\"kind\":\"artifact_stored\",\"call\":\"c1.1\",\"name\":\"a.md\",\"media_type\":"
            "\"text/markdown\",\"bytes\":1234,\"sha256\":\"0\""),
         "  stored a.md: 1234 bytes, text/markdown\n",
         "   \u2022 stored a.md  1.2 KB \u00B7 text/markdown\n"},
        {EV("\"kind\":\"cancel_asked\",\"by\":\"me\",\"why\":\"enough\""),
         "  cancel requested by me: enough\n", "   ! cancel requested by me: enough\n"},
        {EV("\"kind\":\"run_finished\",\"end\":\"failed\",\"answer\":\"\",\"turns\":2,\"calls\":3,"
            "\"usage\":{\"input_tokens\":2000,\"output_tokens\":5,\"cost_usd\":0.25},\"reason\":"
            "\"it broke\",\"error\":{\"message\":\"why\"}"),
         "[test] failed: it broke; 2 turns, 3 calls, 2000 tokens in, 5 out, 0.25 USD\n",
         "\u2717 failed: it broke\n  why\n"
         "  2 turns \u00B7 3 calls \u00B7 2.0k tokens in \u00B7 5 out \u00B7 $0.25\n"},
        {EV("\"kind\":\"child_started\",\"node\":\"a\""), "", ""},
        {EV("\"kind\":\"nonsense\""), "", ""},
        {EV("\"kind\":\"call_finished\""), "  : error: \n", "   \u2717   0 ms  error: \n"},
        {"{", "", ""},
        {"[]", "", ""},
        {PROGRESS("\"kind\":\"model_progress\",\"turn\":1,\"text\":\"hello there\""), "",
         "  hello"},
        {PROGRESS("\"kind\":\"model_progress\",\"turn\":1,\"reasoning\":\"so it is\""), "",
         "   so it"},
        {PROGRESS("\"kind\":\"model_progress\",\"turn\":1"), "", ""},
        {PROGRESS("\"kind\":\"call_progress\",\"call\":\"c1.1\",\"data\":1"), "", ""},
        {PROGRESS("\"kind\":\"model_retry\",\"turn\":1,\"attempt\":2,\"reason\":\"HTTP 503\","
                  "\"wait_ms\":2500"),
         "  the model failed: HTTP 503; attempt 2 in 2.5 s\n",
         "   ! the model failed: HTTP 503; attempt 2 in 2.5 s\n"},
        {LOGGED("info"), "", ""},
        {LOGGED("debug"), "", ""},
        {LOGGED("warning"), "  server a: warning: low\n", "   ! server a: warning: low\n"},
        {LOGGED("emergency"), "  server a: emergency: low\n", "   ! server a: emergency: low\n"},
        {PROGRESS("\"kind\":\"call_progress\",\"call\":\"c1.1\",\"data\":{\"level\":\"error\"}"),
         "", ""},
        {"{\"after\":1,", "", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__timeline t;
        haft__timeline_init(&t, &spec, plain);
        haft__timeline_add_event(&t, haft__str(cases[i].event));
        CHECK_STR(haft__buf_str(&t.out), haft__str(cases[i].plain), "plain, case %zu", i);
        haft__timeline_finish(&t);
        haft__timeline_init(&t, &spec, live);
        haft__timeline_add_event(&t, haft__str(cases[i].event));
        CHECK_STR(haft__buf_str(&t.out), haft__str(cases[i].live), "live, case %zu", i);
        haft__timeline_finish(&t);
    }
}

TEST(resumed_run_has_a_heading)
{
    const haft__terminal_caps looks[] = {plain, live};
    for (size_t i = 0; i < COUNT(looks); i++) {
        haft__timeline t;
        haft__timeline_init(&t, &spec, looks[i]);
        haft__timeline_resume(&t, HAFT__LIT("01m7"), HAFT__LIT("go on"));
        CHECK_STR(haft__buf_str(&t.out),
                  i == 0 ? HAFT__LIT("") : HAFT__LIT("test  go on\n01m7 \u00B7 openai:m\n"),
                  "terminal %zu", i);
        haft__timeline_finish(&t);
    }
}

/* ---- the open line ---- */

TEST(a_single_call_redraws_its_line)
{
    static const char *const one[] = {
        STARTED("c1.1", "find", "{\"q\":1}"),
        PROGRESS("\"kind\":\"call_progress\",\"call\":\"c1.1\",\"data\":\"half\""),
        PROGRESS("\"kind\":\"call_progress\",\"call\":\"c9.9\",\"data\":\"another\""),
        PROGRESS("\"kind\":\"call_progress\",\"call\":\"c1.1\",\"data\":{\"n\":2}"),
        FINISHED("c1.1", "find", "x"),
    };
    haft__timeline t;
    haft__timeline_init(&t, &spec, live);
    CHECK_INT(haft__timeline_next_tick_ms(&t), -1, "next tick without a call");
    add_events(&t, one, 1);
    CHECK_INT(haft__timeline_next_tick_ms(&t), 1000, "next tick during a call");
    haft__timeline_tick(&t, 1000000 + 999);
    haft__timeline_tick(&t, 1000000 + 2100);
    haft__timeline_tick(&t, 1000000 + 2900);
    add_events(&t, one + 1, COUNT(one) - 1);
    CHECK_STR(haft__buf_str(&t.out),
              HAFT__LIT("   \u25B8 find 1"
                        "\r\x1b[K   \u25B8 find 1  2.0 s"
                        "\r\x1b[K   \u25B8 find 1  half  2.0 s"
                        "\r\x1b[K   \u25B8 find 1  {\"n\":2}  2.0 s"
                        "\r\x1b[K   \u2713 find 1  12 ms \u00B7 1 B\n"),
              "one call");
    CHECK_INT(haft__timeline_next_tick_ms(&t), -1, "next tick after the call");
    haft__timeline_finish(&t);
}

TEST(concurrent_calls_have_one_line_each)
{
    static const char *const two[] = {
        STARTED("c1.1", "find", "{\"q\":\"x\"}"),
        STARTED("c1.2", "look", "{}"),
        PROGRESS("\"kind\":\"call_progress\",\"call\":\"c1.2\",\"data\":\"half\""),
        FINISHED("c1.2", "look", "x"),
        FINISHED("c1.1", "find", "x"),
        STARTED("c1.3", "find", "{}"),
        TURN(2),
    };
    haft__timeline t;
    haft__timeline_init(&t, &spec, live);
    add_events(&t, two, COUNT(two));
    CHECK_STR(haft__buf_str(&t.out),
              HAFT__LIT("   \u25B8 find x"
                        "\r\x1b[K   \u25B8 2 calls run: find, look"
                        "\r\x1b[K   \u2713 look  12 ms \u00B7 1 B\n   \u25B8 find x"
                        "\r\x1b[K   \u2713 find x  12 ms \u00B7 1 B\n   \u25B8 find"
                        "\r\x1b[K\u2500\u2500 turn 2/12 \u00B7 free to answer\n"),
              "two calls");
    haft__timeline_finish(&t);
}

TEST(retries_of_a_call_have_a_reason)
{
    static const char *const events[] = {
        STARTED("c1.1", "find", "{}"),
        PROGRESS("\"kind\":\"call_retry\",\"call\":\"c1.1\",\"attempt\":2,\"reason\":\"not there\","
                 "\"wait_ms\":0"),
        PROGRESS("\"kind\":\"call_retry\",\"call\":\"c1.1\",\"attempt\":3,\"reason\":\"no\","
                 "\"wait_ms\":1500")};
    haft__timeline t;
    haft__timeline_init(&t, &spec, plain);
    add_events(&t, events, COUNT(events));
    CHECK_STR(
        haft__buf_str(&t.out),
        HAFT__LIT(
            "  find failed: not there; attempt 2 now\n  find failed: no; attempt 3 in 1.5 s\n"),
        "plain");
    haft__timeline_finish(&t);
}

/* Another line appears above the open line: the call still has one line at its end. */
TEST(lines_during_a_call_stand_above_it)
{
    static const char *const events[] = {STARTED("c1.1", "store", "{\"name\":\"a\"}"),
                                         LOGGED("warning"), FINISHED("c1.1", "store", "x")};
    haft__timeline t;
    haft__timeline_init(&t, &spec, live);
    add_events(&t, events, COUNT(events));
    CHECK_STR(haft__buf_str(&t.out),
              HAFT__LIT("   \u25B8 store a"
                        "\r\x1b[K   ! server a: warning: low\n   \u25B8 store a"
                        "\r\x1b[K   \u2713 store a  12 ms \u00B7 1 B\n"),
              "one line a call");
    haft__timeline_finish(&t);
}

TEST(running_calls_of_a_shown_run_have_a_line)
{
    static const char *const events[] = {STARTED("c1.1", "find", "{}"),
                                         STARTED("c1.2", "look", "{}")};
    haft__timeline t;
    haft__timeline_init(&t, &spec, live);
    add_events(&t, events, COUNT(events));
    haft__buf_clear(&t.out);
    haft__timeline_add_running(&t);
    CHECK_STR(haft__buf_str(&t.out), HAFT__LIT("\r\x1b[K   \u25B8 find\n   \u25B8 look\n"),
              "a line for each call");
    haft__timeline_finish(&t);
}

/* ---- verbose ---- */

TEST(verbose_shows_arguments_ids_usage_and_reasons)
{
    static const char *const events[] = {
        EV("\"kind\":\"turn_started\",\"turn\":1,\"mode\":\"any\",\"tool\":null,\"reason\":\"1 of "
           "3 data tools called\",\"gate\":{\"called\":[\"a\"],\"threshold\":3,\"open\":false}"),
        EV("\"kind\":\"model_replied\",\"content\":\"\",\"reasoning\":\"\",\"calls\":[],\"usage\":"
           "{\"input_tokens\":1500,\"output_tokens\":20,\"cached_tokens\":500},\"ms\":1200"),
        STARTED("c1.1", "find", "{\"q\":\"x\",\"n\":1}"),
        FINISHED("c1.1", "find", "found"),
        STARTED("c1.2", "find", "{\"q\":\"a text that is much too long for the line of a call\"}"),
        FINISHED("c1.2", "find", "found")};
    haft__timeline t;
    haft__timeline_init(&t, &spec, plain);
    t.verbose = true;
    add_events(&t, events, COUNT(events));
    CHECK_STR(haft__buf_str(&t.out),
              HAFT__LIT("[test] turn 1/12: must use a tool: 1 of 3 done (any, 1 of 3 data tools "
                        "called)\n"
                        "  model: 1500 tokens in, 500 cached, 20 out, 1200 ms\n"
                        "  c1.1 find {\"q\":\"x\",\"n\":1}: ok, 5 bytes, 12 ms\n"
                        "  c1.2 find {\"q\":\"a text that is much too long for the line of a "
                        "call\"}: ok, 5 bytes, 12 ms\n"),
              "plain");
    haft__timeline_finish(&t);
    haft__timeline_init(&t, &spec, live);
    t.caps.width = 100;
    t.verbose = true;
    add_events(&t, events, 2);
    CHECK_STR(haft__buf_str(&t.out),
              HAFT__LIT("\u2500\u2500 turn 1/12 \u00B7 must use a tool: 1 of 3 done \u00B7 any "
                        "\u00B7 1 of 3 data tools called\n"
                        "   1.5k tokens in (500 cached) \u00B7 20 out \u00B7 $0.00129 \u00B7 1.2 "
                        "s\n"),
              "live");
    t.caps.width = 60;
    add_events(&t, events + 2, 1);
    haft__buf_clear(&t.out);
    add_events(&t, events + 3, 1);
    add_events(&t, events + 4, 1);
    add_events(&t, events + 5, 1);
    CHECK_STR(haft__buf_str(&t.out),
              HAFT__LIT("\r\x1b[K   \u2713 c1.1 find {\"q\":\"x\",\"n\":1}  12 ms \u00B7 5 B\n"
                        "   \u25B8 c1.2 find {\"q\":\"a text that is much too long for the \u2026"
                        "\r\x1b[K   \u2713 c1.2 find  12 ms \u00B7 5 B\n"
                        "     {\"q\":\"a text that is much too long for the line of a\n"
                        "     call\"}\n"),
              "all arguments");
    haft__timeline_finish(&t);
}

/* ---- errors ---- */

TEST(errors_wrap_and_are_never_cut)
{
    static const char long_error[] =
        EV("\"kind\":\"call_finished\",\"call\":\"c1.1\",\"tool\":\"find\",\"ok\":false,\"result\":"
           "null,\"error\":{\"message\":\"it exited with 3 and wrote: the table of orders is "
           "locked by another process, try again later\"},\"ms\":3");
    static const char failed[] =
        EV("\"kind\":\"model_failed\",\"status\":500,\"message\":\"HTTP 500: the server is "
           "overloaded and asks you to come back in a while\",\"ms\":1");
    haft__timeline t;
    haft__timeline_init(&t, &spec, live);
    haft__timeline_add_event(&t, haft__str(long_error));
    haft__timeline_add_event(&t, haft__str(failed));
    CHECK_STR(haft__buf_str(&t.out),
              HAFT__LIT("   \u2717 find  3 ms  error: it exited with 3 and wrote: the\n"
                        "     table of orders is locked by another process, try\n"
                        "     again later\n"
                        "   \u2717 the model failed: HTTP 500: the server is overloaded\n"
                        "     and asks you to come back in a while\n"),
              "wrapped");
    haft__timeline_finish(&t);
    haft__timeline_init(&t, &spec, plain);
    haft__timeline_add_event(&t, haft__str(long_error));
    CHECK_STR(haft__buf_str(&t.out),
              HAFT__LIT("  find: error: it exited with 3 and wrote: the table of orders is locked "
                        "by another process, try again later\n"),
              "on one plain line");
    haft__timeline_finish(&t);
}

TEST(errors_show_hidden_characters)
{
    static const char error[] =
        EV("\"kind\":\"call_finished\",\"call\":\"c1.1\",\"tool\":\"find\",\"ok\":false,\"result\":"
           "null,\"error\":{\"message\":\"a\\ufe0f\\u00adb\\u061c\\u200d\"},\"ms\":3");
    haft__timeline t;
    haft__timeline_init(&t, &spec, live);
    haft__timeline_add_event(&t, haft__str(error));
    CHECK_STR(haft__buf_str(&t.out),
              HAFT__LIT("   \u2717 find  3 ms  error: a\\ufe0f\\u00adb\\u061c\\u200d\n"),
              "escaped");
    haft__timeline_finish(&t);
}

TEST(waiting_for_the_model_is_shown)
{
    static const char *const events[] = {
        TURN(1), PROGRESS("\"kind\":\"model_progress\",\"turn\":1,\"text\":\"hi \"")};
    haft__timeline t;
    haft__timeline_init(&t, &spec, live);
    add_events(&t, events, 1);
    haft__buf_clear(&t.out);
    haft__timeline_tick(&t, 1000000 + 500);
    CHECK_STR(haft__buf_str(&t.out), HAFT__LIT(""), "nothing is shown at once");
    haft__timeline_tick(&t, 1000000 + 1500);
    haft__timeline_tick(&t, 1000000 + 61500);
    add_events(&t, events + 1, 1);
    haft__timeline_end_line(&t);
    haft__timeline_end_line(&t);
    CHECK_STR(haft__buf_str(&t.out),
              HAFT__LIT("   waits for the model  1.0 s"
                        "\r\x1b[K   waits for the model  1 min 1 s"
                        "\r\x1b[K  hi\n"),
              "the wait is shown after a second");
    haft__timeline_finish(&t);
}

/* ---- streamed text ---- */

TEST(text_streams_and_is_not_repeated)
{
    static const char *const events[] = {
        TURN(1),
        PROGRESS("\"kind\":\"model_progress\",\"turn\":1,\"reasoning\":\"let me think\""),
        PROGRESS("\"kind\":\"model_progress\",\"turn\":1,\"text\":\"one \""),
        PROGRESS("\"kind\":\"model_progress\",\"turn\":1,\"text\":\"two\""),
        REPLY("one two", "[]"),
        PROGRESS("\"kind\":\"model_progress\",\"turn\":1,\"text\":\"late\""),
        END("one two"),
    };
    haft__timeline t;
    haft__timeline_init(&t, &spec, live);
    add_events(&t, events, COUNT(events));
    CHECK_STR(haft__buf_str(&t.out),
              HAFT__LIT("\u2500\u2500 turn 1/12 \u00B7 free to answer\n"
                        "   let me think\n  one two\n\n"
                        "\u2713 done: the model answered\n  1 turn \u00B7 0 calls\n"),
              "the whole output");
    CHECK(t.answer_shown, "the answer has been shown");
    haft__timeline_finish(&t);
}

TEST(an_interrupted_reply_is_dropped)
{
    static const char *const events[] = {
        TURN(1), PROGRESS("\"kind\":\"model_progress\",\"turn\":1,\"text\":\"one two\""),
        EV("\"kind\":\"model_failed\",\"status\":200,\"message\":\"cut\",\"ms\":1")};
    haft__timeline t;
    haft__timeline_init(&t, &spec, live);
    add_events(&t, events, 1);
    haft__buf_clear(&t.out);
    add_events(&t, events + 1, 2);
    CHECK_STR(haft__buf_str(&t.out),
              HAFT__LIT("  one two\n   \u2717 reply dropped, the model failed: cut\n"),
              "the text and the failure");
    haft__timeline_finish(&t);
}

TEST(an_answer_that_was_shown_in_part_does_not_count_as_shown)
{
    static const char *const events[][4] = {
        {TURN(1), PROGRESS("\"kind\":\"model_progress\",\"turn\":1,\"text\":\"one \""),
         REPLY("one two", "[]"), END("one two")},
        {TURN(1), REPLY("one two", "[]"),
         EV("\"kind\":\"violation\",\"came\":\"x\",\"text\":\"y\""), END("one two")},
        {TURN(1), REPLY("one", "[{}]"), TURN(2), END("one")},
        {TURN(1), REPLY("", "[]"), TURN(2), END("")},
    };
    for (size_t i = 0; i < COUNT(events); i++) {
        haft__timeline t;
        haft__timeline_init(&t, &spec, live);
        add_events(&t, events[i], 4);
        CHECK(!t.answer_shown, "case %zu: the answer counts as shown", i);
        haft__timeline_finish(&t);
    }
}

/* ---- colours and width ---- */

TEST(colours_never_carry_the_meaning_alone)
{
    static const char *const events[] = {
        FINISHED("c1.1", "find", "x"),
        PROGRESS("\"kind\":\"model_progress\",\"reasoning\":\"a b\""), TURN(1)};
    haft__terminal_caps colours = live;
    haft__timeline t;
    colours.colour = true;
    haft__timeline_init(&t, &spec, colours);
    add_events(&t, events, COUNT(events));
    CHECK_STR(haft__buf_str(&t.out),
              HAFT__LIT("   \x1b[32m\u2713\x1b[0m \x1b[1mfind\x1b[0m"
                        "\x1b[2m  12 ms \u00B7 1 B\x1b[0m\n"
                        "\x1b[2m   a\x1b[0m\x1b[2m b\n\x1b[0m"
                        "\x1b[1m\u2500\u2500\x1b[0m\x1b[1m turn 1/12\x1b[0m\x1b[2m \u00B7 \x1b[0m"
                        "free to answer\n"),
              "output with colours");
    haft__timeline_finish(&t);
}

/* The columns of a line as a terminal counts them: without what stands in front of a '\r', and
 * without styles. */
static size_t columns_of(haft_str line)
{
    size_t columns = 0;
    for (size_t i = 0; i < line.len;) {
        uint32_t code = 0;
        haft_str rest = haft__str_skip(line, i);
        if (haft__str_starts_with(rest, HAFT__LIT("\x1b["))) {
            while (i < line.len && line.ptr[i] != 'm' && line.ptr[i] != 'K') {
                i++;
            }
            i++;
            continue;
        }
        size_t length = haft__utf8_decode(rest, &code);
        columns = code == '\r' ? 0 : columns + haft__width_of_code(code);
        i += length > 0 ? length : 1;
    }
    return columns;
}

/* A whole run, in every width and on every kind of terminal: no line is wider than the terminal,
 * nothing controls it. */
TEST(no_line_is_wider_than_the_terminal)
{
    haft_str log = test_read_file("tests/run/golden/workflow.jsonl");
    for (size_t width = 20; width <= 200; width++) {
        haft__terminal_caps caps = {
            .live = true, .symbols = width % 2 == 0, .colour = width % 3 == 0, .width = width};
        haft__timeline t;
        haft__timeline_init(&t, &spec, caps);
        t.verbose = width % 5 == 0;
        haft_str rest = log;
        while (rest.len > 0) {
            haft__timeline_add_event(&t, haft__str_split(&rest, '\n'));
        }
        haft__timeline_add_event(&t,
                                 HAFT__LIT(STARTED("c1.1", "\\u4e00\\u4e00\\u4e00",
                                                   "{\"a\":\"\\u4e00\\u4e00\\u4e00\\u4e00\"}")));
        haft__timeline_tick(&t, 1005000);
        haft_str out = haft__buf_str(&t.out);
        CHECK(haft__utf8_valid(out) && t.out.status == HAFT_OK,
              "width %zu: the output failed or is not UTF-8", width);
        while (out.len > 0) {
            haft_str line = haft__str_split(&out, '\n');
            CHECK(columns_of(line) < width, "width %zu: %.*s", width, HAFT__ARG(line));
        }
        haft__timeline_finish(&t);
    }
}

TEST(a_timeline_survives_every_failed_allocation)
{
    static const char *const events[] = {
        TURN(1), PROGRESS("\"kind\":\"model_progress\",\"turn\":1,\"text\":\"one two three\""),
        STARTED("c1.1", "find", "{\"q\":1}"), FINISHED("c1.1", "find", "x"), END("")};
    for (unsigned n = 0;; n++) {
        haft__timeline t;
        test_fail_allocation(n);
        haft__timeline_init(&t, &spec, n % 2 == 0 ? live : plain);
        add_events(&t, events, COUNT(events));
        haft__timeline_tick(&t, 1005000);
        haft__timeline_finish(&t);
        if (!test_allow_allocations() && n > 1) {
            break;
        }
    }
}

TEST(text_of_the_model_is_rendered_on_a_terminal_with_colours)
{
    static const char *const events[] = {
        TURN(1),
        PROGRESS("\"kind\":\"model_progress\",\"text\":\"a *wor\""),
        PROGRESS("\"kind\":\"model_progress\",\"text\":\"d* \\u001b[2J **op\""),
        REPLY("a *word* \\u001b[2J **op", "[]"),
    };
    static const char *const shown[] = {"  a *word* \\u001b[2J **op\n",
                                        "  a \x1b[3mword\x1b[0m \\u001b[2J **op\n"};
    for (size_t i = 0; i < COUNT(shown); i++) {
        haft__timeline t;
        haft__terminal_caps caps = live;
        caps.colour = i == 1;
        haft__timeline_init(&t, &spec, caps);
        add_events(&t, events, 1);
        haft__buf_clear(&t.out);
        add_events(&t, events + 1, COUNT(events) - 1);
        CHECK(haft__str_starts_with(haft__buf_str(&t.out), haft__str(shown[i])),
              "colours %zu: %.*s", i, HAFT__ARG(haft__buf_str(&t.out)));
        haft__timeline_finish(&t);
    }
}

TEST(a_chat_shows_text_and_one_line_with_the_totals)
{
    static const char *const events[] = {
        EV("\"kind\":\"run_started\",\"name\":\"test\",\"task\":\"do it\""),
        TURN(1),
        REPLY("an answer", "[]"),
        END("an answer"),
    };
    haft__timeline t;
    haft__timeline_init(&t, &spec, live);
    t.brief = true;
    add_events(&t, events, COUNT(events));
    CHECK_STR(haft__buf_str(&t.out),
              HAFT__LIT("  an answer\n\n  1 turn \u00B7 0 calls \u00B7 0 ms \u00B7 "
                        "01m7f695e3nrwbnz5x52brkr9g\n"),
              "the whole output");
    CHECK(t.answer_shown, "the answer does not count as shown");
    haft__timeline_finish(&t);
}
