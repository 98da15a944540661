/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_idle.c - warns about keys without effect, because another key is missing or takes
 * precedence, and about arguments of a tool that are used neither by its program nor by its
 * request. Tests: tests/spec/load/check_idle_keys_test.c,
 * tests/spec/load/check_idle_arguments_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/provider.h"
#include "run/offer/constraint.h"
#include "run/offer/resolve.h"
#include "spec/load/load_int.h"
#include "tool/template.h"
#include "json/object.h"

static bool has(haft__json object, const char *key)
{
    return haft__object_get(object, key).kind != HAFT__JSON_NULL;
}

/* Warns about the keys that `object` has, separated by spaces. */
static void warn_idle_keys(haft__loader *l, haft__json object, haft_str pointer, const char *keys,
                           const char *why)
{
    for (haft_str rest = haft__str(keys); rest.len > 0;) {
        haft_str key = haft__str_split(&rest, ' ');
        if (haft__json_get(object, key) != NULL) {
            (void)haft__loader_warning(l, haft__loader_pointer_to_key(l, pointer, key),
                                       HAFT__SUBJECT_KEY, "\"%.*s\" has no effect: %s",
                                       HAFT__ARG(key), why);
        }
    }
}

static void check_api_key(haft__loader *l, haft__json object, haft_str pointer)
{
    if (has(object, "api_key")) {
        warn_idle_keys(l, object, pointer, "api_key_env", "api_key takes precedence");
    }
}

/* ---- the model ---- */

static void check_model(haft__loader *l)
{
    const haft__model_spec *model = &l->spec->model;
    haft__json source = haft__object_get(l->source, "model");
    haft_str at = HAFT__LIT("/model");
    if (haft__provider_is_local(model)) {
        warn_idle_keys(l, source, at,
                       "base_url api_key api_key_env options constraint family chat_template "
                       "requests timeouts price",
                       "this provider asks no server");
        bool offline = haft__str_equal(model->provider, HAFT__LIT("offline"));
        warn_idle_keys(l, source, at, offline ? "model" : "", "offline has no models");
        return;
    }
    check_api_key(l, source, at);
    if (has(source, "family")) {
        warn_idle_keys(l, source, at, "chat_template", "family takes precedence");
    }
    if (haft__constraint_has_own(model->options)) {
        warn_idle_keys(l, source, at, "constraint", "options have a constraint of their own");
    }
}

/* ---- tools ---- */

/* Checks traits. The results of an idempotent tool are reused within a run, even without a cache,
 * until `ttl` expires. */
static void check_traits(haft__loader *l, haft__json tool, haft_str pointer)
{
    haft__json traits = haft__object_object(tool, "traits");
    haft__json cache = haft__object_object(traits, "cache");
    haft_str at = haft__loader_pointer(l, "%.*s/traits", HAFT__ARG(pointer));
    bool reused = haft__object_flag(traits, "idempotent", false)
                  && !haft__object_flag(traits, "polls", false);
    if (haft__str_equal(haft__object_string(cache, "scope"), HAFT__LIT("none")) && !reused) {
        warn_idle_keys(l, cache, haft__loader_pointer(l, "%.*s/cache", HAFT__ARG(at)), "ttl",
                       "with the scope none, no result is reused");
    }
    if (haft__object_flag(tool, "headless", false)) {
        warn_idle_keys(l, traits, at, "timeout retries",
                       "the tool is headless; pauses.headless has the deadline of its answers");
    }
}

static void check_tools(haft__loader *l)
{
    haft__json tools = haft__object_array(l->source, "tools");
    for (uint32_t i = 0; i < tools.count; i++) {
        haft_str at = haft__loader_pointer(l, "/tools/%u", i);
        if (!has(tools.items[i], "command")) {
            warn_idle_keys(l, tools.items[i], at, "stdin root env", "the tool has no command");
        }
        check_traits(l, tools.items[i], at);
    }
}

static bool has_tool(const haft__loader *l, const char *name)
{
    return haft__tools_find(&l->spec->tools, haft__str(name)) != NULL;
}

/* ---- servers and search ---- */

static void check_servers(haft__loader *l)
{
    haft__json servers = haft__object_object(haft__object_object(l->source, "mcp"), "servers");
    for (uint32_t i = 0; i < servers.count; i++) {
        haft__json server = servers.members[i].value;
        haft_str at = haft__loader_pointer_to_key(l, HAFT__LIT("/mcp/servers"),
                                                  haft__json_text(servers.members[i].key));
        bool command = has(server, "command"), url = has(server, "url");
        if (url && !command) {
            warn_idle_keys(l, server, at, "args env cwd", "the server has no command");
        } else if (command && !url) {
            warn_idle_keys(l, server, at, "headers", "the server has no url");
        }
    }
}

