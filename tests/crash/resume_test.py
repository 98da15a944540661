#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`haft resume ROOT` after the process of a tree was killed: its children have ended, failed, wait
for people, were running a call, or belong to another process."""
import json

import crash_help as help
import history
from crash_help import call, effect

CLASSES = {"send": "once", "look": "read_only", "mail": "once"}


def agent(store, name, replies, tools, **more):
    path = help.spec(store, name, replies, tools, description=f"The agent {name} of this test.",
                     **more)
    return json.loads(path.read_text())


def held(store, name):
    """The part of a tool's script that reports its start, and waits until the file exists."""
    go = store.folder / f"{name}.go"
    return go, f"n=0; while [ ! -e {go} ] && [ $n -lt 6000 ]; do n=$((n+1)); sleep 0.05; done"


def team(store):
    """A root whose children are in each state when its process is killed."""
    go, wait = held(store, "team")
    clerk = agent(store, "clerk", [[call("mail", q="deep")], "sent"],
                  [effect(store, "mail", needs_approval=True)])
    agents = {
        "ended": agent(store, "ended", ["one"], []),
        "failed": agent(store, "failed", [], []),
        "reader": agent(store, "reader", [[call("look", q="r")], "read"],
                        [effect(store, "look", after=wait, read_only=True)]),
        "sender": agent(store, "sender", [[call("send", q="s")], "sent"],
                        [effect(store, "send", after=wait)]),
        "asker": agent(store, "asker", [[call("mail", q="a")], "asked"],
                       [effect(store, "mail", needs_approval=True)]),
        "chief": agent(store, "chief", [[call("ask_clerk", task="c")], "chief"],
                       [{"name": "ask_clerk", "agent": "clerk"}], agents={"clerk": clerk})}
    path = help.spec(store, "root", [[call(f"ask_{name}", task="t") for name in agents], "all"],
                     [{"name": f"ask_{name}", "agent": name, "limits": {"turns": 5}}
                      for name in agents],
                     agents=agents, limits={"turns": 60, "parallel": 8})
    return path, go


def pending(store, run):
    return sorted((one["call"], one["kind"]) for one in store.shown(run)["pending"])


def ends(store, run):
    return sorted(event["end"] for event in store.events(run) if event["kind"] == "child_finished")


def resumed_by_hand(store):
    path, go = team(store)
    process = store.start("run", path, "go", "--quiet", out=help.subprocess.DEVNULL)
    waited = help.wait_for(lambda: len(help.effects(store)) == 2 and (run := newest(store)) and (
        ends(store, run) == ["done", "failed"] and len(pending(store, run)) == 2), pause=0.1)
    run = newest(store)
    process.kill()
    process.wait()
    go.write_text("")
    status = store.haft("resume", run, "--quiet")[0]
    problems = [] if waited else [f"before the kill: {ends(store, run)} {pending(store, run)}"]
    found = status, ends(store, run), pending(store, run)
    wanted = (4, ["done", "done", "failed"],
              [("c1.4/c1.1", "unknown_outcome"), ("c1.5/c1.1", "approval"),
               ("c1.6/c1.1/c1.1", "approval")])
    problems += [] if found == wanted else [f"after the resume: {found}"]
    answers = [store.haft("answer", run, "c1.4/c1.1", "it did")[0],
               store.haft("approve", run, "c1.6/c1.1/c1.1")[0],
               store.haft("approve", run, "c1.5/c1.1")[0]]
    shown = store.shown(run)
    if (answers, shown["answer"], ends(store, run)) != ([4, 4, 0], "all", 5 * ["done"]
                                                        + ["failed"]):
        problems.append(f"answers {answers}: {shown['answer']} {ends(store, run)}")
    problems += history.check_store(store, help.effects(store), CLASSES)
    problems += history.check_trees(store)
    help.check(f"a_killed_tree_with_children_in_each_state_is_resumed_{store.kind}", problems)


def newest(store):
    found = help.roots(store)
    return found[0]["run"] if found else None


def child_of_another_process(store):
    """A worker has the child when somebody resumes its parent: the child runs once, and the parent
    gets its end."""
    help.log_of(store).unlink(missing_ok=True)
    go, wait = held(store, "foreign")
    sender = agent(store, "sender", [[call("send", q="s")], "sent"],
                   [effect(store, "send", after=wait)])
    path = help.spec(store, "root", [[call("ask_sender", task="t")], "all"],
                     [{"name": "ask_sender", "agent": "sender"}], agents={"sender": sender})
    run = store.haft("run", path, "go", "--detach")[1].strip()
    worker = store.start("worker", "--poll", "30", out=help.subprocess.DEVNULL)
    problems = [] if help.wait_for(lambda: help.effects(store)) else ["the child did not start"]
    before = store.row(run)["epoch"]
    process = store.start("resume", run, "--json")
    if not help.wait_for(lambda: store.row(run)["epoch"] > before):
        problems.append("the root was not opened")
    go.write_text("")
    out = process.communicate()[0]
    worker.terminate()
    worker.wait(help.SOON)
    result = json.loads(out)
    if (process.returncode, result["answer"], len(help.effects(store))) != (0, "all", 1):
        problems.append(f"exit {process.returncode}: {out} {help.effects(store)}")
    problems += history.check_trees(store)
    help.check(f"a_resumed_root_waits_for_a_child_of_a_worker_{store.kind}", problems)


help.for_each_store(resumed_by_hand, child_of_another_process)
