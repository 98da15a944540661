#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/search.yaml and examples/analysis.yaml: kill -9 in the middle of a fan-out, of the
process that runs them or of one of two workers.

After each kill other processes continue the run. It then ends with the result of every worker
exactly once, the same results as without a kill.
"""
import json
import sys
import threading
import time
from pathlib import Path

import crash_help as help
import history

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from wire_server import Server, chat  # noqa: E402

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MOST = 400  # more writes than a run has
SEARCHED = {"gate.c": "/* The gate. */\nint open_gate(void)\n{\n    return 1;\n}\n",
            "main.c": "int main(void)\n{\n    return open_gate();\n}\n",
            "gate.md": "# The gate\n\nThe gate opens once.\n"}
QUESTION = "Where is open_gate defined?"
# The nodes of the fan-outs of each example, and the channel with the results of its workers.
EXAMPLE = {"search": ({"worker"}, "findings"), "analysis": ({"searcher", "critic"}, "results")}


def words_of(store, name):
    """The arguments of `haft run` for an example; it searches a small directory."""
    root = store.folder / "searched"
    root.mkdir(exist_ok=True)
    for file, text in SEARCHED.items():
        (root / file).write_text(text)
    return [str(EXAMPLES / f"{name}.yaml"), QUESTION, "--set", f"root={root}"]


def results_of(store, run, name):
    """The answer, and the results of all workers in their order."""
    state = json.loads(store.haft("runs", "state", run)[1])["state"]
    return store.shown(run)["answer"], state[EXAMPLE[name][1]]


def open_workers(store, run, name):
    """The workers of the fan-outs that have started and not finished, and those that have
    finished."""
    started, finished = set(), set()
    for event in store.events(run):
        if event["kind"] == "child_started" and event["node"].split("[")[0] in EXAMPLE[name][0]:
            started.add(event["child"])
        elif event["kind"] == "child_finished":
            finished.add(event["child"])
    return started - finished, started & finished


def check_runs(store, name, expected):
    problems = history.check_store(store) + history.check_trees(store)
    for row in help.roots(store):
        if row["end"] != "done" or results_of(store, row["run"], name) != expected:
            problems.append(f"{row['run']} ended as {row['end']} with "
                            f"{results_of(store, row['run'], name)}")
        if store.haft("runs", "replay", row["run"])[0] != 0:
            problems.append(f"{row['run']} does not replay")
    return problems


def without_a_kill(store, name):
    status, out, err = store.haft("run", *words_of(store, name), "--json")
    if status != 0:
        raise RuntimeError(f"{name}: exit {status}: {err}")
    expected = results_of(store, json.loads(out)["run"], name)
    help.same(f"{name}_has_a_result_of_each_worker_{store.kind}",
              (len(expected[1]), any(one.startswith("worker error") for one in expected[1])),
              (4, False))
    return expected


def moments(store):
    """Writes at which to kill: each, or some from a random start. PostgreSQL has more messages."""
    step = 1 if help.LONG else 24 if store.kind == "postgres" else 6
    return range(1 + time.time_ns() // 1000 % step, MOST, step)


def killed_at_writes(store):
    if help.no_shim():
        help.skip(f"an_example_killed_at_writes_{store.kind}", help.no_shim())
        return
    for name in EXAMPLE:
        expected, problems, middle = without_a_kill(store, name), help.remove_trees(store), 0
        for number in moments(store):
            status = store.haft("run", *words_of(store, name), "--quiet",
                                env=store.shim(kill=f"synced:{number}"))[0]
            for row in help.roots(store, "--open"):
                middle += bool(open_workers(store, row["run"], name)[0])
            problems += help.drive_trees(store)
            if status != -9 or problems:
                break
        problems += check_runs(store, name, expected) + help.remove_trees(store)
        # A sixth of the writes may miss the fan-outs, which are short with `offline`. PostgreSQL
        # executes all that was sent before the kill. killed_in_the_middle holds the workers.
        if not middle and help.LONG and store.kind == "sqlite":
            problems.append("no kill was in a fan-out")
        help.check(f"{name}_killed_at_writes_has_each_result_once_{store.kind}", problems)


# ---- a model that answers when the test says so ----

class Gate:
    """A server of models. It holds the requests of the workers of a fan-out while it is closed, and
    answers each of them with the task of the worker."""

    def __init__(self, name):
        self.open = threading.Event()
        self.server = Server([self.answer] * 1000)
        self.name = name

    def answer(self, request):
        task = next(message["content"] for message in request["messages"]
                    if message["role"] == "user")
        self.open.wait(help.SOON)
        return chat("found: " + task.split("\n")[0])

    def words(self):
        return [word for node in sorted(EXAMPLE[self.name][0])
                for word in ("--set", f"graph.nodes.{node}.agent.model=openai:m")]

    def environment(self):
        return dict(help.SHORT_LEASE, OPENAI_API_KEY="k", OPENAI_BASE_URL=self.server.url("/v1"))

    def holds(self, count):
        return help.wait_for(lambda: self.server.active == count)


def held(name):
    """The workers of the first fan-out."""
    return 4 if name == "search" else 2


def with_open_gate(store, name):
    gate = Gate(name)
    gate.open.set()
    with gate.server:
        status, out, err = store.haft("run", *words_of(store, name), *gate.words(), "--json",
                                      env=gate.environment())
    if status != 0:
        raise RuntimeError(f"{name}: exit {status}: {err}")
    return results_of(store, json.loads(out)["run"], name)


def killed_in_the_middle(store):
    """The process that runs the example and all its workers is killed while all of them wait for
    their model."""
    for name in EXAMPLE:
        expected, gate = with_open_gate(store, name), Gate(name)
        with gate.server:
            process = store.start("run", *words_of(store, name), *gate.words(), "--quiet",
                                  env=gate.environment(), out=help.subprocess.DEVNULL)
            problems = [] if gate.holds(held(name)) else ["the workers did not start"]
            process.kill()
            process.wait()
            run = help.roots(store, "--open")[0]["run"]
            before = open_workers(store, run, name)
            gate.open.set()
            status, _, err = store.haft("resume", run, "--quiet", env=gate.environment())
        if (status, len(before[0]), before[1]) != (0, held(name), set()):
            problems.append(f"exit {status}, {before} when it was killed: {err}")
        problems += check_runs(store, name, expected)
        help.check(f"{name}_killed_in_a_fan_out_has_each_result_once_{store.kind}", problems)
        help.remove_trees(store)


def claimed_by(output):
    """The runs that a worker has claimed, by its reports."""
    return {report["run"] for report in map(json.loads, output.read_text().splitlines())
            if report["what"] == "taken"}


def worker_killed_alone(store):
    """Of two processes, each with half of the workers of a fan-out, one is killed."""
    for name in EXAMPLE:
        expected, gate = with_open_gate(store, name), Gate(name)
        half = held(name) // 2
        with gate.server:
            run = store.haft("run", *words_of(store, name), *gate.words(), "--detach",
                             env=gate.environment())[1].strip()
            outputs = [store.folder / f"{name}{i}.output" for i in range(2)]
            workers = [store.start("worker", "--json", "--poll", 30, "-n", half,
                                   env=gate.environment(), out=output.open("w"))
                       for output in outputs]
            problems = [] if gate.holds(held(name)) else ["the workers did not start"]
            started = open_workers(store, run, name)[0]
            workers[0].kill()
            workers[0].wait()
            theirs = [started & claimed_by(output) for output in outputs]
            gate.open.set()
            if not help.wait_for(lambda: store.row(run)["state"] == "ended", pause=0.2):
                problems.append("it has not ended")
            workers[1].terminate()
            workers[1].wait(help.SOON)
        if [len(runs) for runs in theirs] != [half, half]:
            problems.append(f"the two processes had {theirs} of {started}")
        owners = [store.row(child)["epoch"] for child in sorted(theirs[0])]
        problems += [] if min(owners, default=0) > 1 else [f"owners of the killed: {owners}"]
        problems += check_runs(store, name, expected)
        help.check(f"{name}_with_a_killed_worker_has_each_result_once_{store.kind}", problems)
        help.remove_trees(store)


help.for_each_store(killed_in_the_middle, worker_killed_alone, killed_at_writes)