/* Whether the spec has servers. The servers of an imported file are not known here. */
static bool has_servers(const haft__loader *l)
{
    return haft__object_object(l->spec->mcp, "servers").count > 0 || has(l->spec->mcp, "import");
}

static void check_search(haft__loader *l)
{
    haft__json embeddings =
        haft__object_object(haft__object_object(l->source, "tool_search"), "embeddings");
    check_api_key(l, embeddings, HAFT__LIT("/tool_search/embeddings"));
    if (!haft__loader_keys_are_valid(l, "tools builtins enabled_builtins mcp model")) {
        return; /* an invalid tool would be missing here */
    }
    bool servers = has_servers(l);
    if (!servers) {
        warn_idle_keys(l, l->source, HAFT__LIT(""), "approve_destructive",
                       "the spec has no MCP server");
    }
    if (!servers && !haft__resolve_can_search(l->spec)) {
        warn_idle_keys(l, l->source, HAFT__LIT(""), "max_mcp_tools tool_search",
                       "no tool is deferred");
    }
    /* Agents of the spec use its files. */
    bool shared = l->options->scope != NULL || l->spec->agent_count > 0;
    if (!shared && !has_tool(l, "glob") && !has_tool(l, "grep") && !has_tool(l, "read")) {
        warn_idle_keys(l, l->source, HAFT__LIT(""), "root within",
                       "none of glob, grep and read is enabled");
    }
}

/* ---- the choice and the limits ---- */

static void check_choice(haft__loader *l)
{
    haft__json choice = haft__object_object(l->source, "choice");
    haft__json schedule = haft__object_array(choice, "schedule");
    if (schedule.count == 0 || !l->spec->choice.gate) {
        warn_idle_keys(l, choice, HAFT__LIT("/choice"), "schedule_overrides_gate",
                       schedule.count == 0 ? "there is no schedule" : "there is no gate");
    }
    if (!l->spec->choice.evidence_first) {
        warn_idle_keys(l, choice, HAFT__LIT("/choice"), "cost_budget", "evidence_first is not set");
    }
}

static void check_limits(haft__loader *l)
{
    haft__json limits = haft__object_object(l->source, "limits");
    if (l->spec->kind != HAFT__SPEC_WORKFLOW) {
        warn_idle_keys(l, limits, HAFT__LIT("/limits"), "reminders", "only a workflow is reminded");
    }
}

/* Whether a tool, a node or `handoffs` in the value names this agent. The parser limits the depth
 * of the recursion. */
static bool names_agent(haft__json value, haft_str name)
{
    bool found = false;
    for (uint32_t i = 0; value.kind == HAFT__JSON_ARRAY && i < value.count; i++) {
        found = found || names_agent(value.items[i], name);
    }
    for (uint32_t i = 0; value.kind == HAFT__JSON_OBJECT && i < value.count; i++) {
        haft_str key = haft__json_text(value.members[i].key);
        haft__json member = value.members[i].value;
        bool handoffs = haft__str_equal(key, HAFT__LIT("handoffs"));
        found =
            found || names_agent(member, name)
            || ((haft__str_equal(key, HAFT__LIT("agent"))
                 || (haft__str_equal(key, HAFT__LIT("graph")) && haft__loader_is_spec_file(name)))
                && haft__str_equal(haft__json_text(member), name));
        for (uint32_t j = 0; handoffs && member.kind == HAFT__JSON_ARRAY && j < member.count; j++) {
            found = found || haft__str_equal(haft__json_text(member.items[j]), name);
        }
    }
    return found;
}

static void check_agents(haft__loader *l)
{
    haft__json agents = haft__object_object(l->source, "agents");
    for (uint32_t i = 0; i < agents.count; i++) {
        haft_str name = haft__json_text(agents.members[i].key);
        if (!names_agent(l->source, name)) {
            (void)haft__loader_warning(
                l, haft__loader_pointer_to_key(l, HAFT__LIT("/agents"), name), HAFT__SUBJECT_KEY,
                "the agent \"%.*s\" is not used: no tool, handoff or node "
                "names it",
                HAFT__ARG(name));
        }
    }
}

