/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/redact/redact.c: every secret is found, nothing else is changed, and one pass
 * is enough. */
#include "run/redact_help.h"

#include "base/limits.h"
#include "base/utf8.h"

#define R HAFT__REDACTED

static const struct {
    const char *secrets, *text, *wanted; /* NULL: unchanged */
} cases[] = {
    {"", "", NULL},
    {"", "hunter2hunter2", NULL},
    {"hunter2hunter2", "", NULL},
    {"hunter2hunter2", "nothing here", NULL},
    {"hunter2hunter2", "hunter2hunter2", R},
    {"hunter2hunter2", "the key is hunter2hunter2, see?", "the key is " R ", see?"},
    {"hunter2hunter2", "hunter2hunter", NULL},
    {"hunter2hunter2", "Hunter2hunter2", NULL},
    {"hunter2hunter2", "hunter2hunter2hunter2hunter2", R},
    {"hunter2hunter2", "hunter2hunter2 hunter2hunter2", R " " R},
    {"  hunter2hunter2\n", "hunter2hunter2", R},
    {"hunter2h", "xhunter2hx", "x" R "x"},
    {"hunter2", "hunter2", NULL},
    /* overlaps and prefixes */
    {"abcabcab", "abcabcabcab", R},
    {"abcabcab", "abcabcaabcabcab", "abcabca" R},
    {"abcdefgh|efghijkl", "abcdefghijkl", R},
    {"abcdefgh|cdefghij", "xabcdefghijx", "x" R "x"},
    {"abcdefgh|abcdefghijkl", "abcdefghijk abcdefghijkl", R "ijk " R},
    {"abcdefghijkl|cdefghij", "abcdefghijk", "ab" R "k"},
    {"abcdefgh|abcdefgX", "abcdefgX abcdefgh", R " " R},
    {"aaaaaaaa", "aaaaaaaaaaaaaaaaaaaab", R "b"},
    {"aaaaaaab", "aaaaaaaaaaaaaaaaaaaab", "aaaaaaaaaaaaa" R},
    {"01234567|12345678|23456789", "x0123456789x", "x" R "x"},
    /* A short secret inside a long one that does not occur, twice, with a gap. */
    {"xxAAAAAAAAyyBBBBBBBBzz|AAAAAAAA|BBBBBBBB", "xxAAAAAAAAyyBBBBBBBBz", "xx" R "yy" R "z"},
    {"xxAAAAAAAAyyBBBBBBBBzz|AAAAAAAA|BBBBBBBB", "xxAAAAAAAAyyBBBBBBBBzz", R},
    /* tokens that are recognized by their form */
    {"", "Authorization: Bearer abcdefghijklmno1", "Authorization: Bearer " R},
    {"", "authorization: bearer 0123456789abcdef", "authorization: bearer " R},
    {"", "BEARER 0123456789abcdef, BeArEr ABCDEFGHIJKLMNOPQRSTUV-._~+/=0",
     "BEARER " R ", BeArEr " R},
    {"", "Bearer abcdefghijklmn1", NULL},
    {"", "Bearer abcdefghijklmnopqrstuvwxyz", NULL},
    {"", "the bearer responsibilities of 2026", NULL},
    {"", "Bearer  0123456789abcdef", NULL},
    {"", "Beare 0123456789abcdef", NULL},
    {"", "bearer", NULL},
    {"", "bearer ", NULL},
    {"", " 0123456789abcdef", NULL},
    {"", "{\"a\":\"Bearer 0123456789\\/abcdef\"}", "{\"a\":\"Bearer " R "\"}"},
    {"", "Bearer 0123456789abc\\def", NULL},
    {"0123456789abcdef", "Bearer 0123456789abcdefgh1", "Bearer " R},
    {"earer 0123456789", "Bearer 0123456789abcdef", "B" R},
    {"9abcdef-tail", "Bearer 0123456789abcdef-tail", "Bearer " R},
    {"hunter2hunter2", "Bearer 0123456789abcdef hunter2hunter2 Bearer 0123456789abcdef",
     "Bearer " R " " R " Bearer " R},
    {"hunter2hunter2", "hunter2hunter2Bearer 0123456789abcdef", R "Bearer " R},
    /* characters stay whole */
    {"\xA4"
     "bcdefgh",
     "x\xC3\xA4"
     "bcdefghx",
     "x" R "x"},
    {"abcdefg\xC3", "xabcdefg\xC3\xA4x", "x" R "x"},
    {"\x9F\x98\x80"
     "abcdefg\xF0",
     "\xF0\x9F\x98\x80"
     "abcdefg\xF0\x9F\x98\x80",
     R},
    {"\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F", "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F!", R "!"},
};

