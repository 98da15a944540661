/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompt/context.h - decides which messages of a history give way so that a request fits the
 * context of its model.
 *
 *     1. old observations become stubs that name their call        HAFT__CONTEXT_CLEAR
 *     2. old turns are replaced by a text                           HAFT__CONTEXT_REPLACE
 *     3. if the request still does not fit: the largest observations, also new ones
 *     4. nothing is left                                            HAFT__CONTEXT_FULL
 *
 * A call and its result stay together. Pure: sizes in, indices out. A plan that changes something
 * makes the history smaller, so planning again comes to an end.
 */
#ifndef HAFT_PROMPT_CONTEXT_H
#define HAFT_PROMPT_CONTEXT_H

#include "base/arena.h"

/* A message, by its size. Sizes are estimates before the factor (prompt/estimate.h). */
typedef struct haft__context_part {
    uint64_t tokens;
    uint64_t stub_tokens; /* of an observation: with a stub as its text */
    bool is_head;         /* the system prompt or the task: it stays as it is */
    bool is_observation;  /* the result of a call, not a stub yet */
    bool is_spared;       /* ... that becomes a stub only if the request does not fit otherwise */
    bool begins_turn;     /* a message of the assistant: it and what follows can stay alone */
    bool is_pinned;       /* a result that reveals tools: it stays, with its whole turn */
} haft__context_part;

typedef struct haft__context_rule {
    bool on;
    uint32_t at;   /* percent of the budget */
    uint32_t keep; /* the last observations, or the last turns */
} haft__context_rule;

typedef struct haft__context_facts {
    const haft__context_part *parts;
    size_t count;
    uint64_t fixed;  /* everything that is no message: definitions, the correction */
    uint32_t factor; /* prompt/estimate.h */
    uint64_t budget; /* tokens that the request may have */
    haft__context_rule clear, replace;
    uint64_t old_text;  /* of the text that stands in place of old turns already */
    uint64_t most_text; /* of a new one, at most */
} haft__context_facts;

typedef enum haft__context_action {
    HAFT__CONTEXT_KEEP,
    HAFT__CONTEXT_CLEAR,
    HAFT__CONTEXT_REPLACE,
    HAFT__CONTEXT_FULL, /* the request does not fit */
} haft__context_action;

typedef struct haft__context_plan {
    haft__context_action action;
    bool *cleared;   /* of CLEAR: for each message, in the caller's arena */
    size_t end;      /* of REPLACE: the first message that stays; those before it are replaced,
                        except heads and pinned turns */
    uint64_t text;   /* of REPLACE: the most that the text in their place may have */
    uint64_t before; /* tokens of the request now, */
    uint64_t after;  /* and after a CLEAR */
    bool must;       /* the request does not fit as it is */
} haft__context_plan;

/* Fails only when out of memory. */
HAFT_MUST_USE haft_status haft__context_plan_request(const haft__context_facts *facts,
                                                     haft__arena *arena,
                                                     haft__context_plan *ret_plan, haft_error *err);

/* Marks the messages before `end` that a REPLACE removes, in `removed`, which has facts->count
 * items. Returns their number. */
size_t haft__context_mark_removed(const haft__context_part *parts, size_t count, size_t end,
                                  bool *removed);

#endif
