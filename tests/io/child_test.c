/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/io/child.c, with programs of every system. */
#include "io/child.h"

#include <pthread.h>
#include <sys/resource.h>

#include "base/buf.h"
#include "base/limits.h"
#include "process_help.h"

#define CAP 100000

/* A child and its reported result. */
typedef struct outcome {
    int times;
    haft__child_result result;
    const char *output, *errors, *report;
} outcome;

static const outcome nothing = {.output = "", .errors = "", .report = ""};

static char *keep(haft_str text)
{
    char *copy = test_alloc(text.len + 1);
    memcpy(copy, text.len > 0 ? text.ptr : "", text.len);
    copy[text.len] = '\0';
    return copy;
}

static void on_done(void *context, const haft__child_result *result)
{
    outcome *t = context;
    t->times++;
    t->result = *result;
    t->output = keep(result->output);
    t->errors = keep(result->errors);
    t->report = keep(result->report);
}

static haft__loop *loop;
static haft__child_group group;
static int fds;

static const char *const env[] = {"PATH=/usr/bin:/bin", NULL};

/* The loop runs once before descriptors are counted: libuv keeps two of its own. */
static void begin(void)
{
    haft__loop *first = NULL;
    haft__child *child = NULL;
    const char *const argv[] = {"/bin/true", NULL};
    haft__child_options options = {.group = &group, .argv = argv, .env = env};
    CHECK_INT(haft__loop_create(&first, NULL), HAFT_OK, "cannot create the loop");
    CHECK_INT(haft__child_start(first, &options, &child, NULL), HAFT_OK, "no child");
    haft__child_group_finish(&group);
    haft__loop_destroy(first);
    fds = help_count_fds();
    CHECK_INT(haft__loop_create(&loop, NULL), HAFT_OK, "cannot create the loop");
}

static void end(void)
{
    haft__child_group_finish(&group);
    CHECK(group.first == NULL, "children are left");
    haft__loop_destroy(loop);
    CHECK_INT(help_count_fds(), fds, "descriptors");
    CHECK(!help_has_children(), "processes are left");
}

/* sh -c SCRIPT */
static haft__child_options shell(const char **argv, const char *script, outcome *t)
{
    argv[0] = "/bin/sh";
    argv[1] = "-c";
    argv[2] = script;
    argv[3] = NULL;
    *t = nothing;
    return (haft__child_options){.group = &group,
                                 .argv = argv,
                                 .env = env,
                                 .max_output = CAP,
                                 .done = on_done,
                                 .context = t};
}

static haft__child *start(const haft__child_options *options)
{
    haft__child *child = NULL;
    haft_error err = {0};
    CHECK_INT(haft__child_start(loop, options, &child, &err), HAFT_OK, "%s", err.message);
    return child;
}

static void step_until_reported(const outcome *t)
{
    uint64_t begun = haft__loop_now(loop);
    CHECK_INT(t->times, 0, "a result was reported before haft__child_start returned");
    while (t->times == 0 && haft__loop_now(loop) - begun < HELP_PATIENCE_MS) {
        CHECK_INT(haft__loop_step(loop, 1000, NULL), HAFT_OK, "the loop step failed");
    }
    CHECK_INT(t->times, 1, "reports");
}

static void run(const char *script, haft_str input, outcome *t)
{
    const char *argv[4];
    haft__child_options options = shell(argv, script, t);
    options.input = input;
    options.report = true;
    (void)start(&options);
    step_until_reported(t);
}

