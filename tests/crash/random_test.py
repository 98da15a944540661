#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 at random moments of processes that work on many runs at once.

No event that a process printed as durable may be lost, every run must end, and effects occur as
often as their class allows. `make test` does some dozens of kills; HAFT_LONG=1 does a thousand
kills of fifty runs.
"""
import json
import random
import threading
import time

import crash_help as help
import history
from crash_help import call, effect

PROCESSES = 4
CLASSES = {"look": "read_only", "put": "idempotent", "send": "once", "post": "once",
           "again": "retry"}


def make(store):
    tools = [effect(store, "look", read_only=True), effect(store, "put", idempotent=True),
             effect(store, "send", on_unknown="tell"), effect(store, "post", on_unknown="ask"),
             effect(store, "again", on_unknown="retry")]
    turns = [[call("look", q=f"{i}"), call("put", q=f"{i}"), call("send", q=f"{i}")]
             if i % 2 else [call("post", q=f"{i}"), call("again", q=f"{i}")]
             for i in range(1, 5 if not help.LONG else 9)]
    return help.spec(store, "victim", [*turns, "good"], tools)


class Killer:
    """Several threads that start processes for runs without an owner, and kill them."""

    def __init__(self, store, path, live, kills, seed):
        self.store, self.path, self.live, self.kills = store, path, live, kills
        self.random, self.lock = random.Random(seed), threading.Lock()
        self.busy, self.printed, self.recoveries, self.killed = set(), {}, [], 0
        self.started, self.problems = 0, []

    def next_words(self):
        """Starts a new run until there are enough; then resumes an open one."""
        with self.lock:
            if self.started < self.live:
                self.started += 1
                return None, ("run", self.path, "go", "--events")
            rows = [row for row in self.store.runs("--open") if row["run"] not in self.busy]
            if not rows:
                self.started += 1
                return None, ("run", self.path, "go", "--events")
            row = self.random.choice(rows)
            self.busy.add(row["run"])
            pending = self.store.shown(row["run"])["pending"] if row["state"] == "waiting" else []
            if pending:
                word, *more = help.ANSWERS[pending[0]["kind"]](pending[0])
                return row["run"], (word, row["run"], *more, "--events")
            return row["run"], ("resume", row["run"], "--events")

    def one(self):
        run, words = self.next_words()
        begun = time.monotonic()
        process = self.store.start(*words)
        times = []
        reader = help.Reader(process, lambda n: times.append(time.monotonic()))
        with self.lock:
            patience = self.random.uniform(0.005, 0.15)
        try:
            process.wait(patience)
        except help.subprocess.TimeoutExpired:
            process.kill()
            with self.lock:
                self.killed += process.wait() == -9
        reader.join(help.SOON)
        with self.lock:
            for line in reader.lines:
                self.printed.setdefault(json.loads(line)["run"], []).append(line)
            if run:
                self.busy.discard(run)
                self.recoveries += [times[0] - begun] if times else []

    def hand(self):
        try:
            while self.killed < self.kills and not self.problems:
                self.one()
        except Exception as problem:  # an exception of a thread would be lost
            self.problems.append(repr(problem))

    def work(self):
        hands = [threading.Thread(target=self.hand) for _ in range(PROCESSES)]
        for hand in hands:
            hand.start()
        for hand in hands:
            hand.join()


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


def test_random(store):
    seed = int(help.os.environ.get("HAFT_SEED", time.time_ns() % 1000000))
    wanted = help.rounds(40, 1000)
    killer = Killer(store, make(store), 50 if wanted >= 1000 else 10, wanted, seed)
    killer.work()
    before = store.runs()
    problems = killer.problems + help.drive(store)
    problems += history.check_rows(before, store.runs())
    lines = {row["run"]: store.lines(row["run"]) for row in before}
    count = 0
    for run, printed in killer.printed.items():
        count += len(printed)
        problems += [f"{run}: {p}" for p in history.check_acknowledged(printed, lines.get(run, []))]
    problems += history.check_store(store, help.effects(store), CLASSES)
    took = [1000 * percentile(killer.recoveries, share) for share in (0.5, 0.99)]
    print(f"# seed {seed}: {killer.killed} kills, {len(before)} runs, {count} acknowledged events,"
          f" {len(help.effects(store))} effects; claimed again in {took[0]:.0f} ms"
          f" (p99 {took[1]:.0f} ms)")
    help.check(f"nothing_is_lost_or_doubled_by_random_kills_{store.kind}", problems)


help.for_each_store(test_random)
