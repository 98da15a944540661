/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reveal.c - server enabled? server allowed? tool allowed? can it be used? then up to the cap.
 *
 * Tests: tests/run/reveal_test.c.
 */
#include "run/reveal.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "run/decide_int.h"
#include "tool/registry.h"
#include "tool/traits.h"
#include "json/number.h"

/* ---- servers ---- */

static bool is_enabled(haft__json server)
{
    const haft__json *enabled = haft__json_get(server, HAFT__LIT("enabled"));
    return enabled == NULL || enabled->kind != HAFT__JSON_FALSE;
}

static haft__json member(haft__json object, const char *key)
{
    const haft__json *value = haft__json_get(object, haft__str(key));
    return value != NULL ? *value : haft__json_null();
}

bool haft__reveal_wanted(const haft__spec *spec)
{
    haft__json servers = member(spec->mcp, "servers");
    for (uint32_t i = 0; servers.kind == HAFT__JSON_OBJECT && i < servers.count; i++) {
        if (is_enabled(servers.members[i].value)) {
            return true;
        }
    }
    return false;
}

static bool matches_any(haft__json patterns, haft_str name)
{
    for (uint32_t i = 0; patterns.kind == HAFT__JSON_ARRAY && i < patterns.count; i++) {
        if (haft__filter_matches(haft__json_text(patterns.items[i]), name)) {
            return true;
        }
    }
    return false;
}

static bool is_given(haft__json patterns)
{
    return patterns.kind == HAFT__JSON_ARRAY && patterns.count > 0;
}

/* Whether the part of a pattern in front of the ':' lets the server through. One without it is
 * about whole names, and may match a tool of any server. */
static bool allows_server(haft__json patterns, haft_str server)
{
    for (uint32_t i = 0; i < patterns.count; i++) {
        haft_str rest = haft__json_text(patterns.items[i]), part = haft__str_split(&rest, ':');
        if (part.len == haft__json_text(patterns.items[i]).len
            || haft__filter_matches(part, server)) {
            return true;
        }
    }
    return false;
}

/* "docs:*" and "*" leave nothing of a server. */
static bool denies_server(haft__json patterns, haft_str server)
{
    for (uint32_t i = 0; patterns.kind == HAFT__JSON_ARRAY && i < patterns.count; i++) {
        haft_str rest = haft__json_text(patterns.items[i]);
        bool all = haft__str_equal(rest, HAFT__LIT("*"));
        haft_str part = haft__str_split(&rest, ':');
        if (all || (haft__str_equal(rest, HAFT__LIT("*")) && haft__filter_matches(part, server))) {
            return true;
        }
    }
    return false;
}

const char *haft__reveal_server(const haft__spec *spec, haft_str server)
{
    haft__json allow = member(spec->mcp, "allow");
    const haft__json *known = haft__json_get(member(spec->mcp, "servers"), server);
    if (known == NULL || !is_enabled(*known)) {
        return known == NULL ? "the spec has no such server" : "the server is disabled";
    }
    bool allowed = !is_given(allow) || allows_server(allow, server);
    return allowed && !denies_server(member(spec->mcp, "deny"), server)
               ? NULL
               : "the server is not allowed by mcp.allow and mcp.deny";
}

/* ---- the cap ---- */

uint32_t haft__reveal_cap(const haft__spec *spec)
{
    haft_str size = spec->model.size_b;
    if (spec->max_mcp_tools > 0) {
        return spec->max_mcp_tools;
    }
    if (size.len == 0 || haft__number_compare(size, HAFT__LIT("7")) < 0) {
        return 2;
    }
    return haft__number_compare(size, HAFT__LIT("30")) <= 0 ? 5 : 10;
}

/* ---- tools ---- */

/* What is being decided. */
typedef struct revealing {
    const haft__spec *spec;
    haft__arena *arena;
    haft__tools tools; /* as the run will have them, so that nothing it cannot take is written */
    haft__buf text;
    size_t bytes; /* of the definitions so far */
    haft__reveal *reveal;
} revealing;

/* Calls that may change something at a server never overlap. */
static haft__traits traits_of(const haft__mcp_tool *tool)
{
    haft__traits traits = tool->traits;
    if (!traits.read_only && traits.lane.len == 0) {
        traits.lane = tool->server;
    }
    return traits;
}

static void write_tool(haft__json_writer *w, const haft__mcp_tool *tool)
{
    haft__traits traits = traits_of(tool);
    haft__json_begin_object(w);
    haft__field_text(w, "name", tool->name);
    haft__field_null(w, "score"); /* nobody searched */
    haft__field_text(w, "server", tool->server);
    haft__field_text(w, "description", tool->description);
    haft__json_key(w, "input_schema");
    haft__json_add(w, tool->input_schema);
    haft__json_key(w, "output_schema");
    haft__json_add(w, tool->output_schema);
    haft__json_key(w, "traits");
    haft__traits_write(w, &traits);
    haft__field_text(w, "hash", haft__str(tool->hash));
    haft__json_end_object(w);
}

void haft__reveal_write(haft__buf *buf, const haft__mcp_tool *tool)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    write_tool(&w, tool);
}

