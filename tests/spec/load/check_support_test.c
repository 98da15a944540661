/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/check_support.c: keys without effect, missing programs and directories.
 */
#include "spec/spec_help.h"

#define SERVER(rest) "mcp: {servers: {a: {" rest "}}}\nbuiltins: {enabled: [tool_search]}\n"
#define TOOL(rest)   "tools: [{name: a, description: Count the words of it., " rest "}]\n"

static const problem_case cases[] = {
    {"kind: graph\ngraph: {nodes: {a: {do: []}}, edges: [{from: start, to: a}]}\n", ""},
    {"model: anthropic:x\n", ""},
    {"model: gemini:x\n", ""},
    {"model: mistral:x\n", ""},
    {"model: gemini:x\ntools: [{name: a, provider: {type: web_search}}]\n", ""},
    {"model: script:x.yaml\ntools: [{name: a, provider: {type: web_search}}]\n", ""},
    {"model: mistral:x\ntools: [{name: a, provider: {type: web_search}}]\n",
     "2:29: the provider of the model runs no tool of the type \"web_search\" (it runs no tools)"},
    {"model: gemini:x\ntools: [{name: a, provider: {type: shell}}]\n",
     "2:29: the provider of the model runs no tool of the type \"shell\" (it has: web_search, "
     "web_fetch, code_execution)"},
    {"model: anthropic:x\ntools: [{name: web_search, provider: {type: web_search}}, {name: b, "
     "provider: {type: web_fetch}}]\n",
     ""},
    {"model: anthropic:x\ntools: [{name: a, provider: {type: web_search}}, {name: web_search, "
     "description: Search the index of it., command: [sh]}]\n",
     "2:29: at the provider, this tool and \"web_search\" have the same name (give "
     "\"web_search\" another name)"},
    {"model: gemini:x\ntools: [{name: a, provider: {type: web_search}}, {name: web_search, "
     "description: Search the index of it., command: [sh]}]\n",
     ""},
    {"model: anthropic:x\ntools: [{name: a, provider: {type: web_search}}, {name: b, provider: "
     "{type: web_search_20250305}}]\n",
     "2:70: at the provider, this tool and \"a\" have the same name (leave one of them out)"},
    {"model: openai-chat:gpt-6.1-sol\nbuiltins: {enabled: [glob]}\n",
     "1:8: gpt-6.1-sol takes no tools in the Chat Completions API (the Responses API takes them: "
     "write openai:gpt-6.1-sol)"},
    {"model: openai-chat:gpt-6-astra-20261101\n" SERVER("command: [sh]"),
     "1:8: gpt-6-astra-20261101 takes no tools in the Chat Completions API (the Responses API "
     "takes them: write openai:gpt-6-astra-20261101)"},
    {"model: openai-chat:gpt-6.1-sol\n", ""},
    {"model: openai:gpt-6.1-sol\nbuiltins: {enabled: [glob]}\n", ""},
    {"model: {provider: openai-chat, model: gpt-6.1-sol, base_url: 'http://h/v1'}\n"
     "builtins: {enabled: [glob]}\n",
     ""},
    {"models: [openai:gpt-6.1-sol, openai-chat:gpt-6.1-sol]\nbuiltins: {enabled: [glob]}\n",
     "1:30: gpt-6.1-sol takes no tools in the Chat Completions API (the Responses API takes them: "
     "write openai:gpt-6.1-sol)"},
    {"model: openai-chat:gpt-5.6\nbuiltins: {enabled: [glob]}\n", ""},
    {"model: {provider: openai-chat, model: gpt-5.6, options: {reasoning_effort: none}}\n"
     "builtins: {enabled: [glob]}\n",
     ""},
    {"model: {provider: openai-chat, model: gpt-5.6, options: {reasoning_effort: low}}\n"
     "builtins: {enabled: [glob]}\n",
     "1:76: gpt-5.6 takes tools in the Chat Completions API only without reasoning (the Responses "
     "API takes both: use the provider openai)"},
    {"model: {provider: openai-chat, model: gpt-5.1, options: {reasoning_effort: low}}\n"
     "builtins: {enabled: [glob]}\n",
     ""},
};

TEST(a_spec_that_cannot_run_is_an_error)
{
    check_problems(cases, COUNT(cases));
}

