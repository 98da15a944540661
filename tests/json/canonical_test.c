/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/json/canonical.c. */
#include "json/canonical.h"

#include "json_help.h"

static haft_str canonical(haft__json value)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    haft_error err = {0};
    CHECK_INT(haft__json_write_canonical(&buf, value, &err), HAFT_OK, "%s", err.message);
    haft_str text = help_keep(haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return text;
}

TEST(values_have_their_canonical_text)
{
    static const char *const cases[][2] = {
        {"null", "null"},
        {" [ true , false ] ", "[true,false]"},
        {"1.50", "1.5"},
        {"-0", "0"},
        {"9007199254740993", "9007199254740993"},
        {"1e300", "1e300"},
        {"\"\\u0041\\/\\u00e9\\u0001\\n\\\"\\\\\"", "\"A/\xC3\xA9\\u0001\\n\\\"\\\\\""},
        {"{}", "{}"},
        {"[]", "[]"},
        {"{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":1}"},
        {"{\"a\":{\"z\":[{\"y\":1,\"x\":10e-1}],\"b\":null},\"A\":1}",
         "{\"A\":1,\"a\":{\"b\":null,\"z\":[{\"x\":1,\"y\":1}]}}"},
        {"{\"\xF0\x9F\x98\x80\":1,\"\xEF\xBF\xBD\":2}",
         "{\"\xEF\xBF\xBD\":2,\"\xF0\x9F\x98\x80\":1}"},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__json value = help_read(&arena, cases[i][0]);
        haft_str text = canonical(value);
        CHECK_STR(text, haft__str(cases[i][1]), "%s", cases[i][0]);
        char *copy = test_alloc(text.len + 1);
        memcpy(copy, text.ptr, text.len);
        copy[text.len] = '\0';
        CHECK_STR(canonical(help_read(&arena, copy)), text, "%s: canonical text stays the same",
                  cases[i][0]);
    }
    haft__arena_finish(&arena);
}

TEST(canonical_text_does_not_depend_on_order)
{
    for (unsigned count = 1; count <= 10000; count *= 10) {
        CHECK_STR(canonical(help_object(count, true)), canonical(help_object(count, false)),
                  "%u members", count);
    }
}

TEST(canonical_text_past_its_limits_is_rejected)
{
    const unsigned max = HAFT__LIMIT_JSON_DEPTH;
    haft__json leaf = haft__json_bool(true);
    CHECK_INT(canonical(help_nest(leaf, max)).len, 2 * max + 4, "length at the depth limit");
    haft__buf buf;
    haft__buf_init(&buf, 4096);
    haft_error err = {0};
    CHECK_INT(haft__json_write_canonical(&buf, help_nest(leaf, max + 1), &err), HAFT_TOO_BIG,
              "one level past the limit");
    CHECK_STR(haft__str(err.message), HAFT__LIT("the value nests more than 256 levels deep"),
              "message");
    haft__buf_finish(&buf);
    for (size_t room = 0; room <= 4; room++) {
        haft__buf_init(&buf, room);
        CHECK_INT(haft__json_write_canonical(&buf, leaf, &err), room < 4 ? HAFT_TOO_BIG : HAFT_OK,
                  "\"true\" in %zu bytes", room);
        haft__buf_finish(&buf);
    }
    haft__buf_init(&buf, 4);
    CHECK_INT(haft__json_write_canonical(&buf, help_nest(leaf, 1), &err), HAFT_TOO_BIG,
              "a buffer without space for the last bracket");
    haft__buf_finish(&buf);
}

TEST(canonical_survives_every_failed_allocation)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json value = help_read(&arena, "[{\"b\":{\"d\":1,\"c\":[1,\"x\"]},\"a\":[{}]}]");
    for (unsigned n = 0;; n++) {
        haft__buf buf;
        haft__buf_init(&buf, 4096);
        haft_error err = {0};
        test_fail_allocation(n);
        haft_status status = haft__json_write_canonical(&buf, value, &err);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        CHECK_INT(err.status, status, "allocation %u: status of the error", n);
        haft__buf_finish(&buf);
        if (!failed) {
            CHECK(n >= 4, "only %u allocations failed", n);
            break;
        }
    }
    haft__arena_finish(&arena);
}
