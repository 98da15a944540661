/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/decide*.c: what a run does, event by event. */
#include "run/decide.h"

#include "run_help.h"

/* A spec, a script, and the events they must lead to (without run_started). */
static const struct {
    const char *name, *spec, *script, *events;
} cases[] = {
    {"an agent answers", "agent", "{\"replies\":[{\"text\":\"hello\"}]}",
     "turn_started mode=\"auto\"\nmodel_replied\n"
     "run_finished end=\"done\" answer=\"hello\"\n"},
    {"one call, then the answer", "agent; tools=look",
     "{\"replies\":[{\"calls\":[{\"name\":\"look\",\"arguments\":{\"q\":\"x\"}}]},"
     "{\"expect\":{\"contains\":\"found it\"},\"text\":\"done\"}],\"results\":{\"look\":[\"found "
     "it\"]}}",
     "turn_started mode=\"auto\"\nmodel_replied\n"
     "call_started tool=\"look\" call=\"c1.1\" attempt=1\n"
     "call_finished tool=\"look\" call=\"c1.1\" ok=true\n"
     "turn_started mode=\"auto\"\nmodel_replied\nrun_finished end=\"done\" answer=\"done\"\n"},
    {"text under any is asked again", "agent; tools=look; default=any",
     "{\"replies\":[{\"expect\":{\"mode\":\"any\"},\"text\":\"no\"},"
     "{\"expect\":{\"mode\":\"any\"},\"calls\":[{\"name\":\"look\"}]},{\"text\":\"ok\"}],"
     "\"results\":{\"look\":\"r\"}}",
     "turn_started mode=\"any\"\nmodel_replied\n"
     "violation mode=\"any\" came=\"text_instead_of_call\" try=1\nmodel_replied\n"
     "call_started tool=\"look\" call=\"c1.1\" attempt=1\n"
     "call_finished tool=\"look\" call=\"c1.1\" ok=true\n"
     "turn_started mode=\"auto\"\nmodel_replied\nrun_finished end=\"done\" answer=\"ok\"\n"},
    {"and ends when that does not help", "agent; tools=look; default=any; violations=1",
     "{\"replies\":[{\"text\":\"no\"},{\"text\":\"no\"}]}",
     "turn_started mode=\"any\"\nmodel_replied\n"
     "violation mode=\"any\" came=\"text_instead_of_call\" try=1\nmodel_replied\n"
     "violation mode=\"any\" came=\"text_instead_of_call\" try=2\n"
     "run_finished end=\"violated\" answer=\"\"\n"},
    {"the last turn asks for an answer", "agent; tools=look; turns=2",
     "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},"
     "{\"expect\":{\"mode\":\"none\"},\"text\":\"final\"}],\"results\":{\"look\":\"r\"}}",
     "turn_started mode=\"auto\"\nmodel_replied\n"
     "call_started tool=\"look\" call=\"c1.1\" attempt=1\n"
     "call_finished tool=\"look\" call=\"c1.1\" ok=true\n"
     "turn_started mode=\"none\"\nmodel_replied\nrun_finished end=\"done\" answer=\"final\"\n"},
    {"and without one the last observation serves", "agent; tools=look; turns=2",
     "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},{\"calls\":[{\"name\":\"look\"}]}],"
     "\"results\":{\"look\":\"seen\"}}",
     "turn_started mode=\"auto\"\nmodel_replied\n"
     "call_started tool=\"look\" call=\"c1.1\" attempt=1\n"
     "call_finished tool=\"look\" call=\"c1.1\" ok=true\n"
     "turn_started mode=\"none\"\nmodel_replied\nrun_finished end=\"exhausted\" "
     "answer=\"seen\"\n"},
    {"unknown, invalid and good calls are told apart", "agent; tools=look",
     "{\"replies\":[{\"calls\":[{\"name\":\"loook\"},{\"name\":\"look\",\"raw\":\"{\\\"q\\\":\"},"
     "{\"name\":\"look\",\"arguments\":{\"q\":[]}},{\"name\":\"look\",\"raw\":\"\"}]},"
     "{\"expect\":{\"contains\":[\"Did you mean \\\"look\\\"?\",\"not valid JSON\","
     "\"Expected string\"]},\"text\":\"ok\"}],\"results\":{\"look\":\"r\"}}",
     "turn_started mode=\"auto\"\nmodel_replied\n"
     "call_refused tool=\"loook\" call=\"c1.1\" why=\"unknown\"\n"
     "call_refused tool=\"look\" call=\"c1.2\" why=\"invalid\"\n"
     "call_refused tool=\"look\" call=\"c1.3\" why=\"invalid\"\n"
     "call_started tool=\"look\" call=\"c1.4\" attempt=1\n"
     "call_finished tool=\"look\" call=\"c1.4\" ok=true\n"
     "turn_started mode=\"auto\"\nmodel_replied\nrun_finished end=\"done\" answer=\"ok\"\n"},
    {"replies of nothing but bad calls are bounded", "agent; tools=look; invalid_calls=1",
     "{\"replies\":[{\"calls\":[{\"name\":\"a\"}]},{\"calls\":[{\"name\":\"b\"}]}]}",
     "turn_started mode=\"auto\"\nmodel_replied\n"
     "call_refused tool=\"a\" call=\"c1.1\" why=\"unknown\"\n"
     "turn_started mode=\"auto\"\nmodel_replied\n"
     "call_refused tool=\"b\" call=\"c2.1\" why=\"unknown\"\n"
     "run_finished end=\"violated\" answer=\"\"\n"},
    {"calls past the cap wait", "agent; tools=look; parallel=2",
     "{\"replies\":[{\"calls\":[{\"name\":\"look\",\"arguments\":{\"n\":1}},{\"name\":\"look\","
     "\"arguments\":{\"n\":2}},{\"name\":\"look\",\"arguments\":{\"n\":3}}]},{\"text\":\"ok\"}],"
     "\"results\":{\"look\":[\"a\",\"b\",\"c\"]}}",
     "turn_started mode=\"auto\"\nmodel_replied\n"
     "call_started tool=\"look\" call=\"c1.1\" attempt=1\n"
     "call_started tool=\"look\" call=\"c1.2\" attempt=1\n"
     "call_finished tool=\"look\" call=\"c1.1\" ok=true\n"
     "call_started tool=\"look\" call=\"c1.3\" attempt=1\n"
     "call_finished tool=\"look\" call=\"c1.2\" ok=true\n"
     "call_finished tool=\"look\" call=\"c1.3\" ok=true\n"
     "turn_started mode=\"auto\"\nmodel_replied\nrun_finished end=\"done\" answer=\"ok\"\n"},
    {"or are not run", "agent; tools=look; parallel=1; truncate",
     "{\"replies\":[{\"calls\":[{\"name\":\"look\",\"arguments\":{\"n\":1}},{\"name\":\"look\","
     "\"arguments\":{\"n\":2}}]},{\"expect\":{\"contains\":\"Not run\"},\"text\":\"ok\"}],"
     "\"results\":{\"look\":\"r\"}}",
     "turn_started mode=\"auto\"\nmodel_replied\n"
     "call_started tool=\"look\" call=\"c1.1\" attempt=1\n"
     "call_refused tool=\"look\" call=\"c1.2\" why=\"over_limit\"\n"
     "call_finished tool=\"look\" call=\"c1.1\" ok=true\n"
     "turn_started mode=\"auto\"\nmodel_replied\nrun_finished end=\"done\" answer=\"ok\"\n"},
    {"a result that is the answer", "agent; tools=look!direct",
     "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]}],\"results\":{\"look\":\"the answer\"}}",
     "turn_started mode=\"auto\"\nmodel_replied\n"
     "call_started tool=\"look\" call=\"c1.1\" attempt=1\n"
     "call_finished tool=\"look\" call=\"c1.1\" ok=true\n"
     "run_finished end=\"direct\" answer=\"the answer\"\n"},
    {"the same call again comes from the cache", "agent; tools=look!cached,other",
     "{\"replies\":[{\"calls\":[{\"name\":\"look\",\"arguments\":{\"n\":1}}]},"
     "{\"calls\":[{\"name\":\"other\"}]},{\"calls\":[{\"name\":\"look\",\"arguments\":{\"n\":1.0}}]"
     "},{\"text\":\"ok\"}],\"results\":{\"look\":[\"r\"],\"other\":\"o\"}}",
     "turn_started mode=\"auto\"\nmodel_replied\n"
     "call_started tool=\"look\" call=\"c1.1\" attempt=1\n"
     "call_finished tool=\"look\" call=\"c1.1\" ok=true\n"
     "turn_started mode=\"auto\"\nmodel_replied\n"
     "call_started tool=\"other\" call=\"c2.1\" attempt=1\n"
     "call_finished tool=\"other\" call=\"c2.1\" ok=true\n"
     "turn_started mode=\"auto\"\nmodel_replied\n"
     "call_finished tool=\"look\" call=\"c3.1\" cached=true ok=true\n"
     "turn_started mode=\"auto\"\nmodel_replied\nrun_finished end=\"done\" answer=\"ok\"\n"},
    {"a model that fails", "agent",
     "{\"replies\":[{\"error\":{\"status\":500,\"body\":\"oops\"}}]}",
     "turn_started mode=\"auto\"\nmodel_failed\nrun_finished end=\"failed\" answer=\"\"\n"},
    {"a script that expects something else", "agent",
     "{\"replies\":[{\"expect\":{\"mode\":\"any\"},\"text\":\"x\"}]}",
     "turn_started mode=\"auto\"\nmodel_failed\nrun_finished end=\"failed\" answer=\"\"\n"},
    {"a refusal", "agent", "{\"replies\":[{\"text\":\"I cannot\",\"stop\":\"refusal\"}]}",
     "turn_started mode=\"auto\"\nmodel_replied\nrun_finished end=\"refused\" "
     "answer=\"I cannot\"\n"},
    {"an empty reply", "agent; violations=0", "{\"replies\":[{}]}",
     "turn_started mode=\"auto\"\nmodel_replied\n"
     "violation mode=\"auto\" came=\"empty_reply\" try=1\n"
     "run_finished end=\"violated\" answer=\"\"\n"},
    {"a headless call waits", "agent; tools=pick!headless",
     "{\"replies\":[{\"calls\":[{\"name\":\"pick\"}]}]}",
     "turn_started mode=\"auto\"\nmodel_replied\n"
     "call_started tool=\"pick\" call=\"c1.1\" attempt=1\n"
     "paused tool=\"pick\" call=\"c1.1\" pause=\"headless\"\n"},
};

TEST(runs_do_what_their_scripts_lead_to)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str found = help_play(cases[i].spec, cases[i].script);
        haft_str first = HAFT__LIT("run_started\n");
        CHECK(haft__str_starts(found, first), "%s", cases[i].name);
        CHECK_STR(haft__str_skip(found, first.len), haft__str(cases[i].events), "%s",
                  cases[i].name);
    }
}
