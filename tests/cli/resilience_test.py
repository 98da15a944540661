#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Servers that break: a cut stream, a rate limit, an overload, an error after 200, and silence, in
each wire format. Each ends as docs/models.md says, the events show the retries, and no tool runs
twice."""
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402
from wire_server import WIRES, Server, error, sse  # noqa: E402

HAFT = os.environ["HAFT"]

# An error inside a stream, before any output.
STREAM_ERRORS = {
    "openai-chat": ["data: " + json.dumps({"error": {"message": "busy", "code": 503}}) + "\n\n"],
    "openai-responses": sse([{"type": "error", "code": "server_error", "message": "busy"}], True),
    "anthropic": sse([{"type": "error", "error": {"type": "overloaded_error",
                                                  "message": "busy"}}], True),
    "gemini": sse([{"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}]),
    "ollama": [],  # its errors have no code: they are final, and tested below
}
# Bytes before any output: a comment, or an empty line, which each reader skips.
SILENT = {"gemini": "\n", "ollama": "\n"}


def write_spec(wire, server, **model):
    provider, end, _ = WIRES[wire]
    ran = Path(scratch) / "ran"
    ran.write_text("")
    path = Path(scratch) / "spec.json"
    path.write_text(json.dumps({
        "haft": 1, "name": "resilience", "instructions": "Look.",
        "model": {"provider": provider, "model": "m", "api_key": "sk-test-0123456789",
                  "base_url": server.url(end), **model},
        "tools": [{"name": "look", "description": "Looks.", "args": [],
                   "command": ["sh", "-c", f"echo ran >> {ran}; echo seen"]}]}))
    return path, ran


def run(path):
    done = subprocess.run([HAFT, "run", path, "go", "--events"], text=True, capture_output=True,
                          env=environment, timeout=300)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def retries(log):
    return [[retry["status"] for retry in event.get("retries", [])] for event in log
            if event["kind"] in ("model_replied", "model_failed")]


def cases(wire):
    """Name, how the server breaks, retries that are recorded, and whether the run ends well."""
    reply = WIRES[wire][2]
    whole = reply(text="Hello")
    begun = whole[:1 + ["Hello" in piece for piece in whole].index(True)]
    code = 503 if wire in ("openai-chat", "gemini") else 0  # the status inside the error
    quick = {"retry-after-ms": "5"}
    silent = [SILENT.get(wire, ": hello\n\n")]
    rows = [
        ("rate", error(429, "slow down", {"Retry-After": "1"}), [429], True),
        ("overload", error(529, "overloaded", quick), [529], True),
        ("error_after_200", STREAM_ERRORS[wire], [code], True),
        ("cut_before_output", {"pieces": silent, "end": "reset"}, [0], True),
        ("cut_in_the_middle", {"pieces": begun}, [], False),
        ("silence", {"pieces": silent, "end": "stall"}, [0], True),
        ("silence_in_the_middle", {"pieces": begun, "end": "stall"}, [], False),
    ]
    if wire == "ollama":
        line = [json.dumps({"error": "llama runner process has terminated"}) + "\n"]
        rows[2] = ("error_after_200", line, [], False)
    return rows


def test_wires():
    for wire, (_, _, reply) in WIRES.items():
        for name, broken, wanted, good in cases(wire):
            entries = [reply(calls=[("look", {})]), broken, reply(text="done")]
            with Server(entries) as server:
                path, ran = write_spec(wire, server, timeouts={"idle": "400ms"})
                status, log = run(path)
            label = f"{wire}_{name}"
            end = log[-1]
            check(f"{label}_ends", (status, end["end"], end["answer"]),
                  (0, "done", "done") if good else (1, "failed", ""))
            found = retries(log)
            check(f"{label}_retries", (found, len(server.requests)),
                  ([[], wanted], 2 + len(wanted)))
            check(f"{label}_no_tool_runs_twice", ran.read_text(), "ran\n")
            if len(wanted) > 0:
                check(f"{label}_asks_the_same_again", server.requests[1] == server.requests[2])


def test_cut_errors():
    """The status of an error counts, even if the connection breaks before the end of its body."""
    for wire, (_, _, reply) in WIRES.items():
        key = error(401, "no such key", {"Content-Length": "9999"})
        slow = error(429, "slow down", {"Content-Length": "9999", "retry-after-ms": "5"})
        with Server([key]) as server:
            status, log = run(write_spec(wire, server)[0])
        check(f"{wire}_key_that_is_refused_in_a_cut_response",
              (status, len(server.requests), log[-2]["failure"]), (1, 1, "auth"))
        with Server([slow, reply(text="done")]) as server:
            status, log = run(write_spec(wire, server)[0])
        check(f"{wire}_rate_limit_in_a_cut_response", (status, retries(log)), (0, [[429]]))


def test_replay():
    done = subprocess.run([HAFT, "runs", "replay", "last"], text=True, capture_output=True,
                          env=environment)
    check("a_run_with_a_failure_replays", (done.returncode, done.stdout.split(":")[0]),
          (0, "identical"))


def test_wait():
    """The time that a server asks for holds for the whole process: no request is sent before."""
    wire, reply = "openai-chat", WIRES["openai-chat"][2]
    times = []

    def note(entry):
        def answer(_):
            times.append(time.monotonic())
            return entry
        return answer

    with Server([note(error(429, "slow down", {"Retry-After": "2"})), note(reply(text="a")),
                 note(reply(text="b"))]) as server:
        path, _ = write_spec(wire, server)
        status, _ = run(path)
    check("retry_after_is_obeyed", (status, len(times), times[1] - times[0] >= 1.9), (0, 2, True))
    header = error(429, "tomorrow", {"Retry-After": "86400"})
    body = error(429, "tomorrow", details=[
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "86400s"}])
    for name, wire, entry in [("header", "openai-chat", header), ("body", "gemini", body)]:
        with Server([entry] * 3) as server:
            path, _ = write_spec(wire, server)
            done = subprocess.run([HAFT, "chat", path], input="one\ntwo\n", text=True,
                                  capture_output=True, env=environment, timeout=300)
        check(f"a_long_wait_in_the_{name}_is_not_waited_for_and_not_asked_again",
              len(server.requests), 1)
        check(f"a_long_wait_in_the_{name}_is_reported",
              "asked to wait" in done.stderr + done.stdout)


def test_timeouts():
    """A server that is silent before its first byte, and one whose reply takes too long."""
    reply = WIRES["openai-chat"][2]

    def wait(server):
        def answer(_):
            server.stopped.wait(2)
            return reply(text="late")
        return answer

    with Server([]) as server:
        server.entries += [wait(server), reply(text="done")]
        path, _ = write_spec("openai-chat", server, timeouts={"first_byte": "200ms"})
        status, log = run(path)
    check("a_late_first_byte_is_a_failure", (status, log[-1]["answer"], retries(log)),
          (0, "done", [[0]]))
    with Server([{"pieces": [": hello\n\n"], "end": "stall"}, reply(text="done")]) as server:
        path, _ = write_spec("openai-chat", server, timeouts={"total": "300ms", "idle": "60s"})
        status, log = run(path)
    check("a_request_that_takes_too_long_is_a_failure",
          (status, log[-1]["answer"], retries(log)), (0, "done", [[0]]))


def cut_calls(wire, names, last):
    """A reply that its token limit cut in the last of its calls, which has the arguments `last`,
    a text; the calls before it have none."""
    texts = [""] * (len(names) - 1) + [last]
    calls = [(f"call_{i}", name, text) for i, (name, text) in enumerate(zip(names, texts))]
    if wire == "openai-chat":
        pieces = [{"index": i, "id": name_id, "type": "function", "function": {
            "name": name, "arguments": text}} for i, (name_id, name, text) in enumerate(calls)]
        return sse([{"choices": [{"index": 0, "delta": {"tool_calls": pieces},
                                  "finish_reason": "length"}]}]) + ["data: [DONE]\n\n"]
    if wire == "openai-responses":
        items = [{"type": "function_call", "id": f"fc_{i}", "call_id": name_id, "name": name,
                  "arguments": text} for i, (name_id, name, text) in enumerate(calls)]
        return sse([{"type": "response.incomplete", "response": {
            "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"},
            "output": items}}], True)
    blocks = [{"type": "tool_use", "id": name_id, "name": name, "input": json.loads(text or "{}")}
              for name_id, name, text in calls]
    if wire == "anthropic, whole":
        return [json.dumps({"type": "message", "role": "assistant", "content": blocks,
                            "stop_reason": "max_tokens", "usage": {}})]
    events = [{"type": "message_start", "message": {"content": [], "usage": {}}}]
    for i, (block, (_, _, text)) in enumerate(zip(blocks, calls)):
        events += [{"type": "content_block_start", "index": i, "content_block": {
            **block, "input": {}}},
            {"type": "content_block_delta", "index": i, "delta": {
                "type": "input_json_delta", "partial_json": text}},
            {"type": "content_block_stop", "index": i}]
    return sse(events + [{"type": "message_delta", "delta": {"stop_reason": "max_tokens"}},
                         {"type": "message_stop"}], True)


def test_token_limit():
    """A call whose arguments have not arrived before the token limit does not run: without them it
    would mean something else. Calls before it are whole."""
    for wire in ("openai-chat", "openai-responses", "anthropic", "anthropic, whole"):
        name = wire.split(",")[0]
        for last, runs in (("", 1), ('{"a":"x"}', 2)):
            with Server([cut_calls(wire, ["look", "look"], last),
                         WIRES[name][2](text="done")]) as server:
                path, ran = write_spec(name, server)
                whole = json.loads(path.read_text())
                del whole["tools"][0]["args"]
                whole["tools"][0]["input_schema"] = {"type": "object", "properties": {
                    "a": {"type": "string"}}}
                path.write_text(json.dumps(whole))
                status, log = run(path)
            label = wire.replace(", ", "_")
            check(f"{label}_at_the_limit_with_{'all' if last else 'no'}_arguments",
                  (status, ran.read_text().count("ran"),
                   [event["why"] for event in log if event["kind"] == "call_refused"]),
                  (0, runs, ["invalid"] * (2 - runs)))


def test_requests():
    """model.requests: child runs that ask the same server at once wait for each other."""
    reply = WIRES["openai-chat"][2]

    def answer(request):
        messages = request["messages"]
        if messages[0]["content"].startswith("Child"):
            time.sleep(0.05)  # so that requests without a limit would overlap
            return reply(text="seen")
        done = any(message["role"] == "tool" for message in messages)
        return reply(text="done") if done else reply(calls=[("ask", {"task": str(i)})
                                                            for i in range(4)])

    for most in (1, 2):
        with Server([answer] * 9) as server:
            model = {"provider": "openai", "model": "m", "base_url": server.url("/v1"),
                     "requests": most}
            path = Path(scratch) / "spec.json"
            path.write_text(json.dumps({
                "haft": 1, "name": "parent", "instructions": "Ask.", "model": model,
                "limits": {"parallel": 4},
                "agents": {"child": {"instructions": "Child.", "model": model}},
                "tools": [{"name": "ask", "agent": "child", "description": "Asks a child."}]}))
            status, log = run(path)
        check(f"at_most_{most}_requests_at_once",
              (status, log[-1]["answer"], len(server.requests), server.most_active <= most),
              (0, "done", 6, True))


def test_check():
    with Server([]) as server:
        path, _ = write_spec("openai-chat", server, timeouts={"idle": 0})
    done = subprocess.run([HAFT, "check", path], text=True, capture_output=True, env=environment)
    check("a_timeout_of_zero_is_rejected",
          (done.returncode, "expected a time above 0" in done.stderr + done.stdout), (2, True))


with tempfile.TemporaryDirectory() as scratch:
    environment = dict(os.environ, XDG_STATE_HOME=scratch)
    test_wires()
    test_cut_errors()
    test_replay()
    test_wait()
    test_timeouts()
    test_token_limit()
    test_requests()
    test_check()
