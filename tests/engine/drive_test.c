/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/drive.c: what the host does besides deciding. */
#include "engine/drive.h"

#include "run/run_help.h"

static const char spec[] = "agent; tools=look,other";
static const char script[] =
    "{\"replies\":[{\"calls\":[{\"name\":\"look\"},{\"name\":\"other\"}]},{\"text\":\"done\"}],"
    "\"results\":{\"look\":\"seen\"}}";

TEST(a_tool_without_results_is_an_error_the_model_reads)
{
    help_run r;
    help_run_init(&r, spec, script);
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    const haft__run *run = &r.drive.run;
    CHECK_INT(run->call_count, 2, "two calls");
    CHECK(run->calls[0].ok && !run->calls[1].ok, "one of them has results");
    CHECK_STR(run->calls[1].shown,
              HAFT__LIT("Error: this tool has no implementation here\nHint: give it results in the "
                        "script"),
              "what the model reads");
    CHECK_INT(run->end, HAFT__END_DONE, "the run goes on");
    help_run_finish(&r);
}

static bool refuse_third(void *context, haft_str line)
{
    unsigned *count = context;
    (void)line;
    return ++*count < 3;
}

TEST(a_sink_that_fails_stops_the_drive)
{
    help_run r;
    unsigned count = 0;
    help_run_init(&r, spec, script);
    r.drive.options.sink = refuse_third;
    r.drive.options.sink_context = &count;
    CHECK_INT(help_run_go(&r), HAFT_IO, "it stops");
    CHECK_STR(haft__str(r.err.message), HAFT__LIT("the event could not be passed on"), "why");
    CHECK_INT(count, 3, "at once");
    help_run_finish(&r);
}

TEST(events_are_bounded)
{
    help_run r;
    help_run_init(&r, spec, script);
    r.drive.run.seq = HAFT__LIMIT_RUN_EVENTS;
    CHECK_INT(help_run_go(&r), HAFT_TOO_BIG, "one event too many");
    help_run_finish(&r);
}

TEST(a_request_the_script_does_not_expect_fails_the_run_and_shows_both)
{
    help_run r;
    help_run_init(&r, spec, "{\"replies\":[{\"expect\":{\"mode\":\"any\"},\"text\":\"x\"}]}");
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    CHECK_INT(r.drive.run.end, HAFT__END_FAILED, "the end");
    const haft__json *message = haft__json_get(r.drive.run.end_error, HAFT__LIT("message"));
    haft_str told = message != NULL ? haft__json_text(*message) : HAFT__LIT("");
    CHECK_STR(
        told,
        HAFT__LIT("the model gave no reply: script /replies/0/expect/mode: the script expects "
                  "mode any, found auto"),
        "what is said");
    help_run_finish(&r);
}

/* The clock goes on by 10 with each look, of which a reply takes one. */
static const struct {
    const char *reply, *wanted;
    bool waits;
} delays[] = {
    {"{\"text\":\"x\"}", "\"ms\":10}", true},
    {"{\"text\":\"x\",\"delay\":1.5}", "\"ms\":1510}", true},
    {"{\"text\":\"x\",\"delay\":1.5}", "\"ms\":10}", false},
    {"{\"error\":{\"status\":500},\"delay\":2}", "\"ms\":2010}", true},
};

TEST(a_reply_takes_as_long_as_its_delay)
{
    for (size_t i = 0; i < COUNT(delays); i++) {
        char text[128];
        (void)snprintf(text, sizeof(text), "{\"replies\":[%s]}", delays[i].reply);
        help_run r;
        help_run_init(&r, spec, text);
        if (!delays[i].waits) {
            r.drive.options.wait = NULL;
        }
        CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
        haft__buf_add_char(&r.log, '\0');
        CHECK(strstr(r.log.ptr, delays[i].wanted) != NULL, "%s: %s", delays[i].reply, r.log.ptr);
        help_run_finish(&r);
    }
}

TEST(every_failed_allocation_of_a_drive_is_reported)
{
    for (unsigned n = 0;; n++) {
        help_run r;
        help_run_init(&r, spec, script);
        r.drive.options.sink = NULL;
        test_fail_allocation(n);
        haft_status status = help_run_go(&r);
        bool failed = test_allow_allocations();
        /* A text that turns out not to be needed may fail without harm. */
        bool harmless = status == HAFT_OK && r.drive.run.end == HAFT__END_DONE;
        CHECK(harmless || (failed && status == HAFT_NO_MEMORY), "allocation %u: %s", n,
              r.err.message);
        help_run_finish(&r);
        if (!failed) {
            CHECK(n > 10, "only %u allocations", n);
            break;
        }
    }
}
