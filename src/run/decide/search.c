/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search.c - decides the results of a search: the tools to evict, and the text for the model. Also
 * writes the refusal of a call of a tool that no search has found.
 *
 * Tests: tests/run/decide/search_test.c.
 */
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "run/call_target.h"
#include "run/decide/decide_int.h"
#include "tool/builtin.h"
#include "tool/wire_name.h"

/* ---- eviction ---- */

static bool is_shown(const haft__run *run, size_t index)
{
    return run->past[index].found == HAFT__TOOL_REVEAL_SHOWN && !run->past[index].gone;
}

static size_t count_shown(const haft__run *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->tools->count; i++) {
        count += is_shown(run, i);
    }
    return count;
}

/* The seq of the tool's last call or last hit. */
static uint64_t last_used(const haft__tool_history *past)
{
    return past->called_seq > past->found_seq ? past->called_seq : past->found_seq;
}

/* Orders tools for eviction by these criteria: tools that no search of this turn revealed first,
 * then tools that the spec does not name, tools of lower rank in their search, the least recently
 * used tools, the earliest declared tools. If one reply has two searches, the best hits of both
 * therefore stay. */
static bool evict_before(const haft__run *run, size_t a, size_t b)
{
    const haft__tool_history *x = &run->past[a], *y = &run->past[b];
    bool new_x = x->found_seq > run->turn_seq, new_y = y->found_seq > run->turn_seq;
    if (new_x != new_y) {
        return new_y;
    }
    bool named_x = haft__resolve_is_named(run->spec, run->tools->items[a]->name);
    bool named_y = haft__resolve_is_named(run->spec, run->tools->items[b]->name);
    if (named_x != named_y) {
        return named_y;
    }
    if (new_x && x->found_rank != y->found_rank) {
        return x->found_rank > y->found_rank;
    }
    return last_used(x) != last_used(y) ? last_used(x) < last_used(y)
                                        : x->shown_order < y->shown_order;
}

/* Marks the tools to evict. */
static void choose_evicted(const haft__run *run, size_t count, bool *evicted)
{
    for (; count > 0; count--) {
        size_t first = run->tools->count;
        for (size_t i = 0; i < run->tools->count; i++) {
            bool can = is_shown(run, i) && !evicted[i];
            first = can && (first == run->tools->count || evict_before(run, i, first)) ? i : first;
        }
        evicted[first] = true;
    }
}

static void add_bytes(haft__buf *text, const haft__tool *tool)
{
    haft__buf_add_str(text, tool->name);
    haft__buf_add_str(text, tool->description);
    haft__json_write(text, tool->input_schema);
}

haft_status haft__decide_cache_cost(haft__decision *d, const bool *changed, bool after_tools,
                                    uint64_t *ret_tokens)
{
    const haft__run *run = d->run;
    haft__buf *text = &d->tools->text;
    haft__offered offered;
    uint64_t bytes = 0;
    haft_status status = haft__offer_tools(run, &d->tools->scratch, &offered, d->err);
    bool cache_ended = false; /* at the first changed tool */
    for (size_t i = 0; status == HAFT_OK && run->turn > 0 && i < offered.declared; i++) {
        size_t index = offered.items[i];
        bool sent = run->past[index].shown_order <= run->shown_before_turn;
        cache_ended = cache_ended || (sent && changed[index]);
        if (cache_ended && sent) {
            haft__buf_clear(text);
            add_bytes(text, run->tools->items[index]);
            status = haft__buf_check(text, d->err);
            bytes += text->len;
        }
    }
    cache_ended = cache_ended || (after_tools && run->turn > 0);
    for (size_t i = 0; cache_ended && i < run->messages.count; i++) {
        const haft__message *message = &run->messages.items[i];
        bytes += message->text.len;
        for (size_t k = 0; k < message->call_count; k++) {
            bytes += message->calls[k].name.len + message->calls[k].arguments.len;
        }
    }
    haft__buf_clear(text);
    *ret_tokens = bytes / HAFT__BYTES_PER_TOKEN;
    return status;
}