TEST(secrets_are_redacted)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *wanted = cases[i].wanted != NULL ? cases[i].wanted : cases[i].text;
        help_check_redacted(cases[i].secrets, haft__str(cases[i].text), haft__str(wanted));
    }
}

TEST(a_secret_may_contain_nul)
{
    help_check_redacted("other-secret", HAFT__LIT("a\0b other-secret \0"),
                        HAFT__LIT("a\0b " R " \0"));
    haft_str secret = HAFT__LIT("abc\0defg");
    haft__buf found;
    bool any = false;
    haft__buf_init(&found, 1 << 16);
    CHECK_INT(help_redact(&secret, 1, HAFT__LIT("xabc\0defgx"), &any, &found), HAFT_OK,
              "redact the text");
    CHECK_STR(haft__buf_str(&found), HAFT__LIT("x" R "x"), "the redacted text");
    haft__buf_finish(&found);
}

/* ---- compared with a naive search ---- */

static void redact_naively(const haft_str *secrets, size_t count, haft_str text, haft__buf *out)
{
    bool *hidden = test_alloc(text.len + 1);
    memset(hidden, 0, text.len + 1);
    for (size_t k = 0; k < count; k++) {
        for (size_t at = 0; at + secrets[k].len <= text.len; at++) {
            if (memcmp(text.ptr + at, secrets[k].ptr, secrets[k].len) == 0) {
                memset(hidden + at, 1, secrets[k].len);
            }
        }
    }
    for (size_t at = 0; at < text.len; at++) {
        if (!hidden[at]) {
            haft__buf_add_char(out, text.ptr[at]);
        } else if (at == 0 || !hidden[at - 1]) {
            haft__buf_add_str(out, HAFT__LIT(R));
        }
    }
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(*state >> 33);
}

/* Texts and secrets of two letters, so that everything overlaps. No other encoding of a secret
 * contains these letters. */
TEST(the_result_equals_that_of_a_naive_search)
{
    uint64_t random = 7;
    for (unsigned round = 0; round < 3000; round++) {
        char letters[6][24], bytes[200];
        haft_str secrets[6], text = {bytes, next_random(&random) % sizeof(bytes)};
        size_t count = 1 + next_random(&random) % COUNT(secrets);
        for (size_t k = 0; k < count; k++) {
            secrets[k] = (haft_str){letters[k], 8 + next_random(&random) % 16};
            bool biased = next_random(&random) % 2 == 0;
            for (size_t i = 0; i < secrets[k].len; i++) {
                letters[k][i] = next_random(&random) % (biased ? 8 : 2) == 0 ? '!' : '#';
            }
        }
        for (size_t i = 0; i < text.len; i++) {
            bytes[i] = next_random(&random) % 8 == 0 ? '!' : '#';
        }
        haft__buf found, wanted;
        bool any = false;
        haft__buf_init(&found, 1 << 16);
        haft__buf_init(&wanted, 1 << 16);
        CHECK_INT(help_redact(secrets, count, text, &any, &found), HAFT_OK, "round %u", round);
        redact_naively(secrets, count, text, &wanted);
        CHECK_STR(haft__buf_str(&found), haft__buf_str(&wanted), "round %u: %.*s", round,
                  HAFT__ARG(text));
        haft__buf_finish(&found);
        haft__buf_finish(&wanted);
    }
}

/* ---- adding ---- */

