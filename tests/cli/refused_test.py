#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Servers that reject optional members of a request: each is asked once more without the member,
the run leaves it out from then on, and its replay is identical."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from own_host import OwnHost, can_serve_hosts  # noqa: E402
from script import check, skip  # noqa: E402
from wire_server import WIRES, Server, error  # noqa: E402

HAFT = os.environ["HAFT"]


def spec(wire, server, name="m", **more):
    provider, end, _ = WIRES[wire]
    whole = {"haft": 1, "name": "refused", "instructions": "Look.",
             "model": {"provider": provider, "model": name, "api_key": "sk-test-0123456789",
                       "base_url": server.url(end)},
             "tools": [{"name": name, "description": "Looks.", "args": [],
                        "command": ["echo", "seen"]} for name in ("look", "find")],
             "limits": {"parallel": 1}}
    whole["model"].update(more.pop("model", {}))
    whole.update(more)
    path = Path(scratch) / "spec.json"
    path.write_text(json.dumps(whole))
    return path


def run(path, **variables):
    done = subprocess.run([HAFT, "run", path, "go", "--events"], text=True, capture_output=True,
                          env={**environment, **variables}, timeout=300)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def replay():
    done = subprocess.run([HAFT, "runs", "replay", "last"], text=True, capture_output=True,
                          env=environment)
    return done.returncode, done.stdout.split(":")[0]


def refused(log):
    return [(event["member"], event["status"], event["remembered"]) for event in log
            if event["kind"] == "option_refused"]


EFFORT = {"model": {"options": {"reasoning_effort": "low"}}}

# For each wire format: a spec, the refusals in order, and what a request may not have after them.
CASES = [
    ("openai-chat", "stream_options", {}, [error(400, "Unknown argument: stream_options")],
     ["stream_options"], lambda request: "stream_options" not in request),
    ("openai-chat", "tool_choice", {"choice": {"default": "any"}},
     [error(422, "tool_choice: only auto is supported", param="tool_choice")],
     ["tool_choice"], lambda request: "tool_choice" not in request),
    ("openai-chat", "named", {"choice": {"default": {"tool": "look"}}},
     [error(400, "Invalid value of tool_choice: an object")], ["tool_choice.function"],
     lambda request: request["tool_choice"] != "required" or len(request["tools"]) == 1),
    ("openai-responses", "two", {},
     [error(400, "Unknown parameter: parallel_tool_calls", param="parallel_tool_calls"),
      error(400, "tools[0].strict is not supported")], ["parallel_tool_calls", "strict"],
     lambda request: "parallel_tool_calls" not in request
     and not any("strict" in tool for tool in request["tools"])),
    ("anthropic", "cache", {}, [error(400, "messages.0: cache_control: Extra inputs")],
     ["cache_control"], lambda request: "cache_control" not in json.dumps(request)),
    ("anthropic", "forced", {"choice": {"default": "any"}},
     [error(400, "tool_choice: this model does not support a forced tool")], ["tool_choice"],
     lambda request: request["tool_choice"]["type"] == "auto"),
    ("anthropic", "effort", EFFORT,
     [error(400, "This model does not support the effort parameter.")], ["output_config.effort"],
     lambda request: "output_config" not in request),
    ("openai-responses", "effort", EFFORT,
     [error(400, "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
            param="reasoning.effort")], ["reasoning.effort"],
     lambda request: "reasoning" not in request),
    ("openai-chat", "effort", EFFORT,
     [error(400, "Unrecognized request argument supplied: reasoning_effort")],
     ["reasoning_effort"], lambda request: "reasoning_effort" not in request),
    ("gemini", "effort", EFFORT, [error(400, "Thinking level is not supported for this model.")],
     ["generationConfig.thinkingConfig"], lambda request: "generationConfig" not in request),
    ("ollama", "effort", EFFORT, [error(400, '"m" does not support thinking')], ["think"],
     lambda request: "think" not in request),
]


