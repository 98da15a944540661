/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/check_command.c: arguments in the words of a command. */
#include "spec/spec_help.h"

#define COMMAND(words)                                                                             \
    "tools: [{name: a, args: [a, b], description: Look up the words of it., command: [" words      \
    "]}]\n"
#define OPTIONAL(words)                                                                            \
    "tools:\n- name: a\n  input_schema: {type: object, properties: {a: {}, b: {}}, required: "     \
    "[b]}\n"                                                                                       \
    "  command: [" words "]\n  description: Look up the words of it.\n"
#define REFUSED(option)                                                                            \
    "calls without the argument \"a\" are refused: '" option                                       \
    "' may take the next word as its value "                                                       \
    "(make it required, give it a default, or write --option={arg})"
#define USE_STDIN " (use stdin, or pass the argument to a script as a separate word)"

static const problem_case cases[] = {
    {COMMAND("df, -h, '{a}', '--output={b}'"), ""},
    {COMMAND("sh, do.sh, '{a}'"), ""},
    {COMMAND("cat, '{a}'], root: {a: data, c: '.'}, env: {A: x}, stdin: '{b}'}]\n#"),
     "1:111: the tool has no argument \"c\""},
    {COMMAND("awk, '{a}{print}'"),
     "1:87: the argument \"a\" would become part of code of 'awk'" USE_STDIN},
    {COMMAND("'{a}', x"),
     "1:82: the argument \"a\" would choose the program (name the program in the spec)"},
    {COMMAND("/bin/sh, -c, 'echo {b}'"),
     "1:95: the argument \"b\" would become part of code of '/bin/sh'" USE_STDIN},
    {COMMAND("timeout, '5', bash, -c, 'echo {b}'"),
     "1:106: the argument \"b\" would become part of code of 'bash'" USE_STDIN},
    {COMMAND("env, '{a}'"),
     "1:87: the argument \"a\" would choose the program (name the program in the spec)"},
    {COMMAND("nice, -n, '{a}', ls"),
     "1:92: the argument \"a\" would become an option of 'nice'" USE_STDIN},
    {COMMAND("ssh, host, '{a}'"),
     "1:93: the argument \"a\" would become part of code of 'ssh'" USE_STDIN},
    {COMMAND("./wrap, sh, '{a}'"),
     "1:94: warning: the argument \"a\" may choose the program: haft does not know whether and how "
     "'sh' reads this word" USE_STDIN},
    {COMMAND("./x, -e, '{a}'"), "1:91: warning: the argument \"a\" may become part of code: haft "
                                "does not know whether and how "
                                "'./x' reads this word" USE_STDIN},
    {COMMAND("./x, -o, '{a}'"), "1:91: warning: the argument \"a\" may be code, as the value of an "
                                "option: haft does not know whether and how './x' reads this "
                                "word" USE_STDIN},
    {COMMAND("gh, '{a}'"), "1:86: warning: the argument \"a\" may choose the subcommand: haft does "
                           "not know whether and how 'gh' reads this word" USE_STDIN},
    {COMMAND("nice, tar, -cf, x, '-{a}'"),
     "1:101: the argument \"a\" would become an option of 'tar'" USE_STDIN},
    {COMMAND("xargs, ls"),
     "1:82: warning: 'xargs' makes words of its standard input, and the model writes a part of it: "
     "they may become options (put -- at the end, if the program reads options only before it)"},
    {COMMAND("sh, -c, 'ls \"$1\" \"$2\"', sh, '{a}', '{b}'"), ""},
    {COMMAND("sh, -c, 'eval \"$1\"', sh, '{a}', '{b}'"),
     "1:107: warning: the code of 'sh' may use the argument \"a\" as more than data (use \"$1\", "
     "in "
     "double quotes, only as an operand of simple commands, or name a script)"},
    {COMMAND("python3, -c, 'import os, sys; os.system(sys.argv[1])', '{a}'"),
     "1:137: warning: the code of 'python3' may use the argument \"a\" as more than data (name a "
     "script that uses the argument only as data)"},
    {COMMAND("df, '{c}'"), "1:86: warning: the tool has no argument \"c\""},
    {COMMAND("awk, '{print}'"), ""},
    {COMMAND("bash"), "1:82: warning: 'bash' evaluates its standard input, and the model writes a "
                      "part of it (name a script; it can read the arguments from standard input)"},
    {"tools: [{name: a, args: [a], description: Look up the words of it., command: [sh], stdin: "
     "'echo {a}'}]\n",
     "1:79: warning: 'sh' evaluates its standard input, and the model writes a part of it (name a "
     "script; it can read the arguments from standard input)"},
    {"tools: [{name: a, args: [a], description: Look up the words of it., command: [sh], stdin: "
     "uptime}]\n",
     "1:26: warning: the argument \"a\" has no effect: neither command nor stdin has it (write {a} "
     "where it belongs, or leave the argument out)"},
    {"tools: [{name: a, description: Look up the words of it., command: [sh]}]\n", ""},
    {OPTIONAL("rg, -e, '{a}', --, '{b}'"), ""},
    {OPTIONAL("rg, -F, '{a}', '{b}'"), ""},
    {OPTIONAL("cat, '{b}', -u, '{a}'"), ""},
    {OPTIONAL("rg, --no-mmap, '{a}', '{b}'"),
     "4:28: warning: the argument \"a\" may be code, as the value of an option: haft does not know "
     "whether and how 'rg' reads this word" USE_STDIN "\n"
     "4:28: warning: " REFUSED("--no-mmap")},
    {OPTIONAL("tar, xf, '{a}', --, '{b}'"), "4:22: warning: " REFUSED("xf")},
    {OPTIONAL("cat, '-x{a}', --, '{b}'"), "4:18: warning: " REFUSED("-x")},
};

TEST(arguments_that_may_become_code_options_or_programs_are_reported)
{
    check_problems(cases, COUNT(cases));
}
