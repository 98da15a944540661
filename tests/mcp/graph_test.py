#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nodes of graphs that call tools of an MCP server: arguments, approvals, errors, crash, replay.

On every store: SQLite, and PostgreSQL if HAFT_TEST_POSTGRES names a server.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import script  # noqa: E402
from script import wait_for  # noqa: E402
from store_urls import stores  # noqa: E402

HAFT = os.environ["HAFT"]
LONG = 300
SERVER = r"""
import json, sys, time
number = {"type": "integer"}
tools = [{"name": "add", "description": "Adds two numbers for these tests.",
          "inputSchema": {"type": "object", "properties": {"a": number, "b": number},
                          "required": ["a", "b"], "additionalProperties": False},
          "annotations": {"readOnlyHint": True}},
         {"name": "drop", "description": "Drops something for these tests.",
          "inputSchema": {"type": "object"}, "annotations": {"destructiveHint": True}},
         {"name": "slow", "description": "Takes its time for these tests.",
          "inputSchema": {"type": "object"}}]
tools += [{"name": f"more{i}", "description": f"Does the thing number {i}.",
           "inputSchema": {"type": "object"}} for i in range(20)]
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
        name, given = message["params"]["name"], message["params"].get("arguments", {})
        open("calls", "a").write(name + "\n")
        if name == "slow":
            time.sleep(300)
        text = str(given["a"] + given["b"]) if name == "add" else "did " + name
        result = {"content": [{"type": "text", "text": text}]}
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"],
                          "error": {"code": -32601, "message": "no such method"}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


def check(name, found, wanted):
    script.check(f"{name}_{store}", found, wanted)


def haft(*words):
    done = subprocess.run([HAFT, *map(str, words)], cwd=scratch, env=environment, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL, timeout=LONG)
    return done.returncode, done.stdout, done.stderr


def spec(name, nodes, program="server.py", mcp=None, **more):
    path = Path(scratch) / f"{name}.json"
    server = {"command": [sys.executable, program], **more}
    path.write_text(json.dumps({
        "haft": 1, "kind": "graph", "name": name,
        "mcp": dict({"servers": {"calc": server}}, **(mcp or {})),
        "graph": {"input": ["x"], "output": "/out",
                  "channels": {"x": {}, "out": {"reducer": "append"}}, "nodes": nodes,
                  "edges": [{"from": "start", "to": list(nodes)}]}}))
    return path


def node(tool, **more):
    return dict({"tool": f"calc:{tool}", "out": {"out": ""}}, **more)


ADD = node("add", args={"a": "/x", "b": {"value": 2}})


def run(path, x):
    status, out, err = haft("run", path, json.dumps({"x": x}), "--json")
    result = json.loads(out) if out else {}
    return status, result


def events(run_id):
    return [json.loads(line) for line in haft("runs", "events", run_id)[1].splitlines()]


def called():
    path = Path(scratch) / "calls"
    return path.read_text().split() if path.exists() else []


def test_calls():
    status, result = run(spec("calls", {"a": ADD, "m": node("more7"), "n": node("more8"),
                                        "o": node("more9")}), 3)
    check("nodes_call_tools_of_a_server", (status, result["answer"]),
          (0, '["5","did more7","did more8","did more9"]'))
    log = events(result["run"])
    revealed = [event for event in log if event["kind"] == "tools_revealed"]
    check("exactly_the_named_tools_are_in_the_log",
          [sorted(tool["name"] for tool in event["tools"]) for event in revealed],
          [["calc:add", "calc:more7", "calc:more8", "calc:more9"]])
    check("a_run_with_calls_of_a_server_replays", haft("runs", "replay", result["run"])[0], 0)
    status, out, err = haft("runs", "fork", result["run"], "--step", "0", "--go", "--json")
    check("a_fork_has_the_definitions", json.loads(out)["answer"], result["answer"])


def test_arguments():
    status, result = run(spec("arguments", {"a": ADD}), "no")
    check("arguments_are_checked_against_the_servers_schema",
          (result["end"], "/a: Expected integer" in result["reason"], called().count("add")),
          ("failed", True, 2))


def test_approval():
    path = spec("drops", {"a": ADD, "d": node("drop")})
    status, result = run(path, 1)
    pending = [(one["kind"], one["tool"]) for one in result["pending"]]
    check("a_destructive_tool_needs_approval", (status, pending, called().count("drop")),
          (4, [("approval", "calc:drop")], 0))
    haft("approve", result["run"], "--quiet")
    log = events(result["run"])
    check("the_approved_call_runs_once", (log[-1]["end"], called().count("drop")), ("done", 1))
    check("an_approved_call_of_a_node_replays", haft("runs", "replay", result["run"])[0], 0)
    status, result = run(path, 1)
    haft("reject", result["run"], "--quiet")
    check("a_rejection_fails_the_node",
          (events(result["run"])[-1]["end"], called().count("drop")), ("failed", 1))


def test_missing():
    for name, nodes, more, words in (
            ("tool", {"a": node("gone")}, {}, "the server calc does not list it"),
            ("denied", {"a": ADD}, {"mcp": {"deny": ["calc:add"]}}, "mcp.deny excludes it"),
            ("server", {"a": ADD}, {"program": "nothing.py"}, "the server calc, whose tool this"),
            ("disabled", {"a": ADD}, {"enabled": False}, "the server is disabled")):
        status, result = run(spec(name, nodes, **more), 1)
        check(f"a_missing_{name}_is_named", (result["end"], words in result["reason"]),
              ("failed", True))
    handled = {"a": dict(node("gone"), on_error={"do": [{"text": {"out": "without"}}]})}
    check("a_missing_tool_can_be_handled", run(spec("handled", handled), 1)[1]["answer"],
          '["without"]')
    path = spec("nowhere", {"a": {"tool": "nobody:add"}})
    check("a_server_that_does_not_exist_is_refused",
          "there is no tool \"nobody:add\"" in haft("check", path)[1], True)
    path = spec("cached", {"a": dict(ADD, cache=True)})
    check("a_cache_needs_known_traits",
          "it is not known whether the tool" in haft("check", path)[1], True)
    path = spec("search", {"a": ADD})
    value = json.loads(path.read_text())
    path.write_text(json.dumps(dict(value, builtins={"deny": ["tool_search"]})))
    check("nodes_need_no_search", run(path, 4)[1]["answer"], '["6"]')


def test_crash():
    """A process that dies while the server works: the outcome of the call is not known."""
    path = spec("crash", {"a": ADD, "s": node("slow")})
    process = subprocess.Popen([HAFT, "run", path, '{"x": 1}', "--quiet"], cwd=scratch,
                               env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: "slow" in called())
    process.kill()
    process.wait()
    before = called().count("slow")
    status, out, err = haft("resume", "last", "--json")
    result = json.loads(out)
    check("a_call_that_may_have_run_is_not_repeated", (called().count("slow"), before), (1, 1))
    check("a_recovered_run_replays", haft("runs", "replay", result["run"])[0], 0)


TESTS = (test_calls, test_arguments, test_approval, test_missing, test_crash)

with tempfile.TemporaryDirectory() as folder:
    for store, new_store in stores(folder):
        url = new_store()
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            (Path(scratch) / "server.py").write_text(SERVER)
            environment = dict(os.environ, HAFT_STORE=url, XDG_CONFIG_HOME=scratch,
                               XDG_CACHE_HOME=scratch)
            for test in [one for one in TESTS if not sys.argv[1:] or one.__name__ in sys.argv]:
                test()
