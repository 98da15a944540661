/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/call_results.c. */
#include "model/call_results.h"

#include "base/str.h"
#include "test.h"

static const haft__message_call calls[] = {{.id = HAFT__LIT("a")}, {.id = HAFT__LIT("b")}};
static haft__message items[] = {
    {.role = HAFT__MESSAGE_ASSISTANT, .calls = calls, .call_count = 2},
    {.role = HAFT__MESSAGE_TOOL, .call_id = HAFT__LIT("b")},
    {.role = HAFT__MESSAGE_TOOL, .call_id = HAFT__LIT("c")},
    {.role = HAFT__MESSAGE_USER},
};

TEST(results_are_counted_and_found_by_their_calls)
{
    haft__messages messages = {.items = items, .count = COUNT(items)};
    static const struct {
        size_t index, count;
        bool has_turn, is_message;
    } rows[] = {
        {0, 0, false, true}, /* the turn itself */
        {1, 2, true, false},
        {2, 1, false, false}, /* the message before has no calls */
        {3, 0, false, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__call_batch batch = haft__call_results_at(&messages, rows[i].index);
        CHECK_INT(batch.count, rows[i].count, "%zu", i);
        CHECK(batch.turn == (rows[i].has_turn ? &items[0] : NULL), "%zu: the turn", i);
        CHECK(batch.message == (rows[i].is_message ? &items[rows[i].index] : NULL), "%zu", i);
    }
    CHECK(haft__call_results_find(&items[1], 2, HAFT__LIT("b")) == &items[1], "found");
    CHECK(haft__call_results_find(&items[1], 2, HAFT__LIT("a")) == NULL, "missing");
    CHECK(haft__call_results_has_call(&items[0], &items[1]), "its call");
    CHECK(!haft__call_results_has_call(&items[0], &items[2]), "no call");
    CHECK(!haft__call_results_has_call(NULL, &items[1]), "no turn");
}
