/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/mcp/connection.c, event.c, http_transport.c and exchange.c: deadlines and
 * restarts. No test waits: timers are inspected and fired by hand. HAFT__LIMIT_MCP_RESUMES is
 * tested at its value in tests/mcp/web_test.py. */
#include "exec/mcp/mcp_int.h"

#include "base/limits.h"
#include "exec/mcp_help.h"

#define SERVER(way) "{'servers':{'a':{'command':['python3','@','" way "']}}}"

/* A connection to the only server, with a request for its tools. */
static haft__mcp_connection *begin(help_mcp *m, const char *servers,
                                   haft__catalogue **ret_catalogue)
{
    haft_error err = {0};
    help_mcp_begin(m);
    help_mcp_servers(m, servers);
    CHECK_INT(
        haft__exec_catalogue(m->exec.exec, &m->exec.spec, help_mcp_note, m, ret_catalogue, &err),
        HAFT_OK, "%s", err.message);
    return m->exec.exec->connection_pool->connections;
}

/* Checks that a timer was set to `ms`, at some time between `before` and now. */
static void check_due(const help_mcp *m, const haft__timer *timer, uint64_t before, uint64_t ms,
                      const char *what)
{
    uint64_t now = haft__loop_now(m->exec.loop);
    CHECK(timer->slot != 0 && timer->due_ms >= before + ms && timer->due_ms <= now + ms,
          "%s: %lld ms", what, (long long)timer->due_ms - (long long)now);
}

static void fire(help_mcp *m, haft__timer *timer)
{
    haft__timer_stop(m->exec.loop, timer);
    timer->fire(timer->context);
}

static void step_until(help_mcp *m, const bool *flag)
{
    uint64_t begun = haft__loop_now(m->exec.loop);
    while (!*flag && haft__loop_now(m->exec.loop) - begun < HELP_PATIENCE_MS) {
        help_step(&m->exec, 1000);
    }
    CHECK(*flag, "the flag was not set in time");
}

TEST(a_server_that_hangs_is_disabled_after_a_few_attempts)
{
    help_mcp m;
    haft__catalogue *catalogue = NULL;
    haft__mcp_connection *connection = begin(&m, SERVER("hang_start"), &catalogue);
    uint64_t begun = haft__loop_now(m.exec.loop) - 1000;
    CHECK(connection->deadline.due_ms - connection->probe.due_ms
              == HAFT__LIMIT_MCP_READY_MS - HAFT__LIMIT_MCP_PROBE_MS,
          "the time between probe and deadline");
    check_due(&m, &connection->deadline, begun, HAFT__LIMIT_MCP_READY_MS, "deadline");
    check_due(&m, &catalogue->timer, begun, HAFT__LIMIT_MCP_READY_MS, "catalogue");
    fire(&m, &connection->probe); /* `initialize` is tried; it gets no response either */
    CHECK_INT(connection->state, HAFT__MCP_CONNECTION_OPENING, "state");
    for (uint64_t i = 0; i < HAFT__LIMIT_MCP_RESTARTS; i++) {
        uint64_t before = haft__loop_now(m.exec.loop);
        fire(&m, &connection->deadline);
        CHECK_INT(connection->state, HAFT__MCP_CONNECTION_BACKOFF, "state after %d breaks",
                  (int)i + 1);
        help_step(&m.exec, 0);
        CHECK_INT(m.times, 1, "reports of the catalogue");
        check_due(&m, &connection->wake, before, (uint64_t)HAFT__LIMIT_MCP_BACKOFF_MS << i, "wake");
        connection->not_before = 0;
        fire(&m, &connection->wake);
        CHECK_INT(connection->state, HAFT__MCP_CONNECTION_OPENING, "the state after the backoff");
    }
    uint64_t before = haft__loop_now(m.exec.loop);
    fire(&m, &connection->deadline);
    CHECK_INT(connection->state, HAFT__MCP_CONNECTION_DISABLED, "the state after the last attempt");
    uint64_t now = haft__loop_now(m.exec.loop);
    CHECK(connection->not_before >= before + HAFT__LIMIT_MCP_COOLDOWN_MS
              && connection->not_before <= now + HAFT__LIMIT_MCP_COOLDOWN_MS,
          "the end of the cooldown");
    help_step(&m.exec, 0);
    CHECK_STR(m.errors,
              HAFT__LIT("the MCP server 'a' was not ready within 20000 ms (check whether it runs "
                        "on its own, and what it is waiting for) "),
              "error");
    haft__mcp_connection_connect(connection);
    CHECK_INT(connection->state, HAFT__MCP_CONNECTION_DISABLED, "the state during the cooldown");
    connection->not_before = 0;
    haft__mcp_connection_connect(connection);
    CHECK_INT(connection->state, HAFT__MCP_CONNECTION_OPENING, "the state after the cooldown");
    fire(&m, &connection->deadline);
    CHECK_INT(connection->state, HAFT__MCP_CONNECTION_DISABLED, "the state after one more failure");
    help_mcp_end(&m);
}

