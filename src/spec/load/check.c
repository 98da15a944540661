/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - checks that a schema cannot express: keys that require or exclude each other, prices,
 * and valid settings that are probably mistakes. check_tools.c checks single tools. Tests:
 * tests/spec/load/check_test.c.
 */
#include "base/ascii.h"
#include "base/str.h"
#include "mcp/server_config.h"
#include "model/provider.h"
#include "run/offer/resolve.h"
#include "spec/load/load_int.h"
#include "tool/builtin.h"
#include "json/object.h"

/* ---- keys together ---- */

static void check_kind(haft__loader *l)
{
    bool has_graph = l->spec->graph.kind != HAFT__JSON_NULL;
    bool is_graph = l->spec->kind == HAFT__SPEC_GRAPH;
    if (is_graph && !has_graph) {
        haft__spec_problem *problem = haft__loader_error(
            l, HAFT__LIT("/kind"), HAFT__SUBJECT_VALUE, "the kind is graph, but there is no graph");
        haft__loader_hint(l, problem, "describe it under the key graph");
    } else if (has_graph && !is_graph) {
        haft__spec_problem *problem =
            haft__loader_error(l, HAFT__LIT("/graph"), HAFT__SUBJECT_KEY,
                               "there is a graph, but the kind is not graph");
        haft__loader_hint(l, problem, "write kind: graph");
    }
}

static void check_money(haft__loader *l)
{
    /* The log of a run that has begun contains its prices. */
    if (l->options->kept || !l->spec->limits.has_usd || l->spec->model.price.known
        || !haft__loader_keys_are_valid(l, "model limits")) {
        return;
    }
    haft__spec_problem *problem =
        haft__loader_error(l, HAFT__LIT("/limits/usd"), HAFT__SUBJECT_KEY,
                           "there is a limit in dollars, but the price of the model is not known");
    haft__loader_hint(l, problem,
                      "write model: {provider: %.*s, model: %.*s, price: {input: .., output: ..}}",
                      HAFT__ARG(l->spec->model.provider), HAFT__ARG(l->spec->model.model));
}

static void check_key(haft__loader *l, haft_str key, const char *pointer)
{
    if (key.len > 0 && !haft__str_starts_with(key, HAFT__LIT("${"))) {
        haft__spec_problem *problem = haft__loader_warning(
            l, haft__str(pointer), HAFT__SUBJECT_VALUE, "this looks like an API key in the spec");
        haft__loader_hide_value(problem);
        haft__loader_hint(l, problem, "name a variable instead: api_key: ${OPENAI_API_KEY}");
    }
}

/* Whether a value is a literal text, and not empty, a number or a path. */
static bool is_literal_text(haft_str value)
{
    bool number = true;
    for (size_t i = 0; i < value.len; i++) {
        number = number && haft__ascii_is_digit(value.ptr[i]);
    }
    return !number && memchr(value.ptr, '$', value.len) == NULL && value.ptr[0] != '/'
           && value.ptr[0] != '.';
}

/* Warns about values that look like secrets. `key` is "env" or "headers" of the server. */
static void check_pairs(haft__loader *l, haft_str server, haft__json holder, const char *key)
{
    const haft__json *pairs = haft__json_get(holder, haft__str(key));
    for (uint32_t i = 0; pairs != NULL && i < pairs->count; i++) {
        haft_str name = haft__json_text(pairs->members[i].key);
        if (!haft__mcp_is_secret_name(name)
            || !is_literal_text(haft__json_text(pairs->members[i].value))) {
            continue;
        }
        haft_str where = haft__loader_pointer_to_key(l, HAFT__LIT("/mcp/servers"), server);
        where = haft__loader_pointer_to_key(
            l, haft__loader_pointer(l, "%.*s/%s", HAFT__ARG(where), key), name);
        haft__spec_problem *problem = haft__loader_warning(
            l, where, HAFT__SUBJECT_VALUE,
            "this looks like a secret in the spec, which is stored with every run");
        haft__loader_hide_value(problem);
        haft__loader_hint(l, problem, "name a variable instead: ${VAR}, or import the server");
    }
}

