/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of store: events and runs are found again. */
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
        haft__store_request read = {.verb = HAFT__STORE_READ,
                                    .run = {.id = help_id(1)},
                                    .after = cases[i].after,
                                    .limit = cases[i].limit};
        CHECK_INT(help_do(s, &read), HAFT_OK, "case %zu: %s", i, s->error.message);
        CHECK_STR(read.text, haft__str(cases[i].wanted), "case %zu", i);
        CHECK_INT(read.count, cases[i].count, "case %zu", i);
    }
    haft__store_request read = {.verb = HAFT__STORE_READ, .run = {.id = help_id(2)}};
    CHECK_INT(help_do(s, &read), HAFT_NOT_FOUND, "there is no such run");
}

/* ---- find ---- */

STORE_TEST(a_run_is_found_by_the_beginning_of_its_id)
{
    CHECK(help_find(s, "last") == NULL, "there is none");
    CHECK(help_find(s, "0") == NULL, "there is none");
    /* The tenth character tells 0, 1 and 32 apart. */
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
    CHECK_STR(help_find(s, "000000001")->id, help_id(32), "by its ninth character");
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
        CHECK(list->found[i].spec.len == 0 && list->found[i].answer.len == 0, "%s: long texts",
              what);
        CHECK_STR(list->found[i].task, HAFT__LIT("do it"), "%s", what);
    }
    CHECK_STR(((haft_str){found, length}), haft__str(wanted), "%s", what);
}

STORE_TEST(runs_are_listed_the_newest_first)
{
    /* Created in another order than their ids have; two threads; the even ones have ended. */
    static const uint64_t order[] = {3, 1, 4, 8, 5, 9, 2, 6, 7};
    for (size_t i = 0; i < COUNT(order); i++) {
        CHECK_INT(help_create_in(s, order[i], order[i] < 6 ? "a" : "b", "me"), HAFT_OK, "%s",
                  s->error.message);
        if (order[i] % 2 == 0) {
            CHECK_INT(help_end(s, order[i], 1, 1, "long"), HAFT_OK, "%s", s->error.message);
        }
    }
    haft__store_request list = {.verb = HAFT__STORE_LIST};
    check_list(s, &list, "987654321", "all");
    list.limit = 4;
    check_list(s, &list, "9876", "the first page");
    list.name = help_id(6);
    check_list(s, &list, "5432", "the second page");
    list.name = help_id(2);
    check_list(s, &list, "1", "the third page");
    list.name = help_id(1);
    check_list(s, &list, "", "the end");
    list = (haft__store_request){.open_only = true};
    check_list(s, &list, "97531", "open ones");
    list.name = help_id(7);
    list.limit = 2;
    check_list(s, &list, "53", "a page of open ones");
    list = (haft__store_request){.thread = HAFT__LIT("a")};
    check_list(s, &list, "54321", "a thread");
    list.open_only = true;
    check_list(s, &list, "531", "open ones of a thread");
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
            .run = {.id = help_id(n), .thread = HAFT__LIT("t"), .state = HAFT__STATE_ENDED}};
        CHECK_INT(help_do(s, &create), HAFT_OK, "%s", s->error.message);
        uint64_t wanted = n < HAFT__LIMIT_STORE_LIST ? n + 1 : HAFT__LIMIT_STORE_LIST;
        if (n + 2 < HAFT__LIMIT_STORE_LIST) {
            continue;
        }
        static const haft__store_verb verbs[] = {HAFT__STORE_LIST, HAFT__STORE_THREAD};
        for (size_t i = 0; i < COUNT(verbs); i++) {
            haft__store_request list = {
                .verb = verbs[i], .thread = HAFT__LIT("t"), .limit = UINT64_MAX};
            CHECK_INT(help_do(s, &list), HAFT_OK, "%s", s->error.message);
            CHECK_INT(list.found_count, wanted, "of %d runs", (int)n + 1);
            const haft__store_run *newest =
                &list.found[verbs[i] == HAFT__STORE_LIST ? 0 : list.found_count - 1];
            CHECK_STR(newest->id, help_id(n), "the newest");
        }
    }
}

/* ---- threads ---- */

static void check_thread(help_store *s, const char *thread, uint64_t n, const char *wanted)
{
    haft__store_request past = {.verb = HAFT__STORE_THREAD,
                                .thread = haft__str(thread),
                                .name = n > 0 ? help_id(n) : HAFT__LIT("")};
    CHECK_INT(help_do(s, &past), HAFT_OK, "run %d: %s", (int)n, s->error.message);
    char found[64] = "";
    size_t length = 0;
    for (size_t i = 0; i < past.found_count; i++) {
        found[length++] = past.found[i].answer.ptr[0];
        CHECK_STR(past.found[i].task, HAFT__LIT("do it"), "task");
        CHECK_STR(past.found[i].end, HAFT__LIT("done"), "end");
        CHECK(past.found[i].thread.ptr != NULL && past.found[i].spec.ptr != NULL, "NULL");
    }
    CHECK_STR(((haft_str){found, length}), haft__str(wanted), "the past of run %d", (int)n);
}

STORE_TEST(the_past_of_a_run_is_what_ended_before_it_began)
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
    check_thread(s, "t", 2, "");
    check_thread(s, "t", 3, "b");
    check_thread(s, "t", 5, "ab");
    check_thread(s, "t", 0, "abce");
    check_thread(s, "other", 5, "x");
    check_thread(s, "no such", 0, "");
    haft__store_request past = {
        .verb = HAFT__STORE_THREAD, .thread = HAFT__LIT("t"), .name = help_id(9)};
    CHECK_INT(help_do(s, &past), HAFT_NOT_FOUND, "there is no such run");
    /* The newest is removed: the next one is still younger than all that ended before. */
    haft__store_request remove = {.verb = HAFT__STORE_REMOVE, .run = {.id = help_id(5)}};
    CHECK_INT(help_do(s, &remove), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_create_in(s, 6, "t", "me"), HAFT_OK, "%s", s->error.message);
    check_thread(s, "t", 6, "abc");
}
