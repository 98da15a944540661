#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs of graphs: kill -9 at every write of a fan-out with a join, a loop and a graph inside.

After each kill other processes drive the run to its end. Every effect then happened once, every run
has one end, and the state is the same as without a kill.
"""
import json

import crash_help as help
import history
from crash_help import effect

CLASSES = {"send": "once", "look": "read_only", "mail": "once"}
MODES = ["begin", "torn", "sync", "synced"] if help.LONG else ["begin", "synced"]
MOST = 200  # more writes than a run has


def shape(store):
    """Two tools beside a graph with an approval inside; a join; a loop of two rounds."""
    agent = json.loads(help.spec(store, "sayer", ["said"], []).read_text())
    inner = {"channels": {"got": {"reducer": "append"}},
             "nodes": {"mail": {"tool": "mail", "args": {"q": {"value": "m"}}, "out": {"got": ""}}},
             "edges": [{"from": "start", "to": "mail"}]}
    main = {"channels": {"out": {"reducer": "append"}, "rounds": {"reducer": "add"}},
            "output": "/rounds",
            "nodes": {
                "a": {"tool": "send", "args": {"q": {"value": "s"}}, "out": {"out": ""}},
                "b": {"tool": "look", "args": {"q": {"value": "l"}}, "out": {"out": ""}},
                "c": {"graph": "inner", "out": {"out": "/got"}},
                "d": {"agent": "sayer", "task": "go", "out": {"out": ""}},
                "e": {"do": [{"set": {"rounds": 1}}]}},
            "edges": [{"from": "start", "to": ["a", "b", "c"]},
                      {"from": ["a", "b", "c"], "to": "d"},
                      {"from": "d", "to": "e"},
                      {"from": "e", "choose": [{"when": {"at": "/rounds", "op": "ge", "value": 2},
                                                "to": "end"}, {"to": "d"}]}]}
    tools = [effect(store, "send"), effect(store, "look", read_only=True),
             effect(store, "mail", needs_approval=True)]
    return store.put("graph.json", {"haft": 1, "kind": "graph", "name": "g", "tools": tools,
                                    "agents": {"sayer": agent}, "graph": main,
                                    "graphs": {"inner": inner}})


def updates(store, run):
    """Which channels each step changed: the same for every run of the graph."""
    return [(event["step"], sorted(event["updates"])) for event in store.events(run)
            if event["kind"] == "graph_step"]


def killed_at_every_boundary(store):
    if help.no_shim():
        help.skip(f"a_graph_killed_at_every_write_{store.kind}", help.no_shim())
        return
    path = shape(store)
    problems, kills = [], 0
    for mode in MODES:
        for number in help.tree_moments(store, MOST):
            shim = store.shim(kill=f"{mode}:{number}")
            killed = store.haft("run", path, "{}", "--quiet", env=shim)[0] == -9
            problems += help.drive_trees(store)
            kills += killed
            if not killed or problems:
                break
    problems += history.check_store(store, help.effects(store), CLASSES)
    problems += history.check_trees(store)
    rows = help.roots(store)
    ends = {(row["end"], store.shown(row["run"])["answer"]) for row in rows}
    if ends != {("done", "2")}:
        problems.append(f"runs ended as {ends}")
    states = {json.dumps(updates(store, row["run"])) for row in rows}
    if len(states) != 1:
        problems.append(f"{len(states)} different states")
    problems += [f"{row['run']} does not replay" for row in store.runs()
                 if store.haft("runs", "replay", row["run"])[0] != 0]
    if not kills:
        problems.append("nothing was killed")
    help.check(f"a_graph_killed_at_every_write_ends_once_{store.kind}", problems)


help.for_each_store(killed_at_every_boundary)
