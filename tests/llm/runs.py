# SPDX-License-Identifier: Apache-2.0
"""Runs of examples/local.yaml with the real model, and the results of their forced turns."""
import json

import llm

SPEC = llm.HERE.parent.parent / "examples/local.yaml"
FORMATS = ["hermes", "purejson"]
FORCED = ("any", "tool")
# A forced turn succeeds if its calls name allowed tools and have valid arguments. Refusals by a
# guard or by the no-progress detector do not count against it.
INVALID_CALL_REASONS = ("unknown", "not_allowed", "invalid")
TASKS = [
    "Which customers are overdue?", "Summarise letter.txt.", "What does customers.csv list?",
    "Who wrote the letter?", "Which customer owes the most?", "What is the letter about?",
    "How many customers are there?", "Which files are here?",
    "Find the word customer and report where it stands.", "Report on the data in this directory."]


def run_agent(format, task, options, **more):
    """(exit status, events, standard error) of a run"""
    sets = {"formats.primary": format, "model.base_url": f"{llm.URL}/v1",
            **{f"model.options.{key}": value for key, value in options.items()}, **more}
    words = [word for key, value in sets.items() for word in (
        "--set", f"{key}={value if isinstance(value, str) else json.dumps(value)}")]
    status, output, stderr = llm.haft("run", SPEC, task, "--events", "--no-config", "--store",
                                      "memory:", *words)
    return status, [json.loads(line) for line in output.splitlines()], stderr


def events_of_kind(log, kind):
    return [event for event in log if event["kind"] == kind]


# The arguments of the tools: type, and whether required. They are written by hand, so that the
# check does not depend on haft's own validation.
ARGUMENTS = {
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
    expected = ARGUMENTS.get(name)
    return (expected is not None and isinstance(given, dict)
            and all(key in expected and type(value) is expected[key][0]
                    for key, value in given.items())
            and all(key in given for key, (_, needed) in expected.items() if needed))


def all_calls_are_valid(reply, allowed, refused):
    calls = reply["calls"]
    return bool(calls) and all(
        call["name"] in allowed and "malformed" not in call
        and refused.get(call["call"]) not in INVALID_CALL_REASONS
        and is_valid(call["name"], call["arguments"]) for call in calls)


def forced_turns(log):
    """A dict for each forced turn: "turn", "mode", "allowed", and lists with an item for each
    reply: "tries" (whether all its calls were valid), "ms", "tokens", "replies" (the events)."""
    refused = {event["call"]: event["why"] for event in events_of_kind(log, "call_refused")}
    turns = []
    for event in log:
        if event["kind"] == "turn_started":
            turns.append({"turn": event["turn"], "mode": event["mode"], "allowed": event["allowed"],
                          "tries": [], "ms": [], "tokens": [], "replies": []})
        elif event["kind"] == "model_replied":
            turns[-1]["tries"].append(all_calls_are_valid(event, turns[-1]["allowed"], refused))
            turns[-1]["ms"].append(event["ms"])
            turns[-1]["tokens"].append(event["usage"]["output_tokens"])
            turns[-1]["replies"].append(event)
    return [turn for turn in turns if turn["mode"].split()[0] in FORCED]


def workflow_is_complete(log):
    """Whether the run has the steps that its spec requires: two data tools, an artifact,
    complete_workflow."""
    finished = {event["tool"] for event in events_of_kind(log, "call_finished")}
    return (len(finished & {"grep", "read"}) >= 2 and bool(events_of_kind(log, "artifact_stored"))
            and any(event["tool"] == "complete_workflow" and event["ok"]
                    for event in events_of_kind(log, "call_finished")))


def median_and_max(values):
    """(median, maximum)"""
    ordered = sorted(values) or [0]
    return ordered[len(ordered) // 2], ordered[-1]
