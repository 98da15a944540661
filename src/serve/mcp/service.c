/* SPDX-License-Identifier: Apache-2.0 */
/* service.c - see service.h. Tests: tests/cli/mcp_test.py, tests/clients/mcp_test.py. */
#include "serve/mcp/service.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/agent.h"
#include "exec/state_file.h"
#include "io/clock.h"
#include "io/random.h"
#include "io/stdio.h"
#include "serve/mcp/endpoint.h"
#include "serve/mcp/seal_file.h"
#include "serve/mcp/spec.h"
#include "serve/mcp/token_file.h"

/* How long the end waits for cancelled runs and for unwritten output. */
#define DRAIN_TIMEOUT_MS 5000

typedef struct mcp_service {
    const haft__mcp_service_options *options;
    haft_runtime *runtime;
    haft_agent *agent; /* NULL: only the tools are served */
    haft__mcp_spec_server *spec_server;
    haft__mcp_server *server;
    haft__stdio *stdio;
    haft__mcp_peer *peer; /* for stdio */
    haft__mcp_endpoint *endpoint;
    bool ended; /* stdio has ended */
    haft_status failed;
    haft_error failure; /* the error that ended stdio, if any */
} mcp_service;

static void warn(const mcp_service *s, haft_str text)
{
    s->options->host.warn(s->options->host.context, text);
}

/* ---- stdio ---- */

/* If the client is gone, the service ends as at the end of its input. A client that does not read
 * is an error. */
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
                               "the client does not read its messages: more than %d bytes are "
                               "buffered; its requests are cancelled",
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
        s->failed = HAFT_NO_MEMORY; /* an error response could not be written either */
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

/* src/main.c opens a descriptor that the caller closed for the wrong direction. */
static haft_status check_direction(int fd, int wrong, const char *name, haft_error *err)
{
    int flags = fcntl(fd, F_GETFL);
    return flags != -1 && (flags & O_ACCMODE) != wrong
               ? HAFT_OK
               : haft__fail(err, HAFT_IO, name, "it is closed, and the MCP client needs it");
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
    haft_status status = check_direction(STDIN_FILENO, O_WRONLY, "standard input", err);
    if (status == HAFT_OK) {
        status = check_direction(STDOUT_FILENO, O_RDONLY, "standard output", err);
    }
    if (status == HAFT_OK) {
        status = haft__mcp_peer_create(s->server, HAFT__LIT(""), on_sent, s, &s->peer, err);
    }
    return status == HAFT_OK ? haft__stdio_create(&options, &s->stdio, err) : status;
}

/* ---- HTTP ---- */

static haft_status open_http(mcp_service *s, haft_error *err)
{
    const haft__mcp_service_options *options = s->options;
    const haft__service_host *host = &options->host;
    haft__mcp_endpoint_options endpoint_options = {
        .loop = s->runtime->loop,
        .server = s->server,
        .address = haft__str(options->listen),
        .access_rules = {.token = HAFT__LIT(""),
                         .allowed_hosts = options->allow_hosts,
                         .allowed_host_count = options->allow_host_count}};
    bool loopback = haft__mcp_access_is_loopback(endpoint_options.address);
    haft_status status =
        options->token_file != NULL
            ? haft__mcp_token_file_read(options->arena, options->token_file, loopback, host,
                                        &endpoint_options.access_rules.token, err)
            : HAFT_OK;
    if (status != HAFT_OK) {
        return status;
    }
    status = haft__mcp_endpoint_create(&endpoint_options, &s->endpoint, err);
    if (status == HAFT_BAD_INPUT) {
        haft__error_prepend_location(err, options->listen_name);
    }
    return status == HAFT_OK
               ? host->on_listening(host->context, haft__mcp_endpoint_address(s->endpoint), err)
               : status;
}

/* ---- the loop ---- */

static haft_status step(mcp_service *s, int timeout_ms, haft_error *err)
{
    haft_status status = haft_runtime_step(s->runtime, timeout_ms, err);
    haft__mcp_spec_update_runs(s->spec_server);
    return status;
}

static void on_drain_timeout(void *context)
{
    *(bool *)context = true;
}

/* Drops all requests. Runs get the time to record that they are cancelled. */
static void drain(mcp_service *s)
{
    bool over = false;
    haft__timer drain_timer = {.slot = 0};
    s->ended = true; /* lines that still arrive have no receiver */
    haft__mcp_endpoint_destroy(s->endpoint);
    haft__mcp_peer_destroy(s->peer);
    haft__mcp_spec_shutdown(s->spec_server);
    if (haft__timer_start(s->runtime->loop, &drain_timer, DRAIN_TIMEOUT_MS, on_drain_timeout, &over,
                          NULL)
        != HAFT_OK) {
        return;
    }
    while (!over
           && (haft__mcp_spec_busy(s->spec_server)
               || (s->stdio != NULL && !haft__stdio_idle(s->stdio)))) {
        if (step(s, -1, NULL) != HAFT_OK) {
            break;
        }
    }
    haft__timer_stop(s->runtime->loop, &drain_timer);
}

