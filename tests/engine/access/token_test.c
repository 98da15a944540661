/* SPDX-License-Identifier: Apache-2.0 */
/* token_test.c - token files, and who may what. */
#include "engine/access/token.h"

#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "test.h"

static const haft__hash_key key = {1, 2};

/* SHA-256 of "secret" and of "other". */
#define SECRET "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"
#define LINE(name, roles, more)                                                                    \
    "{\"name\":\"" name "\",\"user\":\"u\",\"roles\":[" roles "],\"sha256\":\"" SECRET "\"" more   \
    "}\n"

TEST(token_files_are_read)
{
    static const struct {
        const char *text;
        haft_status status;
        size_t count;
        const char *where; /* a part of the error's place */
    } cases[] = {
        {"", HAFT_OK, 0, NULL},
        {"\n\n", HAFT_OK, 0, NULL},
        {LINE("a", "\"read\"", ""), HAFT_OK, 1, NULL},
        {"\n" LINE("a", "\"read\"", "") LINE("b", "\"run\",\"answer\"", ",\"expires\":null"),
         HAFT_OK, 2, NULL},
        {"a-plain-token\n", HAFT_OK, 1, NULL},
        {"a-plain-token\nand another\n", HAFT_BAD_INPUT, 0, ""},
        {LINE("a", "\"read\"", "") "plain\n", HAFT_BAD_INPUT, 0, "line 2"},
        {LINE("a", "", ""), HAFT_BAD_INPUT, 0, "line 1:/roles"},
        {LINE("a", "\"root\"", ""), HAFT_BAD_INPUT, 0, "/roles"},
        {LINE("", "\"read\"", ""), HAFT_BAD_INPUT, 0, "/name"},
        {LINE("a", "\"read\"", ",\"expires\":\"tomorrow\""), HAFT_BAD_INPUT, 0, "/expires"},
        {"{\"name\":\"a\",\"roles\":[\"read\"],\"sha256\":\"12\"}", HAFT_BAD_INPUT, 0, "/sha256"},
        {"{\"name\":\"a\",\"name\":\"b\"}", HAFT_BAD_INPUT, 0, "line 1"},
        {"{", HAFT_BAD_INPUT, 0, "line 1"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__token_set set = {.count = 0};
        haft_error err = {0};
        haft__arena_init(&arena, 0);
        CHECK_INT(haft__token_read(&arena, haft__str(cases[i].text), key, &set, &err),
                  cases[i].status, "%s", cases[i].text);
        if (cases[i].status == HAFT_OK) {
            CHECK_INT(set.count, cases[i].count, "%s", cases[i].text);
        } else {
            CHECK_INT(strstr(err.where, cases[i].where) != NULL, true, "%s", err.where);
        }
        haft__arena_finish(&arena);
    }
}

TEST(tokens_are_found_by_their_hash)
{
    haft__arena arena;
    haft__token_set set = {.count = 0};
    haft__arena_init(&arena, 0);
    const char *text =
        LINE("a", "\"read\"",
             ",\"expires\":\"2026-01-01T00:00:00.000Z\"") "{\"name\":\"b\","
                                                          "\"user\":\"\",\"roles\":[\"admin\"],"
                                                          "\"sha256\":"
                                                          "\"d9298a10d1b0735837dc4bd85dac641b0f3cef"
                                                          "27a47e5d53a54f2f3f5b2fcffa\"}";
    CHECK_INT(haft__token_read(&arena, haft__str(text), key, &set, NULL), HAFT_OK, "two tokens");
    uint64_t end = 1767225600000; /* 2026-01-01 */
    const haft__token *found = haft__token_find(&set, HAFT__LIT("secret"), end - 1);
    CHECK_INT(found == &set.items[0], true, "before its end");
    CHECK_INT(haft__token_find(&set, HAFT__LIT("secret"), end) == NULL, true, "expired");
    CHECK_INT(haft__token_find(&set, HAFT__LIT("other"), end) == &set.items[1], true, "the second");
    CHECK_INT(set.items[1].principal.all_users, true, "admin is for all users");
    CHECK_INT(haft__token_find(&set, HAFT__LIT("Secret"), 0) == NULL, true, "another token");
    CHECK_INT(haft__token_find(&set, HAFT__LIT(""), 0) == NULL, true, "no token");
    haft__arena_finish(&arena);
}

TEST(a_written_token_is_read_again)
{
    haft__arena arena;
    haft__buf text;
    haft__token_set set = {.count = 0};
    haft__token token = {.principal = {.name = HAFT__LIT("a\"b"),
                                       .user = HAFT__LIT("u"),
                                       .roles = HAFT__ROLE_RUN | HAFT__ROLE_ANSWER},
                         .created = HAFT__LIT("2026-01-01T00:00:00.000Z"),
                         .expires_ms = 1767225600000};
    memcpy(token.sha256, SECRET, HAFT__SHA256_HEX);
    haft__arena_init(&arena, 0);
    haft__buf_init(&text, 4096);
    haft__token_write(&text, &token);
    CHECK_INT(haft__token_read(&arena, haft__buf_str(&text), key, &set, NULL), HAFT_OK, "read");
    const haft__token *again = &set.items[0];
    CHECK_STR(again->principal.name, HAFT__LIT("a\"b"), "name");
    CHECK_INT(again->principal.roles, token.principal.roles, "roles");
    CHECK_INT(again->expires_ms, token.expires_ms, "end");
    CHECK_INT(again->principal.all_users, false, "one user");
    haft__buf_finish(&text);
    haft__arena_finish(&arena);
}

TEST(the_number_of_tokens_is_limited)
{
    haft__arena arena;
    haft__buf text;
    haft__token_set set = {.count = 0};
    haft__arena_init(&arena, 0);
    haft__buf_init(&text, HAFT__LIMIT_SERVE_TOKEN_FILE_BYTES);
    for (int i = 0; i < HAFT__LIMIT_SERVE_TOKENS; i++) {
        haft__buf_add_str(&text, HAFT__LIT(LINE("a", "\"read\"", "")));
    }
    CHECK_INT(haft__token_read(&arena, haft__buf_str(&text), key, &set, NULL), HAFT_OK, "at it");
    haft__buf_add_str(&text, HAFT__LIT(LINE("a", "\"read\"", "")));
    CHECK_INT(haft__token_read(&arena, haft__buf_str(&text), key, &set, NULL), HAFT_TOO_BIG,
              "past it");
    haft__buf_finish(&text);
    haft__arena_finish(&arena);
}

TEST(roles_permit_routes)
{
    static const struct {
        unsigned roles;
        haft__role route;
        bool may;
    } cases[] = {
        {0, HAFT__ROLE_NONE, true},
        {0, HAFT__ROLE_READ, false},
        {HAFT__ROLE_READ, HAFT__ROLE_READ, true},
        {HAFT__ROLE_READ, HAFT__ROLE_RUN, false},
        {HAFT__ROLE_RUN, HAFT__ROLE_READ, true},
        {HAFT__ROLE_RUN, HAFT__ROLE_ANSWER, false},
        {HAFT__ROLE_ANSWER, HAFT__ROLE_READ, true},
        {HAFT__ROLE_ANSWER, HAFT__ROLE_RUN, false},
        {HAFT__ROLE_METRICS, HAFT__ROLE_READ, false},
        {HAFT__ROLE_METRICS, HAFT__ROLE_METRICS, true},
        {HAFT__ROLE_READ, HAFT__ROLE_METRICS, false},
        {HAFT__ROLE_ADMIN, HAFT__ROLE_METRICS, true},
        {HAFT__ROLE_ADMIN, HAFT__ROLE_ADMIN, true},
        {HAFT__ROLE_READ | HAFT__ROLE_RUN | HAFT__ROLE_ANSWER, HAFT__ROLE_ADMIN, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__principal who = {.roles = cases[i].roles};
        CHECK_INT(haft__principal_may(&who, cases[i].route), cases[i].may, "case");
    }
}

TEST(runs_belong_to_users)
{
    haft__principal anna = {.user = HAFT__LIT("anna")}, nobody = {.user = HAFT__LIT("")};
    haft__principal all = {.user = HAFT__LIT(""), .all_users = true};
    CHECK_INT(haft__principal_owns(&anna, HAFT__LIT("anna")), true, "own");
    CHECK_INT(haft__principal_owns(&anna, HAFT__LIT("berta")), false, "another user's");
    CHECK_INT(haft__principal_owns(&anna, HAFT__LIT("")), false, "nobody's");
    CHECK_INT(haft__principal_owns(&nobody, HAFT__LIT("")), false, "a token without a user");
    CHECK_INT(haft__principal_owns(&all, HAFT__LIT("")), true, "all");
}

TEST(roles_have_names)
{
    static const haft__role roles[] = {HAFT__ROLE_READ, HAFT__ROLE_RUN, HAFT__ROLE_ANSWER,
                                       HAFT__ROLE_ADMIN, HAFT__ROLE_METRICS};
    for (size_t i = 0; i < COUNT(roles); i++) {
        CHECK_INT(haft__role_find(haft__str(haft__role_name(roles[i]))), roles[i], "%s",
                  haft__role_name(roles[i]));
    }
    CHECK_INT(haft__role_find(HAFT__LIT("none")), HAFT__ROLE_NONE, "none is not a role of a token");
    CHECK_INT(haft__role_find(HAFT__LIT("")), HAFT__ROLE_NONE, "no name");
}
