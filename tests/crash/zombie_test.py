#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A process that is stopped past its lease and wakes up: everything it still does is rejected.

Another process has claimed its run since. The process that wakes up may neither keep the run, nor
append to it, end it or release it; the run has one history and one end.
"""
import json
import os
import signal

import crash_help as help
import history
from crash_help import call, effect

class Zombie:
    """A process that owns a run, whose tool waits until the test allows it to end."""

    def __init__(self, store, name, **traits):
        self.store = store
        self.begun, self.go = store.folder / f"{name}.begun", store.folder / f"{name}.go"
        wait = (f"echo x >> {self.begun}; n=0; "
                f"while [ ! -e {self.go} ] && [ $n -lt 6000 ]; do n=$((n+1)); sleep 0.05; done")
        path = help.spec(store, name, [[call("send")], "good"],
                         [effect(store, "send", before=wait, **traits)])
        self.process = store.start("run", path, "go", "--events", env=help.SHORT_LEASE)
        self.reader = help.Reader(self.process)
        help.wait_for(self.begun.exists)
        self.run = json.loads(self.reader.lines[0])["run"]
        os.kill(self.process.pid, signal.SIGSTOP)

    def wake(self):
        os.kill(self.process.pid, signal.SIGCONT)

    def end(self):
        status = self.process.wait(help.SOON)
        self.reader.join(help.SOON)
        return status

    def tools(self):
        """The number of tools that have started."""
        return len(self.begun.read_text().splitlines())


def look(zombie, wanted_effects):
    store, run = zombie.store, zombie.run
    keys = [key for key, *_ in help.effects(store) if key.startswith(run)]
    ends = [e["end"] for e in store.events(run) if e["kind"] == "run_finished"]
    problems = history.check_events(run, store.events(run))
    if ends != ["done"]:
        problems.append(f"ends: {ends}")
    if len(keys) not in wanted_effects:
        problems.append(f"{len(keys)} effects, wanted {wanted_effects}")
    problems += history.check_acknowledged(zombie.reader.lines, store.lines(run))
    if store.haft("runs", "replay", run)[0] != 0:
        problems.append("the replay differs")
    return problems


def test_ended(store):
    """It wakes up after the run has ended: its result and its end are rejected."""
    for name, traits, wanted in (("once", {"on_unknown": "tell"}, (0, 1)),
                                 ("idempotent", {"idempotent": True}, (1, 2))):
        zombie = Zombie(store, f"ended_{name}", **traits)
        before = store.row(zombie.run)
        help.pass_lease()
        zombie.go.write_text("")
        status = store.haft("resume", zombie.run)[0]
        done = store.lines(zombie.run)
        zombie.wake()
        ended = zombie.end()
        problems = look(zombie, wanted)
        if status != 0 or ended == 0:
            problems.append(f"the other ended with {status}, the zombie with {ended}")
        if store.lines(zombie.run) != done:
            problems.append("the log has changed after the end")
        problems += history.check_rows([before], [store.row(zombie.run)])
        help.check(f"a_result_of_a_process_that_was_stopped_is_rejected_{name}_{store.kind}",
                   problems)


def test_meanwhile(store):
    """It wakes up while another process works on the run: it may neither keep nor release the
    run."""
    for word, end in (("wakes", None), ("is_interrupted", signal.SIGINT)):
        zombie = Zombie(store, f"meanwhile_{word}", idempotent=True)
        help.pass_lease()
        other = store.start("resume", zombie.run, "--events")
        reader = help.Reader(other)
        help.wait_for(lambda: zombie.tools() == 2)
        epoch = store.row(zombie.run)["epoch"]
        zombie.wake()
        if end:
            zombie.process.send_signal(end)
        ended = zombie.end()
        problems = [] if ended not in (0, None) else [f"the zombie ended with {ended}"]
        third = store.haft("resume", "--all")
        if third[0] != 0 or other.poll() is not None:
            problems.append(f"the run was taken from its owner: {third}")
        if store.row(zombie.run)["epoch"] != epoch:
            problems.append(f"epoch {epoch} became {store.row(zombie.run)['epoch']}")
        zombie.go.write_text("")
        if other.wait(help.SOON) != 0:
            problems.append(f"the other ended with {other.returncode}")
        reader.join(help.SOON)
        problems += look(zombie, (1, 2))
        problems += history.check_acknowledged(reader.lines, store.lines(zombie.run))
        help.check(f"a_process_that_was_stopped_{word}_and_does_not_keep_the_run_{store.kind}",
                   problems)


def test_model(store):
    """It wakes up with a reply of the model, and nothing was written meanwhile: only the epoch
    distinguishes it from the owner."""
    path = help.spec(store, "model", ["early"], [])
    script = store.folder / "model.script.json"
    script.write_text(json.dumps({"replies": [{"text": "early", "delay": help.LEASE_SECONDS / 2}]}))
    process = store.start("run", path, "go", "--events", env=help.SHORT_LEASE)
    run = json.loads(process.stdout.readline())["run"]
    os.kill(process.pid, signal.SIGSTOP)
    script.write_text(json.dumps({"replies": [{"text": "late", "delay": 4}]}))
    epoch = store.row(run)["epoch"]
    help.pass_lease()
    other = store.start("resume", run, "--events")
    reader = help.Reader(other)
    help.wait_for(lambda: store.row(run)["epoch"] > epoch)
    os.kill(process.pid, signal.SIGCONT)
    ended = process.wait(help.SOON)
    process.stdout.close()
    problems = [] if ended != 0 else ["the zombie has ended the run"]
    if other.wait(help.SOON) != 0:
        problems.append(f"the other ended with {other.returncode}")
    reader.join(help.SOON)
    answers = [e["answer"] for e in store.events(run) if e["kind"] == "run_finished"]
    if answers != ["late"]:
        problems.append(f"answers: {answers}")
    help.check(f"a_reply_of_a_process_that_was_stopped_is_rejected_{store.kind}",
               problems + history.check_events(run, store.events(run))
               + history.check_acknowledged(reader.lines, store.lines(run)))


help.for_each_store(test_ended, test_model, test_meanwhile)
