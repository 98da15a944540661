/* SPDX-License-Identifier: Apache-2.0 */
/* Children that this process and others perform by turns. */
#include "engine/child_pool.h"

#include "base/limits.h"
#include "base/str.h"
#include "faulty_help.h"

#define PICK                                                                                       \
    "\"tools\":[{\"name\":\"pick\",\"description\":\"Pick one.\",\"args\":[],"                     \
    "\"headless\":true}]"
#define CHILD_SCRIPT "{\"replies\":[{\"calls\":[{\"name\":\"pick\"}]},{\"text\":\"picked\"}]}"
#define BOSS                                                                                       \
    "\"agents\":{\"picker\":{\"haft\":1,\"name\":\"picker\",\"description\":\"Picks one.\","       \
    "\"model\":\"script:1.json\"," PICK "}},"                                                      \
    "\"tools\":[{\"name\":\"ask_picker\",\"agent\":\"picker\"}]"
#define BOSS_SCRIPT                                                                                \
    "{\"replies\":[{\"calls\":[{\"name\":\"ask_picker\",\"arguments\":{\"task\":\"x\"}}]},"        \
    "{\"text\":\"good\"}]}"
#define ANSWER                                                                                     \
    "{\"command\":\"answer\",\"call\":\"c1.1\",\"value\":\"it\",\"by\":\"b\",\"why\":\"\"}"

/* A run whose only child waits for an answer. */
static haft_run *start_tree(help_host *h)
{
    help_faulty_init(h, 30000);
    haft_agent_release(help_host_agent(h, PICK, CHILD_SCRIPT)); /* only its script is used */
    haft_run *root = help_host_start(h, BOSS, BOSS_SCRIPT, "go");
    help_host_settle(h, root);
    CHECK_INT(haft_run_state(root), HAFT_WAITING, "%s", haft_run_error(root)->message);
    CHECK_INT(h->runtime->children.open, 0, "a child that waits is not in memory");
    return root;
}

static void request_of_other(help_host *h, haft__store_request request)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    request.arena = &arena;
    CHECK_INT(haft__store_submit_and_wait(h->runtime->store, &request, &h->err), HAFT_OK, "%s",
              h->err.message);
    haft__arena_finish(&arena);
}

static void step_until(help_host *h, const haft_run *run, haft_state state)
{
    while (haft_run_state(run) != state) {
        CHECK_INT(haft_runtime_step(h->runtime, 1000, &h->err), HAFT_OK, "%s", h->err.message);
    }
}

TEST(a_child_that_another_process_owned_is_opened_for_the_messages_it_got)
{
    help_host h;
    haft_run *root = start_tree(&h);
    haft_str child = root->state.children[0]->run;
    haft__store_run row = help_faulty_find_by_id(&h, child);
    request_of_other(&h, (haft__store_request){.verb = HAFT__STORE_CLAIM,
                                               .run.id = child,
                                               .run.owner = HAFT__LIT("another"),
                                               .lease_ms = 30000});
    step_until(&h, root, HAFT_RUNNING); /* the child may end at any moment */
    request_of_other(&h, (haft__store_request){
                             .verb = HAFT__STORE_SEND, .run.id = child, .text = HAFT__LIT(ANSWER)});
    request_of_other(&h, (haft__store_request){.verb = HAFT__STORE_RELEASE,
                                               .run.id = child,
                                               .run.epoch = row.epoch + 1});
    help_host_settle(&h, root);
    CHECK_STR(haft__str(haft_run_end(root)), HAFT__LIT("done"), "%s",
              haft_run_error(root)->message);
    haft_run_release(root);
    help_faulty_finish(&h);
}

/* ---- a child that cannot continue in this process ---- */

