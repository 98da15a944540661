/* SPDX-License-Identifier: Apache-2.0 */
/* mcp.c - `haft mcp`: a spec as an MCP server, on stdio or over HTTP. Tests:
 * tests/cli/mcp_test.py, tests/clients/mcp_test.py. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/input/spec_file.h"
#include "cli/interrupts.h"
#include "cli/session.h"
#include "cli/terminal/diagnostic.h"
#include "cli/terminal/print.h"
#include "engine/agent.h"
#include "exec/state_file.h"
#include "io/clock.h"
#include "io/file.h"
#include "io/random.h"
#include "io/stdio.h"
#include "serve/mcp/endpoint.h"
#include "serve/mcp/seal_file.h"
#include "serve/mcp/spec.h"

/* How long the end waits for runs that were cancelled, and for what is to be written. */
#define DRAIN_TIMEOUT_MS 5000

typedef struct mcp_service {
    haft__cli *cli;
    haft_runtime *runtime;
    haft__mcp_spec_server *served;
    haft__mcp_server *server;
    haft__interrupts interrupts;
    haft__stdio *stdio;
    haft__mcp_peer *peer; /* of stdio */
    haft__mcp_endpoint *http;
    bool ended; /* stdio has */
    haft_status failed;
    haft_error failure; /* why stdio has, if nobody wanted that */
} mcp_service;

/* ---- stdio ---- */

/* A client that has gone is the end, as with its input; one that only does not read is not. */
static void write_line(mcp_service *s, haft_str text)
{
    if (s->ended || haft__stdio_write(s->stdio, text)) {
        return;
    }
    s->ended = true;
    if (haft__stdio_error(s->stdio) == HAFT_NO_MEMORY) {
        s->failed = haft__fail_no_memory(&s->failure);
    } else if (haft__stdio_error(s->stdio) != HAFT_OK) {
        s->failed = haft__fail(&s->failure, HAFT_IO, "",
                               "the client does not read what it is sent: more than %d bytes wait; "
                               "what was under way is cancelled",
                               HAFT__LIMIT_SERVER_QUEUE_BYTES);
    }
}

static void on_sent(void *context, void *stream, const haft__mcp_server_message *sent)
{
    mcp_service *s = context;
    (void)stream;
    if (sent->text.len > 0) {
        write_line(s, sent->text);
    }
}

static void on_line(void *context, haft_str line)
{
    mcp_service *s = context;
    haft__mcp_request *mcp_request = NULL;
    if (s->ended || haft__str_trim(line).len == 0) {
        return;
    }
    if (haft__mcp_request_read(s->server, line, NULL, &mcp_request, &s->failure) != HAFT_OK) {
        s->failed = HAFT_NO_MEMORY; /* an answer could not be made either */
        s->ended = true;
        return;
    }
    haft__mcp_peer_receive(s->peer, mcp_request, NULL, NULL, haft__clock_now());
}

static void on_too_long(void *context)
{
    mcp_service *s = context;
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__rpc_write_error(&text, haft__json_null(), HAFT__RPC_INVALID,
                          HAFT__LIT("the message is too long"), haft__json_null());
    if (haft__buf_check(&text, &s->failure) == HAFT_OK) {
        write_line(s, haft__buf_str(&text));
    } else {
        s->failed = HAFT_NO_MEMORY;
        s->ended = true;
    }
    haft__buf_finish(&text);
}

static void on_ended(void *context)
{
    mcp_service *s = context;
    s->ended = true;
}

static haft_status open_stdio(mcp_service *s, haft_error *err)
{
    haft__stdio_options options = {.loop = s->runtime->loop,
                                   .in = STDIN_FILENO,
                                   .out = STDOUT_FILENO,
                                   .max_line = HAFT__LIMIT_MCP_MESSAGE_BYTES,
                                   .max_queue = HAFT__LIMIT_SERVER_QUEUE_BYTES,
                                   .line = on_line,
                                   .too_long = on_too_long,
                                   .ended = on_ended,
                                   .context = s};
    haft_status status = haft__mcp_peer_create(s->server, HAFT__LIT(""), on_sent, s, &s->peer, err);
    return status == HAFT_OK ? haft__stdio_create(&options, &s->stdio, err) : status;
}

