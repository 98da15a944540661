#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trees of runs: kill -9 at every write of start, run, end and adoption; many children; workers.

After each kill other processes drive the tree to its end. Every child_started then has exactly one
run, every run one end, and every effect happened once.
"""
import json
import os
import shutil
import signal
from pathlib import Path

import crash_help as help
import history
from crash_help import call, effect

CLASSES = {"send": "once", "look": "read_only", "mail": "once", "send_question": "once"}
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MODES = ["begin", "torn", "sync", "synced"] if help.LONG else ["begin", "synced"]
MOST = 200  # more writes than a tree has


def agent(store, name, replies, tools, **more):
    """The spec of an agent, as a value."""
    path = help.spec(store, name, replies, tools, description=f"The agent {name} of this test.",
                     **more)
    return json.loads(path.read_text())


def team(store):
    """An editor with two researchers; one of them asks for approval, the other has its own."""
    reader = agent(store, "reader", [[call("look", q="a")], "read"],
                   [effect(store, "look", read_only=True)])
    first = agent(store, "first", [[call("ask_reader", task="r"), call("send", q="b")], "one"],
                  [{"name": "ask_reader", "agent": "reader"}, effect(store, "send")],
                  agents={"reader": reader})
    second = agent(store, "second", [[call("mail", q="c")], "two"],
                   [effect(store, "mail", needs_approval=True)])
    return help.spec(store, "editor", [[call("ask_first", task="f"), call("ask_second", task="s")],
                                       "edited"],
                     [{"name": "ask_first", "agent": "first"},
                      {"name": "ask_second", "agent": "second"}],
                     agents={"first": first, "second": second}, limits={"turns": 40})


def kill_in_tree(store, path, mode, number):
    """One tree with one kill. Returns (problems, whether it was killed)."""
    shim = store.shim(kill=f"{mode}:{number}")
    status = store.haft("run", path, "go", "--quiet", env=shim)[0]
    return help.drive_trees(store), status == -9


def kill_while_answering(store, path, mode, number):
    """One tree with one kill of the process that approves the call of a child."""
    store.haft("run", path, "go", "--quiet")
    run = help.roots(store, "--open")[0]["run"]
    pending = store.shown(run)["pending"]
    shim = store.shim(kill=f"{mode}:{number}")
    status = store.haft("approve", run, pending[0]["call"], env=shim)[0]
    return help.drive_trees(store), status == -9


def killed_at_every_boundary(store):
    if help.no_shim():
        help.skip(f"killed_at_every_boundary_{store.kind}", help.no_shim())
        return
    path = team(store)
    for name, play in (("start", kill_in_tree), ("answer", kill_while_answering)):
        problems, kills = [], 0
        for mode in MODES:
            for number in help.tree_moments(store, MOST):
                stuck, killed = play(store, path, mode, number)
                problems += stuck
                kills += killed
                if not killed or problems:
                    break
            problems += history.check_store(store, help.effects(store), CLASSES)
            problems += history.check_trees(store)
            done = {row["end"] for row in help.roots(store)}
            if done != {"done"}:
                problems.append(f"trees ended as {done}")
            problems += help.remove_trees(store)
        if not kills:
            problems.append("nothing was killed")
        help.check(f"a_tree_killed_at_every_write_of_its_{name}_ends_once_{store.kind}", problems)


def workers_that_are_killed(store):
    """Two workers, one of which is killed; the approval comes from another process."""
    path = team(store)
    runs = [json.loads(store.haft("run", path, "go", "--detach", "--json")[1])["run"]
            for _ in range(3)]
    workers = [store.start("worker", "--poll", "50", env=help.SHORT_LEASE,
                           out=help.subprocess.DEVNULL) for _ in range(2)]

    def pending():
        return [len(store.shown(run)["pending"]) for run in runs] == [1, 1, 1]
    waited = help.wait_for(pending, pause=0.2)
    workers[0].kill()
    workers[0].wait()
    for run in runs:
        store.haft("approve", run, "--json")
    ended = help.wait_for(lambda: all(row["state"] == "ended" for row in store.runs()), pause=0.2)
    workers[1].terminate()
    workers[1].wait(help.SOON)
    problems = [] if waited and ended else [f"waited {waited}, ended {ended}"]
    problems += help.drive_trees(store)
    problems += history.check_store(store, help.effects(store), CLASSES)
    problems += history.check_trees(store)
    help.check(f"a_tree_with_two_workers_ends_once_{store.kind}", problems)


def many_children(store):
    """Many children of one reply, a tenth of which fail."""
    count = 500 if help.LONG else 30
    good = agent(store, "good", ["fine"], [])
    bad = agent(store, "bad", [], [])
    calls = [call("ask_bad" if i % 10 == 0 else "ask_good", task=str(i)) for i in range(count)]
    path = help.spec(store, "many", [calls, "all"],
                     [{"name": "ask_good", "agent": "good", "limits": {"turns": 1}},
                      {"name": "ask_bad", "agent": "bad", "limits": {"turns": 1}}],
                     agents={"good": good, "bad": bad},
                     limits={"turns": 2 * count + 10, "calls": 2 * count, "parallel": count})
    status, out, err = store.haft("run", path, "go", "--json")
    result = json.loads(out)
    events = store.events(result["run"])
    finished = [event["end"] for event in events if event["kind"] == "child_finished"]
    problems = history.check_trees(store)
    if (status, result["answer"]) != (0, "all"):
        problems.append(f"exit {status}: {out} {err}")
    if (finished.count("done"), finished.count("failed")) != (count - count // 10, count // 10):
        problems.append(f"children ended as {finished}")
    help.check(f"many_children_run_and_a_tenth_fails_{store.kind}", problems)


# ---- examples/team.yaml ----

def put_example(store):
    """The example, with an effect in place of its `echo`."""
    shutil.copytree(EXAMPLES / "team", store.folder / "team")
    lines = (EXAMPLES / "team.yaml").read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if "command: [echo" in line)
    lines[at] = f"        command: {json.dumps(effect(store, 'send_question')['command'])}"
    return store.put("team.yaml", "\n".join(lines) + "\n")


def check_example(store, name, problems):
    found = [key for key, *_ in help.effects(store)]
    problems += [] if len(found) == 1 else [f"effects: {found}"]
    problems += [f"{row['run']} ended as {row['end']}" for row in store.runs()
                 if row["end"] != "done"]
    problems += history.check_store(store, help.effects(store), CLASSES)
    problems += history.check_trees(store)
    help.check(name, problems)


def example_that_is_killed(store):
    """It is killed when its researchers have started, resumed, and approved by another process."""
    process = store.start("run", put_example(store), "go", "--events")
    first = json.loads(process.stdout.readline())
    while json.loads(process.stdout.readline())["kind"] != "child_started":
        pass
    process.kill()
    process.wait()
    process.stdout.close()
    run = first["run"]
    status = store.haft("resume", run, "--quiet")[0]
    problems = [] if status == 4 else [f"resume: exit {status}"]
    pending = [one["call"] for one in store.shown(run)["pending"]]
    status, out, err = store.haft("approve", run)
    problems += [] if (pending, status) == (["c1.2/c1.1"], 0) else [f"{pending} {status} {err}"]
    check_example(store, f"the_example_is_killed_and_answered_by_another_process_{store.kind}",
                  problems)


def example_with_workers(store):
    """Two workers, one of which is killed while the tree waits for the approval."""
    run = json.loads(store.haft("run", put_example(store), "go", "--detach", "--json")[1])["run"]
    workers = [store.start("worker", "--poll", "50", env=help.SHORT_LEASE,
                           out=help.subprocess.DEVNULL) for _ in range(2)]
    waited = help.wait_for(lambda: store.shown(run)["pending"], pause=0.2)
    workers[0].kill()
    workers[0].wait()
    store.haft("approve", run, "--json")  # it follows the run, or a worker has it
    ended = help.wait_for(lambda: store.row(run)["state"] == "ended", pause=0.2)
    workers[1].terminate()
    workers[1].wait(help.SOON)
    problems = [] if waited and ended else [f"waited {waited}, ended {ended}"]
    check_example(store, f"the_example_ends_with_two_workers_{store.kind}", problems)


# ---- zombies ----

def stopped_process(store):
    """A process that works on a tree is stopped past its leases. Another one ends the tree. All
    that the first still does when it wakes up is rejected, for the root and for the child."""
    begun, gate = store.folder / "begun", store.folder / "go"
    wait = f"echo x >> {begun}; n=0; while [ ! -e {gate} ] && [ $n -lt 6000 ]; do n=$((n+1)); " \
        "sleep 0.05; done"
    child = agent(store, "child", [[call("send", q="a")], "sent"],
                  [effect(store, "send", before=wait, on_unknown="tell")])
    path = help.spec(store, "top", [[call("ask_child", task="c")], "good"],
                     [{"name": "ask_child", "agent": "child"}], agents={"child": child})
    process = store.start("run", path, "go", "--events", env=help.SHORT_LEASE)
    reader = help.Reader(process)
    help.wait_for(begun.exists)
    run = json.loads(reader.lines[0])["run"]
    os.kill(process.pid, signal.SIGSTOP)
    help.pass_lease()
    gate.write_text("")
    status = store.haft("resume", run, "--quiet")[0]
    runs = [row["run"] for row in store.runs()]
    done = [store.lines(one) for one in runs]
    os.kill(process.pid, signal.SIGCONT)
    ended = process.wait(help.SOON)
    reader.join(help.SOON)
    problems = help.drive_trees(store)
    if status != 0 or ended == 0:
        problems.append(f"the other process ended with {status}, the stopped one with {ended}")
    if (len(runs), [store.lines(one) for one in runs]) != (2, done):
        problems.append("a log has changed after its end")
    if len(help.effects(store)) > 1:
        problems.append(f"effects: {help.effects(store)}")
    problems += history.check_store(store, help.effects(store), CLASSES)
    problems += history.check_trees(store)
    help.check(f"a_stopped_process_changes_no_run_of_its_tree_{store.kind}", problems)


help.for_each_store(killed_at_every_boundary, workers_that_are_killed, many_children,
                    example_that_is_killed, example_with_workers, stopped_process)