haft_status haft__decide_evictions(haft__decision *d, bool *ret_decided)
{
    const char *why;
    const haft__run *run = d->run;
    size_t cap = haft__resolve_cap(d->spec, &why), shown = count_shown(run);
    uint64_t cost = 0;
    /* A tool whose definition is in the history cannot be removed. */
    *ret_decided = shown > cap && haft__offer_deferral(d->spec, run) == HAFT__DEFERRAL_NONE;
    if (!*ret_decided) {
        return HAFT_OK;
    }
    bool *evicted = haft__arena_array(&d->tools->scratch, run->tools->count, sizeof(*evicted));
    if (evicted == NULL) {
        return haft__arena_fail(&d->tools->scratch, d->err);
    }
    choose_evicted(run, shown - cap, evicted);
    haft_status status = haft__decide_cache_cost(d, evicted, false, &cost);
    if (status != HAFT_OK) {
        return status;
    }
    haft__decision_begin(d, HAFT__EVENT_TOOLS_HIDDEN);
    haft__json_key(&d->w, "tools");
    haft__json_begin_array(&d->w);
    for (size_t i = 0; i < run->tools->count; i++) {
        if (evicted[i]) {
            haft__json_add_str(&d->w, run->tools->items[i]->name);
        }
    }
    haft__json_end_array(&d->w);
    haft__field_number(&d->w, "cap", cap);
    haft__field_number(&d->w, "cache_tokens", cost);
    return haft__decision_commit(d);
}

/* ---- the text for the model ---- */

/* Appends the wire name and the first line of the description. */
static void add_line(haft__buf *text, const haft__tool *tool)
{
    haft__wire_name wire = haft__wire_name_encode(tool->name);
    haft_str rest = tool->description, line = haft__str_split(&rest, '\n');
    size_t shown = haft__utf8_offset(line, HAFT__LIMIT_SEARCH_LINE_CHARS);
    haft__buf_addf(text, "\n- %.*s: ", HAFT__ARG(haft__wire_name_str(&wire)));
    haft__buf_add(text, line.ptr, shown);
    haft__buf_add_str(text, shown < line.len || rest.len > 0 ? HAFT__LIT(" ...") : HAFT__LIT(""));
}

static void add_definition(haft__buf *text, const haft__tool *tool)
{
    haft__json_writer w;
    haft__wire_name wire = haft__wire_name_encode(tool->name);
    haft__buf_add_char(text, '\n');
    haft__json_writer_init(&w, text);
    haft__json_begin_object(&w);
    haft__field_text(&w, "name", haft__wire_name_str(&wire));
    haft__field_text(&w, "description", tool->description);
    haft__json_key(&w, "parameters");
    haft__json_add(&w, tool->input_schema);
    haft__json_end_object(&w);
}

static void add_errors(haft__buf *text, const haft__run *run)
{
    for (size_t i = 0; i < run->server_count; i++) {
        const haft__run_server *server = &run->servers[i];
        if (server->error.len > 0) {
            haft__buf_addf(text, "\nThe server %.*s cannot be used: %.*s", HAFT__ARG(server->name),
                           HAFT__ARG(server->error));
        }
    }
}

/* The definitions are at the end: if the text is truncated, the next request contains them anyway.
 * They are omitted if the provider gets them in its own form after the result. */
static void write_found(haft__buf *text, const haft__run *run, const haft__run_call *call)
{
    if (run->deferred == 0) {
        haft__buf_add_str(text, HAFT__LIT("There are no further tools."));
    } else if (call->hit_count == 0) {
        haft__buf_add_str(text, HAFT__LIT("No tool was found. Search in other words, with a verb "
                                          "and an object, or for the name of a tool."));
    } else {
        haft__buf_addf(text, "Found %zu. You can call:", call->hit_count);
    }
    for (size_t i = 0; i < call->shown_count; i++) {
        add_line(text, call->hits[i]);
    }
    if (call->hit_count > call->shown_count) {
        haft__buf_add_str(text,
                          HAFT__LIT("\n\nAlso there, and can be called; search for one by its "
                                    "name to see its parameters:"));
    }
    for (size_t i = call->shown_count; i < call->hit_count; i++) {
        add_line(text, call->hits[i]);
    }
    add_errors(text, run);
    bool defined = haft__offer_deferral(run->spec, run) == HAFT__DEFERRAL_NONE;
    if (defined && call->shown_count > 0) {
        haft__buf_add_str(text, HAFT__LIT("\n"));
    }
    for (size_t i = 0; defined && i < call->shown_count; i++) {
        add_definition(text, call->hits[i]);
    }
}

haft_status haft__decide_search(haft__decision *d, const haft__run_call *call)
{
    haft__buf *text = &d->tools->text;
    write_found(text, d->run, call);
    haft__outcome outcome = {.ok = true, .text = haft__buf_str(text)};
    haft__buf_clear(&d->tools->body);
    haft__input_call_finished(&d->tools->body, d->run, call, &outcome);
    *d->effect = (haft__effect){.kind = HAFT__EFFECT_EVENT, .body = haft__buf_str(&d->tools->body)};
    haft_status status = haft__buf_check(text, d->err);
    return status == HAFT_OK ? haft__buf_check(&d->tools->body, d->err) : status;
}

