/* SPDX-License-Identifier: Apache-2.0 */
/* trait_values.c - reads, writes and describes the value of one trait. Tests:
 * tests/tool/traits_test.c. */
#include "tool/trait_values.h"

#include "base/error.h"
#include "base/str.h"
#include "base/suggestion.h"
#include "tool/duration.h"
#include "json/number.h"

const char *const haft__cost_names[] = {
    [HAFT__COST_FREE] = "free", [HAFT__COST_LIGHT] = "light", [HAFT__COST_HEAVY] = "heavy"};
const char *const haft__cache_scope_names[] = {[HAFT__CACHE_NONE] = "none",
                                               [HAFT__CACHE_RUN] = "run",
                                               [HAFT__CACHE_THREAD] = "thread",
                                               [HAFT__CACHE_GLOBAL] = "global"};
const char *const haft__unknown_trait_names[] = {
    [HAFT__UNKNOWN_ASK] = "ask", [HAFT__UNKNOWN_TELL] = "tell", [HAFT__UNKNOWN_RETRY] = "retry"};

/* ---- reading one value; `where` is its pointer ---- */

haft_status haft__trait_read_flag(const haft__trait *trait, haft__json value, haft__traits *traits,
                                  haft_error *err)
{
    if (value.kind != HAFT__JSON_TRUE && value.kind != HAFT__JSON_FALSE) {
        char where[64];
        (void)snprintf(where, sizeof(where), "/%s", trait->key);
        return haft__json_fail_type(value, where, "true or false", err);
    }
    *haft__trait_flag(trait, traits) = value.kind == HAFT__JSON_TRUE;
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

haft_status haft__trait_read_cost(const haft__trait *trait, haft__json value, haft__traits *traits,
                                  haft_error *err)
{
    (void)trait;
    size_t index = 0;
    haft_status status =
        read_name(value, "/cost", haft__cost_names, COUNT(haft__cost_names), &index, err);
    traits->cost = status == HAFT_OK ? (haft__tool_cost)index : traits->cost;
    return status;
}

haft_status haft__trait_read_timeout(const haft__trait *trait, haft__json value,
                                     haft__traits *traits, haft_error *err)
{
    (void)trait;
    uint64_t ms = 0;
    haft_status status = read_time(value, "/timeout", &ms, err);
    if (status == HAFT_OK && ms == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, "/timeout", "a timeout must be longer than 0");
    }
    /* haft__traits_check rejects a value that is too large for the field. */ traits->timeout_ms =
        ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX;
    return status;
}

haft_status haft__trait_read_poll_delay(const haft__trait *trait, haft__json value,
                                        haft__traits *traits, haft_error *err)
{
    (void)trait;
    uint64_t ms = 0;
    haft_status status = read_time(value, "/poll_delay", &ms, err);
    /* haft__traits_check rejects a value that is too large for the field. */ traits
        ->poll_delay_ms = ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX;
    return status;
}

haft_status haft__trait_read_retries(const haft__trait *trait, haft__json value,
                                     haft__traits *traits, haft_error *err)
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

haft_status haft__trait_fail_key(const char *where, haft_str key, const char *const *known,
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
    haft_status status = read_name(value, where, haft__cache_scope_names,
                                   COUNT(haft__cache_scope_names), &index, err);
    traits->cache = status == HAFT_OK ? (haft__cache_scope)index : traits->cache;
    return status;
}

/* Reads an object such as {scope: thread, ttl: 5m}. */
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
            status = haft__trait_fail_key("/cache", key, keys, COUNT(keys), err);
        }
    }
    if (status == HAFT_OK && !has_scope) {
        return haft__fail(err, HAFT_BAD_INPUT, "/cache", "a cache needs its scope: %s, %s or %s",
                          haft__cache_scope_names[HAFT__CACHE_RUN],
                          haft__cache_scope_names[HAFT__CACHE_THREAD],
                          haft__cache_scope_names[HAFT__CACHE_GLOBAL]);
    }
    return status;
}

haft_status haft__trait_read_cache(const haft__trait *trait, haft__json value, haft__traits *traits,
                                   haft_error *err)
{
    (void)trait;
    if (value.kind == HAFT__JSON_OBJECT) {
        return read_cache_object(value, traits, err);
    }
    traits->cache_ttl_ms = 0;
    return read_scope(value, "/cache", traits, err);
}

