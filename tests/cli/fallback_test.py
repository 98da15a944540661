#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""models: [a, b]: b is asked if a fails for good, in every pair of wire formats, streaming and
whole. The events show it, no tool runs twice, and nothing opaque of a is sent to b."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402
from wire_server import WIRES, Server, error, sse  # noqa: E402

HAFT = os.environ["HAFT"]
QUICK = {"retry-after-ms": "1"}
BUSY = error(529, "overloaded", QUICK)
SIGNED = sse([
    {"type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
        "stop_reason": None, "usage": {"input_tokens": 10, "output_tokens": 1}}},
    {"type": "content_block_start", "index": 0,
     "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
    {"type": "content_block_delta", "index": 0,
     "delta": {"type": "thinking_delta", "thinking": "Hm."}},
    {"type": "content_block_delta", "index": 0,
     "delta": {"type": "signature_delta", "signature": "c2lnbmVkLWJ5LWE="}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1,
     "content_block": {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}},
    {"type": "content_block_delta", "index": 1,
     "delta": {"type": "input_json_delta", "partial_json": "{}"}},
    {"type": "content_block_stop", "index": 1},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 2}},
    {"type": "message_stop"}], names=True)


def model(wire, server, name, **more):
    provider, end, _ = WIRES[wire]
    return {"provider": provider, "model": name, "api_key": "sk-test-0123456789",
            "base_url": server.url(end), **more}


def write_spec(models, **more):
    ran = Path(scratch) / "ran"
    ran.write_text("")
    path = Path(scratch) / "spec.json"
    path.write_text(json.dumps({
        "haft": 1, "name": "fallback", "instructions": "Look.", "models": models,
        "tools": [{"name": "look", "description": "Looks at the thing.", "args": [],
                   "command": ["sh", "-c", f"echo ran >> {ran}; echo seen"]}], **more}))
    return path, ran


def haft(*words):
    return subprocess.run([HAFT, *words], text=True, capture_output=True, env=environment,
                          timeout=300)


def run(path):
    done = haft("run", path, "go", "--events")
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def changes(log):
    return [(event["kind"], event["failure"]) for event in log
            if event["kind"] in ("model_failed", "model_changed")]


def test_pairs():
    for first, (_, _, reply) in WIRES.items():
        for second, (_, _, other) in WIRES.items():
            for stream in (True, False):
                options = {} if stream else {"options": {"stream": False}}
                with Server([reply(calls=[("look", {})])] + [BUSY] * 3) as a, \
                        Server([other(text="done")]) as b:
                    path, ran = write_spec([model(first, a, "a", **options),
                                            model(second, b, "b", **options)])
                    status, log = run(path)
                label = f"{first}_then_{second}_{'streaming' if stream else 'whole'}"
                check(f"{label}_ends", (status, log[-1]["answer"]), (0, "done"))
                check(f"{label}_events", changes(log),
                      [("model_failed", "transient"), ("model_changed", "transient")])
                check(f"{label}_no_tool_runs_twice", (ran.read_text(), len(b.requests)),
                      ("ran\n", 1))
                check(f"{label}_has_the_result", "seen" in json.dumps(b.requests[0]))


def test_names():
    with Server([BUSY] * 3) as a, Server([WIRES["ollama"][2](text="done")]) as b:
        path, _ = write_spec([model("anthropic", a, "a"), model("ollama", b, "b")])
        _, log = run(path)
        explained = json.loads(haft("explain", path, "--json").stdout)
    changed = [event for event in log if event["kind"] == "model_changed"]
    check("the_event_names_both",
          [(event["turn"], event["from"], event["to"]) for event in changed],
          [(1, "anthropic:a", "ollama:b")])
    check("retries_come_first", [len(event.get("retries", [])) for event in log
                                 if event["kind"] == "model_failed"], [2])
    check("explain_lists_it", (explained["model"], explained["fallback_models"]),
          ("anthropic:a", ["ollama:b"]))
    check("it_replays", haft("runs", "replay", "last").stdout.split(":")[0], "identical")


