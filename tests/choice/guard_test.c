/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/choice/guard.c: which calls pass, and the exact texts of refusals. */
#include "choice_help.h"

/* Two phases: look {a b}, write {w}. */
static haft__spec workflow(bool gate)
{
    static const haft_str look[] = {{"a", 1}, {"b", 1}}, write[] = {{"w", 1}};
    static const haft__phase phases[] = {{{"look", 4}, look, 2}, {{"write", 5}, write, 1}};
    haft__spec spec = help_spec();
    spec.kind = HAFT__SPEC_WORKFLOW;
    spec.choice.gate = gate;
    spec.phases = phases;
    spec.phase_count = 2;
    return spec;
}

#define ASK  "request_user_input"
#define DONE "complete_workflow"

static const struct {
    const char *name;
    bool gate;
    const char *tools;
    const char *done;        /* "lw": phases that are done; 's': something is stored */
    const char *tool, *want; /* "" passes */
} cases[] = {
    {"question, nothing called", true, "a:d b:d c:d", "", ASK,
     "request_user_input is refused: look for the answer yourself before you ask. First, call 2 "
     "more of: a, b, c."},
    {"question, one called", true, "a:d+ b:d c:d", "", ASK,
     "request_user_input is refused: look for the answer yourself before you ask. First, call 1 "
     "more of: b, c."},
    {"question, two called, gate still closed", true, "a:d+ b:d+ c:d d:d e:d", "", ASK, ""},
    {"question without a gate", false, "a:d b:d", "", ASK,
     "request_user_input is refused: look for the answer yourself before you ask. First, call 2 "
     "more of: a, b."},
    {"question, one data tool", true, "a:d s:a", "", ASK,
     "request_user_input is refused: look for the answer yourself before you ask. First, call 1 "
     "more of: a."},
    {"question, the only data tool called", true, "a:d+ s:a", "", ASK, ""},
    {"question, no data tool", true, "n:n s:a", "", ASK, ""},
    {"question, one rejected", true, "a:d+ b:d-", "", ASK, ""},
    {"question, all rejected", true, "a:d- b:d-", "", ASK, ""},
    {"question, neutral calls do not count", true, "a:d+ b:d n:n+ s:a+", "", ASK,
     "request_user_input is refused: look for the answer yourself before you ask. First, call 1 "
     "more of: b."},

    {"completion, nothing done", true, "a:d b:d w:d x:c store_artifact:a", "", DONE,
     "complete_workflow is refused: the work is not finished. Missing: (1) call 3 more of: a, b, "
     "w; "
     "(2) phase look: call one of: a, b; (3) phase write: call one of: w; (4) nothing is stored: "
     "call store_artifact. Then call complete_workflow again."},
    {"completion, gate closed only", true, "a:d+ b:d w:d+", "lw", DONE,
     "complete_workflow is refused: the work is not finished. Missing: (1) call 1 more of: b. Then "
     "call complete_workflow again."},
    {"completion, one phase", true, "a:d+ b:d+ w:d+", "l", DONE,
     "complete_workflow is refused: the work is not finished. Missing: (1) phase write: call one "
     "of: w. Then call complete_workflow again."},
    {"completion, a phase of which one tool is left", false, "a:d b:d- w:d", "w", DONE,
     "complete_workflow is refused: the work is not finished. Missing: (1) phase look: call one "
     "of: a. Then call complete_workflow again."},
    {"completion, a phase that cannot be done", false, "a:d w:d-", "l", DONE,
     "complete_workflow is refused: the work is not finished. Missing: (1) phase write: none of "
     "its "
     "tools can be called now. Then call complete_workflow again."},
    {"completion, nothing stored", true, "a:d+ b:d+ w:d+ keep:a", "lw", DONE,
     "complete_workflow is refused: the work is not finished. Missing: (1) nothing is stored: call "
     "keep. Then call complete_workflow again."},
    {"completion, stored", true, "a:d+ b:d+ w:d+ keep:a", "lws", DONE, ""},
    {"completion, nothing to store with", true, "a:d+ b:d+ w:d+", "lw", DONE, ""},
    {"completion without a gate", false, "a:d b:d w:d", "lw", DONE, ""},

    {"other tools have no guard", true, "a:d b:d store_artifact:a", "", "store_artifact", ""},
    {"a longer name with the same start has no guard", true, "a:d b:d", "", "complete_workflow_2",
     ""},
};

static bool pass(size_t i, haft__buf *why)
{
    haft__spec spec = workflow(cases[i].gate);
    haft__choice_facts facts = {.turn = 1};
    facts.tools = help_tools(cases[i].tools, &facts.tool_count);
    const bool phase_done[] = {strchr(cases[i].done, 'l') != NULL,
                               strchr(cases[i].done, 'w') != NULL};
    haft__guard_facts guard =
        haft__guard_collect(&spec, &facts, phase_done, strchr(cases[i].done, 's') != NULL);
    return haft__guard_passes(&spec, &guard, haft__str(cases[i].tool), why);
}

