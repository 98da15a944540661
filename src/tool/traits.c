/* SPDX-License-Identifier: Apache-2.0 */
/*
 * traits.c - the table of traits: a row has the key, its description, and how it is read, written
 * and checked. To add a trait: docs/extending.md. Tests: tests/tool/traits_test.c.
 */
#include "tool/traits.h"

#include <assert.h>
#include <stddef.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/suggestion.h"
#include "tool/duration.h"
#include "json/number.h"
#include "json/object.h"

static const char *const cost_names[] = {
    [HAFT__COST_FREE] = "free", [HAFT__COST_LIGHT] = "light", [HAFT__COST_HEAVY] = "heavy"};
static const char *const scope_names[] = {[HAFT__CACHE_NONE] = "none",
                                          [HAFT__CACHE_RUN] = "run",
                                          [HAFT__CACHE_THREAD] = "thread",
                                          [HAFT__CACHE_GLOBAL] = "global"};

static const char *const unknown_names[] = {
    [HAFT__UNKNOWN_ASK] = "ask", [HAFT__UNKNOWN_TELL] = "tell", [HAFT__UNKNOWN_RETRY] = "retry"};

const char *haft__cost_name(haft__tool_cost cost)
{
    return cost_names[cost];
}

const char *haft__cache_scope_name(haft__cache_scope scope)
{
    return scope_names[scope];
}

void haft__traits_init(haft__traits *traits)
{
    *traits = (haft__traits){.cost = HAFT__COST_LIGHT, .timeout_ms = HAFT__TRAITS_TIMEOUT_MS};
}

/* ---- reading one value; `where` is its pointer ---- */

static bool *flag_of(const haft__trait *trait, haft__traits *traits)
{
    return (bool *)((char *)traits + trait->flag);
}

static haft_status read_flag(const haft__trait *trait, haft__json value, haft__traits *traits,
                             haft_error *err)
{
    if (value.kind != HAFT__JSON_TRUE && value.kind != HAFT__JSON_FALSE) {
        char where[64];
        (void)snprintf(where, sizeof(where), "/%s", trait->key);
        return haft__json_fail_type(value, where, "true or false", err);
    }
    *flag_of(trait, traits) = value.kind == HAFT__JSON_TRUE;
    return HAFT_OK;
}

/* The index of a string among `names`. */
static haft_status read_name(haft__json value, const char *where, const char *const *names,
                             size_t count, size_t *ret_index, haft_error *err)
{
    if (value.kind != HAFT__JSON_STRING) {
        return haft__json_fail_type(value, where, "a name", err);
    }
    haft_str text = haft__json_text(value);
    haft__suggestion near;
    haft__suggestion_init(&near, text);
    char list[64] = "";
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (haft__str_equal(text, haft__str(names[i]))) {
            *ret_index = i;
            return HAFT_OK;
        }
        haft__suggestion_offer(&near, haft__str(names[i]));
        used +=
            (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, where, "expected one of %s, found '%.*s'",
                                    list, HAFT__ARG(text));
    return near.best.ptr == NULL
               ? status
               : haft__hint(err, status, "did you mean '%.*s'?", HAFT__ARG(near.best));
}

static haft_status read_time(haft__json value, const char *where, uint64_t *ret_ms, haft_error *err)
{
    haft_status status = haft__duration_read(value, ret_ms, err);
    if (status != HAFT_OK) {
        haft__error_prepend_location(err, where);
    }
    return status;
}

static haft_status read_cost(const haft__trait *trait, haft__json value, haft__traits *traits,
                             haft_error *err)
{
    (void)trait;
    size_t index = 0;
    haft_status status = read_name(value, "/cost", cost_names, COUNT(cost_names), &index, err);
    traits->cost = status == HAFT_OK ? (haft__tool_cost)index : traits->cost;
    return status;
}

