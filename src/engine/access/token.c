/* SPDX-License-Identifier: Apache-2.0 */
/* token.c - see token.h. Tests: tests/engine/access/token_test.c. */
#include "engine/access/token.h"

#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/time.h"
#include "mcp/seal.h"
#include "json/object.h"
#include "json/read.h"
#include "json/write.h"

static const struct {
    haft__role role;
    const char *name;
} roles[] = {
    {HAFT__ROLE_NONE, "none"},     {HAFT__ROLE_READ, "read"},   {HAFT__ROLE_RUN, "run"},
    {HAFT__ROLE_ANSWER, "answer"}, {HAFT__ROLE_ADMIN, "admin"}, {HAFT__ROLE_METRICS, "metrics"},
};

const char *haft__role_name(haft__role role)
{
    for (size_t i = 0; i < COUNT(roles); i++) {
        if (roles[i].role == role) {
            return roles[i].name;
        }
    }
    return "";
}

haft__role haft__role_find(haft_str name)
{
    for (size_t i = 1; i < COUNT(roles); i++) {
        if (haft__str_equal(name, haft__str(roles[i].name))) {
            return roles[i].role;
        }
    }
    return HAFT__ROLE_NONE;
}

/* ---- read ---- */

static haft_status read_roles(haft__json names, unsigned *ret_roles, haft_error *err)
{
    *ret_roles = 0;
    for (uint32_t i = 0; i < names.count; i++) {
        haft_str name = haft__json_text(names.items[i]);
        haft__role role = haft__role_find(name);
        if (role == HAFT__ROLE_NONE) {
            return haft__fail(err, HAFT_BAD_INPUT, "/roles",
                              "expected read, run, answer, admin or metrics, found \"%.*s\"",
                              HAFT__ARG(name));
        }
        *ret_roles |= role;
    }
    return *ret_roles != 0
               ? HAFT_OK
               : haft__fail(err, HAFT_BAD_INPUT, "/roles", "expected at least one role");
}

static haft_status read_expiry(haft__json object, uint64_t *ret_ms, haft_error *err)
{
    haft_str text = haft__object_string(object, "expires");
    *ret_ms = 0;
    return text.len == 0 || haft__time_parse(text, ret_ms)
               ? HAFT_OK
               : haft__fail(err, HAFT_BAD_INPUT, "/expires", "expected a time, found \"%.*s\"",
                            HAFT__ARG(text));
}

static haft_status read_token(haft__json object, haft__token *ret_token, haft_error *err)
{
    haft_str hash = haft__object_string(object, "sha256");
    haft__principal *who = &ret_token->principal;
    who->name = haft__object_string(object, "name");
    who->user = haft__object_string(object, "user");
    who->all_users = haft__object_flag(object, "all_users", false);
    ret_token->created = haft__object_string(object, "created");
    if (who->name.len == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, "/name", "expected the name of the token");
    }
    if (hash.len != HAFT__SHA256_HEX) {
        return haft__fail(err, HAFT_BAD_INPUT, "/sha256", "expected %d hexadecimal digits",
                          (int)HAFT__SHA256_HEX);
    }
    memcpy(ret_token->sha256, hash.ptr, HAFT__SHA256_HEX);
    haft_status status = read_roles(haft__object_array(object, "roles"), &who->roles, err);
    who->all_users = who->all_users || (who->roles & HAFT__ROLE_ADMIN) != 0;
    return status == HAFT_OK ? read_expiry(object, &ret_token->expires_ms, err) : status;
}

static haft_status read_line(haft__arena *arena, haft_str line, haft__hash_key hash_key,
                             haft__token *ret_token, haft_error *err)
{
    haft__json object;
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = hash_key;
    options.reject_duplicates = true;
    haft_status status = haft__json_read(arena, line, &options, &object, NULL, err);
    if (status == HAFT_OK && object.kind != HAFT__JSON_OBJECT) {
        status = haft__json_fail_type(object, "", "an object", err);
    }
    return status == HAFT_OK ? read_token(object, ret_token, err) : status;
}

