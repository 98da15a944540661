/* SPDX-License-Identifier: Apache-2.0 */
/* The store deletes a message after it has found it: src/engine/runtime.c. */
#include "base/str.h"
#include "engine/run.h"
#include "faulty_help.h"

#define PICK                                                                                       \
    "\"tools\":[{\"name\":\"pick\",\"description\":\"Pick one.\",\"args\":[],"                     \
    "\"headless\":true}]"
#define SCRIPT                                                                                     \
    "{\"replies\":[{\"calls\":[{\"name\":\"pick\"}]},{\"text\":\"good\",\"delay\":0.05}]}"

/* A run that waits, and a message for it that was found and is not reported yet. */
static haft_run *wait_with_message(help_host *h, const char *message)
{
    help_faulty_init(h, 30000);
    haft_run *run = help_host_start(h, PICK, SCRIPT, "go");
    help_host_settle(h, run);
    haft__store_request request = {
        .verb = HAFT__STORE_SEND, .run.id = haft__str(run->id), .text = haft__str(message)};
    CHECK_INT(haft__store_submit_and_wait(h->runtime->store, &request, &h->err), HAFT_OK, "%s",
              h->err.message);
    help_faulty_set(HELP_BUFFERED);
    while (help_faulty_buffered() == NULL) {
        CHECK_INT(haft_runtime_step(h->runtime, 1000, &h->err), HAFT_OK, "%s", h->err.message);
    }
    CHECK_INT(help_faulty_buffered()->message_count, 1, "messages that the store found");
    return run;
}

static void answer_and_end(help_host *h, haft_run *run)
{
    CHECK_INT(haft_run_answer(run, "c1.1", "\"it\"", &h->err), HAFT_OK, "%s", h->err.message);
    help_host_settle(h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "end");
}

static void report_to_ended_run(help_host *h, haft_run *run)
{
    unsigned writes = help_faulty_count(HAFT__STORE_APPEND);
    help_faulty_report();
    help_faulty_step(h, run, 50);
    CHECK_INT(help_faulty_count(HAFT__STORE_APPEND), writes, "the message was written to the log");
    CHECK_INT(haft_run_state(run), HAFT_ENDED, "%s", haft_run_error(run)->message);
    haft_run_release(run);
    help_faulty_finish(h);
}

TEST(a_message_to_a_run_that_has_ended_is_dropped)
{
    help_host h;
    haft_run *run = wait_with_message(
        &h,
        "{\"command\":\"answer\",\"call\":\"c1.1\",\"value\":\"it\",\"by\":\"b\",\"why\":\"\"}");
    answer_and_end(&h, run);
    report_to_ended_run(&h, run);
}

TEST(a_message_that_was_found_before_its_deletion_is_delivered_once)
{
    help_host h;
    haft_run *run = wait_with_message(&h, "no command");
    CHECK_INT(haft__log_ack_message(&run->log, help_faulty_buffered()->messages[0].id, &h.err),
              HAFT_OK, "%s", h.err.message);
    haft__log_flush(run);
    while (haft__log_is_busy(&run->log)) {
        CHECK_INT(haft_runtime_step(h.runtime, 1000, &h.err), HAFT_OK, "%s", h.err.message);
    }
    CHECK_INT(haft_run_answer(run, "c1.1", "\"it\"", &h.err), HAFT_OK, "%s", h.err.message);
    while (run->model_call == NULL) { /* writing the answer deletes the message */
        CHECK_INT(haft_runtime_step(h.runtime, 1000, &h.err), HAFT_OK, "%s", h.err.message);
    }
    help_faulty_report();
    help_host_settle(&h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "%s", haft_run_error(run)->message);
    haft_run_release(run);
    help_faulty_finish(&h);
}
