/* SPDX-License-Identifier: Apache-2.0 */
/*
 * traits.c - the table of traits: a row has the key, its description, and how it is read, written
 * (trait_values.c) and checked. To add a trait: docs/extending.md. Tests: tests/tool/traits_test.c.
 */
#include "tool/traits.h"

#include <assert.h>
#include <stddef.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "tool/trait_values.h"
#include "json/object.h"

const char *haft__cost_name(haft__tool_cost cost)
{
    return haft__cost_names[cost];
}

const char *haft__cache_scope_name(haft__cache_scope scope)
{
    return haft__cache_scope_names[scope];
}

void haft__traits_init(haft__traits *traits)
{
    *traits = (haft__traits){.cost = HAFT__COST_LIGHT, .timeout_ms = HAFT__TRAITS_TIMEOUT_MS};
}

/* ---- limits and contradictions ---- */

static haft_status check_timeout_limit(const haft__traits *traits, haft_error *err)
{
    return traits->timeout_ms <= HAFT__LIMIT_TOOL_TIMEOUT_MS
               ? HAFT_OK
               : haft__fail(err, HAFT_TOO_BIG, "/timeout", "a timeout can be at most %d hours",
                            HAFT__LIMIT_TOOL_TIMEOUT_MS / 3600000);
}

static haft_status check_poll_delay_limit(const haft__traits *traits, haft_error *err)
{
    return traits->poll_delay_ms <= HAFT__LIMIT_TOOL_POLL_DELAY_MS
               ? HAFT_OK
               : haft__fail(err, HAFT_TOO_BIG, "/poll_delay", "a delay can be at most %d minutes",
                            HAFT__LIMIT_TOOL_POLL_DELAY_MS / 60000);
}

static haft_status check_retries_limit(const haft__traits *traits, haft_error *err)
{
    return traits->retries <= HAFT__LIMIT_TOOL_RETRIES
               ? HAFT_OK
               : haft__fail(err, HAFT_TOO_BIG, "/retries", "expected at most %d retries",
                            HAFT__LIMIT_TOOL_RETRIES);
}

static haft_status check_lane_limit(const haft__traits *traits, haft_error *err)
{
    return traits->lane.len <= HAFT__LIMIT_TOOL_LANE_BYTES
               ? HAFT_OK
               : haft__fail(err, HAFT_TOO_BIG, "/lane",
                            "the name of the lane has %zu bytes, more than %d", traits->lane.len,
                            HAFT__LIMIT_TOOL_LANE_BYTES);
}

static haft_status check_destructive(const haft__traits *traits, haft_error *err)
{
    return traits->destructive && traits->read_only ? haft__fail(
               err, HAFT_BAD_INPUT, "/destructive", "a tool cannot be destructive and read_only")
                                                    : HAFT_OK;
}

bool haft__traits_are_repeatable(const haft__traits *traits)
{
    return traits->read_only || traits->idempotent;
}

bool haft__traits_allow_retry(const haft__traits *traits, uint32_t attempt)
{
    return haft__traits_are_repeatable(traits) && attempt <= traits->retries;
}

static haft_status check_retries(const haft__traits *traits, haft_error *err)
{
    if (traits->retries == 0 || haft__traits_are_repeatable(traits)) {
        return HAFT_OK;
    }
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, "/retries",
                                    "retries on a tool that is neither read_only nor idempotent");
    return haft__hint(err, status,
                      "a second attempt could repeat the effect; set idempotent: true if it "
                      "cannot, or remove retries");
}

static haft_status check_cache(const haft__traits *traits, haft_error *err)
{
    if (traits->cache == HAFT__CACHE_NONE || haft__traits_are_repeatable(traits)) {
        return HAFT_OK;
    }
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, "/cache",
                                    "a cache on a tool that is neither read_only nor idempotent");
    return haft__hint(err, status,
                      "with a cached result the call does not run; set idempotent: true if that is "
                      "fine, or remove cache");
}

static haft_status check_polls(const haft__traits *traits, haft_error *err)
{
    if (!traits->polls || traits->cache == HAFT__CACHE_NONE) {
        return HAFT_OK;
    }
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, "/polls", "a cache on a tool that polls");
    return haft__hint(err, status,
                      "a result from the cache never changes; leave cache or polls out");
}

static haft_status check_poll_delay(const haft__traits *traits, haft_error *err)
{
    if (traits->polls || traits->poll_delay_ms == 0) {
        return HAFT_OK;
    }
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "/poll_delay", "poll_delay on a tool that does not poll");
    return haft__hint(err, status, "add polls: true, or leave poll_delay out");
}

