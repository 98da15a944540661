/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_support.c - finds parts of a spec that have no effect, and directories, programs and models
 * that cannot be used on this machine. Tests: tests/spec/load/check_support_test.c,
 * tests/cli/check_test.py.
 */
#include "base/limits.h"
#include "base/str.h"
#include "model/model_rules.h"
#include "model/provider_tool.h"
#include "run/offer/offer.h"
#include "spec/load/load_int.h"
#include "tool/command_words.h"
#include "tool/template.h"
#include "json/object.h"

/* ---- directories ---- */

/* Whether the directory exists. Warns if it does not exist. */
static bool check_directory(haft__loader *l, haft_str path, haft_str pointer)
{
    if (path.len == 0 || l->options->has_directory == NULL
        || l->options->has_directory(l->options->path, path)) {
        return true;
    }
    haft__spec_problem *problem = haft__loader_warning(
        l, pointer, HAFT__SUBJECT_VALUE, "there is no directory '%.*s' here", HAFT__ARG(path));
    haft__loader_hint(l, problem, "create it, or write its path relative to the spec");
    return false;
}

/* Checks the root of the built-ins, and the roots of path arguments of commands. */
static void check_roots(haft__loader *l)
{
    haft__json tools = haft__object_array(l->source, "tools");
    (void)check_directory(l, haft__object_string(l->source, "root"), HAFT__LIT("/root"));
    for (uint32_t i = 0; i < tools.count; i++) {
        haft__json roots = haft__object_object(tools.items[i], "root");
        haft_str at = haft__loader_pointer(l, "/tools/%u/root", i);
        for (uint32_t k = 0; k < roots.count; k++) {
            (void)check_directory(
                l, haft__json_text(roots.members[k].value),
                haft__loader_pointer_to_key(l, at, haft__json_text(roots.members[k].key)));
        }
    }
}

/* ---- programs ---- */

/* Finds the PATH of a tool or server. Returns false if its value is not known. */
static bool find_path(const haft__loader *l, haft__json owner, haft_str *ret_path)
{
    const haft__spec_env *env = &l->options->env;
    haft__json own = haft__object_get(haft__object_object(owner, "env"), "PATH");
    if (own.kind == HAFT__JSON_STRING) {
        *ret_path = haft__json_text(own);
        return memchr(ret_path->ptr, '$', ret_path->len) == NULL;
    }
    *ret_path = env->get != NULL ? env->get(env->context, HAFT__LIT("PATH")) : (haft_str){NULL, 0};
    return true;
}

/* The path of a program. A relative path is relative to the working directory of its server. */
static haft_str program_path(haft__loader *l, haft_str program, haft_str cwd)
{
    bool relative =
        program.len > 0 && program.ptr[0] != '/' && memchr(program.ptr, '/', program.len) != NULL;
    return relative && cwd.len > 0
               ? haft__loader_pointer(l, "%.*s/%.*s", HAFT__ARG(cwd), HAFT__ARG(program))
               : program;
}

/* Checks that a program exists. `owner` is a tool or a server. A name with a variable is not
 * checked, because its value may differ when the program starts. */
static void check_program(haft__loader *l, haft__json owner, haft_str program, haft_str pointer)
{
    haft_str path = {NULL, 0};
    haft_str file = program_path(l, program, haft__object_string(owner, "cwd"));
    if (program.len == 0) {
        haft__spec_problem *problem =
            haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE, "the program has no name");
        haft__loader_hint(l, problem, "the first word of a command is the program");
        return;
    }
    if (l->options->find_program == NULL || !find_path(l, owner, &path)
        || memchr(file.ptr, '$', file.len) != NULL) {
        return;
    }
    haft__program_state state = l->options->find_program(l->options->path, file, path);
    if (state == HAFT__PROGRAM_FOUND) {
        return;
    }
    bool missing = state == HAFT__PROGRAM_MISSING;
    haft__spec_problem *problem =
        haft__loader_warning(l, pointer, HAFT__SUBJECT_VALUE, "the program '%.*s' %s here",
                             HAFT__ARG(program), missing ? "does not exist" : "is not executable");
    haft__loader_hint(l, problem,
                      missing ? "install it, or write its path relative to the spec"
                              : "make it executable: chmod +x");
}

/* Whether the model chooses a part of the text. check_command.c reports a program that the model
 * chooses. */
static bool has_placeholder(haft_str text)
{
    haft__template_piece piece;
    while (haft__template_next(&text, &piece)) {
        if (piece.name.ptr != NULL) {
            return true;
        }
    }
    return false;
}

/* Checks each program of a command: the first word, and programs that a launcher such as `timeout`
 * starts. */
