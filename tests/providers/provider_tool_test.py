#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tools that run at the provider: declared in its form, recorded, sent back, never run here; and
refused where the provider has no such tool."""
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, verdict  # noqa: E402

from cases import CASES, run_haft, start  # noqa: E402

ADD = {"name": "add", "description": "Add one number to itself.", "command": ["echo", "sum"],
       "input_schema": {"type": "object", "properties": {"a": {"type": "integer"}},
                        "required": ["a"]}, "traits": {"read_only": True}}
WEB = {"name": "web", "provider": {"type": "web_search"}}
ASKED = {"query": "größer"}
TURNS = [{"hosted": [["web_search", ASKED]], "text": "Found it.", "calls": [["add", {"a": 1}]]},
         {"text": "Done."}]
# Case: the declared tool, and the call as the event has it.
FORMS = {
    "openai_responses": ({"type": "web_search"}, "web_search", {"type": "search", **ASKED}),
    "anthropic": ({"type": "web_search_20260318", "name": "web_search"}, "web_search", ASKED),
    "gemini": ({"googleSearch": {}}, "GOOGLE_WEB_SEARCH", ASKED),
}


def play(case, turns, directory, streams=True, **more):
    directory.mkdir()
    with start(case, turns) as server:
        spec = {"haft": 1, "choice": {"min_tools_for_auto": 0}, "tools": [WEB, ADD],
                "model": case.spec(server.url, streams), **more}
        (directory / "spec.json").write_text(json.dumps(spec))
        environment = case.environment(server)
        status, events, errors = run_haft(["run", "spec.json", "Go.", "--events"], environment,
                                          directory)
        return status, events, errors, server.problems(), server.requests


def test_forms(case, streams, directory):
    declared, kind, asked = FORMS[case.name]
    name = f"{case.name}_{'streamed' if streams else 'whole'}"
    status, events, errors, problems, requests = play(case, TURNS, directory, streams)
    verdict(f"{name}_runs", status == 0 and not problems, [status, errors, *problems])
    tools = [{key: value for key, value in tool.items() if key != "cache_control"}
             for tool in requests[0]["tools"]]
    check(f"{name}_declares_it_first", tools[0], declared)
    replies = [event for event in events if event["kind"] == "model_replied"]
    calls = [{key: call[key] for key in ("type", "arguments")}
             for call in replies[0].get("provider_calls", ())]
    check(f"{name}_records_the_call", calls, [{"type": kind, "arguments": asked}])
    check(f"{name}_other_replies_have_none", "provider_calls" in replies[-1], False)
    check(f"{name}_runs_only_its_own",
          [event["tool"] for event in events if event["kind"] == "call_started"], ["add"])


def test_gate(case, directory):
    """Only calls of haft's own tools open the gate: haft has not seen what the provider did."""
    turns = [{"hosted": [["web_search", ASKED]], "calls": [["add", {"a": 1}]]}, {"text": "Done."}]
    status, events, errors, problems, _ = play(case, turns, directory,
                                               choice={"min_tools_for_auto": 2})
    verdict(f"{case.name}_opens_the_gate", status == 0 and not problems,
            [status, errors, *problems])
    first = next(event for event in events if event["kind"] == "turn_started")
    check(f"{case.name}_gate_does_not_wait_for_it", first["gate"],
          {"called": [], "threshold": 1, "open": False})
    check(f"{case.name}_gate_does_not_count_it",
          [event["called"] for event in events if event["kind"] == "gate_opened"], [["add"]])


def test_pause(case, directory):
    """The provider interrupts its own tools: the reply is sent back, and the model goes on
    (continuation_test.py has more)."""
    turns = [{"hosted": [["web_search", ASKED]], "pause": True}, *TURNS]
    status, events, errors, problems, requests = play(case, turns, directory)
    verdict("a_paused_reply_goes_on", status == 0 and not problems, [status, errors, *problems])
    check("it_goes_on_as_it_was", requests[1]["messages"][-1]["role"], "assistant")
    check("the_stop_is_recorded", [event["stop"] for event in events
                                   if event["kind"] == "model_replied"][0], "pause")
    check("it_has_an_answer", events[-1].get("answer"), "Done.")


def test_refusals(directory):
    directory.mkdir()
    rows = [
        ("a_provider_without_tools", "ollama:m", WEB, {}, "runs no tool of the type", "runs no"),
        ("offline", "offline", WEB, {}, "runs no tool of the type", "runs no"),
        ("an_unknown_type", "gemini:m", {**WEB, "provider": {"type": "teleport"}}, {},
         'the type "teleport"', "it has: web_search, web_fetch, code_execution"),
        ("a_date_that_is_none", "anthropic:m", {**WEB, "provider": {"type": "web_search_2026"}},
         {}, "runs no tool of the type", "it has: web_search"),
        ("no_type", "gemini:m", {**WEB, "provider": {}}, {}, "type", ""),
        ("a_text_format", "anthropic:m", WEB, {"formats": {"enabled": ["hermes"],
                                                            "primary": "hermes"}},
         "needs native calls", "native"),
        ("a_choice_of_it", "anthropic:m", WEB, {"choice": {"default": "web"}},
         "which runs at the provider", "name only"),
    ]
    keys = {"GEMINI_API_KEY": "k" * 20, "ANTHROPIC_API_KEY": "k" * 20}
    for name, model, tool, more, words, hint in rows:
        spec = {"haft": 1, "model": model, "tools": [tool, ADD], **more}
        (directory / "spec.json").write_text(json.dumps(spec))
        for command in (["check", "spec.json"], ["run", "spec.json", "Go."]):
            status, _, errors = run_haft([*command, "--no-config"], keys, directory)
            if command[0] == "check":
                errors = errors or ""
            done = status == 2
            verdict(f"{name}_is_refused_by_{command[0]}", done, [status, errors])
            if command[0] == "run":
                verdict(f"{name}_has_a_reason", words in errors and hint in errors, [errors])
    (directory / "spec.json").write_text(json.dumps(
        {"haft": 1, "model": "anthropic:m", "tools": [
            {**WEB, "provider": {"type": "web_search_20250305", "max_uses": 3}}, ADD]}))
    check("a_dated_type_is_good", run_haft(["check", "spec.json"], keys, directory)[0], 0)


with tempfile.TemporaryDirectory() as made:
    scratch = Path(made)
    for one in CASES:
        for piecewise in (True, False) if one.name in FORMS else ():
            test_forms(one, piecewise, scratch / f"{one.name}{piecewise}")
        if one.name in FORMS:
            test_gate(one, scratch / f"{one.name}_gate")
    test_pause(next(one for one in CASES if one.name == "anthropic"), scratch / "pause")
    test_refusals(scratch / "refusals")
