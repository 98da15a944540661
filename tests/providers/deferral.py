# SPDX-License-Identifier: Apache-2.0
"""A run in which searches of the model reveal tools, of a server or of the spec."""
import json
import os

from cases import run_haft, start

NAMES = {"mail": "Send a message to an address.", "weather": "The temperature in a city.",
         "atlas": "The area of a country.", "stars": "The magnitude of a star."}
TURNS = [
    {"thinking": "I need the weather.", "calls": [["tool_search", {"query": "weather"}]]},
    {"thinking": "Found.", "calls": [["own_-_weather", {}], ["own_-_atlas", {}]]},
    {"thinking": "No atlas yet.", "calls": [["tool_search", {"query": "atlas"}],
                                          ["own_-_weather", {}]]},
    {"thinking": "Now.", "calls": [["own_-_atlas", {}]]},
    {"text": "It is warm."},
]


def command(name, description):
    return {"name": name, "description": description, "args": [],
            "command": ["echo", name], "traits": {"read_only": True}}


def served(directory):
    """The tools are those of a server."""
    (directory / "none.json").write_text('{"replies": []}')
    (directory / "own.json").write_text(json.dumps(
        {"haft": 1, "name": "own", "model": "script:none.json",
         "tools": [command(*tool) for tool in NAMES.items()]}))
    server = {"command": [os.environ["HAFT"], "mcp", str(directory / "own.json")]}
    return {"mcp": {"servers": {"own": server}, "deny": ["own:run_own"]},
            "tools": [{"builtin": ["tool_search"]}]}


def owned(_):
    """The tools are the spec's own, and too large for the context."""
    tools = [command(f"own:{name}", text + " It does no more." * 40)
             for name, text in NAMES.items()]
    return {"tools": [{"builtin": ["tool_search"]}, *tools], "max_tools_share": 1}


def play(case, turns, directory, make=served, then=None, **more):
    """Runs it, and then perhaps another command, such as one that continues the run."""
    directory.mkdir()
    with start(case, turns) as server:
        model = case.spec(server.url) | ({"context_tokens": 9000} if make is owned else {})
        spec = {"haft": 1, "name": "deferred", "choice": {"min_tools_for_auto": 0},
                "max_mcp_tools": 1, "model": model, **make(directory), **more}
        (directory / "spec.json").write_text(json.dumps(spec))
        environment = {**case.environment(server), "HAFT_VECTORS": "none"}
        status, events, errors = run_haft(["run", "spec.json", "Send a message.", "--events"],
                                          environment, directory)
        if then:
            status, events, errors = run_haft(then, environment, directory)
        replayed = run_haft(["runs", "replay", "last"], environment, directory)[0]
        explained = run_haft(["explain", "spec.json", "Send a message.", "--json"], environment,
                             directory)[1]
        return status, events, errors + f"replay {replayed}" * bool(replayed), server, explained
