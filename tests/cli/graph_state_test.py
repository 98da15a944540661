#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The state of graphs: after each step, in forks with another state, and after a failure.

On every store: SQLite, and PostgreSQL if HAFT_TEST_POSTGRES names a server.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from script import check  # noqa: E402
from store_urls import stores  # noqa: E402

HAFT = os.environ["HAFT"]
SHAPE = Path(__file__).resolve().parents[2] / "docs/schemas/state.schema.json"
LONG = 300  # timeout in seconds of events that must happen soon


def haft(*words):
    done = subprocess.run([HAFT, *map(str, words)], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, cwd=scratch, env=environment, timeout=LONG)
    return done.returncode, done.stdout, done.stderr


def result(*words):
    status, out, err = haft(*words)
    return status, json.loads(out) if out.startswith("{") else {"err": err}


def put(main, tools=()):
    value = {"haft": 1, "kind": "graph", "name": "g", "tools": list(tools), "graph": main}
    (Path(scratch) / "spec.json").write_text(json.dumps(value))
    return "spec.json"


def tool(name, script):
    return {"name": name, "description": f"Does {name} for these tests.", "args": [],
            "command": ["sh", "-c", script]}


LOOP = {"channels": {"n": {"reducer": "add"}, "log": {"reducer": "append"}},
        "nodes": {"up": {"do": [{"set": {"n": 1}}, {"text": {"log": "{/n}"}}]}}, "output": "/n",
        "edges": [{"from": "start", "to": "up"},
                  {"from": "up", "choose": [{"when": {"at": "/n", "op": "ge", "value": 5},
                                             "to": "end"}, {"to": "up"}]}]}


def states(name):
    run = result("run", put(LOOP), "{}", "--json")[1]["run"]
    check(f"the_last_state_{name}", result("runs", "state", run)[1],
          {"run": run, "step": 5, "remaining_steps": 20,
           "state": {"log": ["0", "1", "2", "3", "4"], "n": 5}, "next": []})
    check(f"the_state_after_a_step_{name}", result("runs", "state", run, "--step", 2)[1],
          {"run": run, "step": 2, "remaining_steps": 23, "state": {"log": ["0", "1"], "n": 2},
           "next": ["up"]})
    check(f"what_a_step_changed_{name}", result("runs", "state", run, "--step", 2, "--diff")[1],
          {"run": run, "step": 2, "nodes": ["up"], "updates": {"log": ["1"], "n": 2},
           "dropped": []})
    shown = [result("runs", "state", run, *words)[1]
             for words in ((), ("--step", 0), ("--step", 2, "--diff"))]
    lines = "".join(json.dumps({"schema": json.loads(SHAPE.read_text()), "instance": one}) + "\n"
                    for one in shown)
    valid = subprocess.run([HAFT, "validate", "--jsonl"], input=lines, text=True,
                           capture_output=True).stdout.splitlines()
    check(f"states_have_the_shape_of_the_schema_{name}",
          [json.loads(one)["valid"] for one in valid], [True] * 3)
    status, found = result("runs", "state", run, "--step", 6)
    check(f"a_step_that_it_does_not_have_{name}", (status != 0, "no step 6" in str(found)),
          (True, True))
    return run


def forks(name, run):
    status, fork = result("runs", "fork", run, "--step", 3, "--go", "--json")
    check(f"a_fork_at_a_step_{name}", (status, fork["answer"], fork["run"] != run), (0, "5", True))
    check(f"the_fork_replays_{name}", haft("runs", "replay", fork["run"])[0], 0)
    status, fork = result("runs", "fork", run, "--step", 1, "--set", "n=10", "--set",
                          'log=["x", "y"]', "--go", "--json")
    check(f"a_fork_with_another_state_{name}",
          (status, fork["answer"], result("runs", "state", fork["run"])[1]["state"]["log"]),
          (0, "12", ["0", "x", "y", "11"]))
    check(f"it_replays_{name}", haft("runs", "replay", fork["run"])[0], 0)
    status, fork = result("runs", "fork", run, "--step", 1, "--set", "n=100", "--as", "up", "--go",
                          "--json")
    check(f"a_node_that_is_next_is_done_with_the_values_{name}", (status, fork["answer"]),
          (0, "101"))
    for wrong, what in ((("--set", "zz=1"), "unknown_channel"), (("--set", "n=text"), "bad_update"),
                        (("--set", "n=1", "--as", "zz"), "unknown_node"),
                        (("--set", "n"), "CHANNEL=VALUE")):
        status, found = result("runs", "fork", run, "--step", 1, *wrong)
        check(f"refused_{what}_{name}", (status != 0, what in str(found)), (True, True))


def another_try(name):
    """Only the node that failed runs again."""
    count = Path(scratch) / f"count-{name}"
    fails = {"channels": {"out": {"reducer": "append"}}, "output": "/out",
             "nodes": {"bad": {"tool": "flaky", "out": {"out": ""}},
                       "good": {"tool": "once", "out": {"out": ""}}},
             "edges": [{"from": "start", "to": ["bad", "good"]}]}
    tools = [tool("flaky", f"test -e {count}.ok && echo mended"),
             tool("once", f"echo x >>{count}; echo once")]
    status, run = result("run", put(fails, tools), "{}", "--json")
    check(f"it_fails_first_{name}", run["end"], "failed")
    again = result("resume", run["run"], "--json")[1]
    check(f"it_fails_again_{name}", (again["end"], again["run"] != run["run"]), ("failed", True))
    Path(f"{count}.ok").touch()
    status, mended = result("resume", again["run"], "--json")
    check(f"the_failed_node_runs_again_{name}",
          (status, json.loads(mended["answer"]), count.read_text()), (0, ["mended", "once"], "x\n"))
    check(f"a_mended_run_replays_{name}", haft("runs", "replay", mended["run"])[0], 0)
    put(dict(fails, output="/out/0"), tools)
    before = len(haft("runs", "list")[1].splitlines())
    status, out, err = haft("resume", run["run"])
    check(f"another_graph_is_refused_before_the_fork_{name}",
          (status, "has changed" in err, len(haft("runs", "list")[1].splitlines())),
          (2, True, before))


