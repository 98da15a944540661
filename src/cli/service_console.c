/* SPDX-License-Identifier: Apache-2.0 */
/* service_console.c - see service_console.h. Tests: tests/cli/mcp_test.py,
 * tests/cli/mock_model_test.py, tests/cli/serve_open_test.py. */
#include "cli/service_console.h"

#include <spawn.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/terminal/print.h"

static void print_warning(void *context, haft_str text);

/* Starts the user's browser as xdg-open does. The shell ends immediately and leaves the browser to
 * the system, so no process has to be waited for later. */
static bool start_browser(char *url)
{
    char shell[] = "/bin/sh", option[] = "-c", name[] = "haft";
    char script[] = "command -v xdg-open >/dev/null || exit 1\n"
                    "xdg-open \"$1\" >/dev/null 2>&1 </dev/null &";
    char *arguments[] = {shell, option, script, name, url, NULL};
    pid_t pid = 0;
    int status = 1;
    return posix_spawn(&pid, shell, NULL, NULL, arguments, environ) == 0
           && waitpid(pid, &status, 0) == pid && status == 0;
}

static void open_page(void *context, haft_str address)
{
    const haft__service_console *console = context;
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_SERVE_PROBLEM_BYTES);
    haft__buf_addf(&text, "http://%.*s%s", HAFT__ARG(address), console->page);
    char *url = haft__str_duplicate(haft__buf_str(&text));
    if (url == NULL || !start_browser(url)) {
        haft__buf_clear(&text);
        haft__buf_addf(&text, "--open: cannot start a browser (xdg-open); open http://%.*s%s",
                       HAFT__ARG(address), console->page);
        print_warning(context, haft__buf_str(&text));
    }
    free(url);
    haft__buf_finish(&text);
}

/* Prints the address, and flushes it, because the program that started the server waits for it. */
static haft_status print_address(void *context, haft_str address, haft_error *err)
{
    const haft__service_console *console = context;
    FILE *out = console->cli->out;
    bool is_unix = haft__str_starts_with(address, HAFT__LIT("unix:"));
    (void)fprintf(out, "listening on %s%.*s%s\n", is_unix ? "" : "http://", HAFT__ARG(address),
                  is_unix ? "" : console->path);
    if (fflush(out) != 0) {
        return haft__fail(err, HAFT_IO, "", "cannot write the address to standard output");
    }
    if (console->page != NULL && is_unix) {
        print_warning(context, HAFT__LIT("--open: a browser cannot open a unix socket"));
    } else if (console->page != NULL) {
        open_page(context, address);
    }
    return HAFT_OK;
}

static void print_warning(void *context, haft_str text)
{
    const haft__service_console *console = context;
    FILE *errors = console->cli->errors;
    (void)fprintf(errors, "haft: %s: ", console->name);
    haft__print_escaped(errors, text);
    (void)fputc('\n', errors);
    (void)fflush(errors);
}

static bool is_interrupted(void *context)
{
    const haft__service_console *console = context;
    return haft__interrupts_pending(&console->interrupts);
}

haft__service_host haft__service_console_host(haft__service_console *console)
{
    return (haft__service_host){.on_listening = print_address,
                                .warn = print_warning,
                                .stop = is_interrupted,
                                .context = console};
}
