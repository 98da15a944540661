#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every C block of docs/api.md (and with it those of haft.h) and README.md is compiled and run.

The text of a block determines its kind:
  - `int main(`: a complete program, run with the path of a spec;
  - a first line at file scope (HAFT_TOOL, static, #include ...): declarations; the schema of each
    tool is generated, which checks the declaration;
  - a first line `return haft_...`: the body of a tool, which is called;
  - otherwise statements, in a function that has `runtime`, `agent`, a `run` that waits for an
    answer, `err`, and the tool search_database.
"""
import re
import tempfile
from pathlib import Path

import house

BLOCK = re.compile(r"^```c\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_SCOPE = re.compile(r"#include|HAFT_TOOL|HAFT_OBJECT|static |typedef |struct ")
TOOL = re.compile(r"^HAFT_TOOL(?:_WITH)?\((?:HAFT_\w+(?: \| HAFT_\w+)*, )?(\w+),", re.MULTILINE)
INCLUDES = "#include <haft.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
SEARCH = """
HAFT_TOOL(search_database, "Search the customer database.", HAFT_STRING(query, "What to look for"))
{
    return haft_replyf(call, "nothing about '%.*s'", HAFT_STR(args->query));
}
"""
BODY_OF_TOOL = """
HAFT_TOOL(snippet, "Does what the document shows.")
{
%s}

int main(void)
{
    char *text = NULL;
    haft_status status = haft_tool_try(&snippet_tool, NULL, NULL, &text, NULL);
    haft_free(text);
    return status == HAFT_OK ? 0 : 1;
}
"""
STATEMENTS = """
static int settle(haft_runtime *runtime, haft_run *run)
{
    haft_error err;
    while (haft_run_state(run) == HAFT_RUNNING) {
        if (haft_runtime_step(runtime, -1, &err) != HAFT_OK) {
            return 1;
        }
    }
    return 0;
}

static void snippet(haft_runtime *runtime, haft_agent *agent, haft_run *run, haft_error *err)
{
    (void)runtime, (void)agent, (void)run, (void)err;
    {
%s    }
}

int main(int argc, char **argv)
{
    haft_error err = {HAFT_OK, "", "", ""};
    haft_runtime *runtime = NULL;
    haft_agent *agent = NULL;
    haft_run *run = NULL;
    if (argc < 2 || haft_runtime_create(NULL, &runtime, &err) != HAFT_OK
        || haft_tool_add(runtime, &search_database_tool, &err) != HAFT_OK
        || haft_agent_load(runtime, argv[1], &agent, &err) != HAFT_OK
        || haft_run_start(agent, "go", NULL, &run, &err) != HAFT_OK
        || settle(runtime, run) != 0) {
        fprintf(stderr, "%%s: %%s\\n", err.where, err.message);
        return 1;
    }
    snippet(runtime, agent, run, &err);
    if (err.status != HAFT_OK) {
        fprintf(stderr, "the snippet: %%s: %%s\\n", err.where, err.message);
    }
    haft_run_release(run);
    haft_agent_release(agent);
    haft_runtime_destroy(runtime);
    return err.status == HAFT_OK ? 0 : 1;
}
"""
SPEC = """haft: 1
name: snippets
model: script:script.yaml
tools:
  - {name: confirm, description: Ask somebody., args: [], headless: true}
"""
SCRIPT = "replies: [{calls: [{name: confirm}]}, {text: All done.}]\n"
FLAGS = ["-std=gnu17", "-Wall", "-Wextra", "-Werror", "-Iinclude"]


def tools_of(block):
    checks = "".join(f"    status = haft_tool_schema(&{name}_tool, &text, &err);\n"
                     f"    failed |= status != HAFT_OK;\n    haft_free(text);\n    text = NULL;\n"
                     for name in TOOL.findall(block))
    return ("\nint main(void)\n{\n    haft_error err = {HAFT_OK, \"\", \"\", \"\"};\n"
            "    haft_status status = HAFT_OK;\n    char *text = NULL;\n    int failed = 0;\n"
            f"{checks}    if (status != HAFT_OK) puts(err.message);\n    (void)text;\n"
            "    return failed;\n}\n")


def indented(block):
    return "".join(f"    {line}\n" for line in block.splitlines())


def whole(block):
    """The complete program of a block, and its compiler flags."""
    if "int main(" in block:
        return block, []
    if FILE_SCOPE.match(block):
        unused = ["-Wno-unused-function", "-Wno-unused-const-variable"]
        return INCLUDES + block + tools_of(block), unused
    if block.startswith("return haft_"):
        return INCLUDES + BODY_OF_TOOL % indented(block), []
    return INCLUDES + SEARCH + STATEMENTS % indented(indented(block)), []


def blocks(name):
    text = (house.ROOT / name).read_text()
    return [(text[:match.start()].count("\n") + 2, match[1]) for match in BLOCK.finditer(text)]


def outcome(block, directory):
    """The error of a block; "" if it is correct."""
    program, spec = directory / "snippet", directory / "spec.yaml"
    text, flags = whole(block)
    status, output = house.run([*house.CC, *FLAGS, *flags, "-x", "c", "-", "-o", program,
                                f"-L{house.BUILD / 'src'}", "-lhaft"], text=text)
    if status != 0:
        return output
    status, output = house.run([program, spec],
                               environment={"LD_LIBRARY_PATH": str(house.BUILD / "src")})
    return "" if status == 0 else f"exit status {status}: {output}"


def check_page(name, directory):
    found = blocks(name)
    problems = [] if found else [f"there is no C block in {name}"]
    for line, block in found:
        wrong = outcome(block, directory)
        problems += [f"{name}:{line}: {wrong}"] if wrong else []
    house.check(f"every_snippet_of_{name}_compiles_and_runs", problems)


def check_guard(directory):
    """Wrong blocks of each kind are found."""
    bad = {"a program": "int main(void) { return 3; }\n",
           "declarations": "static int answer(void) { return forty_two; }\n",
           "a tool": 'HAFT_TOOL(t, "  ") { return haft_replyf(call, "x"); }\n',
           "a body": "return haft_replyf(call);\n",
           "statements": "(void)!haft_runtime_step(NULL, 0, err);\n"}
    house.check("wrong_snippets_are_reported",
                [f"{kind} passes" for kind, block in bad.items() if not outcome(block, directory)])


if not house.has(house.CC[0]):
    house.skip("every_snippet_compiles_and_runs", f"{house.CC[0]} is not installed")
else:
    with tempfile.TemporaryDirectory(prefix="haft-snippets-") as temporary:
        Path(temporary, "spec.yaml").write_text(SPEC)
        Path(temporary, "script.yaml").write_text(SCRIPT)
        for page in ("docs/api.md", "README.md"):
            check_page(page, Path(temporary))
        check_guard(Path(temporary))