TEST(a_program_gets_its_input_and_its_end_is_reported)
{
    static const struct {
        const char *script, *input, *output, *errors, *report;
        int status, signal;
    } cases[] = {
        {"cat", "some text", "some text", "", "", 0, 0},
        {"cat /dev/stdin | tee /dev/stderr", "again", "again", "again", "", 0, 0},
        {"echo out; echo err >&2; echo rep >&3; exit 3", "", "out\n", "err\n", "rep", 3, 0},
        {"echo ended >&3", "", "", "", "", 0, 0},
        {"kill -9 $$", "unread", "", "", "", 0, SIGKILL},
        {"kill -TERM $$", "", "", "", "", 0, SIGTERM},
        {"exec 0<&- 1>&- 2>&- 3>&-; exit 127", "unread", "", "", "", 127, 0},
        {"cat; echo behind", "", "behind\n", "", "", 0, 0},
    };
    begin();
    for (size_t i = 0; i < COUNT(cases); i++) {
        outcome t;
        run(cases[i].script, haft__str(cases[i].input), &t);
        CHECK_STR(haft__str(t.output), haft__str(cases[i].output), "%s", cases[i].script);
        CHECK_STR(haft__str(t.errors), haft__str(cases[i].errors), "%s", cases[i].script);
        CHECK_STR(haft__str(t.report), haft__str(cases[i].report), "%s", cases[i].script);
        CHECK_INT(t.result.status, cases[i].status, "%s", cases[i].script);
        CHECK_INT(t.result.signal, cases[i].signal, "%s", cases[i].script);
        CHECK(!t.result.output_cut && !t.result.no_memory,
              "%s: the output was cut, or memory was short", cases[i].script);
    }
    end();
}

TEST(environment_and_directory_are_not_inherited)
{
    begin();
    CHECK_INT(setenv("HAFT_TEST_SECRET", "x", 1), 0, "setenv");
    const char *argv[] = {"/usr/bin/env", NULL};
    outcome t = nothing;
    haft__child_options options = {.group = &group,
                                   .argv = argv,
                                   .env = env,
                                   .cwd = "/",
                                   .max_output = CAP,
                                   .done = on_done,
                                   .context = &t};
    (void)start(&options);
    step_until_reported(&t);
    CHECK_STR(haft__str(t.output), HAFT__LIT("PATH=/usr/bin:/bin\n"), "the environment");
    argv[0] = "/bin/pwd";
    t = nothing;
    (void)start(&options);
    step_until_reported(&t);
    CHECK_STR(haft__str(t.output), HAFT__LIT("/\n"), "the working directory");
    (void)unsetenv("HAFT_TEST_SECRET");
    end();
}

TEST(large_input_and_output_pass_through)
{
    begin();
    size_t size = 3 << 20;
    char *input = test_alloc(size);
    for (size_t i = 0; i < size; i++) {
        input[i] = (char)(i * 31 + i / 4096);
    }
    const char *argv[4];
    outcome t;
    haft__child_options options = shell(argv, "cat; cat", &t);
    options.input = (haft_str){input, size};
    options.max_output = size; /* exactly the limit */
    (void)start(&options);
    step_until_reported(&t);
    CHECK_INT(t.result.output.len, size, "bytes");
    CHECK(memcmp(t.output, input, size) == 0, "the output differs from the input");
    CHECK(!t.result.output_cut, "the output was cut");
    end();
}

/* The program ends before its output is read, and the pipe has more bytes than one read returns. */
TEST(remaining_output_is_read_at_the_end)
{
    static const struct {
        const char *script;
        size_t output, errors;
    } cases[] = {{"head -c 60000 /dev/zero", 60000, 0},
                 {"head -c 60000 /dev/zero >&2; head -c 65000 /dev/zero", 65000,
                  HAFT__LIMIT_CHILD_ERROR_BYTES},
                 {"exit 0", 0, 0}};
    begin();
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *argv[4];
        outcome t;
        haft__child_options options = shell(argv, cases[i].script, &t);
        (void)start(&options);
        siginfo_t ended;
        CHECK_INT(waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT), 0, "%s", cases[i].script);
        step_until_reported(&t);
        CHECK_INT(t.result.output.len, cases[i].output, "%s", cases[i].script);
        CHECK_INT(t.result.errors.len, cases[i].errors, "%s", cases[i].script);
    }
    end();
}

static volatile sig_atomic_t pipe_signals;

static void on_pipe_signal(int number)
{
    (void)number;
    pipe_signals++;
}