def test_refusals():
    for wire, name, more, refusals, members, good in CASES:
        reply = WIRES[wire][2]
        entries = refusals + [reply(calls=[("look", {})]), reply(text="done")]
        with Server(entries) as server:
            status, log, err = run(spec(wire, server, **more))
        label = f"{wire}_{name}"
        check(f"{label}_the_run_is_done", (status, err, log[-1].get("answer")), (0, "", "done"))
        check(f"{label}_is_recorded", refused(log),
              [(member, refusal["status"], False) for member, refusal in zip(members, refusals)])
        later = server.requests[len(refusals):]
        check(f"{label}_is_left_out_later", (len(later), [good(request) for request in later]),
              (2, [True, True]))
        check(f"{label}_replays", replay(), (0, "identical"))


def test_retries():
    """Failed attempts before a refusal are recorded with it, and count for the whole request."""
    quick, wrong = {"retry-after-ms": "1"}, error(400, "Unknown argument: stream_options")
    busy = error(529, "busy", quick)
    for name, entries, attempts, end in [
            ("one_more", [busy, wrong, busy, WIRES["openai-chat"][2](text="done")], [1, 1], "done"),
            ("no_more", [busy, busy, wrong, *[busy] * 9], [2, 0], "failed")]:
        with Server(entries) as server:
            _, log, _ = run(spec("openai-chat", server))
        check(f"{name}_attempt_is_recorded",
              ([len(event.get("retries", ())) for event in log if event["kind"] in (
                  "option_refused", "model_replied", "model_failed")], log[-1]["end"]),
              (attempts, end))
        check(f"{name}_attempt_replays", replay(), (0, "identical"))


def test_end():
    """A refusal of a required member ends the run; haft does not ask again and again."""
    with Server([error(400, "Unknown argument: stream_options")] * 9) as server:
        status, log, _ = run(spec("openai-chat", server))
    check("a_server_that_always_refuses_is_not_asked_forever",
          (status, len(server.requests), refused(log), log[-1]["end"]),
          (1, 2, [("stream_options", 400, False)], "failed"))
    with Server([error(400, "no such model", param="model")] * 9) as server:
        status, log, _ = run(spec("openai-chat", server))
    check("an_error_about_something_else_is_final", (status, len(server.requests), refused(log)),
          (1, 1, []))


def test_subset():
    """A server that knows only auto, none, required and a named function."""
    def strict(request):
        choice = request.get("tool_choice", "auto")
        if isinstance(choice, dict) and choice["type"] != "function":
            return error(400, f"Invalid value: '{choice['type']}'. Supported: 'function'.",
                         param="tool_choice.type", code="invalid_value")
        names = {tool["function"]["name"] for tool in request["tools"]}
        offered.append("store_artifact" in names)
        done = [message["tool_call_id"] for message in request["messages"]
                if message["role"] == "tool"]
        steps = [("glob", {"pattern": "*.none"}), ("grep", {"pattern": "x", "path": "."}),
                 ("read", {"path": "examples/report.yaml", "limit": 1}),
                 ("store_artifact", {"name": "report.md", "content": "# R\n"}),
                 ("complete_workflow", {})]
        return WIRES["openai-chat"][2](calls=[steps[len(done)]]) if len(done) < len(steps) else \
            WIRES["openai-chat"][2](text="done")

    offered = []
    root = Path(__file__).resolve().parents[2]
    with Server([strict] * 12) as server:
        done = subprocess.run([HAFT, "run", root / "examples" / "report.yaml", "Where?", "--model",
                               "openai:any", "--events"], text=True, capture_output=True, cwd=root,
                              env=dict(environment, OPENAI_BASE_URL=server.url("/v1")), timeout=300)
    log = [json.loads(line) for line in done.stdout.splitlines()]
    check("a_server_without_allowed_tools_runs_the_example",
          (done.returncode, done.stderr, log[-1].get("answer")), (0, "", "done"))
    check("artifact_tools_wait_for_the_gate", offered, [False] * 3 + [True] * 3)
    check("the_example_replays", replay(), (0, "identical"))


