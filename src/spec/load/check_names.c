/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_names.c - checks that tools named in a spec exist. The tools of MCP servers are unknown
 * until the servers start; for such a tool only the server must exist. Tests:
 * tests/spec/load/check_names_test.c.
 */
#include "base/str.h"
#include "base/suggestion.h"
#include "run/pause/approval.h"
#include "spec/load/load_int.h"
#include "tool/builtin.h"
#include "json/object.h"
#include "json/pointer.h"

/* The modes of a choice; `gate` is only for the schedule. */
static const char *const modes[] = {"auto", "any", "required", "none", "gate"};

/* Whether `name` could be a tool of one of the servers of the spec. */
static bool is_server_tool(const haft__loader *l, haft_str name)
{
    haft_str rest = name, server = haft__str_split(&rest, ':');
    haft__json servers = haft__object_object(l->spec->mcp, "servers");
    bool imported = haft__object_get(l->spec->mcp, "import").kind != HAFT__JSON_NULL;
    return server.len < name.len && (imported || haft__json_get(servers, server) != NULL);
}

/* The mode that was probably meant by the name of an unknown tool in a choice. */
static haft_str nearest_mode(haft_str name, size_t mode_count)
{
    haft__suggestion near;
    haft__suggestion_init(&near, name);
    for (size_t i = 0; i < mode_count; i++) {
        haft__suggestion_offer(&near, haft__str(modes[i]));
    }
    return near.best;
}

static void suggest(haft__loader *l, haft__spec_problem *problem, haft_str name, size_t mode_count)
{
    haft_str near = haft__tools_nearest(&l->spec->tools, name);
    near = near.ptr != NULL ? near : nearest_mode(name, mode_count);
    bool server = name.len > 0 && memchr(name.ptr, ':', name.len) != NULL;
    if (haft__builtin_find(name) != NULL) {
        haft__loader_hint(l, problem, "it is a built-in: add it to builtins.enabled");
    } else if (near.ptr != NULL) {
        haft__loader_hint(l, problem, "did you mean %.*s?", HAFT__ARG(near));
    } else if (server) {
        haft__loader_hint(l, problem, "the part before the : is a server of mcp.servers");
    } else {
        haft__loader_hint(l, problem, "tools are listed in tools and builtins");
    }
}

/* Collects the names of all entries, including invalid tools, which other checks report. */
static void collect_names(haft__loader *l, haft__map *declared)
{
    haft__json entries = haft__object_array(l->source, "tools");
    haft__map_init(declared, l->arena, l->options->hash_key);
    for (uint32_t i = 0; i < entries.count && l->status == HAFT_OK; i++) {
        haft_str name = haft__object_string(entries.items[i], "name");
        (void)haft__loader_failed(l, haft__map_put(declared, name, l, NULL));
    }
}

/* Reports an unknown tool. In a choice, a mode may be written in place of a tool; the first
 * `mode_count` modes are suggested. */
static void check_name(haft__loader *l, const haft__map *declared, haft_str name, haft_str pointer,
                       size_t mode_count)
{
    if (name.len == 0 || haft__tools_find(&l->spec->tools, name) != NULL
        || haft__map_get(declared, name) != NULL || is_server_tool(l, name)) {
        return;
    }
    haft__spec_problem *problem = haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE,
                                                     "there is no tool \"%.*s\"", HAFT__ARG(name));
    suggest(l, problem, name, mode_count);
}

const haft__tool *haft__loader_check_tool_name(haft__loader *l, haft_str name, haft_str pointer)
{
    haft__map declared;
    collect_names(l, &declared);
    check_name(l, &declared, name, pointer, 0);
    return haft__tools_find(&l->spec->tools, name);
}

/* The location of the tool's name in a choice, which has several forms. */
static haft_str name_pointer(haft__loader *l, haft__json choice, haft_str pointer)
{
    static const char *const keys[] = {"tool", "name", "function/name"};
    for (size_t i = 0; choice.kind == HAFT__JSON_OBJECT && i < COUNT(keys); i++) {
        haft_str path = haft__loader_pointer(l, "/%s", keys[i]);
        const haft__json *name = haft__pointer_get(&choice, path);
        if (name != NULL && haft__json_text(*name).len > 0) {
            return haft__loader_pointer(l, "%.*s/%s", HAFT__ARG(pointer), keys[i]);
        }
    }
    return pointer;
}

