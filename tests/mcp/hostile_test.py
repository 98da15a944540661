#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Servers that are dead, slow or hostile (bad_server.py): each call ends with a clear error, and
the run continues to its end with the tools of the good server."""
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import script  # noqa: E402

HAFT = os.environ["HAFT"]
SERVER = Path(__file__).resolve().parent / "bad_server.py"
LONG = "HAFT_LONG" in os.environ  # also the slow tests, with deadlines of 20 s
BEGUN = time.monotonic()
GOOD = "you said good"


def check(name, found, wanted):
    if "HAFT_TIMES" in os.environ:
        print("#", round(time.monotonic() - BEGUN, 1), "s")
    script.check(name, found, wanted)


class Place:
    """A directory with a spec of a bad server and a good one, and a script that calls both."""

    def __init__(self, fault, extra=(), timeout=None, tool="say", calls=1, trust=False):
        self.path = Path(tempfile.mkdtemp(dir=scratch))
        self.task = f"call {tool} of bad and say of good"
        bad = {"command": [sys.executable, str(SERVER), fault, *extra]}
        if timeout:
            bad["timeout"] = timeout
        if trust:
            bad["trust"] = True
        self.spec = {"haft": 1, "name": "a", "model": "script:script.json", "max_mcp_tools": 64,
                     "mcp": {"servers": {"good": {
                         "command": [sys.executable, str(SERVER), "good"]}, "bad": bad}}}
        replies = [{"calls": [{"name": f"bad:{tool}", "arguments": {"word": "bad"}}]}] * calls
        replies += [{"calls": [{"name": "good:say", "arguments": {"word": "good"}}]},
                    {"text": "the end"}]
        (self.path / "script.json").write_text(json.dumps({"replies": replies}))
        (self.path / "spec.json").write_text(json.dumps(self.spec))

    def haft(self, *words):
        environment = dict(os.environ, XDG_STATE_HOME=str(self.path / "state"),
                           SECRET="a canary in the coal mine")
        done = subprocess.run([HAFT, *words], cwd=self.path, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=300, env=environment)
        return done.returncode, done.stdout, done.stderr

    def run(self):
        """Runs the agent and keeps its events."""
        status, out, err = self.haft("run", "spec.json", self.task, "--store", "memory:",
                                     "--events")
        self.status, self.err = status, err
        self.log = [json.loads(line) for line in out.splitlines()]
        return self

    def results(self):
        """For each call: its tool and what the model reads."""
        names = {e["call"]: e["tool"] for e in self.log if e["kind"] == "call_started"}
        found = []
        for event in self.log:
            if event["kind"] in ("call_finished", "call_failed", "call_refused"):
                error = event.get("error") or {}
                text = event.get("text") or event.get("result") or json.dumps(error)
                found.append((names.get(event["call"], event.get("tool")), text))
        return found

    def servers(self):
        for event in self.log:
            if event["kind"] == "tools_revealed":
                return {s["name"]: s for s in event["servers"]}
        return {}

    def ended_well(self):
        good = [text for tool, text in self.results() if tool == "good:say"]
        return (self.status, self.log[-1]["kind"], self.log[-1].get("end"), good)


FINE = (0, "run_finished", "done", [GOOD])


def show(place):
    for event in place.log:
        print("#", json.dumps(dict(event, at=0, run=0))[:400])
    print("#", place.err[:500])


def test_fault(name, fault, wanted, **more):
    """The run ends well, and the result of the bad server's call contains the texts."""
    place = Place(fault, **more).run()
    texts = [text for tool, text in place.results() if tool.startswith("bad:")]
    last = texts[-1] if texts else "(no call)"
    well = place.ended_well() == FINE
    if not well or not all(part in last for part in wanted):
        show(place)
    check(name, (place.ended_well(), [part for part in wanted if part not in last] and last),
          (FINE, []))
    return place


def test_calls():
    test_fault("a_good_server_answers", "good", ["you said bad"])
    test_fault("a_server_that_exits_during_a_call", "die",
        ["the MCP server 'bad' ended with exit status 7"])
    test_fault("a_server_that_is_killed_after_much_output", "die_loudly",
        ["was ended by signal 9 (SIGKILL)", "out of \\\\u001b[31mcheese"])
    test_fault("a_server_that_exits_within_a_message", "half", ["the MCP server 'bad'"])
    test_fault("a_server_that_closes_its_output_and_does_not_exit", "mute",
        ["the MCP server 'bad' closed its output, so it was stopped"])
    test_fault("a_result_of_100_mb", "huge", ["sent a message of more than 33554432 bytes"])
    test_fault("a_response_that_is_sent_twice", "doubles", ["you said bad"])
    test_fault("responses_without_a_request", "others", ["you said bad"])
    test_fault("a_response_without_a_result", "bare", ["sent an answer that is not valid"])
    test_fault("a_response_whose_id_is_a_string", "text_id", ["its id is a string"])
    test_fault("an_error_without_an_id_and_no_response_to_set_level", "level", ["no cheese"],
        timeout="20s")
    test_fault("thousands_of_change_notifications", "storm", ["you said bad"])
    test_fault("a_tool_that_changes_between_two_calls",
               "change", ["tool_changed", "was not called"],
        calls=2)
    test_fault("a_changed_list_that_fails",
               "change_error", ["not now", "nothing was called"], calls=2)
    place = test_fault("a_changed_list_that_is_nested_too_deeply",
                       "change_deep", ["you said bad"], calls=3)
    texts = [text for tool, text in place.results() if tool == "bad:say"]
    check("the_error_of_the_call_names_the_limit", [part for part in (
        "did not list its tools", "nothing was called", "at most 128") if part not in texts[1]], [])
    test_fault("a_changed_list_that_never_arrives", "change_hang",
        ["would have to wait longer than its timeout of 1000 ms"], calls=2, timeout="1s")
    test_fault("a_list_that_always_changes",
               "restless", ["again and again", "nothing was called"], calls=2)
    test_fault("garbage_between_messages", "garbage", ["you said bad"])
    test_fault("a_greeting_on_standard_output", "chatty", ["you said bad"])
    test_fault("an_error_of_json_rpc", "error", ["the MCP server 'bad'", "no <U+001B>[31mcheese"])
    test_fault("an_error_of_the_tool", "refuses", ["out of cheese"])
    test_fault("a_result_that_is_invalid", "wrong", ["the MCP server 'bad'"])
    test_fault("a_call_that_hangs",
               "hang_call", ["longer than its timeout of 1000 ms"], timeout="1s",
        trust=True)
    test_fault("questions_without_a_person_to_answer",
               "asks", ["you said bad", "cancel", "-32601"], timeout="5s")
    test_fault("progress_and_the_idempotency_key",
               "progress", ["you said bad", "internal.haft/idempotencyKey",
                                            "internal.haft/epoch"])
    place = test_fault("a_server_gets_a_small_environment", "env", ["PATH"])
    check("no_secret_reaches_a_server",
          "canary" in json.dumps(place.log), False)


