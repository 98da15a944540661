/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/command/command.c, with programs of every system. */
#include <sys/prctl.h>

#include "base/buf.h"
#include "base/limits.h"
#include "exec/exec_help.h"
#include "io/session.h"
#include "json/write.h"

/* ["sh","-c",SCRIPT] as the command of a tool. */
static const char *shell(const char *script)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    haft__buf_addf(&buf, "{\"command\":[\"sh\",\"-c\",");
    haft__json_write_string(&buf, haft__str(script));
    haft__buf_addf(&buf, "]}");
    haft__buf_add_char(&buf, '\0');
    CHECK(buf.status == HAFT_OK, "too long: %s", script);
    const char *text = buf.ptr != NULL ? help_keep(haft__buf_str(&buf)).ptr : "{}";
    haft__buf_finish(&buf);
    return text;
}

static void run(help_exec *f, help_call *c, const char *definition, const char *arguments)
{
    help_init_call(f, c, HAFT__TOOL_COMMAND, definition, arguments);
    help_start(f, c);
    help_wait(f, c);
}

TEST(a_command_gets_its_arguments_and_its_output_is_the_result)
{
    static const struct {
        const char *definition, *arguments, *output;
    } cases[] = {
        {"{\"command\":[\"cat\"]}", "{\"a\": [1.50, null], \"b\": \"\\u00e9\"}",
         "{\"a\":[1.50,null],\"b\":\"\xc3\xa9\"}"},
        {"{\"command\":[\"wc\",\"-w\"],\"stdin\":\"{text}\"}", "{\"text\":\"a b  c\"}", "3"},
        {"{\"command\":[\"cat\",\"-n\"],\"stdin\":\"\"}", "", ""},
        {"{\"command\":[\"printf\",\"%s|\",\"{text}\",\"$HOME\",\"*\",\"\"]}", "{\"text\":\"x\"}",
         "{text}|$HOME|*||"},
        {"{\"command\":[\"printf\",\"a\\n\\n\"]}", "", "a\n"},
        {"{\"command\":[\"printf\",\"na\\\\357ve\"]}", "", "na?ve"},
    };
    help_exec f;
    help_begin(&f);
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_call c;
        run(&f, &c, cases[i].definition, cases[i].arguments);
        CHECK(c.result.ok && c.result.started, "%s: %.*s", cases[i].definition,
              HAFT__ARG(c.result.text));
        CHECK_STR(c.result.text, haft__str(cases[i].output), "%s", cases[i].definition);
    }
    help_end(&f);
}

TEST(binary_output_is_kept_as_it_is)
{
    help_exec f;
    help_call c;
    help_begin(&f);
    run(&f, &c, "{\"command\":[\"printf\",\"a\\\\000\\\\377\\n\"]}", "");
    CHECK(c.result.ok && c.result.started && c.result.blob_count == 1, "%.*s",
          HAFT__ARG(c.result.text));
    CHECK_STR(c.result.text, HAFT__LIT(""), "the text of a binary result");
    CHECK_STR(c.blob, ((haft_str){"a\0\377\n", 4}), "the bytes, with the last line feed");
    CHECK_STR(c.blob_type, HAFT__LIT("application/octet-stream"), "the type of unknown bytes");
    run(&f, &c, "{\"command\":[\"printf\",\"\\\\211PNG\\\\r\\\\n\\\\032\\\\n\"]}", "");
    CHECK_STR(c.blob_type, HAFT__LIT("image/png"), "the type of a PNG image");
    run(&f, &c, "{\"command\":[\"sh\",\"-c\",\"printf '\\\\000'; exit 3\"]}", "");
    CHECK(!c.result.ok && c.result.blob_count == 0, "a failed command has a binary result");
    help_end(&f);
}

