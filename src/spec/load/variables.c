/* SPDX-License-Identifier: Apache-2.0 */
/*
 * variables.c - ${VAR} in `env`, `headers`, `url` and `api_key`, and nowhere else.
 *
 * The loader only checks that every variable is set: the text in the spec, and so in its hash and
 * in logs, stays as it was written. The value is inserted where it is used. Tests:
 * tests/spec/load/variables_test.c.
 */
#include "base/ascii.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "spec/load/load_int.h"
#include "json/object.h"

#define OPEN "${"

static bool is_name(haft_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = haft__ascii_is_letter(c) || c == '_';
        if (!letter && (i == 0 || !haft__ascii_is_digit(c))) {
            return false;
        }
    }
    return name.len > 0;
}

/* The offset of the next ${, or the length. */
static size_t find_open(haft_str text)
{
    size_t at = 0;
    while (at < text.len && !haft__str_starts_with(haft__str_skip(text, at), HAFT__LIT(OPEN))) {
        at++;
    }
    return at;
}

/* Reads the variable at the start of *rest, after its ${, and moves *rest past the }. */
static haft_status take_variable(haft_str *rest, const haft__spec_env *env, haft_str *ret_value,
                                 haft_error *err)
{
    const char *end = rest->len > 0 ? memchr(rest->ptr, '}', rest->len) : NULL;
    haft_str inside = {rest->ptr, end != NULL ? (size_t)(end - rest->ptr) : 0};
    haft_str otherwise = inside, name = haft__str_split(&otherwise, ':');
    bool has_other = name.len < inside.len && haft__str_starts_with(otherwise, HAFT__LIT("-"));
    name = has_other ? name : inside;
    if (end == NULL || !is_name(name)) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, "", "found ${ without a variable name and }");
        return haft__hint(err, status, "write ${NAME}");
    }
    *rest = haft__str_skip(*rest, inside.len + 1);
    haft_str value = env->get != NULL ? env->get(env->context, name) : HAFT__LIT("");
    if (has_other && value.len == 0) {
        value = haft__str_skip(otherwise, 1);
    }
    if (value.ptr == NULL && !has_other) {
        haft_status status =
            haft__fail(err, HAFT_NOT_FOUND, "", "the variable %.*s is not set", HAFT__ARG(name));
        return haft__hint(err, status, "set it in the environment or in .env");
    }
    *ret_value = value;
    return HAFT_OK;
}

haft_status haft__spec_expand(haft__arena *arena, haft_str text, const haft__spec_env *env,
                              haft_str *ret_text, haft_error *err)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_SPEC_BYTES);
    haft_status status = HAFT_OK;
    haft_str rest = text;
    size_t plain = find_open(rest);
    if (plain == text.len) {
        *ret_text = text;
        return HAFT_OK;
    }
    while (status == HAFT_OK && rest.len > 0) {
        haft__buf_add(&buf, rest.ptr, plain);
        rest = haft__str_skip(rest, plain);
        if (rest.len > 0) {
            haft_str value = {NULL, 0};
            rest = haft__str_skip(rest, strlen(OPEN));
            status = take_variable(&rest, env, &value, err);
            haft__buf_add_str(&buf, value);
            plain = find_open(rest);
        }
    }
    if (status == HAFT_OK) {
        status = haft__buf_check(&buf, err);
    }
    if (status == HAFT_OK) {
        haft_str kept = haft__arena_copy(arena, haft__buf_str(&buf));
        if (kept.ptr != NULL) {
            *ret_text = kept;
        } else {
            status = haft__arena_fail(arena, err);
        }
    }
    haft__buf_finish(&buf);
    return status;
}

/* ---- locations ---- */

static void check_text(haft__loader *l, haft__json value, haft_str pointer)
{
    haft_error err = {.status = HAFT_OK};
    haft_str expanded;
    if (value.kind != HAFT__JSON_STRING) {
        return;
    }
    haft__arena_mark mark = haft__arena_save(l->arena);
    haft_status status =
        haft__spec_expand(l->arena, haft__json_text(value), &l->options->env, &expanded, &err);
    haft__arena_restore(l->arena, mark); /* it may be a secret: do not keep it */
    if (status != HAFT_OK && !haft__loader_failed(l, status)) {
        haft__spec_problem *problem =
            haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE, "%s", err.message);
        haft__loader_hint(l, problem, "%s", err.hint);
    }
}

