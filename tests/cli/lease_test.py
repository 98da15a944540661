#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ownership of a run: an owner that is stopped, killed or cut off from the store, and other
processes."""
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, lease_seconds, wait_for  # noqa: E402

HAFT = os.environ["HAFT"]
LONG = 300  # timeout in seconds of events that must happen soon
LEASE = lease_seconds(4)


def start(*words, lease=f"{LEASE}s"):
    return subprocess.Popen([HAFT, *map(str, words)], cwd=scratch,
                            env={**environment, "HAFT_LEASE": lease}, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def haft(*words, **more):
    process = start(*words, **more)
    out, err = process.communicate(timeout=LONG)
    return process.returncode, out, err


def put(name, value):
    path = Path(scratch) / name
    path.write_text(json.dumps(value))
    return path


def spec(name, command, **traits):
    """A spec with one call of one command, and its script."""
    put(f"{name}.script.json", {"replies": [{"calls": [{"name": "act"}]}, {"text": "good"}]})
    return put(f"{name}.json", {
        "haft": 1, "name": name, "model": f"script:{name}.script.json",
        "tools": [{"name": "act", "description": "Acts for the tests of haft.", "args": [],
                   "command": command, "traits": traits}]})


def events(run="last"):
    return [json.loads(line) for line in haft("runs", "events", run)[1].splitlines()]


def text(path):
    return path.read_text() if path.exists() else ""


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def begin(name, script, **traits):
    """A run whose call is running: (process, file that the call writes into)."""
    marks = Path(scratch) / f"{name}.marks"
    path = spec(name, ["sh", "-c", script.replace("MARKS", str(marks))], timeout="300s", **traits)
    process = start("run", path, "go")
    wait_for(lambda: text(marks))  # stored, so that no process is stopped while it holds the lock
    wait_for(lambda: "call_started" in [event["kind"] for event in events()])
    return process, marks


# ---- stopped ----

# Ends once its file exists.
WAITING = "echo begun >> MARKS; until [ -e MARKS.go ]; do sleep 0.02; done; echo done >> MARKS"


def test_stopped():
    """If an owner is stopped for longer than its lease, another process continues: the first one
    stops when it wakes up, and its tools leave nothing running."""
    process, marks = begin("stopped", 'echo "$HAFT_EPOCH" >> MARKS; '
                                      'test "$HAFT_EPOCH" = 2 || sleep 300; echo through >> MARKS',
                           idempotent=True)
    process.send_signal(signal.SIGSTOP)
    status, _, err = haft("resume", "last")
    check("run_cannot_be_claimed_during_the_lease",
          (status, "belongs to process" in err), (1, True))
    wait_for(lambda: haft("resume", "last", "--json")[0] == 0)
    ended = events()
    process.send_signal(signal.SIGCONT)
    out, err = process.communicate(timeout=LONG)
    check("stopped_process_stops_when_it_wakes_up",
          (process.returncode, "taken" in err or "lease" in err), (1, True))
    check("stopped_process_prints_no_answer", out, "")
    check("stopped_process_adds_no_events", events(), ended)
    check("run_has_one_end", [e["end"] for e in ended if e["kind"] == "run_finished"], ["done"])
    check("each_owner_has_its_own_epoch", text(marks).split(), ["1", "2", "through"])


def test_cancel_stopped():
    """A stopped owner does not read messages; when its lease has expired the run is cancelled
    without it."""
    process, marks = begin("deaf", "echo $$ >> MARKS; sleep 300", read_only=True)
    pids = text(marks).split()
    process.send_signal(signal.SIGSTOP)
    status, _, err = haft("cancel", "last", "--json")
    check("run_is_cancelled", (status, "its lease expires in" in err), (130, True))
    check("run_has_one_terminal_event", [e["end"] for e in events() if e["kind"] == "run_finished"],
          ["cancelled"])
    process.send_signal(signal.SIGCONT)
    _, err = process.communicate(timeout=LONG)
    check("stopped_owner_stops_when_it_wakes_up", process.returncode, 1)
    check("processes_of_its_tools_stop_too", wait_for(lambda: not any(map(alive, pids))), True)
    check("no_call_is_repeated", (len(pids), text(marks).split()), (1, pids))


def money(name):
    """A run whose first call is running, and whose next call would wire money."""
    marks = Path(scratch) / f"{name}.marks"
    put(f"{name}.script.json", {"replies": [{"calls": [{"name": "slow"}]},
                                            {"calls": [{"name": "wire"}]}, {"text": "good"}]})
    tool = lambda tool_name, script, **more: {
        "name": tool_name, "description": "Acts for the tests of haft.", "args": [],
        "command": ["sh", "-c", f"echo {tool_name} >> {marks}; {script}"], **more}
    path = put(f"{name}.json", {
        "haft": 1, "name": name, "model": f"script:{name}.script.json", "on_unknown": "tell",
        "tools": [tool("slow", "sleep 300"), tool("wire", "true")]})
    process = start("run", path, "go")
    wait_for(lambda: text(marks))
    run = json.loads(haft("runs", "show", "last", "--json")[1])["run"]
    return process, marks, run


def ends(run):
    """The ends of the calls after the one that was running."""
    kinds = [e["kind"] for e in events(run)]
    return kinds[kinds.index("call_started") + 1:]


def test_cancel_before_all():
    """The next owner of a cancelled run starts nothing: not the interrupted call, not the model,
    not the next call."""
    process, marks, run = money("halted")
    process.send_signal(signal.SIGSTOP)
    check("run_of_a_stopped_owner_is_cancelled", haft("cancel", run, "--json")[0], 130)
    check("no_call_starts_after_cancel", (text(marks).split(), ends(run)),
          (["slow"], ["cancel_asked", "run_finished"]))
    process.kill()
    process.communicate()

    process, marks, run = money("dead")
    process.kill()
    process.communicate()
    check("run_of_a_killed_owner_is_cancelled", haft("cancel", run, "--json")[0], 130)
    check("no_question_after_cancel", (text(marks).split(), ends(run)),
          (["slow"], ["cancel_asked", "run_finished"]))

    process, marks, run = money("left")
    process.send_signal(signal.SIGSTOP)
    canceller = start("cancel", run)
    wait_for(lambda: count_messages() == 1)
    canceller.kill()
    canceller.communicate()
    process.kill()
    process.communicate()
    check("the_message_of_a_dead_process_is_received", haft("resume", run)[0], 130)
    check("cancel_is_applied_before_anything_else", (text(marks).split(), ends(run)),
          (["slow"], ["cancel_asked", "run_finished"]))


def count_messages():
    db = sqlite3.connect(Path(scratch) / "haft.db")
    try:
        return db.execute("SELECT count(*) FROM messages").fetchone()[0]
    finally:
        db.close()


def test_own_message():
    """A process that has sent a message waits for that one, not for messages of others."""
    process, marks, run = money("noisy")
    over = threading.Event()

    def make_noise():
        db = sqlite3.connect(Path(scratch) / "haft.db", isolation_level=None, timeout=LONG)
        while not over.wait(0.005):
            db.execute("INSERT INTO messages (run, body) SELECT number, 'noise' FROM runs "
                       "WHERE id = ?", (run,))
        db.execute("DELETE FROM messages")
        db.close()

    noise = threading.Thread(target=make_noise)
    noise.start()
    canceller = start("cancel", run, "--json")
    try:
        canceller.communicate(timeout=300)
    except subprocess.TimeoutExpired:
        canceller.kill()
        canceller.communicate()
    over.set()
    noise.join()
    check("cancel_waits_for_its_own_message", canceller.returncode, 130)
    process.communicate(timeout=LONG)


def test_refused_leaves_alone():
    """A command that is invalid for a run without an owner does not claim it."""
    process, marks = begin("alone", "echo $HAFT_EPOCH >> MARKS; sleep 300", read_only=True)
    process.kill()
    process.communicate()
    before = events()
    check("command_to_an_unknown_call_is_rejected",
          [haft("approve", "last", "c9.9")[0] for _ in range(2)], [2, 2])
    check("rejected_command_changes_nothing", (events(), text(marks).split()), (before, ["1"]))
    haft("cancel", "last")


def test_zombie():
    """A killed process is dead, also if its parent has not waited for it."""
    process, marks = begin("zombie", "echo x >> MARKS; test $HAFT_EPOCH = 2 || sleep 300",
                           idempotent=True)
    os.kill(process.pid, signal.SIGKILL)
    wait_for(lambda: not alive(process.pid))
    check("run_of_a_killed_process_is_claimed_at_once", haft("resume", "last", lease="60s")[0], 0)
    process.communicate()


def test_late():
    """An answer after the deadline is rejected; the run continues as the deadline says."""
    put("late.script.json", {"replies": [{"calls": [{"name": "ask"}]}, {"text": "good"}]})
    path = put("late.json", {
        "haft": 1, "name": "late", "model": "script:late.script.json",
        "tools": [{"name": "ask", "description": "Acts for the tests of haft.", "args": [],
                   "headless": True}],
        "pauses": {"headless": {"deadline": "1s", "on_expire": "reject"}}})
    check("run_waits", haft("run", path, "go")[0], 4)
    time.sleep(1.1)  # until the deadline has passed
    check("late_answer_is_rejected", haft("answer", "last", "c1.1", "5")[0], 1)
    check("run_ends", [e["end"] for e in events() if e["kind"] == "run_finished"],
          ["done"])


def test_same_again():
    """The same answer twice is one answer, also if the call is not named."""
    put("twice.script.json", {"replies": [{"calls": [{"name": "ask"}]}, {"text": "good"}]})
    path = put("twice.json", {
        "haft": 1, "name": "twice", "model": "script:twice.script.json",
        "tools": [{"name": "ask", "description": "Acts for the tests of haft.", "args": [],
                   "headless": True}]})
    haft("run", path, "go")
    check("equal_answer_is_accepted_and_another_is_rejected",
          [haft("answer", "last", value)[0] for value in ("5", "5", "6")], [0, 0, 1])


def test_woken():
    """No other process has claimed the run; it still stops, and can be resumed at once."""
    process, marks = begin("woken", WAITING)
    process.send_signal(signal.SIGSTOP)
    put("woken.marks.go", "")
    time.sleep(LEASE)
    process.send_signal(signal.SIGCONT)
    _, err = process.communicate(timeout=LONG)
    check("run_stops_when_its_lease_expires_on_its_own_clock",
          (process.returncode, "lease of the run has expired" in err),
          (1, True))
    check("message_says_how_to_continue", "haft resume" in err, True)
    check("result_after_the_lease_is_dropped",
          "call_finished" in [event["kind"] for event in events()], False)
    status, out, _ = haft("resume", "last", "--json")
    check("outcome_of_the_call_is_unknown",
          (status, [p["kind"] for p in json.loads(out)["pending"]]), (4, ["unknown_outcome"]))


# ---- killed ----

def test_killed():
    """However a process is killed, its children end soon after it."""
    process, marks = begin("killed", 'echo $$ >> MARKS; (setsid sh -c "echo \\$\\$ >> MARKS; '
                                     'trap \\"\\" TERM HUP; sleep 300; sleep 300" &) ; '
                                     'sleep 300 & echo $! >> MARKS; wait')
    wait_for(lambda: len(text(marks).split()) == 3)
    pids = text(marks).split()
    process.kill()
    process.communicate()
    killed = time.monotonic()
    wait_for(lambda: not any(alive(pid) for pid in pids))
    print(f"# all gone {time.monotonic() - killed:.2f} s after it")
    check("no_process_is_left", [pid for pid in pids if alive(pid)], [])
    began = time.monotonic()
    status, _, _ = haft("cancel", "last", "--json")
    print(f"# cancelled in {time.monotonic() - began:.2f} s")
    check("a_run_without_an_owner_can_be_cancelled", status in (0, 130), True)
    check("run_has_one_terminal_event", [e["end"] for e in events() if e["kind"] == "run_finished"],
          ["cancelled"])


def fill(count):
    """Adds waiting runs to the store, as far as lists show them."""
    db = sqlite3.connect(Path(scratch) / "haft.db", isolation_level=None)
    names = [row[1] for row in db.execute("PRAGMA table_info(runs)")]
    last = dict(zip(names, db.execute("SELECT * FROM runs ORDER BY number DESC").fetchone()))
    db.execute("BEGIN IMMEDIATE")
    for i in range(count):
        row = {**last, "number": last["number"] + 1 + i, "state": 1, "owner": "", "wake": 0,
               "id": f"7{i:025d}"}
        db.execute(f"INSERT INTO runs VALUES ({', '.join('?' * len(names))})",
                   [row[name] for name in names])
    db.execute("COMMIT")
    db.close()


def test_many():
    """A run without an owner is found among any number of waiting runs."""
    process, marks = begin("found", "echo x >> MARKS; test $HAFT_EPOCH = 2 || sleep 300",
                           idempotent=True)
    process.kill()
    process.communicate()
    run = json.loads(haft("runs", "show", "last", "--json")[1])["run"]
    fill(1001)
    check("released_run_is_claimed", haft("resume", "--all")[0], 0)
    check("claimed_run_ends",
          [e["end"] for e in events(run) if e["kind"] == "run_finished"], ["done"])


# ---- the store ----

class locked:
    """Another process holds the lock of the database."""

    def __enter__(self):
        self.db = sqlite3.connect(Path(scratch) / "haft.db", isolation_level=None)
        self.db.execute("BEGIN IMMEDIATE")

    def __exit__(self, *_):
        self.db.execute("ROLLBACK")
        self.db.close()


def test_locked():
    """A lock that lasts longer than the busy timeout does not end a run."""
    marks = Path(scratch) / "locked.marks"
    path = spec("locked", ["sh", "-c", WAITING.replace("MARKS", str(marks))], timeout="300s")
    process = start("run", path, "go", "--json", lease="300s")
    wait_for(lambda: text(marks))
    with locked():
        put("locked.marks.go", "")
        wait_for(lambda: "done" in text(marks))
        time.sleep(6.5)  # longer than store.busy_ms
        check("process_waits_for_the_store", process.poll(), None)
    out, err = process.communicate(timeout=LONG)
    check("process_continues_after_the_lock",
          (process.returncode, json.loads(out)["answer"]), (0, "good"))
    check("call_ran_once", text(marks), "begun\ndone\n")


def test_locked_for_too_long():
    process, marks = begin("long", WAITING)
    with locked():
        put("long.marks.go", "")
        _, err = process.communicate(timeout=LONG)
    check("process_stops_if_the_lock_stays",
          (process.returncode, "locked" in err or "lease" in err), (1, True))
    status, out, _ = haft("resume", "last", "--json")
    check("stopped_run_is_left_for_others", (status, json.loads(out)["pending"][0]["kind"]),
          (4, "unknown_outcome"))


# ---- how long ----

def test_setting():
    path = spec("setting", ["true"])
    for value, refused in [("999ms", True), ("1s", False), ("1h", False), ("3601s", True),
                           ("soon", True)]:
        found = haft("run", path, "go", "--quiet", lease=value)
        check(f"lease_of_{value}_is_checked",
              (found[0] == 2, "HAFT_LEASE" in found[2]), (refused, refused))


with tempfile.TemporaryDirectory(prefix="haft-lease-") as scratch:
    environment = {**os.environ, "HAFT_STORE": f"sqlite:{scratch}/haft.db", "HOME": scratch,
                   "NO_COLOR": "1"}
    test_setting()
    test_stopped()
    test_cancel_stopped()
    test_cancel_before_all()
    test_own_message()
    test_refused_leaves_alone()
    test_zombie()
    test_late()
    test_same_again()
    test_woken()
    test_killed()
    test_locked()
    test_locked_for_too_long()
    test_many()
