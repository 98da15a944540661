#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs of graphs: kill -9 at every write of a fan-out with a join, a loop and a graph inside, and
of examples/graph.yaml; cancels that race with a fan-out.

After each kill other processes drive the run to its end. Every effect then happened once, every run
has one end, and the state is the same as without a kill.
"""
import json
import random
import shutil
import time
from pathlib import Path

import crash_help as help
import history
from crash_help import effect

CLASSES = {"send": "once", "look": "read_only", "mail": "once", "send_question": "once"}
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
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
    problems, kills, states = [], 0, set()
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
        states |= {json.dumps(updates(store, row["run"])) for row in rows}
        problems += [f"{row['run']} does not replay" for row in store.runs()
                     if store.haft("runs", "replay", row["run"])[0] != 0]
        problems += help.remove_trees(store)
    if len(states) != 1:
        problems.append(f"{len(states)} different states")
    if not kills:
        problems.append("nothing was killed")
    help.check(f"a_graph_killed_at_every_write_ends_once_{store.kind}", problems)


# ---- examples/graph.yaml ----

DRAWN = [["archive", "press"], ["write"], ["judge"], ["count"], ["write"], ["judge"], ["count"]]


def put_example(store):
    """The example, with an effect in place of its `echo`."""
    for folder in ("team", "graph"):
        shutil.copytree(EXAMPLES / folder, store.folder / folder)
    lines = (EXAMPLES / "graph.yaml").read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if "command: [echo" in line)
    lines[at] = f"    command: {json.dumps(effect(store, 'send_question')['command'])}"
    return store.put("graph.yaml", "\n".join(lines) + "\n")


def kill_example(store, path, number, approves):
    """One run of the example; the process that runs or approves it is killed. Returns problems and
    whether it was killed."""
    shim = store.shim(kill=f"synced:{number}")
    status = store.haft("run", path, "the river gauge", "--quiet",
                        env=None if approves else shim)[0]
    if approves:
        run = help.roots(store, "--open")[0]["run"]
        status = store.haft("approve", run, "--quiet", env=shim)[0]
    return help.drive_trees(store), status == -9


def example_that_is_killed(store):
    if help.no_shim():
        help.skip(f"the_example_is_killed_and_ends_as_drawn_{store.kind}", help.no_shim())
        return
    path, problems, kills = put_example(store), [], 0
    moments = range(1, MOST) if help.LONG else (2, 4, 7)
    for approves in (False, True):
        for number in moments:
            stuck, killed = kill_example(store, path, number, approves)
            problems += stuck
            kills += killed
            if not killed or problems:
                break
    for row in help.roots(store):
        steps = [[node["node"] for node in event["nodes"]] for event in store.events(row["run"])
                 if event["kind"] == "graph_step" and event["step"] > 0]
        if (row["end"], steps) != ("done", DRAWN):
            problems.append(f"{row['run']} ended as {row['end']}: {steps}")
    problems += history.check_store(store, help.effects(store), CLASSES)
    problems += history.check_trees(store)
    problems += [] if kills else ["nothing was killed"]
    help.check(f"the_example_is_killed_and_ends_as_drawn_{store.kind}", problems)


# ---- cancels ----

def fan(store):
    """Six tools and three graphs beside each other, then once more."""
    inner = {"channels": {"got": {"reducer": "append"}}, "nodes": {"x": {"tool": "slow"}},
             "edges": [{"from": "start", "to": "x"}]}
    nodes = {**{f"t{i}": {"tool": "slow"} for i in range(6)},
             **{f"g{i}": {"graph": "inner"} for i in range(3)}, "again": {"tool": "slow"}}
    first = [name for name in nodes if name != "again"]
    main = {"channels": {"out": {}}, "nodes": nodes,
            "edges": [{"from": "start", "to": first}, {"from": first, "to": "again"}]}
    slow = effect(store, "slow", before="while test -e hold; do sleep 0.02; done; sleep 0.02",
                  after="sleep 0.02", read_only=True)
    return store.put("fan.json", {"haft": 1, "kind": "graph", "name": "fan", "tools": [slow],
                                  "graph": main, "graphs": {"inner": inner},
                                  "limits": {"parallel": 5}})


def cancelled_at_any_moment(store):
    """Two processes cancel a run while it fans out: it ends once, and so do its graphs. Tools of
    the first run wait for its cancels, so that also a slow machine cancels one."""
    path, problems, ends, hold = fan(store), [], set(), store.folder / "hold"
    hold.touch()
    for i in range(help.rounds(6, 60)):
        process = store.start("run", path, "{}", "--events")
        run = json.loads(process.stdout.readline())["run"]
        for _ in range(random.Random(i).randrange(25) if i > 0 else 0):
            if not process.stdout.readline():
                break
        time.sleep(random.Random(i).random() / 50)
        cancels = [store.start("cancel", run) for _ in range(2)]
        process.communicate()
        for cancel in cancels:
            cancel.communicate()
        hold.unlink(missing_ok=True)
        ends.add(store.row(run)["end"])
        problems += [f"{row['run']} is open" for row in store.runs("--open")]
    problems += history.check_store(store, help.effects(store), {"slow": "read_only"})
    problems += history.check_trees(store)
    problems += [] if ends <= {"cancelled", "done"} else [f"runs ended as {ends}"]
    problems += [] if "cancelled" in ends else ["no run was cancelled"]
    help.check(f"a_graph_that_is_cancelled_ends_once_{store.kind}", problems)


# ---- what a thread keeps ----

def thread_killed_at_every_boundary(store):
    """Each run of a thread adds one to what the run before it has left, once."""
    if help.no_shim():
        help.skip(f"a_thread_killed_at_every_write_{store.kind}", help.no_shim())
        return
    main = {"channels": {"runs": {"reducer": "add", "lifetime": "thread"}}, "output": "/runs",
            "nodes": {"a": {"tool": "look", "args": {"q": {"value": "l"}}},
                      "b": {"do": [{"set": {"runs": 1}}]}},
            "edges": [{"from": "start", "to": "a"}, {"from": "a", "to": "b"}]}
    path = store.put("thread.json", {"haft": 1, "kind": "graph", "name": "t", "graph": main,
                                     "tools": [effect(store, "look", read_only=True)]})
    thread = json.loads(store.haft("run", path, "{}", "--json")[1])["thread"]
    problems, kills = [], 0
    for mode in MODES:
        for number in help.tree_moments(store, MOST):
            shim = store.shim(kill=f"{mode}:{number}")
            killed = store.haft("run", path, "{}", "--thread", thread, "--quiet", env=shim)[0] == -9
            problems += help.drive_trees(store)
            kills += killed
            if not killed or problems:
                break
    answers = [store.shown(row["run"])["answer"]
               for row in sorted(store.runs(), key=lambda row: row["run"])
               if row["thread"] == thread]
    if answers != [str(number + 1) for number in range(len(answers))]:
        problems.append(f"the runs of the thread ended with {answers}")
    problems += [f"{row['run']} does not replay" for row in store.runs()
                 if store.haft("runs", "replay", row["run"])[0] != 0]
    if not kills:
        problems.append("nothing was killed")
    help.check(f"a_thread_killed_at_every_write_keeps_its_values_{store.kind}", problems)


help.for_each_store(killed_at_every_boundary, example_that_is_killed, cancelled_at_any_moment,
                    thread_killed_at_every_boundary)