static haft_status add(haft__redactor *r, haft_str secret, bool *ret_added, haft_error *err)
{
    *ret_added = false;
    return haft__redactor_add(r, secret, ret_added, err);
}

TEST(short_secrets_are_ignored)
{
    haft__arena arena;
    haft__redactor r;
    bool added;
    static const char letters[] = "abcdefghijk";
    haft__arena_init(&arena, 0);
    haft__redactor_init(&r, &arena);
    for (size_t length = 0; length < 12; length++) {
        CHECK_INT(add(&r, (haft_str){letters, length < 11 ? length : 11}, &added, NULL), HAFT_OK,
                  "add %zu bytes", length);
        CHECK_INT(added, length >= HAFT__LIMIT_REDACT_MIN_BYTES,
                  "%zu bytes: whether the secret was added", length);
    }
    CHECK_INT(add(&r, HAFT__LIT(" \n abcdefg \t"), &added, NULL), HAFT_OK,
              "add a secret with white space around it");
    CHECK(!added, "white space does not count");
    haft__arena_finish(&arena);
}

TEST(a_repeated_secret_is_added_once)
{
    haft__arena arena;
    haft__redactor r;
    bool added;
    haft__arena_init(&arena, 0);
    haft__redactor_init(&r, &arena);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(add(&r, HAFT__LIT("hunter2hunter2"), &added, NULL), HAFT_OK, "case %d", i);
        CHECK(added, "case %d", i);
    }
    CHECK_INT(r.secret_count, 1, "number of secrets");
    CHECK_INT(add(&r, HAFT__LIT("hunter2h"), &added, NULL), HAFT_OK, "add a prefix of the secret");
    CHECK_INT(r.secret_count, 2, "the prefix is another secret");
    haft__arena_finish(&arena);
}

TEST(secrets_can_be_added_later)
{
    haft__arena arena;
    haft__redactor r;
    bool added;
    haft__buf out;
    haft__arena_init(&arena, 0);
    haft__redactor_init(&r, &arena);
    haft__buf_init(&out, 1 << 16);
    CHECK(!haft__redact(&r, HAFT__LIT("one-secret two-secret"), &out), "redact without secrets");
    CHECK_INT(haft__redactor_seal(&r, NULL), HAFT_OK, "seal without secrets");
    CHECK_INT(add(&r, HAFT__LIT("one-secret"), &added, NULL), HAFT_OK, "add the first secret");
    CHECK_INT(haft__redactor_seal(&r, NULL), HAFT_OK, "seal the redactor");
    haft__buf_clear(&out);
    CHECK(haft__redact(&r, HAFT__LIT("one-secret two-secret"), &out), "redact the first secret");
    CHECK_STR(haft__buf_str(&out), HAFT__LIT(R " two-secret"), "the first secret is redacted");
    CHECK_INT(add(&r, HAFT__LIT("e-secret two"), &added, NULL), HAFT_OK, "add the second secret");
    haft__buf_clear(&out);
    CHECK(haft__redact(&r, HAFT__LIT("one-secret two-secret"), &out), "redact before sealing");
    CHECK_INT(haft__buf_check(&out, NULL), HAFT_BAD_STATE, "status before sealing");
    CHECK_INT(out.len, 0, "no text passes before sealing");
    CHECK_INT(haft__redactor_seal(&r, NULL), HAFT_OK, "seal again");
    haft__buf_clear(&out);
    CHECK(haft__redact(&r, HAFT__LIT("one-secret two-secret"), &out), "redact both secrets");
    CHECK_STR(haft__buf_str(&out), HAFT__LIT(R "-secret"), "both secrets are redacted");
    haft__buf_finish(&out);
    haft__arena_finish(&arena);
}

/* ---- limits ---- */