TEST(a_run_does_not_wait_forever)
{
    help_mcp m;
    haft__catalogue *catalogue = NULL;
    (void)begin(&m, SERVER("hang_start"), &catalogue);
    fire(&m, &catalogue->timer);
    help_step(&m.exec, 0);
    CHECK_INT(m.times, 1, "reports of the catalogue");
    CHECK_STR(m.errors, HAFT__LIT("the server did not list its tools in time "), "error");
    help_mcp_end(&m);
}

TEST(start_and_list_share_one_deadline)
{
    help_mcp m;
    haft__catalogue *catalogue = NULL;
    haft__mcp_connection *connection = begin(&m, SERVER("hang_list"), &catalogue);
    uint64_t due = connection->deadline.due_ms;
    step_until(&m, &connection->listing);
    CHECK_INT(connection->deadline.due_ms, due, "start and list have different deadlines");
    fire(&m, &connection->deadline);
    CHECK_INT(connection->state, HAFT__MCP_CONNECTION_BACKOFF, "state");
    CHECK_STR(haft__str(connection->error.message),
              HAFT__LIT("the MCP server 'a' did not list its tools within 20000 ms"), "error");
    haft__catalogue_cancel(catalogue);
    help_mcp_end(&m);
}

/* A second list has as much time as the start; a finished one has no deadline. */
TEST(a_second_list_has_its_own_deadline)
{
    help_mcp m;
    haft__catalogue *catalogue = NULL;
    haft__mcp_connection *connection = begin(&m, SERVER("good"), &catalogue);
    step_until(&m, &connection->fresh);
    CHECK(connection->deadline.slot == 0, "a finished list has a deadline");
    help_step(&m.exec, 0);
    uint64_t before = haft__loop_now(m.exec.loop);
    haft__mcp_connection_list_tools(connection);
    check_due(&m, &connection->deadline, before, HAFT__LIMIT_MCP_READY_MS, "list");
    help_mcp_end(&m);
}

TEST(a_storm_of_changes_leads_to_one_list)
{
    help_mcp m;
    help_call c;
    haft__catalogue *catalogue = NULL;
    haft__mcp_connection *connection = begin(&m, SERVER("storm"), &catalogue);
    uint64_t before = haft__loop_now(m.exec.loop);
    step_until(&m, &connection->fresh);
    help_init_call(&m.exec, &c, HAFT__TOOL_MCP, "{\"server\":\"a\",\"tool\":\"say\"}", "{}");
    help_start(&m.exec, &c);
    help_wait(&m.exec, &c);
    CHECK(c.result.ok, "%.*s", HAFT__ARG(c.result.text));
    check_due(&m, &connection->refresh, before, HAFT__LIMIT_MCP_REFRESH_MS, "refresh");
    fire(&m, &connection->refresh);
    CHECK(connection->listing, "the tools are not listed again");
    help_mcp_end(&m);
}

/* A call after `list_changed` waits for the list until its deadline; without the list nothing is
 * sent. */
TEST(no_call_is_sent_with_an_outdated_list)
{
    help_mcp m;
    help_call first, c;
    haft__catalogue *catalogue = NULL;
    haft__mcp_connection *connection = begin(&m, SERVER("change_hang"), &catalogue);
    step_until(&m, &connection->fresh);
    help_init_call(&m.exec, &first, HAFT__TOOL_MCP, "{\"server\":\"a\",\"tool\":\"say\"}", "{}");
    help_start(&m.exec, &first);
    help_wait(&m.exec, &first);
    CHECK(first.result.ok && !connection->fresh && !connection->listing,
          "the state after `list_changed`");
    help_init_call(&m.exec, &c, HAFT__TOOL_MCP, "{\"server\":\"a\",\"tool\":\"say\"}", "{}");
    help_start(&m.exec, &c);
    CHECK(connection->listing && connection->refresh.slot == 0, "the tools are not listed at once");
    CHECK(connection->tool_calls != NULL && connection->tool_calls->number == 0,
          "the call does not wait for the list");
    fire(&m, &connection->deadline);
    help_wait(&m.exec, &c);
    CHECK(!c.result.ok && !c.result.started, "the call was sent");
    CHECK_STR(c.result.text,
              HAFT__LIT("the MCP server 'a' did not list its tools within 20000 ms, so their "
                        "current definitions are unknown, and nothing was called"),
              "error");
    help_mcp_end(&m);
}

