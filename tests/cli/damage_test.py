#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run with a damaged row: it is named, and other runs are not affected."""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import script  # noqa: E402
from store_urls import stores  # noqa: E402

HAFT = os.environ["HAFT"]
# Damage to the first of three runs, in either kind of store.
CASES = {
    "spec": {"sqlite": "UPDATE runs SET spec = 9999 WHERE id = '{run}'",
             "postgres": "UPDATE haft.about SET spec = 'x' WHERE run = '{run}'"},
    "turns": {"sqlite": "UPDATE runs SET turns = 99999999999 WHERE id = '{run}'",
              "postgres": "UPDATE haft.runs SET turns = 99999999999 WHERE id = '{run}'"},
    "text": {"sqlite": "UPDATE runs SET task = 9999 WHERE id = '{run}'",
             "postgres": "DELETE FROM haft.about WHERE run = '{run}'"},
}


def check(name, found, wanted):
    script.check(f"{kind} {name}", found, wanted)


def haft(*words):
    done = subprocess.run([HAFT, *map(str, words)], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, cwd=scratch, env=environment, timeout=300)
    return done.returncode, done.stdout, done.stderr


def sql(url, statement):
    if kind == "sqlite":
        with sqlite3.connect(url.removeprefix("sqlite:")) as db:
            db.execute(statement)
        db.close()
    else:
        subprocess.run(["psql", "-qX", url, "-c", statement], check=True)


def states(url):
    status, text, err = haft("runs", "list", "--json", "--store", url)
    return status, [one["state"] for one in reversed(json.loads(text or '{"runs":[]}')["runs"])]


def one_of_three(name, case):
    url = new_store()
    runs = [haft("run", "--detach", "spec.json", f"task {n}", "--store", url)[1].strip()
            for n in range(3)]
    bad = runs[0]
    sql(url, case[kind].format(run=bad))
    listed = name != "spec"  # a list does not read the spec
    check(f"damage_of_{name}_is_listed",
          states(url), (0, ["damaged" if listed else "queued"] + 2 * ["queued"]))
    status, _, err = haft("worker", "--until-idle", "--store", url)
    check(f"worker_skips_a_run_with_damaged_{name}",
          (status, f"{bad} left" in err, f"the run {bad}" in err,
           f"haft runs rm {bad}" in err), (1, True, True, True))
    check(f"other_runs_end_despite_{name}", states(url)[1][1:], ["ended", "ended"])
    for words in (["runs", "show", bad], ["resume", bad], ["approve", bad], ["answer", bad, "x"]):
        status, _, err = haft(*words, "--store", url)
        check(f"damage_of_{name}_is_reported_by_{words[-2]}",
              (status, f"the run {bad}" in err), (1, True))
    target = f"sqlite:{scratch}/to-{kind}-{name}.db"
    status, _, err = haft("migrate", "--from", url, "--to", target)
    check(f"migrate_copies_the_others_despite_{name}",
          (status, f"the run {bad}" in err, len(states(target)[1])), (1, True, 2))
    check(f"damage_of_{name}_is_reported_by_resume_all",
          haft("resume", "--all", "--store", url)[0], 1)
    check(f"damaged_run_is_removed_{name}", haft("runs", "rm", bad, "--store", url)[0], 0)
    check(f"other_runs_stay_after_the_removal_{name}", states(url), (0, ["ended", "ended"]))
    check(f"worker_is_idle_after_the_removal_{name}",
          haft("worker", "--until-idle", "--store", url), (0, "", ""))


with tempfile.TemporaryDirectory() as scratch:
    environment = {**os.environ, "XDG_STATE_HOME": scratch, "XDG_CONFIG_HOME": scratch}
    Path(scratch, "spec.json").write_text(json.dumps({
        "haft": 1, "name": "hello", "description": "Says hello.", "model": "script:replies.json"}))
    Path(scratch, "replies.json").write_text(json.dumps({"replies": [{"text": "hello"}]}))
    for kind, new_store in stores(scratch):
        for name, case in CASES.items():
            one_of_three(name, case)
