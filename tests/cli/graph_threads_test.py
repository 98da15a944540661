#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Channels with `lifetime: thread`: the next run of the thread begins with their values.

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
LONG = 300


def haft(*words, stdin=None):
    done = subprocess.run([HAFT, *map(str, words)], text=True, capture_output=True, cwd=scratch,
                          env=environment, timeout=LONG, input=stdin,
                          stdin=None if stdin is not None else subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def spec(nodes=None, channels=None, **more):
    """Counts its runs, and notes the words that they get."""
    return dict({"haft": 1, "kind": "graph", "name": "g", "graph": {
        "input": ["word"], "output": ["runs", "words", "own"],
        "channels": channels or {
            "word": {"type": "string"},
            "runs": {"reducer": "add", "lifetime": "thread"},
            "words": {"reducer": "append", "lifetime": "thread"},
            "own": {"reducer": "add"}},
        "nodes": nodes or {"note": {"do": [{"set": {"runs": 1, "own": 1}},
                                           {"copy": {"words": "/word"}}]}},
        "edges": [{"from": "start", "to": "note"}]}}, **more)


def run(value, word, *words):
    (Path(scratch) / "spec.json").write_text(json.dumps(value))
    status, out, err = haft("run", "spec.json", word, "--json", *words)
    result = json.loads(out) if out else {"err": err}
    return result


def answer(result):
    return json.loads(result.get("answer") or "null")


def events(run_id, kind):
    lines = [json.loads(line) for line in haft("runs", "events", run_id)[1].splitlines()]
    return [event for event in lines if event["kind"] == kind]


def kept_for_the_next_run(name):
    first = run(spec(), "a")
    second = run(spec(), "b", "--thread", first["thread"])
    third = run(spec(), "c", "--thread", first["thread"])
    check(f"each_run_begins_with_the_last_{name}", [answer(one) for one in (first, second, third)],
          [{"own": 1, "runs": n, "words": list("abc"[:n])} for n in (1, 2, 3)])
    states = [events(one["run"], "thread_state")[0] for one in (first, second, third)]
    check(f"the_log_has_what_the_thread_keeps_{name}",
          [(one["from"], one["values"]) for one in states],
          [(None, {}), (first["run"], {"runs": 1, "words": ["a"]}),
           (second["run"], {"runs": 2, "words": ["a", "b"]})])
    check(f"the_end_has_it_{name}", events(third["run"], "run_finished")[0]["kept"],
          {"runs": 3, "words": ["a", "b", "c"]})
    check(f"runs_of_a_thread_replay_{name}",
          [haft("runs", "replay", one["run"])[0] for one in (first, second, third)], [0, 0, 0])
    check(f"another_thread_begins_anew_{name}", answer(run(spec(), "d"))["runs"], 1)
    status, out, err = haft("runs", "fork", third["run"], "--step", "0", "--go", "--json")
    fork = json.loads(out)
    check(f"a_fork_has_the_values_in_its_log_{name}",
          (answer(fork)["runs"], haft("runs", "replay", fork["run"])[0]), (3, 0))
    return first["thread"]


def ends(name):
    """Runs that fail keep their last step; a run that never began keeps nothing."""
    first = run(spec(), "a")
    failing = {"note": {"do": [{"set": {"runs": 1}}]}, "bad": {"do": [{"fail": "no"}]}}
    broken = spec(failing)
    broken["graph"]["edges"].append({"from": "note", "to": "bad"})
    failed = run(broken, "b", "--thread", first["thread"])
    third = run(spec(), "c", "--thread", first["thread"])
    check(f"a_failed_run_keeps_its_last_step_{name}", (failed["end"], answer(third)["runs"]),
          ("failed", 3))
    asking = spec({"note": {"ask": "Go on?", "out": {"own": ""}}})
    waiting = run(asking, "d", "--thread", first["thread"])
    haft("cancel", waiting["run"])
    fifth = run(spec(), "e", "--thread", first["thread"])
    check(f"a_cancelled_run_keeps_its_last_step_{name}",
          (events(fifth["run"], "thread_state")[0]["from"], answer(fifth)["runs"]),
          (waiting["run"], 4))
    agent = Path(scratch) / "agent.json"
    agent.write_text(json.dumps({"haft": 1, "name": "a", "model": "script:one.json"}))
    (Path(scratch) / "one.json").write_text(json.dumps({"replies": [{"text": "hi"}]}))
    haft("run", agent, "x", "--thread", first["thread"])
    check(f"a_run_of_an_agent_in_between_{name}",
          answer(run(spec(), "f", "--thread", first["thread"]))["runs"], 5)


def changed_channels(name):
    first = run(spec(), "a")
    channels = spec()["graph"]["channels"]
    text = dict(channels, runs={"type": "string", "lifetime": "thread"})
    nodes = {"note": {"do": [{"set": {"own": 1}}]}}
    typed = run(spec(nodes, text), "b", "--thread", first["thread"])
    check(f"another_type_fails_{name}",
          (typed["end"], "the thread keeps a value that the graph does not accept: channel 'runs'"
           in typed["reason"]), ("failed", True))
    merged = dict(channels, words={"reducer": "merge", "lifetime": "thread"})
    reduced = run(spec(nodes, merged), "b", "--thread", first["thread"])
    check(f"another_reducer_fails_{name}",
          (reduced["end"], "channel 'words': expected an object" in reduced["reason"]),
          ("failed", True))
    run_only = dict(channels, runs={"reducer": "add"})
    check(f"a_channel_that_is_not_kept_any_more_{name}",
          answer(run(spec(None, run_only), "b", "--thread", first["thread"]))["runs"], 1)


def queued(name):
    """A run that waits for its turn begins with what the run before it has left."""
    first = run(spec(), "a")
    asking = spec({"note": {"ask": "Go on?", "out": {"own": ""}},
                   "count": {"do": [{"set": {"runs": 10}}]}})
    asking["graph"]["edges"].append({"from": "note", "to": "count"})
    waiting = run(asking, "b", "--thread", first["thread"])
    (Path(scratch) / "next.json").write_text(json.dumps(spec()))
    next_run = subprocess.Popen([HAFT, "run", "next.json", "c", "--thread", first["thread"],
                                 "--json"], cwd=scratch, env=environment, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL)
    haft("answer", waiting["run"], "n1.1", "1")
    out = next_run.communicate(timeout=LONG)[0]
    check(f"a_queued_run_begins_with_the_last_values_{name}", answer(json.loads(out))["runs"], 12)


def chats(name):
    (Path(scratch) / "spec.json").write_text(json.dumps(spec()))
    status, out, err = haft("chat", "spec.json", stdin="x\ny\n")
    check(f"a_chat_keeps_its_values_{name}", ('"runs":1' in out, '"runs":2' in out),
          (True, True))


def moved(name, url, other):
    """Neither a move to another store nor the removal of old runs loses the values."""
    first = run(spec(), "a")
    second = run(spec(), "b", "--thread", first["thread"])
    status, out, err = haft("migrate", "--from", url, "--to", other)
    environment["HAFT_STORE"] = other
    third = run(spec(), "c", "--thread", first["thread"])
    check(f"a_moved_thread_keeps_its_values_{name}",
          (status, answer(third)["runs"], haft("runs", "replay", second["run"])[0]), (0, 3, 0))
    environment["HAFT_STORE"] = url


def removed(name):
    """A run begins with the values of the last run of its thread that is left."""
    first = run(spec(), "a")
    second = run(spec(), "b", "--thread", first["thread"])
    status, out, err = haft("runs", "rm", first["run"])
    third = run(spec(), "c", "--thread", first["thread"])
    check(f"without_the_first_run_{name}", (status, answer(third)),
          (0, {"own": 1, "runs": 3, "words": ["a", "b", "c"]}))
    haft("runs", "gc", "--keep", 1)
    fourth = run(spec(), "d", "--thread", first["thread"])
    check(f"gc_keeps_threads_whole_{name}",
          (answer(fourth)["runs"], haft("runs", "replay", second["run"])[0]), (4, 0))
    haft("runs", "rm", fourth["run"])
    check(f"without_the_last_run_the_one_before_counts_{name}",
          answer(run(spec(), "d", "--thread", first["thread"]))["runs"], 4)
    haft("runs", "gc", "--keep", 0)
    check(f"a_thread_without_runs_begins_anew_{name}",
          answer(run(spec(), "e", "--thread", first["thread"]))["runs"], 1)


def exported(name):
    """The events of a run, in a file, have the values that it began and ended with."""
    first = run(spec(), "a")
    second = run(spec(), "b", "--thread", first["thread"])
    file = Path(scratch) / "events.jsonl"
    file.write_text(haft("runs", "events", second["run"])[1])
    check(f"a_file_of_events_replays_{name}",
          haft("runs", "replay", file, "--spec", "spec.json")[0], 0)
    state = json.loads(haft("runs", "state", file, "--spec", "spec.json")[1])["state"]
    check(f"a_file_of_events_has_the_state_{name}", (state["runs"], state["words"]),
          (2, ["a", "b"]))
    forked = haft("runs", "fork", file, "--spec", "spec.json", "--step", 0)[1].splitlines()
    kept = [json.loads(line)["values"] for line in forked if '"thread_state"' in line]
    check(f"a_fork_of_a_file_has_the_values_{name}", kept, [{"runs": 1, "words": ["a"]}])


TESTS = [kept_for_the_next_run, ends, changed_channels, queued, chats, removed, exported]

with tempfile.TemporaryDirectory() as scratch:
    for store, new_store in stores(scratch):
        url = new_store()
        environment = dict(os.environ, HAFT_STORE=url, XDG_CONFIG_HOME=scratch)
        for test in [one for one in TESTS if not sys.argv[1:] or one.__name__ in sys.argv]:
            test(store)
        if not sys.argv[1:] or "moved" in sys.argv:
            moved(store, url, new_store())