#define FACTS                                                                                      \
    "HAFT_ATTEMPT=1\nHAFT_CALL=c1.1\nHAFT_EPOCH=3\nHAFT_IDEMPOTENCY_KEY=key-1\n"                   \
    "HAFT_REMAINING_TURNS=0\nHAFT_RUN=run\nHAFT_THREAD=thread\n"

TEST(a_command_gets_only_its_own_environment)
{
    static const struct {
        const char *env, *output;
    } cases[] = {
        {"{}", FACTS "HOME=/nowhere\nLANG=C.UTF-8\nPATH=/usr/bin:/bin"},
        {"{\"TOKEN\":\"<${TOKEN}>\",\"LANG\":\"C\",\"EMPTY\":\"\",\"HAFT_IDEMPOTENCY_KEY\":\"x\","
         "\"HAFT_EPOCH\":\"9\"}",
         "EMPTY=\n" FACTS "HOME=/nowhere\nLANG=C\nPATH=/usr/bin:/bin\nTOKEN=<s3cr3t>"},
    };
    help_exec f;
    help_begin(&f);
    CHECK_INT(setenv("HAFT_TEST_SECRET", "x", 1), 0, "setenv");
    for (size_t i = 0; i < COUNT(cases); i++) {
        char definition[512];
        help_call c;
        (void)snprintf(definition, sizeof(definition), "{\"command\":[\"env\"],\"env\":%s}",
                       cases[i].env);
        run(&f, &c, definition, "");
        CHECK(c.result.ok, "%.*s", HAFT__ARG(c.result.text));
        char *lines[32], *text = test_alloc(c.result.text.len + 1);
        size_t count = 0;
        haft_str rest = c.result.text;
        while (rest.len > 0 && count < COUNT(lines)) {
            haft_str line = haft__str_split(&rest, '\n');
            lines[count] = test_alloc(line.len + 1);
            memcpy(lines[count], line.ptr, line.len);
            lines[count++][line.len] = '\0';
        }
        size_t length = 0;
        while (count > 0) { /* the lines in their order */
            size_t first = 0;
            for (size_t k = 1; k < count; k++) {
                first = strcmp(lines[k], lines[first]) < 0 ? k : first;
            }
            length += (size_t)snprintf(text + length, c.result.text.len + 1 - length, "%s%s",
                                       length > 0 ? "\n" : "", lines[first]);
            lines[first] = lines[--count];
        }
        CHECK_STR(((haft_str){text, length}), haft__str(cases[i].output), "case %zu", i);
    }
    (void)unsetenv("HAFT_TEST_SECRET");
    help_end(&f);
}

TEST(a_command_runs_in_the_directory_of_its_spec)
{
    help_exec f;
    help_begin(&f);
    const char *folder = help_folder(), *script = help_path(folder, "script");
    help_write(script, "#!/bin/sh\npwd -P\n", 0755);
    help_call c;
    f.spec.path = haft__str(help_path(folder, "spec.yaml"));
    run(&f, &c, "{\"command\":[\"./script\"]}", "");
    CHECK_STR(c.result.text, haft__str(folder), "the directory of the spec");
    f.spec.path = HAFT__LIT("/spec.yaml");
    run(&f, &c, "{\"command\":[\"pwd\"]}", "");
    CHECK_STR(c.result.text, HAFT__LIT("/"), "a spec in the root directory");
    char here[PATH_MAX];
    CHECK(getcwd(here, sizeof(here)) != NULL, "no working directory");
    f.spec.path = HAFT__LIT("spec.yaml");
    run(&f, &c, "{\"command\":[\"pwd\"]}", "");
    CHECK_STR(c.result.text, haft__str(here), "a spec in the working directory");
    f.spec.path = HAFT__LIT("");
    run(&f, &c, "{\"command\":[\"pwd\"]}", "");
    CHECK_STR(c.result.text, haft__str(here), "a spec without a file");
    f.spec.path = HAFT__LIT("/no/such/folder/spec.yaml");
    run(&f, &c, "{\"command\":[\"pwd\"]}", "");
    CHECK(!c.result.ok && !c.result.started, "the command ran");
    CHECK_STR(c.result.where, HAFT__LIT("/no/such/folder"), "where");
    CHECK_STR(c.result.text,
              HAFT__LIT("cannot enter the directory of the spec: No such file or directory"),
              "text");
    help_remove(folder);
    help_end(&f);
}