TEST(unread_input_is_not_an_error)
{
    begin();
    struct sigaction before, counting = {.sa_handler = on_pipe_signal};
    (void)sigaction(SIGPIPE, &counting, &before);
    size_t size = 1 << 20;
    char *input = test_alloc(size);
    memset(input, 'x', size);
    static const char *const scripts[] = {"exec 0<&-; echo done", "read line <&0; echo done",
                                          "head -c 1 >/dev/null; sleep 0.01; echo done"};
    for (size_t i = 0; i < COUNT(scripts); i++) {
        for (int round = 0; round < 5; round++) {
            outcome t;
            run(scripts[i], (haft_str){input, size}, &t);
            CHECK_STR(haft__str(t.output), HAFT__LIT("done\n"), "%s", scripts[i]);
            CHECK_INT(t.result.status, 0, "%s", scripts[i]);
        }
    }
    CHECK_INT(pipe_signals, 0, "SIGPIPE signals");
    (void)sigaction(SIGPIPE, &before, NULL);
    sigset_t mask;
    (void)pthread_sigmask(SIG_BLOCK, NULL, &mask);
    CHECK_INT(sigismember(&mask, SIGPIPE), 0, "SIGPIPE is still blocked");
    end();
}

TEST(output_past_the_cap_ends_the_program)
{
    static const struct {
        const char *script;
        bool cut;
    } cases[] = {
        {"head -c 99999 /dev/zero", false},
        {"head -c 100000 /dev/zero", false},
        {"head -c 100001 /dev/zero", true},
        {"head -c 100001 /dev/zero; exec sleep 1000", true},
        {"yes", true},
        {"trap '' TERM PIPE; while :; do echo on and on; done 2>/dev/null", true},
    };
    begin();
    for (size_t i = 0; i < COUNT(cases); i++) {
        outcome t;
        run(cases[i].script, HAFT__LIT(""), &t);
        CHECK_INT(t.result.output_cut, cases[i].cut, "%s", cases[i].script);
        CHECK_INT(t.result.output.len, cases[i].cut ? CAP : t.result.output.len,
                  "%s: bytes of the output", cases[i].script);
    }
    end();
}

TEST(the_end_of_standard_error_is_stored)
{
    static const struct {
        unsigned bytes, kept;
    } cases[] = {{HAFT__LIMIT_CHILD_ERROR_BYTES, HAFT__LIMIT_CHILD_ERROR_BYTES},
                 {HAFT__LIMIT_CHILD_ERROR_BYTES + 1, HAFT__LIMIT_CHILD_ERROR_BYTES},
                 {5000, 5000},
                 {1000000, HAFT__LIMIT_CHILD_ERROR_BYTES}};
    begin();
    for (size_t i = 0; i < COUNT(cases); i++) {
        char script[160];
        outcome t;
        (void)snprintf(script, sizeof(script),
                       "(printf A; head -c %u /dev/zero; printf Z) >&2; head -c 1000 /dev/zero >&3",
                       cases[i].bytes - 2);
        run(script, HAFT__LIT(""), &t);
        size_t length = t.result.errors.len;
        CHECK_INT(length, cases[i].kept, "%u bytes", cases[i].bytes);
        CHECK(length > 0 && t.errors[length - 1] == 'Z', "%u bytes: the end is missing",
              cases[i].bytes);
        CHECK_INT(t.errors[0] == 'A', cases[i].bytes == cases[i].kept, "%u bytes: the beginning",
                  cases[i].bytes);
        CHECK(t.result.report.len >= 100 && t.result.report.len < 1000, "the length of the report");
    }
    end();
}

TEST(a_process_that_keeps_the_output_open_does_not_delay_the_report)
{
    begin();
    const char *folder = help_folder(), *file = help_path(folder, "id");
    char script[PATH_MAX + 64];
    (void)snprintf(script, sizeof(script), "sleep 1000 & echo $! >%s; echo mine", file);
    outcome t;
    run(script, HAFT__LIT(""), &t);
    CHECK_STR(haft__str(t.output), HAFT__LIT("mine\n"), "the output of the program itself");
    pid_t other = help_read_id(file);
    CHECK(other > 0 && help_is_alive(other), "the other process did not stay alive");
    (void)kill(other, SIGKILL);
    CHECK(help_is_gone(other), "the other process does not end");
    help_remove(folder);
    end();
}