TEST(the_number_of_secrets_is_bounded)
{
    haft__arena arena;
    haft__redactor r;
    bool added;
    haft_error err = {0};
    haft__arena_init(&arena, 0);
    haft__redactor_init(&r, &arena);
    for (int i = 0; i <= HAFT__LIMIT_REDACT_SECRETS; i++) {
        char secret[32];
        (void)snprintf(secret, sizeof(secret), "secret-%05d", i);
        bool past = i == HAFT__LIMIT_REDACT_SECRETS;
        CHECK_INT(add(&r, haft__str(secret), &added, &err), past ? HAFT_TOO_BIG : HAFT_OK,
                  "case %d", i);
        CHECK_INT(added, !past, "case %d", i);
    }
    CHECK_STR(haft__str(err.message), HAFT__LIT("expected at most 512 secrets, found more"),
              "error message");
    CHECK_INT(add(&r, HAFT__LIT("secret-00000"), &added, NULL), HAFT_OK,
              "a known secret can be added at the limit");
    CHECK_INT(haft__redactor_seal(&r, NULL), HAFT_OK, "seal the redactor");
    haft__buf out;
    haft__buf_init(&out, 1 << 16);
    CHECK(haft__redact(&r, HAFT__LIT("secret-00511, secret-00512, secret-00000"), &out),
          "redact the text");
    CHECK_STR(haft__buf_str(&out), HAFT__LIT(R ", secret-00512, " R),
              "all added secrets are redacted");
    haft__buf_finish(&out);
    haft__arena_finish(&arena);
}

static haft_str long_secret(size_t length, uint64_t seed)
{
    char *text = test_alloc(length);
    for (size_t i = 0; i < length; i++) {
        text[i] = (char)('!' + next_random(&seed) % 90);
    }
    return (haft_str){text, length};
}

TEST(the_length_of_a_secret_is_bounded)
{
    haft__arena arena;
    haft__redactor r;
    bool added;
    haft_error err = {0};
    haft__arena_init(&arena, 0);
    haft__redactor_init(&r, &arena);
    haft_str secret = long_secret(HAFT__LIMIT_REDACT_SECRET_BYTES + 1, 1);
    CHECK_INT(add(&r, secret, &added, &err), HAFT_TOO_BIG, "past the limit");
    CHECK_STR(haft__str(err.message),
              HAFT__LIT("expected at most 16384 bytes in a secret, found 16385"), "error message");
    secret.len--;
    CHECK_INT(add(&r, secret, &added, NULL), HAFT_OK, "at the limit");
    CHECK_INT(haft__redactor_seal(&r, NULL), HAFT_OK, "seal the redactor");
    haft__buf out;
    haft__buf_init(&out, 1 << 16);
    CHECK(haft__redact(&r, secret, &out), "redact the text");
    CHECK_STR(haft__buf_str(&out), HAFT__LIT(R), "the redacted text");
    haft__buf_finish(&out);
    haft__arena_finish(&arena);
}

TEST(all_secrets_together_are_bounded)
{
    haft__arena arena;
    haft__redactor r;
    bool added;
    haft_error err = {0};
    haft_status status = HAFT_OK;
    haft__arena_init(&arena, 0);
    haft__redactor_init(&r, &arena);
    for (uint64_t i = 0; i < HAFT__LIMIT_REDACT_SECRETS && status == HAFT_OK; i++) {
        size_t before = r.node_count;
        status = add(&r, long_secret(HAFT__LIMIT_REDACT_SECRET_BYTES, i), &added, &err);
        CHECK_INT(added, status == HAFT_OK, "%zu bytes before", before);
    }
    CHECK_INT(status, HAFT_TOO_BIG, "past the limit");
    CHECK_INT(r.node_count, HAFT__LIMIT_REDACT_BYTES + 1, "number of nodes, with the root");
    CHECK_STR(haft__str(err.message),
              HAFT__LIT("expected at most 4194304 bytes of secrets in all encodings, found more"),
              "error message");
    haft__arena_finish(&arena);
}

/* ---- cost ---- */