TEST(the_reason_why_a_command_cannot_run_is_reported)
{
    help_exec f;
    help_begin(&f);
    const char *folder = help_folder(), *plain = help_path(folder, "plain");
    help_write(plain, "text", 0644);
    f.spec.path = haft__str(help_path(folder, "spec.yaml"));
    static const struct {
        const char *definition, *where, *text, *hint;
    } cases[] = {
        {"{\"command\":[\"no-such-program\",\"-x\"]}", "",
         "the program 'no-such-program' does not exist",
         "install it, or write its path relative to the spec"},
        {"{\"command\":[\"./plain\"]}", "", "the program './plain' is not executable",
         "make it executable: chmod +x"},
        {"{\"command\":[\"true\",\"a\\u0000b\"]}", "/command/1",
         "an argument of a program cannot contain a NUL", ""},
        {"{\"command\":[\"tr\\u0000ue\"]}", "/command/0",
         "an argument of a program cannot contain a NUL", ""},
        {"{\"command\":[\"true\"],\"env\":{\"A\":\"x\\u0000\"}}", "/env/A",
         "an argument of a program cannot contain a NUL", ""},
        {"{\"command\":[\"true\"],\"env\":{\"A=B\":\"x\"}}", "/env/A=B",
         "the name of a variable must not be empty or contain '='", ""},
        {"{\"command\":[\"true\"],\"env\":{\"\":\"x\"}}", "/env/",
         "the name of a variable must not be empty or contain '='", ""},
        {"{\"command\":[\"true\"],\"env\":{\"A\":\"${MISSING}\"}}", "/env/A",
         "the variable MISSING is not set", "set it in the environment or in .env"},
        {"{\"command\":[]}", "/command", "expected a program and its arguments", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_call c;
        run(&f, &c, cases[i].definition, "");
        CHECK(!c.result.ok && !c.result.started && !c.result.timed_out, "%s", cases[i].definition);
        CHECK_STR(c.result.where, haft__str(cases[i].where), "%s", cases[i].definition);
        CHECK_STR(c.result.text, haft__str(cases[i].text), "%s", cases[i].definition);
        CHECK_STR(c.result.hint, haft__str(cases[i].hint), "%s", cases[i].definition);
    }
    help_remove(folder);
    help_end(&f);
}

TEST(without_guard_no_command_runs)
{
    help_exec f;
    help_call c;
    help_begin_with(&f, "/no/such/guard", 0);
    run(&f, &c, "{\"command\":[\"true\"]}", "");
    CHECK(!c.result.ok && !c.result.started, "the command ran without guard");
    CHECK_STR(c.result.where, HAFT__LIT("/no/such/guard"), "where");
    CHECK_STR(c.result.text, HAFT__LIT("no such program, and commands run only under guard"),
              "text");
    CHECK(c.result.hint.len > 0, "no hint");
    help_end(&f);
    help_begin(&f);
    f.exec->guard[0] = '!'; /* guard was found before, and no longer exists */
    run(&f, &c, "{\"command\":[\"true\"]}", "");
    CHECK(!c.result.ok && !c.result.started, "the command ran without guard");
    CHECK(strstr(c.result.text.ptr, " cannot be started: no such file") != NULL, "%.*s",
          HAFT__ARG(c.result.text));
    help_end(&f);
}

TEST(a_command_has_limits_on_memory_time_and_files)
{
    help_exec f;
    help_call c;
    help_begin(&f);
    help_init_call(&f, &c, HAFT__TOOL_COMMAND,
                   shell("ulimit -v; ulimit -n; ulimit -c; [ $(ulimit -t) -ge 61 ] && echo time"),
                   "");
    c.call.timeout_ms = 60000;
    help_start(&f, &c);
    help_wait(&f, &c);
    char limits[128];
    (void)snprintf(limits, sizeof(limits), "%lld\n%d\n0\ntime",
                   (long long)HAFT__LIMIT_EXEC_MEMORY_MIB * 1024, HAFT__LIMIT_EXEC_FILES);
    CHECK_STR(c.result.text, haft__str(limits), "limits");
    /* dd allocates its block before it reads. */
    run(&f, &c, shell("dd if=/dev/zero of=/dev/null bs=4100M count=1"), "");
    CHECK(!c.result.ok && c.result.started, "the command used more than %d MiB",
          HAFT__LIMIT_EXEC_MEMORY_MIB);
    CHECK(strstr(c.result.text.ptr, "exit status 1: dd: memory exhausted") != NULL, "%.*s",
          HAFT__ARG(c.result.text));
    run(&f, &c, shell("dd if=/dev/null of=/dev/null bs=4000M count=1 2>&1 | tail -n 1 | wc -l"),
        "");
    CHECK_STR(c.result.text, HAFT__LIT("1"), "a command that uses a little less");
    help_end(&f);
}

TEST(output_up_to_the_cap_is_a_result)
{
    help_exec f;
    help_call c;
    help_begin(&f);
    char script[128];
    (void)snprintf(script, sizeof(script), "head -c %d /dev/zero", HAFT__LIMIT_TOOL_RESULT_BYTES);
    run(&f, &c, shell(script), "");
    CHECK(c.result.ok, "%.*s", HAFT__ARG(c.result.text));
    CHECK_INT(c.blob.len, HAFT__LIMIT_TOOL_RESULT_BYTES, "bytes of the result");
    (void)snprintf(script, sizeof(script), "head -c %d /dev/zero",
                   HAFT__LIMIT_TOOL_RESULT_BYTES + 1);
    run(&f, &c, shell(script), "");
    CHECK(!c.result.ok && c.result.started, "one byte more than the limit");
    CHECK_STR(c.result.text,
              HAFT__LIT("the program 'sh' printed more than the limit of 16777216 bytes"),
              "one byte more than the limit");
    run(&f, &c, shell("yes | head -c 1000000000"), "");
    CHECK(!c.result.ok && strstr(c.result.text.ptr, "printed more than") != NULL, "a gigabyte");
    run(&f, &c, shell("trap '' PIPE TERM; yes; yes; sleep 1000"), "");
    CHECK(!c.result.ok && strstr(c.result.text.ptr, "printed more than") != NULL,
          "output without end");
    help_end(&f);
}

/* Programs that do not end by themselves. Each writes to the file $1 the PID of a process that must
 * end too. */
static const char *const endless[] = {
    "echo $$ >$1; sleep 1000",
    "trap '' TERM INT HUP; echo $$ >$1; while :; do sleep 1000; done",
    "exec 0<&- 1>&- 2>&-; echo $$ >$1; sleep 1000",
    "(setsid sh -c 'echo $$ >'$1'; exec sleep 1000' &); sleep 1000",
    "kill -STOP $PPID; echo $$ >$1; sleep 1000",
};

static void make_endless(help_exec *f, help_call *c, size_t which, const char *file)
{
    char definition[512];
    (void)snprintf(definition, sizeof(definition),
                   "{\"command\":[\"sh\",\"-c\",\"%s\",\"sh\",\"%s\"]}", endless[which], file);
    help_init_call(f, c, HAFT__TOOL_COMMAND, definition, "");
}

TEST(a_command_that_times_out_is_killed_with_all_its_processes)
{
    help_exec f;
    help_begin(&f);
    const char *folder = help_folder();
    for (size_t i = 0; i < COUNT(endless); i++) {
        const char *file = help_path(folder, "id");
        help_call c;
        make_endless(&f, &c, i, file);
        c.call.timeout_ms = 300; /* enough to start; otherwise nothing has to be ended */
        help_start(&f, &c);
        help_wait(&f, &c);
        CHECK(!c.result.ok && c.result.timed_out && c.result.started && c.result.transient, "%s",
              endless[i]);
        CHECK_STR(c.result.text, HAFT__LIT("the call took longer than its timeout of 300 ms"), "%s",
                  endless[i]);
        help_settle(&f);
        pid_t other = access(file, R_OK) == 0 ? help_read_id(file) : 0;
        CHECK(other == 0 || !help_is_alive(other), "%s is still running", endless[i]);
        (void)unlink(file);
    }
    help_remove(folder);
    help_end(&f);
}

TEST(a_cancelled_command_is_killed_with_all_its_processes)
{
    help_exec f;
    help_begin(&f);
    const char *folder = help_folder();
    for (size_t i = 0; i < COUNT(endless); i++) {
        const char *file = help_path(folder, "id");
        help_call c;
        make_endless(&f, &c, i, file);
        help_start(&f, &c);
        pid_t other = help_read_id(file); /* not before it has started */
        CHECK(help_is_alive(other), "%s did not start", endless[i]);
        haft__exec_cancel(c.job);
        help_settle(&f);
        CHECK(!help_is_alive(other), "%s is still running", endless[i]);
        CHECK_INT(c.result_count, 0, "%s: reports", endless[i]);
        (void)unlink(file);
    }
    for (size_t i = 0; i < COUNT(endless); i++) { /* cancelled at once, without another step */
        help_call c;
        make_endless(&f, &c, i, help_path(folder, "id"));
        help_start(&f, &c);
        haft__exec_cancel(c.job);
    }
    help_end(&f);
    help_remove(folder);
}

TEST(guard_has_a_grace_period_to_end_a_command)
{
    help_exec f;
    help_call c;
    const char *folder = help_folder(), *file = help_path(folder, "id");
    const char *stubborn = help_path(folder, "guard");
    char script[PATH_MAX + 128];
    (void)snprintf(script, sizeof(script),
                   "#!/bin/sh\ntrap '' TERM\necho $$ >%s\nwhile :; do sleep 0.05; done\n", file);
    help_write(stubborn, script, 0755);
    help_begin_with(&f, stubborn, 0);
    help_init_call(&f, &c, HAFT__TOOL_COMMAND, "{\"command\":[\"true\"]}", "");
    help_start(&f, &c);
    pid_t guard = help_read_id(file);
    haft__exec_cancel(c.job);
    help_step(&f, 0); /* handles that were closed are gone afterwards */
    int left = haft__loop_timeout(f.loop);
    CHECK(left <= HAFT__LIMIT_EXEC_GRACE_MS && left > HAFT__LIMIT_EXEC_GRACE_MS / 2, "%d ms", left);
    CHECK(help_is_alive(guard), "guard was killed at once");
    (void)kill(guard, SIGKILL);
    help_settle(&f);
    help_end(&f);
    help_remove(folder);
}

TEST(processes_that_a_command_left_running_are_killed)
{
    help_exec f;
    help_begin(&f);
    const char *folder = help_folder(), *file = help_path(folder, "id");
    char script[512];
    help_call c;
    (void)snprintf(script, sizeof(script),
                   "(setsid sh -c 'echo $$ >%s; exec sleep 1000' &); "
                   "while ! [ -s %s ]; do :; done; echo mine",
                   file, file);
    run(&f, &c, shell(script), "");
    CHECK(c.result.ok, "%.*s", HAFT__ARG(c.result.text));
    CHECK_STR(c.result.text, HAFT__LIT("mine"), "the output of the command");
    pid_t other = help_read_id(file);
    CHECK(other > 0 && !help_is_alive(other), "a process that the command left is still running");
    help_remove(folder);
    help_end(&f);
}

/* The supervisor is the parent of guard, which is the parent of the program. */
#define SUPERVISOR "$(cut -d' ' -f4 /proc/$PPID/stat)"

TEST(a_command_that_kills_its_guard_has_an_unknown_outcome_and_leaves_no_process)
{
    static const char *const kills[] = {
        "kill -9 $PPID",
        "kill -9 " SUPERVISOR,
        "kill -9 $PPID " SUPERVISOR,
        "kill -9 -" SUPERVISOR, /* the whole process group */
        "kill -STOP $PPID; kill -9 " SUPERVISOR,
    };
    help_exec f;
    help_begin(&f);
    haft__session_adopt_orphans();
    const char *folder = help_folder(), *file = help_path(folder, "id");
    for (size_t i = 0; i < 2 * COUNT(kills); i++) {
        char script[512], start[256];
        help_call c;
        (void)snprintf(start, sizeof(start), "(%s sh -c 'echo $$ >%s; exec sleep 1000' &);",
                       i % 2 == 0 ? "" : "setsid", file);
        (void)snprintf(script, sizeof(script), "%s while ! [ -s %s ]; do :; done; %s; sleep 1000",
                       start, file, kills[i / 2]);
        run(&f, &c, shell(script), "");
        CHECK(!c.result.ok && c.result.started && c.result.lost, "%s: %.*s", script,
              HAFT__ARG(c.result.text));
        pid_t other = help_read_id(file);
        CHECK(other > 0 && help_is_gone(other), "%s: a process is still running", script);
        (void)unlink(file);
    }
    help_remove(folder);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 0);
    help_end(&f);
}

