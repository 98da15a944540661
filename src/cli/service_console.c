/* SPDX-License-Identifier: Apache-2.0 */
/* service_console.c - see service_console.h. Tests: tests/cli/mcp_test.py,
 * tests/cli/mock_model_test.py. */
#include "cli/service_console.h"

#include "base/error.h"
#include "base/str.h"
#include "cli/terminal/print.h"

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