/* Checks the pauses. A tool of a server may need approval, because it is marked as destructive, and
 * may ask a question. */
static void check_pauses(haft__loader *l)
{
    haft__json pauses = haft__object_object(l->source, "pauses");
    haft_str at = HAFT__LIT("/pauses");
    bool asks = has_tool(l, "request_user_input") || has_servers(l);
    bool headless = false, approval = has_servers(l) || l->spec->approval_count > 0;
    if (!haft__loader_keys_are_valid(l, "tools builtins enabled_builtins mcp approvals")) {
        return;
    }
    for (size_t i = 0; i < l->spec->tools.count; i++) {
        const haft__tool *tool = l->spec->tools.items[i];
        headless = headless || tool->source == HAFT__TOOL_HEADLESS;
        approval = approval || tool->traits.needs_approval;
    }
    warn_idle_keys(l, pauses, at, headless ? "" : "headless", "no tool is headless");
    if (l->spec->kind != HAFT__SPEC_GRAPH) { /* nodes of a graph may ask */
        warn_idle_keys(l, pauses, at, approval ? "" : "approval", "no call needs approval");
        warn_idle_keys(l, pauses, at, asks ? "" : "question",
                       "request_user_input is not enabled, and the spec has no MCP server");
    }
}

static void check_planner(haft__loader *l)
{
    haft__json planner = haft__object_object(haft__object_object(l->raw, "spec"), "planner");
    if (has(haft__object_object(planner, "config"), "gateway")) {
        warn_idle_keys(l, planner, HAFT__LIT("/spec/planner"), "gateway",
                       "config.gateway takes precedence");
    }
}

static void check_graph(haft__loader *l)
{
    if (l->spec->kind == HAFT__SPEC_GRAPH) {
        warn_idle_keys(l, l->source, HAFT__LIT(""),
                       "instructions plan phases choice formats tool_call_formats history "
                       "tool_search max_mcp_tools max_tools_share memory agents_md skills",
                       "a graph asks no model itself; its agents have these keys");
    } else {
        warn_idle_keys(l, l->source, HAFT__LIT(""), "graphs",
                       "only the nodes of a graph run graphs");
    }
}

void haft__loader_check_idle_keys(haft__loader *l)
{
    check_planner(l);
    check_graph(l);
    if (haft__loader_keys_are_valid(l, "model")) {
        check_model(l);
    }
    check_tools(l);
    check_servers(l);
    check_search(l);
    check_choice(l);
    check_limits(l);
    check_agents(l);
    check_pauses(l);
}

/* ---- arguments ---- */

/* Whether the text contains {name}. */
static bool text_has(haft_str text, haft_str name)
{
    haft__template_piece piece;
    while (haft__template_next(&text, &piece)) {
        if (piece.name.ptr != NULL && haft__str_equal(piece.name, name)) {
            return true;
        }
    }
    return false;
}

/* Whether a text of the value contains {name}. Ignores keys of objects, which are not replaced. The
 * parser limits the depth of the recursion. */
static bool value_has(haft__json value, haft_str name)
{
    if (value.kind == HAFT__JSON_STRING) {
        return text_has(haft__json_text(value), name);
    }
    bool found = false;
    for (uint32_t i = 0; value.kind == HAFT__JSON_ARRAY && i < value.count; i++) {
        found = found || value_has(value.items[i], name);
    }
    for (uint32_t i = 0; value.kind == HAFT__JSON_OBJECT && i < value.count; i++) {
        found = found || value_has(value.members[i].value, name);
    }
    return found;
}

/* Whether the argument reaches the program. Without `stdin`, a program reads all arguments. */
static bool reaches_program(haft__json tool, haft_str name)
{
    return haft__json_get(tool, HAFT__LIT("stdin")) == NULL
           || value_has(haft__object_get(tool, "stdin"), name)
           || value_has(haft__object_get(tool, "command"), name);
}

/* Whether the argument reaches the request. Without `body`, POST, PUT and PATCH send all
 * arguments. */
static bool reaches_request(haft__json http, haft_str name)
{
    haft_str method = haft__object_string(http, "method");
    bool sends_all = haft__str_equal(method, HAFT__LIT("POST"))
                     || haft__str_equal(method, HAFT__LIT("PUT"))
                     || haft__str_equal(method, HAFT__LIT("PATCH"));
    return (sends_all && haft__json_get(http, HAFT__LIT("body")) == NULL)
           || value_has(haft__object_get(http, "body"), name)
           || value_has(haft__object_get(http, "url"), name);
}

