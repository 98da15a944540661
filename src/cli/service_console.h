/* SPDX-License-Identifier: Apache-2.0 */
/* cli/service_console.h - connects a server (engine/ops/service.h) to the command that runs it:
 * prints the address on standard output and warnings on standard error; signals stop the server. */
#ifndef HAFT_CLI_SERVICE_CONSOLE_H
#define HAFT_CLI_SERVICE_CONSOLE_H

#include "cli/command.h"
#include "cli/interrupts.h"
#include "engine/ops/service.h"

typedef struct haft__service_console {
    const haft__cli *cli;
    const char *name;            /* name of the command, the prefix of warnings */
    const char *path;            /* path of the URL: "/mcp" */
    const char *page;            /* path that is opened in the user's browser; NULL: none */
    haft__interrupts interrupts; /* watched and released by the command */
} haft__service_console;

/* Returns a host for the server. It refers to the console, which must not move. */
haft__service_host haft__service_console_host(haft__service_console *console);

#endif
