/* SPDX-License-Identifier: Apache-2.0 */
/* serve.c - `haft serve`: serves agents to programs and people over HTTP. Tests:
 * tests/serve/api_test.py. */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/service_console.h"
#include "cli/session.h"

enum { CONCURRENCY = 8 };
#define LISTEN "127.0.0.1:8642"

/* The values of an option that may be repeated. NULL: out of memory. */
static const char **gather(haft__cli *cli, const haft__args *args, const char *option,
                           size_t *ret_count)
{
    size_t at = 0, count = 0;
    while (haft__args_next(args, option, &at) != NULL) {
        count++;
    }
    const char **values = haft__arena_array(&cli->arena, count + 1, sizeof(*values));
    at = 0;
    for (size_t i = 0; values != NULL && i < count; i++) {
        values[i] = haft__args_next(args, option, &at);
    }
    *ret_count = count;
    return values;
}

static haft_status serve(haft__cli *cli, const haft__args *args, haft_runtime *runtime,
                         haft_error *err)
{
    haft__service_console console = {.cli = cli, .name = "serve", .path = ""};
    console.page = haft__args_has(args, "open") ? "/studio/" : NULL;
    haft__serve_service_options options = {
        .host = haft__service_console_host(&console),
        .runtime = runtime,
        .arena = &cli->arena,
        .specs = (const char *const *)args->words,
        .spec_count = args->word_count,
        .store = haft__args_text(args, "store", NULL),
        .listen = haft__args_text(args, "listen", LISTEN),
        .listen_name = "--listen",
        .token_file = haft__args_text(args, "token-file", NULL),
        .rate = haft__args_number(args, "rate", 0),
        .concurrency = haft__args_has(args, "no-work")
                           ? 0
                           : (size_t)haft__args_number(args, "concurrency", CONCURRENCY)};
    options.allow_hosts = gather(cli, args, "allow-host", &options.allow_host_count);
    options.allow_origins = gather(cli, args, "allow-origin", &options.allow_origin_count);
    if (options.allow_hosts == NULL || options.allow_origins == NULL) {
        return haft__arena_fail(&cli->arena, err);
    }
    haft_status status = haft__interrupts_watch(&console.interrupts, runtime->loop, err);
    if (status == HAFT_OK) {
        status = cli->services->run_serve(&options, err);
    }
    haft__interrupts_release(&console.interrupts);
    return status;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    haft_runtime *runtime = NULL;
    haft_status status = haft__session_open(cli, args, &runtime, err);
    if (status == HAFT_OK) {
        status = serve(cli, args, runtime, err);
        haft_runtime_destroy(runtime);
    }
    return status == HAFT_OK ? HAFT__EXIT_DONE : haft__session_exit_status(status);
}

static const haft__option options[] = {
    {"listen", 0, HAFT__OPTION_TEXT, "ADDR:PORT",
     "where to listen; by default " LISTEN "; port 0 is any free port; unix:PATH is a socket "
     "for this user"},
    {"token-file", 0, HAFT__OPTION_TEXT, "FILE",
     "clients must send one of its tokens; required except on loopback"},
    {"allow-host", 0, HAFT__OPTION_TEXT, "NAME",
     "a host name that clients may use; may be repeated"},
    {"allow-origin", 0, HAFT__OPTION_TEXT, "URL",
     "pages of this origin may use the server (CORS); may be repeated"},
    {"rate", 0, HAFT__OPTION_NUMBER, "N", "requests a second of one token; by default 2000"},
    {"concurrency", 'n', HAFT__OPTION_NUMBER, "N",
     "number of runs at once, up to 1000; by default 8"},
    {"open", 0, HAFT__OPTION_FLAG, NULL, "open the studio in your browser"},
    {"no-work", 0, HAFT__OPTION_FLAG, NULL, "leave the runs to `haft worker` processes"},
    HAFT__OPTION_STORE,
    {0},
};

static const haft__example examples[] = {
    {"haft serve agent.yaml --listen 127.0.0.1:0", "serve an agent on any free port"},
    {0},
};

const haft__command haft__cmd_serve = {
    .name = "serve",
    .usage = "[SPEC|DIR]...",
    .summary = "serve agents over HTTP",
    .help =
        "An HTTP API to start runs of the given specs, follow their events, answer their\n"
        "questions and fetch their results. Of a directory, the files with 'haft: 1' are served;\n"
        "a spec is read again when its file changes. The first line on standard output is\n"
        "'listening on http://ADDR:PORT'. GET /openapi.json describes the API; docs/server.md is\n"
        "the guide.\n\n"
        "The server works on the runs itself. With --no-work, `haft worker` processes with the\n"
        "same store do. Any number of servers may share a store.\n\n"
        "SIGTERM, SIGINT and SIGHUP stop the server: it accepts no more work, cuts its streams,\n"
        "waits for calls with effects and releases its runs.\n",
    .options = options,
    .examples = examples,
    .max_words = 1000,
    .run = run,
};