TEST(a_command_ends_when_its_parent_is_killed)
{
    const char *folder = help_folder(), *file = help_path(folder, "id");
    (void)fflush(stdout);
    pid_t parent = fork();
    if (parent == 0) {
        help_exec f;
        help_call c;
        help_begin(&f);
        make_endless(&f, &c, 3, file);
        help_start(&f, &c);
        for (;;) {
            help_step(&f, 1000);
        }
    }
    pid_t other = help_read_id(file);
    CHECK(help_is_alive(other), "the command did not start");
    (void)kill(parent, SIGKILL);
    CHECK_INT(waitpid(parent, NULL, 0), parent, "the parent did not end");
    CHECK(help_is_gone(other), "the command is still running");
    help_remove(folder);
}

TEST(a_hundred_commands_at_once_leave_no_process)
{
    help_exec f;
    help_begin(&f);
    static help_call calls[100];
    for (size_t i = 0; i < COUNT(calls); i++) {
        help_init_call(&f, &calls[i], HAFT__TOOL_COMMAND, "{\"command\":[\"cat\"]}",
                       "{\"text\":\"x\"}");
        help_start(&f, &calls[i]);
    }
    for (size_t i = 0; i < COUNT(calls); i++) {
        help_wait(&f, &calls[i]);
        CHECK(calls[i].result.ok, "%.*s", HAFT__ARG(calls[i].result.text));
        CHECK_STR(calls[i].result.text, HAFT__LIT("{\"text\":\"x\"}"), "call %zu", i);
    }
    help_end(&f);
}

