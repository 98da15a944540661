#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The spec of the example with a model over HTTP: `haft mock-model` plays it, streamed and not
streamed."""
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
REPLIES = [
    {"expect": {"mode": "any"},
     "calls": [{"name": "glob", "arguments": {"pattern": "src/run/decide/*.c"}}]},
    {"expect": {"mode": "any", "contains": "src/run/decide/decide.c"},
     "calls": [{"name": "grep", "arguments": {"pattern": "haft__choice_decide", "path": "src"}},
               {"name": "read", "arguments": {"path": "src/run/decide/turn.c", "limit": 5}}]},
    {"expect": {"mode": "auto"}, "calls": [{"name": "store_artifact", "arguments": {
        "name": "report.md", "content": "# Report\n"}}]},
    {"calls": [{"name": "complete_workflow", "arguments": {}}], "usage": {
        "input_tokens": 100, "output_tokens": 10, "cached_tokens": 40}},
    {"text": "It is in turn.c."},
]


def serve(replies, *words):
    script = Path(scratch) / "script.json"
    script.write_text(json.dumps({"replies": replies}))
    server = subprocess.Popen([HAFT, "mock-model", script, *words], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    return server, server.stdout.readline().split()[-1]


def run(url, *words):
    done = subprocess.run([HAFT, "run", EXAMPLES / "report.yaml", "Where is the mode chosen?",
                           "--model", "openai:m", *words], text=True, capture_output=True,
                          env=dict(environment, OPENAI_BASE_URL=url), timeout=300)
    return done.returncode, done.stdout, done.stderr


def play(replies, *words):
    server, url = serve(replies, "--require-key")
    try:
        return run(url, *words)
    finally:
        server.terminate()
        server.communicate()


def test_report():
    status, out, err = play(REPLIES, "--events")
    log = [json.loads(line) for line in out.splitlines()]
    kinds = [event["kind"] for event in log]
    turns = [event for event in log if event["kind"] == "turn_started"]
    check("the_spec_runs_unchanged", (status, err, log[-1]["end"]), (0, "", "done"))
    check("forced_until_the_gate_opens", [t["mode"] for t in turns],
          ["any", "any", "auto", "auto", "auto"])
    check("gate_counts_called_tools", [len(t["gate"]["called"]) for t in turns], [0, 1, 3, 3, 3])
    check("gate_opens_before_the_artifact_and_the_end",
          [k for k in kinds if k in ("gate_opened", "artifact_stored",
                                     "run_finished")],
          ["gate_opened", "artifact_stored", "run_finished"])
    done = subprocess.run([HAFT, "runs", "replay", "last"], text=True, capture_output=True,
                          env=environment)
    check("its_replay_is_identical", (done.returncode, done.stdout.split(":")[0]), (0, "identical"))
    status, out, _ = play(REPLIES, "--json", "--set", 'model={"provider":"openai","model":"m",'
                          '"options":{"stream":false}}')
    result = json.loads(out)
    check("whole_reply_gives_the_same_result",
          (status, result["answer"], result["usage"]["cached_tokens"]),
          (0, "It is in turn.c.", 40))


class Strict(BaseHTTPRequestHandler):
    """A server with the oldest form of Chat Completions: of tool_choice it knows `auto`, `none`,
    `required` and one named function, and it rejects every member that it does not know."""

    def refusal(self, request):
        declared = {tool["function"]["name"] for tool in request.get("tools", [])}
        choice = request.get("tool_choice", "auto")
        named = choice["function"]["name"] if isinstance(choice, dict) and set(choice) == {
            "type", "function"} else None
        unknown = set(request) - {"model", "messages", "tools", "tool_choice", "stream",
                                  "stream_options", "temperature", "max_tokens"}
        if unknown:
            return f"unknown members {sorted(unknown)}"
        if choice not in ("auto", "none", "required") and named not in declared:
            return f"invalid tool_choice {choice}"
        if any(set(tool) != {"type", "function"} or set(tool["function"]) - {
                "name", "description", "parameters"} for tool in request.get("tools", [])):
            return "invalid tools"
        return None

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        refused = self.path != "/v1/chat/completions" or self.refusal(request)
        self.server.requests.append((request, refused))
        reply = REPLIES[min(len(self.server.requests), len(REPLIES)) - 1]
        calls = [{"id": f"call_{len(self.server.requests)}_{i}", "type": "function", "function": {
            "name": c["name"], "arguments": json.dumps(c["arguments"])}}
            for i, c in enumerate(reply.get("calls", []))]
        message = {"role": "assistant", "content": reply.get("text")}
        body = {"choices": [{"index": 0, "finish_reason": "tool_calls" if calls else "stop",
                             "message": dict(message, **({"tool_calls": calls} if calls else {}))}]}
        if refused:
            body = {"error": {"message": str(refused), "type": "invalid_request_error"}}
        text = json.dumps(body).encode()
        self.send_response(400 if refused else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def test_strict_server():
    server = HTTPServer(("127.0.0.1", 0), Strict)
    server.requests = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    status, out, err = run(f"http://127.0.0.1:{server.server_port}/v1", "--events")
    server.shutdown()
    server.server_close()
    log = [json.loads(line) for line in out.splitlines()]
    refused = [reason for _, reason in server.requests if reason]
    check("a_strict_server_accepts_every_request", (status, refused, err, log[-1]["end"]),
          (0, [], "", "done"))
    choices = [request.get("tool_choice") for request, _ in server.requests]
    check("forced_turns_send_required", choices, ["required", "required", "auto", "auto", "auto"])
    declared = ["store_artifact" in json.dumps(request["tools"]) for request, _ in server.requests]
    check("an_artifact_tool_waits_for_the_gate", declared, [False, False, True, True, True])
    done = subprocess.run([HAFT, "runs", "replay", "last"], text=True, capture_output=True,
                          env=environment)
    check("its_replay_needs_no_variable", (done.returncode, done.stdout.split(":")[0]),
          (0, "identical"))


def test_own_host():
    """`openai` without a variable is OpenAI's Responses API; a variable with its host changes
    nothing, and one with another host chooses Chat Completions."""
    def explain(**variables):
        done = subprocess.run([HAFT, "explain", EXAMPLES / "report.yaml", "x", "--model",
                               "openai:gpt-5.4-mini", "--json"], text=True, capture_output=True,
                              env=dict(environment, **variables))
        request = json.loads(done.stdout)["request"]
        return "input" in request, "allowed_tools" in json.dumps(request)

    check("openai_means_responses", explain(), (True, True))
    check("variable_with_the_host_of_openai_means_responses",
          explain(OPENAI_BASE_URL="https://api.openai.com/v1/"),
          (True, True))
    check("another_host_means_chat", explain(OPENAI_BASE_URL="http://127.0.0.1:1/v1"),
          (False, False))


def test_offline():
    """What `make run` does: no key, no network."""
    done = subprocess.run([HAFT, "run", EXAMPLES / "report.yaml", "Where are leases renewed?",
                           "--events"], text=True, capture_output=True, env=environment)
    log = [json.loads(line) for line in done.stdout.splitlines()]
    modes = [event["mode"] for event in log if event["kind"] == "turn_started"]
    check("offline_model_runs_the_example", (done.returncode, log[-1]["end"]), (0, "done"))
    check("modes_are_forced_first_and_free_later", (modes[0], modes[-1], modes == sorted(modes)),
          ("any", "auto", True))
    names = [event["tool"] for event in log if event["kind"] == "call_finished" and event["ok"]]
    check("agent_called_the_file_tools", {"glob", "grep", "read", "store_artifact",
                                          "complete_workflow"} - set(names), set())
    report = subprocess.run([HAFT, "runs", "artifact", "last", "report.md"], text=True,
                            capture_output=True, env=environment).stdout
    quoted = [line for line in report.splitlines() if line.startswith("- `") and "`: `" in line]
    root, wrong = EXAMPLES.parent, []
    for line in quoted:
        path, number = line.split("`")[1].rsplit(":", 1)
        text = (root / path).read_text(errors="replace").splitlines()[int(number) - 1]
        wrong += [] if line.split("`")[3].strip()[:40] in text else [line]
    check("quoted_lines_are_in_the_files", (len(quoted) > 0, wrong), (True, []))


def test_faults():
    def fails(reply):
        status, out, _ = play([reply] * 4, "--json")
        error = json.loads(out)["error"]["message"]
        return status, error

    status, error = fails({"error": {"status": 401, "body": "no such key"}})
    check("refused_key_ends_the_run", (status, "HTTP 401" in error), (1, True))
    status, error = fails({"text": "hello", "cut": 40})
    check("cut_reply_ends_the_run", (status, error != ""), (1, True))
    recovering = [{"error": {"status": 503, "body": "busy", "headers": {"retry-after-ms": "5"}}}]
    check("busy_server_is_asked_again", play(recovering + REPLIES, "--quiet")[:2],
          (0, "It is in turn.c.\n"))
    err = play(recovering + REPLIES)[2]
    check("a_retry_says_why_and_when", [line for line in err.splitlines() if "attempt 2" in line],
          ["  the model failed: HTTP 503 from the model server: busy (request req_1); attempt 2 "
           "in 5 ms"])
    server, url = serve([])
    server.terminate()
    server.communicate()
    status, out, _ = run(url, "--json")
    check("server_that_is_down_ends_the_run", (status, json.loads(out)["end"]), (1, "failed"))
    without = {k: v for k, v in environment.items() if k != "OPENAI_API_KEY"}
    done = subprocess.run([HAFT, "run", EXAMPLES / "report.yaml", "x", "--model", "openai:m"],
                          text=True, capture_output=True, env=without)
    check("missing_key_is_an_error", (done.returncode, "OPENAI_API_KEY is not set" in done.stderr),
          (2, True))


with tempfile.TemporaryDirectory() as scratch:
    environment = dict(os.environ, XDG_STATE_HOME=scratch, OPENAI_API_KEY="sk-test-0123456789")
    test_report()
    test_strict_server()
    test_own_host()
    test_offline()
    test_faults()
