/* SPDX-License-Identifier: Apache-2.0 */
#include <poll.h>
#include <unistd.h>

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

TEST(functions_run_as_tools)
{
    help_host h;
    help_host_init(&h, "memory:");
    CHECK_INT(haft_tool_add(h.runtime, &add_numbers_tool, &h.err), HAFT_OK, "%s", h.err.message);
    CHECK_INT(haft_tool_add(h.runtime, &give_up_tool, &h.err), HAFT_OK, "%s", h.err.message);
    CHECK_INT(haft_tool_add(h.runtime, &give_up_tool, &h.err), HAFT_BAD_INPUT,
              "the same tool is added twice");
    CHECK(strstr(h.err.message, "added twice") != NULL, "%s", h.err.message);
    haft_tool unnamed = HAFT_TOOL_INIT;
    CHECK_INT(haft_tool_add(h.runtime, &unnamed, &h.err), HAFT_BAD_INPUT, "a tool without a name");
    haft_run *run = help_host_start(&h, spec, script, "go");
    help_host_settle(&h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "end");
    CHECK_STR(run->state.calls[0].result, HAFT__LIT("7 for c1.1"), "the result of the first call");
    CHECK(!run->state.calls[1].ok, "the second call did not fail");
    haft_event event;
    unsigned progress = 0, durable = 0;
    while (haft_run_next_event(run, &event)) {
        progress += event.seq == 0;
        durable += event.seq > 0;
    }
    CHECK_INT(progress, 1, "the number of progress events");
    CHECK_INT(durable, run->state.seq, "the number of durable events");
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

HAFT_TOOL(jump, "Tell a graph where to go.")
{
    return haft_reply_command(call, "{\"goto\":\"report\"}");
}

TEST(a_command_of_a_tool_is_an_error_for_the_model)
{
    help_host h;
    help_host_init(&h, "memory:");
    CHECK_INT(haft_tool_add(h.runtime, &jump_tool, &h.err), HAFT_OK, "%s", h.err.message);
    haft_run *run = help_host_start(
        &h, "\"tools\":[{\"name\":\"jump\",\"description\":\"Tell a graph where to go.\"}]",
        "{\"replies\":[{\"calls\":[{\"name\":\"jump\"}]},{\"expect\":{\"contains\":\"only a node "
        "of a graph\"},\"text\":\"good\"}]}",
        "go");
    help_host_settle(&h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "end");
    CHECK(!run->state.calls[0].ok, "the call counts as successful");
    haft_run_release(run);
    help_host_finish(&h);
}

/* ---- misuse ---- */

TEST(functions_accept_null)
{
    help_host h;
    haft_agent *agent = NULL;
    haft_run *run = NULL;
    haft_event event;
    help_host_init(&h, "memory:");
    const haft_status found[] = {
        haft_runtime_create(NULL, NULL, &h.err),
        haft_runtime_step(NULL, 0, &h.err),
        haft_tool_add(NULL, &jump_tool, &h.err),
        haft_tool_add(h.runtime, NULL, &h.err),
        haft_agent_load(NULL, "a.yaml", &agent, &h.err),
        haft_agent_load(h.runtime, NULL, &agent, &h.err),
        haft_agent_load(h.runtime, "a.yaml", NULL, &h.err),
        haft_run_start(NULL, "go", NULL, &run, &h.err),
        haft_run_open(NULL, "last", &run, &h.err),
        haft_run_open(h.runtime, NULL, &run, &h.err),
        haft_run_open(h.runtime, "last", NULL, &h.err),
        haft_run_answer(NULL, NULL, "1", &h.err),
        haft_run_approve(NULL, NULL, NULL, &h.err),
        haft_run_again(NULL, NULL, &h.err),
        haft_run_reject(NULL, NULL, NULL, &h.err),
        haft_run_cancel(NULL, &h.err),
        haft_run_cancel(NULL, NULL),
        haft_run_result(NULL, NULL, &h.err),
    };
    for (size_t i = 0; i < COUNT(found); i++) {
        CHECK_INT(found[i], HAFT_BAD_INPUT, "call %zu with NULL", i);
    }
    CHECK_INT(haft_runtime_fd(NULL), -1, "fd");
    CHECK_INT(haft_runtime_timeout(NULL), -1, "timeout");
    CHECK(!haft_run_next_event(NULL, &event), "NULL has an event");
    CHECK_INT(haft_run_state(NULL), HAFT_STOPPED, "state");
    CHECK_STR(haft__str(haft_run_id(NULL)), HAFT__LIT(""), "id");
    CHECK_STR(haft__str(haft_run_end(NULL)), HAFT__LIT("waiting"), "end");
    CHECK_INT(haft_run_answer_text(NULL).len, 0, "answer");
    CHECK_INT(haft_run_error(NULL)->status, HAFT_BAD_INPUT, "error");
    help_host_finish(&h);
}

TEST(null_arguments_of_a_run_are_rejected)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_agent *agent = help_host_agent(&h, "", "{\"replies\":[{\"text\":\"hello\"}]}");
    haft_run *run = NULL;
    CHECK_INT(haft_run_start(agent, NULL, NULL, &run, &h.err), HAFT_BAD_INPUT, "no task");
    CHECK_INT(haft_run_start(agent, "go", NULL, NULL, &h.err), HAFT_BAD_INPUT,
              "NULL in place of the run");
    CHECK_INT(haft_run_start(agent, "go", NULL, &run, &h.err), HAFT_OK, "%s", h.err.message);
    CHECK_INT(haft_run_answer(run, NULL, NULL, &h.err), HAFT_BAD_INPUT, "no answer");
    CHECK(!haft_run_next_event(run, NULL), "NULL in place of the event");
    haft_run_release(run);
    haft_agent_release(agent);
    help_host_finish(&h);
}

