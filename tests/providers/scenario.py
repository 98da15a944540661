# SPDX-License-Identifier: Apache-2.0
"""The scenario that every provider plays: a forced first tool, parallel calls, an invalid argument
that is corrected, a refused call, thinking, a change from forced to free turns, and an answer."""
import itertools
import json

from cases import run_haft, start

SPEC = {
    "haft": 1,
    "kind": "agent",
    "instructions": "Use the tools. Grüße, 世界.",
    "tools": [
        {"name": "docs:look.up", "description": "Look up the value of a key.",
         "input_schema": {"type": "object", "properties": {
             "key": {"type": "string", "pattern": "^[a-zä]+$"}}, "required": ["key"]},
         "command": ["echo", "value of {key}"], "traits": {"read_only": True}},
        {"name": "add", "description": "Add two numbers, or one number to itself.",
         "input_schema": {"type": "object", "properties": {
             "a": {"type": "integer", "minimum": 1, "maximum": 9}, "b": {"type": "integer"}},
             "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
         "command": ["echo", "sum"], "traits": {"read_only": True}},
        {"builtin": ["store_artifact"]},
    ],
    "choice": {"schedule": [{"tool": "docs:look.up"}], "min_tools_for_auto": 2},
    "limits": {"turns": 12, "wall": "5m"},
}
LOOK = "docs_-_look_-h2eup"
TURNS = [
    {"thinking": "I must look it up: größer", "calls": [[LOOK, {"key": "ä"}]]},
    {"thinking": "Both at once.", "text": "Looking…", "calls": [[LOOK, {"key": "b"}],
                                                              ["add", {"a": 1, "b": 2}]]},
    {"thinking": "Add more.", "calls": [["add", {}], ["add", {"a": 10}]]},
    {"thinking": "Correct it.", "calls": [["add", {"a": 3}], ["erase", {"all": True}]]},
    {"calls": [["store_artifact", {"name": "r.md", "content": "# 世界 €\n"}]]},
    {"thinking": "That is all.", "text": "The sum is 3 € — größer als 世界."},
]


def essence(event):
    """The part of an event that is the same on every provider; None for events that are not."""
    kind = event["kind"]
    fields = {
        "turn_started": ("turn", "mode", "tool", "reason", "final"),
        "gate_opened": ("called", "threshold"),
        "call_started": ("call", "tool", "arguments", "repaired"),
        "call_finished": ("call", "tool", "ok", "result", "error"),
        "call_refused": ("call", "tool", "why", "text"),
        "artifact_stored": ("call", "name", "bytes", "sha256"),
        "violation": ("mode", "came"),
        "run_finished": ("end", "answer", "turns", "calls", "usage", "reason", "error"),
    }.get(kind, ())
    found = {"kind": kind, **{field: event[field] for field in fields}}
    if kind == "turn_started":
        found["allowed"] = sorted(event["allowed"])
    if kind == "model_replied":
        found |= {"content": event["content"] or "", "stop": event["stop"], "calls": [
            (call["name"], call["arguments"]) for call in event["calls"]]}
    if kind == "run_finished":
        found["usage"] = {key: event["usage"][key] for key in ("input_tokens", "output_tokens")}
    return found


def in_order(events):
    """Calls of a turn run side by side: their events are sorted by call."""
    found = []
    for is_call, group in itertools.groupby(events, lambda event: "call" in event):
        found += sorted(group, key=lambda event: event["call"]) if is_call else group
    return found


def play(case, streams, directory, **keys):
    """Plays the scenario; `keys` are further keys of the spec. Returns the exit status, the events,
    the errors, the mock's problems and its requests."""
    directory.mkdir()
    with start(case, TURNS) as server:
        (directory / "spec.json").write_text(json.dumps(
            {**SPEC, "model": case.spec(server.url, streams), **keys}))
        status, events, errors = run_haft(["run", "spec.json", "Add it up.", "--events"],
                                          case.environment(server), directory)
        problems = server.problems()
    return status, in_order([essence(event) for event in events]), errors, problems, server.requests
