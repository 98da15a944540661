#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tools of LangChain and of the AI SDK are tools of haft, through the adapters of the READMEs."""
import re
import subprocess

import place
from script import check, skip
from specs import call, write


def block(path, word):
    """The code block of a page that contains `word`."""
    text = (place.ROOT / path).read_text()
    return next(each for each in re.findall(r"^```\w+\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
                if word in each)


HERE = place.temporary("adapters")
spec = write(HERE, [[call("multiply", a=6, b=7)], "42."], "adapted")
LANGCHAIN = """
import sys, haft
from langchain_core.tools import tool

@tool
def multiply(a: int, b: int) -> int:
    '''Multiply two numbers.'''
    return a * b

%s
with haft.Runtime() as runtime:
    run = runtime.agent(sys.argv[1], [from_langchain(multiply)]).start("x")
    print([event["result"] for event in run if event.kind == "call_finished"], run.answer_text)
"""
AI_SDK = """
import { Runtime, tool } from 'haft'
import { tool as aiTool } from 'ai'
import { z } from 'zod'
%s
const multiply = aiTool({ description: 'Multiply two numbers.',
  inputSchema: z.object({ a: z.number(), b: z.number() }), execute: async ({ a, b }) => a * b })
const runtime = new Runtime()
const run = runtime.agent(process.argv[2], [fromAiSdk('multiply', multiply)]).start('x')
for await (const event of run) {
  if (event.kind === 'call_finished') console.log([event.data.result], run.answerText)
}
runtime.close()
"""

adapter = block("bindings/python/README.md", "def from_langchain")
check("the_adapter_of_langchain_has_ten_lines", len(adapter.splitlines()) <= 10)
python, why = place.virtual_environment("/usr/bin/python3", "langchain-core")
if python is None:
    skip("a_tool_of_langchain", f"pip cannot install langchain-core: {why}")
else:
    (HERE / "langchain.py").write_text(LANGCHAIN % adapter)
    check("a_tool_of_langchain_is_a_tool",
          place.log_of(python, HERE / "langchain.py", spec), (0, "['42'] 42.\n"))

adapter = block("bindings/node/README.md", "const fromAiSdk")
check("the_adapter_of_the_ai_sdk_has_ten_lines", len(adapter.splitlines()) <= 10)
project = place.npm_project()
status, output = place.log_of("npm", "install", "--no-audit", "--no-fund", "ai", "zod", cwd=project)
if status != 0:
    skip("a_tool_of_the_ai_sdk", "npm cannot install ai and zod")
else:
    (project / "sdk.mjs").write_text(AI_SDK % adapter)
    version, node = place.nodes()[-1]
    done = subprocess.run([node, "sdk.mjs", spec], cwd=project, text=True, stdout=subprocess.PIPE)
    check(f"a_tool_of_the_ai_sdk_is_a_tool_in_{version}", done.stdout, "[ '42' ] 42.\n")
