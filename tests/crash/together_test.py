#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three calls at once: one needs approval, one a client, one is slow and killed.

Two other processes approve and answer, in either order, before or after the process that runs the
slow call is killed. Each effect occurs once, and the run ends as done.
"""
import itertools
import json

import crash_help as help
import history
from crash_help import call, effect

CLASSES = {"send": "once", "slow": "idempotent"}
WORDS = {"approve": ("c1.1",), "answer": ("c1.2", '"mine"')}


class Scene:
    def __init__(self, store, name):
        self.store = store
        self.begun, self.go = store.folder / f"{name}.begun", store.folder / f"{name}.go"
        wait = (f"echo x >> {self.begun}; n=0; while [ ! -e {self.go} ] && [ $n -lt 1200 ]; "
                "do n=$((n+1)); sleep 0.05; done")
        path = help.spec(store, name, [[call("send"), call("pick"), call("slow")], "good"],
                         [effect(store, "send", needs_approval=True), help.tool("pick"),
                          effect(store, "slow", before=wait, idempotent=True)])
        self.first = store.start("run", path, "go", "--events")
        self.run = json.loads(self.first.stdout.readline())["run"]
        self.wait_for_start(1)
        self.others = []

    def wait_for_start(self, times):
        """Waits until the slow tool has started that often."""
        help.wait_for(lambda: self.begun.exists()
                      and len(self.begun.read_text().splitlines()) >= times)

    def kill(self):
        self.first.kill()
        self.first.wait()
        self.first.stdout.close()

    def command(self, word):
        self.others.append(self.store.start(word, self.run, *WORDS[word], "--json",
                                            out=help.subprocess.DEVNULL))
        help.wait_for(lambda: WORDS[word][0] in self.finished(), pause=0.1)

    def finished(self):
        """Calls that have their results. A kill before that is another test."""
        return [e["call"] for e in self.store.events(self.run) if e["kind"] == "call_finished"]

    def close(self):
        self.go.write_text("")
        statuses = [other.wait(help.SOON) for other in self.others]
        return statuses


def play(store, order, at):
    """Two commands in this order, with the kill before the first, between them, or after both."""
    scene = Scene(store, f"{order[0]}{at}")
    for place in range(3):
        if place == at:
            scene.kill()
        if place < 2:
            scene.command(order[place])
    taken = [] if at < 2 else help.drive_later(store, scene.run)
    scene.wait_for_start(2)
    scene.close()
    for process in taken:
        process.wait(help.SOON)
    ends = help.wait_for(lambda: [e["end"] for e in store.events(scene.run)
                                  if e["kind"] == "run_finished"], pause=0.1)
    keys = sorted(tool for key, tool, *_ in help.effects(store) if key.startswith(scene.run))
    problems = history.check_events(scene.run, store.events(scene.run))
    if ends != ["done"] or keys != ["send", "slow"]:
        problems.append(f"{ends}, effects {keys}")
    if store.haft("runs", "replay", scene.run)[0] != 0:
        problems.append("the replay differs")
    return problems


def test_together(store):
    for order, at in itertools.product((("approve", "answer"), ("answer", "approve")), range(3)):
        when = ("before_both", "between", "after_both")[at]
        help.check(f"three_at_once_{order[0]}_first_killed_{when}_{store.kind}",
                   play(store, order, at))
    help.check(f"histories_are_correct_{store.kind}",
               history.check_store(store, help.effects(store), CLASSES))


help.for_each_store(test_together)