TEST(a_result_has_the_pending_calls_also_of_a_run_that_was_opened)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *run = help_host_start(
        &h, "\"tools\":[{\"name\":\"pick\",\"description\":\"Pick.\",\"headless\":true}]",
        "{\"replies\":[{\"calls\":[{\"name\":\"pick\"}]},{\"text\":\"hello\"}]}", "go");
    help_host_settle(&h, run);
    char id[32];
    (void)snprintf(id, sizeof(id), "%s", haft_run_id(run));
    haft_run_release(run);
    CHECK_INT(haft_run_open(h.runtime, id, &run, &h.err), HAFT_OK, "%s", h.err.message);
    char *json = NULL;
    CHECK_INT(haft_run_result(run, NULL, &h.err), HAFT_BAD_INPUT, "NULL in place of the text");
    CHECK_INT(haft_run_result(run, &json, &h.err), HAFT_OK, "%s", h.err.message);
    CHECK(strstr(json, "\"end\":\"waiting\"") != NULL
              && strstr(json, "\"pending\":[{\"call\":\"c1.1\",\"kind\":\"headless\"") != NULL,
          "%s", json);
    haft_free(json);
    CHECK_INT(haft_run_answer(run, NULL, "1", &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, run);
    CHECK_INT(haft_run_result(run, &json, &h.err), HAFT_OK, "%s", h.err.message);
    CHECK(strstr(json, "\"end\":\"done\",\"answer\":\"hello\"") != NULL
              && strstr(json, "\"pending\":[]") != NULL,
          "%s", json);
    haft_free(json);
    haft_run_release(run);
    help_host_finish(&h);
}

TEST(a_run_that_has_ended_takes_no_commands)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *run = help_host_start(&h, "", "{\"replies\":[{\"text\":\"hello\"}]}", "go"), *same;
    help_host_settle(&h, run);
    CHECK_INT(haft_run_answer(run, NULL, "1", &h.err), HAFT_BAD_STATE, "answer");
    CHECK_STR(haft__str(h.err.message), HAFT__LIT("the run has ended: done"), "answer");
    CHECK_INT(haft_run_approve(run, NULL, NULL, &h.err), HAFT_BAD_STATE, "approve");
    CHECK_INT(haft_run_again(run, NULL, &h.err), HAFT_BAD_STATE, "again");
    CHECK_INT(haft_run_reject(run, NULL, NULL, &h.err), HAFT_BAD_STATE, "reject");
    CHECK_INT(haft_run_cancel(run, &h.err), HAFT_BAD_STATE, "cancel");
    CHECK_STR(haft__str(h.err.message), HAFT__LIT("the run has ended: done"), "cancel");
    CHECK_INT(haft_run_open(h.runtime, haft_run_id(run), &same, &h.err), HAFT_OK, "%s",
              h.err.message);
    CHECK_INT(haft_run_cancel(same, &h.err), HAFT_BAD_STATE,
              "cancel through a handle that only reads");
    CHECK_STR(haft__str(h.err.message), HAFT__LIT("the run has ended, or another process owns it"),
              "cancel");
    haft_run_release(same);
    haft_run_release(run);
    help_host_finish(&h);
}

