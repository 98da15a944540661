/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/command/result.c: the reports about ended programs. */
#include "exec/command/command.h"

#include <signal.h>

#include "base/limits.h"
#include "exec/exec_help.h"

/* Reports the end of a program to a new job, and returns the result that the job gets. */
static haft__exec_result report(help_exec *f, haft__exec_job *job, const haft__child_result *ended)
{
    *job = (haft__exec_job){.exec = f->exec, .references = 2};
    haft__arena_init(&job->arena, 0);
    haft__command_report(job, HAFT__LIT("prog"), ended);
    help_step(f, 0);
    return job->result;
}

TEST(the_end_of_a_program_becomes_a_result)
{
#define TEXT(text)                                                                                 \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }
    static const struct {
        haft__child_result ended;
        const char *text, *hint;
        bool ok, started, transient;
    } cases[] = {
        {{.output = TEXT("out\n")}, "out", "", true, true, false},
        {{.output = TEXT("out\n\n"), .errors = TEXT("warning")}, "out\n", "", true, true, false},
        {{.output = TEXT("\n")}, "", "", true, true, false},
        {{.status = 0}, "", "", true, true, false},
        {{.status = 3}, "the program 'prog' ended with exit status 3", "", false, true, false},
        {{.status = 127, .errors = TEXT("no such file\n"), .output = TEXT("out")},
         "the program 'prog' ended with exit status 127: no such file",
         "",
         false,
         true,
         false},
        {{.status = 1, .errors = TEXT(" \n"), .output = TEXT("2 tests failed\n")},
         "the program 'prog' ended with exit status 1: 2 tests failed",
         "",
         false,
         true,
         false},
        {{.status = 1, .errors = TEXT("a\033[31mred\a\r\n\tb\x7f \xff\xc2\x9b \xc3\xa9\xc2\xa0.")},
         "the program 'prog' ended with exit status 1: a?[31mred??\n\tb? ??? \xc3\xa9\xc2\xa0.",
         "",
         false,
         true,
         false},
        {{.status = 1, .errors = TEXT("\xa9\x80half")},
         "the program 'prog' ended with exit status 1: half",
         "",
         false,
         true,
         false},
        {{.signal = SIGKILL},
         "the program 'prog' was ended by signal 9 (SIGKILL)",
         "its memory limit is 4096 MiB; ask for less at once",
         false,
         true,
         false},
        {{.signal = SIGXCPU, .errors = TEXT("so far")},
         "the program 'prog' was ended by signal 24 (SIGXCPU): so far",
         "it used more than its limit of CPU time; ask for less at once",
         false,
         true,
         false},
        {{.signal = SIGTERM},
         "the program 'prog' was ended by signal 15 (SIGTERM)",
         "",
         false,
         true,
         false},
        {{.signal = 60},
         "the program 'prog' was ended by signal 60 (SIG?)",
         "",
         false,
         true,
         false},
        {{.signal = SIGKILL, .output_cut = true},
         "the program 'prog' printed more than the limit of 16777216 bytes",
         "ask for less at once",
         false,
         true,
         false},
        {{.signal = SIGKILL, .no_memory = true},
         "the program 'prog' printed more than fits into memory",
         "",
         false,
         true,
         true},
        {{.status = 125, .killed = true, .output = TEXT("half")},
         "the guard of the program 'prog' was killed, and the program with it",
         "find out what the program has done before you run it again",
         false,
         true,
         true},
        {{.signal = SIGKILL, .killed = true, .output_cut = true},
         "the program 'prog' printed more than the limit of 16777216 bytes",
         "ask for less at once",
         false,
         true,
         false},
        {{.status = 127, .report = TEXT("exec ENOENT\n")},
         "the program 'prog' does not exist",
         "install it, or write its path relative to the spec",
         false,
         false,
         false},
        {{.status = 126, .report = TEXT("exec ENOENT interpreter\n")},
         "the program 'prog' needs an interpreter that does not exist",
         "check its first line",
         false,
         false,
         false},
        {{.status = 126, .report = TEXT("exec EACCES\n")},
         "the program 'prog' is not executable",
         "make it executable: chmod +x",
         false,
         false,
         false},
        {{.status = 126, .report = TEXT("exec ENOEXEC\n")},
         "the program 'prog' is not in an executable format",
         "give a script a first line such as #!/bin/sh",
         false,
         false,
         false},
        {{.status = 126, .report = TEXT("exec E2BIG\n")},
         "the program 'prog' got more arguments and variables than the system allows",
         "pass long texts on its standard input",
         false,
         false,
         false},
        {{.status = 126, .report = TEXT("exec ELOOP\n")},
         "the program 'prog' could not be started: exec ELOOP",
         "",
         false,
         false,
         true},
        {{.status = 125, .report = TEXT("guard EAGAIN fork\n")},
         "the program 'prog' could not be started: guard EAGAIN fork",
         "",
         false,
         false,
         true},
    };
    help_exec f;
    help_begin(&f);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__exec_job job;
        haft__exec_result result = report(&f, &job, &cases[i].ended);
        CHECK_STR(result.text, haft__str(cases[i].text), "case %zu", i);
        CHECK_STR(result.hint, haft__str(cases[i].hint), "case %zu", i);
        CHECK(result.ok == cases[i].ok && result.started == cases[i].started
                  && result.transient == cases[i].transient && !result.timed_out
                  && result.lost == (cases[i].ended.killed && !cases[i].ended.output_cut),
              "case %zu", i);
        haft__arena_finish(&job.arena);
    }
    help_end(&f);
}

TEST(only_the_end_of_the_output_is_reported)
{
    static const char start[] = "the program 'prog' ended with exit status 1: ";
    help_exec f;
    help_begin(&f);
    size_t size = HAFT__LIMIT_CHILD_ERROR_BYTES + 1;
    char *text = test_alloc(size);
    memset(text, 'x', size);
    text[0] = 'A';
    text[size - 1] = 'Z';
    for (size_t more = 0; more <= 1; more++) {
        haft__exec_job job;
        haft__child_result ended = {.status = 1, .output = {text, size - 1 + more}};
        haft__exec_result result = report(&f, &job, &ended);
        CHECK_INT(result.text.len, sizeof(start) - 1 + size - 1, "%zu more", more);
        CHECK_INT(result.text.ptr[sizeof(start) - 1], more == 0 ? 'A' : 'x', "%zu more", more);
        haft__arena_finish(&job.arena);
    }
    help_end(&f);
}

TEST(a_result_is_reported_even_if_an_allocation_fails)
{
    help_exec f;
    help_begin(&f);
    static const haft__child_result ends[] = {{.status = 1, .errors = TEXT("why")},
                                              {.report = TEXT("exec ENOENT\n")}};
    for (size_t i = 0; i < COUNT(ends); i++) {
        haft__exec_job job = {.exec = f.exec, .references = 2};
        haft__arena_init(&job.arena, 0);
        test_fail_allocations_from(0);
        haft__command_report(&job, HAFT__LIT("prog"), &ends[i]);
        (void)test_allow_allocations();
        help_step(&f, 0);
        CHECK(job.reported && !job.result.ok && job.result.text.len > 0, "case %zu", i);
        CHECK_INT(job.result.started, i == 0, "case %zu", i);
        haft__arena_finish(&job.arena);
    }
    help_end(&f);
}
