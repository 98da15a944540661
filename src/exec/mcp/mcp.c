/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp.c - all connections to MCP servers, and the tools of a spec's servers.
 *
 * Two runs share a connection if their specs have the same configuration for the server and are in
 * the same directory. Tests: tests/exec/mcp/mcp_test.c.
 */
#include "exec/mcp/mcp.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/mcp/mcp_int.h"
#include "exec/secrets.h"
#include "exec/state_file.h"
#include "io/clock.h"
#include "io/random.h"
#include "run/offer/resolve.h"
#include "json/read.h"
#include "json/write.h"

/* ---- the connection pool ---- */

static haft_status make_connection_pool(haft__exec *exec, haft_error *err)
{
    if (exec->connection_pool != NULL) {
        return HAFT_OK;
    }
    haft__mcp_connection_pool *connection_pool = calloc(1, sizeof(*connection_pool));
    if (connection_pool == NULL) {
        return haft__fail_no_memory(err);
    }
    haft__arena_init(&connection_pool->arena, 0);
    connection_pool->hash_key = haft__random_hash_key();
    const char *given = exec->options.state;
    if (given == NULL) {
        connection_pool->state_dir = haft__state_file_directory(&connection_pool->arena);
    } else if (given[0] != '\0') {
        connection_pool->state_dir = haft__arena_format(&connection_pool->arena, "%s", given);
    }
    exec->connection_pool = connection_pool;
    return HAFT_OK;
}

/* Waits a short time for sessions to close. */
static void wait_for_disconnects(haft__exec *exec)
{
    haft__loop *loop = exec->options.loop;
    uint64_t begun = haft__loop_now(loop);
    haft_status status = HAFT_OK;
    for (haft__mcp_connection *connection = exec->connection_pool->connections; connection != NULL;
         connection = connection->next) {
        while (connection->exchanges != NULL && status == HAFT_OK
               && haft__loop_now(loop) - begun < HAFT__LIMIT_MCP_EXIT_MS) {
            status = haft__loop_step(loop, 50, NULL);
        }
    }
}

static void free_catalogue(haft__catalogue *catalogue);

void haft__mcp_connection_pool_destroy(haft__exec *exec)
{
    haft__mcp_connection_pool *connection_pool = exec->connection_pool;
    if (connection_pool == NULL) {
        return;
    }
    while (connection_pool->catalogues != NULL) { /* cancelled, but its task has not freed it yet */
        haft__loop_cancel_task(exec->options.loop, &connection_pool->catalogues->task);
        free_catalogue(connection_pool->catalogues);
    }
    for (haft__mcp_connection *connection = connection_pool->connections; connection != NULL;
         connection = connection->next) {
        haft__mcp_connection_disconnect(connection);
    }
    wait_for_disconnects(exec);
    while (connection_pool->connections != NULL) {
        haft__mcp_connection *connection = connection_pool->connections;
        connection_pool->connections = connection->next;
        haft__mcp_connection_destroy(connection);
    }
    haft__mcp_process_pins_free(connection_pool);
    haft__arena_finish(&connection_pool->arena);
    free(connection_pool);
    exec->connection_pool = NULL;
}

/* ---- connections ---- */

/* The server's configuration from the spec, alone in an `mcp` object. */
static haft_status write_server(haft__arena *arena, const haft__spec *spec, haft_str name,
                                haft_str *ret_text, haft_error *err)
{
    const haft__json *servers = haft__json_get(spec->mcp, HAFT__LIT("servers"));
    const haft__json *server = servers != NULL ? haft__json_get(*servers, name) : NULL;
    haft__buf text;
    haft__json_writer w;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_writer_init(&w, &text);
    haft__json_begin_object(&w);
    haft__json_key(&w, "servers");
    haft__json_begin_object(&w);
    haft__json_key_str(&w, name);
    haft__json_add(&w, server != NULL ? *server : haft__json_null());
    haft__json_end_object(&w);
    haft__json_end_object(&w);
    haft_status status = haft__buf_check(&text, err);
    *ret_text = haft__arena_copy(arena, haft__buf_str(&text));
    haft__buf_finish(&text);
    return status != HAFT_OK || ret_text->ptr != NULL ? status : haft__arena_fail(arena, err);
}