#define JUDGING                                                                                    \
    "\"agents\":{\"judging\":{\"haft\":1,\"name\":\"judging\",\"kind\":\"graph\","                 \
    "\"description\":\"Asks and judges.\",\"graph\":{\"channels\":{\"it\":{}},\"nodes\":{"         \
    "\"a\":{\"ask\":{\"question\":\"Well?\"},\"out\":{\"it\":\"\"}},\"b\":{\"function\":"          \
    "\"judge\"}},"                                                                                 \
    "\"edges\":[{\"from\":\"start\",\"to\":\"a\"},{\"from\":\"a\",\"to\":\"b\"},{\"from\":\"b\","  \
    "\"to\":\"end\"}]}}},\"tools\":[{\"name\":\"ask_picker\",\"agent\":\"judging\"}]"

static haft_reply judge(haft_call *call, const haft_graph_view *view)
{
    (void)view;
    return haft_reply_json(call, "{}");
}

/* Another process of a program would have the function. The root stops with the error of its child,
 * which is not the child of another process. */
TEST(a_child_whose_function_is_missing_stops_its_root)
{
    help_host h;
    help_faulty_init(&h, 30000);
    CHECK_INT(haft_graph_function_add(h.runtime, "judge", judge, NULL, HAFT_READ_ONLY, &h.err),
              HAFT_OK, "%s", h.err.message);
    haft_run *root = help_host_start(&h, JUDGING, BOSS_SCRIPT, "go");
    help_host_settle(&h, root);
    CHECK_INT(haft_run_state(root), HAFT_WAITING, "%s", haft_run_error(root)->message);
    size_t functions = h.runtime->graph_function_count;
    h.runtime->graph_function_count = 0;
    haft_str child = root->state.children[0]->run;
    haft__store_run row = help_faulty_find_by_id(&h, child);
    request_of_other(&h, (haft__store_request){.verb = HAFT__STORE_CLAIM,
                                               .run.id = child,
                                               .run.owner = HAFT__LIT("another"),
                                               .lease_ms = 30000});
    step_until(&h, root, HAFT_RUNNING); /* the child may end at any moment */
    request_of_other(&h, (haft__store_request){.verb = HAFT__STORE_RELEASE,
                                               .run.id = child,
                                               .run.epoch = row.epoch + 1});
    for (int i = 0; i < 200 && haft_run_state(root) != HAFT_STOPPED; i++) {
        CHECK_INT(haft_runtime_step(h.runtime, 20, &h.err), HAFT_OK, "%s", h.err.message);
    }
    CHECK_INT(haft_run_state(root), HAFT_STOPPED, "the root");
    CHECK(strstr(haft_run_error(root)->message, "the function \"judge\"") != NULL, "%s",
          haft_run_error(root)->message);
    h.runtime->graph_function_count = functions;
    haft_run_release(root);
    help_faulty_finish(&h);
}

TEST(a_child_that_waits_is_opened_after_its_owner_has_died)
{
    help_host h;
    haft_run *root = start_tree(&h);
    haft_str child = root->state.children[0]->run;
    request_of_other(&h, (haft__store_request){.verb = HAFT__STORE_CLAIM,
                                               .run.id = child,
                                               .run.owner = HAFT__LIT("another"),
                                               .lease_ms = 1000});
    step_until(&h, root, HAFT_RUNNING);
    help_faulty_wait(2000);
    step_until(&h, root, HAFT_WAITING);
    CHECK_STR(help_faulty_find_by_id(&h, child).owner, HAFT__LIT(""), "it waits without an owner");
    haft_run_release(root);
    help_faulty_finish(&h);
}

/* ---- limits ---- */

static bool child_is_owned(help_host *h, const haft_run *root)
{
    return help_faulty_find_by_id(h, root->state.children[0]->run).owner.len > 0;
}