haft_status haft__trait_read_lane(const haft__trait *trait, haft__json value, haft__traits *traits,
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

haft_status haft__trait_read_on_unknown(const haft__trait *trait, haft__json value,
                                        haft__traits *traits, haft_error *err)
{
    (void)trait;
    size_t index = 0;
    haft_status status =
        read_name(value, "/on_unknown", haft__unknown_trait_names + HAFT__UNKNOWN_ASK,
                  COUNT(haft__unknown_trait_names) - HAFT__UNKNOWN_ASK, &index, err);
    if (status == HAFT_OK) {
        traits->on_unknown = (haft__unknown_trait)(index + HAFT__UNKNOWN_ASK);
    }
    return status;
}

/* ---- writing one value ---- */

void haft__trait_write_flag(haft__json_writer *w, const haft__trait *trait,
                            const haft__traits *traits)
{
    haft__json_key(w, trait->key);
    haft__json_add_bool(w, haft__trait_is_set(trait, traits));
}

void haft__trait_write_cost(haft__json_writer *w, const haft__trait *trait,
                            const haft__traits *traits)
{
    haft__json_key(w, trait->key);
    haft__json_add_str(w, haft__str(haft__cost_names[traits->cost]));
}

static void write_time(haft__json_writer *w, uint64_t ms)
{
    char text[HAFT__DURATION_BYTES];
    haft__json_add_str(w, haft__duration_text(ms, text));
}

void haft__trait_write_timeout(haft__json_writer *w, const haft__trait *trait,
                               const haft__traits *traits)
{
    haft__json_key(w, trait->key);
    write_time(w, traits->timeout_ms);
}

void haft__trait_write_retries(haft__json_writer *w, const haft__trait *trait,
                               const haft__traits *traits)
{
    haft__json_key(w, trait->key);
    haft__json_add_int(w, traits->retries);
}

void haft__trait_write_cache(haft__json_writer *w, const haft__trait *trait,
                             const haft__traits *traits)
{
    haft__json_key(w, trait->key);
    if (traits->cache_ttl_ms == 0) {
        haft__json_add_str(w, haft__str(haft__cache_scope_names[traits->cache]));
        return;
    }
    haft__json_begin_object(w);
    haft__json_key(w, "scope");
    haft__json_add_str(w, haft__str(haft__cache_scope_names[traits->cache]));
    haft__json_key(w, "ttl");
    write_time(w, traits->cache_ttl_ms);
    haft__json_end_object(w);
}

void haft__trait_write_lane(haft__json_writer *w, const haft__trait *trait,
                            const haft__traits *traits)
{
    haft__json_key(w, trait->key);
    if (traits->lane.len > 0) {
        haft__json_add_str(w, traits->lane);
    } else {
        haft__json_add_null(w);
    }
}

/* Writes the policy; omitted if the tool uses the default of the spec. */
void haft__trait_write_on_unknown(haft__json_writer *w, const haft__trait *trait,
                                  const haft__traits *traits)
{
    if (traits->on_unknown != HAFT__UNKNOWN_BY_SPEC) {
        haft__json_key(w, trait->key);
        haft__json_add_str(w, haft__str(haft__unknown_trait_names[traits->on_unknown]));
    }
}

/* Writes the delay; omitted without a delay. */
void haft__trait_write_poll_delay(haft__json_writer *w, const haft__trait *trait,
                                  const haft__traits *traits)
{
    if (traits->poll_delay_ms > 0) {
        haft__json_key(w, trait->key);
        write_time(w, traits->poll_delay_ms);
    }
}

/* Writes the flag; omitted unless it is set, because most tools do not poll. */
void haft__trait_write_polls(haft__json_writer *w, const haft__trait *trait,
                             const haft__traits *traits)
{
    if (traits->polls) {
        haft__trait_write_flag(w, trait, traits);
    }
}

/* ---- one value for people ---- */

/* NOLINTNEXTLINE(readability-non-const-parameter): other rows of the table write to `text` */
haft_str haft__trait_describe_flag(const haft__trait *trait, const haft__traits *traits, char *text)
{
    (void)text;
    return haft__trait_is_set(trait, traits) ? haft__str(trait->key) : HAFT__LIT("");
}

/* NOLINTNEXTLINE(readability-non-const-parameter): other rows of the table write to `text` */
haft_str haft__trait_describe_cost(const haft__trait *trait, const haft__traits *traits, char *text)
{
    (void)trait, (void)text;
    return haft__str(haft__cost_names[traits->cost]);
}

haft_str haft__trait_describe_timeout(const haft__trait *trait, const haft__traits *traits,
                                      char *text)
{
    (void)trait;
    return haft__duration_text(traits->timeout_ms, text);
}

haft_str haft__trait_describe_retries(const haft__trait *trait, const haft__traits *traits,
                                      char *text)
{
    (void)trait;
    (void)snprintf(text, HAFT__TRAIT_TEXT_BYTES, "%u retr%s", traits->retries,
                   traits->retries == 1 ? "y" : "ies");
    return traits->retries > 0 ? haft__str(text) : HAFT__LIT("");
}

haft_str haft__trait_describe_cache(const haft__trait *trait, const haft__traits *traits,
                                    char *text)
{
    (void)trait;
    (void)snprintf(text, HAFT__TRAIT_TEXT_BYTES, "cached for the %s",
                   haft__cache_scope_names[traits->cache]);
    return traits->cache != HAFT__CACHE_NONE ? haft__str(text) : HAFT__LIT("");
}

haft_str haft__trait_describe_lane(const haft__trait *trait, const haft__traits *traits, char *text)
{
    (void)trait;
    (void)snprintf(text, HAFT__TRAIT_TEXT_BYTES, "lane %.*s", HAFT__ARG(traits->lane));
    return traits->lane.len > 0 ? haft__str(text) : HAFT__LIT("");
}
