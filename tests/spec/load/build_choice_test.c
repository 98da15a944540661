/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/build_choice.c: tool choices in all their forms, and formats. */
#include "spec/spec_help.h"

static const struct {
    const char *text;
    haft__choice_mode mode;
    const char *tool;
} wishes[] = {
    {"auto", HAFT__MODE_AUTO, ""},
    {"any", HAFT__MODE_ANY, ""},
    {"required", HAFT__MODE_ANY, ""},
    {"none", HAFT__MODE_NONE, ""},
    {"glob", HAFT__MODE_TOOL, "glob"},
    {"{tool: glob}", HAFT__MODE_TOOL, "glob"},
    {"{type: auto}", HAFT__MODE_AUTO, ""},
    {"{type: any}", HAFT__MODE_ANY, ""},
    {"{type: none}", HAFT__MODE_NONE, ""},
    {"{type: tool, name: glob}", HAFT__MODE_TOOL, "glob"},
    {"{type: function, function: {name: glob}}", HAFT__MODE_TOOL, "glob"},
    {"{type: function, name: glob}", HAFT__MODE_TOOL, "glob"},
};

TEST(default_can_have_every_form)
{
    for (size_t i = 0; i < COUNT(wishes); i++) {
        char text[160];
        (void)snprintf(text, sizeof(text), "enabled_builtins: [glob]\nchoice: {default: %s}\n",
                       wishes[i].text);
        loaded f;
        load(&f, text);
        CHECK_STR(f.listing, HAFT__LIT(""), "%s", text);
        CHECK_INT(f.spec->choice.default_choice.mode, wishes[i].mode, "%s", text);
        CHECK_STR(f.spec->choice.default_choice.tool, haft__str(wishes[i].tool), "%s", text);
        unload(&f);
    }
}

TEST(an_entry_of_a_schedule_can_have_every_form)
{
    for (size_t i = 0; i < COUNT(wishes); i++) {
        char text[160];
        (void)snprintf(text, sizeof(text), "enabled_builtins: [glob]\nchoice: {schedule: [%s]}\n",
                       wishes[i].text);
        loaded f;
        load(&f, text);
        CHECK_STR(f.listing, HAFT__LIT(""), "%s", text);
        CHECK_INT(f.spec->choice.schedule[0].mode, wishes[i].mode, "%s", text);
        CHECK_STR(f.spec->choice.schedule[0].tool, haft__str(wishes[i].tool), "%s", text);
        unload(&f);
    }
}

TEST(a_schedule_and_a_gate_are_loaded)
{
    loaded f;
    load(&f, "enabled_builtins: [glob, grep, read]\n"
             "choice: {min_tools_for_auto: 3, schedule: [{tool: glob}, gate, any, required, none], "
             "schedule_overrides_gate: true}\n");
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    const haft__choice_spec *choice = &f.spec->choice;
    CHECK(choice->gate && choice->schedule_overrides_gate, "gate and schedule_overrides_gate");
    CHECK_INT(choice->min_tools_for_auto, 3, "threshold of the gate");
    CHECK_INT(choice->schedule_count, 5, "entries of the schedule");
    static const haft__choice_mode modes[] = {HAFT__MODE_TOOL, HAFT__MODE_AUTO, HAFT__MODE_ANY,
                                              HAFT__MODE_ANY, HAFT__MODE_NONE};
    for (size_t i = 0; i < COUNT(modes); i++) {
        CHECK_INT(choice->schedule[i].mode, modes[i], "mode of entry %zu", i);
        CHECK_INT(choice->schedule[i].fall_through, i == 1, "fall_through of entry %zu", i);
    }
    CHECK_STR(choice->schedule[0].tool, HAFT__LIT("glob"), "tool of the first entry");
    unload(&f);
}

static const problem_case cases[] = {
    {"choice: {default: gate}\n", "1:19: found gate, expected auto, required, none or a tool (gate "
                                  "is allowed in choice.schedule only)"},
    {"choice: {default: {}}\n", "1:19: the choice names neither a mode nor a tool (write auto, "
                                "required, none, or {tool: NAME})"},
    {"choice: {default: {type: function}}\n", "1:19: the choice names neither a mode nor a tool "
                                              "(write auto, required, none, or {tool: NAME})"},
    {"choice: {default: {type: auto, name: t1}}\n",
     "1:19: the choice names both a mode and a tool (write auto, required, none, or {tool: NAME})"},
    {"choice: {default: {type: required, tool: t1}}\n",
     "1:19: the choice names both a mode and a tool (write auto, required, none, or {tool: NAME})"},
    {"choice: {default: {type: function, name: t1, function: {name: t2}}}\n",
     "1:19: the choice names two tools (write auto, required, none, or {tool: NAME})"},
    {"enabled_builtins: [glob]\n"
     "choice: {default: {type: function, name: glob, function: {name: glob}}}\n",
     ""},
    {"choice: {schedule: [{}, {type: function}]}\n",
     "1:21: the choice names neither a mode nor a tool (write auto, required, none, or {tool: "
     "NAME})\n"
     "1:25: the choice names neither a mode nor a tool (write auto, required, none, or {tool: "
     "NAME})"},
    {"formats: {primary: hermes, enabled: [native, json]}\n",
     "1:20: the primary format hermes is not enabled (add it to formats.enabled)"},
    {"formats: [native, hermess, xml]\n", "1:19: there is no format \"hermess\" (did you mean "
                                          "hermes?)\n1:28: there is no format \"xml\""},
    {"formats: {enabled: [natve]}\n", "1:21: there is no format \"natve\" (did you mean native?)"},
    {"formats: {primary: PureJson, enabled: [native, JSON]}\n", ""},
    {"formats: {primary: code, enabled: [code, native]}\n", ""},
    {"formats: []\n", "1:10: expected at least 1 item, found 0"},
};

TEST(invalid_choices_and_formats_are_rejected)
{
    check_problems(cases, COUNT(cases));
}

TEST(formats_keep_their_order)
{
    static const struct {
        const char *text, *formats;
    } orders[] = {
        {"formats: [hermes, native, HERMES]\n", "hermes native"},
        {"formats: {primary: json, enabled: [native, purejson]}\n", "purejson native"},
        {"formats: {primary: mistral}\n", "mistral"},
        {"formats: {}\n", "native purejson"},
        {"model: offline\n", "native purejson"},
    };
    for (size_t i = 0; i < COUNT(orders); i++) {
        loaded f;
        load(&f, orders[i].text);
        haft__buf buf;
        haft__buf_init(&buf, 1024);
        for (size_t j = 0; f.spec != NULL && j < f.spec->format_count; j++) {
            haft__buf_addf(&buf, "%s%s", j > 0 ? " " : "", f.spec->formats[j].ptr);
        }
        CHECK_STR(keep(&buf), haft__str(orders[i].formats), "%s", orders[i].text);
        unload(&f);
    }
}