static void destroy_with_runs(const char *store)
{
    help_host h;
    help_host_init(&h, store);
    haft_agent *agent = help_host_agent(
        &h, "\"tools\":[{\"name\":\"ask\",\"description\":\"Ask.\",\"headless\":true}]",
        "{\"replies\":[{\"calls\":[{\"name\":\"ask\"}]}]}");
    haft_run *waiting = NULL, *fresh = NULL, *gone = NULL;
    CHECK_INT(haft_run_start(agent, "go", NULL, &waiting, &h.err), HAFT_OK, "start");
    help_host_settle(&h, waiting);
    CHECK_INT(haft_run_state(waiting), HAFT_WAITING, "state");
    CHECK_INT(haft_run_start(agent, "go", NULL, &fresh, &h.err), HAFT_OK, "start");
    CHECK_INT(haft_run_start(agent, "go", NULL, &gone, &h.err), HAFT_OK, "start");
    haft_run_release(gone);
    help_host_finish(&h);
    haft_agent_release(agent); /* an agent may outlive the runtime */
}

TEST(a_runtime_can_be_destroyed_before_its_runs)
{
    char directory[] = "/tmp/haft-api-XXXXXX", path[64], store[96];
    CHECK(mkdtemp(directory) != NULL, "no directory");
    (void)snprintf(path, sizeof(path), "%s/haft.db", directory);
    (void)snprintf(store, sizeof(store), "sqlite:%s", path);
    destroy_with_runs("memory:");
    destroy_with_runs(store);
    CHECK(unlink(path) == 0 && rmdir(directory) == 0, "something was left in %s", directory);
}

/* ---- other versions ---- */

TEST(options_of_another_version_are_accepted)
{
    struct {
        haft_runtime_options options;
        void *later;
    } longer = {HAFT_RUNTIME_OPTIONS_INIT, NULL};
    struct {
        haft_run_options options;
        void *later;
    } longer_run = {HAFT_RUN_OPTIONS_INIT, NULL};
    haft_runtime_options shorter = HAFT_RUNTIME_OPTIONS_INIT;
    haft_runtime *runtime = NULL;
    haft_error err = {0};
    longer.options.struct_size = sizeof(longer);
    CHECK_INT(haft_runtime_create(&longer.options, &runtime, &err), HAFT_OK, "%s", err.message);
    haft_runtime_destroy(runtime);
    shorter.struct_size = offsetof(haft_runtime_options, guard);
    shorter.guard = "/nowhere"; /* outside the given size: not read */
    CHECK_INT(haft_runtime_create(&shorter, &runtime, &err), HAFT_OK, "%s", err.message);
    haft_runtime_destroy(runtime);
    shorter.struct_size = 0;
    CHECK_INT(haft_runtime_create(&shorter, &runtime, &err), HAFT_BAD_INPUT,
              "options without a size");
    CHECK_STR(haft__str(err.hint), HAFT__LIT("start from HAFT_RUNTIME_OPTIONS_INIT"), "hint");

    help_host h;
    help_host_init(&h, "memory:");
    haft_agent *agent = help_host_agent(&h, "", "{\"replies\":[{\"text\":\"hello\"}]}");
    haft_run *run = NULL;
    longer_run.options.struct_size = sizeof(longer_run);
    CHECK_INT(haft_run_start(agent, "go", &longer_run.options, &run, &h.err), HAFT_OK,
              "options of a newer version");
    haft_run_release(run);
    longer_run.options.struct_size = offsetof(haft_run_options, thread);
    longer_run.options.thread = "not an id"; /* outside the given size: not read */
    CHECK_INT(haft_run_start(agent, "go", &longer_run.options, &run, &h.err), HAFT_OK,
              "options of an older version");
    haft_run_release(run);
    longer_run.options.struct_size = 0;
    CHECK_INT(haft_run_start(agent, "go", &longer_run.options, &run, &h.err), HAFT_BAD_INPUT,
              "options without a size");
    haft_agent_release(agent);
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
    CHECK_INT(haft_run_start(agent, "go", &options, &run, &h.err), HAFT_BAD_INPUT,
              "a thread that is not an id was accepted");
    haft_agent_release(agent);
    help_host_finish(&h);
}