/* Checks the servers in the spec. (The source does not contain servers of an imported file.) */
static void check_secrets(haft__loader *l)
{
    const haft__json *servers = haft__json_get(l->spec->mcp, HAFT__LIT("servers"));
    for (uint32_t i = 0; servers != NULL && i < servers->count; i++) {
        haft__json server = servers->members[i].value;
        if (haft__json_get(server, HAFT__LIT("imported")) == NULL) {
            check_pairs(l, haft__json_text(servers->members[i].key), server, "env");
            check_pairs(l, haft__json_text(servers->members[i].key), server, "headers");
        }
    }
}

/* Warns about options that are not sent, because haft itself sets these members of a request. */
static void check_options(haft__loader *l)
{
    haft__json options = l->spec->model.options;
    const haft__provider *found = haft__provider_for_model(&l->spec->model);
    const haft__provider *provider = found != NULL ? found : haft__provider_compatible();
    for (uint32_t i = 0; options.kind == HAFT__JSON_OBJECT && i < options.count; i++) {
        haft_str key = haft__json_text(options.members[i].key);
        if (haft__provider_is_reserved_option(provider, key)) {
            haft_str pointer = haft__loader_pointer_to_key(l, HAFT__LIT("/model/options"), key);
            (void)haft__loader_warning(l, pointer, HAFT__SUBJECT_KEY,
                                       "the option \"%.*s\" is not sent: haft sets it itself",
                                       HAFT__ARG(key));
        }
    }
}

/* Checks the values that src/mcp reads, for instance the length of a timeout. */
static void check_server_values(haft__loader *l)
{
    haft__mcp_server_configs servers;
    haft_error err = {.status = HAFT_OK};
    haft_status status = haft__loader_keys_are_valid(l, "mcp")
                             ? haft__mcp_server_configs_read(l->arena, l->spec->mcp, &servers, &err)
                             : HAFT_OK;
    if (status != HAFT_OK && !haft__loader_failed(l, status)) {
        (void)haft__loader_error(l, haft__loader_pointer(l, "/mcp%s", err.where),
                                 HAFT__SUBJECT_VALUE, "%s", err.message);
    }
}

static void check_servers(haft__loader *l)
{
    haft__json servers = haft__object_object(l->spec->mcp, "servers");
    bool wrong = false;
    for (uint32_t i = 0; i < servers.count && haft__loader_keys_are_valid(l, "mcp"); i++) {
        haft__json server = servers.members[i].value;
        bool command = haft__object_get(server, "command").kind != HAFT__JSON_NULL;
        bool url = haft__object_string(server, "url").len > 0;
        if (command != url) {
            continue;
        }
        haft_str pointer = haft__loader_pointer_to_key(l, HAFT__LIT("/mcp/servers"),
                                                       haft__json_text(servers.members[i].key));
        haft__spec_problem *problem =
            haft__loader_error(l, pointer, HAFT__SUBJECT_KEY, "the server has %s",
                               command ? "both a command and a url" : "no command and no url");
        haft__loader_hint(l, problem, "it needs one of the two");
        wrong = true;
    }
    if (!wrong) {
        check_server_values(l);
    }
}

static void check_approval_rules(haft__loader *l)
{
    for (size_t i = 0; i < l->spec->approval_count && haft__loader_keys_are_valid(l, "approvals");
         i++) {
        const haft__approval_rule *rule = &l->spec->approvals[i];
        if (rule->tool_count + rule->trait_count == 0) {
            haft__spec_problem *problem =
                haft__loader_error(l, haft__loader_pointer(l, "/approvals/%zu", i),
                                   HAFT__SUBJECT_VALUE, "the rule applies to no tool");
            haft__loader_hint(l, problem, "give it tools or traits; tools: [\"*\"] means all");
        }
        haft__json source = haft__object_array(l->source, "approvals").items[i];
        if (rule->deadline_ms == 0 && haft__json_get(source, HAFT__LIT("on_expire")) != NULL) {
            haft__spec_problem *problem = haft__loader_warning(
                l, haft__loader_pointer(l, "/approvals/%zu/on_expire", i), HAFT__SUBJECT_KEY,
                "on_expire has no effect without a deadline");
            haft__loader_hint(l, problem,
                              "add a deadline to the rule; otherwise pauses.approval decides");
        }
    }
}

