#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults around the command: kills, misbehaving tools, broken stores, full disks."""
import collections
import json
import os
import resource
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
LONG = 300  # timeout in seconds of events that must happen soon
RUNS, AT_ONCE = 20, 5
SANITIZED = bool(os.environ.get("HAFT_TEST_SANITIZED"))


def start(*words, **more):
    return subprocess.Popen([HAFT, *map(str, words)], cwd=scratch, env=environment, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **more)


def haft(*words, **more):
    process = start(*words, **more)
    out, err = process.communicate(timeout=LONG)
    return process.returncode, out, err


def put(name, value, mode=0o644):
    path = Path(scratch) / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    path.chmod(mode)
    return path


def tool(name, command, **traits):
    return {"name": name, "description": f"Does {name} for the tests of haft.",
            "input_schema": {"type": "object", "properties": {"q": {"type": "string"}}},
            "command": command, "traits": traits}


def spec(name, replies, tools):
    """A spec and its script."""
    put(f"{name}.script.json", {"replies": replies})
    return put(f"{name}.json", {"haft": 1, "name": name, "tools": tools,
                                "model": f"script:{name}.script.json"})


def call(name, **arguments):
    return {"calls": [{"name": name, "arguments": arguments}]}


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def rows(*words):
    return json.loads(haft("runs", "list", "--json", *words)[1])["runs"]


# ---- killed ----

def kill_after(path, count, store):
    """Starts a run, and kills it after it has printed `count` events."""
    process = start("run", path, "go", "--events", "--store", store)
    for _ in range(count):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.communicate()


def continue_to_end(run, store):
    """Continues a run to its end and answers its questions: (status, number of questions)."""
    asked = 0
    status, out, err = haft("resume", run, "--json", "--store", store)
    while status == 4 and asked < 5:
        asked += 1
        pending = json.loads(out)["pending"][0]
        status, out, err = haft("answer", run, pending["call"], '"a person looked"', "--json",
                                "--store", store)
    if status != 0:
        print(f"# {err}")
    return status, asked


def test_killed_anywhere():
    """Killed after every event: nothing is lost, no effect happens twice."""
    keys = Path(scratch) / "keys"
    write = tool("write", ["sh", "-c", f'echo "$HAFT_IDEMPOTENCY_KEY" >> {keys}; echo written'])
    path = spec("killed", [call("look", q="a"), call("write", q="b"), call("look", q="c"),
                           call("write", q="d"), {"text": "done"}],
                [tool("look", ["echo", "seen"], read_only=True), write])
    whole = lines(haft("run", path, "go", "--events", "--store", "whole.db")[1])
    check("run_without_a_kill_is_complete", (len(whole), whole[-1]["end"]), (20, "done"))
    wrong, asked = [], 0
    for count in range(1, len(whole) + 1):
        keys.write_text("")
        store = f"killed-{count}.db"
        kill_after(path, count, store)
        found = rows("--store", store)
        if len(found) != 1:
            wrong.append((count, "runs", found))
            continue
        run = found[0]["run"]
        status, times = (0, 0) if found[0]["state"] == "ended" else continue_to_end(run, store)
        asked += times
        log = lines(haft("runs", "events", run, "--store", store)[1])
        replay = haft("runs", "replay", run, "--store", store)
        twice = [k for k, n in collections.Counter(keys.read_text().split()).items() if n > 1]
        started = {e["idempotency_key"] for e in log
                   if e["kind"] == "call_started" and e["tool"] == "write"}
        state = (status, log[-1]["kind"], log[-1].get("end"),
                 [e["seq"] for e in log] == list(range(1, len(log) + 1)), replay[0],
                 replay[1].startswith("identical"), twice,
                 set(keys.read_text().split()) <= started,
                 len(keys.read_text().split()) + times >= 2)
        if state != (0, "run_finished", "done", True, 0, True, [], True, True):
            wrong.append((count, state, replay[2]))
    print(f"# {len(whole)} runs were killed; {asked} calls had an unknown outcome")
    check("killed_after_each_event_it_continues", wrong, [])


# ---- many at once ----

