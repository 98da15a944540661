/* SPDX-License-Identifier: Apache-2.0 */
/* mcp.c - `haft mcp`: serves a spec as an MCP server, on stdio or over HTTP. Tests:
 * tests/cli/mcp_test.py, tests/clients/mcp_test.py. */
#include "base/error.h"
#include "base/str.h"
#include "cli/input/spec_file.h"
#include "cli/service_console.h"
#include "cli/session.h"

static const char **gather_hosts(haft__cli *cli, const haft__args *args, size_t *ret_count)
{
    size_t at = 0, count = 0;
    while (haft__args_next(args, "allow-host", &at) != NULL) {
        count++;
    }
    const char **hosts = haft__arena_array(&cli->arena, count + 1, sizeof(*hosts));
    at = 0;
    for (size_t i = 0; hosts != NULL && i < count; i++) {
        hosts[i] = haft__args_next(args, "allow-host", &at);
    }
    *ret_count = count;
    return hosts;
}

static haft_status check(const haft__args *args, haft_error *err)
{
    bool http = haft__args_has(args, "listen");
    if (!http && (haft__args_has(args, "token-file") || haft__args_has(args, "allow-host"))) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "--token-file and --allow-host need --listen");
    }
    return HAFT_OK;
}

static haft_status serve(haft__cli *cli, const haft__args *args, haft_runtime *runtime,
                         const haft__spec *spec, haft_error *err)
{
    haft__service_console console = {.cli = cli, .name = "mcp", .path = "/mcp"};
    haft__mcp_service_options options = {.host = haft__service_console_host(&console),
                                         .runtime = runtime,
                                         .arena = &cli->arena,
                                         .spec = spec,
                                         .store = haft__args_text(args, "store", NULL),
                                         .listen = haft__args_text(args, "listen", NULL),
                                         .listen_name = "--listen",
                                         .token_file = haft__args_text(args, "token-file", NULL)};
    options.allow_hosts = gather_hosts(cli, args, &options.allow_host_count);
    if (options.allow_hosts == NULL) {
        return haft__arena_fail(&cli->arena, err);
    }
    haft_status status = haft__interrupts_watch(&console.interrupts, runtime->loop, err);
    if (status == HAFT_OK) {
        status = cli->services->run_mcp(&options, err);
    }
    haft__interrupts_release(&console.interrupts);
    return status;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    haft__spec_file file;
    haft_runtime *runtime = NULL;
    haft_status status = check(args, err);
    if (status == HAFT_OK) {
        status = haft__spec_file_read(cli, args->words[0], args, &file, err);
    }
    if (status != HAFT_OK || !haft__spec_file_usable(&file, cli)) {
        return HAFT__EXIT_USAGE;
    }
    status = haft__session_open(cli, args, &runtime, err);
    if (status == HAFT_OK) {
        status = serve(cli, args, runtime, file.spec, err);
        haft_runtime_destroy(runtime);
    }
    return status == HAFT_OK ? HAFT__EXIT_DONE : haft__session_exit_status(status);
}

static const haft__option options[] = {
    {"listen", 0, HAFT__OPTION_TEXT, "ADDR:PORT",
     "serve over HTTP at http://ADDR:PORT/mcp; port 0 is any free port"},
    {"token-file", 0, HAFT__OPTION_TEXT, "FILE",
     "clients must send the token in its first line; required except on loopback"},
    {"allow-host", 0, HAFT__OPTION_TEXT, "NAME",
     "a host name that clients may use; may be repeated"},
    {"model", 'm', HAFT__OPTION_TEXT, "M", "use this model instead of the spec's: provider:model"},
    {"set", 0, HAFT__OPTION_TEXT, "PATH=VALUE", "override a part of the spec; may be repeated"},
    HAFT__OPTION_STORE,
    {0},
};

static const haft__example examples[] = {
    {"haft mcp agent.yaml", "serve a client over standard input and output"},
    {"haft mcp agent.yaml --listen 127.0.0.1:0", "serve over HTTP, on any free port"},
    {0},
};

const haft__command haft__cmd_mcp = {
    .name = "mcp",
    .usage = "SPEC",
    .summary = "serve a spec's tools and its agent to MCP clients",
    .help =
        "An MCP server with the tools of SPEC, and its agent as the tool run_<name> with the\n"
        "argument task. By default it uses standard input and output, one message a line. With\n"
        "--listen it uses Streamable HTTP, and its first line on standard output is 'listening\n"
        "on http://ADDR:PORT/mcp'. It ends at the end of its input, or on SIGTERM, SIGINT or\n"
        "SIGHUP; running calls are then cancelled. docs/mcp.md shows how to set up clients.\n",
    .options = options,
    .examples = examples,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