/* ---- tools that no search has found ---- */

static bool contains_name(const haft_str *names, size_t count, haft_str name)
{
    for (size_t i = 0; i < count; i++) {
        if (haft__str_equal(names[i], name)) {
            return true;
        }
    }
    return false;
}

static bool has_name(const haft__run_server *server, haft_str name)
{
    return contains_name(server->names, server->name_count, name);
}

/* Appends the wire name of one more existing tool. */
static void add_name(haft__decision *d, haft_str server, haft_str tool)
{
    char name[HAFT__LIMIT_TOOL_NAME_BYTES + 1]; /* no tool has a longer name */
    haft__buf *text = &d->tools->text;
    int made = snprintf(name, sizeof(name), "%.*s:%.*s", HAFT__ARG(server), HAFT__ARG(tool));
    size_t length = (size_t)made < sizeof(name) ? (size_t)made : sizeof(name) - 1;
    haft__buf_add_str(text, text->len == 0 ? HAFT__LIT("Error: ") : HAFT__LIT(" and "));
    haft__wire_name_add(text, (haft_str){name, length});
}

/* The server has changed the tool, so a search does not find it. */
static const char *explain_changed(haft__decision *d, const haft__run_server *server, haft_str tool)
{
    add_name(d, server->name, tool);
    haft__buf_addf(&d->tools->text,
                   " has changed since it was first used or accepted, and cannot be called "
                   "until a person has reviewed it. Do what you can without it.");
    return "tool_changed";
}

static const char *explain_hidden(haft__decision *d, size_t count)
{
    haft__buf_addf(&d->tools->text,
                   " ha%s not been revealed. Call " HAFT__TOOL_SEARCH
                   " first, with its name or with what is to be done.",
                   count > 1 ? "ve" : "s");
    return "not_revealed";
}

/* Judges the name of a tool of an existing server. */
static const char *judge_tool(haft__decision *d, const haft__run_server *server, haft_str tool)
{
    if (server->error.len > 0) {
        haft__buf_addf(&d->tools->text,
                       "Error: the server %.*s, whose tool this is, cannot be used: %.*s",
                       HAFT__ARG(server->name), HAFT__ARG(server->error));
        return "unavailable";
    }
    if (contains_name(server->changed, server->changed_count, tool)) {
        return explain_changed(d, server, tool);
    }
    if (!server->unnamed && !has_name(server, tool)) {
        return NULL;
    }
    add_name(d, server->name, tool);
    return explain_hidden(d, 1);
}

static const haft__run_server *changed_of(const haft__run *run, haft_str tool)
{
    for (size_t i = 0; i < run->server_count; i++) {
        const haft__run_server *server = &run->servers[i];
        if (contains_name(server->changed, server->changed_count, tool)) {
            return server;
        }
    }
    return NULL;
}

/* Judges a name without a server. haft__call_target_find has found no single callable tool of that
 * name: either several tools have it, or no search has found the tool. */
static const char *judge_local(haft__decision *d, haft_str tool)
{
    haft__buf *text = &d->tools->text;
    size_t count = 0;
    haft__buf_addf(text,
                   "Error: several servers have a tool named \"%.*s\". Call the one that you "
                   "mean: ",
                   HAFT__ARG(tool));
    if (haft__call_target_is_ambiguous(d->run, tool, text)) {
        haft__buf_add_char(text, '.');
        return "unknown";
    }
    haft__buf_clear(text);
    for (size_t i = 0; i < d->run->server_count; i++) {
        if (has_name(&d->run->servers[i], tool)) {
            add_name(d, d->run->servers[i].name, tool);
            count++;
        }
    }
    const haft__run_server *changed = count == 0 ? changed_of(d->run, tool) : NULL;
    if (changed != NULL) {
        return explain_changed(d, changed, tool);
    }
    return count > 0 ? explain_hidden(d, count) : NULL;
}

/* Judges the name of a server's tool: "docs" and "search" of "docs:search"; also without the
 * server. */
