/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Property: a redacted text contains no secret; JSON stays JSON, UTF-8 stays UTF-8; a text without
 * secrets is unchanged; redacting twice is the same as once.
 *
 * The first byte is the number of secrets, up to 4; each secret is a byte with its length and that
 * many bytes; the rest is the text.
 */
#include "run/redact/redact.h"
#include "base/str.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "json/read.h"

#define MOST 4

static haft_str take(haft_str *rest, size_t length)
{
    haft_str taken = {rest->ptr, length < rest->len ? length : rest->len};
    *rest = (haft_str){rest->ptr + taken.len, rest->len - taken.len};
    return taken;
}

static size_t take_byte(haft_str *rest)
{
    haft_str byte = take(rest, 1);
    return byte.len > 0 ? (unsigned char)byte.ptr[0] : 0;
}

static bool has(haft_str text, haft_str part)
{
    for (size_t at = 0; at + part.len <= text.len; at++) {
        if (memcmp(text.ptr + at, part.ptr, part.len) == 0) {
            return true;
        }
    }
    return false;
}

/* A secret that can occur in a replacement or a Bearer token is skipped: it may occur in the
 * output. */
static bool can_be_checked(haft_str secret)
{
    for (size_t i = 0; i < secret.len; i++) {
        if (secret.ptr[i] == '\0' || strchr("\"" HAFT__REDACTED, secret.ptr[i]) != NULL) {
            return false;
        }
    }
    return true;
}

static bool is_json(haft_str text)
{
    haft__arena arena;
    haft__json value;
    haft__arena_init(&arena, 0);
    bool json = haft__json_read(&arena, text, NULL, &value, NULL, NULL) == HAFT_OK;
    haft__arena_finish(&arena);
    return json;
}

static void check_secret(haft_str secret, haft_str text, haft_str redacted, bool any)
{
    if (secret.len >= HAFT__LIMIT_REDACT_MIN_BYTES) {
        REQUIRE(any || !has(text, secret));
        REQUIRE(!can_be_checked(secret) || !has(redacted, secret));
    }
}

static void check(haft__redactor *r, const haft_str *secrets, size_t count, haft_str text)
{
    haft__buf out, again;
    bool telling = true;
    haft__buf_init(&out, 1 << 24);
    haft__buf_init(&again, 1 << 24);
    bool any = haft__redact(r, text, &out);
    haft_str redacted = haft__buf_str(&out);
    REQUIRE(out.status == HAFT_OK);
    for (size_t i = 0; i < count; i++) {
        haft_str secret = haft__str_trim(secrets[i]);
        telling = telling && can_be_checked(secret);
        check_secret(secret, text, redacted, any);
    }
    REQUIRE(!haft__utf8_valid(text) || haft__utf8_valid(redacted));
    REQUIRE(any ? !is_json(text) || is_json(redacted) : haft__str_equal(text, redacted));
    (void)haft__redact(r, redacted, &again);
    REQUIREF(!telling || haft__str_equal(haft__buf_str(&again), redacted), "%.*s, then %.*s",
             HAFT__ARG(redacted), HAFT__ARG(haft__buf_str(&again)));
    haft__buf_finish(&out);
    haft__buf_finish(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_str rest = {(const char *)data, size};
    haft_str secrets[MOST];
    size_t count = take_byte(&rest) % (MOST + 1);
    haft__arena arena;
    haft__redactor redactor;
    haft__arena_init(&arena, 0);
    haft__redactor_init(&redactor, &arena);
    for (size_t i = 0; i < count; i++) {
        bool added = false;
        secrets[i] = take(&rest, take_byte(&rest));
        REQUIRE(haft__redactor_add(&redactor, secrets[i], &added, NULL) == HAFT_OK);
        REQUIRE(added == (haft__str_trim(secrets[i]).len >= HAFT__LIMIT_REDACT_MIN_BYTES));
    }
    REQUIRE(haft__redactor_seal(&redactor, NULL) == HAFT_OK);
    check(&redactor, secrets, count, rest);
    haft__arena_finish(&arena);
    return 0;
}