/* Steps until the children are gone. */
static void step_until_empty(void)
{
    uint64_t begun = haft__loop_now(loop);
    while (group.first != NULL && haft__loop_now(loop) - begun < HELP_PATIENCE_MS) {
        CHECK_INT(haft__loop_step(loop, 1000, NULL), HAFT_OK, "the loop step failed");
    }
    CHECK(group.first == NULL, "a child is left");
}

TEST(a_killed_child_makes_no_report_and_leaves_no_process)
{
    static const char *const scripts[] = {
        "sleep 3",
        "exec sleep 1000",
        "trap '' TERM INT HUP; while :; do sleep 0.01; done",
        "kill -STOP $$",
        "yes",
        "exit 0",
    };
    static const uint64_t graces[] = {0, 20};
    begin();
    for (size_t i = 0; i < 2 * COUNT(scripts); i++) {
        const char *argv[4];
        outcome t;
        haft__child_options options = shell(argv, scripts[i / 2], &t);
        char input[] = "may be gone";
        options.input = (haft_str){input, sizeof(input)};
        options.grace = graces[i % 2];
        haft__child *child = start(&options);
        for (size_t step = 0; step < i % 3; step++) {
            CHECK_INT(haft__loop_step(loop, 1, NULL), HAFT_OK, "the loop step failed");
        }
        if (t.times == 0) {
            haft__child_kill(child);
        }
        int before = t.times;
        step_until_empty();
        CHECK_INT(t.times, before, "%s: reports", scripts[i / 2]);
    }
    end();
}

TEST(shutdown_waits_for_killed_children)
{
    static const char *const scripts[] = {"sleep 3", "trap '' TERM; while :; do sleep 0.01; done",
                                          "exit 0"};
    static const uint64_t graces[] = {0, 10};
    for (size_t i = 0; i < 2 * COUNT(scripts); i++) {
        begin();
        const char *argv[4];
        outcome t;
        haft__child_options options = shell(argv, scripts[i / 2], &t);
        options.grace = graces[i % 2];
        haft__child *child = start(&options);
        (void)start(&options);
        haft__child_kill(child);
        end();
        CHECK_INT(t.times, 0, "%s: reports", scripts[i / 2]);
    }
}

TEST(many_children_run_at_the_same_time)
{
    begin();
    outcome outcomes[20];
    for (size_t i = 0; i < COUNT(outcomes); i++) {
        const char *argv[4];
        haft__child_options options = shell(argv, "cat; exit 7", &outcomes[i]);
        options.input = HAFT__LIT("text");
        (void)start(&options);
    }
    for (size_t i = 0; i < COUNT(outcomes); i++) {
        while (outcomes[i].times == 0) {
            CHECK_INT(haft__loop_step(loop, 1000, NULL), HAFT_OK, "the loop step failed");
        }
        CHECK_STR(haft__str(outcomes[i].output), HAFT__LIT("text"), "child %zu", i);
        CHECK_INT(outcomes[i].result.status, 7, "child %zu", i);
    }
    end();
}

TEST(a_program_that_cannot_be_started_is_reported)
{
    begin();
    static const struct {
        const char *program, *cwd, *message;
        haft_status status;
    } cases[] = {
        {"/no/such/program", NULL, "/no/such/program cannot be started: no such file or directory",
         HAFT_NOT_FOUND},
        {"/bin/true", "/no/such/folder",
         "/bin/true cannot be started in /no/such/folder: no such file or directory",
         HAFT_NOT_FOUND},
        {"/etc/passwd", NULL, "/etc/passwd cannot be started: permission denied", HAFT_IO},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *argv[4];
        outcome t;
        haft__child_options options = shell(argv, "", &t);
        options.cwd = cases[i].cwd;
        argv[0] = cases[i].program;
        haft__child *child = NULL;
        haft_error err = {0};
        CHECK_INT(haft__child_start(loop, &options, &child, &err), cases[i].status, "case %zu", i);
        CHECK_STR(haft__str(err.message), haft__str(cases[i].message), "case %zu", i);
    }
    end();
}