def test_opaque():
    with Server([SIGNED] + [BUSY] * 3) as a, \
            Server([WIRES["anthropic"][2](text="done")]) as b:
        path, ran = write_spec([model("anthropic", a, "a"), model("anthropic", b, "b")])
        status, log = run(path)
    replies = [event for event in log if event["kind"] == "model_replied"]
    check("a_gets_its_own_thinking_back", "c2lnbmVkLWJ5LWE=" in json.dumps(a.requests[1]))
    check("b_does_not_get_it", "c2lnbmVkLWJ5LWE=" in json.dumps(b.requests[0]), False)
    check("the_event_says_so", (status, replies[-1].get("unsent_reasoning")), (0, 1))
    check("the_tool_ran_once", ran.read_text(), "ran\n")


def test_no_change():
    """After output, and if the request is wrong, no other model is asked."""
    begun = [piece for piece in WIRES["openai-chat"][2](text="Hello") if "Hello" in piece]
    for name, broken, failure in [
            ("output", {"pieces": begun}, "cut"),
            ("wrong", error(400, "wrong"), "other"),
            ("policy", error(400, "no", code="content_policy_violation"), "policy")]:
        with Server([broken]) as a, Server([]) as b:
            path, _ = write_spec([model("openai-chat", a, "a"), model("openai-chat", b, "b")])
            status, log = run(path)
        check(f"after_{name}_no_other_model_is_asked",
              (status, changes(log), len(b.requests)), (1, [("model_failed", failure)], 0))


def test_tls():
    """A server that speaks no TLS."""
    with Server([]) as a, Server([WIRES["openai-chat"][2](text="done")]) as b:
        first = model("openai-chat", a, "a")
        first["base_url"] = first["base_url"].replace("http:", "https:")
        path, _ = write_spec([first, model("openai-chat", b, "b")])
        status, log = run(path)
    check("a_server_without_a_good_certificate_has_a_next_one", (status, changes(log)),
          (0, [("model_failed", "auth"), ("model_changed", "auth")]))


def test_all_fail():
    with Server([BUSY] * 3) as a, Server([error(401, "no key")]) as b:
        path, _ = write_spec([model("openai-chat", a, "a"), model("gemini", b, "b")])
        status, log = run(path)
    check("the_last_failure_ends_the_run",
          (status, [kind for kind, _ in changes(log)], "no key" in log[-1]["error"]["message"]),
          (1, ["model_failed", "model_changed", "model_failed"], True))


def test_resume():
    """A run that paused after the change goes on with the second model."""
    chat = WIRES["openai-chat"][2]
    with Server([BUSY] * 3) as a, \
            Server([chat(calls=[("look", {})]), chat(text="done")]) as b:
        path, ran = write_spec([model("openai-chat", a, "a"), model("openai-chat", b, "b")],
                               approvals=[{"tools": ["look"]}])
        log = run(path)[1]
        paused = next(event for event in log if event["kind"] == "paused")
        done = haft("approve", log[0]["run"], paused["call"])
    check("a_resumed_run_keeps_the_model", (done.returncode, len(a.requests), len(b.requests)),
          (0, 3, 2))
    check("the_approved_call_runs_once", ran.read_text(), "ran\n")


def test_scripts():
    """Scripts stand in for models, and each keeps its place."""
    for name, replies in (("a", [{"calls": [{"name": "look"}]},
                                 {"error": {"status": 503, "body": "busy"}}]),
                          ("b", [{"text": "done"}])):
        (Path(scratch) / f"{name}.json").write_text(json.dumps({"replies": replies}))
    path, ran = write_spec(["script:a.json", "script:b.json"])
    status, log = run(path)
    check("a_script_that_fails_has_a_next_one", (status, log[-1]["answer"], ran.read_text()),
          (0, "done", "ran\n"))
    check("the_change_is_shown", "model changed from script:a.json to script:b.json"
          in haft("run", path, "go").stderr)


def test_check():
    path, _ = write_spec(["script:a.json", "anthropic:claude-haiku-4-5"])
    done = haft("check", path)
    check("a_model_without_a_key_is_refused",
          (done.returncode, "no run can start here" in done.stdout + done.stderr), (2, True))
    done = haft("run", path, "go")
    check("and_no_run_starts", done.returncode, 2)
    done = haft("run", path, "go", "--model", f"script:{scratch}/b.json")
    check("another_model_replaces_the_list", done.returncode, 0)


with tempfile.TemporaryDirectory() as scratch:
    environment = dict(os.environ, XDG_STATE_HOME=scratch)
    environment.pop("ANTHROPIC_API_KEY", None)
    test_pairs()
    test_names()
    test_opaque()
    test_no_change()
    test_tls()
    test_all_fail()
    test_resume()
    test_scripts()
    test_check()
