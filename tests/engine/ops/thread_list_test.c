/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/ops/thread_list.c. */
#include "engine/ops/thread_list.h"

#include <string.h>

#include "base/str.h"
#include "engine/engine_help.h"

enum { THREADS = 3 };

/* Thread 0 has the runs "a" and "d", thread 1 "b", thread 2 "c", which waits. */
typedef struct threads {
    help_host h;
    haft__arena arena;
    char ids[THREADS][HAFT__ID_LENGTH + 1];
} threads;

static void start_run(threads *t, int thread, const char *task)
{
    bool waits = thread == 2;
    haft_agent *agent = help_host_agent(
        &t->h,
        waits ? "\"tools\":[{\"name\":\"pick\",\"description\":\"Picks one.\",\"headless\":true}]"
              : "",
        waits ? "{\"replies\":[{\"calls\":[{\"name\":\"pick\",\"arguments\":{}}]}]}"
              : "{\"replies\":[{\"text\":\"good\"}]}");
    haft_run_options options = HAFT_RUN_OPTIONS_INIT;
    haft_run *run = NULL;
    options.thread = t->ids[thread];
    CHECK_INT(haft_run_start(agent, task, &options, &run, &t->h.err), HAFT_OK, "%s",
              t->h.err.message);
    help_host_settle(&t->h, run);
    haft_run_release(run);
    haft_agent_release(agent);
}

static void threads_init(threads *t)
{
    help_host_init(&t->h, "memory:");
    haft__arena_init(&t->arena, 0);
    for (int i = 0; i < THREADS; i++) {
        CHECK_INT(haft__runtime_make_id(t->h.runtime, t->ids[i], &t->h.err), HAFT_OK, "%s",
                  t->h.err.message);
    }
    start_run(t, 0, "a");
    start_run(t, 1, "b");
    start_run(t, 2, "c");
    start_run(t, 0, "d");
}

static void threads_finish(threads *t)
{
    haft__arena_finish(&t->arena);
    help_host_finish(&t->h);
}

TEST(threads_are_listed_with_the_newest_run_first)
{
    threads t;
    haft__thread_list list;
    threads_init(&t);
    CHECK_INT(haft__thread_list_read(t.h.runtime, &t.arena, 0, &list, &t.h.err), HAFT_OK, "%s",
              t.h.err.message);
    static const struct {
        int thread;
        const char *task;
        size_t runs;
    } rows[] = {{0, "a", 2}, {2, "c", 1}, {1, "b", 1}};
    CHECK_INT(list.count, COUNT(rows), "threads");
    for (size_t i = 0; i < list.count && i < COUNT(rows); i++) {
        CHECK_STR(list.items[i].thread, haft__str(t.ids[rows[i].thread]), "row %zu", i);
        CHECK_STR(list.items[i].task, haft__str(rows[i].task), "row %zu", i);
        CHECK_INT(list.items[i].run_count, rows[i].runs, "row %zu", i);
        CHECK(list.items[i].updated_ms > 0, "row %zu", i);
    }
    CHECK_INT(haft__thread_list_read(t.h.runtime, &t.arena, 2, &list, &t.h.err), HAFT_OK, "%s",
              t.h.err.message);
    CHECK_INT(list.count, 2, "with a limit");
    CHECK_INT(list.items[0].run_count, 2, "with a limit");
    threads_finish(&t);
}

TEST(a_thread_is_found_by_the_beginning_of_its_id)
{
    threads t;
    haft_str found;
    char start[HAFT__ID_LENGTH + 1];
    threads_init(&t);
    size_t same = strspn(t.ids[0], "0"); /* ids begin with the time: the same in all of them */
    (void)snprintf(start, sizeof(start), "%s", t.ids[1]);
    for (int i = 0; i < THREADS; i++) {
        CHECK_INT(haft__thread_find(t.h.runtime, &t.arena, haft__str(t.ids[i]), &found, &t.h.err),
                  HAFT_OK, "%s", t.h.err.message);
        CHECK_STR(found, haft__str(t.ids[i]), "by its id");
    }
    start[HAFT__ID_LENGTH - 1] = '\0';
    CHECK_INT(haft__thread_find(t.h.runtime, &t.arena, haft__str(start), &found, &t.h.err), HAFT_OK,
              "%s", t.h.err.message);
    CHECK_STR(found, haft__str(t.ids[1]), "by its beginning");
    start[same + 1] = '\0';
    CHECK_INT(haft__thread_find(t.h.runtime, &t.arena, haft__str(start), &found, &t.h.err),
              HAFT_BAD_INPUT, "%s", t.h.err.message);
    static const char *const absent[] = {"", "zzz", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"};
    for (size_t i = 0; i < COUNT(absent); i++) {
        CHECK_INT(haft__thread_find(t.h.runtime, &t.arena, haft__str(absent[i]), &found, &t.h.err),
                  HAFT_NOT_FOUND, "%s", absent[i]);
    }
    threads_finish(&t);
}

TEST(the_last_thread_is_that_of_the_agent)
{
    threads t;
    haft_str found = {NULL, 0};
    haft__thread_list list;
    threads_init(&t);
    CHECK_INT(haft__thread_list_read(t.h.runtime, &t.arena, 1, &list, &t.h.err), HAFT_OK, "%s",
              t.h.err.message);
    CHECK_INT(haft__thread_find_last(t.h.runtime, &t.arena, list.items[0].name, &found, &t.h.err),
              HAFT_OK, "%s", t.h.err.message);
    CHECK_STR(found, haft__str(t.ids[0]), "the last thread of the agent");
    CHECK_INT(haft__thread_find_last(t.h.runtime, &t.arena, HAFT__LIT("nobody"), &found, &t.h.err),
              HAFT_NOT_FOUND, "%s", t.h.err.message);
    threads_finish(&t);
}

TEST(the_open_run_of_a_thread_is_found)
{
    static const char *const tasks[THREADS] = {NULL, NULL, "c"};
    threads t;
    threads_init(&t);
    for (int i = 0; i < THREADS; i++) {
        const haft__store_run *open = NULL;
        CHECK_INT(
            haft__thread_find_open_run(t.h.runtime, &t.arena, haft__str(t.ids[i]), &open, &t.h.err),
            HAFT_OK, "%s", t.h.err.message);
        CHECK((open != NULL) == (tasks[i] != NULL), "thread %d", i);
        if (open != NULL && tasks[i] != NULL) {
            CHECK_STR(open->task, haft__str(tasks[i]), "thread %d", i);
        }
    }
    threads_finish(&t);
}
