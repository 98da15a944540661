/* SPDX-License-Identifier: Apache-2.0 */
/* runs_request.c - see cli/runs/runs_request.h. Tests: tests/cli/run_test.py, store_test.py. */
#include "cli/runs/runs_request.h"

#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/input/log_file.h"
#include "cli/input/spec_file.h"
#include "cli/terminal/print.h"
#include "engine/agent.h"

haft__exit_status haft__runs_exit_status(haft_status status)
{
    return status == HAFT_OK ? HAFT__EXIT_DONE : haft__session_exit_status(status);
}

haft__exit_status haft__runs_print_json(const haft__runs_request *a, haft__buf *text)
{
    haft_status status = haft__buf_check(text, a->err);
    if (status == HAFT_OK) {
        haft__print_json(a->cli->out, haft__buf_str(text));
    }
    haft__buf_finish(text);
    return status == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
}

haft_status haft__runs_reject_json(const haft__runs_request *a, const char *why)
{
    return haft__args_has(a->args, "json") ? haft__fail(a->err, HAFT_BAD_INPUT, "--json", "%s", why)
                                           : HAFT_OK;
}

/* ---- reading a run ---- */

haft_status haft__runs_open_store(haft__runs_request *a)
{
    return a->runtime != NULL ? HAFT_OK
                              : haft__session_open_existing(a->cli, a->args, &a->runtime, a->err);
}

static haft_status read_stored(haft__runs_request *a, bool want_spec)
{
    haft_status status = haft__runs_open_store(a);
    if (status == HAFT_OK) {
        status = haft__stored_run_read(a->runtime, &a->cli->arena, haft__str(a->name), want_spec,
                                       &a->stored, a->err);
    }
    if (status == HAFT_OK) {
        a->is_stored = true;
        a->lines = a->stored.lines;
        a->spec = want_spec ? a->stored.agent->spec : NULL;
    }
    return status;
}

static haft_status read_file(haft__runs_request *a, bool want_spec)
{
    const char *path = haft__args_text(a->args, "spec", NULL);
    haft_status status = HAFT_OK;
    if (want_spec && path == NULL) {
        status = haft__fail(a->err, HAFT_BAD_INPUT, a->name, "a file of events needs --spec");
        return haft__hint(a->err, status, "name the spec of the run: --spec SPEC");
    }
    if (path != NULL) {
        haft__spec_file file;
        status = haft__spec_file_read_for_log(a->cli, path, a->args, &file, a->err);
        if (status == HAFT_OK && !haft__spec_file_usable(&file, a->cli)) {
            return HAFT_BAD_INPUT; /* the problems of the spec were already printed */
        }
        a->spec = file.spec;
    }
    return status == HAFT_OK
               ? haft__log_file_read(&a->cli->arena, a->name, a->cli->errors, &a->lines, a->err)
               : status;
}

haft_status haft__runs_read(haft__runs_request *a, bool want_spec)
{
    bool file = strcmp(a->name, "-") == 0 || access(a->name, R_OK) == 0;
    return file ? read_file(a, want_spec) : read_stored(a, want_spec);
}