/* A list that is outdated on arrival is requested again, HAFT__LIMIT_MCP_RELISTS times. */
TEST(a_list_that_keeps_changing_fails)
{
    help_mcp m;
    help_call c;
    haft__catalogue *catalogue = NULL;
    haft__mcp_connection *connection = begin(&m, SERVER("good"), &catalogue);
    haft__mcp_tools none = {.count = 0};
    step_until(&m, &connection->fresh);
    connection->fresh = false;
    help_init_call(&m.exec, &c, HAFT__TOOL_MCP, "{\"server\":\"a\",\"tool\":\"say\"}", "{}");
    help_start(&m.exec, &c);
    for (uint32_t i = 0; i <= HAFT__LIMIT_MCP_RELISTS; i++) {
        CHECK(connection->listing && connection->relist_attempts == i
                  && connection->tool_calls != NULL,
              "list %u", i);
        haft__mcp_connection_tools_changed(connection);
        haft__mcp_connection_tools_listed(connection, &none);
    }
    CHECK(!connection->listing && connection->tool_calls == NULL
              && connection->relist_attempts == 0,
          "the list was requested once more");
    CHECK(connection->refresh.slot != 0, "the refresh is not scheduled");
    help_wait(&m.exec, &c);
    CHECK_STR(c.result.text,
              HAFT__LIT("the MCP server 'a' reports again and again that its tools have changed, "
                        "so their current definitions are unknown, and nothing was called"),
              "error");
    help_mcp_end(&m);
}

TEST(a_server_has_time_to_exit)
{
    help_mcp m;
    haft__catalogue *catalogue = NULL;
    haft__mcp_connection *connection = begin(&m, SERVER("good"), &catalogue);
    step_until(&m, &connection->fresh);
    help_step(&m.exec, 0);
    haft__mcp_connection_disconnect(connection);
    int timeout = haft__loop_timeout(m.exec.loop);
    CHECK(timeout >= 0 && timeout <= HAFT__LIMIT_MCP_EXIT_MS, "%d ms", timeout);
    help_settle(&m.exec);
    help_mcp_end(&m);
}

/* guard_test.c tests the effect. */
TEST(guard_gets_the_grace_period_of_a_server)
{
    help_mcp m;
    haft__catalogue *catalogue = NULL;
    haft__mcp_connection *connection = begin(&m, SERVER("good"), &catalogue);
    const char **argv = NULL;
    char wanted[32];
    size_t i = 0;
    CHECK_INT(haft__mcp_setup_argv(connection, &argv, NULL), HAFT_OK, "the command line");
    (void)snprintf(wanted, sizeof(wanted), "%d", HAFT__LIMIT_MCP_TERM_MS);
    while (argv[i] != NULL && strcmp(argv[i], "--term") != 0) {
        i++;
    }
    CHECK(argv[i] != NULL && strcmp(argv[i + 1], wanted) == 0, "no --term %s", wanted);
    haft__catalogue_cancel(catalogue);
    help_mcp_end(&m);
}

TEST(a_broken_stream_is_resumed_after_the_retry_time_of_the_server)
{
    static const struct {
        bool has;
        uint64_t retry, wait;
    } cases[] = {
        {false, 7, HAFT__LIMIT_MCP_RETRY_MS},
        {true, 0, 0},
        {true, 7, 7},
        {true, HAFT__LIMIT_MCP_RETRY_MAX_MS, HAFT__LIMIT_MCP_RETRY_MAX_MS},
        {true, (uint64_t)HAFT__LIMIT_MCP_RETRY_MAX_MS + 1, HAFT__LIMIT_MCP_RETRY_MAX_MS},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__sse sse = {.has_retry = cases[i].has, .retry_ms = cases[i].retry};
        CHECK_INT(haft__mcp_exchange_wait(&sse), cases[i].wait, "case %zu", i);
    }
}

