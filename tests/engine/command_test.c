/* SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "engine/command.h"
#include "engine_help.h"

#define SECRET "cluster-eu1-x7"
#define TOOLS(traits)                                                                              \
    "\"tools\":[{\"name\":\"pay\",\"description\":\"Pay somebody.\",\"args\":[\"to\"],"            \
    "\"headless\":true" traits "}]"
#define APPROVED TOOLS(",\"traits\":{\"needs_approval\":true}")
#define SCRIPT                                                                                     \
    "{\"replies\":[{\"calls\":[{\"name\":\"pay\",\"arguments\":{\"to\":\"" SECRET "\"}}]},"        \
    "{\"text\":\"good\"}]}"
#define PLAIN                                                                                      \
    "{\"replies\":[{\"calls\":[{\"name\":\"pay\",\"arguments\":{\"to\":\"ana\"}}]},{\"text\":"     \
    "\"good\"}]}"

static void set_secret(bool present)
{
    int status = present ? setenv("HAFT_TEST_TOKEN", SECRET, 1) : unsetenv("HAFT_TEST_TOKEN");
    CHECK_INT(status, 0, "the environment cannot be changed");
}

static haft_run *start(help_host *h, const char *members, const char *script)
{
    haft_run *run = help_host_start(h, members, script, "go");
    help_host_settle(h, run);
    return run;
}

static bool has_text(help_host *h, haft_run *run, const char *part)
{
    haft_str events = help_host_events(h, run);
    return events.len > 0 && memmem(events.ptr, events.len, part, strlen(part)) != NULL;
}

/* Releases the run and opens it again, now with the secret in the environment. */
static haft_run *reopen_with_secret(help_host *h, haft_run *run)
{
    char id[32];
    haft_run *again = NULL;
    (void)snprintf(id, sizeof(id), "%s", haft_run_id(run));
    haft_run_release(run);
    while (h->runtime->runs != NULL) {
        CHECK_INT(haft_runtime_step(h->runtime, 1000, &h->err), HAFT_OK, "%s", h->err.message);
    }
    set_secret(true);
    CHECK_INT(haft_run_open(h->runtime, id, &again, &h->err), HAFT_OK, "%s", h->err.message);
    return again;
}

TEST(an_approved_call_starts_where_its_secret_is_known_later)
{
    help_host h;
    set_secret(false);
    help_host_init(&h, "memory:");
    haft_run *run = reopen_with_secret(&h, start(&h, APPROVED, SCRIPT));
    CHECK_INT(haft_run_approve(run, "c1.1", NULL, &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, run);
    const haft__json *to = haft__json_get(run->state.calls[0].arguments, HAFT__LIT("to"));
    CHECK(run->state.calls[0].started && to != NULL, "the call has not started");
    CHECK_STR(to != NULL ? haft__json_text(*to) : HAFT__LIT(""), HAFT__LIT(SECRET),
              "the secret in the arguments");
    CHECK(!has_text(&h, run, SECRET), "an event contains the secret");
    haft_run_release(run);
    help_host_finish(&h);
    set_secret(false);
}

TEST(a_call_with_a_secret_does_not_run_and_the_model_gets_an_error)
{
    help_host h;
    set_secret(true);
    help_host_init(&h, "memory:");
    haft_run *run = start(&h, TOOLS(""), SCRIPT);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "end");
    CHECK(!run->state.calls[0].started, "the call has started");
    CHECK(has_text(&h, run, "\"why\":\"secret\""), "no event with the reason");
    haft_run_release(run);
    help_host_finish(&h);
    set_secret(false);
}

TEST(new_arguments_with_a_secret_are_rejected_and_the_call_stays_pending)
{
    help_host h;
    set_secret(true);
    help_host_init(&h, "memory:");
    haft_run *run = start(&h, APPROVED, PLAIN);
    uint64_t before = run->state.seq;
    CHECK_INT(haft_run_approve(run, "c1.1", "{\"to\":\"" SECRET "\"}", &h.err), HAFT_BAD_INPUT,
              "arguments with a secret");
    CHECK(strstr(h.err.message, SECRET) == NULL && h.err.hint[0] != '\0', "%s", h.err.message);
    CHECK_INT(run->state.seq, before, "an event was written");
    CHECK_INT(haft_run_state(run), HAFT_WAITING, "the run does not wait");
    CHECK_INT(haft_run_approve(run, "c1.1", "{\"to\":\"ana\"}", &h.err), HAFT_OK, "%s",
              h.err.message);
    help_host_settle(&h, run);
    CHECK(!has_text(&h, run, SECRET), "an event contains the secret");
    haft_run_release(run);
    help_host_finish(&h);
    set_secret(false);
}