def test_own_host():
    """Only OpenAI's own host gets allowed_tools: a server that does not know them takes its place
    behind a proxy."""
    if not can_serve_hosts():
        skip("openai_itself", "there is no openssl")
        return

    def strict(request):
        choice = request.get("tool_choice", "auto")
        if isinstance(choice, dict) and choice["type"] == "allowed_tools":
            return error(400, "Invalid value: 'allowed_tools'.", param="tool_choice.type")
        offered.append([tool["function"]["name"] for tool in request["tools"]])
        done = [message for message in request["messages"] if message["role"] == "tool"]
        steps = [("look", {}), ("find", {}), ("store_artifact", {"name": "a", "content": "b"})]
        return WIRES["openai-chat"][2](calls=[steps[len(done)]]) if len(done) < len(steps) else \
            WIRES["openai-chat"][2](text="done")

    offered = []
    with Server([strict] * 9) as server, OwnHost(server.http, "api.openai.com") as host:
        path = spec("openai-chat", server, name="gpt-4o-mini", choice={"min_tools_for_auto": 2})
        whole = json.loads(path.read_text())
        whole["model"].update(provider="openai-chat", base_url="https://api.openai.com/v1")
        whole["tools"].append({"builtin": ["store_artifact"]})
        path.write_text(json.dumps(whole))
        status, log, err = run(path, **host.environment)
    first = server.requests[0]
    check("the_first_request_names_the_subset",
          (first["tool_choice"]["type"], len(first["tools"])), ("allowed_tools", 3))
    check("the_run_goes_on_without_a_subset", (status, err, log[-1].get("answer")), (0, "", "done"))
    check("the_refusal_of_a_subset_is_recorded", refused(log), [("allowed_tools", 400, False)])
    check("without_a_subset_the_artifact_tool_waits",
          ["store_artifact" in names for names in offered], [False, False, True, True])
    check("a_run_without_a_subset_replays", replay(), (0, "identical"))


def test_memory():
    """The second run of a process knows what the first one has learnt."""
    chat = WIRES["openai-chat"][2]
    with Server([error(400, "Unknown argument: stream_options"), chat(text="one"),
                 chat(text="two")]) as server:
        path = spec("openai-chat", server)
        done = subprocess.run([HAFT, "chat", path], input="one\ntwo\n", text=True,
                              capture_output=True, env=environment, timeout=300)
    check("a_process_remembers", (done.returncode, len(server.requests),
                                  ["stream_options" in request for request in server.requests]),
          (0, 3, [True, False, False]))
    done = subprocess.run([HAFT, "runs", "events", "last"], text=True,
                          capture_output=True, env=environment)
    log = [json.loads(line) for line in done.stdout.splitlines()]
    check("second_run_records_the_refusal", refused(log), [("stream_options", 400, True)])
    check("second_run_replays", replay(), (0, "identical"))


def test_explain():
    with Server([]) as server:
        path = spec("openai-chat", server)
    done = subprocess.run([HAFT, "explain", path, "--json"], text=True, capture_output=True,
                          env=environment)
    check("explain_lists_optional_members", json.loads(done.stdout)["optional_members"],
          ["tool_choice", "stream_options"])
    done = subprocess.run([HAFT, "explain", path], text=True, capture_output=True, env=environment)
    check("explain_prints_optional_members",
          "  tool_choice, stream_options: left out if the server refuses them\n"
          in done.stdout)


with tempfile.TemporaryDirectory() as scratch:
    environment = dict(os.environ, XDG_STATE_HOME=scratch, OPENAI_API_KEY="sk-test-0123456789")
    test_refusals()
    test_retries()
    test_end()
    test_subset()
    test_own_host()
    test_memory()
    test_explain()
