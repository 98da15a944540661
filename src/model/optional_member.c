/* SPDX-License-Identifier: Apache-2.0 */
/* optional_member.c - see optional_member.h. Tests: tests/model/optional_member_test.c. */
#include "model/optional_member.h"

#include "base/ascii.h"
#include "base/hash.h"
#include "base/macros.h"
#include "base/str.h"

/* Members whose value is always the same: a server that has accepted one of them once does not
 * reject it later. */
#define FIXED                                                                                      \
    (HAFT__MEMBER_BIT(HAFT__MEMBER_ALLOWED_TOOLS) | HAFT__MEMBER_BIT(HAFT__MEMBER_PARALLEL)        \
     | HAFT__MEMBER_BIT(HAFT__MEMBER_STREAM_OPTIONS) | HAFT__MEMBER_BIT(HAFT__MEMBER_INCLUDE)      \
     | HAFT__MEMBER_BIT(HAFT__MEMBER_CACHE) | HAFT__MEMBER_BIT(HAFT__MEMBER_DEFER)                 \
     | HAFT__MEMBER_BIT(HAFT__MEMBER_EFFORT))

haft__member_set haft__member_of_constraint(const haft__request *request)
{
    switch (request->constraint.kind) {
    case HAFT__CONSTRAINT_NONE: return 0;
    case HAFT__CONSTRAINT_GBNF: return HAFT__MEMBER_BIT(HAFT__MEMBER_GRAMMAR);
    case HAFT__CONSTRAINT_JSON_SCHEMA: return HAFT__MEMBER_BIT(HAFT__MEMBER_SCHEMA);
    }
    HAFT__UNREACHABLE();
}

/* ---- members that a server has rejected ---- */

/* The result is never 0. */
static uint64_t hash_text(haft_str text, bool strict)
{
    uint64_t hash = haft__hash((haft__hash_key){strict, 1}, text);
    return hash != 0 ? hash : 1;
}

haft__member_texts haft__member_texts_of(const haft__request *request, haft_str tools)
{
    haft__member_texts texts = {.hash = {0}};
    uint64_t constraint = hash_text(request->constraint.text, request->constraint.strict);
    texts.hash[HAFT__MEMBER_GRAMMAR] = texts.hash[HAFT__MEMBER_SCHEMA] = constraint;
    texts.hash[HAFT__MEMBER_STRICT] = hash_text(tools, true);
    return texts;
}

void haft__refusals_add(haft__refusals *refusals, haft__refusal refusal)
{
    size_t at = 0, oldest = 0;
    while (at < refusals->count
           && (refusals->items[at].member != refusal.member
               || refusals->items[at].text != refusal.text)) {
        oldest = refusals->items[at].at_ms < refusals->items[oldest].at_ms ? at : oldest;
        at++;
    }
    bool known = at < refusals->count;
    at = !known && refusals->count == COUNT(refusals->items) ? oldest : at;
    refusals->count += at == refusals->count;
    refusals->items[at] = refusal;
}

const haft__refusal *haft__refusals_find(const haft__refusals *refusals, haft__member member,
                                         const haft__member_texts *texts, uint64_t now_ms)
{
    for (size_t i = 0; i < refusals->count; i++) {
        const haft__refusal *item = &refusals->items[i];
        bool same = item->member == member && item->text == texts->hash[member];
        if (same && item->at_ms <= now_ms && now_ms - item->at_ms < HAFT__LIMIT_MODEL_REFUSAL_MS) {
            return item;
        }
    }
    return NULL;
}

haft__member_set haft__refusals_of(const haft__refusals *refusals, const haft__member_texts *texts,
                                   uint64_t now_ms)
{
    haft__member_set set = 0;
    for (size_t i = 0; i < HAFT__MEMBER_COUNT; i++) {
        bool found = haft__refusals_find(refusals, (haft__member)i, texts, now_ms) != NULL;
        set |= found ? HAFT__MEMBER_BIT(i) : 0;
    }
    return set;
}

/* ---- finding the rejected member ---- */

static bool is_word_char(char c)
{
    return haft__ascii_is_alphanumeric(c) || c == '_';
}

/* Whether the word before `end` and after `start` is the name of a member: 'messages',
 * messages[1], messages.1.role. */