static haft_status serve(mcp_service *s, haft_error *err)
{
    const haft__service_host *host = &s->options->host;
    haft_status status = s->options->listen != NULL ? open_http(s, err) : open_stdio(s, err);
    while (status == HAFT_OK && !s->ended && !host->stop(host->context)) {
        status = step(s, -1, err);
    }
    drain(s);
    haft__stdio_destroy(s->stdio);
    if (status == HAFT_OK && s->failed != HAFT_OK) {
        *err = s->failure;
        status = s->failed;
    }
    return status;
}

/* ---- the agent and the seal ---- */

static haft_status warn_with(mcp_service *s, const char *what, haft_str detail, haft_error *err)
{
    haft_str text = haft__arena_format(s->options->arena, "%s: %.*s", what, HAFT__ARG(detail));
    if (text.ptr == NULL) {
        return haft__arena_fail(s->options->arena, err);
    }
    warn(s, text);
    return HAFT_OK;
}

/* If the agent cannot be created (its model has no key), only the tools are served. */
static haft_status make_agent(mcp_service *s, haft_error *err)
{
    haft_error failed = {0};
    haft_status status = haft__agent_create(s->runtime, s->options->spec, &s->agent, &failed);
    if (status == HAFT_OK || status == HAFT_NO_MEMORY) {
        *err = failed;
        return status;
    }
    return warn_with(s, "only the tools are served", haft__str(failed.message), err);
}

/* Tools of the spec's MCP servers are not served: clients can use those servers themselves, with
 * their own approvals and pins. */
static haft_status warn_about_servers(mcp_service *s, haft_error *err)
{
    const haft__json *servers = haft__json_get(s->options->spec->mcp, HAFT__LIT("servers"));
    haft__buf names;
    haft__buf_init(&names, HAFT__LIMIT_SPEC_BYTES);
    for (uint32_t i = 0; servers != NULL && i < servers->count; i++) {
        const haft__json *on = haft__json_get(servers->members[i].value, HAFT__LIT("enabled"));
        if (on == NULL || on->kind != HAFT__JSON_FALSE) {
            haft_str name = haft__json_text(servers->members[i].key);
            haft__buf_addf(&names, "%s%.*s", names.len > 0 ? ", " : "", HAFT__ARG(name));
        }
    }
    haft_status status = haft__buf_check(&names, err);
    if (status == HAFT_OK && names.len > 0) {
        status = warn_with(
            s, "the tools of the spec's MCP servers are not served, only its agent can call them",
            haft__buf_str(&names), err);
    }
    haft__buf_finish(&names);
    return status;
}

/* The key that seals what clients keep is stored in a file. Without a place for the file it is
 * valid only for this process. */
static haft_status open_seal(mcp_service *s, haft__mcp_seal_file *seal,
                             haft__mcp_server_options *server, haft_error *err)
{
    haft__arena *arena = s->options->arena;
    haft_str why, place = haft__state_file_directory(arena);
    haft_status status = haft__mcp_seal_file_open(arena, place, s->options->spec, seal, &why, err);
    if (status != HAFT_OK) {
        return status;
    }
    server->key = seal->key;
    if (seal->path.ptr == NULL) {
        return warn_with(s, "questions can be answered only while this server runs", why, err);
    }
    server->share = haft__mcp_seal_file_update;
    server->share_context = seal;
    return HAFT_OK;
}

static haft_status serve_spec(mcp_service *s, haft_error *err)
{
    const haft__spec *spec = s->options->spec;
    haft__mcp_spec_options options = {
        .runtime = s->runtime, .spec = spec, .agent = s->agent, .store = s->options->store};
    haft_str name = spec->name.len > 0 ? spec->name : HAFT__LIT("haft");
    haft_str title = haft__arena_format(s->options->arena, "%.*s (haft)", HAFT__ARG(name));
    haft__mcp_server_options server = {.name = name,
                                       .title = title.ptr != NULL ? title : HAFT__LIT(""),
                                       .version = HAFT__LIT(HAFT_VERSION),
                                       .instructions = spec->description,
                                       .served = &haft__mcp_spec_handlers,
                                       .hash_key = haft__random_hash_key()};
    haft__mcp_seal_file seal;
    haft_status status = open_seal(s, &seal, &server, err);
    if (status == HAFT_OK) {
        status = warn_about_servers(s, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    status = haft__mcp_spec_create(&options, &s->spec_server, err);
    if (status == HAFT_OK) {
        server.context = s->spec_server;
        status = haft__mcp_server_create(&server, &s->server, err);
    }
    if (status == HAFT_OK) {
        status = serve(s, err);
    }
    haft__mcp_spec_destroy(s->spec_server);
    haft__mcp_server_destroy(s->server);
    return status;
}

haft_status haft__mcp_service_run(const haft__mcp_service_options *options, haft_error *err)
{
    mcp_service s = {.options = options, .runtime = options->runtime};
    haft_status status = make_agent(&s, err);
    if (status == HAFT_OK) {
        status = serve_spec(&s, err);
    }
    haft_agent_release(s.agent);
    return status;
}