/* Other children that this process performs, so many that one or none may follow. */
TEST(a_process_performs_only_so_many_children_at_once)
{
    for (int past = 0; past <= 1; past++) {
        help_host h;
        help_faulty_init(&h, 30000);
        haft_agent_release(help_host_agent(&h, PICK, CHILD_SCRIPT)); /* only its script is used */
        h.runtime->children.open = HAFT__LIMIT_CHILD_OPEN - 1 + (size_t)past;
        haft_run *root = help_host_start(&h, BOSS, BOSS_SCRIPT, "go");
        while (root->state.child_count == 0) {
            CHECK_INT(haft_runtime_step(h.runtime, 1000, &h.err), HAFT_OK, "%s", h.err.message);
        }
        if (past != 0) {
            for (int i = 0; i < 50; i++) {
                CHECK_INT(haft_runtime_step(h.runtime, 0, &h.err), HAFT_OK, "%s", h.err.message);
            }
            CHECK(!child_is_owned(&h, root), "past the limit the child waits in the store");
            CHECK_INT(haft_run_state(root), HAFT_RUNNING, "the child may start at any moment");
            h.runtime->children.open--; /* another child has ended */
            haft__child_pool_notify(h.runtime);
        }
        help_host_settle(&h, root);
        CHECK_INT(haft_run_state(root), HAFT_WAITING, "at the limit the child runs");
        CHECK_INT(help_faulty_find_by_id(&h, root->state.children[0]->run).turns, 1,
                  "the turns of the child");
        haft_run_release(root);
        h.runtime->children.open = 0;
        help_faulty_finish(&h);
    }
}

/* Another process continues the child. This one asks the store for it again and again. */
TEST(children_of_other_processes_are_polled)
{
    help_host h;
    haft_run *root = start_tree(&h);
    request_of_other(&h, (haft__store_request){.verb = HAFT__STORE_CLAIM,
                                               .run.id = root->state.children[0]->run,
                                               .run.owner = HAFT__LIT("another"),
                                               .lease_ms = 300000});
    step_until(&h, root, HAFT_RUNNING);
    for (int i = 0; i < 3; i++) {
        unsigned before = help_faulty_count(HAFT__STORE_FIND);
        const haft__timer *timer = &h.runtime->children.timer;
        uint64_t earliest = haft__loop_now(h.runtime->loop);
        bool armed = timer->slot != 0;
        while (h.runtime->children.querying || timer->slot == 0) {
            CHECK_INT(haft_runtime_step(h.runtime, 1000, &h.err), HAFT_OK, "%s", h.err.message);
        }
        CHECK(armed || timer->due_ms >= earliest + HAFT__LIMIT_CHILD_POLL_MS,
              "the next query comes too early");
        CHECK(timer->due_ms <= haft__loop_now(h.runtime->loop) + HAFT__LIMIT_CHILD_POLL_MS,
              "the next query comes too late");
        help_faulty_wait(HAFT__LIMIT_CHILD_POLL_MS);
        while (help_faulty_count(HAFT__STORE_FIND) == before) {
            CHECK_INT(haft_runtime_step(h.runtime, 1000, &h.err), HAFT_OK, "%s", h.err.message);
        }
        CHECK_INT(help_faulty_count(HAFT__STORE_FIND), before + 1, "queries in one interval");
    }
    CHECK_INT(haft_run_state(root), HAFT_RUNNING, "the child may end at any moment");
    haft_run_release(root);
    help_faulty_finish(&h);
}

/* ---- many children that wait ---- */

#define MANY                                                                                       \
    "\"agents\":{\"picker\":{\"haft\":1,\"name\":\"picker\",\"description\":\"Picks one.\","       \
    "\"model\":\"script:1.json\"," PICK                                                            \
    "}},\"limits\":{\"turns\":300,\"calls\":300,\"parallel\":100},"                                \
    "\"tools\":[{\"name\":\"ask_picker\",\"agent\":\"picker\",\"limits\":{\"turns\":2}}]"

