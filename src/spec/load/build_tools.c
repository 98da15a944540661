/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_tools.c - adds the tools of a spec to its registry, in order: built-ins, tools with a
 * schema or with `args`, and functions of the program. Tests: tests/spec/load/build_tools_test.c.
 */
#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "run/offer/resolve.h"
#include "spec/load/build_int.h"
#include "tool/args.h"
#include "tool/builtin.h"
#include "tool/traits.h"
#include "json/object.h"
#include "json/write.h"

/* ---- problems ---- */

/* Reports an error of src/tool. The location of the problem is the pointer after the '#' in the
 * error, or else the whole tool. */
static void report(haft__loader *l, haft_str pointer, const haft_error *err, haft_status status)
{
    if (haft__loader_failed(l, status)) {
        return;
    }
    haft_str where = haft__str(err->where), inner = where;
    (void)haft__str_split(&inner, '#');
    bool has_pointer = inner.len > 0 || haft__str_ends_with(where, HAFT__LIT("#"));
    haft_str part = has_pointer ? inner : where;
    if (part.len > 0 && part.ptr[0] != '/') {
        part = HAFT__LIT("");
    }
    haft__spec_problem *problem = haft__loader_error(
        l, haft__loader_pointer(l, "%.*s%.*s", HAFT__ARG(pointer), HAFT__ARG(part)),
        HAFT__SUBJECT_VALUE, "%s", err->message);
    if (err->hint[0] != '\0') {
        haft__loader_hint(l, problem, "%s", err->hint);
    }
}

void haft__loader_add_tool(haft__loader *l, const haft__tool *tool, haft_str pointer)
{
    haft_error err = {.status = HAFT_OK};
    if (haft__spec_own_tools(l->spec, &l->spec->tools) >= HAFT__LIMIT_SPEC_TOOLS) {
        (void)haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE, "the spec has more than %d tools",
                                 HAFT__LIMIT_SPEC_TOOLS);
        return;
    }
    haft__tool added = *tool;
    haft__loader_apply_middleware(l, &added);
    haft_status status = haft__tools_add(&l->spec->tools, &added, &err);
    if (status != HAFT_OK) {
        report(l, pointer, &err, status);
    }
}

static void report_duplicate_tool(haft__loader *l, haft_str name, haft_str pointer)
{
    haft__spec_problem *problem = haft__loader_error(
        l, pointer, HAFT__SUBJECT_VALUE, "two tools have the name \"%.*s\"", HAFT__ARG(name));
    haft__loader_hint(l, problem, "rename one of the two");
}

/* ---- built-ins ---- */

static void add_builtins(haft__loader *l, haft__json names, haft_str outer)
{
    for (uint32_t i = 0; i < names.count && l->status == HAFT_OK; i++) {
        haft_str name = haft__json_text(names.items[i]);
        haft__tool tool;
        haft_error err = {.status = HAFT_OK};
        const haft__tool *known = haft__tools_find(&l->spec->tools, name);
        if (haft__builtin_find(name) == NULL
            || (known != NULL && known->source == HAFT__TOOL_BUILTIN)) {
            continue; /* invalid (reported by the schema), or already enabled (allowed) */
        }
        haft_str pointer = haft__loader_pointer(l, "%.*s/%u", HAFT__ARG(outer), i);
        if (known != NULL) {
            report_duplicate_tool(l, name, pointer);
            continue;
        }
        haft_status status = haft__builtin_tool(l->arena, name, &tool, &err);
        if (status == HAFT_OK) {
            haft__loader_name_databases(l, &tool);
            haft__loader_add_tool(l, &tool, pointer);
        } else {
            report(l, pointer, &err, status);
        }
    }
}

/* ---- one tool ---- */

static const struct {
    const char *key;
    haft__tool_source source;
} sources[] = {
    {"command", HAFT__TOOL_COMMAND},   {"http", HAFT__TOOL_HTTP},
    {"agent", HAFT__TOOL_AGENT},       {"provider", HAFT__TOOL_PROVIDER},
    {"headless", HAFT__TOOL_HEADLESS},
};