/* ---- the table ---- */

#define FLAG(field)                                                                                \
    .is_flag = true, .flag = offsetof(haft__traits, field), .read = haft__trait_read_flag,         \
    .write = haft__trait_write_flag, .describe = haft__trait_describe_flag

/* In the order of JSON and of lists for people. */
static const haft__trait table[] = {
    {
        .key = "read_only",
        .what = "Changes nothing.",
        FLAG(read_only),
        .declared = HAFT_READ_ONLY,
        .in_approvals = true,
        .mcp_hint = "readOnlyHint",
    },
    {
        .key = "idempotent",
        .what = "The same call twice has the effect of one call.",
        FLAG(idempotent),
        .declared = HAFT_IDEMPOTENT,
        .in_approvals = true,
        .mcp_hint = "idempotentHint",
    },
    {
        .key = "destructive",
        .what = "Its effect cannot be undone.",
        FLAG(destructive),
        .declared = HAFT_DESTRUCTIVE,
        .in_approvals = true,
        .mcp_hint = "destructiveHint",
        .check = check_destructive,
    },
    {
        .key = "return_direct",
        .what =
            "Its result is the answer of the run, even of a workflow, except while the gate "
            "is closed. The results of several such calls in one reply are the answer "
            "together, in call order, with a blank line between them. A call that failed is not "
            "part of the answer: if no other result is, the model reads the error and goes "
            "on.",
        FLAG(return_direct),
        .declared = HAFT_RETURN_DIRECT,
        .in_approvals = true,
    },
    {
        .key = "needs_approval",
        .what = "A person must approve every call.",
        FLAG(needs_approval),
        .declared = HAFT_NEEDS_APPROVAL,
    },
    {
        .key = "cost",
        .what = "The cost of a call, in time or money.",
        .names = haft__cost_names,
        .name_count = COUNT(haft__cost_names),
        .read = haft__trait_read_cost,
        .write = haft__trait_write_cost,
        .describe = haft__trait_describe_cost,
    },
    {
        .key = "timeout",
        .what = "How long one attempt may take.",
        .read = haft__trait_read_timeout,
        .write = haft__trait_write_timeout,
        .describe = haft__trait_describe_timeout,
        .check_limit = check_timeout_limit,
    },
    {
        .key = "retries",
        .what = "Retries after a failed attempt; only for tools that are read_only or idempotent.",
        .read = haft__trait_read_retries,
        .write = haft__trait_write_retries,
        .describe = haft__trait_describe_retries,
        .check = check_retries,
        .check_limit = check_retries_limit,
    },
    {
        .key = "cache",
        .what = "How long a result may be reused for the same arguments.",
        .names = haft__cache_scope_names,
        .name_count = COUNT(haft__cache_scope_names),
        .read = haft__trait_read_cache,
        .write = haft__trait_write_cache,
        .describe = haft__trait_describe_cache,
        .check = check_cache,
    },
    {
        .key = "lane",
        .what = "Calls of one lane never overlap; destructive tools without a lane share one "
                "(docs/pauses.md).",
        .read = haft__trait_read_lane,
        .write = haft__trait_write_lane,
        .describe = haft__trait_describe_lane,
        .check_limit = check_lane_limit,
    },
    {
        .key = "on_unknown",
        .what = "What to do about a call of this tool whose outcome is unknown. Default: the "
                "spec's on_unknown.",
        .names = haft__unknown_trait_names + HAFT__UNKNOWN_ASK,
        .name_count = COUNT(haft__unknown_trait_names) - HAFT__UNKNOWN_ASK,
        .read = haft__trait_read_on_unknown,
        .write = haft__trait_write_on_unknown,
    },
    {
        .key = "polls",
        .what = "The model calls it again until something has changed: equal results are no "
                "repetition (limits.repeats), and a result is not used again in a later reply.",
        .is_flag = true,
        .flag = offsetof(haft__traits, polls),
        .declared = HAFT_POLLS,
        .read = haft__trait_read_flag,
        .write = haft__trait_write_polls,
        .describe = haft__trait_describe_flag,
        .check = check_polls,
    },
    {
        .key = "poll_delay",
        .what = "The least time from the end of one call of this tool to the next; needs polls.",
        .read = haft__trait_read_poll_delay,
        .write = haft__trait_write_poll_delay,
        .check = check_poll_delay,
        .check_limit = check_poll_delay_limit,
    },
};

const haft__trait *haft__traits_table(size_t *ret_count)
{
    *ret_count = COUNT(table);
    return table;
}

