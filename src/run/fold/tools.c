/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tools.c - applies events about searches: tools that were declared, listed or evicted.
 *
 * The event contains the whole definitions, so a run never asks a server for earlier tools.
 *
 * Tests: tests/run/fold/tools_test.c.
 */
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "run/fold/fold_int.h"
#include "run/offer/resolve.h"
#include "tool/builtin.h"
#include "tool/traits.h"
#include "json/object.h"

/* Fails and names the tool of the event. */
static haft_status fail_tool(const haft__event *event, haft_str name, const char *what,
                             haft_error *err)
{
    char text[HAFT__LIMIT_TOOL_NAME_BYTES + 256];
    int shown = name.len < HAFT__LIMIT_TOOL_NAME_BYTES ? (int)name.len : 0;
    (void)snprintf(text, sizeof(text), "the tool \"%.*s\" %.200s", shown, name.ptr, what);
    return haft__fold_fail(event, text, err);
}

/* Every error in a definition is an error of the log, whatever its original status. */
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

/* ---- memory ---- */

/* Makes the run's own list of tools, the spec's tools first. */
static haft_status copy_tools(haft__run *run, haft_error *err)
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

/* Ensures room for the history of `more` tools. */
static haft_status grow_tools(haft__run *run, size_t more, haft_error *err)
{
    size_t count = run->tools->count;
    bool *allowed = haft__arena_array(run->arena, count + more, sizeof(*allowed));
    haft__tool_history *past = haft__arena_array(run->arena, count + more, sizeof(*past));
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

/* The part "search" of "docs:search"; .ptr is NULL if the name belongs to another server. */
static haft_str local_name(haft_str name, haft_str server)
{
    bool own = name.len > server.len + 1 && server.len > 0 && haft__str_starts_with(name, server)
               && name.ptr[server.len] == ':';
    return own ? haft__str_skip(name, server.len + 1) : (haft_str){NULL, 0};
}

/* Writes the data that src/exec needs to run the tool: {server, tool, hash}. */
static haft_status write_definition(haft__run *run, haft_str server, haft_str local, haft_str hash,
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
    haft_str name = haft__object_text(entry, "name"), server = haft__object_text(entry, "server");
    haft_str local = local_name(name, server), hash = haft__object_text(entry, "hash");
    const haft__json *input = haft__json_get(entry, HAFT__LIT("input_schema"));
    const haft__json *output = haft__json_get(entry, HAFT__LIT("output_schema"));
    if (local.ptr == NULL) {
        return fail_tool(event, name, "is not named after its server", err);
    }
    if (hash.len == 0) {
        return fail_tool(event, name, "has no hash", err);
    }
    *tool = (haft__tool){.name = name,
                         .description = haft__object_text(entry, "description"),
                         .source = HAFT__TOOL_MCP,
                         .role = HAFT__ROLE_DATA,
                         .traits_given = true,
                         .hinted_destructive = haft__object_flag(entry, "destructive_hint", false),
                         .typed = true};
    haft_status status = read_traits(event, entry, tool, err);
    if (status == HAFT_OK) {
        status = haft__fold_copy_json(run, input, &tool->input_schema, err);
    }
    if (status == HAFT_OK) {
        status = haft__fold_copy_json(run, output, &tool->output_schema, err);
    }
    return status == HAFT_OK ? write_definition(run, server, local, hash, &tool->definition, err)
                             : status;
}

/* ---- hits ---- */

/* The tools of an event while they are added. */
typedef struct finding {
    haft__run *run;
    const haft__event *event;
    bool first;              /* the search before the first turn; else a search by a call */
    bool shown;              /* the current tools are declared; else they are only listed */
    const haft__tool **hits; /* all hits, for the call that searched */
    size_t hit_count;
    const haft__tool **revealed; /* hits that no earlier search had declared */
    size_t revealed_count;
} finding;

static bool is_only_named(haft__json entry)
{
    const haft__json *schema = haft__json_get(entry, HAFT__LIT("input_schema"));
    return schema != NULL && schema->kind == HAFT__JSON_NULL;
}

/* Records the tool as found. Only a declared hit is protected from eviction; a listed hit is
 * not. */
static void mark_revealed(finding *f, const haft__tool *tool)
{
    haft__run *run = f->run;
    haft__tool_history *past = &run->past[haft__run_tool_index(run, tool)];
    if (f->shown && past->shown_order == 0) {
        past->shown_first = f->first;
        f->revealed[f->revealed_count++] = tool;
    }
    if (f->shown && past->found != HAFT__TOOL_REVEAL_SHOWN) {
        past->found = HAFT__TOOL_REVEAL_SHOWN;
        past->shown_order = ++run->shown_count;
    } else if (past->found == HAFT__TOOL_REVEAL_NONE) {
        past->found = HAFT__TOOL_REVEAL_LISTED;
    }
    if (f->shown) {
        past->found_seq = f->event->seq;
        past->found_rank = (uint32_t)f->hit_count;
    }
}

/* Adds a tool that the run already has. The tool keeps its definition and gets its place in the
 * request. A second definition is an error, unless the tool was evicted in between. */
static haft_status add_known(finding *f, const haft__tool *known, haft__json entry, haft_error *err)
{
    const haft__tool_history *past = &f->run->past[haft__run_tool_index(f->run, known)];
    haft_str hash = haft__object_text(known->definition, "hash");
    bool same = haft__str_equal(hash, haft__object_text(entry, "hash"));
    bool served = known->source == HAFT__TOOL_MCP;
    bool again = is_only_named(entry) || past->found == HAFT__TOOL_REVEAL_HIDDEN;
    if (served ? !same || !again : !haft__resolve_is_deferred(f->run->spec, known)) {
        return fail_tool(f->event, known->name, "exists already", err);
    }
    mark_revealed(f, known);
    return HAFT_OK;
}

/* Adds a tool that the run does not have. */
static haft_status add_new(const finding *f, haft__json entry, haft_error *err)
{
    haft__run *run = f->run;
    haft__tool tool;
    haft_error why = {0};
    if (haft__spec_own_tools(run->spec, run->tools) >= HAFT__LIMIT_CHOICE_TOOLS) {
        return haft__fold_fail(f->event, "the run has the maximum number of tools", err);
    }
    haft_status status = read_tool(run, f->event, entry, &tool, err);
    if (status == HAFT_OK) {
        status = haft__tools_add(run->more_tools, &tool, &why);
        status =
            status == HAFT_OK ? HAFT_OK : fail_definition(f->event, tool.name, status, &why, err);
    }
    return status;
}

static haft_status add_tool(finding *f, haft__json entry, haft_error *err)
{
    haft_str name = haft__object_text(entry, "name");
    haft_status status = HAFT_OK;
    const haft__tool *known = haft__tools_find(f->run->tools, name);
    if (known != NULL) {
        status = add_known(f, known, entry, err);
    } else {
        status = add_new(f, entry, err);
        known = haft__tools_find(f->run->tools, name);
        if (status == HAFT_OK) {
            mark_revealed(f, known);
        }
    }
    if (status == HAFT_OK) {
        f->hits[f->hit_count++] = known;
    }
    return status;
}

/* Adds tools that are declared although no search has revealed them. */
static haft_status add_deferred(const finding *f, haft__json entries, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; status == HAFT_OK && i < entries.count; i++) {
        haft_str name = haft__object_text(entries.items[i], "name");
        status = haft__tools_find(f->run->tools, name) == NULL
                     ? add_new(f, entries.items[i], err)
                     : fail_tool(f->event, name, "exists already", err);
    }
    return status;
}

