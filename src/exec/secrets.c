/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secrets.c - finds the texts that must be redacted.
 *
 * It prefers too many texts to too few. But it skips values that clearly are not secret, because
 * calls that contain a secret are refused. Tests: tests/exec/secrets_test.c.
 */
#include "exec/secrets.h"

#include "base/ascii.h"
#include "base/error.h"
#include "base/hex.h"
#include "base/macros.h"
#include "base/str.h"
#include "io/environment.h"

typedef struct collector {
    haft__redactor *redactor;
    const haft__spec_env *env;
    haft_status status;
    haft_error *err;
} collector;

static void add_text(collector *c, haft_str value)
{
    if (c->status == HAFT_OK && value.ptr != NULL && value.len > 0) {
        bool added; /* false if the text is so short that it would match everywhere */
        c->status = haft__redactor_add(c->redactor, value, &added, c->err);
    }
}

/* Adds the encoded form of a password in a URL, and the decoded form that a program sees. */
static void add_password(collector *c, haft_str password)
{
    char *plain = password.len > 0 ? haft__arena_alloc(c->redactor->arena, password.len) : NULL;
    size_t length = 0;
    for (size_t i = 0; plain != NULL && i < password.len; i++) {
        int high = i + 2 < password.len ? haft__hex_value(password.ptr[i + 1]) : -1;
        int low = i + 2 < password.len ? haft__hex_value(password.ptr[i + 2]) : -1;
        bool escape = password.ptr[i] == '%' && high >= 0 && low >= 0;
        plain[length++] = escape ? (char)(high * 16 + low) : password.ptr[i];
        i += escape ? 2 : 0;
    }
    add_text(c, password);
    add_text(c, (haft_str){plain, length});
}

/* The password of every scheme://user:password@host in a text: tools often print parts of URLs. */
static void add_passwords(collector *c, haft_str text)
{
    const char *at;
    while (text.len > 0 && (at = memmem(text.ptr, text.len, "://", 3)) != NULL) {
        text = haft__str_skip(text, (size_t)(at - text.ptr) + 3);
        size_t length = 0;
        while (length < text.len && strchr("/?# \t\r\n\"'", text.ptr[length]) == NULL) {
            length++;
        }
        const char *end = length > 0 ? memrchr(text.ptr, '@', length) : NULL;
        haft_str password = {text.ptr, end != NULL ? (size_t)(end - text.ptr) : 0};
        (void)haft__str_split(&password, ':');
        bool variable = password.len > 0 && memmem(password.ptr, password.len, "${", 2) != NULL;
        add_password(c, variable ? HAFT__LIT("") : password);
        text = haft__str_skip(text, length);
    }
}

static void add(collector *c, haft_str value)
{
    add_text(c, value);
    add_passwords(c, value);
}

/* ---- the environment ---- */

static bool has_secret_name(haft_str name)
{
    static const char *const words[] = {
        "_KEY",       "APIKEY",     "TOKEN",   "SECRET",       "PASSWORD", "PASSWD",
        "PASSPHRASE", "CREDENTIAL", "_PASS",   "_PAT",         "SESSION",  "BEARER",
        "COOKIE",     "AUTH",       "WEBHOOK", "DATABASE_URL", "_DSN"};
    for (size_t i = 0; i < COUNT(words); i++) {
        if (haft__str_contains_ignore_case(name, haft__str(words[i]))) {
            return true;
        }
    }
    return false;
}

/* A lower-case word such as `production`. */
static bool is_word(haft_str value)
{
    size_t i = 0;
    while (i < value.len && (haft__ascii_is_lower(value.ptr[i]) || value.ptr[i] == '_')) {
        i++;
    }
    return i == value.len;
}

static bool is_number(haft_str value)
{
    size_t i = 0;
    while (i < value.len && haft__ascii_is_digit(value.ptr[i])) {
        i++;
    }
    return i == value.len;
}

/* False for a value that is not secret although the name of its variable suggests it. */
static bool looks_secret(haft_str value)
{
    return !is_number(value) && !is_word(value) && !haft__str_starts_with(value, HAFT__LIT("/"));
}

/* Whether the value is a URL of only scheme, host and port, such as http://localhost:8080. */
static bool is_origin(haft_str value)
{
    haft_str rest = value;
    haft_str scheme = haft__str_split(&rest, ':');
    bool web =
        haft__str_equal(scheme, HAFT__LIT("http")) || haft__str_equal(scheme, HAFT__LIT("https"));
    if (!web || !haft__str_starts_with(rest, HAFT__LIT("//"))) {
        return false;
    }
    rest = haft__str_skip(rest, 2);
    rest.len -= haft__str_ends_with(rest, HAFT__LIT("/"));
    for (size_t i = 0; i < rest.len; i++) {
        if (strchr("@/?#", rest.ptr[i]) != NULL) {
            return false;
        }
    }
    return true;
}