static bool is_function(const haft__loader *l, haft_str name)
{
    for (size_t i = 0; i < l->options->function_count; i++) {
        if (haft__str_equal(l->options->functions[i]->name, name)) {
            return true;
        }
    }
    return false;
}

/* Finds the source of the tool. `headless: false` has no effect. */
static haft__tool_source find_source(haft__loader *l, haft__json entry, haft_str pointer)
{
    const char *found = NULL;
    haft__tool_source source = HAFT__TOOL_HEADLESS;
    for (size_t i = 0; i < COUNT(sources); i++) {
        haft__json value = haft__object_get(entry, sources[i].key);
        if (value.kind == HAFT__JSON_NULL || value.kind == HAFT__JSON_FALSE) {
            continue;
        }
        if (found != NULL) {
            haft__spec_problem *problem = haft__loader_error(
                l, haft__loader_pointer(l, "%.*s/%s", HAFT__ARG(pointer), sources[i].key),
                HAFT__SUBJECT_KEY, "the tool has both \"%s\" and \"%s\"", found, sources[i].key);
            haft__loader_hint(l, problem, "a tool has one implementation; make two tools");
            continue;
        }
        found = sources[i].key;
        source = sources[i].source;
    }
    if (found == NULL && !is_function(l, haft__object_string(entry, "name"))) {
        haft__spec_problem *problem =
            haft__loader_warning(l, pointer, HAFT__SUBJECT_VALUE,
                                 "\"%.*s\" has no implementation: its calls wait for an answer",
                                 HAFT__ARG(haft__object_string(entry, "name")));
        haft__loader_hint(l, problem, "give it a command or http, or write headless: true");
    }
    return source;
}

/* Reads `args` or `input_schema`. Returns false if both are unusable. */
static bool read_arguments(haft__loader *l, haft__json entry, haft__tool *tool, haft_str pointer)
{
    haft__json args = haft__object_get(entry, "args");
    haft__json schema = haft__object_get(entry, "input_schema");
    haft_error err = {.status = HAFT_OK};
    if (schema.kind == HAFT__JSON_OBJECT) {
        if (args.kind == HAFT__JSON_ARRAY) {
            haft__spec_problem *problem = haft__loader_error(
                l, haft__loader_pointer(l, "%.*s/args", HAFT__ARG(pointer)), HAFT__SUBJECT_KEY,
                "the tool has both \"args\" and \"input_schema\"");
            haft__loader_hint(l, problem, "args is the short form; keep input_schema");
        }
        tool->typed = true;
        tool->input_schema = schema;
        return true;
    }
    if (tool->source == HAFT__TOOL_AGENT && args.kind == HAFT__JSON_NULL) {
        haft__json *task = haft__loader_alloc(l, 1, sizeof(*task)); /* the schema refers to it */
        if (task == NULL) {
            return false;
        }
        *task = haft__json_string(HAFT__LIT("task"));
        args = haft__json_array(task, 1);
    }
    haft_status status = haft__args_schema(l->arena, args, &tool->input_schema, &err);
    if (status != HAFT_OK && !haft__loader_keys_are_valid(l, "tools")) {
        return false; /* the schema reports this */
    }
    if (status != HAFT_OK) {
        report(l, haft__loader_pointer(l, "%.*s/args", HAFT__ARG(pointer)), &err, status);
    }
    return status == HAFT_OK;
}

static bool read_traits(haft__loader *l, haft__json entry, haft__tool *tool, haft_str pointer)
{
    haft__json traits = haft__object_get(entry, "traits");
    haft_error err = {.status = HAFT_OK};
    haft__traits_init(&tool->traits);
    if (traits.kind != HAFT__JSON_OBJECT) {
        return true;
    }
    tool->traits_given = true;
    haft_status status = haft__traits_read(traits, &tool->traits, &err);
    if (status != HAFT_OK && haft__loader_keys_are_valid(l, "tools spec")) {
        report(l, haft__loader_pointer(l, "%.*s/traits", HAFT__ARG(pointer)), &err, status);
    }
    return status == HAFT_OK;
}

