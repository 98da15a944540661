#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Agents of handoffs with models at other servers: each is asked by the rules of its own server,
also after the run comes back, after a fallback, and in another process."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402
from wire_server import WIRES, Server, error  # noqa: E402

HAFT = os.environ["HAFT"]
KEY = "sk-test-0123456789"
BUSY = error(529, "overloaded", {"retry-after-ms": "1"})
CHAT, ANTHROPIC = WIRES["openai-chat"][2], WIRES["anthropic"][2]
LOOK = {"name": "look", "description": "Looks at the thing.", "args": [],
        "command": ["sh", "-c", "echo seen"]}
TO_B, TO_A = [("transfer_to_b", {})], [("transfer_to_a", {})]


def haft(*words, **variables):
    env = {name: value for name, value in os.environ.items()
           if not name.endswith(("_API_KEY", "_BASE_URL"))}
    env.update(XDG_STATE_HOME=scratch, XDG_CONFIG_HOME=scratch, HOME=scratch, **variables)
    return subprocess.run([HAFT, *map(str, words)], text=True, capture_output=True, env=env,
                          cwd=scratch, stdin=subprocess.DEVNULL, timeout=300)


def events(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def anthropic(server, name="m"):
    return {"provider": "anthropic", "model": name, "api_key": KEY, "base_url": server.url("/v1")}


def chat(server, name="m"):
    return {"provider": "openai", "model": name, "api_key": KEY, "base_url": server.url("/v1")}


def put(**spec):
    path = Path(scratch) / "spec.json"
    path.write_text(json.dumps({"haft": 1, "name": "a", "instructions": "A.", **spec}))
    return path


def declared(request):
    return [tool["function"]["name"] for tool in request["tools"]]


def test_variables():
    """OPENAI_BASE_URL names another host than OpenAI's, so that the artifact tool is not declared
    while its gate is closed: also if the agent that has this model is not the first."""
    gated = [LOOK, {"builtin": ["store_artifact"]}]
    agent = {"instructions": "B.", "model": "openai:m", "tools": gated, "handoffs": ["a"],
             "choice": {"min_tools_for_auto": 1}}
    replies = [CHAT(calls=[("look", {})]), CHAT(text="done")]
    with Server(replies) as alone:
        path = put(**dict({key: agent[key] for key in ("tools", "choice")}, model="openai:m"))
        first = events(haft("run", path, "go", "--events", OPENAI_BASE_URL=alone.url("/v1"),
                            OPENAI_API_KEY=KEY))
    with Server([ANTHROPIC(calls=TO_B)]) as a, Server(replies) as b:
        path = put(model=anthropic(a), handoffs=["b"], agents={"b": agent})
        there = {"OPENAI_BASE_URL": b.url("/v1"), "OPENAI_API_KEY": KEY}
        log = events(haft("run", path, "go", "--events", **there))
    check("the_variables_of_the_second_agent_are_recorded", log[0].get("variables"),
          ["OPENAI_BASE_URL", "OPENAI_API_KEY"])
    check("it_ends", log[-1].get("answer"), "done")
    check("the_artifact_tool_is_not_declared_early",
          ["store_artifact" in declared(request) for request in b.requests],
          ["store_artifact" in declared(request) for request in alone.requests])

    def turns(found):
        return [(event["mode"], event["allowed"], [one for one in event["declared"]
                                                   if one != "transfer_to_a"])
                for event in found if event["kind"] == "turn_started"]
    check("its_turns_are_those_of_a_first_agent",
          [(mode, [one for one in allowed if one != "transfer_to_a"], tools)
           for mode, allowed, tools in turns(log)[1:]], turns(first))
    check("it_replays", haft("runs", "replay", "last").stdout.split(":")[0], "identical")


def test_other_shell():
    """A process without the variables of an agent does not continue the run."""
    pick = {"name": "pick", "description": "Picks one.", "args": [], "headless": True}
    with Server([ANTHROPIC(calls=[("pick", {})]), ANTHROPIC(calls=TO_B)]) as a, \
            Server([CHAT(text="done")]) as b:
        path = put(model=anthropic(a), handoffs=["b"], tools=[pick],
                   agents={"b": {"instructions": "B.", "model": "openai:m"}})
        there = {"OPENAI_BASE_URL": b.url("/v1"), "OPENAI_API_KEY": KEY}
        status = haft("run", path, "go", "--events", **there).returncode
        done = haft("answer", "last", '"x"', OPENAI_API_KEY=KEY)
        check("the_missing_variable_is_named",
              (status, done.returncode != 0, "OPENAI_BASE_URL" in done.stderr, len(b.requests)),
              (4, True, True, 0))
        done = haft("answer", "last", '"x"', "--json", **there)
    check("with_it_the_run_continues", json.loads(done.stdout).get("answer"), "done")


def test_missing_key():
    """The key of an agent is needed when the run begins, not when it is handed over."""
    with Server([ANTHROPIC(calls=TO_B)]) as a:
        path = put(model=anthropic(a), handoffs=["b"],
                   agents={"b": {"instructions": "B.", "model": "openai:m"}})
        done = haft("run", path, "go")
    check("a_run_whose_agent_has_no_key_does_not_begin",
          (done.returncode != 0, "OPENAI_API_KEY" in done.stderr, len(a.requests)),
          (True, True, 0))


def test_secrets():
    """The key of one agent is not stored while the other has the run, wherever it comes from."""
    keys = {"MINE": "zebra-crossing-9988", "YOURS": "giraffe-crossing-7766"}

    def printing(name):
        return {"name": f"show_{name}", "description": "Shows it.", "args": [],
                "command": ["cat", str(Path(scratch) / name)]}
    for name, key in keys.items():
        (Path(scratch) / name).write_text(key)
    with Server([ANTHROPIC(calls=[("show_YOURS", {})]), ANTHROPIC(calls=TO_B)]) as a, \
            Server([CHAT(calls=[("show_MINE", {})]), CHAT(text="done")]) as b:
        model = {"provider": "anthropic", "model": "m", "base_url": a.url("/v1")}
        other = {"provider": "openai", "model": "m", "base_url": b.url("/v1")}
        path = put(model=dict(model, api_key_env="MINE"), handoffs=["b"],
                   tools=[printing("YOURS")],
                   agents={"b": {"instructions": "B.", "tools": [printing("MINE")],
                                 "model": dict(other, api_key_env="YOURS")}})
        done = haft("run", path, "go", "--events", **keys)
    check("both_results_are_in_the_log",
          [event["ok"] for event in events(done) if event["kind"] == "call_finished"], [True] * 3)
    check("no_key_is_in_the_log", [key in done.stdout for key in keys.values()], [False, False])


def test_refusals():
    """A member that the server of one agent refuses is sent to the server of the other."""
    def refuse(request):
        return (error(400, "Unknown argument: stream_options") if "stream_options" in request else
                CHAT(calls=TO_B))
    with Server([refuse] * 2) as a, Server([CHAT(text="done")]) as b:
        path = put(model=chat(a), handoffs=["b"],
                   agents={"b": {"instructions": "B.", "model": chat(b)}})
        log = events(haft("run", path, "go", "--events"))
    check("the_first_server_refuses",
          [event["member"] for event in log if event["kind"] == "option_refused"],
          ["stream_options"])
    check("the_second_server_is_asked_with_it", ["stream_options" in one for one in b.requests],
          [True])


def test_back_after_fallback():
    """The run comes back to an agent whose first model failed: it begins with its first model
    again, and asks the second one only if the first fails again."""
    with Server([BUSY] * 3 + [CHAT(text="the first again")]) as one, \
            Server([ANTHROPIC(calls=TO_B)]) as two, Server([CHAT(calls=TO_A)]) as b:
        path = put(models=[chat(one, "one"), anthropic(two, "two")], handoffs=["b"],
                   agents={"b": {"instructions": "B.", "model": chat(b, "b"), "handoffs": ["a"]}})
        log = events(haft("run", path, "go", "--events"))
        check("it_begins_with_the_first_model",
              (log[-1].get("answer"), len(one.requests), len(two.requests), len(b.requests)),
              ("the first again", 4, 1, 1))
    check("the_events_say_so",
          [event["kind"] for event in log if event["kind"] in ("model_changed", "handed_off")],
          ["model_changed", "handed_off", "handed_off"])
    check("it_replays_after_both", haft("runs", "replay", "last").stdout.split(":")[0],
          "identical")
    with Server([BUSY] * 6) as one, \
            Server([ANTHROPIC(calls=TO_B), ANTHROPIC(text="the second again")]) as two, \
            Server([CHAT(calls=TO_A)]) as b:
        path = put(models=[chat(one, "one"), anthropic(two, "two")], handoffs=["b"],
                   agents={"b": {"instructions": "B.", "model": chat(b, "b"), "handoffs": ["a"]}})
        log = events(haft("run", path, "go", "--events"))
    check("the_second_model_is_asked_again",
          (log[-1].get("answer"), [(event["from"], event["to"]) for event in log
                                   if event["kind"] == "model_changed"]),
          ("the second again", [("openai:one", "anthropic:two")] * 2))
    with Server([CHAT(calls=TO_B), CHAT(text="done")]) as a, Server([BUSY] * 3) as one, \
            Server([ANTHROPIC(calls=TO_A)]) as two:
        path = put(model=chat(a, "a"), handoffs=["b"], agents={
            "b": {"instructions": "B.", "models": [chat(one, "one"), anthropic(two, "two")],
                  "handoffs": ["a"]}})
        log = events(haft("run", path, "go", "--events"))
    check("the_first_agent_gets_its_own_model_back",
          (log[-1].get("answer"), [request["model"] for request in a.requests]),
          ("done", ["a", "a"]))


with tempfile.TemporaryDirectory() as scratch:
    test_variables()
    test_other_shell()
    test_missing_key()
    test_secrets()
    test_refusals()
    test_back_after_fallback()
