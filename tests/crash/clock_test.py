#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clocks that jump by an hour or a day, forward and back, between processes and during one.

A deadline may be noticed late. It is never lost, never applied twice, and never applied before its
time on the clock of the process that applies it. shim.c moves the wall clock; the monotonic clock
is unchanged.
"""
import json

import crash_help as help
import history
from crash_help import call, effect

HOUR, DAY = 3600, 86400
CLASSES = {"slow": "idempotent", "send": "once"}


def pause(store, path, env):
    """Starts a run that pauses. Returns its id from the output, because ids depend on the clock, or
    None if it did not pause."""
    status, out, _ = store.haft("run", path, "go", "--json", env=env)
    return json.loads(out)["run"] if status == 4 else None


def by_deadline(store, run):
    return [e for e in store.events(run) if e["kind"] == "answered" and e["by"] == "deadline"]


def check_run(store, run, wanted, end="done"):
    """The problems of a run whose pause should expire `wanted` times."""
    events = store.events(run)
    problems = history.check_events(run, events)
    if len(by_deadline(store, run)) != wanted:
        problems.append(f"{len(by_deadline(store, run))} deadlines, wanted {wanted}")
    if events[-1].get("end") != end:
        problems.append(f"it ended as {events[-1].get('end')}, wanted {end}")
    if store.haft("runs", "replay", run)[0] != 0:
        problems.append("the replay differs")
    return problems


# ---- between processes ----

# Offsets of the clock: when the run starts, and in each process that opens it later. Last, the
# index of the process that must end the run: the first that is past the deadline of 30 minutes.
BETWEEN = [
    ("an_hour_forward", 0, [HOUR], 0),
    ("a_day_forward", 0, [DAY], 0),
    ("an_hour_back_and_forward", 0, [-HOUR, HOUR], 1),
    ("a_day_back_and_forward_again", DAY, [0, DAY + HOUR], 1),
    ("back_and_forward_several_times", 0, [-DAY, 0, -HOUR, HOUR, -DAY], 3),
]


def test_between(store):
    path = help.spec(store, "between", [[call("pick")], "good"], [help.tool("pick")],
                     pauses={"headless": {"deadline": "30m", "on_expire": {"answer": "late"}}})
    clock = store.folder / "clock"
    for name, begin, offsets, ends_in in BETWEEN:
        clock.write_text(str(begin))
        shim = store.shim(clock=clock)
        problems, run = [], pause(store, path, shim)
        for i, offset in enumerate(offsets):
            clock.write_text(str(offset))
            store.haft("resume", "--all", env=shim)
            ended = store.row(run)["state"] == "ended"
            if ended != (i >= ends_in):
                problems.append(f"process {i} at {offset}: it has {'' if ended else 'not '}ended")
        help.check(f"a_deadline_expires_once_with_the_clock_{name}_{store.kind}",
                   problems + check_run(store, run, 1))


def test_answers(store):
    """An answer is in time or late by the clock of the process that records it, never both."""
    path = help.spec(store, "answers", [[call("pick")], "good"], [help.tool("pick")],
                     pauses={"headless": {"deadline": "30m", "on_expire": "fail"}})
    clock = store.folder / "clock"
    for offset, wanted in ((-DAY, ("done", 0)), (0, ("done", 0)), (DAY, ("expired", 1))):
        clock.write_text("0")
        run = pause(store, path, store.shim(clock=clock))
        clock.write_text(str(offset))
        store.haft("answer", run, "1", env=store.shim(clock=clock))
        help.check(f"an_answer_is_in_time_or_late_with_the_clock_{offset}_off_{store.kind}",
                   check_run(store, run, wanted[1], wanted[0]))


# ---- during a process ----

def wait_for_jump(clock_reads, jump):
    """Waits until the process has read the clock after the jump; returns the problem if it has
    not."""
    seen = help.wait_for(lambda: clock_reads.exists()
                         and str(jump) in clock_reads.read_text().split())
    return [] if seen else [f"the jump by {jump} was not seen"]


def test_during(store):
    """The clock jumps while the owner of the run is alive: the deadline is noticed late, but
    once."""
    clock = store.folder / "clock"
    for name, jumps in (("forward", [HOUR]), ("back", [-HOUR]),
                        ("a_day_forward_and_back", [DAY, -DAY])):
        begun, go = store.folder / f"{name}.begun", store.folder / f"{name}.go"
        wait = (f"touch {begun}; n=0; while [ ! -e {go} ] && [ $n -lt 1200 ]; do n=$((n+1)); "
                "sleep 0.05; done")
        path = help.spec(store, f"during_{name}", [[call("pick"), call("slow")], "good"],
                         [help.tool("pick"), effect(store, "slow", before=wait, idempotent=True)],
                         pauses={"headless": {"deadline": "30m", "on_expire": {"answer": 1}}})
        clock.write_text("0")
        problems, clock_reads = [], store.folder / f"{name}.clock_reads"
        process = store.start("run", path, "go", "--events",
                              env=store.shim(clock=clock, clock_reads=clock_reads))
        run = json.loads(process.stdout.readline())["run"]
        help.wait_for(begun.exists)
        for jump in jumps:
            clock.write_text(str(jump))
            problems += wait_for_jump(clock_reads, jump)
        go.write_text("")
        reader = help.Reader(process)
        process.wait(help.SOON)
        reader.join(help.SOON)
        if store.row(run)["state"] != "ended":  # it was not due, or the next process notices it
            clock.write_text(str(HOUR))
            store.haft("resume", "--all", env=store.shim(clock=clock))
        help.check(f"a_deadline_expires_once_if_the_clock_jumps_{name}_{store.kind}",
                   problems + check_run(store, run, 1))


def killed(store, path, env):
    """A run whose process is killed after the effect of its call."""
    done = len(help.effects(store))
    process = store.start("run", path, "go", "--events", env=env)
    run = json.loads(process.stdout.readline())["run"]
    help.wait_for(lambda: len(help.effects(store)) > done)
    process.kill()
    process.wait()
    process.stdout.close()
    return run


def test_orphans(store):
    """A run whose process died is claimed whatever the clock shows, and once."""
    clock = store.folder / "clock"
    path = help.spec(store, "orphan", [[call("send")], "good"],
                     [effect(store, "send", after="sleep 300", on_unknown="tell")])
    problems = []
    for began, now in ((0, -DAY), (DAY, 0), (0, DAY), (-HOUR, HOUR)):
        clock.write_text(str(began))
        shim = store.shim(clock=clock)
        run = killed(store, path, shim)
        clock.write_text(str(now))
        status = store.haft("resume", "--all", env=shim)[0]
        if status != 0:
            problems.append(f"{began} to {now}: exit {status}, {store.runs('--open')}")
        problems += check_run(store, run, 0)
    help.check(f"orphans_are_claimed_whatever_the_clock_shows_{store.kind}",
               problems + history.check_store(store, help.effects(store), CLASSES))


def test_ahead(store):
    """A database uses its own clock: a process that is an hour ahead neither delays runs nor treats
    them as old."""
    if store.kind == "sqlite":
        return  # there the clock of the machine is the clock of the store
    clock = store.folder / "clock"
    clock.write_text(str(HOUR))
    shim = store.shim(clock=clock)
    path = help.spec(store, "ahead", ["good"], [])
    old = f"sqlite:{store.folder}/old.db"
    run = store.haft("run", path, "go", "--detach", "--store", old)[1].strip()
    store.haft("migrate", "--from", old, "--to", store.url(), "--move", env=shim)
    store.haft("worker", "--until-idle")
    ended = store.row(run)["state"] == "ended"
    problems = [] if ended else ["the worker did not claim the moved run"]
    removed = store.haft("runs", "gc", "--older", "30m", env=shim)[1]
    problems += [] if removed.startswith("0 ") else [f"gc: {removed}"]
    help.check(f"a_clock_ahead_of_the_database_does_no_harm_{store.kind}", problems)


if help.no_shim():
    help.skip("clock", help.no_shim())
else:
    help.for_each_store(test_between, test_answers, test_during, test_orphans, test_ahead)
