/* SPDX-License-Identifier: Apache-2.0 */
/* traits.c - a table of keys, each with how it is read. Tests: tests/tool/traits_test.c. */
#include "tool/traits.h"

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

static haft_status wanted(haft__json value, const char *where, const char *what, haft_error *err)
{
    return haft__fail(err, HAFT_BAD_INPUT, where, "expected %s, found %s", what,
                      haft__json_kind_name(value));
}

static haft_status read_bool(haft__json value, const char *where, bool *ret, haft_error *err)
{
    if (value.kind != HAFT__JSON_TRUE && value.kind != HAFT__JSON_FALSE) {
        return wanted(value, where, "true or false", err);
    }
    *ret = value.kind == HAFT__JSON_TRUE;
    return HAFT_OK;
}

/* The index of a string among `names`. */
static haft_status read_name(haft__json value, const char *where, const char *const *names,
                             size_t count, size_t *ret_index, haft_error *err)
{
    if (value.kind != HAFT__JSON_STRING) {
        return wanted(value, where, "a name", err);
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

static haft_status read_cost(haft__json value, haft__traits *traits, haft_error *err)
{
    size_t index = 0;
    haft_status status = read_name(value, "/cost", cost_names, COUNT(cost_names), &index, err);
    traits->cost = status == HAFT_OK ? (haft__tool_cost)index : traits->cost;
    return status;
}

static haft_status read_timeout(haft__json value, haft__traits *traits, haft_error *err)
{
    uint64_t ms = 0;
    haft_status status = read_time(value, "/timeout", &ms, err);
    if (status == HAFT_OK && ms == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, "/timeout", "a timeout of 0 leaves no time to run");
    }
    /* What is too long for the field is too long for haft__traits_check, too. */
    traits->timeout_ms = ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX;
    return status;
}

static haft_status read_retries(haft__json value, haft__traits *traits, haft_error *err)
{
    int64_t number = 0;
    if (value.kind != HAFT__JSON_NUMBER || !haft__number_to_int64(haft__json_text(value), &number)
        || number < 0) {
        return wanted(value, "/retries", "a whole number from 0", err);
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

static haft_status read_cache(haft__json value, haft__traits *traits, haft_error *err)
{
    if (value.kind == HAFT__JSON_OBJECT) {
        return read_cache_object(value, traits, err);
    }
    traits->cache_ttl_ms = 0;
    return read_scope(value, "/cache", traits, err);
}

static haft_status read_lane(haft__json value, haft__traits *traits, haft_error *err)
{
    haft_str lane = haft__json_text(value);
    if (value.kind != HAFT__JSON_STRING || lane.len == 0) {
        return wanted(value, "/lane", "a name that is not empty", err);
    }
    traits->lane = lane;
    return HAFT_OK;
}

static haft_status read_on_unknown(haft__json value, haft__traits *traits, haft_error *err)
{
    size_t index = 0;
    haft_status status = read_name(value, "/on_unknown", unknown_names + HAFT__UNKNOWN_ASK,
                                   COUNT(unknown_names) - HAFT__UNKNOWN_ASK, &index, err);
    if (status == HAFT_OK) {
        traits->on_unknown = (haft__unknown_trait)(index + HAFT__UNKNOWN_ASK);
    }
    return status;
}

/* ---- the keys ---- */

#define BOOLEAN(key)                                                                               \
    static haft_status read_##key(haft__json value, haft__traits *traits, haft_error *err)         \
    {                                                                                              \
        return read_bool(value, "/" #key, &traits->key, err);                                      \
    }
#define FLAGS(X) X(read_only) X(idempotent) X(destructive) X(return_direct) X(needs_approval)
FLAGS(BOOLEAN)

#define KEYS(X) FLAGS(X) X(cost) X(timeout) X(retries) X(cache) X(lane) X(on_unknown)

static const char *const key_names[] = {
#define X(key) #key,
    KEYS(X)
#undef X
};

static haft_status (*const key_readers[])(haft__json, haft__traits *, haft_error *) = {
#define X(key) read_##key,
    KEYS(X)
#undef X
};

static haft_status read_member(const haft__json_member *member, haft__traits *traits,
                               haft_error *err)
{
    haft_str key = haft__json_text(member->key);
    for (size_t i = 0; i < COUNT(key_names); i++) {
        if (haft__str_equal(key, haft__str(key_names[i]))) {
            return member->value.kind == HAFT__JSON_NULL
                       ? HAFT_OK
                       : key_readers[i](member->value, traits, err);
        }
    }
    return unknown_key("", key, key_names, COUNT(key_names), err);
}

static haft_status check_limits(const haft__traits *traits, haft_error *err)
{
    if (traits->timeout_ms > HAFT__LIMIT_TOOL_TIMEOUT_MS) {
        return haft__fail(err, HAFT_TOO_BIG, "/timeout", "a timeout can be at most %d hours",
                          HAFT__LIMIT_TOOL_TIMEOUT_MS / 3600000);
    }
    if (traits->retries > HAFT__LIMIT_TOOL_RETRIES) {
        return haft__fail(err, HAFT_TOO_BIG, "/retries", "expected at most %d retries",
                          HAFT__LIMIT_TOOL_RETRIES);
    }
    if (traits->lane.len > HAFT__LIMIT_TOOL_LANE_BYTES) {
        return haft__fail(err, HAFT_TOO_BIG, "/lane", "a lane's name of %zu bytes, more than %d",
                          traits->lane.len, HAFT__LIMIT_TOOL_LANE_BYTES);
    }
    return HAFT_OK;
}

haft_status haft__traits_read(haft__json object, haft__traits *traits, haft_error *err)
{
    if (object.kind != HAFT__JSON_OBJECT) {
        return wanted(object, "", "an object of traits", err);
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
    if (traits->destructive && traits->read_only) {
        return haft__fail(err, HAFT_BAD_INPUT, "/destructive",
                          "a tool cannot be destructive and read_only");
    }
    bool repeatable = traits->read_only || traits->idempotent;
    if (traits->retries > 0 && !repeatable) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, "/retries",
                       "retries on a tool that is neither read_only nor idempotent");
        return haft__hint(err, status,
                          "a second attempt could do the same thing twice; say "
                          "idempotent: true if it cannot, or leave retries out");
    }
    if (traits->cache != HAFT__CACHE_NONE && !repeatable) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, "/cache",
                       "a cache on a tool that is neither read_only nor idempotent");
        return haft__hint(err, status,
                          "a result from the cache means the call is not made; say "
                          "idempotent: true if that is fine, or leave cache out");
    }
    return check_limits(traits, err);
}

/* ---- MCP ---- */

void haft__traits_from_mcp(haft__json annotations, haft__traits *traits)
{
    haft__traits_init(traits);
    bool read_only = haft__object_flag(annotations, "readOnlyHint", false);
    traits->destructive = haft__object_flag(annotations, "destructiveHint", !read_only);
    traits->read_only = read_only && !traits->destructive;
    traits->idempotent = haft__object_flag(annotations, "idempotentHint", false);
}

/* ---- writing ---- */

static void write_time(haft__json_writer *w, uint64_t ms)
{
    char text[HAFT__DURATION_BYTES];
    haft__json_add_str(w, haft__duration_text(ms, text));
}

static void write_cache(haft__json_writer *w, const haft__traits *traits)
{
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

void haft__traits_write(haft__json_writer *w, const haft__traits *traits)
{
    haft__json_begin_object(w);
#define X(key)                                                                                     \
    haft__json_key(w, #key);                                                                       \
    haft__json_add_bool(w, traits->key);
    FLAGS(X)
#undef X
    haft__json_key(w, "cost");
    haft__json_add_str(w, haft__str(cost_names[traits->cost]));
    haft__json_key(w, "timeout");
    write_time(w, traits->timeout_ms);
    haft__json_key(w, "retries");
    haft__json_add_int(w, traits->retries);
    haft__json_key(w, "cache");
    write_cache(w, traits);
    haft__json_key(w, "lane");
    if (traits->lane.len > 0) {
        haft__json_add_str(w, traits->lane);
    } else {
        haft__json_add_null(w);
    }
    if (traits->on_unknown != HAFT__UNKNOWN_BY_SPEC) {
        haft__json_key(w, "on_unknown");
        haft__json_add_str(w, haft__str(unknown_names[traits->on_unknown]));
    }
    haft__json_end_object(w);
}