/* ---- HTTP ---- */

static void warn(haft__cli *cli, const char *path, const char *what)
{
    (void)fputs("haft: mcp: ", cli->errors);
    haft__print_escaped(cli->errors, haft__str(path));
    (void)fprintf(cli->errors, ": %s\n", what);
    (void)fflush(cli->errors);
}

/* A token that can be guessed, or written by others, is none where other machines can try it. */
static haft_status check_token(haft__cli *cli, const haft__args *args, const char *path,
                               haft_str token, haft_error *err)
{
    struct stat info;
    bool loopback = haft__mcp_access_is_loopback(haft__str(haft__args_text(args, "listen", "")));
    mode_t mode = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? info.st_mode : 0;
    if ((mode & (S_IWGRP | S_IWOTH)) != 0) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, path, "others may write the file with the token");
        return haft__hint(err, status, "chmod 600 makes it yours alone");
    }
    if ((mode & (S_IRGRP | S_IROTH)) != 0) {
        warn(cli, path, "others may read the file with the token; chmod 600 makes it yours alone");
    }
    if (haft__mcp_access_is_weak_token(token) && !loopback) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, path,
                       "expected a token of at least %d bytes where other machines can try, found "
                       "%zu",
                       HAFT__LIMIT_MCP_TOKEN_LEAST, token.len);
        return haft__hint(err, status, "openssl rand -hex 32 makes one");
    }
    if (haft__mcp_access_is_weak_token(token)) {
        warn(cli, path, "the token is short; openssl rand -hex 32 makes a good one");
    }
    return HAFT_OK;
}

/* The token is the file's first line, and nowhere else: a command line is seen by all. */
static haft_status read_token(haft__cli *cli, const haft__args *args, haft_str *ret_token,
                              haft_error *err)
{
    const char *path = haft__args_text(args, "token-file", NULL);
    *ret_token = HAFT__LIT("");
    if (path == NULL) {
        return HAFT_OK;
    }
    haft_str text = {NULL, 0};
    haft_status status =
        haft__file_read_arena(&cli->arena, path, HAFT__LIMIT_MCP_TOKEN_BYTES, &text, err);
    if (status != HAFT_OK) {
        return status;
    }
    *ret_token = haft__str_trim(haft__str_split(&text, '\n'));
    if (ret_token->len == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, path, "expected a token in its first line");
    }
    return check_token(cli, args, path, *ret_token, err);
}

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

