/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/timeline/event_words.c: every value of an event has words. */
#include "cli/timeline/event_words.h"

#include "base/str.h"
#include "choice/choice.h"
#include "run/pause/pause.h"
#include "test.h"

static bool has_words(haft_str value, haft_str words)
{
    return words.len > 0 && !haft__str_equal(value, words)
           && memchr(words.ptr, '_', words.len) == NULL;
}

TEST(every_violation_has_words)
{
    static const haft__violation all[] = {
#define X(name, text) HAFT__VIOLATION_##name,
        HAFT__VIOLATIONS(X)
#undef X
    };
    for (size_t i = 0; i < COUNT(all); i++) {
        haft_str name = haft__str(haft__violation_name(all[i]));
        CHECK(name.len == 0 || has_words(name, haft__event_words_violation(name)), "%.*s",
              HAFT__ARG(name));
    }
    CHECK_STR(haft__event_words_violation(HAFT__LIT("new")), HAFT__LIT("new"),
              "an unknown violation");
}

TEST(every_verdict_has_words)
{
    static const char *const all[] = {"approve", "edit",  "reject", "respond",
                                      "answer",  "error", "retry",  "expire"};
    for (size_t i = 0; i < COUNT(all); i++) {
        haft_str name = haft__str(all[i]);
        CHECK(has_words(name, haft__event_words_verdict(name)), "%s", all[i]);
    }
    CHECK_STR(haft__event_words_verdict(HAFT__LIT("new")), HAFT__LIT("new"), "an unknown verdict");
}