static const char *judge_name(haft__decision *d, haft_str name)
{
    haft_str local = name, front = haft__str_split(&local, ':');
    if (front.len == name.len) {
        return judge_local(d, name);
    }
    for (size_t i = 0; i < d->run->server_count; i++) {
        if (haft__str_equal(d->run->servers[i].name, front)) {
            return judge_tool(d, &d->run->servers[i], local);
        }
    }
    if (local.len == 0 || haft__resolve_server(d->spec, front) != HAFT__REASON_DEFERRED) {
        return NULL;
    }
    add_name(d, front, local); /* the tools of the server are not known before the first search */
    return explain_hidden(d, 1);
}

/* A tool of the spec, or a built-in, that the model must not use. */
static const char *explain_withheld_tool(haft__decision *d, haft_str name, haft__reason reason)
{
    bool search = haft__str_equal(name, HAFT__LIT(HAFT__TOOL_SEARCH));
    haft__wire_name wire = haft__wire_name_encode(name);
    if (reason == HAFT__REASON_SEARCH_DENIED) {
        haft__buf_addf(&d->tools->text,
                       "Error: %s cannot be called: it is deferred until a search finds it, and "
                       "searching for tools is denied in this spec.",
                       wire.text);
    } else if (search && reason == HAFT__REASON_BUILTIN_DENIED) {
        haft__buf_add_str(&d->tools->text,
                          HAFT__LIT("Error: searching for tools is denied in this spec."));
    } else {
        haft__buf_addf(&d->tools->text, "Error: %s cannot be called: %s.", wire.text,
                       haft__reason_text(reason));
    }
    haft__buf_add_str(&d->tools->text, HAFT__LIT(" Do what you can without it."));
    return "unavailable";
}

/* If searching is denied, no server has listed its tools. Then only the server in the name is
 * checked. */
static const char *judge_denied(haft__decision *d, haft_str name)
{
    haft_str local = name, front = haft__str_split(&local, ':');
    if (haft__str_equal(name, HAFT__LIT(HAFT__TOOL_SEARCH))) {
        return explain_withheld_tool(d, name, HAFT__REASON_BUILTIN_DENIED);
    }
    return local.len > 0 && haft__resolve_server(d->spec, front) == HAFT__REASON_DEFERRED
               ? explain_withheld_tool(d, name, HAFT__REASON_SEARCH_DENIED)
               : NULL;
}

/* A node of a graph names a tool that the run does not have. A graph cannot search for it. */
static const char *explain_missing_of_node(haft__decision *d, haft_str name)
{
    haft__buf *text = &d->tools->text;
    haft_str local = name, front = haft__str_split(&local, ':');
    const haft__run_server *server = haft__run_find_server(d->run, front);
    haft__reason reason = haft__resolve_server(d->spec, front);
    if (local.len == 0) {
        return NULL;
    }
    if (server != NULL
        && (server->error.len > 0
            || contains_name(server->changed, server->changed_count, local))) {
        return judge_tool(d, server, local);
    }
    haft__buf_addf(text, "Error: the tool \"%.*s\" cannot be called: ", HAFT__ARG(name));
    if (reason != HAFT__REASON_DEFERRED) {
        haft__buf_add_str(text, haft__str(haft__reason_text(reason)));
    } else if (server == NULL || server->unnamed || has_name(server, local)) {
        haft__buf_addf(text,
                       "mcp.allow or mcp.deny excludes it, or the definition from the server "
                       "%.*s cannot be used",
                       HAFT__ARG(front));
    } else {
        haft__buf_addf(text,
                       "the server %.*s does not list it, or mcp.allow or mcp.deny excludes "
                       "it",
                       HAFT__ARG(front));
    }
    return "unavailable";
}

const char *haft__decide_missing_tool(haft__decision *d, const haft__run_call *call)
{
    if (call->node != NULL && call->tool == NULL) {
        return explain_missing_of_node(d, call->name);
    }
    char plain[HAFT__WIRE_NAME_BYTES];
    size_t length = 0;
    haft_str name = call->name;
    if (call->tool != NULL) {
        haft__reason reason = haft__resolve_tool(d->spec, d->run, call->tool).reason;
        if (reason != HAFT__REASON_SHARE && reason != HAFT__REASON_DEFERRED) {
            return explain_withheld_tool(d, call->tool->name, reason);
        }
        haft__buf_add_str(&d->tools->text, HAFT__LIT("Error: "));
        haft__wire_name_add(&d->tools->text, call->tool->name);
        return explain_hidden(d, 1);
    }
    if (name.len <= HAFT__WIRE_NAME_BYTES && haft__wire_name_decode(name, plain, &length)) {
        name = (haft_str){plain, length};
    }
    return haft__resolve_search_denied(d->spec) ? judge_denied(d, name) : judge_name(d, name);
}