static haft_status open_http(mcp_service *s, const haft__args *args, haft_error *err)
{
    haft__mcp_endpoint_options options = {.loop = s->runtime->loop,
                                          .server = s->server,
                                          .address =
                                              haft__str(haft__args_text(args, "listen", ""))};
    options.guard.allows = gather_hosts(s->cli, args, &options.guard.allow_count);
    if (options.guard.allows == NULL) {
        return haft__arena_fail(&s->cli->arena, err);
    }
    haft_status status = read_token(s->cli, args, &options.guard.token, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = haft__mcp_endpoint_create(&options, &s->http, err);
    if (status != HAFT_OK) {
        haft__error_prepend_location(err, status == HAFT_BAD_INPUT ? "--listen" : "");
        return status;
    }
    haft_str address = haft__mcp_endpoint_address(s->http);
    (void)fprintf(s->cli->out, "listening on http://%.*s/mcp\n", HAFT__ARG(address));
    if (fflush(s->cli->out) != 0) {
        return haft__fail(err, HAFT_IO, "", "the address cannot be written to standard output");
    }
    return HAFT_OK;
}

/* ---- the loop ---- */

static haft_status step(mcp_service *s, int timeout_ms, haft_error *err)
{
    haft_status status = haft_runtime_step(s->runtime, timeout_ms, err);
    haft__mcp_spec_update_runs(s->served);
    return status;
}

static void on_drain_timeout(void *context)
{
    *(bool *)context = true;
}

/* Whatever is under way is dropped; runs are given the time to record that. */
static void drain(mcp_service *s)
{
    bool over = false;
    haft__timer patience = {.slot = 0};
    haft__mcp_endpoint_destroy(s->http);
    haft__mcp_peer_destroy(s->peer);
    haft__mcp_spec_shutdown(s->served);
    if (haft__timer_start(s->runtime->loop, &patience, DRAIN_TIMEOUT_MS, on_drain_timeout, &over,
                          NULL)
        != HAFT_OK) {
        return;
    }
    while (
        !over
        && (haft__mcp_spec_busy(s->served) || (s->stdio != NULL && !haft__stdio_idle(s->stdio)))) {
        if (step(s, -1, NULL) != HAFT_OK) {
            break;
        }
    }
    haft__timer_stop(s->runtime->loop, &patience);
}

static haft_status serve(mcp_service *s, const haft__args *args, haft_error *err)
{
    haft_status status = haft__interrupts_watch(&s->interrupts, s->runtime->loop, err);
    if (status == HAFT_OK) {
        status = haft__args_has(args, "listen") ? open_http(s, args, err) : open_stdio(s, err);
    }
    while (status == HAFT_OK && !s->ended && !haft__interrupts_pending(&s->interrupts)) {
        status = step(s, -1, err);
    }
    drain(s);
    haft__stdio_destroy(s->stdio);
    haft__interrupts_release(&s->interrupts);
    if (status == HAFT_OK && s->failed != HAFT_OK) {
        *err = s->failure;
        status = s->failed;
    }
    return status;
}

/* ---- what is served ---- */

/* Without a key for its model the tools can be served all the same. */
static haft_status make_agent(haft__cli *cli, haft_runtime *runtime, const haft__spec *spec,
                              haft_agent **ret_agent, haft_error *err)
{
    haft_error failed = {0};
    haft_status status = haft__agent_create(runtime, spec, ret_agent, &failed);
    if (status == HAFT_OK || status == HAFT_NO_MEMORY) {
        *err = failed;
        return status;
    }
    (void)fputs("haft: mcp: only the tools are served: ", cli->errors);
    haft__print_escaped(cli->errors, haft__str(failed.message));
    (void)fputc('\n', cli->errors);
    (void)fflush(cli->errors);
    return HAFT_OK;
}

/* Servers of the spec are not served through: who wants their tools can have them themselves, with
 * their own approvals and pins. */
static void report_servers(haft__cli *cli, const haft__spec *spec)
{
    const haft__json *servers = haft__json_get(spec->mcp, HAFT__LIT("servers"));
    size_t count = 0;
    for (uint32_t i = 0; servers != NULL && i < servers->count; i++) {
        const haft__json *on = haft__json_get(servers->members[i].value, HAFT__LIT("enabled"));
        if (on == NULL || on->kind != HAFT__JSON_FALSE) {
            (void)fputs(count++ == 0 ? "haft: mcp: tools of the spec's MCP servers are not passed "
                                       "on, its agent has them: "
                                     : ", ",
                        cli->errors);
            haft__print_escaped(cli->errors, haft__json_text(servers->members[i].key));
        }
    }
    if (count > 0) {
        (void)fputc('\n', cli->errors);
        (void)fflush(cli->errors);
    }
}

/* Without a place for it, what clients are given is good as long as this process lives. */
static haft_status keep_states(haft__cli *cli, const haft__spec *spec, haft__mcp_seal_file *keep,
                               haft__mcp_server_options *server, haft_error *err)
{
    haft_str why, place = haft__state_file_directory(&cli->arena);
    haft_status status = haft__mcp_seal_file_open(&cli->arena, place, spec, keep, &why, err);
    if (status != HAFT_OK) {
        return status;
    }
    server->key = keep->key;
    if (keep->path.ptr != NULL) {
        server->share = haft__mcp_seal_file_update;
        server->share_context = keep;
    } else {
        (void)fputs("haft: mcp: questions can be answered only while this server runs: ",
                    cli->errors);
        haft__print_escaped(cli->errors, why);
        (void)fputc('\n', cli->errors);
        (void)fflush(cli->errors);
    }
    return HAFT_OK;
}

static haft_status serve_spec(mcp_service *s, const haft__args *args, const haft__spec *spec,
                              haft_agent *agent, haft_error *err)
{
    haft__mcp_spec_options options = {.runtime = s->runtime,
                                      .spec = spec,
                                      .agent = agent,
                                      .store = haft__args_text(args, "store", NULL)};
    haft_str name = spec->name.len > 0 ? spec->name : HAFT__LIT("haft");
    haft_str title = haft__arena_format(&s->cli->arena, "%.*s (haft)", HAFT__ARG(name));
    haft__mcp_server_options server = {.name = name,
                                       .title = title.ptr != NULL ? title : HAFT__LIT(""),
                                       .version = HAFT__LIT(HAFT_VERSION),
                                       .instructions = spec->description,
                                       .served = &haft__mcp_spec_handlers,
                                       .hash_key = haft__random_hash_key()};
    haft__mcp_seal_file keep;
    haft_status status = keep_states(s->cli, spec, &keep, &server, err);
    if (status != HAFT_OK) {
        return status;
    }
    report_servers(s->cli, spec);
    status = haft__mcp_spec_create(&options, &s->served, err);
    if (status == HAFT_OK) {
        server.context = s->served;
        status = haft__mcp_server_create(&server, &s->server, err);
    }
    if (status == HAFT_OK) {
        status = serve(s, args, err);
    }
    haft__mcp_spec_destroy(s->served);
    haft__mcp_server_destroy(s->server);
    return status;
}

static haft_status check(const haft__args *args, haft_error *err)
{
    bool http = haft__args_has(args, "listen");
    if (!http && (haft__args_has(args, "token-file") || haft__args_has(args, "allow-host"))) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "--token-file and --allow-host mean something with --listen only");
    }
    return HAFT_OK;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    haft__spec_file file;
    haft_agent *agent = NULL;
    mcp_service s = {.cli = cli};
    haft_status status = check(args, err);
    if (status == HAFT_OK) {
        status = haft__spec_file_read(cli, args->words[0], args, &file, err);
    }
    if (status != HAFT_OK || !haft__spec_file_usable(&file, cli)) {
        return HAFT__EXIT_USAGE;
    }
    status = haft__session_open(cli, args, &s.runtime, err);
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    status = make_agent(cli, s.runtime, file.spec, &agent, err);
    if (status == HAFT_OK) {
        status = serve_spec(&s, args, file.spec, agent, err);
    }
    haft_agent_release(agent);
    haft_runtime_destroy(s.runtime);
    return status == HAFT_OK ? HAFT__EXIT_DONE : haft__session_exit_status(status);
}