/* Reports a name of a built-in tool. A spec may reuse only the names of built-in data tools,
 * because the names of other built-ins have a meaning in the policy. */
static bool name_is_free(haft__loader *l, haft_str name, haft_str pointer)
{
    const haft__builtin *builtin = haft__builtin_find(name);
    haft_str at = haft__loader_pointer(l, "%.*s/name", HAFT__ARG(pointer));
    haft_error err = {.status = HAFT_OK};
    if (haft__tool_name_check(name, &err) != HAFT_OK) {
        err.where[0] = '\0';
        report(l, at, &err, HAFT_BAD_INPUT);
        return false;
    }
    if (haft__tools_find(&l->spec->tools, name) != NULL) {
        report_duplicate_tool(l, name, at);
        return false;
    }
    if (builtin == NULL || builtin->role == HAFT__ROLE_DATA) {
        return true;
    }
    haft__spec_problem *problem =
        haft__loader_error(l, at, HAFT__SUBJECT_VALUE,
                           "the name \"%.*s\" is the name of a built-in tool", HAFT__ARG(name));
    haft__loader_hint(l, problem,
                      "enable the built-in with - builtin: [%.*s], or choose another name",
                      HAFT__ARG(name));
    return false;
}

/* Checks that the tool has a description. A tool of an agent may use the description of the
 * agent. */
static bool has_description(haft__loader *l, haft__json entry, haft__tool *tool, haft_str pointer)
{
    const haft__spec *agent = haft__loader_agent_of(l, entry);
    if (tool->source == HAFT__TOOL_PROVIDER && tool->description.len == 0) {
        tool->description = HAFT__LIT("Runs at the provider."); /* the provider describes its own
                                                                 * tools */
    }
    if (tool->description.len > 0) {
        return true;
    }
    if (agent != NULL && agent->description.len > 0) {
        tool->description = agent->description;
        return true;
    }
    if (agent != NULL) {
        haft__spec_problem *problem = haft__loader_error(
            l, pointer, HAFT__SUBJECT_VALUE,
            "the tool \"%.*s\" has no description, and its agent has none", HAFT__ARG(tool->name));
        haft__loader_hint(l, problem, "say in one sentence what the agent does and returns");
    } else if (haft__object_get(l->raw, "spec").kind != HAFT__JSON_NULL) {
        haft__spec_problem *problem =
            haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE,
                               "the tool \"%.*s\" has no description", HAFT__ARG(tool->name));
        haft__loader_hint(l, problem, "write it here or in the planner's tool_descriptions");
    }
    return false; /* an error of the schema or of the agent is already reported */
}

static void add_tool(haft__loader *l, haft__json entry, haft_str pointer)
{
    haft__tool tool = {.name = haft__object_string(entry, "name"),
                       .description = haft__object_string(entry, "description"),
                       .output_schema = haft__object_get(entry, "output_schema"),
                       .role = HAFT__ROLE_DATA,
                       .definition = entry};
    if (tool.name.len == 0) {
        return; /* the schema reports this */
    }
    tool.source = find_source(l, entry, pointer);
    if (!has_description(l, entry, &tool, pointer)) {
        return;
    }
    bool free_name = name_is_free(l, tool.name, pointer);
    bool arguments = read_arguments(l, entry, &tool, pointer);
    if (read_traits(l, entry, &tool, pointer) && arguments && free_name) {
        haft__loader_add_tool(l, &tool, pointer);
        if (tool.source == HAFT__TOOL_AGENT) {
            haft__loader_add_agent_tool(l, entry, &tool, pointer);
        }
    }
}

