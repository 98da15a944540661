#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""/metrics of a worker: its numbers, its formats, who may read it; promtool reads it."""
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from script import check, check_none, skip, wait_for  # noqa: E402

scratch = Path(tempfile.mkdtemp(prefix="haft-metrics-", dir=os.environ.get("TMPDIR", "/tmp")))
ENV = {"PATH": os.environ["PATH"], "HOME": str(scratch)}
STORE = ["--store", f"sqlite:{scratch}/runs.db"]
OPEN = "application/openmetrics-text"


def haft(*args):
    return subprocess.run([os.environ["HAFT"], *args], cwd=scratch, capture_output=True, text=True,
                          timeout=600, stdin=subprocess.DEVNULL, env=ENV)


def get(path="/metrics", method="GET", body=None, **headers):
    """(status, headers, text)"""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    connection.request(method, path, body=body,
                       headers={k.replace("_", "-"): v for k, v in headers.items()})
    response = connection.getresponse()
    return response.status, dict(response.headers), response.read().decode()


def value(text, sample):
    """The number of a sample; None if it is missing."""
    found = re.search(rf"^{re.escape(sample)} (\S+)", text, re.MULTILINE)
    return float(found[1]) if found else None


replies = [{"calls": [{"name": "env", "arguments": {}}, {"name": "nothing", "arguments": {}}]},
           {"text": "done", "usage": {"input_tokens": 11, "output_tokens": 7}}]
(scratch / "replies.json").write_text(json.dumps({"replies": replies}))
(scratch / "spec.json").write_text(json.dumps(
    {"haft": 1, "name": 'a "name"\\', "model": "script:replies.json",
     "tools": [{"name": "env", "description": "Prints its environment.", "args": [],
                "command": ["env"], "traits": {"read_only": True}}]}))
run = haft("run", "spec.json", "go", "--detach", *STORE).stdout.strip()
check("an_address_that_cannot_be_used",
      [haft("worker", "--until-idle", "--metrics", address, *STORE).returncode
       for address in ("nowhere", "127.0.0.1:99999")], [2, 2])

worker = subprocess.Popen([os.environ["HAFT"], "worker", "--poll", "20", "--metrics", "127.0.0.1:0",
                           *STORE], cwd=scratch, env=ENV, text=True, stderr=subprocess.PIPE)
line = worker.stderr.readline()
port = int(re.fullmatch(r"metrics at http://127\.0\.0\.1:(\d+)/metrics\n", line)[1])
NAME = r'a \"name\"\\'
ended = f'haft_runs_total{{spec="{NAME}",end="done"}}'
wait_for(lambda: value(get()[2], ended))
status, headers, text = get()
check("the_text_format", (status, headers["Content-Type"]),
      (200, "text/plain; version=0.0.4; charset=utf-8"))
check_none("numbers_of_the_run", [
    f"{sample} is {value(text, sample)}" for sample, wanted in {
        ended: 1, 'haft_tool_calls_total{tool="env",outcome="ok"}': 1,
        'haft_tool_calls_total{tool="unknown",outcome="refused"}': 1,
        'haft_turns_total{mode="auto"}': 2,
        'haft_model_tokens_total{model="replies.json",type="input"}': 11,
        'haft_runs{state="running"}': 0, "haft_queue_wait_seconds_count": 1,
        f'haft_run_turns_sum{{spec="{NAME}"}}': 2,
        'haft_build_info{version="0.1.0",store="sqlite"}': 1}.items()
    if value(text, sample) != wanted])
check_none("numbers_of_the_process", [name for name in (
    "process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds",
    "process_start_time_seconds", "haft_store_commit_seconds_count") if not value(text, name)])
check("no_ids", run in text, False)
status, headers, text = get(Accept=f"{OPEN};version=1.0.0,text/plain;q=0.5")
check("openmetrics", (status, headers["Content-Type"].startswith(OPEN), text.endswith("# EOF\n"),
                      "trace_id=" in text), (200, True, True, True))
check("a_head_request", (get(method="HEAD")[0], get(method="HEAD")[2]), (200, ""))
check("wrong_requests", [get("/")[0], get("/metrics/")[0], get(method="POST", body="x")[0],
                         get(method="DELETE")[0], get("/metrics?x=1")[0]],
      [404, 404, 405, 405, 200])
check("a_foreign_name_of_this_host", [get(Host="evil.example")[0], get(Host="localhost")[0]],
      [403, 200])

promtool = shutil.which(os.environ.get("PROMTOOL", "promtool"))
if promtool is None:
    skip("promtool_accepts_the_text", "promtool is not installed (Debian package prometheus)")
else:
    found = subprocess.run([promtool, "check", "metrics"], input=get()[2], capture_output=True,
                           text=True, timeout=300)
    check("promtool_accepts_the_text", (found.returncode, found.stdout + found.stderr), (0, ""))
worker.send_signal(signal.SIGTERM)
check("the_worker_ends", worker.wait(300), 0)
worker.stderr.close()
shutil.rmtree(scratch)
