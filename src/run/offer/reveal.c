/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reveal.c - chooses the usable hits up to the cap, and writes the event. Tests:
 * tests/run/offer/reveal_test.c.
 */
#include "run/offer/reveal.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "run/decide/decide.h"
#include "run/event_body.h"
#include "run/offer/offer.h"
#include "run/offer/unmatched_pattern.h"
#include "tool/builtin.h"
#include "tool/traits.h"

bool haft__reveal_is_needed(const haft__spec *spec)
{
    return haft__resolve_can_search(spec)
           && haft__tools_find(&spec->tools, HAFT__LIT(HAFT__TOOL_SEARCH)) != NULL;
}

size_t haft__reveal_max_hits(const haft__spec *spec)
{
    const char *why;
    /* Some hits may be unusable; later hits then replace them. */
    return 2 * ((size_t)haft__resolve_cap(spec, &why) + HAFT__LIMIT_SEARCH_LISTED);
}

/* ---- one tool in the event ---- */

/* The traits of a tool of a server. Calls that may change something at one server share a lane, so
 * they never run at the same time. */
static haft__traits traits_of(const haft__mcp_tool *tool)
{
    haft__traits traits = tool->traits;
    if (!traits.read_only && traits.lane.len == 0) {
        traits.lane = tool->server;
    }
    return traits;
}

static void write_definition(haft__json_writer *w, const haft__mcp_tool *tool)
{
    haft__traits traits = traits_of(tool);
    haft__field_text(w, "server", tool->server);
    haft__field_text(w, "description", tool->description);
    haft__json_key(w, "input_schema");
    haft__json_add(w, tool->input_schema);
    haft__json_key(w, "output_schema");
    haft__json_add(w, tool->output_schema);
    haft__json_key(w, "traits");
    haft__traits_write(w, &traits);
    haft__field_text(w, "hash", haft__str(tool->hash));
    if (tool->hinted_destructive) {
        haft__field_flag(w, "destructive_hint", true);
    }
}

/* A tool that the run already has is written by name only. */
static void write_known(haft__json_writer *w, const haft__verdict *verdict)
{
    const haft__json *hash = haft__json_get(verdict->tool->definition, HAFT__LIT("hash"));
    haft__field_text_or_null(w, "server", verdict->server);
    haft__field_null(w, "description");
    haft__field_null(w, "input_schema");
    haft__field_null(w, "output_schema");
    haft__field_null(w, "traits");
    haft__field_text_or_null(w, "hash",
                             verdict->server.len > 0 && hash != NULL ? haft__json_text(*hash)
                                                                     : (haft_str){NULL, 0});
}

static void write_tool(haft__json_writer *w, const haft__revealed *revealed, size_t rank)
{
    const haft__verdict *verdict = revealed->tool;
    haft__json_begin_object(w);
    haft__field_text(w, "name", verdict->name);
    haft__json_key(w, "score");
    if (revealed->hit != NULL) {
        haft__buf_addf(w->buf, "%.4f", revealed->hit->score);
        w->after_key = false;
    } else {
        haft__json_add_null(w); /* no search found it */
    }
    if (verdict->tool != NULL) {
        write_known(w, verdict);
    } else {
        write_definition(w, verdict->listed);
    }
    haft__field_number(w, "rank", rank);
    haft__field_text(w, "why",
                     revealed->hit != NULL ? revealed->hit->why : haft__str(revealed->why));
    haft__json_end_object(w);
}

void haft__reveal_write_tool(haft__buf *buf, const haft__mcp_tool *tool)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "name", tool->name);
    haft__field_null(&w, "score");
    write_definition(&w, tool);
    haft__field_number(&w, "rank", 1);
    haft__field_text(&w, "why", HAFT__LIT("changed"));
    haft__json_end_object(&w);
}

/* ---- deciding ---- */

typedef struct revealing {
    haft__reveal *reveal;
    haft__tools tools;    /* the tools that the run will have: used to check that the run can add a
                           * tool before its definition is written */
    haft__map used_names; /* names, to exclude duplicates */
    haft__map by_name;    /* the verdicts */
    haft__buf text;
    size_t bytes;     /* total size of the definitions so far */
    size_t max_tools; /* maximum number of tools */
} revealing;