/* A run with so many children, all of which wait for an answer. */
static haft_run *start_many(help_host *h, size_t count)
{
    haft__buf script;
    haft__buf_init(&script, 1 << 20);
    haft__buf_add_str(&script, HAFT__LIT("{\"replies\":[{\"calls\":["));
    for (size_t i = 0; i < count; i++) {
        haft__buf_addf(&script, "%s{\"name\":\"ask_picker\",\"arguments\":{\"task\":\"%zu\"}}",
                       i > 0 ? "," : "", i);
    }
    haft__buf_add_str(&script, HAFT__LIT("]},{\"text\":\"good\"}]}"));
    haft__buf_add_char(&script, '\0');
    haft_agent_release(help_host_agent(h, PICK, CHILD_SCRIPT)); /* only its script is used */
    haft_run *root = help_host_start(h, MANY, script.ptr, "go");
    haft__buf_finish(&script);
    help_host_settle(h, root);
    CHECK_INT(haft_run_state(root), HAFT_WAITING, "%s", haft_run_error(root)->message);
    CHECK_INT(root->state.open_children, count, "all wait");
    return root;
}

/* Answers all children that are open; returns their number. */
static size_t answer_open(help_host *h, haft_run *root)
{
    haft_run *open[200];
    size_t count = 0;
    for (haft_run *child = NULL;
         count < COUNT(open) && (child = haft__child_pool_next_waiting(root, child)) != NULL;) {
        open[count++] = child;
    }
    for (size_t i = 0; i < count; i++) {
        CHECK_INT(haft_run_answer(open[i], "c1.1", "\"it\"", &h->err), HAFT_OK, "%s",
                  h->err.message);
    }
    help_host_settle(h, root);
    return count;
}

static bool keep(void *context, haft_run *child)
{
    (void)child;
    ++*(size_t *)context;
    return true;
}

TEST(children_whose_answer_is_given_here_stay_open_some_at_a_time)
{
    for (size_t past = 0; past <= 1; past++) {
        help_host h;
        size_t asked = 0, count = HAFT__LIMIT_CHILD_KEPT + past;
        help_faulty_init(&h, 30000);
        h.runtime->children.answerer = (haft__child_answerer){keep, &asked};
        haft_run *root = start_many(&h, count);
        CHECK_INT(h.runtime->children.open, HAFT__LIMIT_CHILD_KEPT, "%zu wait", count);
        CHECK(asked >= count, "%zu of %zu were offered", asked, count);
        CHECK_INT(answer_open(&h, root), HAFT__LIMIT_CHILD_KEPT, "%zu wait", count);
        if (past > 0) { /* the one that was released is open now */
            CHECK_INT(answer_open(&h, root), past, "the last one");
        }
        CHECK_STR(haft__str(haft_run_end(root)), HAFT__LIT("done"), "%s",
                  haft_run_error(root)->message);
        CHECK_INT(h.runtime->children.kept_open_count, 0, "no child is kept open");
        haft_run_release(root);
        help_faulty_finish(&h);
    }
}

TEST(one_poll_reads_only_so_many_children)
{
    for (size_t past = 0; past <= 1; past++) {
        help_host h;
        help_faulty_init(&h, 30000);
        haft_run *root = start_many(&h, HAFT__LIMIT_CHILD_POLL_COUNT + past);
        const haft__child_pool *pool = &h.runtime->children;
        while (pool->querying || pool->timer.slot == 0) {
            CHECK_INT(haft_runtime_step(h.runtime, 1000, &h.err), HAFT_OK, "%s", h.err.message);
        }
        unsigned before = help_faulty_count(HAFT__STORE_FIND);
        help_faulty_wait(HAFT__LIMIT_CHILD_POLL_MS);
        while (help_faulty_count(HAFT__STORE_FIND) == before || pool->querying) {
            CHECK_INT(haft_runtime_step(h.runtime, 1000, &h.err), HAFT_OK, "%s", h.err.message);
        }
        CHECK_INT(help_faulty_count(HAFT__STORE_FIND) - before, HAFT__LIMIT_CHILD_POLL_COUNT,
                  "queries in one interval");
        haft_run_release(root);
        help_faulty_finish(&h);
    }
}
