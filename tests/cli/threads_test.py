#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several runs of one thread, in several processes: enqueue, reject, interrupt."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, wait_for  # noqa: E402

HAFT = os.environ["HAFT"]
LONG = 300  # timeout in seconds of events that must happen soon


def haft(*words, text=""):
    done = subprocess.run([HAFT, *map(str, words)], input=text, text=True, capture_output=True,
                          cwd=scratch, env=environment, timeout=LONG)
    return done.returncode, done.stdout, done.stderr


def start(*words):
    return subprocess.Popen([HAFT, *map(str, words)], cwd=scratch, env=environment,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def put(name, value):
    path = Path(scratch) / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def spec(name, replies, **more):
    put(f"{name}.script.json", {"replies": replies})
    return put(f"{name}.json", dict({"haft": 1, "name": name, "tools": [],
                                     "model": f"script:{name}.script.json"}, **more))


def slow_spec(name, read_only=True, **more):
    """An agent whose only call ends when the file NAME.gate exists; NAME.effects counts it."""
    work = (f"echo $$ >> {name}.effects; while [ ! -e {name}.gate ]; do sleep 0.02; done; "
            "echo done")
    slow = {"name": "slow", "description": "Does something that takes long.", "args": [],
            "command": ["sh", "-c", work], "traits": {"read_only": read_only}}
    return spec(name, [{"calls": [{"name": "slow"}]}, {"text": f"{name} is done"}], tools=[slow],
                **more)


def open_gate(name):
    put(f"{name}.gate", "")


def effects(name):
    path = Path(scratch) / f"{name}.effects"
    return path.read_text().split() if path.exists() else []


def runs(thread):
    """The runs of a thread, the oldest first."""
    out = haft("runs", "list", "--json", "--thread", thread)[1]
    return json.loads(out)["runs"][::-1] if out else []


def events(run):
    return [json.loads(line) for line in haft("runs", "events", run)[1].splitlines()]


def kinds(run):
    return [event["kind"] for event in events(run)]


def ends(thread):
    return [run["end"] or run["state"] for run in runs(thread)]


def thread():
    """A new id: 26 characters, with a number of the test."""
    thread.count += 1
    return f"01k0000000000000000000{thread.count:04d}"


thread.count = 0


def one_after_the_other(ids):
    """Whether each run started, in the order of the store, after the one before it had ended."""
    logs = [events(run) for run in ids]
    return all(before[-1]["kind"] == "run_finished" and before[-1]["at"] <= after[1]["at"]
               for before, after in zip(logs, logs[1:]))


def begin_slow(path, name, where):
    process = start("run", path, "first", "--thread", where, "--json")
    wait_for(lambda: effects(name))
    return process


def queue(path, task, where, *more):
    count = len(runs(where))
    process = start("run", path, task, "--thread", where, *more)
    wait_for(lambda: len(runs(where)) > count)
    return process


def test_enqueue():
    where, slow = thread(), slow_spec("slow1")
    quick = spec("quick1", [{"expect": {"contains": "slow1 is done"}, "text": "quick"}])
    first = begin_slow(slow, "slow1", where)
    others = [queue(quick, f"task {n}", where, "--json") for n in range(3)]
    waiting_run = queue(quick, "told", where)
    ids = [run["run"] for run in runs(where)]
    check("queued_runs_are_in_the_store", len(ids), 5)
    check("queued_runs_have_not_started", [kinds(run) for run in ids[1:]], [["run_started"]] * 4)
    open_gate("slow1")
    answers = [json.loads(process.communicate(timeout=LONG)[0]) for process in [first, *others]]
    out, err = waiting_run.communicate(timeout=LONG)
    check("each_ends_in_its_own_process", [answer["run"] for answer in answers], ids[:4])
    check("all_queued_runs_are_done", ends(where), ["done"] * 5)
    check("queued_runs_follow_one_after_the_other", one_after_the_other(ids), True)
    check("user_is_informed_that_the_run_waits",
          (f"waits for the end of {ids[0]}" in err, out), (True, "quick\n"))
    check("replays_are_identical", [haft("runs", "replay", run)[0] for run in ids], [0] * 5)


def test_kill():
    where, slow = thread(), slow_spec("slow2")
    quick = spec("quick2", [{"expect": {"contains": "slow2 is done"}, "text": "quick"}])
    first = begin_slow(slow, "slow2", where)
    second, third = queue(quick, "second", where), queue(quick, "third", where)
    ids = [run["run"] for run in runs(where)]
    for process in (first, second):
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=LONG)
    time.sleep(0.3)  # longer than a poll of the third: it must not have started
    check("no_run_overtakes_a_killed_one", [len(kinds(run)) for run in ids[1:]], [1, 1])
    open_gate("slow2")
    haft("resume", "--all", "--quiet")  # another process owns the third one
    out, _ = third.communicate(timeout=LONG)
    check("resume_all_continues_a_killed_run", ends(where), ["done"] * 3)
    check("resumed_runs_keep_their_order", (one_after_the_other(ids), out), (True, "quick\n"))
    check("read_only_call_was_repeated", len(effects("slow2")), 2)