/* Adds the tool if the run can add it. *ret_added is true if so. */
static haft_status try_add(revealing *r, const haft__revealed *revealed, size_t most_bytes,
                           bool *ret_added, haft_error *err)
{
    const haft__reveal_request *request = &r->reveal->request;
    const haft__mcp_tool *tool = revealed->tool->listed;
    haft__json_writer w;
    haft__buf_clear(&r->text);
    haft__json_writer_init(&w, &r->text);
    write_tool(&w, revealed, r->reveal->count + 1);
    haft_str text = haft__buf_str(&r->text);
    haft_status status = haft__buf_check(&r->text, err);
    *ret_added = text.len <= most_bytes - r->bytes
                 && (request->refuses == NULL || !request->refuses(request->context, text));
    if (status == HAFT_OK && *ret_added && revealed->tool->tool == NULL) {
        haft__tool made = {.name = tool->name,
                           .description = tool->description,
                           .input_schema = tool->input_schema,
                           .output_schema = tool->output_schema,
                           .source = HAFT__TOOL_MCP,
                           .traits = traits_of(tool),
                           .hinted_destructive = tool->hinted_destructive,
                           .typed = true};
        bool room = haft__spec_own_tools(request->spec, &r->tools) < HAFT__LIMIT_CHOICE_TOOLS;
        haft_status added = room ? haft__tools_add(&r->tools, &made, NULL) : HAFT_TOO_BIG;
        status = added == HAFT_NO_MEMORY ? haft__fail_no_memory(err) : HAFT_OK;
        *ret_added = added == HAFT_OK;
    }
    r->bytes += *ret_added ? text.len : 0;
    return status;
}

static haft_status add_by_name(revealing *r, haft_str name, const haft__reveal_hit *hit,
                               haft_error *err)
{
    haft__reveal *reveal = r->reveal;
    haft__revealed revealed = {haft__map_get(&r->by_name, name), hit, "named"};
    bool can = false;
    if (reveal->count >= r->max_tools || revealed.tool == NULL
        || haft__map_get(&r->used_names, name) != NULL) {
        return HAFT_OK;
    }
    haft_status status = try_add(r, &revealed, HAFT__LIMIT_MCP_REVEALED_BYTES, &can, err);
    if (status == HAFT_OK && can) {
        reveal->items[reveal->count++] = revealed;
    }
    return status == HAFT_OK ? haft__map_put(&r->used_names, revealed.tool->name, r, err) : status;
}

/* Adds the tools that the spec names for a call: they must be visible. */
static haft_status add_named(revealing *r, haft_error *err)
{
    const haft__offer *offer = r->reveal->request.offer;
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < offer->count && status == HAFT_OK; i++) {
        if (haft__resolve_is_named(r->reveal->request.spec, offer->items[i].name)) {
            status = add_by_name(r, offer->items[i].name, NULL, err);
        }
    }
    return status;
}

static haft_status add_all(revealing *r, haft_error *err)
{
    const haft__reveal_request *request = &r->reveal->request;
    bool automatic = request->call.len == 0;
    haft_status status = automatic ? add_named(r, err) : HAFT_OK;
    bool graph = request->spec->graph_rules != NULL;
    for (size_t i = 0; !graph && i < request->hit_count && status == HAFT_OK; i++) {
        status = add_by_name(r, request->hits[i].name, &request->hits[i], err);
    }
    return status;
}

/* Adds the tools of servers that no search has found, in the order of the offer. If a tool is too
 * large, continues, because a smaller tool may fit. */
static haft_status add_deferred(revealing *r, haft__arena *arena, haft_error *err)
{
    haft__reveal *reveal = r->reveal;
    const haft__offer *offer = reveal->request.offer;
    haft_status status = HAFT_OK;
    r->bytes = 0;
    reveal->deferred = haft__arena_array(arena, offer->count, sizeof(*reveal->deferred));
    if (reveal->deferred == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < offer->count && status == HAFT_OK; i++) {
        haft__revealed next = {haft__map_get(&r->by_name, offer->items[i].name), NULL, "deferred"};
        bool can = false;
        if (next.tool == &offer->items[i] && next.tool->tool == NULL
            && haft__map_get(&r->used_names, next.tool->name) == NULL) {
            status = try_add(r, &next, HAFT__LIMIT_SEARCH_DEFERRED_BYTES, &can, err);
        }
        if (can) {
            reveal->deferred[reveal->deferred_count++] = next;
        }
    }
    return status;
}