TEST(too_few_descriptors_are_reported)
{
    begin();
    struct rlimit before, few;
    (void)getrlimit(RLIMIT_NOFILE, &before);
    for (rlim_t more = 0; more < 12; more++) {
        const char *argv[4];
        outcome t;
        haft__child_options options = shell(argv, "exit 0", &t);
        options.report = true;
        few = before;
        few.rlim_cur = (rlim_t)help_count_fds() + more
                       - 3; /* help_count_fds counts three more: ".", ".." and its directory */
        (void)setrlimit(RLIMIT_NOFILE, &few);
        haft__child *child = NULL;
        haft_error err = {0};
        haft_status status = haft__child_start(loop, &options, &child, &err);
        (void)setrlimit(RLIMIT_NOFILE, &before);
        if (status == HAFT_OK) {
            CHECK(more > 4, "it succeeds with only %d more descriptors", (int)more);
            step_until_reported(&t);
        } else {
            CHECK_INT(status, HAFT_IO, "%s", err.message);
        }
    }
    end();
}

TEST(a_child_is_ended_if_an_allocation_fails)
{
    begin();
    for (unsigned n = 0;; n++) {
        const char *argv[4];
        outcome t;
        haft__child_options options = shell(argv, "yes | head -c 90000", &t);
        haft__child *child = NULL;
        test_fail_allocations_from(n);
        haft_status status = haft__child_start(loop, &options, &child, NULL);
        uint64_t begun = haft__loop_now(loop);
        while (status == HAFT_OK && t.times == 0
               && haft__loop_now(loop) - begun < HELP_PATIENCE_MS) {
            CHECK_INT(haft__loop_step(loop, 1000, NULL), HAFT_OK, "the loop step failed");
        }
        bool failed = test_allow_allocations();
        if (!failed) {
            CHECK_INT(t.result.output.len, 90000, "bytes");
            break;
        }
        CHECK_INT(status, n == 0 ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        CHECK_INT(t.result.no_memory, n > 0, "allocation %u", n);
    }
    end();
}

/* ---- interactive programs ---- */

typedef struct interactive_case {
    outcome ended; /* first, because on_done gets its address */
    haft__buf on_output;
} interactive_case;

static void on_output_bytes(void *context, haft_str bytes)
{
    interactive_case *t = context;
    haft__buf_add_str(&t->on_output, bytes);
}

static haft__child *start_with_grace(const char **argv, const char *script, interactive_case *t,
                                     uint64_t stdin_grace, uint64_t grace)
{
    haft__child_options options = shell(argv, script, &t->ended);
    haft__buf_init(&t->on_output, CAP);
    options.on_output = on_output_bytes;
    options.max_unread = CAP;
    options.stdin_grace = stdin_grace;
    options.grace = grace;
    return start(&options);
}

static haft__child *start_interactive(const char **argv, const char *script, interactive_case *t)
{
    return start_with_grace(argv, script, t, HELP_PATIENCE_MS, HELP_PATIENCE_MS);
}

static void step_until_output(interactive_case *t, const char *wanted)
{
    uint64_t begun = haft__loop_now(loop);
    while (t->on_output.len < strlen(wanted) && t->ended.times == 0
           && haft__loop_now(loop) - begun < HELP_PATIENCE_MS) {
        CHECK_INT(haft__loop_step(loop, 1000, NULL), HAFT_OK, "the loop step failed");
    }
    CHECK_STR(haft__buf_str(&t->on_output), haft__str(wanted), "the output so far");
    haft__buf_clear(&t->on_output);
}

TEST(a_program_can_be_interactive)
{
    const char *argv[4];
    interactive_case t;
    begin();
    haft__child *child = start_interactive(argv, "cat", &t);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(haft__child_write(child, HAFT__LIT("one"), NULL), HAFT_OK, "write");
        CHECK_INT(haft__child_write(child, HAFT__LIT(" two\n"), NULL), HAFT_OK, "write");
        step_until_output(&t, "one two\n");
    }
    haft__child_kill(child); /* cat exits at the end of its input, without a signal */
    end();
    CHECK_INT(t.ended.times, 0, "the end of a killed child was reported");
    haft__buf_finish(&t.on_output);
}