def test_resume_all_skips_a_waiting_run():
    where, other = thread(), thread()
    ask = spec("ask3", [{"calls": [{"name": "pick"}]}, {"text": "asked"}], tools=[
        {"name": "pick", "description": "Lets somebody pick.", "args": [], "headless": True}])
    quick = spec("quick3", [{"text": "quick"}])
    check("first_run_waits", haft("run", ask, "first", "--thread", where)[0], 4)
    status, queued, _ = haft("run", quick, "behind", "--thread", where, "--detach")
    check("a_run_is_queued_after_it", (status, ends(where)), (0, ["waiting", "queued"]))
    haft("run", quick, "elsewhere", "--thread", other, "--detach")
    status, _, err = haft("resume", "--all")
    first = runs(where)[0]["run"]
    check("other_threads_continue", (status, ends(other), kinds(queued.strip())),
          (4, ["done"], ["run_started"]))
    check("the_reason_is_printed",
          f"waits for the end of {first}, ahead of it in its thread, which waits "
          "for an answer" in err, True)
    check("queued_run_continues_after_the_answer",
          (haft("answer", first, '"x"')[0], haft("resume", "--all")[0],
           ends(where)), (0, 0, ["done", "done"]))


def test_resume_all_at_once():
    """Several of them share the runs; none reports a failure because another was faster."""
    quick = spec("quick9", [{"text": "quick"}])
    where = [thread() for _ in range(4)]
    for name in where:
        for n in range(3):
            haft("run", quick, f"task {n}", "--thread", name, "--detach")
    together = [start("resume", "--all", "--quiet") for _ in range(3)]
    found = [(process.communicate(timeout=LONG)[1], process.returncode) for process in together]
    check("no_process_reports_a_failure", [one for one in found if one[1] != 0], [])
    check("all_shared_runs_are_done", [ends(name) for name in where], [["done"] * 3] * 4)
    check("each_run_runs_once", [one_after_the_other([run["run"] for run in runs(name)])
                                 for name in where], [True] * 4)


def test_resume_all_waits_for_a_run_ahead_elsewhere():
    """--all also continues a run that is queued after a run of another process."""
    where, slow = thread(), slow_spec("ahead")
    first = begin_slow(slow, "ahead", where)
    queued = haft("run", spec("behind", [{"text": "quick"}]), "b", "--thread", where, "--detach")
    every = start("resume", "--all")
    printed = next(line for line in every.stderr if "waits for the end of" in line)
    check("the_awaited_run_is_printed", queued[1].strip() in printed, True)
    open_gate("ahead")
    out, _ = every.communicate(timeout=LONG)
    first.communicate(timeout=LONG)
    check("both_runs_are_done", (every.returncode, out, ends(where)), (0, "quick\n", ["done"] * 2))


def test_resume_all_reports_all():
    """One object, and the worst exit status, whichever run is last."""
    where = thread()
    bad, quick = spec("bad9", []), spec("good9", [{"text": "quick"}])
    ids = [haft("run", path, "task", "--thread", where, "--detach")[1].strip()
           for path in (bad, quick)]
    ask = spec("ask9", [{"calls": [{"name": "pick"}]}, {"text": "asked"}], tools=[
        {"name": "pick", "description": "Lets somebody pick.", "args": [], "headless": True}])
    ids.append(haft("run", ask, "task", "--thread", where, "--detach")[1].strip())
    status, out, _ = haft("resume", "--all", "--json")
    printed = json.loads(out)
    check("the_worst_exit_status_counts", status, 1)
    check("one_object_lists_all_runs",
          (list(printed), [run["run"] for run in printed["runs"]]), (["runs"], ids))
    check("every_end_is_printed",
          [run["end"] for run in printed["runs"]], ["failed", "done", "waiting"])
    check("resume_all_without_runs_succeeds",
          haft("resume", "--all", "--json")[:2], (0, '{"runs":[]}\n'))
    haft("cancel", ids[-1])
    keyed = put("keyed9.json", {"haft": 1, "name": "keyed9", "tools": [],
                                "model": "script:keyed9.script.json"})
    put("keyed9.script.json", {"replies": []})
    lost = haft("run", keyed, "task", "--detach")[1].strip()
    (Path(scratch) / "keyed9.script.json").unlink()
    status, out, _ = haft("resume", "--all", "--json")
    printed = json.loads(out)["runs"]
    check("a_run_that_cannot_continue_is_reported", (status != 0, [one["run"] for one in printed]),
          (True, [lost]))
    put("keyed9.script.json", {"replies": []})
    haft("cancel", lost)