static void check_command(haft__loader *l, haft__json tool, haft__json command, haft_str pointer)
{
    haft__command_words read;
    haft_error err;
    haft__json properties = haft__json_null(); /* without arguments: only words of the spec are
                                                * checked */
    if (haft__loader_failed(l,
                            haft__command_words_read(l->arena, command, properties, &read, &err))) {
        return;
    }
    for (size_t i = 0; i < read.count; i++) {
        const haft__command_word *word = &read.items[i];
        if (word->local && !has_placeholder(word->text)) {
            check_program(l, tool, word->text,
                          haft__loader_pointer(l, "%.*s/%zu", HAFT__ARG(pointer), i));
        }
    }
}

static void check_tool_programs(haft__loader *l)
{
    haft__json tools = haft__object_array(l->source, "tools");
    for (uint32_t i = 0; i < tools.count; i++) {
        haft__json command = haft__object_array(tools.items[i], "command");
        if (command.count > 0) {
            check_command(l, tools.items[i], command,
                          haft__loader_pointer(l, "/tools/%u/command", i));
        }
    }
}

/* Checks the program of a server. If the working directory does not exist, or contains a variable,
 * the program is not checked. */
static void check_server(haft__loader *l, haft__json server, haft_str pointer)
{
    haft__json command = haft__object_get(server, "command");
    bool list = command.kind == HAFT__JSON_ARRAY;
    haft__json program = list && command.count > 0 ? command.items[0] : command;
    haft_str cwd = haft__object_string(server, "cwd");
    /* the location of an imported server is the import */
    bool imported = haft__json_get(server, HAFT__LIT("imported")) != NULL;
    if (program.kind != HAFT__JSON_STRING || !haft__object_flag(server, "enabled", true)) {
        return;
    }
    haft_str import = HAFT__LIT("/mcp/import"),
             cwd_at = haft__loader_pointer(l, "%.*s/cwd", HAFT__ARG(pointer)),
             program_at =
                 haft__loader_pointer(l, "%.*s/command%s", HAFT__ARG(pointer), list ? "/0" : "");
    bool variable = cwd.len > 0 && memchr(cwd.ptr, '$', cwd.len) != NULL;
    if (variable || check_directory(l, cwd, imported ? import : cwd_at)) {
        check_program(l, server, haft__json_text(program), imported ? import : program_at);
    }
}

static void check_servers(haft__loader *l)
{
    haft__json servers = haft__object_object(l->spec->mcp, "servers");
    for (uint32_t i = 0; i < servers.count && haft__loader_keys_are_valid(l, "mcp"); i++) {
        check_server(l, servers.members[i].value,
                     haft__loader_pointer_to_key(l, HAFT__LIT("/mcp/servers"),
                                                 haft__json_text(servers.members[i].key)));
    }
}

/* ---- tools that run at the provider ---- */

/* Another tool that the provider would know by the same name; of two that run there, the first. */
static const haft__tool *find_namesake(const haft__spec *spec, const haft__provider *provider,
                                       const haft__tool *hosted)
{
    bool before = true;
    for (size_t i = 0; i < spec->tools.count; i++) {
        const haft__tool *other = spec->tools.items[i];
        before = before && other != hosted;
        if (other != hosted && (before || other->source != HAFT__TOOL_PROVIDER)
            && haft__provider_tool_shares_name(provider, hosted, other)) {
            return other;
        }
    }
    return NULL;
}

static void check_names_at_provider(haft__loader *l, const haft__provider *provider,
                                    const haft__tool *tool, haft_str pointer)
{
    const haft__tool *other = find_namesake(l->spec, provider, tool);
    if (other == NULL) {
        return;
    }
    haft__spec_problem *problem = haft__loader_error(
        l, pointer, HAFT__SUBJECT_VALUE,
        "at the provider, this tool and \"%.*s\" have the same name", HAFT__ARG(other->name));
    if (other->source == HAFT__TOOL_PROVIDER) {
        haft__loader_hint(l, problem, "leave one of them out");
    } else {
        haft__loader_hint(l, problem, "give \"%.*s\" another name", HAFT__ARG(other->name));
    }
}

static void check_provider_tool(haft__loader *l, const haft__tool *tool, haft_str pointer)
{
    const haft__provider *provider = haft__provider_for_model(&l->spec->model);
    haft_str type = haft__provider_tool_type(tool);
    haft__spec_problem *problem = NULL;
    if (provider == NULL || haft__provider_tool_find(provider, type) == NULL) {
        haft__buf types;
        haft__buf_init(&types, HAFT__LIMIT_JSON_BYTES);
        if (provider != NULL) {
            haft__provider_tool_list(provider, &types);
        }
        problem = haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE,
                                     "the provider of the model runs no tool of the type \"%.*s\"",
                                     HAFT__ARG(type));
        haft__loader_hint(l, problem, types.len > 0 ? "it has: %.*s" : "it runs no tools%.*s",
                          HAFT__ARG(haft__buf_str(&types)));
        (void)haft__loader_failed(l, haft__buf_check(&types, NULL));
        haft__buf_finish(&types);
    } else if (!haft__offer_is_native(l->spec)) {
        problem = haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE,
                                     "a tool that runs at the provider needs native calls");
        haft__loader_hint(l, problem, "write formats: {enabled: [native]}");
    } else if (haft__resolve_is_named(l->spec, tool->name)) {
        problem = haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE,
                                     "choice or phases name \"%.*s\", which runs at the provider",
                                     HAFT__ARG(tool->name));
        haft__loader_hint(l, problem, "name only tools that haft runs");
    } else {
        check_names_at_provider(l, provider, tool, pointer);
    }
}