/* Copies everything that the connection needs to its own arena. */
static haft_status fill_connection(haft__mcp_connection *connection, const haft__spec *spec,
                                   haft_str name, haft_error *err)
{
    haft__json mcp;
    haft__mcp_server_configs servers;
    haft_status status =
        haft__mcp_tool_cache_directory(&connection->arena, spec->path, &connection->directory, err);
    status = status == HAFT_OK ? write_server(&connection->arena, spec, name, &connection->key, err)
                               : status;
    if (status == HAFT_OK) {
        status = haft__json_read(&connection->arena, connection->key, NULL, &mcp, NULL, err);
    }
    if (status == HAFT_OK) {
        status = haft__mcp_server_configs_read(&connection->arena, mcp, &servers, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    connection->server = servers.items[0];
    if (connection->exec->connection_pool->state_dir.ptr != NULL) {
        haft_str path = haft__mcp_tool_cache_path(&connection->arena,
                                                  connection->exec->connection_pool->state_dir,
                                                  &connection->server, connection->directory);
        connection->path = path.ptr;
        status = path.ptr != NULL ? HAFT_OK : haft__arena_fail(&connection->arena, err);
    }
    return status;
}

static haft__mcp_connection *find_connection(const haft__mcp_connection_pool *connection_pool,
                                             const haft__mcp_connection *model)
{
    for (haft__mcp_connection *connection = connection_pool->connections; connection != NULL;
         connection = connection->next) {
        if (haft__str_equal(connection->key, model->key)
            && haft__str_equal(connection->directory, model->directory)) {
            return connection;
        }
    }
    return NULL;
}

haft_status haft__mcp_connection_pool_get(haft__exec *exec, const haft__spec *spec,
                                          const haft__mcp_server_config *server,
                                          haft__mcp_connection **ret_connection, haft_error *err)
{
    haft__mcp_connection *connection = NULL;
    haft_status status = make_connection_pool(exec, err);
    status = status == HAFT_OK ? haft__mcp_connection_create(exec, &connection, err) : status;
    if (status != HAFT_OK) {
        return status;
    }
    status = fill_connection(connection, spec, server->name, err);
    haft__mcp_connection *known =
        status == HAFT_OK ? find_connection(exec->connection_pool, connection) : NULL;
    if (status != HAFT_OK || known != NULL) {
        haft__mcp_connection_destroy(connection);
        *ret_connection = known;
        return status;
    }
    status = haft__secrets_collect(spec, &exec->options.env, &connection->arena,
                                   &connection->redactor, err);
    status = status == HAFT_OK ? haft__redactor_seal(connection->redactor, err) : status;
    if (status != HAFT_OK) {
        haft__mcp_connection_destroy(connection);
        return status;
    }
    haft__mcp_connection_load_cache(connection, true);
    connection->next = exec->connection_pool->connections;
    exec->connection_pool->connections = connection;
    *ret_connection = connection;
    return HAFT_OK;
}

/* ---- catalogues ---- */

static void free_catalogue(haft__catalogue *catalogue)
{
    haft__catalogue **at = &catalogue->exec->connection_pool->catalogues;
    while (*at != NULL && *at != catalogue) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        *at = catalogue->next;
    }
    haft__timer_stop(catalogue->exec->options.loop, &catalogue->timer);
    haft__arena_finish(&catalogue->arena);
    free(catalogue);
}

/* The error of a connection, with its hint. */
static haft_str error_of(haft__arena *arena, const haft__mcp_connection *connection)
{
    const haft_error *error = &connection->error;
    if (error->status == HAFT_OK) {
        return HAFT__LIT("the server did not list its tools in time");
    }
    haft_str both = error->hint[0] != '\0'
                        ? haft__arena_format(arena, "%s (%s)", error->message, error->hint)
                        : (haft_str){NULL, 0};
    return both.ptr != NULL ? both : haft__str(error->message);
}

/* Marks tools that must not be called; when out of memory the listing has no tools. */
static void mark_changed_tools(const haft__mcp_connection *connection, haft_str spec,
                               haft__arena *arena, haft__mcp_listing *listing)
{
    haft__mcp_connection_pool *connection_pool = connection->exec->connection_pool;
    haft__mcp_pins *own_pins = NULL;
    haft_status status = haft__mcp_process_pins_get(connection_pool, &connection->server, spec,
                                                    false, &own_pins, NULL);
    if (status == HAFT_OK) {
        status = haft__mcp_state_mark_changed(arena, connection_pool->state_dir,
                                              &connection->server, spec, own_pins, listing, NULL);
    }
    if (status != HAFT_OK) {
        listing->tool_count = 0;
        listing->error = HAFT__LIT("out of memory for its list of tools");
    }
}

static haft__mcp_listing listing_of(const haft__mcp_connection *connection, haft_str spec,
                                    haft_str warning, haft__arena *arena)
{
    haft__mcp_listing listing = {.server = connection->server.name,
                                 .state = haft__mcp_connection_state_name(connection),
                                 .error = HAFT__LIT(""),
                                 .hash = haft__str(connection->server.hash),
                                 .number = connection->number,
                                 .warning = warning,
                                 .left_out = connection->record.left_out,
                                 .left_out_all = connection->record.left_out_all};
    if (connection->listed) {
        listing.tools = connection->tools;
        listing.tool_count = connection->tool_count;
        mark_changed_tools(connection, spec, arena, &listing);
        if (connection->record.too_long && listing.warning.len == 0) {
            listing.warning = HAFT__MCP_LIST_TOO_LONG_WARNING;
        }
    } else {
        listing.error = error_of(arena, connection);
        listing.stderr_lines =
            haft__arena_copy(arena, haft__mcp_stdio_transport_more_stderr(connection));
    }
    return listing;
}

haft_status haft__exec_server_listing(haft__exec *exec, const haft__spec *spec, haft_str server,
                                      haft__arena *arena, haft__mcp_listing *ret_listing,
                                      haft_error *err)
{
    haft__mcp_server_configs servers;
    haft__mcp_connection *connection = NULL;
    haft_str warning = HAFT__LIT("");
    haft_status status = make_connection_pool(exec, err);
    status =
        status == HAFT_OK ? haft__mcp_server_configs_read(arena, spec->mcp, &servers, err) : status;
    const haft__mcp_server_config *one =
        status == HAFT_OK ? haft__mcp_server_configs_find(&servers, server) : NULL;
    if (status == HAFT_OK && one == NULL) {
        return haft__fail(err, HAFT_NOT_FOUND, "", "the spec has no server '%.*s'",
                          HAFT__ARG(server));
    }
    status = status == HAFT_OK ? haft__mcp_connection_pool_get(exec, spec, one, &connection, err)
                               : status;
    if (status == HAFT_OK) {
        status = haft__mcp_state_check(arena, exec->connection_pool->state_dir, one, spec->path,
                                       &warning, err);
    }
    if (status == HAFT_OK) {
        *ret_listing = listing_of(connection, spec->path, warning, arena);
    }
    return status;
}

static void deliver_listings(haft__task *task)
{
    haft__catalogue *catalogue = HAFT__CONTAINER(task, haft__catalogue, task);
    haft__mcp_listing *listings =
        haft__arena_array(&catalogue->arena, catalogue->count, sizeof(*listings));
    size_t count = listings != NULL ? catalogue->count : 0; /* none when out of memory */
    for (size_t i = 0; i < count; i++) {
        listings[i] = listing_of(catalogue->connections[i], catalogue->spec, catalogue->warnings[i],
                                 &catalogue->arena);
    }
    if (catalogue->done != NULL) {
        catalogue->done(catalogue->context, listings, count);
    }
    free_catalogue(catalogue);
}

static void post(haft__catalogue *catalogue)
{
    if (!catalogue->posted) {
        catalogue->posted = true;
        catalogue->task.run = deliver_listings;
        haft__loop_post(catalogue->exec->options.loop, &catalogue->task);
    }
}

static void on_deadline(void *context)
{
    post(context);
}

static bool is_settled(const haft__catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        if (!haft__mcp_connection_is_settled(catalogue->connections[i])) {
            return false;
        }
    }
    return true;
}

