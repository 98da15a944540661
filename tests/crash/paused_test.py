#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many paused runs without a process: many processes answer them in any order.

tests/engine/paused_test.c does the same with thousands of runs inside one process, and measures
their memory and disk space.
"""
import concurrent.futures
import json
import random
import time

import crash_help as help
import history
from crash_help import call, effect

AT_ONCE = 8
PAGE = 1000  # runs that are listed at once


def begin(store, path):
    status, out, _ = store.haft("run", path, "go", "--json")
    return (json.loads(out)["run"], status)


def many(count, job):
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(job, range(count)))


def test_answered(store):
    path = help.spec(store, "waits", [[call("pick")], [call("send")], "good"],
                     [help.tool("pick"), effect(store, "send")])
    runs = [run for run, status in many(help.rounds(40, 1000), lambda _: begin(store, path))
            if status == 4]
    random.Random(time.time_ns()).shuffle(runs)
    took = []

    def answer(i):
        start = time.monotonic()
        status = store.haft("answer", runs[i], str(i))[0]
        took.append(time.monotonic() - start)
        return status

    problems = [f"{run}: exit {status}" for run, status in zip(runs, many(len(runs), answer))
                if status != 0]
    took.sort()
    print(f"# {len(runs)} runs, {AT_ONCE} at a time: answered and ended in "
          f"{took[len(took) // 2] * 1000:.0f} ms (p99 {took[int(.99 * len(took))] * 1000:.0f} ms)")
    problems += history.check_store(store, help.effects(store), {"send": "once"})
    if len(help.effects(store)) != len(runs):
        problems.append(f"{len(help.effects(store))} effects of {len(runs)} runs")
    help.check(f"paused_runs_are_answered_in_any_order_{store.kind}", problems)


def test_found(store):
    """`resume --all` finds due runs after more runs than one list has."""
    count = PAGE + 20 if help.LONG else 20
    due = help.spec(store, "due", [[call("pick")], "good"], [help.tool("pick")],
                    pauses={"headless": {"deadline": "1ms", "on_expire": {"answer": 1}}})
    waits = help.spec(store, "waits", [[call("pick")], "good"], [help.tool("pick")])
    first = [run for run, status in many(5, lambda _: begin(store, due)) if status == 4]
    many(count, lambda _: begin(store, waits))
    store.haft("resume", "--all", timeout=600)
    left = {row["run"] for row in store.runs("--open")} & set(first)
    ended = [store.shown(run)["end"] for run in first]
    help.same(f"due_runs_are_found_among_many_{store.kind}", (left, set(ended) - {"done"}),
              (set(), set()))


help.for_each_store(test_answered, test_found)
