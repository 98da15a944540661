/* SPDX-License-Identifier: Apache-2.0 */
#include <poll.h>

#include "engine_help.h"

HAFT_TOOL(add_numbers, "Add two whole numbers.", HAFT_INTEGER(a, "The first"),
          HAFT_INTEGER_OR(b, 5, "The second"))
{
    haft_emit(call, "{\"step\":1}");
    return haft_replyf(call, "%lld for %s", args->a + args->b, haft_call_info(call)->call);
}

HAFT_TOOL_WITH(HAFT_READ_ONLY, give_up, "Always fails.")
{
    (void)args;
    return haft_reply_error(call, "no luck");
}

static const char spec[] =
    "\"tools\":[{\"name\":\"add_numbers\",\"description\":\"Add two whole numbers.\"},"
    "{\"name\":\"give_up\",\"description\":\"Always fails, for the test.\"}]";

static const char script[] =
    "{\"replies\":[{\"calls\":[{\"name\":\"add_numbers\",\"arguments\":{\"a\":2}},{\"name\":"
    "\"give_up\"}]},{\"text\":\"good\"}]}";

TEST(tools_that_are_functions_run)
{
    help_host h;
    help_host_init(&h, "memory:");
    CHECK_INT(haft_tool_add(h.runtime, &add_numbers_tool, &h.err), HAFT_OK, "%s", h.err.message);
    CHECK_INT(haft_tool_add(h.runtime, &give_up_tool, &h.err), HAFT_OK, "%s", h.err.message);
    CHECK_INT(haft_tool_add(h.runtime, &give_up_tool, &h.err), HAFT_BAD_INPUT, "twice");
    haft_run *run = help_host_start(&h, spec, script, "go");
    help_host_settle(&h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "end");
    CHECK_STR(run->state.calls[0].result, HAFT__LIT("7 for c1.1"), "result");
    CHECK(!run->state.calls[1].ok, "the other fails");
    haft_event event;
    unsigned told = 0, durable = 0;
    while (haft_run_next_event(run, &event)) {
        told += event.seq == 0;
        durable += event.seq > 0;
    }
    CHECK_INT(told, 1, "progress");
    CHECK_INT(durable, run->state.seq, "events");
    haft_run_release(run);
    help_host_finish(&h);
}

TEST(a_runtime_can_be_stepped_by_another_loop)
{
    help_host h;
    help_host_init(&h, "memory:");
    CHECK_INT(haft_tool_add(h.runtime, &add_numbers_tool, &h.err), HAFT_OK, "%s", h.err.message);
    CHECK_INT(haft_tool_add(h.runtime, &give_up_tool, &h.err), HAFT_OK, "%s", h.err.message);
    haft_run *run = help_host_start(&h, spec, script, "go");
    for (int i = 0; i < 10000 && haft_run_state(run) == HAFT_RUNNING; i++) {
        struct pollfd fd = {.fd = haft_runtime_fd(h.runtime), .events = POLLIN};
        int wait = haft_runtime_timeout(h.runtime);
        (void)poll(&fd, 1, wait >= 0 && wait < 1000 ? wait : 1000);
        CHECK_INT(haft_runtime_step(h.runtime, 0, &h.err), HAFT_OK, "%s", h.err.message);
    }
    CHECK_INT(haft_run_state(run), HAFT_ENDED, "state");
    haft_run_release(run);
    help_host_finish(&h);
}

TEST(a_thread_must_be_an_id)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_agent *agent = help_host_agent(&h, "", "{\"replies\":[]}");
    haft_run_options options = HAFT_RUN_OPTIONS_INIT;
    haft_run *run = NULL;
    options.thread = "not an id";
    CHECK_INT(haft_run_start(agent, "go", &options, &run, &h.err), HAFT_BAD_INPUT, "accepted");
    haft_agent_release(agent);
    help_host_finish(&h);
}

TEST(a_spec_that_is_wrong_says_where)
{
    help_host h;
    haft_agent *agent = NULL;
    help_host_init(&h, "memory:");
    CHECK_INT(haft__agent_load_text(h.runtime, HAFT__LIT("haft: 1\nlimit: {}\n"), HAFT__LIT(""),
                                    false, &agent, &h.err),
              HAFT_BAD_INPUT, "accepted");
    CHECK_STR(haft__str(h.err.where), HAFT__LIT("2:1"), "where");
    CHECK_INT(haft_agent_load(h.runtime, "/nowhere.yaml", &agent, &h.err), HAFT_IO, "no file");
    help_host_finish(&h);
}

TEST(a_store_that_cannot_be_had)
{
    haft_runtime_options options = HAFT_RUNTIME_OPTIONS_INIT;
    haft_runtime *runtime = NULL;
    haft_error err = {0};
    options.store = "ftp://somewhere";
    CHECK_INT(haft_runtime_create(&options, &runtime, &err), HAFT_UNSUPPORTED, "%s", err.message);
    options.store = "sqlite:/proc/nobody/haft.db";
    CHECK(haft_runtime_create(&options, &runtime, &err) != HAFT_OK, "opened");
    haft_runtime_destroy(NULL);
    haft_run_release(NULL);
    haft_agent_release(NULL);
}

TEST(a_runtime_without_memory_says_so)
{
    for (unsigned n = 0;; n++) {
        haft_runtime *runtime = NULL;
        test_fail_allocation(n);
        haft_status status = haft_runtime_create(NULL, &runtime, NULL);
        bool failed = test_allow_allocations();
        haft_runtime_destroy(status == HAFT_OK ? runtime : NULL);
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        if (!failed) {
            break;
        }
    }
}