/* Collects the tools that a search covers. */
static haft_status collect(revealing *r, haft__arena *arena, haft_error *err)
{
    const haft__reveal_request *request = &r->reveal->request;
    const haft__tools *tools =
        request->run != NULL ? ((const haft__run *)request->run)->tools : &request->spec->tools;
    haft_status status = haft__tools_share(&r->tools, tools, err);
    for (size_t i = 0; i < request->offer->count && status == HAFT_OK; i++) {
        haft__verdict *verdict = &request->offer->items[i];
        bool denied = verdict->reason == HAFT__REASON_SEARCH_DENIED
                      && request->spec->graph_rules == NULL; /* nodes do not search */
        if (haft__reason_is_deferred(verdict->reason) && !denied
            && haft__map_get(&r->by_name, verdict->name) == NULL) {
            status = haft__map_put(&r->by_name, verdict->name, verdict, err);
        }
    }
    r->reveal->items = haft__arena_array(arena, r->max_tools, sizeof(*r->reveal->items));
    return status == HAFT_OK && r->reveal->items == NULL ? haft__arena_fail(arena, err) : status;
}

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

haft_status haft__reveal_decide(const haft__reveal_request *request, haft__arena *arena,
                                haft__hash_key hash_key, haft__reveal *ret_reveal, haft_error *err)
{
    const char *why;
    bool graph = request->spec->graph_rules != NULL; /* no model reads the tools */
    haft__reveal reveal = {.request = *request,
                           .cap = graph ? HAFT__LIMIT_CHOICE_TOOLS
                                        : haft__resolve_cap(request->spec, &why)};
    size_t shown = request->limit > 0 ? min_size(request->limit, reveal.cap) : reveal.cap;
    size_t listed = request->call.len > 0 ? HAFT__LIMIT_SEARCH_LISTED : 0;
    revealing r = {.reveal = &reveal,
                   .max_tools =
                       shown
                       + (request->limit > 0 ? min_size(request->limit - shown, listed) : listed)};
    haft__tools_init(&r.tools, arena, hash_key);
    haft__map_init(&r.used_names, arena, hash_key);
    haft__map_init(&r.by_name, arena, hash_key);
    haft__buf_init(&r.text, HAFT__LIMIT_RUN_BYTES);
    haft_status status = collect(&r, arena, err);
    status = status == HAFT_OK ? add_all(&r, err) : status;
    if (status == HAFT_OK && request->call.len == 0 && !graph
        && haft__offer_deferral(request->spec, request->run) == HAFT__DEFERRAL_DECLARED) {
        status = add_deferred(&r, arena, err);
    }
    reveal.shown = min_size(reveal.count, shown);
    reveal.cap = graph ? (uint32_t)reveal.shown : reveal.cap;
    haft__buf_finish(&r.text);
    if (status == HAFT_OK) {
        *ret_reveal = reveal;
    }
    return status;
}

/* ---- the event ---- */

/* Writes a problem with the stored list of the server; if there is none, a problem with the spec's
 * patterns for its tools. */
static void write_warning(haft__json_writer *w, const haft__spec *spec,
                          const haft__mcp_listing *listing)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__buf_add_str(&text, listing->warning);
    if (text.len == 0) {
        haft__unmatched_pattern_warn(&text, spec, listing);
    }
    if (haft__buf_check(&text, NULL) != HAFT_OK) {
        haft__buf_fail(w->buf, HAFT_NO_MEMORY, "out of memory");
    } else if (text.len > 0) {
        haft__field_text(w, "warning", haft__buf_str(&text));
    }
    haft__buf_finish(&text);
}

/* Omits empty members. */
static void write_remarks(haft__json_writer *w, const haft__spec *spec,
                          const haft__mcp_listing *listing)
{
    if (listing->stderr_lines.len > 0) {
        haft__field_text(w, "stderr", listing->stderr_lines);
    }
    if (listing->hash.len > 0) {
        haft__field_text(w, "hash", listing->hash);
    }
    write_warning(w, spec, listing);
    if (listing->left_out_all == 0) {
        return;
    }
    haft__json_key(w, "left_out");
    haft__json_begin_array(w);
    for (uint32_t i = 0; i < listing->left_out.count && i < HAFT__LIMIT_MCP_LEFT_OUT; i++) {
        haft__json_add(w, listing->left_out.items[i]);
    }
    haft__json_end_array(w);
    haft__field_number(w, "left_out_all", listing->left_out_all);
}