/* ---- built-ins without their requirements ---- */

static bool has_tool(const haft__loader *l, const char *name)
{
    return haft__tools_find(&l->spec->tools, haft__str(name)) != NULL;
}

/* Warns about enabled built-ins whose requirement the spec does not meet. */
static void warn_idle(haft__loader *l, haft__builtin_need need, const char *why)
{
    size_t count;
    const haft__builtin *builtins = haft__builtins(&count);
    for (size_t i = count; i-- > 0;) {
        if (builtins[i].need == need && has_tool(l, builtins[i].name)) {
            (void)haft__loader_warning(l, HAFT__LIT("/tools"), HAFT__SUBJECT_KEY,
                                       "%s is enabled but never offered: %s", builtins[i].name,
                                       why);
        }
    }
}

/* Checks tool search. If tools are deferred, a model can always call tool_search, but it sees
 * tool_search only if the spec enables it. */
static void check_search(haft__loader *l, bool servers)
{
    haft_str about = servers ? HAFT__LIT("/mcp") : HAFT__LIT("/tools");
    if (haft__resolve_has_unfindable_tools(l->spec)) {
        haft__spec_problem *lost = haft__loader_warning(
            l, about, HAFT__SUBJECT_KEY,
            "tools are deferred, and can never be used: builtins denies the tool that finds them");
        haft__loader_hint(l, lost, "builtins.allow and builtins.deny must permit %s",
                          HAFT__TOOL_SEARCH);
    }
    if (has_tool(l, HAFT__TOOL_SEARCH) || !haft__resolve_can_search(l->spec)) {
        return;
    }
    haft__spec_problem *problem = haft__loader_warning(
        l, about, HAFT__SUBJECT_KEY,
        "tools are deferred, and builtins.enabled does not list " HAFT__TOOL_SEARCH
        ": nothing searches before the first turn, and the model does not see "
        "that it can");
    haft__loader_hint(l, problem, "add " HAFT__TOOL_SEARCH " to builtins.enabled");
}

static void check_builtins(haft__loader *l)
{
    bool servers = haft__object_object(l->spec->mcp, "servers").count > 0
                   || haft__object_get(l->spec->mcp, "import").kind != HAFT__JSON_NULL;
    bool databases = haft__object_object(l->source, "databases").count > 0;
    bool code = false;
    for (size_t i = 0; i < l->spec->format_count; i++) {
        code |= haft__str_equal(l->spec->formats[i], HAFT__LIT("codemode"));
    }
    bool can_search = !servers && haft__resolve_can_search(l->spec);
    if (!servers && !can_search) {
        warn_idle(l, HAFT__BUILTIN_NEEDS_DEFERRED, "there is no MCP server to search");
    }
    check_search(l, servers);
    if (!databases) {
        warn_idle(l, HAFT__BUILTIN_NEEDS_DATABASE, "the spec has no databases");
    }
    if (!code) {
        warn_idle(l, HAFT__BUILTIN_NEEDS_CODE, "the format codemode is not enabled");
    }
}

/* Whether the model can use the format. Code needs the tool that runs it. `native_tools` of the
 * spec overrides the table of families. */
static bool can_use_format(const haft__spec *spec, haft_str format)
{
    if (haft__str_equal(format, HAFT__LIT("native"))) {
        return spec->model.native_tools || spec->model.family.gave_native;
    }
    const haft__builtin *code = haft__builtin_get(HAFT__BUILTIN_PYTHON_EXECUTION);
    return !haft__str_equal(format, HAFT__LIT("codemode"))
           || haft__tools_find(&spec->tools, haft__str(code->name)) != NULL;
}