static const haft__option options[] = {
    {"listen", 0, HAFT__OPTION_TEXT, "ADDR:PORT",
     "serve over HTTP at http://ADDR:PORT/mcp; port 0 takes a free one"},
    {"token-file", 0, HAFT__OPTION_TEXT, "FILE",
     "clients must send the token in its first line; needed for all but loopback"},
    {"allow-host", 0, HAFT__OPTION_TEXT, "NAME",
     "a name of this host that clients may use; may be repeated"},
    {"model", 'm', HAFT__OPTION_TEXT, "M", "provider:model in the place of the spec's"},
    {"set", 0, HAFT__OPTION_TEXT, "PATH=VALUE", "override a part of the spec; may be repeated"},
    HAFT__OPTION_STORE,
    {0},
};

static const haft__example examples[] = {
    {"haft mcp agent.yaml", "for clients that start it and talk over its input and output"},
    {"haft mcp agent.yaml --listen 127.0.0.1:0", "over HTTP, on any free port"},
    {0},
};

const haft__command haft__cmd_mcp = {
    .name = "mcp",
    .usage = "SPEC",
    .summary = "serve a spec's tools and its agent to MCP clients",
    .help = "An MCP server: the tools of SPEC, and its agent as the tool run_<name> with the\n"
            "argument task. On standard input and output, one message a line; with --listen\n"
            "over Streamable HTTP, where its first line on standard output is 'listening on\n"
            "http://ADDR:PORT/mcp'. It ends with its input, or on SIGTERM, SIGINT or SIGHUP;\n"
            "what is under way is cancelled then. docs/mcp.md shows how clients are set up.\n",
    .options = options,
    .examples = examples,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
