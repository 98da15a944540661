/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - what a schema cannot say: keys that need or exclude each other, money, and what is
 * allowed but probably not meant. Tests: tests/spec/check_test.c.
 */
#include "base/str.h"
#include "mcp/servers.h"
#include "model/chat.h"
#include "spec/load_int.h"
#include "tool/template.h"
#include "tool/vague.h"

/* ---- keys together ---- */

static void check_kind(haft__loader *l)
{
    bool has_graph = l->spec->graph.kind != HAFT__JSON_NULL;
    bool is_graph = l->spec->kind == HAFT__SPEC_GRAPH;
    if (is_graph && !has_graph) {
        haft__spec_problem *problem = haft__loader_error(
            l, HAFT__LIT("/kind"), HAFT__ABOUT_VALUE, "the kind is graph, but there is no graph");
        haft__loader_hint(l, problem, "describe it under the key graph");
    } else if (has_graph && !is_graph) {
        haft__spec_problem *problem = haft__loader_error(
            l, HAFT__LIT("/graph"), HAFT__ABOUT_KEY, "there is a graph, but the kind is not graph");
        haft__loader_hint(l, problem, "write kind: graph");
    }
}

static void check_money(haft__loader *l)
{
    if (!l->spec->limits.has_usd || l->spec->model.price.known
        || !haft__loader_clean(l, "model limits")) {
        return;
    }
    haft__spec_problem *problem =
        haft__loader_error(l, HAFT__LIT("/limits/usd"), HAFT__ABOUT_KEY,
                           "there is a limit in dollars, but the price of the model is not known");
    haft__loader_hint(l, problem,
                      "write model: {provider: %.*s, model: %.*s, price: {input: .., output: ..}}",
                      HAFT__ARG(l->spec->model.provider), HAFT__ARG(l->spec->model.model));
}

static void check_key(haft__loader *l)
{
    haft_str key = l->spec->model.api_key;
    if (key.len > 0 && !haft__str_starts(key, HAFT__LIT("${"))) {
        haft__spec_problem *problem =
            haft__loader_warning(l, HAFT__LIT("/model/api_key"), HAFT__ABOUT_VALUE,
                                 "this looks like a key written into the spec");
        haft__loader_hint(l, problem, "name a variable instead: api_key: ${OPENAI_API_KEY}");
    }
}

/* A request is made from the run; of an option that would replace a part of it nothing is sent. */
static void check_options(haft__loader *l)
{
    haft__json options = l->spec->model.options;
    for (uint32_t i = 0; options.kind == HAFT__JSON_OBJECT && i < options.count; i++) {
        haft_str key = haft__json_text(options.members[i].key);
        if (haft__chat_owns(key)) {
            haft_str pointer = haft__loader_at_key(l, HAFT__LIT("/model/options"), key);
            (void)haft__loader_warning(l, pointer, HAFT__ABOUT_KEY,
                                       "the option \"%.*s\" is not sent: haft itself says it",
                                       HAFT__ARG(key));
        }
    }
}

/* Whether src/mcp takes them: how long a time may be, for instance. */
static void check_server_values(haft__loader *l)
{
    haft__mcp_servers servers;
    haft_error err = {.status = HAFT_OK};
    haft_status status = haft__loader_clean(l, "mcp")
                             ? haft__mcp_servers_read(l->arena, l->spec->mcp, &servers, &err)
                             : HAFT_OK;
    if (status != HAFT_OK && !haft__loader_failed(l, status)) {
        (void)haft__loader_error(l, haft__loader_at(l, "/mcp%s", err.where), HAFT__ABOUT_VALUE,
                                 "%s", err.message);
    }
}

