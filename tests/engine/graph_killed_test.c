/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of functions of nodes whose process is killed inside them: another process runs them again
 * only if that repeats no effect. */
#include "engine_help.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"

#define GRAPH                                                                                      \
    "\"kind\":\"graph\",\"graph\":{\"output\":\"/out\",\"channels\":{\"out\":{}},\"nodes\":{"      \
    "\"a\":{\"function\":\"f\"}},\"edges\":[{\"from\":\"start\",\"to\":\"a\"}]}"

/* The world of one test: a store, and a file with a byte for each time that the function ran. */
typedef struct world {
    char directory[64], url[128], effects[128];
} world;

static void set_up(world *w)
{
    *w = (world){.directory = "/tmp/haft-killed-XXXXXX"};
    CHECK(mkdtemp(w->directory) != NULL, "no directory");
    (void)snprintf(w->url, sizeof(w->url), "sqlite:%s/haft.db", w->directory);
    (void)snprintf(w->effects, sizeof(w->effects), "%s/effects", w->directory);
}

static void tear_down(world *w)
{
    static const char *const files[] = {"haft.db", "haft.db-wal", "haft.db-shm", "effects"};
    char path[128];
    for (size_t i = 0; i < COUNT(files); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", w->directory, files[i]);
        (void)unlink(path);
    }
    (void)rmdir(w->directory);
}

static void note_effect(const world *w)
{
    int file = open(w->effects, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ssize_t written = write(file, "x", 1);
    (void)written;
    (void)close(file);
}

static size_t count_effects(const world *w)
{
    char bytes[16];
    int file = open(w->effects, O_RDONLY | O_CLOEXEC);
    ssize_t count = read(file, bytes, sizeof(bytes));
    (void)close(file);
    return count > 0 ? (size_t)count : 0;
}

/* ---- the process that is killed ---- */

static int ready_pipe[2];

static haft_reply have_effect_and_hang(haft_call *call, const haft_graph_view *view)
{
    (void)view;
    note_effect(haft_call_info(call)->context);
    ssize_t written = write(ready_pipe[1], "!", 1);
    (void)written;
    while (!haft_cancelled(call)) {
        (void)pause();
    }
    return haft_reply_error(call, "not killed");
}

static void run_until_killed(world *w, uint32_t traits)
{
    help_host h;
    help_host_init(&h, w->url);
    if (haft_graph_function_add(h.runtime, "f", have_effect_and_hang, w, traits, &h.err)
        == HAFT_OK) {
        haft_run *run = help_host_start(&h, GRAPH, NULL, "{}");
        ssize_t written = write(ready_pipe[1], haft_run_id(run), HAFT__ID_LENGTH);
        (void)written;
        help_host_settle(&h, run);
    }
    _exit(1);
}

/* Runs the function in another process, and kills it inside. */
static void kill_inside(world *w, uint32_t traits, char ret_id[HAFT__ID_LENGTH + 1])
{
    size_t have = 0;
    CHECK_INT(pipe(ready_pipe), 0, "a pipe");
    pid_t process = fork();
    if (process == 0) {
        run_until_killed(w, traits);
    }
    (void)close(ready_pipe[1]);
    char bytes[HAFT__ID_LENGTH + 1] = "";
    while (have < sizeof(bytes)) {
        ssize_t more = read(ready_pipe[0], bytes + have, sizeof(bytes) - have);
        if (more <= 0) {
            break;
        }
        have += (size_t)more;
    }
    CHECK_INT(have, sizeof(bytes), "the function is running");
    memcpy(ret_id, bytes, HAFT__ID_LENGTH);
    ret_id[HAFT__ID_LENGTH] = '\0';
    (void)kill(process, SIGKILL);
    (void)waitpid(process, NULL, 0);
    (void)close(ready_pipe[0]);
}

/* ---- the process that continues ---- */

static haft_reply have_effect(haft_call *call, const haft_graph_view *view)
{
    (void)view;
    note_effect(haft_call_info(call)->context);
    return haft_reply_command(call, "{\"update\":{\"out\":\"again\"}}");
}

static const struct {
    uint32_t traits;
    bool repeated;
} rows[] = {
    {0, false},
    {HAFT_DESTRUCTIVE, false},
    {HAFT_IDEMPOTENT, true},
    {HAFT_READ_ONLY, true},
};

TEST(a_function_whose_process_is_killed_runs_again_only_if_it_may)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        world w;
        help_host h;
        haft_run *run = NULL;
        char id[HAFT__ID_LENGTH + 1];
        set_up(&w);
        kill_inside(&w, rows[i].traits, id);
        help_host_init(&h, w.url);
        CHECK_INT(haft_run_open(h.runtime, id, &run, &h.err), HAFT_BAD_INPUT,
                  "without the function it cannot continue");
        CHECK(strstr(h.err.message, "the function \"f\"") != NULL, "%s", h.err.message);
        CHECK_INT(haft_graph_function_add(h.runtime, "f", have_effect, &w, rows[i].traits, &h.err),
                  HAFT_OK, "%s", h.err.message);
        CHECK_INT(haft_run_open(h.runtime, id, &run, &h.err), HAFT_OK, "%s", h.err.message);
        help_host_settle(&h, run);
        CHECK_INT(count_effects(&w), rows[i].repeated ? 2 : 1, "row %zu: effects", i);
        CHECK_INT(haft_run_state(run), rows[i].repeated ? HAFT_ENDED : HAFT_WAITING, "row %zu", i);
        if (!rows[i].repeated) { /* its outcome is unknown: a person says what it was */
            CHECK_INT(run->state.calls[0].pause, HAFT__PAUSE_UNKNOWN_OUTCOME, "row %zu", i);
            CHECK_INT(haft_run_answer(run, NULL, "{\"update\":{\"out\":\"by hand\"}}", &h.err),
                      HAFT_OK, "%s", h.err.message);
            help_host_settle(&h, run);
        }
        CHECK_STR(haft_run_answer_text(run), haft__str(rows[i].repeated ? "again" : "by hand"),
                  "row %zu", i);
        CHECK_INT(count_effects(&w), rows[i].repeated ? 2 : 1, "row %zu: effects at the end", i);
        haft_run_release(run);
        help_host_finish(&h);
        tear_down(&w);
    }
}
