/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/choice/judge.c: violations of a choice, and the corrections for the model. */
#include "choice_help.h"

/* Calls of a reply: "a b! ?": allowed, exists but may not run, no such tool. */
static haft__violation judge(const haft__choice *choice, bool has_text, const char *calls)
{
    size_t count;
    const haft_str *words = help_names(calls, &count);
    haft_str *names = test_alloc((count + 1) * sizeof(*names));
    haft__call_standing *standings = test_alloc((count + 1) * sizeof(*standings));
    for (size_t i = 0; i < count; i++) {
        haft_str word = words[i];
        names[i] = haft__str_split(&word, '!');
        bool marked = names[i].len < words[i].len;
        standings[i] = marked                   ? HAFT__CALL_NOT_ALLOWED
                       : words[i].ptr[0] == '?' ? HAFT__CALL_UNKNOWN
                                                : HAFT__CALL_ALLOWED;
    }
    return haft__judge_reply(choice, has_text, names, standings, count);
}

static const struct {
    haft__choice_mode mode;
    haft__choice_rule rule;
    const char *calls;
    const char *without_text, *with_text;
} cases[] = {
    {HAFT__MODE_AUTO, HAFT__RULE_DEFAULT, "", "empty_reply", ""},
    {HAFT__MODE_AUTO, HAFT__RULE_DEFAULT, "a", "", ""},
    {HAFT__MODE_AUTO, HAFT__RULE_DEFAULT, "b!", "", ""},
    {HAFT__MODE_AUTO, HAFT__RULE_DEFAULT, "?", "", ""},
    {HAFT__MODE_AUTO, HAFT__RULE_SCHEDULE, "", "empty_reply", ""},

    {HAFT__MODE_ANY, HAFT__RULE_GATE, "", "empty_reply", "text_instead_of_call"},
    {HAFT__MODE_ANY, HAFT__RULE_GATE, "a", "", ""},
    {HAFT__MODE_ANY, HAFT__RULE_GATE, "b!", "only_disallowed_calls", "only_disallowed_calls"},
    {HAFT__MODE_ANY, HAFT__RULE_GATE, "b! c!", "only_disallowed_calls", "only_disallowed_calls"},
    {HAFT__MODE_ANY, HAFT__RULE_GATE, "b! a", "", ""},
    {HAFT__MODE_ANY, HAFT__RULE_GATE, "a b!", "", ""},
    {HAFT__MODE_ANY, HAFT__RULE_GATE, "?", "", ""},
    {HAFT__MODE_ANY, HAFT__RULE_GATE, "b! ?", "", ""},
    {HAFT__MODE_ANY, HAFT__RULE_SCHEDULE, "", "empty_reply", "text_instead_of_call"},
    {HAFT__MODE_ANY, HAFT__RULE_DEFAULT, "b!", "only_disallowed_calls", "only_disallowed_calls"},

    {HAFT__MODE_TOOL, HAFT__RULE_SCHEDULE, "", "empty_reply", "text_instead_of_call"},
    {HAFT__MODE_TOOL, HAFT__RULE_SCHEDULE, "a", "", ""},
    {HAFT__MODE_TOOL, HAFT__RULE_SCHEDULE, "b! a", "", ""},
    {HAFT__MODE_TOOL, HAFT__RULE_SCHEDULE, "a ?", "", ""},
    {HAFT__MODE_TOOL, HAFT__RULE_SCHEDULE, "b!", "wrong_tool", "wrong_tool"},
    {HAFT__MODE_TOOL, HAFT__RULE_SCHEDULE, "aa! b!", "wrong_tool", "wrong_tool"},
    {HAFT__MODE_TOOL, HAFT__RULE_DEFAULT, "?", "wrong_tool", "wrong_tool"},

    {HAFT__MODE_NONE, HAFT__RULE_SCHEDULE, "", "empty_reply", ""},
    {HAFT__MODE_NONE, HAFT__RULE_SCHEDULE, "a!", "calls_under_none", "calls_under_none"},
    {HAFT__MODE_NONE, HAFT__RULE_SCHEDULE, "?", "calls_under_none", "calls_under_none"},
    {HAFT__MODE_NONE, HAFT__RULE_DEFAULT, "", "empty_reply", ""},
    {HAFT__MODE_NONE, HAFT__RULE_DEFAULT, "a!", "calls_under_none", "calls_under_none"},
    {HAFT__MODE_NONE, HAFT__RULE_LIMIT, "", "", ""},
    {HAFT__MODE_NONE, HAFT__RULE_LIMIT, "a!", "", ""},
    {HAFT__MODE_NONE, HAFT__RULE_LIMIT, "?", "", ""},
};

TEST(a_reply_is_judged_by_mode_and_calls)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__choice choice = {.mode = cases[i].mode, .rule = cases[i].rule};
        choice.tool = cases[i].mode == HAFT__MODE_TOOL ? HAFT__LIT("a") : choice.tool;
        for (int text = 0; text < 2; text++) {
            haft__violation found = judge(&choice, text == 1, cases[i].calls);
            CHECK_STR(haft__str(haft__violation_name(found)),
                      haft__str(text == 1 ? cases[i].with_text : cases[i].without_text),
                      "%s by %s, calls '%s', text %d", help_mode(cases[i].mode),
                      help_rule(cases[i].rule), cases[i].calls, text);
        }
    }
}

/* ---- corrections ---- */

