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
    CHECK_INT(haft__call_results_count(&messages, 1), 2, "results after the first turn");
    CHECK_INT(haft__call_results_count(&messages, 0), 0, "a turn is not a result");
    CHECK_INT(haft__call_results_count(&messages, 3), 0, "a user message is not a result");
    CHECK_INT(haft__call_results_count(&messages, 4), 0, "no results after the last message");
    CHECK(haft__call_results_find(&items[1], 2, HAFT__LIT("b")) == &items[1],
          "the result of call b");
    CHECK(haft__call_results_find(&items[1], 2, HAFT__LIT("a")) == NULL, "call a has no result");
    CHECK(haft__call_results_has_call(&items[0], &items[1]),
          "the turn has the call of this result");
    CHECK(!haft__call_results_has_call(&items[0], &items[2]),
          "the turn has no call of this result");
    CHECK(!haft__call_results_has_call(NULL, &items[1]), "without a turn no call is found");
}
