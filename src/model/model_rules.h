/* SPDX-License-Identifier: Apache-2.0 */
/* model/model_rules.h - rules of single models that their provider's row does not have, found by
 * the model's name: whether a call can be forced, what signed reasoning is bound to, and whether it
 * may be missing. */
#ifndef HAFT_MODEL_MODEL_RULES_H
#define HAFT_MODEL_MODEL_RULES_H

#include "model/provider.h"

/* Tools in requests to OpenAI's own Chat Completions API. */
#define HAFT__CHAT_TOOLS(X)                                                                        \
    X(ALWAYS, "")                                                                                  \
    X(WITHOUT_REASONING, "only without reasoning") /* only with reasoning_effort none */           \
    X(NEVER, "takes none")                         /* the model cannot leave out reasoning */

typedef enum haft__chat_tools {
#define X(name, text) HAFT__CHAT_TOOLS_##name,
    HAFT__CHAT_TOOLS(X)
#undef X
} haft__chat_tools;

const char *haft__chat_tools_text(haft__chat_tools rule);

typedef struct haft__model_rules {
    const char *pattern; /* the start of the model's name; "" for a model without a row */
    bool no_force;       /* a choice that forces a call is answered 400 */
    /* Signed reasoning is valid only after exactly the system prompt, tools and messages that it
     * was written after. None of them changes during a run. */
    bool binds_reasoning;
    bool fixed_sampling; /* rejects temperature and top_p while it reasons, which it does unless
                          * reasoning_effort is none */
    haft__chat_tools chat_tools;
    bool thinks_by_budget; /* has thinkingBudget, but no thinkingLevel */
    bool takes_late_tools; /* accepts definitions of tools in the middle of the history */
    /* A call in the history without the signature of its reasoning is answered 400. */
    bool needs_signatures;
} haft__model_rules;

/* The models that differ from the others; for docs/providers.md. */
const haft__model_rules *haft__model_rules_all(size_t *ret_count);

/* The row of a model; never NULL. Words of other hosts before the name are skipped:
 * us.anthropic.claude-.., anthropic/claude-... */
const haft__model_rules *haft__model_rules_find(haft_str model);

/* Whether requests to this model may have tools. ALWAYS for providers other than OpenAI's own Chat
 * Completions API. */
haft__chat_tools haft__model_chat_tools(const haft__provider *provider, haft_str model);

/* How deferred tools reach the model. `refused`: members that its server rejects. If not NONE, a
 * reveal does not change the beginning of the request. */
haft__deferral haft__model_deferral(const haft__provider *provider, haft_str model,
                                    haft__member_set refused);

/* How a call is forced. */
#define HAFT__FORCE_RULES(X)                                                                       \
    X(NATIVE, "tool_choice of the provider")                                                       \
    X(MODEL, "in words: the model answers 400 to a forced call")                                   \
    X(THINKING, "in words: the provider refuses a forced call while the model thinks")             \
    X(REFUSED, "in words: the server refused tool_choice")

typedef enum haft__force_rule {
#define X(name, text) HAFT__FORCE_##name,
    HAFT__FORCE_RULES(X)
#undef X
} haft__force_rule;

const char *haft__force_rule_text(haft__force_rule rule);

/* The rule for a model with these model.options. `refused`: members that its server rejects. If the
 * rule is not NATIVE, the request leaves the choice to the model, a message demands the call, and
 * haft checks the reply. */
haft__force_rule haft__model_force_rule(const haft__provider *provider, haft_str model,
                                        haft__json options, haft__member_set refused);

#endif