TEST(a_server_that_hangs_is_reported_with_its_output)
{
    help_mcp m;
    haft__catalogue *catalogue = NULL;
    haft__mcp_connection *connection = begin(&m, SERVER("hang_start"), &catalogue);
    uint64_t begun = haft__loop_now(m.exec.loop);
    while (haft__child_stderr(connection->child).len == 0
           && haft__loop_now(m.exec.loop) - begun < HELP_PATIENCE_MS) {
        help_step(&m.exec, 100);
    }
    fire(&m, &connection->deadline);
    CHECK(strstr(connection->error.message,
                 "was not ready within 20000 ms: waiting for \\u001b[31ma licence")
              != NULL,
          "%s", connection->error.message);
    haft__catalogue_cancel(catalogue);
    help_mcp_end(&m);
}

/* Adds lines of `size` bytes with their line ends, and checks how many bytes are kept. */
static void check_kept(size_t count, size_t size, size_t wanted)
{
    haft__mcp_connection connection = {0};
    haft__buf text;
    haft__buf_init(&connection.stderr_lines, 1 << 20);
    haft__buf_init(&text, 1 << 20);
    for (size_t i = 0; i < count * size; i++) {
        haft__buf_add_char(&text, (i + 1) % size == 0 ? '\n' : 'x');
    }
    haft__mcp_stdio_transport_keep_stderr(&connection, haft__buf_str(&text));
    CHECK_INT(connection.stderr_lines.len, wanted, "%zu lines of %zu bytes", count, size);
    haft__buf_finish(&text);
    haft__buf_finish(&connection.stderr_lines);
}

TEST(the_kept_lines_of_stderr_are_bounded)
{
    enum { LINES = HAFT__LIMIT_MCP_STDERR_LINES, BYTES = HAFT__LIMIT_MCP_STDERR_BYTES };
    check_kept(LINES, 10, 10 * LINES - 1);
    check_kept(LINES + 1, 10, 10 * LINES - 1);
    check_kept(1, BYTES + 1, BYTES);
    check_kept(1, BYTES + 2, BYTES);
    check_kept(2, BYTES / 2, BYTES - 1);
    check_kept(2, BYTES / 2 + 1, BYTES / 2);
}

TEST(a_server_that_does_not_read_its_input_is_killed)
{
    static char much[HAFT__LIMIT_MCP_UNREAD_BYTES];
    help_mcp m;
    haft__catalogue *catalogue = NULL;
    haft__mcp_connection *connection = begin(&m, SERVER("hang_start"), &catalogue);
    memset(much, 'x', sizeof(much));
    haft__mcp_stdio_transport_send(connection, (haft_str){much, sizeof(much) - 4096});
    CHECK_INT(connection->state, HAFT__MCP_CONNECTION_OPENING, "the state below the limit");
    haft__mcp_stdio_transport_send(connection, (haft_str){much, 4096});
    CHECK_INT(connection->state, HAFT__MCP_CONNECTION_BACKOFF, "the state past the limit");
    CHECK(strstr(connection->error.message, "does not read its input") != NULL, "%s",
          connection->error.message);
    haft__catalogue_cancel(catalogue);
    help_mcp_end(&m);
}

/* ---- without memory ---- */

/* One call from start to end with the n-th allocation failing: it ends exactly once, and nothing
 * leaks. */
static bool survive(unsigned n)
{
    help_mcp m;
    help_call c = {.result_count = 0};
    haft_error err = {0};
    help_mcp_begin(&m);
    help_mcp_servers(&m, "{'servers':{'a':{'command':['sh','~/quick_server']}}}");
    help_init_call(&m.exec, &c, HAFT__TOOL_MCP, "{\"server\":\"a\",\"tool\":\"say\"}", "{}");
    test_fail_allocation(n);
    haft_status status = haft__exec_start(m.exec.exec, &c.call, help_keep_result, &c, &c.job, &err);
    uint64_t begun = haft__loop_now(m.exec.loop);
    while (status == HAFT_OK && c.result_count == 0
           && haft__loop_now(m.exec.loop) - begun < HELP_PATIENCE_MS) {
        (void)!haft__loop_step(m.exec.loop, 1000, NULL);
    }
    bool failed = test_allow_allocations();
    CHECK(status == HAFT_OK || (failed && status == HAFT_NO_MEMORY), "allocation %u", n);
    CHECK(status != HAFT_OK || c.result_count == 1, "allocation %u: %d reports", n, c.result_count);
    CHECK(failed || c.result.ok, "without a failure: %.*s", HAFT__ARG(c.result.text));
    help_mcp_end(&m);
    return failed;
}

TEST(a_call_survives_failed_allocations)
{
    for (unsigned n = 0; survive(n); n += 1 + n / 8) {
    }
}