/* A call that times out: its outcome is unknown. */
#define TIMES_OUT(traits)                                                                          \
    "\"tools\":[{\"name\":\"pay\",\"description\":\"Pay somebody.\",\"args\":[\"to\"],"            \
    "\"command\":[\"sleep\",\"300\"],\"traits\":{\"timeout\":\"50ms\"" traits "}}]"

TEST(a_repeated_approval_does_not_run_the_call_again)
{
    static const struct {
        const char *members;
        uint32_t attempts[3]; /* after an approval, a second one, and haft_run_again */
    } rows[] = {
        {TIMES_OUT(",\"needs_approval\":true"), {1, 1, 2}},
        {TIMES_OUT(""), {2, 2, 3}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_host h;
        help_host_init(&h, "memory:");
        haft_run *run = start(&h, rows[i].members, PLAIN);
        for (size_t k = 0; k < COUNT(rows[i].attempts); k++) {
            haft_status status = k < 2 ? haft_run_approve(run, k == 0 ? "c1.1" : NULL, NULL, &h.err)
                                       : haft_run_again(run, "c1.1", &h.err);
            CHECK_INT(status, HAFT_OK, "row %zu, command %zu: %s", i, k, h.err.message);
            help_host_settle(&h, run);
            CHECK_INT(run->state.calls[0].attempt, rows[i].attempts[k], "row %zu, command %zu", i,
                      k);
            CHECK_INT(run->state.calls[0].pause, HAFT__PAUSE_UNKNOWN_OUTCOME,
                      "row %zu, command %zu", i, k);
        }
        haft_run_release(run);
        help_host_finish(&h);
    }
}

TEST(an_answer_with_a_secret_can_be_repeated)
{
    help_host h;
    set_secret(true);
    help_host_init(&h, "memory:");
    haft_run *run = start(&h, TOOLS(""), PLAIN);
    for (int i = 0; i < 2; i++) {
        CHECK_INT(haft_run_answer(run, "c1.1", "{\"k\":\"" SECRET "\"}", &h.err), HAFT_OK, "%d: %s",
                  i, h.err.message);
    }
    CHECK_INT(haft_run_answer(run, "c1.1", "{\"k\":\"other\"}", &h.err), HAFT_BAD_STATE,
              "a different answer");
    help_host_settle(&h, run);
    CHECK(!has_text(&h, run, SECRET), "an event contains the secret");
    haft_run_release(run);
    help_host_finish(&h);
    set_secret(false);
}

/* A handle that only reads a run present the secrets of its environment, too. */
TEST(a_reader_recognizes_a_recorded_answer_with_a_secret)
{
    help_host h;
    bool taken = false;
    set_secret(true);
    help_host_init(&h, "memory:");
    haft_run *run = start(&h, TOOLS(""), PLAIN), *seen = NULL;
    CHECK_INT(haft_run_answer(run, "c1.1", "\"" SECRET "\"", &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, run);
    CHECK_INT(haft__run_open_by_name(h.runtime, haft__str(haft_run_id(run)), true, &seen, &h.err),
              HAFT_OK, "%s", h.err.message);
    while (seen->stage == HAFT__HANDLE_OPENING) {
        CHECK_INT(haft_runtime_step(h.runtime, 1000, &h.err), HAFT_OK, "%s", h.err.message);
    }
    const struct {
        const char *value;
        bool taken;
    } rows[] = {{SECRET, true}, {"other", false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__run_command command = {.kind = HAFT__RUN_COMMAND_ANSWER,
                                     .call = HAFT__LIT("c1.1"),
                                     .value = haft__json_string(haft__str(rows[i].value))};
        CHECK_INT(haft__run_redact_and_compare_command(seen, &command, &taken, &h.err), HAFT_OK,
                  "%s", h.err.message);
        CHECK_INT(taken, rows[i].taken, "%s", rows[i].value);
    }
    haft_run_release(seen);
    haft_run_release(run);
    help_host_finish(&h);
    set_secret(false);
}