TEST(a_refusal_lists_all_that_is_missing)
{
    haft__buf why;
    haft__buf_init(&why, 4096);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf_clear(&why);
        CHECK_INT(pass(i, &why), cases[i].want[0] == '\0', "%s: whether it passes", cases[i].name);
        CHECK_STR(haft__buf_str(&why), haft__str(cases[i].want), "%s: the refusal", cases[i].name);
    }
    haft__buf_finish(&why);
}

TEST(an_open_gate_stays_open_for_completion)
{
    haft__spec spec = workflow(true);
    const bool phase_done[] = {true, true};
    haft__choice_facts facts = {.turn = 5, .gate_opened = true};
    facts.tools = help_tools("a:d+ b:d c:d", &facts.tool_count);
    haft__guard_facts guard = haft__guard_collect(&spec, &facts, phase_done, false);
    haft__buf why;
    haft__buf_init(&why, 4096);
    CHECK(haft__guard_passes(&spec, &guard, HAFT__LIT(DONE), &why), "%.*s", (int)why.len, why.ptr);
    haft__buf_finish(&why);
}

TEST(removed_tools_that_were_counted_count_for_a_question)
{
    haft__spec spec = workflow(false);
    haft__choice_facts facts = {.turn = 5};
    facts.tools = help_tools("a:d+ b:d c:d", &facts.tool_count);
    facts.also_counted = help_names("x", &facts.also_counted_count);
    haft__guard_facts guard = haft__guard_collect(&spec, &facts, NULL, false);
    haft__buf why;
    haft__buf_init(&why, 4096);
    CHECK(haft__guard_passes(&spec, &guard, HAFT__LIT(ASK), &why), "a and x were called");
    haft__buf_finish(&why);
}

TEST(without_the_offer_a_refusal_names_no_tools)
{
    haft__spec spec = workflow(true);
    const bool phase_done[] = {false, true};
    haft__guard_facts guard = {.gate = {.on = true, .called = 1, .threshold = 3},
                               .data_called = 1,
                               .data_reachable = 5,
                               .phase_done = phase_done,
                               .artifact_offered = true};
    haft__buf why;
    haft__buf_init(&why, 4096);
    CHECK(!haft__guard_passes(&spec, &guard, HAFT__LIT(DONE), &why), "the completion passes");
    CHECK_STR(haft__buf_str(&why),
              HAFT__LIT("complete_workflow is refused: the work is not finished. Missing: (1) call "
                        "2 more tools that you have not called yet; (2) phase look: call one of: "
                        "a, b; (3) nothing is stored: call store_artifact. Then call "
                        "complete_workflow again."),
              "refusal of the completion");
    haft__buf_clear(&why);
    CHECK(!haft__guard_passes(&spec, &guard, HAFT__LIT(ASK), &why), "the question passes");
    CHECK_STR(haft__buf_str(&why),
              HAFT__LIT("request_user_input is refused: look for the answer yourself before you "
                        "ask. First, call 1 more tool that you have not called yet."),
              "refusal of the question");
    haft__buf_finish(&why);
}

/* ---- the largest spec ---- */

enum { MANY = HAFT__LIMIT_CHOICE_NAMES + 5 };

/* MANY phases, none done, each with the same MANY tools x of which the offer has the last. */
static void refuse_many(const char *offer, haft__buf *why)
{
    haft__phase phases[MANY];
    haft_str tools[MANY];
    bool done[MANY] = {false};
    for (size_t i = 0; i < MANY; i++) {
        tools[i] = i + 1 < MANY ? HAFT__LIT("x") : HAFT__LIT("z");
        phases[i] = (haft__phase){HAFT__LIT("p"), tools, MANY};
    }
    haft__spec spec = help_spec();
    spec.phases = phases;
    spec.phase_count = MANY;
    haft__choice_facts facts = {.turn = 1};
    facts.tools = help_tools(offer, &facts.tool_count);
    haft__guard_facts guard = haft__guard_collect(&spec, &facts, done, false);
    haft__buf_clear(why);
    CHECK(!haft__guard_passes(&spec, &guard, HAFT__LIT(DONE), why), "the completion passes");
}

TEST(the_length_of_a_refusal_is_bounded)
{
    haft__buf why;
    haft__buf_init(&why, 1 << 16);
    refuse_many("x:d z:d", &why);
    haft_str text = haft__buf_str(&why);
    const char *end = "x, x, x and 5 more; (21) 5 more phases. Then call complete_workflow again.";
    CHECK(haft__str_ends_with(text, haft__str(end)), "%.*s", HAFT__ARG(text));
    refuse_many("z:d", &why);
    text = haft__buf_str(&why);
    end = "(20) phase p: none of its first tools can be called now, call another; (21) 5 more "
          "phases. Then call complete_workflow again.";
    CHECK(haft__str_ends_with(text, haft__str(end)), "%.*s", HAFT__ARG(text));
    haft__buf_finish(&why);
}