static void check_servers(haft__loader *l)
{
    haft__json servers = haft__edit_object(l->spec->mcp, "servers");
    bool wrong = false;
    for (uint32_t i = 0; i < servers.count && haft__loader_clean(l, "mcp"); i++) {
        haft__json server = servers.members[i].value;
        bool command = haft__edit_get(server, "command").kind != HAFT__JSON_NULL;
        bool url = haft__edit_text(server, "url").len > 0;
        if (command != url) {
            continue;
        }
        haft_str pointer = haft__loader_at_key(l, HAFT__LIT("/mcp/servers"),
                                               haft__json_text(servers.members[i].key));
        haft__spec_problem *problem =
            haft__loader_error(l, pointer, HAFT__ABOUT_KEY, "the server has %s",
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
    for (size_t i = 0; i < l->spec->approval_count && haft__loader_clean(l, "approvals"); i++) {
        const haft__approval_rule *rule = &l->spec->approvals[i];
        if (rule->tool_count + rule->trait_count == 0) {
            haft__spec_problem *problem =
                haft__loader_error(l, haft__loader_at(l, "/approvals/%zu", i), HAFT__ABOUT_VALUE,
                                   "the rule says for no tool that it holds");
            haft__loader_hint(l, problem, "give it tools or traits; tools: [\"*\"] is all");
        }
    }
}

/* ---- tools ---- */

static bool rule_covers(const haft__approval_rule *rule, haft_str name)
{
    for (size_t i = 0; i < rule->tool_count; i++) {
        if (haft__filter_matches(rule->tools[i], name)) {
            return true;
        }
    }
    for (size_t i = 0; i < rule->trait_count; i++) {
        if (haft__str_equal(rule->traits[i], HAFT__LIT("destructive"))) {
            return true;
        }
    }
    return false;
}

static bool is_approved(const haft__loader *l, const haft__tool *tool)
{
    bool covered = tool->traits.needs_approval;
    for (size_t i = 0; i < l->spec->approval_count && !covered; i++) {
        covered = rule_covers(&l->spec->approvals[i], tool->name);
    }
    return covered;
}

static void check_tool(haft__loader *l, const haft__tool *tool, haft_str pointer)
{
    haft__vague vague = haft__vague_look(tool->name, tool->description);
    if (vague != HAFT__VAGUE_NOT) {
        (void)haft__loader_warning(l, haft__loader_at(l, "%.*s/description", HAFT__ARG(pointer)),
                                   HAFT__ABOUT_VALUE, "%s", haft__vague_text(vague));
    }
    if (tool->traits.destructive && !is_approved(l, tool)) {
        haft__spec_problem *problem = haft__loader_warning(
            l, haft__loader_at(l, "%.*s/traits/destructive", HAFT__ARG(pointer)), HAFT__ABOUT_VALUE,
            "\"%.*s\" is destructive, and nobody has to approve its calls", HAFT__ARG(tool->name));
        haft__loader_hint(l, problem, "add approvals: [{traits: [destructive]}]");
    }
    if (tool->traits.return_direct && l->spec->choice.gate) {
        haft__spec_problem *problem = haft__loader_warning(
            l, haft__loader_at(l, "%.*s/traits/return_direct", HAFT__ARG(pointer)),
            HAFT__ABOUT_VALUE, "\"%.*s\" does not return directly as long as the gate is closed",
            HAFT__ARG(tool->name));
        haft__loader_hint(l, problem, "the gate is on for a workflow, and with min_tools_for_auto");
    }
}

/* Whether an argument behind this text of a URL would choose the host. A variable may bring a path
 * along; its value is not looked at here. */
static bool is_before_path(haft_str text)
{
    haft_str rest = text;
    (void)haft__str_split(&rest, ':');
    rest = haft__str_skip(rest, strlen("//"));
    for (size_t i = 0; i < rest.len; i++) {
        if (strchr("/?#$", rest.ptr[i]) != NULL) {
            return false;
        }
    }
    return true;
}

static void check_url(haft__loader *l, const haft__tool *tool, haft_str pointer)
{
    haft_str url = haft__edit_text(haft__edit_object(tool->definition, "http"), "url"), rest = url;
    haft_str at = haft__loader_at(l, "%.*s/http/url", HAFT__ARG(pointer));
    haft__template_piece piece;
    while (haft__template_next(&rest, &piece)) {
        haft_str before = {url.ptr, (size_t)(piece.text.ptr - url.ptr)};
        if (piece.name.ptr != NULL && is_before_path(before)) {
            haft__spec_problem *problem = haft__loader_error(
                l, at, HAFT__ABOUT_VALUE, "the argument \"%.*s\" would choose the host",
                HAFT__ARG(piece.name));
            haft__loader_hint(l, problem, "arguments can stand in the path and behind it");
        }
        if (piece.name.ptr != NULL && !haft__template_knows(tool->input_schema, piece.name)) {
            (void)haft__loader_warning(l, at, HAFT__ABOUT_VALUE,
                                       "the tool has no argument \"%.*s\"", HAFT__ARG(piece.name));
        }
    }
}

/* What a program makes of its words. */
typedef enum reads {
    READS_TEXT,
    READS_CODE,   /* a word may be code */
    READS_REMOTE, /* they go through a shell at the other end */
} reads;

static reads what_it_reads(haft_str program)
{
    static const char *const names[] = {"sh",  "bash", "dash", "ash",   "zsh",  "ksh",  "fish",
                                        "awk", "gawk", "mawk", "sed",   "perl", "ruby", "node",
                                        "php", "lua",  "env",  "xargs", "sudo"};
    for (haft_str rest = program; rest.len > 0;) {
        program = haft__str_split(&rest, '/');
    }
    bool code = haft__str_starts(program, HAFT__LIT("python"));
    for (size_t i = 0; i < COUNT(names) && !code; i++) {
        code = haft__str_equal(program, haft__str(names[i]));
    }
    return haft__str_equal(program, HAFT__LIT("ssh")) ? READS_REMOTE
           : code                                     ? READS_CODE
                                                      : READS_TEXT;
}

static void refuse_word(haft__loader *l, haft_str at, haft_str name, const char *what)
{
    haft__spec_problem *problem = haft__loader_error(
        l, at, HAFT__ABOUT_VALUE, "the argument \"%.*s\" would %s", HAFT__ARG(name), what);
    haft__loader_hint(l, problem, "give it a word of its own, or use stdin");
}

/* Arguments in one of a command's words. */
static void check_word(haft__loader *l, const haft__tool *tool, haft_str at, haft_str word,
                       bool program, reads what)
{
    haft__template_piece piece;
    haft_str rest = word;
    while (haft__template_next(&rest, &piece)) {
        if (piece.name.ptr == NULL) {
            continue;
        }
        bool known = haft__template_knows(tool->input_schema, piece.name);
        bool inside = piece.text.len < word.len;
        if (known && program) {
            refuse_word(l, at, piece.name, "choose the program");
        } else if (known && (what == READS_REMOTE || (what == READS_CODE && inside))) {
            refuse_word(l, at, piece.name, "be a part of code");
        } else if (!known && what == READS_TEXT) {
            (void)haft__loader_warning(l, at, HAFT__ABOUT_VALUE,
                                       "the tool has no argument \"%.*s\"", HAFT__ARG(piece.name));
        }
    }
}

static void check_words(haft__loader *l, const haft__tool *tool, haft_str pointer)
{
    haft__json words = haft__edit_array(tool->definition, "command");
    reads what = words.count > 0 ? what_it_reads(haft__json_text(words.items[0])) : READS_TEXT;
    for (uint32_t i = 0; i < words.count; i++) {
        check_word(l, tool, haft__loader_at(l, "%.*s/command/%u", HAFT__ARG(pointer), i),
                   haft__json_text(words.items[i]), i == 0, what);
    }
}

static void check_tools(haft__loader *l)
{
    haft__json entries = haft__edit_array(l->source, "tools");
    for (uint32_t i = 0; i < entries.count; i++) {
        haft_str name = haft__edit_text(entries.items[i], "name");
        const haft__tool *tool = haft__tools_find(&l->spec->tools, name);
        if (tool != NULL && tool->source != HAFT__TOOL_BUILTIN) {
            check_tool(l, tool, haft__loader_at(l, "/tools/%u", i));
            check_url(l, tool, haft__loader_at(l, "/tools/%u", i));
            check_words(l, tool, haft__loader_at(l, "/tools/%u", i));
        }
    }
}

/* ---- built-ins without what they need ---- */

static bool has_tool(const haft__loader *l, const char *name)
{
    return haft__tools_find(&l->spec->tools, haft__str(name)) != NULL;
}

static void warn_idle(haft__loader *l, const char *name, bool idle, const char *why)
{
    if (idle && has_tool(l, name)) {
        (void)haft__loader_warning(l, HAFT__LIT("/tools"), HAFT__ABOUT_KEY,
                                   "%s is enabled but never offered: %s", name, why);
    }
}

static void check_builtins(haft__loader *l)
{
    bool servers = haft__edit_object(l->spec->mcp, "servers").count > 0
                   || haft__edit_get(l->spec->mcp, "import").kind != HAFT__JSON_NULL;
    bool databases = haft__edit_object(l->source, "databases").count > 0;
    bool code = false;
    for (size_t i = 0; i < l->spec->format_count; i++) {
        code |= haft__str_equal(l->spec->formats[i], HAFT__LIT("codemode"));
    }
    warn_idle(l, "tool_search", !servers, "there is no MCP server to search");
    warn_idle(l, "execute_sql", !databases, "there is no database");
    warn_idle(l, "search_schemas", !databases, "there is no database");
    warn_idle(l, "python_execution", !code, "the format codemode is not enabled");
}

/* Code is run nowhere yet. A model that a table takes for one without calls may still be said to
 * have them. */
static bool can_be_spoken(const haft__model_spec *model, haft_str format)
{
    if (haft__str_equal(format, HAFT__LIT("native"))) {
        return model->native_tools || model->family.gave_native;
    }
    return !haft__str_equal(format, HAFT__LIT("codemode"));
}

/* A model without native calls needs a format of text; one with them can always use those. */
static void check_formats(haft__loader *l)
{
    const haft__spec *spec = l->spec;
    for (size_t i = 0; i < spec->format_count; i++) {
        if (can_be_spoken(&spec->model, spec->formats[i])) {
            return;
        }
    }
    if (spec->model.native_tools || spec->format_count == 0) {
        return;
    }
    haft__spec_problem *problem = haft__loader_error(
        l, HAFT__LIT("/formats"), HAFT__ABOUT_VALUE,
        "no enabled format can be used: the model has no native calls%s",
        spec->format_count > 1 || !haft__str_equal(spec->formats[0], HAFT__LIT("native"))
            ? ", and code cannot be run here"
            : "");
    haft__loader_hint(l, problem, "enable one of text, for example purejson%s",
                      spec->model.family.gave_native ? "" : ", or leave out native_tools");
}

static void check_policy(haft__loader *l)
{
    const haft__spec *spec = l->spec;
    size_t data = 0;
    for (size_t i = 0; i < spec->tools.count; i++) {
        data += spec->tools.items[i]->role == HAFT__ROLE_DATA;
    }
    bool set = haft__edit_get(haft__edit_object(l->source, "choice"), "min_tools_for_auto").kind
               == HAFT__JSON_NUMBER;
    bool servers = spec->mcp.kind == HAFT__JSON_OBJECT;
    if (set && !servers && spec->choice.min_tools_for_auto > data) {
        haft__spec_problem *problem =
            haft__loader_warning(l, HAFT__LIT("/choice/min_tools_for_auto"), HAFT__ABOUT_VALUE,
                                 "%u different data tools are wanted, but there %s only %zu",
                                 spec->choice.min_tools_for_auto, data == 1 ? "is" : "are", data);
        haft__loader_hint(l, problem, "the gate opens once all of them were called");
    }
    if (spec->choice.schedule_count >= spec->limits.turns) {
        (void)haft__loader_warning(
            l, HAFT__LIT("/choice/schedule"), HAFT__ABOUT_KEY,
            "the schedule has %zu entries, but of %u turns the last is always none",
            spec->choice.schedule_count, spec->limits.turns);
    }
    if (spec->phase_count > 0 && !has_tool(l, "complete_workflow")
        && spec->kind != HAFT__SPEC_WORKFLOW) {
        haft__spec_problem *problem = haft__loader_warning(l, HAFT__LIT("/phases"), HAFT__ABOUT_KEY,
                                                           "nothing looks at the phases");
        haft__loader_hint(l, problem, "they hold back complete_workflow, which is not enabled");
    }
}

void haft__loader_check(haft__loader *l)
{
    check_kind(l);
    check_money(l);
    check_key(l);
    check_options(l);
    check_servers(l);
    check_approval_rules(l);
    check_tools(l);
    if (haft__loader_clean(l, "tools builtins enabled_builtins mcp formats tool_call_formats")) {
        check_builtins(l);
    }
    if (haft__loader_clean(l, "model formats tool_call_formats")) {
        check_formats(l);
    }
    if (haft__loader_clean(l, "tools builtins enabled_builtins choice limits kind phases")) {
        check_policy(l);
    }
}
