/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/call_facts.h"
#include "test.h"

#include "base/buf.h"
#include "base/str.h"

static void check_list(const haft_call_facts *facts, const char *expected)
{
    haft__arena arena;
    haft__buf buf;
    haft__call_fact list[HAFT__CALL_FACT_COUNT];
    size_t count = 0;
    haft__arena_init(&arena, 4096);
    haft__buf_init(&buf, 4096);
    CHECK_INT(haft__call_facts_list(facts, &arena, list, &count, NULL), HAFT_OK, "%s", expected);
    for (size_t i = 0; i < count; i++) {
        haft__buf_addf(&buf, "%s%s %s %s%s=%.*s", i > 0 ? "\n" : "", list[i].variable,
                       list[i].header, list[i].meta, list[i].fences ? "!" : "",
                       HAFT__ARG(list[i].value));
    }
    CHECK_STR(haft__buf_str(&buf), haft__str(expected), "the facts");
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
}

TEST(each_fact_has_a_name_for_every_kind_of_tool)
{
    check_list(&(haft_call_facts){.struct_size = sizeof(haft_call_facts),
                                  .call = "c1.2",
                                  .run = "r",
                                  .thread = "t",
                                  .user = "ann",
                                  .idempotency_key = "r:c1.2",
                                  .attempt = 2,
                                  .remaining_turns = 0,
                                  .epoch = 3,
                                  .traceparent = "00-1-2-01"},
               "HAFT_RUN Haft-Run internal.haft/run=r\n"
               "HAFT_THREAD Haft-Thread internal.haft/thread=t\n"
               "HAFT_CALL Haft-Call internal.haft/call=c1.2\n"
               "HAFT_USER Haft-User internal.haft/user=ann\n"
               "HAFT_IDEMPOTENCY_KEY Idempotency-Key internal.haft/idempotencyKey!=r:c1.2\n"
               "TRACEPARENT traceparent traceparent=00-1-2-01\n"
               "HAFT_ATTEMPT Haft-Attempt internal.haft/attempt=2\n"
               "HAFT_REMAINING_TURNS Haft-Remaining-Turns internal.haft/remainingTurns=0\n"
               "HAFT_EPOCH Haft-Epoch internal.haft/epoch!=3");
}

TEST(a_call_outside_a_run_has_only_the_facts_that_it_knows)
{
    check_list(&(haft_call_facts){.struct_size = sizeof(haft_call_facts)}, "");
    check_list(&(haft_call_facts){.struct_size = sizeof(haft_call_facts),
                                  .call = "7",
                                  .run = "",
                                  .thread = "",
                                  .user = "",
                                  .idempotency_key = "",
                                  .attempt = 1},
               "HAFT_CALL Haft-Call internal.haft/call=7\n"
               "HAFT_ATTEMPT Haft-Attempt internal.haft/attempt=1");
}
