/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resolve.c - the decision tree: first the functions of its branches, then the whole offer. Tests:
 * tests/run/offer/resolve_test.c, and every combination in tests/run/resolve_all_test.c.
 */
#include "run/offer/resolve.h"

#include <string.h>

#include "base/macros.h"
#include "base/str.h"
#include "model/provider.h"
#include "run/offer/offer.h"
#include "tool/builtin.h"
#include "tool/wire_name.h"
#include "json/number.h"
#include "json/object.h"

const char *haft__visibility_name(haft__visibility visibility)
{
    static const char *const names[] = {"out", "callable", "declared"};
    return names[visibility];
}

const char *haft__reason_word(haft__reason reason)
{
    static const char *const words[] = {
#define X(name, word, text) word,
        HAFT__REASONS(X)
#undef X
    };
    return words[reason];
}

const char *haft__reason_text(haft__reason reason)
{
    static const char *const texts[] = {
#define X(name, word, text) text,
        HAFT__REASONS(X)
#undef X
    };
    return texts[reason];
}

/* ---- servers ---- */

static bool is_enabled(haft__json server)
{
    return haft__object_get(server, "enabled").kind != HAFT__JSON_FALSE;
}

static bool has_patterns(haft__json patterns)
{
    return patterns.kind == HAFT__JSON_ARRAY && patterns.count > 0;
}

/* The first pattern that matches; .ptr is NULL if no pattern does. */
static haft_str match_of(haft__json patterns, haft_str name)
{
    for (uint32_t i = 0; has_patterns(patterns) && i < patterns.count; i++) {
        haft_str pattern = haft__json_text(patterns.items[i]);
        if (haft__filter_matches(pattern, name)) {
            return pattern;
        }
    }
    return (haft_str){NULL, 0};
}

static bool matches_any(haft__json patterns, haft_str name)
{
    return match_of(patterns, name).ptr != NULL;
}

/* Whether a pattern can match a tool of the server. Compares the part of the pattern before the
 * ':'. A pattern without ':' is compared with whole names and can match a tool of any server. */
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

/* The first pattern that denies all tools of a server, such as "docs:*" and "*"; .ptr is NULL if no
 * pattern does. */
static haft_str denial_of_server(haft__json patterns, haft_str server)
{
    for (uint32_t i = 0; has_patterns(patterns) && i < patterns.count; i++) {
        haft_str pattern = haft__json_text(patterns.items[i]), rest = pattern;
        bool all = haft__str_equal(rest, HAFT__LIT("*"));
        haft_str part = haft__str_split(&rest, ':');
        if (all || (haft__str_equal(rest, HAFT__LIT("*")) && haft__filter_matches(part, server))) {
            return pattern;
        }
    }
    return (haft_str){NULL, 0};
}

haft__reason haft__resolve_server(const haft__spec *spec, haft_str server)
{
    haft__json allow = haft__object_get(spec->mcp, "allow");
    const haft__json *known = haft__json_get(haft__object_get(spec->mcp, "servers"), server);
    if (known == NULL || !is_enabled(*known)) {
        return known == NULL ? HAFT__REASON_NO_SERVER : HAFT__REASON_SERVER_DISABLED;
    }
    bool allowed = !has_patterns(allow) || allows_server(allow, server);
    return allowed && denial_of_server(haft__object_get(spec->mcp, "deny"), server).ptr == NULL
               ? HAFT__REASON_DEFERRED
               : HAFT__REASON_SERVER_DENIED;
}

static bool has_servers(const haft__spec *spec)
{
    haft__json servers = haft__object_get(spec->mcp, "servers");
    for (uint32_t i = 0; servers.kind == HAFT__JSON_OBJECT && i < servers.count; i++) {
        haft_str name = haft__json_text(servers.members[i].key);
        if (haft__resolve_server(spec, name) == HAFT__REASON_DEFERRED) {
            return true;
        }
    }
    return false;
}

/* ---- deferring ---- */

