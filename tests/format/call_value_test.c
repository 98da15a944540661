/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/call_value.c: values in tags that are repaired, and arguments inside such a
 * value. */
#include "parse_help.h"
#include "test.h"

#define Q(key, value)                                                                              \
    "<tool_call><function=f><parameter=" key ">" value "</parameter></function></tool_call>"
#define F(arguments) "[{\"name\":\"f\",\"arguments\":" arguments ",\"id\":\"\"}]"

static const struct {
    const char *name, *format, *text, *calls;
    bool repaired;
} cases[] = {
    {"an object of Python", "qwen3coder", Q("o", "{'A': 'b', 'c': [True, None,]}"),
     F("{\"o\":{\"A\":\"b\",\"c\":[true,null]}}"), true},
    {"a list of Python", "qwen3coder", Q("l", "\n['a', 1]\n"), F("{\"l\":[\"a\",1]}"), true},
    {"an object that is right", "qwen3coder", Q("o", "{\"A\": 1}"), F("{\"o\":{\"A\": 1}}"), false},
    {"a list for an object", "qwen3coder", Q("o", "['a']"), F("{\"o\":\"['a']\"}"), false},
    {"a string", "qwen3coder", Q("s", "{'A': 'b'}"), F("{\"s\":\"{'A': 'b'}\"}"), false},
    {"no type", "qwen3coder", Q("z", "{'A': 'b'}"), F("{\"z\":\"{'A': 'b'}\"}"), false},
    {"an object that is cut", "qwen3coder", Q("o", "{'A': 'b'"), F("{\"o\":\"{'A': 'b'\"}"), false},
    {"arguments in one parameter", "qwen3coder", Q("arguments", "{\"s\": \"x\", \"n\": 1}"),
     F("{\"s\":\"x\",\"n\":1}"), true},
    {"... that has no known member", "qwen3coder", Q("arguments", "{\"z\": 1}"),
     F("{\"arguments\":{\"z\": 1}}"), false},
    {"... under another key", "qwen3coder", Q("more", "{\"s\": \"x\"}"),
     F("{\"more\":{\"s\": \"x\"}}"), false},
    {"... next to another", "qwen3coder",
     "<tool_call><function=f><parameter=input>{\"s\":\"x\"}</parameter><parameter=n>1</parameter>"
     "</function></tool_call>",
     F("{\"input\":{\"s\":\"x\"},\"n\":1}"), false},
    {"... as a string", "deepseek_v32",
     "<｜DSML｜function_calls><｜DSML｜invoke name=\"f\"><｜DSML｜parameter name=\"input\" "
     "string=\"true\">{\"s\":\"x\"}</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>",
     F("{\"s\":\"x\"}"), true},
    {"... of a tool without a schema", "glm",
     "<tool_call>g<arg_key>args</arg_key><arg_value>{\"s\":1}</arg_value></tool_call>",
     "[{\"name\":\"g\",\"arguments\":{\"args\":{\"s\":1}},\"id\":\"\"}]", false},
};

static void check_one(size_t at, size_t first, size_t chunk)
{
    help_input input = {.format = cases[at].format,
                        .text = haft__str(cases[at].text),
                        .tools = help_tools,
                        .tool_count = help_tool_count,
                        .repair = true};
    help_parsed parsed;
    help_parsed_init(&parsed);
    help_parse(&input, first, chunk, &parsed);
    CHECK_STR(haft__buf_str(&parsed.calls), haft__str(cases[at].calls), "%s, cut at %zu: calls",
              cases[at].name, first);
    CHECK_INT(parsed.repaired, cases[at].repaired, "%s, cut at %zu: repaired", cases[at].name,
              first);
    help_parsed_finish(&parsed);
}

TEST(values_in_tags_are_repaired_at_every_cut)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        check_one(i, 1, 1);
        for (size_t cut = 0; cut < strlen(cases[i].text); cut++) {
            check_one(i, cut, 0);
        }
    }
}

TEST(a_repair_reports_a_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        help_input input = {.format = "qwen3coder",
                            .text = HAFT__LIT(Q("arguments", "{\"o\":{}}") Q("o", "{'A': 'b'}")),
                            .tools = help_tools,
                            .tool_count = help_tool_count,
                            .repair = true,
                            .may_fail = true};
        help_parsed parsed;
        help_parsed_init(&parsed);
        test_fail_allocation(n);
        help_parse(&input, 0, 7, &parsed);
        bool happened = test_allow_allocations();
        bool whole = parsed.status == HAFT_OK && !parsed.lost && parsed.calls.status == HAFT_OK
                     && parsed.call.status == HAFT_OK;
        CHECK(!whole || (parsed.repaired && parsed.count == 2),
              "allocation %u: a call was lost without an error", n);
        CHECK(happened || whole, "allocation %u: an error without a failed allocation", n);
        help_parsed_finish(&parsed);
        if (!happened) {
            return;
        }
    }
}
