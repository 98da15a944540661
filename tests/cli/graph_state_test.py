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


def put(main, tools=(), approvals=()):
    value = {"haft": 1, "kind": "graph", "name": "g", "tools": list(tools), "graph": main,
             "approvals": list(approvals)}
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


def check_shape(name, shown):
    lines = "".join(json.dumps({"schema": json.loads(SHAPE.read_text()), "instance": one}) + "\n"
                    for one in shown)
    valid = subprocess.run([HAFT, "validate", "--jsonl"], input=lines, text=True,
                           capture_output=True).stdout.splitlines()
    check(f"{name}_have_the_shape_of_the_schema",
          [json.loads(one)["valid"] for one in valid], [True] * len(shown))


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
    check_shape(f"states_{name}", shown)
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
    bad = {"channels": {"out": {}}, "nodes": {"bad": {"do": [{"fail": "no"}]}},
           "edges": [{"from": "start", "to": "bad"}]}
    tried = result("resume", result("run", put(bad), "in", "--json")[1]["run"], "--json")[1]["run"]
    check(f"another_try_is_no_step_{name}", result("runs", "state", tried, "--diff")[1],
          {"run": tried, "step": 0, "nodes": [], "updates": {"out": "in"}, "dropped": []})
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
    check(f"nothing_to_set_{name}", "CHANNEL=VALUE" in haft("runs", "edit", run)[2], True)
    picky = {"channels": {"w": {}, "out": {"reducer": "append"}}, "output": "/out", "input": ["w"],
             "nodes": {"bad": {"tool": "picky", "args": {"word": "/w"}, "out": {"out": ""}},
                       "good": {"tool": "once", "out": {"out": ""}}},
             "edges": [{"from": "start", "to": ["bad", "good"]}]}
    tools = [{"name": "picky", "description": "Takes only the word mild.", "args": ["word"],
              "command": ["sh", "-c", 'test "$1" = mild && echo "$1"', "sh", "{word}"]}, tools[1]]
    count.unlink()
    run = result("run", put(picky, tools), "hot", "--json")[1]["run"]
    status, mended = result("runs", "edit", run, "--set", "w=mild", "--json")
    check(f"a_failed_node_runs_again_on_another_state_{name}",
          (status, json.loads(mended["answer"]), count.read_text()), (0, ["mild", "once"], "x\n"))
    check(f"this_replays_{name}", haft("runs", "replay", mended["run"])[0], 0)


