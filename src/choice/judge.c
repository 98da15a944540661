/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.c - checks a reply against the choice, and writes the correction.
 *
 * A reply is valid if it has an allowed call. Its other calls, including calls of unknown tools,
 * get their own results.
 *
 * Tests: tests/choice/judge_test.c.
 */
#include "choice/choice_int.h"
#include "tool/wire_name.h"

static haft__violation judge_no_calls(const haft__choice *choice, bool has_text)
{
    bool forced = choice->mode == HAFT__MODE_ANY || choice->mode == HAFT__MODE_TOOL;
    if (!has_text) {
        return HAFT__VIOLATION_EMPTY;
    }
    return forced ? HAFT__VIOLATION_TEXT : HAFT__VIOLATION_NONE;
}

static haft__violation judge_any(const haft__call_standing *standings, size_t call_count)
{
    for (size_t i = 0; i < call_count; i++) {
        if (standings[i] != HAFT__CALL_NOT_ALLOWED) {
            return HAFT__VIOLATION_NONE;
        }
    }
    return HAFT__VIOLATION_NOT_ALLOWED;
}

static haft__violation judge_tool(haft_str required, const haft_str *call_names, size_t call_count)
{
    for (size_t i = 0; i < call_count; i++) {
        if (haft__str_equal(call_names[i], required)) {
            return HAFT__VIOLATION_NONE;
        }
    }
    return HAFT__VIOLATION_WRONG_TOOL;
}

haft__violation haft__judge_reply(const haft__choice *choice, bool has_text,
                                  const haft_str *call_names, const haft__call_standing *standings,
                                  size_t call_count)
{
    if (choice->mode == HAFT__MODE_NONE && choice->rule == HAFT__RULE_LIMIT) {
        return HAFT__VIOLATION_NONE;
    }
    if (call_count == 0) {
        return judge_no_calls(choice, has_text);
    }
    switch (choice->mode) {
    case HAFT__MODE_AUTO: return HAFT__VIOLATION_NONE;
    case HAFT__MODE_ANY: return judge_any(standings, call_count);
    case HAFT__MODE_TOOL: return judge_tool(choice->tool, call_names, call_count);
    case HAFT__MODE_NONE: return HAFT__VIOLATION_CALLS;
    }
    HAFT__UNREACHABLE();
}

const char *haft__violation_name(haft__violation violation)
{
    static const char *const names[] = {
#define X(name, text) text,
        HAFT__VIOLATIONS(X)
#undef X
    };
    return names[violation];
}

/* ---- corrections ---- */

static const char *describe_violation(haft__violation violation, bool cut)
{
    switch (violation) {
    case HAFT__VIOLATION_NONE: return "";
    case HAFT__VIOLATION_EMPTY:
        return cut ? "Your last reply was cut off by the token limit before it came to an answer "
                     "or a call. Think less before you write it."
                   : "Your last reply was empty.";
    case HAFT__VIOLATION_TEXT: return "Your last reply was text without a tool call.";
    case HAFT__VIOLATION_NOT_ALLOWED:
        return "Your last reply called only tools that may not be used in this turn.";
    case HAFT__VIOLATION_WRONG_TOOL:
        return "Your last reply did not call the tool that was asked for.";
    case HAFT__VIOLATION_CALLS:
        return "Your last reply called a tool, but none may be used in this turn.";
    }
    HAFT__UNREACHABLE();
}

static void add_allowed(haft__buf *buf, const haft__choice *choice, const haft__choice_facts *facts)
{
    haft__name_list names = {buf, 0, 0};
    for (size_t i = 0; i < facts->tool_count; i++) {
        if (choice->allowed[i]) {
            haft__name_list_add(&names, facts->tools[i].name);
        }
    }
    haft__name_list_end(&names);
    haft__buf_add_char(buf, '.');
}

static void add_demand_for_tool(haft__buf *buf, haft_str tool)
{
    haft__buf_add_str(buf, HAFT__LIT("You must call the tool "));
    haft__wire_name_add(buf, tool);
    haft__buf_add_str(buf, HAFT__LIT(" in this turn."));
}

void haft__choice_write_demand(haft__buf *buf, haft__choice_mode mode, haft_str tool,
                               const haft_str *names, size_t count)
{
    if (mode == HAFT__MODE_TOOL) {
        add_demand_for_tool(buf, tool);
        return;
    }
    haft__name_list list = {buf, 0, 0};
    haft__buf_add_str(buf, HAFT__LIT("You must call a tool in this turn, one of: "));
    for (size_t i = 0; i < count; i++) {
        haft__name_list_add(&list, names[i]);
    }
    haft__name_list_end(&list);
    haft__buf_add_char(buf, '.');
}

static void add_demand(haft__buf *buf, const haft__choice *choice, const haft__choice_facts *facts)
{
    const haft__gate *gate = &choice->gate;
    switch (choice->mode) {
    case HAFT__MODE_AUTO:
        haft__buf_addf(buf, " Answer in text%s", facts->tool_count > 0 ? ", or call one of: " : "");
        add_allowed(buf, choice, facts);
        return;
    case HAFT__MODE_ANY:
        haft__buf_addf(buf, " You must call a tool in this turn, one of: ");
        add_allowed(buf, choice, facts);
        if (choice->rule == HAFT__RULE_GATE) {
            haft__buf_addf(buf, " Before you may answer in text, ");
            haft__name_list_add_uncalled(buf, gate->threshold - gate->called, facts->tools,
                                         facts->tool_count);
            haft__buf_add_char(buf, '.');
        }
        return;
    case HAFT__MODE_TOOL:
        haft__buf_add_char(buf, ' ');
        add_demand_for_tool(buf, choice->tool);
        return;
    case HAFT__MODE_NONE: haft__buf_addf(buf, " Answer in text, without calling a tool."); return;
    }
    HAFT__UNREACHABLE();
}

void haft__violation_correction(haft__buf *buf, const haft__choice *choice,
                                const haft__choice_facts *facts, haft__violation violation)
{
    if (violation == HAFT__VIOLATION_NONE) {
        return;
    }
    haft__buf_add_str(buf, haft__str(describe_violation(violation, facts->cut)));
    add_demand(buf, choice, facts);
}