void haft__mcp_connection_pool_notify(haft__exec *exec)
{
    for (haft__catalogue *it = exec->connection_pool->catalogues; it != NULL; it = it->next) {
        if (is_settled(it)) {
            post(it);
        }
    }
}

static haft_status find_connections(haft__catalogue *catalogue, const haft__spec *spec,
                                    haft_error *err)
{
    haft__mcp_server_configs servers;
    haft_status status = haft__mcp_server_configs_read(&catalogue->arena, spec->mcp, &servers, err);
    if (status != HAFT_OK) {
        return status;
    }
    catalogue->connections =
        haft__arena_array(&catalogue->arena, servers.count, sizeof(haft__mcp_connection *));
    catalogue->warnings = haft__arena_array(&catalogue->arena, servers.count, sizeof(haft_str));
    if (catalogue->connections == NULL || catalogue->warnings == NULL) {
        return haft__arena_fail(&catalogue->arena, err);
    }
    catalogue->spec = haft__arena_copy(&catalogue->arena, spec->path);
    status = catalogue->spec.ptr != NULL ? HAFT_OK : haft__arena_fail(&catalogue->arena, err);
    for (size_t i = 0; i < servers.count && status == HAFT_OK; i++) {
        if (haft__resolve_server(spec, servers.items[i].name) == HAFT__REASON_DEFERRED) {
            status = haft__mcp_connection_pool_get(catalogue->exec, spec, &servers.items[i],
                                                   &catalogue->connections[catalogue->count], err);
            if (status == HAFT_OK) {
                status = haft__mcp_state_check(
                    &catalogue->arena, catalogue->exec->connection_pool->state_dir,
                    &servers.items[i], spec->path, &catalogue->warnings[catalogue->count], err);
            }
            catalogue->count += status == HAFT_OK;
        }
    }
    return status;
}

