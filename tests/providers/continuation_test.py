#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Replies in several parts: a reply that the provider interrupts goes on in the same turn, with the
same choice; one that it continues in another response is one reply; one that its token limit cut is
sent back with its thinking."""
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, verdict  # noqa: E402

from cases import CASES, run_haft, start  # noqa: E402

WEB = {"name": "web", "provider": {"type": "web_search"}}
LOOK = {"name": "look", "description": "Look up a key.", "command": ["echo", "seen"],
        "input_schema": {"type": "object", "properties": {"key": {"type": "string"}},
                         "required": ["key"]}, "traits": {"read_only": True}}
ASKED = [["web_search", {"query": "größer"}]]
NAMED = {case.name: case for case in CASES}


def play(case, turns, directory, streams=True, **more):
    directory.mkdir()
    with start(case, turns) as server:
        spec = {"haft": 1, "choice": {"min_tools_for_auto": 0}, "tools": [LOOK],
                "model": case.spec(server.url, streams), **more}
        (directory / "spec.json").write_text(json.dumps(spec))
        status, events, errors = run_haft(["run", "spec.json", "Go.", "--events"],
                                          case.environment(server), directory)
        return status, events, [errors, *server.problems()], server.requests


def of_kind(events, kind):
    return [event for event in events if event["kind"] == kind]


def test_pause(directory):
    """The turn goes on: the schedule does not, and the turns of the limit are not used up."""
    turns = [{"hosted": ASKED, "pause": True}, {"hosted": ASKED, "text": "So far.", "pause": True},
             {"text": "Now.", "calls": [["look", {"key": "a"}]]},
             {"calls": [["look", {"key": "b"}]]}, {"text": "Done."}]
    status, events, problems, requests = play(
        NAMED["anthropic"], turns, directory, tools=[WEB, LOOK],
        choice={"min_tools_for_auto": 0, "schedule": ["auto", {"tool": "look"}],
                "schedule_overrides_gate": True},
        limits={"turns": 4})
    verdict("nothing_was_rejected", problems[1:] == [], problems)
    check("pauses_use_no_turn",
          (status, [event["turn"] for event in of_kind(events, "turn_started")],
           [event["stop"] for event in of_kind(events, "model_replied")]),
          (0, [1, 2, 3], ["pause", "pause", "tool_calls", "tool_calls", "stop"]))
    check("the_choice_stays_during_a_turn",
          [request["tool_choice"]["type"] for request in requests],
          ["auto", "auto", "auto", "tool", "auto"])
    check("the_reply_is_one_message", [message["role"] for message in requests[2]["messages"]],
          ["user", "assistant"])
    check("the_answer_comes_last", events[-1].get("answer"), "Done.")


def test_endless_pauses(directory):
    """A provider that interrupts its reply again and again uses up the turns at last."""
    turns = [{"hosted": ASKED, "pause": True}] * 34
    status, events, problems, requests = play(
        NAMED["anthropic"], turns, directory, tools=[WEB, LOOK], limits={"turns": 2})
    check("endless_pauses_end", (len(requests), [event["turn"] for event in of_kind(
        events, "turn_started")], of_kind(events, "run_finished")[0]["end"] != "done"),
          (34, [1, 2], True))
    verdict("they_end_the_run", status != 0, [status, problems])


def test_continuation(streams, directory):
    """Gemini continues a reply in another response: it is one reply, with the tokens of all."""
    name = "streamed" if streams else "whole"
    turns = [{"thinking": "First.", "text": "One, ", "continues": True},
             {"text": "two, ", "continues": True},
             {"text": "three.", "calls": [["look", {"key": "a"}]]}, {"text": "Done."}]
    status, events, problems, requests = play(NAMED["gemini"], turns, directory, streams)
    replies = of_kind(events, "model_replied")
    check(f"{name}_parts_are_one_reply",
          (status, replies[0]["content"], [call["name"] for call in replies[0]["calls"]]),
          (0, "One, two, three.", ["look"]))
    check(f"{name}_tokens_add_up", replies[0]["usage"] | {"reasoning_tokens": 0},
          {"input_tokens": 120, "output_tokens": 27, "cached_tokens": 96, "reasoning_tokens": 0})
    check(f"{name}_requests", ["continuationToken" in request for request in requests],
          [False, True, True, False])
    check(f"{name}_the_next_request_has_all_parts", "".join(
        part.get("text", "") for part in requests[3]["contents"][1]["parts"]
        if not part.get("thought")), "One, two, three.")
    verdict(f"{name}_nothing_was_rejected", problems[1:] == [], problems)


def test_cut(case, directory):
    """A call that was cut goes back wrapped, and the thinking before it as it was."""
    turns = [{"thinking": "Long.", "calls": [["look", {}]], "raw": {0: '{"key": "a'}, "cut": True},
             {"thinking": "Again.", "calls": [["look", {"key": "a"}]]}, {"text": "Done."}]
    status, events, problems, requests = play(case, turns, directory)
    check(f"{case.name}_run", (status, [event["why"] for event in of_kind(
        events, "call_refused")], events[-1].get("answer")), (0, ["invalid"], "Done."))
    block = requests[1]["messages"][1]["content"]
    check(f"{case.name}_blocks", ([part["type"] for part in block], block[-1]["input"]),
          (["thinking", "tool_use"], {"not_an_object": '{"key": "a'}))
    verdict(f"{case.name}_nothing_was_rejected", problems[1:] == [], problems)


with tempfile.TemporaryDirectory() as made:
    scratch = Path(made)
    test_pause(scratch / "pause")
    test_endless_pauses(scratch / "endless")
    for piecewise in (True, False):
        test_continuation(piecewise, scratch / f"continuation{piecewise}")
    for one in CASES:
        if one.name in ("anthropic", "anthropic_thinking", "anthropic_unforced", "anthropic_bound"):
            test_cut(one, scratch / one.name)
