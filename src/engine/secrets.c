/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secrets.c - finds the texts that must never be written down.
 *
 * Better one text too many than one too few: what is taken for a secret and is none shows as
 * [redacted], nothing worse. Tests: tests/engine/secrets_test.c.
 */
#include "engine/secrets.h"

#include <ctype.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "io/environment.h"

typedef struct collector {
    haft__redactor *redactor;
    const haft__spec_env *env;
    haft_status status;
    haft_error *err;
} collector;

static void add(collector *c, haft_str value)
{
    if (c->status == HAFT_OK && value.ptr != NULL && value.len > 0) {
        bool added; /* not one that is too short: it would be found everywhere */
        c->status = haft__redactor_add(c->redactor, value, &added, c->err);
    }
}

static void add_variable(collector *c, haft_str name)
{
    if (name.len > 0 && c->env->get != NULL) {
        add(c, c->env->get(c->env->context, name));
    }
}

/* Every ${NAME} of a text. */
static void add_variables(collector *c, haft_str text)
{
    while (text.len > 0) {
        (void)haft__str_split(&text, '$');
        if (haft__str_starts(text, HAFT__LIT("{"))) {
            text = haft__str_skip(text, 1);
            haft_str inside = haft__str_split(&text, '}');
            add_variable(c, haft__str_split(&inside, ':')); /* of ${NAME:-what then} */
        }
    }
}

/* Every text inside a value. Values of specs are not deep (HAFT__LIMIT_JSON_DEPTH_STRICT). */
static void look_at(collector *c, haft__json value)
{
    if (value.kind == HAFT__JSON_STRING) {
        add_variables(c, haft__json_text(value));
    }
    for (uint32_t i = 0; value.kind == HAFT__JSON_ARRAY && i < value.count; i++) {
        look_at(c, value.items[i]);
    }
    for (uint32_t i = 0; value.kind == HAFT__JSON_OBJECT && i < value.count; i++) {
        look_at(c, value.members[i].value);
    }
}

/* ---- the environment ---- */

static bool has_word(haft_str name, const char *word)
{
    size_t length = strlen(word), same = 0;
    for (size_t at = 0; at + length <= name.len; at++) {
        for (same = 0; same < length; same++) {
            if (toupper((unsigned char)name.ptr[at + same]) != word[same]) {
                break;
            }
        }
        if (same == length) {
            return true;
        }
    }
    return false;
}

static bool sounds_secret(haft_str name)
{
    static const char *const words[] = {
        "_KEY",       "APIKEY",     "TOKEN",   "SECRET",       "PASSWORD", "PASSWD",
        "PASSPHRASE", "CREDENTIAL", "_PASS",   "_PAT",         "SESSION",  "BEARER",
        "COOKIE",     "AUTH",       "WEBHOOK", "DATABASE_URL", "_DSN"};
    for (size_t i = 0; i < COUNT(words); i++) {
        if (has_word(name, words[i])) {
            return true;
        }
    }
    return false;
}

/* Not what only sounds secret by its name: a path, a number, or a word such as programs use. */
static bool looks_secret(haft_str value)
{
    bool number = true, word = true;
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        number = number && isdigit((unsigned char)c);
        word = word && (islower((unsigned char)c) || c == '_');
    }
    return !number && !word && !haft__str_starts(value, HAFT__LIT("/"));
}

static void see_variable(void *context, haft_str name, haft_str value)
{
    if (sounds_secret(name) && looks_secret(value)) {
        add(context, value);
    }
}

/* What a spec, or a file it imports, has written out for its MCP servers. */
static void look_at_servers(collector *c, haft__json mcp)
{
    static const haft_str keys[] = {HAFT__LIT("env"), HAFT__LIT("headers")};
    const haft__json *servers = haft__json_get(mcp, HAFT__LIT("servers"));
    for (uint32_t i = 0; servers != NULL && i < servers->count * COUNT(keys); i++) {
        const haft__json *texts =
            haft__json_get(servers->members[i / COUNT(keys)].value, keys[i % COUNT(keys)]);
        for (uint32_t j = 0; texts != NULL && j < texts->count; j++) {
            haft_str text = haft__json_text(texts->members[j].value), rest = text;
            bool scheme = haft__str_starts(text, HAFT__LIT("Bearer "))
                          || haft__str_starts(text, HAFT__LIT("Basic "));
            (void)(scheme ? haft__str_split(&rest, ' ') : rest);
            see_variable(c, haft__json_text(texts->members[j].key), rest);
        }
    }
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
    collector c = {.redactor = redactor, .env = env, .err = err};
    add_variable(&c, spec->model.api_key_env);
    look_at(&c, spec->source);
    look_at(&c, spec->mcp); /* imported servers are not in the source */
    look_at_servers(&c, spec->mcp);
    haft__environment_each(see_variable, &c);
    *ret_redactor = redactor;
    return c.status;
}

haft_status haft__secrets_add(haft__redactor *redactor, const haft__variable *variables,
                              size_t count, haft_error *err)
{
    collector c = {.redactor = redactor, .err = err};
    for (size_t i = 0; i < count; i++) {
        see_variable(&c, variables[i].name, variables[i].value);
    }
    return c.status;
}
