/* SPDX-License-Identifier: Apache-2.0 */
/* list_runs.c - `haft runs list`. Tests: tests/cli/store_test.py, trees_test.py. */
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/runs/runs_list.h"
#include "cli/runs/runs_request.h"
#include "cli/terminal/print.h"
#include "engine/ops/run_list.h"
#include "engine/ops/store_access.h"
#include "engine/ops/tree/tree_rows.h"
#include "io/clock.h"
#include "io/owner.h"
#include "json/write.h"

/* Whether a living process owns the run. */
static bool is_owned(const haft__store_run *row, uint64_t now_ms)
{
    return row->owner.len > 0 && row->lease_ms > now_ms && !haft__owner_is_dead(row->owner);
}

/* Prints the list as text. `depths` is NULL if the list has no trees. */
static haft__exit_status print_lines(const haft__runs_request *a, const haft__run_list *runs,
                                     const uint32_t *depths)
{
    bool terminal = isatty(fileno(a->cli->out));
    haft__runs_list_view view = {
        .now_ms = haft__clock_now(),
        .width = terminal ? haft__terminal_caps_width(a->cli->out) : 0,
    };
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    for (size_t i = 0; i < runs->count; i++) {
        view.depth = depths != NULL ? depths[i] : 0;
        haft__runs_list_add_line(&text, &runs->items[i], is_owned(&runs->items[i], view.now_ms),
                                 &view);
    }
    haft_status status = haft__buf_check(&text, a->err);
    if (status == HAFT_OK && text.len > 0) { /* escaped by haft__runs_list_add_line */
        (void)fwrite(text.ptr, 1, text.len, a->cli->out);
    }
    haft__buf_finish(&text);
    return status == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
}

/* If the store does not exist, prints that and returns true. That is not an error. */
static bool report_missing_store(const haft__runs_request *a)
{
    const char *url = NULL;
    haft_error ignored = {0}; /* open_store reports it */
    bool known = haft__session_store_url(a->cli, a->args, &url, &ignored) == HAFT_OK;
    const char *path = known ? haft__store_access_missing_file(url) : NULL;
    if (path != NULL) {
        (void)fputs("no store at ", a->cli->errors);
        haft__print_escaped(a->cli->errors, haft__str(path));
        (void)fputc('\n', a->cli->errors);
    }
    return path != NULL;
}

static haft__exit_status print_list(haft__runs_request *a, const haft__run_list *runs,
                                    const uint32_t *depths)
{
    if (!haft__args_has(a->args, "json")) {
        return print_lines(a, runs, depths);
    }
    haft__buf text;
    haft__json_writer w;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_writer_init(&w, &text);
    haft__run_list_write(&w, runs);
    haft__buf_add_char(&text, '\n');
    return haft__runs_print_json(a, &text);
}

haft__exit_status haft__runs_list(haft__runs_request *a)
{
    haft__run_list runs = {.count = 0};
    haft__run_list_filter filter = {
        .thread = haft__str(haft__args_text(a->args, "thread", "")),
        .limit = haft__args_number(a->args, "limit", 0),
        .open_only = haft__args_has(a->args, "open"),
    };
    bool tree = haft__args_has(a->args, "tree");
    const uint32_t *depths = NULL;
    haft_status status = HAFT_OK;
    if (haft__args_has(a->args, "limit") && filter.limit == 0) {
        status = haft__fail(a->err, HAFT_BAD_INPUT, "--limit",
                            "expected a number of at least 1, found 0");
    } else if (tree && filter.thread.len > 0) {
        status =
            haft__fail(a->err, HAFT_BAD_INPUT, "--tree", "--tree and --thread cannot be combined");
        (void)haft__hint(a->err, status, "each child run has a thread of its own");
    } else if (!report_missing_store(a)) {
        status = haft__runs_open_store(a);
        if (status == HAFT_OK && tree) {
            status = haft__tree_rows_read(a->runtime, &a->cli->arena, filter.limit,
                                          filter.open_only, &runs, &depths, a->err);
        } else if (status == HAFT_OK) {
            status = haft__run_list_read(a->runtime, &a->cli->arena, &filter, &runs, a->err);
        }
    }
    return status == HAFT_OK ? print_list(a, &runs, depths) : haft__session_exit_status(status);
}
