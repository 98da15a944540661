#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A conversation that changes its provider, for all pairs: a run begins on one provider, continues
on another one in the middle and returns to the first, and a later run of its thread uses the second
again. The strict mocks reject nothing: every call has its result, and signed or encrypted thinking
goes only to the model that made it, at the server that made it."""
import itertools
import json
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import verdict  # noqa: E402

from cases import CASES, run_haft, start  # noqa: E402
from opaque import opaque  # noqa: E402

SPEC = {
    "haft": 1,
    "kind": "agent",
    "instructions": "Use the tools.",
    "tools": [
        {"name": "docs:look.up", "description": "Look up the value of a key.",
         "input_schema": {"type": "object", "properties": {"key": {"type": "string"}},
                          "required": ["key"]},
         "command": ["echo", "value of {key}"], "traits": {"read_only": True}},
        {"builtin": ["request_user_input"]},
    ],
    "limits": {"turns": 12, "wall": "5m"},
}
LOOK = "docs_-_look_-h2eup"
# Cases that send the same messages as another one.
SIMILAR = {"openai_compatible", "anthropic_thinking", "anthropic_bound", "gemini_without_ids"}
ASK = ["request_user_input", {"question": "Which one?"}]
FIRST = [{"thinking": "First of all.", "text": "I look.", "calls": [[LOOK, {"key": "a"}],
                                                             [LOOK, {"key": "b"}]]},
         {"thinking": "Better to ask.", "calls": [ASK]},
         {"thinking": "Back again.", "calls": [[LOOK, {"key": "e"}], ["erase", {}]]},
         {"thinking": "It is done.", "text": "It is e."}]
SECOND = [{"thinking": "Second to none.", "calls": [[LOOK, {"key": "c"}], [LOOK, {"key": "d"}]]},
          {"thinking": "Ask too.", "calls": [ASK]},
          {"text": "It is still e."}]


def play(one, other, directory):
    directory.mkdir()
    problems = []
    with start(one, FIRST) as first, start(other, SECOND) as second:
        environment = one.environment(first), other.environment(second)
        models = one.spec(first.url), other.spec(second.url)
        (directory / "spec.json").write_text(json.dumps({**SPEC, "model": models[0]}))

        def step(at, wanted, *words):
            status, events, errors = run_haft([*words, "--events"], environment[at], directory)
            if status != wanted:
                failed = [event for event in events if event["kind"] in (
                    "model_failed", "run_finished")]
                problems.append(f"{words[0]}: exit {status}, not {wanted}: {errors} {failed}")
            return events

        events = step(0, 4, "run", "spec.json", "Which?")
        if not problems:
            thread, run = events[0]["thread"], events[0]["run"]
            events = step(1, 4, "answer", run, "c", "--set", "model=" + json.dumps(models[1]))
            unsent = [event.get("unsent_reasoning") for event in events
                      if event["kind"] == "model_replied"]
            wanted = [2 if one.signs else None] * 2  # both replies of the first model, each time
            problems += [] if unsent == wanted else [f"unsent_reasoning {unsent}, not {wanted}"]
        if not problems:
            events = step(0, 0, "answer", run, "e", "--set", "model=" + json.dumps(models[0]))
            problems += [] if events[-1].get("answer") == "It is e." else [f"end: {events[-1:]}"]
        if not problems:
            step(1, 0, "run", "spec.json", "And now?", "--thread", thread, "--set",
                 "model=" + json.dumps(models[1]))
        problems += [f"{one.name} rejected: {text}" for text in first.problems()]
        problems += [f"{other.name} rejected: {text}" for text in second.problems()]
        shared = opaque(first) & opaque(second)
        problems += [f"both got {sorted(shared)}"] if shared else []
        problems += [f"{other.name} got the signed thinking of {one.name}"] if one.signs and any(
            turn["thinking"] in json.dumps(second.requests) for turn in FIRST) else []
        problems += [f"{one.name} got the signed thinking of {other.name}"] if other.signs and any(
            turn["thinking"] in json.dumps(first.requests) for turn in SECOND[:2]) else []
    return problems


def main(scratch):
    cases = [case for case in CASES if case.name not in SIMILAR]
    pairs = list(itertools.combinations(cases, 2))
    pairs += [(case, case) for case in CASES if case.signs]  # the same model at another base URL
    with ThreadPoolExecutor(4) as pool:
        results = pool.map(lambda pair: play(*pair, Path(scratch) / "-".join(
            case.name for case in pair)), pairs)
        for (one, other), problems in zip(pairs, results):
            verdict(f"{one.name}_and_{other.name}", not problems, problems)


with tempfile.TemporaryDirectory() as made:
    main(made)
