#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 before, during and after every write of a fork and of /undo; and deadlines of forks.

Both copy runs that have ended into another thread. Whatever is killed, no effect is repeated: `haft
resume --all` finds nothing to continue, every copy is complete, and a fork that exists waits for
its user. A question that a fork asks again has its full time again, by the clock that shim.c moves,
and its expiry is not lost.
"""
import json
import time

import crash_help as help
import history
from crash_help import call, effect

MODES = ["begin", "torn", "sync", "synced"] if help.LONG else ["begin", "synced"]
MOST = 300


def moments(store):
    """A server gets many messages for one transaction."""
    each = 5 if store.kind == "postgres" and not help.LONG else 1
    return range(1 + time.time_ns() // 1000 % each, MOST, each)


def make_thread(store):
    """Two runs of a thread that charged and stored something; their ids, the older first."""
    keep = {"name": "store_artifact",
            "arguments": {"name": "bill.txt", "content": "two dollars"}}
    path = help.spec(store, "pay", [[call("charge", q="a"), keep], "good"],
                     [effect(store, "charge"), {"builtin": ["store_artifact"]}])
    thread = "01k00000000000000000000001"
    for task in ("first", "second"):
        status, out, err = store.haft("run", path, task, "--thread", thread, "--quiet")
        if status != 0:
            raise RuntimeError(f"run: exit {status}: {out}{err}")
    return path, thread, [row["run"] for row in reversed(store.runs())]


def look(store, was):
    """Continues every unfinished run, and returns the problems of the store."""
    problems, done = [], help.effects(store)
    status, out, err = store.haft("resume", "--all", "--quiet")
    if (status, out) != (0, ""):
        problems.append(f"resume --all found something: exit {status}: {out}{err}")
    if len(help.effects(store)) != len(done):
        problems.append("something was done again: " + " ".join(help.effects(store)[-1]))
    for row in store.runs():
        if row["run"] in was:
            continue
        was.add(row["run"])
        events = store.events(row["run"])
        problems += history.check_events(row["run"], events) + history.check_row(row, events)
        if row["state"] == "ended" and store.haft("runs", "artifact", row["run"],
                                                  "bill.txt")[1] != "two dollars":
            problems.append(f"{row['run']}: the artifact was not copied")
        if row["state"] not in ("ended", "waiting"):
            problems.append(f"{row['run']}: it is {row['state']} as {len(events)} events")
        if store.haft("runs", "replay", row["run"])[0] != 0:
            problems.append(f"{row['run']}: the replay differs")
    return problems


def kill_everywhere(store, words, stdin=""):
    problems, kills = [], 0
    was = {row["run"] for row in store.runs()}
    for mode in MODES:
        for number in moments(store):
            status = store.haft(*words, env=store.shim(kill=f"{mode}:{number}"), stdin=stdin)[0]
            problems += [f"{mode}:{number}: {found}" for found in look(store, was)]
            if status != -9:
                break
            kills += 1
    print(f"# {kills} kills")
    return problems if kills >= len(MODES) else problems + [f"only {kills} kills"]


def test_fork(store):
    path, thread, (first, second) = make_thread(store)
    for place in (("--turn", 0), ("--turn", 1)):
        help.check(f"a_fork_that_is_killed_does_nothing_turn_{place[1]}_{store.kind}",
                   kill_everywhere(store, ("runs", "fork", second, *place)))
    made = store.haft("runs", "fork", second, "--turn", 1)[1].strip()
    done = len(help.effects(store))
    help.same(f"a_fork_does_not_repeat_earlier_effects_{store.kind}",
              (store.haft("resume", made, "--quiet")[:2], len(help.effects(store)) - done),
              ((0, "good\n"), 0))


def test_undo(store):
    path, thread, _ = make_thread(store)
    help.check(f"an_undo_that_is_killed_does_nothing_{store.kind}", kill_everywhere(
        store, ("chat", path, "--thread", thread), stdin="/undo\n"))


# ---- deadlines ----

HOUR = 3600


def test_deadline(store):
    """Two approvals with an hour each; the second one was requested while another call was
    running."""
    path = help.spec(store, "due", [[call("send"), call("send")], "good"],
                     [effect(store, "send", needs_approval=True)],
                     pauses={"approval": {"deadline": "1h", "on_expire": "reject"}})
    clock = store.folder / "clock"
    shim = store.shim(clock=clock)

    def at(hours, *words):
        clock.write_text(str(int(hours * HOUR)))
        return store.haft(*words, env=shim)

    def all_of_them(hours):
        return [run["run"] for run in json.loads(at(hours, "resume", "--all", "--json")[1])["runs"]]

    run = json.loads(at(0, "run", path, "go", "--json")[1])["run"]
    at(0.5, "approve", run, "c1.2")
    at(0.75, "approve", run, "c1.1")
    done = len(help.effects(store))
    made = at(48, "runs", "fork", run, "--call", "c1.1")[1].strip()
    pending = store.shown(made)["pending"]
    help.same(f"a_question_that_is_asked_again_has_its_time_again_{store.kind}",
              ([p["call"] for p in pending], pending[0]["deadline"] > store.row(made)["created"],
               all_of_them(48.4)), (["c1.1"], True, []))
    status, out, _ = at(49, "runs", "fork", run, "--call", "c1.1", "--answer", '"mine"', "--json")
    other = json.loads(out)
    help.same(f"an_old_question_can_get_another_answer_{store.kind}",
              (status, other["end"], store.haft("runs", "replay", other["run"])[0]),
              (0, "done", 0))
    help.same(f"the_deadline_of_a_fork_is_not_lost_{store.kind}",
              (all_of_them(49.1),
               [e["by"] for e in store.events(made) if e["kind"] == "answered"][1:],
               store.haft("runs", "replay", made)[0], len(help.effects(store)) - done),
              ([made], ["deadline"], 0, 0))
    again = at(96, "runs", "fork", made, "--call", "c1.1")[1].strip()
    help.same(f"a_fork_of_a_fork_keeps_the_deadline_{store.kind}",
              (all_of_them(96.4), all_of_them(97.1), store.haft("runs", "replay", again)[0]),
              ([], [again], 0))
    back = at(-24, "runs", "fork", made, "--call", "c1.1")[1].strip()
    help.same(f"a_clock_that_was_set_back_makes_no_deadline_earlier_{store.kind}",
              (all_of_them(0), store.haft("runs", "replay", back)[0], all_of_them(98)),
              ([], 0, [back]))


if help.no_shim():
    help.skip("forks", help.no_shim())
else:
    help.for_each_store(test_fork, test_undo, test_deadline)
