/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompt/context.h - decides which messages of a history are shortened or removed, so that a
 * request fits the context of its model.
 *
 *     1. old observations become stubs that name their call        HAFT__CONTEXT_CLEAR
 *     2. old turns are replaced by a text                           HAFT__CONTEXT_REPLACE
 *     3. if the request still does not fit: the largest observations, also new ones
 *     4. nothing is left                                            HAFT__CONTEXT_FULL
 *
 * A call and its result stay together. The functions read sizes and return indices. Each change
 * makes the history smaller, so repeated planning ends.
 */
#ifndef HAFT_PROMPT_CONTEXT_H
#define HAFT_PROMPT_CONTEXT_H

#include "base/arena.h"

/* The minimum percentage of the budget that a change must save, because each change invalidates the
 * provider's cache. Not required if the request does not fit. */
#define HAFT__CONTEXT_MIN_PERCENT 10

/* A message, by its size. Sizes are estimates before the factor (prompt/estimate.h). */
typedef struct haft__context_part {
    uint64_t tokens;
    uint64_t stub_tokens; /* for an observation: its size with a stub as its text */
    bool is_head;         /* the system prompt or the task: never changed */
    bool is_observation;  /* the result of a call that is not a stub yet */
    bool is_spared;       /* an observation that becomes a stub only if nothing else helps */
    bool begins_turn; /* the history may begin with this message: a message of the assistant; before
                       * the task of the run, a task of an earlier run of the thread */
    bool is_pinned;   /* a result that reveals tools: its whole turn stays */
} haft__context_part;

typedef struct haft__context_rule {
    bool on;
    uint32_t at;   /* the rule applies above this percentage of the budget */
    uint32_t keep; /* number of last observations or last turns that stay */
} haft__context_rule;

typedef struct haft__context_facts {
    const haft__context_part *parts;
    size_t count;
    uint64_t fixed;  /* tokens of the parts that are not messages: definitions, the correction */
    uint32_t factor; /* see prompt/estimate.h */
    uint64_t budget; /* maximum tokens of the request */
    haft__context_rule clear, replace;
    uint64_t old_text;  /* tokens of the current text that replaces old turns */
    uint64_t most_text; /* maximum tokens of a new text */
} haft__context_facts;

typedef enum haft__context_action {
    HAFT__CONTEXT_KEEP,
    HAFT__CONTEXT_CLEAR,
    HAFT__CONTEXT_REPLACE,
    HAFT__CONTEXT_FULL, /* the request does not fit */
} haft__context_action;

typedef struct haft__context_plan {
    haft__context_action action;
    bool *cleared;    /* for CLEAR: whether each message becomes a stub; in the caller's arena */
    size_t end;       /* for REPLACE: the first message that stays; earlier messages are replaced,
                       * except heads and pinned turns */
    uint64_t text;    /* for REPLACE: maximum tokens of the text that replaces them */
    uint64_t before;  /* tokens of the current request */
    uint64_t after;   /* tokens after a CLEAR */
    bool over_budget; /* the current request does not fit */
} haft__context_plan;

/* The tokens that a text saves in place of turns with `gone` tokens; 0 if nothing is gone. Sets the
 * maximum size of the text. */
uint64_t haft__context_saved_by_text(uint64_t gone, uint64_t old_text, uint64_t most_text,
                                     uint64_t *ret_text);

/* Decides the next change. Fails only when out of memory. */
HAFT_MUST_USE haft_status haft__context_plan_request(const haft__context_facts *facts,
                                                     haft__arena *arena,
                                                     haft__context_plan *ret_plan, haft_error *err);

/* Marks the messages before `end` that a REPLACE removes, in `removed`, which has facts->count
 * items. Returns their number. */
size_t haft__context_mark_removed(const haft__context_part *parts, size_t count, size_t end,
                                  bool *removed);

#endif