static void check_choice(haft__loader *l, const haft__map *declared)
{
    const haft__choice_spec *choice = &l->spec->choice;
    haft__json source = haft__object_object(l->source, "choice");
    haft__json schedule = haft__object_array(source, "schedule");
    for (size_t i = 0; i < choice->schedule_count; i++) {
        haft_str pointer = haft__loader_pointer(l, "/choice/schedule/%zu", i);
        check_name(l, declared, choice->schedule[i].tool,
                   name_pointer(l, schedule.items[i], pointer), COUNT(modes));
    }
    check_name(l, declared, choice->default_choice.tool,
               name_pointer(l, haft__object_get(source, "default"), HAFT__LIT("/choice/default")),
               COUNT(modes) - 1);
}

static void check_phases(haft__loader *l, const haft__map *declared)
{
    for (size_t i = 0; i < l->spec->phase_count; i++) {
        const haft__phase *phase = &l->spec->phases[i];
        for (size_t j = 0; j < phase->tool_count; j++) {
            check_name(l, declared, phase->tools[j],
                       haft__loader_pointer(l, "/phases/%zu/tools/%zu", i, j), 0);
        }
    }
}

static bool has_servers(const haft__loader *l)
{
    return haft__object_object(l->spec->mcp, "servers").count > 0
           || haft__object_get(l->spec->mcp, "import").kind != HAFT__JSON_NULL;
}

/* Whether the pattern matches a known tool, or may match a tool of a server. */
static bool matches_something(const haft__loader *l, haft_str pattern)
{
    for (size_t i = 0; i < l->spec->tools.count; i++) {
        const haft__tool *tool = l->spec->tools.items[i];
        if (!tool->reducer && haft__filter_matches(pattern, tool->name)) {
            return true;
        }
    }
    return has_servers(l)
           && (pattern.ptr[0] == '*' || memchr(pattern.ptr, ':', pattern.len) != NULL);
}

/* Warns about a rule with traits that no tool has. Without a warning if the spec has servers, whose
 * tools may have any traits. */
static void check_approval_traits(haft__loader *l, const haft__approval_rule *rule, size_t at)
{
    bool matches = rule->tool_count > 0 || rule->trait_count == 0 || has_servers(l);
    for (size_t i = 0; i < l->spec->tools.count && !matches; i++) {
        matches = haft__approval_matches(rule, l->spec->tools.items[i]);
    }
    if (!matches) {
        (void)haft__loader_warning(l, haft__loader_pointer(l, "/approvals/%zu/traits", at),
                                   HAFT__SUBJECT_VALUE, "no tool has %s",
                                   rule->trait_count == 1 ? "this trait" : "one of these traits");
    }
}

static void check_approvals(haft__loader *l, const haft__map *declared)
{
    for (size_t i = 0; i < l->spec->approval_count; i++) {
        const haft__approval_rule *rule = &l->spec->approvals[i];
        check_approval_traits(l, rule, i);
        for (size_t j = 0; j < rule->tool_count; j++) {
            haft_str pattern = rule->tools[j];
            haft_str pointer = haft__loader_pointer(l, "/approvals/%zu/tools/%zu", i, j);
            const haft__tool *tool = haft__tools_find(&l->spec->tools, pattern);
            if (tool != NULL && tool->reducer) {
                (void)haft__loader_warning(l, pointer, HAFT__SUBJECT_VALUE,
                                           "a reducer is a part of a step and needs no approval");
            } else if (pattern.len > 0 && memchr(pattern.ptr, '*', pattern.len) == NULL) {
                check_name(l, declared, pattern, pointer, 0);
            } else if (pattern.len > 0 && !matches_something(l, pattern)) {
                (void)haft__loader_warning(l, pointer, HAFT__SUBJECT_VALUE,
                                           "no tool matches \"%.*s\"", HAFT__ARG(pattern));
            }
        }
    }
}

static void check_spared(haft__loader *l)
{
    const haft__context_spec *context = &l->spec->context;
    for (size_t i = 0; i < context->spare_count; i++) {
        haft_str pattern = context->spare[i];
        if (pattern.len > 0 && !matches_something(l, pattern)) {
            (void)haft__loader_warning(l, haft__loader_pointer(l, "/context/clear/spare/%zu", i),
                                       HAFT__SUBJECT_VALUE, "no tool matches \"%.*s\"",
                                       HAFT__ARG(pattern));
        }
    }
}

static void check_builtin_patterns(haft__loader *l, const haft_str *patterns, size_t count,
                                   const char *key)
{
    size_t builtin_count;
    const haft__builtin *builtins = haft__builtins(&builtin_count);
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        for (size_t j = 0; j < builtin_count && !found; j++) {
            found = haft__filter_matches(patterns[i], haft__str(builtins[j].name));
        }
        if (!found) {
            (void)haft__loader_warning(l, haft__loader_pointer(l, "/builtins/%s/%zu", key, i),
                                       HAFT__SUBJECT_VALUE, "no built-in tool matches \"%.*s\"",
                                       HAFT__ARG(patterns[i]));
        }
    }
}