uint64_t haft__resolve_tokens(const haft__spec *spec)
{
    return spec->definition_bytes / HAFT__BYTES_PER_TOKEN;
}

/* Whether the definitions of all tools of the spec together exceed their share of the context.
 * False if the size of the context is unknown. */
static bool exceeds_context_share(const haft__spec *spec)
{
    uint64_t tokens = haft__resolve_tokens(spec);
    uint64_t context = spec->model.context_tokens;
    return context > 0 && tokens * 100 > context * spec->tools_share;
}

static bool is_scheduled(const haft__spec *spec, haft_str name)
{
    const haft__choice_spec *choice = &spec->choice;
    bool scheduled = false;
    for (size_t i = 0; !scheduled && i < choice->schedule_count; i++) {
        scheduled = choice->schedule[i].mode == HAFT__MODE_TOOL
                    && haft__str_equal(choice->schedule[i].tool, name);
    }
    return scheduled;
}

/* Whether a node of the spec's graph calls the tool `name`. If `name` is empty: whether a node
 * calls any tool of a server that the spec itself does not declare. */
static bool is_called_by_node(const haft__spec *spec, haft_str name)
{
    haft__json nodes = haft__object_object(spec->graph, "nodes");
    bool called = false;
    for (uint32_t i = 0; !called && spec->graph_rules != NULL && i < nodes.count; i++) {
        haft_str tool = haft__object_string(nodes.members[i].value, "tool");
        bool served = name.len == 0 && tool.len > 0 && memchr(tool.ptr, ':', tool.len) != NULL
                      && haft__tools_find(&spec->tools, tool) == NULL;
        called = served || (name.len > 0 && haft__str_equal(tool, name));
    }
    return called;
}

bool haft__resolve_needs_servers(const haft__spec *spec)
{
    return is_called_by_node(spec, HAFT__LIT(""));
}

/* The tools that this function returns true for are never deferred. */
bool haft__resolve_is_named(const haft__spec *spec, haft_str name)
{
    const haft__choice_spec *choice = &spec->choice;
    bool named = is_scheduled(spec, name) || is_called_by_node(spec, name)
                 || (choice->default_choice.mode == HAFT__MODE_TOOL
                     && haft__str_equal(choice->default_choice.tool, name));
    for (size_t i = 0; !named && i < spec->phase_count; i++) {
        for (size_t k = 0; !named && k < spec->phases[i].tool_count; k++) {
            named = haft__str_equal(spec->phases[i].tools[k], name);
        }
    }
    return named;
}

static bool is_spec_tool(const haft__tool *tool)
{
    return tool->source != HAFT__TOOL_BUILTIN && tool->source != HAFT__TOOL_MCP
           && tool->source != HAFT__TOOL_HANDOFF && tool->source != HAFT__TOOL_SKILL
           && tool->source != HAFT__TOOL_PROVIDER; /* never deferred */
}

bool haft__resolve_is_deferred(const haft__spec *spec, const haft__tool *tool)
{
    bool skill = tool->source == HAFT__TOOL_SKILL;
    return (skill || (is_spec_tool(tool) && exceeds_context_share(spec)))
           && !haft__resolve_is_named(spec, tool->name);
}

static bool defers_skills(const haft__spec *spec)
{
    bool deferred = false;
    for (size_t i = 0; !deferred && i < spec->skill_count; i++) {
        deferred = haft__resolve_is_deferred(spec, spec->tools.items[spec->skills[i].tool]);
    }
    return deferred;
}

/* Whether own tools of the spec, other than skills, are deferred. */
static bool defers_own(const haft__spec *spec)
{
    for (size_t i = 0; exceeds_context_share(spec) && i < spec->tools.count; i++) {
        const haft__tool *tool = spec->tools.items[i];
        if (is_spec_tool(tool) && haft__resolve_is_deferred(spec, tool)) {
            return true;
        }
    }
    return false;
}

static bool builtin_allowed(const haft__spec *spec, haft_str builtin)
{
    return haft__filter_passes(builtin, spec->builtin_allow, spec->builtin_allow_count,
                               spec->builtin_deny, spec->builtin_deny_count);
}