def test_leaving_the_queue():
    where, slow = thread(), slow_spec("slow4")
    quick = spec("quick4", [{"text": "quick"}])
    first = begin_slow(slow, "slow4", where)
    stopped, cancelled = queue(quick, "stopped", where), queue(quick, "cancelled", where)
    ids = [run["run"] for run in runs(where)]
    stopped.send_signal(signal.SIGINT)
    stopped.communicate(timeout=LONG)
    check("an_interrupted_wait_leaves_it_queued", (stopped.returncode, kinds(ids[1])),
          (130, ["run_started"]))
    check("queued_run_can_be_cancelled", haft("cancel", ids[2])[0], 130)
    cancelled.communicate(timeout=LONG)
    check("queued_run_is_cancelled_by_its_own_process", (cancelled.returncode, kinds(ids[2])),
          (130, ["run_started", "cancel_asked", "run_finished"]))
    detached = haft("run", quick, "detached", "--thread", where, "--detach")[1].strip()
    check("a_run_without_an_owner_is_cancelled", (haft("cancel", detached)[0], kinds(detached)),
          (130, ["run_started", "cancel_asked", "run_finished"]))
    open_gate("slow4")
    first.communicate(timeout=LONG)
    check("interrupted_queued_run_continues", haft("resume", ids[1], "--quiet")[:2], (0, "quick\n"))
    check("all_runs_of_the_queue_have_ended",
          ends(where), ["done", "done", "cancelled", "cancelled"])


def test_another_spec_in_the_queue():
    where = thread()
    asks = [{"name": "pick", "description": "Lets somebody pick.", "args": [], "headless": True}]
    first = spec("ahead", [{"calls": [{"name": "pick"}]}, {"text": "picked"}], tools=asks)
    knows = [{"expect": {"contains": "picked"}, "text": "good"}]
    second = spec("behind", knows)
    haft("run", first, "first", "--thread", where, "--quiet")
    haft("run", second, "second", "--thread", where, "--detach", "--quiet")
    run = runs(where)[1]["run"]
    spec("behind", knows, instructions="Be brief.")
    process = start("resume", run, "--accept-spec")
    check("another_spec_is_accepted_in_the_queue",
          wait_for(lambda: kinds(run) == ["run_started", "spec_changed"]), True)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=LONG)
    process = start("resume", run)
    note = process.stderr.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=LONG)
    check("queued_run_keeps_its_place_with_another_spec",
          (runs(where)[0]["run"] in note, kinds(run)), (True, ["run_started", "spec_changed"]))
    haft("answer", runs(where)[0]["run"], '"red"')
    check("queued_run_sees_the_earlier_messages", haft("resume", run, "--quiet")[:2],
          (0, "good\n"))
    check("queued_run_replays", haft("runs", "replay", run)[0], 0)
    haft("run", second, "third", "--thread", where, "--detach", "--quiet")
    run = runs(where)[2]["run"]
    spec("behind", knows, instructions="Be very brief.")
    check("first_run_of_the_queue_starts_with_another_spec", haft("resume", run, "--accept-spec",
                                                                  "--quiet")[:2], (0, "good\n"))


def test_reject():
    where, slow = thread(), slow_spec("slow5")
    quick = spec("quick5", [{"text": "quick"}], multitask="reject")
    first = begin_slow(slow, "slow5", where)
    run = runs(where)[0]["run"]
    for more in [], ["--detach"]:
        status, out, err = haft("run", quick, "second", "--thread", where, *more)
        check(f"a_second_run_is_refused{more}", (status, out, run in err), (6, "", True))
    status, out, _ = haft("run", quick, "second", "--thread", where, "--json")
    check("rejection_is_reported_as_json",
          (status, run in json.loads(out)["error"]["message"]), (6, True))
    check("rejected_run_is_not_stored", len(runs(where)), 1)
    check("another_thread_is_free", haft("run", quick, "x", "--thread", thread())[0], 0)
    open_gate("slow5")
    first.communicate(timeout=LONG)
    check("thread_is_free_after_the_run_has_ended",
          haft("run", quick, "second", "--thread", where)[0], 0)


