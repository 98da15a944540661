/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/child.c: a cancel goes down a tree of runs whose calls are running. */
#include "engine/child.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/str.h"
#include "io/loop.h"
#include "tree_help.h"

enum { MAX_MS = 60000 };

/* Each call of `wait` leaves the id of its process in a file of its own. */
#define WAIT                                                                                       \
    "{\"name\":\"wait\",\"description\":\"Waits.\",\"args\":[],\"traits\":{\"read_only\":true,"    \
    "\"timeout\":\"500s\"},\"command\":[\"sh\",\"-c\","                                            \
    "\"echo $$ > $HAFT_IDEMPOTENCY_KEY.pid; exec sleep 600\"]}"
#define MIDDLE                                                                                     \
    "\"middle\":{\"haft\":1,\"name\":\"middle\",\"description\":\"Asks a picker.\","               \
    "\"model\":\"script:2.json\",\"agents\":{" HELP_PICKER "},"                                    \
    "\"tools\":[" WAIT ",{\"name\":\"ask_picker\",\"agent\":\"picker\"}]}"
#define ROOT                                                                                       \
    "\"agents\":{" HELP_PICKER "," MIDDLE "},\"limits\":{\"turns\":40},"                           \
    "\"tools\":[" WAIT ",{\"name\":\"ask_picker\",\"agent\":\"picker\"},"                          \
    "{\"name\":\"ask_middle\",\"agent\":\"middle\"}]"

/* root    c1.1 waits, c1.2 -> picker (waits for a person), c1.3 -> middle
 * middle  c1.1 waits, c1.2 -> picker (waits for a person) */
static haft_run *start_tree(help_host *h)
{
    haft_agent_release(help_host_agent(h, HELP_PICK, HELP_PICKS));
    haft_agent_release(help_host_agent(
        h, HELP_PICK, "{\"replies\":[{\"calls\":[{\"name\":\"wait\"}," HELP_ASK("picker") "]}]}"));
    return help_host_start(h, ROOT,
                           "{\"replies\":[{\"calls\":[{\"name\":\"wait\"}," HELP_ASK(
                               "picker") "," HELP_ASK("middle") "]}]}",
                           "go");
}

/* The process of the call c1.1 of a run; 0 until it has started. */
static pid_t read_process(const help_host *h, haft_str run)
{
    char path[160], line[32];
    (void)snprintf(path, sizeof(path), "%s/%.*s:c1.1.pid", h->directory, HAFT__ARG(run));
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return 0;
    }
    bool read = fgets(line, sizeof(line), file) != NULL;
    (void)fclose(file);
    return read ? (pid_t)strtol(line, NULL, 10) : 0;
}

static void remove_file(const help_host *h, haft_str run)
{
    char path[160];
    (void)snprintf(path, sizeof(path), "%s/%.*s:c1.1.pid", h->directory, HAFT__ARG(run));
    (void)unlink(path);
}

static bool has_ended(pid_t pid)
{
    return kill(pid, 0) != 0 && errno == ESRCH;
}

/* Whether both calls of `wait` run and both pickers wait for a person. */
static bool is_busy(help_host *h, haft_run *root, haft_str *ret_middle)
{
    *ret_middle = help_tree_child(&root->state, "c1.3");
    haft_run *middle = ret_middle->len > 0 ? haft__child_pool_find(h->runtime, *ret_middle) : NULL;
    haft_str pickers[2] = {help_tree_child(&root->state, "c1.2"),
                           middle != NULL ? help_tree_child(&middle->state, "c1.2")
                                          : HAFT__LIT("")};
    for (size_t i = 0; i < COUNT(pickers); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__store_request find = {.verb = HAFT__STORE_FIND, .name = pickers[i], .arena = &arena};
        bool waits = pickers[i].len > 0
                     && haft__store_submit_and_wait(h->runtime->store, &find, NULL) == HAFT_OK
                     && find.found[0].state == HAFT__RUN_STATE_WAITING;
        haft__arena_finish(&arena);
        if (!waits) {
            return false;
        }
    }
    return read_process(h, haft__str(root->id)) > 0 && read_process(h, *ret_middle) > 0;
}

/* The last events of the run are of these kinds, and it has one end. */
static void check_end(help_host *h, haft_str id, const char *kinds, const char *what)
{
    haft__arena arena;
    haft__buf found;
    unsigned ends = 0;
    haft__arena_init(&arena, 0);
    haft__buf_init(&found, 1 << 16);
    haft__store_request read = {.verb = HAFT__STORE_READ_EVENTS, .run.id = id, .arena = &arena};
    CHECK_INT(haft__store_submit_and_wait(h->runtime->store, &read, &h->err), HAFT_OK, "%s: %s",
              what, h->err.message);
    for (haft_str rest = read.text; rest.len > 0;) {
        haft__event event = {.seq = 0};
        haft_str line = haft__str_split(&rest, '\n');
        CHECK_INT(haft__event_read(&arena, line, h->runtime->hash_key, &event, &h->err), HAFT_OK,
                  "%s: %s", what, h->err.message);
        haft__buf_addf(&found, " %s", haft__event_kind_name(event.kind));
        ends += event.kind == HAFT__EVENT_RUN_FINISHED
                && haft__str_contains_ignore_case(line, HAFT__LIT("\"end\":\"cancelled\""));
    }
    CHECK_INT(ends, 1, "%s: ends as cancelled", what);
    CHECK(haft__str_ends_with(haft__buf_str(&found), haft__str(kinds)), "%s: %.*s", what,
          HAFT__ARG(haft__buf_str(&found)));
    haft__buf_finish(&found);
    haft__arena_finish(&arena);
}

TEST(a_cancel_stops_the_calls_of_a_run_and_ends_its_children_first)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *root = start_tree(&h);
    haft_str middle = HAFT__LIT("");
    uint64_t start = haft__loop_now(h.runtime->loop);
    while (!is_busy(&h, root, &middle) && haft_run_state(root) == HAFT_RUNNING
           && haft__loop_now(h.runtime->loop) - start < MAX_MS) {
        CHECK_INT(haft_runtime_step(h.runtime, 10, &h.err), HAFT_OK, "%s", h.err.message);
    }
    haft_str picker = help_tree_child(&root->state, "c1.2");
    char below[HAFT__ID_LENGTH + 1]; /* the memory of its parent is released before the end */
    (void)snprintf(
        below, sizeof(below), "%.*s",
        HAFT__ARG(help_tree_child(&haft__child_pool_find(h.runtime, middle)->state, "c1.2")));
    pid_t own = read_process(&h, haft__str(root->id)), other = read_process(&h, middle);
    CHECK(own > 0 && other > 0 && !has_ended(own) && !has_ended(other), "both calls run");

    CHECK_INT(haft_run_cancel(root, &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, root);
    while (!has_ended(own) || !has_ended(other)) { /* a test that hangs has failed */
        CHECK_INT(haft_runtime_step(h.runtime, 10, &h.err), HAFT_OK, "%s", h.err.message);
    }
    check_end(&h, haft__str(root->id), "cancel_asked child_finished child_finished run_finished",
              "the root");
    check_end(&h, middle, "cancel_asked child_finished run_finished", "the child with a child");
    check_end(&h, haft__str(below), "paused cancel_asked run_finished", "the child of the child");
    check_end(&h, picker, "paused cancel_asked run_finished", "the other child");
    remove_file(&h, haft__str(root->id));
    remove_file(&h, middle);
    haft_run_release(root);
    help_host_finish(&h);
}