def test_lists():
    place = test_fault("fifty_thousand_tools", "many", ["you said bad"], tool="say0")
    first = next(e for e in place.log if e["kind"] == "turn_started")
    check("the_number_of_shown_tools_is_bounded",
          len([name for name in first["declared"] if ":" in name]) <= 64, True)
    test_fault("schemas_with_huge_expansions", "bomb", ["you said bad"])
    test_fault("duplicate_and_invalid_names", "twice", ["you said bad"])
    place = test_fault("a_poisoned_description", "poison", ["you said bad"])
    text = json.dumps(place.log, ensure_ascii=False)
    check("hidden_characters_are_escaped",
          ("<U+202E>" in text, "<U+200B>" in text, "\u202e" in text,
                                      "\\u001b[2J" in text), (True, True, False, False))


def test_starts():
    place = test_fault("a_server_that_exits_at_its_start",
                       "exit_start", ["the server bad, whose tool this is"])
    check("the_error_of_a_server_that_exits_is_reported", "ended with exit status 3: no licence"
          in place.servers()["bad"]["error"], True)
    place = test_fault("a_list_that_is_nested_too_deeply", "deep_list",
                ["the server bad, whose tool this is"])
    error = place.servers()["bad"]["error"]  # at once: a deadline would say "within 20000 ms"
    check("the_error_of_the_list_names_the_limit", ([error.count(part) for part in (
        "did not list its tools", "at most 128", "within")]), [1, 1, 0])
    place = Place("good")
    place.spec["mcp"]["servers"]["bad"]["command"] = ["no-such-program-here"]
    (place.path / "spec.json").write_text(json.dumps(place.spec))
    place.run()
    check("a_server_program_that_does_not_exist",
          (place.ended_well(), "'no-such-program-here' does not exist"
                                    in place.servers()["bad"]["error"]), (FINE, True))
    if LONG:
        for fault, words in (("hang_start", "was not ready within 20000 ms: waiting for \\u001b"),
                             ("hang_list", "did not list its tools within 20000 ms"),
                             ("deaf", "closed its input")):
            place = test_fault(f"a_server_with_the_fault_{fault}",
                               fault, ["the server bad, whose tool this is"])
            check(f"the_error_of_{fault}_is_reported",
                  words in place.servers()["bad"]["error"], True)
            if words not in place.servers()["bad"]["error"]:
                print("#", place.servers()["bad"])


def test_imports():
    """The servers come from configuration files of other programs."""
    good = {"command": sys.executable, "args": [str(SERVER), "env"],
            "env": {"WORD": "${NOT_SET:-otherwise}"}}
    files = {"claude": {"mcpServers": {"bad": good}},
             "cursor": {"mcpServers": {"bad": dict(good, env={"WORD": "${env:SECRET}"})}},
             "vscode": {"inputs": [], "servers": {"bad": dict(good, type="stdio")}}}
    for name, file in files.items():
        place = Place("good")
        place.spec["mcp"] = {"import": "sub/servers.json", "servers": {
            "good": place.spec["mcp"]["servers"]["good"]}}
        (place.path / "sub").mkdir()
        (place.path / "sub/servers.json").write_text("// a comment\n" + json.dumps(file))
        (place.path / "spec.json").write_text(json.dumps(place.spec))
        texts = [text for tool, text in place.run().results() if tool == "bad:say"]
        good_word = texts and ("WORD" in texts[0] and "otherwise" in texts[0]
                               or name == "cursor")
        if place.ended_well() != FINE or not good_word:
            show(place)
        check(f"servers_of_a_file_of_{name}_run",
              (place.ended_well(), bool(good_word)), (FINE, True))
        check(f"no_secret_of_{name}_is_in_events", "canary" in json.dumps(place.log), False)


scratch = tempfile.mkdtemp(prefix="haft-mcp-")
try:
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for done in [pool.submit(test) for test in (test_calls, test_lists, test_starts,
                                                    test_imports)]:
            done.result()
finally:
    shutil.rmtree(scratch, ignore_errors=True)