/* Whether the spec has, or may have, deferred tools. Without a run, the lists of the servers are
 * unknown. */
static bool has_deferred(const haft__spec *spec, const haft__run *run)
{
    return (run == NULL || !run->nothing_to_search)
           && (has_servers(spec) || defers_own(spec) || defers_skills(spec));
}

bool haft__resolve_defers_data(const haft__spec *spec)
{
    return has_servers(spec) || defers_own(spec);
}

bool haft__resolve_search_denied(const haft__spec *spec)
{
    return !builtin_allowed(spec, HAFT__LIT(HAFT__TOOL_SEARCH));
}

bool haft__resolve_can_search(const haft__spec *spec)
{
    return !haft__resolve_search_denied(spec) && has_deferred(spec, NULL);
}

bool haft__resolve_has_unfindable_tools(const haft__spec *spec)
{
    return haft__resolve_search_denied(spec) && has_deferred(spec, NULL);
}

/* The maximum number of deferred tools that a model sees, if it has less than 7, 7 to 30, or more
 * than 30 billion parameters. */
enum { SMALL_CAP = 2, MIDDLE_CAP = 5, LARGE_CAP = 10 };

uint32_t haft__resolve_cap(const haft__spec *spec, const char **ret_why)
{
    haft_str size = spec->model.size_b;
    bool hosted = spec->model.family.hosted;
    *ret_why = spec->max_mcp_tools > 0           ? "max_mcp_tools"
               : size.len == 0 && hosted         ? "hosted"
               : size.len == 0                   ? "unknown_size"
               : spec->model.family.size_in_name ? "name"
               : spec->model.family.gave_size    ? "family"
                                                 : "size_b";
    if (spec->max_mcp_tools > 0) {
        return spec->max_mcp_tools;
    }
    if (size.len == 0) {
        return hosted ? LARGE_CAP : SMALL_CAP;
    }
    if (haft__number_compare(size, HAFT__LIT("7")) < 0) {
        return SMALL_CAP;
    }
    return haft__number_compare(size, HAFT__LIT("30")) <= 0 ? MIDDLE_CAP : LARGE_CAP;
}

/* ---- built-ins ---- */

static bool has_format(const haft__spec *spec, haft_str name)
{
    for (size_t i = 0; i < spec->format_count; i++) {
        if (haft__str_equal(spec->formats[i], name)) {
            return true;
        }
    }
    return false;
}

/* Returns ENABLED, or the requirement that the spec does not meet. */
static haft__reason check_need(const haft__spec *spec, const haft__run *run,
                               haft__builtin_need need)
{
    switch (need) {
    case HAFT__BUILTIN_NEEDS_NOTHING: return HAFT__REASON_ENABLED;
    case HAFT__BUILTIN_NEEDS_CODE:
        return has_format(spec, HAFT__LIT("codemode")) ? HAFT__REASON_ENABLED
                                                       : HAFT__REASON_NEEDS_CODE;
    case HAFT__BUILTIN_NEEDS_DEFERRED:
        return has_deferred(spec, run) ? HAFT__REASON_ENABLED : HAFT__REASON_NEEDS_DEFERRED;
    case HAFT__BUILTIN_NEEDS_DATABASE:
        return spec->database_count > 0 ? HAFT__REASON_ENABLED : HAFT__REASON_NEEDS_DATABASE;
    }
    HAFT__UNREACHABLE();
}

bool haft__resolve_is_search_tool(const haft__tool *tool)
{
    const haft__builtin *builtin = haft__builtin_of(tool);
    return builtin != NULL && builtin->host == HAFT__BUILTIN_IN_ENGINE;
}