/* Checks every text of an object of texts. */
static void check_texts(haft__loader *l, haft__json holder, const char *key, haft_str outer)
{
    haft__json texts = haft__object_object(holder, key);
    haft_str pointer = haft__loader_pointer_to_key(l, outer, haft__str(key));
    for (uint32_t i = 0; i < texts.count; i++) {
        check_text(l, texts.members[i].value,
                   haft__loader_pointer_to_key(l, pointer, haft__json_text(texts.members[i].key)));
    }
}

static void check_one(haft__loader *l, haft__json holder, const char *key, haft_str outer)
{
    check_text(l, haft__object_get(holder, key),
               haft__loader_pointer_to_key(l, outer, haft__str(key)));
}

static void check_tools(haft__loader *l)
{
    haft__json tools = haft__object_array(l->source, "tools");
    for (uint32_t i = 0; i < tools.count && l->status == HAFT_OK; i++) {
        haft__json http = haft__object_object(tools.items[i], "http");
        bool command = haft__object_get(tools.items[i], "env").kind == HAFT__JSON_OBJECT;
        if (command) {
            check_texts(l, tools.items[i], "env", haft__loader_pointer(l, "/tools/%u", i));
        }
        if (http.count > 0) {
            haft_str pointer = haft__loader_pointer(l, "/tools/%u/http", i);
            check_one(l, http, "url", pointer);
            check_texts(l, http, "headers", pointer);
        }
    }
}

/* Whether all variables of a text are set. */
static haft_status try_text(haft__loader *l, haft__json value, haft_error *err)
{
    haft_str expanded;
    haft__arena_mark mark = haft__arena_save(l->arena);
    haft_status status =
        value.kind == HAFT__JSON_STRING
            ? haft__spec_expand(l->arena, haft__json_text(value), &l->options->env, &expanded, err)
            : HAFT_OK;
    haft__arena_restore(l->arena, mark);
    return status;
}

/* Checks a server of an imported file, whose format also has variables in the command. A server
 * that lacks a variable is skipped: the file belongs to another program, and the other servers may
 * be the wanted ones. */
static void check_imported(haft__loader *l, haft_str name, haft__json server)
{
    static const char *const keys[] = {"cwd", "url", "command", "env", "headers"};
    haft_error err = {.status = HAFT_OK};
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < COUNT(keys) && status == HAFT_OK; i++) {
        haft__json value = haft__object_get(server, keys[i]);
        bool list = value.kind == HAFT__JSON_ARRAY, object = value.kind == HAFT__JSON_OBJECT;
        status = try_text(l, value, &err);
        for (uint32_t k = 0; (list || object) && k < value.count && status == HAFT_OK; k++) {
            status = try_text(l, list ? value.items[k] : value.members[k].value, &err);
        }
    }
    if (status != HAFT_OK && !haft__loader_failed(l, status)) {
        haft_str why =
            haft__loader_pointer(l, "the server '%.*s': %s", HAFT__ARG(name), err.message);
        haft__loader_report_skipped_server(l, name, why, haft__str(err.hint));
        haft__loader_disable_server(l, name);
    }
}

static void check_servers(haft__loader *l)
{
    haft__json servers = haft__object_object(l->spec->mcp, "servers");
    for (uint32_t i = 0; i < servers.count && l->status == HAFT_OK; i++) {
        haft__json server = servers.members[i].value;
        if (haft__object_get(server, "enabled").kind == HAFT__JSON_FALSE) {
            continue; /* it is not started, so nothing is missing */
        }
        haft_str pointer = haft__loader_pointer_to_key(l, HAFT__LIT("/mcp/servers"),
                                                       haft__json_text(servers.members[i].key));
        if (haft__object_get(server, "imported").kind == HAFT__JSON_TRUE) {
            check_imported(l, haft__json_text(servers.members[i].key), server);
            continue;
        }
        check_texts(l, server, "env", pointer);
        check_texts(l, server, "headers", pointer);
        check_one(l, server, "url", pointer);
    }
}

static void check_databases(haft__loader *l)
{
    haft__json databases = haft__object_object(l->source, "databases");
    for (uint32_t i = 0; i < databases.count && l->status == HAFT_OK; i++) {
        haft_str pointer = haft__loader_pointer_to_key(l, HAFT__LIT("/databases"),
                                                       haft__json_text(databases.members[i].key));
        check_one(l, databases.members[i].value, "url", pointer);
    }
}

void haft__loader_check_variables(haft__loader *l)
{
    check_tools(l);
    check_servers(l);
    check_databases(l);
    check_one(l, haft__object_get(l->source, "model"), "api_key", HAFT__LIT("/model"));
    check_one(l, haft__object_object(haft__object_object(l->source, "tool_search"), "embeddings"),
              "api_key", HAFT__LIT("/tool_search/embeddings"));
}
