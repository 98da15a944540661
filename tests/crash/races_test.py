#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many processes with different commands for one run: answers, verdicts, cancels, kills.

Exactly one command is accepted, the others are rejected, and the run has one end.
"""
import concurrent.futures
import json
import random
import signal
import subprocess
import time

import crash_help as help
import history
from crash_help import call, effect

AT_ONCE = 8
ANSWERS = 20 if help.SANITIZED else 100  # processes that start at the same moment
# Seconds for a tool that never ends by itself; a cancel without effect takes as long.
FOR_EVER = 1000
RANDOM = random.Random(time.time_ns())


def newest(store):
    return store.runs("--limit", "1")[0]["run"]


def events_of(store, run, *kinds):
    return [e for e in store.events(run) if e["kind"] in kinds]


def at_once(jobs):
    """Runs the jobs, AT_ONCE at a time; returns the results in the order of the jobs."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return [done.result() for done in [pool.submit(job) for job in jobs]]


# ---- answers ----

def test_answers(store):
    """Many answers with four different values to one pause, from as many processes at once."""
    path = help.spec(store, "answers", [[call("pick")], [call("send")], "good"],
                     [help.tool("pick"), effect(store, "send")])
    bodies, accepted, wrong = [n % 4 for n in range(ANSWERS)], [], []
    rounds = help.rounds(1, 10)
    for _ in range(rounds):
        store.haft("run", path, "go")
        run = newest(store)
        answers = help.behind_a_barrier(store, [("answer", run, "c1.1", body) for body in bodies])
        values = [e["value"] for e in events_of(store, run, "answered")]
        accepted.append(len(values))
        wrong += [f"{body} gave {status}, {values} is the answer: {err}"
                  for body, (status, _, err) in zip(bodies, answers)
                  if (status not in (0, 4) if body in values else status != 1)]
    help.same(f"one_of_many_answers_is_accepted_{store.kind}", accepted, [1] * rounds)
    help.check(f"an_equal_answer_is_accepted_and_another_is_rejected_{store.kind}", wrong)
    help.check(f"the_accepted_answer_has_its_effect_once_{store.kind}",
               help.drive(store) + history.check_store(
        store, help.effects(store), {"send": "once"}))
    help.same(f"each_accepted_answer_has_an_effect_{store.kind}", len(help.effects(store)), rounds)


def test_verdicts(store):
    """Some approve, some reject, some answer in place of the tool."""
    path = help.spec(store, "verdicts", [[call("send")], "good"],
                     [effect(store, "send", needs_approval=True)])
    problems, won = [], []
    for _ in range(help.rounds(3, 60)):
        store.haft("run", path, "go")
        run, done = newest(store), len(help.effects(store))
        words = [("approve", run, "c1.1"), ("reject", run, "c1.1", "--why", "no"),
                 ("answer", run, "c1.1", '"instead"')] * 2
        RANDOM.shuffle(words)
        answers = help.behind_a_barrier(store, words)
        verdicts = [e["verdict"] for e in events_of(store, run, "answered")]
        if len(verdicts) != 1:
            problems.append(f"{run}: wanted one verdict, found {verdicts}")
            continue
        won += verdicts
        wanted = {"approve": "approve", "reject": "reject", "respond": "answer"}[verdicts[0]]
        problems += [f"{run}: {verdicts[0]} was faster, {w[0]} gave {status}: {err}"
                     for w, (status, _, err) in zip(words, answers)
                     if (status not in (0, 4)) == (w[0] == wanted)]
        count = len(help.effects(store)) - done
        if count != (verdicts[0] == "approve"):
            problems.append(f"{run}: {verdicts[0]}, and {count} effects")
    print(f"# faster: {' '.join(won)}")
    problems += help.drive(store)
    problems += history.check_store(store, help.effects(store), {"send": "once"})
    help.check(f"one_of_approve_reject_and_answer_is_accepted_{store.kind}", problems)


