/* SPDX-License-Identifier: Apache-2.0 */
/* call_facts.c - the facts that a tool gets about its call. Tests: tests/exec/call_facts_test.c. */
#include "exec/call_facts.h"

#include "base/macros.h"
#include "base/str.h"
#include "mcp/version.h"

haft_status haft__call_facts_list(const haft_call_facts *facts, haft__arena *arena,
                                  haft__call_fact list[HAFT__CALL_FACT_COUNT], size_t *ret_count,
                                  haft_error *err)
{
    const struct {
        const char *variable, *header, *meta, *text;
        bool fences;
    } texts[] = {
        {"HAFT_RUN", "Haft-Run", HAFT__MCP_META "run", facts->run, false},
        {"HAFT_THREAD", "Haft-Thread", HAFT__MCP_META "thread", facts->thread, false},
        {"HAFT_CALL", "Haft-Call", HAFT__MCP_META "call", facts->call, false},
        {"HAFT_USER", "Haft-User", HAFT__MCP_META "user", facts->user, false},
        {"HAFT_IDEMPOTENCY_KEY", "Idempotency-Key", HAFT__MCP_META_KEY, facts->idempotency_key,
         true},
        {"TRACEPARENT", "traceparent", "traceparent", facts->traceparent, false},
    };
    const struct {
        const char *variable, *header, *meta;
        unsigned long long number;
        bool known, fences;
    } numbers[] = {
        {"HAFT_ATTEMPT", "Haft-Attempt", HAFT__MCP_META "attempt", facts->attempt,
         facts->attempt > 0, false},
        {"HAFT_REMAINING_TURNS", "Haft-Remaining-Turns", HAFT__MCP_META "remainingTurns",
         facts->remaining_turns, facts->thread != NULL && facts->thread[0] != '\0', false},
        {"HAFT_EPOCH", "Haft-Epoch", HAFT__MCP_META_EPOCH, facts->epoch, facts->epoch > 0, true},
    };
    size_t count = 0;
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (texts[i].text != NULL && texts[i].text[0] != '\0') {
            list[count++] = (haft__call_fact){.variable = texts[i].variable,
                                              .header = texts[i].header,
                                              .meta = texts[i].meta,
                                              .fences = texts[i].fences,
                                              .value = haft__str(texts[i].text)};
        }
    }
    for (size_t i = 0; i < COUNT(numbers); i++) {
        if (numbers[i].known) {
            haft_str value = haft__arena_format(arena, "%llu", numbers[i].number);
            if (value.ptr == NULL) {
                return haft__arena_fail(arena, err);
            }
            list[count++] = (haft__call_fact){.variable = numbers[i].variable,
                                              .header = numbers[i].header,
                                              .meta = numbers[i].meta,
                                              .is_number = true,
                                              .number = numbers[i].number,
                                              .fences = numbers[i].fences,
                                              .value = value};
        }
    }
    *ret_count = count;
    return HAFT_OK;
}
