/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/retry.c: every rule, alone and against the others. */
#include "model/retry.h"

#include "base/limits.h"
#include "test.h"

#define NOW_MS 1794711845678U /* 2026-11-15T03:04:05.678Z */

/* Takes "name: value" lines. */
static haft__retry_hints hints_of(const char *headers)
{
    haft__retry_hints hints = {0};
    haft_str rest = haft__str(headers);
    while (rest.len > 0) {
        haft_str value = haft__str_split(&rest, '\n');
        haft_str name = haft__str_split(&value, ':');
        haft__retry_read_header(&hints, name, value, NOW_MS);
    }
    return hints;
}

#define HELPLESS "not retried: the error is permanent"
#define WAITS(s) "not retried: the server asks to wait " s " s, more than 60 s"

static const struct {
    const char *name;
    haft__failure_kind kind;
    const char *headers; /* NULL: no response arrived */
    uint32_t made;
    bool delivered;
    uint64_t wait_ms;
    const char *why; /* "": the request is repeated */
} cases[] = {
    /* kinds */
    {"a broken connection", HAFT__FAILURE_TRANSIENT, NULL, 0, false, 500, ""},
    {"load", HAFT__FAILURE_TRANSIENT, "", 0, false, 500, ""},
    {"a reply that was cut", HAFT__FAILURE_CUT, "", 0, false, 500, ""},
    {"a bad request", HAFT__FAILURE_OTHER, "", 0, false, 0, HELPLESS},
    {"a bad key", HAFT__FAILURE_AUTH, "", 0, false, 0, HELPLESS},
    {"no credit left", HAFT__FAILURE_QUOTA, "", 0, false, 0, HELPLESS},
    {"a policy", HAFT__FAILURE_POLICY, "", 0, false, 0, HELPLESS},
    {"the context is too long", HAFT__FAILURE_CONTEXT, "", 0, false, 0, HELPLESS},
    {"HTML", HAFT__FAILURE_GARBLED, "", 0, false, 0, HELPLESS},
    /* the server decides */
    {"the server asks for a retry", HAFT__FAILURE_OTHER, "x-should-retry: true", 0, false, 500, ""},
    {"the server forbids a retry", HAFT__FAILURE_TRANSIENT, "X-Should-Retry:false", 0, false, 0,
     HELPLESS},
    {"an unknown word", HAFT__FAILURE_TRANSIENT, "x-should-retry: maybe", 0, false, 500, ""},
    {"an unknown word, and not transient", HAFT__FAILURE_AUTH, "x-should-retry: TRUE", 0, false, 0,
     HELPLESS},
    /* no retry after output, and a limited number of retries */
    {"after output", HAFT__FAILURE_TRANSIENT, "x-should-retry: true", 0, true, 0,
     "not retried: a part of the reply was already passed on"},
    {"the last retry", HAFT__FAILURE_TRANSIENT, "", HAFT__LIMIT_MODEL_RETRIES - 1, false, 1000, ""},
    {"one retry too many", HAFT__FAILURE_TRANSIENT, "", HAFT__LIMIT_MODEL_RETRIES, false, 0,
     "tried 3 times"},
    {"too many tries, although the server asks for a retry", HAFT__FAILURE_TRANSIENT,
     "x-should-retry: true", HAFT__LIMIT_MODEL_RETRIES, false, 0, "tried 3 times"},
    /* the wait */
    {"seconds", HAFT__FAILURE_TRANSIENT, "Retry-After: 7", 0, false, 7000, ""},
    {"seconds with a fraction", HAFT__FAILURE_TRANSIENT, "retry-after:  1.5 ", 1, false, 1500, ""},
    {"rounded up", HAFT__FAILURE_TRANSIENT, "retry-after: 0.00011", 0, false, 1, ""},
    {"milliseconds", HAFT__FAILURE_TRANSIENT, "retry-after-ms: 1234", 0, false, 1234, ""},
    {"milliseconds with a fraction", HAFT__FAILURE_TRANSIENT, "retry-after-ms: 12.01", 0, false, 13,
     ""},
    {"milliseconds before seconds", HAFT__FAILURE_TRANSIENT, "retry-after: 9\nretry-after-ms: 3", 0,
     false, 3, ""},
    {"no delay", HAFT__FAILURE_TRANSIENT, "retry-after: 0", 0, false, 0, ""},
    {"a date", HAFT__FAILURE_TRANSIENT, "retry-after: Sun, 15 Nov 2026 03:04:08 GMT", 0, false,
     2322, ""},
    {"a date in the past", HAFT__FAILURE_TRANSIENT, "retry-after: Sun, 06 Nov 1994 08:49:37 GMT", 0,
     false, 0, ""},
    {"seconds before a date", HAFT__FAILURE_TRANSIENT,
     "retry-after: Sun, 15 Nov 2026 03:04:08 GMT\nretry-after: 1", 0, false, 1000, ""},
    {"a text that is not a time", HAFT__FAILURE_TRANSIENT, "retry-after: soon", 0, false, 500, ""},
    {"a negative time", HAFT__FAILURE_TRANSIENT, "retry-after: -1\nretry-after-ms: -1", 0, false,
     500, ""},
    {"a number with two decimal points", HAFT__FAILURE_TRANSIENT, "retry-after: 1.2.3", 0, false,
     500, ""},
    {"nothing", HAFT__FAILURE_TRANSIENT, "retry-after:\nretry-after-ms:", 0, false, 500, ""},
    {"a number that is too large", HAFT__FAILURE_TRANSIENT, "retry-after: 18446744073709551616", 0,
     false, 500, ""},
    {"seconds that are too large", HAFT__FAILURE_TRANSIENT, "retry-after: 18446744073709551615", 0,
     false, 500, ""},
    {"the longest allowed delay", HAFT__FAILURE_TRANSIENT, "retry-after: 60", 0, false,
     HAFT__LIMIT_MODEL_RETRY_MS, ""},
    {"just above the longest delay", HAFT__FAILURE_TRANSIENT, "retry-after-ms: 60001", 0, false, 0,
     WAITS("61")},
    {"an hour", HAFT__FAILURE_TRANSIENT, "retry-after: 3600", 0, false, 0, WAITS("3600")},
    {"a year", HAFT__FAILURE_TRANSIENT, "retry-after: Mon, 15 Nov 2027 03:04:08 GMT", 0, false, 0,
     WAITS("31536003")},
    {"an infinite delay", HAFT__FAILURE_TRANSIENT, "retry-after-ms: 18446744073709551615", 0, false,
     0, WAITS("18446744073709552")},
    {"an hour, and the server forbids a retry", HAFT__FAILURE_AUTH, "retry-after: 3600", 0, false,
     0, HELPLESS},
};

