/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/member_memory.c. */
#include "engine/member_memory.h"

#include "base/str.h"
#include "test.h"

#define BIT(name) HAFT__MEMBER_BIT(HAFT__MEMBER_##name)

static haft__member_memory *find(haft__member_memory **list, const char *url, const char *model)
{
    haft__member_memory *memory = NULL;
    CHECK_INT(haft__member_memory_find(list, haft__str(url), haft__str(model), &memory, NULL),
              HAFT_OK, "%s %s", url, model);
    return memory;
}

TEST(each_model_at_each_url_has_its_memory)
{
    haft__member_memory *list = NULL;
    haft__member_memory *first = find(&list, "http://a/v1", "m");
    CHECK(find(&list, "http://a/v1", "m") == first, "the same URL and model");
    CHECK(find(&list, "http://a/v1", "n") != first, "another model");
    CHECK(find(&list, "http://a/v1m", "") != first, "another URL");
    CHECK(find(&list, "http://a/v1m", "") == find(&list, "http://a/v1m", ""), "no model");
    CHECK(find(&list, "http://a/v1", "m") == first, "the first entry is gone");
    haft__member_memory_free(list);
}

TEST(only_an_answered_request_is_remembered)
{
    haft__member_memory *list = NULL;
    haft__member_memory *memory = find(&list, "http://a/v1", "m");
    const uint16_t statuses[HAFT__MEMBER_COUNT] = {
        [HAFT__MEMBER_PARALLEL] = 422, [HAFT__MEMBER_SCHEMA] = 500};
    haft__member_memory_learn(memory, BIT(STREAM_OPTIONS), BIT(PARALLEL), statuses);
    CHECK_INT(memory->accepted, BIT(STREAM_OPTIONS), "accepted");
    CHECK_INT(memory->refused, BIT(PARALLEL), "refused");
    CHECK_INT(memory->statuses[HAFT__MEMBER_PARALLEL], 422, "the status of the refusal");
    haft__member_memory_learn(memory, BIT(STRICT), BIT(STRICT), statuses);
    CHECK_INT(memory->refused, BIT(PARALLEL), "a member that was sent counts as refused");
    haft__member_memory_learn(memory, 0, BIT(SCHEMA), statuses);
    CHECK_INT(memory->refused, BIT(PARALLEL), "a server error is kept");
    haft__member_memory_free(list);
}

TEST(out_of_memory_adds_no_entry)
{
    haft__member_memory *list = NULL, *memory = NULL;
    test_fail_allocation(0);
    haft_status status =
        haft__member_memory_find(&list, HAFT__LIT("http://a"), HAFT__LIT("m"), &memory, NULL);
    (void)test_allow_allocations();
    CHECK(status == HAFT_NO_MEMORY && list == NULL, "out of memory");
}
