/* SPDX-License-Identifier: Apache-2.0 */
/* event_words.c - tables of words. Tests: tests/cli/timeline/event_words_test.c. */
#include "cli/timeline/event_words.h"

#include "base/macros.h"
#include "base/str.h"

typedef struct row {
    const char *value, *words;
} row;

static haft_str find(const row *rows, size_t count, haft_str value)
{
    for (size_t i = 0; i < count; i++) {
        if (haft__str_equal(value, haft__str(rows[i].value))) {
            return haft__str(rows[i].words);
        }
    }
    return value;
}

haft_str haft__event_words_violation(haft_str came)
{
    static const row rows[] = {
        {"empty_reply", "it was empty"},
        {"text_instead_of_call", "it was text, but a tool must be used"},
        {"only_disallowed_calls", "it called only tools that are not allowed now"},
        {"wrong_tool", "it called another tool than the one that must be used"},
        {"calls_under_none", "it called a tool, but an answer was due"},
    };
    return find(rows, COUNT(rows), came);
}

haft_str haft__event_words_verdict(haft_str verdict)
{
    static const row rows[] = {
        {"approve", "approved"},     {"edit", "approved with other arguments"},
        {"reject", "rejected"},      {"respond", "answered in place of the tool"},
        {"answer", "answered"},      {"error", "reported as failed"},
        {"retry", "to be repeated"}, {"expire", "expired"},
    };
    return find(rows, COUNT(rows), verdict);
}