TEST(a_user_is_a_short_name)
{
    char long_name[HAFT__LIMIT_RUN_USER_BYTES + 2];
    memset(long_name, 'n', sizeof(long_name) - 1);
    long_name[sizeof(long_name) - 1] = '\0';
    const struct {
        const char *user;
        haft_status status;
    } cases[] = {{"ann", HAFT_OK},           {"", HAFT_OK},
                 {"J\xC3\xBCrgen", HAFT_OK}, {"a\nb", HAFT_BAD_INPUT},
                 {"\x7F", HAFT_BAD_INPUT},   {"\xC3", HAFT_BAD_INPUT},
                 {long_name + 1, HAFT_OK},   {long_name, HAFT_TOO_BIG}};
    help_host h;
    help_host_init(&h, "memory:");
    haft_agent *agent = help_host_agent(&h, "", "{\"replies\":[]}");
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_run_options options = HAFT_RUN_OPTIONS_INIT;
        haft_run *run = NULL;
        options.user = cases[i].user;
        CHECK_INT(haft_run_start(agent, "go", &options, &run, &h.err), cases[i].status, "row %zu",
                  i);
        haft_run_release(run);
    }
    haft_agent_release(agent);
    help_host_finish(&h);
}

TEST(an_invalid_spec_names_the_place_of_the_error)
{
    help_host h;
    haft_agent *agent = NULL;
    help_host_init(&h, "memory:");
    CHECK_INT(haft__agent_load_text(h.runtime, HAFT__LIT("haft: 1\nlimit: {}\n"), HAFT__LIT(""),
                                    HAFT__SPEC_NEW, &agent, &h.err),
              HAFT_BAD_INPUT, "an unknown member was accepted");
    CHECK_STR(haft__str(h.err.where), HAFT__LIT("2:1"), "the place of the error");
    CHECK_INT(haft_agent_load(h.runtime, "/nowhere.yaml", &agent, &h.err), HAFT_IO, "no file");
    help_host_finish(&h);
}

TEST(a_run_continues_with_an_undecidable_condition)
{
    const haft_str text =
        HAFT__LIT("{\"haft\":1,\"name\":\"a\",\"model\":\"offline\",\"tools\":[{\"name\":\"pay\","
                  "\"description\":\"Pays somebody.\",\"headless\":true,\"args\":[\"n\"]}],"
                  "\"approvals\":[{\"tools\":[\"pay\"],\"when\":{\"at\":\"/"
                  "n\",\"op\":\"in\",\"value\":[]}}]}");
    help_host h;
    haft_agent *agent = NULL;
    help_host_init(&h, "memory:");
    CHECK_INT(haft__agent_load_text(h.runtime, text, HAFT__LIT(""), HAFT__SPEC_NEW, &agent, &h.err),
              HAFT_BAD_INPUT, "a new run with this spec");
    CHECK_INT(
        haft__agent_load_text(h.runtime, text, HAFT__LIT(""), HAFT__SPEC_STORED, &agent, &h.err),
        HAFT_OK, "a stored run with this spec: %s", h.err.message);
    haft_agent_release(agent);
    help_host_finish(&h);
}

TEST(a_store_that_cannot_be_opened_is_an_error)
{
    haft_runtime_options options = HAFT_RUNTIME_OPTIONS_INIT;
    haft_runtime *runtime = NULL;
    haft_error err = {0};
    options.store = "ftp://somewhere";
    CHECK_INT(haft_runtime_create(&options, &runtime, &err), HAFT_UNSUPPORTED, "%s", err.message);
    options.store = "sqlite:/proc/nobody/haft.db";
    CHECK(haft_runtime_create(&options, &runtime, &err) != HAFT_OK, "the store was opened");
    haft_runtime_destroy(NULL);
    haft_run_release(NULL);
    haft_agent_release(NULL);
}

TEST(a_runtime_reports_that_it_is_out_of_memory)
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
