/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/prompt/estimate.c. */
#include "prompt/estimate.h"

#include "base/str.h"
#include "test.h"

TEST(texts_are_estimated_by_words_numbers_and_punctuation)
{
    static const struct {
        const char *text;
        uint64_t tokens;
    } cases[] = {
        {"", 0},
        {"word", 1},
        {"two words", 2},
        {"extraordinarily", 3},
        {"1234", 2},
        {"{\"a\": 1}", 5},
        {"a\nb", 3},
        {"a    b", 3},
        {"\u00E4\u00F6", 1}, /* letters of two bytes */
        {"\u4E2D\u6587", 2}, /* characters of three bytes */
        {"\U0001F407", 2},   /* of four */
        {"The quick brown fox jumps.", 6},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(haft__estimate_text(haft__str(cases[i].text)), cases[i].tokens, "%s",
                  cases[i].text);
    }
}

/* The estimate of the whole is at most that of the parts, and not much less. */
TEST(an_estimate_of_parts_adds_up)
{
    haft_str text = test_read_file("README.md");
    uint64_t whole = haft__estimate_text(text), sum = 0;
    for (size_t i = 0; i < text.len; i += 100) {
        size_t left = text.len - i;
        sum += haft__estimate_text((haft_str){text.ptr + i, left < 100 ? left : 100});
    }
    CHECK(whole <= sum && sum <= whole + whole / 10 + text.len / 50, "%llu and %llu",
          (unsigned long long)whole, (unsigned long long)sum);
}

TEST(a_message_counts_its_calls)
{
    haft__message_call call = {.name = HAFT__LIT("look"), .arguments = HAFT__LIT("{}")};
    haft__message message = {.role = HAFT__MESSAGE_ASSISTANT, .text = HAFT__LIT("word")};
    CHECK_INT(haft__estimate_message(&message), HAFT__ESTIMATE_MESSAGE + 1, "a text");
    message.calls = &call;
    message.call_count = 1;
    CHECK_INT(haft__estimate_message(&message),
              HAFT__ESTIMATE_MESSAGE + 1 + HAFT__ESTIMATE_CALL + 2, "with a call");
}

TEST(the_factor_makes_the_estimate_what_was_reported)
{
    static const struct {
        uint64_t raw, reported;
        uint32_t factor;
    } cases[] = {
        {1000, 1000, 1000}, {1000, 1500, 1500},
        {1000, 3999, 3999}, {1000, 9999, 4000}, /* at most four times */
        {1000, 10, 500}, /* at least half: a server that omits cached tokens */
        {0, 100, 1000},     {1, UINT64_MAX, 4000},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(haft__estimate_calibrate(cases[i].raw, cases[i].reported), cases[i].factor,
                  "%llu reported for %llu", (unsigned long long)cases[i].reported,
                  (unsigned long long)cases[i].raw);
    }
    for (uint64_t raw = 1; raw < 5000; raw += 7) {
        uint64_t reported = raw * 5 / 4;
        uint64_t found = haft__estimate_apply(raw, haft__estimate_calibrate(raw, reported));
        CHECK(found >= reported && found <= reported + raw / 500 + 1, "%llu: %llu",
              (unsigned long long)reported, (unsigned long long)found);
    }
}