def is_gone(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return True
    return state == "Z"


def test_interrupt():
    quick = spec("quick6", [{"text": "quick"}], multitask="interrupt")
    where, slow = thread(), slow_spec("slow6", read_only=False)
    first = begin_slow(slow, "slow6", where)
    queued = queue(spec("behind6", [{"text": "behind"}]), "behind", where)
    status, out, _ = haft("run", quick, "second", "--thread", where, "--quiet")
    check("interrupting_run_succeeds", (status, out), (0, "quick\n"))
    first.communicate(timeout=LONG)
    queued.communicate(timeout=LONG)
    check("runs_ahead_are_cancelled", (first.returncode, queued.returncode, ends(where)),
          (130, 130, ["cancelled", "cancelled", "done"]))
    check("interrupting_run_starts_after_their_ends", one_after_the_other(
        [runs(where)[i]["run"] for i in (0, 2)]), True)
    check("process_of_the_cancelled_run_is_stopped",
          wait_for(lambda: is_gone(effects("slow6")[0])), True)
    reason = events(runs(where)[0]["run"])[-2]
    check("the_canceller_is_recorded", (reason["kind"], reason["by"]),
          ("cancel_asked", runs(where)[2]["run"]))


def test_interrupt_without_an_owner():
    quick = spec("quick7", [{"text": "quick"}], multitask="interrupt")
    ask = spec("ask7", [{"calls": [{"name": "pick"}]}, {"text": "asked"}], tools=[
        {"name": "pick", "description": "Lets somebody pick.", "args": [], "headless": True}])
    where = thread()
    haft("run", ask, "first", "--thread", where)
    check("waiting_run_is_interrupted",
          (haft("run", quick, "second", "--thread", where)[0], ends(where)),
          (0, ["cancelled", "done"]))
    where, slow = thread(), slow_spec("slow7")
    first = begin_slow(slow, "slow7", where)
    first.send_signal(signal.SIGKILL)
    first.communicate(timeout=LONG)
    check("killed_run_is_interrupted",
          (haft("run", quick, "second", "--thread", where)[0], ends(where)),
          (0, ["cancelled", "done"]))
    where, slow = thread(), slow_spec("slow8")
    first = begin_slow(slow, "slow8", where)
    status, queued, _ = haft("run", quick, "second", "--thread", where, "--detach")
    first.communicate(timeout=LONG)
    check("detached_run_interrupts_too", (status, ends(where)), (0, ["cancelled", "queued"]))
    check("queued_run_continues_later",
          (haft("resume", queued.strip())[0], ends(where)[1]), (0, "done"))


def test_chat():
    where, slow = thread(), slow_spec("slow9")
    quick = spec("quick9", [{"expect": {"contains": "slow9 is done"}, "text": "quick"}])
    first = begin_slow(slow, "slow9", where)
    chat = subprocess.Popen([HAFT, "chat", str(quick), "--thread", where], cwd=scratch,
                            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)
    chat.stdin.write("hello\n")
    chat.stdin.flush()
    check("a_message_is_queued", wait_for(lambda: len(runs(where)) == 2), True)
    open_gate("slow9")
    out, _ = chat.communicate(timeout=LONG)
    first.communicate(timeout=LONG)
    check("a_chat_waits_for_another_process", (out, ends(where)), ("quick\n", ["done", "done"]))
    where, slow = thread(), slow_spec("slow10")
    first = begin_slow(slow, "slow10", where)
    over = spec("quick10", [{"text": "quick"}], multitask="interrupt")
    out = haft("chat", over, "--thread", where, "--quiet", text="hello\n")[1]
    first.communicate(timeout=LONG)
    check("chat_interrupts_the_other_run", (out, ends(where)), ("quick\n", ["cancelled", "done"]))
    where, slow = thread(), slow_spec("slow11")
    first = begin_slow(slow, "slow11", where)
    never = spec("quick11", [{"text": "quick"}], multitask="reject")
    _, out, err = haft("chat", never, "--thread", where, text="hello\n")
    open_gate("slow11")
    first.communicate(timeout=LONG)
    check("chat_rejects_the_message",
          (out, "still running in another process" in err, len(runs(where))),
          ("", True, 1))


with tempfile.TemporaryDirectory() as scratch:
    environment = {"PATH": os.environ["PATH"], "HOME": scratch, "LANG": "C.UTF-8",
                   "XDG_STATE_HOME": f"{scratch}/state"}
    test_enqueue()
    test_kill()
    test_resume_all_skips_a_waiting_run()
    test_resume_all_at_once()
    test_resume_all_waits_for_a_run_ahead_elsewhere()
    test_resume_all_reports_all()
    test_leaving_the_queue()
    test_another_spec_in_the_queue()
    test_reject()
    test_interrupt()
    test_interrupt_without_an_owner()
    test_chat()
