#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The --json output of operators' commands matches docs/schemas, errors included: bad options,
missing stores, and success."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
SHAPES = Path(__file__).resolve().parent.parent.parent / "docs/schemas"


def haft(*words, text=""):
    done = subprocess.run([HAFT, *map(str, words)], input=text, text=True, capture_output=True,
                          cwd=scratch, env=environment, timeout=300)
    return done.returncode, done.stdout, done.stderr


def fits(shape, line):
    return haft("validate", SHAPES / f"{shape}.schema.json", "-", text=line)[0] == 0


def test(name, shape, keys, status, *words):
    """The exit status, and the keys of each line."""
    found = haft(*words)
    lines = found[1].splitlines()
    check(name, (found[0], [sorted(json.loads(line)) for line in lines]), (status, keys))
    check(f"{name}_matches_its_schema", [fits(shape, line) for line in lines], [True] * len(keys))


ERROR = [["error"]]
NEWS = ["end", "name", "retry_ms", "run", "turns", "what"]
MOVED = [["copied", "dry_run", "failed", "failures", "move", "open", "there"]]

with tempfile.TemporaryDirectory() as scratch:
    environment = dict(os.environ, XDG_STATE_HOME=scratch)
    spec = Path(scratch) / "a.json"
    spec.write_text(json.dumps({"haft": 1, "name": "a", "model": "script:s.json"}))
    (Path(scratch) / "s.json").write_text(json.dumps({"replies": [{"text": "fine"}]}))
    here, there = f"sqlite:{scratch}/a.db", f"sqlite:{scratch}/b.db"
    nowhere = f"sqlite:{scratch}/none/c.db"
    for task in "one", "two":
        haft("run", spec, task, "--detach", "--store", here)

    test("worker_bad_option", "worker", ERROR, 2, "worker", "--json", "--concurrency", "x")
    test("worker_bad_store", "worker", ERROR, 2, "worker", "--json", "--store", "foo:")
    test("worker_works", "worker", [NEWS] * 4, 0, "worker", "--json", "--until-idle",
         "--store", here)
    haft("run", spec, "three", "--detach", "--store", here)
    (Path(scratch) / "s.json").unlink()
    test("worker_skips_one", "worker", [NEWS, sorted([*NEWS, "error"])], 1, "worker", "--json",
         "--until-idle", "--store", here)
    test("gc_bad_option", "gc", ERROR, 2, "runs", "gc", "--keep", "x", "--json")
    test("gc_no_store", "gc", ERROR, 1, "runs", "gc", "--json", "--store", nowhere)
    test("gc_dry_run", "gc", [["dry_run", "removed"]], 0, "runs", "gc", "--json", "--keep", 0,
         "--dry-run", "--store", here)
    test("migrate_bad_option", "migrate", ERROR, 2, "migrate", "--json", "--form", here)
    test("migrate_no_store", "migrate", ERROR, 1, "migrate", "--json", "--from", nowhere,
         "--to", there)
    test("migrate_copies", "migrate", MOVED, 0, "migrate", "--json", "--from", here, "--to", there)
    found = haft("run", spec, "four", "--bad", "--json")
    check("bad_option_of_run_is_an_error", (found[0], json.loads(found[1])["error"]["message"]),
          (2, "unknown option --bad"))
    found = haft("run", spec, "--json", "--events")
    check("events_and_json_cannot_be_combined",
          (found[0], json.loads(found[1])["error"]["message"]),
          (2, "--events and --json cannot be combined"))
    check("after_two_dashes_it_is_an_argument", haft("runs", "rm", "--bad", "--", "--json")[:2],
          (2, ""))