/* Whether a pattern can match a tool of this server, whose name starts with "server:". */
static bool can_match(haft_str pattern, haft_str server)
{
    haft_str rest = pattern, front = haft__str_split(&rest, ':');
    if (front.len < pattern.len) {
        return haft__filter_matches(front, server);
    }
    front = haft__str_split(&front, '*'); /* the text before the first star */
    return front.len < pattern.len && haft__str_starts_with(server, front);
}

/* Reports a denial without effect as an error, because it would silently allow the tool. */
static void refuse_denial(haft__loader *l, haft_str pattern, haft_str pointer)
{
    haft__spec_problem *problem = haft__loader_error(
        l, pointer, HAFT__SUBJECT_VALUE, "\"%.*s\" denies nothing: tools are named SERVER:TOOL",
        HAFT__ARG(pattern));
    bool server = haft__json_get(haft__object_object(l->spec->mcp, "servers"), pattern) != NULL;
    haft_str whole = server ? pattern : HAFT__LIT("SERVER");
    haft__loader_hint(l, problem,
                      "for all tools of %s, write \"%.*s:*\"; for those that match in any server, "
                      "\"*:%.*s\"",
                      server ? "the server" : "a server", HAFT__ARG(whole), HAFT__ARG(pattern));
}

/* Checks a pattern for tools of servers. The servers of an imported file are not known here. */
static void check_server_pattern(haft__loader *l, haft_str pattern, haft_str pointer, bool denies)
{
    haft__json servers = haft__object_object(l->spec->mcp, "servers");
    bool whole = pattern.len > 0 && memchr(pattern.ptr, ':', pattern.len) != NULL;
    bool star = pattern.len > 0 && memchr(pattern.ptr, '*', pattern.len) != NULL;
    bool found =
        (whole || star) && haft__object_get(l->spec->mcp, "import").kind != HAFT__JSON_NULL;
    for (uint32_t i = 0; i < servers.count && !found; i++) {
        found = can_match(pattern, haft__json_text(servers.members[i].key));
    }
    if (found || pattern.len == 0) {
        return;
    }
    if (denies && !whole) {
        refuse_denial(l, pattern, pointer);
        return;
    }
    if (!whole && !star) {
        haft__spec_problem *problem = haft__loader_warning(
            l, pointer, HAFT__SUBJECT_VALUE,
            "\"%.*s\" matches no tool: tools are named SERVER:TOOL", HAFT__ARG(pattern));
        bool server = haft__json_get(servers, pattern) != NULL;
        haft__loader_hint(l, problem, "for all tools of %s, write \"%.*s:*\"",
                          server ? "the server" : "a server", HAFT__ARG(pattern));
        return;
    }
    haft__spec_problem *problem =
        haft__loader_warning(l, pointer, HAFT__SUBJECT_VALUE,
                             "no server of the spec matches \"%.*s\"", HAFT__ARG(pattern));
    haft__loader_hint(l, problem, "the part before the : is a server of mcp.servers");
}

static void check_server_patterns(haft__loader *l, const char *key, bool deny)
{
    haft__json patterns = haft__object_array(l->spec->mcp, key);
    for (uint32_t i = 0; i < patterns.count; i++) {
        check_server_pattern(l, haft__json_text(patterns.items[i]),
                             haft__loader_pointer(l, "/mcp/%s/%u", key, i), deny);
    }
}

void haft__loader_check_names(haft__loader *l)
{
    const haft__spec *spec = l->spec;
    haft__map declared;
    if (!haft__loader_keys_are_valid(l, "tools builtins enabled_builtins mcp")) {
        return; /* invalid tools would be missing here */
    }
    collect_names(l, &declared);
    size_t before = l->problems.errors;
    if (haft__loader_keys_are_valid(l, "choice")) {
        check_choice(l, &declared);
    }
    if (haft__loader_keys_are_valid(l, "phases")) {
        check_phases(l, &declared);
    }
    if (haft__loader_keys_are_valid(l, "approvals")) {
        check_approvals(l, &declared);
    }
    if (haft__loader_keys_are_valid(l, "middleware")) {
        haft__loader_check_middleware(l);
    }
    if (haft__loader_keys_are_valid(l, "context")) {
        check_spared(l);
    }
    check_builtin_patterns(l, spec->builtin_allow, spec->builtin_allow_count, "allow");
    check_builtin_patterns(l, spec->builtin_deny, spec->builtin_deny_count, "deny");
    check_server_patterns(l, "allow", false);
    check_server_patterns(l, "deny", true);
    l->broken |= l->problems.errors > before;
}
