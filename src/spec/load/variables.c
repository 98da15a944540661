/* SPDX-License-Identifier: Apache-2.0 */
/*
 * variables.c - ${VAR} in `env`, `headers`, `url` and `api_key`. Other values have no variables.
 *
 * The loader only checks that every variable is set. The spec, its hash and the logs contain the
 * text with the variable. The value is inserted when the text is used. An override may write the
 * value of a variable into the spec. Tests: tests/spec/load/variables_test.c.
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

/* Reads the variable at the start of *rest, after its ${, and advances *rest past the }. If the
 * variable is not set, *ret_value is its name. */
static haft_status read_variable(haft_str *rest, const haft__spec_env *env, haft_str *ret_value,
                                 haft_error *err)
{
    const char *end = rest->len > 0 ? memchr(rest->ptr, '}', rest->len) : NULL;
    haft_str inside = {rest->ptr, end != NULL ? (size_t)(end - rest->ptr) : 0};
    haft_str default_part = inside, name = haft__str_split(&default_part, ':');
    bool has_default = name.len < inside.len && haft__str_starts_with(default_part, HAFT__LIT("-"));
    name = has_default ? name : inside;
    if (end == NULL || !is_name(name)) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, "", "found ${ without a variable name and }");
        return haft__hint(err, status, "write ${NAME}");
    }
    *rest = haft__str_skip(*rest, inside.len + 1);
    haft_str value = env->get != NULL ? env->get(env->context, name) : HAFT__LIT("");
    if (has_default && value.len == 0) {
        value = haft__str_skip(default_part, 1);
    }
    if (value.ptr == NULL && !has_default) {
        *ret_value = name;
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
            status = read_variable(&rest, env, &value, err);
            haft__buf_add_str(&buf, status == HAFT_OK ? value : HAFT__LIT(""));
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
    haft__arena_restore(l->arena, mark); /* frees the value, which may be a secret */
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

/* Checks a server of an imported file, whose format also has variables in the command. If a
 * variable is not set, the server is skipped, because the file belongs to another program and the
 * spec may only need other servers. */
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
            continue; /* the server is not started, so it needs no variables */
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

static void check_middleware(haft__loader *l)
{
    haft__json entries = haft__object_array(l->source, "middleware");
    for (uint32_t i = 0; i < entries.count && l->status == HAFT_OK; i++) {
        haft__json command = haft__object_object(entries.items[i], "command");
        haft__json http = haft__object_object(entries.items[i], "http");
        haft_str pointer = haft__loader_pointer(l, "/middleware/%u/http", i);
        check_texts(l, command, "env", haft__loader_pointer(l, "/middleware/%u/command", i));
        check_texts(l, http, "headers", pointer);
        check_one(l, http, "url", pointer);
    }
}

void haft__loader_check_variables(haft__loader *l)
{
    check_tools(l);
    check_middleware(l);
    check_servers(l);
    check_databases(l);
    check_one(l, haft__object_get(l->source, "model"), "api_key", HAFT__LIT("/model"));
    check_one(l, haft__object_object(haft__object_object(l->source, "tool_search"), "embeddings"),
              "api_key", HAFT__LIT("/tool_search/embeddings"));
}

/* ---- restoring variables ---- */

/* A variable that is not set, and the value that the new spec has in its place. */
typedef struct given_variable {
    haft_str name, value;
    const struct given_variable *next;
} given_variable;

typedef struct restorer {
    haft__arena scratch; /* for values, which may be secrets */
    const haft__spec_env *env;
    const given_variable *given;
    haft__json_writer w;
    haft_status status;
    haft_error *err;
} restorer;

static haft_str get_given(void *context, haft_str name)
{
    const restorer *r = context;
    for (const given_variable *one = r->given; one != NULL; one = one->next) {
        if (haft__str_equal(one->name, name)) {
            return one->value;
        }
    }
    return r->env->get != NULL ? r->env->get(r->env->context, name) : (haft_str){NULL, 0};
}

static haft_status expand_given(restorer *r, haft_str text, haft_str *ret_text, haft_error *err)
{
    const haft__spec_env env = {.get = get_given, .context = r};
    return haft__spec_expand(&r->scratch, text, &env, ret_text, err);
}

/* Derives the value of a variable that is not set: `before` contains the variable, and `value` has
 * the same text around the variable's value. */
static haft_status give_variable(restorer *r, haft_str before, haft_str value, bool *ret_same,
                                 haft_error *err)
{
    const haft__spec_env env = {.get = get_given, .context = r};
    haft_str rest = before, name = {NULL, 0}, start = {NULL, 0}, end = {NULL, 0};
    haft_status status = HAFT_OK;
    while (status == HAFT_OK) { /* stops at the variable that is not set */
        rest = haft__str_skip(rest, find_open(rest) + strlen(OPEN));
        start = (haft_str){before.ptr, before.len - rest.len};
        status = read_variable(&rest, &env, &name, err);
    }
    start.len -= strlen(OPEN);
    status = expand_given(r, start, &start, err);
    if (status == HAFT_OK) {
        status = expand_given(r, rest, &end, err);
    }
    bool fits = status == HAFT_OK && start.len + end.len <= value.len
                && haft__str_starts_with(value, start)
                && haft__str_equal(haft__str_skip(value, value.len - end.len), end);
    if (!fits) {
        return status == HAFT_NOT_FOUND ? HAFT_OK : status; /* two variables are not set, so their
                                                             * values are ambiguous */
    }
    given_variable *given = haft__arena_alloc(&r->scratch, sizeof(*given));
    if (given == NULL) {
        return haft__arena_fail(&r->scratch, err);
    }
    *given = (given_variable){.name = name,
                              .value = {value.ptr + start.len, value.len - start.len - end.len},
                              .next = r->given};
    r->given = given;
    *ret_same = true;
    return HAFT_OK;
}

/* Whether the value equals the text of the old spec after replacing its variables. */
static haft_status compare_texts(restorer *r, haft_str before, haft_str after, bool *ret_same,
                                 haft_error *err)
{
    haft_str old, value;
    haft_status status = expand_given(r, after, &value, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = expand_given(r, before, &old, err);
    if (status == HAFT_NOT_FOUND) {
        return give_variable(r, before, value, ret_same, err);
    }
    *ret_same = status == HAFT_OK && haft__str_equal(old, value);
    return status;
}

static void write_text(restorer *r, haft__json before, haft__json after)
{
    haft_error err = {0};
    bool same = false;
    if (before.kind == HAFT__JSON_STRING && after.kind == HAFT__JSON_STRING) {
        haft_status status =
            compare_texts(r, haft__json_text(before), haft__json_text(after), &same, &err);
        if (status == HAFT_NO_MEMORY) { /* other errors mean that the value is different */
            r->status = status;
            *r->err = err;
        }
    }
    haft__json_add(&r->w, same ? before : after);
}

/* The parts of a spec that contain texts with variables. */
typedef enum part {
    PART_OTHER,
    PART_SPEC,
    PART_AGENTS,
    PART_TOOLS,
    PART_TOOL,
    PART_HTTP,
    PART_MCP,
    PART_SERVERS,
    PART_SERVER,
    PART_MIDDLEWARE,
    PART_ENTRY,
    PART_TEXTS,
    PART_TEXT,
} part;

static const struct {
    part outer;
    const char *key; /* NULL: every item or member */
    part inner;
} parts[] = {
    {PART_SPEC, "agents", PART_AGENTS},
    {PART_AGENTS, NULL, PART_SPEC},
    {PART_SPEC, "tools", PART_TOOLS},
    {PART_TOOLS, NULL, PART_TOOL},
    {PART_TOOL, "env", PART_TEXTS},
    {PART_TOOL, "http", PART_HTTP},
    {PART_HTTP, "url", PART_TEXT},
    {PART_HTTP, "headers", PART_TEXTS},
    {PART_SPEC, "mcp", PART_MCP},
    {PART_MCP, "servers", PART_SERVERS},
    {PART_SERVERS, NULL, PART_SERVER},
    {PART_SERVER, "env", PART_TEXTS},
    {PART_SERVER, "url", PART_TEXT},
    {PART_SERVER, "headers", PART_TEXTS},
    {PART_SPEC, "middleware", PART_MIDDLEWARE},
    {PART_MIDDLEWARE, NULL, PART_ENTRY},
    {PART_ENTRY, "command", PART_TOOL},
    {PART_ENTRY, "http", PART_HTTP},
    {PART_TEXTS, NULL, PART_TEXT},
};

static part find_part(part outer, haft_str key)
{
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (parts[i].outer == outer
            && (parts[i].key == NULL || haft__str_equal(haft__str(parts[i].key), key))) {
            return parts[i].inner;
        }
    }
    return PART_OTHER;
}

/* Writes `after`, with the variables of `before` restored. */
static void write_part(restorer *r, part which, haft__json before, haft__json after)
{
    if (which == PART_TEXT) {
        write_text(r, before, after);
    } else if (which == PART_OTHER || before.kind != after.kind) {
        haft__json_add(&r->w, after);
    } else if (after.kind == HAFT__JSON_OBJECT) {
        haft__json_begin_object(&r->w);
        for (uint32_t i = 0; i < after.count; i++) {
            haft_str key = haft__json_text(after.members[i].key);
            const haft__json *old = haft__json_get(before, key);
            haft__json_key_str(&r->w, key);
            write_part(r, find_part(which, key), old != NULL ? *old : haft__json_null(),
                       after.members[i].value);
        }
        haft__json_end_object(&r->w);
    } else if (after.kind == HAFT__JSON_ARRAY) {
        haft__json_begin_array(&r->w);
        for (uint32_t i = 0; i < after.count; i++) {
            write_part(r, find_part(which, HAFT__LIT("")),
                       i < before.count ? before.items[i] : haft__json_null(), after.items[i]);
        }
        haft__json_end_array(&r->w);
    } else {
        haft__json_add(&r->w, after);
    }
}

haft_status haft__spec_restore_variables(haft__buf *buf, haft__json before, haft__json after,
                                         const haft__spec_env *env, haft_error *err)
{
    restorer r = {.env = env, .err = err};
    haft__arena_init(&r.scratch, HAFT__LIMIT_RUN_BYTES);
    haft__json_writer_init(&r.w, buf);
    write_part(&r, PART_SPEC, before, after);
    haft__arena_finish(&r.scratch);
    return r.status == HAFT_OK ? haft__buf_check(buf, err) : r.status;
}
