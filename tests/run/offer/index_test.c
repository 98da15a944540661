/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/offer/index.c: which tools of an offer are searched, and the cache key of an
 * index. */
#include "run/offer/index.h"

#include "base/limits.h"
#include "run/run_help.h"

typedef struct world {
    haft__arena arena;
    help_spec s;
    haft__offer offer;
    haft__reveal_request ask;
} world;

static void world_init(world *w, const char *words)
{
    memset(w, 0, sizeof(*w));
    haft__arena_init(&w->arena, 0);
    help_spec_init(&w->s, &w->arena, haft__str(words));
    CHECK_INT(haft__resolve(&w->s.spec, NULL, w->s.servers.listings, w->s.servers.count, &w->arena,
                            &w->offer, NULL),
              HAFT_OK, "%s", words);
    w->ask = (haft__reveal_request){
        .spec = &w->s.spec, .offer = &w->offer, .query = HAFT__LIT("send mail")};
}

TEST(deferred_tools_are_searched)
{
    static const struct {
        const char *spec, *found;
    } rows[] = {
        {"agent; server=docs,send,weigh", "docs:send"},
        {"agent; server=docs,weigh,paint", NULL},
        {"agent; mcp_deny=*:send; server=docs,send,weigh", NULL},
        {"agent; server=docs!disabled,send", NULL},
        {"agent; builtin_deny=*; server=docs,send", NULL},
        {"agent; tools=send,weigh; context=10; own_bytes=999", "send"},
        {"agent; tools=send,weigh", NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        world w;
        world_init(&w, rows[i].spec);
        CHECK_INT(haft__offer_index_search_once(&w.ask, HELP_KEY, NULL, &w.arena, NULL), HAFT_OK,
                  "%s", rows[i].spec);
        CHECK_INT(w.ask.hit_count > 0, rows[i].found != NULL, "%s", rows[i].spec);
        if (rows[i].found != NULL && w.ask.hit_count > 0) {
            CHECK_STR(w.ask.hits[0].name, haft__str(rows[i].found), "%s", rows[i].spec);
            CHECK(w.ask.hits[0].score > 0 && w.ask.hits[0].why.len > 0, "%s", rows[i].spec);
        }
        haft__arena_finish(&w.arena);
    }
}

TEST(the_key_of_an_index_depends_on_the_searched_tools)
{
    static const char *const specs[] = {
        "agent; server=post,send,take",
        "agent; tools=look; max_mcp=1; server=post,send,take", /* the same */
        "agent; server=post,send",
        "agent; mcp_deny=*:take; server=post,send,take", /* as the one before */
        "agent; server=mail,send,take",
        "agent; tools=send,take; context=10; own_bytes=999",
        "agent",
    };
    static const int same[] = {0, 0, 2, 2, 4, 5, 6};
    char keys[COUNT(specs)][HAFT__SHA256_HEX];
    for (size_t i = 0; i < COUNT(specs); i++) {
        world w;
        world_init(&w, specs[i]);
        CHECK_INT(haft__offer_index_key(&w.offer, keys[i], NULL), HAFT_OK, "%s", specs[i]);
        for (size_t k = 0; k < i; k++) {
            CHECK_INT(memcmp(keys[i], keys[k], sizeof(keys[i])) == 0, same[i] == same[k],
                      "%s and %s", specs[i], specs[k]);
        }
        haft__arena_finish(&w.arena);
    }
}

/* The longest query that is searched, and one character more. */
TEST(a_long_query_is_truncated)
{
    char *text = test_alloc(HAFT__LIMIT_SEARCH_TASK_CHARS + 1);
    memset(text, 'x', HAFT__LIMIT_SEARCH_TASK_CHARS + 1);
    for (size_t more = 0; more <= 1; more++) {
        haft_str query = haft__offer_index_truncate_query(
            (haft_str){text, HAFT__LIMIT_SEARCH_TASK_CHARS + more});
        CHECK_INT(query.len, HAFT__LIMIT_SEARCH_TASK_CHARS, "%zu more than the limit", more);
    }
}

TEST(making_an_index_survives_failed_allocations)
{
    for (unsigned n = 0;; n++) {
        world w;
        char key[HAFT__SHA256_HEX];
        world_init(&w, "agent; server=post,send,take");
        test_fail_allocation(n);
        haft_status status = haft__offer_index_key(&w.offer, key, NULL);
        status = status == HAFT_OK
                     ? haft__offer_index_search_once(&w.ask, HELP_KEY, NULL, &w.arena, NULL)
                     : status;
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&w.arena);
        if (!failed) {
            CHECK(n > 1, "no allocation was made");
            break;
        }
    }
}