static haft__program_state find(haft_str spec, haft_str program, haft_str search_path)
{
    (void)spec;
    static const char *const found[] = {"timeout", "env", "docker", "sh", "bin/tool"};
    for (size_t i = 0; i < COUNT(found); i++) {
        if (haft__str_equal(program, haft__str(found[i]))) {
            return HAFT__PROGRAM_FOUND;
        }
    }
    return search_path.len > 0                             ? HAFT__PROGRAM_FOUND
           : haft__str_equal(program, HAFT__LIT("./text")) ? HAFT__PROGRAM_NOT_EXECUTABLE
                                                           : HAFT__PROGRAM_MISSING;
}

TEST(programs_that_cannot_be_started_here_get_a_warning)
{
    static const problem_case rows[] = {
        {TOOL("command: [none]"), "1:66: warning: the program 'none' does not exist here (install "
                                  "it, or write its path relative to the spec)"},
        {TOOL("command: [./text]"), "1:66: warning: the program './text' is not executable here "
                                    "(make it executable: chmod +x)"},
        {TOOL("command: [none], env: {PATH: /opt}"), ""},
        {TOOL("command: [timeout, '5', none, x]"),
         "1:80: warning: the program 'none' does not exist here (install it, or write its path "
         "relative to the spec)"},
        {TOOL("command: [timeout, '5', env, A=b, none]"),
         "1:90: warning: the program 'none' does not exist here (install it, or write its path "
         "relative to the spec)"},
        {TOOL("command: [timeout, '5', bin/tool, none]"), ""},
        {TOOL("command: ['', x]"),
         "1:66: the program has no name (the first word of a command is the program)"},
        {SERVER("command: ['']"),
         "1:31: the program has no name (the first word of a command is the program)"},
        {TOOL("args: [t], command: [timeout, '5', '{t}']"),
         "1:91: the argument \"t\" would choose the program (name the program in the spec)"},
        {TOOL("command: [env, PATH=/opt, none]"), ""},
        {TOOL("command: [env, -C, /opt, none]"), ""},
        {TOOL("command: [docker, exec, box, none]"), ""},
        {TOOL("command: [sh, -c, none]"), ""},
        {SERVER("command: [none, x]"), "1:31: warning: the program 'none' does not exist here "
                                       "(install it, or write its path relative to the spec)"},
        {SERVER("command: none, args: [x]"),
         "1:30: warning: the program 'none' does not exist here (install it, or write its path "
         "relative to the spec)"},
        {SERVER("command: ./text"), "1:30: warning: the program './text' is not executable here "
                                    "(make it executable: chmod +x)"},
        {SERVER("command: ./text, cwd: sub"),
         "1:30: warning: the program './text' does not exist here (install it, or write its path "
         "relative to the spec)"},
        {SERVER("command: none, enabled: false"), ""},
        {SERVER("command: none, env: {PATH: /opt}"), ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__spec_options options = {.hash_key = {1, 2}, .find_program = find};
        loaded f;
        load_with(&f, haft__str(rows[i].text), &options);
        CHECK_STR(f.listing, haft__str(rows[i].problems), "%s", rows[i].text);
        unload(&f);
    }
}

static bool has_directory(haft_str spec, haft_str path)
{
    (void)spec;
    return haft__str_equal(path, HAFT__LIT("data"));
}

#define NO_DIRECTORY                                                                               \
    "warning: there is no directory 'none' here (create it, or write its path relative to the "    \
    "spec)"

TEST(directories_that_do_not_exist_here_get_a_warning)
{
    static const problem_case rows[] = {
        {"root: none\nbuiltins: {enabled: [read]}\n", "1:7: " NO_DIRECTORY},
        {"root: data\nbuiltins: {enabled: [read]}\n", ""},
        {TOOL("args: [f], command: [cat, '{f}'], root: {f: none}"), "1:100: " NO_DIRECTORY},
        {TOOL("args: [f], command: [cat, '{f}'], root: {f: data}"), ""},
        {SERVER("command: ./x, cwd: none"), "1:40: " NO_DIRECTORY},
        {SERVER("command: ./x, cwd: data"), ""},
        {SERVER("command: ./x, cwd: none, enabled: false"), ""},
        {SERVER("command: ./x, cwd: '${HERE}'"), ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__spec_options options = {.hash_key = {1, 2}, .has_directory = has_directory};
        loaded f;
        load_with(&f, haft__str(rows[i].text), &options);
        CHECK_STR(f.listing, haft__str(rows[i].problems), "%s", rows[i].text);
        unload(&f);
    }
}

TEST(the_spec_of_a_started_run_loads_without_errors)
{
    loaded f;
    load_kept(&f, "kind: graph\ngraph: {nodes: {a: {do: []}}, edges: [{from: start, to: "
                  "a}]}\ndatabases: {d: {url: \"sqlite:x\"}}\n");
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    unload(&f);
}
