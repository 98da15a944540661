/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/member_memory.c. */
#include "engine/member_memory.h"

#include "base/str.h"
#include "test.h"

#define BIT(name)  HAFT__MEMBER_BIT(HAFT__MEMBER_##name)
#define KEY(digit) digit digit digit digit digit digit digit digit
#define A          KEY("01234567")
#define B          KEY("89abcdef")

static haft__member_memory *find(haft__member_memory **list, const char *key)
{
    haft__member_memory *memory = NULL;
    CHECK_INT(haft__member_memory_find(list, haft__str(key), &memory, NULL), HAFT_OK, "%s", key);
    return memory;
}

TEST(each_key_has_its_memory)
{
    haft__member_memory *list = NULL;
    haft__member_memory *first = find(&list, A);
    CHECK(find(&list, A) == first, "the same key");
    CHECK(find(&list, B) != first, "another key");
    CHECK(find(&list, A) == first, "the first entry is gone");
    haft__member_memory_free(list);
}

TEST(only_an_answered_request_is_remembered)
{
    haft__member_memory *list = NULL;
    haft__member_memory *memory = find(&list, A);
    const haft__member_texts texts = {
        .hash = {[HAFT__MEMBER_SCHEMA] = 7, [HAFT__MEMBER_STRICT] = 8}};
    const uint16_t statuses[HAFT__MEMBER_COUNT] = {[HAFT__MEMBER_PARALLEL] = 422,
                                                   [HAFT__MEMBER_STRICT] = 400,
                                                   [HAFT__MEMBER_GRAMMAR] = 400,
                                                   [HAFT__MEMBER_SCHEMA] = 500};
    const struct {
        const char *name;
        haft__member_set sent, left_out, known;
        bool is_new;
    } cases[] = {
        {"a member that was left out", BIT(STREAM_OPTIONS), BIT(PARALLEL), BIT(PARALLEL), true},
        {"the same again", BIT(STREAM_OPTIONS), BIT(PARALLEL), BIT(PARALLEL), false},
        {"a member that was sent", BIT(STRICT), BIT(STRICT), BIT(PARALLEL), false},
        {"a server error", 0, BIT(SCHEMA), BIT(PARALLEL), false},
        {"a text that another process sent", 0, BIT(GRAMMAR), BIT(PARALLEL), false},
        {"a text that this process sent", 0, BIT(STRICT), BIT(PARALLEL) | BIT(STRICT), true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const haft__left_out left_out = {
            .members = cases[i].left_out, .statuses = statuses, .texts = &texts};
        CHECK_INT(haft__member_memory_learn(memory, cases[i].sent, &left_out, 1000),
                  cases[i].is_new, "%s", cases[i].name);
        CHECK_INT(haft__refusals_of(&memory->refused, &texts, 1000), cases[i].known, "%s",
                  cases[i].name);
    }
    CHECK_INT(memory->accepted, BIT(STREAM_OPTIONS) | BIT(STRICT), "accepted");
    const haft__refusal *found =
        haft__refusals_find(&memory->refused, HAFT__MEMBER_PARALLEL, &texts, 1000);
    CHECK_INT(found != NULL ? found->status : 0, 422, "the status of the refusal");
    haft__member_memory_free(list);
}

TEST(out_of_memory_adds_no_entry)
{
    haft__member_memory *list = NULL, *memory = NULL;
    test_fail_allocation(0);
    haft_status status = haft__member_memory_find(&list, haft__str(A), &memory, NULL);
    (void)test_allow_allocations();
    CHECK(status == HAFT_NO_MEMORY && list == NULL, "out of memory");
}
