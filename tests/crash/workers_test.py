#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Workers that are stopped past their lease, and many answers to runs that workers own.

The tests of zombie_test.py and races_test.py with `haft worker`: it survives the loss of a run, so
everything it still does with that run must be rejected.
"""
import concurrent.futures
import json
import os
import random
import signal
import time

import crash_help as help
import history
from crash_help import call, effect

AT_ONCE = 8


class Worker:
    """A running worker; its output is in a file."""
    count = 0

    def __init__(self, store, *words, env=None):
        Worker.count += 1
        self.output = store.folder / f"worker{Worker.count}.output"
        with open(self.output, "w") as out:
            self.process = store.start("worker", "--json", "--poll", 30, *words, env=env, out=out)

    def reports(self, run=None):
        lines = [json.loads(line) for line in self.output.read_text().splitlines()
                 if line.endswith("}")]
        return [one["what"] for one in lines if run in (None, one["run"])]

    def signal(self, number):
        os.kill(self.process.pid, number)

    def stop(self):
        self.process.terminate()
        return self.process.wait(help.SOON)


def detach(store, path):
    status, out, err = store.haft("run", path, "go", "--detach")
    if status != 0:
        raise RuntimeError(f"run --detach: exit {status}: {err}")
    return out.strip()


def end_of(store, run):
    return (store.row(run) or {}).get("end")


def blocking_spec(store, name, **traits):
    """A spec whose tool reports its start, and waits until it may end."""
    begun, go = store.folder / f"{name}.begun", store.folder / f"{name}.go"
    wait = (f"echo x >> {begun}; n=0; "
            f"while [ ! -e {go} ] && [ $n -lt 6000 ]; do n=$((n+1)); sleep 0.05; done")
    path = help.spec(store, name, [[call("send")], "good"],
                     [effect(store, "send", before=wait, **traits)])
    return path, begun, go


# ---- stopped past the lease ----

def stopped(store, path, begun):
    """A worker that owns the run, stopped until its lease has expired."""
    run = detach(store, path)
    zombie = Worker(store, env=help.SHORT_LEASE)
    help.wait_for(begun.exists)
    zombie.signal(signal.SIGSTOP)
    before = store.row(run)
    help.pass_lease()
    return run, zombie, before


def check_run(store, run, effect_counts):
    """The problems of a run that must have ended well, with one of these numbers of effects."""
    ends = [e["end"] for e in store.events(run) if e["kind"] == "run_finished"]
    count = sum(key.startswith(run) for key, *_ in help.effects(store))
    problems = history.check_events(run, store.events(run))
    if ends != ["done"]:
        problems.append(f"ends: {ends}")
    if count not in effect_counts:
        problems.append(f"{count} effects, wanted {effect_counts}")
    return problems


def test_ended(store):
    """While a worker is stopped, another worker ends its run. When the first worker continues, its
    heartbeat, result, end and release change nothing."""
    for name, traits, wanted in (("once", {"on_unknown": "tell"}, (0, 1)),
                                 ("idempotent", {"idempotent": True}, (1, 2))):
        path, begun, go = blocking_spec(store, f"ended_{name}", **traits)
        run, zombie, before = stopped(store, path, begun)
        go.write_text("")
        other = Worker(store)
        help.wait_for(lambda: end_of(store, run))
        lines = store.lines(run)
        zombie.signal(signal.SIGCONT)
        help.wait_for(lambda: "lost" in zombie.reports(run))
        problems = check_run(store, run, wanted)
        if "lost" not in zombie.reports(run) or "ended" in zombie.reports(run):
            problems.append(f"the stopped worker reported {zombie.reports(run)}")
        later = detach(store, path)  # both survive, and one of them claims it
        help.wait_for(lambda: end_of(store, later))
        statuses = [zombie.stop(), other.stop()]
        if store.lines(run) != lines or statuses != [0, 0] or end_of(store, later) != "done":
            problems.append(f"afterwards: {statuses}, the next run {end_of(store, later)}")
        problems += history.check_rows([before], [store.row(run)])
        help.check(f"results_of_a_worker_that_was_stopped_are_rejected_{name}_{store.kind}",
                   problems)


def test_meanwhile(store):
    """While a worker is stopped, another worker claims its run. When the first worker continues, it
    neither keeps nor releases the run."""
    for word, end in (("wakes", None), ("is_terminated", signal.SIGTERM)):
        path, begun, go = blocking_spec(store, f"meanwhile_{word}", idempotent=True)
        run, zombie, _ = stopped(store, path, begun)
        other = Worker(store)  # with the default lease, not the short one
        help.wait_for(lambda: len(begun.read_text().split()) == 2)
        row = store.row(run)
        zombie.signal(signal.SIGCONT)
        if end:
            zombie.signal(end)
            zombie.process.wait(help.SOON)
        help.wait_for(lambda: {"lost", "released"} & set(zombie.reports(run)))
        problems = []
        third = Worker(store, "--until-idle")
        third.process.wait(help.SOON)
        if third.reports(run):
            problems.append(f"the run could be claimed: {third.reports(run)}")
        if store.row(run)["epoch"] != row["epoch"]:
            problems.append(f"epoch {row['epoch']} became {store.row(run)['epoch']}")
        go.write_text("")
        help.wait_for(lambda: end_of(store, run))
        statuses = [zombie.stop(), other.stop()]
        if statuses != [0, 0] or other.reports(run) != ["taken", "ended"]:
            problems.append(f"exit {statuses}, the other reported {other.reports(run)}")
        help.check(f"a_worker_that_was_stopped_and_{word}_does_not_keep_the_run_{store.kind}",
                   problems + check_run(store, run, (1, 2)))


# ---- answers and workers ----

def at_once(jobs):
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return [done.result() for done in [pool.submit(job) for job in jobs]]


def answers_of(store, run):
    return [e for e in store.events(run) if e["kind"] == "answered"]


def answer_at_once(store, name, path, begun=None, go=None):
    """Many answers with four different values to one pause, while four workers run."""
    workers = [Worker(store) for _ in range(4)]
    run = detach(store, path)
    help.wait_for(lambda: any(e["kind"] == "paused" for e in store.events(run)))
    help.wait_for(lambda: begun is None or begun.exists())
    bodies = [n % 4 for n in range(20 if help.SANITIZED else 100)]
    answers = help.behind_a_barrier(store, [("answer", run, "c1.1", body) for body in bodies])
    if go:
        go.write_text("")
    help.wait_for(lambda: end_of(store, run))
    accepted = [e["value"] for e in answers_of(store, run)]
    problems = [] if len(accepted) == 1 else [f"answers: {accepted}"]
    problems += [f"{body} gave {status}, {accepted[0]} is the answer: {err}"
                 for body, (status, _, err) in zip(bodies, answers) if accepted
                 and (status not in (0, 4) if body == accepted[0] else status != 1)]
    statuses = [worker.stop() for worker in workers]
    if statuses != [0] * 4 or end_of(store, run) != "done":
        problems.append(f"workers {statuses}, the run {end_of(store, run)}")
    help.check(f"one_of_many_answers_is_accepted_{name}_{store.kind}", problems)
    return run


def test_answers(store):
    idle = help.spec(store, "idle", [[call("pick")], [call("send")], "good"],
                     [help.tool("pick"), effect(store, "send")])
    answer_at_once(store, "with_idle_workers", idle)
    path, begun, go = blocking_spec(store, "busy")
    spec = json.loads(path.read_text())
    busy = help.spec(store, "busy", [[call("pick"), call("send")], "good"],
                     [help.tool("pick"), *spec["tools"]])
    answer_at_once(store, "while_a_worker_owns_the_run", busy, begun, go)
    help.check(f"histories_after_answers_are_correct_{store.kind}",
               history.check_store(store, help.effects(store), {"send": "once"}))
    help.same(f"each_effect_happens_once_{store.kind}", len(help.effects(store)), 2)


def test_paused(store):
    """Very many paused runs are answered in random order, and workers continue them."""
    count = help.rounds(80, 10000)
    path = help.spec(store, "waits", [[call("pick")], "good"], [help.tool("pick")])
    runs = at_once([lambda: detach(store, path)] * count)
    first = [Worker(store, "--until-idle", "--concurrency", 16) for _ in range(2)]
    problems = [f"exit {w.process.wait(600)}" for w in first if w.process.wait(1200) != 0]
    workers = [Worker(store, "--concurrency", 16) for _ in range(2)]
    random.Random(time.time_ns()).shuffle(runs)
    took = []

    def answer(run, n):
        begun = time.monotonic()
        status, _, err = store.haft("answer", run, str(n), "--quiet")
        took.append(time.monotonic() - begun)
        return [] if status == 0 else [f"{run}: exit {status}: {err}"]

    for found in at_once([lambda run=run, n=n: answer(run, n) for n, run in enumerate(runs)]):
        problems += found
    help.wait_for(lambda: not store.runs("--open", "--limit", 1))
    problems += [f"a worker: exit {w.process.returncode}" for w in workers if w.stop() != 0]
    for run, events in zip(runs, at_once([lambda run=run: store.events(run) for run in runs])):
        problems += history.check_events(run, events)
        if (events[-1].get("end"), sum(e["kind"] == "answered" for e in events)) != ("done", 1):
            problems.append(f"{run}: {events[-1]}")
    took.sort()
    print(f"# {store.kind}: {count} paused runs, answered in "
          f"{took[len(took) // 2] * 1000:.0f} ms (p99 {took[int(.99 * len(took))] * 1000:.0f} ms)")
    help.check(f"many_paused_runs_are_answered_in_random_order_{store.kind}", problems)


help.for_each_store(test_ended, test_meanwhile, test_answers, test_paused)