/* Returns ENABLED, or the reason why the built-in is not offered. */
static haft__reason judge_builtin(const haft__spec *spec, const haft__run *run, haft_str name)
{
    bool enabled = haft__tools_find(&spec->tools, name) != NULL;
    const haft__builtin *builtin = haft__builtin_find(name);
    haft__builtin_need need = builtin != NULL ? builtin->need : HAFT__BUILTIN_NEEDS_NOTHING;
    bool searches = need == HAFT__BUILTIN_NEEDS_DEFERRED && builtin_allowed(spec, name)
                    && has_deferred(spec, run);
    if (!enabled && !searches) {
        return HAFT__REASON_NOT_ENABLED;
    }
    if (!builtin_allowed(spec, name)) {
        return HAFT__REASON_BUILTIN_DENIED;
    }
    haft__reason reason = check_need(spec, run, need);
    if (reason != HAFT__REASON_ENABLED) {
        return reason;
    }
    if (builtin != NULL && builtin->host == HAFT__BUILTIN_NOWHERE) {
        return HAFT__REASON_NOT_IN_VERSION;
    }
    return enabled ? HAFT__REASON_ENABLED : HAFT__REASON_UNDECLARED;
}

/* ---- one tool ---- */

static haft__visibility visibility_of(haft__reason reason)
{
    switch (reason) {
    case HAFT__REASON_DECLARED:
    case HAFT__REASON_NAMED:
    case HAFT__REASON_ENABLED:
    case HAFT__REASON_REVEALED: return HAFT__VISIBILITY_DECLARED;
    case HAFT__REASON_UNDECLARED:
    case HAFT__REASON_GATE_CLOSED:
    case HAFT__REASON_LISTED:
    case HAFT__REASON_HIDDEN: return HAFT__VISIBILITY_CALLABLE;
    case HAFT__REASON_NOT_ENABLED:
    case HAFT__REASON_BUILTIN_DENIED:
    case HAFT__REASON_NEEDS_CODE:
    case HAFT__REASON_NEEDS_DEFERRED:
    case HAFT__REASON_NEEDS_DATABASE:
    case HAFT__REASON_NOT_IN_VERSION:
    case HAFT__REASON_NO_SERVER:
    case HAFT__REASON_SERVER_DISABLED:
    case HAFT__REASON_SERVER_DENIED:
    case HAFT__REASON_TOOL_DENIED:
    case HAFT__REASON_SERVER_ERROR:
    case HAFT__REASON_TOOL_CHANGED:
    case HAFT__REASON_GONE:
    case HAFT__REASON_NAME_TAKEN:
    case HAFT__REASON_SEARCH_DENIED:
    case HAFT__REASON_DEFERRED:
    case HAFT__REASON_AT_PROVIDER:
    case HAFT__REASON_SHARE: return HAFT__VISIBILITY_NONE;
    }
    HAFT__UNREACHABLE();
}

/* The reason for a deferred tool after searches; `fallback` if no search has found the tool. */
static haft__reason reveal_reason(const haft__tool_history *past, haft__reason fallback)
{
    switch (past != NULL ? past->found : HAFT__TOOL_REVEAL_NONE) {
    case HAFT__TOOL_REVEAL_NONE: return fallback;
    case HAFT__TOOL_REVEAL_SHOWN: return HAFT__REASON_REVEALED;
    case HAFT__TOOL_REVEAL_LISTED: return HAFT__REASON_LISTED;
    case HAFT__TOOL_REVEAL_HIDDEN: return HAFT__REASON_HIDDEN;
    }
    HAFT__UNREACHABLE();
}

/* The reason for a tool of the spec itself. */
static haft__reason judge_own(const haft__spec *spec, const haft__tool_history *past,
                              const haft__tool *tool)
{
    if (tool->source == HAFT__TOOL_PROVIDER) {
        return HAFT__REASON_AT_PROVIDER;
    }
    bool skill = tool->source == HAFT__TOOL_SKILL;
    if (!haft__resolve_is_deferred(spec, tool)) {
        return skill || (is_spec_tool(tool) && exceeds_context_share(spec)) ? HAFT__REASON_NAMED
                                                                            : HAFT__REASON_DECLARED;
    }
    bool searches = builtin_allowed(spec, HAFT__LIT(HAFT__TOOL_SEARCH));
    return reveal_reason(past, !searches ? HAFT__REASON_SEARCH_DENIED
                               : skill   ? HAFT__REASON_DEFERRED
                                         : HAFT__REASON_SHARE);
}