static const struct {
    const char *name, *schedule; /* "closed": a gate instead of a schedule */
    const char *tools;
    haft__violation violation;
    const char *want;
} corrections[] = {
    {"nothing wrong", "", "a:d b:d", HAFT__VIOLATION_NONE, ""},
    {"empty, auto", "", "a:d s:a", HAFT__VIOLATION_EMPTY,
     "Your last reply was empty. Answer in text, or call one of: a, s."},
    {"empty, auto, no tools", "", "", HAFT__VIOLATION_EMPTY,
     "Your last reply was empty. Answer in text."},
    {"empty, gate", "closed", "a:d+ b:d c:d x:c s:a", HAFT__VIOLATION_EMPTY,
     "Your last reply was empty. You must call a tool in this turn, one of: a, b, c, x. Before you "
     "may answer in text, call 2 more of: b, c."},
    {"text, gate", "closed", "a:d b:d- c:d s:a", HAFT__VIOLATION_TEXT,
     "Your last reply was text without a tool call. You must call a tool in this turn, one of: a, "
     "b, c. Before you may answer in text, call 2 more of: a, c."},
    {"disallowed calls, gate", "closed", "a:d b:d s:a", HAFT__VIOLATION_NOT_ALLOWED,
     "Your last reply called only tools that may not be used in this turn. You must call a tool in "
     "this turn, one of: a, b. Before you may answer in text, call 2 more of: a, b."},
    {"disallowed calls, scheduled any", "any", "a:d b:d s:a", HAFT__VIOLATION_NOT_ALLOWED,
     "Your last reply called only tools that may not be used in this turn. You must call a tool in "
     "this turn, one of: a, b."},
    {"text, tool", "a", "a:d b:d", HAFT__VIOLATION_TEXT,
     "Your last reply was text without a tool call. You must call the tool a in this turn."},
    {"wrong tool", "a", "a:d b:d", HAFT__VIOLATION_WRONG_TOOL,
     "Your last reply did not call the tool that was asked for. You must call the tool a in this "
     "turn."},
    {"calls, none", "none", "a:d b:d", HAFT__VIOLATION_CALLS,
     "Your last reply called a tool, but none may be used in this turn. Answer in text, without "
     "calling a tool."},
    {"empty, none", "none", "a:d b:d", HAFT__VIOLATION_EMPTY,
     "Your last reply was empty. Answer in text, without calling a tool."},
};

static void correct(size_t i, haft__buf *buf)
{
    haft__spec spec = help_spec();
    spec.choice.gate = strcmp(corrections[i].schedule, "closed") == 0;
    help_schedule(&spec.choice, spec.choice.gate ? "" : corrections[i].schedule);
    haft__choice_facts facts = {.turn = 1};
    facts.tools = help_tools(corrections[i].tools, &facts.tool_count);
    bool *allowed = test_alloc(facts.tool_count + 1);
    haft__choice choice;
    haft__choice_decide(&spec, &facts, allowed, &choice);
    haft__violation_correction(buf, &choice, &facts, corrections[i].violation);
}

/* A reply that reached the token limit while the model was reasoning is not empty. */
TEST(a_reply_that_was_cut_is_not_called_empty)
{
    haft__choice_facts facts = {.cut = true};
    haft__choice choice = {.mode = HAFT__MODE_NONE};
    haft__buf buf;
    haft__buf_init(&buf, 1 << 12);
    haft__violation_correction(&buf, &choice, &facts, HAFT__VIOLATION_EMPTY);
    CHECK_STR(haft__buf_str(&buf),
              HAFT__LIT("Your last reply was cut off by the token limit before it came to an "
                        "answer or a call. Think less before you write it. Answer in text, "
                        "without calling a tool."),
              "an empty reply that was cut");
    haft__buf_clear(&buf);
    haft__violation_correction(&buf, &choice, &facts, HAFT__VIOLATION_CALLS);
    CHECK_STR(haft__buf_str(&buf),
              HAFT__LIT("Your last reply called a tool, but none may be used in this turn. Answer "
                        "in text, without calling a tool."),
              "a forbidden call after a cut reply");
    haft__buf_finish(&buf);
}

TEST(a_correction_names_the_violation_and_the_demand)
{
    haft__buf buf;
    haft__buf_init(&buf, 4096);
    for (size_t i = 0; i < COUNT(corrections); i++) {
        haft__buf_clear(&buf);
        correct(i, &buf);
        CHECK_STR(haft__buf_str(&buf), haft__str(corrections[i].want), "%s", corrections[i].name);
    }
    haft__buf_finish(&buf);
}

TEST(a_correction_allocates_only_in_its_buffer)
{
    haft__buf buf;
    haft__buf_init(&buf, 4096);
    CHECK(haft__buf_reserve(&buf, 2048) != NULL, "reserving the buffer");
    haft__choice_facts facts = {.turn = 1};
    facts.tools = help_tools("a:d b:d s:a", &facts.tool_count);
    bool allowed[] = {true, true, false};
    haft__choice choice = {.mode = HAFT__MODE_ANY, .rule = HAFT__RULE_GATE, .allowed = allowed};
    size_t before = test_allocation_count();
    haft__violation_correction(&buf, &choice, &facts, HAFT__VIOLATION_TEXT);
    CHECK_INT(test_allocation_count(), before, "allocations");
    CHECK(buf.len > 0, "nothing was written");
    haft__buf_finish(&buf);
}

TEST(a_buffer_that_cannot_grow_reports_that)
{
    haft__choice choice = {.mode = HAFT__MODE_NONE};
    haft__choice_facts facts = {.turn = 1};
    for (unsigned n = 0;; n++) {
        haft__buf buf;
        haft__buf_init(&buf, 4096);
        test_fail_allocation(n);
        haft__violation_correction(&buf, &choice, &facts, HAFT__VIOLATION_EMPTY);
        bool failed = test_allow_allocations();
        CHECK_INT(haft__buf_check(&buf, NULL), failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u",
                  n);
        haft__buf_finish(&buf);
        if (!failed) {
            break;
        }
    }
}