/* ---- all ---- */

/* Measures the size of the spec's own tools in a request, without built-ins. If the size is too
 * large, these tools are deferred. */
static void measure_tools(haft__loader *l)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    for (size_t i = 0; i < l->spec->tools.count; i++) {
        const haft__tool *tool = l->spec->tools.items[i];
        if (tool->source != HAFT__TOOL_BUILTIN && tool->source != HAFT__TOOL_PROVIDER) {
            haft__buf_clear(&text);
            haft__json_write(&text, tool->input_schema);
            l->spec->definition_bytes += tool->name.len + tool->description.len + text.len;
        }
    }
    (void)haft__loader_failed(l, haft__buf_check(&text, NULL));
    haft__buf_finish(&text);
}

/* Without a list of built-ins, tool_search is enabled if tools are deferred. */
static void enable_search(haft__loader *l)
{
    haft__json builtins = haft__object_object(l->source, "builtins");
    haft__json name = haft__json_string(HAFT__LIT(HAFT__TOOL_SEARCH));
    haft__json names = haft__json_array(&name, 1);
    if (haft__json_get(builtins, HAFT__LIT("enabled")) == NULL
        && haft__resolve_can_search(l->spec)) {
        add_builtins(l, names, HAFT__LIT("/builtins"));
    }
}

/* With read_result, the model can read results again that were cleared from its context. */
static void enable_read_result(haft__loader *l)
{
    const haft__context_spec *context = &l->spec->context;
    haft__json name = haft__json_string(HAFT__LIT(HAFT__READ_RESULT));
    if (context->given && (context->clear || context->summarise)
        && l->spec->kind != HAFT__SPEC_GRAPH) {
        add_builtins(l, haft__json_array(&name, 1), HAFT__LIT("/context"));
    }
}

static void enable_todos(haft__loader *l)
{
    haft__json name = haft__json_string(HAFT__LIT(HAFT__WRITE_TODOS));
    if (haft__loader_has_middleware(l, HAFT__MIDDLEWARE_TODO_LIST)
        && l->spec->kind != HAFT__SPEC_GRAPH) {
        add_builtins(l, haft__json_array(&name, 1), HAFT__LIT("/middleware"));
    }
}

void haft__loader_build_tools(haft__loader *l)
{
    haft__json entries = haft__object_array(l->source, "tools");
    haft__json enabled = haft__object_array(haft__object_object(l->source, "builtins"), "enabled");
    size_t before = l->problems.errors;
    haft__tools_init(&l->spec->tools, l->arena, l->options->hash_key);
    l->spec->agent_tools = l->agent_tools = haft__loader_alloc(
        l, entries.count + haft__loader_count_node_tools(l), sizeof(*l->agent_tools));
    for (uint32_t i = 0; i < entries.count && l->status == HAFT_OK; i++) {
        haft_str pointer = haft__loader_pointer(l, "/tools/%u", i);
        haft__json builtin = haft__object_get(entries.items[i], "builtin");
        if (builtin.kind == HAFT__JSON_ARRAY) {
            add_builtins(l, builtin, haft__loader_pointer(l, "/tools/%u/builtin", i));
        } else if (entries.items[i].kind == HAFT__JSON_OBJECT) {
            add_tool(l, entries.items[i], pointer);
        }
    }
    add_builtins(l, enabled, HAFT__LIT("/builtins/enabled"));
    enable_todos(l);
    for (size_t i = 0; i < l->options->function_count && l->status == HAFT_OK; i++) {
        haft__loader_add_tool(l, l->options->functions[i], HAFT__LIT("/tools"));
    }
    haft__loader_add_handoffs(l);
    haft__loader_add_node_tools(l);
    measure_tools(l);
    haft__loader_add_skills(l); /* they are deferred, whatever the size of the other tools */
    enable_search(l);
    enable_read_result(l);
    l->broken |= l->problems.errors > before;
}