TEST(the_last_output_of_a_program_arrives_before_its_end)
{
    const char *argv[4];
    interactive_case t;
    begin();
    haft__child *child = start_interactive(argv, "read x; echo \"$x\"; echo why >&2; exit 3", &t);
    CHECK_INT(haft__child_write(child, HAFT__LIT("last words\n"), NULL), HAFT_OK, "write");
    step_until_reported(&t.ended);
    CHECK_STR(haft__buf_str(&t.on_output), HAFT__LIT("last words\n"), "the output");
    CHECK_INT(t.ended.result.status, 3, "status");
    CHECK_STR(haft__str(t.ended.errors), HAFT__LIT("why\n"), "errors");
    haft__buf_finish(&t.on_output);
    end();
}

TEST(a_program_that_closes_its_input_is_ended)
{
    const char *argv[4];
    interactive_case t;
    begin();
    haft__child *child =
        start_with_grace(argv, "exec 0<&-; echo gone; exec sleep 1000", &t, 10, HELP_PATIENCE_MS);
    step_until_output(&t, "gone\n");
    CHECK_INT(haft__child_write(child, HAFT__LIT("hello\n"), NULL), HAFT_OK,
              "a write before the closed input is known");
    step_until_reported(&t.ended);
    CHECK_INT(t.ended.result.signal, SIGTERM, "signal");
    CHECK(t.ended.result.stdin_closed, "the reason is missing");
    haft__buf_finish(&t.on_output);
    end();
}

/* Its end would never be reported, because the program is alive. */
TEST(a_program_that_closes_its_output_is_ended)
{
    const char *argv[4];
    interactive_case t;
    begin();
    (void)start_with_grace(argv, "exec 1>&-; exec sleep 1000", &t, 10, HELP_PATIENCE_MS);
    step_until_reported(&t.ended);
    CHECK_INT(t.ended.result.signal, SIGTERM, "signal");
    CHECK(t.ended.result.stdout_closed && !t.ended.result.stdin_closed, "the reason is missing");
    haft__buf_finish(&t.on_output);
    end();
}

TEST(a_program_that_closes_its_output_and_exits_has_a_status)
{
    const char *argv[4];
    interactive_case t;
    begin();
    (void)start_interactive(argv, "exec 1>&-; sleep 0.05; exit 4", &t);
    step_until_reported(&t.ended);
    CHECK_INT(t.ended.result.status, 4, "status");
    CHECK(!t.ended.result.stdout_closed && !t.ended.result.stdin_closed,
          "the program was ended because of its output");
    haft__buf_finish(&t.on_output);
    end();
}

TEST(the_unread_input_of_a_program_is_bounded)
{
    static char much[CAP];
    const char *argv[4];
    interactive_case t;
    begin();
    haft__child *child = start_with_grace(argv, "exec sleep 1000", &t, 10, HELP_PATIENCE_MS);
    memset(much, 'x', sizeof(much));
    CHECK_INT(haft__child_write(child, (haft_str){much, CAP}, NULL), HAFT_OK, "at the limit");
    haft_error err = {0};
    CHECK_INT(haft__child_write(child, HAFT__LIT("x"), &err), HAFT_TOO_BIG, "past the limit");
    CHECK_INT(haft__loop_step(loop, 0, NULL), HAFT_OK, "step"); /* the pipe takes some bytes */
    CHECK_INT(haft__child_write(child, HAFT__LIT("x"), &err), HAFT_OK,
              "a write after the pipe took some bytes: %s", err.message);
    haft__child_kill(child);
    haft__child_kill(child); /* a second kill has no effect */
    haft__buf_finish(&t.on_output);
    end();
}

