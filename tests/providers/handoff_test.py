#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Handoffs between models of two providers: the other agent reads the whole conversation, except
the signed or encrypted thinking of another model, and the events count what was left out. The first
model gets its own thinking back, unchanged. The strict mocks reject nothing."""
import itertools
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import verdict  # noqa: E402

from cases import CASES, run_haft, start  # noqa: E402
from opaque import opaque  # noqa: E402

NAMES = ("openai_responses", "anthropic", "gemini", "ollama")
LOOK = {"name": "look", "description": "Look up the value of a key.", "args": ["key"],
        "command": ["echo", "value of {key}"], "traits": {"read_only": True}}
DESK = [{"thinking": "First of all.", "text": "I look.", "calls": [["look", {"key": "a"}]]},
        {"thinking": "Billing knows.", "calls": [["transfer_to_billing", {}]]},
        {"thinking": "Now I know.", "text": "It is paid."}]
BILLING = [{"thinking": "Second to none.", "calls": [["look", {"key": "b"}]]},
           {"thinking": "Back to the desk.", "calls": [["transfer_to_desk", {}]]}]


def agent(name, model, handoff):
    return {"haft": 1, "kind": "agent", "name": name, "description": f"The {name}.", "model": model,
            "instructions": f"You are the {name}.", "tools": [LOOK], "handoffs": [handoff],
            "limits": {"turns": 12, "wall": "5m"}}


def play(one, other, directory):
    directory.mkdir()
    with start(one, DESK) as first, start(other, BILLING) as second:
        billing = agent("billing", other.spec(second.url), "desk")
        desk = agent("desk", one.spec(first.url), "billing") | {"agents": {"billing": billing}}
        (directory / "spec.json").write_text(json.dumps(desk))
        environment = one.environment(first) | other.environment(second)
        status, events, errors = run_haft(["run", "spec.json", "Is it paid?", "--events"],
                                          environment, directory)
        handed = [event["to"] for event in events if event["kind"] == "handed_off"]
        end = events[-1] if events else {}
        problems = [] if (status, handed, end.get("answer")) == (
            0, ["billing", "desk"], "It is paid.") else [f"exit {status}: {handed} {errors} {end}"]
        unsent = [event.get("unsent_reasoning") for event in events
                  if event["kind"] == "model_replied"]
        wanted = [None] * 2 + [2 if one.signs else None] * 2 + [2 if other.signs else None]
        problems += [] if unsent == wanted else [f"unsent_reasoning {unsent}, not {wanted}"]
        problems += [f"{one.name} rejected: {text}" for text in first.problems()]
        problems += [f"{other.name} rejected: {text}" for text in second.problems()]
        got = [json.dumps(mock.requests) for mock in (first, second)]
        shared = opaque(first) & opaque(second)
        problems += [f"both got {sorted(shared)}"] if shared else []
        problems += ["signed thinking of the other model was sent"] if (
            (one.signs and "First of all." in got[1])
            or (other.signs and "Second to none." in got[0])) else []
        problems += [] if "value of a" in got[1] and "value of b" in got[0] else [
            "a result is not part of the conversation"]
    return problems


def main(scratch):
    cases = [case for case in CASES if case.name in NAMES]
    for one, other in itertools.permutations(cases, 2):
        problems = play(one, other, Path(scratch) / f"{one.name}-{other.name}")
        verdict(f"{one.name}_hands_to_{other.name}_and_back", not problems, problems)


with tempfile.TemporaryDirectory() as made:
    main(made)
