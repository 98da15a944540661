/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/terminal/pending.c; its output for runs is tested by tests/cli/store_test.py.
 */
#include "cli/terminal/pending.h"

#include "test.h"

TEST(words_are_quoted_for_a_shell)
{
    static const struct {
        const char *word, *wanted;
    } cases[] = {
        {"sqlite:/a/b_c-d.db", "sqlite:/a/b_c-d.db"},
        {"memory:", "memory:"},
        {"", "''"},
        {"a b", "'a b'"},
        {"it's", "'it'\\''s'"},
        {"$(rm)", "'$(rm)'"},
        {"\xC3\xA9", "'\xC3\xA9'"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[64];
        FILE *out = fmemopen(text, sizeof(text), "w");
        haft__pending_print_quoted(out, cases[i].word);
        size_t length = (size_t)ftell(out);
        (void)fclose(out);
        CHECK_STR(((haft_str){text, length}), haft__str(cases[i].wanted), "case %zu", i);
    }
}
