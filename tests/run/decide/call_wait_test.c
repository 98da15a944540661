/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls wait for which, in logs of runs that are cut at some event. */
#include "run/decide/call_wait.h"

#include "run/run_help.h"

#define CALL(name) "{\"name\":\"" name "\",\"arguments\":{}}"

/* The first events of a run: run_started, turn_started, model_replied, and more. */
static void begin(help_run *r, const char *spec, const char *calls, int events)
{
    static char script[512];
    help_run whole;
    (void)snprintf(script, sizeof(script), "{\"replies\":[{\"calls\":[%s]},{\"text\":\"good\"}]}",
                   calls);
    help_run_init(&whole, spec, script);
    CHECK_INT(help_run_go(&whole), HAFT_OK, "%s", whole.err.message);
    haft_str log = haft__buf_str(&whole.log), rest = log;
    for (int i = 0; i < events; i++) {
        (void)haft__str_split(&rest, '\n');
    }
    help_run_init(r, spec, script);
    CHECK_INT(help_run_restore(r, help_keep((haft_str){log.ptr, log.len - rest.len})), HAFT_OK,
              "%s", r->err.message);
    help_run_finish(&whole);
}

/* "c1.2 lane lane1 c1.1;" for each waiting call. */
static void describe(haft__buf *out, const haft__run *run)
{
    for (size_t i = run->batch; i < run->call_count; i++) {
        haft__call_wait wait = haft__call_wait_find(run, &run->calls[i]);
        if (wait.by != HAFT__CALL_WAIT_NONE) {
            haft__buf_addf(out, "%.*s %s %.*s %.*s;", HAFT__ARG(run->calls[i].id),
                           haft__call_wait_reason_name(wait.by), HAFT__ARG(wait.lane),
                           HAFT__ARG(wait.holder != NULL ? wait.holder->id : HAFT__LIT("-")));
        }
    }
}

TEST(a_waiting_call_names_the_call_it_waits_for)
{
    static const struct {
        const char *spec, *calls;
        int events;
        const char *wanted;
    } rows[] = {
        {"agent; tools=a!lane1,b!lane1,c", CALL("a") "," CALL("b") "," CALL("c"), 5,
         "c1.2 lane lane1 c1.1;"},
        {"agent; tools=a!lane1,b!lane1,c", CALL("a") "," CALL("b") "," CALL("c"), 6, ""},
        {"agent; tools=a!lane1,b!lane2", CALL("a") "," CALL("b"), 4, ""},
        {"agent; tools=a!lane1,b!lane1", CALL("a") "," CALL("b"), 3, ""},
        {"agent; tools=a!destructive,b!destructive,c!destructive!lane1",
         CALL("a") "," CALL("b") "," CALL("c"), 5, "c1.2 lane  c1.1;"},
        {"agent; tools=pick!headless!lane1,b!lane1,c!lane1",
         CALL("pick") "," CALL("b") "," CALL("c"), 5, "c1.2 lane lane1 c1.1;c1.3 lane lane1 c1.1;"},
        {"agent; tools=a!polls!delay,b", CALL("a") "," CALL("a") "," CALL("b"), 5,
         "c1.2 delay  -;"},
        {"agent; tools=a!polls!delay", CALL("a") "," CALL("a"), 5, "c1.2 delay  -;"},
        {"agent; tools=a!polls", CALL("a") "," CALL("a"), 4, ""},
        {"agent; tools=a,b; parallel=1", CALL("a") "," CALL("b"), 4, "c1.2 room  -;"},
        {"agent; tools=a,b,glob; parallel=2", CALL("a") "," CALL("b"), 4, ""},
        {"workflow; tools=a,complete_workflow",
         CALL("a") ",{\"name\":\"complete_workflow\",\"arguments\":{\"summary\":\"all of it\"}}", 4,
         "c1.2 others  -;"},
        {"agent; tools=a!lane1", CALL("a") "," CALL("nothing") ",{\"name\":\"a\",\"arguments\":1}",
         4, "c1.3 lane lane1 c1.1;"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_run r;
        haft__buf found;
        haft__buf_init(&found, 4096);
        begin(&r, rows[i].spec, rows[i].calls, rows[i].events);
        describe(&found, &r.drive.run);
        CHECK_STR(haft__buf_str(&found), haft__str(rows[i].wanted), "row %zu", i);
        haft__buf_finish(&found);
        help_run_finish(&r);
    }
}

TEST(an_approved_call_waits_for_its_lane)
{
    help_run r;
    haft__buf found;
    haft__buf_init(&found, 4096);
    help_run_init(
        &r, "agent; tools=send!approval!lane1,pick!headless!lane1",
        "{\"replies\":[{\"calls\":[" CALL("send") "," CALL("pick") "]},{\"text\":\"good\"}]}");
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    describe(&found, &r.drive.run);
    CHECK_STR(haft__buf_str(&found), HAFT__LIT(""), "before the approval");
    CHECK_INT(help_run_answer(&r, "c1.1", "approve", "null"), HAFT_OK, "%s", r.err.message);
    describe(&found, &r.drive.run);
    CHECK_STR(haft__buf_str(&found), HAFT__LIT("c1.1 lane lane1 c1.2;"), "after the approval");
    haft__buf_clear(&found);
    CHECK_INT(help_run_answer(&r, "c1.2", "answer", "1"), HAFT_OK, "%s", r.err.message);
    describe(&found, &r.drive.run);
    CHECK_STR(haft__buf_str(&found), HAFT__LIT(""), "after the end of the run");
    haft__buf_finish(&found);
    help_run_finish(&r);
}