static haft_status read_timeout(const haft__trait *trait, haft__json value, haft__traits *traits,
                                haft_error *err)
{
    (void)trait;
    uint64_t ms = 0;
    haft_status status = read_time(value, "/timeout", &ms, err);
    if (status == HAFT_OK && ms == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, "/timeout", "a timeout must be longer than 0");
    }
    /* A value too large for the field also fails haft__traits_check. */
    traits->timeout_ms = ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX;
    return status;
}

static haft_status read_poll_delay(const haft__trait *trait, haft__json value, haft__traits *traits,
                                   haft_error *err)
{
    (void)trait;
    uint64_t ms = 0;
    haft_status status = read_time(value, "/poll_delay", &ms, err);
    /* A value too large for the field also fails haft__traits_check. */
    traits->poll_delay_ms = ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX;
    return status;
}

static haft_status read_retries(const haft__trait *trait, haft__json value, haft__traits *traits,
                                haft_error *err)
{
    (void)trait;
    int64_t number = 0;
    if (value.kind != HAFT__JSON_NUMBER || !haft__number_to_int64(haft__json_text(value), &number)
        || number < 0) {
        return haft__json_fail_type(value, "/retries", "a whole number from 0", err);
    }
    traits->retries = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
    return HAFT_OK;
}

static haft_status unknown_key(const char *where, haft_str key, const char *const *known,
                               size_t count, haft_error *err)
{
    haft__suggestion near;
    haft__suggestion_init(&near, key);
    for (size_t i = 0; i < count; i++) {
        haft__suggestion_offer(&near, haft__str(known[i]));
    }
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, where, "unknown key '%.*s'", HAFT__ARG(key));
    return near.best.ptr == NULL
               ? status
               : haft__hint(err, status, "did you mean '%.*s'?", HAFT__ARG(near.best));
}

static haft_status read_scope(haft__json value, const char *where, haft__traits *traits,
                              haft_error *err)
{
    size_t index = 0;
    haft_status status = read_name(value, where, scope_names, COUNT(scope_names), &index, err);
    traits->cache = status == HAFT_OK ? (haft__cache_scope)index : traits->cache;
    return status;
}

/* {scope: thread, ttl: 5m} */
static haft_status read_cache_object(haft__json value, haft__traits *traits, haft_error *err)
{
    static const char *const keys[] = {"scope", "ttl"};
    haft_status status = HAFT_OK;
    bool has_scope = false;
    traits->cache_ttl_ms = 0;
    for (uint32_t i = 0; i < value.count && status == HAFT_OK; i++) {
        haft_str key = haft__json_text(value.members[i].key);
        if (haft__str_equal(key, HAFT__LIT("scope"))) {
            has_scope = true;
            status = read_scope(value.members[i].value, "/cache/scope", traits, err);
        } else if (haft__str_equal(key, HAFT__LIT("ttl"))) {
            status = read_time(value.members[i].value, "/cache/ttl", &traits->cache_ttl_ms, err);
        } else {
            status = unknown_key("/cache", key, keys, COUNT(keys), err);
        }
    }
    if (status == HAFT_OK && !has_scope) {
        return haft__fail(err, HAFT_BAD_INPUT, "/cache", "a cache needs its scope: %s, %s or %s",
                          scope_names[HAFT__CACHE_RUN], scope_names[HAFT__CACHE_THREAD],
                          scope_names[HAFT__CACHE_GLOBAL]);
    }
    return status;
}

static haft_status read_cache(const haft__trait *trait, haft__json value, haft__traits *traits,
                              haft_error *err)
{
    (void)trait;
    if (value.kind == HAFT__JSON_OBJECT) {
        return read_cache_object(value, traits, err);
    }
    traits->cache_ttl_ms = 0;
    return read_scope(value, "/cache", traits, err);
}

static haft_status read_lane(const haft__trait *trait, haft__json value, haft__traits *traits,
                             haft_error *err)
{
    (void)trait;
    haft_str lane = haft__json_text(value);
    if (value.kind != HAFT__JSON_STRING || lane.len == 0) {
        return haft__json_fail_type(value, "/lane", "a name that is not empty", err);
    }
    traits->lane = lane;
    return HAFT_OK;
}

