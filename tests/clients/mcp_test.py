#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The official MCP clients talk to `haft mcp`: the inspector's command line, and the TypeScript SDK
over stdio and HTTP (mcp_test.mjs)."""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "house")]
import packages  # noqa: E402
from script import check, NAME  # noqa: E402

HAFT = os.environ["HAFT"]
SCOPE = packages.SCOPE
SPEC = {"name": "helper", "model": "script:script.json", "instructions": "Help.", "tools": [
    {"name": "docs:add", "description": "Adds two numbers and prints their sum.",
     "command": ["python3", "-c", "import sys,json; a=json.load(sys.stdin); print(a['a']+a['b'])"],
     "input_schema": {"type": "object", "properties": {"a": {"type": "integer"},
                                                       "b": {"type": "integer"}},
                      "required": ["a", "b"]},
     "output_schema": {"type": "integer"}, "traits": {"read_only": True}},
    {"name": "danger", "description": "Does something that a person must approve.",
     "command": ["echo", "it is done"], "args": [], "traits": {"needs_approval": True}},
    {"name": "slow", "description": "Sleeps for much longer than a test takes.",
     "command": ["sleep", "300"], "args": []}]}


def inspect(*words):
    """The JSON that the inspector prints."""
    done = subprocess.run(
        ["node", place / "node_modules" / SCOPE / "inspector/cli/build/cli.js", "--cli",
         *words], cwd=scratch, capture_output=True, text=True, timeout=300)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return done.returncode, done.stdout, done.stderr


def test_inspector(transport, server):
    tools = inspect(*server, "--method", "tools/list")
    check(f"the_inspector_lists_{transport}", [t["name"] for t in tools["tools"]],
          ["docs_-_add", "danger", "slow", "run_helper"])
    found = inspect(*server, "--method", "tools/call", "--tool-name", "docs_-_add", "--tool-arg",
                    "a=1", "b=2")
    check(f"the_inspector_calls_{transport}", found["content"], [{"type": "text", "text": "3"}])
    found = inspect(*server, "--method", "tools/call", "--tool-name", "run_helper", "--tool-arg",
                    "task=Do it")
    check(f"the_inspector_runs_the_agent_{transport}", found["content"],
          [{"type": "text", "text": "Done."}])


def test_http():
    server = subprocess.Popen([HAFT, "mcp", "agent.json", "--store", "memory:", "--listen",
                               "127.0.0.1:0"], cwd=scratch, text=True, stdout=subprocess.PIPE)
    url = re.search(r"http://\S+", server.stdout.readline())[0]
    test_inspector("over_http", [url, "--transport", "http"])
    server.terminate()
    server.communicate(timeout=300)


def test_sdk():
    server = subprocess.Popen([HAFT, "mcp", "agent.json", "--store", "memory:", "--listen",
                               "127.0.0.1:0"], cwd=scratch, text=True, stdout=subprocess.PIPE)
    url = re.search(r"http://\S+", server.stdout.readline())[0]
    sdk = (place / "node_modules" / SCOPE / "sdk/dist/esm/client").as_uri()
    done = subprocess.run(["node", HERE / "mcp_test.mjs", NAME, sdk, HAFT, url], cwd=scratch,
                          timeout=300)
    server.terminate()
    server.communicate(timeout=300)
    check("the_server_ends", (done.returncode, server.returncode), (0, 0))


place = packages.install(NAME, "the_official_clients", "clients-mcp",
                         [f"{SCOPE}/inspector", f"{SCOPE}/sdk"])
with tempfile.TemporaryDirectory() as scratch:
    (Path(scratch) / "agent.json").write_text(json.dumps(SPEC))
    (Path(scratch) / "script.json").write_text(json.dumps(
        {"replies": [{"text": "Done.", "delay": 0.3}]}))
    test_inspector("on_stdio", [HAFT, "mcp", "agent.json", "--store", "memory:"])
    test_http()
    test_sdk()