static size_t count_started(const help_call *calls, size_t count)
{
    size_t started = 0;
    for (size_t i = 0; i < count; i++) { /* the time of a call begins when it starts */
        bool ended = calls[i].result_count > 0;
        started += ended || (calls[i].job != NULL && calls[i].job->timer.slot != 0);
    }
    return started;
}

static void count_firing(void *context)
{
    (*(size_t *)context)++;
}

TEST(one_step_of_the_loop_starts_a_bounded_number_of_commands)
{
    enum { COUNT_OF_CALLS = 3 * HAFT__LIMIT_EXEC_STARTS + 1 };
    static help_call calls[COUNT_OF_CALLS];
    help_exec f;
    size_t fired = 0, started, steps = 0;
    haft__timer timer = {.slot = 0};
    help_begin(&f);
    for (size_t i = 0; i < COUNT_OF_CALLS; i++) {
        help_init_call(&f, &calls[i], HAFT__TOOL_COMMAND, "{\"command\":[\"cat\"]}",
                       "{\"text\":\"x\"}");
        help_start(&f, &calls[i]);
    }
    started = count_started(calls, COUNT_OF_CALLS);
    CHECK_INT(started, HAFT__LIMIT_EXEC_STARTS, "started before the first step");
    haft__exec_cancel(calls[COUNT_OF_CALLS - 1].job); /* it never starts */
    calls[COUNT_OF_CALLS - 1].job = NULL;
    CHECK_INT(haft__timer_start(f.loop, &timer, 0, count_firing, &fired, NULL), HAFT_OK, "timer");
    for (size_t now; f.exec->starts.first != NULL && steps < COUNT_OF_CALLS; started = now) {
        help_step(&f, 1000);
        now = count_started(calls, COUNT_OF_CALLS);
        CHECK(now - started <= HAFT__LIMIT_EXEC_STARTS, "%zu in one step", now - started);
        CHECK_INT(fired, 1, "a timer fires while commands wait");
        steps++;
    }
    CHECK(steps >= 2, "%zu steps", steps);
    for (size_t i = 0; i + 1 < COUNT_OF_CALLS; i++) {
        help_wait(&f, &calls[i]);
        CHECK(calls[i].result.ok, "%.*s", HAFT__ARG(calls[i].result.text));
    }
    help_step(&f, 0);
    CHECK_INT(calls[COUNT_OF_CALLS - 1].result_count, 0, "results of the cancelled call");
    help_end(&f);
}

