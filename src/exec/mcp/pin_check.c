/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pin_check.c - checks whether a tool may be called: its definition must be the one that was first
 * used or approved, or that a person accepted after a change. Tests:
 * tests/exec/mcp/pin_check_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/mcp/mcp_int.h"

/* The check of one tool. */
typedef struct pin_check {
    haft__mcp_tool_call *tool_call;
    const haft__mcp_tool *tool;
    haft__arena *arena;       /* of the job */
    const char *path;         /* of the pin file; NULL: no state directory */
    haft__mcp_pins *own_pins; /* of this process */
    haft__mcp_pins file;
    haft__buf *why;
    haft__mcp_pin_verdict verdict;
    haft_error *err;
} pin_check;

static haft_str configuration_of(const pin_check *c)
{
    return haft__str(c->tool_call->connection->server.hash);
}

static void refuse(pin_check *c, const char *why)
{
    haft__buf_addf(c->why, "the tool '%.*s' %s, so it was not called\n", HAFT__ARG(c->tool->name),
                   why);
    c->verdict = HAFT__MCP_PIN_REJECTED;
}

/* ---- pins of this process ---- */

static haft_status make_process_pins(haft__mcp_connection_pool *connection_pool, haft_str path,
                                     haft__mcp_process_pins **ret, haft_error *err)
{
    haft__mcp_process_pins *entry = haft__arena_array(&connection_pool->arena, 1, sizeof(*entry));
    haft_str copy = haft__arena_copy(&connection_pool->arena, path);
    if (entry == NULL || copy.ptr == NULL) {
        return haft__arena_fail(&connection_pool->arena, err);
    }
    *entry = (haft__mcp_process_pins){.path = copy, .next = connection_pool->own_pins};
    haft__mcp_pins_init(&entry->pins);
    connection_pool->own_pins = *ret = entry;
    return HAFT_OK;
}

haft_status haft__mcp_process_pins_get(haft__mcp_connection_pool *connection_pool,
                                       const haft__mcp_server_config *server, haft_str spec,
                                       bool make, haft__mcp_pins **ret_pins, haft_error *err)
{
    haft__arena scratch;
    haft_status status = HAFT_OK;
    haft__mcp_process_pins *entry = connection_pool->own_pins;
    haft_str state_dir = connection_pool->state_dir;
    haft__arena_init(&scratch, 0);
    haft_str path = haft__mcp_pins_path(&scratch, state_dir.ptr != NULL ? state_dir : HAFT__LIT(""),
                                        server, spec);
    while (path.ptr != NULL && entry != NULL && !haft__str_equal(entry->path, path)) {
        entry = entry->next;
    }
    if (path.ptr == NULL) {
        status = haft__arena_fail(&scratch, err);
    } else if (entry == NULL && make) {
        status = make_process_pins(connection_pool, path, &entry, err);
    }
    *ret_pins = status == HAFT_OK && entry != NULL ? &entry->pins : NULL;
    haft__arena_finish(&scratch);
    return status;
}

void haft__mcp_process_pins_free(haft__mcp_connection_pool *connection_pool)
{
    for (haft__mcp_process_pins *entry = connection_pool->own_pins; entry != NULL;
         entry = entry->next) {
        haft__mcp_pins_finish(&entry->pins);
    }
    connection_pool->own_pins = NULL;
}

/* ---- pins ---- */

static haft_status compare(pin_check *c, haft__json pin)
{
    haft__json now;
    bool same = false;
    haft_status status =
        haft__mcp_pin_of_tool(c->arena, pin, c->tool, configuration_of(c), &now, c->err);
    status = status == HAFT_OK ? haft__json_equal(pin, now, &same, c->err) : status;
    if (status != HAFT_OK || same) {
        return status;
    }
    refuse(c, "has changed since it was first used or accepted");
    return haft__mcp_tool_diff(c->why, pin, now, c->err);
}

/* ---- pinning ---- */

static void warn_unwritten(pin_check *c, const haft_error *error)
{
    haft_str text = haft__arena_format(c->arena,
                                       "the definition of '%.*s' is not saved, so other runs will "
                                       "not notice if it changes: %s: %s",
                                       HAFT__ARG(c->tool->name), c->path, error->message);
    haft__mcp_tool_call_warn(
        c->tool_call, text.ptr != NULL ? text : HAFT__LIT("the definition of a tool is not saved"));
}

/* Pins the tool, unless another process has pinned it in the meantime: then that pin applies. If
 * the file cannot be written, reports a warning; the pin then applies only in this process. */
