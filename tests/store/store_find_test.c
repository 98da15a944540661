/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of store: finding events and runs. */
#include "store/store_help.h"

/* ---- events ---- */

STORE_TEST(events_are_read_in_parts)
{
    static const struct {
        uint64_t after, limit;
        const char *wanted;
        uint64_t count;
    } cases[] = {
        {0, 0, "1\n2\n3\n4\n5\n", 5},
        {0, 2, "1\n2\n", 2},
        {2, 2, "3\n4\n", 2},
        {4, 2, "5\n", 1},
        {5, 2, "", 0},
        {6, 0, "", 0},
        {UINT64_MAX, 0, "", 0},
        {1, 0, "2\n3\n4\n5\n", 4},
        {3, UINT64_MAX, "4\n5\n", 2},
    };
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    haft_str lines[4] = {HAFT__LIT("2"), HAFT__LIT("3"), HAFT__LIT("4"), HAFT__LIT("5")};
    haft__store_request append = {.verb = HAFT__STORE_APPEND,
                                  .run = {.id = help_id(1), .epoch = 1, .seq = 1},
                                  .lines = lines,
                                  .line_count = 4};
    CHECK_INT(help_do(s, &append), HAFT_OK, "%s", s->error.message);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__store_request read = {.verb = HAFT__STORE_READ_EVENTS,
                                    .run = {.id = help_id(1)},
                                    .after = cases[i].after,
                                    .limit = cases[i].limit};
        CHECK_INT(help_do(s, &read), HAFT_OK, "case %zu: %s", i, s->error.message);
        CHECK_STR(read.text, haft__str(cases[i].wanted), "case %zu: events", i);
        CHECK_INT(read.count, cases[i].count, "case %zu: number of events", i);
    }
    haft__store_request read = {.verb = HAFT__STORE_READ_EVENTS, .run = {.id = help_id(2)}};
    CHECK_INT(help_do(s, &read), HAFT_NOT_FOUND, "there is no such run");
}

/* ---- find ---- */

STORE_TEST(a_run_is_found_by_a_prefix_of_its_id)
{
    CHECK(help_find(s, "last") == NULL, "the last run of an empty store");
    CHECK(help_find(s, "0") == NULL, "a prefix in an empty store");
    /* The tenth character distinguishes 0, 1 and 32. */
    for (uint64_t n = 0; n <= 32; n += n == 0 ? 1 : 31) {
        CHECK_INT(help_create(s, n), HAFT_OK, "%s", s->error.message);
    }
    static const struct {
        const char *name;
        haft_status wanted;
    } cases[] = {
        {"0000000000", HAFT_OK},
        {"0000000001", HAFT_OK},
        {"000000001", HAFT_OK},
        {"00000000000000000000000000", HAFT_OK},
        {"000000000", HAFT_BAD_INPUT},
        {"0", HAFT_BAD_INPUT},
        {"", HAFT_NOT_FOUND},
        {"1", HAFT_NOT_FOUND},
        {"00000000000000000000000000x", HAFT_NOT_FOUND},
        {"~", HAFT_NOT_FOUND},
        {"0%", HAFT_NOT_FOUND},
        {"0*", HAFT_NOT_FOUND},
        {"LAST", HAFT_NOT_FOUND},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__store_request find = {.verb = HAFT__STORE_FIND, .name = haft__str(cases[i].name)};
        CHECK_INT(help_do(s, &find), cases[i].wanted, "'%s': %s", cases[i].name, s->error.message);
        CHECK_INT(find.found_count, cases[i].wanted == HAFT_OK, "'%s'", cases[i].name);
    }
    CHECK_STR(help_find(s, "000000001")->id, help_id(32), "distinguished by the ninth character");
}

STORE_TEST(the_last_run_is_the_one_created_last)
{
    static const uint64_t created[] = {5, 9, 7, 9, 8};
    for (uint64_t n = 0; n < COUNT(created); n++) {
        haft__store_request create = {.verb = HAFT__STORE_CREATE,
                                      .run = {.id = help_id(n), .created_ms = created[n]}};
        CHECK_INT(help_do(s, &create), HAFT_OK, "%s", s->error.message);
    }
    const haft__store_run *last = help_find(s, "last");
    CHECK_STR(last->id, help_id(3), "the greater id of two created at once");
    CHECK_STR(last->spec, HAFT__LIT(""), "an empty spec");
}