TEST(retries_follow_the_rules)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *headers = cases[i].headers != NULL ? cases[i].headers : "";
        haft__retry_hints hints = hints_of(headers);
        haft__retry_facts facts = {.kind = cases[i].kind,
                                   .hints = cases[i].headers != NULL ? &hints : NULL,
                                   .made = cases[i].made,
                                   .delivered = cases[i].delivered,
                                   .now_ms = NOW_MS};
        haft__retry retry = haft__retry_decide(&facts);
        CHECK_STR(haft__str(retry.why), haft__str(cases[i].why), "%s", cases[i].name);
        CHECK_INT(retry.again, cases[i].why[0] == '\0', "%s", cases[i].name);
        CHECK_INT(retry.wait_ms, cases[i].wait_ms, "%s", cases[i].name);
    }
}

/* The wait starts at half a second and doubles up to 8 s; jitter makes it up to a quarter shorter.
 */
TEST(waits_double_and_have_jitter)
{
    static const uint64_t whole[] = {500, 1000};
    static const uint32_t randoms[] = {0, 1, 1U << 31, UINT32_MAX};
    for (uint32_t made = 0; made < HAFT__LIMIT_MODEL_RETRIES; made++) {
        uint64_t last = UINT64_MAX;
        for (size_t i = 0; i < COUNT(randoms); i++) {
            haft__retry_facts facts = {
                .kind = HAFT__FAILURE_TRANSIENT, .made = made, .random = randoms[i]};
            haft__retry retry = haft__retry_decide(&facts);
            CHECK(retry.again && retry.wait_ms <= whole[made], "retry %u: the wait is too long",
                  made);
            CHECK(retry.wait_ms * 4 >= whole[made] * 3, "retry %u: random %u gives a wait of %u",
                  made, randoms[i], (unsigned)retry.wait_ms);
            CHECK(retry.wait_ms <= last, "a larger random number gives a shorter wait");
            last = retry.wait_ms;
        }
        CHECK(last * 4 < whole[made] * 3 + 8,
              "the largest random number takes off almost a quarter");
    }
}

