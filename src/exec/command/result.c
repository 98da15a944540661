/* SPDX-License-Identifier: Apache-2.0 */
/*
 * result.c - the result of a program: its output, or an error that says how it ended, with the end
 * of its output. Tests: tests/exec/command/result_test.c.
 */
#include <signal.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "exec/command/command.h"
#include "run/binary.h"

#define MESSAGE_BYTES (1 << 20) /* far above the size of any message */

/* Reports with the text in `buf` and frees `buf`. */
static void report(haft__exec_job *job, haft__exec_result *result, haft__buf *buf)
{
    bool whole = buf->status == HAFT_OK;
    result->text = whole ? haft__buf_str(buf) : HAFT__LIT("the program failed; out of memory");
    haft__exec_report(job, result);
    haft__buf_finish(buf);
}

/* ---- not started ---- */

/* Lines of guard's report; see libexec/haft/guard.c. */
static const struct {
    const char *line, *problem, *hint;
} reports[] = {
    {"exec ENOENT", "does not exist", "install it, or write its path relative to the spec"},
    {"exec ENOENT interpreter", "needs an interpreter that does not exist", "check its first line"},
    {"exec EACCES", "is not executable", "make it executable: chmod +x"},
    {"exec ENOEXEC", "is not in an executable format",
     "give a script a first line such as #!/bin/sh"},
    {"exec E2BIG", "got more arguments and variables than the system allows",
     "pass long texts on its standard input"},
};

static void report_not_started(haft__exec_job *job, haft_str program, haft_str line)
{
    haft__buf buf;
    haft__buf_init(&buf, MESSAGE_BYTES);
    haft__exec_result result = {.ok = false};
    haft__buf_addf(&buf, "the program '%.*s' ", HAFT__ARG(program));
    size_t i = 0;
    while (i < COUNT(reports) && !haft__str_equal(line, haft__str(reports[i].line))) {
        i++;
    }
    if (i < COUNT(reports)) {
        haft__buf_addf(&buf, "%s", reports[i].problem);
        result.hint = haft__str(reports[i].hint);
    } else { /* a transient cause: too many processes, out of memory */
        haft__buf_addf(&buf, "could not be started: %.*s", HAFT__ARG(line));
        result.transient = true;
    }
    report(job, &result, &buf);
}

/* ---- failed ---- */

/* The end of the program's standard error or, if that is empty, of its standard output. If standard
 * error fills its buffer, its beginning was dropped. */
static haft__excerpt find_detail(const haft__child_result *ended)
{
    size_t max = HAFT__LIMIT_CHILD_ERROR_BYTES;
    bool errors = haft__str_trim(ended->errors).len > 0;
    return (haft__excerpt){.text = errors ? ended->errors : haft__str_trim(ended->output),
                           .lost.before = errors && ended->errors.len >= max,
                           .max_bytes = max,
                           .from_end = true,
                           .plain = true};
}

static haft_str find_hint(const haft__child_result *ended, char *space, size_t size)
{
    switch (ended->signal) {
    case SIGXCPU: return HAFT__LIT("it used more than its limit of CPU time; ask for less at once");
    case SIGKILL:
    case SIGSEGV:
    case SIGABRT:
    case SIGBUS:
        (void)snprintf(space, size, "its memory limit is %d MiB; ask for less at once",
                       HAFT__LIMIT_EXEC_MEMORY_MIB);
        return haft__str(space);
    default: return HAFT__LIT("");
    }
}

static void report_failed(haft__exec_job *job, haft_str program, const haft__child_result *ended)
{
    haft__buf buf;
    haft__buf_init(&buf, MESSAGE_BYTES);
    char space[96];
    haft__exec_result result = {.started = true};
    haft__buf_addf(&buf, "the program '%.*s' ", HAFT__ARG(program));
    if (ended->no_memory) {
        haft__buf_addf(&buf, "printed more than fits into memory");
        result.transient = true;
    } else if (ended->output_cut) {
        haft__buf_addf(&buf, "printed more than the limit of %d bytes",
                       HAFT__LIMIT_TOOL_RESULT_BYTES);
        result.hint = HAFT__LIT("ask for less at once");
    } else if (ended->signal != 0) {
        const char *name = sigabbrev_np(ended->signal);
        haft__buf_addf(&buf, "was ended by signal %d (SIG%s)", ended->signal,
                       name != NULL ? name : "?");
        result.hint = find_hint(ended, space, sizeof(space));
        result.detail = find_detail(ended);
    } else {
        haft__buf_addf(&buf, "ended with exit status %d", ended->status);
        result.detail = find_detail(ended);
    }
    report(job, &result, &buf);
}

/* The program was killed with its guard, at an unknown point of its work. */
static void report_killed(haft__exec_job *job, haft_str program)
{
    haft__buf buf;
    haft__buf_init(&buf, MESSAGE_BYTES);
    haft__exec_result result = {.started = true, .lost = true, .transient = true};
    haft__buf_addf(&buf, "the guard of the program '%.*s' was killed, and the program with it",
                   HAFT__ARG(program));
    result.hint = HAFT__LIT("find out what the program has done before you run it again");
    report(job, &result, &buf);
}

void haft__command_report(haft__exec_job *job, haft_str program, const haft__child_result *ended)
{
    haft_str output = ended->output;
    if (ended->report.len > 0) {
        report_not_started(job, program, haft__str_trim(ended->report));
    } else if (ended->killed && !ended->output_cut && !ended->no_memory) {
        report_killed(job, program);
    } else if (ended->status != 0 || ended->signal != 0 || ended->output_cut || ended->no_memory) {
        report_failed(job, program, ended);
    } else if (haft__binary_is(output)) {
        haft__exec_blob blob = {.bytes = output};
        haft__exec_report(job, &(haft__exec_result){
                                   .ok = true, .started = true, .blobs = &blob, .blob_count = 1});
    } else {
        output.len -= haft__str_ends_with(output, HAFT__LIT("\n"));
        haft__exec_report(job, &(haft__exec_result){.ok = true, .started = true, .text = output});
    }
}
