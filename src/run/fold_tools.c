/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold_tools.c - tools that became visible in a run, and tools that were evicted.
 *
 * The event has the whole definitions: a run never asks a server what its tools were.
 * Tests: tests/run/fold_tools_test.c.
 */
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "run/fold_int.h"
#include "tool/traits.h"

/* Says which tool of the event is meant. */
static haft_status fail_tool(const haft__event *event, haft_str name, const char *what,
                             haft_error *err)
{
    char text[HAFT__LIMIT_TOOL_NAME_BYTES + 256];
    int shown = name.len < HAFT__LIMIT_TOOL_NAME_BYTES ? (int)name.len : 0;
    (void)snprintf(text, sizeof(text), "the tool \"%.*s\" %.200s", shown, name.ptr, what);
    return haft__fold_fail(event, text, err);
}

/* What is wrong with a definition is wrong with the log, whatever it is called elsewhere. */
static haft_status fail_definition(const haft__event *event, haft_str name, haft_status status,
                                   const haft_error *why, haft_error *err)
{
    char text[256];
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(err);
    }
    (void)snprintf(text, sizeof(text), "cannot be used: %s", why->message);
    return fail_tool(event, name, text, err);
}

/* ---- room ---- */

/* The run's own list, with the spec's tools in front. */
static haft_status own_tools(haft__run *run, haft_error *err)
{
    if (run->more_tools != NULL) {
        return HAFT_OK;
    }
    haft__tools *tools = haft__arena_alloc(run->arena, sizeof(*tools));
    if (tools == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    haft__tools_init(tools, run->arena, run->hash_key);
    haft_status status = haft__tools_share(tools, &run->spec->tools, err);
    if (status == HAFT_OK) {
        run->tools = run->more_tools = tools;
    }
    return status;
}

/* What is kept of each tool, for `more` of them. */
static haft_status grow(haft__run *run, size_t more, haft_error *err)
{
    size_t count = run->tools->count;
    bool *allowed = haft__arena_array(run->arena, count + more, sizeof(*allowed));
    haft__tool_past *past = haft__arena_array(run->arena, count + more, sizeof(*past));
    if (allowed == NULL || past == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    if (count > 0) {
        memcpy(allowed, run->allowed, count * sizeof(*allowed));
        memcpy(past, run->past, count * sizeof(*past));
    }
    run->allowed = allowed;
    run->past = past;
    return HAFT_OK;
}

/* ---- definitions ---- */

/* "search" of "docs:search"; .ptr is NULL when the name is not that server's. */
static haft_str local_name(haft_str name, haft_str server)
{
    bool own = name.len > server.len + 1 && server.len > 0 && haft__str_starts(name, server)
               && name.ptr[server.len] == ':';
    return own ? haft__str_skip(name, server.len + 1) : (haft_str){NULL, 0};
}

/* How it runs, for src/exec: {server, tool, hash}. */
static haft_status define(haft__run *run, haft_str server, haft_str local, haft_str hash,
                          haft__json *ret_definition, haft_error *err)
{
    const haft__json_member members[] = {
        {haft__json_string(HAFT__LIT("server")), haft__json_string(server)},
        {haft__json_string(HAFT__LIT("tool")), haft__json_string(local)},
        {haft__json_string(HAFT__LIT("hash")), haft__json_string(hash)},
    };
    haft__json_member *kept = haft__arena_array(run->arena, COUNT(members), sizeof(*kept));
    if (kept == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    memcpy(kept, members, sizeof(members));
    *ret_definition = haft__json_object(kept, COUNT(members));
    return HAFT_OK;
}

static haft_status read_traits(const haft__event *event, haft__json entry, haft__tool *tool,
                               haft_error *err)
{
    haft_error why = {0};
    const haft__json *traits = haft__json_get(entry, HAFT__LIT("traits"));
    haft__traits_init(&tool->traits);
    haft_status status =
        haft__traits_read(traits != NULL ? *traits : haft__json_null(), &tool->traits, &why);
    return status == HAFT_OK ? HAFT_OK : fail_definition(event, tool->name, status, &why, err);
}

static haft_status read_tool(haft__run *run, const haft__event *event, haft__json entry,
                             haft__tool *tool, haft_error *err)
{
    haft_str name = haft__fold_text(entry, "name"), server = haft__fold_text(entry, "server");
    haft_str local = local_name(name, server), hash = haft__fold_text(entry, "hash");
    const haft__json *input = haft__json_get(entry, HAFT__LIT("input_schema"));
    const haft__json *output = haft__json_get(entry, HAFT__LIT("output_schema"));
    if (local.ptr == NULL) {
        return fail_tool(event, name, "is not named after its server", err);
    }
    if (hash.len == 0) {
        return fail_tool(event, name, "has no hash", err);
    }
    *tool = (haft__tool){.name = name,
                         .description = haft__fold_text(entry, "description"),
                         .source = HAFT__TOOL_MCP,
                         .role = HAFT__ROLE_DATA,
                         .traits_given = true,
                         .typed = true};
    haft_status status = read_traits(event, entry, tool, err);
    if (status == HAFT_OK) {
        status = haft__fold_keep(run, input, &tool->input_schema, err);
    }
    if (status == HAFT_OK) {
        status = haft__fold_keep(run, output, &tool->output_schema, err);
    }
    return status == HAFT_OK ? define(run, server, local, hash, &tool->definition, err) : status;
}

/* One that was evicted and is found again is as it was: then only its place in the request is
 * given back to it. */
static haft_status show_again(haft__run *run, const haft__event *event, const haft__tool *known,
                              haft__json entry, haft_error *err)
{
    haft__tool_past *past = &run->past[haft__run_tool_index(run, known)];
    haft_str hash = haft__fold_text(known->definition, "hash");
    if (!past->hidden || !haft__str_equal(hash, haft__fold_text(entry, "hash"))) {
        return fail_tool(event, known->name, "is there already", err);
    }
    past->hidden = false;
    return HAFT_OK;
}

static haft_status add_tool(haft__run *run, const haft__event *event, haft__json entry,
                            haft_error *err)
{
    haft__tool tool;
    haft_error why = {0};
    const haft__tool *known = haft__tools_find(run->tools, haft__fold_text(entry, "name"));
    if (known != NULL) {
        return show_again(run, event, known, entry, err);
    }
    if (run->tools->count >= HAFT__LIMIT_CHOICE_TOOLS) {
        return haft__fold_fail(event, "the run has as many tools as can be offered", err);
    }
    haft_status status = read_tool(run, event, entry, &tool, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = haft__tools_add(run->more_tools, &tool, &why);
    return status == HAFT_OK ? HAFT_OK : fail_definition(event, tool.name, status, &why, err);
}

/* ---- the events ---- */

/* It comes between turns, or from a call that searches. */
static haft_status check_place(const haft__run *run, const haft__event *event, haft_error *err)
{
    const haft__json *id = haft__event_field(event, "call");
    if (id == NULL) {
        return run->stage == HAFT__RUN_IDLE
                   ? HAFT_OK
                   : haft__fold_fail(event, "tools are revealed between turns, or by a call", err);
    }
    for (size_t i = run->batch; run->stage == HAFT__RUN_CALLING && i < run->call_count; i++) {
        if (haft__str_equal(run->calls[i].id, haft__json_text(*id))
            && run->calls[i].stage == HAFT__CALL_STARTED) {
            return HAFT_OK;
        }
    }
    return haft__fold_fail(event, "its call does not run", err);
}

haft_status haft__fold_tools_revealed(haft__run *run, const haft__event *event, haft_error *err)
{
    const haft__json *listed = haft__event_field(event, "tools");
    haft_status status = check_place(run, event, err);
    if (status == HAFT_OK && (listed == NULL || listed->kind != HAFT__JSON_ARRAY)) {
        status = haft__fold_fail(event, "it has no list of tools", err);
    }
    if (status == HAFT_OK && listed->count > 0) {
        status = own_tools(run, err);
        if (status == HAFT_OK) {
            status = grow(run, listed->count, err);
        }
    }
    for (uint32_t i = 0; status == HAFT_OK && i < listed->count; i++) {
        status = add_tool(run, event, listed->items[i], err);
    }
    run->catalogued = true;
    return status;
}

haft_status haft__fold_tools_hidden(haft__run *run, const haft__event *event, haft_error *err)
{
    const haft__json *names = haft__event_field(event, "tools");
    if (names == NULL || names->kind != HAFT__JSON_ARRAY) {
        return haft__fold_fail(event, "it has no list of tools", err);
    }
    for (uint32_t i = 0; i < names->count; i++) {
        const haft__tool *tool = haft__tools_find(run->tools, haft__json_text(names->items[i]));
        if (tool == NULL || tool->source != HAFT__TOOL_MCP
            || run->past[haft__run_tool_index(run, tool)].hidden) {
            return haft__fold_fail(event, "it hides a tool that was not revealed", err);
        }
        run->past[haft__run_tool_index(run, tool)].hidden = true;
    }
    return HAFT_OK;
}