/* Checks the tools that run at the provider. Not for a script or a log, which can replace any
 * model. */
static void check_provider_tools(haft__loader *l)
{
    haft__json entries = haft__object_array(l->source, "tools");
    const haft__model_spec *model = &l->spec->model;
    bool stands_in = haft__provider_is_local(model) && model->provider.len > 0
                     && !haft__provider_is_offline(model);
    if (stands_in || !haft__loader_keys_are_valid(l, "model tools spec resources")) {
        return;
    }
    for (uint32_t i = 0; i < entries.count; i++) {
        const haft__tool *tool =
            haft__tools_find(&l->spec->tools, haft__object_string(entries.items[i], "name"));
        if (tool != NULL && tool->source == HAFT__TOOL_PROVIDER) {
            check_provider_tool(l, tool, haft__loader_pointer(l, "/tools/%u/provider", i));
        }
    }
}

/* ---- tools in Chat Completions ---- */

static bool may_declare_tools(const haft__spec *spec)
{
    return haft__offer_is_native(spec)
           && (spec->tools.count > 0 || haft__object_object(spec->mcp, "servers").count > 0);
}

/* Checks models of OpenAI. For some models, its API rejects requests with tools, or with tools and
 * reasoning, with status 400. */
static void check_chat_tools(haft__loader *l)
{
    const haft__model_spec *model = &l->spec->model;
    const haft__provider *provider = haft__provider_for_model(model);
    if (provider == NULL || !haft__loader_keys_are_valid(l, "model tools mcp spec resources")
        || !may_declare_tools(l->spec)) {
        return;
    }
    haft__chat_tools rule = haft__model_chat_tools(provider, model->model);
    haft_str effort = haft__object_string(model->options, "reasoning_effort");
    if (rule == HAFT__CHAT_TOOLS_NEVER) {
        haft__spec_problem *problem = haft__loader_error(
            l, HAFT__LIT("/model"), HAFT__SUBJECT_VALUE,
            "%.*s takes no tools in the Chat Completions API", HAFT__ARG(model->model));
        haft__loader_hint(l, problem, "the Responses API takes them: write openai:%.*s",
                          HAFT__ARG(model->model));
    } else if (rule == HAFT__CHAT_TOOLS_WITHOUT_REASONING && effort.len > 0
               && !haft__str_equal(effort, HAFT__LIT("none"))) {
        haft__spec_problem *problem = haft__loader_error(
            l, HAFT__LIT("/model/options/reasoning_effort"), HAFT__SUBJECT_VALUE,
            "%.*s takes tools in the Chat Completions API only without reasoning",
            HAFT__ARG(model->model));
        haft__loader_hint(l, problem, "the Responses API takes both: use the provider openai");
    }
}

/* ---- the model ---- */

static void check_model(haft__loader *l, bool embeddings, const char *pointer)
{
    haft_error err = {.status = HAFT_OK};
    haft_status status =
        l->options->check_model(l->options->model_context, l->arena, l->spec, embeddings, &err);
    if (status != HAFT_OK) {
        bool located = err.where[0] != '\0' && strcmp(err.where, "model") != 0;
        haft__spec_problem *problem = haft__loader_error(
            l, haft__str(pointer), HAFT__SUBJECT_VALUE, "no run can start here: %s%s%s",
            located ? err.where : "", located ? ": " : "", err.message);
        haft__loader_hint(l, problem, "%s", err.hint);
    }
}

static void check_models(haft__loader *l)
{
    if (l->options->check_model == NULL
        || !haft__loader_keys_are_valid(l, "model spec resources")) {
        return;
    }
    check_model(l, false, "/model");
    if (l->spec->embeddings.base_url.len > 0 && haft__loader_keys_are_valid(l, "tool_search")) {
        check_model(l, true, "/tool_search/embeddings");
    }
}

void haft__loader_check_support(haft__loader *l)
{
    if (l->options->kept) { /* a run that has begun must be readable on any machine */
        return;
    }
    haft__loader_check_idle_keys(l);
    haft__loader_check_idle_arguments(l);
    check_roots(l);
    check_tool_programs(l);
    check_servers(l);
    check_provider_tools(l);
    check_chat_tools(l);
    check_models(l);
}