/* A text without a secret needs no memory except for the copy. */
TEST(a_text_without_secrets_needs_no_allocation)
{
    haft__arena arena;
    haft__redactor r;
    bool added;
    char kept[256];
    haft__buf out = {.ptr = kept, .cap = sizeof(kept), .max = sizeof(kept)};
    haft__arena_init(&arena, 0);
    haft__redactor_init(&r, &arena);
    CHECK_INT(add(&r, HAFT__LIT("hunter2hunter2"), &added, NULL), HAFT_OK, "add the secret");
    CHECK_INT(haft__redactor_seal(&r, NULL), HAFT_OK, "seal the redactor");
    size_t before = test_allocation_count();
    CHECK(!haft__redact(&r, HAFT__LIT("{\"a\":\"hunter2hunter1 bearer x\"}"), &out),
          "the text has no secret");
    CHECK_INT(test_allocation_count(), before, "number of allocations");
    haft__arena_finish(&arena);
}

/* Texts of a megabyte each that make a naive search slow are read in linear time. */
TEST(hostile_texts_are_read_once)
{
    enum { SIZE = 1 << 20 };
    haft__arena arena;
    haft__redactor r;
    bool added;
    haft__arena_init(&arena, 0);
    haft__redactor_init(&r, &arena);
    char *many = test_alloc(8192), *text = test_alloc(SIZE);
    memset(many, 'a', 8192);
    many[8191] = 'b';
    CHECK_INT(add(&r, (haft_str){many, 8192}, &added, NULL), HAFT_OK, "add a long secret");
    for (int i = 0; i < 500; i++) {
        char secret[32];
        (void)snprintf(secret, sizeof(secret), "sk-proj-%06d", i);
        CHECK_INT(add(&r, haft__str(secret), &added, NULL), HAFT_OK, "case %d", i);
    }
    CHECK_INT(haft__redactor_seal(&r, NULL), HAFT_OK, "seal the redactor");
    static const char *const rows[] = {"a",  "sk-proj-", "sk-proj-0000",  "Bearer ",
                                       "\\", "\x80",     "sk-proj-000000"};
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t length = strlen(rows[i]);
        for (size_t at = 0; at < SIZE; at++) {
            text[at] = rows[i][at % length];
        }
        haft__buf out;
        haft__buf_init(&out, 4 * SIZE);
        bool any = haft__redact(&r, (haft_str){text, SIZE}, &out);
        CHECK_INT(any, i == COUNT(rows) - 1, "%s", rows[i]);
        CHECK_INT(haft__buf_check(&out, NULL), HAFT_OK, "%s", rows[i]);
        haft__buf_finish(&out);
    }
    haft__arena_finish(&arena);
}

/* ---- out of memory ---- */

TEST(redacting_survives_every_failed_allocation)
{
    static const haft_str secrets[] = {{"hunter2hunter2", 14}, {"p\xC3\xA4ss/w\"rd\n1", 13}};
    static const char *const texts[] = {"nothing", "hunter2hunter2 and p\xC3\xA4ss/w\"rd\n1",
                                        "{\"a\\n\":\"hunter2hunter2\",\"b\":[\"hunter2hunter2\"]}",
                                        "Bearer 0123456789abcdef"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        for (unsigned n = 0;; n++) {
            char kept[512];
            bool any = false;
            haft__buf out = {.ptr = kept, .cap = sizeof(kept), .max = sizeof(kept)};
            test_fail_allocation(n);
            haft_status status =
                help_redact(secrets, COUNT(secrets), haft__str(texts[i]), &any, &out);
            bool failed = test_allow_allocations();
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "%s, allocation %u", texts[i], n);
            bool leaks = false;
            for (size_t at = 0; i > 0 && at + 7 <= out.len; at++) {
                leaks = leaks || memcmp(out.ptr + at, "hunter2", 7) == 0;
            }
            CHECK(!leaks, "%s, allocation %u: %.*s", texts[i], n, HAFT__ARG(haft__buf_str(&out)));
            if (!failed) {
                CHECK(n > 3, "no allocation was made");
                break;
            }
        }
    }
}

