/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/malformed_call.c: the rest of a malformed call belongs to that call, up to
 * its end and no further; nothing in its strings is ever a call. */
#include "parse_help.h"
#include "random_help.h"
#include "test.h"

static const haft__format_tool tools[] = {{.name = {"f", 1}}, {.name = {"g", 1}}};

#define G "[{\"name\":\"g\",\"arguments\":{},\"id\":\"\"}]"
#define G2                                                                                         \
    "[{\"name\":\"g\",\"arguments\":{},\"id\":\"\"},{\"name\":\"g\",\"arguments\":{},\"id\":\"\"}" \
    "]"
#define SURPLUS  "malformed at 0: expected ',' or '}' after the member, found ']': "
#define NAMELESS "malformed at 0: its name is not a valid tool name: "
#define NOPE     "malformed at 0: expected true, false or null, found 'o': "

static const struct {
    const char *name, *format, *text, *calls, *content, *errors;
} cases[] = {
    {"a mark in a string", "functionary_v31",
     "<function=f>{\"a\":nope,\"s\":\"<function=g>{}</function>\"}</function>x", "[]", "x",
     NOPE "<function=f>{\"a\":nope,\"s\":\"<function=g>{}</function>\"}</function>\n"},
    {"a mark in a string, no end tag", "mistral",
     "[TOOL_CALLS]f[ARGS]{\"a\":nope,\"s\":\"[TOOL_CALLS]g[ARGS]{}\"}", "[]", "",
     NOPE "[TOOL_CALLS]f[ARGS]{\"a\":nope,\"s\":\"[TOOL_CALLS]g[ARGS]{}\"}\n"},
    {"after an escape", "mistral",
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
    {"a name that is invalid", "functionary_v31",
     "<function=a b>{\"s\":\"</function><function=g>{}</function>\"}</function>", "[]", "",
     "malformed at 0: its name is not a valid tool name: "
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
     "<tool_call>as I said <tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call>", G, "",
     "malformed at 0: expected a value, found 'a': <tool_call>as I said \n"},
    {"words between both marks", "hermes", "Write <tool_call>and so on </tool_call>.", "[]",
     "Write .", "malformed at 6: expected a value, found 'a': <tool_call>and so on </tool_call>\n"},
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
    {"text after it", "functionary_v32", "f\n{\"a\":nope} said\n>>>g\n{}", G, "said",
     NOPE "f\n{\"a\":nope}\n"},
    {"a bracket too many", "functionary_v31",
     "<function=f>{\"a\":[1]],\"s\":\"<function=g>{}</function>\"}</function>x", "[]", "x",
     SURPLUS "<function=f>{\"a\":[1]],\"s\":\"<function=g>{}</function>\"}</function>\n"},
    {"brackets too many, and single quotes in a string", "hermes",
     "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":[[1]]]],\"s\":\"<tool_call>{'name':'g',"
     "'arguments':{}}</tool_call>\"}}</tool_call>",
     "[]", "",
     SURPLUS "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":[[1]]]],\"s\":\"<tool_call>{'name':"
             "'g','arguments':{}}</tool_call>\"}}</tool_call>\n"},
    {"a bracket too many, and no end tag", "functionary_v32",
     ">>>f\n{\"a\":[1]],\"s\":\"x\n>>>g\n{}\"}", "[]", "",
     SURPLUS ">>>f\n{\"a\":[1]],\"s\":\"x\n>>>g\n{}\"}\n"},
    {"a bracket of the wrong kind", "mistral",
     "[TOOL_CALLS]f{\"o\":{\"p\":[1,]{}]},\"s\":\"[TOOL_CALLS]g{}\"}", "[]", "",
     "malformed at 0: expected a value, found ']': "
     "[TOOL_CALLS]f{\"o\":{\"p\":[1,]{}]},\"s\":\"[TOOL_CALLS]g{}\"}\n"},
    {"a bracket too many in an element", "granite",
     "<|tool_call|>[{\"name\":\"f\",\"arguments\":{\"a\":[1]],\"s\":1}},{\"name\":\"g\","
     "\"arguments\":{}}]",
     G, "", SURPLUS "<|tool_call|>[{\"name\":\"f\",\"arguments\":{\"a\":[1]],\"s\":1}}\n"},
    {"a bracket too many in an object", "purejson",
     "{\"tool\":\"f\",\"args\":{\"a\":[1]],\"s\":1}}", "[]", "",
     SURPLUS "{\"tool\":\"f\",\"args\":{\"a\":[1]],\"s\":1}}\n"},
    {"a bad name, and its arguments after it", "mistral",
     "[TOOL_CALLS]a b{\"a\":{},\"k\":\"[TOOL_CALLS]g[ARGS]{}\"}", "[]", "",
     NAMELESS "[TOOL_CALLS]a b{\"a\":{},\"k\":\"[TOOL_CALLS]g[ARGS]{}\"}\n"},
    {"no name", "mistral",
     "[TOOL_CALLS]{\"name\":\"f\",\"arguments\":{},\"k\":\"[TOOL_CALLS]g[ARGS]{}\"}", "[]", "",
     NAMELESS "[TOOL_CALLS]{\"name\":\"f\",\"arguments\":{},\"k\":\"[TOOL_CALLS]g[ARGS]{}\"}\n"},
    {"no name, and text after it", "mistral",
     "[TOOL_CALLS]{\"name\":\"f\",\"arguments\":{\"a\":1}} x", "[]", "x",
     NAMELESS "[TOOL_CALLS]{\"name\":\"f\",\"arguments\":{\"a\":1}}\n"},
    {"a bad id", "mistral", "[TOOL_CALLS]f[CALL_ID]x{\"a\":{},\"k\":\"[TOOL_CALLS]g[ARGS]{}\"}",
     "[]", "",
     "malformed at 0: its id is not 9 letters and digits: "
     "[TOOL_CALLS]f[CALL_ID]x{\"a\":{},\"k\":\"[TOOL_CALLS]g[ARGS]{}\"}\n"},
    {"JSON between tags", "glm",
     "<tool_call>f\n{\"s\":\"see <tool_call>g\n</tool_call>\"}\n</tool_call>", "[]", "",
     "malformed at 0: it has text where only tags belong: <tool_call>f\n{\"s\":\"see "
     "<tool_call>g\n</tool_call>\"}\n</tool_call>\n"},
    {"an end and a beginning in JSON between tags", "glm",
     "<tool_call>f\n{\"s\":\"</tool_call><tool_call>g\n</tool_call>\"}\n</tool_call>", "[]", "",
     "malformed at 0: it has text where only tags belong: "
     "<tool_call>f\n{\"s\":\"</tool_call><tool_call>g\n</tool_call>\"}\n</tool_call>\n"},
    {"Python between tags", "glm", "<tool_call>f(s=\"see <tool_call>g\n</tool_call>\")</tool_call>",
     "[]", "",
     "malformed at 0: its name or id contains a tag: <tool_call>f(s=\"see "
     "<tool_call>g\n</tool_call>\")</tool_call>\n"},
    {"Python between tags, an end in it", "glm",
     "<tool_call>f(s=\"</tool_call><tool_call>g\n</tool_call>\")</tool_call>", "[]", "",
     "malformed at 0: its name is not a valid tool name: "
     "<tool_call>f(s=\"</tool_call><tool_call>g\n</tool_call>\")</tool_call>\n"},
    {"words between tags", "glm", "<tool_call>f\nsee <tool_call>g\n</tool_call> ok\n</tool_call>",
     "[]", "",
     "malformed at 0: it has text where only tags belong: <tool_call>f\nsee "
     "<tool_call>g\n</tool_call> ok\n</tool_call>\n"},
    {"tags where JSON belongs", "hermes",
     "<tool_call>\n<function=f>\n<parameter=s>see "
     "<tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call></parameter>\n</function>\n</"
     "tool_call>",
     "[]", "",
     "malformed at 0: expected a value, found '<': <tool_call>\n<function=f>\n<parameter=s>see "
     "<tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call></parameter>\n</function>\n</"
     "tool_call>\n"},
    {"tags where JSON belongs, an end in them", "hermes",
     "<tool_call>\n<function=f>\n<parameter=s></"
     "tool_call><tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call></parameter>\n</"
     "function>\n</tool_call>x",
     "[]", "x",
     "malformed at 0: expected a value, found '<': "
     "<tool_call>\n<function=f>\n<parameter=s></"
     "tool_call><tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call></parameter>\n</"
     "function>\n</tool_call>\n"},
    {"another attribute", "qwen3coder",
     "<tool_call>\n<function=f>\n<parameter name=\"s\">see "
     "<tool_call>\n<function=g>\n</function>\n</tool_call></parameter>\n</function>\n</tool_call>",
     "[]", "",
     "malformed at 0: it has text where only tags belong: <tool_call>\n<function=f>\n<parameter "
     "name=\"s\">see "
     "<tool_call>\n<function=g>\n</function>\n</tool_call></parameter>\n</function>\n"},
    {"another tag", "anthropic_xml",
     "<function_calls><invoke name=\"f\"><param name=\"s\">see <invoke name=\"g\"></invoke> "
     "ok</param></invoke></function_calls>",
     "[]", "",
     "malformed at 16: it has text where only tags belong: <invoke name=\"f\"><param "
     "name=\"s\">see <invoke name=\"g\"></invoke> ok</param></invoke>\n"},
    {"another tag, an end in it", "anthropic_xml",
     "<function_calls><invoke name=\"f\"><param name=\"s\"></invoke><invoke name=\"g\"></invoke> "
     "<x/></param></invoke></function_calls>",
     "[]", "",
     "malformed at 16: it has text where only tags belong: <invoke name=\"f\"><param "
     "name=\"s\"></invoke><invoke name=\"g\"></invoke> <x/></param></invoke>\n"},
    {"a whole call among words", "anthropic_xml",
     "<function_calls><invoke name=\"f\">words <invoke name=\"g\"><parameter "
     "name=\"s\">v</parameter></invoke> ok</invoke></function_calls>",
     "[]", "",
     "malformed at 16: it has text where only tags belong: <invoke name=\"f\">words <invoke "
     "name=\"g\"><parameter name=\"s\">v</parameter></invoke> ok</invoke>\n"},
    {"attributes the other way round", "deepseek_v32",
     "<｜DSML｜function_calls><｜DSML｜invoke name=\"f\"><｜DSML｜parameter string=\"true\" "
     "name=\"s\">see <｜DSML｜invoke name=\"g\"></｜DSML｜invoke> "
     "ok</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>",
     "[]", "",
     "malformed at 26: it has text where only tags belong: <｜DSML｜invoke "
     "name=\"f\"><｜DSML｜parameter string=\"true\" name=\"s\">see <｜DSML｜invoke "
     "name=\"g\"></｜DSML｜invoke> ok</｜DSML｜parameter></｜DSML｜invoke>\n"},
    {"a tag that never closes", "hermes",
     "<tool_call><b>x</tool_call><tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call>", "[]",
     "",
     "malformed at 0: expected a value, found '<': "
     "<tool_call><b>x</tool_call><tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call>\n"},
    {"the end of a tag, and words", "hermes",
     "<tool_call><b>x</b> y</tool_call><tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call>",
     "[]", "",
     "malformed at 0: expected a value, found '<': <tool_call><b>x</b> "
     "y</tool_call><tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call>\n"},
    {"tags that close", "hermes",
     "<tool_call><br/><b>x</b><b "
     ">y</b></tool_call><tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call>",
     G, "",
     "malformed at 0: expected a value, found '<': <tool_call><br/><b>x</b><b "
     ">y</b></tool_call>\n"},
    {"no tags", "hermes",
     "<tool_call>a <<b<1> <5 "
     "<c</tool_call><tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call>",
     G, "", "malformed at 0: expected a value, found 'a': <tool_call>a <<b<1> <5 <c</tool_call>\n"},
    {"too long for a tag", "hermes",
     "<tool_call>a "
     "<xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx></tool_call><tool_call>{\"name\":\"g\",\"arguments\":{}}</"
     "tool_call>",
     G, "",
     "malformed at 0: expected a value, found 'a': <tool_call>a "
     "<xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx></tool_call>\n"},
    {"a token that is no tag", "deepseek_v31",
     "<｜tool▁call▁begin｜>f<｜tool▁sep｜>x "
     "<｜y｜><｜tool▁call▁end｜><｜tool▁call▁begin｜>g<｜tool▁sep｜>{}<｜tool▁call▁end｜>",
     G, "",
     "malformed at 0: expected a value, found 'x': <｜tool▁call▁begin｜>f<｜tool▁sep｜>x "
     "<｜y｜><｜tool▁call▁end｜>\n"},
    {"cut in its JSON, and two after it", "hermes",
     "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":nope "
     "<tool_call>{\"name\":\"g\",\"arguments\":{}}</"
     "tool_call><tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call>",
     G2, "",
     "malformed at 0: expected true, false or null, found 'o': "
     "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":nope \n"},
    {"a string that closes before one that does not", "functionary_v31",
     "<function=f>{\"a\":nope,\"s\":\"</function><function=g>{}</function>\",\"t\":\"x}</function>",
     "[]", "",
     "malformed at 0: expected true, false or null, found 'o': "
     "<function=f>{\"a\":nope,\"s\":\"</function><function=g>{}</function>\",\"t\":\"x}</"
     "function>\n"},
    {"three quotes", "pythonic", "[f(a=1+2, s='''it's :)] [g()] ''')]", "[]", "",
     "malformed at 0: an argument is not a literal: [f(a=1+2, s='''it's :)] [g()] ''')\n"},
    {"wrong in three quotes", "pythonic", "[f(s='''a\\x4 ' [g()])] [g()]''')]", "[]", "",
     "malformed at 0: an escape in a string has too few digits: [f(s='''a\\x4 ' [g()])] "
     "[g()]''')\n"},
    {"a parenthesis too many", "pythonic", "[g()), s=\"see [g()] ok\"] x", G, "x",
     "malformed at 4: expected a comma or ] after a call: ), s=\"see [g()] ok\"]\n"},
    {"the text of a call that is skipped", "pythonic", "[f(a=1+2), g()]", G, "",
     "malformed at 0: an argument is not a literal: [f(a=1+2)\n"},
    {"a bracket of another kind", "pythonic", "[f(a=[x)], s=\"[g()]\"), g()]", G, "",
     "malformed at 0: an argument is not a literal: [f(a=[x)], s=\"[g()]\")\n"},
    {"a semicolon", "pythonic", "[g(); f(b=2)] x", G, "x",
     "malformed at 4: expected a comma or ] after a call: ; f(b=2)]\n"},
    {"a string in the list", "pythonic", "[g(), \"see (x)] [g()]\", f()]", G, "",
     "malformed at 6: a string is where a call should be: \"see (x)] [g()]\", f()]\n"},
    {"cut where it is skipped", "pythonic", "[f(a=1+2, s=\"[g()]\"", "[]", "",
     "truncated at 0: the text ends inside it: [f(a=1+2, s=\"[g()]\"\n"},
    {"a value that ends too early", "functionary_v31",
     "<function=f>{\"a\":{\"b\":1}},\"s\":\"<function=g>{}</function>\"}</function>",
     "[{\"name\":\"f\",\"arguments\":{\"a\":{\"b\":1}},\"id\":\"\"}]", ",",
     "malformed at 26: it is a second value in one call: "
     "\"s\":\"<function=g>{}</function>\"}</function>\n"},
    {"far too early", "functionary_v31",
     "<function=f>{\"a\":{\"b\":1}}]} , \"s\":\"</function><function=g>{}</function>\"}</function>",
     "[{\"name\":\"f\",\"arguments\":{\"a\":{\"b\":1}},\"id\":\"\"}]", "]} ,",
     "malformed at 30: it is a second value in one call: "
     "\"s\":\"</function><function=g>{}</function>\"}</function>\n"},
    {"too early, and no end tag", "mistral",
     "[TOOL_CALLS]f{\"a\":{\"b\":1}},\"s\":\"[TOOL_CALLS]g{}\"}",
     "[{\"name\":\"f\",\"arguments\":{\"a\":{\"b\":1}},\"id\":\"\"}]", ",",
     "malformed at 27: it is a second value in one call: \"s\":\"[TOOL_CALLS]g{}\"}\n"},
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
        CHECK_STR(haft__buf_str(&parsed.calls), haft__str(cases[at].calls), "%s, cut at %zu: calls",
                  cases[at].name, first);
        CHECK_STR(haft__buf_str(&parsed.errors), haft__str(cases[at].errors),
                  "%s, cut at %zu: errors", cases[at].name, first);
        CHECK_STR(haft__str_trim(haft__buf_str(&parsed.content)), haft__str(cases[at].content),
                  "%s, cut at %zu: content", cases[at].name, first);
    } else if (strcmp(cases[at].calls, "[]") == 0) {
        CHECK(memmem(parsed.calls.ptr, parsed.calls.len, "\"g\"", 3) == NULL,
              "%s, cut at %zu, with repair: a quoted call was read", cases[at].name, first);
    }
    help_parsed_finish(&parsed);
}

