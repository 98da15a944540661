#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`haft resume --all`: due runs are found as by a worker, and several runs continue at once."""
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, wait_for  # noqa: E402

HAFT = os.environ["HAFT"]
LONG = 300     # timeout in seconds of events that must happen soon
AT_ONCE = 16  # HAFT__LIMIT_RESUME_RUNS


def haft(*words):
    done = subprocess.run([HAFT, *map(str, words)], text=True, capture_output=True, input="",
                          cwd=scratch, env=environment)
    return done.returncode, done.stdout, done.stderr


def start(*words):
    return subprocess.Popen([HAFT, *map(str, words)], cwd=scratch, env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def spec(name, replies, tools=(), **more):
    path = Path(scratch) / f"{name}.json"
    (Path(scratch) / f"{name}.script.json").write_text(json.dumps({"replies": replies}))
    path.write_text(json.dumps(dict({"haft": 1, "name": name, "tools": list(tools),
                                     "model": f"script:{name}.script.json"}, **more)))
    return path


def gated(name, **more):
    """A run that reports its start, and then waits for a gate."""
    begun, gate = Path(scratch) / f"{name}.begun", Path(scratch) / f"{name}.gate"
    tool = {"name": "slow", "description": "Is slow.", "args": [], "traits": {"idempotent": True},
            "command": ["sh", "-c", f"echo x >> {begun}; n=0; while [ ! -e {gate} ] && "
                                    "[ $n -lt 600 ]; do n=$((n+1)); sleep 0.05; done"]}
    tool["traits"].update(more)
    return spec(name, [{"calls": [{"name": "slow"}]}, {"text": name}], [tool]), begun, gate


def lines(path):
    return len(path.read_text().splitlines()) if path.exists() else 0


def detach(path):
    return haft("run", path, "go", "--detach")[1].strip()


def ends(ids):
    return [json.loads(haft("runs", "show", run, "--json")[1])["end"] for run in ids]


def test_at_once():
    """As many runs as allowed, and then the next: none waits for the slowest."""
    path, begun, gate = gated("many")
    ids = [detach(path) for _ in range(AT_ONCE + 1)]
    process = start("resume", "--all", "--json")
    wait_for(lambda: lines(begun) >= AT_ONCE)
    time.sleep(0.3)  # one more would have started already
    check("number_of_runs_at_once_is_limited", lines(begun), AT_ONCE)
    gate.write_text("")
    out, _ = process.communicate(timeout=LONG)
    reported = json.loads(out)["runs"]
    check("all_resumed_runs_are_done",
          (process.returncode, sorted(run["run"] for run in reported),
           {run["answer"] for run in reported}), (0, sorted(ids), {"many"}))
    check("each_run_continues_once", lines(begun), AT_ONCE + 1)


def test_slow_and_due():
    """Neither a passed deadline nor a short run waits for a slow one."""
    path, begun, gate = gated("slow")
    slow = detach(path)
    ask = spec("due", [{"calls": [{"name": "pick"}]}, {"text": "due"}], [
        {"name": "pick", "description": "Lets somebody pick.", "args": [], "headless": True}],
        pauses={"headless": {"deadline": "1ms", "on_expire": {"answer": 1}}})
    due = json.loads(haft("run", ask, "go", "--json")[1])["run"]
    quick = detach(spec("quick", [{"text": "quick"}]))
    process = start("resume", "--all")
    wait_for(lambda: lines(begun) and ends([due, quick]) == ["done", "done"])
    check("other_runs_end_before_the_slow_one", (ends([due, quick]), ends([slow])[0] == "done"),
          (["done", "done"], False))
    gate.write_text("")
    out, _ = process.communicate(timeout=LONG)
    check("each_answer_is_a_line", (process.returncode, set(out.split()) - {"due"}),
          (0, {"quick", "slow"}))


def test_message():
    """A message to a waiting run is received, also if its sender is gone."""
    ask = spec("ask", [{"calls": [{"name": "pick"}]}, {"text": "asked"}], [
        {"name": "pick", "description": "Lets somebody pick.", "args": [], "headless": True}])
    run = json.loads(haft("run", ask, "go", "--json")[1])["run"]
    check("waiting_run_without_a_message_is_skipped", haft("resume", "--all", "--json")[:2],
          (0, '{"runs":[]}\n'))
    store = sqlite3.connect(f"{scratch}/haft.db")
    store.execute("INSERT INTO messages (run, body) SELECT number, ? FROM runs WHERE id = ?",
                  (json.dumps({"command": "cancel", "why": "no more"}), run))
    store.commit()
    store.close()
    status, out, _ = haft("resume", "--all", "--json")
    check("message_is_received",
          (status, [(one["run"], one["end"]) for one in json.loads(out)["runs"]]),
          (130, [(run, "cancelled")]))


def test_yes():
    """Pending calls are approved at once, and not one run after the other."""
    path, begun, gate = gated("approved", needs_approval=True)
    ids = [detach(path) for _ in range(3)]
    process = start("resume", "--all", "--yes", "--json")
    wait_for(lambda: lines(begun) == len(ids))
    check("all_approved_calls_have_started", lines(begun), len(ids))
    gate.write_text("")
    process.communicate(timeout=LONG)
    check("all_runs_are_done", (process.returncode, ends(ids)), (0, ["done"] * 3))


def test_interrupt():
    """A signal releases everything; calls with effects finish first."""
    path, begun, gate = gated("stopped")
    ids = [detach(path) for _ in range(2)]
    process = start("resume", "--all", "--json")
    wait_for(lambda: lines(begun) == 2)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=LONG)
    reported = json.loads(out)["runs"]
    check("each_stopped_run_is_reported",
          (process.returncode, sorted(run["run"] for run in reported),
           {run["error"]["message"] for run in reported}),
          (130, sorted(ids), {"stopped by a signal"}))
    gate.write_text("")
    check("stopped_runs_continue_later", (haft("resume", "--all", "--quiet")[0], ends(ids)),
          (0, ["done"] * 2))


def test_events():
    path = spec("events", [{"text": "done"}])
    ids = [detach(path) for _ in range(3)]
    status, out, err = haft("resume", "--all", "--events")
    printed = [json.loads(line) for line in out.splitlines()]
    last = [event["run"] for event in printed if event["kind"] == "run_finished"]
    check("events_of_each_run_are_printed", (status, sorted(last), err), (0, sorted(ids), ""))


with tempfile.TemporaryDirectory() as scratch:
    environment = dict(os.environ, HAFT_STORE=f"sqlite:{scratch}/haft.db", HOME=scratch,
                       NO_COLOR="1")
    test_at_once()
    test_slow_and_due()
    test_message()
    test_yes()
    test_interrupt()
    test_events()