/* A possible prefix of a secret is buffered until the next text arrives. */
TEST(text_is_safe_up_to_a_possible_prefix_of_a_secret)
{
    static const struct {
        const char *text;
        size_t settled;
    } begun[] = {
        {"", 0},
        {"plain words", 11},
        {"the key: ab", 9},
        {"the key: abcdefg", 9},
        {"the key: abcdefgh", 9}, /* a longer secret may have it as a prefix */
        {"the key: abcdefgh.", 18},
        {"the key: abcdefghij", 9},
        {"abcdefghijklmnop", 14}, /* the second secret; its end is a prefix of the third */
        {"abcdefghijklmn+", 15},
        {"xx mnopqrst yy", 14},
        {"abcdefghijklmnopq", 14},
        {"say B", 4},
        {"say bear", 4},
        {"say beard", 9},
        {"say Bearer", 4},
        {"say BEARER ", 4},
        {"say Bearer abc123", 4},
        {"say Bearer abcdefghijklmnopq123", 4},
        {"say Bearer xbcdefghijklmnopq123 b", 32},
        {"say Bearer of", 4},
        {"say Bearer of news", 18},
        {"caf\xC3\xA9", 5},
    };
    haft__arena arena;
    haft__redactor r;
    bool added;
    haft__arena_init(&arena, 0);
    haft__redactor_init(&r, &arena);
    CHECK_INT(haft__redact_safe_length(&r, HAFT__LIT("no secrets")), 10,
              "all text is safe without secrets");
    CHECK_INT(haft__redactor_add(&r, HAFT__LIT("abcdefgh"), &added, NULL), HAFT_OK, "add a secret");
    CHECK_INT(haft__redact_safe_length(&r, HAFT__LIT("not sealed")), 0,
              "no text is safe before sealing");
    CHECK_INT(haft__redactor_add(&r, HAFT__LIT("abcdefghijklmn"), &added, NULL), HAFT_OK,
              "add a secret");
    CHECK_INT(haft__redactor_add(&r, HAFT__LIT("opqrstuvwx"), &added, NULL), HAFT_OK,
              "add a secret");
    CHECK_INT(haft__redactor_seal(&r, NULL), HAFT_OK, "seal the redactor");
    for (size_t i = 0; i < COUNT(begun); i++) {
        CHECK_INT(haft__redact_safe_length(&r, haft__str(begun[i].text)),
                  (long long)begun[i].settled, "%s", begun[i].text);
    }
    haft__arena_finish(&arena);
}

/* For every split of the text, redacting the parts gives the same as redacting the whole. */
TEST(safe_parts_are_redacted_like_the_whole)
{
    static const char text[] = "xabcdefghijklmnopqrstuvwxyzabcdefgh Bearer 0123456789abcdefX, end";
    haft__arena arena;
    haft__redactor r;
    haft__buf whole, parts;
    bool added;
    haft__arena_init(&arena, 0);
    haft__buf_init(&whole, 1 << 20);
    haft__buf_init(&parts, 1 << 20);
    haft__redactor_init(&r, &arena);
    CHECK_INT(haft__redactor_add(&r, HAFT__LIT("abcdefghijkl"), &added, NULL), HAFT_OK,
              "add a secret");
    CHECK_INT(haft__redactor_add(&r, HAFT__LIT("ijklmnopqrst"), &added, NULL), HAFT_OK,
              "add a secret");
    CHECK_INT(haft__redactor_seal(&r, NULL), HAFT_OK, "seal the redactor");
    haft_str all = haft__str(text);
    (void)haft__redact(&r, all, &whole);
    for (size_t cut = 0; cut <= all.len; cut++) {
        size_t settled = haft__redact_safe_length(&r, (haft_str){all.ptr, cut});
        haft__buf_clear(&parts);
        (void)haft__redact(&r, (haft_str){all.ptr, settled}, &parts);
        (void)haft__redact(&r, haft__str_skip(all, settled), &parts);
        CHECK_STR(haft__buf_str(&parts), haft__buf_str(&whole), "cut at %zu, %zu", cut, settled);
    }
    haft__buf_finish(&whole);
    haft__buf_finish(&parts);
    haft__arena_finish(&arena);
}
