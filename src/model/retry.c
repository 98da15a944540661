/* SPDX-License-Identifier: Apache-2.0 */
/* retry.c - the rules, in the order in which they apply. Tests: tests/model/retry_test.c. */
#include "model/retry.h"

#include <stdio.h>

#include "base/ascii.h"
#include "base/http_date.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"

#define FIRST_WAIT_MS 500U
#define MAX_WAIT_MS   8000U

/* ---- headers ---- */

static bool same_name(haft_str name, const char *wanted)
{
    size_t length = strlen(wanted);
    for (size_t i = 0; i < length && name.len == length; i++) {
        char c = haft__ascii_lower(name.ptr[i]);
        if (c != wanted[i]) {
            return false;
        }
    }
    return name.len == length;
}

/* Reads a number that may have a fraction, times `scale`, rounded up. */
static bool read_number(haft_str text, uint64_t scale, uint64_t *ret_number)
{
    uint64_t whole = 0, part = 0, unit = scale;
    bool more = false; /* a remainder below one unit, which counts as one */
    haft_str fraction = text;
    haft_str digits = haft__str_split(&fraction, '.');
    if (!haft__str_to_u64(digits, &whole) || __builtin_mul_overflow(whole, scale, &whole)) {
        return false;
    }
    for (size_t i = 0; i < fraction.len; i++) {
        if (!haft__ascii_is_digit(fraction.ptr[i])) {
            return false;
        }
        unit /= 10;
        part += unit * (uint64_t)(fraction.ptr[i] - '0');
        more = more || (unit == 0 && fraction.ptr[i] != '0');
    }
    part += more ? 1 : 0;
    return !__builtin_add_overflow(whole, part, ret_number);
}

bool haft__retry_read_seconds(haft_str text, uint64_t *ret_ms)
{
    return read_number(text, 1000, ret_ms);
}

static void read_after(haft__retry_hints *hints, haft_str value, uint64_t now_ms)
{
    if (haft__retry_read_seconds(value, &hints->after_ms)) {
        hints->has_after = true;
    } else if (haft__http_date_parse(value, now_ms, &hints->date_ms)) {
        hints->has_date = true;
    }
}

/* Ids are shown to people: characters that are not plain are masked. */
static void read_id(haft__retry_hints *hints, haft_str value)
{
    size_t length = value.len < sizeof(hints->request_id) ? value.len : 0;
    for (size_t i = 0; i < length; i++) {
        bool plain = value.ptr[i] > ' ' && value.ptr[i] < 0x7F;
        hints->request_id[i] = plain ? value.ptr[i] : '?';
    }
    hints->request_id[length] = '\0';
}

void haft__retry_read_header(haft__retry_hints *hints, haft_str name, haft_str value,
                             uint64_t now_ms)
{
    value = haft__str_trim(value);
    if (same_name(name, "x-should-retry")) {
        hints->should = haft__str_equal(value, HAFT__LIT("true"));
        hints->has_should = hints->should || haft__str_equal(value, HAFT__LIT("false"));
    } else if (same_name(name, "retry-after-ms")) {
        hints->has_ms = read_number(value, 1, &hints->ms);
    } else if (same_name(name, "retry-after")) {
        read_after(hints, value, now_ms);
    } else if (same_name(name, "x-request-id") || same_name(name, "request-id")) {
        read_id(hints, value);
    }
}

/* ---- rules ---- */

static haft__retry give_up(const char *why)
{
    haft__retry retry = {.again = false};
    (void)snprintf(retry.why, sizeof(retry.why), "%s", why);
    return retry;
}

static bool may_pass(const haft__retry_facts *facts)
{
    if (facts->hints != NULL && facts->hints->has_should) {
        return facts->hints->should;
    }
    return facts->kind == HAFT__FAILURE_TRANSIENT || facts->kind == HAFT__FAILURE_CUT;
}

static uint64_t own_wait(const haft__retry_facts *facts)
{
    uint64_t wait = FIRST_WAIT_MS;
    for (uint32_t i = 0; i < facts->made && wait < MAX_WAIT_MS; i++) {
        wait *= 2;
    }
    wait = wait < MAX_WAIT_MS ? wait : MAX_WAIT_MS;
    return wait - ((wait * facts->random) >> 34); /* random / 2^32 of a quarter */
}

static uint64_t wait_of(const haft__retry_facts *facts)
{
    const haft__retry_hints *hints = facts->hints;
    if (hints != NULL && hints->has_ms) {
        return hints->ms;
    }
    if (hints != NULL && hints->has_after) {
        return hints->after_ms;
    }
    if (hints != NULL && hints->has_date) {
        return hints->date_ms > facts->now_ms ? hints->date_ms - facts->now_ms : 0;
    }
    return facts->has_wait ? facts->wait_ms : own_wait(facts);
}

/* The time that the server asked for, in a header or in the body of the response, whether the call
 * is retried or not. */
static uint64_t server_wait(const haft__retry_facts *facts)
{
    const haft__retry_hints *hints = facts->hints;
    bool header = hints != NULL && (hints->has_ms || hints->has_after || hints->has_date);
    return header || facts->has_wait ? wait_of(facts) : 0;
}

static haft__retry decide(const haft__retry_facts *facts)
{
    if (facts->delivered) {
        return give_up("not retried: a part of the reply was already passed on");
    }
    if (!may_pass(facts)) {
        return give_up("not retried: the error is permanent");
    }
    haft__retry retry = {.again = true, .wait_ms = wait_of(facts)};
    if (facts->made >= HAFT__LIMIT_MODEL_RETRIES) {
        retry = (haft__retry){.again = false};
        (void)snprintf(retry.why, sizeof(retry.why), "tried %u times", facts->made + 1);
    } else if (retry.wait_ms > HAFT__LIMIT_MODEL_RETRY_MS) {
        uint64_t seconds = retry.wait_ms / 1000 + (retry.wait_ms % 1000 > 0);
        retry = (haft__retry){.again = false};
        (void)snprintf(retry.why, sizeof(retry.why),
                       "not retried: the server asks to wait %llu s, more than %d s",
                       (unsigned long long)seconds, HAFT__LIMIT_MODEL_RETRY_MS / 1000);
    }
    return retry;
}

haft__retry haft__retry_decide(const haft__retry_facts *facts)
{
    haft__retry retry = decide(facts);
    retry.server_wait_ms = server_wait(facts);
    return retry;
}

bool haft__retry_allows_another_model(const haft__model_failure *failure)
{
    if (failure->delivered) {
        return false;
    }
    switch (failure->kind) {
    case HAFT__FAILURE_TRANSIENT:
    case HAFT__FAILURE_AUTH:
    case HAFT__FAILURE_QUOTA:
    case HAFT__FAILURE_CONTEXT: /* the next model may have a longer context */
    case HAFT__FAILURE_CUT:
    case HAFT__FAILURE_GARBLED: return true;
    case HAFT__FAILURE_OTHER: return failure->status == 404 || failure->status == 410;
    case HAFT__FAILURE_POLICY: return false; /* another provider must not be used to evade it */
    }
    HAFT__UNREACHABLE();
}
