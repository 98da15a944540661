/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/check_idle.c: an argument that reaches neither the program nor
 * the request gets a warning. */
#include "spec/spec_help.h"

#define TOOL(rest)  "tools: [{name: a, description: Count the words of it., " rest "}]\n"
#define WRITE(name) " (write {" name "} where it belongs, or leave the argument out)"
#define NO_WORD(name)                                                                              \
    "the argument \"" name "\" has no effect: neither command nor stdin has it" WRITE(name)
#define NO_PLACE(name)                                                                             \
    "the argument \"" name "\" has no effect: neither the url nor the body has it" WRITE(name)

static const problem_case cases[] = {
    {TOOL("args: [t], command: [wc, -w], stdin: x"), "1:63: warning: " NO_WORD("t")},
    {TOOL("args: [t], command: [wc, -w]"), ""}, /* standard input has all arguments */
    {TOOL("args: [t], command: [wc, -w], stdin: \"a {t}\""), ""},
    {TOOL("args: [t], command: [wc, \"{t}\"], stdin: \"\""), ""},
    {TOOL("input_schema: {type: object, properties: {b: {}, c: {}}}, command: [wc, \"{b}\"], "
          "stdin: \"\""),
     "1:108: warning: " NO_WORD("c")},
    {TOOL("args: [b, c], http: {url: \"https://h/{b}\"}"), "1:66: warning: " NO_PLACE("c")},
    {TOOL("args: [b, c], http: {url: \"https://h/{b}\", method: DELETE, body: {d: [\"x{c}\"]}}"),
     ""},
    {TOOL("args: [b], http: {url: \"https://h/\", method: POST}"), ""},
    {TOOL("args: [b], http: {url: \"https://h/\", method: POST, body: {\"{b}\": 1}}"),
     "1:63: warning: " NO_PLACE("b")},
    {TOOL("args: [b], http: {url: \"https://h/{b}\", headers: {X: \"{b} ${HOME}\"}}"),
     "1:109: warning: \"{b}\" has no effect: headers have no arguments"},
    {TOOL("args: [b], headless: true"), ""},
    {TOOL("args: [b], command: [wc], env: {X: \"{b} {c} ${HOME}\"}"),
     "1:91: warning: \"{b}\" has no effect: variables have no arguments"},
};

TEST(an_argument_without_effect_gets_a_warning)
{
    check_problems(cases, COUNT(cases));
}