static haft_str server_of(const haft__tool *tool)
{
    haft_str server = haft__json_text(haft__object_get(tool->definition, "server"));
    return tool->source == HAFT__TOOL_MCP && server.ptr != NULL ? server : HAFT__LIT("");
}

/* Whether a request can list the allowed tools among the declared tools. Text formats and most
 * servers do not support this. A model inside this process reads the choice directly. */
static bool takes_subset(const haft__spec *spec, const haft__run *run)
{
    const haft__provider *provider = haft__provider_for_model(&spec->model);
    if (!haft__offer_is_native(spec)) {
        return false;
    }
    bool refused =
        run != NULL && (run->refused & HAFT__MEMBER_BIT(HAFT__MEMBER_ALLOWED_TOOLS)) != 0;
    return provider != NULL ? provider->capabilities.allowed_tools && !refused
                            : haft__provider_is_local(&spec->model);
}

/* Whether an artifact tool is declared only after the gate has opened. While the gate is closed,
 * the tool must not be called, so a request without a list of allowed tools omits it. A tool in the
 * schedule is declared, because the schedule can force its call before the gate opens; the default
 * applies later, and a phase forces no call. */
static bool waits_for_gate(const haft__spec *spec, const haft__run *run, const haft__tool *tool)
{
    return tool->role == HAFT__ROLE_ARTIFACT && spec->choice.gate
           && !(run != NULL && run->gate_opened) && !is_scheduled(spec, tool->name)
           && !takes_subset(spec, run) && !haft__offer_keeps_prefix(spec);
}

void haft__offer_write_early_tools(haft__buf *buf, const haft__spec *spec, const haft__tools *tools)
{
    for (size_t i = 0; i < tools->count && spec->choice.gate; i++) {
        const haft__tool *tool = tools->items[i];
        if (tool->role == HAFT__ROLE_ARTIFACT && haft__offer_keeps_prefix(spec)
            && !takes_subset(spec, NULL) && !is_scheduled(spec, tool->name)) {
            haft__buf_add_str(buf, buf->len > 0 ? HAFT__LIT("\n\n") : HAFT__LIT(""));
            haft__buf_add_str(buf, HAFT__LIT("Call "));
            haft__wire_name_add(buf, tool->name);
            haft__buf_add_str(buf,
                              HAFT__LIT(" only when you may also answer: after enough other "
                                        "tools were called. Earlier calls of it are refused."));
        }
    }
}

/* `run` may be NULL; `past` is NULL without a run, or if the run does not have the tool. */
static haft__verdict judge_tool(const haft__spec *spec, const haft__run *run,
                                const haft__tool_history *past, const haft__tool *tool)
{
    haft__verdict verdict = {.name = tool->name,
                             .server = server_of(tool),
                             .source = tool->source,
                             .role = tool->role,
                             .tool = tool};
    bool gone = past != NULL && past->gone;
    verdict.reason = gone                             ? HAFT__REASON_GONE
                     : tool->source == HAFT__TOOL_MCP ? reveal_reason(past, HAFT__REASON_DEFERRED)
                     : tool->source == HAFT__TOOL_BUILTIN ? judge_builtin(spec, run, tool->name)
                                                          : judge_own(spec, past, tool);
    verdict.visibility = visibility_of(verdict.reason);
    if (verdict.visibility == HAFT__VISIBILITY_DECLARED && waits_for_gate(spec, run, tool)) {
        verdict.reason = HAFT__REASON_GATE_CLOSED;
        verdict.visibility = visibility_of(verdict.reason);
    }
    return verdict;
}

static const haft__tool_history *history_of(const haft__run *run, const haft__tool *tool)
{
    size_t index = run != NULL && tool != NULL ? haft__run_tool_index(run, tool) : 0;
    return run != NULL && tool != NULL && index < run->tools->count ? &run->past[index] : NULL;
}

