/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/terminal/amount.c. */
#include "cli/terminal/amount.h"

#include "test.h"

typedef void add_amount(haft__buf *buf, uint64_t amount);

TEST(amounts_are_formatted_for_people)
{
    static const struct {
        add_amount *add;
        uint64_t amount;
        const char *shown;
    } cases[] = {
        {haft__amount_add_duration, 0, "0 ms"},
        {haft__amount_add_duration, 999, "999 ms"},
        {haft__amount_add_duration, 1000, "1.0 s"},
        {haft__amount_add_duration, 9990, "9.9 s"},
        {haft__amount_add_duration, 10000, "10 s"},
        {haft__amount_add_duration, 59999, "59 s"},
        {haft__amount_add_duration, 60000, "1 min 0 s"},
        {haft__amount_add_duration, 3599999, "59 min 59 s"},
        {haft__amount_add_duration, 12000000, "3 h 20 min"},
        {haft__amount_add_tokens, 0, "0 tokens"},
        {haft__amount_add_tokens, 1, "1 token"},
        {haft__amount_add_tokens, 1500, "1.5k tokens"},
        {haft__amount_add_age, 999, "0 s"},
        {haft__amount_add_age, 59999, "59 s"},
        {haft__amount_add_age, 60000, "1 min"},
        {haft__amount_add_age, 3599999, "59 min"},
        {haft__amount_add_age, 3600000, "1 h"},
        {haft__amount_add_age, 86400000, "1 d"},
        {haft__amount_add_age, 86400000000, "1000 d"},
        {haft__amount_add_bytes, 0, "0 B"},
        {haft__amount_add_bytes, 999, "999 B"},
        {haft__amount_add_bytes, 1000, "1.0 KB"},
        {haft__amount_add_bytes, 123456, "123 KB"},
        {haft__amount_add_bytes, 3400000, "3.4 MB"},
        {haft__amount_add_bytes, UINT64_MAX, "18446744073709 MB"},
        {haft__amount_add_count, 85, "85"},
        {haft__amount_add_count, 1250, "1.2k"},
        {haft__amount_add_count, 20145, "20k"},
        {haft__amount_add_count, 1000000, "1.0M"},
        {haft__amount_add_dollars, 0, "$0.00"},
        {haft__amount_add_dollars, 190, "$0.00019"},
        {haft__amount_add_dollars, 277, "$0.000277"},
        {haft__amount_add_dollars, 20000, "$0.02"},
        {haft__amount_add_dollars, 1250000, "$1.25"},
        {haft__amount_add_dollars, 12000000, "$12.00"},
    };
    haft__buf out;
    haft__buf_init(&out, 100);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf_clear(&out);
        cases[i].add(&out, cases[i].amount);
        CHECK_STR(haft__buf_str(&out), haft__str(cases[i].shown), "case %zu", i);
    }
    haft__buf_finish(&out);
}