static bool is_path(haft_str value)
{
    return haft__str_starts_with(value, HAFT__LIT("/"))
           || haft__str_starts_with(value, HAFT__LIT("./"))
           || haft__str_starts_with(value, HAFT__LIT("../"))
           || haft__str_starts_with(value, HAFT__LIT("~/"));
}

static bool is_key(haft_str name)
{
    return haft__str_contains_ignore_case(name, HAFT__LIT("KEY"))
           || haft__str_contains_ignore_case(name, HAFT__LIT("TOKEN"))
           || haft__str_contains_ignore_case(name, HAFT__LIT("SECRET"))
           || haft__str_contains_ignore_case(name, HAFT__LIT("PASS"));
}

/* A value that is never secret: an origin or a path. */
static bool is_plain(haft_str value)
{
    return is_word(value) || is_path(value) || is_origin(value);
}

/* The values of NAME=VALUE,... in a variable with headers for a telemetry collector. */
static void add_headers(collector *c, haft_str value)
{
    while (value.len > 0) {
        haft_str header = haft__str_split(&value, ',');
        (void)haft__str_split(&header, '=');
        header = haft__str_trim(header);
        if (looks_secret(header)) {
            add_password(c, header);
        }
    }
}

static void collect_variable(void *context, haft_str name, haft_str value)
{
    if (haft__str_starts_with(name, HAFT__LIT("OTEL_EXPORTER_OTLP"))
        && haft__str_ends_with(name, HAFT__LIT("HEADERS"))) {
        add_headers(context, value);
    }
    if (has_secret_name(name) && looks_secret(value)) {
        add(context, value);
    }
}

/* ---- variables of the spec ---- */

/* A call that contains a secret is refused, so the directory of the spec must not count as one. */
static void add_variable(collector *c, haft_str name)
{
    haft_str value = {NULL, 0};
    if (name.len > 0 && c->env->get != NULL) {
        value = haft__str_trim(c->env->get(c->env->context, name));
    }
    if (is_key(name) || has_secret_name(name) || !is_plain(value)) {
        add(c, value);
    } else {
        add_passwords(c, value);
    }
}

/* Adds the variable of every ${NAME} in a text. */
static void add_variables(collector *c, haft_str text)
{
    while (text.len > 0) {
        (void)haft__str_split(&text, '$');
        if (haft__str_starts_with(text, HAFT__LIT("{"))) {
            text = haft__str_skip(text, 1);
            haft_str inside = haft__str_split(&text, '}');
            add_variable(c, haft__str_split(&inside, ':')); /* of ${NAME:-default} */
        }
    }
}

/* Adds the variables of every text inside a value. Recursion is bounded: specs nest at most
 * HAFT__LIMIT_JSON_DEPTH_STRICT deep. */
static void collect_value(collector *c, haft__json value)
{
    if (value.kind == HAFT__JSON_STRING) {
        add_variables(c, haft__json_text(value));
    }
    for (uint32_t i = 0; value.kind == HAFT__JSON_ARRAY && i < value.count; i++) {
        collect_value(c, value.items[i]);
    }
    for (uint32_t i = 0; value.kind == HAFT__JSON_OBJECT && i < value.count; i++) {
        collect_value(c, value.members[i].value);
    }
}

/* ---- literal values ---- */

/* Literal values in the `env` or `headers` of a tool. */
static void collect_named(collector *c, haft__json holder)
{
    static const haft_str keys[] = {HAFT__LIT("env"), HAFT__LIT("headers")};
    for (size_t i = 0; i < COUNT(keys); i++) {
        const haft__json *texts = haft__json_get(holder, keys[i]);
        bool object = texts != NULL && texts->kind == HAFT__JSON_OBJECT;
        for (uint32_t j = 0; object && j < texts->count; j++) {
            haft_str text = haft__json_text(texts->members[j].value), rest = text;
            bool scheme = haft__str_starts_with(text, HAFT__LIT("Bearer "))
                          || haft__str_starts_with(text, HAFT__LIT("Basic "));
            (void)(scheme ? haft__str_split(&rest, ' ') : rest);
            collect_variable(c, haft__json_text(texts->members[j].key), rest);
        }
    }
}

/* ---- literal values of MCP servers ---- */

/* Headers that every client sends, without secret values. */
static bool is_public(haft_str name)
{
    static const char *const names[] = {"ACCEPT", "CONTENT-TYPE", "USER-AGENT",
                                        "MCP-PROTOCOL-VERSION"};
    for (size_t i = 0; i < COUNT(names); i++) {
        haft_str known = haft__str(names[i]);
        if (name.len >= known.len
            && haft__str_equal_ignore_case((haft_str){name.ptr, known.len}, known)) {
            return true;
        }
    }
    return false;
}

/* A key may begin with a slash, or be a number. */
static void add_literal(collector *c, haft_str name, haft_str value)
{
    value = haft__str_trim(value);
    bool plain = is_plain(value) || is_number(value);
    if (is_key(name) ? !is_word(value) : !plain) {
        add(c, value);
    } else {
        add_passwords(c, value);
    }
}