TEST(rest_of_a_malformed_call_ends_at_its_own_end)
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

/* If the end of the string may have been cut off, nothing in it is a call. */
TEST(a_truncated_string_is_not_searched_for_calls)
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
    CHECK_STR(haft__buf_str(&parsed.calls), HAFT__LIT("[]"), "calls");
    CHECK(parsed.truncated, "the reply is not reported as truncated");
    help_parsed_finish(&parsed);
}

/* ---- random calls with errors outside of their strings ---- */

#define D_BEGIN "<｜tool▁call▁begin｜>"
#define D_SEP   "<｜tool▁sep｜>"
#define D_END   "<｜tool▁call▁end｜>"

/* A call of f: the text around its arguments, and a call of g that is quoted in them. */
static const struct {
    const char *format, *head, *tail, *end, *quoted;
} broken[] = {
    {"hermes", "<tool_call>{\"name\":\"f\",\"arguments\":", "}</tool_call>", "</tool_call>",
     "<tool_call>{'name':'g','arguments':{}}</tool_call>"},
    {"mistral", "[TOOL_CALLS]f[ARGS]", "", "]", "[TOOL_CALLS]g[ARGS]{}"},
    {"mistral", "[TOOL_CALLS]a b", "", "}", "[TOOL_CALLS]g{}"},
    {"kimi_k2", "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>", "<|tool_call_end|>",
     "<|tool_call_end|>",
     "<|tool_call_begin|>functions.g:1<|tool_call_argument_begin|>{}<|tool_call_end|>"},
    {"deepseek_v3", D_BEGIN "function" D_SEP "f\n```json\n", "\n```" D_END, D_END,
     D_BEGIN "function" D_SEP "g\n```json\n{}\n```" D_END},
    {"deepseek_v31", D_BEGIN "f" D_SEP, D_END, D_END, D_BEGIN "g" D_SEP "{}" D_END},
    {"harmony", "<|channel|>commentary to=functions.f<|message|>", "<|call|>", "<|call|>",
     "<|start|>assistant<|channel|>commentary to=functions.g<|message|>{}<|call|>"},
    {"granite", "<|tool_call|>[{\"name\":\"f\",\"arguments\":", "}]", "]",
     "<|tool_call|>[{'name':'g','arguments':{}}]"},
    {"command_r", "<|START_ACTION|>[{\"tool_name\":\"f\",\"parameters\":", "}]<|END_ACTION|>",
     "<|END_ACTION|>", "<|START_ACTION|>[{'tool_name':'g','parameters':{}}]<|END_ACTION|>"},
    {"functionary_v31", "<function=f>", "</function>", "</function>", "<function=g>{}</function>"},
    {"functionary_v32", ">>>f\n", "", "\n", ">>>g\n{}"},
};