static haft_status add_tools(finding *f, haft__json entries, bool shown, haft_error *err)
{
    haft_status status = HAFT_OK;
    f->shown = shown;
    for (uint32_t i = 0; status == HAFT_OK && i < entries.count; i++) {
        status = add_tool(f, entries.items[i], err);
    }
    return status;
}

/* ---- servers ---- */

static haft_status read_names(haft__run *run, haft__json list, const haft_str **ret_names,
                              size_t *ret_count, haft_error *err)
{
    haft_str *names = haft__arena_array(run->arena, list.count, sizeof(*names));
    if (names == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    for (uint32_t i = 0; i < list.count; i++) {
        names[i] = haft__json_text(list.items[i]);
    }
    *ret_names = names;
    *ret_count = list.count;
    return HAFT_OK;
}

static bool is_array(const haft__json *value)
{
    return value != NULL && value->kind == HAFT__JSON_ARRAY;
}

static haft_status read_server(haft__run *run, haft__json row, haft__run_server *server,
                               haft_error *err)
{
    const haft__json *names = haft__json_get(row, HAFT__LIT("names"));
    const haft__json *changed = haft__json_get(row, HAFT__LIT("changed"));
    haft_status status = HAFT_OK;
    server->error = haft__object_text(row, "error");
    server->changed_count = 0;
    if (is_array(names)) {
        server->unnamed = false;
        status = read_names(run, *names, &server->names, &server->name_count, err);
    }
    if (status == HAFT_OK && is_array(changed)) {
        status = read_names(run, *changed, &server->changed, &server->changed_count, err);
    }
    return status;
}

const haft__run_server *haft__run_find_server(const haft__run *run, haft_str name)
{
    for (size_t i = 0; run != NULL && i < run->server_count; i++) {
        if (haft__str_equal(run->servers[i].name, name)) {
            return &run->servers[i];
        }
    }
    return NULL;
}

/* The recorded state of the server, which is valid until another event replaces it. */
static haft__run_server known_server(const haft__run *run, haft_str name)
{
    const haft__run_server *server = haft__run_find_server(run, name);
    return server != NULL ? *server : (haft__run_server){.name = name, .unnamed = true};
}

/* Marks the tools that the server no longer lists: exactly those in the row. */
static void mark_gone(haft__run *run, haft__json row)
{
    const haft__json *gone = haft__json_get(row, HAFT__LIT("gone"));
    for (size_t i = 0; i < run->tools->count; i++) {
        haft__json definition = run->tools->items[i]->definition;
        if (run->tools->items[i]->source != HAFT__TOOL_MCP
            || !haft__str_equal(haft__object_text(definition, "server"),
                                haft__object_text(row, "name"))) {
            continue;
        }
        run->past[i].gone = false;
        for (uint32_t k = 0; is_array(gone) && k < gone->count; k++) {
            run->past[i].gone |= haft__str_equal(haft__json_text(gone->items[k]),
                                                 haft__object_text(definition, "tool"));
        }
    }
}

static haft_status read_servers(haft__run *run, const haft__event *event, haft_error *err)
{
    const haft__json *list = haft__event_field(event, "servers");
    uint32_t count = list != NULL && list->kind == HAFT__JSON_ARRAY ? list->count : 0;
    haft__run_server *servers = haft__arena_array(run->arena, count, sizeof(*servers));
    haft_status status = servers != NULL ? HAFT_OK : haft__arena_fail(run->arena, err);
    for (uint32_t i = 0; i < count && status == HAFT_OK; i++) {
        servers[i] = known_server(run, haft__object_text(list->items[i], "name"));
        status = read_server(run, list->items[i], &servers[i], err);
        mark_gone(run, list->items[i]);
    }
    run->servers = servers;
    run->server_count = status == HAFT_OK ? count : 0;
    return status;
}

/* ---- the events ---- */

/* The event comes between turns, or from a call of tool_search. */
static haft_status find_search(haft__run *run, const haft__event *event, haft__run_call **ret_call,
                               haft_error *err)
{
    const haft__json *id = haft__event_field(event, "call");
    *ret_call = NULL;
    if (id == NULL || id->kind == HAFT__JSON_NULL) {
        bool graph = haft__run_is_graph(run) && !run->initial_search_done;
        return run->stage == HAFT__RUN_IDLE || graph
                   ? HAFT_OK
                   : haft__fold_fail(event, "tools are revealed only between turns or by a call",
                                     err);
    }
    for (size_t i = run->batch; run->stage == HAFT__RUN_CALLING && i < run->call_count; i++) {
        haft__run_call *call = &run->calls[i];
        if (haft__str_equal(call->id, haft__json_text(*id)) && call->stage == HAFT__CALL_STARTED
            && !call->searched) {
            *ret_call = call;
            return HAFT_OK;
        }
    }
    return haft__fold_fail(event, "its call is not running", err);
}

haft_status haft__fold_add_search_tool(haft__run *run, haft_error *err)
{
    haft__tool tool;
    haft_str name = HAFT__LIT(HAFT__TOOL_SEARCH);
    if (!haft__resolve_can_search(run->spec) || haft__tools_find(run->tools, name) != NULL
        || haft__spec_own_tools(run->spec, run->tools) >= HAFT__LIMIT_CHOICE_TOOLS) {
        return HAFT_OK;
    }
    haft_status status = copy_tools(run, err);
    status = status == HAFT_OK ? grow_tools(run, 1, err) : status;
    status = status == HAFT_OK ? haft__builtin_tool(run->arena, name, &tool, err) : status;
    return status == HAFT_OK ? haft__tools_add(run->more_tools, &tool, err) : status;
}

static haft_status read_found(haft__run *run, const haft__event *event, haft__run_call *call,
                              haft_error *err)
{
    haft__json shown = haft__object_array(event->object, "tools"),
               listed = haft__object_array(event->object, "listed"),
               deferred = haft__object_array(event->object, "deferred_tools");
    size_t count = (size_t)shown.count + listed.count, all = count + deferred.count;
    finding f = {.run = run,
                 .event = event,
                 .first = call == NULL,
                 .hits = haft__arena_array(run->arena, count, sizeof(haft__tool *)),
                 .revealed = haft__arena_array(run->arena, shown.count, sizeof(haft__tool *))};
    if (f.hits == NULL || f.revealed == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    haft_status status = HAFT_OK;
    if (all > 0) {
        status = copy_tools(run, err);
        status = status == HAFT_OK ? grow_tools(run, all, err) : status;
    }
    status = status == HAFT_OK ? add_tools(&f, shown, true, err) : status;
    status = status == HAFT_OK ? add_tools(&f, listed, false, err) : status;
    status = status == HAFT_OK ? add_deferred(&f, deferred, err) : status;
    if (status == HAFT_OK && call != NULL) {
        call->searched = true;
        call->hits = f.hits;
        call->hit_count = f.hit_count;
        call->revealed = f.revealed;
        call->revealed_count = f.revealed_count;
        run->search_found_nothing = run->search_found_nothing || count == 0;
        call->shown_count = shown.count;
    }
    return status;
}

/* ---- changed tools ---- */

/* Replaces the tool. Its call was not made, so it is reset to its arrival and judged by the new
 * definition. */
static haft_status replace_tool(haft__run *run, const haft__event *event, haft__run_call *call,
                                haft__json entry, haft_error *err)
{
    haft__tool tool = {0};
    haft_error why = {0};
    haft_status status = read_tool(run, event, entry, &tool, err);
    if (status == HAFT_OK) {
        uint32_t cost = call->started ? haft__evidence_cost(call->tool->traits.cost) : 0;
        status = haft__tools_replace(run->more_tools, &tool, &why);
        if (status != HAFT_OK) {
            return fail_definition(event, tool.name, status, &why, err);
        }
        haft__map_init(&run->results, run->arena, run->hash_key); /* they may be of the old tool */
        run->usage.calls -= call->started;
        run->usage.cost_units -= cost;
        call->started = false;
        call->approved = call->consented = false; /* they were for the old definition */
        call->binding = call->bound = HAFT__LIT("");
        call->attempt = call->repeats = 0;
        call->arguments = haft__json_null();
        call->stage = HAFT__CALL_ARRIVED;
    }
    return status;
}

/* The call of a tool that has changed at its server. */
static haft_status read_replaced(haft__run *run, const haft__event *event, haft_error *err)
{
    const haft__json *id = haft__event_field(event, "call");
    haft__json entries = haft__object_array(event->object, "tools");
    haft_str name =
        entries.count == 1 ? haft__object_text(entries.items[0], "name") : HAFT__LIT("");
    for (size_t i = run->batch; id != NULL && i < run->call_count; i++) {
        haft__run_call *call = &run->calls[i];
        if (haft__str_equal(call->id, haft__json_text(*id)) && call->tool != NULL
            && call->tool->source == HAFT__TOOL_MCP && haft__str_equal(call->tool->name, name)) {
            return replace_tool(run, event, call, entries.items[0], err);
        }
    }
    return haft__fold_fail(event, "the run has no such call of this tool", err);
}

/* The new list of one server; the others are unchanged. */
static haft_status read_relisted(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__json rows = haft__object_array(event->object, "servers");
    size_t count = run->server_count;
    haft__run_server *servers = haft__arena_array(run->arena, count + 1, sizeof(*servers));
    if (rows.count != 1) {
        return haft__fold_fail(event, "expected one server", err);
    }
    if (servers == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    haft__run_server server = known_server(run, haft__object_text(rows.items[0], "name"));
    const haft__json *names = haft__json_get(rows.items[0], HAFT__LIT("names"));
    server.unnamed = !is_array(names);
    haft_status status = read_server(run, rows.items[0], &server, err);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        servers[i] = run->servers[i];
        at += at == i && !haft__str_equal(servers[i].name, server.name);
    }
    servers[at] = server;
    run->servers = servers;
    run->server_count = at < count ? count : count + 1;
    mark_gone(run, rows.items[0]);
    return status;
}

/* Whether a server may still have tools that it has not listed. */
static bool may_list(const haft__run *run, haft__json row)
{
    bool unknown = haft__object_text(row, "error").len > 0
                   || haft__str_equal(haft__object_text(row, "state"), HAFT__LIT("configured"));
    return unknown
           && haft__resolve_server(run->spec, haft__object_text(row, "name"))
                  == HAFT__REASON_DEFERRED;
}

/* Sets the number of searchable tools. The event before the first turn decides whether tool_search
 * is useful; after that the beginning of the request stays the same. */
static void count_deferred(haft__run *run, const haft__event *event)
{
    haft__json servers = haft__object_array(event->object, "servers");
    bool none = haft__event_number(event, "deferred", &run->deferred, NULL) == HAFT_OK
                && run->deferred == 0;
    for (uint32_t i = 0; none && i < servers.count; i++) {
        none = !may_list(run, servers.items[i]);
    }
    if (haft__event_flag(event, "automatic")) {
        run->nothing_to_search = none;
    }
}

haft_status haft__fold_tools_revealed(haft__run *run, const haft__event *event, haft_error *err)
{
    const haft__json *listed = haft__event_field(event, "tools");
    haft__run_call *call = NULL;
    if (haft__event_field(event, "reason") != NULL) {
        const haft__json *id = haft__event_field(event, "call");
        return id != NULL && id->kind == HAFT__JSON_STRING ? read_replaced(run, event, err)
                                                           : read_relisted(run, event, err);
    }
    haft_status status = find_search(run, event, &call, err);
    if (status == HAFT_OK && (listed == NULL || listed->kind != HAFT__JSON_ARRAY)) {
        status = haft__fold_fail(event, "it has no list of tools", err);
    }
    status = status == HAFT_OK ? read_found(run, event, call, err) : status;
    status = status == HAFT_OK ? read_servers(run, event, err) : status;
    for (size_t i = 0; haft__run_is_graph(run) && i < run->tools->count; i++) {
        run->allowed[i] = true; /* nodes may use every tool of the run */
    }
    count_deferred(run, event);
    run->initial_search_done = true;
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
        haft__tool_history *past =
            tool != NULL ? &run->past[haft__run_tool_index(run, tool)] : NULL;
        if (past == NULL || past->found != HAFT__TOOL_REVEAL_SHOWN) {
            return haft__fold_fail(event, "it hides a tool that was not revealed", err);
        }
        past->found = HAFT__TOOL_REVEAL_HIDDEN;
    }
    return HAFT_OK;
}