def waiting(name):
    """Another state while questions and approvals are open: which stay, and which are closed."""
    count = Path(scratch) / f"waiting-{name}"
    main = {"channels": {"w": {}, "out": {"reducer": "append"}}, "input": ["w"], "output": "/out",
            "nodes": {"a": {"ask": "{/w}?", "out": {"out": ""}},
                      "b": {"tool": "once", "out": {"out": ""}},
                      "c": {"tool": "danger", "args": {"word": "/w"}, "out": {"out": ""}},
                      "d": {"do": [{"copy": {"out": "/w"}}]}},
            "edges": [{"from": "start", "to": ["a", "b", "c"]},
                      {"from": ["a", "b", "c"], "to": "d"}]}
    tools = [tool("once", f"echo x >>{count}; echo once"),
             {"name": "danger", "description": "Says a word.", "args": ["word"],
              "command": ["echo", "{word}"]}]
    spec = put(main, tools, [{"tools": ["danger"]}])
    run = result("run", spec, "old", "--json")[1]["run"]
    status, out, err = haft("runs", "edit", run, "--set", "w=new", "--json")
    fork = json.loads(out)
    check(f"pauses_stay_{name}", (status, [(one["call"], one["kind"]) for one in fork["pending"]],
                                  result("runs", "state", fork["run"])[1]["state"]["w"]),
          (4, [("n1.1", "question"), ("n1.3", "approval")], "new"))
    status, diff = result("runs", "state", fork["run"], "--diff")
    by = [one.pop("by") for one in diff["edits"]]
    check(f"a_diff_has_what_the_step_and_persons_changed_{name}", (status, diff, len(by)),
          (0, {"run": fork["run"], "step": 0, "nodes": [], "updates": {"w": "old"}, "dropped": [],
               "edits": [{"edit": {"w": "new"}}]}, 1))
    check_shape(f"edits_{name}", result("runs", "state", fork["run"], "--diff")[1:])
    check(f"the_command_says_that_the_run_itself_waits_{name}", f"haft cancel {run}" in err, True)
    check(f"the_run_itself_is_as_it_was_{name}",
          (len(result("runs", "show", run, "--json")[1]["pending"]),
           result("runs", "state", run)[1]["state"]["w"]), (2, "old"))
    haft("answer", fork["run"], "n1.1", "yes")
    status, done = result("approve", fork["run"], "n1.3", "--json")
    check(f"who_has_asked_keeps_what_it_has_seen_{name}",
          (status, json.loads(done["answer"]), count.read_text()),
          (0, ["yes", "once", "old", "new"], "x\n"))
    status, fork = result("runs", "edit", run, "--set", "out=given", "--as", "c", "--json")
    check(f"a_node_is_done_with_the_values_{name}", [one["call"] for one in fork["pending"]],
          ["n1.1"])
    events = [json.loads(line) for line in haft("runs", "events", fork["run"])[1].splitlines()]
    closed = [(one["call"], one["why"]) for one in events if one["kind"] == "call_refused"]
    check(f"its_approval_is_closed_{name}", closed, [("n1.3", "edited")])
    status, out, err = haft("approve", fork["run"], "n1.3")
    check(f"nobody_can_approve_it_{name}", status != 0, True)
    status, done = result("answer", fork["run"], "n1.1", "yes", "--json")
    check(f"the_others_still_run_{name}", (status, json.loads(done["answer"]), count.read_text()),
          (0, ["yes", "once", "given", "old"], "x\n"))
    for one in (fork["run"], done["run"]):
        check(f"edited_runs_replay_{name}", haft("runs", "replay", one)[0], 0)
    status, again = result("runs", "fork", done["run"], "--step", 0, "--go", "--json")
    check(f"an_edit_is_no_point_for_a_fork_{name}",
          (status, [one["call"] for one in again["pending"]]), (4, ["n1.1", "n1.3"]))
    shape = json.loads((SHAPE.parent / "event.schema.json").read_text())
    lines = "".join(json.dumps({"schema": shape, "instance": one}) + "\n" for one in events)
    valid = subprocess.run([HAFT, "validate", "--jsonl"], input=lines, text=True,
                           capture_output=True).stdout.splitlines()
    check(f"events_of_edits_have_the_shape_of_the_schema_{name}",
          all(json.loads(one)["valid"] for one in valid) and len(valid) == len(events), True)


def inside(name):
    """A question of a graph inside: its run is not this one's."""
    value = {"haft": 1, "kind": "graph", "name": "g",
             "graph": {"channels": {"x": {}}, "nodes": {"s": {"graph": "sub"}},
                       "edges": [{"from": "start", "to": "s"}]},
             "graphs": {"sub": {"channels": {"x": {}},
                                "nodes": {"q": {"ask": "x?", "out": {"x": ""}}},
                                "edges": [{"from": "start", "to": "q"}]}}}
    (Path(scratch) / "inside.json").write_text(json.dumps(value))
    run = result("run", "inside.json", "{}", "--json")[1]["run"]
    status, out, err = haft("runs", "edit", run, "--set", "x=1", "--as", "s")
    check(f"a_run_that_waits_for_a_child_is_not_edited_{name}",
          (status, "waits for the child" in err, "--step 0" in err), (1, True, True))


def more_steps(name):
    run = result("run", put(dict(LOOP, recursion_limit=2)), "{}", "--json")[1]
    check(f"it_ends_at_its_limit_{name}", (run["end"], run["answer"]), ("exhausted", "2"))
    again = result("resume", run["run"], "--json")[1]
    check(f"it_does_not_continue_alone_{name}", (again["run"], again["end"]),
          (run["run"], "exhausted"))
    more = result("resume", run["run"], "--steps", 2, "--json")[1]
    check(f"it_gets_more_steps_{name}", (more["end"], more["answer"]), ("exhausted", "4"))
    status, ended = result("resume", more["run"], "--steps", 2, "--json")
    check(f"and_more_{name}", (status, ended["end"], ended["answer"]), (0, "done", "5"))
    check(f"a_run_with_more_steps_replays_{name}", haft("runs", "replay", ended["run"])[0], 0)
    for words, why in (((ended["run"], "--steps", 1), "recursion limit"),
                       ((run["run"], "--steps", 0), "from 1 to 10000"),
                       ((run["run"], "--steps", 10001), "from 1 to 10000"),
                       (("--all", "--steps", 1), "--all")):
        status, out, err = haft("resume", *words)
        check(f"more_steps_are_refused_{'_'.join(map(str, words[1:]))}_{name}",
              (status, why in err), (2, True))


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
        waiting(store)
        inside(store)
        more_steps(store)
