# SPDX-License-Identifier: Apache-2.0
"""Runs of examples/local.yaml with the real model, and what became of their forced turns."""
import json

import llm

SPEC = llm.HERE.parent.parent / "examples/local.yaml"
FORMATS = ["hermes", "purejson"]
FORCED = ("any", "tool")
# A forced turn yields a call when it is of an allowed tool and its schema accepts it. What a guard
# or the detector of circles makes of a valid call is another matter.
NO_CALL = ("unknown", "not_allowed", "invalid")
TASKS = [
    "Which customers are overdue?", "Summarise letter.txt.", "What does customers.csv list?",
    "Who wrote the letter?", "Which customer owes the most?", "What is the letter about?",
    "How many customers are there?", "Which files are here?",
    "Find the word customer and report where it stands.", "Report on the data in this directory."]


def play(format, task, options, **more):
    """(exit status, events, standard error) of a run"""
    sets = {"formats.primary": format, "model.base_url": f"{llm.URL}/v1",
            **{f"model.options.{key}": value for key, value in options.items()}, **more}
    words = [word for key, value in sets.items() for word in (
        "--set", f"{key}={value if isinstance(value, str) else json.dumps(value)}")]
    status, output, said = llm.haft("run", SPEC, task, "--events", "--no-config", "--store",
                                    "memory:", *words)
    return status, [json.loads(line) for line in output.splitlines()], said


def of(log, kind):
    return [event for event in log if event["kind"] == kind]


# What the tools of the spec take: each argument with its type, and whether it must be there.
# Written by hand, so that a valid call is not what haft says is one.
TAKES = {
    "grep": {"pattern": (str, True), "path": (str, False), "glob": (str, False),
             "limit": (int, False)},
    "read": {"path": (str, True), "offset": (int, False), "limit": (int, False)},
    "store_artifact": {"name": (str, True), "content": (str, True), "media_type": (str, False)},
    "complete_workflow": {"summary": (str, False)},
}


def is_valid(name, arguments):
    try:
        given = json.loads(arguments)
    except ValueError:
        return False
    takes = TAKES.get(name)
    return (takes is not None and isinstance(given, dict)
            and all(key in takes and type(value) is takes[key][0] for key, value in given.items())
            and all(key in given for key, (_, needed) in takes.items() if needed))


def is_call(reply, allowed, refused):
    calls = reply["calls"]
    return bool(calls) and all(
        call["name"] in allowed and "malformed" not in call
        and refused.get(call["call"]) not in NO_CALL
        and is_valid(call["name"], call["arguments"]) for call in calls)


def forced_turns(log):
    """For each forced turn: {"turn", "mode", "tries": [whether each reply was a call], "ms"}"""
    refused = {event["call"]: event["why"] for event in of(log, "call_refused")}
    turns = []
    for event in log:
        if event["kind"] == "turn_started":
            turns.append({"turn": event["turn"], "mode": event["mode"], "allowed": event["allowed"],
                          "tries": [], "ms": [], "tokens": [], "replies": []})
        elif event["kind"] == "model_replied":
            turns[-1]["tries"].append(is_call(event, turns[-1]["allowed"], refused))
            turns[-1]["ms"].append(event["ms"])
            turns[-1]["tokens"].append(event["usage"]["output_tokens"])
            turns[-1]["replies"].append(event)
    return [turn for turn in turns if turn["mode"].split()[0] in FORCED]


def contract_kept(log):
    """Whether the workflow did what its spec wants before it ends: two data tools, an artifact,
    complete_workflow."""
    finished = {event["tool"] for event in of(log, "call_finished")}
    return (len(finished & {"grep", "read"}) >= 2 and bool(of(log, "artifact_stored"))
            and any(event["tool"] == "complete_workflow" and event["ok"]
                    for event in of(log, "call_finished")))


def spread(values):
    """The median and the largest, for a table."""
    ordered = sorted(values) or [0]
    return ordered[len(ordered) // 2], ordered[-1]
