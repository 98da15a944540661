/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/wreck.c: what is left of a call that cannot be read is its own, to its end
 * and no further; nothing in its strings is ever a call. */
#include "parse_help.h"
#include "test.h"

static const haft__format_tool tools[] = {{.name = {"f", 1}}, {.name = {"g", 1}}};

#define G    "[{\"name\":\"g\",\"arguments\":{},\"id\":\"\"}]"
#define NOPE "malformed at 0: expected true, false or null, found 'o': "

static const struct {
    const char *name, *format, *text, *calls, *content, *errors;
} cases[] = {
    {"a mark in a string", "functionary_v31",
     "<function=f>{\"a\":nope,\"s\":\"<function=g>{}</function>\"}</function>x", "[]", "x",
     NOPE "<function=f>{\"a\":nope,\"s\":\"<function=g>{}</function>\"}</function>\n"},
    {"a mark in a string, no end tag", "mistral",
     "[TOOL_CALLS]f[ARGS]{\"a\":nope,\"s\":\"[TOOL_CALLS]g[ARGS]{}\"}", "[]", "",
     NOPE "[TOOL_CALLS]f[ARGS]{\"a\":nope,\"s\":\"[TOOL_CALLS]g[ARGS]{}\"}\n"},
    {"behind an escape", "mistral",
     "[TOOL_CALLS]f[ARGS]{\"a\":nope,\"s\":\"\\\\\\\"[TOOL_CALLS]g[ARGS]{}\"}[TOOL_CALLS]g[ARGS]{}",
     G, "", NOPE "[TOOL_CALLS]f[ARGS]{\"a\":nope,\"s\":\"\\\\\\\"[TOOL_CALLS]g[ARGS]{}\"}\n"},
    {"in single quotes", "functionary_v31",
     "<function=f>{\"a\":nope,'s':'<function=g>{}</function>'}</function>", "[]", "",
     NOPE "<function=f>{\"a\":nope,'s':'<function=g>{}</function>'}</function>\n"},
    {"an apostrophe", "functionary_v31",
     "<function=f>{\"a\":nope, it's}</function><function=g>{}</function>", G, "",
     NOPE "<function=f>{\"a\":nope, it's}</function>\n"},
    {"wrong in a string", "functionary_v31",
     "<function=f>{\"a\":\"\\x<function=g>{}</function>\"}</function>", "[]", "",
     "malformed at 0: expected one of \"\\/bfnrtu after a backslash, found 'x': "
     "<function=f>{\"a\":\"\\x<function=g>{}</function>\"}</function>\n"},
    {"a name that is none", "functionary_v31",
     "<function=a b>{\"s\":\"</function><function=g>{}</function>\"}</function>", "[]", "",
     "malformed at 0: its name cannot be that of a tool: "
     "<function=a b>{\"s\":\"</function><function=g>{}</function>\"}</function>\n"},
    {"a string that never closes", "functionary_v31",
     "<function=f>{\"s\":\"x\n}</function><function=g>{}</function>", G, "",
     "malformed at 0: expected no raw control character in the string, found byte 0x0A: "
     "<function=f>{\"s\":\"x\n}</function>\n"},
    {"a string that never closes, and no end tag", "functionary_v31",
     "<function=f>{\"s\":\"x\n<function=g>{}", "[]", "",
     "truncated at 0: the text ends inside it: <function=f>{\"s\":\"x\n<function=g>{}\n"},
    {"two of them", "functionary_v31",
     "<function=f>{\"s\":\"x\n}</function><function=f>{\"s\":\"x\n}</function>", "[]", "",
     "malformed at 0: expected no raw control character in the string, found byte 0x0A: "
     "<function=f>{\"s\":\"x\n}</function><function=f>{\"s\":\"x\n}</function>\n"},
    {"no end tag, but a next one", "hermes",
     "<tool_call> as I said <tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call>", G, "",
     "malformed at 0: expected a value, found 'a': <tool_call> as I said \n"},
    {"prose", "hermes", "Write <tool_call> and JSON.", "[]", "Write",
     "malformed at 6: expected a value, found 'a': <tool_call> and JSON.\n"},
    {"a comma too many in an element", "mistral",
     "[TOOL_CALLS][{\"name\":\"f\",\"arguments\":{\"a\":1},},{\"name\":\"g\",\"arguments\":{}}] x",
     G, "x",
     "malformed at 0: expected a key in double quotes, found '}': "
     "[TOOL_CALLS][{\"name\":\"f\",\"arguments\":{\"a\":1},}\n"},
    {"a comma too many", "mistral", "[TOOL_CALLS][{\"name\":\"g\",\"arguments\":{}}, ]", G, "",
     "malformed at 42: expected a value, found ']': ]\n"},
    {"no element", "granite", "<|tool_call|>[nope, {\"name\":\"g\",\"arguments\":{}}]", G, "",
     NOPE "<|tool_call|>[nope\n"},
    {"of an array further in", "purejson",
     "{\"tool_calls\":[{\"name\":\"f\",\"arguments\":{\"a\":nope}},{\"name\":\"g\",\"arguments\":{}"
     "}]}",
     G, "", NOPE "{\"tool_calls\":[{\"name\":\"f\",\"arguments\":{\"a\":nope}}\n"},
    {"further in, but no array", "purejson",
     "{\"tool_call\":{\"name\":\"f\",\"arguments\":{\"a\":nope}}} {\"tool\":\"g\",\"args\":{}}", G,
     "", NOPE "{\"tool_call\":{\"name\":\"f\",\"arguments\":{\"a\":nope}}}\n"},
    {"the next object", "purejson",
     "{\"tool\":\"f\",\"args\":{\"a\":nope}} {\"tool\":\"g\",\"args\":{}}", G, "",
     NOPE "{\"tool\":\"f\",\"args\":{\"a\":nope}}\n"},
    {"text behind it", "functionary_v32", "f\n{\"a\":nope} said\n>>>g\n{}", G, "said",
     NOPE "f\n{\"a\":nope}\n"},
    {"cut", "functionary_v31", "<function=f>{\"a\":nope", "[]", "",
     "truncated at 0: the text ends inside it: <function=f>{\"a\":nope\n"},
};