static void write_tools(haft__json_writer *w, const char *key, const haft__reveal *reveal,
                        size_t from, size_t to)
{
    haft__json_key(w, key);
    haft__json_begin_array(w);
    for (size_t i = from; i < to; i++) {
        write_tool(w, &reveal->items[i], i + 1);
    }
    haft__json_end_array(w);
}

/* Writes nothing if there are no such tools. */
static void write_deferred(haft__json_writer *w, const haft__reveal *reveal)
{
    if (reveal->deferred_count > 0) {
        haft__json_key(w, "deferred_tools");
        haft__json_begin_array(w);
        for (size_t i = 0; i < reveal->deferred_count; i++) {
            write_tool(w, &reveal->deferred[i], i + 1);
        }
        haft__json_end_array(w);
    }
}

static bool can_be_found(const haft__verdict *verdict, const haft__mcp_listing *listing)
{
    return verdict->listed != NULL && haft__str_equal(verdict->server, listing->server)
           && haft__reason_is_deferred(verdict->reason);
}

/* Whether the run has already recorded exactly these names. */
static bool names_are_known(const haft__reveal_request *request, const haft__mcp_listing *listing)
{
    const haft__run_server *server = haft__run_find_server(request->run, listing->server);
    bool many = listing->tool_count > HAFT__LIMIT_SEARCH_NAMES;
    if (request->run == NULL) {
        return true; /* without a run no names are needed */
    }
    if (server == NULL || server->unnamed || many) {
        return server != NULL && server->unnamed && many;
    }
    size_t at = 0;
    bool same = true;
    for (size_t i = 0; i < request->offer->count && same; i++) {
        const haft__verdict *verdict = &request->offer->items[i];
        if (can_be_found(verdict, listing)) {
            same = at < server->name_count
                   && haft__str_equal(server->names[at], verdict->listed->remote);
            at++;
        }
    }
    return same && at == server->name_count;
}

/* Writes the names of all tools of a server, so that a call of a tool that no search has found can
 * be distinguished from a call of an unknown name. Writes null if the names are too many or already
 * recorded. */
static void write_names(haft__json_writer *w, const haft__reveal_request *request,
                        const haft__mcp_listing *listing)
{
    bool known =
        request->call.len > 0 && (listing->error.len > 0 || names_are_known(request, listing));
    haft__json_key(w, "names");
    if (known || listing->tool_count > HAFT__LIMIT_SEARCH_NAMES) {
        haft__json_add_null(w);
        return;
    }
    haft__json_begin_array(w);
    for (size_t i = 0; i < request->offer->count; i++) {
        if (can_be_found(&request->offer->items[i], listing)) {
            haft__json_add_str(w, request->offer->items[i].listed->remote);
        }
    }
    haft__json_end_array(w);
}

static bool is_gone(const haft__verdict *verdict, const haft__mcp_listing *listing)
{
    return verdict->reason == HAFT__REASON_GONE
           && haft__str_equal(verdict->server, listing->server);
}

/* Writes the tools of the run that the server no longer lists. Writes nothing if there are no such
 * tools. */
static void write_gone(haft__json_writer *w, const haft__reveal_request *request,
                       const haft__mcp_listing *listing)
{
    bool any = false;
    for (size_t i = 0; i < request->offer->count; i++) {
        const haft__verdict *verdict = &request->offer->items[i];
        if (is_gone(verdict, listing)) {
            if (!any) {
                haft__json_key(w, "gone");
                haft__json_begin_array(w);
            }
            any = true;
            haft__json_add_str(w, haft__str_skip(verdict->name, verdict->server.len + 1));
        }
    }
    if (any) {
        haft__json_end_array(w);
    }
}

/* Writes the names of changed tools. They cannot be called until a person accepts the change, and
 * their new texts are not written to the log. Writes nothing if no tool has changed. */
static void write_changed(haft__json_writer *w, const haft__mcp_listing *listing)
{
    bool any = false;
    for (size_t i = 0; listing->changed != NULL && i < listing->tool_count; i++) {
        if (listing->changed[i]) {
            if (!any) {
                haft__json_key(w, "changed");
                haft__json_begin_array(w);
            }
            any = true;
            haft__json_add_str(w, listing->tools[i].remote);
        }
    }
    if (any) {
        haft__json_end_array(w);
    }
}