static haft_status read_on_unknown(const haft__trait *trait, haft__json value, haft__traits *traits,
                                   haft_error *err)
{
    (void)trait;
    size_t index = 0;
    haft_status status = read_name(value, "/on_unknown", unknown_names + HAFT__UNKNOWN_ASK,
                                   COUNT(unknown_names) - HAFT__UNKNOWN_ASK, &index, err);
    if (status == HAFT_OK) {
        traits->on_unknown = (haft__unknown_trait)(index + HAFT__UNKNOWN_ASK);
    }
    return status;
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

/* ---- writing one value ---- */

static void write_flag(haft__json_writer *w, const haft__trait *trait, const haft__traits *traits)
{
    haft__json_key(w, trait->key);
    haft__json_add_bool(w, haft__trait_is_set(trait, traits));
}

static void write_cost(haft__json_writer *w, const haft__trait *trait, const haft__traits *traits)
{
    haft__json_key(w, trait->key);
    haft__json_add_str(w, haft__str(cost_names[traits->cost]));
}

static void write_time(haft__json_writer *w, uint64_t ms)
{
    char text[HAFT__DURATION_BYTES];
    haft__json_add_str(w, haft__duration_text(ms, text));
}

static void write_timeout(haft__json_writer *w, const haft__trait *trait,
                          const haft__traits *traits)
{
    haft__json_key(w, trait->key);
    write_time(w, traits->timeout_ms);
}

static void write_retries(haft__json_writer *w, const haft__trait *trait,
                          const haft__traits *traits)
{
    haft__json_key(w, trait->key);
    haft__json_add_int(w, traits->retries);
}

static void write_cache(haft__json_writer *w, const haft__trait *trait, const haft__traits *traits)
{
    haft__json_key(w, trait->key);
    if (traits->cache_ttl_ms == 0) {
        haft__json_add_str(w, haft__str(scope_names[traits->cache]));
        return;
    }
    haft__json_begin_object(w);
    haft__json_key(w, "scope");
    haft__json_add_str(w, haft__str(scope_names[traits->cache]));
    haft__json_key(w, "ttl");
    write_time(w, traits->cache_ttl_ms);
    haft__json_end_object(w);
}

static void write_lane(haft__json_writer *w, const haft__trait *trait, const haft__traits *traits)
{
    haft__json_key(w, trait->key);
    if (traits->lane.len > 0) {
        haft__json_add_str(w, traits->lane);
    } else {
        haft__json_add_null(w);
    }
}

/* Omitted if the tool uses the default of the spec. */
static void write_on_unknown(haft__json_writer *w, const haft__trait *trait,
                             const haft__traits *traits)
{
    if (traits->on_unknown != HAFT__UNKNOWN_BY_SPEC) {
        haft__json_key(w, trait->key);
        haft__json_add_str(w, haft__str(unknown_names[traits->on_unknown]));
    }
}

/* Omitted without a delay. */
static void write_poll_delay(haft__json_writer *w, const haft__trait *trait,
                             const haft__traits *traits)
{
    if (traits->poll_delay_ms > 0) {
        haft__json_key(w, trait->key);
        write_time(w, traits->poll_delay_ms);
    }
}

/* Omitted unless set: most tools do not poll. */
static void write_polls(haft__json_writer *w, const haft__trait *trait, const haft__traits *traits)
{
    if (traits->polls) {
        write_flag(w, trait, traits);
    }
}

/* ---- one value for people ---- */

/* NOLINTNEXTLINE(readability-non-const-parameter): other rows of the table write to `text` */
static haft_str describe_flag(const haft__trait *trait, const haft__traits *traits, char *text)
{
    (void)text;
    return haft__trait_is_set(trait, traits) ? haft__str(trait->key) : HAFT__LIT("");
}

/* NOLINTNEXTLINE(readability-non-const-parameter): other rows of the table write to `text` */
static haft_str describe_cost(const haft__trait *trait, const haft__traits *traits, char *text)
{
    (void)trait, (void)text;
    return haft__str(cost_names[traits->cost]);
}

static haft_str describe_timeout(const haft__trait *trait, const haft__traits *traits, char *text)
{
    (void)trait;
    return haft__duration_text(traits->timeout_ms, text);
}

static haft_str describe_retries(const haft__trait *trait, const haft__traits *traits, char *text)
{
    (void)trait;
    (void)snprintf(text, HAFT__TRAIT_TEXT_BYTES, "%u retr%s", traits->retries,
                   traits->retries == 1 ? "y" : "ies");
    return traits->retries > 0 ? haft__str(text) : HAFT__LIT("");
}

static haft_str describe_cache(const haft__trait *trait, const haft__traits *traits, char *text)
{
    (void)trait;
    (void)snprintf(text, HAFT__TRAIT_TEXT_BYTES, "cached for the %s", scope_names[traits->cache]);
    return traits->cache != HAFT__CACHE_NONE ? haft__str(text) : HAFT__LIT("");
}

static haft_str describe_lane(const haft__trait *trait, const haft__traits *traits, char *text)
{
    (void)trait;
    (void)snprintf(text, HAFT__TRAIT_TEXT_BYTES, "lane %.*s", HAFT__ARG(traits->lane));
    return traits->lane.len > 0 ? haft__str(text) : HAFT__LIT("");
}

/* ---- the table ---- */

#define FLAG(field)                                                                                \
    .is_flag = true, .flag = offsetof(haft__traits, field), .read = read_flag,                     \
    .write = write_flag, .describe = describe_flag

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
        .names = cost_names,
        .name_count = COUNT(cost_names),
        .read = read_cost,
        .write = write_cost,
        .describe = describe_cost,
    },
    {
        .key = "timeout",
        .what = "How long one attempt may take.",
        .read = read_timeout,
        .write = write_timeout,
        .describe = describe_timeout,
        .check_limit = check_timeout_limit,
    },
    {
        .key = "retries",
        .what = "Retries after a failed attempt; only for tools that are read_only or idempotent.",
        .read = read_retries,
        .write = write_retries,
        .describe = describe_retries,
        .check = check_retries,
        .check_limit = check_retries_limit,
    },
    {
        .key = "cache",
        .what = "How long a result may be reused for the same arguments.",
        .names = scope_names,
        .name_count = COUNT(scope_names),
        .read = read_cache,
        .write = write_cache,
        .describe = describe_cache,
        .check = check_cache,
    },
    {
        .key = "lane",
        .what = "Calls of one lane never overlap; destructive tools without a lane share one "
                "(docs/pauses.md).",
        .read = read_lane,
        .write = write_lane,
        .describe = describe_lane,
        .check_limit = check_lane_limit,
    },
    {
        .key = "on_unknown",
        .what = "What to do about a call of this tool whose outcome is unknown. Default: the "
                "spec's on_unknown.",
        .names = unknown_names + HAFT__UNKNOWN_ASK,
        .name_count = COUNT(unknown_names) - HAFT__UNKNOWN_ASK,
        .read = read_on_unknown,
        .write = write_on_unknown,
    },
    {
        .key = "polls",
        .what = "The model calls it again until something has changed: equal results are no "
                "repetition (limits.repeats), and a result is not used again in a later reply.",
        .is_flag = true,
        .flag = offsetof(haft__traits, polls),
        .declared = HAFT_POLLS,
        .read = read_flag,
        .write = write_polls,
        .describe = describe_flag,
        .check = check_polls,
    },
    {
        .key = "poll_delay",
        .what = "The least time from the end of one call of this tool to the next; needs polls.",
        .read = read_poll_delay,
        .write = write_poll_delay,
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
    return unknown_key("", key, keys, COUNT(keys), err);
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
            *flag_of(&table[i], traits) = (flags & table[i].declared) != 0;
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
            *flag_of(&table[i], traits) = haft__object_flag(annotations, table[i].mcp_hint, false);
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
