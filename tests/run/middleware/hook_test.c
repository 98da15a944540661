/* SPDX-License-Identifier: Apache-2.0 */
/* Replies of hooks, and their meaning. */
#include "run/middleware/hook.h"

#include "base/limits.h"
#include "base/str.h"
#include "test.h"

TEST(replies_of_hooks)
{
    static const struct {
        const char *text;
        haft__hook_point at;
        haft__hook_what what;
        const char *part; /* of the reason, the result or the note */
    } rows[] = {
        {"", HAFT__HOOK_BEFORE_TOOL, HAFT__HOOK_ALLOWED, ""},
        {" \n", HAFT__HOOK_BEFORE_TOOL, HAFT__HOOK_ALLOWED, ""},
        {"{}", HAFT__HOOK_BEFORE_TOOL, HAFT__HOOK_ALLOWED, ""},
        {"{\"allow\":true}", HAFT__HOOK_AFTER_MODEL, HAFT__HOOK_ALLOWED, ""},
        {"{\"allow\":false}", HAFT__HOOK_BEFORE_TOOL, HAFT__HOOK_DENIED, "no reason was given"},
        {"{\"allow\":false,\"why\":\"w\"}", HAFT__HOOK_BEFORE_TOOL, HAFT__HOOK_DENIED, "w"},
        {"{\"deny\":true,\"why\":\"w\"}", HAFT__HOOK_BEFORE_TOOL, HAFT__HOOK_DENIED, "w"},
        {"{\"deny\":\"d\"}", HAFT__HOOK_BEFORE_MODEL, HAFT__HOOK_DENIED, "d"},
        {"{\"deny\":false}", HAFT__HOOK_BEFORE_TOOL, HAFT__HOOK_ALLOWED, ""},
        {"{\"deny\":\"d\",\"result\":\"r\"}", HAFT__HOOK_AFTER_TOOL, HAFT__HOOK_DENIED, "d"},
        {"{\"result\":\"r\"}", HAFT__HOOK_AFTER_TOOL, HAFT__HOOK_REPLACED, "r"},
        {"{\"result\":\"\"}", HAFT__HOOK_AFTER_TOOL, HAFT__HOOK_REPLACED, ""},
        {"{\"result\":{\"a\":1}}", HAFT__HOOK_AFTER_TOOL, HAFT__HOOK_REPLACED, "{\"a\":1}"},
        {"{\"arguments\":{\"a\":1}}", HAFT__HOOK_BEFORE_TOOL, HAFT__HOOK_CHANGED, ""},
        {"{\"note\":\"n\"}", HAFT__HOOK_AFTER_TOOL, HAFT__HOOK_NOTED, "n"},
        {"hello", HAFT__HOOK_BEFORE_TOOL, HAFT__HOOK_FAILED, "its reply is not JSON: "},
        {"[]", HAFT__HOOK_BEFORE_TOOL, HAFT__HOOK_FAILED, "is not a JSON object"},
        {"{\"allwo\":true}", HAFT__HOOK_BEFORE_TOOL, HAFT__HOOK_FAILED, "a member other than"},
        {"{\"allow\":1}", HAFT__HOOK_BEFORE_TOOL, HAFT__HOOK_FAILED, "neither true nor false"},
        {"{\"allow\":true,\"deny\":\"d\"}", HAFT__HOOK_BEFORE_TOOL, HAFT__HOOK_FAILED,
         "both allow and deny"},
        {"{\"arguments\":[]}", HAFT__HOOK_BEFORE_TOOL, HAFT__HOOK_FAILED, "not an object"},
        {"{\"arguments\":{}}", HAFT__HOOK_AFTER_TOOL, HAFT__HOOK_FAILED, "only before_tool"},
        {"{\"note\":1}", HAFT__HOOK_AFTER_TOOL, HAFT__HOOK_FAILED, "not a text"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft_error err = {0};
        haft__hook_outcome outcome = {.what = HAFT__HOOK_FAILED};
        haft__arena_init(&arena, 1 << 20);
        CHECK_INT(
            haft__hook_read_reply(&arena, haft__str(rows[i].text), rows[i].at, &outcome, &err),
            HAFT_OK, "%s", err.message);
        CHECK_INT(outcome.what, rows[i].what, "%s: %.*s", rows[i].text, HAFT__ARG(outcome.why));
        haft_str text = outcome.what == HAFT__HOOK_REPLACED ? outcome.result
                        : outcome.what == HAFT__HOOK_NOTED  ? outcome.note
                                                            : outcome.why;
        CHECK(haft__str_contains_ignore_case(text, haft__str(rows[i].part)) || text.len == 0,
              "%s: %.*s", rows[i].text, HAFT__ARG(text));
        CHECK(text.len > 0 || rows[i].part[0] == '\0', "%s: no text", rows[i].text);
        haft__arena_finish(&arena);
    }
}

TEST(the_reply_of_a_hook_has_a_limit)
{
    static char text[HAFT__LIMIT_MIDDLEWARE_REPLY_BYTES + 1];
    memset(text, ' ', sizeof(text));
    for (size_t more = 0; more <= 1; more++) {
        haft__arena arena;
        haft__hook_outcome outcome = {.what = HAFT__HOOK_DENIED};
        haft__arena_init(&arena, 1 << 20);
        CHECK_INT(haft__hook_read_reply(&arena,
                                        (haft_str){text, HAFT__LIMIT_MIDDLEWARE_REPLY_BYTES + more},
                                        HAFT__HOOK_BEFORE_TOOL, &outcome, NULL),
                  HAFT_OK, "%zu", more);
        CHECK_INT(outcome.what, more > 0 ? HAFT__HOOK_FAILED : HAFT__HOOK_ALLOWED, "%zu", more);
        haft__arena_finish(&arena);
    }
}