/* The file of `haft mcp`: its first line is the token. */
static haft_status read_plain(haft__arena *arena, haft_str text, haft__token_set *ret_set,
                              haft_error *err)
{
    haft_str plain = haft__str_trim(haft__str_split(&text, '\n'));
    haft__token *token = haft__arena_array(arena, 1, sizeof(*token));
    if (token == NULL) {
        return haft__arena_fail(arena, err);
    }
    if (plain.len == 0 || haft__str_trim(text).len > 0) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "expected one token in its first line, or lines of `haft token create`");
    }
    token->principal = (haft__principal){.name = HAFT__LIT("token"),
                                         .user = HAFT__LIT(""),
                                         .roles = HAFT__ROLE_ADMIN,
                                         .all_users = true};
    token->created = HAFT__LIT("");
    haft__sha256_hex(plain, token->sha256);
    *ret_set = (haft__token_set){.items = token, .count = 1};
    return HAFT_OK;
}

haft_status haft__token_read(haft__arena *arena, haft_str text, haft__hash_key hash_key,
                             haft__token_set *ret_set, haft_error *err)
{
    haft_str rest = text;
    haft_status status = HAFT_OK;
    size_t count = 0;
    if (haft__str_trim(text).len > 0
        && !haft__str_starts_with(haft__str_trim(text), HAFT__LIT("{"))) {
        return read_plain(arena, text, ret_set, err);
    }
    haft__token *tokens = haft__arena_array(arena, HAFT__LIMIT_SERVE_TOKENS, sizeof(*tokens));
    if (tokens == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t number = 1; rest.len > 0 && status == HAFT_OK; number++) {
        haft_str line = haft__str_trim(haft__str_split(&rest, '\n'));
        char place[32];
        if (line.len == 0) {
            continue;
        }
        (void)snprintf(place, sizeof(place), "line %zu", number);
        status = count < HAFT__LIMIT_SERVE_TOKENS
                     ? read_line(arena, line, hash_key, &tokens[count++], err)
                     : haft__fail(err, HAFT_TOO_BIG, "", "expected at most %d tokens",
                                  HAFT__LIMIT_SERVE_TOKENS);
        if (status != HAFT_OK) {
            haft__error_prepend_location(err, place);
        }
    }
    *ret_set = (haft__token_set){.items = tokens, .count = count};
    return status;
}

/* ---- write ---- */

void haft__token_write(haft__buf *buf, const haft__token *token)
{
    const haft__principal *who = &token->principal;
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "name", who->name);
    haft__field_text(&w, "user", who->user);
    haft__field_flag(&w, "all_users", who->all_users);
    haft__json_key(&w, "roles");
    haft__json_begin_array(&w);
    for (size_t i = 0; i < COUNT(roles); i++) {
        if ((who->roles & roles[i].role) != 0) {
            haft__json_add_str(&w, haft__str(roles[i].name));
        }
    }
    haft__json_end_array(&w);
    haft__field_text(&w, "created", token->created);
    if (token->expires_ms > 0) {
        char at[HAFT__TIME_SIZE];
        haft__time_format(token->expires_ms, at);
        haft__field_text(&w, "expires", haft__str(at));
    } else {
        haft__field_null(&w, "expires");
    }
    haft__field_text(&w, "sha256", (haft_str){token->sha256, HAFT__SHA256_HEX});
    haft__json_end_object(&w);
    haft__buf_add_char(buf, '\n');
}

/* ---- use ---- */

const haft__token *haft__token_find(const haft__token_set *set, haft_str presented, uint64_t now_ms)
{
    char hash[HAFT__SHA256_HEX];
    const haft__token *found = NULL;
    haft__sha256_hex(presented, hash);
    for (size_t i = 0; i < set->count; i++) {
        const haft__token *token = &set->items[i];
        bool equal = haft__seal_equal((haft_str){hash, sizeof(hash)},
                                      (haft_str){token->sha256, sizeof(token->sha256)});
        found = equal ? token : found;
    }
    return found != NULL && (found->expires_ms == 0 || found->expires_ms > now_ms) ? found : NULL;
}

bool haft__principal_may(const haft__principal *who, haft__role role)
{
    unsigned readers = HAFT__ROLE_READ | HAFT__ROLE_RUN | HAFT__ROLE_ANSWER;
    if (role == HAFT__ROLE_NONE || (who->roles & HAFT__ROLE_ADMIN) != 0) {
        return true;
    }
    return role == HAFT__ROLE_READ ? (who->roles & readers) != 0 : (who->roles & role) != 0;
}

bool haft__principal_owns(const haft__principal *who, haft_str user)
{
    return who->all_users || (user.len > 0 && haft__str_equal(who->user, user));
}