def test_many_at_once():
    good = spec("good", [call("look"), {"text": "fine"}], [tool("look", ["echo", "x"])])
    bad = spec("bad", [call("look"), {"error": {"status": 400, "body": "no"}}],
               [tool("look", ["false"])])
    ends = []
    for _ in range(RUNS // AT_ONCE):
        several = [start("run", good if i % 2 == 0 else bad, "go", "--json", "--store", "many.db")
                   for i in range(AT_ONCE - 1)]
        several.append(start("run", good if len(ends) % 2 else bad, "go", "--json", "--store",
                             "many.db"))
        for process in several:
            out, err = process.communicate(timeout=LONG)
            ends.append((process.returncode, json.loads(out)["end"] if out else err))
    check("all_runs_have_their_expected_end", collections.Counter(ends),
          collections.Counter({(0, "done"): RUNS // 2, (1, "failed"): RUNS // 2}))
    found = rows("--store", "many.db", "--limit", RUNS + 1)
    check("all_runs_are_in_the_store", (len(found), {row["state"] for row in found}),
          (RUNS, {"ended"}))
    replays = [haft("runs", "replay", row["run"], "--store", "many.db")[0] for row in found]
    check("all_runs_replay", replays, [0] * RUNS)


# ---- tools ----

def left(mark):
    """Processes with this word in their arguments."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if mark.encode() in words:
            found.append(path.parent.name)
    return found


def run_tool(name, command, **traits):
    """(exit status, seconds, the end of the call) of a run with one call of the tool."""
    path = spec(name, [call(name), {"text": "done"}], [tool(name, command, **traits)])
    begun = time.monotonic()
    status, out, err = haft("run", path, "go", "--events", "--store", "tools.db")
    ended = [e for e in lines(out) if e["kind"] == "call_finished"] or [{"ok": None, "error": err}]
    return status, time.monotonic() - begun, ended[-1]


# A number of seconds that no other process of this machine sleeps, to recognize it.
def mark_of(number):
    return f"{86400 + number}.{os.getpid()}"


def test_tools():
    put("plain.txt", "no program\n")
    forever, deaf, daemon = map(mark_of, range(3))
    cases = (
        ("much", ["head", "-c", "100000000", "/dev/zero"], {}, "printed more than the"),
        ("forever", ["sleep", forever], {"timeout": "300ms", "read_only": True},
         "took longer than its timeout of 300 ms"),
        ("deaf", ["sh", "-c", f"trap '' TERM; while :; do sleep {deaf}; done"],
         {"timeout": "300ms", "read_only": True}, "took longer than its timeout of 300 ms"),
        ("missing", ["./there-is-no-such-program"], {}, "does not exist"),
        ("unnamed", ["there-is-no-such-program"], {}, "does not exist"),
        ("plain", ["./plain.txt"], {}, "is not executable"),
        ("folder", ["/"], {}, "is not executable"),
        ("dies", ["sh", "-c", "kill -SEGV $$"], {}, "signal 11 (SIGSEGV)"),
        ("fails", ["sh", "-c", "echo oh no >&2; exit 7"], {}, "exit status 7: oh no"),
    )
    for name, command, traits, wanted in cases:
        status, took, ended = run_tool(name, command, **traits)
        message = (ended["error"] or {}).get("message", "") if isinstance(
            ended["error"], dict) else str(ended["error"])
        if wanted not in message:
            print(f"# {name}: {message!r}")
        check(f"{name}_is_reported", (status, ended["ok"], wanted in message), (0, False, True))
        print(f"# {name}: {took:.2f} s: {message}")
    for name, script, wanted in (
            ("daemon", f"(setsid sleep {daemon} >/dev/null 2>&1 & ) ; echo begun", "begun"),
            ("holder", f"(setsid sleep {daemon} & ) ; echo begun", "begun"),
            ("closes", "exec <&- >&- 2>&-; sleep 0.1; exit 0", "")):
        status, took, ended = run_tool(name, ["sh", "-c", script])
        check(f"{name}_gives_its_result", (status, ended["ok"], ended.get("result")),
              (0, True, wanted))
    ended = run_tool("signals", ["grep", "-E", "^Sig(Ign|Blk):", "/proc/self/status"])[2]
    check("a_tool_does_not_inherit_ignored_signals",
          [int(line.split()[1], 16) for line in ended["result"].splitlines()], [0, 0])
    for name, mark in (("forever", forever), ("deaf", deaf), ("daemon", daemon)):
        check(f"no_process_of_{name}_is_left", wait_for(lambda: not left(mark)), True)


def test_tools_of_the_killed():
    """Killing haft also ends its tools, even those that hide."""
    mark, there = mark_of(9), Path(scratch) / "there"
    path = spec("orphan", [call("orphan"), {"text": "done"}], [tool("orphan", [
        "sh", "-c", f"(setsid sleep {mark} & ) ; : > {there}; sleep {mark}"])])
    process = start("run", path, "go", "--store", "tools.db")
    seen = wait_for(lambda: there.exists() and len(left(mark)) == 2)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    check("children_of_the_killed_process_are_gone", (bool(seen), wait_for(lambda: not left(mark))),
          (True, True))


# ---- stores ----

def test_stores():
    path = spec("one", [{"text": "one"}], [])
    put("file", "a file\n")
    put("text.db", "this is no database at all, but some text that is long enough\n" * 50)
    with sqlite3.connect(Path(scratch) / "foreign.db") as other:
        other.execute("CREATE TABLE mine (a)")
        other.execute("INSERT INTO mine VALUES (7)")
    other.close()
    haft("run", path, "go", "--store", "newer.db")
    other = sqlite3.connect(Path(scratch) / "newer.db")
    other.execute("PRAGMA user_version = 99")
    other.close()
    haft("run", path, "go", "--store", "torn.db")
    torn = Path(scratch) / "torn.db"
    torn.write_bytes(torn.read_bytes()[:4096] + b"\xff" * (torn.stat().st_size - 4096))
    for name, wanted in (("file/below.db", "directory"), ("text.db", "not a haft database"),
                         ("foreign.db", "another program"), ("newer.db", "version"),
                         ("torn.db", "damaged"), (".", "found a directory")):
        file = Path(scratch) / name
        before = file.read_bytes() if name.endswith(".db") and "/" not in name else None
        for words in (("run", path, "go"), ("runs", "list")):
            status, out, err = haft(*words, "--store", name)
            if words[0] == "runs" and "/" in name:  # no store, and reading creates none
                check("runs_without_a_store", (status, out, "no store at" in err),
                      (0, "", True))
                continue
            reported = wanted in err and "haft" in err
            if not reported:
                print(f"# {words[0]} {name}: {err!r}")
            check(f"{words[0]}_in_{name.replace('/', '_')}", (status in (1, 2), out, reported),
                  (True, "", True))
        after = file.read_bytes() if before is not None else None
        check(f"{name.replace('/', '_')}_is_unchanged", before == after, True)


def test_locked():
    path = spec("two", [{"text": "two"}], [])
    haft("run", path, "go", "--store", "locked.db")
    holder = sqlite3.connect(Path(scratch) / "locked.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    begun = time.monotonic()
    status, out, err = haft("run", path, "go", "--store", "locked.db")
    print(f"# reported in {time.monotonic() - begun:.1f} s: {err.strip()}")
    check("a_lasting_lock_is_reported", (status in (1, 2), out, "locked" in err), (True, "", True))
    waiting = start("run", path, "go", "--json", "--store", "locked.db")
    holder.execute("ROLLBACK")
    holder.close()
    out, err = waiting.communicate(timeout=LONG)
    check("a_short_lock_is_awaited", (waiting.returncode, err), (0, ""))
    check("no_run_is_lost", [row["state"] for row in rows("--store", "locked.db")],
          ["ended", "ended"])


# ---- a full disk ----

def test_full():
    """A file size limit simulates a full disk. haft reports it and is not killed."""
    path = spec("full", [call("much", q=str(i)) for i in range(8)] + [{"text": "end"}],
                [tool("much", ["sh", "-c", "head -c 60000 /dev/zero | tr '\\0' x"])])
    haft("run", spec("small", [{"text": "small"}], []), "go", "--store", "full.db")
    for size in (0, 4096, 200000):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            if SANITIZED:  # ThreadSanitizer writes its own file before haft can ignore it
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        status, out, err = haft("run", path, "go", "--store", "full.db", preexec_fn=limit)
        reported = "the disk is full" in err
        if not reported:
            print(f"# {size}: {status} {err!r}")
        check(f"full_at_{size}", (status in (1, 2), out, reported), (True, "", True))
    found = rows("--store", "full.db")
    check("stored_events_are_complete", found[-1]["name"], "small")
    ends = [continue_to_end(row["run"], "full.db")[0] for row in found if row["state"] != "ended"]
    check("runs_continue_with_free_space", set(ends) <= {0}, True)
    with open(Path(scratch) / "out.txt", "w", encoding="utf-8") as out:
        done = subprocess.run([HAFT, "run", str(path), "go", "--events", "--store", "memory:"],
                              cwd=scratch, env=environment, stdout=out, stderr=subprocess.PIPE,
                              text=True, check=False, preexec_fn=lambda: resource.setrlimit(
                                  resource.RLIMIT_FSIZE, (4096, 4096)))
    check("output_that_does_not_fit_is_reported", (done.returncode, "cannot write the output" in
                                                   done.stderr), (1, True))


with tempfile.TemporaryDirectory() as scratch:
    environment = dict(os.environ, XDG_STATE_HOME=str(Path(scratch) / "state"))
    test_killed_anywhere()
    test_many_at_once()
    test_tools()
    test_tools_of_the_killed()
    test_stores()
    test_locked()
    test_full()
