#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tools that time out and ignore signals; whether they had their effect is unknown.

Every process that such a tool started is killed, its end is an event, no process is left, and
`on_unknown` decides about the call. The executor alone is tested in
tests/exec/command/command_test.c.
"""
import os
from pathlib import Path

import crash_help as help
import history
from crash_help import call, effect

# What a tool does instead of ending.
HANGS = {
    "ignores_sigterm": "trap '' TERM HUP INT; sleep 300",
    "forks_twice": "(setsid sh -c 'sleep 300' & ) ; sleep 300",
    "holds_the_pipe": "sleep 300 & exit 0",
    "stops_itself": "kill -STOP $$; sleep 300",
    "leaves_its_group": "exec setsid sleep 300",
    "kills_its_guard": "(setsid sleep 300 &); kill -9 $PPID; sleep 300",
    "kills_both_guards": "(setsid sleep 300 &); "
                         "kill -9 $PPID $(cut -d' ' -f4 /proc/$PPID/stat); sleep 300",
}
# The tool itself exits with 0; the processes that it started keep running.
ENDS_WELL = ("holds_the_pipe", "leaves_its_group")
CLASSES = {"send": "once", "put": "idempotent"}


def left(mark):
    """Processes that still have the mark in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                found.append(f"{entry.name} {(entry / 'cmdline').read_bytes()!r}")
        except OSError:
            pass
    return found


def zombies_of(process):
    """Children that ended and were not waited for."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if fields[0] == "Z" and int(fields[1]) == process.pid:
                found.append(entry.name)
        except (OSError, IndexError):
            pass
    return found


def hanging(store, name, how, mark, **traits):
    made = effect(store, name, after=how, timeout="300ms", **traits)
    return dict(made, env={"HAFT_TEST_MARK": mark})


def play(store, hang, on_unknown):
    """One call that hangs; then a second one, during which the children of haft are inspected."""
    mark = f"{hang}-{on_unknown}-{os.getpid()}"
    inspected = store.folder / f"{mark}.inspected"
    tools = [hanging(store, "send", HANGS[hang], mark, on_unknown=on_unknown),
             effect(store, "put", before=f"until [ -e {inspected} ]; do sleep 0.02; done",
                    idempotent=True)]
    path = help.spec(store, f"{hang}_{on_unknown}",
                     [[call("send")], [call("put")], "good"], tools)
    process = store.start("run", path, "go", "--events")
    lines, zombies = [], []
    for line in process.stdout:
        lines.append(help.json.loads(line))
        if lines[-1]["kind"] == "call_started" and lines[-1]["tool"] == "put":
            if not help.wait_for(lambda: not zombies_of(process)):
                zombies = zombies_of(process)
            inspected.touch()  # `put` may end: haft ran until now, so its zombies were visible
    inspected.touch()
    status, run = process.wait(help.SOON), lines[0]["run"]
    problems = [f"a zombie: {pid}" for pid in zombies]
    if hang in ENDS_WELL:
        wanted = (0, [])
    else:
        wanted = {"ask": (4, ["unknown_outcome"]), "tell": (0, []), "retry": (0, [])}[on_unknown]
    paused = [e["pause"] for e in lines if e["kind"] == "paused"]
    if (status, paused) != wanted:
        problems.append(f"exit {status}, pauses {paused}, wanted {wanted}")
    help.wait_for(lambda: not left(mark))
    problems += [f"left: {p}" for p in left(mark)]
    problems += help.drive(store) + history.check_events(run, store.events(run))
    return problems


def test_hangs(store):
    for hang in HANGS:
        problems = []
        for on_unknown in ("ask",) if hang in ENDS_WELL else ("ask", "tell"):
            problems += [f"{on_unknown}: {p}" for p in play(store, hang, on_unknown)]
        help.check(f"a_tool_that_{hang}_is_ended_{store.kind}", problems)
    help.check(f"histories_after_hangs_are_correct_{store.kind}",
               history.check_store(store, help.effects(store), CLASSES))


def test_timeouts(store):
    """The tool had its effect and gave no result: the class of the tool decides what follows."""
    for name, traits, wanted, max_effects in (("ask", {"on_unknown": "ask"}, 4, 1),
                                              ("tell", {"on_unknown": "tell"}, 0, 1),
                                              ("idempotent", {"idempotent": True}, 0, 9),
                                              ("read_only", {"read_only": True}, 0, 9)):
        done = len(help.effects(store))
        path = help.spec(store, f"late_{name}", [[call("send")], "good"],
                         [effect(store, "send", after="sleep 300", timeout="1s", **traits)])
        status = store.haft("run", path, "go")[0]
        count = len(help.effects(store)) - done
        problems = [] if status == wanted and 1 <= count <= max_effects else [
            f"exit {status}, wanted {wanted}; {count} effects, wanted 1 to {max_effects}"]
        problems += help.drive(store)
        if len(help.effects(store)) - done != count:
            problems.append("there was another effect later")
        help.check(f"a_timeout_after_the_effect_is_handled_by_class_{name}_{store.kind}", problems)


help.for_each_store(test_hangs, test_timeouts)