/* Why the run cannot have it; NULL when it can, and then it has. */
static haft_status try_tool(revealing *r, const haft__mcp_tool *tool, const char **ret_reason,
                            haft_error *err)
{
    haft__tool made = {.name = tool->name,
                       .description = tool->description,
                       .input_schema = tool->input_schema,
                       .output_schema = tool->output_schema,
                       .source = HAFT__TOOL_MCP,
                       .traits = traits_of(tool),
                       .typed = true};
    if (haft__tools_find(&r->tools, tool->name) != NULL) {
        *ret_reason = "there is a tool of that name already";
        return HAFT_OK;
    }
    haft__buf_clear(&r->text);
    haft__reveal_write(&r->text, tool);
    size_t bytes = r->text.len;
    haft_status status = haft__buf_check(&r->text, err);
    if (status != HAFT_OK) {
        return status;
    }
    if (bytes > HAFT__LIMIT_MCP_REVEALED_BYTES - r->bytes) {
        *ret_reason = "deferred: there is no room for its definition beside the others";
        return HAFT_OK;
    }
    status = haft__tools_add(&r->tools, &made, NULL);
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(err);
    }
    *ret_reason = status == HAFT_OK ? NULL : "its definition cannot be used";
    r->bytes += status == HAFT_OK ? bytes : 0;
    return HAFT_OK;
}

/* The hook: what a search finds takes the place of "in the order listed" here. */
static haft_status judge(revealing *r, const haft__mcp_listing *listing, haft__reveal_tool *tool,
                         haft_error *err)
{
    haft_str name = tool->tool->name;
    haft__json allow = member(r->spec->mcp, "allow");
    tool->reason = haft__reveal_server(r->spec, listing->server);
    if (tool->reason != NULL) {
        return HAFT_OK;
    }
    if ((is_given(allow) && !matches_any(allow, name))
        || matches_any(member(r->spec->mcp, "deny"), name)) {
        tool->reason = "denied by mcp.allow and mcp.deny";
        return HAFT_OK;
    }
    if (listing->error.len > 0) {
        tool->reason = "its server has an error";
        return HAFT_OK;
    }
    if (r->reveal->revealed >= haft__reveal_cap(r->spec)
        || r->tools.count >= HAFT__LIMIT_CHOICE_TOOLS) {
        tool->reason = "deferred: past the cap of tools of servers";
        return HAFT_OK;
    }
    haft_status status = try_tool(r, tool->tool, &tool->reason, err);
    if (status == HAFT_OK && tool->reason == NULL) {
        *tool = (haft__reveal_tool){tool->tool, true, "revealed"};
        r->reveal->revealed++;
    }
    return status;
}

static haft_status judge_all(revealing *r, haft_error *err)
{
    haft__reveal *reveal = r->reveal;
    haft_status status = haft__tools_share(&r->tools, &r->spec->tools, err);
    for (size_t i = 0; i < reveal->listing_count; i++) {
        const haft__mcp_listing *listing = &reveal->listings[i];
        for (size_t k = 0; status == HAFT_OK && k < listing->tool_count; k++) {
            haft__reveal_tool *tool = &reveal->tools[reveal->tool_count++];
            *tool = (haft__reveal_tool){.tool = &listing->tools[k]};
            status = judge(r, listing, tool, err);
        }
    }
    return status;
}

haft_status haft__reveal_decide(const haft__spec *spec, const haft__mcp_listing *listings,
                                size_t count, haft__arena *arena, haft__hash_key hash_key,
                                haft__reveal *ret_reveal, haft_error *err)
{
    size_t all = 0;
    *ret_reveal = (haft__reveal){.listings = listings, .listing_count = count};
    for (size_t i = 0; i < count; i++) {
        all += listings[i].tool_count;
    }
    ret_reveal->tools = haft__arena_array(arena, all, sizeof(*ret_reveal->tools));
    if (ret_reveal->tools == NULL) {
        return haft__arena_fail(arena, err);
    }
    revealing r = {.spec = spec, .arena = arena, .reveal = ret_reveal};
    haft__tools_init(&r.tools, arena, hash_key);
    haft__buf_init(&r.text, HAFT__LIMIT_RUN_BYTES);
    haft_status status = judge_all(&r, err);
    haft__buf_finish(&r.text);
    return status;
}

/* ---- the event ---- */

static void write_servers(haft__json_writer *w, const haft__reveal *reveal)
{
    haft__json_key(w, "servers");
    haft__json_begin_array(w);
    for (size_t i = 0; i < reveal->listing_count; i++) {
        const haft__mcp_listing *listing = &reveal->listings[i];
        haft__json_begin_object(w);
        haft__field_text(w, "name", listing->server);
        haft__field_text(w, "state", listing->state);
        haft__field_number(w, "tools", listing->tool_count);
        haft__field_text_or_null(w, "error", listing->error);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}

void haft__input_tools_revealed(haft__buf *buf, const haft__reveal *reveal)
{
    haft__json_writer w;
    haft__body_begin(&w, buf, HAFT__EVENT_TOOLS_REVEALED);
    haft__json_key(&w, "tools");
    haft__json_begin_array(&w);
    for (size_t i = 0; i < reveal->tool_count; i++) {
        if (reveal->tools[i].revealed) {
            write_tool(&w, reveal->tools[i].tool);
        }
    }
    haft__json_end_array(&w);
    haft__field_null(&w, "query");
    haft__field_null(&w, "call");
    write_servers(&w, reveal);
    haft__body_end(&w, buf);
}