haft__verdict haft__resolve_tool(const haft__spec *spec, const haft__run *run,
                                 const haft__tool *tool)
{
    return judge_tool(spec, run, history_of(run, tool), tool);
}

haft__verdict haft__resolve_index(const haft__run *run, size_t index)
{
    return judge_tool(run->spec, run, &run->past[index], run->tools->items[index]);
}

/* ---- tools of servers ---- */

/* The reason for a tool in its server's list. */
static haft__reason judge_listed(const haft__spec *spec, const haft__run *run,
                                 const haft__mcp_listing *listing, const haft__mcp_tool *tool,
                                 const haft__tool *known)
{
    haft__json allow = haft__object_get(spec->mcp, "allow");
    haft__reason server = haft__resolve_server(spec, listing->server);
    if (server != HAFT__REASON_DEFERRED) {
        return server;
    }
    if ((has_patterns(allow) && !matches_any(allow, tool->name))
        || matches_any(haft__object_get(spec->mcp, "deny"), tool->name)) {
        return HAFT__REASON_TOOL_DENIED;
    }
    if (known != NULL && known->source != HAFT__TOOL_MCP) {
        return HAFT__REASON_NAME_TAKEN;
    }
    if (known != NULL) { /* the run has the definition, even if the server no longer exists */
        return reveal_reason(history_of(run, known), HAFT__REASON_DEFERRED);
    }
    if (listing->error.len > 0) {
        return HAFT__REASON_SERVER_ERROR;
    }
    if (listing->changed != NULL && listing->changed[tool - listing->tools]) {
        return HAFT__REASON_TOOL_CHANGED; /* calls would be refused, and the new description is not
                                           * trusted */
    }
    return builtin_allowed(spec, HAFT__LIT(HAFT__TOOL_SEARCH)) ? HAFT__REASON_DEFERRED
                                                               : HAFT__REASON_SEARCH_DENIED;
}

static haft__verdict resolve_listed(const haft__spec *spec, const haft__run *run,
                                    const haft__mcp_listing *listing, const haft__mcp_tool *tool)
{
    const haft__tools *tools = run != NULL ? run->tools : &spec->tools;
    const haft__tool *known = haft__tools_find(tools, tool->name);
    haft__verdict verdict = {.name = tool->name,
                             .server = listing->server,
                             .source = HAFT__TOOL_MCP,
                             .role = HAFT__ROLE_DATA,
                             .tool = known,
                             .listed = tool};
    verdict.reason = judge_listed(spec, run, listing, tool, known);
    verdict.visibility = visibility_of(verdict.reason);
    return verdict;
}

/* ---- denials ---- */

static haft__denial denial_of_builtin(const haft__spec *spec, haft_str name)
{
    for (size_t i = 0; i < spec->builtin_deny_count; i++) {
        if (haft__filter_matches(spec->builtin_deny[i], name)) {
            return (haft__denial){"builtins.deny", spec->builtin_deny[i]};
        }
    }
    return (haft__denial){"builtins.allow", {NULL, 0}};
}

haft__denial haft__resolve_denial(const haft__spec *spec, haft__reason reason, haft_str server,
                                  haft_str name)
{
    haft__json deny = haft__object_get(spec->mcp, "deny");
    if (reason == HAFT__REASON_BUILTIN_DENIED) {
        return denial_of_builtin(spec, name);
    }
    if (reason != HAFT__REASON_SERVER_DENIED && reason != HAFT__REASON_TOOL_DENIED) {
        return (haft__denial){NULL, {NULL, 0}};
    }
    haft_str pattern = reason == HAFT__REASON_SERVER_DENIED ? denial_of_server(deny, server)
                                                            : match_of(deny, name);
    return (haft__denial){pattern.ptr != NULL ? "mcp.deny" : "mcp.allow", pattern};
}

/* ---- all of them ---- */

