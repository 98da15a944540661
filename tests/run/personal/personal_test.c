/* SPDX-License-Identifier: Apache-2.0 */
/* Entries `redact` change a text one after the other. */
#include "run/personal/personal.h"

#include "base/limits.h"
#include "base/str.h"
#include "test.h"

static haft__middleware entry(const char *name, haft__redact_action action, bool email, bool ip)
{
    haft__middleware made = {.kind = HAFT__MIDDLEWARE_REDACT, .name = haft__str(name)};
    made.as.redact.kinds[HAFT__PERSONAL_EMAIL] = email;
    made.as.redact.kinds[HAFT__PERSONAL_IP] = ip;
    made.as.redact.at[HAFT__REDACT_INPUT] = made.as.redact.at[HAFT__REDACT_RESULTS] = true;
    made.as.redact.action = action;
    return made;
}

static void check_text(const haft__middleware *entries, size_t count, haft__redact_place place,
                       const char *text, const char *wanted, const char *report)
{
    haft__spec spec = {.middleware = entries, .middleware_count = count};
    haft__personal_report found;
    haft__buf out;
    haft__personal_report_init(&found);
    haft__buf_init(&out, HAFT__LIMIT_RUN_BYTES);
    haft__personal_replace(&spec, place, haft__str(text), &found, &out);
    CHECK_STR(haft__buf_str(&out), haft__str(wanted), "%s", text);
    CHECK_STR(haft__buf_str(&found.json), haft__str(report), "%s", text);
    haft__buf_finish(&out);
    haft__buf_finish(&found.json);
}

TEST(each_action_replaces_in_its_way)
{
    static const struct {
        haft__redact_action action;
        const char *text, *wanted, *report;
    } rows[] = {
        {HAFT__REDACT_REDACT, "to a@b.org, b@b.org", "to [REDACTED_EMAIL], [REDACTED_EMAIL]",
         "{\"name\":\"r\",\"what\":\"redacted\",\"why\":\"2 email\"}"},
        {HAFT__REDACT_MASK, "alice@b.org 1.2.3.4", "*****@b.org *.*.*.*",
         "{\"name\":\"r\",\"what\":\"masked\",\"why\":\"1 email, 1 ip\"}"},
        {HAFT__REDACT_HASH, "a@b.org a@b.org", "<email_hash:5b26064b> <email_hash:5b26064b>",
         "{\"name\":\"r\",\"what\":\"hashed\",\"why\":\"2 email\"}"},
        {HAFT__REDACT_BLOCK, "a@b.org", "[blocked by r: 1 email]",
         "{\"name\":\"r\",\"what\":\"blocked\",\"why\":\"1 email\"}"},
        {HAFT__REDACT_BLOCK, "nobody", "nobody", ""},
        {HAFT__REDACT_REDACT, "", "", ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__middleware one = entry("r", rows[i].action, true, true);
        check_text(&one, 1, HAFT__REDACT_INPUT, rows[i].text, rows[i].wanted, rows[i].report);
    }
}

TEST(entries_apply_in_order_and_only_at_their_places)
{
    haft__middleware two[] = {entry("hash", HAFT__REDACT_HASH, true, false),
                              entry("redact", HAFT__REDACT_REDACT, true, true)};
    check_text(two, 2, HAFT__REDACT_INPUT, "a@b.org 1.2.3.4", "<email_hash:5b26064b> [REDACTED_IP]",
               "{\"name\":\"hash\",\"what\":\"hashed\",\"why\":\"1 email\"},"
               "{\"name\":\"redact\",\"what\":\"redacted\",\"why\":\"1 ip\"}");
    check_text(two, 2, HAFT__REDACT_RESULTS, "a@b.org", "[REDACTED_EMAIL]",
               "{\"name\":\"redact\",\"what\":\"redacted\",\"why\":\"1 email\"}");
    check_text(two, 2, HAFT__REDACT_OUTPUT, "a@b.org", "a@b.org", "");
}

TEST(own_patterns_come_first)
{
    static const struct {
        const char *pattern, *text, *wanted;
    } rows[] = {
        {"AB-\\d+", "AB-123 AB-4.", "[REDACTED_P] [REDACTED_P]."},
        {"x*", "axxb", "a[REDACTED_P]b"},
        {"b@b", "a@b.org b@b.org", "[REDACTED_EMAIL] [REDACTED_P].org"},
        {"^", "text", "text"},
        {"\\p{L}+", "\xC3\xA4\xC3\xB6 1", "[REDACTED_P] 1"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft_error err = {0};
        haft__arena_init(&arena, 1 << 20);
        haft__redact_pattern pattern = {.name = HAFT__LIT("p")};
        CHECK_INT(haft__pattern_compile_to_find(&arena, haft__str(rows[i].pattern),
                                                &pattern.pattern, &err),
                  HAFT_OK, "%s", err.message);
        haft__middleware one = entry("r", HAFT__REDACT_REDACT, true, false);
        one.as.redact.patterns = &pattern;
        one.as.redact.pattern_count = 1;
        haft__spec spec = {.middleware = &one, .middleware_count = 1};
        haft__personal_report found;
        haft__buf out;
        haft__personal_report_init(&found);
        haft__buf_init(&out, HAFT__LIMIT_RUN_BYTES);
        haft__personal_replace(&spec, HAFT__REDACT_INPUT, haft__str(rows[i].text), &found, &out);
        CHECK_STR(haft__buf_str(&out), haft__str(rows[i].wanted), "%s", rows[i].pattern);
        haft__buf_finish(&out);
        haft__buf_finish(&found.json);
        haft__arena_finish(&arena);
    }
}

/* A text in which the search takes too long may have personal data, so it is not used. */
TEST(a_search_that_takes_too_long_blocks)
{
    haft__arena arena;
    haft_error err = {0};
    static char text[4096];
    memset(text, 'a', sizeof(text) - 1);
    haft__arena_init(&arena, 1 << 20);
    haft__redact_pattern pattern = {.name = HAFT__LIT("p")};
    CHECK_INT(haft__pattern_compile_to_find(&arena, HAFT__LIT("(a*)*[bc]"), &pattern.pattern, &err),
              HAFT_OK, "%s", err.message);
    haft__middleware one = entry("r", HAFT__REDACT_REDACT, false, false);
    one.as.redact.patterns = &pattern;
    one.as.redact.pattern_count = 1;
    check_text(&one, 1, HAFT__REDACT_INPUT, text,
               "[blocked by r: the search for p takes too many steps]",
               "{\"name\":\"r\",\"what\":\"blocked\",\"why\":\"the search for p takes too many "
               "steps\"}");
    haft__arena_finish(&arena);
}