static void check_one(size_t at, size_t first, size_t chunk, bool repair)
{
    help_input input = {.format = cases[at].format,
                        .text = haft__str(cases[at].text),
                        .tools = tools,
                        .tool_count = COUNT(tools),
                        .repair = repair};
    help_parsed parsed;
    help_parsed_init(&parsed);
    help_parse(&input, first, chunk, &parsed);
    if (!repair) {
        CHECK_STR(haft__buf_str(&parsed.calls), haft__str(cases[at].calls), "%s, %zu",
                  cases[at].name, first);
        CHECK_STR(haft__buf_str(&parsed.errors), haft__str(cases[at].errors), "%s, %zu",
                  cases[at].name, first);
        CHECK_STR(haft__str_trim(haft__buf_str(&parsed.content)), haft__str(cases[at].content),
                  "%s, %zu", cases[at].name, first);
    } else if (strcmp(cases[at].calls, "[]") == 0) {
        CHECK(memmem(parsed.calls.ptr, parsed.calls.len, "\"g\"", 3) == NULL, "%s, %zu, mended",
              cases[at].name, first);
    }
    help_parsed_finish(&parsed);
}

TEST(what_is_left_of_a_bad_call_ends_where_it_ends)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (int repair = 0; repair < 2; repair++) {
            check_one(i, 1, 1, repair != 0);
            for (size_t cut = 0; cut < strlen(cases[i].text); cut++) {
                check_one(i, cut, 0, repair != 0);
            }
        }
    }
}

/* The end of the string may have been cut off: then nothing in it counts. */
TEST(what_is_cut_in_a_string_is_not_read_again)
{
    help_input input = {
        .format = "functionary_v31",
        .text = HAFT__LIT("<function=f>{\"s\":\"x\n}</function><function=g>{}</function>"),
        .tools = tools,
        .tool_count = COUNT(tools),
        .cut = true};
    help_parsed parsed;
    help_parsed_init(&parsed);
    help_parse(&input, 0, 0, &parsed);
    CHECK_STR(haft__buf_str(&parsed.calls), HAFT__LIT("[]"), "no call");
    CHECK(parsed.truncated, "it is cut");
    help_parsed_finish(&parsed);
}
