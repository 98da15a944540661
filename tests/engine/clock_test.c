/* SPDX-License-Identifier: Apache-2.0 */
/* The wall clock is set while something is pending: src/engine/run.c, lease.c. */
#include "base/limits.h"
#include "base/str.h"
#include "engine/run.h"
#include "faulty_help.h"

#define HOUR  ((int64_t)3600000)
#define LEASE 30000

#define TOOL(words, more)                                                                          \
    "\"limits\":{\"wall\":\"10m\"},\"tools\":[{\"name\":\"look\",\"description\":\"Look.\","       \
    "\"args\":[]," words "}]" more
#define CALL "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},{\"text\":\"good\",\"delay\":0.3}]}"

static const int64_t jumps[] = {HOUR, -HOUR, 24 * HOUR, -24 * HOUR};

/* The number of events that contain the text. */
static size_t count(haft_str events, const char *text)
{
    size_t found = 0;
    for (haft_str rest = events; rest.len > 0;) {
        haft_str line = haft__str_split(&rest, '\n');
        found += memmem(line.ptr, line.len, text, strlen(text)) != NULL;
    }
    return found;
}

/* A call, its timeout, a reply of the model and the limit on the whole run are measured by the
 * monotonic clock, not by the wall clock. */
TEST(running_operations_do_not_depend_on_the_wall_clock)
{
    for (size_t i = 0; i < COUNT(jumps); i++) {
        help_host h;
        help_faulty_init(&h, LEASE);
        haft_run *run = help_host_start(&h,
                                        TOOL("\"command\":[\"sh\",\"-c\",\"sleep 0.3; echo ok\"],"
                                             "\"traits\":{\"timeout\":\"20s\"}",
                                             ""),
                                        CALL, "go");
        while (haft_run_state(run) == HAFT_RUNNING && run->slots == NULL) {
            CHECK_INT(haft_runtime_step(h.runtime, 1000, &h.err), HAFT_OK, "%s", h.err.message);
        }
        help_faulty_jump(jumps[i]);
        while (haft_run_state(run) == HAFT_RUNNING && run->slots != NULL) {
            CHECK_INT(haft_runtime_step(h.runtime, 1000, &h.err), HAFT_OK, "%s", h.err.message);
        }
        help_faulty_jump(jumps[COUNT(jumps) - 1 - i]); /* now a model request is open */
        help_host_settle(&h, run);
        CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "%zu: %s", i,
                  haft_run_error(run)->message);
        CHECK_STR(run->state.calls[0].result, HAFT__LIT("ok"), "jump %zu: the result", i);
        CHECK_INT(count(help_host_events(&h, run), "\"call_finished\""), 1,
                  "jump %zu: results in the log", i);
        haft_run_release(run);
        help_faulty_finish(&h);
    }
}

/* A deadline is a wall-clock time: it expires when the wall clock reaches it, once. */
TEST(a_deadline_expires_exactly_once)
{
    for (size_t i = 0; i < COUNT(jumps); i++) {
        help_host h;
        help_faulty_init(&h, LEASE);
        haft_run *run = help_host_start(
            &h,
            TOOL("\"headless\":true",
                 ",\"pauses\":{\"headless\":{\"deadline\":\"1h\",\"on_expire\":\"reject\"}}"),
            CALL, "go");
        help_host_settle(&h, run);
        CHECK_INT(haft_run_state(run), HAFT_WAITING, "jump %zu: the run does not wait", i);
        help_faulty_jump(jumps[i]);
        uint64_t start = haft__loop_now(h.runtime->loop);
        while (haft_run_state(run) != HAFT_ENDED
               && haft__loop_now(h.runtime->loop) - start < (jumps[i] > 0 ? 10000U : 600U)) {
            CHECK_INT(haft_runtime_step(h.runtime, 100, &h.err), HAFT_OK, "%s", h.err.message);
        }
        if (jumps[i] < 0) { /* the deadline is later now, but still expires */
            CHECK_INT(haft_run_state(run), HAFT_WAITING, "jump %zu: the deadline expired too early",
                      i);
            help_faulty_jump(-jumps[i] + HOUR);
            start = haft__loop_now(h.runtime->loop);
            while (haft_run_state(run) != HAFT_ENDED
                   && haft__loop_now(h.runtime->loop) - start < 10000U) {
                CHECK_INT(haft_runtime_step(h.runtime, 100, &h.err), HAFT_OK, "%s", h.err.message);
            }
        }
        CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "%zu: %s", i,
                  haft_run_error(run)->message);
        haft_str events = help_host_events(&h, run);
        CHECK_INT(count(events, "\"by\":\"deadline\""), 1, "jump %zu: answers by the deadline", i);
        CHECK_INT(count(events, "\"call_refused\""), 1, "jump %zu: refused calls", i);
        CHECK_INT(count(events, "Nobody answered by the deadline"), 1,
                  "jump %zu: messages to the model", i);
        haft_run_release(run);
        help_faulty_finish(&h);
    }
}

/* A clock that is behind when a person answers does not restore the deadline. */
TEST(an_answer_is_accepted_once_whatever_the_clock_shows)
{
    for (size_t i = 0; i < COUNT(jumps); i++) {
        help_host h;
        help_faulty_init(&h, LEASE);
        haft_run *run = help_host_start(
            &h,
            TOOL("\"headless\":true",
                 ",\"pauses\":{\"headless\":{\"deadline\":\"2d\",\"on_expire\":\"reject\"}}"),
            CALL, "go");
        help_host_settle(&h, run);
        help_faulty_jump(jumps[i]);
        CHECK_INT(haft_run_answer(run, "c1.1", "\"it\"", &h.err), HAFT_OK, "%s", h.err.message);
        help_faulty_jump(72 * HOUR);
        help_host_settle(&h, run);
        CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "%zu: %s", i,
                  haft_run_error(run)->message);
        haft_str events = help_host_events(&h, run);
        CHECK_INT(count(events, "\"answered\""), 1, "jump %zu: answers in the log", i);
        CHECK_INT(count(events, "\"by\":\"deadline\""), 0, "jump %zu: expired deadlines", i);
        haft_run_release(run);
        help_faulty_finish(&h);
    }
}