bool haft__reason_is_deferred(haft__reason reason)
{
    return reason == HAFT__REASON_DEFERRED || reason == HAFT__REASON_SHARE
           || reason == HAFT__REASON_SEARCH_DENIED || reason == HAFT__REASON_REVEALED
           || reason == HAFT__REASON_LISTED || reason == HAFT__REASON_HIDDEN;
}

static void add_verdict(haft__offer *offer, haft__verdict verdict)
{
    offer->deferred += haft__reason_is_deferred(verdict.reason);
    offer->shown += verdict.reason == HAFT__REASON_REVEALED;
    offer->items[offer->count++] = verdict;
}

static void add_builtins(const haft__spec *spec, const haft__run *run, haft__offer *offer)
{
    size_t count = 0;
    const haft__builtin *builtins = haft__builtins(&count);
    const haft__tools *tools = run != NULL ? run->tools : &spec->tools;
    for (size_t i = 0; i < count; i++) {
        haft_str name = haft__str(builtins[i].name);
        if (haft__tools_find(&spec->tools, name) != NULL) {
            continue; /* the spec has an entry for it */
        }
        haft__verdict verdict = {.name = name,
                                 .server = HAFT__LIT(""),
                                 .source = HAFT__TOOL_BUILTIN,
                                 .role = builtins[i].role,
                                 .tool = haft__tools_find(tools, name),
                                 .reason = judge_builtin(spec, run, name)};
        verdict.visibility = visibility_of(verdict.reason);
        add_verdict(offer, verdict);
    }
}

/* Whether the server has listed its tools, so that a tool that is not listed is gone. */
static bool is_gone(const haft__mcp_listing *listings, size_t count, haft_str server)
{
    for (size_t i = 0; i < count; i++) {
        if (haft__str_equal(listings[i].server, server)) {
            return listings[i].error.len == 0
                   && !haft__str_equal(listings[i].state, HAFT__LIT("configured"));
        }
    }
    return false;
}

/* Whether a listing contains the tool. */
static bool is_listed(const haft__mcp_listing *listings, size_t count, haft_str name,
                      haft_str server)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0;
             haft__str_equal(listings[i].server, server) && k < listings[i].tool_count; k++) {
            if (haft__str_equal(listings[i].tools[k].name, name)) {
                return true;
            }
        }
    }
    return false;
}

haft_status haft__resolve(const haft__spec *spec, const haft__run *run,
                          const haft__mcp_listing *listings, size_t listing_count,
                          haft__arena *arena, haft__offer *ret_offer, haft_error *err)
{
    const haft__tools *tools = run != NULL ? run->tools : &spec->tools;
    size_t max;
    (void)haft__builtins(&max);
    max += tools->count;
    for (size_t i = 0; i < listing_count; i++) {
        max += listings[i].tool_count;
    }
    const char *why;
    haft__offer offer = {.items = haft__arena_array(arena, max, sizeof(*offer.items)),
                         .cap = haft__resolve_cap(spec, &why)};
    if (offer.items == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < spec->tools.count; i++) {
        add_verdict(&offer, judge_tool(spec, run, run != NULL ? &run->past[i] : NULL,
                                       spec->tools.items[i]));
    }
    add_builtins(spec, run, &offer);
    for (size_t i = 0; i < listing_count; i++) {
        for (size_t k = 0; k < listings[i].tool_count; k++) {
            add_verdict(&offer, resolve_listed(spec, run, &listings[i], &listings[i].tools[k]));
        }
    }
    for (size_t i = spec->tools.count; i < tools->count; i++) { /* tools of the run that no server
                                                                 * lists */
        const haft__tool *tool = tools->items[i];
        if (tool->source == HAFT__TOOL_MCP
            && !is_listed(listings, listing_count, tool->name, server_of(tool))) {
            haft__verdict verdict = haft__resolve_index(run, i);
            if (is_gone(listings, listing_count, verdict.server)) {
                verdict.reason = HAFT__REASON_GONE;
                verdict.visibility = visibility_of(verdict.reason);
            }
            add_verdict(&offer, verdict);
        }
    }
    *ret_offer = offer;
    return HAFT_OK;
}
