#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A full disk, or a read-only one, under the store."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
LONG = 300  # timeout in seconds of events that must happen soon


def haft(*words, **more):
    done = subprocess.run([HAFT, *map(str, words)], text=True, capture_output=True, input="",
                          cwd=scratch, env={**environment, **more}, timeout=LONG)
    return done.returncode, done.stdout, done.stderr


def mount(*words):
    return subprocess.run(["mount", *map(str, words)], capture_output=True).returncode == 0


def put(name, value):
    path = Path(scratch) / name
    path.write_text(json.dumps(value))
    return path


def spec(name, command, calls=2):
    put(f"{name}.script.json",
        {"replies": [{"calls": [{"name": "act"}], "delay": 0.3}] * calls
         + [{"text": "good", "delay": 0.3}]})
    return put(f"{name}.json", {
        "haft": 1, "name": name, "model": f"script:{name}.script.json",
        "tools": [{"name": "act", "description": "Acts for the tests of haft.", "args": [],
                   "command": ["sh", "-c", command]}]})


def kinds(run="last"):
    return [json.loads(line)["kind"] for line in haft("runs", "events", run)[1].splitlines()]


def read_last_run():
    """Three commands that only read the last run."""
    listed = haft("runs", "list", "--json")
    shown = haft("runs", "show", "last", "--json")
    return [listed[0], shown[0], haft("runs", "events", "last")[0]]


def test_full(place):
    """The first call fills the disk. Its result is stored, and nothing more starts."""
    marks = Path(scratch) / "marks"
    fill = place / "fill"
    path = spec("full", f"echo x >> {marks}; test -e {fill} || test -e {scratch}/roomy || "
                        f"dd if=/dev/zero of={fill} bs=64k 2>/dev/null; echo filled")
    status, _, err = haft("run", path, "go")
    check("run_stops_when_the_disk_is_full",
          (status, "the disk is full" in err, "haft resume" in err), (1, True, True))
    check("result_is_stored_and_no_other_call_starts",
          [kinds().count(kind) for kind in ("call_started", "call_finished")], [1, 1])
    check("call_ran_once", marks.read_text(), "x\n")
    check("reading_works", read_last_run(), [0, 0, 0])
    with open(fill, "ab", buffering=0) as file:
        try:
            while file.write(b"x" * 4096) > 0:  # fill all free space
                pass
        except OSError:
            pass
    check("reading_works_without_free_space", read_last_run(), [0, 0, 0])
    status, _, err = haft("run", path, "again")
    check("new_runs_are_refused", (status, "the disk is full" in err), (1, True))
    fill.unlink()
    Path(scratch, "roomy").touch()
    status, out, err = haft("resume", "last", "--json")
    check("run_continues_after_space_is_freed", (status, json.loads(out)["answer"]), (0, "good"))
    check("each_call_ran_once", marks.read_text(), "x\nx\n")


def test_read_only(place):
    haft("run", spec("plain", "echo x"), "go")
    before = haft("runs", "events", "last")[1]
    if not mount("-o", "remount,ro", place):
        print("ok cli/full_test.py read_only # SKIP it cannot be mounted again")
        return
    check("reading_works_where_nothing_can_be_written", read_last_run(), [0, 0, 0])
    check("events_are_complete", haft("runs", "events", "last")[1], before)
    status, _, err = haft("run", spec("plain", "echo x"), "go")
    check("writing_is_refused", (status, "is read-only" in err), (1, True))
    status, out, _ = haft("doctor")
    check("doctor_reports_it", (
        status, "BAD             writable: no: the database is on a file system that is read-only"
        in out, "mount it for writing" in out), (1, True, True))
    status, out, _ = haft("doctor", "--store", f"sqlite:{place}/new.db")
    check("doctor_reports_a_store_that_cannot_be_created",
          (status, "this user cannot create it" in out), (1, True))


with tempfile.TemporaryDirectory(prefix="haft-full-") as scratch:
    place = Path(scratch) / "disk"
    place.mkdir()
    environment = {**os.environ, "HAFT_STORE": f"sqlite:{place}/haft.db", "HOME": scratch,
                   "NO_COLOR": "1", "HAFT_LEASE": "4s"}
    if mount("-t", "tmpfs", "-o", "size=4m", "tmpfs", place):
        try:
            test_full(place)
            test_read_only(place)
        finally:
            subprocess.run(["umount", place], check=False)
    else:
        print("ok cli/full_test.py all # SKIP a small disk cannot be mounted here")
