#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The spec of the example with Ollama's own API: a server that rejects what Ollama does not know,
streamed and whole. A forced turn that the model ignores is asked again with a JSON Schema."""
import json
import os
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
MEMBERS = {"model", "messages", "tools", "stream", "format", "think", "options", "keep_alive",
           "truncate", "shift"}
REPLIES = [
    {"content": "I think I know enough."},  # although a tool must be called
    {"format": True, "content": json.dumps(
        {"tool": "glob", "arguments": {"pattern": "src/run/decide/*.c"}})},
    {"thinking": "Both at once.", "calls": [
        ("grep", {"pattern": "haft__choice_decide", "path": "src"}),
        ("read", {"path": "src/run/decide/turn.c", "limit": 5})]},
    {"calls": [("store_artifact", {"name": "report.md", "content": "# Report\n"})]},
    {"calls": [("complete_workflow", {})]},
    {"content": "It is in turn.c."},
]


def refusal(request):
    """The reason why Ollama would reject a request or ignore a part of it; None if it would not."""
    calls = {}
    if set(request) - MEMBERS:
        return f"unknown members {sorted(set(request) - MEMBERS)}"
    if request.get("stream") not in (True, False) or "num_ctx" not in request["options"]:
        return "stream or num_ctx is missing"
    for message in request["messages"]:
        if not isinstance(message.get("content"), str):
            return f"content of {message}"
        for call in message.get("tool_calls", []):
            if not isinstance(call["function"]["arguments"], dict):
                return f"arguments of {call}"
            calls[call["id"]] = call["function"]["name"]
        if message["role"] == "tool" and calls.pop(message["tool_call_id"], "") != message[
                "tool_name"]:
            return f"{message} is no result of a call"
    return f"no results of {calls}" if calls else None


class Ollama(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        refused = self.path != "/api/chat" or refusal(request)
        reply = REPLIES[min(len(self.server.requests), len(REPLIES) - 1)]
        if bool(reply.get("format")) != ("format" in request):
            refused = "a schema is expected after a violation, and only then"
        self.server.requests.append((request, refused))
        lines = [{"error": str(refused)}] if refused else self.lines(reply, request["stream"])
        body = "".join(json.dumps(line) + "\n" for line in lines).encode()
        self.send_response(400 if refused else 200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def lines(self, reply, stream):
        calls = [{"function": {"name": name, "arguments": arguments}}
                 for name, arguments in reply.get("calls", [])]
        parts = [{"content": "", "thinking": reply["thinking"]}] if "thinking" in reply else []
        parts += [{"content": part} for part in reply.get("content", "")]
        parts += [{"content": "", "tool_calls": [call]} for call in calls]
        end = {"model": "m", "done": True, "done_reason": "stop", "prompt_eval_count": 10,
               "eval_count": 2}
        if not stream:
            whole = {"role": "assistant", "content": reply.get("content", "")}
            whole.update({"thinking": reply["thinking"]} if "thinking" in reply else {})
            whole.update({"tool_calls": calls} if calls else {})
            return [dict(end, message=whole)]
        return [{"model": "m", "message": dict(part, role="assistant"), "done": False}
                for part in parts] + [dict(end, message={"role": "assistant", "content": ""})]

    def log_message(self, *_):
        pass


def play(*words):
    server = HTTPServer(("127.0.0.1", 0), Ollama)
    server.requests = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    done = subprocess.run([HAFT, "run", EXAMPLES / "report.yaml", "Where is the mode chosen?",
                           "--events", "--model", "ollama:m", *words], text=True,
                          capture_output=True, env=dict(environment, OLLAMA_BASE_URL=url),
                          timeout=300)
    server.shutdown()
    server.server_close()
    log = [json.loads(line) for line in done.stdout.splitlines()]
    return done.returncode, done.stderr, log, server.requests


def test_report(name, *words):
    status, err, log, requests = play(*words)
    check(f"{name}_every_request_is_accepted", [reason for _, reason in requests if reason], [])
    check(f"{name}_run_ends", (status, err, log[-1]["end"]), (0, "", "done"))
    check(f"{name}_ignored_forced_turn_is_asked_again",
          [e["kind"] for e in log if e["kind"] in ("violation", "constrained", "gate_opened")],
          ["violation", "constrained", "gate_opened"])
    check(f"{name}_all_tools_are_called",
          sorted(e["tool"] for e in log if e["kind"] == "call_finished"),
          ["complete_workflow", "glob", "grep", "read", "store_artifact"])
    check(f"{name}_a_forced_turn_says_so",
          ["Call a tool now" in r["messages"][-1]["content"] for r, _ in requests],
          [True, False, True, False, False, False])
    check(f"{name}_usage_is_counted",
          (log[-1]["usage"]["input_tokens"], log[-1]["usage"]["output_tokens"]),
          (60, 12))
    thinking = [m.get("thinking") for m in requests[-1][0]["messages"] if m.get("tool_calls")]
    check(f"{name}_thinking_is_sent_back", "Both at once." in thinking, True)
    done = subprocess.run([HAFT, "runs", "replay", "last"], text=True, capture_output=True,
                          env=environment)
    check(f"{name}_replays", (done.returncode, done.stdout.split(":")[0]), (0, "identical"))


def test_explain():
    """Which means make a model call a tool in a forced turn."""
    for model, means in (("ollama:m", "local"), ("llamacpp:m", "choice"), ("mistral:m", "choice"),
                         ("openai:m", "subset"), ("openai-chat:m", "subset")):
        done = subprocess.run([HAFT, "explain", EXAMPLES / "report.yaml", "x", "--json", "--model",
                               model], text=True, capture_output=True, env=environment)
        check(f"means_of_{model}", json.loads(done.stdout)["forced"]["means"], means)
    for provider, means in (("llamacpp", "grammar"), ("vllm", "schema"), ("mistral", "local")):
        model = {"provider": provider, "model": "m", "native_tools": False}
        done = subprocess.run([HAFT, "explain", EXAMPLES / "report.yaml", "x", "--json", "--set",
                               "model=" + json.dumps(model)], text=True, capture_output=True,
                              env=environment)
        check(f"means_of_{provider}_in_text", json.loads(done.stdout)["forced"]["means"], means)
    done = subprocess.run([HAFT, "explain", EXAMPLES / "report.yaml", "x", "--model", "ollama:m"],
                          text=True, capture_output=True, env=environment)
    check("explain_describes_the_means",
          "requested in words, and haft checks the reply" in done.stdout, True)


with tempfile.TemporaryDirectory() as scratch:
    environment = dict(os.environ, XDG_STATE_HOME=scratch)
    test_report("streamed")
    test_report("whole", "--set",
                'model={"provider":"ollama","model":"m","options":{"stream":false}}')
    test_explain()