/* Writes the call with one or two brackets or commas too many, or too few. */
static void add_broken(haft__buf *text, help_maker *m, size_t at)
{
    static const char args[] = "{\"o\":{\"p\":[1,{\"q\":2}]},\"s\":\"~\",\"l\":[true]}";
    static const char signs[] = "{}[],:";
    size_t first = help_roll(m, sizeof(args)), second = help_roll(m, 2 * sizeof(args));
    bool in_string = false;
    for (size_t i = 0; args[i] != '\0'; i++) {
        in_string = in_string != (args[i] == '"');
        bool here = (i == first || i == second) && !in_string && args[i] != '"';
        bool less = here && help_roll(m, 2) == 0;
        if (here && !less) {
            haft__buf_add_char(text, signs[help_roll(m, sizeof(signs) - 1)]);
        }
        if (args[i] == '~') {
            haft__buf_addf(text, "see %s%s ok", help_roll(m, 2) == 0 ? broken[at].end : "",
                           broken[at].quoted);
        } else if (!less) {
            haft__buf_add_char(text, args[i]);
        }
    }
}

static void check_broken(help_maker *m, size_t at)
{
    haft__buf text;
    haft__buf_init(&text, 4096);
    haft__buf_addf(&text, "%s", broken[at].head);
    add_broken(&text, m, at);
    haft__buf_addf(&text, "%s", broken[at].tail);
    help_input input = {.format = broken[at].format,
                        .text = haft__buf_str(&text),
                        .tools = tools,
                        .tool_count = COUNT(tools),
                        .repair = help_roll(m, 2) == 0};
    help_parsed whole, cut;
    help_parsed_init(&whole);
    help_parsed_init(&cut);
    help_parse(&input, 0, 0, &whole);
    help_parse(&input, 1, help_roll(m, 2) == 0 ? 1 : 7, &cut);
    CHECK(memmem(whole.calls.ptr, whole.calls.len, "\"g\"", 3) == NULL,
          "%s, repair %d: a quoted call was read in %.*s", broken[at].format, input.repair,
          HAFT__ARG(haft__buf_str(&text)));
    (void)help_parsed_equal(&cut, &whole, broken[at].format);
    help_parsed_finish(&whole);
    help_parsed_finish(&cut);
    haft__buf_finish(&text);
}

TEST(quoted_call_in_a_malformed_call_never_runs)
{
    help_maker m = {.state = 0x9E3779B97F4A7C15U};
    for (size_t i = 0; i < 400 * COUNT(broken); i++) {
        check_broken(&m, i % COUNT(broken));
    }
}