TEST(a_program_that_died_before_a_write_has_a_status)
{
    const char *argv[4];
    interactive_case t;
    begin();
    haft__child *child = start_interactive(argv, "exec 0<&-; echo gone; sleep 0.05; exit 4", &t);
    step_until_output(&t, "gone\n");
    CHECK_INT(haft__child_write(child, HAFT__LIT("hello\n"), NULL), HAFT_OK,
              "a write before the end is known");
    step_until_reported(&t.ended);
    CHECK_INT(t.ended.result.status, 4, "status");
    CHECK(!t.ended.result.stdin_closed, "the program was ended because of its input");
    haft__buf_finish(&t.on_output);
    end();
}

/* A program can complete its actions at the end of its input and at SIGTERM, even with much
 * output, when all children are ended at once, with steps of the loop and without. */
TEST(a_program_has_time_to_exit)
{
    static const struct {
        const char *name, *script, *wrote;
        uint64_t stdin_grace, grace;
    } rows[] = {
        {"at the end of its input", "echo on; cat; yes | head -c 300000; echo over >$f", "over\n",
         HELP_PATIENCE_MS, HELP_PATIENCE_MS},
        {"at SIGTERM",
         "trap 'yes | head -c 300000; echo term >$f; exit' TERM; echo on; while :; do sleep "
         "0.01; done",
         "term\n", 10, HELP_PATIENCE_MS},
        {"at neither", "trap '' TERM; echo on; while :; do sleep 0.01; done; echo >$f", "", 10, 10},
    };
    for (size_t i = 0; i < 2 * COUNT(rows); i++) {
        const char *argv[4], *folder = help_folder(), *file = help_path(folder, "it");
        char script[512], found[16] = "";
        interactive_case t;
        begin();
        (void)snprintf(script, sizeof(script), "f=%s; %s", file, rows[i / 2].script);
        haft__child *child =
            start_with_grace(argv, script, &t, rows[i / 2].stdin_grace, rows[i / 2].grace);
        step_until_output(&t, "on\n");
        haft__child_kill(child);
        uint64_t begun = haft__loop_now(loop);
        while (i % 2 == 0 && group.first != NULL
               && haft__loop_now(loop) - begun < HELP_PATIENCE_MS) {
            CHECK_INT(haft__loop_step(loop, 1000, NULL), HAFT_OK, "the loop step failed");
        }
        haft__child_group_finish(&group);
        FILE *stream = fopen(file, "r");
        if (stream != NULL) {
            found[fread(found, 1, sizeof(found) - 1, stream)] = '\0';
            (void)fclose(stream);
        }
        CHECK_STR(haft__str(found), haft__str(rows[i / 2].wrote), "%s", rows[i / 2].name);
        haft__buf_finish(&t.on_output);
        help_remove(folder);
        end();
    }
}

TEST(a_program_that_ignores_the_end_of_its_input_is_killed)
{
    const char *argv[4];
    interactive_case t;
    begin();
    haft__child_options options = shell(argv, "exec sleep 1000", &t.ended);
    haft__buf_init(&t.on_output, CAP);
    options.on_output = on_output_bytes;
    options.stdin_grace = 10;
    options.grace = HELP_PATIENCE_MS;
    haft__child_kill(start(&options));
    uint64_t begun = haft__loop_now(loop);
    while (group.first != NULL && haft__loop_now(loop) - begun < HELP_PATIENCE_MS) {
        CHECK_INT(haft__loop_step(loop, 1000, NULL), HAFT_OK, "the loop step failed");
    }
    CHECK(group.first == NULL, "the child is left");
    (void)start(&options); /* the end of the group ends it, too */
    haft__buf_finish(&t.on_output);
    end();
}