/* The default of a variable that is not set: ${NAME:-default}. */
static void add_default(collector *c, haft_str name, haft_str text)
{
    while (text.len > 0) {
        (void)haft__str_split(&text, '$');
        if (haft__str_starts_with(text, HAFT__LIT("{"))) {
            haft_str inside = haft__str_split(&text, '}');
            (void)haft__str_split(&inside, ':');
            add_literal(c, name, haft__str_skip(inside, 1));
        }
    }
}

static void collect_literals(collector *c, haft__json server, haft_str key, bool headers)
{
    const haft__json *texts = haft__json_get(server, key);
    bool object = texts != NULL && texts->kind == HAFT__JSON_OBJECT;
    for (uint32_t i = 0; object && i < texts->count; i++) {
        haft_str name = haft__json_text(texts->members[i].key);
        haft_str text = haft__json_text(texts->members[i].value), rest = text;
        if (text.len == 0 || (headers && is_public(name))) {
            continue;
        }
        if (memmem(text.ptr, text.len, "${", 2) != NULL) {
            add_default(c, name, text);
            add_passwords(c, text);
            continue;
        }
        add_literal(c, name, text);
        (void)haft__str_split(&rest, ' '); /* Bearer TOKEN */
        add_literal(c, name, headers ? rest : HAFT__LIT(""));
    }
}

/* Collects the literal values that a spec, or a file that it imports, has for MCP servers. */
static void collect_servers(collector *c, haft__json mcp)
{
    const haft__json *servers = haft__json_get(mcp, HAFT__LIT("servers"));
    for (uint32_t i = 0; servers != NULL && i < servers->count; i++) {
        haft__json server = servers->members[i].value;
        const haft__json *url = haft__json_get(server, HAFT__LIT("url"));
        collect_literals(c, server, HAFT__LIT("env"), false);
        collect_literals(c, server, HAFT__LIT("headers"), true);
        add_passwords(c, url != NULL ? haft__json_text(*url) : HAFT__LIT(""));
    }
}

/* Collects the passwords in the URLs of databases. */
static void collect_databases(collector *c, const haft__spec *spec)
{
    for (size_t i = 0; i < spec->database_count; i++) {
        add_passwords(c, spec->databases[i].url);
    }
}

static void collect_tools(collector *c, const haft__tools *tools)
{
    for (size_t i = 0; i < tools->count; i++) {
        const haft__json *http = haft__json_get(tools->items[i]->definition, HAFT__LIT("http"));
        collect_named(c, tools->items[i]->definition);
        if (http != NULL) {
            collect_named(c, *http);
        }
    }
}

static void collect_hooks(collector *c, const haft__spec *spec)
{
    for (size_t i = 0; i < spec->middleware_count; i++) {
        if (haft__middleware_is_hook(&spec->middleware[i])) {
            haft__json definition = spec->middleware[i].as.hook.program->definition;
            const haft__json *http = haft__json_get(definition, HAFT__LIT("http"));
            collect_named(c, definition);
            collect_named(c, http != NULL ? *http : definition);
        }
    }
}

/* A key without ${NAME} is the literal key. */
static void collect_key(collector *c, haft_str key)
{
    haft_str rest = key;
    (void)haft__str_split(&rest, '$');
    if (rest.len == 0) {
        add(c, key);
    }
}

haft_status haft__secrets_collect_more(haft__redactor *redactor, const haft__spec *spec,
                                       const haft__spec_env *env, haft_error *err)
{
    collector c = {.redactor = redactor, .env = env, .err = err};
    add_variable(&c, spec->model.api_key_env);
    add_variable(&c, spec->embeddings.api_key_env);
    collect_value(&c, spec->source);
    collect_value(&c, spec->mcp); /* imported servers are not in the source */
    collect_servers(&c, spec->mcp);
    collect_tools(&c, &spec->tools);
    collect_hooks(&c, spec);
    collect_databases(&c, spec);
    collect_key(&c, spec->model.api_key);
    haft__environment_each(collect_variable, &c);
    for (size_t i = 0; c.status == HAFT_OK && i < spec->agent_count; i++) {
        c.status = haft__secrets_collect_more(redactor, spec->agents[i].spec, env, err);
    }
    return c.status;
}

haft_status haft__secrets_collect(const haft__spec *spec, const haft__spec_env *env,
                                  haft__arena *arena, haft__redactor **ret_redactor,
                                  haft_error *err)
{
    haft__redactor *redactor = haft__arena_alloc(arena, sizeof(*redactor));
    if (redactor == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft__redactor_init(redactor, arena);
    *ret_redactor = redactor;
    return haft__secrets_collect_more(redactor, spec, env, err);
}

haft_status haft__secrets_add(haft__redactor *redactor, const haft__variable *variables,
                              size_t count, haft_error *err)
{
    collector c = {.redactor = redactor, .err = err};
    for (size_t i = 0; i < count; i++) {
        collect_variable(&c, variables[i].name, variables[i].value);
    }
    return c.status;
}
