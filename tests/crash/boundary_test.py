#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 before, during and after every write of a run, for each class of tool.

shim.c stops the process exactly there. Other processes then drive the run to its end. The result
must equal that of a run without a kill: the same events, except those that recovery adds, and as
many effects as the class allows.
"""
import json
import time

import crash_help as help
import history
from crash_help import call, effect

MODES = ["begin", "torn", "sync", "synced"] if help.LONG else ["begin", "synced"]
# More transactions than any step has: the test continues until a step ends by itself.
MOST = 200


def moments(store):
    """Which writes of a step are killed: all, or every n-th from a random one on. A server gets
    many messages for one transaction."""
    if help.LONG:
        return range(1, MOST)
    each = 9 if store.kind == "postgres" else 4
    return range(1 + time.time_ns() // 1000 % each, MOST, each)


class Case:
    """A class of tool: its spec, the allowed results of its call, and how often its effect may
    occur."""

    def __init__(self, name, tool, least, most, results=("did send",), **how):
        self.name, self.tool, self.least, self.most = name, tool, least, most
        self.results, self.how = results, how

    def make(self, store):
        tool = effect(store, self.tool, **self.how.get("traits", {}))
        if self.how.get("headless"):
            tool = help.tool(self.tool)
        replies = [[call(self.tool, q="a")]] * self.how.get("calls", 1)
        return help.spec(store, self.name, [*replies, "good"], [tool],
                         on_unknown=self.how.get("on_unknown", "ask"))


LOST = ("did send", "it did")
CASES = [
    Case("read_only", "look", 1, 2, ("did look",), traits={"read_only": True}),
    Case("idempotent", "send", 1, 2, traits={"idempotent": True}),
    Case("at_most_once_ask", "send", 0, 1, LOST),
    Case("at_most_once_tell", "send", 0, 1, None, on_unknown="tell"),
    Case("at_most_once_retry", "send", 1, 2, on_unknown="retry"),
    Case("approval", "send", 0, 1, LOST, traits={"needs_approval": True}),
    Case("polls", "look", 2, 3, ("did look",), calls=2,
         traits={"read_only": True, "polls": True, "poll_delay": "100ms"}),
    Case("headless", "pick", 0, 0, ("mine", '"mine"'), headless=True),
]


def plain(events):
    """The parts that must be equal: without times and ids, and without the events that recovery
    adds."""
    kept, attempts = [], set()
    for event in events:
        unknown = event["kind"] == "paused" and event["pause"] == "unknown_outcome"
        if unknown:
            attempts.add(("unknown", event["call"]))
        if unknown or (event["kind"] == "answered" and ("unknown", event["call"]) in attempts):
            continue
        if event["kind"] == "call_started" and event["call"] in attempts:
            continue  # another attempt
        if event["kind"] == "call_started":
            attempts.add(event["call"])
        gone = ("seq", "at", "run", "thread", "ms", "idempotency_key", "arguments", "result",
                "ok", "error", "calls")
        kept.append(json.dumps({k: v for k, v in event.items() if k not in gone}, sort_keys=True))
    return kept


def results(events):
    return [e.get("result") for e in events if e["kind"] == "call_finished"]


def newest(store):
    return store.runs("--limit", "1")[0]["run"]


def steps(store, path):
    """The commands that bring the run to its end without a crash."""
    status = store.haft("run", path, "go", "--quiet")[0]
    run, words = newest(store), []
    while status == 4:
        pending = store.shown(run)["pending"][0]
        words.append(help.ANSWERS[pending["kind"]](pending))
        word, *more = words[-1]
        status = store.haft(word, run, *more)[0]
    return run, words


def kill_in_step(store, path, words, step, mode, number):
    """Plays the steps, the last one with a kill. Returns (run or None, whether it was killed)."""
    before = newest(store)
    shim = store.shim(kill=f"{mode}:{number}")
    status = store.haft("run", path, "go", "--quiet", env=shim if step == 0 else None)[0]
    run = newest(store)
    for i, (word, *more) in enumerate(words[:step], 1):
        status = store.haft(word, run, *more, env=shim if i == step else None)[0]
    return run if run != before else None, status == -9


def look(case, store, run, wanted, count):
    """The problems of a run that was killed once."""
    events = store.events(run)
    problems = history.check_events(run, events)
    if plain(events) != wanted:
        problems.append("events are\n" + "\n".join(plain(events)) + "\nwanted\n"
                        + "\n".join(wanted))
    if not case.least <= count <= case.most:
        problems.append(f"{count} effects, wanted {case.least} to {case.most}")
    wrong = [r for r in results(events) if case.results and r not in case.results]
    if wrong:
        problems.append(f"the call has the result {wrong}")
    if count == 0 and "did send" in results(events):
        problems.append("the call succeeded without its effect")
    status, out, _ = store.haft("runs", "replay", run)
    if status != 0:
        problems.append(f"the replay differs: {out}")
    return problems


def kill_everywhere(case, store, path, words, wanted):
    problems, kills, lost = [], 0, 0
    for step in range(len(words) + 1):
        for mode in MODES:
            for number in moments(store):
                done = len(help.effects(store))
                run, killed = kill_in_step(store, path, words, step, mode, number)
                stuck = help.drive(store)
                if not killed:
                    break
                kills += 1
                lost += run is None
                found = stuck or (run and look(case, store, run, wanted,
                                               len(help.effects(store)) - done)) or []
                problems += [f"step {step}, {mode}:{number}: {p}" for p in found]
    return problems, kills, lost


def test_boundaries(store):
    for case in CASES:
        path = case.make(store)
        run, words = steps(store, path)
        wanted = plain(store.events(run))
        problems, kills, lost = kill_everywhere(case, store, path, words, wanted)
        print(f"# {case.name}: {kills} kills, {lost} before the run was there")
        if kills < (2 if help.LONG else 1) * len(MODES):  # only some moments: there are few of them
            problems.append(f"only {kills} kills")
        help.check(f"killed_at_every_boundary_{case.name}_{store.kind}", problems)
    classes = {"look": "read_only", "send": "retry"}
    help.check(f"histories_after_kills_are_correct_{store.kind}",
               history.check_store(store, help.effects(store), classes))


def test_first_file(store):
    """The run that is killed creates the store."""
    problems, kills = [], 0
    for mode in MODES if help.LONG else MODES[:1]:
        for number in moments(store):
            with help.new_store(type(store)) as new:
                path = help.spec(new, "first", [[call("send")], "good"],
                                 [effect(new, "send", idempotent=True)])
                status = new.haft("run", path, "go", env=new.shim(kill=f"{mode}:{number}"))[0]
                if status != -9:
                    break
                kills += 1
                again = new.haft("run", path, "again", "--quiet")
                if again[:2] != (0, "good\n"):
                    problems.append(f"{mode}:{number}: the next run: {again}")
                problems += help.drive(new)
                problems += [f"{mode}:{number}: {p}" for p in history.check_store(
                    new, help.effects(new), {"send": "idempotent"})]
    print(f"# {kills} kills while the store is made")
    help.check(f"killed_while_the_store_is_created_{store.kind}", problems)


if help.no_shim():
    help.skip("boundaries", help.no_shim())
else:
    help.for_each_store(test_boundaries, test_first_file)
