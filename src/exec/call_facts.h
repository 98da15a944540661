/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/call_facts.h - the facts that a tool gets about its call: as environment variables of a
 * command, as headers of an HTTP request, in `_meta` of an MCP call. Private to src/exec.
 */
#ifndef HAFT_EXEC_CALL_FACTS_H
#define HAFT_EXEC_CALL_FACTS_H

#include "exec/exec.h"

typedef struct haft__call_fact {
    const char *variable, *header, *meta; /* the names */
    haft_str value;                       /* a number as text */
    bool is_number;
    uint64_t number;
    bool fences; /* protects from a second effect: the idempotency key and the epoch */
} haft__call_fact;

enum { HAFT__CALL_FACT_COUNT = 9 };

/* Lists the facts of a call that have a value. Texts live in the arena or in `facts`. */
HAFT_MUST_USE haft_status haft__call_facts_list(const haft_call_facts *facts, haft__arena *arena,
                                                haft__call_fact list[HAFT__CALL_FACT_COUNT],
                                                size_t *ret_count, haft_error *err);

#endif