def test_edits(store):
    """The call runs with the arguments that were approved."""
    sent = store.folder / "sent.log"
    send = help.tool("send", ["sh", "-c", f"cat >> {sent}"], traits={"needs_approval": True})
    path = help.spec(store, "edits", [[call("send", q="a")], "good"], [send])
    store.haft("run", path, "go")
    run = newest(store)
    help.same(f"approval_with_invalid_arguments_is_rejected_{store.kind}",
              (store.haft("approve", run, "--args", '{"q":{}}')[0], sent.exists()), (2, False))
    exits = at_once([lambda n=n: store.haft("approve", run, "c1.1", "--args",
                                            json.dumps({"q": f"{n}"}))[0] for n in range(8)])
    accepted = events_of(store, run, "answered")
    # 4: another process, which owns the run, has accepted it
    help.same(f"one_edit_is_accepted_{store.kind}",
              (len(accepted), len([status for status in exits if status in (0, 4)]),
               exits.count(1)), (1, 1, 7))
    help.same(f"the_call_runs_with_the_accepted_edit_{store.kind}",
              [json.loads(line) for line in sent.read_text().splitlines()], [accepted[0]["value"]])


def test_stopped_owner(store):
    """Approvals for a process that never reads them: the next owner continues the run."""
    begun = store.folder / "begun"
    look = help.tool("look", ["sh", "-c", f"mkdir {begun} && sleep 600; echo seen"],
                     traits={"read_only": True})
    send = effect(store, "send", before="sleep 0.3", needs_approval=True)
    path = help.spec(store, "stopped", [[call("look"), call("send", q="a")], "good"], [look, send])
    process, run = begin(store, path)
    help.wait_for(lambda: begun.exists() and events_of(store, run, "paused"))
    process.send_signal(signal.SIGSTOP)
    others = [subprocess.Popen(store.command("approve", run, "c1.2", "--args",
                                             json.dumps({"q": f"{n}"})),
                               text=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, cwd=store.folder, env=store.environment)
              for n in range(AT_ONCE)]
    warnings = [other.stderr.readline() for other in others]
    help.check(f"an_owner_that_does_not_answer_is_reported_{store.kind}",
               [line for line in warnings if "does not answer" not in line])
    process.kill()
    end(process)
    exits = [other.wait(help.SOON) for other in others]
    for other in others:
        other.stderr.close()
    ends = [e["end"] for e in events_of(store, run, "run_finished")]
    help.same(f"one_approval_for_a_stopped_owner_is_accepted_{store.kind}",
              (len(events_of(store, run, "answered")), exits.count(1)), (1, AT_ONCE - 1))
    help.same(f"a_run_of_a_stopped_owner_continues_{store.kind}",
              (ends, len(help.effects(store))), (["done"], 1))


def test_changed(store):
    """An approval applies to one definition of the tool: a changed definition needs a new
    approval."""
    tools = [effect(store, "send", needs_approval=True)]
    path = help.spec(store, "changed", [[call("send")], "good"], tools)
    store.haft("run", path, "go")
    run = newest(store)
    help.spec(store, "changed", [[call("send")], "good"],
              [dict(tools[0], description="Does something else for the tests of haft.")])
    exits = at_once([lambda: store.haft("approve", run, "c1.1") for _ in range(4)])
    help.same(f"a_changed_tool_is_not_approved_{store.kind}",
              ([status for status, _, _ in exits], help.effects(store)), ([2] * 4, []))
    status = store.haft("approve", run, "c1.1", "--accept-spec")[0]
    help.same(f"a_changed_tool_needs_approval_again_{store.kind}",
              (status, len(events_of(store, run, "paused")), help.effects(store)), (1, 2, []))
    help.same(f"a_changed_tool_runs_when_it_is_approved_again_{store.kind}",
              (store.haft("approve", run, "c1.1")[0], len(help.effects(store))), (0, 1))


# ---- cancels ----

def begin(store, path):
    """A run that needs no person: (its process, its id)."""
    process = store.start("run", path, "go", "--events")
    return process, json.loads(process.stdout.readline())["run"]