static void check_argument(haft__loader *l, haft__json tool, haft_str name, haft_str pointer)
{
    bool command = haft__json_get(tool, HAFT__LIT("command")) != NULL;
    haft__json http = haft__object_object(tool, "http");
    if (command ? reaches_program(tool, name) : reaches_request(http, name)) {
        return;
    }
    haft__spec_problem *problem = haft__loader_warning(
        l, pointer, HAFT__SUBJECT_VALUE, "the argument \"%.*s\" has no effect: %s", HAFT__ARG(name),
        command ? "neither command nor stdin has it" : "neither the url nor the body has it");
    haft__loader_hint(l, problem, "write {%.*s} where it belongs, or leave the argument out",
                      HAFT__ARG(name));
}

static void check_headers(haft__loader *l, haft__json headers, haft_str pointer)
{
    for (uint32_t i = 0; i < headers.count; i++) {
        haft_str text = haft__json_text(headers.members[i].value);
        haft__template_piece piece;
        while (haft__template_next(&text, &piece)) {
            if (piece.name.ptr != NULL) {
                haft_str at = haft__loader_pointer_to_key(
                    l, haft__loader_pointer(l, "%.*s/http/headers", HAFT__ARG(pointer)),
                    haft__json_text(headers.members[i].key));
                (void)haft__loader_warning(l, at, HAFT__SUBJECT_VALUE,
                                           "\"%.*s\" has no effect: headers have no arguments",
                                           HAFT__ARG(piece.text));
            }
        }
    }
}

/* Whether the tool declares the argument, in "args" or "input_schema". */
static bool declares(haft__json tool, haft_str name)
{
    haft__json args = haft__object_array(tool, "args");
    haft__json properties =
        haft__object_object(haft__object_object(tool, "input_schema"), "properties");
    bool found = haft__json_get(properties, name) != NULL;
    for (uint32_t i = 0; i < args.count && !found; i++) {
        found = haft__str_equal(haft__json_text(args.items[i]), name);
    }
    return found;
}

/* Warns about arguments in variables, which are passed as they are. Other text in braces may be
 * intended. */
static void check_variables(haft__loader *l, haft__json tool, haft_str pointer)
{
    haft__json env = haft__object_object(tool, "env");
    for (uint32_t i = 0; i < env.count; i++) {
        haft_str text = haft__json_text(env.members[i].value);
        haft__template_piece piece;
        while (haft__template_next(&text, &piece)) {
            if (piece.name.ptr != NULL && declares(tool, piece.name)) {
                haft_str at = haft__loader_pointer_to_key(
                    l, haft__loader_pointer(l, "%.*s/env", HAFT__ARG(pointer)),
                    haft__json_text(env.members[i].key));
                (void)haft__loader_warning(l, at, HAFT__SUBJECT_VALUE,
                                           "\"%.*s\" has no effect: variables have no arguments",
                                           HAFT__ARG(piece.text));
            }
        }
    }
}

static void check_arguments(haft__loader *l, haft__json tool, haft_str pointer)
{
    haft__json args = haft__object_array(tool, "args");
    haft__json properties =
        haft__object_object(haft__object_object(tool, "input_schema"), "properties");
    for (uint32_t i = 0; i < args.count; i++) {
        check_argument(l, tool, haft__json_text(args.items[i]),
                       haft__loader_pointer(l, "%.*s/args/%u", HAFT__ARG(pointer), i));
    }
    for (uint32_t i = 0; i < properties.count; i++) {
        haft_str name = haft__json_text(properties.members[i].key);
        check_argument(
            l, tool, name,
            haft__loader_pointer_to_key(
                l, haft__loader_pointer(l, "%.*s/input_schema/properties", HAFT__ARG(pointer)),
                name));
    }
}

void haft__loader_check_idle_arguments(haft__loader *l)
{
    haft__json tools = haft__object_array(l->source, "tools");
    for (uint32_t i = 0; i < tools.count && haft__loader_keys_are_valid(l, "tools"); i++) {
        haft__json tool = tools.items[i];
        haft_str pointer = haft__loader_pointer(l, "/tools/%u", i);
        if (haft__json_get(tool, HAFT__LIT("command")) != NULL
            || haft__json_get(tool, HAFT__LIT("http")) != NULL) {
            check_arguments(l, tool, pointer);
        }
        check_headers(l, haft__object_object(haft__object_object(tool, "http"), "headers"),
                      pointer);
        check_variables(l, tool, pointer);
    }
}