static const struct {
    const char *headers, *id;
} ids[] = {
    {"x-request-id: req_1", "req_1"},
    {"X-Request-ID:  req_1 \nother: 2", "req_1"},
    {"request-id: req_2", "req_2"},
    {"x-request-ids: req_2", ""},
    {"x-request-i: req_2", ""},
    {"x-request-id: a b\x01\xC3\xA4", "a?b???"},
    {"x-request-id: "
     "0123456789012345678901234567890123456789012345678901234567890123456789012345678",
     "0123456789012345678901234567890123456789012345678901234567890123456789012345678"},
    {"x-request-id: "
     "01234567890123456789012345678901234567890123456789012345678901234567890123456789",
     ""},
};

TEST(ids_of_requests_are_kept)
{
    for (size_t i = 0; i < COUNT(ids); i++) {
        haft__retry_hints hints = hints_of(ids[i].headers);
        CHECK_STR(haft__str(hints.request_id), haft__str(ids[i].id), "%s", ids[i].headers);
    }
}

TEST(a_delay_in_the_body_counts_unless_a_header_has_one)
{
    haft__retry_hints hints = {.has_after = true, .after_ms = 3000};
    haft__retry_facts facts = {
        .kind = HAFT__FAILURE_TRANSIENT, .has_wait = true, .wait_ms = 7500, .now_ms = NOW_MS};
    haft__retry retry = haft__retry_decide(&facts);
    CHECK(retry.again && retry.wait_ms == 7500, "the delay of the body");
    CHECK_INT(retry.server_wait_ms, 7500, "all runs wait for it");
    facts.hints = &hints;
    retry = haft__retry_decide(&facts);
    CHECK(retry.again && retry.wait_ms == 3000, "the delay of a header");
    CHECK_INT(retry.server_wait_ms, 3000, "all runs wait for it");
    facts.hints = NULL;
    facts.wait_ms = HAFT__LIMIT_MODEL_RETRY_MS + 1;
    retry = haft__retry_decide(&facts);
    CHECK(!retry.again, "no retry if the delay is too long");
}

static const struct {
    haft__failure_kind kind;
    uint32_t status;
    bool delivered, next;
} another[] = {
    {HAFT__FAILURE_TRANSIENT, 529, false, true}, {HAFT__FAILURE_TRANSIENT, 529, true, false},
    {HAFT__FAILURE_TRANSIENT, 0, false, true},   {HAFT__FAILURE_AUTH, 401, false, true},
    {HAFT__FAILURE_QUOTA, 402, false, true},     {HAFT__FAILURE_CONTEXT, 413, false, true},
    {HAFT__FAILURE_CUT, 200, false, true},       {HAFT__FAILURE_CUT, 200, true, false},
    {HAFT__FAILURE_GARBLED, 200, false, true},   {HAFT__FAILURE_POLICY, 400, false, false},
    {HAFT__FAILURE_OTHER, 400, false, false},    {HAFT__FAILURE_OTHER, 404, false, true},
    {HAFT__FAILURE_OTHER, 410, false, true},     {HAFT__FAILURE_OTHER, 0, false, false},
};

TEST(another_model_is_asked_if_the_request_is_not_to_blame)
{
    for (size_t i = 0; i < COUNT(another); i++) {
        haft__model_failure failure = {.kind = another[i].kind,
                                       .status = another[i].status,
                                       .delivered = another[i].delivered};
        CHECK(haft__retry_allows_another_model(&failure) == another[i].next, "%s %u, delivered %d",
              haft__failure_name(another[i].kind), another[i].status, another[i].delivered);
    }
}