static bool is_name(haft_str text, size_t start, size_t end)
{
    char before = start > 0 ? text.ptr[start - 1] : ' ',
         after = end < text.len ? text.ptr[end] : ' ';
    bool quoted = (before == '"' || before == '\'' || before == '`') && before == after;
    bool path =
        after == '[' || (after == '.' && end + 1 < text.len && is_word_char(text.ptr[end + 1]));
    return quoted || path;
}

/* Whether the text has the word, not as a part of a longer one; `named`: as the name of a member.
 */
static bool mentions(haft_str text, haft_str word, bool named)
{
    for (size_t i = 0; i + word.len <= text.len && word.len > 0; i++) {
        size_t end = i + word.len;
        if (memcmp(text.ptr + i, word.ptr, word.len) == 0
            && (i == 0 || !is_word_char(text.ptr[i - 1]))
            && (end == text.len || !is_word_char(text.ptr[end]))
            && (!named || is_name(text, i, end))) {
            return true;
        }
    }
    return false;
}

static bool mentions_member(haft_str text, const haft__optional_member *row)
{
    bool found = mentions(text, haft__str(row->name), false);
    for (size_t i = 0; !found && i < HAFT__MEMBER_MAX_WORDS && row->words[i] != NULL; i++) {
        found = mentions(text, haft__str(row->words[i]), false);
    }
    return found;
}

const haft__optional_member *haft__member_find_row(const haft__optional_member *table,
                                                   haft__member_set set)
{
    while (table->name != NULL && (set & HAFT__MEMBER_BIT(table->member)) == 0) {
        table++;
    }
    return table->name != NULL ? table : NULL;
}

const haft__optional_member *haft__member_next_row(const haft__optional_member *table,
                                                   const haft__optional_member *row,
                                                   haft__member_set set)
{
    for (; table <= row; table++) {
        set &= ~HAFT__MEMBER_BIT(table->member);
    }
    return haft__member_find_row(table, set);
}

/* Whether the text mentions an option, at any depth. */
static bool mentions_option(haft_str text, haft__json options)
{
    bool found = false;
    for (uint32_t i = 0; options.kind == HAFT__JSON_OBJECT && i < options.count && !found; i++) {
        found = mentions(text, haft__json_text(options.members[i].key), false)
                || mentions_option(text, options.members[i].value);
    }
    return found;
}

/* Whether the error is about a member that haft does not leave out. Names such as "messages" and
 * "model" are also common words: they count only if they are written as a name. */
static bool mentions_another(const haft__member_refusal *refusal)
{
    bool found = mentions_option(refusal->body, refusal->options);
    const char *const *name = refusal->required;
    for (; name != NULL && *name != NULL && !found; name++) {
        found = mentions(refusal->body, haft__str(*name), true);
    }
    return found;
}

/* The members that may be the cause of an error that mentions no member. If the request has a
 * constraint, only the constraint: its text differs from request to request, but the provider
 * documents that it accepts the other members. Some servers answer 500 to a grammar that they
 * cannot parse. */
static haft__member_set suspects(const haft__member_refusal *refusal)
{
    uint32_t status = refusal->failure->status;
    if ((refusal->sent & HAFT__MEMBER_CONSTRAINTS) != 0) {
        return refusal->sent & HAFT__MEMBER_CONSTRAINTS;
    }
    bool may_be_about_members = (status == 400 || status == 422) && refusal->failure->param.len == 0
                                && !mentions_another(refusal);
    return may_be_about_members ? refusal->sent & ~(refusal->accepted & FIXED) : 0;
}

const haft__optional_member *haft__member_find_refused(const haft__optional_member *table,
                                                       const haft__member_refusal *refusal)
{
    const haft__model_failure *failure = refusal->failure;
    bool server_error = failure->kind == HAFT__FAILURE_TRANSIENT
                        && (failure->status == 500 || failure->status == 501)
                        && (refusal->sent & HAFT__MEMBER_CONSTRAINTS) != 0;
    if (failure->status == 0 || (failure->kind != HAFT__FAILURE_OTHER && !server_error)) {
        return NULL;
    }
    const haft__optional_member *row = haft__member_find_row(table, refusal->sent);
    for (; row != NULL && !server_error; row = haft__member_find_row(row + 1, refusal->sent)) {
        if (mentions_member(refusal->body, row)) {
            return row;
        }
    }
    haft__member_set left = refusal->again ? 0 : suspects(refusal);
    bool only_one = left != 0 && (left & (left - 1)) == 0;
    return only_one ? haft__member_find_row(table, left) : NULL;
}