def edits(name):
    """Another state, from where the run is: failed, ended or waiting."""
    count = Path(scratch) / f"edits-{name}"
    main = {"channels": {"out": {"reducer": "append"}}, "output": "/out",
            "nodes": {"bad": {"tool": "no", "out": {"out": ""}},
                      "good": {"tool": "once", "out": {"out": ""}},
                      "last": {"do": [{"set": {"out": "last"}}]}},
            "edges": [{"from": "start", "to": ["bad", "good"]},
                      {"from": ["bad", "good"], "to": "last"}]}
    tools = [tool("no", "exit 1"), tool("once", f"echo x >>{count}; echo once")]
    run = result("run", put(main, tools), "{}", "--json")[1]["run"]
    status, edited = result("runs", "edit", run, "--set", "out=given", "--as", "bad", "--json")
    check(f"the_output_of_a_failed_node_is_given_{name}",
          (status, json.loads(edited["answer"]), count.read_text()),
          (0, ["given", "once", "last"], "x\n"))
    check(f"an_edited_run_replays_{name}", haft("runs", "replay", edited["run"])[0], 0)
    status, again = result("runs", "edit", edited["run"], "--set", "out=more", "--as", "bad",
                           "--json")
    check(f"after_the_end_what_follows_is_decided_again_{name}",
          json.loads(again["answer"]), ["given", "once", "last", "more"])
    status, found = result("runs", "edit", run, "--set", "out=x", "--json")
    check(f"calls_have_begun_{name}", (status != 0, "has begun" in str(found)), (True, True))
    asks = {"channels": {"out": {}}, "nodes": {"q": {"ask": "Fine?", "out": {"out": ""}}},
            "edges": [{"from": "start", "to": "q"}]}
    run = result("run", put(asks), "{}", "--json")[1]["run"]
    status, out, err = haft("runs", "edit", run, "--set", "out=1")
    check(f"a_run_that_waits_{name}", (status != 0, "--step 0" in err), (True, True))
    check(f"nothing_to_set_{name}", "CHANNEL=VALUE" in haft("runs", "edit", run)[2], True)


def points(name):
    """Where a graph can be forked, and what the advice is elsewhere."""
    main = {"channels": {"out": {"reducer": "append"}}, "output": "/out",
            "nodes": {"a": {"tool": "say", "out": {"out": ""}},
                      "b": {"ask": "Fine?", "out": {"out": ""}}},
            "edges": [{"from": "start", "to": "a"}, {"from": "a", "to": "b"}]}
    run = result("run", put(main, [tool("say", "echo a")]), "{}", "--json")[1]["run"]
    events = [json.loads(line) for line in haft("runs", "events", run)[1].splitlines()]
    step = [one["seq"] for one in events if one["kind"] == "graph_step"][1]
    status, out, err = haft("runs", "fork", run, "--at", step - 1)
    check(f"inside_a_step_{name}", (status, "--step 0" in err), (2, True))
    status, fork = result("runs", "fork", run, "--at", step, "--go", "--json")
    check(f"after_the_event_of_a_step_{name}", (fork["end"], len(fork["pending"])), ("waiting", 1))
    status, fork = result("runs", "fork", run, "--step", 1, "--set", 'out="x"', "--as", "b", "--go",
                          "--json")
    check(f"a_person_is_not_asked_{name}", (status, json.loads(fork["answer"])), (0, ["a", "x"]))
    by = [json.loads(line).get("by") for line in haft("runs", "events", fork["run"])[1].splitlines()
          if '"edit"' in line]
    check(f"the_event_names_who_did_it_{name}", len(by) == 1 and bool(by[0]), True)


def pauses(name):
    """A person who changes the state does not lift a pause after the step, if something follows."""
    main = {"channels": {"out": {"reducer": "append"}}, "output": "/out",
            "nodes": {"a": {"do": [{"set": {"out": "a"}}], "pause": "after"},
                      "b": {"do": [{"set": {"out": "b"}}]}},
            "edges": [{"from": "start", "to": "a"}, {"from": "a", "to": "b"}]}
    run = result("run", put(main), "{}", "--json")[1]["run"]
    status, fork = result("runs", "fork", run, "--step", 1, "--set", "out=x", "--go", "--json")
    check(f"a_pause_after_a_step_outlives_an_edit_{name}",
          [one["call"] for one in fork["pending"]], ["n1.after"])
    status, ended = result("approve", fork["run"], "--json")
    check(f"then_the_run_continues_{name}", (status, json.loads(ended["answer"])),
          (0, ["a", "x", "b"]))
    check(f"an_edit_at_a_pause_replays_{name}", haft("runs", "replay", fork["run"])[0], 0)


with tempfile.TemporaryDirectory() as scratch:
    for store, new_store in stores(scratch):
        environment = dict(os.environ, HAFT_STORE=new_store(), HOME=scratch, NO_COLOR="1")
        forks(store, states(store))
        another_try(store)
        points(store)
        pauses(store)
        edits(store)