def end(process):
    status = process.wait(help.SOON)
    process.stdout.close()
    return status


def check_end(store, run, status):
    """The run has one end, and it agrees with the exit status of the cancel."""
    ends = [e["end"] for e in events_of(store, run, "run_finished")]
    problems = [] if len(ends) == 1 else [f"{run}: ends {ends}"]
    if status == 130 and ends != ["cancelled"]:
        problems.append(f"{run}: cancel gave 130, the run is {ends}")
    if status == 0 and ends == ["cancelled"]:
        problems.append(f"{run}: cancel gave 0, the run is {ends}")
    return problems, ends


def cancel_finish(store):
    """A cancel while the run reaches its end by itself."""
    path = help.spec(store, "finish", [[call("send")], "good"],
                     [effect(store, "send", after=f"sleep {RANDOM.uniform(0, 0.4):.3f}")])
    process, run = begin(store, path)
    time.sleep(RANDOM.uniform(0, 0.1))
    status = store.haft("cancel", run)[0]
    end(process)
    return check_end(store, run, status)


def cancel_approve(store):
    path = help.spec(store, "approve", [[call("send")], "good"],
                     [effect(store, "send", needs_approval=True)])
    store.haft("run", path, "go")
    run = newest(store)
    jobs = [lambda: store.haft("cancel", run)[0], lambda: store.haft("approve", run, "c1.1")[0]]
    first = RANDOM.randrange(2)
    statuses = at_once([jobs[first], jobs[1 - first]])
    return check_end(store, run, statuses[0 if first == 0 else 1])


def cancel_crash(store):
    """The owner of the run is killed during the cancel, or the process that cancels is."""
    path = help.spec(store, "crash", [[call("send")], "good"],
                     [effect(store, "send", after="sleep 0.3", on_unknown="tell")])
    process, run = begin(store, path)
    time.sleep(RANDOM.uniform(0, 0.1))
    cancel = store.start("cancel", run)
    time.sleep(RANDOM.uniform(0, 0.3))
    victim = RANDOM.choice([process, cancel])
    victim.kill()
    end(process)
    status = end(cancel)
    problems = help.drive(store)
    found, ends = check_end(store, run, status)
    return problems + found, ends


def test_cancels(store):
    for race in (cancel_finish, cancel_approve, cancel_crash):
        problems, ends = [], []
        for _ in range(help.rounds(4, 200)):
            found, ended = race(store)
            problems += found
            ends += ended
        print(f"# {race.__name__}: cancelled {ends.count('cancelled')} of {len(ends)}")
        help.check(f"{race.__name__}_has_one_end_{store.kind}", problems)
    help.check(f"histories_after_cancels_are_correct_{store.kind}",
               history.check_store(store, help.effects(store), {"send": "once"}))


def test_cancel_soon(store):
    """A tool that never ends by itself is stopped with its run by another process."""
    begun, late = store.folder / "begun", store.folder / "late"
    wait = f"touch {begun}; trap '' TERM; sleep {FOR_EVER}; touch {late}"
    slow = effect(store, "slow", before=wait)
    process, run = begin(store, help.spec(store, "slow", [[call("slow")], "good"], [slow]))
    help.wait_for(begun.exists)
    asked = time.monotonic()
    status = store.haft("cancel", run)[0]
    took = time.monotonic() - asked
    print(f"# cancelled in {took:.2f} s")
    help.check(f"a_cancel_is_applied_soon_{store.kind}",
               [f"it took {took:.1f} s"] if took >= FOR_EVER else [])
    help.same(f"a_cancel_ends_a_tool_that_never_ends_{store.kind}",
              (status, end(process), late.exists(), help.effects(store)), (130, 130, False, []))
    help.same(f"a_cancelled_run_has_one_end_{store.kind}",
              check_end(store, run, 130), ([], ["cancelled"]))


help.for_each_store(test_answers, test_verdicts, test_edits, test_stopped_owner, test_changed,
                    test_cancels, test_cancel_soon)