static void write_servers(haft__json_writer *w, const haft__reveal_request *request)
{
    haft__json_key(w, "servers");
    haft__json_begin_array(w);
    for (size_t i = 0; i < request->listing_count; i++) {
        const haft__mcp_listing *listing = &request->listings[i];
        haft__json_begin_object(w);
        haft__field_text(w, "name", listing->server);
        haft__field_text(w, "state", listing->state);
        haft__field_number(w, "tools", listing->tool_count);
        haft__field_text_or_null(w, "error", listing->error);
        write_remarks(w, request->spec, listing);
        write_changed(w, listing);
        write_gone(w, request, listing);
        write_names(w, request, listing);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}

/* Writes the reason why searches cover the spec's own tools; null if they do not. */
static void write_share(haft__json_writer *w, const haft__spec *spec)
{
    bool deferred = false;
    for (size_t i = 0; i < spec->tools.count && !deferred; i++) {
        deferred = haft__resolve_is_deferred(spec, spec->tools.items[i]);
    }
    if (!deferred) {
        haft__field_null(w, "share");
        return;
    }
    haft__json_key(w, "share");
    haft__json_begin_object(w);
    haft__field_number(w, "tokens", haft__resolve_tokens(spec));
    haft__field_number(w, "context_tokens", spec->model.context_tokens);
    haft__field_number(w, "percent", spec->tools_share);
    haft__json_end_object(w);
}

/* Writes nothing if the spec has no embeddings server. */
static void write_embeddings(haft__json_writer *w, const haft__reveal_request *request)
{
    if (request->embeddings_model.len == 0) {
        return;
    }
    haft__json_key(w, "embeddings");
    haft__json_begin_object(w);
    haft__field_text(w, "model", request->embeddings_model);
    haft__field_flag(w, "used", request->query_embedding != NULL);
    haft__field_text_or_null(w, "error",
                             request->query_embedding != NULL ? (haft_str){NULL, 0}
                                                              : request->embeddings_error);
    haft__json_end_object(w);
}

void haft__input_tools_revealed(haft__buf *buf, const haft__reveal *reveal)
{
    haft__json_writer w;
    const haft__reveal_request *request = &reveal->request;
    haft__event_body_begin(&w, buf, HAFT__EVENT_TOOLS_REVEALED);
    write_tools(&w, "tools", reveal, 0, reveal->shown);
    haft__field_text(&w, "query", request->query);
    haft__field_text_or_null(&w, "call", request->call);
    write_servers(&w, request);
    haft__field_flag(&w, "automatic", request->call.len == 0);
    write_tools(&w, "listed", reveal, reveal->shown, reveal->count);
    haft__field_number(&w, "cap", reveal->cap);
    haft__field_number(&w, "deferred", request->offer->deferred);
    write_deferred(&w, reveal);
    write_share(&w, request->spec);
    write_embeddings(&w, request);
    haft__event_body_end(&w, buf);
}

/* Whether the run has already recorded which of its tools the server no longer lists. */
static bool missing_tools_are_known(const haft__reveal_request *request,
                                    const haft__mcp_listing *listing)
{
    bool known = true;
    for (size_t i = 0; i < request->offer->count && known; i++) {
        const haft__verdict *verdict = &request->offer->items[i];
        if (verdict->tool != NULL && haft__str_equal(verdict->server, listing->server)) {
            size_t index = haft__run_tool_index(request->run, verdict->tool);
            known = request->run->past[index].gone == is_gone(verdict, listing);
        }
    }
    return known;
}

bool haft__input_tools_relisted(haft__buf *buf, const haft__reveal_request *request)
{
    haft__json_writer w;
    const haft__reveal none = {.request = *request};
    const char *why;
    if (names_are_known(request, &request->listings[0])
        && missing_tools_are_known(request, &request->listings[0])) {
        return false;
    }
    haft__event_body_begin(&w, buf, HAFT__EVENT_TOOLS_REVEALED);
    write_tools(&w, "tools", &none, 0, 0);
    haft__field_text(&w, "query", HAFT__LIT(""));
    haft__field_null(&w, "call");
    write_servers(&w, request);
    haft__field_flag(&w, "automatic", false);
    write_tools(&w, "listed", &none, 0, 0);
    haft__field_number(&w, "cap", haft__resolve_cap(request->spec, &why));
    haft__field_number(&w, "deferred", 0);
    haft__field_null(&w, "share");
    haft__field_text(&w, "reason", HAFT__LIT("the server's list changed"));
    haft__event_body_end(&w, buf);
    return true;
}