const haft__trait *haft__trait_find(haft_str key)
{
    for (size_t i = 0; i < COUNT(table); i++) {
        if (haft__str_equal(key, haft__str(table[i].key))) {
            return &table[i];
        }
    }
    return NULL;
}

bool haft__trait_is_set(const haft__trait *trait, const haft__traits *traits)
{
    return trait->is_flag && *(const bool *)((const char *)traits + trait->flag);
}

/* ---- all traits ---- */

static haft_status unknown_trait(haft_str key, haft_error *err)
{
    const char *keys[COUNT(table)];
    for (size_t i = 0; i < COUNT(table); i++) {
        keys[i] = table[i].key;
    }
    return haft__trait_fail_key("", key, keys, COUNT(keys), err);
}

static haft_status read_member(const haft__json_member *member, haft__traits *traits,
                               haft_error *err)
{
    const haft__trait *trait = haft__trait_find(haft__json_text(member->key));
    if (trait == NULL) {
        return unknown_trait(haft__json_text(member->key), err);
    }
    return member->value.kind == HAFT__JSON_NULL ? HAFT_OK
                                                 : trait->read(trait, member->value, traits, err);
}

static haft_status check_limits(const haft__traits *traits, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < COUNT(table); i++) {
        status = table[i].check_limit != NULL ? table[i].check_limit(traits, err) : HAFT_OK;
    }
    return status;
}

haft_status haft__traits_read(haft__json object, haft__traits *traits, haft_error *err)
{
    if (object.kind != HAFT__JSON_OBJECT) {
        return haft__json_fail_type(object, "", "an object of traits", err);
    }
    haft__traits made = *traits;
    for (uint32_t i = 0; i < object.count; i++) {
        haft_status status = read_member(&object.members[i], &made, err);
        if (status != HAFT_OK) {
            return status;
        }
    }
    haft_status status = check_limits(&made, err);
    if (status == HAFT_OK) {
        *traits = made;
    }
    return status;
}

haft_status haft__traits_check(const haft__traits *traits, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < COUNT(table); i++) {
        status = table[i].check != NULL ? table[i].check(traits, err) : HAFT_OK;
    }
    return status == HAFT_OK ? check_limits(traits, err) : status;
}

void haft__traits_write(haft__json_writer *w, const haft__traits *traits)
{
    haft__json_begin_object(w);
    for (size_t i = 0; i < COUNT(table); i++) {
        table[i].write(w, &table[i], traits);
    }
    haft__json_end_object(w);
}

void haft__traits_describe(haft__buf *buf, const haft__traits *traits)
{
    const char *separator = "";
    for (size_t i = 0; i < COUNT(table); i++) {
        char text[HAFT__TRAIT_TEXT_BYTES];
        haft_str shown =
            table[i].describe != NULL ? table[i].describe(&table[i], traits, text) : HAFT__LIT("");
        if (shown.len > 0) {
            haft__buf_addf(buf, "%s%.*s", separator, HAFT__ARG(shown));
            separator = ", ";
        }
    }
}

void haft__traits_from_flags(uint32_t flags, haft__traits *traits)
{
    for (size_t i = 0; i < COUNT(table); i++) {
        if (table[i].is_flag) {
            *haft__trait_flag(&table[i], traits) = (flags & table[i].declared) != 0;
        }
    }
}

uint32_t haft__traits_flags(void)
{
    uint32_t all = 0;
    for (size_t i = 0; i < COUNT(table); i++) {
        all |= table[i].declared;
    }
    return all;
}

/* ---- MCP ---- */

void haft__traits_from_mcp(haft__json annotations, haft__traits *traits)
{
    haft__traits_init(traits);
    for (size_t i = 0; i < COUNT(table); i++) {
        if (table[i].mcp_hint != NULL) {
            *haft__trait_flag(&table[i], traits) =
                haft__object_flag(annotations, table[i].mcp_hint, false);
        }
    }
    /* A tool without hints is destructive, unless it is read-only. */
    traits->destructive = haft__object_flag(annotations, "destructiveHint", !traits->read_only);
    traits->read_only = traits->read_only && !traits->destructive;
}

void haft__traits_write_mcp(haft__json_writer *w, const haft__traits *traits)
{
    static const char *const order[] = {"read_only", "destructive", "idempotent"};
    haft__traits effective = *traits;
    effective.idempotent = traits->idempotent || traits->read_only;
    for (size_t i = 0; i < COUNT(order); i++) {
        const haft__trait *trait = haft__trait_find(haft__str(order[i]));
        assert(trait != NULL); /* the names are keys of the table */
        haft__json_key(w, trait->mcp_hint);
        haft__json_add_bool(w, haft__trait_is_set(trait, &effective));
    }
}
