/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection.c - lifecycle of one connection: started on demand, ended by a deadline or a failure,
 * restarted a few times with growing delays, then disabled for a while.
 *
 * Tests: tests/exec/mcp/connection_test.c.
 */
#include <stdarg.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/mcp/mcp_int.h"
#include "io/clock.h"

/* The end of an error, if calls were not sent because the current tools are unknown. */
#define UNCHECKED ", so their current definitions are unknown, and nothing was called"

static haft__loop *loop_of(const haft__mcp_connection *connection)
{
    return connection->exec->options.loop;
}

static bool is_web(const haft__mcp_connection *connection)
{
    return connection->server.url.len > 0;
}

/* ---- queries ---- */

haft_str haft__mcp_connection_state_name(const haft__mcp_connection *connection)
{
    if (connection->state == HAFT__MCP_CONNECTION_OPEN) {
        return connection->used ? HAFT__LIT("used") : HAFT__LIT("started");
    }
    return connection->listed ? HAFT__LIT("known") : HAFT__LIT("configured");
}

const haft__mcp_tool *haft__mcp_connection_find_tool(const haft__mcp_connection *connection,
                                                     haft_str name)
{
    for (size_t i = 0; i < connection->tool_count; i++) {
        if (haft__str_equal(connection->tools[i].remote, name)) {
            return &connection->tools[i];
        }
    }
    return NULL;
}

bool haft__mcp_connection_is_settled(const haft__mcp_connection *connection)
{
    bool trying = connection->state == HAFT__MCP_CONNECTION_OPENING
                  || connection->state == HAFT__MCP_CONNECTION_BACKOFF
                  || (connection->state == HAFT__MCP_CONNECTION_OPEN && connection->listing);
    return connection->listed
           || (connection->error.status != HAFT_OK && (!trying || connection->slow));
}

/* Errors also appear outside of events (`haft tools`, `haft mcp`), so secrets are redacted here,
 * before the text is truncated: half a secret cannot be recognised. */
haft_status haft__mcp_connection_fail(const haft__mcp_connection *connection, haft_error *err,
                                      haft_status status, const char *format, ...)
{
    haft__buf text, clean;
    va_list args, args_copy;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&clean, HAFT__LIMIT_JSON_BYTES);
    va_start(args, format);
    va_copy(args_copy, args);
    int length = vsnprintf(NULL, 0, format, args); /* the full length */
    char *to = haft__buf_reserve(&text, length > 0 ? (size_t)length + 1 : 1);
    if (to != NULL && length > 0) {
        (void)vsnprintf(to, (size_t)length + 1, format, args_copy);
        haft__buf_advance(&text, (size_t)length);
    }
    va_end(args);
    va_end(args_copy);
    haft__excerpt excerpt = {.text = haft__buf_str(&text), .max_bytes = sizeof(err->message)};
    haft__excerpt_append(&clean, &excerpt, haft__redactor_cleaner(connection->redactor));
    bool whole =
        haft__buf_check(&text, NULL) == HAFT_OK && haft__buf_check(&clean, NULL) == HAFT_OK;
    haft_str shown =
        whole ? haft__buf_str(&clean) : HAFT__LIT("failed (out of memory for the reason)");
    haft_status reported = haft__fail(err, status, "", "the MCP server '%.*s' %.*s",
                                      HAFT__ARG(connection->server.name), HAFT__ARG(shown));
    haft__buf_finish(&clean);
    haft__buf_finish(&text);
    return reported;
}

haft_str haft__mcp_connection_error_text(const haft__mcp_connection *connection, haft__arena *arena)
{
    haft_str lines = haft__mcp_stdio_transport_more_stderr(connection);
    haft_str text = haft__arena_format(arena, "%s%s%.*s", connection->error.message,
                                       lines.len > 0 ? "\nLast lines of its standard error:\n" : "",
                                       HAFT__ARG(lines));
    return text.ptr != NULL ? text : haft__str(connection->error.message);
}

/* ---- memory ---- */