/* ---- list ---- */

static void check_list(help_store *s, haft__store_request *list, const char *wanted,
                       const char *what)
{
    list->verb = HAFT__STORE_LIST;
    CHECK_INT(help_do(s, list), HAFT_OK, "%s: %s", what, s->error.message);
    char found[64];
    size_t length = 0;
    for (size_t i = 0; i < list->found_count && i < sizeof(found); i++) {
        found[length++] = list->found[i].id.ptr[9];
        CHECK(list->found[i].spec.len == 0 && list->found[i].answer.len == 0,
              "%s: spec and answer are not returned", what);
        CHECK_STR(list->found[i].task, HAFT__LIT("do it"), "%s", what);
    }
    CHECK_STR(((haft_str){found, length}), haft__str(wanted), "%s", what);
}

STORE_TEST(runs_are_listed_the_newest_first)
{
    /* Created in an order other than that of their ids; two threads; the even ones have ended. */
    static const uint64_t order[] = {3, 1, 4, 8, 5, 9, 2, 6, 7};
    for (size_t i = 0; i < COUNT(order); i++) {
        CHECK_INT(help_create_in(s, order[i], order[i] < 6 ? "a" : "b", "me"), HAFT_OK, "%s",
                  s->error.message);
        if (order[i] % 2 == 0) {
            CHECK_INT(help_end(s, order[i], 1, 1, "long"), HAFT_OK, "%s", s->error.message);
        }
    }
    haft__store_request list = {.verb = HAFT__STORE_LIST};
    check_list(s, &list, "987654321", "all runs");
    list.limit = 4;
    check_list(s, &list, "9876", "the first page");
    list.name = help_id(6);
    check_list(s, &list, "5432", "the second page");
    list.name = help_id(2);
    check_list(s, &list, "1", "the third page");
    list.name = help_id(1);
    check_list(s, &list, "", "the end");
    list = (haft__store_request){.open_only = true};
    check_list(s, &list, "97531", "open runs");
    list.name = help_id(7);
    list.limit = 2;
    check_list(s, &list, "53", "a page of open runs");
    list = (haft__store_request){.thread = HAFT__LIT("a")};
    check_list(s, &list, "54321", "runs of a thread");
    list.open_only = true;
    check_list(s, &list, "531", "open runs of a thread");
    list.name = help_id(4);
    list.limit = 1;
    check_list(s, &list, "3", "a page of a thread");
    list = (haft__store_request){.thread = HAFT__LIT("c")};
    check_list(s, &list, "", "a thread without runs");
}

STORE_TEST(lists_are_bounded)
{
    for (uint64_t n = 0; n < HAFT__LIMIT_STORE_LIST + 1; n++) {
        haft__store_request create = {
            .verb = HAFT__STORE_CREATE,
            .run = {.id = help_id(n), .thread = HAFT__LIT("t"), .state = HAFT__RUN_STATE_ENDED}};
        CHECK_INT(help_do(s, &create), HAFT_OK, "%s", s->error.message);
        uint64_t wanted = n < HAFT__LIMIT_STORE_LIST ? n + 1 : HAFT__LIMIT_STORE_LIST;
        if (n + 2 < HAFT__LIMIT_STORE_LIST) {
            continue;
        }
        static const haft__store_verb verbs[] = {HAFT__STORE_LIST, HAFT__STORE_THREAD_HISTORY};
        for (size_t i = 0; i < COUNT(verbs); i++) {
            haft__store_request list = {
                .verb = verbs[i], .thread = HAFT__LIT("t"), .limit = UINT64_MAX};
            CHECK_INT(help_do(s, &list), HAFT_OK, "%s", s->error.message);
            CHECK_INT(list.found_count, wanted, "listed of %d runs", (int)n + 1);
            const haft__store_run *newest =
                &list.found[verbs[i] == HAFT__STORE_LIST ? 0 : list.found_count - 1];
            CHECK_STR(newest->id, help_id(n), "the newest run");
        }
    }
}

