#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests for `haft bench`: it speaks the protocol that benchmark drivers expect."""
import json
import os
import subprocess
import tempfile
from pathlib import Path

HAFT = os.environ["HAFT"]
KEYS = ["peer", "scenario", "model", "store", "runs", "conc", "wall_ms", "cpu_user_ms",
        "cpu_sys_ms", "p50_ms", "p99_ms", "tools", "rss_now_kb", "rss_peak_kb"]
CALL = {"calls": [{"name": "lookup_order", "arguments": {
    "order_id": "ORD-00001042", "include_items": True}}]}
TICKET = {"calls": [{"name": "create_ticket", "arguments": {
    "title": "Refund", "body": "x", "priority": "high", "assignees": []}}]}


def check(name, found, wanted):
    if found != wanted:
        print(f"# found  {found!r}\n# wanted {wanted!r}")
    print(f"{'ok' if found == wanted else 'not ok'} cli/bench_test.py {name}", flush=True)


def bench(replies, *words):
    script = Path(scratch) / "script.json"
    script.write_text(json.dumps({"replies": replies}))
    server = subprocess.Popen([HAFT, "mock-model", script, "--loop"], stdout=subprocess.PIPE,
                              text=True)
    url = server.stdout.readline().split()[-1]
    done = subprocess.run([HAFT, "bench", *words, f"url={url}", "model=m"], text=True,
                          capture_output=True, timeout=120)
    server.terminate()
    server.wait()
    return done.returncode, done.stdout, done.stderr


with tempfile.TemporaryDirectory() as scratch:
    status, out, err = bench([CALL, {"text": "Done."}], "load", "runs=4", "conc=1", "warm=1")
    check("load_prints_one_object", (status, err, list(json.loads(out))), (0, "", KEYS))
    check("it_counts_tools", json.loads(out)["tools"], 4)
    status, out, err = bench([CALL, {"text": "Done."}], "load", "runs=2", "pool=1")
    check("tools_on_threads", (status, err, json.loads(out)["tools"]), (0, "", 2))
    check("once_prints_nothing", bench([CALL, {"text": "Done."}], "once")[:2], (0, ""))
    status, out, _ = bench([TICKET], "suspend", "runs=3", "store=sqlite", f"db={scratch}/b.db")
    found = json.loads(out)
    check("suspend_leaves_them_waiting", (status, found["tools"], found["json_per_run"] > 500),
          (0, 0, True))
    status, _, err = bench([{"text": "No."}], "load")
    check("another_answer_is_a_failure", (status, "a run ended" in err), (1, True))
    check("words_nobody_knows", bench([], "dance")[0], 2)
    check("keys_nobody_knows", bench([], "load", "speed=1")[0], 2)
