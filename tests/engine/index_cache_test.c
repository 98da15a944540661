/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/index_cache.c: an index is built once for each set of tools, and the number
 * of cached indexes is bounded. */
#include "engine/index_cache.h"

#include "run/run_help.h"

static void search(haft__index_cache *cache, const char *words, const char *query, haft_str best)
{
    haft__arena arena;
    help_spec s;
    haft__offer offer;
    haft__arena_init(&arena, 0);
    help_spec_init(&s, &arena, haft__str(words));
    CHECK_INT(
        haft__resolve(&s.spec, NULL, s.servers.listings, s.servers.count, &arena, &offer, NULL),
        HAFT_OK, "%s", words);
    haft__reveal_request ask = {.spec = &s.spec, .offer = &offer, .query = haft__str(query)};
    CHECK_INT(haft__index_cache_search(cache, &ask, NULL, HELP_KEY, &arena, NULL), HAFT_OK, "%s",
              words);
    CHECK_STR(ask.hit_count > 0 ? ask.hits[0].name : HAFT__LIT(""), best, "%s", words);
    haft__arena_finish(&arena);
}

TEST(an_index_is_built_once)
{
    haft__index_cache cache = {.load_attempted = true}; /* without vectors */
    search(&cache, "agent; server=docs,send,take", "send", HAFT__LIT("docs:send"));
    search(&cache, "agent; tools=look; server=docs,send,take", "take", HAFT__LIT("docs:take"));
    CHECK_INT(cache.built, 1, "indexes that were built for one set of tools");
    search(&cache, "agent; server=docs,send", "take", HAFT__LIT(""));
    CHECK_INT(cache.built, 2, "indexes that were built for two sets of tools");
    haft__index_cache_finish(&cache);
    CHECK_INT(cache.count, 0, "indexes after the end");
}

/* Words with nearly the same meaning are found with the shipped table, if there is one. */
TEST(the_table_of_vectors_is_loaded_once)
{
    haft__index_cache cache = {.count = 0};
    search(&cache, "agent; server=docs,send,take", "send", HAFT__LIT("docs:send"));
    CHECK(cache.load_attempted, "the table was not looked for");
    haft__index_cache_finish(&cache);
    CHECK(!cache.load_attempted && !cache.vectors.found, "the table was not released");
}

/* The cache is full, and one more: the least recently used index is evicted. */
TEST(the_number_of_cached_indexes_is_bounded)
{
    haft__index_cache cache = {.load_attempted = true}; /* without vectors */
    char words[64], name[64];
    for (int i = 0; i < HAFT__LIMIT_SEARCH_INDEXES; i++) {
        (void)snprintf(words, sizeof(words), "agent; server=docs%d,send", i);
        (void)snprintf(name, sizeof(name), "docs%d:send", i);
        search(&cache, words, "send", haft__str(name));
    }
    search(&cache, "agent; server=docs0,send", "send", HAFT__LIT("docs0:send")); /* used again */
    CHECK_INT(cache.built, HAFT__LIMIT_SEARCH_INDEXES, "an index within the limit was built again");
    search(&cache, "agent; server=docs,other", "send", HAFT__LIT("")); /* replaces docs1 */
    CHECK_INT(cache.count, HAFT__LIMIT_SEARCH_INDEXES, "cached indexes");
    search(&cache, "agent; server=docs0,send", "send", HAFT__LIT("docs0:send"));
    search(&cache, "agent; server=docs2,send", "send", HAFT__LIT("docs2:send"));
    CHECK_INT(cache.built, HAFT__LIMIT_SEARCH_INDEXES + 1, "a recently used index was built again");
    search(&cache, "agent; server=docs1,send", "send", HAFT__LIT("docs1:send"));
    CHECK_INT(cache.built, HAFT__LIMIT_SEARCH_INDEXES + 2, "the evicted index was not built again");
    haft__index_cache_finish(&cache);
}

TEST(searching_survives_failed_allocations)
{
    for (unsigned n = 0;; n++) {
        haft__index_cache cache = {.load_attempted = true}; /* without vectors */
        haft__arena arena;
        help_spec s;
        haft__offer offer;
        haft__arena_init(&arena, 0);
        help_spec_init(&s, &arena, HAFT__LIT("agent; server=docs,send,take"));
        CHECK_INT(haft__resolve(&s.spec, NULL, s.servers.listings, 1, &arena, &offer, NULL),
                  HAFT_OK, "resolve");
        haft__reveal_request ask = {.spec = &s.spec, .offer = &offer, .query = HAFT__LIT("send")};
        test_fail_allocation(n);
        haft_status status = haft__index_cache_search(&cache, &ask, NULL, HELP_KEY, &arena, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__index_cache_finish(&cache);
        haft__arena_finish(&arena);
        if (!failed) {
            CHECK(n > 1, "no allocation failed");
            break;
        }
    }
}