/* Reports a list of formats without a usable format, because haft uses only enabled formats. */
static void check_formats(haft__loader *l)
{
    const haft__spec *spec = l->spec;
    bool native = false;
    for (size_t i = 0; i < spec->format_count; i++) {
        if (can_use_format(spec, spec->formats[i])) {
            return;
        }
        native |= haft__str_equal(spec->formats[i], HAFT__LIT("native"));
    }
    if (spec->format_count == 0) {
        return;
    }
    bool code = spec->format_count > 1 || !native, lacks = !spec->model.native_tools;
    haft__spec_problem *problem = haft__loader_error(
        l, HAFT__LIT("/formats"), HAFT__SUBJECT_VALUE, "no enabled format can be used: %s%s%s",
        lacks ? "the model has no native tool calls" : "", lacks && code ? ", and " : "",
        code ? "codemode needs python_execution" : "");
    haft__loader_hint(l, problem, "enable a text format, for example purejson%s%s",
                      code ? ", or the built-in python_execution" : "",
                      !lacks                           ? ", or native"
                      : spec->model.family.gave_native ? ""
                                                       : ", or leave out native_tools");
}

static void check_policy(haft__loader *l)
{
    const haft__spec *spec = l->spec;
    size_t data = 0;
    for (size_t i = 0; i < spec->tools.count; i++) {
        data += spec->tools.items[i]->role == HAFT__ROLE_DATA;
    }
    bool set = haft__object_get(haft__object_object(l->source, "choice"), "min_tools_for_auto").kind
               == HAFT__JSON_NUMBER;
    bool servers = spec->mcp.kind == HAFT__JSON_OBJECT;
    if (set && !servers && spec->choice.min_tools_for_auto > data) {
        haft__spec_problem *problem =
            haft__loader_warning(l, HAFT__LIT("/choice/min_tools_for_auto"), HAFT__SUBJECT_VALUE,
                                 "%u different data tools are required, but there %s only %zu",
                                 spec->choice.min_tools_for_auto, data == 1 ? "is" : "are", data);
        haft__loader_hint(l, problem, "the gate opens when all of them have been called");
    }
    if (spec->choice.schedule_count >= spec->limits.turns) {
        (void)haft__loader_warning(
            l, HAFT__LIT("/choice/schedule"), HAFT__SUBJECT_KEY,
            "the schedule has %zu entries, but the last of %u turns is always none",
            spec->choice.schedule_count, spec->limits.turns);
    }
    if (spec->phase_count > 0 && !has_tool(l, HAFT__TOOL_COMPLETE)
        && spec->kind != HAFT__SPEC_WORKFLOW) {
        haft__spec_problem *problem = haft__loader_warning(
            l, HAFT__LIT("/phases"), HAFT__SUBJECT_KEY, "the phases have no effect");
        haft__loader_hint(l, problem,
                          "they are a condition for " HAFT__TOOL_COMPLETE ", which is not enabled");
    }
}

void haft__loader_check(haft__loader *l)
{
    check_kind(l);
    check_money(l);
    check_key(l, l->spec->model.api_key, "/model/api_key");
    check_key(l, l->spec->embeddings.api_key, "/tool_search/embeddings/api_key");
    check_secrets(l);
    check_options(l);
    check_servers(l);
    check_approval_rules(l);
    /* Not for a run that has begun: a rule that cannot be decided only requires approval, so the
     * run can continue. */
    if (!l->options->kept && haft__loader_keys_are_valid(l, "approvals tools")) {
        haft__loader_check_conditions(l);
    }
    haft__loader_check_tools(l);
    haft__loader_check_support(l);
    if (haft__loader_keys_are_valid(
            l, "tools builtins enabled_builtins mcp formats tool_call_formats")) {
        check_builtins(l);
    }
    if (haft__loader_keys_are_valid(l, "model formats tool_call_formats")) {
        check_formats(l);
    }
    if (haft__loader_keys_are_valid(l,
                                    "tools builtins enabled_builtins choice limits kind phases")) {
        check_policy(l);
    }
}
