#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tools get the facts about their calls: commands in their environment, HTTP tools as headers, MCP
tools in `_meta`."""
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from script import check  # noqa: E402

scratch = Path(tempfile.mkdtemp(prefix="haft-facts-", dir=os.environ.get("TMPDIR", "/tmp")))
requests = []
TASK = "Print the facts about the call."  # finds the tool of the MCP server

MCP = r"""
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    if message["method"] == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                  "serverInfo": {"name": "facts", "version": "1"}}
    elif message["method"] == "tools/list":
        result = {"tools": [{"name": "facts", "description": "Prints the facts about its call.",
                             "inputSchema": {"type": "object"},
                             "annotations": {"readOnlyHint": True}}]}
    elif message["method"] == "tools/call":
        text = json.dumps(message["params"].get("_meta"), sort_keys=True)
        result = {"content": [{"type": "text", "text": text}]}
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"],
                          "error": {"code": -32601, "message": "unknown"}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        requests.append(dict(self.headers))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


def run(user, env):
    done = subprocess.run([os.environ["HAFT"], "run", "facts.json", TASK, "--events", *user],
                          cwd=scratch, capture_output=True, text=True, timeout=600,
                          stdin=subprocess.DEVNULL,
                          env={"PATH": os.environ["PATH"], "HOME": str(scratch), **env})
    events = [json.loads(line) for line in done.stdout.splitlines()]
    results = {e["call"]: e["result"] for e in events if e["kind"] == "call_finished"}
    return done, events, results


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_address[1]}/"
(scratch / "server.py").write_text(MCP)
replies = [{"calls": [{"name": "env", "arguments": {}}, {"name": "plain", "arguments": {}},
                      {"name": "headers", "arguments": {}}]},
           {"calls": [{"name": "srv:facts", "arguments": {}}]}, {"text": "done"}]
(scratch / "replies.json").write_text(json.dumps({"replies": replies}))
web = {"url": url, "allow_private": True}
(scratch / "facts.json").write_text(json.dumps({
    "haft": 1, "name": "facts", "model": "script:replies.json", "limits": {"turns": 5},
    "tools": [{"name": "env", "description": "Prints its environment.", "args": [],
               "command": ["env"], "traits": {"read_only": True}},
              {"name": "plain", "description": "Sends plain headers.", "args": [], "http": web},
              {"name": "headers", "description": "Sends all headers.", "args": [],
               "http": {**web, "facts": True}}],
    "mcp": {"servers": {"srv": {"command": [sys.executable, "server.py"]}}}}))

done, events, results = run(["--user", "J\u00fcrgen"], {"HAFT_USER": "other"})
check("the_run_is_done", (done.returncode, len(results)), (0, 4))
start = events[0]
check("the_run_has_its_user", start["user"], "J\u00fcrgen")
found = dict(line.split("=", 1) for line in results["c1.1"].splitlines())
trace = found.pop("TRACEPARENT")
check("a_command_gets_the_facts",
      {k: v for k, v in found.items() if k.startswith("HAFT_")},
      {"HAFT_RUN": start["run"], "HAFT_THREAD": start["thread"], "HAFT_CALL": "c1.1",
       "HAFT_ATTEMPT": "1", "HAFT_USER": "J\u00fcrgen", "HAFT_REMAINING_TURNS": "4",
       "HAFT_EPOCH": "1", "HAFT_IDEMPOTENCY_KEY": f"{start['run']}:c1.1"})
requests.sort(key=len)
ours = ("haft-", "trace", "idem")
check("headers_are_sent_on_request_only",
      [k for k in requests[0] if k.lower().startswith(ours)], [])
sent = {k: v for k, v in requests[1].items() if k.lower().startswith(ours)}
other = sent.pop("traceparent")
check("an_http_tool_gets_the_facts", sent,
      {"Haft-Run": start["run"], "Haft-Thread": start["thread"], "Haft-Call": "c1.3",
       "Haft-Attempt": "1", "Haft-User": "J%C3%BCrgen", "Haft-Remaining-Turns": "4"})
check("calls_of_one_run_have_one_trace", (trace[:36] == other[:36], trace == other),
      (True, False))
meta = json.loads(results["c2.1"])
check("an_mcp_tool_gets_the_facts",
      {k.removeprefix("internal.haft/"): v for k, v in meta.items()
       if k not in ("progressToken", "traceparent")},
      {"run": start["run"], "thread": start["thread"], "call": "c2.1", "attempt": 1,
       "user": "J\u00fcrgen", "remainingTurns": 3, "epoch": 1,
       "idempotencyKey": f"{start['run']}:c2.1"})
check("all_calls_of_a_run_are_in_its_trace", meta["traceparent"][:36], trace[:36])

check("the_variable_names_the_user", run([], {"HAFT_USER": "ann"})[1][0]["user"], "ann")
_, events, results = run([], {})
check("without_a_user_the_fact_is_missing", (events[0]["user"], "HAFT_USER" in results["c1.1"]),
      (None, False))
done = run(["--user", "a\nb"], {})[0]
check("a_bad_name_is_rejected", (done.returncode, done.stderr.splitlines()[0]),
      (2, "haft: user: expected a name in UTF-8 without control characters"))
server.shutdown()