/* ---- threads ---- */

static void check_thread(help_store *s, const char *thread, uint64_t n, const char *wanted)
{
    haft__store_request past = {.verb = HAFT__STORE_THREAD_HISTORY,
                                .thread = haft__str(thread),
                                .name = n > 0 ? help_id(n) : HAFT__LIT("")};
    CHECK_INT(help_do(s, &past), HAFT_OK, "run %d: %s", (int)n, s->error.message);
    char found[64] = "";
    size_t length = 0;
    for (size_t i = 0; i < past.found_count; i++) {
        found[length++] = past.found[i].answer.ptr[0];
        CHECK_STR(past.found[i].task, HAFT__LIT("do it"), "task");
        CHECK_STR(past.found[i].end, HAFT__LIT("done"), "end");
        CHECK(past.found[i].thread.ptr != NULL && past.found[i].spec.ptr != NULL,
              "texts are never NULL");
    }
    CHECK_STR(((haft_str){found, length}), haft__str(wanted), "earlier runs of run %d", (int)n);
}

STORE_TEST(earlier_runs_of_a_thread_were_created_before_and_have_ended)
{
    CHECK_INT(help_create_in(s, 1, "t", "me"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_create_in(s, 2, "t", "me"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_end(s, 2, 1, 1, "b"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_create_in(s, 3, "t", "me"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_end(s, 1, 1, 1, "a"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_create_in(s, 4, "other", "me"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_end(s, 4, 1, 1, "x"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_create_in(s, 5, "t", "me"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_end(s, 3, 1, 1, "c"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_end(s, 5, 1, 1, "e"), HAFT_OK, "%s", s->error.message);
    check_thread(s, "t", 1, "");
    check_thread(s, "t", 2, "a");
    check_thread(s, "t", 3, "ab");
    check_thread(s, "t", 5, "abc");
    check_thread(s, "t", 0, "abce");
    check_thread(s, "other", 5, "x");
    check_thread(s, "no such", 0, "");
    haft__store_request past = {
        .verb = HAFT__STORE_THREAD_HISTORY, .thread = HAFT__LIT("t"), .name = help_id(9)};
    CHECK_INT(help_do(s, &past), HAFT_NOT_FOUND, "there is no such run");
    /* After the newest run is removed, the next run must still be newer than all others. */
    haft__store_request remove = {.verb = HAFT__STORE_REMOVE, .run = {.id = help_id(5)}};
    CHECK_INT(help_do(s, &remove), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_create_in(s, 6, "t", "me"), HAFT_OK, "%s", s->error.message);
    check_thread(s, "t", 6, "abc");
}

/* An id begins with the time of creation. If the clock was set back, or another machine has a slow
 * clock, a later run has a smaller id. */
STORE_TEST(earlier_runs_are_in_order_of_creation_not_of_id)
{
    static const uint64_t ids[] = {7, 3, 9, 1, 5};
    for (size_t i = 0; i < COUNT(ids); i++) {
        char answer[2] = {(char)('a' + i), '\0'};
        CHECK_INT(help_create_in(s, ids[i], "t", "me"), HAFT_OK, "%s", s->error.message);
        CHECK_INT(help_end(s, ids[i], 1, 1, answer), HAFT_OK, "%s", s->error.message);
    }
    check_thread(s, "t", 0, "abcde");
    check_thread(s, "t", 5, "abcd");
    check_thread(s, "t", 1, "abc");
    check_thread(s, "t", 7, "");
}

/* If there are too many, the oldest are omitted. */
STORE_TEST(a_long_history_omits_the_oldest_runs)
{
    haft_str ids[HAFT__LIMIT_STORE_LIST + 2];
    haft__store_request creates[COUNT(ids)];
    for (size_t i = 0; i < COUNT(ids); i++) {
        ids[i] = help_id(2 * COUNT(ids) - i);
        creates[i] = (haft__store_request){
            .verb = HAFT__STORE_CREATE,
            .run = {.id = ids[i], .thread = HAFT__LIT("t"), .state = HAFT__RUN_STATE_ENDED}};
        CHECK_INT(help_do(s, &creates[i]), HAFT_OK, "%s", s->error.message);
    }
    haft__store_request past = {.verb = HAFT__STORE_THREAD_HISTORY, .thread = HAFT__LIT("t")};
    CHECK_INT(help_do(s, &past), HAFT_OK, "%s", s->error.message);
    CHECK_INT(past.found_count, HAFT__LIMIT_STORE_LIST, "number of runs at the limit");
    CHECK_STR(past.found[0].id, ids[2], "the two oldest are omitted");
    CHECK_STR(past.found[past.found_count - 1].id, ids[COUNT(ids) - 1],
              "the newest run comes last");
}

/* ---- queued runs of a thread ---- */

/* `wanted` has the tenth character of the id of each predecessor of run n. */
static void check_predecessors(help_store *s, uint64_t n, uint64_t limit, const char *wanted)
{
    haft__store_request ahead = {
        .verb = HAFT__STORE_PREDECESSORS, .run = {.id = help_id(n)}, .limit = limit};
    CHECK_INT(help_do(s, &ahead), HAFT_OK, "run %d: %s", (int)n, s->error.message);
    char found[64] = "";
    for (size_t i = 0; i < ahead.found_count; i++) {
        found[i] = ahead.found[i].id.ptr[9];
        CHECK(ahead.found[i].spec.len == 0 && ahead.found[i].task.len == 0,
              "spec and task are not returned");
        bool owned = ahead.found[i].owner.len > 0;
        CHECK_STR(ahead.found[i].owner, haft__str(owned ? "me" : ""), "owner of run %d", (int)n);
        CHECK_INT(ahead.found[i].lease_ms, owned ? s->now_ms + HELP_LEASE : 0, "lease of run %d",
                  (int)n);
        CHECK_INT(ahead.found[i].state, HAFT__RUN_STATE_RUNNING, "state of run %d", (int)n);
    }
    CHECK_STR(((haft_str){found, ahead.found_count}), haft__str(wanted), "ahead of run %d", (int)n);
}

STORE_TEST(runs_of_a_thread_wait_in_order_of_creation)
{
    /* Created in an order other than that of their ids: the order of the store counts. */
    static const uint64_t order[] = {5, 3, 9, 4, 7};
    for (size_t i = 0; i < COUNT(order); i++) {
        CHECK_INT(help_create_in(s, order[i], order[i] == 9 ? "other" : "t", "me"), HAFT_OK, "%s",
                  s->error.message);
    }
    check_predecessors(s, 5, 0, "");
    check_predecessors(s, 3, 0, "5");
    check_predecessors(s, 4, 0, "53");
    check_predecessors(s, 7, 0, "534");
    check_predecessors(s, 7, 1, "5");
    check_predecessors(s, 7, UINT64_MAX, "534");
    check_predecessors(s, 9, 0, "");
    CHECK_INT(help_end(s, 3, 1, 1, "x"), HAFT_OK, "%s", s->error.message);
    check_predecessors(s, 7, 0, "54");
    haft__store_request release = {.verb = HAFT__STORE_RELEASE,
                                   .run = {.id = help_id(5), .epoch = 1}};
    CHECK_INT(help_do(s, &release), HAFT_OK, "%s", s->error.message);
    check_predecessors(s, 7, 0, "54");
    haft__store_request remove = {.verb = HAFT__STORE_REMOVE, .run = {.id = help_id(5)}};
    CHECK_INT(help_do(s, &remove), HAFT_OK, "%s", s->error.message);
    check_predecessors(s, 7, 0, "4");
    check_predecessors(s, 4, 0, "");
    haft__store_request ahead = {.verb = HAFT__STORE_PREDECESSORS, .run = {.id = help_id(8)}};
    CHECK_INT(help_do(s, &ahead), HAFT_NOT_FOUND, "there is no such run");
}

/* `wanted` has the tenth character of the id of each blocked run, greatest id first. */
static void check_blocked(help_store *s, haft_str before, uint64_t limit, const char *wanted)
{
    haft__store_request list = {
        .verb = HAFT__STORE_LIST, .blocked_only = true, .name = before, .limit = limit};
    CHECK_INT(help_do(s, &list), HAFT_OK, "%s", s->error.message);
    char found[64] = "";
    for (size_t i = 0; i < list.found_count; i++) {
        found[i] = list.found[i].id.ptr[9];
        CHECK(list.found[i].task.ptr != NULL && list.found[i].task.len == 0,
              "the task is not returned");
        CHECK_STR(list.found[i].owner, haft__str(found[i] == '4' ? "" : "me"), "owner");
        CHECK_INT(list.found[i].state, HAFT__RUN_STATE_RUNNING, "state");
    }
    CHECK_STR(((haft_str){found, list.found_count}), haft__str(wanted), "blocked runs");
}

STORE_TEST(blocked_runs_of_a_thread_are_listed)
{
    static const struct {
        uint64_t n;
        const char *thread, *owner;
    } made[] = {{5, "t", "me"}, {3, "t", "me"}, {9, "other", ""}, {4, "t", ""}, {7, "t", "me"}};
    for (size_t i = 0; i < COUNT(made); i++) {
        CHECK_INT(help_create_in(s, made[i].n, made[i].thread, made[i].owner), HAFT_OK, "%s",
                  s->error.message);
    }
    check_blocked(s, HAFT__LIT(""), 0, "743");
    check_blocked(s, HAFT__LIT(""), 2, "74");
    check_blocked(s, help_id(7), 0, "43");
    /* A waiting run has started: only queued runs are blocked. */
    haft_str line = HAFT__LIT("2");
    haft__store_request pause = {
        .verb = HAFT__STORE_APPEND,
        .run = {.id = help_id(3), .epoch = 1, .seq = 1, .state = HAFT__RUN_STATE_WAITING},
        .lines = &line,
        .line_count = 1};
    CHECK_INT(help_do(s, &pause), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_end(s, 5, 1, 1, "x"), HAFT_OK, "%s", s->error.message);
    check_blocked(s, HAFT__LIT(""), 0, "74");
    CHECK_INT(help_end(s, 3, 1, 2, "x"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_end(s, 7, 1, 1, "x"), HAFT_OK, "%s", s->error.message);
    check_blocked(s, HAFT__LIT(""), 0, "");
}

static haft_status create_alone(help_store *s, uint64_t n, const char *thread)
{
    haft__store_request create = {.verb = HAFT__STORE_CREATE,
                                  .run = {.id = help_id(n), .thread = haft__str(thread)},
                                  .alone = true};
    return help_do(s, &create);
}

STORE_TEST(an_exclusive_run_is_rejected_while_others_are_open)
{
    CHECK_INT(create_alone(s, 1, "t"), HAFT_OK, "the first: %s", s->error.message);
    CHECK_INT(create_alone(s, 2, "t"), HAFT_BAD_STATE, "a second run");
    CHECK(strstr(s->error.message, help_id(1).ptr) != NULL, "the message names the open run: %s",
          s->error.message);
    CHECK(strstr(s->error.hint, help_id(1).ptr) != NULL, "the hint names the open run: %s",
          s->error.hint);
    haft__store_request find = {.verb = HAFT__STORE_FIND, .name = help_id(2)};
    CHECK_INT(help_do(s, &find), HAFT_NOT_FOUND, "the rejected run does not exist");
    CHECK_INT(create_alone(s, 3, "other"), HAFT_OK, "in another thread: %s", s->error.message);
    CHECK_INT(help_create_in(s, 4, "t", "me"), HAFT_OK, "a run that is not exclusive: %s",
              s->error.message);
    haft__store_request remove = {.verb = HAFT__STORE_REMOVE, .run = {.id = help_id(1)}};
    CHECK_INT(help_do(s, &remove), HAFT_OK, "%s", s->error.message);
    CHECK_INT(create_alone(s, 5, "t"), HAFT_BAD_STATE, "while the other is open");
    CHECK_INT(help_end(s, 4, 1, 1, "x"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(create_alone(s, 5, "t"), HAFT_OK, "after all runs have ended: %s", s->error.message);
}
