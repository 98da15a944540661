/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_support.c - parts of a spec that this version cannot run, keys that have no effect where
 * they stand, and programs that do not exist here. Tests: tests/spec/load/check_support_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "spec/load/load_int.h"
#include "json/object.h"

/* ---- not in this version ---- */

static void check_version(haft__loader *l)
{
    if (l->spec->kind == HAFT__SPEC_GRAPH && l->spec->graph.kind != HAFT__JSON_NULL
        && haft__loader_keys_are_valid(l, "kind graph")) {
        haft__spec_problem *problem = haft__loader_error(l, HAFT__LIT("/kind"), HAFT__SUBJECT_VALUE,
                                                         "graphs do not run in this version");
        haft__loader_hint(l, problem, "use kind: agent or kind: workflow");
    }
    if (haft__object_object(l->source, "databases").count > 0) {
        haft__spec_problem *problem =
            haft__loader_error(l, HAFT__LIT("/databases"), HAFT__SUBJECT_KEY,
                               "databases cannot be queried in this version");
        haft__loader_hint(l, problem, "leave it out, and query the database with a command");
    }
}

/* ---- keys without effect ---- */

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

static bool is_local_model(haft_str provider)
{
    static const char *const names[] = {"script", "replay", "offline"};
    for (size_t i = 0; i < COUNT(names); i++) {
        if (haft__str_equal(provider, haft__str(names[i]))) {
            return true;
        }
    }
    return false;
}

static void check_model_keys(haft__loader *l)
{
    if (is_local_model(l->spec->model.provider)) {
        warn_idle_keys(l, haft__object_get(l->source, "model"), HAFT__LIT("/model"),
                       "base_url api_key api_key_env options constraint",
                       "this provider asks no server");
    }
}

static void check_server_keys(haft__loader *l)
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

/* ---- programs ---- */

/* The PATH of a tool: its own, if its value is known. False if it is not. */
static bool find_path(const haft__loader *l, haft__json tool, haft_str *ret_path)
{
    const haft__spec_env *env = &l->options->env;
    haft__json own = haft__object_get(haft__object_object(tool, "env"), "PATH");
    if (own.kind == HAFT__JSON_STRING) {
        *ret_path = haft__json_text(own);
        return memchr(ret_path->ptr, '$', ret_path->len) == NULL;
    }
    *ret_path = env->get != NULL ? env->get(env->context, HAFT__LIT("PATH")) : (haft_str){NULL, 0};
    return true;
}

static void check_program(haft__loader *l, haft__json tool, haft_str pointer)
{
    haft__json command = haft__object_array(tool, "command");
    haft_str path = {NULL, 0};
    if (command.count == 0 || l->options->find_program == NULL || !find_path(l, tool, &path)) {
        return;
    }
    haft_str program = haft__json_text(command.items[0]);
    haft__program_state state = l->options->find_program(l->options->path, program, path);
    if (state == HAFT__PROGRAM_FOUND) {
        return;
    }
    bool missing = state == HAFT__PROGRAM_MISSING;
    haft__spec_problem *problem =
        haft__loader_warning(l, haft__loader_pointer(l, "%.*s/command/0", HAFT__ARG(pointer)),
                             HAFT__SUBJECT_VALUE, "the program '%.*s' %s here", HAFT__ARG(program),
                             missing ? "does not exist" : "is not executable");
    haft__loader_hint(l, problem,
                      missing ? "install it, or write its path relative to the spec"
                              : "make it executable: chmod +x");
}

static void check_tool_entries(haft__loader *l)
{
    haft__json tools = haft__object_array(l->source, "tools");
    for (uint32_t i = 0; i < tools.count; i++) {
        haft_str at = haft__loader_pointer(l, "/tools/%u", i);
        if (!has(tools.items[i], "command")) {
            warn_idle_keys(l, tools.items[i], at, "stdin env", "the tool has no command");
        }
        warn_idle_keys(l, tools.items[i], at, "provider",
                       "tools of a provider are not sent in this version");
        check_program(l, tools.items[i], at);
    }
}

void haft__loader_check_support(haft__loader *l)
{
    if (l->options->kept) { /* a run that has begun is read, whatever can run now */
        return;
    }
    check_version(l);
    check_model_keys(l);
    check_server_keys(l);
    check_tool_entries(l);
}
