/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/optional_member.h - members of a request that a server may reject and that a request can
 * leave out: a list of allowed tools, a constraint, stream_options ...
 *
 * Each wire format has a table with the names of its own members
 * (haft__provider_api.optional_members). A request reports which of them it has. If the server
 * rejects one of them, the same request is sent once more without it, and so are all later ones.
 */
#ifndef HAFT_MODEL_OPTIONAL_MEMBER_H
#define HAFT_MODEL_OPTIONAL_MEMBER_H

#include "base/limits.h"
#include "model/model.h"

/* The purpose of a member, in any wire format. */
typedef enum haft__member {
    HAFT__MEMBER_ALLOWED_TOOLS,  /* a choice of several tools; else of any tool */
    HAFT__MEMBER_NAMED_CHOICE,   /* a choice of one tool; else this tool is sent alone */
    HAFT__MEMBER_TOOL_CHOICE,    /* a forced call; else the model is free, and haft checks */
    HAFT__MEMBER_PARALLEL,       /* no parallel calls; else haft runs calls one after the other */
    HAFT__MEMBER_STRICT,         /* strict schemas of tools; else the tools' own schemas */
    HAFT__MEMBER_STREAM_OPTIONS, /* token counts in a stream; else they may be missing */
    HAFT__MEMBER_GRAMMAR,        /* a constraint (GBNF); else haft checks the reply */
    HAFT__MEMBER_SCHEMA,         /* a constraint (JSON Schema); else haft checks the reply */
    HAFT__MEMBER_INCLUDE,        /* encrypted reasoning; else it is not sent back */
    HAFT__MEMBER_CACHE,          /* marks for the provider's cache */
    HAFT__MEMBER_DEFER,          /* tools outside the list of tools; else the list grows */
    HAFT__MEMBER_EFFORT,         /* reasoning_effort; else the model reasons as it does by itself */
    HAFT__MEMBER_COUNT,
} haft__member;

/* A set of members: the bits 1 << member. */
typedef uint32_t haft__member_set;

#define HAFT__MEMBER_BIT(member) ((haft__member_set)1 << (member))
#define HAFT__MEMBER_CONSTRAINTS                                                                   \
    (HAFT__MEMBER_BIT(HAFT__MEMBER_GRAMMAR) | HAFT__MEMBER_BIT(HAFT__MEMBER_SCHEMA))

/* Members with a text that differs from spec to spec: the server may reject one text and accept
 * another. */
#define HAFT__MEMBER_WITH_TEXT (HAFT__MEMBER_CONSTRAINTS | HAFT__MEMBER_BIT(HAFT__MEMBER_STRICT))

/* The hash of the text of each member, the same in every process; 0 for a member without a text. */
typedef struct haft__member_texts {
    uint64_t hash[HAFT__MEMBER_COUNT];
} haft__member_texts;

/* The texts of a request. `tools`: the declared tools as JSON text. */
haft__member_texts haft__member_texts_of(const haft__request *request, haft_str tools);

/* ---- members that a server has rejected ---- */

typedef struct haft__refusal {
    haft__member member;
    uint16_t status; /* of HTTP */
    uint64_t text;   /* the hash of the refused text (haft__member_texts); 0: it has none */
    uint64_t at_ms;
} haft__refusal;

/* The known refusals of one model at one URL with one set of options. */
typedef struct haft__refusals {
    haft__refusal items[HAFT__LIMIT_MODEL_REFUSALS];
    size_t count;
} haft__refusals;

/* Adds a refusal, or makes a known one newer. If the list is full, the oldest is forgotten. */
void haft__refusals_add(haft__refusals *refusals, haft__refusal refusal);

/* The refusal of a member with this text that is younger than HAFT__LIMIT_MODEL_REFUSAL_MS; NULL if
 * there is none. */
const haft__refusal *haft__refusals_find(const haft__refusals *refusals, haft__member member,
                                         const haft__member_texts *texts, uint64_t now_ms);

/* All members that are refused with these texts. */
haft__member_set haft__refusals_of(const haft__refusals *refusals, const haft__member_texts *texts,
                                   uint64_t now_ms);

/* ---- finding the rejected member ---- */

#define HAFT__MEMBER_MAX_WORDS 5

/* A row of a wire format. */
typedef struct haft__optional_member {
    const char *name; /* on the wire, as the event option_refused has it; NULL ends a table */
    haft__member member;
    /* Other names under which errors mention it. If an error mentions several members, the first
     * row counts. */
    const char *words[HAFT__MEMBER_MAX_WORDS];
} haft__optional_member;

/* The member for the constraint of a request; 0 if it has none. */
haft__member_set haft__member_of_constraint(const haft__request *request);

/* The first row whose member is in `set`; NULL if the table has none of them. */
const haft__optional_member *haft__member_find_row(const haft__optional_member *table,
                                                   haft__member_set set);

/* The row after `row` whose member is in `set` and which no row up to `row` has: a table may have
 * several rows for a member. NULL if there is none. */
const haft__optional_member *haft__member_next_row(const haft__optional_member *table,
                                                   const haft__optional_member *row,
                                                   haft__member_set set);

/* A response that is not 2xx. */
typedef struct haft__member_refusal {
    const haft__model_failure *failure;
    haft_str body;             /* of the response, or as much of it as is known */
    haft__member_set sent;     /* members that the request had */
    haft__member_set accepted; /* members of requests that this server has answered */
    bool again;                /* the request was sent before with more members: no guess */
    /* Other members of the request, to which an error may refer: the options of the spec, an object
     * or null, and those that every request has, the last of them NULL. */
    haft__json options;
    const char *const *required;
} haft__member_refusal;

/* The member that the server rejected: the one that the error mentions, or the only one that may
 * be the cause. NULL if there is no such member; the failure is then final. */
const haft__optional_member *haft__member_find_refused(const haft__optional_member *table,
                                                       const haft__member_refusal *refusal);

#endif