haft_status haft__mcp_connection_create(haft__exec *exec, haft__mcp_connection **ret_connection,
                                        haft_error *err)
{
    haft__mcp_connection *connection = calloc(1, sizeof(*connection));
    if (connection == NULL) {
        return haft__fail_no_memory(err);
    }
    connection->exec = exec;
    haft__arena_init(&connection->arena, 0);
    haft__arena_init(&connection->known, 0);
    haft__arena_init(&connection->setup, 0);
    haft__arena_init(&connection->session_arena, 0);
    haft__mcp_tool_cache_init(&connection->record);
    haft__buf_init(&connection->stderr_lines,
                   (size_t)HAFT__LIMIT_MCP_STDERR_BYTES * HAFT__ESCAPE_BYTES);
    haft__line_splitter_init(&connection->lines, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    *ret_connection = connection;
    return HAFT_OK;
}

static void stop_timers(haft__mcp_connection *connection)
{
    haft__timer_stop(loop_of(connection), &connection->deadline);
    haft__timer_stop(loop_of(connection), &connection->probe);
    haft__timer_stop(loop_of(connection), &connection->wake);
    haft__timer_stop(loop_of(connection), &connection->refresh);
}

static void close_transport(haft__mcp_connection *connection, bool goodbye)
{
    if (is_web(connection)) {
        haft__mcp_http_transport_close(connection, goodbye);
    } else {
        haft__mcp_stdio_transport_close(connection);
    }
}

void haft__mcp_connection_destroy(haft__mcp_connection *connection)
{
    connection->closing = true;
    stop_timers(connection);
    close_transport(connection, false);
    haft__mcp_client_destroy(connection->client);
    haft__mcp_tool_cache_finish(&connection->record);
    haft__line_splitter_finish(&connection->lines);
    haft__buf_finish(&connection->stderr_lines);
    haft__arena_finish(&connection->session_arena);
    haft__arena_finish(&connection->setup);
    haft__arena_finish(&connection->known);
    haft__arena_finish(&connection->arena);
    free(connection);
}

void haft__mcp_connection_disconnect(haft__mcp_connection *connection)
{
    connection->closing = true;
    stop_timers(connection);
    close_transport(connection, true);
}

/* Ignores problems of the definitions: they were reported when the server listed its tools. */
void haft__mcp_connection_load_cache(haft__mcp_connection *connection, bool read)
{
    haft__mcp_origin origin = {.server = connection->server.name,
                               .trusted = connection->server.trusted,
                               .timeout_ms = connection->server.timeout_ms,
                               .polls = connection->server.polls,
                               .poll_count = connection->server.poll_count,
                               .hash_key = connection->exec->connection_pool->hash_key};
    if (read && connection->path != NULL) {
        (void)!haft__mcp_tool_cache_read(&connection->record, connection->path, origin.hash_key,
                                         NULL);
    }
    haft__arena_reset(&connection->known);
    haft__json known = connection->record.tools;
    haft__mcp_tool *tools = haft__arena_array(&connection->known, known.count, sizeof(*tools));
    connection->listed = !connection->exec->options.refresh
                         && haft__mcp_tool_cache_is_fresh(&connection->record, haft__clock_now())
                         && tools != NULL;
    connection->fresh = false;
    connection->tools = tools;
    connection->tool_count = 0;
    for (uint32_t i = 0; connection->listed && i < known.count; i++) {
        haft_status status = haft__mcp_tool_read(&connection->known, known.items[i], &origin,
                                                 &tools[connection->tool_count], NULL);
        connection->tool_count += status == HAFT_OK;
    }
}

/* ---- failure and restart ---- */

static bool is_wanted(const haft__mcp_connection *connection)
{
    return connection->tool_calls != NULL || !connection->listed;
}

static void on_wake(void *context)
{
    haft__mcp_connection *connection = context;
    connection->state = HAFT__MCP_CONNECTION_IDLE;
    haft__mcp_connection_connect(connection);
}

static uint64_t backoff_of(const haft__mcp_connection *connection)
{
    uint32_t doublings = connection->failures > 0 ? connection->failures - 1 : 0;
    return (uint64_t)HAFT__LIMIT_MCP_BACKOFF_MS << (doublings < 8 ? doublings : 8);
}

/* Disables the connection for a while and ends everything that is pending. */
static void disable(haft__mcp_connection *connection)
{
    connection->state = HAFT__MCP_CONNECTION_DISABLED;
    connection->not_before = haft__loop_now(loop_of(connection)) + HAFT__LIMIT_MCP_COOLDOWN_MS;
    if (connection->client != NULL) {
        haft_status status =
            haft__mcp_client_abort(connection->client, haft__str(connection->error.message), NULL);
        haft__mcp_connection_process_events(connection,
                                            status == HAFT_NO_MEMORY ? HAFT_OK : status);
    }
    haft__mcp_tool_call_fail_pending(connection, &connection->error);
}

/* Restarts the connection later if it is still needed then. */
static void schedule_reconnect(haft__mcp_connection *connection)
{
    uint64_t wait = backoff_of(connection);
    connection->not_before = haft__loop_now(loop_of(connection)) + wait;
    connection->state = HAFT__MCP_CONNECTION_IDLE;
    if (is_wanted(connection)) {
        connection->state = HAFT__MCP_CONNECTION_BACKOFF;
        if (haft__timer_start(loop_of(connection), &connection->wake, wait, on_wake, connection,
                              NULL)
            != HAFT_OK) {
            disable(connection);
        }
    }
}

/* Stores the last lines of a running program's standard error. If the program has ended, `child` is
 * NULL, and its lines are already stored. */
static void keep_stderr(haft__mcp_connection *connection)
{
    if (connection->child != NULL) {
        haft__mcp_stdio_transport_keep_stderr(connection, haft__child_stderr(connection->child));
    }
}

void haft__mcp_connection_broken(haft__mcp_connection *connection, const haft_error *why,
                                 bool lasting)
{
    if (connection->closing || connection->state == HAFT__MCP_CONNECTION_DISABLED
        || connection->state == HAFT__MCP_CONNECTION_BACKOFF) {
        return;
    }
    connection->error = *why;
    connection->state =
        HAFT__MCP_CONNECTION_BACKOFF; /* until the decision below: prevents a second failure */
    connection->fresh = connection->listing = connection->outdated = false;
    connection->relist_attempts = 0;
    connection->failures++;
    stop_timers(connection);
    keep_stderr(connection);
    close_transport(connection, false);
    if (connection->client != NULL) {
        haft_status status =
            haft__mcp_client_disconnected(connection->client, haft__str(why->message), NULL);
        haft__mcp_connection_process_events(connection,
                                            status == HAFT_NO_MEMORY ? HAFT_OK : status);
    }
    if (lasting || connection->failures > HAFT__LIMIT_MCP_RESTARTS) {
        disable(connection);
    } else {
        schedule_reconnect(connection);
    }
    haft__mcp_connection_pool_notify(connection->exec);
}

void haft__mcp_connection_reset_failures(haft__mcp_connection *connection)
{
    connection->failures = 0;
    connection->slow = false;
    haft__buf_clear(&connection->stderr_lines);
    connection->error = (haft_error){.status = HAFT_OK};
}

/* ---- start ---- */

static void on_deadline(void *context)
{
    haft__mcp_connection *connection = context;
    haft_error err = {0};
    bool open = connection->state == HAFT__MCP_CONNECTION_OPEN,
         renewing = open && connection->renewing;
    haft__buf errors; /* empty when out of memory */
    haft__buf_init(&errors, HAFT__LIMIT_MCP_LOG_BYTES);
    haft__mcp_stdio_transport_add_stderr(connection, &errors);
    haft_status status = haft__mcp_connection_fail(
        connection, &err, HAFT_IO, "%s within %d ms%.*s%s",
        open ? "did not list its tools" : "was not ready", HAFT__LIMIT_MCP_READY_MS,
        HAFT__ARG(haft__buf_str(&errors)), renewing ? UNCHECKED : "");
    haft__buf_finish(&errors);
    (void)!haft__hint(&err, status, "check whether it runs on its own, and what it is waiting for");
    connection->slow = true;
    if (renewing) {
        haft__mcp_tool_call_fail_pending(connection, &err);
    }
    haft__mcp_connection_broken(connection, &err, false);
}

static void on_probe(void *context)
{
    haft__mcp_connection *connection = context;
    haft__mcp_connection_process_events(connection,
                                        haft__mcp_client_probe_timed_out(connection->client, NULL));
}

static const haft_str eras[] = {
    [HAFT__MCP_ERA_UNKNOWN] = {"", 0},
    [HAFT__MCP_ERA_LEGACY] = {"initialize", 10},
    [HAFT__MCP_ERA_MODERN] = {"discover", 8},
};

static haft__mcp_era era_of(haft_str name)
{
    return haft__str_equal(name, eras[HAFT__MCP_ERA_LEGACY])   ? HAFT__MCP_ERA_LEGACY
           : haft__str_equal(name, eras[HAFT__MCP_ERA_MODERN]) ? HAFT__MCP_ERA_MODERN
                                                               : HAFT__MCP_ERA_UNKNOWN;
}

static haft_status make_client(haft__mcp_connection *connection, haft_error *err)
{
    if (connection->client != NULL) {
        return HAFT_OK;
    }
    haft__mcp_client_options options = {
        .transport = is_web(connection) ? HAFT__MCP_HTTP : HAFT__MCP_STDIO,
        .origin = {.server = connection->server.name,
                   .trusted = connection->server.trusted,
                   .timeout_ms = connection->server.timeout_ms,
                   .polls = connection->server.polls,
                   .poll_count = connection->server.poll_count,
                   .hash_key = connection->exec->connection_pool->hash_key},
        .era = era_of(connection->record.era),
        .version = HAFT__LIT(HAFT_VERSION),
        .elicitation = true,
        .listen = true,
        .log_level = HAFT__LIT("info"),
        .cleaner = haft__redactor_cleaner(connection->redactor)};
    connection->era_from_cache = options.era != HAFT__MCP_ERA_UNKNOWN;
    haft_status status =
        haft__mcp_setup_roots(connection, &options.roots, &options.root_count, err);
    return status == HAFT_OK ? haft__mcp_client_create(&options, &connection->client, err) : status;
}

static haft_status open_transport(haft__mcp_connection *connection, haft_error *err)
{
    haft__arena_reset(&connection->setup);
    haft_status status = make_client(connection, err);
    if (status == HAFT_OK) {
        status = is_web(connection) ? haft__mcp_http_transport_open(connection, err)
                                    : haft__mcp_stdio_transport_open(connection, err);
    }
    if (status == HAFT_OK) {
        status = haft__timer_start(loop_of(connection), &connection->deadline,
                                   HAFT__LIMIT_MCP_READY_MS, on_deadline, connection, err);
    }
    if (status == HAFT_OK) {
        status = haft__timer_start(loop_of(connection), &connection->probe,
                                   HAFT__LIMIT_MCP_PROBE_MS, on_probe, connection, err);
    }
    return status;
}

/* A retry does not help if the configuration is invalid or names something that does not exist. */
static bool is_lasting(haft_status status)
{
    return status == HAFT_NOT_FOUND || status == HAFT_BAD_INPUT || status == HAFT_UNSUPPORTED;
}

void haft__mcp_connection_connect(haft__mcp_connection *connection)
{
    haft_error err = {0};
    uint64_t now = haft__loop_now(loop_of(connection));
    if (connection->state == HAFT__MCP_CONNECTION_DISABLED && now >= connection->not_before) {
        connection->failures =
            HAFT__LIMIT_MCP_RESTARTS; /* one attempt; if it fails, disabled again */
        connection->state = HAFT__MCP_CONNECTION_IDLE;
    }
    if (connection->state == HAFT__MCP_CONNECTION_DISABLED) {
        haft__mcp_tool_call_fail_pending(connection, &connection->error);
        return;
    }
    if (connection->state != HAFT__MCP_CONNECTION_IDLE || connection->closing) {
        return;
    }
    if (now < connection->not_before) {
        schedule_reconnect(connection);
        return;
    }
    connection->state = HAFT__MCP_CONNECTION_OPENING;
    haft_status status = open_transport(connection, &err);
    if (status != HAFT_OK) {
        haft_error reported = {0};
        haft__buf_clear(&connection->stderr_lines);
        (void)!haft__mcp_connection_fail(connection, &reported, status, "cannot be started: %s",
                                         err.message);
        (void)!haft__hint(&reported, status, "%s", err.hint);
        haft__mcp_connection_broken(connection, &reported, is_lasting(status));
        return;
    }
    haft__mcp_connection_process_events(connection,
                                        haft__mcp_client_start(connection->client, NULL));
}

/* ---- open ---- */

void haft__mcp_connection_ready(haft__mcp_connection *connection)
{
    haft__timer_stop(loop_of(connection), &connection->probe);
    connection->state = HAFT__MCP_CONNECTION_OPEN;
    connection->fresh = false; /* the tools of a new session may differ */
    haft__mcp_connection_list_tools(connection);
}

void haft__mcp_connection_watch_lost(haft__mcp_connection *connection)
{
    connection->fresh = false;
}

/* Whether changes of the tools are reported. */
static bool is_watched(const haft__mcp_connection *connection)
{
    return haft__mcp_client_is_watching(connection->client)
           && (!connection->push_supported || haft__mcp_http_transport_is_listening(connection));
}

void haft__mcp_connection_list_tools(haft__mcp_connection *connection)
{
    haft_error err = {0};
    if (connection->state != HAFT__MCP_CONNECTION_OPEN || connection->listing) {
        return;
    }
    connection->listing = true;
    connection->fresh = connection->outdated = false;
    connection->renewing = connection->deadline.slot == 0;
    haft__timer_stop(loop_of(connection), &connection->refresh);
    if (connection->push_supported
        && !connection
                ->push_rejected) { /* opened before the list request, so that no change is missed */
        haft__mcp_http_transport_listen(connection);
    }
    haft_status status = HAFT_OK;
    if (connection->renewing) { /* else the request is part of the start, which has a deadline */
        status = haft__timer_start(loop_of(connection), &connection->deadline,
                                   HAFT__LIMIT_MCP_READY_MS, on_deadline, connection, &err);
    }
    haft__mcp_connection_process_events(
        connection, status == HAFT_OK ? haft__mcp_client_list(connection->client, NULL) : status);
}

/* Stores the list in memory, even if the cache file cannot be written. */
static void store_list(haft__mcp_connection *connection, const haft__mcp_tools *tools)
{
    bool shorter = tools->has_ttl && tools->ttl_ms < HAFT__LIMIT_MCP_LIST_MS;
    haft__mcp_tool_list_update change = {.server = connection->server.name,
                                         .redactor = connection->redactor,
                                         .era = eras[haft__mcp_client_era(connection->client)],
                                         .tools = tools->items,
                                         .tool_count = tools->count,
                                         .left_out = tools->left_out,
                                         .left_out_count = tools->left_out_count,
                                         .left_out_all = tools->left_out_all,
                                         .valid_ms =
                                             shorter ? tools->ttl_ms : HAFT__LIMIT_MCP_LIST_MS};
    (void)!haft__mcp_tool_cache_update(&connection->record, connection->path, &change,
                                       connection->exec->connection_pool->hash_key, NULL);
}

/* Requests an outdated list again. If a call waits for the list, the first few requests are
 * immediate. The limit protects against a server that changes its tools constantly. */
static void relist_if_outdated(haft__mcp_connection *connection)
{
    if (connection->fresh) {
        connection->relist_attempts = 0;
        haft__mcp_tool_call_send_pending(connection);
    } else if (haft__mcp_tool_call_is_pending(connection)
               && connection->relist_attempts < HAFT__LIMIT_MCP_RELISTS) {
        connection->relist_attempts++;
        haft__mcp_connection_list_tools(connection);
    } else {
        haft_error err = {0};
        haft_status status = haft__mcp_connection_fail(
            connection, &err, HAFT_IO, "reports again and again that its tools have changed%s",
            UNCHECKED);
        (void)!haft__hint(&err, status, "continue without it, or try again later");
        connection->relist_attempts = 0;
        haft__mcp_tool_call_fail_pending(connection, &err);
        haft__mcp_connection_tools_changed(connection);
    }
}

void haft__mcp_connection_tools_listed(haft__mcp_connection *connection,
                                       const haft__mcp_tools *tools)
{
    haft__timer_stop(loop_of(connection), &connection->deadline);
    connection->listing = false;
    if (connection->state != HAFT__MCP_CONNECTION_OPEN) {
        return; /* the connection has already failed with a more specific error */
    }
    if (tools->error.status != HAFT_OK) {
        keep_stderr(connection);
        (void)!haft__mcp_connection_fail(
            connection, &connection->error, tools->error.status, "did not list its tools%s: %s",
            connection->renewing ? UNCHECKED : "", tools->error.message);
        (void)!haft__hint(&connection->error, tools->error.status, "%s", tools->error.hint);
        haft__mcp_connection_load_cache(connection, false); /* the session's tools are gone */
        haft__mcp_tool_call_fail_pending(connection, &connection->error);
    } else {
        haft__mcp_connection_reset_failures(connection);
        connection->tools = tools->items;
        connection->tool_count = tools->count;
        connection->number++;
        connection->listed = true;
        connection->fresh = !connection->outdated;
        store_list(connection, tools);
        relist_if_outdated(connection);
        connection->fresh =
            connection->fresh
            && is_watched(
                connection); /* else the list is valid only for the calls that waited for it */
    }
    haft__mcp_connection_pool_notify(connection->exec);
}
