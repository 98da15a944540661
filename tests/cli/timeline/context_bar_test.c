/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/timeline/context_bar.c. */
#include "cli/timeline/context_bar.h"

#include "base/str.h"
#include "test.h"

TEST(a_bar_has_used_free_and_reserved_cells)
{
    static const struct {
        haft__context_bar bar;
        const char *text;
    } cases[] = {
        {{0, 1000, 0}, "[--------------------]"},
        {{1, 1000, 0}, "[#-------------------]"},
        {{500, 1000, 250}, "[##########-----.....]"},
        {{1000, 1000, 250}, "[####################]"},
        {{900, 1000, 250}, "[##################..]"},
        {{1001, 1000, 250}, "[###################!]"},
        {{UINT64_MAX, 1, 0}, "[###################!]"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf buf;
        haft__buf_init(&buf, 1000);
        haft__context_bar_add(&buf, &cases[i].bar, false);
        CHECK_STR(haft__buf_str(&buf), haft__str(cases[i].text), "%llu of %llu",
                  (unsigned long long)cases[i].bar.used, (unsigned long long)cases[i].bar.tokens);
        haft__buf_finish(&buf);
    }
}

TEST(a_bar_is_described_in_numbers)
{
    haft__context_bar bar = {.used = 6200, .tokens = 16000, .reserve = 4000};
    haft__buf buf;
    haft__buf_init(&buf, 1000);
    haft__context_bar_describe(&buf, &bar, true);
    CHECK(haft__str_starts_with(haft__buf_str(&buf), HAFT__LIT("[\u2588\u2588")), "%.*s",
          (int)buf.len, buf.ptr);
    haft__buf_clear(&buf);
    haft__context_bar_describe(&buf, &bar, false);
    CHECK_STR(haft__buf_str(&buf),
              HAFT__LIT("[########-------.....] 6.2k of 12k tokens, and 4.0k for the reply"),
              "in ASCII");
    haft__buf_finish(&buf);
}
