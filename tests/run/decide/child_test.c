/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/decide/child.c: calls of agents, from the start of the child to the result. */
#include "base/str.h"
#include "run/pause/command.h"
#include "run/run_help.h"

#define ASK(name)   "{\"name\":\"" name "\",\"arguments\":{\"q\":\"x\"}}"
#define REPLY(call) "{\"replies\":[{\"calls\":[" call "]},{\"text\":\"good\"}]}"

/* The agent of the tools `ask` and `also`. */
static haft__spec agent = {.limits = {.turns = 8, .calls = 20, .tokens = 5000, .wall_ms = 9000}};
static haft__agent_tool agent_tools[] = {
    {.tool = {"ask", 3}, .agent = {"digger", 6}, .spec = &agent},
    {.tool = {"also", 4}, .agent = {"digger", 6}, .spec = &agent},
};

static void init(help_run *r, const char *spec, const char *script)
{
    help_run_init(r, spec, script);
    haft__spec *to = &r->spec.spec;
    to->agent_tools = agent_tools;
    to->agent_tool_count = COUNT(agent_tools);
}

static void start(help_run *r, const char *spec, const char *script)
{
    init(r, spec, script);
    CHECK_INT(help_run_go(r), HAFT_OK, "%s", r->err.message);
}

/* Applies a command of another run, and continues. */
static haft_status command(help_run *r, const char *text)
{
    haft__run_command read;
    haft__buf body;
    haft__buf_init(&body, 1 << 20);
    haft_status status =
        haft__run_command_read(&r->arena, haft__str(text), HELP_KEY, &read, &r->err);
    if (status == HAFT_OK) {
        status = haft__run_command_apply(&r->drive.run, &read, &body, &r->err);
    }
    if (status == HAFT_OK && body.len > 0) {
        status = haft__drive_append(&r->drive, haft__buf_str(&body), &r->err);
    }
    haft__buf_finish(&body);
    return status == HAFT_OK ? haft__drive_on(&r->drive, &r->err) : status;
}

/* The message of a child that has ended. */
static haft_status end_child(help_run *r, size_t index, const char *end, const char *answer,
                             const char *reason)
{
    const haft__child *child = r->drive.run.children[index];
    haft_str text = haft__arena_format(
        &r->arena,
        "{\"command\":\"child\",\"call\":\"%.*s\",\"value\":{\"child\":\"%.*s\",\"end\":\"%s\","
        "\"answer\":\"%s\",\"reason\":\"%s\",\"runs\":1,\"turns\":2,\"calls\":3}}",
        HAFT__ARG(child->key), HAFT__ARG(child->run), end, answer, reason);
    return command(r, help_keep(text).ptr);
}