static haft_status pin_first(pin_check *c, haft__json pin)
{
    haft__mcp_connection *connection = c->tool_call->connection;
    haft_error error = {0};
    const haft__json_member member = {haft__json_string(c->tool->remote), pin};
    haft__mcp_pins_update pinning = {.server = connection->server.name,
                                     .pins = &member,
                                     .count = 1,
                                     .how = HAFT__PIN_KEEP_EXISTING};
    haft_status status = haft__mcp_pins_add(c->own_pins, c->path, &pinning,
                                            connection->exec->connection_pool->hash_key, &error);
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(c->err);
    }
    if (status != HAFT_OK) {
        warn_unwritten(c, &error);
    }
    const haft__json *now = haft__mcp_pins_find(c->own_pins, c->tool->remote);
    return now != NULL ? compare(c, *now) : HAFT_OK;
}

/* ---- first use ---- */

/* A person has approved the definition that the run was shown, and the tool now has another one.
 * Pins the approved definition, so that the new one is not trusted without another approval. */
static haft_status check_approved(pin_check *c)
{
    const haft__tool *tool = &c->tool_call->shown;
    const haft__mcp_approved_tool shown = {c->tool->remote, tool->description, tool->input_schema,
                                           tool->output_schema};
    haft__json pin;
    haft_status status =
        haft__mcp_pin_make_approved(c->arena, &shown, configuration_of(c), &pin, c->err);
    return status == HAFT_OK ? pin_first(c, pin) : status;
}

static haft_status check_first(pin_check *c)
{
    haft__json pin;
    haft_str hash = c->tool_call->hash;
    if (c->file.doubt) {
        refuse(c, "may have changed: the file with the accepted definitions was damaged");
        return HAFT_OK;
    }
    if (hash.len > 0 && !haft__str_equal(hash, haft__str(c->tool->hash))) {
        if (c->tool_call->job->call.approved) {
            return check_approved(c);
        }
        c->verdict = HAFT__MCP_PIN_STALE;
        return HAFT_OK;
    }
    haft_status status =
        haft__mcp_pin_make(c->arena, c->tool->definition, configuration_of(c), &pin, c->err);
    return status == HAFT_OK ? pin_first(c, pin) : status;
}

/* ---- the check ---- */

static haft_status find_path(pin_check *c)
{
    const haft__mcp_connection *connection = c->tool_call->connection;
    haft_str state_dir = connection->exec->connection_pool->state_dir;
    if (state_dir.ptr == NULL) {
        return HAFT_OK;
    }
    haft_str path = haft__mcp_pins_path(c->arena, state_dir, &connection->server,
                                        c->tool_call->job->call.spec->path);
    c->path = path.ptr;
    return path.ptr != NULL ? HAFT_OK : haft__arena_fail(c->arena, c->err);
}

static haft_status check(pin_check *c)
{
    const haft__mcp_connection *connection = c->tool_call->connection;
    haft_error error = {0};
    haft_status status = find_path(c);
    if (status == HAFT_OK) {
        status = haft__mcp_process_pins_get(connection->exec->connection_pool, &connection->server,
                                            c->tool_call->job->call.spec->path, true, &c->own_pins,
                                            c->err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    status = c->path != NULL ? haft__mcp_pins_read(
                 &c->file, c->path, connection->exec->connection_pool->hash_key, &error)
                             : HAFT_NOT_FOUND;
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(c->err);
    }
    if (status != HAFT_OK && status != HAFT_NOT_FOUND) {
        refuse(c, "may have changed: the file with the accepted definitions is damaged");
        haft__buf_addf(c->why, "%s: %s\n", c->path, error.message);
        return HAFT_OK;
    }
    const haft__json *pin = haft__mcp_pins_find(&c->file, c->tool->remote);
    pin = pin != NULL ? pin : haft__mcp_pins_find(c->own_pins, c->tool->remote);
    return pin != NULL ? compare(c, *pin) : check_first(c);
}

haft_status haft__mcp_pin_check(haft__mcp_tool_call *tool_call, const haft__mcp_tool *tool,
                                haft__mcp_pin_verdict *ret_verdict, haft__buf *why, haft_error *err)
{
    pin_check c = {.tool_call = tool_call,
                   .tool = tool,
                   .arena = &tool_call->job->arena,
                   .why = why,
                   .verdict = HAFT__MCP_PIN_ALLOWED,
                   .err = err};
    haft__mcp_pins_init(&c.file);
    haft_status status = check(&c);
    status = status == HAFT_OK ? haft__buf_check(why, err) : status;
    haft__mcp_pins_finish(&c.file);
    *ret_verdict = c.verdict;
    return status;
}
