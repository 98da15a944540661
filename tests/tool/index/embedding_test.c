/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/index/embedding.c: external vectors. */
#include "base/limits.h"
#include "test.h"
#include "tool/index/search_int.h"
#include "tool/search_help.h"

static const search_tool tools[] = {
    {"a", "alpha", "", "", NULL}, {"b", "beta", "", "", NULL}, {"c", "gamma", "", "", NULL}};
static const float east[] = {1, 0, 0}, north[] = {0, 2, 0.1F}, north_east[] = {3, 4, 0};

static haft_status set(haft__search_index *search, const char *id, const char *model,
                       const float *numbers, size_t dimensions, haft_error *err)
{
    haft__search_embedding given = {haft__str(model), numbers, dimensions};
    return haft__search_set_embedding(search, haft__str(id), &given, err);
}

static haft_str first(const haft__search_index *search, const char *query, const char *model,
                      const float *numbers, size_t dimensions)
{
    haft__arena arena;
    haft__search_hit *hits = NULL;
    size_t count = 0;
    haft__search_embedding given = {haft__str(model), numbers, dimensions};
    haft__arena_init(&arena, 0);
    CHECK(haft__search_query_embedding(search, haft__str(query), &given, 5, &arena, &hits, &count,
                                       NULL)
              == HAFT_OK,
          "query");
    char *text = test_alloc(64);
    int length = 0;
    if (count > 0) {
        length = snprintf(text, 64, "%.*s:%s", HAFT__ARG(hits[0].id), hits[0].why);
    }
    haft__arena_finish(&arena);
    return (haft_str){text, (size_t)length};
}

TEST(external_vectors_count)
{
    haft__search_index *search = search_make(tools, COUNT(tools), NULL);
    CHECK(set(search, "b", "m", east, 3, NULL) == HAFT_OK, "set the vector of b");
    CHECK(set(search, "c", "m", north, 3, NULL) == HAFT_OK, "set the vector of c");
    CHECK_STR(first(search, "zzz", "m", east, 3), HAFT__LIT("b:meaning"), "the nearest vector");
    CHECK_STR(first(search, "zzz", "m", north_east, 3), HAFT__LIT("c:meaning"),
              "the nearer of two vectors");
    CHECK_STR(first(search, "alpha", "m", east, 3), HAFT__LIT("a:exact name"), "words count, too");
    CHECK_STR(first(search, "zzz", "other", east, 3), HAFT__LIT(""), "another model");
    CHECK_STR(first(search, "zzz", "m", east, 2), HAFT__LIT(""), "other dimensions");
    CHECK(search_add(search, &tools[1]) == HAFT_OK, "replace b");
    CHECK_STR(first(search, "zzz", "m", east, 3), HAFT__LIT(""),
              "a replaced document loses its vector");
    CHECK(set(search, "b", "m", east, 3, NULL) == HAFT_OK, "set the vector of b again");
    CHECK(haft__search_remove(search, HAFT__LIT("b")), "remove b");
    CHECK_STR(first(search, "zzz", "m", east, 3), HAFT__LIT(""),
              "a removed document has no vector");
    haft__search_drop_embeddings(search);
    CHECK(set(search, "a", "other", east, 2, NULL) == HAFT_OK, "set a vector of another model");
    CHECK_STR(first(search, "zzz", "other", east, 2), HAFT__LIT("a:meaning"),
              "the new vector counts");
    haft__search_destroy(search);
}

TEST(invalid_vectors_are_rejected)
{
    static float many[HAFT__LIMIT_SEARCH_DIMENSIONS + 1];
    float zero = 0, none[] = {1, zero / zero}, endless[] = {1 / zero};
    haft__search_index *search = search_make(tools, COUNT(tools), NULL);
    haft_error err = {0};
    many[0] = 1;
    CHECK_INT(set(search, "x", "m", east, 3, &err), HAFT_NOT_FOUND,
              "a vector of a missing document");
    CHECK_STR(haft__str(err.message), HAFT__LIT("there is no document 'x'"), "error message");
    CHECK_INT(set(search, "a", "m", east, 0, &err), HAFT_BAD_INPUT, "a vector without numbers");
    CHECK_INT(set(search, "a", "m", none, 2, &err), HAFT_BAD_INPUT, "a NaN in the vector");
    CHECK_INT(set(search, "a", "m", endless, 1, &err), HAFT_BAD_INPUT,
              "an infinite number in the vector");
    CHECK_INT(set(search, "a", "m", many, COUNT(many), &err), HAFT_TOO_BIG, "past the limit");
    CHECK_INT(set(search, "a", "m", many, COUNT(many) - 1, &err), HAFT_OK, "at the limit");
    CHECK_STR(first(search, "zzz", "m", many, COUNT(many) - 1), HAFT__LIT("a:meaning"),
              "the vector at the limit counts");
    CHECK_INT(set(search, "b", "n", many, COUNT(many) - 1, &err), HAFT_BAD_INPUT, "a second model");
    CHECK_STR(haft__str(err.message),
              HAFT__LIT("found a vector of 'n' with 8192 numbers, the others are of 'm' with 8192"),
              "error message");
    CHECK_INT(set(search, "b", "m", east, 3, &err), HAFT_BAD_INPUT,
              "a vector with other dimensions");
    haft__search_destroy(search);
}

TEST(vectors_survive_every_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        haft__search_index *search = search_make(tools, COUNT(tools), NULL);
        test_fail_allocation(n);
        haft_status status = set(search, "c", "m", east, 3, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        CHECK_STR(first(search, "zzz", "m", east, 3), haft__str(failed ? "" : "c:meaning"),
                  "allocation %u", n);
        haft__search_destroy(search);
        if (!failed) {
            break;
        }
    }
}