/* Starts or queries the servers whose tools are unknown or outdated. */
static void connect_all(haft__catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->count; i++) {
        haft__mcp_connection *connection = catalogue->connections[i];
        if (connection->listed
            && haft__mcp_tool_cache_is_fresh(&connection->record, haft__clock_now())) {
            continue;
        }
        connection->listed = false;
        if (connection->state == HAFT__MCP_CONNECTION_OPEN) {
            haft__mcp_connection_list_tools(connection);
        } else {
            haft__mcp_connection_connect(connection);
        }
    }
}

haft_status haft__exec_catalogue(haft__exec *exec, const haft__spec *spec,
                                 haft__catalogue_done *done, void *context,
                                 haft__catalogue **ret_catalogue, haft_error *err)
{
    haft_status status = make_connection_pool(exec, err);
    haft__catalogue *catalogue = status == HAFT_OK ? calloc(1, sizeof(*catalogue)) : NULL;
    if (catalogue == NULL) {
        return haft__fail_no_memory(err);
    }
    *catalogue = (haft__catalogue){.exec = exec, .done = done, .context = context};
    haft__arena_init(&catalogue->arena, HAFT__LIMIT_ARENA_BYTES);
    catalogue->next = exec->connection_pool->catalogues;
    exec->connection_pool->catalogues = catalogue;
    status = find_connections(catalogue, spec, err);
    if (status == HAFT_OK) {
        connect_all(catalogue); /* before the catalogue's timer, so that servers report their own
                                   errors first */
        status = haft__timer_start(exec->options.loop, &catalogue->timer, HAFT__LIMIT_MCP_READY_MS,
                                   on_deadline, catalogue, err);
    }
    if (status != HAFT_OK) {
        haft__loop_cancel_task(exec->options.loop, &catalogue->task);
        free_catalogue(catalogue);
        return status;
    }
    if (is_settled(catalogue)) {
        post(catalogue);
    }
    *ret_catalogue = catalogue;
    return HAFT_OK;
}

void haft__catalogue_cancel(haft__catalogue *catalogue)
{
    catalogue->done = NULL; /* the pending task frees it */
    post(catalogue);
}
