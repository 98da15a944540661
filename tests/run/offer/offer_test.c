/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/offer/offer.c: the tools of a turn in order, the format, and the facts. */
#include "run/offer/offer.h"

#include "run/run_help.h"

static const struct {
    const char *formats[3];
    bool native;
    const char *format, *reason;
} formats[] = {
    {{"native", "hermes"}, true, "native", "preferred, and available"},
    {{"native", "hermes"},
     false,
     "hermes",
     "the first enabled one available: the model has no native calls"},
    {{"hermes", "native"}, true, "hermes", "preferred, and available"},
    {{"native"}, false, "native", "nothing else is enabled"},
    {{NULL}, true, "native", "nothing else is enabled"},
    {{"codemode", "native"}, true, "native", "the first enabled one available"},
    {{"codemode", "purejson"}, false, "purejson", "the first enabled one available"},
    {{"codemode"}, true, "native", "code cannot be run here, and nothing else is enabled"},
};

TEST(the_format_is_the_first_that_is_available)
{
    for (size_t i = 0; i < COUNT(formats); i++) {
        haft_str names[3];
        haft__spec spec = {.formats = names, .model = {.native_tools = formats[i].native}};
        for (; formats[i].formats[spec.format_count] != NULL; spec.format_count++) {
            names[spec.format_count] = haft__str(formats[i].formats[spec.format_count]);
        }
        const char *reason = NULL;
        CHECK_STR(haft__offer_format(&spec, &reason), haft__str(formats[i].format), "case %zu", i);
        CHECK_STR(haft__str(reason), haft__str(formats[i].reason), "case %zu", i);
    }
}

TEST(facts_are_what_has_happened)
{
    help_run r;
    help_run_init(&r, "agent; calls=3; tools=look,python_execution,send!approval,find,tally",
                  "{\"replies\":[{\"calls\":[{\"name\":\"look\"},{\"name\":\"send\"},{\"name\":"
                  "\"find\",\"raw\":\"{\"}]}],\"results\":{\"look\":{\"error\":\"no\"}}}");
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    CHECK_INT(help_run_answer(&r, "c1.2", "reject", "null"), HAFT_OK, "%s", r.err.message);
    haft__choice_facts facts;
    CHECK_INT(haft__offer_facts(&r.drive.run, &r.arena, &facts, &r.err), HAFT_OK, "%s",
              r.err.message);
    static const struct {
        const char *name;
        bool finished, rejected;
    } wanted[] = {{"look", true, false},
                  {"send", false, true},
                  {"find", false, false},
                  {"tally", false, false}};
    CHECK_INT(facts.tool_count, COUNT(wanted), "those that are offered");
    for (size_t i = 0; i < COUNT(wanted); i++) {
        CHECK_STR(facts.tools[i].name, haft__str(wanted[i].name), "%zu", i);
        CHECK_INT(facts.tools[i].finished, wanted[i].finished, "%s", wanted[i].name);
        CHECK_INT(facts.tools[i].rejected, wanted[i].rejected, "%s", wanted[i].name);
    }
    CHECK_INT(facts.turn, r.drive.run.turn + 1, "the next turn");
    CHECK(facts.spent.what == NULL, "nothing is used up");
    r.drive.run.worked_ms = 600000;
    CHECK_INT(haft__offer_facts(&r.drive.run, &r.arena, &facts, &r.err), HAFT_OK, "%s",
              r.err.message);
    CHECK(facts.spent.what != NULL && strcmp(facts.spent.what, "wall") == 0, "time is used up");
    haft__arena arena;
    haft__arena_init(&arena, 0);
    test_fail_allocation(0);
    haft_status status = haft__offer_facts(&r.drive.run, &arena, &facts, &r.err);
    CHECK(test_allow_allocations() && status == HAFT_NO_MEMORY, "no memory");
    haft__arena_finish(&arena);
    help_run_finish(&r);
}