TEST(the_end_of_a_child_is_the_result_of_the_call)
{
    static const struct {
        const char *end, *answer, *reason;
        bool integer; /* output_schema */
        bool ok;
        const char *shown;
    } rows[] = {
        {"done", "found", "", false, true, "found"},
        {"direct", "found", "", false, true, "found"},
        {"done", "", "", false, true, ""},
        {"exhausted", "", "turn budget used up", false, false,
         "worker error: the agent ended as exhausted: turn budget used up"},
        {"failed", "", "", false, false, "worker error: the agent ended as failed"},
        {"cancelled", "so far", "enough", false, false,
         "worker error: the agent ended as cancelled: enough\nIts last text: so far"},
        {"expired", "", "", false, false, "worker error: the agent ended as expired"},
        {"done", "7", "", true, true, "7"},
        {"done", "seven", "", true, false, "output_schema"},
        {"failed", "7", "", true, false, "the agent ended as failed"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_run r;
        init(&r, rows[i].integer ? "agent; tools=ask!agent!integer" : "agent; tools=ask!agent",
             REPLY(ASK("ask")));
        CHECK_INT(help_run_go(&r), HAFT_OK, "row %zu: %s", i, r.err.message);
        const haft__run *run = &r.drive.run;
        CHECK(run->child_count == 1 && run->open_children == 1, "row %zu: a child runs", i);
        CHECK_STR(run->children[0]->agent, HAFT__LIT("digger"), "row %zu: its agent", i);
        CHECK_INT(end_child(&r, 0, rows[i].end, rows[i].answer, rows[i].reason), HAFT_OK,
                  "row %zu: %s", i, r.err.message);
        const haft__run_call *call = &run->calls[0];
        CHECK_INT(call->ok, rows[i].ok, "row %zu: success", i);
        CHECK(haft__str_contains_ignore_case(call->shown, haft__str(rows[i].shown)),
              "row %zu: %.*s", i, HAFT__ARG(call->shown));
        CHECK_INT(run->end, HAFT__END_DONE, "row %zu: the run goes on", i);
        CHECK_INT(run->child_usage.turns, 2, "row %zu: what the child used", i);
        help_run_finish(&r);
    }
}

TEST(a_message_that_is_no_end_of_an_open_child_has_no_effect)
{
    help_run r;
    start(&r, "agent; tools=ask!agent,also!agent; parallel=2", REPLY(ASK("ask") "," ASK("also")));
    const haft__run *run = &r.drive.run;
    CHECK_INT(run->open_children, 2, "two children run");
    CHECK_INT(command(&r, "{\"command\":\"child\",\"call\":\"c9.9\",\"value\":{\"child\":\"x\","
                          "\"end\":\"done\"}}"),
              HAFT_BAD_STATE, "a call that does not exist");
    CHECK_INT(command(&r, "{\"command\":\"child\",\"call\":\"c1.1\",\"value\":{\"child\":\"x\","
                          "\"end\":\"done\"}}"),
              HAFT_BAD_STATE, "a run that is not its child");
    CHECK_INT(end_child(&r, 0, "done", "a", ""), HAFT_OK, "%s", r.err.message);
    CHECK_INT(end_child(&r, 0, "failed", "b", ""), HAFT_BAD_STATE, "a second end");
    CHECK_STR(run->calls[0].shown, HAFT__LIT("a"), "the first end counts");
    CHECK_INT(run->open_children, 1, "the other child still runs");
    help_run_finish(&r);
}

TEST(calls_of_agents_that_cannot_start_are_refused)
{
    static const struct {
        const char *spec, *why;
    } rows[] = {
        {"agent; tools=ask!agent; turns=2", "rest of the budget is needed"},
        {"agent; tools=ask!agent; tokens=1", "rest of the budget is needed"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_run r;
        start(&r, rows[i].spec, REPLY(ASK("ask")));
        CHECK_INT(r.drive.run.child_count, 0, "row %zu: no child", i);
        CHECK(haft__str_contains_ignore_case(haft__buf_str(&r.log), haft__str(rows[i].why)),
              "row %zu: %.*s", i, HAFT__ARG(haft__buf_str(&r.log)));
        help_run_finish(&r);
    }
}

#define FIVE ASK("ask") "," ASK("also") "," ASK("more") "," ASK("most") "," ASK("last")

/* Of five calls of agents, limits.parallel start together and share what is left; the next one gets
 * what the first has returned. */
TEST(only_children_that_can_run_share_a_budget)
{
    static haft__agent_tool five[] = {
        {.tool = {"ask", 3}, .agent = {"digger", 6}, .spec = &agent},
        {.tool = {"also", 4}, .agent = {"digger", 6}, .spec = &agent},
        {.tool = {"more", 4}, .agent = {"digger", 6}, .spec = &agent},
        {.tool = {"most", 4}, .agent = {"digger", 6}, .spec = &agent},
        {.tool = {"last", 4}, .agent = {"digger", 6}, .spec = &agent},
    };
    static const struct {
        const char *limits;
        unsigned started, turns, calls;
        unsigned next; /* turns of the next child; the first used 2 of its turns */
    } rows[] = {
        {"parallel=1; turns=11; calls=24", 1, 8, 11, 7}, /* 9 are left; a digger has at most 8 */
        {"parallel=2; turns=12; calls=24", 2, 5, 7, 3},
        {"parallel=4; turns=10; calls=24", 4, 2, 4, 0},
        {"parallel=9; turns=12; calls=24", 5, 2, 3, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char spec[200];
        help_run r;
        (void)snprintf(spec, sizeof(spec),
                       "agent; tools=ask!agent,also!agent,more!agent,most!agent,last!agent; %s",
                       rows[i].limits);
        init(&r, spec, REPLY(FIVE));
        r.spec.spec.agent_tools = five;
        r.spec.spec.agent_tool_count = COUNT(five);
        CHECK_INT(help_run_go(&r), HAFT_OK, "row %zu: %s", i, r.err.message);
        const haft__run *run = &r.drive.run;
        CHECK_INT(run->child_count, rows[i].started, "row %zu: children that started", i);
        for (size_t k = 0; k < run->child_count; k++) {
            CHECK_INT(run->children[k]->limits.turns, rows[i].turns, "row %zu, child %zu", i, k);
            CHECK_INT(run->children[k]->limits.calls, rows[i].calls, "row %zu, child %zu", i, k);
        }
        if (rows[i].next > 0) {
            CHECK_INT(end_child(&r, 0, "done", "found", ""), HAFT_OK, "row %zu: %s", i,
                      r.err.message);
            CHECK_INT(run->children[rows[i].started]->limits.turns, rows[i].next,
                      "row %zu: the next child", i);
        }
        help_run_finish(&r);
    }
}

/* ---- a budget above the run is used up ---- */

#define LIMIT "{\"command\":\"limit\",\"call\":\"\",\"value\":null}"

/* Makes the run a child, as its run_started would. */
static void make_child(help_run *r)
{
    r->drive.run.parent = HAFT__LIT("01m7p3bc3sk9vry82361ksnghm");
    r->drive.run.path = HAFT__LIT("c1.1");
}

TEST(a_run_whose_parent_has_no_budget_ends_after_its_turn)
{
    static const struct {
        const char *spec, *script;
    } rows[] = {
        {"agent; tools=pay!approval", REPLY(ASK("pay"))}, /* it does not wait for people */
        {"agent; tools=pick!headless", REPLY(ASK("pick"))},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_run r;
        start(&r, rows[i].spec, rows[i].script);
        make_child(&r);
        CHECK_INT(command(&r, LIMIT), HAFT_OK, "row %zu: %s", i, r.err.message);
        CHECK_INT(r.drive.run.end, HAFT__END_EXHAUSTED, "row %zu: the end", i);
        CHECK_INT(r.drive.run.turn, 1, "row %zu: no other turn", i);
        help_run_finish(&r);
    }
}

TEST(its_children_finish_first_and_no_other_starts)
{
    help_run r;
    start(&r, "agent; tools=ask!agent,also!agent; parallel=1", REPLY(ASK("ask") "," ASK("also")));
    make_child(&r);
    const haft__run *run = &r.drive.run;
    CHECK_INT(run->open_children, 1, "the second call waits");
    CHECK_INT(haft__child_find_close(run), HAFT__CHILD_CLOSE_NONE, "before the limit");
    CHECK_INT(command(&r, LIMIT), HAFT_OK, "%s", r.err.message);
    CHECK_INT(haft__child_find_close(run), HAFT__CHILD_CLOSE_FINISH, "its child is told");
    CHECK_INT(run->stage, HAFT__RUN_CALLING, "it waits for its child");
    uint64_t seq = run->seq;
    CHECK_INT(command(&r, LIMIT), HAFT_OK, "%s", r.err.message);
    CHECK_INT(run->seq, seq, "a second message has no effect");
    CHECK_INT(end_child(&r, 0, "exhausted", "", ""), HAFT_OK, "%s", r.err.message);
    CHECK_INT(run->child_count, 1, "no other child was started");
    CHECK_INT(run->end, HAFT__END_EXHAUSTED, "the end");
    CHECK_INT(command(&r, LIMIT), HAFT_BAD_STATE, "the run has ended");
    help_run_finish(&r);
}

TEST(only_a_child_has_a_parent_without_budget)
{
    help_run r;
    start(&r, "agent; tools=pick!headless", REPLY(ASK("pick")));
    CHECK_INT(command(&r, LIMIT), HAFT_BAD_STATE, "a root");
    make_child(&r);
    r.drive.run.cancel_asked = true;
    CHECK_INT(haft__child_find_close(&r.drive.run), HAFT__CHILD_CLOSE_CANCEL, "cancelled");
    uint64_t seq = r.drive.run.seq;
    r.drive.run.open_children = 1;
    CHECK_INT(command(&r, LIMIT), HAFT_OK, "%s", r.err.message);
    CHECK_INT(r.drive.run.seq, seq, "a cancelled run ends anyway");
    help_run_finish(&r);
}