TEST(a_command_that_waits_for_its_turn_uses_no_time)
{
    static help_call calls[HAFT__LIMIT_EXEC_STARTS + 1];
    help_exec f;
    help_begin(&f);
    for (size_t i = 0; i < COUNT(calls); i++) {
        help_init_call(&f, &calls[i], HAFT__TOOL_COMMAND, "{\"command\":[\"cat\"]}", "");
        help_start(&f, &calls[i]);
    }
    CHECK(calls[0].job->timer.slot != 0, "the time of the first call runs");
    CHECK_INT(calls[HAFT__LIMIT_EXEC_STARTS].job->timer.slot, 0, "the time of the last call runs");
    for (size_t i = 0; i < COUNT(calls); i++) {
        help_wait(&f, &calls[i]);
        CHECK(calls[i].result.ok, "%.*s", HAFT__ARG(calls[i].result.text));
    }
    help_end(&f);
}

TEST(a_command_reports_a_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        help_exec f;
        help_call c;
        help_begin(&f);
        help_init_call(&f, &c, HAFT__TOOL_COMMAND,
                       "{\"command\":[\"cat\"],\"stdin\":\"{a}\",\"env\":{\"A\":\"${TOKEN}\"}}",
                       "{\"a\":\"text\"}");
        test_fail_allocation(n);
        haft_status status = haft__exec_start(f.exec, &c.call, help_keep_result, &c, &c.job, NULL);
        while (status == HAFT_OK && c.result_count == 0) {
            help_step(&f, 1000);
        }
        bool failed = test_allow_allocations();
        CHECK(status == HAFT_OK || failed, "allocation %u: the start failed for another reason", n);
        CHECK(c.result_count == 1 || failed, "allocation %u: no result", n);
        CHECK(!failed || status != HAFT_OK || !c.result.ok
                  || haft__str_starts_with(c.result.text, HAFT__LIT("(out of memory")),
              "allocation %u: the result is wrong", n);
        help_end(&f);
        if (!failed) {
            CHECK_STR(c.result.text, HAFT__LIT("text"), "the result if no allocation fails");
            break;
        }
    }
}
