#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A tool needs approval if its MCP server calls it destructive; `haft check` names tools without
hints."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
SERVER = r"""
import json, sys
hints = {"drop": {"destructiveHint": True}, "plain": None, "look": {"readOnlyHint": True}}
tools = [{"name": name, "description": f"Does the thing that is called {name}.",
          "inputSchema": {"type": "object"}, **({"annotations": hint} if hint else {})}
         for name, hint in hints.items()]
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method = message["method"]
    if method == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                  "serverInfo": {"name": "s", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": tools}
    elif method == "tools/call":
        result = {"content": [{"type": "text", "text": "did " + message["params"]["name"]}]}
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"],
                          "error": {"code": -32601, "message": "no such method"}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


def haft(*words):
    done = subprocess.run([HAFT, *map(str, words)], cwd=scratch, env=environment, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def spec(name, tool, **more):
    (Path(scratch) / f"{name}.script.json").write_text(json.dumps({"replies": [
        {"calls": [{"name": f"docs:{tool}", "arguments": {}}]}, {"text": "over"}]}))
    path = Path(scratch) / f"{name}.json"
    path.write_text(json.dumps({
        "haft": 1, "name": name, "model": f"script:{name}.script.json",
        "mcp": {"servers": {"docs": {"command": [sys.executable, "server.py"]}}}, **more}))
    return path


def test_hints():
    for name, tool, status, more in (("drop", "drop", 4, {}), ("plain", "plain", 0, {}),
                                     ("look", "look", 0, {}),
                                     ("off", "drop", 0, {"approve_destructive": False}),
                                     ("on", "drop", 4, {"approve_destructive": True})):
        path = spec(name, tool, **more)
        found = haft("run", path, f"use docs:{tool}", "--json")
        pending = [(p["kind"], p["tool"]) for p in json.loads(found[1])["pending"]]
        check(f"whether_approval_is_needed_{name}", (found[0], pending),
              (status, [("approval", f"docs:{tool}")] if status == 4 else []))
    path = spec("drop", "drop")
    haft("run", path, "use docs:drop", "--quiet")
    check("an_approved_call_runs", haft("approve", "last", "--quiet")[:2], (0, "over\n"))
    check("an_approved_run_is_replayed", haft("runs", "replay", "last")[0], 0)


def test_change():
    """If a spec requires approvals again, this applies to tools that the run already has."""
    path = spec("change", "drop", approve_destructive=False,
                approvals=[{"tools": ["docs:drop"]}])
    check("a_rule_of_the_spec_requires_approval",
          haft("run", path, "use docs:drop", "--quiet")[0], 4)
    spec("change", "drop", approve_destructive=True)
    check("the_changed_spec_requires_a_second_approval",
          haft("approve", "last", "--accept-spec", "--quiet")[0], 1)
    check("the_call_runs_after_the_second_approval",
          haft("approve", "last", "--quiet")[:2], (0, "over\n"))


def test_unlisted():
    """No run has listed the tools yet, and check starts no server."""
    path = spec("first", "plain")
    words = "the tools of the MCP server docs are not known yet, so they are not checked"
    status, out, err = haft("check", path)
    check("a_first_check_says_that_tools_are_not_known",
          (status, words in err, "haft tools SPEC --refresh" in err), (0, True, True))
    for name, mcp in (("disabled", {"enabled": False}), ("denied", {})):
        more = {"mcp": {"servers": {"docs": {"command": [sys.executable, "server.py"], **mcp}},
                        **({"deny": ["docs:*"]} if name == "denied" else {})}}
        check(f"check_does_not_mention_a_{name}_server",
              words in haft("check", spec(name, "plain", **more))[2], False)
    haft("tools", path, "--refresh")
    err = haft("check", path)[2]
    check("tools_are_known_after_refresh",
          (words in err, "approval: docs:plain\n" in err), (False, True))


def test_check():
    words = "1 tool of the MCP server docs does not say whether it is destructive"
    err = haft("check", spec("drop", "drop"))[2]
    check("check_names_tools_without_a_hint", (words in err, "approval: docs:plain\n" in err),
          (True, True))
    for name, more in (("off", {"approve_destructive": False}),
                       ("rule", {"approvals": [{"tools": ["docs:*"]}]})):
        check(f"check_names_no_tool_{name}", words in haft("check", spec(name, "drop", **more))[2],
              False)
    status, out, _ = haft("check", spec("bad", "drop", approve_destructive="no"))
    check("approve_destructive_must_be_true_or_false",
          (status, "approve_destructive" in out), (2, True))


with tempfile.TemporaryDirectory() as scratch:
    environment = dict(os.environ, XDG_STATE_HOME=scratch)
    environment.pop("HAFT_STORE", None)
    (Path(scratch) / "server.py").write_text(SERVER)
    test_unlisted()
    test_hints()
    test_change()
    test_check()
