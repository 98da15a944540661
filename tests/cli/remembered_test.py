#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A member of a request that a server has refused is remembered for its endpoint: `haft explain`
says how the choice is enforced then, and later processes do not send it again."""
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402
from wire_server import WIRES, Server, error  # noqa: E402

HAFT = os.environ["HAFT"]
CHAT, DAY_MS = WIRES["openai-chat"][2], 24 * 60 * 60 * 1000


def haft(*words):
    return subprocess.run([HAFT, *map(str, words)], text=True, capture_output=True, cwd=scratch,
                          env={**os.environ, "XDG_STATE_HOME": scratch}, timeout=300,
                          stdin=subprocess.DEVNULL)


def put(url, provider="openai", **more):
    path = Path(scratch) / "spec.json"
    path.write_text(json.dumps({
        "haft": 1, "name": "r", "instructions": "Look.",
        "model": {"provider": provider, "model": "m", "api_key": "sk-0123456789", "base_url": url},
        "choice": {"default": "any"}, "limits": {"turns": 2},
        "tools": [{"name": "look", "description": "Looks.", "args": [],
                   "command": ["echo", "seen"]}], **more}))
    return path


def elsewhere(server):
    """The address of the server, but none that counts as this machine."""
    return server.url("/v1").replace("127.0.0.1", "0.0.0.0")


def run(path):
    log = [json.loads(line) for line in haft("run", path, "go", "--events").stdout.splitlines()]
    return [(event["member"], event["status"], event["remembered"]) for event in log
            if event["kind"] == "option_refused"]


def explain(path):
    return json.loads(haft("explain", path, "--json").stdout)


def refuse(request):
    if request.get("tool_choice") == "required":
        return error(400, "tool_choice: only auto is supported", param="tool_choice")
    return reply(request)


def reply(request):
    """A call, and an answer after its result."""
    done = any(message["role"] == "tool" for message in request["messages"])
    return CHAT(text="done") if done else CHAT(calls=[("look", {})])


def files():
    return sorted((Path(scratch) / "haft/models").glob("*.json"))


def test_tool_choice():
    with Server([refuse] * 12) as server:
        path = put(elsewhere(server))
        before = explain(path)
        check("before_it_is_the_provider_s_choice",
              (before["forced"]["means"], before.get("refused_members"),
               before["request"]["tool_choice"]), ("choice", None, "required"))
        check("the_first_process_asks", run(path), [("tool_choice", 400, False)])
        after = explain(path)
        check("explain_says_how_it_is_enforced_now",
              (after["forced"]["means"], after["forced"]["choice"], after["refused_members"],
               "tool_choice" in after["request"]),
              ("local", "in words: the server refused tool_choice",
               [{"member": "tool_choice", "status": 400}], False))
        check("the_demand_is_in_the_request",
              after["request"]["messages"] != before["request"]["messages"])
        text = haft("explain", path).stdout
        check("explain_prints_it", ("  in words: the server refused tool_choice\n" in text,
                                    "  tool_choice (HTTP 400): left out\n" in text), (True, True))
        asked = len(server.requests)
        check("the_next_process_knows", (run(path), len(server.requests) - asked),
              ([("tool_choice", 400, True)], 2))
        check("its_run_replays", haft("runs", "replay", "last").stdout.split(":")[0], "identical")
        check("another_model_is_not_known", explain(put(elsewhere(server), model={
            "provider": "openai", "model": "n", "api_key": "sk-0123456789",
            "base_url": elsewhere(server)}))["forced"]["means"], "choice")
        check("the_file_has_no_address", "127" in files()[0].read_text(), False)


def changed(record, **members):
    return json.dumps(dict(record, refused=[dict(one, **members) for one in record["refused"]]))


def test_forgetting():
    """A file that is old, damaged or writable by others is ignored."""
    with Server([refuse] * 12) as server:
        path = put(elsewhere(server))
        known = set(files())
        run(path)
        file = (set(files()) - known).pop()
        record = json.loads(file.read_text())
        now = time.time_ns() // 1000000
        for name, text, means in [
                ("fresh", changed(record, at_ms=now - DAY_MS + 600000), "local"),
                ("old", changed(record, at_ms=now - DAY_MS - 1), "choice"),
                ("future", changed(record, at_ms=now + 600000), "choice"),
                ("version", json.dumps(dict(record, version=3)), "choice"),
                ("status", changed(record, status=200), "choice"),
                ("list", json.dumps(dict(record, refused=["tool_choice"])), "choice"),
                ("unknown", changed(record, member="more"), "choice"),
                ("cut", json.dumps(record)[:-5], "choice"), ("empty", "", "choice"),
                ("long", json.dumps(dict(record, more="x" * 9000)), "choice")]:
            file.write_text(text)
            check(f"a_file_that_is_{name}", explain(path)["forced"]["means"], means)
        file.write_text(json.dumps(record))
        file.chmod(0o622)
        check("a_file_that_others_can_write", explain(path)["forced"]["means"], "choice")
        file.unlink()
        check("without_the_file_the_server_is_asked_again", run(path),
              [("tool_choice", 400, False)])


def test_this_machine():
    """A server on this machine is asked again by each process, but explain says what happened."""
    with Server([refuse] * 12) as server:
        path = put(server.url("/v1"))
        check("each_process_asks", [run(path), run(path)], [[("tool_choice", 400, False)]] * 2)
        check("explain_knows", explain(path)["forced"]["means"], "local")


def test_constraints():
    """A constraint that the server refuses."""
    def no_grammar(request):
        return (error(400, "failed to parse grammar") if "grammar" in request else
                CHAT(text='{"tool": "look", "args": {}}'))
    with Server([no_grammar] * 9) as server:
        path = put(server.url("/v1"), provider="llamacpp", formats=["purejson"])
        before = explain(path)["forced"]
        run(path)
        after = explain(path)["forced"]
    check("before_it_is_a_grammar", (before["means"], before["constraint"]), ("grammar", "gbnf"))
    check("then_haft_checks_the_reply", (after["means"], after["reason"]),
          ("local", "the server refused it in an earlier run"))


def test_another_schema():
    """A schema that is refused says nothing about the schema of another spec."""
    def refuse_one(request):
        schema = json.dumps(request.get("response_format"))
        return (error(400, "invalid schema for response_format") if "refused" in schema else
                CHAT(text='{"tool": "look", "args": {"accepted": "1"}}'))
    with Server([refuse_one] * 20) as server:
        def spec(argument):
            return put(elsewhere(server), provider="vllm", formats=["purejson"], tools=[
                {"name": "look", "description": "Looks.", "command": ["echo", "seen"],
                 "args": [argument]}])
        refused, again = run(spec("refused")), run(spec("refused"))
        before = len(server.requests)
        other = run(spec("accepted"))
        sent = "response_format" in server.requests[before]
    check("the_schema_is_refused", refused, [("response_format", 400, False)])
    check("the_next_process_knows_the_schema", again, [("response_format", 400, True)])
    check("another_schema_is_sent", (other, sent), ([], True))


with tempfile.TemporaryDirectory() as scratch:
    test_tool_choice()
    test_forgetting()
    test_this_machine()
    test_constraints()
    test_another_schema()
